//! Floats that JSON has no number for, in values that serde writes.

use serde::Serialize;
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

type Result<T = ()> = std::result::Result<T, serde_json::Error>;

/// True unless a value holds a float that is not finite, for which `serde_json` writes null.
pub(super) fn is_finite<T: Serialize>(value: &T) -> bool {
    value.serialize(Finite).is_ok()
}

/// Looks at each value, writes nothing, and refuses a float that is not finite.
struct Finite;

/// Values that hold no float.
macro_rules! finite {
    ($($name:ident: $ty:ty;)+) => {$(
        fn $name(self, _: $ty) -> Result {
            Ok(())
        }
    )+};
}

impl Serializer for Finite {
    type Ok = ();
    type Error = serde_json::Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    finite! {
        serialize_bool: bool;
        serialize_i8: i8;
        serialize_i16: i16;
        serialize_i32: i32;
        serialize_i64: i64;
        serialize_i128: i128;
        serialize_u8: u8;
        serialize_u16: u16;
        serialize_u32: u32;
        serialize_u64: u64;
        serialize_u128: u128;
        serialize_char: char;
        serialize_str: &str;
        serialize_bytes: &[u8];
        serialize_unit_struct: &'static str;
    }

    fn serialize_f32(self, float: f32) -> Result {
        self.serialize_f64(f64::from(float))
    }

    fn serialize_f64(self, float: f64) -> Result {
        if float.is_finite() {
            Ok(())
        } else {
            Err(serde_json::Error::custom("not finite"))
        }
    }

    fn serialize_none(self) -> Result {
        Ok(())
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result {
        Ok(())
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, value: &T) -> Result {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self> {
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self> {
        Ok(self)
    }
}

/// The values in a list, a tuple or a struct.
macro_rules! inside {
    ($($part:ident: $name:ident($($key:ty)?);)+) => {$(
        impl $part for Finite {
            type Ok = ();
            type Error = serde_json::Error;

            fn $name<T: ?Sized + Serialize>(&mut self, $(_: $key,)? value: &T) -> Result {
                value.serialize(Self)
            }

            fn end(self) -> Result {
                Ok(())
            }
        }
    )+};
}

inside! {
    SerializeSeq: serialize_element();
    SerializeTuple: serialize_element();
    SerializeTupleStruct: serialize_field();
    SerializeTupleVariant: serialize_field();
    SerializeStruct: serialize_field(&'static str);
    SerializeStructVariant: serialize_field(&'static str);
}

impl SerializeMap for Finite {
    type Ok = ();
    type Error = serde_json::Error;

    // No key is looked at, because `serde_json` refuses one that is not finite by itself.
    fn serialize_key<T: ?Sized + Serialize>(&mut self, _: &T) -> Result {
        Ok(())
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result {
        value.serialize(Self)
    }

    fn end(self) -> Result {
        Ok(())
    }
}
