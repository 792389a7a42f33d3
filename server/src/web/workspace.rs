//! A workspace: its lock, and its versions as a timeline.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use axum::extract::{Path, State};
use maud::{Markup, html};
use upstate_state::{InstanceStatus, Mode};

use super::frame::{Above, ago, copied, counted, described, page, pagination, proof, shown, span};
use super::growth::{Measure, growth};
use super::notice::Notice;
use super::outcome::last;
use super::timeline::timeline;
use super::visitor::{Requested, Sent, Visitor};
use super::{Answer, Refused, Shared, Web, done, frame};
use crate::model::{
    Lock, Organization, OrganizationId, Permission, Status, Timestamp, Version, VersionId,
    Workspace, WorkspaceId,
};
use crate::rules::Refusal;
use crate::service::{Failure, Known, LockRequest, Shown};

/// The organization of a workspace or job.
pub(super) async fn organization(web: &Web, id: &OrganizationId) -> Result<Organization, Failure> {
    let found = web.service.store().organization_by_id(id).await?;
    Ok(found.ok_or_else(|| Refusal::not_found("the organization"))?)
}

pub(super) async fn show(
    State(web): Shared,
    Path(id): Path<WorkspaceId>,
    visitor: Visitor,
    requested: Requested,
) -> Answer {
    let at = requested.page();
    let (_, snapshot) = visitor.reported(web.service.workspace(&visitor.principal, &id).await)?;
    let workspace = &snapshot.workspace;
    let organization = visitor.reported(organization(&web, &workspace.organization).await)?;
    let named = (organization.name.as_str(), workspace.name.as_str());
    let versions = visitor.reported(
        web.service
            .versions(&visitor.principal, named, &[], at)
            .await,
    )?;
    let ids = versions
        .items
        .iter()
        .filter(|one| one.version.status == Status::Finalized);
    let ids = ids
        .flat_map(|one| [Some(one.version.id.clone()), one.beside.previous.clone()])
        .flatten();
    let ids = ids.chain(workspace.head.clone());
    let held = visitor.reported(
        web.service
            .all_known(ids.collect::<BTreeSet<_>>().into_iter().collect())
            .await,
    )?;
    let last_job = match &workspace.head {
        Some(current) if visitor.may(&organization.id, Permission::ReadState) => {
            visitor.reported(web.service.last_outcome(current).await)?
        }
        Some(_) | None => None,
    };
    let listed: Vec<&Version> = versions.items.iter().map(|one| &one.version).collect();
    let mut states = listed
        .iter()
        .filter(|one| one.status == Status::Finalized)
        .map(|one| &one.id);
    // At first, the newest is compared with the one before.
    let newest = states.next().zip(states.next());
    let from = kept_mark(&web, &visitor, &id, requested.get("from")).await?;
    let to = kept_mark(&web, &visitor, &id, requested.get("to")).await?;
    let new = to.as_ref().map(|to| &to.id).or(newest.map(|(new, _)| new));
    let old = from
        .as_ref()
        .map(|from| &from.id)
        .or(newest.map(|(_, old)| old));
    let compared = new.zip(old);
    let elsewhere = [("from", &from), ("to", &to)]
        .into_iter()
        .filter_map(|(name, kept)| Some((name, kept.as_ref()?)));
    let elsewhere = elsewhere.filter(|(_, kept)| listed.iter().all(|one| one.id != kept.id));
    let is_open = workspace
        .lock
        .as_ref()
        .is_none_or(|lock| visitor.holds(lock));
    let may_undo = is_open && visitor.may(&organization.id, Permission::WriteState);
    let of_head = workspace
        .head
        .as_ref()
        .and_then(|head| held.get(head.as_str()));
    let body = html! {
        (sentence(&web, snapshot.head.as_ref(), of_head, workspace.lock.as_ref()))
        // Under the lock of another user it would be refused.
        @if let Some(head) = snapshot.head.as_ref().filter(|head| head.upgraded_from.is_some() && may_undo) { p { (undo(head)) } }
        @if !workspace.description.is_empty() { p { (shown(&workspace.description)) } }
        p .soft { (frame::id(workspace.id.as_str())) }
        @if !workspace.tags.is_empty() {
            p {
                span .soft { "Tags: " }
                // The list is of the organization, which is closed to those who may read this
                // workspace alone.
                @let is_listed = visitor.may(&organization.id, Permission::ReadState);
                @for (key, value) in &workspace.tags {
                    @let tag = frame::tag_as_written(key, value.as_deref());
                    @if is_listed { a href=(frame::workspaces_tagged(&organization.name, &tag)) { code { (shown(&tag)) } } }
                    @else { code { (shown(&tag)) } }
                    " "
                }
            }
        }
        @if let Some(outcome) = &last_job {
            div { span .soft { "Last job: " } (last(outcome, web.service.now())) }
            @if !outcome.detail.is_empty() { p { (described(&outcome.detail)) } }
        }
        (lock_panel(web.service.now(), &visitor, workspace))
        h2 { "State versions" }
        @if versions.total == 0 {
            p { "There is no state yet. A workspace of a " code { "cloud" } " block gets the first one so; a state that there is already is pushed:" }
            (copied("terraform init\nterraform apply"))
            (copied("terraform state push terraform.tfstate"))
        } @else {
            (timeline(&listed, workspace.head.as_ref()))
            (growth(&measures(&listed, &held)))
            @if compared.is_some() {
                (comparison_form(workspace, &elsewhere.collect::<Vec<_>>(), versions.total > u64::from(at.size)))
            }
            ol .timeline {
                @for index in 0..versions.items.len() {
                    (entry(web.service.now(), workspace, (versions.items.as_slice(), index), &held, visitor.may(&organization.id, Permission::WriteState), compared))
                }
            }
        }
        (pagination(&requested, at, versions.total))
    };
    Ok(page(
        &visitor,
        Above::Organization(&organization),
        &shown(&workspace.name),
        &body,
    ))
}

