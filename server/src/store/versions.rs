//! Versions, their bytes and their outputs.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use super::blobs::{self, Blob};
use super::encryption::{Keyring, Subject, opened_value, with_keys};
use super::error::StoreError;
use super::pack::column;
use super::page::{Listed, Page, Stretch, with_status};
use super::retention;
use super::session::{Database, Dialect, Done, Mode, Param, Row, Session, params, wrong};
use crate::content::AT_ONCE;
use crate::model::{
    Backing, ContentKind, Finalized, Holder, JobId, OrganizationId, Output, OutputId, Status,
    Summary, Timestamp, Version, VersionId, WorkspaceId,
};
use crate::rules::{Expired, Expiry};

/// The facts that are stored beside a version, and are looked up only where the version is shown:
/// the counts of a large state are long.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Beside {
    /// The finalized version before it.
    pub previous: Option<VersionId>,
    /// The finalized version after it.
    pub next: Option<VersionId>,
    /// Its outputs, by id, in the order of their names; of one that has more than
    /// [`NAMED_OUTPUTS`], so many and one.
    pub outputs: Vec<OutputId>,
    /// Counts of what is in it, once its bytes are there.
    pub summary: Option<Summary>,
}

/// The largest number of outputs that are named beside a version: those of one that has more are
/// long in every list, and there is a list of their own.
pub const NAMED_OUTPUTS: u32 = 1000;

/// A version of a state of so many bytes has few counts beside it.
const COUNTED: u64 = 256 << 10;

/// True if what is beside a version is read on the thread that asks: the counts of a small state are
/// a tenth of it at most.
pub(super) fn has_few_beside(version: &Version) -> bool {
    version
        .finalized
        .as_ref()
        .is_none_or(|finalized| finalized.size <= COUNTED)
}

/// Versions of states.
#[async_trait]
pub trait Versions {
    /// A version. Those of deleted workspaces are not found.
    async fn version(&self, id: &VersionId) -> Result<Option<Version>, StoreError>;
    /// The newest version that was made for a run in one of these organizations. Those of deleted
    /// workspaces are not found.
    async fn version_of_run(
        &self,
        run: &str,
        organizations: &[OrganizationId],
    ) -> Result<Option<Version>, StoreError>;
    /// The versions of a workspace with one of these statuses, all if there are none; the newest
    /// first.
    async fn versions(
        &self,
        workspace: &WorkspaceId,
        statuses: &[Status],
        page: Page,
    ) -> Result<Listed<Version>, StoreError>;
    /// The facts that are stored beside versions of one workspace, in the order of the versions.
    async fn beside(&self, versions: &[Version]) -> Result<Vec<Beside>, StoreError>;
    /// The bytes of a version, exactly as they came; `None` only if it has none of this kind.
    async fn bytes(
        &self,
        version: &VersionId,
        kind: ContentKind,
    ) -> Result<Option<Bytes>, StoreError>;
    /// The outputs of a version, by name.
    async fn outputs(&self, version: &VersionId, page: Page) -> Result<Listed<Output>, StoreError>;
    /// An output.
    async fn output(&self, id: &OutputId) -> Result<Option<Output>, StoreError>;
    /// Pending versions made before `than`, with their workspaces.
    async fn pending_before(
        &self,
        than: Timestamp,
    ) -> Result<Vec<(WorkspaceId, VersionId)>, StoreError>;
    /// The oldest versions that [`Expiry`] lets go and that stand after `after`, at most `limit` of
    /// them, the oldest first.
    async fn expired(
        &self,
        expiry: Expiry,
        after: Option<&Expired>,
        limit: u32,
    ) -> Result<Vec<Expired>, StoreError>;
}

/// The columns of [`version`].
const VERSION: &str = "id, workspace, seq, serial, lineage, md5, status, backing, json_state IS NOT NULL, size, sha256, \
     format_version, terraform_version, finalized_at, forced, creator, created_at, run, \
     rollback_of, upgraded_from, downgraded_to, job";

