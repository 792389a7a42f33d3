//! Keys of maps: strings, and what has one string for each value.

use std::borrow::Cow;

#[cfg(any(feature = "chrono", feature = "jiff", feature = "uuid"))]
use super::dates::leaves_out;
use super::error::Problem;
use super::json::Reader;
use super::slot::AttributeType;
use super::writer::Writer;
use crate::schema::table::TypeInfo;
use upstate_words::hash::key as number_of;

/// A type whose values can be the keys of a stored map.
///
/// Implemented for strings, integers, `bool`, `char`, enums of strings, and newtypes of them. This
/// trait is sealed: the derives implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a stored map",
    label = "not a key",
    note = "a key is a `String`; in a struct that derives `Document` also an integer, a `bool`, a `char`, an enum without data that derives `upstate::Union`, or a newtype of one of them",
    note = "store pairs in a `Vec` if the key has parts"
)]
pub trait Key: Sized {
    /// A number for the kind of keys; 0 for any string.
    #[doc(hidden)]
    const WORD: u64;

    /// The type that its strings are the values of; nothing if every string is one, or if that is
    /// not known.
    #[doc(hidden)]
    const READS: Option<&'static TypeInfo> = None;

    /// The kind of string that it is read from, as a message calls it.
    #[doc(hidden)]
    const NOUN: &'static str;

    /// True if it is the name of a variant.
    #[doc(hidden)]
    const IS_VARIANT: bool = false;

    /// Reads a key; `None` if the string is not one.
    #[doc(hidden)]
    fn read(text: Cow<'_, str>) -> Option<Self>;

    /// The key as a string.
    #[doc(hidden)]
    fn text(&self) -> Cow<'_, str>;

    /// The key as a string that is soon written.
    #[doc(hidden)]
    fn written(&self) -> KeyText<'_> {
        KeyText::Any(self.text())
    }

    /// True if the string has an offset, a time or the like, which the key that it is read as
    /// lacks, or is the name of no variant, which the one for other names lacks.
    #[doc(hidden)]
    fn leaves_out(_text: &str) -> bool {
        false
    }
}

/// The string of a key.
#[derive(Debug, PartialEq, Eq)]
pub enum KeyText<'k> {
    /// Any string.
    Any(Cow<'k, str>),
    /// The digits of an integer of 64 bits: nothing is allocated for them.
    Digits {
        /// They begin with them.
        bytes: [u8; MOST_DIGITS],
        /// The number of bytes.
        len: usize,
    },
}

/// The length of the longest integer of 64 bits.
const MOST_DIGITS: usize = 20;

impl KeyText<'_> {
    fn digits(int: impl itoa::Integer) -> Self {
        let mut buffer = itoa::Buffer::new();
        let text = buffer.format(int);
        let (mut bytes, len) = ([0; MOST_DIGITS], text.len());
        match bytes.get_mut(..len) {
            Some(start) => {
                start.copy_from_slice(text.as_bytes());
                Self::Digits { bytes, len }
            }
            None => Self::Any(Cow::Owned(text.to_owned())),
        }
    }

    /// Writes it before the member at `index`.
    pub(crate) fn write(&self, index: usize, writer: &mut Writer<'_>) {
        match self {
            Self::Digits { .. } if writer.key_of_digits(index, self.as_bytes()) => {}
            Self::Any(_) | Self::Digits { .. } => writer.key(index, self.as_str()),
        }
    }

    /// The string.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Any(text) => text,
            // The other case does not come, because digits are UTF-8.
            Self::Digits { .. } => std::str::from_utf8(self.as_bytes()).unwrap_or_default(),
        }
    }

    /// Its bytes, which are in the order of strings.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Any(text) => text.as_bytes(),
            Self::Digits { bytes, len } => bytes.get(..*len).unwrap_or_default(),
        }
    }
}

/// The problem of a string that is not a key, at the value of its entry: the path names it, unless
/// the map is sensitive.
#[cold]
pub(super) fn not_a_key<K: Key>() -> Problem {
    if K::IS_VARIANT {
        Problem::Variant(format!("the key is not {}", K::NOUN))
    } else {
        Problem::Key(Cow::Borrowed(K::NOUN))
    }
}

/// Notes that a key does not keep its string, at the value of its entry.
#[cold]
pub(super) fn note_left_out<K: Key>(reader: &mut Reader<'_>, start: usize) {
    // An edit cannot keep the name of a variant that is not known, because that of another one is
    // written in its place.
    if K::IS_VARIANT {
        reader.note_unkept_at(start);
    } else {
        reader.note_rounded(start);
    }
}

