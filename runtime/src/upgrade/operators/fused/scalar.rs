//! Operators over one bool, number or text, which is never made a value of.

use std::borrow::Cow;

use super::super::form::{Form, Member};
pub(super) use super::super::scalar::Scalar;
use super::super::scalar::{
    Makes, Seen, compose, convert, default, extract, null_if, reformat, values,
};
use super::super::table::{
    Apart, Constant, Literal, Operation, Otherwise, Pattern, Segment, Stage,
};
use super::super::text::without_search;
use super::plan::Nothing;
use super::value::{Judged, in_range, write_null};
use crate::codec::json::{Kind, Reader};
use crate::codec::{DecodeError, Writer, scalar as rules};
use crate::schema::{Takes, Type};

/// True if all of these operators are known here, for values of these types.
pub(super) fn takes(stages: &[Stage], from: &Type, to: &Member<'_>) -> bool {
    let plain = |ty: &Type| matches!(ty, Type::Bool | Type::Number | Type::String);
    plain(from)
        && matches!(to.form, Form::Plain(ty) if plain(ty))
        && stages
            .iter()
            .all(|stage| !stage.each && knows(&stage.operation))
}

fn knows(operation: &Operation) -> bool {
    let plain = |literal: &Literal| !matches!(literal, Literal::EmptyList | Literal::EmptyMap);
    match operation {
        Operation::Set(Constant::Literal(literal))
        | Operation::Default(Constant::Literal(literal), _) => plain(literal),
        Operation::Convert(..)
        | Operation::Named(_)
        | Operation::NullIf(_)
        | Operation::Extract(..) => true,
        Operation::Values(table, other) => {
            table.iter().all(|(_, new)| plain(new)) && becomes(*other)
        }
        Operation::Reformat(forms, other) => {
            let found = |segment: &Segment| !matches!(segment, Segment::Prior(..));
            forms.iter().all(|(_, template)| template.iter().all(found)) && becomes(*other)
        }
        Operation::Set(Constant::Written(_))
        | Operation::Default(Constant::Written(_), _)
        | Operation::Take(..)
        | Operation::Copy(..)
        | Operation::Json()
        | Operation::Function(..)
        | Operation::Compose(_)
        | Operation::Structure(_)
        | Operation::Combine(..) => false,
    }
}

fn becomes(other: Otherwise) -> bool {
    !matches!(
        other,
        Otherwise::Become(Literal::EmptyList | Literal::EmptyMap)
    )
}

/// Reads a stored value of a plain type.
pub(super) fn read<'t>(reader: &mut Reader<'t>, ty: &Type) -> Result<Scalar<'t>, DecodeError> {
    if matches!(ty, Type::String)
        && let Some(text) = reader.take_plain_string()
    {
        return Ok(Scalar::Text(Cow::Borrowed(text)));
    }
    if reader.peek()? == Kind::Null {
        return reader.null().map(|()| Scalar::Null);
    }
    match ty {
        Type::Bool => rules::bool(reader).map(Scalar::Bool),
        Type::Number => rules::number(reader).map(Scalar::Number),
        Type::String
        | Type::Dynamic
        | Type::List(_)
        | Type::Set(_)
        | Type::Map(_)
        | Type::Tuple(_)
        | Type::Json
        | Type::Union(_)
        | Type::Object(_) => rules::text(reader).map(Scalar::Text),
    }
}

/// The parts of the string that was taken apart last, because several members are often made of
/// one.
#[derive(Default)]
pub(super) struct TakenApart<'t> {
    by: Option<(Pattern, &'t str)>,
    parts: Vec<(&'static str, &'t str)>,
}

impl<'t> TakenApart<'t> {
    /// The value that an operator makes of a string, if it is a part that needs no search.
    pub(super) fn made_by(
        &mut self,
        operation: &Operation,
        value: &Scalar<'t>,
    ) -> Option<Scalar<'t>> {
        let (
            Operation::Extract(_, Apart::Pattern(pattern), name),
            Scalar::Text(Cow::Borrowed(text)),
        ) = (operation, value)
        else {
            return None;
        };
        self.part(pattern, name, text)
    }

    /// The part of `text` with the name `name`; `None` if it does not fit, or must be searched.
    fn part(&mut self, pattern: &Pattern, name: &str, text: &'t str) -> Option<Scalar<'t>> {
        let is_same = |(by, of): &(Pattern, &str)| std::ptr::eq(*of, text) && by == pattern;
        if !self.by.as_ref().is_some_and(is_same) {
            self.by = None;
            self.parts.clear();
            if without_search(pattern, text, |known, part| self.parts.push((known, part)))
                != Some(true)
            {
                return None;
            }
            self.by = Some((*pattern, text));
        }
        let part = self.parts.iter().find(|(known, _)| *known == name);
        Some(part.map_or(Scalar::Null, |(_, part)| Scalar::Text(Cow::Borrowed(part))))
    }
}

