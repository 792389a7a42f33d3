//! Attributes whose Rust form is not their stored form: strings with a meaning, enums, legacy
//! shapes, tuples.

use std::cmp::Ordering;
use std::fmt::{self, Debug, Display};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::str::FromStr;

use upstate_words::lock::OWN;

use super::collections::write_set;
use super::error::{DecodeError, DecodeErrorKind, Problem, one_of};
use super::json::{Kind, Reader};
use super::object::Object;
use super::scalar;
use super::slot::{AttributeType, Slot};
use super::writer::Writer;
use crate::schema::Holds;
use crate::schema::table::{Stored, TypeInfo};

type Result<T> = std::result::Result<T, DecodeError>;

/// An enum of unit variants, stored as one of a fixed set of strings.
///
/// This trait is sealed: only `#[derive(StringEnum)]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an enum of strings",
    note = "add `#[derive(upstate::StringEnum)]` to `{Self}`"
)]
pub trait StringEnum: Sized {
    /// The strings, in the order of the variants.
    const TEXTS: &'static [&'static str];

    /// The variant at this position of [`StringEnum::TEXTS`].
    fn from_position(position: usize) -> Option<Self>;

    /// The variant's position in [`StringEnum::TEXTS`].
    fn position(&self) -> usize;

    /// The variant's text.
    fn text(&self) -> &'static str {
        Self::TEXTS
            .get(self.position())
            .copied()
            .unwrap_or_default()
    }
}

/// Reads one of the strings of `T`.
pub fn read_string_enum<T: StringEnum>(reader: &mut Reader<'_>) -> Result<T> {
    reader.peek()?;
    let start = reader.position();
    let text = scalar::text(reader)?;
    let position = T::TEXTS.iter().position(|known| *known == text);
    position.and_then(T::from_position).ok_or_else(|| {
        DecodeError::new(
            Problem::Text(DecodeErrorKind::BadText, none_of(T::TEXTS)),
            start,
        )
    })
}

/// The sentence about a string that is none of these.
#[cold]
pub(crate) fn none_of(texts: &[&str]) -> String {
    format!("expected {}, found another string", one_of(texts))
}

/// Writes the string of `value`.
pub fn write_string_enum<T: StringEnum>(value: &T, writer: &mut Writer<'_>) {
    writer.string(value.text());
}

fn read_as_string<T: FromStr<Err: Display>>(reader: &mut Reader<'_>) -> Result<T> {
    reader.peek()?;
    let start = reader.position();
    let text = scalar::text(reader)?;
    text.parse().map_err(|error: T::Err| {
        DecodeError::new(
            Problem::Unread(wanted(std::any::type_name::<T>()), error.to_string()),
            start,
        )
    })
}

/// A value of the type with this name, in the words of those who do not know Rust where it is a
/// type that everybody knows.
#[cold]
fn wanted(full: &str) -> String {
    match full {
        "core::net::ip_addr::IpAddr" => "an IP address".to_owned(),
        "core::net::ip_addr::Ipv4Addr" => "an IPv4 address".to_owned(),
        "core::net::ip_addr::Ipv6Addr" => "an IPv6 address".to_owned(),
        "core::net::socket_addr::SocketAddr" => "an IP address with a port".to_owned(),
        "upstate_runtime::meaning::period::Period" => "a duration such as \"30m\"".to_owned(),
        "url::Url" => "a URL".to_owned(),
        "uuid::Uuid" => "a UUID".to_owned(),
        own => format!("a valid `{}`", short_name(own)),
    }
}

/// The name of a type without modules: `Wrapper<Url>` of `my::Wrapper<url::Url>`.
pub(super) fn short_name(full: &str) -> String {
    let (mut short, mut rest) = (String::new(), full);
    while let Some((before, after)) = rest.split_once("::") {
        short.push_str(
            before.trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '_'),
        );
        rest = after;
    }
    short + rest
}

fn write_as_string<T: Display + FromStr>(value: &T, writer: &mut Writer<'_>) {
    let text = value.to_string();
    let is_same = |dated: &String| {
        dated
            .parse::<T>()
            .is_ok_and(|again| again.to_string() == text)
    };
    writer.string(dated(&text).filter(is_same).as_ref().unwrap_or(&text));
}

