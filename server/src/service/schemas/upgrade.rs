//! Upgrading the current version of a workspace, or taking it back to a release.

use bytes::Bytes;
use serde_json::value::{RawValue, to_raw_value};
use upstate::upgrade::DowngradeRequest;
use upstate::{Diagnostic, UpgradeRequest};
use upstate_state::{InstanceOutcome, InstanceUpgrade, StateFile, UpgradeTotals};

use super::super::held::{Work, giving_back, own_holder, still_held};
use super::super::versions::{Readied, finalize, next_version};
use super::super::{Decided, Failure, Service, access, audit_as};
use super::direction::Direction;
use super::plan::{PlanRow, Rows, planned};
use super::plans::{lost, warned};
use super::{Worker, unreadable};
use crate::content;
use crate::model::{Back, Holder, Principal, Version, VersionId, WorkspaceId};
use crate::rules::{self, Refusal, RefusalKind, Upgrading, Wanted};
use crate::store::{Change, StoreError};

/// The number of instances whose details the report keeps.
const NOTES: usize = 1000;

/// The outcome of an upgrade or a downgrade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upgraded {
    /// There is a new version, and it is current.
    New(VersionId),
    /// This version is current, and there was nothing to change in it.
    Current(VersionId),
}

/// The record of an upgrade; a comparison of the two versions shows the changes.
#[derive(serde::Serialize)]
struct Report<'a> {
    /// The release that it went back to, of a downgrade.
    #[serde(skip_serializing_if = "Option::is_none")]
    to_release: Option<&'a str>,
    instances: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    upgraded: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    downgraded: Option<usize>,
    current: usize,
    unknown_type: usize,
    data_sources: usize,
    types: &'a [PlanRow],
    /// Instances with warnings, or with something that was dropped.
    notes: &'a [Box<RawValue>],
    /// The number of further ones.
    notes_omitted: usize,
}

/// The principal that requests an upgrade, and the request.
#[derive(Debug, Clone)]
pub(super) struct Requested {
    pub(super) work: Work,
    pub(super) direction: Direction,
    pub(super) if_match: Option<VersionId>,
    /// True if the upgrade goes on under a lock of the holder.
    pub(super) under_own_lock: bool,
}

impl Requested {
    fn wanted(&self) -> Wanted<'_> {
        Wanted {
            holder: &self.work.holder,
            if_match: self.if_match.as_ref(),
            to_release: self.direction.release(),
            under_own_lock: self.under_own_lock,
        }
    }

    /// The reason in the workspace's lock.
    fn reason(&self) -> String {
        match (&self.direction, &self.work.claim) {
            (Direction::Up, None) => "Upgrading".to_owned(),
            (Direction::Up, Some(claim)) => format!("Upgrading by {}", claim.job.id),
            (Direction::Back(goals), claim) => {
                let by = claim
                    .as_ref()
                    .map(|claim| format!(" by {}", claim.job.id))
                    .unwrap_or_default();
                format!(
                    "Downgrading to release {}{by}",
                    goals.release().unwrap_or_default()
                )
            }
        }
    }
}

/// The version to upgrade, and the holder of the lock.
#[derive(Debug, Clone)]
struct Begun {
    source: Box<Version>,
    serial: i64,
    lock: Holder,
    /// True if the lock was taken for the upgrade.
    is_taken: bool,
}

/// A state with its instances brought to other versions.
struct Outcome {
    bytes: Vec<u8>,
    report: String,
    upgraded: usize,
}

impl Service {
    /// Upgrades everything in the current version of a workspace, all of it or nothing.
    pub async fn upgrade(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        if_match: Option<&VersionId>,
    ) -> Result<Upgraded, Failure> {
        self.upgrade_for(principal, id, Direction::Up, if_match)
            .await
    }

    async fn upgrade_for(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        direction: Direction,
        if_match: Option<&VersionId>,
    ) -> Result<Upgraded, Failure> {
        let (_, holder) = self.writable(principal, id, None).await?;
        self.upgrade_as(
            id,
            Requested {
                work: Work::of(principal, holder),
                direction,
                if_match: if_match.cloned(),
                under_own_lock: true,
            },
        )
        .await
    }

