//! Organizations, users, teams and tokens.

use deadpool_postgres::{GenericClient, Transaction};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::sql::{Done, Text, Values, all, maybe, optional, run, sha256, text, time, wrong};
use super::{history, places};
use crate::content::hex;
use crate::model::KindColumns;
use crate::model::{
    AuditEntry, Grants, Organization, OrganizationId, Permissions, Place, Principal, Project, Team, TeamId, Timestamp, Token,
    TokenId, TokenKind, Trust, User, UserId,
};
use crate::store::places::sql;
use crate::store::trusts::sql as trusts;

/// Runs an `INSERT … ON CONFLICT DO NOTHING`; what was added is written to the audit log.
async fn add(t: &Transaction<'_>, sql: &str, values: Values<'_>, audit: &AuditEntry) -> Done<bool> {
    let added = run(t, sql, values).await? > 0;
    if added {
        history::record(t, audit).await?;
    }
    Ok(added)
}

pub(super) async fn add_organization(t: &Transaction<'_>, organization: &Organization, audit: &AuditEntry) -> Done<bool> {
    let Organization { id, name, created_at } = organization;
    let sql = "INSERT INTO organization (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    let added = add(t, sql, &[&Text(id.as_str()), &Text(name), &created_at.as_millis()], audit).await?;
    if added {
        places::add_project(t, &Project::first_of(organization)).await?;
    }
    Ok(added)
}

fn organization_row(row: &Row) -> Done<Organization> {
    Ok(Organization { id: OrganizationId::from_text(text(row, 0)?), name: text(row, 1)?, created_at: time(row, 2)? })
}

pub(super) async fn organizations(client: &impl GenericClient) -> Done<Vec<Organization>> {
    let rows = all(client, "SELECT id, name, created_at FROM organization ORDER BY name", &[]).await?;
    rows.iter().map(organization_row).collect()
}

/// By a column that is unique.
pub(super) async fn organization(client: &impl GenericClient, column: &str, value: &str) -> Done<Option<Organization>> {
    let sql = format!("SELECT id, name, created_at FROM organization WHERE {column} = $1");
    maybe(client, &sql, &[&Text(value)]).await?.as_ref().map(organization_row).transpose()
}

pub(super) async fn add_user(t: &Transaction<'_>, user: &User, audit: &AuditEntry) -> Done<bool> {
    let User { id, name, created_at } = user;
    let sql = r#"INSERT INTO "user" (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"#;
    add(t, sql, &[&Text(id.as_str()), &Text(name), &created_at.as_millis()], audit).await
}

/// By a column that is unique.
pub(super) async fn user(client: &impl GenericClient, column: &str, value: &str) -> Done<Option<User>> {
    let sql = format!(r#"SELECT id, name, created_at FROM "user" WHERE {column} = $1"#);
    maybe(client, &sql, &[&Text(value)]).await?.as_ref().map(user_row).transpose()
}

pub(super) fn user_row(row: &Row) -> Done<User> {
    Ok(User { id: UserId::from_text(text(row, 0)?), name: text(row, 1)?, created_at: time(row, 2)? })
}

pub(super) async fn add_team(t: &Transaction<'_>, team: &Team, audit: &AuditEntry) -> Done<bool> {
    let Team { id, organization, name, permissions } = team;
    let sql = "INSERT INTO team (id, organization, name, permissions) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    let permissions = permissions.to_string();
    add(t, sql, &[&Text(id.as_str()), &Text(organization.as_str()), &Text(name), &Text(&permissions)], audit).await
}

pub(super) fn permissions(row: &Row, column: usize) -> Done<Permissions> {
    text(row, column)?.parse().map_err(|error: String| wrong(column, error))
}

fn team_row(row: &Row) -> Done<Team> {
    Ok(Team {
        id: TeamId::from_text(text(row, 0)?),
        organization: OrganizationId::from_text(text(row, 1)?),
        name: text(row, 2)?,
        permissions: permissions(row, 3)?,
    })
}

pub(super) async fn team_by_id(client: &impl GenericClient, id: &TeamId) -> Done<Option<Team>> {
    let sql = "SELECT id, organization, name, permissions FROM team WHERE id = $1";
    maybe(client, sql, &[&Text(id.as_str())]).await?.as_ref().map(team_row).transpose()
}

pub(super) async fn teams(client: &impl GenericClient, organization: &OrganizationId) -> Done<Vec<Team>> {
    let sql = "SELECT id, organization, name, permissions FROM team WHERE organization = $1 ORDER BY name";
    all(client, sql, &[&Text(organization.as_str())]).await?.iter().map(team_row).collect()
}

pub(super) async fn set_team_permissions(t: &Transaction<'_>, team: &TeamId, to: Permissions, audit: &AuditEntry) -> Done<()> {
    let to = to.to_string();
    run(t, "UPDATE team SET permissions = $2 WHERE id = $1", &[&Text(team.as_str()), &Text(&to)]).await?;
    history::record(t, audit).await
}

pub(super) async fn set_member(t: &Transaction<'_>, team: &TeamId, user: &UserId, member: bool, audit: &AuditEntry) -> Done<()> {
    let sql = if member {
        r#"INSERT INTO team_member (team, "user") VALUES ($1, $2) ON CONFLICT DO NOTHING"#
    } else {
        r#"DELETE FROM team_member WHERE team = $1 AND "user" = $2"#
    };
    run(t, sql, &[&Text(team.as_str()), &Text(user.as_str())]).await?;
    history::record(t, audit).await
}

pub(super) async fn add_token(t: &Transaction<'_>, token: &Token, audit: &AuditEntry) -> Done<bool> {
    // One that was revoked stays so, although its secret is given again at each start.
    let revoked = format!("revoked/{}", hex(&token.hash));
    if maybe(t, "SELECT 1 FROM setting WHERE name = $1", &[&Text(&revoked)]).await?.is_some() {
        return Ok(false);
    }
    let KindColumns { user, team, organization, permissions, workspace, trust, session } = token.kind.columns();
    let sql = r#"INSERT INTO token (id, hash, "user", team, organization, permissions, description, created_at, expires_at,
            workspace, trust, session)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING"#;
    let values: Values<'_> = &[
        &Text(token.id.as_str()),
        &token.hash.as_slice(),
        &user.as_deref().map(Text),
        &team.as_deref().map(Text),
        &organization.as_deref().map(Text),
        &permissions.as_deref().map(Text),
        &Text(&token.description),
        &token.created_at.as_millis(),
        &token.expires_at.map(Timestamp::as_millis),
        &workspace.as_deref().map(Text),
        &trust.as_deref().map(Text),
        &session.as_deref().map(Text),
    ];
    add(t, sql, values, audit).await
}

