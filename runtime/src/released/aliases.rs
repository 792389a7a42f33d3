//! The other names that fields and variants were read by, as they were released and as they are
//! today.
//!
//! Stored documents may have them, those of earlier versions too. If the struct stops reading a
//! name, the value of that name is lost, so that none may go.

use upstate_words::lock::{FLATTENED, OTHERS};

use super::check::is_about;
use super::exists::exists;
use super::locked::{Locked, entries};
use super::text::equal;
use crate::message::Message;
use crate::schema::table::{Table, Unlisted};

/// A released name that the struct of today does not read.
#[derive(Clone, Copy)]
pub(super) struct Gone {
    /// The path of the field or variant.
    path: &'static [u8],
    name: &'static [u8],
}

/// The first name that is no longer read, of one field or of any, of what the struct of today still
/// has: an operator that drops a field drops its other names, and one that renames or moves it
/// leaves a member of such a name to the struct, so that the field of today has to have the name.
/// That it has is not checked. A later struct may have another field of the earlier name, so that
/// the name is looked for in all of it.
pub(super) const fn gone(
    table: &'static Table,
    locked: &Locked,
    field: Option<&str>,
) -> Option<Gone> {
    entries!(path, name in locked.aliases => {
        let gone = Gone { path, name };
        // First, because the rest costs a walk over all names for each of them.
        if let Some(field) = field
            && !is_about(&gone.sentence(), field)
        {
            continue;
        }
        let latest = table.latest();
        let is_elsewhere = locked.is_prior && !gone.is_others() && gone.is_name_in(latest);
        if !is_elsewhere
            && !gone.is_read(table)
            && !gone.is_read(latest)
            && exists(&Message::new(), latest, path)
        {
            return Some(gone);
        }
    });
    None
}

impl Gone {
    const fn is_read(self, table: &'static Table) -> bool {
        let mut index = 0;
        while let Some(one) = table.unlisted(index) {
            index += 1;
            let Unlisted::Alias { path, name } = one else {
                continue;
            };
            if equal(name.as_bytes(), self.name) && equal(path.bytes(), self.path) {
                return true;
            }
        }
        false
    }

    /// True if the name is read by anything.
    const fn is_name_in(self, table: &'static Table) -> bool {
        let mut index = 0;
        while let Some(one) = table.unlisted(index) {
            index += 1;
            if let Unlisted::Alias { name, .. } = one
                && equal(name.as_bytes(), self.name)
            {
                return true;
            }
        }
        false
    }

    /// True if it means all names of variants that an enum did not know.
    const fn is_others(self) -> bool {
        equal(self.name, OTHERS.as_bytes())
    }

    /// A sentence that ends in no full stop.
    pub(super) const fn sentence(self) -> Message {
        if self.is_others() && equal(self.path, FLATTENED.as_bytes()) {
            return Message::new()
                .text("the flattened enum no longer reads variants of other names");
        }
        let path = Message::new().text("`").raw(self.path);
        if self.is_others() {
            path.text("` no longer reads variants of other names")
        } else {
            path.text("` is no longer read from `")
                .raw(self.name)
                .text("`")
        }
    }

    /// The attribute that reads it.
    pub(super) const fn attribute(self) -> Message {
        if self.is_others() {
            return Message::new().text("`other` above a variant");
        }
        Message::new()
            .text("`alias = ")
            .json(Message::new().raw(self.name).as_str())
            .text("`")
    }
}
