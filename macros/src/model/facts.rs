//! Facts that only rules of compatibility and validation read.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use semver::Version;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Field, Lit, LitStr, Meta, MetaNameValue, Path, Token, Type};
use upstate_words::facts::{About, GroupKind};

use super::declared::Current;
use super::{Codec, Derive, Member, Role, inside, names};
use crate::attr::operators::FieldPath;
#[cfg(feature = "kube")]
use crate::attr::{self, kube::OfField};
use crate::attr::{
    Allow, AttributeOptions, Behaviour, BlockOptions, CheckOptions, Checks, Deprecated, Fields,
    Given, Length, Range, ResourceOptions, Texts, Values, Word, keys, spelt, value_of,
};
use crate::errors::{Errors, line};
use crate::likeness;

/// The declared facts about a resource, an attribute or nested blocks. Nearly always nothing.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The facts, each with its subject.
    pub(crate) declared: Vec<(About, LitStr)>,
    pub(crate) api_default: Option<Box<Expr>>,
    pub(crate) groups: Vec<Group>,
    pub(crate) checks: Vec<Check>,
    /// The type whose own schema is that of the field, and the place that says so.
    pub(crate) own_schema: Option<(Type, Span)>,
    /// The function that says of a change whether it replaces the resource.
    pub(crate) replaces_if: Option<Path>,
    /// Changes of behaviour, each with the name in state of the attribute that switches it on.
    pub(crate) behaviours: Vec<(Behaviour, Option<String>)>,
    pub(crate) allowed: Vec<Allow>,
    /// The crate that has the facts of a custom resource.
    pub(crate) custom_resource: Option<TokenStream>,
}

/// A check of a configured value.
#[derive(Debug)]
pub(crate) enum Check {
    Length(Length),
    Range(Range),
    Bytes(Length),
    /// The expression, and the sentence that users read in its place.
    Pattern(LitStr, Option<LitStr>),
    OneOf(Values),
    NoneOf(Values),
    /// Checks of the elements of a collection, whose type is this.
    Each(Vec<Check>, Box<Type>),
    /// Checks of the keys of a map.
    Keys(Vec<Check>),
    /// The path of a function.
    Function(Path),
}

/// A constraint between fields.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) kind: GroupKind,
    /// The fields, each with the name in state of the first on its way.
    pub(crate) members: Vec<(FieldPath, String)>,
}

impl Facts {
    /// True if none is in the schemas of prior versions.
    pub(crate) fn is_empty(&self) -> bool {
        self.declared.is_empty() && self.checks.is_empty() && self.own_schema.is_none()
    }

    fn declared(&self, what: About) -> impl Iterator<Item = &LitStr> {
        self.declared
            .iter()
            .filter(move |(about, _)| *about == what)
            .map(|(_, text)| text)
    }

    /// Notes a string that must not be empty.
    pub(super) fn say(&mut self, what: About, text: LitStr, errors: &mut Errors) {
        if text.value().trim().is_empty() {
            errors.push(
                &text,
                "this string is empty\nhelp: fill it in, or leave the option out",
            );
        } else if let Some(first) = self
            .declared(what)
            .find(|other| other.value() == text.value())
        {
            let first = line(&first);
            errors.push(
                &text,
                format_args!(
                    "`{}` is given twice\nhelp: remove it here\nnote: first given on line {first}",
                    text.value()
                ),
            );
        } else {
            self.declared.push((what, text));
        }
    }

    /// The names that something had before, in state.
    pub(super) fn renamed_from(&mut self, given: Option<Given<Texts>>, errors: &mut Errors) {
        let Some(Texts(texts)) = value_of(given, errors) else {
            return;
        };
        for text in texts {
            if is_path(&text, errors) {
                self.say(About::RenamedFrom, text, errors);
            }
        }
    }

    /// Notes which type reads the strings of a field that is stored as one. The type decides which
    /// strings are the same.
    pub(super) fn read_as(&mut self, ty: &Type) {
        if let Type::Path(path) = inside("Option", ty).unwrap_or(ty)
            && let Some(last) = path.path.segments.last()
        {
            self.declared.push((
                About::ReadAs,
                LitStr::new(&last.ident.unraw().to_string(), last.ident.span()),
            ));
        }
    }

