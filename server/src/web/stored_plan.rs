//! A plan that is kept: a sentence with numbers says whether to press the button, which is next;
//! then come failures, losses and warnings, and the rest is folded.

use axum::extract::{Path, State};
use maud::{Markup, html};

use super::fates::fates;
use super::form::Form;
use super::frame::{
    Above, Chip, ago, chips, counted, day, described, pagination, proof, shown, span, titled,
    type_page,
};
use super::job::{downloads, outcomes, signs};
use super::picture::{Part, Tone, bar};
use super::plan::{form_back, kept};
use super::ticks::tick;
use super::visitor::{Requested, Sent, Visitor};
use super::{Answer, Shared, Web, on_to};
use crate::model::{
    ItemStatus, Job, JobCounts, JobId, JobItem, JobStatus, Organization, Permission, Selection,
    WorkspaceId,
};
use crate::rules::Refusal;
use crate::service::{Effect, Failing, NewPlan, PlanSums, StoredPlan};

/// The number of rows that are not folded.
pub(super) const OPEN: usize = 12;

/// The number of causes that are unfolded.
pub(super) const UNFOLDED: usize = 3;

/// The workspaces that a form selects.
pub(super) fn selection(form: &Form) -> Selection {
    let ticked: Vec<WorkspaceId> = form
        .all("workspace")
        .into_iter()
        .map(WorkspaceId::from_text)
        .collect();
    // The form says that it has boxes, because a browser sends nothing of those that are not
    // ticked.
    let workspaces = (!ticked.is_empty() || form.get("ticked").is_some()).then_some(ticked);
    let tags = form.filled("tag").map(str::to_owned).into_iter().collect();
    Selection {
        workspaces,
        names: form.filled("names").map(str::to_owned),
        tags,
    }
}

/// The word in an address for a job that goes on after any failure: a browser sends nothing of a
/// box that is not ticked.
const NEVER: &str = "never";

/// The workspaces that the page of a plan is about, of all that its job could take.
#[derive(Debug)]
struct Chosen {
    selection: Selection,
    /// Their number; a refusal if one of them is deleted by now, so that no job begins with these.
    number: Result<usize, Refusal>,
}

/// The page of a plan for the workspaces that a form chooses: a button can say their number when
/// the server has counted them.
pub(super) fn chosen_page(plan: &JobId, form: &Form) -> String {
    let path = format!("/ui/jobs/{plan}?");
    let end = path.len();
    let mut query = form_urlencoded::Serializer::for_suffix(path, end);
    for name in ["names", "tag"] {
        if let Some(value) = form.filled(name) {
            query.append_pair(name, value);
        }
    }
    // An empty field lets no failure pass, as it does for the job.
    query.append_pair("max-failures", form.filled("max-failures").unwrap_or("0"));
    if form.get("stop").is_none() {
        query.append_pair("stop", NEVER);
    }
    query.extend_pairs(
        form.all("workspace")
            .into_iter()
            .map(|workspace| ("workspace", workspace)),
    );
    query.finish()
}

/// The workspaces that the address of the page chooses, if any.
async fn chosen(
    web: &Web,
    visitor: &Visitor,
    plan: &Job,
    requested: &Requested,
) -> Result<Option<Chosen>, super::Refused> {
    let ticked: Vec<WorkspaceId> = requested
        .all("workspace")
        .into_iter()
        .map(WorkspaceId::from_text)
        .collect();
    let tags = requested
        .get("tag")
        .map(str::to_owned)
        .into_iter()
        .collect();
    let workspaces = (!ticked.is_empty()).then_some(ticked);
    let selection = Selection {
        workspaces,
        names: requested.get("names").map(str::to_owned),
        tags,
    };
    if selection == Selection::default() {
        return Ok(None);
    }
    let number = visitor.of_state(
        web.service
            .number_selected(&visitor.principal, &plan.id, &selection)
            .await,
    )?;
    Ok(Some(Chosen { selection, number }))
}

