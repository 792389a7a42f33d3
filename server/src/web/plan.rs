//! The plan of an upgrade or downgrade of a version, and the button that does it.

use axum::extract::{Path, State};
use maud::{Markup, html};

use super::beside::beside;
use super::diff::planned;
use super::fates::fates;
use super::form::Form;
use super::frame::{Above, Chip, chips, counted, page, pagination, proof, shown, span, type_page};
use super::notice::Notice;
use super::picture::{Part, Tone, bar};
use super::visitor::{Requested, Sent, Visitor};
use super::workspace::organization;
use super::{Answer, Shared, Web, done};
use crate::model::{
    Back, Lock, Organization, Permission, Timestamp, VersionId, Workspace, WorkspaceId,
};
use crate::service::{Effect, Plan, PlanFilter, ReleaseVersions, Upgraded};
use crate::store::Page;

/// The number of instances of a page: those that lose values are long, and 20 screens of a phone are
/// the most.
const INSTANCES: u32 = 30;

/// The release that the page is about, if it is about going back.
pub(super) fn back(requested: &Requested) -> Option<Back> {
    requested
        .get("to-release")
        .map(|release| back_to(release, requested.get("losses")))
}

/// The release of a form, if it is about going back.
pub(super) fn form_back(form: &Form) -> Option<Back> {
    form.filled("to-release")
        .map(|release| back_to(release, form.get("losses")))
}

fn back_to(release: &str, losses: Option<&str>) -> Back {
    Back {
        release: release.to_owned(),
        allow_loss: losses == Some(ALLOW),
        strict: losses == Some(STRICT),
    }
}

const ALLOW: &str = "allow";
const STRICT: &str = "strict";

/// The choices for values that an older release cannot hold: name and effect.
const LOSSES: [(&str, &str); 3] = [
    ("refuse", "Refuse to go back where a value would be lost"),
    (ALLOW, "Drop values that it cannot hold"),
    (STRICT, "Go back only where no state could lose anything"),
];

/// The name of the choice that a goal has.
const fn losses(back: &Back) -> &'static str {
    match back {
        Back {
            allow_loss: true, ..
        } => ALLOW,
        Back { strict: true, .. } => STRICT,
        Back { .. } => "refuse",
    }
}

/// True if somebody wants to go back, and has not chosen the release yet.
pub(super) fn is_choosing(requested: &Requested) -> bool {
    requested.get("way") == Some("back") && requested.get("to-release").is_none()
}

pub(super) async fn show(
    State(web): Shared,
    Path(id): Path<VersionId>,
    visitor: Visitor,
    requested: Requested,
) -> Answer {
    let at = Page {
        size: INSTANCES,
        ..requested.page()
    };
    let back = back(&requested);
    let outcome = requested.get("outcome").unwrap_or_default();
    let failed = match outcome {
        FAILED => Some(true),
        CHANGED => Some(false),
        _ => None,
    };
    let effect = Effect::named(outcome);
    let (type_name, version) = (
        requested.get("type").map(str::to_owned),
        visitor.reported(requested.number("version"))?,
    );
    let has_type = type_name.is_some() || version.is_some();
    let filter = PlanFilter {
        failed,
        effect,
        type_name,
        version,
    };
    let plan = visitor.reported(
        web.service
            .plan(&visitor.principal, &id, back.as_ref(), filter, at)
            .await,
    )?;
    let (_, snapshot) = visitor.reported(
        web.service
            .workspace(&visitor.principal, &plan.version.workspace)
            .await,
    )?;
    let workspace = &snapshot.workspace;
    let organization = visitor.reported(organization(&web, &workspace.organization).await)?;
    let title = match &back {
        Some(back) => {
            format!(
                "{}, serial {}: back to release {}",
                shown(&workspace.name),
                plan.version.serial,
                shown(&back.release)
            )
        }
        None => format!(
            "{}, serial {}: upgrade",
            shown(&workspace.name),
            plan.version.serial
        ),
    };
    if is_choosing(&requested) {
        let title = format!(
            "{}, serial {}: back to a release",
            shown(&workspace.name),
            plan.version.serial
        );
        let body = directions(&web, &requested, None);
        return Ok(page(
            &visitor,
            Above::Workspace(&organization, workspace),
            &title,
            &body,
        ));
    }
    let values = visitor.reported(web.service.changed_values(&id, &plan.rows).await)?;
    let body = html! {
        (directions(&web, &requested, back.as_ref()))
        (totals(&plan, back.as_ref(), values))
        (offer(web.service.now(), &visitor, workspace, &plan, back.as_ref()))
        @if !plan.rows.is_empty() {
            (types(&web, &visitor, &organization, &plan, back.as_ref()))
            h2 { "Instances" }
            @if has_type {
                p role="status" {
                    (counted(plan.instances.total, "instance", "instances"))
                    @if let Some(type_name) = requested.get("type") { " of " code { (shown(type_name)) } }
                    @if let Some(version) = version { " at version " (version) }
                    @match failed { Some(true) => { " that would fail" } Some(false) => { " that would change" } None => {} }
                    @match effect {
                        Some(Effect::Losses) => { " that would lose values" }
                        Some(Effect::Warnings) => { " with warnings" }
                        Some(Effect::Neither) => { " without losses and warnings" }
                        None => {}
                    }
                    ". " a href=(picked(back.as_ref(), &[])) { "All instances" }
                }
            } @else { (outcomes(&plan, back.as_ref(), failed, effect)) }
        }
        (beside(&plan.instances.items.iter().map(|one| planned(web.service.registry(), one)).collect::<Vec<_>>()))
        (pagination(&requested, at, plan.instances.total))
    };
    Ok(page(
        &visitor,
        Above::Workspace(&organization, workspace),
        &title,
        &body,
    ))
}

