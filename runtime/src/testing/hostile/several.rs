//! States in which several things are odd, or many: chosen by numbers that are the same in every
//! run.

use std::collections::BTreeSet;

use super::super::json::Json;
use super::State;
use super::change::{Place, change, places, values};
use crate::schema::Block;

/// The number of states that are made of one.
const STATES: usize = 24;
/// The most changes in one of them.
const CHANGES: usize = 4;
/// The numbers of elements or entries that a collection of one may get.
const GROWN: [usize; 3] = [2, 3, 40];
/// About how long a collection may get by that, in bytes.
const LONGEST: usize = 8 << 10;

pub(super) fn states<'s>(
    base: &'s Json,
    block: &'s Block,
    secret: &'s BTreeSet<String>,
) -> impl Iterator<Item = State> + 's {
    let places = places(base, block, secret);
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    (0..if places.is_empty() { 0 } else { STATES }).map(move |number| {
        let mut state = base.clone();
        for _ in 0..=chance.below(CHANGES) {
            if let Some(place) = places.get(chance.below(places.len())) {
                let value = another(base, &places, place, &mut chance);
                change(&mut state, &place.path, value);
            }
        }
        if chance.below(3) == 0 {
            grow(&mut state, &mut chance);
        }
        State::of(format!("with several changes ({number})"), &state)
    })
}

/// A value that is odd, or none, or one from elsewhere in the state.
fn another(base: &Json, places: &[Place], place: &Place, chance: &mut Chance) -> Option<Json> {
    if chance.below(4) == 0 {
        return None;
    }
    // A hidden value must not be copied to a place that is shown.
    let other = places
        .get(chance.below(places.len()))
        .filter(|other| !other.hidden && chance.below(2) == 0);
    if let Some(other) = other.and_then(|other| at(base, other)) {
        return Some(other.clone());
    }
    let mut values = values(place);
    Some(values.swap_remove(chance.below(values.len())))
}

fn at<'j>(base: &'j Json, place: &Place) -> Option<&'j Json> {
    use super::change::Step;
    place
        .path
        .iter()
        .try_fold(base, |value, step| match (step, value) {
            (Step::Name(name), Json::Map(members)) => members
                .iter()
                .find(|(other, _)| other == name)
                .map(|(_, value)| value),
            (Step::Index(index), Json::List(elements)) => elements.get(*index),
            _ => None,
        })
}

/// Gives collections more elements. An object of one member gets members that no schema defines.
fn grow(state: &mut Json, chance: &mut Chance) {
    match state {
        Json::List(elements) => {
            for element in elements.iter_mut() {
                grow(element, chance);
            }
            if let [one] = elements.as_slice() {
                *elements = vec![one.clone(); times(one, chance)];
            }
        }
        Json::Map(members) => {
            for (_, member) in members.iter_mut() {
                grow(member, chance);
            }
            if let [(key, one)] = members.as_slice() {
                *members = (0..times(one, chance))
                    .map(|index| (format!("{key}{index:02}"), one.clone()))
                    .collect();
            }
        }
        Json::Leaf(_) => {}
    }
}

/// The number of times that the only element of a collection is to be in it.
fn times(one: &Json, chance: &mut Chance) -> usize {
    let most = LONGEST / one.to_text().len().max(1);
    GROWN
        .get(chance.below(GROWN.len()))
        .copied()
        .unwrap_or(1)
        .min(most)
        .max(1)
}

/// Numbers without order, the same in every run.
struct Chance(u64);

impl Chance {
    /// A number below `end`, which is not zero.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let number = (self.0 >> 16) as usize;
        number % end
    }
}
