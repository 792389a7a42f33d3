//! Members that move out of objects that stay, and into them.

use upstate::upgrade::DowngradeRequest;
use upstate::{Object, Registry, Resource, UpgradeRequest};

#[derive(Debug, Resource)]
#[resource(type_name = "out", version = 1)]
#[upgrade_from(0 => 1, rename(settings.zone: String => zone))]
struct Out {
    zone: String,
    settings: Settings,
}

#[derive(Debug, Object)]
struct Settings {
    size: i64,
}

#[derive(Debug, Resource)]
#[resource(type_name = "inferred", version = 1)]
#[upgrade_from(0 => 1, rename(settings.zone => zone, settings.port: u16 => port), convert(port))]
struct Inferred {
    zone: Option<String>,
    port: String,
    settings: Settings,
}

#[derive(Debug, Resource)]
#[resource(type_name = "both", version = 1)]
#[upgrade_from(0 => 1,
    rename(settings.zone: Option<String> => zone, label => settings.label),
    rename(settings.length: Option<i64> => settings.size),
)]
struct Both {
    zone: Option<String>,
    settings: Option<Labelled>,
}

#[derive(Debug, Object)]
struct Labelled {
    size: Option<i64>,
    label: Option<String>,
    kept: Option<bool>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "blocks", version = 1)]
#[upgrade_from(0 => 1, rename(settings.zone: Option<String> => zone), rename(#[block] settings.rules: Vec<Rule> => rules))]
struct OfBlocks {
    zone: Option<String>,
    #[block]
    rules: Vec<Rule>,
    #[block(max = 1)]
    settings: Vec<Labelled>,
}

#[derive(Debug, Object)]
struct Rule {
    port: i64,
}

#[derive(Debug, Resource)]
#[resource(type_name = "deep", version = 1)]
#[upgrade_from(0 => 1, rename(outer.inner.zone: String => zone), rename(outer.gone.port: i64 => port))]
struct Deep {
    zone: String,
    port: i64,
    outer: Outer,
}

#[derive(Debug, Object)]
struct Outer {
    inner: Labelled,
}

#[derive(Debug, Resource)]
#[resource(type_name = "within", version = 1)]
#[upgrade_from(0 => 1, within(outers, rename(inner.zone: Option<String> => zone), rename(label => inner.label)))]
struct Within {
    outers: Option<Vec<Zoned>>,
}

#[derive(Debug, Object)]
struct Zoned {
    zone: Option<String>,
    inner: Labelled,
}

#[derive(Debug, Resource)]
#[resource(type_name = "into", version = 1)]
#[upgrade_from(0 => 1, rename(a => settings.a.one), rename(b => settings.a.two))]
struct Into {
    settings: Option<OfTwo>,
}

#[derive(Debug, Object)]
struct OfTwo {
    a: Option<Two>,
    other: Option<String>,
    third: Option<String>,
}

#[derive(Debug, Object)]
struct Two {
    one: Option<bool>,
    two: Option<bool>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "into_all", version = 1)]
#[upgrade_from(0 => 1, rename(a => settings.a.one), rename(b => settings.a.two))]
struct IntoAll {
    settings: Option<OfOne>,
}

#[derive(Debug, Object)]
struct OfOne {
    a: Option<Two>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "into_some", version = 1)]
#[upgrade_from(0 => 1, rename(a => settings.a.one))]
struct IntoSome {
    settings: Option<OfOne>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "chain", version = 2)]
#[upgrade_from(1 => 2, rename(x.a => x.b))]
#[upgrade_from(0 => 1, carry(x: XV0), rename(x.c => c))]
struct Chain {
    c: String,
    x: X,
}

#[derive(Debug, Object)]
struct X {
    b: String,
}

#[derive(Debug, Object)]
struct XV0 {
    a: String,
    c: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "structs", version = 1)]
#[upgrade_from(0, model = StructsV0, rename(x.c => c))]
struct Structs {
    c: String,
    x: XA,
}

#[derive(Debug, Resource)]
#[resource(type_name = "structs", version = 0)]
struct StructsV0 {
    x: XV0,
}

#[derive(Debug, Object)]
struct XA {
    a: String,
}

fn registry() -> Registry {
    Registry::new()
        .with::<Out>()
        .with::<Inferred>()
        .with::<Both>()
        .with::<OfBlocks>()
        .with::<Deep>()
        .with::<Within>()
        .with::<Into>()
        .with::<IntoAll>()
        .with::<IntoSome>()
        .with::<Chain>()
        .with::<Structs>()
}

