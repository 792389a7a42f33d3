//! There and back between every two versions: nothing is lost, whatever the values are.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use upstate::{Document, StringEnum};
use upstate_kube::{Converter, CustomResource, Webhook};

use crate::boat::Boat;
use crate::released::own_definition_says_nothing;

/// A history with operators that lose something in each direction.
#[derive(Debug, Document)]
#[document(type_name = "ferry.pier", version = 3)]
#[upgrade_from(2 => 3, rename(open => is_open), set(owner = "ferry"))]
#[upgrade_from(1 => 2, values(size: OldSize, "L" => "large", "XL" => "large", "S" => "small"))]
#[upgrade_from(0 => 1, rekey(berths, by = name: String), drop(note: Option<String>, "nobody read it"), drop(since: u32, "unknown", back = 1900))]
#[kube(
    group = "ferry.example.com",
    kind = "Pier",
    version(0 = "v1alpha1"),
    version(1 = "v1beta1"),
    version(2 = "v1"),
    version(3 = "v2", storage)
)]
struct Pier {
    depth: i32,
    is_open: Option<bool>,
    owner: String,
    size: Size,
    berths: BTreeMap<String, Berth>,
}

#[derive(Debug, StringEnum)]
enum Size {
    Small,
    Large,
}

#[derive(Debug, StringEnum)]
enum OldSize {
    #[value(name = "S")]
    S,
    #[value(name = "L")]
    L,
    #[value(name = "XL")]
    Xl,
}

#[derive(Debug, Document)]
struct Berth {
    length: u16,
    lamps: Option<Vec<f64>>,
}

/// Values of a structural schema, completed with its defaults as the server completes them.
fn values(schema: &Value) -> BoxedStrategy<Value> {
    if schema["x-kubernetes-preserve-unknown-fields"] == true && schema["type"] != "object" {
        return prop_oneof![
            Just(json!({"a": [1, null]})),
            Just(json!("x")),
            Just(json!(1.5))
        ]
        .boxed();
    }
    if let Some(values) = schema["enum"].as_array() {
        return proptest::sample::select(values.clone()).boxed();
    }
    match schema["type"].as_str().unwrap() {
        "boolean" => any::<bool>().prop_map(|flag| json!(flag)).boxed(),
        "integer" => {
            let least = schema["minimum"].as_i64().unwrap_or(i64::MIN);
            let greatest = schema["maximum"].as_i64().unwrap_or(i64::MAX);
            prop_oneof![
                least..=greatest,
                Just(least),
                Just(greatest),
                least.max(0)..=greatest.min(3)
            ]
            .prop_map(|number| json!(number))
            .boxed()
        }
        "number" => prop_oneof![
            Just(json!(1)),
            Just(json!(1.5)),
            Just(json!(-0.25)),
            Just(json!(3.0))
        ]
        .boxed(),
        "string" => match schema["pattern"].as_str() {
            Some(pattern) => {
                let pattern = pattern.trim_start_matches('^').trim_end_matches('$');
                proptest::string::string_regex(pattern)
                    .unwrap()
                    .prop_map(|text| json!(text))
                    .boxed()
            }
            None => prop_oneof!["[a-c]{0,2}", "[ /~\u{e4}\"]{0,3}", "(S|L|XL)"]
                .prop_map(|text| json!(text))
                .boxed(),
        },
        "array" => {
            let most = schema["maxItems"]
                .as_u64()
                .map_or(3, |most| usize::try_from(most).unwrap());
            let least = schema["minItems"]
                .as_u64()
                .map_or(0, |least| usize::try_from(least).unwrap());
            let elements = proptest::collection::vec(values(&schema["items"]), least..=most);
            if schema["x-kubernetes-list-type"] == "set" {
                // A set has no order, so that this is the one that the engine writes.
                let texts = |elements: Vec<Value>| {
                    elements
                        .iter()
                        .map(|element| element.as_str().unwrap().to_owned())
                        .collect()
                };
                return elements
                    .prop_map(move |elements| {
                        json!(BTreeSet::<String>::from_iter::<Vec<String>>(texts(
                            elements
                        )))
                    })
                    .boxed();
            }
            elements.prop_map(Value::Array).boxed()
        }
        "object" if schema.get("additionalProperties").is_some() => {
            let keys = prop_oneof!["[a-c]{1,2}", "[/~.]{1,2}"];
            proptest::collection::btree_map(keys, values(&schema["additionalProperties"]), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect()))
                .boxed()
        }
        "object" => match schema["oneOf"].as_array() {
            None => members(schema, &json!({})),
            Some(branches) => {
                let branches = branches.iter().map(|branch| members(schema, branch));
                proptest::strategy::Union::new(branches).boxed()
            }
        },
        other => panic!("{other} is no type"),
    }
}

