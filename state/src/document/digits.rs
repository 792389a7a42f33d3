//! Digits of stored numbers that a type rounds, such as those of a float.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::edits::{Known, Names, Place, inside, split};
use super::transcode::is_float;
use super::tree::{Tree, equal_numbers};

/// The values of a stored document, if a number in them may have digits that its type does not keep. A float of 32 bits keeps six.
pub(super) fn of(attributes: &[u8]) -> Option<Tree<'_>> {
    let stored = tree(attributes)?;
    has_more(&stored).then_some(stored)
}

fn has_more(tree: &Tree<'_>) -> bool {
    match tree {
        Tree::Number(digits) => digits.len() > 6 || digits.contains(['e', 'E']),
        Tree::Array(elements) => elements.iter().any(has_more),
        Tree::Object(members) => members.iter().any(|(_, value)| has_more(value)),
        Tree::Null | Tree::Bool(_) | Tree::String(_) => false,
    }
}

fn tree(json: &[u8]) -> Option<Tree<'_>> {
    std::str::from_utf8(json).ok().and_then(|json| Tree::parse(json).ok())
}

/// The numbers that are to keep their stored digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeping {
    All,
    /// Those of integers, because some syntaxes write no other decimals than those of a float.
    Integers,
}

/// The first outcome of an attempt to write the new values with stored digits: those of all numbers that were not changed since they were `read`,
/// else those of the integers. Nothing if all of them are written as they were stored. If the document was `upgraded`, elements may be others than
/// those that were stored there.
pub(super) fn held<R>(
    known: &Known,
    stored: &Tree<'_>,
    (read, new): (&[u8], &[u8]),
    upgraded: bool,
    attempt: impl Fn(&[u8]) -> Option<R>,
) -> Option<R> {
    let kept = |keeping| kept(known, stored, (read, new), (keeping, upgraded));
    [Keeping::All, Keeping::Integers].into_iter().map_while(kept).find_map(|kept| attempt(&kept))
}

/// The new values with stored digits, if there are any to keep.
fn kept(known: &Known, stored: &Tree<'_>, (read, new): (&[u8], &[u8]), (keeping, upgraded): (Keeping, bool)) -> Option<Vec<u8>> {
    let (read, mut new) = (tree(read)?, tree(new)?);
    let mut sources: BTreeMap<Names, Vec<Names>> = BTreeMap::new();
    for (old, goals) in known.renames.iter().chain(&known.contents_of(stored)) {
        for goal in goals {
            sources.entry(goal.clone()).or_default().push(old.clone());
        }
    }
    let numbers = Unchanged { sources, stored, keeping, upgraded };
    numbers.keep(stored, &read, &mut new, &Place::root()).then(|| json(&new))
}

struct Unchanged<'s, 't> {
    /// The paths in the stored document of what has another path in the new one.
    sources: BTreeMap<Names, Vec<Names>>,
    stored: &'s Tree<'t>,
    keeping: Keeping,
    upgraded: bool,
}

impl Unchanged<'_, '_> {
    /// Gives unchanged numbers their stored digits. True if there are other ones.
    fn keep(&self, old: &Tree<'_>, read: &Tree<'_>, new: &mut Tree<'_>, place: &Place<'_>) -> bool {
        match (old, read, new) {
            (Tree::Number(old), Tree::Number(read), Tree::Number(new)) => {
                let is_asked = self.keeping == Keeping::All || !is_float(old);
                let keeps = is_asked && read == new && rounds_to(old, new);
                if keeps {
                    *new = Cow::Owned(old.to_string());
                }
                keeps
            }
            (Tree::Object(old), Tree::Object(read), Tree::Object(new)) => {
                let mut found = false;
                for (index, (name, new)) in new.iter_mut().enumerate() {
                    let Some(read) = named(read, index, name) else { continue };
                    let goal = if self.sources.is_empty() { Names::new() } else { inside(&place.new_path(), name) };
                    let Some(sources) = self.sources.get(&goal) else {
                        if let Some(old) = named(old, index, name) {
                            found |= self.keep(old, read, new, &place.member(name, name));
                        }
                        continue;
                    };
                    // Several members may have become one, so that the first of them may not be the one that was stored.
                    for source in sources {
                        let (object, was) = split(source);
                        let old = if object == place.old_path() { named(old, index, was) } else { self.stored.at(source) };
                        if let Some(old) = old
                            && self.keep(old, read, new, &place.moved(source, &goal))
                        {
                            found = true;
                            break;
                        }
                    }
                }
                found
            }
            (Tree::Array(old), Tree::Array(read), Tree::Array(new)) if old.len() == read.len() => {
                let origins = origins(read, new);
                let mut found = false;
                for (index, (new, origin)) in new.iter_mut().zip(origins).enumerate() {
                    let Some((old, read)) = origin.and_then(|origin| old.get(origin).zip(read.get(origin))) else { continue };
                    if !self.upgraded || may_be(old, read) {
                        found |= self.keep(old, read, new, &place.element(index));
                    }
                }
                found
            }
            _ => false,
        }
    }
}

