//! The rules for data sources, functions, configurations and the like: nothing of them is stored
//! under a schema version.

use super::Context;
use crate::release::Semver;
use crate::rule::{Bump, Level};
use crate::rules as R;

/// Leaves out what is about stored state, and grades the rest by those who can be affected.
pub(super) fn grade(cx: &mut Context<'_>) {
    let kind = cx.kind;
    cx.findings.retain_mut(|finding| {
        finding.axes.retain(|axis| kind.has(*axis));
        finding.bump = Bump::NO;
        let rule = finding.rule;
        if *rule == R::SENSITIVE_ADDED && !kind.is_read() {
            // No expression shows it.
            finding.graded(Level::Safe, Semver::Patch);
        }
        if *rule == R::ATTRIBUTE_COMPUTED_ADDED {
            // There is no object whose value a configuration cleared.
            finding.graded(Level::Safe, Semver::Minor);
        }
        !finding.axes.is_empty()
    });
}
