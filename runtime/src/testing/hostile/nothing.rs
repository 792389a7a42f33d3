//! States that store no block in several ways, which mean one thing.

use super::super::json::Json;
use super::State;
use crate::schema::{Block, NestedBlock, Nesting};

/// For each block of the schema, also inside of others, the states that differ only in how they
/// store that there is none of it: not at all, as null, and as a collection without elements.
pub(super) fn states(base: &Json, block: &Block) -> Vec<Vec<State>> {
    let mut found = Vec::new();
    within(block, base, &mut |changed| changed, "", &mut found);
    found
}

fn within(
    block: &Block,
    here: &Json,
    around: &mut dyn FnMut(Json) -> Json,
    path: &str,
    found: &mut Vec<Vec<State>>,
) {
    let Json::Map(members) = here else { return };
    for nested in block.blocks() {
        let name = nested.name();
        let path = if path.is_empty() {
            name.to_owned()
        } else {
            format!("{path}.{name}")
        };
        let mut with = |value: Option<Json>| {
            let mut members = members.clone();
            members.retain(|(other, _)| other != name);
            members.extend(value.map(|value| (name.to_owned(), value)));
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            around(Json::Map(members))
        };
        let ways = [
            ("is not there", None),
            ("is null", Some(Json::leaf("null"))),
            ("is empty", empty(nested)),
        ];
        let states = ways
            .into_iter()
            .filter(|(what, value)| value.is_some() || *what == "is not there");
        found.push(
            states
                .map(|(what, value)| State::of(format!("{path} {what}"), &with(value)))
                .collect(),
        );
        let Some((_, stored)) = members.iter().find(|(other, _)| other == name) else {
            continue;
        };
        match (nested.nesting(), stored) {
            (Nesting::List | Nesting::Set, Json::List(elements)) => {
                let Some(first) = elements.first() else {
                    continue;
                };
                within(
                    nested.block(),
                    first,
                    &mut |changed| with(Some(Json::List(vec![changed]))),
                    &path,
                    found,
                );
            }
            (Nesting::Map, Json::Map(entries)) => {
                let Some((key, first)) = entries.first() else {
                    continue;
                };
                within(
                    nested.block(),
                    first,
                    &mut |changed| with(Some(Json::Map(vec![(key.clone(), changed)]))),
                    &path,
                    found,
                );
            }
            (Nesting::Single, object) => within(
                nested.block(),
                object,
                &mut |changed| with(Some(changed)),
                &path,
                found,
            ),
            (Nesting::List | Nesting::Set | Nesting::Map, _) => {}
        }
    }
}

/// The collection without elements; one block that may be there has none.
fn empty(nested: &NestedBlock) -> Option<Json> {
    match nested.nesting() {
        Nesting::Single => None,
        Nesting::List | Nesting::Set => Some(Json::List(Vec::new())),
        Nesting::Map => Some(Json::Map(Vec::new())),
    }
}
