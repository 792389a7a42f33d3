//! Versions, their bytes and their outputs.

use deadpool_postgres::{GenericClient, Transaction};
use tokio_postgres::types::ToSql;

use super::rows;
use super::sql::{Done, Text, Values, all, count, int, maybe, optional, sha256, size, text, wrong};
use crate::model::{Backing, ContentKind, OrganizationId, Output, OutputId, Status, Version, VersionId, WorkspaceId};
use crate::store::encryption::{Keyring, Subject, opened_value};
use crate::store::pack::column;
use crate::store::page::Stretch;
use crate::store::{Beside, Listed, NAMED_OUTPUTS, Page, StoreError};

/// A version that a workspace's row names. That it is missing would be damage, never "no state".
pub(super) async fn existing(client: &impl GenericClient, id: &VersionId) -> Done<Version> {
    let sql = format!("SELECT {} FROM state_version WHERE id = $1", rows::VERSION);
    match maybe(client, &sql, &[&Text(id.as_str())]).await? {
        Some(row) => rows::version(&row),
        None => Err(StoreError::new(format!("the row of state version {id} is missing")).into()),
    }
}

/// A version of a workspace that is not deleted.
pub(super) async fn visible(client: &impl GenericClient, id: &VersionId) -> Done<Option<Version>> {
    let sql = format!(
        "SELECT {} FROM state_version WHERE id = $1
            AND EXISTS (SELECT 1 FROM workspace WHERE workspace.id = state_version.workspace AND workspace.deleted_at IS NULL)",
        rows::VERSION
    );
    maybe(client, &sql, &[&Text(id.as_str())]).await?.as_ref().map(rows::version).transpose()
}

/// The newest version of a run in one of these organizations, of a workspace that is not deleted.
pub(super) async fn of_run(client: &impl GenericClient, run: &str, organizations: &[OrganizationId]) -> Done<Option<Version>> {
    if organizations.is_empty() {
        return Ok(None);
    }
    let places: Vec<String> = (2..organizations.len() + 2).map(|place| format!("${place}")).collect();
    let sql = format!(
        "SELECT {} FROM state_version WHERE run = $1 AND EXISTS (SELECT 1 FROM workspace WHERE workspace.id = state_version.workspace
                AND workspace.deleted_at IS NULL AND workspace.organization IN ({}))
            ORDER BY created_at DESC, seq DESC LIMIT 1",
        rows::VERSION,
        places.join(", ")
    );
    let texts: Vec<Text<'_>> = std::iter::once(run).chain(organizations.iter().map(OrganizationId::as_str)).map(Text).collect();
    let values: Vec<&(dyn ToSql + Sync)> = texts.iter().map(|text| text as &(dyn ToSql + Sync)).collect();
    maybe(client, &sql, &values).await?.as_ref().map(rows::version).transpose()
}

pub(super) async fn list(t: &Transaction<'_>, workspace: &WorkspaceId, statuses: &[Status], page: Page) -> Done<Listed<Version>> {
    let mut which = "FROM state_version WHERE workspace = $1".to_owned();
    if !statuses.is_empty() {
        let names: Vec<String> = statuses.iter().map(|status| format!("'{}'", status.name())).collect();
        which = format!("{which} AND status IN ({})", names.join(", "));
    }
    let workspace = Text(workspace.as_str());
    let sql = format!("SELECT count(*), coalesce(min(seq), 0), coalesce(max(seq), 0) {which}");
    let Some(row) = maybe(t, &sql, &[&workspace]).await? else { return Ok(Listed { items: Vec::new(), total: 0 }) };
    let total = size(&row, 0)?;
    let some = async |rest: &str, first: i64, second: i64| -> Done<Vec<Version>> {
        let sql = format!("SELECT {} {which} {rest}", rows::VERSION);
        all(t, &sql, &[&workspace, &first, &second]).await?.iter().map(rows::version).collect()
    };
    let items = match Stretch::of(page, total, row.try_get(1)?, row.try_get(2)?) {
        None => Vec::new(),
        Some(Stretch::Numbers { from, to }) => some("AND seq BETWEEN $2 AND $3 ORDER BY seq DESC", from, to).await?,
        Some(Stretch::Rows { from_lowest: false, skip, take }) => {
            some("ORDER BY seq DESC LIMIT $2 OFFSET $3", take, skip).await?
        }
        Some(Stretch::Rows { from_lowest: true, skip, take }) => {
            let mut items = some("ORDER BY seq LIMIT $2 OFFSET $3", take, skip).await?;
            items.reverse();
            items
        }
    };
    Ok(Listed { items, total })
}

