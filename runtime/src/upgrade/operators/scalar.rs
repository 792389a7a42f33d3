//! The scalar operators, each written once: the interpreter runs them over values, the compiled
//! plan over what it reads from the bytes.
//!
//! An operator sees a value through [`Seen`] and answers with what it [makes](Makes) of it, or why
//! it refuses. Who asked puts that into its own form: the interpreter says what is wrong and where,
//! the compiled plan gives up and leaves that to the interpreter.

use std::borrow::Cow;

use super::place::Place;
use super::table::{
    Apart, Constant, EmptyText, Letters, Literal, Match, Otherwise, Path, Pattern, Segment,
    Template,
};
use super::text::{part, put, take_apart};
use super::url;
use crate::codec::scalar as rules;
use crate::diagnostics::Diagnostics;
use crate::schema::Type;
use crate::value::{Number, Value};

/// A value as an operator sees it; of a dynamic one, what is in it.
#[derive(Clone, Copy)]
pub(super) enum Seen<'v> {
    Null,
    Bool(bool),
    Number(&'v Number),
    Text(&'v str),
    List { empty: bool },
    Map { empty: bool },
    Unknown,
}

impl<'v> From<&'v Value> for Seen<'v> {
    fn from(value: &'v Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(bool) => Self::Bool(*bool),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(text),
            Value::List(list) => Self::List {
                empty: list.is_empty(),
            },
            Value::Map(map) => Self::Map {
                empty: map.is_empty(),
            },
            Value::Dynamic(dynamic) => Self::from(&dynamic.1),
            Value::Unknown => Self::Unknown,
        }
    }
}

/// A bool, number or text on its way.
pub(super) enum Scalar<'t> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'t, str>),
}

impl Scalar<'_> {
    /// This scalar, holding its own text.
    pub(super) fn into_owned(self) -> Scalar<'static> {
        match self {
            Self::Null => Scalar::Null,
            Self::Bool(bool) => Scalar::Bool(bool),
            Self::Number(number) => Scalar::Number(number),
            Self::Text(text) => Scalar::Text(Cow::Owned(text.into_owned())),
        }
    }
}