    /// Notes the options of Kubernetes.
    #[cfg(feature = "kube")]
    pub(super) fn structural(&mut self, field: &Field, codec: &Codec, errors: &mut Errors) {
        let (options, mut checks) = attr::kube::field(&field.attrs, errors);
        self.checks(&mut checks, &field.ty, codec, errors);
        self.declared
            .extend(options.into_iter().filter_map(|(option, text)| {
                let about = match option {
                    OfField::OwnSchema => {
                        self.own_schema = Some((
                            inside("Option", &field.ty).unwrap_or(&field.ty).clone(),
                            text.span(),
                        ));
                        return None;
                    }
                    OfField::IntOrString => About::IntOrString,
                    OfField::Nullable => About::Nullable,
                    OfField::ListType => About::ListType,
                    OfField::ListMapKey => About::ListMapKey,
                    OfField::MapType => About::MapType,
                    OfField::Rule => About::Rule,
                    OfField::RuleMessage => About::RuleMessage,
                };
                Some((about, text))
            }));
    }

    /// Notes a change of behaviour.
    fn behaviour(&mut self, behaviour: Behaviour, current: Current<'_>, errors: &mut Errors) {
        if behaviour.text.value().trim().is_empty() {
            errors.push(
                &behaviour.text,
                "this string is empty\nhelp: describe the new behaviour: `behaviour(\"restarts on resize\", …)`",
            );
        }
        release(&behaviour.since, errors);
        if let Some((first, _)) = self
            .behaviours
            .iter()
            .find(|(other, _)| other.text.value() == behaviour.text.value())
        {
            let message = format!(
                "this behaviour is declared twice\nhelp: keep one of the two\nnote: first on line {}",
                line(&first.text)
            );
            errors.push(&behaviour.text, message);
            return;
        }
        let flag = behaviour.flag.as_ref().map(|flag| {
            let name = flag.unraw().to_string();
            let member = current.member(&name);
            match member {
                // A field with a mistake of its own is one of the struct's, too.
                None if !current.has(&name) => current.unknown(flag, &name, errors),
                Some(member) if !is_bool(&member.ty) => {
                    let message =
                        format!("`{name}` is not a bool, and a flag is on or off\nhelp: make it a `bool`, or leave `flag` out");
                    errors.push(flag, message);
                }
                Some(_) | None => {}
            }
            member.map(|member| member.name.clone()).unwrap_or(name)
        });
        self.behaviours.push((behaviour, flag));
    }

    /// The findings that are let through here. Where something is gone, it has no place of its own,
    /// and only the resource can name it.
    pub(super) fn allowed(
        &mut self,
        given: Vec<Given<Allow>>,
        on_resource: bool,
        errors: &mut Errors,
    ) {
        for given in given {
            let Some(allow) = errors.take(given.value) else {
                continue;
            };
            if allow.reason.value().trim().is_empty() {
                errors.push(
                    &allow.reason,
                    "the reason is empty\nhelp: say why no user is hurt: `reason = \"…\"`",
                );
            }
            release(&allow.until, errors);
            match &allow.path {
                Some(path) if !on_resource => {
                    errors.push(
                        path,
                        "here the path is that of the field\nhelp: leave `path` out, or write this in `#[resource(…)]`",
                    );
                }
                Some(path) => {
                    is_path(path, errors);
                }
                None => {}
            }
            self.allowed.push(allow);
        }
    }

