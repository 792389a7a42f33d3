//! The plan of a job over an organization: a plan for each workspace that it concerns, in counts.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use upstate::path::PathStep;
use upstate::upgrade::DowngradeRequest;
use upstate::{AttributePath, Diagnostic, UpgradeRequest};
use upstate_state::{
    InstanceOutcome, InstanceUpgrade, StateFile, StoredType, UNDEFINED, UpgradeTotals,
};

use super::super::reading::has_bytes;
use super::super::{Failure, Service};
use super::direction::Direction;
use super::plan::{PlanRow, Rows, planned};
use super::upgrade::{failure, for_operators};
use super::{Worker, unreadable};
use crate::model::{Back, Head, ItemStatus, Permission, Principal, VersionId};
use crate::rules::Refusal;
use crate::store::{Listed, Page};

/// The number of different losses that are named of a workspace.
const NAMED: usize = 100;

/// The path in reports of a value of the identity, which is not an attribute.
pub(super) const IDENTITY: &str = "(identity)";

/// The reason in reports for a value that an earlier release cannot hold.
pub(super) const NO_PLACE: &str = "the release cannot hold it";

/// The instances that a job would bring to another version, in all workspaces.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PlannedType {
    /// The type name.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The schema version that is stored.
    pub from: u64,
    /// The schema version it should get; nothing if the release did not have the type.
    pub to: Option<u64>,
    /// The number of instances.
    pub instances: usize,
    /// In how many workspaces.
    pub workspaces: usize,
}

/// The losses of instances at one attribute. The values are not named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Loss {
    /// The type name.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The schema version that is stored.
    pub from: u64,
    /// The attribute, without keys and indices.
    pub path: String,
    /// The reason: the author's, or that no schema has the attribute, or that the release cannot
    /// hold the value.
    pub reason: Cow<'static, str>,
}

/// A warning of instances: mostly something that has to be done in the configuration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Warned {
    /// The type name.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The schema version that is stored.
    pub from: u64,
    /// The attribute, without keys and indices.
    pub path: String,
    /// Its message.
    pub message: String,
}

/// The failures of instances for one reason, whatever they hold.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Cause {
    /// The type name; empty if the state cannot be read.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The schema version that is stored.
    pub from: u64,
    /// The schema version it should get.
    pub to: u64,
    /// The attribute, without keys and indices.
    pub path: String,
    /// The heading of the message.
    pub summary: String,
    /// The message of the first instance.
    pub message: String,
}

