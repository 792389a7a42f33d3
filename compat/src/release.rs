//! Release numbers, and how far one is from another.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A release number: `1.4.0`. What follows a `-` or `+` does not count.
///
/// ```
/// use upstate_compat::{Release, Semver};
///
/// let old: Release = "1.4.0".parse()?;
/// assert_eq!(old.bump_to("1.5.0-rc.1".parse()?), Some(Semver::Minor));
/// // Below 1.0.0 a minor release may break what a major one may later.
/// let early: Release = "0.4.0".parse()?;
/// assert_eq!(early.bump_to("0.5.0".parse()?), Some(Semver::Major));
/// # Ok::<(), upstate_compat::ReleaseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    major: u64,
    minor: u64,
    patch: u64,
}

/// How much a release may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Semver {
    /// Fixes only.
    Patch,
    /// Additions.
    Minor,
    /// Anything.
    Major,
}

impl Semver {
    /// Its name: `patch`, `minor` or `major`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }
}

impl fmt::Display for Semver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that is no release number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseError(String);

impl fmt::Display for ReleaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a release number such as 1.4.0", self.0)
    }
}

impl std::error::Error for ReleaseError {}

impl FromStr for Release {
    type Err = ReleaseError;

    fn from_str(text: &str) -> Result<Self, ReleaseError> {
        let refused = || ReleaseError(text.chars().take(40).collect());
        let number = text.strip_prefix('v').unwrap_or(text);
        let number = number.split(['-', '+']).next().unwrap_or(number);
        let mut parts = number.split('.').map(|part| part.parse::<u64>().map_err(|_| refused()));
        let mut next = |needed: bool| match parts.next() {
            Some(part) => part,
            None if needed => Err(refused()),
            None => Ok(0),
        };
        let release = Self { major: next(true)?, minor: next(true)?, patch: next(false)? };
        if parts.next().is_some() { Err(refused()) } else { Ok(release) }
    }
}

impl Release {
    /// What a step from this release to `next` may change; nothing if `next` is not later.
    pub fn bump_to(self, next: Self) -> Option<Semver> {
        if next <= self {
            return None;
        }
        // Each leading zero moves the meaning of the numbers one place to the right.
        Some(match (self.major, self.minor) {
            _ if next.major != self.major => Semver::Major,
            (0, 0) => Semver::Major,
            (0, _) if next.minor != self.minor => Semver::Major,
            (0, _) => Semver::Minor,
            _ if next.minor != self.minor => Semver::Minor,
            _ => Semver::Patch,
        })
    }

    /// The next release that may change as much as `semver` says.
    #[must_use]
    pub fn next(self, semver: Semver) -> Self {
        let Self { major, minor, patch } = self;
        match (semver, major, minor) {
            (_, 0, 0) | (Semver::Patch, _, _) | (Semver::Minor, 0, _) => Self { major, minor, patch: patch.saturating_add(1) },
            (Semver::Minor, _, _) | (Semver::Major, 0, _) => Self { major, minor: minor.saturating_add(1), patch: 0 },
            (Semver::Major, _, _) => Self { major: major.saturating_add(1), minor: 0, patch: 0 },
        }
    }

    /// How many minor releases lie between this one and `later`, as far as the numbers tell: a new major counts as enough.
    pub(super) fn minors_until(self, later: Self) -> u64 {
        if later.major > self.major { u64::MAX } else { later.minor.saturating_sub(self.minor) }
    }

    /// The first number.
    pub fn major(self) -> u64 {
        self.major
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl Serialize for Release {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Release {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bump(from: &str, to: &str) -> Option<Semver> {
        from.parse::<Release>().unwrap().bump_to(to.parse().unwrap())
    }

    #[test]
    fn leading_zeros_shift_what_a_number_means() {
        assert_eq!(bump("1.4.0", "2.0.0"), Some(Semver::Major));
        assert_eq!(bump("1.4.0", "1.5.0"), Some(Semver::Minor));
        assert_eq!(bump("1.4.0", "1.4.1+build.7"), Some(Semver::Patch));
        assert_eq!(bump("0.4.0", "0.5.0"), Some(Semver::Major));
        assert_eq!(bump("0.4.0", "0.4.1"), Some(Semver::Minor));
        assert_eq!(bump("0.0.4", "0.0.5"), Some(Semver::Major));
        assert_eq!(bump("0.9.0", "1.0.0"), Some(Semver::Major));
        assert_eq!(bump("1.4.0", "1.4.0"), None);
        assert_eq!(bump("1.4.0", "1.3.9"), None);
    }

    #[test]
    fn the_next_release_allows_what_it_is_asked_for() {
        for from in ["1.4.2", "0.4.2", "0.0.4"] {
            let from: Release = from.parse().unwrap();
            for semver in [Semver::Patch, Semver::Minor, Semver::Major] {
                assert!(from.bump_to(from.next(semver)) >= Some(semver), "{from} {semver}");
            }
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "1", "one.two", "1.2.3.4", "1..2", "-1.0.0"] {
            assert!(text.parse::<Release>().is_err(), "{text}");
        }
        assert_eq!("v1.2".parse::<Release>().unwrap().to_string(), "1.2.0");
    }
}
