//! Shapes without a struct, made while the program is compiled.
//!
//! A prior version that differs little from a later one needs no struct: its table is that of the
//! later version with some rows edited. What writes such a table (the derive) makes a static of it:
//!
//! ```ignore
//! // Version 1 of `Server`: `title` in place of `name`, `retries` not there yet, `port` a string.
//! const EDITS: &[Edit] = &[
//!     Edit::Rename { field: key("name"), name: "title", key: key("title") },
//!     Edit::Remove { field: key("retries") },
//!     Edit::Retype { field: key("port"), info: <Option<String> as Info>::INFO },
//! ];
//! static ROWS: [Row; edited_len(&SERVER, EDITS)] = edited(&SERVER, EDITS);
//! static SCHEMA: LazySchema = LazySchema::new();
//! static SERVER_V1: Table = Table::shape("Server (version 1)", 1, &ROWS, &SCHEMA);
//! ```
//!
//! Where the derive sees all fields of the later version, it says row by row what the prior one
//! stored: [`Part`]s, put together by [`rows`].
//!
//! `field` is the number of the name of the Rust field; where the later version has no such field,
//! of the name in state. An edit of a field that is not there changes nothing, but for the name
//! that a renamed one had: the author of edits proves that it is there ([`has_field`]). Rows that
//! stay are [inherited](Row::inherited): how they are stored, and whether they are sensitive, but
//! no defaults, deprecations or other facts, which say nothing about state that is there already.
//!
//! # Types
//!
//! A row names a [`TypeInfo`] by reference, and const evaluation cannot make references by itself.
//! Types can: each type here represents stored values, and [`Info::INFO`] is the reference. Every
//! [`AttributeType`] is one; the others are put together:
//!
//! | type | its values |
//! | --- | --- |
//! | [`FieldOf<T, KEY>`](FieldOf) | those of a field of a shape |
//! | [`OrNull<X>`](OrNull), [`NotNull<X>`](NotNull) | `X` or null, `X` but null |
//! | [`ListOf<X>`](ListOf), [`SetOf<X>`](SetOf), [`MapOf<X>`](MapOf) | collections of `X` |
//! | [`ElementOf<X>`](ElementOf) | the elements of a collection |
//! | [`ObjectOf<T>`](ObjectOf) | objects of a shape |
//! | [`NullAs<X, N>`](NullAs) | `X`, or null where `N` may be |
//! | [`EachOf<X, E>`](EachOf) | collections as `X`, of `E` |
//! | [`MemberOf<X, KEY>`](MemberOf) | those of a member of the objects in `X` |
//! | [`IfMap<X, M, N>`](IfMap) | `M` where `X` is a map, `N` where it is none |
//! | [`Around<X, T>`](Around) | what `X` is, its innermost objects replaced by those of the shape `T` |
//! | [`Variants<X, C>`](super::Variants) | what `X` is, its enum replaced by that before the changes `C` |
//!
//! A [`Shape`] is anything that names a table: every struct of attributes, and a type of one's own
//! for a derived table. So a change deep inside, `rename(rules.port => rules.number)`, is one
//! derived table for each object on the path, from the inside out:
//!
//! ```ignore
//! struct RuleV1;                    // its table: that of `Rule`, edited
//! impl Shape for RuleV1 { const SHAPE: &'static Table = &RULE_V1; }
//! // … and in the edits of the outer table:
//! Edit::Retype { field: RULES, info: <Around<FieldOf<Wall, RULES>, RuleV1> as Info>::INFO }
//! ```

use std::marker::PhantomData;

use super::{Beside, LazySchema, Row, Stored, Table, TypeInfo, UnionTable, union_in, variant};
use crate::codec::{AttributeType, Object};
use crate::message::{Message, iterate, same};
use crate::schema::{Fact, Holds, Nesting, ObjectUpgrader, Takes, flags};

/// Something whose values can be stored: a Rust type, or a substitute for a type that no struct
/// has.
pub trait Info {
    /// The values that it stores.
    const INFO: &'static TypeInfo;
}

