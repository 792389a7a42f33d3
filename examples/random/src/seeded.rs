//! The numbers that Go's `math/rand` makes of a seed. Users who pinned a result with a seed get the result of the provider in Go.
//!
//! It is a lagged Fibonacci generator: each number is the sum of the ones 607 and 273 before it. Go mixes into the first 607, which a small generator
//! makes of the seed, what the same recurrence has after 7.8 · 10¹² numbers, a table in its sources. Here the table is computed: a number far ahead is a
//! sum of the first ones, with the factors of a power of x modulo the recurrence's polynomial, and powers take one squaring a bit.

use std::sync::LazyLock;

/// The number of values that the generator remembers.
const LENGTH: usize = 607;
/// The distance back to the second summand.
pub(crate) const LAG: usize = 273;
/// The number of values that Go ran ahead.
const AHEAD: u64 = 7_800_000_000_000;

/// Seeds are CRC-64 sums, of the polynomial of ISO 3309.
const SUM: crc::Crc<u64> = crc::Crc::<u64>::new(&crc::CRC_64_GO_ISO);

/// Numbers that are always the same for a seed.
pub(crate) struct Seeded {
    /// The last 607 numbers, the next one to be replaced at `next`.
    numbers: Vec<u64>,
    next: usize,
}

impl Seeded {
    /// The numbers of a seed; those that nobody can foresee without one.
    pub(crate) fn new(seed: Option<&str>) -> Self {
        let seed = match seed {
            None | Some("") => rand::random(),
            Some(seed) => SUM.checksum(seed.as_bytes()),
        };
        let mixed = first(seed, 40)
            .into_iter()
            .zip(FAR_AHEAD.iter())
            .map(|(number, ahead)| number ^ ahead);
        Self {
            numbers: mixed.collect(),
            next: 0,
        }
    }

    fn number(&mut self) -> u64 {
        let lagged = self
            .numbers
            .get((self.next + LENGTH - LAG) % LENGTH)
            .copied()
            .unwrap_or_default();
        let Some(number) = self.numbers.get_mut(self.next) else {
            return 0;
        };
        *number = number.wrapping_add(lagged);
        self.next = (self.next + 1) % LENGTH;
        *number
    }

    /// A number below a limit, each as likely as any other; 0 if the limit is.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        // Go throws away what would make small numbers likelier, and takes 31 bits where they are enough.
        let bits = if limit >> 31 == 0 { 31 } else { 63 };
        let values = 1_u64 << bits;
        let Some(uneven) = values.checked_rem(limit) else {
            return 0;
        };
        loop {
            let number = (self.number() & (u64::MAX >> 1)) >> (63 - bits);
            if number < values - uneven {
                return number % limit;
            }
        }
    }

    /// The numbers below a length in some order.
    pub(crate) fn permutation(&mut self, length: usize) -> Vec<usize> {
        let mut order = Vec::with_capacity(length);
        for place in 0..length {
            let other = usize::try_from(self.below(place as u64 + 1)).unwrap_or(place);
            order.push(place);
            order.swap(place, other);
        }
        order
    }
}

/// The first numbers of a seed, in the order in which they are replaced.
fn first(seed: u64, shift: u32) -> Vec<u64> {
    const PRIME: i64 = (1 << 31) - 1;
    let mut small = match seed.cast_signed().rem_euclid(PRIME) {
        0 => 89_482_311,
        seed => seed,
    };
    let mut step = || {
        small = small * 48_271 % PRIME;
        small.cast_unsigned()
    };
    for _ in 0..20 {
        step();
    }
    let mut numbers: Vec<u64> = (0..LENGTH)
        .map(|_| (step() << shift) ^ (step() << (shift / 2)) ^ step())
        .collect();
    // Go fills its array from the front, and replaces from the place before the lag to the front.
    numbers.reverse();
    numbers.rotate_left(LAG);
    numbers
}

/// The table of Go's sources.
pub(crate) static FAR_AHEAD: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut known = first(1, 20);
    for at in LENGTH..2 * LENGTH {
        let before = |lag: usize| known.get(at - lag).copied().unwrap_or_default();
        let next: u64 = before(LENGTH).wrapping_add(before(LAG));
        known.push(next);
    }
    let factors = power(AHEAD);
    let ahead = known.windows(LENGTH).take(LENGTH);
    let mut ahead: Vec<u64> = ahead.map(|window| dot(&factors, window)).collect();
    // The next number to be replaced then was elsewhere in Go's array.
    ahead.rotate_right(usize::try_from(AHEAD % LENGTH as u64).unwrap_or_default());
    ahead
});

fn dot(a: &[u64], b: &[u64]) -> u64 {
    a.iter()
        .zip(b)
        .fold(0, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)))
}

/// The factors of a power of x, modulo x⁶⁰⁷ - x³³⁴ - 1.
fn power(exponent: u64) -> Vec<u64> {
    let mut power = vec![0; LENGTH];
    if let Some(one) = power.first_mut() {
        *one = 1;
    }
    for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
        power = reduced(squared(&power));
        if exponent >> bit & 1 == 1 {
            power.insert(0, 0);
            power = reduced(power);
        }
    }
    power
}

fn squared(factors: &[u64]) -> Vec<u64> {
    let mut square = vec![0_u64; 2 * LENGTH - 1];
    for (shift, a) in factors.iter().enumerate() {
        for (sum, b) in square.iter_mut().skip(shift).zip(factors) {
            *sum = sum.wrapping_add(a.wrapping_mul(*b));
        }
    }
    square
}

fn reduced(mut factors: Vec<u64>) -> Vec<u64> {
    while factors.len() > LENGTH
        && let Some(top) = factors.pop()
    {
        let degree = factors.len();
        for lower in [degree - LENGTH, degree - LAG] {
            if let Some(factor) = factors.get_mut(lower) {
                *factor = factor.wrapping_add(top);
            }
        }
    }
    factors
}
