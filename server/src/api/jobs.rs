//! Jobs: the upgrade of many workspaces.

use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::Shared;
use super::auth::Caller;
use super::body::Sent;
use super::document::{Document, answer};
use super::error::ApiResult;
use super::query::Query;
use crate::model::{ItemStatus, Job, JobCounts, JobId, JobItem, Permission, VersionId, WorkspaceId};
use crate::rules::{Refusal, RefusalKind};
use crate::service::NewJob;

fn document(job: &Job, counts: JobCounts) -> Value {
    json!({
        "id": job.id.as_str(),
        "type": "upstate-jobs",
        "attributes": {
            "status": job.status.name(),
            "concurrency": job.concurrency,
            "on-failure": if job.stop_at_failure { "stop" } else { "continue" },
            "requested-by": job.requested_by.to_string(),
            "created-at": job.created_at.to_string(),
            "finished-at": job.finished_at.map(|at| at.to_string()),
            "workspaces": {
                "total": counts.total(),
                "waiting": counts.waiting,
                "upgraded": counts.upgraded,
                "current": counts.current,
                "failed": counts.failed,
            },
        },
        "links": { "self": format!("/api/v2/upstate/jobs/{}", job.id) },
    })
}

pub(super) async fn create(
    State(app): Shared,
    Caller(principal): Caller,
    Path(org): Path<String>,
    request: Request,
) -> ApiResult {
    let (access, _) = app.service.organization(&principal, &org).await?;
    access.require(Permission::WriteState)?;
    let held = app.small(request).await?;
    let resource = Sent::read(&held.bytes)?.resource("upstate-jobs")?;
    let ids: Option<Vec<String>> = resource.attribute("workspaces", "/data/attributes/workspaces", "a list of workspace ids")?;
    let concurrency = resource.attribute("concurrency", "/data/attributes/concurrency", "a whole number")?;
    let pointer = "/data/attributes/on-failure";
    let stop_at_failure = match resource.string("on-failure", pointer)?.as_deref() {
        None | Some("stop") => true,
        Some("continue") => false,
        Some(other) => {
            let detail = format!("on-failure must be \"stop\" or \"continue\", found {other:?}");
            return Err(Refusal::unprocessable(pointer, detail).into());
        }
    };
    let new = NewJob {
        workspaces: ids.map(|ids| ids.into_iter().map(WorkspaceId::from_text).collect()),
        concurrency: concurrency.unwrap_or(4),
        stop_at_failure,
    };
    let id = app.service.create_job(&principal, &org, new).await?;
    let unknown = || Refusal::not_found(format!("job {id}"));
    let (job, counts) = app.service.store().job(&id).await?.ok_or_else(unknown)?;
    Ok(answer(StatusCode::CREATED, &Document::of(document(&job, counts))))
}

pub(super) async fn list(State(app): Shared, Caller(principal): Caller, Path(org): Path<String>, query: Query) -> ApiResult {
    let page = query.page()?;
    let listed = app.service.jobs(&principal, &org, page).await?;
    let data: Vec<Value> = listed.items.iter().map(|(job, counts)| document(job, *counts)).collect();
    let (links, meta) = query.pagination(&app, page, listed.total);
    Ok(answer(StatusCode::OK, &Document { data, included: None, links: Some(links), meta: Some(meta) }))
}

pub(super) async fn show(State(app): Shared, Caller(principal): Caller, Path(id): Path<String>) -> ApiResult {
    let (job, counts) = app.service.job(&principal, &JobId::from_text(id)).await?;
    Ok(answer(StatusCode::OK, &Document::of(document(&job, counts))))
}

fn item(item: &JobItem) -> Value {
    json!({
        "id": item.workspace.as_str(),
        "type": "upstate-job-workspaces",
        "attributes": { "status": item.status.name(), "detail": item.detail },
        "relationships": {
            "workspace": { "data": { "id": item.workspace.as_str(), "type": "workspaces" } },
            "state-version": {
                "data": item.version.as_ref().map(VersionId::as_str).map(|id| json!({ "id": id, "type": "state-versions" })),
            },
        },
    })
}

pub(super) async fn workspaces(State(app): Shared, Caller(principal): Caller, Path(id): Path<String>, query: Query) -> ApiResult {
    let page = query.page()?;
    let asked = query.get("filter[status]").unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty());
    let statuses = asked.map(|name| {
        let unknown = || format!("filter[status] must name waiting, upgraded, current or failed, found {name:?}");
        ItemStatus::named(name).ok_or_else(|| Refusal::new(RefusalKind::BadRequest, unknown()))
    });
    let statuses: Vec<ItemStatus> = statuses.collect::<Result<_, _>>()?;
    let listed = app.service.job_items(&principal, &JobId::from_text(id), &statuses, page).await?;
    let data: Vec<Value> = listed.items.iter().map(item).collect();
    let (links, meta) = query.pagination(&app, page, listed.total);
    Ok(answer(StatusCode::OK, &Document { data, included: None, links: Some(links), meta: Some(meta) }))
}

pub(super) async fn stop(State(app): Shared, Caller(principal): Caller, Path(id): Path<String>) -> ApiResult {
    let (job, counts) = app.service.stop_job(&principal, &JobId::from_text(id)).await?;
    Ok(answer(StatusCode::OK, &Document::of(document(&job, counts))))
}

pub(super) async fn resume(State(app): Shared, Caller(principal): Caller, Path(id): Path<String>) -> ApiResult {
    let (job, counts) = app.service.resume_job(&principal, &JobId::from_text(id)).await?;
    Ok(answer(StatusCode::OK, &Document::of(document(&job, counts))))
}
