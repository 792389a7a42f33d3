//! Members that a type of serde ignores: they are named as undefined, and an edit keeps them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use upstate::Document;
use upstate_state::document::Format;

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "job", version = 1)]
#[upgrade_from(0 => 1, rename(time => retries))]
struct Job {
    retries: u8,
    #[attribute(json)]
    plan: Plan,
    #[serde(with = "own")]
    first: Step,
    #[attribute(json)]
    last: Option<Step>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plan {
    steps: Vec<Step>,
    by_name: BTreeMap<String, Step>,
    shape: Shape,
    other: Shape,
    named: Named,
    pair: (u8, Step),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Step {
    run: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Named(Step);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Shape {
    Round { size: u8 },
    Of(Step),
}

mod own {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Step;

    pub(super) fn serialize<S: Serializer>(step: &Step, serializer: S) -> Result<S::Ok, S::Error> {
        step.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Step, D::Error> {
        Step::deserialize(deserializer)
    }
}

/// Each object has a member that no type takes.
const STORED_NOW: &str = r#"{
  "type": "job",
  "schema_version": 1,
  "retries": 1,
  "plan": {
    "steps": [{"run": "a"}, {"run": "b", "odd": 1}],
    "by_name": {"c": {"odd": [2], "run": "c"}},
    "shape": {"Round": {"size": 1, "odd": 3}},
    "other": {"Of": {"run": "d", "odd": 4}},
    "named": {"run": "e", "odd": 5},
    "pair": [1, {"run": "f", "odd": {"run": 6}}],
    "odd": null
  },
  "first": {"run": "g", "odd": 7},
  "last": {"run": "h", "odd": 8}
}"#;

fn stored(version: u8) -> String {
    if version == 1 {
        return STORED_NOW.to_owned();
    }
    STORED_NOW
        .replace(r#""schema_version": 1"#, r#""schema_version": 0"#)
        .replace("retries", "time")
}

#[test]
fn they_are_named_and_an_edit_keeps_them() {
    for version in [0, 1] {
        let stored = stored(version);
        let read = Format::new().read::<Job>(stored.as_bytes()).unwrap();
        let named: Vec<String> = read.undefined().iter().map(ToString::to_string).collect();
        // Keys of what no schema looks into may be secrets, so that the path ends before them.
        assert_eq!(
            named,
            [["plan"; 7].as_slice(), &["first", "last"]].concat(),
            "{version}"
        );
        let job = Job {
            retries: 2,
            ..read.into_model()
        };
        let edited = Format::new().edit(stored.as_bytes(), &job).unwrap();
        let mut now = json(STORED_NOW.as_bytes());
        now["retries"] = 2.into();
        assert_eq!(json(&edited), now, "{version}");
        let shorter = Plan {
            steps: job.plan.steps[1..].to_vec(),
            ..job.plan.clone()
        };
        let edited = Format::new()
            .edit(
                stored.as_bytes(),
                &Job {
                    last: None,
                    plan: shorter,
                    ..job
                },
            )
            .unwrap();
        now["plan"]["steps"].as_array_mut().unwrap().remove(0);
        now["last"] = Value::Null;
        assert_eq!(json(&edited), now, "{version}");
    }
}

fn json(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap()
}

#[test]
fn a_key_that_comes_twice_is_reported() {
    for version in [0, 1] {
        let stored = stored(version).replace(r#""c": {"odd""#, r#""c": {"run": "x"}, "c": {"odd""#);
        let read = Format::new().read::<Job>(stored.as_bytes()).unwrap();
        assert!(
            read.warnings()
                .to_string()
                .starts_with("warning: Repeated Map Key (at plan)"),
            "{}",
            read.warnings()
        );
    }
}

#[test]
fn a_file_with_a_key_that_comes_twice_is_kept_beside() {
    let stored = stored(1).replace(
        r#""run": "c"}}"#,
        r#""run": "c"}, "d": {"run": "x"}, "d": {"run": "y"}}"#,
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job.json");
    std::fs::write(&path, &stored).unwrap();
    let mut job = Format::new().open::<Job>(&path).unwrap();
    for retries in [2, 3] {
        job.retries = retries;
        job.save().unwrap();
        let kept = std::fs::read_to_string(job.backup_path()).unwrap();
        assert_eq!(kept, stored, "{retries}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[derive(Debug, Document)]
#[document(type_name = "tuned")]
struct Tuned {
    #[attribute(json)]
    any: Value,
    #[serde(with = "floats")]
    float: f64,
    #[attribute(json)]
    whole: u64,
    label: String,
}

mod floats {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks for a reference"
    )]
    pub(super) fn serialize<S: Serializer>(float: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        float.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        f64::deserialize(deserializer)
    }
}

#[test]
fn an_integer_that_a_float_rounds_is_reported() {
    let stored = r#"{"type":"tuned","schema_version":0,"any":{"long":12345678901234567890123,"unit":1.602176634e-19},"float":9007199254740993,"whole":18446744073709551615,"label":"a"}"#;
    let read = Format::new().read::<Tuned>(stored.as_bytes()).unwrap();
    let warnings: Vec<_> = read
        .warnings()
        .iter()
        .map(|warning| (warning.summary(), warning.path().unwrap().to_string()))
        .collect();
    assert_eq!(
        warnings,
        [
            ("Rounded Value", "any".to_owned()),
            ("Rounded Value", "float".to_owned())
        ]
    );
    let refused = Format::new()
        .strict()
        .read::<Tuned>(stored.as_bytes())
        .unwrap_err();
    assert!(refused.has_errors());
    let refused: Vec<_> = refused
        .iter()
        .map(|error| (error.summary(), error.path().unwrap().to_string()))
        .collect();
    assert_eq!(refused, warnings);
    let tuned = Tuned {
        label: "b".to_owned(),
        ..read.into_model()
    };
    let edited = Format::new().edit(stored.as_bytes(), &tuned).unwrap();
    assert!(
        String::from_utf8_lossy(&edited).contains(r#""unit":1.602176634e-19}"#),
        "{}",
        String::from_utf8_lossy(&edited)
    );
}

#[test]
fn an_error_has_what_the_type_expects_and_nothing_that_is_stored() {
    for (is, becomes, sentence) in [
        (
            r#""first": {"run": "g""#,
            r#""first": {"run": 51"#,
            "is not a valid `Step`: expected a string (at first)",
        ),
        (
            r#""last": {"run": "h""#,
            r#""last": {"ran": "51""#,
            "is not a valid `Option<Step>`: it lacks `run` (at last)",
        ),
        (
            r#""Round": {"size": 1"#,
            r#""Round51": {"size": 1"#,
            "is not a valid `Plan`: expected `Round` or `Of` (at plan)",
        ),
    ] {
        let error = Format::new()
            .read::<Job>(stored(1).replace(is, becomes).as_bytes())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(&format!("the stored value {sentence}")) && !error.contains("51"),
            "{error}"
        );
    }
}