impl<T: AttributeType> Info for T {
    const INFO: &'static TypeInfo = <T as AttributeType>::INFO;
}

/// Something that has a table: a struct of attributes, or a type for a derived shape.
pub trait Shape {
    /// The table.
    const SHAPE: &'static Table;
}

impl<T: Object> Shape for T {
    const SHAPE: &'static Table = T::TABLE;
}

macro_rules! made {
    ($($(#[$doc:meta])* $name:ident<$x:ident> = $info:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<$x>(PhantomData<$x>);

        impl<$x: Info> Info for $name<$x> {
            const INFO: &'static TypeInfo = &$info;
        }
    )+};
}

made! {
    /// The values of `X`, or null.
    OrNull<X> = TypeInfo::or_null(X::INFO);
    /// The values of `X` without null.
    NotNull<X> = TypeInfo::not_null(X::INFO);
    /// Lists of `X`.
    ListOf<X> = TypeInfo::list(X::INFO);
    /// Sets of `X`.
    SetOf<X> = TypeInfo::set(X::INFO);
    /// Maps of `X`.
    MapOf<X> = TypeInfo::map(X::INFO);
    /// The elements of the collection `X`; anything where it is none.
    ElementOf<X> = TypeInfo::element(X::INFO);
}

/// The values of `X`, or null where those of `N` may be null, and only there.
#[derive(Debug)]
pub struct NullAs<X, N>(PhantomData<(X, N)>);

impl<X: Info, N: Info> Info for NullAs<X, N> {
    const INFO: &'static TypeInfo = &TypeInfo::new(
        X::INFO.stored,
        Holds {
            nullable: N::INFO.holds.nullable,
            ..X::INFO.holds
        },
    );
}

/// Collections as those of `X`, of the elements `E`.
#[derive(Debug)]
pub struct EachOf<X, E>(PhantomData<(X, E)>);

impl<X: Info, E: Info> Info for EachOf<X, E> {
    const INFO: &'static TypeInfo = {
        let info = collected::<X, E>(TypeInfo::ANYTHING);
        &TypeInfo::new(
            info.stored,
            Holds {
                nullable: X::INFO.holds.nullable,
                keys: X::INFO.holds.keys,
                ..info.holds
            },
        )
    };
}

/// A collection as `X` is one, of the elements `E`; `otherwise` if `X` is none.
const fn collected<X: Info, E: Info>(otherwise: &'static TypeInfo) -> &'static TypeInfo {
    match X::INFO.stored {
        Stored::List(_) => ListOf::<E>::INFO,
        Stored::Set(_) => SetOf::<E>::INFO,
        Stored::Map(_) => MapOf::<E>::INFO,
        Stored::Bool
        | Stored::String
        | Stored::Number
        | Stored::Dynamic
        | Stored::Tuple(_)
        | Stored::Json
        | Stored::Union(_)
        | Stored::Object(_) => otherwise,
    }
}

/// `M` where `X` is a map, `N` where it is none.
#[derive(Debug)]
pub struct IfMap<X, M, N>(PhantomData<(X, M, N)>);

impl<X: Info, M: Info, N: Info> Info for IfMap<X, M, N> {
    const INFO: &'static TypeInfo = if let Stored::Map(_) = X::INFO.stored {
        M::INFO
    } else {
        N::INFO
    };
}

/// The strings that an author's own type takes.
#[derive(Debug)]
pub struct OwnText;

impl Info for OwnText {
    const INFO: &'static TypeInfo = &TypeInfo::own_type(<String as AttributeType>::INFO);
}

/// The values of the stored form `S` that an author's function takes, where the author stores a
/// type in a form of their own.
#[must_use]
pub const fn read_by<S: AttributeType, T, E>(_read: fn(S) -> Result<T, E>) -> &'static TypeInfo {
    const { &TypeInfo::own_type(S::INFO) }
}

/// The values of a member of the objects that `X` is or holds; anything if they have none of that
/// name.
#[derive(Debug)]
pub struct MemberOf<X, const KEY: u64>(PhantomData<X>);

