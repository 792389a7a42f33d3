//! A shape as a structural schema, the part of `OpenAPI` v3 that Kubernetes takes.
//!
//! A junctor (`oneOf`, `not`) has neither types, descriptions nor defaults, and names only members
//! that are declared outside of it.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::schema::{Kind, Node, Object, OwnLimits, Part, Variant};
use crate::text::Put as _;

type Json = Map<String, Value>;

/// The schema of a shape.
pub(crate) fn schema(node: &Node) -> Value {
    Value::Object(of_node(node))
}

fn typed(name: &str) -> Json {
    Json::from_iter([("type".to_owned(), json!(name))])
}

/// The description, with the paragraph at its end by which clients of Kubernetes know a deprecated
/// field, unless the author wrote one.
fn described(node: &Node) -> String {
    let is_notice = |line: &str| line.trim_start().to_lowercase().starts_with("deprecated");
    let Some(why) = node
        .deprecated
        .filter(|_| !node.description.lines().any(is_notice))
    else {
        return node.description.to_owned();
    };
    let notice = if why.is_empty() {
        "Deprecated.".to_owned()
    } else {
        format!("Deprecated: {why}")
    };
    if node.description.is_empty() {
        notice
    } else {
        format!("{}\n\n{notice}", node.description)
    }
}

fn of_node(node: &Node) -> Json {
    let mut schema = match &node.declared.own_schema {
        Some(Value::Object(own)) => own.clone(),
        Some(_) | None => of_kind(&node.kind),
    };
    // Last, because what the field declares is more than what follows from its type.
    node.declared.write(node.limited_as(), &mut schema);
    if let Kind::Integer { min, max } = node.kind {
        narrow(&mut schema, min, max);
    }
    let description = described(node);
    if !description.is_empty() {
        schema.put("description", json!(description));
    }
    if node.nullable {
        schema.put("nullable", true);
    }
    // An empty string is left out, because Kubernetes 1.20 takes it for null and refuses the
    // definition. Conversions put it there all the same.
    if let Some(default) = node
        .default
        .as_ref()
        .filter(|default| default.as_str() != Some(""))
    {
        schema.put("default", default.clone());
    }
    schema
}

/// Narrows a range to that of the type: otherwise a client could write a number that the type does
/// not read, in any version.
fn narrow(schema: &mut Json, min: i64, max: i64) {
    let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
    #[expect(
        clippy::cast_precision_loss,
        reason = "limits of types below 64 bits are floats, and those of 64 bits are the greatest"
    )]
    let is_out = (
        limit("minimum").is_some_and(|least| least < min as f64),
        limit("maximum").is_some_and(|most| most > max as f64),
    );
    if is_out.0 {
        schema.put("minimum", json!(min));
    }
    if is_out.1 {
        schema.put("maximum", json!(max));
    }
}

fn of_kind(kind: &Kind) -> Json {
    match kind {
        Kind::Boolean => typed("boolean"),
        Kind::String => typed("string"),
        Kind::OneOf(texts) => {
            let mut schema = typed("string");
            schema.put("enum", json!(texts));
            schema
        }
        Kind::Integer { min, max } => {
            let mut schema = typed("integer");
            // The server does not enforce a format, so that limits are written wherever there are
            // any.
            if (*min, *max) == (i64::MIN, i64::MAX) {
                schema.put("format", "int64");
            } else {
                if (*min, *max) == (i64::from(i32::MIN), i64::from(i32::MAX)) {
                    schema.put("format", "int32");
                }
                schema.put("minimum", json!(min));
                schema.put("maximum", json!(max));
            }
            schema
        }
        Kind::Number => typed("number"),
        Kind::List { items, len } => {
            let mut schema = typed("array");
            schema.put("items", self::schema(items));
            if let Some(len) = len {
                schema.put("minItems", json!(len));
                schema.put("maxItems", json!(len));
            }
            schema
        }
        Kind::Set(items) => set(items),
        Kind::Map(values) => {
            let mut schema = typed("object");
            schema.put("additionalProperties", self::schema(values));
            schema
        }
        Kind::Object(object) => of_object(object),
        Kind::IntOrString => {
            Json::from_iter([("x-kubernetes-int-or-string".to_owned(), json!(true))])
        }
        Kind::Any => Json::from_iter([(
            "x-kubernetes-preserve-unknown-fields".to_owned(),
            json!(true),
        )]),
    }
}