fn lock_panel(now: Timestamp, visitor: &Visitor, workspace: &Workspace) -> Markup {
    let path = format!("/ui/workspaces/{}", workspace.id);
    let may = |permission| visitor.may(&workspace.organization, permission);
    html! {
        @if let Some(lock) = &workspace.lock {
            div .panel {
                p { strong { "Locked" } " by " (shown(&lock.holder.to_string())) " for " (span(lock.at, now)) "." }
                @if !lock.reason.is_empty() { p { (shown(&lock.reason)) } }
                @if may(Permission::Lock) && !visitor.holds(lock) { p .soft { "Only " (shown(&lock.holder.to_string())) " can unlock it." } }
                @if may(Permission::Lock) && visitor.holds(lock) {
                    form .inline method="post" action=(format!("{path}/unlock")) { (proof(&visitor.session)) button .quiet { "Unlock" } " " span .soft { "Then every user who may write can change the state." } }
                }
                @if may(Permission::ForceUnlock) { a href=(format!("{path}/force-unlock")) { "Force-unlock…" } }
            }
        } @else if may(Permission::Lock) {
            details {
                summary { "Not locked. Lock it…" }
                form method="post" action=(format!("{path}/lock")) {
                    (proof(&visitor.session))
                    p .soft { "Until you unlock it, only you can change its state; a Terraform that tries stops and says why." }
                    label for="reason" { "Reason, for those who find it locked" }
                    div .row { input #reason name="reason" required maxlength="200"; button { "Lock" } }
                }
            }
        }
    }
}

/// The answer to what the workspace is and who has it.
fn sentence(
    web: &Web,
    head: Option<&Version>,
    known: Option<&Arc<Known>>,
    lock: Option<&Lock>,
) -> Markup {
    html! {
        p .lead {
            @match (head, known) {
                (None, _) => { "There is no state yet" }
                (Some(_), None) => { "The current version is not known" }
                (Some(_), Some(known)) if known.unreadable.is_some() => { strong { "The current state cannot be read" } ": " (described(known.unreadable.as_deref().unwrap_or_default())) }
                (Some(head), Some(known)) if is_outdated(known) => { a href=(format!("/ui/state-versions/{}/plan", head.id)) { strong { (status_of(known)) } } }
                (Some(_), Some(known)) => { strong { (status_of(known)) } }
            }
            @if let Some(head) = head { ", at serial " (head.serial) ", stored " (ago(head.created_at, web.service.now())) " by " (shown(&head.creator.to_string())) }
            ". "
            @if let Some(lock) = lock { strong { "Locked" } " by " (shown(&lock.holder.to_string())) "." } @else { "Not locked." }
        }
        @if let Some(known) = known { p { (contents(web, known)) } }
    }
}

/// True if the plan of an upgrade says more of the state.
fn is_outdated(known: &Known) -> bool {
    known.statuses.contains(&InstanceStatus::NeedsUpgrade)
        || known.statuses.contains(&InstanceStatus::CannotUpgrade)
}

/// The status of a state by the worst of its instances.
fn status_of(known: &Known) -> &'static str {
    let has = |status| known.statuses.contains(&status);
    if has(InstanceStatus::CannotUpgrade) {
        "Cannot be upgraded"
    } else if has(InstanceStatus::NeedsUpgrade) {
        "Needs an upgrade"
    } else if known.statuses.is_empty() {
        "Without resources"
    } else {
        "Current"
    }
}

