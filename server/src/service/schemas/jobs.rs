//! Upgrading many workspaces, or taking them back to a release, by all servers of a store together.

use std::collections::BTreeSet;
use std::pin::pin;
use std::time::Duration;

use upstate_state::InstanceStatus;

use super::super::held::Work;
use super::super::{Access, Failure, Service, WRITING, access, audit_elsewhere, who};
use super::direction::Direction;
use super::inventory::is_selected;
use super::stored_plan::StoredPlan;
use super::upgrade::Requested;
use super::{Upgraded, WorkspaceTypes};
use crate::model::{
    AuditEntry, Back, Head, Holder, ItemStatus, Job, JobCounts, JobId, JobItem, JobKind, JobStatus,
    NewItem, OrganizationId, Permission, Principal, Selection, Timestamp, TokenId, TokenKind,
    VersionId, WorkspaceId,
};
use crate::rules::{Refusal, RefusalKind};
use crate::store::{Claim, Listed, Page, StoreError};

/// After how long a workspace is looked at again that could not be worked on just now.
const AGAIN: Duration = Duration::from_secs(2);

/// The time whose workspaces tell how long the others take.
const LATELY: Duration = Duration::from_mins(5);

/// The number of workspaces that tell enough.
const ENOUGH: u64 = 3;

/// The number of workspaces that are looked up at a time.
const AT_ONCE: u32 = 500;

/// The number of workspaces that a plan looks at at the same time: each takes a core and the bytes
/// of its state.
const PLANNING: u32 = 4;

/// The most workspaces that a job upgrades at the same time.
const MOST: u32 = 32;

/// The failures of workspaces above which a job stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopAbove {
    /// A number of workspaces.
    Number(u32),
    /// A share of its workspaces, in percent.
    Percent(u32),
}

impl StopAbove {
    /// The number, of so many workspaces: a share is rounded down.
    fn number(self, workspaces: usize) -> u32 {
        match self {
            Self::Number(number) => number,
            Self::Percent(percent) => {
                let share = u64::try_from(workspaces)
                    .unwrap_or(u64::MAX)
                    .saturating_mul(u64::from(percent))
                    / 100;
                u32::try_from(share).unwrap_or(u32::MAX)
            }
        }
    }
}

impl Selection {
    fn fits(&self, name: &str) -> bool {
        self.names
            .as_deref()
            .is_none_or(|pattern| matches_name(&pattern.to_lowercase(), &name.to_lowercase()))
    }
}

/// True if a name fits a pattern. Its parts between `*` are looked for from left to right, so that
/// no pattern takes long.
pub(super) fn matches_name(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some((_, behind)) = rest.split_once(part) else {
            return false;
        };
        rest = behind;
    }
    rest.ends_with(last)
}

/// A job to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// The workspaces, of all of the organization that hold something to upgrade, or to take back.
    pub selection: Selection,
    /// The plan whose versions it takes: of the workspaces, those that the plan found would change,
    /// and that have not changed since.
    pub plan: Option<JobId>,
    /// The number that are upgraded at the same time.
    pub concurrency: u32,
    /// The failures at which it stops; without them, it goes on after any.
    pub stop: Option<StopAbove>,
    /// The goal of a downgrade; without it, they are upgraded. A plan has its own.
    pub back: Option<Back>,
}

/// A plan to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPlan {
    /// The workspaces, of all of the organization that hold something to upgrade, or to take back.
    pub selection: Selection,
    /// The goal of a downgrade; without it, an upgrade is planned.
    pub back: Option<Back>,
}

