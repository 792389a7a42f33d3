//! Organizations, users, teams and tokens.

use rusqlite::{OptionalExtension as _, Row, Transaction};

use super::connections::Fault;
use super::{history, places, rows};
use crate::model::KindColumns;
use crate::model::{
    AuditEntry, Grants, Organization, OrganizationId, Permissions, Place, Principal, Project, Team, TeamId, Token, TokenId,
    TokenKind, Trust, User, UserId,
};
use crate::store::places::sql;
use crate::store::trusts::sql as trusts;

type Done<T> = Result<T, Fault>;

/// Runs an `INSERT OR IGNORE`; what was added is written to the audit log.
fn add(t: &Transaction<'_>, sql: &str, values: impl rusqlite::Params, audit: &AuditEntry) -> Done<bool> {
    let added = t.prepare_cached(sql)?.execute(values)? > 0;
    if added {
        history::record(t, audit)?;
    }
    Ok(added)
}

pub(super) fn add_organization(t: &Transaction<'_>, organization: &Organization, audit: &AuditEntry) -> Done<bool> {
    let Organization { id, name, created_at } = organization;
    let sql = "INSERT OR IGNORE INTO organization (id, name, created_at) VALUES (?1, ?2, ?3)";
    let added = add(t, sql, (id.as_str(), name, created_at.as_millis()), audit)?;
    if added {
        places::add_project(t, &Project::first_of(organization))?;
    }
    Ok(added)
}

fn organization_row(row: &Row<'_>) -> rusqlite::Result<Organization> {
    let id: String = row.get(0)?;
    Ok(Organization { id: OrganizationId::from_text(id), name: row.get(1)?, created_at: rows::time(row, 2)? })
}

