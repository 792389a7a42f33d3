//! A row of a database that holds an enum with data, with its version in a column of its own: by
//! hand, with upstate and with five other crates.
//!
//! Version 1 has a variant under another name and one more; version 2 renames a member of a variant
//! and has a variant less.

#[cfg(feature = "peers")]
mod binary;
mod by_hand;
#[cfg(feature = "peers")]
mod magic_migrate;
#[cfg(feature = "peers")]
mod native_model;
#[cfg(feature = "peers")]
mod obake;
#[cfg(feature = "peers")]
mod revision;
mod upstate;
#[cfg(feature = "peers")]
mod version_migrate;

use serde_json::{Value, json};

/// The JSON of the current version, and the paths of what is not in it.
#[derive(Debug)]
struct Read {
    json: String,
    reports: Vec<String>,
}

impl Read {
    /// JSON from a contender that reports nothing.
    fn silent(json: String) -> Self {
        Self {
            json,
            reports: Vec::new(),
        }
    }
}

/// A function that makes the row of version 1 again.
type Back = fn(&str) -> Result<String, String>;

/// One way of reading the rows.
struct Contender {
    name: &'static str,
    source: &'static str,
    read: fn(u64, &str) -> Result<Read, String>,
    /// Nothing where the contender cannot make it.
    back: Option<Back>,
}

const CONTENDERS: &[Contender] = &[
    Contender {
        name: "by hand",
        source: include_str!("by_hand.rs"),
        read: |version, json| {
            by_hand::read(version, json).map(|event| Read::silent(by_hand::write(&event)))
        },
        back: None,
    },
    Contender {
        name: "upstate",
        source: include_str!("upstate.rs"),
        read: |version, json| {
            upstate::read(version, json).map(|(event, reports)| Read {
                json: upstate::write(&event),
                reports,
            })
        },
        back: Some(upstate::back),
    },
    #[cfg(feature = "peers")]
    Contender {
        name: "obake",
        source: include_str!("obake.rs"),
        read: |version, json| {
            obake::read(version, json).map(|event| Read::silent(obake::write(&event)))
        },
        back: None,
    },
    #[cfg(feature = "peers")]
    Contender {
        name: "magic_migrate",
        source: include_str!("magic_migrate.rs"),
        // It finds the version by trying, and takes none.
        read: |_, json| {
            magic_migrate::read(json).map(|event| Read::silent(magic_migrate::write(&event)))
        },
        back: None,
    },
    #[cfg(feature = "peers")]
    Contender {
        name: "native_model",
        source: include_str!("native_model.rs"),
        read: |version, json| {
            native_model::read(version, json).map(|event| Read::silent(native_model::write(&event)))
        },
        back: Some(native_model::back),
    },
    #[cfg(feature = "peers")]
    Contender {
        name: "revision",
        source: include_str!("revision.rs"),
        read: |version, json| {
            let event = revision::read(&binary::row(version, json))?;
            Ok(Read::silent(binary::content(&revision::write(&event))))
        },
        back: None,
    },
    #[cfg(feature = "peers")]
    Contender {
        name: "version-migrate",
        source: include_str!("version_migrate.rs"),
        read: |version, json| {
            version_migrate::read(version, json)
                .map(|event| Read::silent(version_migrate::write(&event)))
        },
        back: None,
    },
];

/// The row of a sale, as a release of `version` wrote it.
fn sale(version: u64) -> Value {
    let (kind, amount) = match version {
        0 => ("sale", "cents"),
        1 => ("sold", "cents"),
        _ => ("sold", "amount"),
    };
    json!({"at": 5, "change": {"kind": kind, "item": "tea", amount: 250}})
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

#[test]
fn every_contender_reads_every_version() {
    for Contender { name, read, .. } in CONTENDERS {
        for version in 0..=2 {
            let sold = read(version, &sale(version).to_string()).unwrap();
            assert_eq!(parsed(&sold.json), sale(2), "{name} from version {version}");
            assert!(sold.reports.is_empty(), "{name}: {:?}", sold.reports);
        }
        let coupon = r#"{"at":5,"change":{"kind":"coupon","code":"c7"}}"#;
        for version in 0..=1 {
            let opened = read(version, coupon).unwrap();
            assert_eq!(
                parsed(&opened.json),
                json!({"at": 5, "change": {"kind": "opened"}}),
                "{name} from version {version}"
            );
        }
    }
}

/// The row of the page that compares them. The words for an answer are found in the answer itself.
fn row(contender: &Contender) -> String {
    let is_reported = |version, row: &str, path: &str| match (contender.read)(version, row) {
        Ok(read) if read.reports.iter().any(|report| report.contains(path)) => "reported",
        Ok(_) => "lost silently",
        Err(_) => "refused",
    };
    let later = match (contender.read)(3, r#"{"at":5,"till":2,"change":{"kind":"opened"}}"#) {
        Ok(_) => "read, and what is new is lost",
        Err(_) => "refused",
    };
    let dropped = is_reported(
        1,
        r#"{"at":5,"change":{"kind":"coupon","code":"c7"}}"#,
        "change",
    );
    let unknown = is_reported(
        2,
        r#"{"at":5,"note":"n","change":{"kind":"opened"}}"#,
        "note",
    );
    let error = (contender.read)(2, r#"{"at":5,"change":{"kind":"gift"}}"#).unwrap_err();
    let place = match (error.contains("change"), error.contains("line 1 column")) {
        (true, _) => "the member",
        (false, true) => "line and column",
        (false, false) => "nothing",
    };
    let again = contender
        .back
        .map(|back| parsed(&back(&sale(2).to_string()).unwrap()));
    let again = if again == Some(sale(1)) { "yes" } else { "no" };
    format!(
        "| {} | {} | {later} | {dropped} | {unknown} | {place} | {again} |",
        contender.name,
        super::lines(contender.source)
    )
}

#[test]
fn the_page_says_what_is_so() {
    let page = include_str!("../../../../docs/src/comparison.md");
    let missing: Vec<String> = CONTENDERS
        .iter()
        .map(row)
        .filter(|row| !page.contains(row))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/src/comparison.md lacks\n{}",
        missing.join("\n")
    );
}
