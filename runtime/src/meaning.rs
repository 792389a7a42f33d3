//! Strings that can be written in several ways and mean the same: JSON, times, periods, address
//! ranges, names without case.
//!
//! Each type reads every way and writes one (`IgnoreCase` writes what it read), so it is a field
//! with `#[attribute(as_string)]`. What a provider of `upstate-provider` answers to Terraform keeps
//! the letters that the user wrote, or that are in the state, wherever the field means the same; a
//! configuration that means the same as the state plans no change.
//!
//! ```
//! use upstate::Resource;
//! use upstate::meaning::{Cidr, IgnoreCase, JsonText, Period, Timestamp};
//!
//! #[derive(Resource)]
//! #[resource(type_name = "example_rule")]
//! struct Rule {
//!     #[attribute(as_string)]
//!     policy: JsonText,
//!     #[attribute(as_string)]
//!     range: Option<Cidr>,
//!     #[attribute(as_string)]
//!     protocol: IgnoreCase,
//!     #[attribute(as_string)]
//!     expires: Option<Timestamp>,
//!     #[attribute(as_string)]
//!     grace: Option<Period>,
//! }
//!
//! let rule: Rule = upstate::from_json(
//!     br#"{"policy": "{ \"b\": 1, \"a\": [] }", "range": "2001:DB8::/32", "protocol": "TCP", "expires": "2026-01-02T04:04:05+01:00",
//!         "grace": "90m"}"#,
//! )?;
//! assert_eq!(rule.policy.as_str(), r#"{"a":[],"b":1}"#);
//! assert_eq!(rule.range.unwrap().to_string(), "2001:db8::/32");
//! assert!(rule.protocol == *"tcp");
//! assert_eq!(rule.protocol.as_str(), "TCP");
//! assert_eq!(rule.expires.unwrap().to_string(), "2026-01-02T03:04:05Z");
//! assert_eq!(rule.grace.unwrap().to_string(), "1h30m0s");
//! # Ok::<(), upstate::DecodeError>(())
//! ```

mod case;
mod json;
mod period;
mod time;

pub use case::IgnoreCase;
#[doc(hidden)]
pub use case::compared;
pub use json::JsonText;
pub use period::{Period, Shift};
pub use time::Timestamp;

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// The reason why a type does not read a string. It does not quote the string, which may be a
/// secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidText(&'static str);

impl InvalidText {
    pub(crate) const fn new(expected: &'static str) -> Self {
        Self(expected)
    }
}

__error!(InvalidText | self | "expected {}", self.0);

/// An IP address and the length of its prefix: `10.0.0.0/8`, `2001:db8::/32`.
///
/// Bits beyond the prefix stay what they are: `10.1.2.3/8` is not `10.0.0.0/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cidr {
    address: IpAddr,
    prefix: u8,
}

impl Cidr {
    /// The range of this address and length; nothing if the address has fewer bits.
    pub fn new(address: IpAddr, prefix: u8) -> Option<Self> {
        let bits = if address.is_ipv4() { 32 } else { 128 };
        (prefix <= bits).then_some(Self { address, prefix })
    }

    /// The address.
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// The number of bits of the prefix.
    pub fn prefix(&self) -> u8 {
        self.prefix
    }
}

impl FromStr for Cidr {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        const EXPECTED: InvalidText =
            InvalidText::new("an address and the length of its prefix, such as 10.0.0.0/8");
        let (address, prefix) = text.split_once('/').ok_or(EXPECTED)?;
        let is_plain = prefix.bytes().all(|byte| byte.is_ascii_digit())
            && (prefix == "0" || !prefix.starts_with('0'));
        let prefix = prefix.parse().ok().filter(|_| is_plain).ok_or(EXPECTED)?;
        Self::new(address.parse().map_err(|_| EXPECTED)?, prefix).ok_or(EXPECTED)
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_written_in_one_way() {
        for (text, written) in [
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("10.1.2.3/32", "10.1.2.3/32"),
            ("2001:0DB8:0:0::/32", "2001:db8::/32"),
            ("::/0", "::/0"),
        ] {
            assert_eq!(text.parse::<Cidr>().unwrap().to_string(), written, "{text}");
        }
        for text in [
            "10.0.0.0",
            "10.0.0.0/33",
            "10.0.0.0/08",
            "10.0.0.0/+8",
            "10.0.0/8",
            "::/129",
            "/8",
            "",
        ] {
            assert!(text.parse::<Cidr>().is_err(), "{text}");
        }
    }
}