/// The outcomes of instances in URLs.
const FAILED: &str = "failed";
const CHANGED: &str = "changed";

/// The choice of what would change with an effect.
pub(super) const fn choice(effect: Effect) -> &'static str {
    match effect {
        Effect::Losses => "Loses values",
        Effect::Warnings => "To do",
        Effect::Neither => "Fine",
    }
}

/// The choices of instances by outcome, and of those that would change by what comes with it.
fn outcomes(
    plan: &Plan,
    back: Option<&Back>,
    failed: Option<bool>,
    effect: Option<Effect>,
) -> Markup {
    let chip = |label, number: usize, outcome: &str, is_chosen| Chip {
        label,
        number: u64::try_from(number).unwrap_or(u64::MAX),
        link: if outcome.is_empty() {
            picked(back, &[])
        } else {
            picked(back, &[("outcome", outcome)])
        },
        is_chosen,
    };
    let (failing, upgraded) = (plan.totals.failed(), plan.totals.upgraded());
    let by_outcome = [
        chip(
            "All",
            failing + upgraded,
            "",
            failed.is_none() && effect.is_none(),
        ),
        chip("Fail", failing, FAILED, failed == Some(true)),
        chip("Would change", upgraded, CHANGED, failed == Some(false)),
    ];
    let by_effect = Effect::ALL.map(|one| {
        chip(
            choice(one),
            plan.number(one),
            one.name(),
            effect == Some(one),
        )
    });
    let all: Vec<Chip<'_>> = by_outcome.into_iter().chain(by_effect).collect();
    chips("Instances by outcome", &all)
}

/// The instances by type and version, folded: each leads to the picture of its route and to these
/// instances.
fn types(
    web: &Web,
    visitor: &Visitor,
    organization: &Organization,
    plan: &Plan,
    back: Option<&Back>,
) -> Markup {
    // The picture is on a page of the organization, which is closed to those who may read this
    // workspace alone.
    let is_open = visitor.may(&organization.id, Permission::ReadState);
    let of_type = |type_name: &str| {
        let name = html! { code { (shown(type_name)) } };
        let page = type_page(web.service.registry(), &organization.name, type_name);
        html! { @if is_open { a href=(page) { (name) } } @else { (name) } }
    };
    html! {
        details {
            summary { "By type: " (counted(plan.rows.len(), "type and version", "types and versions")) }
            div .scroll tabindex="0" role="group" aria-label="Types" { table {
                thead { tr { th scope="col" { "Type" } th scope="col" { "Version" } th scope="col" { "Outcome" } th scope="col" { "Instances" } th scope="col" { "Attributes" } } }
                tbody {
                    @for row in &plan.rows {
                        @let (version, has_failed) = (row.from.to_string(), row.outcome == FAILED);
                        @let only = [("type", &*row.type_name), ("version", &*version), ("outcome", if has_failed { FAILED } else { CHANGED })];
                        tr {
                            th scope="row" { (of_type(&row.type_name)) }
                            td { (row.from) " → " (row.to) }
                            td { @if has_failed { span .tag .bad { "fails" } } @else { span .tag .good { (row.outcome) } } }
                            td { a href=(picked(back, &only)) { (row.instances) } }
                            td { @if !has_failed { (fates(web.service.registry(), &row.type_name, row.from, row.to)) } }
                        }
                    }
                }
            } }
        }
    }
}

/// The two directions of a plan, and what going back needs to know.
pub(super) fn directions(web: &Web, requested: &Requested, back: Option<&Back>) -> Markup {
    let releases = web.service.releases();
    let goes_back = back.is_some() || is_choosing(requested);
    html! {
        @if !releases.is_empty() {
            nav .sections aria-label="Direction" {
                a href="?" aria-current=[(!goes_back).then_some("page")] { "Upgrade" }
                a href="?way=back" aria-current=[goes_back.then_some("page")] { "Go back to a release" }
            }
            @if let Some(back) = back {
                details {
                    summary { "Back to release " (shown(&back.release)) ". Choose another release, or how to treat values that it cannot hold…" }
                    (release_form(&releases, Some(back)))
                }
            } @else if goes_back { (release_form(&releases, None)) }
        }
    }
}

