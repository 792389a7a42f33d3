//! Changes to nested objects, of which the derive does not see all fields.

use proc_macro2::Ident;
use syn::ext::IdentExt;

use super::super::declared::Declared;
use super::infer::wants_type;
use super::parts;
use super::prior::{Aside, Edit, Later, same};
use super::reader::{Found, Mention, read};
use super::shape::{Blocks, Field, Info, Secrecy};
use super::written::written_field;
use crate::attr::operators::name_of;
use crate::model::Derive;

/// The changes that lead back from the nested objects in `info` to the prior ones. And the fields
/// of which objects were made that hold others than the later ones, and the members that operators
/// name and do not make.
pub(super) fn edits(
    info: &Info,
    declared: &Declared,
    path: &str,
    aside: &mut Aside<'_, '_>,
) -> (Vec<Edit>, Vec<(usize, String)>, Vec<Ident>) {
    let Aside { later, prior, .. } = *aside;
    let Found {
        mentions,
        stays,
        members_before,
        members_now,
    } = read(later, prior, declared, path, aside.objects, aside.errors);
    let mut edits = Vec::new();
    let mut held = Vec::new();
    let mut gone = Vec::new();
    let by_row = |row| {
        mentions
            .iter()
            .find(|(_, mention)| mention.renamed == Some(row) && mention.written.is_none())
    };
    for (row, (field, stays)) in later.shape.fields.iter().zip(stays).enumerate() {
        let name = field.rust_name.clone();
        let mention = mentions.get(&name);
        let mut whole = later.info(field);
        if !stays && !mention.is_some_and(|mention| mention.is_named || mention.written.is_some()) {
            // It goes by the name that it had, because the prior objects are edited.
            match by_row(row) {
                Some((
                    before,
                    Mention {
                        taken: Some(Ok(info)),
                        ..
                    },
                )) => {
                    edits.push(Edit::Rename {
                        field: name.clone(),
                        name: before.clone(),
                    });
                    if is_revalued(mentions.get(before), later.derive) {
                        edits.push(Edit::Revalue {
                            field: name.clone(),
                        });
                    }
                    if !same(info, &field.info) {
                        edits.push(Edit::Retype {
                            field: name,
                            info: info.clone(),
                        });
                    }
                }
                _ => edits.push(Edit::Remove(name)),
            }
            continue;
        }
        let info = mention.and_then(|mention| {
            if stays {
                mention.own.as_ref()
            } else {
                mention.taken.as_ref().filter(|_| mention.renamed.is_some())
            }
        });
        match (mention, info) {
            (
                Some(Mention {
                    written: Some(of),
                    place: Some(place),
                    ..
                }),
                _,
            ) => {
                // A field that stays is marked as it is marked now.
                let secrecy = if stays {
                    Secrecy::default()
                } else {
                    mention
                        .map(|mention| mention.secrecy.clone())
                        .unwrap_or_default()
                };
                if let Some(with) = written_field(of, place, Some(field), secrecy, aside) {
                    let with =
                        with.with_other_values(mention.is_some_and(|mention| mention.is_revalued));
                    edits.push(Edit::Replace { field: name, with });
                }
                continue;
            }
            (
                Some(Mention {
                    place: Some(place), ..
                }),
                Some(Err(stage)),
            ) => {
                wants_type(stage, place, (path, None), (None, prior), aside.errors);
            }
            (_, Some(Ok(info))) => {
                whole = info.clone();
                edits.push(Edit::Retype {
                    field: name.clone(),
                    info: info.clone(),
                });
            }
            _ if later.around.contains_key(&name) => edits.push(Edit::Retype {
                field: name.clone(),
                info: whole.clone(),
            }),
            _ => {}
        }
        if is_revalued(
            mention.filter(|mention| mention.written.is_none()),
            later.derive,
        ) {
            edits.push(Edit::Revalue {
                field: name.clone(),
            });
        }
        let inside = parts::inside(&members_before, &name, &members_now, &name);
        if parts::change(&inside) {
            let secrecy = mention
                .map(|mention| mention.secrecy.clone())
                .unwrap_or_default();
            let objects = parts::objects(
                &called(later, path, &name),
                Some(&whole),
                &inside,
                &secrecy,
                aside,
            );
            held.push((objects, name.clone()));
            edits.push(Edit::Reshape {
                field: name,
                info: Info::Around(Box::new(whole), objects),
            });
        }
    }
    for (name, mention) in &mentions {
        let Some(place) = mention.place.filter(|_| later.shape.field(name).is_none()) else {
            continue;
        };
        if !mention.is_in_string {
            gone.push(place.clone());
        }
        let now = mention.renamed.and_then(|row| later.shape.fields.get(row));
        let is_renamed = now.is_some_and(|now| {
            !mentions
                .get(&now.rust_name)
                .is_some_and(|mention| mention.is_named)
        });
        match (mention, &mention.taken) {
            (
                Mention {
                    written: Some(of), ..
                },
                _,
            ) => {
                if let Some(field) = written_field(of, place, now, mention.secrecy.clone(), aside) {
                    let field = field
                        .with_other_values(mention.is_revalued)
                        .or_facts(mention.facts.as_ref());
                    edits.push(Edit::Put(field));
                }
            }
            (_, Some(Err(stage))) => {
                wants_type(stage, place, (path, None), (None, prior), aside.errors);
            }
            (_, Some(Ok(info))) if !is_renamed => {
                let field = Field::inferred(&name_of(place), info.clone(), mention.secrecy.clone());
                let blocks = now.map_or(Blocks::No, |now| Blocks::As(now.rust_name.clone()));
                let field = Field { blocks, ..field }
                    .going_into(mention.goes_into.as_ref())
                    .with_facts(mention.facts.as_ref());
                edits.push(Edit::Add(field.typed_at(Some(place))));
            }
            (_, Some(Ok(_))) => {}
            // The derive of this struct does not see the fields of the later objects.
            (_, None) => {
                let inside = parts::inside(&members_before, name, &members_now, name);
                if parts::change(&inside) {
                    let whole = info.clone().member(name.clone());
                    let objects = parts::objects(
                        &called(later, path, name),
                        Some(&whole),
                        &inside,
                        &mention.secrecy,
                        aside,
                    );
                    held.push((objects, name.clone()));
                    edits.push(Edit::Reshape {
                        field: name.clone(),
                        info: Info::Around(Box::new(whole), objects),
                    });
                    let holder = Field::inferred(
                        name,
                        parts::nothing_else(objects, &inside),
                        mention.secrecy.clone(),
                    );
                    edits.push(Edit::Add(holder));
                }
            }
        }
    }
    (edits, held, gone)
}

/// True if the facts of what a member became are about other values. Only those of documents are in
/// the schemas of prior versions.
fn is_revalued(mention: Option<&Mention<'_>>, derive: Derive) -> bool {
    derive == Derive::Document && mention.is_some_and(|mention| mention.is_revalued)
}

/// The name in messages of the objects in a field.
fn called(later: Later<'_>, path: &str, field: &str) -> String {
    format!("{}.{path}.{field}", later.ident.unraw())
}
