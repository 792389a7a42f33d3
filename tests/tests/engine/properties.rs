//! What holds for every value and every input.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use upstate::__internal::{Layout, indented};
use upstate::codec::{Encoding, UnknownAttributes};
use upstate::schema::{Field, Type};
use upstate::{Dynamic, Number, Object, Registry, Resource, Value, from_json, to_json};
use upstate_state::StateFile;

fn types() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![
        Just(Type::Bool),
        Just(Type::String),
        Just(Type::Number),
        Just(Type::Dynamic)
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|ty| Type::list(static_type(ty))),
            inner.clone().prop_map(|ty| Type::set(static_type(ty))),
            inner.clone().prop_map(|ty| Type::map(static_type(ty))),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Type::tuple),
            prop::collection::btree_map("[a-z_]{1,6}", inner, 0..4).prop_map(
                |fields| Type::object(fields.into_iter().map(|(name, ty)| Field::new(name, ty)))
            ),
        ]
    })
}

/// Elements of one collection share one type, so generated collections hold nothing dynamic
/// directly.
fn static_type(ty: Type) -> Type {
    if ty == Type::Dynamic {
        Type::String
    } else {
        ty
    }
}

fn numbers() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        any::<f64>().prop_filter_map("not finite", Number::from_f64),
        "-?[0-9]{1,40}(\\.[0-9]{1,40})?".prop_map(|text| text.parse().unwrap()),
        "-?[0-9]{1,5}\\.?[0-9]{0,5}e-?[0-9]{1,2}".prop_map(|text| text.parse().unwrap()),
    ]
}

fn value_of(ty: &Type) -> BoxedStrategy<Value> {
    let known = match ty {
        Type::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Type::String => prop_oneof![any::<String>(), "[ -~\u{2028}<>&\"\\\\é\u{1f600}]{0,12}"]
            .prop_map(Value::String)
            .boxed(),
        Type::Number => numbers().prop_map(Value::Number).boxed(),
        Type::Dynamic => types()
            .prop_flat_map(|ty| (Just(ty.clone()), value_of(&ty)))
            .prop_map(|pair| Value::Dynamic(Box::new(pair)))
            .boxed(),
        Type::List(element) | Type::Set(element) => prop::collection::vec(value_of(element), 0..4)
            .prop_map(Value::List)
            .boxed(),
        Type::Map(element) => prop::collection::btree_map(any::<String>(), value_of(element), 0..4)
            .prop_map(Value::Map)
            .boxed(),
        Type::Tuple(types) => types
            .iter()
            .map(|ty| value_of(ty))
            .collect::<Vec<_>>()
            .prop_map(Value::List)
            .boxed(),
        Type::Json | Type::Union(_) => any::<bool>().prop_map(Value::Bool).boxed(),
        Type::Object(fields) => fields
            .iter()
            .map(|field| (Just(field.name().to_owned()), value_of(field.ty())))
            .collect::<Vec<_>>()
            .prop_map(Value::from_iter)
            .boxed(),
    };
    prop_oneof![9 => known, 1 => Just(Value::Null)].boxed()
}

