//! Values from and to those of Rust, of serde and of `serde_json`.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeMap};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

use super::{Number, ParseNumberError, Value};
use crate::codec::json::write_string;

macro_rules! from_integers {
    ($($small:ty => $wide:ty),*) => {$(
        impl From<$small> for Number {
            fn from(integer: $small) -> Self {
                Self::from(<$wide>::from(integer))
            }
        }
    )*};
}

from_integers!(i8 => i64, i16 => i64, i32 => i64, u8 => u64, u16 => u64, u32 => u64);

impl TryFrom<f64> for Number {
    type Error = ParseNumberError;

    /// A whole float with all its digits, a fraction as its shortest decimal text says; refuses
    /// what is not finite.
    fn try_from(float: f64) -> Result<Self, ParseNumberError> {
        Self::from_f64(float).ok_or(ParseNumberError::NotANumber)
    }
}

impl TryFrom<f64> for Value {
    type Error = ParseNumberError;

    /// A whole float with all its digits, a fraction as its shortest decimal text says; refuses
    /// what is not finite.
    ///
    /// ```
    /// use upstate::Value;
    ///
    /// assert_eq!(Value::try_from(0.1)?.to_string(), "0.1");
    /// assert!(Value::try_from(f64::NAN).is_err());
    /// # Ok::<(), upstate::value::ParseNumberError>(())
    /// ```
    fn try_from(float: f64) -> Result<Self, ParseNumberError> {
        Number::try_from(float).map(Self::Number)
    }
}

macro_rules! from_numbers {
    ($($number:ty),*) => {$(
        impl From<$number> for Value {
            fn from(number: $number) -> Self {
                Self::Number(number.into())
            }
        }
    )*};
}

from_numbers!(Number, i8, i16, i32, i64, u8, u16, u32, u64);

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<Vec<Value>> for Value {
    fn from(elements: Vec<Value>) -> Self {
        Self::List(elements)
    }
}

impl From<BTreeMap<String, Value>> for Value {
    fn from(members: BTreeMap<String, Value>) -> Self {
        Self::Map(members)
    }
}

impl FromIterator<(String, Value)> for Value {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        Self::Map(members.into_iter().collect())
    }
}

/// Compact JSON with every digit, sensitive or not: a [`Value`] knows nothing of that. A value that
/// is not known shows as `(unknown)`, a dynamic one without its type.
///
/// ```
/// use upstate::Value;
///
/// let value = Value::from_untyped_json(br#"{"b": [1.50, null], "a": "\u00e9"}"#)?;
/// assert_eq!(value.to_string(), r#"{"a":"é","b":[1.5,null]}"#);
/// # Ok::<(), upstate::DecodeError>(())
/// ```
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Unknown => f.write_str("(unknown)"),
            Self::Bool(bool) => write!(f, "{bool}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::String(text) => quoted(text, f),
            Self::List(elements) => {
                f.write_str("[")?;
                for (index, element) in elements.iter().enumerate() {
                    write!(f, "{}{element}", if index == 0 { "" } else { "," })?;
                }
                f.write_str("]")
            }
            Self::Map(members) => {
                f.write_str("{")?;
                for (index, (name, member)) in members.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { "," })?;
                    quoted(name, f)?;
                    write!(f, ":{member}")?;
                }
                f.write_str("}")
            }
            Self::Dynamic(dynamic) => write!(f, "{}", dynamic.1),
        }
    }
}

fn quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_string(text, &mut out);
    f.write_str(&String::from_utf8_lossy(&out))
}

/// By what it is: a dynamic value is an object with `type` and `value`, as it is stored.
///
/// Refused is what would come back as something else: a value that is not known, and a number with
/// more digits than a 64-bit float tells apart. [`Value::encode`] writes every digit.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Unknown => Err(S::Error::custom("an unknown value cannot be stored")),
            Self::Bool(bool) => serializer.serialize_bool(*bool),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::List(elements) => serializer.collect_seq(elements),
            Self::Map(members) => serializer.collect_map(members),
            Self::Dynamic(dynamic) => {
                let (ty, value) = &**dynamic;
                let mut members = serializer.serialize_map(Some(2))?;
                members.serialize_entry("value", value)?;
                members.serialize_entry("type", ty)?;
                members.end()
            }
        }
    }
}

/// True if a float is this number both by all its digits and by its shortest text, which other
/// programs write.
fn is_float(number: &Number, float: f64) -> bool {
    Number::from_f64(float).as_ref() == Some(number)
        && float.to_string().parse().as_ref() == Ok(number)
}

/// A whole number of 64 bits as such, and any other as a float if that float's text is the number;
/// refused otherwise.
impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let float = self.to_f64();
        match (self.as_i64(), self.as_u64()) {
            (Some(int), _) => serializer.serialize_i64(int),
            (None, Some(int)) => serializer.serialize_u64(int),
            (None, None) if is_float(self, float) => serializer.serialize_f64(float),
            (None, None) => Err(S::Error::custom(
                "the number has more digits than a 64-bit float tells apart",
            )),
        }
    }
}