fn version(row: &Row) -> Done<Version> {
    let (status, backing) = (row.text(6)?, row.text(7)?);
    let finalized = match row.optional_sha256(10)? {
        None => None,
        Some(sha256) => Some(Finalized {
            size: row.size(9)?,
            sha256,
            format_version: row.optional_int(11)?,
            terraform_version: row.text(12)?,
            at: row.time(13)?,
        }),
    };
    let creator: Option<Holder> = row.json(15)?;
    Ok(Version {
        id: VersionId::from_text(row.text(0)?),
        workspace: WorkspaceId::from_text(row.text(1)?),
        seq: row.int(2)?,
        serial: row.int(3)?,
        lineage: row.text(4)?,
        md5: row.text(5)?,
        status: Status::named(&status)
            .ok_or_else(|| wrong(6, format!("unknown status {status:?}")))?,
        backing: Backing::named(&backing)
            .ok_or_else(|| wrong(7, format!("unknown backing {backing:?}")))?,
        has_json_state: row.bool(8)?,
        finalized,
        forced: row.bool(14)?,
        creator: creator.ok_or_else(|| wrong(15, "no creator"))?,
        created_at: row.time(16)?,
        run: row.optional(17)?,
        rollback_of: row.optional(18)?.map(VersionId::from_text),
        upgraded_from: row.optional(19)?.map(VersionId::from_text),
        downgraded_to: row.optional(20)?,
        job: row.optional(21)?.map(JobId::from_text),
    })
}

/// The contents of the columns `modules`, `providers`, `resources` and `unreadable`, if the version
/// has its bytes.
fn summary(row: &mut Row) -> Done<Option<Summary>> {
    let Some(modules) = row.optional(0)? else {
        return Ok(None);
    };
    Ok(Some(Summary {
        modules,
        providers: row.text(1)?,
        resources: row.take_text(2)?,
        unreadable: row.optional(3)?,
    }))
}

/// The columns of [`stored_output`].
pub(super) const OUTPUT: &str = "id, version, name, sensitive, kind, detailed_type, value, data_key, \
     (SELECT workspace FROM state_version WHERE state_version.id = version)";

/// An output as it is stored, with its data key and its workspace.
pub(super) fn stored_output(row: &Row) -> Done<(Output, Option<String>, String)> {
    let output = Output {
        id: OutputId::from_text(row.text(0)?),
        version: VersionId::from_text(row.text(1)?),
        name: row.text(2)?,
        sensitive: row.bool(3)?,
        kind: row.text(4)?,
        detailed_type: row.text(5)?,
        value: row.text(6)?,
    };
    Ok((output, row.optional(7)?, row.text(8)?))
}

fn opened(
    (output, key, workspace): (Output, Option<String>, String),
    keyring: &Keyring,
) -> Result<Output, StoreError> {
    opened_value(output, &workspace, key.as_deref(), keyring)
}

/// A version that a workspace's row names. That it is missing would be damage, never "no state".
pub(super) async fn existing(s: &mut dyn Session, id: &VersionId) -> Done<Version> {
    any(s, id)
        .await?
        .ok_or_else(|| StoreError::new(format!("the row of state version {id} is missing")).into())
}

/// A version, also one of a deleted workspace.
pub(super) async fn any(s: &mut dyn Session, id: &VersionId) -> Done<Option<Version>> {
    let sql = format!("SELECT {VERSION} FROM state_version WHERE id = $1");
    s.maybe(&sql, &params![id.as_str()])
        .await?
        .as_ref()
        .map(version)
        .transpose()
}

/// That the workspace of a version is not deleted.
const VISIBLE: &str = "EXISTS (SELECT 1 FROM workspace WHERE workspace.id = state_version.workspace AND workspace.deleted_at IS NULL)";

async fn list(
    s: &mut dyn Session,
    workspace: &WorkspaceId,
    statuses: &[Status],
    page: Page,
) -> Done<Listed<Version>> {
    let statuses: Vec<&str> = statuses.iter().map(|status| status.name()).collect();
    let which = with_status("FROM state_version WHERE workspace = $1", &statuses);
    let workspace = workspace.as_str();
    let sql = format!("SELECT count(*), coalesce(min(seq), 0), coalesce(max(seq), 0) {which}");
    let Some(row) = s.maybe(&sql, &params![workspace]).await? else {
        return Ok(Listed {
            items: Vec::new(),
            total: 0,
        });
    };
    let total = row.size(0)?;
    let (rest, first, second, is_reversed) =
        match Stretch::of(page, total, row.int(1)?, row.int(2)?) {
            None => {
                return Ok(Listed {
                    items: Vec::new(),
                    total,
                });
            }
            Some(Stretch::Numbers { from, to }) => (
                "AND seq BETWEEN $2 AND $3 ORDER BY seq DESC",
                from,
                to,
                false,
            ),
            Some(Stretch::Rows {
                from_lowest: false,
                skip,
                take,
            }) => ("ORDER BY seq DESC LIMIT $2 OFFSET $3", take, skip, false),
            Some(Stretch::Rows {
                from_lowest: true,
                skip,
                take,
            }) => ("ORDER BY seq LIMIT $2 OFFSET $3", take, skip, true),
        };
    let found = s
        .all(
            &format!("SELECT {VERSION} {which} {rest}"),
            &params![workspace, first, second],
        )
        .await?;
    let mut items: Vec<Version> = found.iter().map(version).collect::<Done<_>>()?;
    if is_reversed {
        items.reverse();
    }
    Ok(Listed { items, total })
}