impl Cause {
    /// All but the message, which may have what differs between instances.
    fn key(&self) -> (&str, u64, u64, &str, &str) {
        (
            &self.type_name,
            self.from,
            self.to,
            &self.path,
            &self.summary,
        )
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Cause {}

impl PartialOrd for Cause {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cause {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// The plan of a job for a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspacePlan {
    /// The workspace with its current version.
    pub head: Head,
    /// The reason why it would stay unchanged: the first instance that fails, or why its state
    /// cannot be read.
    pub failure: Option<String>,
    /// The number of instances by outcome, if its state can be read.
    pub totals: Option<UpgradeTotals>,
    /// The upgraded and the failed instances, by type.
    pub rows: Vec<PlanRow>,
    /// The losses, with the number of instances.
    pub losses: Vec<(Loss, usize)>,
    /// The number of further different losses.
    pub losses_omitted: usize,
    /// The warnings, with the number of instances.
    pub warnings: Vec<(Warned, usize)>,
    /// The number of further different warnings.
    pub warnings_omitted: usize,
    /// The failures, with the number of instances.
    pub causes: Vec<(Cause, usize)>,
}

impl WorkspacePlan {
    /// A plan of which nothing is known yet.
    const fn of(head: Head) -> Self {
        Self {
            head,
            failure: None,
            totals: None,
            rows: Vec::new(),
            losses: Vec::new(),
            losses_omitted: 0,
            warnings: Vec::new(),
            warnings_omitted: 0,
            causes: Vec::new(),
        }
    }

    /// Without a plan, because its state cannot be read.
    fn unreadable(head: Head, detail: String) -> Self {
        let summary = "The state cannot be read".to_owned();
        let cause = Cause {
            type_name: String::new(),
            from: 0,
            to: 0,
            path: String::new(),
            summary,
            message: detail.clone(),
        };
        Self {
            failure: Some(detail),
            causes: vec![(cause, 1)],
            ..Self::of(head)
        }
    }

    /// `upgraded` or `downgraded`, `failed`, or `current` if nothing would change.
    pub fn outcome(&self, back: Option<&Back>) -> &'static str {
        match self.status() {
            ItemStatus::Failed => "failed",
            ItemStatus::Upgraded if back.is_some() => "downgraded",
            ItemStatus::Upgraded => "upgraded",
            ItemStatus::Current | ItemStatus::Waiting => "current",
        }
    }

    /// The outcome as that of a job's workspace.
    pub(super) fn status(&self) -> ItemStatus {
        match (&self.failure, &self.totals) {
            (Some(_), _) => ItemStatus::Failed,
            (None, Some(totals)) if totals.upgraded() > 0 => ItemStatus::Upgraded,
            (None, _) => ItemStatus::Current,
        }
    }
}

/// The plan of a job over all workspaces of an organization. Nothing is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganizationPlan {
    /// The instances that it would bring to another version, in all of them.
    pub types: Vec<PlannedType>,
    /// The number of locked ones.
    pub locked: usize,
    /// A page of the workspaces that it concerns, by name.
    pub workspaces: Listed<WorkspacePlan>,
}

/// Counts by type name and version.
type Types = BTreeMap<(String, u64), PlannedType>;

impl Service {
    /// The plan of a job over all workspaces of an organization: an upgrade, or a downgrade to a
    /// release. Of those on the page, the states are read.
    pub async fn organization_plan(
        &self,
        principal: &Principal,
        name: &str,
        back: Option<&Back>,
        page: Page,
    ) -> Result<OrganizationPlan, Failure> {
        let (access, organization) = self.organization(principal, name).await?;
        access.require(Permission::ReadState)?;
        let direction = self.direction(back)?;
        let places = page.offset()..page.offset() + u64::from(page.size);
        let (mut types, mut heads, mut total, mut locked) = (Types::new(), Vec::new(), 0_u64, 0);
        self.each_concerned(&organization.id, &direction, |workspace| {
            for stored in &workspace.known.types {
                self.count_planned(stored, &direction, &mut types);
            }
            locked += usize::from(workspace.head.locked);
            if places.contains(&total) {
                heads.push(workspace.head);
            }
            total += 1;
        })
        .await?;
        let mut items = Vec::with_capacity(heads.len());
        for head in heads {
            items.push(self.workspace_plan(head, &direction).await?);
        }
        Ok(OrganizationPlan {
            types: types.into_values().collect(),
            locked,
            workspaces: Listed { items, total },
        })
    }

    fn count_planned(&self, stored: &StoredType, direction: &Direction, types: &mut Types) {
        if !direction.concerns(self.registry(), stored) {
            return;
        }
        let current = self
            .registry()
            .get(&stored.type_name)
            .map(upstate::ResourceDefinition::version);
        let mut to = direction.version(&stored.type_name, current);
        let mut instances = stored.instances;
        match direction {
            // At the version itself, only those in the flat form of old releases need it.
            Direction::Up if to == Some(stored.version) => instances = stored.flat,
            // Only identities go back.
            Direction::Back(goals) if to.is_some_and(|to| to >= stored.version) => {
                (to, instances) = (Some(stored.version), stored.identities_back(goals));
            }
            Direction::Up | Direction::Back(_) => {}
        }
        let planned = types
            .entry((stored.type_name.clone(), stored.version))
            .or_insert_with(|| PlannedType {
                type_name: stored.type_name.clone(),
                from: stored.version,
                to,
                instances: 0,
                workspaces: 0,
            });
        planned.instances += instances;
        planned.workspaces += 1;
    }

