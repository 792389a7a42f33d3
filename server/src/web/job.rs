//! Jobs: many workspaces upgraded or taken back, with their progress.

use std::time::Duration;

use axum::extract::{Path, State};
use maud::{Markup, html};

use super::form::Form;
use super::frame::{
    Above, Chip, Section, ago, chips, counted, day, described, pagination, proof, section, shown,
    span, titled,
};
use super::picture::{Part, Tone, bar};
use super::plan::{choice, form_back};
use super::visitor::{Requested, Sent, Visitor};
use super::workspace::organization;
use super::{Answer, Refused, Shared, Web, on_to, pace, stored_plan};
use crate::model::{
    Back, ItemStatus, Job, JobCounts, JobId, JobItem, JobKind, JobStatus, Organization, Permission,
    Timestamp,
};
use crate::service::{Effect, JobFailure, JobFailures, NewJob, PlanSums, StopAbove};

/// The number of workspaces that a job of the page works on at the same time.
const CONCURRENCY: u32 = 4;

/// The greatest number of failures that are shown by cause while a job runs.
const FAILURES: u64 = 1000;

/// The action of a job, in words.
fn title(job: &Job) -> String {
    match &job.back {
        None if job.kind == JobKind::Plan => "Plan: upgrade".to_owned(),
        Some(back) if job.kind == JobKind::Plan => {
            format!("Plan: back to release {}", back.release)
        }
        None if job.undoes.is_some() => "Undo".to_owned(),
        Some(Back {
            release,
            allow_loss: true,
            ..
        }) => format!("Back to release {release}, losses allowed"),
        Some(Back {
            release,
            strict: true,
            ..
        }) => format!("Back to release {release}, strict"),
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

/// The status of a job with what is wrong with it, if anything.
fn described_status(job: &Job, counts: JobCounts) -> (&'static str, String) {
    let status = status(job.status);
    if counts.failed > 0 {
        ("tag bad", format!("{status}, {} failed", counts.failed))
    } else {
        ("tag", status.to_owned())
    }
}

/// The title in the browser: how far it is or how it ended, what it does, where, and since which
/// day.
fn browser_title(job: &Job, counts: JobCounts, organization: &Organization) -> String {
    let finished = counts.total() - counts.waiting;
    let how = match job.status {
        JobStatus::Running => format!("{} %", finished * 100 / counts.total().max(1)),
        JobStatus::Stopped | JobStatus::Done if counts.failed > 0 => {
            format!("✗ {} failed", counts.failed)
        }
        JobStatus::Stopped => "stopped".to_owned(),
        JobStatus::Done => "✓".to_owned(),
    };
    format!(
        "{how} · {} · {} · {}",
        title(job),
        shown(&organization.name),
        day(job.created_at)
    )
}

/// The jobs among these that run, each with how far it is: another one would meet them.
pub(super) async fn running(
    web: &Web,
    visitor: &Visitor,
    jobs: &[(Job, JobCounts)],
) -> Result<Markup, Refused> {
    let mut drawn = Vec::new();
    for (job, counts) in jobs
        .iter()
        .filter(|(job, _)| job.status == JobStatus::Running && job.kind == JobKind::Change)
    {
        let expected = visitor.reported(web.service.expected_end(job, *counts).await)?;
        drawn.push(html! {
            div .panel {
                p {
                    "A job is running: " a href=(format!("/ui/jobs/{}", job.id)) { (title(job)) } " by " (shown(&job.requested_by.to_string())) ", "
                    (counts.total() - counts.waiting) " of " (counted(counts.total(), "workspace", "workspaces")) "."
                    @if let Some(end) = expected { " The rest takes about " (span(web.service.now(), end)) "." }
                }
                (bar("Workspaces of the job by outcome", &parts(job, *counts)))
            }
        });
    }
    Ok(html! { @for one in &drawn { (one) } })
}

/// The outcome for a workspace, in words.
pub(super) const fn end(job: &Job, status: ItemStatus) -> &'static str {
    match (status, &job.back) {
        (ItemStatus::Waiting, _) => "waiting",
        (ItemStatus::Upgraded, _) if job.undoes.is_some() => "rolled back",
        (ItemStatus::Upgraded, None) => "upgraded",
        (ItemStatus::Upgraded, Some(_)) => "downgraded",
        (ItemStatus::Current, _) => "nothing to change",
        (ItemStatus::Failed, _) => "failed",
    }
}

pub(super) async fn list(
    State(web): Shared,
    Path(name): Path<String>,
    visitor: Visitor,
    requested: Requested,
) -> Answer {
    let at = requested.page();
    let (_, organization) =
        visitor.reported(web.service.organization(&visitor.principal, &name).await)?;
    let jobs = visitor.reported(web.service.jobs(&visitor.principal, &name, at).await)?;
    let body = html! {
        (newest(web.service.now(), &jobs.items, at.number == 1))
        (new(&name, !web.service.releases().is_empty()))
        @if jobs.total > 0 {
            h2 { "Jobs" }
            div .scroll tabindex="0" role="group" aria-label="Jobs" { table {
                thead { tr { th scope="col" { "Job" } th scope="col" { "Begun" } th scope="col" { "By" } th scope="col" { "Status" } th scope="col" { "Workspaces" } } }
                tbody {
                    @for (job, counts) in &jobs.items {
                        tr {
                            th scope="row" { a href=(format!("/ui/jobs/{}", job.id)) { (title(job)) } }
                            td { (ago(job.created_at, web.service.now())) } td { (shown(&job.requested_by.to_string())) }
                            td {
                                @let (class, status) = described_status(job, *counts);
                                span class=(class) { (linked(job, ItemStatus::Failed, &status, counts.failed)) }
                            }
                            td {
                                @let finished = format!("{} of {}", counts.total() - counts.waiting, counts.total());
                                (finished)
                                @if job.status == JobStatus::Running {
                                    " " progress max=(counts.total()) value=(counts.total() - counts.waiting) aria-label=(format!("{finished} workspaces")) {}
                                }
                            }
                        }
                    }
                }
            } }
        }
        (pagination(&requested, at, jobs.total))
    };
    Ok(section(&visitor, &organization, Section::Jobs, &body))
}

/// The answer to what runs, and how the last job ended.
fn newest(now: Timestamp, jobs: &[(Job, JobCounts)], is_first_page: bool) -> Markup {
    let running = jobs
        .iter()
        .filter(|(job, _)| job.status == JobStatus::Running)
        .count();
    let last = jobs
        .iter()
        .find(|(job, _)| job.status != JobStatus::Running)
        .filter(|_| is_first_page);
    html! {
        p .lead {
            @if jobs.is_empty() { "There is no job yet. A job upgrades many workspaces, or takes them back to a release." } @else {
                @match running { 0 => "No job is running.", 1 => { strong { "1 job" } " is running." }, _ => { strong { (running) " jobs" } " are running." } }
                @if let Some((job, counts)) = last {
                    " The last one, " a href=(format!("/ui/jobs/{}", job.id)) { (title(job)) } ", ended " (ago(job.finished_at.unwrap_or(job.created_at), now)) ": "
                    @let changed = format!("{} {}", counted(counts.upgraded, "workspace", "workspaces"), end(job, ItemStatus::Upgraded));
                    (linked(job, ItemStatus::Upgraded, &changed, counts.upgraded)) ", "
                    (linked(job, ItemStatus::Failed, &format!("{} failed", counts.failed), counts.failed)) "."
                }
            }
        }
    }
}

/// The jobs that can be planned: the plan has the button that begins one.
fn new(name: &str, has_releases: bool) -> Markup {
    html! {
        p {
            a .button href=(format!("/ui/organizations/{name}/plan")) { "Plan an upgrade" } " "
            @if has_releases { a href=(format!("/ui/organizations/{name}/plan?way=back")) { "Plan a downgrade" } }
        }
    }
}

/// The share of failures, in percent, that a form lets pass; none if it is not a number.
fn share(form: &Form) -> u32 {
    form.filled("max-failures")
        .and_then(|percent| percent.parse().ok())
        .filter(|percent| *percent <= 100)
        .unwrap_or_default()
}

pub(super) async fn create(
    State(web): Shared,
    Path(name): Path<String>,
    Sent { visitor, form }: Sent,
) -> Answer {
    if let Some(plan) = form.filled("plan").map(JobId::from_text) {
        let button: Option<usize> = form.filled("number").and_then(|number| number.parse().ok());
        let selection = stored_plan::selection(&form);
        let is_count = form.get("count").is_some();
        let is_more = match button {
            // Not for a count, because the page that it leads to counts them.
            Some(button) if !is_count => {
                visitor.reported(
                    web.service
                        .number_selected(&visitor.principal, &plan, &selection)
                        .await,
                )? > button
            }
            Some(_) | None => false,
        };
        // Without a script the button has the number of the choice before, so that nobody would
        // know of the others.
        if is_more || is_count {
            visitor.reported(web.service.stored_plan(&visitor.principal, &plan).await)?;
            return Ok(on_to(&stored_plan::chosen_page(&plan, &form)));
        }
    }
    let back = form_back(&form);
    let new = NewJob {
        selection: stored_plan::selection(&form),
        plan: form.filled("plan").map(JobId::from_text),
        concurrency: CONCURRENCY,
        stop: form
            .get("stop")
            .is_some()
            .then(|| StopAbove::Percent(share(&form))),
        back,
    };
    let id = visitor.reported(web.service.create_job(&visitor.principal, &name, new).await)?;
    Ok(on_to(&format!("/ui/jobs/{id}")))
}

pub(super) async fn show(
    State(web): Shared,
    Path(id): Path<JobId>,
    visitor: Visitor,
    requested: Requested,
) -> Answer {
    let at = requested.page();
    let (job, counts) = visitor.reported(web.service.job(&visitor.principal, &id).await)?;
    let organization = visitor.reported(organization(&web, &job.organization).await)?;
    if job.kind == JobKind::Plan {
        return stored_plan::show(&web, &visitor, &organization, (&job, counts), &requested).await;
    }
    let wanted: Vec<ItemStatus> = requested
        .get("status")
        .and_then(ItemStatus::named)
        .into_iter()
        .collect();
    let chosen = wanted.first().map_or("", |status| status.name());
    let items = visitor.reported(
        web.service
            .job_items(&visitor.principal, &id, &wanted, at)
            .await,
    )?;
    let names = visitor.reported(names(&web, &items.items).await)?;
    let has_report = job.status != JobStatus::Running
        && counts.upgraded > 0
        && job.undoes.is_none()
        && wanted.is_empty()
        && at.number == 1;
    let report = if has_report {
        Some(visitor.reported(web.service.job_report(&visitor.principal, &id).await)?)
    } else {
        None
    };
    // The page of a job that runs is loaded again and again, so that reading many failures each
    // time would cost too much.
    let is_cheap = job.status != JobStatus::Running || counts.failed <= FAILURES;
    let has_failures = is_cheap
        && counts.failed > 1
        && at.number == 1
        && (wanted.is_empty() || wanted == [ItemStatus::Failed]);
    let failures = if has_failures {
        visitor.reported(web.service.job_failures(&visitor.principal, &id).await)?
    } else {
        JobFailures::default()
    };
    let expected = visitor.reported(web.service.expected_end(&job, counts).await)?;
    let pace = visitor.reported(web.service.pace(&job).await)?;
    let is_below = job.status == JobStatus::Done && counts.failed > 0;
    // One that was stopped may still be worked on.
    let busy = match job.status {
        JobStatus::Running | JobStatus::Stopped => visitor.reported(
            web.service
                .store()
                .claimed_items(&id, web.service.now())
                .await,
        )?,
        JobStatus::Done => 0,
    };
    let body = html! {
        p .soft {
            "Begun " (ago(job.created_at, web.service.now())) " in the name of " (shown(&job.requested_by.to_string()))
            @if let Some(end) = job.finished_at { ", took " (span(job.created_at, end)) } @else { ", " (job.concurrency) " at a time" }
        }
        @if let Some(plan) = &job.applies { p { "It takes the versions of " a href=(format!("/ui/jobs/{plan}")) { "its plan" } "." } }
        @if let Some(undone) = &job.undoes { p { "It undoes " a href=(format!("/ui/jobs/{undone}")) { "an earlier job" } "." } }
        div #live tabindex="-1" data-live[job.status == JobStatus::Running] {
            (progress(&job, counts, busy))
            (signs(&web, &job, expected))
            @if !is_below { (pace::pace(&pace)) }
            @if visitor.may(&job.organization, Permission::WriteState) { (buttons(&visitor, &job, counts)) }
            @if let Some(sums) = report.as_ref().filter(|_| counts.failed == 0) { (report_of(&web, &organization, &job, sums)) }
            @if failures.causes > 0 { (failures_of(&failures)) }
            h2 { "Workspaces" }
            @if counts.total() > 0 { (outcomes(&job, counts, None, chosen)) }
            @if items.total == 0 && !wanted.is_empty() { p { "No workspace of the job has this status." } }
            @else if items.total == 0 { p { "There was nothing to do: no workspace held anything to change." } }
            @else { div .scroll tabindex="0" role="group" aria-label="Workspaces of the job" { (rows(&job, &items.items, &names)) } }
            // Below the list, because the first failure has to be on the first screen.
            @if is_below { (pace::pace(&pace)) }
            @if counts.total() > 0 { (downloads(&job, chosen)) }
            @if let Some(sums) = report.as_ref().filter(|_| counts.failed > 0) { (report_of(&web, &organization, &job, sums)) }
        }
        (pagination(&requested, at, items.total))
    };
    Ok(titled(
        &visitor,
        Above::Jobs(&organization),
        &browser_title(&job, counts, &organization),
        &title(&job),
        &body,
    ))
}

