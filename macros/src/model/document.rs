//! Structs of documents: how each field is stored, by the words of serde and of upstate.

#![expect(clippy::single_match_else, reason = "the cases are read side by side")]

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{
    Data, DeriveInput, Expr, ExprLit, Field, Fields, Generics, Lit, LitStr, Path, Token, Type,
};

use super::members::{null_itself, two_nulls};
use super::types::{inside, is_called, literal_of, names_type, noun_of};
use super::{Codec, Facts, Flags, Member, Object, Role};
use crate::attr::document::{self, Absent, Container, Part};
use crate::attr::{self, Case};
use crate::errors::{Errors, line};

/// A struct or tuple struct of a document.
#[derive(Debug)]
pub(crate) struct Structure {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) crate_path: Option<Path>,
    pub(crate) body: Body,
}

/// The form of a struct.
#[derive(Debug)]
pub(crate) enum Body {
    /// Fields with names.
    Named(Object),
    /// One value, stored as it is.
    Newtype {
        ty: Type,
        field: TokenStream,
        is_transparent: bool,
        recursive: bool,
        codec: Codec,
        /// Fields that are not stored, and their values, if those are not their types' own.
        skipped: Vec<(TokenStream, Option<Absent>)>,
    },
    /// An array; fields that are not stored have no place in it.
    Tuple(Vec<Position>),
    /// Null.
    Unit,
    /// The values of another type, by conversion.
    Converted {
        from: Type,
        can_fail: bool,
        into: Type,
    },
}

/// A field without a name.
#[derive(Debug)]
pub(crate) struct Position {
    pub(crate) ty: Type,
    /// It is not stored, and has no place.
    pub(crate) is_skipped: bool,
    /// Its value where the array ends before it.
    pub(crate) default: Option<Absent>,
    pub(crate) codec: Codec,
}

impl Position {
    fn new(field: &Field, part: Part, codec: Codec) -> Self {
        Self {
            ty: field.ty.clone(),
            is_skipped: part.skip.is_some(),
            default: part.default,
            codec,
        }
    }
}

/// The part of a struct of a document that a resource has not.
#[derive(Debug)]
pub(crate) struct Shape {
    /// In the order of the fields.
    pub(crate) entries: Vec<Entry>,
    pub(crate) generics: Generics,
    /// The rule for the names of its fields.
    pub(crate) rename_all: Option<Case>,
    pub(crate) denies_unknown: bool,
    pub(crate) lenient: bool,
    /// It is of a variant.
    pub(crate) is_variant: bool,
}

impl Shape {
    /// The parts that do not hold the struct itself.
    pub(crate) fn known_parts(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| {
            matches!(
                entry.kind,
                EntryKind::Flatten {
                    recursive: false,
                    ..
                }
            )
        })
    }
}

/// A field.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) kind: EntryKind,
}

/// The way a field is stored.
#[derive(Debug)]
pub(crate) enum EntryKind {
    /// As a member: its index among the members in the order of their names.
    Member {
        name: String,
        aliases: Vec<String>,
        default: Option<Absent>,
        skip_if: Option<Path>,
    },
    /// Its members beside the others.
    Flatten {
        /// It holds the struct itself.
        recursive: bool,
        /// Its members are hidden.
        sensitive: bool,
    },
    /// Not at all.
    Skip { default: Option<Absent> },
    /// Not a field: the name of the struct, which is written.
    Name { tag: String, name: String },
}

