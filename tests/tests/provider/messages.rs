//! Messages of the plugin protocol as JSON, by the descriptors that are in Terraform's program:
//! every field that is on the wire, and no other.

use std::collections::BTreeMap;

use prost_types::field_descriptor_proto::{Label, Type as FieldType};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto};
use serde_json::{Map, Value as Json, json};
use upstate::Value;
use upstate::schema::Type;

/// The messages of one protocol, by their full names.
pub(super) struct Messages(BTreeMap<String, DescriptorProto>);

/// How values are encoded that a message holds: in a test, all in one are of one type.
pub(super) struct Values<'t>(pub(super) &'t Type);

impl Messages {
    pub(super) fn new(file: &FileDescriptorProto) -> Self {
        fn add(
            messages: &[DescriptorProto],
            within: &str,
            found: &mut BTreeMap<String, DescriptorProto>,
        ) {
            for message in messages {
                let name = format!("{within}.{}", message.name());
                add(&message.nested_type, &name, found);
                found.insert(name, message.clone());
            }
        }
        let mut found = BTreeMap::new();
        add(
            &file.message_type,
            &format!(".{}", file.package()),
            &mut found,
        );
        Self(found)
    }

    /// The message that a name such as `PlanResourceChange.Response` is short for.
    fn find(&self, name: &str) -> (&str, &DescriptorProto) {
        let found = self.0.iter().find(|(full, _)| {
            full.ends_with(&format!(".{name}"))
                && full.split('.').count() == name.split('.').count() + 2
        });
        found
            .map(|(name, message)| (name.as_str(), message))
            .unwrap_or_else(|| panic!("there is no message {name}"))
    }

    pub(super) fn encode(&self, name: &str, message: &Json, values: &Values<'_>) -> Vec<u8> {
        let (_, descriptor) = self.find(name);
        self.encode_as(descriptor, message, values)
    }

    fn encode_as(
        &self,
        descriptor: &DescriptorProto,
        message: &Json,
        values: &Values<'_>,
    ) -> Vec<u8> {
        let mut out = Vec::new();
        for (name, value) in message.as_object().unwrap() {
            let field = descriptor
                .field
                .iter()
                .find(|field| field.name() == name)
                .unwrap_or_else(|| panic!("no field {name}"));
            let number = u64::try_from(field.number()).unwrap();
            if self.is_map(field) {
                for (key, value) in value.as_object().unwrap() {
                    let entry = json!({"key": key, "value": value});
                    delimited(
                        &mut out,
                        number,
                        &self.encode_as(&self.0[field.type_name()], &entry, values),
                    );
                }
                continue;
            }
            let bytes = match (field.r#type(), value) {
                (FieldType::Message, value) if field.type_name().ends_with(".DynamicValue") => {
                    let value = unknowns(
                        Value::from_json(
                            value.to_string().as_bytes(),
                            values.0,
                            upstate::codec::UnknownAttributes::Deny,
                        )
                        .unwrap(),
                    );
                    let msgpack = value
                        .encode(values.0, upstate::codec::Encoding::Msgpack)
                        .unwrap();
                    let mut inner = Vec::new();
                    delimited(&mut inner, 1, &msgpack);
                    inner
                }
                (FieldType::Message, value) => {
                    self.encode_as(&self.0[field.type_name()], value, values)
                }
                (FieldType::String | FieldType::Bytes, Json::String(text)) => {
                    text.clone().into_bytes()
                }
                (_, number_of) => {
                    varint(&mut out, number << 3);
                    varint(&mut out, number_of.as_i64().unwrap().cast_unsigned());
                    continue;
                }
            };
            delimited(&mut out, number, &bytes);
        }
        out
    }

    pub(super) fn decode(&self, name: &str, bytes: &[u8], values: &Values<'_>) -> Json {
        let (full, descriptor) = self.find(name);
        self.decode_as(full, descriptor, bytes, values)
    }

    fn decode_as(
        &self,
        name: &str,
        descriptor: &DescriptorProto,
        mut bytes: &[u8],
        values: &Values<'_>,
    ) -> Json {
        let mut message = Map::new();
        while !bytes.is_empty() {
            let key = take_varint(&mut bytes);
            let field = descriptor
                .field
                .iter()
                .find(|field| field.number().cast_unsigned() as u64 == key >> 3);
            let field = field.unwrap_or_else(|| panic!("{name} has no field {}", key >> 3));
            let value = match key & 7 {
                0 => {
                    let number = take_varint(&mut bytes);
                    if field.r#type() == FieldType::Bool {
                        json!(number == 1)
                    } else {
                        json!(number.cast_signed())
                    }
                }
                2 => {
                    let length = usize::try_from(take_varint(&mut bytes)).unwrap();
                    let (inner, rest) = bytes.split_at(length);
                    bytes = rest;
                    self.inner(name, field, inner, values)
                }
                other => panic!("{name}.{} is of the wire type {other}", field.name()),
            };
            if self.is_map(field) {
                let entry = value.as_object().unwrap();
                let key = entry
                    .get("key")
                    .and_then(Json::as_str)
                    .unwrap_or_default()
                    .to_owned();
                let value = entry.get("value").cloned().unwrap_or_else(|| json!({}));
                message
                    .entry(field.name())
                    .or_insert_with(|| json!({}))
                    .as_object_mut()
                    .unwrap()
                    .insert(key, value);
            } else if field.label() == Label::Repeated {
                message
                    .entry(field.name())
                    .or_insert_with(|| json!([]))
                    .as_array_mut()
                    .unwrap()
                    .push(value);
            } else {
                message.insert(field.name().to_owned(), value);
            }
        }
        Json::Object(message)
    }

    fn is_map(&self, field: &FieldDescriptorProto) -> bool {
        let entry = self
            .0
            .get(field.type_name())
            .and_then(|message| message.options.as_ref());
        entry.is_some_and(prost_types::MessageOptions::map_entry)
    }

    fn inner(
        &self,
        name: &str,
        field: &FieldDescriptorProto,
        bytes: &[u8],
        values: &Values<'_>,
    ) -> Json {
        match field.r#type() {
            FieldType::Message => {
                self.decode_as(field.type_name(), &self.0[field.type_name()], bytes, values)
            }
            FieldType::Bytes if name.ends_with(".DynamicValue") && field.name() == "msgpack" => {
                plain(&Value::from_msgpack(bytes, values.0).unwrap())
            }
            _ => String::from_utf8(bytes.to_vec()).map_or_else(
                |_| json!(format!("{} bytes", bytes.len())),
                |text| json!(text),
            ),
        }
    }
}

/// A value with `"?"` for what is not known.
fn plain(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Unknown => json!("?"),
        Value::Bool(value) => json!(value),
        Value::Number(number) => serde_json::from_str(&number.to_string()).unwrap(),
        Value::String(text) => json!(text),
        Value::List(list) => list.iter().map(plain).collect(),
        Value::Map(map) => map
            .iter()
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect::<Map<_, _>>()
            .into(),
        other => panic!("no JSON for {other:?}"),
    }
}

fn unknowns(value: Value) -> Value {
    match value {
        Value::String(text) if text == "?" => Value::Unknown,
        Value::List(list) => Value::List(list.into_iter().map(unknowns).collect()),
        Value::Map(map) => Value::Map(
            map.into_iter()
                .map(|(name, value)| (name, unknowns(value)))
                .collect(),
        ),
        other => other,
    }
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn delimited(out: &mut Vec<u8>, number: u64, bytes: &[u8]) {
    varint(out, number << 3 | 2);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn take_varint(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (first, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return number;
        }
        shift += 7;
    }
}