pub(super) async fn add_first_token(t: &Transaction<'_>, token: &Token, audit: &AuditEntry) -> Done<bool> {
    // Another process that adds one waits until this transaction has ended.
    t.batch_execute("LOCK TABLE token IN SHARE ROW EXCLUSIVE MODE").await?;
    if maybe(t, "SELECT 1 FROM token LIMIT 1", &[]).await?.is_some() {
        return Ok(false);
    }
    add_token(t, token, audit).await
}

const TOKEN: &str =
    r#"id, hash, "user", team, organization, permissions, description, created_at, expires_at, workspace, trust, session"#;

fn token_row(row: &Row) -> Done<Token> {
    let columns = KindColumns {
        user: optional(row, 2)?,
        team: optional(row, 3)?,
        organization: optional(row, 4)?,
        permissions: optional(row, 5)?,
        workspace: optional(row, 9)?,
        trust: optional(row, 10)?,
        session: optional(row, 11)?,
    };
    let kind = TokenKind::of_columns(columns).map_err(|error| wrong(2, error))?;
    Ok(Token {
        id: TokenId::from_text(text(row, 0)?),
        hash: sha256(row, 1)?.ok_or_else(|| wrong(1, "no hash"))?,
        kind,
        description: text(row, 6)?,
        created_at: time(row, 7)?,
        expires_at: row.try_get::<_, Option<i64>>(8)?.map(Timestamp::from_millis),
    })
}

pub(super) async fn tokens(client: &impl GenericClient) -> Done<Vec<Token>> {
    let sql = format!("SELECT {TOKEN} FROM token ORDER BY created_at DESC, id");
    all(client, &sql, &[]).await?.iter().map(token_row).collect()
}

pub(super) async fn remove_token(t: &Transaction<'_>, id: &TokenId, audit: &AuditEntry) -> Done<bool> {
    let revoked =
        "INSERT INTO setting (name, value) SELECT 'revoked/' || encode(hash, 'hex'), '\\x00'::bytea FROM token WHERE id = $1
        ON CONFLICT DO NOTHING";
    run(t, revoked, &[&Text(id.as_str())]).await?;
    // Whose last token goes stays known to the organization.
    let known = r#"INSERT INTO setting (name, value) SELECT 'user-of/' || organization || '/' || "user", '\x00'::bytea FROM token
        WHERE id = $1 AND organization IS NOT NULL AND "user" IS NOT NULL ON CONFLICT DO NOTHING"#;
    run(t, known, &[&Text(id.as_str())]).await?;
    let removed = run(t, "DELETE FROM token WHERE id = $1", &[&Text(id.as_str())]).await? > 0;
    if removed {
        history::record(t, audit).await?;
    }
    Ok(removed)
}

