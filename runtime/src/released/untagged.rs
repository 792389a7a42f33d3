//! The variants that are stored without their names in enums whose others have a tag, as they were
//! released and as they are today.
//!
//! The lock names those that were. That one was not is known of enums that are flattened or values
//! of a field, themselves or as elements of collections; the command `check` finds the others.

use super::exists::exists;
use super::flattened;
use super::locked::{Locked, entries};
use super::text::{equal, find};
use super::variants::had_variant;
use crate::message::Message;
use crate::schema::table::{Table, Unlisted};

/// The first variant that was released, and is stored with its name only before or only now, or is
/// tried elsewhere, as a sentence.
pub(super) const fn difference(table: &'static Table, locked: &Locked) -> Option<Message> {
    // Only documents have any, and to look for them in each field of a wide resource costs the
    // compiler time.
    if table.document.is_none() {
        return None;
    }
    let (mut last_path, mut last): (&[u8], usize) = (b"", 0);
    entries!(path, name in locked.untagged => {
        if let Some(place) = place_of(table, path, name) {
            if place < last && equal(path, last_path) {
                let had = Message::new()
                    .text("`")
                    .raw(path)
                    .text("` has the variant ");
                let had = had.json(Message::new().raw(name).as_str());
                return Some(
                    had.text(" elsewhere, and of those that fit equally well the first is read"),
                );
            }
            (last_path, last) = (path, place);
            continue;
        }
        let at = Message::new()
            .raw(path)
            .step(Message::new().raw(name).as_str());
        if exists(&Message::new(), table, at.bytes()) {
            return Some(
                Message::new()
                    .text("`")
                    .raw(at.bytes())
                    .text("` is no longer `untagged`"),
            );
        }
    });
    let mut index = 0;
    while let Some(one) = table.unlisted(index) {
        index += 1;
        let Unlisted::Untagged { path, name } = one else {
            continue;
        };
        if was_tagged(locked, path.bytes(), name) {
            let at = path.step(name);
            return Some(
                Message::new()
                    .text("`")
                    .raw(at.bytes())
                    .text("` is `untagged` now, and was not"),
            );
        }
    }
    None
}

/// The line that an entry of before locks had it lacks, if the variants that have no tag now had
/// none when it was released.
pub(super) const fn line_of_old_locks(table: &'static Table, locked: &Locked) -> Option<Message> {
    if table.document.is_none() || !locked.untagged.is_empty() {
        return None;
    }
    let mut enums = Message::new();
    let mut index = 0;
    while let Some(one) = table.unlisted(index) {
        index += 1;
        let Unlisted::Untagged { path, .. } = one else {
            continue;
        };
        // Each enum once, because those inside of a variant come between it and the next.
        if is_listed_before(table, path.bytes(), index - 1) {
            continue;
        }
        let names = names_of(table, locked, path.bytes());
        if names.is_empty() {
            continue;
        }
        if !enums.is_empty() {
            enums = enums.text(",");
        }
        enums = enums
            .json(path.as_str())
            .text(":[")
            .raw(names.bytes())
            .text("]");
    }
    if enums.is_empty() {
        return None;
    }
    Some(
        Message::new()
            .text("@untagged = {")
            .raw(enums.bytes())
            .text("}"),
    )
}

const fn is_listed_before(table: &'static Table, enum_path: &[u8], end: usize) -> bool {
    let mut index = 0;
    while index < end {
        if let Some(Unlisted::Untagged { path, .. }) = table.unlisted(index)
            && equal(path.bytes(), enum_path)
        {
            return true;
        }
        index += 1;
    }
    false
}

/// The variants of the enum at a path that were released and have no tag now, in JSON.
const fn names_of(table: &'static Table, locked: &Locked, enum_path: &[u8]) -> Message {
    let mut names = Message::new();
    let mut index = 0;
    while let Some(one) = table.unlisted(index) {
        index += 1;
        if let Unlisted::Untagged { path, name } = one
            && equal(path.bytes(), enum_path)
            && was_tagged(locked, enum_path, name)
        {
            if !names.is_empty() {
                names = names.text(",");
            }
            names = names.json(name);
        }
    }
    names
}

/// The number of the first such variant that is stored without its name.
const fn place_of(table: &'static Table, enum_path: &[u8], variant: &[u8]) -> Option<usize> {
    let mut index = 0;
    while let Some(one) = table.unlisted(index) {
        if let Unlisted::Untagged { path, name } = one
            && equal(name.as_bytes(), variant)
            && equal(path.bytes(), enum_path)
        {
            return Some(index);
        }
        index += 1;
    }
    None
}

/// True if what is at the path was an enum with the variant, which had a tag.
const fn was_tagged(locked: &Locked, enum_path: &[u8], variant: &str) -> bool {
    entries!(path, name in locked.untagged => {
        if equal(name, variant.as_bytes()) && equal(path, enum_path) {
            return false;
        }
    });
    match find(locked.lines, 0, enum_path) {
        Some((line, _)) => had_variant(line, variant),
        None => flattened::had_variant(locked, enum_path, variant),
    }
}
