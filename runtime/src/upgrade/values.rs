//! Stored states and models as values of their schemas, and back.

use super::context::UpgradeContext;
use super::decode::{
    StoredText, all_unreadable, decode_document, decode_json, decode_made, flat_to_json,
    nothing_stored, unreadable_state, warn_of_changes,
};
use super::encode::not_encodable;
use super::model::{ModelPlace, Typed};
use super::raw_state::RawState;
use super::unread::By;
use crate::codec::json::Reader;
use crate::codec::{DecodeError, Encoding, Object, UnknownAttributes, Writer, encode_object};
use crate::diagnostics::Diagnostics;
use crate::schema::Schema;
use crate::schema::table::Table;
use crate::value::Value;

/// Reads state stored at the version of `schema` as a value.
pub(super) fn read_value(
    raw: RawState<'_>,
    schema: &Schema,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    read_by(raw, schema, None, context, &|reader| {
        Value::read(reader, &schema.implied_type(), UnknownAttributes::Ignore)
    })
}

/// Reads state stored at the version of a shape without a struct.
pub(super) fn read_shape(
    raw: RawState<'_>,
    table: &'static Table,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    if table.document.is_some() {
        return read_by(raw, table.schema(), Some(table), context, &|reader| {
            Value::read_document(reader, table)
        });
    }
    if !table.reads_leniently() {
        let ty = table.schema().implied_type();
        return read_by(raw, table.schema(), Some(table), context, &|reader| {
            Value::read(reader, &ty, UnknownAttributes::Ignore)
        });
    }
    read_by(raw, table.schema(), None, context, &|reader| {
        Value::read_shape(reader, table, UnknownAttributes::Ignore)
    })
}

fn read_by(
    raw: RawState<'_>,
    schema: &Schema,
    table: Option<&'static Table>,
    context: &mut UpgradeContext<'_>,
    read: &dyn Fn(&mut Reader<'_>) -> Result<Value, DecodeError>,
) -> Result<Value, Diagnostics> {
    let flat;
    let json = match raw {
        RawState::Json(json) => json,
        RawState::Flatmap(map) => {
            flat = flat_to_json(map, schema, context)?;
            &flat
        }
        RawState::Empty => return Err(nothing_stored(context.subject())),
    };
    let members = schema.block().members();
    let read = || {
        let mut reader = Reader::from_bytes(json)?;
        let value = read(&mut reader)?;
        Ok((reader, value))
    };
    match read() {
        Ok((reader, value)) => {
            warn_of_changes(&reader, context, members);
            Ok(value)
        }
        Err(error) => {
            let error: DecodeError = error;
            let error = error.redacted(members);
            Err(match (table, std::str::from_utf8(json)) {
                (Some(table), Ok(text)) => all_unreadable(&error, text, table, By::Kinds, context),
                (None, Ok(text)) => StoredText::new(text, schema.version(), context)
                    .unreadable(&error)
                    .into(),
                (_, Err(_)) => unreadable_state(&error, schema.version(), context.subject()).into(),
            })
        }
    }
}

/// The model that a value of its schema is.
pub(super) fn model_of<T: Object>(value: &Value) -> Result<T, DecodeError> {
    decode_json(&json_of(value, T::TABLE)?, UnknownAttributes::Ignore)
}

/// Puts the model that a value of its schema is into `place`.
pub(super) fn put_value(
    typed: &Typed,
    value: &Value,
    place: &mut ModelPlace,
    context: &mut UpgradeContext<'_>,
) -> Result<(), DecodeError> {
    let table = typed.model.table();
    let json = json_of(value, table)?;
    if table.document.is_none() {
        return decode_document(typed, &json, UnknownAttributes::Ignore, place);
    }
    // Until here no struct has seen the members that no operator names: it keeps them, or they are
    // reported.
    decode_made(typed, &json, place, context)
}

/// JSON of a value as a model reads it. In a document, what is absent is not null.
pub(super) fn json_of(value: &Value, table: &'static Table) -> Result<Vec<u8>, DecodeError> {
    let mut json = Vec::with_capacity(512);
    let mut writer = Writer::new(&mut json, Encoding::Json);
    if table.document.is_some() {
        value.write_untyped(&mut writer)?;
    } else {
        value.write(&table.schema().implied_type(), &mut writer);
    }
    Ok(json)
}

/// The value that a model is.
pub(super) fn value_of<P: Object>(
    model: &P,
    context: &UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    let mut json = Vec::new();
    encode_object(model, Encoding::Json, &mut json).map_err(not_encodable)?;
    value_of_json(&json, P::TABLE, context)
}

/// The value that a model of this shape is, which wrote the JSON.
pub(super) fn value_of_json(
    json: &[u8],
    table: &'static Table,
    context: &UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    let schema = table.schema();
    let value = if table.document.is_some() {
        Reader::from_bytes(json).and_then(|mut reader| Value::read_document(&mut reader, table))
    } else {
        Value::from_json(json, &schema.implied_type(), UnknownAttributes::Deny)
    };
    value.map_err(|error| {
        unreadable_state(
            &error.redacted(schema.block().members()),
            schema.version(),
            context.subject(),
        )
        .into()
    })
}
