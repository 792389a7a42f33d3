//! Terraform's own rules for the answers of a provider: what it refuses as a mistake of the
//! provider, after a plan and after an apply.
//!
//! The rules are those of Terraform's package `objchange`. Values of sensitive attributes are not
//! shown.

use upstate::path::PathStep;
use upstate::schema::{Attribute, Block, Nesting, Presence, Shape, Type};
use upstate::{AttributePath, Value};

use crate::plan::{Members, each_object, has_unknown, is_filled, member};

/// A broken rule: the place, and how it is broken there.
pub(super) type Problem = (AttributePath, String);

/// The attributes that a configuration has to set and does not, and the blocks of which there are
/// too few or too many.
pub(super) fn missing(block: &Block, config: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    each_object(Members::Block(block), config, &mut |of, config, at| {
        if !matches!(config, Value::Map(_)) {
            return;
        }
        for attribute in of.attributes() {
            // One with a default may be left out, because the provider puts the default in.
            let required = attribute.presence() == Presence::Required && !attribute.has_default();
            if required && member(config, attribute.name()).is_null() {
                problems.push((
                    at.clone().attribute(attribute.name().to_owned()),
                    "it is required, and not set".to_owned(),
                ));
            }
        }
        if let Members::Block(block) = of {
            for nested in block.blocks() {
                let value = member(config, nested.name());
                let count = match value {
                    Value::List(list) => list.len(),
                    Value::Map(map) if nested.nesting() == Nesting::Map => map.len(),
                    Value::Map(_) => 1,
                    Value::Unknown => continue,
                    Value::Null
                    | Value::Bool(_)
                    | Value::Number(_)
                    | Value::String(_)
                    | Value::Dynamic(_) => 0,
                };
                let count = u64::try_from(count).unwrap_or(u64::MAX);
                let (min, max) = (nested.min_items(), nested.max_items());
                if count < min || max > 0 && count > max {
                    let limit = if count < min {
                        format!("at least {min}")
                    } else {
                        format!("at most {max}")
                    };
                    let problem =
                        format!("there must be {limit} of these blocks, and there are {count}");
                    problems.push((at.clone().attribute(nested.name().to_owned()), problem));
                }
            }
        }
    });
    problems
}

/// The three values that a plan is judged by.
#[derive(Clone, Copy)]
pub(super) struct Change<'v> {
    pub(super) prior: &'v Value,
    pub(super) config: &'v Value,
    pub(super) planned: &'v Value,
}

impl Change<'_> {
    fn member(self, name: &str) -> Self {
        /// A member of what is unknown is unknown.
        fn inside<'v>(value: &'v Value, name: &str) -> &'v Value {
            if *value == Value::Unknown {
                value
            } else {
                member(value, name)
            }
        }
        Self {
            prior: inside(self.prior, name),
            config: inside(self.config, name),
            planned: inside(self.planned, name),
        }
    }

    /// One element of a list or a map, in all of them.
    fn element(self, step: &PathStep) -> Self {
        fn at<'v>(value: &'v Value, step: &PathStep) -> &'v Value {
            match (value, step) {
                (Value::List(list), PathStep::Index(index)) => usize::try_from(*index)
                    .ok()
                    .and_then(|index| list.get(index))
                    .unwrap_or(&Value::Null),
                (_, PathStep::Key(key)) => member(value, key),
                _ => &Value::Null,
            }
        }
        Self {
            prior: at(self.prior, step),
            config: at(self.config, step),
            planned: at(self.planned, step),
        }
    }
}

/// The ways in which a plan is not one that leads from the prior state to the configuration.
pub(super) fn invalid_plan(block: &Block, change: Change<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    planned_object(
        Members::Block(block),
        change,
        &AttributePath::new(),
        &mut problems,
    );
    problems
}

fn planned_object(
    of: Members<'_>,
    change: Change<'_>,
    at: &AttributePath,
    problems: &mut Vec<Problem>,
) {
    if change.planned.is_null() != change.config.is_null() {
        let problem = if change.planned.is_null() {
            "it is planned to be absent, and the configuration has it"
        } else {
            "it is planned, and the configuration does not have it"
        };
        problems.push((at.clone(), problem.to_owned()));
        return;
    }
    if !change.planned.is_null() {
        planned_members(of, change, at, problems);
    }
}

fn planned_members(
    of: Members<'_>,
    change: Change<'_>,
    at: &AttributePath,
    problems: &mut Vec<Problem>,
) {
    for attribute in of.attributes() {
        let at = at.clone().attribute(attribute.name().to_owned());
        planned_attribute(attribute, change.member(attribute.name()), &at, problems);
    }
    let Members::Block(block) = of else { return };
    for nested in block.blocks() {
        let (change, at) = (
            change.member(nested.name()),
            at.clone().attribute(nested.name().to_owned()),
        );
        if change.planned == change.config {
            continue;
        }
        if *change.planned == Value::Unknown || *change.config == Value::Unknown {
            let problem = "blocks can't be unknown as a whole; only the attributes in them can";
            problems.push((at, problem.to_owned()));
            continue;
        }
        planned_elements(
            nested.nesting(),
            Members::Block(nested.block()),
            change,
            &at,
            problems,
        );
    }
}

