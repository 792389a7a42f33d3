//! Routes for administrators: audit log, teams, tokens, quarantine.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::{Path, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value, json};

use super::App;
use super::auth::Caller;
use super::body::{Sent, SentResource};
use super::document::{
    self, Document, Written, answer, answer_data, answer_including, paged, paged_including, written,
};
use super::error::{ApiError, ApiResult, visible};
use super::query::Query;
use crate::model::{
    AuditFilter, OrganizationId, Permission, Permissions, Principal, QuarantineId, Team, TeamId,
    Timestamp, Token, TokenId, TokenKind, User, WorkspaceId,
};
use crate::rules::{Refusal, RefusalKind};
use crate::service::{Access, Failure, TokenFor, who};
use crate::store::StoreError;
use crate::traffic::{AT_ONCE, Accounted, Budget};

pub(super) async fn administrated(
    app: &App,
    principal: &Principal,
    org: &str,
) -> ApiResult<OrganizationId> {
    let (access, organization) = app.service.organization(principal, org).await?;
    access.require(Permission::Admin)?;
    Ok(organization.id)
}

pub(super) async fn audit(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    query: Query,
) -> ApiResult {
    let organization = administrated(&app, &principal, &org).await?;
    let page = query.page()?;
    let text = |key: &str| query.get(key).map(str::to_owned);
    let jobs = query.one_of("filter[jobs]", &["true", "false"])?;
    let filter = AuditFilter {
        organization: Some(organization),
        workspace: query
            .get("filter[workspace][id]")
            .map(WorkspaceId::from_text),
        action: text("filter[action]"),
        actor: text("filter[actor]"),
        without_jobs: jobs == Some("false"),
    };
    let listed = app.service.store().audit(&filter, page).await?;
    let data: Vec<Value> = listed
        .items
        .iter()
        .map(|entry| {
            json!({
                "type": "audit-entries",
                "attributes": {
                    "at": entry.at.to_string(),
                    "who": entry.who,
                    "action": entry.action,
                    "workspace": entry.workspace.as_ref().map(WorkspaceId::as_str),
                    "subject": entry.subject,
                    "detail": entry.detail,
                },
            })
        })
        .collect();
    Ok(paged(data, query.pagination(&app, page, listed.total)))
}

/// The number of lines of the audit log that are exported at a time.
const LINES: u32 = 1000;

/// Lines of the audit log as objects of JSON, one a line, the oldest first; the next ones come
/// after the last number.
pub(super) async fn audit_lines(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    query: Query,
) -> ApiResult {
    let organization = administrated(&app, &principal, &org).await?;
    let wrong = || {
        Refusal::new(
            RefusalKind::BadRequest,
            "after must be the number of a line, its seq",
        )
    };
    let after = query
        .get("after")
        .map_or(Ok(0), |after| after.parse::<i64>().map_err(|_| wrong()))?;
    let found = app
        .service
        .store()
        .audit_after(Some(&organization), after, LINES)
        .await?;
    let lines: String = found
        .iter()
        .flat_map(|(seq, entry)| [entry.to_json(*seq).to_string(), "\n".to_owned()])
        .collect();
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], lines).into_response())
}

/// A team, for an administrator, and its members. `permissions` are those of the client that asks,
/// as clients expect them; what members may do is `grants`.
async fn team_document(app: &App, team: &Team) -> ApiResult<(Value, Vec<User>)> {
    let members = app.service.store().members(&team.id).await?;
    let users: Vec<Value> = members
        .iter()
        .map(|user| json!({ "id": user.id.as_str(), "type": "users" }))
        .collect();
    let document = json!({
        "id": team.id.as_str(),
        "type": "teams",
        "attributes": {
            "name": team.name,
            "grants": team.permissions.to_string(),
            "users-count": users.len(),
            "visibility": "secret",
            "permissions": { "can-destroy": true, "can-update-membership": true },
        },
        "relationships": {
            "users": {
                "data": users,
                "links": { "related": format!("/api/v2/teams/{}/relationships/users", team.id) },
            },
        },
        "links": { "self": format!("/api/v2/teams/{}", team.id) },
    });
    Ok((document, members))
}