pub(super) async fn beside(s: &mut dyn Session, version: &Version) -> Done<Beside> {
    let place = params![version.workspace.as_str(), version.seq];
    let id = |row: Row| row.text(0).map(VersionId::from_text);
    let previous = "SELECT id FROM state_version WHERE workspace = $1 AND seq < $2 AND status = 'finalized' ORDER BY seq DESC LIMIT 1";
    let next = "SELECT id FROM state_version WHERE workspace = $1 AND seq > $2 AND status = 'finalized' ORDER BY seq LIMIT 1";
    let mut beside = Beside {
        previous: s.maybe(previous, &place).await?.map(id).transpose()?,
        next: s.maybe(next, &place).await?.map(id).transpose()?,
        ..Beside::default()
    };
    match version.status {
        // Nothing is counted yet, and outputs that were sent with a version that waits for its
        // bytes are nobody's yet.
        Status::Pending | Status::Discarded => return Ok(beside),
        Status::Finalized => {}
    }
    let of = params![version.id.as_str()];
    let counts =
        "SELECT modules, providers, resources, unreadable FROM state_version WHERE id = $1";
    let named = format!(
        "SELECT id FROM output WHERE version = $1 ORDER BY name LIMIT {}",
        NAMED_OUTPUTS + 1
    );
    beside.outputs = s
        .all(&named, &of)
        .await?
        .iter()
        .map(|row| row.text(0).map(OutputId::from_text))
        .collect::<Done<_>>()?;
    if let Some(mut row) = s.maybe(counts, &of).await? {
        beside.summary = summary(&mut row)?;
    }
    Ok(beside)
}

/// The bytes of a version as they are kept; `None` only if it has none of this kind.
async fn blob(
    s: &mut dyn Session,
    keyring: &Keyring,
    version: &VersionId,
    kind: ContentKind,
) -> Done<Option<Blob>> {
    let column = column(kind);
    let sql = format!(
        "SELECT {}, version.{column} IS NULL, version.status, version.backing, version.workspace, version.{column}_seal
            FROM state_version version LEFT JOIN blob ON blob.sha256 = version.{column} WHERE version.id = $1",
        blobs::columns(s.dialect())
    );
    let Some(mut row) = s.maybe(&sql, &params![version.as_str()]).await? else {
        return Ok(None);
    };
    if let Some(sha256) = row.optional_sha256(0)? {
        let workspace = row.text(8)?;
        let subject = Subject::Reference {
            workspace: &workspace,
            owner: version.as_str(),
            kind: kind.name(),
            sha256: &sha256,
        };
        keyring.check(row.optional(9)?.as_deref(), &subject)?;
        return blobs::blob(&mut row).map(Some);
    }
    let must_have = kind == ContentKind::State
        && row.text(6)? == Status::Finalized.name()
        && row.text(7)? != Backing::PermanentlyDeleted.name();
    if row.bool(5)? && !must_have {
        return Ok(None);
    }
    Err(StoreError::new(format!(
        "the {} of version {version} is missing",
        kind.name()
    ))
    .into())
}

/// The bytes of a version as they are looked up on the thread that asks.
enum AtHand {
    /// Those that there are.
    All(Option<Blob>),
    /// They are too many, and are to be looked up away from the threads that answer requests.
    TooMany,
}

async fn at_hand<D: Database>(
    database: &D,
    version: &VersionId,
    kind: ContentKind,
) -> Done<AtHand> {
    match D::DIALECT {
        Dialect::Postgres => Ok(AtHand::TooMany),
        Dialect::Sqlite => {
            let (version, keyring) = (version.clone(), Arc::clone(database.keys()));
            let column = column(kind);
            let sql = format!(
                "SELECT size FROM blob WHERE sha256 = (SELECT {column} FROM state_version WHERE id = $1)"
            );
            let work = database.work(Mode::Rows, move |s| {
                Box::pin(async move {
                    let size = s.maybe(&sql, &params![version.as_str()]).await?;
                    let size = size.map(|row| row.size(0)).transpose()?;
                    if size.is_some_and(|size| size > AT_ONCE as u64) {
                        return Ok(AtHand::TooMany);
                    }
                    blob(s, &keyring, &version, kind).await.map(AtHand::All)
                })
            });
            work.await
        }
    }
}