/// The form for a release, and for values that it cannot hold.
fn release_form(releases: &[ReleaseVersions], back: Option<&Back>) -> Markup {
    let chosen = back.map_or("refuse", losses);
    html! {
                form .panel method="get" {
                    input type="hidden" name="way" value="back";
                    @if back.is_none() { p .lead { "Choose the release that is to read the state afterwards." } }
                    label for="release" { "Release" }
                    select #release name="to-release" {
                        @for one in releases {
                            option value=(one.release) selected[back.is_some_and(|back| back.release == one.release)] { (one.release) }
                        }
                    }
                    fieldset {
                        legend { "Values that it cannot hold" }
                        @for (name, text) in LOSSES {
                            label .check { input type="radio" name="losses" value=(name) checked[name == chosen]; (text) }
                        }
                    }
                    button .quiet { "Show the plan" }
                }
    }
}

/// The sum of a plan, in a sentence whose numbers add up and in a picture.
fn totals(plan: &Plan, back: Option<&Back>, (moved, converted): (usize, usize)) -> Markup {
    let totals = &plan.totals;
    let (verb, current) = if back.is_some() {
        ("downgraded", "as that release stores them")
    } else {
        ("upgraded", "current")
    };
    let are = |number: usize, one: &str, many: &str| {
        format!("{number} {}", if number == 1 { one } else { many })
    };
    let of = |outcome: &str, part: Part| Part {
        link: Some(picked(back, &[("outcome", outcome)])),
        ..part
    };
    let linked = |outcome: &str, number: usize, words: String| {
        html! { @if number > 0 { a href=(picked(back, &[("outcome", outcome)])) { (words) } } @else { (words) } }
    };
    let effect = |one: Effect| picked(back, &[("outcome", one.name())]);
    let sum = format!(
        "{} of {} would be {verb}",
        totals.upgraded(),
        counted(totals.instances(), "instance", "instances")
    );
    let parts = [
        of(
            FAILED,
            Part::new(
                Tone::Bad,
                totals.failed(),
                format!("{} cannot be {verb}", totals.failed()),
            ),
        ),
        of(
            CHANGED,
            Part::new(
                Tone::Warn,
                totals.upgraded(),
                format!("{} would be {verb}", totals.upgraded()),
            ),
        ),
        Part::new(
            Tone::Good,
            totals.current(),
            format!("{} {current}", totals.current()),
        ),
        Part::new(
            Tone::Plain,
            totals.unknown(),
            format!("{} of an unknown type", totals.unknown()),
        ),
        Part::new(
            Tone::Faint,
            totals.data(),
            counted(totals.data(), "data source", "data sources"),
        ),
    ];
    html! {
        p .lead {
            (linked(CHANGED, totals.upgraded(), sum)) ", " (linked(FAILED, totals.failed(), format!("{} cannot be", totals.failed()))) ", "
            (are(totals.current(), "is", "are")) " " (current) ", " (are(totals.unknown(), "is", "are")) " of an unknown type, "
            (are(totals.data(), "is a data source", "are data sources")) "."
            @if totals.upgraded() > 0 {
                @if plan.with_losses == 0 { " Nothing is lost." }
                @else { " " a href=(effect(Effect::Losses)) { strong { (counted(plan.with_losses, "instance loses a value", "instances lose values")) } } "." }
                @if plan.with_warnings > 0 { " " a href=(effect(Effect::Warnings)) { (counted(plan.with_warnings, "instance has a warning", "instances have warnings")) } "." }
                @if moved > 0 { " " (counted(moved, "value moves", "values move")) " to another attribute." }
                @if converted > 0 { " " (counted(converted, "value is", "values are")) " converted." }
            }
        }
        (bar("Instances by outcome", &parts))
    }
}