    /// The plan of one workspace. A state that cannot be read does not keep the others from their
    /// plans.
    pub(super) async fn workspace_plan(
        &self,
        head: Head,
        direction: &Direction,
    ) -> Result<WorkspacePlan, Failure> {
        let read = async {
            let unknown =
                || Refusal::not_found(format!("the state of workspace {}", head.workspace));
            let id = head.version.clone().ok_or_else(unknown)?;
            let version = self.store.version(&id).await?.ok_or_else(unknown)?;
            has_bytes(&version)?;
            Ok::<_, Failure>((id, version))
        };
        let (id, version) = match read.await {
            Ok(read) => read,
            // The version or its bytes may be gone by now, which must not fail the plans of other
            // workspaces.
            Err(Failure::Refused(refusal)) => {
                return Ok(WorkspacePlan::unreadable(head, refusal.detail));
            }
            Err(failure) => return Err(failure),
        };
        let direction = direction.clone();
        self.work([&version], move |worker, [bytes]| {
            let mut plan = WorkspacePlan::of(head);
            match survey(worker, &id, &bytes, &direction, &mut plan) {
                Ok(()) => plan,
                Err(refusal) => WorkspacePlan::unreadable(plan.head, refusal.detail),
            }
        })
        .await
    }
}

/// Counts what would become of a state.
fn survey(
    worker: &Worker,
    id: &VersionId,
    bytes: &[u8],
    direction: &Direction,
    plan: &mut WorkspacePlan,
) -> Result<(), Refusal> {
    let state = StateFile::parse(bytes).map_err(|error| unreadable(id, &error))?;
    let (respond, goal) = (
        |request: &UpgradeRequest<'_>| worker.respond(direction, request),
        |name: &str| direction.goal(name),
    );
    let identity = |request: &DowngradeRequest<'_>| worker.respond_identity(request);
    let options = worker
        .options(direction, &respond, &goal, &identity)
        .partial(true);
    let (mut rows, mut losses, mut warnings) =
        (Rows::default(), Tally::default(), Tally::default());
    let (mut causes, mut failed) = (Tally::default(), None);
    let totals = state
        .upgrade_to(
            &worker.registry,
            &options,
            &mut std::io::sink(),
            |upgrade| {
                let Some(end) = planned(&upgrade) else {
                    return Ok(());
                };
                rows.add(&upgrade, end);
                if failed.is_none() {
                    failed = failure(&upgrade);
                }
                losses.add_all(lost(&upgrade, direction));
                warnings.add_all(warned(&upgrade, direction));
                causes.add_all(cause(&upgrade, end.1));
                Ok(())
            },
        )
        .map_err(|error| direction.refused(id, &error))?;
    plan.rows = rows.list(direction.verb());
    (plan.losses, plan.losses_omitted) = losses.into_parts();
    (plan.warnings, plan.warnings_omitted) = warnings.into_parts();
    (plan.causes, _) = causes.into_parts();
    plan.failure = failed;
    plan.totals = Some(totals);
    Ok(())
}

/// Counts of the first different ones.
struct Tally<K> {
    counts: BTreeMap<K, usize>,
    omitted: BTreeSet<K>,
}

impl<K> Default for Tally<K> {
    fn default() -> Self {
        Self {
            counts: BTreeMap::new(),
            omitted: BTreeSet::new(),
        }
    }
}

impl<K: Ord> Tally<K> {
    fn add_all(&mut self, all: impl IntoIterator<Item = K>) {
        for one in all {
            if self.counts.len() < NAMED || self.counts.contains_key(&one) {
                *self.counts.entry(one).or_default() += 1;
            } else {
                self.omitted.insert(one);
            }
        }
    }

