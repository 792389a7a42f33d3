//! The edit of a document in place: which stored member becomes which, so that comments go along.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};

use upstate::__internal::{
    ANY_KEY, aliases, joined, renamed_contents, renamed_contents_back, renames, renames_back,
};
use upstate::path::PathStep;
use upstate::schema::Type;
use upstate::{AttributePath, Diagnostic, ResourceDefinition};

use super::pairs::{Pairs, StoredKey, at_ends, by_keys, fill, find_elsewhere, pair_as, stored_key};
use super::place::{
    Beside, Names, Part, Place, absent_is_null, element_type, in_one_order, inside, is_set,
    member_type, parts, split, without_absent_but,
};
use super::sets::{held_in, in_stored_order, is_permutation};
use super::text;
use super::transcode::is_float;
use super::tree::{ByName, Numbers, Tree};

/// The paths in the new document of what has another path in the stored one.
pub(super) type Goals = BTreeMap<Names, BTreeSet<Names>>;

/// The changes that make a stored document the new one.
#[derive(Debug)]
pub(super) struct Edits {
    pub(super) known: Arc<Known>,
    /// The paths of stored members that no schema defines: they stay.
    pub(super) kept: BTreeSet<Names>,
    /// True if a member that is gone and a new one of the same value are one member: the document
    /// is of an earlier version.
    pub(super) pairs_values: bool,
    /// The places of elements and entries since the model was read, if it was.
    pub(super) pairs: Option<Arc<Pairs>>,
    /// The members that a new document begins with.
    pub(super) first: Vec<String>,
    /// The member that holds the attributes, if they are not at the root.
    pub(super) attributes: Option<String>,
    /// The stored numbers that stay as they are written.
    pub(super) numbers: Numbers,
}

/// A document that was written.
pub(super) struct Written {
    pub(super) bytes: Vec<u8>,
    /// True if no other [`Numbers`] would have made another document.
    pub(super) is_settled: bool,
}

impl Written {
    /// A document that other [`Numbers`] may make another one.
    pub(super) const fn unsettled(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            is_settled: false,
        }
    }
}

/// The part of an edit that is the same for all documents of one type and version.
#[derive(Debug)]
pub(super) struct Known {
    /// The places of stored members in the new document where they are others, by path.
    pub(super) renames: Goals,
    /// The places of contents of enums, and of members that are read by another name, where they
    /// are others; a key of a map may be any.
    pub(super) contents: Goals,
    /// The type of the new document.
    pub(super) ty: Type,
    /// True if all of these are members of the root.
    at_root: bool,
    /// The names of the stored members that have other places, by the object that they are in.
    sources: HashMap<Names, HashSet<String>>,
    /// The names of these places, by the object of the new document.
    goals: HashMap<Names, HashSet<String>>,
    /// The first source of each place that is in another object.
    moves: HashMap<Names, Names>,
}

/// The number of members that are compared one by one, because a table of so few takes longer.
const FEW: usize = 16;

/// The most pairs of members that are compared to find one that an upgrade renamed unasked, because
/// those of a map of 100,000 entries take minutes.
const MOST_PAIRS: usize = 10_000_000;

/// The known parts of edits by the address of a model's history, because they take longer to find
/// than a document takes to edit.
static KNOWN: Mutex<BTreeMap<(usize, u64), Arc<Known>>> = Mutex::new(BTreeMap::new());

impl Known {
    pub(super) fn new(renames: Goals, ty: Type) -> Self {
        let at_root = renames
            .iter()
            .all(|(old, goals)| old.len() == 1 && goals.iter().all(|goal| goal.len() == 1));
        let (mut sources, mut all_goals) = (HashMap::new(), HashMap::new());
        let mut moves = HashMap::new();
        let add = |names: &mut HashMap<Names, HashSet<String>>, path: &Names| {
            let (object, name) = split(path);
            let names = names.entry(object.to_vec()).or_default();
            names.insert(name.to_owned());
        };
        for (old, goals) in &renames {
            add(&mut sources, old);
            for goal in goals {
                add(&mut all_goals, goal);
                if split(goal).0 != split(old).0 {
                    moves.entry(goal.clone()).or_insert_with(|| old.clone());
                }
            }
        }
        Self {
            renames,
            contents: BTreeMap::new(),
            ty,
            at_root,
            sources,
            goals: all_goals,
            moves,
        }
    }

