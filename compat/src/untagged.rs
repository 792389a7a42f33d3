//! The variants that are stored without their names, in enums whose others have a tag. The type of
//! an enum does not show them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use upstate_words::lock::{FLATTENED, step, steps};

use crate::{AttributeSnapshot, ResourceSnapshot, StoredType};

/// A variant that is stored with its name on one side only, or an enum whose variants are tried in
/// another order.
pub(crate) struct TaggingChange {
    pub(crate) path: String,
    pub(crate) was: String,
    pub(crate) now: String,
}

impl fmt::Display for TaggingChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, was, now } = self;
        write!(f, "`{path}` is {now} now, and was {was}")
    }
}

/// The changes of variants that both sides have in enums that are tagged in one form. A lock
/// without the fact had no such variants.
pub(crate) fn changes(old: &ResourceSnapshot, new: &ResourceSnapshot) -> Vec<TaggingChange> {
    let mut changes = Vec::new();
    // No definition that is imported says which they are.
    if old.imported || new.imported {
        return changes;
    }
    let none = Vec::new();
    let paths: BTreeSet<&String> = old.untagged.keys().chain(new.untagged.keys()).collect();
    for path in paths {
        let [was, is] = [old, new].map(|resource| resource.untagged.get(path).unwrap_or(&none));
        let is_in_both = |name: &str| {
            let tagging = tagging_of(old, path, name);
            tagging.is_some_and(|tagging| tagging != "untagged")
                && tagging == tagging_of(new, path, name)
        };
        let names: BTreeSet<&String> = was.iter().chain(is).collect();
        for name in names
            .into_iter()
            .filter(|name| was.contains(*name) != is.contains(*name) && is_in_both(name))
        {
            let form = |names: &[String]| {
                String::from(if names.contains(name) {
                    "untagged"
                } else {
                    "tagged"
                })
            };
            changes.push(TaggingChange {
                path: step(path, name),
                was: form(was),
                now: form(is),
            });
        }
        // A later one may only come after the others, because the first of those that fit equally
        // well is read.
        let kept: Vec<&String> = was
            .iter()
            .filter(|name| is.contains(*name) && is_in_both(name))
            .collect();
        if !kept.iter().copied().eq(is.iter().take(kept.len())) {
            let form = |names: &[String]| format!("untagged ({})", names.join(", "));
            changes.push(TaggingChange {
                path: path.clone(),
                was: form(was),
                now: form(is),
            });
        }
    }
    changes
}

/// Gives each of two shapes that are to be one those of the other whose variants it does not have.
pub(crate) fn join(one: &mut ResourceSnapshot, other: &mut ResourceSnapshot) {
    let gained = |by: &ResourceSnapshot, from: &ResourceSnapshot| {
        let all = from
            .untagged
            .iter()
            .flat_map(|(path, names)| names.iter().map(move |name| (path, name)));
        let new = all.filter(|(path, name)| tagging_of(by, path, name).is_none());
        new.map(|(path, name)| (path.clone(), name.clone()))
            .collect::<Vec<_>>()
    };
    let (of_other, of_one) = (gained(one, other), gained(other, one));
    for (resource, gained) in [(one, of_other), (other, of_one)] {
        for (path, name) in gained {
            resource.untagged.entry(path).or_default().push(name);
        }
    }
}

/// Puts the variants of enums in the order in which the derive writes them: by name, and behind
/// these the ones without a tag as they are tried.
pub(crate) fn sort(resource: &mut ResourceSnapshot) {
    for (path, names) in &resource.untagged {
        match place_of(path) {
            Some((None, steps)) => sort_in_members(&mut resource.attributes, &steps, names),
            Some((Some(holder), steps)) => {
                let flattened = resource.flattened.as_mut();
                let Some(parts) = flattened.and_then(|all| all.get_mut(holder)) else {
                    continue;
                };
                for ty in parts.iter_mut().filter_map(|part| part.ty.as_mut()) {
                    sort_in_type(ty, &steps, names);
                }
                parts.sort_by_cached_key(|part| part.stored().to_string());
            }
            None => {}
        }
    }
}