/// The members and the shape of a struct with named fields.
pub(crate) fn named(
    owner: &Ident,
    fields: &Punctuated<Field, Token![,]>,
    container: &Container,
    generics: &Generics,
    is_variant: bool,
    errors: &mut Errors,
) -> (Vec<Member>, Shape) {
    let mut members = Vec::new();
    let mut entries = Vec::new();
    let mut stored = Claims::new();
    if let Some(tag) = container.tag.as_ref() {
        let name = container
            .name
            .clone()
            .unwrap_or_else(|| owner.unraw().to_string());
        let kind = EntryKind::Name {
            tag: tag.value(),
            name,
        };
        claim(
            &tag.value(),
            tag.to_token_stream(),
            (owner, false),
            &mut stored,
            errors,
        );
        entries.push(Entry {
            ident: owner.clone(),
            ty: syn::parse_quote!(()),
            kind,
        });
    }
    for field in fields {
        let Some(ident) = &field.ident else { continue };
        let part = document::part(&field.attrs, field.ident.as_ref(), errors);
        let kind = entry(
            owner,
            ident,
            field,
            part,
            container,
            &mut members,
            &mut stored,
            errors,
        );
        entries.push(Entry {
            ident: ident.clone(),
            ty: field.ty.clone(),
            kind,
        });
    }
    if let Some(place) = container.denies_unknown
        && entries
            .iter()
            .any(|entry| matches!(&entry.kind, EntryKind::Flatten { .. }) && keeps_rest(&entry.ty))
    {
        let message = "every member that no field names goes into the map, so none is unknown\nhelp: remove `deny_unknown_fields`, or the map";
        errors.push(Ident::new("deny_unknown_fields", place), message);
    }
    hide_recursion(&mut members);
    members.sort_by(|left: &Member, right| left.name.cmp(&right.name));
    let shape = Shape {
        entries,
        generics: generics.clone(),
        rename_all: container.rename_all,
        denies_unknown: container.denies_unknown.is_some(),
        lenient: container.lenient,
        is_variant,
    };
    (members, shape)
}

/// Marks what holds the struct itself as sensitive if the struct has a sensitive field: such a
/// value is any JSON in the schema, which cannot say it of a part.
fn hide_recursion(members: &mut [Member]) {
    if !members.iter().any(Member::is_sensitive) {
        return;
    }
    for member in members.iter_mut().filter(|member| member.opaque) {
        if let Role::Attribute { flags, .. } = &mut member.role {
            flags.sensitive = true;
        }
    }
}

/// True if a flattened field takes all members that are left, as far as its tokens tell.
pub(crate) fn keeps_rest(ty: &Type) -> bool {
    let last = match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string()),
        _ => None,
    };
    matches!(
        last.as_deref(),
        Some("BTreeMap" | "HashMap" | "Map" | "Value")
    )
}