    /// That of documents that were stored at `version`.
    pub(super) fn of(definition: &ResourceDefinition, version: u64) -> Arc<Self> {
        let ty = || definition.schema().implied_type();
        // A definition made at run time has no history, and so no address that stays its own.
        let Some(history) = definition.history() else {
            return Arc::new(Self::new(BTreeMap::new(), ty()));
        };
        let key = (std::ptr::from_ref(history).addr(), version);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.entry(key).or_insert_with(|| {
            let mut sources = Goals::new();
            if version != definition.version() {
                sources = goals(renames(history, version));
                // Beside the others that became a part of them, these are a source, too.
                for path in joined(history, version).into_iter().map(names) {
                    sources.entry(path.clone()).or_default().insert(path);
                }
            }
            let ty = ty();
            let mut contents = BTreeMap::new();
            if version != definition.version() {
                contents = goals(renamed_contents(history, version));
            }
            let aliases = goals(aliases(history));
            let mut inside = Vec::new();
            for (from, goals) in sources.iter().chain(&contents) {
                for (alias, name) in &aliases {
                    // Because a member around it may be at another place now.
                    let rest = |goal: &Names| {
                        alias
                            .strip_prefix(goal.as_slice())
                            .filter(|rest| !rest.is_empty())
                    };
                    inside.extend(
                        goals
                            .iter()
                            .filter_map(rest)
                            .map(|rest| ([from, rest].concat(), name.clone())),
                    );
                }
            }
            for (alias, name) in inside.into_iter().chain(aliases) {
                contents.entry(alias).or_default().extend(name);
            }
            Arc::new(Self {
                contents,
                ..Self::new(sources, ty)
            })
        });
        Arc::clone(found)
    }

    /// That of documents of the current version that get an earlier one: the shape at this place
    /// among those that it stored.
    pub(super) fn back(definition: &ResourceDefinition, to: u64, shape: Option<usize>) -> Self {
        let shapes = definition.prior_schemas_of(to);
        let shape = shape.and_then(|place| shapes.get(place));
        let ty = shape.or_else(|| shapes.first()).map_or_else(
            || definition.schema().implied_type(),
            |block| block.implied_type(),
        );
        let Some(history) = definition.history() else {
            return Self::new(Goals::new(), ty);
        };
        let renames = goals(renames_back(history, to));
        let mut contents = goals(renamed_contents_back(history, to));
        let before = |name: Names| -> BTreeSet<Names> {
            let around = renames.iter().chain(&contents).filter_map(|(from, goals)| {
                Some((from.len(), goals, name.strip_prefix(from.as_slice())?))
            });
            match around.max_by_key(|(length, ..)| *length) {
                Some((_, goals, rest)) => goals
                    .iter()
                    .map(|goal| [goal.as_slice(), rest].concat())
                    .collect(),
                None => BTreeSet::from([name]),
            }
        };
        // Because a stored alias goes to the place of the member that it names.
        let aliases: Vec<(Names, BTreeSet<Names>)> = goals(aliases(history))
            .into_iter()
            .map(|(alias, names)| (alias, names.into_iter().flat_map(before).collect()))
            .collect();
        for (alias, goals) in aliases {
            contents.entry(alias).or_default().extend(goals);
        }
        Self {
            contents,
            ..Self::new(renames, ty)
        }
    }

    /// True if what is stored at the path `old` is at `new` in the new document.
    pub(super) fn leads(&self, old: &[String], new: &[String]) -> bool {
        self.places(old).iter().any(|place| place == new)
    }

    /// The paths in the new document of what is stored at the path `old`.
    pub(super) fn places(&self, old: &[String]) -> Vec<Names> {
        let nearest = (0..=old.len()).rev().find_map(|end| {
            let (from, rest) = old.split_at_checked(end)?;
            Some((rest, self.renames.get(from)?))
        });
        let Some((rest, goals)) = nearest else {
            return vec![old.to_vec()];
        };
        goals
            .iter()
            .map(|goal| [goal.as_slice(), rest].concat())
            .collect()
    }

    /// Those places in the new document, with the keys that the maps of a stored document have.
    pub(super) fn contents_of(&self, stored: &Tree<'_>) -> Goals {
        let mut found = Goals::new();
        for (old, goals) in &self.contents {
            let mut all = BTreeSet::new();
            keys_on(stored, old, &mut Vec::new(), &mut all);
            for keys in all {
                let goals = goals.iter().map(|goal| with_keys(goal, &keys));
                found
                    .entry(with_keys(old, &keys))
                    .or_default()
                    .extend(goals);
            }
        }
        found
    }
}

/// Finds the keys of maps on a path, for each value that is there.
fn keys_on(
    tree: &Tree<'_>,
    path: &[String],
    keys: &mut Vec<String>,
    found: &mut BTreeSet<Vec<String>>,
) {
    match (tree, path) {
        (_, []) => drop(found.insert(keys.clone())),
        (Tree::Array(elements), path) => elements
            .iter()
            .for_each(|element| keys_on(element, path, keys, found)),
        (Tree::Object(members), [key, rest @ ..]) if key == ANY_KEY => {
            for (key, value) in members {
                keys.push(key.clone().into_owned());
                keys_on(value, rest, keys, found);
                keys.pop();
            }
        }
        (Tree::Object(members), [name, rest @ ..]) => {
            members
                .iter()
                .filter(|(found, _)| found == name)
                .for_each(|(_, value)| keys_on(value, rest, keys, found));
        }
        (Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::String(_), _) => {}
    }
}

fn with_keys(path: &[String], keys: &[String]) -> Names {
    let mut keys = keys.iter();
    path.iter()
        .map(|step| {
            if step == ANY_KEY {
                keys.next().unwrap_or(step)
            } else {
                step
            }
            .clone()
        })
        .collect()
}

fn names(path: impl IntoIterator<Item = &'static str>) -> Names {
    path.into_iter().map(str::to_owned).collect()
}

