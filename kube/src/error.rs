//! Mistakes in a custom resource, in words for its author.

use std::fmt;

use crate::facts::{Facts, Version};

/// A custom resource that Kubernetes would not take, or that would lose values there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrdError {
    kind: &'static str,
    version: Option<&'static str>,
    message: String,
    help: String,
}

impl CrdError {
    pub(crate) fn new(facts: &Facts, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            kind: facts.rust_name,
            version: None,
            message: message.into(),
            help: help.into(),
        }
    }

    pub(crate) fn of_version(
        facts: &Facts,
        version: &Version,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            version: Some(version.name),
            ..Self::new(facts, message, help)
        }
    }

    pub(crate) fn not_structural(facts: &Facts, version: &Version, path: &str, why: &str) -> Self {
        Self::of_version(
            facts,
            version,
            format!("a structural schema cannot describe `{path}`: {why}"),
            "change the type, or store the field as any JSON with `#[attribute(json)]`",
        )
    }

    pub(crate) fn untried(facts: &Facts, version: &Version, path: &str, reason: &str) -> Self {
        Self::of_version(
            facts,
            version,
            format!(
                "nothing shows whether `{path}` may be absent: no sample of the version is taken ({reason})"
            ),
            "make the field an `Option`, or let its type read one of the common forms of strings and numbers; if an operator takes some values alone, write them before the type: `#[kube(one_of(\"a\", \"b\"))]`",
        )
    }
}

impl fmt::Display for CrdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        if let Some(version) = self.version {
            write!(f, ", version {version}")?;
        }
        write!(f, ": {}\nhelp: {}", self.message, self.help)
    }
}

impl std::error::Error for CrdError {}
