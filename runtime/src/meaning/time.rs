//! A time as RFC 3339 writes it.
//!
//! The calendar is our own: every user of this crate compiles its dependencies, and `time` would
//! add five for this one type.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::InvalidText;

/// A moment: `2026-01-02T03:04:05Z`. It is written in UTC, so `2026-01-02T04:04:05.0+01:00` is the
/// same; the zone that it was read in is known, and no part of it.
///
/// ```
/// use upstate::meaning::Timestamp;
///
/// let time: Timestamp = "2026-01-02T04:04:05+01:00".parse()?;
/// assert_eq!(time.to_string(), "2026-01-02T03:04:05Z");
/// assert_eq!(time.in_its_zone().to_string(), "2026-01-02T04:04:05+01:00");
/// assert_eq!(Timestamp::from_unix(time.unix_seconds() + 86_400, 0).unwrap().to_string(), "2026-01-03T03:04:05Z");
/// assert!(Timestamp::now() > time);
/// # Ok::<(), upstate::meaning::InvalidText>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Timestamp {
    /// Since 1970.
    seconds: i64,
    nanos: u32,
    /// The number of minutes by which clocks were ahead of UTC in the zone in which the time was
    /// written.
    ahead: i16,
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Self) -> bool {
        (self.seconds, self.nanos) == (other.seconds, other.nanos)
    }
}

impl Eq for Timestamp {}

impl PartialOrd for Timestamp {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timestamp {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.seconds, self.nanos).cmp(&(other.seconds, other.nanos))
    }
}

impl Hash for Timestamp {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.seconds, self.nanos).hash(state);
    }
}

const EXPECTED: InvalidText = InvalidText::new("a time such as 2026-01-02T03:04:05Z");

/// The first and the last second of the years 0 to 9999, which is what RFC 3339 can write.
const FIRST: i64 = -62_167_219_200;
const LAST: i64 = 253_402_300_799;

impl Timestamp {
    /// The moment that is so many seconds after 1970, or before it; nothing if RFC 3339 cannot
    /// write it, which has the years 0 to 9999, or if there are more nanoseconds than a second has.
    pub fn from_unix(seconds: i64, nanos: u32) -> Option<Self> {
        ((FIRST..=LAST).contains(&seconds) && nanos < 1_000_000_000).then_some(Self {
            seconds,
            nanos,
            ahead: 0,
        })
    }

    /// The time now; 1970 if the clock is set to something that RFC 3339 cannot write.
    pub fn now() -> Self {
        Self::try_from(SystemTime::now()).unwrap_or(Self {
            seconds: 0,
            nanos: 0,
            ahead: 0,
        })
    }

    /// The number of minutes by which clocks are ahead of UTC in the zone that the time was read
    /// in: 60 for `+01:00`.
    pub fn minutes_ahead(&self) -> i16 {
        self.ahead
    }

    /// That moment in another zone; nothing if clocks are a day or more from UTC there.
    #[must_use]
    pub fn with_minutes_ahead(self, minutes: i16) -> Option<Self> {
        (minutes.unsigned_abs() < 24 * 60).then_some(Self {
            ahead: minutes,
            ..self
        })
    }

    /// It as it is written in its zone: `2026-01-02T04:04:05+01:00`.
    pub fn in_its_zone(&self) -> impl fmt::Display {
        InItsZone(*self)
    }

    /// The number of seconds since 1970, without the fraction.
    pub fn unix_seconds(&self) -> i64 {
        self.seconds
    }

    /// The fraction of a second, in nanoseconds.
    pub fn nanos(&self) -> u32 {
        self.nanos
    }
}

/// The time as the system has it; nothing if the system does not know such times.
impl TryFrom<Timestamp> for SystemTime {
    type Error = InvalidText;

    fn try_from(time: Timestamp) -> Result<Self, InvalidText> {
        let whole = Duration::from_secs(time.seconds.unsigned_abs());
        let whole = if time.seconds < 0 {
            UNIX_EPOCH.checked_sub(whole)
        } else {
            UNIX_EPOCH.checked_add(whole)
        };
        whole
            .and_then(|whole| whole.checked_add(Duration::from_nanos(time.nanos.into())))
            .ok_or(EXPECTED)
    }
}

impl TryFrom<SystemTime> for Timestamp {
    type Error = InvalidText;

