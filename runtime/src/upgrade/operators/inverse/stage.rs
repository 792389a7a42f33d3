//! Finds the value that was before an operator, by the value behind it.

use std::collections::BTreeMap;

use super::super::convert;
use super::super::form;
use super::super::form::{Form, Member, member};
use super::super::going::{Going, Sure, Undone, Was};
use super::super::notation::literal_value;
use super::super::place::Place;
use super::super::row::{Effect, ReadAs, Replaces};
use super::super::scalar::{self, Makes, Refusal, Seen, is};
use super::super::stage::plain_type;
use super::super::table::{
    Called, EmptyText, Existing, Literal, Match, Operation, Operators, Otherwise, Path, Pattern,
    Piece, Production, Segment, Stage, Template,
};
use super::super::text::take_apart_by;
use super::super::transit::Transit;
use crate::diagnostics::Diagnostics;
use crate::path::PathStep;
use crate::schema::{Members, Type};
use crate::upgrade::context::{UpgradeContext, ValueFunction};
use crate::value::Value;

type Result<T> = std::result::Result<T, Diagnostics>;

impl Operation {
    /// The prior attribute whose value takes the place of the one on its way.
    pub(super) const fn begins_with(&self) -> Option<Path> {
        match self.row() {
            Effect {
                replaces: Replaces::Always,
                read_as: ReadAs::Moved | ReadAs::Copied | ReadAs::Parts,
                ..
            } => self.reads(0),
            Effect { .. } => None,
        }
    }