/// Objects of one branch.
fn members(schema: &Value, branch: &Value) -> BoxedStrategy<Value> {
    let names = |of: &Value| -> Vec<String> {
        of["required"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|name| name.as_str().unwrap().to_owned())
            .collect()
    };
    let required: Vec<String> = names(schema).into_iter().chain(names(branch)).collect();
    let forbidden: Vec<String> = match branch["not"]["anyOf"].as_array() {
        Some(each) => each.iter().flat_map(names).collect(),
        None => names(&branch["not"]),
    };
    let mut each: Vec<BoxedStrategy<Option<(String, Value)>>> = Vec::new();
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        let name = name.clone();
        if forbidden.contains(&name) {
            continue;
        }
        let restricted = branch["properties"]
            .get(&name)
            .filter(|inside| inside.get("enum").is_some());
        let schema = match restricted {
            Some(inside) => json!({"type": "string", "enum": inside["enum"]}),
            None => inner.clone(),
        };
        let is_there = required.contains(&name) || inner.get("default").is_some();
        let value = values(&schema).prop_map(move |value| (name.clone(), value));
        each.push(if is_there {
            value.prop_map(Some).boxed()
        } else {
            proptest::option::of(value).boxed()
        });
    }
    each.prop_map(|members| {
        Value::Object(
            members
                .into_iter()
                .flatten()
                .collect::<Map<String, Value>>(),
        )
    })
    .boxed()
}

/// The object in another version, or the reason why not.
pub(crate) fn attempt(converter: &Converter, object: &Value, to: &str) -> Result<Value, String> {
    let review = json!({
        "kind": "ConversionReview", "apiVersion": "apiextensions.k8s.io/v1",
        "request": {"uid": "1", "desiredAPIVersion": to, "objects": [object]},
    });
    let answer = converter.review(review.to_string().as_bytes()).unwrap();
    if let Some(problem) = answer.failure() {
        return Err(problem.to_owned());
    }
    let body: Value = serde_json::from_slice(answer.body()).unwrap();
    Ok(body["response"]["convertedObjects"][0].clone())
}

fn converted(converter: &Converter, object: &Value, to: &str) -> Value {
    attempt(converter, object, to).unwrap_or_else(|problem| panic!("{problem}: {object}"))
}

