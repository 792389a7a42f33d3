//! The upgrader that each stored version takes, as a table that is looked up.

// The table is made in the compiler, which reports a wrong index or number itself; `get` and
// `try_from` are not const.
#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "const evaluation"
)]

use super::History;
use super::step::NO_ROUTE;

/// The bit that [`routes`] adds where the state itself decides between several upgraders.
const CONDITIONAL: u16 = 1 << 15;

/// For each version from the oldest supported one, the index of the upgrader to take.
#[doc(hidden)]
#[must_use]
pub const fn routes<const N: usize>(history: &'static History) -> [u16; N] {
    let mut routes = [NO_ROUTE; N];
    let mut index = 0;
    while index < N {
        let version = history.oldest + index as u64;
        if let Some(upgrader) = history.route(version) {
            let step = &history.steps[upgrader];
            let conditional = step.when.is_some() && step.contains(version);
            routes[index] = upgrader as u16 | if conditional { CONDITIONAL } else { 0 };
        }
        index += 1;
    }
    routes
}

/// The route that state of one version takes.
#[derive(Clone, Copy)]
pub(in crate::upgrade) enum Route {
    /// No upgrader leads up.
    None,
    /// Along the upgrader of this index.
    Upgrader(usize),
    /// Along one of several upgraders for this version.
    Conditional,
}

/// The route that state stored at `version` takes.
#[inline]
pub(in crate::upgrade) fn routed(routes: &[u16], oldest: u64, version: u64) -> Route {
    let index = version
        .checked_sub(oldest)
        .and_then(|index| usize::try_from(index).ok());
    match index.and_then(|index| routes.get(index)) {
        None | Some(&NO_ROUTE) => Route::None,
        Some(upgrader) if upgrader & CONDITIONAL == 0 => Route::Upgrader(usize::from(*upgrader)),
        Some(_) => Route::Conditional,
    }
}

/// True if state stored at `version` has an upgrader to take.
#[inline]
pub(in crate::upgrade) fn is_routed(routes: &[u16], oldest: u64, version: u64) -> bool {
    !matches!(routed(routes, oldest, version), Route::None)
}
