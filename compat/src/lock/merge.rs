//! Two locks as one: what two branches have frozen since they were one.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use upstate_words::lock::INSIDE;

use super::stored::{Grows, Known, differences, lost};
use super::values::{STORED, VALUES};
use super::{Entry, EntryStatus, Lock, Refusals, variants};
use crate::{
    AttributeSnapshot, BlockSnapshot, Release, ResourceSnapshot, StoredType, inside, untagged,
};

impl Lock {
    /// This lock and `other` as one: every release, every entry, and of an entry that both have
    /// grown everything that either has.
    ///
    /// Facts that are not stored are those of the lock with the later release.
    ///
    /// ```
    /// use upstate::{Registry, Resource};
    /// use upstate_compat::Snapshot;
    /// use upstate_compat::lock::Lock;
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_note")]
    /// struct Note { title: String }
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_page")]
    /// struct Page { title: String }
    ///
    /// let (mut ours, mut theirs) = (Lock::default(), Lock::default());
    /// ours.freeze(&Snapshot::of(&Registry::new().with::<Note>()), "1.1.0".parse()?)?;
    /// theirs.freeze(&Snapshot::of(&Registry::new().with::<Page>()), "1.0.1".parse()?)?;
    /// let both = ours.merged(&theirs)?;
    /// assert_eq!(both, theirs.merged(&ours)?);
    /// assert!(both.get("example_note", 0).is_some() && both.get("example_page", 0).is_some());
    /// assert_eq!(both.releases().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Both released a version of a type, with shapes that are not one: a sentence for each
    /// difference.
    pub fn merged(&self, other: &Self) -> Result<Self, Refusals> {
        let (later, earlier) = if self.releases.last() >= other.releases.last() {
            (self, other)
        } else {
            (other, self)
        };
        let mut merged = later.clone();
        let mut refusals = Vec::new();
        for release in &earlier.releases {
            if !merged.releases.contains(release) {
                merged.releases.push(release.clone());
            }
        }
        merged.releases.sort_unstable();
        for (release, date) in &earlier.dates {
            merged
                .dates
                .entry(release.clone())
                .and_modify(|first| *first = (*first).min(*date))
                .or_insert(*date);
        }
        for ((type_name, version), there) in &earlier.entries {
            let key = (type_name.clone(), *version);
            let Some(here) = merged.entries.get_mut(&key) else {
                merged.entries.insert(key, there.clone());
                continue;
            };
            match (here.is_released(), there.is_released()) {
                (false, true) => *here = there.clone(),
                (true, true) => {
                    let of = if here.has_version() {
                        format!("{type_name} version {version}")
                    } else {
                        type_name.clone()
                    };
                    refusals.extend(
                        here.join(there, &later.releases, &earlier.releases)
                            .into_iter()
                            .map(|problem| format!("{of}: {problem}")),
                    );
                }
                // An entry that was not released may change.
                (_, false) => {}
            }
        }
        if refusals.is_empty() {
            Ok(merged)
        } else {
            Err(Refusals(refusals))
        }
    }
}

