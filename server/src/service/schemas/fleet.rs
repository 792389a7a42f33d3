//! All workspaces of an organization at a glance: a status each, and those that need somebody.

use std::collections::BTreeMap;

use super::super::{Failure, Service};
use super::failures::cause_of;
use super::inventory::{Group, OrganizationInventory, WorkspaceTypes};
use crate::model::{Job, JobCounts, JobId, JobStatus, OrganizationId, Timestamp, WorkspaceId};
use crate::store::Page;
use upstate::Registry;
use upstate_state::{InstanceStatus, Mode};

/// The workspaces that are shown one by one; the numbers count all.
const SQUARES: usize = 2000;
/// The causes that are named of each kind.
const CAUSES: usize = 8;
/// The workspaces that are named of one cause.
const NAMED: usize = 3;
/// The age at which a lock is one that somebody should look at: longer than most runs of Terraform.
const OLD_LOCK: i64 = 15 * 60 * 1000;

/// An organization at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fleet {
    /// Totals.
    pub inventory: OrganizationInventory,
    /// The requested page of the workspaces.
    pub workspaces: Vec<WorkspaceTypes>,
    /// The number of workspaces on all pages.
    pub total: u64,
    /// The workspaces by name, as far as they are shown.
    pub squares: Vec<Square>,
    /// The number of workspaces by their status, each once.
    pub statuses: BTreeMap<Group, usize>,
    /// The causes for which somebody has to do something, the worst first.
    pub needs: Vec<Need>,
    /// Jobs that run.
    pub running: Vec<(Job, JobCounts)>,
    /// The tags by key and value, each with the number of workspaces that have it.
    pub tags: Vec<(String, Option<String>, u64)>,
    causes: BTreeMap<Trouble, Named>,
    /// Failures by job and cause, each with the reason of the first.
    failures: BTreeMap<(JobId, String), (String, Named)>,
    locked: Vec<(WorkspaceId, String)>,
}

/// A workspace with its worst status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Square {
    /// The workspace's id.
    pub workspace: WorkspaceId,
    /// Its name.
    pub name: String,
    /// Its status: [`Group::Locked`] is none, since a locked workspace has another one, too.
    pub status: Group,
    /// True if it is locked.
    pub locked: bool,
}

/// A cause, and the workspaces that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The cause.
    pub cause: Trouble,
    /// The workspaces.
    pub named: Named,
}

/// The first of some workspaces, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Named {
    /// The first workspaces, with their names.
    pub first: Vec<(WorkspaceId, String)>,
    /// The number of all.
    pub number: usize,
}

impl Named {
    pub(super) fn add(&mut self, workspace: &WorkspaceId, name: &str) {
        if self.first.len() < NAMED {
            self.first.push((workspace.clone(), name.to_owned()));
        }
        self.number += 1;
    }
}

/// The reason why a workspace needs somebody.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// Nothing upgrades instances of that type and version.
    Stuck {
        /// The type name.
        type_name: String,
        /// The version that is stored.
        version: u64,
        /// The registry's version.
        current: Option<u64>,
    },
    /// The state cannot be read.
    Unreadable {
        /// The reason.
        detail: String,
    },
    /// The newest job or plan failed there.
    Failed {
        /// The job.
        job: JobId,
        /// The reason.
        detail: String,
    },
    /// It has been locked for long.
    Locked {
        /// The principal that holds the lock.
        holder: String,
        /// Since when.
        since: Timestamp,
        /// The reason, as the client gave it.
        reason: String,
    },
}

impl Fleet {
    pub(super) fn add(&mut self, workspace: &WorkspaceTypes, registry: &Registry) {
        let (head, known) = (&workspace.head, &workspace.known);
        let order = [
            Group::Unreadable,
            Group::Stuck,
            Group::Failing,
            Group::Behind,
            Group::Empty,
        ];
        let status = order
            .into_iter()
            .find(|group| group.has(workspace))
            .unwrap_or(Group::Current);
        *self.statuses.entry(status).or_default() += 1;
        if self.squares.len() < SQUARES {
            let (workspace, name) = (head.workspace.clone(), head.name.clone());
            self.squares.push(Square {
                workspace,
                name,
                status,
                locked: head.locked,
            });
        }
        if head.locked && self.locked.len() < SQUARES {
            self.locked
                .push((head.workspace.clone(), head.name.clone()));
        }
        let cause = match (&known.unreadable, status) {
            (Some(detail), _) => Some(Trouble::Unreadable {
                detail: detail.clone(),
            }),
            (None, Group::Stuck) => known.types.iter().find_map(|stored| {
                let is_stuck = stored.mode == Mode::Managed
                    && stored.status(registry) == InstanceStatus::CannotUpgrade;
                let current = registry
                    .get(&stored.type_name)
                    .map(upstate::ResourceDefinition::version);
                is_stuck.then(|| Trouble::Stuck {
                    type_name: stored.type_name.clone(),
                    version: stored.version,
                    current,
                })
            }),
            (None, Group::Failing) => {
                if let Some(outcome) = &workspace.outcome {
                    let key = (outcome.job.clone(), cause_of(&outcome.detail));
                    let (_, named) = self
                        .failures
                        .entry(key)
                        .or_insert_with(|| (outcome.detail.clone(), Named::default()));
                    named.add(&head.workspace, &head.name);
                }
                None
            }
            (
                None,
                Group::Unreadable | Group::Behind | Group::Current | Group::Locked | Group::Empty,
            ) => None,
        };
        if let Some(cause) = cause {
            self.causes
                .entry(cause)
                .or_default()
                .add(&head.workspace, &head.name);
        }
    }
}

impl Service {
    /// Finds what needs somebody: what keeps workspaces from an upgrade, and locks that are old.
    pub(super) async fn finish_fleet(
        &self,
        fleet: &mut Fleet,
        organization: &OrganizationId,
    ) -> Result<(), Failure> {
        let causes = std::mem::take(&mut fleet.causes);
        let mut needs: Vec<Need> = causes
            .into_iter()
            .map(|(cause, named)| Need { cause, named })
            .collect();
        let failures = std::mem::take(&mut fleet.failures).into_iter();
        needs.extend(failures.map(|((job, _), (detail, named))| Need {
            cause: Trouble::Failed { job, detail },
            named,
        }));
        needs.sort_by_key(|need| std::cmp::Reverse(need.named.number));
        let jobs = self.store.jobs(organization, Page::first(20)).await?;
        fleet.running = jobs
            .items
            .into_iter()
            .filter(|(job, _)| job.status == JobStatus::Running)
            .collect();
        fleet.tags = self.store.used_tags(organization).await?;
        needs.extend(self.old_locks(&fleet.locked).await?);
        fleet.needs = needs;
        Ok(())
    }

    async fn old_locks(&self, locked: &[(WorkspaceId, String)]) -> Result<Vec<Need>, Failure> {
        let (now, mut needs) = (self.now(), Vec::new());
        for (workspace, name) in locked {
            if needs.len() == CAUSES {
                break;
            }
            let Some(lock) = self
                .store
                .snapshot(workspace)
                .await?
                .and_then(|snapshot| snapshot.workspace.lock)
            else {
                continue;
            };
            if now.as_millis() - lock.at.as_millis() < OLD_LOCK || lock.has_ended(now) {
                continue;
            }
            let mut named = Named::default();
            named.add(workspace, name);
            needs.push(Need {
                cause: Trouble::Locked {
                    holder: lock.holder.to_string(),
                    since: lock.at,
                    reason: lock.reason,
                },
                named,
            });
        }
        Ok(needs)
    }
}
