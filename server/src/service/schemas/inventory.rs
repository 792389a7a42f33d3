//! Stored types with their schema versions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use upstate_state::{InstanceStatus, Mode, StoredType};

use super::super::reading::has_bytes;
use super::super::{Failure, Service};
use super::Known;
use super::fleet::Fleet;
use crate::content::Content;
use crate::model::{
    Head, LastOutcome, OrganizationId, Permission, Principal, Version, VersionId, VersionTypes,
    WorkspaceId,
};
use crate::rules::{Refusal, RefusalKind};
use crate::store::{Listed, Page, StoreError};

/// The number of workspaces that are looked up at a time.
pub(super) const AT_ONCE: u32 = 1000;

/// A workspace and what its current version holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceTypes {
    /// The workspace with its current version.
    pub head: Head,
    /// Its contents; none if there is no state.
    pub known: Arc<Known>,
    /// The newest outcome of a job or a plan for its current version, in lists that have it.
    pub outcome: Option<LastOutcome>,
}

impl WorkspaceTypes {
    /// The number of resource instances, and of those that are current.
    pub fn instances(&self, registry: &upstate::Registry) -> (usize, usize) {
        let managed = self
            .known
            .types
            .iter()
            .filter(|stored| stored.mode == Mode::Managed);
        managed.fold((0, 0), |(all, current), stored| {
            let is_current = stored.status(registry) == InstanceStatus::Current;
            (
                all + stored.instances,
                if is_current {
                    current + stored.instances
                } else {
                    current
                },
            )
        })
    }
}

/// The instances of a type at a schema version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// True if they are resources or data sources.
    pub mode: Mode,
    /// The type name.
    pub type_name: String,
    /// The schema version.
    pub version: u64,
    /// Its status in the registry.
    pub status: InstanceStatus,
    /// The registry's schema version, if it knows the type.
    pub current: Option<u64>,
    /// The number of instances.
    pub instances: usize,
    /// In how many workspaces.
    pub workspaces: usize,
}

/// The contents of the current versions of an organization.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OrganizationInventory {
    /// The number of workspaces.
    pub workspaces: usize,
    /// The number without a state.
    pub without_state: usize,
    /// The number with a state that cannot be read.
    pub unreadable: usize,
    /// The number that need an upgrade.
    pub behind: usize,
    /// The number with instances that nothing upgrades.
    pub stuck: usize,
    /// The number for whose current version a job or a plan failed, where that was looked up.
    pub failing: usize,
    /// The number in which nothing needs an upgrade or keeps from one.
    pub current: usize,
    /// The number of locked ones.
    pub locked: usize,
    /// The types.
    pub types: Vec<Counted>,
}

impl OrganizationInventory {
    /// The number of workspaces in a group.
    pub const fn of(&self, group: Group) -> usize {
        match group {
            Group::Current => self.current,
            Group::Behind => self.behind,
            Group::Stuck => self.stuck,
            Group::Failing => self.failing,
            Group::Unreadable => self.unreadable,
            Group::Locked => self.locked,
            Group::Empty => self.without_state,
        }
    }
}

/// The workspaces of an organization that have something in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Nothing in them needs an upgrade or keeps from one.
    Current,
    /// They need an upgrade.
    Behind,
    /// Nothing upgrades some of their instances.
    Stuck,
    /// A job or a plan failed for their current version.
    Failing,
    /// Their states cannot be read.
    Unreadable,
    /// They are locked.
    Locked,
    /// They have no state.
    Empty,
}

impl Group {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Current,
        Self::Behind,
        Self::Stuck,
        Self::Failing,
        Self::Unreadable,
        Self::Locked,
        Self::Empty,
    ];

    /// Its name in URLs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Behind => "behind",
            Self::Stuck => "stuck",
            Self::Failing => "failing",
            Self::Unreadable => "unreadable",
            Self::Locked => "locked",
            Self::Empty => "empty",
        }
    }

    /// By its name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }

    /// True if a workspace is one of them.
    pub fn has(self, workspace: &WorkspaceTypes) -> bool {
        let known = &workspace.known;
        match self {
            Self::Current => {
                workspace.head.version.is_some()
                    && ![Self::Behind, Self::Stuck, Self::Unreadable]
                        .iter()
                        .any(|one| one.has(workspace))
            }
            Self::Behind => known.statuses.contains(&InstanceStatus::NeedsUpgrade),
            Self::Failing => workspace
                .outcome
                .as_ref()
                .is_some_and(LastOutcome::is_failure),
            Self::Stuck => known.statuses.contains(&InstanceStatus::CannotUpgrade),
            Self::Unreadable => known.unreadable.is_some(),
            Self::Locked => workspace.head.locked,
            Self::Empty => workspace.head.version.is_none(),
        }
    }
}

