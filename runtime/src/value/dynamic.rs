//! A field whose values carry their own type.

use super::Value;
use crate::codec::json::{Kind, Reader};
use crate::codec::{AttributeType, DecodeError, UnknownAttributes, Writer};
use crate::schema::Type;
use crate::schema::table::{Stored, TypeInfo};

/// A value that carries its type, as a field of a model.
///
/// Stored as `{"value": …, "type": …}`.
///
/// ```
/// use upstate::schema::Type;
/// use upstate::{Dynamic, Object, Value};
///
/// #[derive(Object)]
/// struct Setting { name: String, content: Option<Dynamic> }
///
/// let setting: Setting = upstate::from_json(r#"{"name": "retries", "content": {"value": 3, "type": "number"}}"#)?;
/// let content = setting.content.unwrap();
/// assert_eq!((content.ty(), content.value()), (&Type::Number, &Value::from(3_i64)));
/// # Ok::<(), upstate::DecodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dynamic {
    ty: Type,
    value: Value,
}

impl Dynamic {
    /// A value of this type.
    ///
    /// # Errors
    /// The value is not of the type, or not known.
    pub fn new(ty: Type, mut value: Value) -> Result<Self, super::ConformError> {
        value.conform(&ty, super::Unknown::Refuse)?;
        Ok(Self { ty, value })
    }

    /// Its type.
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// The value itself; null if it is a null of that type.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The type and the value.
    pub fn into_parts(self) -> (Type, Value) {
        (self.ty, self.value)
    }
}

#[diagnostic::do_not_recommend]
impl AttributeType for Dynamic {
    const INFO: &'static TypeInfo = &TypeInfo::of(Stored::Dynamic);

    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        if reader.peek()? == Kind::Null {
            return Err(reader.unexpected("a dynamic value"));
        }
        let read = super::decode::read(reader, &Type::Dynamic, UnknownAttributes::Ignore)?;
        let Value::Dynamic(dynamic) = read else {
            return Err(reader.unexpected("a dynamic value"));
        };
        let (ty, value) = *dynamic;
        Ok(Self { ty, value })
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        let notation = self.ty.to_string();
        writer.begin_dynamic(&notation);
        self.value.write(&self.ty, writer);
        writer.end_dynamic(&notation);
    }
}