fn goals<P: IntoIterator<Item = &'static str>>(
    found: impl IntoIterator<Item = (P, BTreeSet<P>)>,
) -> Goals {
    found
        .into_iter()
        .map(|(from, goals)| (names(from), goals.into_iter().map(names).collect()))
        .collect()
}

/// A path without the indices of elements.
pub(super) fn without_indices(path: &AttributePath) -> Names {
    let names = path.steps().iter().filter_map(|step| match step {
        PathStep::Attribute(name) => Some((**name).to_owned()),
        PathStep::Key(key) => Some(key.clone()),
        PathStep::Index(_) | PathStep::Element(_) => None,
    });
    names.collect()
}

/// The paths of an object in both documents, where an upgrader or a schema says something about its
/// members.
struct Touched {
    old: Names,
    new: Names,
}

impl Edits {
    /// The objects of the new document with members of flattened enums and maps, those of `parts`.
    pub(super) fn beside<'e>(&'e self, parts: &'e [Part], has_null: bool) -> Beside<'e> {
        let whole = &self.known.ty;
        let attributes = match &self.attributes {
            Some(member) => member_type(Some(whole), member),
            None => Some(whole),
        };
        Beside::of(attributes, parts, has_null)
    }

    fn touched(&self, place: &Place<'_>) -> Option<Touched> {
        if self.kept.is_empty()
            && (self.known.renames.is_empty() || self.known.at_root && !place.is_root())
        {
            return None;
        }
        let (old, new) = (place.old_path(), place.new_path());
        let touches = self.keeps_in(&old)
            || self.keeps_in(&new)
            || self.known.sources.contains_key(&old)
            || self.known.goals.contains_key(&new);
        touches.then_some(Touched { old, new })
    }

    /// True if no schema defines a member of the object at this path.
    fn keeps_in(&self, object: &[String]) -> bool {
        // A path that begins with this one comes right after it, so that not all are looked at.
        let after = (Bound::Excluded(object), Bound::Unbounded);
        self.kept
            .range::<[String], _>(after)
            .take_while(|path| path.starts_with(object))
            .any(|path| split(path).0 == object)
    }

