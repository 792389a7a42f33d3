//! The pace of a job: how many of its workspaces ended, step by step.

use super::super::{Failure, Service};
use crate::model::{Job, JobStatus, Timestamp};

/// The most steps.
const STEPS: i64 = 60;

/// The length of the shortest step, in milliseconds.
const SHORTEST: i64 = 1000;

/// The workspaces of a job that have ended, by steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pace {
    /// The beginning of the first step.
    pub(crate) since: Timestamp,
    /// The moment up to which they are counted.
    pub(crate) until: Timestamp,
    /// The length of a step, in milliseconds.
    pub(crate) step: i64,
    /// The number that ended in each step, and the number of those among these that failed.
    pub(crate) ended: Vec<(u64, u64)>,
    /// The number that another server took over in each step, because the one that had them did not
    /// go on.
    pub(crate) taken_over: Vec<u64>,
}

impl Pace {
    /// No workspace has ended yet.
    fn between(since: Timestamp, until: Timestamp) -> Self {
        let length = until.as_millis().saturating_sub(since.as_millis()).max(0);
        let step = (length / STEPS + 1).max(SHORTEST);
        let steps = usize::try_from(length / step).unwrap_or_default() + 1;
        Self {
            since,
            until,
            step,
            ended: vec![(0, 0); steps],
            taken_over: vec![0; steps],
        }
    }
}

impl Service {
    /// The pace of a job since it was begun. Permissions were looked at before.
    pub(crate) async fn pace(&self, job: &Job) -> Result<Pace, Failure> {
        let stopped_at = job
            .worked_on_at
            .filter(|_| job.status != JobStatus::Running);
        let mut pace = Pace::between(
            job.created_at,
            job.finished_at.or(stopped_at).unwrap_or_else(|| self.now()),
        );
        // The clock goes on while it is read, so that a workspace may be behind the last step.
        let last = pace.ended.len().saturating_sub(1);
        let at_step = |step: i64| usize::try_from(step).unwrap_or(last).min(last);
        for (step, ended, failed) in self
            .store
            .ended_by_step(&job.id, pace.since, pace.step)
            .await?
        {
            if let Some(count) = pace.ended.get_mut(at_step(step)) {
                *count = (count.0 + ended, count.1 + failed);
            }
        }
        for (step, number) in self
            .store
            .taken_over_by_step(&job.id, pace.since, pace.step)
            .await?
        {
            if let Some(count) = pace.taken_over.get_mut(at_step(step)) {
                *count += number;
            }
        }
        Ok(pace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_job_has_more_steps_than_are_drawn() {
        for length in [
            0,
            1,
            999,
            1000,
            59_999,
            60_000,
            60_001,
            3_600_000,
            1_000_000_007,
        ] {
            let pace = Pace::between(
                Timestamp::from_millis(5),
                Timestamp::from_millis(5 + length),
            );
            let steps = i64::try_from(pace.ended.len()).unwrap();
            assert!(
                steps <= STEPS && steps * pace.step > length && pace.step >= SHORTEST,
                "{length}: {pace:?}"
            );
        }
    }
}