#[expect(
    clippy::too_many_arguments,
    reason = "they are what one field is judged by"
)]
fn entry(
    owner: &Ident,
    ident: &Ident,
    field: &Field,
    part: Part,
    container: &Container,
    members: &mut Vec<Member>,
    stored: &mut Claims,
    errors: &mut Errors,
) -> EntryKind {
    of_variants(&part, errors);
    let of_container = || {
        container
            .default
            .as_ref()
            .map(|default| of_whole(default, &ident.to_token_stream()))
    };
    if part.skip.is_some() {
        return EntryKind::Skip {
            default: part.default.or_else(of_container),
        };
    }
    if let Some(span) = part.flatten {
        for (given, word) in [
            (part.default.is_some(), "default"),
            (part.name.is_some(), "rename"),
            (!part.aliases.is_empty(), "alias"),
        ] {
            if given {
                errors.push(
                    Ident::new("flatten", span),
                    format_args!("`{word}` means nothing for a field whose members are next to the others\nhelp: remove `{word}`; an `Option` is `None` if none of its members is there"),
                );
            }
        }
        let by_functions = part.with.is_some() || part.module.is_some();
        let by_functions =
            by_functions || part.deserialize_with.is_some() || part.serialize_with.is_some();
        for (given, word) in [
            (by_functions, "with"),
            (part.json.is_some(), "json"),
            (part.as_string.is_some(), "as_string"),
        ] {
            if given {
                errors.push(
                    Ident::new("flatten", span),
                    format_args!("`{word}` is for a value, and this field has only members, which are next to the others\nhelp: remove `flatten`, and the value is stored below the name of the field; or remove `{word}`"),
                );
            }
        }
        let recursive = part.recursive || names_type(owner, field.ty.to_token_stream());
        if let Some(span) = part.sensitive.filter(|_| recursive) {
            errors.push(
                Ident::new("sensitive", span),
                "the members of a field that holds its own struct are not hidden as a whole\nhelp: remove `sensitive`, and write it above the fields of the struct that are",
            );
        }
        return EntryKind::Flatten {
            recursive,
            sensitive: part.sensitive.is_some(),
        };
    }
    let name = match &part.name {
        Some(name) => name.value(),
        None => {
            let own = ident.unraw().to_string();
            container
                .rename_all
                .map_or_else(|| own.clone(), |case: Case| case.of_field(&own))
        }
    };
    let place = part
        .name
        .as_ref()
        .map_or_else(|| ident.to_token_stream(), ToTokens::to_token_stream);
    claim(&name, place, (ident, false), stored, errors);
    for alias in &part.aliases {
        if alias.value() != name {
            claim(
                &alias.value(),
                alias.to_token_stream(),
                (ident, true),
                stored,
                errors,
            );
        }
    }
    let default = part.default.clone().or_else(of_container);
    if let Some((_, span)) = &part.skip_if
        && default.is_none()
        && inside("Option", &field.ty).is_none()
    {
        errors.push(
            Ident::new("skip_serializing_if", *span),
            format_args!("`{ident}` would be left out when it is written, and missing when it is read\nhelp: add `default`, which fills in the value that the condition leaves out"),
        );
    }
    if let Some(Absent::Value(value)) = &part.default
        && let Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) = &**value
        && let Some(noun) = noun_of(&field.ty)
    {
        let written = match text.parse::<Path>() {
            Ok(path) => format!("{}()", attr::spelt(&path)),
            Err(_) => literal_of(&field.ty, &text.value()).unwrap_or_else(|| "…".to_owned()),
        };
        errors.push(
            text,
            format_args!("`{ident}` is {noun}, and its default is a string\nhelp: write `default = {written}`, without quotes"),
        );
    }
    let recursive = part.recursive || names_type(owner, field.ty.to_token_stream());
    let codec = codec(&part, &field.ty, &format!("`{ident}`"), errors);
    if matches!(codec, Codec::Own) {
        two_nulls(&field.ty, errors);
        // A field that holds its own struct is stored as any JSON, so that its type does not count.
        if !recursive {
            null_itself(&field.ty, errors);
        }
    }
    let mut facts = Facts::default();
    #[cfg(feature = "kube")]
    facts.structural(field, &codec, errors);
    let deprecated = facts.deprecation_in_rust(field, errors);
    members.push(Member {
        nested: None,
        ident: ident.clone(),
        ty: field.ty.clone(),
        name: name.clone(),
        description: attr::description(&field.attrs),
        deprecated,
        facts,
        opaque: recursive,
        role: Role::Attribute {
            flags: Flags {
                sensitive: part.sensitive.is_some(),
                filled_in: default.is_some(),
                ..Flags::default()
            },
            codec,
            default: None,
        },
    });
    let aliases = part
        .aliases
        .iter()
        .map(LitStr::value)
        .filter(|alias| *alias != name)
        .collect();
    EntryKind::Member {
        name,
        aliases,
        default,
        skip_if: part.skip_if.map(|(path, _)| path),
    }
}

/// The fields or variants that names are of, with their lines, and true for aliases.
pub(super) type Claims = BTreeMap<String, (String, usize, bool)>;

fn claim(
    name: &str,
    place: TokenStream,
    (ident, is_alias): (&Ident, bool),
    stored: &mut Claims,
    errors: &mut Errors,
) {
    let own = (ident.to_string(), line(ident), is_alias);
    if let Some((other, first, was_alias)) = stored.insert(name.to_owned(), own) {
        let help = renamed_or_removed(is_alias || was_alias);
        errors.push(place, format_args!("two fields are stored or read as `{name}`\nnote: the other is `{other}` on line {first}\nhelp: {help}"));
    }
}

/// The help for two of one name, of which one is an alias or none.
pub(super) fn renamed_or_removed(has_alias: bool) -> &'static str {
    if has_alias {
        "rename one of them, or remove the alias"
    } else {
        "rename one of them"
    }
}

