//! Types and nesting.

use std::collections::{BTreeMap, BTreeSet};

use upstate_words::lock::variant;

use super::Context;
use super::tree::{Node, join};
use crate::finding::KEYED;
use crate::release::Semver;
use crate::rule::{Bump, Level, Rule};
use crate::rules as R;
use crate::snapshot::Nesting;
use crate::stored_type::StoredType as T;

/// Compares what values `old` and `new` hold; what is inside nested objects on both sides is not
/// looked at.
///
/// `key` is the member that is the key of objects in a map on one side.
pub(super) fn compare(
    cx: &mut Context<'_>,
    path: &str,
    (old, new): (Node<'_>, Node<'_>),
    key: Option<&str>,
) {
    let syntax: Option<&'static Rule> = match (old, new) {
        (Node::Attribute(_), Node::Block(_)) => Some(&R::ATTRIBUTE_TO_BLOCK),
        (Node::Block(_), Node::Attribute(_)) => Some(&R::BLOCK_TO_ATTRIBUTE),
        (Node::Attribute(_), Node::Attribute(_)) | (Node::Block(_), Node::Block(_)) => None,
    };
    if let Some(rule) = syntax {
        cx.report(rule, path).was(old.words()).now(new.words());
    }
    match (old.mode(), new.mode()) {
        (Some(before), Some(after)) => modes(cx, path, (before, after), key),
        (None, None) => types(cx, path, &old.implied_type(), &new.implied_type()),
        (before, _) => {
            let (old_type, new_type) = (old.implied_type(), new.implied_type());
            if kind(&old_type) != kind(&new_type)
                || old_type.objects().is_none()
                || new_type.objects().is_none()
            {
                kinds(cx, path, &old_type, &new_type);
                return;
            }
            if syntax.is_none() {
                let rule: &'static Rule = if before.is_some() {
                    &R::NESTED_TO_OBJECT
                } else {
                    &R::OBJECT_TO_NESTED
                };
                cx.report(rule, path).was(old.words()).now(new.words());
            }
            types(cx, path, &old_type, &new_type);
        }
    }
}

fn modes(cx: &mut Context<'_>, path: &str, (old, new): (Nesting, Nesting), key: Option<&str>) {
    let rule: &'static Rule = match (old, new) {
        _ if old == new => return,
        (Nesting::List, Nesting::Set) => &R::LIST_TO_SET,
        (Nesting::Set, Nesting::List) => &R::SET_TO_LIST,
        (Nesting::Single | Nesting::List | Nesting::Set | Nesting::Map, _) => {
            &R::NESTING_MODE_CHANGED
        }
    };
    let finding = cx.report(rule, path).was(old.name()).now(new.name());
    if let Some(key) = key {
        finding.note(format!("{KEYED}`{key}`"));
    }
}

/// The kind of a type, without its parts.
fn kind(ty: &T) -> u8 {
    match ty {
        T::List(_) => 1,
        T::Set(_) => 2,
        T::Map(_) => 3,
        T::Tuple(_) => 4,
        T::Object(..) => 5,
        T::Dynamic => 6,
        T::Json => 7,
        T::Union(..) => 8,
        T::Bool | T::String | T::Number | T::Int64 | T::Float64 => 0,
    }
}

/// Compares two types.
pub(super) fn types(cx: &mut Context<'_>, path: &str, old: &T, new: &T) {
    match (old, new) {
        _ if old == new => {}
        (T::List(before), T::List(after))
        | (T::Set(before), T::Set(after))
        | (T::Map(before), T::Map(after)) => {
            elements(cx, path, before, after);
        }
        (T::Tuple(before), T::Tuple(after)) if before.len() == after.len() => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                if before.is_scalar() && after.is_scalar() {
                    element(cx, path, before, after);
                } else {
                    types(cx, &format!("{path}[{index}]"), before, after);
                }
            }
        }
        (T::Union(before, variants), T::Union(after, variants_now)) => {
            unions(cx, path, (before, variants), (after, variants_now));
        }
        (T::Object(before, may), T::Object(after, may_now)) => {
            objects_of(cx, path, (before, may), (after, may_now));
        }
        _ => kinds(cx, path, old, new),
    }
}

/// Compares two enums with data: their variants by name, and of untagged ones the order, too.
fn unions(
    cx: &mut Context<'_>,
    path: &str,
    (was, old): (&str, &[(String, T)]),
    (now, new): (&str, &[(String, T)]),
) {
    let find = |all: &[(String, T)], name: &str| all.iter().position(|(other, _)| other == name);
    let kept = old.iter().filter_map(|(name, _)| find(new, name));
    // A new variant may only come after the others, because the first of those that fit equally
    // well is read.
    let stays = was == now && (now != "untagged" || kept.eq(0..old.len()));
    if !stays {
        // The order is named, because it is what the form of untagged variants consists of.
        let form = |tagging: &str, all: &[(String, T)]| {
            let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
            if was == now {
                format!("{tagging} ({})", names.join(", "))
            } else {
                tagging.to_owned()
            }
        };
        cx.report(&R::UNION_TAGGING_CHANGED, path)
            .was(form(was, old))
            .now(form(now, new));
    }
    for (name, before) in old {
        match find(new, name).and_then(|index| new.get(index)) {
            Some((_, after)) => types(cx, &variant(path, name), before, after),
            None => drop(cx.report(&R::VARIANT_REMOVED, path).was(name.clone())),
        }
    }
    for (name, _) in new.iter().filter(|(name, _)| find(old, name).is_none()) {
        cx.report(&R::VARIANT_ADDED, path).now(name.clone());
    }
}

