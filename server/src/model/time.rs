//! Points in time, as clients read them.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use time::OffsetDateTime;
use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;

/// Ends in `Z`: go-tfe cannot read an offset such as `+00:00`, and then reports a stored version as
/// failed.
const FORMAT: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

/// A point in time: milliseconds since 1970, UTC.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Now, by the clock of this machine.
    pub fn now() -> Self {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Self(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// From milliseconds since 1970.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// From a time as RFC 3339 writes it, with any offset.
    pub fn parse(text: &str) -> Option<Self> {
        let nanos = OffsetDateTime::parse(text, &Rfc3339)
            .ok()?
            .unix_timestamp_nanos();
        i64::try_from(nanos.div_euclid(1_000_000)).ok().map(Self)
    }

    /// Milliseconds since 1970.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970.
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// A later time.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self(
            self.0
                .saturating_add(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// An earlier time.
    #[must_use]
    pub fn before(self, duration: Duration) -> Self {
        Self(
            self.0
                .saturating_sub(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)),
        )
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = i128::from(self.0) * 1_000_000;
        let text = OffsetDateTime::from_unix_timestamp_nanos(since)
            .ok()
            .and_then(|at| at.format(FORMAT).ok());
        // Beyond the year 9999 there is nothing to say that a client could read.
        f.write_str(text.as_deref().unwrap_or("9999-12-31T23:59:59.999Z"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_with_a_z() {
        assert_eq!(
            Timestamp::from_millis(1_795_312_863_045).to_string(),
            "2026-11-22T02:01:03.045Z"
        );
        assert_eq!(
            Timestamp::from_millis(0).to_string(),
            "1970-01-01T00:00:00.000Z"
        );
        assert_eq!(
            Timestamp::from_millis(i64::MAX).to_string(),
            "9999-12-31T23:59:59.999Z"
        );
    }

    #[test]
    fn it_is_read_with_any_offset() {
        let at = Some(Timestamp::from_millis(1_795_312_863_045));
        assert_eq!(Timestamp::parse("2026-11-22T02:01:03.045Z"), at);
        assert_eq!(Timestamp::parse("2026-11-22T03:31:03.0459+01:30"), at);
        assert_eq!(Timestamp::parse("yesterday"), None);
    }
}
