//! Reading a lock.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde_json::{Map, Value as Json};
use upstate_words::lock::{
    BEGINNING, Form, Header, KNOWS_FORMS, Line, Lines, Null, Status, Stored, fingerprint, steps,
};

use super::shapes::StoredBy;
use super::{Entry, EntryStatus, Lock, LockError};
use crate::fingerprint::{fingerprint_of, fingerprint_of_flattened};
use crate::{
    AttributeSnapshot, BlockSnapshot, Date, Kind, NestedSnapshot, Release, ResourceSnapshot,
    StoredType,
};

/// The largest number of attributes inside one another.
const MAX_DEPTH: usize = 64;

/// An entry whose lines are being read.
struct Open {
    line: usize,
    type_name: String,
    has_version: bool,
    versions: RangeInclusive<u64>,
    fingerprint: u64,
    status: EntryStatus,
    facts: Map<String, Json>,
    members: Members,
    flattened: BTreeMap<String, Vec<AttributeSnapshot>>,
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
        let mut lines = Lines::of(text);
        for (line, text) in lines.by_ref() {
            match text.map_err(|problem| LockError::new(line, problem.to_string()))? {
                Line::Release(release) => lock
                    .release(release)
                    .map_err(|problem| LockError::new(line, problem))?,
                Line::Header(header) => {
                    if let Some(open) = open.take() {
                        open.close(&mut lock)?;
                    }
                    open = Some(Open::of(line, header)?);
                }
                Line::Fact(name, json) => {
                    if let Some(open) = &mut open {
                        open.fact(name, json)
                            .map_err(|problem| LockError::new(line, problem))?;
                    }
                }
                Line::Member {
                    path,
                    stored,
                    facts,
                } => {
                    if let Some(open) = &mut open {
                        open.member(path, stored, facts)
                            .map_err(|problem| LockError::new(line, problem))?;
                    }
                }
                Line::Flattened {
                    path,
                    stored,
                    facts,
                } => {
                    if let Some(open) = &mut open {
                        open.flattened(path, stored, facts)
                            .map_err(|problem| LockError::new(line, problem))?;
                    }
                }
            }
        }
        if let Some(open) = open {
            open.close(&mut lock)?;
        }
        let Some(format) = lines.format() else {
            return Err(LockError::new(0, BEGINNING.to_owned()));
        };
        if format < KNOWS_FORMS {
            lock.entries
                .values_mut()
                .for_each(|entry| entry.resource.knows_forms = false);
        }
        lock.releases.sort_unstable();
        lock.releases.dedup();
        Ok(lock)
    }

    fn release(&mut self, text: &str) -> Result<(), String> {
        let (release, date) = text
            .split_once(' ')
            .map_or((text, None), |(release, date)| (release, Some(date)));
        let release: Release = release.parse().map_err(|error| format!("{error}"))?;
        if let Some(date) = date {
            let date: Date = date.parse().map_err(|error| format!("{error}"))?;
            // After a merge there may be two lines of one release.
            self.dates
                .entry(release.clone())
                .and_modify(|first| *first = date.min(*first))
                .or_insert(date);
        }
        self.releases.push(release);
        Ok(())
    }
}

impl Open {
    fn of(line: usize, header: Header<'_>) -> Result<Self, LockError> {
        let Header {
            key,
            type_name,
            has_version,
            versions,
            fingerprint,
            status,
        } = header;
        let status = match status {
            Status::Unreleased => EntryStatus::Unreleased,
            Status::Released(None) => EntryStatus::Released(None),
            Status::Released(Some(release)) => {
                let release = release
                    .parse()
                    .map_err(|error| LockError::new(line, format!("`[{key}]`: {error}")))?;
                EntryStatus::Released(Some(release))
            }
        };
        Ok(Self {
            line,
            type_name: type_name.to_owned(),
            has_version,
            versions,
            fingerprint,
            status,
            facts: Map::new(),
            members: Members::default(),
            flattened: BTreeMap::new(),
        })
    }

    fn fact(&mut self, name: &str, json: &str) -> Result<(), String> {
        let value = serde_json::from_str(json)
            .map_err(|error| format!("`@{name}`: {}", damaged(&error)))?;
        let is_new = self.facts.insert(name.to_owned(), value).is_none();
        if is_new {
            Ok(())
        } else {
            Err(format!("`@{name}` is here twice"))
        }
    }

