//! Jobs: the upgrade of many workspaces, or their downgrade.

use axum::extract::{Path, Request};
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::App;
use super::auth::Caller;
use super::body::{Sent, SentResource};
use super::document::{Document, answer, answer_data, paged};
use super::error::{ApiError, ApiResult};
use super::query::Query;
use crate::model::{
    Back, ItemStatus, Job, JobCounts, JobId, JobItem, JobKind, JobStatus, LastOutcome, Principal,
    Selection, VersionId, WorkspaceId,
};
use crate::rules::{Refusal, RefusalKind};
use crate::service::{Effect, NewJob, NewPlan, PlanSums, StopAbove, StoredPlan, Sum, WRITING};

async fn document(app: &App, job: &Job, counts: JobCounts) -> Result<Value, ApiError> {
    let expected = app.service.expected_end(job, counts).await?;
    Ok(json!({
        "id": job.id.as_str(),
        "type": "upstate-jobs",
        "attributes": {
            "status": job.status.name(),
            "action": action(job),
            "undoes": job.undoes.as_ref().map(JobId::as_str),
            "plan": job.applies.as_ref().map(JobId::as_str),
            "to-release": job.back.as_ref().map(|back| &back.release),
            "allow-loss": job.back.as_ref().map(|back| back.allow_loss),
            "strict": job.back.as_ref().map(|back| back.strict),
            "concurrency": job.concurrency,
            "on-failure": if job.stop_at_failure { "stop" } else { "continue" },
            "max-failures": job.stop_at_failure.then_some(job.max_failures),
            "requested-by": job.requested_by.to_string(),
            "created-at": job.created_at.to_string(),
            "worked-on-at": job.worked_on_at.map(|at| at.to_string()),
            "expected-end-at": expected.map(|at| at.to_string()),
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
    }))
}

const fn action(job: &Job) -> &'static str {
    match (&job.undoes, &job.back) {
        _ if matches!(job.kind, JobKind::Plan) => "plan",
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
    let (pointer, wanted) = (
        "/data/attributes/max-failures",
        "a number of workspaces, or a share such as \"5%\"",
    );
    match resource.attribute::<MaxFailures>("max-failures", pointer, wanted)? {
        None => Ok(StopAbove::Number(0)),
        Some(MaxFailures::Number(number)) => Ok(StopAbove::Number(number)),
        Some(MaxFailures::Share(share)) => {
            let percent = share
                .strip_suffix('%')
                .and_then(|percent| percent.trim().parse().ok())
                .filter(|percent| *percent <= 100);
            let refused = || {
                Refusal::unprocessable(
                    pointer,
                    format!("max-failures must be {wanted}, found {share:?}"),
                )
            };
            percent.map(StopAbove::Percent).ok_or_else(refused)
        }
    }
}

/// The goal of a downgrade, if the request has one.
pub(super) fn back(resource: &SentResource<'_>) -> Result<Option<Back>, Refusal> {
    let release = resource.string("to-release", "/data/attributes/to-release")?;
    let allow_loss: Option<bool> =
        resource.attribute("allow-loss", "/data/attributes/allow-loss", "true or false")?;
    let strict: Option<bool> =
        resource.attribute("strict", "/data/attributes/strict", "true or false")?;
    let (allow_loss, strict) = (allow_loss.unwrap_or(false), strict.unwrap_or(false));
    let Some(release) = release else {
        let set = [
            ("allow-loss", "/data/attributes/allow-loss", allow_loss),
            ("strict", "/data/attributes/strict", strict),
        ];
        let Some((flag, pointer, _)) = set.into_iter().find(|(.., is_set)| *is_set) else {
            return Ok(None);
        };
        let detail =
            format!("{flag} is for states that go back to a release: say which with to-release");
        return Err(Refusal::unprocessable(pointer, detail));
    };
    Ok(Some(Back {
        release,
        allow_loss,
        strict,
    }))
}

/// The workspaces that a request takes.
fn selection(resource: &SentResource<'_>) -> Result<Selection, Refusal> {
    let ids: Option<Vec<String>> = resource.attribute(
        "workspaces",
        "/data/attributes/workspaces",
        "a list of workspace ids",
    )?;
    let tags: Option<Vec<String>> =
        resource.attribute("tags", "/data/attributes/tags", "a list of tags")?;
    Ok(Selection {
        workspaces: ids.map(|ids| ids.into_iter().map(WorkspaceId::from_text).collect()),
        names: resource.string("names", "/data/attributes/names")?,
        tags: tags.unwrap_or_default(),
    })
}

pub(super) async fn create_plan(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    request: Request,
) -> ApiResult {
    app.service.may_plan(&principal, &org).await?;
    let held = app.small(request).await?;
    let resource = Sent::read(&held.bytes)?.resource("upstate-plans")?;
    let new = NewPlan {
        back: back(&resource)?,
        selection: selection(&resource)?,
    };
    let id = app.service.create_plan(&principal, &org, new).await?;
    let plan = plan(&app, &principal, &id).await?;
    Ok(answer(StatusCode::CREATED, &Document::of(plan)))
}

pub(super) async fn show_plan(Caller(app, principal): Caller, Path(id): Path<JobId>) -> ApiResult {
    let plan = plan(&app, &principal, &id).await?;
    Ok(answer_data(plan))
}

/// The sums of what a job did.
pub(super) async fn report(Caller(app, principal): Caller, Path(id): Path<JobId>) -> ApiResult {
    let sums = app.service.job_report(&principal, &id).await?;
    let failures = app.service.job_failures(&principal, &id).await?;
    let first = failures.first.iter().map(|one| {
        json!({
            "cause": one.cause,
            "detail": one.detail,
            "workspaces": one.named.number,
            "first-workspaces": workspaces_of(&one.named.first),
        })
    });
    // An earlier release counted losses alone, and what it counted from may be deleted since.
    let is_counted = sums.with_warnings + sums.with_neither >= sums.fine;
    let data = json!({
        "id": id.as_str(),
        "type": "upstate-job-reports",
        "attributes": {
            "workspaces": {
                "without-losses": sums.fine,
                "with-losses": sums.with_losses,
                "with-warnings": is_counted.then_some(sums.with_warnings),
                "with-neither": is_counted.then_some(sums.with_neither),
            },
            "types": types_of(&sums),
            "losses": losses_of(&sums),
            "warnings": warnings_of(&sums),
            "omitted": sums.omitted,
            "failures": first.collect::<Vec<_>>(),
            "failures-omitted": failures.causes - failures.first.len(),
        },
        "links": { "self": format!("/api/v2/upstate/jobs/{id}/report"), "job": format!("/api/v2/upstate/jobs/{id}") },
    });
    Ok(answer_data(data))
}

/// The workspaces of a job that ended and failed in each step of its time.
pub(super) async fn pace(Caller(app, principal): Caller, Path(id): Path<JobId>) -> ApiResult {
    let (job, _) = app.service.job(&principal, &id).await?;
    let pace = app.service.pace(&job).await?;
    let (ended, failed): (Vec<u64>, Vec<u64>) = pace.ended.into_iter().unzip();
    let data = json!({
        "id": job.id.as_str(),
        "type": "upstate-job-paces",
        "attributes": {
            "since": pace.since.to_string(),
            "until": pace.until.to_string(),
            "step-milliseconds": pace.step,
            "ended": ended,
            "failed": failed,
        },
    });
    Ok(answer_data(data))
}

/// A value with its sum among its members.
fn summed(sum: &Sum, mut one: Value) -> Value {
    if let Some(members) = one.as_object_mut() {
        members.insert("instances".to_owned(), json!(sum.instances));
        members.insert("workspaces".to_owned(), json!(sum.workspaces));
    }
    one
}

fn types_of(sums: &PlanSums) -> Vec<Value> {
    sums.types
        .iter()
        .map(|((name, from, to), sum)| summed(sum, json!({ "type": name, "from": from, "to": to })))
        .collect()
}

fn losses_of(sums: &PlanSums) -> Vec<Value> {
    sums.losses
        .iter()
        .map(|(loss, sum)| summed(sum, json!(loss)))
        .collect()
}

fn warnings_of(sums: &PlanSums) -> Vec<Value> {
    sums.warnings
        .iter()
        .map(|(warned, sum)| summed(sum, json!(warned)))
        .collect()
}

/// Workspaces by id and name.
fn workspaces_of(named: &[(WorkspaceId, String)]) -> Vec<Value> {
    named
        .iter()
        .map(|(id, name)| json!({ "id": id.as_str(), "name": name }))
        .collect()
}

/// A plan with its sums.
async fn plan(app: &App, principal: &Principal, id: &JobId) -> Result<Value, ApiError> {
    let (job, counts) = app.service.stored_plan(principal, id).await?;
    let selection = app.service.store().plan_selection(id).await?;
    let sums = app.service.plan_sums(principal, id).await?;
    let may_begin = job.status == JobStatus::Done && sums.ready > 0;
    let waves = if may_begin {
        app.service.waves(principal, id).await?
    } else {
        Vec::new()
    };
    let waves = waves
        .iter()
        .map(|(names, number)| json!({ "names": names, "workspaces": number }));
    let causes = sums.failing.iter().map(|one| {
        let mut cause = summed(&one.sum, json!(one.cause));
        if let Some(members) = cause.as_object_mut() {
            members.insert(
                "first-workspaces".to_owned(),
                json!(workspaces_of(&one.examples)),
            );
        }
        cause
    });
    Ok(json!({
        "id": job.id.as_str(),
        "type": "upstate-plans",
        "attributes": {
            "status": job.status.name(),
            "action": if job.back.is_some() { "downgrade" } else { "upgrade" },
            "to-release": job.back.as_ref().map(|back| &back.release),
            "allow-loss": job.back.as_ref().map(|back| back.allow_loss),
            "strict": job.back.as_ref().map(|back| back.strict),
            "selection": selection,
            "requested-by": job.requested_by.to_string(),
            "created-at": job.created_at.to_string(),
            "finished-at": job.finished_at.map(|at| at.to_string()),
            "workspaces": {
                "total": counts.total(),
                "waiting": counts.waiting,
                (status_name(&job, ItemStatus::Upgraded)): counts.upgraded,
                "current": counts.current,
                "failed": counts.failed,
                "with-losses": sums.with_losses,
                "with-warnings": sums.with_warnings,
                "with-neither": sums.with_neither,
                "unchanged-since": sums.ready,
                "locked": sums.locked,
            },
            "types": types_of(&sums),
            "losses": losses_of(&sums),
            "warnings": warnings_of(&sums),
            "causes": causes.collect::<Vec<_>>(),
            "omitted": sums.omitted,
            "waves": waves.collect::<Vec<_>>(),
            "values": { "moved": sums.moved, "converted": sums.converted },
        },
        "links": {
            "self": format!("/api/v2/upstate/plans/{}", job.id),
            "workspaces": format!("/api/v2/upstate/jobs/{}/workspaces", job.id),
        },
    }))
}

pub(super) async fn create(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    request: Request,
) -> ApiResult {
    let (access, _) = app.service.organization(&principal, &org).await?;
    access.require_all(&WRITING)?;
    let held = app.small(request).await?;
    let resource = Sent::read(&held.bytes)?.resource("upstate-jobs")?;
    let concurrency = resource.attribute(
        "concurrency",
        "/data/attributes/concurrency",
        "a whole number",
    )?;
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
        selection: selection(&resource)?,
        plan: resource
            .string("plan", "/data/attributes/plan")?
            .map(JobId::from_text),
        concurrency: concurrency.unwrap_or(4),
        stop: if stop_at_failure {
            Some(max_failures(&resource)?)
        } else {
            None
        },
    };
    let id = app.service.create_job(&principal, &org, new).await?;
    let unknown = || Refusal::not_found(format!("job {id}"));
    let (job, counts) = app.service.store().job(&id).await?.ok_or_else(unknown)?;
    Ok(answer(
        StatusCode::CREATED,
        &Document::of(document(&app, &job, counts).await?),
    ))
}

