//! What a prior version stored, worked out from what operators do to get to the later one.

use std::collections::BTreeMap;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::Path;
use syn::ext::IdentExt;

use super::super::Member;
use super::super::declared::Declared;
use super::edits::Edit;
use super::nested::PriorObject;
use super::reader::{Found, Mention, Parts, read, unique};
use super::shape::{Field, Info, Row, Shape};
use super::written::{Aside, written_field};
use crate::attr::operators::{EmptyText, FieldPath, FunctionKind, Operation, Stage};
use crate::attr::spelt;
use crate::errors::Errors;
use crate::lock;

/// The later version of a difference.
#[derive(Clone, Copy)]
pub(super) struct Later<'a> {
    /// The struct.
    pub(super) ident: &'a Ident,
    pub(super) shape: &'a Shape,
    pub(super) version: u64,
    /// The resource's type; nothing inside of its objects.
    pub(super) type_name: Option<&'a str>,
    /// The fields in whose objects something was different, and which prior objects those are.
    pub(super) around: &'a BTreeMap<String, (Ident, usize)>,
}

impl Later<'_> {
    /// What a field stored, but for what operators did to it as a whole.
    pub(super) fn info(&self, field: &Field) -> Info {
        match self.around.get(&field.rust_name) {
            Some((_, objects)) => Info::Around(Box::new(field.info.clone()), *objects),
            None => field.info.clone(),
        }
    }
}

/// The shape of the version `prior`, and what it has of its own that a struct would have. What is wrong is recorded.
pub(super) fn prior_shape(
    later: Later<'_>,
    prior: u64,
    declared: &Declared,
    written: &mut Vec<Member>,
    objects: &mut Vec<PriorObject>,
    errors: &mut Errors,
) -> Shape {
    let Found { mentions, stays, parts } = read(later, prior, declared, "", objects, errors);
    let called = |field: &str| format!("{}.{field} (of version {prior})", later.ident.unraw());
    let mut fields: Vec<(Field, Option<&Ident>)> = Vec::new();
    for (index, (field, stays)) in later.shape.same().into_iter().zip(stays).enumerate() {
        let Some(mention) = mentions.get(&field.rust_name) else {
            if stays {
                fields.push((without(around(later, field, index), index, &parts, &called, objects), None));
            }
            continue;
        };
        if !stays && !mention.is_named && mention.written.is_none() {
            continue;
        }
        // What is made again says nothing of what had its name before.
        let info = if stays { mention.own.as_ref() } else { mention.taken.as_ref().filter(|_| mention.renamed.is_some()) };
        let field = match (mention, info) {
            (Mention { written: Some(_), place: Some(place), .. }, _) if later.around.contains_key(&field.rust_name) => {
                let name = place.unraw();
                errors.push(
                    place,
                    format_args!("the type of `{name}` is written here, and other operators change what is in its objects\nhelp: leave the type out; or write all of the prior objects in it, as a struct or `{{ … }}`, and leave out the operators inside of `{name}`"),
                );
                None
            }
            (Mention { written: Some(of), place: Some(place), .. }, _) => {
                written_field(of, place, Some(&field), &mut Aside { later, prior, written, objects, errors })
            }
            (Mention { place: Some(place), .. }, Some(Err(stage))) => wants_type(stage, place, (later.type_name, prior), errors),
            (_, Some(Ok(info))) => {
                let member = mention.member.clone();
                Some(Field { info: info.clone(), ty: None, is_own: false, member, row: Row::Retyped(index), ..field })
            }
            _ => Some(around(later, field, index)),
        };
        let field = field.map(|field| without(field, index, &parts, &called, objects));
        fields.extend(field.map(|field| (field, mention.place)));
    }
    for (name, mention) in &mentions {
        let Some(place) = mention.place.filter(|_| later.shape.field(name).is_none()) else { continue };
        let now = mention.renamed.and_then(|row| Some((row, later.shape.fields.get(row)?)));
        let field = match (mention, &mention.taken) {
            (Mention { written: Some(of), .. }, _) => {
                written_field(of, place, now.map(|(_, now)| now), &mut Aside { later, prior, written, objects, errors })
            }
            (_, Some(Err(stage))) => wants_type(stage, place, (later.type_name, prior), errors),
            (_, Some(Ok(info))) => Some(match now {
                Some((row, now)) => Field { member: mention.member.clone(), ..renamed(place, now, row, info) },
                None => Field {
                    member: mention.member.clone(),
                    ..Field::inferred(&place.unraw().to_string(), info.clone(), mention.sensitive)
                },
            }),
            (_, None) => match parts.taken.get(&place.unraw().to_string()) {
                // The objects whose members are fields now, and nothing else.
                Some(members) => {
                    let edits = members
                        .iter()
                        .map(|(name, info, sensitive)| {
                            Edit::Put(Field::inferred(&name.unraw().to_string(), info.clone(), *sensitive))
                        })
                        .collect();
                    let first = members.first().map_or(Info::Bool, |(_, info, _)| info.clone());
                    let object = Info::ObjectOf(objects.len()).null_as(&first);
                    let name = called(&place.unraw().to_string());
                    objects.push(PriorObject {
                        name: unique(objects, name),
                        info: Info::Bool,
                        field: None,
                        edits,
                        declared: None,
                    });
                    Some(Field::inferred(&place.unraw().to_string(), object, mention.sensitive))
                }
                None => unknown(place, mention.is_in_string, prior, later, errors),
            },
        };
        fields.extend(field.map(|field| (field, Some(place))));
    }
    fields.sort_by(|(left, _), (right, _)| left.name.cmp(&right.name));
    for pair in fields.windows(2) {
        if let [(first, one), (second, other)] = pair
            && first.name == second.name
            && let Some(place) = one.or(*other)
        {
            errors.push(
                place,
                format_args!(
                    "version {prior} would store two fields as `{}`: what `{}` and `{}` are called here\nhelp: `{}` is the name in state; say with an operator what became of it",
                    first.name, first.rust_name, second.rust_name, first.name
                ),
            );
        }
    }
    Shape { fields: fields.into_iter().map(|(field, _)| field).collect() }
}

