//! Declarative upgraders over states that an author did not think of: what has no place is refused
//! or named, never left out silently.

use std::collections::BTreeMap;

use upstate::{CurrentModel, Object, Registry, Resource, UpgradeRequest, UpgradeResponse};

fn upgrade<T: CurrentModel>(json: &str) -> UpgradeResponse {
    Registry::new()
        .with::<T>()
        .upgrade(&UpgradeRequest::json(T::TYPE_NAME, 0, json.as_bytes()))
}

/// The state that comes out, or what is said instead.
fn answer<T: CurrentModel>(json: &str) -> String {
    let response = upgrade::<T>(json);
    let said = || {
        response
            .diagnostics()
            .iter()
            .map(|found| found.detail().to_owned())
            .collect::<Vec<_>>()
            .join("; ")
    };
    match response.state() {
        Some(state) => String::from_utf8_lossy(state).into_owned(),
        None => said().split(".\n").next().unwrap_or_default().to_owned(),
    }
}

mod keys {
    use super::*;

    #[derive(Debug, Object)]
    pub struct Rule {
        name: Option<String>,
        port: i64,
    }

    #[derive(Debug, Object)]
    pub struct Label {
        key: String,
        value: String,
        note: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, rekey(rules, by = name), rekey(labels, key = "key", value = "value"))]
    pub struct Thing {
        rules: Vec<Rule>,
        labels: BTreeMap<String, String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        rules: BTreeMap<String, Rule>,
        labels: Vec<Label>,
    }

    #[test]
    fn a_key_takes_no_other_value_s_place() {
        let same =
            r#"{"labels":[],"rules":{"a":{"name":"a","port":1},"b":{"name":null,"port":2}}}"#;
        assert_eq!(
            answer::<Thing>(same),
            r#"{"labels":{},"rules":[{"name":"a","port":1},{"name":"b","port":2}]}"#
        );
        assert_eq!(
            answer::<Thing>(r#"{"labels":[],"rules":{"a":{"name":"web","port":1}}}"#),
            r#"the entry has a "name" already, and it is not the entry's key (at rules["a"].name)"#
        );
    }

    #[test]
    fn members_beside_key_and_value_have_no_place() {
        let without = r#"{"labels":[{"key":"a","value":"b","note":null}],"rules":{}}"#;
        assert_eq!(
            answer::<Thing>(without),
            r#"{"labels":{"a":"b"},"rules":[]}"#
        );
        assert_eq!(
            answer::<Thing>(r#"{"labels":[{"key":"a","value":"b","note":"c"}],"rules":{}}"#),
            r#"only "key" and "value" have a place (at labels[0].note)"#
        );
    }
}

mod replaced {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, only_if(has(range), copy(range => port)), drop(port, "a range takes its place"))]
    pub struct Thing {
        port: Option<String>,
        range: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        port: Option<String>,
        range: Option<String>,
    }

    #[test]
    fn what_a_condition_replaces_is_named_where_it_is() {
        let lost = |json| {
            let found = upgrade::<Thing>(json);
            found
                .dropped()
                .iter()
                .map(|dropped| format!("{}: {}", dropped.path, dropped.reason))
                .collect::<Vec<_>>()
        };
        let both = r#"{"port":"80","range":"1-2"}"#;
        assert_eq!(answer::<Thing>(both), r#"{"port":"1-2","range":"1-2"}"#);
        assert_eq!(lost(both), ["port: a range takes its place"]);
        let one = r#"{"port":"80","range":null}"#;
        assert_eq!(answer::<Thing>(one), r#"{"port":"80","range":null}"#);
        assert_eq!(lost(one), [""; 0]);
    }
}

mod inside_collections {
    use super::*;
    use upstate::ZeroAsNull;

    #[derive(Debug, Object)]
    pub struct Part {
        size: Option<i64>,
    }

    #[derive(Debug, Object)]
    pub struct PartV0 {
        size: ZeroAsNull<i64>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, rename(old => pair), convert(range))]
    pub struct Thing {
        pair: (Option<i64>, String),
        parts: Vec<Vec<Part>>,
        range: (u8, u8),
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        old: (ZeroAsNull<i64>, String),
        parts: Vec<Vec<PartV0>>,
        range: (i64, i64),
    }

    #[test]
    fn legacy_forms_are_read_however_deep_they_stand() {
        let zeros = r#"{"old":[0,"a"],"parts":[[{"size":0},{"size":2}]],"range":[1,2]}"#;
        assert_eq!(
            answer::<Thing>(zeros),
            r#"{"pair":[null,"a"],"parts":[[{"size":null},{"size":2}]],"range":[1,2]}"#
        );
        assert_eq!(
            answer::<Thing>(&zeros.replace('0', r#""""#)),
            answer::<Thing>(zeros)
        );
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = NarrowV0, convert(range))]
    pub struct Narrow {
        range: (u8, u8),
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct NarrowV0 {
        range: (i64, i64),
    }

    #[test]
    fn tuples_are_judged_element_by_element() {
        assert_eq!(
            answer::<Narrow>(r#"{"range":[1,255]}"#),
            r#"{"range":[1,255]}"#
        );
        assert!(
            answer::<Narrow>(r#"{"range":[1,256]}"#)
                .contains("expected a whole number from 0 to 255 (at range[1])")
        );
    }
}

mod conditions {
    use super::*;

    #[derive(Debug, Object)]
    pub struct Disk {
        kind: Option<String>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, only_if(is(disks.kind, "ssd"), set(fast = true)))]
    pub struct Thing {
        disks: Vec<Disk>,
        fast: Option<bool>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        disks: Vec<Disk>,
    }

    #[test]
    fn a_condition_is_not_decided_by_the_first_of_many() {
        let one = r#"{"disks":[{"kind":"ssd"}]}"#;
        assert_eq!(
            answer::<Thing>(one),
            r#"{"disks":[{"kind":"ssd"}],"fast":true}"#
        );
        assert_eq!(
            answer::<Thing>(r#"{"disks":[]}"#),
            r#"{"disks":[],"fast":null}"#
        );
        let two = r#"{"disks":[{"kind":"hdd"},{"kind":"ssd"}]}"#;
        assert_eq!(
            answer::<Thing>(two),
            "there are 2 elements where one was expected (at disks)"
        );
    }
}

mod drops {
    use super::*;

    #[derive(Debug, Object)]
    pub struct Disk {
        kind: Option<String>,
        size: Option<i64>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(0, model = ThingV0, drop(disks.kind, "one kind is left"), drop(disks.size, "they grow"))]
    pub struct Thing {
        id: String,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        id: String,
        disks: Vec<Disk>,
    }

    #[test]
    fn what_is_dropped_in_every_element_is_named_in_every_element() {
        let found = upgrade::<Thing>(
            r#"{"disks":[{"kind":"a","size":1},{"kind":null,"size":2}],"id":"x"}"#,
        );
        let lost: Vec<String> = found
            .dropped()
            .iter()
            .map(|dropped| format!("{}: {}", dropped.path, dropped.reason))
            .collect();
        assert_eq!(
            lost,
            [
                "disks[0].kind: one kind is left",
                "disks[0].size: they grow",
                "disks[1].size: they grow"
            ]
        );
    }
}

mod secrets {
    use super::*;

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 1)]
    #[upgrade_from(
        0,
        model = ThingV0,
        reformat(login = "{user}:{password}", declassified = "what is said is tested"),
        values(login, "a:b" => "c"),
        merge(keys, words => all, declassified = "what is said is tested"),
        each(values(all, "a" => "b")),
        reformat(label, "{name}" => "{name}-{password}", declassified = "what is said is tested"),
        values(label, "a" => "b")
    )]
    pub struct Thing {
        all: Vec<String>,
        label: String,
        login: String,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_thing", version = 0)]
    pub struct ThingV0 {
        #[attribute(sensitive)]
        keys: Vec<String>,
        label: String,
        #[attribute(sensitive)]
        password: String,
        user: String,
        words: Vec<String>,
    }

    #[test]
    fn what_a_secret_is_put_into_is_one_in_messages() {
        let json = r#"{"keys":["hush1"],"label":"l","password":"hush2","user":"me","words":["w"]}"#;
        let found = upgrade::<Thing>(json);
        let said = found.diagnostics().to_string();
        assert_eq!(found.diagnostics().iter().count(), 3, "{said}");
        assert!(!said.contains("hush"), "{said}");
        assert_eq!(
            said.matches("a string (sensitive) is not one of the known values")
                .count(),
            3,
            "{said}"
        );
    }
}
