//! The recorded cases, and when two states say the same.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) provider: String,
    pub(crate) resource: String,
    pub(crate) from_version: u64,
    pub(crate) to_version: u64,
    pub(crate) before: Value,
    pub(crate) after: Value,
}

#[derive(Deserialize)]
pub(crate) struct ErrorCase {
    pub(crate) resource: String,
    pub(crate) from_version: u64,
    pub(crate) before: Value,
    /// What the real upgrader says.
    pub(crate) expect_error: String,
}

impl Case {
    pub(crate) fn type_name(&self) -> &str {
        type_name(&self.resource)
    }
}

impl ErrorCase {
    pub(crate) fn type_name(&self) -> &str {
        type_name(&self.resource)
    }
}

/// `(typeupgrader)` is no resource but a provider's test of its own table of types; a type name has
/// no parentheses.
fn type_name(resource: &str) -> &str {
    resource.trim_matches(['(', ')'])
}

pub(crate) fn cases() -> Vec<Case> {
    read("real_upgrades.json")
}

pub(crate) fn error_cases() -> Vec<ErrorCase> {
    read("real_upgrade_errors.json")
}

fn read<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("real_upgrades")
        .join(name);
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Whether two states are the same. Numbers are the same by value: `30` is `30.0`.
pub(crate) fn agree(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, left)| right.get(name).is_some_and(|right| agree(left, right)))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| agree(left, right))
        }
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64() == right.as_f64()
        }
        _ => left == right,
    }
}

/// Whether everything that a recorded state says is in the state as a model stores it: a scalar may
/// have been recorded as text, a set in another order, and nothing at all as null.
pub(crate) fn holds_all_of(stored: &Value, recorded: &Value) -> bool {
    match (stored, recorded) {
        (_, Value::Null) => true,
        (Value::Object(stored), Value::Object(recorded)) => {
            recorded.iter().all(|(name, recorded)| {
                holds_all_of(stored.get(name).unwrap_or(&Value::Null), recorded)
            })
        }
        (Value::Array(stored), Value::Array(recorded)) => {
            let all_held = recorded
                .iter()
                .all(|recorded| stored.iter().any(|stored| holds_all_of(stored, recorded)));
            stored.len() == recorded.len() && all_held
        }
        (Value::Bool(stored), Value::String(recorded)) => stored.to_string() == *recorded,
        (Value::Number(stored), Value::String(recorded)) => stored.to_string() == *recorded,
        (stored, recorded) => agree(stored, recorded),
    }
}

#[test]
fn what_a_model_lacks_is_seen() {
    let holds = |stored: &str, recorded: &str| {
        holds_all_of(
            &serde_json::from_str(stored).unwrap(),
            &serde_json::from_str(recorded).unwrap(),
        )
    };
    assert!(holds(
        r#"{"a":1,"b":null,"c":[{"d":"x"}]}"#,
        r#"{"a":"1","c":[{"d":"x"}],"e":null}"#
    ));
    for (stored, recorded) in [
        (r#"{"a":1}"#, r#"{"a":1,"b":""}"#),
        (r#"{"a":[]}"#, r#"{"a":[1]}"#),
        (r#"{"a":null}"#, r#"{"a":[]}"#),
        (r#"{"a":[{"d":null}]}"#, r#"{"a":[{"d":false}]}"#),
    ] {
        assert!(!holds(stored, recorded), "{stored} {recorded}");
    }
}