/// The terms of a list of workspaces: all that are given must fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WorkspaceSearch<'w> {
    /// A part of the name, in any case.
    pub name: &'w str,
    /// The group that they are in.
    pub group: Option<Group>,
    /// The name of a type, of which they hold resource instances.
    pub type_name: Option<&'w str>,
    /// The schema version of these instances.
    pub version: Option<u64>,
    /// A tag that they have: a key, or a key and a value such as `env=prod`.
    pub tag: Option<&'w str>,
}

impl WorkspaceSearch<'_> {
    /// True if a workspace fits. `name` is in lower case, and `tagged` are the workspaces with the
    /// tag, if there is one.
    fn fits(
        &self,
        name: &str,
        tagged: Option<&BTreeSet<WorkspaceId>>,
        workspace: &WorkspaceTypes,
    ) -> bool {
        let is_of_type = |stored: &StoredType| {
            stored.mode == Mode::Managed
                && self
                    .type_name
                    .is_none_or(|wanted| stored.type_name == wanted)
                && self.version.is_none_or(|wanted| stored.version == wanted)
        };
        let is_for_types = self.type_name.is_some() || self.version.is_some();
        workspace.head.name.to_lowercase().contains(name)
            && self.group.is_none_or(|group| group.has(workspace))
            && (!is_for_types || workspace.known.types.iter().any(is_of_type))
            && tagged.is_none_or(|tagged| tagged.contains(&workspace.head.workspace))
    }
}

/// True if a tag that is selected, as it is written, is this key with any value, or with this one.
pub(super) fn is_selected(tag: &str, key: &str, value: Option<&str>) -> bool {
    let rest = tag.strip_prefix(key);
    rest == Some("") || value.is_some() && rest.and_then(|rest| rest.strip_prefix('=')) == value
}

/// Counts by mode, type name and version.
type Types = BTreeMap<(bool, String, u64), Counted>;

impl Service {
    /// The contents of a version.
    pub(super) async fn known(&self, version: &VersionId) -> Result<Arc<Known>, Failure> {
        let mut found = self.all_known(vec![version.clone()]).await?;
        Ok(found.remove(version.as_str()).unwrap_or_default())
    }

    /// The contents of versions, by id. Those not remembered are read together. Permissions were
    /// looked at before.
    pub(crate) async fn all_known(
        &self,
        versions: Vec<VersionId>,
    ) -> Result<HashMap<String, Arc<Known>>, Failure> {
        let remembered = self
            .schemas
            .known
            .get(versions.iter().map(VersionId::as_str));
        let (mut all, mut missing) = (HashMap::with_capacity(versions.len()), Vec::new());
        for (version, known) in versions.into_iter().zip(remembered) {
            match known {
                Some(known) => drop(all.insert(version.as_str().to_owned(), known)),
                None => missing.push(version),
            }
        }
        if missing.is_empty() {
            return Ok(all);
        }
        for VersionTypes {
            version,
            types,
            unreadable,
        } in self.store.types(&missing).await?
        {
            let text = match types {
                Some(text) => text,
                // An earlier release stored no types beside its versions, so they are found once,
                // and kept.
                None => self.find_types(&version).await?,
            };
            let known = Arc::new(Known::new(read_types(&text)?, unreadable, self.registry()));
            self.schemas.known.keep(version.as_str(), &known);
            all.insert(version.as_str().to_owned(), known);
        }
        Ok(all)
    }

    /// The types of a version beside which they are not kept, as JSON.
    pub(super) async fn find_types(&self, version: &VersionId) -> Result<String, Failure> {
        // Bytes that cannot be had have no types that could be read.
        let Some(read) = self
            .store
            .version(version)
            .await?
            .filter(|version| has_bytes(version).is_ok())
        else {
            return Ok("[]".to_owned());
        };
        let types = self
            .work([&read], |_, [bytes]| Content::read(&bytes).types)
            .await?;
        self.store.keep_types(version, &types).await?;
        Ok(types)
    }