/// The number of instances by status, in words whose numbers add up.
pub(super) fn contents(web: &Web, known: &Known) -> String {
    let mut counts: BTreeMap<InstanceStatus, usize> = BTreeMap::new();
    for stored in &known.types {
        *counts
            .entry(stored.status(web.service.registry()))
            .or_default() += stored.instances;
    }
    let words = |(status, number): (&InstanceStatus, &usize)| match status {
        InstanceStatus::Current => format!("{number} current"),
        InstanceStatus::NeedsUpgrade => format!(
            "{number} {} an upgrade",
            if *number == 1 { "needs" } else { "need" }
        ),
        InstanceStatus::CannotUpgrade => format!("{number} cannot be upgraded"),
        InstanceStatus::UnknownType => format!("{number} of an unknown type"),
        InstanceStatus::Data => counted(*number, "data source", "data sources"),
    };
    let all: Vec<String> = counts.iter().map(words).collect();
    let total = counted(counts.values().sum::<usize>(), "instance", "instances");
    if all.is_empty() {
        format!("{total}.")
    } else {
        format!("{total}: {}.", all.join(", "))
    }
}

/// The origin of a version, with the version that it was made of and the job that made it. A
/// version that is not listed has its id alone.
pub(super) fn made_by(version: &Version, listed: &[Shown]) -> Markup {
    let source = version
        .rollback_of
        .as_ref()
        .or(version.upgraded_from.as_ref());
    let serial = |id: &VersionId| {
        listed
            .iter()
            .find(|one| one.version.id == *id)
            .map(|one| one.version.serial)
    };
    html! {
        @if let Some(origin) = origin(version) {
            span .tag { (origin) } " "
            @if let Some(id) = source {
                @if version.rollback_of.is_some() { "to " } @else { "of " }
                a href=(format!("/ui/state-versions/{id}")) { @if let Some(serial) = serial(id) { "serial " (serial) } @else { "an earlier version" } } " "
            }
        }
        @if let Some(job) = &version.job { a href=(format!("/ui/jobs/{job}")) { "by a job" } " " }
    }
}

/// The way back from an upgrade or a downgrade: to the version that it began with.
pub(super) fn undo(version: &Version) -> Markup {
    let undone = if version.downgraded_to.is_some() {
        "downgrade"
    } else {
        "upgrade"
    };
    html! {
        @if let Some(from) = &version.upgraded_from { a href=(format!("/ui/state-versions/{from}/rollback")) { "Undo the " (undone) "…" } }
    }
}

/// The origin of a version.
fn origin(version: &Version) -> Option<String> {
    match (
        &version.upgraded_from,
        &version.downgraded_to,
        &version.rollback_of,
    ) {
        (Some(_), Some(release), _) => Some(format!("downgrade to release {release}")),
        (Some(_), None, _) => Some("upgrade".to_owned()),
        (None, _, Some(_)) => Some("rollback".to_owned()),
        (None, _, None) => None,
    }
}

/// The contents of versions, by id.
type HeldTypes = HashMap<String, Arc<Known>>;

/// The instances and the size of the versions of a page, which are listed with the newest first.
fn measures(newest_first: &[&Version], held: &HeldTypes) -> [Measure; 2] {
    let oldest_first = || newest_first.iter().rev();
    let instances_of = |version: &Version| {
        let known = held
            .get(version.id.as_str())
            .filter(|known| known.unreadable.is_none())?;
        Some((
            version.serial,
            u64::try_from(instances(known)).unwrap_or(u64::MAX),
        ))
    };
    let size_of = |version: &Version| Some((version.serial, version.finalized.as_ref()?.size));
    [
        Measure {
            name: "Instances",
            numbers: oldest_first()
                .filter_map(|version| instances_of(version))
                .collect(),
            in_words: |number| counted(number, "instance", "instances"),
        },
        Measure {
            name: "Size",
            numbers: oldest_first()
                .filter_map(|version| size_of(version))
                .collect(),
            in_words: frame::size,
        },
    ]
}