    fn try_from(time: SystemTime) -> Result<Self, InvalidText> {
        let seconds = |length: Duration| i64::try_from(length.as_secs()).map_err(|_| EXPECTED);
        let (seconds, nanos) = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => (seconds(after)?, after.subsec_nanos()),
            Err(before) => match before.duration() {
                before if before.subsec_nanos() == 0 => (-seconds(before)?, 0),
                before => (-seconds(before)? - 1, 1_000_000_000 - before.subsec_nanos()),
            },
        };
        Self::from_unix(seconds, nanos).ok_or(EXPECTED)
    }
}

/// Digits of the text, and nothing else.
fn digits(text: &str, from: usize, to: usize) -> Result<i64, InvalidText> {
    let part = text
        .get(from..to)
        .filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    part.and_then(|part| part.parse().ok()).ok_or(EXPECTED)
}

/// The number of days from the beginning of 1970 to a date of the Gregorian calendar; negative for
/// a date before it.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that the leap day is their last.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date that many days after 1970.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (era * 400 + year + later, month, day)
}

fn is_date(year: i64, month: i64, day: i64) -> bool {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=last).contains(&day)
}

impl FromStr for Timestamp {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let separators = [(4, "-"), (7, "-"), (13, ":"), (16, ":")];
        let separated = separators
            .iter()
            .all(|(at, separator)| text.get(*at..*at + 1) == Some(separator));
        if !separated || !matches!(text.get(10..11), Some("T" | "t")) {
            return Err(EXPECTED);
        }
        let (year, month, day) = (
            digits(text, 0, 4)?,
            digits(text, 5, 7)?,
            digits(text, 8, 10)?,
        );
        let (hour, minute, second) = (
            digits(text, 11, 13)?,
            digits(text, 14, 16)?,
            digits(text, 17, 19)?,
        );
        // A leap second has no second of its own since 1970.
        if !is_date(year, month, day) || hour > 23 || minute > 59 || second > 59 {
            return Err(EXPECTED);
        }
        let rest = text.get(19..).ok_or(EXPECTED)?;
        let (fraction, zone) = match rest.strip_prefix('.') {
            Some(after) => {
                let end = after
                    .find(|letter: char| !letter.is_ascii_digit())
                    .ok_or(EXPECTED)?;
                after
                    .split_at_checked(end)
                    .filter(|(fraction, _)| !fraction.is_empty())
                    .ok_or(EXPECTED)?
            }
            None => ("", rest),
        };
        let finer_than_nanos = fraction
            .get(9..)
            .is_some_and(|rest| rest.bytes().any(|byte| byte != b'0'));
        if finer_than_nanos {
            return Err(InvalidText::new(
                "a time of no more than nine digits after the second",
            ));
        }
        let nanos: u32 = format!("{:0<9}", fraction.get(..9).unwrap_or(fraction))
            .parse()
            .map_err(|_| EXPECTED)?;
        let offset = match zone {
            "Z" | "z" => 0,
            zone => {
                let sign = match zone.get(..1) {
                    Some("+") => 1,
                    Some("-") => -1,
                    _ => return Err(EXPECTED),
                };
                let (hours, minutes) = (digits(zone, 1, 3)?, digits(zone, 4, 6)?);
                if zone.get(3..4) != Some(":") || zone.len() != 6 || hours > 23 || minutes > 59 {
                    return Err(EXPECTED);
                }
                sign * (hours * 3600 + minutes * 60)
            }
        };
        let seconds =
            days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
                - offset;
        if !(FIRST..=LAST).contains(&seconds) {
            return Err(EXPECTED);
        }
        let ahead = i16::try_from(offset / 60).map_err(|_| EXPECTED)?;
        Ok(Self {
            seconds,
            nanos,
            ahead,
        })
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_local(f, self.seconds, self.nanos)?;
        f.write_str("Z")
    }
}

/// Writes a date and a time of day.
fn write_local(f: &mut fmt::Formatter<'_>, seconds: i64, nanos: u32) -> fmt::Result {
    let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    write!(
        f,
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
    )?;
    if nanos > 0 {
        write!(f, ".{}", format!("{nanos:09}").trim_end_matches('0'))?;
    }
    Ok(())
}

/// A moment as it is written in its zone.
struct InItsZone(Timestamp);

