//! The workspaces that a job would concern, before they are planned.

use std::collections::BTreeSet;

use axum::extract::{Path, State};
use maud::{Markup, html};
use upstate_state::InstanceStatus;

use super::fates::fates;
use super::frame::{
    Section, counted, described, instances_at, pagination, proof, section, shown, type_page,
    workspaces_at,
};
use super::job::running;
use super::plan::{back, directions, is_choosing, kept, query};
use super::ticks::{tick, ticked_plan};
use super::visitor::{Requested, Visitor};
use super::{Answer, Shared, Web};
use crate::model::{Back, Organization};
use crate::service::{OrganizationPlan, PlannedType, WorkspacePlan};
use crate::store::Page;

pub(super) async fn show(
    State(web): Shared,
    Path(name): Path<String>,
    visitor: Visitor,
    requested: Requested,
) -> Answer {
    let at = requested.page();
    let back = back(&requested);
    let (_, organization) =
        visitor.reported(web.service.organization(&visitor.principal, &name).await)?;
    let plan = visitor.reported(
        web.service
            .organization_plan(&visitor.principal, &name, back.as_ref(), at)
            .await,
    )?;
    if is_choosing(&requested) {
        let body = html! { h2 { "Plan of a job over all workspaces" } (directions(&web, &requested, None)) };
        return Ok(section(&visitor, &organization, Section::Jobs, &body));
    }
    let jobs = visitor.reported(
        web.service
            .jobs(&visitor.principal, &name, Page { number: 1, ..at })
            .await,
    )?;
    let running = running(&web, &visitor, &jobs.items).await?;
    let body = html! {
        h2 { "Plan of a job over all workspaces" }
        (directions(&web, &requested, back.as_ref()))
        (running)
        @if plan.workspaces.total == 0 {
            p .lead { "There is nothing to change: " @if back.is_some() { "no workspace holds anything newer than that release." } @else { "no workspace is behind." } }
        } @else {
            (summary(&name, &plan, back.as_ref()))
            (offer(&visitor, &organization, &plan, back.as_ref()))
            (types(&web, &name, &plan, back.as_ref()))
            h2 { "Workspaces" }
            @if back.is_none() { (ticked_plan(&visitor, &name)) }
            div .scroll tabindex="0" role="group" aria-label="Plans of workspaces" { (rows(&plan.workspaces.items, back.as_ref())) }
            (pagination(&requested, at, plan.workspaces.total))
        }
    };
    Ok(section(&visitor, &organization, Section::Jobs, &body))
}

fn summary(organization: &str, plan: &OrganizationPlan, back: Option<&Back>) -> Markup {
    let holding = counted(plan.workspaces.total, "workspace holds", "workspaces hold");
    html! {
        p .lead {
            @if let Some(back) = back { (holding) " what release " (shown(&back.release)) " does not read." }
            @else { a href=(format!("/ui/organizations/{organization}?show=behind")) { (holding) " what needs an upgrade" } "." }
            @if plan.locked > 0 { " " span .tag .warn { (plan.locked) " of them locked" } }
        }
    }
}

/// The types, folded: there may be a hundred of them.
fn types(web: &Web, organization: &str, plan: &OrganizationPlan, back: Option<&Back>) -> Markup {
    let instances: usize = plan.types.iter().map(|one| one.instances).sum();
    html! {
        details {
            summary { (of_types(instances, plan.types.iter().map(|one| one.type_name.as_str()))) }
            div .scroll tabindex="0" role="group" aria-label="Types" { table {
                thead { tr { th scope="col" { "Type" } th scope="col" { "Version" } th scope="col" { "Instances" } th scope="col" { "Workspaces" } th scope="col" { "Attributes" } } }
                tbody { @for one in &plan.types { (planned_type(web, organization, one, back)) } }
            } }
        }
    }
}

/// A number of instances with that of their types.
fn of_types<'n>(instances: usize, names: impl Iterator<Item = &'n str>) -> String {
    let types = names.collect::<BTreeSet<_>>().len();
    format!(
        "{} of {}",
        counted(instances, "instance", "instances"),
        counted(types, "type", "types")
    )
}

