//! Days on which releases were made.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use time::{Month, OffsetDateTime};

/// A day of the calendar, as UTC has it: `2026-11-22`.
///
/// ```
/// use upstate_compat::Date;
///
/// let released: Date = "2026-02-20".parse()?;
/// assert_eq!(released.days_until("2026-03-01".parse()?), 9);
/// assert!("2026-02-30".parse::<Date>().is_err());
/// # Ok::<(), upstate_compat::DateError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(time::Date);

/// A string that is not a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateError(String);

upstate::__error!(
    DateError | self | "{:?} is not a day such as 2026-11-22",
    self.0
);

impl Date {
    /// The day that it is now.
    #[must_use]
    pub fn today() -> Self {
        Self(OffsetDateTime::now_utc().date())
    }

    /// The number of days from this one to `later`; 0 if `later` comes before it.
    #[must_use]
    pub fn days_until(self, later: Self) -> u64 {
        u64::try_from((later.0 - self.0).whole_days()).unwrap_or(0)
    }
}

impl FromStr for Date {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Self, DateError> {
        let digits = |text: &str, count: usize| {
            if text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit()) {
                text.parse::<u16>().ok()
            } else {
                None
            }
        };
        let mut parts = text.split('-');
        let day = match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(year), Some(month), Some(day), None) => {
                let (year, month, day) = (digits(year, 4), digits(month, 2), digits(day, 2));
                let small =
                    |number: Option<u16>| number.and_then(|number| u8::try_from(number).ok());
                let month = small(month).and_then(|month| Month::try_from(month).ok());
                year.zip(month)
                    .zip(small(day))
                    .and_then(|((year, month), day)| {
                        time::Date::from_calendar_date(i32::from(year), month, day).ok()
                    })
            }
            _ => None,
        };
        day.map(Self)
            .ok_or_else(|| DateError(text.chars().take(40).collect()))
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.0.to_calendar_date();
        write!(f, "{year:04}-{:02}-{day:02}", u8::from(month))
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