fn planned_attribute(
    attribute: &Attribute,
    change: Change<'_>,
    at: &AttributePath,
    problems: &mut Vec<Problem>,
) {
    let Change {
        prior,
        config,
        planned,
    } = change;
    if attribute.is_write_only() && !planned.is_null() {
        problems.push((
            at.clone(),
            "it is write-only, and the plan has a value for it".to_owned(),
        ));
        return;
    }
    // The value before may be planned too, because it may mean the same.
    if planned == config || planned == prior && !prior.is_null() && !config.is_null() {
        return;
    }
    if is_filled(attribute) && (attribute.presence() == Presence::Computed || config.is_null()) {
        return;
    }
    let show = |value: &Value| {
        if attribute.is_secret() {
            "a value that is sensitive".to_owned()
        } else {
            value.to_string()
        }
    };
    if config.is_null() {
        problems.push((
            at.clone(),
            format!(
                "{} is planned, and the attribute is neither configured nor computed",
                show(planned)
            ),
        ));
        return;
    }
    if planned.is_null() && attribute.is_write_only() {
        return;
    }
    if let Shape::Nested(nested) = attribute.shape() {
        if *planned == Value::Unknown {
            problems.push((
                at.clone(),
                "it is planned as unknown, and it is configured".to_owned(),
            ));
            return;
        }
        planned_elements(
            nested.nesting(),
            Members::Attributes(nested.attributes()),
            change,
            at,
            problems,
        );
        return;
    }
    let prior = if prior.is_null() {
        String::new()
    } else {
        format!(", and was {} before", show(prior))
    };
    problems.push((
        at.clone(),
        format!(
            "{} is planned, and {} is configured{prior}",
            show(planned),
            show(config)
        ),
    ));
}

fn planned_elements(
    nesting: Nesting,
    of: Members<'_>,
    change: Change<'_>,
    at: &AttributePath,
    problems: &mut Vec<Problem>,
) {
    if nesting == Nesting::Single || change.planned.is_null() || change.config.is_null() {
        planned_object(of, change, at, problems);
        return;
    }
    if matches!(nesting, Nesting::List | Nesting::Map) && *change.config == Value::Unknown {
        problems.push((
            at.clone(),
            "it is planned, and what is configured is not known yet".to_owned(),
        ));
        return;
    }
    let (planned, config) = (size(change.planned), size(change.config));
    let differs = match (nesting, of) {
        // Any number will do, because Terraform does not count them.
        (Nesting::Set, Members::Block(_)) => false,
        // Fewer will do, because elements that are not known yet may turn out to be one.
        (Nesting::Set, Members::Attributes(_)) if has_unknown(change.config) => false,
        (Nesting::Set, Members::Attributes(_)) if has_unknown(change.planned) => config > planned,
        (
            Nesting::Single | Nesting::List | Nesting::Set | Nesting::Map,
            Members::Attributes(_) | Members::Block(_),
        ) => planned != config,
    };
    if differs {
        problems.push((
            at.clone(),
            format!("{planned} are planned, and {config} are configured"),
        ));
        return;
    }
    match (nesting, change.planned) {
        (Nesting::List, Value::List(elements)) => {
            for (index, _) in (0..).zip(elements) {
                planned_element(
                    of,
                    change.element(&PathStep::Index(index)),
                    &at.clone().index(index),
                    problems,
                );
            }
        }
        (Nesting::Map, Value::Map(elements)) => {
            for key in elements.keys() {
                let at = at.clone().key(key.clone());
                if change
                    .config
                    .as_map()
                    .is_some_and(|config| config.contains_key(key))
                {
                    planned_element(
                        of,
                        change.element(&PathStep::Key(key.clone())),
                        &at,
                        problems,
                    );
                } else {
                    problems.push((
                        at,
                        "it is planned, and the configuration does not have it".to_owned(),
                    ));
                }
            }
        }
        // Terraform trusts the provider there, because elements of sets have no counterpart.
        (Nesting::Set, Value::List(elements))
            if matches!(of, Members::Block(_)) && elements.contains(&Value::Unknown) =>
        {
            problems.push((at.clone(), UNKNOWN_BLOCK.to_owned()));
        }
        _ => {}
    }
}

const UNKNOWN_BLOCK: &str = "a block can't be unknown itself; only the attributes in it can";

