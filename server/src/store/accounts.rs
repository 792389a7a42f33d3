//! Organizations, users, teams and tokens.

use async_trait::async_trait;

use super::audit::{Recorded as _, changed, record};
use super::error::StoreError;
use super::jobs::stop_jobs_of;
use super::places::{self, sql};
use super::session::{Database, Done, Mode, Param, Row, Session, params, wrong};
use super::{settings, trusts};
use crate::content::hex;
use crate::model::{
    AuditEntry, Grants, Holder, HolderKind, KindColumns, Organization, OrganizationId, Permissions,
    Place, Principal, Project, Team, TeamId, Token, TokenId, TokenKind, Trust, User, UserId,
};

/// An owner with a token, and what the audit log says about it.
#[derive(Debug, Clone)]
pub struct NewOwner {
    /// The token.
    pub token: (Token, AuditEntry),
    /// True if nothing is added where there is any token: of several processes that ask at the same
    /// time, one adds it.
    pub only_first: bool,
    /// The team; if its organization has one of this name, that one.
    pub team: (Team, AuditEntry),
    /// The owner.
    pub user: (UserId, AuditEntry),
}

/// The organizations, users, teams and tokens, and what each may do.
#[async_trait]
pub trait Accounts {
    /// Adds an organization, unless there is one of this name.
    async fn add_organization(
        &self,
        organization: &Organization,
        audit: AuditEntry,
    ) -> Result<bool, StoreError>;
    /// The organizations, by name.
    async fn organizations(&self) -> Result<Vec<Organization>, StoreError>;
    /// The organization of this name.
    async fn organization(&self, name: &str) -> Result<Option<Organization>, StoreError>;
    /// The organization of this id.
    async fn organization_by_id(
        &self,
        id: &OrganizationId,
    ) -> Result<Option<Organization>, StoreError>;

    /// Adds a user, unless there is one of this name.
    async fn add_user(&self, user: &User, audit: AuditEntry) -> Result<bool, StoreError>;
    /// The user of this name.
    async fn user(&self, name: &str) -> Result<Option<User>, StoreError>;
    /// The user of this id.
    async fn user_by_id(&self, id: &UserId) -> Result<Option<User>, StoreError>;

    /// Adds a team, unless its organization has one of this name.
    async fn add_team(&self, team: &Team, audit: AuditEntry) -> Result<bool, StoreError>;
    /// The team of this id.
    async fn team_by_id(&self, id: &TeamId) -> Result<Option<Team>, StoreError>;
    /// The teams of an organization, by name.
    async fn teams(&self, organization: &OrganizationId) -> Result<Vec<Team>, StoreError>;
    /// Changes what the members of a team may do; whether there is one.
    async fn set_team_permissions(
        &self,
        team: &TeamId,
        to: Permissions,
        audit: AuditEntry,
    ) -> Result<bool, StoreError>;
    /// Removes a team with its tokens, and stops the jobs that it requested; whether there was one.
    async fn remove_team(&self, team: &TeamId, audit: AuditEntry) -> Result<bool, StoreError>;
    /// True if a user has, or had, to do with an organization: by a token, a team, or a version.
    async fn is_user_of(
        &self,
        user: &UserId,
        organization: &OrganizationId,
    ) -> Result<bool, StoreError>;
    /// The members of a team, by name.
    async fn members(&self, team: &TeamId) -> Result<Vec<User>, StoreError>;
    /// Makes a user a member of a team, or no longer one.
    async fn set_member(
        &self,
        team: &TeamId,
        user: &UserId,
        member: bool,
        audit: AuditEntry,
    ) -> Result<(), StoreError>;

    /// Adds a token, unless there is one with this hash, or there was one that was
    /// [removed](Self::remove_token).
    async fn add_token(&self, token: &Token, audit: AuditEntry) -> Result<bool, StoreError>;
    /// Adds the token of an owner as [`add_token`](Self::add_token) does, and makes the owner a
    /// member of their team, which is made if need be: all of that or nothing.
    async fn add_owner(&self, owner: &NewOwner) -> Result<bool, StoreError>;
    /// All tokens, the newest first.
    async fn tokens(&self) -> Result<Vec<Token>, StoreError>;
    /// Removes a token; whether there was one.
    async fn remove_token(&self, id: &TokenId, audit: AuditEntry) -> Result<bool, StoreError>;
    /// For whom the token with this hash speaks and what it grants, expired or not.
    async fn principal(&self, hash: &[u8; 32]) -> Result<Option<Principal>, StoreError>;
    /// For whom a token speaks, by its id, as above.
    async fn principal_of(&self, token: &TokenId) -> Result<Option<Principal>, StoreError>;
}

