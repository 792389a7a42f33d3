//! Types of the standard library that documents hold besides attributes' own.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, LinkedList, VecDeque};
use std::ffi::CString;
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::{Saturating, Wrapping};
use std::ops::{Bound, Range, RangeInclusive};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use upstate_words::lock::OWN;

use super::collections::write_elements;
#[cfg(any(
    feature = "chrono",
    feature = "jiff",
    feature = "url",
    feature = "uuid"
))]
use super::dates::leaves_out;
use super::error::{DecodeError, Problem};
use super::json::{Kind, Reader};
use super::slot::{AttributeType, decoded};
use super::with_serde::{read_noting, read_serde, write_serde};
use super::writer::Writer;
use crate::schema::table::{Stored, TypeInfo};
use crate::schema::{Holds, Takes};

type Result<T> = std::result::Result<T, DecodeError>;

/// Types that are stored as what is in them.
macro_rules! transparent {
    ($($wrapper:ident: $(+ $bound:path)* { $value:ident => $inside:expr })+) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: AttributeType $(+ $bound)*> AttributeType for $wrapper<T> {
            const INFO: &'static TypeInfo = T::INFO;
            const ABSENT_IS_NULL: bool = T::ABSENT_IS_NULL;

            fn decode(reader: &mut Reader<'_>) -> Result<Self> {
                T::decode(reader).map($wrapper::from_inside)
            }

            fn absent() -> Option<Self> {
                T::absent().map($wrapper::from_inside)
            }

            fn encode(&self, writer: &mut Writer<'_>) {
                let $value = self;
                $inside.encode(writer);
            }
        }
    )+};
}

/// Makes a wrapper around a value.
trait FromInside<T> {
    fn from_inside(value: T) -> Self;
}

macro_rules! made {
    ($($wrapper:ident $make:expr;)+) => {$(
        impl<T> FromInside<T> for $wrapper<T> {
            fn from_inside(value: T) -> Self {
                $make(value)
            }
        }
    )+};
}

made! { Rc Rc::new; Arc Arc::new; Cell Cell::new; RefCell RefCell::new; Mutex Mutex::new; RwLock RwLock::new; Reverse Reverse; Wrapping Wrapping; Saturating Saturating; }

transparent! {
    Rc: { value => (**value) }
    Arc: { value => (**value) }
    Cell: + Copy { value => value.get() }
    RefCell: { value => value.borrow() }
    // A poisoned lock still has its value, so that nothing is lost for another thread's panic.
    Mutex: { value => value.lock().unwrap_or_else(std::sync::PoisonError::into_inner) }
    RwLock: { value => value.read().unwrap_or_else(std::sync::PoisonError::into_inner) }
    Reverse: { value => value.0 }
    Wrapping: { value => value.0 }
    Saturating: { value => value.0 }
}

/// Strings that are owned in other ways.
macro_rules! strings {
    ($($ty:ty)+) => {$(
        #[diagnostic::do_not_recommend]
        impl AttributeType for $ty {
            const SET_ORDER: bool = true;
            const INFO: &'static TypeInfo = String::INFO;

            fn decode(reader: &mut Reader<'_>) -> Result<Self> {
                String::decode(reader).map(Into::into)
            }

            fn encode(&self, writer: &mut Writer<'_>) {
                writer.string(self);
            }
        }
    )+};
}

strings! { Box<str> Rc<str> Arc<str> Cow<'static, str> }

/// Lists in other containers.
macro_rules! lists {
    ($($container:ident $(: $bound:path)?;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: AttributeType $(+ $bound)?> AttributeType for $container<T> {
            const INFO: &'static TypeInfo = <Vec<T> as AttributeType>::INFO;

            fn decode(reader: &mut Reader<'_>) -> Result<Self> {
                Ok(Vec::decode(reader)?.into_iter().collect())
            }

            fn encode(&self, writer: &mut Writer<'_>) {
                write_elements(self.len(), self.iter(), writer);
            }
        }
    )+};
}

lists! { VecDeque; LinkedList; BinaryHeap: Ord; }

#[diagnostic::do_not_recommend]
impl<T: AttributeType> AttributeType for Box<[T]> {
    const INFO: &'static TypeInfo = <Vec<T> as AttributeType>::INFO;

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        Vec::decode(reader).map(Vec::into_boxed_slice)
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        write_elements(self.len(), self.iter(), writer);
    }
}

