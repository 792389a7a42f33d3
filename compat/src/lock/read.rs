//! Reading a lock.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde_json::{Map, Value as Json};

use super::write::FORMATS;
use super::{Entry, Lock, LockError, Standing};
use crate::fingerprint::fingerprint_of;
use crate::{AttributeSnapshot, BlockSnapshot, Date, Kind, Mode, NestedSnapshot, Release, ResourceSnapshot, StoredType};

/// The greatest number of versions of one entry: as many as a model may support.
const MOST_VERSIONS: u64 = 65_536;
/// The problem of a file that is not a lock.
const BEGINNING: &str = "a lock begins with `upstate-lock 1`; restore it from the repository";
/// The greatest depth of nested attributes.
const MAX_DEPTH: usize = 64;

/// An entry whose lines are being read.
struct Open {
    line: usize,
    type_name: String,
    has_version: bool,
    versions: RangeInclusive<u64>,
    fingerprint: String,
    standing: Standing,
    facts: Map<String, Json>,
    members: Members,
}

#[derive(Default)]
struct Members {
    attributes: BTreeMap<String, AttributeSnapshot>,
    blocks: BTreeMap<String, BlockSnapshot>,
}

impl Lock {
    /// Reads a lock.
    ///
    /// # Errors
    /// Says which line is invalid, or was edited so that an entry no longer has its fingerprint.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let mut lock = Self::default();
        let mut open: Option<Open> = None;
        let mut format_seen = false;
        // Some editors put a mark before the first line.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (index, text) in text.lines().enumerate() {
            let line = index + 1;
            let text = text.trim_end();
            let refuse = |problem: String| Err(LockError::new(line, problem));
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if text.starts_with("<<<<<<<") || text.starts_with("=======") || text.starts_with(">>>>>>>") {
                return refuse("a merge was not finished here: `lock --resolve` puts both sides together".to_owned());
            }
            if let Some(format) = text.strip_prefix("upstate-lock ") {
                if !FORMATS.iter().any(|known| format == known.to_string()) {
                    let known = FORMATS.map(|known| known.to_string()).join(" and ");
                    return refuse(format!(
                        "the format of this lock is {format}, and this upstate reads {known}: update upstate"
                    ));
                }
                format_seen = true;
            } else if !format_seen {
                return refuse(BEGINNING.to_owned());
            } else if let Some(release) = text.strip_prefix("release ") {
                let (release, date) = release.split_once(' ').map_or((release, None), |(release, date)| (release, Some(date)));
                let release: Release = release.parse().map_err(|error| LockError::new(line, format!("{error}")))?;
                if let Some(date) = date {
                    let date: Date = date.parse().map_err(|error| LockError::new(line, format!("{error}")))?;
                    // After a merge there may be two lines of one release.
                    lock.dates.entry(release.clone()).and_modify(|first| *first = date.min(*first)).or_insert(date);
                }
                lock.releases.push(release);
            } else if text.starts_with('[') {
                if let Some(open) = open.take() {
                    open.close(&mut lock)?;
                }
                open = Some(header(line, text)?);
            } else if let Some(open) = &mut open {
                open.line(line, text)?;
            } else {
                return refuse(format!("expected an entry such as `[example_thing 2] …`, found `{}`", shorten(text)));
            }
        }
        if let Some(open) = open {
            open.close(&mut lock)?;
        }
        if !format_seen {
            return Err(LockError::new(0, BEGINNING.to_owned()));
        }
        lock.releases.sort_unstable();
        lock.releases.dedup();
        Ok(lock)
    }
}

fn shorten(text: &str) -> String {
    text.chars().take(40).collect()
}

