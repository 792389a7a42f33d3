//! The events of the last day in an organization, counted by half hours.

use super::super::{Failure, Service};
use crate::model::{Permission, Principal, Timestamp};

/// The steps of a day.
const STEPS: usize = 48;
/// The length of a step, in milliseconds.
const STEP: i64 = 30 * 60 * 1000;
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
    pub const ALL: [Self; 5] = [Self::Applied, Self::Upgraded, Self::Failed, Self::Undone, Self::Locked];

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
    /// The moment from which on everything is counted, where so much happened that not all is.
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
        Event::ALL.into_iter().zip(&self.counts).find(|(one, _)| *one == event).map_or(&[], |(_, counts)| counts)
    }

    fn add(&mut self, event: Event, step: i64, number: u64) {
        let lane = Event::ALL.into_iter().zip(&mut self.counts).find(|(one, _)| *one == event);
        // The clock goes on while it is read, so that an event may be behind the last step.
        let step = usize::try_from(step).unwrap_or_default().min(STEPS - 1);
        if let Some(count) = lane.and_then(|(_, counts)| counts.get_mut(step)) {
            *count += number;
        }
    }
}

impl Service {
    /// The events of the last day.
    pub async fn day(&self, principal: &Principal, organization: &str) -> Result<Day, Failure> {
        let (access, organization) = self.organization(principal, organization).await?;
        access.require(Permission::ReadState)?;
        let length = STEP * i64::try_from(STEPS).unwrap_or_default();
        let since = Timestamp::from_millis(self.now().as_millis() - length);
        let activity = self.store.activity(&organization.id, since, STEP, LINES).await?;
        let mut day = Day { since, complete_since: activity.complete_since, counts: [[0; STEPS]; Event::ALL.len()] };
        for (action, step, number) in activity.counts {
            if let Some(event) = Event::of_action(&action) {
                day.add(event, step, number);
            }
        }
        for (step, number) in self.store.failures_since(&organization.id, since, STEP).await? {
            day.add(Event::Failed, step, number);
        }
        Ok(day)
    }
}
