//! Two derives on one type, for which the compiler would report a conflict for each trait.
//!
//! A derive sees no other one. So each notes where it was called, and for which name, and the next
//! one compares. Only the text of the file is proof, because a macro can write one name for several
//! types, and because the process of an editor outlives the text. Without proof the compiler
//! reports.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use proc_macro2::{Ident, Span};

use crate::errors::position;
use crate::model::Derive;

/// A line, from 1, and a column, from 0.
type Position = (usize, usize);

/// A call of a derive.
#[derive(Debug, Clone)]
struct Call {
    derive: Derive,
    file: PathBuf,
    /// The place of the derive's path.
    path: Range<Position>,
    /// The start of the type's name.
    name: Position,
}

/// The last call. Derives on one type are called one after the other.
static LAST: Mutex<Option<Call>> = Mutex::new(None);

/// Notes a call; the error if the type has another derive of upstate's before it.
pub(crate) fn conflict(derive: Derive, name: &Ident) -> Option<syn::Error> {
    let span = Span::call_site();
    let end = span.end();
    let call = Call {
        derive,
        file: span.local_file()?,
        path: position(span)..(end.line, end.column),
        name: position(name.span()),
    };
    let before = LAST
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .replace(call.clone())?;
    if before.file != call.file || before.name != call.name {
        return None;
    }
    let text = std::fs::read_to_string(&call.file).ok()?;
    if !are_of_one_type(&text, &before, &call) {
        return None;
    }
    let [first, later] = [before.derive, call.derive];
    // Resolved at the derive's name, because the compiler would add a note about macros.
    let place = span.resolved_at(name.span());
    Some(syn::Error::new(
        place,
        format_args!(
            "`{}` beside `{}`: a type derives only one of them\nhelp: keep `{}` for {}, or `{}` for {}",
            later.name(),
            first.name(),
            first.name(),
            first.noun(),
            later.name(),
            later.noun()
        ),
    ))
}

/// True if two different derives are written before one name.
fn are_of_one_type(text: &str, before: &Call, call: &Call) -> bool {
    let checked = || {
        let [first, later] = [before, call].map(|call| {
            let path = offset(text, call.path.start)?..offset(text, call.path.end)?;
            text.get(path.clone())?
                .ends_with(call.derive.name())
                .then_some(path)
        });
        let (first, later) = (first?, later?);
        let name = offset(text, call.name)?;
        // A brace or a dollar sign is between them where a macro writes several types.
        let between = text.get(first.start.min(later.start)..name)?;
        Some(
            before.derive != call.derive
                && later.start < name
                && !between.contains(['{', '}', '$']),
        )
    };
    checked().unwrap_or(false)
}

/// The byte at a position.
fn offset(text: &str, (line, column): Position) -> Option<usize> {
    let lines = text.split_inclusive('\n').take(line.checked_sub(1)?);
    let start: usize = lines.map(str::len).sum();
    let (at, _) = text.get(start..)?.char_indices().nth(column)?;
    Some(start + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The call of the derive that is written at the `nth` place of its name.
    fn call(text: &str, derive: Derive, name: &str) -> Call {
        let place = |word: &str| {
            let before = &text[..text.find(word).unwrap()];
            let last = before.rsplit('\n').next().unwrap();
            (before.matches('\n').count() + 1, last.chars().count())
        };
        let start = place(derive.name());
        Call {
            derive,
            file: PathBuf::new(),
            path: start..(start.0, start.1 + derive.name().len()),
            name: place(name),
        }
    }

    fn conflicts(text: &str) -> bool {
        let [first, later] = [Derive::Document, Derive::Resource];
        are_of_one_type(
            text,
            &call(text, first, "Thing"),
            &call(text, later, "Thing"),
        )
    }

    #[test]
    fn derives_before_one_name_are_of_one_type() {
        assert!(conflicts(
            "#[derive(Debug, Document, Resource)]\nstruct Thing;"
        ));
        assert!(conflicts(
            "// größer\n#[derive(upstate::Document)]\n#[derive(Clone, Resource)]\n/// One.\npub struct Thing {}"
        ));
    }

    #[test]
    fn derives_of_types_that_a_macro_writes_are_not() {
        // The name is where the macro is called, behind both.
        assert!(!conflicts(
            "macro_rules! two { ($name:ident) => { #[derive(Document)] struct $name; mod b { #[derive(Resource)] struct $name; } } }\ntwo!(Thing);"
        ));
        // The derive is where the macro is called, behind the name.
        assert!(!conflicts(
            "macro_rules! one { ($derive:ident) => { #[derive($derive)] struct Thing; } }\none!(Document); one!(Resource);"
        ));
    }

    #[test]
    fn derives_that_are_no_longer_written_are_not() {
        let text = "#[derive(Document, Resource)]\nstruct Thing;";
        let [first, later] =
            [Derive::Document, Derive::Resource].map(|derive| call(text, derive, "Thing"));
        let later_text = "#[derive(Resource)]\nstruct Thing;";
        assert!(!are_of_one_type(later_text, &first, &later));
        assert!(!are_of_one_type("", &first, &later));
        assert!(!are_of_one_type(text, &first, &first));
    }
}
