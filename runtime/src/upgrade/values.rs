//! Stored states and models as values of their schemas, and back.

use super::context::UpgradeContext;
use super::decode::{decode_document, decode_json, flat_to_json, nothing_stored, unreadable_state, warn_of_changes};
use super::encode::not_encodable;
use super::model::{ModelPlace, Typed};
use super::raw_state::RawState;
use crate::codec::json::Reader;
use crate::codec::{DecodeError, Encoding, Object, UnknownAttributes, Writer, encode_object};
use crate::diagnostics::Diagnostics;
use crate::schema::Schema;
use crate::schema::table::Table;
use crate::value::Value;

/// Reads state stored at the version of `schema` as a value.
pub(super) fn read_value(raw: RawState<'_>, schema: &Schema, context: &mut UpgradeContext<'_>) -> Result<Value, Diagnostics> {
    read_by(raw, schema, context, &|reader| Value::read(reader, &schema.implied_type(), UnknownAttributes::Ignore))
}

/// Reads state stored at the version of a shape without a struct.
pub(super) fn read_shape(
    raw: RawState<'_>,
    table: &'static Table,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    if !table.reads_leniently() {
        return read_value(raw, table.schema(), context);
    }
    read_by(raw, table.schema(), context, &|reader| Value::read_shape(reader, table, UnknownAttributes::Ignore))
}

fn read_by(
    raw: RawState<'_>,
    schema: &Schema,
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
            Err(unreadable_state(&error.redacted(members), schema.version(), context.subject()).into())
        }
    }
}

/// The model that a value of its schema is.
pub(super) fn model_of<T: Object>(value: &Value) -> Result<T, DecodeError> {
    let mut json = Vec::new();
    value.write(&T::TABLE.schema().implied_type(), &mut Writer::new(&mut json, Encoding::Json));
    decode_json(&json, UnknownAttributes::Ignore)
}

/// Puts the model that a value of its schema is into `place`.
pub(super) fn put_value(typed: &Typed, value: &Value, place: &mut ModelPlace) -> Result<(), DecodeError> {
    let mut json = Vec::new();
    value.write(&typed.model.schema().implied_type(), &mut Writer::new(&mut json, Encoding::Json));
    decode_document(typed, &json, UnknownAttributes::Ignore, place)
}

/// The value that a model is.
pub(super) fn value_of<P: Object>(model: &P, context: &UpgradeContext<'_>) -> Result<Value, Diagnostics> {
    let mut json = Vec::new();
    encode_object(model, Encoding::Json, &mut json).map_err(not_encodable)?;
    value_of_json(&json, P::TABLE.schema(), context)
}

/// The value that a model of this schema is, which wrote the JSON.
pub(super) fn value_of_json(json: &[u8], schema: &Schema, context: &UpgradeContext<'_>) -> Result<Value, Diagnostics> {
    Value::from_json(json, &schema.implied_type(), UnknownAttributes::Deny)
        .map_err(|error| unreadable_state(&error.redacted(schema.block().members()), schema.version(), context.subject()).into())
}
