//! serde and upstate on the same structs: both derives at once, and fields of types that only serde
//! knows.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use upstate::{Object, Registry, Resource, StringEnum};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

#[derive(Debug, Clone, PartialEq, Resource, Serialize, Deserialize)]
#[resource(type_name = "example_server", version = 1)]
#[upgrade_from(0 => 1, rename(title => name))]
#[serde(deny_unknown_fields)]
struct Server {
    /// Both have a name of their own for it, and it is the same one.
    #[attribute(name = "display_name", sensitive)]
    #[serde(rename = "display_name")]
    name: String,
    #[attribute(default = 3)]
    #[serde(default)]
    retries: Option<i64>,
    size: Size,
    #[block(max = 2)]
    rules: Vec<Rule>,
    labels: Option<BTreeMap<String, String>>,
}

/// One derive of serde is enough for its attributes.
#[derive(Resource, Serialize)]
#[resource(type_name = "example_written")]
struct Written {
    #[attribute(name = "display_name")]
    #[serde(rename = "display_name", skip_serializing_if = "String::is_empty")]
    name: String,
}

#[derive(Object, Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    #[serde(default)]
    name: Option<String>,
}

#[test]
fn a_struct_with_one_derive_of_serde_has_its_attributes() {
    let written = Written {
        name: "a".to_owned(),
    };
    assert_eq!(
        upstate::to_json(&written).unwrap(),
        serde_json::to_vec(&written).unwrap()
    );
    let read: Read = serde_json::from_str("{}").unwrap();
    assert_eq!(upstate::from_json::<Read>(b"{}").unwrap().name, read.name);
}

