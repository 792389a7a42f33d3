//! Ranges of whole numbers: what an integer type takes, for the proofs and the lock.

use upstate_words::lock::{integers, leaves_out_zero};

use crate::message::Message;

/// The whole numbers from one to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IntegerRange {
    min: i128,
    max: u128,
    without_zero: bool,
}

impl IntegerRange {
    /// Those from `min` to `max`, which is not negative.
    pub(crate) const fn new(min: i128, max: i128) -> Self {
        Self {
            min,
            max: max.unsigned_abs(),
            without_zero: false,
        }
    }

    /// Those of a Rust type, by its name; nothing if that is not the name of one.
    pub(crate) const fn of_type(name: &[u8]) -> Option<Self> {
        match integers(name) {
            Some((min, max)) => Some(Self {
                min,
                max,
                without_zero: leaves_out_zero(name),
            }),
            None => None,
        }
    }

    /// Those of a Rust type, by its bits: below 0 if it has a sign, and 0 for none.
    pub(super) const fn of_bits(bits: i16) -> Option<Self> {
        if bits == 0 {
            return None;
        }
        let is_signed = bits < 0;
        let unused = 128 - bits.unsigned_abs() as u32;
        Some(Self {
            min: if is_signed { i128::MIN >> unused } else { 0 },
            max: u128::MAX >> is_signed as u32 >> unused,
            without_zero: false,
        })
    }