impl Service {
    /// Makes a job. Every server of the store works on it.
    pub async fn create_job(
        &self,
        principal: &Principal,
        organization: &str,
        new: NewJob,
    ) -> Result<JobId, Failure> {
        let (access, organization) = self.organization(principal, organization).await?;
        access.require_all(&WRITING)?;
        let requested_by = Self::upgrader(principal)?;
        if !(1..=MOST).contains(&new.concurrency) {
            let detail = format!(
                "concurrency must be from 1 to {MOST}, found {}",
                new.concurrency
            );
            return Err(Refusal::unprocessable("/data/attributes/concurrency", detail).into());
        }
        let (items, back) = match &new.plan {
            Some(_) if new.back.is_some() => {
                let detail = "a plan says whether its workspaces are upgraded or taken back: leave to-release out";
                return Err(Refusal::unprocessable("/data/attributes/to-release", detail).into());
            }
            Some(plan) => {
                let (plan, planned) = self
                    .planned_versions(principal, plan, &organization.id)
                    .await?;
                let selected = self
                    .selected(&organization.id, &new.selection, planned)
                    .await?;
                (selected, plan.back)
            }
            None => {
                let direction = self.direction(new.back.as_ref())?;
                let items = self
                    .selected_or_concerned(&organization.id, &new.selection, &direction)
                    .await?;
                let back = new
                    .back
                    .zip(direction.release())
                    .map(|(back, release)| Back {
                        release: release.to_owned(),
                        ..back
                    });
                (items, back)
            }
        };
        let job = Job {
            concurrency: new.concurrency,
            stop_at_failure: new.stop.is_some(),
            max_failures: new.stop.map_or(0, |stop| stop.number(items.len())),
            back,
            applies: new.plan,
            ..self.new_job(principal, &organization.id, requested_by, &items)
        };
        self.begin_job(principal, job, None, &items, "job.create")
            .await
    }

    /// True if a principal may make plans, before the rest of the request is read.
    pub async fn may_plan(&self, principal: &Principal, organization: &str) -> Result<(), Failure> {
        let (access, _) = self.organization(principal, organization).await?;
        access.require(Permission::ReadState)?;
        Ok(Self::upgrader(principal).map(drop)?)
    }

    /// Makes a plan: a job that looks at each workspace, keeps what would change, and writes no
    /// version.
    pub async fn create_plan(
        &self,
        principal: &Principal,
        organization: &str,
        new: NewPlan,
    ) -> Result<JobId, Failure> {
        self.may_plan(principal, organization).await?;
        let (_, organization) = self.organization(principal, organization).await?;
        let requested_by = Self::upgrader(principal)?;
        let direction = self.direction(new.back.as_ref())?;
        let items = self
            .selected_or_concerned(&organization.id, &new.selection, &direction)
            .await?;
        let job = Job {
            concurrency: PLANNING,
            back: new
                .back
                .zip(direction.release())
                .map(|(back, release)| Back {
                    release: release.to_owned(),
                    ..back
                }),
            kind: JobKind::Plan,
            ..self.new_job(principal, &organization.id, requested_by, &items)
        };
        let selection = Some(&new.selection);
        self.begin_job(principal, job, selection, &items, "plan.create")
            .await
    }

    /// A change that begins now, of as many workspaces at once as may be; it is done if there are
    /// none.
    fn new_job(
        &self,
        principal: &Principal,
        organization: &OrganizationId,
        requested_by: Holder,
        items: &[NewItem],
    ) -> Job {
        let (at, is_empty) = (self.now(), items.is_empty());
        Job {
            id: JobId::new(),
            organization: organization.clone(),
            requested_by,
            who: who(principal),
            token: kept_token(principal),
            concurrency: MOST,
            stop_at_failure: false,
            max_failures: 0,
            status: if is_empty {
                JobStatus::Done
            } else {
                JobStatus::Running
            },
            created_at: at,
            finished_at: is_empty.then_some(at),
            back: None,
            worked_on_at: None,
            undoes: None,
            kind: JobKind::Change,
            applies: None,
        }
    }

    async fn begin_job(
        &self,
        principal: &Principal,
        job: Job,
        selection: Option<&Selection>,
        items: &[NewItem],
        action: &'static str,
    ) -> Result<JobId, Failure> {
        let mut entry = audit_elsewhere(
            job.who.clone(),
            job.created_at,
            action,
            Some(job.organization.clone()),
            &job.id,
        );
        entry.detail = match &job.back {
            Some(back) => format!(
                "{} workspaces, back to release {}",
                items.len(),
                back.release
            ),
            None => format!("{} workspaces", items.len()),
        };
        self.add_job(principal, job, selection, items, entry).await
    }