/// RFC 3339 of a date and a time that is displayed for people, as chrono does:
/// `2026-01-02 03:04:05 UTC`.
fn dated(text: &str) -> Option<String> {
    let (date, rest) = text.split_at_checked("2026-01-02".len())?;
    let rest = rest.strip_prefix(' ')?;
    let is_date = date.bytes().enumerate().all(|(at, byte)| {
        if matches!(at, 4 | 7) {
            byte == b'-'
        } else {
            byte.is_ascii_digit()
        }
    });
    let (time, zone) = rest.split_once(' ').unwrap_or((rest, ""));
    (is_date && time.starts_with(|first: char| first.is_ascii_digit()))
        .then(|| format!("{date}T{time}{}", if zone == "UTC" { "Z" } else { zone }))
}

fn nothing<T>() -> Option<T> {
    None
}

/// The strings that an author's own type takes.
const OWN_TEXT: &TypeInfo = &TypeInfo::formatted(OWN);

/// A type whose values are stored as strings.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored as a string",
    label = "not written by `Display` and read by `FromStr`",
    note = "implement `std::fmt::Display` and `std::str::FromStr` for it; the error of `FromStr` needs `Display`, too",
    note = "for a collection, write `upstate::AsString` around the type of its elements, and no `as_string`"
)]
pub trait StringForm: Sized {
    /// The slot of an attribute that is stored as a string.
    const SLOT: Slot<Self>;
}

#[diagnostic::do_not_recommend]
impl<T: Display + FromStr<Err: Display>> StringForm for T {
    const SLOT: Slot<Self> = Slot {
        info: OWN_TEXT,
        decode: read_as_string::<T>,
        absent: nothing,
        encode: write_as_string::<T>,
    };
}

impl<T> Slot<Option<T>> {
    /// The slot of an optional attribute that is stored as a string.
    #[must_use]
    pub const fn as_optional_string() -> Self
    where
        T: StringForm,
    {
        fn read<T: StringForm>(reader: &mut Reader<'_>) -> Result<Option<T>> {
            if reader.peek()? == Kind::Null {
                reader.null().map(|()| None)
            } else {
                T::SLOT.decode(reader).map(Some)
            }
        }
        #[expect(
            clippy::ref_option,
            reason = "a slot writes from a reference to the field"
        )]
        fn write<T: StringForm>(value: &Option<T>, writer: &mut Writer<'_>) {
            match value {
                Some(value) => T::SLOT.encode(value, writer),
                None => writer.null(),
            }
        }
        Self {
            info: const { &TypeInfo::or_null(OWN_TEXT) },
            decode: read::<T>,
            absent: || Some(None),
            encode: write::<T>,
        }
    }
}

impl<T> Slot<Vec<T>> {
    /// The slot of a `Vec` that is stored as a set: each element once, written in order.
    #[must_use]
    pub const fn set() -> Self
    where
        T: AttributeType + Ord,
    {
        Self {
            info: const { &TypeInfo::set(T::INFO) },
            decode: read_set::<T>,
            absent: nothing,
            encode: write_list_as_set::<T>,
        }
    }
}

impl<T> Slot<Vec<T>> {
    /// The slot of nested blocks in a `Vec` that are stored as a set.
    #[must_use]
    pub const fn block_set() -> Self
    where
        T: AttributeType + Object + Ord,
    {
        fn read<T: AttributeType + Ord>(reader: &mut Reader<'_>) -> Result<Vec<T>> {
            if reader.peek()? == Kind::Null {
                reader.null().map(|()| Vec::new())
            } else {
                read_set(reader)
            }
        }
        Self {
            info: const { &TypeInfo::set(T::INFO) },
            decode: read::<T>,
            absent: || Some(Vec::new()),
            encode: write_list_as_set::<T>,
        }
    }
}

impl<T> Slot<Option<Vec<T>>> {
    /// The slot of an optional `Vec` that is stored as a set.
    #[must_use]
    pub const fn optional_set() -> Self
    where
        T: AttributeType + Ord,
    {
        fn read<T: AttributeType + Ord>(reader: &mut Reader<'_>) -> Result<Option<Vec<T>>> {
            if reader.peek()? == Kind::Null {
                reader.null().map(|()| None)
            } else {
                read_set(reader).map(Some)
            }
        }
        #[expect(
            clippy::ref_option,
            reason = "a slot writes from a reference to the field"
        )]
        fn write<T: AttributeType + Ord>(list: &Option<Vec<T>>, writer: &mut Writer<'_>) {
            match list {
                Some(list) => write_list_as_set(list, writer),
                None => writer.null(),
            }
        }
        Self {
            info: const { &TypeInfo::or_null(&TypeInfo::set(T::INFO)) },
            decode: read::<T>,
            absent: || Some(None),
            encode: write::<T>,
        }
    }
}

