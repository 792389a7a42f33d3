//! Flat state that is older than the first upgrader, which a function of the author's brings to that one's version.

use std::collections::BTreeMap;
use std::fmt;

use super::context::UpgradeContext;
use crate::diagnostics::Diagnostics;

/// Flat state as it is stored.
pub(super) type FlatState = BTreeMap<String, String>;

/// The author's function, which the SDK calls `MigrateState`. It gets the version that the state was stored at.
pub struct MigrateState<E>(pub fn(u64, FlatState, &mut UpgradeContext<'_>) -> Result<FlatState, E>);

impl<E> fmt::Debug for MigrateState<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MigrateState")
    }
}

/// Brings flat state to the version of the first upgrader.
pub(super) trait Migrate: Sync + fmt::Debug {
    fn migrate(&self, version: u64, state: FlatState, context: &mut UpgradeContext<'_>) -> Result<FlatState, Diagnostics>;
}

impl<E: Into<Diagnostics>> Migrate for MigrateState<E> {
    fn migrate(&self, version: u64, state: FlatState, context: &mut UpgradeContext<'_>) -> Result<FlatState, Diagnostics> {
        (self.0)(version, state, context).map_err(Into::into)
    }
}

/// What `migrate` makes of flat state.
pub(super) fn migrated(
    map: &FlatState,
    context: &mut UpgradeContext<'_>,
    migrate: impl FnOnce(FlatState, &mut UpgradeContext<'_>) -> Result<FlatState, Diagnostics>,
) -> Result<FlatState, Diagnostics> {
    context.check()?;
    let mut state = migrate(map.clone(), context)?;
    // The id is Terraform's own; no migration may lose it.
    if let (None, Some(id)) = (state.get("id"), map.get("id")) {
        state.insert("id".to_owned(), id.clone());
    }
    Ok(state)
}