fn organization_row(row: &Row) -> Done<Organization> {
    Ok(Organization {
        id: OrganizationId::from_text(row.text(0)?),
        name: row.text(1)?,
        created_at: row.time(2)?,
    })
}

pub(super) fn user_row(row: &Row) -> Done<User> {
    Ok(User {
        id: UserId::from_text(row.text(0)?),
        name: row.text(1)?,
        created_at: row.time(2)?,
    })
}

pub(super) fn permissions(row: &Row, column: usize) -> Done<Permissions> {
    row.text(column)?
        .parse()
        .map_err(|error: String| wrong(column, error))
}

fn team_row(row: &Row) -> Done<Team> {
    Ok(Team {
        id: TeamId::from_text(row.text(0)?),
        organization: OrganizationId::from_text(row.text(1)?),
        name: row.text(2)?,
        permissions: permissions(row, 3)?,
    })
}

const TOKEN: &str = r#"id, hash, "user", team, organization, permissions, description, created_at, expires_at, workspace, trust, session"#;

fn token_row(row: &Row) -> Done<Token> {
    let columns = KindColumns {
        user: row.optional(2)?,
        team: row.optional(3)?,
        organization: row.optional(4)?,
        permissions: row.optional(5)?,
        workspace: row.optional(9)?,
        trust: row.optional(10)?,
        session: row.optional(11)?,
    };
    let kind = TokenKind::of_columns(columns).map_err(|error| wrong(2, error))?;
    Ok(Token {
        id: TokenId::from_text(row.text(0)?),
        hash: row.sha256(1)?,
        kind,
        description: row.text(6)?,
        created_at: row.time(7)?,
        expires_at: row.optional_time(8)?,
    })
}

/// The setting of a token that was removed: it stays so, although its secret is given again at each
/// start.
pub(super) fn revoked(hash: &[u8; 32]) -> String {
    format!("revoked/{}", hex(hash))
}

/// The setting of a user whom an organization knows.
pub(super) fn known(organization: &str, user: &str) -> String {
    format!("user-of/{organization}/{user}")
}

async fn add_token(s: &mut dyn Session, token: &Token, audit: &AuditEntry) -> Done<bool> {
    if settings::is_set(s, &revoked(&token.hash)).await? {
        return Ok(false);
    }
    let KindColumns {
        user,
        team,
        organization,
        permissions,
        workspace,
        trust,
        session,
    } = token.kind.columns();
    let sql = format!(
        "INSERT INTO token ({TOKEN}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING"
    );
    let params = params![
        token.id.as_str(),
        &token.hash,
        user.as_deref(),
        team.as_deref(),
        organization.as_deref(),
        permissions.as_deref(),
        &token.description,
        token.created_at,
        token.expires_at,
        workspace.as_deref(),
        trust.as_deref(),
        session.as_deref(),
    ];
    changed(s, &sql, &params, audit).await
}

async fn add_owner(s: &mut dyn Session, owner: &NewOwner) -> Done<bool> {
    let NewOwner {
        token: (token, created),
        only_first,
        team: (team, made),
        user: (user, joined),
    } = owner;
    if *only_first {
        s.alone_with("token").await?;
        if s.maybe("SELECT 1 FROM token LIMIT 1", &[]).await?.is_some() {
            return Ok(false);
        }
    }
    if !add_token(s, token, created).await? {
        return Ok(false);
    }
    changed(s, ADD_TEAM, &team_params(team), made).await?;
    let join = r#"INSERT INTO team_member (team, "user")
        SELECT id, CAST($3 AS TEXT) FROM team WHERE organization = $1 AND name = $2 ON CONFLICT DO NOTHING"#;
    let params = params![team.organization.as_str(), &team.name, user.as_str()];
    changed(s, join, &params, joined).await?;
    Ok(true)
}

