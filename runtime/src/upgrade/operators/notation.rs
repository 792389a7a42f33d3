//! Literals of the table as values, and as people read them.

use std::collections::BTreeMap;

use super::table::{Constant, Literal, Match};
use crate::codec::{Encoding, Writer};
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

/// The JSON of a constant.
pub(super) fn constant_json(constant: &Constant) -> String {
    match constant {
        Constant::Literal(literal) => literal.to_string(),
        Constant::Written(write) => {
            let mut out = Vec::new();
            write(&mut Writer::new(&mut out, Encoding::Json));
            String::from_utf8_lossy(&out).into_owned()
        }
    }
}
