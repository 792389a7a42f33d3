//! A resource type: how much of it an organization stores at which version, and the fate of each attribute on the way to the current one.

use axum::extract::{Path, State};
use maud::{Markup, PreEscaped, html};
use upstate::ResourceDefinition;
use upstate_compat::lanes;
use upstate_state::Mode;

use super::frame::{Section, counted, of_organization_titled, search_for, shown};
use super::picture::{Part, Tone, bar};
use super::visitor::Visitor;
use super::{Answer, Shared};
use crate::service::Counted;

pub(super) async fn show(State(web): Shared, Path((name, type_name)): Path<(String, String)>, visitor: Visitor) -> Answer {
    let (_, organization) = visitor.reported(web.service.organization(&visitor.principal, &name).await)?;
    let inventory = visitor.reported(web.service.organization_inventory(&visitor.principal, &name).await)?;
    let definition = visitor.reported(web.service.known_type(&type_name))?;
    let is_it = |one: &Counted| one.mode == Mode::Managed && one.type_name == type_name;
    let mut stored: Vec<Counted> = inventory.types.into_iter().filter(is_it).collect();
    stored.sort_by_key(|one| one.version);
    let body = html! {
        h2 { code { (shown(&type_name)) } }
        (in_store(&name, definition, &stored))
        h3 { "The attributes through the versions" }
        div .scroll tabindex="0" role="group" aria-label="The attributes through the versions" {
            (PreEscaped(lanes::svg_of_page(definition)))
        }
        (losses(definition))
    };
    let title = format!("{} · {}", shown(&type_name), shown(&organization.name));
    Ok(of_organization_titled(&visitor, &organization, Section::Workspaces, &title, &body))
}

fn in_store(organization: &str, definition: &ResourceDefinition, stored: &[Counted]) -> Markup {
    let instances: usize = stored.iter().map(|one| one.instances).sum();
    let is_current = |one: &&Counted| one.version == definition.version();
    let current: usize = stored.iter().filter(is_current).map(|one| one.instances).sum();
    let part = |one: &Counted| {
        let tone = match one.version {
            version if version == definition.version() => Tone::Good,
            version if definition.reaches(version) => Tone::Warn,
            _ => Tone::Bad,
        };
        let label =
            format!("{} at version {}, in {}", one.instances, one.version, counted(one.workspaces, "workspace", "workspaces"));
        Part { link: Some(search_for(organization, &one.type_name)), ..Part::new(tone, one.instances, label) }
    };
    html! {
        @if instances == 0 {
            p .lead { "No instance is stored. The current version is " (definition.version()) "." }
        } @else {
            p .lead {
                (counted(instances, "instance", "instances")) ": "
                @if current == instances { "all are at version " (definition.version()) ", the current one." }
                @else { (current) " at version " (definition.version()) ", the current one, and " (instances - current) " at others." }
            }
            (bar("Instances by version", &stored.iter().map(part).collect::<Vec<_>>()))
        }
    }
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
