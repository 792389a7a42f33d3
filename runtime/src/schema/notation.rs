//! The JSON notation of types: `"string"`, `["list","number"]`, `["object",{"port":"number"}]`.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeMap, SerializeTuple, Serializer};
use serde_json::Value as Json;
use upstate_words::lock::Notation;

use super::{Field, Tagging, Type, UnionType};

/// The number of types that may be nested in one another in a notation.
const MAX_DEPTH: usize = 64;

/// The error for a string that is not the notation of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeNotationError(String);

__error!(TypeNotationError | self | "not a type notation: {}", self.0);

pub(super) fn parse(notation: &str) -> Result<Type, TypeNotationError> {
    let json: Json =
        serde_json::from_str(notation).map_err(|error| TypeNotationError(error.to_string()))?;
    from_json(&json, 0)
}

impl Type {
    /// The type as locks have it.
    #[doc(hidden)]
    pub fn notation(&self) -> Notation<'_> {
        match self {
            Self::Bool => Notation::Bool,
            Self::String => Notation::String,
            Self::Number => Notation::Number,
            Self::Dynamic => Notation::Dynamic,
            Self::List(element) => Notation::List(Box::new(element.notation())),
            Self::Set(element) => Notation::Set(Box::new(element.notation())),
            Self::Map(element) => Notation::Map(Box::new(element.notation())),
            Self::Tuple(elements) => {
                Notation::Tuple(elements.iter().map(|element| element.notation()).collect())
            }
            Self::Object(fields) => Notation::Object(members(fields), Vec::new()),
            Self::Json => Notation::Json,
            Self::Union(union) => {
                Notation::Union(Cow::Borrowed(union.tagging()), members(union.variants()))
            }
        }
    }
}

fn members(fields: &[Field]) -> Vec<(Cow<'_, str>, Notation<'_>)> {
    fields
        .iter()
        .map(|field| (Cow::Borrowed(field.name()), field.ty().notation()))
        .collect()
}

fn from_json(json: &Json, depth: usize) -> Result<Type, TypeNotationError> {
    let refuse = |why: String| Err(TypeNotationError(why));
    if depth > MAX_DEPTH {
        return refuse(format!("more than {MAX_DEPTH} types inside one another"));
    }
    let parts = match json {
        Json::String(name) => {
            return match name.as_str() {
                "bool" => Ok(Type::Bool),
                "string" => Ok(Type::String),
                "number" => Ok(Type::Number),
                "dynamic" => Ok(Type::Dynamic),
                "json" => Ok(Type::Json),
                other => refuse(format!(
                    "`{other}` is not one of `string`, `number`, `bool`, `dynamic`"
                )),
            };
        }
        Json::Array(parts) => parts,
        other @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_)) => {
            return refuse(format!("expected a name or an array, found `{other}`"));
        }
    };
    let element = |json: &Json| from_json(json, depth + 1);
    match parts.as_slice() {
        [Json::String(kind), of] if kind == "list" => Ok(Type::list(element(of)?)),
        [Json::String(kind), of] if kind == "set" => Ok(Type::set(element(of)?)),
        [Json::String(kind), of] if kind == "map" => Ok(Type::map(element(of)?)),
        [Json::String(kind), Json::Array(of)] if kind == "tuple" => Ok(Type::tuple(
            of.iter().map(element).collect::<Result<Vec<_>, _>>()?,
        )),
        // A third part lists optional attributes; that concerns constraints, never stored values.
        [Json::String(kind), Json::Object(of)]
        | [Json::String(kind), Json::Object(of), Json::Array(_)]
            if kind == "object" =>
        {
            let fields = of
                .iter()
                .map(|(name, ty)| Ok(Field::new(name.as_str(), element(ty)?)));
            Ok(Type::object(fields.collect::<Result<Vec<_>, _>>()?))
        }
        [
            Json::String(kind),
            Json::String(tagging),
            Json::Array(variants),
        ] if kind == "union" => {
            if Tagging::parse(tagging).is_none() {
                return refuse(format!(
                    "`{tagging}` is not one of `external`, `internal TAG`, `adjacent TAG CONTENT` and `untagged`"
                ));
            }
            let variant = |variant: &Json| match variant.as_array().map(Vec::as_slice) {
                Some([Json::String(name), ty]) => Ok(Field::new(name.as_str(), element(ty)?)),
                _ => refuse_variant(),
            };
            let variants = variants
                .iter()
                .map(variant)
                .collect::<Result<Vec<_>, _>>()?;
            Ok(Type::Union(
                UnionType::new(tagging.as_str(), variants).into(),
            ))
        }
        [Json::String(kind), ..] => refuse(format!(
            "`{kind}` is not one of `list`, `set`, `map`, `tuple`, `object` with what belongs to it"
        )),
        _ => refuse(
            "an array has to begin with `list`, `set`, `map`, `tuple` or `object`".to_owned(),
        ),
    }
}

