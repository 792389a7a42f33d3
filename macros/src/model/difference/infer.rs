//! The shape of a prior version, inferred from the operators that lead to the later one.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Path, Type};
use upstate_words::operators::convert::{
    CONVERSION, CONVERT, EMPTY_TEXT, FUNCTION, JSON, MILLISECONDS, SECONDS,
};

use super::super::declared::Declared;
use super::super::{Member, inside};
use super::parts::{self, Part, Parts, written_and_changed};
use super::prior::{Aside, Later, PriorObject, same};
use super::reader::{Found, Mention, read};
use super::shape::{Field, Info, Row, Secrecy, Shape};
use super::written::written_field;
use crate::attr::operators::{
    Argument, FieldPath, FunctionKind, Operation, Stage, as_written, name_of,
};
use crate::attr::spelt;
use crate::errors::Errors;
use crate::likeness;
use crate::lock;
use crate::model::Derive;

/// The shape of the version `prior`, and what it has of its own that a struct would have. What is
/// wrong is recorded.
pub(super) fn prior_shape(
    later: Later<'_>,
    prior: u64,
    declared: &Declared,
    written: &mut Vec<Member>,
    objects: &mut Vec<PriorObject>,
    errors: &mut Errors,
) -> Shape {
    let Found {
        mentions,
        stays,
        members_before,
        members_now,
    } = read(later, prior, declared, "", objects, errors);
    let today = |stage: &Stage| match &stage.target.0[..] {
        [field] => later.shape.field(&name_of(field))?.ty.as_ref(),
        _ => None,
    };
    let mut aside = Aside {
        later,
        prior,
        written,
        objects,
        errors,
    };
    let mut fields: Vec<(Field, Option<&Ident>)> = Vec::new();
    for (index, (field, stays)) in later.shape.same().into_iter().zip(stays).enumerate() {
        let Some(mention) = mentions.get(&field.rust_name) else {
            if stays {
                let inside = parts::inside(&members_before, "", &members_now, &field.rust_name);
                fields.push((
                    reshaped(
                        around(later, field, index),
                        None,
                        &inside,
                        &Secrecy::default(),
                        &mut aside,
                    ),
                    None,
                ));
            }
            continue;
        };
        if !stays && !mention.is_named && mention.written.is_none() {
            continue;
        }
        // A field that is made again says nothing of the one that had its name before.
        let info = if stays {
            mention.own.as_ref()
        } else {
            mention.taken.as_ref().filter(|_| mention.renamed.is_some())
        };
        let field = match (mention, info) {
            (
                Mention {
                    written: Some(_),
                    place: Some(place),
                    ..
                },
                _,
            ) if later.around.contains_key(&field.rust_name) => {
                written_and_changed(place, aside.errors);
                None
            }
            (
                Mention {
                    written: Some(of),
                    place: Some(place),
                    ..
                },
                _,
            ) => {
                // A field that stays is marked as it is marked now.
                let secrecy = if stays {
                    Secrecy::default()
                } else {
                    mention.secrecy.clone()
                };
                let made = written_field(of, place, Some(&field), secrecy, &mut aside);
                made.map(|field| field.with_other_values(mention.is_revalued))
            }
            (
                Mention {
                    place: Some(place), ..
                },
                Some(Err(stage)),
            ) => wants_type(
                stage,
                place,
                ("", today(stage)),
                (later.type_name, prior),
                aside.errors,
            ),
            (_, Some(Ok(info))) => {
                let secrecy = mention.secrecy.clone();
                let field = Field {
                    info: info.clone(),
                    ty: None,
                    is_own: false,
                    secrecy,
                    row: Row::Retyped(index),
                    ..field
                };
                Some(revalued(later, field, index, mention).typed_at(mention.place))
            }
            _ => Some(revalued(later, around(later, field, index), index, mention)),
        };
        let Some(field) = field else { continue };
        let inside = parts::inside(
            &members_before,
            &field.rust_name,
            &members_now,
            &field.rust_name,
        );
        fields.push((
            reshaped(field, mention.place, &inside, &mention.secrecy, &mut aside),
            mention.place,
        ));
    }
    for (name, mention) in &mentions {
        let Some(place) = mention.place.filter(|_| later.shape.field(name).is_none()) else {
            continue;
        };
        if !mention.is_in_string && was_stored_otherwise(place, prior, later, aside.errors) {
            continue;
        }
        let now = mention
            .renamed
            .and_then(|row| Some((row, later.shape.fields.get(row)?)));
        let field = match (mention, &mention.taken) {
            (
                Mention {
                    written: Some(of), ..
                },
                _,
            ) => {
                let (now, secrecy) = (now.map(|(_, now)| now), mention.secrecy.clone());
                let made = written_field(of, place, now, secrecy, &mut aside);
                made.map(|field| {
                    field
                        .with_other_values(mention.is_revalued)
                        .or_facts(mention.facts.as_ref())
                })
            }
            (_, Some(Err(stage))) => wants_type(
                stage,
                place,
                ("", today(stage)),
                (later.type_name, prior),
                aside.errors,
            ),
            (_, Some(Ok(info))) => {
                let secrecy = mention.secrecy.clone();
                let field = match now {
                    Some((row, now)) => {
                        revalued(later, renamed(place, now, row, info), row, mention)
                            .hidden(secrecy)
                    }
                    None => Field::inferred(&name_of(place), info.clone(), secrecy)
                        .going_into(mention.goes_into.as_ref())
                        .with_facts(mention.facts.as_ref()),
                };
                Some(
                    if matches!(field.row, Row::Renamed { retyped: false, .. }) {
                        field
                    } else {
                        field.typed_at(Some(place))
                    },
                )
            }
            // The objects whose members are fields now, and nothing else.
            (_, None) => match members_before
                .get(name)
                .map(Part::inside)
                .filter(|inside| !inside.is_empty())
            {
                Some(inside) => {
                    let called = format!("{}.{name}", later.ident.unraw());
                    let object =
                        parts::objects(&called, None, inside, &mention.secrecy, &mut aside);
                    Some(Field::inferred(
                        name,
                        parts::nothing_else(object, inside),
                        mention.secrecy.clone(),
                    ))
                }
                None => unknown(place, mention.is_in_string, prior, later, aside.errors),
            },
        };
        let Some(field) = field else { continue };
        let field = match now {
            Some((_, now)) => {
                let inside = parts::inside(&members_before, name, &members_now, &now.rust_name);
                reshaped(field, Some(place), &inside, &mention.secrecy, &mut aside)
            }
            None => field,
        };
        fields.push((field, Some(place)));
    }
    fields.sort_by(|(left, _), (right, _)| left.name.cmp(&right.name));
    for pair in fields.windows(2) {
        if let [(first, one), (second, other)] = pair
            && first.name == second.name
            && let Some(place) = one.or(*other)
        {
            aside.errors.push(
                place,
                format_args!(
                    "version {prior} would store two fields as `{}`: what `{}` and `{}` are called here\nhelp: `{}` is the name in state; say with an operator what became of it",
                    first.name, first.rust_name, second.rust_name, first.name
                ),
            );
        }
    }
    Shape {
        fields: fields.into_iter().map(|(field, _)| field).collect(),
    }
}