    /// True if the stored members of an object are the new ones, each under its name, or stay
    /// because no schema defines them.
    pub(super) fn are_these<'n>(
        &self,
        place: &Place<'_>,
        names: impl Iterator<Item = &'n str>,
        new: &[(Cow<'_, str>, Tree<'_>)],
    ) -> bool {
        let (touched, wanted) = (self.touched(place), ByName::of(new));
        let mut found = 0;
        for name in names {
            let moves = touched.as_ref().is_some_and(|touched| {
                self.known.renames.contains_key(&inside(&touched.old, name))
            });
            if !moves && wanted.get(name).is_some() {
                found += 1;
            } else if !touched
                .as_ref()
                .is_some_and(|touched| self.is_kept(touched, name))
            {
                return false;
            }
        }
        found == new.len()
    }

    /// For each new member the index of the stored one that it was, if it was in the same object.
    pub(super) fn origins_in(
        &self,
        place: &Place<'_>,
        stored: &[(Cow<'_, str>, Tree<'_>)],
        new: &[(Cow<'_, str>, Tree<'_>)],
    ) -> Vec<Option<usize>> {
        let names: Vec<&str> = stored.iter().map(|(name, _)| &**name).collect();
        // In whichever digits, because those of a number that stays may have to be others.
        let same = |index: usize, value: &Tree<'_>| {
            stored
                .get(index)
                .is_some_and(|(_, old)| is_same(old, value, None, Numbers::Equal))
        };
        self.origins(place, &names, new, same)
    }

    /// That, where the stored ones have these names, and `same` compares one with a new value.
    pub(super) fn origins(
        &self,
        place: &Place<'_>,
        old: &[&str],
        new: &[(Cow<'_, str>, Tree<'_>)],
        same: impl Fn(usize, &Tree<'_>) -> bool,
    ) -> Vec<Option<usize>> {
        // The first of a name comes last, so that it counts.
        let places: HashMap<&str, usize> = if old.len() > FEW {
            let places = old.iter().enumerate().rev();
            places.map(|(index, name)| (*name, index)).collect()
        } else {
            HashMap::new()
        };
        let at = |name: &str| {
            if old.len() > FEW {
                places.get(name).copied()
            } else {
                old.iter().position(|stored| *stored == name)
            }
        };
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
        let touched = self.touched(place);
        if let Some(Touched {
            old: within_old,
            new: within_new,
        }) = &touched
        {
            // Without a path for each name, because there are many names and few renames.
            let is_in =
                |path: &Names, within: &Names, name: &str| split(path) == (within.as_slice(), name);
            let goals_here = self.known.goals.get(within_new);
            let is_goal = |name: &str| goals_here.is_some_and(|names| names.contains(name));
            let sources_here = self.known.sources.get(within_old);
            let is_source = |name: &str| sources_here.is_some_and(|names| names.contains(name));
            // Before renames, because a member that was copied is still itself.
            for (origin, (name, value)) in origins.iter_mut().zip(new) {
                if let Some(index) = at(name)
                    && is_source(name)
                    && !is_goal(name)
                    && same(index, value)
                {
                    take(origin, index);
                }
            }
            // By the upgraders before names, because a name may have been given to another member.
            let goals: Vec<_> = old
                .iter()
                .map(|stored| self.known.renames.get(&inside(within_old, stored)))
                .collect();
            for (origin, (name, value)) in origins
                .iter_mut()
                .zip(new)
                .filter(|(origin, _)| origin.is_none())
            {
                let leads = |goals: &BTreeSet<Names>| {
                    goals.iter().any(|goal| is_in(goal, within_new, name))
                };
                let is_old =
                    |index: &usize| goals.get(*index).copied().flatten().is_some_and(leads);
                let candidates = || (0..old.len()).filter(is_old);
                let Some(first) = candidates().next() else {
                    continue;
                };
                // Preferably the one whose value it is, because comments are about values.
                take(
                    origin,
                    candidates()
                        .chain(at(name))
                        .find(|index| same(*index, value))
                        .unwrap_or(first),
                );
            }
        }
        for (origin, (name, _)) in origins
            .iter_mut()
            .zip(new)
            .filter(|(origin, _)| origin.is_none())
        {
            if let Some(index) = at(name) {
                take(origin, index);
            }
        }
        if origins.iter().any(Option::is_none)
            && let Some(keys) = self.pairs.as_ref().and_then(|pairs| pairs.keys(place))
        {
            for (origin, (name, _)) in origins
                .iter_mut()
                .zip(new)
                .filter(|(origin, _)| origin.is_none())
            {
                if let Some(index) = keys.get(&**name).and_then(|was| at(was)) {
                    take(origin, index);
                }
            }
        }
        if self.pairs_values && origins.iter().any(Option::is_none) {
            let stays = |name: &str| {
                touched.as_ref().is_some_and(|touched| {
                    self.is_kept(touched, name)
                        || self.known.renames.contains_key(&inside(&touched.old, name))
                })
            };
            let gone: Vec<usize> = (0..old.len())
                .filter(|index| !taken.get(*index).copied().unwrap_or(true))
                .filter(|index| old.get(*index).is_some_and(|name| !stays(name)))
                .collect();
            let added: Vec<usize> = (0..new.len())
                .filter(|index| origins.get(*index).is_some_and(Option::is_none))
                .collect();
            if gone.len().saturating_mul(added.len()) > MOST_PAIRS {
                return origins;
            }
            for index in &gone {
                let mut goals = added.iter().filter(|goal| {
                    new.get(**goal)
                        .is_some_and(|(_, value)| same(*index, value))
                });
                let (Some(goal), None) = (goals.next(), goals.next()) else {
                    continue;
                };
                let unique = gone
                    .iter()
                    .filter(|other| {
                        new.get(*goal)
                            .is_some_and(|(_, value)| same(**other, value))
                    })
                    .count()
                    == 1;
                if let (true, Some(origin)) = (unique, origins.get_mut(*goal)) {
                    *origin = Some(*index);
                }
            }
        }
        origins
    }

    /// For each new element the stored one that it was: each once, and only where that is sure,
    /// because what else is stored with it must not go to another one. `key` gives the key of this
    /// name that a stored one has.
    pub(super) fn elements(
        &self,
        place: &Place<'_>,
        old: usize,
        new: &[&Tree<'_>],
        same: impl Fn(usize, &Tree<'_>) -> bool,
        key: impl Fn(usize, &str) -> Option<StoredKey>,
    ) -> Vec<Option<usize>> {
        let is_same = |at: usize, index: usize| new.get(index).is_some_and(|value| same(at, value));
        let pairs = self.pairs.as_ref().filter(|_| !is_set(place.ty));
        let known = pairs.and_then(|pairs| pairs.elements(place, old, new.len()));
        let is_known = known.is_some();
        let expected = known.unwrap_or_else(|| at_ends(old, new.len(), is_same));
        // Not those at the ends, because they have just been compared.
        let is_still = |at: &usize, index: usize| !is_known || is_same(*at, index);
        let mut origins: Vec<Option<usize>> = expected
            .iter()
            .enumerate()
            .map(|(index, origin)| origin.filter(|at| is_still(at, index)))
            .collect();
        if origins.iter().all(Option::is_some) {
            return origins;
        }
        // An upgrade may have changed all of them, and their order.
        if self.pairs_values
            && !is_set(place.ty)
            && let Some(origins) = by_keys((old, new), &expected, &same, key)
        {
            return origins;
        }
        // Without that model, as many as before are what stood there, unless only their order is
        // another one.
        let are_found = pairs.is_some() || is_set(place.ty) || old != new.len();
        let first = origins.iter().position(Option::is_none);
        let is_there = |index| (0..old).any(|at| is_same(at, index));
        if are_found || first.is_some_and(is_there) {
            let mut elsewhere = origins.clone();
            find_elsewhere(&mut elsewhere, old, is_same);
            if are_found || elsewhere.iter().all(Option::is_some) {
                origins = elsewhere;
            }
        }
        if let Some(pairs) = self.pairs.as_ref().filter(|_| is_set(place.ty)) {
            let was: Vec<Option<Tree<'_>>> = origins
                .iter()
                .zip(new)
                .map(|(origin, value)| match origin {
                    Some(_) => None,
                    None => pairs.edited(place, value),
                })
                .collect();
            find_elsewhere(&mut origins, old, |at, index| {
                let was = was.get(index).and_then(Option::as_ref);
                was.is_some_and(|was| same(at, was))
            });
        }
        pair_as(&mut origins, &expected, old);
        // Because the upgrade may have made one what another one was, such as by counting from one.
        let mut pairs = origins.iter().zip(&expected);
        let is_taken = pairs.any(|(origin, at)| origin.is_none() && at.is_some());
        if is_known && self.pairs_values && is_taken {
            return expected;
        }
        // Not elements of sets, because one that differs is another one.
        if !is_known && !is_set(place.ty) {
            fill(&mut origins, old);
        }
        origins
    }

    /// The new member of the same object that a stored one became a part of.
    #[cfg(feature = "toml")]
    pub(super) fn goal<'n>(
        &self,
        place: &Place<'_>,
        name: &str,
        new: &'n [(Cow<'_, str>, Tree<'_>)],
    ) -> Option<&'n str> {
        let goals = self.known.renames.get(&inside(&place.old_path(), name))?;
        let within = place.new_path();
        new.iter()
            .map(|(name, _)| &**name)
            .find(|name| goals.contains(&inside(&within, name)))
    }

    /// True if no schema defines a stored member.
    pub(super) fn keeps(&self, place: &Place<'_>, name: &str) -> bool {
        !self.kept.is_empty()
            && self.is_kept(
                &Touched {
                    old: place.old_path(),
                    new: place.new_path(),
                },
                name,
            )
    }

    /// An upgrade finds such a member where it is stored, or at the end, within an object that went
    /// along to another place.
    fn is_kept(&self, within: &Touched, name: &str) -> bool {
        self.kept.contains(&inside(&within.old, name))
            || self.kept.contains(&inside(&within.new, name))
    }

    /// True if a stored member is another one now, or in another object.
    #[cfg(feature = "jsonc")]
    pub(super) fn moves_away(&self, place: &Place<'_>, name: &str) -> bool {
        !self.known.renames.is_empty()
            && self
                .known
                .renames
                .contains_key(&inside(&place.old_path(), name))
    }

    /// The place today of a stored one: that of the nearest member around it that an upgrader
    /// moved, and the rest as it was.
    #[cfg(feature = "jsonc")]
    pub(super) fn steps_today(&self, path: &AttributePath) -> Vec<PathStep> {
        let steps = path.steps();
        for end in (1..=steps.len()).rev() {
            let Some((around, rest)) = steps.split_at_checked(end) else {
                continue;
            };
            let old = without_indices(&around.iter().cloned().collect());
            let Some(goal) = self.known.renames.get(&old).and_then(BTreeSet::first) else {
                continue;
            };
            let (object, name) = split(goal);
            let mut today: Vec<PathStep> = if object == split(&old).0 {
                around
                    .split_last()
                    .map(|(_, object)| object.to_vec())
                    .unwrap_or_default()
            } else {
                object.iter().map(|name| step(name)).collect()
            };
            today.push(step(name));
            today.extend_from_slice(rest);
            return today;
        }
        steps.to_vec()
    }

    /// The stored members of which several are one now, in the order of their paths: each path of
    /// the new document, with a stored one.
    #[cfg(feature = "toml")]
    pub(super) fn merges(&self) -> impl Iterator<Item = (&Names, &Names)> {
        let pairs = || {
            self.known
                .renames
                .iter()
                .flat_map(|(old, goals)| goals.iter().map(move |goal| (goal, old)))
        };
        // Counted, because there may be one for each entry of a map.
        let mut counts: HashMap<&Names, usize> = HashMap::new();
        for (goal, _) in pairs() {
            *counts.entry(goal).or_default() += 1;
        }
        pairs().filter(move |(goal, _)| counts.get(goal).is_some_and(|count| *count > 1))
    }

    /// The stored members that are in another object of the new document: each path there, with the
    /// stored one.
    #[cfg(feature = "toml")]
    pub(super) fn moves(&self) -> impl Iterator<Item = (&Names, &Names)> {
        self.known.renames.iter().flat_map(|(old, goals)| {
            goals
                .iter()
                .filter(|goal| split(goal).0 != split(old).0)
                .map(move |goal| (goal, old))
        })
    }
}

