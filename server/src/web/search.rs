//! Looking for instances in all workspaces of an organization.

use std::collections::BTreeSet;

use axum::extract::{Path, State};
use maud::{Markup, html};

use super::frame::{Section, counted, section, shown, type_page};
use super::visitor::{Requested, Visitor};
use super::{Answer, Refused, Shared, Web, on_to};
use crate::model::{JobId, Organization, VersionId, WorkspaceId};
use crate::service::{Found, SearchFor, WorkspaceSearch};
use crate::store::Page;

/// The number of instances on a page.
const SIZE: usize = 50;

/// The fields: name, label.
const FIELDS: [(&str, &str); 5] = [
    ("type", "Type name, or a part"),
    ("version", "Schema version"),
    ("address", "Part of the address"),
    ("value", "Part of a value"),
    ("attribute", "Attribute that has a value"),
];

pub(super) async fn show(
    State(web): Shared,
    Path(name): Path<String>,
    visitor: Visitor,
    requested: Requested,
) -> Answer {
    let (_, organization) =
        visitor.reported(web.service.organization(&visitor.principal, &name).await)?;
    if let Some(text) = requested.get("find") {
        return everything(&web, &visitor, &organization, text.trim()).await;
    }
    let given = |name: &str| requested.get(name).map(str::to_owned);
    let version = visitor.reported(requested.number("version"))?;
    let wanted = SearchFor {
        type_name: given("type"),
        version,
        address: given("address"),
        value: given("value"),
        attribute: given("attribute"),
    };
    let found = if wanted == SearchFor::default() {
        None
    } else {
        Some(
            visitor.reported(
                web.service
                    .search(
                        &visitor.principal,
                        &name,
                        &wanted,
                        requested.get("after"),
                        SIZE,
                    )
                    .await,
            )?,
        )
    };
    let body = html! {
        form method="get" role="search" {
            div .row {
                @for (name, label) in FIELDS {
                    div { label for=(name) { (label) } input id=(name) name=(name) value=(requested.get(name).unwrap_or_default()); }
                }
                button { "Search" }
            }
        }
        @match &found {
            None => p .lead { "The search reads current states, without sensitive values." },
            Some(found) => (hits(found, &requested)),
        }
    };
    Ok(section(&visitor, &organization, Section::Search, &body))
}

/// The number of workspaces, types and instances that a search over everything names.
const FEW: u32 = 10;

/// The page of an id, if there is such a thing and the visitor may see it.
async fn page_of_id(web: &Web, visitor: &Visitor, text: &str) -> Result<Option<String>, Refused> {
    let found = match text.split_once('-') {
        Some(("ws", _)) => web
            .service
            .workspace(&visitor.principal, &WorkspaceId::from_text(text))
            .await
            .map(|_| "workspaces"),
        Some(("sv", _)) => web
            .service
            .version(&visitor.principal, &VersionId::from_text(text))
            .await
            .map(|_| "state-versions"),
        Some(("job", _)) => web
            .service
            .job(&visitor.principal, &JobId::from_text(text))
            .await
            .map(|_| "jobs"),
        _ => return Ok(None),
    };
    let found = visitor.of_state(found)?;
    // A name may begin like an id.
    Ok(found.ok().map(|kind| format!("/ui/{kind}/{text}")))
}

