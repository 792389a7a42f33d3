//! Enums with data as a prior version had them: the variants of a later one, with changes.
//!
//! Const evaluation cannot make a slice whose length depends on a type parameter, so rows are put
//! into an array that is long enough.

use std::marker::PhantomData;

use super::derived::{Edit, Info, NO_ROW, ObjectOf, Shape, edited, edited_len, find, is_before};
use super::{
    DocumentTable, LazySchema, Row, Stored, Table, TypeInfo, UnionTable, VariantRow, union_in,
    variant,
};
use crate::message::iterate;
use upstate_words::hash::key;

/// One difference between a prior enum and the later one. The names of the later one are stored
/// ones or those in Rust.
#[derive(Debug, Clone, Copy)]
pub enum VariantEdit {
    /// It had another stored name.
    Rename {
        /// The name that it had.
        from: &'static str,
        /// The name that it has.
        to: &'static str,
    },
    /// The prior enum had it, and the later one has not.
    Insert {
        /// The name that it had.
        name: &'static str,
        /// The content that it had.
        held: &'static TypeInfo,
    },
    /// The prior enum did not have it.
    Remove {
        /// The name that it has.
        name: &'static str,
    },
    /// It held something else.
    Retype {
        /// The name that it has.
        name: &'static str,
        /// The content that it had.
        held: &'static TypeInfo,
    },
}

/// The differences between a prior enum and the enum in `X`.
pub trait VariantEdits<X> {
    /// A name for the prior enum, which no other type has.
    const NAME: &'static str;
    /// They.
    const EDITS: &'static [VariantEdit];
}

/// The enum in `X`, or collections of it, with the variants before the changes `C`; anything if `X`
/// has none.
#[derive(Debug)]
pub struct Variants<X, C>(PhantomData<(X, C)>);

/// The most variants that an enum may have which another version changes.
const MOST: usize = 128;
/// The most members of a variant.
const MOST_MEMBERS: usize = 64;

const NO_VARIANT: VariantRow = VariantRow {
    name: "",
    rust_name: "",
    key: 0,
    aliases: &[],
    is_untagged: false,
    info: TypeInfo::NOTHING,
};

impl<X: Info, C: VariantEdits<X>> Variants<X, C> {
    const ALL: &'static ([VariantRow; MOST], usize) = &before(union_in(&X::INFO.stored), C::EDITS);
    const TABLE: &'static UnionTable = &UnionTable {
        rust_name: C::NAME,
        instance: 0,
        tagging: match union_in(&X::INFO.stored) {
            Some(union) => union.tagging,
            None => "external",
        },
        variants: Self::ALL.0.split_at(Self::ALL.1).0,
        other: match union_in(&X::INFO.stored) {
            Some(union) => union.other,
            None => None,
        },
    };
    const ONE: &'static Stored = &Stored::Union(Self::TABLE);
}

impl<X: Info, C: VariantEdits<X>> Info for Variants<X, C> {
    const INFO: &'static TypeInfo = {
        match X::INFO.stored {
            Stored::Union(_) => &TypeInfo::union(Self::TABLE, X::INFO.holds.nullable),
            Stored::List(Stored::Union(_)) => {
                &TypeInfo::new(Stored::List(Self::ONE), X::INFO.holds)
            }
            Stored::Set(Stored::Union(_)) => &TypeInfo::new(Stored::Set(Self::ONE), X::INFO.holds),
            Stored::Map(Stored::Union(_)) => &TypeInfo::new(Stored::Map(Self::ONE), X::INFO.holds),
            Stored::List(_)
            | Stored::Set(_)
            | Stored::Map(_)
            | Stored::Bool
            | Stored::String
            | Stored::Number
            | Stored::Dynamic
            | Stored::Tuple(_)
            | Stored::Json
            | Stored::Object(_) => TypeInfo::ANYTHING,
        }
    };
}

/// The content of a variant of the enum in `X`, by the number of its name or of its Rust name;
/// anything if there is none.
#[derive(Debug)]
pub struct ContentOf<X, const KEY: u64>(PhantomData<X>);

impl<X: Info, const KEY: u64> Info for ContentOf<X, KEY> {
    const INFO: &'static TypeInfo = match union_in(&X::INFO.stored) {
        Some(union) => match variant(union, KEY) {
            Some(row) => row.info,
            None => TypeInfo::ANYTHING,
        },
        None => TypeInfo::ANYTHING,
    };
}

/// Changes of the members of the objects in `X`.
pub trait Edits<X> {
    /// The changes.
    const EDITS: &'static [Edit];
}

/// The objects of `X` before the changes `E`.
#[derive(Debug)]
pub struct Edited<X, E>(PhantomData<(X, E)>);

/// The content of variants is not a root, so its schema is never asked for by version.
static CONTENTS: LazySchema = LazySchema::of_prior_contents();

impl<X: Info, E: Edits<X>> Edited<X, E> {
    const ROWS: &'static ([Row; MOST_MEMBERS], usize) = match X::INFO.objects() {
        Some((table, _)) => &edited_rows(table, E::EDITS),
        None => &([NO_ROW; MOST_MEMBERS], 0),
    };
}

impl<X: Info, E: Edits<X>> Edited<X, E> {
    const DOCUMENT: &'static DocumentTable = &DocumentTable {
        rename_all: match X::INFO.objects() {
            Some((table, _)) => table.rename_all(),
            None => "",
        },
        ..DocumentTable::OF_PRIOR
    };
}