/// The workspaces that a plan was about. One that is gone since is left out, because otherwise the
/// others could not be planned.
async fn same_part(
    web: &Web,
    visitor: &Visitor,
    plan: &JobId,
) -> Result<Selection, super::Refused> {
    let (job, _) = visitor.reported(web.service.stored_plan(&visitor.principal, plan).await)?;
    let mut selection = visitor
        .reported(web.service.store().plan_selection(&job.id).await)?
        .unwrap_or_default();
    if let Some(ids) = &mut selection.workspaces {
        let why = if ids.is_empty() {
            "The plan was asked for no workspace"
        } else {
            "The workspaces of the plan are gone"
        };
        let mut there = Vec::with_capacity(ids.len());
        for id in std::mem::take(ids) {
            if visitor
                .reported(web.service.store().snapshot(&id).await)?
                .is_some()
            {
                there.push(id);
            }
        }
        if there.is_empty() {
            return visitor.reported(Err(Refusal::conflict(format!(
                "{why}; plan all workspaces"
            ))));
        }
        *ids = there;
    }
    Ok(selection)
}

pub(super) async fn create(
    State(web): Shared,
    Path(name): Path<String>,
    Sent { visitor, form }: Sent,
) -> Answer {
    let selection = match form.filled("again").map(JobId::from_text) {
        Some(plan) => same_part(&web, &visitor, &plan).await?,
        None => selection(&form),
    };
    let new = NewPlan {
        selection,
        back: form_back(&form),
    };
    if new.selection.workspaces.as_ref().is_some_and(Vec::is_empty) {
        return visitor.reported(Err(Refusal::unprocessable(
            "/workspace",
            "No workspace is ticked: tick those that the plan should be about",
        )));
    }
    let id = visitor.reported(
        web.service
            .create_plan(&visitor.principal, &name, new)
            .await,
    )?;
    Ok(on_to(&format!("/ui/jobs/{id}")))
}

/// The goal, for a title.
fn title(job: &Job) -> String {
    match &job.back {
        Some(back) => format!("Plan: back to release {}", back.release),
        None => "Plan: upgrade".to_owned(),
    }
}

const fn done(job: &Job) -> &'static str {
    if job.back.is_some() {
        "downgraded"
    } else {
        "upgraded"
    }
}

pub(super) async fn show(
    web: &Web,
    visitor: &Visitor,
    organization: &Organization,
    (job, counts): (&Job, JobCounts),
    requested: &Requested,
) -> Answer {
    let sums = visitor.reported(web.service.plan_sums(&visitor.principal, &job.id).await)?;
    let expected = visitor.reported(web.service.expected_end(job, counts).await)?;
    let selection = visitor.reported(web.service.store().plan_selection(&job.id).await)?;
    // One that narrows nothing is that of all workspaces.
    let part = selection.filter(|selection| *selection != Selection::default());
    let may_begin = job.status == JobStatus::Done
        && sums.ready > 0
        && visitor.may(&organization.id, Permission::WriteState);
    // Nothing but the button has their number.
    let chosen = if may_begin {
        chosen(web, visitor, job, requested).await?
    } else {
        None
    };
    let waves = if may_begin {
        visitor.reported(web.service.waves(&visitor.principal, &job.id).await)?
    } else {
        Vec::new()
    };
    let wanted = requested.get("status").and_then(Wanted::named);
    let finished = counts.total() - counts.waiting;
    let how = match job.status {
        JobStatus::Running => format!("{} %", finished * 100 / counts.total().max(1)),
        JobStatus::Stopped => "stopped".to_owned(),
        JobStatus::Done if counts.failed > 0 => format!("✗ {} would fail", counts.failed),
        JobStatus::Done => "✓".to_owned(),
    };
    let body = html! {
        (about(web, job, counts, &sums, part.as_ref()))
        div #live tabindex="-1" data-live[job.status == JobStatus::Running] {
            (sentence(job, counts, &sums))
            @if counts.total() > 0 { (picture(job, counts, &sums)) }
            (signs(web, job, expected))
            // The button is there, too, because it comes when the plan has ended.
            (offer(visitor, organization, (job, counts, part.is_some()), &sums, chosen.as_ref(), requested))
            @if !waves.is_empty() { (offered(&waves, requested.get("names"))) }
            @if wanted.is_none() { (exceptions(web, organization, job, counts, &sums)) }
        }
        @if let Some(wanted) = wanted { (workspaces(web, visitor, (job, counts, &sums), wanted, requested).await?) }
    };
    let page = format!(
        "{how} · {} · {} · {}",
        title(job),
        shown(&organization.name),
        day(job.created_at)
    );
    Ok(titled(
        visitor,
        Above::Jobs(organization),
        &page,
        &title(job),
        &body,
    ))
}

