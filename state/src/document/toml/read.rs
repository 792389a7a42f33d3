//! TOML as JSON.

use std::borrow::Cow;
use std::io::Write as _;
use std::sync::Arc;

use toml_edit::{Document, Formatted, Item, Table, TableLike, Value};
use upstate::__internal::write_string;
use upstate::{Diagnostic, Diagnostics};

use crate::document::place::Place;
use crate::document::text::{self, Text};
use crate::document::transcode::is_rounded;
use crate::document::tree::equal_numbers;

/// A parsed TOML document.
#[derive(Debug, Clone)]
pub(in crate::document) struct Source {
    pub(super) document: Document<Arc<str>>,
    pub(super) text: Arc<str>,
    pub(super) mark: bool,
}

/// Reads TOML; gives its JSON, too.
pub(in crate::document) fn read(bytes: &[u8]) -> Result<(Vec<u8>, Source), Diagnostics> {
    let Text { text, mark } = text::decode(bytes, "TOML")?;
    let shared: Arc<str> = Arc::from(text);
    let document = Document::parse(Arc::clone(&shared)).map_err(|error| {
        // Not its display, because that shows the line, which may hold a secret.
        let at = error
            .span()
            .map_or_else(String::new, |span| text::place(text, span.start));
        text::unreadable(&format!("not valid TOML: {}{at}", error.message()))
    })?;
    let mut out = Vec::with_capacity(text.len());
    table(document.as_table(), text, &Place::root(), &mut out)?;
    Ok((
        out,
        Source {
            document,
            text: shared,
            mark,
        },
    ))
}

fn table(
    table: &Table,
    text: &str,
    place: &Place<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Diagnostic> {
    members(table, text, place, out)
}

fn members(
    table: &dyn TableLike,
    text: &str,
    place: &Place<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Diagnostic> {
    let mut members: Vec<_> = table.iter().collect();
    // Sorted, because the document keeps the file's order, and sorted names are read sooner.
    members.sort_unstable_by_key(|(name, _)| *name);
    out.push(b'{');
    for (index, (name, item)) in members.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_string(name, out);
        out.push(b':');
        let place = place.member(name, name);
        match item {
            Item::None => out.extend_from_slice(b"null"),
            Item::Value(one) => value(one, text, &place, out)?,
            Item::Table(one) => self::table(one, text, &place, out)?,
            Item::ArrayOfTables(tables) => {
                out.push(b'[');
                for (index, one) in tables.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    self::table(one, text, &place.element(index), out)?;
                }
                out.push(b']');
            }
        }
    }
    out.push(b'}');
    Ok(())
}

fn value(
    value: &Value,
    text: &str,
    place: &Place<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Diagnostic> {
    match value {
        Value::String(string) => write_string(string.value(), out),
        Value::Integer(integer) => {
            // No failure, because a `Vec` takes all that is written.
            let _ = write!(out, "{}", integer.value());
        }
        Value::Float(float) => {
            let Some(digits) = digits(float, Some(text)) else {
                let at = value
                    .span()
                    .map_or_else(String::new, |span| text::place(text, span.start));
                let problem = format!("expected a finite number, found `nan` or `inf`{at}");
                return Err(text::unreadable(&problem).at(place.path()));
            };
            out.extend_from_slice(digits.as_bytes());
        }
        Value::Boolean(bool) => {
            out.extend_from_slice(if *bool.value() { b"true" } else { b"false" });
        }
        // As far as RFC 3339 goes, because TOML has dates without a time and times without a date.
        Value::Datetime(date) => write_string(&date.value().to_string(), out),
        Value::Array(array) => {
            out.push(b'[');
            for (index, element) in array.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                self::value(element, text, &place.element(index), out)?;
            }
            out.push(b']');
        }
        Value::InlineTable(table) => members(table, text, place, out)?,
    }
    Ok(())
}

/// From here on a whole number is none of TOML's integers.
const MOST: f64 = 9_223_372_036_854_775_808.0;

/// The digits of a float as JSON has them, from its text; nothing if it is not finite.
pub(super) fn digits<'v>(float: &'v Formatted<f64>, text: Option<&'v str>) -> Option<Cow<'v, str>> {
    let value = *float.value();
    if !value.is_finite() {
        return None;
    }
    let raw = float.as_repr().map(toml_edit::Repr::as_raw);
    let written = raw.and_then(|raw| {
        raw.as_str()
            .or_else(|| text.zip(raw.span()).and_then(|(text, span)| text.get(span)))
    });
    let written = match written {
        Some(written) => {
            let written = written.strip_prefix('+').unwrap_or(written);
            if written.contains('_') {
                Cow::Owned(written.replace('_', ""))
            } else {
                Cow::Borrowed(written)
            }
        }
        None => Cow::Owned(float.display_repr().into_owned()),
    };
    if is_rounded(value)
        && [value.to_string(), format!("{value:.0}")]
            .iter()
            .any(|digits| equal_numbers(&written, digits))
    {
        // The float's own digits, because a shorter form of it is another whole number. An integer
        // beyond those of TOML is written as a float.
        let is_integer = value.abs() >= MOST;
        return Some(Cow::Owned(if is_integer {
            format!("{value:.0}")
        } else {
            format!("{value:.1}")
        }));
    }
    Some(written)
}