impl<X: Info, const KEY: u64> Info for MemberOf<X, KEY> {
    const INFO: &'static TypeInfo = match X::INFO.objects() {
        Some((table, _)) => match find(table, KEY) {
            Some(row) => row.info,
            None => TypeInfo::ANYTHING,
        },
        None => TypeInfo::ANYTHING,
    };
}

/// The values of a field of a shape, by the number of its name; anything if it has none of that
/// name.
#[derive(Debug)]
pub struct FieldOf<T, const KEY: u64>(PhantomData<T>);

impl<T: Shape, const KEY: u64> Info for FieldOf<T, KEY> {
    const INFO: &'static TypeInfo = match find(T::SHAPE, KEY) {
        Some(row) => row.info,
        None => TypeInfo::ANYTHING,
    };
}

/// Objects of a shape.
#[derive(Debug)]
pub struct ObjectOf<T>(PhantomData<T>);

impl<T: Shape> Info for ObjectOf<T> {
    const INFO: &'static TypeInfo = &TypeInfo::object(T::SHAPE);
}

/// The objects that `X` is, or the collections of objects, with objects of the shape `T` in their
/// place.
#[derive(Debug)]
pub struct Around<X, T>(PhantomData<(X, T)>);

impl<X: Info, T: Shape> Info for Around<X, T> {
    const INFO: &'static TypeInfo = {
        let info = collected::<X, ObjectOf<T>>(ObjectOf::<T>::INFO);
        let Holds {
            nullable,
            lenient,
            keys,
            ..
        } = X::INFO.holds;
        &TypeInfo::new(
            info.stored,
            Holds {
                nullable,
                lenient: lenient || info.holds.lenient,
                keys,
                ..info.holds
            },
        )
    };
}

/// One change from a later shape to a prior one. A field is named by the number of its Rust name,
/// or of its name in state.
#[derive(Debug, Clone, Copy)]
pub enum Edit {
    /// The prior version did not have it.
    Remove {
        /// Which.
        field: u64,
    },
    /// The prior version had this, and the later one has not.
    Insert(Row),
    /// It was stored under another name.
    Rename {
        /// Which.
        field: u64,
        /// The name that it had.
        name: &'static str,
        /// The number of that name.
        key: u64,
    },
    /// It stored other values.
    Retype {
        /// Which.
        field: u64,
        /// Those.
        info: &'static TypeInfo,
    },
    /// Its objects had other members. If none are left, it was not there.
    Reshape {
        /// Which.
        field: u64,
        /// The values that it stored.
        info: &'static TypeInfo,
    },
    /// It stored other values of the same type, of which the later version says nothing.
    Revalue {
        /// Which.
        field: u64,
    },
    /// It is called so, and it was something else: in place of what is called so now, if anything
    /// is.
    Put(Row),
    /// It is called so, unless something is called so now, which it was then.
    Add(Row),
    /// It was something else altogether. Without a name, it keeps its own.
    Replace {
        /// Which.
        field: u64,
        /// The row that it was.
        with: Row,
    },
}

impl Table {
    /// A shape without a struct. `name` is what messages call it; that of a struct that did not
    /// compile is empty.
    #[must_use]
    pub const fn shape(
        name: &'static str,
        version: u64,
        rows: &'static [Row],
        schema: &'static LazySchema,
    ) -> Self {
        Self {
            rust_name: name,
            version,
            rows,
            ..Self::stub(schema)
        }
    }
}

impl Table {
    /// A nested shape without a struct, and how its objects become those of the later shape.
    #[must_use]
    pub const fn object_shape(
        name: &'static str,
        rows: &'static [Row],
        schema: &'static LazySchema,
        upgraders: &'static [ObjectUpgrader],
    ) -> Self {
        Self {
            upgraders,
            ..Self::shape(name, 0, rows, schema)
        }
    }
}