fn typed_values() -> impl Strategy<Value = (Type, Value)> {
    types().prop_flat_map(|ty| (Just(ty.clone()), value_of(&ty)))
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Rule {
    port: Option<i64>,
    name: Option<String>,
}

/// One shape as a model and as a type.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(version = 0)]
struct Shape {
    flag: Option<bool>,
    name: Option<String>,
    number: Option<Number>,
    ports: Option<Vec<Option<i64>>>,
    rules: Option<BTreeMap<String, Option<Rule>>>,
    tags: Option<BTreeSet<String>>,
}

/// What a function makes of it: lists in lists, tuples, values of any type, blocks.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "shape", version = 1)]
#[upgrade_from(0, model = Shape)]
struct Later {
    any: Option<Dynamic>,
    #[block]
    blocks: Vec<Rule>,
    flag: Option<bool>,
    lists: Vec<Vec<i64>>,
    name: String,
    number: Option<Number>,
    pair: Option<(String, f64)>,
    rules: Option<BTreeMap<String, Option<Rule>>>,
    tags: Option<BTreeSet<String>>,
}

impl From<Shape> for Later {
    fn from(prior: Shape) -> Self {
        let ports: Vec<i64> = prior.ports.into_iter().flatten().flatten().collect();
        let number = Type::list(Type::Number);
        Self {
            any: Dynamic::new(
                number,
                Value::List(ports.iter().copied().map(Value::from).collect()),
            )
            .ok(),
            blocks: prior
                .rules
                .iter()
                .flat_map(BTreeMap::values)
                .flatten()
                .cloned()
                .collect(),
            flag: prior.flag,
            lists: ports
                .iter()
                .map(|port| vec![*port; ports.len() % 3])
                .collect(),
            pair: prior
                .name
                .clone()
                .zip(ports.first().map(|port| *port as f64 / 7.0)),
            name: prior.name.unwrap_or_default(),
            number: prior.number,
            rules: prior.rules,
            tags: prior.tags,
        }
    }
}

fn shape_type() -> Type {
    Shape::schema().implied_type()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_and_msgpack_give_back_what_was_written((ty, value) in typed_values()) {
        // Writing puts sets in order; what is in order stays.
        let json = value.encode(&ty, Encoding::Json).unwrap();
        let read = Value::from_json(&json, &ty, UnknownAttributes::Deny).unwrap();
        prop_assert_eq!(&read.encode(&ty, Encoding::Json).unwrap(), &json);
        let bytes = value.encode(&ty, Encoding::Msgpack).unwrap();
        prop_assert_eq!(Value::from_msgpack(&bytes, &ty).unwrap(), read.clone());
        prop_assert_eq!(read.encode(&ty, Encoding::Msgpack).unwrap(), bytes);
        // And it is JSON to everybody else.
        prop_assert!(serde_json::from_slice::<serde::de::IgnoredAny>(&json).is_ok());
    }

    #[test]
    fn notations_give_back_the_type(ty in types()) {
        prop_assert_eq!(Type::parse(&ty.to_string()).unwrap(), ty);
    }

    #[test]
    fn typed_and_dynamic_decoders_agree(value in value_of(&shape_type())) {
        let ty = shape_type();
        let json = value.encode(&ty, Encoding::Json).unwrap();
        let typed = from_json::<Shape>(&json);
        // The dynamic number has room for what an i64 has not.
        let fits = |value: &Value| match value.as_map().and_then(|members| members.get("ports")) {
            Some(Value::List(ports)) => ports.iter().all(|port| !matches!(port, Value::Number(number) if number.as_i64().is_none())),
            _ => true,
        };
        let rules_fit = |value: &Value| match value.as_map().and_then(|members| members.get("rules")) {
            Some(Value::Map(rules)) => rules.values().filter_map(Value::as_map).all(|rule| {
                !matches!(&rule["port"], Value::Number(number) if number.as_i64().is_none())
            }),
            _ => true,
        };
        let no_null_tag = match value.as_map().and_then(|members| members.get("tags")) {
            Some(Value::List(tags)) => tags.iter().all(|tag| !tag.is_null()),
            _ => true,
        };
        if value.is_null() || !fits(&value) || !rules_fit(&value) || !no_null_tag {
            prop_assert!(typed.is_err());
        } else {
            prop_assert_eq!(to_json(&typed.unwrap()).unwrap(), json);
        }
    }

    #[test]
    fn what_functions_make_is_laid_out_as_it_is_written(value in value_of(&shape_type()), number in 0_usize..4) {
        let layout = [
            Layout::TERRAFORM,
            Layout { indent: "          ", ..Layout::TERRAFORM },
            Layout { newline: "\r\n", indent: "\t", unit: "\t" },
            Layout { newline: "\n", indent: "", unit: "" },
        ][number];
        let lay_out = |json: &[u8]| {
            let mut out = Vec::new();
            indented(std::str::from_utf8(json).unwrap(), layout, &mut out);
            String::from_utf8(out).unwrap()
        };
        let stored = lay_out(&value.encode(&shape_type(), Encoding::Json).unwrap());
        let registry = Registry::new().with::<Later>();
        let expected = registry.upgrade(&upstate::UpgradeRequest::json("shape", 0, stored.as_bytes()));
        let mut out = b"before".to_vec();
        let came = registry.prepare("shape", 0).unwrap().upgrade_laid_out(&stored, layout, &mut out);
        prop_assert_eq!(came.is_ok(), expected.state().is_some());
        if let Err(errors) = came {
            prop_assert_eq!(&errors, expected.diagnostics());
        }
        let made = expected.state().map(lay_out).unwrap_or_default();
        prop_assert_eq!(String::from_utf8_lossy(&out), format!("before{made}"));
    }

    #[test]
    fn shuffled_names_read_the_same(value in value_of(&shape_type()), seed in any::<u64>()) {
        let json = value.encode(&shape_type(), Encoding::Json).unwrap();
        let Ok(straight) = from_json::<Shape>(&json) else { return Ok(()) };
        let shuffled = shuffle(&Value::from_untyped_json(&json).unwrap(), seed);
        prop_assert_eq!(from_json::<Shape>(&shuffled).unwrap(), straight);
    }

    #[test]
    fn no_input_makes_a_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), (ty, _) in typed_values()) {
        let _ = from_json::<Shape>(&bytes);
        let _ = Value::from_json(&bytes, &ty, UnknownAttributes::Ignore);
        let _ = Value::from_msgpack(&bytes, &ty);
        let _ = StateFile::parse(&bytes);
    }

    #[test]
    fn no_json_like_input_makes_a_decoder_panic(text in "[\\[\\]{}\",:0-9eE.+\\-a-z\\\\ \n]{0,80}", (ty, _) in typed_values()) {
        let _ = from_json::<Shape>(&text);
        let _ = Value::from_json(text.as_bytes(), &ty, UnknownAttributes::Deny);
        let _ = StateFile::parse(text.as_bytes());
    }

    #[test]
    fn broken_documents_are_errors_or_values_never_panics((ty, value) in typed_values(), cut in any::<prop::sample::Index>(), byte in any::<u8>()) {
        for encoding in [Encoding::Json, Encoding::Msgpack] {
            let mut bytes = value.encode(&ty, encoding).unwrap();
            let at = cut.index(bytes.len());
            bytes[at] = byte;
            for input in [&bytes[..at], &bytes[..]] {
                let _ = Value::from_json(input, &ty, UnknownAttributes::Ignore);
                let _ = Value::from_msgpack(input, &ty);
                let _ = from_json::<Shape>(input);
            }
        }
    }

    #[test]
    fn flat_state_never_panics(map in prop::collection::btree_map("[a-c]{1,2}(\\.([a-c#%]|[0-9]{1,3})){0,3}", "-?[0-9]{0,4}|[a-z]{0,4}", 0..12), (ty, _) in typed_values()) {
        let _ = Value::from_flatmap(&map, &ty);
    }

    #[test]
    fn flat_state_gives_back_primitives_and_collections(value in value_of(&Type::object([
        Field::new("b", Type::Bool), Field::new("l", Type::list(Type::String)), Field::new("m", Type::map(Type::Number)),
        Field::new("n", Type::Number), Field::new("s", Type::String),
    ]))) {
        let ty = Type::object([
            Field::new("b", Type::Bool), Field::new("l", Type::list(Type::String)), Field::new("m", Type::map(Type::Number)),
            Field::new("n", Type::Number), Field::new("s", Type::String),
        ]);
        let Some(flat) = value.to_flatmap(&ty).unwrap() else { return Ok(()) };
        let read = Value::from_flatmap(&flat, &ty).unwrap();
        // Null entries of a map have no flat form, and `%` is the name of the count.
        let lossless = match &value.as_map().unwrap()["m"] {
            Value::Map(entries) => entries.iter().all(|(key, value)| !value.is_null() && key != "%"),
            _ => true,
        };
        if lossless {
            prop_assert_eq!(read, value);
        }
    }

    #[test]
    fn upgrading_never_panics_and_always_answers(text in "[\\[\\]{}\",:0-9a-z\\\\ ]{0,60}", version in 0_u64..4) {
        let registry = Registry::new().with::<Shape>();
        let response = registry.upgrade(&upstate::UpgradeRequest::json("shape", version, text.as_bytes()));
        prop_assert_ne!(response.state().is_some(), response.diagnostics().has_errors());
    }
}

/// The document with the members of its objects in another order.
fn shuffle(json: &Value, seed: u64) -> String {
    match json {
        Value::Map(members) => {
            let mut members: Vec<String> = members
                .iter()
                .map(|(name, value)| {
                    format!(
                        "{}:{}",
                        serde_json::Value::from(name.as_str()),
                        shuffle(value, seed.rotate_left(7))
                    )
                })
                .collect();
            let len = members.len().max(1);
            members.rotate_left(usize::try_from(seed % len as u64).unwrap());
            if seed.is_multiple_of(3) {
                members.reverse();
            }
            format!("{{{}}}", members.join(","))
        }
        Value::List(list) => format!(
            "[{}]",
            list.iter()
                .map(|value| shuffle(value, seed))
                .collect::<Vec<_>>()
                .join(",")
        ),
        Value::String(text) => serde_json::Value::from(text.as_str()).to_string(),
        Value::Number(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        _ => "null".to_owned(),
    }
}
