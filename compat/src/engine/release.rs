//! Release numbers and the upgrade guide.

use crate::finding::Finding;
use crate::options::Options;
use crate::release::{Release, Semver};
use crate::rule::Level;
use crate::rules as R;

/// True if the release number allows for what was found; what it allows for.
pub(super) fn judge(
    findings: &mut Vec<Finding>,
    old: Option<&Release>,
    new: Option<&Release>,
    required: Semver,
) -> Option<Semver> {
    let (old, new) = (old?, new?);
    if new < old {
        let mut finding = Finding::new(&R::RELEASE_VERSION_DECREASED, "", "");
        finding.was(old.to_string()).now(new.to_string());
        findings.push(finding);
        return None;
    }
    let undecided = new == old;
    // Without a new number, the smallest step is assumed.
    let actual = old.bump_to(new).unwrap_or(Semver::Patch);
    if actual < required && !findings.is_empty() {
        let mut finding = Finding::new(&R::RELEASE_BUMP_INSUFFICIENT, "", "");
        finding.now(format!(
            "{old} -> {new}, where {required} changes need {} at least",
            old.next(required)
        ));
        if undecided {
            finding.note("the release has no new number yet; the smallest step is assumed");
        }
        findings.push(finding);
    }
    Some(actual)
}

/// True if every breaking change has its note in the upgrade guide, if there is one.
pub(super) fn guide(
    findings: &mut Vec<Finding>,
    old: Option<&Release>,
    new: Option<&Release>,
    options: &Options,
) {
    let Some(notes) = &options.guide_notes else {
        return;
    };
    let is_major = old
        .zip(new)
        .is_some_and(|(old, new)| new.major() > old.major());
    let missing: Vec<Finding> = findings
        .iter()
        .filter(|finding| {
            finding.level == Level::Breaking
                && !finding.is_let_through()
                && !notes.contains(&finding.fingerprint)
        })
        .map(|about| {
            let mut finding = Finding::new(
                &R::UPGRADE_GUIDE_ENTRY_MISSING,
                &about.resource,
                &about.path,
            );
            finding.was(format!("{} {}", about.rule.id(), about.fingerprint));
            finding.level = if is_major {
                Level::Error
            } else {
                Level::Warning
            };
            finding
        })
        .collect();
    findings.extend(missing);
}
