//! The whole of what a comparison says.

use std::collections::BTreeMap;

use serde::Serialize;

use super::finding::{Finding, place_of};
use super::options::{FailOn, Options};
use super::release::{Release, Semver};
use super::rule::{Bump, Level};

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The release compared with.
    pub baseline: Option<Release>,
    /// The release compared.
    pub current: Option<Release>,
    /// The kind of release that the changes need; waived findings count as waived.
    pub required_bump: Semver,
    /// The kind of release that the number allows; `None` if one of the two releases has no number.
    pub actual_bump: Option<Semver>,
    /// True if nothing fails.
    pub ok: bool,
    /// The verdict on each resource that changed.
    pub resources: BTreeMap<String, ResourceVerdict>,
    /// The names of definitions, such as `boats.ferry.example.com`, of those that are custom
    /// resources of Kubernetes; by type name.
    pub definitions: BTreeMap<String, String>,
    /// The warnings of the baseline, by resource and path.
    pub warns: Vec<Warns>,
    /// The removals of the next release that may break, by resource and path.
    pub planned: Vec<Planned>,
    /// The findings, by resource, path and rule.
    pub findings: Vec<Finding>,
}

/// A removal that is announced for the next release that may break.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Planned {
    /// The resource's type name.
    pub resource: String,
    /// The path in it; empty if the whole resource goes.
    pub path: String,
    /// The release.
    pub removal: String,
    /// The message that users see until then.
    pub message: String,
    /// The reason for the removal, in the words of the guide's note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Planned {
    /// Resource and path as one string.
    pub fn place(&self) -> String {
        place_of(&self.resource, &self.path)
    }
}

/// Something that a release warns about when it is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Warns {
    /// The resource's type name.
    pub resource: String,
    /// The path in it; empty if it is about all of it.
    pub path: String,
    /// The message that users see.
    pub message: String,
}

impl Warns {
    /// Resource and path as one string.
    pub fn place(&self) -> String {
        place_of(&self.resource, &self.path)
    }
}

/// The verdict on a resource that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceVerdict {
    /// The schema version before.
    pub old_version: Option<u64>,
    /// The schema version now.
    pub new_version: Option<u64>,
    /// True if the schema version has to go up.
    pub bump: Bump,
    /// True if there has to be an upgrade from the version before.
    pub upgrader: bool,
}

impl Report {
    /// The number of findings with `level`, without those that are let through.
    pub fn count(&self, level: Level) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.level == level && !finding.is_let_through())
            .count()
    }

    /// The findings that make it fail.
    pub fn failures<'r>(
        &'r self,
        options: &Options,
    ) -> impl Iterator<Item = &'r Finding> + use<'r> {
        let fails_on = options.fails_on;
        self.findings
            .iter()
            .filter(move |finding| finding.fails(fails_on))
    }

    /// The least release that the findings allow; nothing if the baseline has no number.
    pub fn required_release(&self) -> Option<Release> {
        let baseline = self.baseline.as_ref()?;
        Some(if self.findings.is_empty() {
            baseline.clone()
        } else {
            baseline.next(self.required_bump)
        })
    }
}

impl Finding {
    /// True if a comparison with this finding fails.
    pub fn fails(&self, fail_on: FailOn) -> bool {
        if self.is_let_through() {
            return false;
        }
        match (self.level, fail_on) {
            (Level::Error, _)
            | (Level::Warning, FailOn::Potential)
            | (Level::Warning | Level::Safe, FailOn::Safe) => true,
            (Level::Breaking, FailOn::Breaking)
            | (Level::Breaking | Level::Potential, FailOn::Potential | FailOn::Safe) => {
                !self.permitted
            }
            (
                Level::Safe | Level::Info | Level::Potential | Level::Warning | Level::Breaking,
                _,
            ) => false,
        }
    }
}
