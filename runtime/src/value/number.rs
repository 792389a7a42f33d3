//! Numbers, digit for digit.

use std::cmp::Ordering;
use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// The number of digits that a number may have when written without an exponent.
const MAX_DIGITS: usize = 1_000;

/// A decimal number of any size that never passes through a float.
///
/// Written without an exponent, without leading zeros and without trailing zeros after the point;
/// that text is also what decides equality.
///
/// ```
/// use upstate::Number;
///
/// let price: Number = "12.50".parse()?;
/// assert_eq!(price.to_string(), "12.5");
/// assert_eq!("1e3".parse::<Number>()?, Number::from(1000_i64));
/// # Ok::<(), upstate::value::ParseNumberError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// Every whole number that fits.
    Int(i64),
    /// Every other number, in canonical text; of documents also whole ones with `.0` behind them.
    Decimal(Box<str>),
}

impl Number {
    /// The number if it is whole and fits in 64 signed bits.
    pub fn as_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Int(int) => Some(*int),
            Repr::Decimal(_) => None,
        }
    }

    /// The number if it is whole and fits in 64 unsigned bits.
    pub fn as_u64(&self) -> Option<u64> {
        match &self.0 {
            Repr::Int(int) => u64::try_from(*int).ok(),
            Repr::Decimal(text) => text.parse().ok(),
        }
    }

    /// The nearest float; infinite if the number is beyond all of them.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            #[expect(
                clippy::cast_precision_loss,
                reason = "the nearest float is what is asked for"
            )]
            Repr::Int(int) => *int as f64,
            Repr::Decimal(text) => text.parse().unwrap_or(f64::NAN),
        }
    }

    /// True if the number has no digits after the point.
    pub fn is_whole(&self) -> bool {
        match &self.0 {
            Repr::Int(_) => true,
            Repr::Decimal(text) => !text.contains('.'),
        }
    }

    /// The float that is exactly this number, if there is one.
    pub fn as_exact_f64(&self) -> Option<f64> {
        let float = self.to_f64();
        let (_, whole, fraction) = self.parts();
        // The last decimal of a binary fraction is always a 5.
        if !fraction.is_empty() && !fraction.ends_with('5') || !float.is_finite() {
            return None;
        }
        // Up to 38 digits are n / 10^k in integers, which a float holds if 5^k divides n and the
        // rest has 53 bits.
        let digits = format!("{whole}{fraction}");
        let power = u32::try_from(fraction.len())
            .ok()
            .and_then(|places| 5_u128.checked_pow(places));
        if let (Ok(digits), Some(power)) = (digits.parse::<u128>(), power) {
            let odd = digits / power;
            let bits = u128::BITS
                - odd.leading_zeros()
                - odd.trailing_zeros().min(u128::BITS - odd.leading_zeros());
            return (digits % power == 0 && bits <= f64::MANTISSA_DIGITS).then_some(float);
        }
        // The text of a float with more decimals than any float has is its exact value, so that
        // more digits are compared with that.
        let exact = format!("{float:.1100}");
        let exact = exact.trim_end_matches('0').trim_end_matches('.');
        (exact == self.to_string()).then_some(float)
    }

    /// The number of a finite float, as an `f64` attribute is stored: a whole one of 64 bits with
    /// all its digits, any other as its shortest decimal text says. Go writes and Terraform
    /// compares them so.
    ///
    /// ```
    /// use upstate::Number;
    ///
    /// assert_eq!(Number::from_f64(0.1), "0.1".parse().ok());
    /// assert_eq!(Number::from_f64(2_f64.powi(63)), "9223372036854775808".parse().ok());
    /// assert_eq!(Number::from_f64(1e23), "1e23".parse().ok());
    /// ```
    pub fn from_f64(float: f64) -> Option<Self> {
        let has_64_bits =
            (-9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0).contains(&float);
        let text = if float.fract() == 0.0 && has_64_bits {
            format!("{float:.0}")
        } else {
            float.to_string()
        };
        float.is_finite().then(|| text.parse().ok()).flatten()
    }

    /// The number that Terraform means by a float: a whole one exactly, as Terraform sends only
    /// those that a float holds.
    pub(crate) fn of_sent(float: f64) -> Option<Self> {
        if float.fract() == 0.0 {
            format!("{float:.0}").parse().ok()
        } else {
            Self::from_f64(float)
        }
    }

    /// The number as a float, where text of a document wrote it as one: `1.0` and `1` are two
    /// values there.
    pub(crate) fn written_as(self, text: &str) -> Self {
        let is_float = text.contains(['.', 'e', 'E']) || text == "-0";
        match &self.0 {
            Repr::Int(0) if is_float && text.starts_with('-') => Self(Repr::Decimal("-0.0".into())),
            Repr::Int(int) if is_float => Self(Repr::Decimal(format!("{int}.0").into())),
            Repr::Decimal(whole) if is_float && !whole.contains('.') => {
                Self(Repr::Decimal(format!("{whole}.0").into()))
            }
            Repr::Int(_) | Repr::Decimal(_) => self,
        }
    }

    /// Sign, digits before and digits after the point of the canonical text.
    fn parts(&self) -> (bool, String, String) {
        let text = self.to_string();
        let (negative, digits) = text
            .strip_prefix('-')
            .map_or((false, text.as_str()), |digits| (true, digits));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        (negative, whole.to_owned(), fraction.to_owned())
    }
}

