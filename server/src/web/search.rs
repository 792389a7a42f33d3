//! Looking for instances in all workspaces of an organization.

use axum::extract::{Path, State};
use maud::{Markup, html};

use super::frame::{Section, counted, of_organization, shown};
use super::visitor::{Requested, Visitor};
use super::{Answer, Shared};
use crate::service::{Found, SearchFor};

/// The number of instances on a page.
const SIZE: usize = 50;

/// The fields: name, label.
const FIELDS: [(&str, &str); 4] = [
    ("type", "Type name, or a part"),
    ("address", "Part of the address"),
    ("value", "Part of a value"),
    ("attribute", "Attribute that has a value"),
];

pub(super) async fn show(State(web): Shared, Path(name): Path<String>, visitor: Visitor, requested: Requested) -> Answer {
    let (_, organization) = visitor.reported(web.service.organization(&visitor.principal, &name).await)?;
    let given = |name: &str| requested.get(name).map(str::to_owned);
    let wanted =
        SearchFor { type_name: given("type"), address: given("address"), value: given("value"), attribute: given("attribute") };
    let found = if wanted == SearchFor::default() {
        None
    } else {
        Some(visitor.reported(web.service.search(&visitor.principal, &name, &wanted, requested.get("after"), SIZE).await)?)
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
            None => p .soft { "Current states are looked through. Sensitive values are not looked at." },
            Some(found) => (hits(found, &requested)),
        }
    };
    Ok(of_organization(&visitor, &organization, Section::Search, &body))
}

fn hits(found: &Found, requested: &Requested) -> Markup {
    let next = found.next.as_ref().map(|after| {
        let mut query = form_urlencoded::Serializer::new("?".to_owned());
        for (name, _) in FIELDS {
            query.append_pair(name, requested.get(name).unwrap_or_default());
        }
        query.append_pair("after", after).finish()
    });
    html! {
        @if found.hits.is_empty() {
            p role="status" { "Nothing was found" @if next.is_some() { " so far" } "." }
        } @else {
            p role="status" { (counted(found.hits.len(), "instance", "instances")) @if next.is_some() { " so far" } "." }
            div .scroll tabindex="0" role="group" aria-label="Table" { table {
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
