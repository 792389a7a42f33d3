//! The variants that values without a tag were found to be. Where such values stand inside one
//! another, each variant of one reads all of those in it, so that every depth would double the
//! time.

use std::any::TypeId;

/// The number of times that a whole document is read without a result before variants are
/// remembered.
const TIMES: usize = 16;
/// The bytes that are read so in any document before that.
const MIN_WASTED: usize = 1 << 16;

/// A value whose variants are tried one after another.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tried {
    /// The enum.
    pub(crate) ty: TypeId,
    /// The offset of the value, or of the object that its members are in.
    pub(crate) start: usize,
    /// If the enum is flattened: the members of that object which were taken before.
    pub(crate) beside: Option<Vec<bool>>,
}

impl Tried {
    /// A value that is not flattened.
    pub(crate) fn whole<T: 'static>(start: usize) -> Self {
        Self {
            ty: TypeId::of::<T>(),
            start,
            beside: None,
        }
    }
}

/// The outcome of trying the variants of a value.
#[derive(Debug, Clone)]
pub(crate) enum Settled<E> {
    /// The variant at this position is read.
    Variant(usize),
    /// None fits; with the error, unless the enum is flattened.
    Misfit(Option<E>),
}

/// The values whose variants are being tried.
#[derive(Debug)]
pub(super) struct Trials {
    /// The number of values inside one another that are being tried.
    running: u32,
    /// The bytes that were read without a result.
    wasted: usize,
}

impl Trials {
    pub(super) const fn new() -> Self {
        Self {
            running: 0,
            wasted: 0,
        }
    }

    pub(super) fn begin(&mut self) {
        self.running += 1;
    }

    pub(super) fn end(&mut self) {
        self.running -= 1;
    }

    pub(super) fn is_running(&self) -> bool {
        self.running > 0
    }

    /// True if another value, which the one being tried is in, may try it again.
    pub(super) fn is_inside(&self) -> bool {
        self.running > 1
    }

    pub(super) fn waste(&mut self, len: usize) {
        self.wasted = self.wasted.saturating_add(len);
    }

    /// True if so much of `len` bytes was read without a result that values inside one another may
    /// be the reason.
    pub(super) fn are_wasteful(&self, len: usize) -> bool {
        self.wasted > len.saturating_mul(TIMES).max(MIN_WASTED)
    }
}