#[cfg(feature = "jsonc")]
fn step(name: &str) -> PathStep {
    PathStep::Attribute(name.to_owned().into())
}

/// For each stored member the new one that it is.
pub(super) fn goals_of(origins: &[Option<usize>], stored: usize) -> Vec<Option<usize>> {
    let mut goals = vec![None; stored];
    for (goal, origin) in origins.iter().enumerate() {
        if let Some(found) = origin.and_then(|origin| goals.get_mut(origin)) {
            *found = Some(goal);
        }
    }
    goals
}

/// Removes the nulls that mean the same as an absent member, and refuses others.
///
/// # Errors
/// Null is there where it is not the same as nothing, and the syntax does not have it.
pub(super) fn without_nulls(
    tree: &mut Tree<'_>,
    (definition, edits): (&ResourceDefinition, &Edits),
    syntax: &str,
) -> Result<(), Diagnostic> {
    let parts = parts(definition.schema());
    let beside = edits.beside(&parts, false);
    if !without_absent_but(tree, Some(&edits.known.ty), &beside) {
        return Ok(());
    }
    find(tree, &|value| *value == Tree::Null).map_err(|steps| null_at(steps, syntax))
}

/// The refusal of a null at a place, from inside out.
fn null_at(mut steps: Vec<PathStep>, syntax: &str) -> Diagnostic {
    steps.reverse();
    let detail = format!(
        "The document holds null in a list, a map, a value without a type or a member that has a default, and {syntax} has no null. \
         Nothing was written."
    );
    text::unwritable(detail).at(steps.into_iter().collect())
}