fn codec(part: &Part, ty: &Type, field: &str, errors: &mut Errors) -> Codec {
    if part.as_string.is_some() {
        return if inside("Option", ty).is_some() {
            Codec::OptionalText
        } else {
            Codec::Text
        };
    }
    // The JSON of serde is what its functions write, if the field has them.
    let by_functions =
        part.with.is_some() || part.deserialize_with.is_some() || part.serialize_with.is_some();
    if part.json.is_some() && !by_functions {
        return Codec::Serde;
    }
    if let Some(module) = &part.module {
        return Codec::Module(module.clone());
    }
    match (&part.with, &part.deserialize_with, &part.serialize_with) {
        (Some(module), ..) => Codec::SerdeModule(module.clone()),
        (None, Some(read), Some(write)) => Codec::SerdeFunctions(read.clone(), write.clone()),
        (None, Some(one), None) | (None, None, Some(one)) => {
            let (has, lacks) = if part.deserialize_with.is_some() {
                ("deserialize_with", "serialize_with")
            } else {
                ("serialize_with", "deserialize_with")
            };
            errors.push(
                one,
                format_args!("{field} has `{has}` alone, so it may write values that it cannot read\nhelp: add `{lacks} = \"…\"`, or write `with = \"module\"` for both"),
            );
            Codec::Own
        }
        (None, None, None) => Codec::Own,
    }
}

/// The model of a struct that is only a part, or of one whose versions are read elsewhere. `None`
/// if something is wrong, which is then recorded.
pub(crate) fn structure(input: &DeriveInput, errors: &mut Errors) -> Option<Structure> {
    let container = document::container(&input.attrs, errors);
    let ident = &input.ident;
    let body = match &input.data {
        Data::Struct(data) => match &data.fields {
            _ if container.from.is_some() || container.into.is_some() => {
                converted(&container, ident, errors)?
            }
            Fields::Named(fields) if container.transparent.is_some() => {
                let fields = fields.named.iter().map(|field| {
                    let part = document::part(&field.attrs, field.ident.as_ref(), errors);
                    let place = "the field of a transparent struct";
                    if part.skip.is_none() {
                        unread(&part, place, &OF_NAMED, errors);
                        of_variants(&part, errors);
                    }
                    let codec = codec(&part, &field.ty, place, errors);
                    (
                        field.ident.to_token_stream(),
                        Position::new(field, part, codec),
                    )
                });
                transparent(ident, fields.collect(), &container, errors)?
            }
            Fields::Unnamed(fields) if container.transparent.is_some() => {
                let fields = positions(&fields.unnamed, errors).into_iter().enumerate();
                let fields =
                    fields.map(|(index, field)| (syn::Index::from(index).to_token_stream(), field));
                transparent(ident, fields.collect(), &container, errors)?
            }
            Fields::Named(fields) => {
                let (members, shape) = named(
                    ident,
                    &fields.named,
                    &container,
                    &input.generics,
                    false,
                    errors,
                );
                let crate_path = container.crate_path.clone();
                Body::Named(Object {
                    ident: ident.clone(),
                    crate_path,
                    members,
                    upgraders: Vec::new(),
                    document: Some(shape),
                    plan: None,
                    paths: None,
                })
            }
            Fields::Unnamed(fields) => tuple(ident, &fields.unnamed, &container, errors),
            Fields::Unit => Body::Unit,
        },
        Data::Enum(data) => {
            errors.push(
                data.enum_token,
                format_args!(
                    "a document is a struct; `{ident}` is an enum [U0016]\nhelp: derive `Union`, and hold the enum in a field"
                ),
            );
            return None;
        }
        Data::Union(data) => {
            errors.push(
                data.union_token,
                format_args!("a document is a struct; `{ident}` is a union [U0016]\nhelp: write `struct {ident}`"),
            );
            return None;
        }
    };
    refuse_of_enums(&container, !matches!(body, Body::Named(_)), errors);
    lifetimes(&input.generics, ident, errors);
    errors.is_empty().then(|| Structure {
        ident: ident.clone(),
        generics: input.generics.clone(),
        crate_path: container.crate_path,
        body,
    })
}

/// Refuses what is for enums, and for structs whose fields have names.
fn refuse_of_enums(container: &Container, is_unnamed: bool, errors: &mut Errors) {
    if let Some((_, span)) = container.rename_all_fields {
        let message =
            "`rename_all_fields` is for the fields of an enum's variants\nhelp: write `rename_all`";
        errors.push(Ident::new("rename_all_fields", span), message);
    }
    if let Some(span) = container.untagged {
        errors.push(
            Ident::new("untagged", span),
            "`untagged` is for enums\nhelp: remove it",
        );
    }
    if let Some(content) = &container.content {
        errors.push(content, "`content` is for enums\nhelp: remove it");
    }
    if let Some(tag) = container.tag.as_ref().filter(|_| is_unnamed) {
        errors.push(
            tag,
            "a tag is a member next to others, and this struct has none\nhelp: remove `tag`, or give the fields names",
        );
    }
}

