//! Durations, as Go writes them, and as numbers of a unit.

use std::borrow::Cow;

use super::super::scalar::{Makes, Refusal, Scalar};
use super::signature::{Kind, Result, Signature};
use crate::upgrade::verdict::Weight;
use crate::value::Number;

/// The units of a duration, each with its nanoseconds. Go has no days and weeks; services that have
/// them write them so.
const UNITS: [(&str, i128); 10] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60 * 1_000_000_000),
    ("h", 3_600 * 1_000_000_000),
    ("d", 86_400 * 1_000_000_000),
    ("w", 604_800 * 1_000_000_000),
];

/// The results for a duration, and for a number.
pub(super) const SIGNATURES: &[Signature] = &[
    Signature {
        from: Kind::Text,
        to: Kind::Number,
        lost: Some("the spelling of the duration"),
        refused: Some("a string that is not a duration of whole units"),
        back: &[(
            Weight::Refused,
            "a number that is too large for a duration, or not whole",
        )],
    },
    // Nothing is lost, since a number has one spelling.
    Signature {
        from: Kind::Number,
        to: Kind::Text,
        lost: None,
        refused: Some("a number that is too large for a duration, or not whole"),
        back: &[
            (Weight::Lost, "another spelling of the duration"),
            (
                Weight::Refused,
                "a string that is not a duration of whole units",
            ),
        ],
    },
];

/// The letters that a duration may begin with.
pub(super) const STARTS: &[u8] = b"0123456789.-+";

/// A conversion between durations and numbers of a unit.
macro_rules! counts {
    ($unit:ident $name:literal $nanoseconds:literal) => {
        use super::duration::{SIGNATURES, STARTS, Unit};
        use super::signature::{Back, Convert, Result, Signature};
        use crate::value::Number;

        pub(super) struct $unit;

        const UNIT: Unit = Unit {
            name: $name,
            nanoseconds: $nanoseconds,
        };

        impl Convert for $unit {
            const SIGNATURES: &'static [Signature] = SIGNATURES;
            const STARTS: &'static [u8] = STARTS;
            const BACK: Back = Back::Itself;

            fn of_text(text: &str) -> Result<'_> {
                UNIT.counted(text)
            }

            fn of_number(number: &Number) -> Result<'static> {
                UNIT.written(number)
            }
        }
    };
}
pub(super) use counts;

/// The unit that a number counts.
pub(super) struct Unit {
    pub(super) name: &'static str,
    pub(super) nanoseconds: i64,
}

impl Unit {
    /// Counts them in a duration.
    pub(super) fn counted(&self, text: &str) -> Result<'static> {
        Ok(Makes::Scalar(Scalar::Number(Number::from(
            self.count(text)?,
        ))))
    }

    /// The number of them in a duration, which has to be a whole one.
    fn count(&self, text: &str) -> std::result::Result<i64, Refusal<'static>> {
        let nanoseconds = nanoseconds(text)?;
        if nanoseconds % self.nanoseconds == 0 {
            Ok(nanoseconds / self.nanoseconds)
        } else {
            Err(Refusal::NotWhole(self.name))
        }
    }

    /// A number of them as a duration, as Go writes it.
    pub(super) fn written(&self, number: &Number) -> Result<'static> {
        if !number.is_whole() {
            return Err(Refusal::NotWhole(self.name));
        }
        let nanoseconds = number
            .as_i64()
            .map(|count| i128::from(count) * i128::from(self.nanoseconds));
        let Some(nanoseconds) =
            nanoseconds.filter(|nanoseconds| i64::try_from(*nanoseconds).is_ok())
        else {
            return Err(Refusal::TooLong(Some(self.name)));
        };
        Ok(Makes::Scalar(Scalar::Text(Cow::Owned(duration(
            nanoseconds / 1_000_000,
        )))))
    }
}

/// The length of a duration such as `1h30m`, `-1.5s` or `0`. Without a unit, nothing but zero is
/// one, as in Go.
fn nanoseconds(text: &str) -> std::result::Result<i64, Refusal<'static>> {
    let nanoseconds = unlimited_nanoseconds(text).ok_or(Refusal::NoDuration)?;
    nanoseconds
        .and_then(|nanoseconds| i64::try_from(nanoseconds).ok())
        .ok_or(Refusal::TooLong(None))
}

