//! A commit, written in one transaction.

use std::sync::Arc;

use deadpool_postgres::Transaction;

use super::blobs::{self, Placed};
use super::pool::Fault;
use super::sql::{Done, Text, Values, all, int, maybe, run, sha256, to_json};
use super::{history, workspaces};
use crate::model::{Backing, ContentKind, Output, Quarantined, Version, VersionId};
use crate::store::encryption::{self, DataKey, Subject};
use crate::store::{Change, Commit, Committed, Details, NewContent, StoreError, days};

/// A commit whose bytes are compressed, and, where there is a bucket, in it.
pub(super) struct Prepared {
    pub(super) commit: Commit,
    /// Of each change, in their order: the state and the JSON state.
    pub(super) placed: Vec<(Option<Placed>, Option<Placed>)>,
    /// The data key for what is written.
    pub(super) key: Option<Arc<DataKey>>,
}

/// What a commit did besides.
#[derive(Default)]
pub(super) struct Written {
    /// Objects to which no row refers any more, or that were there already under another key.
    pub(super) unused: Vec<String>,
}

/// Writes a commit, or nothing: then the transaction must be rolled back.
pub(super) async fn commit(t: &Transaction<'_>, prepared: &Prepared, written: &mut Written) -> Done<Committed> {
    let Prepared { commit, placed, key } = prepared;
    let key = key.as_deref();
    let workspace = Text(commit.workspace.as_str());
    // This locks the row: who comes later waits, then finds another revision.
    let found = run(
        t,
        "UPDATE workspace SET revision = revision + 1, updated_at = $3 WHERE id = $1 AND revision = $2 AND deleted_at IS NULL",
        &[&workspace, &commit.expected, &commit.at.as_millis()],
    )
    .await?;
    if found != 1 {
        return Ok(Committed::Stale);
    }
    let replaced = bytes_of_versions(t, &commit.changes).await?;
    for (change, (state, json_state)) in commit.changes.iter().zip(placed) {
        match change {
            Change::Lock(lock) => {
                let sql = "UPDATE workspace SET lock = $2, unlocked = NULL WHERE id = $1";
                run(t, sql, &[&workspace, &Text(&to_json(lock)?)]).await?;
            }
            Change::Unlock(unlocked) => {
                let unlocked = unlocked.as_ref().map(to_json).transpose()?;
                let sql = "UPDATE workspace SET lock = NULL, unlocked = $2 WHERE id = $1";
                run(t, sql, &[&workspace, &unlocked.as_deref().map(Text)]).await?;
            }
            Change::Insert(version) => insert(t, version).await?,
            Change::Finalize { version, from, lineage, content } => {
                let Some(state) = state else { return Err(StoreError::new("a version came without its bytes").into()) };
                for placed in [Some(state), json_state.as_ref()].into_iter().flatten() {
                    written.unused.extend(blobs::keep(t, placed).await?);
                }
                finalize(t, version, lineage, content, state, json_state.as_ref()).await?;
                vouch(t, key, commit, version, ContentKind::State, state).await?;
                if let Some(json_state) = json_state {
                    vouch(t, key, commit, version, ContentKind::JsonState, json_state).await?;
                }
                set_outputs(t, key, commit, version, &content.outputs).await?;
                if !move_head(t, workspace, version, from.as_ref()).await? {
                    return Ok(Committed::Stale);
                }
            }
            Change::Discard(version) => {
                let id = Text(version.as_str());
                run(
                    t,
                    "UPDATE state_version SET status = 'discarded', json_state = NULL, json_state_seal = NULL WHERE id = $1",
                    &[&id],
                )
                .await?;
                run(t, "UPDATE workspace SET pending = NULL WHERE id = $1 AND pending = $2", &[&workspace, &id]).await?;
                set_outputs(t, key, commit, version, &[]).await?;
            }
            Change::JsonState { version, .. } => {
                let Some(placed) = json_state else { return Err(StoreError::new("a JSON state came without its bytes").into()) };
                written.unused.extend(blobs::keep(t, placed).await?);
                let values: Values<'_> = &[&Text(version.as_str()), &placed.packed.sha256.as_slice()];
                run(t, "UPDATE state_version SET json_state = $2 WHERE id = $1", values).await?;
                vouch(t, key, commit, version, ContentKind::JsonState, placed).await?;
            }
            Change::Outputs { version, outputs } => set_outputs(t, key, commit, version, outputs).await?,
            Change::Backing { version, to } => backing(t, version, *to).await?,
            Change::Delete(version) => {
                let values: Values<'_> = &[&Text(version.as_str()), &workspace];
                if run(t, "DELETE FROM state_version WHERE id = $1 AND workspace = $2", values).await? == 0 {
                    return Ok(Committed::Gone);
                }
            }
            Change::Quarantine(quarantined) => {
                let Some(placed) = state else { return Err(StoreError::new("a late upload came without its bytes").into()) };
                written.unused.extend(blobs::keep(t, placed).await?);
                quarantine(t, key, quarantined, placed).await?;
            }
            Change::Details(details) => match set_details(t, commit, details).await {
                Err(fault) if fault.is_duplicate_in("workspace_name") => return Ok(Committed::NameTaken),
                done => done?,
            },
            Change::Remove => {
                let sql = "UPDATE workspace SET deleted_at = $2 WHERE id = $1";
                run(t, sql, &[&workspace, &commit.at.as_millis()]).await?;
            }
        }
    }
    written.unused.extend(blobs::sweep(t, &replaced).await?.objects);
    for entry in &commit.audit {
        history::record(t, entry).await?;
    }
    Ok(Committed::Done)
}

