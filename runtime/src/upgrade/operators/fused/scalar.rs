//! Operators over one bool, number or text, which is never made a value of.

use std::borrow::Cow;

use super::super::form::{Form, Member};
use super::super::table::{Constant, EmptyText, Literal, Match, Operation, Otherwise, Segment, Stage, Template};
use super::super::text::{put, take_apart};
use super::plan::Nothing;
use super::value::{Judged, in_range, write_null};
use crate::codec::json::{Kind, Reader};
use crate::codec::{DecodeError, Writer, scalar as rules};
use crate::schema::{Takes, Type};
use crate::value::Number;

/// A bool, number or text on its way.
pub(super) enum Scalar<'t> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'t, str>),
}

/// Whether all of these operators are known here, for values of these types.
pub(super) fn takes(stages: &[Stage], from: &Type, to: Member<'_>) -> bool {
    let plain = |ty: &Type| matches!(ty, Type::Bool | Type::Number | Type::String);
    plain(from)
        && matches!(to.form, Form::Plain(ty) if plain(ty))
        && stages.iter().all(|stage| !stage.each && knows(&stage.operation))
}

fn knows(operation: &Operation) -> bool {
    let plain = |literal: &Literal| !matches!(literal, Literal::EmptyList | Literal::EmptyMap);
    match operation {
        Operation::Set(Constant::Literal(literal)) | Operation::Default { value: Constant::Literal(literal), .. } => {
            plain(literal)
        }
        Operation::Convert { .. } | Operation::NullIf(_) | Operation::Extract { .. } => true,
        Operation::Values { table, other } => table.iter().all(|(_, new)| plain(new)) && becomes(*other),
        Operation::Reformat { forms, other } => {
            let found = |segment: &Segment| !matches!(segment, Segment::Prior(..));
            forms.iter().all(|(_, template)| template.iter().all(found)) && becomes(*other)
        }
        _ => false,
    }
}

fn becomes(other: Otherwise) -> bool {
    !matches!(other, Otherwise::Become(Literal::EmptyList | Literal::EmptyMap))
}

/// Reads a stored value of a plain type.
pub(super) fn read<'t>(reader: &mut Reader<'t>, ty: &Type) -> Result<Scalar<'t>, DecodeError> {
    if reader.peek()? == Kind::Null {
        return reader.null().map(|()| Scalar::Null);
    }
    match ty {
        Type::Bool => rules::bool(reader).map(Scalar::Bool),
        Type::Number => rules::number(reader).map(Scalar::Number),
        _ => rules::text(reader).map(Scalar::Text),
    }
}

/// What an operator makes of it; `None` if it refuses.
pub(super) fn apply<'t>(operation: &Operation, value: Scalar<'t>, to: Member<'_>) -> Option<Scalar<'t>> {
    match operation {
        Operation::Set(Constant::Literal(literal)) => constant(literal),
        Operation::Default { value: Constant::Literal(literal), when } if is_one(when, &value) => constant(literal),
        Operation::NullIf(these) if is_one(these, &value) => Some(Scalar::Null),
        Operation::Default { .. } | Operation::NullIf(_) => Some(value),
        Operation::Convert { empty } => convert(value, to, *empty),
        Operation::Values { table, other } => match table.iter().find(|(old, _)| is(old, &value)) {
            Some((_, new)) => constant(new),
            None if matches!(value, Scalar::Null) => Some(value),
            None => otherwise(*other, value),
        },
        Operation::Reformat { forms, other } => {
            let Scalar::Text(text) = &value else { return matches!(value, Scalar::Null).then_some(value) };
            let fit = forms.iter().find_map(|(pattern, template)| Some((take_apart(pattern, text)?, *template)));
            match fit {
                Some((found, template)) => Some(Scalar::Text(Cow::Owned(compose(template, &found)))),
                None => otherwise(*other, value),
            }
        }
        Operation::Extract { pattern, name, .. } => match value {
            Scalar::Null => Some(Scalar::Null),
            Scalar::Text(Cow::Borrowed(text)) => {
                Some(part(take_apart(pattern, text)?, name).map_or(Scalar::Null, |part| Scalar::Text(Cow::Borrowed(part))))
            }
            Scalar::Text(Cow::Owned(text)) => Some(
                part(take_apart(pattern, &text)?, name).map_or(Scalar::Null, |part| Scalar::Text(Cow::Owned(part.to_owned()))),
            ),
            Scalar::Bool(_) | Scalar::Number(_) => None,
        },
        _ => None,
    }
}

fn part<'t>(found: Vec<(&str, &'t str)>, name: &str) -> Option<&'t str> {
    found.into_iter().find(|(known, _)| *known == name).map(|(_, part)| part)
}

