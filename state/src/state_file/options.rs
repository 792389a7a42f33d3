//! Options of an upgrade.

use std::num::NonZeroUsize;

use upstate::upgrade::{DowngradeRequest, DowngradeResponse};
use upstate::{UpgradeRequest, UpgradeResponse};

use super::address::Address;
use super::goals::{DowngradeGoals, Goal};

/// Options of [`StateFile::upgrade_to`](super::StateFile::upgrade_to).
///
/// ```no_run
/// use std::io::Write as _;
/// use upstate::Registry;
/// use upstate_state::{StateFile, UpgradeOptions};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::new(); // .with::<Thing>()
/// let bytes = std::fs::read("terraform.tfstate")?;
/// let state = StateFile::parse(&bytes)?;
/// let in_eu = |address: &upstate_state::Address<'_>| address.module().starts_with("module.eu");
/// let mut new = Vec::new();
/// let totals = state.upgrade_to(&registry, &UpgradeOptions::new().only(&in_eu), &mut new, |upgrade| {
///     eprintln!("{}", upgrade.instance().address());
///     Ok(())
/// })?;
/// if totals.may_be_written() {
///     std::io::stdout().write_all(&new)?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Default)]
pub struct UpgradeOptions<'a> {
    pub(super) select: Option<&'a (dyn Fn(&Address<'_>) -> bool + Sync)>,
    pub(super) partial: bool,
    pub(super) strict: bool,
    pub(super) changes: bool,
    pub(super) threads: Option<NonZeroUsize>,
    pub(super) upgraded_by: Option<UpgradeFunction<'a>>,
    pub(super) goals: Option<&'a (dyn Fn(&str) -> Goal + Sync)>,
    pub(super) identities: Option<(&'a DowngradeGoals, DowngradeFunction<'a>)>,
}

/// A function that answers requests in place of a registry; it may await.
pub(super) type UpgradeFunction<'a> = &'a (dyn Fn(&UpgradeRequest<'_>) -> UpgradeResponse + Sync);

/// A function that answers requests about identities in place of a registry; it may await.
pub(super) type DowngradeFunction<'a> =
    &'a (dyn Fn(&DowngradeRequest<'_>) -> DowngradeResponse + Sync);

impl<'a> UpgradeOptions<'a> {
    /// Every instance of a registered type, all of them or none, on all cores.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Upgrades only the instances for which `select` is true.
    #[must_use]
    pub fn only(mut self, select: &'a (dyn Fn(&Address<'_>) -> bool + Sync)) -> Self {
        self.select = Some(select);
        self
    }

    /// Upgrades the other instances if one fails, instead of none.
    #[must_use]
    pub fn partial(mut self, partial: bool) -> Self {
        self.partial = partial;
        self
    }

    /// Refuses instances with stored values that the schema of their version does not define.
    /// Otherwise these values are left out and reported.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Finds the changes of each instance
    /// ([`InstanceUpgrade::changes`](super::InstanceUpgrade::changes)), which takes longer than the
    /// upgrade.
    #[must_use]
    pub fn changes(mut self, changes: bool) -> Self {
        self.changes = changes;
        self
    }

    /// Passes requests whose upgrade may call a function to `upgrade` instead of
    /// [`Registry::upgrade`](upstate::Registry::upgrade), which refuses upgraders that await.
    /// `upgrade` may block on [`Registry::upgrade_async`](upstate::Registry::upgrade_async) in a
    /// runtime of yours, and is called on several threads. Operators alone never await, so the
    /// registry upgrades their types in place.
    #[must_use]
    pub fn upgraded_by(
        mut self,
        upgrade: &'a (dyn Fn(&UpgradeRequest<'_>) -> UpgradeResponse + Sync),
    ) -> Self {
        self.upgraded_by = Some(upgrade);
        self
    }

    /// Downgrades each instance to the version that `goal` returns for its type, instead of
    /// upgrading it to the current one. Requires [`upgraded_by`](Self::upgraded_by), which is
    /// called for the downgrade.
    #[must_use]
    pub fn back_to(mut self, goal: &'a (dyn Fn(&str) -> Goal + Sync)) -> Self {
        self.goals = Some(goal);
        self
    }

    /// Downgrades identities also, to the versions of `goals`. Requests are passed to `downgrade`
    /// instead of [`Registry::downgrade_identity`](upstate::Registry::downgrade_identity): it may
    /// block on [`Registry::downgrade_identity_async`](upstate::Registry::downgrade_identity_async)
    /// in a runtime of yours, and is called on several threads.
    #[must_use]
    pub fn identities_back_to(
        mut self,
        goals: &'a DowngradeGoals,
        downgrade: &'a (dyn Fn(&DowngradeRequest<'_>) -> DowngradeResponse + Sync),
    ) -> Self {
        self.identities = Some((goals, downgrade));
        self
    }

    /// Sets the number of threads (default: one for each core). The output does not depend on it.
    #[must_use]
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }
}

upstate::__debug_parts! {
    UpgradeOptions<'_> |self| {
        partial: self.partial,
        strict: self.strict,
        changes: self.changes,
        threads: self.threads,
    }
}