    fn member(&mut self, path: &str, stored: &str, facts: &str) -> Result<(), String> {
        let steps = steps(path).ok_or_else(|| format!("`{path}` is not a path"))?;
        if steps.len() > MAX_DEPTH {
            return Err(format!(
                "more than {MAX_DEPTH} attributes inside one another"
            ));
        }
        let facts = object(facts).map_err(|problem| format!("`{path}`: {problem}"))?;
        let (last, above) = steps
            .split_last()
            .ok_or_else(|| "expected a path".to_owned())?;
        let mut members = Some(Place {
            attributes: &mut self.members.attributes,
            blocks: Some(&mut self.members.blocks),
        });
        for step in above {
            members = members.and_then(|members| members.inside(step));
        }
        let place = members.ok_or_else(|| format!("`{path}` comes before its parent"))?;
        place
            .put(last, stored, facts)
            .map_err(|problem| format!("`{path}`: {problem}"))
    }

    fn flattened(&mut self, path: &str, stored: &str, facts: &str) -> Result<(), String> {
        let problem = |problem: String| format!("`{}`: {problem}", fingerprint::flattened(path));
        let facts = object(facts).map_err(problem)?;
        let Stored {
            form,
            null,
            write_only,
        } = Stored::read(stored).map_err(|error| problem(damaged(&error)))?;
        let Form::Type(ty) = form else {
            return Err(problem("it is neither an enum nor a map".to_owned()));
        };
        let part = attribute((null, write_only), facts).map_err(problem)?;
        let part = AttributeSnapshot {
            ty: Some(StoredType::from(&ty)),
            ..part
        };
        self.flattened
            .entry(path.to_owned())
            .or_default()
            .push(part);
        Ok(())
    }

    fn close(self, lock: &mut Lock) -> Result<(), LockError> {
        let Self {
            line,
            type_name,
            has_version,
            versions,
            fingerprint,
            status,
            mut facts,
            members,
            flattened,
        } = self;
        let refuse = |problem: String| LockError::new(line, problem);
        let release = |json: &Json| json.as_str().and_then(|text| text.parse::<Release>().ok());
        let removed = match facts.remove("removed") {
            Some(json) => Some(
                release(&json).ok_or_else(|| refuse("`@removed` is not a release".to_owned()))?,
            ),
            None => None,
        };
        let mut former = BTreeMap::new();
        if let Some(Json::Object(shapes)) = facts.remove("former") {
            for (at, shape) in shapes {
                let at: Release = at.parse().map_err(|_| {
                    refuse("`@former` has something that is not a release".to_owned())
                })?;
                former.insert(at, shape.as_str().unwrap_or_default().to_owned());
            }
        }
        let stored_by = stored_by(facts.remove("stored_by")).map_err(refuse)?;
        let key = if !has_version {
            type_name.clone()
        } else if versions.start() == versions.end() {
            format!("{type_name} {}", versions.start())
        } else {
            format!("{type_name} {}..={}", versions.start(), versions.end())
        };
        let flattened = match facts.remove("flattened") {
            Some(json) if json == fingerprint_of_flattened(&flattened) => Some(flattened),
            None if flattened.is_empty() => None,
            Some(_) | None => {
                return Err(refuse(format!(
                    "the lines of flattened enums and maps of `[{key}]` were edited: restore it from the repository"
                )));
            }
        };
        facts.insert("version".to_owned(), (*versions.start()).into());
        let knows_forms = has_version && facts.remove("forms").is_none_or(|known| known != false);
        facts.insert("knows_forms".to_owned(), knows_forms.into());
        let mut resource: ResourceSnapshot = serde_json::from_value(Json::Object(facts))
            .map_err(|error| refuse(error.to_string()))?;
        resource.attributes = members.attributes;
        resource.blocks = members.blocks;
        resource.flattened = flattened;
        if let Some(shape) = stored_by
            .0
            .values()
            .flatten()
            .find(|shape| !resource.alternatives.contains(shape))
        {
            return Err(refuse(format!(
                "`@stored_by` has {shape}, which is not among the `@alternatives`"
            )));
        }
        if Kind::of(&resource).is_stored() != has_version {
            return Err(refuse(format!(
                "`[{key}]` {}",
                if has_version {
                    "has no versions"
                } else {
                    "says no version"
                }
            )));
        }
        let (found, fingerprint) = (fingerprint_of(&resource), format!("{fingerprint:016x}"));
        if found != fingerprint {
            return Err(refuse(format!(
                "the lines of `[{key}]` give the fingerprint {found}, not {fingerprint}: they were edited; put them back, or let \
                 `lock` rewrite the entry if it was never released"
            )));
        }
        for version in versions {
            let resource = ResourceSnapshot {
                version,
                ..resource.clone()
            };
            let entry = Entry {
                status: status.clone(),
                resource,
                former: former.clone(),
                stored_by: stored_by.clone(),
                removed: removed.clone(),
            };
            if lock
                .entries
                .insert((type_name.clone(), version), entry)
                .is_some()
            {
                return Err(refuse(format!(
                    "`[{key}]` is here twice; if two branches gave it different shapes, give the later one another version"
                )));
            }
        }
        Ok(())
    }
}

