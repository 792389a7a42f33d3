//! Plans that are kept: a job looks at each workspace, writes nothing, and keeps in counts what would change.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::super::{Failure, Service};
use super::plans::{Cause, Loss, Warned, WorkspacePlan};
use crate::model::{
    Head, ItemStatus, Job, JobCounts, JobId, JobItem, JobKind, OrganizationId, Permission, Principal, VersionId, WorkspaceId,
};
use crate::rules::Refusal;
use crate::store::Page;

/// The number of items that are read at a time.
const AT_ONCE: u32 = 500;

/// The number of workspaces that are named of one cause.
const NAMED: usize = 20;

/// The plan of a workspace, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPlan {
    /// The workspace's name at that time.
    pub name: String,
    /// The instances that would be brought to another version, or fail, by type.
    pub types: Vec<StoredType>,
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

/// The instances of one type and version in a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredType {
    /// The type name.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The schema version that is stored.
    pub from: u64,
    /// The schema version it should get.
    pub to: u64,
    /// True if they cannot get there.
    pub failed: bool,
    /// The number.
    pub instances: usize,
}

impl StoredPlan {
    pub(super) fn of(plan: &WorkspacePlan) -> Self {
        let types = plan.rows.iter().map(|row| StoredType {
            type_name: row.type_name.clone(),
            from: row.from,
            to: row.to,
            failed: row.outcome == "failed",
            instances: row.instances,
        });
        Self {
            name: plan.head.name.clone(),
            types: types.collect(),
            losses: plan.losses.clone(),
            losses_omitted: plan.losses_omitted,
            warnings: plan.warnings.clone(),
            warnings_omitted: plan.warnings_omitted,
            causes: plan.causes.clone(),
        }
    }

    /// The plan of an item, if it has one that can be read.
    pub fn read(item: &JobItem) -> Option<Self> {
        serde_json::from_str(item.planned.as_deref()?).ok()
    }
}

/// A number of instances, and in how many workspaces they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Sum {
    /// The number of instances.
    pub instances: usize,
    /// The number of workspaces.
    pub workspaces: usize,
}

impl Sum {
    const fn add(&mut self, instances: usize) {
        self.instances += instances;
        self.workspaces += 1;
    }
}

/// A cause of failures, with the workspaces that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failing {
    /// The cause.
    pub cause: Cause,
    /// The number of instances and workspaces.
    pub sum: Sum,
    /// The first workspaces, with their names.
    pub examples: Vec<(WorkspaceId, String)>,
}

/// The sums of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanSums {
    /// The workspaces that would change without a loss.
    pub fine: usize,
    /// The workspaces that would lose something.
    pub with_losses: usize,
    /// The workspaces that would change and whose current version is still the planned one.
    pub ready: usize,
    /// The instances that would be brought to another version, by type name, version and goal.
    pub types: BTreeMap<(String, u64, u64), Sum>,
    /// The losses.
    pub losses: BTreeMap<Loss, Sum>,
    /// The warnings: mostly something to do in configurations.
    pub warnings: BTreeMap<Warned, Sum>,
    /// The causes of failures, the most workspaces first.
    pub failing: Vec<Failing>,
    /// The number of losses and warnings that are not among these.
    pub omitted: usize,
}

impl Service {
    /// A plan that is kept, and how far it is.
    pub async fn stored_plan(&self, principal: &Principal, id: &JobId) -> Result<(Job, JobCounts), Failure> {
        let (job, counts) = self.job(principal, id).await?;
        if job.kind != JobKind::Plan {
            return Err(Refusal::not_found(format!("plan {id}")).into());
        }
        Ok((job, counts))
    }

    /// The sums of a plan.
    pub async fn plan_sums(&self, principal: &Principal, id: &JobId) -> Result<PlanSums, Failure> {
        let (job, _) = self.stored_plan(principal, id).await?;
        let current = self.current_versions(&job.organization).await?;
        let (mut sums, mut failing) = (PlanSums::default(), BTreeMap::<Cause, Failing>::new());
        let mut page = Page { number: 1, size: AT_ONCE };
        loop {
            let items = self.store.job_items(id, &[], page).await?.items;
            if items.is_empty() {
                break;
            }
            for item in &items {
                if let Some(plan) = StoredPlan::read(item) {
                    sums.add(item, plan, &current, &mut failing);
                }
            }
            page.number += 1;
        }
        sums.failing = failing.into_values().collect();
        sums.failing.sort_by_key(|one| std::cmp::Reverse(one.sum.workspaces));
        Ok(sums)
    }

