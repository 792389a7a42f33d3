//! Members that are stored beside those of the struct's own fields: a flattened field holds them.
//!
//! [`Table::rows`] are the fields, which the reader fills one by one; what is stored are these rows
//! and those of the flattened fields, at any depth. The shape that a lock remembers, and the
//! schema, are made of all of them. No two have one name: the derive refuses that.

// Everything here but `Table::stored_members` runs in the compiler, which reports a wrong index
// itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

use super::derived::is_before;
use super::{Row, Table, TypeInfo};
use crate::message::{iterate, same};
use crate::schema::flags;

/// A flattened field.
#[derive(Debug, Clone, Copy)]
pub struct Flattened {
    /// Its members, where they are known: those of a map and of an enum are not.
    table: Option<&'static Table>,
    /// True if none of them need be there.
    is_optional: bool,
    /// The enum or the map, if its members are not known.
    values: Option<&'static TypeInfo>,
    /// True if none of its members may be shown.
    is_hidden: bool,
}

impl Flattened {
    pub(crate) const fn new(table: Option<&'static Table>, is_optional: bool) -> Self {
        Self {
            table,
            is_optional,
            values: None,
            is_hidden: false,
        }
    }

    /// A field of an enum or a map, whose members no row tells of.
    pub(crate) const fn unknown(values: &'static TypeInfo, is_optional: bool) -> Self {
        Self {
            table: None,
            is_optional,
            values: Some(values),
            is_hidden: false,
        }
    }

    /// Marks its members as ones that may not be shown.
    #[must_use]
    pub const fn hidden(self) -> Self {
        Self {
            is_hidden: true,
            ..self
        }
    }

    /// True if a member that no row tells of may not be shown.
    pub(crate) const fn hides_values(&self) -> bool {
        match self.values {
            Some(values) => self.is_hidden || values.hides_any(),
            None => false,
        }
    }

    /// The rows of its members, where they are known.
    pub(crate) const fn table(&self) -> Option<&'static Table> {
        self.table
    }

    /// The enum or the map, if its members are not known.
    pub(crate) const fn values(&self) -> Option<&'static TypeInfo> {
        self.values
    }

    /// True if none of its members need be there.
    pub(crate) const fn is_optional(&self) -> bool {
        self.is_optional
    }

    /// [`Table::released`] of its members. No lines have the number of an enum or a map, so that
    /// these are compared one by one.
    pub(super) const fn released(&self) -> u64 {
        match (self.table, self.values) {
            (Some(table), _) => table.released(),
            (None, Some(values)) => values.released,
            (None, None) => 0,
        }
    }
}

/// The members that a part takes out of an object.
#[derive(Debug, Clone, Copy)]
pub struct Names {
    /// The names that its fields are read by, and its tag's.
    pub own: &'static [&'static str],
    /// Those of parts of its own; of an enum, those of its variants.
    pub parts: &'static [&'static Self],
    /// True if it is of an enum, a value of which has the parts of one variant and leaves those of
    /// the others to a map.
    pub is_enum: bool,
    /// True if it takes every member that is left.
    pub takes_rest: bool,
    /// True if it has a variant without members, which cannot be found again.
    pub has_empty_variant: bool,
}

impl Names {
    /// None.
    pub const NONE: Self = Self {
        own: &[],
        parts: &[],
        is_enum: false,
        takes_rest: false,
        has_empty_variant: false,
    };
    /// Every member that is left.
    pub const REST: Self = Self {
        takes_rest: true,
        ..Self::NONE
    };

    pub(crate) const fn has(&self, name: &str) -> bool {
        iterate!(own in self.own => {
            if same(own, name) {
                return true;
            }
        });
        iterate!(part in self.parts => {
            if part.has(name) {
                return true;
            }
        });
        false
    }

    /// True if it takes the member of this name, whatever its value.
    pub(crate) fn always_has(&self, name: &str) -> bool {
        self.own.contains(&name)
            || !self.is_enum && self.parts.iter().any(|part| part.always_has(name))
    }

    /// A name that both take.
    pub(crate) const fn shared(&self, other: &Self) -> Option<&'static str> {
        iterate!(own in other.own => {
            if self.has(own) {
                return Some(*own);
            }
        });
        iterate!(part in other.parts => {
            if let Some(name) = self.shared(part) {
                return Some(name);
            }
        });
        None
    }

    /// True if it or a part of it takes every member that is left.
    pub(crate) const fn takes_all(&self) -> bool {
        iterate!(part in self.parts => {
            if part.takes_all() {
                return true;
            }
        });
        self.takes_rest
    }
}

/// The rows of all that is stored, in byte order of their names.
#[derive(Clone, Copy)]
pub(crate) struct StoredRows {
    table: &'static Table,
    index: usize,
    last: Option<&'static str>,
}

impl StoredRows {
    pub(crate) const fn of(table: &'static Table) -> Self {
        Self {
            table,
            index: 0,
            last: None,
        }
    }