impl Entry {
    /// Takes in the same version as another branch released it; the facts of this one stay. The
    /// errors say why the two are not one.
    fn join(
        &mut self,
        other: &Self,
        releases: &[Release],
        releases_of_other: &[Release],
    ) -> Vec<String> {
        if let (EntryStatus::Released(mine), EntryStatus::Released(theirs)) =
            (&self.status, &other.status)
        {
            // An entry without a release is older than the first one on record, so that both
            // together have none, too.
            let first = mine
                .as_ref()
                .zip(theirs.as_ref())
                .map(|(mine, theirs)| mine.min(theirs).clone());
            self.status = EntryStatus::Released(first);
        }
        if !self.has_version() {
            return Vec::new();
        }
        let mut theirs = other.resource.clone();
        self.resource.knows_forms &= theirs.knows_forms;
        // All names of both, because stored documents may have any of them.
        for (path, names) in std::mem::take(&mut theirs.aliases) {
            self.resource.aliases.entry(path).or_default().extend(names);
        }
        theirs.aliases.clone_from(&self.resource.aliases);
        untagged::join(&mut self.resource, &mut theirs);
        let shapes = [self.clone(), other.clone()]
            .map(|entry| (entry.released().cloned(), entry.fingerprint()));
        // Shapes with one fingerprint may take other values of their types, and have other
        // flattened enums and maps.
        let differ = |one: &ResourceSnapshot, other: &ResourceSnapshot| {
            !differences(one, other, true).is_empty()
        };
        if shapes[0].1 != shapes[1].1
            || differ(&self.resource, &theirs)
            || differ(&theirs, &self.resource)
        {
            let knows_forms = self.resource.knows_forms;
            let whole = |one: &ResourceSnapshot, other: &ResourceSnapshot| {
                let mut whole = one.clone();
                attributes(&mut whole.attributes, &other.attributes, knows_forms);
                blocks(&mut whole.blocks, &other.blocks, knows_forms);
                flattened(
                    whole.flattened.as_mut(),
                    other.flattened.as_ref(),
                    knows_forms,
                );
                untagged::sort(&mut whole);
                let mut problems = differences(one, &whole, false);
                problems.extend(differences(other, &whole, false));
                (whole, problems)
            };
            let (mut joined, mut problems) = whole(&self.resource, &theirs);
            if !problems.is_empty() {
                // The other one may have what no attribute of this one can take over.
                let (of_other, problems_of_other) = whole(&theirs, &self.resource);
                if problems_of_other.is_empty() {
                    joined.attributes = of_other.attributes;
                    joined.blocks = of_other.blocks;
                    joined.flattened = of_other.flattened;
                    problems.clear();
                }
            }
            if !problems.is_empty() {
                problems.push(
                    "both branches released it, so give the later one another version".to_owned(),
                );
                return problems;
            }
            self.resource = joined;
        }
        let now = self.fingerprint();
        for (release, shape) in &other.former {
            self.former
                .entry(release.clone())
                .or_insert_with(|| shape.clone());
        }
        for (release, shape) in shapes {
            if let Some(release) = release.filter(|_| shape != now) {
                self.former.entry(release).or_insert(shape);
            }
        }
        self.stored_by
            .record_all(releases, &other.stored_by, releases_of_other);
        self.stored_by.replace(Some(&now), None);
        self.resource
            .alternatives
            .extend(other.resource.alternatives.iter().cloned());
        self.resource.alternatives.retain(|shape| *shape != now);
        self.resource.alternatives.sort_unstable();
        self.resource.alternatives.dedup();
        Vec::new()
    }
}

type Named<T> = BTreeMap<String, T>;

/// Adds the attributes that only `more` has, and the values that only its attributes take.
fn attributes(
    all: &mut Named<AttributeSnapshot>,
    more: &Named<AttributeSnapshot>,
    knows_forms: bool,
) {
    for (name, attribute) in more {
        match all.get_mut(name) {
            None => {
                all.insert(name.clone(), attribute.clone());
            }
            Some(there) => {
                widen(there, attribute, knows_forms);
                if let (Some(there), Some(nested)) = (&mut there.nested, &attribute.nested) {
                    attributes(&mut there.attributes, &nested.attributes, knows_forms);
                }
            }
        }
    }
}

/// Adds the flattened enums and maps that only `more` has, and the values that only its take.
fn flattened(
    all: Option<&mut Named<Vec<AttributeSnapshot>>>,
    more: Option<&Named<Vec<AttributeSnapshot>>>,
    knows_forms: bool,
) {
    // Nothing is added if one of the two does not know them, because it would seem to know all.
    let (Some(all), Some(more)) = (all, more) else {
        return;
    };
    for (path, parts) in more {
        let there = all.entry(path.clone()).or_default();
        for part in parts {
            let is_same = |other: &AttributeSnapshot| other.ty == part.ty;
            // Because one that either branch has unchanged is not what became of another.
            let is_grown = |other: &AttributeSnapshot| {
                !parts.iter().any(|one| one.ty == other.ty) && is_one(other, part)
            };
            let at = there
                .iter()
                .position(is_same)
                .or_else(|| there.iter().position(is_grown));
            let Some(other) = at.and_then(|at| there.get_mut(at)) else {
                there.push(part.clone());
                continue;
            };
            widen(other, part, knows_forms);
            if !part.required {
                (other.required, other.optional) = (false, true);
            }
            if part.nullable == Some(true) {
                other.nullable = part.nullable;
            }
        }
        there.sort_by_cached_key(|part| part.stored().to_string());
    }
}

