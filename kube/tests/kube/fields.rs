//! Options of fields: what the schema says of them, in each version, and what a conversion makes of
//! them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use upstate::Document;
use upstate_kube::{Converter, CustomResource, Webhook};

use crate::definitions::spec_of;
use crate::round_trips::attempt;

/// Takes numbers and strings, as the type of k8s-openapi does.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum IntOrString {
    Int(i32),
    String(String),
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.line", version = 1, rename_all = "camelCase")]
#[upgrade_from(0 => 1, rename(title => name), convert(speed: String, empty = refuse))]
#[kube(
    group = "ferry.example.com",
    kind = "Line",
    version(0 = "v1alpha1"),
    version(1 = "v1", storage),
    rule("self.speed < 60 || self.name == 'express'", message = "only the express is so fast")
)]
pub(crate) struct Line {
    #[kube(length = 1..=40, pattern = "^[a-z]+$")]
    name: String,
    #[kube(range = 1..=90)]
    speed: u8,
    #[attribute(default = 5)]
    #[kube(range = 0..=60)]
    delay: i32,
    #[kube(one_of("north", "south"))]
    side: Option<String>,
    #[kube(list_type = "set", length = 0..=3, each(length = 2..=8))]
    days: Vec<String>,
    #[kube(list_type = "map", list_map_keys("name", "gate"))]
    stops: Vec<Stop>,
    #[kube(list_type = "atomic")]
    bells: Option<Vec<u8>>,
    #[kube(length = 0..=9, map_type = "atomic")]
    labels: Option<BTreeMap<String, String>>,
    #[kube(
        map_type = "granular",
        rule("self.deck >= 0", message = "a deck has a number")
    )]
    place: Place,
    #[attribute(json)]
    #[kube(int_or_string)]
    port: IntOrString,
}

#[derive(Debug, Document)]
struct Stop {
    name: String,
    #[attribute(default = 1)]
    gate: u8,
    minutes: Option<u16>,
}

#[derive(Debug, Document)]
struct Place {
    deck: i8,
}

fn properties(version: &str) -> Value {
    spec_of(
        Line::crd_with(&Webhook::service("ferry", "webhook"))
            .unwrap()
            .value(),
        version,
    )["properties"]
        .clone()
}

