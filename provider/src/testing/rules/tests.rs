//! Each rule, kept and broken. `"?"` is a value that is unknown.

use std::collections::BTreeMap;

use upstate::codec::UnknownAttributes;
use upstate::schema::Schema;
use upstate::{Dynamic, Object};

use super::*;
use crate::plan::proposed;

#[derive(Object)]
struct Fort {
    #[attribute(computed)]
    id: Option<String>,
    name: Option<String>,
    #[attribute(default = 3)]
    towers: i64,
    #[attribute(sensitive)]
    word: Option<String>,
    #[attribute(write_only)]
    pin: Option<String>,
    tags: Option<Vec<String>>,
    #[attribute(set)]
    colors: Option<Vec<String>>,
    gates: Option<Vec<Gate>>,
    #[attribute(optional, computed)]
    moat: Option<Gate>,
    /// Any type will do.
    sign: Option<Dynamic>,
    #[attribute(set)]
    doors: Option<Vec<Gate>>,
    named: Option<BTreeMap<String, Gate>>,
    #[block]
    guard: Vec<Gate>,
    #[block(set, max = 1)]
    hall: Vec<Gate>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Gate {
    width: i64,
    #[attribute(computed)]
    id: Option<String>,
}

fn block() -> &'static Block {
    Schema::of::<Fort>().block()
}

fn value(json: &str) -> Value {
    fn unknown(value: &mut Value) {
        match value {
            Value::String(text) if text == "?" => *value = Value::Unknown,
            Value::List(list) => list.iter_mut().for_each(unknown),
            Value::Map(map) => map.values_mut().for_each(unknown),
            _ => {}
        }
    }
    let mut value = Value::from_json(
        json.as_bytes(),
        &block().implied_type(),
        UnknownAttributes::Deny,
    )
    .unwrap();
    if let Some(members) = value.as_map_mut() {
        for block in ["guard", "hall"] {
            let blocks = members.entry(block.to_owned()).or_default();
            if blocks.is_null() {
                *blocks = Value::List(Vec::new());
            }
        }
    }
    unknown(&mut value);
    value
}

fn lines(problems: Vec<Problem>) -> Vec<String> {
    problems
        .into_iter()
        .map(|(path, problem)| format!("{path}: {problem}"))
        .collect()
}

fn planned(prior: &str, config: &str, planned: &str) -> Vec<String> {
    let (prior, config, planned) = (value(prior), value(config), value(planned));
    lines(invalid_plan(
        block(),
        Change {
            prior: &prior,
            config: &config,
            planned: &planned,
        },
    ))
}

fn applied(planned: &str, actual: &str) -> Vec<String> {
    lines(inconsistent(block(), &value(planned), &value(actual)))
}