impl fmt::Display for InItsZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(time) = self;
        let local = time.seconds + i64::from(time.ahead) * 60;
        // The first and the last hours of all have no date elsewhere.
        if time.ahead == 0 || !(FIRST..=LAST).contains(&local) {
            return write!(f, "{time}");
        }
        write_local(f, local, time.nanos)?;
        let (sign, ahead) = (
            if time.ahead < 0 { '-' } else { '+' },
            time.ahead.unsigned_abs(),
        );
        write!(f, "{sign}{:02}:{:02}", ahead / 60, ahead % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_in_one_way() {
        for (text, written) in [
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
            ("2026-01-02T04:04:05.000+01:00", "2026-01-02T03:04:05Z"),
            ("2024-02-29t23:59:59.120z", "2024-02-29T23:59:59.12Z"),
            ("2024-02-29T23:30:00-02:30", "2024-03-01T02:00:00Z"),
            ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.5Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
            (
                "9999-12-31T23:59:59.999999999Z",
                "9999-12-31T23:59:59.999999999Z",
            ),
            (
                "2026-01-02T03:04:05.1230000000Z",
                "2026-01-02T03:04:05.123Z",
            ),
        ] {
            assert_eq!(
                text.parse::<Timestamp>().unwrap().to_string(),
                written,
                "{text}"
            );
        }
    }

    #[test]
    fn a_moment_is_made_of_a_clock_and_knows_its_zone() {
        let time: Timestamp = "2024-02-29T23:30:00.5-02:30".parse().unwrap();
        assert_eq!(
            (
                time.minutes_ahead(),
                time.in_its_zone().to_string().as_str()
            ),
            (-150, "2024-02-29T23:30:00.5-02:30")
        );
        assert_eq!(time, "2024-03-01T02:00:00.5Z".parse().unwrap());
        assert_eq!(
            SystemTime::try_from(time)
                .ok()
                .and_then(|it| Timestamp::try_from(it).ok()),
            Some(time)
        );
        assert_eq!(
            time.with_minutes_ahead(60)
                .unwrap()
                .in_its_zone()
                .to_string(),
            "2024-03-01T03:00:00.5+01:00"
        );
        assert!(time.with_minutes_ahead(1440).is_none());
        for text in [
            "0000-01-01T00:00:00Z",
            "1969-12-31T23:59:58.5Z",
            "1969-12-31T23:59:59Z",
            "9999-12-31T23:59:59Z",
        ] {
            let time: Timestamp = text.parse().unwrap();
            assert_eq!(
                Timestamp::from_unix(time.unix_seconds(), time.nanos()),
                Some(time)
            );
            if let Ok(system) = SystemTime::try_from(time) {
                assert_eq!(Timestamp::try_from(system), Ok(time), "{text}");
            }
        }
        let edge: Timestamp = "9999-12-31T23:59:59Z".parse().unwrap();
        assert_eq!(
            edge.with_minutes_ahead(60)
                .unwrap()
                .in_its_zone()
                .to_string(),
            "9999-12-31T23:59:59Z"
        );
        assert_eq!(
            (
                Timestamp::from_unix(LAST + 1, 0),
                Timestamp::from_unix(0, 1_000_000_000)
            ),
            (None, None)
        );
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in [
            "",
            "2026-01-02",
            "2026-01-02 03:04:05Z",
            "2026-1-02T03:04:05Z",
            "2025-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-02T24:00:00Z",
            "2026-01-02T03:60:05Z",
            "2026-01-02T03:04:60Z",
            "2026-01-02T03:04:05",
            "2026-01-02T03:04:05.Z",
            "2026-01-02T03:04:05.5",
            "2026-01-02T03:04:05+1:00",
            "2026-01-02T03:04:05+01:00x",
            "2026-01-02T03:04:05é",
            "0000-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-01:00",
            "2026-01-02T03:04:05.1234567891Z",
            "+026-01-02T03:04:05Z",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_day_of_400_years_is_the_one_after_the_day_before() {
        let first = days_since_1970(1800, 1, 1);
        let mut before = date(first - 1);
        for day in first..first + 146_097 {
            let (year, month, of_month) = date(day);
            assert!(is_date(year, month, of_month));
            assert_eq!(days_since_1970(year, month, of_month), day);
            assert!(before < (year, month, of_month));
            before = (year, month, of_month);
        }
    }

    #[test]
    fn the_system_knows_it() {
        let time: Timestamp = "1969-12-31T23:59:58.5Z".parse().unwrap();
        assert_eq!(
            SystemTime::try_from(time),
            Ok(UNIX_EPOCH - Duration::from_millis(1500))
        );
        assert_eq!((time.unix_seconds(), time.nanos()), (-2, 500_000_000));
    }
}
