//! The plan of an upgrade or downgrade of a version, and the button that does it.

use axum::extract::{Path, State};
use maud::{Markup, html};

use super::diff::instance;
use super::frame::{Notice, counted, page, pagination, proof, shown};
use super::visitor::{Requested, Sent, Visitor};
use super::workspace::{crumbs, organization};
use super::{Answer, Shared, Web, done};
use crate::model::{Back, Permission, VersionId, Workspace, WorkspaceId};
use crate::service::{Plan, PlanFilter, Upgraded};

/// The release that the page is about, if it is about going back.
pub(super) fn back(requested: &Requested) -> Option<Back> {
    let (allow_loss, strict) = (requested.get("allow-loss").is_some(), requested.get("strict").is_some());
    requested.get("to-release").map(|release| Back { release: release.to_owned(), allow_loss, strict })
}

pub(super) async fn show(State(web): Shared, Path(id): Path<String>, visitor: Visitor, requested: Requested) -> Answer {
    let (id, at) = (VersionId::from_text(id), requested.page());
    let back = back(&requested);
    let plan = visitor.reported(web.service.plan(&visitor.principal, &id, back.as_ref(), PlanFilter::default(), at).await)?;
    let (_, snapshot) = visitor.reported(web.service.workspace(&visitor.principal, &plan.version.workspace).await)?;
    let workspace = &snapshot.workspace;
    let organization = visitor.reported(organization(&web, workspace).await)?;
    let title = match &back {
        Some(back) => {
            format!("{}, serial {}: back to release {}", shown(&workspace.name), plan.version.serial, shown(&back.release))
        }
        None => format!("{}, serial {}: upgrade", shown(&workspace.name), plan.version.serial),
    };
    let body = html! {
        (crumbs(&organization, Some(workspace)))
        (directions(&web, back.as_ref()))
        (totals(&plan, back.as_ref()))
        (offer(&visitor, workspace, &plan, back.as_ref()))
        @for (address, raw) in &plan.instances.items { (instance(address, raw)) }
        (pagination(&requested, at, plan.instances.total))
    };
    Ok(page(&visitor, &title, &body))
}

/// Up, or back to a release of the lock.
pub(super) fn directions(web: &Web, back: Option<&Back>) -> Markup {
    let releases = web.service.releases();
    html! {
        @if !releases.is_empty() {
            form method="get" {
                div .row {
                    div {
                        label for="to-release" { "Plan for" }
                        select #to-release name="to-release" {
                            option value="" { "an upgrade to the versions of this server" }
                            @for one in &releases {
                                option value=(one.release) selected[back.is_some_and(|back| back.release == one.release)] { "a downgrade to release " (one.release) }
                            }
                        }
                    }
                    label .check for="allow-loss" {
                        input #allow-loss type="checkbox" name="allow-loss" value="true" checked[back.is_some_and(|back| back.allow_loss)];
                        "Drop what an older release cannot hold"
                    }
                    label .check for="strict" {
                        input #strict type="checkbox" name="strict" value="true" checked[back.is_some_and(|back| back.strict)];
                        "Only where no state could lose anything"
                    }
                    button .quiet { "Show the plan" }
                }
            }
        }
    }
}

fn totals(plan: &Plan, back: Option<&Back>) -> Markup {
    let totals = &plan.totals;
    let verb = if back.is_some() { "downgraded" } else { "upgraded" };
    html! {
        p {
            (totals.upgraded()) " of " (counted(totals.instances(), "instance", "instances")) " would be " (verb) ", " (totals.failed())
            " cannot be, " (totals.current()) " are " @if back.is_some() { "as that release stores them" } @else { "current" } ", "
            (totals.unknown()) " are of an unknown type."
        }
    }
}

/// The button, or why there is none.
fn offer(visitor: &Visitor, workspace: &Workspace, plan: &Plan, back: Option<&Back>) -> Markup {
    let (version, totals) = (&plan.version, &plan.totals);
    let (action, verb) = if back.is_some() { ("downgrade", "Downgrade") } else { ("upgrade", "Upgrade") };
    if totals.failed() > 0 {
        return html! {
            p .bad {
                "Nothing is changed until the instances that fail are mended: all are changed, or none."
                @if back.is_some_and(|back| !back.allow_loss && !back.strict) { " Where a value would be lost, you can drop it: tick the box above." }
            }
        };
    }
    if totals.upgraded() == 0 {
        return html! { p { "There is nothing to change." } };
    }
    if workspace.head.as_ref() != Some(&version.id) {
        return html! { p { "It is not the current version, so it stays as it is." } };
    }
    if !visitor.may(&workspace.organization, Permission::WriteState) {
        return html! { p { "Your token may look at the plan. To do it, it needs the permission " code { "write-state" } "." } };
    }
    html! {
        @if let Some(lock) = &workspace.lock {
            p .warn { "The workspace is locked by " (shown(&lock.holder.to_string())) ": " (shown(&lock.reason)) " If that is a Terraform of yours, wait for it; after this it could not store its result." }
        }
        form .panel method="post" action=(format!("/ui/workspaces/{}/{action}", workspace.id)) {
            (proof(&visitor.session))
            input type="hidden" name="version" value=(version.id.as_str());
            @if let Some(back) = back {
                input type="hidden" name="to-release" value=(back.release);
                (kept(back))
                p { "This stores a new state version with the changes below, which release " (shown(&back.release)) " reads. Use that release of the provider afterwards." }
            } @else {
                p { "This stores a new state version with the changes below. Use the new release of the provider afterwards; the old one needs a rollback or a downgrade." }
            }
            p .soft { "The workspace is locked while it is done, and unlocked afterwards, unless you hold its lock already. It is stored only if this version is still current then and nobody else has locked the workspace." }
            button { (verb) " " (shown(&workspace.name)) }
        }
    }
}

/// The losses that the form allows, as in the request for the plan.
pub(super) fn kept(back: &Back) -> Markup {
    html! {
        @if back.allow_loss { input type="hidden" name="allow-loss" value="true"; }
        @if back.strict { input type="hidden" name="strict" value="true"; }
    }
}

/// The page to show afterwards.
fn answered(id: &WorkspaceId, upgraded: &Upgraded, notice: Notice) -> axum::response::Response {
    let path = format!("/ui/workspaces/{id}");
    match upgraded {
        Upgraded::New(_) => done(&path, notice),
        Upgraded::Current(_) => done(&path, Notice::Nothing),
    }
}

pub(super) async fn upgrade(State(web): Shared, Path(id): Path<String>, Sent { visitor, form }: Sent) -> Answer {
    let id = WorkspaceId::from_text(id);
    // What was shown is what is upgraded, or nothing.
    let expected = VersionId::from_text(form.get("version").unwrap_or_default());
    let upgraded = visitor.reported(web.service.upgrade(&visitor.principal, &id, Some(&expected)).await)?;
    Ok(answered(&id, &upgraded, Notice::Upgraded))
}

pub(super) async fn downgrade(State(web): Shared, Path(id): Path<String>, Sent { visitor, form }: Sent) -> Answer {
    let id = WorkspaceId::from_text(id);
    let expected = VersionId::from_text(form.get("version").unwrap_or_default());
    let release = form.get("to-release").unwrap_or_default().to_owned();
    let back = Back { release, allow_loss: form.get("allow-loss").is_some(), strict: form.get("strict").is_some() };
    let downgraded = visitor.reported(web.service.downgrade(&visitor.principal, &id, &back, Some(&expected)).await)?;
    Ok(answered(&id, &downgraded, Notice::Downgraded))
}
