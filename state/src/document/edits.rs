//! The edit of a document in place: which stored member becomes which, so that comments go along.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use upstate::path::PathStep;
use upstate::schema::Type;
use upstate::{AttributePath, Diagnostic};

use super::tree::Tree;

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
    remove_nulls(tree, ty).map_err(|mut steps| {
        steps.reverse();
        let detail = format!(
            "The document holds null in a list, a map or a value without a type, and {syntax} has no null. Nothing was written."
        );
        Diagnostic::error("Unable to Write Document", detail).at(steps.into_iter().collect())
    })
}

/// Fails with the place of a null that cannot go, from inside out.
fn remove_nulls(tree: &mut Tree<'_>, ty: Option<&Type>) -> Result<(), Vec<PathStep>> {
    let below = |step: PathStep| {
        move |mut steps: Vec<PathStep>| {
            steps.push(step);
            steps
        }
    };
    match tree {
        Tree::Object(members) => {
            if matches!(ty, Some(Type::Object(_))) {
                members.retain(|(_, value)| *value != Tree::Null);
            }
            for (name, value) in members {
                remove_nulls(value, member_type(ty, name))
                    .map_err(|steps| below(PathStep::Attribute(name.clone().into_owned().into()))(steps))?;
            }
        }
        Tree::Array(elements) => {
            for (index, element) in elements.iter_mut().enumerate() {
                remove_nulls(element, element_type(ty, index)).map_err(below(PathStep::Index(index as u64)))?;
            }
        }
        Tree::Null => return Err(Vec::new()),
        Tree::Bool(_) | Tree::Number(_) | Tree::String(_) => {}
    }
    Ok(())
}
