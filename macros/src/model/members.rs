//! Fields, as attributes and blocks.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Field, GenericArgument, Lit, Path, PathArguments, Token, Type};

use super::types::{
    innermost, inside, is_called, is_container, is_string, literal_of, may_hold_objects,
    names_type, noun_of, spelt,
};
use super::{Codec, Derive, Facts, Flags, Member, Role, names, placement, plan};
use crate::attr::{
    self, ATTRIBUTE, AttributeOptions, BLOCK, BlockOptions, Flag, Given, Options, value_of,
};
use crate::errors::{Errors, line, position};

/// The members of a struct, in the byte order of their names; those with mistakes are left out.
pub(super) fn lower(
    derive: Derive,
    owner: &Ident,
    fields: &Punctuated<Field, Token![,]>,
    errors: &mut Errors,
) -> Vec<Member> {
    let mut members = Vec::new();
    let mut stored = BTreeMap::new();
    for field in fields {
        let Some(ident) = &field.ident else { continue };
        placement::field(&field.attrs, errors);
        recursion(owner, &field.ty, errors);
        let Some((member, place)) = member(derive, owner, ident, field, errors) else {
            continue;
        };
        if matches!(member.role, Role::Block { .. }) {
            no_blocks(&field.ty, errors);
        }
        if let Some((other, first)) = stored.insert(member.name.clone(), (ident, line(ident))) {
            errors.push(
                place,
                format_args!(
                    "two fields are stored as `{}`\nhelp: give one of the two another name\nnote: the other is `{other}` on line {first}",
                    member.name
                ),
            );
        }
        members.push(member);
    }
    members.sort_by(|left, right| left.name.cmp(&right.name));
    members
}

/// One member, and the tokens that its name comes from.
pub(super) fn member(
    derive: Derive,
    owner: &Ident,
    ident: &Ident,
    field: &Field,
    errors: &mut Errors,
) -> Option<(Member, TokenStream)> {
    let attribute = attr::options::<AttributeOptions>(&ATTRIBUTE, &field.attrs, errors);
    let block = attr::options::<BlockOptions>(&BLOCK, &field.attrs, errors);
    let mut facts = Facts::default();
    let (helper, name, deprecated, nested, role) = match (attribute, block) {
        (
            Options { path: Some(_), .. },
            Options {
                path: Some(path), ..
            },
        ) => {
            errors.push(
                path,
                format_args!(
                    "a field is an attribute or nested blocks, not both\nhelp: keep `#[block(…)]` if `{ident}` holds blocks, `#[attribute(…)]` if not"
                ),
            );
            return None;
        }
        (
            _,
            Options {
                path: Some(_),
                mut given,
                ..
            },
        ) => {
            facts.checks_of_blocks(&mut given, &field.ty, errors);
            let (min, max) = limits(given.min, given.max, &field.ty, errors);
            let role = Role::Block {
                min,
                max,
                set: block_set(given.set, &field.ty, errors),
            };
            facts.renamed_from(given.renamed_from, errors);
            facts.allowed(given.allow, false, errors);
            let nested = plan::nested(
                plan::PlanOptions {
                    plan: given.plan,
                    paths: given.paths,
                },
                &field.ty,
                errors,
            );
            (BLOCK.name, given.name, given.deprecated, nested, role)
        }
        (
            Options {
                given: mut options, ..
            },
            _,
        ) => {
            let (name, deprecated) = (options.name.take(), options.deprecated.take());
            let codec = codec(&mut options, &field.ty, errors);
            let given_plan = plan::PlanOptions {
                plan: options.plan.take(),
                paths: options.paths.take(),
            };
            let nested = plan::nested(given_plan, &field.ty, errors);
            if let (Some(write_only), Some(default)) = (&options.write_only, &options.default) {
                let help = "remove `default`; no value is stored, so the provider puts it in where it uses the field";
                exclusive(&write_only.key, &default.key, help, errors);
            }
            if !matches!(codec, Codec::Module(_)) {
                two_nulls(&field.ty, errors);
            }
            if matches!(codec, Codec::Own) {
                without_a_form(&field.ty, errors);
            }
            let (named, required) = ((ident, &field.ty), options.required.as_ref());
            let default = options.default.take();
            let default =
                default.and_then(|given| constant(given, named, required, &codec, errors));
            let api_default = options.api_default.take();
            let api_default =
                api_default.and_then(|given| constant(given, named, required, &codec, errors));
            facts.api_default = api_default.map(Box::new);
            facts.renamed_from(options.renamed_from.take(), errors);
            facts.format(options.format.take(), options.accepts.take(), errors);
            facts.allowed(std::mem::take(&mut options.allow), false, errors);
            facts.checks(&mut options, &field.ty, &codec, errors);
            if let Codec::Text | Codec::OptionalText = codec {
                facts.read_as(&field.ty);
            }
            let flags = flags(options, ident, &field.ty, errors);
            (
                ATTRIBUTE.name,
                name,
                deprecated,
                nested,
                Role::Attribute {
                    flags,
                    codec,
                    default: default.map(Box::new),
                },
            )
        }
    };
    let deprecated = facts.deprecation(deprecated, Some(derive), errors);
    let (name, place) = names::member_name(derive, owner, helper, ident, name, errors)?;
    let description = attr::description(&field.attrs);
    Some((
        Member {
            ident: ident.clone(),
            ty: field.ty.clone(),
            name,
            description,
            deprecated,
            facts,
            opaque: false,
            role,
            nested,
        },
        place,
    ))
}

