//! One case: two releases of a resource, and what is to be said about the step between them.

use std::collections::BTreeSet;

use serde::Deserialize;
use upstate_compat::{Options, ResourceSnapshot, Semver, Snapshot, StatePolicy, Waiver, compare};

#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) title: String,
    resource: String,
    old: Option<Side>,
    new: Side,
    #[serde(default)]
    options: Options,
    /// What the guide has notes for, where that is asked.
    #[serde(default)]
    guide_notes: Option<Vec<String>>,
    pub(crate) expect: Expect,
}

#[derive(Deserialize, Clone)]
struct Side {
    #[serde(default)]
    release: Option<String>,
    schema: Option<ResourceSnapshot>,
    #[serde(default)]
    renamed_to: Option<String>,
    #[serde(default)]
    waivers: Vec<Waiver>,
    #[serde(default)]
    unreleased: bool,
}

#[derive(Deserialize)]
pub(crate) struct Expect {
    pub(crate) rules: Vec<String>,
    semver: Semver,
    needs_version_bump: bool,
    needs_version_bump_wire: bool,
    needs_upgrader: bool,
    #[serde(default)]
    pub(crate) waived: Vec<String>,
    /// Levels of findings, where they are not the rule's own.
    #[serde(default)]
    levels: std::collections::BTreeMap<String, String>,
}

impl Case {
    fn snapshot(&self, side: &Side) -> Snapshot {
        let mut snapshot = Snapshot {
            unreleased: side.unreleased,
            ..Snapshot::default()
        };
        snapshot.release = side
            .release
            .as_deref()
            .map(|release| release.parse().unwrap());
        if let Some(schema) = &side.schema {
            snapshot
                .resources
                .insert(self.resource.clone(), schema.clone());
        }
        if let Some(to) = &side.renamed_to {
            snapshot.renamed.insert(self.resource.clone(), to.clone());
        }
        snapshot
    }

    pub(crate) fn old_snapshot(&self) -> Snapshot {
        self.old
            .as_ref()
            .map(|side| self.snapshot(side))
            .unwrap_or_default()
    }

    pub(crate) fn new_snapshot(&self) -> Snapshot {
        self.snapshot(&self.new)
    }

    pub(crate) fn options(&self) -> Options {
        let mut options = self.options.clone();
        options.waivers.extend(self.new.waivers.iter().cloned());
        options.guide_notes.clone_from(&self.guide_notes);
        options
    }

    pub(crate) fn expects(&self, rule: &str) -> bool {
        self.expect.rules.iter().any(|expected| expected == rule)
    }

    /// In what the judgement differs from what is expected, without the rules `off`.
    pub(crate) fn differences(&self, off: &[&str]) -> Vec<String> {
        let mut options = self.options();
        for rule in off {
            options = options.allow(*rule);
        }
        let report = compare(&self.old_snapshot(), &self.new_snapshot(), &options);
        let mut differences = Vec::new();
        let mut differ = |what: &str, found: String, expected: String| {
            if found != expected {
                differences.push(format!("{what}: found {found}, expected {expected}"));
            }
        };
        let rules: BTreeSet<&str> = report
            .findings
            .iter()
            .map(|finding| finding.rule.id())
            .collect();
        let expected: BTreeSet<&str> = self.expect.rules.iter().map(String::as_str).collect();
        differ("rules", format!("{rules:?}"), format!("{expected:?}"));
        differ(
            "semver",
            report.required_bump.to_string(),
            self.expect.semver.to_string(),
        );
        let verdict = report.resources.get(&self.resource);
        let strict = verdict.is_some_and(|verdict| verdict.bump.strict);
        let wire = verdict.is_some_and(|verdict| verdict.bump.wire);
        let upgrader = verdict.is_some_and(|verdict| verdict.upgrader);
        differ(
            "version bump",
            strict.to_string(),
            self.expect.needs_version_bump.to_string(),
        );
        differ(
            "version bump (wire)",
            wire.to_string(),
            self.expect.needs_version_bump_wire.to_string(),
        );
        differ(
            "upgrader",
            upgrader.to_string(),
            self.expect.needs_upgrader.to_string(),
        );
        let waived: BTreeSet<&str> = report
            .findings
            .iter()
            .filter(|finding| finding.waived.is_some())
            .map(|finding| finding.rule.id())
            .collect();
        let expected: BTreeSet<&str> = self.expect.waived.iter().map(String::as_str).collect();
        differ("waived", format!("{waived:?}"), format!("{expected:?}"));
        for (rule, level) in &self.expect.levels {
            let found: Vec<&str> = report
                .findings
                .iter()
                .filter(|f| f.rule.id() == rule)
                .map(|f| f.level.name())
                .collect();
            differ(rule, format!("{found:?}"), format!("{:?}", [level]));
        }
        // What the policy of reading asks for is the same question under another setting.
        let wire_options = options.state_policy(StatePolicy::Wire);
        let wire_report = compare(&self.old_snapshot(), &self.new_snapshot(), &wire_options);
        let not_bumped = wire_report
            .findings
            .iter()
            .any(|finding| finding.rule.id() == "schema-version-not-bumped");
        if not_bumped && !wire {
            differences
                .push("asks for a version under the wire policy that it does not need".to_owned());
        }
        differences
    }
}
