//! Helper attributes in places where they mean nothing.

use quote::ToTokens;
use syn::{Attribute, Data, DeriveInput, Meta};

use super::Derive;
use crate::attr::{
    ATTRIBUTE, BLOCK, DOCUMENT, MOVE_FROM, OBJECT, RESOURCE, STRING_ENUM, Spec, UPGRADE_FROM, VALUE,
};
use crate::errors::Errors;

/// Those of the struct or enum itself.
const CONTAINER: [&Spec; 5] = [&RESOURCE, &UPGRADE_FROM, &MOVE_FROM, &OBJECT, &STRING_ENUM];
/// Those of its fields or variants.
const PARTS: [&Spec; 3] = [&ATTRIBUTE, &BLOCK, &VALUE];

fn find(specs: &[&'static Spec], attribute: &Attribute) -> Option<&'static Spec> {
    specs
        .iter()
        .copied()
        .find(|spec| attribute.path().is_ident(spec.name))
}

impl Derive {
    /// The derive that a container attribute belongs to.
    fn of(spec: &Spec) -> Self {
        match spec.name {
            "object" => Self::Object,
            "string_enum" => Self::StringEnum,
            _ => Self::Resource,
        }
    }

    /// Its own attribute for options.
    fn helper(self) -> &'static str {
        match self {
            Self::Resource => RESOURCE.name,
            Self::Object => OBJECT.name,
            Self::StringEnum => STRING_ENUM.name,
            Self::Document => DOCUMENT.name,
            Self::Union => "union",
        }
    }
}

/// The attributes that people write in place of `upgrade_from`.
const UPGRADE: &str = "upgrade";
const DOWNGRADE: &str = "downgrade_to";

/// Refuses what other tools, and the other derives, call the attributes of a document.
pub(super) fn document(input: &DeriveInput, errors: &mut Errors) {
    upgrades(input, errors);
    for attribute in input
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident(RESOURCE.name))
    {
        // Because other crates have derives with an attribute of this name.
        let mut is_ours = matches!(attribute.meta, Meta::Path(_));
        let read = attribute.parse_nested_meta(|meta| {
            is_ours |= meta
                .path
                .get_ident()
                .is_some_and(|word| RESOURCE.has(&word.to_string()));
            Err(meta.error(""))
        });
        if read.is_err() && !is_ours {
            continue;
        }
        other_derive(
            attribute,
            (Derive::Document, Derive::Resource),
            input,
            errors,
        );
    }
    let Data::Struct(data) = &input.data else {
        return;
    };
    for attribute in data
        .fields
        .iter()
        .flat_map(|field| &field.attrs)
        .filter(|attribute| attribute.path().is_ident(BLOCK.name))
    {
        errors.push(
            attribute.path(),
            format_args!(
                "`#[block]` belongs to `derive(Resource)`, but `{}` derives `Document`\nhelp: remove `#[block]`; a document needs none for such a list",
                input.ident
            ),
        );
    }
}

/// Refuses the options of another derive.
fn other_derive(
    attribute: &Attribute,
    (here, there): (Derive, Derive),
    input: &DeriveInput,
    errors: &mut Errors,
) {
    let (ident, options) = (&input.ident, arguments(attribute));
    errors.push(
        attribute.path(),
        format_args!(
            "`#[{}]` belongs to `derive({})`, but `{ident}` derives `{}`\nhelp: write `#[{}{options}]`",
            there.helper(),
            there.name(),
            here.name(),
            here.helper()
        ),
    );
}

/// Refuses other names of `upgrade_from`.
fn upgrades(input: &DeriveInput, errors: &mut Errors) {
    for attribute in &input.attrs {
        if attribute.path().is_ident(UPGRADE) {
            errors.push(
                attribute.path(),
                format_args!(
                    "`#[{UPGRADE}]` is not an attribute of upstate\nhelp: write `#[upgrade_from{}]`",
                    arguments(attribute)
                ),
            );
        } else if attribute.path().is_ident(DOWNGRADE) {
            errors.push(
                attribute.path(),
                format_args!(
                    "`#[{DOWNGRADE}]` is not an attribute of upstate: a downgrade runs the upgraders backwards\nhelp: remove `#[{DOWNGRADE}{}]`; the inverse of a function is an option of its upgrader, `downgrade = path`",
                    arguments(attribute)
                ),
            );
        }
    }
}

/// The parentheses of an attribute, with the tokens in them.
fn arguments(attribute: &Attribute) -> String {
    match &attribute.meta {
        Meta::List(list) => format!("({})", list.tokens),
        Meta::NameValue(value) => format!(" = {}", value.value.to_token_stream()),
        Meta::Path(_) => String::new(),
    }
}

/// Refuses helper attributes on the struct or enum that belong elsewhere.
pub(super) fn container(derive: Derive, input: &DeriveInput, errors: &mut Errors) {
    if derive == Derive::Resource {
        upgrades(input, errors);
    }
    for attribute in &input.attrs {
        if attribute.path().is_ident(DOCUMENT.name) {
            other_derive(attribute, (derive, Derive::Document), input, errors);
        } else if let Some(spec) = find(&CONTAINER, attribute) {
            let owner = Derive::of(spec);
            if owner == derive || spec.name == UPGRADE_FROM.name && derive == Derive::Object {
                continue;
            }
            let (here, there, ident, name) = (derive.name(), owner.name(), &input.ident, spec.name);
            let help = match owner {
                Derive::Resource if spec.name == MOVE_FROM.name => {
                    "write it on the resource that it is part of".to_owned()
                }
                Derive::Resource => "remove it; only a resource has versions".to_owned(),
                _ => format!("write `#[{}(…)]`", derive.helper()),
            };
            errors.push(
                attribute.path(),
                format_args!("`#[{name}]` belongs to `derive({there})`, but `{ident}` derives `{here}`\nhelp: {help}"),
            );
        } else if let Some(spec) = find(&PARTS, attribute)
            .filter(|spec| (spec.name == VALUE.name) == (derive == Derive::StringEnum))
        {
            let (part, whole) = if derive == Derive::StringEnum {
                ("variant", "enum")
            } else {
                ("field", "struct")
            };
            errors.push(
                attribute.path(),
                format_args!(
                    "`#[{}]` belongs on a {part}, not on the {whole}\nhelp: move it above the {part} that it is about",
                    spec.name
                ),
            );
        }
    }
}

/// Refuses helper attributes on a field that belong on the struct.
pub(super) fn field(attributes: &[Attribute], errors: &mut Errors) {
    for attribute in attributes {
        if let Some(spec) = find(&[&RESOURCE, &UPGRADE_FROM, &MOVE_FROM, &OBJECT], attribute) {
            errors.push(
                attribute.path(),
                format_args!(
                    "`#[{}]` belongs on the struct, not on a field\nhelp: move it above the struct",
                    spec.name
                ),
            );
        }
    }
}

/// Refuses helper attributes on a variant that belong on the enum or on a field.
pub(super) fn variant(attributes: &[Attribute], errors: &mut Errors) {
    for attribute in attributes {
        if let Some(spec) = find(&[&ATTRIBUTE, &BLOCK], attribute) {
            errors.push(
                attribute.path(),
                format_args!(
                    "`#[{}]` belongs on a field of a struct\nhelp: write `#[value(name = \"…\")]`",
                    spec.name
                ),
            );
        } else if let Some(spec) = find(&[&STRING_ENUM], attribute) {
            errors.push(
                attribute.path(),
                format_args!(
                    "`#[{}]` belongs on the enum, not on a variant\nhelp: move it above the enum",
                    spec.name
                ),
            );
        }
    }
}