/// Refuses parameters for lifetimes: a document owns its values.
pub(super) fn lifetimes(generics: &Generics, ident: &Ident, errors: &mut Errors) {
    for lifetime in generics.lifetimes() {
        errors.push(
            lifetime,
            format_args!("a document owns its values, so `{ident}` cannot have lifetime parameters [U0016]\nhelp: use `String` or `Cow<'static, str>` in place of `&str`, `Vec` in place of a slice"),
        );
    }
}

/// The conversions between a type and the one that is stored.
pub(super) fn converted(container: &Container, ident: &Ident, errors: &mut Errors) -> Option<Body> {
    match (&container.from, &container.into) {
        (Some((from, can_fail)), Some(into)) => Some(Body::Converted {
            from: from.clone(),
            can_fail: *can_fail,
            into: into.clone(),
        }),
        (from, into) => {
            let given = from.as_ref().map(|(from, _)| from).or(into.as_ref());
            errors.push(
                given,
                format_args!("`{ident}` is converted in one direction alone, so it may write values that it cannot read\nhelp: write both, `try_from = \"…\", into = \"…\"`"),
            );
            None
        }
    }
}

/// The form of a struct that is stored as its one field, as serde finds it: a marker has no value,
/// and does not count.
fn transparent(
    ident: &Ident,
    fields: Vec<(TokenStream, Position)>,
    container: &Container,
    errors: &mut Errors,
) -> Option<Body> {
    let is_marker = |field: &Position| is_called("PhantomData", &field.ty);
    // A marker that is alone is stored, because there is nothing else.
    let has_value = fields
        .iter()
        .any(|(_, field)| !field.is_skipped && !is_marker(field));
    let is_stored =
        |(_, field): &(TokenStream, Position)| !(field.is_skipped || has_value && is_marker(field));
    let (stored, others): (Vec<_>, Vec<_>) = fields.into_iter().partition(is_stored);
    let [(name, Position { ty, codec, .. })] = stored.as_slice() else {
        let place = Ident::new(
            "transparent",
            container.transparent.unwrap_or_else(|| ident.span()),
        );
        let (count, other) = match stored.len() {
            0 => ("none".to_owned(), "add the field that is stored"),
            several => (
                several.to_string(),
                "write `skip` on those that are not stored",
            ),
        };
        errors.push(
            &place,
            format_args!("a transparent struct is stored as its one field; `{ident}` has {count}\nhelp: remove `transparent`, or {other}"),
        );
        return None;
    };
    let skipped = others.into_iter().map(|(name, field)| {
        let of_container = container
            .default
            .as_ref()
            .filter(|_| !is_marker(&field))
            .map(|default| of_whole(default, &name));
        (name, field.default.or(of_container))
    });
    Some(Body::Newtype {
        ty: ty.clone(),
        field: name.clone(),
        is_transparent: true,
        recursive: names_type(ident, ty.to_token_stream()),
        codec: codec.clone(),
        skipped: skipped.collect(),
    })
}

/// The form of a struct whose fields have no names.
fn tuple(
    ident: &Ident,
    fields: &Punctuated<Field, Token![,]>,
    container: &Container,
    errors: &mut Errors,
) -> Body {
    let mut all = positions(fields, errors);
    if let Some(default) = &container.default {
        for (index, position) in all
            .iter_mut()
            .enumerate()
            .filter(|(_, position)| position.default.is_none())
        {
            position.default = Some(of_whole(
                default,
                &syn::Index::from(index).to_token_stream(),
            ));
        }
    }
    if let [
        Position {
            is_skipped: true, ..
        },
    ] = all.as_slice()
    {
        errors.push(
            ident,
            format_args!("`{ident}` holds one value, which serde stores in spite of `skip`\nhelp: remove `skip`"),
        );
    }
    match all.as_slice() {
        [
            Position {
                ty,
                is_skipped: false,
                codec,
                ..
            },
        ] => {
            let recursive = names_type(ident, ty.to_token_stream());
            let (ty, field, codec) = (ty.clone(), quote::quote!(0), codec.clone());
            Body::Newtype {
                ty,
                field,
                is_transparent: false,
                recursive,
                codec,
                skipped: Vec::new(),
            }
        }
        _ => Body::Tuple(all),
    }
}

