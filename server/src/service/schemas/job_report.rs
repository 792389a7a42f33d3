//! The sums of the reports of a job: what it changed, dropped and warned of, over all workspaces.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::{Failure, Service};
use super::plans::{IDENTITY, Loss, NO_PLACE, Warned, essence};
use super::stored_plan::{AT_ONCE, PlanSums, StoredPlan};
use crate::model::{
    ItemStatus, Job, JobId, JobItem, JobKind, JobStatus, Principal, Version, VersionId,
};
use crate::store::{Page, StoreError};

/// The report of a version, as far as it is summed up.
#[derive(Deserialize)]
struct Report {
    types: Vec<Row>,
    notes: Vec<Note>,
    notes_omitted: usize,
}

#[derive(Deserialize)]
struct Row {
    #[serde(rename = "type")]
    type_name: String,
    from: u64,
    to: u64,
    instances: usize,
}

/// An instance with a warning or a loss.
#[derive(Deserialize)]
struct Note {
    #[serde(rename = "type")]
    type_name: String,
    from: u64,
    dropped: Vec<Dropped>,
    diagnostics: Vec<Described>,
    identity: Option<NotedIdentity>,
}

/// The identity of such an instance, after a downgrade.
#[derive(Deserialize)]
struct NotedIdentity {
    diagnostics: Vec<Described>,
}

#[derive(Deserialize)]
struct Dropped {
    path: String,
    reason: String,
}

#[derive(Deserialize)]
struct Described {
    #[serde(default)]
    path: Option<String>,
    detail: String,
}

/// A loss or a warning of an instance of a report.
enum Noted {
    Lost(Loss),
    Warned(Warned),
}

impl Note {
    /// The losses and warnings, each attribute once.
    fn read(self, goes_back: bool) -> Vec<Noted> {
        let Self {
            type_name,
            from,
            dropped,
            diagnostics,
            identity,
        } = self;
        let named = |path: &str, reason: String| Loss {
            type_name: type_name.clone(),
            from,
            path: names_of(path),
            reason: reason.into(),
        };
        let mut losses: BTreeSet<Loss> = dropped
            .into_iter()
            .map(|one| named(&one.path, one.reason))
            .collect();
        if identity.is_some_and(|identity| !identity.diagnostics.is_empty()) {
            losses.insert(named(IDENTITY, NO_PLACE.to_owned()));
        }
        let mut warned = BTreeSet::new();
        for Described { path, detail } in diagnostics {
            let path = path.unwrap_or_default();
            // A downgrade that is allowed to lose values warns of each, because it could not
            // refuse.
            if goes_back {
                losses.insert(named(&path, NO_PLACE.to_owned()));
            } else {
                let message = essence(&type_name, &detail);
                warned.insert(Warned {
                    type_name: type_name.clone(),
                    from,
                    path: names_of(&path),
                    message,
                });
            }
        }
        losses
            .into_iter()
            .map(Noted::Lost)
            .chain(warned.into_iter().map(Noted::Warned))
            .collect()
    }
}

/// One workspace of a job with its numbers: of what was done there, or of what a plan would do.
#[derive(Debug)]
pub(crate) struct ItemReport {
    /// The workspace, and the outcome for it.
    pub(crate) item: JobItem,
    /// The name of the workspace; nothing if it is deleted.
    pub(crate) name: Option<String>,
    /// The numbers.
    pub(crate) numbers: ItemNumbers,
    /// The report, as the version that was made keeps it; nothing if the workspace is deleted.
    pub(crate) report: Option<Box<RawValue>>,
}

/// The numbers of one workspace of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ItemNumbers {
    /// The instances that were brought to another version, or would be.
    pub(crate) instances: usize,
    /// The values that were dropped, or would be.
    pub(crate) losses: usize,
    /// The warnings.
    pub(crate) warnings: usize,
    /// The instances, or the losses and warnings of a plan, of which no details are kept, so that
    /// they are not among these.
    pub(crate) omitted: usize,
}

impl ItemNumbers {
    fn of_report(report: Report, goes_back: bool) -> Self {
        let Report {
            types,
            notes,
            notes_omitted,
        } = report;
        let instances = types.iter().map(|row| row.instances).sum();
        let mut numbers = Self {
            instances,
            omitted: notes_omitted,
            ..Self::default()
        };
        for noted in notes.into_iter().flat_map(|note| note.read(goes_back)) {
            match noted {
                Noted::Lost(_) => numbers.losses += 1,
                Noted::Warned(_) => numbers.warnings += 1,
            }
        }
        numbers
    }

    fn of_plan(plan: &StoredPlan) -> Self {
        Self {
            instances: plan
                .types
                .iter()
                .filter(|one| !one.failed)
                .map(|one| one.instances)
                .sum(),
            losses: plan.losses.iter().map(|(_, instances)| instances).sum(),
            warnings: plan.warnings.iter().map(|(_, instances)| instances).sum(),
            omitted: plan.losses_omitted + plan.warnings_omitted,
        }
    }
}

/// The names of a path as it is written, without the keys and indices between them.
fn names_of(path: &str) -> String {
    let (mut names, mut depth, mut is_quoted, mut is_escaped) =
        (String::new(), 0_u32, false, false);
    for letter in path.chars() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' if depth > 0 => is_quoted = !is_quoted,
            '[' if !is_quoted => depth += 1,
            ']' if !is_quoted => depth = depth.saturating_sub(1),
            _ if depth == 0 => names.push(letter),
            _ => {}
        }
    }
    names
}

