//! The pages as HTML. Whatever comes from states, names or clients is escaped by the template.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use maud::{DOCTYPE, Markup, html};
use serde_json::Value;
use upstate::path::Printable;
use upstate_state::{Mode, Standing};

use super::session::Session;
use crate::model::{Organization, Principal, Status, Workspace};
use crate::service::{OrganizationInventory, Plan, Shown, WorkspaceTypes};
use crate::store::{Listed, Page};

/// A whole page.
fn whole(status: StatusCode, title: &str, session: Option<&Session>, body: &Markup) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · upstate" }
                link rel="stylesheet" href="/ui/style.css";
            }
            body {
                a .skip href="#main" { "Skip to the content" }
                header {
                    a href="/" { "upstate" }
                    @if let Some(session) = session {
                        form method="post" action="/ui/sign-out" {
                            (proof(session))
                            button { "Sign out" }
                        }
                    }
                }
                main #main { h1 { (title) } (body) }
            }
        }
    };
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], page.into_string()).into_response()
}

fn proof(session: &Session) -> Markup {
    html! { input type="hidden" name="csrf" value=(session.proof()); }
}

/// Text from elsewhere: what would hide or reorder other text is written as an escape, and what is too long is cut.
fn shown(text: &str) -> String {
    const LONGEST: usize = 300;
    let mut shown: String = text.chars().take(LONGEST).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    Printable(&shown).to_string()
}

fn pagination(page: Page, total: u64) -> Markup {
    let last = total.div_ceil(u64::from(page.size)).max(1);
    let number = u64::from(page.number);
    html! {
        @if last > 1 {
            nav aria-label="Pages" {
                @if number > 1 { a rel="prev" href=(format!("?page={}", number - 1)) { "Previous" } }
                span { "Page " (number) " of " (last) }
                @if number < last { a rel="next" href=(format!("?page={}", number + 1)) { "Next" } }
            }
        }
    }
}

/// The page to sign in, and why nobody is.
pub(super) fn sign_in(why: Option<&str>) -> Response {
    let body = html! {
        @if let Some(why) = why { p .bad role="alert" { (why) } }
        form method="post" action="/ui/sign-in" {
            label for="token" { "Token" }
            input #token type="password" name="token" autocomplete="current-password" required autofocus;
            button { "Sign in" }
        }
        p { "The first start of the server printed a token; " code { "upstate-server token create" } " makes another one." }
    };
    whole(if why.is_some() { StatusCode::UNAUTHORIZED } else { StatusCode::OK }, "Sign in", None, &body)
}

/// Why a page is not shown.
pub(super) fn refused(session: Option<&Session>, status: StatusCode, why: &str) -> Response {
    let body = html! { p .bad role="alert" { (shown(why)) } p { a href="/" { "All organizations" } } };
    whole(status, "That did not work", session, &body)
}

/// The organizations that somebody may see.
pub(super) fn home(session: &Session, principal: &Principal, organizations: &[Organization]) -> Response {
    let body = html! {
        p { "Signed in as " (shown(&principal.name)) "." }
        @if organizations.is_empty() {
            p { "This token opens no organization. Ask an administrator for permissions." }
        }
        ul {
            @for one in organizations { li { a href=(format!("/ui/organizations/{}", one.name)) { (one.name) } } }
        }
    };
    whole(StatusCode::OK, "Organizations", Some(session), &body)
}

const fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Current => "current",
        Standing::NeedsUpgrade => "needs an upgrade",
        Standing::CannotUpgrade => "cannot be upgraded",
        Standing::UnknownType => "unknown type",
        Standing::Data => "data source",
    }
}

/// An organization: its types and its workspaces.
pub(super) fn organization(
    session: &Session,
    name: &str,
    inventory: &OrganizationInventory,
    workspaces: &Listed<WorkspaceTypes>,
    page: Page,
) -> Response {
    let managed = inventory.types.iter().filter(|one| one.mode == Mode::Managed);
    let body = html! {
        p {
            (inventory.workspaces) " workspaces, " (inventory.behind) " need an upgrade, " (inventory.stuck) " hold something that \
            cannot be upgraded."
        }
        h2 { "Workspaces" }
        @if workspaces.total == 0 {
            p { "There is no workspace yet. " code { "terraform init" } " makes one." }
        } @else {
            table {
                thead { tr { th scope="col" { "Workspace" } th scope="col" { "State" } th scope="col" { "Lock" } } }
                tbody {
                    @for one in &workspaces.items {
                        tr {
                            td { a href=(format!("/ui/workspaces/{}", one.head.workspace)) { (shown(&one.head.name)) } }
                            td {
                                @if one.head.version.is_none() { "no state" }
                                @else if one.head.unreadable.is_some() { "cannot be read" }
                                @else if one.standings.is_empty() { "no resources" }
                                @else { (one.standings.iter().map(|one| standing(*one)).collect::<Vec<_>>().join(", ")) }
                            }
                            td { @if one.head.locked { "locked" } }
                        }
                    }
                }
            }
            (pagination(page, workspaces.total))
        }
        h2 { "Resource types" }
        table {
            thead {
                tr {
                    th scope="col" { "Type" } th scope="col" { "Version" } th scope="col" { "Instances" }
                    th scope="col" { "Workspaces" } th scope="col" { "Status" }
                }
            }
            tbody {
                @for one in managed {
                    tr {
                        td { code { (shown(&one.type_name)) } } td { (one.version) } td { (one.instances) } td { (one.workspaces) }
                        td { (standing(one.standing)) }
                    }
                }
            }
        }
    };
    whole(StatusCode::OK, name, Some(session), &body)
}