/// The length of a duration; nothing if it is not one, and nothing inside if it is longer than can
/// be counted here.
#[expect(clippy::option_option, reason = "the two are refused differently")]
fn unlimited_nanoseconds(text: &str) -> Option<Option<i128>> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(Some(0));
    }
    let mut all: Option<i128> = Some(0);
    loop {
        let end = rest.find(|c: char| c != '.' && !c.is_ascii_digit())?;
        let (number, behind) = rest.split_at_checked(end)?;
        let end = behind
            .find(|c: char| c == '.' || c.is_ascii_digit())
            .unwrap_or(behind.len());
        let (unit, behind) = behind.split_at_checked(end)?;
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
            return None;
        }
        let whole: Option<i128> = if whole.is_empty() {
            Some(0)
        } else {
            whole.parse().ok()
        };
        let whole = whole.and_then(|whole| whole.checked_mul(*unit));
        all = all
            .zip(whole)
            .and_then(|(all, whole)| all.checked_add(whole));
        // Less than a nanosecond does not count.
        let mut place = *unit;
        for digit in fraction.bytes() {
            place /= 10;
            all = all.and_then(|all| all.checked_add(i128::from(digit - b'0') * place));
        }
        if behind.is_empty() {
            return Some(all.map(|all| if negative { -all } else { all }));
        }
        rest = behind;
    }
}

/// A number of milliseconds, as Go writes a duration.
fn duration(milliseconds: i128) -> String {
    let sign = if milliseconds < 0 { "-" } else { "" };
    let all = milliseconds.unsigned_abs();
    let (seconds, thousandths) = (all / 1000, all % 1000);
    if seconds == 0 && thousandths > 0 {
        return format!("{sign}{thousandths}ms");
    }
    let fraction = if thousandths == 0 {
        String::new()
    } else {
        format!(".{thousandths:03}")
            .trim_end_matches('0')
            .to_owned()
    };
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{sign}{rest}{fraction}s"),
        (0, _) => format!("{sign}{minutes}m{rest}{fraction}s"),
        _ => format!("{sign}{hours}h{minutes}m{rest}{fraction}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECONDS: Unit = Unit {
        name: "seconds",
        nanoseconds: 1_000_000_000,
    };
    const MILLISECONDS: Unit = Unit {
        name: "milliseconds",
        nanoseconds: 1_000_000,
    };

    #[test]
    fn durations_are_read_as_go_reads_them() {
        const SECOND: i128 = 1_000_000_000;
        for (text, expected) in [
            ("0", Some(0)),
            ("+0", Some(0)),
            ("1h30m", Some(5400 * SECOND)),
            ("-1.5h", Some(-5400 * SECOND)),
            ("1.s", Some(SECOND)),
            (".5s", Some(SECOND / 2)),
            ("1m0.25s", Some(60 * SECOND + SECOND / 4)),
            ("3µs", Some(3000)),
            ("3μs", Some(3000)),
            ("1s1s", Some(2 * SECOND)),
            ("1.9ns", Some(1)),
            ("2w", Some(14 * 86_400 * SECOND)),
            ("1d12h", Some(36 * 3600 * SECOND)),
            ("2562047h47m16.854775807s", Some(i64::MAX.into())),
            ("2562047h47m16.854775808s", None),
            ("9223372036854775808ns", None),
            ("99999999999999999999h", None),
            ("", None),
            ("-", None),
            ("5", None),
            (".s", None),
            ("1..5s", None),
            ("1 h", None),
            ("1H", None),
            ("--1s", None),
            ("1h30", None),
            ("h", None),
            ("٣s", None),
        ] {
            assert_eq!(nanoseconds(text).ok().map(i128::from), expected, "{text:?}");
        }
    }

    #[test]
    fn durations_are_written_as_go_writes_them() {
        for (milliseconds, expected) in [
            (0, "0s"),
            (1, "1ms"),
            (-500, "-500ms"),
            (1500, "1.5s"),
            (60_000, "1m0s"),
            (61_010, "1m1.01s"),
            (3_600_000, "1h0m0s"),
            (5_400_000, "1h30m0s"),
            (-86_400_000, "-24h0m0s"),
        ] {
            assert_eq!(duration(milliseconds), expected);
            assert_eq!(
                nanoseconds(expected).ok().map(i128::from),
                Some(milliseconds * 1_000_000),
                "{expected}"
            );
        }
    }

    #[test]
    fn what_is_not_whole_is_refused() {
        assert!(matches!(
            SECONDS.count("1500ms"),
            Err(Refusal::NotWhole("seconds"))
        ));
        assert_eq!(MILLISECONDS.count("1.5s").ok(), Some(1500));
        let written = |number: &str| {
            let number: Number = number.parse().unwrap();
            match SECONDS.written(&number) {
                Ok(Makes::Scalar(Scalar::Text(text))) => Some(text.into_owned()),
                _ => None,
            }
        };
        assert_eq!(written("5400").as_deref(), Some("1h30m0s"));
        assert_eq!(written("9223372036").as_deref(), Some("2562047h47m16s"));
        assert_eq!(written("9223372037"), None);
        assert_eq!(written("1.5"), None);
    }
}