    /// True if a principal may write states there, before the rest of the request is read.
    pub async fn may_write(&self, principal: &Principal, id: &WorkspaceId) -> Result<(), Failure> {
        self.writable(principal, id, None).await.map(drop)
    }

    /// Takes everything in the current version of a workspace back to what a release stores, all of
    /// it or nothing.
    pub async fn downgrade(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        back: &Back,
        if_match: Option<&VersionId>,
    ) -> Result<Upgraded, Failure> {
        self.may_write(principal, id).await?;
        self.upgrade_for(principal, id, self.direction(Some(back))?, if_match)
            .await
    }

    /// Upgrades or takes back in somebody's name, whose permission was looked at before.
    pub(super) async fn upgrade_as(
        &self,
        id: &WorkspaceId,
        requested: Requested,
    ) -> Result<Upgraded, Failure> {
        let head = match rules::upgrade(&self.snapshot(id).await?, requested.wanted())? {
            Upgrading::Replay(version) => return Ok(Upgraded::New(version)),
            Upgrading::From { source, .. } => source,
        };
        if self.is_there(&head.id, &requested.direction).await? {
            return Ok(Upgraded::Current(head.id));
        }
        let begun = match self.begin(id, &requested).await? {
            Ok(begun) => begun,
            Err(replayed) => return Ok(Upgraded::New(replayed)),
        };
        let (service, work) = (self.clone(), requested.work.clone());
        let own_lock = begun
            .is_taken
            .then(|| self.held(id, work, begun.lock.clone()));
        let upgrade = async move { service.upgrade_under(&requested, &begun).await };
        match own_lock {
            Some(own_lock) => own_lock.during(upgrade).await,
            None => upgrade.await,
        }
    }

    /// True if the types of a version say that there is nothing to do: then nothing is locked.
    async fn is_there(&self, version: &VersionId, direction: &Direction) -> Result<bool, Failure> {
        let types = &self.known(version).await?.types;
        // Of a state that cannot be read, no type is known; reading it says why.
        Ok(!types.is_empty()
            && !types
                .iter()
                .any(|stored| direction.concerns(self.registry(), stored)))
    }

    /// Locks the workspace for the upgrade, unless its holder has locked it; or the version that
    /// was made when it was asked before.
    async fn begin(
        &self,
        id: &WorkspaceId,
        requested: &Requested,
    ) -> Result<Result<Begun, VersionId>, Failure> {
        let own = own_holder(&requested.work.holder);
        self.change(id, |snapshot, at| {
            requested.work.may_write(&snapshot.workspace)?;
            let (source, serial) = match rules::upgrade(snapshot, requested.wanted())? {
                Upgrading::Replay(version) => return Ok(Decided::Nothing(Err(version))),
                Upgrading::From { source, serial } => (source, serial),
            };
            if snapshot.workspace.lock.is_some() {
                let lock = requested.work.holder.clone();
                return Ok(Decided::Nothing(Ok(Begun {
                    source,
                    serial,
                    lock,
                    is_taken: false,
                })));
            }
            let change = self.taking(&own, &requested.reason(), at);
            let begun = Begun {
                source,
                serial,
                lock: own.clone(),
                is_taken: true,
            };
            Ok(Decided::Write {
                changes: vec![change],
                audit: Vec::new(),
                result: Ok(begun),
            })
        })
        .await
    }

    /// Upgrades or takes back under the lock.
    async fn upgrade_under(
        &self,
        requested: &Requested,
        begun: &Begun,
    ) -> Result<Upgraded, Failure> {
        let (source, serial) = (&begun.source, begun.serial);
        let (version, to) = (source.id.clone(), requested.direction.clone());
        let done = self
            .work([source], move |worker, [bytes]| {
                upgraded(worker, &version, &bytes, serial, &to)
            })
            .await??;
        let Some(done) = done else {
            return Ok(Upgraded::Current(source.id.clone()));
        };
        let Outcome {
            bytes,
            report,
            upgraded,
        } = done;
        let state = self.read_state(Bytes::from(bytes)).await?;
        self.write_upgrade(requested, begun, &state, &report, upgraded)
            .await
            .map(Upgraded::New)
    }