/// The server compares elements of a set that are scalars, or objects and arrays that are replaced
/// as a whole.
fn set(items: &Node) -> Json {
    let mut inner = of_node(items);
    let is_set = match &items.kind {
        Kind::Boolean | Kind::String | Kind::OneOf(_) | Kind::Integer { .. } | Kind::Number => {
            !items.nullable
        }
        Kind::Object(_) | Kind::Map(_) if !items.nullable => {
            inner.put("x-kubernetes-map-type", "atomic");
            true
        }
        Kind::Object(_)
        | Kind::Map(_)
        | Kind::List { .. }
        | Kind::Set(_)
        | Kind::Any
        | Kind::IntOrString => false,
    };
    let mut schema = typed("array");
    schema.put("items", inner);
    if is_set {
        schema.put("x-kubernetes-list-type", "set");
    }
    schema
}

fn of_object(object: &Object) -> Json {
    let mut schema = typed("object");
    let properties = object
        .members
        .iter()
        .map(|(name, member)| ((*name).to_owned(), self::schema(&member.node)));
    let properties: Json = properties.collect();
    if !properties.is_empty() {
        schema.put("properties", properties);
    }
    let required: Vec<&str> = object
        .members
        .iter()
        .filter(|(_, member)| member.required)
        .map(|(name, _)| *name)
        .collect();
    if !required.is_empty() {
        schema.put("required", json!(required));
    }
    if object.is_open {
        schema.put("x-kubernetes-preserve-unknown-fields", true);
    }
    let all_or_none = |part: &Part| {
        let each: Vec<Value> = part
            .members
            .iter()
            .map(|name| json!({"required": [name]}))
            .collect();
        json!({"anyOf": [{"required": part.required}, {"not": {"anyOf": each}}]})
    };
    let parts: Vec<Value> = object
        .parts
        .iter()
        .filter(|part| !part.required.is_empty())
        .map(all_or_none)
        .collect();
    if !parts.is_empty() {
        schema.put("allOf", parts);
    }
    if !object.variants.is_empty() {
        let variants: Vec<Value> = object
            .variants
            .iter()
            .map(|variant| Value::Object(of_variant(object, variant)))
            .collect();
        schema.put("oneOf", json!(variants));
    }
    schema
}

/// A branch of `oneOf`.
fn of_variant(object: &Object, variant: &Variant) -> Json {
    let mut branch = Json::new();
    let Some(tag) = &variant.tag else {
        branch.put("required", json!(variant.required));
        return branch;
    };
    let mut properties = Json::from_iter([(tag.clone(), json!({"enum": [variant.name]}))]);
    if let Some(content) = &variant.content {
        let all = object
            .members
            .get(content.name)
            .into_iter()
            .flat_map(|member| match &member.node.kind {
                Kind::Object(object) => object.members.keys().copied().collect(),
                _ => BTreeSet::new(),
            });
        let mut inner = Json::new();
        let limits = limits(&content.limits);
        if !limits.is_empty() {
            inner.put("properties", limits);
        }
        restrict(
            &mut inner,
            &content.required,
            &all.filter(|name| !content.members.contains(name))
                .collect::<Vec<_>>(),
        );
        if !inner.is_empty() {
            properties.put(content.name, inner);
        }
    }
    properties.extend(limits(&variant.limits));
    branch.put("properties", properties);
    let is_other = |name: &&str| {
        *name != tag.as_str() && !variant.members.contains(name) && !object.is_own(name)
    };
    let others = object.members.keys().copied().filter(is_other);
    restrict(&mut branch, &variant.required, &others.collect::<Vec<_>>());
    branch
}

/// The limits of members that other variants have with others.
fn limits(own: &OwnLimits) -> Json {
    let written = own.iter().map(|(name, (of, limits))| {
        let mut schema = Json::new();
        limits.write(*of, &mut schema);
        ((*name).to_owned(), Value::Object(schema))
    });
    written
        .filter(|(_, schema)| schema.as_object().is_some_and(|schema| !schema.is_empty()))
        .collect()
}

/// Asks for some members, and forbids others.
fn restrict(branch: &mut Json, required: &BTreeSet<&'static str>, others: &[&str]) {
    if !required.is_empty() {
        branch.put("required", json!(required));
    }
    match others {
        [] => {}
        [one] => branch.put("not", json!({"required": [one]})),
        several => {
            let each: Vec<Value> = several
                .iter()
                .map(|name| json!({"required": [name]}))
                .collect();
            branch.put("not", json!({"anyOf": each}));
        }
    }
}
