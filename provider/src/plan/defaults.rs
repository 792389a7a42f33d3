//! Defaults: what an attribute holds if the configuration says nothing.

use upstate::codec::UnknownAttributes;
use upstate::schema::{Attribute, Block};
use upstate::{Diagnostics, Value};

use super::unset;
use crate::diagnostics;

/// Puts in the defaults of what the user left out; not in what the provider made.
pub(super) fn apply(block: &Block, config: &Value, planned: &mut Value) -> Result<(), Diagnostics> {
    unset::each(block, config, planned, |_, attribute, place| {
        if let Some(json) = attribute.default_json() {
            *place = default(attribute, &json)?;
        }
        Ok(())
    })
}

/// The value of a default, which is written as JSON.
pub(super) fn default(attribute: &Attribute, json: &str) -> Result<Value, Diagnostics> {
    Value::from_json(
        json.as_bytes(),
        &attribute.implied_type(),
        UnknownAttributes::Deny,
    )
    .map_err(|error| diagnostics::invalid_default(attribute.name(), &error.problem()).into())
}