/// The button, or why there is none.
fn offer(
    now: Timestamp,
    visitor: &Visitor,
    workspace: &Workspace,
    plan: &Plan,
    back: Option<&Back>,
) -> Markup {
    let (version, totals) = (&plan.version, &plan.totals);
    let (action, verb) = if back.is_some() {
        ("downgrade", "Downgrade")
    } else {
        ("upgrade", "Upgrade")
    };
    if totals.failed() > 0 {
        return html! {
            p .bad {
                "Nothing is changed until the instances that fail are mended: all are changed, or none."
                @if back.is_some_and(|back| !back.allow_loss && !back.strict) { " Where a value would be lost, you can drop it: choose so above." }
            }
            @if let Some(from) = version.upgraded_from.as_ref().filter(|_| back.is_some() && workspace.head.as_ref() == Some(&version.id) && visitor.may(&workspace.organization, Permission::WriteState)) {
                p { "The state from before the upgrade has what a downgrade cannot make: " a href=(format!("/ui/state-versions/{from}/rollback")) { "Roll back to it…" } }
            }
        };
    }
    if totals.upgraded() == 0 {
        return html! { p { "There is nothing to change." } };
    }
    if workspace.head.as_ref() != Some(&version.id) {
        return html! { p { "It is not the current version, so it cannot be changed." } };
    }
    if !visitor.may(&workspace.organization, Permission::WriteState) {
        return html! { p { "Your token may look at the plan. To do it, it needs the permission " code { "write-state" } "." } };
    }
    if let Some(lock) = workspace.lock.as_ref().filter(|lock| !visitor.holds(lock)) {
        return html! { (locked(lock, now)) p { "It can be " (verb.to_lowercase()) "d when it is unlocked. " a href=(format!("/ui/workspaces/{}", workspace.id)) { "Its lock" } } };
    }
    html! {
        @if let Some(lock) = &workspace.lock {
            (locked(lock, now))
            p .warn { "That is your lock. If that is a Terraform of yours, wait for it; after this it could not store its result." }
        }
        form .panel method="post" action=(format!("/ui/workspaces/{}/{action}", workspace.id)) {
            (proof(&visitor.session))
            input type="hidden" name="version" value=(version.id.as_str());
            @if let Some(back) = back {
                (kept(back))
                p { "This stores a new state version with the changes below, which release " (shown(&back.release)) " reads. Use that release of the provider afterwards." }
            } @else {
                p { "This stores a new state version with the changes below. Use the new release of the provider afterwards; the old one needs a rollback or a downgrade." }
            }
            p .soft { "The server locks the workspace meanwhile, unless you hold its lock already. It stores the new version only if this one is still current then and no other user has locked the workspace." }
            button { (verb) " " (shown(&workspace.name)) }
        }
    }
}

/// The lock of a workspace.
pub(super) fn locked(lock: &Lock, now: Timestamp) -> Markup {
    html! {
        p .warn {
            "The workspace is locked by " (shown(&lock.holder.to_string())) " for " (span(lock.at, now))
            @if lock.reason.is_empty() { "." } @else { ": " (shown(&lock.reason)) }
        }
    }
}

/// The goal, as in the request for the plan.
pub(super) fn kept(back: &Back) -> Markup {
    html! {
        input type="hidden" name="to-release" value=(back.release);
        input type="hidden" name="losses" value=(losses(back));
    }
}

/// The parameters of the plan with a goal.
pub(super) fn query(back: Option<&Back>) -> String {
    let Some(back) = back else {
        return String::new();
    };
    let mut query = form_urlencoded::Serializer::for_suffix("?".to_owned(), 1);
    query
        .append_pair("way", "back")
        .append_pair("to-release", &back.release)
        .append_pair("losses", losses(back));
    query.finish()
}

/// The plan with these parameters, and the goal that it has.
fn picked(back: Option<&Back>, parameters: &[(&str, &str)]) -> String {
    let mut target = query(back);
    if target.is_empty() {
        target.push('?');
    }
    form_urlencoded::Serializer::for_suffix(target, 1)
        .extend_pairs(parameters)
        .finish()
}

/// The page to show afterwards: the new version, with what became of each instance.
fn answered(id: &WorkspaceId, upgraded: &Upgraded, notice: Notice) -> axum::response::Response {
    match upgraded {
        Upgraded::New(version) => done(&format!("/ui/state-versions/{version}"), notice),
        Upgraded::Current(_) => done(&format!("/ui/workspaces/{id}"), Notice::Nothing),
    }
}

pub(super) async fn upgrade(
    State(web): Shared,
    Path(id): Path<WorkspaceId>,
    Sent { visitor, form }: Sent,
) -> Answer {
    // The form names the version that was shown, so that no other one is upgraded.
    let expected = VersionId::from_text(form.get("version").unwrap_or_default());
    let upgraded = visitor.reported(
        web.service
            .upgrade(&visitor.principal, &id, Some(&expected))
            .await,
    )?;
    Ok(answered(&id, &upgraded, Notice::Upgraded))
}

pub(super) async fn downgrade(
    State(web): Shared,
    Path(id): Path<WorkspaceId>,
    Sent { visitor, form }: Sent,
) -> Answer {
    let expected = VersionId::from_text(form.get("version").unwrap_or_default());
    let back = form_back(&form).unwrap_or_else(|| back_to("", None));
    let downgraded = visitor.reported(
        web.service
            .downgrade(&visitor.principal, &id, &back, Some(&expected))
            .await,
    )?;
    Ok(answered(&id, &downgraded, Notice::Downgraded))
}
