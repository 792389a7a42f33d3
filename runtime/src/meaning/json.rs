//! JSON in a string.

use std::fmt;
use std::str::FromStr;

use super::InvalidText;
use crate::value::Value;

/// JSON: white space, the order of names and the way a number is written mean nothing. It holds
/// names in order, and no white space.
///
/// Numbers keep all of their digits. Strings that mean the same compare equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JsonText(String);

impl JsonText {
    /// The JSON, names in order and without white space.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The JSON as another crate's type.
    ///
    /// # Errors
    /// It is not a `T`.
    pub fn read<'j, T: serde::Deserialize<'j>>(&'j self) -> serde_json::Result<T> {
        serde_json::from_str(&self.0)
    }

    /// The JSON of another crate's type.
    ///
    /// # Errors
    /// The value has no form in JSON.
    pub fn write<T: serde::Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        let json = serde_json::to_string(value)?;
        json.parse().map_err(serde::ser::Error::custom)
    }
}

impl FromStr for JsonText {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        // The text is read and written again, because a value must have only one text.
        Value::from_untyped_json(text.as_bytes())
            .map(|value| Self(value.to_string()))
            .map_err(|_| InvalidText::new("JSON"))
    }
}

impl fmt::Display for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_the_same_is_written_in_one_way() {
        let long = "123456789012345678901234567890.5";
        for (text, written) in [
            (
                " { \"b\" : [ 1 , 2.50 ] , \"a\" : \"\\u0041\\n\" } ".to_owned(),
                r#"{"a":"A\n","b":[1,2.5]}"#.to_owned(),
            ),
            ("1e2".to_owned(), "100".to_owned()),
            (long.to_owned(), long.to_owned()),
            ("null".to_owned(), "null".to_owned()),
            ("{}".to_owned(), "{}".to_owned()),
        ] {
            assert_eq!(
                text.parse::<JsonText>().unwrap().as_str(),
                written,
                "{text}"
            );
        }
        for text in ["", "{", "{\"a\":}", "nul", "1 2"] {
            assert_eq!(
                text.parse::<JsonText>(),
                Err(InvalidText::new("JSON")),
                "{text}"
            );
        }
        assert!("[".repeat(100_000).parse::<JsonText>().is_err());
    }

    #[test]
    fn it_is_made_of_other_types_and_read_as_them() {
        let text =
            JsonText::write(&std::collections::BTreeMap::from([("b", 1), ("a", 2)])).unwrap();
        assert_eq!(text.as_str(), r#"{"a":2,"b":1}"#);
        assert_eq!(text.read::<serde_json::Value>().unwrap()["b"], 1);
    }
}