/// What becomes of a state of version 0, and of that what a downgrade makes. Nothing is left out.
#[track_caller]
fn moved(type_name: &str, stored: &str, expected: &str) {
    let registry = registry();
    let definition = registry
        .definitions()
        .find(|definition| definition.type_name() == type_name)
        .unwrap();
    let version = definition.version();
    let mut states = vec![stored.to_owned()];
    // With a name of which nothing is known, the state takes the slower path over values.
    states.push(
        stored
            .replacen('{', r#"{"unknown": 1, "#, 1)
            .replace(", }", "}"),
    );
    for (state, unknown) in states.iter().zip([0, 1]) {
        let response = registry.upgrade(&UpgradeRequest::json(type_name, 0, state.as_bytes()));
        assert!(
            response.diagnostics().is_empty(),
            "{}",
            response.diagnostics()
        );
        assert_eq!(response.dropped(), [], "{type_name}");
        let undefined: Vec<String> = response
            .undefined()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(undefined.len(), unknown, "{type_name}: {undefined:?}");
        assert_eq!(
            String::from_utf8_lossy(response.state().unwrap()),
            expected,
            "{type_name}"
        );
    }
    let back = registry.downgrade(&DowngradeRequest::json(
        type_name,
        version,
        0,
        expected.as_bytes(),
    ));
    let back = back
        .state()
        .unwrap_or_else(|| panic!("{type_name}: {}", back.diagnostics()));
    let again = registry.upgrade(&UpgradeRequest::json(type_name, 0, back));
    assert_eq!(
        String::from_utf8_lossy(again.state().unwrap()),
        expected,
        "{type_name}: {}",
        String::from_utf8_lossy(back)
    );
    let [stored, back]: [serde_json::Value; 2] =
        [stored.as_bytes(), back].map(|state| serde_json::from_slice(state).unwrap());
    assert_eq!(without_null(stored), without_null(back), "{type_name}");
}

/// Null and nothing are the same.
fn without_null(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::Object(object) => {
            let members = object
                .into_iter()
                .map(|(name, value)| (name, without_null(value)));
            Value::Object(members.filter(|(_, value)| !value.is_null()).collect())
        }
        Value::Array(array) => Value::Array(array.into_iter().map(without_null).collect()),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => other,
    }
}

#[test]
fn a_member_leaves_an_object_that_stays() {
    moved(
        "out",
        r#"{"settings": {"zone": "z", "size": 1}}"#,
        r#"{"settings":{"size":1},"zone":"z"}"#,
    );
    moved(
        "inferred",
        r#"{"settings": {"zone": "z", "size": 1, "port": 80}}"#,
        r#"{"port":"80","settings":{"size":1},"zone":"z"}"#,
    );
    moved(
        "structs",
        r#"{"x": {"a": "a", "c": "c"}}"#,
        r#"{"c":"c","x":{"a":"a"}}"#,
    );
}

#[test]
fn members_go_both_ways_in_one_upgrader() {
    let state = r#"{"label": "l", "settings": {"zone": "z", "length": 1, "kept": true}}"#;
    moved(
        "both",
        state,
        r#"{"settings":{"kept":true,"label":"l","size":1},"zone":"z"}"#,
    );
}

#[test]
fn members_leave_blocks() {
    let state = r#"{"settings": [{"zone": "z", "size": 1, "rules": [{"port": 1}, {"port": 2}]}]}"#;
    let expected = r#"{"rules":[{"port":1},{"port":2}],"settings":[{"kept":null,"label":null,"size":1}],"zone":"z"}"#;
    moved("blocks", state, expected);
}

#[test]
fn members_leave_objects_at_any_depth() {
    let state = r#"{"outer": {"inner": {"zone": "z", "size": 1}, "gone": {"port": 80}}}"#;
    moved(
        "deep",
        state,
        r#"{"outer":{"inner":{"kept":null,"label":null,"size":1}},"port":80,"zone":"z"}"#,
    );
    let state = r#"{"outers": [{"inner": {"zone": "z", "size": 1}, "label": "l"}]}"#;
    moved(
        "within",
        state,
        r#"{"outers":[{"inner":{"kept":null,"label":"l","size":1},"zone":"z"}]}"#,
    );
}

