//! Upgrading every known instance of a state file.

use std::fmt;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use upstate::upgrade::{DowngradeRequest, DowngradeResponse, DroppedValue};
use upstate::{AttributePath, Diagnostics, Registry, UpgradeRequest, UpgradeResponse};

use super::address::Address;
use super::changes::Change;
use super::goals::DowngradeGoals;
use super::identity::{AnsweredBy, IdentityDowngrade};
use super::layout::Edit;
use super::parallel::{Buffers, in_order};
use super::parse::{Instance, StateFile};
use super::piece::{Came, Piece, plan};

/// The outcome of one instance.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstanceOutcome {
    /// Brought to this schema version; possibly with warnings.
    Upgraded {
        /// The current schema version.
        to: u64,
        /// Warnings only.
        warnings: Diagnostics,
        /// What the schema of the stored version does not define, and is therefore not kept.
        undefined: Vec<AttributePath>,
        /// The number of those: the first 10,000 are named.
        undefined_count: usize,
        /// What an author's `drop` ends here, and the reason that it gives.
        dropped: Vec<DroppedValue>,
    },
    /// Stored at the current schema version already; left as it is.
    Current,
    /// Of a type that is not registered; left as it is.
    UnknownType,
    /// A data source, which Terraform reads again; left as it is.
    Data,
    /// Not among those that were to be upgraded; left as it is.
    Excluded,
    /// Could not be upgraded, so nothing of the file is; or left as it is, if that was asked for.
    Failed {
        /// The schema version it should have been brought to.
        to: u64,
        /// What is wrong.
        diagnostics: Diagnostics,
    },
}

/// How a state file is upgraded.
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
    threads: Option<NonZeroUsize>,
    pub(super) upgraded_by: Option<UpgradedBy<'a>>,
    pub(super) goals: Option<&'a (dyn Fn(&str) -> Goal + Sync)>,
    pub(super) identities: Option<(&'a DowngradeGoals, AnsweredBy<'a>)>,
}

/// The schema version that instances of a type are taken back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// This one. Instances of this version and of earlier ones are left as they are.
    Version(u64),
    /// They are left as they are.
    Stay,
    /// There is none: what answers says why.
    Nowhere,
}

/// What answers requests in place of a registry.
pub(super) type UpgradedBy<'a> = &'a (dyn Fn(&UpgradeRequest<'_>) -> UpgradeResponse + Sync);

impl<'a> UpgradeOptions<'a> {
    /// Every instance of a known type, all of them or none, on all cores.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Only instances for which `select` says so; others are left as they are.
    #[must_use]
    pub fn only(mut self, select: &'a (dyn Fn(&Address<'_>) -> bool + Sync)) -> Self {
        self.select = Some(select);
        self
    }

    /// Whether instances that cannot be upgraded are left as they are and the others upgraded, instead of none.
    #[must_use]
    pub fn partial(mut self, partial: bool) -> Self {
        self.partial = partial;
        self
    }

    /// Refuses instances with stored values that the schema of their version does not define, which are skipped otherwise and reported.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Whether to find out what changes in each instance ([`InstanceUpgrade::changes`]), which takes longer than the upgrade.
    #[must_use]
    pub fn changes(mut self, changes: bool) -> Self {
        self.changes = changes;
        self
    }

    /// Requests whose upgrade may call a function are answered by `upgrade` instead of [`Registry::upgrade`], which refuses upgraders that await:
    /// it may block on [`Registry::upgrade_async`] in a runtime of yours. It is called on several threads. Operators alone never await: what they
    /// upgrade, the registry upgrades in place.
    #[must_use]
    pub fn upgraded_by(mut self, upgrade: &'a (dyn Fn(&UpgradeRequest<'_>) -> UpgradeResponse + Sync)) -> Self {
        self.upgraded_by = Some(upgrade);
        self
    }

    /// Instances are taken back to what `goal` says of their type, instead of up to the current version. Requests, which then ask for that, are
    /// answered by [`upgraded_by`](Self::upgraded_by).
    #[must_use]
    pub fn back_to(mut self, goal: &'a (dyn Fn(&str) -> Goal + Sync)) -> Self {
        self.goals = Some(goal);
        self
    }

    /// Identities are taken back to the versions of `goals`, too. Requests are answered by `answer` instead of [`Registry::downgrade_identity`]: it may block
    /// on [`Registry::downgrade_identity_async`] in a runtime of yours. It is called on several threads.
    #[must_use]
    pub fn identities_back_to(
        mut self,
        goals: &'a DowngradeGoals,
        answer: &'a (dyn Fn(&DowngradeRequest<'_>) -> DowngradeResponse + Sync),
    ) -> Self {
        self.identities = Some((goals, answer));
        self
    }

    /// On so many threads instead of one for each core. What comes out does not depend on it.
    #[must_use]
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }
}

impl fmt::Debug for UpgradeOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpgradeOptions")
            .field("partial", &self.partial)
            .field("strict", &self.strict)
            .field("changes", &self.changes)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// One instance and what came of it.
