//! Parts of a document that operators do not tell of: its absent members, and those that no field
//! names.

use std::collections::BTreeMap;

use crate::schema::table::{Row, Stored, Table, UnionTable};
use crate::schema::{Nesting, Tagging};
use crate::value::Value;

/// Brings what is made of `current` back to what a document holds: members that no field of the
/// current version names are kept, and what is null in `made` only because it is absent in
/// `current` is absent.
pub(super) fn keep(
    current: &Value,
    table: &'static Table,
    made: &mut Value,
    prior: &'static Table,
) {
    let (Value::Map(current), Value::Map(made)) = (current, made) else {
        return;
    };
    made.retain(|name, value| !value.is_null() || current.get(name).is_some_and(Value::is_null));
    if table.document.is_some_and(|document| document.has_parts) {
        for (name, value) in current {
            if stored(table).all(|row| row.name != name) && !made.contains_key(name) {
                made.insert(name.clone(), value.clone());
            }
        }
    }
    nested(current, table, made, prior);
}

/// Removes members from objects in enums of a prior version that its variants do not have: its
/// release would drop them unseen, and so they are named as losses.
pub(super) fn cut_variants(made: &mut Value, prior: &'static Table) {
    cut(made, &Stored::Object(prior));
}

fn cut(value: &mut Value, of: &Stored) {
    match (of, value) {
        (Stored::List(of) | Stored::Set(of), Value::List(list)) => {
            for value in list {
                cut(value, of);
            }
        }
        (Stored::Map(of), Value::Map(map)) => {
            for value in map.values_mut() {
                cut(value, of);
            }
        }
        (Stored::Tuple(all), Value::List(list)) => {
            for (value, of) in list.iter_mut().zip(*all) {
                cut(value, of);
            }
        }
        (Stored::Object(table), Value::Map(members)) => {
            for row in stored(table) {
                if let Some(value) = members.get_mut(row.name) {
                    cut(value, &row.info.stored);
                }
            }
        }
        (Stored::Union(union), Value::Map(members)) => cut_variant(members, union),
        // Because it is a scalar, null, or refused by its release.
        (
            Stored::Bool
            | Stored::String
            | Stored::Number
            | Stored::Dynamic
            | Stored::Json
            | Stored::List(_)
            | Stored::Set(_)
            | Stored::Map(_)
            | Stored::Tuple(_)
            | Stored::Object(_)
            | Stored::Union(_),
            _,
        ) => {}
    }
}

fn cut_variant(members: &mut BTreeMap<String, Value>, union: &'static UnionTable) {
    match Tagging::parse(union.tagging) {
        Some(Tagging::External) => {
            for (name, value) in members {
                if let Some(of) = content(union, name) {
                    cut_content(value, of);
                }
            }
        }
        Some(Tagging::Internal(tag)) => {
            if let Some(Stored::Object(table)) = tagged_content(union, members, &tag) {
                cut_members(members, table, &tag);
            }
        }
        Some(Tagging::Adjacent(tag, held)) => {
            let of = tagged_content(union, members, &tag);
            if let (Some(of), Some(value)) = (of, members.get_mut(&*held)) {
                cut_content(value, of);
            }
        }
        // Only the enum itself knows the variant, because no stored name tells it.
        Some(Tagging::Untagged) | None => {}
    }
}

/// The content of the variant with a tag that is stored by this name.
fn content(union: &'static UnionTable, name: &str) -> Option<&'static Stored> {
    let row = union.variants.iter().find(|row| row.name == name)?;
    (!row.is_untagged).then_some(&row.info.stored)
}

/// The content of the variant that a member names.
fn tagged_content(
    union: &'static UnionTable,
    members: &BTreeMap<String, Value>,
    tag: &str,
) -> Option<&'static Stored> {
    let Some(Value::String(name)) = members.get(tag) else {
        return None;
    };
    content(union, name)
}

fn cut_content(value: &mut Value, of: &'static Stored) {
    let Stored::Object(table) = of else {
        return cut(value, of);
    };
    if let Value::Map(members) = value {
        cut_members(members, table, "");
    }
}

/// Removes the members that a variant does not have, but not its tag. Where it has a place for
/// others, or may have parts that its table does not tell of, all of them stay.
fn cut_members(members: &mut BTreeMap<String, Value>, table: &'static Table, tag: &str) {
    if table.document.is_some_and(|document| !document.has_parts) {
        members.retain(|name, _| {
            name == tag
                || table.aliased(name).is_some()
                || stored(table).any(|row| row.name == name)
        });
    }
    for row in stored(table) {
        if let Some(value) = members.get_mut(row.name) {
            cut(value, &row.info.stored);
        }
    }
}

/// The rows of what is stored, with those of flattened fields.
fn stored(table: &'static Table) -> impl Iterator<Item = &'static Row> {
    (0..table.stored_len()).map(|index| table.any_row(index).0)
}

/// Keeps them in objects of fields that have one name in both versions.
fn nested(
    current: &BTreeMap<String, Value>,
    table: &'static Table,
    made: &mut BTreeMap<String, Value>,
    prior: &'static Table,
) {
    for row in stored(table) {
        let objects = |table| {
            stored(table)
                .find(|other| other.name == row.name)
                .and_then(|row| row.info.objects())
        };
        let (Some((inner, nesting)), Some((before, other))) = (objects(table), objects(prior))
        else {
            continue;
        };
        let (Some(current), Some(made)) = (current.get(row.name), made.get_mut(row.name)) else {
            continue;
        };
        if nesting != other {
            continue;
        }
        match (nesting, current, made) {
            (Nesting::Single, current, made) => keep(current, inner, made, before),
            (Nesting::List, Value::List(current), Value::List(made))
                if current.len() == made.len() =>
            {
                for (current, made) in current.iter().zip(made) {
                    keep(current, inner, made, before);
                }
            }
            (Nesting::Map, Value::Map(current), Value::Map(made)) => {
                for (key, made) in made {
                    if let Some(current) = current.get(key) {
                        keep(current, inner, made, before);
                    }
                }
            }
            // Elements of a set have no places; the check finds what they lack.
            (Nesting::Set | Nesting::List | Nesting::Map, ..) => {}
        }
    }
}
