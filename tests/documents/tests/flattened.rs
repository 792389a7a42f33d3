//! Members that a flattened field stores, which operators name as if they were the struct's own.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::num::ParseIntError;

use serde_json::{Value, json};
use upstate::upgrade::DowngradeRequest;
use upstate::{Document, Registry};

#[derive(Debug, PartialEq, Document)]
#[document(type_name = "app", version = 0, prior)]
struct AppV0 {
    title: String,
    owner: String,
    #[attribute(flatten)]
    login: LoginV0,
    #[attribute(flatten)]
    window: Option<Window>,
    #[attribute(rest)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, PartialEq, Document)]
#[document(rename_all = "camelCase")]
struct LoginV0 {
    #[attribute(sensitive)]
    pass_word: String,
    port: String,
    legacy: u8,
    size: u8,
    retries: Option<u8>,
}

#[derive(Debug, PartialEq, Document)]
#[document(type_name = "app", version = 1)]
#[upgrade_from(0, model = AppV0,
    rename(title => name, pass_word => secret_text, owner => signed_by, size => own_size),
    convert(port, with = number, back = text),
    drop(legacy, "nobody read it", back = 3),
    default(retries = 7),
    set(is_new = true),
)]
struct App {
    name: String,
    own_size: u8,
    #[attribute(flatten)]
    login: Login,
    #[attribute(flatten)]
    window: Option<Window>,
    #[attribute(rest)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, PartialEq, Document)]
#[document(rename_all = "camelCase")]
struct Login {
    #[attribute(sensitive)]
    secret_text: String,
    port: u16,
    signed_by: String,
    retries: u8,
    is_new: bool,
}

#[derive(Debug, PartialEq, Document)]
struct Window {
    width: u32,
}

#[expect(clippy::needless_pass_by_value, reason = "operators give functions what is stored")]
fn number(port: String) -> Result<u16, ParseIntError> {
    port.parse()
}

#[expect(clippy::unnecessary_wraps, reason = "operators call functions that may fail")]
fn text(port: u16) -> Result<String, std::convert::Infallible> {
    Ok(port.to_string())
}

fn stored() -> Value {
    json!({"title": "t", "owner": "o", "passWord": "hunter2", "port": "80", "legacy": 3, "size": 4, "extra": {"a": 1}})
}

fn upgraded(stored: &Value) -> App {
    let (app, notes) = upstate::upgrade_json_with_notes::<App>(0, stored.to_string()).unwrap();
    assert_eq!(notes.undefined(), []);
    app
}

#[test]
fn operators_reach_the_members_of_flattened_fields() {
    let login = || Login { secret_text: "hunter2".into(), port: 80, signed_by: "o".into(), retries: 7, is_new: true };
    let rest = || BTreeMap::from([("extra".to_owned(), json!({"a": 1}))]);
    let app = App { name: "t".into(), own_size: 4, login: login(), window: None, rest: rest() };
    assert_eq!(upgraded(&stored()), app);
    let mut with_window = stored();
    with_window["width"] = json!(5);
    with_window["retries"] = json!(1);
    let login = Login { retries: 1, ..login() };
    assert_eq!(upgraded(&with_window), App { login, window: Some(Window { width: 5 }), ..app });
}

#[test]
fn an_older_release_gets_its_members_and_no_others() {
    for more in [json!({}), json!({"width": 5}), json!({"retries": 2})] {
        let mut stored = stored();
        stored.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let current = upstate::to_json(&upgraded(&stored)).unwrap();
        let registry = Registry::new().with::<App>();
        let response = registry.downgrade(&DowngradeRequest::json("app", 1, 0, &current));
        let mut older: Value = serde_json::from_slice(response.state().unwrap()).unwrap();
        if stored.get("retries").is_none() {
            assert_eq!(older.as_object_mut().unwrap().remove("retries"), Some(json!(7)));
        }
        assert_eq!(older, stored);
    }
}

#[test]
fn messages_name_the_member_and_hide_what_is_sensitive() {
    for (name, value, path, shown) in [
        ("passWord", json!(["hunter2"]), "secretText", "hunter2"),
        ("port", json!("x"), "port", ""),
        ("size", json!("big"), "own_size", ""),
    ] {
        let mut stored = stored();
        stored[name] = value;
        let error = upstate::upgrade_json::<App>(0, stored.to_string()).unwrap_err().to_string();
        assert!(error.contains(&format!("(at {path})")) || error.contains(&format!("(at {name})")), "{error}");
        assert!(shown.is_empty() || !error.contains(shown), "{error}");
    }
}