#[derive(Debug)]
pub struct InstanceUpgrade<'a, 't> {
    instance: &'a Instance<'t>,
    came: Came,
}

impl<'a, 't> InstanceUpgrade<'a, 't> {
    /// The instance as it is stored.
    pub fn instance(&self) -> &'a Instance<'t> {
        self.instance
    }

    /// The outcome.
    pub fn outcome(&self) -> &InstanceOutcome {
        &self.came.outcome
    }

    /// The changes of the upgrade, by path; empty unless asked for ([`UpgradeOptions::changes`]).
    pub fn changes(&self) -> &[Change] {
        &self.came.changes
    }

    /// What a downgrade makes of the identity; `None` if it stays as it is.
    pub fn identity(&self) -> Option<&IdentityDowngrade> {
        self.came.identity.as_deref()
    }
}

/// The totals of upgrading a whole state file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradeTotals {
    counts: [usize; 6],
    serial: u64,
    partial: bool,
}

impl UpgradeTotals {
    fn count(&mut self, outcome: &InstanceOutcome) {
        let index = match outcome {
            InstanceOutcome::Upgraded { .. } => 0,
            InstanceOutcome::Current => 1,
            InstanceOutcome::UnknownType => 2,
            InstanceOutcome::Data => 3,
            InstanceOutcome::Excluded => 4,
            InstanceOutcome::Failed { .. } => 5,
        };
        if let Some(count) = self.counts.get_mut(index) {
            *count += 1;
        }
    }

    /// How many instances were upgraded.
    pub fn upgraded(&self) -> usize {
        self.counts[0]
    }

    /// How many were stored at the current version already.
    pub fn current(&self) -> usize {
        self.counts[1]
    }

    /// How many are of types that are not registered.
    pub fn unknown(&self) -> usize {
        self.counts[2]
    }

    /// How many are data sources.
    pub fn data(&self) -> usize {
        self.counts[3]
    }

    /// How many were not to be upgraded.
    pub fn excluded(&self) -> usize {
        self.counts[4]
    }

    /// How many could not be upgraded.
    pub fn failed(&self) -> usize {
        self.counts[5]
    }

    /// How many instances there are.
    pub fn instances(&self) -> usize {
        self.counts.iter().sum()
    }

    /// The serial that the file has now.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// The serial of the upgraded file; none if nothing changes.
    pub fn new_serial(&self) -> Option<u64> {
        (self.upgraded() > 0).then(|| self.serial.saturating_add(1))
    }

    /// Whether what was written is a whole state file that may take the place of the old one: every instance that was to be
    /// upgraded has been, or failures were to be passed over, and something has changed.
    pub fn may_be_written(&self) -> bool {
        self.upgraded() > 0 && (self.partial || self.failed() == 0)
    }
}

/// A state file with the upgrades of all its instances. Nothing has been written.
pub struct StateFileUpgrade<'t> {
    state: StateFile<'t>,
    outcomes: Vec<InstanceOutcome>,
    totals: UpgradeTotals,
    new: Vec<u8>,
}

/// A run of instances that is upgraded in one go: about this much text.
const PIECE: usize = 128 << 10;

