//! The strictness of a comparison.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::finding::Waiver;
use super::release::Semver;
use super::rule::{Axis, Level, Rule};

/// The settings of a comparison: levels, and findings that it lets through.
///
/// ```
/// use upstate_compat::{Level, Options, StatePolicy};
///
/// let options = Options::default().state_policy(StatePolicy::Wire).allow("description-changed").fail_on(Level::Potential);
/// # let _ = options;
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Options {
    /// The axes that are compared.
    #[serde(default)]
    pub preset: Preset,
    /// When a new schema version is needed.
    #[serde(default, rename = "state-policy")]
    pub state: StatePolicy,
    /// The findings that make a comparison fail.
    #[serde(default, rename = "fail-on")]
    pub fails_on: FailOn,
    /// The kind of release that stricter validation needs; the default is major.
    pub validation_tightening: Option<Semver>,
    /// The time from a deprecation to the removal.
    #[serde(default)]
    pub deprecation: DeprecationWindow,
    /// Rules that are graded in another way, by name.
    #[serde(default)]
    pub rules: BTreeMap<String, RuleSetting>,
    /// The waivers.
    #[serde(default, rename = "waive")]
    pub waivers: Vec<Waiver>,
    /// The breaking changes that the upgrade guide has a note for, by fingerprint; nothing if that
    /// is not asked.
    #[serde(skip)]
    pub guide_notes: Option<Vec<String>>,
    /// The fingerprints of findings that were there when the rules were adopted, and are let
    /// through until they are settled.
    #[serde(skip)]
    pub known: Vec<String>,
}

/// The axes that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Everything.
    #[default]
    Strict,
    /// All but who reads the attributes elsewhere.
    Config,
    /// Only what is stored, and versions.
    State,
    /// The preset of a program that stores documents, which has no configurations: what is stored,
    /// and versions.
    Documents,
    /// The preset of an operator: that of documents, and Kubernetes' deprecation policy for the
    /// versions of custom resources.
    Kubernetes,
}

impl Preset {
    pub(super) fn looks_at(self, axis: Axis) -> bool {
        match self {
            Self::Strict => true,
            Self::Config => axis != Axis::Reference,
            Self::State | Self::Documents => matches!(axis, Axis::State | Axis::Policy),
            Self::Kubernetes => matches!(axis, Axis::State | Axis::Policy | Axis::Clients),
        }
    }
}

/// When a new schema version is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StatePolicy {
    /// At every change to the type, name or meaning of what is stored.
    #[default]
    Strict,
    /// Only if reading would fail, or lose or change something silently.
    Wire,
}

/// The least that makes a comparison fail. What the release number allows for does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// Broken rules of versions, history, deprecation and release.
    PolicyOnly,
    /// Those, and breaking changes.
    #[default]
    Breaking,
    /// Those, bent rules, and changes that may break.
    Potential,
    /// Any change at all.
    Safe,
}

/// The time from a deprecation to the removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DeprecationWindow {
    /// Minor releases at least; a new major counts as enough.
    #[serde(default = "one")]
    pub min_minor_releases: u64,
    /// Days at least between the release that deprecated it and the one that removes it, by the
    /// days in the lock; also for a new major.
    #[serde(default)]
    pub min_days: u64,
}

impl Default for DeprecationWindow {
    fn default() -> Self {
        Self {
            min_minor_releases: 1,
            min_days: 0,
        }
    }
}

fn one() -> u64 {
    1
}

/// The grade of a rule in place of its own: a level alone, or with the release it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RuleSetting {
    /// Only the level.
    Level(LevelSetting),
    /// Level and release.
    Full {
        /// The level.
        level: Option<LevelSetting>,
        /// The release.
        semver: Option<Semver>,
    },
}

/// A level, or none at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LevelSetting {
    /// Not reported.
    Allow,
    /// For rules that are reported only if asked for.
    On,
    /// As safe.
    Safe,
    /// As worth knowing.
    Info,
    /// As possibly breaking.
    Potential,
    /// As a bent rule.
    #[serde(alias = "warn")]
    Warning,
    /// As breaking.
    Breaking,
    /// As a broken rule.
    #[serde(alias = "deny")]
    Error,
}

impl LevelSetting {
    pub(super) fn level(self) -> Option<Level> {
        match self {
            Self::Allow | Self::On => None,
            Self::Safe => Some(Level::Safe),
            Self::Info => Some(Level::Info),
            Self::Potential => Some(Level::Potential),
            Self::Warning => Some(Level::Warning),
            Self::Breaking => Some(Level::Breaking),
            Self::Error => Some(Level::Error),
        }
    }
}

impl Options {
    /// Sets when a new schema version is needed.
    #[must_use]
    pub fn state_policy(mut self, policy: StatePolicy) -> Self {
        self.state = policy;
        self
    }

    /// Turns off the rule `id`.
    #[must_use]
    pub fn allow(mut self, id: impl Into<String>) -> Self {
        self.rules
            .insert(id.into(), RuleSetting::Level(LevelSetting::Allow));
        self
    }

    /// Sets the level at which findings fail.
    #[must_use]
    pub fn fail_on(mut self, level: Level) -> Self {
        self.fails_on = match level {
            Level::Error => FailOn::PolicyOnly,
            Level::Breaking => FailOn::Breaking,
            Level::Potential | Level::Warning => FailOn::Potential,
            Level::Safe | Level::Info => FailOn::Safe,
        };
        self
    }

    /// True if findings of `rule` are reported.
    pub fn includes(&self, rule: &Rule) -> bool {
        match self.level_of(rule.id()) {
            Some(LevelSetting::Allow) => false,
            None if rule.is_optional() => false,
            Some(_) => true,
            None => rule.axes().iter().any(|axis| self.preset.looks_at(*axis)),
        }
    }

    /// Names of rules that there are not.
    pub fn unknown_rules(&self) -> Vec<&str> {
        let waived = self
            .waivers
            .iter()
            .filter_map(|waiver| waiver.rule.as_deref());
        self.rules
            .keys()
            .map(String::as_str)
            .chain(waived)
            .filter(|id| Rule::find(id).is_none())
            .collect()
    }

    pub(super) fn level_of(&self, id: &str) -> Option<LevelSetting> {
        match self.rules.get(id)? {
            RuleSetting::Level(level) => Some(*level),
            RuleSetting::Full { level, .. } => *level,
        }
    }

    pub(super) fn semver_of(&self, id: &str) -> Option<Semver> {
        match self.rules.get(id)? {
            RuleSetting::Level(_) => None,
            RuleSetting::Full { semver, .. } => *semver,
        }
    }
}
