//! The causes for which workspaces of a job failed.

use std::collections::BTreeMap;

use super::super::{Failure, Service};
use super::fleet::Named;
use crate::model::{ItemStatus, JobId, Principal};
use crate::store::Page;

/// The number of items that are read at a time.
const AT_ONCE: u32 = 500;

/// A cause of failures, with the workspaces that failed for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFailure {
    /// The message without the parts that differ from one workspace to the next.
    pub cause: String,
    /// The whole message of the first workspace.
    pub detail: String,
    /// The workspaces.
    pub named: Named,
}

impl Service {
    /// The causes of a job's failures, the most workspaces first.
    pub async fn job_failures(&self, principal: &Principal, id: &JobId) -> Result<Vec<JobFailure>, Failure> {
        let (job, _) = self.job(principal, id).await?;
        let (mut causes, mut page) = (BTreeMap::<String, JobFailure>::new(), Page { number: 1, size: AT_ONCE });
        loop {
            let items = self.store.job_items(&job.id, &[ItemStatus::Failed], page).await?.items;
            if items.is_empty() {
                break;
            }
            for item in &items {
                let cause = first_cause(&item.detail);
                let one = causes.entry(cause.to_owned()).or_insert_with(|| JobFailure {
                    cause: cause.to_owned(),
                    detail: item.detail.clone(),
                    named: Named::default(),
                });
                one.named.add(&item.workspace, item.workspace.as_str());
            }
            page.number += 1;
        }
        let mut failures: Vec<JobFailure> = causes.into_values().collect();
        failures.sort_by_key(|one| std::cmp::Reverse(one.named.number));
        for (workspace, name) in failures.iter_mut().flat_map(|one| &mut one.named.first) {
            if let Some(snapshot) = self.store.snapshot(workspace).await? {
                *name = snapshot.workspace.name;
            }
        }
        Ok(failures)
    }
}

/// The instance that failed first and the heading of its message, which are the same where the cause is: the rest has ids.
pub(super) fn first_cause(detail: &str) -> &str {
    let first = detail.split_once("The first is ").map_or(detail, |(_, first)| first);
    first.match_indices(": ").nth(1).and_then(|(end, _)| first.get(..end)).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::first_cause;

    #[test]
    fn failures_of_one_cause_have_the_same_beginning() {
        let detail = |id: &str| {
            format!(
                "State version {id} cannot be upgraded: 1 of 2 instances fail. The first is t.broken[1]: Invalid number: {id} is none"
            )
        };
        assert_eq!(first_cause(&detail("sv-1")), "t.broken[1]: Invalid number");
        assert_eq!(first_cause(&detail("sv-1")), first_cause(&detail("sv-2")));
        assert_eq!(first_cause("The workspace is locked"), "The workspace is locked");
    }
}