/// A workspace: its lock and its versions.
pub(super) fn workspace(
    session: &Session,
    organization: &str,
    workspace: &Workspace,
    versions: &Listed<Shown>,
    page: Page,
) -> Response {
    let body = html! {
        p { a href=(format!("/ui/organizations/{organization}")) { (organization) } }
        @if let Some(lock) = &workspace.lock {
            p .bad { "Locked by " (shown(&lock.holder.to_string())) " since " (lock.at) ". " (shown(&lock.reason)) }
        }
        @if versions.total == 0 { p { "There is no state yet. " code { "terraform apply" } " stores the first one." } }
        ol .versions {
            @for Shown { version, .. } in &versions.items {
                li {
                    @if version.status == Status::Finalized {
                        a href=(format!("/ui/state-versions/{}", version.id)) { "serial " (version.serial) }
                    } @else { "serial " (version.serial) " (" (version.status.name()) ")" }
                    " by " (shown(&version.creator.to_string())) ", " (version.created_at)
                    @if let Some(finalized) = &version.finalized { ", " (finalized.size) " bytes" }
                    @if version.rollback_of.is_some() { ", a rollback" }
                    @if version.upgraded_from.is_some() { ", an upgrade" }
                    @if workspace.head.as_ref() == Some(&version.id) { " " strong { "current" } }
                }
            }
        }
        (pagination(page, versions.total))
    };
    whole(StatusCode::OK, &shown(&workspace.name), Some(session), &body)
}

/// A value of a plan.
fn value(change: &Value, name: &str) -> Markup {
    let hidden = change.get(format!("{name}_sensitive")).and_then(Value::as_bool).unwrap_or(false);
    html! {
        @if hidden { em { "(sensitive value)" } }
        @else if let Some(value) = change.get(name) { code { (shown(&value.to_string())) } }
        @else { em { "(not shown)" } }
    }
}

fn change(change: &Value) -> Markup {
    let text = |name: &str| change.get(name).and_then(Value::as_str).unwrap_or_default();
    let action = text("action");
    html! {
        tr {
            td { (match action { "add" => "added", "remove" => "removed", _ => "changed" }) }
            th scope="row" { code { (shown(text("path"))) } }
            td { @if action != "add" { (value(change, "before")) } }
            td { @if action != "remove" { (value(change, "after")) } }
        }
    }
}

fn instance(address: &str, upgrade: &Value) -> Markup {
    let list = |name: &str| upgrade.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |of: &Value, name: &str| shown(of.get(name).and_then(Value::as_str).unwrap_or_default());
    let number = |name: &str| upgrade.get(name).and_then(Value::as_u64).unwrap_or_default();
    let changes = list("changes");
    html! {
        section {
            h3 { code { (shown(address)) } " " (number("from")) " → " (number("to")) }
            @for said in list("diagnostics") {
                p .bad { strong { (text(&said, "summary")) } " " (said.get("detail").and_then(Value::as_str).unwrap_or_default()) }
            }
            @for dropped in list("dropped") { p { "Dropped: " code { (text(&dropped, "path")) } ", " (text(&dropped, "reason")) } }
            @if !changes.is_empty() {
                table {
                    thead {
                        tr { th scope="col" { "Change" } th scope="col" { "Attribute" } th scope="col" { "Before" } th scope="col" { "After" } }
                    }
                    tbody { @for one in &changes { (change(one)) } }
                }
            }
        }
    }
}

/// A version: what its upgrade would change, and the button that does it.
pub(super) fn version(session: &Session, workspace: &Workspace, plan: &Plan, page: Page) -> Response {
    let (version, totals) = (&plan.version, &plan.totals);
    let is_current = workspace.head.as_ref() == Some(&version.id);
    let instances: Vec<(&str, Value)> = plan
        .instances
        .items
        .iter()
        .map(|(address, raw)| (address.as_str(), serde_json::from_str(raw.get()).unwrap_or_default()))
        .collect();
    let body = html! {
        p { a href=(format!("/ui/workspaces/{}", workspace.id)) { (shown(&workspace.name)) } }
        p {
            (totals.upgraded()) " of " (totals.instances()) " instances would be upgraded, " (totals.failed()) " cannot be, "
            (totals.current()) " are current, " (totals.unknown()) " of an unknown type."
        }
        @if totals.failed() > 0 {
            p .bad { "Nothing can be upgraded until those that cannot be are mended: an upgrade is whole or not at all." }
        } @else if totals.upgraded() > 0 && is_current {
            form method="post" action=(format!("/ui/workspaces/{}/upgrade", workspace.id)) {
                (proof(session))
                input type="hidden" name="version" value=(version.id.as_str());
                p {
                    "This stores a new state version with the changes below. Terraform configurations that use the old provider then \
                    need a rollback or the new provider."
                }
                button { "Upgrade " (shown(&workspace.name)) }
            }
        } @else if totals.upgraded() == 0 {
            p { "There is nothing to upgrade." }
        } @else {
            p { "This is not the current version, so it is not upgraded." }
        }
        @for (address, upgrade) in &instances { (instance(address, upgrade)) }
        (pagination(page, plan.instances.total))
    };
    whole(StatusCode::OK, &format!("{}, serial {}", shown(&workspace.name), version.serial), Some(session), &body)
}