/// A field that no operator acts on as a whole.
fn around(later: Later<'_>, field: Field, index: usize) -> Field {
    if !later.around.contains_key(&field.rust_name) {
        return field;
    }
    Field {
        info: later.info(&field),
        ty: None,
        is_own: false,
        row: Row::Retyped(index),
        ..field
    }
}

/// The field, whose objects did not have what operators put into them, and had what operators take
/// out of them.
fn reshaped(
    field: Field,
    place: Option<&Ident>,
    inside: &Parts<'_>,
    secrecy: &Secrecy,
    aside: &mut Aside<'_, '_>,
) -> Field {
    let row = match field.row {
        // All that its objects had is written.
        Row::New(_) => {
            if let Some(place) = place.filter(|_| parts::has_written(inside)) {
                written_and_changed(place, aside.errors);
            }
            return field;
        }
        _ if !parts::change(inside) => return field,
        Row::Same(row) | Row::Retyped(row) => Row::Retyped(row),
        Row::Renamed { row, .. } => Row::Renamed { row, retyped: true },
    };
    let called = format!("{}.{}", aside.later.ident.unraw(), field.rust_name);
    let objects = parts::objects(&called, Some(&field.info), inside, secrecy, aside);
    let now = match row {
        Row::Retyped(row) | Row::Renamed { row, .. } => aside.later.shape.fields.get(row),
        Row::Same(_) | Row::New(_) => None,
    };
    if let Some((to, now)) = aside.later.to.zip(now) {
        aside.held(objects, to, &now.rust_name);
    }
    Field {
        info: Info::Around(Box::new(field.info.clone()), objects),
        ty: None,
        is_own: false,
        row,
        ..field
    }
}