/// A field that no operator acts on as a whole.
fn around(later: Later<'_>, field: Field, index: usize) -> Field {
    if !later.around.contains_key(&field.rust_name) {
        return field;
    }
    Field { info: later.info(&field), ty: None, is_own: false, row: Row::Retyped(index), ..field }
}

/// The field, whose objects did not have what operators put into them.
fn without(field: Field, index: usize, parts: &Parts, name: &dyn Fn(&str) -> String, objects: &mut Vec<PriorObject>) -> Field {
    let (Some(made), Row::Same(_) | Row::Retyped(_)) = (parts.made.get(&field.rust_name), &field.row) else { return field };
    let edits = made.iter().map(|member| Edit::Remove(member.clone())).collect();
    let object = objects.len();
    objects.push(PriorObject {
        name: unique(objects, name(&field.rust_name)),
        info: field.info.clone(),
        field: None,
        edits,
        declared: None,
    });
    let info = Info::Around(Box::new(field.info.clone()), object);
    Field { info, ty: None, is_own: false, row: Row::Retyped(index), ..field }
}

/// A field that is called otherwise now.
fn renamed(place: &Ident, now: &Field, row: usize, info: &Info) -> Field {
    let name = place.unraw().to_string();
    let retyped = !same(info, &now.info);
    let (ty, is_own) = if retyped { (None, false) } else { (now.ty.clone(), now.is_own) };
    Field { rust_name: name.clone(), name, info: info.clone(), ty, is_own, row: Row::Renamed { row, retyped }, ..now.clone() }
}

/// Whether nothing was done to the values.
pub(super) fn same(one: &Info, other: &Info) -> bool {
    match (one, other) {
        (Info::Type(one), Info::Type(other)) => one.to_token_stream().to_string() == other.to_token_stream().to_string(),
        (Info::Field(one), Info::Field(other)) => one == other,
        (Info::Module(one), Info::Module(other)) => one == other,
        _ => false,
    }
}

