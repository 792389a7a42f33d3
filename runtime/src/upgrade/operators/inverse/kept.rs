//! Judges what each operator keeps of a value, up and back.

use super::super::known::Known;
use super::super::table::{
    Apart, Called, Constant, EmptyText, Existing, Letters, Literal, Match, Operation, Otherwise,
    Pattern, Piece, Segment, Template,
};
use crate::schema::Type;
use crate::upgrade::verdict::Weight::{Lost, Refused};
use crate::upgrade::verdict::{Direction, Weight};

impl Operation {
    /// True if the value behind the operator may be null.
    pub(super) fn leaves_null(&self, known: &Known<'_>) -> bool {
        match self {
            Self::Default(_, when) => known.nullable && !when.iter().any(takes_null),
            Self::NullIf(_) => true,
            Self::Convert(EmptyText::Null) => {
                known.nullable || matches!(known.ty, Some(Type::String))
            }
            Self::Set(constant) => {
                matches!(constant, Constant::Literal(Literal::Null)) || known.target_nullable
            }
            // Nothing is known here of the other values that it is made of, so it may be null
            // wherever the target may.
            Self::Combine(_, Called { makes, .. }) => makes.holds.nullable || known.target_nullable,
            Self::Take(..)
            | Self::Copy(..)
            | Self::Convert(..)
            | Self::Json()
            | Self::Named(_)
            | Self::Function(..)
            | Self::Values(..)
            | Self::Reformat(..)
            | Self::Compose(_)
            | Self::Extract(..) => known.nullable,
            Self::Structure(structure) => structure.leaves_null(known),
        }
    }

    /// Reports the values before it that it refuses, and what nothing tells from each other behind
    /// it.
    pub(super) fn judge_up(&self, known: &Known<'_>, path: &str, up: &mut Direction) {
        let mut note = |weight, what: &str| up.note(weight, path, what);
        match self {
            // The parts that `split` loses are counted elsewhere, because it takes all productions
            // to know them.
            Self::Extract(..) => note(Refused, "a string that does not have the form"),
            Self::Take(_, Existing::Unsaid) | Self::Copy(..) | Self::Set(_) | Self::Compose(_) => {}
            Self::Take(_, existing @ (Existing::Keep | Existing::Replace | Existing::Refuse)) => {
                if *existing == Existing::Refuse {
                    note(Refused, "two values that differ");
                }
                note(Lost, "under which of the two names the value was stored");
            }
            Self::Default(_, when) => {
                if known.nullable
                    || when
                        .iter()
                        .any(|this| !matches!(this, Match::Literal(Literal::Null)))
                {
                    note(Lost, "whether the default was stored");
                }
            }
            Self::NullIf(these) => {
                let one = matches!(these, [Match::Literal(_)]) && !known.nullable;
                if !one {
                    note(Lost, "which value became null");
                }
            }
            Self::Convert(empty) => judge_convert_up(*empty, known, &mut note),
            Self::Json() => {
                if !matches!(known.goal, Some(Type::String)) {
                    note(Refused, "strings that are not such JSON");
                    note(Lost, "the spelling of the JSON");
                }
            }
            Self::Function(..) | Self::Combine(..) => {
                note(Refused, "what the author's function refuses");
                note(Lost, "what the author's function does not keep");
            }
            Self::Values(table, other) => {
                let again = |(index, (_, new)): (usize, &(Literal, Literal))| {
                    table.iter().take(index).any(|(_, other)| other == new)
                };
                let repeated = table.iter().enumerate().any(again);
                // A value that stays must not look like one that was made.
                let stays =
                    |(_, new): &(Literal, Literal)| !table.iter().any(|(old, _)| old == new);
                let made_null =
                    !known.nullable || !table.iter().any(|(_, new)| *new == Literal::Null);
                if let Otherwise::Refuse = other {
                    note(Refused, "a value that is not in the table");
                }
                match other {
                    Otherwise::Become(_) => note(Lost, "which other value was stored"),
                    Otherwise::Keep if table.iter().any(stays) => {
                        note(Lost, "whether a new value was stored already");
                    }
                    Otherwise::Keep | Otherwise::Refuse if repeated || !made_null => {
                        note(Lost, "which of several values was stored");
                    }
                    Otherwise::Keep | Otherwise::Refuse => {}
                }
            }
            Self::Reformat(forms, other) => {
                if let Otherwise::Refuse = other {
                    note(Refused, "a string that does not have the form");
                }
                let is_known = matches!((forms, other), ([(pattern, template)], Otherwise::Refuse) if keeps_parts(pattern, template));
                if !is_known {
                    note(Lost, "the form that the string had");
                }
            }
            Self::Structure(structure) => structure.judge_up(known, path, up),
            Self::Named(conversion) => conversion.judge_up(known.ty, &mut note),
        }
    }