fn header(line: usize, text: &str) -> Result<Open, LockError> {
    let refused = || LockError::new(line, format!("expected `[type version] fingerprint released …`, found `{}`", shorten(text)));
    let (key, rest) = text.strip_prefix('[').and_then(|text| text.split_once("] ")).ok_or_else(refused)?;
    // What nothing stores has no version.
    let (type_name, version) = key.rsplit_once(' ').unwrap_or((key, "0"));
    let has_version = type_name != key;
    let (first, last) = version.split_once("..=").unwrap_or((version, version));
    let (first, last): (u64, u64) = (first.parse().map_err(|_| refused())?, last.parse().map_err(|_| refused())?);
    match last.checked_sub(first) {
        None => return Err(LockError::new(line, format!("there is no version from {first} to {last}"))),
        Some(more) if more >= MOST_VERSIONS => {
            return Err(LockError::new(line, format!("versions {first} to {last} are more than {MOST_VERSIONS}")));
        }
        Some(_) => {}
    }
    let mut words = rest.split(' ');
    let fingerprint = words.next().filter(|word| word.len() == 16).ok_or_else(refused)?;
    let standing = match (words.next(), words.next(), words.next()) {
        (Some("unreleased"), None, None) => Standing::Unreleased,
        (Some("released"), None, None) => Standing::Released(None),
        (Some("released"), Some(release), None) => Standing::Released(Some(release.parse().map_err(|_| refused())?)),
        _ => return Err(refused()),
    };
    Ok(Open {
        line,
        type_name: type_name.to_owned(),
        has_version,
        versions: first..=last,
        fingerprint: fingerprint.to_owned(),
        standing,
        facts: Map::new(),
        members: Members::default(),
    })
}

impl Open {
    fn line(&mut self, line: usize, text: &str) -> Result<(), LockError> {
        let refuse = |problem: String| LockError::new(line, problem);
        let (path, rest) =
            text.split_once(" = ").ok_or_else(|| refuse(format!("expected `path = stored form`, found `{}`", shorten(text))))?;
        if let Some(name) = path.strip_prefix('@') {
            let value = serde_json::from_str(rest).map_err(|error| refuse(format!("`@{name}`: {}", damaged(&error))))?;
            if self.facts.insert(name.to_owned(), value).is_some() {
                return Err(refuse(format!("`@{name}` is here twice")));
            }
            return Ok(());
        }
        let steps = steps(path).ok_or_else(|| refuse(format!("`{}` is not a path", shorten(path))))?;
        if steps.len() > MAX_DEPTH {
            return Err(refuse(format!("more than {MAX_DEPTH} attributes inside one another")));
        }
        let (stored, facts) = match rest.split_once(" {") {
            Some((stored, facts)) => (
                stored,
                serde_json::from_str(&format!("{{{facts}")).map_err(|error| refuse(format!("`{path}`: {}", damaged(&error))))?,
            ),
            None => (rest, Map::new()),
        };
        let (last, above) = steps.split_last().ok_or_else(|| refuse("expected a path".to_owned()))?;
        let mut members = Some(Place { attributes: &mut self.members.attributes, blocks: Some(&mut self.members.blocks) });
        for step in above {
            members = members.and_then(|members| members.inside(step));
        }
        let place = members.ok_or_else(|| refuse(format!("`{path}` comes before what it is in")))?;
        place.put(last, stored, facts).map_err(|problem| refuse(format!("`{path}`: {problem}")))
    }

    fn close(self, lock: &mut Lock) -> Result<(), LockError> {
        let Self { line, type_name, has_version, versions, fingerprint, standing, mut facts, members } = self;
        let refuse = |problem: String| LockError::new(line, problem);
        let release = |json: &Json| json.as_str().and_then(|text| text.parse::<Release>().ok());
        let removed = match facts.remove("removed") {
            Some(json) => Some(release(&json).ok_or_else(|| refuse("`@removed` is not a release".to_owned()))?),
            None => None,
        };
        let mut former = BTreeMap::new();
        if let Some(Json::Object(shapes)) = facts.remove("former") {
            for (at, shape) in shapes {
                let at: Release = at.parse().map_err(|_| refuse("`@former` has something that is not a release".to_owned()))?;
                former.insert(at, shape.as_str().unwrap_or_default().to_owned());
            }
        }
        let key = if !has_version {
            type_name.clone()
        } else if versions.start() == versions.end() {
            format!("{type_name} {}", versions.start())
        } else {
            format!("{type_name} {}..={}", versions.start(), versions.end())
        };
        facts.insert("version".to_owned(), (*versions.start()).into());
        let mut resource: ResourceSnapshot =
            serde_json::from_value(Json::Object(facts)).map_err(|error| refuse(error.to_string()))?;
        resource.attributes = members.attributes;
        resource.blocks = members.blocks;
        if Kind::of(&resource).is_stored() != has_version {
            return Err(refuse(format!("`[{key}]` {}", if has_version { "has no versions" } else { "says no version" })));
        }
        let found = fingerprint_of(&resource);
        if found != fingerprint {
            return Err(refuse(format!(
                "the lines of `[{key}]` give the fingerprint {found}, not {fingerprint}: they were edited; put them back, or let \
                 `lock` rewrite the entry if it was never released"
            )));
        }
        for version in versions {
            let resource = ResourceSnapshot { version, ..resource.clone() };
            let entry = Entry { standing: standing.clone(), resource, former: former.clone(), removed: removed.clone() };
            if lock.entries.insert((type_name.clone(), version), entry).is_some() {
                return Err(refuse(format!(
                    "`[{key}]` is here twice; if two branches gave it different shapes, give the later one a version of its own"
                )));
            }
        }
        Ok(())
    }
}

