//! The versions of a workspace as a picture: a mark for each, by what made it, an arc from each
//! rollback to the version that it restored, and a bar below those of one job.

use std::collections::HashMap;

use maud::{Markup, html};

use super::frame::{exactly, shown};
use crate::model::{JobId, Status, Version, VersionId};

/// The width of a version.
const STEP: usize = 32;
/// The height of what is below the line that the marks are on.
const BELOW: usize = 44;
/// The greatest height of an arc.
const HIGHEST: usize = 48;
/// The distance from a mark's middle to its edges.
const HALF: usize = 7;

/// The origin of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Applied,
    Upgraded,
    Downgraded,
    RolledBack,
    /// It has no state, so that nothing leads to it.
    WithoutState,
}

impl Origin {
    const ALL: [Self; 5] = [
        Self::Applied,
        Self::Upgraded,
        Self::Downgraded,
        Self::RolledBack,
        Self::WithoutState,
    ];

    const fn of(version: &Version) -> Self {
        match (
            version.status,
            &version.upgraded_from,
            &version.downgraded_to,
            &version.rollback_of,
        ) {
            (Status::Pending | Status::Discarded, ..) => Self::WithoutState,
            (Status::Finalized, Some(_), Some(_), _) => Self::Downgraded,
            (Status::Finalized, Some(_), None, _) => Self::Upgraded,
            (Status::Finalized, None, _, Some(_)) => Self::RolledBack,
            (Status::Finalized, None, _, None) => Self::Applied,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Applied => "stored by Terraform",
            Self::Upgraded => "upgrade",
            Self::Downgraded => "downgrade",
            Self::RolledBack => "rollback",
            Self::WithoutState => "without a state",
        }
    }

    const fn class(self) -> &'static str {
        match self {
            Self::Applied => "fill-plain",
            Self::Upgraded => "fill-good",
            Self::Downgraded | Self::RolledBack => "fill-warn",
            Self::WithoutState => "fill-faint",
        }
    }

    /// A shape for each, for who does not see colors.
    fn shape(self, x: usize, y: usize) -> String {
        let (left, top, bottom) = (x - HALF, y - HALF, y + HALF);
        match self {
            Self::Applied => format!("M{left} {y}a7 7 0 1 0 14 0a7 7 0 1 0 -14 0z"),
            Self::Upgraded => format!("M{left} {bottom}h14l-7 -14z"),
            Self::Downgraded => format!("M{left} {top}h14l-7 14z"),
            Self::RolledBack => format!("M{x} {top}l7 7l-7 7l-7 -7z"),
            Self::WithoutState => format!("M{} {}h6v6h-6z", x - 3, y - 3),
        }
    }
}

/// The versions that one job made one after the other: from which place to which.
fn runs_of_jobs<'v>(versions: &[&'v Version]) -> Vec<(&'v JobId, usize, usize)> {
    let mut runs: Vec<(&JobId, usize, usize)> = Vec::new();
    for (place, version) in versions.iter().enumerate() {
        let Some(job) = &version.job else { continue };
        match runs.last_mut() {
            Some((last, _, end)) if *last == job && *end + 1 == place => *end = place,
            Some(_) | None => runs.push((job, place, place)),
        }
    }
    runs
}

/// The picture of the versions of a page, which are listed with the newest first.
pub(super) fn timeline(newest_first: &[&Version], head: Option<&VersionId>) -> Markup {
    let versions: Vec<&Version> = newest_first.iter().rev().copied().collect();
    if versions.len() < 2 {
        return html! {};
    }
    let places: HashMap<&str, usize> = versions
        .iter()
        .enumerate()
        .map(|(place, one)| (one.id.as_str(), place))
        .collect();
    let middle = |place: usize| place * STEP + STEP / 2;
    let arcs = versions.iter().enumerate().filter_map(|(place, one)| {
        let source = one.rollback_of.as_ref()?;
        Some((*places.get(source.as_str())?, place, *one))
    });
    let arcs: Vec<(usize, usize, &Version)> = arcs.collect();
    // The further, the higher, so that arcs inside of others stay apart.
    let rise = |from: usize, to: usize| (8 + (to - from) * 6).min(HIGHEST);
    let line = 16
        + arcs
            .iter()
            .map(|(from, to, _)| rise(*from, *to))
            .max()
            .unwrap_or_default();
    let (width, height) = (versions.len() * STEP, line + BELOW);
    let there: Vec<Origin> = Origin::ALL
        .into_iter()
        .filter(|one| versions.iter().any(|version| Origin::of(version) == *one))
        .collect();
    html! {
        figure .versions {
            div .scroll tabindex="0" role="group" aria-label="The versions as a picture" {
                svg viewBox=(format!("0 0 {width} {height}")) width=(width) height=(height) role="group" aria-label="Versions, the oldest on the left" {
                    path .line d=(format!("M0 {line}H{width}")) {}
                    @for (from, to, one) in arcs {
                        @let top = line - HALF - rise(from, to);
                        path .arc d=(format!("M{} {}C{} {top} {} {top} {} {}", middle(to), line - HALF, middle(to), middle(from), middle(from), line - HALF)) {
                            title { "Serial " (one.serial) " restored serial " (versions.get(from).map_or(0, |source| source.serial)) }
                        }
                    }
                    @for (job, from, to) in runs_of_jobs(&versions) {
                        a href=(format!("/ui/jobs/{job}")) aria-label=(format!("The job that made {}", serials(&versions, from, to))) {
                            rect .job x=(from * STEP + 4) y=(line + 12) width=((to - from + 1) * STEP - 8) height="24" rx="4" {}
                            text x=(usize::midpoint(middle(from), middle(to))) y=(line + 28) text-anchor="middle" { "job" }
                        }
                    }
                    @for (place, one) in versions.iter().enumerate() { (mark(one, (middle(place), line), head == Some(&one.id))) }
                }
            }
            figcaption {
                @for origin in &there {
                    span .key { svg viewBox="0 0 14 14" aria-hidden="true" { path .(origin.class()) d=(origin.shape(HALF, HALF)) {} } (origin.name()) }
                }
            }
        }
    }
}