fn otherwise(other: Otherwise, value: Scalar<'_>) -> Option<Scalar<'_>> {
    match other {
        Otherwise::Keep => Some(value),
        Otherwise::Become(literal) => constant(&literal),
        Otherwise::Refuse => None,
    }
}

fn constant(literal: &Literal) -> Option<Scalar<'static>> {
    Some(match literal {
        Literal::Null => Scalar::Null,
        Literal::Bool(bool) => Scalar::Bool(*bool),
        Literal::Number(digits) => Scalar::Number(digits.parse().ok()?),
        Literal::String(text) => Scalar::Text(Cow::Borrowed(text)),
        Literal::EmptyList | Literal::EmptyMap => return None,
    })
}

fn is_one(these: &[Match], value: &Scalar<'_>) -> bool {
    these.iter().any(|this| match this {
        Match::Literal(literal) => is(literal, value),
        Match::Empty => match value {
            Scalar::Null => true,
            Scalar::Text(text) => text.is_empty(),
            Scalar::Bool(_) | Scalar::Number(_) => false,
        },
    })
}

fn is(literal: &Literal, value: &Scalar<'_>) -> bool {
    match (literal, value) {
        (Literal::Null, Scalar::Null) => true,
        (Literal::Bool(literal), Scalar::Bool(bool)) => literal == bool,
        (Literal::Number(digits), Scalar::Number(number)) => digits.parse::<Number>().is_ok_and(|literal| literal == *number),
        (Literal::String(literal), Scalar::Text(text)) => literal == text,
        _ => false,
    }
}

fn compose(template: Template, found: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for segment in template {
        match segment {
            Segment::Text(text) => out.push_str(text),
            Segment::Found(name, letters) => {
                let text = found.iter().find(|(found, _)| found == name).map_or("", |(_, text)| *text);
                put(&mut out, text, *letters);
            }
            Segment::Prior(..) => {}
        }
    }
    out
}

fn convert<'t>(value: Scalar<'t>, to: Member<'_>, empty: EmptyText) -> Option<Scalar<'t>> {
    let Form::Plain(goal) = to.form else { return None };
    let zero_is_empty = empty == EmptyText::Zero;
    Some(match (value, goal) {
        (Scalar::Text(text), Type::Number | Type::Bool) if text.is_empty() => match (empty, goal) {
            (EmptyText::Null, _) => Scalar::Null,
            (EmptyText::Zero, Type::Number) => Scalar::Number(Number::from(0_i64)),
            (EmptyText::Zero, _) => Scalar::Bool(false),
            (EmptyText::Refuse | EmptyText::Unsaid, _) => return None,
        },
        (Scalar::Text(text), Type::Number) => Scalar::Number(rules::parse_number(&text).ok()?),
        (Scalar::Text(text), Type::Bool) => Scalar::Bool(rules::parse_bool(&text, false).ok()?),
        (Scalar::Number(number), Type::String) if zero_is_empty && number == Number::from(0_i64) => {
            Scalar::Text(Cow::Borrowed(""))
        }
        (Scalar::Number(number), Type::String) => Scalar::Text(Cow::Owned(number.to_string())),
        (Scalar::Bool(bool), Type::String) => Scalar::Text(Cow::Borrowed(match bool {
            true => "true",
            false if zero_is_empty => "",
            false => "false",
        })),
        (Scalar::Bool(bool), Type::Number) => Scalar::Number(Number::from(i64::from(bool))),
        (Scalar::Number(number), Type::Bool) => match number.as_i64() {
            Some(0) => Scalar::Bool(false),
            Some(1) => Scalar::Bool(true),
            _ => return None,
        },
        (value, _) => value,
    })
}

/// Writes it, if it is a value of the target.
pub(super) fn write(value: &Scalar<'_>, to: Member<'_>, null: Nothing, writer: &mut Writer<'_>) -> Option<Judged> {
    if to.write_only || matches!(value, Scalar::Null) {
        return write_null(null, writer).map(|()| Judged::Takes);
    }
    let Form::Plain(ty) = to.form else { return None };
    let takes = to.holds.takes;
    match (value, ty) {
        (Scalar::Bool(bool), Type::Bool) => writer.bool(*bool),
        (Scalar::Number(number), Type::Number) => {
            if let Takes::Integers { .. } = takes {
                let int = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))?;
                in_range(int, &to.holds)?;
            }
            writer.number(number);
        }
        (Scalar::Text(text), Type::String) => {
            if let Takes::Texts(texts) = takes {
                texts.contains(&&**text).then_some(())?;
            }
            writer.string(text);
        }
        _ => return None,
    }
    Some(if let Takes::OwnType | Takes::Floats = takes { Judged::Model } else { Judged::Takes })
}