/// By a column that is unique.
pub(super) async fn principal(t: &Transaction<'_>, column: &str, value: &(dyn ToSql + Sync)) -> Done<Option<Principal>> {
    let sql = format!("SELECT {TOKEN} FROM token WHERE {column} = $1");
    let Some(row) = maybe(t, &sql, &[value]).await? else { return Ok(None) };
    let token = token_row(&row)?;
    let (name, grants) = match &token.kind {
        TokenKind::User(user) | TokenKind::Session(user) | TokenKind::Member { user, .. } => {
            (name(t, r#""user""#, user.as_str()).await?, of_teams(t, sql::OF_USER, user.as_str()).await?)
        }
        TokenKind::Team(team) => (name(t, "team", team.as_str()).await?, of_teams(t, sql::OF_TEAM, team.as_str()).await?),
        TokenKind::Organization(organization) => (
            name(t, "organization", organization.as_str()).await?,
            vec![Grants { organization: organization.clone(), place: Place::Organization, permissions: Permissions::READ }],
        ),
        TokenKind::Workspace { workspace, organization } => {
            let grants = |permissions, row: &Row| {
                let place = Place::of_columns(None, Some(text(row, 0)?));
                Ok(Grants { organization: organization.clone(), place, permissions })
            };
            let own = maybe(t, sql::OWN, &[&Text(workspace.as_str())]).await?;
            let mut granted: Vec<Grants> = own.iter().map(|row| grants(Permissions::CLIENT, row)).collect::<Done<_>>()?;
            if !granted.is_empty() {
                for row in all(t, sql::SHARED_WITH, &[&Text(workspace.as_str())]).await? {
                    granted.push(grants(Permissions::READ, &row)?);
                }
            }
            (name(t, "workspace", workspace.as_str()).await?, granted)
        }
        TokenKind::Workload { trust, .. } => {
            let row = maybe(t, trusts::ONE, &[&Text(trust.as_str())]).await?;
            let row = row.ok_or_else(|| wrong(0, "the trust of a token is missing"))?;
            let Trust { organization, name, place, permissions, .. } = super::trusts::trust_row(&row)?;
            (name, vec![Grants { organization, place, permissions }])
        }
    };
    let grants = token.kind.narrowed(grants);
    Ok(Some(Principal { token: token.id, kind: token.kind, name, expires_at: token.expires_at, grants, from: None }))
}

async fn name(t: &Transaction<'_>, table: &str, id: &str) -> Done<String> {
    let row = maybe(t, &format!("SELECT name FROM {table} WHERE id = $1"), &[&Text(id)]).await?;
    text(&row.ok_or_else(|| wrong(0, "the owner of a token is missing"))?, 0)
}

async fn of_teams(t: &Transaction<'_>, which: &str, value: &str) -> Done<Vec<Grants>> {
    let rows = all(t, &sql::grants(which), &[&Text(value)]).await?;
    let grants = rows.iter().map(|row| {
        Ok(Grants {
            organization: OrganizationId::from_text(text(row, 0)?),
            place: Place::of_columns(optional(row, 2)?, optional(row, 3)?),
            permissions: permissions(row, 1)?,
        })
    });
    grants.collect()
}

/// Whether a user has, or had, to do with an organization: by a token, a team, or a version.
pub(super) async fn is_user_of(client: &impl GenericClient, user: &UserId, organization: &OrganizationId) -> Done<bool> {
    let sql = r#"SELECT 1 WHERE EXISTS (SELECT 1 FROM token WHERE "user" = $1 AND organization = $2)
        OR EXISTS (SELECT 1 FROM setting WHERE name = 'user-of/' || $2::text || '/' || $1::text)
        OR EXISTS (SELECT 1 FROM team_member m JOIN team ON team.id = m.team WHERE m."user" = $1 AND team.organization = $2)
        OR EXISTS (SELECT 1 FROM state_version v JOIN workspace w ON w.id = v.workspace
            WHERE w.organization = $2 AND strpos(v.creator, '"' || $1::text || '"') > 0)"#;
    Ok(maybe(client, sql, &[&Text(user.as_str()), &Text(organization.as_str())]).await?.is_some())
}

pub(super) async fn remove_team(t: &Transaction<'_>, team: &TeamId, audit: &AuditEntry) -> Done<bool> {
    let removed = run(t, "DELETE FROM team WHERE id = $1", &[&Text(team.as_str())]).await? > 0;
    if removed {
        history::record(t, audit).await?;
    }
    Ok(removed)
}

pub(super) async fn members(client: &impl GenericClient, team: &TeamId) -> Done<Vec<User>> {
    let sql = r#"SELECT u.id, u.name, u.created_at FROM team_member m JOIN "user" u ON u.id = m."user" WHERE m.team = $1 ORDER BY u.name"#;
    all(client, sql, &[&Text(team.as_str())]).await?.iter().map(user_row).collect()
}
