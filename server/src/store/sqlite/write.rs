//! A commit, written in one transaction.

use rusqlite::{ErrorCode, OptionalExtension as _, Transaction};

use super::connections::Fault;
use super::{history, rows, workspaces};
use crate::model::{Backing, ContentKind, JobId, Output, Quarantined, Version, VersionId};
use crate::store::encryption::{self, DataKey, Subject};
use crate::store::pack::{Packed, Prepared};
use crate::store::{Change, Commit, Committed, Details, NewContent, StoreError, days};

type Done<T> = Result<T, Fault>;

/// Writes a commit, or nothing: then the transaction must be rolled back.
pub(super) fn commit(t: &Transaction<'_>, prepared: &Prepared) -> Done<Committed> {
    let Prepared { commit, packed, key } = prepared;
    let key = key.as_deref();
    let workspace = commit.workspace.as_str();
    let found = t
        .prepare_cached(
            "UPDATE workspace SET revision = revision + 1, updated_at = ?3
                WHERE id = ?1 AND revision = ?2 AND deleted_at IS NULL",
        )?
        .execute((workspace, commit.expected, commit.at.as_millis()))?;
    if found != 1 {
        return Ok(Committed::Stale);
    }
    // Bytes to which perhaps nothing refers afterwards.
    let mut loose: Vec<[u8; 32]> = Vec::new();
    for (change, (state, json_state)) in commit.changes.iter().zip(packed) {
        match change {
            Change::Lock(lock) => {
                let lock = rows::to_json(lock)?;
                t.prepare_cached("UPDATE workspace SET lock = ?2, unlocked = NULL WHERE id = ?1")?.execute((workspace, lock))?;
            }
            Change::Unlock(unlocked) => {
                let unlocked = unlocked.as_ref().map(rows::to_json).transpose()?;
                let mut statement = t.prepare_cached("UPDATE workspace SET lock = NULL, unlocked = ?2 WHERE id = ?1")?;
                statement.execute((workspace, unlocked))?;
            }
            Change::Insert(version) => insert(t, version)?,
            Change::Finalize { version, from, lineage, content } => {
                let Some(state) = state else { return Err(StoreError::new("a version came without its bytes").into()) };
                finalize(t, version, lineage, content, state, json_state.as_ref())?;
                vouch(t, key, commit, version, ContentKind::State, state)?;
                if let Some(json_state) = json_state {
                    vouch(t, key, commit, version, ContentKind::JsonState, json_state)?;
                }
                set_outputs(t, key, commit, version, &content.outputs)?;
                if !move_head(t, workspace, version, from.as_ref())? {
                    return Ok(Committed::Stale);
                }
            }
            Change::Discard(version) => {
                loose.extend(bytes_of(t, version)?);
                t.prepare_cached(
                    "UPDATE state_version SET status = 'discarded', json_state = NULL, json_state_seal = NULL WHERE id = ?1",
                )?
                .execute([version.as_str()])?;
                set_outputs(t, key, commit, version, &[])?;
                t.prepare_cached("UPDATE workspace SET pending = NULL WHERE id = ?1 AND pending = ?2")?
                    .execute((workspace, version.as_str()))?;
            }
            Change::JsonState { version, .. } => {
                let Some(packed) = json_state else { return Err(StoreError::new("a JSON state came without its bytes").into()) };
                keep(t, packed)?;
                t.prepare_cached("UPDATE state_version SET json_state = ?2 WHERE id = ?1")?
                    .execute((version.as_str(), packed.sha256))?;
                vouch(t, key, commit, version, ContentKind::JsonState, packed)?;
            }
            Change::Outputs { version, outputs } => set_outputs(t, key, commit, version, outputs)?,
            Change::Backing { version, to } => {
                loose.extend(bytes_of(t, version)?);
                backing(t, version, *to)?;
                if *to == Backing::PermanentlyDeleted {
                    set_outputs(t, key, commit, version, &[])?;
                }
            }
            Change::Delete(version) => {
                loose.extend(bytes_of(t, version)?);
                let deleted = t
                    .prepare_cached("DELETE FROM state_version WHERE id = ?1 AND workspace = ?2")?
                    .execute((version.as_str(), workspace))?;
                if deleted == 0 {
                    return Ok(Committed::Gone);
                }
            }
            Change::Quarantine(quarantined) => {
                let Some(packed) = state else { return Err(StoreError::new("a late upload came without its bytes").into()) };
                quarantine(t, key, quarantined, packed)?;
            }
            Change::Details(details) => {
                if !set_details(t, commit, details)? {
                    return Ok(Committed::NameTaken);
                }
            }
            Change::Remove => {
                t.prepare_cached("UPDATE workspace SET deleted_at = ?2 WHERE id = ?1")?
                    .execute((workspace, commit.at.as_millis()))?;
            }
        }
    }
    for sha256 in &loose {
        t.prepare_cached(&format!("DELETE FROM blob WHERE sha256 = ?1 AND {UNREFERRED}"))?.execute([sha256])?;
    }
    for entry in &commit.audit {
        history::record(t, entry)?;
    }
    Ok(Committed::Done)
}

