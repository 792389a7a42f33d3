//! Outcomes of an upgrade: of one instance, and of a whole file.

use upstate::upgrade::DroppedValue;
use upstate::{AttributePath, Diagnostics};

use super::changes::Change;
use super::parse::Instance;

/// The outcome of one instance.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstanceOutcome {
    /// Upgraded, possibly with warnings.
    Upgraded {
        /// The schema version that it has now.
        to: u64,
        /// Warnings only.
        warnings: Diagnostics,
        /// Stored values that the schema of their version does not define; the upgraded instance
        /// does not have them.
        undefined: Vec<AttributePath>,
        /// The number of undefined values; the first 10,000 are named.
        undefined_count: usize,
        /// Values that an author's `drop` removed, with the reason that it gives.
        dropped: Vec<DroppedValue>,
    },
    /// Stored at the current schema version, so unchanged, without a look at its attributes.
    Current,
    /// Unchanged, because its type is not registered.
    UnknownType,
    /// A data source: unchanged, because Terraform reads it again.
    Data,
    /// Unchanged, because the options do not select it.
    Excluded,
    /// Not upgraded. Nothing of the file is then, unless the upgrade is
    /// [partial](super::UpgradeOptions::partial).
    Failed {
        /// The schema version that it should have.
        to: u64,
        /// The errors, and the warnings before them.
        diagnostics: Diagnostics,
    },
}

/// The downgrade of an instance's identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityDowngrade {
    pub(super) from: u64,
    pub(super) to: Option<u64>,
    pub(super) warnings: Diagnostics,
    pub(super) changes: Vec<Change>,
}

impl IdentityDowngrade {
    /// The schema version of the stored identity.
    pub fn from(&self) -> u64 {
        self.from
    }

    /// The schema version after the downgrade; `None` if the identity is removed, because the
    /// release has none of the type.
    pub fn to(&self) -> Option<u64> {
        self.to
    }

    /// Warnings only: one for each value that is lost.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// The changes of the identity, by path; empty unless requested
    /// ([`UpgradeOptions::changes`](super::UpgradeOptions::changes)).
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }
}

/// The result for one instance: its outcome, and the changes if they were requested.
#[derive(Debug)]
pub(super) struct InstanceResult {
    pub(super) outcome: InstanceOutcome,
    pub(super) changes: Vec<Change>,
    pub(super) identity: Option<Box<IdentityDowngrade>>,
}

impl From<InstanceOutcome> for InstanceResult {
    fn from(outcome: InstanceOutcome) -> Self {
        Self {
            outcome,
            changes: Vec::new(),
            identity: None,
        }
    }
}

/// One instance and its outcome.
#[derive(Debug)]
pub struct InstanceUpgrade<'a, 't> {
    pub(super) instance: &'a Instance<'t>,
    pub(super) result: InstanceResult,
}

impl<'a, 't> InstanceUpgrade<'a, 't> {
    /// The stored instance.
    pub fn instance(&self) -> &'a Instance<'t> {
        self.instance
    }

    /// The outcome.
    pub fn outcome(&self) -> &InstanceOutcome {
        &self.result.outcome
    }

    /// The changes of the upgrade, by path; empty unless requested
    /// ([`UpgradeOptions::changes`](super::UpgradeOptions::changes)).
    pub fn changes(&self) -> &[Change] {
        &self.result.changes
    }

    /// The downgrade of the identity; `None` if the identity is unchanged.
    pub fn identity(&self) -> Option<&IdentityDowngrade> {
        self.result.identity.as_deref()
    }
}

/// Counts of the instances of a state file by outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradeTotals {
    upgraded: usize,
    current: usize,
    unknown: usize,
    data: usize,
    excluded: usize,
    failed: usize,
    serial: u64,
    partial: bool,
}

impl UpgradeTotals {
    pub(super) fn new(serial: u64, partial: bool) -> Self {
        Self {
            upgraded: 0,
            current: 0,
            unknown: 0,
            data: 0,
            excluded: 0,
            failed: 0,
            serial,
            partial,
        }
    }

    pub(super) fn count(&mut self, outcome: &InstanceOutcome) {
        *match outcome {
            InstanceOutcome::Upgraded { .. } => &mut self.upgraded,
            InstanceOutcome::Current => &mut self.current,
            InstanceOutcome::UnknownType => &mut self.unknown,
            InstanceOutcome::Data => &mut self.data,
            InstanceOutcome::Excluded => &mut self.excluded,
            InstanceOutcome::Failed { .. } => &mut self.failed,
        } += 1;
    }

    /// The number of upgraded instances.
    pub fn upgraded(&self) -> usize {
        self.upgraded
    }

    /// The number of instances that were stored at the current version.
    pub fn current(&self) -> usize {
        self.current
    }

    /// The number of instances whose types are not registered.
    pub fn unknown(&self) -> usize {
        self.unknown
    }

    /// The number of instances of data sources.
    pub fn data(&self) -> usize {
        self.data
    }

    /// The number of instances that the options do not select.
    pub fn excluded(&self) -> usize {
        self.excluded
    }

    /// The number of instances that could not be upgraded.
    pub fn failed(&self) -> usize {
        self.failed
    }

    /// The number of all instances.
    pub fn instances(&self) -> usize {
        self.upgraded + self.current + self.unknown + self.data + self.excluded + self.failed
    }

    /// The serial of the stored file.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// The serial of the upgraded file; none if nothing changes.
    pub fn new_serial(&self) -> Option<u64> {
        (self.upgraded > 0).then(|| self.serial.saturating_add(1))
    }

    /// True if the output is a whole state file that may replace the old one: something has
    /// changed, and every selected instance was upgraded, or the upgrade is
    /// [partial](super::UpgradeOptions::partial).
    pub fn may_be_written(&self) -> bool {
        self.upgraded > 0 && (self.partial || self.failed == 0)
    }
}
