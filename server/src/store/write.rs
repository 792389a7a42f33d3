//! A commit, written in one transaction.

use std::sync::Arc;

use async_trait::async_trait;

use super::audit::record;
use super::blobs::{self, Placed, Prepared, Since};
use super::commit::{Change, Commit, Committed, Details, NewContent};
use super::encryption::{self, DataKey, Subject};
use super::error::StoreError;
use super::session::{Database, Done, Fault, Mode, Session, params, to_json};
use super::{days, workspaces};
use crate::model::{Backing, ContentKind, JobId, Output, Quarantined, Version, VersionId};

/// Changes to workspaces.
#[async_trait]
pub trait Commits {
    /// Writes all changes of a commit, or, if the workspace is not at the revision that the commit
    /// expects, none.
    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError>;
}

/// The number of times that a transaction is tried that collides with others.
const ATTEMPTS: usize = 5;

#[async_trait]
impl<D: Database> Commits for D {
    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let since = Since::now();
        let key = self.keys().current(self).await?;
        let prepared = Arc::new(blobs::place(commit, key, self.bucket()).await?);
        let mut attempt = 1;
        let (committed, unused) = loop {
            let this = Arc::clone(&prepared);
            let work = self.work(Mode::Write, move |s| {
                Box::pin(async move {
                    let unused = write(s, &this).await?;
                    since.check()?;
                    Ok(unused)
                })
            });
            match work.await {
                Ok(unused) => break (Committed::Done, unused),
                Err(fault) if fault.is_collision() && attempt < ATTEMPTS => attempt += 1,
                Err(fault) => {
                    let why = fault.why_undone().ok_or_else(|| failed(fault))?;
                    // The commit is undone, so nothing will ever refer to its objects.
                    let placed = prepared
                        .placed
                        .iter()
                        .flat_map(|(state, json_state)| [state, json_state]);
                    break (
                        why,
                        placed
                            .flatten()
                            .filter_map(|placed| placed.object.clone())
                            .collect(),
                    );
                }
            }
        };
        self.delete_objects(&unused).await;
        Ok(committed)
    }
}

/// The failure of a commit. A reference that breaks is to bytes, which others swept away each time:
/// the client named nothing that is gone.
fn failed(fault: Fault) -> StoreError {
    if fault.breaks_reference() {
        StoreError::passing("the bytes of a commit were swept away")
            .because(StoreError::from(fault))
    } else {
        fault.into()
    }
}