/// The time that the rest of a job or a plan takes, and a warning if no server works on it.
pub(super) fn signs(web: &Web, job: &Job, expected: Option<Timestamp>) -> Markup {
    let noun = match job.kind {
        JobKind::Change => "job",
        JobKind::Plan => "plan",
    };
    html! {
        @if let Some(end) = expected { p .soft { "The rest takes about " (span(web.service.now(), end)) "." } }
        @if let Some(idle) = idle(web, job) {
            p .bad { "No server has worked on this " (noun) " for " (counted(idle, "minute", "minutes")) ". It goes on when one is running again." }
        }
    }
}

/// For how many minutes no server has worked on a job that should run, if it is longer than a claim
/// lasts.
fn idle(web: &Web, job: &Job) -> Option<u64> {
    let since = job.worked_on_at.unwrap_or(job.created_at);
    let idle = Duration::from_millis(
        u64::try_from(web.service.now().as_millis() - since.as_millis()).unwrap_or_default(),
    );
    let is_long = job.status == JobStatus::Running
        && idle > web.service.conduct().lease.max(Duration::from_mins(1));
    is_long.then_some(idle.as_secs() / 60)
}

/// The names of workspaces; a deleted one has none.
async fn names(
    web: &Web,
    items: &[JobItem],
) -> Result<Vec<Option<String>>, crate::store::StoreError> {
    let mut names = Vec::with_capacity(items.len());
    for item in items {
        names.push(
            web.service
                .store()
                .snapshot(&item.workspace)
                .await?
                .map(|snapshot| snapshot.workspace.name),
        );
    }
    Ok(names)
}

