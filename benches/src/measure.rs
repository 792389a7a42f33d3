//! Timing on a machine that does other things too.
//!
//! All cases run once in every round, and a ratio is the median over the rounds of the ratio within
//! a round, so that what disturbs one case disturbs its baseline as well. Times are of the thread's
//! processor, not of the clock on the wall.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

use crate::case::Case;

/// The nanoseconds an operation of one case took, round by round.
#[derive(Debug, Clone)]
pub struct Timing(Vec<f64>);

impl Timing {
    /// The median over all rounds.
    pub fn nanoseconds(&self) -> f64 {
        quantile(self.0.clone(), 0.5)
    }

    /// The median over all rounds of the ratio to `baseline` in the same round.
    pub fn ratio_to(&self, baseline: &Self) -> f64 {
        quantile(
            self.0
                .iter()
                .zip(&baseline.0)
                .map(|(ours, theirs)| ours / theirs)
                .collect(),
            0.5,
        )
    }
}

/// The value below which the share `at` of `values` lies.
pub fn quantile(mut values: Vec<f64>, at: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * at).round() as usize]
}

/// The processor time of this thread so far.
pub fn now() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .expect("there is a clock for threads")
        .into()
}

/// The processor time of all threads of this process so far.
pub fn now_of_all_threads() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
        .expect("there is a clock for processes")
        .into()
}

/// Times `cases`, each for about `slice` in every one of `rounds` rounds.
pub fn interleaved(cases: &[Case], rounds: usize, slice: Duration) -> Vec<Timing> {
    let times: Vec<usize> = cases
        .iter()
        .map(|case| operations_in(case, slice))
        .collect();
    let mut timings = vec![Timing(Vec::with_capacity(rounds)); cases.len()];
    for round in 0..rounds {
        for turn in 0..cases.len() {
            // Each round begins with another case: none always follows the same one.
            let index = (turn + round) % cases.len();
            let start = now();
            cases[index].run(times[index]);
            let spent = now() - start;
            timings[index]
                .0
                .push(spent.as_secs_f64() * 1e9 / times[index] as f64);
        }
    }
    timings
}

/// How many operations, a multiple of the inputs, fill `slice`. Warms the case up on the way.
fn operations_in(case: &Case, slice: Duration) -> usize {
    let mut times = case.inputs();
    // Otherwise a case would run a few times only whose first run works out what the others know.
    case.run(times);
    loop {
        let start = now();
        case.run(times);
        let spent = now() - start;
        if spent * 4 >= slice {
            let wanted = times as f64 * slice.as_secs_f64() / spent.as_secs_f64();
            return ((wanted / case.inputs() as f64).round() as usize).max(1) * case.inputs();
        }
        times *= 2;
    }
}
