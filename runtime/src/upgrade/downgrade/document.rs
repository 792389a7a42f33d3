//! Parts of a document that operators do not tell of: its absent members, and those that no field
//! names.

use std::collections::BTreeMap;

use crate::schema::Nesting;
use crate::schema::table::{Row, Table};
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
