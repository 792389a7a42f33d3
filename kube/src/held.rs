//! JSON compared with a value that it should be, without making a second value of it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Number, Value};

use crate::value::is_same;

/// True if JSON holds a value, and no more than nulls beside it; what is false may still be the
/// same once nulls are pruned and defaults applied.
pub(crate) fn is_held(value: &Value, json: &str) -> bool {
    let mut reader = serde_json::Deserializer::from_str(json);
    Held(Some(value)).deserialize(&mut reader).is_ok() && reader.end().is_ok()
}

/// The value for JSON to be; nothing, where only null may be.
struct Held<'v>(Option<&'v Value>);

#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

fn decided<E: Error>(is_held: bool) -> Result<(), E> {
    // It is never shown.
    if is_held { Ok(()) } else { Err(E::custom("")) }
}

impl Held<'_> {
    fn number<E: Error>(&self, number: Option<Number>) -> Result<(), E> {
        decided(number.is_some_and(|number| {
            self.0
                .is_some_and(|value| is_same(value, &Value::Number(number)))
        }))
    }
}

impl<'de> DeserializeSeed<'de> for Held<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Held<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<(), E> {
        decided(self.0 == Some(&Value::Bool(flag)))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.number(Some(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.number(Some(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.number(Number::from_f64(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        decided(self.0.and_then(Value::as_str) == Some(text))
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        decided(self.0.is_none_or(Value::is_null))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some(Value::Object(members)) = self.0 else {
            return decided(false);
        };
        let mut found = 0;
        while let Some(Name(name)) = map.next_key()? {
            let member = members.get(&*name);
            found += usize::from(member.is_some());
            map.next_value_seed(Held(member))?;
        }
        decided(found == members.len())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Some(Value::Array(elements)) = self.0 else {
            return decided(false);
        };
        for element in elements {
            if seq.next_element_seed(Held(Some(element)))?.is_none() {
                return decided(false);
            }
        }
        decided(seq.next_element::<IgnoredAny>()?.is_none())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_held;

    #[test]
    fn json_holds_a_value_if_all_else_in_it_is_null() {
        let boat =
            json!({"name": "a\n", "length": 7, "masts": [{"height": 1.5}, null], "is_new": true});
        let same = r#"{"is_new":true,"masts":[{"height":1.5,"flag":null},null],"length":7.0,"name":"a\n","hull":null}"#;
        assert!(is_held(&boat, same));
        let differ = [
            r#"{"is_new":true,"masts":[{"height":1.5},null],"length":7}"#,
            r#"{"is_new":true,"masts":[{"height":1.5},null],"length":7,"name":"a"}"#,
            r#"{"is_new":true,"masts":[{"height":1.5}],"length":7,"name":"a\n"}"#,
            r#"{"is_new":true,"masts":[{"height":1.5},null,1],"length":7,"name":"a\n"}"#,
            r#"{"is_new":true,"masts":[{"height":1.5},null],"length":7,"name":"a\n","hull":1}"#,
            r#"{"is_new":true,"masts":[{"height":1.5},null],"length":8,"name":"a\n"}"#,
            r#"{"is_new":true,"masts":{},"length":7,"name":"a\n"}"#,
            "[]",
            "null",
        ];
        for other in differ {
            assert!(!is_held(&boat, other), "{other}");
        }
    }
}