/// The section of a line.
struct Place<'m> {
    attributes: &'m mut BTreeMap<String, AttributeSnapshot>,
    blocks: Option<&'m mut BTreeMap<String, BlockSnapshot>>,
}

impl Place<'_> {
    fn inside(self, name: &str) -> Option<Self> {
        if let Some(attribute) = self.attributes.get_mut(name) {
            let nested = attribute.nested.as_mut()?;
            return Some(Place { attributes: &mut nested.attributes, blocks: None });
        }
        let block = self.blocks?.get_mut(name)?;
        Some(Place { attributes: &mut block.attributes, blocks: Some(&mut block.blocks) })
    }

    fn put(self, name: &str, stored: &str, mut facts: Map<String, Json>) -> Result<(), String> {
        let mode = |word: &str| serde_json::from_value::<Mode>(word.into()).map_err(|_| format!("`{word}` is not a nesting"));
        let twice = || Err("it is here twice".to_owned());
        if let Some(word) = stored.strip_prefix("block ") {
            facts.insert("mode".to_owned(), word.into());
            mode(word)?;
            let block: BlockSnapshot = serde_json::from_value(Json::Object(facts)).map_err(|error| error.to_string())?;
            let Some(blocks) = self.blocks else { return Err("a nested object has no blocks".to_owned()) };
            return if blocks.insert(name.to_owned(), block).is_some() { twice() } else { Ok(()) };
        }
        let (stored, write_only) = stored.strip_suffix(" write_only").map_or((stored, false), |stored| (stored, true));
        let (stored, nullable) = match (stored.strip_suffix(" null?"), stored.strip_suffix(" null")) {
            (Some(stored), _) => (stored, None),
            (None, Some(stored)) => (stored, Some(true)),
            (None, None) => (stored, Some(false)),
        };
        let mut attribute: AttributeSnapshot = serde_json::from_value(Json::Object(facts)).map_err(|error| error.to_string())?;
        attribute.write_only = write_only;
        attribute.nullable = nullable;
        // Earlier locks call what has a default required where its field is not an `Option`.
        if attribute.required && attribute.default.is_some() {
            (attribute.required, attribute.optional) = (false, true);
        }
        match stored.strip_prefix("nested ") {
            Some(word) => attribute.nested = Some(NestedSnapshot { mode: mode(word)?, attributes: BTreeMap::new() }),
            None => attribute.ty = Some(serde_json::from_str::<StoredType>(stored).map_err(|error| damaged(&error))?),
        }
        if self.attributes.insert(name.to_owned(), attribute).is_some() { twice() } else { Ok(()) }
    }
}

/// The reason why the value behind `=` cannot be read. The place in it says little where the line is named.
fn damaged(error: &serde_json::Error) -> String {
    let why = error.to_string();
    let why = why.split(" at line ").next().unwrap_or_default();
    format!("{why}; the line was edited or cut off: restore it from the repository")
}

/// The names that a path is made of.
fn steps(path: &str) -> Option<Vec<String>> {
    let mut steps = Vec::new();
    let mut rest = path;
    loop {
        let (step, after) = if let Some(quoted) = rest.strip_prefix('"') {
            let mut name = String::new();
            let mut letters = quoted.char_indices();
            let end = loop {
                match letters.next()? {
                    (_, '\\') => name.push(match letters.next()?.1 {
                        's' => ' ',
                        letter => letter,
                    }),
                    (at, '"') => break at,
                    (_, letter) => name.push(letter),
                }
            };
            (name, quoted.get(end + 1..)?)
        } else {
            let end = rest.find('.').unwrap_or(rest.len());
            let (name, after) = rest.split_at_checked(end)?;
            (name.to_owned(), after)
        };
        if step.is_empty() {
            return None;
        }
        steps.push(step);
        match after.strip_prefix('.') {
            Some(after) => rest = after,
            None if after.is_empty() => return Some(steps),
            None => return None,
        }
    }
}
