//! Helper attributes in places where they mean nothing.

use syn::{Attribute, DeriveInput};

use super::Derive;
use crate::attr::{ALL, ATTRIBUTE, BLOCK, OBJECT, RESOURCE, Spec, UPGRADE_FROM};
use crate::errors::Errors;

/// Which helper attribute `attribute` is.
fn helper(attribute: &Attribute) -> Option<&'static Spec> {
    ALL.into_iter().find(|spec| attribute.path().is_ident(spec.name))
}

/// Refuses helper attributes on the struct that belong elsewhere.
pub(super) fn container(derive: Derive, input: &DeriveInput, errors: &mut Errors) {
    let own: &[&Spec] = match derive {
        Derive::Resource => &[&RESOURCE, &UPGRADE_FROM],
        Derive::Object => &[&OBJECT],
    };
    for attribute in &input.attrs {
        let Some(spec) = helper(attribute) else { continue };
        let name = spec.name;
        if own.iter().any(|own| own.name == name) {
            continue;
        }
        let struct_name = &input.ident;
        let message = if name == ATTRIBUTE.name || name == BLOCK.name {
            format!("`#[{name}]` belongs on a field, not on the struct")
        } else {
            let (here, there, help) = match derive {
                Derive::Resource => ("Resource", "Object", "give its options to `#[resource(…)]`".to_owned()),
                Derive::Object => (
                    "Object",
                    "Resource",
                    "remove it; a nested object is stored and upgraded as part of its resource".to_owned(),
                ),
            };
            format!("`#[{name}]` belongs to `derive({there})`, but `{struct_name}` derives `{here}`\nhelp: {help}")
        };
        errors.push(attribute.path(), message);
    }
}

/// Refuses helper attributes on a field that belong on the struct.
pub(super) fn field(attributes: &[Attribute], errors: &mut Errors) {
    for attribute in attributes {
        if let Some(spec) = helper(attribute)
            && ![ATTRIBUTE.name, BLOCK.name].contains(&spec.name)
        {
            errors.push(
                attribute.path(),
                format_args!("`#[{}]` belongs on the struct, not on a field", spec.name),
            );
        }
    }
}