/// Writes a commit; the objects to which no row refers any more, or that were there already under
/// another key.
async fn write(s: &mut dyn Session, prepared: &Prepared) -> Done<Vec<String>> {
    let Prepared {
        commit,
        placed,
        key,
    } = prepared;
    let key = key.as_deref();
    let workspace = commit.workspace.as_str();
    let mut unused = Vec::new();
    // This locks the row, so that a later commit waits, then finds another revision.
    let sql = "UPDATE workspace SET revision = revision + 1, updated_at = $3 WHERE id = $1 AND revision = $2 AND deleted_at IS NULL";
    if s.run(sql, &params![workspace, commit.expected, commit.at])
        .await?
        != 1
    {
        return Err(Fault::undone(Committed::Stale));
    }
    let replaced = bytes_of_versions(s, &commit.changes).await?;
    for (change, (state, json_state)) in commit.changes.iter().zip(placed) {
        match change {
            Change::Lock(lock) => {
                let sql = "UPDATE workspace SET lock = $2, unlocked = NULL WHERE id = $1";
                s.run(sql, &params![workspace, to_json(lock)?]).await?;
            }
            Change::Unlock(unlocked) => {
                let unlocked = unlocked.as_ref().map(to_json).transpose()?;
                let sql = "UPDATE workspace SET lock = NULL, unlocked = $2 WHERE id = $1";
                s.run(sql, &params![workspace, unlocked]).await?;
            }
            Change::Insert(version) => insert(s, version).await?,
            Change::Finalize {
                version,
                from,
                lineage,
                content,
            } => {
                let Some(state) = state else {
                    return Err(StoreError::new("a version came without its bytes").into());
                };
                for placed in [Some(state), json_state.as_ref()].into_iter().flatten() {
                    unused.extend(blobs::keep(s, placed).await?);
                }
                let placed = (state, json_state.as_ref());
                finalize(s, key, commit, version, lineage, content, placed).await?;
                set_outputs(s, key, commit, version, &content.outputs).await?;
                move_head(s, workspace, version, from.as_ref()).await?;
            }
            Change::Discard(version) => {
                let sql = "UPDATE state_version SET status = 'discarded', json_state = NULL, json_state_seal = NULL WHERE id = $1";
                s.run(sql, &params![version.as_str()]).await?;
                let sql = "UPDATE workspace SET pending = NULL WHERE id = $1 AND pending = $2";
                s.run(sql, &params![workspace, version.as_str()]).await?;
                set_outputs(s, key, commit, version, &[]).await?;
            }
            Change::JsonState { version, .. } => {
                let Some(placed) = json_state else {
                    return Err(StoreError::new("a JSON state came without its bytes").into());
                };
                unused.extend(blobs::keep(s, placed).await?);
                let seal = seal(key, commit, version, ContentKind::JsonState, placed)?;
                let sql =
                    "UPDATE state_version SET json_state = $2, json_state_seal = $3 WHERE id = $1";
                let params = params![version.as_str(), &placed.packed.sha256, seal];
                s.run(sql, &params).await?;
            }
            Change::Outputs { version, outputs } => {
                set_outputs(s, key, commit, version, outputs).await?;
            }
            Change::Backing { version, to } => backing(s, key, commit, version, *to).await?,
            Change::Delete(version) => {
                let sql = "DELETE FROM state_version WHERE id = $1 AND workspace = $2";
                if s.run(sql, &params![version.as_str(), workspace]).await? == 0 {
                    return Err(Fault::undone(Committed::Gone));
                }
            }
            Change::Quarantine(quarantined) => {
                let Some(placed) = state else {
                    return Err(StoreError::new("a late upload came without its bytes").into());
                };
                unused.extend(blobs::keep(s, placed).await?);
                quarantine(s, key, quarantined, placed).await?;
            }
            Change::Details(details) => set_details(s, commit, details).await?,
            Change::Remove => {
                s.run(
                    "UPDATE workspace SET deleted_at = $2 WHERE id = $1",
                    &params![workspace, commit.at],
                )
                .await?;
            }
        }
    }
    unused.extend(blobs::sweep(s, replaced).await?.objects);
    for entry in &commit.audit {
        record(s, entry).await?;
    }
    Ok(unused)
}

/// The bytes that versions have now to which changes may leave them none.
async fn bytes_of_versions(s: &mut dyn Session, changes: &[Change]) -> Done<Vec<[u8; 32]>> {
    let touched = changes.iter().filter_map(|change| match change {
        Change::Finalize { version, .. }
        | Change::Discard(version)
        | Change::JsonState { version, .. }
        | Change::Backing { version, .. }
        | Change::Delete(version) => Some(version.to_string()),
        Change::Lock(_)
        | Change::Unlock(_)
        | Change::Insert(_)
        | Change::Outputs { .. }
        | Change::Quarantine(_)
        | Change::Details(_)
        | Change::Remove => None,
    });
    let touched: Vec<String> = touched.collect();
    let mut bytes = Vec::new();
    if !touched.is_empty() {
        let sql = format!(
            "SELECT state, json_state FROM state_version WHERE {}",
            s.dialect().among("id", 1)
        );
        for row in s.all(&sql, &params![touched]).await? {
            bytes.extend(row.optional_sha256(0)?);
            bytes.extend(row.optional_sha256(1)?);
        }
    }
    Ok(bytes)
}

