//! Digits of stored numbers that a type rounds, such as those of a float.

use std::borrow::Cow;

use super::edits::{Goals, Known, Place, aligned, inside, split};
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

/// The new values with the stored digits of each number that was not changed: it is written as it was when it was `read`. Nothing if all of them
/// are written as they were stored.
pub(super) fn kept(known: &Known, stored: &Tree<'_>, read: &[u8], new: &[u8]) -> Option<Vec<u8>> {
    let (read, mut new) = (tree(read)?, tree(new)?);
    let mut renames = known.renames.clone();
    for (old, goals) in known.contents_of(stored) {
        renames.entry(old).or_default().extend(goals);
    }
    let numbers = Unchanged { renames, stored };
    let mut json = Vec::new();
    if numbers.keep(stored, &read, &mut new, &Place::root()) {
        new.write(&mut json);
    }
    Some(json).filter(|json| !json.is_empty())
}

struct Unchanged<'s, 't> {
    renames: Goals,
    stored: &'s Tree<'t>,
}

impl Unchanged<'_, '_> {
    /// Gives unchanged numbers their stored digits. True if there are other ones.
    fn keep(&self, old: &Tree<'_>, read: &Tree<'_>, new: &mut Tree<'_>, place: &Place<'_>) -> bool {
        match (old, read, new) {
            (Tree::Number(old), Tree::Number(read), Tree::Number(new)) => {
                let keeps = read == new && rounds_to(old, new);
                if keeps {
                    *new = Cow::Owned(old.to_string());
                }
                keeps
            }
            (Tree::Object(old), Tree::Object(read), Tree::Object(new)) => {
                let mut found = false;
                for (name, new) in new {
                    let Some(read) = named(read, name) else { continue };
                    let goal = if self.renames.is_empty() { Vec::new() } else { inside(&place.new_path(), name) };
                    let source = self.renames.iter().find(|(_, goals)| goals.contains(&goal)).map(|(source, _)| source);
                    let (old, place) = match source {
                        Some(source) if split(source).0 == place.old_path() => {
                            (named(old, split(source).1), place.moved(source, &goal))
                        }
                        Some(source) => (self.stored.at(source), place.moved(source, &goal)),
                        None => (named(old, name), place.member(name, name)),
                    };
                    found |= old.is_some_and(|old| self.keep(old, read, new, &place));
                }
                found
            }
            (Tree::Array(old), Tree::Array(read), Tree::Array(new)) if old.len() == read.len() => {
                let elements: Vec<&Tree<'_>> = new.iter().collect();
                let origins = aligned(read.len(), &elements, |index, value| read.get(index).is_some_and(|read| read == value));
                let mut found = false;
                for (index, (new, origin)) in new.iter_mut().zip(origins).enumerate() {
                    let Some((old, read)) = origin.and_then(|origin| old.get(origin).zip(read.get(origin))) else { continue };
                    found |= self.keep(old, read, new, &place.element(index));
                }
                found
            }
            _ => false,
        }
    }
}

fn named<'m, 't>(members: &'m [(Cow<'t, str>, Tree<'t>)], name: &str) -> Option<&'m Tree<'t>> {
    members.iter().find(|(other, _)| other == name).map(|(_, value)| value)
}

/// True if a float with the digits `new` is another number than the stored one and nearest to it.
fn rounds_to(old: &str, new: &str) -> bool {
    let is_nearest = old.parse::<f64>().map(f64::to_bits) == new.parse::<f64>().map(f64::to_bits)
        || old.parse::<f32>().map(f32::to_bits) == new.parse::<f32>().map(f32::to_bits);
    is_nearest && !equal_numbers(old, new)
}