/// The refusal of the first null that was given and is not read again: one in a flattened map, of
/// whose members no type tells.
pub(super) fn lost_null<'j>(given: &'j [u8], again: &'j [u8], syntax: &str) -> Option<Diagnostic> {
    let tree = |json: &'j [u8]| Tree::parse(std::str::from_utf8(json).ok()?).ok();
    null_not_in(&tree(given)?, &tree(again)?).map(|steps| null_at(steps, syntax))
}

/// The place of the first null of a member that another tree does not have, from inside out.
pub(super) fn null_not_in(tree: &Tree<'_>, other: &Tree<'_>) -> Option<Vec<PathStep>> {
    match (tree, other) {
        (Tree::Object(members), Tree::Object(others)) => {
            let others: HashMap<&str, &Tree<'_>> = others
                .iter()
                .map(|(name, other)| (&**name, other))
                .collect();
            members.iter().find_map(|(name, value)| {
                let mut steps = match others.get(&**name) {
                    Some(other) => null_not_in(value, other)?,
                    None if *value == Tree::Null => Vec::new(),
                    None => return None,
                };
                steps.push(PathStep::Attribute(name.clone().into_owned().into()));
                Some(steps)
            })
        }
        (Tree::Array(elements), Tree::Array(others)) => {
            let mut pairs = elements.iter().zip(others).enumerate();
            pairs.find_map(|(index, (element, other))| {
                let mut steps = null_not_in(element, other)?;
                steps.push(PathStep::Index(index as u64));
                Some(steps)
            })
        }
        (
            Tree::Null
            | Tree::Bool(_)
            | Tree::Number(_)
            | Tree::String(_)
            | Tree::Array(_)
            | Tree::Object(_),
            _,
        ) => None,
    }
}

/// Refuses integers of more than 64 bits, which would be floats in the syntax and not be read as
/// integers again.
///
/// # Errors
/// There is one.
pub(super) fn without_wide(tree: &Tree<'_>, syntax: &str) -> Result<(), Diagnostic> {
    let is_wide = |value: &Tree<'_>| {
        let Tree::Number(digits) = value else {
            return false;
        };
        !is_float(digits) && digits.parse::<u64>().is_err() && digits.parse::<i64>().is_err()
    };
    find(tree, &is_wide).map_err(|mut steps| {
        steps.reverse();
        let detail = format!(
            "The document holds a number with more digits than 64 bits hold, which {syntax} cannot. Nothing was written."
        );
        text::unwritable(detail).at(steps.into_iter().collect())
    })
}

/// True if two documents hold the same values. Those of a type without a schema may be in another
/// order each time, because serde writes hash maps and hash sets so.
pub(super) fn holds_same(one: &[u8], other: &[u8], ty: &Type) -> bool {
    let in_order = |json: &[u8]| {
        let tree = Tree::parse(std::str::from_utf8(json).ok()?).ok()?;
        let mut out = Vec::new();
        in_one_order(tree, Some(ty), false).write(&mut out);
        Some(out)
    };
    one == other || in_order(one).is_some_and(|one| Some(one) == in_order(other))
}

/// Fails with the place of the first value of a kind, from inside out.
fn find(tree: &Tree<'_>, is_it: &dyn Fn(&Tree<'_>) -> bool) -> Result<(), Vec<PathStep>> {
    let below = |mut steps: Vec<PathStep>, step: PathStep| {
        steps.push(step);
        steps
    };
    match tree {
        Tree::Object(members) => members.iter().try_for_each(|(name, value)| {
            find(value, is_it).map_err(|steps| {
                below(steps, PathStep::Attribute(name.clone().into_owned().into()))
            })
        }),
        Tree::Array(elements) => elements
            .iter()
            .enumerate()
            .try_for_each(|(index, element)| {
                find(element, is_it).map_err(|steps| below(steps, PathStep::Index(index as u64)))
            }),
        Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::String(_) if is_it(tree) => {
            Err(Vec::new())
        }
        Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::String(_) => Ok(()),
    }
}

/// True if a stored value is the new one: numbers by value, sets in any order, absent members as
/// null.
pub(super) fn is_same(old: &Tree<'_>, new: &Tree<'_>, ty: Option<&Type>, numbers: Numbers) -> bool {
    compares(old, new, ty, (Extra::Differs, numbers))
}

/// True if a stored value is the new one but for members that the new one lacks, such as those that
/// no schema defines. Numbers are compared by value.
pub(super) fn is_alike(old: &Tree<'_>, new: &Tree<'_>, ty: Option<&Type>) -> bool {
    compares(old, new, ty, (Extra::Passes, Numbers::Equal))
}