pub(super) async fn beside(t: &Transaction<'_>, version: &Version) -> Done<Beside> {
    let place: Values<'_> = &[&Text(version.workspace.as_str()), &version.seq];
    let neighbour = async |sql: &str| -> Done<Option<VersionId>> {
        maybe(t, sql, place).await?.map(|row| text(&row, 0).map(VersionId::from_text)).transpose()
    };
    // Those that were sent with a version that waits for its bytes are nobody's yet.
    let sql = "SELECT output.id FROM output JOIN state_version v ON v.id = version
        WHERE version = $1 AND v.status = 'finalized' ORDER BY name LIMIT $2";
    let outputs = all(t, sql, &[&Text(version.id.as_str()), &int(NAMED_OUTPUTS + 1)]).await?;
    let summary = "SELECT modules, providers, resources, unreadable FROM state_version WHERE id = $1";
    Ok(Beside {
        previous: neighbour(
            "SELECT id FROM state_version WHERE workspace = $1 AND seq < $2 AND status = 'finalized' ORDER BY seq DESC LIMIT 1",
        )
        .await?,
        next: neighbour(
            "SELECT id FROM state_version WHERE workspace = $1 AND seq > $2 AND status = 'finalized' ORDER BY seq LIMIT 1",
        )
        .await?,
        outputs: outputs.iter().map(|row| text(row, 0).map(OutputId::from_text)).collect::<Done<_>>()?,
        summary: match maybe(t, summary, &[&Text(version.id.as_str())]).await? {
            Some(row) => rows::summary(&row)?,
            None => None,
        },
    })
}

/// Where bytes are kept, compressed.
pub(super) enum Place {
    /// In the row.
    Row(Vec<u8>),
    /// In the object of this key.
    Object(String),
}

/// Bytes as they are kept.
pub(super) struct Blob {
    pub(super) sha256: [u8; 32],
    pub(super) size: i64,
    pub(super) place: Place,
    /// The data key that encrypts them.
    pub(super) key: Option<String>,
}

/// The bytes of a version; `None` only if it has none of this kind.
pub(super) async fn blob(
    client: &impl GenericClient,
    keyring: &Keyring,
    version: &VersionId,
    kind: ContentKind,
) -> Done<Option<Blob>> {
    let column = column(kind);
    let sql = format!(
        "SELECT blob.sha256, blob.size, blob.bytes, blob.object, blob.data_key, version.{column} IS NULL, version.status,
            version.backing, version.workspace, version.{column}_seal
            FROM state_version version LEFT JOIN blob ON blob.sha256 = version.{column} WHERE version.id = $1"
    );
    let Some(row) = maybe(client, &sql, &[&Text(version.as_str())]).await? else { return Ok(None) };
    if let Some(sha256) = sha256(&row, 0)? {
        let workspace = text(&row, 8)?;
        let subject = Subject::Reference { workspace: &workspace, owner: version.as_str(), kind: kind.name(), sha256: &sha256 };
        keyring.check(optional(&row, 9)?.as_deref(), &subject)?;
        return blob_row(&row, sha256).map(Some);
    }
    let has_none: bool = row.try_get(5)?;
    let must_have = kind == ContentKind::State
        && text(&row, 6)? == Status::Finalized.name()
        && text(&row, 7)? != Backing::PermanentlyDeleted.name();
    if has_none && !must_have {
        return Ok(None);
    }
    Err(StoreError::new(format!("the {} of version {version} is missing", kind.name())).into())
}

/// Bytes by what they are: SHA-256, size, bytes, object key and data key are the first columns.
pub(super) fn blob_row(row: &tokio_postgres::Row, sha256: [u8; 32]) -> Done<Blob> {
    let place = match (row.try_get::<_, Option<Vec<u8>>>(2)?, optional(row, 3)?) {
        (Some(bytes), None) => Place::Row(bytes),
        (None, Some(key)) => Place::Object(key),
        (Some(_), Some(_)) | (None, None) => return Err(wrong(2, "bytes are in two places, or in none")),
    };
    Ok(Blob { sha256, size: row.try_get(1)?, place, key: optional(row, 4)? })
}

pub(super) async fn outputs(t: &Transaction<'_>, keyring: &Keyring, version: &VersionId, page: Page) -> Done<Listed<Output>> {
    let version = Text(version.as_str());
    let total = count(t, "SELECT count(*) FROM output WHERE version = $1", &[&version]).await?;
    let sql = format!("SELECT {} FROM output WHERE version = $1 ORDER BY name LIMIT $2 OFFSET $3", rows::OUTPUT);
    let found = all(t, &sql, &[&version, &int(page.size), &int(page.offset())]).await?;
    Ok(Listed { items: found.iter().map(|row| opened(row, keyring)).collect::<Done<_>>()?, total })
}

fn opened(row: &tokio_postgres::Row, keyring: &Keyring) -> Done<Output> {
    let (output, key, workspace) = rows::output(row)?;
    Ok(opened_value(output, &workspace, key.as_deref(), keyring)?)
}

pub(super) async fn output(client: &impl GenericClient, keyring: &Keyring, id: &OutputId) -> Done<Option<Output>> {
    let sql = format!("SELECT {} FROM output WHERE id = $1", rows::OUTPUT);
    maybe(client, &sql, &[&Text(id.as_str())]).await?.map(|row| opened(&row, keyring)).transpose()
}
