//! The lock as text.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use serde_json::{Map, Value as Json};
use upstate::__internal::Canonical;
use upstate_words::lock::{KNOWS_FORMS, Stored, fingerprint, step};

use super::{Entry, EntryStatus, Lock};
use crate::fingerprint::fingerprint_of_flattened;
use crate::{AttributeSnapshot, BlockSnapshot, ResourceSnapshot};

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("# Every stored shape that was ever released. Written by `lock`; what was released never changes.\n")?;
        writeln!(f, "upstate-lock {}", self.format())?;
        for release in &self.releases {
            match self.dates.get(release) {
                Some(date) => writeln!(f, "release {release} {date}")?,
                None => writeln!(f, "release {release}")?,
            }
        }
        let mut entries = self.entries.iter().peekable();
        while let Some(((type_name, first), entry)) = entries.next() {
            // Versions in a row that are the same but for their number are one entry.
            let mut last = *first;
            while entries
                .next_if(|((name, version), next)| {
                    name == type_name && last + 1 == *version && alike(entry, next)
                })
                .is_some()
            {
                last += 1;
            }
            write_entry(f, type_name, *first..=last, entry, self.format())?;
        }
        Ok(())
    }
}

/// True if two entries differ in nothing but the version.
fn alike(entry: &Entry, next: &Entry) -> bool {
    let resource = ResourceSnapshot {
        version: entry.resource.version,
        ..next.resource.clone()
    };
    *entry
        == Entry {
            resource,
            ..next.clone()
        }
}

fn write_entry(
    f: &mut fmt::Formatter<'_>,
    type_name: &str,
    versions: RangeInclusive<u64>,
    entry: &Entry,
    format: u64,
) -> fmt::Result {
    let status = match &entry.status {
        EntryStatus::Unreleased => "unreleased".to_owned(),
        EntryStatus::Released(None) => "released".to_owned(),
        EntryStatus::Released(Some(release)) => format!("released {release}"),
    };
    let (first, last) = versions.into_inner();
    write!(f, "\n[{type_name}")?;
    if entry.has_version() {
        write!(f, " {first}")?;
    }
    if first < last {
        write!(f, "..={last}")?;
    }
    writeln!(f, "] {} {status}", entry.fingerprint())?;
    for (name, value) in facts(&entry.resource) {
        writeln!(f, "@{name} = {}", Canonical(&value))?;
    }
    if format >= KNOWS_FORMS && entry.has_version() && !entry.resource.knows_forms {
        f.write_str("@forms = false\n")?;
    }
    if !entry.former.is_empty() {
        let former: Map<String, Json> = entry
            .former
            .iter()
            .map(|(release, shape)| (release.to_string(), shape.clone().into()))
            .collect();
        writeln!(f, "@former = {}", Canonical(&Json::Object(former)))?;
    }
    if !entry.stored_by.0.is_empty() {
        let shapes: Map<String, Json> = entry
            .stored_by
            .0
            .iter()
            .map(|(release, shape)| (release.to_string(), shape.clone().into()))
            .collect();
        writeln!(f, "@stored_by = {}", Canonical(&Json::Object(shapes)))?;
    }
    if let Some(release) = &entry.removed {
        writeln!(f, "@removed = \"{release}\"")?;
    }
    if let Some(flattened) = &entry.resource.flattened {
        writeln!(
            f,
            "@flattened = \"{}\"",
            fingerprint_of_flattened(flattened)
        )?;
        for (path, parts) in flattened {
            for part in parts {
                write_attribute(f, &fingerprint::flattened(path), part)?;
            }
        }
    }
    write_members(f, "", &entry.resource.attributes, &entry.resource.blocks)
}

/// The findings about the resource as a whole.
fn facts(resource: &ResourceSnapshot) -> BTreeMap<String, Json> {
    let mut facts = object(serde_json::to_value(resource));
    for name in [
        "version",
        "attributes",
        "blocks",
        "flattened",
        "history",
        "knows_forms",
        "removed_history",
        "renames",
        "dropped",
        "fixtures",
    ] {
        facts.remove(name);
    }
    facts.into_iter().collect()
}

fn object(value: Result<Json, serde_json::Error>) -> Map<String, Json> {
    // A snapshot is an object whose keys are strings, so this is always the first case.
    match value {
        Ok(Json::Object(object)) => object,
        _ => Map::new(),
    }
}

fn write_members<'s>(
    f: &mut fmt::Formatter<'_>,
    prefix: &str,
    attributes: impl IntoIterator<Item = (&'s String, &'s AttributeSnapshot)>,
    blocks: impl IntoIterator<Item = (&'s String, &'s BlockSnapshot)>,
) -> fmt::Result {
    for (name, snapshot) in attributes {
        let path = step(prefix, name);
        write_attribute(f, &path, snapshot)?;
        if let Some(nested) = &snapshot.nested {
            write_members(f, &path, &nested.attributes, [])?;
        }
    }
    for (name, snapshot) in blocks {
        let path = step(prefix, name);
        let mut facts = object(serde_json::to_value(snapshot));
        for name in ["mode", "attributes", "blocks"] {
            facts.remove(name);
        }
        write_line(f, &path, &snapshot.stored(), facts)?;
        write_members(f, &path, &snapshot.attributes, &snapshot.blocks)?;
    }
    Ok(())
}

fn write_attribute(
    f: &mut fmt::Formatter<'_>,
    path: &str,
    snapshot: &AttributeSnapshot,
) -> fmt::Result {
    let mut facts = object(serde_json::to_value(snapshot));
    for name in ["type", "nested", "nullable", "write_only"] {
        facts.remove(name);
    }
    write_line(f, path, &snapshot.stored(), facts)
}

fn write_line(
    f: &mut fmt::Formatter<'_>,
    path: &str,
    stored: &Stored<'_>,
    facts: Map<String, Json>,
) -> fmt::Result {
    if facts.is_empty() {
        writeln!(f, "{path} = {stored}")
    } else {
        writeln!(f, "{path} = {stored} {}", Canonical(&Json::Object(facts)))
    }
}
