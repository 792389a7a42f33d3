//! Literals and patterns of the table as values, as people read them, and as the lock hashes them.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::table::{Literal, Match, OptionalPart, Piece};
use crate::value::Value;

/// The value of a literal.
pub(super) fn literal_value(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(bool) => Value::Bool(*bool),
        Literal::Number(digits) => digits.parse().map_or(Value::Null, Value::Number),
        Literal::String(text) => Value::from(*text),
        Literal::EmptyList => Value::List(Vec::new()),
        Literal::EmptyMap => Value::Map(BTreeMap::new()),
    }
}

pub(super) fn matches_text(these: &[Match]) -> String {
    let one = |this: &Match| match this {
        Match::Literal(literal) => literal.to_string(),
        Match::Empty => "empty".to_owned(),
    };
    these.iter().map(one).collect::<Vec<_>>().join(", ")
}

pub(super) fn literal_json(literal: &Literal) -> Json {
    match literal_value(literal) {
        Value::Bool(bool) => Json::Bool(bool),
        Value::String(text) => Json::String(text),
        Value::List(_) => json!([]),
        Value::Map(_) => json!({}),
        Value::Number(number) => serde_json::from_str(&number.to_string()).unwrap_or_default(),
        Value::Null | Value::Unknown | Value::Dynamic(_) => Json::Null,
    }
}

pub(super) fn matches_json(these: &[Match]) -> Json {
    let one = |this: &Match| match this {
        Match::Literal(literal) => literal_json(literal),
        Match::Empty => json!({"is": "empty"}),
    };
    these.iter().map(one).collect()
}

pub(super) fn pattern_json(pieces: &[Piece]) -> Json {
    let one = |piece: &Piece| match piece {
        Piece::Text(text) => json!({"text": text}),
        Piece::Part(name) => json!({"part": name}),
        Piece::Rest(name) => json!({"rest": name}),
        Piece::Optional(OptionalPart { name, rest, sign, leads, default }) => {
            let [kind, place] = [if *rest { "rest" } else { "part" }, if *leads { "behind" } else { "before" }];
            json!({kind: name, "default": default, place: sign})
        }
    };
    pieces.iter().map(one).collect()
}
