//! `backend "http"` over the same store: one workspace, its state by GET and POST, its lock with an
//! id.

use bytes::Bytes;

use super::versions::CreateVersion;
use super::workspaces::gone;
use super::{Access, Bearer, Failure, NewWorkspace, Readable, Service, access};
use crate::model::{
    ContentKind, Holder, Lock, Permission, Principal, Project, VersionId, Workspace, WorkspaceId,
};
use crate::rules::{self, Refusal, RefusalKind, Snapshot};

/// Terraform's description of its lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpLock {
    /// The id of the lock.
    pub id: String,
    /// The whole JSON object, which others are shown.
    pub info: String,
}

/// A state to be written.
#[derive(Debug, Clone)]
pub struct HttpWrite {
    /// The state.
    pub bytes: Bytes,
    /// The MD5 that the client declared, in hexadecimal digits.
    pub md5: Option<String>,
    /// The id of the lock under which it is written.
    pub lock_id: Option<String>,
    /// True if serial and lineage are not to be compared.
    pub force: bool,
}

/// The lock that a principal took by this backend, and has still. Under one that the server took for
/// it, as for an upgrade, no apply is under way that knows the former name.
fn held_by<'w>(principal: &Principal, workspace: &'w Workspace) -> Option<&'w Lock> {
    let lock = workspace.lock.as_ref()?;
    (lock.is_of_http() && access::is_holder(principal, &lock.holder)).then_some(lock)
}

impl Service {
    /// The workspace behind an address of `backend "http"`. One that the principal may not see is
    /// refused, and a name that is free is not, though that tells them apart: otherwise Terraform
    /// would believe that there is no state, and make everything once more. So it would at a name
    /// that a workspace had, which is refused, too, but to who has the lock of this id: an apply
    /// during which the workspace was renamed stores its state and gives its lock back.
    pub async fn http_workspace(
        &self,
        principal: &Principal,
        organization: &str,
        name: &str,
        lock_id: Option<&str>,
    ) -> Result<(Access, Option<Workspace>), Failure> {
        let has_lock = |workspace: &Workspace| {
            lock_id
                .and_then(|id| access::holder(principal, Some(id.to_owned())))
                .is_some_and(|holder| rules::has_lock(workspace, &holder, self.now()))
        };
        self.http_workspace_if(principal, organization, name, has_lock)
            .await
    }

    /// The workspace behind an address as [`http_workspace`](Self::http_workspace) finds it, for who
    /// locks it. Where the lock of this id was given back already, it would be taken once more by a
    /// request that comes late, and nobody would give that one back.
    pub async fn http_workspace_to_lock(
        &self,
        principal: &Principal,
        organization: &str,
        name: &str,
        lock_id: Option<&str>,
    ) -> Result<(Access, Option<Workspace>), Failure> {
        let has_lock = |workspace: &Workspace| {
            held_by(principal, workspace)
                .is_some_and(|lock| lock.holder.lock_id.as_deref() == lock_id)
        };
        self.http_workspace_if(principal, organization, name, has_lock)
            .await
    }

    /// The workspace behind an address, at the name that it had only if `has_lock` says so.
    async fn http_workspace_if(
        &self,
        principal: &Principal,
        organization: &str,
        name: &str,
        has_lock: impl Fn(&Workspace) -> bool,
    ) -> Result<(Access, Option<Workspace>), Failure> {
        let (none, found) = self.organization(principal, organization).await?;
        let Some((workspace, deleted_at)) = self.store.named(&found.id, name).await? else {
            // It would be made there.
            let first = Project::default_of(&found.id);
            let access = Access::in_project(principal, &found.id, &first);
            return Ok((access.unwrap_or(none), None));
        };
        let is_here = workspace.name == name && deleted_at.is_none();
        let is_open = is_here || (deleted_at.is_none() && has_lock(&workspace));
        match Access::on(principal, &workspace) {
            Some(access) if is_open => Ok((access, Some(workspace))),
            Some(_) => Err(gone(organization, name, &workspace, deleted_at).into()),
            None => Ok((none, is_here.then_some(workspace))),
        }
    }

