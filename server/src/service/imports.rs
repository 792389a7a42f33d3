//! States that are brought from elsewhere, with their history.
//!
//! A workspace is locked from its first version to its last, and stays so if the import is killed
//! in between: nobody works on a part of a history. The next import of it goes on.

use bytes::Bytes;
use upstate_state::StateFile;

use super::versions::{finalize, next_version};
use super::{Decided, Failure, NewWorkspace, Service, audit_as};
use crate::content::{Content, Rewriting};
use crate::model::{
    Holder, HolderKind, Lock, OrganizationId, Project, Timestamp, Unlocked, Version, VersionId,
    Workspace, WorkspaceId,
};
use crate::rules::{self, Described, Locking, Refusal};
use crate::store::Change;

/// The user that imports, and the id of its locks.
pub(super) const IMPORT: &str = "import";

/// True for a version that an import wrote: where it is current, nobody has worked here since.
pub(crate) fn is_imported(version: &Version) -> bool {
    let Holder { name, lock_id, .. } = &version.creator;
    name == IMPORT && lock_id.as_deref() == Some(IMPORT)
}

/// In whose name states are imported.
#[derive(Debug, Clone)]
pub struct Importer {
    who: String,
    holder: Holder,
    reason: String,
}

/// A state that is brought from elsewhere.
#[derive(Debug, Clone)]
pub struct ImportedState {
    /// Its bytes.
    pub bytes: Bytes,
    /// When it was made, if that is known.
    pub created_at: Option<Timestamp>,
    /// True if its serial and lineage were not compared where it comes from.
    pub forced: bool,
    /// Its origin, for the audit log.
    pub origin: String,
    /// True if nothing follows: the workspace is unlocked with it.
    pub is_last: bool,
}

impl Service {
    /// The user that imports, made if need be. The audit log has `by`, and the lock of each
    /// workspace has the reason.
    pub async fn importer(&self, by: &str, reason: String) -> Result<Importer, Failure> {
        let user = self.ensure_user(by, IMPORT).await?;
        let id = user.id.as_str().to_owned();
        let holder = Holder {
            kind: HolderKind::User,
            id,
            name: user.name,
            lock_id: Some(IMPORT.to_owned()),
        };
        Ok(Importer {
            who: by.to_owned(),
            holder,
            reason,
        })
    }

    /// The facts about a state that is to be imported. It is refused if it is damaged.
    pub async fn describe_state(&self, bytes: Bytes) -> Result<Described, Failure> {
        let state = self.read_state(bytes).await?;
        let content = &state.content;
        if state.bytes.is_empty() {
            return Err(Refusal::unprocessable("", "it is empty").into());
        }
        if let Some(why) = &content.summary.unreadable {
            let is_known = match (content.rewriting, content.format_version) {
                (Rewriting::Encrypted, _)
                | (Rewriting::Possible | Rewriting::NoSerial, Some(1..=3)) => true,
                // One with too many outputs is whole.
                (Rewriting::Possible | Rewriting::NoSerial, Some(4)) => {
                    StateFile::parse(&state.bytes).is_ok()
                }
                (Rewriting::Possible | Rewriting::NoSerial, _) => false,
            };
            if !is_known {
                return Err(Refusal::unprocessable("", format!("it cannot be read: {why}")).into());
            }
        }
        let serial = content
            .serial
            .ok_or_else(|| Refusal::unprocessable("", "it has no serial"))?;
        Ok(Described {
            serial,
            lineage: content.lineage.clone(),
            md5: content.md5.clone(),
        })
    }

    /// Refuses a workspace that is locked, unless an import locked it.
    pub fn may_import(&self, workspace: &Workspace) -> Result<(), Refusal> {
        let locked = workspace
            .lock
            .as_ref()
            .filter(|lock| !lock.has_ended(self.now()));
        match locked.filter(|lock| lock.holder.lock_id.as_deref() != Some(IMPORT)) {
            Some(lock) => Err(Refusal::conflict(format!(
                "workspace {} is locked by {} since {}",
                workspace.name, lock.holder, lock.at
            ))),
            None => Ok(()),
        }
    }

    /// The workspace of an import, made if it is missing, and locked.
    pub async fn begin_import(
        &self,
        importer: &Importer,
        organization: &OrganizationId,
        new: NewWorkspace,
    ) -> Result<WorkspaceId, Failure> {
        let found = self.store.workspace(organization, &new.name).await?;
        let id = if let Some(found) = found {
            found.id
        } else {
            let project = new
                .project
                .clone()
                .unwrap_or_else(|| Project::default_of(organization));
            self.make_workspace(importer.who.clone(), organization.clone(), project, new)
                .await?
                .id
        };
        self.change(&id, |snapshot, at| {
            match rules::lock(snapshot, &importer.holder)? {
                Locking::Replay => Ok(Decided::Nothing(())),
                Locking::Take => {
                    let (holder, reason) = (importer.holder.clone(), importer.reason.clone());
                    let name = &snapshot.workspace.name;
                    let entry = audit_as(
                        &importer.who,
                        snapshot,
                        at,
                        "workspace.lock",
                        name,
                        reason.clone(),
                    );
                    let lock = Lock {
                        holder,
                        reason,
                        at,
                        client: "upstate-server import".to_owned(),
                        info: None,
                        until: None,
                    };
                    Ok(Decided::Write {
                        changes: vec![Change::Lock(lock)],
                        audit: vec![entry],
                        result: (),
                    })
                }
            }
        })
        .await?;
        Ok(id)
    }

    /// Writes a state as the next version of a locked workspace, if `after` is still its current
    /// one.
    pub async fn import_version(
        &self,
        importer: &Importer,
        workspace: &WorkspaceId,
        after: Option<&VersionId>,
        new: ImportedState,
    ) -> Result<VersionId, Failure> {
        let ImportedState {
            bytes,
            created_at,
            forced,
            origin,
            is_last,
        } = new;
        let state = self.read_state(bytes).await?;
        let Content {
            serial,
            md5,
            lineage,
            ..
        } = &state.content;
        let serial = serial.ok_or_else(|| Refusal::unprocessable("", "it has no serial"))?;
        self.change(workspace, |snapshot, at| {
            rules::holds_lock(snapshot, &importer.holder)?;
            if snapshot.workspace.head.as_ref() != after {
                return Err(Refusal::conflict("another client wrote to it meanwhile").into());
            }
            let created_at = created_at.unwrap_or(at);
            let version = Version {
                serial,
                lineage: lineage.clone(),
                md5: md5.clone(),
                forced,
                ..next_version(snapshot, &importer.holder, created_at)
            };
            let id = version.id.clone();
            let finalize = finalize(snapshot, &id, lineage.clone(), &state, None, created_at);
            let detail = format!("serial {serial}, {origin}");
            let mut audit = vec![audit_as(
                &importer.who,
                snapshot,
                at,
                "state-version.import",
                &id,
                detail,
            )];
            let mut changes: Vec<Change> = snapshot
                .pending
                .iter()
                .map(|late| Change::Discard(late.id.clone()))
                .collect();
            changes.extend([Change::Insert(Box::new(version)), finalize]);
            if is_last {
                let name = &snapshot.workspace.name;
                audit.push(audit_as(
                    &importer.who,
                    snapshot,
                    at,
                    "workspace.unlock",
                    name,
                    String::new(),
                ));
                changes.push(Change::Unlock(Some(Unlocked {
                    holder: importer.holder.clone(),
                    at,
                })));
            }
            Ok(Decided::Write {
                changes,
                audit,
                result: id,
            })
        })
        .await
    }
}