pub(super) fn organizations(t: &Transaction<'_>) -> Done<Vec<Organization>> {
    let mut statement = t.prepare_cached("SELECT id, name, created_at FROM organization ORDER BY name")?;
    let found = statement.query_map((), organization_row)?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// By a column that is unique.
pub(super) fn organization(t: &Transaction<'_>, column: &str, value: &str) -> Done<Option<Organization>> {
    let sql = format!("SELECT id, name, created_at FROM organization WHERE {column} = ?1");
    Ok(t.prepare_cached(&sql)?.query_row([value], organization_row).optional()?)
}

pub(super) fn add_user(t: &Transaction<'_>, user: &User, audit: &AuditEntry) -> Done<bool> {
    let User { id, name, created_at } = user;
    let sql = "INSERT OR IGNORE INTO user (id, name, created_at) VALUES (?1, ?2, ?3)";
    add(t, sql, (id.as_str(), name, created_at.as_millis()), audit)
}

/// By a column that is unique.
pub(super) fn user(t: &Transaction<'_>, column: &str, value: &str) -> Done<Option<User>> {
    let sql = format!("SELECT id, name, created_at FROM user WHERE {column} = ?1");
    Ok(t.prepare_cached(&sql)?.query_row([value], user_row).optional()?)
}

pub(super) fn user_row(row: &Row<'_>) -> rusqlite::Result<User> {
    let id: String = row.get(0)?;
    Ok(User { id: UserId::from_text(id), name: row.get(1)?, created_at: rows::time(row, 2)? })
}

pub(super) fn add_team(t: &Transaction<'_>, team: &Team, audit: &AuditEntry) -> Done<bool> {
    let Team { id, organization, name, permissions } = team;
    let sql = "INSERT OR IGNORE INTO team (id, organization, name, permissions) VALUES (?1, ?2, ?3, ?4)";
    add(t, sql, (id.as_str(), organization.as_str(), name, permissions.to_string()), audit)
}

pub(super) fn permissions(row: &Row<'_>, column: usize) -> rusqlite::Result<Permissions> {
    row.get::<_, String>(column)?.parse().map_err(|error: String| rows::wrong(column, error))
}

fn team_row(row: &Row<'_>) -> rusqlite::Result<Team> {
    let (id, organization): (String, String) = (row.get(0)?, row.get(1)?);
    Ok(Team {
        id: TeamId::from_text(id),
        organization: OrganizationId::from_text(organization),
        name: row.get(2)?,
        permissions: permissions(row, 3)?,
    })
}

pub(super) fn team_by_id(t: &Transaction<'_>, id: &TeamId) -> Done<Option<Team>> {
    let mut statement = t.prepare_cached("SELECT id, organization, name, permissions FROM team WHERE id = ?1")?;
    Ok(statement.query_row([id.as_str()], team_row).optional()?)
}

pub(super) fn teams(t: &Transaction<'_>, organization: &OrganizationId) -> Done<Vec<Team>> {
    let mut statement =
        t.prepare_cached("SELECT id, organization, name, permissions FROM team WHERE organization = ?1 ORDER BY name")?;
    let found = statement.query_map([organization.as_str()], team_row)?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(super) fn set_team_permissions(t: &Transaction<'_>, team: &TeamId, to: Permissions, audit: &AuditEntry) -> Done<()> {
    t.execute("UPDATE team SET permissions = ?2 WHERE id = ?1", (team.as_str(), to.to_string()))?;
    history::record(t, audit)
}

pub(super) fn set_member(t: &Transaction<'_>, team: &TeamId, user: &UserId, member: bool, audit: &AuditEntry) -> Done<()> {
    let sql = if member {
        "INSERT OR IGNORE INTO team_member (team, user) VALUES (?1, ?2)"
    } else {
        "DELETE FROM team_member WHERE team = ?1 AND user = ?2"
    };
    t.execute(sql, (team.as_str(), user.as_str()))?;
    history::record(t, audit)
}

pub(super) fn add_token(t: &Transaction<'_>, token: &Token, audit: &AuditEntry) -> Done<bool> {
    // One that was revoked stays so, although its secret is given again at each start.
    let revoked = "SELECT EXISTS (SELECT 1 FROM setting WHERE name = 'revoked/' || lower(hex(?1)))";
    if t.prepare_cached(revoked)?.query_row([&token.hash], |row| row.get(0))? {
        return Ok(false);
    }
    let KindColumns { user, team, organization, permissions, workspace, trust, session } = token.kind.columns();
    let sql = "INSERT OR IGNORE INTO token (id, hash, user, team, organization, permissions, description, created_at, expires_at,
            workspace, trust, session)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    let created = token.created_at.as_millis();
    let expires = token.expires_at.map(crate::model::Timestamp::as_millis);
    let (id, hash, description) = (token.id.as_str(), &token.hash, &token.description);
    add(
        t,
        sql,
        (id, hash, user, team, organization, permissions, description, created, expires, workspace, trust, session),
        audit,
    )
}

/// Nobody else writes meanwhile: the transaction took the lock when it began.
pub(super) fn add_first_token(t: &Transaction<'_>, token: &Token, audit: &AuditEntry) -> Done<bool> {
    if t.query_row("SELECT EXISTS (SELECT 1 FROM token)", (), |row| row.get(0))? {
        return Ok(false);
    }
    add_token(t, token, audit)
}

const TOKEN: &str =
    "id, hash, user, team, organization, permissions, description, created_at, expires_at, workspace, trust, session";

fn token_row(row: &Row<'_>) -> rusqlite::Result<Token> {
    let columns = KindColumns {
        user: row.get(2)?,
        team: row.get(3)?,
        organization: row.get(4)?,
        permissions: row.get(5)?,
        workspace: row.get(9)?,
        trust: row.get(10)?,
        session: row.get(11)?,
    };
    let kind = TokenKind::of_columns(columns).map_err(|error| rows::wrong(2, error))?;
    let id: String = row.get(0)?;
    Ok(Token {
        id: TokenId::from_text(id),
        hash: row.get(1)?,
        kind,
        description: row.get(6)?,
        created_at: rows::time(row, 7)?,
        expires_at: row.get::<_, Option<i64>>(8)?.map(crate::model::Timestamp::from_millis),
    })
}

pub(super) fn tokens(t: &Transaction<'_>) -> Done<Vec<Token>> {
    let mut statement = t.prepare_cached(&format!("SELECT {TOKEN} FROM token ORDER BY created_at DESC, id"))?;
    let found = statement.query_map((), token_row)?;
    Ok(found.collect::<Result<_, _>>()?)
}

pub(super) fn remove_token(t: &Transaction<'_>, id: &TokenId, audit: &AuditEntry) -> Done<bool> {
    t.execute(
        "INSERT OR IGNORE INTO setting (name, value) SELECT 'revoked/' || lower(hex(hash)), x'00' FROM token WHERE id = ?1",
        [id.as_str()],
    )?;
    // Whose last token goes stays known to the organization.
    t.execute(
        "INSERT OR IGNORE INTO setting (name, value) SELECT 'user-of/' || organization || '/' || user, x'00' FROM token
            WHERE id = ?1 AND organization IS NOT NULL AND user IS NOT NULL",
        [id.as_str()],
    )?;
    let removed = t.execute("DELETE FROM token WHERE id = ?1", [id.as_str()])? > 0;
    if removed {
        history::record(t, audit)?;
    }
    Ok(removed)
}

/// By a column that is unique.
pub(super) fn principal(t: &Transaction<'_>, column: &str, value: impl rusqlite::ToSql) -> Done<Option<Principal>> {
    let mut statement = t.prepare_cached(&format!("SELECT {TOKEN} FROM token WHERE {column} = ?1"))?;
    let Some(token) = statement.query_row([value], token_row).optional()? else { return Ok(None) };
    let (name, grants) = match &token.kind {
        TokenKind::User(user) | TokenKind::Session(user) | TokenKind::Member { user, .. } => (
            t.query_row("SELECT name FROM user WHERE id = ?1", [user.as_str()], |row| row.get(0))?,
            of_teams(t, sql::OF_USER, user.as_str())?,
        ),
        TokenKind::Team(team) => (
            t.query_row("SELECT name FROM team WHERE id = ?1", [team.as_str()], |row| row.get(0))?,
            of_teams(t, sql::OF_TEAM, team.as_str())?,
        ),
        TokenKind::Organization(organization) => (
            t.query_row("SELECT name FROM organization WHERE id = ?1", [organization.as_str()], |row| row.get(0))?,
            vec![Grants { organization: organization.clone(), place: Place::Organization, permissions: Permissions::READ }],
        ),
        TokenKind::Workspace { workspace, organization } => {
            let grants = |permissions, id: String| Grants {
                organization: organization.clone(),
                place: Place::of_columns(None, Some(id)),
                permissions,
            };
            let own = t.prepare_cached(sql::OWN)?.query_row([workspace.as_str()], |row| row.get(0)).optional()?;
            let mut all: Vec<Grants> = own.map(|id| grants(Permissions::CLIENT, id)).into_iter().collect();
            if !all.is_empty() {
                let mut statement = t.prepare_cached(sql::SHARED_WITH)?;
                for id in statement.query_map([workspace.as_str()], |row| row.get(0))? {
                    all.push(grants(Permissions::READ, id?));
                }
            }
            (t.query_row("SELECT name FROM workspace WHERE id = ?1", [workspace.as_str()], |row| row.get(0))?, all)
        }
        TokenKind::Workload { trust, .. } => {
            let found = t.prepare_cached(trusts::ONE)?.query_row([trust.as_str()], super::trusts::trust_row)?;
            let Trust { organization, name, place, permissions, .. } = found;
            (name, vec![Grants { organization, place, permissions }])
        }
    };
    let grants = token.kind.narrowed(grants);
    Ok(Some(Principal { token: token.id, kind: token.kind, name, expires_at: token.expires_at, grants, from: None }))
}

fn of_teams(t: &Transaction<'_>, which: &str, value: &str) -> Done<Vec<Grants>> {
    let mut statement = t.prepare_cached(&sql::grants(which))?;
    let grants = statement.query_map([value], |row| {
        let organization: String = row.get(0)?;
        Ok(Grants {
            organization: OrganizationId::from_text(organization),
            place: Place::of_columns(row.get(2)?, row.get(3)?),
            permissions: permissions(row, 1)?,
        })
    })?;
    Ok(grants.collect::<Result<_, _>>()?)
}

/// Whether a user has, or had, to do with an organization: by a token, a team, or a version.
pub(super) fn is_user_of(t: &Transaction<'_>, user: &UserId, organization: &OrganizationId) -> Done<bool> {
    let sql = r#"SELECT EXISTS (SELECT 1 FROM token WHERE user = ?1 AND organization = ?2)
        OR EXISTS (SELECT 1 FROM setting WHERE name = 'user-of/' || ?2 || '/' || ?1)
        OR EXISTS (SELECT 1 FROM team_member m JOIN team ON team.id = m.team WHERE m.user = ?1 AND team.organization = ?2)
        OR EXISTS (SELECT 1 FROM state_version v JOIN workspace w ON w.id = v.workspace
            WHERE w.organization = ?2 AND instr(v.creator, '"' || ?1 || '"') > 0)"#;
    Ok(t.prepare_cached(sql)?.query_row([user.as_str(), organization.as_str()], |row| row.get(0))?)
}

pub(super) fn remove_team(t: &Transaction<'_>, team: &TeamId, audit: &AuditEntry) -> Done<bool> {
    let removed = t.execute("DELETE FROM team WHERE id = ?1", [team.as_str()])? > 0;
    if removed {
        history::record(t, audit)?;
    }
    Ok(removed)
}

pub(super) fn members(t: &Transaction<'_>, team: &TeamId) -> Done<Vec<User>> {
    let sql =
        "SELECT u.id, u.name, u.created_at FROM team_member m JOIN user u ON u.id = m.user WHERE m.team = ?1 ORDER BY u.name";
    let mut statement = t.prepare_cached(sql)?;
    let found = statement.query_map([team.as_str()], user_row)?;
    Ok(found.collect::<Result<_, _>>()?)
}