impl From<i64> for Number {
    fn from(int: i64) -> Self {
        Self(Repr::Int(int))
    }
}

impl From<u64> for Number {
    fn from(int: u64) -> Self {
        Self(i64::try_from(int).map_or_else(|_| Repr::Decimal(int.to_string().into()), Repr::Int))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Int(int) => int.fmt(f),
            Repr::Decimal(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (Repr::Int(a), Repr::Int(b)) = (&self.0, &other.0) {
            return a.cmp(b);
        }
        let (negative, whole, fraction) = self.parts();
        let (other_negative, other_whole, other_fraction) = other.parts();
        // Canonical digits: a longer whole part is larger, fractions compare as text.
        let size = (whole.len(), &whole, &fraction).cmp(&(
            other_whole.len(),
            &other_whole,
            &other_fraction,
        ));
        match (negative, other_negative) {
            (false, false) => size,
            (true, true) => size.reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

/// The error for a string or float that is not a [`Number`]. Holds nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseNumberError {
    /// It is not a decimal number, or not finite.
    NotANumber,
    /// Written without an exponent it would have more than a thousand digits.
    TooLong,
}

impl fmt::Display for ParseNumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotANumber => f.write_str("not a decimal number"),
            Self::TooLong => write!(f, "a number of more than {MAX_DIGITS} digits"),
        }
    }
}

impl Error for ParseNumberError {}

impl FromStr for Number {
    type Err = ParseNumberError;

