//! Walking nested objects of several values side by side.

use upstate::path::PathStep;
use upstate::schema::{Attribute, Block, Nesting, Shape};
use upstate::{AttributePath, Value};

/// The members of one nested arrangement.
#[derive(Clone, Copy)]
pub(crate) enum Members<'s> {
    Attributes(&'s [Attribute]),
    Block(&'s Block),
}

impl<'s> Members<'s> {
    pub(crate) fn attributes(self) -> &'s [Attribute] {
        match self {
            Self::Attributes(attributes) => attributes,
            Self::Block(block) => block.attributes(),
        }
    }

    /// Everything in it that has members of its own: name, arrangement, members.
    pub(crate) fn nested(self) -> impl Iterator<Item = (&'s str, Nesting, Members<'s>)> {
        let inside = |attribute: &'s Attribute| match attribute.shape() {
            Shape::Nested(nested) => Some((
                attribute.name(),
                nested.nesting(),
                Members::Attributes(nested.attributes()),
            )),
            Shape::Plain(_) => None,
        };
        let blocks = match self {
            Self::Attributes(_) => &[][..],
            Self::Block(block) => block.blocks(),
        };
        let block = |block: &'s upstate::schema::NestedBlock| {
            (block.name(), block.nesting(), Members::Block(block.block()))
        };
        self.attributes()
            .iter()
            .filter_map(inside)
            .chain(blocks.iter().map(block))
    }
}

static NULL: Value = Value::Null;

/// The member `name` of an object, null where there is none.
pub(crate) fn member<'v>(value: &'v Value, name: &str) -> &'v Value {
    value
        .as_map()
        .and_then(|members| members.get(name))
        .unwrap_or(&NULL)
}

/// The value at a path, null if there is none. Elements of sets have no path.
pub(crate) fn at<'v>(mut value: &'v Value, path: &AttributePath) -> &'v Value {
    for step in path.steps() {
        // Looked through, because a dynamic value holds attributes as others do.
        if let Value::Dynamic(dynamic) = value {
            value = &dynamic.1;
        }
        value = match (step, value) {
            // Otherwise what may still be set would look as if it were not.
            (_, Value::Unknown) => return value,
            (PathStep::Attribute(name), _) => member(value, name),
            (PathStep::Key(key), _) => member(value, key),
            (PathStep::Index(index), Value::List(list)) => usize::try_from(*index)
                .ok()
                .and_then(|index| list.get(index))
                .unwrap_or(&NULL),
            (PathStep::Index(_) | PathStep::Element(_), _) => &NULL,
        };
    }
    value
}

/// The place that a path leads to, nothing where it leads nowhere.
pub(super) fn place<'v>(mut value: &'v mut Value, path: &AttributePath) -> Option<&'v mut Value> {
    for step in path.steps() {
        value = match (step, value) {
            (PathStep::Attribute(name), Value::Map(members)) => members.get_mut(&**name)?,
            (PathStep::Key(key), Value::Map(members)) => members.get_mut(key)?,
            (PathStep::Index(index), Value::List(list)) => {
                list.get_mut(usize::try_from(*index).ok()?)?
            }
            _ => return None,
        };
    }
    Some(value)
}

