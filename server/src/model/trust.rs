//! Trust in the jobs of a CI system.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::{OrganizationId, Permissions, Place, Timestamp, TrustId};

/// The values of a claim that are taken: one, or with `*` all that fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

/// The longest pattern, in bytes.
const LONGEST: usize = 500;

impl Pattern {
    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True if it takes a value. A `*` takes any characters but `:`, which separates the parts of
    /// what CI systems sign.
    pub fn takes(&self, value: &str) -> bool {
        let mut parts = self.0.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = value.strip_prefix(first) else {
            return false;
        };
        let mut parts = parts.peekable();
        if parts.peek().is_none() {
            return rest.is_empty();
        }
        while let Some(part) = parts.next() {
            let is_last = parts.peek().is_none();
            let at = if is_last {
                rest.len()
                    .checked_sub(part.len())
                    .filter(|_| rest.ends_with(part))
            } else {
                rest.find(part)
            };
            let Some((skipped, after)) =
                at.and_then(|at| Some((rest.get(..at)?, rest.get(at + part.len()..)?)))
            else {
                return false;
            };
            if skipped.contains(':') {
                return false;
            }
            rest = after;
        }
        true
    }

    /// True if it takes nearly everything.
    pub fn is_open(&self) -> bool {
        self.0
            .bytes()
            .all(|byte| byte == b'*' || byte == b':' || byte == b'/')
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() || text.len() > LONGEST {
            return Err(format!("must have 1 to {LONGEST} characters"));
        }
        let mut before = None;
        for letter in text.chars() {
            // Otherwise `repo:acme*` would take the repositories of acme-evil, too.
            if letter == '*' && before.is_some_and(char::is_alphanumeric) {
                return Err(format!(
                    "has a * behind a letter or digit, found {text:?}; put it behind a separator such as /"
                ));
            }
            if letter == '*' && before == Some('*') {
                return Err(format!("has two * one after the other, found {text:?}"));
            }
            before = Some(letter);
        }
        Ok(Self(text.to_owned()))
    }
}

/// A rule by which jobs of a CI system get tokens for a part of an organization: their ID tokens
/// are of this issuer, for this audience, and their claims have these values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    /// Its id.
    pub id: TrustId,
    /// The organization's id.
    pub organization: OrganizationId,
    /// Its name, unique in the organization.
    pub name: String,
    /// The issuer of the ID tokens.
    pub issuer: String,
    /// For whom they are made.
    pub audience: String,
    /// The claims that they must have.
    pub claims: BTreeMap<String, Pattern>,
    /// The project or the workspace in which the tokens allow something.
    pub place: Place,
    /// The permissions there.
    pub permissions: Permissions,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Trust {
    /// The claims as stores keep them: an object of JSON.
    pub(crate) fn claims_text(&self) -> String {
        let claims = self
            .claims
            .iter()
            .map(|(name, pattern)| (name.clone(), serde_json::Value::from(pattern.as_str())));
        serde_json::Value::Object(claims.collect()).to_string()
    }

    /// The claims as a store has them.
    pub(crate) fn claims_of(text: &str) -> Result<BTreeMap<String, Pattern>, String> {
        let claims: BTreeMap<String, String> =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        claims
            .into_iter()
            .map(|(name, pattern)| Ok((name, pattern.parse()?)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(pattern: &str, value: &str) -> bool {
        pattern.parse::<Pattern>().expect("a pattern").takes(value)
    }

    #[test]
    fn a_pattern_takes_what_fits() {
        let main = "repo:acme/infra:ref:refs/heads/main";
        for pattern in [
            main,
            "repo:acme/*:ref:refs/heads/main",
            "repo:*:ref:refs/heads/main",
            "repo:acme/infra:ref:refs/*/*",
            "*:*:*:*",
        ] {
            assert!(takes(pattern, main), "{pattern}");
        }
        let refused = [
            (
                "repo:acme/infra:ref:refs/heads/main",
                "repo:acme/infra:ref:refs/heads/main2",
            ),
            (
                "repo:acme/infra:ref:refs/heads/main",
                "xrepo:acme/infra:ref:refs/heads/main",
            ),
            (
                "repo:acme/*:ref:refs/heads/main",
                "repo:acme-evil/x:ref:refs/heads/main",
            ),
            (
                "repo:acme/*:ref:refs/heads/main",
                "repo:acme/infra:environment:x:ref:refs/heads/main",
            ),
            (
                "repo:acme/*:ref:refs/heads/main",
                "repo:acme/infra:pull_request",
            ),
            ("repo:acme/infra:*", "repo:acme/infra:ref:refs/heads/main"),
            ("a-*-a", "a-a"),
            ("*", "a:b"),
            ("main", "Main"),
            ("main", ""),
        ];
        for (pattern, value) in refused {
            assert!(!takes(pattern, value), "{pattern} {value}");
        }
        assert!(takes("*", "") && takes("v-*", "v-") && takes("-*-*-", "---"));
    }

    #[test]
    fn a_pattern_that_reaches_too_far_is_refused() {
        for pattern in ["repo:acme*", "", "a/**", "é*", &"x".repeat(501)] {
            assert!(pattern.parse::<Pattern>().is_err(), "{pattern}");
        }
        assert!(
            "*".parse::<Pattern>()
                .is_ok_and(|pattern| pattern.is_open())
        );
        assert!(
            "acme/*"
                .parse::<Pattern>()
                .is_ok_and(|pattern| !pattern.is_open())
        );
    }
}