/// Words with the number of workspaces of an outcome, leading to these, if there are any.
fn linked(job: &Job, of: ItemStatus, words: &str, number: u64) -> Markup {
    html! { @if number > 0 { a href=(format!("/ui/jobs/{}?status={}", job.id, of.name())) { (words) } } @else { (words) } }
}

/// The progress of a job; `busy` is the number of workspaces that servers are working on.
fn progress(job: &Job, counts: JobCounts, busy: u64) -> Markup {
    let finished = counts.total() - counts.waiting;
    let linked = |of: ItemStatus, number: u64, words: &str| {
        linked(job, of, &format!("{number} {words}"), number)
    };
    html! {
        p .lead role="status" {
            @let (class, status) = described_status(job, counts);
            strong class=(class) { (status) } ": " (finished) " of " (counted(counts.total(), "workspace", "workspaces")) ", "
            (linked(ItemStatus::Upgraded, counts.upgraded, end(job, ItemStatus::Upgraded))) ", "
            (linked(ItemStatus::Current, counts.current, "with nothing to change")) ", " (linked(ItemStatus::Failed, counts.failed, "failed"))
            @if busy > 0 { ", " (busy) " in work" }
        }
        (bar("Workspaces by outcome", &parts(job, counts)))
    }
}

/// The workspaces of a job by outcome.
fn parts(job: &Job, counts: JobCounts) -> [Part; 4] {
    let all = [
        (Tone::Bad, ItemStatus::Failed, counts.failed),
        (Tone::Good, ItemStatus::Upgraded, counts.upgraded),
        (Tone::Plain, ItemStatus::Current, counts.current),
        (Tone::Faint, ItemStatus::Waiting, counts.waiting),
    ];
    all.map(|(tone, of, number)| Part {
        link: Some(format!("/ui/jobs/{}?status={}", job.id, of.name())),
        ..Part::new(
            tone,
            usize::try_from(number).unwrap_or(usize::MAX),
            format!("{number} {}", end(job, of)),
        )
    })
}

