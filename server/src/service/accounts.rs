//! Organizations, users, teams and tokens, as commands and administrators make them.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::{Access, Failure, Service, access, audit_elsewhere, who};
use crate::model::{
    AuditEntry, Organization, OrganizationId, Permission, Permissions, Principal, Team, TeamId,
    Token, TokenId, TokenKind, User, UserId, WorkspaceId,
};
use crate::rules::{Refusal, RefusalKind};
use crate::store::NewOwner;

/// For whom a token is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenFor {
    /// A user, by name, who is made if need be, as a member of the teams of an organization.
    Member {
        /// The user's name.
        name: String,
        /// The organization.
        organization: OrganizationId,
        /// The part of the teams' permissions that the token keeps.
        within: Permissions,
    },
    /// A team.
    Team(TeamId),
    /// An organization.
    Organization(OrganizationId),
    /// A workspace.
    Workspace(WorkspaceId),
}

/// A token just made: its secret is shown this once.
#[derive(Clone, PartialEq, Eq)]
pub struct NewToken {
    /// The token.
    pub token: Token,
    /// Its secret.
    pub secret: String,
}

impl std::fmt::Debug for NewToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewToken")
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}

/// Names of organizations and users: what may stand in a URL as it is.
pub(super) fn check_name(what: &str, name: &str) -> Result<(), Refusal> {
    let is_valid = (1..=90).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'@'));
    if is_valid {
        return Ok(());
    }
    let detail =
        format!("The name of {what} must be 1 to 90 letters, digits, - _ . and @, found {name:?}");
    Err(Refusal::unprocessable("/data/attributes/name", detail))
}

/// The longest description, in bytes.
const LONGEST_DESCRIPTION: usize = 10_000;

/// Refuses a description that nobody would read: a list has those of many things.
pub(super) fn check_description(description: &str) -> Result<(), Refusal> {
    let bytes = description.len();
    if bytes <= LONGEST_DESCRIPTION {
        return Ok(());
    }
    let detail = format!(
        "description has {bytes} bytes, and {LONGEST_DESCRIPTION} are the most that are taken"
    );
    Err(Refusal::unprocessable(
        "/data/attributes/description",
        detail,
    ))
}

/// The first user, whom the server makes itself.
pub const OWNER: &str = "owner";

/// The team of an organization's first user.
pub const OWNERS: &str = "owners";

impl Service {
    /// The organization of this name, made if need be; whether it was.
    pub async fn ensure_organization(
        &self,
        by: &str,
        name: &str,
    ) -> Result<(Organization, bool), Failure> {
        check_name("an organization", name)?;
        let organization = Organization {
            id: OrganizationId::new(),
            name: name.to_owned(),
            created_at: self.now(),
        };
        let entry = audit_elsewhere(
            by.to_owned(),
            organization.created_at,
            "organization.create",
            Some(organization.id.clone()),
            name,
        );
        if self.store.add_organization(&organization, entry).await? {
            return Ok((organization, true));
        }
        let found = self.store.organization(name).await?;
        Ok((
            found.ok_or_else(|| Refusal::not_found(format!("organization {name:?}")))?,
            false,
        ))
    }

    /// The user of this name, made if need be.
    pub async fn ensure_user(&self, by: &str, name: &str) -> Result<User, Failure> {
        check_name("a user", name)?;
        let user = User {
            id: UserId::new(),
            name: name.to_owned(),
            created_at: self.now(),
        };
        let entry = audit_elsewhere(by.to_owned(), user.created_at, "user.create", None, name);
        if self.store.add_user(&user, entry).await? {
            return Ok(user);
        }
        let found = self.store.user(name).await?;
        Ok(found.ok_or_else(|| Refusal::not_found(format!("user {name:?}")))?)
    }