impl<'t> StateFile<'t> {
    /// Upgrades every managed instance whose type is registered, in memory.
    ///
    /// [`upgrade_to`](Self::upgrade_to) does it with less memory, and with options.
    ///
    /// # Errors
    /// Those of [`upgrade_to`](Self::upgrade_to) but for writing: the serial cannot be incremented, or the file was
    /// [read to be upgraded](Self::parse_to_upgrade) and is not JSON.
    pub fn upgrade(self, registry: &Registry) -> io::Result<StateFileUpgrade<'t>> {
        let mut outcomes = Vec::with_capacity(self.instances.len());
        let mut new = Vec::new();
        let each = |upgrade: InstanceUpgrade<'_, '_>| {
            outcomes.push(upgrade.came.outcome);
            Ok(())
        };
        let totals = self.upgrade_to(registry, &UpgradeOptions::new(), &mut new, each)?;
        Ok(StateFileUpgrade { state: self, outcomes, totals, new })
    }

    /// Upgrades every managed instance whose type is registered, writes the upgraded file to `out`, and passes each instance with
    /// its outcome to `each`, in file order.
    ///
    /// Use the output only if [`UpgradeTotals::may_be_written`]; otherwise it is incomplete, or the file as it was: discard it. In
    /// addition to the file, only a few instances are held in memory.
    ///
    /// # Errors
    /// Returns errors of `out` and `each`, and fails if the serial is the largest number and cannot be incremented, or if the file was
    /// [read to be upgraded](Self::parse_to_upgrade) and is not JSON.
    pub fn upgrade_to(
        &self,
        registry: &Registry,
        options: &UpgradeOptions<'_>,
        out: &mut dyn Write,
        mut each: impl FnMut(InstanceUpgrade<'_, 't>) -> io::Result<()>,
    ) -> io::Result<UpgradeTotals> {
        let needed = self.instances.iter().any(|instance| plan(instance, registry, options).is_err());
        if needed && self.serial() == u64::MAX {
            return Err(io::Error::other(
                "the serial is 18446744073709551615, the largest there can be, so no newer state can follow; \
                 lower it, here and where the state is kept",
            ));
        }
        let mut totals = UpgradeTotals { counts: [0; 6], serial: self.serial(), partial: options.partial };
        let serial = match &self.header.serial {
            _ if !needed => None,
            Some((serial, range)) => Some(Edit::new(range.clone(), (serial + 1).to_string())),
            None => Some(Edit::new(self.header.version_end..self.header.version_end, ", \"serial\": 1")),
        };
        let pieces = self.pieces();
        let first = self.instances.first().map_or(self.text.len(), |instance| instance.range.start);
        let last = self.instances.last().map_or(self.text.len(), |instance| instance.range.end);
        // Where the instances end, the last piece does.
        let end_of = |piece: usize| pieces.get(piece + 1).map_or(last, |next| next.1);
        let failed = AtomicBool::new(false);
        let buffers = Buffers::default();
        let threads = options.threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);

        self.write_around(0..first, serial.as_ref(), out)?;
        let mut instances = self.instances.iter();
        in_order(
            0..pieces.len(),
            threads,
            |index| {
                let index = *index;
                let mut piece = Piece { text: buffers.take(), ..Piece::default() };
                if let Some((range, start)) = pieces.get(index) {
                    let run = self.instances.get(range.clone()).unwrap_or_default();
                    piece.upgrade(run, *start..end_of(index), registry, options, &failed);
                }
                piece
            },
            |_, piece: Piece| {
                if piece.is_broken {
                    return Err(self.not_json());
                }
                for (came, instance) in piece.outcomes.into_iter().zip(&mut instances) {
                    totals.count(&came.outcome);
                    each(InstanceUpgrade { instance, came })?;
                }
                out.write_all(&piece.text)?;
                buffers.give_back(piece.text);
                Ok(())
            },
        )?;
        self.write_around(last..self.text.len(), serial.as_ref(), out)?;
        Ok(totals)
    }

    /// What is wrong with a file of which attributes turned out not to be JSON.
    #[cold]
    fn not_json(&self) -> io::Error {
        let kind = io::ErrorKind::InvalidData;
        match StateFile::parse_closely(self.text) {
            Err(error) => io::Error::new(kind, error),
            // It would have been found out there, too.
            Ok(_) => io::Error::new(kind, "the attributes of an instance are not JSON"),
        }
    }

    /// Runs of instances, and where the text of each begins.
    fn pieces(&self) -> Vec<(Range<usize>, usize)> {
        let mut pieces = Vec::new();
        let mut begun: Option<(usize, usize)> = None;
        for (index, instance) in self.instances.iter().enumerate() {
            let (first, start) = *begun.get_or_insert((index, instance.range.start));
            if instance.range.end - start >= PIECE {
                pieces.push((first..index + 1, start));
                begun = None;
            }
        }
        pieces.extend(begun.map(|(first, start)| (first..self.instances.len(), start)));
        pieces
    }

    /// Writes text that no instance is in, with the new serial if that belongs there.
    fn write_around(&self, range: Range<usize>, serial: Option<&Edit>, out: &mut dyn Write) -> io::Result<()> {
        let bytes = |range: Range<usize>| self.text.get(range).unwrap_or_default().as_bytes();
        match serial {
            Some(edit) if edit.range.start >= range.start && edit.range.end <= range.end => {
                out.write_all(bytes(range.start..edit.range.start))?;
                out.write_all(&edit.text)?;
                out.write_all(bytes(edit.range.end..range.end))
            }
            _ => out.write_all(bytes(range)),
        }
    }
}

impl fmt::Debug for StateFileUpgrade<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateFileUpgrade").field("state", &self.state).field("outcomes", &self.outcomes).finish_non_exhaustive()
    }
}

impl<'t> StateFileUpgrade<'t> {
    /// Every instance with what came of it, in file order.
    pub fn instances(&self) -> impl ExactSizeIterator<Item = (&Instance<'t>, &InstanceOutcome)> {
        self.state.instances.iter().zip(&self.outcomes)
    }

    /// The serial that the file has now; one less than it has after an upgrade.
    pub fn serial(&self) -> u64 {
        self.state.serial()
    }

    /// How many instances met which end.
    pub fn totals(&self) -> &UpgradeTotals {
        &self.totals
    }

    /// Whether an instance could not be upgraded.
    pub fn has_failures(&self) -> bool {
        self.totals.failed() > 0
    }

    /// Whether any instance was upgraded.
    pub fn has_changes(&self) -> bool {
        self.totals.upgraded() > 0
    }

    /// The upgraded file; the file as it was if nothing had to be upgraded; `None` if an instance could not be.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        self.bytes().map(<[u8]>::to_vec)
    }

    /// The upgraded file, without a copy; `None` if an instance failed.
    pub fn bytes(&self) -> Option<&[u8]> {
        (!self.has_failures()).then_some(&self.new)
    }
}
