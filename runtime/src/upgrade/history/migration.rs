//! Flat state that is older than a model's oldest version.

use super::History;
use crate::diagnostics::Diagnostics;
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::migrate::{FlatState, migrated};
use crate::upgrade::raw_state::RawState;

impl History {
    /// True if the author's function brings flat state stored at `version` to the oldest version.
    pub(in crate::upgrade) fn migrates(&self, version: u64) -> bool {
        self.migrate.is_some() && version < self.oldest()
    }

    /// Flat state as it is at the oldest version; `refused` if it is not older, or nothing migrates
    /// it.
    #[cold]
    pub(in crate::upgrade) fn migrated(
        &self,
        version: u64,
        raw: RawState<'_>,
        context: &mut UpgradeContext<'_>,
        refused: Diagnostics,
    ) -> Result<FlatState, Diagnostics> {
        let (Some(migrate), Some(map), true) =
            (self.migrate, raw.flatmap(), version < self.oldest())
        else {
            return Err(refused);
        };
        migrated(map, context, |state, context| {
            migrate.0(version, state, context)
        })
    }

    /// Says of what is wrong with migrated state that it was migrated.
    #[cold]
    pub(in crate::upgrade) fn during_migration(
        &self,
        version: u64,
        mut errors: Diagnostics,
    ) -> Diagnostics {
        errors.add_paragraph(&format!(
            "The state was stored in the flat form at schema version {version}, and `migrate_state` brought it to version {}. \
             Its answer must be flat state of that version.",
            self.oldest()
        ));
        errors
    }
}