    fn into_parts(self) -> (Vec<(K, usize)>, usize) {
        (self.counts.into_iter().collect(), self.omitted.len())
    }
}

/// The warnings of an instance; losses of a downgrade have lines of their own.
pub(super) fn warned(upgrade: &InstanceUpgrade<'_, '_>, direction: &Direction) -> BTreeSet<Warned> {
    let InstanceOutcome::Upgraded { warnings, .. } = upgrade.outcome() else {
        return BTreeSet::new();
    };
    let instance = upgrade.instance();
    let warned = |warning: &Diagnostic| Warned {
        type_name: instance.type_name().to_owned(),
        from: instance.schema_version(),
        path: warning.path().map(attribute).unwrap_or_default(),
        message: message(instance.type_name(), warning),
    };
    warnings
        .iter()
        .filter(|_| matches!(direction, Direction::Up))
        .map(warned)
        .collect()
}

/// The cause of an instance's failure.
fn cause(upgrade: &InstanceUpgrade<'_, '_>, to: u64) -> Option<Cause> {
    let InstanceOutcome::Failed { diagnostics, .. } = upgrade.outcome() else {
        return None;
    };
    let (instance, first) = (upgrade.instance(), diagnostics.iter().next());
    Some(Cause {
        type_name: instance.type_name().to_owned(),
        from: instance.schema_version(),
        to,
        path: first
            .and_then(Diagnostic::path)
            .map(attribute)
            .unwrap_or_default(),
        summary: first
            .map(|one| one.summary().to_owned())
            .unwrap_or_default(),
        message: first
            .map(|one| message(instance.type_name(), one))
            .unwrap_or_default(),
    })
}

/// A message for operators without the line that names the type and the instance, so that equal
/// ones are counted together.
fn message(type_name: &str, diagnostic: &Diagnostic) -> String {
    essence(type_name, &for_operators(diagnostic))
}

/// The detail of a message without that line.
pub(super) fn essence(type_name: &str, detail: &str) -> String {
    let about = format!("Resource type {type_name}, stored at schema version ");
    let lines = detail
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with(&about));
    lines.collect::<Vec<_>>().join(" ")
}

/// The losses of an instance, each attribute once.
pub(super) fn lost(upgrade: &InstanceUpgrade<'_, '_>, direction: &Direction) -> BTreeSet<Loss> {
    let InstanceOutcome::Upgraded {
        warnings,
        undefined,
        dropped,
        ..
    } = upgrade.outcome()
    else {
        return BTreeSet::new();
    };
    let instance = upgrade.instance();
    let loss = |path: &AttributePath, reason: &'static str| Loss {
        type_name: instance.type_name().to_owned(),
        from: instance.schema_version(),
        path: attribute(path),
        reason: reason.into(),
    };
    let dropped = dropped
        .iter()
        .map(|dropped| loss(&dropped.path, dropped.reason));
    let undefined = undefined.iter().map(|path| loss(path, UNDEFINED));
    // Only on the way back does a warning count: there, each is a loss that was allowed.
    let warned = warnings
        .iter()
        .filter(|_| matches!(direction, Direction::Back(_)));
    let root = AttributePath::new();
    let warned = warned.map(|warning| loss(warning.path().unwrap_or(&root), NO_PLACE));
    let identity = upgrade
        .identity()
        .filter(|identity| !identity.warnings().is_empty());
    let identity = identity.map(|_| Loss {
        path: IDENTITY.to_owned(),
        ..loss(&root, NO_PLACE)
    });
    dropped
        .chain(undefined)
        .chain(warned)
        .chain(identity)
        .collect()
}

/// The names of a path, without the keys and indices between them.
fn attribute(path: &AttributePath) -> String {
    let names = path.steps().iter().filter_map(|step| match step {
        PathStep::Attribute(name) => Some(name.as_ref()),
        PathStep::Key(_) | PathStep::Index(_) | PathStep::Element(_) => None,
    });
    names.collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_named_by_attributes_alone() {
        let path = AttributePath::new()
            .attribute("racks")
            .index(2)
            .attribute("slots")
            .key("hunter22")
            .attribute("fan");
        assert_eq!(attribute(&path), "racks.slots.fan");
        assert_eq!(attribute(&AttributePath::new()), "");
    }
}
