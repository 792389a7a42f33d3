//! The events in an organization: of the last day, counted by half hours, and of the last two
//! weeks, by days.

use super::super::{Failure, Service};
use crate::model::{OrganizationId, Permission, Principal, Timestamp};

/// The steps of a day.
const STEPS: usize = 48;
/// The length of a step, in milliseconds.
const STEP: i64 = 30 * 60 * 1000;
/// The days of two weeks.
const DAYS: usize = 14;
/// The length of a day, in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;
/// The lines of the audit log that are counted at most, so that a page costs little.
const LINES: u32 = 20_000;

/// A kind of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// A client stored a new version.
    Applied,
    /// A version was upgraded or downgraded.
    Upgraded,
    /// A job failed in a workspace.
    Failed,
    /// An earlier version became current again.
    Undone,
    /// A workspace was locked, or a lock was taken away.
    Locked,
}

impl Event {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Applied,
        Self::Upgraded,
        Self::Failed,
        Self::Undone,
        Self::Locked,
    ];

    /// Its name for clients.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Upgraded => "upgraded",
            Self::Failed => "failed",
            Self::Undone => "undone",
            Self::Locked => "locked",
        }
    }

    fn of_action(action: &str) -> Option<Self> {
        match action {
            "state-version.create" => Some(Self::Applied),
            "state-version.upgrade" | "state-version.downgrade" => Some(Self::Upgraded),
            "state-version.rollback" => Some(Self::Undone),
            "workspace.lock" | "workspace.force-unlock" => Some(Self::Locked),
            _ => None,
        }
    }
}

/// A day of an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    /// Its beginning.
    pub since: Timestamp,
    /// The moment from which on everything is counted, where so much happened that not all is, or
    /// where older lines of the audit log are deleted.
    pub complete_since: Option<Timestamp>,
    /// The number of events of each kind in each half hour, in the order of [`Event::ALL`].
    pub counts: [[u64; STEPS]; Event::ALL.len()],
}

impl Day {
    /// The length of a step, in milliseconds.
    pub const STEP: i64 = STEP;

    /// The number of events of a kind.
    pub fn total(&self, event: Event) -> u64 {
        self.of(event).iter().sum()
    }

    /// The number of events of a kind in each half hour.
    pub fn of(&self, event: Event) -> &[u64] {
        lane(&self.counts, event)
    }
}

/// The last two weeks of an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Days {
    /// Their beginning.
    pub(crate) since: Timestamp,
    /// The moment from which on everything is counted, where so much happened that not all is, or
    /// where older lines of the audit log are deleted.
    pub(crate) complete_since: Option<Timestamp>,
    counts: Counts<DAYS>,
}

impl Days {
    /// Their number.
    pub(crate) const NUMBER: usize = DAYS;
    /// The length of one, in milliseconds.
    pub(crate) const STEP: i64 = DAY;

    /// The number of events of a kind.
    pub(crate) fn total(&self, event: Event) -> u64 {
        self.of(event).iter().sum()
    }

    /// The number of events of a kind on each day.
    pub(crate) fn of(&self, event: Event) -> &[u64] {
        lane(&self.counts, event)
    }
}

/// The number of events of each kind in each step, in the order of [`Event::ALL`].
type Counts<const N: usize> = [[u64; N]; Event::ALL.len()];

fn lane<const N: usize>(counts: &Counts<N>, event: Event) -> &[u64] {
    Event::ALL
        .into_iter()
        .zip(counts)
        .find(|(one, _)| *one == event)
        .map_or(&[], |(_, counts)| counts)
}

fn add<const N: usize>(counts: &mut Counts<N>, event: Event, step: i64, number: u64) {
    let lane = Event::ALL
        .into_iter()
        .zip(counts)
        .find(|(one, _)| *one == event);
    // The clock goes on while it is read, so that an event may be behind the last step.
    let step = usize::try_from(step)
        .unwrap_or_default()
        .min(N.saturating_sub(1));
    if let Some(count) = lane.and_then(|(_, counts)| counts.get_mut(step)) {
        *count += number;
    }
}

impl Service {
    /// The events of the last day.
    pub async fn day(&self, principal: &Principal, organization: &str) -> Result<Day, Failure> {
        let (access, organization) = self.organization(principal, organization).await?;
        access.require(Permission::ReadState)?;
        let (since, complete_since, counts) = self.events::<STEPS>(&organization.id, STEP).await?;
        Ok(Day {
            since,
            complete_since,
            counts,
        })
    }

    /// The events of the last two weeks.
    pub(crate) async fn days(
        &self,
        principal: &Principal,
        organization: &str,
    ) -> Result<Days, Failure> {
        let (access, organization) = self.organization(principal, organization).await?;
        access.require(Permission::ReadState)?;
        let (since, complete_since, counts) = self.events::<DAYS>(&organization.id, DAY).await?;
        Ok(Days {
            since,
            complete_since,
            counts,
        })
    }

    /// The events in the last steps of so many milliseconds, with the beginning of these, and the
    /// moment from which on all are counted, if not all are.
    async fn events<const N: usize>(
        &self,
        organization: &OrganizationId,
        step: i64,
    ) -> Result<(Timestamp, Option<Timestamp>, Counts<N>), Failure> {
        let length = step * i64::try_from(N).unwrap_or_default();
        let now = self.now();
        let since = Timestamp::from_millis(now.as_millis() - length);
        // No line from before it may be left, so that a count of 0 there would say nothing.
        let kept_since = self
            .conduct
            .audit_keep
            .map(|keep| now.before(keep))
            .filter(|first| *first > since);
        let activity = self
            .store
            .activity(organization, since, step, LINES)
            .await?;
        let mut counts: Counts<N> = [[0; N]; Event::ALL.len()];
        for (action, step, number) in activity.counts {
            if let Some(event) = Event::of_action(&action) {
                add(&mut counts, event, step, number);
            }
        }
        for (step, number) in self.store.failures_since(organization, since, step).await? {
            add(&mut counts, Event::Failed, step, number);
        }
        Ok((since, activity.complete_since.max(kept_since), counts))
    }
}