const ADD_TEAM: &str = "INSERT INTO team (id, organization, name, permissions) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";

fn team_params(team: &Team) -> [Param; 4] {
    let Team {
        id,
        organization,
        name,
        permissions,
    } = team;
    params![
        id.as_str(),
        organization.as_str(),
        name,
        permissions.to_string()
    ]
}

/// The permissions of a user or a team in a whole organization, whatever their tokens keep of them.
pub(super) async fn permissions_of(
    s: &mut dyn Session,
    holder: &Holder,
    organization: &OrganizationId,
) -> Done<Permissions> {
    let which = match holder.kind {
        HolderKind::User => sql::OF_USER,
        HolderKind::Team => sql::OF_TEAM,
        HolderKind::Workspace | HolderKind::Workload => return Ok(Permissions::NONE),
    };
    let grants = of_teams(s, which, &holder.id).await?;
    let whole = grants
        .iter()
        .filter(|one| one.organization == *organization && one.place == Place::Organization);
    Ok(whole.fold(Permissions::NONE, |all, one| all.or(one.permissions)))
}

/// True if a principal may all that it might before. Its token stays until the transaction ends.
pub(super) async fn still_may(s: &mut dyn Session, before: &Principal) -> Done<bool> {
    let token = before.token.as_str();
    // This locks the row, so that who removes the token waits, and finds what was added.
    let sql = "UPDATE token SET description = description WHERE id = $1";
    s.run(sql, &params![token]).await?;
    let now = principal(s, "id", Param::from(token)).await?;
    Ok(now.is_some_and(|now| now.keeps(before)))
}

