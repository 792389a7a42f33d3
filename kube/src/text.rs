//! Values as text, the same bytes wherever it is written: members are sorted here, since
//! `serde_json` keeps their order where any crate of the program asks for it.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Members of a JSON object that is made.
pub(crate) trait Put {
    fn put(&mut self, name: &str, value: impl Into<Value>);
}

impl Put for Map<String, Value> {
    fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.insert(name.to_owned(), value.into());
    }
}

struct Sorted<'v>(&'v Value);

impl Serialize for Sorted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(members) => {
                let members: BTreeMap<&str, Sorted<'_>> = members
                    .iter()
                    .map(|(name, value)| (name.as_str(), Sorted(value)))
                    .collect();
                members.serialize(serializer)
            }
            Value::Array(elements) => serializer.collect_seq(elements.iter().map(Sorted)),
            value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                value.serialize(serializer)
            }
        }
    }
}

/// JSON in lines.
pub(crate) fn json(value: &Value) -> String {
    // A value has string keys and finite numbers, so that it can always be written.
    let mut text = serde_json::to_string_pretty(&Sorted(value)).unwrap_or_default();
    text.push('\n');
    text
}

/// JSON in one line.
pub(crate) fn compact(value: &Value) -> String {
    serde_json::to_string(&Sorted(value)).unwrap_or_default()
}

/// YAML.
pub(crate) fn yaml(value: &Value) -> String {
    let mut text = serde_saphyr::to_string(&Sorted(value)).unwrap_or_default();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