    /// Finds the value that was before the operator. `ty` is the type that it had, where it is
    /// known, and `before` the prior attribute.
    ///
    /// # Errors
    /// The operator makes this value of none, or only its author knows of which.
    fn undo(
        &'static self,
        going: Going,
        ty: Option<&Type>,
        before: Option<Member<'static>>,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Undone> {
        let Going {
            value,
            form,
            place,
            nullable,
        } = going;
        let going = |value: Value, form, place| Going {
            value,
            form,
            place,
            nullable,
        };
        let on = |value, form, place| Ok(Undone::Before(going(value, form, place)));
        match self {
            Self::Take(from, Existing::Unsaid) => {
                Ok(Undone::Went(from, Sure::Quite, going(value, form, place)))
            }
            Self::Take(from, Existing::Keep | Existing::Replace | Existing::Refuse) => {
                Ok(Undone::Either(from, going(value, form, place)))
            }
            Self::Copy(from) => Ok(Undone::Went(from, Sure::Hardly, going(value, form, place))),
            Self::Set(_) => Ok(Undone::Nowhere),
            // The value goes back as it is, because `default` leaves the constant alone that it
            // puts in place of other values.
            Self::Default(..) => on(value, form, place),
            Self::Structure(structure) => {
                structure.undo(going(value, form, place), &Was { ty, member: before })
            }
            Self::Named(conversion) => match conversion.undo(Seen::from(&value)) {
                Some(Ok(Makes::Scalar(scalar))) => on(scalar.into(), Form::Open, place),
                Some(Ok(
                    Makes::Same
                    | Makes::Constant(_)
                    | Makes::Literal(_)
                    | Makes::Text(..)
                    | Makes::Composed(_),
                )) => on(value, Form::Open, place),
                Some(Err(refusal)) => Err(refusal.reported(&value, &place)),
                None if value.is_null() && nullable => on(value, Form::Open, place),
                None => Err(place.refuse(format_args!(
                    "`{}` does not tell which string it was made of",
                    conversion.word()
                ))),
            },
            Self::NullIf(these) => {
                let value = if value.is_null() && !nullable {
                    made_null(these, ty)
                } else {
                    value
                };
                on(value, form, place)
            }
            Self::Convert(empty) => {
                let value = match (value, empty, ty) {
                    (Value::Null, EmptyText::Null, Some(Type::String)) if !nullable => {
                        Value::from("")
                    }
                    (value, _, Some(ty)) => coerce(value, ty, *empty),
                    (value, _, None) => value,
                };
                on(value, Form::Open, place)
            }
            Self::Json() => {
                let Some(ty) = ty else {
                    return on(value, Form::Open, place);
                };
                let exact = context.is_of_document();
                let Transit { value, place, .. } =
                    convert::json(Transit { value, form, place }, Form::Plain(ty), exact)?;
                on(value, Form::Open, place)
            }
            Self::Function(Called {
                back: Some(_),
                makes,
                ..
            }) if value.is_null() && !makes.holds.nullable => on(value, Form::Open, place),
            Self::Function(Called {
                back: Some(back), ..
            }) => {
                let value = called_back(*back, value, form, &place, context)?;
                on(value, Form::Open, place)
            }
            Self::Combine(
                from,
                Called {
                    back: Some(back),
                    makes,
                    ..
                },
            ) => {
                let values = if value.is_null() && !makes.holds.nullable {
                    Vec::new()
                } else {
                    let value = called_back(*back, value, form, &place, context)?;
                    if let Value::List(values) = value {
                        values
                    } else {
                        vec![value]
                    }
                };
                let values = values.into_iter().chain(std::iter::repeat(Value::Null));
                let part = |(path, value): (&Path, Value)| {
                    (*path, going(value, Form::Open, place.clone()))
                };
                Ok(Undone::With(
                    from.iter().zip(values).map(part).collect(),
                    None,
                ))
            }
            Self::Function(Called {
                back: None, takes, ..
            }) if value.is_null() && nullable && !takes.holds.nullable => {
                on(value, Form::Open, place)
            }
            Self::Function(Called { back: None, .. })
            | Self::Combine(_, Called { back: None, .. }) => {
                let problem = place.refuse("a function made this value, and nothing tells of what");
                Err(problem
                    .restored("For the authors: `convert(…, with = f, back = g)` says of what."))
            }
            Self::Values(table, other) => {
                let seen = Seen::from(&value);
                let old = table
                    .iter()
                    .find(|(_, new)| is(new, seen))
                    .map(|(old, _)| literal_value(old));
                match (old, other) {
                    (Some(old), _) => on(old, form, place),
                    (None, Otherwise::Refuse) if !value.is_null() => {
                        let known: Vec<String> =
                            table.iter().map(|(_, new)| new.to_string()).collect();
                        let shown = place.shown(&value);
                        Err(place.refuse(format_args!(
                            "{shown} is not one of the values that have a predecessor ({})",
                            known.join(", ")
                        )))
                    }
                    (None, _) => on(value, form, place),
                }
            }
            Self::Reformat(forms, other) => {
                let Some(text) = value.as_str() else {
                    return on(value, form, place);
                };
                let found = forms
                    .iter()
                    .find_map(|(pattern, template)| put_back(pattern, template, text));
                match (found, other) {
                    (Some((prior, others)), _) => {
                        let part = |(path, text): (Path, String)| {
                            (path, going(Value::String(text), Form::Open, place.clone()))
                        };
                        let others = others.into_iter().map(part).collect();
                        Ok(Undone::With(
                            others,
                            Some(going(Value::String(prior), form, place)),
                        ))
                    }
                    (None, Otherwise::Refuse) => {
                        let shown = place.shown(&value);
                        Err(place.refuse(format_args!(
                            "{shown} does not tell what `reformat` made it of"
                        )))
                    }
                    (None, Otherwise::Keep | Otherwise::Become(_)) => on(value, form, place),
                }
            }
            Self::Compose(template) => {
                let parts = value
                    .as_str()
                    .and_then(|text| parts_of(template, text))
                    .unwrap_or_default();
                let part = |(path, text): (Path, String)| {
                    (path, going(Value::String(text), Form::Open, place.clone()))
                };
                Ok(Undone::With(parts.into_iter().map(part).collect(), None))
            }
            Self::Extract(from, apart, name) => Ok(Undone::TakenApart {
                from,
                apart,
                name,
                value: going(value, form, place),
            }),
        }
    }