    /// The workspace of a name, made if it is missing: the first thing that the backend does is to
    /// lock.
    pub async fn http_workspace_made(
        &self,
        principal: &Principal,
        organization: &str,
        name: &str,
        lock_id: Option<&str>,
    ) -> Result<WorkspaceId, Failure> {
        let (access, workspace) = self
            .http_workspace(principal, organization, name, lock_id)
            .await?;
        if let Some(workspace) = workspace {
            return Ok(workspace.id);
        }
        // Otherwise one could be made at the name of another one that was renamed, and may not be
        // seen.
        access.require(Permission::WriteState)?;
        let new = NewWorkspace {
            name: name.to_owned(),
            ..NewWorkspace::default()
        };
        match self.create_workspace(principal, organization, new).await {
            Ok(workspace) => Ok(workspace.id),
            // Somebody else made it meanwhile.
            Err(failure) => match self
                .http_workspace(principal, organization, name, lock_id)
                .await?
            {
                (_, Some(workspace)) => Ok(workspace.id),
                (_, None) => Err(failure),
            },
        }
    }

    /// The current state; `None` only if there has never been one. What is not found is forbidden,
    /// because this backend takes 404 for "no state": a person who lost every team would make
    /// everything once more.
    pub async fn http_state(
        &self,
        principal: &Principal,
        organization: &str,
        name: &str,
    ) -> Result<Option<Readable>, Failure> {
        let found = self.http_state_found(principal, organization, name).await;
        found.map_err(|failure| match failure {
            Failure::Refused(refusal) if refusal.kind == RefusalKind::NotFound => {
                Refusal::new(RefusalKind::Forbidden, refusal.detail).into()
            }
            Failure::Refused(_) | Failure::Store(_) => failure,
        })
    }

    async fn http_state_found(
        &self,
        principal: &Principal,
        organization: &str,
        name: &str,
    ) -> Result<Option<Readable>, Failure> {
        // Before it stores a first state, an apply reads once more, and a read names no lock.
        let has_lock = |workspace: &Workspace| held_by(principal, workspace).is_some();
        let (access, workspace) = self
            .http_workspace_if(principal, organization, name, has_lock)
            .await?;
        access.require(Permission::ReadState)?;
        let Some(head) = workspace.and_then(|workspace| workspace.head) else {
            return Ok(None);
        };
        self.readable_by(Bearer::Token(principal), &head, ContentKind::State)
            .await
            .map(Some)
    }

    /// Writes a state.
    pub async fn http_write(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        write: HttpWrite,
    ) -> Result<VersionId, Failure> {
        let (snapshot, holder) = self.writable(principal, id, write.lock_id.clone()).await?;
        self.may_write_by_http(&snapshot, write.lock_id.as_deref(), &holder)?;
        let state = self.read_sent(principal, write.bytes).await?;
        if let Some(declared) = write.md5.filter(|declared| *declared != state.content.md5) {
            let detail = format!(
                "The MD5 of the state is {}, but Content-MD5 says {declared}",
                state.content.md5
            );
            return Err(Refusal::unprocessable("", detail).into());
        }
        let serial = state.content.serial.unwrap_or_default();
        state.check(serial, "", &state.content.md5, true)?;
        let request = CreateVersion {
            serial,
            md5: state.content.md5.clone(),
            force: write.force,
            ..CreateVersion::default()
        };
        let lock_id = write.lock_id.as_deref();
        self.write_version(
            principal,
            snapshot,
            &holder,
            &request,
            Some(&state),
            |snapshot| self.may_write_by_http(snapshot, lock_id, &holder),
        )
        .await
    }

    fn may_write_by_http(
        &self,
        snapshot: &Snapshot,
        lock_id: Option<&str>,
        holder: &Holder,
    ) -> Result<(), Refusal> {
        match (&snapshot.workspace.lock, lock_id) {
            // Without an id a client does not hold the lock, even if one of its name does.
            (Some(lock), id) if id.is_none() || !lock.holder.is(holder) => Err(Refusal::new(
                RefusalKind::Locked,
                format!("The state is locked by {} since {}", lock.holder, lock.at),
            )),
            (Some(lock), None) => {
                let detail = format!(
                    "The state is locked by {} since {}, and the write names no lock",
                    lock.holder, lock.at
                );
                Err(Refusal::new(RefusalKind::Locked, detail))
            }
            (Some(_), Some(_)) => Ok(()),
            (None, Some(id)) => Err(Refusal::conflict(format!(
                "The lock {id} is gone: another user took it away. Lock again, and check the state"
            ))),
            (None, None) if self.conduct.http_without_lock => Ok(()),
            (None, None) => Err(Refusal::conflict(
                "This workspace is not locked and will only accept state uploads when locked",
            )),
        }
    }

    /// Takes a lock away, as `terraform force-unlock` does, which sends no id.
    pub async fn http_unlock(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        lock_id: Option<String>,
    ) -> Result<(), Failure> {
        match lock_id {
            Some(_) => self.unlock(principal, id, lock_id).await,
            None => self.force_unlock(principal, id).await,
        }
    }
}
