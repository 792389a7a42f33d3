//! The schema of a custom resource as the types of Rust.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::Nesting;

type Json = Map<String, Value>;

/// Values at one place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) description: String,
    /// Options of `#[kube(…)]`.
    pub(super) options: Vec<String>,
    /// The options that are limits, as rules compare them.
    pub(super) limits: BTreeMap<String, Value>,
    /// True if objects are of one of several forms.
    pub(super) has_variants: bool,
    /// True of any JSON that is an object.
    pub(super) is_open_object: bool,
    pub(super) default: Option<Value>,
    pub(super) nullable: bool,
    /// Facts of the schema that no model has.
    pub(super) lost: Vec<String>,
}

/// The values of a [`Node`].
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Bool,
    String,
    Integer {
        is_long: bool,
    },
    Float,
    List(Box<Node>),
    Map(Box<Node>),
    /// `is_open` if members that are not named are kept.
    Object {
        members: Vec<Member>,
        is_open: bool,
    },
    /// Any JSON.
    Any,
    IntOrString,
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    /// Its name in objects.
    pub(super) name: String,
    pub(super) node: Node,
    pub(super) is_required: bool,
}

impl Member {
    /// True if the value is there in every object, so that its type is no `Option`.
    pub(super) fn is_always_there(&self) -> bool {
        (self.is_required || self.node.rust_default().is_some()) && !self.node.nullable
    }
}

/// Keywords that have a place in the model or that nobody misses.
const KNOWN: [&str; 24] = [
    "type",
    "description",
    "properties",
    "required",
    "items",
    "additionalProperties",
    "default",
    "nullable",
    "enum",
    "pattern",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-validations",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-int-or-string",
];

const BOUNDS: [&str; 8] = [
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
];

impl Node {
    /// Reads a schema; or the path of the part that is none of a custom resource, and why.
    pub(super) fn of(schema: &Value, path: &str) -> Result<Self, String> {
        let Some(schema) = schema.as_object() else {
            return Err(format!("{path}: its schema is not an object"));
        };
        let has = |keyword: &str| {
            schema
                .get(keyword)
                .and_then(Value::as_bool)
                .unwrap_or(false)
        };
        let kind = kind(schema, path)?;
        let mut node = Self {
            is_open_object: kind == Kind::Any && text(schema, "type") == "object",
            kind,
            description: text(schema, "description").to_owned(),
            options: Vec::new(),
            limits: BTreeMap::new(),
            has_variants: schema.contains_key("oneOf"),
            default: schema.get("default").cloned(),
            nullable: has("nullable"),
            lost: Vec::new(),
        };
        node.limits(schema);
        node.merging(schema);
        node.rules(schema);
        let is_counted = matches!(
            (&node.kind, text(schema, "format")),
            (Kind::Integer { .. }, "int32" | "int64")
        );
        for (keyword, value) in schema
            .iter()
            .filter(|(keyword, _)| !KNOWN.contains(&keyword.as_str()))
        {
            // Not lost, because it is the only way to write this type.
            let is_union = matches!(node.kind, Kind::IntOrString) && keyword == "anyOf";
            if !(is_counted && keyword == "format" || is_union) {
                node.lost.push(format!("`{keyword}: {value}`"));
            }
        }
        Ok(node)
    }