async fn insert(s: &mut dyn Session, version: &Version) -> Done<()> {
    let (id, workspace) = (version.id.as_str(), version.workspace.as_str());
    let sql =
        "INSERT INTO state_version (id, workspace, seq, serial, lineage, md5, status, backing, forced, creator, created_at, run,
            rollback_of, upgraded_from, downgraded_to, job)
        VALUES ($1, $2, $3, $4, $5, $6, 'pending', 'available', $7, $8, $9, $10, $11, $12, $13, $14)";
    let params = params![
        id,
        workspace,
        version.seq,
        version.serial,
        &version.lineage,
        &version.md5,
        version.forced,
        to_json(&version.creator)?,
        version.created_at,
        version.run.as_deref(),
        version.rollback_of.as_ref().map(VersionId::as_str),
        version.upgraded_from.as_ref().map(VersionId::as_str),
        version.downgraded_to.as_deref(),
        version.job.as_ref().map(JobId::as_str),
    ];
    s.run(sql, &params).await?;
    let last = s.dialect().larger("last_seq", "$3");
    let sql = format!("UPDATE workspace SET pending = $2, last_seq = {last} WHERE id = $1");
    s.run(&sql, &params![workspace, id, version.seq])
        .await
        .map(drop)
}

async fn finalize(
    s: &mut dyn Session,
    key: Option<&DataKey>,
    commit: &Commit,
    version: &VersionId,
    lineage: &str,
    content: &NewContent,
    (state, json_state): (&Placed, Option<&Placed>),
) -> Done<()> {
    let NewContent {
        finalized,
        summary,
        types,
        report,
        ..
    } = content;
    let state_seal = seal(key, commit, version, ContentKind::State, state)?;
    let json_state_seal = json_state
        .map(|placed| seal(key, commit, version, ContentKind::JsonState, placed))
        .transpose()?
        .flatten();
    let sql = "UPDATE state_version SET status = 'finalized', lineage = $2, state = $3, json_state = coalesce($4, json_state),
            size = $5, sha256 = $6, format_version = $7, terraform_version = $8, modules = $9, providers = $10, resources = $11,
            unreadable = $12, finalized_at = $13, types = $14, report = $15, state_seal = $16,
            json_state_seal = CASE WHEN $4 IS NULL THEN json_state_seal ELSE $17 END
        WHERE id = $1 AND status = 'pending'";
    let params = params![
        version.as_str(),
        lineage,
        &state.packed.sha256,
        json_state.map(|placed| &placed.packed.sha256),
        finalized.size,
        &finalized.sha256,
        finalized.format_version,
        &finalized.terraform_version,
        &summary.modules,
        &summary.providers,
        &summary.resources,
        summary.unreadable.as_deref(),
        finalized.at,
        types,
        report.as_deref(),
        state_seal,
        json_state_seal,
    ];
    let changed = s.run(sql, &params).await?;
    if changed == 1 {
        Ok(())
    } else {
        Err(StoreError::new(format!("state version {version} is not pending")).into())
    }
}

/// The seal that bytes are those of a version, if there is a key.
fn seal(
    key: Option<&DataKey>,
    commit: &Commit,
    version: &VersionId,
    kind: ContentKind,
    placed: &Placed,
) -> Done<Option<String>> {
    let (workspace, owner) = (commit.workspace.as_str(), version.as_str());
    let subject = Subject::Reference {
        workspace,
        owner,
        kind: kind.name(),
        sha256: &placed.packed.sha256,
    };
    Ok(key.map(|key| key.vouch(&subject)).transpose()?)
}

