//! What was different in nested objects, of which the derive does not see all fields.

use syn::ext::IdentExt;

use super::super::Member;
use super::super::declared::Declared;
use super::infer::{Later, same, wants_type};
use super::nested::PriorObject;
use super::reader::{Found, Mention, read};
use super::shape::{Field, Info};
use super::written::{Aside, written_field};
use crate::errors::Errors;

/// One change to the fields of nested objects, of which the derive knows no others.
#[derive(Debug)]
pub(crate) enum Edit {
    Remove(String),
    Rename {
        field: String,
        name: String,
    },
    Retype {
        field: String,
        info: Info,
    },
    /// A field of the later objects is written.
    Replace {
        field: String,
        with: Field,
    },
    /// A field that the later objects may have, too, is written.
    Put(Field),
    /// A field that the later objects may have, too.
    Add(Field),
}

/// What the prior version had of its own inside of nested objects.
pub(super) fn edits(
    later: Later<'_>,
    prior: u64,
    declared: &Declared,
    path: &str,
    written: &mut Vec<Member>,
    objects: &mut Vec<PriorObject>,
    errors: &mut Errors,
) -> Vec<Edit> {
    let Found { mentions, stays, .. } = read(later, prior, declared, path, objects, errors);
    let mut edits = Vec::new();
    let by_row = |row| mentions.iter().find(|(_, mention)| mention.renamed == Some(row) && mention.written.is_none());
    for (row, (field, stays)) in later.shape.fields.iter().zip(stays).enumerate() {
        let name = field.rust_name.clone();
        let mention = mentions.get(&name);
        if !stays && !mention.is_some_and(|mention| mention.is_named || mention.written.is_some()) {
            // It goes by the name that it had.
            match by_row(row) {
                Some((before, Mention { taken: Some(Ok(info)), .. })) => {
                    edits.push(Edit::Rename { field: name.clone(), name: before.clone() });
                    if !same(info, &field.info) {
                        edits.push(Edit::Retype { field: name, info: info.clone() });
                    }
                }
                _ => edits.push(Edit::Remove(name)),
            }
            continue;
        }
        let info = mention.and_then(|mention| {
            if stays { mention.own.as_ref() } else { mention.taken.as_ref().filter(|_| mention.renamed.is_some()) }
        });
        match (mention, info) {
            (Some(Mention { written: Some(of), place: Some(place), .. }), _) => {
                if let Some(with) = written_field(of, place, None, &mut Aside { later, prior, written, objects, errors }) {
                    edits.push(Edit::Replace { field: name, with });
                }
            }
            (Some(Mention { place: Some(place), .. }), Some(Err(stage))) => {
                wants_type(stage, place, (None, prior), errors);
            }
            (_, Some(Ok(info))) => edits.push(Edit::Retype { field: name, info: info.clone() }),
            _ if later.around.contains_key(&name) => edits.push(Edit::Retype { field: name, info: later.info(field) }),
            _ => {}
        }
    }
    for (name, mention) in &mentions {
        let Some(place) = mention.place.filter(|_| later.shape.field(name).is_none()) else { continue };
        let is_renamed = mention.renamed.is_some_and(|row| {
            let now = later.shape.fields.get(row);
            now.is_some_and(|now| !mentions.get(&now.rust_name).is_some_and(|mention| mention.is_named))
        });
        match (mention, &mention.taken) {
            (Mention { written: Some(of), .. }, _) => {
                if let Some(field) = written_field(of, place, None, &mut Aside { later, prior, written, objects, errors }) {
                    edits.push(Edit::Put(field));
                }
            }
            (_, Some(Err(stage))) => {
                wants_type(stage, place, (None, prior), errors);
            }
            (_, Some(Ok(info))) if !is_renamed => {
                let member = mention.member.clone();
                edits.push(Edit::Add(Field {
                    member,
                    ..Field::inferred(&place.unraw().to_string(), info.clone(), mention.sensitive)
                }));
            }
            _ => {}
        }
    }
    edits
}
