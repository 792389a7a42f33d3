//! The fates of the attributes of a type between two of its versions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use upstate::Registry;
use upstate::upgrade::{Fate, Lanes};

/// The attributes of a type by their fates, each by its path in the version where they begin, or,
/// if it is new, where they end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Fates {
    /// Those at another path.
    pub(crate) moved: Vec<String>,
    /// Those whose value or type becomes another one; they may have moved, too.
    pub(crate) converted: Vec<String>,
    /// Those that are new.
    pub(crate) new: Vec<String>,
    /// Those that end.
    pub(crate) gone: Vec<String>,
}

impl Fates {
    /// The fates from one version to another, which is the earlier one where state goes back;
    /// nothing if several routes lead there, because each instance takes its own.
    pub(crate) fn between(
        registry: &Registry,
        type_name: &str,
        from: u64,
        to: u64,
    ) -> Option<Self> {
        let routes = registry.get(type_name)?.lanes();
        let column = |route: &Lanes, version: u64| {
            route
                .versions
                .iter()
                .position(|versions| versions.contains(&version))
        };
        let mut fitting = routes
            .iter()
            .filter_map(|route| Some((route, column(route, from)?, column(route, to)?)));
        let (Some((route, first, last)), None) = (fitting.next(), fitting.next()) else {
            return None;
        };
        let mut fates = Self::default();
        for lane in &route.lanes {
            let place = |column: usize| lane.places.get(column).and_then(Option::as_ref);
            let between = lane
                .fates
                .get(first.min(last)..first.max(last))
                .unwrap_or_default();
            match (place(first), place(last)) {
                (Some(before), Some(after)) => {
                    if before != after {
                        fates.moved.push(before.clone());
                    }
                    if between
                        .iter()
                        .any(|fate| matches!(fate, Fate::Converted { .. }))
                    {
                        fates.converted.push(before.clone());
                    }
                }
                (None, Some(after)) => fates.new.push(after.clone()),
                (Some(before), None) => fates.gone.push(before.clone()),
                (None, None) => {}
            }
        }
        Some(fates)
    }
}

/// The name of a type and the two versions.
type Way = (String, u64, u64);

/// The fates that were found, since the plans of many workspaces need the same ones for each of
/// them.
#[derive(Debug, Default)]
pub(super) struct Found(Mutex<HashMap<Way, Option<Arc<Fates>>>>);

impl Found {
    /// The fates between two versions of a type for which a plan has a way, so that no more are
    /// kept than the registry has.
    pub(super) fn between(
        &self,
        registry: &Registry,
        type_name: &str,
        from: u64,
        to: u64,
    ) -> Option<Arc<Fates>> {
        // Whatever was inserted before a panic is whole.
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fates = found.entry((type_name.to_owned(), from, to));
        fates
            .or_insert_with(|| Fates::between(registry, type_name, from, to).map(Arc::new))
            .clone()
    }
}
