//! Organizations, users, teams, tokens, and what they may do.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use super::{
    OrganizationId, Place, ProjectId, TeamId, Timestamp, TokenId, TrustId, UserId, Workspace,
    WorkspaceId,
};

/// One thing that a token may allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Permission {
    /// Read state versions and their bytes.
    ReadState,
    /// Create state versions and roll back.
    WriteState,
    /// Read outputs.
    ReadOutputs,
    /// Lock and unlock workspaces.
    Lock,
    /// Take away somebody's lock.
    ForceUnlock,
    /// Everything else: workspaces, tokens, retention, deleted bytes.
    Admin,
}

impl Permission {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::ReadState,
        Self::WriteState,
        Self::ReadOutputs,
        Self::Lock,
        Self::ForceUnlock,
        Self::Admin,
    ];

    /// Its name, as commands take it and the store keeps it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadState => "read-state",
            Self::WriteState => "write-state",
            Self::ReadOutputs => "read-outputs",
            Self::Lock => "lock",
            Self::ForceUnlock => "force-unlock",
            Self::Admin => "admin",
        }
    }

    const fn bit(self) -> u8 {
        match self {
            Self::ReadState => 1,
            Self::WriteState => 2,
            Self::ReadOutputs => 4,
            Self::Lock => 8,
            Self::ForceUnlock => 16,
            Self::Admin => 32,
        }
    }
}

/// A set of permissions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Permissions(u8);

impl Permissions {
    /// None at all.
    pub const NONE: Self = Self(0);
    /// The permissions of an organization token, and those in a workspace that is shared.
    pub const READ: Self = Self::NONE
        .with(Permission::ReadState)
        .with(Permission::ReadOutputs);
    /// The permissions of a workspace's token in it: those that Terraform needs.
    pub const CLIENT: Self = Self::READ
        .with(Permission::WriteState)
        .with(Permission::Lock);
    /// The permissions of an owner.
    pub const ALL: Self = Self(63);

    /// With one more.
    #[must_use]
    pub const fn with(self, permission: Permission) -> Self {
        Self(self.0 | permission.bit())
    }

    /// True if it is among them.
    pub const fn allow(self, permission: Permission) -> bool {
        self.0 & permission.bit() != 0
    }

    /// True if there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those of both.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those that both have.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// By name, separated by commas.
impl fmt::Display for Permissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for permission in Permission::ALL
            .into_iter()
            .filter(|permission| self.allow(*permission))
        {
            if !std::mem::take(&mut first) {
                f.write_str(",")?;
            }
            f.write_str(permission.name())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Permissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{self}]")
    }
}

impl FromStr for Permissions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut permissions = Self::NONE;
        for name in text
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            let Some(permission) = Permission::ALL
                .into_iter()
                .find(|permission| permission.name() == name)
            else {
                let all = Permission::ALL.map(Permission::name).join(", ");
                return Err(format!(
                    "{name:?} is not a permission; expected one of {all}"
                ));
            };
            permissions = permissions.with(permission);
        }
        Ok(permissions)
    }
}

/// An organization: what workspaces belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organization {
    /// Its id.
    pub id: OrganizationId,
    /// Its name, by which clients know it.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The user's id.
    pub id: UserId,
    /// The user's name.
    pub name: String,
    /// When the user was made.
    pub created_at: Timestamp,
}

/// A team of an organization: permissions that its members share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// Its id.
    pub id: TeamId,
    /// The organization's id.
    pub organization: OrganizationId,
    /// Its name.
    pub name: String,
    /// The permissions of its members.
    pub permissions: Permissions,
}

