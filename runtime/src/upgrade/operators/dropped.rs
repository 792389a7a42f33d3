//! The places at which a prior attribute that is dropped has a value, and whether that goes
//! elsewhere.

use std::collections::BTreeMap;

use super::condition::Found;
use super::form::{Form, form_of, member};
use super::place::Place;
use super::row::{ReadAs, in_template, starts_empty};
use super::run::{Source, only};
use super::stage::constant_value;
use super::table::{Called, Operation, Operators, Path, Production, Stage, Template};
use crate::path::{AttributePath, PathStep};
use crate::schema::{Members, Nesting};
use crate::value::Value;

/// The reason that a value ends of which a function of several values, or a string, would have been
/// made.
pub(super) const UNCALLED: &str =
    "it goes together with a value that is null, so nothing is made of it";

/// Adds the places at which `path` leads to a value: one in every element of the lists on the way.
pub(super) fn places(
    members: Members<'_>,
    prior: &BTreeMap<String, Value>,
    path: Path,
    place: &Place,
    found: &mut Vec<AttributePath>,
) {
    let Some((name, rest)) = path.split_first() else {
        return;
    };
    let (Some(value), Some(member)) = (prior.get(*name), member(members, name)) else {
        return;
    };
    let place = place.below(name, member.sensitive);
    if rest.is_empty() {
        if !member.form.is_nothing(value) {
            found.push(place.into_path());
        }
        return;
    }
    let Form::Objects(objects, nesting) = member.form else {
        return;
    };
    match value {
        Value::Map(object) => places(objects.members, object, rest, &place, found),
        Value::List(list) => {
            for (element, index) in list.iter().zip(0..) {
                let step = if nesting == Nesting::Set {
                    PathStep::Element(None)
                } else {
                    PathStep::Index(index)
                };
                if let Value::Map(object) = element {
                    places(objects.members, object, rest, &place.step(step), found);
                }
            }
        }
        Value::Null
        | Value::Unknown
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Dynamic(_) => {}
    }
}

impl Source<'_, '_, '_, '_> {
    /// True if the value at a path goes elsewhere on this state: a `drop` may be there for the
    /// states that a guard leaves out.
    pub(super) fn is_read(&self, operators: &Operators, path: Path) -> bool {
        operators.productions.iter().any(|production| {
            let acts = |stage: &Stage| self.meets(stage.only_if).unwrap_or(false);
            // It takes the place of what those before it made.
            let last = production
                .stages
                .iter()
                .rposition(|stage| stage.operation.is_source() && acts(stage));
            let stays =
                production.target == path && !starts_empty(production.stages) && last.is_none();
            let mut left = (0..).zip(production.stages).skip(last.unwrap_or_default());
            stays
                || left
                    .any(|(index, stage)| acts(stage) && self.takes(production, index, stage, path))
        })
    }

    /// True if an operator is a function of several values that is not called, because one of them
    /// is null and must not be.
    fn stays_null(&self, operation: &Operation) -> bool {
        let Operation::Combine(from, Called { takes, .. }) = operation else {
            return false;
        };
        let lacks = |(nth, path): (usize, &Path)| {
            takes
                .tuple_element(nth)
                .is_some_and(|(_, holds)| !holds.nullable)
                && matches!(self.at(path), Found::Value(Value::Null))
        };
        from.iter().enumerate().any(lacks)
    }

    /// True if null is at a path, or on the way to it, where the prior schema has a value in any
    /// case.
    pub(super) fn lacks_required(&self, path: Path) -> bool {
        let (mut members, mut object) = (self.from.members, self.prior);
        for name in path {
            let Some(found) = member(members, name) else {
                return false;
            };
            match (object.get(*name).unwrap_or(&Value::Null), found.form) {
                (Value::Null, _) => {
                    return !found.holds.nullable
                        && !found.holds.lenient
                        && !found.is_block
                        && !found.write_only;
                }
                (value, Form::Objects(objects, _)) => {
                    let Value::Map(inner) = only(value) else {
                        return false;
                    };
                    (members, object) = (objects.members, inner);
                }
                (_, Form::Plain(_) | Form::Made(_) | Form::Open) => return false,
            }
        }
        false
    }

    /// The places of values of which an operator would have made something together with others,
    /// and which go nowhere else.
    pub(super) fn uncalled(&self, operators: &Operators, to: Members<'_>) -> Vec<AttributePath> {
        let (mut ended, mut found): (Vec<Path>, Vec<AttributePath>) = (Vec::new(), Vec::new());
        for production in operators.productions {
            for (index, stage) in (0..).zip(production.stages) {
                if !self.meets(stage.only_if).unwrap_or(false)
                    || !self.makes_nothing(production, index, stage)
                {
                    continue;
                }
                for path in stage.operation.all_read() {
                    let is_dropped = || operators.drops.iter().any(|dropped| dropped.path == path);
                    let stays = || {
                        is_carried(operators, to, path)
                            || self.is_read(operators, path)
                            || self.goes_along(operators, to, path)
                    };
                    if !ended.contains(&path) && !is_dropped() && !stays() {
                        ended.push(path);
                        places(self.from.members, self.prior, path, self.place, &mut found);
                    }
                }
            }
        }
        found
    }