/// Kubernetes writes `3.0` as `3`.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "it is small")]
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e9 => {
                json!(float as i64)
            }
            Some(_) | None => value.clone(),
        },
        Value::Array(elements) => elements.iter().map(plain).collect(),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), plain(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// True if the object cannot be in the other version at all, and the message says so of a value.
fn is_refused(problem: &str) -> bool {
    let known = [
        "becomes the key, but two elements have",
        "has no variant",
        "cannot hold it",
    ];
    known.iter().any(|known| problem.contains(known))
}

pub(crate) fn every_pair_is_the_identity<T: CustomResource>() {
    own_definition_says_nothing::<T>();
    let definition = T::crd_with(&Webhook::service("a", "b")).unwrap();
    let converter = Converter::new().with::<T>().unwrap();
    let versions = definition.value()["spec"]["versions"].as_array().unwrap();
    let (came_back, refused) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for from in versions {
        // One for each version, since a runner counts all of its cases.
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
            cases: 64,
            failure_persistence: None,
            ..ProptestConfig::default()
        });
        let schema = from["schema"]["openAPIV3Schema"]["properties"].clone();
        let spec = values(&schema["spec"]);
        let status = if schema["status"].is_object() {
            values(&schema["status"]).prop_map(Some).boxed()
        } else {
            Just(None).boxed()
        };
        let api =
            |version: &Value| format!("{}/{}", T::FACTS.group, version["name"].as_str().unwrap());
        runner
            .run(&(spec, status), |(spec, status)| {
                let mut object = json!({"apiVersion": api(from), "kind": T::FACTS.kind, "metadata": {"name": "x", "annotations": {"a": "b"}}, "spec": spec});
                if let Some(status) = status {
                    object["status"] = status;
                }
                let object = plain(&object);
                for to in versions {
                    let there = match attempt(&converter, &object, &api(to)) {
                        Ok(there) => plain(&there),
                        // Nobody could write a map with one key twice, so that such a list stays
                        // what it is; and so does a value that no older version can hold.
                        Err(problem) if is_refused(&problem) => {
                            refused.set(refused.get() + 1);
                            continue;
                        }
                        Err(problem) => panic!("{problem}: {object}"),
                    };
                    let back = plain(&converted(&converter, &there, &api(from)));
                    prop_assert_eq!(&back, &object, "by way of {}", there);
                    for other in versions {
                        let further = match attempt(&converter, &there, &api(other)) {
                            Ok(further) => plain(&further),
                            Err(problem) if is_refused(&problem) => continue,
                            Err(problem) => panic!("{problem}: {there}"),
                        };
                        let back = plain(&converted(&converter, &further, &api(from)));
                        prop_assert_eq!(&back, &object, "by way of {} and {}", there, further);
                        came_back.set(came_back.get() + 1);
                    }
                }
                Ok(())
            })
            .unwrap();
    }
    assert!(
        came_back.get() > 10 * refused.get(),
        "{} came back, and {} were refused",
        came_back.get(),
        refused.get()
    );
}

/// Places where one value is not as the other: a list with another number of elements is one.
fn differences(one: Option<&Value>, other: Option<&Value>, place: &str, found: &mut Vec<String>) {
    match (one, other) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for name in names {
                let step = name.replace('~', "~0").replace('/', "~1");
                differences(
                    one.get(name),
                    other.get(name),
                    &format!("{place}/{step}"),
                    found,
                );
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                differences(Some(one), Some(other), &format!("{place}/{index}"), found);
            }
        }
        (one, other) => found.extend((one != other).then(|| place.to_owned())),
    }
}