/// The value of a self-describing format, as it is: objects as maps, with names that are strings.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Untyped)
    }
}

struct Untyped;

/// The one member of the object that replaces a number if `serde_json` has its feature
/// `arbitrary_precision`, which any crate of a program may turn on.
const DIGITS: &str = "$serde_json::private::Number";

impl<'de> Visitor<'de> for Untyped {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("null, a bool, a number, a string, a list or a map")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Value::try_from(value)
            .map_err(|_| E::custom("a number that is not finite cannot be stored"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            list.push(element);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some((name, member)) = members.next_entry::<String, Value>()? {
            if name == DIGITS
                && let Value::String(digits) = &member
            {
                return digits.parse().map(Value::Number).map_err(A::Error::custom);
            }
            if map.insert(name, member).is_some() {
                return Err(A::Error::custom("a name is twice in one map"));
            }
        }
        Ok(Value::Map(map))
    }
}

impl TryFrom<Json> for Value {
    type Error = ParseNumberError;

    /// Objects as maps, numbers digit for digit; refuses a number of more digits than a [`Number`]
    /// has.
    ///
    /// ```
    /// use serde_json::json;
    /// use upstate::Value;
    ///
    /// let value = Value::try_from(json!({"ports": [80, 443], "weight": 0.1}))?;
    /// assert_eq!(value.to_string(), r#"{"ports":[80,443],"weight":0.1}"#);
    /// assert_eq!(serde_json::Value::try_from(&value)?, json!({"ports": [80, 443], "weight": 0.1}));
    ///
    /// let long = Value::from_untyped_json(b"0.1234567890123456789")?;
    /// let error = serde_json::Value::try_from(&long).unwrap_err();
    /// assert_eq!(error.to_string(), "the number has more digits than a 64-bit float tells apart");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn try_from(json: Json) -> Result<Self, ParseNumberError> {
        Ok(match json {
            Json::Null => Self::Null,
            Json::Bool(bool) => Self::Bool(bool),
            Json::Number(number) => Self::Number(number.to_string().parse()?),
            Json::String(text) => Self::String(text),
            Json::Array(elements) => Self::List(
                elements
                    .into_iter()
                    .map(Self::try_from)
                    .collect::<Result<_, _>>()?,
            ),
            Json::Object(members) => {
                let member = |(name, member)| Ok((name, Self::try_from(member)?));
                Self::Map(
                    members
                        .into_iter()
                        .map(member)
                        .collect::<Result<_, ParseNumberError>>()?,
                )
            }
        })
    }
}

impl TryFrom<&Value> for Json {
    type Error = serde_json::Error;

    /// As [`Value`] is serialized: what would not come back the same is refused.
    fn try_from(value: &Value) -> Result<Self, serde_json::Error> {
        serde_json::to_value(value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::{Number, Value};
    use crate::schema::Type;

    #[test]
    fn what_serde_writes_is_read_back_the_same() {
        let text = br#"{"a":[null,true,-7,18446744073709551615,0.1,1e20,"t"],"b":{},"c":[{"d":{"e":""}}]}"#;
        let value = Value::from_untyped_json(text).unwrap();
        let json = Json::try_from(&value).unwrap();
        assert_eq!(Value::try_from(json.clone()).unwrap(), value);
        assert_eq!(serde_json::from_value::<Value>(json).unwrap(), value);
        assert_eq!(serde_json::from_slice::<Value>(text).unwrap(), value);
        assert_eq!(
            serde_json::from_str::<Value>(&value.to_string()).unwrap(),
            value
        );
    }

    #[test]
    fn what_would_not_come_back_is_refused() {
        let long: Number = "0.1234567890123456789".parse().unwrap();
        for value in [
            Value::Unknown,
            long.into(),
            Value::List(vec![Value::Unknown]),
        ] {
            assert!(serde_json::to_value(&value).is_err(), "{value}");
        }
        assert!(serde_json::from_str::<Value>(r#"{"a":1,"a":2}"#).is_err());
    }

    #[test]
    fn a_dynamic_value_is_serialized_as_it_is_stored() {
        let value = Value::Dynamic(Box::new((Type::Number, Value::from(3))));
        assert_eq!(
            Json::try_from(&value).unwrap(),
            json!({"value": 3, "type": "number"})
        );
        assert_eq!(value.to_string(), "3");
    }

    #[test]
    fn every_integer_is_its_number() {
        assert_eq!(
            [Value::from(-1_i8), Value::from(-1_i64)].map(|value| value.to_string()),
            ["-1", "-1"]
        );
        assert_eq!(
            [Value::from(u64::MAX), Value::from(7_u16)].map(|value| value.to_string()),
            ["18446744073709551615", "7"]
        );
        assert_eq!(Value::try_from(-0.0).unwrap(), Value::from(0));
    }
}
