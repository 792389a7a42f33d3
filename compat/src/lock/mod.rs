//! Schema memory: `upstate.lock`, every stored shape that was ever released, and what else the last
//! release served.
//!
//! A [`Lock`] has an entry for each schema version of each type: the canonical schema, its
//! fingerprint, the releases and the upgraders. [`Lock::freeze`] adds the shapes of a release and
//! never changes released ones, except that a current schema may gain attributes that older state
//! reads without. The derive compares each model with its entry at compile time, and
//! [`compare`](crate::compare) judges the next release by [`Lock::baseline`].
//!
//! ```
//! use upstate_compat::lock::Lock;
//! use upstate_compat::Snapshot;
//! use upstate::{Registry, Resource};
//!
//! #[derive(Resource)]
//! #[resource(type_name = "example_note", version = 0)]
//! struct Note { title: String, colour: Option<String> }
//!
//! let mut lock = Lock::default();
//! lock.freeze(&Snapshot::of(&Registry::new().with::<Note>()), "1.0.0".parse()?)?;
//! let text = lock.to_string();
//! assert!(text.contains("colour = \"string\" null {\"optional\":true}\n"), "{text}");
//! assert_eq!(Lock::parse(&text)?, lock);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The format
//!
//! Version 3; this release reads 1 and 2, too, whose entries do not know the forms of strings and
//! numbers. Lines end with a line feed; lines that begin with `#`, and empty ones, are ignored.
//!
//! | line | |
//! |---|---|
//! | `upstate-lock 3` | the version of the format; first |
//! | `release 1.4.0` | a release that was frozen, once for each, in order |
//! | `[type version] fingerprint status` | begins an entry, `[type first..=last]` one for all of these versions; sixteen hexadecimal digits; `released 1.4.0` (the first release that had it), `released` (before the lock), `unreleased` |
//! | `[data.name] fingerprint status` | begins an entry of something that is not stored: `data.name`, `ephemeral.name`, `list.name`, `action.name`, `function.name`, `provider`, `provider_meta` |
//! | `@name = JSON` | facts about the resource as a whole: `kind`, `aliases` (the other names that fields and variants of a document are read by, by path), `untagged` (the variants of its enums that are stored without their names though others have a tag, by the path of the enum), `signature` (of a function), `identity_of` (the resources whose identity it is), `upgraders` (with `kind`, for operators `digest`, and for one of several shapes `when`), `oldest`, `groups`, `id_format`, `import_formats`, `read`, `tier`, `deprecated`, `destroy`, `behaviours`, `former` (fingerprints before it gained attributes), `alternatives`, `stored_by`, `removed` (the release that no longer had the type) |
//! | `@flattened = "fingerprint"` | of a document: that of the next lines, `none` without any. An entry that lacks it is of an older release of this library, and nothing is known of these lines until the next release is frozen |
//! | `* = type`, `path.* = type` | of a document: an enum or a map whose members are beside those of the object at the path, `null` if nothing of it need be there |
//! | `@forms = false` | this entry came from a lock of format 1 or 2, or was imported: whether its fields took only strings or numbers of one form, or its maps only some keys, is not known |
//! | `path = type` | an attribute, in the type notation of Terraform |
//! | `path = nested MODE` | an attribute of nested objects, whose attributes follow |
//! | `path = block MODE` | nested blocks, whose attributes and blocks follow |
//!
//! After the type or mode come `null` if null is read (`null?` if that is not known), `write_only`
//! if the value is never stored, and then, in braces, the facts that are not part of stored state:
//! `required`, `optional`, `computed`, `sensitive`, `force_new`, `default`, `api_default`,
//! `validators`, `deprecated`, `renamed_from`, `format`, `accepts`, `id_component`, `description`,
//! `since` (the release that added it to the version). A step of a path that is not a plain name is
//! in quotation marks, with `\"`, `\\`, `\s` (a blank), `\n`, `\r` and `\t` inside.
//!
//! Among the `validators` are those of the field itself: `stored integer` (`u16`, `usize`,
//! `NonZeroU8`, `AtomicU8`), `stored values`, `stored form` (`ipv4`), and `stored inside`, which
//! has the values that are taken inside of others by their position: `{"[key]":"u32"}` of a map,
//! `{"[*]?":"null"}` of a list with null, `{"[0]":"u8"}` of a tuple, `{"Dim.level":"u8"}` of a
//! variant. What has no fact inside of others took any value, or is of an older release of this
//! library, which is why a later fact about it is not held against it; nor is that of an integer
//! type that only documents have. Only of the keys of a map it says that any string was one, unless
//! the entry has `@forms = false`.