impl Row {
    /// The field as an earlier version stored it: name, type and how it is read, whether it is
    /// sensitive or never stored.
    #[must_use]
    pub const fn inherited(self) -> Self {
        let kept = flags::SENSITIVE
            | flags::IN_PART
            | flags::WRITE_ONLY
            | flags::BLOCK
            | flags::RENAMED
            | flags::FILLED_IN;
        let flags = self.flags & (kept | flags::OTHER_VALUES) | flags::SHAPE_ONLY;
        Self {
            flags,
            description: "",
            ..self
        }
    }

    /// The field with values whose type an earlier version or an operator decides: what blocks
    /// cannot hold is an attribute, whatever the later field is.
    const fn placed(self) -> Self {
        let row = self.inherited();
        if row.info.can_be_blocks() {
            row
        } else {
            Self {
                flags: row.flags & !flags::BLOCK,
                ..row
            }
        }
    }
}

impl TypeInfo {
    /// Any value at all: the substitute for a type that is missing. That it is missing is reported
    /// elsewhere.
    pub const ANYTHING: &'static Self = &Self::new(Stored::Dynamic, Holds::ANYTHING.or_null());

    /// The values of a type whose derive failed: objects and enums are not null by themselves, so
    /// that an `Option` of it is not a second mistake.
    pub const STUB: &'static Self = &Self::new(Stored::Dynamic, Holds::ANYTHING);

    /// True if blocks can hold such values: objects in a collection, or one that may be missing.
    const fn can_be_blocks(&self) -> bool {
        match self.objects() {
            Some((_, Nesting::Single)) => self.holds.nullable,
            Some((_, Nesting::List | Nesting::Set | Nesting::Map)) => true,
            None => false,
        }
    }

    const fn not_null(of: &Self) -> Self {
        Self::new(
            of.stored,
            Holds {
                nullable: false,
                ..of.holds
            },
        )
    }

    const fn element(of: &'static Self) -> Self {
        let holds = match of.holds.elements {
            Some(elements) => *elements,
            None => Holds::ANYTHING,
        };
        match of.stored {
            Stored::List(Stored::Object(table))
            | Stored::Set(Stored::Object(table))
            | Stored::Map(Stored::Object(table)) => Self::new(
                Stored::Object(table),
                Holds {
                    takes: Takes::Objects(table),
                    ..holds
                },
            ),
            Stored::List(element) | Stored::Set(element) | Stored::Map(element) => {
                Self::new(*element, holds)
            }
            Stored::Bool
            | Stored::String
            | Stored::Number
            | Stored::Dynamic
            | Stored::Tuple(_)
            | Stored::Json
            | Stored::Union(_)
            | Stored::Object(_) => *Self::ANYTHING,
        }
    }
}

/// Rows of a prior shape, in byte order of their names: those of a later one, and others between
/// them.
#[derive(Debug, Clone, Copy)]
pub enum Part {
    /// The rows of the later shape from one on, up to another.
    Same(usize, usize),
    /// A row of the later shape, stored under another name.
    Renamed {
        /// Which.
        row: usize,
        /// The name that it had.
        name: &'static str,
        /// The number of that name.
        key: u64,
        /// The values that it stored, if others.
        info: Option<&'static TypeInfo>,
        /// Its flags, besides those that it has.
        flags: u32,
    },
    /// A row of the later shape that stored other values.
    Retyped {
        /// Which.
        row: usize,
        /// Those.
        info: &'static TypeInfo,
        /// Its flags, besides those that it has.
        flags: u32,
    },
    /// A row that the later shape has not.
    New(Row),
}

