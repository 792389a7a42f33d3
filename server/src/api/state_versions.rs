//! State versions: create, list, show, roll back, delete and restore their bytes.

use std::sync::Arc;

use axum::extract::{Path, Request};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::App;
use super::auth::Caller;
use super::body::{Sent, SentResource};
use super::document::{
    self, Document, Uploads, Written, answer, answer_including, paged_including, written,
};
use super::error::{ApiError, ApiResult};
use super::outputs::room;
use super::query::Query;
use crate::model::{HolderKind, Principal, Status, UserId, VersionId, WorkspaceId};
use crate::rules::{BackingAction, Refusal, RefusalKind};
use crate::service::{CreateVersion, Service, Shown};
use crate::store::Page;

const INCLUDES: [&str; 5] = [
    "created_by",
    "run",
    "run.created_by",
    "run.configuration_version",
    "outputs",
];

/// The largest page that includes outputs reads of each version.
const ALL: Page = Page::first(10_000);

/// The most resources that are included in an answer.
const MOST_INCLUDED: usize = 20_000;

pub(super) async fn create(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    request: Request,
) -> ApiResult {
    // A client that may not write is refused before anything large is read.
    let writable = app.service.may_create(&principal, &id).await?;
    let (parts, body) = request.into_parts();
    let limit = app.service.conduct().max_state.saturating_mul(2);
    let held = app.read(&parts, body, limit).await?;
    let request = read_create(&held.bytes, &parts.headers, app.service.conduct().max_state)?;
    let uploads = if request.state.is_none() {
        Uploads::Always
    } else {
        Uploads::WhereMissing
    };
    let created = app.service.create(&principal, writable, request).await?;
    metrics::counter!("upstate_state_versions_created_total").increment(1);
    show_version(&app, &principal, &created, StatusCode::CREATED, uploads).await
}

/// A version that the caller has made, or asked to change.
pub(super) async fn show_version(
    app: &App,
    principal: &Principal,
    id: &VersionId,
    status: StatusCode,
    uploads: Uploads,
) -> ApiResult {
    let shown = app.service.version(principal, id).await?;
    Ok(answer(
        status,
        &Document::of(document::version(app, &shown, uploads)?),
    ))
}

fn read_create(
    body: &[u8],
    headers: &HeaderMap,
    max_state: usize,
) -> Result<CreateVersion, Refusal> {
    let sent = Sent::read(body)?;
    let resource = sent.resource("state-versions")?;
    let serial: Option<i64> =
        resource.attribute("serial", "/data/attributes/serial", "a whole number")?;
    let missing = |name: &str, pointer| {
        Refusal::unprocessable(
            pointer,
            format!("param is missing or the value is empty: {name}"),
        )
    };
    let serial = serial.ok_or_else(|| missing("serial", "/data/attributes/serial"))?;
    if serial < 0 {
        return Err(Refusal::unprocessable(
            "/data/attributes/serial",
            "serial must be 0 or greater",
        ));
    }
    let state = resource.base64("state", "/data/attributes/state")?;
    if let Some(large) = state.as_ref().filter(|state| state.len() > max_state) {
        let detail = format!(
            "The state has {} bytes, and {max_state} are the most that is taken",
            large.len()
        );
        return Err(Refusal::new(RefusalKind::TooLarge, detail));
    }
    if state.is_none() && resource.has("state") {
        return Err(Refusal::unprocessable(
            "/data/attributes/state",
            "state is null; leave it out to upload the state afterwards",
        ));
    }
    let outputs = resource.base64("json-state-outputs", "/data/attributes/json-state-outputs")?;
    let run = resource
        .related("run", "/data/relationships/run")?
        .map(|(_, id)| id);
    if run.as_ref().is_some_and(|run| {
        run.len() > 128 || run.contains(|letter: char| letter == '/' || letter.is_whitespace())
    }) {
        return Err(Refusal::unprocessable(
            "/data/relationships/run",
            "The id of the run must have at most 128 letters, none of them / or space",
        ));
    }
    let json_state = resource.base64("json-state", "/data/attributes/json-state")?;
    if let Some(Err(error)) = json_state
        .as_ref()
        .map(|bytes| serde_json::from_slice::<serde::de::IgnoredAny>(bytes))
    {
        let detail = format!(
            "json-state is not JSON (line {}, column {})",
            error.line(),
            error.column()
        );
        return Err(Refusal::unprocessable(
            "/data/attributes/json-state",
            detail,
        ));
    }
    Ok(CreateVersion {
        serial,
        md5: read_md5(&resource)?,
        lineage: resource
            .string("lineage", "/data/attributes/lineage")?
            .unwrap_or_default(),
        state,
        json_state,
        outputs: outputs
            .map(|bytes| Service::read_outputs(&bytes))
            .transpose()?,
        run,
        force: resource
            .attribute("force", "/data/attributes/force", "true or false")?
            .unwrap_or_default(),
        if_match: if_match(headers)?,
    })
}

