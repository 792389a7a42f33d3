//! An organization: its workspaces and types.

use std::collections::{BTreeSet, HashMap};

use axum::extract::{Path, State};
use maud::{Markup, html};
use upstate::Registry;
use upstate_state::{InstanceStatus, Mode};

use super::frame::{
    Chip, Section, chips, copied, counted, instances_at, pagination, section, shown, span, tag,
    type_page, workspaces_at, worst,
};
use super::job::running;
use super::outcome::last;
use super::ticks::{tick, ticked_plan};
use super::version::written_by;
use super::visitor::{Requested, Visitor};
use super::{Answer, Shared, Web, fleet};
use crate::rules::Snapshot;
use crate::service::{Counted, Group, OrganizationInventory, WorkspaceSearch, WorkspaceTypes};

pub(super) async fn show(
    State(web): Shared,
    Path(name): Path<String>,
    visitor: Visitor,
    requested: Requested,
) -> Answer {
    let page = requested.page();
    let wanted = WorkspaceSearch {
        name: requested.get("name").unwrap_or_default(),
        group: requested.get("show").and_then(Group::named),
        type_name: requested.get("type"),
        version: visitor.reported(requested.number("version"))?,
        tag: requested.get("tag"),
    };
    let (_, organization) =
        visitor.reported(web.service.organization(&visitor.principal, &name).await)?;
    let found = web
        .service
        .overview(&visitor.principal, &name, &wanted, page)
        .await;
    let fleet = visitor.reported(found)?;
    let running = running(&web, &visitor, &fleet.running).await?;
    let inventory = &fleet.inventory;
    let is_whole = wanted == WorkspaceSearch::default() && page.number == 1;
    let past = if is_whole {
        let day = visitor.reported(web.service.day(&visitor.principal, &name).await)?;
        Some((
            day,
            visitor.reported(web.service.days(&visitor.principal, &name).await)?,
        ))
    } else {
        None
    };
    let by = requested.get("by").filter(|_| is_whole);
    let tagged = match by {
        Some(key) => {
            visitor.reported(fleet::values_of(&web, &organization.id, &fleet, key).await)?
        }
        None => HashMap::new(),
    };
    let mut snapshots = Vec::with_capacity(fleet.workspaces.len());
    for one in &fleet.workspaces {
        snapshots.push(visitor.reported(web.service.store().snapshot(&one.head.workspace).await)?);
    }
    let rows = fleet.workspaces.iter().zip(&snapshots);
    let of_type = wanted.type_name.is_some() || wanted.version.is_some();
    let is_narrow = of_type || wanted.tag.is_some();
    let body = html! {
        (running)
        (fleet::glance(&web, &name, &fleet, past.as_ref().map(|(day, days)| (day, days)), by.map(|key| (key, &tagged))))
        h2 { "Workspaces" }
        @if inventory.workspaces == 0 {
            (first_commands(&web, &name))
        } @else {
            form method="get" role="search" {
                @for kept in ["show", "type", "version"] {
                    @if let Some(value) = requested.get(kept) { input type="hidden" name=(kept) value=(value); }
                }
                div .row {
                    div { label for="name" { "Part of the name" } input #name name="name" value=(wanted.name); }
                    div { label for="tag" { "Tag" } input #tag name="tag" value=(wanted.tag.unwrap_or_default()) placeholder="env=prod"; }
                    button .quiet { "Filter" }
                }
            }
            @if is_narrow { (narrowed(&web, &name, &wanted, fleet.total)) }
            @else if wanted.name.is_empty() { (fleet::statuses(&fleet, wanted.group)) }
            @if wanted.name.is_empty() && wanted.group.is_none() && !of_type { (fleet::tags(&name, &fleet, wanted.tag)) }
            @if fleet.total == 0 && !wanted.name.is_empty() && !is_narrow && wanted.group.is_none() { p { "No workspace has " (shown(wanted.name)) " in its name." } }
            @else if fleet.total == 0 { p { "There is none." } }
            @else {
                (ticked_plan(&visitor, &name))
                div .scroll tabindex="0" role="group" aria-label="Workspaces" { (table(&web, rows)) }
            }
            (pagination(&requested, page, fleet.total))
        }
        @if is_whole { (furthest_behind(&web, &name, inventory)) }
    };
    Ok(section(&visitor, &organization, Section::Workspaces, &body))
}

/// The sentence above the list of the workspaces that hold a type or have a tag, with the way back
/// to all.
fn narrowed(web: &Web, organization: &str, wanted: &WorkspaceSearch<'_>, total: u64) -> Markup {
    html! {
        p role="status" {
            (counted(total, "workspace", "workspaces"))
            @if let Some(type_name) = wanted.type_name {
                " with instances of " a href=(type_page(web.service.registry(), organization, type_name)) { code { (shown(type_name)) } }
            } @else if wanted.version.is_some() { " with instances" }
            @if let Some(version) = wanted.version { " at version " (version) }
            @if let Some(tag) = wanted.tag { " with the tag " code { (shown(tag)) } }
            @if !wanted.name.is_empty() { " with “" (shown(wanted.name)) "” in the name" }
            @if let Some(group) = wanted.group { ", of those that " (fleet::in_words(group)) }
            ". " a href="?" { "All workspaces" }
        }
    }
}

/// The first configuration and commands, where nothing is stored yet. A `cloud` block needs TLS.
fn first_commands(web: &Web, name: &str) -> Markup {
    let name = shown(name);
    let (host, is_secure) = web
        .origin
        .split_once("://")
        .map_or(("", false), |(scheme, host)| (host, scheme == "https"));
    let (block, login) = if is_secure {
        let block = format!(
            "terraform {{\n  cloud {{\n    hostname     = \"{host}\"\n    organization = \"{name}\"\n    workspaces {{ name = \"app\" }}\n  }}\n}}"
        );
        (block, format!("terraform login {host}\n"))
    } else {
        let address = format!("{}/http/{name}/app", web.origin);
        let block = format!(
            "terraform {{\n  backend \"http\" {{\n    address        = \"{address}\"\n    lock_address   = \"{address}\"\n    unlock_address = \"{address}\"\n    username       = \"token\"\n  }}\n}}"
        );
        (block, "export TF_HTTP_PASSWORD=…\n".to_owned())
    };
    html! {
        p .lead { "There is no workspace yet. A configuration makes the first one:" }
        (copied(&block))
        p { @if !is_secure { "The password is a token. " } "Then:" }
        (copied(&format!("{login}terraform init\nterraform apply")))
    }
}

/// The types with the most instances at earlier versions, and the way to all types.
fn furthest_behind(web: &Web, name: &str, inventory: &OrganizationInventory) -> Markup {
    let managed = || {
        inventory
            .types
            .iter()
            .filter(|one| one.mode == Mode::Managed)
    };
    let names: BTreeSet<&str> = managed().map(|one| one.type_name.as_str()).collect();
    let mut behind: Vec<&Counted> = managed()
        .filter(|one| one.current != Some(one.version))
        .collect();
    behind.sort_by_key(|one| (one.current.is_none(), std::cmp::Reverse(one.instances)));
    behind.truncate(FURTHEST);
    html! {
        h2 { "Resource types" }
        @if names.is_empty() { p { "Nothing is stored yet." } } @else {
            p { a href=(format!("/ui/organizations/{name}/types")) { "All " (counted(names.len(), "type", "types")) } }
            @if !behind.is_empty() {
                div .scroll tabindex="0" role="group" aria-label="Types furthest behind" { (types(web, name, behind.into_iter())) }
            }
        }
    }
}

/// The number of types that the first page has.
const FURTHEST: usize = 12;

/// The types, those first for which somebody has to do something.
pub(super) async fn all_types(
    State(web): Shared,
    Path(name): Path<String>,
    visitor: Visitor,
    requested: Requested,
) -> Answer {
    let (page, part) = (requested.page(), requested.get("name").unwrap_or_default());
    let (_, organization) =
        visitor.reported(web.service.organization(&visitor.principal, &name).await)?;
    let inventory = visitor.reported(
        web.service
            .organization_inventory(&visitor.principal, &name)
            .await,
    )?;
    let registry = web.service.registry();
    let is_named = |one: &&Counted| {
        one.mode == Mode::Managed && one.type_name.to_lowercase().contains(&part.to_lowercase())
    };
    let mut found: Vec<&Counted> = inventory.types.iter().filter(is_named).collect();
    let choices = type_statuses(registry, &found, part, requested.get("status"));
    if let Some(status) = requested.get("status") {
        found.retain(|one| {
            STATUSES
                .iter()
                .any(|(of, name, _)| *of == urgency(registry, one) && *name == status)
        });
    }
    found.sort_by_key(|one| (urgency(registry, one), &one.type_name, one.version));
    let behind: usize = found
        .iter()
        .filter(|one| urgency(registry, one) < 2)
        .map(|one| one.instances)
        .sum();
    let instances: usize = found.iter().map(|one| one.instances).sum();
    let names: BTreeSet<&str> = found.iter().map(|one| one.type_name.as_str()).collect();
    let shown_here = page.of(found.iter().copied());
    let body = html! {
        h2 { "Resource types" }
        @if inventory.types.is_empty() { p .lead { "Nothing is stored yet." } } @else {
            p .lead {
                strong { (behind) } " of " (counted(instances, "instance", "instances")) " of " (counted(names.len(), "type", "types"))
                @if behind == 1 { " is" } @else { " are" } " not at the current version."
            }
            form method="get" role="search" aria-label="Types" {
                @if let Some(status) = requested.get("status") { input type="hidden" name="status" value=(status); }
                label for="name" { "Part of the name" }
                div .row { input #name name="name" value=(part); button .quiet { "Filter" } }
            }
            (choices)
            @if found.is_empty() { p role="status" { "No stored type fits." } }
            @else { div .scroll tabindex="0" role="group" aria-label="Resource types" { (types(&web, &name, shown_here)) } }
            (pagination(&requested, page, u64::try_from(found.len()).unwrap_or(u64::MAX)))
        }
    };
    Ok(section(&visitor, &organization, Section::Workspaces, &body))
}

/// The statuses of types by urgency, with their names in URLs and in words.
const STATUSES: [(u8, &str, &str); 4] = [
    (0, "stuck", "Cannot be upgraded"),
    (1, "behind", "Need an upgrade"),
    (2, "current", "Current"),
    (3, "unknown", "Unknown type"),
];

/// The choices of types by status.
fn type_statuses(
    registry: &Registry,
    types: &[&Counted],
    part: &str,
    chosen: Option<&str>,
) -> Markup {
    let link = |status: &str| {
        let mut query = form_urlencoded::Serializer::for_suffix("?".to_owned(), 1);
        for (name, value) in [("status", status), ("name", part)]
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
        {
            query.append_pair(name, value);
        }
        query.finish()
    };
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let all = Chip {
        label: "All",
        number: count(types.len()),
        link: link(""),
        is_chosen: chosen.is_none(),
    };
    let of = STATUSES.iter().map(|(of, name, label)| Chip {
        label,
        number: count(
            types
                .iter()
                .filter(|one| urgency(registry, one) == *of)
                .count(),
        ),
        link: link(name),
        is_chosen: chosen == Some(name),
    });
    chips(
        "Types and versions by status",
        &std::iter::once(all).chain(of).collect::<Vec<_>>(),
    )
}

/// The place of a type at a version where what needs somebody comes first.
fn urgency(registry: &Registry, one: &Counted) -> u8 {
    match registry
        .get(&one.type_name)
        .map(|definition| InstanceStatus::at(definition, one.version))
    {
        Some(InstanceStatus::CannotUpgrade) => 0,
        Some(InstanceStatus::NeedsUpgrade) => 1,
        Some(InstanceStatus::Current) => 2,
        Some(InstanceStatus::UnknownType | InstanceStatus::Data) | None => 3,
    }
}

fn table<'w>(
    web: &Web,
    workspaces: impl Iterator<Item = (&'w WorkspaceTypes, &'w Option<Snapshot>)>,
) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "Tick" } th scope="col" { "Workspace" } th scope="col" { "State" } th scope="col" { "Last job" }
                    th scope="col" { "Current instances" } th scope="col" { "Last version" } th scope="col" { "Lock" }
                }
            }
            tbody { @for (one, snapshot) in workspaces { (row(web, one, snapshot.as_ref())) } }
        }
    }
}

