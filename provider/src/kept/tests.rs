//! Models that rewrite what they are given.

use std::collections::BTreeMap;
use std::net::IpAddr;

use upstate::codec::UnknownAttributes;
use upstate::meaning::IgnoreCase;
use upstate::{Resource, ZeroAsNull};

use super::*;

#[derive(Debug, Object)]
struct Reading {
    #[attribute(computed)]
    id: String,
    ratio: f64,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Host {
    #[attribute(computed)]
    id: String,
    #[attribute(as_string)]
    address: IpAddr,
}

/// Stored in capitals.
mod capitals {
    #[expect(
        clippy::unnecessary_wraps,
        clippy::needless_pass_by_value,
        reason = "as the derive calls it"
    )]
    pub(super) fn read(stored: String) -> Result<String, &'static str> {
        Ok(stored.to_uppercase())
    }

    #[expect(clippy::ptr_arg, reason = "as the derive calls it")]
    pub(super) fn write(value: &String) -> String {
        value.clone()
    }
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_gauge", version = 0)]
struct Gauge {
    #[attribute(computed)]
    id: Option<String>,
    ratio: f64,
    ratios: Vec<f64>,
    by_name: BTreeMap<String, f64>,
    pair: (f64, i64),
    #[attribute(as_string)]
    address: Option<IpAddr>,
    #[attribute(with = capitals)]
    code: String,
    legacy: ZeroAsNull<i64>,
    #[attribute(write_only)]
    secret: Option<f64>,
    inner: Option<Reading>,
    #[attribute(set)]
    hosts: Vec<Host>,
}

fn ty() -> Type {
    Gauge::schema().implied_type()
}

/// The planned object, with this number in the places that are marked `%`.
fn planned(id: &str, third: &str) -> Value {
    let json = r#"{"id": %id, "ratio": %, "ratios": [1, %], "by_name": {"a": %, "b": 0.5},
        "pair": [%, 1], "address": "2001:DB8::1", "code": "shout", "legacy": 0, "secret": null,
        "inner": {"id": %id, "ratio": %}, "hosts": [{"id": %id, "address": "10.0.0.1"}, {"id": %id, "address": "FE80::1"},
        {"id": %id, "address": "::FFFF"}]}"#;
    let json = json.replace("%id", id).replace('%', third);
    let mut value = Value::from_json(json.as_bytes(), &ty(), UnknownAttributes::Deny).unwrap();
    if id == "null" {
        forget_ids(&mut value);
    }
    value
}

fn forget_ids(value: &mut Value) {
    match value {
        Value::Map(members) => {
            for (name, member) in members {
                if name == "id" {
                    *member = Value::Unknown;
                } else {
                    forget_ids(member);
                }
            }
        }
        Value::List(elements) => elements.iter_mut().for_each(forget_ids),
        _ => {}
    }
}

/// The value with the elements of its sets in an order: nothing gives them one.
fn in_order(mut value: Value) -> Value {
    for name in ["hosts", "set"] {
        if let Some(Value::List(elements)) =
            value.as_map_mut().and_then(|members| members.get_mut(name))
        {
            elements.sort_by_key(|element| format!("{element:?}"));
        }
    }
    value
}

const THIRD: &str = "0.33333333333333333333333333333333333333333333333333";

/// The response to `before`, if the model is changed so meanwhile.
fn answered(before: &Value, change: impl FnOnce(&mut Gauge)) -> (Value, Value) {
    let mut model = plan::fill::<Gauge>(before, &ty(), plan::Fillers::Marked)
        .unwrap()
        .model;
    let kept = Kept::of(before, &model, Gauge::schema().block(), &ty());
    change(&mut model);
    let answer = upstate::to_msgpack(&model).unwrap();
    let kept = kept.map_or_else(
        || answer.clone(),
        |kept| kept.put_back(answer.clone(), &ty()),
    );
    (
        Value::from_msgpack(&kept, &ty()).unwrap(),
        Value::from_msgpack(&answer, &ty()).unwrap(),
    )
}

fn name_all(gauge: &mut Gauge) {
    gauge.id = Some("made".to_owned());
    gauge
        .inner
        .iter_mut()
        .for_each(|reading| reading.id = "made".to_owned());
    gauge
        .hosts
        .iter_mut()
        .for_each(|host| host.id = "made".to_owned());
}

#[test]
fn what_the_model_rewrote_is_as_planned_everywhere_and_what_was_not_known_is_as_made() {
    let (kept, answer) = answered(&planned("null", THIRD), name_all);
    assert_eq!(in_order(kept.clone()), in_order(planned("\"made\"", THIRD)));
    assert_ne!(kept, answer, "the model changes something");
}