/// JSON with sorted members, whatever the features of `serde_json` are.
fn compact(value: &Value) -> String {
    match value {
        Value::Array(elements) => format!(
            "[{}]",
            elements.iter().map(compact).collect::<Vec<_>>().join(",")
        ),
        Value::Object(members) => {
            let members: BTreeMap<&String, &Value> = members.iter().collect();
            let members = members
                .iter()
                .map(|(name, value)| format!("{}:{}", json!(name), compact(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

/// The hash that an annotation has of a value.
pub(crate) fn hash(value: &Value) -> String {
    let bytes = compact(&plain(value));
    let hash = bytes.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    format!("{hash:08x}")
}

/// The hashes of a value and of all that is in it, by their places.
fn hashes(value: &Value, place: &str, found: &mut Map<String, Value>) {
    found.insert(place.to_owned(), json!(hash(value)));
    let members = value.as_object().into_iter().flatten();
    for (name, value) in members {
        let step = name.replace('~', "~0").replace('/', "~1");
        hashes(value, &format!("{place}/{step}"), found);
    }
    for (index, value) in value.as_array().into_iter().flatten().enumerate() {
        hashes(value, &format!("{place}/{index}"), found);
    }
}

/// An annotation that has what is wanted wherever it is not there, as only somebody can write it
/// who knows the hashes.
fn annotation(there: &Value, wanted: &Value) -> String {
    let (mut places, mut known) = (Vec::new(), Map::new());
    differences(Some(wanted), Some(there), "/spec", &mut places);
    hashes(there, "/spec", &mut known);
    let wanted = json!({"spec": wanted});
    let kept = |place: &String| Some((place.clone(), wanted.pointer(place)?.clone()));
    let absent: Vec<&String> = places
        .iter()
        .filter(|place| wanted.pointer(place).is_none())
        .collect();
    json!({"v": 1, "k": places.iter().filter_map(kept).collect::<Map<_, _>>(), "d": absent, "h": known}).to_string()
}

/// Converts objects with annotations that hold all values of another object. Each object stays as
/// it is, but for what the other version does not hold anyway.
pub(crate) fn edited_annotations_take_nothing_away<T: CustomResource>() {
    let definition = T::crd_with(&Webhook::service("a", "b")).unwrap();
    let converter = Converter::new().with::<T>().unwrap();
    let versions = definition.value()["spec"]["versions"].as_array().unwrap();
    let spec =
        |version: &Value| values(&version["schema"]["openAPIV3Schema"]["properties"]["spec"]);
    let name = |version: &Value| version["name"].as_str().unwrap().to_owned();
    let api = |version: &Value| format!("{}/{}", T::FACTS.group, name(version));
    let object = |version: &Value, spec: &Value, annotations: Value| {
        let metadata = json!({"name": "x", "annotations": annotations});
        json!({"apiVersion": api(version), "kind": T::FACTS.kind, "metadata": metadata, "spec": spec})
    };
    let restored = std::cell::Cell::new(0);
    for (from, to) in versions
        .iter()
        .flat_map(|from| versions.iter().map(move |to| (from, to)))
        .filter(|(from, to)| from != to)
    {
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
            cases: 32,
            failure_persistence: None,
            ..ProptestConfig::default()
        });
        runner
            .run(&(spec(from), spec(to)), |(stored, wanted)| {
                let (stored, wanted) = (plain(&stored), plain(&wanted));
                let there = |annotations: Value| {
                    attempt(&converter, &object(from, &stored, annotations), &api(to))
                        .map(|there| plain(&there["spec"]))
                };
                let back = |there: &Value| {
                    let back = converted(&converter, &object(to, there, json!({})), &api(from));
                    let mut lost = Vec::new();
                    differences(
                        Some(&stored),
                        Some(&plain(&back["spec"])),
                        "/spec",
                        &mut lost,
                    );
                    lost
                };
                let bare = match there(json!({})) {
                    Ok(bare) => bare,
                    Err(problem) if is_refused(&problem) => return Ok(()),
                    Err(problem) => panic!("{problem}: {stored}"),
                };
                let text = annotation(&bare, &wanted);
                let edited =
                    there(json!({format!("{}/upstate-{}", T::FACTS.group, name(to)): text}))
                        .unwrap();
                let before = back(&bare);
                for place in back(&edited) {
                    let is_known = before
                        .iter()
                        .any(|known| place == *known || place.starts_with(&format!("{known}/")));
                    prop_assert!(
                        is_known,
                        "{} of {} by way of {} with {}",
                        place,
                        stored,
                        edited,
                        text
                    );
                }
                restored.set(restored.get() + u32::from(edited != bare));
                Ok(())
            })
            .unwrap();
    }
    assert!(restored.get() > 0);
}

#[test]
fn boats_say_the_same_beside_edited_annotations() {
    edited_annotations_take_nothing_away::<Boat>();
}

#[test]
fn piers_say_the_same_beside_edited_annotations() {
    edited_annotations_take_nothing_away::<Pier>();
}

#[test]
fn boats_come_back_as_they_were() {
    every_pair_is_the_identity::<Boat>();
}

#[test]
fn piers_come_back_as_they_were() {
    every_pair_is_the_identity::<Pier>();
}
