//! The versions that an upgrader is for.

use quote::ToTokens;
use syn::{ExprRange, RangeLimits};

use crate::attr::value::Version;

/// The stored versions that an upgrader is for: both ends included, and the same for a single one.
#[derive(Debug, Clone)]
pub(crate) struct Versions {
    pub(crate) first: Version,
    pub(crate) last: Version,
}

impl Versions {
    /// The tokens as written.
    pub(crate) fn spelt(&self) -> String {
        let (first, last) = (self.first.number, self.last.number);
        if first == last {
            first.to_string()
        } else {
            format!("{first}..={last}")
        }
    }

    /// The versions as a sentence names them.
    pub(crate) fn named(&self) -> String {
        let (first, last) = (self.first.number, self.last.number);
        if first == last {
            format!("version {first}")
        } else {
            format!("versions {first} to {last}")
        }
    }
}

/// `0..=2` or `0..3`.
pub(super) fn versions(range: &ExprRange) -> syn::Result<Versions> {
    let (Some(start), Some(end)) = (&range.start, &range.end) else {
        let start = range.start.as_ref().map_or_else(
            || "0".to_owned(),
            |start| start.to_token_stream().to_string(),
        );
        let end = range
            .end
            .as_ref()
            .map_or_else(|| "2".to_owned(), |end| end.to_token_stream().to_string());
        let message = format!("a range of versions has two ends\nhelp: write `{start}..={end}`");
        return Err(syn::Error::new_spanned(range, message));
    };
    let sign = match range.limits {
        RangeLimits::Closed(_) => "..=",
        RangeLimits::HalfOpen(_) => "..",
    };
    Version::refuse_strings(start, sign, end)?;
    let (first, last) = (
        Version::read_positional(start)?,
        Version::read_positional(end)?,
    );
    let number = match range.limits {
        RangeLimits::Closed(_) => Some(last.number),
        RangeLimits::HalfOpen(_) => last.number.checked_sub(1),
    };
    match number {
        Some(number) if number >= first.number => Ok(Versions {
            first,
            last: Version { number, ..last },
        }),
        _ => {
            let help = if last.number < first.number {
                format!(
                    "the lower version comes first: `{}..={}`",
                    last.number, first.number
                )
            } else {
                format!("write `{}` for one version", first.number)
            };
            Err(syn::Error::new_spanned(
                range,
                format_args!("there is no version in this range\nhelp: {help}"),
            ))
        }
    }
}