#[diagnostic::do_not_recommend]
impl<T: AttributeType, const N: usize> AttributeType for [T; N] {
    const INFO: &'static TypeInfo = &TypeInfo::new(
        Stored::Tuple(const { &[&T::INFO.stored; N] }),
        Holds::of(Takes::Tuples(const { &[&T::INFO.holds; N] })).of_documents(),
    );

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        reader.peek()?;
        let start = reader.position();
        let list = Vec::decode(reader)?;
        let problem = Problem::Elements(N, Some(list.len()));
        list.try_into()
            .map_err(|_| DecodeError::new(problem, start))
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        write_elements(N, self.iter(), writer);
    }
}

/// The value that holds nothing: null.
macro_rules! nothing {
    ($([$($generics:tt)*] $ty:ty = $value:expr;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> AttributeType for $ty {
            const INFO: &'static TypeInfo = &TypeInfo::or_null(&TypeInfo::new(Stored::Tuple(&[]), Holds::of(Takes::OwnType).of_documents()));

            fn decode(reader: &mut Reader<'_>) -> Result<Self> {
                if reader.peek()? != Kind::Null {
                    return Err(reader.unexpected("null"));
                }
                reader.null().map(|()| $value)
            }

            fn encode(&self, writer: &mut Writer<'_>) {
                writer.null();
            }
        }
    )+};
}

nothing! { [] () = (); [T: ?Sized] PhantomData<T> = Self; }

/// Types that serde reads and writes as strings.
macro_rules! by_serde {
    ($info:expr; $($ty:ty)+) => {$(
        #[diagnostic::do_not_recommend]
        impl AttributeType for $ty {
            const INFO: &'static TypeInfo = $info;

            fn decode(reader: &mut Reader<'_>) -> Result<Self> {
                read_serde(reader, write_serde)
            }

            fn encode(&self, writer: &mut Writer<'_>) {
                write_serde(self, writer);
            }
        }
    )+};
}

/// Types with parameters that serde reads and writes.
macro_rules! around_by_serde {
    ($($ty:ident<$($param:ident),+>)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($param: AttributeType + Serialize + DeserializeOwned),+> AttributeType for $ty<$($param),+> {
            const INFO: &'static TypeInfo = TypeInfo::JSON;

            fn decode(reader: &mut Reader<'_>) -> Result<Self> {
                read_serde(reader, write_serde)
            }

            fn encode(&self, writer: &mut Writer<'_>) {
                write_serde(self, writer);
            }
        }
    )+};
}

type Either<T, E> = std::result::Result<T, E>;

around_by_serde! { Range<T> RangeInclusive<T> Bound<T> Either<T, E> }

by_serde! { &TypeInfo::formatted_by("ip", decoded::<Self>); IpAddr }
by_serde! { &TypeInfo::formatted_by("ipv4", decoded::<Self>); Ipv4Addr }
by_serde! { &TypeInfo::formatted_by("ipv6", decoded::<Self>); Ipv6Addr }
by_serde! { &TypeInfo::formatted_by("socket", decoded::<Self>); SocketAddr }
by_serde! { &TypeInfo::formatted_by("socket-v4", decoded::<Self>); SocketAddrV4 }
by_serde! { &TypeInfo::formatted_by("socket-v6", decoded::<Self>); SocketAddrV6 }
by_serde! { &TypeInfo::formatted(OWN); PathBuf }
by_serde! { TypeInfo::JSON; Duration SystemTime CString Box<serde_json::value::RawValue> }
by_serde! { &TypeInfo::of(Stored::Number); serde_json::Number }
by_serde! { &TypeInfo::of(Stored::Bool); std::sync::atomic::AtomicBool }

/// Integers that serde reads and writes, each with the type whose range the proofs take for it.
macro_rules! integers_by_serde {
    ($($info:ident $range_of:literal: $($ty:ty),+;)+) => {$(
        by_serde! { &TypeInfo::$info($range_of, decoded::<Self>); $($ty)+ }
    )+};
}