    /// The message for users of something deprecated; what else is said about it is noted.
    pub(super) fn deprecation(
        &mut self,
        given: Option<Given<Deprecated>>,
        derive: Option<Derive>,
        errors: &mut Errors,
    ) -> Option<LitStr> {
        let Deprecated {
            message,
            replaced_by,
            no_replacement,
            since,
            remove_in,
        } = errors.take(given?.value)?;
        if message.value().trim().is_empty() {
            errors.push(
                &message,
                "the deprecation message is empty\nhelp: say what to use instead: `deprecated = \"use … instead\"`",
            );
        }
        if let (Some(first), Some(why)) = (replaced_by.first(), &no_replacement) {
            errors.push(
                why,
                format_args!(
                    "something takes its place, `{}`, so there is no reason why nothing does\nhelp: keep `replaced_by` or `no_replacement`",
                    first.value()
                ),
            );
        }
        if let (Some(since), Some(remove_in)) = (&since, &remove_in)
            && let (Some(from), Some(to)) = (release(since, errors), release(remove_in, errors))
            && to <= from
        {
            errors.push(
                remove_in,
                format_args!(
                    "it would be removed in {} and is deprecated since {}\nhelp: name a later release: users need time to change over",
                    remove_in.value(),
                    since.value()
                ),
            );
        } else if let (Some(only), None) | (None, Some(only)) = (&since, &remove_in) {
            release(only, errors);
        }
        for name in replaced_by {
            let is_name = match derive {
                // The name is a type name, because another type takes the place of a resource.
                None => {
                    names::type_name_of_another("replaced_by", &name, errors);
                    names::is_name(&name.value())
                }
                Some(_) => is_path(&name, errors),
            };
            if is_name {
                self.say(About::ReplacedBy, name, errors);
            }
        }
        let others = [
            (About::NoReplacement, no_replacement),
            (About::DeprecatedSince, since),
            (About::RemoveIn, remove_in),
        ];
        for (what, text) in others
            .into_iter()
            .filter_map(|(what, text)| Some((what, text?)))
        {
            self.say(what, text, errors);
        }
        Some(message)
    }

    /// The message of Rust's own `#[deprecated]`, which is the one of a document's field; empty if
    /// it has none. The release that deprecated it is noted, where that is one: Rust takes any
    /// text.
    pub(super) fn deprecation_in_rust(
        &mut self,
        field: &Field,
        errors: &mut Errors,
    ) -> Option<LitStr> {
        let is_it = |attribute: &&Attribute| attribute.path().is_ident("deprecated");
        let attribute = field.attrs.iter().find(is_it)?;
        let (mut message, mut since) = (None, None);
        match &attribute.meta {
            Meta::Path(_) => {}
            Meta::NameValue(pair) => message = text_of(&pair.value),
            Meta::List(list) => {
                // Nothing is reported here, because the compiler refuses what it cannot read.
                let pairs = list
                    .parse_args_with(Punctuated::<MetaNameValue, Token![,]>::parse_terminated)
                    .unwrap_or_default();
                for pair in &pairs {
                    if pair.path.is_ident("note") {
                        message = text_of(&pair.value);
                    } else if pair.path.is_ident("since") {
                        since = text_of(&pair.value);
                    }
                }
            }
        }
        if let Some(since) = since.filter(|since| Version::parse(&since.value()).is_ok()) {
            self.say(About::DeprecatedSince, since, errors);
        }
        Some(message.unwrap_or_else(|| LitStr::new("", Span::call_site())))
    }

    /// The checks of configured values.
    pub(super) fn checks(
        &mut self,
        options: &mut AttributeOptions,
        ty: &Type,
        codec: &Codec,
        errors: &mut Errors,
    ) {
        let key =
            keys!(options: length bytes range pattern one_of none_of each keys validate).next();
        if let (Some(_), None, Some(key)) = (&options.computed, &options.optional, key) {
            let word = spelt(key);
            errors.push(
                key,
                format_args!("users do not configure a field that is only `computed`\nhelp: remove `{word}`, or add `optional`"),
            );
        }
        let is_own = match codec {
            Codec::Text | Codec::OptionalText | Codec::Module(_) => false,
            Codec::Own
            | Codec::Set
            | Codec::OptionalSet
            | Codec::Serde
            | Codec::SerdeModule(_)
            | Codec::SerdeFunctions(..) => true,
        };
        if let (Some(given), false) = (&options.validate, is_own) {
            errors.push(
                &given.key,
                "`validate` is for a field that is stored as its own type\nhelp: check it where the stored form is read, or write `pattern = \"…\"`",
            );
        }
        if let (Some(given), false) = (&options.requires_replace_if, is_own) {
            let message = "`requires_replace_if` is for a field that is stored as its own type\nhelp: write `requires_replace`, or ask for a replacement in `modify_plan`";
            errors.push(&given.key, message);
        }
        if let (Some(given), Some(_)) = (&options.requires_replace_if, &options.requires_replace) {
            let message = "`requires_replace` replaces whatever the function says\nhelp: keep one of `requires_replace` and `requires_replace_if`";
            errors.push(&given.key, message);
        }
        self.replaces_if = value_of(options.requires_replace_if.take(), errors).map(|path| path.0);
        let own = CheckOptions {
            length: options.length.take(),
            bytes: options.bytes.take(),
            range: options.range.take(),
            pattern: options.pattern.take(),
            pattern_message: options.pattern_message.take(),
            one_of: options.one_of.take(),
            none_of: options.none_of.take(),
            validate: options.validate.take(),
        };
        self.checks.extend(read(own, errors));
        self.checks_of_parts(
            (options.each.take(), options.keys.take()),
            ty,
            is_own,
            errors,
        );
    }