/// The bytes that versions have now to which changes may leave them none.
async fn bytes_of_versions(t: &Transaction<'_>, changes: &[Change]) -> Done<Vec<[u8; 32]>> {
    let touched = changes.iter().filter_map(|change| match change {
        Change::Finalize { version, .. }
        | Change::Discard(version)
        | Change::JsonState { version, .. }
        | Change::Backing { version, .. }
        | Change::Delete(version) => Some(Text(version.as_str())),
        Change::Lock(_)
        | Change::Unlock(_)
        | Change::Insert(_)
        | Change::Outputs { .. }
        | Change::Quarantine(_)
        | Change::Details(_)
        | Change::Remove => None,
    });
    let touched: Vec<Text<'_>> = touched.collect();
    let mut bytes = Vec::new();
    if !touched.is_empty() {
        let sql = "SELECT state, json_state FROM state_version WHERE id = ANY($1)";
        for row in all(t, sql, &[&touched]).await? {
            bytes.extend(sha256(&row, 0)?);
            bytes.extend(sha256(&row, 1)?);
        }
    }
    Ok(bytes)
}

async fn insert(t: &Transaction<'_>, version: &Version) -> Done<()> {
    let id = Text(version.id.as_str());
    let workspace = Text(version.workspace.as_str());
    let sql =
        "INSERT INTO state_version (id, workspace, seq, serial, lineage, md5, status, backing, forced, creator, created_at, run,
            rollback_of, upgraded_from, downgraded_to, job)
        VALUES ($1, $2, $3, $4, $5, $6, 'pending', 'available', $7, $8, $9, $10, $11, $12, $13, $14)";
    let values: Values<'_> = &[
        &id,
        &workspace,
        &version.seq,
        &version.serial,
        &Text(&version.lineage),
        &Text(&version.md5),
        &version.forced,
        &Text(&to_json(&version.creator)?),
        &version.created_at.as_millis(),
        &version.run.as_deref().map(Text),
        &version.rollback_of.as_ref().map(|id| Text(id.as_str())),
        &version.upgraded_from.as_ref().map(|id| Text(id.as_str())),
        &version.downgraded_to.as_deref().map(Text),
        &version.job.as_ref().map(|job| Text(job.as_str())),
    ];
    run(t, sql, values).await?;
    let sql = "UPDATE workspace SET pending = $2, last_seq = greatest(last_seq, $3) WHERE id = $1";
    run(t, sql, &[&workspace, &id, &version.seq]).await?;
    Ok(())
}

async fn finalize(
    t: &Transaction<'_>,
    version: &VersionId,
    lineage: &str,
    content: &NewContent,
    state: &Placed,
    json_state: Option<&Placed>,
) -> Done<()> {
    let NewContent { finalized, summary, types, report, .. } = content;
    let sql = "UPDATE state_version SET status = 'finalized', lineage = $2, state = $3, json_state = coalesce($4, json_state),
            size = $5, sha256 = $6, format_version = $7, terraform_version = $8, modules = $9, providers = $10, resources = $11,
            unreadable = $12, finalized_at = $13, types = $14, report = $15
        WHERE id = $1 AND status = 'pending'";
    let values: Values<'_> = &[
        &Text(version.as_str()),
        &Text(lineage),
        &state.packed.sha256.as_slice(),
        &json_state.map(|placed| placed.packed.sha256.as_slice()),
        &int(finalized.size),
        &finalized.sha256.as_slice(),
        &finalized.format_version,
        &Text(&finalized.terraform_version),
        &Text(&summary.modules),
        &Text(&summary.providers),
        &Text(&summary.resources),
        &summary.unreadable.as_deref().map(Text),
        &finalized.at.as_millis(),
        &Text(types),
        &report.as_deref().map(Text),
    ];
    let changed = run(t, sql, values).await?;
    if changed == 1 { Ok(()) } else { Err(StoreError::new(format!("state version {version} is not pending")).into()) }
}

