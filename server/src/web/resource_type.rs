//! A resource type: how much of it an organization stores at which version, what the release
//! changes for that, and the fate of each attribute on the way to the current version.

use axum::extract::{Path, State};
use maud::{Markup, PreEscaped, html};
use upstate::ResourceDefinition;
use upstate_compat::lanes;
use upstate_state::{InstanceStatus, Mode};

use super::diff::instance;
use super::drift::table;
use super::frame::{Section, counted, instances_at, section_titled, shown, workspaces_at};
use super::picture::{Part, Tone, bar};
use super::visitor::Visitor;
use super::{Answer, Refused, Shared, Web};
use crate::model::OrganizationId;
use crate::service::{Counted, Drift, Drifts, Failure, PlanFilter};
use crate::store::Page;

/// The number of findings that are not folded.
const OPEN: usize = 12;

/// The size of the largest state that is read for an example, in bytes.
const LARGEST: u64 = 4 << 20;

pub(super) async fn show(
    State(web): Shared,
    Path((name, type_name)): Path<(String, String)>,
    visitor: Visitor,
) -> Answer {
    let (_, organization) =
        visitor.reported(web.service.organization(&visitor.principal, &name).await)?;
    let inventory = visitor.reported(
        web.service
            .organization_inventory(&visitor.principal, &name)
            .await,
    )?;
    let definition = visitor.reported(web.service.known_type(&type_name))?;
    let is_it = |one: &Counted| one.mode == Mode::Managed && one.type_name == type_name;
    let mut stored: Vec<Counted> = inventory.types.into_iter().filter(is_it).collect();
    stored.sort_by_key(|one| one.version);
    // Where all is current, the release has nothing to change, so nothing is compared.
    let is_behind = stored.iter().any(|one| one.version != definition.version());
    let drifts = if is_behind {
        visitor.reported(
            web.service
                .drift_of(&visitor.principal, &name, stored.clone())
                .await,
        )?
    } else {
        Drifts::default()
    };
    let findings: Vec<&Drift> = drifts.findings.iter().collect();
    let example = example(&web, &visitor, &organization.id, &stored).await?;
    let body = html! {
        h2 { code { (shown(&type_name)) } }
        (in_store(&name, definition, &stored))
        @if !stored.is_empty() { (versions(&name, definition, &stored)) }
        @if is_behind { (changes(&type_name, &findings)) }
        @if let Some(example) = &example { (example) }
        h3 { "The attributes through the versions" }
        div .scroll tabindex="0" role="group" aria-label="The attributes through the versions" {
            (PreEscaped(lanes::svg_of_page(definition)))
        }
        (losses(definition))
    };
    let title = format!("{} · {}", shown(&type_name), shown(&organization.name));
    Ok(section_titled(
        &visitor,
        &organization,
        Section::Workspaces,
        &title,
        &body,
    ))
}

fn in_store(organization: &str, definition: &ResourceDefinition, stored: &[Counted]) -> Markup {
    let instances: usize = stored.iter().map(|one| one.instances).sum();
    let is_current = |one: &Counted| one.version == definition.version();
    let in_workspaces = |one: &Counted| counted(one.workspaces, "workspace", "workspaces");
    let part = |one: &Counted| {
        let (tone, _, _) = fate(definition, one.version);
        let label = format!(
            "{} at version {}, in {}",
            one.instances,
            one.version,
            in_workspaces(one)
        );
        Part {
            link: Some(instances_at(organization, &one.type_name, one.version)),
            ..Part::new(tone, one.instances, label)
        }
    };
    html! {
        @if instances == 0 {
            p .lead { "No instance is stored. The current version is " (definition.version()) "." }
        } @else {
            p .lead {
                (counted(instances, "instance", "instances"))
                @if let [one] = stored {
                    " in " (in_workspaces(one)) @if instances == 1 { ": it is" } @else { ": all are" } " at version " (one.version)
                } @else {
                    @for (index, one) in stored.iter().enumerate() {
                        @if index == 0 { ": " } @else { ", " }
                        (one.instances) " in " (in_workspaces(one)) " at version " (one.version)
                        @if is_current(one) && index + 1 < stored.len() { " (the current one)" }
                    }
                }
                @if stored.last().is_some_and(is_current) { ", the current one." }
                @else if stored.iter().any(is_current) { "." }
                @else { ". The current one is " (definition.version()) "." }
            }
            (bar("Instances by version", &stored.iter().map(part).collect::<Vec<_>>()))
        }
    }
}