    /// The checks of configured blocks.
    pub(super) fn checks_of_blocks(
        &mut self,
        options: &mut BlockOptions,
        ty: &Type,
        errors: &mut Errors,
    ) {
        let own = CheckOptions {
            validate: options.validate.take(),
            ..CheckOptions::default()
        };
        self.checks.extend(read(own, errors));
        self.checks_of_parts((options.each.take(), options.keys.take()), ty, true, errors);
    }

    /// The checks of elements and of keys; `is_own` is false where the stored form is not that of
    /// the field's type.
    fn checks_of_parts(
        &mut self,
        (each, keys): (Option<Given<Checks>>, Option<Given<Checks>>),
        ty: &Type,
        is_own: bool,
        errors: &mut Errors,
    ) {
        let (elements, is_map) = collection(ty);
        if let Some(Given { key, value }) = each
            && let Some(Checks(options)) = errors.take(value)
        {
            match elements.filter(|_| is_own) {
                Some(element) => {
                    let element = Box::new(inside("Option", element).unwrap_or(element).clone());
                    self.checks.push(Check::Each(read(options, errors), element));
                }
                None => errors.push(&key, "`each` checks the elements of a list, set or map, and this is none\nhelp: write its checks without `each(…)`"),
            }
        }
        if let Some(Given { key, value }) = keys
            && let Some(Checks(options)) = errors.take(value)
        {
            if is_map && is_own {
                self.checks.push(Check::Keys(read(options, errors)));
            } else {
                errors.push(&key, "`keys` checks the keys of a map, and this is none\nhelp: remove it, or write `each(…)` for the elements of a list or set");
            }
        }
    }

    /// The form of an attribute's values.
    pub(super) fn format(
        &mut self,
        format: Option<Given<LitStr>>,
        accepts: Option<Given<Texts>>,
        errors: &mut Errors,
    ) {
        let accepts = accepts.and_then(|given| Some((given.key, errors.take(given.value)?.0)));
        let Some(format) = format.map(|given| errors.take(given.value)) else {
            if let Some((key, _)) = accepts {
                errors.push(
                    key,
                    "`accepts` names further forms, but not the one that is stored\nhelp: say which that is, too: `format = \"…\"`",
                );
            }
            return;
        };
        for text in accepts.into_iter().flat_map(|(_, texts)| texts) {
            if format
                .as_ref()
                .is_some_and(|format| format.value() == text.value())
            {
                errors.push(
                    &text,
                    format_args!(
                        "`{}` is the `format` itself\nhelp: name only other forms",
                        text.value()
                    ),
                );
            } else {
                self.say(About::Accepts, text, errors);
            }
        }
        if let Some(format) = format {
            self.say(About::Format, format, errors);
        }
    }
}