/// The options that only a field with a name has, because a schema has a row for no other.
const OF_NAMED: [&str; 2] = ["with", "sensitive"];

/// Reports the options of these words, which mean nothing at this place.
pub(super) fn unread(part: &Part, place: &str, words: &[&str], errors: &mut Errors) {
    let paths = [
        (&part.module, "with"),
        (&part.deserialize_with, "deserialize_with"),
        (&part.serialize_with, "serialize_with"),
    ];
    let of_paths = paths
        .into_iter()
        .filter_map(|(path, word)| Some((path.as_ref()?.span(), word)));
    let alone = [
        (part.json, "json"),
        (part.as_string, "as_string"),
        (part.sensitive, "sensitive"),
    ];
    let of_words = alone
        .into_iter()
        .filter_map(|(span, word)| Some((span?, word)));
    for (span, word) in of_paths
        .chain(of_words)
        .filter(|(_, word)| words.contains(word))
    {
        let help = if word == "sensitive" {
            "remove it, and write `#[attribute(sensitive)]` above the fields that hold the type"
        } else {
            "remove it, or make it a field with a name"
        };
        errors.push(
            Ident::new(word, span),
            format_args!(
                "`{word}` is for a field with a name, and means nothing for {place}\nhelp: {help}"
            ),
        );
    }
}

/// Reports the options of a field that only variants have.
fn of_variants(part: &Part, errors: &mut Errors) {
    misplaced(
        part,
        &["other", "untagged", "shadowed", "rename_all"],
        ("variant of an enum", "field"),
        errors,
    );
}

/// Reports the options of a variant that only fields have.
pub(super) fn of_fields(part: &Part, errors: &mut Errors) {
    misplaced(
        part,
        &[
            "default",
            "flatten",
            "rest",
            "skip_if",
            "skip_serializing_if",
        ],
        ("field", "variant"),
        errors,
    );
}

fn misplaced(part: &Part, words: &[&str], (place, here): (&str, &str), errors: &mut Errors) {
    for (word, span) in part
        .words
        .iter()
        .filter(|(word, _)| words.contains(&word.as_str()))
    {
        errors.push(
            Ident::new(word, *span),
            format_args!(
                "`{word}` is for a {place}, and means nothing for a {here}\nhelp: remove it"
            ),
        );
    }
}

/// The fields without names of a struct or variant.
pub(super) fn positions(
    fields: &Punctuated<Field, Token![,]>,
    errors: &mut Errors,
) -> Vec<Position> {
    let mut all = Vec::new();
    for field in fields {
        let part = document::part(&field.attrs, field.ident.as_ref(), errors);
        for (given, word) in [
            (part.flatten.is_some(), "flatten"),
            (part.skip_if.is_some(), "skip_serializing_if"),
        ] {
            if given {
                errors.push(
                    field,
                    format_args!("a field without a name has a position, which `{word}` would move\nhelp: give the fields names"),
                );
            }
        }
        unread(&part, "a field without one", &OF_NAMED, errors);
        of_variants(&part, errors);
        let codec = codec(&part, &field.ty, "a field without a name", errors);
        all.push(Position::new(field, part, codec));
    }
    all
}

/// The default of a field that is the whole's.
fn of_whole(default: &Absent, field: &TokenStream) -> Absent {
    let whole = match default {
        Absent::Default(span) => {
            quote::quote_spanned!(*span=> <Self as ::core::default::Default>::default())
        }
        Absent::Value(_) => default.to_token_stream(),
        // Not by the type that it is for, because that is the field's.
        Absent::Function(path) => quote::quote!(#path()),
    };
    Absent::Value(Box::new(
        syn::parse_quote!(::core::convert::identity(#whole.#field)),
    ))
}