/// The meaning of a member of a stored object that the new one lacks. An object without members is
/// like no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extra {
    Differs,
    Passes,
}

fn compares(
    old: &Tree<'_>,
    new: &Tree<'_>,
    ty: Option<&Type>,
    (extra, numbers): (Extra, Numbers),
) -> bool {
    match (old, new) {
        (Tree::Number(old), Tree::Number(new)) => numbers.are_same(old, new),
        (Tree::Array(old), Tree::Array(new)) => {
            let same = |index: usize, value: &Tree<'_>| {
                old.get(index).is_some_and(|old| {
                    compares(old, value, element_type(ty, index), (extra, numbers))
                })
            };
            old.len() == new.len()
                && (new
                    .iter()
                    .enumerate()
                    .all(|(index, value)| same(index, value))
                    || is_set(ty) && is_permutation(old.len(), new, same, held_in(old)))
        }
        (Tree::Object(old), Tree::Object(new)) => {
            let absent =
                |name: &str, value: &Tree<'_>| *value == Tree::Null && absent_is_null(ty, name);
            let stored = ByName::of(old);
            let has_new = new.iter().all(|(name, value)| match stored.get(name) {
                Some(old) => compares(old, value, member_type(ty, name), (extra, numbers)),
                None => absent(name, value),
            });
            let passes =
                || extra == Extra::Passes && new.iter().any(|(_, value)| *value != Tree::Null);
            let has_old = || {
                let new = ByName::of(new);
                old.iter()
                    .all(|(name, value)| new.get(name).is_some() || absent(name, value))
            };
            has_new && (passes() || has_old())
        }
        _ => old == new,
    }
}

/// The new document in the order of the stored one, with the members that no schema defines.
pub(super) fn merged<'t>(old: &Tree<'t>, new: Tree<'t>, edits: &Edits) -> Tree<'t> {
    Merge { edits, stored: old }.value(old, new, &Place::of(&edits.known.ty))
}

/// The new elements, with the members that no schema defines.
#[cfg(feature = "jsonc")]
pub(super) fn merged_elements<'t>(
    old: &[Tree<'t>],
    new: &[Tree<'t>],
    edits: &Edits,
    place: &Place<'_>,
) -> Tree<'t> {
    let (old, new) = (Tree::Array(old.to_vec()), Tree::Array(new.to_vec()));
    Merge {
        edits,
        stored: &Tree::Null,
    }
    .value(&old, new, place)
}

/// A member that its object did not have, with those that no schema defines inside of it, if it was
/// in another object.
#[cfg(feature = "jsonc")]
pub(super) fn merged_member<'t>(
    stored: &Tree<'t>,
    (name, new): (&str, Tree<'t>),
    edits: &Edits,
    place: &Place<'_>,
) -> Tree<'t> {
    Merge { edits, stored }.added(name, new, place)
}

struct Merge<'e, 't> {
    edits: &'e Edits,
    stored: &'e Tree<'t>,
}

