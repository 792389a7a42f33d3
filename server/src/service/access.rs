//! Principals, and their permissions.

use sha2::{Digest as _, Sha256};

use super::{Failure, Service};
use crate::model::{
    Holder, HolderKind, Lock, Organization, OrganizationId, Permission, Permissions, Place,
    Principal, ProjectId, TokenId, TokenKind, VersionId, WorkspaceId,
};
use crate::model::{Version, Workspace};
use crate::rules::{Refusal, RefusalKind, Snapshot};

/// The permissions of a principal at one place of an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The token's id.
    pub token: TokenId,
    /// The organization's id.
    pub organization: OrganizationId,
    /// The place.
    pub place: Place,
    /// The permissions there. In an organization they are none for those who only have some inside
    /// of it.
    pub permissions: Permissions,
    /// The kind and the name of the token's owner, for messages.
    owner: (&'static str, String),
}

impl Access {
    fn at(
        principal: &Principal,
        organization: &OrganizationId,
        place: Place,
        permissions: Permissions,
    ) -> Self {
        let owner = (principal.owner(), principal.name.clone());
        Self {
            token: principal.token.clone(),
            organization: organization.clone(),
            place,
            permissions,
            owner,
        }
    }

    /// The permissions of a principal in an organization that it may see.
    pub(crate) fn of(principal: &Principal, organization: &OrganizationId) -> Option<Self> {
        let access = || {
            Self::at(
                principal,
                organization,
                Place::Organization,
                principal.permissions(organization),
            )
        };
        principal.sees(organization).then(access)
    }

    /// The permissions of a principal in a workspace, if any.
    pub(super) fn on(principal: &Principal, workspace: &Workspace) -> Option<Self> {
        let permissions = principal.permissions_on(workspace);
        let access = || {
            Self::at(
                principal,
                &workspace.organization,
                Place::Workspace(workspace.id.clone()),
                permissions,
            )
        };
        (!permissions.is_empty()).then(access)
    }

    /// The permissions of a principal in a project; `None` if there are none.
    pub(super) fn in_project(
        principal: &Principal,
        organization: &OrganizationId,
        project: &ProjectId,
    ) -> Option<Self> {
        let permissions = principal.permissions_in(organization, project);
        let access = || {
            Self::at(
                principal,
                organization,
                Place::Project(project.clone()),
                permissions,
            )
        };
        (!permissions.is_empty()).then(access)
    }

    /// Refuses what is not allowed: the organization is visible, so 403 and not 404 is the honest
    /// answer, and the one after which no client believes that there is no state.
    pub fn require(&self, permission: Permission) -> Result<(), Refusal> {
        if self.permissions.allow(permission) {
            return Ok(());
        }
        let (kind, name) = &self.owner;
        Err(lacking(
            (&self.token, *kind, name.as_str()),
            permission,
            &format!("this {}", self.place.name()),
        ))
    }

    /// Refuses what is not allowed with all of some permissions.
    pub fn require_all(&self, permissions: &[Permission]) -> Result<(), Refusal> {
        permissions
            .iter()
            .try_for_each(|permission| self.require(*permission))
    }
}

/// The permissions to make state versions: they are shown to the client that made them, and made of
/// versions that are there already.
pub const WRITING: [Permission; 2] = [Permission::WriteState, Permission::ReadState];

/// The hash under which a token is kept. Tokens are 32 random bytes, so one round of SHA-256 is as
/// strong as any slow hash.
pub(super) fn token_hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// The holder of the locks that a principal takes: its user, team, workspace or trust. Organization
/// tokens only read.
pub(super) fn holder(principal: &Principal, lock_id: Option<String>) -> Option<Holder> {
    let (kind, id) = match &principal.kind {
        TokenKind::User(user) | TokenKind::Session(user) | TokenKind::Member { user, .. } => {
            (HolderKind::User, user.as_str())
        }
        TokenKind::Team(team) => (HolderKind::Team, team.as_str()),
        TokenKind::Workspace { workspace, .. } => (HolderKind::Workspace, workspace.as_str()),
        TokenKind::Workload { trust, .. } => (HolderKind::Workload, trust.as_str()),
        TokenKind::Organization(_) => return None,
    };
    Some(Holder {
        kind,
        id: id.to_owned(),
        name: principal.name.clone(),
        lock_id,
    })
}

/// True if a lock is a principal's own: it may give it back, and work under it.
pub fn is_own(principal: &Principal, lock: &Lock) -> bool {
    holder(principal, None).is_some_and(|holder| lock.holder.is(&holder))
}

/// True if a principal is a holder, under any of its locks.
pub(super) fn is_holder(principal: &Principal, other: &Holder) -> bool {
    holder(principal, other.lock_id.clone()).is_some_and(|holder| other.is(&holder))
}

/// The refusal of what needs a permission somewhere that a token, which has an owner of a kind and
/// a name, does not have there.
pub(super) fn lacking(
    (token, kind, name): (&TokenId, &str, &str),
    permission: Permission,
    place: &str,
) -> Refusal {
    let permission = permission.name();
    let detail = format!(
        "The token {token} of {kind} {name} does not have the permission {permission} in {place}"
    );
    Refusal::new(RefusalKind::Forbidden, detail)
}

