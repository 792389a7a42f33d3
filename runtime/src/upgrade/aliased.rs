//! The other names that members and variants of a document are read by, as paths.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::history::History;
use super::operators::ANY_KEY;
use crate::path::Names;
use crate::schema::Tagging;
use crate::schema::table::{Stored, Table, UnionTable};

/// The paths of members and variants in documents of the current version that have another name
/// there, with those by which they are written. A key of a map is [`ANY_KEY`].
pub fn aliases(history: &'static History) -> BTreeMap<Names, BTreeSet<Names>> {
    let mut walk = Walk::default();
    walk.table(history.table());
    walk.found
}

/// The way down to a member, as it may be stored and as it is written.
#[derive(Default)]
struct Walk {
    stored: Names,
    written: Names,
    found: BTreeMap<Names, BTreeSet<Names>>,
}

impl Walk {
    fn table(&mut self, table: &'static Table) {
        let document = table.document;
        for row in table.rows {
            let aliases = document.into_iter().flat_map(|document| {
                let is_it =
                    |(_, field): &&(&str, usize)| document.names.get(*field) == Some(&row.name);
                document
                    .aliases
                    .iter()
                    .filter(is_it)
                    .map(|(alias, _)| *alias)
            });
            for name in std::iter::once(row.name).chain(aliases) {
                self.below((name, row.name), row.info.stored);
            }
        }
        for part in table.flattened {
            if let Some(table) = part.table() {
                self.table(table);
            }
            match part.values().map(|values| values.stored) {
                Some(Stored::Map(element)) => self.below((ANY_KEY, ANY_KEY), *element),
                Some(stored) => self.stored(stored),
                None => {}
            }
        }
    }

    fn below(&mut self, (name, written): (&'static str, &'static str), stored: Stored) {
        self.stored.push(name);
        self.written.push(written);
        if name != written {
            self.found
                .entry(self.stored.clone())
                .or_default()
                .insert(self.written.clone());
        }
        self.stored(stored);
        self.stored.pop();
        self.written.pop();
    }

    fn stored(&mut self, stored: Stored) {
        match stored {
            Stored::List(element) | Stored::Set(element) => self.stored(*element),
            Stored::Map(element) => self.below((ANY_KEY, ANY_KEY), *element),
            Stored::Tuple(elements) => elements.iter().for_each(|element| self.stored(**element)),
            Stored::Object(table) => self.table(table),
            Stored::Union(union) => self.union(union),
            Stored::Bool | Stored::String | Stored::Number | Stored::Dynamic | Stored::Json => {}
        }
    }

    fn union(&mut self, union: &'static UnionTable) {
        let form = Tagging::parse(union.tagging).unwrap_or(Tagging::Untagged);
        for variant in union.variants {
            match &form {
                Tagging::External => {
                    for name in std::iter::once(variant.name).chain(variant.aliases.iter().copied())
                    {
                        self.below((name, variant.name), variant.info.stored);
                    }
                }
                Tagging::Internal(_) | Tagging::Untagged => self.stored(variant.info.stored),
                Tagging::Adjacent(_, Cow::Borrowed(content)) => {
                    self.below((content, content), variant.info.stored);
                }
                // Left out, because only a name with escapes is not borrowed.
                Tagging::Adjacent(_, Cow::Owned(_)) => {}
            }
        }
    }
}