pub(super) async fn list(
    Caller(app, principal): Caller,
    Path(org): Path<String>,
    query: Query,
) -> ApiResult {
    let page = query.page()?;
    let listed = app.service.jobs(&principal, &org, page).await?;
    let mut data = Vec::with_capacity(listed.items.len());
    for (job, counts) in &listed.items {
        data.push(document(&app, job, *counts).await?);
    }
    Ok(paged(data, query.pagination(&app, page, listed.total)))
}

pub(super) async fn show(Caller(app, principal): Caller, Path(id): Path<JobId>) -> ApiResult {
    let (job, counts) = app.service.job(&principal, &id).await?;
    Ok(answer_data(document(&app, &job, counts).await?))
}

/// The outcome for a workspace, in the words of the request.
const fn status_name(job: &Job, status: ItemStatus) -> &'static str {
    match (status, &job.back) {
        (ItemStatus::Upgraded, _) if job.undoes.is_some() => "rolled-back",
        (ItemStatus::Upgraded, Some(_)) => "downgraded",
        (
            ItemStatus::Upgraded | ItemStatus::Waiting | ItemStatus::Current | ItemStatus::Failed,
            _,
        ) => status.name(),
    }
}

/// The newest outcome of a job or a plan for a version.
pub(super) fn last_outcome(outcome: &LastOutcome) -> Value {
    let action = match (outcome.kind, outcome.undoes, &outcome.release) {
        (JobKind::Plan, ..) => "plan",
        (JobKind::Change, true, _) => "undo",
        (JobKind::Change, false, Some(_)) => "downgrade",
        (JobKind::Change, false, None) => "upgrade",
    };
    json!({
        "job": outcome.job.as_str(),
        "action": action,
        "to-release": outcome.release,
        "status": outcome.status.name(),
        "detail": outcome.detail,
        "at": outcome.at.to_string(),
    })
}