/// The checks that options name.
fn read(options: CheckOptions, errors: &mut Errors) -> Vec<Check> {
    let CheckOptions {
        length,
        bytes,
        range,
        pattern,
        pattern_message,
        one_of,
        none_of,
        validate,
    } = options;
    let mut checks = Vec::new();
    checks.extend(value_of(length, errors).map(Check::Length));
    checks.extend(value_of(bytes, errors).map(Check::Bytes));
    checks.extend(value_of(range, errors).map(Check::Range));
    let pattern = value_of(pattern, errors);
    if let (None, Some(given)) = (&pattern, &pattern_message) {
        errors.push(&given.key, "`pattern_message` says what a `pattern` means, and there is none\nhelp: add `pattern = \"…\"`");
    }
    let message = value_of(pattern_message, errors);
    if let Some(message) = message
        .as_ref()
        .filter(|message| message.value().trim().is_empty())
    {
        errors.push(message, "this string is empty\nhelp: say what the value has to be: \"must be a name in small letters\"");
    }
    if let Some(pattern) = &pattern
        && let Err(error) = regex_lite::Regex::new(&pattern.value())
    {
        errors
            .push(pattern, format_args!("this is not a regular expression: {error}\nnote: it is read by the crate `regex-lite`"));
    }
    checks.extend(pattern.map(|pattern| Check::Pattern(pattern, message)));
    checks.extend(value_of(one_of, errors).map(Check::OneOf));
    checks.extend(value_of(none_of, errors).map(Check::NoneOf));
    checks.extend(value_of(validate, errors).map(|path| Check::Function(path.0)));
    checks
}

/// The type of the elements of a collection, and whether it is a map, as far as can be seen from
/// how it is written.
fn collection(ty: &Type) -> (Option<&Type>, bool) {
    let ty = inside("Option", ty).unwrap_or(ty);
    let list = ["Vec", "BTreeSet", "HashSet"]
        .into_iter()
        .find_map(|list| inside(list, ty));
    match list {
        Some(element) => (Some(element), false),
        None => match super::plan::in_map(ty) {
            Some(element) => (Some(element), true),
            None => (None, false),
        },
    }
}

/// Checks the names of members that facts refer to, once all members are known.
pub(super) fn references(derive: Derive, owner: &Ident, members: &[Member], errors: &mut Errors) {
    let own: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    for member in members {
        for text in member.facts.declared(About::RenamedFrom) {
            let name = text.value();
            if own.contains(&name.as_str()) {
                let message = if name == member.name {
                    format!("`{name}` is its current name\nhelp: write the name that it had before")
                } else {
                    format!(
                        "`{owner}` still has `{name}`, so that is not a former name\nhelp: while both are there, deprecate that one: `deprecated(\"…\", replaced_by = \"{}\")`",
                        member.name
                    )
                };
                errors.push(text, message);
            }
        }
        for text in member.facts.declared(About::ReplacedBy) {
            let name = text.value();
            let first = name.split('.').next().unwrap_or_default();
            if name == member.name {
                errors.push(text, format_args!("`{name}` cannot take its own place\nhelp: name what users should use instead"));
            } else if derive == Derive::Resource && !own.contains(&first) {
                let help = match likeness::nearest(first, &own) {
                    Some(nearest) => format!("did you mean `{nearest}`?"),
                    None => "name an attribute or block of the resource, or say `no_replacement = \"why\"`".to_owned(),
                };
                errors.push(
                    text,
                    format_args!("`{owner}` stores nothing as `{first}`\nhelp: {help}"),
                );
            }
        }
    }
}