fn read_set<T: AttributeType + Ord>(reader: &mut Reader<'_>) -> Result<Vec<T>> {
    reader.peek()?;
    let start = reader.position();
    let mut list = Vec::<T>::decode(reader)?;
    let stored = list.len();
    list.sort();
    list.dedup();
    if list.len() < stored {
        reader.note_repeated(start);
    }
    Ok(list)
}

#[expect(
    clippy::ptr_arg,
    reason = "a slot writes from a reference to the field"
)]
fn write_list_as_set<T: AttributeType + Ord>(list: &Vec<T>, writer: &mut Writer<'_>) {
    let mut sorted: Vec<&T> = list.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    write_set(sorted.len(), sorted.into_iter(), writer);
}

/// Reads the stored form `S` and hands it to the author's function.
///
/// The function's error is shown unless the attribute is sensitive.
pub fn read_with<S: AttributeType, T, E: Display>(
    reader: &mut Reader<'_>,
    read: fn(S) -> std::result::Result<T, E>,
) -> Result<T> {
    reader.peek()?;
    let start = reader.position();
    let stored = S::decode(reader)?;
    read(stored).map_err(|error| DecodeError::new(Problem::Author(error.to_string()), start))
}

/// Writes the stored form that the author's function makes.
pub fn write_with<S: AttributeType, T>(value: &T, writer: &mut Writer<'_>, write: fn(&T) -> S) {
    write(value).encode(writer);
}

/// The value that the author's function makes of an attribute that is not stored at all; `None` if
/// there is none.
pub fn absent_with<S: AttributeType, T, E>(read: fn(S) -> std::result::Result<T, E>) -> Option<T> {
    S::absent().and_then(|stored| read(stored).ok())
}

/// A nested object that earlier releases stored as a list of at most one.
///
/// Reads `[x]`, `[]`, `{…}` and null; two elements are an error. Written as the list.
///
/// ```
/// use upstate::{Object, SingleBlock};
///
/// #[derive(Debug, PartialEq, Object)]
/// struct Limits { cpu: i64 }
///
/// #[derive(Debug, PartialEq, Object)]
/// struct Job { limits: SingleBlock<Limits> }
///
/// let job: Job = upstate::from_json(r#"{"limits": [{"cpu": 2}]}"#)?;
/// assert_eq!(job.limits.as_ref().map(|limits| limits.cpu), Some(2));
/// assert_eq!(upstate::from_json::<Job>(r#"{"limits": {"cpu": 2}}"#)?, job);
/// assert_eq!(*upstate::from_json::<Job>(r#"{"limits": []}"#)?.limits, None);
/// # Ok::<(), upstate::DecodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SingleBlock<T>(pub Option<T>);

#[diagnostic::do_not_recommend]
impl<T: AttributeType> AttributeType for SingleBlock<T> {
    const INFO: &'static TypeInfo =
        &TypeInfo::leniently(&TypeInfo::or_null(&TypeInfo::list(T::INFO))).read_as::<Self>();

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        match reader.peek()? {
            Kind::Null => reader.null().map(|()| Self(None)),
            Kind::Object => T::decode(reader).map(|value| Self(Some(value))),
            Kind::Array => {
                let start = reader.position();
                reader.open_array()?;
                let mut value = None;
                while reader.next_element(value.is_none())? {
                    if value.is_some() {
                        let problem = Problem::Unfit(
                            DecodeErrorKind::WrongKind,
                            "at most one element",
                            "more",
                        );
                        return Err(DecodeError::new(problem, start));
                    }
                    value = Some(T::decode(reader)?);
                }
                Ok(Self(value))
            }
            Kind::Bool | Kind::Number | Kind::String => {
                Err(reader.unexpected("an object, or a list of at most one"))
            }
        }
    }

    fn absent() -> Option<Self> {
        Some(Self(None))
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        writer.open_array(usize::from(self.0.is_some()));
        if let Some(value) = &self.0 {
            writer.element(0);
            value.encode(writer);
        }
        writer.close_array();
    }
}