/// The choices of workspaces by outcome; of a plan with its sums, also of those that would change
/// by what comes with it.
pub(super) fn outcomes(
    job: &Job,
    counts: JobCounts,
    sums: Option<&PlanSums>,
    chosen: &str,
) -> Markup {
    let words = |status| match (job.kind, status) {
        (JobKind::Plan, ItemStatus::Failed) => "Fail",
        (JobKind::Plan, ItemStatus::Upgraded) => "Would change",
        (JobKind::Change, ItemStatus::Failed) => "Failed",
        (JobKind::Change, ItemStatus::Upgraded) => "Changed",
        (JobKind::Plan | JobKind::Change, ItemStatus::Current) => "Nothing to change",
        (JobKind::Plan | JobKind::Change, ItemStatus::Waiting) => "Waiting",
    };
    let chip = |label, number: u64, name: &str| Chip {
        label,
        number,
        link: format!("?status={name}"),
        is_chosen: chosen == name,
    };
    let ended = |status: ItemStatus, number: u64| chip(words(status), number, status.name());
    let by_effect = |sums: &PlanSums| {
        Effect::ALL.map(|effect| {
            let number = u64::try_from(sums.number(effect)).unwrap_or(u64::MAX);
            chip(choice(effect), number, effect.name())
        })
    };
    let mut all = vec![
        Chip {
            label: "All",
            number: counts.total(),
            link: "?".to_owned(),
            is_chosen: chosen.is_empty(),
        },
        ended(ItemStatus::Failed, counts.failed),
        ended(ItemStatus::Upgraded, counts.upgraded),
    ];
    all.extend(sums.into_iter().flat_map(by_effect));
    all.extend([
        ended(ItemStatus::Current, counts.current),
        ended(ItemStatus::Waiting, counts.waiting),
    ]);
    chips("Workspaces by outcome", &all)
}