/// Refuses types that nothing is stored of, as their tokens tell.
fn without_a_form(ty: &Type, errors: &mut Errors) {
    let inner = innermost(ty);
    match inner {
        // Not of another lifetime, because that is a parameter of the struct, which is refused
        // itself.
        Type::Reference(reference)
            if reference
                .lifetime
                .as_ref()
                .is_none_or(|lifetime| lifetime.ident == "static") =>
        {
            let owned = match &*reference.elem {
                Type::Slice(slice) => format!("Vec<{}>", spelt(&slice.elem)),
                other if is_called("str", other) => "String".to_owned(),
                other => spelt(other),
            };
            let message = format!(
                "a reference cannot be stored as an attribute, since a model owns its values [U0006]\nhelp: write `{owned}`"
            );
            errors.push(inner, message);
        }
        Type::FnPtr(_) => errors.push(
            inner,
            "a function cannot be stored as an attribute [U0006]\nhelp: remove the field",
        ),
        Type::TraitObject(_) => {
            errors.push(inner, "a `dyn` type cannot be stored as an attribute, since state does not tell which it is [U0006]\nhelp: name a type, or remove the field");
        }
        _ => {}
    }
}

/// Refuses blocks of a type that holds none, as its tokens tell.
fn no_blocks(ty: &Type, errors: &mut Errors) {
    // A struct of the author's may be called so, too.
    let may_be_struct = ["Number", "Dynamic"]
        .into_iter()
        .any(|name| is_called(name, innermost(ty)));
    // One that is called as a collection is has no types between angle brackets.
    let has_types = |ty: &Type| !std::ptr::eq(innermost(ty), ty);
    let is_collection = |ty: &&Type| is_container(ty) && !is_called("Option", ty) && has_types(ty);
    if !may_be_struct && !may_hold_objects(ty) {
        let written = spelt(ty);
        errors.push(
            ty,
            format_args!(
                "`#[block]` is for structs that derive `Object`, and `{written}` holds none\nhelp: remove `#[block]`, which leaves an attribute"
            ),
        );
    } else if let Some(inner) = inside("Option", ty).filter(is_collection) {
        let written = spelt(inner);
        errors.push(
            ty,
            format_args!("a collection of blocks is empty where there are none, and never null\nhelp: write `{written}`"),
        );
    }
}

fn limits(
    min: Option<Given<attr::Count>>,
    max: Option<Given<attr::Count>>,
    ty: &Type,
    errors: &mut Errors,
) -> (u64, u64) {
    let (min, max) = (value_of(min, errors), value_of(max, errors));
    let of_map = ["BTreeMap", "HashMap"]
        .into_iter()
        .any(|map| is_called(map, ty));
    for (key, count) in [("min", &min), ("max", &max)]
        .into_iter()
        .filter_map(|(key, count)| Some((key, count.as_ref()?)))
    {
        let number = count.number;
        if of_map {
            errors.push(
                &count.literal,
                format_args!(
                    "`{key}` counts blocks in a list or set, and these are in a map, which Terraform does not count\nhelp: remove `{key} = {number}`"
                ),
            );
        } else if number > 1 && inside("Option", ty).is_some() {
            errors.push(
                &count.literal,
                format_args!("`{key} = {number}` does not fit an `Option`, which holds at most one block\nhelp: write `{key} = 1`, or make the type a `Vec`"),
            );
        }
    }
    if let Some(max) = &max {
        match &min {
            _ if max.number == 0 => {
                errors.push(
                    &max.literal,
                    "`max = 0` would allow no block at all\nhelp: leave `max` out for no limit",
                );
            }
            Some(min) if min.number > max.number => {
                let (min, max_number) = (min.number, max.number);
                errors.push(
                    &max.literal,
                    format_args!("`max = {max_number}` is below `min = {min}`\nhelp: write `max = {min}` or more"),
                );
            }
            _ => {}
        }
    }
    (
        min.map_or(0, |min| min.number),
        max.map_or(0, |max| max.number),
    )
}

