//! Plans that are kept: a job looks at each workspace, writes nothing, and keeps in counts what
//! would change.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::super::{Failure, Service};
use super::plan::Effect;
use super::plans::{Cause, Loss, Warned, WorkspacePlan};
use crate::model::{
    Head, ItemStatus, Job, JobCounts, JobId, JobItem, JobKind, OrganizationId, Permission,
    Principal, Timestamp, WorkspaceId,
};
use crate::rules::Refusal;
use crate::store::{Listed, Page, StoreError};

/// The number of items that are read at a time.
pub(super) const AT_ONCE: u32 = 500;

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
    /// The values that would move to another attribute, as far as they were counted.
    #[serde(default)]
    pub moved: usize,
    /// The values that would be converted, as far as they were counted.
    #[serde(default)]
    pub converted: usize,
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
    pub(super) fn of(plan: &WorkspacePlan, (moved, converted): (usize, usize)) -> Self {
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
            moved,
            converted,
        }
    }

    /// True if the workspace would change with an effect.
    pub fn has(&self, effect: Effect) -> bool {
        effect.is_of(!self.losses.is_empty(), !self.warnings.is_empty())
    }

    /// The plan of an item, if it has one that can be read.
    pub fn read(item: &JobItem) -> Option<Self> {
        serde_json::from_str(item.planned.as_deref()?).ok()
    }
}

/// A number of instances, and in how many workspaces they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sum {
    /// The number of instances.
    pub instances: usize,
    /// The number of workspaces.
    pub workspaces: usize,
}

impl Sum {
    pub(super) const fn add(&mut self, instances: usize) {
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

/// The sums of a plan, or of what a job did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanSums {
    /// The workspaces that would change without a loss.
    pub fine: usize,
    /// The workspaces that would lose something.
    pub with_losses: usize,
    /// The workspaces that would change with a warning.
    pub with_warnings: usize,
    /// The workspaces that would change with neither.
    pub with_neither: usize,
    /// The values that would move to another attribute.
    pub moved: usize,
    /// The values that would be converted.
    pub converted: usize,
    /// The workspaces that would change and whose current version is still the planned one.
    pub ready: usize,
    /// The locked ones among these, which a job could not change now.
    pub locked: usize,
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
    pub async fn stored_plan(
        &self,
        principal: &Principal,
        id: &JobId,
    ) -> Result<(Job, JobCounts), Failure> {
        let (job, counts) = self.job(principal, id).await?;
        if job.kind != JobKind::Plan {
            return Err(Refusal::not_found(format!("plan {id}")).into());
        }
        Ok((job, counts))
    }

    /// The sums of a plan. Those of one that has ended are found once, and kept.
    pub async fn plan_sums(&self, principal: &Principal, id: &JobId) -> Result<PlanSums, Failure> {
        let (job, _) = self.stored_plan(principal, id).await?;
        let mut sums = match job.finished_at {
            Some(finished_at) => self.kept_sums(&job, finished_at).await?,
            None => self.sum_of_items(id).await?,
        };
        let (ready, locked) = self.store.unchanged_items(id).await?;
        sums.ready = usize::try_from(ready).unwrap_or(usize::MAX);
        sums.locked = usize::try_from(locked).unwrap_or(usize::MAX);
        Ok(sums)
    }

    /// The sums of a plan, or of what a job did, that ended at that moment: found once, and kept.
    pub(super) async fn kept_sums(
        &self,
        job: &Job,
        finished_at: Timestamp,
    ) -> Result<PlanSums, Failure> {
        let earlier = match self
            .store
            .plan_sums(&job.id)
            .await?
            .and_then(|kept| PlanSums::read(&kept))
        {
            Some((sums, true)) => return Ok(sums),
            Some((sums, false)) => Some(sums),
            None => None,
        };
        let found = match job.kind {
            JobKind::Plan => self.sum_of_items(&job.id).await?,
            JobKind::Change => self.sum_of_reports(job).await?,
        };
        let sums = found.after(earlier);
        self.store
            .keep_plan_sums(&job.id, finished_at, &sums.written()?)
            .await?;
        Ok(sums)
    }

    /// Goes through the items of a job with one of these ends, or all.
    pub(super) async fn each_item(
        &self,
        job: &JobId,
        statuses: &[ItemStatus],
        mut each: impl FnMut(JobItem) + Send,
    ) -> Result<(), Failure> {
        let mut page = Page::first(AT_ONCE);
        loop {
            let items = self.store.job_items(job, statuses, page).await?.items;
            if items.is_empty() {
                return Ok(());
            }
            items.into_iter().for_each(&mut each);
            page.number += 1;
        }
    }

    /// The sums over all items, but for those that are ready.
    async fn sum_of_items(&self, id: &JobId) -> Result<PlanSums, Failure> {
        let (mut sums, mut failing) = (PlanSums::default(), BTreeMap::<Cause, Failing>::new());
        self.each_item(id, &[], |item| {
            if let Some(plan) = StoredPlan::read(&item) {
                sums.add(&item, plan, &mut failing);
            }
        })
        .await?;
        sums.failing = failing.into_values().collect();
        sums.failing
            .sort_by_key(|one| std::cmp::Reverse(one.sum.workspaces));
        Ok(sums)
    }

    /// The workspaces that a plan found would change with an effect.
    pub async fn planned_items(
        &self,
        principal: &Principal,
        id: &JobId,
        effect: Effect,
        page: Page,
    ) -> Result<Listed<JobItem>, Failure> {
        self.stored_plan(principal, id).await?;
        let places = page.offset()..page.offset() + u64::from(page.size);
        let (mut items, mut total) = (Vec::new(), 0_u64);
        self.each_item(id, &[ItemStatus::Upgraded], |item| {
            if StoredPlan::read(&item).is_some_and(|plan| plan.has(effect)) {
                if places.contains(&total) {
                    items.push(item);
                }
                total += 1;
            }
        })
        .await?;
        Ok(Listed { items, total })
    }

    /// The workspaces that a plan found would change, with the versions that it looked at; those
    /// that changed since then are left out.
    pub(super) async fn planned_versions(
        &self,
        principal: &Principal,
        plan: &JobId,
        organization: &OrganizationId,
    ) -> Result<(Job, Vec<Head>), Failure> {
        let pointer = "/data/attributes/plan";
        let (job, counts) =
            self.stored_plan(principal, plan)
                .await
                .map_err(|failure| match failure {
                    Failure::Refused(refusal) => {
                        Failure::Refused(Refusal::unprocessable(pointer, refusal.detail))
                    }
                    Failure::Store(error) => Failure::Store(error),
                })?;
        if job.organization != *organization {
            return Err(Refusal::unprocessable(
                pointer,
                format!("plan {plan} not found in this organization"),
            )
            .into());
        }
        if counts.waiting > 0 {
            let detail = format!(
                "plan {plan} has not looked at {} of its workspaces yet",
                counts.waiting
            );
            return Err(Refusal::unprocessable(pointer, detail).into());
        }
        Ok((job, self.store.unchanged_heads(plan).await?))
    }

    /// The plans of an organization's jobs need no more than a look at its states.
    pub(super) const fn needed(kind: JobKind) -> &'static [Permission] {
        match kind {
            JobKind::Change => &super::super::WRITING,
            JobKind::Plan => &[Permission::ReadState],
        }
    }
}