    /// Makes a token. `secret` is its secret if it is given from outside.
    pub async fn create_token(
        &self,
        by: &str,
        owner: TokenFor,
        description: &str,
        lasts: Option<Duration>,
        secret: Option<String>,
    ) -> Result<NewToken, Failure> {
        check_description(description)?;
        let (kind, place) = match owner {
            TokenFor::Member {
                name,
                organization,
                within,
            } => {
                let limit = if within == Permissions::ALL {
                    String::new()
                } else {
                    format!(", of that only {within}")
                };
                let detail = format!("of user {name}, as the user's teams allow{limit}");
                let place = (Some(organization.clone()), detail);
                (
                    TokenKind::Member {
                        user: self.ensure_user(by, &name).await?.id,
                        organization,
                        within,
                    },
                    place,
                )
            }
            TokenFor::Team(id) => {
                let unknown = || Refusal::not_found(format!("team {id}"));
                let team = self.store.team_by_id(&id).await?.ok_or_else(unknown)?;
                (
                    TokenKind::Team(id),
                    (Some(team.organization), format!("of team {}", team.name)),
                )
            }
            TokenFor::Workspace(id) => {
                let workspace = self.snapshot(&id).await?.workspace;
                let place = (
                    Some(workspace.organization.clone()),
                    format!("of workspace {}", workspace.name),
                );
                (
                    TokenKind::Workspace {
                        workspace: id,
                        organization: workspace.organization,
                    },
                    place,
                )
            }
            TokenFor::Organization(id) => (
                TokenKind::Organization(id.clone()),
                (Some(id), "of the organization".to_owned()),
            ),
        };
        let (new, entry) = self.new_token(by, kind, place, description, lasts, secret);
        if !self.store.add_token(&new.token, entry).await? {
            return Err(Refusal::new(
                RefusalKind::Conflict,
                "There is a token with this secret already",
            )
            .into());
        }
        Ok(new)
    }

    /// Makes a user one of the [owners](Self::make_owner) of an organization, with a token; nothing
    /// if the secret, which is given from outside, is or was that of a token. Without a secret, a
    /// store with any token gets none: of several servers that start at the same time, one gets it.
    pub async fn create_owner(
        &self,
        by: &str,
        user: &str,
        organization: &OrganizationId,
        description: &str,
        secret: Option<String>,
    ) -> Result<Option<NewToken>, Failure> {
        let only_first = secret.is_none();
        let user = self.ensure_user(by, user).await?;
        let place = (
            Some(organization.clone()),
            format!("of user {}, as the user's teams allow", user.name),
        );
        let kind = TokenKind::Member {
            user: user.id.clone(),
            organization: organization.clone(),
            within: Permissions::ALL,
        };
        let (new, entry) = self.new_token(by, kind, place, description, None, secret);
        let (team, made) = self.new_team(by.to_owned(), organization, OWNERS, Permissions::ALL);
        let joined = self.about_member(by.to_owned(), &team, &user.name, true);
        let owner = NewOwner {
            token: (new.token.clone(), entry),
            only_first,
            team: (team, made),
            user: (user.id, joined),
        };
        // An owner who left the team stays out of it, also after the next start.
        Ok(self.store.add_owner(&owner).await?.then_some(new))
    }

    /// Makes a user one of the owners of an organization, who may do everything.
    pub async fn make_owner(
        &self,
        by: &str,
        user: &str,
        organization: &OrganizationId,
    ) -> Result<User, Failure> {
        let team = self
            .ensure_team(by, organization, OWNERS, Permissions::ALL)
            .await?;
        self.join(by, &team, user).await
    }

    /// A token that is not kept yet, and what the audit log says about it.
    pub(super) fn new_token(
        &self,
        by: &str,
        kind: TokenKind,
        (organization, detail): (Option<OrganizationId>, String),
        description: &str,
        lasts: Option<Duration>,
        secret: Option<String>,
    ) -> (NewToken, AuditEntry) {
        let secret = secret.unwrap_or_else(|| {
            format!(
                "upstate.{}",
                URL_SAFE_NO_PAD.encode(crate::random::secret())
            )
        });
        let at = self.now();
        let token = Token {
            id: TokenId::new(),
            hash: access::token_hash(&secret),
            kind,
            description: description.to_owned(),
            created_at: at,
            expires_at: lasts.map(|lasts| at.after(lasts)),
        };
        let entry = AuditEntry {
            detail,
            ..audit_elsewhere(by.to_owned(), at, "token.create", organization, &token.id)
        };
        (NewToken { token, secret }, entry)
    }