/// For whom a token speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenKind {
    /// A user as a member of all their teams, in whatever organization: it grants what they grant,
    /// now and later.
    User(UserId),
    /// A user in a browser, who signed in with a provider: it grants what a token of the
    /// [user](Self::User) grants, on the page alone.
    Session(UserId),
    /// A user as a member of the teams of an organization: it grants what they grant there, now and
    /// later, and nothing elsewhere.
    Member {
        /// The user.
        user: UserId,
        /// The organization.
        organization: OrganizationId,
        /// The part of the teams' permissions that the token keeps.
        within: Permissions,
    },
    /// A team.
    Team(TeamId),
    /// A whole organization: it only reads.
    Organization(OrganizationId),
    /// A workspace: it reads, writes and locks its own state, and reads those that are shared with
    /// it.
    Workspace {
        /// The workspace.
        workspace: WorkspaceId,
        /// Its organization.
        organization: OrganizationId,
    },
    /// A job of a CI system, by a trust: it grants what the trust grants, now and later.
    Workload {
        /// The trust.
        trust: TrustId,
        /// Its organization.
        organization: OrganizationId,
    },
}

/// The parts of a token's kind that stores keep.
#[derive(Debug, Clone, Default)]
pub(crate) struct KindColumns {
    pub(crate) user: Option<String>,
    pub(crate) team: Option<String>,
    pub(crate) organization: Option<String>,
    pub(crate) permissions: Option<String>,
    pub(crate) workspace: Option<String>,
    pub(crate) trust: Option<String>,
    /// The kind of a session.
    pub(crate) session: Option<String>,
}

impl TokenKind {
    /// Before the permissions of a [member](Self::Member).
    const OF_TEAMS: &str = "teams:";

    /// The kind of a [session](Self::Session).
    const OF_PAGE: &str = "page";

    /// As stores keep it.
    pub(crate) fn columns(&self) -> KindColumns {
        let text = |id: &dyn fmt::Display| Some(id.to_string());
        let none = KindColumns::default();
        match self {
            Self::User(user) => KindColumns {
                user: text(user),
                ..none
            },
            Self::Session(user) => KindColumns {
                user: text(user),
                session: text(&Self::OF_PAGE),
                ..none
            },
            Self::Member {
                user,
                organization,
                within,
            } => {
                let permissions = Some(format!("{}{within}", Self::OF_TEAMS));
                KindColumns {
                    user: text(user),
                    organization: text(organization),
                    permissions,
                    ..none
                }
            }
            Self::Team(team) => KindColumns {
                team: text(team),
                ..none
            },
            Self::Organization(organization) => KindColumns {
                organization: text(organization),
                ..none
            },
            Self::Workspace {
                workspace,
                organization,
            } => KindColumns {
                organization: text(organization),
                workspace: text(workspace),
                ..none
            },
            Self::Workload {
                trust,
                organization,
            } => KindColumns {
                organization: text(organization),
                trust: text(trust),
                ..none
            },
        }
    }

    /// As a store has it.
    pub(crate) fn of_columns(columns: KindColumns) -> Result<Self, String> {
        let KindColumns {
            user,
            team,
            organization,
            permissions,
            workspace,
            trust,
            session,
        } = columns;
        // First, so that nothing else is made of what is less than a token.
        match (trust, session) {
            (None, None) => {}
            (None, Some(session)) => {
                return match user {
                    Some(user) if session == Self::OF_PAGE => {
                        Ok(Self::Session(UserId::from_text(user)))
                    }
                    Some(_) | None => Err("a session of nobody, or of an unknown kind".to_owned()),
                };
            }
            (Some(trust), None) => {
                let organization =
                    organization.ok_or("a token by a trust without its organization")?;
                let (trust, organization) = (
                    TrustId::from_text(trust),
                    OrganizationId::from_text(organization),
                );
                return Ok(Self::Workload {
                    trust,
                    organization,
                });
            }
            (Some(_), Some(_)) => {
                return Err("a token by a trust that is also a session".to_owned());
            }
        }
        Ok(match (user, team, organization, workspace) {
            (Some(user), _, None, _) => Self::User(UserId::from_text(user)),
            (Some(user), _, Some(organization), _) => {
                let (user, organization) = (
                    UserId::from_text(user),
                    OrganizationId::from_text(organization),
                );
                let permissions = permissions.ok_or("a token without its permissions")?;
                let within = permissions
                    .strip_prefix(Self::OF_TEAMS)
                    .ok_or("a token with permissions of no team")?;
                Self::Member {
                    user,
                    organization,
                    within: within.parse()?,
                }
            }
            (None, Some(team), _, _) => Self::Team(TeamId::from_text(team)),
            (None, None, Some(organization), None) => {
                Self::Organization(OrganizationId::from_text(organization))
            }
            (None, None, Some(organization), Some(workspace)) => Self::Workspace {
                workspace: WorkspaceId::from_text(workspace),
                organization: OrganizationId::from_text(organization),
            },
            (None, None, None, _) => return Err("a token of nobody".to_owned()),
        })
    }

