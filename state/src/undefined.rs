//! Paths of stored values that no schema defines, as messages name them.

use std::fmt::Display;

/// The greatest number of values that are named; the others are counted.
const MOST: usize = 10;

/// The paths with commas between them, each once; `count` is the number of all values, also of those that have no path.
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

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn each_path_is_named_once_and_the_eleventh_value_is_counted() {
        assert_eq!(listed(&["a", "b", "a"], 3), "`a`, `b`");
        assert_eq!(listed(&["a"; 12], 14), "`a` and 4 more");
    }
}