    fn limits(&mut self, schema: &Json) {
        let bound = |keyword: &str| schema.get(keyword).filter(|value| value.is_number());
        let mut range = |option: &str, least: &str, most: &str| {
            let (least, most) = (bound(least), bound(most));
            if least.is_some() || most.is_some() {
                let ends = [("min", least), ("max", most)]
                    .into_iter()
                    .filter_map(|(end, limit)| Some((end.to_owned(), limit?.clone())));
                self.limits
                    .insert(option.to_owned(), Value::Object(ends.collect()));
                let most = most.map(|most| format!("={most}")).unwrap_or_default();
                self.options.push(format!(
                    "{option} = {}..{most}",
                    least.map(Value::to_string).unwrap_or_default()
                ));
            }
        };
        let own = match &self.kind {
            Kind::String => Some(("length", ["minLength", "maxLength"])),
            Kind::List(_) => Some(("length", ["minItems", "maxItems"])),
            Kind::Map(_) => Some(("length", ["minProperties", "maxProperties"])),
            Kind::Integer { .. } | Kind::Float => Some(("range", ["minimum", "maximum"])),
            Kind::Object { .. } | Kind::Bool | Kind::Any | Kind::IntOrString => None,
        };
        if let Some((option, [least, most])) = own {
            range(option, least, most);
        }
        let others = BOUNDS
            .iter()
            .filter(|keyword| own.is_none_or(|(_, own)| !own.contains(keyword)));
        let others =
            others.filter_map(|keyword| Some(format!("`{keyword}: {}`", schema.get(*keyword)?)));
        self.lost.extend(others);
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
            if self.kind == Kind::String {
                self.limits.insert("pattern".to_owned(), pattern.into());
                self.options.push(format!("pattern = {}", literal(pattern)));
            } else {
                self.lost.push(format!("`pattern: {pattern}`"));
            }
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            let is_scalar = matches!(self.kind, Kind::String | Kind::Integer { .. } | Kind::Float);
            let texts = values.iter().map(|value| match value {
                Value::String(text) if matches!(self.kind, Kind::String) => Some(literal(text)),
                Value::Number(number) => Some(number.to_string()),
                Value::String(_)
                | Value::Null
                | Value::Bool(_)
                | Value::Array(_)
                | Value::Object(_) => None,
            });
            match texts.collect::<Option<Vec<_>>>() {
                Some(texts) if is_scalar => {
                    self.limits
                        .insert("one_of".to_owned(), Value::from(values.clone()));
                    self.options.push(format!("one_of({})", texts.join(", ")));
                }
                Some(_) | None => self
                    .lost
                    .push(format!("`enum: {}`", Value::from(values.clone()))),
            }
        }
        if let Kind::List(inner) | Kind::Map(inner) = &mut self.kind {
            let limits = inner.limits.iter().filter(|(limit, _)| is_limit(limit));
            self.limits
                .extend(limits.map(|(limit, value)| (format!("each {limit}"), value.clone())));
            let options = std::mem::take(&mut inner.options);
            let (each, others): (Vec<_>, Vec<_>) =
                options.into_iter().partition(|option| is_limit(option));
            inner.lost.extend(
                others
                    .into_iter()
                    .map(|option| format!("of elements: `{option}`")),
            );
            if !each.is_empty() {
                self.options.push(format!("each({})", each.join(", ")));
            }
            if let Some(default) = inner.default.take() {
                inner
                    .lost
                    .push(format!("of elements: `default: {default}`"));
            }
            self.lost.append(&mut inner.lost);
        }
    }

    fn merging(&mut self, schema: &Json) {
        match (&self.kind, text(schema, "x-kubernetes-list-type")) {
            (Kind::List(_), word @ ("atomic" | "set" | "map")) => {
                self.limits
                    .extend((word != "atomic").then(|| ("list type".to_owned(), word.into())));
                self.options.push(format!("list_type = {word:?}"));
            }
            (_, "") => {}
            (_, word) => self.lost.push(format!("`x-kubernetes-list-type: {word}`")),
        }
        if let Some(keys) = schema
            .get("x-kubernetes-list-map-keys")
            .and_then(Value::as_array)
        {
            if let Some(Value::String(word)) = self.limits.get_mut("list type") {
                let keys: Vec<&str> = keys.iter().filter_map(Value::as_str).collect();
                *word = format!("{word} by {}", keys.join(", "));
            }
            let keys: Vec<String> = keys.iter().filter_map(Value::as_str).map(literal).collect();
            self.options
                .push(format!("list_map_keys({})", keys.join(", ")));
        }
        match (&self.kind, text(schema, "x-kubernetes-map-type")) {
            (Kind::Map(_) | Kind::Object { .. }, word @ ("atomic" | "granular")) => {
                self.options.push(format!("map_type = {word:?}"));
            }
            (_, "") => {}
            (_, word) => self.lost.push(format!("`x-kubernetes-map-type: {word}`")),
        }
        if matches!(self.kind, Kind::IntOrString) {
            self.options.push("int_or_string".to_owned());
        }
    }

    fn rules(&mut self, schema: &Json) {
        for rule in schema
            .get("x-kubernetes-validations")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let Some(rule) = rule.as_object() else {
                continue;
            };
            let message = match text(rule, "message") {
                "" => String::new(),
                message => format!(", message = {}", literal(message)),
            };
            self.options
                .push(format!("rule({}{message})", literal(text(rule, "rule"))));
            for (keyword, value) in rule
                .iter()
                .filter(|(keyword, _)| !["rule", "message"].contains(&keyword.as_str()))
            {
                self.lost.push(format!("of a rule: `{keyword}: {value}`"));
            }
        }
    }

    /// The type of the values in Rust; `object` gives one to objects.
    pub(super) fn rust(&self, object: &mut dyn FnMut(&[Member], bool) -> String) -> String {
        match &self.kind {
            Kind::Bool => "bool".to_owned(),
            Kind::String => "String".to_owned(),
            Kind::Integer { is_long: false } => "i32".to_owned(),
            Kind::Integer { is_long: true } => "i64".to_owned(),
            Kind::Float => "f64".to_owned(),
            Kind::List(items) => format!("Vec<{}>", items.element(object)),
            Kind::Map(values) => format!(
                "std::collections::BTreeMap<String, {}>",
                values.element(object)
            ),
            Kind::Object { members, is_open } => object(members, *is_open),
            Kind::Any | Kind::IntOrString => "serde_json::Value".to_owned(),
        }
    }

    /// The default as operators write it, if the model has it.
    pub(super) fn operand(&self) -> Option<String> {
        self.rust_default().and(self.default.as_ref()).map(operand)
    }

    fn element(&self, object: &mut dyn FnMut(&[Member], bool) -> String) -> String {
        let ty = self.rust(object);
        if self.nullable {
            format!("Option<{ty}>")
        } else {
            ty
        }
    }

    /// True if the value is an object with members.
    pub(super) fn is_object(&self) -> bool {
        matches!(self.kind, Kind::Object { .. })
    }

    /// Objects here or as elements, and whether those are in a list or a map.
    pub(super) fn objects(&self) -> Option<(Nesting, &Self)> {
        let is_inside = |node: &Self| node.is_object() || node.is_open_object;
        match &self.kind {
            Kind::List(items) if is_inside(items) => Some((Nesting::List, items)),
            Kind::Map(values) if is_inside(values) => Some((Nesting::Map, values)),
            Kind::Object { .. } => Some((Nesting::Single, self)),
            Kind::Any => self.is_open_object.then_some((Nesting::Single, self)),
            Kind::List(_)
            | Kind::Map(_)
            | Kind::Bool
            | Kind::String
            | Kind::Integer { .. }
            | Kind::Float
            | Kind::IntOrString => None,
        }
    }

    /// The members of an object; none of any JSON.
    pub(super) fn members(&self) -> &[Member] {
        if let Kind::Object { members, .. } = &self.kind {
            members
        } else {
            &[]
        }
    }

    /// True if the value is any JSON, of which the type says nothing.
    pub(super) fn is_json(&self) -> bool {
        matches!(self.kind, Kind::Any | Kind::IntOrString)
    }

    /// The default as an expression of Rust; none of objects, which only their author can write.
    pub(super) fn rust_default(&self) -> Option<String> {
        expression(&self.kind, self.default.as_ref()?)
    }
}

