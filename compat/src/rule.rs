//! Rules.

use serde::Serialize;

use super::release::Semver;

/// The level of a finding.
///
/// The first three grade a change by what it does to users, the last three say whether the rules of
/// versions, history, deprecation and release were kept.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nobody has to do anything.
    Safe,
    /// Worth knowing.
    Info,
    /// May break somebody; the schemas alone cannot tell.
    Potential,
    /// A rule was bent.
    Warning,
    /// Somebody has to edit a configuration, or sees a plan they did not ask for.
    Breaking,
    /// A rule was broken.
    Error,
}

impl Level {
    /// Its name: `safe`, `info`, `potential`, `warning`, `breaking`, `error`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Info => "info",
            Self::Potential => "potential",
            Self::Warning => "warning",
            Self::Breaking => "breaking",
            Self::Error => "error",
        }
    }

    /// True if it says something about versions, history, deprecation or the release, rather than
    /// about a change.
    pub fn is_policy(self) -> bool {
        matches!(self, Self::Info | Self::Warning | Self::Error)
    }
}

/// An axis: the part of a user's work that a change affects.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// Does a configuration that was valid stop being so?
    Config,
    /// Does an unchanged configuration show a difference or a replacement?
    Plan,
    /// Does an expression that reads the attribute break?
    Reference,
    /// Can what the last release stored still be read, with the same meaning?
    State,
    /// Were the rules of versions, history, deprecation and release kept?
    Policy,
    /// Does a client of Kubernetes that asks for a version go on working?
    Clients,
}

impl Axis {
    /// Its name: `config`, `plan`, `reference`, `state`, `policy`, `clients`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Plan => "plan",
            Self::Reference => "reference",
            Self::State => "state",
            Self::Policy => "policy",
            Self::Clients => "clients",
        }
    }
}

/// True if a change needs a new schema version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Bump {
    /// If every change to what is stored does.
    pub strict: bool,
    /// If only what a decoder would refuse, or read differently, does.
    pub wire: bool,
}

impl Bump {
    pub(super) const NO: Self = Self {
        strict: false,
        wire: false,
    };
    pub(super) const YES: Self = Self {
        strict: true,
        wire: true,
    };
    pub(super) const STRICT: Self = Self {
        strict: true,
        wire: false,
    };
}

/// The sentences of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Words {
    /// The change that it finds, in a few words.
    pub title: &'static str,
    /// The importance of it.
    pub why: &'static str,
    /// The advice: what to do.
    pub fix: &'static str,
}

/// One rule of compatibility.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    pub(super) id: &'static str,
    pub(super) level: Level,
    pub(super) title: &'static str,
    pub(super) axes: &'static [Axis],
    pub(super) semver: Semver,
    pub(super) bump: Bump,
    pub(super) waivable: bool,
    pub(super) why: &'static str,
    pub(super) fix: &'static str,
}

impl Rule {
    /// Its name, the same in every release.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// The level of its findings, unless the circumstances make it better or worse.
    pub fn level(&self) -> Level {
        self.level
    }

    /// True if it asks for a new schema version.
    pub fn bump(&self) -> Bump {
        self.bump
    }

    /// The release it asks for, unless the circumstances say otherwise.
    pub fn semver(&self) -> Semver {
        self.semver
    }

    /// The axes that it affects.
    pub fn axes(&self) -> &'static [Axis] {
        self.axes
    }

    /// The change that it finds, in a few words.
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// The importance of it.
    pub fn why(&self) -> &'static str {
        self.why
    }

    /// The advice: what to do.
    pub fn fix(&self) -> &'static str {
        self.fix
    }

    /// True if a finding of it can be waived.
    pub const fn can_be_waived(&self) -> bool {
        self.waivable
    }

    /// True if it is asked for by name only.
    pub fn is_optional(&self) -> bool {
        self.id == "rename-guess"
    }
}