fn row(web: &Web, one: &WorkspaceTypes, snapshot: Option<&Snapshot>) -> Markup {
    let (total, current) = one.instances(web.service.registry());
    html! {
        tr {
            td { (tick("ticked", &one.head.workspace, &shown(&one.head.name))) }
            th scope="row" { a href=(format!("/ui/workspaces/{}", one.head.workspace)) { (shown(&one.head.name)) } }
            td {
                @if one.head.version.is_none() { span .soft { "no state yet" } }
                @else if one.known.unreadable.is_some() { span .tag .bad { "cannot be read" } }
                @else if one.known.statuses.is_empty() { span .soft { "no resources" } }
                @else if let Some(worst) = worst(&one.known.statuses) { (tag(worst)) }
            }
            td { @if let Some(outcome) = &one.outcome { (last(outcome, web.service.now())) } }
            td .share { @if total > 0 { progress max=(total) value=(current) aria-label="Current instances" {} " " (current) " of " (total) } }
            td {
                @if let Some(head) = snapshot.and_then(|snapshot| snapshot.head.as_ref()) {
                    a href=(format!("/ui/state-versions/{}", head.id)) { "serial " (head.serial) } (written_by(head))
                    div .soft { (span(head.created_at, web.service.now())) " ago by " (shown(&head.creator.to_string())) }
                }
            }
            td {
                @if let Some(lock) = snapshot.and_then(|snapshot| snapshot.workspace.lock.as_ref()) {
                    span .tag .warn { "locked" } div .soft { "by " (shown(&lock.holder.to_string())) " for " (span(lock.at, web.service.now())) }
                }
            }
        }
    }
}

fn types<'c>(web: &Web, name: &str, types: impl Iterator<Item = &'c Counted>) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "Type" } th scope="col" { "Version" } th scope="col" { "Instances" }
                    th scope="col" { "Workspaces" } th scope="col" { "Status" }
                }
            }
            tbody {
                @for one in types {
                    tr {
                        th scope="row" { a href=(type_page(web.service.registry(), name, &one.type_name)) { code { (shown(&one.type_name)) } } } td { (one.version) }
                        td { a href=(instances_at(name, &one.type_name, one.version)) { (one.instances) } }
                        td { a href=(workspaces_at(name, &one.type_name, one.version)) { (one.workspaces) } } td { (tag(one.status)) }
                    }
                }
            }
        }
    }
}