/// An element of a list or a map. One of attributes may be planned where null is configured, as far
/// as all in it is computed.
fn planned_element(
    of: Members<'_>,
    change: Change<'_>,
    at: &AttributePath,
    problems: &mut Vec<Problem>,
) {
    match of {
        Members::Attributes(_) => planned_members(of, change, at, problems),
        Members::Block(_) if *change.planned == Value::Unknown => {
            problems.push((at.clone(), UNKNOWN_BLOCK.to_owned()));
        }
        Members::Block(_) => planned_object(of, change, at, problems),
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::List(list) => list.len(),
        Value::Map(map) => map.len(),
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Dynamic(_)
        | Value::Unknown => 0,
    }
}

/// The places at which what became of a plan is not what was planned. What was unknown may have
/// become anything.
pub(super) fn inconsistent(block: &Block, planned: &Value, actual: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    actual_object(
        Members::Block(block),
        planned,
        actual,
        &AttributePath::new(),
        &mut problems,
    );
    problems
}

fn actual_object(
    of: Members<'_>,
    planned: &Value,
    actual: &Value,
    at: &AttributePath,
    problems: &mut Vec<Problem>,
) {
    if planned.is_null() != actual.is_null() {
        let problem = if planned.is_null() {
            "it was absent in the plan, and is there now"
        } else {
            "it was planned, and is absent now"
        };
        problems.push((at.clone(), problem.to_owned()));
        return;
    }
    if planned.is_null() {
        return;
    }
    for attribute in of.attributes() {
        let at = at.clone().attribute(attribute.name().to_owned());
        let mut found = Vec::new();
        let (planned, actual) = (
            member(planned, attribute.name()),
            member(actual, attribute.name()),
        );
        actual_value(&attribute.implied_type(), planned, actual, &at, &mut found);
        if has_secret(attribute) && !found.is_empty() {
            problems.push((
                at,
                "it is another value than planned, which is sensitive".to_owned(),
            ));
        } else {
            problems.append(&mut found);
        }
    }
    let Members::Block(block) = of else { return };
    for nested in block.blocks() {
        let (planned, actual) = (
            member(planned, nested.name()),
            member(actual, nested.name()),
        );
        let at = at.clone().attribute(nested.name().to_owned());
        actual_blocks(
            nested.nesting(),
            nested.block(),
            planned,
            actual,
            &at,
            problems,
        );
    }
}

fn actual_blocks(
    nesting: Nesting,
    block: &Block,
    planned: &Value,
    actual: &Value,
    at: &AttributePath,
    problems: &mut Vec<Problem>,
) {
    let of = Members::Block(block);
    match (nesting, planned, actual) {
        (_, Value::Unknown, _) => {}
        (Nesting::Single, ..) => actual_object(of, planned, actual, at, problems),
        (Nesting::Set, Value::List(planned), Value::List(actual)) => {
            let fits = |planned: &Value, actual: &Value| {
                let mut found = Vec::new();
                actual_object(of, planned, actual, at, &mut found);
                found.is_empty()
            };
            actual_set(planned, actual, at, has_secrets(of), fits, problems);
        }
        (Nesting::List | Nesting::Map, planned, actual) if size(planned) != size(actual) => {
            problems.push((
                at.clone(),
                format!(
                    "{} blocks were planned, and there are {}",
                    size(planned),
                    size(actual)
                ),
            ));
        }
        (Nesting::List, Value::List(planned), Value::List(actual)) => {
            for ((index, planned), actual) in (0..).zip(planned).zip(actual) {
                actual_object(of, planned, actual, &at.clone().index(index), problems);
            }
        }
        (Nesting::Map, Value::Map(planned), _) => {
            for (key, planned) in planned {
                actual_object(
                    of,
                    planned,
                    member(actual, key),
                    &at.clone().key(key.clone()),
                    problems,
                );
            }
        }
        (Nesting::List | Nesting::Map | Nesting::Set, ..) => {}
    }
}

