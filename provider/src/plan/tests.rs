//! Plans of a resource that has a bit of everything.

use std::collections::{BTreeMap, BTreeSet};

use upstate::codec::UnknownAttributes;
use upstate::schema::{Block, Field, Schema, Type};
use upstate::{Diagnostic, Diagnostics, Object, Resource, Value};

use super::nested::elements;
use super::*;

/// Not everything is of interest to every test, so all but the name may be left out.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(version = 0)]
struct Ship {
    #[attribute(computed)]
    id: String,
    #[attribute(requires_replace)]
    name: String,
    #[attribute(default = "none")]
    flag: Option<String>,
    #[attribute(optional, computed)]
    mark: Option<String>,
    #[attribute(computed)]
    docked: Option<bool>,
    #[attribute(write_only)]
    code: Option<String>,
    captain: Option<Captain>,
    #[block]
    hold: Vec<Hold>,
    #[attribute(computed)]
    tonnage: i64,
    #[attribute(computed)]
    crew: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
struct Captain {
    name: String,
    #[attribute(requires_replace)]
    licence: Option<String>,
    #[attribute(computed)]
    since: Option<i64>,
    #[attribute(default = "blue")]
    coat: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
struct Hold {
    #[attribute(requires_replace)]
    deck: i64,
    cargo: Option<String>,
    #[attribute(computed)]
    seal: Option<String>,
    #[attribute(write_only)]
    key: Option<String>,
}

fn ty() -> Type {
    Ship::schema().implied_type()
}

fn block() -> &'static Block {
    Ship::schema().block()
}

/// A value from JSON in which `"?"` and -99 are unknown.
pub(super) fn read(block: &Block, json: &str) -> Value {
    fn unknown(value: &mut Value) {
        match value {
            Value::String(text) if text == "?" => *value = Value::Unknown,
            Value::Number(number) if number.as_i64() == Some(-99) => *value = Value::Unknown,
            Value::List(list) => list.iter_mut().for_each(unknown),
            Value::Map(map) => map.values_mut().for_each(unknown),
            _ => {}
        }
    }
    let ty = block.implied_type();
    let mut value = Value::from_json(json.as_bytes(), &ty, UnknownAttributes::Deny).unwrap();
    unknown(&mut value);
    value
}

/// Each diagnostic, behind its path.
pub(super) fn shown(diagnostics: &Diagnostics) -> Vec<String> {
    let text = |it: &Diagnostic| {
        format!(
            "{}: {}",
            it.path().map(ToString::to_string).unwrap_or_default(),
            it.detail()
        )
    };
    diagnostics.iter().map(text).collect()
}

fn ship(json: &str) -> Value {
    let mut value = read(block(), json);
    if let Value::Map(members) = &mut value
        && members["hold"].is_null()
    {
        members.insert("hold".to_owned(), Value::List(Vec::new()));
    }
    value
}

fn propose(config: &str, prior: Option<&str>, proposed: &str) -> Value {
    let plan = Plan {
        block: block(),
        ty: &ty(),
        stable: &["id"],
        stable_paths: &[],
    };
    let prior = prior.map_or(Value::Null, ship);
    plan.propose(&ship(config), &prior, ship(proposed), |_| ())
        .unwrap()
}

#[track_caller]
fn members(value: &Value, expected: &[(&str, Value)]) {
    for (name, expected) in expected {
        assert_eq!(value.as_map().unwrap()[*name], *expected, "{name}");
    }
}

#[test]
fn what_is_created_has_defaults_and_what_the_provider_decides_is_unknown() {
    let config = r#"{"name": "Ada", "captain": {"name": "Grace"}, "hold": [{"deck": 1}]}"#;
    let planned = propose(config, None, config);
    let unknown = || Value::Unknown;
    members(
        &planned,
        &[
            ("id", unknown()),
            ("mark", unknown()),
            ("docked", unknown()),
            ("flag", "none".into()),
            ("code", Value::Null),
        ],
    );
    let captain = &planned.as_map().unwrap()["captain"];
    members(
        captain,
        &[
            ("since", unknown()),
            ("coat", "blue".into()),
            ("licence", Value::Null),
            ("name", "Grace".into()),
        ],
    );
    let Value::List(holds) = &planned.as_map().unwrap()["hold"] else {
        panic!("a list")
    };
    members(&holds[0], &[("seal", unknown()), ("cargo", Value::Null)]);
}

#[test]
fn what_the_user_sets_is_taken_as_it_is_even_if_it_is_not_known_yet() {
    let config = r#"{"name": "?", "flag": "red", "mark": "x", "captain": "?"}"#;
    let config = config.replace("\"captain\": \"?\"", "\"captain\": null");
    let planned = propose(&config, None, &config);
    members(
        &planned,
        &[
            ("name", Value::Unknown),
            ("flag", "red".into()),
            ("mark", "x".into()),
            ("captain", Value::Null),
        ],
    );
}

const PRIOR: &str = r#"{"id": "7", "name": "Ada", "flag": "none", "mark": "m", "docked": true, "tonnage": 3, "crew": ["a"],
    "captain": {"name": "Grace", "licence": "A", "since": 1906, "coat": "blue"}, "hold": [{"deck": 1, "seal": "s"}]}"#;

