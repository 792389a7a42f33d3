//! Counts steps in tests, so that a path that grows with a square is found by the number of its
//! steps and not by a clock.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// One step of work that a file can ask for much of.
#[inline]
pub(super) fn step() {
    #[cfg(test)]
    STEPS.set(STEPS.get() + 1);
}

/// The number of steps that some work takes on this thread.
#[cfg(test)]
pub(super) fn steps_of<T>(work: impl FnOnce() -> T) -> usize {
    let before = STEPS.get();
    work();
    STEPS.get() - before
}
