//! States in which one thing is wrong.

use std::collections::BTreeSet;

use super::super::json::Json;
use super::State;
use super::sample::{At, SECRET, SECRET_NUMBER};
use crate::schema::{Block, Nesting};

/// A step into a state.
#[derive(Clone)]
pub(super) enum Step {
    Name(String),
    Index(usize),
}

/// A value of a state.
pub(super) struct Place {
    pub(super) path: Vec<Step>,
    pub(super) hidden: bool,
}

/// Values that fit few attributes.
const VALUES: &[&str] = &[
    "null",
    "true",
    "0",
    "-1",
    "7",
    "1.5",
    "1e400",
    "9223372036854775808",
    "-0",
    "\"\"",
    "\" \"",
    "\"7\"",
    "\"true\"",
    "\"seven\"",
    "\"\\u0000\\ud83d\\ude00\"",
    "[]",
    "{}",
    "[null]",
    "{\"key\":null}",
    "[[]]",
    "[{}]",
    "{\"key\":[]}",
    "[\"a\",\"a\"]",
    "[1,\"a\",true]",
    "{\"type\":\"string\"}",
    "{\"type\":[\"list\",\"bool\"],\"value\":[1]}",
];

/// Every place of the state with every wrong value, and without its value.
pub(super) fn states<'s>(
    base: &'s Json,
    block: &'s Block,
    secret: &'s BTreeSet<String>,
) -> impl Iterator<Item = State> + 's {
    places(base, block, secret)
        .into_iter()
        .flat_map(move |place| {
            let values = values(&place);
            let replaced = values.into_iter().map({
                let path = place.path.clone();
                move |value| {
                    (
                        format!("{} is {}", shown(&path), value.to_text()),
                        changed(base, &path, Some(value)),
                    )
                }
            });
            let removed = std::iter::once((
                format!("{} is not there", shown(&place.path)),
                changed(base, &place.path, None),
            ));
            replaced
                .chain(removed)
                .filter(move |(_, state)| state != base)
                .map(|(what, state)| State::of(what, &state))
        })
}

/// Every value in the state.
pub(super) fn places(base: &Json, block: &Block, secret: &BTreeSet<String>) -> Vec<Place> {
    let mut places = Vec::new();
    find(
        base,
        At::Block(block),
        Some(secret),
        &Place {
            path: Vec::new(),
            hidden: false,
        },
        &mut places,
    );
    places
}

/// The values that are put at a place.
pub(super) fn values(place: &Place) -> Vec<Json> {
    let parsed = VALUES
        .iter()
        .filter_map(|text| Json::parse(text.as_bytes()).ok());
    if !place.hidden {
        return parsed.collect();
    }
    let secret = || Json::string(SECRET);
    let hidden = [
        secret(),
        Json::leaf(SECRET_NUMBER),
        Json::List(vec![secret()]),
        Json::List(vec![secret(), secret()]),
        Json::map([(SECRET.to_owned(), secret())]),
        Json::map([(SECRET.to_owned(), Json::List(vec![secret()]))]),
    ];
    parsed.chain(hidden).collect()
}

/// Every value below `here`, itself left out.
fn find(
    value: &Json,
    at: At<'_>,
    secret: Option<&BTreeSet<String>>,
    here: &Place,
    places: &mut Vec<Place>,
) {
    let known = at.members();
    match value {
        Json::Map(members) => {
            for (name, value) in members {
                let member = known.iter().find(|member| member.name == name.as_str());
                let hidden = here.hidden
                    || member.is_some_and(|member| member.sensitive)
                    || secret.is_some_and(|secret| secret.contains(name.as_str()));
                let place = below(here, Step::Name(name.clone()), hidden);
                match member {
                    Some(member) => arranged(value, member.at, member.nesting, &place, places),
                    None => find(value, at_nothing(), None, &place, places),
                }
                places.push(place);
            }
        }
        Json::List(elements) => {
            for (index, value) in elements.iter().enumerate() {
                let place = below(here, Step::Index(index), here.hidden);
                find(value, at, None, &place, places);
                places.push(place);
            }
        }
        Json::Leaf(_) => {}
    }
}

/// The values of nested objects, which may stand in a map.
fn arranged(
    value: &Json,
    at: At<'_>,
    nesting: Option<Nesting>,
    here: &Place,
    places: &mut Vec<Place>,
) {
    match (nesting, value) {
        (Some(Nesting::Map), Json::Map(entries)) => {
            for (key, value) in entries {
                let place = below(here, Step::Name(key.clone()), here.hidden);
                find(value, at, None, &place, places);
                places.push(place);
            }
        }
        _ => find(value, at, None, here, places),
    }
}

fn at_nothing() -> At<'static> {
    At::Objects(&[])
}

fn below(place: &Place, step: Step, hidden: bool) -> Place {
    let mut path = place.path.clone();
    path.push(step);
    Place { path, hidden }
}

/// The state with another value at a place, or none.
fn changed(base: &Json, path: &[Step], value: Option<Json>) -> Json {
    let mut state = base.clone();
    change(&mut state, path, value);
    state
}

/// Puts another value at a place, or takes away what is there.
pub(super) fn change(state: &mut Json, path: &[Step], value: Option<Json>) {
    let Some((step, rest)) = path.split_first() else {
        if let Some(value) = value {
            *state = value;
        }
        return;
    };
    match (step, state) {
        (Step::Name(name), Json::Map(members)) => {
            if rest.is_empty() && value.is_none() {
                members.retain(|(other, _)| other != name);
            } else if let Some((_, member)) = members.iter_mut().find(|(other, _)| other == name) {
                change(member, rest, value);
            }
        }
        (Step::Index(index), Json::List(elements)) => {
            if rest.is_empty() && value.is_none() {
                if *index < elements.len() {
                    elements.remove(*index);
                }
            } else if let Some(element) = elements.get_mut(*index) {
                change(element, rest, value);
            }
        }
        _ => {}
    }
}

fn shown(path: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::Name(name) => format!(".{name}"),
        Step::Index(index) => format!("[{index}]"),
    };
    path.iter()
        .map(step)
        .collect::<String>()
        .trim_start_matches('.')
        .to_owned()
}