pub(super) fn wants_type(
    stage: &Stage,
    place: &Ident,
    (type_name, prior): (Option<&str>, u64),
    errors: &mut Errors,
) -> Option<Field> {
    let word = &stage.word;
    let name = place.unraw();
    let released = type_name.and_then(|type_name| lock::released_type(type_name, prior, &name.to_string()));
    let typed = format!("{name}: {}", released.as_deref().unwrap_or("Option<String>"));
    let calls = |path, kind: &FunctionKind, back: Option<&Path>| {
        let back = back.map(|back| format!(", back = {}", spelt(back))).unwrap_or_default();
        format!(", with = {}{}{back}", spelt(path), kind.written())
    };
    let arguments = match &stage.operation {
        Operation::Function { path, kind, back } => {
            let arrow = if word == "fill" { format!(" => {}", stage.target.spelt()) } else { String::new() };
            format!("{typed}{arrow}{}", calls(path, kind, back.as_ref()))
        }
        Operation::Combine { from, path, kind, back } => {
            let of = |field: &FieldPath| if field.0.first() == Some(place) { typed.clone() } else { field.spelt() };
            let from: Vec<String> = from.iter().map(of).collect();
            format!("{} => {}{}", from.join(", "), stage.target.spelt(), calls(path, kind, back.as_ref()))
        }
        Operation::Convert { empty } => match empty {
            EmptyText::Unsaid => typed,
            EmptyText::Null => format!("{typed}, empty = null"),
            EmptyText::Zero => format!("{typed}, empty = zero"),
            EmptyText::Refuse => format!("{typed}, empty = refuse"),
        },
        Operation::Json => format!("{typed}, json"),
        Operation::Take { .. }
        | Operation::Copy { .. }
        | Operation::Set(_)
        | Operation::Default { .. }
        | Operation::NullIf(_)
        | Operation::Values { .. }
        | Operation::Reformat { .. }
        | Operation::Compose(_)
        | Operation::Extract { .. }
        | Operation::Split(_)
        | Operation::Join(_)
        | Operation::Merge(_)
        | Operation::Unwrap { .. }
        | Operation::Wrap { .. }
        | Operation::Enclose(_)
        | Operation::Member(_)
        | Operation::Rekey { .. }
        | Operation::Filter(_)
        | Operation::FilterKeys(_)
        | Operation::Named(_) => format!("{typed}, …"),
    };
    let form = format!("{word}({arguments})");
    errors.push(
        place,
        format_args!("`{word}` does not say what version {prior} stored as `{name}` [U0008]\nhelp: write its type: `{form}`"),
    );
    None
}

fn unknown(place: &Ident, is_in_string: bool, prior: u64, later: Later<'_>, errors: &mut Errors) -> Option<Field> {
    let (name, ident, version) = (place.unraw().to_string(), later.ident, later.version);
    let nearest = later
        .shape
        .fields
        .iter()
        .map(|field| (strsim::jaro_winkler(&name, &field.rust_name), &field.rust_name))
        .filter(|(likeness, _)| *likeness >= 0.8)
        .max_by(|(left, _), (right, _)| left.total_cmp(right));
    let help = match nearest {
        Some((_, field)) if is_in_string => format!("did you mean `{field}`?"),
        None if is_in_string => format!("say what it stored, and why it is gone: add `drop({name}: String, \"…\")`"),
        Some((_, field)) => {
            format!("did you mean `{field}`? If version {prior} stored `{name}`, write its type: `{name}: Option<String>`")
        }
        None => format!("write what it stored: `{name}: Option<String>`"),
    };
    errors.push(
        place,
        format_args!("version {version} of `{ident}` has no field `{name}`, and nothing says what version {prior} stored under that name [U0011]\nhelp: {help}"),
    );
    None
}
