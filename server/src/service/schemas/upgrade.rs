//! Upgrading the current version of a workspace, or taking it back to a release.

use bytes::Bytes;
use serde_json::value::{RawValue, to_raw_value};
use upstate::UpgradeRequest;
use upstate_state::{InstanceOutcome, StateFile, UpgradeTotals};

use super::super::versions::{Readied, finalize, next_version};
use super::super::{Decided, Failure, Service, access, who};
use super::direction::Direction;
use super::plan::{PlanRow, Rows, planned};
use super::{Worker, unreadable};
use crate::content;
use crate::model::{AuditEntry, Back, Holder, Principal, Version, VersionId, WorkspaceId};
use crate::rules::{self, Refusal, RefusalKind, Upgrading, Wanted};
use crate::store::{Change, StoreError};

/// How often an upgrade is worked out again because the workspace changed meanwhile.
const ATTEMPTS: usize = 5;

/// Of so many instances the report keeps what is worth knowing.
const NOTES: usize = 1000;

/// What came of an upgrade or a downgrade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upgraded {
    /// There is a new version, and it is current.
    New(VersionId),
    /// This version is current, and there was nothing to change in it.
    Current(VersionId),
}

/// What is kept of an upgrade beside the version that it made; what changed is seen by comparing the two versions.
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
    /// How many more there are.
    notes_omitted: usize,
}

/// Who asks for an upgrade, and for what.
pub(super) struct Asked<'a> {
    pub(super) holder: &'a Holder,
    /// As the audit log says it.
    pub(super) who: &'a str,
    pub(super) direction: &'a Direction,
    pub(super) if_match: Option<&'a VersionId>,
    /// Whether a lock of the holder is no obstacle.
    pub(super) under_own_lock: bool,
}