/// The rows of a prior shape. `N` is how many the parts have together. They are taken by value,
/// because the compiler looks for cells in all that a constant borrows.
#[must_use]
#[expect(
    clippy::indexing_slicing,
    reason = "const evaluation; the compiler reports a wrong index"
)]
pub const fn rows<const N: usize, const PARTS: usize>(
    of: &'static Table,
    parts: [Part; PARTS],
) -> [Row; N] {
    let mut rows = [NO_ROW; N];
    let mut len = 0;
    iterate!(part in &parts => {
        match *part {
            Part::Same(mut row, end) => {
                while row < end {
                    rows[len] = of.rows[row].inherited();
                    (row, len) = (row + 1, len + 1);
                }
            }
            Part::Renamed {
                row,
                name,
                key,
                info,
                flags: more,
            } => {
                let Row {
                    flags, info: same, ..
                } = of.rows[row];
                let info = match info {
                    Some(info) => info,
                    None => same,
                };
                rows[len] = Row {
                    name,
                    key,
                    flags: joined(flags, more) | flags::RENAMED,
                    info,
                    ..of.rows[row]
                }
                .placed();
                len += 1;
            }
            Part::Retyped {
                row,
                info,
                flags: more,
            } => {
                rows[len] = Row {
                    info,
                    flags: joined(of.rows[row].flags, more),
                    ..of.rows[row]
                }
                .placed();
                len += 1;
            }
            Part::New(row) => {
                rows[len] = row.placed();
                len += 1;
            }
        }
    });
    rows
}

pub(super) const NO_ROW: Row = Row {
    name: "",
    key: 0,
    flags: 0,
    description: "",
    info: TypeInfo::ANYTHING,
    beside: None,
};