/// Finds a string in names, types and addresses; an id leads to its page.
async fn everything(
    web: &Web,
    visitor: &Visitor,
    organization: &Organization,
    text: &str,
) -> Answer {
    if let Some(page) = page_of_id(web, visitor, text).await? {
        return Ok(on_to(&page));
    }
    let page = Page::first(FEW);
    let (principal, name, few) = (&visitor.principal, organization.name.as_str(), FEW as usize);
    let named = WorkspaceSearch {
        name: text,
        ..WorkspaceSearch::default()
    };
    let fleet = visitor.reported(web.service.overview(principal, name, &named, page).await)?;
    let wanted = SearchFor {
        address: Some(text.to_owned()),
        ..SearchFor::default()
    };
    let found = visitor.reported(
        web.service
            .search(principal, name, &wanted, None, few)
            .await,
    )?;
    let part = text.to_lowercase();
    let stored = fleet
        .inventory
        .types
        .iter()
        .map(|one| one.type_name.as_str());
    let types: BTreeSet<&str> = stored
        .filter(|name| name.to_lowercase().contains(&part))
        .collect();
    let all = |name: &str| {
        form_urlencoded::Serializer::for_suffix("?".to_owned(), 1)
            .append_pair(name, text)
            .finish()
    };
    let is_found = fleet.total > 0 || !types.is_empty() || !found.hits.is_empty();
    let body = html! {
        h2 { "Found for “" (shown(text)) "”" }
        @if !is_found {
            p .lead role="status" { "No workspace, type or address has it" @if found.next.is_some() { " so far" } ", and it is the id of nothing that you may see." }
        }
        @else {
            p .lead role="status" {
                (counted(fleet.total, "workspace", "workspaces")) ", " (counted(types.len(), "type", "types")) " and "
                (counted(found.hits.len(), "instance", "instances")) @if found.next.is_some() { " so far" } "."
            }
        }
        @if fleet.total > 0 {
            h3 { (counted(fleet.total, "workspace", "workspaces")) }
            ul { @for one in &fleet.workspaces { li { a href=(format!("/ui/workspaces/{}", one.head.workspace)) { (shown(&one.head.name)) } } } }
            @if fleet.total > u64::from(FEW) {
                p { a href=(format!("/ui/organizations/{name}{}", all("name"))) { "All workspaces with it in their names" } }
            }
        }
        @if !types.is_empty() {
            h3 { (counted(types.len(), "type", "types")) }
            ul { @for one in types.iter().take(few) { li { a href=(type_page(web.service.registry(), name, one)) { code { (shown(one)) } } } } }
            @if types.len() > few { p { a href=(format!("/ui/organizations/{name}/types{}", all("name"))) { "All types with it in their names" } } }
        }
        @if !found.hits.is_empty() {
            h3 { (counted(found.hits.len(), "instance", "instances")) @if found.next.is_some() { " so far" } }
            ul {
                @for hit in &found.hits {
                    li {
                        a href=(format!("/ui/state-versions/{}", hit.version)) { code { (shown(&hit.address)) } }
                        " in " a href=(format!("/ui/workspaces/{}", hit.workspace)) { (shown(&hit.workspace_name)) }
                    }
                }
            }
        }
        @if found.next.is_some() { p { a href=(all("address")) { "Search all addresses" } } }
        p { a href="?" { "Search by value or attribute" } }
    };
    Ok(section(visitor, organization, Section::Search, &body))
}

fn hits(found: &Found, requested: &Requested) -> Markup {
    let next = found.next.as_ref().map(|after| {
        let mut query = form_urlencoded::Serializer::for_suffix("?".to_owned(), 1);
        for (name, _) in FIELDS {
            query.append_pair(name, requested.get(name).unwrap_or_default());
        }
        query.append_pair("after", after).finish()
    });
    html! {
        @if found.hits.is_empty() {
            p .lead role="status" { "Nothing was found" @if next.is_some() { " so far" } "." }
        } @else {
            p .lead role="status" { (counted(found.hits.len(), "instance", "instances")) @if next.is_some() { " so far" } "." }
            div .scroll tabindex="0" role="group" aria-label="Instances" { table {
                thead { tr { th scope="col" { "Workspace" } th scope="col" { "Address" } th scope="col" { "Version" } th scope="col" { "Values" } } }
                tbody {
                    @for hit in &found.hits {
                        tr {
                            td { a href=(format!("/ui/workspaces/{}", hit.workspace)) { (shown(&hit.workspace_name)) } }
                            th scope="row" { a href=(format!("/ui/state-versions/{}", hit.version)) { code { (shown(&hit.address)) } } }
                            td { (hit.schema_version) }
                            td { @for (path, value) in hit.paths.iter().zip(&hit.values) { div { code { (shown(path)) } " " (shown(value)) } } }
                        }
                    }
                }
            } }
        }
        @if let Some(next) = next { p { a rel="next" href=(next) { "Search on" } } }
    }
}
