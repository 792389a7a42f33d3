//! What the provider will decide while a change is applied, and nobody knows before.

use std::convert::Infallible;

use upstate::Value;
use upstate::schema::{Attribute, Block, Presence};

use super::nested::{Members, each_nested, member};

/// Makes unknown what is computed and not configured; `stable` attributes of the resource keep the value they have.
pub(super) fn mark(block: &Block, config: &Value, prior: &Value, planned: &mut Value, stable: &[&str]) {
    let keeps = |name: &str| stable.contains(&name) && !member(prior, name).is_null();
    members(Members::Block(block), config, planned, &keeps);
}

/// Whether the provider may set the attribute.
pub(super) fn is_computed(attribute: &Attribute) -> bool {
    matches!(attribute.presence(), Presence::Computed | Presence::OptionalComputed)
}

fn members(of: Members<'_>, config: &Value, planned: &mut Value, keeps: &dyn Fn(&str) -> bool) {
    if planned.as_map().is_none() {
        return;
    }
    for attribute in of.attributes() {
        let decided = attribute.default_json().is_some() || keeps(attribute.name());
        if is_computed(attribute)
            && !decided
            && member(config, attribute.name()).is_null()
            && let Some(members) = planned.as_map_mut()
        {
            members.insert(attribute.name().to_owned(), Value::Unknown);
        }
    }
    let Ok(()) = each_nested(of, config, planned, |inner, config, element| {
        if !config.is_null() {
            members(inner, config, element, &|_| false);
        }
        Ok::<(), Infallible>(())
    });
}
