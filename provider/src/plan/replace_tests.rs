//! Replacement next to the framework's: the rows of `docs/src/deviations.md` about
//! `requires_replace`, held to what the framework does.
//!
//! [`framework`] is its rule, read in `internal/fwserver` of terraform-plugin-framework (commit
//! 6bb5619f, May 2026): only planned elements are asked; each is compared with the element of the
//! prior state at the same index or key, also in sets (`setElemObject`), or with null where there
//! is none. terraform-plugin-go ends a path at a set, since the protocol has no step for its
//! elements (`AttributePath_Steps`).

use upstate::schema::{Block, Schema};
use upstate::{AttributePath, Object, Resource, Value};

use super::replace::find;
use super::tests::read;

#[derive(Debug, Resource)]
#[resource(version = 0)]
struct Yard {
    #[attribute(set)]
    cranes: Option<Vec<Crane>>,
    #[attribute(set)]
    disks: Option<Vec<Disk>>,
    gate: Option<Crane>,
    #[attribute(optional, computed, requires_replace)]
    mark: Option<String>,
    rails: Option<Vec<Crane>>,
    sheds: Option<std::collections::BTreeMap<String, Crane>>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Crane {
    arm: Option<i64>,
    #[attribute(requires_replace)]
    kind: Option<String>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Disk {
    name: String,
    #[attribute(optional, computed)]
    parts: Option<Vec<Crane>>,
    #[attribute(optional, computed, requires_replace)]
    zone: Option<String>,
    labels: Option<Vec<Label>>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Label {
    key: String,
}

fn yard(json: &str) -> Value {
    let block = Yard::schema().block();
    let mut value = read(block, json);
    if let Value::Map(members) = &mut value {
        // Terraform sends the whole object, so attributes that the text leaves out are null.
        for attribute in block.attributes() {
            members
                .entry(attribute.name().to_owned())
                .or_insert(Value::Null);
        }
    }
    value
}

/// The paths whose changes replace.
fn paths(block: &Block, config: &Value, prior: &Value, planned: &Value) -> Vec<String> {
    let mut paths = Vec::new();
    find(block, config, prior, planned, &mut paths);
    paths.iter().map(AttributePath::to_string).collect()
}

fn here(prior: &Value, planned: &Value) -> Vec<String> {
    let mut paths = paths(Yard::schema().block(), planned, prior, planned);
    paths.dedup();
    paths
}

/// The framework's answers: paths as they arrive at Terraform.
fn framework(prior: &Value, planned: &Value) -> Vec<String> {
    fn get<'v>(value: &'v Value, name: &str) -> &'v Value {
        value
            .as_map()
            .and_then(|members| members.get(name))
            .unwrap_or(&Value::Null)
    }
    fn at(value: &Value, index: usize) -> &Value {
        value
            .as_list()
            .and_then(|list| list.get(index))
            .unwrap_or(&Value::Null)
    }
    let mut paths = Vec::new();
    let mut ask = |prior: &Value, planned: &Value, path: String| {
        if get(prior, "kind") != get(planned, "kind") {
            paths.push(path);
        }
    };
    let of = |name| (get(prior, name), get(planned, name));
    let (before, after) = of("cranes");
    for (index, element) in after.as_list().into_iter().flatten().enumerate() {
        ask(at(before, index), element, "cranes".to_owned());
    }
    let (before, after) = of("gate");
    if !after.is_null() {
        ask(before, after, "gate.kind".to_owned());
    }
    let (before, after) = of("rails");
    for (index, element) in after.as_list().into_iter().flatten().enumerate() {
        ask(at(before, index), element, format!("rails[{index}].kind"));
    }
    let (before, after) = of("sheds");
    for (key, element) in after.as_map().into_iter().flatten() {
        ask(get(before, key), element, format!("sheds[{key:?}].kind"));
    }
    paths.dedup();
    paths
}

/// Values for an attribute of this name: nothing, or up to two elements of three kinds.
fn values(name: &str) -> Vec<String> {
    let crane = |kind: &str, arm: usize| format!(r#"{{"arm":{arm},"kind":{kind}}}"#);
    let kinds = ["null", "\"a\"", "\"b\""];
    let mut values = vec!["null".to_owned()];
    for one in kinds {
        let first = crane(one, 1);
        match name {
            "gate" => values.push(first.clone()),
            "sheds" => values.push(format!(r#"{{"x":{first}}}"#)),
            _ => values.push(format!("[{first}]")),
        }
        for other in kinds {
            let second = crane(other, 2);
            match name {
                "gate" => {}
                "sheds" => values.push(format!(r#"{{"x":{first},"y":{second}}}"#)),
                _ => values.push(format!("[{first},{second}]")),
            }
        }
    }
    values
        .into_iter()
        .map(|value| format!(r#"{{"{name}":{value}}}"#))
        .collect()
}

#[test]
fn lists_maps_and_objects_are_as_in_the_framework() {
    let mut compared = 0;
    for name in ["rails", "sheds", "gate"] {
        for before in values(name) {
            for after in values(name) {
                let (prior, planned) = (yard(&before), yard(&after));
                let (ours, theirs) = (here(&prior, &planned), framework(&prior, &planned));
                assert_eq!(ours, theirs, "{before} -> {after}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 13 * 13 * 2 + 4 * 4);
}

#[test]
fn an_element_that_is_removed_replaces_nothing() {
    for (before, after) in [
        (
            r#"{"rails":[{"kind":"a"},{"kind":"b"}]}"#,
            r#"{"rails":[{"kind":"a"}]}"#,
        ),
        (
            r#"{"sheds":{"x":{"kind":"a"},"y":{"kind":"b"}}}"#,
            r#"{"sheds":{"y":{"kind":"b"}}}"#,
        ),
        (r#"{"gate":{"kind":"a"}}"#, r#"{"gate":null}"#),
        (
            r#"{"cranes":[{"kind":"a"},{"kind":"b"}]}"#,
            r#"{"cranes":[{"kind":"a"}]}"#,
        ),
        (r#"{"cranes":[{"kind":"a"}]}"#, r#"{"cranes":null}"#),
    ] {
        let (prior, planned) = (yard(before), yard(after));
        assert_eq!(
            (here(&prior, &planned), framework(&prior, &planned)),
            (Vec::new(), Vec::new()),
            "{before}"
        );
    }
    // An element that is removed before others moves them up, so each is compared with the one that
    // had its index.
    let (prior, planned) = (
        yard(r#"{"rails":[{"kind":"a"},{"kind":"b"}]}"#),
        yard(r#"{"rails":[{"kind":"b"}]}"#),
    );
    assert_eq!(
        (here(&prior, &planned), framework(&prior, &planned)),
        (
            vec!["rails[0].kind".to_owned()],
            vec!["rails[0].kind".to_owned()]
        )
    );
    // From the front of a set, the framework asks what moved up, too; here it is the same element.
    let (prior, planned) = (
        yard(r#"{"cranes":[{"kind":"a"},{"kind":"b"}]}"#),
        yard(r#"{"cranes":[{"kind":"b"}]}"#),
    );
    assert_eq!(
        (here(&prior, &planned), framework(&prior, &planned)),
        (Vec::new(), vec!["cranes".to_owned()])
    );
    // One that is another, or is no more what it was, is not removed.
    for after in [
        r#"{"cranes":[{"kind":"c"}]}"#,
        r#"{"cranes":[{"kind":"a"},{"kind":null}]}"#,
        r#"{"cranes":[{"kind":null}]}"#,
    ] {
        assert_eq!(here(&prior, &yard(after)), ["cranes"], "{after}");
    }
}

#[test]
fn a_set_is_compared_by_what_it_holds_and_by_the_framework_by_the_order_of_its_elements() {
    // Terraform sends the elements in order: another `arm` moves the first behind the second.
    let prior = yard(r#"{"cranes":[{"arm":1,"kind":"a"},{"arm":2,"kind":"b"}]}"#);
    let planned = yard(r#"{"cranes":[{"arm":2,"kind":"b"},{"arm":3,"kind":"a"}]}"#);
    assert_eq!(
        (here(&prior, &planned), framework(&prior, &planned)),
        (Vec::new(), vec!["cranes".to_owned()])
    );
    // Where every place has the same kind, or a kind is new, both say so.
    let grown =
        yard(r#"{"cranes":[{"arm":1,"kind":"a"},{"arm":2,"kind":"b"},{"arm":3,"kind":"c"}]}"#);
    let moved = yard(r#"{"cranes":[{"arm":1,"kind":"a"},{"arm":5,"kind":"b"}]}"#);
    let unkind =
        yard(r#"{"cranes":[{"arm":1,"kind":"a"},{"arm":2,"kind":"b"},{"arm":3,"kind":null}]}"#);
    for (planned, both) in [
        (grown, vec!["cranes".to_owned()]),
        (moved, Vec::new()),
        (unkind, Vec::new()),
    ] {
        assert_eq!(
            (here(&prior, &planned), framework(&prior, &planned)),
            (both.clone(), both)
        );
    }
}

#[test]
fn what_the_provider_decides_replaces_nothing_here() {
    // The framework compares the unknown value, and replaces (`RequiresReplace`;
    // `RequiresReplaceIfConfigured` is its name for the rule here).
    let (config, prior) = (yard("{}"), yard(r#"{"mark":"a"}"#));
    let mut planned = prior.clone();
    if let Value::Map(members) = &mut planned {
        members.insert("mark".to_owned(), Value::Unknown);
    }
    let block = Yard::schema().block();
    assert_eq!(paths(block, &config, &prior, &planned), [""; 0]);
    assert_eq!(paths(block, &planned, &prior, &planned), ["mark"]);
}

#[test]
fn what_the_provider_decides_in_a_set_replaces_nothing() {
    let replaced = |config: &str, prior: &str, planned: &str| {
        let disks = |elements: &str| yard(&format!(r#"{{"disks":[{elements}]}}"#));
        let block = Yard::schema().block();
        paths(block, &disks(config), &disks(prior), &disks(planned))
    };
    let (c1, d2) = (r#"{"name":"c","zone":"z1"}"#, r#"{"name":"d","zone":"z2"}"#);
    let (d, open) = (r#"{"name":"d"}"#, r#"{"name":"d","zone":"?"}"#);
    let and = |one: &str, other: &str| format!("{one},{other}");
    assert_eq!(replaced(d, d2, open), [""; 0]);
    assert_eq!(replaced(&and(c1, d), &and(c1, d2), &and(c1, open)), [""; 0]);
    // There may be one more or one less.
    assert_eq!(replaced(&and(c1, d), c1, &and(c1, open)), [""; 0]);
    assert_eq!(replaced(d, &and(c1, d2), open), [""; 0]);
    // Another zone is configured, or one that is not known yet.
    let c3 = r#"{"name":"c","zone":"z3"}"#;
    assert_eq!(
        replaced(&and(c3, d), &and(c1, d2), &and(c3, open)),
        ["disks"]
    );
    assert_eq!(replaced(open, d2, open), ["disks"]);
}

#[test]
fn what_the_provider_decides_below_a_set_replaces_nothing() {
    let config = yard(r#"{"disks":[{"name":"d"}]}"#);
    let prior = yard(r#"{"disks":[{"name":"d","parts":[{"kind":"a"}]}]}"#);
    let mut planned = config.clone();
    if let Some(Value::List(disks)) = planned
        .as_map_mut()
        .and_then(|members| members.get_mut("disks"))
    {
        for disk in disks.iter_mut().filter_map(Value::as_map_mut) {
            disk.insert("parts".to_owned(), Value::Unknown);
        }
    }
    let block = Yard::schema().block();
    assert_eq!(paths(block, &config, &prior, &planned), [""; 0]);
    assert_eq!(paths(block, &prior, &prior, &config), ["disks"]);
}

#[test]
fn the_page_has_each_of_these() {
    let page = include_str!("../../../docs/src/deviations.md");
    for row in [
        "| plan: elements of a set whose attributes with `requires_replace` change places |",
        "| plan: what the provider decides again of an attribute with `requires_replace`, or inside of it |",
    ] {
        assert!(page.contains(row), "{row}");
    }
}

#[derive(Object)]
struct Volume {
    #[attribute(requires_replace_if = shrinks)]
    size: i64,
    #[attribute(requires_replace_if = other_zone)]
    zone: Option<String>,
    parts: Option<Vec<Part>>,
}

#[derive(Object)]
struct Part {
    #[attribute(requires_replace_if = shrinks)]
    size: i64,
}

fn shrinks(prior: i64, planned: i64) -> bool {
    planned < prior
}

fn other_zone(prior: Option<&str>, planned: Option<&str>) -> bool {
    prior.is_some() && planned.is_some()
}

/// Each form that a function may have, also a generic one.
#[derive(Object)]
struct Forms {
    #[attribute(requires_replace_if = grows)]
    by_reference: i64,
    #[attribute(requires_replace_if = is_set)]
    by_value: Option<i64>,
    #[attribute(requires_replace_if = differs)]
    option_by_reference: Option<String>,
    #[attribute(requires_replace_if = is_longer)]
    inside: Option<Vec<String>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form is under test")]
fn grows(prior: &i64, planned: &i64) -> bool {
    planned > prior
}

fn is_set(prior: Option<i64>, planned: Option<i64>) -> bool {
    prior < planned
}

fn differs<T: PartialEq>(prior: &T, planned: &T) -> bool {
    prior != planned
}

fn is_longer(prior: Option<&Vec<String>>, planned: Option<&Vec<String>>) -> bool {
    prior.map(Vec::len) < planned.map(Vec::len)
}

#[test]
fn a_function_takes_references_values_or_options_of_references() {
    let block = Schema::of::<Forms>().block();
    let replaced = |prior: &str, planned: &str| {
        let planned = read(block, planned);
        paths(block, &planned, &read(block, prior), &planned)
    };
    let small = r#"{"by_reference": 1, "inside": ["a"]}"#;
    let large =
        r#"{"by_reference": 2, "by_value": 1, "option_by_reference": "a", "inside": ["a", "b"]}"#;
    assert_eq!(
        replaced(small, large),
        ["by_reference", "by_value", "inside", "option_by_reference"]
    );
    assert_eq!(replaced(large, small), ["option_by_reference"]);
}

#[test]
fn a_function_decides_whether_a_change_replaces() {
    let block = Schema::of::<Volume>().block();
    let replaced = |prior: &str, planned: &str| {
        let planned = read(block, planned);
        paths(block, &planned, &read(block, prior), &planned)
    };
    assert_eq!(replaced(r#"{"size": 4}"#, r#"{"size": 5}"#), [""; 0]);
    assert_eq!(replaced(r#"{"size": 4}"#, r#"{"size": 3}"#), ["size"]);
    // Null has no place in the field, and is 0, as it is for a function in Go.
    assert_eq!(replaced(r#"{"size": null}"#, r#"{"size": 5}"#), [""; 0]);
    assert_eq!(replaced(r#"{"size": null}"#, r#"{"size": -1}"#), ["size"]);
    assert_eq!(
        replaced(
            r#"{"size": 4, "zone": null}"#,
            r#"{"size": 4, "zone": "a"}"#
        ),
        [""; 0]
    );
    assert_eq!(
        replaced(r#"{"size": 4, "zone": "b"}"#, r#"{"size": 4, "zone": "a"}"#),
        ["zone"]
    );
    // It replaces, because it may be any zone.
    assert_eq!(
        replaced(
            r#"{"size": 4, "zone": null}"#,
            r#"{"size": 4, "zone": "?"}"#
        ),
        ["zone"]
    );
    let parts = |sizes: [i64; 2]| {
        format!(
            r#"{{"size": 1, "parts": [{{"size": {}}}, {{"size": {}}}]}}"#,
            sizes[0], sizes[1]
        )
    };
    assert_eq!(replaced(&parts([1, 2]), &parts([2, 1])), ["parts[1].size"]);
}

#[derive(Object)]
struct Site {
    #[attribute(requires_replace_if = leaves)]
    place: String,
}

fn leaves<T: PartialEq + Default>(prior: &T, planned: &T) -> bool {
    *prior != T::default() && prior != planned
}

#[test]
fn a_function_gets_null_as_a_string_without_characters() {
    let block = Schema::of::<Site>().block();
    let replaced = |prior: &str| {
        let planned = read(block, r#"{"place": "a"}"#);
        !paths(block, &planned, &read(block, prior), &planned).is_empty()
    };
    assert!(!replaced(r#"{"place": null}"#));
    assert!(replaced(r#"{"place": "b"}"#));
}

#[derive(Object)]
struct Rack {
    #[attribute(requires_replace)]
    slots: Option<Vec<Slot>>,
    #[attribute(requires_replace_if = fewer)]
    shelves: Option<Vec<Slot>>,
    #[attribute(set, requires_replace)]
    bays: Option<Vec<Slot>>,
    #[attribute(set, requires_replace_if = fewer)]
    docks: Option<Vec<Slot>>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Slot {
    #[attribute(computed)]
    id: String,
    size: i64,
    lock: Option<Lock>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Lock {
    #[attribute(computed)]
    number: i64,
}

fn fewer(prior: Option<&Vec<Slot>>, planned: Option<&Vec<Slot>>) -> bool {
    planned.map(Vec::len) < prior.map(Vec::len)
}

#[test]
fn what_the_provider_decides_inside_of_a_whole_replaces_nothing() {
    let block = Schema::of::<Rack>().block();
    let value = |name: &str, slots: &[&str]| {
        let json = format!(r#"{{"{name}": [{}]}}"#, slots.join(", "));
        read(block, &json)
    };
    let replaced = |name: &str, config: &[&str], prior: &[&str], planned: &[&str]| -> bool {
        let (config, prior) = (value(name, config), value(name, prior));
        !paths(block, &config, &prior, &value(name, planned)).is_empty()
    };
    let (written, before) = (
        r#"{"size": 1, "lock": {}}"#,
        r#"{"size": 1, "id": "a", "lock": {"number": 3}}"#,
    );
    let planned = r#"{"size": 1, "id": "?", "lock": {"number": -99}}"#;
    for (name, of_more, of_fewer) in [("slots", true, true), ("shelves", false, true)] {
        assert!(!replaced(name, &[written], &[before], &[planned]), "{name}");
        assert_eq!(
            replaced(name, &[written, written], &[before], &[planned, planned]),
            of_more,
            "{name}"
        );
        assert_eq!(
            replaced(name, &[written], &[before, before], &[planned]),
            of_fewer,
            "{name}"
        );
    }
    let other = [r#"{"size": 2, "id": "?"}"#];
    assert!(replaced(
        "slots",
        &[r#"{"size": 2}"#],
        &[r#"{"size": 1, "id": "a"}"#],
        &other
    ));
    assert!(!replaced(
        "shelves",
        &[r#"{"size": 2}"#],
        &[r#"{"size": 1, "id": "a"}"#],
        &other
    ));
    let before = [r#"{"size": 1, "id": "b"}"#, r#"{"size": 2, "id": "a"}"#];
    let bays = |config: &[&str], planned: &[&str]| replaced("bays", config, &before, planned);
    let [one, two, three] = [
        r#"{"size": 1, "id": "?"}"#,
        r#"{"size": 2, "id": "?"}"#,
        r#"{"size": 3, "id": "?"}"#,
    ];
    assert!(!bays(&[r#"{"size": 2}"#, r#"{"size": 1}"#], &[two, one]));
    assert!(bays(&[r#"{"size": 2}"#, r#"{"size": 3}"#], &[two, three]));
    assert!(bays(&[r#"{"size": 2}"#], &[two]));
    // The one that is decided again is not taken for the one that is written.
    let (a, b) = (r#"{"size": 1, "id": "a"}"#, r#"{"size": 1, "id": "b"}"#);
    assert!(!replaced(
        "bays",
        &[r#"{"size": 1}"#, a],
        &[a, b],
        &[one, a]
    ));
    let docks = |config: &[&str], planned: &[&str]| replaced("docks", config, &before, planned);
    assert!(!docks(
        &[r#"{"size": 1}"#, r#"{"size": 2}"#, r#"{"size": 3}"#],
        &[one, two, three]
    ));
    assert!(docks(&[r#"{"size": 2}"#], &[two]));
    // Null that a provider in Go left in an element asks for nothing.
    let null = [r#"{"size": 1, "id": null}"#];
    assert!(!replaced("slots", &[r#"{"size": 1}"#], &null, &[one]));
    assert!(!replaced("shelves", &[r#"{"size": 2}"#], &null, &[two]));
}

/// Their number would count otherwise, beside the zone that stays.
#[test]
fn objects_that_replace_nothing_do_not_count_in_a_set() {
    let with = |labels: &str| {
        yard(&format!(
            r#"{{"disks":[{{"name":"d","zone":"a","labels":{labels}}}]}}"#
        ))
    };
    for (prior, planned) in [
        ("null", r#"[{"key":"x"}]"#),
        (r#"[{"key":"x"}]"#, r#"[{"key":"x"},{"key":"y"}]"#),
    ] {
        assert_eq!(
            here(&with(prior), &with(planned)),
            Vec::<String>::new(),
            "{planned}"
        );
    }
    let moved = yard(r#"{"disks":[{"name":"d","zone":"b","labels":[{"key":"x"}]}]}"#);
    assert_eq!(here(&with(r#"[{"key":"x"}]"#), &moved), ["disks"]);
}
