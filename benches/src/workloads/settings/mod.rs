//! A settings file of three versions, written with upstate, by hand and with five other crates:
//! what each needs, what each does with a file that is not as it should be, and how long each
//! takes.
//!
//! Members in camelCase, an enum with data, a flattened struct, a map with numbers as keys. Version
//! 1 has another name for one member and lacks another; version 2 renames a member, renames one
//! inside of a variant, makes a number of a string, and has a variant less.

#[cfg(feature = "peers")]
mod binary;
mod by_hand;
#[cfg(feature = "peers")]
mod magic_migrate;
#[cfg(all(test, feature = "peers"))]
mod mistakes;
#[cfg(feature = "peers")]
mod native_model;
#[cfg(feature = "peers")]
mod obake;
#[cfg(feature = "peers")]
mod revision;
mod upstate;
#[cfg(feature = "peers")]
mod version_migrate;

use serde_json::{Map, Value, json};

use crate::case::Case;

/// One way of keeping the settings.
pub struct Contender {
    pub name: &'static str,
    source: &'static str,
    /// The members as a file of this version.
    file: fn(u64, Map<String, Value>) -> Vec<u8>,
    /// A file of any version, read and written as one of the current version.
    upgrade: fn(&[u8]) -> Result<Vec<u8>, String>,
    /// The content of a file of the current version.
    content: fn(&[u8]) -> Value,
}

/// All of them, by hand first.
pub const CONTENDERS: &[Contender] = &[
    Contender {
        name: "by hand",
        source: include_str!("by_hand.rs"),
        file: |version, members| bytes(with("version", version.into(), members)),
        upgrade: |file| {
            let settings = by_hand::open(text(file))?;
            Ok(by_hand::save(&settings).into_bytes())
        },
        content: parsed,
    },
    Contender {
        name: "upstate",
        source: include_str!("upstate.rs"),
        file: |version, members| bytes(with("schema_version", version.into(), with_type(members))),
        upgrade: |file| {
            let settings = upstate::open(text(file))?;
            Ok(upstate::save(&settings).into_bytes())
        },
        content: parsed,
    },
    #[cfg(feature = "peers")]
    Contender {
        name: "obake",
        source: include_str!("obake.rs"),
        file: |version, members| {
            let name = format!("Settings_v{version}_0_0");
            bytes(with(&name, members.into(), Map::new()))
        },
        upgrade: |file| {
            let settings = obake::open(text(file))?;
            Ok(obake::save(&settings).into_bytes())
        },
        content: parsed,
    },
    #[cfg(feature = "peers")]
    Contender {
        name: "magic_migrate",
        source: include_str!("magic_migrate.rs"),
        file: |_, members| bytes(members.into()),
        upgrade: |file| {
            let settings = magic_migrate::open(text(file))?;
            Ok(magic_migrate::save(&settings).into_bytes())
        },
        content: parsed,
    },
    #[cfg(feature = "peers")]
    Contender {
        name: "version-migrate",
        source: include_str!("version_migrate.rs"),
        file: |version, members| {
            bytes(json!({ "version": format!("{version}.0.0"), "data": members }))
        },
        upgrade: |file| {
            let settings = version_migrate::open(text(file))?;
            Ok(version_migrate::save(&settings).into_bytes())
        },
        content: parsed,
    },
    #[cfg(feature = "peers")]
    Contender {
        name: "native_model",
        source: include_str!("native_model.rs"),
        file: |version, members| {
            let version = u32::try_from(version).expect("versions are small");
            ::native_model::wrapper::native_model_encode(&mut bytes(members.into()), 1, version)
        },
        upgrade: |file| {
            let settings = native_model::open(file)?;
            Ok(native_model::save(&settings))
        },
        // The header has 8 bytes.
        content: |file| parsed(&file[8..]),
    },
    #[cfg(feature = "peers")]
    Contender {
        name: "revision",
        source: include_str!("revision.rs"),
        file: |version, members| binary::file(version, &members),
        upgrade: |file| {
            let settings = revision::open(file)?;
            Ok(revision::save(&settings))
        },
        content: binary::content,
    },
];