#[test]
fn where_nothing_changes_nothing_is_unknown() {
    let config =
        r#"{"name": "Ada", "captain": {"name": "Grace", "licence": "A"}, "hold": [{"deck": 1}]}"#;
    assert_eq!(propose(config, Some(PRIOR), PRIOR), ship(PRIOR));
}

#[test]
fn a_change_leaves_what_is_stable_and_what_is_configured() {
    let config = r#"{"name": "Ada", "flag": "red", "captain": {"name": "Grace", "licence": "A"}, "hold": [{"deck": 1}]}"#;
    let proposed = PRIOR.replace("\"flag\": \"none\"", "\"flag\": \"red\"");
    let planned = propose(config, Some(PRIOR), &proposed);
    members(
        &planned,
        &[
            ("id", "7".into()),
            ("flag", "red".into()),
            ("mark", Value::Unknown),
            ("tonnage", Value::Unknown),
        ],
    );
    members(
        &planned.as_map().unwrap()["captain"],
        &[("since", Value::Unknown), ("coat", "blue".into())],
    );
}

#[test]
fn nested_objects_that_the_provider_made_stay_as_they_are() {
    let proposed = PRIOR
        .replace("Ada", "Bea")
        .replace(r#""coat": "blue""#, r#""coat": null"#);
    let planned = propose(r#"{"name": "Bea"}"#, Some(PRIOR), &proposed);
    members(
        &planned,
        &[("name", "Bea".into()), ("tonnage", Value::Unknown)],
    );
    let of = |value: &Value, name: &str| value.as_map().unwrap()[name].clone();
    assert_eq!(
        of(&planned, "captain"),
        of(&ship(&proposed), "captain"),
        "no default, and nothing that is yet to be decided"
    );
    assert_eq!(of(&planned, "hold"), of(&ship(PRIOR), "hold"));
}

fn replaced(config: &str, planned: &str) -> Vec<String> {
    let plan = Plan {
        block: block(),
        ty: &ty(),
        stable: &[],
        stable_paths: &[],
    };
    let paths = plan.replaced(&ship(config), &ship(PRIOR), &ship(planned));
    paths.iter().map(ToString::to_string).collect()
}

#[test]
fn replacements_are_found_at_any_depth_and_only_where_something_is_wished() {
    assert_eq!(replaced(PRIOR, PRIOR), [""; 0]);
    assert_eq!(replaced(PRIOR, &PRIOR.replace("Ada", "Bea")), ["name"]);
    assert_eq!(
        replaced(PRIOR, &PRIOR.replace("\"Ada\"", "\"?\"")),
        ["name"],
        "configured, and may well be another"
    );
    assert_eq!(
        replaced(
            &PRIOR.replace("\"Ada\"", "null"),
            &PRIOR.replace("\"Ada\"", "\"?\"")
        ),
        [""; 0],
        "the provider's own"
    );
    assert_eq!(
        replaced(
            PRIOR,
            &PRIOR.replace("\"licence\": \"A\"", "\"licence\": \"B\"")
        ),
        ["captain.licence"]
    );
    assert_eq!(
        replaced(PRIOR, &PRIOR.replace("\"deck\": 1", "\"deck\": 2")),
        ["hold[0].deck"]
    );
    assert_eq!(
        replaced(
            PRIOR,
            &PRIOR.replace("[{\"deck\": 1, \"seal\": \"s\"}]", "[]")
        ),
        [""; 0],
        "removed, not changed"
    );
    assert_eq!(
        replaced(
            PRIOR,
            &PRIOR.replace("Grace", "Hedy").replace("blue", "red")
        ),
        [""; 0]
    );
}

#[test]
fn a_model_that_is_looked_at_is_made_of_what_is_known_and_empty_values() {
    let planned = propose(
        r#"{"name": "Ada", "hold": [{"deck": 1}]}"#,
        None,
        r#"{"name": "Ada", "hold": [{"deck": 1}]}"#,
    );
    let Filled { model, fillers, .. } = fill::<Ship>(&planned, &ty(), Fillers::Empty).unwrap();
    assert!(fillers);
    assert_eq!(
        (model.id.as_str(), model.tonnage, model.crew.len()),
        (NOT_KNOWN, 0, 0)
    );
    assert_eq!(
        (model.mark, model.docked, model.hold[0].seal.clone()),
        (None, None, None)
    );
    assert!(
        !fill::<Ship>(&ship(PRIOR), &ty(), Fillers::Empty)
            .unwrap()
            .fillers
    );
}

fn of<T: Object>(model: &T) -> Value {
    Value::from_msgpack(
        &upstate::to_msgpack(model).unwrap(),
        &Schema::of::<T>().implied_type(),
    )
    .unwrap()
}

#[test]
fn everything_that_a_function_forgets_is_found_again() {
    let planned = propose(
        r#"{"name": "Ada", "hold": [{"deck": 1}]}"#,
        None,
        r#"{"name": "Ada", "hold": [{"deck": 1}]}"#,
    );
    let answer = |set: fn(&mut Ship)| {
        let mut model = fill::<Ship>(&planned, &ty(), Fillers::Marked)
            .unwrap()
            .model;
        set(&mut model);
        let mut answer = of(&model);
        let path = forgotten(block(), &mut answer, Owed::Computed).map(|path| path.to_string());
        assert_eq!(
            forgotten(block(), &mut answer, Owed::Computed),
            None,
            "what is forgotten is null then"
        );
        path
    };
    assert_eq!(answer(|_| ()).as_deref(), Some("crew"));
    assert_eq!(answer(|it| it.crew = Vec::new()).as_deref(), Some("id"));
    let but = |it: &mut Ship| (it.crew, it.id) = (Vec::new(), "7".to_owned());
    assert_eq!(answer(but).as_deref(), Some("tonnage"));
    assert_eq!(
        answer(|it| (it.crew, it.id, it.tonnage) = (
            vec!["(not known before it is applied)".to_owned(); 2],
            "7".to_owned(),
            0
        ))
        .as_deref(),
        Some("crew")
    );
    assert_eq!(
        answer(|it| (it.crew, it.id, it.tonnage) = (Vec::new(), "7".to_owned(), 0)),
        None
    );
}

/// The strings that the author's own types take.
mod own {
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

    use upstate::meaning::{Cidr, IgnoreCase, JsonText, Period, Timestamp};
    use upstate::{Object, Resource};

    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[resource(type_name = "test_net", version = 0)]
    struct Net {
        #[attribute(computed, as_string)]
        any: IpAddr,
        #[attribute(computed, as_string)]
        v4: Ipv4Addr,
        #[attribute(computed, as_string)]
        v6: Ipv6Addr,
        #[attribute(computed, as_string)]
        socket: SocketAddr,
        #[attribute(computed, as_string)]
        range: Cidr,
        #[attribute(computed, as_string)]
        at: Timestamp,
        #[attribute(computed, as_string)]
        every: Period,
        #[attribute(computed, as_string)]
        policy: JsonText,
        #[attribute(computed, as_string)]
        name: IgnoreCase,
        #[attribute(computed, as_string)]
        total: u64,
        #[attribute(computed)]
        small: u32,
        #[attribute(computed)]
        signed: i32,
        #[attribute(computed)]
        share: f64,
        #[attribute(computed)]
        labels: BTreeMap<String, bool>,
        #[attribute(computed)]
        ports: Vec<u32>,
        #[attribute(computed)]
        hosts: Vec<Host>,
        #[attribute(computed)]
        first: Host,
        #[attribute(computed)]
        named: BTreeMap<String, Host>,
        #[attribute(computed, set)]
        apart: Vec<String>,
        given: Option<Vec<Host>>,
    }

    #[derive(Debug, Clone, PartialEq, Object)]
    struct Host {
        name: Option<String>,
        up: bool,
        #[attribute(computed, as_string)]
        address: Option<IpAddr>,
        #[attribute(computed)]
        number: i64,
    }

    #[test]
    fn every_kind_of_field_has_a_value_that_is_found_again() {
        let ty = Net::schema().implied_type();
        let planned = fillers::all_unknown(Net::schema().block());
        assert!(unfillable::<Net>().is_none());
        let Filled { model, fillers, .. } = fill::<Net>(&planned, &ty, Fillers::Marked).unwrap();
        assert!(fillers);
        let mut answer = of(&model);
        let mut found = BTreeSet::new();
        let before = answer.clone();
        assert!(forgotten(Net::schema().block(), &mut answer, Owed::Computed).is_some());
        for (name, value) in answer.as_map().unwrap() {
            if *value != before.as_map().unwrap()[name] {
                found.insert(name.as_str());
            }
        }
        let all = Net::schema()
            .block()
            .attributes()
            .iter()
            .map(upstate::schema::Attribute::name)
            .filter(|name| *name != "given");
        assert_eq!(found, all.collect());
    }
}

#[test]
fn null_that_a_user_set_is_no_place_to_fill() {
    let unfit = fill::<Ship>(
        &ship(&PRIOR.replace("\"Ada\"", "null")),
        &ty(),
        Fillers::Empty,
    )
    .unwrap_err();
    assert_eq!(unfit.why, Why::Null);
    let reported = unfit.diagnostics.to_string();
    assert_eq!(
        reported,
        "error: Invalid Attribute Value (at name)\nname: it is null, and a value is needed here. Set it."
    );
}

#[test]
fn a_stored_null_stays_null_unless_it_is_set() {
    let stored = ship(
        &PRIOR
            .replace("\"Ada\"", "null")
            .replace("\"deck\": 1", "\"deck\": null"),
    );
    let Filled { model, .. } = fill_stored::<Ship>(&stored, &ty()).unwrap();
    let again = of(&model);
    assert_ne!(again, stored);
    let kept = crate::kept::Kept::of(&stored, &model, block(), &ty()).unwrap();
    let put_back = |model: &Ship| {
        Value::from_msgpack(
            &kept.put_back(upstate::to_msgpack(model).unwrap(), &ty()),
            &ty(),
        )
        .unwrap()
    };
    assert_eq!(put_back(&model), stored);
    let read = Ship {
        name: "Ada".to_owned(),
        ..model
    };
    let answer = put_back(&read);
    members(&answer, &[("name", "Ada".into())]);
    assert!(
        answer.as_map().unwrap()["hold"].as_list().unwrap()[0]
            .as_map()
            .unwrap()["deck"]
            .is_null()
    );
}

#[test]
fn write_only_values_come_from_the_configuration_and_go_nowhere() {
    let config =
        ship(r#"{"name": "Ada", "code": "1234", "hold": [{"deck": 1, "key": "k"}, {"deck": 2}]}"#);
    let mut planned = ship(r#"{"name": "Ada", "hold": [{"deck": 1}, {"deck": 2}]}"#);
    let without = planned.clone();
    merge_write_only(block(), &config, &mut planned);
    assert_eq!(planned, config);
    merge_write_only(block(), &Value::Null, &mut planned);
    assert_eq!(planned, without);
    let given: Vec<String> = write_only_given(block(), &config)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(given, ["code", "hold[0].key"]);
}

#[test]
fn an_element_of_a_set_is_found_by_what_is_configured_of_it() {
    let berth = |json: &str| {
        let ty = Type::object([
            Field::new("name", Type::String),
            Field::new("id", Type::String),
        ]);
        Value::from_json(json.as_bytes(), &Type::set(ty), UnknownAttributes::Deny).unwrap()
    };
    let config = berth(r#"[{"name": "b"}, {"name": "a"}]"#);
    let planned = berth(r#"[{"name": "a", "id": "1"}, {"name": "b", "id": "2"}]"#);
    for (step, element) in elements(upstate::schema::Nesting::Set, &planned) {
        let found = nested::counterpart(
            upstate::schema::Nesting::Set,
            &config,
            step.as_ref(),
            element,
        );
        assert_eq!(member(found, "name"), member(element, "name"));
    }
}

#[test]
fn an_element_of_a_set_is_found_though_a_set_in_it_has_another_order() {
    let groups = |json: &str| {
        let rule = Type::object([
            Field::new("id", Type::String),
            Field::new("name", Type::String),
        ]);
        let group = Type::object([
            Field::new("label", Type::String),
            Field::new("rules", Type::set(rule)),
        ]);
        Value::from_json(json.as_bytes(), &Type::set(group), UnknownAttributes::Deny).unwrap()
    };
    let set = upstate::schema::Nesting::Set;
    // The elements are in the order of all that they have: without an id in that of the name.
    let config = groups(r#"[{"label": "g", "rules": [{"name": "a"}, {"name": "b"}]}]"#);
    for (rules, found) in [
        (
            r#"[{"id": "1", "name": "b"}, {"id": "2", "name": "a"}]"#,
            true,
        ),
        (
            r#"[{"id": "1", "name": "a"}, {"id": "2", "name": "b"}]"#,
            true,
        ),
        (
            r#"[{"id": "1", "name": "a"}, {"id": "2", "name": "a"}]"#,
            false,
        ),
        (r#"[{"id": "1", "name": "a"}]"#, false),
    ] {
        let planned = groups(&format!(r#"[{{"label": "g", "rules": {rules}}}]"#));
        let planned = elements(set, &planned);
        let [(step, element)] = planned.as_slice() else {
            panic!("one element: {rules}")
        };
        let config = nested::counterpart(set, &config, step.as_ref(), element);
        assert_eq!(!config.is_null(), found, "{rules}");
    }
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "test_wall", version = 0)]
struct Wall {
    rules: Vec<Rule>,
    #[attribute(set)]
    gates: Option<Vec<Rule>>,
    one: Option<Rule>,
    named: Option<BTreeMap<String, Rule>>,
    #[block]
    door: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Rule {
    name: String,
    #[attribute(default = 80)]
    port: i64,
    #[attribute(computed)]
    id: String,
}

#[test]
fn what_a_user_need_not_write_is_not_missing_at_any_depth() {
    let ty = Wall::schema().implied_type();
    let config = r#"{"rules": [{"name": "a"}], "gates": [{"name": "a"}, {"name": "a", "port": 1}], "one": {"name": "a"},
        "named": {"x": {"name": "a"}}, "door": [{"name": "a"}]}"#;
    let config = Value::from_json(config.as_bytes(), &ty, UnknownAttributes::Deny).unwrap();
    let unset = with_unset_unknown(Wall::schema().block(), &config);
    let Filled { model, .. } = fill::<Wall>(&unset, &ty, Fillers::Empty).unwrap();
    assert_eq!(
        model.rules,
        [Rule {
            name: "a".to_owned(),
            port: 0,
            id: NOT_KNOWN.to_owned()
        }]
    );
    // The default is put in where the user wrote none, and nowhere else.
    let complete = with_defaults(Wall::schema().block(), &config).unwrap();
    let gates = complete.as_map().unwrap()["gates"].as_list().unwrap();
    let mut ports: Vec<_> = gates
        .iter()
        .map(|gate| gate.as_map().unwrap()["port"].clone())
        .collect();
    ports.sort_by_key(|port| format!("{port:?}"));
    assert_eq!(ports, [Value::from(1_i64), Value::from(80_i64)]);
}

/// A check of one's own would judge a number that nobody gets.
#[test]
fn a_configuration_as_a_model_has_its_defaults() {
    let ty = Wall::schema().implied_type();
    let config = br#"{"rules": [{"name": "a"}, {"name": "b", "port": 1}], "door": []}"#;
    let config = Value::from_json(config, &ty, UnknownAttributes::Deny).unwrap();
    let model = ResourceConfig::<Wall>::new(config, ty).model().unwrap();
    assert_eq!(
        model.rules.iter().map(|rule| rule.port).collect::<Vec<_>>(),
        [80, 1]
    );
}

#[test]
fn what_is_in_an_unknown_value_is_not_known() {
    let any = Value::Dynamic(Box::new((
        Type::object([Field::new("port", Type::Number)]),
        Value::from_iter([("port".to_owned(), Value::from(7))]),
    )));
    let config = Value::from_iter([
        ("captain".to_owned(), Value::Unknown),
        ("any".to_owned(), any),
    ]);
    let name = AttributePath::from("captain").attribute("name");
    assert_eq!(at(&config, &name), &Value::Unknown);
    let crew = AttributePath::from("captain").index(0).key("a");
    assert_eq!(at(&config, &crew), &Value::Unknown);
    let port = AttributePath::from("any").attribute("port");
    assert_eq!(at(&config, &port), &Value::from(7));
    assert_eq!(at(&config, &port.attribute("number")), &Value::Null);
}

#[test]
fn a_default_that_is_none_of_the_values_is_the_providers_mistake() {
    let attribute =
        upstate::schema::Attribute::new("port", Type::Number, upstate::schema::Presence::Optional)
            .with_default("\"high\"");
    let errors: Diagnostics =
        with_defaults(&Block::new([attribute]), &Value::Map(BTreeMap::new())).unwrap_err();
    assert!(
        errors
            .to_string()
            .starts_with("error: Invalid Default\nThe default of port is not one of its values:"),
        "{errors}"
    );
}
