//! A state version: its resources as a tree, its outputs, and the way back to it.

use axum::extract::{Path, State};
use maud::{Markup, html};

use super::contents::{output_table, tree};
use super::frame::{
    Above, ago, counted, described, page, page_with_undo, pagination, proof, shown, size,
};
use super::notice::Notice;
use super::plan::locked;
use super::visitor::{Requested, Sent, Visitor};
use super::workspace::{contents, made_by, organization, undo};
use super::{Answer, Shared, done, frame};
use crate::model::{Permission, Version, VersionId};
use crate::service::Replaced;
use crate::store::Page;

/// For how long after an upgrade the way back is above everything else, in milliseconds: that is
/// when somebody sees what went wrong.
const FRESH: i64 = 10 * 60 * 1000;

pub(super) async fn show(
    State(web): Shared,
    Path(id): Path<VersionId>,
    visitor: Visitor,
    requested: Requested,
) -> Answer {
    let at = requested.page();
    let one = visitor.reported(web.service.version(&visitor.principal, &id).await)?;
    let version = &one.version;
    let (_, snapshot) = visitor.reported(
        web.service
            .workspace(&visitor.principal, &version.workspace)
            .await,
    )?;
    let workspace = &snapshot.workspace;
    let organization = visitor.reported(organization(&web, &workspace.organization).await)?;
    // Outputs alone, page after page, or the first of them below the resources.
    let only_outputs = requested.get("show") == Some("outputs");
    let has_state = version.finalized.is_some();
    let outputs = if has_state {
        let at = if only_outputs {
            at
        } else {
            Page { number: 1, ..at }
        };
        Some(visitor.of_state(web.service.outputs(&visitor.principal, &id, at).await)?)
    } else {
        None
    };
    let resources = if has_state && !only_outputs {
        Some(visitor.of_state(web.service.contents(&visitor.principal, &id, at).await)?)
    } else {
        None
    };
    let made_of = version.upgraded_from.as_ref();
    let report = match made_of {
        Some(_) => visitor
            .of_state(web.service.upgrade_report(&visitor.principal, &id).await)?
            .ok(),
        None => None,
    };
    let known = visitor.reported(web.service.all_known(vec![id.clone()]).await)?;
    let path = format!("/ui/state-versions/{id}");
    let is_current = workspace.head.as_ref() == Some(&id);
    let may_undo = is_current && visitor.may(&organization.id, Permission::WriteState);
    // It is in the notice of what was just done, and for some minutes in one of its own, so that it
    // is found at once; later it is among the other ways from here.
    let just_done = matches!(visitor.notice, Some(Notice::Upgraded | Notice::Downgraded));
    let is_fresh = visitor.now.as_millis() - version.created_at.as_millis() < FRESH;
    let in_notice = may_undo && made_of.is_some() && (just_done || is_fresh);
    let way_back = html! {
        @if in_notice { " " (undo(version)) " " span .soft { "Until another version follows, nothing else goes back with it." } }
    };
    let body = html! {
        @if in_notice && !just_done {
            p .good { @if version.downgraded_to.is_some() { "Downgraded " } @else { "Upgraded " } (ago(version.created_at, visitor.now)) "." (way_back) }
        }
        p .lead {
            @if is_current { strong { "Current" } ". " } @else { "Not current. " }
            @if let Some(known) = known.get(id.as_str()).filter(|_| has_state) {
                @if known.unreadable.is_some() { "It cannot be read." } @else { (contents(&web, known)) }
            }
        }
        p {
            (made_by(version, &[]))
            (ago(version.created_at, web.service.now())) " by " (shown(&version.creator.to_string()))
            @if let Some(finalized) = &version.finalized {
                ", " (size(finalized.size))
            }
            (written_by(version))
            ". " (frame::id(id.as_str()))
        }
        @if version.finalized.is_some() {
            nav .sections aria-label="Of this version" {
                a href=(format!("{path}/plan")) { "Plan an upgrade or a downgrade" }
                @if one.beside.previous.is_some() { a href=(format!("{path}/comparison")) { "What changed" } }
                @if may_undo && !in_notice { (undo(version)) }
                @if !is_current && visitor.may(&organization.id, Permission::WriteState) { a href=(format!("{path}/rollback")) { "Roll back to it…" } }
                @if let Some(previous) = &one.beside.previous { a rel="prev" href=(format!("/ui/state-versions/{previous}")) { "The version before" } }
                @if let Some(next) = &one.beside.next { a rel="next" href=(format!("/ui/state-versions/{next}")) { "The version after" } }
            }
        } @else { p { "It has no state: " (version.status.name()) "." } }
        @if let Some((_, raw)) = &report { (super::report::report(web.service.registry(), raw)) }
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
    Ok(page_with_undo(
        &visitor,
        Above::Workspace(&organization, workspace),
        &format!("{}, serial {}", shown(&workspace.name), version.serial),
        &if just_done {
            way_back
        } else {
            html! {}
        },
        &body,
    ))
}

/// The Terraform that wrote a version, behind something else, if its state names one.
pub(super) fn written_by(version: &Version) -> Markup {
    let terraform = version
        .finalized
        .as_ref()
        .map_or("", |finalized| finalized.terraform_version.as_str());
    html! { @if !terraform.is_empty() { ", Terraform " (shown(terraform)) } }
}

pub(super) async fn ask_rollback(
    State(web): Shared,
    Path(id): Path<VersionId>,
    visitor: Visitor,
) -> Answer {
    let one = visitor.reported(web.service.version(&visitor.principal, &id).await)?;
    let version = &one.version;
    let snapshot = visitor.reported(
        web.service
            .allowed(
                &visitor.principal,
                &version.workspace,
                Permission::WriteState,
            )
            .await,
    )?;
    let workspace = &snapshot.workspace;
    let organization = visitor.reported(organization(&web, &workspace.organization).await)?;
    let newer = snapshot
        .head
        .as_ref()
        .map(|head| head.seq.saturating_sub(version.seq))
        .unwrap_or_default();
    let replaced = match snapshot.head.as_ref().filter(|head| head.id != version.id) {
        // The page is shown all the same, since a state that cannot be read is a reason to go back
        // to another one.
        Some(head) => match web
            .service
            .replaced(&visitor.principal, &head.id, &version.id)
            .await
        {
            Ok(replaced) => Some(replaced),
            Err(failure) => {
                tracing::warn!(error = %failure, version = %version.id, "the effect of a rollback is not known");
                None
            }
        },
        None => None,
    };
    let body = html! {
        @if let Some(head) = snapshot.head.as_ref().filter(|head| head.id != version.id) {
            p .lead { "Serial " (version.serial) " becomes current again, as a new version." }
            div .warn {
                p { "If you roll back:" }
                ul {
                    li { "It has what serial " (version.serial) " held " (ago(version.created_at, web.service.now())) ". Nothing is deleted." }
                    li { (counted(newer, "version", "versions")) " since then " @if newer == 1 { "is" } @else { "are" } " no longer current." }
                    (effect(replaced.as_ref()))
                    li { "Plans that were saved before become stale; Terraform refuses them." }
                    li { "The server locks the workspace meanwhile, unless you hold its lock already." }
                }
                p { a href=(format!("/ui/state-versions/{}/comparison?from={}", version.id, head.id)) { "See what would change" } }
            }
            @if let Some(lock) = workspace.lock.as_ref().filter(|lock| !visitor.holds(lock)) {
                (locked(lock, web.service.now()))
                p { "It can be rolled back when it is unlocked. " a href=(format!("/ui/workspaces/{}", workspace.id)) { "Its lock" } }
            } @else {
                form method="post" {
                    (proof(&visitor.session))
                    input type="hidden" name="current" value=(head.id.as_str());
                    button .danger { "Roll back to serial " (version.serial) }
                    " " a href=(format!("/ui/workspaces/{}", workspace.id)) { "Leave it as it is" }
                }
            }
        } @else { p .lead { "It is the current version already." } }
    };
    Ok(page(
        &visitor,
        Above::Workspace(&organization, workspace),
        &format!(
            "Roll back {} to serial {}",
            shown(&workspace.name),
            version.serial
        ),
        &body,
    ))
}

/// The effect of a rollback on what Terraform knows; nothing is known of it where a state cannot be
/// read.
fn effect(replaced: Option<&Replaced>) -> Markup {
    let Some(replaced) = replaced else {
        return html! { li { "Objects that Terraform created since then still exist, and Terraform no longer knows them: the states cannot be read, so they are not named here." } };
    };
    let named = |all: &[String], total: usize| {
        html! { @for (index, one) in all.iter().enumerate() { @if index > 0 { ", " } code { (shown(one)) } } @if total > all.len() { " and " (total - all.len()) " more" } }
    };
    html! {
        @if replaced.forgotten_total == 0 { li { "No resource is forgotten: Terraform knows all that it knows now." } } @else {
            li {
                strong { (counted(replaced.forgotten_total, "instance exists now and would be forgotten", "instances exist now and would be forgotten")) }
                ": " (named(&replaced.forgotten, replaced.forgotten_total)) ". Terraform would make them again."
            }
        }
        @if replaced.known_again_total > 0 {
            li {
                (counted(replaced.known_again_total, "instance that is gone would be known again", "instances that are gone would be known again"))
                ": " (named(&replaced.known_again, replaced.known_again_total)) ". Terraform looks whether they still exist."
            }
        }
        @if replaced.changed > 0 {
            li { (counted(replaced.changed, "instance gets", "instances get")) " other values or another schema version." }
        }
    }
}

pub(super) async fn rollback(
    State(web): Shared,
    Path(id): Path<VersionId>,
    Sent { visitor, form }: Sent,
) -> Answer {
    let one = visitor.reported(web.service.version(&visitor.principal, &id).await)?;
    // The form names the version that was current when the page was shown, so that no other one is
    // replaced.
    let expected = VersionId::from_text(form.get("current").unwrap_or_default());
    let workspace = one.version.workspace;
    visitor.reported(
        web.service
            .rollback_now(&visitor.principal, &workspace, &id, &expected)
            .await,
    )?;
    Ok(done(
        &format!("/ui/workspaces/{workspace}"),
        Notice::RolledBack,
    ))
}