    /// Reports the values behind it that it makes of no value.
    pub(super) fn judge_down(&self, known: &Known<'_>, path: &str, down: &mut Direction) {
        let mut lost = |what: &str| down.note(Lost, path, what);
        match self {
            Self::Take(..) => {}
            Self::Copy(..) => lost("a value that differs from the one it is a copy of"),
            Self::Set(_) => lost("any value but the constant"),
            Self::Default(_, when) => {
                for this in *when {
                    match this {
                        // Null is looked at in the end, because that depends on the target.
                        Match::Literal(Literal::Null) => {}
                        Match::Literal(literal) => {
                            lost(&format!("the value {literal}, which `default` replaces"));
                        }
                        Match::Empty => lost("an empty value, which `default` replaces"),
                    }
                }
            }
            Self::NullIf(these) => {
                for this in *these {
                    match this {
                        Match::Literal(Literal::Null) => {}
                        Match::Literal(literal) => {
                            lost(&format!("the value {literal}, which becomes null"));
                        }
                        Match::Empty => lost("an empty value, which becomes null"),
                    }
                }
            }
            Self::Convert(..) => judge_convert_down(known, path, down),
            Self::Json() => {
                if matches!(known.goal, Some(Type::String)) {
                    lost("another spelling of the JSON");
                    down.note(Refused, path, "a string that is not such JSON");
                } else if matches!(known.goal, Some(Type::Dynamic) | None) {
                    lost("a type that JSON does not tell");
                }
            }
            Self::Function(Called { back: Some(_), .. })
            | Self::Combine(_, Called { back: Some(_), .. }) => {
                lost("what the author's functions do not keep");
            }
            // Null passes a function and goes back, so only states with a value there are
            // impossible.
            Self::Function(Called { back: None, .. })
            | Self::Combine(_, Called { back: None, .. }) => {
                down.note(
                    Weight::Impossible,
                    path,
                    "a function makes the value, and it has no `back`",
                );
            }
            Self::Values(table, other) => {
                let covered = |old: &Literal| table.iter().any(|(_, new)| new == old);
                match other {
                    Otherwise::Refuse => {
                        down.note(Refused, path, "a value that is not in the table");
                    }
                    Otherwise::Become(_) => lost("a value that is not in the table"),
                    Otherwise::Keep => {
                        for (old, _) in table.iter().filter(|(old, _)| !covered(old)) {
                            lost(&format!("the value {old}, which `values` replaces"));
                        }
                    }
                }
            }
            Self::Reformat(forms, other) => {
                let is_known = matches!((forms, other), ([(pattern, template)], Otherwise::Refuse) if keeps_parts(pattern, template));
                if is_known {
                    down.note(Refused, path, "a string that does not have the new form");
                } else {
                    lost("a string that does not have the new form");
                }
            }
            Self::Compose(_) => lost("a string that is not put together of its parts"),
            Self::Extract(_, Apart::Pattern(_), _) => {
                lost("a part that holds what separates the parts");
            }
            Self::Extract(_, Apart::Url(_), _) => {
                lost("a part that is not one of a URL, or spelled otherwise there");
            }
            Self::Structure(structure) => structure.judge_down(known, path, down),
            Self::Named(conversion) => conversion.judge_down(known.ty, path, down),
        }
    }
}

/// The innermost type of a value, as far as `convert` tells types from each other.
#[derive(Clone, Copy)]
enum Inner {
    Bool,
    Number,
    String,
    Dynamic,
    Other,
}

fn inner(ty: Option<&Type>) -> Inner {
    match ty.map(Type::innermost) {
        Some(Type::Bool) => Inner::Bool,
        Some(Type::Number) => Inner::Number,
        Some(Type::String) => Inner::String,
        Some(Type::Dynamic) => Inner::Dynamic,
        Some(
            Type::Object(_)
            | Type::Tuple(_)
            | Type::Json
            | Type::Union(_)
            | Type::List(_)
            | Type::Set(_)
            | Type::Map(_),
        )
        | None => Inner::Other,
    }
}