macro_rules! strings {
    ($($ty:ty)+) => {$(
        impl Key for $ty {
            const WORD: u64 = 0;
            const NOUN: &'static str = "a string";

            fn read(text: Cow<'_, str>) -> Option<Self> {
                Some(text.into_owned().into())
            }

            fn text(&self) -> Cow<'_, str> {
                Cow::Borrowed(self)
            }
        }
    )+};
}

strings! { String Box<str> std::rc::Rc<str> std::sync::Arc<str> Cow<'static, str> }

macro_rules! parsed {
    ($word:literal $noun:literal $reads:expr, $is_written:expr, $written:expr => $($ty:ty)+) => {$(
        #[diagnostic::do_not_recommend]
        impl Key for $ty {
            const WORD: u64 = $word;
            const READS: Option<&'static TypeInfo> = Some($reads);
            const NOUN: &'static str = $noun;

            fn read(text: Cow<'_, str>) -> Option<Self> {
                text.parse().ok().filter(|_| $is_written(&text))
            }

            fn text(&self) -> Cow<'_, str> {
                Cow::Owned(self.to_string())
            }

            fn written(&self) -> KeyText<'_> {
                $written(self)
            }
        }
    )+};
}

/// True if an integer that Rust reads is written as Rust writes it, without `+7`, `007` and `-0`:
/// two keys would become one.
fn is_integer(text: &str) -> bool {
    text == "0"
        || text
            .trim_start_matches('-')
            .starts_with(|first| matches!(first, '1'..='9'))
}

/// Integers, each with those whose range a lock has for it.
macro_rules! integers {
    ($written:expr => $($ty:ty as $int:ty: $noun:literal;)+) => {
        $(parsed! { 1 $noun <$int as AttributeType>::INFO, is_integer, $written => $ty })+
    };
}

integers! { |key: &Self| KeyText::digits(*key) =>
    i8 as i8: "an integer from -128 to 127";
    i16 as i16: "an integer from -32768 to 32767";
    i32 as i32: "an integer from -2147483648 to 2147483647";
    i64 as i64: "an integer from -9223372036854775808 to 9223372036854775807";
    u8 as u8: "an integer from 0 to 255";
    u16 as u16: "an integer from 0 to 65535";
    u32 as u32: "an integer from 0 to 4294967295";
    u64 as u64: "an integer from 0 to 18446744073709551615";
    i128 as i128: "an integer from -170141183460469231731687303715884105728 to 170141183460469231731687303715884105727";
    u128 as u128: "an integer from 0 to 340282366920938463463374607431768211455";
}

// As integers of 64 bits, because locks have had those, and documents go from machine to machine.
integers! { |key: &Self| KeyText::digits(*key) =>
    isize as i64: "an integer that this machine holds";
    usize as u64: "an integer from 0 that this machine holds";
}

// Their range is that of the integer, because locks have had that one.
integers! { |key: &Self| KeyText::digits(key.get()) =>
    std::num::NonZeroI8 as i8: "an integer from -128 to 127, other than 0";
    std::num::NonZeroI16 as i16: "an integer from -32768 to 32767, other than 0";
    std::num::NonZeroI32 as i32: "an integer from -2147483648 to 2147483647, other than 0";
    std::num::NonZeroI64 as i64: "an integer from -9223372036854775808 to 9223372036854775807, other than 0";
    std::num::NonZeroU8 as u8: "an integer from 1 to 255";
    std::num::NonZeroU16 as u16: "an integer from 1 to 65535";
    std::num::NonZeroU32 as u32: "an integer from 1 to 4294967295";
    std::num::NonZeroU64 as u64: "an integer from 1 to 18446744073709551615";
    std::num::NonZeroUsize as u64: "an integer from 1 that this machine holds";
}

parsed! { 2 "`true` or `false`" BOOLS, |_: &str| true, |key: &Self| KeyText::Any(Cow::Owned(key.to_string())) => bool }
parsed! { 3 "one character" <Self as AttributeType>::INFO, |_: &str| true, |key: &Self| KeyText::Any(Cow::Owned(key.to_string())) => char }

/// The strings of a `bool`.
const BOOLS: &TypeInfo = &TypeInfo::texts(
    &["false", "true"],
    number_of("false").wrapping_add(number_of("true")),
);

/// Keys that have several strings, as serde reads them: what reads as the same value is the same
/// key.
macro_rules! addresses {
    ($($ty:ty)+) => {$(
        #[diagnostic::do_not_recommend]
        impl Key for $ty {
            const WORD: u64 = 4;
            const READS: Option<&'static TypeInfo> = Some(<Self as AttributeType>::INFO);
            const NOUN: &'static str = "an address";

            fn read(text: Cow<'_, str>) -> Option<Self> {
                text.parse().ok()
            }

            fn text(&self) -> Cow<'_, str> {
                Cow::Owned(self.to_string())
            }
        }
    )+};
}

