//! JSON that is the same text in every program.

use std::fmt;

use serde::ser::{Serialize, Serializer};
use serde_json::Value as Json;

/// A document with its members in the order of their names, and its numbers as a 64-bit integer or
/// float has them.
///
/// What is hashed or saved is written so: any crate of a program may turn on `preserve_order` or
/// `arbitrary_precision`, and then `serde_json` itself writes the same document otherwise.
#[derive(Debug, Clone, Copy)]
pub struct Canonical<'a>(pub &'a Json);

impl Serialize for Canonical<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(bool) => serializer.serialize_bool(*bool),
            Json::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(int), _, _) => serializer.serialize_i64(int),
                (None, Some(int), _) => serializer.serialize_u64(int),
                (None, None, Some(float)) => serializer.serialize_f64(float),
                // With `arbitrary_precision`, a number may be beyond every float; null is written
                // for it, as `serde_json` writes an infinite float.
                (None, None, None) => serializer.serialize_unit(),
            },
            Json::String(text) => serializer.serialize_str(text),
            Json::Array(elements) => serializer.collect_seq(elements.iter().map(Canonical)),
            Json::Object(members) => {
                let mut members: Vec<(&str, Canonical<'_>)> = members
                    .iter()
                    .map(|(name, value)| (name.as_str(), Canonical(value)))
                    .collect();
                members.sort_unstable_by_key(|(name, _)| *name);
                serializer.collect_map(members)
            }
        }
    }
}

/// Compact.
impl fmt::Display for Canonical<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::Canonical;

    /// `.ci/run` runs this with `preserve_order` and `arbitrary_precision` too, without which
    /// nothing here can go wrong.
    #[test]
    fn the_order_in_which_members_were_added_does_not_show() {
        let one = json!({"b": [{"y": 1, "x": {"é": null, "e": true}}], "a": "t", "B": {}});
        let other = json!({"B": {}, "a": "t", "b": [{"x": {"e": true, "é": null}, "y": 1}]});
        let text = r#"{"B":{},"a":"t","b":[{"x":{"e":true,"é":null},"y":1}]}"#;
        assert_eq!(
            [&one, &other].map(|json| Canonical(json).to_string()),
            [text, text]
        );
    }

    #[test]
    fn a_number_is_what_64_bits_have_of_it() {
        for (read, written) in [
            ("7", "7"),
            ("-7", "-7"),
            ("18446744073709551615", "18446744073709551615"),
            ("1.50", "1.5"),
            ("1e2", "100.0"),
            ("123456789012345678901234567890", "1.2345678901234568e+29"),
        ] {
            let json: Json = serde_json::from_str(read).unwrap();
            assert_eq!(Canonical(&json).to_string(), written);
        }
    }
}