impl<X: Info, E: Edits<X>> Shape for Edited<X, E> {
    const SHAPE: &'static Table = &Table {
        document: Some(Self::DOCUMENT),
        ..Table::shape("", 0, Self::ROWS.0.split_at(Self::ROWS.1).0, &CONTENTS)
    };
}

impl<X: Info, E: Edits<X>> Info for Edited<X, E> {
    const INFO: &'static TypeInfo = match X::INFO.objects() {
        Some(_) => <ObjectOf<Self> as Info>::INFO,
        None => X::INFO,
    };
}

const fn edited_rows(
    table: &'static Table,
    edits: &'static [Edit],
) -> ([Row; MOST_MEMBERS], usize) {
    let len = edited_len(table, edits);
    assert!(
        len <= MOST_MEMBERS,
        "the variant has more than 64 members, which is the most that another version can change"
    );
    let rows: [Row; MOST_MEMBERS] = edited(table, edits);
    (rows, len)
}

/// The variants before the changes: of enums with a tag in byte order of their names, those without
/// one behind them as they are tried.
const fn before(
    union: Option<&'static UnionTable>,
    edits: &'static [VariantEdit],
) -> ([VariantRow; MOST], usize) {
    let mut all = ([NO_VARIANT; MOST], 0);
    let Some(union) = union else { return all };
    iterate!(row in union.variants => {
        let (mut edited, mut more) = (Some(*row), edits);
        while let [edit, others @ ..] = more {
            more = others;
            let Some(before) = edited else { break };
            // By the later names, because two variants may have traded theirs.
            edited = match *edit {
                VariantEdit::Rename { from, to } if is(union, row, to) => Some(VariantRow {
                    name: from,
                    rust_name: "",
                    key: key(from),
                    ..before
                }),
                VariantEdit::Retype { name, held } if is(union, row, name) => Some(VariantRow {
                    info: held,
                    ..before
                }),
                VariantEdit::Remove { name } if is(union, row, name) => None,
                VariantEdit::Rename { .. }
                | VariantEdit::Retype { .. }
                | VariantEdit::Remove { .. }
                | VariantEdit::Insert { .. } => Some(before),
            };
        }
        if let Some(row) = edited {
            insert(&mut all, row);
        }
    });
    iterate!(edit in edits => {
        if let VariantEdit::Insert { name, held } = *edit {
            insert(
                &mut all,
                VariantRow {
                    name,
                    key: key(name),
                    info: held,
                    ..NO_VARIANT
                },
            );
        }
    });
    all
}

/// True if a variant of an enum is the one of this name, stored or in Rust.
const fn is(union: &'static UnionTable, row: &VariantRow, name: &str) -> bool {
    let name = key(name);
    row.key == name
        || key(row.rust_name) == name
            && matches!(variant(union, name), Some(found) if found.key == row.key)
}

/// True if a variant has its place before another one.
const fn goes_before(row: VariantRow, other: VariantRow) -> bool {
    !row.is_untagged && (other.is_untagged || is_before(row.name, other.name))
}

#[expect(
    clippy::indexing_slicing,
    reason = "const evaluation; the compiler reports a wrong index"
)]
const fn insert(all: &mut ([VariantRow; MOST], usize), row: VariantRow) {
    assert!(
        all.1 < MOST,
        "the enum has more than 128 variants, which is the most that another version can change"
    );
    let mut at = all.1;
    while at > 0 && goes_before(row, all.0[at - 1]) {
        all.0[at] = all.0[at - 1];
        at -= 1;
    }
    all.0[at] = row;
    all.1 += 1;
}

/// The stored name of a variant of the enum at a place that const evaluation knows, by either name;
/// the name itself if there is none.
#[doc(hidden)]
#[must_use]
pub const fn stored_variant(info: &'static TypeInfo, name: &'static str) -> &'static str {
    match union_in(&info.stored) {
        Some(union) => match variant(union, key(name)) {
            Some(row) => row.name,
            None => name,
        },
        None => name,
    }
}

/// The stored name of a member of what a variant holds, by either name; the name itself if there is
/// none.
#[doc(hidden)]
#[must_use]
pub const fn stored_member(info: &'static TypeInfo, of: &str, name: &'static str) -> &'static str {
    let Some(union) = union_in(&info.stored) else {
        return name;
    };
    let Some(row) = variant(union, key(of)) else {
        return name;
    };
    match row.info.objects() {
        Some((table, _)) => match find(table, key(name)) {
            Some(row) => row.name,
            None => name,
        },
        None => name,
    }
}

/// The values of a member of what a variant holds, by either name; anything if there is none.
#[doc(hidden)]
#[must_use]
pub const fn member_info(info: &'static TypeInfo, of: &str, name: &str) -> &'static TypeInfo {
    let Some(union) = union_in(&info.stored) else {
        return TypeInfo::ANYTHING;
    };
    let Some(row) = variant(union, key(of)) else {
        return TypeInfo::ANYTHING;
    };
    match row.info.objects() {
        Some((table, _)) => match find(table, key(name)) {
            Some(row) => row.info,
            None => TypeInfo::ANYTHING,
        },
        None => TypeInfo::ANYTHING,
    }
}