#[test]
fn the_changes_of_the_provider_are_taken_and_the_rest_is_kept() {
    let (kept, _) = answered(&planned("\"x\"", THIRD), |gauge| {
        gauge.ratios.push(9.0);
        gauge.by_name.insert("a".to_owned(), 0.25);
        gauge.code = "quiet".to_owned();
        gauge.hosts.retain(|host| host.address.is_ipv6());
        gauge.hosts.push(Host {
            id: "y".to_owned(),
            address: IpAddr::from([1, 2, 3, 4]),
        });
    });
    let text = |name: &str| {
        let value = plan::member(&kept, name).clone();
        let ty = Gauge::schema()
            .block()
            .attributes()
            .iter()
            .find(|it| it.name() == name)
            .unwrap()
            .implied_type();
        String::from_utf8(value.encode(&ty, Encoding::Json).unwrap()).unwrap()
    };
    assert_eq!(text("ratios"), format!("[1,{THIRD},9]"));
    assert_eq!(text("by_name"), r#"{"a":0.25,"b":0.5}"#);
    assert_eq!(text("code"), "\"quiet\"");
    for host in ["::FFFF", "FE80::1", "1.2.3.4"] {
        assert!(
            text("hosts").contains(&format!("\"address\":\"{host}\"")),
            "{}",
            text("hosts")
        );
    }
    assert_eq!(text("address"), "\"2001:DB8::1\"");
}

#[test]
fn a_model_that_rewrites_nothing_costs_nothing_and_a_write_only_value_is_never_answered() {
    let mut exact = planned("null", "0.25");
    let no_hosts = Value::List(Vec::new());
    for (name, value) in [
        ("hosts", no_hosts),
        ("address", Value::Null),
        ("code", "SHOUT".into()),
        ("legacy", Value::Null),
    ] {
        exact.as_map_mut().unwrap().insert(name.to_owned(), value);
    }
    let model = plan::fill::<Gauge>(&exact, &ty(), plan::Fillers::Marked)
        .unwrap()
        .model;
    assert!(Kept::of(&exact, &model, Gauge::schema().block(), &ty()).is_none());
    let mut secret = planned("\"x\"", THIRD);
    secret
        .as_map_mut()
        .unwrap()
        .insert("secret".to_owned(), Value::from(7));
    assert_eq!(
        in_order(answered(&secret, |_| {}).0),
        in_order(planned("\"x\"", THIRD))
    );
}

#[test]
fn an_upgrade_decides_what_is_null_and_what_it_did_not_touch_is_as_stored() {
    let stored = planned("\"x\"", THIRD);
    let answer = upstate::to_msgpack(
        &plan::fill::<Gauge>(&stored, &ty(), plan::Fillers::Marked)
            .unwrap()
            .model,
    )
    .unwrap();
    for (current, legacy) in [(true, Value::from(0)), (false, Value::Null)] {
        let kept =
            Kept::stored::<Gauge>(stored.clone(), current, Gauge::schema().block(), &ty()).unwrap();
        let mut expected = stored.clone();
        expected
            .as_map_mut()
            .unwrap()
            .insert("legacy".to_owned(), legacy);
        let kept = kept.put_back(answer.clone(), &ty());
        assert_eq!(
            in_order(Value::from_msgpack(&kept, &ty()).unwrap()),
            in_order(expected),
            "{current}"
        );
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Rule {
    #[attribute(computed)]
    id: Option<String>,
    #[attribute(as_string)]
    protocol: IgnoreCase,
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_wall", version = 0)]
struct Wall {
    #[attribute(as_string)]
    name: IgnoreCase,
    #[attribute(computed, as_string)]
    found: Option<IgnoreCase>,
    rules: Vec<Rule>,
    #[attribute(set)]
    set: Vec<Rule>,
}

#[test]
fn letters_are_as_they_were_where_only_their_case_differs_and_otherwise_as_they_are() {
    let ty = Wall::schema().implied_type();
    let value = |json: &str| {
        in_order(Value::from_json(json.as_bytes(), &ty, UnknownAttributes::Deny).unwrap())
    };
    let put = |before: &Value, answer: &str| {
        let model = plan::fill::<Wall>(before, &ty, plan::Fillers::Marked)
            .unwrap()
            .model;
        let kept = Kept::of(before, &model, Wall::schema().block(), &ty).unwrap();
        let answer: Wall = upstate::from_json(answer.as_bytes()).unwrap();
        in_order(
            Value::from_msgpack(
                &kept.put_back(upstate::to_msgpack(&answer).unwrap(), &ty),
                &ty,
            )
            .unwrap(),
        )
    };
    let before = r#"{"name": "one", "found": "Ä", "rules": [{"id": "1", "protocol": "TCP"}, {"id": null, "protocol": "udp"}],
        "set": [{"id": "1", "protocol": "TCP"}, {"id": "2", "protocol": "udp"}, {"id": "3", "protocol": "Icmp"}]}"#;
    let other = r#"{"name": "ONE", "found": "ä", "rules": [{"id": "1", "protocol": "tcp"}, {"id": null, "protocol": "UDP"}],
        "set": [{"id": "1", "protocol": "tcp"}, {"id": "2", "protocol": "UDP"}, {"id": "3", "protocol": "iCMP"}]}"#;
    for before in [before, other] {
        for answer in [before, other] {
            assert_eq!(put(&value(before), answer), value(before));
        }
        let change = |text: &str| {
            text.replace(r#"{"id": "2", "#, r#"{"id": "X", "#)
                .replace(r#""id": null"#, r#""id": "Y""#)
        };
        let expected = if before == other {
            change(before)
        } else {
            change(before).replace(
                r#""protocol": "udp"}, {"id": "3""#,
                r#""protocol": "UDP"}, {"id": "3""#,
            )
        };
        assert_eq!(
            put(&value(before), &change(other)),
            value(&expected),
            "an element that was another is as it is answered"
        );
    }
    // What was not known is as the API writes it.
    let mut unknown = value(before);
    unknown
        .as_map_mut()
        .unwrap()
        .insert("found".to_owned(), Value::Unknown);
    assert_eq!(
        put(&unknown, &other.replace('ä', "Öl")),
        value(&before.replace('Ä', "Öl"))
    );
    assert_eq!(
        put(&value(before), &other.replace("ONE", "TWO")),
        value(&before.replace("one", "TWO"))
    );
}

#[test]
fn bytes_that_come_back_cost_nothing_unless_case_does_not_matter() {
    let ty = Wall::schema().implied_type();
    let before = Value::from_json(
        br#"{"name": "one", "rules": [], "set": []}"#,
        &ty,
        UnknownAttributes::Deny,
    )
    .unwrap();
    let sent = before.encode(&ty, Encoding::Msgpack).unwrap();
    let model = plan::fill::<Wall>(&before, &ty, plan::Fillers::Marked)
        .unwrap()
        .model;
    // The model writes these bytes, and an answer in capitals would be another.
    assert_eq!(upstate::to_msgpack(&model).unwrap(), sent);
    let kept = Kept::of_sent(&sent, &before, &model, Wall::schema().block(), &ty).unwrap();
    let answer: Wall = upstate::from_json(br#"{"name": "ONE", "rules": [], "set": []}"#).unwrap();
    assert_eq!(
        kept.put_back(upstate::to_msgpack(&answer).unwrap(), &ty),
        sent
    );

    let (before, ty) = (planned("\"x\"", THIRD), self::ty());
    let model = plan::fill::<Gauge>(&before, &ty, plan::Fillers::Marked)
        .unwrap()
        .model;
    let again = upstate::to_msgpack(&model).unwrap();
    assert!(Kept::of_sent(&again, &before, &model, Gauge::schema().block(), &ty).is_none());
    let sent = before.encode(&ty, Encoding::Msgpack).unwrap();
    assert!(Kept::of_sent(&sent, &before, &model, Gauge::schema().block(), &ty).is_some());
}

#[test]
fn a_stored_null_stays_null_where_something_beside_it_changes() {
    let host = |address: &str| -> Value {
        [
            ("id".to_owned(), Value::Null),
            ("address".to_owned(), address.into()),
        ]
        .into_iter()
        .collect()
    };
    let with = |hosts: Vec<Value>| {
        let mut stored = planned("\"x\"", "0.25");
        let members = stored.as_map_mut().unwrap();
        members.insert("hosts".to_owned(), Value::List(hosts));
        stored
    };
    let stored = with(vec![host("10.0.0.1"), host("10.0.0.3")]);
    let Filled { mut model, .. } = plan::fill_stored::<Gauge>(&stored, &ty()).unwrap();
    let kept = Kept::of(&stored, &model, Gauge::schema().block(), &ty()).unwrap();
    for host in &mut model.hosts {
        if host.address == IpAddr::from([10, 0, 0, 1]) {
            host.address = IpAddr::from([10, 0, 0, 2]);
        }
    }
    let answer = kept.put_back(upstate::to_msgpack(&model).unwrap(), &ty());
    assert_eq!(
        in_order(Value::from_msgpack(&answer, &ty()).unwrap()),
        in_order(with(vec![host("10.0.0.2"), host("10.0.0.3")]))
    );
}
