//! Members of a document that no field names, in objects that end. Operators take other members out
//! of these, or put something else in their place, so that nothing takes these along.

use super::form::{Form, Member, Objects, member};
use super::place::Place;
use super::row::starts_empty;
use super::table::{Operators, Path};
use crate::path::PathStep;
use crate::schema::Nesting;
use crate::upgrade::context::UpgradeContext;
use crate::value::Value;

/// The prior paths whose values operators take whole, or report as dropped.
pub(super) fn taken(operators: &Operators) -> Vec<Path> {
    let made = operators.productions.iter().flat_map(|production| {
        let own = (!starts_empty(production.stages)).then_some(production.target);
        production
            .stages
            .iter()
            .flat_map(|stage| stage.operation.all_read())
            .chain(own)
    });
    made.chain(operators.drops.iter().map(|dropped| dropped.path))
        .collect()
}

/// The prior members of objects that end, or that something else replaces, and of which no operator
/// takes the whole.
pub(super) fn emptied<'s>(
    operators: &Operators,
    taken: &[Path],
    from: Objects<'s>,
    ended: &[&str],
) -> Vec<(&'s str, Member<'s>)> {
    let is_replaced = |name: &str| {
        operators
            .productions
            .iter()
            .any(|production| production.target == [name] && starts_empty(production.stages))
    };
    let ends = |name: &&str| {
        (ended.contains(name) || is_replaced(name)) && !taken.iter().any(|path| *path == [*name])
    };
    let objects = from
        .members
        .names()
        .filter(ends)
        .filter_map(|name| Some((name, member(from.members, name)?)));
    objects
        .filter(|(_, member)| matches!(member.form, Form::Objects(..)))
        .collect()
}

/// Notes the members in a value that ends which no field names and no operator takes.
pub(super) fn note(value: &Value, form: Form<'_>, place: &Place, context: &mut UpgradeContext<'_>) {
    let Form::Objects(objects, nesting) = form else {
        return;
    };
    if place.is_taken() {
        return;
    }
    match (value, nesting) {
        (Value::List(list), _) => {
            for (value, index) in list.iter().zip(0..) {
                let step = if nesting == Nesting::Set {
                    PathStep::Element(None)
                } else {
                    PathStep::Index(index)
                };
                note(
                    value,
                    Form::Objects(objects, Nesting::Single),
                    &place.step(step),
                    context,
                );
            }
        }
        (Value::Map(map), Nesting::Map) => {
            for (key, value) in map {
                note(
                    value,
                    Form::Objects(objects, Nesting::Single),
                    &place.step(PathStep::Key(key.clone())),
                    context,
                );
            }
        }
        (Value::Map(map), Nesting::Single | Nesting::List | Nesting::Set) => {
            for (name, value) in map {
                match member(objects.members, name) {
                    Some(member) => note(
                        value,
                        member.form,
                        &place.below(name, member.sensitive),
                        context,
                    ),
                    None if value.is_null() || objects.with == Some(name) => {}
                    None => context.note_replaced(&place.below(name, false).into_path()),
                }
            }
        }
        (
            Value::Null
            | Value::Unknown
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Dynamic(_),
            _,
        ) => {}
    }
}
