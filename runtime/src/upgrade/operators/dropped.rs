//! Where a prior attribute that is dropped has a value, and whether that goes elsewhere.

use std::collections::BTreeMap;

use super::condition::{Found, Prior};
use super::form::{Form, member};
use super::place::Place;
use super::row::{ReadAs, in_template, starts_empty};
use super::run::Source;
use super::table::{Operation, Operators, Path, Production, Stage, Template};
use crate::path::{AttributePath, PathStep};
use crate::schema::{Members, Nesting};
use crate::value::Value;

/// Adds the places at which `path` leads to a value: one in every element of the lists on the way.
pub(super) fn places(
    members: Members<'_>,
    prior: &BTreeMap<String, Value>,
    path: Path,
    place: &Place,
    found: &mut Vec<AttributePath>,
) {
    let Some((name, rest)) = path.split_first() else { return };
    let (Some(value), Some(member)) = (prior.get(*name), member(members, name)) else { return };
    let place = place.below(name, member.sensitive);
    if rest.is_empty() {
        if !member.form.is_nothing(value) {
            found.push(place.into_path());
        }
        return;
    }
    let Form::Objects(objects, nesting) = member.form else { return };
    match value {
        Value::Map(object) => places(objects.members, object, rest, &place, found),
        Value::List(list) => {
            for (element, index) in list.iter().zip(0..) {
                let step = if nesting == Nesting::Set { PathStep::Element(None) } else { PathStep::Index(index) };
                if let Value::Map(object) = element {
                    places(objects.members, object, rest, &place.step(step), found);
                }
            }
        }
        Value::Null | Value::Unknown | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Dynamic(_) => {}
    }
}

impl Source<'_, '_, '_, '_> {
    /// Whether the value at a path goes elsewhere on this state: a `drop` may stand for the states that a guard leaves out.
    pub(super) fn is_read(&self, operators: &Operators, path: Path) -> bool {
        operators.productions.iter().any(|production| {
            let stays = production.target == path && !starts_empty(production.stages);
            let acts = |stage: &Stage| self.meets(stage.only_if).unwrap_or(false);
            stays && !production.stages.iter().any(|stage| stage.operation.is_source() && acts(stage))
                || (0..).zip(production.stages).any(|(index, stage)| acts(stage) && self.takes(production, index, stage, path))
        })
    }

    /// Whether an operator that acts takes the value at a path.
    fn takes(&self, production: &Production, index: usize, stage: &Stage, path: Path) -> bool {
        let reads = || stage.operation.all_read().any(|read| read == path);
        match stage.operation.row().read_as {
            ReadAs::Nothing => false,
            ReadAs::Moved | ReadAs::Copied | ReadAs::Parts => reads(),
            ReadAs::Texts => reads() && self.puts_together(production, index, &stage.operation, path),
        }
    }

    /// Whether the value at a path is in the text that an operator puts together.
    fn puts_together(&self, production: &Production, index: usize, operation: &Operation, path: Path) -> bool {
        if let Operation::Compose(template) = operation {
            return self.goes_into(template, path);
        }
        let Operation::Reformat { forms, .. } = operation else { return true };
        // Where another operator came before, the text that is taken apart is not known here.
        let text = match (index, production.stages) {
            (0, _) => Some(self.at(production.target)),
            (1, [Stage { operation, each: false, only_if: None }, ..]) => operation.passes().map(|from| self.at(from)),
            _ => None,
        };
        let form = forms.iter().find(|(pattern, template)| match &text {
            Some(text) => text.fits(pattern),
            None => self.goes_into(template, path),
        });
        form.is_some_and(|(_, template)| self.goes_into(template, path))
    }

    /// Whether the value at a path is part of the text that a template makes: of a null part none is made.
    fn goes_into(&self, template: Template, path: Path) -> bool {
        let parts = || (0..).map_while(move |nth| in_template(template, nth).ok());
        parts().any(|part| part == path) && parts().all(|part| !matches!(self.at(part), Found::Value(Value::Null)))
    }
}
