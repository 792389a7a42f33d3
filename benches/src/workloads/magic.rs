//! magic_migrate: a document does not say its version, and the newest struct that can be read from
//! it is taken.

use std::convert::Infallible;
use std::fmt;

use magic_migrate::TryMigrate;
use serde::Serialize;
use serde::de::{Deserializer, Visitor};
use serde_json::de::StrRead;

use super::{large, medium, small};
use crate::case::Case;

/// Why a document could not be migrated.
#[derive(Debug)]
pub struct Failed(String);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for Failed {
    fn from(problem: String) -> Self {
        Self(problem)
    }
}

impl From<Infallible> for Failed {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// serde_json's deserializer by value, as the crate wants one.
pub(super) struct Json<'de>(serde_json::Deserializer<StrRead<'de>>);

impl<'de> Json<'de> {
    pub(super) fn new(input: &'de str) -> Self {
        Self(serde_json::Deserializer::from_str(input))
    }
}

impl<'de> Deserializer<'de> for Json<'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Self::Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.deserialize_struct(name, fields, visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Versions of one document, from the oldest on; the oldest migrates from itself.
macro_rules! versions {
    ($($from:ty => $to:ty;)+) => {$(
        impl TryMigrate for $to {
            type TryFrom = $from;
            type Error = Failed;

            fn deserializer<'de>(input: &'de str) -> impl Deserializer<'de> {
                Json::new(input)
            }
        }
    )+};
}

versions! {
    small::ThingV0 => small::ThingV0;
    small::ThingV0 => small::Thing;
    medium::InstanceV0 => medium::InstanceV0;
    medium::InstanceV0 => medium::InstanceV1;
    medium::InstanceV1 => medium::Instance;
    large::PolicyV0 => large::PolicyV0;
    large::PolicyV0 => large::PolicyV1;
    large::PolicyV1 => large::Policy;
}

/// The upgrade of any stored version to `T`.
pub(super) fn case<T: TryMigrate + Serialize>(stored: Vec<Vec<u8>>) -> Case {
    Case::json("magic_migrate", stored, |json| {
        let json = std::str::from_utf8(json).expect("the document is UTF-8");
        let model = T::try_from_str_migrations(json)
            .expect("some version fits")
            .expect("the document upgrades");
        serde_json::to_vec(&model).expect("a model is JSON")
    })
}
