//! Defaults: what an attribute holds if the configuration says nothing.

use upstate::codec::UnknownAttributes;
use upstate::schema::{Attribute, Block};
use upstate::{Diagnostic, Diagnostics, Value};

use super::nested::{Members, each_nested, member};

pub(super) fn apply(block: &Block, config: &Value, planned: &mut Value) -> Result<(), Diagnostics> {
    members(Members::Block(block), config, planned)
}

fn members(of: Members<'_>, config: &Value, planned: &mut Value) -> Result<(), Diagnostics> {
    if planned.as_map().is_none() {
        return Ok(());
    }
    for attribute in of.attributes() {
        if member(config, attribute.name()).is_null()
            && let Some(json) = attribute.default_json()
            && let Some(members) = planned.as_map_mut()
        {
            members.insert(attribute.name().to_owned(), default(attribute, &json)?);
        }
    }
    each_nested(of, config, planned, |_, inner, config, element| {
        // Defaults stand in for what a user left out, not in what the provider made.
        if config.is_null() { Ok(()) } else { members(inner, config, element) }
    })
}

fn default(attribute: &Attribute, json: &str) -> Result<Value, Diagnostics> {
    Value::from_json(json.as_bytes(), &attribute.implied_type(), UnknownAttributes::Deny).map_err(|error| {
        let name = attribute.name();
        let detail =
            format!("The default of {name} is not one of its values: {}. This is a mistake in the provider.", error.problem());
        Diagnostic::error("Invalid Default", detail).into()
    })
}