    /// Keeps a job, unless its principal lost something while its workspaces were looked up: the
    /// jobs of a user who is removed are stopped once, and this one would come after that.
    async fn add_job(
        &self,
        principal: &Principal,
        job: Job,
        selection: Option<&Selection>,
        items: &[NewItem],
        entry: AuditEntry,
    ) -> Result<JobId, Failure> {
        let added = self
            .store
            .add_job(Some(principal), &job, selection, items, entry);
        if added.await? {
            self.work_there_is.notify_waiters();
            return Ok(job.id);
        }
        self.still_may(principal).await?;
        // It has again what it had lost.
        Err(access::changed_meanwhile().into())
    }

    /// The workspaces that somebody named, or those of the organization that hold something to
    /// upgrade, or to take back.
    async fn selected_or_concerned(
        &self,
        organization: &OrganizationId,
        selection: &Selection,
        direction: &Direction,
    ) -> Result<Vec<NewItem>, Failure> {
        let any = |workspace| NewItem {
            workspace,
            expected: None,
        };
        if let Some(ids) = &selection.workspaces {
            let named = self.of_organization(organization, ids.clone()).await?;
            let mut items = Vec::with_capacity(named.len());
            for workspace in named {
                if self.has_tags(&workspace, selection).await? {
                    items.push(any(workspace));
                }
            }
            return Ok(items);
        }
        let mut concerned = Vec::new();
        self.each_concerned(organization, direction, |workspace| {
            concerned.push(workspace.head);
        })
        .await?;
        let tagged = self.all_tagged(organization, &selection.tags).await?;
        let is_meant = |head: &Head| {
            selection.fits(&head.name)
                && tagged
                    .as_ref()
                    .is_none_or(|tagged| tagged.contains(&head.workspace))
        };
        Ok(concerned
            .into_iter()
            .filter(is_meant)
            .map(|head| any(head.workspace))
            .collect())
    }

    /// The versions of a plan in the workspaces that are selected.
    async fn selected(
        &self,
        organization: &OrganizationId,
        selection: &Selection,
        planned: Vec<Head>,
    ) -> Result<Vec<NewItem>, Failure> {
        let named = match &selection.workspaces {
            Some(ids) => Some(self.of_organization(organization, ids.clone()).await?),
            None => None,
        };
        let tagged = self.all_tagged(organization, &selection.tags).await?;
        let is_meant = |Head {
                            workspace, name, ..
                        }: &Head| {
            named
                .as_ref()
                .is_none_or(|named| named.binary_search(workspace).is_ok())
                && selection.fits(name)
                && tagged
                    .as_ref()
                    .is_none_or(|tagged| tagged.contains(workspace))
        };
        let meant = planned.into_iter().filter(is_meant);
        Ok(meant
            .map(
                |Head {
                     workspace,
                     version: expected,
                     ..
                 }| NewItem {
                    workspace,
                    expected,
                },
            )
            .collect())
    }

    /// The workspaces with all of these tags; `None` if there are no tags. Each tag is looked up once,
    /// and none after the first that leaves no workspace: a request may name very many.
    async fn all_tagged(
        &self,
        organization: &OrganizationId,
        tags: &[String],
    ) -> Result<Option<BTreeSet<WorkspaceId>>, Failure> {
        let mut all: Option<BTreeSet<WorkspaceId>> = None;
        for tag in tags.iter().collect::<BTreeSet<_>>() {
            if all.as_ref().is_some_and(BTreeSet::is_empty) {
                break;
            }
            let tagged = self.tagged(organization, tag).await?;
            all = Some(match all {
                Some(before) => before.intersection(&tagged).cloned().collect(),
                None => tagged,
            });
        }
        Ok(all)
    }

    /// The number of workspaces that a job would take of a plan now.
    pub async fn number_selected(
        &self,
        principal: &Principal,
        plan: &JobId,
        selection: &Selection,
    ) -> Result<usize, Failure> {
        let (job, _) = self.stored_plan(principal, plan).await?;
        let (_, planned) = self
            .planned_versions(principal, plan, &job.organization)
            .await?;
        Ok(self
            .selected(&job.organization, selection, planned)
            .await?
            .len())
    }