    /// Writes an upgrade or a downgrade, if the workspace is still what it was worked out for, and
    /// gives the lock back that was taken for it.
    async fn write_upgrade(
        &self,
        requested: &Requested,
        begun: &Begun,
        state: &Readied,
        report: &str,
        upgraded: usize,
    ) -> Result<VersionId, Failure> {
        let Begun {
            source,
            serial,
            lock,
            is_taken,
        } = begun;
        self.still_works(&requested.work).await?;
        self.change(&source.workspace, |snapshot, at| {
            requested.work.may_write(&snapshot.workspace)?;
            still_held(snapshot, lock, requested.direction.verb())?;
            match rules::upgrade(snapshot, Wanted { holder: lock, if_match: None, under_own_lock: true, ..requested.wanted() })? {
                Upgrading::From { source: now, serial: next } if now.id == source.id && next == *serial => {}
                // Only the holder of the lock can do that, if it is not the service's own.
                Upgrading::From { .. } | Upgrading::Replay(_) => {
                    let detail = "Another state version has become current meanwhile, so nothing was written; try again";
                    return Err(Refusal::new(RefusalKind::Unavailable, detail).into());
                }
            }
            let new = Version {
                serial: *serial,
                lineage: source.lineage.clone(),
                md5: state.content.md5.clone(),
                upgraded_from: Some(source.id.clone()),
                downgraded_to: requested.direction.release().map(str::to_owned),
                job: requested.work.claim.as_ref().map(|claim| claim.job.id.clone()),
                ..next_version(snapshot, &requested.work.holder, at)
            };
            let version = new.id.clone();
            let mut change = finalize(snapshot, &version, source.lineage.clone(), state, None, at);
            if let Change::Finalize { content, .. } = &mut change {
                content.report = Some(report.to_owned());
            }
            let action = match &requested.direction {
                Direction::Up => "state-version.upgrade",
                Direction::Back(_) => "state-version.downgrade",
            };
            let detail = format!(
                "of {} (serial {}), serial {serial}: {upgraded} instances{}",
                source.id,
                source.serial,
                requested.direction.audited()
            );
            let entry = audit_as(&requested.work.who, snapshot, at, action, &version, detail);
            let mut changes = vec![Change::Insert(Box::new(new)), change];
            if *is_taken {
                changes.push(giving_back(lock, at));
            }
            Ok(Decided::Write { changes, audit: vec![entry], result: version })
        })
        .await
    }

    /// The outcome of the upgrade or downgrade that made a version, as JSON.
    pub async fn upgrade_report(
        &self,
        principal: &Principal,
        id: &VersionId,
    ) -> Result<(Version, Box<RawValue>), Failure> {
        let (access, _, version) = self.visible_version(principal, id).await?;
        access.require(crate::model::Permission::ReadState)?;
        let none = || {
            Refusal::not_found(format!(
                "an upgrade or a downgrade that made state version {id}"
            ))
        };
        let report = self.store.report(id).await?.ok_or_else(none)?;
        let report = RawValue::from_string(report)
            .map_err(|error| StoreError::new("a report is damaged").because(error))?;
        Ok((version, report))
    }

    /// In whose name a principal upgrades.
    pub(super) fn upgrader(principal: &Principal) -> Result<Holder, Refusal> {
        let detail = "Organization tokens cannot upgrade states; use the token of a user or a team";
        access::holder(principal, None).ok_or_else(|| Refusal::new(RefusalKind::Forbidden, detail))
    }
}