    pub(crate) const fn next(&mut self) -> Option<&'static Row> {
        match self.next_part() {
            Some((row, _)) => Some(row),
            None => None,
        }
    }

    /// The next row, and whether it is of a flattened field that need not be there.
    pub(crate) const fn next_part(&mut self) -> Option<(&'static Row, bool)> {
        if self.table.flattened.is_empty() {
            let index = self.index;
            self.index += 1;
            return if index < self.table.rows.len() {
                Some((&self.table.rows[index], false))
            } else {
                None
            };
        }
        let next = self.table.first_after(self.last, None, false);
        if let Some((row, _)) = next {
            self.last = Some(row.name);
        }
        next
    }
}

impl Table {
    /// True if a flattened field stores members that no row tells of, and some of them are hidden.
    pub(crate) const fn hides_rest(&self) -> bool {
        iterate!(field in self.flattened => {
            let inside = match field.table {
                Some(table) => table.hides_rest(),
                None => field.hides_values(),
            };
            if inside {
                return true;
            }
        });
        false
    }

    /// The fields of enums and maps that are stored beside the rows, each with whether none of
    /// their members need be there.
    pub(crate) fn values_beside(&'static self) -> Vec<(&'static Flattened, bool)> {
        let inside = |field: &'static Flattened| match field.table {
            Some(table) => table.values_beside(),
            None => vec![(field, false)],
        };
        let of_field = |field| {
            inside(field)
                .into_iter()
                .map(|(values, is_optional)| (values, is_optional || field.is_optional))
        };
        self.flattened.iter().flat_map(of_field).collect()
    }

    /// The names of flattened structs that need not be there, each with those that it must have if
    /// one of them is.
    pub(crate) fn optional_parts(&'static self) -> Vec<(Vec<&'static str>, Vec<&'static str>)> {
        let mut parts = Vec::new();
        for field in self.flattened {
            let Some(table) = field.table else { continue };
            if field.is_optional {
                let (mut all, mut required, mut rows) =
                    (Vec::new(), Vec::new(), StoredRows::of(table));
                while let Some((row, is_optional)) = rows.next_part() {
                    all.push(row.name);
                    let is_required = !is_optional && row.must_be_there();
                    required.extend(is_required.then_some(row.name));
                }
                parts.push((all, required));
            }
            parts.extend(table.optional_parts());
        }
        parts
    }

    /// The number of members that are stored.
    pub(crate) const fn stored_len(&self) -> usize {
        let mut len = self.rows.len();
        iterate!(field in self.flattened => {
            if let Some(table) = field.table {
                len += table.stored_len();
            }
        });
        len
    }

    /// True if a field of its own stores the row, so that operators reach it.
    pub(crate) const fn has_own(&self, row: &Row) -> bool {
        iterate!(own in self.rows => {
            if own.key == row.key {
                return true;
            }
        });
        false
    }

    /// The row at `index` of [`StoredRows`].
    pub(crate) const fn stored_row(&'static self, index: usize) -> &'static Row {
        if self.flattened.is_empty() {
            return &self.rows[index];
        }
        let mut rows = StoredRows::of(self);
        let mut left = index;
        loop {
            match rows.next() {
                Some(row) if left == 0 => return row,
                Some(_) => left -= 1,
                None => return &self.rows[self.rows.len()],
            }
        }
    }

    /// The row at `index` of all that is stored, in no order, and whether an absent part leaves it
    /// out.
    pub(crate) const fn any_row(&'static self, index: usize) -> (&'static Row, bool) {
        let mut left = index;
        if left < self.rows.len() {
            return (&self.rows[left], false);
        }
        left -= self.rows.len();
        iterate!(field in self.flattened => {
            if let Some(table) = field.table {
                let len = table.stored_len();
                if left < len {
                    let (row, is_optional) = table.any_row(left);
                    return (row, is_optional || field.is_optional);
                }
                left -= len;
            }
        });
        (&self.rows[index], false)
    }

    /// The first row after `last` that is before `best`.
    const fn first_after(
        &'static self,
        last: Option<&str>,
        mut best: Option<(&'static Row, bool)>,
        is_optional: bool,
    ) -> Option<(&'static Row, bool)> {
        iterate!(row in self.rows => {
            let is_after = match last {
                Some(last) => is_before(last, row.name),
                None => true,
            };
            let is_first = match best {
                Some((best, _)) => is_before(row.name, best.name),
                None => true,
            };
            if is_after && is_first {
                best = Some((row, is_optional));
            }
        });
        iterate!(field in self.flattened => {
            if let Some(table) = field.table {
                best = table.first_after(last, best, is_optional || field.is_optional);
            }
        });
        best
    }

    /// Every row of what is stored, in byte order of the names; those that an absent part leaves
    /// out are as if a default filled them in.
    pub(crate) fn stored_members(&'static self) -> Vec<Row> {
        let mut rows = self.rows.to_vec();
        for field in self.flattened {
            let members = field.table.map(Self::stored_members).unwrap_or_default();
            let filled_in = if field.is_optional {
                flags::FILLED_IN
            } else {
                0
            };
            // A version without a struct has no descriptions and no defaults, since operators tell
            // only what it stored.
            let members = members.into_iter().map(|row| {
                if self.has_struct() {
                    row
                } else {
                    row.inherited()
                }
            });
            rows.extend(members.map(|row| Row {
                flags: row.flags | filled_in,
                ..row
            }));
        }
        if !self.flattened.is_empty() {
            rows.sort_unstable_by_key(|row| row.name);
        }
        rows
    }
}