fn refuse_variant<T>() -> Result<T, TypeNotationError> {
    Err(TypeNotationError(
        "a variant is an array of its name and its type".to_owned(),
    ))
}

impl Serialize for Type {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fn pair<S: Serializer>(
            serializer: S,
            kind: &str,
            of: &impl Serialize,
        ) -> Result<S::Ok, S::Error> {
            let mut pair = serializer.serialize_tuple(2)?;
            pair.serialize_element(kind)?;
            pair.serialize_element(of)?;
            pair.end()
        }
        struct Fields<'a>(&'a [Field]);
        impl Serialize for Fields<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(Some(self.0.len()))?;
                for field in self.0 {
                    map.serialize_entry(field.name(), field.ty())?;
                }
                map.end()
            }
        }
        struct Variants<'a>(&'a [Field]);
        impl Serialize for Variants<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self.0.iter().map(|variant| (variant.name(), variant.ty())))
            }
        }
        match self {
            Self::Bool => serializer.serialize_str("bool"),
            Self::String => serializer.serialize_str("string"),
            Self::Number => serializer.serialize_str("number"),
            Self::Dynamic => serializer.serialize_str("dynamic"),
            Self::List(element) => pair(serializer, "list", &**element),
            Self::Set(element) => pair(serializer, "set", &**element),
            Self::Map(element) => pair(serializer, "map", &**element),
            Self::Tuple(elements) => pair(
                serializer,
                "tuple",
                &elements
                    .iter()
                    .map(|element| &**element)
                    .collect::<Vec<_>>(),
            ),
            Self::Object(fields) => pair(serializer, "object", &Fields(fields)),
            Self::Json => serializer.serialize_str("json"),
            Self::Union(union) => {
                let mut parts = serializer.serialize_tuple(3)?;
                parts.serialize_element("union")?;
                parts.serialize_element(union.tagging())?;
                parts.serialize_element(&Variants(union.variants()))?;
                parts.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Type {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_json(&Json::deserialize(deserializer)?, 0).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notation_round_trips_sorted_and_without_blanks() {
        let text = r#"["object",{"a":["tuple",["string","bool"]],"b":["map",["set","number"]],"z":"dynamic"}]"#;
        let spaced = r#"["object", {"z": "dynamic", "b": ["map", ["set", "number"]], "a": ["tuple", ["string", "bool"]]}]"#;
        assert_eq!(parse(spaced).unwrap().to_string(), text);
        assert_eq!(serde_json::to_string(&parse(text).unwrap()).unwrap(), text);
        assert_eq!(
            serde_json::from_str::<Type>(text).unwrap(),
            parse(text).unwrap()
        );
        let union =
            r#"["union","adjacent t c",[["b",["tuple",[]]],["a",["object",{"x":"json"}]]]]"#;
        assert_eq!(parse(union).unwrap().to_string(), union);
        assert_eq!(
            serde_json::to_string(&parse(union).unwrap()).unwrap(),
            union
        );
    }

    #[test]
    fn what_is_no_notation_is_refused_with_the_reason() {
        for (text, reason) in [
            ("\"int\"", "`int` is not one of"),
            ("[\"list\"]", "`list` is not one of"),
            ("[\"list\",\"string\",\"string\"]", "`list` is not one of"),
            ("[]", "an array has to begin with"),
            ("7", "expected a name or an array"),
            ("\"string\" x", "trailing characters"),
            ("[\"object\",[\"string\"]]", "`object` is not one of"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
        let deep = "[\"list\",".repeat(100) + "\"string\"" + &"]".repeat(100);
        assert!(
            parse(&deep)
                .unwrap_err()
                .to_string()
                .contains("inside one another")
        );
    }
}
