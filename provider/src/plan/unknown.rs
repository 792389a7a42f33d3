//! Values that the provider decides while a change is applied.

use std::convert::Infallible;

use upstate::schema::Block;
use upstate::{AttributeNames, Value};

use super::unset;

/// Makes unknown what is computed and not configured; what `stable` names keeps the value it has,
/// at any depth: `"id"`, `"rules.id"`.
///
/// Terraform proposes for what is computed what was there before.
pub(super) fn mark(
    block: &Block,
    config: &Value,
    prior: &Value,
    planned: &mut Value,
    (stable, paths): (&[&str], &[AttributeNames]),
) {
    // What is planned where nothing was before is not kept, but made up.
    let (stable, paths) = if prior.is_null() {
        (&[][..], &[][..])
    } else {
        (stable, paths)
    };
    let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
    let Ok(()) = unset::each(block, config, planned, |at, attribute, place| {
        let keeps = !place.is_null()
            && stable
                .iter()
                .copied()
                .chain(paths.iter().map(String::as_str))
                .any(|path| path.strip_prefix(at) == Some(attribute.name()));
        if !attribute.has_default() && !keeps {
            *place = Value::Unknown;
        }
        Ok::<(), Infallible>(())
    });
}

/// A configuration in which everything that has a value though the user wrote none is unknown, for
/// the purpose of making a model.
pub(crate) fn with_unset_unknown(block: &Block, config: &Value) -> Value {
    let mut value = config.clone();
    let Ok(()) = unset::each(block, config, &mut value, |_, _, place| {
        if place.is_null() {
            *place = Value::Unknown;
        }
        Ok::<(), Infallible>(())
    });
    value
}
