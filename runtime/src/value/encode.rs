//! Writing a value by a type known at run time, and checking that it has that type.

use super::Value;
use crate::codec::Writer;
use crate::path::AttributePath;
use crate::schema::Type;

/// Why a value is not one of a type: where, and what stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mismatch {
    pub(crate) path: AttributePath,
    pub(crate) problem: String,
}

impl Value {
    /// The value as compact JSON, members sorted by name. The value must have passed [`Value::conform`].
    pub(crate) fn to_json(&self, ty: &Type, out: &mut Vec<u8>) {
        write(self, ty, &mut Writer::new(out));
    }

    /// Makes the value complete for `ty`: attributes that are not there become null.
    ///
    /// Unknown values, attributes that the type does not define and values of another type are refused.
    pub(crate) fn conform(&mut self, ty: &Type) -> Result<(), Mismatch> {
        conform(self, ty, &AttributePath::new())
    }
}

fn write(value: &Value, ty: &Type, writer: &mut Writer<'_>) {
    match (value, ty) {
        (Value::Bool(bool), _) => writer.bool(*bool),
        (Value::Number(number), _) => writer.number(number),
        (Value::String(text), _) => writer.string(text),
        (Value::List(list), Type::List(element) | Type::Set(element)) => {
            writer.open_array(list.len());
            for (index, value) in list.iter().enumerate() {
                writer.element(index);
                write(value, element, writer);
            }
            writer.close_array();
        }
        (Value::List(list), Type::Tuple(types)) => {
            writer.open_array(list.len());
            for (index, (value, ty)) in list.iter().zip(types.iter()).enumerate() {
                writer.element(index);
                write(value, ty, writer);
            }
            writer.close_array();
        }
        (Value::Map(map), Type::Map(element)) => {
            writer.open_object(map.len());
            for (index, (key, value)) in map.iter().enumerate() {
                writer.key(index, key);
                write(value, element, writer);
            }
            writer.close_object();
        }
        (Value::Map(map), Type::Object(fields)) => {
            writer.open_object(fields.len());
            for (index, field) in fields.iter().enumerate() {
                writer.key(index, field.name());
                write(map.get(field.name()).unwrap_or(&Value::Null), field.ty(), writer);
            }
            writer.close_object();
        }
        (Value::Dynamic(dynamic), _) => {
            let (ty, value) = &**dynamic;
            writer.open_object(2);
            writer.name(0, "value");
            write(value, ty, writer);
            writer.name(1, "type");
            writer.raw(&ty.to_string());
            writer.close_object();
        }
        (Value::Null | Value::Unknown | Value::List(_) | Value::Map(_), _) => writer.null(),
    }
}

fn conform(value: &mut Value, ty: &Type, path: &AttributePath) -> Result<(), Mismatch> {
    let refuse = |path: &AttributePath, problem: String| Err(Mismatch { path: path.clone(), problem });
    match (&mut *value, ty) {
        (Value::Null, _) | (Value::Bool(_), Type::Bool) | (Value::Number(_), Type::Number) | (Value::String(_), Type::String) => {
            Ok(())
        }
        (Value::Unknown, _) => refuse(path, "the upgrade left an unknown value, which cannot be stored".to_owned()),
        (Value::List(list), Type::List(element) | Type::Set(element)) => {
            (0..).zip(list).try_for_each(|(index, value)| conform(value, element, &path.clone().index(index)))
        }
        (Value::List(list), Type::Tuple(types)) if list.len() == types.len() => (0..)
            .zip(list.iter_mut().zip(types.iter()))
            .try_for_each(|(index, (value, ty))| conform(value, ty, &path.clone().index(index))),
        (Value::Map(map), Type::Map(element)) => {
            map.iter_mut().try_for_each(|(key, value)| conform(value, element, &path.clone().key(key.as_str())))
        }
        (Value::Map(map), Type::Object(fields)) => {
            if let Some(name) = map.keys().find(|name| fields.iter().all(|field| field.name() != **name)) {
                let path = path.clone().attribute(name.clone());
                return refuse(&path, "the schema defines no such attribute".to_owned());
            }
            fields.iter().try_for_each(|field| {
                let value = map.entry(field.name().to_owned()).or_default();
                conform(value, field.ty(), &path.clone().attribute(field.name().to_owned()))
            })
        }
        (Value::Dynamic(dynamic), Type::Dynamic) => {
            let (ty, value) = &mut **dynamic;
            conform(value, ty, path)
        }
        (value, ty) => refuse(path, format!("expected {}, found {}", ty.noun(), value.noun())),
    }
}