#[test]
fn checks_are_keywords_and_options_are_extensions() {
    let of = properties("v1");
    assert_eq!(
        of["name"],
        json!({"type": "string", "minLength": 1, "maxLength": 40, "pattern": "^[a-z]+$"})
    );
    assert_eq!(
        of["speed"],
        json!({"type": "integer", "minimum": 1, "maximum": 90})
    );
    assert_eq!(
        of["delay"],
        json!({"type": "integer", "format": "int32", "minimum": 0, "maximum": 60, "default": 5})
    );
    assert_eq!(
        of["side"],
        json!({"type": "string", "enum": ["north", "south"]})
    );
    assert_eq!(
        of["days"],
        json!({"type": "array", "maxItems": 3, "x-kubernetes-list-type": "set", "items": {"type": "string", "minLength": 2, "maxLength": 8}})
    );
    assert_eq!(of["stops"]["x-kubernetes-list-type"], "map");
    assert_eq!(
        of["stops"]["x-kubernetes-list-map-keys"],
        json!(["name", "gate"])
    );
    assert_eq!(of["bells"]["x-kubernetes-list-type"], "atomic");
    assert_eq!(
        of["labels"],
        json!({"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 9, "x-kubernetes-map-type": "atomic"})
    );
    assert_eq!(of["place"]["x-kubernetes-map-type"], "granular");
    assert_eq!(
        of["place"]["x-kubernetes-validations"],
        json!([{"rule": "self.deck >= 0", "message": "a deck has a number"}])
    );
    assert_eq!(of["port"], json!({"x-kubernetes-int-or-string": true}));
}

/// A client of the older version must not write what nobody can write in the newer one.
#[test]
fn an_older_version_has_them_where_it_has_the_field() {
    let (older, newer) = (properties("v1alpha1"), properties("v1"));
    for name in [
        "delay", "side", "days", "stops", "bells", "labels", "place", "port",
    ] {
        assert_eq!(older[name], newer[name], "{name}");
    }
    assert_eq!(older["title"], newer["name"], "a new name changes nothing");
    assert_eq!(
        older["speed"],
        json!({"type": "string"}),
        "a string has no range"
    );
}

/// It names fields by the names of the current version.
#[test]
fn a_rule_of_the_struct_is_one_of_the_current_version() {
    let definition = Line::crd_with(&Webhook::service("ferry", "webhook")).unwrap();
    let rules =
        |version: &str| spec_of(definition.value(), version)["x-kubernetes-validations"].clone();
    assert_eq!(
        rules("v1"),
        json!([{"rule": "self.speed < 60 || self.name == 'express'", "message": "only the express is so fast"}])
    );
    assert_eq!(rules("v1alpha1"), Value::Null);
}

fn converted(spec: &Value, from: &str, to: &str) -> Result<Value, String> {
    let line = json!({
        "apiVersion": format!("ferry.example.com/{from}"), "kind": "Line", "metadata": {"name": "a"}, "spec": spec,
    });
    let converter = Converter::new().with::<Line>().unwrap();
    let line = attempt(&converter, &line, &format!("ferry.example.com/{to}"))?;
    Ok(line["spec"].clone())
}

fn line(port: &Value, stops: &Value) -> Value {
    json!({
        "name": "a", "speed": 20, "delay": 5, "days": ["mo"], "stops": stops, "place": {"deck": 1}, "port": port,
    })
}

#[test]
fn a_number_or_a_string_is_converted_as_it_is() {
    for port in [json!(80), json!("http")] {
        let newest = line(
            &port,
            &json!([{"name": "a", "gate": 1}, {"name": "a", "gate": 2}]),
        );
        let oldest = converted(&newest, "v1", "v1alpha1").unwrap();
        assert_eq!(
            (&oldest["port"], &oldest["speed"], &oldest["title"]),
            (&port, &json!("20"), &json!("a"))
        );
        assert_eq!(converted(&oldest, "v1alpha1", "v1").unwrap(), newest);
    }
}

/// Objects that were stored before a limit came can still be read in all versions; the server
/// refuses to write them again.
#[test]
fn a_conversion_does_not_judge_by_limits() {
    let mut newest = line(&json!(80), &json!([]));
    newest["delay"] = json!(61);
    assert_eq!(converted(&newest, "v1", "v1alpha1").unwrap()["delay"], 61);
}

/// The server would store them, and refuse every later write.
#[test]
fn elements_with_one_key_are_refused() {
    let twice = line(
        &json!(80),
        &json!([{"name": "a"}, {"name": "a", "gate": 1}]),
    );
    assert_eq!(
        converted(&twice, "v1", "v1alpha1").unwrap_err(),
        "lines.ferry.example.com \"a\", ferry.example.com/v1 to v1alpha1: spec.stops has two elements with one key"
    );
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.timetable", version = 1)]
#[upgrade_from(0 => 1, rename(title => name))]
#[kube(group = "ferry.example.com", kind = "Timetable", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Timetable {
    name: String,
    #[kube(list_type = "map", list_map_keys("name"))]
    stops: Option<Vec<Port>>,
}

/// An agenda whose older version has no stops.
#[derive(Debug, Document)]
#[document(type_name = "ferry.agenda", version = 1)]
#[upgrade_from(0 => 1, set(stops = null))]
#[kube(group = "ferry.example.com", kind = "Agenda", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Agenda {
    name: String,
    #[kube(list_type = "map", list_map_keys("name"))]
    stops: Option<Vec<Port>>,
}

/// No annotation keeps them in its place, because they would not come back.
#[test]
fn elements_with_one_key_are_refused_where_the_list_may_be_absent() {
    let converter = Converter::new()
        .with::<Timetable>()
        .unwrap()
        .with::<Agenda>()
        .unwrap();
    for (kind, resource) in [("Timetable", "timetables"), ("Agenda", "agendas")] {
        let twice = json!({
            "apiVersion": "ferry.example.com/v1", "kind": kind, "metadata": {"name": "a"},
            "spec": {"name": "a", "stops": [{"name": "a"}, {"name": "a"}]},
        });
        let review = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
            "request": {"uid": "1", "desiredAPIVersion": "ferry.example.com/v1alpha1", "objects": [twice]},
        });
        let answer = converter.review(review.to_string().as_bytes()).unwrap();
        let problem = "ferry.example.com/v1 to v1alpha1: spec.stops has two elements with one key";
        assert_eq!(
            answer.failure(),
            Some(&*format!("{resource}.ferry.example.com \"a\", {problem}"))
        );
    }
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.late", version = 0)]
#[kube(group = "ferry.example.com", kind = "Late", version(0 = "v1", storage))]
struct Late {
    #[attribute(default = 5)]
    #[kube(range = 10..=60)]
    delay: i32,
}

