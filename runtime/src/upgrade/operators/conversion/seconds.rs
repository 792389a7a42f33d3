//! `convert(…, seconds)`: a duration such as `1h30m` as a number of seconds, or back.

use super::duration::{self, Unit};
use super::signature::{Back, Convert, Result, Signature};
use crate::value::Number;

pub(super) struct Seconds;

const UNIT: Unit = Unit {
    name: "seconds",
    nanoseconds: 1_000_000_000,
};

impl Convert for Seconds {
    const SIGNATURES: &'static [Signature] = duration::SIGNATURES;
    const STARTS: &'static [u8] = duration::STARTS;
    const BACK: Back = Back::Itself;

    fn of_text(text: &str) -> Result<'_> {
        UNIT.counted(text)
    }

    fn of_number(number: &Number) -> Result<'static> {
        UNIT.written(number)
    }
}
