//! The other names that fields of documents are read by.

#![expect(
    clippy::indexing_slicing,
    reason = "the derive makes each position of a list that is beside it"
)]

use super::{Row, Table};
use crate::message::{iterate, same};

impl Table {
    /// True if a document's member of another name may be read into a field.
    pub(crate) const fn has_aliases(&'static self) -> bool {
        match self.latest().document {
            Some(document) => !document.aliases.is_empty(),
            None => false,
        }
    }

    /// The other name at this position of the struct's, and the stored name of the field that it is
    /// read into. A prior version has those of the struct, for the fields that have the same name
    /// in both.
    pub(super) const fn alias(
        &'static self,
        index: usize,
    ) -> Option<(&'static str, Option<&'static str>)> {
        let Some(document) = self.latest().document else {
            return None;
        };
        if index >= document.aliases.len() {
            return None;
        }
        let (alias, position) = document.aliases[index];
        let name = document.names[position];
        let is_read = has(self.rows, name) && !has(self.rows, alias);
        Some((alias, if is_read { Some(name) } else { None }))
    }

    /// Another name that the field of this stored name is read by, if it has one.
    pub(crate) const fn other_name(&'static self, name: &str) -> Option<&'static str> {
        let mut index = 0;
        while let Some((alias, read)) = self.alias(index) {
            if let Some(read) = read
                && same(read, name)
            {
                return Some(alias);
            }
            index += 1;
        }
        None
    }

    /// The name of the field that a document's member of another name is read into.
    pub(crate) fn aliased(&'static self, found: &str) -> Option<&'static str> {
        let index = self
            .latest()
            .document?
            .aliases
            .iter()
            .position(|(alias, _)| *alias == found)?;
        self.alias(index)?.1
    }
}

const fn has(rows: &[Row], name: &str) -> bool {
    iterate!(row in rows => {
        if same(row.name, name) {
            return true;
        }
    });
    false
}
