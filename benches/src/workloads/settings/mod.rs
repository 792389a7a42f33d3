//! A settings file of three versions, written with upstate, by hand and with three other crates:
//! what each needs, what each does with a file that is not as it should be, and how long each
//! takes.
//!
//! Members in camelCase, an enum with data, a flattened struct, a map with numbers as keys. Version
//! 1 has another name for one member and lacks another; version 2 renames a member, renames one
//! inside of a variant, makes a number of a string, and has a variant less.

mod by_hand;
#[cfg(feature = "peers")]
mod magic_migrate;
#[cfg(feature = "peers")]
mod obake;
mod upstate;
#[cfg(feature = "peers")]
mod version_migrate;

use serde_json::{Map, Value, json};

use crate::case::Case;

/// One way of keeping the settings.
pub struct Contender {
    pub name: &'static str,
    source: &'static str,
    /// Puts the version, if it is stored, to the members.
    envelope: fn(u64, Map<String, Value>) -> Value,
    /// Any version, read and written as the current one.
    upgrade: fn(&str) -> Result<String, String>,
}

/// All of them, by hand first.
pub const CONTENDERS: &[Contender] = &[
    Contender {
        name: "by hand",
        source: include_str!("by_hand.rs"),
        envelope: |version, members| with("version", version.into(), members),
        upgrade: |json| by_hand::open(json).map(|settings| by_hand::save(&settings)),
    },
    Contender {
        name: "upstate",
        source: include_str!("upstate.rs"),
        envelope: |version, members| with("schema_version", version.into(), with_type(members)),
        upgrade: |json| upstate::open(json).map(|settings| upstate::save(&settings)),
    },
    #[cfg(feature = "peers")]
    Contender {
        name: "obake",
        source: include_str!("obake.rs"),
        envelope: |version, members| {
            with(
                &format!("Settings_v{version}_0_0"),
                members.into(),
                Map::new(),
            )
        },
        upgrade: |json| obake::open(json).map(|settings| obake::save(&settings)),
    },
    #[cfg(feature = "peers")]
    Contender {
        name: "magic_migrate",
        source: include_str!("magic_migrate.rs"),
        envelope: |_, members| members.into(),
        upgrade: |json| magic_migrate::open(json).map(|settings| magic_migrate::save(&settings)),
    },
    #[cfg(feature = "peers")]
    Contender {
        name: "version-migrate",
        source: include_str!("version_migrate.rs"),
        envelope: |version, members| json!({ "version": format!("{version}.0.0"), "data": members }),
        upgrade: |json| {
            version_migrate::open(json).map(|settings| version_migrate::save(&settings))
        },
    },
];

fn with(name: &str, value: Value, mut members: Map<String, Value>) -> Value {
    members.insert(name.to_owned(), value);
    members.into()
}

fn with_type(members: Map<String, Value>) -> Map<String, Value> {
    match with("type", "app.settings".into(), members) {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    }
}

/// The members, as a release of `version` wrote them.
fn members(version: u64) -> Map<String, Value> {
    let colour = if version < 2 {
        "accentColor"
    } else {
        "accentColour"
    };
    let mut members = Map::new();
    for (name, value, since, until) in [
        ("title", json!("Main window"), 0, 1),
        ("windowTitle", json!("Main window"), 2, 2),
        ("windowWidth", json!(1280), 0, 2),
        ("isMaximized", json!(true), 0, 2),
        (
            "theme",
            json!({ "kind": "custom", colour: "rebeccapurple", "opacity": 0.5 }),
            0,
            2,
        ),
        (
            "ports",
            json!({ "80": "http", "443": "https", "8080": "proxy" }),
            0,
            2,
        ),
        ("lastOpen", json!("2024-01-02T03:04:05Z"), 0, 0),
        ("lastOpened", json!("2024-01-02T03:04:05Z"), 1, 2),
        ("retries", json!("7"), 0, 1),
        ("retries", json!(7), 2, 2),
        ("legacy", json!(true), 0, 0),
    ] {
        if (since..=until).contains(&version) {
            members.insert(name.to_owned(), value);
        }
    }
    members
}

