//! The flat form in which Terraform 0.11 and before stored state: dotted keys, text values.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Bound;

use super::Value;
use crate::codec::scalar;
use crate::schema::{Field, Members, Nesting, Node, Shared, Type};

/// The string for a value that is not known yet.
const UNKNOWN: &str = "74D93920-ED26-11E3-AC10-0800200C9A66";

/// The number of values that may be made of a flat state without keys, and the number of more
/// values for each key: counts are text, so a short state can ask for any number.
const MAX_VALUES: (usize, usize) = (10_000, 100);

/// The reason why flat state is not a value of a type. Names the key, never a stored value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlatmapError {
    key: String,
    what: What,
    why: String,
}

/// The part that is wrong at a key: its value, its count, or the attribute itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Value,
    Count,
    Attribute,
}

impl FlatmapError {
    /// The key concerned.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The text that is not a value of its type, if the error is one of a value.
    pub(crate) fn text_in<'m>(&self, map: &'m BTreeMap<String, String>) -> Option<&'m str> {
        match self.what {
            What::Value => map.get(&self.key).map(String::as_str),
            What::Count | What::Attribute => None,
        }
    }

    /// The error; if anything below the attribute may be sensitive, it names the attribute in place
    /// of the whole key.
    pub(crate) fn redacted(mut self, members: Members<'_>) -> Self {
        let attribute = self.key.split('.').next().unwrap_or_default();
        if members.hides_below(attribute) {
            self.key = attribute.to_owned();
        }
        self
    }
}

impl fmt::Display for FlatmapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, why, .. } = self;
        match self.what {
            What::Value => write!(f, "invalid value for \"{key}\" in state: {why}"),
            What::Count => write!(f, "invalid count value for \"{key}.\" in state: {why}"),
            What::Attribute if key.is_empty() => f.write_str(why),
            What::Attribute => write!(f, "the attribute \"{key}\" {why}"),
        }
    }
}

impl std::error::Error for FlatmapError {}

type Result<T> = std::result::Result<T, FlatmapError>;

impl Value {
    /// Reads flat state as an object of type `ty`.
    ///
    /// # Errors
    /// Names the key whose value or count does not fit.
    pub fn from_flatmap(map: &BTreeMap<String, String>, ty: &Type) -> Result<Self> {
        Self::read_flatmap(map, ty).map(|(value, _)| value)
    }

    /// The value, and the keys that are not part of it: no type has them, or a count leaves them
    /// out.
    pub(crate) fn read_flatmap<'m>(
        map: &'m BTreeMap<String, String>,
        ty: &Type,
    ) -> Result<(Self, Vec<&'m str>)> {
        let left = MAX_VALUES
            .0
            .saturating_add(map.len().saturating_mul(MAX_VALUES.1));
        let mut decoder = Decoder {
            map,
            left,
            read: BTreeSet::new(),
        };
        let Type::Object(fields) = ty else {
            return Err(error(
                What::Attribute,
                "",
                format!("flat state is read as an object, not as {}", ty.noun()),
            ));
        };
        let value = decoder.object(fields, "")?;
        let unread = map
            .keys()
            .map(String::as_str)
            .filter(|key| !decoder.read.contains(key))
            .collect();
        Ok((value, unread))
    }

    /// The mistakes of flat state that is not a value of a type: the first of each attribute, or
    /// `error` alone if it is about the whole.
    #[cold]
    pub(crate) fn flat_mistakes(
        map: &BTreeMap<String, String>,
        ty: &Type,
        error: FlatmapError,
    ) -> Vec<FlatmapError> {
        let Type::Object(fields) = ty else {
            return vec![error];
        };
        let left = MAX_VALUES
            .0
            .saturating_add(map.len().saturating_mul(MAX_VALUES.1));
        // One for all, as where the whole is read, because the count of each attribute could ask
        // for as many values again.
        let mut decoder = Decoder {
            map,
            left,
            read: BTreeSet::new(),
        };
        let mut found = Vec::new();
        for field in fields.iter() {
            found.extend(decoder.object(std::slice::from_ref(field), "").err());
            // Every other attribute would be one too many, which says nothing about it.
            if decoder.left == 0 {
                break;
            }
        }
        if found.contains(&error) {
            found
        } else {
            vec![error]
        }
    }

    /// The object that flat state is, by the schema of its version. The flat form has no null: an
    /// optional nested object of which nothing is stored is null, as in JSON that does not have it.
    pub(crate) fn read_flat_object<'m>(
        map: &'m BTreeMap<String, String>,
        ty: &Type,
        members: Members<'_>,
    ) -> Result<(Self, Vec<&'m str>)> {
        let (mut value, unread) = Self::read_flatmap(map, ty)?;
        without_nothing(&mut value, members);
        Ok((value, unread))
    }

    /// Writes the object as flat state; null gives no map.
    ///
    /// # Errors
    /// Names the key of a dynamic value, which the flat form cannot hold.
    pub fn to_flatmap(&self, ty: &Type) -> Result<Option<BTreeMap<String, String>>> {
        let (Self::Map(members), Type::Object(fields)) = (self, ty) else {
            return if self.is_null() {
                Ok(None)
            } else {
                Err(error(
                    What::Attribute,
                    "",
                    "only an object can be written as flat state",
                ))
            };
        };
        let mut map = BTreeMap::new();
        write_object(members, fields, "", &mut map)?;
        Ok(Some(map))
    }
}

