//! Values on the wire.

use bytes::Bytes;
use upstate::codec::{Encoding, UnknownAttributes};
use upstate::schema::Type;
use upstate::{Diagnostics, Value};

use crate::diagnostics;
use crate::proto;

/// The value of a message: null if there is none.
///
/// `what` names it in the error, such as "prior state".
pub(crate) fn from_wire(
    message: Option<&proto::DynamicValue>,
    ty: &Type,
    what: &str,
) -> Result<Value, Diagnostics> {
    let Some(message) = message else {
        return Ok(Value::Null);
    };
    let result = if !message.msgpack.is_empty() {
        Value::from_msgpack(&message.msgpack, ty).map_err(|error| error.problem().to_owned())
    } else if !message.json.is_empty() {
        Value::from_json(&message.json, ty, UnknownAttributes::Deny)
            .map_err(|error| error.problem())
    } else {
        return Ok(Value::Null);
    };
    // Its path could be below something sensitive; the problem itself never holds a value.
    result.map_err(|problem| diagnostics::unexpected_value(what, &problem).into())
}

/// The value as the protocol wants it.
pub(crate) fn to_wire(
    value: &Value,
    ty: &Type,
    what: &str,
) -> Result<proto::DynamicValue, Diagnostics> {
    match value.encode(ty, Encoding::Msgpack) {
        Ok(msgpack) => Ok(msgpack_to_wire(msgpack)),
        Err(error) => Err(diagnostics::unfit_value(what, &error).into()),
    }
}

pub(crate) fn msgpack_to_wire(msgpack: impl Into<Bytes>) -> proto::DynamicValue {
    proto::DynamicValue {
        msgpack: msgpack.into(),
        json: Bytes::new(),
    }
}

/// Null, as the protocol wants it: the resource is no more, or is not yet.
pub(crate) fn null() -> proto::DynamicValue {
    msgpack_to_wire(&b"\xc0"[..])
}
