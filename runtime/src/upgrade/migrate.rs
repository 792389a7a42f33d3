//! Flat state that is older than the first upgrader, which a function of the author's brings to that one's version.

use std::collections::BTreeMap;
use std::fmt;

use super::context::UpgradeContext;
use super::history::History;
use super::raw_state::RawState;
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

impl History {
    /// Whether flat state stored at `version` is brought to the oldest version by the author's function.
    pub(super) fn migrates(&self, version: u64) -> bool {
        self.migrate.is_some() && version < self.oldest()
    }

    /// Flat state as it is at the oldest version; `refused` if it is not older, or nothing migrates it.
    #[cold]
    pub(super) fn migrated(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        refused: Diagnostics,
    ) -> Result<FlatState, Diagnostics> {
        let (Some(migrate), Some(map), true) = (self.migrate, raw.flatmap(), version < self.oldest()) else {
            return Err(refused);
        };
        migrated(map, context, |state, context| migrate.migrate(version, state, context))
    }

    /// Says of what is wrong with migrated state that it was migrated.
    #[cold]
    pub(super) fn told_of_migration(&self, version: u64, mut errors: Diagnostics) -> Diagnostics {
        errors.add_paragraph(&format!(
            "The state was stored in the flat form at schema version {version}, and `migrate_state` brought it to version {}. \
             What it answers must be flat state of that version.",
            self.oldest()
        ));
        errors
    }
}