    /// True if a workspace has the name and the tags that are selected. It is looked up only if
    /// something is asked of it.
    async fn has_tags(&self, id: &WorkspaceId, selection: &Selection) -> Result<bool, Failure> {
        if selection.names.is_none() && selection.tags.is_empty() {
            return Ok(true);
        }
        let Some(snapshot) = self.store.snapshot(id).await? else {
            return Ok(false);
        };
        let workspace = &snapshot.workspace;
        let has = |tag: &String| {
            workspace
                .tags
                .iter()
                .any(|(key, value)| is_selected(tag, key, value.as_deref()))
        };
        Ok(selection.fits(&workspace.name) && selection.tags.iter().all(has))
    }

    /// Makes a job that undoes what another one did: in each workspace whose current version is
    /// still that job's, the version before becomes current again. The others are left, with the
    /// reason.
    pub async fn undo_job(&self, principal: &Principal, id: &JobId) -> Result<JobId, Failure> {
        let (undone, _) = self.visible_job(principal, id, &WRITING).await?;
        let requested_by = Self::upgrader(principal)?;
        if undone.kind == JobKind::Plan {
            return Err(Refusal::conflict(format!(
                "The job {id} is a plan, which changed nothing"
            ))
            .into());
        }
        if undone.undoes.is_some() {
            return Err(Refusal::conflict(format!(
                "The job {id} undid another one; its changes cannot be undone by a job"
            ))
            .into());
        }
        if undone.status == JobStatus::Running {
            return Err(
                Refusal::conflict(format!("The job {id} runs; stop it, then undo it")).into(),
            );
        }
        // They may be changed yet, and would then be left out.
        let busy = self.store.claimed_items(id, self.now()).await?;
        if busy > 0 {
            let detail = format!(
                "Servers still work on {busy} of the workspaces of the job {id}; undo it in a moment"
            );
            return Err(Refusal::conflict(detail).into());
        }
        let changed = self.store.changed_workspaces(id).await?;
        if changed.is_empty() {
            return Err(Refusal::conflict(format!(
                "The job {id} has made no version, so there is nothing to undo"
            ))
            .into());
        }
        let items: Vec<NewItem> = changed
            .into_iter()
            .map(|workspace| NewItem {
                workspace,
                expected: None,
            })
            .collect();
        let job = Job {
            concurrency: undone.concurrency,
            // One that is left keeps no other one in the state that somebody wants to leave.
            stop_at_failure: false,
            undoes: Some(id.clone()),
            ..self.new_job(principal, &undone.organization, requested_by, &items)
        };
        let mut entry = audit_elsewhere(
            job.who.clone(),
            job.created_at,
            "job.undo",
            Some(undone.organization),
            id,
        );
        entry.detail = format!("by {}, {} workspaces", job.id, items.len());
        self.add_job(principal, job, None, &items, entry).await
    }

    /// Undoes what a job did in one workspace.
    async fn undo(
        &self,
        workspace: &WorkspaceId,
        claim: &Claim,
        undone: &JobId,
    ) -> Result<JobItem, Failure> {
        let item = |status, version: Option<VersionId>, detail: &str| JobItem {
            workspace: workspace.clone(),
            status,
            tried: version.clone(),
            version,
            detail: detail.to_owned(),
            planned: None,
        };
        let snapshot = self.snapshot(workspace).await?;
        let Some(head) = snapshot.head.as_ref() else {
            return Ok(item(ItemStatus::Current, None, ""));
        };
        if head.job.as_ref() == Some(&claim.job.id) {
            // A process that was killed undid it without recording it.
            return Ok(item(ItemStatus::Upgraded, Some(head.id.clone()), ""));
        }
        let Some(source) = head
            .upgraded_from
            .as_ref()
            .filter(|_| head.job.as_ref() == Some(undone))
        else {
            let detail = format!(
                "Unchanged: serial {} is current, which another one than the job made",
                head.serial
            );
            return Ok(item(ItemStatus::Current, Some(head.id.clone()), &detail));
        };
        // Otherwise the workspace, which stays changed, would count as one with nothing to undo.
        if self.store.version(source).await?.is_none() {
            let detail = format!(
                "The version before, {source}, is deleted, so it cannot become current again"
            );
            return Err(Refusal::conflict(detail).into());
        }
        let version = self
            .rollback_by_job(Work::of_job(claim), workspace, source, &head.id)
            .await?;
        Ok(item(ItemStatus::Upgraded, Some(version), ""))
    }