/// The facts about the resource as a whole.
pub(super) fn resource(
    options: &mut ResourceOptions,
    facts: &mut Facts,
    current: Current<'_>,
    errors: &mut Errors,
) {
    let groups = [
        (GroupKind::ConflictsWith, &mut options.conflicts_with),
        (GroupKind::ExactlyOneOf, &mut options.exactly_one_of),
        (GroupKind::AtLeastOneOf, &mut options.at_least_one_of),
        (GroupKind::RequiredWith, &mut options.required_with),
        (GroupKind::AtLeastSumOf, &mut options.at_least_sum_of),
        (GroupKind::AtMostSumOf, &mut options.at_most_sum_of),
        (GroupKind::EqualToSumOf, &mut options.equal_to_sum_of),
    ];
    let mut seen: BTreeMap<(GroupKind, Vec<String>), usize> = BTreeMap::new();
    for (kind, given) in groups {
        for Given { key, value } in std::mem::take(given) {
            let Some(Fields(lists)) = errors.take(value) else {
                continue;
            };
            for fields in lists {
                let Some(members) = group(kind.name(), &key, fields, current, errors) else {
                    continue;
                };
                let mut names: Vec<String> = members.iter().map(|(path, _)| path.spelt()).collect();
                if let Some(unordered) = names.get_mut(usize::from(kind.is_sum())..) {
                    unordered.sort();
                }
                if let Some(first) = seen.insert((kind, names), line(&key)) {
                    let message = format!(
                        "this constraint is declared twice\nhelp: keep one of the two\nnote: first on line {first}"
                    );
                    errors.push(&key, message);
                }
                facts.groups.push(Group { kind, members });
            }
        }
    }
    let id_format = options
        .id_format
        .take()
        .map(|given| (About::IdFormat, given));
    let imports = std::mem::take(&mut options.import_format)
        .into_iter()
        .map(|given| (About::ImportFormat, given));
    for (what, given) in id_format.into_iter().chain(imports) {
        if let Some(format) = errors
            .take(given.value)
            .and_then(|text| id_format_in_state(&text, current, errors))
        {
            facts.say(what, format, errors);
        }
    }
    word(
        About::Read,
        "read",
        &["none"],
        options.read.take(),
        facts,
        errors,
    );
    word(
        About::Tier,
        "tier",
        &["stable", "preview", "experimental"],
        options.tier.take(),
        facts,
        errors,
    );
    if let Some(destroy) = value_of(options.destroy.take(), errors) {
        facts.say(About::Destroy, destroy, errors);
    }
    for given in std::mem::take(&mut options.behaviour) {
        if let Some(behaviour) = errors.take(given.value) {
            facts.behaviour(behaviour, current, errors);
        }
    }
    facts.allowed(std::mem::take(&mut options.allow), true, errors);
}

/// True unless the type is clearly another: what an alias names is not known here.
fn is_bool(ty: &Type) -> bool {
    const OTHERS: [&str; 14] = [
        "String", "Number", "Dynamic", "Vec", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32",
        "u64", "BTreeMap",
    ];
    let Type::Path(path) = inside("Option", ty).unwrap_or(ty) else {
        return false;
    };
    path.path
        .segments
        .last()
        .is_some_and(|last| !OTHERS.contains(&last.ident.unraw().to_string().as_str()))
}

fn group(
    word: &str,
    key: &Path,
    fields: Vec<FieldPath>,
    current: Current<'_>,
    errors: &mut Errors,
) -> Option<Vec<(FieldPath, String)>> {
    if fields.len() < 2 {
        let first = fields
            .first()
            .map_or_else(|| "field".to_owned(), FieldPath::spelt);
        let message = format!(
            "`{word}` needs two fields or more\nhelp: name the others, too: `{word}({first}, other_field)`"
        );
        errors.push(key, message);
        return None;
    }
    let mut members: Vec<(FieldPath, String)> = Vec::new();
    let mut is_whole = true;
    for field in fields {
        if members.iter().any(|(other, _)| other.is_same(&field)) {
            let name = field.spelt();
            errors.push(
                &field,
                format_args!(
                    "`{name}` is here twice\nhelp: remove it, or name the field that was meant"
                ),
            );
            is_whole = false;
        } else if let Some(name) = name_in_state(&field, current, errors) {
            members.push((field, name));
        } else {
            is_whole = false;
        }
    }
    is_whole.then_some(members)
}

/// The name in state of the first field of a path.
fn name_in_state(field: &FieldPath, current: Current<'_>, errors: &mut Errors) -> Option<String> {
    let (first, place) = (field.names().into_iter().next()?, field.0.first()?);
    let member = current.member(&first);
    // A field with a mistake of its own is one of the struct's, too.
    if member.is_none() && !current.has(&first) {
        current.unknown(place, &first, errors);
    }
    member.map(|member| member.name.clone())
}

