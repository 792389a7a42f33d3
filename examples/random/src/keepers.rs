//! `keepers`: a map of anything, whose change makes a new random value.

use std::collections::BTreeMap;

/// The values, some of them null.
pub(crate) type Keepers = BTreeMap<String, Option<String>>;

/// True if the change is more than a null: providers made with the SDK stored neither entries that are null nor maps that have no others.
pub(crate) fn changed(prior: Option<&Keepers>, planned: Option<&Keepers>) -> bool {
    let no_keepers = Keepers::new();
    let (before, after) = (prior.unwrap_or(&no_keepers), planned.unwrap_or(&no_keepers));
    let kept = before
        .iter()
        .all(|(key, value)| after.get(key) == Some(value));
    let added = after
        .iter()
        .any(|(key, value)| value.is_some() && !before.contains_key(key));
    added || !kept
}