    /// The type of what the operator makes of a value of the type `ty`.
    fn makes(&self, ty: Option<Type>, goal: Option<&Type>) -> Option<Type> {
        match self {
            Self::Take(_, Existing::Unsaid) | Self::Copy(..) | Self::Set(_) | Self::Json() => {
                goal.cloned()
            }
            Self::Take(_, Existing::Keep | Existing::Replace | Existing::Refuse)
            | Self::Default(..)
            | Self::NullIf(_)
            | Self::Values(..) => ty,
            Self::Structure(structure) => structure.makes(ty, goal),
            Self::Named(conversion) => conversion.makes(ty.as_ref()),
            Self::Extract(_, apart, name) => Some(apart.makes(name).clone()),
            Self::Reformat(..) | Self::Compose(_) => Some(Type::String),
            Self::Convert(..) => Some(with_innermost(&ty?, goal?.innermost())),
            Self::Function(Called { makes, .. }) | Self::Combine(_, Called { makes, .. }) => {
                Some(makes.stored.to_type())
            }
        }
    }
}

impl Production {
    /// True if a function without a way back makes it of copies, and the originals stay: then
    /// nothing has to come back.
    pub(super) fn is_beside(&self, operators: &Operators, to: Members<'_>) -> bool {
        let mut stages = self.stages.iter().rev().map(|stage| &stage.operation);
        let function = stages.find(|operation| {
            matches!(
                operation,
                Operation::Function(Called { back: None, .. })
                    | Operation::Combine(_, Called { back: None, .. })
            )
        });
        let copied: &[Path] = match function {
            Some(Operation::Combine(from, ..)) => from,
            Some(_) => stages
                .find_map(|operation| {
                    if let Operation::Copy(from) = operation {
                        Some(std::slice::from_ref(from))
                    } else {
                        None
                    }
                })
                .unwrap_or_default(),
            None => &[],
        };
        let stays = |path: &Path| {
            let is_made = operators
                .productions
                .iter()
                .any(|production| production.target.first() == path.first());
            let mut members = Some(to);
            let is_there = path.iter().all(|name| {
                let found = members.and_then(|members| member(members, name));
                members = found.and_then(|found| match found.form {
                    Form::Objects(objects, _) => Some(objects.members),
                    Form::Plain(_) | Form::Made(_) | Form::Open => None,
                });
                found.is_some()
            });
            is_there && !is_made
        };
        !copied.is_empty() && copied.iter().all(stays)
    }
}

/// The value that an author's function for the way back makes of another.
fn called_back(
    back: &'static dyn ValueFunction,
    value: Value,
    form: Form<'static>,
    place: &Place,
    context: &UpgradeContext<'_>,
) -> Result<Value> {
    let ty = plain_type(form);
    back.call(value, ty.as_ref(), context)
        .map_err(|errors| place.refuse_by(&errors, "the value cannot be converted back"))
}

impl Stage {
    /// Undoes a stage, for each element where the operator acts on elements.
    pub(super) fn undo(
        &'static self,
        going: Going,
        ty: Option<&Type>,
        before: Option<Member<'static>>,
        context: &mut UpgradeContext<'_>,
    ) -> Result<Undone> {
        if !self.each {
            return self.operation.undo(going, ty, before, context);
        }
        let Going {
            value,
            form,
            place,
            nullable,
        } = going;
        let inner = ty.and_then(Type::element);
        let elements = form::element(form);
        let null_elements = before
            .and_then(|before| before.holds.elements)
            .is_none_or(|elements| elements.nullable);
        let mut each = |value, place: Place| {
            let going = Going {
                value,
                form: elements,
                place,
                nullable: null_elements,
            };
            match self.operation.undo(going, inner, before, context)? {
                Undone::Before(Going { value, .. })
                | Undone::With(_, Some(Going { value, .. })) => Ok(value),
                Undone::Went(..)
                | Undone::Either(..)
                | Undone::TakenApart { .. }
                | Undone::Merged(..)
                | Undone::With(_, None)
                | Undone::Nowhere => Ok(Value::Null),
            }
        };
        let value = match value {
            Value::List(list) => Value::List(
                list.into_iter()
                    .zip(0..)
                    .map(|(value, index)| each(value, place.step(PathStep::Index(index))))
                    .collect::<Result<_>>()?,
            ),
            Value::Map(map) => Value::Map(
                map.into_iter()
                    .map(|(key, value)| {
                        Ok((key.clone(), each(value, place.step(PathStep::Key(key)))?))
                    })
                    .collect::<Result<_>>()?,
            ),
            other @ (Value::Null
            | Value::Unknown
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Dynamic(_)) => other,
        };
        Ok(Undone::Before(Going {
            value,
            form: Form::Open,
            place,
            nullable,
        }))
    }
}

