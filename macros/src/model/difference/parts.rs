//! Single members of nested objects that operators name: moved elsewhere, or missing from an
//! earlier version.

use std::collections::BTreeMap;

use proc_macro2::Ident;

use super::prior::{Aside, Edit, PriorObject, Target, unique};
use super::shape::{FactsOf, Field, Info, Secrecy};
use super::written::{position_of, written_field};
use crate::attr::operators::{Written, name_of};
use crate::errors::Errors;
use crate::lock;

/// The members of which something is known, by name.
pub(super) type Parts<'a> = BTreeMap<String, Part<'a>>;

/// A member of nested objects.
#[derive(Default, Clone)]
pub(super) struct Part<'a> {
    /// The place that names it first.
    place: Option<&'a Ident>,
    /// Its type in the prior version.
    was: Option<Was<'a>>,
    /// True if an operator makes it, so that the prior version did not have it under this name.
    made: bool,
    inside: Parts<'a>,
    /// The number of members of its objects that are named before it.
    nth: usize,
}

/// The former type of a member.
#[derive(Clone)]
enum Was<'a> {
    /// Its type is written.
    Written(&'a Written),
    /// Its present type says so; `moved` if it is nowhere else.
    Inferred {
        info: Info,
        moved: bool,
        facts: Option<FactsOf>,
    },
}

/// The member that a path of at least two names leads to.
fn at<'p, 'a>(parts: &'p mut Parts<'a>, path: &'a [Ident]) -> &'p mut Part<'a> {
    let (mut parts, mut path) = (parts, path);
    loop {
        let Some((first, rest)) = path.split_first() else {
            return parts.entry(String::new()).or_default();
        };
        let nth = parts.len();
        let part = parts.entry(name_of(first)).or_insert_with(|| Part {
            nth,
            ..Part::default()
        });
        part.place = part.place.or(Some(first));
        if rest.is_empty() {
            return part;
        }
        (parts, path) = (&mut part.inside, rest);
    }
}

/// Notes that the type of the member at `path` is written.
pub(super) fn written<'a>(
    parts: &mut Parts<'a>,
    path: &'a [Ident],
    written: &'a Written,
    errors: &mut Errors,
) {
    let part = at(parts, path);
    match part.was {
        Some(Was::Written(before)) if position_of(before) != position_of(written) => {
            errors.push(&written.ty, "the type of this field is written twice\nhelp: write it once, at the first of them");
        }
        _ => {
            part.was = Some(Was::Written(written));
            part.place = path.last();
        }
    }
}

/// Notes that a value was taken out of the member at `path`, which must have been this; `facts` are
/// those of the place to which it went.
pub(super) fn taken<'a>(
    parts: &mut Parts<'a>,
    path: &'a [Ident],
    now: Info,
    is_moved: bool,
    facts: Option<FactsOf>,
) {
    let part = at(parts, path);
    match &mut part.was {
        None => {
            part.was = Some(Was::Inferred {
                info: now,
                moved: is_moved,
                facts,
            });
        }
        Some(Was::Inferred {
            moved,
            facts: known,
            ..
        }) => {
            *moved |= is_moved;
            *known = known.take().or(facts);
        }
        Some(Was::Written(_)) => {}
    }
}

/// Notes that the prior version did not have the member at `path`.
pub(super) fn made<'a>(parts: &mut Parts<'a>, path: &'a [Ident]) {
    at(parts, path).made = true;
}

/// The known members of a field, by its former and its present name.
pub(super) fn inside<'a>(
    prior: &Parts<'a>,
    before: &str,
    later: &Parts<'a>,
    now: &str,
) -> Parts<'a> {
    let [prior, later] = [(prior, before), (later, now)]
        .map(|(parts, name)| parts.get(name).map(|part| &part.inside));
    let mut all = prior.cloned().unwrap_or_default();
    if let Some(later) = later {
        add(&mut all, later);
    }
    all
}

fn add<'a>(parts: &mut Parts<'a>, others: &Parts<'a>) {
    for (name, other) in others {
        let part = parts.entry(name.clone()).or_default();
        part.place = part.place.or(other.place);
        part.was = part.was.take().or_else(|| other.was.clone());
        part.made |= other.made;
        add(&mut part.inside, &other.inside);
    }
}

impl<'a> Part<'a> {
    pub(super) const fn inside(&self) -> &Parts<'a> {
        &self.inside
    }

    /// True if the prior version had it, or something in it that is elsewhere now.
    fn was_there(&self, is_new: bool) -> bool {
        let own = match &self.was {
            Some(Was::Written(_)) => true,
            Some(Was::Inferred { moved, .. }) => *moved || is_new,
            None => false,
        };
        own || self.inside.values().any(|part| part.was_there(is_new))
    }
}

