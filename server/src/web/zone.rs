//! The zone of the times on all pages: UTC, or another one that a reader has chosen. A cookie keeps
//! it, so that it needs no script.

use std::fmt;

use axum::extract::Request;
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::Response;
use jiff::tz::{TimeZone, db};

use super::cookies::cookie;
use crate::model::Timestamp;

const COOKIE: &str = "upstate_zone";

/// The offsets from UTC that are in use somewhere, in minutes.
const OFFSETS: [i64; 40] = [
    -720, -660, -600, -570, -540, -480, -420, -360, -300, -240, -210, -180, -150, -120, -60, 0, 60,
    120, 180, 210, 240, 270, 300, 330, 345, 360, 390, 420, 480, 525, 540, 570, 600, 630, 660, 720,
    765, 780, 825, 840,
];

tokio::task_local! {
    /// The zone of the request that is being answered: each time on a page has it, however deep in
    /// the page.
    static HERE: Zone;
}

/// A zone of times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Zone {
    /// An offset from UTC, in minutes.
    Offset(i64),
    /// That of a place, whose offset may be another one in summer.
    Place(TimeZone),
}

impl Default for Zone {
    fn default() -> Self {
        Self::Offset(0)
    }
}

impl Zone {
    pub(super) fn offsets() -> impl Iterator<Item = Self> {
        OFFSETS.into_iter().map(Self::Offset)
    }

    /// The names of the places, such as `Europe/Berlin`.
    pub(super) fn places() -> Vec<String> {
        let mut places: Vec<String> = db()
            .available()
            .map(|name| name.to_string())
            .filter(|name| is_place(name))
            .collect();
        places.sort_unstable();
        places
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        let place = || {
            TimeZone::get(name)
                .ok()
                .filter(|_| is_place(name))
                .map(Self::Place)
        };
        Self::offsets()
            .find(|zone| zone.to_string() == name)
            .or_else(place)
    }

    /// The zone of the page that is being made.
    pub(super) fn here() -> Self {
        HERE.try_with(Self::clone).unwrap_or_default()
    }

    fn of(headers: &HeaderMap) -> Self {
        cookie(headers, COOKIE)
            .and_then(Self::named)
            .unwrap_or_default()
    }

    /// The cookie that keeps it for a year.
    pub(super) fn cookie(&self, secure: bool) -> String {
        format!(
            "{COOKIE}={self}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000{}",
            if secure { "; Secure" } else { "" }
        )
    }

    /// The day and the time of a moment, to the second.
    pub(super) fn read(&self, at: Timestamp) -> (String, String) {
        let text = Timestamp::from_millis(at.as_millis().saturating_add(self.seconds(at) * 1000))
            .to_string();
        let (day, time) = text.split_once('T').unwrap_or((&text, ""));
        (
            day.to_owned(),
            time.split('.').next().unwrap_or_default().to_owned(),
        )
    }

    /// The offset from UTC at a moment, as people write it.
    pub(super) fn offset(&self, at: Timestamp) -> String {
        written(self.seconds(at) / 60)
    }

    /// The offset from UTC at a moment. In years that no client can read, there is none.
    fn seconds(&self, at: Timestamp) -> i64 {
        match self {
            Self::Offset(minutes) => minutes * 60,
            Self::Place(zone) => jiff::Timestamp::from_millisecond(at.as_millis())
                .map_or(0, |at| zone.to_offset(at).seconds().into()),
        }
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offset(minutes) => f.write_str(&written(*minutes)),
            Self::Place(zone) => f.write_str(zone.iana_name().unwrap_or("UTC")),
        }
    }
}

/// True for the name of a place, and not for one of an offset such as `Etc/GMT+5`, or of former
/// times such as `EST5EDT`.
fn is_place(name: &str) -> bool {
    name.contains('/')
        && !name
            .get(..4)
            .is_some_and(|start| start.eq_ignore_ascii_case("etc/"))
}

/// An offset from UTC in minutes, as people write it.
fn written(offset: i64) -> String {
    if offset == 0 {
        return "UTC".to_owned();
    }
    let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.abs());
    format!("UTC{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Makes a page with its times in the zone of its reader.
pub(super) async fn zoned(request: Request, next: Next) -> Response {
    let zone = Zone::of(request.headers());
    HERE.scope(zone, next.run(request)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_known_by_its_name_and_shifts_a_moment() {
        let names: Vec<String> = Zone::offsets()
            .map(|zone| zone.to_string())
            .chain(Zone::places())
            .collect();
        assert!(
            names
                .iter()
                .all(|name| Zone::named(name).is_some_and(|zone| zone.to_string() == *name)),
            "{names:?}"
        );
        assert_eq!(
            (
                Zone::named("UTC"),
                Zone::named("UTC+01:07"),
                Zone::named("")
            ),
            (Some(Zone::Offset(0)), None, None)
        );
        let at = Timestamp::from_millis(1_795_312_863_045);
        for (zone, day, time) in [
            ("UTC", "2026-11-22", "02:01:03"),
            ("UTC+05:45", "2026-11-22", "07:46:03"),
            ("UTC-09:30", "2026-11-21", "16:31:03"),
        ] {
            let read = Zone::named(zone).unwrap().read(at);
            assert_eq!((&*read.0, &*read.1), (day, time), "{zone}");
        }
    }
    #[test]
    fn a_place_has_summer_time() {
        let zone = Zone::named("europe/berlin").unwrap();
        assert_eq!(zone.to_string(), "Europe/Berlin");
        for (at, day, time, offset) in [
            (
                "2026-11-22T02:01:03Z",
                "2026-11-22",
                "03:01:03",
                "UTC+01:00",
            ),
            (
                "2026-07-01T22:30:00Z",
                "2026-07-02",
                "00:30:00",
                "UTC+02:00",
            ),
        ] {
            let at = Timestamp::parse(at).unwrap();
            let read = zone.read(at);
            assert_eq!((&*read.0, &*read.1, &*zone.offset(at)), (day, time, offset));
        }
        assert_eq!(zone.offset(Timestamp::from_millis(i64::MAX)), "UTC");
        assert!(Zone::places().iter().any(|name| name == "Asia/Kathmandu"));
        for none in [
            "Berlin",
            "EST5EDT",
            "Etc/Unknown",
            "etc/GMT+5",
            "Europe/Nowhere",
            "../etc/localtime",
        ] {
            assert_eq!(Zone::named(none), None, "{none}");
        }
    }
}