    /// Reads an optional sign, digits with a point on either side or between, and an optional
    /// exponent; no blanks.
    fn from_str(text: &str) -> Result<Self, ParseNumberError> {
        // Most numbers are plain digits, so an integer is tried first.
        if let Ok(int) = text.parse() {
            return Ok(Self(Repr::Int(int)));
        }
        let (negative, unsigned) = match text.as_bytes().first() {
            Some(b'-') => (true, text.get(1..).unwrap_or_default()),
            Some(b'+') => (false, text.get(1..).unwrap_or_default()),
            _ => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = || whole.bytes().chain(fraction.bytes());
        if whole.len() + fraction.len() == 0 || !digits().all(|byte| byte.is_ascii_digit()) {
            return Err(ParseNumberError::NotANumber);
        }

        // Digits without zeros at either end, and where the point is relative to their start.
        let leading = digits().take_while(|byte| *byte == b'0').count();
        let mut significant: Vec<u8> = digits().skip(leading).collect();
        while significant.last() == Some(&b'0') {
            significant.pop();
        }
        if significant.is_empty() {
            return Ok(Self(Repr::Int(0)));
        }
        let point = i64::try_from(whole.len())
            .unwrap_or(i64::MAX)
            .saturating_sub_unsigned(leading as u64)
            .saturating_add(exponent);
        let count = significant.len();
        let too_long = |digits: usize| {
            if digits > MAX_DIGITS {
                Err(ParseNumberError::TooLong)
            } else {
                Ok(())
            }
        };
        let mut canonical = String::with_capacity(count + 3);
        if negative {
            canonical.push('-');
        }
        let digits_text = |digits: &[u8]| {
            digits
                .iter()
                .map(|byte| char::from(*byte))
                .collect::<String>()
        };
        match usize::try_from(point) {
            Ok(point) if point >= count => {
                too_long(point)?;
                canonical += &digits_text(&significant);
                canonical.extend(std::iter::repeat_n('0', point - count));
            }
            Ok(point) if point > 0 => {
                too_long(count)?;
                let (before, after) = significant
                    .split_at_checked(point)
                    .unwrap_or((&significant, &[]));
                canonical += &digits_text(before);
                canonical.push('.');
                canonical += &digits_text(after);
            }
            _ => {
                let zeros = usize::try_from(point.unsigned_abs()).unwrap_or(usize::MAX);
                too_long(zeros.saturating_add(count))?;
                canonical += "0.";
                canonical.extend(std::iter::repeat_n('0', zeros));
                canonical += &digits_text(&significant);
            }
        }
        Ok(Self(canonical.parse().map_or_else(
            |_| Repr::Decimal(canonical.into()),
            Repr::Int,
        )))
    }
}

fn parse_exponent(text: &str) -> Result<i64, ParseNumberError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ParseNumberError::NotANumber);
    }
    // More digits than an i64 holds is certainly too much.
    let limit = if text.starts_with('-') {
        i64::MIN / 2
    } else {
        i64::MAX / 2
    };
    Ok(text
        .parse::<i64>()
        .unwrap_or(limit)
        .clamp(i64::MIN / 2, i64::MAX / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_canonical() {
        for (text, canonical) in [
            ("0", "0"),
            ("-0.000", "0"),
            ("007", "7"),
            ("+1.50", "1.5"),
            (".5", "0.5"),
            ("5.", "5"),
            ("1e3", "1000"),
            ("-1.5E+2", "-150"),
            ("12e-4", "0.0012"),
            ("0.1234567890123456789", "0.1234567890123456789"),
            (
                "123456789012345678901234567890",
                "123456789012345678901234567890",
            ),
            ("-9223372036854775808", "-9223372036854775808"),
            ("1e20", "100000000000000000000"),
            ("0e99999999999999999999", "0"),
        ] {
            assert_eq!(
                text.parse::<Number>().unwrap().to_string(),
                canonical,
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "", "-", ".", "e1", "1e", "1e+", "1.2.3", "0x10", "1_000", " 1", "NaN", "Infinity", "१",
        ] {
            assert_eq!(
                text.parse::<Number>(),
                Err(ParseNumberError::NotANumber),
                "{text}"
            );
        }
        for text in [
            "1e1001",
            "1e-1001",
            "1e99999999999999999999",
            "-1e-99999999999999999999",
        ] {
            assert_eq!(
                text.parse::<Number>(),
                Err(ParseNumberError::TooLong),
                "{text}"
            );
        }
    }

    #[test]
    fn numbers_are_ordered_by_value() {
        let sorted = [
            "-1e20", "-2.5", "-2.25", "-1", "0", "0.05", "0.5", "1", "9", "10", "10.5", "1e20",
        ];
        for (a, b) in sorted.iter().zip(&sorted[1..]) {
            assert!(
                a.parse::<Number>().unwrap() < b.parse::<Number>().unwrap(),
                "{a} < {b}"
            );
        }
    }

    #[test]
    fn integers_are_whole_and_in_range_or_none() {
        assert_eq!(Number::from(u64::MAX).as_u64(), Some(u64::MAX));
        assert_eq!(Number::from(u64::MAX).as_i64(), None);
        assert_eq!("1.5".parse::<Number>().unwrap().as_i64(), None);
        assert_eq!("7.0".parse::<Number>().unwrap().as_i64(), Some(7));
        assert_eq!("0.5".parse::<Number>().unwrap().as_exact_f64(), Some(0.5));
        assert_eq!(
            "1024.0625".parse::<Number>().unwrap().as_exact_f64(),
            Some(1024.0625)
        );
        assert_eq!("0.15".parse::<Number>().unwrap().as_exact_f64(), None);
        assert_eq!("0.1".parse::<Number>().unwrap().as_exact_f64(), None);
        assert_eq!(
            "9007199254740993".parse::<Number>().unwrap().as_exact_f64(),
            None
        );
        assert_eq!(Number::from_f64(0.1).unwrap().to_string(), "0.1");
        let of = |float: f64| Number::from_f64(float).unwrap().to_string();
        assert_eq!(of(9_223_372_036_854_775_808.0), "9223372036854775808");
        assert_eq!(of(-1e23), "-100000000000000000000000");
        assert_eq!((of(0.1), of(-0.0)), ("0.1".to_owned(), "0".to_owned()));
        assert_eq!(
            [f64::NAN, f64::INFINITY].map(Number::from_f64),
            [None, None]
        );
    }
}