/// The part in words.
fn selected(
    Selection {
        workspaces,
        names,
        tags,
    }: &Selection,
) -> Markup {
    html! {
        @match workspaces {
            Some(ids) => { (counted(ids.len(), "workspace that was chosen by itself", "workspaces that were chosen one by one")) }
            None => { "workspaces" }
        }
        @if let Some(names) = names { ", named " code { (shown(names)) } }
        @for tag in tags { ", with the tag " code { (shown(tag)) } }
    }
}

/// When the plan was made, how old it is, and the part of the workspaces that it was asked for;
/// nothing if that was all, or is not known.
fn about(
    web: &Web,
    job: &Job,
    counts: JobCounts,
    sums: &PlanSums,
    part: Option<&Selection>,
) -> Markup {
    let changed = usize::try_from(counts.upgraded)
        .unwrap_or(usize::MAX)
        .saturating_sub(sums.ready);
    html! {
        p .soft {
            @if job.status == JobStatus::Done { "Planned " (ago(job.finished_at.unwrap_or(job.created_at), web.service.now())) }
            @else { "Begun " (ago(job.created_at, web.service.now())) }
            " by " (shown(&job.requested_by.to_string()))
            @if job.status == JobStatus::Done {
                @if let Some(end) = job.finished_at { ", took " (span(job.created_at, end)) }
                @if changed > 0 { "; " strong { (counted(changed, "workspace has", "workspaces have")) " changed since" } }
            }
            ". "
            @if let Some(part) = part { "It is about " (selected(part)) ". " }
            "Nothing was written."
        }
    }
}

/// The answer, in numbers.
fn sentence(job: &Job, counts: JobCounts, sums: &PlanSums) -> Markup {
    let lost: usize = sums.losses.values().map(|sum| sum.instances).sum();
    let so_far = if counts.waiting > 0 { " so far" } else { "" };
    let query_for = |status: ItemStatus| format!("?status={}", status.name());
    html! {
        p .lead role="status" {
            @if counts.waiting > 0 {
                strong { (counts.total() - counts.waiting) " of " (counts.total()) } " workspaces are planned"
                @if job.status == JobStatus::Stopped { "; the plan is stopped" } ". "
            }
            @if counts.total() == 0 { "There is nothing to change in any workspace." } @else {
                a href=(query_for(ItemStatus::Upgraded)) { strong { (counts.upgraded) " of " (counts.total()) } " workspaces can be " (done(job)) } ". "
                @if sums.locked == 1 { strong { "1 of them" } " is locked and fails until it is unlocked. " }
                @else if sums.locked > 1 { strong { (sums.locked) " of them" } " are locked and fail until they are unlocked. " }
                @if counts.failed > 0 {
                    a href=(query_for(ItemStatus::Failed)) { strong { (counts.failed) @if counts.failed == 1 { " fails" } @else { " fail" } } }
                    " (" (counted(sums.failing.len(), "cause", "causes")) "). "
                } @else { "None fails" (so_far) ". " }
                @if lost > 0 { a href="?#losses" { strong { (counted(lost, "value", "values")) } " would be dropped" } (so_far) ". " } @else { "Nothing is lost" (so_far) ". " }
                @if sums.moved > 0 { (counted(sums.moved, "value moves", "values move")) " to another attribute" (so_far) ". " }
                @if sums.converted > 0 { (counted(sums.converted, "value is", "values are")) " converted" (so_far) ". " }
                @if !sums.warnings.is_empty() {
                    a href="?#warnings" { strong { (counted(sums.warnings.len(), "warning", "warnings")) } } " may need a change of a configuration."
                }
            }
        }
    }
}

