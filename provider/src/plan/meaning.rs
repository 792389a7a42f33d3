//! A configuration that means what the state says plans no change.

use upstate::Value;
use upstate::schema::{Block, Nesting};

use super::has_unknown;
use super::nested::{Members, counterpart, elements, elements_mut, member};

/// A value, and what a model makes of it.
#[derive(Clone, Copy)]
pub(crate) struct Read<'v> {
    pub(crate) value: &'v Value,
    pub(crate) round: &'v Value,
}

impl Read<'_> {
    fn member(self, name: &str) -> Self {
        Self {
            value: member(self.value, name),
            round: member(self.round, name),
        }
    }
}

/// Puts the prior value of an attribute in the place of the planned one where the user configured
/// it and the model makes the same of both.
///
/// `round` is what the model makes of `planned`. An attribute is kept whole or not at all, which is
/// what Terraform lets a provider do.
pub(crate) fn keep(
    block: &Block,
    config: &Value,
    prior: Read<'_>,
    planned: &mut Value,
    round: &Value,
) {
    members(Members::Block(block), config, prior, planned, round);
}

fn members(of: Members<'_>, config: &Value, prior: Read<'_>, planned: &mut Value, round: &Value) {
    for attribute in of.attributes() {
        let name = attribute.name();
        let (config, prior, round) = (
            member(config, name),
            prior.member(name),
            member(round, name),
        );
        let Some(planned) = planned
            .as_map_mut()
            .and_then(|members| members.get_mut(name))
        else {
            continue;
        };
        let is_set = ![config, prior.value, &*planned]
            .into_iter()
            .any(Value::is_null)
            && !has_unknown(planned);
        if is_set && *planned != *prior.value && *round == *prior.round {
            planned.clone_from(prior.value);
        }
    }
    for (name, nesting, inner) in of.nested() {
        // Which element of a set was another before cannot be said.
        if nesting == Nesting::Set {
            continue;
        }
        let (config, prior, round) = (
            member(config, name),
            prior.member(name),
            member(round, name),
        );
        let Some(planned) = planned
            .as_map_mut()
            .and_then(|members| members.get_mut(name))
        else {
            continue;
        };
        if elements(nesting, planned).len() != elements(nesting, round).len() {
            continue;
        }
        for (step, element) in elements_mut(nesting, planned) {
            let step = step.as_ref();
            let at = |value| counterpart(nesting, value, step, &Value::Null);
            members(
                inner,
                at(config),
                Read {
                    value: at(prior.value),
                    round: at(prior.round),
                },
                element,
                at(round),
            );
        }
    }
}