/// The plan of a workspace.
fn planned(plan: &StoredPlan) -> Value {
    json!({ "name": plan.name, "types": plan.types, "losses": counted(&plan.losses), "losses-omitted": plan.losses_omitted,
        "warnings": counted(&plan.warnings), "warnings-omitted": plan.warnings_omitted, "causes": counted(&plan.causes) })
}

/// Values with their number of instances among their members.
fn counted<T: serde::Serialize>(all: &[(T, usize)]) -> Vec<Value> {
    let one = |(one, instances): &(T, usize)| {
        let mut one = json!(one);
        if let Some(members) = one.as_object_mut() {
            members.insert("instances".to_owned(), json!(instances));
        }
        one
    };
    all.iter().map(one).collect()
}

fn item(job: &Job, item: &JobItem) -> Value {
    json!({
        "id": item.workspace.as_str(),
        "type": "upstate-job-workspaces",
        "attributes": {
            "status": status_name(job, item.status),
            "detail": item.detail,
            "planned": StoredPlan::read(item).map(|plan| planned(&plan)),
        },
        "relationships": {
            "workspace": { "data": { "id": item.workspace.as_str(), "type": "workspaces" } },
            "state-version": {
                "data": item.version.as_ref().map(VersionId::as_str).map(|id| json!({ "id": id, "type": "state-versions" })),
            },
        },
    })
}