fn planned_type(web: &Web, organization: &str, one: &PlannedType, back: Option<&Back>) -> Markup {
    // Elsewhere the lists have more than is counted here: everything at the version where only flat
    // state or identities change, and workspaces that need no upgrade where no upgrader leads from
    // it.
    let definition = web.service.registry().get(&one.type_name);
    let is_routed = || {
        definition.is_some_and(|definition| {
            InstanceStatus::at(definition, one.from) == InstanceStatus::NeedsUpgrade
        })
    };
    let are_all = one.to != Some(one.from) && (back.is_some() || is_routed());
    let number = |link: String, number: usize| html! { @if are_all { a href=(link) { (number) } } @else { (number) } };
    html! {
        tr {
            th scope="row" { a href=(type_page(web.service.registry(), organization, &one.type_name)) { code { (shown(&one.type_name)) } } }
            td { (one.from) " → " @if let Some(to) = one.to { (to) } @else { span .tag .bad { "the release did not have it" } } }
            td { (number(instances_at(organization, &one.type_name, one.from), one.instances)) }
            td { (number(workspaces_at(organization, &one.type_name, one.from), one.workspaces)) }
            td { @if let Some(to) = one.to { (fates(web.service.registry(), &one.type_name, one.from, to)) } }
        }
    }
}

/// The button that plans, which is work: it looks at each state.
fn offer(
    visitor: &Visitor,
    organization: &Organization,
    plan: &OrganizationPlan,
    back: Option<&Back>,
) -> Markup {
    html! {
        form .panel.sticky method="post" action=(format!("/ui/organizations/{}/plans", organization.name)) {
            (proof(&visitor.session))
            @if let Some(back) = back {
                (kept(back))
            }
            div .row {
                label .check for="names" { "Only workspaces named" input #names name="names" placeholder="*-dev-*, or all" maxlength="100"; }
                label .check for="tag" { "with the tag" input #tag name="tag" placeholder="env=dev, or any" maxlength="200"; }
                button data-chosen="Plan those that are chosen" { "Plan " (counted(plan.workspaces.total, "workspace", "workspaces")) }
            }
            p .soft { "A plan looks at each state, writes nothing, and lists the failures, the losses and the work to do. It is kept, and a job begins from it." }
        }
    }
}

fn rows(plans: &[WorkspacePlan], back: Option<&Back>) -> Markup {
    html! {
        table {
            thead {
                tr {
                    @if back.is_none() { th scope="col" { "Tick" } }
                    th scope="col" { "Workspace" } th scope="col" { "Outcome" } th scope="col" { "Instances" } th scope="col" { "What would be lost" }
                    th scope="col" { "Plan" }
                }
            }
            tbody { @for one in plans { (row(one, back)) } }
        }
    }
}

fn row(one: &WorkspacePlan, back: Option<&Back>) -> Markup {
    let outcome = one.outcome(back);
    let class = match outcome {
        "failed" => "tag bad",
        "current" => "tag",
        _ => "tag good",
    };
    let query = query(back);
    let instances: usize = one.rows.iter().map(|row| row.instances).sum();
    let lost: usize = one.losses.iter().map(|(_, instances)| instances).sum();
    let name = shown(&one.head.name);
    html! {
        tr {
            @if back.is_none() { td { (tick("ticked", &one.head.workspace, &name)) } }
            th scope="row" { a href=(format!("/ui/workspaces/{}", one.head.workspace)) { (name) } }
            td {
                span class=(class) { @if outcome == "current" { "nothing to change" } @else { (outcome) } }
                @if one.head.locked { " " span .tag .warn { "locked" } }
                @if let Some(why) = &one.failure { p .bad { (described(why)) } }
            }
            td {
                @if !one.rows.is_empty() { details {
                    summary { (of_types(instances, one.rows.iter().map(|row| row.type_name.as_str()))) }
                    @for row in &one.rows { div { (row.instances) " " code { (shown(&row.type_name)) } " " (row.from) " → " (row.to) @if row.outcome == "failed" { " " span .tag .bad { "failed" } } } }
                } }
            }
            td {
                @if !one.losses.is_empty() { details {
                    summary { (counted(lost, "value", "values")) @if one.losses_omitted > 0 { " and more" } }
                    @for (loss, instances) in &one.losses {
                        div {
                            code { (shown(&loss.type_name)) } @if !loss.path.is_empty() { " " code { (shown(&loss.path)) } }
                            ", " (counted(*instances, "instance", "instances")) ": " (shown(&loss.reason))
                        }
                    }
                    @if one.losses_omitted > 0 { div .soft { (one.losses_omitted) " more; its plan has them." } }
                } }
                @if one.losses.is_empty() && one.failure.is_none() { span .soft { "nothing" } }
            }
            td {
                @if let Some(version) = &one.head.version {
                    a href=(format!("/ui/state-versions/{version}/plan{query}")) aria-label=(format!("What would change in {name}")) { "What would change" }
                }
            }
        }
    }
}