    /// The contents of the current version of a workspace.
    pub async fn workspace_inventory(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
    ) -> Result<(Version, Arc<Known>), Failure> {
        let snapshot = self.allowed(principal, id, Permission::ReadState).await?;
        let none = || {
            Refusal::new(
                RefusalKind::NotFound,
                format!("The workspace {id} has no state yet"),
            )
        };
        let head = snapshot.head.ok_or_else(none)?;
        let known = self.known(&head.id).await?;
        Ok((head, known))
    }

    /// The workspaces of an organization that follow a name, with what they hold; `None` after the
    /// last one. The name is that of the last of them from then on.
    pub(super) async fn some_types(
        &self,
        organization: &OrganizationId,
        at: &mut Option<String>,
        limit: u32,
    ) -> Result<Option<Vec<WorkspaceTypes>>, Failure> {
        let after = at.as_deref();
        let heads = self.store.heads(organization, after, limit).await?;
        let Some(last) = heads.last() else {
            return Ok(None);
        };
        *at = Some(last.name.clone());
        let known = self
            .all_known(
                heads
                    .iter()
                    .filter_map(|head| head.version.clone())
                    .collect(),
            )
            .await?;
        let nothing = Arc::default();
        let of = |head: &Head| {
            Arc::clone(
                head.version
                    .as_ref()
                    .and_then(|version| known.get(version.as_str()))
                    .unwrap_or(&nothing),
            )
        };
        let held = heads.into_iter().map(|head| WorkspaceTypes {
            known: of(&head),
            head,
            outcome: None,
        });
        Ok(Some(held.collect()))
    }

    /// The workspaces with the newest outcomes for their current versions.
    async fn with_outcomes(
        &self,
        mut workspaces: Vec<WorkspaceTypes>,
    ) -> Result<Vec<WorkspaceTypes>, Failure> {
        let versions: Vec<VersionId> = workspaces
            .iter()
            .filter_map(|one| one.head.version.clone())
            .collect();
        let found = self.store.last_outcomes(&versions).await?;
        let mut found: HashMap<String, LastOutcome> = found
            .into_iter()
            .map(|outcome| (outcome.version.as_str().to_owned(), outcome))
            .collect();
        for one in &mut workspaces {
            one.outcome = one
                .head
                .version
                .as_ref()
                .and_then(|version| found.remove(version.as_str()));
        }
        Ok(workspaces)
    }

    /// The newest outcome of a job or a plan for a version.
    pub(crate) async fn last_outcome(
        &self,
        version: &VersionId,
    ) -> Result<Option<LastOutcome>, Failure> {
        Ok(self
            .store
            .last_outcomes(std::slice::from_ref(version))
            .await?
            .pop())
    }

    /// Totals for all workspaces of an organization.
    pub async fn organization_inventory(
        &self,
        principal: &Principal,
        name: &str,
    ) -> Result<OrganizationInventory, Failure> {
        let (access, organization) = self.organization(principal, name).await?;
        access.require(Permission::ReadState)?;
        let mut inventory = OrganizationInventory::default();
        let (mut types, mut at) = (Types::new(), None);
        while let Some(some) = self.some_types(&organization.id, &mut at, AT_ONCE).await? {
            for workspace in &some {
                self.count(workspace, &mut inventory, &mut types);
            }
        }
        inventory.types = types.into_values().collect();
        Ok(inventory)
    }

    fn count(
        &self,
        workspace: &WorkspaceTypes,
        inventory: &mut OrganizationInventory,
        types: &mut Types,
    ) {
        inventory.workspaces += 1;
        inventory.without_state += usize::from(Group::Empty.has(workspace));
        inventory.unreadable += usize::from(Group::Unreadable.has(workspace));
        inventory.behind += usize::from(Group::Behind.has(workspace));
        inventory.stuck += usize::from(Group::Stuck.has(workspace));
        inventory.failing += usize::from(Group::Failing.has(workspace));
        inventory.current += usize::from(Group::Current.has(workspace));
        inventory.locked += usize::from(Group::Locked.has(workspace));
        for stored in &workspace.known.types {
            let status = stored.status(self.registry());
            let key = (
                stored.mode == Mode::Data,
                stored.type_name.clone(),
                stored.version,
            );
            let counted = types.entry(key).or_insert_with(|| Counted {
                mode: stored.mode,
                current: self
                    .registry()
                    .get(&stored.type_name)
                    .map(upstate::ResourceDefinition::version),
                type_name: stored.type_name.clone(),
                version: stored.version,
                status,
                instances: 0,
                workspaces: 0,
            });
            counted.instances += stored.instances;
            counted.workspaces += 1;
            // Where some are in the flat form, the type is behind even at the current version.
            if status == InstanceStatus::NeedsUpgrade {
                counted.status = status;
            }
        }
    }