pub(super) async fn workspaces(
    Caller(app, principal): Caller,
    Path(id): Path<JobId>,
    query: Query,
) -> ApiResult {
    let page = query.page()?;
    let (job, _) = app.service.job(&principal, &id).await?;
    let statuses = query.listed("filter[status]").map(|name| {
        let known = ItemStatus::ALL
            .map(|status| status_name(&job, status))
            .join(", ");
        let unknown = || format!("filter[status] must be some of {known}, found {name:?}");
        let found = ItemStatus::ALL
            .into_iter()
            .find(|status| status_name(&job, *status) == name);
        found.ok_or_else(|| Refusal::new(RefusalKind::BadRequest, unknown()))
    });
    let statuses: Vec<ItemStatus> = statuses.collect::<Result<_, _>>()?;
    let listed = match query
        .one_of("filter[outcome]", &Effect::ALL.map(Effect::name))?
        .and_then(Effect::named)
    {
        Some(_) if !statuses.is_empty() => {
            let detail =
                "filter[outcome] chooses among what would change: leave filter[status] out"
                    .to_owned();
            return Err(Refusal::new(RefusalKind::BadRequest, detail).into());
        }
        Some(effect) => {
            app.service
                .planned_items(&principal, &id, effect, page)
                .await?
        }
        None => {
            app.service
                .job_items(&principal, &id, &statuses, page)
                .await?
        }
    };
    let data: Vec<Value> = listed.items.iter().map(|one| item(&job, one)).collect();
    Ok(paged(data, query.pagination(&app, page, listed.total)))
}

pub(super) async fn stop(Caller(app, principal): Caller, Path(id): Path<JobId>) -> ApiResult {
    let (job, counts) = app.service.stop_job(&principal, &id).await?;
    Ok(answer_data(document(&app, &job, counts).await?))
}

pub(super) async fn resume(Caller(app, principal): Caller, Path(id): Path<JobId>) -> ApiResult {
    let (job, counts) = app.service.resume_job(&principal, &id).await?;
    Ok(answer_data(document(&app, &job, counts).await?))
}

pub(super) async fn undo(Caller(app, principal): Caller, Path(id): Path<JobId>) -> ApiResult {
    let id = app.service.undo_job(&principal, &id).await?;
    let (job, counts) = app.service.job(&principal, &id).await?;
    Ok(answer(
        StatusCode::CREATED,
        &Document::of(document(&app, &job, counts).await?),
    ))
}
