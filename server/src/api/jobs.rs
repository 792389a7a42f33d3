//! Jobs: the upgrade of many workspaces, or their downgrade.

use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::Shared;
use super::auth::Caller;
use super::body::{Sent, SentResource};
use super::document::{Document, answer};
use super::error::ApiResult;
use super::query::Query;
use crate::model::{Back, ItemStatus, Job, JobCounts, JobId, JobItem, VersionId, WorkspaceId};
use crate::rules::{Refusal, RefusalKind};
use crate::service::{NewJob, StopAbove, WRITING};

fn document(job: &Job, counts: JobCounts) -> Value {
    json!({
        "id": job.id.as_str(),
        "type": "upstate-jobs",
        "attributes": {
            "status": job.status.name(),
            "action": action(job),
            "undoes": job.undoes.as_ref().map(JobId::as_str),
            "to-release": job.back.as_ref().map(|back| &back.release),
            "allow-loss": job.back.as_ref().map(|back| back.allow_loss),
            "strict": job.back.as_ref().map(|back| back.strict),
            "concurrency": job.concurrency,
            "on-failure": if job.stop_at_failure { "stop" } else { "continue" },
            "max-failures": job.stop_at_failure.then_some(job.max_failures),
            "requested-by": job.requested_by.to_string(),
            "created-at": job.created_at.to_string(),
            "worked-on-at": job.worked_on_at.map(|at| at.to_string()),
            "finished-at": job.finished_at.map(|at| at.to_string()),
            "workspaces": {
                "total": counts.total(),
                "waiting": counts.waiting,
                (status_name(job, ItemStatus::Upgraded)): counts.upgraded,
                "current": counts.current,
                "failed": counts.failed,
            },
        },
        "links": { "self": format!("/api/v2/upstate/jobs/{}", job.id) },
    })
}

const fn action(job: &Job) -> &'static str {
    match (&job.undoes, &job.back) {
        (Some(_), _) => "undo",
        (None, Some(_)) => "downgrade",
        (None, None) => "upgrade",
    }
}

/// The failures that do not stop a job, as a request has them: a number, or a share such as `"5%"`.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum MaxFailures {
    Number(u32),
    Share(String),
}

fn max_failures(resource: &SentResource<'_>) -> Result<StopAbove, Refusal> {
    let (pointer, wanted) = ("/data/attributes/max-failures", "a number of workspaces, or a share such as \"5%\"");
    match resource.attribute::<MaxFailures>("max-failures", pointer, wanted)? {
        None => Ok(StopAbove::Number(0)),
        Some(MaxFailures::Number(number)) => Ok(StopAbove::Number(number)),
        Some(MaxFailures::Share(share)) => {
            let percent =
                share.strip_suffix('%').and_then(|percent| percent.trim().parse().ok()).filter(|percent| *percent <= 100);
            let refused = || Refusal::unprocessable(pointer, format!("max-failures must be {wanted}, found {share:?}"));
            percent.map(StopAbove::Percent).ok_or_else(refused)
        }
    }
}

/// The goal of a downgrade, if the request has one.
pub(super) fn back(resource: &SentResource<'_>) -> Result<Option<Back>, Refusal> {
    let release = resource.string("to-release", "/data/attributes/to-release")?;
    let allow_loss: Option<bool> = resource.attribute("allow-loss", "/data/attributes/allow-loss", "true or false")?;
    let strict: Option<bool> = resource.attribute("strict", "/data/attributes/strict", "true or false")?;
    let (allow_loss, strict) = (allow_loss.unwrap_or(false), strict.unwrap_or(false));
    let Some(release) = release else {
        let set = [("allow-loss", "/data/attributes/allow-loss", allow_loss), ("strict", "/data/attributes/strict", strict)];
        let Some((flag, pointer, _)) = set.into_iter().find(|(.., is_set)| *is_set) else { return Ok(None) };
        let detail = format!("{flag} is for states that go back to a release: say which with to-release");
        return Err(Refusal::unprocessable(pointer, detail));
    };
    Ok(Some(Back { release, allow_loss, strict }))
}

pub(super) async fn create(
    State(app): Shared,
    Caller(principal): Caller,
    Path(org): Path<String>,
    request: Request,
) -> ApiResult {
    let (access, _) = app.service.organization(&principal, &org).await?;
    access.require_all(&WRITING)?;
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
        back: back(&resource)?,
        workspaces: ids.map(|ids| ids.into_iter().map(WorkspaceId::from_text).collect()),
        concurrency: concurrency.unwrap_or(4),
        stop: if stop_at_failure { Some(max_failures(&resource)?) } else { None },
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

/// The outcome for a workspace, in the words of the request.
const fn status_name(job: &Job, status: ItemStatus) -> &'static str {
    match (status, &job.back) {
        (ItemStatus::Upgraded, _) if job.undoes.is_some() => "rolled-back",
        (ItemStatus::Upgraded, Some(_)) => "downgraded",
        (ItemStatus::Upgraded | ItemStatus::Waiting | ItemStatus::Current | ItemStatus::Failed, _) => status.name(),
    }
}

fn item(job: &Job, item: &JobItem) -> Value {
    json!({
        "id": item.workspace.as_str(),
        "type": "upstate-job-workspaces",
        "attributes": { "status": status_name(job, item.status), "detail": item.detail },
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
    let requested = query.get("filter[status]").unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty());
    let (id, (job, _)) = (JobId::from_text(&id), app.service.job(&principal, &JobId::from_text(id)).await?);
    let statuses = requested.map(|name| {
        let known = ItemStatus::ALL.map(|status| status_name(&job, status)).join(", ");
        let unknown = || format!("filter[status] must be some of {known}, found {name:?}");
        let found = ItemStatus::ALL.into_iter().find(|status| status_name(&job, *status) == name);
        found.ok_or_else(|| Refusal::new(RefusalKind::BadRequest, unknown()))
    });
    let statuses: Vec<ItemStatus> = statuses.collect::<Result<_, _>>()?;
    let listed = app.service.job_items(&principal, &id, &statuses, page).await?;
    let data: Vec<Value> = listed.items.iter().map(|one| item(&job, one)).collect();
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

pub(super) async fn undo(State(app): Shared, Caller(principal): Caller, Path(id): Path<String>) -> ApiResult {
    let id = app.service.undo_job(&principal, &JobId::from_text(id)).await?;
    let (job, counts) = app.service.job(&principal, &id).await?;
    Ok(answer(StatusCode::CREATED, &Document::of(document(&job, counts))))
}
