//! The edit of a document in place: which stored member becomes which, so that comments go along.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use upstate::path::PathStep;
use upstate::schema::Type;
use upstate::{AttributePath, Diagnostic};

use super::tree::{Tree, equal_numbers};

/// The changes that make a stored document the new one.
#[derive(Debug)]
pub(super) struct Edits {
    /// The places of stored members in the new document where they are others, by dotted path.
    pub(super) renames: BTreeMap<String, BTreeSet<String>>,
    /// The dotted paths of stored members that no schema defines: they stay.
    pub(super) kept: BTreeSet<String>,
    /// True if a member that is gone and a new one of the same value are one member: the document is of an earlier version.
    pub(super) pairs_values: bool,
    /// The type of the new document.
    pub(super) ty: Type,
    /// The members that a new document begins with.
    pub(super) first: Vec<String>,
}

/// A place in both documents.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    pub(super) old: String,
    pub(super) new: String,
}

impl Place {
    pub(super) fn member(&self, old: &str, new: &str) -> Self {
        Self { old: join(&self.old, old), new: join(&self.new, new) }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// A path without the indices of elements: what is so of one element is so of all.
pub(super) fn dotted(path: &AttributePath) -> String {
    let names = path.steps().iter().filter_map(|step| match step {
        PathStep::Attribute(name) => Some(&**name),
        PathStep::Key(key) => Some(key.as_str()),
        PathStep::Index(_) | PathStep::Element(_) => None,
    });
    names.collect::<Vec<_>>().join(".")
}

impl Edits {
    /// For each new member the index of the stored one that it was, if it was in the same object. `same` compares a stored value
    /// with a new one.
    pub(super) fn origins(
        &self,
        place: &Place,
        old: &[&str],
        new: &[(Cow<'_, str>, Tree<'_>)],
        same: impl Fn(usize, &Tree<'_>) -> bool,
    ) -> Vec<Option<usize>> {
        let at = |name: &str| old.iter().position(|stored| *stored == name);
        let mut origins: Vec<Option<usize>> = vec![None; new.len()];
        let mut taken = vec![false; old.len()];
        let mut take = |origin: &mut Option<usize>, index: usize| {
            if let Some(taken) = taken.get_mut(index)
                && !*taken
            {
                *taken = true;
                *origin = Some(index);
            }
        };
        // Before renames, because a member that was copied is still itself.
        for (origin, (name, value)) in origins.iter_mut().zip(new) {
            if let Some(index) = at(name)
                && same(index, value)
                && !self.renames.values().any(|goals| goals.contains(&join(&place.new, name)))
            {
                take(origin, index);
            }
        }
        // By the upgraders before names, because a name may have been given to another member.
        for (origin, (name, _)) in origins.iter_mut().zip(new).filter(|(origin, _)| origin.is_none()) {
            let goal = join(&place.new, name);
            let is_old = |stored: &&str| self.renames.get(&join(&place.old, stored)).is_some_and(|goals| goals.contains(&goal));
            if let Some(index) = old.iter().position(is_old) {
                take(origin, index);
            }
        }
        for (origin, (name, _)) in origins.iter_mut().zip(new).filter(|(origin, _)| origin.is_none()) {
            if let Some(index) = at(name) {
                take(origin, index);
            }
        }
        if self.pairs_values {
            let gone: Vec<usize> = (0..old.len())
                .filter(|index| !taken.get(*index).copied().unwrap_or(true))
                .filter(|index| {
                    old.get(*index).is_some_and(|name| !self.keeps(place, name) && !self.moves(&join(&place.old, name)))
                })
                .collect();
            let added: Vec<usize> = (0..new.len()).filter(|index| origins.get(*index).is_some_and(Option::is_none)).collect();
            for index in &gone {
                let mut goals = added.iter().filter(|goal| new.get(**goal).is_some_and(|(_, value)| same(*index, value)));
                let (Some(goal), None) = (goals.next(), goals.next()) else { continue };
                let unique =
                    gone.iter().filter(|other| new.get(*goal).is_some_and(|(_, value)| same(**other, value))).count() == 1;
                if let (true, Some(origin)) = (unique, origins.get_mut(*goal)) {
                    *origin = Some(*index);
                }
            }
        }
        origins
    }

    /// True if an upgrader gives a stored member another place.
    fn moves(&self, old: &str) -> bool {
        self.renames.contains_key(old)
    }

    /// True if no schema defines a stored member.
    pub(super) fn keeps(&self, place: &Place, name: &str) -> bool {
        self.kept.contains(&join(&place.old, name))
    }

    /// The stored place of a new member that was in another object.
    pub(super) fn moved_from(&self, new: &str) -> Option<&str> {
        let (parent, _) = split(new);
        let mut found = self.renames.iter().filter(|(old, goals)| goals.contains(new) && split(old).0 != parent);
        found.next().map(|(old, _)| old.as_str())
    }
}

/// A dotted path, as the path of the object and the name in it.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('.').unwrap_or(("", path))
}

/// The type of a member, as far as it is known.
pub(super) fn member_type<'t>(ty: Option<&'t Type>, name: &str) -> Option<&'t Type> {
    match ty? {
        Type::Object(fields) => fields.iter().find(|field| field.name() == name).map(upstate::schema::Field::ty),
        Type::Map(element) => Some(element),
        Type::Bool
        | Type::String
        | Type::Number
        | Type::Dynamic
        | Type::List(_)
        | Type::Set(_)
        | Type::Tuple(_)
        | Type::Json
        | Type::Union(_) => None,
    }
}

