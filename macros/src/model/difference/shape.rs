//! What a version stores, as far as the derive sees it.

use syn::ext::IdentExt;
use syn::{Path, Type};

use super::super::{Codec, Flags, Member, Role, inside};

/// The fields of a version, in the byte order of their names in state.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) fields: Vec<Field>,
}

/// A field of a [`Shape`].
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub(crate) struct Field {
    /// What operators call it.
    pub(crate) rust_name: String,
    /// Its name in state.
    pub(crate) name: String,
    pub(crate) info: Info,
    /// Its type in Rust, if it has one.
    pub(crate) ty: Option<Type>,
    /// Whether it is stored as its type says, so that an expression of that type can be written.
    pub(crate) is_own: bool,
    pub(crate) sensitive: bool,
    pub(crate) block: bool,
    /// How many blocks there must be, and how many there may be; 0 means no limit.
    pub(crate) items: (u64, u64),
    pub(crate) set: bool,
    pub(crate) write_only: bool,
    pub(crate) stored: StoredAs,
    /// The member of nested objects that it is now, which is sensitive if that is.
    pub(crate) member: Option<(Info, String)>,
    pub(crate) row: Row,
}

/// How a field with a Rust type is stored.
#[derive(Debug, Clone)]
pub(crate) enum StoredAs {
    /// As its type says.
    Own,
    /// As a string, through `Display` and `FromStr`.
    Text,
    /// Through the functions of a module.
    Module(Path),
}

/// Where a row of a prior version's table comes from.
#[derive(Debug, Clone)]
pub(crate) enum Row {
    /// It is that of the later version.
    Same(usize),
    /// It is that of the later version under another name, and with other values if `retyped`.
    Renamed { row: usize, retyped: bool },
    /// It is that of the later version with other values.
    Retyped(usize),
    /// The later version has none.
    New(Flags),
}

/// What values a field stores, put together of types: what these are, the derive does not see.
#[derive(Debug, Clone)]
pub(crate) enum Info {
    /// Those of a type.
    Type(Box<Type>),
    /// Those of a field of the struct itself.
    Field(String),
    String,
    Bool,
    Number,
    /// What an author's type takes of strings.
    OwnText,
    /// What a module reads: the written field of this index.
    Module(usize),
    OrNull(Box<Info>),
    NotNull(Box<Info>),
    ListOf(Box<Info>),
    SetOf(Box<Info>),
    ElementOf(Box<Info>),
    /// The first, or null where the second may be.
    NullAs(Box<Info>, Box<Info>),
    /// Collections as the first, of the second.
    EachOf(Box<Info>, Box<Info>),
    MemberOf(Box<Info>, String),
    /// The type with other objects: the prior ones of this index.
    Around(Box<Info>, usize),
    /// The prior objects of this index.
    ObjectOf(usize),
    MapOf(Box<Info>),
    /// The second where the first is a map, the third where it is none.
    Rekeyed(Box<[Info; 3]>),
}

impl Info {
    pub(super) fn or_null(self) -> Self {
        Self::OrNull(Box::new(self))
    }

    pub(super) fn list(self) -> Self {
        Self::ListOf(Box::new(self))
    }

    pub(super) fn element(self) -> Self {
        Self::ElementOf(Box::new(self))
    }

    /// This, or null where `other` may be.
    pub(super) fn null_as(self, other: &Self) -> Self {
        Self::NullAs(Box::new(self), Box::new(other.clone()))
    }

    pub(super) fn member(self, name: String) -> Self {
        Self::MemberOf(Box::new(self), name)
    }
}

impl Shape {
    /// That of the struct itself.
    pub(crate) fn of_struct(members: &[Member]) -> Self {
        let field = |(row, member): (usize, &Member)| {
            let info = match &member.role {
                Role::Attribute { codec: Codec::Own, .. } => Info::Type(Box::new(member.ty.clone())),
                Role::Attribute { .. } | Role::Block { .. } => Info::Field(member.ident.unraw().to_string()),
            };
            Field { row: Row::Same(row), ..Field::of_member(member, info) }
        };
        Self { fields: members.iter().enumerate().map(field).collect() }
    }

