//! The canonical JSON of the case files: values, types, paths.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use upstate::path::{PathStep, SetElement};
use upstate::schema::{Attribute, Block, Field, NestedBlock, Nesting, Presence, Schema, Type};
use upstate::{AttributePath, Value};

pub fn ty(notation: &Json) -> Type {
    Type::parse(&notation.to_string()).unwrap_or_else(|error| panic!("{notation}: {error}"))
}

/// The schema of a case: `attributes` by name, and `blocks`.
pub fn schema(json: &Json) -> Schema {
    Schema::new(json["version"].as_u64().unwrap_or(0), block(json))
}

fn block(json: &Json) -> Block {
    let no_members = serde_json::Map::new();
    let members = |key: &str| json[key].as_object().unwrap_or(&no_members).clone();
    let attributes = members("attributes").into_iter().map(|(name, attribute)| {
        let flag = |key: &str| attribute[key] == Json::Bool(true);
        let presence = match (flag("optional"), flag("computed")) {
            (true, true) => Presence::OptionalComputed,
            (true, false) => Presence::Optional,
            (false, true) => Presence::Computed,
            (false, false) => Presence::Required,
        };
        let built = Attribute::new(name, ty(&attribute["type"]), presence);
        let built = if flag("sensitive") {
            built.sensitive()
        } else {
            built
        };
        if flag("write_only") {
            built.write_only()
        } else {
            built
        }
    });
    let blocks = members("blocks").into_iter().map(|(name, nested)| {
        let nesting = match nested["nesting"].as_str() {
            Some("list") => Nesting::List,
            Some("set") => Nesting::Set,
            Some("map") => Nesting::Map,
            _ => Nesting::Single,
        };
        NestedBlock::new(name, nesting, block(&nested))
    });
    Block::new(attributes).with_blocks(blocks.collect::<Vec<_>>())
}

/// The value that canonical JSON means, at a type.
pub fn value(json: &Json, ty: &Type) -> Value {
    match (json, ty) {
        (Json::Null, _) => Value::Null,
        (Json::Object(members), _) if members.get("$unknown") == Some(&Json::Bool(true)) => {
            Value::Unknown
        }
        (Json::Object(members), Type::Number) => {
            let digits = members
                .get("$number")
                .and_then(Json::as_str)
                .unwrap_or_else(|| panic!("no number: {json}"));
            Value::Number(
                digits
                    .parse()
                    .unwrap_or_else(|error| panic!("{digits}: {error}")),
            )
        }
        (Json::Bool(value), Type::Bool) => Value::Bool(*value),
        (Json::String(text), Type::String) => text.as_str().into(),
        (Json::Number(number), Type::Number) => {
            Value::Number(number.to_string().parse().expect("a JSON number"))
        }
        (Json::Array(list), Type::List(element) | Type::Set(element)) => {
            Value::List(list.iter().map(|json| value(json, element)).collect())
        }
        (Json::Array(list), Type::Tuple(types)) => Value::List(
            list.iter()
                .zip(types.iter())
                .map(|(json, ty)| value(json, ty))
                .collect(),
        ),
        (Json::Object(members), Type::Map(element)) => members
            .iter()
            .map(|(key, json)| (key.clone(), value(json, element)))
            .collect(),
        (Json::Object(members), Type::Object(fields)) => {
            let field = |field: &Field| {
                let json = members.get(field.name()).unwrap_or(&Json::Null);
                (field.name().to_owned(), value(json, field.ty()))
            };
            fields.iter().map(field).collect()
        }
        (Json::Object(members), Type::Dynamic) => {
            let inner = self::ty(&members["type"]);
            let value = value(&members["value"], &inner);
            Value::Dynamic(Box::new((inner, value)))
        }
        (json, ty) => panic!("{json} is no value of {ty}"),
    }
}

/// Whether two values are the same where the order of set elements does not count.
pub fn same(a: &Value, b: &Value, ty: &Type, ordered: bool) -> bool {
    match (a, b, ty) {
        (Value::List(a), Value::List(b), Type::Set(element)) if !ordered => {
            let mut left: Vec<&Value> = b.iter().collect();
            a.len() == b.len()
                && a.iter().all(|a| {
                    let found = left.iter().position(|b| same(a, b, element, ordered));
                    found.is_some_and(|position| {
                        left.swap_remove(position);
                        true
                    })
                })
        }
        (Value::List(a), Value::List(b), Type::List(element) | Type::Set(element)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, element, ordered))
        }
        (Value::List(a), Value::List(b), Type::Tuple(types)) => {
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .zip(types.iter())
                    .all(|((a, b), ty)| same(a, b, ty, ordered))
        }
        (Value::Map(a), Value::Map(b), Type::Map(element)) => {
            a.keys().eq(b.keys())
                && a.values()
                    .zip(b.values())
                    .all(|(a, b)| same(a, b, element, ordered))
        }
        (Value::Map(a), Value::Map(b), Type::Object(fields)) => fields.iter().all(|field| {
            let get =
                |map: &BTreeMap<String, Value>| map.get(field.name()).cloned().unwrap_or_default();
            same(&get(a), &get(b), field.ty(), ordered)
        }),
        (Value::Dynamic(a), Value::Dynamic(b), _) => a.0 == b.0 && same(&a.1, &b.1, &a.0, ordered),
        (a, b, _) => a == b,
    }
}

pub fn path(steps: &Json) -> AttributePath {
    let step = |step: &Json| {
        if let Some(name) = step["attribute_name"].as_str() {
            return PathStep::Attribute(name.to_owned().into());
        }
        if let Some(key) = step["element_key_string"].as_str() {
            return PathStep::Key(key.to_owned());
        }
        if let Some(index) = step["element_key_int"].as_u64() {
            return PathStep::Index(index);
        }
        let element = &step["element_key_value"];
        PathStep::Element(match &element["value"] {
            Json::String(text) => Some(SetElement::string(text)),
            Json::Number(number) => Some(SetElement::number(number)),
            Json::Bool(value) => Some(SetElement::bool(*value)),
            _ => None,
        })
    };
    steps.as_array().into_iter().flatten().map(step).collect()
}
