//! Stored values that would be lost, as messages name them.

use std::fmt::Display;

use upstate::__internal::REPEATED_ELEMENT;
use upstate::{Diagnostic, DiagnosticCode};

/// The greatest number of values that are named; the others are counted.
const MOST: usize = 10;

/// The paths with commas between them, each once; `count` is the number of all values, also of
/// those that have no path.
pub(crate) fn listed(paths: &[impl Display], count: usize) -> String {
    let mut named: Vec<String> = Vec::new();
    for path in paths.iter().take(MOST) {
        let path = format!("`{path}`");
        // A path ends where it may not be shown further, so that several values may have the same.
        if !named.contains(&path) {
            named.push(path);
        }
    }
    match count.saturating_sub(MOST) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// True if a rewritten document would lack digits or a key that the stored one has. A set lacks
/// nothing if an element of it was there twice.
pub(crate) fn is_loss(warning: &Diagnostic) -> bool {
    warning.code() == Some(DiagnosticCode::Rounded) || is_repeated_key(warning)
}

/// True if a stored map has a key more than once, of which a rewritten one has the last.
pub(crate) fn is_repeated_key(warning: &Diagnostic) -> bool {
    warning.code() == Some(DiagnosticCode::Repeated) && warning.summary() != REPEATED_ELEMENT
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn each_path_is_named_once_and_the_eleventh_value_is_counted() {
        assert_eq!(listed(&["a", "b", "a"], 3), "`a`, `b`");
        assert_eq!(listed(&["a"; 12], 14), "`a` and 4 more");
    }
}