    /// The bits of the Rust type that takes these, as [`of_bits`](Self::of_bits) reads them.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "no integer type has more than 128 bits"
    )]
    pub(super) const fn bits(self) -> i16 {
        let bits = (128 - self.max.leading_zeros()) as i16;
        if self.min < 0 { -bits - 1 } else { bits }
    }

    /// All of these but 0, if that is left out.
    pub(super) const fn leaving_out_zero(self, without_zero: bool) -> Self {
        Self {
            without_zero,
            ..self
        }
    }

    /// True if all of these are among the others.
    pub(crate) const fn is_within(self, others: Self) -> bool {
        others.min <= self.min
            && self.max <= others.max
            && (self.without_zero || !others.without_zero)
    }

    /// True if some number is one of these and of `others`, and not of what was there `before`.
    pub(crate) const fn meets_outside_of(self, others: Self, before: Self) -> bool {
        let min = if self.min > others.min {
            self.min
        } else {
            others.min
        };
        let max = if self.max < others.max {
            self.max
        } else {
            others.max
        };
        let both = Self {
            min,
            max,
            without_zero: self.without_zero || others.without_zero,
        };
        (min <= 0 || min.unsigned_abs() <= max) && !both.is_within(before)
    }

    /// True if a number is one of these.
    pub(crate) const fn has(self, number: i128) -> bool {
        self.min <= number
            && (number < 0 || number.unsigned_abs() <= self.max)
            && !(self.without_zero && number == 0)
    }

    /// True if none of these is further from 0 than `most`.
    pub(crate) const fn is_up_to(self, most: u128) -> bool {
        self.min.unsigned_abs() <= most && self.max <= most
    }

    /// The name of the integer type.
    pub(crate) const fn name(self) -> &'static str {
        match self.bits() {
            -8 => "i8",
            -16 => "i16",
            -32 => "i32",
            -64 => "i64",
            8 => "u8",
            16 => "u16",
            32 => "u32",
            64 => "u64",
            128 => "u128",
            _ => "i128",
        }
    }

    /// The name that a lock has for these, where Terraform has no such numbers; nothing if locks
    /// have none. An atomic of 64 bits has that of `isize` or `usize`, which holds the same.
    pub(super) const fn of_documents(self) -> Option<&'static str> {
        Some(match (self.bits(), self.without_zero) {
            (-128, false) => "i128",
            (-64, false) => "isize",
            (64, false) => "usize",
            (-32, false) => "AtomicI32",
            (8, false) => "AtomicU8",
            (16, false) => "AtomicU16",
            (32, false) => "AtomicU32",
            (128, false) => "u128",
            (-8, true) => "NonZeroI8",
            (-16, true) => "NonZeroI16",
            (-32, true) => "NonZeroI32",
            (-64, true) => "NonZeroI64",
            (8, true) => "NonZeroU8",
            (16, true) => "NonZeroU16",
            (32, true) => "NonZeroU32",
            (64, true) => "NonZeroU64",
            _ => return None,
        })
    }

    /// The name of the type, and that 0 is left out.
    pub(crate) const fn words(self) -> &'static str {
        macro_rules! words {
            ($($bits:literal $name:literal)+) => {
                match self.bits() {
                    $($bits if self.without_zero => concat!($name, " other than 0"),)+
                    _ => self.name(),
                }
            };
        }
        words! { -8 "i8" -16 "i16" -32 "i32" -64 "i64" -128 "i128" 8 "u8" 16 "u16" 32 "u32" 64 "u64" 128 "u128" }
    }

    /// Appends the least and the greatest of these, or the name of a type of more than 64 bits.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the numbers of a wider type are not written"
    )]
    pub(crate) const fn put_bounds(self, out: Message) -> Message {
        if !self.is_up_to(u64::MAX as u128) {
            return out.text("those of ").text(self.name());
        }
        let out = out.text(if self.min < 0 { "from -" } else { "from " });
        let out = out
            .number(self.min.unsigned_abs() as u64)
            .text(" to ")
            .number(self.max as u64);
        if self.without_zero {
            out.text(", other than 0")
        } else {
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AttributeType;

    fn range<T: AttributeType>() -> IntegerRange {
        T::INFO.holds.range().unwrap()
    }

    #[test]
    fn the_range_of_each_integer_type_is_known() {
        macro_rules! bounds {
            ($($int:ident)+) => {$(
                let found = range::<$int>();
                let bounds = [found.min.to_string(), found.max.to_string()];
                assert_eq!(bounds, [$int::MIN.to_string(), $int::MAX.to_string()]);
                assert_eq!(found.name(), stringify!($int));
            )+};
        }
        bounds! { i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 }
        // Those of 64 bits, because documents go from machine to machine.
        assert_eq!(range::<isize>().name(), "i64");
        assert_eq!(range::<usize>().name(), "u64");
        macro_rules! without_zero {
            ($($int:ident $non_zero:ident)+) => {$(
                let (whole, found) = (range::<$int>(), range::<std::num::$non_zero>());
                assert_eq!((found.min, found.max), (whole.min, whole.max));
                assert!(found.is_within(whole) && !whole.is_within(found));
                assert!(!found.has(0) && found.has(1) && whole.has(0));
            )+};
        }
        without_zero! {
            i8 NonZeroI8 i16 NonZeroI16 i32 NonZeroI32 i64 NonZeroI64
            u8 NonZeroU8 u16 NonZeroU16 u32 NonZeroU32 u64 NonZeroU64 usize NonZeroUsize
        }
    }

    #[test]
    fn the_lock_has_a_name_for_each_range_that_terraform_has_not() {
        macro_rules! names {
            ($($int:ty => $name:expr;)+) => {$(
                let found = range::<$int>();
                assert_eq!(found.of_documents(), $name);
                if let Some(name) = found.of_documents() {
                    let named = IntegerRange::of_type(name.as_bytes()).unwrap();
                    assert!(named.is_within(found), "{name}");
                    assert!(upstate_words::lock::is_integer_of_documents(name), "{name}");
                }
            )+};
        }
        names! {
            i128 => Some("i128");
            u128 => Some("u128");
            isize => Some("isize");
            usize => Some("usize");
            std::num::NonZeroI8 => Some("NonZeroI8");
            std::num::NonZeroI64 => Some("NonZeroI64");
            std::num::NonZeroU32 => Some("NonZeroU32");
            std::num::NonZeroUsize => Some("NonZeroU64");
            std::sync::atomic::AtomicU8 => Some("AtomicU8");
            std::sync::atomic::AtomicU16 => Some("AtomicU16");
            std::sync::atomic::AtomicU32 => Some("AtomicU32");
            std::sync::atomic::AtomicI32 => Some("AtomicI32");
            std::sync::atomic::AtomicU64 => Some("usize");
            std::sync::atomic::AtomicI64 => Some("isize");
        }
    }

    #[test]
    fn a_range_is_within_wider_ones_alone() {
        let all = [
            range::<u8>(),
            range::<i16>(),
            range::<u64>(),
            range::<i128>(),
            range::<u128>(),
        ];
        let within = |one: IntegerRange| all.map(|other| one.is_within(other));
        assert_eq!(
            all.map(within),
            [
                [true, true, true, true, true],
                [false, true, false, true, false],
                [false, false, true, true, true],
                [false, false, false, true, false],
                [false, false, false, false, true],
            ]
        );
        assert_eq!(
            all.map(IntegerRange::name),
            ["u8", "i16", "u64", "i128", "u128"]
        );
    }
}