/// Visits an object, and then every one that is nested in it, each with its members and its path.
pub(crate) fn each_object(
    of: Members<'_>,
    object: &Value,
    visit: &mut dyn FnMut(Members<'_>, &Value, &AttributePath),
) {
    fn within(
        of: Members<'_>,
        object: &Value,
        at: &AttributePath,
        visit: &mut dyn FnMut(Members<'_>, &Value, &AttributePath),
    ) {
        visit(of, object, at);
        for (name, nesting, inner) in of.nested() {
            for (step, element) in elements(nesting, member(object, name)) {
                let at = at.clone().attribute(name.to_owned());
                let at = step.into_iter().fold(at, AttributePath::step);
                within(inner, element, &at, visit);
            }
        }
    }
    within(of, object, &AttributePath::new(), visit);
}

/// The elements of a nested arrangement, by the path step that leads to each.
pub(super) fn elements(nesting: Nesting, value: &Value) -> Vec<(Option<PathStep>, &Value)> {
    match (nesting, value) {
        (Nesting::Single, Value::Map(_)) => vec![(None, value)],
        (Nesting::List, Value::List(list)) => (0..)
            .zip(list)
            .map(|(index, value)| (Some(PathStep::Index(index)), value))
            .collect(),
        (Nesting::Set, Value::List(list)) => list
            .iter()
            .map(|value| (Some(PathStep::Element(None)), value))
            .collect(),
        (Nesting::Map, Value::Map(map)) => map
            .iter()
            .map(|(key, value)| (Some(PathStep::Key(key.clone())), value))
            .collect(),
        _ => Vec::new(),
    }
}

/// The elements of a value, to be changed, each with its step.
pub(super) fn elements_mut(
    nesting: Nesting,
    value: &mut Value,
) -> Vec<(Option<PathStep>, &mut Value)> {
    match (nesting, value) {
        (Nesting::Single, value @ Value::Map(_)) => vec![(None, value)],
        (Nesting::List, Value::List(list)) => (0..)
            .zip(list)
            .map(|(index, value)| (Some(PathStep::Index(index)), value))
            .collect(),
        (Nesting::Set, Value::List(list)) => list
            .iter_mut()
            .map(|value| (Some(PathStep::Element(None)), value))
            .collect(),
        (Nesting::Map, Value::Map(map)) => map
            .iter_mut()
            .map(|(key, value)| (Some(PathStep::Key(key.clone())), value))
            .collect(),
        _ => Vec::new(),
    }
}

/// Visits every object nested in `value` with the name of what it is in, its members, and what
/// `config` has in its place, null where that has nothing.
pub(super) fn each_nested<'s, E>(
    of: Members<'s>,
    config: &Value,
    value: &mut Value,
    mut visit: impl FnMut(&'s str, Members<'s>, &Value, &mut Value) -> Result<(), E>,
) -> Result<(), E> {
    for (name, nesting, inner) in of.nested() {
        let config = member(config, name);
        let Some(value) = value.as_map_mut().and_then(|members| members.get_mut(name)) else {
            continue;
        };
        for (step, element) in elements_mut(nesting, value) {
            visit(
                name,
                inner,
                counterpart(nesting, config, step.as_ref(), element),
                element,
            )?;
        }
    }
    Ok(())
}

/// The element of `other` that is where `element` is: the same index or key, or in a set the one
/// that it was made from.
pub(crate) fn counterpart<'v>(
    nesting: Nesting,
    other: &'v Value,
    step: Option<&PathStep>,
    element: &Value,
) -> &'v Value {
    match (nesting, other, step) {
        (Nesting::Single, _, _) => other,
        (Nesting::List, Value::List(list), Some(PathStep::Index(index))) => usize::try_from(*index)
            .ok()
            .and_then(|index| list.get(index))
            .unwrap_or(&NULL),
        (Nesting::Map, Value::Map(map), Some(PathStep::Key(key))) => map.get(key).unwrap_or(&NULL),
        (Nesting::Set, Value::List(list), _) => {
            let made_from = |in_order: bool| {
                let candidates = list
                    .iter()
                    .filter(|candidate| agrees(candidate, element, in_order));
                // The candidate with more values is nearer: `{ a = 1 }` agrees with everything that
                // `{ a = 1, b = 2 }` was made into.
                candidates.max_by_key(|candidate| leaves(candidate))
            };
            // A value does not show if a list in it is a set, whose elements change places when
            // something in them is set.
            made_from(true)
                .or_else(|| made_from(false))
                .unwrap_or(&NULL)
        }
        _ => &NULL,
    }
}

/// True if `element` can have been made from `config`: everything set there is the same here. Lists
/// may have another order unless `in_order`.
fn agrees(config: &Value, element: &Value, in_order: bool) -> bool {
    match (config, element) {
        (Value::Null, _) => true,
        (Value::Map(config), Value::Map(element)) => config
            .iter()
            .all(|(name, value)| agrees(value, element.get(name).unwrap_or(&NULL), in_order)),
        (Value::List(config), Value::List(element)) if in_order => {
            config.len() == element.len()
                && config
                    .iter()
                    .zip(element)
                    .all(|(config, element)| agrees(config, element, true))
        }
        (Value::List(config), Value::List(element)) => {
            config.len() == element.len() && agree_in_some_order(config, element)
        }
        (config, element) => config == element,
    }
}

/// True if each element can have been made from another one of `config`.
fn agree_in_some_order(config: &[Value], elements: &[Value]) -> bool {
    let (mut config, mut left): (Vec<&Value>, Vec<&Value>) =
        (config.iter().collect(), elements.iter().collect());
    // Elements with more values are paired first, because fewer others agree with them.
    config.sort_by_key(|config| std::cmp::Reverse(leaves(config)));
    config.iter().all(|config| {
        let found = left
            .iter()
            .position(|element| agrees(config, element, false));
        found.map(|found| left.swap_remove(found)).is_some()
    })
}

/// The number of scalars that are set.
fn leaves(value: &Value) -> usize {
    match value {
        Value::Null => 0,
        Value::List(list) => list.iter().map(leaves).sum(),
        Value::Map(map) => map.values().map(leaves).sum(),
        Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Dynamic(_)
        | Value::Unknown => 1,
    }
}