impl Contender {
    /// The lines of its source that are neither empty nor comments.
    #[must_use]
    pub fn lines(&self) -> usize {
        super::lines(self.source)
    }

    /// A file of `version` with these members.
    fn file(&self, version: u64, members: Map<String, Value>) -> String {
        (self.envelope)(version, members).to_string()
    }

    /// The upgrade from two versions back, to be timed.
    #[must_use]
    pub fn case(&self) -> Case {
        let upgrade = self.upgrade;
        Case::json(
            self.name,
            vec![self.file(0, members(0)).into_bytes()],
            move |json| {
                let json = std::str::from_utf8(json).expect("the file is UTF-8");
                upgrade(json).expect("the file upgrades").into_bytes()
            },
        )
    }

    /// The answer to a file of a later version, which has a member more.
    #[must_use]
    pub fn newer(&self) -> String {
        let mut newer = members(2);
        newer.insert("zoom".to_owned(), json!(2));
        answer((self.upgrade)(&self.file(3, newer)))
    }

    /// The answer to `"seven"` where the upgrade makes a number.
    #[must_use]
    pub fn unconvertible(&self) -> String {
        let mut wrong = members(0);
        wrong.insert("retries".to_owned(), json!("seven"));
        answer((self.upgrade)(&self.file(0, wrong)))
    }

    /// The answer to a value of the wrong type.
    #[must_use]
    pub fn wrong_type(&self) -> String {
        let mut wrong = members(2);
        wrong.insert("windowWidth".to_owned(), json!("wide"));
        answer((self.upgrade)(&self.file(2, wrong)))
    }
}

/// The first line of the error, or the settings.
fn answer(result: Result<String, String>) -> String {
    match result {
        Ok(settings) => format!("reads {settings}"),
        Err(error) => error.lines().collect::<Vec<_>>().join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_reads_every_version() {
        for contender in CONTENDERS {
            let expected: Value = serde_json::from_str(&contender.file(2, members(2))).unwrap();
            for version in 0..=2 {
                let found =
                    (contender.upgrade)(&contender.file(version, members(version))).unwrap();
                let found: Value = serde_json::from_str(&found).unwrap();
                assert_eq!(found, expected, "{} from version {version}", contender.name);
            }
            let mut sepia = members(1);
            sepia.insert("theme".to_owned(), json!({ "kind": "sepia" }));
            let plain = (contender.upgrade)(&contender.file(1, sepia)).unwrap();
            assert!(
                plain.contains(r#""theme":{"kind":"plain"}"#),
                "{}: {plain}",
                contender.name
            );
        }
    }

    /// The row of the page that compares them. The words for an answer are found in the answer
    /// itself.
    fn row(contender: &Contender) -> String {
        let newer = contender.newer();
        let newer = if newer.starts_with("reads ") {
            "read, and what is new is lost"
        } else {
            "refused"
        };
        let unconvertible = contender.unconvertible();
        let unconvertible = match unconvertible.contains("retries") {
            _ if unconvertible.starts_with("reads ")
                && unconvertible.contains(r#""retries":0"#) =>
            {
                "0, because a migration cannot fail"
            }
            true => "refused, with the member's name",
            false => "refused",
        };
        let wrong = contender.wrong_type();
        let wrong = match (
            wrong.contains("windowWidth"),
            wrong.contains("line 1 column"),
        ) {
            (true, _) => "the member",
            (false, true) => "line and column",
            (false, false) => "nothing",
        };
        format!(
            "| {} | {} | {newer} | {unconvertible} | {wrong} |",
            contender.name,
            contender.lines()
        )
    }

    #[test]
    fn the_page_says_what_is_so() {
        let page = std::fs::read_to_string(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../docs/src/comparison.md"
        ))
        .unwrap();
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
}