/// For each new element the one that was read: the equal one at its place, else an equal one elsewhere, else the one at its place, changed, unless
/// that went elsewhere.
fn origins(read: &[Tree<'_>], new: &[Tree<'_>]) -> Vec<Option<usize>> {
    let front = new.iter().zip(read).take_while(|(new, read)| new == read).count();
    let most = new.len().min(read.len()) - front;
    let back = new.iter().rev().zip(read.iter().rev()).take(most).take_while(|(new, read)| new == read).count();
    let as_many = new.len() == read.len();
    let mut origins: Vec<Option<usize>> = Vec::with_capacity(new.len());
    for (at, element) in new.iter().enumerate() {
        let place = if as_many || at < front {
            Some(at)
        } else if at >= new.len() - back {
            Some(at + read.len() - new.len())
        } else {
            None
        };
        origins.push(place.filter(|place| read.get(*place) == Some(element)));
    }
    if origins.iter().all(Option::is_some) {
        return origins;
    }
    let mut is_left = vec![true; read.len()];
    for origin in origins.iter().flatten() {
        take(&mut is_left, *origin);
    }
    // The first of equal ones comes last, because the last is taken first.
    let mut equal: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    for (at, element) in read.iter().enumerate().rev() {
        if is_left.get(at) == Some(&true) {
            equal.entry(json(element)).or_default().push(at);
        }
    }
    for (origin, element) in origins.iter_mut().zip(new) {
        if origin.is_none()
            && let Some(at) = equal.get_mut(&json(element)).and_then(Vec::pop)
        {
            take(&mut is_left, at);
            *origin = Some(at);
        }
    }
    if as_many {
        for (at, origin) in origins.iter_mut().enumerate() {
            if origin.is_none() && is_left.get(at) == Some(&true) {
                *origin = Some(at);
            }
        }
    }
    origins
}

fn take(is_left: &mut [bool], at: usize) {
    if let Some(left) = is_left.get_mut(at) {
        *left = false;
    }
}

fn json(tree: &Tree<'_>) -> Vec<u8> {
    let mut json = Vec::new();
    tree.write(&mut json);
    json
}

/// False if a stored element and one that was read after an upgrade say that they are not the same.
fn may_be(old: &Tree<'_>, read: &Tree<'_>) -> bool {
    match (old, read) {
        (Tree::Number(old), Tree::Number(read)) => equal_numbers(old, read) || rounds_to(old, read),
        (Tree::String(old), Tree::String(read)) => old == read,
        (Tree::Bool(old), Tree::Bool(read)) => old == read,
        (Tree::Object(old), Tree::Object(read)) => old
            .iter()
            .enumerate()
            .all(|(index, (name, old))| named(read, index, name).is_none_or(|read| may_be(old, read))),
        _ => true,
    }
}

/// The member of a name, which is usually at the same `index`.
fn named<'m, 't>(members: &'m [(Cow<'t, str>, Tree<'t>)], index: usize, name: &str) -> Option<&'m Tree<'t>> {
    let near = members.get(index).filter(|(other, _)| other == name);
    near.or_else(|| members.iter().find(|(other, _)| other == name)).map(|(_, value)| value)
}

/// True if the digits `new` are those that a float is written with that was read from the `old` ones, and say another number.
fn rounds_to(old: &str, new: &str) -> bool {
    // The shortest digits of a float, or all of them if it is whole: types write either.
    let is_new = |float: String| equal_numbers(&float, new);
    let wide = |float: f64| is_new(format!("{float:?}")) || float.fract() == 0.0 && is_new(format!("{float:.0}"));
    let narrow = |float: f32| is_new(format!("{float:?}")) || wide(f64::from(float));
    !equal_numbers(old, new) && (old.parse::<f64>().is_ok_and(wide) || old.parse::<f32>().is_ok_and(narrow))
}