/// The value that an operator makes of `value`; `None` if the operator refuses it, or is not
/// [known](knows) here.
pub(super) fn apply<'t>(
    operation: &Operation,
    value: Scalar<'t>,
    to: &Member<'_>,
) -> Option<Scalar<'t>> {
    if let Scalar::Text(Cow::Borrowed(text)) = &value {
        return Some(made(makes(operation, Seen::Text(text), to)?)?.unwrap_or(value));
    }
    let seen = match &value {
        Scalar::Null => Seen::Null,
        Scalar::Bool(bool) => Seen::Bool(*bool),
        Scalar::Number(number) => Seen::Number(number),
        Scalar::Text(text) => Seen::Text(text),
    };
    Some(match made(makes(operation, seen, to)?)? {
        None => value,
        Some(scalar) => scalar.into_owned(),
    })
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "measured: each operator's answer is used where it is made"
)]
fn makes<'o, 'v>(
    operation: &'o Operation,
    value: Seen<'v>,
    to: &Member<'o>,
) -> Option<Makes<'o, 'v>> {
    match operation {
        Operation::Set(constant) => Some(Makes::Constant(constant)),
        Operation::Default(constant, when) => Some(default(constant, when, value)),
        Operation::NullIf(these) => Some(null_if(these, value)),
        Operation::Convert(empty) => match to.form {
            Form::Plain(goal) => convert(*empty, goal, value).ok(),
            Form::Objects(..) | Form::Made(_) | Form::Open => None,
        },
        Operation::Named(conversion) => conversion.apply(value).ok(),
        Operation::Values(table, other) => values(table, other, value).ok(),
        Operation::Reformat(forms, other) => reformat(forms, other, value).ok(),
        Operation::Extract(_, apart, name) => extract(apart, name, value).ok(),
        Operation::Take(..)
        | Operation::Copy(..)
        | Operation::Json()
        | Operation::Function(..)
        | Operation::Compose(_)
        | Operation::Structure(_)
        | Operation::Combine(..) => None,
    }
}