/// The type of an element, as far as it is known.
pub(super) fn element_type(ty: Option<&Type>, index: usize) -> Option<&Type> {
    match ty? {
        Type::List(element) | Type::Set(element) => Some(element),
        Type::Tuple(elements) => elements.get(index).map(|element| &**element),
        Type::Bool
        | Type::String
        | Type::Number
        | Type::Dynamic
        | Type::Map(_)
        | Type::Object(_)
        | Type::Json
        | Type::Union(_) => None,
    }
}

/// Removes the nulls that mean the same as an absent member, and refuses others.
///
/// # Errors
/// A list or a map holds null, which the syntax does not have.
pub(super) fn without_nulls(tree: &mut Tree<'_>, ty: Option<&Type>, syntax: &str) -> Result<(), Diagnostic> {
    without_absent(tree, ty);
    find_null(tree).map_err(|mut steps| {
        steps.reverse();
        let detail = format!(
            "The document holds null in a list, a map or a value without a type, and {syntax} has no null. Nothing was written."
        );
        Diagnostic::error("Unable to Write Document", detail).at(steps.into_iter().collect())
    })
}

/// Removes the nulls that mean the same as an absent member.
pub(super) fn without_absent(tree: &mut Tree<'_>, ty: Option<&Type>) {
    match tree {
        Tree::Object(members) => {
            if matches!(ty, Some(Type::Object(_))) {
                members.retain(|(_, value)| *value != Tree::Null);
            }
            for (name, value) in members {
                without_absent(value, member_type(ty, name));
            }
        }
        Tree::Array(elements) => {
            for (index, element) in elements.iter_mut().enumerate() {
                without_absent(element, element_type(ty, index));
            }
        }
        Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::String(_) => {}
    }
}

/// Fails with the place of a null, from inside out.
fn find_null(tree: &Tree<'_>) -> Result<(), Vec<PathStep>> {
    let below = |mut steps: Vec<PathStep>, step: PathStep| {
        steps.push(step);
        steps
    };
    match tree {
        Tree::Object(members) => members.iter().try_for_each(|(name, value)| {
            find_null(value).map_err(|steps| below(steps, PathStep::Attribute(name.clone().into_owned().into())))
        }),
        Tree::Array(elements) => elements
            .iter()
            .enumerate()
            .try_for_each(|(index, element)| find_null(element).map_err(|steps| below(steps, PathStep::Index(index as u64)))),
        Tree::Null => Err(Vec::new()),
        Tree::Bool(_) | Tree::Number(_) | Tree::String(_) => Ok(()),
    }
}

/// For each new element the stored one that it comes from: the same value, else the one that stood there, in order.
pub(super) fn aligned(old: usize, new: &[&Tree<'_>], same: impl Fn(usize, &Tree<'_>) -> bool) -> Vec<Option<usize>> {
    let front = new.iter().take(old).enumerate().take_while(|(index, value)| same(*index, value)).count();
    let back = (0..(old - front).min(new.len() - front))
        .take_while(|behind| new.get(new.len() - 1 - behind).is_some_and(|value| same(old - 1 - behind, value)))
        .count();
    let (middle, mut next) = (new.len() - front - back, front);
    let mut origins: Vec<Option<usize>> = Vec::with_capacity(new.len());
    origins.extend((0..front).map(Some));
    let until = old - back;
    let changed = middle == until - front;
    for value in new.iter().skip(front).take(middle) {
        // As many as before: each is what stood there, changed. Else what is equal is what it was.
        let found = if changed { (next < until).then_some(next) } else { (next..until).find(|index| same(*index, value)) };
        origins.push(found);
        next = found.map_or(next, |found| found + 1);
    }
    origins.extend((until..old).map(Some));
    origins
}

/// True if the new elements are the stored ones in any order.
pub(super) fn is_permutation(old: usize, new: &[Tree<'_>], same: impl Fn(usize, &Tree<'_>) -> bool) -> bool {
    let mut left: Vec<usize> = (0..old).collect();
    old == new.len()
        && new.iter().all(|value| {
            let found = left.iter().position(|index| same(*index, value));
            found.map(|found| left.swap_remove(found)).is_some()
        })
}