fn serials(versions: &[&Version], from: usize, to: usize) -> String {
    let serial = |place: usize| versions.get(place).map_or(0, |one| one.serial);
    if from == to {
        format!("serial {}", serial(from))
    } else {
        format!("serials {} to {}", serial(from), serial(to))
    }
}

fn mark(one: &Version, (x, line): (usize, usize), is_current: bool) -> Markup {
    let origin = Origin::of(one);
    let mut words = format!("Serial {}, {}", one.serial, origin.name());
    if let Some(release) = &one.downgraded_to {
        words = format!("{words} to release {}", shown(release));
    }
    if one.forced {
        words.push_str(", forced");
    }
    if is_current {
        words.push_str(", current");
    }
    let words = format!("{words}, {}", exactly(one.created_at));
    let drawn = html! {
        @if is_current { circle .current cx=(x) cy=(line) r="12" {} }
        path .(origin.class()) d=(origin.shape(x, line)) { title { (words) } }
        @if one.forced { path .forced d=(format!("M{} {}l14 14m0 -14l-14 14", x - HALF, line - HALF)) {} }
    };
    html! {
        @match origin {
            Origin::WithoutState => g role="img" aria-label=(words) { (drawn) },
            Origin::Applied | Origin::Upgraded | Origin::Downgraded | Origin::RolledBack => {
                a href=(format!("/ui/state-versions/{}", one.id)) aria-label=(words) { (drawn) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Backing, Holder, HolderKind, Timestamp, WorkspaceId};

    fn version(serial: i64) -> Version {
        Version {
            id: VersionId::from_text(format!("sv-{serial}")),
            workspace: WorkspaceId::from_text("ws-1"),
            seq: serial,
            serial,
            lineage: String::new(),
            md5: String::new(),
            status: Status::Finalized,
            backing: Backing::Available,
            has_json_state: false,
            finalized: None,
            forced: false,
            creator: Holder {
                kind: HolderKind::User,
                id: "user-1".to_owned(),
                name: "ann".to_owned(),
                lock_id: None,
            },
            created_at: Timestamp::from_millis(0),
            run: None,
            rollback_of: None,
            upgraded_from: None,
            downgraded_to: None,
            job: None,
        }
    }

    #[test]
    fn a_rollback_has_an_arc_to_its_source_and_a_job_one_bar() {
        let (one, two) = (
            version(1),
            Version {
                upgraded_from: Some(VersionId::from_text("sv-1")),
                ..version(2)
            },
        );
        let job = |of: Version| Version {
            job: Some(JobId::from_text("job-7")),
            ..of
        };
        let (two, three) = (job(two), job(version(3)));
        let four = Version {
            rollback_of: Some(VersionId::from_text("sv-1")),
            forced: true,
            ..version(4)
        };
        let drawn = timeline(&[&four, &three, &two, &one], Some(&four.id)).into_string();
        assert!(drawn.contains("Serial 4 restored serial 1"), "{drawn}");
        assert!(drawn.contains("M112 35C112 9 16 9 16 35"), "{drawn}");
        assert_eq!(drawn.matches("/ui/jobs/job-7").count(), 1, "{drawn}");
        assert!(
            drawn.contains("The job that made serials 2 to 3"),
            "{drawn}"
        );
        assert!(
            drawn.contains("Serial 2, upgrade, 1970-01-01")
                && drawn.contains("Serial 4, rollback, forced, current"),
            "{drawn}"
        );
        assert_eq!(drawn.matches("class=\"current\"").count(), 1, "{drawn}");
        // The source is on another page: no arc leads out of the picture.
        let drawn = timeline(&[&four, &three], Some(&four.id)).into_string();
        assert!(!drawn.contains("class=\"arc\""), "{drawn}");
        assert_eq!(timeline(&[&one], None).into_string(), "");
    }
}