    /// Workspaces that somebody named, each once.
    async fn of_organization(
        &self,
        organization: &OrganizationId,
        ids: Vec<WorkspaceId>,
    ) -> Result<Vec<WorkspaceId>, Failure> {
        let mut found: Vec<WorkspaceId> = Vec::with_capacity(ids.len());
        for id in ids {
            let snapshot = self.store.snapshot(&id).await?;
            if snapshot.is_none_or(|snapshot| snapshot.workspace.organization != *organization) {
                let detail = format!("workspace {id} not found in this organization");
                return Err(Refusal::unprocessable("/data/attributes/workspaces", detail).into());
            }
            found.push(id);
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// Goes through the workspaces that hold something to upgrade, or to take back, by name.
    pub(super) async fn each_concerned(
        &self,
        organization: &OrganizationId,
        direction: &Direction,
        mut each: impl FnMut(WorkspaceTypes) + Send,
    ) -> Result<(), Failure> {
        let is_concerned = |workspace: &WorkspaceTypes| match direction {
            Direction::Up => workspace
                .known
                .statuses
                .contains(&InstanceStatus::NeedsUpgrade),
            Direction::Back(_) => workspace
                .known
                .types
                .iter()
                .any(|stored| direction.concerns(self.registry(), stored)),
        };
        let mut at = None;
        while let Some(some) = self.some_types(organization, &mut at, AT_ONCE).await? {
            some.into_iter().filter(is_concerned).for_each(&mut each);
        }
        Ok(())
    }

    /// A job of an organization in which the principal has some permissions.
    async fn visible_job(
        &self,
        principal: &Principal,
        id: &JobId,
        needs: &[Permission],
    ) -> Result<(Job, JobCounts), Failure> {
        let unknown = || Refusal::not_found(format!("job {id}"));
        let (job, counts) = self.store.job(id).await?.ok_or_else(unknown)?;
        Access::of(principal, &job.organization)
            .ok_or_else(unknown)?
            .require_all(needs)?;
        Ok((job, counts))
    }

    /// A job, and how far it is.
    pub async fn job(
        &self,
        principal: &Principal,
        id: &JobId,
    ) -> Result<(Job, JobCounts), Failure> {
        self.visible_job(principal, id, &[Permission::ReadState])
            .await
    }

    /// When a running job is likely to end: the workspaces that wait take as long as those of the
    /// last minutes did. A rate over the whole job would count the time for which it was stopped.
    pub async fn expected_end(
        &self,
        job: &Job,
        counts: JobCounts,
    ) -> Result<Option<Timestamp>, Failure> {
        if job.status != JobStatus::Running || counts.waiting == 0 {
            return Ok(None);
        }
        let now = self.now();
        let (ended, first) = self.store.ended_since(&job.id, now.before(LATELY)).await?;
        let Some(first) = first.filter(|_| ended >= ENOUGH) else {
            return Ok(None);
        };
        let took = u64::try_from(now.as_millis() - first.as_millis()).unwrap_or_default();
        Ok(Some(now.after(Duration::from_millis(
            took.saturating_mul(counts.waiting) / ended,
        ))))
    }

    /// The jobs of an organization, the newest first.
    pub async fn jobs(
        &self,
        principal: &Principal,
        organization: &str,
        page: Page,
    ) -> Result<Listed<(Job, JobCounts)>, Failure> {
        let (access, organization) = self.organization(principal, organization).await?;
        access.require(Permission::ReadState)?;
        Ok(self.store.jobs(&organization.id, page).await?)
    }

    /// The workspaces of a job with one of these ends, or all.
    pub async fn job_items(
        &self,
        principal: &Principal,
        id: &JobId,
        statuses: &[ItemStatus],
        page: Page,
    ) -> Result<Listed<JobItem>, Failure> {
        self.visible_job(principal, id, &[Permission::ReadState])
            .await?;
        Ok(self.store.job_items(id, statuses, page).await?)
    }

    /// A job that the principal may stop and resume: a plan only looks at states.
    async fn own_job(
        &self,
        principal: &Principal,
        id: &JobId,
    ) -> Result<(Job, JobCounts), Failure> {
        let (job, _) = self.job(principal, id).await?;
        self.visible_job(principal, id, Self::needed(job.kind))
            .await
    }

    /// Stops a running job after what is being worked on.
    pub async fn stop_job(
        &self,
        principal: &Principal,
        id: &JobId,
    ) -> Result<(Job, JobCounts), Failure> {
        let (job, _) = self.own_job(principal, id).await?;
        let entry = self.audit_now(who(principal), "job.stop", Some(job.organization), id);
        if !self.store.stop_job(id, entry).await? {
            return Err(Refusal::conflict(format!("The job {id} does not run")).into());
        }
        self.job(principal, id).await
    }

    /// Lets a job run again, from now on in the name of who asks for that: whose name it had may
    /// have left. Workspaces that failed are tried again.
    pub async fn resume_job(
        &self,
        principal: &Principal,
        id: &JobId,
    ) -> Result<(Job, JobCounts), Failure> {
        let (job, _) = self.own_job(principal, id).await?;
        let by = Self::upgrader(principal)?;
        let entry = self.audit_now(who(principal), "job.resume", Some(job.organization), id);
        // Because the jobs of a user who is removed are stopped once, which may have been by now.
        self.still_may(principal).await?;
        let token = kept_token(principal);
        let resumed = self.store.resume_job(id, &by, token.as_ref(), entry);
        if !resumed.await? {
            return Err(Refusal::conflict(format!(
                "The job {id} runs already, or has nothing left to do"
            ))
            .into());
        }
        self.work_there_is.notify_waiters();
        self.job(principal, id).await
    }

    /// Upgrades one workspace of a job, or takes it back, if there is one to do; whether there was.
    /// `by` is what this process is called.
    ///
    /// # Errors
    /// If the store fails: the workspace is tried again once the claim has ended.
    pub async fn work_on_jobs(&self, by: &str) -> Result<bool, Failure> {
        let now = self.now();
        let Some(claim) = self
            .store
            .claim(by, now, now.after(self.conduct.lease))
            .await?
        else {
            return Ok(false);
        };
        let Claim {
            job,
            workspace,
            expected,
            ..
        } = &claim;
        let item = |status, version: Option<VersionId>, detail: String| JobItem {
            workspace: workspace.clone(),
            status,
            tried: version.clone(),
            version,
            detail,
            planned: None,
        };
        match self.still_requested(job).await {
            Ok(()) => {}
            // It is taken again, because somebody resumed the job since it was claimed.
            Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::Unavailable => {
                return self.later(&claim).await;
            }
            Err(Failure::Refused(Refusal { detail, .. })) => {
                let organization = Some(job.organization.clone());
                let mut entry =
                    self.audit_now("server".to_owned(), "job.stop", organization, &job.id);
                // With the id of the token, because who resumes the job takes their place in its record.
                entry.detail = format!("requested by {}: {detail}", job.who);
                if !self.store.stop_job_of_requester(job, entry).await? {
                    // Somebody resumed it meanwhile, as above.
                    return self.later(&claim).await;
                }
                let item = item(ItemStatus::Failed, None, detail);
                self.store.finish(&claim, &item, self.now()).await?;
                return Ok(true);
            }
            Err(failure @ Failure::Store(_)) => return Err(failure),
        }
        // Looked up before, so that a version that comes meanwhile does not get the failure of this
        // one.
        let tried = self
            .store
            .snapshot(workspace)
            .await?
            .and_then(|snapshot| snapshot.head)
            .map(|head| head.id);
        if job.kind == JobKind::Plan {
            let item = match self.claimed(&claim, self.plan_item(workspace, job)).await {
                // It is looked at again, since the memory for states is only in use.
                Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::Unavailable => {
                    return self.later(&claim).await;
                }
                done => settled(done, workspace, tried, "planned")?,
            };
            self.store.finish(&claim, &item, self.now()).await?;
            return Ok(true);
        }
        if let Some(undone) = &job.undoes {
            let item = match self.undo(workspace, &claim, undone).await {
                Ok(item) => item,
                Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::NotFound => {
                    item(ItemStatus::Current, None, refusal.detail)
                }
                // It is tried again, since the lock of other work of the service ends by itself.
                Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::Unavailable => {
                    return self.later(&claim).await;
                }
                done => settled(done, workspace, tried, "rolled back")?,
            };
            self.store.finish(&claim, &item, self.now()).await?;
            return Ok(true);
        }
        // Nobody looks at the workspace, so a lock is waited for, whatever its holder.
        let upgraded = async {
            // What the lock of this server says, which may be another one than of the server that
            // took the job.
            let direction = self.direction(job.back.as_ref())?;
            self.upgrade_as(
                workspace,
                Requested {
                    work: Work::of_job(&claim),
                    direction,
                    if_match: expected.clone(),
                    under_own_lock: false,
                },
            )
            .await
        };
        let item = match upgraded.await {
            Ok(Upgraded::New(version)) if expected.is_none() => {
                item(ItemStatus::Upgraded, Some(version), String::new())
            }
            Ok(Upgraded::New(version) | Upgraded::Current(version)) => {
                // A process that was killed may have upgraded it without recording it, and so may
                // another job of the same plan.
                let head = self.store.version(&version).await?;
                let ours = head.is_some_and(|head| head.job.as_ref() == Some(&job.id));
                let status = if ours {
                    ItemStatus::Upgraded
                } else {
                    ItemStatus::Current
                };
                item(status, Some(version), String::new())
            }
            Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::PreconditionFailed => {
                let detail =
                    "It has changed since the plan, so the job did not change it; plan again"
                        .to_owned();
                item(ItemStatus::Failed, None, detail)
            }
            // Without a state there is nothing to upgrade; without a workspace, nobody misses it.
            Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::NotFound => {
                item(ItemStatus::Current, None, refusal.detail)
            }
            // Another upgrade holds the lock, or the lock of one that was killed has not ended yet,
            // so the claim ends after `AGAIN`, and the workspace is taken again.
            Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::Unavailable => {
                return self.later(&claim).await;
            }
            Err(failure) => settled(Err(failure), workspace, tried, "upgraded")?,
        };
        self.store.finish(&claim, &item, self.now()).await?;
        Ok(true)
    }

    /// Refuses to do more in the name of who requested a job, if they lost what it needs. Later it
    /// may work, if somebody else has resumed the job since it was looked up: it must not fail for
    /// who had it before.
    pub(crate) async fn still_requested(&self, job: &Job) -> Result<(), Failure> {
        let Some(why) = self.why_refused(job).await? else {
            return Ok(());
        };
        let before = (&job.requested_by, &job.token);
        let kind = match self.store.job(&job.id).await? {
            Some((now, _)) if (&now.requested_by, &now.token) != before => RefusalKind::Unavailable,
            Some(_) | None => RefusalKind::Forbidden,
        };
        Err(Refusal::new(kind, why).into())
    }

    /// The reason why nothing more may be done in the name of who requested a job: they may have
    /// lost the token, or a permission, since then. A token that has expired was good at that time.
    async fn why_refused(&self, job: &Job) -> Result<Option<String>, Failure> {
        let by = &job.requested_by;
        let Some(now) = self.store.requester_permissions(job).await? else {
            let detail = format!(
                "The token of {by} by which the job was requested was revoked. Resume the job to go on in your own name"
            );
            return Ok(Some(detail));
        };
        let lost = Self::needed(job.kind)
            .iter()
            .find(|permission| !now.allow(**permission));
        Ok(lost.map(|permission| {
            let permission = permission.name();
            format!(
                "{by}, who requested the job, has lost the permission {permission} in this organization. Resume the job to go on in your own name"
            )
        }))
    }

    /// Lets a workspace be taken again in a moment; true, as there was one to work on.
    async fn later(&self, claim: &Claim) -> Result<bool, Failure> {
        self.store
            .put_off(claim, self.now(), self.now().after(AGAIN))
            .await?;
        Ok(true)
    }

    /// Keeps the claim on a workspace while it is worked on without a lock: another process that
    /// took it meanwhile would begin again, and the outcome of the first would be lost.
    async fn claimed<R>(&self, claim: &Claim, work: impl Future<Output = R>) -> R {
        let mut work = pin!(work);
        loop {
            if let Ok(done) = tokio::time::timeout(self.conduct.lease / 3, &mut work).await {
                return done;
            }
            let until = self.now().after(self.conduct.lease);
            if let Err(error) = self.store.prolong(claim, self.now(), until).await {
                tracing::warn!(%error, workspace = %claim.workspace, "the claim on a workspace of a job was not prolonged");
            }
        }
    }

    /// The plan of one workspace of a job.
    async fn plan_item(&self, workspace: &WorkspaceId, job: &Job) -> Result<JobItem, Failure> {
        let direction = self.direction(job.back.as_ref())?;
        let Some(snapshot) = self.store.snapshot(workspace).await? else {
            // There is nothing to plan, because it went meanwhile.
            let detail = format!("workspace {workspace} not found");
            let (workspace, status) = (workspace.clone(), ItemStatus::Current);
            return Ok(JobItem {
                workspace,
                status,
                version: None,
                detail,
                planned: None,
                tried: None,
            });
        };
        let version = snapshot.head.as_ref().map(|head| head.id.clone());
        let locked = snapshot.workspace.lock.is_some();
        let head = Head {
            workspace: workspace.clone(),
            name: snapshot.workspace.name,
            locked,
            version: version.clone(),
        };
        if version.is_none() {
            let (workspace, status) = (workspace.clone(), ItemStatus::Current);
            return Ok(JobItem {
                workspace,
                status,
                version,
                detail: String::new(),
                planned: None,
                tried: None,
            });
        }
        let plan = self.workspace_plan(head, &direction).await?;
        let status = plan.status();
        let values = match &version {
            Some(version) => self.changed_values(version, &plan.rows).await?,
            None => (0, 0),
        };
        let planned = serde_json::to_string(&StoredPlan::of(&plan, values))
            .map_err(|error| StoreError::new(error.to_string()))?;
        let detail = plan.failure.unwrap_or_default();
        Ok(JobItem {
            workspace: workspace.clone(),
            status,
            tried: version.clone(),
            version,
            detail,
            planned: Some(planned),
        })
    }

    /// Works on jobs for ever; `by` is what this process is called.
    pub async fn keep_working(&self, by: &str, idle: Duration) {
        loop {
            let notified = self.work_there_is.notified();
            match self.work_on_jobs(by).await {
                Ok(true) => continue,
                Ok(false) => {}
                Err(failure) => {
                    tracing::warn!(error = %failure, "a workspace of a job was not upgraded; it is tried again");
                }
            }
            let _ = tokio::time::timeout(idle, notified).await;
        }
    }
}

/// The token with which a job ends. The session of a browser is none: it ends while jobs go on.
fn kept_token(principal: &Principal) -> Option<TokenId> {
    match &principal.kind {
        TokenKind::Session(_) => None,
        TokenKind::User(_)
        | TokenKind::Member { .. }
        | TokenKind::Team(_)
        | TokenKind::Organization(_)
        | TokenKind::Workspace { .. }
        | TokenKind::Workload { .. } => Some(principal.token.clone()),
    }
}

/// The item of a workspace on which work has ended, with the reason if it failed in the version
/// that was tried; `done` is what was to be done. An error that passes stays one, so that the
/// workspace is tried again.
fn settled(
    item: Result<JobItem, Failure>,
    workspace: &WorkspaceId,
    tried: Option<VersionId>,
    done: &str,
) -> Result<JobItem, Failure> {
    let detail = match item {
        Err(Failure::Refused(refusal)) => refusal.detail,
        Err(Failure::Store(error)) if !error.is_passing() => {
            tracing::error!(%error, %workspace, "a workspace of a job was not {done}");
            "The store failed; the log of the server says why".to_owned()
        }
        Ok(_) | Err(Failure::Store(_)) => return item,
    };
    Ok(JobItem {
        workspace: workspace.clone(),
        status: ItemStatus::Failed,
        version: None,
        detail,
        planned: None,
        tried,
    })
}

#[cfg(test)]
mod tests {
    use super::matches_name;

    #[test]
    fn a_pattern_fits_names_part_by_part() {
        for (pattern, name, fits) in [
            ("*", "", true),
            ("shop-*", "shop-dev-1", true),
            ("*-dev-*", "shop-dev-1", true),
            ("*-dev-*", "shop-prod-1", false),
            ("shop", "shop", true),
            ("shop", "shops", false),
            ("a*b*c", "a--b--b--c", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches_name(pattern, name), fits, "{pattern} {name}");
        }
    }
}
