//! The computed values of a model, put into a plan.

use upstate::Value;
use upstate::schema::Nesting;

use super::nested::{Members, counterpart, elements_mut, member};
use super::unset::is_computed;

/// Puts what is computed and not configured from one value into another, at any depth. Elements of
/// sets are left as they are: none is known to be the same in both.
pub(super) fn put(of: Members<'_>, config: &Value, from: &Value, to: &mut Value) {
    let Some(members) = to.as_map_mut() else {
        return;
    };
    for attribute in of
        .attributes()
        .iter()
        .filter(|attribute| is_computed(attribute) && !attribute.has_default())
    {
        if member(config, attribute.name()).is_null() {
            members.insert(
                attribute.name().to_owned(),
                member(from, attribute.name()).clone(),
            );
        }
    }
    for (name, nesting, inner) in of
        .nested()
        .filter(|(_, nesting, _)| *nesting != Nesting::Set)
    {
        let (config, from) = (member(config, name), member(from, name));
        let Some(to) = members.get_mut(name).filter(|_| !config.is_null()) else {
            continue;
        };
        for (step, element) in elements_mut(nesting, to) {
            let config = counterpart(nesting, config, step.as_ref(), element);
            let from = counterpart(nesting, from, step.as_ref(), element);
            if !from.is_null() {
                put(inner, config, from, element);
            }
        }
    }
}