/// The files with a line for each of the workspaces that are listed, once these are settled.
pub(super) fn downloads(job: &Job, chosen: &str) -> Markup {
    let query = if chosen.is_empty() {
        String::new()
    } else {
        format!("?status={chosen}")
    };
    let link = |extension: &str| format!("/ui/jobs/{}/report.{extension}{query}", job.id);
    html! {
        @if job.status != JobStatus::Running {
            p .soft { "Download one line for each workspace: " a href=(link("csv")) download { "CSV" } " or " a href=(link("jsonl")) download { "JSON lines" } }
        }
    }
}

fn buttons(visitor: &Visitor, job: &Job, counts: JobCounts) -> Markup {
    let path = format!("/ui/jobs/{}", job.id);
    html! {
        @match job.status {
            JobStatus::Running => form method="post" action=(format!("{path}/stop")) { (proof(&visitor.session)) button .quiet { "Stop after the work in progress" } },
            JobStatus::Stopped | JobStatus::Done => @if counts.waiting + counts.failed > 0 {
                form method="post" action=(format!("{path}/resume")) { (proof(&visitor.session)) button .quiet {
                        @if counts.waiting == 0 { "Retry " (counts.failed) " failed" } @else { "Resume" @if counts.failed > 0 { ", and retry " (counts.failed) " failed" } }
                    } }
            },
        }
        @if is_undoable(job, counts) { p { a href=(format!("{path}/undo")) { "Undo its changes…" } } }
    }
}

/// The sums of what a job did.
fn report_of(web: &Web, organization: &Organization, job: &Job, sums: &PlanSums) -> Markup {
    let instances: usize = sums.types.values().map(|sum| sum.instances).sum();
    let lost: usize = sums.losses.values().map(|sum| sum.instances).sum();
    html! {
        h2 { "Report" }
        p {
            (counted(instances, "instance was", "instances were")) " " (end(job, ItemStatus::Upgraded)) " in "
            (counted(sums.fine + sums.with_losses, "workspace", "workspaces")) ". "
            @if lost > 0 { strong { (counted(lost, "value was", "values were")) " dropped" } ". " } @else { "Nothing was lost. " }
            @if sums.warnings.is_empty() { "There is no warning." } @else { strong { (counted(sums.warnings.len(), "warning", "warnings")) } " may need a change of a configuration." }
        }
        (stored_plan::sums(web, organization, sums, false))
    }
}

