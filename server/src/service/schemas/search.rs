//! Looking for instances in all workspaces of an organization.

use std::cell::RefCell;

use upstate::AttributePath;
use upstate_state::{Mode, StateFile, StoredType};

use super::super::reading::has_bytes;
use super::super::{Failure, Service};
use super::Worker;
use super::inventory::{self, WorkspaceTypes};
use crate::model::{Head, OrganizationId, Permission, Principal, VersionId, WorkspaceId};
use crate::rules::{Refusal, RefusalKind};

/// The greatest number of states that one request reads, or looks at before it reads one.
const STATES: usize = 100;

/// The number of workspaces that are looked up at a time.
const AT_ONCE: u32 = 100;

/// The terms of a search: all that are given must fit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchFor {
    /// The name of a type that is registered or stored, or a part of type names; in any case, as
    /// all of these.
    pub type_name: Option<String>,
    /// The schema version at which a resource is stored. Data sources are not found by it, because
    /// Terraform reads them again.
    pub version: Option<u64>,
    /// A part of the address.
    pub address: Option<String>,
    /// A part of a value that is not sensitive.
    pub value: Option<String>,
    /// The attribute in which the value is, up to its first dot or bracket; without a value, any
    /// that it has.
    pub attribute: Option<String>,
}

impl SearchFor {
    /// True if values are looked at.
    const fn is_for_values(&self) -> bool {
        self.value.is_some() || self.attribute.is_some()
    }
}

/// The terms of a search, with what an organization makes of the name of a type.
#[derive(Clone)]
struct Terms {
    wanted: SearchFor,
    /// The type name in lower case.
    type_name: Option<String>,
    /// True if some type has just that name.
    is_whole: bool,
}

impl Terms {
    /// True for the type that is named whole, or for all whose name has the part.
    fn is_of_type(&self, name: &str) -> bool {
        let fits = |wanted: &String| {
            if self.is_whole {
                name.to_lowercase() == *wanted
            } else {
                has(name, wanted)
            }
        };
        self.type_name.as_ref().is_none_or(fits)
    }

    /// True for resources at the version that is wanted, or for all.
    fn is_at(&self, mode: Mode, version: u64) -> bool {
        self.wanted
            .version
            .is_none_or(|wanted| mode == Mode::Managed && wanted == version)
    }
}

/// True if a string has a part, which is in lower case, in any case.
fn has(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(part)
}

/// The number of characters of a value that are shown around what was searched.
const AROUND: usize = 60;

/// A part of a value around what was searched, which is in lower case.
fn excerpt(text: &str, part: &str) -> String {
    let lower = text.to_lowercase();
    let before = lower.find(part).map_or(0, |at| {
        lower.get(..at).map_or(0, |before| before.chars().count())
    });
    let start = before.saturating_sub(AROUND / 4);
    let excerpt: String = text.chars().skip(start).take(AROUND).collect();
    let (begins, ends) = (start == 0, text.chars().count() <= start + AROUND);
    format!(
        "{}{excerpt}{}",
        if begins { "" } else { "…" },
        if ends { "" } else { "…" }
    )
}

/// An instance that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The workspace's id.
    pub workspace: WorkspaceId,
    /// The workspace's name.
    pub workspace_name: String,
    /// The current version, in which it is.
    pub version: VersionId,
    /// Its address.
    pub address: String,
    /// Its type name.
    pub type_name: String,
    /// The schema version it is stored at.
    pub schema_version: u64,
    /// The paths of the values, if one was searched.
    pub paths: Vec<String>,
    /// These values, each around what was searched.
    pub values: Vec<String>,
}

/// Some of what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The instances, by workspace and in the order of its state.
    pub hits: Vec<Hit>,
    /// The place to continue; none at the end. There may be more without a hit here: a request
    /// reads a bounded number of states.
    pub next: Option<String>,
}

/// After which instance of which workspace to begin. Names of workspaces have no slash.
struct Cursor {
    workspace: String,
    /// The number of its instances that were read; `None`: all of them.
    instances: Option<usize>,
}

impl Cursor {
    fn read(text: &str) -> Result<Self, Refusal> {
        let detail = "page[after] must be the meta.next of the answer before";
        let wrong = || Refusal::new(RefusalKind::BadRequest, detail);
        let (workspace, instances) = text.split_once('/').ok_or_else(wrong)?;
        let instances = if instances.is_empty() {
            None
        } else {
            Some(instances.parse().map_err(|_| wrong())?)
        };
        Ok(Self {
            workspace: workspace.to_owned(),
            instances,
        })
    }
}

