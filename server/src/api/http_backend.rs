//! `backend "http"`: a state behind one URL, locked with LOCK and UNLOCK, or POST and DELETE beside
//! it.

use axum::extract::{Path, Request};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::App;
use super::auth::{self, Caller};
use super::error::{ApiError, ApiResult};
use super::objects::send;
use super::query::Query;
use crate::content::hex;
use crate::model::{Permission, Principal, WorkspaceId};
use crate::rules::{Refusal, RefusalKind};
use crate::service::{Failure, HttpWrite, LockRequest, WRITING};

/// The most bytes of the body with which a state is locked: the store keeps it, and each list of
/// workspaces has those of all. Terraform's have about 300.
const LOCK_INFO: usize = 16 << 10;

/// The body that Terraform sends with LOCK and UNLOCK.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct LockInfo {
    #[serde(rename = "ID")]
    id: String,
    #[serde(default)]
    operation: String,
    #[serde(default)]
    who: String,
    #[serde(default)]
    version: String,
}

pub(super) async fn state(
    Caller(app, principal): Caller,
    Path((org, name)): Path<(String, String)>,
    query: Query,
    request: Request,
) -> ApiResult {
    match request.method().as_str() {
        "GET" | "HEAD" => match app.service.http_state(&principal, &org, &name).await? {
            Some(readable) => send(&app, &readable, "application/json").await,
            None => Ok(StatusCode::NO_CONTENT.into_response()),
        },
        "POST" | "PUT" => write(&app, &principal, (&org, &name), &query, request).await,
        "LOCK" => take(&app, &principal, (&org, &name), request).await,
        "UNLOCK" => give(&app, &principal, (&org, &name), request).await,
        other => Err(not_taken(other, "GET, POST, LOCK or UNLOCK").into()),
    }
}

/// GitLab's style: `lock_method = "POST"`, `unlock_method = "DELETE"`.
pub(super) async fn lock(
    Caller(app, principal): Caller,
    Path((org, name)): Path<(String, String)>,
    request: Request,
) -> ApiResult {
    match request.method().as_str() {
        "LOCK" | "POST" | "PUT" => take(&app, &principal, (&org, &name), request).await,
        "UNLOCK" | "DELETE" => give(&app, &principal, (&org, &name), request).await,
        other => Err(not_taken(other, "POST or DELETE").into()),
    }
}

/// A state is not deleted this way: nothing would be left to go back to.
fn not_taken(method: &str, expected: &str) -> Refusal {
    Refusal::new(
        RefusalKind::BadRequest,
        format!("{method} is not supported here; expected {expected}"),
    )
}

async fn write(
    app: &App,
    principal: &Principal,
    (org, name): (&str, &str),
    query: &Query,
    request: Request,
) -> ApiResult {
    let lock_id = query.get("ID");
    let (access, _) = app
        .service
        .http_workspace(principal, org, name, lock_id)
        .await?;
    access.require_all(&WRITING)?;
    let (parts, body) = request.into_parts();
    let limit = app.service.conduct().max_state;
    let held = app.read(&parts, body, limit).await?;
    let write = HttpWrite {
        bytes: held.bytes.clone(),
        md5: declared_md5(&parts.headers)?,
        lock_id: lock_id.map(str::to_owned),
        force: query.get("force") == Some("true"),
    };
    let id = app
        .service
        .http_workspace_made(principal, org, name, lock_id)
        .await?;
    app.service.http_write(principal, &id, write).await?;
    metrics::counter!("upstate_state_versions_created_total").increment(1);
    Ok(StatusCode::OK.into_response())
}

fn declared_md5(headers: &HeaderMap) -> Result<Option<String>, Refusal> {
    let Some(value) = headers.get("content-md5") else {
        return Ok(None);
    };
    let decoded = value
        .to_str()
        .ok()
        .and_then(|text| STANDARD.decode(text.trim()).ok())
        .filter(|bytes| bytes.len() == 16);
    let wrong = || {
        Refusal::new(
            RefusalKind::BadRequest,
            "Content-MD5 must be 16 bytes in base64",
        )
    };
    Ok(Some(hex(&decoded.ok_or_else(wrong)?)))
}