/// The field, whose facts may be about other values than it had.
fn revalued(later: Later<'_>, field: Field, index: usize, mention: &Mention<'_>) -> Field {
    let has_facts = later
        .shape
        .fields
        .get(index)
        .is_some_and(|now| now.has_facts);
    if later.derive != Derive::Document || !mention.is_revalued || !has_facts {
        return field;
    }
    let row = match field.row {
        Row::Same(row) => Row::Retyped(row),
        other @ (Row::Renamed { .. } | Row::Retyped(_) | Row::New(_)) => other,
    };
    Field {
        row,
        other_values: true,
        ..field
    }
}

/// A field that is called otherwise now.
fn renamed(place: &Ident, now: &Field, row: usize, info: &Info) -> Field {
    let name = name_of(place);
    let retyped = !same(info, &now.info);
    let (ty, is_own) = if retyped {
        (None, false)
    } else {
        (now.ty.clone(), now.is_own)
    };
    let now = now.clone().with_row(Row::Renamed { row, retyped });
    Field {
        rust_name: name.clone(),
        name,
        info: info.clone(),
        ty,
        is_own,
        ..now
    }
}

pub(super) fn wants_type(
    stage: &Stage,
    place: &Ident,
    (within, today): (&str, Option<&Type>),
    (type_name, prior): (Option<&str>, u64),
    errors: &mut Errors,
) -> Option<Field> {
    let word = &stage.word;
    let name = match within {
        "" => name_of(place),
        within => format!("{within}.{}", name_of(place)),
    };
    let released = type_name.and_then(|type_name| lock::released_type(type_name, prior, &name));
    let today = today.filter(|_| word != "fill");
    let likely = || {
        today
            .and_then(|today| likely_type(&stage.operation, today))
            .unwrap_or_else(|| "Option<String>".to_owned())
    };
    let typed = format!("{name}: {}", released.unwrap_or_else(likely));
    let of_target = |path: &FieldPath| {
        if within.is_empty() {
            path.spelt()
        } else {
            format!("{within}.{}", path.spelt())
        }
    };
    let calls = |path, kind: FunctionKind, back: Option<&Path>| {
        let back = back
            .map(|back| format!(", back = {}", spelt(back)))
            .unwrap_or_default();
        format!(", with = {}{}{back}", spelt(path), kind.written())
    };
    let operation = &stage.operation;
    let arguments = match (operation.function(), operation.arguments.as_slice()) {
        (Some((path, kind, back)), [Argument::Priors(from), ..]) => {
            let of = |field: &FieldPath| {
                if field.0.first() == Some(place) {
                    typed.clone()
                } else {
                    of_target(field)
                }
            };
            let from: Vec<String> = from.iter().map(of).collect();
            format!(
                "{} => {}{}",
                from.join(", "),
                of_target(&stage.target),
                calls(path, kind, back)
            )
        }
        (Some((path, kind, back)), _) => {
            let arrow = if word == "fill" {
                format!(" => {}", of_target(&stage.target))
            } else {
                String::new()
            };
            format!("{typed}{arrow}{}", calls(path, kind, back))
        }
        (None, [Argument::Choice(choice, chosen)])
            if **choice == EMPTY_TEXT || **choice == CONVERSION =>
        {
            let option = if **choice == EMPTY_TEXT {
                "empty = "
            } else {
                ""
            };
            let written = choice.options.iter().find(|(_, variant)| variant == chosen);
            written.map_or_else(
                || typed.clone(),
                |(written, _)| format!("{typed}, {option}{written}"),
            )
        }
        (None, _) if *operation.effect == JSON => format!("{typed}, json"),
        (None, _) => format!("{typed}, …"),
    };
    let form = format!("{word}({arguments})");
    errors.push(
        place,
        format_args!("`{word}` does not say what version {prior} stored as `{name}` [U0008]\nhelp: write its type: `{form}`"),
    );
    None
}

