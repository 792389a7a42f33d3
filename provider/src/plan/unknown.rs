//! What the provider will decide while a change is applied, and nobody knows before.

use std::convert::Infallible;

use upstate::Value;
use upstate::schema::{Attribute, Block, Presence};

use super::nested::{Members, each_nested, member};

/// Makes unknown what is computed and not configured; what `stable` names keeps the value it has, at any depth: `"id"`, `"rules.id"`.
pub(super) fn mark(block: &Block, config: &Value, prior: &Value, planned: &mut Value, stable: &[&str]) {
    // What is planned where nothing was before is not kept, but made up.
    let stable = if prior.is_null() { &[] } else { stable };
    members(Members::Block(block), config, planned, "", stable);
}

/// Whether the provider may set the attribute.
pub(super) fn is_computed(attribute: &Attribute) -> bool {
    matches!(attribute.presence(), Presence::Computed | Presence::OptionalComputed)
}

/// Terraform proposes for what is computed what was there before, in elements of lists and maps by their index or key, and in those of sets by
/// what is configured of them.
fn members(of: Members<'_>, config: &Value, planned: &mut Value, at: &str, stable: &[&str]) {
    if planned.as_map().is_none() {
        return;
    }
    for attribute in of.attributes() {
        let keeps = stable.iter().any(|path| path.strip_prefix(at) == Some(attribute.name()))
            && !member(planned, attribute.name()).is_null();
        let decided = attribute.default_json().is_some() || keeps;
        if is_computed(attribute)
            && !decided
            && member(config, attribute.name()).is_null()
            && let Some(members) = planned.as_map_mut()
        {
            members.insert(attribute.name().to_owned(), Value::Unknown);
        }
    }
    let Ok(()) = each_nested(of, config, planned, |name, inner, config, element| {
        if !config.is_null() {
            members(inner, config, element, &format!("{at}{name}."), stable);
        }
        Ok::<(), Infallible>(())
    });
}