    /// The workspaces of an organization with a tag.
    pub(super) async fn tagged(
        &self,
        organization: &OrganizationId,
        tag: &str,
    ) -> Result<BTreeSet<WorkspaceId>, Failure> {
        let used = self.store.used_tags(organization).await?.into_iter();
        // Several, because a key may have a `=`, too.
        let meant: BTreeSet<(String, Option<String>)> = used
            .filter(|(key, value, _)| is_selected(tag, key, value.as_deref()))
            .map(|(key, value, _)| {
                if key == tag {
                    (key, None)
                } else {
                    (key, value)
                }
            })
            .collect();
        let mut tagged = BTreeSet::new();
        for (key, value) in meant {
            // All at once, because a change between two pages could leave one out.
            tagged.extend(
                self.store
                    .with_tag(organization, &key, value.as_deref())
                    .await?,
            );
        }
        Ok(tagged)
    }

    /// The organization at a glance, with one page of the workspaces that are wanted: first those
    /// that nothing upgrades or reads or a job failed for, then locked ones, then those that are
    /// behind, then the others.
    pub async fn overview(
        &self,
        principal: &Principal,
        name: &str,
        wanted: &WorkspaceSearch<'_>,
        page: Page,
    ) -> Result<Fleet, Failure> {
        let (access, organization) = self.organization(principal, name).await?;
        access.require(Permission::ReadState)?;
        let (mut fleet, mut types, mut total) = (Fleet::default(), Types::new(), 0_u64);
        let word = wanted.name.to_lowercase();
        let tagged = match wanted.tag {
            Some(tag) => Some(self.tagged(&organization.id, tag).await?),
            None => None,
        };
        // Of each rank no more than could be on the page.
        let end = usize::try_from(page.offset().saturating_add(u64::from(page.size)))
            .unwrap_or(usize::MAX);
        let mut ranks: [Vec<WorkspaceTypes>; 4] = Default::default();
        let mut at = None;
        while let Some(some) = self.some_types(&organization.id, &mut at, AT_ONCE).await? {
            for workspace in self.with_outcomes(some).await? {
                self.count(&workspace, &mut fleet.inventory, &mut types);
                fleet.add(&workspace, self.registry());
                if !wanted.fits(&word, tagged.as_ref(), &workspace) {
                    continue;
                }
                total += 1;
                let [failing, locked, behind, others] = &mut ranks;
                let rank = match &workspace {
                    one if [Group::Unreadable, Group::Stuck, Group::Failing]
                        .iter()
                        .any(|group| group.has(one)) =>
                    {
                        failing
                    }
                    one if Group::Locked.has(one) => locked,
                    one if Group::Behind.has(one) => behind,
                    _ => others,
                };
                if rank.len() < end {
                    rank.push(workspace);
                }
            }
        }
        fleet.inventory.types = types.into_values().collect();
        let skipped = usize::try_from(page.offset()).unwrap_or(usize::MAX);
        fleet.workspaces = ranks
            .into_iter()
            .flatten()
            .skip(skipped)
            .take(end - skipped)
            .collect();
        fleet.total = total;
        self.finish_fleet(&mut fleet, &organization.id).await?;
        Ok(fleet)
    }

    /// A page of the workspaces of an organization, those with resources of a status, or all.
    pub async fn workspaces_with_status(
        &self,
        principal: &Principal,
        name: &str,
        status: Option<InstanceStatus>,
        page: Page,
    ) -> Result<Listed<WorkspaceTypes>, Failure> {
        let (access, organization) = self.organization(principal, name).await?;
        access.require(Permission::ReadState)?;
        let (mut items, mut total, mut at) = (Vec::new(), 0_u64, None);
        let places = page.offset()..page.offset() + u64::from(page.size);
        while let Some(some) = self.some_types(&organization.id, &mut at, AT_ONCE).await? {
            for workspace in some {
                if status.is_none_or(|status| workspace.known.statuses.contains(&status)) {
                    if places.contains(&total) {
                        items.push(workspace);
                    }
                    total += 1;
                }
            }
        }
        Ok(Listed {
            items: self.with_outcomes(items).await?,
            total,
        })
    }
}

fn read_types(text: &str) -> Result<Vec<StoredType>, Failure> {
    Ok(serde_json::from_str(text)
        .map_err(|error| StoreError::new("the types of a version cannot be read").because(error))?)
}