/// True if prior objects had other members than those of today. A member that is only read does not
/// count.
pub(super) fn change(parts: &Parts<'_>) -> bool {
    parts
        .values()
        .any(|part| part.made || part.was_there(false) || change(&part.inside))
}

/// True if the type of a member is written.
pub(super) fn has_written(parts: &Parts<'_>) -> bool {
    parts
        .values()
        .any(|part| matches!(part.was, Some(Was::Written(_))) || has_written(&part.inside))
}

/// Objects with these changes to what the later ones in `of` have; of nothing else, if no later
/// version has them. The place among all of them. `secrecy` is that of what holds them.
pub(super) fn objects(
    called: &str,
    of: Option<&Info>,
    parts: &Parts<'_>,
    secrecy: &Secrecy,
    aside: &mut Aside<'_, '_>,
) -> usize {
    let mut edits = Vec::new();
    let mut held = Vec::new();
    let mut gone = Vec::new();
    for (name, part) in parts {
        if of.is_some() && part.was.is_some() {
            let place = part.place.filter(|place| !was_stored(place, aside));
            gone.extend(place.cloned());
        }
        let info = of.map(|of| of.clone().member(name.clone()));
        let secrecy = secrecy.part(name);
        match (&part.was, part.place) {
            (Some(Was::Written(of)), Some(place)) => {
                if has_written(&part.inside) {
                    written_and_changed(place, aside.errors);
                } else if let Some(field) = written_field(of, place, None, secrecy, aside) {
                    edits.push(Edit::Put(field));
                }
            }
            (Some(Was::Inferred { info, moved, facts }), place) if *moved || of.is_none() => {
                let field = Field::inferred(name, info.clone(), secrecy)
                    .typed_at(place)
                    .with_facts(facts.as_ref());
                edits.push(if part.made || of.is_none() {
                    Edit::Put(field)
                } else {
                    Edit::Add(field)
                });
            }
            (Some(_) | None, _) if part.inside.is_empty() => {
                if part.made {
                    edits.push(Edit::Remove(name.clone()));
                }
            }
            (Some(_) | None, _) if of.is_some() && !change(&part.inside) => {}
            (Some(_) | None, _) => {
                let inner = objects(
                    &format!("{called}.{name}"),
                    info.as_ref(),
                    &part.inside,
                    &secrecy,
                    aside,
                );
                held.push((inner, name));
                if let Some(info) = info {
                    edits.push(Edit::Reshape {
                        field: name.clone(),
                        info: Info::Around(Box::new(info), inner),
                    });
                }
                if part.was_there(of.is_none()) {
                    edits.push(Edit::Add(Field::inferred(
                        name,
                        nothing_else(inner, &part.inside),
                        secrecy,
                    )));
                }
            }
        }
    }
    let number = aside.objects.len();
    let name = format!("{called} (of version {})", aside.prior);
    aside.objects.push(PriorObject {
        name: unique(aside.objects, name),
        info: of.cloned().unwrap_or(Info::Bool),
        field: None,
        edits,
        declared: None,
        holder: None,
        gone,
        rekeyed: None,
    });
    for (inner, field) in held {
        aside.held(inner, Target::Object(number), field);
    }
    number
}

/// True if the lock has a member of nested objects that was called so: whether it is this one, its
/// comparison with the prior objects says.
fn was_stored(place: &Ident, aside: &Aside<'_, '_>) -> bool {
    let later = aside.later.type_name;
    later.is_some_and(|name| lock::was_stored_inside(name, aside.prior, &name_of(place)))
}

/// Says that the type of a field is written, and those of fields in its objects are, too.
pub(super) fn written_and_changed(place: &Ident, errors: &mut Errors) {
    let name = name_of(place);
    errors.push(
        place,
        format_args!("the type of `{name}` is written here, and other operators change its objects\nhelp: leave the type out; or write all of the prior objects in it, as a struct or `{{ … }}`, and leave out the operators inside of `{name}`"),
    );
}

/// Objects of nothing but these members, which may be null if the first that is named may.
pub(super) fn nothing_else(object: usize, parts: &Parts<'_>) -> Info {
    let object = Info::ObjectOf(object);
    let first = parts
        .values()
        .min_by_key(|part| part.nth)
        .and_then(|part| part.was.as_ref());
    match first {
        Some(Was::Inferred { info, .. }) => object.null_as(info),
        Some(Was::Written(of)) if !of.has_objects() => {
            object.null_as(&Info::Type(Box::new(of.ty.clone())))
        }
        Some(Was::Written(_)) | None => object.or_null(),
    }
}
