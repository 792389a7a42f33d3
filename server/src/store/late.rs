//! Late uploads, which are kept aside.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use super::blobs::{self, Blob};
use super::encryption::{self, Keyring, with_keys};
use super::error::StoreError;
use super::session::{Database, Done, Mode, Row, Session, params, wrong};
use crate::model::{QuarantineId, Quarantined, VersionId, WorkspaceId};

/// Bytes that came too late for their version.
#[async_trait]
pub trait Late {
    /// The late uploads that were kept aside, without their bytes, the newest first.
    async fn quarantined(&self, workspace: &WorkspaceId) -> Result<Vec<Quarantined>, StoreError>;
    /// A late upload, without its bytes.
    async fn late_upload(&self, id: &QuarantineId) -> Result<Option<Quarantined>, StoreError>;
    /// A late upload with its bytes.
    async fn quarantined_bytes(&self, id: &QuarantineId)
    -> Result<Option<Quarantined>, StoreError>;
}

const QUARANTINED: &str = "id, workspace, version, at, reason, size";

/// A late upload, without its bytes.
fn quarantined(row: &Row) -> Done<Quarantined> {
    Ok(Quarantined {
        id: QuarantineId::from_text(row.text(0)?),
        workspace: WorkspaceId::from_text(row.text(1)?),
        version: VersionId::from_text(row.text(2)?),
        at: row.time(3)?,
        reason: row.text(4)?,
        size: row.size(5)?,
        bytes: Bytes::new(),
    })
}

async fn blob(
    s: &mut dyn Session,
    keyring: &Keyring,
    id: &QuarantineId,
) -> Done<Option<(Quarantined, Blob)>> {
    let sql = format!("SELECT {QUARANTINED}, seal FROM quarantine WHERE id = $1");
    let Some(row) = s.maybe(&sql, &params![id.as_str()]).await? else {
        return Ok(None);
    };
    let sql = format!(
        "SELECT {} FROM blob JOIN quarantine ON blob.sha256 = quarantine.state WHERE quarantine.id = $1",
        blobs::columns(s.dialect())
    );
    let found = s.maybe(&sql, &params![id.as_str()]).await?;
    let blob =
        blobs::blob(&mut found.ok_or_else(|| wrong(0, "the bytes of a late upload are missing"))?)?;
    let quarantined = quarantined(&row)?;
    keyring.check(
        row.optional(6)?.as_deref(),
        &encryption::late(&quarantined, &blob.sha256),
    )?;
    Ok(Some((quarantined, blob)))
}

async fn bytes_once<D: Database>(
    database: &D,
    id: &QuarantineId,
) -> Result<Option<Quarantined>, StoreError> {
    let (id, keyring) = (id.clone(), Arc::clone(database.keys()));
    let found = database
        .work(Mode::Read, move |s| {
            Box::pin(async move { blob(s, &keyring, &id).await })
        })
        .await?;
    let Some((quarantined, blob)) = found else {
        return Ok(None);
    };
    let bytes = blobs::bytes(blob, database.bucket(), database.keys()).await?;
    Ok(Some(Quarantined {
        bytes,
        ..quarantined
    }))
}

#[async_trait]
impl<D: Database> Late for D {
    async fn quarantined(&self, workspace: &WorkspaceId) -> Result<Vec<Quarantined>, StoreError> {
        let sql = format!(
            "SELECT {QUARANTINED} FROM quarantine WHERE workspace = $1 ORDER BY at DESC, id"
        );
        self.every(sql, params![workspace.as_str()], quarantined)
            .await
    }

    async fn late_upload(&self, id: &QuarantineId) -> Result<Option<Quarantined>, StoreError> {
        let sql = format!("SELECT {QUARANTINED} FROM quarantine WHERE id = $1");
        self.one(sql, params![id.as_str()], quarantined).await
    }

    async fn quarantined_bytes(
        &self,
        id: &QuarantineId,
    ) -> Result<Option<Quarantined>, StoreError> {
        with_keys!(self, {
            match bytes_once(self, id).await {
                // An object may be gone whose row names another one once it is encrypted.
                Err(error) if self.bucket().is_some() && error.needs_key().is_none() => {
                    bytes_once(self, id).await
                }
                found => found,
            }
        })
    }
}
