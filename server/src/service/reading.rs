//! Reading versions, their bytes and their outputs.

use std::net::IpAddr;

use bytes::Bytes;

use super::access::unseen;
use super::{Access, Failure, Service, Signed, Use};
use crate::content;
use crate::model::{
    Backing, ContentKind, Output, OutputId, Permission, Principal, Status, User, UserId, Version,
    VersionId, Workspace, WorkspaceId,
};
use crate::rules::{Refusal, RefusalKind};
use crate::store::{Beside, Listed, Page, StoreError};

/// A version as it is shown: with its neighbours and outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The version.
    pub version: Version,
    /// The records stored with it.
    pub beside: Beside,
    /// For whom it is shown: URLs are signed for nobody else, and for nothing that they may not do.
    pub access: Access,
}

/// The metadata of a download.
#[derive(Debug, Clone, Copy)]
pub enum Bearer<'a> {
    /// A signed URL, and the address that it came from.
    Url(&'a Signed, Option<IpAddr>),
    /// A token.
    Token(&'a Principal),
    /// Nothing.
    NoOne,
}

/// Bytes that somebody may read.
#[derive(Debug, Clone)]
pub struct Readable {
    principal: Principal,
    workspace: Workspace,
    version: Version,
    kind: ContentKind,
}

impl Readable {
    /// The reader.
    pub const fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The number of bytes, as far as is known before they are read: a JSON state is about twice as
    /// long as its state.
    pub fn size(&self) -> usize {
        let size = self
            .version
            .finalized
            .as_ref()
            .map_or(0, |finalized| finalized.size);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        match self.kind {
            ContentKind::State => size,
            ContentKind::JsonState => size.saturating_mul(2),
        }
    }
}

impl Service {
    async fn shown(&self, access: Access, version: Version) -> Result<Shown, Failure> {
        let mut shown = self.all_shown(&access, vec![version]).await?;
        Ok(shown
            .pop()
            .ok_or_else(|| StoreError::new("a version has no record next to it"))?)
    }

    async fn all_shown(
        &self,
        access: &Access,
        versions: Vec<Version>,
    ) -> Result<Vec<Shown>, Failure> {
        let beside = self.store.beside(&versions).await?;
        let pairs = versions.into_iter().zip(beside);
        Ok(pairs
            .map(|(version, beside)| Shown {
                version,
                beside,
                access: access.clone(),
            })
            .collect())
    }

    /// The version of an id.
    pub async fn version(&self, principal: &Principal, id: &VersionId) -> Result<Shown, Failure> {
        let unknown = || unseen(principal, &format!("state version {id}"));
        let found = self.store.version_beside(id).await?;
        let (version, workspace, beside) = found.ok_or_else(unknown)?;
        let access = Access::on(principal, &workspace).ok_or_else(unknown)?;
        access.require(Permission::ReadState)?;
        match beside {
            Some(beside) => Ok(Shown {
                version,
                beside,
                access,
            }),
            None => self.shown(access, version).await,
        }
    }

    /// The current version of a workspace. Only a workspace without any state gets "not found": a
    /// client that believes that there is no state creates everything again.
    pub async fn current(
        &self,
        principal: &Principal,
        workspace: &WorkspaceId,
    ) -> Result<Shown, Failure> {
        let (access, snapshot) = self.workspace(principal, workspace).await?;
        access.require(Permission::ReadState)?;
        match snapshot.head {
            Some(head) => self.shown(access, head).await,
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
        let (access, workspace) = self
            .named_workspace(principal, organization, workspace)
            .await?;
        access.require(Permission::ReadState)?;
        let Listed { items, total } = self.store.versions(&workspace.id, statuses, page).await?;
        Ok(Listed {
            items: self.all_shown(&access, items).await?,
            total,
        })
    }

    fn may_read_outputs(access: &Access) -> Result<(), Refusal> {
        access
            .require(Permission::ReadOutputs)
            .or_else(|refusal| access.require(Permission::ReadState).map_err(|_| refusal))
    }

    /// A page of the outputs of a version.
    pub async fn outputs(
        &self,
        principal: &Principal,
        id: &VersionId,
        page: Page,
    ) -> Result<Listed<Output>, Failure> {
        let (access, _, version) = self.visible_version(principal, id).await?;
        Self::may_read_outputs(&access)?;
        has_bytes(&version)?;
        self.listed_outputs(&version, page).await
    }

    /// That there are none is said only where it is so: a state may have more than are listed.
    async fn listed_outputs(
        &self,
        version: &Version,
        page: Page,
    ) -> Result<Listed<Output>, Failure> {
        let _turn = self.turn().await?;
        let listed = self.store.outputs(&version.id, page).await?;
        if listed.total == 0 {
            let beside = self.store.beside(std::slice::from_ref(version)).await?;
            let why = beside
                .into_iter()
                .next()
                .and_then(|beside| beside.summary?.unreadable);
            if let Some(why) = why.filter(|why| content::are_not_listed(why)) {
                let detail = format!(
                    "The outputs of state version {} are not listed: {why}. Download the state",
                    version.id
                );
                return Err(Refusal::conflict(detail).into());
            }
        }
        Ok(listed)
    }

    /// A page of the outputs of a workspace's current version; none if there is no state.
    pub async fn current_outputs(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        page: Page,
    ) -> Result<Listed<Output>, Failure> {
        let (access, snapshot) = self.workspace(principal, id).await?;
        Self::may_read_outputs(&access)?;
        match snapshot.head {
            Some(head) => self.listed_outputs(&head, page).await,
            None => Err(no_state(id).into()),
        }
    }

    /// An output.
    pub async fn output(&self, principal: &Principal, id: &OutputId) -> Result<Output, Failure> {
        let unknown = || Refusal::not_found(format!("state version output {id}"));
        let found = {
            let _turn = self.turn().await?;
            self.store.output(id).await?
        };
        let output = found.ok_or_else(unknown)?;
        let (access, workspace, version) =
            match self.visible_version(principal, &output.version).await {
                Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::NotFound => {
                    return Err(unknown().into());
                }
                other => other?,
            };
        Self::may_read_outputs(&access)?;
        has_bytes(&version)?;
        if output.sensitive {
            self.note_read(principal, &workspace, "output.read", &output.name)
                .await;
        }
        Ok(output)
    }

    /// The bytes of a version that the bearer of a signed URL may read, or a token that reads
    /// states.
    pub async fn readable_by(
        &self,
        bearer: Bearer<'_>,
        id: &VersionId,
        kind: ContentKind,
    ) -> Result<Readable, Failure> {
        let (principal, workspace, version) = match bearer {
            Bearer::Url(signed, from) => self.verify(id, kind, Use::Get, signed, from).await?,
            Bearer::Token(principal) => {
                let (access, workspace, version) = self.visible_version(principal, id).await?;
                access.require(Permission::ReadState)?;
                (principal.clone(), workspace, version)
            }
            Bearer::NoOne => {
                return Err(Refusal::new(
                    RefusalKind::Unauthorized,
                    "The URL is not signed and there is no token",
                )
                .into());
            }
        };
        has_bytes(&version)?;
        Ok(Readable {
            principal,
            workspace,
            version,
            kind,
        })
    }

    /// The bytes of a version, noted in the audit log.
    pub async fn read(&self, readable: &Readable) -> Result<Bytes, Failure> {
        let Readable {
            principal,
            workspace,
            version,
            kind,
        } = readable;
        let id = &version.id;
        let (bytes, action) = match kind {
            ContentKind::State => (self.state_of(version).await?, "state.read"),
            ContentKind::JsonState => {
                let none = || Refusal::not_found(format!("{} of state version {id}", kind.name()));
                let _turn = self.turn().await?;
                let found = self.store.bytes(id, *kind).await?;
                (found.ok_or_else(none)?, "json-state.read")
            }
        };
        // An empty answer would be taken for "no state".
        if bytes.is_empty() {
            return Err(StoreError::new(format!("the bytes of version {id} are empty")).into());
        }
        self.note_read(principal, workspace, action, id).await;
        Ok(bytes)
    }

    /// The state of a version. One that was deleted since the version was looked up is refused, and
    /// never as "not found", which a client takes for "no state"; one that is lost is a failure.
    pub(super) async fn state_of(&self, version: &Version) -> Result<Bytes, Failure> {
        has_bytes(version)?;
        let id = &version.id;
        if let Some(bytes) = self.store.bytes(id, ContentKind::State).await? {
            return Ok(bytes);
        }
        let now = self.store.version(id).await?;
        if now.is_some_and(|now| has_bytes(&now).is_ok()) {
            return Err(StoreError::new(format!("the state of version {id} is missing")).into());
        }
        let detail = format!("State version {id} was deleted while it was read");
        Err(Refusal::conflict(detail).into())
    }

    /// A user of an organization that a principal may see, or the one that it speaks for.
    pub async fn user(&self, principal: &Principal, id: &UserId) -> Result<User, Failure> {
        let unknown = || Refusal::not_found(format!("user {id}"));
        let user = self.store.user_by_id(id).await?.ok_or_else(unknown)?;
        let mut is_visible = principal.kind.user() == Some(id);
        for organization in principal.organizations() {
            is_visible = is_visible || self.store.is_user_of(id, organization).await?;
        }
        if is_visible {
            Ok(user)
        } else {
            Err(unknown().into())
        }
    }
}

fn no_state(workspace: &WorkspaceId) -> Refusal {
    Refusal::new(
        RefusalKind::NotFound,
        format!("The workspace {workspace} has no state yet"),
    )
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
    Err(Refusal::new(
        RefusalKind::NotFound,
        format!("The backing data of state version {} {why}", version.id),
    ))
}
