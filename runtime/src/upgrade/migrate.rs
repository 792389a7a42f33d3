//! Flat state that is older than the first upgrader, which a function of the author's brings to
//! that one's version.

use std::collections::BTreeMap;

use super::context::{MutableContext, SharedContext, UpgradeContext};
use super::operators::Refusal;
use crate::diagnostics::Diagnostics;

/// Flat state as it is stored.
pub(super) type FlatState = BTreeMap<String, String>;

/// A function of flat state, which the SDK calls `MigrateState`.
#[diagnostic::on_unimplemented(
    message = "`migrate_state` cannot call this function: its signature is another",
    label = "called with the stored version, the flat state and the context, for the state of the first upgrader's version",
    note = "write `fn name(version: u64, state: BTreeMap<String, String>, context: &mut upstate::UpgradeContext<'_>) -> Result<BTreeMap<String, String>, String>`, with `use std::collections::BTreeMap;`"
)]
pub trait MigrateFunction<Form>: Sized {
    /// Calls it.
    ///
    /// # Errors
    /// The function refused.
    fn call(
        self,
        version: u64,
        state: FlatState,
        context: &mut UpgradeContext<'_>,
    ) -> Result<FlatState, Diagnostics>;
}

#[diagnostic::do_not_recommend]
impl<R: MigrateAnswer, F: Fn(u64, FlatState, &mut UpgradeContext<'_>) -> R>
    MigrateFunction<MutableContext<R>> for F
{
    fn call(
        self,
        version: u64,
        state: FlatState,
        context: &mut UpgradeContext<'_>,
    ) -> Result<FlatState, Diagnostics> {
        self(version, state, context).into_state()
    }
}

#[diagnostic::do_not_recommend]
impl<R: MigrateAnswer, F: Fn(u64, FlatState, &UpgradeContext<'_>) -> R>
    MigrateFunction<SharedContext<R>> for F
{
    fn call(
        self,
        version: u64,
        state: FlatState,
        context: &mut UpgradeContext<'_>,
    ) -> Result<FlatState, Diagnostics> {
        self(version, state, context).into_state()
    }
}

/// The answer of a function of flat state: the state, or a `Result` of it.
pub trait MigrateAnswer {
    /// The state.
    ///
    /// # Errors
    /// The function refused.
    fn into_state(self) -> Result<FlatState, Diagnostics>;
}

#[diagnostic::do_not_recommend]
impl MigrateAnswer for FlatState {
    fn into_state(self) -> Result<FlatState, Diagnostics> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Refusal> MigrateAnswer for Result<FlatState, E> {
    fn into_state(self) -> Result<FlatState, Diagnostics> {
        self.map_err(Refusal::into_diagnostics)
    }
}

/// The author's function. It gets the version that the state was stored at.
#[derive(Clone, Copy)]
pub struct MigrateState(
    pub fn(u64, FlatState, &mut UpgradeContext<'_>) -> Result<FlatState, Diagnostics>,
);

debug_by_name!(MigrateState);

/// The flat state that `migrate` makes of the flat state `map`.
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