/// The result that an operator makes of a value.
pub(super) enum Makes<'o, 'v> {
    /// It stays as it is.
    Same,
    Scalar(Scalar<'v>),
    Constant(&'o Constant),
    Literal(&'o Literal),
    /// A string that is put together by the template, of these parts of the value. It is refused if
    /// a prior attribute in it is null, because the value would be lost.
    Text(Template, Vec<(&'static str, &'v str)>),
    /// A string that is put together of prior attributes; null if one of them is.
    Composed(Template),
}

/// The reason for which an operator refuses a value.
pub(super) enum Refusal<'o> {
    NotText,
    /// It has none of the forms.
    NoForm(&'o [(Pattern, Template)]),
    NotOfForm(&'o Pattern),
    /// It is not a URL with a host.
    NotUrl,
    /// It is a URL with this part, which no attribute takes.
    UrlPart(&'static str),
    /// It is in no row of the table.
    NoSuccessor(&'o [(Literal, Literal)]),
    /// It is empty text, and nothing says what that becomes.
    EmptyText(&'o Type),
    NoConversion(&'o Type),
    /// It is not a duration.
    NoDuration,
    /// It is a duration, or a number of units of this name, that is not a whole number of them.
    NotWhole(&'static str),
    /// It is longer than a duration can be; a number is one of units of this name.
    TooLong(Option<&'static str>),
}

/// The longest duration, for a sentence.
const LONGEST: &str = "2562047h47m16.854775807s (64 bits of nanoseconds, as in Go)";

type Result<'o, 'v> = std::result::Result<Makes<'o, 'v>, Refusal<'o>>;

#[inline]
pub(super) fn default<'o>(
    constant: &'o Constant,
    when: &[Match],
    value: Seen<'_>,
) -> Makes<'o, 'static> {
    if is_one(when, value) {
        Makes::Constant(constant)
    } else {
        Makes::Same
    }
}

#[inline]
pub(super) fn null_if(these: &[Match], value: Seen<'_>) -> Makes<'static, 'static> {
    if is_one(these, value) {
        Makes::Scalar(Scalar::Null)
    } else {
        Makes::Same
    }
}

#[inline]
pub(super) fn values<'o>(
    table: &'o [(Literal, Literal)],
    other: &'o Otherwise,
    value: Seen<'_>,
) -> Result<'o, 'static> {
    match (table.iter().find(|(old, _)| is(old, value)), value) {
        (Some((_, new)), _) => Ok(Makes::Literal(new)),
        (None, Seen::Null) => Ok(Makes::Same),
        (None, _) => otherwise(other, Refusal::NoSuccessor(table)),
    }
}

#[inline]
pub(super) fn reformat<'o, 'v>(
    forms: &'o [(Pattern, Template)],
    other: &'o Otherwise,
    value: Seen<'v>,
) -> Result<'o, 'v> {
    let text = match value {
        Seen::Text(text) => text,
        Seen::Null => return Ok(Makes::Same),
        Seen::Bool(_) | Seen::Number(_) | Seen::List { .. } | Seen::Map { .. } | Seen::Unknown => {
            return Err(Refusal::NotText);
        }
    };
    match forms
        .iter()
        .find_map(|(pattern, template)| Some((*template, take_apart(pattern, text)?)))
    {
        Some((template, parts)) => Ok(Makes::Text(template, parts)),
        None => otherwise(other, Refusal::NoForm(forms)),
    }
}

#[inline]
pub(super) fn extract<'o, 'v>(apart: &'o Apart, name: &str, value: Seen<'v>) -> Result<'o, 'v> {
    let text = match value {
        Seen::Text(text) => text,
        Seen::Null => return Ok(Makes::Same),
        Seen::Bool(_) | Seen::Number(_) | Seen::List { .. } | Seen::Map { .. } | Seen::Unknown => {
            return Err(Refusal::NotText);
        }
    };
    let pattern = match apart {
        Apart::Pattern(pattern) => pattern,
        Apart::Url(taken) => return url::part(text, taken, name).map(Makes::Scalar),
    };
    let part = part(pattern, name, text).ok_or(Refusal::NotOfForm(pattern))?;
    Ok(Makes::Scalar(part.map_or(Scalar::Null, |part| {
        Scalar::Text(Cow::Borrowed(part))
    })))
}

/// The scalar as one of the type `goal`; what is not a scalar, and what has the type, stays.
#[inline]
pub(super) fn convert<'o>(
    empty: EmptyText,
    goal: &'o Type,
    value: Seen<'_>,
) -> Result<'o, 'static> {
    let zero_is_empty = empty == EmptyText::Zero;
    Ok(Makes::Scalar(match (value, goal) {
        (Seen::Text(""), Type::Number | Type::Bool) => match (empty, goal) {
            (EmptyText::Null, _) => Scalar::Null,
            (EmptyText::Zero, Type::Number) => Scalar::Number(Number::from(0_i64)),
            (EmptyText::Zero, _) => Scalar::Bool(false),
            (EmptyText::Refuse | EmptyText::Unsaid, _) => return Err(Refusal::EmptyText(goal)),
        },
        (Seen::Text(text), Type::Number) => {
            Scalar::Number(rules::parse_number(text).map_err(|_| Refusal::NoConversion(goal))?)
        }
        (Seen::Text(text), Type::Bool) => {
            Scalar::Bool(rules::parse_bool(text, false).map_err(|_| Refusal::NoConversion(goal))?)
        }
        (Seen::Number(number), Type::String) if zero_is_empty && *number == Number::from(0_i64) => {
            Scalar::Text(Cow::Borrowed(""))
        }
        (Seen::Number(number), Type::String) => Scalar::Text(Cow::Owned(number.to_string())),
        (Seen::Bool(false), Type::String) if zero_is_empty => Scalar::Text(Cow::Borrowed("")),
        (Seen::Bool(bool), Type::String) => Scalar::Text(Cow::Borrowed(word(bool))),
        (Seen::Bool(bool), Type::Number) => Scalar::Number(Number::from(i64::from(bool))),
        (Seen::Number(number), Type::Bool) => match number.as_i64() {
            Some(0) => Scalar::Bool(false),
            Some(1) => Scalar::Bool(true),
            _ => return Err(Refusal::NoConversion(goal)),
        },
        _ => return Ok(Makes::Same),
    }))
}

#[inline]
fn otherwise<'o>(other: &'o Otherwise, refusal: Refusal<'o>) -> Result<'o, 'static> {
    match other {
        Otherwise::Keep => Ok(Makes::Same),
        Otherwise::Become(literal) => Ok(Makes::Literal(literal)),
        Otherwise::Refuse => Err(refusal),
    }
}

/// True if the value is one of these.
#[inline]
pub(super) fn is_one(these: &[Match], value: Seen<'_>) -> bool {
    these.iter().any(|this| match this {
        Match::Literal(literal) => is(literal, value),
        Match::Empty => match value {
            Seen::Null => true,
            Seen::Text(text) => text.is_empty(),
            Seen::List { empty } | Seen::Map { empty } => empty,
            Seen::Bool(_) | Seen::Number(_) | Seen::Unknown => false,
        },
    })
}

/// True if the value is this literal.
#[inline]
pub(super) fn is(literal: &Literal, value: Seen<'_>) -> bool {
    match literal {
        Literal::Null => matches!(value, Seen::Null),
        Literal::Bool(literal) => matches!(value, Seen::Bool(bool) if bool == *literal),
        Literal::Number(digits) => {
            matches!(value, Seen::Number(number) if digits.parse::<Number>().is_ok_and(|literal| literal == *number))
        }
        Literal::String(literal) => matches!(value, Seen::Text(text) if text == *literal),
        Literal::EmptyList => matches!(value, Seen::List { empty: true }),
        Literal::EmptyMap => matches!(value, Seen::Map { empty: true }),
    }
}

/// Puts a string together of what was found and of prior attributes, which `prior` appends; it
/// answers whether there is one. Of a null part no text is made.
pub(super) fn compose<E>(
    template: Template,
    found: &[(&str, &str)],
    mut prior: impl FnMut(&mut String, Path, Letters) -> std::result::Result<bool, E>,
) -> std::result::Result<Option<String>, E> {
    let mut out = String::new();
    for segment in template {
        match segment {
            Segment::Text(text) => out.push_str(text),
            Segment::Found(name, letters) => {
                let text = found
                    .iter()
                    .find(|(found, _)| found == name)
                    .map_or("", |(_, text)| *text);
                put(&mut out, text, *letters);
            }
            Segment::Prior(path, letters) => {
                if !prior(&mut out, path, *letters)? {
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some(out))
}

/// A bool as text.
pub(super) const fn word(bool: bool) -> &'static str {
    if bool { "true" } else { "false" }
}

impl Refusal<'_> {
    /// The error, about a value at a place.
    pub(super) fn reported(&self, value: &Value, place: &Place) -> Diagnostics {
        let shown = || place.shown(value);
        match self {
            Self::NotText => place.refuse_kind("a string", value, ""),
            Self::NoForm(forms) => {
                let patterns: Vec<String> = forms
                    .iter()
                    .map(|(pattern, _)| pattern.to_string())
                    .collect();
                place.refuse(format_args!(
                    "{} does not have the form {}",
                    shown(),
                    patterns.join(" or ")
                ))
            }
            Self::NotOfForm(pattern) => {
                place.refuse(format_args!("{} does not have the form {pattern}", shown()))
            }
            Self::NotUrl => place.refuse(format_args!(
                "{} is not a URL with a host, such as \"https://example.com:8443/a\"",
                shown()
            )),
            Self::UrlPart(part) => {
                place.refuse(format_args!("{} has {part}, which no field takes", shown()))
            }
            Self::NoSuccessor(table) => {
                let known: Vec<String> = table.iter().map(|(old, _)| old.to_string()).collect();
                place.refuse(format_args!(
                    "{} is not one of the known values ({})",
                    shown(),
                    known.join(", ")
                ))
            }
            Self::EmptyText(goal) => place.refuse(format_args!(
                "an empty string cannot be converted to {}",
                goal.noun()
            )),
            Self::NoConversion(goal) => place.refuse(format_args!(
                "{} cannot be converted to {}",
                shown(),
                goal.noun()
            )),
            Self::NoDuration => place.refuse(format_args!(
                "{} is not a duration, such as \"1h30m\" or \"90s\": each number has its unit",
                shown()
            )),
            Self::NotWhole(unit) => {
                place.refuse(format_args!("{} is not a whole number of {unit}", shown()))
            }
            Self::TooLong(None) => place.refuse(format_args!(
                "{} is longer than a duration can be, which is {LONGEST}",
                shown()
            )),
            Self::TooLong(Some(unit)) => place.refuse(format_args!(
                "{} {unit} are longer than a duration can be, which is {LONGEST}",
                shown()
            )),
        }
    }
}