    pub(crate) fn field(&self, rust_name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.rust_name == rust_name)
    }

    pub(super) fn position(&self, rust_name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.rust_name == rust_name)
    }

    /// The fields of this shape, as a difference to it starts from them.
    pub(super) fn same(&self) -> Vec<Field> {
        let field = |(row, field): (usize, &Field)| Field { row: Row::Same(row), ..field.clone() };
        self.fields.iter().enumerate().map(field).collect()
    }
}

impl Field {
    /// A field that an operator writes as in a struct; `index` is its place among those written.
    pub(super) fn written(member: &Member, index: usize, ty: &Info) -> Self {
        let ty = || ty.clone();
        let info = match &member.role {
            Role::Attribute { codec: Codec::Own, .. } | Role::Block { .. } => ty(),
            Role::Attribute { codec: Codec::Set, .. } => Info::SetOf(Box::new(ty().element())),
            Role::Attribute { codec: Codec::OptionalSet, .. } => Info::SetOf(Box::new(ty().element())).or_null(),
            Role::Attribute { codec: Codec::Text, .. } => Info::OwnText,
            Role::Attribute { codec: Codec::OptionalText, .. } => Info::OwnText.or_null(),
            Role::Attribute { codec: Codec::Module(_), .. } => Info::Module(index),
        };
        Self::of_member(member, info)
    }

    fn of_member(member: &Member, info: Info) -> Self {
        let Member { ident, ty, name, role, .. } = member;
        let flags = match role {
            Role::Attribute { flags, .. } => *flags,
            Role::Block { .. } => Flags::default(),
        };
        Self {
            rust_name: ident.unraw().to_string(),
            name: name.clone(),
            info,
            ty: Some(ty.clone()),
            is_own: matches!(
                role,
                Role::Attribute { codec: Codec::Own | Codec::Set | Codec::OptionalSet, .. } | Role::Block { .. }
            ),
            sensitive: flags.sensitive,
            block: matches!(role, Role::Block { .. }),
            items: if let Role::Block { min, max } = role { (*min, *max) } else { (0, 0) },
            set: matches!(role, Role::Attribute { codec: Codec::Set | Codec::OptionalSet, .. }),
            write_only: flags.write_only,
            stored: match role {
                Role::Attribute { codec: Codec::Text | Codec::OptionalText, .. } => StoredAs::Text,
                Role::Attribute { codec: Codec::Module(path), .. } => StoredAs::Module(path.clone()),
                Role::Attribute { codec: Codec::Own | Codec::Set | Codec::OptionalSet, .. } | Role::Block { .. } => StoredAs::Own,
            },
            member: None,
            row: Row::New(flags),
        }
    }

    /// A field that nothing but operators tells of.
    pub(super) fn inferred(name: &str, info: Info, sensitive: bool) -> Self {
        // A string may name what Rust cannot.
        let mut rust_name = name.replace(|letter: char| !letter.is_alphanumeric() && letter != '_', "_");
        if rust_name.starts_with(|first: char| first.is_numeric()) || rust_name.is_empty() {
            rust_name.insert(0, '_');
        }
        Self {
            rust_name,
            name: name.to_owned(),
            info,
            ty: None,
            is_own: false,
            sensitive,
            block: false,
            items: (0, 0),
            set: false,
            write_only: false,
            stored: StoredAs::Own,
            member: None,
            row: Row::New(Flags { sensitive, ..Flags::default() }),
        }
    }

    /// What a field of another type takes over where its author says nothing but the type: whether it is a set, or holds blocks, as far as
    /// the type can be.
    pub(super) fn takes_over(&self, ty: &Type) -> (bool, bool) {
        let collects = ["Vec", "Option"].iter().any(|name| inside(name, ty).is_some());
        let set = self.set && inside("Vec", inside("Option", ty).unwrap_or(ty)).is_some();
        (set, self.block && collects)
    }
}