mod aliases;
mod error;
mod flattened;
mod freeze;
mod identities;
mod import;
mod merge;
mod read;
mod shapes;
mod since;
mod stored;
mod values;
mod variants;
mod write;

use std::collections::BTreeMap;

use crate::fingerprint::fingerprint_of;
use crate::{Date, IdentitySnapshot, Kind, Release, RemovedAttribute, ResourceSnapshot, Snapshot};

pub use error::{LockError, Refusals};
pub use freeze::Change;
pub(crate) use import::reshaped;
pub use merge::sides;
use shapes::StoredBy;

pub use upstate_words::lock::FILE_NAME;
use upstate_words::lock::KNOWS_FORMS;

/// Every stored shape that was ever released.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lock {
    releases: Vec<Release>,
    /// The days of releases. Locks from before they were noted have none.
    dates: BTreeMap<Release, Date>,
    entries: BTreeMap<(String, u64), Entry>,
}

/// One schema version of one type; or what of a data source, a function and the like the last
/// release served, which have no versions.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    status: EntryStatus,
    resource: ResourceSnapshot,
    /// The fingerprints of the shapes it had before it gained attributes, by the first release of
    /// each.
    former: BTreeMap<Release, String>,
    /// The releases that stored each of its alternatives.
    stored_by: StoredBy,
    /// The release that no longer served the type.
    removed: Option<Release>,
}

/// True if an entry was released.
#[derive(Debug, Clone, PartialEq, Eq)]
enum EntryStatus {
    Unreleased,
    /// By which release first, if that is known.
    Released(Option<Release>),
}

/// True if a later shape cannot have the version under which an earlier one was released.
pub(crate) fn needs_version(earlier: &ResourceSnapshot, later: &ResourceSnapshot) -> bool {
    !stored::differences(earlier, later, false).is_empty()
}

impl Entry {
    /// True if a release had it.
    pub fn is_released(&self) -> bool {
        matches!(self.status, EntryStatus::Released(_))
    }

    /// The first release that had it, if that is known.
    pub fn released(&self) -> Option<&Release> {
        match &self.status {
            EntryStatus::Released(release) => release.as_ref(),
            EntryStatus::Unreleased => None,
        }
    }

    /// The schema and what belongs to it.
    pub fn resource(&self) -> &ResourceSnapshot {
        &self.resource
    }

    /// True if it is a schema version of a type, whose state is stored. Identities have versions,
    /// too.
    pub fn has_version(&self) -> bool {
        Kind::of(&self.resource).is_stored()
    }

    /// True if it is of a resource, not of an identity or of something that nothing stores.
    fn is_of_a_resource(&self) -> bool {
        self.has_version() && !identities::is_identity(&self.resource)
    }

    /// The fingerprint of its stored shape, sixteen hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        fingerprint_of(&self.resource)
    }
}

impl Lock {
    /// The format that it is written in: the third has entries that know the forms of fields; the
    /// second has identities and what nothing stores; the first is written where there is none of
    /// either, so that a lock that an earlier release of this library wrote stays as it is.
    fn format(&self) -> u64 {
        if self
            .entries
            .values()
            .any(|entry| entry.resource.knows_forms)
        {
            KNOWS_FORMS
        } else if self.entries.values().all(Entry::is_of_a_resource) {
            1
        } else {
            2
        }
    }

    /// The releases, in order.
    pub fn releases(&self) -> &[Release] {
        &self.releases
    }