/// Makes nested objects null that may be and of which nothing is stored, from the inside out.
fn without_nothing(object: &mut Value, members: Members<'_>) {
    let Value::Map(object) = object else { return };
    for (name, value) in object {
        let Some(node) = members.get(name) else {
            continue;
        };
        let Some((inner, nesting, _)) = node.objects() else {
            continue;
        };
        let objects: Vec<&mut Value> = match (nesting, &mut *value) {
            (Nesting::Single, object) => vec![object],
            (Nesting::List | Nesting::Set, Value::List(list)) => list.iter_mut().collect(),
            (Nesting::Map, Value::Map(map)) => map.values_mut().collect(),
            (Nesting::List | Nesting::Set | Nesting::Map, _) => Vec::new(),
        };
        for object in objects {
            without_nothing(object, inner);
        }
        let may_be_null = match node {
            Node::Attribute(attribute) => attribute.is_nullable(),
            Node::Block(_) => true,
        };
        if may_be_null
            && matches!(nesting, Nesting::Single)
            && matches!(value, Value::Map(object) if object.values().all(Value::is_null))
        {
            *value = Value::Null;
        }
    }
}

fn error(what: What, key: &str, why: impl Into<String>) -> FlatmapError {
    FlatmapError {
        key: key.to_owned(),
        what,
        why: why.into(),
    }
}

#[cold]
fn too_many(key: &str) -> FlatmapError {
    error(What::Count, key, "far more elements than there are keys")
}

struct Decoder<'m> {
    map: &'m BTreeMap<String, String>,
    /// The number of values that may still be made.
    left: usize,
    /// The keys that are part of a value.
    read: BTreeSet<&'m str>,
}

