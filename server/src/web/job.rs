//! Jobs: many workspaces upgraded or taken back, with their progress.

use axum::extract::{Path, State};
use maud::{Markup, html};

use super::frame::{Section, counted, described, of_organization, page, pagination, proof, shown};
use super::visitor::{Requested, Sent, Visitor};
use super::{Answer, Shared, Web, on_to};
use crate::model::{Back, ItemStatus, Job, JobCounts, JobId, JobItem, JobStatus, Permission};
use crate::rules::Refusal;
use crate::service::{NewJob, ReleaseVersions};

/// The number of workspaces that a job of the page works on at the same time.
const CONCURRENCY: u32 = 4;

/// The action of a job, in words.
fn title(job: &Job) -> String {
    match &job.back {
        Some(Back { release, allow_loss: true, .. }) => format!("Back to release {release}, losses allowed"),
        Some(Back { release, strict: true, .. }) => format!("Back to release {release}, strict"),
        Some(Back { release, .. }) => format!("Back to release {release}"),
        None => "Upgrade".to_owned(),
    }
}

const fn status(status: JobStatus) -> &'static str {
    match status {
        JobStatus::Running => "running",
        JobStatus::Stopped => "stopped",
        JobStatus::Done => "done",
    }
}

/// The outcome for a workspace, in words.
const fn end(job: &Job, status: ItemStatus) -> &'static str {
    match (status, &job.back) {
        (ItemStatus::Waiting, _) => "waiting",
        (ItemStatus::Upgraded, None) => "upgraded",
        (ItemStatus::Upgraded, Some(_)) => "downgraded",
        (ItemStatus::Current, _) => "nothing to change",
        (ItemStatus::Failed, _) => "failed",
    }
}

pub(super) async fn list(State(web): Shared, Path(name): Path<String>, visitor: Visitor, requested: Requested) -> Answer {
    let at = requested.page();
    let (_, organization) = visitor.reported(web.service.organization(&visitor.principal, &name).await)?;
    let jobs = visitor.reported(web.service.jobs(&visitor.principal, &name, at).await)?;
    let releases = web.service.releases();
    let body = html! {
        (new(&name, &releases))
        h2 { "Jobs" }
        @if jobs.total == 0 { p { "There is no job yet. A job upgrades many workspaces, or takes them back to a release." } }
        @else {
            div .scroll tabindex="0" role="group" aria-label="Table" { table {
                thead { tr { th scope="col" { "Job" } th scope="col" { "Since" } th scope="col" { "By" } th scope="col" { "Status" } th scope="col" { "Workspaces" } } }
                tbody {
                    @for (job, counts) in &jobs.items {
                        tr {
                            th scope="row" { a href=(format!("/ui/jobs/{}", job.id)) { (title(job)) } }
                            td { time { (job.created_at) } } td { (shown(&job.requested_by.to_string())) } td { (status(job.status)) }
                            td { (counts.total() - counts.waiting) " of " (counts.total()) @if counts.failed > 0 { ", " span .tag .bad { (counts.failed) " failed" } } }
                        }
                    }
                }
            } }
        }
        (pagination(&requested, at, jobs.total))
    };
    Ok(of_organization(&visitor, &organization, Section::Jobs, &body))
}

/// The job to plan: the plan has the button that begins it.
fn new(name: &str, releases: &[ReleaseVersions]) -> Markup {
    html! {
        form .panel method="get" action=(format!("/ui/organizations/{name}/plan")) {
            label for="to-release" { "A new job" }
            div .row {
                select #to-release name="to-release" {
                    option value="" { "Upgrade every workspace that is behind" }
                    @for one in releases { option value=(one.release) { "Take every workspace back to release " (one.release) } }
                }
                label .check for="allow-loss" { input #allow-loss type="checkbox" name="allow-loss" value="true"; "Drop what an older release cannot hold" }
                label .check for="strict" { input #strict type="checkbox" name="strict" value="true"; "Only where no state could lose anything" }
                button { "Plan it" }
            }
        }
    }
}

pub(super) async fn create(State(web): Shared, Path(name): Path<String>, Sent { visitor, form }: Sent) -> Answer {
    let release = form.filled("to-release");
    let back = release.map(|release| Back {
        release: release.to_owned(),
        allow_loss: form.get("allow-loss").is_some(),
        strict: form.get("strict").is_some(),
    });
    let new = NewJob { workspaces: None, concurrency: CONCURRENCY, stop_at_failure: form.get("stop").is_some(), back };
    let id = visitor.reported(web.service.create_job(&visitor.principal, &name, new).await)?;
    Ok(on_to(&format!("/ui/jobs/{id}")))
}

pub(super) async fn show(State(web): Shared, Path(id): Path<String>, visitor: Visitor, requested: Requested) -> Answer {
    let (id, at) = (JobId::from_text(id), requested.page());
    let (job, counts) = visitor.reported(web.service.job(&visitor.principal, &id).await)?;
    let items = visitor.reported(web.service.job_items(&visitor.principal, &id, &[], at).await)?;
    let organization = visitor.reported(web.service.store().organization_by_id(&job.organization).await)?;
    let organization = visitor.reported(organization.ok_or_else(|| Refusal::not_found("the organization")))?;
    let names = visitor.reported(names(&web, &items.items).await)?;
    let body = html! {
        p .crumbs {
            a href="/" { "Organizations" } " / " a href=(format!("/ui/organizations/{}", organization.name)) { (shown(&organization.name)) }
            " / " a href=(format!("/ui/organizations/{}/jobs", organization.name)) { "Jobs" }
        }
        p .soft { "Since " time { (job.created_at) } " by " (shown(&job.requested_by.to_string())) }
        div #live tabindex="-1" data-live[job.status == JobStatus::Running] {
            (progress(&job, counts))
            @if visitor.may(&job.organization, Permission::WriteState) { (buttons(&visitor, &job, counts)) }
            h2 { "Workspaces" }
            @if items.total == 0 { p { "Nothing was to be done: no workspace holds anything that it concerns." } }
            @else { div .scroll tabindex="0" role="group" aria-label="Table" { (rows(&job, &items.items, &names)) } }
        }
        (pagination(&requested, at, items.total))
    };
    Ok(page(&visitor, &title(&job), &body))
}

