//! The audit log of an organization.

use axum::extract::{Path, State};
use maud::{Markup, html};

use super::frame::{Section, ago, counted, exactly, pagination, section, shown};
use super::members::administrated;
use super::visitor::{Requested, Visitor};
use super::{Answer, Refused, Shared, Web};
use crate::model::{AuditEntry, AuditFilter, Organization, Timestamp, WorkspaceId};

/// The fields that a line must fit: name, label.
const FIELDS: [(&str, &str); 3] = [
    ("actor", "Part of who"),
    ("action", "Action, or its first word"),
    ("workspace", "Name or id of the workspace"),
];

pub(super) async fn show(
    State(web): Shared,
    Path(name): Path<String>,
    visitor: Visitor,
    requested: Requested,
) -> Answer {
    let at = requested.page();
    let organization = administrated(&web, &visitor, &name).await?;
    let filter = filter(&web, &visitor, &organization, &requested).await?;
    let entries = visitor.reported(web.service.store().audit(&filter, at).await)?;
    let is_filtered = filter
        != AuditFilter {
            organization: Some(organization.id.clone()),
            ..AuditFilter::default()
        };
    let body = html! {
        h2 { "Audit log" }
        @if let Some(newest) = entries.items.first() {
            p .lead { strong { (counted(entries.total, "line", "lines")) } @if is_filtered { " fit" @if entries.total == 1 { "s" } } @if at.number == 1 { ", the newest of " (ago(newest.at, web.service.now())) } "." }
        }
        form method="get" role="search" {
            div .row {
                @for (name, label) in FIELDS {
                    div { label for=(name) { (label) } input id=(name) name=(name) value=(requested.get(name).unwrap_or_default()); }
                }
                label .check for="jobs" {
                    input #jobs type="checkbox" name="jobs" value="hidden" checked[filter.without_jobs];
                    "Without what jobs did"
                }
                button .quiet { "Filter" }
            }
        }
        @if entries.total > 0 { div .scroll tabindex="0" role="group" aria-label="Audit log" { (rows(&entries.items, web.service.now())) } }
        @else if is_filtered { p .lead role="status" { "No lines match. " a href=(format!("/ui/organizations/{}/audit", organization.name)) { "Show all lines" } } }
        @else { p .lead { "Nothing was done yet." } }
        (pagination(&requested, at, entries.total))
    };
    Ok(section(&visitor, &organization, Section::Audit, &body))
}

async fn filter(
    web: &Web,
    visitor: &Visitor,
    organization: &Organization,
    requested: &Requested,
) -> Result<AuditFilter, Refused> {
    let text = |name: &str| {
        requested
            .get(name)
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
    };
    let workspace = match text("workspace") {
        None => None,
        // A deleted workspace has lost its name, so it is known by its id.
        Some(given) => {
            let found = visitor.reported(
                web.service
                    .store()
                    .workspace(&organization.id, &given)
                    .await,
            )?;
            Some(found.map_or_else(|| WorkspaceId::from_text(given), |workspace| workspace.id))
        }
    };
    Ok(AuditFilter {
        organization: Some(organization.id.clone()),
        workspace,
        action: text("action"),
        actor: text("actor"),
        without_jobs: requested.get("jobs") == Some("hidden"),
    })
}

/// The subject of a line, with a link to its page if it has one.
fn subject(subject: &str) -> Markup {
    let page = match subject.split_once('-') {
        Some(("sv", _)) => Some("state-versions"),
        Some(("job", _)) => Some("jobs"),
        _ => None,
    };
    let is_id = subject
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    html! {
        @if let Some(page) = page.filter(|_| is_id) { a href=(format!("/ui/{page}/{subject}")) { (shown(subject)) } } @else { (shown(subject)) }
    }
}

fn rows(entries: &[AuditEntry], now: Timestamp) -> Markup {
    html! {
        table {
            thead { tr { th scope="col" { "When" } th scope="col" { "Who" } th scope="col" { "What" } th scope="col" { "To what" } th scope="col" { "Details" } } }
            tbody {
                @for one in entries {
                    tr {
                        td { (ago(one.at, now)) div .soft { (exactly(one.at)) } } td { (shown(&one.who)) } td { code { (shown(&one.action)) } } td { (subject(&one.subject)) }
                        td { (shown(&one.detail)) @if let Some(id) = &one.workspace { " " a href=(format!("/ui/workspaces/{id}")) { "workspace" } } }
                    }
                }
            }
        }
    }
}
