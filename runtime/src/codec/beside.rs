//! Proofs about the members that the parts of a document's object take: no two parts may take the
//! same one.

use crate::message::{Message, iterate, same};
use crate::schema::table::{Names, Table, TypeInfo};

/// Refuses, at compile time, a part that takes what the fields and parts before it take.
#[doc(hidden)]
#[track_caller]
pub const fn check_part(part: &Names, others: &Names, field: &str) {
    if let Some(name) = others.shared(part) {
        Message::refuse(
            "the members of `{}` are next to the others, and two of them are stored as `{}`: one would be read, and the other would miss\nhelp: rename one of the two, or remove `flatten`",
            &[field, name],
        );
    }
    if part.takes_all() && others.takes_all() {
        Message::refuse(
            "`{}` takes every member that is left, and so does a field before it\nhelp: keep one of the two",
            &[field],
        );
    }
    if others.takes_all() && !part.takes_all() {
        Message::refuse(
            "a flattened field before `{}` takes every member that is left, so `{}` would find none\nhelp: put that field behind it",
            &[field, field],
        );
    }
    if part.has_empty_variant {
        Message::refuse(
            "`{}` has a variant without members, which would be written as nothing and not be read again\nhelp: give the enum a `tag`, or remove `flatten`",
            &[field],
        );
    }
}

/// Refuses, at compile time, a variant with a member of the tag's name.
#[doc(hidden)]
#[track_caller]
pub const fn check_tag(part: &Names, tag: &str, variant: &str) {
    if part.has(tag) {
        Message::refuse(
            "the content of `{}` has a member `{}`, which is the tag: one of the two would be lost\nhelp: give the tag another name, or add `content = \"…\"`",
            &[variant, tag],
        );
    }
}

/// Refuses, at compile time, a field that holds its own struct, and with it something sensitive:
/// such values are any JSON in a schema, which tells of no part.
#[doc(hidden)]
#[track_caller]
pub const fn check_recursive(info: &TypeInfo, field: &str) {
    if info.hides_any() {
        Message::refuse(
            "`{}` holds something sensitive, and a schema does not list the parts of a field that holds its own struct\nhelp: mark `{}` as `#[attribute(sensitive)]`, too",
            &[field, field],
        );
    }
}

/// Refuses, at compile time, a sensitive field whose members have rows of their own, which say it
/// each for itself.
#[doc(hidden)]
#[track_caller]
pub const fn check_hidden_part(table: Option<&Table>, field: &str) {
    if table.is_some() {
        Message::refuse(
            "the members of `{}` are next to the others, and each says for itself that it is sensitive\nhelp: remove `sensitive`, and write `#[attribute(sensitive)]` above the fields of its struct that are",
            &[field],
        );
    }
}

/// Refuses, at compile time, something sensitive in fields without names whose values are any JSON
/// in a schema, unless all around it is sensitive.
#[doc(hidden)]
#[track_caller]
pub const fn check_positions(fields: &[&TypeInfo], around: &TypeInfo, name: &str) {
    iterate!(field in fields => {
        if field.hides_any() && !around.hides_any() {
            Message::refuse(
                "`{}` holds something sensitive, and a schema does not list the parts of these fields\nhelp: give the fields of `{}` names, and mark that one as `#[attribute(sensitive)]`",
                &[name, name],
            );
        }
    });
}

/// Refuses, at compile time, a conversion that writes a type which it does not read.
#[doc(hidden)]
#[track_caller]
pub const fn check_conversion(from: &TypeInfo, into: &TypeInfo) {
    if let (Some(read), Some(written)) = (from.scalar(), into.scalar())
        && !same(read, written)
    {
        Message::refuse(
            "the type reads {} and writes {}, so it cannot read its own output\nhelp: name one type in `from` (or `try_from`) and `into`",
            &[read, written],
        );
    }
}
