//! The form of what is at a path of a table, as operators see it: the same as the runtime's
//! [`form`](super::super::form), in const evaluation.

use crate::schema::table::{Row, Stored, Table, UnionTable, union_in};
use crate::schema::{Holds, Nesting, Origin};

/// The form of a value: nested objects in some arrangement, or a plain type.
#[derive(Clone, Copy)]
pub(in super::super) enum Form {
    /// Nested objects.
    Objects(Objects, Nesting),
    /// A plain type.
    Plain(&'static Stored),
    /// A scalar that an operator made.
    Made(&'static Stored),
    /// Not known: it came out of an author's function, or is null.
    Open,
}

/// The enum with data of a form, or in its collection.
pub(in super::super) const fn enum_in(form: Form) -> Option<&'static UnionTable> {
    match form {
        Form::Plain(stored) => union_in(stored),
        Form::Objects(..) | Form::Made(_) | Form::Open => None,
    }
}

/// Nested objects of one kind.
#[derive(Clone, Copy)]
pub(in super::super) struct Objects {
    pub(in super::super) members: &'static Table,
    pub(in super::super) origin: Origin,
    /// The member that `rekey` has made the key, and that may end here: the objects around it have
    /// it no more.
    pub(in super::super) without: Option<&'static str>,
    /// The member that `rekey` has put in, from the key.
    pub(in super::super) with: Option<&'static str>,
    /// True if they came out of a `rekey` by one of their members.
    pub(in super::super) is_rekeyed: bool,
}

/// An attribute or block: its form, and what it takes.
#[derive(Clone, Copy)]
pub(in super::super) struct Member {
    pub(in super::super) form: Form,
    pub(in super::super) holds: Holds,
    pub(in super::super) is_block: bool,
}

impl Objects {
    pub(in super::super) const fn new(members: &'static Table) -> Self {
        Self {
            members,
            origin: members.origin(),
            without: None,
            with: None,
            is_rekeyed: false,
        }
    }
}

impl Form {
    pub(in super::super) const fn of(stored: &'static Stored) -> Self {
        match stored.objects() {
            Some((table, nesting)) => Self::Objects(Objects::new(table), nesting),
            None => Self::Plain(stored),
        }
    }
}

impl Member {
    pub(in super::super) const fn new(row: &'static Row) -> Self {
        let form = Form::of(&row.info.stored);
        if row.is_block() {
            let nullable = matches!(form, Form::Objects(_, Nesting::Single));
            return Self {
                form,
                holds: Holds {
                    nullable,
                    ..Holds::ANYTHING
                },
                is_block: true,
            };
        }
        Self {
            form,
            holds: row.info.holds,
            is_block: false,
        }
    }
}