/// The button for the two versions that are marked: those of the list, or of other pages of it.
fn comparison_form(
    workspace: &Workspace,
    elsewhere: &[(&str, &Version)],
    has_pages: bool,
) -> Markup {
    let path = format!("/ui/workspaces/{}", workspace.id);
    html! {
        form #compare method="get" action=(format!("{path}/comparison")) {
            @for (name, kept) in elsewhere {
                label .check { input type="radio" name=(name) value=(kept.id.as_str()) checked; (name) " serial " (kept.serial) }
            }
            button .quiet { "Compare the two that are marked" }
            @if has_pages { " " button .quiet formaction=(path) { "Keep the marks on the other pages" } }
        }
    }
}

/// The version with a mark that was kept on another page; nothing if the URL names none with a
/// state of this workspace.
async fn kept_mark(
    web: &Web,
    visitor: &Visitor,
    id: &WorkspaceId,
    version: Option<&str>,
) -> Result<Option<Version>, Refused> {
    let Some(version) = version else {
        return Ok(None);
    };
    let found = visitor.of_state(
        web.service
            .version(&visitor.principal, &VersionId::from_text(version))
            .await,
    )?;
    let found = found.ok().map(|one| one.version);
    Ok(found.filter(|version| version.workspace == *id && version.status == Status::Finalized))
}

/// The marks of a version: the two that are compared are those with one each.
fn marks(version: &Version, (new, old): (&VersionId, &VersionId)) -> Markup {
    let mark = |name: &str, is_marked: bool| {
        html! {
            label .check {
                input type="radio" form="compare" name=(name) value=(version.id.as_str()) checked[is_marked] aria-label=(format!("{name} serial {}", version.serial));
                (name)
            }
        }
    };
    html! { (mark("from", version.id == *old)) (mark("to", version.id == *new)) }
}

fn entry(
    now: Timestamp,
    workspace: &Workspace,
    (listed, index): (&[Shown], usize),
    held: &HeldTypes,
    may_write: bool,
    compared: Option<(&VersionId, &VersionId)>,
) -> Markup {
    let Some(one) = listed.get(index) else {
        return html! {};
    };
    let (version, older) = (&one.version, listed.get(index + 1));
    let known = held.get(version.id.as_str());
    let earlier = one
        .beside
        .previous
        .as_ref()
        .and_then(|previous| held.get(previous.as_str()));
    let path = format!("/ui/state-versions/{}", version.id);
    let is_current = workspace.head.as_ref() == Some(&version.id);
    let size = version.finalized.as_ref().map(|finalized| finalized.size);
    let before = older
        .and_then(|older| older.version.finalized.as_ref())
        .map(|finalized| finalized.size);
    html! {
        li {
            @match version.status {
                Status::Finalized => a href=(path) { "Serial " (version.serial) },
                Status::Pending | Status::Discarded => { "Serial " (version.serial) " " span .tag { (version.status.name()) } }
            }
            @if is_current { " " span .tag .good { "current" } }
            " " (made_by(version, listed))
            @if version.forced { " " span .tag .warn { "forced" } }
            div .soft {
                (ago(version.created_at, now)) " by " (shown(&version.creator.to_string()))
                @if let Some(size) = size {
                    ", " (frame::size(size))
                    @if let Some(before) = before { " (" (change(before, size)) ")" }
                }
                @if let Some(known) = known { ", " (counted(instances(known), "instance", "instances")) }
                @if let Some(run) = &version.run { ", run " (shown(run)) }
            }
            @if let Some((known, earlier)) = known.zip(earlier) {
                @let changes = differences(earlier, known);
                @if !changes.is_empty() { div .soft { (changes.join(", ")) } }
            }
            @if version.status == Status::Finalized {
                div {
                    @if let Some(compared) = compared { (marks(version, compared)) }
                    @if one.beside.previous.is_some() { a href=(format!("{path}/comparison")) { "What changed" } }
                    @if is_current { " " a href=(format!("{path}/plan")) { "Plan an upgrade" } }
                    @else if may_write { " " a href=(format!("{path}/rollback")) { "Roll back to it…" } }
                }
            }
        }
    }
}

/// The number of resource instances.
fn instances(known: &Known) -> usize {
    known
        .types
        .iter()
        .filter(|stored| stored.mode == Mode::Managed)
        .map(|stored| stored.instances)
        .sum()
}

/// The instances of each type by schema version.
fn by_type(known: &Known) -> BTreeMap<&str, BTreeMap<u64, usize>> {
    let mut types: BTreeMap<&str, BTreeMap<u64, usize>> = BTreeMap::new();
    for stored in known
        .types
        .iter()
        .filter(|stored| stored.mode == Mode::Managed)
    {
        *types
            .entry(&stored.type_name)
            .or_default()
            .entry(stored.version)
            .or_default() += stored.instances;
    }
    types
}