/// The related documents that an answer with teams can include.
const INCLUDES: [&str; 1] = ["users"];

/// Refuses what would be dropped silently: what members may do is `grants` here.
fn grants_alone(resource: &SentResource<'_>) -> Result<(), Refusal> {
    let pointer = "/data/attributes/organization-access";
    let access: Option<Map<String, Value>> =
        resource.attribute("organization-access", pointer, "an object")?;
    let granted = access
        .into_iter()
        .flatten()
        .find(|(_, is_granted)| is_granted.as_bool() == Some(true));
    let Some((name, _)) = granted else {
        return Ok(());
    };
    let detail = format!(
        "organization-access cannot grant {name} here; grants says what members may do, such as \"read-state,write-state,lock\""
    );
    Err(Refusal::unprocessable(pointer, detail))
}

/// The permissions in a request: `grants`, or `permissions`, as tokens have it.
pub(super) fn granted(resource: &SentResource<'_>) -> Result<Option<Permissions>, Refusal> {
    let read = |name: &str, pointer| -> Result<Option<Permissions>, Refusal> {
        let text = resource.string(name, pointer)?;
        text.map(|text| {
            text.parse()
                .map_err(|why: String| Refusal::unprocessable(pointer, why))
        })
        .transpose()
    };
    match read("grants", "/data/attributes/grants")? {
        Some(granted) => Ok(Some(granted)),
        None => read("permissions", "/data/attributes/permissions"),
    }
}

pub(super) async fn teams(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    query: Query,
) -> ApiResult {
    let organization = administrated(&app, &principal, &org).await?;
    let page = query.page_or_all()?;
    let has_users = !query.include(&INCLUDES)?.is_empty();
    let mut teams = app.service.store().teams(&organization).await?;
    teams.retain(|team| query.names(&team.name));
    let (mut data, mut users) = (Vec::new(), BTreeMap::new());
    for team in page.of(&teams) {
        let (document, members) = team_document(&app, team).await?;
        data.push(document);
        for user in members {
            users.insert(user.id.clone(), user);
        }
    }
    let total = u64::try_from(teams.len()).unwrap_or(u64::MAX);
    let included = has_users
        .then(|| users.values().map(user_document).collect::<Result<_, _>>())
        .transpose()?;
    let numbers = query.pagination(&app, page, total);
    Ok(paged_including(data, included, numbers))
}

fn user_document(user: &User) -> Result<Written, StoreError> {
    written(&document::user(user))
}

pub(super) async fn create_team(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    request: Request,
) -> ApiResult {
    let organization = administrated(&app, &principal, &org).await?;
    let held = app.small(request).await?;
    let resource = Sent::read(&held.bytes)?.resource("teams")?;
    grants_alone(&resource)?;
    let name = resource
        .string("name", "/data/attributes/name")?
        .unwrap_or_default();
    let granted = granted(&resource)?.unwrap_or_default();
    let team = app
        .service
        .create_team(&principal, &organization, &name, granted)
        .await?;
    let (document, _) = team_document(&app, &team).await?;
    Ok(answer(StatusCode::CREATED, &Document::of(document)))
}

/// A team of an organization that the caller administrates.
async fn team(app: &App, principal: &Principal, id: String) -> ApiResult<Team> {
    let unknown = Refusal::not_found(format!("team {id:?}"));
    let Some(team) = app
        .service
        .store()
        .team_by_id(&TeamId::from_text(id))
        .await?
    else {
        return Err(unknown.into());
    };
    Access::of(principal, &team.organization)
        .ok_or(unknown)?
        .require(Permission::Admin)?;
    Ok(team)
}

pub(super) async fn show_team(
    Caller(app, principal): Caller,
    Path(id): Path<String>,
    query: Query,
) -> ApiResult {
    let has_users = !query.include(&INCLUDES)?.is_empty();
    let team = team(&app, &principal, id).await?;
    let (document, members) = team_document(&app, &team).await?;
    let included = has_users
        .then(|| members.iter().map(user_document).collect::<Result<_, _>>())
        .transpose()?;
    Ok(answer_including(document, included))
}