fn read_md5(resource: &SentResource<'_>) -> Result<String, Refusal> {
    let pointer = "/data/attributes/md5";
    let md5 = resource
        .string("md5", pointer)?
        .filter(|md5| !md5.is_empty());
    let md5 = md5.ok_or_else(|| {
        Refusal::unprocessable(pointer, "param is missing or the value is empty: md5")
    })?;
    if md5.len() == 32 && md5.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(md5.to_ascii_lowercase());
    }
    Err(Refusal::unprocessable(
        pointer,
        "md5 must be the MD5 of the state in 32 hexadecimal digits",
    ))
}

/// `If-Match: "sv-…"`: which version has to be current.
pub(super) fn if_match(headers: &HeaderMap) -> Result<Option<VersionId>, Refusal> {
    let Some(value) = headers.get("if-match") else {
        return Ok(None);
    };
    let id = value
        .to_str()
        .ok()
        .map(str::trim)
        .and_then(|text| text.strip_prefix('"')?.strip_suffix('"'));
    let id = id.filter(|id| id.starts_with(VersionId::PREFIX));
    let detail = "If-Match must be the id of one state version in quotes: If-Match: \"sv-…\"";
    Ok(Some(VersionId::from_text(id.ok_or_else(|| {
        Refusal::new(RefusalKind::BadRequest, detail)
    })?)))
}

pub(super) async fn rollback(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    request: Request,
) -> ApiResult {
    app.service.may_create(&principal, &id).await?;
    let held = app.small(request).await?;
    let pointer = "/data/relationships/rollback-state-version";
    let resource = Sent::read(&held.bytes)?.resource("state-versions")?;
    let missing = || {
        Refusal::unprocessable(
            pointer,
            "relationships.rollback-state-version.data is missing",
        )
    };
    let (type_name, source) = resource
        .related("rollback-state-version", pointer)?
        .ok_or_else(missing)?;
    if type_name != "state-versions" {
        return Err(Refusal::unprocessable(
            pointer,
            format!("its type must be \"state-versions\", found {type_name:?}"),
        )
        .into());
    }
    let created = app
        .service
        .rollback(&principal, &id, &VersionId::from_text(source))
        .await?;
    metrics::counter!("upstate_rollbacks_total").increment(1);
    show_version(
        &app,
        &principal,
        &created,
        StatusCode::CREATED,
        Uploads::WhereMissing,
    )
    .await
}

pub(super) async fn list(Caller(app, principal): Caller, query: Query) -> ApiResult {
    let workspace = query.required("filter[workspace][name]")?;
    let organization = query.required("filter[organization][name]")?;
    let statuses = query.listed("filter[status]").map(|name| {
        let unknown =
            || format!("filter[status] must name pending, finalized or discarded, found {name:?}");
        Status::named(name).ok_or_else(|| Refusal::new(RefusalKind::BadRequest, unknown()))
    });
    let statuses: Vec<Status> = statuses.collect::<Result<_, _>>()?;
    let page = query.page()?;
    let included = query.include(&INCLUDES)?;
    let listed = app
        .service
        .versions(&principal, (organization, workspace), &statuses, page)
        .await?;
    let data: Vec<Written> = listed
        .items
        .iter()
        .map(|shown| document::version(&app, shown, Uploads::WhereMissing))
        .collect::<Result<_, _>>()?;
    let included = include(&app, &principal, &listed.items, &included).await?;
    let numbers = query.pagination(&app, page, listed.total);
    Ok(paged_including(data, included, numbers))
}

pub(super) async fn show(
    Caller(app, principal): Caller,
    Path(id): Path<VersionId>,
    query: Query,
) -> ApiResult {
    let included = query.include(&INCLUDES)?;
    let shown = app.service.version(&principal, &id).await?;
    one(&app, &principal, shown, &included).await
}