/// By a column that is unique.
pub(super) async fn principal(
    s: &mut dyn Session,
    column: &str,
    value: Param,
) -> Done<Option<Principal>> {
    let sql = format!("SELECT {TOKEN} FROM token WHERE {column} = $1");
    let Some(row) = s.maybe(&sql, &[value]).await? else {
        return Ok(None);
    };
    let token = token_row(&row)?;
    let (name, grants) = match &token.kind {
        TokenKind::User(user) | TokenKind::Session(user) | TokenKind::Member { user, .. } => (
            name(s, r#""user""#, user.as_str()).await?,
            of_teams(s, sql::OF_USER, user.as_str()).await?,
        ),
        TokenKind::Team(team) => (
            name(s, "team", team.as_str()).await?,
            of_teams(s, sql::OF_TEAM, team.as_str()).await?,
        ),
        TokenKind::Organization(organization) => (
            name(s, "organization", organization.as_str()).await?,
            vec![Grants {
                organization: organization.clone(),
                place: Place::Organization,
                permissions: Permissions::READ,
            }],
        ),
        TokenKind::Workspace {
            workspace,
            organization,
        } => {
            let grants = |permissions, row: &Row| {
                let place = Place::of_columns(None, Some(row.text(0)?));
                Ok(Grants {
                    organization: organization.clone(),
                    place,
                    permissions,
                })
            };
            let own = s.maybe(sql::OWN, &params![workspace.as_str()]).await?;
            let mut granted: Vec<Grants> = own
                .iter()
                .map(|row| grants(Permissions::CLIENT, row))
                .collect::<Done<_>>()?;
            if !granted.is_empty() {
                for row in s
                    .all(sql::SHARED_WITH, &params![workspace.as_str()])
                    .await?
                {
                    granted.push(grants(Permissions::READ, &row)?);
                }
            }
            (name(s, "workspace", workspace.as_str()).await?, granted)
        }
        TokenKind::Workload { trust, .. } => {
            let row = s.maybe(trusts::ONE, &params![trust.as_str()]).await?;
            let row = row.ok_or_else(|| wrong(0, "the trust of a token is missing"))?;
            let Trust {
                organization,
                name,
                place,
                permissions,
                ..
            } = trusts::trust_row(&row)?;
            (
                name,
                vec![Grants {
                    organization,
                    place,
                    permissions,
                }],
            )
        }
    };
    let grants = token.kind.narrowed(grants);
    Ok(Some(Principal {
        token: token.id,
        kind: token.kind,
        name,
        expires_at: token.expires_at,
        grants,
        from: None,
    }))
}

async fn name(s: &mut dyn Session, table: &str, id: &str) -> Done<String> {
    let row = s
        .maybe(
            &format!("SELECT name FROM {table} WHERE id = $1"),
            &params![id],
        )
        .await?;
    row.ok_or_else(|| wrong(0, "the owner of a token is missing"))?
        .text(0)
}

async fn of_teams(s: &mut dyn Session, which: &str, value: &str) -> Done<Vec<Grants>> {
    let rows = s.all(&sql::grants(which), &params![value]).await?;
    let grants = rows.iter().map(|row| {
        Ok(Grants {
            organization: OrganizationId::from_text(row.text(0)?),
            place: Place::of_columns(row.optional(2)?, row.optional(3)?),
            permissions: permissions(row, 1)?,
        })
    });
    grants.collect()
}

#[async_trait]
impl<D: Database> Accounts for D {
    async fn add_organization(
        &self,
        organization: &Organization,
        audit: AuditEntry,
    ) -> Result<bool, StoreError> {
        let organization = organization.clone();
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                let Organization { id, name, created_at } = &organization;
                let sql = "INSERT INTO organization (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
                let added = changed(s, sql, &params![id.as_str(), name, *created_at], &audit).await?;
                if added {
                    places::add_project(s, &Project::first_of(&organization)).await?;
                }
                Ok(added)
            })
        });
        Ok(work.await?)
    }

    async fn organizations(&self) -> Result<Vec<Organization>, StoreError> {
        self.every(
            "SELECT id, name, created_at FROM organization ORDER BY name",
            [],
            organization_row,
        )
        .await
    }

    async fn organization(&self, name: &str) -> Result<Option<Organization>, StoreError> {
        self.one(
            "SELECT id, name, created_at FROM organization WHERE name = $1",
            params![name],
            organization_row,
        )
        .await
    }

    async fn organization_by_id(
        &self,
        id: &OrganizationId,
    ) -> Result<Option<Organization>, StoreError> {
        self.one(
            "SELECT id, name, created_at FROM organization WHERE id = $1",
            params![id.as_str()],
            organization_row,
        )
        .await
    }

    async fn add_user(&self, user: &User, audit: AuditEntry) -> Result<bool, StoreError> {
        let User {
            id,
            name,
            created_at,
        } = user;
        let sql = r#"INSERT INTO "user" (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"#;
        self.changed(sql, params![id.as_str(), name, *created_at], audit)
            .await
    }

    async fn user(&self, name: &str) -> Result<Option<User>, StoreError> {
        self.one(
            r#"SELECT id, name, created_at FROM "user" WHERE name = $1"#,
            params![name],
            user_row,
        )
        .await
    }

    async fn user_by_id(&self, id: &UserId) -> Result<Option<User>, StoreError> {
        self.one(
            r#"SELECT id, name, created_at FROM "user" WHERE id = $1"#,
            params![id.as_str()],
            user_row,
        )
        .await
    }

    async fn add_team(&self, team: &Team, audit: AuditEntry) -> Result<bool, StoreError> {
        self.changed(ADD_TEAM, team_params(team), audit).await
    }

    async fn team_by_id(&self, id: &TeamId) -> Result<Option<Team>, StoreError> {
        let sql = "SELECT id, organization, name, permissions FROM team WHERE id = $1";
        self.one(sql, params![id.as_str()], team_row).await
    }

    async fn teams(&self, organization: &OrganizationId) -> Result<Vec<Team>, StoreError> {
        let sql = "SELECT id, organization, name, permissions FROM team WHERE organization = $1 ORDER BY name";
        self.every(sql, params![organization.as_str()], team_row)
            .await
    }

    async fn set_team_permissions(
        &self,
        team: &TeamId,
        to: Permissions,
        audit: AuditEntry,
    ) -> Result<bool, StoreError> {
        let params = params![to.to_string(), team.as_str()];
        self.changed(
            "UPDATE team SET permissions = $1 WHERE id = $2",
            params,
            audit,
        )
        .await
    }

    async fn remove_team(&self, team: &TeamId, audit: AuditEntry) -> Result<bool, StoreError> {
        let team = team.clone();
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                let (sql, of) = ("DELETE FROM team WHERE id = $1", params![team.as_str()]);
                let is_removed = changed(s, sql, &of, &audit).await?;
                if is_removed {
                    stop_jobs_of(s, (HolderKind::Team, team.as_str()), None, &audit).await?;
                }
                Ok(is_removed)
            })
        });
        Ok(work.await?)
    }

    async fn is_user_of(
        &self,
        user: &UserId,
        organization: &OrganizationId,
    ) -> Result<bool, StoreError> {
        // As a holder is written, because a name, which comes later, may be the id of another user.
        let creator = r#"'{"kind":"user","id":"' || CAST($1 AS TEXT) || '"'"#;
        let created = D::DIALECT.place(creator, "v.creator");
        let sql = format!(
            r#"SELECT 1 WHERE EXISTS (SELECT 1 FROM token WHERE "user" = $1 AND organization = $2)
            OR EXISTS (SELECT 1 FROM setting WHERE name = $3)
            OR EXISTS (SELECT 1 FROM team_member m JOIN team ON team.id = m.team WHERE m."user" = $1 AND team.organization = $2)
            OR EXISTS (SELECT 1 FROM state_version v JOIN workspace w ON w.id = v.workspace
                WHERE w.organization = $2 AND {created} = 1)"#
        );
        let (user, organization) = (user.as_str(), organization.as_str());
        Ok(self
            .one(
                sql,
                params![user, organization, known(organization, user)],
                |_| Ok(()),
            )
            .await?
            .is_some())
    }

    async fn members(&self, team: &TeamId) -> Result<Vec<User>, StoreError> {
        let sql = r#"SELECT u.id, u.name, u.created_at FROM team_member m JOIN "user" u ON u.id = m."user"
            WHERE m.team = $1 ORDER BY u.name"#;
        self.every(sql, params![team.as_str()], user_row).await
    }

    async fn set_member(
        &self,
        team: &TeamId,
        user: &UserId,
        member: bool,
        audit: AuditEntry,
    ) -> Result<(), StoreError> {
        let sql = if member {
            r#"INSERT INTO team_member (team, "user") VALUES ($1, $2) ON CONFLICT DO NOTHING"#
        } else {
            r#"DELETE FROM team_member WHERE team = $1 AND "user" = $2"#
        };
        self.recorded(sql, params![team.as_str(), user.as_str()], audit)
            .await
    }

    async fn add_token(&self, token: &Token, audit: AuditEntry) -> Result<bool, StoreError> {
        let token = token.clone();
        Ok(self
            .work(Mode::Write, move |s| {
                Box::pin(async move { add_token(s, &token, &audit).await })
            })
            .await?)
    }

    async fn add_owner(&self, owner: &NewOwner) -> Result<bool, StoreError> {
        let owner = owner.clone();
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move { add_owner(s, &owner).await })
        });
        Ok(work.await?)
    }

    async fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        self.every(
            format!("SELECT {TOKEN} FROM token ORDER BY created_at DESC, id"),
            [],
            token_row,
        )
        .await
    }

    async fn remove_token(&self, id: &TokenId, audit: AuditEntry) -> Result<bool, StoreError> {
        let id = id.clone();
        let work = self.work(Mode::Write, move |s| {
            Box::pin(async move {
                let sql = r#"DELETE FROM token WHERE id = $1 RETURNING hash, organization, "user""#;
                let Some(row) = s.maybe(sql, &params![id.as_str()]).await? else {
                    return Ok(false);
                };
                settings::set(s, &revoked(&row.sha256(0)?)).await?;
                // The organization must still know a user whose last token goes.
                if let (Some(organization), Some(user)) = (row.optional(1)?, row.optional(2)?) {
                    settings::set(s, &known(&organization, &user)).await?;
                }
                record(s, &audit).await?;
                Ok(true)
            })
        });
        Ok(work.await?)
    }

    async fn principal(&self, hash: &[u8; 32]) -> Result<Option<Principal>, StoreError> {
        let hash = Param::from(hash);
        Ok(self
            .work(Mode::Rows, move |s| {
                Box::pin(async move { principal(s, "hash", hash).await })
            })
            .await?)
    }

    async fn principal_of(&self, token: &TokenId) -> Result<Option<Principal>, StoreError> {
        let id = Param::from(token.as_str());
        Ok(self
            .work(Mode::Rows, move |s| {
                Box::pin(async move { principal(s, "id", id).await })
            })
            .await?)
    }
}
