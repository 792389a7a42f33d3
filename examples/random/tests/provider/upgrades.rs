//! The cases of the upgraders in Go, with the values that those make: `TestUpgradePasswordState…` and `TestUpgradeStringState…` of release 3.9.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use serde_json::{Map, Value, json};
use upstate::UpgradeRequest;

/// A stored state: a result and an id, and the other attributes as they are, or as imports of early releases left them, null.
fn stored(id: &str, result: &str, special: &Value, nulls: bool) -> Map<String, Value> {
    let mut state =
        json!({"id": id, "result": result, "keepers": null, "override_special": special});
    let or_null = |value: Value| if nulls { Value::Null } else { value };
    state["length"] = or_null(result.len().into());
    for name in ["lower", "number", "special", "upper"] {
        state[name] = or_null(true.into());
    }
    for name in ["min_lower", "min_numeric", "min_special", "min_upper"] {
        state[name] = or_null(0.into());
    }
    state.as_object().cloned().unwrap()
}

fn with(mut state: Map<String, Value>, name: &str, value: impl Into<Value>) -> Map<String, Value> {
    state.insert(name.to_owned(), value.into());
    state
}

fn upgraded(type_name: &str, version: u64, state: &Map<String, Value>) -> Map<String, Value> {
    let bytes = serde_json::to_vec(state).unwrap();
    let response = random::provider()
        .registry()
        .upgrade(&UpgradeRequest::json(type_name, version, &bytes));
    let state = response
        .state()
        .unwrap_or_else(|| panic!("{type_name} {version}: {}", response.diagnostics()));
    serde_json::from_slice(state).unwrap()
}

const SPECIAL: &str = "!#$%&*()-_=+[]{}<>:?";
const RESULT: &str = "DZy_3*tnonj%Q%Yx";

#[test]
fn passwords_of_version_0_get_a_hash() {
    for (special, nulls) in [(json!(SPECIAL), false), (Value::Null, true)] {
        let prior = stored("none", RESULT, &special, nulls);
        let state = upgraded("random_password", 0, &prior);
        let hash = state["bcrypt_hash"].as_str().unwrap();
        assert!(
            hash.starts_with("$2a$10$") && bcrypt::verify(RESULT, hash).unwrap(),
            "{hash}"
        );
        let expected = with(
            with(stored("none", RESULT, &special, false), "numeric", true),
            "bcrypt_hash",
            hash,
        );
        assert_eq!(state, expected);
    }
}

#[test]
fn passwords_of_version_1_keep_their_hash() {
    for (special, nulls) in [(json!(SPECIAL), false), (Value::Null, true)] {
        let prior = with(
            stored("none", RESULT, &special, nulls),
            "bcrypt_hash",
            "bcrypt_hash",
        );
        let expected = with(
            with(stored("none", RESULT, &special, false), "numeric", true),
            "bcrypt_hash",
            "bcrypt_hash",
        );
        assert_eq!(upgraded("random_password", 1, &prior), expected);
    }
}

#[test]
fn passwords_of_version_2_get_another_hash_where_it_is_wrong() {
    const RIGHT: &str = "$2a$10$d9zhEkVg.O1jZ6fEIMRlRuu/vMa0/4UIzeK5joaTBhZJlYiIPhWWa";
    const WRONG: &str = "$2a$10$bPOZGBpGe4XIgbpVaWNya.dz/HsU1GDLjuEposH2wf.vUO5rA1wXe";
    let version_2 = |result: &str, hash: &str, nulls: bool| {
        let numeric = if nulls { Value::Null } else { true.into() };
        with(
            with(
                stored("none", result, &"".into(), nulls),
                "numeric",
                numeric,
            ),
            "bcrypt_hash",
            hash,
        )
    };
    for nulls in [false, true] {
        let result = "n:um[a9kO&x!L=9og[EM";
        assert_eq!(
            upgraded("random_password", 2, &version_2(result, RIGHT, nulls)),
            version_2(result, RIGHT, false)
        );
    }
    let result = "$7r>NiN4Z%uAxpU]:DuB";
    let state = upgraded("random_password", 2, &version_2(result, WRONG, false));
    let hash = state["bcrypt_hash"].as_str().unwrap();
    assert!(
        hash != WRONG && bcrypt::verify(result, hash).unwrap(),
        "{hash}"
    );
    assert_eq!(state, version_2(result, hash, false));
    // As in Go, what is no hash at all is an error. It is about a secret, so that it does not say more.
    let bytes = serde_json::to_vec(&version_2(result, "sesame", false)).unwrap();
    let response =
        random::provider()
            .registry()
            .upgrade(&UpgradeRequest::json("random_password", 2, &bytes));
    let refused = response.diagnostics().to_string();
    assert!(
        refused.contains("bcrypt_hash") && !refused.contains("sesame"),
        "{refused}"
    );
}

#[test]
fn strings_of_version_1_get_what_is_null() {
    for (special, nulls) in [(json!(SPECIAL), false), (Value::Null, true)] {
        let prior = stored(RESULT, RESULT, &special, nulls);
        assert_eq!(
            upgraded("random_string", 1, &prior),
            with(stored(RESULT, RESULT, &special, false), "numeric", true)
        );
    }
    // Go has no upgrader of version 0 either.
    let response =
        random::provider()
            .registry()
            .upgrade(&UpgradeRequest::json("random_string", 0, b"{}"));
    assert!(response.state().is_none());
}

/// Version 2 is today's, so that no upgrader runs: Go passes nulls on, and plans to replace the resource.
#[test]
fn strings_of_today_may_hold_nulls() {
    let prior = with(
        stored(RESULT, RESULT, &Value::Null, true),
        "numeric",
        Value::Null,
    );
    let provider = upstate_provider::testing::Core::of(random::provider(), json!({})).unwrap();
    let mut string = provider.resource::<random::RandomString>();
    string.upgrade(2, &Value::Object(prior)).unwrap();
    assert_eq!(
        string.plan(json!({"length": 16})).unwrap().action,
        upstate_provider::testing::PlannedAction::Replace
    );
}
