//! A state version: its resources as a tree, its outputs, and the way back to it.

use axum::extract::{Path, State};
use maud::html;

use super::contents::{output_table, tree};
use super::frame::{counted, described, page, pagination, proof, shown};
use super::notice::Notice;
use super::visitor::{Requested, Sent, Visitor};
use super::workspace::{crumbs, made_by, organization};
use super::{Answer, Shared, done};
use crate::model::{Permission, VersionId};
use crate::store::Page;

pub(super) async fn show(State(web): Shared, Path(id): Path<String>, visitor: Visitor, requested: Requested) -> Answer {
    let (id, at) = (VersionId::from_text(id), requested.page());
    let one = visitor.reported(web.service.version(&visitor.principal, &id).await)?;
    let version = &one.version;
    let (_, snapshot) = visitor.reported(web.service.workspace(&visitor.principal, &version.workspace).await)?;
    let workspace = &snapshot.workspace;
    let organization = visitor.reported(organization(&web, workspace).await)?;
    // Outputs alone, page after page, or the first of them below the resources.
    let only_outputs = requested.get("show") == Some("outputs");
    let has_state = version.finalized.is_some();
    let outputs = if has_state {
        let at = if only_outputs { at } else { Page { number: 1, ..at } };
        Some(visitor.of_state(web.service.outputs(&visitor.principal, &id, at).await)?)
    } else {
        None
    };
    let resources = if has_state && !only_outputs {
        Some(visitor.of_state(web.service.contents(&visitor.principal, &id, at).await)?)
    } else {
        None
    };
    let path = format!("/ui/state-versions/{id}");
    let is_current = workspace.head.as_ref() == Some(&id);
    let body = html! {
        (crumbs(&organization, Some(workspace)))
        p {
            @if is_current { span .tag .good { "current" } " " }
            (made_by(version))
            time { (version.created_at) } " by " (shown(&version.creator.to_string()))
            @if let Some(finalized) = &version.finalized {
                ", " (finalized.size) " bytes"
                @if !finalized.terraform_version.is_empty() { ", Terraform " (shown(&finalized.terraform_version)) }
            }
        }
        @if version.finalized.is_some() {
            nav .sections aria-label="Of this version" {
                a href=(format!("{path}/plan")) { "Plan an upgrade or a downgrade" }
                @if one.beside.previous.is_some() { a href=(format!("{path}/comparison")) { "What changed" } }
                @if !is_current && visitor.may(&organization.id, Permission::WriteState) { a href=(format!("{path}/rollback")) { "Roll back to it…" } }
                @if let Some(previous) = &one.beside.previous { a rel="prev" href=(format!("/ui/state-versions/{previous}")) { "The version before" } }
                @if let Some(next) = &one.beside.next { a rel="next" href=(format!("/ui/state-versions/{next}")) { "The version after" } }
            }
        } @else { p { "It has no state: " (version.status.name()) "." } }
        @match &resources {
            Some(Ok(resources)) => {
                h2 { "Resources" }
                (tree(&resources.items))
                (pagination(&requested, at, resources.total))
            }
            Some(Err(refusal)) => p .warn { (described(&refusal.detail)) },
            None => {}
        }
        @if let Some(Ok(outputs)) = &outputs {
            h2 { "Outputs" }
            @if outputs.total == 0 { p .soft { "There are none." } } @else { (output_table(&outputs.items)) }
            @if only_outputs { (pagination(&requested, at, outputs.total)) }
            @else if outputs.total > u64::from(at.size) { p { a href=(format!("{path}?show=outputs")) { "All " (outputs.total) " outputs" } } }
        }
    };
    Ok(page(&visitor, &format!("{}, serial {}", shown(&workspace.name), version.serial), &body))
}

pub(super) async fn ask_rollback(State(web): Shared, Path(id): Path<String>, visitor: Visitor) -> Answer {
    let one = visitor.reported(web.service.version(&visitor.principal, &VersionId::from_text(id)).await)?;
    let version = &one.version;
    let snapshot = visitor.reported(web.service.allowed(&visitor.principal, &version.workspace, Permission::WriteState).await)?;
    let workspace = &snapshot.workspace;
    let organization = visitor.reported(organization(&web, workspace).await)?;
    let newer = snapshot.head.as_ref().map(|head| head.seq.saturating_sub(version.seq)).unwrap_or_default();
    let body = html! {
        (crumbs(&organization, Some(workspace)))
        @if let Some(head) = snapshot.head.as_ref().filter(|head| head.id != version.id) {
            div .warn {
                p { "If you roll back:" }
                ul {
                    li { "A new state version is stored with what serial " (version.serial) " held on " time { (version.created_at) } ". Nothing is deleted." }
                    li { (counted(newer, "version", "versions")) " since then " @if newer == 1 { "is" } @else { "are" } " no longer current. What Terraform created with them still exists, and Terraform no longer knows it." }
                    li { "Plans that were saved before become stale; Terraform refuses them." }
                    li { "The workspace is locked while it is done, and unlocked afterwards, unless you hold its lock already." }
                }
                p { a href=(format!("/ui/state-versions/{}/comparison?from={}", version.id, head.id)) { "See what would change" } }
            }
            form method="post" {
                (proof(&visitor.session))
                input type="hidden" name="current" value=(head.id.as_str());
                button .danger { "Roll back to serial " (version.serial) }
                " " a href=(format!("/ui/workspaces/{}", workspace.id)) { "Leave it as it is" }
            }
        } @else { p { "It is the current version already." } }
    };
    Ok(page(&visitor, &format!("Roll back {} to serial {}", shown(&workspace.name), version.serial), &body))
}

pub(super) async fn rollback(State(web): Shared, Path(id): Path<String>, Sent { visitor, form }: Sent) -> Answer {
    let id = VersionId::from_text(id);
    let one = visitor.reported(web.service.version(&visitor.principal, &id).await)?;
    // What was shown is what is left, or nothing.
    let expected = VersionId::from_text(form.get("current").unwrap_or_default());
    let workspace = one.version.workspace;
    visitor.reported(web.service.rollback_now(&visitor.principal, &workspace, &id, &expected).await)?;
    Ok(done(&format!("/ui/workspaces/{workspace}"), Notice::RolledBack))
}