impl<'m> Decoder<'m> {
    fn get(&mut self, key: &str) -> Option<&'m str> {
        let (key, text) = self.map.get_key_value(key)?;
        self.read.insert(key);
        Some(text)
    }

    /// The count of a collection, or the mark that it is not known, which is at `key` or at the
    /// count.
    fn count_text(&mut self, key: &str, sign: &str) -> Option<&'m str> {
        if self.map.get(key).is_some_and(|text| text == UNKNOWN) {
            self.get(key)
        } else {
            self.get(&format!("{key}.{sign}"))
        }
    }

    /// The keys that begin with `prefix`, what follows it, and their values.
    fn under<'p>(&self, prefix: &'p str) -> impl Iterator<Item = (&'m str, &'m str)> + use<'m, 'p> {
        self.map
            .range::<str, _>((Bound::Included(prefix), Bound::Unbounded))
            .map_while(move |(key, value)| {
                key.strip_prefix(prefix).map(|rest| (rest, value.as_str()))
            })
    }

    fn value(&mut self, ty: &Type, key: &str) -> Result<Value> {
        self.left = self.left.checked_sub(1).ok_or_else(|| too_many(key))?;
        match ty {
            Type::Bool | Type::String | Type::Number => match self.get(key) {
                None => Ok(Value::Null),
                Some(UNKNOWN) => Ok(Value::Unknown),
                Some(text) => primitive(ty, text, key),
            },
            Type::Object(fields) => self.object(fields, &format!("{key}.")),
            Type::List(element) => match self.count(key)? {
                Count::Known(count) => {
                    let read = |index| self.value(element, &format!("{key}.{index}"));
                    (0..count).map(read).collect::<Result<_>>().map(Value::List)
                }
                Count::Value(value) => Ok(value),
            },
            Type::Tuple(types) => match self.count(key)? {
                Count::Known(count) if count == types.len() => {
                    let read = |(index, ty): (usize, &Shared<Type>)| {
                        self.value(ty, &format!("{key}.{index}"))
                    };
                    types
                        .iter()
                        .enumerate()
                        .map(read)
                        .collect::<Result<_>>()
                        .map(Value::List)
                }
                Count::Known(count) => Err(error(
                    What::Count,
                    key,
                    format!("expected {} elements, found {count}", types.len()),
                )),
                Count::Value(value) => Ok(value),
            },
            Type::Set(element) => self.set(element, key),
            Type::Map(element) => self.map(element, key),
            Type::Dynamic => Err(error(
                What::Attribute,
                key,
                "is dynamic, which flat state cannot hold",
            )),
            Type::Json | Type::Union(_) => Err(error(
                What::Attribute,
                key,
                "is of documents, and flat state is Terraform's",
            )),
        }
    }

    fn object(&mut self, fields: &[Field], prefix: &str) -> Result<Value> {
        let mut members = BTreeMap::new();
        for field in fields {
            members.insert(
                field.name().to_owned(),
                self.value(field.ty(), &format!("{prefix}{}", field.name()))?,
            );
        }
        Ok(Value::Map(members))
    }

    fn count(&mut self, key: &str) -> Result<Count> {
        let text = match self.count_text(key, "#") {
            Some(UNKNOWN) => return Ok(Count::Value(Value::Unknown)),
            None => return Ok(Count::Value(Value::Null)),
            Some(text) => text,
        };
        let count = text
            .parse::<i64>()
            .ok()
            .and_then(|count| usize::try_from(count).ok());
        let Some(count) = count else {
            return Err(error(What::Count, key, "expected a whole number from 0 on"));
        };
        if count > self.left {
            return Err(too_many(key));
        }
        Ok(Count::Known(count))
    }

    fn set(&mut self, element: &Type, key: &str) -> Result<Value> {
        let count = match self.count_text(key, "#") {
            Some(UNKNOWN) => return Ok(Value::Unknown),
            None => return Ok(Value::Null),
            Some(count) => count,
        };
        let prefix = format!("{key}.");
        // The segments are hash codes of old; they only tell the members apart.
        let segments: BTreeSet<&str> = self
            .under(&prefix)
            .map(|(rest, _)| rest.split_once('.').map_or(rest, |(segment, _)| segment))
            .filter(|segment| *segment != "#")
            .collect();
        let mut members = segments
            .into_iter()
            .map(|segment| self.value(element, &format!("{prefix}{segment}")))
            .collect::<Result<Vec<_>>>()?;
        if members.is_empty() && count == "1" {
            members.push(match element {
                Type::Object(fields) => self.object(fields, "\0.")?,
                Type::List(_) | Type::Set(_) => Value::List(Vec::new()),
                Type::Map(_) => Value::Map(BTreeMap::new()),
                Type::Bool
                | Type::String
                | Type::Number
                | Type::Dynamic
                | Type::Tuple(_)
                | Type::Json
                | Type::Union(_) => Value::Null,
            });
        }
        super::set::normalize(&mut members);
        Ok(Value::List(members))
    }

    fn map(&mut self, element: &Type, key: &str) -> Result<Value> {
        match self.count_text(key, "%") {
            Some(UNKNOWN) => return Ok(Value::Unknown),
            None => return Ok(Value::Null),
            Some(_) => {}
        }
        if !matches!(element, Type::Bool | Type::String | Type::Number) {
            return Err(error(
                What::Attribute,
                key,
                format!(
                    "is a map of {}, which flat state cannot tell apart",
                    element.noun()
                ),
            ));
        }
        let prefix = format!("{key}.");
        let entries: Vec<_> = self
            .under(&prefix)
            .filter(|(rest, _)| *rest != "%")
            .collect();
        let entry = |(rest, text): (&str, &str)| {
            self.get(&format!("{prefix}{rest}"));
            let value = if text == UNKNOWN {
                Value::Unknown
            } else {
                primitive(element, text, &format!("{prefix}{rest}"))?
            };
            Ok((rest.to_owned(), value))
        };
        entries
            .into_iter()
            .map(entry)
            .collect::<Result<BTreeMap<_, _>>>()
            .map(Value::Map)
    }
}