/// Compares two types of different kinds, or scalars.
fn kinds(cx: &mut Context<'_>, path: &str, old: &T, new: &T) {
    let (was, now) = (old.to_string(), new.to_string());
    let mut report = |rule: &'static Rule| {
        cx.report(rule, path).was(was.clone()).now(now.clone());
    };
    match (old, new) {
        (_, T::Dynamic) => report(&R::TYPE_TO_DYNAMIC),
        (T::Dynamic, _) => report(&R::TYPE_FROM_DYNAMIC),
        (T::List(before), T::Set(after)) => {
            report(&R::LIST_TO_SET);
            elements(cx, path, before, after);
        }
        (T::Set(before), T::List(after)) => {
            report(&R::SET_TO_LIST);
            elements(cx, path, before, after);
        }
        (T::Tuple(_), T::Tuple(_)) => report(&R::TUPLE_ARITY_CHANGED),
        _ if old.is_scalar() && new.is_scalar() => {
            let (rule, bump, level, semver) = scalars(old, new);
            cx.report(rule, path)
                .was(was)
                .now(now)
                .needs(bump)
                .graded(level, semver);
        }
        _ if old.is_scalar() != new.is_scalar() => report(&R::SCALAR_COLLECTION_CHANGED),
        _ if kind(old) == kind(new) => types_of_elements(cx, path, old, new),
        _ => report(&R::COLLECTION_KIND_CHANGED),
    }
}

/// A plain collection whose elements are objects on one side only.
fn types_of_elements(cx: &mut Context<'_>, path: &str, old: &T, new: &T) {
    cx.report(&R::ELEMENT_TYPE_CHANGED, path)
        .was(old.to_string())
        .now(new.to_string());
}

/// By which rule one scalar type became another.
fn scalars(old: &T, new: &T) -> (&'static Rule, Bump, Level, Semver) {
    match (old, new) {
        (T::Int64 | T::Float64, T::Number) => {
            (&R::TYPE_WIDENED, Bump::NO, Level::Safe, Semver::Minor)
        }
        (T::Int64, T::Float64) => (&R::TYPE_WIDENED, Bump::NO, Level::Potential, Semver::Minor),
        (T::Number, T::Int64 | T::Float64) | (T::Float64, T::Int64) => {
            (&R::TYPE_NARROWED, Bump::YES, Level::Breaking, Semver::Major)
        }
        // A decoder of Terraform's kind reads any scalar as text.
        (_, T::String) => (
            &R::TYPE_CHANGED,
            Bump::STRICT,
            Level::Breaking,
            Semver::Major,
        ),
        _ => (&R::TYPE_CHANGED, Bump::YES, Level::Breaking, Semver::Major),
    }
}

fn elements(cx: &mut Context<'_>, path: &str, old: &T, new: &T) {
    if old != new && old.is_scalar() && new.is_scalar() {
        element(cx, path, old, new);
    } else {
        types(cx, &format!("{path}[*]"), old, new);
    }
}

/// The elements of the collection at `path` are other scalars now.
fn element(cx: &mut Context<'_>, path: &str, old: &T, new: &T) {
    if old != new {
        let (_, bump, level, semver) = scalars(old, new);
        cx.report(&R::ELEMENT_TYPE_CHANGED, path)
            .was(old.to_string())
            .now(new.to_string())
            .needs(bump)
            .graded(level, semver);
    }
}

fn objects_of(
    cx: &mut Context<'_>,
    path: &str,
    (old, may): (&BTreeMap<String, T>, &BTreeSet<String>),
    (new, may_now): (&BTreeMap<String, T>, &BTreeSet<String>),
) {
    for (name, before) in old {
        let at = join(path, name);
        let Some(after) = new.get(name) else {
            cx.report(&R::OBJECT_MEMBER_REMOVED, &at)
                .was(before.to_string());
            continue;
        };
        types(cx, &at, before, after);
        match (may.contains(name), may_now.contains(name)) {
            (true, false) => {
                cx.report(&R::ATTRIBUTE_OPTIONAL_TO_REQUIRED, &at);
            }
            (false, true) => {
                cx.report(&R::ATTRIBUTE_REQUIRED_TO_OPTIONAL, &at);
            }
            _ => {}
        }
    }
    for (name, ty) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let at = join(path, name);
        let finding = cx.report(&R::OBJECT_MEMBER_ADDED, &at).now(ty.to_string());
        if may_now.contains(name) {
            finding.graded(Level::Safe, Semver::Minor);
        }
        if cx.requires(&at) {
            cx.report(&R::MEMBER_REQUIRED, &at).now(ty.to_string());
        }
    }
}