impl Service {
    /// Looks for instances in the current versions of an organization, `limit` at a time.
    pub async fn search(
        &self,
        principal: &Principal,
        organization: &str,
        wanted: &SearchFor,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Found, Failure> {
        let (access, organization) = self.organization(principal, organization).await?;
        access.require(Permission::ReadState)?;
        let begin = after.map(Cursor::read).transpose()?;
        let terms = self.terms(&organization.id, wanted.clone()).await?;
        let (mut at, mut skip) = match begin {
            None => (None, None),
            Some(Cursor {
                workspace,
                instances: None,
            }) => (Some(workspace), None),
            // The workspace itself is looked at again: names are compared, so the search goes on
            // from right before it.
            Some(Cursor {
                workspace,
                instances: Some(instances),
            }) => (before(&workspace), Some((workspace, instances))),
        };
        let (mut hits, mut states) = (Vec::new(), 0);
        while let Some(some) = self.some_types(&organization.id, &mut at, AT_ONCE).await? {
            for workspace in some {
                let this = workspace.head.name.clone();
                let begin = skip
                    .take_if(|(name, _)| *name == this)
                    .map_or(0, |(_, instances)| instances);
                if !self.may_have(&workspace, &terms) {
                    continue;
                }
                if states == STATES {
                    return Ok(Found {
                        hits,
                        next: Some(format!("{this}/0")),
                    });
                }
                states += 1;
                let room = limit - hits.len();
                let (found, stopped) = self
                    .look_into(workspace, terms.clone(), begin, room)
                    .await?;
                hits.extend(found);
                match stopped {
                    Some(instances) => {
                        return Ok(Found {
                            hits,
                            next: Some(format!("{this}/{instances}")),
                        });
                    }
                    None if hits.len() == limit => {
                        return Ok(Found {
                            hits,
                            next: Some(format!("{this}/")),
                        });
                    }
                    None => {}
                }
            }
        }
        Ok(Found { hits, next: None })
    }

    /// The first workspace, by name, with resources of a type at a version in a current state of at
    /// most so many bytes, and that state's version. No state is read, and permissions were looked
    /// at before.
    pub(crate) async fn first_with(
        &self,
        organization: &OrganizationId,
        (type_name, schema_version): (&str, u64),
        most: u64,
    ) -> Result<Option<(Head, VersionId)>, Failure> {
        let holds = |stored: &StoredType| {
            stored.mode == Mode::Managed
                && stored.type_name == type_name
                && stored.version == schema_version
        };
        let (mut at, mut states) = (None, 0);
        while let Some(some) = self
            .some_types(organization, &mut at, inventory::AT_ONCE)
            .await?
        {
            for workspace in some {
                if !workspace.known.types.iter().any(holds) {
                    continue;
                }
                if states == STATES {
                    return Ok(None);
                }
                states += 1;
                let Some(id) = workspace.head.version.clone() else {
                    continue;
                };
                let Some(version) = self.store.version(&id).await? else {
                    continue;
                };
                let is_small = version
                    .finalized
                    .as_ref()
                    .is_some_and(|finalized| finalized.size <= most);
                if is_small && has_bytes(&version).is_ok() {
                    return Ok(Some((workspace.head, id)));
                }
            }
        }
        Ok(None)
    }

    async fn terms(
        &self,
        organization: &OrganizationId,
        wanted: SearchFor,
    ) -> Result<Terms, Failure> {
        let type_name = wanted.type_name.as_deref().map(str::to_lowercase);
        let is_whole = match &type_name {
            Some(name) => {
                self.registry().get(name).is_some() || self.is_stored(organization, name).await?
            }
            None => false,
        };
        Ok(Terms {
            wanted,
            type_name,
            is_whole,
        })
    }

    /// True if a current state holds instances of a type. The name is in lower case.
    async fn is_stored(&self, organization: &OrganizationId, name: &str) -> Result<bool, Failure> {
        let mut at = None;
        while let Some(some) = self
            .some_types(organization, &mut at, inventory::AT_ONCE)
            .await?
        {
            if some
                .iter()
                .flat_map(|one| &one.known.types)
                .any(|stored| stored.type_name.to_lowercase() == name)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True if something may be found there, by the types alone.
    fn may_have(&self, workspace: &WorkspaceTypes, terms: &Terms) -> bool {
        // Since nobody knows which values of an unregistered type are sensitive, none is searched.
        let known =
            |name: &str| !terms.wanted.is_for_values() || self.registry().get(name).is_some();
        let may_be = |stored: &StoredType| {
            terms.is_of_type(&stored.type_name)
                && known(&stored.type_name)
                && terms.is_at(stored.mode, stored.version)
        };
        workspace.known.types.iter().any(may_be)
    }

    /// At most `room` hits in a workspace from the instance `begin` on, and at which instance it
    /// stopped, if before the end.
    async fn look_into(
        &self,
        workspace: WorkspaceTypes,
        terms: Terms,
        begin: usize,
        room: usize,
    ) -> Result<(Vec<Hit>, Option<usize>), Failure> {
        let nothing = (Vec::new(), None);
        let Some(id) = workspace.head.version.clone() else {
            return Ok(nothing);
        };
        let Some(version) = self.store.version(&id).await? else {
            return Ok(nothing);
        };
        // The bytes may be gone by now, and then there is nothing to search.
        if has_bytes(&version).is_err() {
            return Ok(nothing);
        }
        self.work([&version], move |worker, [bytes]| {
            look(worker, &bytes, &workspace, &id, &terms, begin, room)
        })
        .await
    }
}

/// A name before another one, with none between.
fn before(name: &str) -> Option<String> {
    let mut letters: Vec<char> = name.chars().collect();
    let last = letters.pop()?;
    let lower = char::from_u32(u32::from(last).checked_sub(1)?)?;
    // Nothing is between this and the name, because names are ASCII letters, digits, - and _, all
    // of them below `char::MAX`.
    letters.extend([lower, char::MAX]);
    Some(letters.into_iter().collect())
}

fn look(
    worker: &Worker,
    bytes: &[u8],
    workspace: &WorkspaceTypes,
    version: &VersionId,
    terms: &Terms,
    begin: usize,
    room: usize,
) -> (Vec<Hit>, Option<usize>) {
    let (mut hits, wanted) = (Vec::new(), &terms.wanted);
    // What cannot be read has nothing to find.
    let Ok(state) = StateFile::parse(bytes) else {
        return (hits, None);
    };
    for (index, instance) in state.instances().iter().enumerate().skip(begin) {
        if !terms.is_of_type(instance.type_name())
            || !terms.is_at(instance.mode(), instance.schema_version())
        {
            continue;
        }
        let address = instance.address().to_string();
        if wanted
            .address
            .as_ref()
            .is_some_and(|part| !has(&address, &part.to_lowercase()))
        {
            continue;
        }
        let (mut paths, values) = (Vec::new(), RefCell::new(Vec::new()));
        if wanted.is_for_values() {
            let part = wanted.value.as_deref().unwrap_or_default().to_lowercase();
            let found = instance.find(&worker.registry, &|path: &AttributePath, text| {
                let of_attribute = wanted.attribute.as_ref().is_none_or(|attribute| {
                    let path = path.to_string();
                    path.split(['.', '['])
                        .next()
                        .is_some_and(|name| name.eq_ignore_ascii_case(attribute))
                });
                let is_found = of_attribute && has(text, &part);
                if is_found {
                    values.borrow_mut().push(excerpt(text, &part));
                }
                is_found
            });
            if found.is_empty() {
                continue;
            }
            paths = found.iter().map(ToString::to_string).collect();
        }
        if hits.len() == room {
            return (hits, Some(index));
        }
        hits.push(Hit {
            workspace: workspace.head.workspace.clone(),
            workspace_name: workspace.head.name.clone(),
            version: version.clone(),
            address,
            type_name: instance.type_name().to_owned(),
            schema_version: instance.schema_version(),
            paths,
            values: values.into_inner(),
        });
    }
    (hits, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_shown_around_what_was_searched() {
        assert_eq!(excerpt("The key of Ann", "key"), "The key of Ann");
        let long = format!("{}Ärger{}", "a".repeat(100), "b".repeat(100));
        assert_eq!(
            excerpt(&long, "ärger"),
            format!("…{}Ärger{}…", "a".repeat(15), "b".repeat(40))
        );
        assert_eq!(excerpt(&long, ""), format!("{}…", "a".repeat(60)));
        // No offset is one of the lower case, since that of this letter is longer.
        assert_eq!(excerpt("İİİ key", "key"), "İİİ key");
    }
}