/// A cause of failures as it is kept, with the ids and names of workspaces.
type KeptFailing = (Cause, Sum, Vec<(String, String)>);

/// The sums as they are kept: JSON has no maps whose keys are more than strings.
#[derive(Serialize, Deserialize)]
struct KeptSums {
    fine: usize,
    with_losses: usize,
    /// The workspaces with warnings and with neither, and the values that move and are converted;
    /// nothing if an earlier release kept the sums.
    #[serde(default)]
    counted: Option<[usize; 4]>,
    types: Vec<((String, u64, u64), Sum)>,
    losses: Vec<(Loss, Sum)>,
    warnings: Vec<(Warned, Sum)>,
    failing: Vec<KeptFailing>,
    omitted: usize,
}

impl PlanSums {
    /// The number of workspaces that would change with an effect.
    pub const fn number(&self, effect: Effect) -> usize {
        match effect {
            Effect::Losses => self.with_losses,
            Effect::Warnings => self.with_warnings,
            Effect::Neither => self.with_neither,
        }
    }

    /// Counts a workspace that would change, or did.
    pub(super) fn count(&mut self, loses: bool, is_warned: bool) {
        self.fine += usize::from(!loses);
        self.with_losses += usize::from(Effect::Losses.is_of(loses, is_warned));
        self.with_warnings += usize::from(Effect::Warnings.is_of(loses, is_warned));
        self.with_neither += usize::from(Effect::Neither.is_of(loses, is_warned));
    }