async fn bytes_once<D: Database>(
    database: &D,
    version: &VersionId,
    kind: ContentKind,
) -> Result<Option<Bytes>, StoreError> {
    let found = match at_hand(database, version, kind).await? {
        AtHand::All(found) => found,
        AtHand::TooMany => {
            let (version, keyring) = (version.clone(), Arc::clone(database.keys()));
            let work = database.work(Mode::Look, move |s| {
                Box::pin(async move { blob(s, &keyring, &version, kind).await })
            });
            work.await?
        }
    };
    match found {
        None => Ok(None),
        // The connection was given back before the bucket is asked.
        Some(blob) => blobs::bytes(blob, database.bucket(), database.keys())
            .await
            .map(Some),
    }
}

#[async_trait]
impl<D: Database> Versions for D {
    async fn version(&self, id: &VersionId) -> Result<Option<Version>, StoreError> {
        let sql = format!("SELECT {VERSION} FROM state_version WHERE id = $1 AND {VISIBLE}");
        self.one(sql, params![id.as_str()], version).await
    }

    async fn version_of_run(
        &self,
        run: &str,
        organizations: &[OrganizationId],
    ) -> Result<Option<Version>, StoreError> {
        let sql = format!(
            "SELECT {VERSION} FROM state_version WHERE run = $1 AND EXISTS (SELECT 1 FROM workspace
                WHERE workspace.id = state_version.workspace AND workspace.deleted_at IS NULL AND {})
                ORDER BY created_at DESC, seq DESC LIMIT 1",
            D::DIALECT.among("workspace.organization", 2)
        );
        let organizations: Vec<String> = organizations.iter().map(ToString::to_string).collect();
        self.one(sql, params![run, organizations], version).await
    }

    async fn versions(
        &self,
        workspace: &WorkspaceId,
        statuses: &[Status],
        page: Page,
    ) -> Result<Listed<Version>, StoreError> {
        let (workspace, statuses) = (workspace.clone(), statuses.to_vec());
        let work = self.work(Mode::Read, move |s| {
            Box::pin(async move { list(s, &workspace, &statuses, page).await })
        });
        Ok(work.await?)
    }

    async fn beside(&self, versions: &[Version]) -> Result<Vec<Beside>, StoreError> {
        let versions = versions.to_vec();
        let mode = match versions.as_slice() {
            [one] if has_few_beside(one) => Mode::Rows,
            _ => Mode::Read,
        };
        let work = self.work(mode, move |s| {
            Box::pin(async move {
                let mut found = Vec::new();
                for version in &versions {
                    found.push(beside(s, version).await?);
                }
                Ok(found)
            })
        });
        Ok(work.await?)
    }

    async fn bytes(
        &self,
        version: &VersionId,
        kind: ContentKind,
    ) -> Result<Option<Bytes>, StoreError> {
        with_keys!(self, {
            match bytes_once(self, version, kind).await {
                // An object may be gone whose row names another one once it is encrypted.
                Err(error) if self.bucket().is_some() && error.needs_key().is_none() => {
                    bytes_once(self, version, kind).await
                }
                found => found,
            }
        })
    }

    async fn outputs(&self, version: &VersionId, page: Page) -> Result<Listed<Output>, StoreError> {
        with_keys!(self, {
            let of = vec![Param::from(version.as_str())];
            let work = self.work(Mode::Read, move |s| {
                Box::pin(async move {
                    s.listed(
                        OUTPUT,
                        "FROM output WHERE version = $1",
                        "name",
                        of,
                        page,
                        stored_output,
                    )
                    .await
                })
            });
            let Listed { items, total } = work.await?;
            let items = items
                .into_iter()
                .map(|output| opened(output, self.keys()))
                .collect::<Result<_, _>>()?;
            Ok(Listed { items, total })
        })
    }

    async fn output(&self, id: &OutputId) -> Result<Option<Output>, StoreError> {
        with_keys!(self, {
            let sql = format!("SELECT {OUTPUT} FROM output WHERE id = $1");
            let found = self.one(sql, params![id.as_str()], stored_output).await?;
            found.map(|output| opened(output, self.keys())).transpose()
        })
    }

    async fn pending_before(
        &self,
        than: Timestamp,
    ) -> Result<Vec<(WorkspaceId, VersionId)>, StoreError> {
        let sql =
            "SELECT workspace, id FROM state_version WHERE status = 'pending' AND created_at < $1";
        let ids = |row: &Row| {
            Ok((
                WorkspaceId::from_text(row.text(0)?),
                VersionId::from_text(row.text(1)?),
            ))
        };
        self.every(sql, params![than], ids).await
    }

    async fn expired(
        &self,
        expiry: Expiry,
        after: Option<&Expired>,
        limit: u32,
    ) -> Result<Vec<Expired>, StoreError> {
        let after = after.cloned();
        let work = self.work(Mode::Read, move |s| {
            Box::pin(async move { retention::expired(s, expiry, after.as_ref(), limit).await })
        });
        Ok(work.await?)
    }
}
