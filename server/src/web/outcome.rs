//! The outcomes of jobs and plans, as lists of workspaces show them.

use maud::{Markup, html};

use super::frame::ago;
use crate::model::{ItemStatus, JobKind, LastOutcome, Timestamp};

/// The newest outcome of a job or a plan for the current version of a workspace, in a word or two,
/// with the time since then.
pub(super) fn last(outcome: &LastOutcome, now: Timestamp) -> Markup {
    let class = match outcome.status {
        ItemStatus::Failed => "tag bad",
        ItemStatus::Upgraded => "tag good",
        ItemStatus::Waiting | ItemStatus::Current => "tag",
    };
    let words = match (outcome.kind, outcome.status) {
        (JobKind::Plan, ItemStatus::Failed) => "would fail",
        (JobKind::Plan, ItemStatus::Upgraded) if outcome.release.is_some() => "can go back",
        (JobKind::Plan, ItemStatus::Upgraded) => "can be upgraded",
        (JobKind::Change, ItemStatus::Failed) => "failed",
        (JobKind::Change, ItemStatus::Upgraded) if outcome.undoes => "rolled back",
        (JobKind::Change, ItemStatus::Upgraded) if outcome.release.is_some() => "downgraded",
        (JobKind::Change, ItemStatus::Upgraded) => "upgraded",
        (JobKind::Plan | JobKind::Change, ItemStatus::Current) => "nothing to change",
        (JobKind::Plan | JobKind::Change, ItemStatus::Waiting) => "waiting",
    };
    html! { a href=(format!("/ui/jobs/{}", outcome.job)) { span class=(class) { (words) } } div .soft { (ago(outcome.at, now)) } }
}
