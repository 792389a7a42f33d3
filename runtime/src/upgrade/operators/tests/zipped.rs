//! Lists put together element by element.

use std::collections::BTreeMap;

use crate::upgrade::verdict::Verdict;
use crate::upgrade::{DowngradeRequest, UpgradeRequest};
use crate::{CurrentModel, Object, Registry, Resource};

#[derive(Debug, Resource)]
#[resource(type_name = "example_host", version = 1)]
#[upgrade_from(0 => 1, zip(port: Option<Vec<u16>>, name: Option<Vec<String>> => services))]
struct Host {
    services: Option<Vec<Service>>,
}

#[derive(Debug, Object)]
struct Service {
    port: u16,
    #[attribute(sensitive)]
    name: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_host", version = 1)]
#[upgrade_from(0 => 1, zip(name: Vec<String>, port: Vec<u16> => services))]
struct Map {
    services: BTreeMap<String, u16>,
}

/// Nothing but the later fields says what the lists hold.
#[derive(Debug, Resource)]
#[resource(type_name = "example_host", version = 1)]
#[upgrade_from(0 => 1, zip(port, name => services), zip(key, count => counts), zip(region, zone => places))]
struct Implied {
    services: Option<Vec<Service>>,
    counts: BTreeMap<String, u16>,
    places: Vec<BTreeMap<String, bool>>,
}

fn up<T: CurrentModel>(stored: &str) -> Result<String, String> {
    let registry = Registry::new().with::<T>();
    let response = registry.upgrade(&UpgradeRequest::json("example_host", 0, stored.as_bytes()));
    assert_eq!(response.dropped(), &[], "{stored}");
    let text = |state: &[u8]| String::from_utf8(state.to_vec()).unwrap();
    response
        .state()
        .map(text)
        .ok_or_else(|| response.diagnostics().to_string())
}

fn down<T: CurrentModel>(current: &str) -> Result<String, String> {
    let registry = Registry::new().with::<T>();
    let response = registry.downgrade(&DowngradeRequest::json(
        "example_host",
        1,
        0,
        current.as_bytes(),
    ));
    let text = |state: &[u8]| String::from_utf8(state.to_vec()).unwrap();
    response
        .state()
        .map(text)
        .ok_or_else(|| response.diagnostics().to_string())
}

#[test]
fn the_first_goes_with_the_first_and_back() {
    for (stored, current) in [
        (
            r#"{"name":["b","a"],"port":[80,443]}"#,
            r#"{"services":[{"name":"b","port":80},{"name":"a","port":443}]}"#,
        ),
        (r#"{"name":[],"port":[]}"#, r#"{"services":[]}"#),
        (r#"{"name":null,"port":null}"#, r#"{"services":null}"#),
    ] {
        assert_eq!(up::<Host>(stored).as_deref(), Ok(current));
        assert_eq!(down::<Host>(current).as_deref(), Ok(stored));
    }
    let verdicts = Host::HISTORY.verdicts(&Host::HISTORY.steps()[0]);
    assert_eq!(
        (verdicts.up.verdict(), verdicts.down.verdict()),
        (Verdict::Lossless, Verdict::Lossless),
        "{verdicts:?}"
    );
}

#[test]
fn lists_of_different_lengths_are_refused_by_a_message_about_that() {
    let refused = up::<Host>(r#"{"name":["hunter2"],"port":[80,443]}"#).unwrap_err();
    assert!(
        refused.contains(
            "lists of different lengths cannot be paired: port has 2, and this one has 1 (at name)."
        ),
        "{refused}"
    );
    assert!(!refused.contains("hunter2"), "{refused}");
    let refused = up::<Host>(r#"{"port":[80,443]}"#).unwrap_err();
    assert!(
        refused.contains("null cannot be paired with a list: port has 2 elements (at name)."),
        "{refused}"
    );
    let refused = up::<Host>(r#"{"port":[],"name":null}"#).unwrap_err();
    assert!(
        refused.contains("null cannot be paired with a list: port has 0 elements (at name)."),
        "{refused}"
    );
}

#[test]
fn lists_without_a_written_type_hold_what_they_become() {
    let [prior] = &Implied::DEFINITION.prior_schemas()[..] else {
        panic!("one version")
    };
    let types: Vec<String> = prior
        .block
        .attributes()
        .iter()
        .map(|one| format!("{} {}", one.name(), one.implied_type()))
        .collect();
    let expected = [
        r#"count ["list","number"]"#,
        r#"key ["list","string"]"#,
        r#"name ["list","string"]"#,
        r#"port ["list","number"]"#,
        r#"region ["list","bool"]"#,
        r#"zone ["list","bool"]"#,
    ];
    assert_eq!(types, expected);
    let nullable: Vec<bool> = prior
        .block
        .attributes()
        .iter()
        .map(crate::schema::Attribute::is_nullable)
        .collect();
    assert_eq!(nullable, [false, false, true, true, false, false]);
    let (stored, current) = (
        r#"{"count":[1],"key":["a"],"name":["b",null],"port":[80,443],"region":[true],"zone":[false]}"#,
        r#"{"counts":{"a":1},"places":[{"region":true,"zone":false}],"services":[{"name":"b","port":80},{"name":null,"port":443}]}"#,
    );
    assert_eq!(up::<Implied>(stored).as_deref(), Ok(current));
    assert_eq!(down::<Implied>(current).as_deref(), Ok(stored));
    let refused = up::<Implied>(&stored.replace("[80,443]", "[80,65536]")).unwrap_err();
    assert!(refused.contains("(at port[1])"), "{refused}");
}

#[test]
fn what_becomes_a_sensitive_member_was_sensitive() {
    let [prior] = &Host::DEFINITION.prior_schemas()[..] else {
        panic!("one version")
    };
    let secret: Vec<&str> = prior
        .block
        .attributes()
        .iter()
        .filter(|one| one.is_secret())
        .map(crate::schema::Attribute::name)
        .collect();
    assert_eq!(secret, ["name"]);
}

#[test]
fn keys_and_values_become_a_map() {
    assert_eq!(
        up::<Map>(r#"{"name":["b","a"],"port":[80,443]}"#).unwrap(),
        r#"{"services":{"a":443,"b":80}}"#
    );
    assert_eq!(
        down::<Map>(r#"{"services":{"a":443,"b":80}}"#).unwrap(),
        r#"{"name":["a","b"],"port":[443,80]}"#
    );
    let refused = up::<Map>(r#"{"name":["a","a"],"port":[80,80]}"#).unwrap_err();
    assert!(
        refused.contains("two elements are \"a\", and a map has each key once (at name[1])."),
        "{refused}"
    );
    let verdicts = Map::HISTORY.verdicts(&Map::HISTORY.steps()[0]);
    assert!(
        verdicts
            .up
            .to_string()
            .contains("services (the order of the elements)"),
        "{}",
        verdicts.up
    );
}