    /// The user for whom it speaks, if it is one.
    pub const fn user(&self) -> Option<&UserId> {
        match self {
            Self::User(user) | Self::Session(user) | Self::Member { user, .. } => Some(user),
            Self::Team(_)
            | Self::Organization(_)
            | Self::Workspace { .. }
            | Self::Workload { .. } => None,
        }
    }

    /// The part of what its owner may do that it keeps.
    pub(crate) fn narrowed(&self, mut grants: Vec<Grants>) -> Vec<Grants> {
        match self {
            Self::User(_)
            | Self::Session(_)
            | Self::Team(_)
            | Self::Organization(_)
            | Self::Workspace { .. }
            | Self::Workload { .. } => {}
            Self::Member {
                organization,
                within,
                ..
            } => {
                grants.retain(|one| one.organization == *organization);
                for one in &mut grants {
                    one.permissions = one.permissions.and(*within);
                }
            }
        }
        grants
    }
}

/// A token, without its secret, of which only a hash is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its id.
    pub id: TokenId,
    /// SHA-256 of the secret.
    pub hash: [u8; 32],
    /// For whom it speaks.
    pub kind: TokenKind,
    /// Its purpose.
    pub description: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it is refused.
    pub expires_at: Option<Timestamp>,
}

/// The permissions of a principal in one organization, or in a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grants {
    /// The organization's id.
    pub organization: OrganizationId,
    /// The part of it.
    pub place: Place,
    /// The permissions there, and in all that is inside.
    pub permissions: Permissions,
}

/// On whose behalf a request is made: a token, with all that it grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The token.
    pub token: TokenId,
    /// For whom it speaks.
    pub kind: TokenKind,
    /// The name of that user, team, organization, workspace or trust.
    pub name: String,
    /// From when on the token is refused.
    pub expires_at: Option<Timestamp>,
    /// The permissions by organization.
    pub grants: Vec<Grants>,
    /// The address that its token came from, if it is known.
    pub from: Option<IpAddr>,
}

/// The kind and name of the token's owner, and the token's id.
impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({})", self.owner(), self.name, self.token)
    }
}

