//! Removals that are announced: those that are due, and those that come next.

use super::deprecated;
use crate::finding::Finding;
use crate::release::{Release, Semver};
use crate::report::Planned;
use crate::rules as R;
use crate::snapshot::Snapshot;

/// Removals that are due: those that the new release missed, and those of the next release that may
/// break. Nothing is said before there is a new release.
pub(super) fn judge(old: &Snapshot, new: &Snapshot) -> (Vec<Finding>, Vec<Planned>) {
    let (mut findings, mut all) = (Vec::new(), Vec::new());
    let Some(now) = new
        .release
        .as_ref()
        .filter(|now| old.release.as_ref() != Some(now))
    else {
        return (findings, all);
    };
    let next = now.next(Semver::Major);
    let before = deprecated(old);
    for (resource, path, deprecated) in deprecated(new) {
        let Some(removal) = deprecated
            .removal
            .as_ref()
            .and_then(|text| text.parse::<Release>().ok())
        else {
            continue;
        };
        if now.reaches(&removal) {
            let mut finding = Finding::new(&R::DEPRECATION_OVERDUE, resource, &path);
            finding.note(format!("its removal was announced for {removal}"));
            findings.push(finding);
        } else if next.reaches(&removal) {
            // If this very release deprecates it, another finding says so.
            if before
                .iter()
                .any(|(of, at, _)| *of == resource && *at == path)
            {
                let mut finding = Finding::new(&R::REMOVAL_PLANNED, resource, &path);
                finding.now(removal.to_string());
                findings.push(finding);
            }
            let message = deprecated.message.clone();
            all.push(Planned {
                resource: resource.to_owned(),
                path,
                removal: removal.to_string(),
                message,
                why: None,
            });
        }
    }
    (findings, all)
}