/// An attribute for which earlier releases stored `""`, `0` or `false` where they meant null.
///
/// Reads those as `None`; `None` is written as null.
///
/// ```
/// use upstate::{Object, ZeroAsNull};
///
/// #[derive(Object)]
/// struct Disk { size: ZeroAsNull<i64>, label: ZeroAsNull<String> }
///
/// let disk: Disk = upstate::from_json(r#"{"size": "", "label": "data"}"#)?;
/// assert_eq!((*disk.size, disk.label.as_deref()), (None, Some("data")));
/// # Ok::<(), upstate::DecodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ZeroAsNull<T>(pub Option<T>);

#[diagnostic::do_not_recommend]
impl<T: AttributeType + Default + PartialEq> AttributeType for ZeroAsNull<T> {
    const INFO: &'static TypeInfo =
        &TypeInfo::leniently(&TypeInfo::or_null(T::INFO)).read_as::<Self>();
    const ABSENT_IS_NULL: bool = true;

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        let kind = reader.peek()?;
        if kind == Kind::Null {
            return reader.null().map(|()| Self(None));
        }
        if kind == Kind::String {
            let start = reader.mark();
            if reader.string()?.is_empty() {
                return Ok(Self(None));
            }
            reader.rewind(start);
        }
        T::decode(reader).map(|value| Self(Some(value).filter(|value| *value != T::default())))
    }

    fn absent() -> Option<Self> {
        Some(Self(None))
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        match &self.0 {
            Some(value) => value.encode(writer),
            None => writer.null(),
        }
    }
}

/// A value that is stored as a string, where no attribute can say so: an element, a part of a
/// tuple.
///
/// Reads and writes as a field with `#[attribute(as_string)]`.
///
/// ```
/// use std::net::IpAddr;
/// use upstate::{AsString, Object};
///
/// #[derive(Object)]
/// struct Lease { addresses: Vec<AsString<IpAddr>> }
///
/// let lease: Lease = upstate::from_json(r#"{"addresses": ["10.0.0.1"]}"#)?;
/// assert_eq!(*lease.addresses[0], IpAddr::from([10, 0, 0, 1]));
/// # Ok::<(), upstate::DecodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct AsString<T>(pub T);

#[diagnostic::do_not_recommend]
impl<T: StringForm> AttributeType for AsString<T> {
    const INFO: &'static TypeInfo = OWN_TEXT;

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        T::SLOT.decode(reader).map(Self)
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        T::SLOT.encode(&self.0, writer);
    }
}

impl<T> Deref for AsString<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for AsString<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> From<T> for AsString<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

/// The form that [`With`] stores values of `T` in; implemented by a type that only names it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a stored form of `{T}`",
    label = "no `StoredForm<{T}>`",
    note = "write `impl upstate::StoredForm<{T}> for {Self}`, with the type `Stored` and the functions `read` and `write`"
)]
pub trait StoredForm<T> {
    /// The type that is stored.
    type Stored: AttributeType;

    /// The value of what is stored.
    ///
    /// # Errors
    /// No value has this form. The reason is shown unless the attribute is sensitive.
    fn read(stored: Self::Stored) -> std::result::Result<T, String>;

    /// The stored form of a value.
    fn write(value: &T) -> Self::Stored;
}

/// A value in a form of its author's, where no attribute can say so: an element, a part of a tuple.
///
/// Reads and writes as a field with `#[attribute(with = module)]`, by the functions of `F`.
///
/// ```
/// use std::time::Duration;
/// use upstate::{Object, StoredForm, With};
///
/// enum Seconds {}
///
/// impl StoredForm<Duration> for Seconds {
///     type Stored = u64;
///
///     fn read(stored: u64) -> Result<Duration, String> {
///         Ok(Duration::from_secs(stored))
///     }
///
///     fn write(pause: &Duration) -> u64 {
///         pause.as_secs()
///     }
/// }
///
/// #[derive(Object)]
/// struct Retries { pauses: Vec<With<Duration, Seconds>> }
///
/// let retries: Retries = upstate::from_json(r#"{"pauses": [5, 60]}"#)?;
/// assert_eq!(*retries.pauses[1], Duration::from_secs(60));
/// # Ok::<(), upstate::DecodeError>(())
/// ```
// Without a bound, because each place that names the type would repeat what is wrong with it.
pub struct With<T, F>(pub T, PhantomData<fn() -> F>);