/// The fate of what is stored at a version, as a color, a class and words.
fn fate(definition: &ResourceDefinition, version: u64) -> (Tone, &'static str, &'static str) {
    match InstanceStatus::at(definition, version) {
        InstanceStatus::Current => (Tone::Good, "tag good", "current"),
        InstanceStatus::NeedsUpgrade => (Tone::Warn, "tag warn", "needs an upgrade"),
        InstanceStatus::CannotUpgrade | InstanceStatus::UnknownType | InstanceStatus::Data => {
            (Tone::Bad, "tag bad", "cannot be upgraded")
        }
    }
}

/// The number of instances and workspaces at each version.
fn versions(organization: &str, definition: &ResourceDefinition, stored: &[Counted]) -> Markup {
    html! {
        div .scroll tabindex="0" role="group" aria-label="Stored versions" { table {
            thead { tr { th scope="col" { "Version" } th scope="col" { "Instances" } th scope="col" { "Workspaces" } th scope="col" { "Status" } } }
            tbody {
                @for one in stored {
                    @let (_, class, words) = fate(definition, one.version);
                    tr {
                        th scope="row" { (one.version) }
                        td { a href=(instances_at(organization, &one.type_name, one.version)) { (one.instances) } }
                        td { a href=(workspaces_at(organization, &one.type_name, one.version)) { (one.workspaces) } }
                        td { span class=(class) { (words) } }
                    }
                }
            }
        } }
    }
}

/// The findings of the release for what is stored of the type, the worst first.
fn changes(type_name: &str, findings: &[&Drift]) -> Markup {
    html! {
        h3 { "What this release changes for the stored instances" }
        @match findings.first() {
            None => p { "No change is known." },
            Some(worst) => details open[findings.len() <= OPEN] {
                summary { (counted(findings.len(), "finding", "findings")) ", the worst is " (worst.finding.level.name()) }
                (table(type_name, findings))
            },
        }
    }
}

/// One of the stored instances that an upgrade changes, with what it changes there. Where no small
/// state can be read, there is none.
async fn example(
    web: &Web,
    visitor: &Visitor,
    organization: &OrganizationId,
    stored: &[Counted],
) -> Result<Option<Markup>, Refused> {
    let Some(behind) = stored
        .iter()
        .find(|one| one.status == InstanceStatus::NeedsUpgrade)
    else {
        return Ok(None);
    };
    let found = web
        .service
        .first_with(
            organization,
            (behind.type_name.as_str(), behind.version),
            LARGEST,
        )
        .await;
    let Some((head, id)) = visitor.reported(found)? else {
        return Ok(None);
    };
    let (type_name, version) = (Some(behind.type_name.clone()), Some(behind.version));
    let filter = PlanFilter {
        failed: Some(false),
        type_name,
        version,
        ..PlanFilter::default()
    };
    let first = Page::first(1);
    let plan = match web
        .service
        .plan(&visitor.principal, &id, None, filter, first)
        .await
    {
        Ok(plan) => plan,
        Err(Failure::Refused(_)) => return Ok(None),
        // The rest of the page is about all workspaces, so that one whose bytes are damaged must
        // not take it away.
        Err(Failure::Store(error)) => {
            tracing::error!(%error, version = %id, "the state for an example was not read");
            return Ok(None);
        }
    };
    let Some(one) = plan.instances.items.into_iter().next() else {
        return Ok(None);
    };
    Ok(Some(html! {
        h3 { "An example: an instance in " a href=(format!("/ui/workspaces/{}", head.workspace)) { (shown(&head.name)) } }
        (instance(web.service.registry(), &one.address, &one.upgrade))
    }))
}

/// The losses of each upgrader, up and back.
fn losses(definition: &ResourceDefinition) -> Markup {
    let routes = definition.lanes();
    html! {
        @for route in &routes {
            @for (pair, upgrader) in route.versions.windows(2).zip(&route.upgraders) {
                @if let ([from, to], Some(verdicts)) = (pair, &upgrader.verdicts) {
                    p {
                        strong { (from.start()) @if from.end() > from.start() { " to " (from.end()) } " → " (to.start()) } " "
                        span .soft { (upgrader.written_as) @if let Some(condition) = &upgrader.condition { ", if " (shown(condition)) } }
                        br; "Up: " (verdicts.up) br; "Back: " (verdicts.down)
                    }
                }
            }
        }
    }
}
