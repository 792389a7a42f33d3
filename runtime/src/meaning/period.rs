//! A length of time as Go writes it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::InvalidText;

/// A length of time: `30m`, `1h15m`, `1.5s`, in the units `h`, `m`, `s`, `ms`, `us` and `ns`, as
/// Terraform's providers write them.
///
/// It is not negative, and at most about 292 years long, as Go's are. It is written as Go writes
/// it, `1h30m0s`. A [`Shift`] may be negative.
///
/// ```
/// use std::time::Duration;
///
/// use upstate::meaning::Period;
///
/// let period: Period = "90m".parse()?;
/// assert_eq!(Duration::from(period), Duration::from_secs(90 * 60));
/// assert_eq!(period.to_string(), "1h30m0s");
/// # Ok::<(), upstate::meaning::InvalidText>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Period(u64);

const EXPECTED: InvalidText = InvalidText::new("a length of time such as 30m or 1h15m");

/// The number of nanoseconds of each unit. A unit whose name begins like another's comes first.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The longest, in nanoseconds.
const LONGEST: u64 = i64::MAX.unsigned_abs();

impl Period {
    /// This length; nothing if it is longer than about 292 years.
    pub fn new(length: Duration) -> Option<Self> {
        u64::try_from(length.as_nanos())
            .ok()
            .filter(|nanos| *nanos <= LONGEST)
            .map(Self)
    }
}

impl From<Period> for Duration {
    fn from(period: Period) -> Self {
        Self::from_nanos(period.0)
    }
}

impl FromStr for Period {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let mut rest = text.strip_prefix('+').unwrap_or(text);
        if rest == "0" {
            return Ok(Self(0));
        }
        let mut nanos = 0_u64;
        while {
            let (length, after) = part(rest).ok_or(EXPECTED)?;
            nanos = nanos
                .checked_add(length)
                .filter(|nanos| *nanos <= LONGEST)
                .ok_or(EXPECTED)?;
            rest = after;
            !rest.is_empty()
        } {}
        Ok(Self(nanos))
    }
}

/// A length of time, forwards or back: `90m`, `-1h30m`, as Go's `ParseDuration` reads it and Go
/// writes it.
///
/// ```
/// use upstate::meaning::Shift;
///
/// let shift: Shift = "-90m".parse()?;
/// assert!(shift.is_back());
/// assert_eq!((shift.to_string(), shift.length().to_string()), ("-1h30m0s".to_owned(), "1h30m0s".to_owned()));
/// # Ok::<(), upstate::meaning::InvalidText>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Shift {
    back: bool,
    length: Period,
}

impl Shift {
    /// Forwards, by this length.
    pub fn forwards(length: Period) -> Self {
        Self {
            back: false,
            length,
        }
    }

    /// Back, by this length.
    pub fn back(length: Period) -> Self {
        Self {
            back: length != Period::default(),
            length,
        }
    }

    /// True if the shift leads back.
    pub fn is_back(&self) -> bool {
        self.back
    }

    /// The length of the shift, forwards or back.
    pub fn length(&self) -> Period {
        self.length
    }
}

impl FromStr for Shift {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        match text.strip_prefix('-') {
            Some(rest) if rest.starts_with('+') => Err(EXPECTED),
            Some(rest) => rest.parse().map(Self::back),
            None => text.parse().map(Self::forwards),
        }
    }
}

impl fmt::Display for Shift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.back {
            f.write_str("-")?;
        }
        write!(f, "{}", self.length)
    }
}

/// A number with its unit at the beginning of a string, in nanoseconds, and what follows.
fn part(text: &str) -> Option<(u64, &str)> {
    let number = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = text.split_at_checked(number(text))?;
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at_checked(number(rest))?,
        None => ("", rest),
    };
    let (name, unit) = UNITS.into_iter().find(|(name, _)| rest.starts_with(name))?;
    // A period alone is not a number.
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let nanos = whole
        .checked_mul(unit)?
        .checked_add(fraction_of(fraction, unit))?;
    Some((nanos, rest.strip_prefix(name)?))
}

