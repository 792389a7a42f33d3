//! The other names that fields and variants were read by, as they were released and as they are today.
//!
//! What was stored may have them, in earlier versions too. A name that is no longer read leaves its value behind, so that none may go.

use super::check::exists;
use super::locked::{Locked, up_to};
use super::text::equal;
use crate::message::Message;
use crate::schema::table::{Table, Unlisted};

/// A name that is no longer read.
#[derive(Clone, Copy)]
pub(super) struct Gone {
    /// The path of the field or variant, as JSON.
    path: &'static [u8],
    /// The name, as JSON.
    name: &'static [u8],
}

/// The first name that is no longer read, of what the struct of today still has: an operator that renames a field leaves a member of another
/// name to the struct, and one that drops it drops its other names.
pub(super) const fn gone(table: &'static Table, locked: &Locked) -> Option<Gone> {
    let mut rest = locked.aliases;
    while !rest.is_empty() {
        let (path, others) = up_to(rest, b'\t');
        let (name, others) = up_to(others, b'\t');
        let gone = Gone { path, name };
        if !gone.is_read(table) && exists(&Message::new(), table.latest(), gone.path()) {
            return Some(gone);
        }
        rest = others;
    }
    None
}

impl Gone {
    const fn is_read(self, table: &'static Table) -> bool {
        let mut index = 0;
        while let Some(one) = table.unlisted(index) {
            index += 1;
            let Unlisted::Alias { path, name } = one else { continue };
            if equal(Message::new().json(path.as_str()).bytes(), self.path) && equal(Message::new().json(name).bytes(), self.name)
            {
                return true;
            }
        }
        false
    }

    /// The path of the field or variant.
    pub(super) const fn path(self) -> &'static [u8] {
        unquoted(self.path)
    }

    /// A sentence that ends in no full stop.
    pub(super) const fn sentence(self) -> Message {
        Message::new().text("`").raw(self.path()).text("` is no longer read from `").raw(unquoted(self.name)).text("`")
    }

    /// The attribute that reads it.
    pub(super) const fn attribute(self) -> Message {
        Message::new().text("`alias = ").raw(self.name).text("`")
    }
}

/// A string of JSON without its quotation marks.
const fn unquoted(json: &'static [u8]) -> &'static [u8] {
    match json {
        [b'"', inside @ .., b'"'] => inside,
        other => other,
    }
}