impl<T, F: StoredForm<T>> AttributeType for With<T, F> {
    const INFO: &'static TypeInfo = <F::Stored as AttributeType>::OWN_INFO;
    const ABSENT_IS_NULL: bool = <F::Stored as AttributeType>::ABSENT_IS_NULL;

    fn decode(reader: &mut Reader<'_>) -> Result<Self> {
        read_with(reader, F::read).map(Self::from)
    }

    fn absent() -> Option<Self> {
        absent_with(F::read).map(Self::from)
    }

    fn encode(&self, writer: &mut Writer<'_>) {
        write_with(&self.0, writer, F::write);
    }
}

impl<T, F> Deref for With<T, F> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T, F> DerefMut for With<T, F> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T, F> From<T> for With<T, F> {
    fn from(value: T) -> Self {
        Self(value, PhantomData)
    }
}

// Not derived, because a derive would ask the same of `F`, which has no values.
impl<T: Debug, F> Debug for With<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("With").field(&self.0).finish()
    }
}

impl<T: Clone, F> Clone for With<T, F> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<T: Copy, F> Copy for With<T, F> {}

impl<T: Default, F> Default for With<T, F> {
    fn default() -> Self {
        Self(T::default(), PhantomData)
    }
}

impl<T: PartialEq, F> PartialEq for With<T, F> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: Eq, F> Eq for With<T, F> {}

impl<T: PartialOrd, F> PartialOrd for With<T, F> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.0.partial_cmp(&other.0)
    }
}

impl<T: Ord, F> Ord for With<T, F> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl<T: Hash, F> Hash for With<T, F> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

macro_rules! wrappers {
    ($($wrapper:ident)+) => {$(
        impl<T> Deref for $wrapper<T> {
            type Target = Option<T>;

            fn deref(&self) -> &Option<T> {
                &self.0
            }
        }

        impl<T> DerefMut for $wrapper<T> {
            fn deref_mut(&mut self) -> &mut Option<T> {
                &mut self.0
            }
        }

        impl<T> Default for $wrapper<T> {
            fn default() -> Self {
                Self(None)
            }
        }

        impl<T> From<Option<T>> for $wrapper<T> {
            fn from(value: Option<T>) -> Self {
                Self(value)
            }
        }

        impl<T> From<$wrapper<T>> for Option<T> {
            fn from(wrapper: $wrapper<T>) -> Self {
                wrapper.0
            }
        }
    )+};
}

wrappers! { SingleBlock ZeroAsNull }

/// Tuples: an array of exactly as many elements.
macro_rules! tuples {
    ($($len:literal: $($name:ident $index:tt)+;)+) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($name: AttributeType),+> AttributeType for ($($name,)+) {
            const INFO: &'static TypeInfo = &TypeInfo::new(
                Stored::Tuple(const { &[$(&$name::INFO.stored),+] }),
                Holds::tuples_of(const { &[$(&$name::INFO.holds),+] }),
            );

            fn decode(reader: &mut Reader<'_>) -> Result<Self> {
                if reader.peek()? != Kind::Array {
                    return Err(reader.unexpected("a tuple"));
                }
                let start = reader.position();
                reader.open_array()?;
                let tuple = ($({
                    if !reader.next_element($index == 0)? {
                        return Err(tuple_length(start, $len, Some($index)));
                    }
                    $name::decode(reader)?
                },)+);
                if reader.next_element(false)? { Err(tuple_length(start, $len, None)) } else { Ok(tuple) }
            }

            fn encode(&self, writer: &mut Writer<'_>) {
                writer.open_array($len);
                $(
                    writer.element($index);
                    self.$index.encode(writer);
                )+
                writer.close_array();
            }
        }
    )+};
}

tuples! {
    1: A 0;
    2: A 0 B 1;
    3: A 0 B 1 C 2;
    4: A 0 B 1 C 2 D 3;
    5: A 0 B 1 C 2 D 3 E 4;
    6: A 0 B 1 C 2 D 3 E 4 F 5;
}

/// The elements of an array, one after the other.
#[derive(Debug)]
pub struct Elements<'r, 'a> {
    reader: &'r mut Reader<'a>,
    start: usize,
    wanted: usize,
    read: usize,
    ended: bool,
}

