//! Numbers that stand as they would be written.

use super::transfer::Transfer;
use crate::codec::msgpack;

impl<const JSON: bool, const LAID_OUT: bool> Transfer<'_, '_, JSON, LAID_OUT> {
    /// Takes a whole number of this range over, if one comes next in plain digits.
    #[inline]
    pub(crate) fn integer(&mut self, min: i64, max: i64) -> bool {
        /// As many digits as always fit.
        const MOST: usize = 18;
        let rest = self.bytes().get(self.reader.at..).unwrap_or_default();
        let (negative, digits) = match rest {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        let mut int: i64 = 0;
        let mut count = 0;
        while let Some(digit @ b'0'..=b'9') = digits.get(count).filter(|_| count < MOST) {
            int = int * 10 + i64::from(digit - b'0');
            count += 1;
        }
        let zero = digits.first() == Some(&b'0');
        if count == 0
            || zero && (count > 1 || negative)
            || matches!(digits.get(count), Some(b'0'..=b'9' | b'.' | b'e' | b'E'))
        {
            return false;
        }
        let int = if negative { -int } else { int };
        if int < min || int > max {
            return false;
        }
        self.reader.at += count + usize::from(negative);
        if !JSON {
            msgpack::write_int(int, self.out);
        }
        true
    }

    /// Takes a number over, if one comes next that is written digit for digit as it is.
    #[inline]
    pub(crate) fn number(&mut self) -> bool {
        /// More is rare, and what a number may have at most is for others to know.
        const MOST: usize = 100;
        self.decimal(MOST, |_| JSON)
    }

    /// Takes a number over, if one comes next that is written as it is once it is read as a float.
    #[inline]
    pub(crate) fn float(&mut self) -> bool {
        /// As many digits as any float keeps.
        const KEPT: usize = 15;
        /// More than these no float is written with, unless it is very small or very large.
        const MOST: usize = 24;
        self.decimal(MOST, |number| {
            JSON && (number.digits <= KEPT || number.fraction && is_shortest(number.text))
        })
    }

    /// Takes a number without an exponent and without needless zeros over, if `wanted` wants it.
    #[inline]
    fn decimal(&mut self, most: usize, wanted: impl FnOnce(Decimal<'_>) -> bool) -> bool {
        let rest = self.bytes().get(self.reader.at..).unwrap_or_default();
        let sign = usize::from(rest.first() == Some(&b'-'));
        let digits = |from: usize| {
            rest.iter()
                .skip(from)
                .take_while(|byte| byte.is_ascii_digit())
                .count()
        };
        let whole = digits(sign);
        let point = sign + whole;
        let fraction = if rest.get(point) == Some(&b'.') {
            digits(point + 1)
        } else {
            0
        };
        let end = if fraction > 0 {
            point + 1 + fraction
        } else {
            point
        };
        let zero = rest.get(sign) == Some(&b'0');
        let plain = whole > 0
            && whole + fraction <= most
            && !(zero && (whole > 1 || sign > 0 && fraction == 0))
            && (fraction == 0 || rest.get(end - 1) != Some(&b'0'))
            && !matches!(rest.get(end), Some(b'.' | b'e' | b'E'));
        let text = self
            .reader
            .text
            .get(self.reader.at..self.reader.at + end)
            .unwrap_or_default();
        if !plain
            || !wanted(Decimal {
                text,
                digits: whole + fraction,
                fraction: fraction > 0,
            })
        {
            return false;
        }
        self.reader.at += end;
        true
    }
}

/// A number as it is written.
struct Decimal<'a> {
    text: &'a str,
    /// The number of its digits, before and behind the point together.
    digits: usize,
    /// True if the number has a point.
    fraction: bool,
}

/// True if the number is written as the float that is nearest to it is written.
fn is_shortest(text: &str) -> bool {
    use std::io::Write as _;
    let Ok(float) = text.parse::<f64>() else {
        return false;
    };
    let mut buffer = [0; 32];
    let mut rest = &mut buffer[..];
    let len = write!(rest, "{float}").map_or(0, |()| 32 - rest.len());
    buffer.get(..len) == Some(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::json::transfer::taken;

    fn number(transfer: &mut Transfer<'_, '_, true, false>) -> bool {
        transfer.number()
    }

    fn float(transfer: &mut Transfer<'_, '_, true, false>) -> bool {
        transfer.float()
    }

    #[test]
    fn numbers_are_taken_over_if_they_are_written_so() {
        for (text, as_integer, as_number, as_float) in [
            ("0", true, true, true),
            ("-1,", true, true, true),
            ("-0", false, false, false),
            ("007", false, false, false),
            ("7.0", false, false, false),
            ("7.5", false, true, true),
            ("-0.5", false, true, true),
            ("-0.0", false, false, false),
            ("1e3", false, false, false),
            ("1.5e3", false, false, false),
            ("1.", false, false, false),
            ("200", false, true, true),
            ("999999999999999", false, true, true),
            ("9999999999999999", false, true, false),
            ("9223372036854775808", false, true, false),
            ("0.30000000000000004", false, true, true),
            ("0.30000000000000003", false, true, false),
            ("0.12345678901234567890123", false, true, false),
            ("0.00000000000000000001", false, true, true),
            ("x", false, false, false),
        ] {
            assert_eq!(
                taken(text, |transfer| transfer.integer(-100, 100)),
                as_integer,
                "{text}"
            );
            assert_eq!(taken(text, number), as_number, "{text}");
            assert_eq!(taken(text, float), as_float, "{text}");
            // The digits are taken over, because they are those that would have been written.
            let text = text.trim_end_matches(',');
            if as_number {
                assert_eq!(text.parse::<crate::Number>().unwrap().to_string(), text);
            }
            if as_float {
                assert_eq!(text.parse::<f64>().unwrap().to_string(), text);
            }
        }
    }
}