/// True if blocks in a `Vec` are a set. Sets need not be marked.
fn block_set(set: Option<Given<Flag>>, ty: &Type, errors: &mut Errors) -> bool {
    let Some(key) = flag_key(set, errors) else {
        return false;
    };
    if inside("Vec", ty).is_none() {
        errors.push(&key, "`set` is for blocks in a `Vec<…>`\nhelp: remove it; a `BTreeSet` or `HashSet` is a set by itself");
    }
    true
}

fn flags(options: AttributeOptions, ident: &Ident, ty: &Type, errors: &mut Errors) -> Flags {
    let [
        required,
        optional,
        computed,
        sensitive,
        write_only,
        requires_replace,
    ] = [
        options.required,
        options.optional,
        options.computed,
        options.sensitive,
        options.write_only,
        options.requires_replace,
    ]
    .map(|flag| flag_key(flag, errors));
    if let Some(required) = &required {
        if let Some(optional) = &optional {
            let help = "keep `required` if the user must set it, `optional` if they may";
            exclusive(required, optional, help, errors);
        } else if let Some(computed) = &computed {
            let help = "keep `required` if the user must set it, `computed` if the provider does";
            exclusive(required, computed, help, errors);
        } else if write_only.is_none() && inside("Option", ty).is_some() {
            errors.push(
                required,
                format_args!(
                    "`{ident}` is an `Option`, so it cannot be `required`\nhelp: remove `required`, or take the `Option` off the type"
                ),
            );
        }
    }
    if let Some(write_only) = &write_only {
        if let Some(computed) = &computed {
            exclusive(
                write_only,
                computed,
                "keep `computed` if the provider sets it and it has to be stored",
                errors,
            );
        } else if inside("Option", ty).is_none() {
            errors.push(
                ty,
                format_args!(
                    "`{ident}` is `write_only`, so it is stored as null, which this type has no value for\nhelp: make the type an `Option`"
                ),
            );
        }
    }
    Flags {
        required: required.is_some(),
        optional: optional.is_some(),
        computed: computed.is_some(),
        sensitive: sensitive.is_some(),
        write_only: write_only.is_some(),
        requires_replace: requires_replace.is_some(),
        filled_in: false,
    }
}

fn codec(options: &mut AttributeOptions, ty: &Type, errors: &mut Errors) -> Codec {
    let set = flag_key(options.set.take(), errors);
    let as_string = flag_key(options.as_string.take(), errors);
    let with = options
        .with
        .take()
        .and_then(|given| Some((given.key, errors.take(given.value)?.0)));
    let mut keys: Vec<&Path> = [
        set.as_ref(),
        as_string.as_ref(),
        with.as_ref().map(|(key, _)| key),
    ]
    .into_iter()
    .flatten()
    .collect();
    keys.sort_by_key(|key| position(key.span()));
    if let [first, second, ..] = keys[..] {
        exclusive(
            first,
            second,
            "keep the one that says how the field is stored",
            errors,
        );
    } else if let Some(set) = set {
        if inside("Option", ty).is_some_and(|ty| inside("Vec", ty).is_some()) {
            return Codec::OptionalSet;
        }
        if inside("Vec", ty).is_none() {
            errors.push(
                set,
                "`set` is for a field of the type `Vec<…>` or `Option<Vec<…>>`\nhelp: remove it; a `BTreeSet` or `HashSet` is a set by itself",
            );
        }
        return Codec::Set;
    } else if as_string.is_some() {
        return if inside("Option", ty).is_some() {
            Codec::OptionalText
        } else {
            Codec::Text
        };
    }
    with.map_or(Codec::Own, |(_, module)| Codec::Module(module))
}

/// The value of `default` or `api_default`.
fn constant(
    given: Given<Expr>,
    field: (&Ident, &Type),
    required: Option<&Given<Flag>>,
    codec: &Codec,
    errors: &mut Errors,
) -> Option<Expr> {
    let Given { key, value } = given;
    let word = attr::spelt(&key);
    if let Some(Given { key: required, .. }) = required {
        exclusive(
            required,
            &key,
            &format!("keep `{word}` if the user may leave the attribute out"),
            errors,
        );
    }
    if let Codec::Text | Codec::OptionalText | Codec::Module(_) = codec {
        errors.push(
            &key,
            format_args!(
                "`{word}` is for a field that is stored as its own type\nhelp: remove `{word}`, or the option that changes the stored form"
            ),
        );
    }
    let value = errors.take(value)?;
    if matches!(codec, Codec::Own)
        && let Some(message) = of_another_kind(&word, field, &value)
    {
        errors.push(&value, message);
        return None;
    }
    Some(value)
}