#[test]
fn several_members_go_into_one_object_two_levels_down() {
    let state = r#"{"a": true, "b": false, "settings": {"other": "o", "third": "t"}}"#;
    moved(
        "into",
        state,
        r#"{"settings":{"a":{"one":true,"two":false},"other":"o","third":"t"}}"#,
    );
    // The object around stays: nothing says that it was not there.
    moved(
        "into_all",
        r#"{"a": true, "b": false, "settings": {}}"#,
        r#"{"settings":{"a":{"one":true,"two":false}}}"#,
    );
    // What else the object has was there before.
    let state = r#"{"a": true, "settings": {"a": {"two": false}}}"#;
    moved(
        "into_some",
        state,
        r#"{"settings":{"a":{"one":true,"two":false}}}"#,
    );
}

#[test]
fn an_object_that_a_later_version_changes_by_path_has_a_struct_in_an_earlier_one() {
    moved(
        "chain",
        r#"{"x": {"a": "a", "c": "c"}}"#,
        r#"{"c":"c","x":{"b":"a"}}"#,
    );
}

#[test]
fn what_moves_is_not_said_to_be_dropped() {
    for definition in registry().definitions() {
        let history = definition.history().unwrap();
        for step in history.steps() {
            let verdicts = history.verdicts(step);
            assert!(
                !verdicts.up.to_string().contains("drop"),
                "{}: {}",
                definition.type_name(),
                verdicts.up
            );
        }
    }
    let verdicts =
        |history: &'static upstate::upgrade::History| history.verdicts(&history.steps()[0]);
    assert_eq!(verdicts(Out::HISTORY).up.to_string(), "lossless");
    assert_eq!(verdicts(Out::HISTORY).down.to_string(), "lossless");
    // There has to be an object for a value to go back to.
    let both = verdicts(Both::HISTORY).down.to_string();
    assert!(
        both.contains("zone (whether the object that it goes to was missing)"),
        "{both}"
    );
    let lonely = DowngradeRequest::json("both", 1, 0, br#"{"settings": null, "zone": "z"}"#);
    assert!(registry().downgrade(&lonely).state().is_none());
    let moved = upstate::__internal::renames(Out::HISTORY, 0);
    assert_eq!(
        moved[["settings", "zone"].as_slice()]
            .iter()
            .collect::<Vec<_>>(),
        [&["zone"]]
    );
    assert!(upstate::__internal::dropped(Out::HISTORY, 0).is_empty());
}

same! {
    as_with_structs, 1,
    structs: {
        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 0)]
        pub struct ThingV0 { id: String, label: Option<String>, place: PlaceV0, #[block] rules: Vec<RuleV0> }

        #[derive(Debug, upstate::Object)]
        pub struct PlaceV0 { zone: String, size: i64, port: Option<i64> }

        #[derive(Debug, upstate::Object)]
        pub struct RuleV0 { number: i64, tag: Option<String> }
    }
    upgraders: {
        #[upgrade_from(0, model = ThingV0,
            rename(place.zone => zone, label => place.label), drop(place.port, "gone"), rename(rules.tag => tag))]
    }
    differences: {
        #[upgrade_from(0 => 1,
            rename(place.zone: String => zone, label => place.label), drop(place.port: Option<i64>, "gone"),
            rename(rules.tag: Option<String> => tag))]
    }
    now: {
        id: String,
        zone: String,
        tag: Option<String>,
        place: Place,
        #[block]
        rules: Vec<Rule>,
    }
    states: [
        (0, r#"{"id": "a", "label": "l", "place": {"zone": "z", "size": 1, "port": 80}, "rules": [{"number": 1, "tag": "t"}]}"#),
        (0, r#"{"id": "a", "place": {"zone": "z", "size": 1}, "rules": []}"#),
        (0, r#"{"id": "a", "place": {"zone": "z", "size": 1}, "rules": [{"number": 1}, {"number": 2}]}"#),
        (0, r#"{"id": "a", "place": {"size": 1}}"#),
        (0, r#"{"id": "a", "place": {"zone": "z", "size": "x"}}"#),
        (0, r#"{"id": "a"}"#),
    ],
    with: {
        #[derive(Debug, upstate::Object)]
        pub struct Place { size: i64, label: Option<String> }

        #[derive(Debug, upstate::Object)]
        pub struct Rule { number: i64 }
    }
}