/// Upgrades a state, or takes it back; nothing if there is nothing to change.
fn upgraded(
    worker: &Worker,
    id: &VersionId,
    bytes: &[u8],
    serial: i64,
    direction: &Direction,
) -> Result<Option<Outcome>, Failure> {
    let state = StateFile::parse(bytes).map_err(|error| unreadable(id, &error))?;
    let (respond, goal) = (
        |request: &UpgradeRequest<'_>| worker.respond(direction, request),
        |name: &str| direction.goal(name),
    );
    let identity = |request: &DowngradeRequest<'_>| worker.respond_identity(request);
    let options = worker.options(direction, &respond, &goal, &identity);
    let (mut rows, mut notes, mut omitted) = (Rows::default(), Vec::new(), 0);
    let mut first_failure: Option<String> = None;
    let mut new = Vec::with_capacity(bytes.len() + bytes.len() / 8);
    let totals = state
        .upgrade_to(&worker.registry, &options, &mut new, |upgrade| {
            if let Some(end) = planned(&upgrade) {
                rows.add(&upgrade, end);
            }
            match upgrade.outcome() {
                InstanceOutcome::Failed { .. } if first_failure.is_none() => {
                    first_failure = failure(&upgrade);
                }
                InstanceOutcome::Upgraded { .. }
                    if !lost(&upgrade, direction).is_empty()
                        || !warned(&upgrade, direction).is_empty() =>
                {
                    match to_raw_value(&upgrade) {
                        Ok(note) if notes.len() < NOTES => notes.push(note),
                        Ok(_) | Err(_) => omitted += 1,
                    }
                }
                // The others need no word of their own.
                _ => {}
            }
            Ok(())
        })
        .map_err(|error| direction.refused(id, &error))?;
    if totals.failed() > 0 {
        return Err(failed(id, direction, &totals, &first_failure.unwrap_or_default()).into());
    }
    if !totals.may_be_written() {
        return Ok(None);
    }
    // The new bytes are read once more, and the memory is charged for one reading.
    drop(state);
    let unwritable = || StoreError::new(format!("the upgraded state of {id} has no serial"));
    let bytes = content::with_serial(&new, serial).ok_or_else(unwritable)?;
    let types = rows.list(direction.verb());
    let (upgraded, downgraded, to_release) = match direction {
        Direction::Up => (Some(totals.upgraded()), None, None),
        Direction::Back(goals) => (None, Some(totals.upgraded()), goals.release()),
    };
    let report = Report {
        to_release,
        instances: totals.instances(),
        upgraded,
        downgraded,
        current: totals.current(),
        unknown_type: totals.unknown(),
        data_sources: totals.data(),
        types: &types,
        notes: &notes,
        notes_omitted: omitted,
    };
    let report = serde_json::to_string(&report)
        .map_err(|error| StoreError::new("a report was not written").because(error))?;
    Ok(Some(Outcome {
        bytes,
        report,
        upgraded: totals.upgraded(),
    }))
}

/// The detail of a message without the sentence that only authors can act on.
pub(super) fn for_operators(diagnostic: &Diagnostic) -> String {
    match diagnostic.authors() {
        Some(authors) => diagnostic.detail().replacen(authors, "", 1),
        None => diagnostic.detail().to_owned(),
    }
}

/// The reason why an instance fails, if it does, with its address.
pub(super) fn failure(upgrade: &InstanceUpgrade<'_, '_>) -> Option<String> {
    let InstanceOutcome::Failed { diagnostics, .. } = upgrade.outcome() else {
        return None;
    };
    let described = diagnostics
        .iter()
        .next()
        .map(|one| format!("{}: {}", one.summary(), for_operators(one)));
    Some(format!(
        "{}: {}",
        upgrade.instance().address(),
        described.unwrap_or_default().trim()
    ))
}

/// Refuses what would not be whole. Diagnostics hold no sensitive value.
fn failed(id: &VersionId, direction: &Direction, totals: &UpgradeTotals, first: &str) -> Refusal {
    let (failed, all) = (totals.failed(), totals.upgraded() + totals.failed());
    let detail = match direction {
        Direction::Up => format!(
            "State version {id} cannot be upgraded: {failed} of {all} instances that need an upgrade fail, so nothing was written. The plan \
             of this version lists them. The first is {first}"
        ),
        Direction::Back(goals) => format!(
            "State version {id} cannot be downgraded: {failed} of {all} instances that would go back to release {release} fail, so nothing \
             was written. The plan of this version for that release lists them. The first is {first}",
            release = goals.release().unwrap_or_default()
        ),
    };
    Refusal::conflict(detail)
}