impl Asked<'_> {
    fn wanted(&self) -> Wanted<'_> {
        Wanted {
            holder: self.holder,
            if_match: self.if_match,
            to_release: self.direction.release(),
            under_own_lock: self.under_own_lock,
        }
    }
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
        let (_, holder) = self.writable(principal, id, None).await?;
        let (who, direction) = (who(principal), Direction::Up);
        self.upgrade_as(id, &Asked { holder: &holder, who: &who, direction: &direction, if_match, under_own_lock: true }).await
    }

    /// Whether a principal may write states there, before the rest of the request is read.
    pub async fn may_write(&self, principal: &Principal, id: &WorkspaceId) -> Result<(), Failure> {
        self.writable(principal, id, None).await.map(drop)
    }

    /// Takes everything in the current version of a workspace back to what a release stores, all of it or nothing.
    pub async fn downgrade(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        back: &Back,
        if_match: Option<&VersionId>,
    ) -> Result<Upgraded, Failure> {
        let (_, holder) = self.writable(principal, id, None).await?;
        let (who, direction) = (who(principal), self.direction(Some(back))?);
        self.upgrade_as(id, &Asked { holder: &holder, who: &who, direction: &direction, if_match, under_own_lock: true }).await
    }

    /// Upgrades or takes back in somebody's name, whose permission was looked at before.
    pub(super) async fn upgrade_as(&self, id: &WorkspaceId, asked: &Asked<'_>) -> Result<Upgraded, Failure> {
        for _ in 0..ATTEMPTS {
            let (source, serial) = match rules::upgrade(&self.snapshot(id).await?, asked.wanted())? {
                Upgrading::Replay(version) => return Ok(Upgraded::New(version)),
                Upgrading::From { source, serial } => (source, serial),
            };
            let bytes = self.state_of(&source).await?;
            let (version, to) = (source.id.clone(), asked.direction.clone());
            let Some(done) = self.work(move |worker| upgraded(worker, &version, &bytes, serial, &to)).await?? else {
                return Ok(Upgraded::Current(source.id));
            };
            let Outcome { bytes, report, upgraded } = done;
            let state = Readied::read(Bytes::from(bytes)).await?;
            if let Some(version) = self.write_upgrade(asked, &source, serial, &state, &report, upgraded).await? {
                return Ok(Upgraded::New(version));
            }
        }
        let detail = "The workspace changes too quickly just now; try again";
        Err(Refusal::new(RefusalKind::Unavailable, detail).into())
    }

    /// Writes an upgrade or a downgrade, if the workspace is still what it was worked out for.
    async fn write_upgrade(
        &self,
        asked: &Asked<'_>,
        source: &Version,
        serial: i64,
        state: &Readied,
        report: &str,
        upgraded: usize,
    ) -> Result<Option<VersionId>, Failure> {
        self.change(&source.workspace, |snapshot, at| {
            match rules::upgrade(snapshot, Wanted { if_match: None, ..asked.wanted() })? {
                Upgrading::From { source: now, serial: next } if now.id == source.id && next == serial => {}
                Upgrading::From { .. } | Upgrading::Replay(_) => return Ok(Decided::Nothing(None)),
            }
            let new = Version {
                serial,
                lineage: source.lineage.clone(),
                md5: state.content.md5.clone(),
                upgraded_from: Some(source.id.clone()),
                downgraded_to: asked.direction.release().map(str::to_owned),
                ..next_version(snapshot, asked.holder, at)
            };
            let version = new.id.clone();
            let mut change = finalize(snapshot, &version, source.lineage.clone(), state, None, at);
            if let Change::Finalize { content, .. } = &mut change {
                content.report = Some(report.to_owned());
            }
            let (action, to) = match asked.direction {
                Direction::Up => ("upgrade", String::new()),
                Direction::Back(goals) => {
                    let losses = if goals.allows_loss() { ", losses allowed" } else { "" };
                    ("downgrade", format!(", to release {}{losses}", goals.release().unwrap_or_default()))
                }
            };
            let entry = AuditEntry {
                at,
                who: asked.who.to_owned(),
                action: format!("state-version.{action}").into(),
                organization: Some(snapshot.workspace.organization.clone()),
                workspace: Some(snapshot.workspace.id.clone()),
                subject: version.to_string(),
                detail: format!("of {} (serial {}), serial {serial}: {upgraded} instances{to}", source.id, source.serial),
            };
            let changes = vec![Change::Insert(Box::new(new)), change];
            Ok(Decided::Write { changes, audit: vec![entry], result: Some(version) })
        })
        .await
    }

    /// What came of the upgrade or the downgrade that made a version, as JSON.
    pub async fn upgrade_report(&self, principal: &Principal, id: &VersionId) -> Result<(Version, Box<RawValue>), Failure> {
        let (access, _, version) = self.visible_version(principal, id).await?;
        access.require(crate::model::Permission::ReadState)?;
        let none = || Refusal::not_found(format!("an upgrade or a downgrade that made state version {id}"));
        let report = self.store.report(id).await?.ok_or_else(none)?;
        let report = RawValue::from_string(report).map_err(|error| StoreError::new("a report is damaged").because(error))?;
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
    let (respond, goal) = (|request: &UpgradeRequest<'_>| worker.respond(direction, request), |name: &str| direction.goal(name));
    let options = worker.options(direction, &respond, &goal);
    let (mut rows, mut notes, mut omitted) = (Rows::default(), Vec::new(), 0);
    let mut first_failure: Option<String> = None;
    let mut new = Vec::with_capacity(bytes.len() + bytes.len() / 8);
    let totals = state
        .upgrade_to(&worker.registry, &options, &mut new, |upgrade| {
            if let Some(end) = planned(&upgrade) {
                rows.add(&upgrade, end);
            }
            match upgrade.outcome() {
                InstanceOutcome::Failed { diagnostics, .. } if first_failure.is_none() => {
                    let said = diagnostics.iter().next().map(|one| format!("{}: {}", one.summary(), one.detail()));
                    let address = upgrade.instance().address();
                    first_failure = Some(format!("{address}: {}", said.unwrap_or_default().trim()));
                }
                InstanceOutcome::Upgraded { warnings, undefined, dropped, .. }
                    if !warnings.is_empty() || !undefined.is_empty() || !dropped.is_empty() =>
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
        .map_err(|error| Refusal::conflict(format!("The state of {id} cannot be {}: {error}", direction.verb())))?;
    if totals.failed() > 0 {
        return Err(failed(id, direction, &totals, &first_failure.unwrap_or_default()).into());
    }
    if !totals.may_be_written() {
        return Ok(None);
    }
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
    let report = serde_json::to_string(&report).map_err(|error| StoreError::new("a report was not written").because(error))?;
    Ok(Some(Outcome { bytes, report, upgraded: totals.upgraded() }))
}

/// Refuses what would not be whole. Diagnostics hold no sensitive value.
fn failed(id: &VersionId, direction: &Direction, totals: &UpgradeTotals, first: &str) -> Refusal {
    let (failed, all) = (totals.failed(), totals.upgraded() + totals.failed());
    let detail = match direction {
        Direction::Up => format!(
            "State version {id} cannot be upgraded: {failed} of {all} instances that need an upgrade fail, so nothing was written. The plan \
             of this version with filter[outcome]=failed lists them. The first is {first}"
        ),
        Direction::Back(goals) => format!(
            "State version {id} cannot be downgraded: {failed} of {all} instances that would go back to release {release} fail, so nothing \
             was written. The plan of this version with to-release={release} and filter[outcome]=failed lists them. The first is {first}",
            release = goals.release().unwrap_or_default()
        ),
    };
    Refusal::conflict(detail)
}