/// The type of the value before each stage, where it is known.
pub(super) fn types_before(
    stages: &[&'static Stage],
    start: Option<Form<'static>>,
    goal: Form<'static>,
    at: &dyn Fn(Path) -> Option<Form<'static>>,
) -> Vec<Option<Type>> {
    let goal = plain_type(goal);
    let inner_goal = goal.as_ref().and_then(Type::element);
    let mut ty = start.and_then(plain_type);
    let mut all = Vec::with_capacity(stages.len());
    for stage in stages {
        all.push(ty.clone());
        let source = stage
            .operation
            .begins_with()
            .and_then(at)
            .and_then(plain_type);
        ty = match (source, &stage.operation) {
            (Some(source), operation) if operation.takes_as_is() => Some(source),
            (_, operation) if stage.each => match ty {
                Some(Type::List(inner)) => operation
                    .makes(Some((*inner).clone()), inner_goal)
                    .map(Type::list),
                Some(Type::Set(inner)) => operation
                    .makes(Some((*inner).clone()), inner_goal)
                    .map(Type::set),
                Some(Type::Map(inner)) => operation
                    .makes(Some((*inner).clone()), inner_goal)
                    .map(Type::map),
                _ => None,
            },
            (_, operation) => operation.makes(ty, goal.as_ref()),
        };
    }
    all
}

fn with_innermost(ty: &Type, scalar: &Type) -> Type {
    match ty {
        Type::List(element) => Type::list(with_innermost(element, scalar)),
        Type::Set(element) => Type::set(with_innermost(element, scalar)),
        Type::Map(element) => Type::map(with_innermost(element, scalar)),
        Type::Object(_) => Type::map(scalar.clone()),
        Type::Bool
        | Type::String
        | Type::Number
        | Type::Dynamic
        | Type::Tuple(_)
        | Type::Json
        | Type::Union(_) => scalar.clone(),
    }
}

/// The value that `null_if` made null where the prior attribute always has one.
fn made_null(these: &[Match], ty: Option<&Type>) -> Value {
    let made = these.iter().find_map(|this| match this {
        Match::Literal(Literal::Null) => None,
        Match::Literal(literal) => Some(literal_value(literal)),
        Match::Empty => Some(match ty {
            Some(Type::String) => Value::from(""),
            Some(Type::Map(_) | Type::Object(_)) => Value::Map(BTreeMap::new()),
            Some(Type::List(_) | Type::Set(_) | Type::Tuple(_)) => Value::List(Vec::new()),
            Some(Type::Bool | Type::Number | Type::Dynamic | Type::Json | Type::Union(_))
            | None => return None,
        }),
    });
    made.unwrap_or_default()
}

/// The scalars as those of another type; what has no such form stays, and does not fit then.
pub(super) fn coerce(value: Value, ty: &Type, empty: EmptyText) -> Value {
    match (value, ty) {
        (Value::Dynamic(dynamic), ty) if *ty != Type::Dynamic => coerce(dynamic.1, ty, empty),
        (value, Type::Dynamic) => convert::into_dynamic(value, None),
        (Value::List(list), Type::List(element) | Type::Set(element)) => Value::List(
            list.into_iter()
                .map(|value| coerce(value, element, empty))
                .collect(),
        ),
        (Value::Map(map), Type::Map(element)) => Value::Map(
            map.into_iter()
                .map(|(key, value)| (key, coerce(value, element, empty)))
                .collect(),
        ),
        (Value::Map(map), Type::Object(fields)) => Value::Map(
            map.into_iter()
                .map(
                    |(name, value)| match fields.iter().find(|field| field.name() == name) {
                        Some(field) => (name, coerce(value, field.ty(), empty)),
                        None => (name, value),
                    },
                )
                .collect(),
        ),
        (value, ty) => match scalar::convert(empty, ty, Seen::from(&value)) {
            Ok(Makes::Scalar(scalar)) => scalar.into(),
            Ok(
                Makes::Same
                | Makes::Constant(_)
                | Makes::Literal(_)
                | Makes::Text(..)
                | Makes::Composed(_),
            )
            | Err(
                Refusal::NotText
                | Refusal::NoForm(_)
                | Refusal::NotOfForm(_)
                | Refusal::NotUrl
                | Refusal::UrlPart(_)
                | Refusal::NoSuccessor(_)
                | Refusal::EmptyText(_)
                | Refusal::NoConversion(_)
                | Refusal::NoDuration
                | Refusal::NotWhole(_)
                | Refusal::TooLong(_),
            ) => value,
        },
    }
}

/// The parts of a string that was put together, each with the prior attribute that gave it.
fn parts_of(template: Template, text: &str) -> Option<Vec<(Path, String)>> {
    let reading = |rest: &dyn Fn(usize) -> bool| {
        let mut nth = 0;
        let pieces: Vec<Piece> = template
            .iter()
            .map(|segment| match segment {
                Segment::Text(text) => Piece::Text(text),
                Segment::Found(..) | Segment::Prior(..) => {
                    nth += 1;
                    if rest(nth) {
                        Piece::Rest("")
                    } else {
                        Piece::Part("")
                    }
                }
            })
            .collect();
        take_apart_by(&pieces, false, text)
    };
    let count = template
        .iter()
        .filter(|segment| !matches!(segment, Segment::Text(_)))
        .count();
    let found = reading(&|_| false)
        .or_else(|| reading(&|nth| nth == count))
        .or_else(|| reading(&|_| true))?;
    let variables = template
        .iter()
        .filter(|segment| !matches!(segment, Segment::Text(_)));
    let part = |(segment, (_, part)): (&Segment, (&str, &str))| match segment {
        Segment::Prior(path, _) => Some((*path, part.to_owned())),
        Segment::Text(_) | Segment::Found(..) => None,
    };
    Some(variables.zip(found).filter_map(part).collect())
}

/// The text that `reformat` made another of, and what other prior attributes gave to that.
fn put_back(
    pattern: &Pattern,
    template: Template,
    text: &str,
) -> Option<(String, Vec<(Path, String)>)> {
    // A single part is all that is between the fixed strings, and may begin as one of them ends.
    let is_single = template
        .iter()
        .filter(|segment| !matches!(segment, Segment::Text(_)))
        .count()
        == 1;
    let is_rest = |name: &str| {
        is_single
            || pattern.pieces.iter().any(|piece| match piece {
                Piece::Rest(rest) => *rest == name,
                // The string may have nothing in its place.
                Piece::Optional(optional) => {
                    optional.name == name && (optional.rest || optional.default.is_empty())
                }
                Piece::Text(_) | Piece::Part(_) => false,
            })
    };
    let pieces: Vec<Piece> = template
        .iter()
        .map(|segment| match segment {
            Segment::Text(text) => Piece::Text(text),
            Segment::Found(name, _) if is_rest(name) => Piece::Rest(name),
            Segment::Found(name, _) => Piece::Part(name),
            Segment::Prior(..) => Piece::Part(""),
        })
        .collect();
    let found = take_apart_by(&pieces, false, text)?;
    let mut others = Vec::new();
    let mut parts: BTreeMap<&str, &str> = BTreeMap::new();
    let variables = template
        .iter()
        .filter(|segment| !matches!(segment, Segment::Text(_)));
    for (segment, (_, part)) in variables.zip(found) {
        match segment {
            Segment::Text(_) => {}
            // A name that is in the template twice must have the same string twice, because it
            // means one part.
            Segment::Found(name, _) => {
                if parts
                    .insert(name, part)
                    .is_some_and(|before| before != part)
                {
                    return None;
                }
            }
            Segment::Prior(path, _) => others.push((*path, part.to_owned())),
        }
    }
    let mut prior = String::new();
    for piece in pattern.pieces {
        match piece {
            Piece::Text(fixed) => prior.push_str(fixed),
            Piece::Part(name) | Piece::Rest(name) => prior.push_str(parts.get(name)?),
            // A part that the template left out may have been missing.
            Piece::Optional(optional) => optional.put(
                &mut prior,
                parts
                    .get(optional.name)
                    .copied()
                    .unwrap_or(optional.default),
            ),
        }
    }
    Some((prior, others))
}
