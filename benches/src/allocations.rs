//! Counts allocations, but only while asked to: at other times an allocation costs one load more.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};

/// The system's allocator, counting. For `#[global_allocator]`.
pub struct Counting;

static ON: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static HELD: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

/// What was asked of the allocator.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Allocations {
    /// Allocations and reallocations.
    pub count: f64,
    /// Bytes asked for by them.
    pub bytes: f64,
}

impl Counting {
    #[inline]
    fn note(size: usize) {
        if ON.load(Relaxed) {
            COUNT.fetch_add(1, Relaxed);
            BYTES.fetch_add(size as u64, Relaxed);
            let held = HELD.fetch_add(size as i64, Relaxed) + size as i64;
            PEAK.fetch_max(held, Relaxed);
        }
    }

    #[inline]
    fn release(size: usize) {
        if ON.load(Relaxed) {
            HELD.fetch_sub(size as i64, Relaxed);
        }
    }

    /// Runs `work` and returns the most bytes that it had allocated at one time. Nothing else may
    /// run meanwhile.
    pub fn peak(work: impl FnOnce()) -> usize {
        HELD.store(0, Relaxed);
        PEAK.store(0, Relaxed);
        ON.store(true, Relaxed);
        work();
        ON.store(false, Relaxed);
        PEAK.load(Relaxed) as usize
    }

    /// Runs `work` and says what it allocated, divided by `operations`. Nothing else may run
    /// meanwhile.
    pub fn during(operations: usize, work: impl FnOnce()) -> Allocations {
        COUNT.store(0, Relaxed);
        BYTES.store(0, Relaxed);
        ON.store(true, Relaxed);
        work();
        ON.store(false, Relaxed);
        let per_operation = |total: &AtomicU64| total.load(Relaxed) as f64 / operations as f64;
        Allocations {
            count: per_operation(&COUNT),
            bytes: per_operation(&BYTES),
        }
    }
}

#[expect(
    unsafe_code,
    reason = "the trait of allocators is unsafe; every call is handed on as it came"
)]
// SAFETY: every method passes its arguments on to the system's allocator and returns what that
// returns.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::note(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::note(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The new place is taken before the old one is given back, because the bytes may have to
        // move.
        Self::note(size);
        Self::release(layout.size());
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Self::release(layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }
}