#[test]
fn a_default_out_of_its_own_limits_is_refused() {
    assert_eq!(
        Late::crd().unwrap_err().to_string(),
        "Late, version v1: the default of `spec.delay` is 5, and must be from 10 to 60, so the server refuses the definition\n\
         help: change the default, or the limits of the field"
    );
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.hatch", version = 0)]
#[kube(group = "ferry.example.com", kind = "Hatch", version(0 = "v1", storage))]
struct Hatch {
    #[attribute(sensitive, default = 5)]
    #[kube(range = 10..=60)]
    code: i32,
}

#[test]
fn a_secret_default_out_of_its_own_limits_is_not_shown() {
    assert_eq!(
        Hatch::crd().unwrap_err().to_string(),
        "Hatch, version v1: the default of `spec.code` must be from 10 to 60, so the server refuses the definition\n\
         help: change the default, or the limits of the field"
    );
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.dull", version = 0)]
#[kube(group = "ferry.example.com", kind = "Dull", version(0 = "v1", storage))]
struct Dull {
    #[attribute(default = Paint { colour: String::new() })]
    paint: Paint,
}

#[derive(Debug, Document)]
struct Paint {
    #[kube(length = 1..=9)]
    colour: String,
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.week", version = 0)]
#[kube(group = "ferry.example.com", kind = "Week", version(0 = "v1", storage))]
struct Week {
    #[attribute(default = vec!["x".to_owned()])]
    #[kube(each(length = 2..=8))]
    days: Vec<String>,
}

/// The server judges all of a default.
#[test]
fn a_default_with_a_part_out_of_its_limits_is_refused() {
    for (refused, part) in [
        (
            Dull::crd(),
            "Dull, version v1: in the default of `spec.paint`, `spec.paint.colour` is \"\", and must have from 1 to 9 characters",
        ),
        (
            Week::crd(),
            "Week, version v1: in the default of `spec.days`, `spec.days[0]` is \"x\", and must have from 2 to 8 characters",
        ),
    ] {
        assert_eq!(
            refused.unwrap_err().to_string(),
            format!(
                "{part}, so the server refuses the definition\n\
                 help: change the default, or the limits of the field"
            )
        );
    }
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.wave", version = 0)]
#[kube(group = "ferry.example.com", kind = "Wave", version(0 = "v1", storage))]
struct Wave {
    #[kube(range = 0..=1000)]
    speed: u8,
    #[kube(range = -1000..=7)]
    height: i8,
    #[kube(each(range = 1..=1000))]
    heights: Vec<u8>,
    #[kube(range = 0..=1000)]
    length: i64,
}

/// Otherwise the server would store a number that the field does not read.
#[test]
fn a_range_is_within_that_of_the_type() {
    let of = spec_of(Wave::crd().unwrap().value(), "v1")["properties"].clone();
    assert_eq!(
        of["speed"],
        json!({"type": "integer", "minimum": 0, "maximum": 255})
    );
    assert_eq!(
        of["height"],
        json!({"type": "integer", "minimum": -128, "maximum": 7})
    );
    assert_eq!(
        of["heights"]["items"],
        json!({"type": "integer", "minimum": 1, "maximum": 255})
    );
    assert_eq!(
        of["length"],
        json!({"type": "integer", "format": "int64", "minimum": 0, "maximum": 1000})
    );
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.keyed", version = 1)]
#[upgrade_from(0 => 1, rename(stops.id: String => stops.name))]
#[kube(group = "ferry.example.com", kind = "Keyed", version(0 = "v1beta1"), version(1 = "v1", storage))]
struct Keyed {
    #[kube(list_type = "map", list_map_keys("name"))]
    stops: Vec<Port>,
}

#[derive(Debug, Document)]
struct Port {
    name: String,
}

/// Otherwise server-side apply would merge the list in one version and replace it in the other.
#[test]
fn a_key_that_an_older_version_has_under_another_name_is_refused() {
    assert_eq!(
        Keyed::crd_with(&Webhook::service("ferry", "webhook"))
            .unwrap_err()
            .to_string(),
        "Keyed, version v1beta1: a structural schema cannot describe `spec.stops`: the elements have no field for a key in `list_map_keys`, so \
         server-side apply cannot tell them apart; keep the name and the place of the key in all versions\n\
         help: change the type, or store the field as any JSON with `#[attribute(json)]`"
    );
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.safe", version = 2)]
#[upgrade_from(1 => 2, drop(#[attribute(sensitive)] pin: Option<String>, "keys are better"))]
#[upgrade_from(0 => 1, set(code = null))]
#[kube(group = "ferry.example.com", kind = "Safe", version(0 = "v1alpha1"), version(2 = "v1", storage))]
struct Safe {
    name: String,
    #[attribute(sensitive)]
    code: Option<String>,
}

#[test]
fn a_secret_that_a_version_cannot_hold_is_refused() {
    assert_eq!(
        Safe::crd_with(&Webhook::service("ferry", "webhook"))
            .unwrap_err()
            .to_string(),
        "Safe, version v1alpha1: it cannot hold the sensitive value at `spec.code` of v1, and no annotation may\n\
         help: objects with such a value could not be read in the version; give it a field for the value, or stop serving it"
    );
}

/// A chest whose older version lacks the pin, and does not take most codes.
#[derive(Debug, Document)]
#[document(type_name = "ferry.chest", version = 1)]
#[upgrade_from(0 => 1, convert(code: Option<u16>), set(pin = null))]
#[kube(group = "ferry.example.com", kind = "Chest", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Chest {
    code: Option<String>,
    #[attribute(sensitive)]
    pin: Option<String>,
}

/// A purse whose oldest version does not take most pins, which have another name there.
#[derive(Debug, Document)]
#[document(type_name = "ferry.purse", version = 2)]
#[upgrade_from(1 => 2, rename(number => pin))]
#[upgrade_from(0 => 1, convert(number: Option<u16>))]
#[kube(group = "ferry.example.com", kind = "Purse", version(0 = "v1alpha1"), version(2 = "v1", storage))]
struct Purse {
    #[attribute(sensitive)]
    pin: Option<String>,
}

/// A casket as the chest, with a pattern that no sample matches.
#[derive(Debug, Document)]
#[document(type_name = "ferry.casket", version = 1)]
#[upgrade_from(0 => 1, convert(code: Option<u16>), set(pin = null))]
#[kube(group = "ferry.example.com", kind = "Casket", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Casket {
    code: Option<String>,
    #[attribute(sensitive)]
    #[kube(pattern = "^[1-9][0-9]{3}$")]
    pin: Option<String>,
}

/// The first object with such a value would take the collection away from all clients of the
/// version.
#[test]
fn a_secret_is_found_behind_a_value_that_the_older_version_does_not_take() {
    let webhook = Webhook::service("ferry", "webhook");
    for (kind, refused) in [
        ("Chest", Chest::crd_with(&webhook)),
        ("Purse", Purse::crd_with(&webhook)),
        ("Casket", Casket::crd_with(&webhook)),
    ] {
        assert_eq!(
            refused.unwrap_err().to_string(),
            format!(
                "{kind}, version v1alpha1: it cannot hold the sensitive value at `spec.pin` of v1, and no annotation may\n\
                 help: objects with such a value could not be read in the version; give it a field for the value, or stop serving it"
            )
        );
    }
}

/// A locker whose older version takes all pins that anybody can write, and the port as a number.
#[derive(Debug, Document)]
#[document(type_name = "ferry.locker", version = 1)]
#[upgrade_from(0 => 1, convert(pin: Option<u16>), convert(bank.port: u16))]
#[kube(group = "ferry.example.com", kind = "Locker", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Locker {
    #[attribute(sensitive)]
    #[kube(pattern = "^[1-9][0-9]{0,3}$")]
    pin: Option<String>,
    bank: Option<Bank>,
}

#[derive(Debug, Document)]
struct Bank {
    #[kube(pattern = "^[1-9][0-9]{0,3}$")]
    port: String,
    #[attribute(sensitive)]
    password: String,
}

/// The samples do not match the patterns, and nobody could write them.
#[test]
fn a_secret_that_a_version_takes_within_its_limits_is_not_refused() {
    Locker::crd_with(&Webhook::service("ferry", "webhook")).unwrap();
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.beacon", version = 1)]
#[upgrade_from(0 => 1, rename(place => name), set(light = null))]
#[kube(group = "ferry.example.com", kind = "Beacon", version(0 = "v1beta1"), version(1 = "v1", storage))]
pub(crate) struct Beacon {
    name: String,
    #[attribute(default = Some(7))]
    #[kube(nullable, range = 1..=9)]
    light: Option<u8>,
    #[attribute(default = Some(3))]
    mast: Option<u8>,
    #[kube(nullable)]
    horn: Option<String>,
}

fn beacon(spec: &Value, from: &str, to: &str) -> Value {
    let beacon = json!({
        "apiVersion": format!("ferry.example.com/{from}"), "kind": "Beacon", "metadata": {"name": "a"}, "spec": spec,
    });
    let converter = Converter::new().with::<Beacon>().unwrap();
    attempt(&converter, &beacon, &format!("ferry.example.com/{to}")).unwrap()
}

#[test]
fn null_is_a_value_of_what_is_nullable() {
    let definition = Beacon::crd_with(&Webhook::service("ferry", "webhook")).unwrap();
    let of = |version: &str| spec_of(definition.value(), version)["properties"].clone();
    assert_eq!(
        of("v1")["light"],
        json!({"type": "integer", "minimum": 1, "maximum": 9, "nullable": true, "default": 7})
    );
    assert_eq!(
        of("v1")["mast"],
        json!({"type": "integer", "minimum": 0, "maximum": 255, "default": 3})
    );
    for version in ["v1beta1", "v1"] {
        assert_eq!(
            of(version)["horn"],
            json!({"type": "string", "nullable": true})
        );
    }
    // A light that is out is another one than a light of which nothing is said.
    let upgraded = beacon(&json!({"place": "a", "horn": null}), "v1beta1", "v1");
    assert_eq!(
        upgraded["spec"],
        json!({"name": "a", "light": null, "mast": 3})
    );
    for (spec, light) in [
        (json!({"name": "a", "light": null}), Value::Null),
        (json!({"name": "a"}), json!(7)),
        (json!({"name": "a", "light": 2, "horn": null}), json!(2)),
    ] {
        let older = beacon(&spec, "v1", "v1beta1");
        let again = json!({
            "apiVersion": "ferry.example.com/v1beta1", "kind": "Beacon", "metadata": older["metadata"], "spec": older["spec"],
        });
        let converter = Converter::new().with::<Beacon>().unwrap();
        let back = attempt(&converter, &again, "ferry.example.com/v1").unwrap();
        assert_eq!(
            back["spec"],
            json!({"name": "a", "light": light, "mast": 3}),
            "{older}"
        );
    }
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.convoy", version = 0)]
#[kube(
    group = "ferry.example.com",
    kind = "Convoy",
    version(0 = "v1", storage),
    rule("has(self.note) || self.route.boats.exists(boat, boat == 'a')", message = "one of them leads")
)]
struct Convoy {
    note: Option<String>,
    route: Route,
}

#[derive(Debug, Document)]
struct Route {
    boats: Vec<String>,
    #[kube(length = ..=9, rule("self.all(port, port != '')", message = "a port has a name"))]
    ports: BTreeMap<String, String>,
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.train", version = 0)]
#[kube(group = "ferry.example.com", kind = "Train", version(0 = "v1", storage))]
struct Train {
    parts: Vec<TrainPart>,
}

#[derive(Debug, Document)]
struct TrainPart {
    #[kube(rule("self.all(seat, seat > 0)", message = "seats have numbers"))]
    seats: Vec<u8>,
}

/// Servers that know rules estimate them, and older ones drop them.
#[test]
fn a_rule_over_all_of_a_list_without_a_greatest_length_is_named() {
    let warning = |rule: &str, path: &str, field: &str| {
        format!(
            "The rule `{rule}` of `{path}` in v1 looks at all of `{field}`, which has no greatest length, so that Kubernetes may refuse it as too \
             costly; write a `length` there, such as `#[kube(length = ..=100)]`."
        )
    };
    let of_struct = warning(
        "has(self.note) || self.route.boats.exists(boat, boat == 'a')",
        "spec",
        "spec.route.boats",
    );
    assert_eq!(Convoy::crd().unwrap().warning(), Some(of_struct));
    let of_field = warning(
        "self.all(seat, seat > 0)",
        "spec.parts[].seats",
        "spec.parts[].seats",
    );
    assert_eq!(Train::crd().unwrap().warning(), Some(of_field));
    assert_eq!(
        Line::crd_with(&Webhook::service("ferry", "webhook"))
            .unwrap()
            .warning(),
        None
    );
}
