//! Date types of the three crates that have them: what is read is written again, as RFC 3339.

use upstate::{Object, from_json, to_json};

/// Reads and writes a document of one member.
macro_rules! again {
    ($model:ty, $json:expr) => {{
        let read: $model = from_json($json).unwrap();
        String::from_utf8(to_json(&read).unwrap()).unwrap()
    }};
}

mod with_chrono {
    use super::*;
    use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};

    #[derive(Object)]
    struct Dates {
        #[attribute(as_string)]
        at: DateTime<Utc>,
        #[attribute(as_string)]
        day: NaiveDate,
        #[attribute(as_string)]
        here: Option<DateTime<FixedOffset>>,
        #[attribute(as_string)]
        local: NaiveDateTime,
        #[attribute(as_string)]
        time: NaiveTime,
    }

    #[test]
    fn as_string_writes_what_it_read() {
        for json in [
            r#"{"at":"2026-01-02T03:04:05Z","day":"2026-01-02","here":"2026-01-02T03:04:05+02:00","local":"2026-01-02T03:04:05","time":"03:04:05"}"#,
            r#"{"at":"2026-01-02T03:04:05.120Z","day":"2026-12-31","here":"1996-12-19T16:39:57.000001-08:00","local":"2026-01-02T03:04:05.500","time":"23:59:59.250"}"#,
            r#"{"at":"0001-01-01T00:00:00Z","day":"0001-01-01","here":null,"local":"0001-01-01T00:00:00","time":"00:00:00"}"#,
        ] {
            assert_eq!(again!(Dates, json), json);
        }
        // Other spellings of the same time become this one.
        let json = again!(
            Dates,
            r#"{"at":"2026-01-02 03:04:05 UTC","day":"2026-01-02","local":"2026-01-02T03:04:05","time":"03:04:05"}"#
        );
        assert!(
            json.starts_with(r#"{"at":"2026-01-02T03:04:05Z""#),
            "{json}"
        );
    }
}

mod with_jiff {
    use super::*;
    use jiff::Timestamp;
    use jiff::civil::{Date, DateTime};

    #[derive(Object)]
    struct Dates {
        #[attribute(as_string)]
        at: Timestamp,
        #[attribute(as_string)]
        day: Date,
        #[attribute(as_string)]
        local: DateTime,
    }

    #[test]
    fn as_string_writes_what_it_read() {
        for json in [
            r#"{"at":"2026-01-02T03:04:05Z","day":"2026-01-02","local":"2026-01-02T03:04:05"}"#,
            r#"{"at":"2026-01-02T03:04:05.12Z","day":"2026-12-31","local":"2026-01-02T03:04:05.5"}"#,
        ] {
            assert_eq!(again!(Dates, json), json);
        }
    }
}

/// Its types do not implement `FromStr`, so `as_string` does not compile: the guide shows this
/// module.
mod with_time {
    use super::*;
    use time::OffsetDateTime;

    mod rfc3339 {
        use time::OffsetDateTime;
        use time::format_description::well_known::Rfc3339;

        pub(super) fn read(stored: String) -> Result<OffsetDateTime, time::error::Parse> {
            OffsetDateTime::parse(&stored, &Rfc3339)
        }

        pub(super) fn write(at: &OffsetDateTime) -> String {
            at.format(&Rfc3339).unwrap_or_default()
        }
    }

    #[derive(Object)]
    struct Dates {
        #[attribute(with = rfc3339)]
        at: OffsetDateTime,
    }

    #[test]
    fn a_module_writes_what_it_read() {
        for json in [
            r#"{"at":"2026-01-02T03:04:05Z"}"#,
            r#"{"at":"2026-01-02T03:04:05.12+02:00"}"#,
        ] {
            assert_eq!(again!(Dates, json), json);
        }
    }
}

/// A type of one's own that only looks like a date is written as it says.
mod with_others {
    use std::fmt;
    use std::str::FromStr;

    use super::*;

    struct Sentence(String);

    impl FromStr for Sentence {
        type Err = String;

        fn from_str(text: &str) -> Result<Self, String> {
            Ok(Self(text.to_owned()))
        }
    }

    impl fmt::Display for Sentence {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(&self.0)
        }
    }

    #[derive(Object)]
    struct Said {
        #[attribute(as_string)]
        text: Sentence,
    }

    #[test]
    fn what_only_looks_like_a_date_stays() {
        for json in [
            r#"{"text":"2026-01-02 03:04:05 UTC"}"#,
            r#"{"text":"2026-01-02 is a day"}"#,
            r#"{"text":"é026-01-02 03:04:05"}"#,
        ] {
            assert_eq!(again!(Said, json), json);
        }
    }
}
