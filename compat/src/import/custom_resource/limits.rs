//! The values that clients may write: what a definition says of them, in the words of a model that
//! says the same.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use upstate_words::lock::integers;

use super::shape::{Kind, Node};

type Limits = BTreeMap<String, Value>;

const STORED_INTEGER: &str = "stored integer";
const STORED_VALUES: &str = "stored values";

/// The limits of a place, as the model writes them if it has the same; without those that the type
/// implies, of a set or of an enum with data.
pub(super) fn of(node: &Node, (is_set, is_enum): (bool, bool), model: Option<&Limits>) -> Limits {
    let (scalar, depth) = innermost(node, 0);
    let each = if depth == 0 { "" } else { "each " };
    let mut limits = node.limits.clone();
    if is_set && limits.get("list type") == Some(&"set".into()) {
        limits.remove("list type");
    }
    if is_enum {
        limits.remove(&format!("{each}one_of"));
    }
    if let Kind::Integer { is_long } = scalar.kind {
        limits.insert(
            STORED_INTEGER.to_owned(),
            if is_long { "i64" } else { "i32" }.into(),
        );
    }
    // No model has limits for elements of elements, but their type has.
    let deep = scalar
        .limits
        .iter()
        .filter(|(name, _)| depth > 1 && ["range", "one_of"].contains(&name.as_str()));
    let deep: Limits = deep
        .map(|(name, value)| (format!("each {name}"), value.clone()))
        .collect();
    limits.extend(deep.clone());
    let comparable = Comparable::of(&limits, each);
    let nothing = Limits::new();
    let model = model.unwrap_or(&nothing);
    if comparable == Comparable::of(model, each) {
        return model.clone();
    }
    let values = if each.is_empty() {
        &comparable.own
    } else {
        &comparable.each
    };
    if let (Some(of_model), true) = (
        model.get(STORED_INTEGER),
        limits.contains_key(STORED_INTEGER),
    ) && values.are_within(of_model)
    {
        limits.insert(STORED_INTEGER.to_owned(), of_model.clone());
    }
    if let Some((least, greatest)) = limits.get(STORED_INTEGER).and_then(bounds) {
        let range = format!("{each}range");
        if let Some(Value::Object(ends)) = limits.get_mut(&range) {
            ends.retain(|end, limit| {
                limit.as_f64() != Some(if end == "min" { least } else { greatest })
            });
            if ends.is_empty() {
                limits.remove(&range);
            }
        }
    }
    if model.contains_key(STORED_VALUES)
        && let Some(values) = limits.remove(&format!("{each}one_of"))
    {
        limits.insert(STORED_VALUES.to_owned(), values);
    }
    limits.retain(|name, _| !deep.contains_key(name));
    let unknown = model.iter().filter(|(name, _)| !is_known(name));
    limits.extend(unknown.map(|(name, value)| (name.clone(), value.clone())));
    limits
}

/// The elements that have none themselves, and in how many collections they are.
fn innermost(node: &Node, depth: usize) -> (&Node, usize) {
    if let Kind::List(items) | Kind::Map(items) = &node.kind {
        innermost(items, depth + 1)
    } else {
        (node, depth)
    }
}

/// True if definitions have the limit.
fn is_known(name: &str) -> bool {
    let bare = name.strip_prefix("each ").unwrap_or(name);
    [
        "length",
        "range",
        "pattern",
        "one_of",
        STORED_INTEGER,
        STORED_VALUES,
        "list type",
    ]
    .contains(&bare)
}

/// Limits in a form in which those are equal that have one form in a definition.
#[derive(Debug, PartialEq, Default)]
struct Comparable {
    own: Values,
    each: Values,
    list_type: Option<Value>,
}

#[derive(Debug, PartialEq, Default)]
struct Values {
    shortest: Option<u64>,
    longest: Option<u64>,
    least: Option<f64>,
    greatest: Option<f64>,
    pattern: Option<Value>,
    one_of: Option<BTreeSet<String>>,
}

impl Comparable {
    /// `each` is where the limits are that a type implies.
    fn of(limits: &Limits, each: &str) -> Self {
        let mut comparable = Self {
            list_type: limits.get("list type").cloned(),
            ..Self::default()
        };
        for (prefix, values) in [("", &mut comparable.own), ("each ", &mut comparable.each)] {
            let get = |name: &str| limits.get(&format!("{prefix}{name}"));
            let end = |name: &str, end: &str| {
                get(name)
                    .and_then(Value::as_object)
                    .and_then(|ends: &Map<_, _>| ends.get(end))
            };
            values.shortest = end("length", "min")
                .and_then(Value::as_u64)
                .filter(|least| *least > 0);
            values.longest = end("length", "max").and_then(Value::as_u64);
            values.least = end("range", "min").and_then(Value::as_f64);
            values.greatest = end("range", "max").and_then(Value::as_f64);
            values.pattern = get("pattern").cloned();
            let is_here = prefix == each;
            let texts = |values: &Value| {
                values
                    .as_array()
                    .map(|values| values.iter().map(Value::to_string).collect())
            };
            values.one_of = get("one_of")
                .or_else(|| limits.get(STORED_VALUES).filter(|_| is_here))
                .and_then(texts);
            if let Some((least, greatest)) = limits
                .get(STORED_INTEGER)
                .filter(|_| is_here)
                .and_then(bounds)
            {
                values.least = Some(values.least.map_or(least, |other| other.max(least)));
                values.greatest = Some(
                    values
                        .greatest
                        .map_or(greatest, |other| other.min(greatest)),
                );
            }
        }
        comparable
    }
}

impl Values {
    fn are_within(&self, integer: &Value) -> bool {
        bounds(integer).is_some_and(|(least, greatest)| {
            self.least.is_some_and(|own| own >= least)
                && self.greatest.is_some_and(|own| own <= greatest)
        })
    }
}

/// The least and the greatest value of an integer type. A limit near that of an `i64` is as close
/// as two floats can be.
#[expect(clippy::cast_precision_loss, reason = "both sides lose the same")]
fn bounds(integer: &Value) -> Option<(f64, f64)> {
    let (least, greatest) = integers(integer.as_str()?.as_bytes())?;
    Some((least as f64, greatest as f64))
}