/// A part of a unit, in nanoseconds, in floating point as Go computes it: a third of an hour that
/// is long enough is 20 minutes.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "as in Go; it is positive"
)]
fn fraction_of(digits: &str, unit: u64) -> u64 {
    let (mut number, mut scale) = (0_u64, 1.0_f64);
    for digit in digits.bytes() {
        let next = number
            .checked_mul(10)
            .and_then(|tens| tens.checked_add(u64::from(digit - b'0')));
        let Some(next) = next.filter(|next| *next <= LONGEST) else {
            break;
        };
        number = next;
        scale *= 10.0;
    }
    (number as f64 * (unit as f64 / scale)) as u64
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimal = |f: &mut fmt::Formatter<'_>, nanos: u64, unit: u64, name: &str| {
            let (whole, fraction) = (nanos / unit, nanos % unit);
            let places = unit.ilog10() as usize;
            let fraction = format!("{fraction:0places$}");
            match fraction.trim_end_matches('0') {
                "" => write!(f, "{whole}{name}"),
                fraction => write!(f, "{whole}.{fraction}{name}"),
            }
        };
        match self.0 {
            0 => f.write_str("0s"),
            nanos @ ..1_000 => write!(f, "{nanos}ns"),
            nanos @ ..1_000_000 => decimal(f, nanos, 1_000, "µs"),
            nanos @ ..1_000_000_000 => decimal(f, nanos, 1_000_000, "ms"),
            nanos => {
                let (minutes, nanos) = (nanos / 60_000_000_000, nanos % 60_000_000_000);
                let (hours, minutes) = (minutes / 60, minutes % 60);
                match (hours, minutes) {
                    (0, 0) => {}
                    (0, minutes) => write!(f, "{minutes}m")?,
                    (hours, minutes) => write!(f, "{hours}h{minutes}m")?,
                }
                decimal(f, nanos, 1_000_000_000, "s")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_and_written_as_go_does() {
        for (text, nanos, written) in [
            ("0", 0, "0s"),
            ("30m", 1_800_000_000_000, "30m0s"),
            ("90m", 5_400_000_000_000, "1h30m0s"),
            (
                "1h15m30.918273645s",
                4_530_918_273_645,
                "1h15m30.918273645s",
            ),
            ("1.5h", 5_400_000_000_000, "1h30m0s"),
            (".5s", 500_000_000, "500ms"),
            ("1.s", 1_000_000_000, "1s"),
            ("+5s", 5_000_000_000, "5s"),
            ("1500us", 1_500_000, "1.5ms"),
            ("1µs", 1_000, "1µs"),
            ("1100ns", 1_100, "1.1µs"),
            ("7ns", 7, "7ns"),
            ("0.3333333333333333333h", 1_200_000_000_000, "20m0s"),
            ("1m1m", 120_000_000_000, "2m0s"),
            (
                "2562047h47m16.854775807s",
                LONGEST,
                "2562047h47m16.854775807s",
            ),
        ] {
            let period: Period = text
                .parse()
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(
                (period.0, period.to_string().as_str()),
                (nanos, written),
                "{text}"
            );
            assert_eq!(written.parse(), Ok(period), "{written}");
            assert_eq!(Period::new(period.into()), Some(period));
        }
    }

    #[test]
    fn a_shift_leads_forwards_or_back() {
        for (text, back, written) in [
            ("90m", false, "1h30m0s"),
            ("-90m", true, "-1h30m0s"),
            ("+5s", false, "5s"),
            ("-0", false, "0s"),
            ("-.5s", true, "-500ms"),
        ] {
            let shift: Shift = text.parse().unwrap();
            assert_eq!(
                (shift.is_back(), shift.to_string().as_str()),
                (back, written),
                "{text}"
            );
            assert_eq!(written.parse(), Ok(shift));
        }
        for text in ["-", "--5s", "-+5s", "", "- 5s"] {
            assert_eq!(text.parse::<Shift>(), Err(EXPECTED), "{text}");
        }
    }

    #[test]
    fn what_go_refuses_is_refused() {
        for text in [
            "",
            "3",
            "-5s",
            "s",
            ".s",
            "1e3s",
            "1 s",
            "30 minutes",
            "+",
            "1x",
            "1h30",
            "2562047h47m16.854775808s",
            "99999999999999999999h",
            "30M",
            "١s",
        ] {
            assert_eq!(text.parse::<Period>(), Err(EXPECTED), "{text}");
        }
        assert_eq!(Period::new(Duration::MAX), None);
    }
}
