//! TOML from trees.

use std::borrow::Cow;

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};
use upstate::__internal::write_string;
use upstate::{Diagnostic, Number};

use crate::document::place::Place;
use crate::document::text::unwritable;
use crate::document::tree::Tree;

/// The form of line ends within strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    Written,
    Escaped,
}

/// A new document.
///
/// # Errors
/// A number is one that TOML does not have.
pub(in crate::document) fn written(tree: &Tree<'_>) -> Result<Vec<u8>, Diagnostic> {
    let mut document = DocumentMut::new();
    if let Item::Table(table) = item(tree, true, &Place::root(), Lines::Written)? {
        *document.as_table_mut() = table;
    }
    Ok(document.to_string().into_bytes())
}

/// A new item; objects become tables if they are in a table.
pub(super) fn item(
    tree: &Tree<'_>,
    in_table: bool,
    place: &Place<'_>,
    lines: Lines,
) -> Result<Item, Diagnostic> {
    match tree {
        Tree::Object(members) if in_table => table(members, place, lines).map(Item::Table),
        Tree::Array(elements)
            if in_table
                && !elements.is_empty()
                && elements.iter().all(|one| matches!(one, Tree::Object(_))) =>
        {
            let mut tables = ArrayOfTables::new();
            for (index, element) in elements.iter().enumerate() {
                if let Tree::Object(members) = element {
                    tables.push(table(members, &place.element(index), lines)?);
                }
            }
            Ok(Item::ArrayOfTables(tables))
        }
        Tree::Null
        | Tree::Bool(_)
        | Tree::Number(_)
        | Tree::String(_)
        | Tree::Array(_)
        | Tree::Object(_) => value(tree, place, lines).map(Item::Value),
    }
}

/// A new table.
pub(super) fn table(
    members: &[(Cow<'_, str>, Tree<'_>)],
    place: &Place<'_>,
    lines: Lines,
) -> Result<Table, Diagnostic> {
    let mut table = Table::new();
    for (name, member) in members {
        table.insert(name, item(member, true, &place.member(name, name), lines)?);
    }
    Ok(with_header(table))
}

/// A new table with a header, unless that says no more than those of the tables in it.
pub(super) fn with_header(mut table: Table) -> Table {
    table.set_implicit(!table.is_empty() && table.iter().all(|(_, item)| item.is_table()));
    table
}

/// A new value, in one line.
pub(super) fn value(tree: &Tree<'_>, place: &Place<'_>, lines: Lines) -> Result<Value, Diagnostic> {
    Ok(match tree {
        Tree::Null => return Err(impossible("null", place)),
        Tree::Bool(bool) => Value::from(*bool),
        Tree::String(string) if lines == Lines::Escaped && string.contains('\n') => escaped(string),
        Tree::String(string) => Value::from(&**string),
        Tree::Number(digits) => number(digits, place)?,
        Tree::Array(elements) => {
            let mut array = Array::new();
            for (index, element) in elements.iter().enumerate() {
                array.push(value(element, &place.element(index), lines)?);
            }
            Value::Array(array)
        }
        Tree::Object(members) => {
            let mut table = InlineTable::new();
            for (name, member) in members {
                table.insert(&**name, value(member, &place.member(name, name), lines)?);
            }
            Value::InlineTable(table)
        }
    })
}

/// A string in one line: what JSON escapes, TOML reads, but that it wants one control character
/// more escaped.
fn escaped(string: &str) -> Value {
    let mut json = Vec::new();
    write_string(string, &mut json);
    let json = String::from_utf8_lossy(&json).replace('\u{7f}', "\\u007f");
    json.parse().unwrap_or_else(|_| Value::from(string))
}

/// An integer of 64 bits, or a float that has all the digits.
fn number(digits: &str, place: &Place<'_>) -> Result<Value, Diagnostic> {
    if let Ok(integer) = digits.parse::<i64>() {
        return Ok(Value::from(integer));
    }
    let number: Option<Number> = digits.parse().ok();
    match digits.parse::<f64>() {
        Ok(float) if float.is_finite() && number.is_some() && Number::from_f64(float) == number => {
            Ok(Value::from(float))
        }
        _ => Err(impossible(
            "a number with more digits than 64 bits hold",
            place,
        )),
    }
}

#[cold]
fn impossible(what: &str, place: &Place<'_>) -> Diagnostic {
    let detail = format!("The document holds {what}, which TOML cannot. Nothing was written.");
    unwritable(detail).at(place.path())
}