fn actual_value(
    ty: &Type,
    planned: &Value,
    actual: &Value,
    at: &AttributePath,
    problems: &mut Vec<Problem>,
) {
    match (ty, planned, actual) {
        // Null of no type may become anything, because Terraform compares the types first.
        (_, Value::Unknown, _)
        | (_, Value::Null, Value::Null)
        | (Type::Dynamic, Value::Null, _) => {}
        (_, _, Value::Unknown) => problems.push((
            at.clone(),
            "it was known in the plan, and is unknown now".to_owned(),
        )),
        (_, planned, actual) if planned.is_null() || actual.is_null() => {
            problems.push((
                at.clone(),
                format!("it was {planned} in the plan, and is {actual} now"),
            ));
        }
        (Type::List(ty), Value::List(planned), Value::List(actual)) => {
            actual_elements(planned, actual, std::iter::repeat(&**ty), at, problems);
        }
        (Type::Tuple(types), Value::List(planned), Value::List(actual)) => {
            actual_elements(planned, actual, types.iter().map(|ty| &**ty), at, problems);
        }
        (Type::Map(ty), Value::Map(planned), Value::Map(actual)) => {
            for (key, planned) in planned {
                let at = at.clone().key(key.clone());
                match actual.get(key) {
                    Some(actual) => actual_value(ty, planned, actual, &at, problems),
                    None => {
                        problems.push((at, "it was in the plan, and is not there now".to_owned()));
                    }
                }
            }
            for key in actual.keys().filter(|key| !planned.contains_key(*key)) {
                problems.push((
                    at.clone().key(key.clone()),
                    "it was not in the plan, and is there now".to_owned(),
                ));
            }
        }
        (Type::Object(fields), planned, actual) => {
            for field in fields.iter() {
                let at = at.clone().attribute(field.name().to_owned());
                actual_value(
                    field.ty(),
                    member(planned, field.name()),
                    member(actual, field.name()),
                    &at,
                    problems,
                );
            }
        }
        (Type::Set(ty), Value::List(planned), Value::List(actual)) => {
            let fits = |planned: &Value, actual: &Value| {
                let mut found = Vec::new();
                actual_value(ty, planned, actual, at, &mut found);
                found.is_empty()
            };
            actual_set(planned, actual, at, false, fits, problems);
        }
        (_, Value::Dynamic(planned), Value::Dynamic(actual)) if planned.0 == actual.0 => {
            actual_value(&planned.0, &planned.1, &actual.1, at, problems);
        }
        (_, planned, actual) => {
            if planned != actual {
                problems.push((
                    at.clone(),
                    format!("it was {planned} in the plan, and is {actual} now"),
                ));
            }
        }
    }
}

fn actual_elements<'t>(
    planned: &[Value],
    actual: &[Value],
    types: impl Iterator<Item = &'t Type>,
    at: &AttributePath,
    problems: &mut Vec<Problem>,
) {
    if planned.len() != actual.len() {
        problems.push((
            at.clone(),
            format!(
                "{} elements were planned, and there are {}",
                planned.len(),
                actual.len()
            ),
        ));
        return;
    }
    for (((index, planned), actual), ty) in (0..).zip(planned).zip(actual).zip(types) {
        actual_value(ty, planned, actual, &at.clone().index(index), problems);
    }
}

/// Each planned element has become one that is there, and each that is there was planned. Elements
/// that become equal are one.
fn actual_set(
    planned: &[Value],
    actual: &[Value],
    at: &AttributePath,
    secret: bool,
    fits: impl Fn(&Value, &Value) -> bool,
    problems: &mut Vec<Problem>,
) {
    let show = |value: &Value| {
        if secret {
            "an element that is sensitive".to_owned()
        } else {
            format!("the element {value}")
        }
    };
    let lost = planned
        .iter()
        .filter(|planned| !actual.iter().any(|actual| fits(planned, actual)));
    let before = problems.len();
    problems.extend(lost.map(|element| {
        (
            at.clone(),
            format!(
                "{} was planned, and none that is there now can be it",
                show(element)
            ),
        )
    }));
    if problems.len() > before {
        return;
    }
    let new = actual
        .iter()
        .filter(|actual| !planned.iter().any(|planned| fits(planned, actual)));
    problems.extend(new.map(|element| {
        (
            at.clone(),
            format!("{} is there now, and was not planned", show(element)),
        )
    }));
    if actual.len() > planned.len() {
        problems.push((
            at.clone(),
            format!(
                "{} elements were planned, and there are {}",
                planned.len(),
                actual.len()
            ),
        ));
    }
}

/// True if an attribute, or one that is nested in it, must not be shown.
fn has_secret(attribute: &Attribute) -> bool {
    attribute.is_secret()
        || match attribute.shape() {
            Shape::Plain(_) => false,
            Shape::Nested(nested) => nested.attributes().iter().any(has_secret),
        }
}

fn has_secrets(of: Members<'_>) -> bool {
    of.attributes().iter().any(has_secret) || of.nested().any(|(_, _, inner)| has_secrets(inner))
}

/// The first place of a value that is unknown.
pub(super) fn first_unknown(value: &Value, at: &AttributePath) -> Option<AttributePath> {
    match value {
        Value::Unknown => Some(at.clone()),
        Value::List(list) => (0..)
            .zip(list)
            .find_map(|(index, value)| first_unknown(value, &at.clone().index(index))),
        Value::Map(map) => map
            .iter()
            .find_map(|(name, value)| first_unknown(value, &at.clone().attribute(name.clone()))),
        Value::Dynamic(dynamic) => has_unknown(&dynamic.1).then(|| at.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

#[cfg(test)]
mod tests;