integers_by_serde! {
    non_zero "i8": std::num::NonZeroI8;
    non_zero "i16": std::num::NonZeroI16;
    non_zero "i32": std::num::NonZeroI32;
    non_zero "i64": std::num::NonZeroI64;
    non_zero "u8": std::num::NonZeroU8;
    non_zero "u16": std::num::NonZeroU16;
    non_zero "u32": std::num::NonZeroU32;
    non_zero "u64": std::num::NonZeroU64, std::num::NonZeroUsize;
    integers_of "i32": std::sync::atomic::AtomicI32;
    integers_of "i64": std::sync::atomic::AtomicI64;
    integers_of "u8": std::sync::atomic::AtomicU8;
    integers_of "u16": std::sync::atomic::AtomicU16;
    integers_of "u32": std::sync::atomic::AtomicU32;
    integers_of "u64": std::sync::atomic::AtomicU64, std::sync::atomic::AtomicUsize;
}

/// Reads any JSON. What the type cannot hold is noted: a key that comes twice, digits that a float
/// has not.
#[diagnostic::do_not_recommend]
impl AttributeType for serde_json::Value {
    const INFO: &'static TypeInfo = TypeInfo::JSON_OR_NULL;

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        Ok(match reader.peek()? {
            Kind::Null => reader.null().map(|()| Self::Null)?,
            Kind::Bool => Self::Bool(reader.bool()?),
            Kind::String => Self::String(reader.string()?.into_owned()),
            Kind::Array => Self::Array(Vec::decode(reader)?),
            Kind::Object => Self::Object(AttributeType::decode(reader)?),
            Kind::Number => {
                let start = reader.position();
                let (number, _) = read_noting(reader, |deserializer| {
                    serde_json::Number::deserialize(deserializer)
                })?;
                let source = reader
                    .text()
                    .get(start..reader.position())
                    .unwrap_or_default();
                let kept = |text: &str| text.parse::<crate::value::Number>().ok();
                if kept(source) != kept(&number.to_string()) {
                    reader.note_rounded(start);
                }
                Self::Number(number)
            }
        })
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        write_serde(self, writer);
    }
}

/// Notes what a number or a repeated key loses, as any JSON does.
#[diagnostic::do_not_recommend]
impl AttributeType for serde_json::Map<String, serde_json::Value> {
    const INFO: &'static TypeInfo = TypeInfo::JSON;

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        let map: BTreeMap<String, serde_json::Value> = AttributeType::decode(reader)?;
        Ok(map.into_iter().collect())
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        write_serde(self, writer);
    }
}

/// Types of other crates, each a feature: stored as serde has them. What their normal form leaves
/// out of a stored string is noted.
#[cfg(any(
    feature = "chrono",
    feature = "jiff",
    feature = "url",
    feature = "uuid"
))]
macro_rules! of_crates {
    ($($feature:literal: $($format:literal $($ty:ty)+),+;)+) => {$($($(
        #[cfg(feature = $feature)]
        #[diagnostic::do_not_recommend]
        impl AttributeType for $ty {
            const INFO: &'static TypeInfo = &TypeInfo::formatted_by($format, decoded::<Self>);

            fn decode(reader: &mut Reader<'_>) -> Result<Self> {
                reader.peek()?;
                let start = reader.mark();
                let value: Self = read_serde(reader, write_serde)?;
                let end = reader.mark();
                reader.rewind(start);
                let offset = reader.position();
                let stored = reader.string()?;
                let kept = serde_json::to_value(&value).ok();
                if kept.as_ref().and_then(serde_json::Value::as_str).is_some_and(|kept| leaves_out(&stored, kept)) {
                    reader.note_rounded(offset);
                }
                reader.rewind(end);
                Ok(value)
            }

            fn encode(&self, writer: &mut Writer<'_>) {
                write_serde(self, writer);
            }
        }
    )+)+)+};
}

#[cfg(any(
    feature = "chrono",
    feature = "jiff",
    feature = "url",
    feature = "uuid"
))]
of_crates! {
    "chrono": "date-time" chrono::DateTime<chrono::Utc> chrono::DateTime<chrono::FixedOffset>, "date" chrono::NaiveDate,
        "time" chrono::NaiveTime, "local-date-time" chrono::NaiveDateTime, "weekday" chrono::Weekday, "month" chrono::Month;
    "jiff": "date-time" jiff::Timestamp, "zoned-date-time" jiff::ZonedDateTime, "date" jiff::civil::Date, "time" jiff::civil::Time,
        "local-date-time" jiff::civil::DateTime, "span" jiff::Span, "duration" jiff::SignedDuration;
    "url": "uri" url::Url;
    "uuid": "uuid" uuid::Uuid;
}

#[cfg(feature = "chrono")]
by_serde! { TypeInfo::JSON; chrono::TimeDelta }