    /// Makes a team.
    pub async fn create_team(
        &self,
        principal: &Principal,
        organization: &OrganizationId,
        name: &str,
        permissions: Permissions,
    ) -> Result<Team, Failure> {
        let added = self
            .add_team(who(principal), organization, name, permissions)
            .await?;
        let taken =
            || Refusal::unprocessable("/data/attributes/name", "Name has already been taken");
        Ok(added.ok_or_else(taken)?)
    }

    /// Adds a team, unless there is one of this name.
    pub(super) async fn add_team(
        &self,
        by: String,
        organization: &OrganizationId,
        name: &str,
        permissions: Permissions,
    ) -> Result<Option<Team>, Failure> {
        check_name("a team", name)?;
        let (team, entry) = self.new_team(by, organization, name, permissions);
        Ok(self.store.add_team(&team, entry).await?.then_some(team))
    }

    /// A team that is not kept yet, and what the audit log says about it.
    fn new_team(
        &self,
        by: String,
        organization: &OrganizationId,
        name: &str,
        permissions: Permissions,
    ) -> (Team, AuditEntry) {
        let team = Team {
            id: TeamId::new(),
            organization: organization.clone(),
            name: name.to_owned(),
            permissions,
        };
        let entry = AuditEntry {
            detail: permissions.to_string(),
            ..self.of_team(by, &team, "team.create")
        };
        (team, entry)
    }

    /// Changes what the members of a team may do.
    pub async fn change_team(
        &self,
        principal: &Principal,
        team: &Team,
        to: Permissions,
    ) -> Result<(), Failure> {
        let mut entry = self.of_team(who(principal), team, "team.update");
        entry.detail = to.to_string();
        if self.store.set_team_permissions(&team.id, to, entry).await? {
            return Ok(());
        }
        Err(Refusal::not_found(format!("team {}", team.id)).into())
    }

    /// Removes a team with its tokens, and stops the jobs that these requested. Its members keep
    /// their own tokens, which grant nothing by this team any more.
    pub async fn remove_team(&self, principal: &Principal, team: &Team) -> Result<(), Failure> {
        let entry = self.of_team(who(principal), team, "team.remove");
        if self.store.remove_team(&team.id, entry).await? {
            return Ok(());
        }
        Err(Refusal::not_found(format!("team {}", team.id)).into())
    }

    /// A user of an organization, by id or by name. Those of other organizations are not found, so
    /// that nobody learns who they are.
    pub async fn user_of(
        &self,
        organization: &OrganizationId,
        user: &str,
    ) -> Result<User, Failure> {
        let by_id = self.store.user_by_id(&UserId::from_text(user)).await?;
        let found = match by_id {
            Some(found) => Some(found),
            None => self.store.user(user).await?,
        };
        if let Some(found) = found
            && self.store.is_user_of(&found.id, organization).await?
        {
            return Ok(found);
        }
        let detail = format!("user {user:?} in this organization; make a token for them first");
        Err(Refusal::not_found(detail).into())
    }

    /// Makes a user a member of a team, or no longer one.
    pub async fn set_member(
        &self,
        principal: &Principal,
        team: &Team,
        user: &User,
        member: bool,
    ) -> Result<(), Failure> {
        self.set_member_by(who(principal), team, user, member).await
    }

    /// Makes a user a member of a team, or no longer one, by somebody who may.
    pub(super) async fn set_member_by(
        &self,
        by: String,
        team: &Team,
        user: &User,
        member: bool,
    ) -> Result<(), Failure> {
        let entry = self.about_member(by, team, &user.name, member);
        Ok(self
            .store
            .set_member(&team.id, &user.id, member, entry)
            .await?)
    }

    fn about_member(&self, by: String, team: &Team, user: &str, member: bool) -> AuditEntry {
        let action = if member {
            "team.add-member"
        } else {
            "team.remove-member"
        };
        AuditEntry {
            detail: user.to_owned(),
            ..self.of_team(by, team, action)
        }
    }

    fn of_team(&self, by: String, team: &Team, action: &'static str) -> AuditEntry {
        self.audit_now(by, action, Some(team.organization.clone()), &team.name)
    }

