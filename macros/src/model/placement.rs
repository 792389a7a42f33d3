//! Helper attributes in places where they mean nothing.

use syn::{Attribute, DeriveInput};

use super::Derive;
use crate::attr::{ATTRIBUTE, BLOCK, DOCUMENT, MOVE_FROM, OBJECT, RESOURCE, STRING_ENUM, Spec, UPGRADE_FROM, VALUE};
use crate::errors::Errors;

/// Those of the struct or enum itself.
const CONTAINER: [&Spec; 5] = [&RESOURCE, &UPGRADE_FROM, &MOVE_FROM, &OBJECT, &STRING_ENUM];
/// Those of its fields or variants.
const PARTS: [&Spec; 3] = [&ATTRIBUTE, &BLOCK, &VALUE];

fn find(specs: &[&'static Spec], attribute: &Attribute) -> Option<&'static Spec> {
    specs.iter().copied().find(|spec| attribute.path().is_ident(spec.name))
}

impl Derive {
    fn name(self) -> &'static str {
        match self {
            Self::Resource => "Resource",
            Self::Object => "Object",
            Self::StringEnum => "StringEnum",
            Self::Document => "Document",
            Self::Union => "Union",
        }
    }

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

/// Refuses helper attributes on the struct or enum that belong elsewhere.
pub(super) fn container(derive: Derive, input: &DeriveInput, errors: &mut Errors) {
    for attribute in &input.attrs {
        if let Some(spec) = find(&CONTAINER, attribute) {
            let owner = Derive::of(spec);
            if owner == derive || spec.name == UPGRADE_FROM.name && derive == Derive::Object {
                continue;
            }
            let (here, there, ident, name) = (derive.name(), owner.name(), &input.ident, spec.name);
            let help = match owner {
                Derive::Resource if spec.name == MOVE_FROM.name => "write it on the resource that it is part of".to_owned(),
                Derive::Resource => "remove it; only a resource has versions".to_owned(),
                _ => format!("write `#[{}(…)]`", derive.helper()),
            };
            errors.push(
                attribute.path(),
                format_args!("`#[{name}]` belongs to `derive({there})`, but `{ident}` derives `{here}`\nhelp: {help}"),
            );
        } else if let Some(spec) =
            find(&PARTS, attribute).filter(|spec| (spec.name == VALUE.name) == (derive == Derive::StringEnum))
        {
            let (part, whole) = if derive == Derive::StringEnum { ("variant", "enum") } else { ("field", "struct") };
            errors.push(attribute.path(), format_args!("`#[{}]` belongs on a {part}, not on the {whole}", spec.name));
        }
    }
}

/// Refuses helper attributes on a field that belong on the struct.
pub(super) fn field(attributes: &[Attribute], errors: &mut Errors) {
    for attribute in attributes {
        if let Some(spec) = find(&[&RESOURCE, &UPGRADE_FROM, &MOVE_FROM, &OBJECT], attribute) {
            errors.push(attribute.path(), format_args!("`#[{}]` belongs on the struct, not on a field", spec.name));
        }
    }
}

/// Refuses helper attributes on a variant that belong on the enum or on a field.
pub(super) fn variant(attributes: &[Attribute], errors: &mut Errors) {
    for attribute in attributes {
        if let Some(spec) = find(&[&ATTRIBUTE, &BLOCK], attribute) {
            errors.push(
                attribute.path(),
                format_args!("`#[{}]` belongs on a field of a struct\nhelp: write `#[value(name = \"…\")]`", spec.name),
            );
        } else if let Some(spec) = find(&[&STRING_ENUM], attribute) {
            errors.push(attribute.path(), format_args!("`#[{}]` belongs on the enum, not on a variant", spec.name));
        }
    }
}