fn read_info(bytes: &[u8]) -> Result<LockInfo, Refusal> {
    let wrong = |_| {
        Refusal::new(
            RefusalKind::BadRequest,
            "The body must be Terraform's lock info, a JSON object with an ID",
        )
    };
    let info: LockInfo = serde_json::from_slice(bytes).map_err(wrong)?;
    if info.id.is_empty() || info.id.len() > 128 {
        return Err(Refusal::new(
            RefusalKind::BadRequest,
            "The ID of a lock must have 1 to 128 letters",
        ));
    }
    Ok(info)
}

async fn take(
    app: &App,
    principal: &Principal,
    (org, name): (&str, &str),
    request: Request,
) -> ApiResult {
    let (parts, body) = request.into_parts();
    let held = app.read(&parts, body, LOCK_INFO).await?;
    let info = read_info(&held.bytes);
    // The answer to an apply that has the lock may have been lost, and the workspace renamed since.
    let lock_id = info.as_ref().ok().map(|info| info.id.as_str());
    let (access, workspace) = app
        .service
        .http_workspace_to_lock(principal, org, name, lock_id)
        .await?;
    access.require(Permission::Lock)?;
    let info = info?;
    let id = match workspace {
        Some(workspace) => workspace.id,
        None => {
            app.service
                .http_workspace_made(principal, org, name, None)
                .await?
        }
    };
    let client = match info.version.as_str() {
        "" => auth::client(&parts.headers),
        version => format!("Terraform {version}"),
    };
    let reason = [info.operation.as_str(), info.who.as_str()]
        .iter()
        .copied()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>();
    let request = LockRequest {
        reason: reason.join(" by "),
        client,
        lock_id: Some(info.id),
        info: String::from_utf8(held.bytes.to_vec()).ok(),
    };
    match app.service.lock(principal, &id, request).await {
        Ok(()) => Ok(StatusCode::OK.into_response()),
        Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::Conflict => {
            held_by_other(app, principal, &id, refusal).await
        }
        Err(failure) => Err(failure.into()),
    }
}

/// Terraform shows who holds the lock if the answer is that one's lock info.
async fn held_by_other(
    app: &App,
    principal: &Principal,
    id: &WorkspaceId,
    refusal: Refusal,
) -> Result<Response, ApiError> {
    let (_, snapshot) = app.service.workspace(principal, id).await?;
    let lock = snapshot.workspace.lock.ok_or(refusal)?;
    let info = lock.info.unwrap_or_else(|| {
        serde_json::json!({
            "ID": lock.holder.lock_id.clone().unwrap_or_default(),
            "Operation": lock.reason,
            "Info": "",
            "Who": lock.holder.name,
            "Version": "",
            "Created": lock.at.to_string(),
            "Path": "",
        })
        .to_string()
    });
    let mut response = (StatusCode::LOCKED, info).into_response();
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    Ok(response)
}

async fn give(
    app: &App,
    principal: &Principal,
    (org, name): (&str, &str),
    request: Request,
) -> ApiResult {
    let held = app.small(request).await?;
    // `terraform force-unlock` sends an empty body.
    let info = (!held.bytes.is_empty()).then(|| read_info(&held.bytes));
    let lock_id = info.as_ref().and_then(|info| info.as_ref().ok());
    let lock_id = lock_id.map(|info| info.id.as_str());
    let (_, workspace) = app
        .service
        .http_workspace(principal, org, name, lock_id)
        .await?;
    // Otherwise the refusal of one that may not be seen would have its id.
    let visible = workspace.filter(|found| !principal.permissions_on(found).is_empty());
    let id = visible
        .ok_or_else(|| Refusal::not_found(format!("workspace {name:?}")))?
        .id;
    let lock_id = info.transpose()?.map(|info| info.id);
    app.service.http_unlock(principal, &id, lock_id).await?;
    Ok(StatusCode::OK.into_response())
}