/// The scalar, with what it borrows of the text that the operator saw; `None` inside if the value
/// stays.
#[inline(always)]
#[expect(clippy::inline_always, reason = "measured, as above")]
#[expect(clippy::option_option, reason = "there may be none of the two")]
fn made<'v>(makes: Makes<'_, 'v>) -> Option<Option<Scalar<'v>>> {
    Some(match makes {
        Makes::Same => None,
        Makes::Scalar(scalar) => Some(scalar),
        Makes::Literal(literal) | Makes::Constant(Constant::Literal(literal)) => {
            Some(constant(literal)?)
        }
        Makes::Constant(Constant::Written(_)) | Makes::Composed(_) => return None,
        Makes::Text(template, parts) => Some(Scalar::Text(Cow::Owned(
            compose(template, &parts, |_, _, _| Err(())).ok()??,
        ))),
    })
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

/// Writes it, if it is a value of the target.
pub(super) fn write(
    value: &Scalar<'_>,
    to: &Member<'_>,
    null: Nothing,
    writer: &mut Writer<'_>,
) -> Option<Judged> {
    if to.write_only || matches!(value, Scalar::Null) {
        return write_null(null, writer).map(|()| Judged::Takes);
    }
    let Form::Plain(ty) = to.form else {
        return None;
    };
    let takes = to.holds.takes;
    match (value, ty) {
        (Scalar::Bool(bool), Type::Bool) => writer.bool(*bool),
        (Scalar::Number(number), Type::Number) => {
            if let Takes::Integers { .. } = takes {
                let int = number
                    .as_i64()
                    .map(i128::from)
                    .or_else(|| number.as_u64().map(i128::from))?;
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
    let is_open = matches!(takes, Takes::OwnType | Takes::Floats) || to.holds.integer != 0;
    Some(if is_open {
        Judged::Model
    } else {
        Judged::Takes
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::table::Piece;
    use super::*;

    #[test]
    fn each_string_and_pattern_has_its_own_parts() {
        const PAIR: &Pattern = &Pattern {
            pieces: &[Piece::Part("left"), Piece::Text("|"), Piece::Part("right")],
            ignore_case: false,
        };
        const WHOLE: &Pattern = &Pattern {
            pieces: &[Piece::Rest("left")],
            ignore_case: false,
        };
        const SEARCHED: &Pattern = &Pattern {
            pieces: &[Piece::Rest("left"), Piece::Text("|"), Piece::Part("right")],
            ignore_case: false,
        };
        let mut taken = TakenApart::default();
        for _ in 0..2 {
            assert!(matches!(
                taken.part(PAIR, "left", "a|b"),
                Some(Scalar::Text(Cow::Borrowed("a")))
            ));
            assert!(matches!(
                taken.part(PAIR, "right", "a|b"),
                Some(Scalar::Text(Cow::Borrowed("b")))
            ));
            assert!(matches!(
                taken.part(PAIR, "other", "a|b"),
                Some(Scalar::Null)
            ));
            assert!(matches!(
                taken.part(WHOLE, "left", "a|b"),
                Some(Scalar::Text(Cow::Borrowed("a|b")))
            ));
            assert!(matches!(
                taken.part(PAIR, "right", "a|c"),
                Some(Scalar::Text(Cow::Borrowed("c")))
            ));
            assert!(taken.part(PAIR, "right", "a|b|c").is_none());
            assert!(taken.part(SEARCHED, "right", "a|b").is_none());
        }
    }

    #[test]
    fn a_string_that_was_taken_apart_has_the_parts_that_each_member_finds() {
        const PATTERNS: &[Pattern] = &[
            Pattern {
                pieces: &[Piece::Part("a"), Piece::Text("|"), Piece::Part("b")],
                ignore_case: false,
            },
            Pattern {
                pieces: &[Piece::Part("a"), Piece::Text("|"), Piece::Rest("b")],
                ignore_case: false,
            },
            Pattern {
                pieces: &[Piece::Text("x"), Piece::Part("a"), Piece::Text("/X")],
                ignore_case: true,
            },
            Pattern {
                pieces: &[Piece::Text("x"), Piece::Part("a"), Piece::Text("/X")],
                ignore_case: false,
            },
            Pattern {
                pieces: &[Piece::Part("a"), Piece::Text("/"), Piece::Part("a")],
                ignore_case: false,
            },
            Pattern {
                pieces: &[],
                ignore_case: false,
            },
        ];
        let text_of = |scalar: &Scalar<'_>| match scalar {
            Scalar::Text(text) => Some((**text).to_owned()),
            Scalar::Null | Scalar::Bool(_) | Scalar::Number(_) => None,
        };
        let texts: Vec<String> = (0..4_usize.pow(5))
            .flat_map(|number| {
                (0..=5).map(move |len| {
                    (0..len)
                        .map(|digit| ['x', '|', '/', 'é'][number / 4_usize.pow(digit) % 4])
                        .collect()
                })
            })
            .collect();
        let (mut taken, mut found) = (TakenApart::default(), 0);
        for text in &texts {
            for (pattern, name) in PATTERNS
                .iter()
                .flat_map(|pattern| ["a", "b", "c", "a"].map(|name| (pattern, name)))
            {
                let once = without_search(pattern, text, |_, _| {});
                let apart = Apart::Pattern(*pattern);
                let alone = match extract(&apart, name, Seen::Text(text)) {
                    Ok(Makes::Scalar(scalar)) => Some(text_of(&scalar)),
                    Ok(_) | Err(_) => None,
                };
                let part = taken.part(pattern, name, text);
                assert_eq!(
                    part.is_some(),
                    once == Some(true),
                    "{name} of {text} by {pattern}"
                );
                if let Some(part) = part {
                    let part = Some(text_of(&part));
                    assert_eq!(part, alone, "{name} of {text} by {pattern}");
                    found += 1;
                }
            }
        }
        assert!(found > 100, "{found}");
    }
}
