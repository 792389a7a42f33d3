//! Routes about trust in the jobs of CI systems.

use std::collections::BTreeMap;

use axum::extract::{Path, Request};
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use serde_json::{Value, json};

use super::admin::granted;
use super::auth::Caller;
use super::body::{Sent, SentResource};
use super::document::{Document, answer, answer_data};
use super::error::ApiResult;
use super::places::LEVELS;
use crate::model::{Permissions, Place, ProjectId, Trust, TrustId, WorkspaceId};
use crate::rules::Refusal;
use crate::service::NewTrust;

const TYPE: &str = "upstate-trusts";

fn trust_document(trust: &Trust) -> Value {
    let claims: serde_json::Map<String, Value> = trust
        .claims
        .iter()
        .map(|(name, pattern)| (name.clone(), json!(pattern.as_str())))
        .collect();
    let level = LEVELS
        .iter()
        .find(|(_, level)| *level == trust.permissions)
        .map_or("custom", |(name, _)| name);
    let place = trust.place.name();
    json!({
        "id": trust.id.as_str(),
        "type": TYPE,
        "attributes": {
            "name": trust.name,
            "issuer": trust.issuer,
            "audience": trust.audience,
            "claims": claims,
            "access": level,
            "grants": trust.permissions.to_string(),
            "created-at": trust.created_at.to_string(),
        },
        "relationships": { place: { "data": { "id": trust.place.id(), "type": format!("{place}s") } } },
        "links": { "self": format!("/api/v2/upstate/trusts/{}", trust.id) },
    })
}

/// The permissions in a request: `grants`, by name; or `access`, a level.
fn permissions(resource: &SentResource<'_>) -> Result<Permissions, Refusal> {
    if let Some(granted) = granted(resource)? {
        return Ok(granted);
    }
    let pointer = "/data/attributes/access";
    let word = resource.string("access", pointer)?.unwrap_or_default();
    let level = LEVELS.iter().find(|(level, _)| *level == word);
    let wrong = || {
        format!(
            "access must be read, write, maintain or admin, found {word:?}; or name permissions as grants"
        )
    };
    level
        .map(|(_, permissions)| *permissions)
        .ok_or_else(|| Refusal::unprocessable(pointer, wrong()))
}

fn place(resource: &SentResource<'_>) -> Result<Place, Refusal> {
    let project = resource.related("project", "/data/relationships/project")?;
    let workspace = resource.related("workspace", "/data/relationships/workspace")?;
    match (project, workspace) {
        (Some((_, id)), None) => Ok(Place::Project(ProjectId::from_text(id))),
        (None, Some((_, id))) => Ok(Place::Workspace(WorkspaceId::from_text(id))),
        (None, None) | (Some(_), Some(_)) => Err(Refusal::unprocessable(
            "/data/relationships",
            "relationships must name a project or a workspace",
        )),
    }
}

pub(super) async fn list(Caller(app, principal): Caller, Path(org): Path<String>) -> ApiResult {
    let trusts = app.service.trusts(&principal, &org).await?;
    Ok(answer_data(
        trusts.iter().map(trust_document).collect::<Vec<_>>(),
    ))
}

pub(super) async fn create(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    request: Request,
) -> ApiResult {
    super::admin::administrated(&app, &principal, &org).await?;
    let held = app.small(request).await?;
    let resource = Sent::read(&held.bytes)?.resource(TYPE)?;
    let text = |name: &str, pointer| resource.string(name, pointer);
    let claims: Option<BTreeMap<String, String>> = resource.attribute(
        "claims",
        "/data/attributes/claims",
        "an object of names and strings",
    )?;
    let new = NewTrust {
        name: text("name", "/data/attributes/name")?.unwrap_or_default(),
        issuer: text("issuer", "/data/attributes/issuer")?.unwrap_or_default(),
        audience: text("audience", "/data/attributes/audience")?
            .unwrap_or_else(|| app.options.base_url.clone()),
        claims: claims.unwrap_or_default(),
        place: place(&resource)?,
        permissions: permissions(&resource)?,
    };
    let trust = app.service.create_trust(&principal, &org, new).await?;
    Ok(answer(
        StatusCode::CREATED,
        &Document::of(trust_document(&trust)),
    ))
}

pub(super) async fn show(Caller(app, principal): Caller, Path(id): Path<TrustId>) -> ApiResult {
    let trust = app.service.trust(&principal, &id).await?;
    Ok(answer_data(trust_document(&trust)))
}

pub(super) async fn remove(Caller(app, principal): Caller, Path(id): Path<TrustId>) -> ApiResult {
    app.service.remove_trust(&principal, &id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