    /// The versions that are current in an organization.
    pub(super) async fn current_versions(
        &self,
        organization: &OrganizationId,
    ) -> Result<HashMap<WorkspaceId, (String, Option<VersionId>)>, Failure> {
        let (mut found, mut after) = (HashMap::new(), None::<String>);
        loop {
            let heads = self.store.heads(organization, after.as_deref(), AT_ONCE).await?;
            let Some(last) = heads.last() else { return Ok(found) };
            after = Some(last.name.clone());
            found.extend(heads.into_iter().map(|Head { workspace, name, version, .. }| (workspace, (name, version))));
        }
    }

    /// The workspaces that a plan found would change, with the versions that it looked at; those that changed since then are left out.
    pub(super) async fn planned_versions(
        &self,
        principal: &Principal,
        plan: &JobId,
        organization: &OrganizationId,
    ) -> Result<(Job, Vec<(WorkspaceId, VersionId)>), Failure> {
        let pointer = "/data/attributes/plan";
        let (job, counts) = self.stored_plan(principal, plan).await.map_err(|failure| match failure {
            Failure::Refused(refusal) => Failure::Refused(Refusal::unprocessable(pointer, refusal.detail)),
            Failure::Store(error) => Failure::Store(error),
        })?;
        if job.organization != *organization {
            return Err(Refusal::unprocessable(pointer, format!("plan {plan} not found in this organization")).into());
        }
        if counts.waiting > 0 {
            let detail = format!("plan {plan} has not looked at {} of its workspaces yet", counts.waiting);
            return Err(Refusal::unprocessable(pointer, detail).into());
        }
        let current = self.current_versions(organization).await?;
        let (mut planned, mut page) = (Vec::new(), Page { number: 1, size: AT_ONCE });
        loop {
            let items = self.store.job_items(plan, &[ItemStatus::Upgraded], page).await?.items;
            if items.is_empty() {
                break;
            }
            let is_current = |workspace: &WorkspaceId, version: &VersionId| {
                current.get(workspace).is_some_and(|(_, head)| head.as_ref() == Some(version))
            };
            let ready = items.into_iter().filter_map(|item| Some((item.workspace, item.version?)));
            planned.extend(ready.filter(|(workspace, version)| is_current(workspace, version)));
            page.number += 1;
        }
        Ok((job, planned))
    }

    /// The plans of an organization's jobs need no more than a look at its states.
    pub(super) const fn needed(kind: JobKind) -> &'static [Permission] {
        match kind {
            JobKind::Change => &super::super::WRITING,
            JobKind::Plan => &[Permission::ReadState],
        }
    }
}

impl PlanSums {
    fn add(
        &mut self,
        item: &JobItem,
        plan: StoredPlan,
        current: &HashMap<WorkspaceId, (String, Option<VersionId>)>,
        failing: &mut BTreeMap<Cause, Failing>,
    ) {
        match item.status {
            ItemStatus::Upgraded => {
                let head = current.get(&item.workspace).and_then(|(_, head)| head.as_ref());
                self.ready += usize::from(item.version.is_some() && head == item.version.as_ref());
                let lossy = if plan.losses.is_empty() { &mut self.fine } else { &mut self.with_losses };
                *lossy += 1;
                self.omitted += plan.losses_omitted + plan.warnings_omitted;
                for one in plan.types {
                    self.types.entry((one.type_name, one.from, one.to)).or_default().add(one.instances);
                }
                for (loss, instances) in plan.losses {
                    self.losses.entry(loss).or_default().add(instances);
                }
                for (warned, instances) in plan.warnings {
                    self.warnings.entry(warned).or_default().add(instances);
                }
            }
            ItemStatus::Failed => {
                let mut met = BTreeSet::new();
                for (cause, instances) in plan.causes {
                    if !met.insert(cause.clone()) {
                        continue;
                    }
                    let one = failing.entry(cause.clone()).or_insert_with(|| Failing {
                        cause,
                        sum: Sum::default(),
                        examples: Vec::new(),
                    });
                    one.sum.add(instances);
                    if one.examples.len() < NAMED {
                        one.examples.push((item.workspace.clone(), plan.name.clone()));
                    }
                }
            }
            ItemStatus::Waiting | ItemStatus::Current => {}
        }
    }
}