/// The mistake of a literal that a field of a plain type cannot hold; the compiler finds others.
fn of_another_kind(word: &str, (ident, ty): (&Ident, &Type), value: &Expr) -> Option<String> {
    let ty = inside("Option", ty).unwrap_or(ty);
    let Expr::Lit(ExprLit { lit, .. }) = value else {
        return None;
    };
    match lit {
        Lit::Str(text) => {
            let noun = noun_of(ty)?;
            let written = literal_of(ty, &text.value()).unwrap_or_else(|| "…".to_owned());
            Some(format!(
                "`{ident}` is {noun}, and its `{word}` is a string\nhelp: write `{word} = {written}`, without quotes"
            ))
        }
        Lit::Int(_) | Lit::Float(_) if is_string(ty) => Some(format!(
            "`{ident}` is a string, and its `{word}` is a number\nhelp: write `{word} = \"{}\"`",
            lit.to_token_stream()
        )),
        _ => None,
    }
}

/// Refuses the later of two options that exclude each other.
fn exclusive(one: &Path, other: &Path, help: &str, errors: &mut Errors) {
    let (first, second) = if position(one.span()) <= position(other.span()) {
        (one, other)
    } else {
        (other, one)
    };
    let message = format!(
        "an attribute cannot be both `{}` and `{}` [U0015]\nhelp: {help}",
        attr::spelt(first),
        attr::spelt(second)
    );
    errors.push(second, message);
}

fn flag_key(flag: Option<Given<Flag>>, errors: &mut Errors) -> Option<Path> {
    let Given { key, value } = flag?;
    errors.take(value).map(|Flag| key)
}

/// Refuses a type that has the struct itself inside: its schema would have no end.
fn recursion(owner: &Ident, ty: &Type, errors: &mut Errors) {
    if names_type(owner, ty.to_token_stream()) {
        errors.push(
            ty,
            format_args!(
                "`{owner}` is inside itself, and a schema has a fixed depth\nhelp: write a struct for each level, or store the inner levels as a string of JSON"
            ),
        );
    }
}

/// Refuses an `Option` of a type that is null itself, as far as can be seen from how it is written.
/// The runtime refuses the others, which the compiler shows at the runtime's own source.
pub(super) fn null_itself(ty: &Type, errors: &mut Errors) {
    let Some(inner) = inside("Option", ty).map(spelt) else {
        return;
    };
    let (null, note) = match inner.trim_start_matches("::") {
        "()" => (
            "()",
            "with `#[serde(default)]` above the field, it may be missing",
        ),
        "serde_json::Value" => (
            "Value::Null",
            "`#[attribute(json)]` above the field keeps the `Option`, in which null and a missing value are `None`, as for serde",
        ),
        _ => return,
    };
    errors.push(
        ty,
        format_args!("state has one null, so `Some({null})` would be read back as `None` [U0014]\nhelp: write `{inner}`\nnote: {note}"),
    );
}

/// Refuses an `Option` in an `Option`: state has one null for both.
pub(super) fn two_nulls(ty: &Type, errors: &mut Errors) {
    if let Some(innermost) = inside("Option", ty).and_then(|inner| inside("Option", inner)) {
        let innermost = innermost.to_token_stream();
        errors.push(
            ty,
            format_args!(
                "state has one null, so `Some(None)` would be read back as `None` [U0014]\nhelp: write `Option<{innermost}>`; two kinds of null need a separate attribute"
            ),
        );
        return;
    }
    match ty {
        Type::Path(path) => {
            let arguments =
                path.path
                    .segments
                    .iter()
                    .filter_map(|segment| match &segment.arguments {
                        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
                        PathArguments::None | PathArguments::Parenthesized(_) => None,
                    });
            for argument in arguments.flatten() {
                if let GenericArgument::Type(inner) = argument {
                    two_nulls(inner, errors);
                }
            }
        }
        Type::Tuple(tuple) => tuple
            .elems
            .iter()
            .for_each(|element| two_nulls(element, errors)),
        Type::Group(group) => two_nulls(&group.elem, errors),
        Type::Paren(paren) => two_nulls(&paren.elem, errors),
        _ => {}
    }
}
