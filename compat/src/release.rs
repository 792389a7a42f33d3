//! Release numbers, and how far one is from another.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use semver::{BuildMetadata, Version};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A release number by the rules of Semantic Versioning: `1.4.0`, or `1.5.0-rc.1`, which comes
/// before `1.5.0`.
///
/// A leading `v` is kept and means nothing, a missing last number is zero, and build metadata
/// (`+…`) is dropped: it has no place in the order of releases.
///
/// ```
/// use upstate_compat::{Release, Semver};
///
/// let old: Release = "1.4.0".parse()?;
/// assert_eq!(old.bump_to(&"1.5.0-rc.1".parse()?), Some(Semver::Minor));
/// assert!("1.5.0-rc.1".parse::<Release>()? < "1.5.0".parse()?);
/// // Below 1.0.0 a minor release may break what a major one may later.
/// let early: Release = "0.4.0".parse()?;
/// assert_eq!(early.bump_to(&"0.5.0".parse()?), Some(Semver::Major));
/// let tagged: Release = "v1.4.0".parse()?;
/// assert_eq!((tagged.to_string().as_str(), &tagged), ("v1.4.0", &old));
/// # Ok::<(), upstate_compat::ReleaseError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Release {
    number: Version,
    /// True if its author writes a `v` before it. Two that differ in nothing else are one release.
    has_v: bool,
}

impl PartialEq for Release {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Release {}

impl PartialOrd for Release {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Release {
    fn cmp(&self, other: &Self) -> Ordering {
        self.number.cmp(&other.number)
    }
}

impl Hash for Release {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

/// The change that a release may make.
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

/// A string that is not a release number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseError(String);

upstate::__error! {
    ReleaseError |self|
    "{:?} is not a release number such as 1.4.0 or 1.4.0-rc.1", self.0
}

/// A release number without the `v` before it.
fn number_of(text: &str) -> &str {
    text.strip_prefix('v').unwrap_or(text)
}

impl FromStr for Release {
    type Err = ReleaseError;

    fn from_str(text: &str) -> Result<Self, ReleaseError> {
        let number = number_of(text);
        let core = number.find(['-', '+']).unwrap_or(number.len());
        let parsed = match number.split_at_checked(core) {
            Some((core, rest)) if core.matches('.').count() == 1 => {
                Version::parse(&format!("{core}.0{rest}"))
            }
            _ => Version::parse(number),
        };
        let release = parsed.map(|number| Self {
            has_v: number_of(text) != text,
            ..Self::from(number)
        });
        release.map_err(|_| ReleaseError(text.chars().take(40).collect()))
    }
}

impl From<Version> for Release {
    fn from(version: Version) -> Self {
        Self {
            number: Version {
                build: BuildMetadata::EMPTY,
                ..version
            },
            has_v: false,
        }
    }
}

impl Release {
    /// The number as the crate `semver` has it.
    pub fn version(&self) -> &Version {
        &self.number
    }

    /// The change that `next` may make when this is the release before it; nothing if `next` is not
    /// later.
    ///
    /// A pre-release may change, against a pre-release of the same number, what the release that it
    /// leads up to may change.
    pub fn bump_to(&self, next: &Self) -> Option<Semver> {
        if next <= self {
            return None;
        }
        let (old, new) = (&self.number, &next.number);
        // Each leading zero moves the meaning of the numbers one place to the right, so from 0.2 to
        // 0.3 is a major bump.
        let bump = match (old.major, old.minor) {
            _ if new.major != old.major => Semver::Major,
            (0, 0) => Semver::Major,
            (0, _) if new.minor != old.minor => Semver::Major,
            (0, _) => Semver::Minor,
            _ if new.minor != old.minor => Semver::Minor,
            _ => Semver::Patch,
        };
        Some(bump.max(self.announces().unwrap_or(Semver::Patch)))
    }

    /// The change that the release behind a pre-release may make; nothing if this is not a
    /// pre-release.
    fn announces(&self) -> Option<Semver> {
        let Version {
            major,
            minor,
            patch,
            pre,
            ..
        } = &self.number;
        if pre.is_empty() {
            return None;
        }
        Some(match (major, minor, patch) {
            (0, 0, _) | (_, 0, 0) | (0, _, 0) => Semver::Major,
            (0, _, _) | (_, _, 0) => Semver::Minor,
            _ => Semver::Patch,
        })
    }

    /// The next release that may change as much as `semver` says.
    #[must_use]
    pub fn next(&self, semver: Semver) -> Self {
        if self
            .announces()
            .is_some_and(|announced| announced >= semver)
        {
            return self.finished();
        }
        let Version {
            major,
            minor,
            patch,
            ..
        } = self.number;
        self.with(match (semver, major, minor) {
            (_, 0, 0) | (Semver::Patch, _, _) | (Semver::Minor, 0, _) => {
                Version::new(major, minor, patch.saturating_add(1))
            }
            (Semver::Minor, _, _) | (Semver::Major, 0, _) => {
                Version::new(major, minor.saturating_add(1), 0)
            }
            (Semver::Major, _, _) => Version::new(major.saturating_add(1), 0, 0),
        })
    }