    /// The tokens that grant something in an organization by themselves: those of its teams, its
    /// own, and users' for it alone.
    pub async fn tokens_of(&self, organization: &OrganizationId) -> Result<Vec<Token>, Failure> {
        let teams = self.store.teams(organization).await?;
        let mut tokens = self.store.tokens().await?;
        tokens.retain(|token| match &token.kind {
            TokenKind::User(_) | TokenKind::Session(_) => false,
            TokenKind::Team(team) => teams.iter().any(|one| one.id == *team),
            TokenKind::Organization(own)
            | TokenKind::Member {
                organization: own, ..
            }
            | TokenKind::Workspace {
                organization: own, ..
            }
            | TokenKind::Workload {
                organization: own, ..
            } => own == organization,
        });
        Ok(tokens)
    }

    /// The tokens and sessions of the user for whom a principal speaks, as far as they grant no
    /// more than it does.
    pub async fn own_tokens(&self, principal: &Principal) -> Result<Vec<Token>, Failure> {
        let now = self.now();
        let mut tokens = self.store.tokens().await?;
        tokens.retain(|token| {
            let is_over = token.expires_at.is_some_and(|at| at <= now);
            !is_over && (token.id == principal.token || covers(&principal.kind, &token.kind))
        });
        Ok(tokens)
    }

    /// Removes one of the [tokens and sessions](Self::own_tokens) of a principal's user.
    pub async fn remove_own_token(
        &self,
        principal: &Principal,
        id: &TokenId,
    ) -> Result<(), Failure> {
        let unknown = || Refusal::not_found(format!("token {id}"));
        let token = self
            .own_tokens(principal)
            .await?
            .into_iter()
            .find(|token| token.id == *id)
            .ok_or_else(unknown)?;
        let action = if matches!(token.kind, TokenKind::Session(_)) {
            "session.end"
        } else {
            "token.remove"
        };
        let organization = match token.kind {
            TokenKind::Member { organization, .. } => Some(organization),
            TokenKind::User(_)
            | TokenKind::Session(_)
            | TokenKind::Team(_)
            | TokenKind::Organization(_)
            | TokenKind::Workspace { .. }
            | TokenKind::Workload { .. } => None,
        };
        let entry = self.audit_now(who(principal), action, organization, id);
        if self.store.remove_token(id, entry).await? {
            Ok(())
        } else {
            Err(unknown().into())
        }
    }

    /// Removes a token of an organization that the principal administrates.
    pub async fn remove_token(&self, principal: &Principal, id: &TokenId) -> Result<(), Failure> {
        let (organization, _) = self.administrated_token(principal, id).await?;
        let organization = Some(organization);
        let entry = self.audit_now(who(principal), "token.remove", organization, id);
        self.store.remove_token(id, entry).await?;
        Ok(())
    }

    /// A token of an organization that a principal administrates, and that organization.
    pub async fn administrated_token(
        &self,
        principal: &Principal,
        id: &TokenId,
    ) -> Result<(OrganizationId, Token), Failure> {
        let unknown = || Refusal::not_found(format!("token {id}"));
        for organization in principal.organizations() {
            let tokens = self.tokens_of(organization).await?;
            if let Some(token) = tokens.into_iter().find(|token| token.id == *id) {
                Access::of(principal, organization)
                    .ok_or_else(unknown)?
                    .require(Permission::Admin)?;
                return Ok((organization.clone(), token));
            }
        }
        Err(unknown().into())
    }
}

/// True if a token of a user grants all that another one of the same user does.
fn covers(own: &TokenKind, other: &TokenKind) -> bool {
    if own.user().is_none() || own.user() != other.user() {
        return false;
    }
    match (own, other) {
        (TokenKind::User(_) | TokenKind::Session(_), _) => true,
        (
            TokenKind::Member {
                organization,
                within,
                ..
            },
            TokenKind::Member {
                organization: elsewhere,
                within: others,
                ..
            },
        ) => organization == elsewhere && within.and(*others) == *others,
        (
            TokenKind::Member { .. }
            | TokenKind::Team(_)
            | TokenKind::Organization(_)
            | TokenKind::Workspace { .. }
            | TokenKind::Workload { .. },
            _,
        ) => false,
    }
}