enum Count {
    Known(usize),
    /// The list as a whole is null or unknown.
    Value(Value),
}

fn primitive(ty: &Type, text: &str, key: &str) -> Result<Value> {
    let value = match ty {
        Type::Bool => scalar::parse_bool(text, false).map(Value::Bool),
        Type::Number => scalar::parse_number(text).map(Value::Number),
        Type::String
        | Type::Dynamic
        | Type::List(_)
        | Type::Set(_)
        | Type::Map(_)
        | Type::Tuple(_)
        | Type::Json
        | Type::Union(_)
        | Type::Object(_) => Ok(text.into()),
    };
    value.map_err(|problem| error(What::Value, key, problem.to_string()))
}

fn write_object(
    members: &BTreeMap<String, Value>,
    fields: &[Field],
    prefix: &str,
    map: &mut BTreeMap<String, String>,
) -> Result<()> {
    for field in fields {
        let value = members.get(field.name()).unwrap_or(&Value::Null);
        write(value, field.ty(), &format!("{prefix}{}", field.name()), map)?;
    }
    Ok(())
}

fn write(value: &Value, ty: &Type, key: &str, map: &mut BTreeMap<String, String>) -> Result<()> {
    match (value, ty) {
        (_, Type::Dynamic) => {
            return Err(error(
                What::Attribute,
                key,
                "is dynamic, which flat state cannot hold",
            ));
        }
        (Value::Null, _) => {}
        (Value::Unknown, Type::List(_) | Type::Set(_)) => {
            drop(map.insert(format!("{key}.#"), UNKNOWN.to_owned()));
        }
        (Value::Unknown, Type::Map(_)) => drop(map.insert(format!("{key}.%"), UNKNOWN.to_owned())),
        (Value::Unknown, Type::Object(fields)) => {
            for field in fields.iter() {
                write(
                    &Value::Unknown,
                    field.ty(),
                    &format!("{key}.{}", field.name()),
                    map,
                )?;
            }
        }
        (Value::Unknown, _) => drop(map.insert(key.to_owned(), UNKNOWN.to_owned())),
        (Value::Bool(value), _) => drop(map.insert(key.to_owned(), value.to_string())),
        (Value::Number(number), _) => drop(map.insert(key.to_owned(), number.to_string())),
        (Value::String(text), _) => drop(map.insert(key.to_owned(), text.clone())),
        (Value::List(list), Type::List(element) | Type::Set(element)) => {
            map.insert(format!("{key}.#"), list.len().to_string());
            for (index, value) in list.iter().enumerate() {
                write(value, element, &format!("{key}.{index}"), map)?;
            }
        }
        (Value::List(list), Type::Tuple(types)) => {
            map.insert(format!("{key}.#"), list.len().to_string());
            for (index, (value, ty)) in list.iter().zip(types.iter()).enumerate() {
                write(value, ty, &format!("{key}.{index}"), map)?;
            }
        }
        (Value::Map(members), Type::Map(element)) => {
            map.insert(format!("{key}.%"), members.len().to_string());
            for (name, value) in members {
                write(value, element, &format!("{key}.{name}"), map)?;
            }
        }
        (Value::Map(members), Type::Object(fields)) => {
            write_object(members, fields, &format!("{key}."), map)?;
        }
        (value, ty) => {
            return Err(error(
                What::Attribute,
                key,
                format!("should hold {}, found {}", ty.noun(), value.noun()),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_attributes_with_mistakes_together_make_no_more_values_than_the_whole() {
        let ty =
            Type::object(["a", "b", "c"].map(|name| Field::new(name, Type::list(Type::String))));
        let map =
            BTreeMap::from(["a.#", "b.#", "c.#"].map(|key| (key.to_owned(), "9000".to_owned())));
        let error = Value::from_flatmap(&map, &ty).unwrap_err();
        let found = Value::flat_mistakes(&map, &ty, error.clone());
        let keys: Vec<&str> = found.iter().map(FlatmapError::key).collect();
        assert_eq!((error.key(), keys), ("b", vec!["b", "c"]));
    }
}