impl Elements<'_, '_> {
    /// Reads the next element.
    pub fn next<T>(&mut self, decode: fn(&mut Reader<'_>) -> Result<T>) -> Result<T> {
        if !self.is_there()? {
            let problem = Problem::Elements(self.wanted, Some(self.read));
            return Err(DecodeError::new(problem, self.start));
        }
        decode(self.reader)
    }

    /// Reads the next element; where the array ends before it, `default` gives its value.
    pub fn next_or<T>(
        &mut self,
        decode: fn(&mut Reader<'_>) -> Result<T>,
        default: impl FnOnce() -> T,
    ) -> Result<T> {
        if !self.is_there()? {
            return Ok(default());
        }
        decode(self.reader)
    }

    /// Moves to the next element, if there is one.
    #[inline]
    fn is_there(&mut self) -> Result<bool> {
        if self.ended || !self.reader.next_element(self.read == 0)? {
            self.ended = true;
            return Ok(false);
        }
        self.read += 1;
        Ok(true)
    }
}

/// Reads an array of `wanted` elements, for which `read` asks.
pub fn read_elements<T>(
    reader: &mut Reader<'_>,
    wanted: usize,
    read: impl FnOnce(&mut Elements<'_, '_>) -> Result<T>,
) -> Result<T> {
    if reader.peek()? != Kind::Array {
        return Err(reader.unexpected("an array"));
    }
    let start = reader.position();
    reader.open_array()?;
    let mut elements = Elements {
        reader,
        start,
        wanted,
        read: 0,
        ended: false,
    };
    let value = read(&mut elements)?;
    let is_first = elements.read == 0;
    if elements.ended {
        return Ok(value);
    }
    if reader.next_element(is_first)? {
        Err(DecodeError::new(Problem::Elements(wanted, None), start))
    } else {
        Ok(value)
    }
}

/// Writes the elements of an array, one after the other.
#[derive(Debug)]
pub struct WrittenElements<'w, 'o> {
    writer: &'w mut Writer<'o>,
    written: usize,
}

impl WrittenElements<'_, '_> {
    /// Writes the next element.
    pub fn next(&mut self, write: impl FnOnce(&mut Writer<'_>)) {
        self.writer.element(self.written);
        self.written += 1;
        write(self.writer);
    }
}

/// Writes an array of `count` elements.
pub fn write_elements(
    writer: &mut Writer<'_>,
    count: usize,
    write: impl FnOnce(&mut WrittenElements<'_, '_>),
) {
    writer.open_array(count);
    write(&mut WrittenElements { writer, written: 0 });
    writer.close_array();
}

#[cold]
fn tuple_length(start: usize, len: usize, found: Option<usize>) -> DecodeError {
    let found = found.map_or_else(|| "more".to_owned(), |found| found.to_string());
    let problem = format!("expected a tuple of {len} elements, found {found}");
    DecodeError::new(Problem::Text(DecodeErrorKind::TupleLength, problem), start)
}

#[cfg(test)]
mod tests {
    use std::any::type_name;
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

    use super::{short_name, wanted};

    #[test]
    fn types_that_everybody_knows_have_words_of_their_own() {
        assert_eq!(wanted(type_name::<IpAddr>()), "an IP address");
        assert_eq!(wanted(type_name::<Ipv4Addr>()), "an IPv4 address");
        assert_eq!(wanted(type_name::<Ipv6Addr>()), "an IPv6 address");
        assert_eq!(
            wanted(type_name::<SocketAddr>()),
            "an IP address with a port"
        );
        assert_eq!(
            wanted(type_name::<crate::meaning::Period>()),
            "a duration such as \"30m\""
        );
        #[cfg(feature = "url")]
        assert_eq!(wanted(type_name::<url::Url>()), "a URL");
        #[cfg(feature = "uuid")]
        assert_eq!(wanted(type_name::<uuid::Uuid>()), "a UUID");
        assert_eq!(wanted("harbor::Tide"), "a valid `Tide`");
    }

    #[test]
    fn a_type_is_called_as_its_author_calls_it() {
        for (full, short) in [
            ("core::net::ip_addr::Ipv6Addr", "Ipv6Addr"),
            ("my::Wrapper<url::Url>", "Wrapper<Url>"),
            ("a::Pair<b::One, [c::d::Two; 3]>", "Pair<One, [Two; 3]>"),
            ("u8", "u8"),
        ] {
            assert_eq!(short_name(full), short);
        }
    }
}
