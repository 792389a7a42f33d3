//! An organization: its workspaces and types, and what the release changes for it.

use axum::extract::{Path, State};
use maud::{Markup, html};
use upstate_compat::Level;
use upstate_state::Mode;

use super::frame::{Section, counted, of_organization, pagination, shown, tag};
use super::visitor::{Requested, Visitor};
use super::{Answer, Shared};
use crate::service::{Drift, OrganizationInventory, WorkspaceTypes};

pub(super) async fn show(State(web): Shared, Path(name): Path<String>, visitor: Visitor, requested: Requested) -> Answer {
    let (page, word) = (requested.page(), requested.get("name").unwrap_or_default());
    let (_, organization) = visitor.reported(web.service.organization(&visitor.principal, &name).await)?;
    let (inventory, workspaces) = visitor.reported(web.service.overview(&visitor.principal, &name, word, page).await)?;
    let body = html! {
        (cards(&inventory))
        @if inventory.behind > 0 {
            p { a .button href=(format!("/ui/organizations/{name}/plan")) { "Plan the upgrade of all that are behind" } }
        }
        h2 { "Workspaces" }
        @if inventory.workspaces == 0 {
            p { "There is no workspace yet. Name this organization in a " code { "cloud" } " block and run " code { "terraform init" } ": it makes one." }
        } @else {
            form method="get" role="search" {
                label for="name" { "Part of the name" }
                div .row { input #name name="name" value=(word); button .quiet { "Find" } }
            }
            @if workspaces.total == 0 { p { "No workspace has " (shown(word)) " in its name." } }
            @else { div .scroll tabindex="0" role="group" aria-label="Table" { (rows(&workspaces.items)) } }
            (pagination(&requested, page, workspaces.total))
        }
        h2 { "Resource types" }
        @if inventory.types.is_empty() { p { "Nothing is stored yet." } } @else { div .scroll tabindex="0" role="group" aria-label="Table" { (types(&inventory)) } }
    };
    Ok(of_organization(&visitor, &organization, Section::Workspaces, &body))
}

fn cards(inventory: &OrganizationInventory) -> Markup {
    let all = [
        (inventory.workspaces, "workspaces"),
        (inventory.behind, "need an upgrade"),
        (inventory.stuck, "cannot be upgraded"),
        (inventory.unreadable, "cannot be read"),
        (inventory.without_state, "without state"),
    ];
    html! { ul .cards { @for (number, what) in all { li { strong { (number) } (what) } } } }
}

fn rows(workspaces: &[WorkspaceTypes]) -> Markup {
    html! {
        table {
            thead { tr { th scope="col" { "Workspace" } th scope="col" { "State" } th scope="col" { "Lock" } } }
            tbody {
                @for one in workspaces {
                    tr {
                        th scope="row" { a href=(format!("/ui/workspaces/{}", one.head.workspace)) { (shown(&one.head.name)) } }
                        td {
                            @if one.head.version.is_none() { span .soft { "no state yet" } }
                            @else if one.known.unreadable.is_some() { span .tag .bad { "cannot be read" } }
                            @else if one.known.standings.is_empty() { span .soft { "no resources" } }
                            @else { @for standing in &one.known.standings { (tag(*standing)) " " } }
                        }
                        td { @if one.head.locked { span .tag .warn { "locked" } } }
                    }
                }
            }
        }
    }
}

fn types(inventory: &OrganizationInventory) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "Type" } th scope="col" { "Version" } th scope="col" { "Instances" }
                    th scope="col" { "Workspaces" } th scope="col" { "Status" }
                }
            }
            tbody {
                @for one in inventory.types.iter().filter(|one| one.mode == Mode::Managed) {
                    tr {
                        th scope="row" { code { (shown(&one.type_name)) } } td { (one.version) } td { (one.instances) }
                        td { (one.workspaces) } td { (tag(one.standing)) }
                    }
                }
            }
        }
    }
}

pub(super) async fn changes(State(web): Shared, Path(name): Path<String>, visitor: Visitor) -> Answer {
    let (_, organization) = visitor.reported(web.service.organization(&visitor.principal, &name).await)?;
    let drifts = visitor.reported(web.service.drift(&visitor.principal, &name).await)?;
    let body = html! {
        h2 { "What the release of this server changes for what is stored" }
        @if drifts.findings.is_empty() { p { "It changes nothing for what this organization stores." } }
        @else {
            div .scroll tabindex="0" role="group" aria-label="Table" { table {
                thead {
                    tr {
                        th scope="col" { "Level" } th scope="col" { "Type" } th scope="col" { "Attribute" } th scope="col" { "Change" }
                        th scope="col" { "Where" }
                    }
                }
                tbody { @for one in &drifts.findings { (drift(one)) } }
            } }
        }
        @if !drifts.undescribed.is_empty() {
            h2 { "Not described" }
            p { "Neither the server's types nor its lock describe these, so nothing is known of their changes." }
            ul {
                @for one in &drifts.undescribed {
                    li { code { (shown(&one.type_name)) } " version " (one.version) ", " (counted(one.workspaces, "workspace", "workspaces")) }
                }
            }
        }
    };
    Ok(of_organization(&visitor, &organization, Section::Changes, &body))
}

fn drift(one: &Drift) -> Markup {
    let class = match one.finding.level {
        Level::Safe | Level::Info => "tag",
        Level::Potential | Level::Warning => "tag warn",
        Level::Breaking | Level::Error => "tag bad",
    };
    html! {
        tr {
            td { span class=(class) { (one.finding.level.name()) } }
            td { code { (shown(&one.type_name)) } " " (one.from) @if let Some(to) = one.to { " → " (to) } }
            td { @if !one.finding.path.is_empty() { code { (shown(&one.finding.path)) } } }
            td { (shown(&one.finding.message)) @if let Some(note) = &one.finding.note { " " span .soft { (shown(note)) } } }
            td {
                @if let Some(holding) = one.with_value {
                    @if holding.instances == 0 { "no instance has a value there, of " (one.instances) } @else {
                        (counted(holding.instances, "instance has", "instances have")) " a value there, in "
                        (counted(holding.workspaces, "workspace", "workspaces")) ", of " (one.instances) " in " (one.workspaces)
                    }
                } @else {
                    (counted(one.instances, "instance", "instances")) " in " (counted(one.workspaces, "workspace", "workspaces"))
                }
            }
        }
    }
}