/// The failures by cause, so that many workspaces with one cause are one thing to do.
fn failures_of(failures: &JobFailures) -> Markup {
    let one = |index: usize, one: &JobFailure| {
        html! {
            details .panel open[index < stored_plan::UNFOLDED] {
                summary { strong { (described(&one.cause)) } " in " (counted(one.named.number, "workspace", "workspaces")) }
                @if one.detail != one.cause { p { (described(&one.detail)) } }
                (stored_plan::first_of(&one.named.first, one.named.number))
            }
        }
    };
    html! {
        h2 { "Failed " span .soft { (counted(failures.causes, "cause", "causes")) } }
        @for (index, failure) in failures.first.iter().enumerate().take(stored_plan::OPEN) { (one(index, failure)) }
        @if failures.causes > stored_plan::OPEN {
            details {
                summary { (counted(failures.causes - stored_plan::OPEN, "more cause", "more causes")) }
                @for failure in failures.first.iter().skip(stored_plan::OPEN) { (one(stored_plan::UNFOLDED, failure)) }
                @if failures.causes > failures.first.len() {
                    p .soft { "The other " (counted(failures.causes - failures.first.len(), "cause is", "causes are")) " among the workspaces below." }
                }
            }
        }
    }
}

const fn is_undoable(job: &Job, counts: JobCounts) -> bool {
    let has_ended = match job.status {
        JobStatus::Running => false,
        JobStatus::Stopped | JobStatus::Done => true,
    };
    has_ended && counts.upgraded > 0 && job.undoes.is_none()
}

pub(super) async fn ask_undo(
    State(web): Shared,
    Path(id): Path<JobId>,
    visitor: Visitor,
) -> Answer {
    let (job, counts) = visitor.reported(web.service.job(&visitor.principal, &id).await)?;
    let organization = visitor.reported(organization(&web, &job.organization).await)?;
    let path = format!("/ui/jobs/{}", job.id);
    let body = html! {
        p { a href=(path) { (title(&job)) } }
        @if is_undoable(&job, counts) && visitor.may(&job.organization, Permission::WriteState) {
            p .lead { "It changed " strong { (counted(counts.upgraded, "workspace", "workspaces")) } ": in each, the version before becomes current again." }
            div .warn {
                p { "If you undo it:" }
                ul {
                    li { "The version before is stored again, as a new version. Nothing is deleted." }
                    li { "The new job leaves out a workspace that changed since then, and reports it." }
                    li { "A locked workspace counts as failed; the new job can try it again." }
                }
            }
            form method="post" {
                (proof(&visitor.session))
                button .danger { "Undo it in " (counted(counts.upgraded, "workspace", "workspaces")) }
                " " a href=(path) { "Leave it as it is" }
            }
        } @else { p .lead { "Nothing can be undone here. A user who may write states can undo a job that has ended, has made versions and undid no other job." } }
    };
    Ok(titled(
        &visitor,
        Above::Jobs(&organization),
        "Undo a job",
        "Undo a job",
        &body,
    ))
}

pub(super) async fn undo(
    State(web): Shared,
    Path(id): Path<JobId>,
    Sent { visitor, .. }: Sent,
) -> Answer {
    let id = visitor.reported(web.service.undo_job(&visitor.principal, &id).await)?;
    Ok(on_to(&format!("/ui/jobs/{id}")))
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
                            @if let Some(version) = &item.version { " " a href=(format!("/ui/state-versions/{version}")) { "new version" } }
                        }
                        td { (described(&item.detail)) }
                    }
                }
            }
        }
    }
}

pub(super) async fn stop(
    State(web): Shared,
    Path(id): Path<JobId>,
    Sent { visitor, .. }: Sent,
) -> Answer {
    let (job, _) = visitor.reported(web.service.stop_job(&visitor.principal, &id).await)?;
    Ok(on_to(&format!("/ui/jobs/{}", job.id)))
}

pub(super) async fn resume(
    State(web): Shared,
    Path(id): Path<JobId>,
    Sent { visitor, .. }: Sent,
) -> Answer {
    let (job, _) = visitor.reported(web.service.resume_job(&visitor.principal, &id).await)?;
    Ok(on_to(&format!("/ui/jobs/{}", job.id)))
}