fn sort_in_members(
    members: &mut BTreeMap<String, AttributeSnapshot>,
    steps: &[Cow<'_, str>],
    untagged: &[String],
) {
    let Some((first, rest)) = steps.split_first() else {
        return;
    };
    let Some(member) = members.get_mut(&**first) else {
        return;
    };
    match (&mut member.nested, &mut member.ty) {
        (Some(nested), _) => sort_in_members(&mut nested.attributes, rest, untagged),
        (None, Some(ty)) => sort_in_type(ty, rest, untagged),
        (None, None) => {}
    }
}

fn sort_in_type(ty: &mut StoredType, steps: &[Cow<'_, str>], untagged: &[String]) {
    match ty {
        StoredType::List(element) | StoredType::Set(element) | StoredType::Map(element) => {
            sort_in_type(element, steps, untagged);
        }
        StoredType::Tuple(elements) => {
            for element in elements {
                sort_in_type(element, steps, untagged);
            }
        }
        StoredType::Object(members, _) => {
            if let Some((first, rest)) = steps.split_first()
                && let Some(member) = members.get_mut(&**first)
            {
                sort_in_type(member, rest, untagged);
            }
        }
        StoredType::Union(tagging, variants) => match steps.split_first() {
            // Because the author of an enum without any tag gives the order.
            None if tagging == "untagged" => {}
            None => variants.sort_by_cached_key(|(name, _)| {
                match untagged.iter().position(|other| other == name) {
                    None => (0, name.clone()),
                    Some(place) => (place + 1, String::new()),
                }
            }),
            Some((first, rest)) => {
                if let Some((_, held)) = variants.iter_mut().find(|(name, _)| name == first) {
                    sort_in_type(held, rest, untagged);
                }
            }
        },
        StoredType::Bool
        | StoredType::String
        | StoredType::Number
        | StoredType::Int64
        | StoredType::Float64
        | StoredType::Dynamic
        | StoredType::Json => {}
    }
}

/// The struct that an enum is flattened into, if it is, and the names from there on to the enum.
fn place_of(path: &str) -> Option<(Option<&str>, Vec<Cow<'_, str>>)> {
    let (holder, inside) = if path == FLATTENED {
        ("", "")
    } else if let Some(holder) = path.strip_suffix(".*") {
        (holder, "")
    } else if let Some(both) = path.rsplit_once(".*.") {
        both
    } else if let Some(inside) = path.strip_prefix("*.") {
        ("", inside)
    } else {
        return Some((None, steps(path)?));
    };
    let names = if inside.is_empty() {
        Vec::new()
    } else {
        steps(inside)?
    };
    Some((Some(holder), names))
}

/// The tagging of the enum at a path that has a variant.
fn tagging_of<'r>(resource: &'r ResourceSnapshot, path: &str, variant: &str) -> Option<&'r str> {
    let (holder, names) = place_of(path)?;
    let Some(holder) = holder else {
        return in_members(&resource.attributes, &names, variant);
    };
    let mut parts = resource.flattened.as_ref()?.get(holder)?.iter();
    parts.find_map(|part| in_type(part.ty.as_ref()?, &names, variant))
}

fn in_members<'r>(
    members: &'r BTreeMap<String, AttributeSnapshot>,
    names: &[Cow<'_, str>],
    variant: &str,
) -> Option<&'r str> {
    let (first, rest) = names.split_first()?;
    let member = members.get(&**first)?;
    match (&member.nested, &member.ty) {
        (Some(nested), _) => in_members(&nested.attributes, rest, variant),
        (None, Some(ty)) => in_type(ty, rest, variant),
        (None, None) => None,
    }
}

fn in_type<'t>(ty: &'t StoredType, names: &[Cow<'_, str>], variant: &str) -> Option<&'t str> {
    match ty {
        StoredType::List(element) | StoredType::Set(element) | StoredType::Map(element) => {
            in_type(element, names, variant)
        }
        StoredType::Tuple(elements) => elements
            .iter()
            .find_map(|element| in_type(element, names, variant)),
        StoredType::Object(members, _) => {
            let (first, rest) = names.split_first()?;
            in_type(members.get(&**first)?, rest, variant)
        }
        StoredType::Union(tagging, variants) => match names.split_first() {
            None => variants
                .iter()
                .any(|(name, _)| name == variant)
                .then_some(tagging.as_str()),
            Some((first, rest)) => {
                let (_, held) = variants.iter().find(|(name, _)| name == first)?;
                in_type(held, rest, variant)
            }
        },
        StoredType::Bool
        | StoredType::String
        | StoredType::Number
        | StoredType::Int64
        | StoredType::Float64
        | StoredType::Dynamic
        | StoredType::Json => None,
    }
}