fn picture(job: &Job, counts: JobCounts, sums: &PlanSums) -> Markup {
    let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let link = |name: &str, part: Part| Part {
        link: Some(format!("?status={name}")),
        ..part
    };
    let (fine, lossy) = (sums.fine, sums.with_losses);
    let without = Part::new(Tone::Good, fine, format!("{fine} without a loss"));
    let parts = [
        // A list has just these only where all that would change are without a loss, because some
        // of them may have warnings.
        if fine == number(counts.upgraded) {
            link(ItemStatus::Upgraded.name(), without)
        } else {
            without
        },
        link(
            Effect::Losses.name(),
            Part::new(Tone::Warn, lossy, format!("{lossy} with losses")),
        ),
        link(
            ItemStatus::Failed.name(),
            Part::new(
                Tone::Bad,
                number(counts.failed),
                format!("{} cannot be {}", counts.failed, done(job)),
            ),
        ),
        link(
            ItemStatus::Current.name(),
            Part::new(
                Tone::Plain,
                number(counts.current),
                format!("{} with nothing to change", counts.current),
            ),
        ),
        Part::new(
            Tone::Faint,
            number(counts.waiting),
            format!("{} not planned yet", counts.waiting),
        ),
    ];
    bar("Workspaces by outcome", &parts)
}