pub(super) async fn current(
    Caller(app, principal): Caller,
    Path(id): Path<WorkspaceId>,
    query: Query,
) -> ApiResult {
    let included = query.include(&INCLUDES)?;
    let shown = app.service.current(&principal, &id).await?;
    one(&app, &principal, shown, &included).await
}

async fn one(app: &Arc<App>, principal: &Principal, shown: Shown, included: &[&str]) -> ApiResult {
    let included = include(app, principal, std::slice::from_ref(&shown), included).await?;
    let data = document::version(app, &shown, Uploads::WhereMissing)?;
    Ok(answer_including(data, included))
}

/// The related documents in a request, each once.
async fn include(
    app: &App,
    principal: &Principal,
    shown: &[Shown],
    requested: &[&str],
) -> ApiResult<Option<Vec<Written>>> {
    if requested.is_empty() {
        return Ok(None);
    }
    // The rooms are held until all are included.
    let (mut included, mut rooms) = (Vec::new(), Vec::new());
    let mut seen = std::collections::HashSet::new();
    for Shown { version, .. } in shown {
        let has_run = version.run.is_some();
        let wants_creator =
            requested.contains(&"created_by") || (has_run && requested.contains(&"run.created_by"));
        if wants_creator
            && version.creator.kind == HolderKind::User
            && seen.insert(version.creator.id.clone())
        {
            match app
                .service
                .user(principal, &UserId::from_text(version.creator.id.clone()))
                .await
            {
                Ok(user) => included.push(written(&document::user(&user))?),
                Err(crate::service::Failure::Refused(_)) => {}
                Err(failure) => return Err(failure.into()),
            }
        }
        if let Some(run) = version
            .run
            .as_ref()
            .filter(|_| requested.iter().any(|name| name.starts_with("run")))
            && seen.insert(run.clone())
        {
            included.push(written(&run_document(run, shown_creator(version)))?);
        }
        if requested.contains(&"outputs") && version.status == Status::Finalized {
            let outputs = match app.service.outputs(principal, &version.id, ALL).await {
                Ok(outputs) => outputs.items,
                // Of deleted bytes there are no outputs to show.
                Err(crate::service::Failure::Refused(_)) => Vec::new(),
                Err(failure) => return Err(failure.into()),
            };
            if included.len() + outputs.len() > MOST_INCLUDED {
                let detail = format!(
                    "These versions have more than {MOST_INCLUDED} outputs; ask for fewer versions with page[size]"
                );
                return Err(Refusal::new(RefusalKind::BadRequest, detail).into());
            }
            rooms.extend(room(app, &outputs)?);
            for output in &outputs {
                included.push(document::output(output, true)?);
            }
        }
    }
    Ok(Some(included))
}

fn shown_creator(version: &crate::model::Version) -> Option<&str> {
    match version.creator.kind {
        HolderKind::User => Some(&version.creator.id),
        HolderKind::Team | HolderKind::Workspace | HolderKind::Workload => None,
    }
}

/// A run, of which nothing is known but what a client said when it wrote a state: runs are executed
/// elsewhere.
pub(super) fn run_document(id: &str, created_by: Option<&str>) -> Value {
    json!({
        "id": id,
        "type": "runs",
        "attributes": { "status": "applied" },
        "relationships": {
            "created-by": { "data": created_by.map(|id| json!({ "id": id, "type": "users" })) },
            "configuration-version": { "data": null },
        },
        "links": { "self": format!("/api/v2/runs/{id}") },
    })
}

async fn backing(
    app: &App,
    principal: &Principal,
    id: &VersionId,
    action: BackingAction,
) -> Result<Response, ApiError> {
    app.service.backing(principal, id, action).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn soft_delete(
    Caller(app, principal): Caller,
    Path(id): Path<VersionId>,
) -> ApiResult {
    backing(&app, &principal, &id, BackingAction::SoftDelete).await
}

pub(super) async fn restore(
    Caller(app, principal): Caller,
    Path(id): Path<VersionId>,
) -> ApiResult {
    backing(&app, &principal, &id, BackingAction::Restore).await
}

pub(super) async fn permanently_delete(
    Caller(app, principal): Caller,
    Path(id): Path<VersionId>,
) -> ApiResult {
    backing(&app, &principal, &id, BackingAction::PermanentlyDelete).await
}