impl Principal {
    /// The kind of the token's owner.
    pub(crate) const fn owner(&self) -> &'static str {
        match self.kind {
            TokenKind::User(_) | TokenKind::Session(_) | TokenKind::Member { .. } => "user",
            TokenKind::Team(_) => "team",
            TokenKind::Organization(_) => "organization",
            TokenKind::Workspace { .. } => "workspace",
            TokenKind::Workload { .. } => "workload",
        }
    }

    fn granted(&self) -> impl Iterator<Item = &Grants> {
        self.grants
            .iter()
            .filter(|grants| !grants.permissions.is_empty())
    }

    /// The organizations that it may see: those in which it has a permission, wherever in them.
    pub fn organizations(&self) -> Vec<&OrganizationId> {
        let mut all: Vec<&OrganizationId> =
            self.granted().map(|grants| &grants.organization).collect();
        all.sort();
        all.dedup();
        all
    }

    /// True if it may see an organization.
    pub fn sees(&self, organization: &OrganizationId) -> bool {
        self.granted()
            .any(|grants| grants.organization == *organization)
    }

    /// True if it may do all that it might at an earlier moment, where it might.
    pub(crate) fn keeps(&self, before: &Self) -> bool {
        before.granted().all(|old| {
            self.granted().any(|new| {
                new.organization == old.organization
                    && new.place == old.place
                    && new.permissions.and(old.permissions) == old.permissions
            })
        })
    }

    /// The permissions at places of an organization that are the whole of it, or fit.
    fn at(&self, organization: &OrganizationId, fits: impl Fn(&Place) -> bool) -> Permissions {
        let here = self
            .granted()
            .filter(|grants| grants.organization == *organization);
        let here = here.filter(|grants| grants.place == Place::Organization || fits(&grants.place));
        here.fold(Permissions::NONE, |all, grants| all.or(grants.permissions))
    }

    /// The permissions in a whole organization.
    pub fn permissions(&self, organization: &OrganizationId) -> Permissions {
        self.at(organization, |_| false)
    }

    /// The permissions in a project, those in its organization among them.
    pub fn permissions_in(
        &self,
        organization: &OrganizationId,
        project: &ProjectId,
    ) -> Permissions {
        self.at(
            organization,
            |place| matches!(place, Place::Project(one) if one == project),
        )
    }

    /// The permissions in a workspace, those in its project and organization among them.
    pub fn permissions_on(&self, workspace: &Workspace) -> Permissions {
        let is_consumer = match &self.kind {
            // Without a grant of its own the workspace is deleted.
            TokenKind::Workspace { organization, .. } => {
                workspace.shared
                    && self.sees(organization)
                    && *organization == workspace.organization
            }
            TokenKind::User(_)
            | TokenKind::Session(_)
            | TokenKind::Member { .. }
            | TokenKind::Team(_)
            | TokenKind::Organization(_)
            | TokenKind::Workload { .. } => false,
        };
        let shared = if is_consumer {
            Permissions::READ
        } else {
            Permissions::NONE
        };
        shared.or(self.granted_on(workspace))
    }

    fn granted_on(&self, workspace: &Workspace) -> Permissions {
        self.at(&workspace.organization, |place| match place {
            Place::Organization => true,
            Place::Project(project) => *project == workspace.project,
            Place::Workspace(id) => *id == workspace.id,
        })
    }

    /// The permissions that it has in the organization or at least in one of its projects.
    pub fn permissions_in_some_project(&self, organization: &OrganizationId) -> Permissions {
        self.at(organization, |place| matches!(place, Place::Project(_)))
    }

    /// The parts of an organization that it may see; `None` if that is all of it.
    pub fn parts(&self, organization: &OrganizationId) -> Option<Vec<Place>> {
        if !self.permissions(organization).is_empty() {
            return None;
        }
        Some(
            self.granted()
                .filter(|grants| grants.organization == *organization)
                .map(|grants| grants.place.clone())
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_team_grants_there_is_kept() {
        let principal = |granted: &[(Place, Permissions)]| Principal {
            token: TokenId::from_text("at-a"),
            kind: TokenKind::Team(TeamId::from_text("team-a")),
            name: "a".to_owned(),
            expires_at: None,
            grants: granted
                .iter()
                .map(|(place, permissions)| Grants {
                    organization: OrganizationId::from_text("org-a"),
                    place: place.clone(),
                    permissions: *permissions,
                })
                .collect(),
            from: None,
        };
        let project = Place::Project(ProjectId::from_text("prj-a"));
        let all = principal(&[(Place::Organization, Permissions::ALL)]);
        let elsewhere = principal(&[(project.clone(), Permissions::ALL)]);
        let before = principal(&[
            (Place::Organization, Permissions::READ),
            (project, Permissions::NONE),
        ]);
        assert!(before.keeps(&before) && all.keeps(&before));
        assert!(!before.keeps(&all) && !elsewhere.keeps(&before));
    }

    #[test]
    fn permissions_are_read_as_they_are_written() {
        for bits in 0..64 {
            let permissions = Permissions(bits);
            assert_eq!(permissions.to_string().parse(), Ok(permissions));
        }
        assert_eq!(
            "read-state,fly".parse::<Permissions>(),
            Err("\"fly\" is not a permission; expected one of read-state, write-state, read-outputs, lock, force-unlock, admin"
                .to_owned())
        );
    }
}