/// The button, with what it does; it stays in sight.
fn offer(
    visitor: &Visitor,
    organization: &Organization,
    (job, counts, is_part): (&Job, JobCounts, bool),
    sums: &PlanSums,
    chosen: Option<&Chosen>,
    requested: &Requested,
) -> Markup {
    let again = html! {
        form .inline method="post" action=(format!("/ui/organizations/{}/plans", organization.name)) {
            (proof(&visitor.session))
            @if let Some(back) = &job.back { (kept(back)) }
            @if is_part { button .quiet name="again" value=(job.id) { "Plan the same part again" } }
            button .quiet { "Plan all workspaces again" }
        }
    };
    let verb = if job.back.is_some() {
        "Downgrade"
    } else {
        "Upgrade"
    };
    let selection = chosen.map(|chosen| &chosen.selection);
    let names = selection.and_then(|selection| selection.names.as_deref());
    let tag = selection.and_then(|selection| selection.tags.first());
    let ticked = selection
        .and_then(|selection| selection.workspaces.as_deref())
        .unwrap_or_default();
    let number = chosen.map_or(sums.ready, |chosen| *chosen.number.as_ref().unwrap_or(&0));
    html! {
        @if job.status != JobStatus::Done {
            form .inline method="post" action=(format!("/ui/jobs/{}/{}", job.id, if job.status == JobStatus::Running { "stop" } else { "resume" })) {
                (proof(&visitor.session))
                button .quiet { @if job.status == JobStatus::Running { "Stop planning" } @else { "Resume planning" } }
            }
        } @else if sums.ready == 0 {
            @if counts.upgraded > 0 { p { "Each of them has changed since, by a job of this plan or otherwise. " } }
            (again)
        } @else if !visitor.may(&organization.id, Permission::WriteState) {
            p { "Your token may look at the plan. To begin a job, it needs the permission " code { "write-state" } "." }
            (again)
        } @else {
            form #begin .panel.sticky method="post" action=(format!("/ui/organizations/{}/jobs", organization.name)) {
                (proof(&visitor.session))
                input type="hidden" name="plan" value=(job.id);
                input type="hidden" name="number" value=(number);
                div .row {
                    label .check for="names" { "Only workspaces named" input #names name="names" value=[names] placeholder="*-dev-*, or all" maxlength="100"; }
                    label .check for="tag" { "with the tag" input #tag name="tag" value=[tag] placeholder="env=dev, or any" maxlength="200"; }
                    @for workspace in ticked { input type="hidden" name="workspace" value=(workspace.as_str()); }
                    // It is the first button, so that the Enter key in a field counts and does not
                    // begin a job.
                    button .quiet name="count" value="true" { "Count them" }
                    label .check for="stop" { input #stop type="checkbox" name="stop" value="true" checked[requested.get("stop") != Some(NEVER)]; "Stop when more fail than" }
                    label .check for="max-failures" { input #max-failures type="number" name="max-failures" value=(requested.get("max-failures").unwrap_or("5")) min="0" max="100"; "% of them" }
                    @if number > 0 { button data-chosen=(format!("{verb} those that are chosen")) { (verb) " " (counted(number, "workspace", "workspaces")) } }
                }
                @if let Some(chosen) = chosen {
                    p role="status" {
                        @if let Err(refusal) = &chosen.number { "This choice cannot be counted: " (shown(&refusal.detail)) ". " }
                        @else if number == 0 { "No workspace of the plan is chosen by this. " }
                        @else { strong { (number) " of " (sums.ready) } " workspaces are chosen" @if !ticked.is_empty() { ", of " (ticked.len()) " that are ticked" } ". " }
                        a href="?" { "Choose all" }
                    }
                }
                p .soft { "It takes the planned versions and no others, each whole, by a new state version. The job leaves out a workspace that changes meanwhile, and reports it. A job can be undone." }
            }
            (again)
        }
    }
}

/// The waves that a job may begin with, folded: each leads to the button with its number.
fn offered(waves: &[(String, usize)], chosen: Option<&str>) -> Markup {
    let labels: Vec<String> = waves.iter().map(|(pattern, _)| shown(pattern)).collect();
    let all: Vec<Chip<'_>> = waves
        .iter()
        .zip(&labels)
        .map(|((pattern, number), label)| Chip {
            label,
            number: u64::try_from(*number).unwrap_or(u64::MAX),
            link: form_urlencoded::Serializer::for_suffix("?".to_owned(), 1)
                .append_pair("names", pattern)
                .finish(),
            is_chosen: chosen == Some(pattern.as_str()),
        })
        .collect();
    html! {
        details open[chosen.is_some()] {
            summary { "Begin with a part, by name: " (counted(waves.len(), "pattern", "patterns")) }
            (chips("Workspaces by name", &all))
        }
    }
}

/// Failures by cause, losses and warnings; then the types, folded.
fn exceptions(
    web: &Web,
    organization: &Organization,
    job: &Job,
    counts: JobCounts,
    sums: &PlanSums,
) -> Markup {
    let cause = |one: &Failing, is_open: bool| cause(web, organization, one, is_open);
    html! {
        @if !sums.failing.is_empty() {
            h2 { "Fails " span .soft { (counted(sums.failing.len(), "cause", "causes")) ", " (counted(counts.failed, "workspace", "workspaces")) } }
            @for (index, one) in sums.failing.iter().enumerate().take(OPEN) { (cause(one, index < UNFOLDED)) }
            @if sums.failing.len() > OPEN { details { summary { (sums.failing.len() - OPEN) " more causes" } @for one in sums.failing.iter().skip(OPEN) { (cause(one, false)) } } }
        }
        (self::sums(web, organization, sums, true))
        @if counts.total() > 0 { h2 { "Workspaces" } (outcomes(job, counts, Some(sums), "")) (downloads(job, "")) }
    }
}

/// Losses and warnings, and the types, folded. Their numbers lead nowhere, because they are of the
/// workspaces that were planned or changed, as they were then: no list of stored instances has just
/// these.
pub(super) fn sums(
    web: &Web,
    organization: &Organization,
    sums: &PlanSums,
    is_planned: bool,
) -> Markup {
    let of_type = |type_name: &str| of_type(web, organization, type_name);
    let lost: usize = sums.losses.values().map(|sum| sum.instances).sum();
    let lost = html! { span .soft { (lost) " in " (counted(sums.with_losses, "workspace", "workspaces")) } };
    let to_do = html! { span .soft { (counted(sums.warnings.len(), "warning", "warnings")) ", in configurations as far as they say so" } };
    html! {
        @if !sums.losses.is_empty() {
            @if is_planned { h2 #losses { "Loses values " (lost) } } @else { h3 { "Values lost " (lost) } }
            @let rows: Vec<Markup> = sums.losses.iter().map(|(loss, sum)| html! { tr {
                th scope="row" { (of_type(&loss.type_name)) " " (loss.from) }
                td { code { (shown(&loss.path)) } } td { (shown(&loss.reason)) } td { (sum.instances) } td { (sum.workspaces) }
            } }).collect();
            (table("Losses", &["Type and version", "Attribute", "Why", "Values", "Workspaces"], &rows))
        }
        @if !sums.warnings.is_empty() {
            @if is_planned { h2 #warnings { "To do " (to_do) } } @else { h3 { "To do " (to_do) } }
            @let rows: Vec<Markup> = sums.warnings.iter().map(|(warned, sum)| html! { tr {
                th scope="row" { (of_type(&warned.type_name)) " " (warned.from) }
                td { (described(&warned.message)) } td { (sum.instances) } td { (sum.workspaces) }
            } }).collect();
            (table("Warnings", &["Type and version", "Warning", "Instances", "Workspaces"], &rows))
        }
        @if sums.omitted > 0 { p .soft { (counted(sums.omitted, "more loss or warning is", "more losses or warnings are")) " not counted here; the plans of single workspaces have them." } }
        @if !sums.types.is_empty() {
            details {
                summary { "By type: " (counted(sums.types.len(), "type and version", "types and versions")) }
                @let rows: Vec<Markup> = sums.types.iter().map(|((name, from, to), sum)| html! { tr {
                    th scope="row" { (of_type(name)) } td { (from) " → " (to) } td { (sum.instances) } td { (sum.workspaces) }
                    td { (fates(web.service.registry(), name, *from, *to)) }
                } }).collect();
                (whole_table("Types", &["Type", "Version", "Instances", "Workspaces", "Attributes"], &rows))
            }
        }
    }
}

/// A type, leading to the picture of its route.
fn of_type(web: &Web, organization: &Organization, type_name: &str) -> Markup {
    html! { a href=(type_page(web.service.registry(), &organization.name, type_name)) { code { (shown(type_name)) } } }
}

fn cause(web: &Web, organization: &Organization, one: &Failing, open: bool) -> Markup {
    let cause = &one.cause;
    html! {
        details .panel open[open] {
            summary {
                @if cause.type_name.is_empty() { strong { (shown(&cause.summary)) } } @else {
                    strong { (shown(&cause.type_name)) } " " (cause.from) " → " (cause.to)
                    @if !cause.path.is_empty() { " · " code { (shown(&cause.path)) } }
                    " · " (counted(one.sum.instances, "instance", "instances"))
                }
                " in " (counted(one.sum.workspaces, "workspace", "workspaces"))
            }
            p { (described(&cause.message)) }
            // In the heading of the disclosure, a link would be hard to tell from it.
            @if !cause.type_name.is_empty() { p { "The versions of " (of_type(web, organization, &cause.type_name)) } }
            (first_of(&one.examples, one.sum.workspaces))
        }
    }
}

/// The first of a number of workspaces that fail, leading to them, and to all that fail.
pub(super) fn first_of(first: &[(WorkspaceId, String)], number: usize) -> Markup {
    html! {
        p .soft {
            @for (index, (id, name)) in first.iter().enumerate() {
                @if index > 0 { " · " }
                a href=(format!("/ui/workspaces/{id}")) { (shown(name)) }
            }
            @if number > first.len() { " · " a href="?status=failed" { (number - first.len()) " more" } }
        }
    }
}

/// A table of which the first rows are not folded.
fn table(name: &str, heads: &[&str], rows: &[Markup]) -> Markup {
    let (open, folded) = rows.split_at(rows.len().min(OPEN));
    html! {
        (whole_table(name, heads, open))
        @if !folded.is_empty() { details { summary { (folded.len()) " more" } (whole_table(&format!("More of: {name}"), heads, folded)) } }
    }
}

fn whole_table(name: &str, heads: &[&str], rows: &[Markup]) -> Markup {
    html! {
        div .scroll tabindex="0" role="group" aria-label=(name) { table {
            thead { tr { @for head in heads { th scope="col" { (head) } } } }
            tbody { @for row in rows { (row) } }
        } }
    }
}

/// The workspaces of a plan that are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Those with an outcome.
    Ended(ItemStatus),
    /// Those that would change with an effect.
    With(Effect),
}

impl Wanted {
    fn named(name: &str) -> Option<Self> {
        ItemStatus::named(name)
            .map(Self::Ended)
            .or_else(|| Effect::named(name).map(Self::With))
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Ended(status) => status.name(),
            Self::With(effect) => effect.name(),
        }
    }

    const fn heading(self) -> &'static str {
        match self {
            Self::Ended(ItemStatus::Failed) => "Workspaces that fail",
            Self::Ended(ItemStatus::Upgraded) => "Workspaces that would change",
            Self::Ended(ItemStatus::Current) => "Workspaces with nothing to change",
            Self::Ended(ItemStatus::Waiting) => "Workspaces that are not planned yet",
            Self::With(Effect::Losses) => "Workspaces that would lose values",
            Self::With(Effect::Warnings) => "Workspaces with something to do",
            Self::With(Effect::Neither) => {
                "Workspaces that would change without losses and warnings"
            }
        }
    }

    /// True if those would change, so that a job can take them.
    const fn would_change(self) -> bool {
        match self {
            Self::Ended(ItemStatus::Upgraded) | Self::With(_) => true,
            Self::Ended(ItemStatus::Failed | ItemStatus::Current | ItemStatus::Waiting) => false,
        }
    }
}

/// The workspaces of a plan that are wanted.
async fn workspaces(
    web: &Web,
    visitor: &Visitor,
    (job, counts, sums): (&Job, JobCounts, &PlanSums),
    wanted: Wanted,
    requested: &Requested,
) -> Result<Markup, super::Refused> {
    let (at, heading) = (requested.page(), wanted.heading());
    let items = match wanted {
        Wanted::Ended(status) => {
            web.service
                .job_items(&visitor.principal, &job.id, &[status], at)
                .await
        }
        Wanted::With(effect) => {
            web.service
                .planned_items(&visitor.principal, &job.id, effect, at)
                .await
        }
    };
    let items = visitor.reported(items)?;
    let can_begin = wanted.would_change()
        && job.status == JobStatus::Done
        && visitor.may(&job.organization, Permission::WriteState);
    let rows: Vec<Markup> = items
        .items
        .iter()
        .map(|item| row(item, can_begin))
        .collect();
    Ok(html! {
        h2 { (heading) }
        (outcomes(job, counts, Some(sums), wanted.name()))
        (downloads(job, wanted.name()))
        @if can_begin && !rows.is_empty() { p .soft { "Tick some, and the button takes these alone; without a tick, it takes all that would change." } }
        @if rows.is_empty() { p { "There is none." } } @else { (whole_table(heading, &["Workspace", "Instances", "Values lost", "Why"], &rows)) }
        (pagination(requested, at, items.total))
    })
}

fn row(item: &JobItem, can_begin: bool) -> Markup {
    let plan = StoredPlan::read(item);
    let name = plan
        .as_ref()
        .map_or_else(|| item.workspace.to_string(), |plan| shown(&plan.name));
    html! {
        tr {
            th scope="row" {
                @if can_begin { (tick("begin", &item.workspace, &name)) " " }
                a href=(format!("/ui/workspaces/{}", item.workspace)) { (name) }
                @if let Some(version) = &item.version { " " a href=(format!("/ui/state-versions/{version}/plan")) aria-label=(format!("What would change in {name}")) { "changes" } }
            }
            @if let Some(plan) = &plan {
                td { (plan.types.iter().map(|one| one.instances).sum::<usize>()) }
                td { (plan.losses.iter().map(|(_, instances)| instances).sum::<usize>()) }
            } @else { td {} td {} }
            td { (described(&item.detail)) }
        }
    }
}