/// The numbers of added and removed instances by type, and the types with other schema versions;
/// the first few.
fn differences(before: &Known, after: &Known) -> Vec<String> {
    const FEW: usize = 6;
    let (before, after, none) = (by_type(before), by_type(after), BTreeMap::new());
    let names: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
    let mut all = Vec::new();
    for name in names {
        let (old, new) = (
            before.get(name).unwrap_or(&none),
            after.get(name).unwrap_or(&none),
        );
        let (was, is): (usize, usize) = (old.values().sum(), new.values().sum());
        if is > was {
            all.push(format!("+{} {}", is - was, shown(name)));
        } else if is < was {
            all.push(format!("−{} {}", was - is, shown(name)));
        }
        let list = |versions: &BTreeMap<u64, usize>| {
            versions
                .keys()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join(" and ")
        };
        if was > 0 && is > 0 && !old.keys().eq(new.keys()) {
            all.push(format!(
                "{} from version {} to {}",
                shown(name),
                list(old),
                list(new)
            ));
        }
    }
    if all.len() > FEW {
        let more = all.split_off(FEW).len();
        all.push(format!("{more} more changes"));
    }
    all
}

/// The change of a size.
fn change(before: u64, after: u64) -> String {
    if after >= before {
        format!("+{}", frame::size(after - before))
    } else {
        format!("−{}", frame::size(before - after))
    }
}

pub(super) async fn lock(
    State(web): Shared,
    Path(id): Path<WorkspaceId>,
    Sent { visitor, form }: Sent,
) -> Answer {
    let reason = form
        .filled("reason")
        .unwrap_or_default()
        .chars()
        .take(200)
        .collect();
    let request = LockRequest {
        reason,
        client: "the page in the browser".to_owned(),
        ..LockRequest::default()
    };
    visitor.reported(web.service.lock(&visitor.principal, &id, request).await)?;
    Ok(done(&format!("/ui/workspaces/{id}"), Notice::Locked))
}

pub(super) async fn unlock(
    State(web): Shared,
    Path(id): Path<WorkspaceId>,
    Sent { visitor, .. }: Sent,
) -> Answer {
    visitor.reported(web.service.unlock(&visitor.principal, &id, None).await)?;
    Ok(done(&format!("/ui/workspaces/{id}"), Notice::Unlocked))
}

pub(super) async fn ask_force_unlock(
    State(web): Shared,
    Path(id): Path<WorkspaceId>,
    visitor: Visitor,
) -> Answer {
    let snapshot = visitor.reported(
        web.service
            .allowed(&visitor.principal, &id, Permission::ForceUnlock)
            .await,
    )?;
    let workspace = &snapshot.workspace;
    let organization = visitor.reported(organization(&web, &workspace.organization).await)?;
    let body = html! {
        @if let Some(lock) = &workspace.lock {
            p .lead { (shown(&lock.holder.to_string())) " has held the lock for " (span(lock.at, web.service.now())) ". " (shown(&lock.reason)) }
            div .warn {
                p { "If you take it away:" }
                ul {
                    li { "A Terraform that still works under it cannot store its result. It writes it to " code { "errored.tfstate" } " on its machine; " code { "terraform state push errored.tfstate" } " brings it here." }
                    @if let Some(pending) = &snapshot.pending {
                        li { "The version with serial " (pending.serial) " waits for its state. It is discarded; a state that still comes is kept aside, in the quarantine." }
                    }
                    li { "The audit log says that you did it." }
                }
            }
            form method="post" {
                (proof(&visitor.session))
                button .danger { "Force-unlock " (shown(&workspace.name)) }
                " " a href=(format!("/ui/workspaces/{}", workspace.id)) { "Leave it locked" }
            }
        } @else { p .lead { "It is not locked." } }
    };
    Ok(page(
        &visitor,
        Above::Workspace(&organization, workspace),
        &format!("Force-unlock {}", shown(&workspace.name)),
        &body,
    ))
}

pub(super) async fn force_unlock(
    State(web): Shared,
    Path(id): Path<WorkspaceId>,
    Sent { visitor, .. }: Sent,
) -> Answer {
    visitor.reported(web.service.force_unlock(&visitor.principal, &id).await)?;
    Ok(done(&format!("/ui/workspaces/{id}"), Notice::Unlocked))
}