    /// The day of a release, if it was noted.
    pub fn date(&self, release: &Release) -> Option<Date> {
        self.dates.get(release).copied()
    }

    /// Notes the day of a release, in place of the one that was noted; of a release that the lock
    /// does not have it notes nothing.
    pub fn set_date(&mut self, release: &Release, date: Date) {
        if self.releases.contains(release) {
            self.dates.insert(release.clone(), date);
        }
    }

    /// The entry of one version of a type; what has no versions, such as `data.example_thing`, is
    /// version 0.
    pub fn get(&self, type_name: &str, version: u64) -> Option<&Entry> {
        self.entries.get(&(type_name.to_owned(), version))
    }

    /// All entries, by type name and version.
    pub fn entries(&self) -> impl Iterator<Item = (&str, u64, &Entry)> {
        self.entries
            .iter()
            .map(|((type_name, version), entry)| (type_name.as_str(), *version, entry))
    }

    /// The schema version that each type had in a release; a type that the release did not have is
    /// not there.
    ///
    /// ```
    /// # use upstate_compat::lock::Lock;
    /// # use upstate_compat::Snapshot;
    /// # use upstate::{Registry, Resource};
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_note", version = 0)]
    /// struct Note { title: String }
    ///
    /// let mut lock = Lock::default();
    /// lock.freeze(&Snapshot::of(&Registry::new().with::<Note>()), "1.0.0".parse()?)?;
    /// assert_eq!(lock.versions_at(&"1.0.0".parse()?).get("example_note"), Some(&0));
    /// assert!(lock.versions_at(&"0.9.0".parse()?).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn versions_at(&self, release: &Release) -> BTreeMap<&str, u64> {
        let found = self.entries_at(release, Entry::is_of_a_resource);
        found
            .into_iter()
            .map(|(type_name, (version, _))| (type_name, version))
            .collect()
    }

    /// The schema version that the identity of each resource had in a release, by the type name of
    /// the resource; one that had no identity then is not there.
    pub fn identities_at(&self, release: &Release) -> BTreeMap<&str, u64> {
        let found = self.entries_at(release, |entry| identities::is_identity(&entry.resource));
        let each = found.into_values().flat_map(|(version, entry)| {
            identities::owners(&entry.resource).map(move |of| (of, version))
        });
        each.collect()
    }

    /// The latest entry of each type, of those that are `wanted`, that a release had.
    fn entries_at(
        &self,
        release: &Release,
        wanted: fn(&Entry) -> bool,
    ) -> BTreeMap<&str, (u64, &Entry)> {
        let mut versions = BTreeMap::new();
        // The type whose version in this release is on record, so that versions without a release
        // do not replace that one.
        let mut on_record: Option<&str> = None;
        for ((type_name, version), entry) in self.entries.iter().filter(|(_, entry)| wanted(entry))
        {
            let is_there = match &entry.status {
                EntryStatus::Unreleased => false,
                // A version without a release was there before all releases that are known; so it
                // is not later than one that is on record for this release.
                EntryStatus::Released(None) => on_record != Some(type_name.as_str()),
                EntryStatus::Released(Some(first)) => first <= release,
            };
            if is_there {
                if entry.released().is_some() {
                    on_record = Some(type_name.as_str());
                }
                versions.insert(type_name.as_str(), (*version, entry));
                if entry
                    .removed
                    .as_ref()
                    .is_some_and(|removed| removed <= release)
                {
                    versions.remove(type_name.as_str());
                }
            }
        }
        versions
    }

    /// The last released entry of a type, up to `version`.
    fn released_before(&self, type_name: &str, version: u64) -> Option<(u64, &Entry)> {
        let entries = self
            .entries
            .range((type_name.to_owned(), 0)..=(type_name.to_owned(), version));
        entries
            .filter(|(_, entry)| entry.is_released())
            .map(|((_, version), entry)| (*version, entry))
            .next_back()
    }

    /// True if it has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The shapes of the last release, with all of the history that rules use.
    #[must_use]
    pub fn baseline(&self) -> Snapshot {
        let unreleased = !self.entries.values().any(Entry::is_released) && !self.entries.is_empty();
        let mut snapshot = Snapshot {
            release: self.releases.last().cloned(),
            unreleased,
            dates: self.dates.clone(),
            ..Snapshot::default()
        };
        let counts = |entry: &Entry| entry.is_released() || unreleased;
        for ((type_name, version), entry) in self.entries.iter().filter(|(_, entry)| counts(entry))
        {
            // Entries come in the order of their versions, so the last one stays.
            if entry.removed.is_some() {
                snapshot.resources.remove(type_name);
                continue;
            }
            let mut resource = entry.resource.clone();
            if !entry.has_version() {
                snapshot.resources.insert(type_name.clone(), resource);
                continue;
            }
            let of_type = self
                .entries
                .range((type_name.clone(), 0)..=(type_name.clone(), *version));
            for ((_, version), entry) in of_type.filter(|(_, entry)| counts(entry)) {
                resource.history.insert(*version, entry.fingerprint());
                for (name, attribute) in &entry.resource.attributes {
                    let gone = !resource.attributes.contains_key(name)
                        && !resource.blocks.contains_key(name);
                    if let (true, Some(ty)) = (gone, &attribute.ty) {
                        resource
                            .removed_history
                            .retain(|removed| removed.path != *name);
                        let removed = RemovedAttribute {
                            path: name.clone(),
                            ty: ty.clone(),
                            removed_in: None,
                        };
                        resource.removed_history.push(removed);
                    }
                }
            }
            snapshot.resources.insert(type_name.clone(), resource);
        }
        identities::attach(&mut snapshot);
        snapshot
    }

    /// `current` with what only the lock knows: the schemas of versions whose upgrades have no
    /// model of their own, as they were released, and the releases that deprecated what its author
    /// gives no `since` for.
    #[must_use]
    pub fn completed(&self, mut current: Snapshot) -> Snapshot {
        for (type_name, resource) in &mut current.resources {
            self.complete(type_name, resource, current.priors.get(type_name));
            if let Some(IdentitySnapshot { type_name, schema }) = resource.identity.as_deref_mut() {
                self.complete(type_name, schema, current.priors.get(type_name));
            }
        }
        current
    }

    fn complete(
        &self,
        type_name: &str,
        resource: &mut ResourceSnapshot,
        priors: Option<&BTreeMap<u64, ResourceSnapshot>>,
    ) {
        if let Some((_, last)) = self.released_before(type_name, resource.version) {
            since::inherit(&last.resource, resource);
        }
        for upgrader in &resource.upgraders {
            if let Some(entry) = self
                .entries
                .get(&(type_name.to_owned(), upgrader.from))
                .filter(|entry| entry.is_released())
            {
                let released = entry.fingerprint();
                let prior = priors.and_then(|priors| priors.get(&upgrader.from));
                // An imported schema says less than a model, so that its fingerprint is another.
                // Models with one fingerprint may take other values of their types.
                let is_it = |shape: &ResourceSnapshot| {
                    let has_shape = fingerprint_of(shape) == released;
                    let has_values =
                        || stored::differences(&entry.resource, shape, true).is_empty();
                    if entry.resource.imported {
                        has_shape || has_values()
                    } else {
                        has_shape && has_values()
                    }
                };
                if prior.is_some_and(|prior| is_it(prior) || prior.other_shapes.iter().any(is_it)) {
                    resource.history.insert(upgrader.from, released);
                } else {
                    let mut differences = prior
                        .map(|prior| stored::differences(&entry.resource, prior, true))
                        .unwrap_or_default();
                    if entry.resource.imported && !differences.is_empty() {
                        differences.push(
                            "if a later release stored it so, import that one, too".to_owned(),
                        );
                    }
                    resource.edited.insert(upgrader.from, differences);
                    resource.history.entry(upgrader.from).or_insert(released);
                }
            }
        }
    }
}