impl Service {
    /// The sums of what a job did: of the versions that it made, whether they are current or not.
    /// Those of a job that has ended are found once, and kept.
    pub async fn job_report(&self, principal: &Principal, id: &JobId) -> Result<PlanSums, Failure> {
        let (job, _) = self.job(principal, id).await?;
        if job.kind == JobKind::Plan {
            return self.plan_sums(principal, id).await;
        }
        match job.finished_at.filter(|_| job.status == JobStatus::Done) {
            Some(finished_at) => self.kept_sums(&job, finished_at).await,
            None => self.sum_of_reports(&job).await,
        }
    }

    /// The numbers of one workspace of a job. Permissions were looked at before.
    pub(crate) async fn item_report(
        &self,
        job: &Job,
        item: JobItem,
    ) -> Result<ItemReport, StoreError> {
        let name = self
            .store
            .snapshot(&item.workspace)
            .await?
            .map(|snapshot| snapshot.workspace.name);
        let made = item
            .version
            .as_ref()
            .filter(|_| job.kind == JobKind::Change && item.status == ItemStatus::Upgraded);
        let kept = match made {
            Some(version) => self.store.report(version).await?,
            None => None,
        };
        let read = kept
            .as_deref()
            .and_then(|kept| serde_json::from_str(kept).ok());
        let numbers = match read {
            Some(report) => ItemNumbers::of_report(report, job.back.is_some()),
            None => match item.status {
                ItemStatus::Upgraded => StoredPlan::read(&item)
                    .map(|plan| ItemNumbers::of_plan(&plan))
                    .unwrap_or_default(),
                // Nothing is changed or dropped there, because a workspace changes as a whole or
                // not.
                ItemStatus::Waiting | ItemStatus::Current | ItemStatus::Failed => {
                    ItemNumbers::default()
                }
            },
        };
        // As for the version itself: with its workspace, it is found no more.
        let report = kept
            .filter(|_| name.is_some())
            .and_then(|kept| RawValue::from_string(kept).ok());
        Ok(ItemReport {
            item,
            name,
            numbers,
            report,
        })
    }

    /// The number of values that the upgrade or downgrade of one version to another one dropped,
    /// and the number of instances of which its report keeps no details; nothing if the later
    /// version was not made so, or the report cannot be read.
    pub(super) async fn dropped_values(
        &self,
        before: &VersionId,
        after: &Version,
    ) -> Result<Option<(usize, usize)>, StoreError> {
        if after.upgraded_from.as_ref() != Some(before) {
            return Ok(None);
        }
        let kept = self.store.report(&after.id).await?;
        let read = kept.and_then(|kept| serde_json::from_str::<Report>(&kept).ok());
        Ok(read.map(|report| {
            let numbers = ItemNumbers::of_report(report, after.downgraded_to.is_some());
            (numbers.losses, numbers.omitted)
        }))
    }

    /// The sums of what a job did, as far as the versions that it made are still kept.
    pub(super) async fn sum_of_reports(&self, job: &Job) -> Result<PlanSums, Failure> {
        let (mut sums, mut page) = (PlanSums::default(), Page::first(AT_ONCE));
        loop {
            let items = self
                .store
                .job_items(&job.id, &[ItemStatus::Upgraded], page)
                .await?
                .items;
            if items.is_empty() {
                return Ok(sums);
            }
            for version in items.into_iter().filter_map(|item| item.version) {
                let report = self.store.report(&version).await?;
                if let Some(report) = report.and_then(|report| serde_json::from_str(&report).ok()) {
                    add(&mut sums, report, job.back.is_some());
                }
            }
            page.number += 1;
        }
    }
}

/// Adds the report of a workspace.
fn add(sums: &mut PlanSums, report: Report, goes_back: bool) {
    let Report {
        types,
        notes,
        notes_omitted,
    } = report;
    for row in types {
        sums.types
            .entry((row.type_name, row.from, row.to))
            .or_default()
            .add(row.instances);
    }
    let (mut losses, mut warnings) = (
        BTreeMap::<Loss, usize>::new(),
        BTreeMap::<Warned, usize>::new(),
    );
    for noted in notes.into_iter().flat_map(|note| note.read(goes_back)) {
        match noted {
            Noted::Lost(loss) => *losses.entry(loss).or_default() += 1,
            Noted::Warned(warned) => *warnings.entry(warned).or_default() += 1,
        }
    }
    sums.count(!losses.is_empty(), !warnings.is_empty());
    sums.omitted += notes_omitted;
    for (loss, instances) in losses {
        sums.losses.entry(loss).or_default().add(instances);
    }
    for (warned, instances) in warnings {
        sums.warnings.entry(warned).or_default().add(instances);
    }
}

#[cfg(test)]
mod tests {
    use super::names_of;

    #[test]
    fn a_path_is_named_by_attributes_alone() {
        assert_eq!(
            names_of(r#"racks[2].slots["a]\"b"].fan"#),
            "racks.slots.fan"
        );
        assert_eq!(names_of("name"), "name");
        assert_eq!(names_of(""), "");
    }
}