/// Seals that bytes are those of a version.
async fn vouch(
    t: &Transaction<'_>,
    key: Option<&DataKey>,
    commit: &Commit,
    version: &VersionId,
    kind: ContentKind,
    placed: &Placed,
) -> Done<()> {
    let (workspace, owner) = (commit.workspace.as_str(), version.as_str());
    let subject = Subject::Reference { workspace, owner, kind: kind.name(), sha256: &placed.packed.sha256 };
    let seal = key.map(|key| key.vouch(&subject)).transpose()?;
    let sql = match kind {
        ContentKind::State => "UPDATE state_version SET state_seal = $2 WHERE id = $1",
        ContentKind::JsonState => "UPDATE state_version SET json_state_seal = $2 WHERE id = $1",
    };
    run(t, sql, &[&Text(owner), &seal.as_deref().map(Text)]).await.map(drop)
}

async fn set_outputs(
    t: &Transaction<'_>,
    key: Option<&DataKey>,
    commit: &Commit,
    version: &VersionId,
    outputs: &[Output],
) -> Done<()> {
    run(t, "DELETE FROM output WHERE version = $1", &[&Text(version.as_str())]).await?;
    let sql = "INSERT INTO output (id, version, name, sensitive, kind, detailed_type, value, data_key)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    for output in outputs {
        let value = encryption::sealed_value(output, commit.workspace.as_str(), key)?;
        let Output { id, version, name, sensitive, kind, detailed_type, .. } = output;
        let values: Values<'_> = &[
            &Text(id.as_str()),
            &Text(version.as_str()),
            &Text(name),
            sensitive,
            &Text(kind),
            &Text(detailed_type),
            &Text(&value),
            &key.map(|key| Text(key.id())),
        ];
        run(t, sql, values).await?;
    }
    Ok(())
}

/// Makes a version current in place of another; whether that other one was current.
async fn move_head(t: &Transaction<'_>, workspace: Text<'_>, to: &VersionId, from: Option<&VersionId>) -> Done<bool> {
    let sql = "UPDATE workspace SET head = $2, pending = nullif(pending, $2),
            max_serial = greatest(coalesce(max_serial, 0), (SELECT serial FROM state_version WHERE id = $2))
        WHERE id = $1 AND head IS NOT DISTINCT FROM $3 RETURNING id";
    let values: Values<'_> = &[&workspace, &Text(to.as_str()), &from.map(|from| Text(from.as_str()))];
    Ok(maybe(t, sql, values).await?.is_some())
}

async fn backing(t: &Transaction<'_>, version: &VersionId, to: Backing) -> Done<()> {
    let id = Text(version.as_str());
    run(t, "UPDATE state_version SET backing = $2 WHERE id = $1", &[&id, &to.name()]).await?;
    match to {
        Backing::Available | Backing::SoftDeleted => {}
        Backing::PermanentlyDeleted => {
            run(t, "UPDATE state_version SET state = NULL, json_state = NULL, state_seal = NULL, json_state_seal = NULL WHERE id = $1", &[&id]).await?;
            run(t, "DELETE FROM output WHERE version = $1", &[&id]).await?;
        }
    }
    Ok(())
}

async fn quarantine(t: &Transaction<'_>, key: Option<&DataKey>, quarantined: &Quarantined, placed: &Placed) -> Done<()> {
    let seal = key.map(|key| key.vouch(&encryption::late(quarantined, &placed.packed.sha256))).transpose()?;
    // Bytes that are sent again are kept once.
    let sql =
        "INSERT INTO quarantine (id, workspace, version, at, reason, size, state, seal) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (version, state) DO NOTHING";
    let values: Values<'_> = &[
        &Text(quarantined.id.as_str()),
        &Text(quarantined.workspace.as_str()),
        &Text(quarantined.version.as_str()),
        &quarantined.at.as_millis(),
        &Text(&quarantined.reason),
        &int(quarantined.size),
        &placed.packed.sha256.as_slice(),
        &seal.as_deref().map(Text),
    ];
    run(t, sql, values).await?;
    Ok(())
}

/// Changes what a workspace says about itself.
async fn set_details(t: &Transaction<'_>, commit: &Commit, details: &Details) -> Result<(), Fault> {
    let sql = "UPDATE workspace SET name = $2, description = $3, terraform_version = $4, retention_days = $5, project = $6, sharing = $7
        WHERE id = $1";
    let values: Values<'_> = &[
        &Text(commit.workspace.as_str()),
        &Text(&details.name),
        &Text(&details.description),
        &Text(&details.terraform_version),
        &days::write(details.retention),
        &Text(details.project.as_str()),
        &details.shared.then_some(Text("all")),
    ];
    run(t, sql, values).await?;
    workspaces::set_tags(t, &commit.workspace, &details.tags).await
}