/// The releases that stored each alternative, as `@stored_by` has them.
fn stored_by(json: Option<Json>) -> Result<StoredBy, String> {
    let shapes: BTreeMap<String, Option<String>> = json
        .map(serde_json::from_value)
        .transpose()
        .map_err(|error| format!("`@stored_by`: {error}"))?
        .unwrap_or_default();
    let mut stored_by = StoredBy::default();
    for (release, shape) in shapes {
        let release = release
            .parse()
            .map_err(|_| "`@stored_by` has something that is not a release".to_owned())?;
        stored_by.0.insert(release, shape);
    }
    Ok(stored_by)
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
            return Some(Place {
                attributes: &mut nested.attributes,
                blocks: None,
            });
        }
        let block = self.blocks?.get_mut(name)?;
        Some(Place {
            attributes: &mut block.attributes,
            blocks: Some(&mut block.blocks),
        })
    }

    fn put(self, name: &str, stored: &str, mut facts: Map<String, Json>) -> Result<(), String> {
        let Stored {
            form,
            null,
            write_only,
        } = Stored::read(stored).map_err(|error| damaged(&error))?;
        let is_new = match form {
            Form::Block(nesting) => {
                facts.insert("mode".to_owned(), nesting.name().into());
                let block: BlockSnapshot = serde_json::from_value(Json::Object(facts))
                    .map_err(|error| error.to_string())?;
                let Some(blocks) = self.blocks else {
                    return Err("a nested object has no blocks".to_owned());
                };
                blocks.insert(name.to_owned(), block).is_none()
            }
            Form::Nested(_) | Form::Type(_) => {
                let mut attribute = attribute((null, write_only), facts)?;
                // Earlier locks call what has a default required where its field is not an
                // `Option`.
                if attribute.required && attribute.default.is_some() {
                    (attribute.required, attribute.optional) = (false, true);
                }
                match form {
                    Form::Type(ty) => attribute.ty = Some(StoredType::from(&ty)),
                    Form::Block(nesting) | Form::Nested(nesting) => {
                        attribute.nested = Some(NestedSnapshot {
                            mode: nesting,
                            attributes: BTreeMap::new(),
                        });
                    }
                }
                self.attributes.insert(name.to_owned(), attribute).is_none()
            }
        };
        if is_new {
            Ok(())
        } else {
            Err("it is here twice".to_owned())
        }
    }
}

/// The facts of a line.
fn object(facts: &str) -> Result<Map<String, Json>, String> {
    match facts {
        "" => Ok(Map::new()),
        facts => serde_json::from_str(facts).map_err(|error| damaged(&error)),
    }
}

/// An attribute without its type.
fn attribute(
    (null, write_only): (Null, bool),
    facts: Map<String, Json>,
) -> Result<AttributeSnapshot, String> {
    let attribute: AttributeSnapshot =
        serde_json::from_value(Json::Object(facts)).map_err(|error| error.to_string())?;
    let nullable = match null {
        Null::Refused => Some(false),
        Null::Read => Some(true),
        Null::Unknown => None,
    };
    Ok(AttributeSnapshot {
        nullable,
        write_only,
        ..attribute
    })
}

/// The problem of a line that cannot be read. The place in it says little where the line is named.
fn damaged(error: &impl ToString) -> String {
    let why = error.to_string();
    let why = why.split(" at line ").next().unwrap_or_default();
    format!("{why}; the line was edited or cut off: restore it from the repository")
}