    /// True if an operator makes nothing of several values, because one of them is null.
    fn makes_nothing(&self, production: &Production, index: usize, stage: &Stage) -> bool {
        let is_null = |found: &Found<'_>| matches!(found, Found::Value(Value::Null));
        if let Operation::Compose(_) = stage.operation {
            return stage
                .operation
                .all_read()
                .any(|part| is_null(&self.at(part)));
        }
        if let Operation::Reformat(..) = stage.operation {
            return !stage.each
                && self
                    .text(production, index)
                    .is_some_and(|text| is_null(&text));
        }
        self.stays_null(&stage.operation)
    }

    /// True if a value goes along with an object around it, because an operator takes that, or an
    /// upgrader of its own accounts for the value.
    fn goes_along(&self, operators: &Operators, to: Members<'_>, path: Path) -> bool {
        let mut around = (1..path.len()).filter_map(|len| path.get(..len));
        around.any(|around| {
            let upgraded = match (
                self.from.members.at(around).map(form_of),
                to.at(around).map(form_of),
            ) {
                (Some(from), Some(Form::Objects(objects, _))) => objects.have_upgrader_from(from),
                (None, _) | (Some(_), None | Some(Form::Plain(_) | Form::Made(_) | Form::Open)) => {
                    false
                }
            };
            upgraded || self.is_read(operators, around)
        })
    }

    /// True if the value that takes the place of the one at a path is the same.
    pub(super) fn is_unchanged(&self, operators: &Operators, to: Members<'_>, path: Path) -> bool {
        let Some(production) = operators
            .productions
            .iter()
            .find(|production| production.target == path)
        else {
            return false;
        };
        let acting = production
            .stages
            .iter()
            .rev()
            .find(|stage| self.meets(stage.only_if).unwrap_or(true));
        let Some(Stage {
            operation,
            each: false,
            ..
        }) = acting
        else {
            return false;
        };
        let Found::Value(stored) = self.at(path) else {
            return false;
        };
        if let Operation::Set(constant) = operation {
            let form = to.at(path).map_or(Form::Open, form_of);
            let exact = self.context.is_of_document();
            return constant_value(constant, form, self.place, exact)
                .is_ok_and(|constant| constant == *stored);
        }
        let other = operation.passes().map(|from| self.at(from));
        matches!(other, Some(Found::Value(other)) if other == stored)
    }

    /// True if an operator, which acts on this state, takes the value at a path.
    fn takes(&self, production: &Production, index: usize, stage: &Stage, path: Path) -> bool {
        let reads = || stage.operation.all_read().any(|read| read == path);
        match stage.operation.row().read_as {
            ReadAs::Nothing => false,
            ReadAs::Moved | ReadAs::Copied => reads(),
            ReadAs::Parts => reads() && !self.stays_null(&stage.operation),
            ReadAs::Texts => {
                reads() && self.puts_together(production, index, &stage.operation, path)
            }
        }
    }

    /// True if the value at a path is in the text that an operator puts together.
    fn puts_together(
        &self,
        production: &Production,
        index: usize,
        operation: &Operation,
        path: Path,
    ) -> bool {
        if let Operation::Compose(template) = operation {
            return self.goes_into(template, path);
        }
        let Operation::Reformat(forms, _) = operation else {
            return true;
        };
        let text = self.text(production, index);
        let form = forms.iter().find(|(pattern, template)| match &text {
            Some(text) => text.fits(pattern),
            None => self.goes_into(template, path),
        });
        form.is_some_and(|(_, template)| self.goes_into(template, path))
    }

    /// The text that an operator takes apart; `None` where another one came before, so that it is
    /// not known here.
    fn text(&self, production: &Production, index: usize) -> Option<Found<'_>> {
        match (index, production.stages) {
            (0, _) => Some(self.at(production.target)),
            (
                1,
                [
                    Stage {
                        operation,
                        each: false,
                        only_if: None,
                    },
                    ..,
                ],
            ) => operation.passes().map(|from| self.at(from)),
            (1.., _) => None,
        }
    }

    /// True if the value at a path is part of the text that a template makes: if a part is null, no
    /// text is made.
    fn goes_into(&self, template: Template, path: Path) -> bool {
        let parts = || (0..).map_while(move |nth| in_template(template, nth).ok());
        parts().any(|part| part == path)
            && parts().all(|part| !matches!(self.at(part), Found::Value(Value::Null)))
    }
}

/// True if the value at a path is taken over where it is.
pub(super) fn is_carried(operators: &Operators, to: Members<'_>, path: Path) -> bool {
    let begins_anew = |production: &Production| {
        path.starts_with(production.target) && starts_empty(production.stages)
    };
    to.at(path).is_some() && !operators.productions.iter().any(begins_anew)
}