#[test]
fn a_plan_may_decide_what_is_computed_and_keep_what_was_there() {
    assert_eq!(
        planned(
            "null",
            r#"{"name": "a"}"#,
            r#"{"id": "?", "name": "a", "towers": 3}"#
        ),
        [""; 0]
    );
    assert_eq!(
        planned(r#"{"name": "A"}"#, r#"{"name": "a"}"#, r#"{"name": "A"}"#),
        [""; 0]
    );
    assert_eq!(
        planned(
            "null",
            r#"{"gates": [{"width": 1}]}"#,
            r#"{"gates": [{"width": 1, "id": "?"}]}"#
        ),
        [""; 0]
    );
    assert_eq!(
        planned(
            "null",
            r#"{"guard": [{"width": 1}]}"#,
            r#"{"guard": [{"width": 1, "id": "g"}]}"#
        ),
        [""; 0]
    );
    assert_eq!(planned("null", "{}", r#"{"moat": {"width": 1}}"#), [""; 0]);
    assert_eq!(planned("null", r#"{"pin": "1234"}"#, "{}"), [""; 0]);
    assert_eq!(planned(r#"{"name": "a"}"#, "null", "null"), [""; 0]);
}

#[test]
fn a_plan_may_not_contradict_the_configuration() {
    assert_eq!(
        planned("null", r#"{"name": "a"}"#, r#"{"name": "b"}"#),
        [r#"name: "b" is planned, and "a" is configured"#]
    );
    assert_eq!(
        planned(r#"{"name": "c"}"#, r#"{"name": "a"}"#, r#"{"name": "?"}"#),
        [r#"name: (unknown) is planned, and "a" is configured, and was "c" before"#]
    );
    assert_eq!(
        planned("null", "{}", r#"{"name": "b"}"#),
        [r#"name: "b" is planned, and the attribute is neither configured nor computed"#]
    );
    assert_eq!(
        planned("null", r#"{"word": "sesame"}"#, r#"{"word": "mellon"}"#),
        ["word: a value that is sensitive is planned, and a value that is sensitive is configured"]
    );
    assert_eq!(
        planned("null", r#"{"pin": "1234"}"#, r#"{"pin": "1234"}"#),
        ["pin: it is write-only, and the plan has a value for it"]
    );
    assert_eq!(
        planned(
            "null",
            r#"{"gates": [{"width": 1}]}"#,
            r#"{"gates": [{"width": 1}, {"width": 2}]}"#
        ),
        ["gates: 2 are planned, and 1 are configured"]
    );
    assert_eq!(
        planned(
            "null",
            r#"{"gates": [{"width": 1}]}"#,
            r#"{"gates": [{"width": 2}]}"#
        ),
        ["gates[0].width: 2 is planned, and 1 is configured"]
    );
    assert_eq!(
        planned("null", r#"{"guard": [{"width": 1}]}"#, r#"{"guard": []}"#),
        ["guard: 0 are planned, and 1 are configured"]
    );
    assert_eq!(
        planned("null", "{}", "null"),
        [": it is planned to be absent, and the configuration has it"]
    );
    assert_eq!(
        planned("null", "null", "{}"),
        [": it is planned, and the configuration does not have it"]
    );
}

/// The problems of a plan that is the configuration, but for the value at a path.
fn planned_with(config: &str, path: &AttributePath, value: Value) -> Vec<String> {
    let (prior, config) = (Value::Null, self::value(config));
    let mut planned = config.clone();
    let mut place = &mut planned;
    for step in path.steps() {
        place = match (step, place) {
            (PathStep::Attribute(name), Value::Map(members)) => members.get_mut(&**name).unwrap(),
            (PathStep::Index(index), Value::List(list)) => {
                list.get_mut(usize::try_from(*index).unwrap()).unwrap()
            }
            (step, _) => panic!("no {step:?}"),
        };
    }
    *place = value;
    lines(invalid_plan(
        block(),
        Change {
            prior: &prior,
            config: &config,
            planned: &planned,
        },
    ))
}

#[test]
fn what_is_unknown_as_a_whole_is_so_in_each_of_its_parts() {
    let first = |name: &'static str| AttributePath::from(name).index(0);
    let unknown = |config: &str, name| planned_with(config, &first(name), Value::Unknown);
    assert_eq!(
        unknown(r#"{"gates": [{"width": 1}]}"#, "gates"),
        ["gates[0].width: (unknown) is planned, and 1 is configured"]
    );
    let block = "a block can't be unknown itself; only the attributes in it can";
    assert_eq!(
        unknown(r#"{"guard": [{"width": 1}]}"#, "guard"),
        [format!("guard[0]: {block}")]
    );
    assert_eq!(
        unknown(r#"{"hall": [{"width": 1}]}"#, "hall"),
        [format!("hall: {block}")]
    );
}

#[test]
fn elements_are_counted_as_terraform_counts_them() {
    let one = r#"{"width": 1, "id": "?"}"#;
    assert_eq!(
        planned(
            "null",
            r#"{"doors": [{"width": 1}]}"#,
            &format!(r#"{{"doors": [{one}]}}"#)
        ),
        [""; 0]
    );
    assert_eq!(
        planned("null", r#"{"doors": [{"width": 1}]}"#, r#"{"doors": []}"#),
        ["doors: 0 are planned, and 1 are configured"]
    );
    // Fewer are fine, because those that are not known yet may be equal.
    let doors = format!(r#"{{"doors": [{one}]}}"#);
    assert_eq!(
        planned(
            "null",
            r#"{"doors": [{"width": 1}, {"width": 1, "id": "?"}]}"#,
            &doors
        ),
        [""; 0]
    );
    assert_eq!(
        planned("null", r#"{"hall": [{"width": 1}]}"#, r#"{"hall": []}"#),
        [""; 0]
    );
    assert_eq!(
        planned(
            "null",
            r#"{"named": {"a": {"width": 1}}}"#,
            r#"{"named": {"b": {"width": 1}}}"#
        ),
        [r#"named["b"]: it is planned, and the configuration does not have it"#]
    );
    // No number is known of them, so that not even none is right.
    for (name, none) in [("gates", "[]"), ("named", "{}")] {
        let (prior, mut config) = (Value::Null, value("{}"));
        config
            .as_map_mut()
            .unwrap()
            .insert(name.to_owned(), Value::Unknown);
        let planned = value(&format!(r#"{{"{name}": {none}}}"#));
        assert_eq!(
            lines(invalid_plan(
                block(),
                Change {
                    prior: &prior,
                    config: &config,
                    planned: &planned
                }
            )),
            [format!(
                "{name}: it is planned, and what is configured is not known yet"
            )]
        );
    }
}

#[test]
fn what_is_applied_completes_the_plan() {
    assert_eq!(
        applied(
            r#"{"id": "?", "name": "a", "tags": ["?"]}"#,
            r#"{"id": "f", "name": "a", "tags": ["x"]}"#
        ),
        [""; 0]
    );
    // One element, because elements of a set that turn out to be equal are one.
    assert_eq!(
        applied(r#"{"colors": ["?", "red"]}"#, r#"{"colors": ["red"]}"#),
        [""; 0]
    );
    assert_eq!(
        applied(
            r#"{"hall": [{"width": 1, "id": "?"}]}"#,
            r#"{"hall": [{"width": 1, "id": "h"}]}"#
        ),
        [""; 0]
    );
    // It is fine, because Terraform looks at the type first, and null has none here.
    assert_eq!(
        applied("{}", r#"{"sign": {"type": "string", "value": "beware"}}"#),
        [""; 0]
    );
}

#[test]
fn what_is_applied_is_what_was_planned() {
    assert_eq!(
        applied(r#"{"name": "a"}"#, r#"{"name": "b"}"#),
        [r#"name: it was "a" in the plan, and is "b" now"#]
    );
    assert_eq!(
        applied(r#"{"name": "a"}"#, "{}"),
        [r#"name: it was "a" in the plan, and is null now"#]
    );
    assert_eq!(
        applied("{}", r#"{"id": "x"}"#),
        [r#"id: it was null in the plan, and is "x" now"#]
    );
    assert_eq!(
        applied(r#"{"name": "a"}"#, r#"{"name": "?"}"#),
        ["name: it was known in the plan, and is unknown now"]
    );
    assert_eq!(
        applied(r#"{"word": "a"}"#, r#"{"word": "b"}"#),
        ["word: it is another value than planned, which is sensitive"]
    );
    assert_eq!(
        applied(r#"{"tags": ["a"]}"#, r#"{"tags": ["a", "b"]}"#),
        ["tags: 1 elements were planned, and there are 2"]
    );
    assert_eq!(
        applied(r#"{"colors": ["red"]}"#, r#"{"colors": ["blue"]}"#),
        [r#"colors: the element "red" was planned, and none that is there now can be it"#]
    );
    assert_eq!(
        applied(r#"{"colors": ["red"]}"#, r#"{"colors": ["red", "blue"]}"#),
        [
            r#"colors: the element "blue" is there now, and was not planned"#,
            "colors: 1 elements were planned, and there are 2"
        ]
    );
    assert_eq!(
        applied(
            r#"{"gates": [{"width": 1, "id": "?"}]}"#,
            r#"{"gates": [{"width": 2, "id": "g"}]}"#
        ),
        ["gates[0].width: it was 1 in the plan, and is 2 now"]
    );
    assert_eq!(
        applied(r#"{"guard": [{"width": 1}]}"#, "{}"),
        ["guard: 1 blocks were planned, and there are 0"]
    );
    assert_eq!(
        applied("{}", "null"),
        [": it was planned, and is absent now"]
    );
    assert_eq!(
        applied("null", "{}"),
        [": it was absent in the plan, and is there now"]
    );
}

#[test]
fn what_is_required_has_to_be_configured() {
    let missed = |config: &str| lines(missing(block(), &value(config)));
    assert_eq!(missed("{}"), [""; 0]);
    assert_eq!(missed(r#"{"name": "?", "gates": [{"width": 1}]}"#), [""; 0]);
    assert_eq!(
        missed(r#"{"gates": [{}], "hall": [{"width": 1}, {"width": 2}]}"#),
        [
            "hall: there must be at most 1 of these blocks, and there are 2",
            "gates[0].width: it is required, and not set"
        ]
    );
}

#[test]
fn the_proposed_state_keeps_what_is_computed() {
    let proposed = |prior: &str, config: &str| proposed(block(), &value(prior), &value(config));
    let prior = r#"{"id": "f", "name": "a", "towers": 5, "gates": [{"width": 1, "id": "g"}], "guard": [{"width": 1, "id": "h"}],
        "hall": [{"width": 1, "id": "i"}], "moat": {"width": 1, "id": "m"}}"#;
    assert_eq!(
        proposed("null", r#"{"name": "a"}"#),
        value(r#"{"name": "a"}"#)
    );
    assert_eq!(proposed(prior, "null"), Value::Null);
    // What only a configuration can have said of the moat is no longer there.
    assert_eq!(proposed(prior, "{}"), value(r#"{"id": "f", "towers": 5}"#));
    let config = r#"{"name": "b", "gates": [{"width": 2}, {"width": 3}], "guard": [{"width": 2}], "hall": [{"width": 2}], "moat": {"width": 2}}"#;
    assert_eq!(
        proposed(prior, config),
        value(
            r#"{"id": "f", "name": "b", "towers": 5, "gates": [{"width": 2, "id": "g"}, {"width": 3}], "guard": [{"width": 2, "id": "h"}],
            "hall": [{"width": 2}], "moat": {"width": 2, "id": "m"}}"#
        )
    );
    // The prior element is found, because only what is computed differs.
    assert_eq!(
        proposed(prior, r#"{"hall": [{"width": 1}]}"#).get(&"hall".into()),
        value(prior).get(&"hall".into())
    );
}