/// True if two flattened enums are one that gained variants, or if both are maps: an object has one
/// at most.
fn is_one(one: &AttributeSnapshot, other: &AttributeSnapshot) -> bool {
    match (&one.ty, &other.ty) {
        (Some(StoredType::Union(one, variants)), Some(StoredType::Union(other, more))) => {
            one == other
                && variants
                    .iter()
                    .any(|(name, _)| more.iter().any(|(other, _)| other == name))
        }
        (Some(StoredType::Map(_)), Some(StoredType::Map(_))) => true,
        _ => false,
    }
}

/// Takes over the null, strings, variants and values inside of others that `more` has, and the rest
/// of its values if those are all of this attribute, and others.
fn widen(there: &mut AttributeSnapshot, more: &AttributeSnapshot, knows_forms: bool) {
    inside::adopt(there, more, knows_forms);
    if more.nullable == Some(true) && there.nullable == Some(false) {
        there.nullable = more.nullable;
    }
    let types = there
        .ty
        .as_ref()
        .zip(more.ty.as_ref())
        .filter(|(one, other)| one != other);
    if let Some(all) = types.and_then(|(one, other)| variants::joined(one, other)) {
        there.ty = Some(all);
    }
    if let (Some(Json::Array(strings)), Some(Json::Array(more))) = (
        there.validators.get_mut(VALUES),
        more.validators.get(VALUES),
    ) {
        let others: Vec<Json> = more
            .iter()
            .filter(|text| !strings.contains(text))
            .cloned()
            .collect();
        strings.extend(others);
    }
    // Without null and what is inside, because either may have more of these.
    let known = Known {
        grows: Grows::ByNull,
        forms: knows_forms,
        inside: false,
    };
    let loses = |was: &AttributeSnapshot, is: &AttributeSnapshot| {
        let is = AttributeSnapshot {
            nullable: was.nullable,
            ..is.clone()
        };
        lost("", was, &is, known).is_some()
    };
    if !loses(more, there) || loses(there, more) {
        return;
    }
    there.ty.clone_from(&more.ty);
    let is_own = |name: &str| name.starts_with(STORED) && name != INSIDE;
    there.validators.retain(|name, _| !is_own(name));
    let own = more.validators.iter().filter(|(name, _)| is_own(name));
    there
        .validators
        .extend(own.map(|(name, values)| (name.clone(), values.clone())));
}

/// Adds the blocks that only `more` has.
fn blocks(all: &mut Named<BlockSnapshot>, more: &Named<BlockSnapshot>, knows_forms: bool) {
    for (name, block) in more {
        match all.get_mut(name) {
            None => {
                all.insert(name.clone(), block.clone());
            }
            Some(there) => {
                attributes(&mut there.attributes, &block.attributes, knows_forms);
                blocks(&mut there.blocks, &block.blocks, knows_forms);
            }
        }
    }
}

/// The two locks in a file that git could not merge: what each side has, with all that both have.
///
/// `None` if nothing is left to resolve.
#[must_use]
pub fn sides(text: &str) -> Option<(String, String)> {
    enum In {
        Both,
        Ours,
        Base,
        Theirs,
    }
    let (mut ours, mut theirs, mut found, mut now) =
        (String::new(), String::new(), false, In::Both);
    for line in text.split_inclusive('\n') {
        now = match now {
            _ if line.starts_with("<<<<<<<") => In::Ours,
            In::Ours if line.starts_with("|||||||") => In::Base,
            In::Ours | In::Base if line.starts_with("=======") => In::Theirs,
            In::Theirs if line.starts_with(">>>>>>>") => In::Both,
            In::Both | In::Ours | In::Base | In::Theirs => {
                if matches!(now, In::Both | In::Ours) {
                    ours.push_str(line);
                }
                if matches!(now, In::Both | In::Theirs) {
                    theirs.push_str(line);
                }
                continue;
            }
        };
        found |= !matches!(now, In::Both);
    }
    found.then_some((ours, theirs))
}