/// A form of id with the names that its fields have in state.
fn id_format_in_state(text: &LitStr, current: Current<'_>, errors: &mut Errors) -> Option<LitStr> {
    let format = text.value();
    let mut refuse = |message: String| {
        errors.push(text, message);
        None
    };
    let mut out = String::new();
    let mut rest = format.as_str();
    let mut any = false;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        let inside = from.strip_prefix('{').and_then(|from| from.split_once('}'));
        let Some((name, after)) = inside.filter(|(name, _)| !name.contains('{')) else {
            return refuse(
                "a brace in this form of id has no other\nhelp: write a field between braces: \"{project}/{name}\"".to_owned(),
            );
        };
        let Some(member) = current.member(name) else {
            if current.has(name) {
                return None;
            }
            let fields: Vec<String> = current.names().collect();
            let help = match likeness::nearest(name, &fields) {
                Some(nearest) => format!("did you mean `{{{nearest}}}`?"),
                None => "write a field of the struct itself between braces".to_owned(),
            };
            return refuse(format!(
                "`{}` has no field `{name}` [U0011]\nhelp: {help}",
                current.ident.unraw()
            ));
        };
        if let Role::Block { .. } = member.role {
            return refuse(format!(
                "`{name}` holds nested blocks, which cannot be part of an id\nhelp: name fields that hold strings or numbers"
            ));
        }
        any = true;
        out.push_str(before);
        out.extend(["{", &member.name, "}"]);
        rest = after;
    }
    if !any {
        return refuse("this form of id names no field\nhelp: write fields between braces: \"{project}/{name}\"".to_owned());
    }
    out.push_str(rest);
    Some(LitStr::new(&out, text.span()))
}

fn word(
    what: About,
    key: &str,
    words: &[&str],
    given: Option<Given<Word>>,
    facts: &mut Facts,
    errors: &mut Errors,
) {
    let Some(Word(ident)) = value_of(given, errors) else {
        return;
    };
    let found = ident.to_string();
    if words.contains(&found.as_str()) {
        facts.say(what, LitStr::new(&found, ident.span()), errors);
        return;
    }
    let listed: Vec<String> = words
        .iter()
        .map(|word| format!("`{key} = {word}`"))
        .collect();
    errors.push(
        &ident,
        format_args!(
            "`{key}` is not `{found}`\nhelp: write {}",
            listed.join(" or ")
        ),
    );
}

/// True if a string is a name in state or a path of them; if not, that is recorded.
fn is_path(text: &LitStr, errors: &mut Errors) -> bool {
    let path = text.value();
    let is_path = path.split('.').all(names::is_name);
    if !is_path {
        let what = if path.is_empty() {
            "the name is empty".to_owned()
        } else {
            format!("`{path}` is not a name in state")
        };
        errors.push(
            text,
            format_args!("{what}\nhelp: write the name as state has it, such as \"size\", or a path such as \"disk.size\""),
        );
    }
    is_path
}

/// The text of a string literal.
fn text_of(value: &Expr) -> Option<LitStr> {
    let Expr::Lit(ExprLit {
        lit: Lit::Str(text),
        ..
    }) = value
    else {
        return None;
    };
    Some(text.clone())
}

/// The number of a release; what is not one is recorded.
pub(super) fn release(text: &LitStr, errors: &mut Errors) -> Option<Version> {
    let written = text.value();
    let refused = match Version::parse(&written) {
        Ok(version) => return Some(version),
        Err(error) => error,
    };
    // Authors leave out the last numbers, or write a letter before the first, so that these are
    // proposed.
    let number = written.strip_prefix('v').unwrap_or(&written);
    let (core, rest) = number
        .split_at_checked(number.find(['-', '+']).unwrap_or(number.len()))
        .unwrap_or((number, ""));
    let proposals = ["", ".0", ".0.0"].map(|zeros| format!("{core}{zeros}{rest}"));
    let help = match proposals
        .iter()
        .find(|proposal| Version::parse(proposal).is_ok())
    {
        Some(proposal) => format!("write \"{proposal}\""),
        // Its three numbers are right, what follows them is not.
        None if Version::parse(core).is_ok() => {
            format!("{refused}; write it such as \"{core}-rc.1\"")
        }
        None => "write its three numbers, such as \"2.2.0\"".to_owned(),
    };
    errors.push(
        text,
        format_args!("`{written}` is not a release\nhelp: {help}"),
    );
    None
}
