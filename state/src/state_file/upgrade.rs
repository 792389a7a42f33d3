//! Upgrades of whole state files.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use upstate::Registry;

use super::layout::Edit;
use super::options::UpgradeOptions;
use super::outcome::{InstanceOutcome, InstanceUpgrade, UpgradeTotals};
use super::parallel::{Buffers, in_order};
use super::parse::{Instance, StateFile};
use super::piece::{Piece, Plan};

/// A state file and the upgrades of all its instances, in memory.
pub struct StateFileUpgrade<'t> {
    state: StateFile<'t>,
    outcomes: Vec<InstanceOutcome>,
    totals: UpgradeTotals,
    new: Vec<u8>,
}

/// The least text of the instances that one thread upgrades at once.
const PIECE: usize = 128 << 10;

impl<'t> StateFile<'t> {
    /// Upgrades every managed instance whose type is registered, in memory.
    ///
    /// [`upgrade_to`](Self::upgrade_to) does it with less memory, and with options.
    ///
    /// # Errors
    /// The errors of [`upgrade_to`](Self::upgrade_to) except those of writing: the serial cannot be
    /// incremented, or the file was [read to be upgraded](Self::parse_to_upgrade) and is not JSON.
    pub fn upgrade(self, registry: &Registry) -> io::Result<StateFileUpgrade<'t>> {
        let mut outcomes = Vec::with_capacity(self.instances.len());
        let mut new = Vec::new();
        let each = |upgrade: InstanceUpgrade<'_, '_>| {
            outcomes.push(upgrade.result.outcome);
            Ok(())
        };
        let totals = self.upgrade_to(registry, &UpgradeOptions::new(), &mut new, each)?;
        Ok(StateFileUpgrade {
            state: self,
            outcomes,
            totals,
            new,
        })
    }

    /// Upgrades every managed instance whose type is registered, writes the upgraded file to `out`,
    /// and passes each instance with its outcome to `each`, in file order.
    ///
    /// Use the output only if [`UpgradeTotals::may_be_written`]; otherwise discard it, because it
    /// is incomplete or equal to the stored file. In addition to the file, only a few instances are
    /// held in memory.
    ///
    /// # Errors
    /// Returns errors of `out` and `each`, and fails if the serial is the largest number and cannot
    /// be incremented, or if the file was [read to be upgraded](Self::parse_to_upgrade) and is not
    /// JSON.
    pub fn upgrade_to(
        &self,
        registry: &Registry,
        options: &UpgradeOptions<'_>,
        out: &mut dyn Write,
        mut each: impl FnMut(InstanceUpgrade<'_, 't>) -> io::Result<()>,
    ) -> io::Result<UpgradeTotals> {
        let needed = self
            .instances
            .iter()
            .any(|instance| matches!(Plan::new(instance, registry, options), Plan::Change(_)));
        if needed && self.serial() == u64::MAX {
            return Err(io::Error::other(
                "the serial is 18446744073709551615, the largest there can be, so no newer state can follow; \
                 lower it, here and where the state is kept",
            ));
        }
        let mut totals = UpgradeTotals::new(self.serial(), options.partial);
        let serial = match &self.header.serial {
            _ if !needed => None,
            Some((serial, range)) => Some(Edit::new(range.clone(), (serial + 1).to_string())),
            None => Some(Edit::new(
                self.header.version_end..self.header.version_end,
                ", \"serial\": 1",
            )),
        };
        let pieces = self.pieces();
        let first = self
            .instances
            .first()
            .map_or(self.text.len(), |instance| instance.range.start);
        let last = self
            .instances
            .last()
            .map_or(self.text.len(), |instance| instance.range.end);
        // The last piece has no next one, so it ends with the instances.
        let end_of = |piece: usize| pieces.get(piece + 1).map_or(last, |next| next.1);
        let failed = AtomicBool::new(false);
        let buffers = Buffers::default();
        let threads = options
            .threads
            .or_else(|| std::thread::available_parallelism().ok())
            .unwrap_or(NonZeroUsize::MIN);

        self.write_around(0..first, serial.as_ref(), out)?;
        let mut instances = self.instances.iter();
        in_order(
            0..pieces.len(),
            threads,
            |index| {
                let index = *index;
                let mut piece = Piece {
                    text: buffers.take(),
                    ..Piece::default()
                };
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
                for (result, instance) in piece.results.into_iter().zip(&mut instances) {
                    totals.count(&result.outcome);
                    each(InstanceUpgrade { instance, result })?;
                }
                out.write_all(&piece.text)?;
                buffers.give_back(piece.text);
                Ok(())
            },
        )?;
        self.write_around(last..self.text.len(), serial.as_ref(), out)?;
        Ok(totals)
    }

    /// The error about a file whose attributes are not JSON, with line and column.
    #[cold]
    fn not_json(&self) -> io::Error {
        let kind = io::ErrorKind::InvalidData;
        match StateFile::parse_closely(self.text) {
            Err(error) => io::Error::new(kind, error),
            // Not reached, because the closer look also reads all attributes; but an answer is
            // better than a panic.
            Ok(_) => io::Error::new(kind, "the attributes of an instance are not JSON"),
        }
    }

    /// Runs of instances, and the offset at which the text of each begins.
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

    /// Writes text without instances, with the new serial if that is in it.
    fn write_around(
        &self,
        range: Range<usize>,
        serial: Option<&Edit>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
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

upstate::__debug_parts! {
    StateFileUpgrade<'_> |self| {
        state: self.state,
        outcomes: self.outcomes,
    }
}

impl<'t> StateFileUpgrade<'t> {
    /// Every instance and its outcome, in file order.
    pub fn instances(&self) -> impl ExactSizeIterator<Item = (&Instance<'t>, &InstanceOutcome)> {
        self.state.instances.iter().zip(&self.outcomes)
    }

    /// The serial of the stored file; that of the upgraded file is one more.
    pub fn serial(&self) -> u64 {
        self.state.serial()
    }

    /// Counts of the instances by outcome.
    pub fn totals(&self) -> &UpgradeTotals {
        &self.totals
    }

    /// True if an instance could not be upgraded.
    pub fn has_failures(&self) -> bool {
        self.totals.failed() > 0
    }

    /// True if any instance was upgraded.
    pub fn has_changes(&self) -> bool {
        self.totals.upgraded() > 0
    }

    /// The upgraded file, or the stored one if nothing had to be upgraded; `None` if an instance
    /// failed.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        self.bytes().map(<[u8]>::to_vec)
    }

    /// The bytes of [`to_bytes`](Self::to_bytes), without a copy.
    pub fn bytes(&self) -> Option<&[u8]> {
        (!self.has_failures()).then_some(&self.new)
    }
}