fn insert(t: &Transaction<'_>, version: &Version) -> Done<()> {
    t.prepare_cached(
        "INSERT INTO state_version (id, workspace, seq, serial, lineage, md5, status, backing, forced, creator, created_at, run,
            rollback_of, upgraded_from, downgraded_to, job)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'pending', 'available', ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?
    .execute((
        version.id.as_str(),
        version.workspace.as_str(),
        version.seq,
        version.serial,
        &version.lineage,
        &version.md5,
        version.forced,
        rows::to_json(&version.creator)?,
        version.created_at.as_millis(),
        &version.run,
        version.rollback_of.as_ref().map(VersionId::as_str),
        version.upgraded_from.as_ref().map(VersionId::as_str),
        &version.downgraded_to,
        version.job.as_ref().map(JobId::as_str),
    ))?;
    t.prepare_cached("UPDATE workspace SET pending = ?2, last_seq = max(last_seq, ?3) WHERE id = ?1")?.execute((
        version.workspace.as_str(),
        version.id.as_str(),
        version.seq,
    ))?;
    Ok(())
}

fn finalize(
    t: &Transaction<'_>,
    version: &VersionId,
    lineage: &str,
    content: &NewContent,
    state: &Packed,
    json_state: Option<&Packed>,
) -> Done<()> {
    keep(t, state)?;
    if let Some(json_state) = json_state {
        keep(t, json_state)?;
    }
    let NewContent { finalized, summary, types, report, .. } = content;
    let changed = t
        .prepare_cached(
            "UPDATE state_version SET status = 'finalized', lineage = ?2, state = ?3, json_state = coalesce(?4, json_state),
                size = ?5, sha256 = ?6, format_version = ?7, terraform_version = ?8, modules = ?9, providers = ?10, resources = ?11,
                unreadable = ?12, finalized_at = ?13, types = ?14, report = ?15
            WHERE id = ?1 AND status = 'pending'",
        )?
        .execute((
            version.as_str(),
            lineage,
            state.sha256,
            json_state.map(|packed| packed.sha256),
            finalized.size,
            finalized.sha256,
            finalized.format_version,
            &finalized.terraform_version,
            &summary.modules,
            &summary.providers,
            &summary.resources,
            &summary.unreadable,
            finalized.at.as_millis(),
            types,
            report,
        ))?;
    if changed == 1 { Ok(()) } else { Err(StoreError::new(format!("state version {version} is not pending")).into()) }
}

fn set_outputs(t: &Transaction<'_>, key: Option<&DataKey>, commit: &Commit, version: &VersionId, outputs: &[Output]) -> Done<()> {
    t.prepare_cached("DELETE FROM output WHERE version = ?1")?.execute([version.as_str()])?;
    let mut statement = t.prepare_cached(
        "INSERT INTO output (id, version, name, sensitive, kind, detailed_type, value, data_key)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for output in outputs {
        let value = encryption::sealed_value(output, commit.workspace.as_str(), key)?;
        let Output { id, version, name, sensitive, kind, detailed_type, .. } = output;
        statement.execute((id.as_str(), version.as_str(), name, sensitive, kind, detailed_type, value, key.map(DataKey::id)))?;
    }
    Ok(())
}

/// Seals that bytes are those of a version.
fn vouch(
    t: &Transaction<'_>,
    key: Option<&DataKey>,
    commit: &Commit,
    version: &VersionId,
    kind: ContentKind,
    packed: &Packed,
) -> Done<()> {
    let (workspace, owner) = (commit.workspace.as_str(), version.as_str());
    let subject = Subject::Reference { workspace, owner, kind: kind.name(), sha256: &packed.sha256 };
    let seal = key.map(|key| key.vouch(&subject)).transpose()?;
    let sql = match kind {
        ContentKind::State => "UPDATE state_version SET state_seal = ?2 WHERE id = ?1",
        ContentKind::JsonState => "UPDATE state_version SET json_state_seal = ?2 WHERE id = ?1",
    };
    t.prepare_cached(sql)?.execute((owner, seal))?;
    Ok(())
}