fn judge_convert_up(empty: EmptyText, known: &Known<'_>, note: &mut dyn FnMut(Weight, &str)) {
    let inner = (inner(known.ty), inner(known.goal));
    let is_text = matches!(inner, (Inner::String, Inner::Number | Inner::Bool));
    let (refused, lost) = match inner {
        (Inner::String, Inner::Number) => (
            Some("strings that are not numbers"),
            Some("the spelling of the value"),
        ),
        (Inner::String, Inner::Bool) => (
            Some("strings that are not bools"),
            Some("the spelling of the value"),
        ),
        (Inner::Number, Inner::Bool) => (Some("numbers but 0 and 1"), None),
        (Inner::Bool | Inner::Number, Inner::String | Inner::Dynamic | Inner::Number)
        | (Inner::Bool, Inner::Bool)
        | (Inner::String, Inner::String | Inner::Dynamic)
        | (Inner::Dynamic, Inner::Dynamic) => (None, None),
        (Inner::Dynamic | Inner::Other, _) | (_, Inner::Other) => (
            Some("values that the type does not take"),
            Some("the form of the value"),
        ),
    };
    let in_order = matches!(
        (known.ty, known.goal),
        (Some(Type::List(_)), Some(Type::Set(_)))
    );
    for (weight, what) in [
        (Refused, refused),
        (
            Refused,
            (is_text && empty == EmptyText::Refuse).then_some("an empty string"),
        ),
        (
            Lost,
            in_order.then_some("the order of the elements, and which there were twice"),
        ),
        (Lost, lost),
        (
            Lost,
            (is_text && empty == EmptyText::Null && known.nullable)
                .then_some("whether null or an empty string was stored"),
        ),
    ] {
        if let Some(what) = what {
            note(weight, what);
        }
    }
}

fn judge_convert_down(known: &Known<'_>, path: &str, down: &mut Direction) {
    if matches!(
        (known.ty, known.goal),
        (Some(Type::Set(_)), Some(Type::List(_)))
    ) {
        down.note(
            Lost,
            path,
            "the order of the elements, and which there are twice",
        );
    }
    match (inner(known.ty), inner(known.goal)) {
        (Inner::Bool, Inner::String | Inner::Dynamic) => {
            down.note(Lost, path, "another spelling of `true` and `false`");
            down.note(Refused, path, "values other than `true` and `false`");
        }
        (Inner::Number, Inner::String | Inner::Dynamic) => {
            down.note(Lost, path, "another spelling of a number");
            down.note(Refused, path, "values that are not numbers");
        }
        (Inner::Bool, Inner::Number) => down.note(Refused, path, "numbers but 0 and 1"),
        (Inner::String, Inner::Dynamic) => {
            down.note(Lost, path, "the type of a number or bool");
            down.note(Refused, path, "values that are not strings");
        }
        (Inner::String, Inner::String | Inner::Number | Inner::Bool)
        | (Inner::Number, Inner::Number | Inner::Bool)
        | (Inner::Bool, Inner::Bool)
        | (Inner::Dynamic, Inner::String | Inner::Number | Inner::Bool | Inner::Dynamic) => {}
        (Inner::Other, _) | (_, Inner::Other) => {
            down.note(Lost, path, "values that the older type does not have");
        }
    }
}

const fn takes_null(this: &Match) -> bool {
    matches!(this, Match::Literal(Literal::Null) | Match::Empty)
}

/// True if the old text follows from the new one: all names are in both, once and as they are, and
/// what separates them in either text is in none of them.
fn keeps_parts(pattern: &Pattern, template: Template) -> bool {
    let names: Vec<&str> = pattern
        .pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Part(name) | Piece::Rest(name) => Some(*name),
            Piece::Optional(optional) => Some(optional.name),
        })
        .collect();
    let made: Vec<Option<&str>> = template
        .iter()
        .filter_map(|segment| match segment {
            Segment::Text(_) => None,
            Segment::Found(name, Letters::AsIs) => Some(Some(*name)),
            Segment::Found(_, Letters::Lower | Letters::Upper) | Segment::Prior(..) => Some(None),
        })
        .collect();
    // Nothing tells whether an optional part was there, so the old text does not follow.
    let has_optional = pattern
        .pieces
        .iter()
        .any(|piece| matches!(piece, Piece::Optional(_)));
    if has_optional
        || pattern.ignore_case
        || made.len() != names.len()
        || !names.iter().all(|name| made.contains(&Some(name)))
    {
        return false;
    }
    // A single name is what is between two fixed strings. Several must not hold a slash, and
    // slashes alone are next to them.
    let has_rest = pattern
        .pieces
        .iter()
        .any(|piece| matches!(piece, Piece::Rest(_)));
    let text = |segment: &Segment| match segment {
        Segment::Text(text) => Some(*text),
        Segment::Found(..) | Segment::Prior(..) => None,
    };
    let by_slash = template.windows(2).all(|pair| match pair {
        [before, behind] => match (text(before), text(behind)) {
            (Some(before), None) => before.ends_with('/'),
            (None, Some(behind)) => behind.starts_with('/'),
            (None, None) => false,
            (Some(_), Some(_)) => true,
        },
        _ => true,
    });
    !has_rest && (names.len() == 1 || by_slash)
}