/// The values at a path of names in state; any if nothing is there, which is reported elsewhere.
#[doc(hidden)]
#[must_use]
pub const fn info_at(mut table: &'static Table, mut path: &[&str]) -> &'static TypeInfo {
    while let [name, inner @ ..] = path {
        let Some(row) = stored(table, upstate_words::hash::key(name)) else {
            break;
        };
        if inner.is_empty() {
            return row.info;
        }
        (table, path) = (objects_in(row.info), inner);
    }
    TypeInfo::ANYTHING
}

/// The rest of a prior field that is written: `own`, with the facts, and the name of the later
/// field whose place it takes, if it takes one.
#[must_use]
pub const fn beside(
    later: &'static Table,
    field: u64,
    own: Beside,
    facts: &'static [Fact],
) -> Beside {
    let name = match find(later, field) {
        Some(Row {
            beside:
                Some(Beside {
                    field: name @ Some(_),
                    ..
                }),
            ..
        }) => *name,
        Some(_) | None => own.field,
    };
    Beside {
        field: name,
        facts,
        ..own
    }
}

/// The facts beside a later field, if there is one.
#[must_use]
pub const fn facts(later: &'static Table, field: u64) -> &'static [Fact] {
    match find(later, field) {
        Some(Row {
            beside: Some(beside),
            flags: of,
            ..
        }) if *of & flags::OTHER_VALUES == 0 => beside.facts,
        Some(_) | None => &[],
    }
}

/// The objects that `X` is or holds: their table; that of a struct that did not compile if there
/// are none.
#[must_use]
pub const fn objects_in(info: &'static TypeInfo) -> &'static Table {
    match info.objects() {
        Some((table, _)) => table,
        None => &NO_OBJECTS,
    }
}

/// The flags that what became a member of nested objects has because the member has them: whether
/// it is sensitive.
#[must_use]
pub const fn member_flags(info: &'static TypeInfo, member: u64) -> u32 {
    match find(objects_in(info), member) {
        Some(row) if row.is_hidden() => flags::SENSITIVE,
        Some(_) | None => 0,
    }
}

/// The flag of blocks, if a later field has it: a prior field of which nothing else is written has
/// it, too, where its values can be blocks.
#[must_use]
pub const fn block_flag(later: &'static Table, field: u64) -> u32 {
    match find(later, field) {
        Some(row) => row.flags & flags::BLOCK,
        None => 0,
    }
}

/// The field of a later shape that holds the objects in which an operator names a prior field: its
/// table, number and name.
#[doc(hidden)]
pub type Holder = (&'static Table, u64, &'static str);

/// Refuses, at compile time, `#[block]` on a prior field whose values cannot be blocks, or that is
/// in an attribute.
#[doc(hidden)]
#[track_caller]
pub const fn check_block(table: &'static Table, field: u64, name: &str, holder: Option<Holder>) {
    let Some(row) = stored(table, field) else {
        return;
    };
    // An unknown type is not a mistake here, because another check reports it.
    if matches!(row.info.stored, Stored::Dynamic) {
        return;
    }
    if !row.is_block() {
        Message::refuse(
            "`{}` cannot be stored as nested blocks\nhelp: remove `#[block]`; blocks are an `Option`, `Vec`, set or map of objects",
            &[name],
        );
    }
    if let Some(holder) = in_attribute(holder) {
        Message::refuse(
            "`{}` is in `{}`, which is an attribute, and only blocks hold blocks\nhelp: remove `#[block]`; if `{}` was a block, write all of its prior type, `carry(#[block] {}: …)`, in place of operators inside of it",
            &[name, holder, holder, holder],
        );
    }
}

/// Refuses, at compile time, a prior attribute whose objects have blocks, which only blocks have.
/// `written` is how it would be one.
#[doc(hidden)]
#[track_caller]
pub const fn check_placed(
    table: &'static Table,
    field: u64,
    (name, is_document): (&str, bool),
    written: &str,
    holder: Option<Holder>,
) {
    let Some(row) = stored(table, field) else {
        return;
    };
    assert!(
        !row.info.holds.is_of_documents || is_document,
        "{}",
        super::ONLY_DOCUMENTS
    );
    let (false, Some((objects, _))) = (row.is_block(), row.info.objects()) else {
        return;
    };
    iterate!(inner in objects.rows => {
        if inner.is_block() {
            let message = Message::new().format(
                "the nested objects in `{}` have the block `{}",
                &[name, inner.field()],
            );
            let message = match in_attribute(holder) {
                Some(holder) => message.format(
                    "`, and they are in `{}`, which is an attribute; only blocks hold blocks\nhelp: if `{}` was a block, write all of its prior type, `carry(#[block] {}: …)`, in place of operators inside of it",
                    &[holder, holder, holder],
                ),
                None => message.format(
                    "`, so they can only be blocks themselves\nhelp: write `#[block]` before the field: `{}`",
                    &[written],
                ),
            };
            message.panic();
        }
    });
}

/// The row of this name in state.
const fn stored(table: &'static Table, name: u64) -> Option<&'static Row> {
    iterate!(row in table.rows => {
        if row.key == name {
            return Some(row);
        }
    });
    None
}

/// The name of the field around, if it is an attribute.
const fn in_attribute(holder: Option<Holder>) -> Option<&'static str> {
    let Some((later, field, name)) = holder else {
        return None;
    };
    match find(later, field) {
        Some(row) if !row.is_block() && !matches!(row.info.stored, Stored::Dynamic) => Some(name),
        _ => None,
    }
}

/// The flags that what became such a member has besides others, or of which the member is but a
/// part.
#[must_use]
pub const fn member_flags_in_part(info: &'static TypeInfo, member: u64) -> u32 {
    match member_flags(info, member) {
        0 => 0,
        sensitive => sensitive | flags::IN_PART,
    }
}

/// The flags of what became two things: it is sensitive as a whole if either says so.
#[must_use]
pub const fn joined(one: u32, other: u32) -> u32 {
    let is_whole = is_sensitive_as_a_whole(one) || is_sensitive_as_a_whole(other);
    let both = one | other;
    if is_whole {
        both & !flags::IN_PART
    } else {
        both
    }
}

const fn is_sensitive_as_a_whole(flags: u32) -> bool {
    flags & (flags::SENSITIVE | flags::IN_PART) == flags::SENSITIVE
}

/// Refuses, at compile time, operators on what is inside of a field that holds no objects.
#[doc(hidden)]
#[track_caller]
pub const fn check_objects(info: &'static TypeInfo, field: &str) {
    // An unknown type is not a mistake here, because another check reports it.
    if info.objects().is_some() || matches!(info.stored, Stored::Dynamic) {
        return;
    }
    let message = match union_in(&info.stored) {
        Some(union) => {
            let message = Message::new().format(
                "`{}` is an enum with data, and this path does not name the variant\nhelp: ",
                &[field],
            );
            match variant_with_members(union) {
                Some(variant) => message.format(
                    "write the variant's name in Rust behind the field: `{}.{}.…`",
                    &[field, variant],
                ),
                None => message.text("none of its variants has members that a path could name"),
            }
        }
        None => Message::new().format(
            "`{}` holds no nested objects, so there is nothing inside of it\nhelp: a path goes through fields whose type is, or holds in one list, set or map, a struct that derives `Object`, in a document `Document`",
            &[field],
        ),
    };
    message.panic();
}

/// The members of a variant of the enum in these values, by either name; none if there are none.
#[doc(hidden)]
#[must_use]
pub const fn content_in(info: &'static TypeInfo, of: &str) -> &'static Table {
    if let Some(union) = union_in(&info.stored)
        && let Some(row) = variant(union, upstate_words::hash::key(of))
    {
        return objects_in(row.info);
    }
    &NO_OBJECTS
}

/// Refuses, at compile time, a name of a member that is gone if the rule for names would have
/// stored another one. `others` are the words of the rules that do, each with the stored name and
/// how that is written.
#[doc(hidden)]
#[track_caller]
pub const fn check_gone(later: &'static Table, name: &str, others: &[(&str, &str, &str)]) {
    // A member that is there is called as in Rust.
    if has_field(later, upstate_words::hash::key(name)) {
        return;
    }
    let rule = later.rename_all();
    iterate!(other in others => {
        let (word, stored, written) = *other;
        if same(word, rule) {
            Message::refuse(
                "`rename_all` stores a field `{}` as `{}`, and a field that is gone is named as it was stored\nhelp: write `{}`, or `r#{}` if `{}` was stored",
                &[name, stored, written, name, name],
            );
        }
    });
}

/// The name in Rust of the first variant that holds an object.
const fn variant_with_members(union: &'static UnionTable) -> Option<&'static str> {
    iterate!(row in union.variants => {
        if !row.rust_name.is_empty() && row.info.objects().is_some() {
            return Some(row.rust_name);
        }
    });
    None
}

static NO_OBJECTS: Table = {
    static SCHEMA: LazySchema = LazySchema::new();
    Table::stub(&SCHEMA)
};

/// True if a shape has the field.
#[must_use]
pub const fn has_field(table: &'static Table, field: u64) -> bool {
    find(table, field).is_some()
}

/// The row of a field: by its Rust name, or else by its name in state.
pub(super) const fn find(table: &'static Table, field: u64) -> Option<&'static Row> {
    iterate!(row in table.rows => {
        if row.field_key() == field {
            return Some(row);
        }
    });
    iterate!(row in table.rows => {
        if row.key == field {
            return Some(row);
        }
    });
    None
}

/// The number of rows of the edited table.
#[must_use]
pub const fn edited_len(table: &'static Table, edits: &[Edit]) -> usize {
    let mut len = table.rows.len();
    iterate!(edit in edits => {
        match edit {
            Edit::Remove { field } if has_field(table, *field) => len -= 1,
            Edit::Reshape { field, info } if is_emptied(info) && has_field(table, *field) => {
                len -= 1;
            }
            Edit::Insert(_) => len += 1,
            Edit::Put(row) | Edit::Add(row) if !has_field(table, row.key) => len += 1,
            Edit::Rename { field, key, .. } if is_of_nothing(table, *field, *key) => len += 1,
            Edit::Remove { .. }
            | Edit::Rename { .. }
            | Edit::Retype { .. }
            | Edit::Reshape { .. }
            | Edit::Revalue { .. }
            | Edit::Put(_)
            | Edit::Add(_)
            | Edit::Replace { .. } => {}
        }
    });
    len
}

/// The rows of the edited table, in byte order of their names. `N` is [`edited_len`].
#[must_use]
pub const fn edited<const N: usize>(table: &'static Table, edits: &[Edit]) -> [Row; N] {
    let mut rows = [NO_ROW; N];
    let mut len = 0;
    iterate!(row in table.rows => {
        if let Some(row) = edited_row(table, row, edits) {
            insert(&mut rows, len, row);
            len += 1;
        }
    });
    iterate!(edit in edits => {
        let new = match edit {
            Edit::Insert(row) => Some(row.placed()),
            Edit::Put(row) | Edit::Add(row) if !has_field(table, row.key) => Some(row.placed()),
            // Its present name is refused where it is written, so that its prior one is not a
            // second mistake.
            Edit::Rename { field, name, key } if is_of_nothing(table, *field, *key) => Some(Row {
                name,
                key: *key,
                ..NO_ROW
            }),
            Edit::Remove { .. }
            | Edit::Rename { .. }
            | Edit::Retype { .. }
            | Edit::Reshape { .. }
            | Edit::Revalue { .. }
            | Edit::Put(_)
            | Edit::Add(_)
            | Edit::Replace { .. } => None,
        };
        if let Some(row) = new {
            insert(&mut rows, len, row);
            len += 1;
        }
    });
    rows
}

/// True if nothing is called as a field is now, or was: flattened fields have names, too, and no
/// edit reaches into these.
const fn is_of_nothing(table: &'static Table, now: u64, before: u64) -> bool {
    table.flattened.is_empty() && !has_field(table, now) && !has_field(table, before)
}

/// True if all members of objects are gone. A struct that did not compile has unknown members,
/// which is reported elsewhere.
const fn is_emptied(info: &TypeInfo) -> bool {
    match info.objects() {
        Some((table, _)) => table.rows.is_empty() && !table.is_stub(),
        None => false,
    }
}

/// The row that the edits make of one row; `None` if they remove it.
const fn edited_row(table: &'static Table, row: &'static Row, edits: &[Edit]) -> Option<Row> {
    let mut edited = row.inherited();
    iterate!(edit in edits => {
        let field = match edit {
            Edit::Remove { field }
            | Edit::Rename { field, .. }
            | Edit::Retype { field, .. }
            | Edit::Reshape { field, .. }
            | Edit::Revalue { field }
            | Edit::Replace { field, .. } => *field,
            Edit::Put(row) => row.key,
            Edit::Insert(_) | Edit::Add(_) => 0,
        };
        // A Rust name comes before a name in state, whichever row has it.
        let meant = match find(table, field) {
            Some(found) => found.key == row.key,
            None => false,
        };
        if meant {
            match edit {
                Edit::Remove { .. } => return None,
                Edit::Rename { name, key, .. } => {
                    edited = Row {
                        name,
                        key: *key,
                        flags: edited.flags | flags::RENAMED,
                        ..edited
                    };
                }
                Edit::Reshape { info, .. } if is_emptied(info) => return None,
                Edit::Retype { info, .. } | Edit::Reshape { info, .. } => {
                    edited = Row { info, ..edited }.placed();
                }
                Edit::Revalue { .. } => {
                    edited = Row {
                        flags: edited.flags | flags::OTHER_VALUES,
                        ..edited
                    }
                }
                Edit::Put(with) | Edit::Replace { with, .. } => {
                    let Row {
                        name, key, beside, ..
                    } = edited;
                    edited = with.placed();
                    if with.name.is_empty() || matches!(edit, Edit::Put(_)) {
                        edited = match with.beside {
                            Some(own) if !own.facts.is_empty() => Row {
                                name,
                                key,
                                ..edited
                            },
                            Some(_) | None => Row {
                                name,
                                key,
                                beside,
                                flags: edited.flags | flags::OTHER_VALUES,
                                ..edited
                            },
                        };
                    }
                }
                Edit::Insert(_) | Edit::Add(_) => {}
            }
        }
    });
    Some(edited)
}

/// Puts a row in its place among the first `len`, which are in order.
#[expect(
    clippy::indexing_slicing,
    reason = "const evaluation; the compiler reports a wrong index"
)]
const fn insert(rows: &mut [Row], len: usize, row: Row) {
    let mut at = len;
    while at > 0 && is_before(row.name, rows[at - 1].name) {
        rows[at] = rows[at - 1];
        at -= 1;
    }
    rows[at] = row;
}

pub(super) const fn is_before(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let ([first, rest @ ..], [other, others @ ..]) = (a, b) {
        if *first != *other {
            return *first < *other;
        }
        (a, b) = (rest, others);
    }
    a.is_empty() && !b.is_empty()
}