/// The refusal of what is not there, and, in the same words, of what a principal may not see.
pub(super) fn unseen(principal: &Principal, what: &str) -> Refusal {
    let (token, owner, name) = (&principal.token, principal.owner(), &principal.name);
    Refusal::new(
        RefusalKind::NotFound,
        format!("{what} not found, or the token {token} of {owner} {name} may not see it"),
    )
}

/// The access of a principal to a workspace that it may see.
pub(super) fn on(principal: &Principal, workspace: &Workspace) -> Result<Access, Refusal> {
    Access::on(principal, workspace)
        .ok_or_else(|| unseen(principal, &format!("workspace {}", workspace.id)))
}

/// The refusal of a request whose principal lost a permission since it began. Sent again, it is
/// allowed or refused by what the token grants then.
pub(super) fn changed_meanwhile() -> Refusal {
    let detail = "The permissions of the token changed meanwhile, so nothing was changed; send the request again";
    Refusal::new(RefusalKind::Unavailable, detail)
}

impl Service {
    /// For whom a token speaks. The session of a browser is not a token.
    pub async fn authenticate(&self, secret: &str) -> Result<Principal, Failure> {
        let principal = self.authenticate_session(secret).await?;
        if matches!(principal.kind, TokenKind::Session(_)) {
            return Err(Refusal::new(RefusalKind::Unauthorized, "The token is unknown").into());
        }
        Ok(principal)
    }

    /// For whom a token or the session of a browser speaks.
    pub(super) async fn authenticate_session(&self, secret: &str) -> Result<Principal, Failure> {
        let refused = |detail: &str| Failure::from(Refusal::new(RefusalKind::Unauthorized, detail));
        let found = self.store.principal(&token_hash(secret)).await?;
        let principal = found.ok_or_else(|| refused("The token is unknown"))?;
        if principal.expires_at.is_some_and(|at| at <= self.now()) {
            return Err(refused("The token has expired"));
        }
        Ok(principal)
    }

    /// Refuses a principal that lost its token, or a permission, since its request began. A token
    /// that has expired since then was good at that time.
    pub async fn still_may(&self, principal: &Principal) -> Result<(), Failure> {
        let Some(now) = self.store.principal_of(&principal.token).await? else {
            let detail = "The token was revoked meanwhile, so nothing was changed";
            return Err(Refusal::new(RefusalKind::Unauthorized, detail).into());
        };
        if now.keeps(principal) {
            return Ok(());
        }
        Err(changed_meanwhile().into())
    }

    /// An organization that a principal may see.
    pub async fn organization(
        &self,
        principal: &Principal,
        name: &str,
    ) -> Result<(Access, Organization), Failure> {
        let unknown = || unseen(principal, &format!("organization {name:?}"));
        let organization = self.store.organization(name).await?.ok_or_else(unknown)?;
        let access = Access::of(principal, &organization.id).ok_or_else(unknown)?;
        Ok((access, organization))
    }

    /// A workspace that a principal may see.
    pub async fn workspace(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
    ) -> Result<(Access, Snapshot), Failure> {
        let snapshot = self
            .found(id)
            .await?
            .ok_or_else(|| unseen(principal, &format!("workspace {id}")))?;
        Ok((on(principal, &snapshot.workspace)?, snapshot))
    }

    /// A workspace in which a principal has a permission.
    pub async fn allowed(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        permission: Permission,
    ) -> Result<Snapshot, Failure> {
        let (access, snapshot) = self.workspace(principal, id).await?;
        access.require(permission)?;
        Ok(snapshot)
    }

    /// A workspace that a principal may see, by name.
    pub async fn named_workspace(
        &self,
        principal: &Principal,
        organization: &str,
        name: &str,
    ) -> Result<(Access, Workspace), Failure> {
        let (_, organization) = self.organization(principal, organization).await?;
        let unknown = || unseen(principal, &format!("workspace {name:?}"));
        let mut workspace = self
            .store
            .workspace(&organization.id, name)
            .await?
            .ok_or_else(unknown)?;
        let access = Access::on(principal, &workspace).ok_or_else(unknown)?;
        self.drop_ended_lock(&mut workspace);
        Ok((access, workspace))
    }

    /// A version of a workspace that a principal may see.
    pub async fn visible_version(
        &self,
        principal: &Principal,
        id: &VersionId,
    ) -> Result<(Access, Workspace, Version), Failure> {
        let unknown = || unseen(principal, &format!("state version {id}"));
        let (version, workspace) = self.found_with(id).await?.ok_or_else(unknown)?;
        let access = Access::on(principal, &workspace).ok_or_else(unknown)?;
        Ok((access, workspace, version))
    }

    /// A workspace in which a principal may write states, and as whom. Organization tokens get "not
    /// found", as the page says.
    pub(super) async fn writable(
        &self,
        principal: &Principal,
        id: &WorkspaceId,
        lock_id: Option<String>,
    ) -> Result<(Snapshot, Holder), Failure> {
        let (access, snapshot) = self.workspace(principal, id).await?;
        let Some(holder) = holder(principal, lock_id) else {
            let detail = "Organization tokens cannot create state versions or roll back; use the token of a user or a team";
            return Err(Refusal::new(RefusalKind::NotFound, detail).into());
        };
        access.require_all(&WRITING)?;
        Ok((snapshot, holder))
    }
}