impl<'t> Merge<'_, 't> {
    fn value(&self, old: &Tree<'t>, new: Tree<'t>, place: &Place<'_>) -> Tree<'t> {
        let (edits, ty) = (self.edits, place.ty);
        match (old, new) {
            (Tree::Object(stored), Tree::Object(new)) => {
                let goals = goals_of(&edits.origins_in(place, stored, &new), stored.len());
                let mut left: Vec<Option<(Cow<'t, str>, Tree<'t>)>> =
                    new.into_iter().map(Some).collect();
                let mut members = Vec::with_capacity(left.len());
                for ((name, value), goal) in stored.iter().zip(goals) {
                    if let Some((goal, new)) =
                        goal.and_then(|goal| left.get_mut(goal).and_then(Option::take))
                    {
                        let value = self.value(value, new, &place.member(name, &goal));
                        members.push((goal, value));
                    } else if edits.keeps(place, name)
                        && !left.iter().flatten().any(|(new, _)| new == name)
                    {
                        members.push((name.clone(), value.clone()));
                    }
                }
                let (first, rest): (Vec<_>, Vec<_>) =
                    left.into_iter().flatten().partition(|(name, _)| {
                        place.is_root() && edits.first.iter().any(|first| first == name)
                    });
                let rest = rest.into_iter().map(|(name, value)| {
                    let value = self.added(&name, value, place);
                    (name, value)
                });
                Tree::Object(first.into_iter().chain(members).chain(rest).collect())
            }
            (Tree::Array(stored), Tree::Array(new)) => {
                let alike = |index: usize, value: &Tree<'_>| {
                    stored
                        .get(index)
                        .is_some_and(|old| is_alike(old, value, element_type(ty, index)))
                };
                let held = held_in(stored);
                let new = in_stored_order(ty, stored.len(), &new, alike, held);
                let key =
                    |at: usize, name: &str| stored.get(at).and_then(|old| stored_key(old, name));
                let origins = edits.elements(place, stored.len(), &new, alike, key);
                let elements =
                    new.into_iter()
                        .zip(origins)
                        .enumerate()
                        .map(|(index, (value, origin))| {
                            match origin.and_then(|origin| stored.get(origin)) {
                                Some(old) => self.value(old, value.clone(), &place.element(index)),
                                None => value.clone(),
                            }
                        });
                Tree::Array(elements.collect())
            }
            // The stored digits, so that an equal number stays as it was written.
            (old @ Tree::Number(_), new) if is_same(old, &new, ty, edits.numbers) => old.clone(),
            (_, new) => new,
        }
    }

    /// A member that its object did not have: from another object, or new.
    fn added(&self, name: &str, new: Tree<'t>, place: &Place<'_>) -> Tree<'t> {
        if self.edits.known.at_root {
            return new;
        }
        let member = place.member(name, name);
        let path = member.new_path();
        let source = self.edits.known.moves.get(&path);
        if let Some((old_path, old)) = source.and_then(|old| Some((old, self.stored.at(old)?))) {
            return self.value(old, new, &place.moved(old_path, &path));
        }
        match new {
            Tree::Object(members) => {
                let members = members.into_iter().map(|(name, value)| {
                    let value = self.added(&name, value, &member);
                    (name, value)
                });
                Tree::Object(members.collect())
            }
            new @ (Tree::Null
            | Tree::Bool(_)
            | Tree::Number(_)
            | Tree::String(_)
            | Tree::Array(_)) => new,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use upstate::{Document, Resource as _, Union};

    use super::*;

    #[derive(Document)]
    #[document(type_name = "drawing")]
    struct Drawing {
        shape: Shape,
        #[attribute(json)]
        names: HashSet<u8>,
    }

    #[derive(Union)]
    enum Shape {
        Path { points: Vec<u8> },
    }

    #[cfg(feature = "toml")]
    #[test]
    fn renames_in_each_of_many_entries_are_looked_up() {
        const MANY: u32 = 50_000;
        let path = |key: u32, name: &str| -> Names {
            ["m", &format!("k{key}"), name].map(str::to_owned).to_vec()
        };
        let rename = |key| (path(key, "old"), BTreeSet::from([path(key, "new")]));
        let edits = Edits {
            known: Arc::new(Known::new((0..MANY).map(rename).collect(), Type::Dynamic)),
            kept: BTreeSet::new(),
            pairs_values: true,
            pairs: None,
            first: Vec::new(),
            attributes: None,
            numbers: Numbers::Equal,
        };
        let root = Place::root();
        let map = root.member("m", "m");
        let new: [(Cow<'_, str>, Tree<'_>); 2] =
            [("new".into(), Tree::Null), ("x".into(), Tree::Null)];
        // Because to look through all renames for each of them takes minutes.
        for key in 0..MANY {
            let key = format!("k{key}");
            let origins = edits.origins(&map.member(&key, &key), &["x", "old"], &new, |_, _| false);
            assert_eq!(origins, [Some(1), Some(0)]);
        }
        assert_eq!(edits.merges().count(), 0);
        assert_eq!(edits.known.places(&path(7, "old")), [path(7, "new")]);
        let merged = Known::new(
            Goals::from([
                (path(1, "a"), BTreeSet::from([path(2, "c")])),
                (path(1, "b"), BTreeSet::from([path(2, "c"), path(1, "d")])),
            ]),
            Type::Dynamic,
        );
        assert_eq!(merged.moves.get(&path(2, "c")), Some(&path(1, "a")));
        let edits = Edits {
            known: Arc::new(merged),
            ..edits
        };
        let sources: Vec<Names> = edits.merges().map(|(_, old)| old.clone()).collect();
        assert_eq!(sources, [path(1, "a"), path(1, "b")]);
    }

    #[test]
    fn entries_of_many_are_compared_by_their_keys() {
        let tree = |keys: &mut dyn Iterator<Item = u32>| {
            let member = |key: u32| (format!("k{key}").into(), Tree::Bool(key.is_multiple_of(2)));
            Tree::Object(keys.map(member).collect())
        };
        // Because to compare each with each takes a minute.
        let (one, other) = (tree(&mut (0..100_000)), tree(&mut (0..100_000).rev()));
        assert!(is_same(&one, &other, None, Numbers::Equal));
        let more = tree(&mut (0..100_001));
        assert!(!is_same(&more, &other, None, Numbers::Equal));
        assert!(!is_same(&other, &more, None, Numbers::Equal));
    }

    #[test]
    fn only_elements_that_serde_alone_knows_have_no_order() {
        let known = Known::of(Drawing::DEFINITION, Drawing::VERSION);
        let same = |one: &str, other: &str| holds_same(one.as_bytes(), other.as_bytes(), &known.ty);
        let stored = r#"{"shape":{"Path":{"points":[1,2]}},"names":[1,2]}"#;
        assert!(same(
            stored,
            r#"{"names":[2,1],"shape":{"Path":{"points":[1,2]}}}"#
        ));
        assert!(
            !same(
                stored,
                r#"{"shape":{"Path":{"points":[2,1]}},"names":[1,2]}"#
            ),
            "a list in a variant has an order"
        );
        assert!(!same(
            stored,
            r#"{"shape":{"Path":{"points":[1,2]}},"names":[1,3]}"#
        ));
    }
}