/// True if the order of elements means nothing.
pub(super) fn is_set(ty: Option<&Type>) -> bool {
    matches!(ty, Some(Type::Set(_)))
}

/// The elements of a set: those that were stored in their order, then the others.
pub(super) fn in_stored_order<'t, 'v>(
    old: usize,
    new: &'t [Tree<'v>],
    same: impl Fn(usize, &Tree<'v>) -> bool,
) -> Vec<&'t Tree<'v>> {
    let mut left: Vec<&Tree<'v>> = new.iter().collect();
    let mut ordered = Vec::with_capacity(new.len());
    for index in 0..old {
        if let Some(found) = left.iter().position(|value| same(index, value)) {
            ordered.push(left.remove(found));
        }
    }
    ordered.extend(left);
    ordered
}

/// True if a stored value is the new one: numbers by value, sets in any order, absent members as null.
pub(super) fn is_same(old: &Tree<'_>, new: &Tree<'_>, ty: Option<&Type>) -> bool {
    match (old, new) {
        (Tree::Number(old), Tree::Number(new)) => equal_numbers(old, new),
        (Tree::Array(old), Tree::Array(new)) => {
            let same =
                |index: usize, value: &Tree<'_>| old.get(index).is_some_and(|old| is_same(old, value, element_type(ty, index)));
            old.len() == new.len()
                && (new.iter().enumerate().all(|(index, value)| same(index, value))
                    || is_set(ty) && is_permutation(old.len(), new, same))
        }
        (Tree::Object(old), Tree::Object(new)) => {
            let get = |members: &[(Cow<'_, str>, Tree<'_>)], name: &str| members.iter().position(|(other, _)| other == name);
            let absent = |value: &Tree<'_>| matches!(ty, Some(Type::Object(_))) && *value == Tree::Null;
            new.iter().all(|(name, value)| match get(old, name).and_then(|index| old.get(index)) {
                Some((_, old)) => is_same(old, value, member_type(ty, name)),
                None => absent(value),
            }) && old.iter().all(|(name, value)| get(new, name).is_some() || absent(value))
        }
        _ => old == new,
    }
}

/// The new document in the order of the stored one, with the members that no schema defines.
pub(super) fn merged<'t>(old: &Tree<'t>, new: Tree<'t>, ty: Option<&Type>, edits: &Edits, place: &Place) -> Tree<'t> {
    match (old, new) {
        (Tree::Object(stored), Tree::Object(new)) => {
            let names: Vec<&str> = stored.iter().map(|(name, _)| &**name).collect();
            let same = |index: usize, value: &Tree<'_>| stored.get(index).is_some_and(|(_, old)| is_same(old, value, None));
            let origins = edits.origins(place, &names, &new, same);
            let mut left: Vec<Option<(Cow<'t, str>, Tree<'t>)>> = new.into_iter().map(Some).collect();
            let mut members = Vec::with_capacity(left.len());
            for (index, (name, value)) in stored.iter().enumerate() {
                let goal = origins.iter().position(|origin| *origin == Some(index));
                if let Some((goal, new)) = goal.and_then(|goal| left.get_mut(goal).and_then(Option::take)) {
                    let place = place.member(name, &goal);
                    let value = merged(value, new, member_type(ty, &goal), edits, &place);
                    members.push((goal, value));
                } else if edits.keeps(place, name) && !left.iter().flatten().any(|(new, _)| new == name) {
                    members.push((name.clone(), value.clone()));
                }
            }
            let (first, rest): (Vec<_>, Vec<_>) = left
                .into_iter()
                .flatten()
                .partition(|(name, _)| place.new.is_empty() && edits.first.iter().any(|first| first == name));
            Tree::Object(first.into_iter().chain(members).chain(rest).collect())
        }
        (Tree::Array(stored), Tree::Array(new)) => {
            let same = |index: usize, value: &Tree<'_>| {
                stored.get(index).is_some_and(|old| is_same(old, value, element_type(ty, index)))
            };
            let new: Vec<&Tree<'t>> = if is_set(ty) { in_stored_order(stored.len(), &new, same) } else { new.iter().collect() };
            let origins = aligned(stored.len(), &new, same);
            let elements = new.into_iter().zip(origins).enumerate().map(|(index, (value, origin))| {
                match origin.and_then(|origin| stored.get(origin)) {
                    Some(old) => merged(old, value.clone(), element_type(ty, index), edits, place),
                    None => value.clone(),
                }
            });
            Tree::Array(elements.collect())
        }
        // The stored digits, so that an equal number stays as it was written.
        (old @ Tree::Number(_), new) if is_same(old, &new, ty) => old.clone(),
        (_, new) => new,
    }
}
