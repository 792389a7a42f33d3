//! Defaults: what an attribute holds if the configuration says nothing.

use upstate::codec::UnknownAttributes;
use upstate::schema::{Attribute, Block};
use upstate::{Diagnostic, Diagnostics, Value};

use super::unset;

/// Puts in the defaults of what the user left out; not in what the provider made.
pub(super) fn apply(block: &Block, config: &Value, planned: &mut Value) -> Result<(), Diagnostics> {
    unset::each(block, config, planned, |_, attribute, place| {
        if let Some(json) = attribute.default_json() {
            *place = default(attribute, &json)?;
        }
        Ok(())
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