/// Makes a version current in place of another; whether that other one was current.
fn move_head(t: &Transaction<'_>, workspace: &str, to: &VersionId, from: Option<&VersionId>) -> Done<bool> {
    let moved = t
        .prepare_cached(
            "UPDATE workspace SET head = ?2, pending = nullif(pending, ?2),
                max_serial = max(coalesce(max_serial, 0), (SELECT serial FROM state_version WHERE id = ?2))
            WHERE id = ?1 AND head IS ?3",
        )?
        .execute((workspace, to.as_str(), from.map(VersionId::as_str)))?;
    Ok(moved == 1)
}

fn backing(t: &Transaction<'_>, version: &VersionId, to: Backing) -> Done<()> {
    t.prepare_cached("UPDATE state_version SET backing = ?2 WHERE id = ?1")?.execute((version.as_str(), to.name()))?;
    match to {
        Backing::Available | Backing::SoftDeleted => {}
        Backing::PermanentlyDeleted => {
            t.execute("UPDATE state_version SET state = NULL, json_state = NULL, state_seal = NULL, json_state_seal = NULL WHERE id = ?1", [version.as_str()])?;
        }
    }
    Ok(())
}

fn quarantine(t: &Transaction<'_>, key: Option<&DataKey>, quarantined: &Quarantined, packed: &Packed) -> Done<()> {
    keep(t, packed)?;
    let seal = key.map(|key| key.vouch(&encryption::late(quarantined, &packed.sha256))).transpose()?;
    // Bytes that are sent again are kept once.
    t.prepare_cached(
        "INSERT OR IGNORE INTO quarantine (id, workspace, version, at, reason, size, state, seal)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute((
        quarantined.id.as_str(),
        quarantined.workspace.as_str(),
        quarantined.version.as_str(),
        quarantined.at.as_millis(),
        &quarantined.reason,
        quarantined.size,
        packed.sha256,
        seal,
    ))?;
    Ok(())
}

/// Changes what a workspace says about itself; whether its name is free.
fn set_details(t: &Transaction<'_>, commit: &Commit, details: &Details) -> Done<bool> {
    let changed = t
        .prepare_cached(
            "UPDATE workspace SET name = ?2, description = ?3, terraform_version = ?4, retention_days = ?5, project = ?6,
                sharing = ?7
                WHERE id = ?1",
        )?
        .execute((
            commit.workspace.as_str(),
            &details.name,
            &details.description,
            &details.terraform_version,
            days::write(details.retention),
            details.project.as_str(),
            details.shared.then_some("all"),
        ));
    match changed {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => return Ok(false),
        other => other?,
    };
    workspaces::set_tags(t, &commit.workspace, &details.tags)?;
    Ok(true)
}

/// Writes bytes, unless they are there.
fn keep(t: &Transaction<'_>, packed: &Packed) -> Done<()> {
    t.prepare_cached(
        "INSERT INTO blob (sha256, size, codec, bytes, data_key) VALUES (?1, ?2, 'zstd', ?3, ?4) ON CONFLICT DO NOTHING",
    )?
    .execute((packed.sha256, packed.size, &packed.bytes, &packed.key))?;
    Ok(())
}

/// The keys of the bytes that a version has.
fn bytes_of(t: &Transaction<'_>, version: &VersionId) -> Done<Vec<[u8; 32]>> {
    let mut statement = t.prepare_cached("SELECT state, json_state FROM state_version WHERE id = ?1")?;
    let found: Option<[Option<[u8; 32]>; 2]> =
        statement.query_row([version.as_str()], |row| Ok([row.get(0)?, row.get(1)?])).optional()?;
    Ok(found.into_iter().flatten().flatten().collect())
}

/// That nothing refers to a row of `blob`.
pub(super) const UNREFERRED: &str = "NOT EXISTS (SELECT 1 FROM state_version WHERE state = blob.sha256)
    AND NOT EXISTS (SELECT 1 FROM state_version WHERE json_state = blob.sha256)
    AND NOT EXISTS (SELECT 1 FROM quarantine WHERE state = blob.sha256)";

/// Removes all bytes to which nothing refers.
pub(super) fn sweep(t: &Transaction<'_>) -> Done<()> {
    t.prepare_cached(&format!("DELETE FROM blob WHERE {UNREFERRED}"))?.execute(())?;
    Ok(())
}
