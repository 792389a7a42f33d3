//! An organization: its workspaces and types, and what the release changes for it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use axum::extract::{Path, State};
use maud::{Markup, html};
use upstate::Registry;
use upstate_compat::Level;
use upstate_state::Mode;

use super::frame::{Section, counted, of_organization, pagination, search_for, shown, span, tag, type_page};
use super::outcome::last;
use super::ticks::{tick, ticked_plan};
use super::visitor::{Requested, Visitor};
use super::{Answer, Shared, Web, fleet};
use crate::rules::Snapshot;
use crate::service::{Counted, Drift, Group, OrganizationInventory, WorkspaceTypes};

pub(super) async fn show(State(web): Shared, Path(name): Path<String>, visitor: Visitor, requested: Requested) -> Answer {
    let (page, word) = (requested.page(), requested.get("name").unwrap_or_default());
    let group = requested.get("show").and_then(Group::named);
    let (_, organization) = visitor.reported(web.service.organization(&visitor.principal, &name).await)?;
    let found = web.service.overview(&visitor.principal, &name, word, group, page).await;
    let fleet = visitor.reported(found)?;
    let day = visitor.reported(web.service.day(&visitor.principal, &name).await)?;
    let inventory = &fleet.inventory;
    let mut snapshots = Vec::with_capacity(fleet.workspaces.len());
    for one in &fleet.workspaces {
        snapshots.push(visitor.reported(web.service.store().snapshot(&one.head.workspace).await)?);
    }
    let rows = fleet.workspaces.iter().zip(&snapshots);
    let body = html! {
        (fleet::glance(&web, &name, &fleet, &day, group))
        h2 { "Workspaces" }
        @if inventory.workspaces == 0 {
            p { "There is no workspace yet. Name this organization in a " code { "cloud" } " block and run " code { "terraform init" } ": it makes one." }
        } @else {
            form method="get" role="search" {
                @if let Some(group) = group { input type="hidden" name="show" value=(group.name()); }
                label for="name" { "Part of the name" }
                div .row { input #name name="name" value=(word); button .quiet { "Filter" } }
            }
            @if let Some(group) = group {
                p { "Those that " (fleet::in_words(group)) ". " a href=(format!("/ui/organizations/{name}")) { "All workspaces" } }
            }
            @if fleet.total == 0 && !word.is_empty() { p { "No workspace has " (shown(word)) " in its name." } }
            @else if fleet.total == 0 { p { "There is none." } }
            @else {
                (ticked_plan(&visitor, &name))
                div .scroll tabindex="0" role="group" aria-label="Workspaces" { (table(&web, rows)) }
            }
            (pagination(&requested, page, fleet.total))
        }
        (furthest_behind(&web, &name, inventory))
    };
    Ok(of_organization(&visitor, &organization, Section::Workspaces, &body))
}

/// The types with the most instances at earlier versions, and the way to all types.
fn furthest_behind(web: &Web, name: &str, inventory: &OrganizationInventory) -> Markup {
    let managed = || inventory.types.iter().filter(|one| one.mode == Mode::Managed);
    let names: BTreeSet<&str> = managed().map(|one| one.type_name.as_str()).collect();
    let mut behind: Vec<&Counted> = managed().filter(|one| one.current != Some(one.version)).collect();
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
pub(super) async fn all_types(State(web): Shared, Path(name): Path<String>, visitor: Visitor, requested: Requested) -> Answer {
    let (page, part) = (requested.page(), requested.get("name").unwrap_or_default());
    let (_, organization) = visitor.reported(web.service.organization(&visitor.principal, &name).await)?;
    let inventory = visitor.reported(web.service.organization_inventory(&visitor.principal, &name).await)?;
    let registry = web.service.registry();
    let is_named = |one: &&Counted| one.mode == Mode::Managed && one.type_name.to_lowercase().contains(&part.to_lowercase());
    let mut found: Vec<&Counted> = inventory.types.iter().filter(is_named).collect();
    found.sort_by_key(|one| (urgency(registry, one), &one.type_name, one.version));
    let behind: usize = found.iter().filter(|one| urgency(registry, one) < 2).map(|one| one.instances).sum();
    let instances: usize = found.iter().map(|one| one.instances).sum();
    let names: BTreeSet<&str> = found.iter().map(|one| one.type_name.as_str()).collect();
    let skipped = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let shown_here = found.iter().copied().skip(skipped).take(usize::try_from(page.size).unwrap_or(usize::MAX));
    let body = html! {
        h2 { "Resource types" }
        @if inventory.types.is_empty() { p { "Nothing is stored yet." } } @else {
            p .lead {
                strong { (behind) } " of " (counted(instances, "instance", "instances")) " of " (counted(names.len(), "type", "types"))
                @if behind == 1 { " is" } @else { " are" } " not at the current version."
            }
            form method="get" role="search" aria-label="Types" {
                label for="name" { "Part of the name" }
                div .row { input #name name="name" value=(part); button .quiet { "Filter" } }
            }
            @if found.is_empty() { p role="status" { "No stored type has " (shown(part)) " in its name." } }
            @else { div .scroll tabindex="0" role="group" aria-label="Resource types" { (types(&web, &name, shown_here)) } }
            (pagination(&requested, page, u64::try_from(found.len()).unwrap_or(u64::MAX)))
        }
    };
    Ok(of_organization(&visitor, &organization, Section::Workspaces, &body))
}

/// The place of a type at a version where what needs somebody comes first.
fn urgency(registry: &Registry, one: &Counted) -> u8 {
    match registry.get(&one.type_name) {
        Some(definition) if definition.version() == one.version => 2,
        Some(definition) if definition.reaches(one.version) => 1,
        Some(_) => 0,
        None => 3,
    }
}

fn table<'w>(web: &Web, workspaces: impl Iterator<Item = (&'w WorkspaceTypes, &'w Option<Snapshot>)>) -> Markup {
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
                @else if one.known.standings.is_empty() { span .soft { "no resources" } }
                @else { @for standing in &one.known.standings { (tag(*standing)) " " } }
            }
            td { @if let Some(outcome) = &one.outcome { (last(outcome, web.service.now())) } }
            td { @if total > 0 { (current) " of " (total) } }
            td {
                @if let Some(head) = snapshot.and_then(|snapshot| snapshot.head.as_ref()) {
                    a href=(format!("/ui/state-versions/{}", head.id)) { "serial " (head.serial) }
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
                        th scope="row" { a href=(type_page(web.service.registry(), name, &one.type_name)) { code { (shown(&one.type_name)) } } } td { (one.version) } td { (one.instances) }
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
    let by_type = by_type(&drifts.findings);
    let body = html! {
        h2 { "What the release of this server changes for what is stored" }
        @if drifts.findings.is_empty() { p { "It changes nothing for what this organization stores." } }
        @else {
            p {
                (counted(drifts.findings.len(), "finding", "findings")) " for the stored instances of "
                (counted(by_type.len(), "type", "types")) ", the worst first."
            }
            @for findings in &by_type { (of_type(&name, findings)) }
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

/// The findings of each type; types and findings in the order that the findings have, the worst first.
fn by_type(all: &[Drift]) -> Vec<Vec<&Drift>> {
    let mut types: Vec<Vec<&Drift>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for one in all {
        let place = *places.entry(&one.type_name).or_insert(types.len());
        match types.get_mut(place) {
            Some(findings) => findings.push(one),
            None => types.push(vec![one]),
        }
    }
    types
}

const fn level(level: Level) -> &'static str {
    match level {
        Level::Safe | Level::Info => "tag",
        Level::Potential | Level::Warning => "tag warn",
        Level::Breaking | Level::Error => "tag bad",
    }
}

/// The findings of a type, folded, with how much of it is stored at which versions.
fn of_type(organization: &str, findings: &[&Drift]) -> Markup {
    let Some(worst) = findings.first() else { return html! {} };
    let stored: BTreeMap<u64, (usize, usize)> = findings.iter().map(|one| (one.from, (one.instances, one.workspaces))).collect();
    html! {
        details {
            summary {
                span class=(level(worst.finding.level)) { (worst.finding.level.name()) } " " code { (shown(&worst.type_name)) } ", "
                (counted(findings.len(), "finding", "findings")) ": "
                @for (index, (version, (instances, workspaces))) in stored.iter().enumerate() {
                    @if index > 0 { "; " }
                    (counted(*instances, "instance", "instances")) " in " (counted(*workspaces, "workspace", "workspaces")) " at version " (version)
                }
            }
            p { a href=(search_for(organization, &worst.type_name)) { "Its instances" } }
            div .scroll tabindex="0" role="group" aria-label=(format!("Findings of {}", shown(&worst.type_name))) { table {
                thead { tr { th scope="col" { "Level" } th scope="col" { "Version" } th scope="col" { "Attribute" } th scope="col" { "Change" } th scope="col" { "Where" } } }
                tbody { @for one in findings { (drift(one)) } }
            } }
        }
    }
}

fn drift(one: &Drift) -> Markup {
    html! {
        tr {
            td { span class=(level(one.finding.level)) { (one.finding.level.name()) } }
            td { (one.from) @if let Some(to) = one.to { " → " (to) } }
            td { @if !one.finding.path.is_empty() { code { (shown(&one.finding.path)) } } }
            td { (shown(without_place(one))) @if let Some(note) = &one.finding.note { " " span .soft { (shown(note)) } } }
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

/// The message without the type and the path at its beginning, which the table has.
fn without_place(one: &Drift) -> &str {
    let message = one.finding.message.as_str();
    let Some(rest) = message.strip_prefix(one.type_name.as_str()) else { return message };
    let rest = rest.strip_prefix('.').and_then(|rest| rest.strip_prefix(one.finding.path.as_str())).unwrap_or(rest);
    rest.trim_start_matches([':', ' '])
}
