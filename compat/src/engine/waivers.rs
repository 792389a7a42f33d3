//! Findings that are let through by agreement.

use crate::finding::{Finding, Waived, Waiver};
use crate::release::{Release, Semver};
use crate::rules as R;

/// The scope of a waiver.
enum WaiverStatus {
    Valid(Waived),
    Expired,
    Unreasoned,
}

fn status(waiver: &Waiver, now: Option<&Release>) -> WaiverStatus {
    let reason = waiver
        .reason
        .as_deref()
        .map(str::trim)
        .filter(|reason| !reason.is_empty());
    let until = waiver
        .until
        .as_deref()
        .and_then(|until| until.parse::<Release>().ok());
    match (reason, until) {
        (Some(_), Some(until)) if now.is_some_and(|now| now.reaches(&until)) => {
            WaiverStatus::Expired
        }
        (Some(reason), Some(until)) => WaiverStatus::Valid(Waived {
            reason: reason.to_owned(),
            until,
        }),
        _ => WaiverStatus::Unreasoned,
    }
}

/// Marks the findings that are let through: those that a waiver covers, and those that were known
/// before anything was judged. A major change counts as a minor one then, never as less.
pub(super) fn apply(
    findings: &mut [Finding],
    waivers: &[Waiver],
    known: &[String],
    now: Option<&Release>,
) {
    for waiver in waivers {
        let WaiverStatus::Valid(waived) = status(waiver, now) else {
            continue;
        };
        for finding in findings
            .iter_mut()
            .filter(|finding| finding.waivable() && waiver.covers(finding))
        {
            finding.waived = Some(waived.clone());
            finding.semver = finding.semver.min(Semver::Minor);
        }
    }
    for finding in findings
        .iter_mut()
        .filter(|finding| finding.waivable() && known.contains(&finding.fingerprint))
    {
        finding.known = true;
        finding.semver = finding.semver.min(Semver::Minor);
    }
}

/// Judges the waivers themselves, and lets through what was only found after the others.
pub(super) fn hygiene(
    findings: &mut Vec<Finding>,
    waivers: &[Waiver],
    known: &[String],
    now: Option<&Release>,
) {
    apply(findings, waivers, known, now);
    let mut more = Vec::new();
    for waiver in waivers {
        let rule = match status(waiver, now) {
            WaiverStatus::Expired => &R::SUPPRESSION_EXPIRED,
            WaiverStatus::Unreasoned => &R::SUPPRESSION_WITHOUT_REASON,
            WaiverStatus::Valid(_)
                if findings
                    .iter()
                    .any(|finding| finding.waived.is_some() && waiver.covers(finding)) =>
            {
                continue;
            }
            WaiverStatus::Valid(_) => &R::SUPPRESSION_UNUSED,
        };
        let mut finding = Finding::new(rule, "", "");
        finding.was(waiver.name());
        more.push(finding);
    }
    findings.append(&mut more);
}