addresses! { std::net::IpAddr std::net::Ipv4Addr std::net::Ipv6Addr std::net::SocketAddr }

impl<K: Key> Key for Box<K> {
    const WORD: u64 = K::WORD;
    const READS: Option<&'static TypeInfo> = K::READS;
    const NOUN: &'static str = K::NOUN;
    const IS_VARIANT: bool = K::IS_VARIANT;

    fn read(text: Cow<'_, str>) -> Option<Self> {
        K::read(text).map(Self::new)
    }

    fn text(&self) -> Cow<'_, str> {
        (**self).text()
    }

    fn written(&self) -> KeyText<'_> {
        (**self).written()
    }

    fn leaves_out(text: &str) -> bool {
        K::leaves_out(text)
    }
}

/// Keys of other crates: what reads as the same value is the same key.
#[cfg(any(feature = "chrono", feature = "jiff", feature = "uuid"))]
macro_rules! of_crates {
    ($($feature:literal $noun:literal: $($ty:ty)+;)+) => {$($(
        #[cfg(feature = $feature)]
        #[diagnostic::do_not_recommend]
        impl Key for $ty {
            const WORD: u64 = 7;
            const READS: Option<&'static TypeInfo> = Some(<Self as AttributeType>::INFO);
            const NOUN: &'static str = $noun;

            fn read(text: Cow<'_, str>) -> Option<Self> {
                text.parse().ok()
            }

            fn text(&self) -> Cow<'_, str> {
                Cow::Owned(self.to_string())
            }

            fn leaves_out(text: &str) -> bool {
                // Only a time or a zone is left out, so that a string without one, a UUID or a
                // date, need not be read once more.
                text.contains(['T', 't', ' ', '[']) && <Self as Key>::read(text.into()).is_some_and(|key| leaves_out(text, &Key::text(&key)))
            }
        }
    )+)+};
}

#[cfg(any(feature = "chrono", feature = "jiff", feature = "uuid"))]
of_crates! {
    "chrono" "a date": chrono::NaiveDate;
    "jiff" "a date": jiff::civil::Date jiff::Timestamp;
    "uuid" "a UUID": uuid::Uuid;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_a_key_is_that_of_its_type() {
        macro_rules! ranges {
            ($($int:ident $non_zero:ident)+) => {$(
                let (min, max) = ($int::MIN, $int::MAX);
                let range = format!("an integer from {min} to {max}");
                assert_eq!(<$int as Key>::NOUN, range);
                let non_zero = if min == 0 {
                    format!("an integer from 1 to {max}")
                } else {
                    format!("{range}, other than 0")
                };
                assert_eq!(<std::num::$non_zero as Key>::NOUN, non_zero);
            )+};
        }
        ranges! {
            i8 NonZeroI8 i16 NonZeroI16 i32 NonZeroI32 i64 NonZeroI64
            u8 NonZeroU8 u16 NonZeroU16 u32 NonZeroU32 u64 NonZeroU64
        }
        assert_eq!(
            <i128 as Key>::NOUN,
            format!("an integer from {} to {}", i128::MIN, i128::MAX)
        );
        assert_eq!(
            <u128 as Key>::NOUN,
            format!("an integer from 0 to {}", u128::MAX)
        );
    }

    #[test]
    fn integers_of_each_length_are_keys_of_their_own() {
        fn word<K: Key + Ord>() -> u64 {
            <std::collections::BTreeMap<K, u8>>::INFO.word
        }
        let words = [
            word::<i32>(),
            word::<i64>(),
            word::<i128>(),
            word::<u32>(),
            word::<u64>(),
            word::<u128>(),
        ];
        let distinct = words.iter().collect::<std::collections::BTreeSet<_>>();
        assert_eq!(distinct.len(), words.len());
    }

    #[test]
    fn a_key_is_written_as_it_was_read() {
        fn read<K: Key>(text: &str) -> bool {
            K::read(Cow::Borrowed(text)).is_some_and(|key| {
                assert_eq!((&*key.text(), key.written().as_str()), (text, text));
                true
            })
        }
        let mut texts = vec![String::new()];
        for from in 0..400 {
            texts.extend(
                ["+", "-", "0", "1", "9", "٣"].map(|next| format!("{}{next}", texts[from])),
            );
        }
        let keys = texts.iter().filter(|text| {
            let is_key = read::<i128>(text);
            assert_eq!(
                is_key,
                text.parse::<i128>()
                    .is_ok_and(|key| key.to_string() == **text),
                "{text}"
            );
            assert!(
                is_key
                    || !(read::<i8>(text) || read::<u8>(text) || read::<std::num::NonZeroI8>(text)),
                "{text}"
            );
            assert_eq!(read::<char>(text), text.chars().count() == 1, "{text}");
            is_key
        });
        assert!(keys.count() > 50);
    }
}