/// The names of workspaces; a deleted one has none.
async fn names(web: &Web, items: &[JobItem]) -> Result<Vec<Option<String>>, crate::store::StoreError> {
    let mut names = Vec::with_capacity(items.len());
    for item in items {
        names.push(web.service.store().snapshot(&item.workspace).await?.map(|snapshot| snapshot.workspace.name));
    }
    Ok(names)
}

fn progress(job: &Job, counts: JobCounts) -> Markup {
    let finished = counts.total() - counts.waiting;
    html! {
        p role="status" {
            strong { (status(job.status)) } ": " (finished) " of " (counted(counts.total(), "workspace", "workspaces")) ", "
            (counts.upgraded) " " (end(job, ItemStatus::Upgraded)) ", " (counts.current) " with nothing to change, " (counts.failed) " failed"
        }
        @if counts.total() > 0 { progress aria-label="Finished workspaces" max=(counts.total()) value=(finished) {} }
    }
}

fn buttons(visitor: &Visitor, job: &Job, counts: JobCounts) -> Markup {
    let path = format!("/ui/jobs/{}", job.id);
    html! {
        @match job.status {
            JobStatus::Running => form method="post" action=(format!("{path}/stop")) { (proof(&visitor.session)) button .quiet { "Stop after what is being worked on" } },
            JobStatus::Stopped | JobStatus::Done => @if counts.waiting + counts.failed > 0 {
                form method="post" action=(format!("{path}/resume")) { (proof(&visitor.session)) button .quiet { "Go on, and try those that failed again" } }
            },
        }
    }
}

fn rows(job: &Job, items: &[JobItem], names: &[Option<String>]) -> Markup {
    html! {
        table {
            thead { tr { th scope="col" { "Workspace" } th scope="col" { "Outcome" } th scope="col" { "Why" } } }
            tbody {
                @for (item, name) in items.iter().zip(names) {
                    @let class = match item.status {
                        ItemStatus::Failed => "tag bad",
                        ItemStatus::Upgraded => "tag good",
                        ItemStatus::Waiting | ItemStatus::Current => "tag",
                    };
                    tr {
                        th scope="row" { a href=(format!("/ui/workspaces/{}", item.workspace)) { (name.as_deref().map_or_else(|| "a deleted workspace".to_owned(), shown)) } }
                        td {
                            span class=(class) { (end(job, item.status)) }
                            @if let Some(version) = &item.version { " " a href=(format!("/ui/state-versions/{version}")) { "its version" } }
                        }
                        td { (described(&item.detail)) }
                    }
                }
            }
        }
    }
}

pub(super) async fn stop(State(web): Shared, Path(id): Path<String>, Sent { visitor, .. }: Sent) -> Answer {
    let (job, _) = visitor.reported(web.service.stop_job(&visitor.principal, &JobId::from_text(id)).await)?;
    Ok(on_to(&format!("/ui/jobs/{}", job.id)))
}

pub(super) async fn resume(State(web): Shared, Path(id): Path<String>, Sent { visitor, .. }: Sent) -> Answer {
    let (job, _) = visitor.reported(web.service.resume_job(&visitor.principal, &JobId::from_text(id)).await)?;
    Ok(on_to(&format!("/ui/jobs/{}", job.id)))
}