/// The likely type of a field before an operator that does not name it: a function may leave the
/// type as it is, and a conversion into a string begins with something else.
fn likely_type(operation: &Operation, today: &Type) -> Option<String> {
    if *operation.effect == FUNCTION {
        return Some(
            today
                .to_token_stream()
                .to_string()
                .replace(' ', "")
                .replace(',', ", "),
        );
    }
    let is_string = |ty: &Type| matches!(ty, Type::Path(path) if path.path.is_ident("String"));
    let inner = inside("Option", today);
    if let [Argument::Choice(choice, _)] = operation.arguments.as_slice()
        && **choice == CONVERSION
    {
        // A duration becomes a number or a string, because it was the other; the others read
        // strings.
        let was_number =
            [MILLISECONDS, SECONDS].contains(operation.effect) && is_string(inner.unwrap_or(today));
        let was = if was_number { "i64" } else { "String" };
        return Some(match inner {
            Some(_) => format!("Option<{was}>"),
            None => was.to_owned(),
        });
    }
    let converts = *operation.effect == CONVERT;
    match inner {
        Some(inner) if converts && is_string(inner) => Some("Option<i64>".to_owned()),
        None if converts && is_string(today) => Some("i64".to_owned()),
        Some(_) | None => None,
    }
}

/// Refuses a name that the rule for names would have stored as another one. One in quotes, with
/// `r#` or in the lock is meant as it is written.
fn was_stored_otherwise(place: &Ident, prior: u64, later: Later<'_>, errors: &mut Errors) -> bool {
    let name = name_of(place);
    let Some(stored) = later.rename_all.map(|case| case.of_field(&name)) else {
        return false;
    };
    let is_released = later
        .type_name
        .is_some_and(|type_name| lock::was_stored(type_name, prior, &name));
    if stored == name || *place != name || is_released {
        return false;
    }
    let written = as_written(&stored);
    errors.push(
        place,
        format_args!("`rename_all` stores a field `{name}` as `{stored}`, and a field that is gone is named as it was stored\nhelp: write `{written}`, or `r#{name}` if version {prior} stored `{name}`"),
    );
    true
}

fn unknown(
    place: &Ident,
    is_in_string: bool,
    prior: u64,
    later: Later<'_>,
    errors: &mut Errors,
) -> Option<Field> {
    let (name, ident, version) = (name_of(place), later.ident, later.version);
    let nearest = likeness::nearest(
        &name,
        later.shape.fields.iter().map(|field| &field.rust_name),
    );
    let released = later
        .type_name
        .and_then(|type_name| lock::released_type(type_name, prior, &name));
    // Without a lock, the type is an example of one.
    let ty = released.as_deref().unwrap_or(if is_in_string {
        "String"
    } else {
        "Option<String>"
    });
    let help = match nearest.filter(|_| released.is_none()) {
        Some(field) if is_in_string => format!("did you mean `{field}`?"),
        None if is_in_string => {
            format!("declare its type, and why it is gone: add `drop({name}: {ty}, \"…\")`")
        }
        Some(field) => format!(
            "did you mean `{field}`? If version {prior} stored `{name}`, write its type: `{name}: {ty}`"
        ),
        None => format!("write its type: `{name}: {ty}`"),
    };
    errors.push(
        place,
        format_args!("version {version} of `{ident}` has no field `{name}`, and nothing says what version {prior} stored under that name [U0011]\nhelp: {help}"),
    );
    None
}