fn bytes(value: Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

fn text(file: &[u8]) -> &str {
    std::str::from_utf8(file).expect("the file is UTF-8")
}

fn parsed(file: &[u8]) -> Value {
    serde_json::from_slice(file).expect("the file is JSON")
}

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

    /// The upgrade from two versions back, to be timed.
    #[must_use]
    pub fn case(&self) -> Case {
        let (upgrade, file) = (self.upgrade, (self.file)(0, members(0)));
        // The inputs of a case are text, which not every one of these files is.
        let work = move |_: &[u8]| upgrade(&file).expect("the file upgrades");
        Case::json(self.name, vec![Vec::new()], work)
    }

    /// The answer to a file of a later version, which has a member more.
    #[must_use]
    pub fn newer(&self) -> String {
        let mut newer = members(2);
        newer.insert("zoom".to_owned(), json!(2));
        self.answer(3, newer)
    }

    /// The answer to `"seven"` where the upgrade makes a number.
    #[must_use]
    pub fn unconvertible(&self) -> String {
        let mut wrong = members(0);
        wrong.insert("retries".to_owned(), json!("seven"));
        self.answer(0, wrong)
    }

    /// The answer to a value of the wrong type.
    #[must_use]
    pub fn wrong_type(&self) -> String {
        let mut wrong = members(2);
        wrong.insert("windowWidth".to_owned(), json!("wide"));
        self.answer(2, wrong)
    }

    /// The first line of the error, or the settings.
    fn answer(&self, version: u64, members: Map<String, Value>) -> String {
        match (self.upgrade)(&(self.file)(version, members)) {
            Ok(settings) => format!("reads {}", (self.content)(&settings)),
            Err(error) => error.lines().collect::<Vec<_>>().join(" "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_reads_every_version() {
        for contender in CONTENDERS {
            let upgraded = |version, members| {
                let file = (contender.file)(version, members);
                (contender.content)(&(contender.upgrade)(&file).unwrap())
            };
            let expected = (contender.content)(&(contender.file)(2, members(2)));
            for version in 0..=2 {
                let found = upgraded(version, members(version));
                assert_eq!(found, expected, "{} from version {version}", contender.name);
            }
            let colour = r#""accentColour":"rebeccapurple""#;
            assert!(expected.to_string().contains(colour), "{expected}");
            let mut sepia = members(1);
            sepia.insert("theme".to_owned(), json!({ "kind": "sepia" }));
            let plain = upgraded(1, sepia).to_string();
            assert!(
                plain.contains(r#""theme":{"kind":"plain"}"#),
                "{}: {plain}",
                contender.name
            );
        }
    }

    /// A file that version-migrate reads by `load_forward` and writes by `save_forward`.
    #[cfg(feature = "peers")]
    fn saved_forward(version: u64, members: Map<String, Value>) -> Value {
        use super::version_migrate::{Settings, SettingsV0, SettingsV1};

        let migrator = ::version_migrate::migrator!(
            "settings" => [SettingsV0, SettingsV1, Settings, Settings]
        );
        let migrator = migrator.unwrap();
        let file = json!({ "version": format!("{version}.0.0"), "data": members });
        let settings = migrator
            .load_forward::<Settings>("settings", &file.to_string())
            .unwrap();
        parsed(migrator.save_forward(&settings).unwrap().as_bytes())
    }

    /// The page says what that keeps, and why the program does not use it.
    #[cfg(feature = "peers")]
    #[test]
    fn version_migrate_keeps_what_is_new_at_the_price_of_the_version() {
        let mut newer = members(2);
        newer.insert("zoom".to_owned(), json!(2));
        newer["theme"]["glow"] = json!(true);
        let saved = saved_forward(3, newer);
        assert_eq!(saved["version"], "3.0.0");
        assert_eq!(saved["data"]["zoom"], 2);
        assert_eq!(saved["data"]["theme"]["glow"], Value::Null);
        let saved = saved_forward(0, members(0));
        assert_eq!(saved["data"]["windowTitle"], "Main window");
        assert_eq!(saved["version"], "0.0.0");
    }

    /// The answer to each file that ends too early.
    fn cut_short(contender: &Contender) -> String {
        let file = (contender.file)(0, members(0));
        let answers: Vec<_> = (0..file.len())
            .map(|length| std::panic::catch_unwind(|| (contender.upgrade)(&file[..length])))
            .collect();
        let panics = answers.iter().filter(|answer| answer.is_err()).count();
        let is_read = answers.iter().any(|answer| matches!(answer, Ok(Ok(_))));
        match (is_read, panics) {
            (true, _) => "may be read".to_owned(),
            (false, 0) => "refused".to_owned(),
            (false, _) => format!("a panic below {panics} bytes, else refused"),
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
        let unconvertible = match contender.unconvertible() {
            read if read.contains(r#""retries":0"#) => "0, because a migration cannot fail",
            read if read.starts_with("reads ") => "read",
            error if error.contains("retries") => "refused, with the member's name",
            _ => "refused",
        };
        let wrong = match contender.wrong_type() {
            read if read.starts_with("reads ") => "read",
            error if error.contains("windowWidth") => "the member",
            error if error.contains("line 1 column") => "line and column",
            _ => "nothing",
        };
        format!(
            "| {} | {} | {newer} | {} | {unconvertible} | {wrong} |",
            contender.name,
            contender.lines(),
            cut_short(contender)
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