    /// The release that a pre-release leads up to; itself if it is not one.
    fn finished(&self) -> Self {
        self.with(Version::new(
            self.number.major,
            self.number.minor,
            self.number.patch,
        ))
    }

    /// Another number, written as this one is.
    fn with(&self, number: Version) -> Self {
        Self {
            number,
            has_v: self.has_v,
        }
    }

    /// True if what is announced for `other` is due in this release. A pre-release of 2.0.0 already
    /// does what 2.0.0 is to do.
    pub fn reaches(&self, other: &Self) -> bool {
        if other.number.pre.is_empty() {
            self.finished() >= *other
        } else {
            self >= other
        }
    }

    /// The number of minor releases from this one to `later`, as far as the numbers tell: a new
    /// major counts as enough.
    pub(super) fn minors_until(&self, later: &Self) -> u64 {
        let (now, later) = (&self.number, &later.number);
        if later.major > now.major {
            u64::MAX
        } else {
            later.minor.saturating_sub(now.minor)
        }
    }

    /// The first number.
    pub fn major(&self) -> u64 {
        self.number.major
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_v {
            write!(f, "v{}", self.number)
        } else {
            self.number.fmt(f)
        }
    }
}

impl Serialize for Release {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Release {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bump(from: &str, to: &str) -> Option<Semver> {
        from.parse::<Release>()
            .unwrap()
            .bump_to(&to.parse().unwrap())
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
    fn the_next_release_allows_what_it_includes() {
        let from = [
            "1.4.2",
            "0.4.2",
            "0.0.4",
            "2.0.0-rc.1",
            "1.5.0-rc.1",
            "1.4.3-rc.1",
            "0.5.0-rc.1",
            "0.4.1-rc.1",
            "0.0.1-rc.1",
        ];
        for from in from {
            let from: Release = from.parse().unwrap();
            for semver in [Semver::Patch, Semver::Minor, Semver::Major] {
                assert!(
                    from.bump_to(&from.next(semver)) >= Some(semver),
                    "{from} {semver}"
                );
            }
        }
    }

    #[test]
    fn a_pre_release_is_before_its_release() {
        let order = [
            "1.3.9",
            "1.4.0-alpha",
            "1.4.0-rc.1",
            "1.4.0-rc.2",
            "1.4.0-rc.10",
            "1.4.0",
            "1.4.1-rc.1",
        ];
        let order: Vec<Release> = order.iter().map(|text| text.parse().unwrap()).collect();
        assert!(order.is_sorted_by(|a, b| a < b), "{order:?}");
        // Build metadata must not change the order.
        assert_eq!(
            "1.4.0+a".parse::<Release>().unwrap(),
            "1.4.0+b".parse().unwrap()
        );
    }

    #[test]
    fn a_pre_release_may_change_what_its_release_may() {
        assert_eq!(bump("1.4.0", "2.0.0-rc.1"), Some(Semver::Major));
        assert_eq!(bump("2.0.0-rc.1", "2.0.0-rc.2"), Some(Semver::Major));
        assert_eq!(bump("2.0.0-rc.1", "2.0.0"), Some(Semver::Major));
        assert_eq!(bump("1.5.0-rc.1", "1.5.0"), Some(Semver::Minor));
        assert_eq!(bump("1.5.0-rc.1", "1.5.1"), Some(Semver::Minor));
        assert_eq!(bump("1.5.1-rc.1", "1.5.1"), Some(Semver::Patch));
        assert_eq!(bump("0.5.0-rc.1", "0.5.0"), Some(Semver::Major));
        assert_eq!(bump("0.5.1-rc.1", "0.5.1"), Some(Semver::Minor));
        assert_eq!(bump("1.5.0", "1.5.0-rc.1"), None);
        assert_eq!(bump("1.5.0-rc.2", "1.5.0-rc.1"), None);
    }

    #[test]
    fn what_is_announced_for_a_release_is_due_in_its_pre_releases() {
        let reaches = |now: &str, due: &str| {
            now.parse::<Release>()
                .unwrap()
                .reaches(&due.parse().unwrap())
        };
        assert!(reaches("2.0.0-rc.1", "2.0.0"));
        assert!(reaches("2.0.0-rc.2", "2.0.0-rc.2"));
        assert!(!reaches("2.0.0-rc.1", "2.0.0-rc.2"));
        assert!(!reaches("1.9.0", "2.0.0-rc.1"));
        assert!(reaches("2.0.0", "2.0.0-rc.1"));
    }

    #[test]
    fn what_is_not_a_release_number_is_refused() {
        for text in [
            "",
            "1",
            "one.two",
            "1.2.3.4",
            "1..2",
            "-1.0.0",
            "1.2.3-",
            "01.2.3",
            "1.2.3-rc.01",
        ] {
            assert!(text.parse::<Release>().is_err(), "{text}");
        }
        let tagged: Release = "v1.2".parse().unwrap();
        assert_eq!(
            [&tagged, &tagged.next(Semver::Major)].map(ToString::to_string),
            ["v1.2.0", "v2.0.0"]
        );
        assert_eq!(tagged, "1.2.0".parse().unwrap());
        assert_eq!(
            "1.2-rc.1+build.7".parse::<Release>().unwrap().to_string(),
            "1.2.0-rc.1"
        );
    }
}