    /// Sums that were kept, and true if they have all that this release counts; nothing if they
    /// cannot be read.
    fn read(kept: &str) -> Option<(Self, bool)> {
        let KeptSums {
            fine,
            with_losses,
            counted,
            types,
            losses,
            warnings,
            failing,
            omitted,
        } = serde_json::from_str(kept).ok()?;
        let [with_warnings, with_neither, moved, converted] = counted.unwrap_or_default();
        let (types, losses, warnings) = (
            types.into_iter().collect(),
            losses.into_iter().collect(),
            warnings.into_iter().collect(),
        );
        let named = |(workspace, name): (String, String)| (WorkspaceId::from_text(workspace), name);
        let failing = failing.into_iter().map(|(cause, sum, examples)| {
            let examples = examples.into_iter().map(named).collect();
            Failing {
                cause,
                sum,
                examples,
            }
        });
        let failing = failing.collect();
        let numbers = Self {
            fine,
            with_losses,
            with_warnings,
            with_neither,
            moved,
            converted,
            omitted,
            ..Self::default()
        };
        Some((
            Self {
                types,
                losses,
                warnings,
                failing,
                ..numbers
            },
            counted.is_some(),
        ))
    }

    /// These sums as an addition to those that an earlier release kept, which stay because what
    /// they were found from may be deleted.
    fn after(self, earlier: Option<Self>) -> Self {
        let Self {
            with_warnings,
            with_neither,
            moved,
            converted,
            ..
        } = self;
        match earlier {
            Some(earlier) => Self {
                with_warnings,
                with_neither,
                moved,
                converted,
                ..earlier
            },
            None => self,
        }
    }

    fn written(&self) -> Result<String, StoreError> {
        let Self {
            fine,
            with_losses,
            with_warnings,
            with_neither,
            moved,
            converted,
            omitted,
            ..
        } = *self;
        let counted = Some([with_warnings, with_neither, moved, converted]);
        let Self {
            types,
            losses,
            warnings,
            failing,
            ..
        } = self.clone();
        let (types, losses, warnings) = (
            types.into_iter().collect(),
            losses.into_iter().collect(),
            warnings.into_iter().collect(),
        );
        let named =
            |(workspace, name): (WorkspaceId, String)| (workspace.as_str().to_owned(), name);
        let failing = failing.into_iter().map(
            |Failing {
                 cause,
                 sum,
                 examples,
             }| {
                let examples = examples.into_iter().map(named).collect();
                (cause, sum, examples)
            },
        );
        let failing = failing.collect();
        let kept = KeptSums {
            fine,
            with_losses,
            counted,
            types,
            losses,
            warnings,
            failing,
            omitted,
        };
        serde_json::to_string(&kept)
            .map_err(|error| StoreError::new("the sums of a plan cannot be written").because(error))
    }

    fn add(&mut self, item: &JobItem, plan: StoredPlan, failing: &mut BTreeMap<Cause, Failing>) {
        match item.status {
            ItemStatus::Upgraded => {
                self.count(!plan.losses.is_empty(), !plan.warnings.is_empty());
                self.omitted += plan.losses_omitted + plan.warnings_omitted;
                self.moved += plan.moved;
                self.converted += plan.converted;
                for one in plan.types {
                    self.types
                        .entry((one.type_name, one.from, one.to))
                        .or_default()
                        .add(one.instances);
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
                        one.examples
                            .push((item.workspace.clone(), plan.name.clone()));
                    }
                }
            }
            ItemStatus::Waiting | ItemStatus::Current => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_an_earlier_release_kept_stay() {
        let kept = r#"{"fine":7,"with_losses":2,"types":[],"losses":[],"warnings":[],"failing":[],"omitted":1}"#;
        let (earlier, is_whole) = PlanSums::read(kept).expect("sums");
        assert!(!is_whole);
        let sums = PlanSums {
            with_warnings: 3,
            moved: 4,
            ..PlanSums::default()
        }
        .after(Some(earlier));
        assert_eq!(
            (
                sums.fine,
                sums.with_losses,
                sums.with_warnings,
                sums.moved,
                sums.omitted
            ),
            (7, 2, 3, 4, 1)
        );
        let written = sums.written().expect("JSON");
        assert_eq!(PlanSums::read(&written), Some((sums, true)));
        // Otherwise an earlier release could not read them beside this one.
        assert!(
            written.starts_with(r#"{"fine":7,"with_losses":2,"#)
                && written.ends_with(r#","omitted":1}"#),
            "{written}"
        );
    }
}