pub(super) async fn remove_team(
    Caller(app, principal): Caller,
    Path(id): Path<String>,
) -> ApiResult {
    let team = team(&app, &principal, id).await?;
    app.service.remove_team(&principal, &team).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn members(Caller(app, principal): Caller, Path(id): Path<String>) -> ApiResult {
    let team = team(&app, &principal, id).await?;
    let members = app.service.store().members(&team.id).await?;
    Ok(answer_data(
        members.iter().map(document::user).collect::<Vec<_>>(),
    ))
}

pub(super) async fn update_team(
    Caller(app, principal): Caller,
    Path(id): Path<String>,
    request: Request,
) -> ApiResult {
    let mut team = team(&app, &principal, id).await?;
    let held = app.small(request).await?;
    let resource = Sent::read(&held.bytes)?.resource("teams")?;
    grants_alone(&resource)?;
    let pointer = "/data/attributes/name";
    if let Some(name) = resource.string("name", pointer)?
        && name != team.name
    {
        let detail = format!(
            "The name of team {} cannot be changed; make a team {name:?}, and delete this one",
            team.name
        );
        return Err(Refusal::unprocessable(pointer, detail).into());
    }
    if let Some(to) = granted(&resource)? {
        app.service.change_team(&principal, &team, to).await?;
        team.permissions = to;
    }
    let (document, _) = team_document(&app, &team).await?;
    Ok(answer_data(document))
}

/// The refusal of the rest of a list, of which so many were changed.
fn partly(failure: Failure, changed: usize) -> Failure {
    match failure {
        Failure::Refused(refusal) if changed > 0 => Refusal {
            detail: format!(
                "The token lost its permissions after {changed} of the list were changed, so the rest was not"
            ),
            ..refusal
        }
        .into(),
        Failure::Refused(_) | Failure::Store(_) => failure,
    }
}

async fn set_members(
    app: &App,
    principal: &Principal,
    id: String,
    request: Request,
    member: bool,
) -> ApiResult {
    let team = team(app, principal, id).await?;
    let held = app.small(request).await?;
    let mut began = Instant::now();
    let mut users: Vec<User> = Vec::new();
    for resource in Sent::read(&held.bytes)?.resources()? {
        // Both an id and a name are accepted, because users are made with tokens, whose owners are
        // known by name.
        users.push(
            app.service
                .user_of(&team.organization, resource.id().unwrap_or_default())
                .await?,
        );
    }
    for (changed, user) in users.iter().enumerate() {
        // A list takes long, in which who sent it may be removed: nobody comes back by its end.
        if began.elapsed() > AT_ONCE {
            let may = app.service.still_may(principal).await;
            may.map_err(|failure| partly(failure, changed))?;
            began = Instant::now();
        }
        app.service
            .set_member(principal, &team, user, member)
            .await?;
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn add_members(
    Caller(app, principal): Caller,
    Path(id): Path<String>,
    request: Request,
) -> ApiResult {
    set_members(&app, &principal, id, request, true).await
}

pub(super) async fn remove_members(
    Caller(app, principal): Caller,
    Path(id): Path<String>,
    request: Request,
) -> ApiResult {
    set_members(&app, &principal, id, request, false).await
}

fn token_document(token: &Token, secret: Option<&str>) -> Value {
    let (kind, owner) = match &token.kind {
        TokenKind::User(user) | TokenKind::Session(user) | TokenKind::Member { user, .. } => {
            ("user", user.as_str())
        }
        TokenKind::Team(team) => ("team", team.as_str()),
        TokenKind::Organization(organization) => ("organization", organization.as_str()),
        TokenKind::Workspace { workspace, .. } => ("workspace", workspace.as_str()),
        TokenKind::Workload { trust, .. } => ("trust", trust.as_str()),
    };
    let scope = match &token.kind {
        TokenKind::Member { within, .. } => Some(within.to_string()),
        TokenKind::User(_)
        | TokenKind::Session(_)
        | TokenKind::Team(_)
        | TokenKind::Organization(_)
        | TokenKind::Workspace { .. }
        | TokenKind::Workload { .. } => None,
    };
    let mut document = json!({
        "id": token.id.as_str(),
        "type": "authentication-tokens",
        "attributes": {
            "description": token.description,
            "created-at": token.created_at.to_string(),
            "expired-at": token.expires_at.map(|at| at.to_string()),
            "owner-kind": kind,
            "owner": owner,
            "permissions": scope,
            "token": secret,
        },
    });
    if kind == "team"
        && let Some(members) = document.as_object_mut()
    {
        let team = json!({ "team": { "data": { "id": owner, "type": "teams" } } });
        members.insert("relationships".to_owned(), team);
    }
    document
}

pub(super) async fn tokens(Caller(app, principal): Caller, Path(org): Path<String>) -> ApiResult {
    let organization = administrated(&app, &principal, &org).await?;
    let tokens = app.service.tokens_of(&organization).await?;
    let data: Vec<Value> = tokens
        .iter()
        .map(|token| token_document(token, None))
        .collect();
    Ok(answer_data(data))
}

pub(super) async fn create_token(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    request: Request,
) -> ApiResult {
    let organization = administrated(&app, &principal, &org).await?;
    let held = app.small(request).await?;
    let resource = Sent::read(&held.bytes)?.resource("authentication-tokens")?;
    let text = |name: &str, pointer| {
        resource
            .string(name, pointer)
            .map(|text| text.filter(|text| !text.is_empty()))
    };
    let user = text("user", "/data/attributes/user")?;
    let team = text("team", "/data/attributes/team")?;
    let granted = granted(&resource)?;
    let workspace = text("workspace", "/data/attributes/workspace")?;
    let owner = match (user, team) {
        (None, None) if workspace.is_some() => {
            let id = WorkspaceId::from_text(workspace.unwrap_or_default());
            let snapshot = app
                .service
                .allowed(&principal, &id, Permission::Admin)
                .await?;
            if snapshot.workspace.organization != organization {
                return Err(Refusal::not_found(format!("workspace {id}")).into());
            }
            TokenFor::Workspace(id)
        }
        (_, _) if workspace.is_some() => {
            return Err(Refusal::unprocessable(
                "/data/attributes",
                "name a workspace, or a user or a team",
            )
            .into());
        }
        // Without permissions it keeps all, because the user's teams are the limit.
        (Some(name), None) => TokenFor::Member {
            name,
            organization,
            within: granted.unwrap_or(Permissions::ALL),
        },
        (None, Some(id)) => TokenFor::Team(self::team(&app, &principal, id).await?.id),
        (None, None) => TokenFor::Organization(organization),
        (Some(_), Some(_)) => {
            return Err(Refusal::unprocessable(
                "/data/attributes",
                "name a user or a team, not both",
            )
            .into());
        }
    };
    let days: Option<u32> = resource.attribute(
        "expires-in-days",
        "/data/attributes/expires-in-days",
        "a number of days",
    )?;
    let lasts = days.map(|days| Duration::from_secs(u64::from(days) * 86_400));
    let description = resource
        .string("description", "/data/attributes/description")?
        .unwrap_or_default();
    let new = app
        .service
        .create_token(&who(&principal), owner, &description, lasts, None)
        .await?;
    Ok(answer(
        StatusCode::CREATED,
        &Document::of(token_document(&new.token, Some(&new.secret))),
    ))
}

/// The time that a token lasts, up to `expired-at`.
fn lasts_until(resource: &SentResource<'_>, now: Timestamp) -> Result<Option<Duration>, Refusal> {
    let pointer = "/data/attributes/expired-at";
    let Some(text) = resource.string("expired-at", pointer)? else {
        return Ok(None);
    };
    let wrong = || {
        let detail = format!(
            "expired-at must be a time after now, such as 2030-12-31T12:00:00Z, found {text:?}"
        );
        Refusal::unprocessable(pointer, detail)
    };
    let at = Timestamp::parse(&text)
        .filter(|at| *at > now)
        .ok_or_else(wrong)?;
    let millis = at.as_millis().saturating_sub(now.as_millis());
    let millis = u64::try_from(millis).unwrap_or_default();
    Ok(Some(Duration::from_millis(millis)))
}

/// As go-tfe asks for one, with a description and no type.
pub(super) async fn create_team_token(
    Caller(app, principal): Caller,
    Path(id): Path<String>,
    request: Request,
) -> ApiResult {
    let team = team(&app, &principal, id).await?;
    let held = app.small(request).await?;
    let resource = Sent::read(&held.bytes)?.any_resource()?.unwrap_or_default();
    let description = resource
        .string("description", "/data/attributes/description")?
        .unwrap_or_default();
    let lasts = lasts_until(&resource, app.service.now())?;
    let owner = TokenFor::Team(team.id);
    let new = app
        .service
        .create_token(&who(&principal), owner, &description, lasts, None)
        .await?;
    let document = token_document(&new.token, Some(&new.secret));
    Ok(answer(StatusCode::CREATED, &Document::of(document)))
}

pub(super) async fn team_tokens(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    query: Query,
) -> ApiResult {
    let organization = administrated(&app, &principal, &org).await?;
    let page = query.page_or_all()?;
    let mut teams = app.service.store().teams(&organization).await?;
    teams.retain(|team| query.names(&team.name));
    let mut tokens = app.service.tokens_of(&organization).await?;
    tokens.retain(|token| {
        matches!(&token.kind, TokenKind::Team(id) if teams.iter().any(|team| team.id == *id))
    });
    let total = u64::try_from(tokens.len()).unwrap_or(u64::MAX);
    let data: Vec<Value> = page
        .of(&tokens)
        .map(|token| token_document(token, None))
        .collect();
    Ok(paged(data, query.pagination(&app, page, total)))
}

pub(super) async fn show_token(
    Caller(app, principal): Caller,
    Path(id): Path<TokenId>,
) -> ApiResult {
    let (_, token) = app.service.administrated_token(&principal, &id).await?;
    Ok(answer_data(token_document(&token, None)))
}

pub(super) async fn remove_token(
    Caller(app, principal): Caller,
    Path(id): Path<TokenId>,
) -> Result<Response, ApiError> {
    app.service.remove_token(&principal, &id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn quarantine(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
) -> ApiResult {
    app.service
        .allowed(&principal, &id, Permission::Admin)
        .await?;
    let found = app.service.store().quarantined(&id).await?;
    let data: Vec<Value> = found
        .iter()
        .map(|kept| {
            json!({
                "id": kept.id.as_str(),
                "type": "quarantined-states",
                "attributes": {
                    "at": kept.at.to_string(),
                    "reason": kept.reason,
                    "size": kept.size,
                    "state-version": kept.version.as_str(),
                    "download-url": format!("{}/api/v2/quarantine/{}/download", app.options.base_url, kept.id),
                },
            })
        })
        .collect();
    Ok(answer_data(data))
}

pub(super) async fn quarantined(
    Caller(app, principal): Caller,
    Path(id): Path<QuarantineId>,
) -> ApiResult {
    let unknown = || Refusal::not_found(format!("quarantined state {:?}", id.as_str()));
    let store = app.service.store();
    // Its bytes are read only for who may have them.
    let kept = store.late_upload(&id).await?.ok_or_else(unknown)?;
    let found = visible(app.service.workspace(&principal, &kept.workspace).await)?;
    let (access, snapshot) = found.ok_or_else(unknown)?;
    access.require_all(&[Permission::Admin, Permission::ReadState])?;
    let mut room = app
        .going
        .room(usize::try_from(kept.size).unwrap_or(usize::MAX))?;
    let bytes = store
        .quarantined_bytes(&id)
        .await?
        .ok_or_else(unknown)?
        .bytes;
    app.going.enlarge(&mut room, bytes.len())?;
    app.service
        .note_read(&principal, &snapshot.workspace, "quarantine.read", &kept.id)
        .await;
    Ok((
        [(header::CONTENT_TYPE, "application/octet-stream")],
        Extension(Accounted),
        Budget::pieces(room, bytes),
    )
        .into_response())
}
