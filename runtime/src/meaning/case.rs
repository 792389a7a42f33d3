//! Strings that are compared without case.

use std::cell::Cell;
use std::cmp::Ordering;
use std::convert::Infallible;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

thread_local! {
    static COMPARED: Cell<Compared> = const { Cell::new(Compared::Not) };
}

/// The purpose for which strings without case are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compared {
    /// To be read.
    Not,
    /// To be compared; there was none yet.
    None,
    /// To be compared, and there was one.
    Some,
}

/// Runs `write`, in which every string that is compared without case writes itself in lower case,
/// so that what is written can be compared. Says whether there was one.
#[doc(hidden)]
pub fn compared<T>(write: impl FnOnce() -> T) -> (T, bool) {
    /// Puts back what was there, also after a panic.
    struct Before(Compared);

    impl Drop for Before {
        fn drop(&mut self) {
            COMPARED.set(self.0);
        }
    }

    let _before = Before(COMPARED.replace(Compared::None));
    let written = write();
    (written, COMPARED.get() == Compared::Some)
}

/// A string in which upper and lower case mean the same. It holds the letters as they are, and is
/// compared without case.
///
/// ```
/// use upstate::meaning::IgnoreCase;
///
/// let protocol = IgnoreCase::new("TCP");
/// assert_eq!(protocol.as_str(), "TCP");
/// assert_eq!(protocol, IgnoreCase::new("tcp"));
/// assert!(protocol == *"Tcp");
/// ```
///
/// `(?i)` is for a check without case, of the letters of ASCII:
///
/// ```
/// use upstate::Resource;
/// use upstate::meaning::IgnoreCase;
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_gate")]
/// struct Gate {
///     #[attribute(as_string, pattern = "(?i)^(tcp|udp)$", pattern_message = "must be tcp or udp")]
///     protocol: IgnoreCase,
/// }
/// ```
#[derive(Debug, Clone, Default)]
pub struct IgnoreCase(String);

impl IgnoreCase {
    /// This string.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The string with the letters that it was made with.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The string with the letters that it was made with.
    pub fn into_string(self) -> String {
        self.0
    }

    /// The string in lower case.
    pub fn to_lowercase(&self) -> String {
        self.0.to_lowercase()
    }
}

/// The letters that two strings are compared by.
fn letters(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().flat_map(char::to_lowercase)
}

impl PartialEq for IgnoreCase {
    fn eq(&self, other: &Self) -> bool {
        *self == *other.0
    }
}

impl Eq for IgnoreCase {}

impl PartialEq<str> for IgnoreCase {
    fn eq(&self, other: &str) -> bool {
        letters(&self.0).eq(letters(other))
    }
}

impl PartialOrd for IgnoreCase {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for IgnoreCase {
    fn cmp(&self, other: &Self) -> Ordering {
        letters(&self.0).cmp(letters(&other.0))
    }
}

impl Hash for IgnoreCase {
    fn hash<H: Hasher>(&self, state: &mut H) {
        letters(&self.0).for_each(|letter| letter.hash(state));
    }
}

impl FromStr for IgnoreCase {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::new(text))
    }
}

impl From<String> for IgnoreCase {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for IgnoreCase {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for IgnoreCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if COMPARED.get() == Compared::Not {
            return f.write_str(&self.0);
        }
        COMPARED.set(Compared::Some);
        letters(&self.0).try_for_each(|letter| fmt::Write::write_char(f, letter))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use super::*;

    #[test]
    fn letters_stay_and_case_is_ignored() {
        let street: IgnoreCase = "Straße ÄB".parse().unwrap();
        assert_eq!(
            (street.as_str(), street.to_string().as_str()),
            ("Straße ÄB", "Straße ÄB")
        );
        assert_eq!(street.to_lowercase(), "straße äb");
        let other = IgnoreCase::new("STRAßE äb");
        assert_eq!(street, other);
        assert_eq!(street.cmp(&other), Ordering::Equal);
        assert_ne!(street, IgnoreCase::new("Straße"));
        assert!(IgnoreCase::new("a") < IgnoreCase::new("B"));
        assert_eq!(HashSet::from([street.clone(), other.clone()]).len(), 1);
        assert_eq!(BTreeSet::from([street, other]).len(), 1);
    }

    #[test]
    fn what_is_compared_is_lower_case_until_the_end_or_a_panic() {
        let name = IgnoreCase::new("ÄB");
        assert_eq!(compared(|| name.to_string()), ("äb".to_owned(), true));
        assert_eq!(compared(|| 7), (7, false));
        assert_eq!(
            compared(|| (compared(|| 7), name.to_string())),
            (((7, false), "äb".to_owned()), true)
        );
        assert!(std::panic::catch_unwind(|| compared(|| -> () { panic!("on purpose") })).is_err());
        assert_eq!(name.to_string(), "ÄB");
    }
}