async fn set_outputs(
    s: &mut dyn Session,
    key: Option<&DataKey>,
    commit: &Commit,
    version: &VersionId,
    outputs: &[Output],
) -> Done<()> {
    s.run(
        "DELETE FROM output WHERE version = $1",
        &params![version.as_str()],
    )
    .await?;
    let sql =
        "INSERT INTO output (id, version, name, sensitive, kind, detailed_type, value, data_key)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    for output in outputs {
        let value = encryption::sealed_value(output, commit.workspace.as_str(), key)?;
        let Output {
            id,
            version,
            name,
            sensitive,
            kind,
            detailed_type,
            ..
        } = output;
        let params = params![
            id.as_str(),
            version.as_str(),
            name,
            *sensitive,
            kind,
            detailed_type,
            &*value,
            key.map(DataKey::id)
        ];
        s.run(sql, &params).await?;
    }
    Ok(())
}

/// Makes a version current in place of another, if that one is current.
async fn move_head(
    s: &mut dyn Session,
    workspace: &str,
    to: &VersionId,
    from: Option<&VersionId>,
) -> Done<()> {
    let highest = s.dialect().larger(
        "coalesce(max_serial, 0)",
        "(SELECT serial FROM state_version WHERE id = $2)",
    );
    let sql = format!(
        "UPDATE workspace SET head = $2, pending = nullif(pending, $2), max_serial = {highest}
            WHERE id = $1 AND head IS NOT DISTINCT FROM $3"
    );
    let moved = s
        .run(
            &sql,
            &params![workspace, to.as_str(), from.map(VersionId::as_str)],
        )
        .await?;
    if moved == 1 {
        Ok(())
    } else {
        Err(Fault::undone(Committed::Stale))
    }
}

async fn backing(
    s: &mut dyn Session,
    key: Option<&DataKey>,
    commit: &Commit,
    version: &VersionId,
    to: Backing,
) -> Done<()> {
    s.run(
        "UPDATE state_version SET backing = $2 WHERE id = $1",
        &params![version.as_str(), to.name()],
    )
    .await?;
    match to {
        Backing::Available | Backing::SoftDeleted => Ok(()),
        Backing::PermanentlyDeleted => {
            let sql = "UPDATE state_version SET state = NULL, json_state = NULL, state_seal = NULL, json_state_seal = NULL WHERE id = $1";
            s.run(sql, &params![version.as_str()]).await?;
            set_outputs(s, key, commit, version, &[]).await
        }
    }
}

async fn quarantine(
    s: &mut dyn Session,
    key: Option<&DataKey>,
    quarantined: &Quarantined,
    placed: &Placed,
) -> Done<()> {
    let seal = key
        .map(|key| key.vouch(&encryption::late(quarantined, &placed.packed.sha256)))
        .transpose()?;
    // Bytes that are sent again are kept once.
    let sql = "INSERT INTO quarantine (id, workspace, version, at, reason, size, state, seal)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (version, state) DO NOTHING";
    let params = params![
        quarantined.id.as_str(),
        quarantined.workspace.as_str(),
        quarantined.version.as_str(),
        quarantined.at,
        &quarantined.reason,
        quarantined.size,
        &placed.packed.sha256,
        seal,
    ];
    s.run(sql, &params).await.map(drop)
}

/// Changes what a workspace says about itself.
async fn set_details(s: &mut dyn Session, commit: &Commit, details: &Details) -> Done<()> {
    let workspace = commit.workspace.as_str();
    workspaces::leave_name(s, workspace, &details.name).await?;
    let sql = "UPDATE workspace SET name = $2, description = $3, terraform_version = $4, retention_days = $5, project = $6, sharing = $7
        WHERE id = $1";
    let params = params![
        workspace,
        &details.name,
        &details.description,
        &details.terraform_version,
        days::write(details.retention),
        details.project.as_str(),
        details.shared.then_some("all"),
    ];
    match s.run(sql, &params).await {
        Err(fault) if fault.is_duplicate_in("workspace_name") => {
            return Err(Fault::undone(Committed::NameTaken));
        }
        Err(fault) if fault.breaks_reference() => {
            return Err(Fault::undone(Committed::ProjectGone));
        }
        done => done?,
    };
    workspaces::take_name(s, workspace, &details.name).await?;
    workspaces::set_tags(s, &commit.workspace, &details.tags).await
}