#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
struct Rule {
    port: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, StringEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Size {
    VerySmall,
    Large,
}

#[test]
fn both_derives_on_one_struct_agree() {
    let server = Server {
        name: "web".into(),
        retries: None,
        size: Size::VerySmall,
        rules: vec![Rule { port: 80 }],
        labels: Some([("a".to_owned(), "b".to_owned())].into()),
    };
    let of_upstate = upstate::to_json(&server).unwrap();
    let of_serde = serde_json::to_vec(&server).unwrap();
    let value = |json: &[u8]| serde_json::from_slice::<serde_json::Value>(json).unwrap();
    assert_eq!(value(&of_upstate), value(&of_serde));
    assert_eq!(
        serde_json::from_slice::<Server>(&of_upstate).unwrap(),
        server
    );
    assert_eq!(upstate::from_json::<Server>(&of_serde).unwrap(), server);
    // What upstate upgrades, serde reads.
    let old = br#"{"title": "web", "size": "very_small", "rules": [{"port": "80"}], "labels": {"a": "b"}}"#;
    let registry = Registry::new().with::<Server>();
    let response = registry.upgrade(&upstate::UpgradeRequest::json("example_server", 0, old));
    assert_eq!(
        serde_json::from_slice::<Server>(response.state().unwrap()).unwrap(),
        server
    );
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Threshold {
    Percent { percent: u8 },
    Absolute(Vec<i64>),
}

#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_alarm", version = 1)]
#[upgrade_from(0 => 1, rename(limit => threshold))]
struct Alarm {
    #[attribute(with = upstate::serde)]
    threshold: Threshold,
    #[attribute(with = upstate::serde::optional, sensitive)]
    secret: Option<HashMap<String, u8>>,
}

#[test]
fn a_type_of_serde_is_a_string_of_json() {
    let alarm = Alarm {
        threshold: Threshold::Absolute(vec![1, 2]),
        secret: None,
    };
    let json = upstate::to_json(&alarm).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&json),
        r#"{"secret":null,"threshold":"[1,2]"}"#
    );
    assert_eq!(upstate::from_json::<Alarm>(&json).unwrap(), alarm);
    // Whatever order a map has, it is written in one.
    let many: HashMap<String, u8> = (0..20)
        .map(|number| (format!("k{number:02}"), number))
        .collect();
    let alarm = Alarm {
        threshold: Threshold::Percent { percent: 9 },
        secret: Some(many),
    };
    let json = upstate::to_json(&alarm).unwrap();
    assert!(
        String::from_utf8_lossy(&json).starts_with(r#"{"secret":"{\"k00\":0,\"k01\":1,\"k02\":2,"#)
    );
    assert_eq!(upstate::from_json::<Alarm>(&json).unwrap(), alarm);
    let msgpack = upstate::to_msgpack(&alarm).unwrap();
    let type_of = Alarm::schema().block().implied_type();
    assert_eq!(
        upstate::Value::from_msgpack(&msgpack, &type_of).unwrap(),
        upstate::Value::from_json(&json, &type_of, upstate::codec::UnknownAttributes::Deny)
            .unwrap()
    );
}

#[test]
fn operators_carry_it_and_the_lock_sees_the_string() {
    let registry = Registry::new().with::<Alarm>();
    let old = br#"{"limit": "{ \"percent\": 7 }", "secret": "{}"}"#;
    let response = registry.upgrade(&upstate::UpgradeRequest::json("example_alarm", 0, old));
    assert_eq!(
        upstate::from_json::<Alarm>(response.state().unwrap()).unwrap(),
        Alarm {
            threshold: Threshold::Percent { percent: 7 },
            secret: Some(HashMap::new())
        }
    );
    let mut lock = Lock::default();
    lock.freeze(&Snapshot::of(&registry), "1.0.0".parse().unwrap())
        .unwrap();
    let text = lock.to_string();
    assert!(
        text.contains(
            "\nsecret = \"string\" null {\"optional\":true,\"sensitive\":true,\"validators\":{\"stored form\":\"own\"}}\n\
             threshold = \"string\" {\"required\":true,\"validators\":{\"stored form\":\"own\"}}\n"
        ),
        "{text}"
    );
}

#[test]
fn what_serde_does_not_read_is_refused_without_its_content() {
    let refused = |json: &str| upstate::from_json::<Alarm>(json).unwrap_err().to_string();
    let wrong = refused(r#"{"threshold": "{\"percent\": \"hunter2\"}"}"#);
    assert!(
        wrong.contains("the JSON in the string is not a valid `Threshold`"),
        "{wrong}"
    );
    assert!(!wrong.contains("hunter2"), "{wrong}");
    let broken = refused(r#"{"threshold": "{\"hunter2"}"#);
    assert!(
        broken.contains("the string is not JSON (line 1, column 9 of it)")
            && !broken.contains("hunter2"),
        "{broken}"
    );
    let secret = refused(r#"{"threshold": "[]", "secret": "{\"hunter2\": \"x\"}"}"#);
    assert!(
        secret.contains("secret") && !secret.contains("hunter2"),
        "{secret}"
    );
    assert!(refused(r#"{"threshold": null}"#).contains("threshold"));
}

/// A map whose keys are no strings has no JSON.
#[derive(Resource)]
#[resource(type_name = "example_odd")]
struct Odd {
    #[attribute(with = upstate::serde)]
    map: BTreeMap<Vec<u8>, u8>,
}

#[test]
fn what_serde_cannot_write_is_not_stored() {
    let odd = Odd {
        map: [(vec![1], 2)].into(),
    };
    for error in [
        upstate::to_json(&odd).unwrap_err(),
        upstate::to_msgpack(&odd).unwrap_err(),
    ] {
        assert_eq!(
            error.to_string(),
            "map: a value that serde cannot write as JSON cannot be stored"
        );
    }
    assert!(
        upstate::to_json(&Odd {
            map: BTreeMap::new()
        })
        .is_ok()
    );
}

#[test]
fn a_program_says_its_own_version_and_upstates() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_acme"))
        .arg("--version")
        .output()
        .unwrap();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        format!("upstate-tests {version}\nupstate {version}\n")
    );
}