/// A value as operators write it.
fn operand(value: &Value) -> String {
    match value {
        Value::String(text) => literal(text),
        Value::Array(values) => format!(
            "[{}]",
            values.iter().map(operand).collect::<Vec<_>>().join(", ")
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

fn expression(kind: &Kind, value: &Value) -> Option<String> {
    match (kind, value) {
        (Kind::Bool, Value::Bool(value)) => Some(value.to_string()),
        (Kind::String, Value::String(text)) if text.is_empty() => Some("String::new()".to_owned()),
        (Kind::String, Value::String(text)) => Some(format!("{}.to_owned()", literal(text))),
        (Kind::Integer { .. }, Value::Number(number)) if number.is_i64() => {
            Some(number.to_string())
        }
        (Kind::Float, Value::Number(number)) => Some(format!("{:?}", number.as_f64()?)),
        (Kind::List(items), Value::Array(values)) if !items.nullable => {
            let values = values
                .iter()
                .map(|value| expression(&items.kind, value))
                .collect::<Option<Vec<_>>>()?;
            Some(if values.is_empty() {
                "Vec::new()".to_owned()
            } else {
                format!("vec![{}]", values.join(", "))
            })
        }
        (
            Kind::Bool
            | Kind::String
            | Kind::Integer { .. }
            | Kind::Float
            | Kind::List(_)
            | Kind::Map(_)
            | Kind::Object { .. }
            | Kind::Any
            | Kind::IntOrString,
            _,
        ) => None,
    }
}

fn is_limit(option: &str) -> bool {
    ["length", "range", "pattern", "one_of"]
        .iter()
        .any(|word| option.starts_with(word))
}

fn text<'j>(schema: &'j Json, keyword: &str) -> &'j str {
    schema
        .get(keyword)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// A string as a literal of Rust.
pub(super) fn literal(text: &str) -> String {
    let is_plain = |letter: char| !letter.is_control() && letter != '"';
    if text.contains('\\') && text.chars().all(is_plain) {
        format!("r\"{text}\"")
    } else {
        format!("{text:?}")
    }
}

fn kind(schema: &Json, path: &str) -> Result<Kind, String> {
    let has = |keyword: &str| {
        schema
            .get(keyword)
            .and_then(Value::as_bool)
            .unwrap_or(false)
    };
    let is_open = has("x-kubernetes-preserve-unknown-fields");
    if has("x-kubernetes-int-or-string") {
        return Ok(Kind::IntOrString);
    }
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .filter(|properties| !properties.is_empty());
    match text(schema, "type") {
        "boolean" => Ok(Kind::Bool),
        "string" => Ok(Kind::String),
        "number" => Ok(Kind::Float),
        "integer" => Ok(Kind::Integer {
            is_long: text(schema, "format") != "int32",
        }),
        "array" => {
            let Some(items) = schema.get("items") else {
                return Err(format!("{path}: a list has no `items`"));
            };
            Ok(Kind::List(Box::new(Node::of(items, &format!("{path}[]"))?)))
        }
        "object" => {
            if let (None, Some(values @ Value::Object(_))) =
                (properties, schema.get("additionalProperties"))
            {
                return Ok(Kind::Map(Box::new(Node::of(
                    values,
                    &format!("{path}{{}}"),
                )?)));
            }
            if properties.is_none()
                && (is_open || schema.get("additionalProperties") == Some(&Value::Bool(true)))
            {
                return Ok(Kind::Any);
            }
            let required: BTreeSet<&str> = schema
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            let mut members = Vec::new();
            for (name, schema) in properties.into_iter().flatten() {
                let node = Node::of(schema, &format!("{path}.{}", name.escape_debug()))?;
                members.push(Member {
                    name: name.clone(),
                    node,
                    is_required: required.contains(name.as_str()),
                });
            }
            Ok(Kind::Object { members, is_open })
        }
        "" if is_open => Ok(Kind::Any),
        "" => Err(format!("{path}: its schema has no type")),
        other => Err(format!(
            "{path}: `{}` is not a type of Kubernetes",
            other.escape_debug()
        )),
    }
}
