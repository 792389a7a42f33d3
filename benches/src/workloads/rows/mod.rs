//! A row of a database that holds an enum with data, with its version in a column of its own: by
//! hand and with upstate.
//!
//! Version 1 has a variant under another name and one more; version 2 renames a member of a variant
//! and has a variant less.

mod by_hand;
mod upstate;

use serde_json::{Value, json};

/// The JSON of the current version, and the paths of what is not in it.
#[derive(Debug)]
struct Read {
    json: String,
    reports: Vec<String>,
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

const CONTENDERS: [Contender; 2] = [
    Contender {
        name: "by hand",
        source: include_str!("by_hand.rs"),
        read: |version, json| {
            by_hand::read(version, json).map(|event| Read {
                json: by_hand::write(&event),
                reports: Vec::new(),
            })
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
fn both_read_every_version_and_refuse_a_newer_one() {
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
                json!({"at": 5, "change": {"kind": "opened"}})
            );
        }
        read(3, &sale(2).to_string()).unwrap_err();
    }
}

/// The row of the page that compares them. The words for an answer are found in the answer itself.
fn row(contender: &Contender) -> String {
    let is_reported = |version, row: &str, path: &str| {
        let read = (contender.read)(version, row).unwrap();
        if read.reports.iter().any(|report| report.contains(path)) {
            "reported"
        } else {
            "lost silently"
        }
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
        "| {} | {} | {dropped} | {unknown} | {place} | {again} |",
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
