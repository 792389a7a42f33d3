//! Reading versions, their bytes and their outputs.

use bytes::Bytes;

use super::{Access, Failure, Service, Signed, Use};
use crate::model::{
    Backing, ContentKind, Output, OutputId, Permission, Principal, Status, User, UserId, Version, VersionId, WorkspaceId,
};
use crate::rules::{Refusal, RefusalKind};
use crate::store::{Beside, Listed, Page, StoreError};

/// A version as it is shown: with its neighbours and outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The version.
    pub version: Version,
    /// What is stored beside it.
    pub beside: Beside,
}

/// How a version's URLs and actions are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shows {
    /// Whether the URLs for its bytes are: who only reads outputs does not get them.
    pub urls: bool,
}

impl Service {
    /// A version with what is stored beside it.
    pub async fn shown(&self, version: Version) -> Result<Shown, Failure> {
        let mut shown = self.all_shown(vec![version]).await?;
        Ok(shown.pop().ok_or_else(|| StoreError::new("a version has no record next to it"))?)
    }

    async fn all_shown(&self, versions: Vec<Version>) -> Result<Vec<Shown>, Failure> {
        let beside = self.store.beside(&versions).await?;
        Ok(versions.into_iter().zip(beside).map(|(version, beside)| Shown { version, beside }).collect())
    }

    /// The version of an id.
    pub async fn version(&self, principal: &Principal, id: &VersionId) -> Result<Shown, Failure> {
        let (access, _, version) = self.visible_version(principal, id).await?;
        access.require(Permission::ReadState)?;
        self.shown(version).await
    }

    /// The current version of a workspace. Only a workspace without any state gets "not found": a client that
    /// believes that there is no state creates everything again.
    pub async fn current(&self, principal: &Principal, workspace: &WorkspaceId) -> Result<Shown, Failure> {
        let (access, snapshot) = self.workspace(principal, workspace).await?;
        access.require(Permission::ReadState)?;
        match snapshot.head {
            Some(head) => self.shown(head).await,
            None => Err(no_state(workspace).into()),
        }
    }

    /// A page of the versions of a workspace.
    pub async fn versions(
        &self,
        principal: &Principal,
        (organization, workspace): (&str, &str),
        statuses: &[Status],
        page: Page,
    ) -> Result<Listed<Shown>, Failure> {
        let (access, workspace) = self.named_workspace(principal, organization, workspace).await?;
        access.require(Permission::ReadState)?;
        let Listed { items, total } = self.store.versions(&workspace.id, statuses, page).await?;
        Ok(Listed { items: self.all_shown(items).await?, total })
    }

    fn may_read_outputs(access: &Access) -> Result<(), Refusal> {
        access.require(Permission::ReadOutputs).or_else(|refusal| access.require(Permission::ReadState).map_err(|_| refusal))
    }

    /// A page of the outputs of a version.
    pub async fn outputs(&self, principal: &Principal, id: &VersionId, page: Page) -> Result<Listed<Output>, Failure> {
        let (access, _, version) = self.visible_version(principal, id).await?;
        Self::may_read_outputs(&access)?;
        has_bytes(&version)?;
        Ok(self.store.outputs(id, page).await?)
    }

    /// A page of the outputs of a workspace's current version; none if there is no state.
    pub async fn current_outputs(&self, principal: &Principal, id: &WorkspaceId, page: Page) -> Result<Listed<Output>, Failure> {
        let (access, snapshot) = self.workspace(principal, id).await?;
        Self::may_read_outputs(&access)?;
        match snapshot.workspace.head {
            Some(head) => Ok(self.store.outputs(&head, page).await?),
            None => Err(no_state(id).into()),
        }
    }

    /// An output.
    pub async fn output(&self, principal: &Principal, id: &OutputId) -> Result<Output, Failure> {
        let unknown = || Refusal::not_found(format!("state version output {id}"));
        let output = self.store.output(id).await?.ok_or_else(unknown)?;
        let (access, _, version) = match self.visible_version(principal, &output.version).await {
            Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::NotFound => return Err(unknown().into()),
            other => other?,
        };
        Self::may_read_outputs(&access)?;
        has_bytes(&version)?;
        Ok(output)
    }

    /// The bytes of a version, for the bearer of a signed URL or of a token that reads states.
    pub async fn download(
        &self,
        principal: Option<&Principal>,
        signed: Option<&Signed>,
        id: &VersionId,
        kind: ContentKind,
    ) -> Result<Bytes, Failure> {
        let version = match (signed, principal) {
            (Some(signed), _) => {
                self.verify(id, kind, Use::Get, signed)?;
                self.store.version(id).await?.ok_or_else(|| Refusal::not_found(format!("state version {id}")))?
            }
            (None, Some(principal)) => {
                let (access, _, version) = self.visible_version(principal, id).await?;
                access.require(Permission::ReadState)?;
                version
            }
            (None, None) => {
                return Err(Refusal::new(RefusalKind::Unauthorized, "The URL is not signed and there is no token").into());
            }
        };
        has_bytes(&version)?;
        let bytes = self.store.bytes(id, kind).await?;
        match bytes {
            Some(bytes) if !bytes.is_empty() => Ok(bytes),
            Some(_) => Err(StoreError::new(format!("the bytes of version {id} are empty")).into()),
            None => Err(Refusal::not_found(format!("{} of state version {id}", kind.name())).into()),
        }
    }

    /// A user. Ids are random: who knows one was shown it, beside a version or a lock.
    pub async fn user(&self, id: &UserId) -> Result<User, Failure> {
        Ok(self.store.user_by_id(id).await?.ok_or_else(|| Refusal::not_found(format!("user {id}")))?)
    }
}

fn no_state(workspace: &WorkspaceId) -> Refusal {
    Refusal::new(RefusalKind::NotFound, format!("The workspace {workspace} has no state yet"))
}

/// Refuses a version whose bytes are not to be had.
pub(super) fn has_bytes(version: &Version) -> Result<(), Refusal> {
    let why = match (version.status, version.backing) {
        (Status::Finalized, Backing::Available) => return Ok(()),
        (Status::Finalized, Backing::SoftDeleted) => "is deleted; it can be restored",
        (Status::Finalized, Backing::PermanentlyDeleted) => "is permanently deleted",
        (Status::Pending, _) => "is not uploaded yet",
        (Status::Discarded, _) => "was never uploaded: the state version was discarded",
    };
    Err(Refusal::new(RefusalKind::NotFound, format!("The backing data of state version {} {why}", version.id)))
}
