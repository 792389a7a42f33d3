//! The causes for which workspaces of a job failed.

use std::collections::BTreeMap;

use super::super::{Failure, Service};
use super::fleet::Named;
use crate::model::{ItemStatus, JobId, Principal, VersionId, WorkspaceId, is_after_prefix};

/// The greatest number of causes that are listed: those that are rarer are a few workspaces each.
const CAUSES: usize = 50;

/// The failures of a job by cause.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobFailures {
    /// The causes, the most workspaces first: at most fifty.
    pub first: Vec<JobFailure>,
    /// The number of all causes.
    pub causes: usize,
}

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
    /// The causes of a job's failures.
    pub async fn job_failures(
        &self,
        principal: &Principal,
        id: &JobId,
    ) -> Result<JobFailures, Failure> {
        let (job, _) = self.job(principal, id).await?;
        let mut causes = BTreeMap::<String, JobFailure>::new();
        self.each_item(&job.id, &[ItemStatus::Failed], |item| {
            let cause = cause_of(&item.detail);
            let one = causes.entry(cause.clone()).or_insert_with(|| JobFailure {
                cause,
                detail: item.detail.clone(),
                named: Named::default(),
            });
            one.named.add(&item.workspace, item.workspace.as_str());
        })
        .await?;
        let mut first: Vec<JobFailure> = causes.into_values().collect();
        let causes = first.len();
        first.sort_by_key(|one| std::cmp::Reverse(one.named.number));
        first.truncate(CAUSES);
        for (workspace, name) in first.iter_mut().flat_map(|one| &mut one.named.first) {
            if let Some(snapshot) = self.store.snapshot(workspace).await? {
                *name = snapshot.workspace.name;
            }
        }
        Ok(JobFailures { first, causes })
    }
}

/// The part of a message that is the same in all workspaces with that cause: the instance that
/// failed first and the heading of its message, up to the first time, without ids.
pub(super) fn cause_of(detail: &str) -> String {
    let first = detail
        .split_once("The first is ")
        .map_or(detail, |(_, first)| first);
    let first = first
        .match_indices(": ")
        .nth(1)
        .and_then(|(end, _)| first.get(..end))
        .unwrap_or(first);
    let mut cause = String::with_capacity(first.len());
    for word in first.split(' ') {
        if !cause.is_empty() {
            cause.push(' ');
        }
        let bare = word.trim_end_matches([':', ',', ';', '.']);
        if is_time(bare) {
            cause.push('…');
            break;
        }
        cause.push_str(if is_id(bare) { "…" } else { word });
    }
    cause
}

/// True of `2026-11-29T01:44:58Z`.
fn is_time(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let date = word.split_once('T').map_or("", |(date, _)| date);
    date.len() == 10 && word.contains(':') && date.split('-').all(digits)
}

/// True of the id of a state version or a workspace.
fn is_id(word: &str) -> bool {
    [VersionId::PREFIX, WorkspaceId::PREFIX]
        .into_iter()
        .any(|prefix| word.strip_prefix(prefix).is_some_and(is_after_prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_one_cause_have_the_same_beginning() {
        let detail = |id: &str| {
            format!(
                "State version {id} cannot be upgraded: 1 of 2 instances fail. The first is t.broken[1]: Invalid number: {id} is none"
            )
        };
        assert_eq!(cause_of(&detail("sv-1")), "t.broken[1]: Invalid number");
        assert_eq!(cause_of("The workspace is empty"), "The workspace is empty");
        let (version, other) = (VersionId::new(), VersionId::new());
        let pending = |id: &VersionId| {
            cause_of(&format!(
                "State version {id} is still pending; upload its state"
            ))
        };
        assert_eq!(
            pending(&version),
            "State version … is still pending; upload its state"
        );
        assert_eq!(pending(&version), pending(&other));
        let locked = |name: &str| {
            let at = crate::model::Timestamp::from_millis(
                1_790_000_000_000 + i64::try_from(name.len()).unwrap_or_default(),
            );
            cause_of(&format!(
                "This workspace is locked by User bob since {at}: wait until {name} is unlocked, then retry"
            ))
        };
        assert_eq!(locked("a"), "This workspace is locked by User bob since …");
        assert_eq!(locked("a"), locked("another"));
    }
}
