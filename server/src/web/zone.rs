//! The zone of the times on all pages: UTC, or another one that a reader has chosen. A cookie keeps it, so that it needs no script.

use std::fmt;

use axum::extract::Request;
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::Response;

use super::cookies::cookie;
use crate::model::Timestamp;

const COOKIE: &str = "upstate_zone";

/// The offsets from UTC that are in use somewhere, in minutes.
const OFFSETS: [i64; 40] = [
    -720, -660, -600, -570, -540, -480, -420, -360, -300, -240, -210, -180, -150, -120, -60, 0, 60, 120, 180, 210, 240, 270, 300,
    330, 345, 360, 390, 420, 480, 525, 540, 570, 600, 630, 660, 720, 765, 780, 825, 840,
];

tokio::task_local! {
    /// The zone of the request that is being answered: each time on a page has it, however deep in the page.
    static HERE: Zone;
}

/// The offset of a zone from UTC, in minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Zone(i64);

impl Zone {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        OFFSETS.into_iter().map(Self)
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::all().find(|zone| zone.to_string() == name)
    }

    /// The zone of the page that is being made.
    pub(super) fn here() -> Self {
        HERE.try_with(|zone| *zone).unwrap_or_default()
    }

    fn of(headers: &HeaderMap) -> Self {
        cookie(headers, COOKIE).and_then(Self::named).unwrap_or_default()
    }

    /// The cookie that keeps it for a year.
    pub(super) fn cookie(self, secure: bool) -> String {
        format!("{COOKIE}={self}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000{}", if secure { "; Secure" } else { "" })
    }

    /// The day and the time of a moment, to the second.
    pub(super) fn read(self, at: Timestamp) -> (String, String) {
        let text = Timestamp::from_millis(at.as_millis().saturating_add(self.0 * 60_000)).to_string();
        let (day, time) = text.split_once('T').unwrap_or((&text, ""));
        (day.to_owned(), time.split('.').next().unwrap_or_default().to_owned())
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("UTC");
        }
        let (sign, minutes) = (if self.0 < 0 { '-' } else { '+' }, self.0.abs());
        write!(f, "UTC{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
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
        let names: Vec<String> = Zone::all().map(|zone| zone.to_string()).collect();
        assert!(names.iter().all(|name| Zone::named(name).is_some_and(|zone| zone.to_string() == *name)), "{names:?}");
        assert_eq!((Zone::named("UTC"), Zone::named("UTC+01:07"), Zone::named("")), (Some(Zone(0)), None, None));
        let at = Timestamp::from_millis(1_795_312_863_045);
        for (zone, day, time) in
            [("UTC", "2026-11-22", "02:01:03"), ("UTC+05:45", "2026-11-22", "07:46:03"), ("UTC-09:30", "2026-11-21", "16:31:03")]
        {
            let read = Zone::named(zone).unwrap().read(at);
            assert_eq!((&*read.0, &*read.1), (day, time), "{zone}");
        }
    }
}
