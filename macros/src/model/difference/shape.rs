//! The shape of a version, as far as the derive sees it.

use std::collections::BTreeMap;

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::{Ident, Path, Type};

use super::super::{Codec, Flags, Member, Role, inside, may_hold_objects};
use super::prior::Target;
use crate::attr::operators::name_of;

/// The fields of a version, in the byte order of their names in state.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) fields: Vec<Field>,
}

/// A field of a [`Shape`].
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
pub(crate) struct Field {
    /// Its name in operators.
    pub(crate) rust_name: String,
    /// Its name in state.
    pub(crate) name: String,
    pub(crate) info: Info,
    /// Its type in Rust, if it has one.
    pub(crate) ty: Option<Type>,
    /// True if it is stored as its type says, so that an expression of that type can be written.
    pub(crate) is_own: bool,
    pub(crate) sensitive: bool,
    /// Besides: whether it is sensitive because of what it is now.
    pub(crate) secrecy: Secrecy,
    pub(crate) blocks: Blocks,
    /// The least and the greatest number of blocks; 0 means no limit.
    pub(crate) items: (u64, u64),
    pub(crate) set: bool,
    pub(crate) write_only: bool,
    pub(crate) stored: StoredAs,
    pub(crate) row: Row,
    /// The place of its type, and its form as blocks: a proof says whether it has to be.
    pub(crate) typed: Option<(Span, String)>,
    pub(crate) facts: FactsOf,
    /// True if these are about other values, as far as they are about values.
    pub(crate) other_values: bool,
    /// True if its row may have facts.
    pub(crate) has_facts: bool,
}

/// The facts beside a field of a document.
#[derive(Debug, Clone, Default)]
pub(crate) enum FactsOf {
    /// Those of its row.
    #[default]
    Row,
    /// Those of the written field of this index.
    Written(usize),
    /// Those of the later field of this name.
    Later(String),
    /// Those of a field of a later version: its values went there as they were.
    Field(Target, String),
    /// Those of a member of later objects: its values went there as they were.
    Member(Info, String),
}

/// True if a field holds nested blocks.
#[derive(Debug, Clone)]
pub(crate) enum Blocks {
    No,
    /// `#[block]` says so.
    Written(Span),
    /// As the later field of this name does, if its values can be blocks.
    As(String),
    /// As this member of later objects does, if its values can be blocks.
    AsMember(Info, String),
}

/// True if a prior value became something that must not be shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Secret {
    #[default]
    No,
    /// It was taken apart, and one of the parts is. The others may be shown.
    InPart,
    Whole,
}

impl Secret {
    /// That of a later field, of which `is_part` says whether the prior value is more.
    pub(super) const fn of(is_sensitive: bool, is_part: bool) -> Self {
        match (is_sensitive, is_part) {
            (false, _) => Self::No,
            (true, true) => Self::InPart,
            (true, false) => Self::Whole,
        }
    }
}

/// The secrets that a prior value and those inside of it became.
#[derive(Debug, Clone, Default)]
pub(crate) struct Secrecy {
    pub(crate) secret: Secret,
    /// The members of later nested objects that it is now, which may be sensitive, and whether it
    /// is more than those.
    pub(crate) members: Vec<(Info, String, bool)>,
    parts: BTreeMap<String, Secrecy>,
}

impl Secrecy {
    /// That of what is at a path inside.
    pub(super) fn at(&mut self, path: &[Ident]) -> &mut Self {
        path.iter().fold(self, |within, name| {
            within.parts.entry(name_of(name)).or_default()
        })
    }

    /// That of a member.
    pub(super) fn part(&self, name: &str) -> Self {
        self.parts.get(name).cloned().unwrap_or_default()
    }

    pub(super) fn add(&mut self, secret: Secret, member: Option<(Info, String, bool)>) {
        self.secret = self.secret.max(secret);
        self.members.extend(member);
    }
}

/// The codec of a field with a Rust type.
#[derive(Debug, Clone)]
pub(crate) enum StoredAs {
    /// As its type says.
    Own,
    /// As a string, through `Display` and `FromStr`.
    Text,
    /// Through the functions of a module.
    Module(Path),
}

/// The origin of a row of a prior version's table.
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

/// The type of the values of a field, composed of types whose inside the derive does not see.
#[derive(Debug, Clone)]
pub(crate) enum Info {
    /// Those of a type.
    Type(Box<Type>),
    /// Those of a field of the struct itself.
    Field(String),
    String,
    Bool,
    Number,
    /// The strings that an author's type takes.
    OwnText,
    /// The type that a module reads: the written field of this index.
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
    /// The type with an enum whose variants were others: the type of the changes ends so.
    Variants(Box<Info>, String),
    /// The second where the first is a map, the third where it is none.
    IfMap(Box<[Info; 3]>),
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

    /// `map` where this is a map, `other` where it is none.
    pub(super) fn if_map(self, map: Self, other: Self) -> Self {
        Self::IfMap(Box::new([self, map, other]))
    }
}

impl Info {
    /// True if these may be nested objects that nothing has been proven of yet.
    fn may_hold_objects(&self) -> bool {
        match self {
            Self::Type(ty) => may_hold_objects(ty),
            // These have no members. The members of changed objects are looked at where their
            // changes are written.
            Self::String
            | Self::Bool
            | Self::Number
            | Self::OwnText
            | Self::Module(_)
            | Self::Around(..)
            | Self::Variants(..) => false,
            Self::OrNull(of)
            | Self::NotNull(of)
            | Self::ListOf(of)
            | Self::SetOf(of)
            | Self::MapOf(of)
            | Self::ElementOf(of)
            | Self::NullAs(of, _)
            | Self::EachOf(_, of) => of.may_hold_objects(),
            Self::Field(_) | Self::MemberOf(..) | Self::ObjectOf(_) | Self::IfMap(_) => true,
        }
    }
}

impl Shape {
    /// That of the struct itself.
    pub(crate) fn of_struct(members: &[Member]) -> Self {
        let field = |(row, member): (usize, &Member)| {
            let info = match &member.role {
                Role::Attribute {
                    codec: Codec::Own, ..
                } => Info::Type(Box::new(member.ty.clone())),
                Role::Attribute { .. } | Role::Block { .. } => {
                    Info::Field(member.ident.unraw().to_string())
                }
            };
            Field {
                row: Row::Same(row),
                ..Field::of_member(member, info)
            }
        };
        Self {
            fields: members.iter().enumerate().map(field).collect(),
        }
    }

    pub(crate) fn field(&self, rust_name: &str) -> Option<&Field> {
        self.fields
            .iter()
            .find(|field| field.rust_name == rust_name)
    }

    pub(super) fn position(&self, rust_name: &str) -> Option<usize> {
        self.fields
            .iter()
            .position(|field| field.rust_name == rust_name)
    }

    /// The fields of this shape, as a difference to it starts from them.
    pub(super) fn same(&self) -> Vec<Field> {
        let field = |(row, field): (usize, &Field)| field.clone().with_row(Row::Same(row));
        self.fields.iter().enumerate().map(field).collect()
    }
}

impl Field {
    /// A field that an operator writes as in a struct; `index` is its place among those written.
    pub(super) fn written(member: &Member, index: usize, ty: &Info) -> Self {
        let ty = || ty.clone();
        let info = match &member.role {
            // Those of serde only the current struct's own fields have, and those are not written
            // in operators.
            Role::Attribute {
                codec: Codec::Own | Codec::Serde | Codec::SerdeModule(_) | Codec::SerdeFunctions(..),
                ..
            }
            | Role::Block { set: false, .. } => ty(),
            Role::Attribute {
                codec: Codec::Set, ..
            }
            | Role::Block { set: true, .. } => Info::SetOf(Box::new(ty().element())),
            Role::Attribute {
                codec: Codec::OptionalSet,
                ..
            } => Info::SetOf(Box::new(ty().element())).or_null(),
            Role::Attribute {
                codec: Codec::Text, ..
            } => Info::OwnText,
            Role::Attribute {
                codec: Codec::OptionalText,
                ..
            } => Info::OwnText.or_null(),
            Role::Attribute {
                codec: Codec::Module(_),
                ..
            } => Info::Module(index),
        };
        Self::of_member(member, info)
    }

    fn of_member(member: &Member, info: Info) -> Self {
        let Member {
            ident,
            ty,
            name,
            role,
            facts,
            ..
        } = member;
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
                Role::Attribute {
                    codec: Codec::Own | Codec::Set | Codec::OptionalSet,
                    ..
                } | Role::Block { .. }
            ),
            sensitive: flags.sensitive,
            secrecy: Secrecy::default(),
            blocks: if let Role::Block { .. } = role {
                Blocks::Written(ident.span())
            } else {
                Blocks::No
            },
            items: if let Role::Block { min, max, .. } = role {
                (*min, *max)
            } else {
                (0, 0)
            },
            set: matches!(
                role,
                Role::Attribute {
                    codec: Codec::Set | Codec::OptionalSet,
                    ..
                } | Role::Block { set: true, .. }
            ),
            write_only: flags.write_only,
            stored: match role {
                Role::Attribute {
                    codec: Codec::Text | Codec::OptionalText,
                    ..
                } => StoredAs::Text,
                Role::Attribute {
                    codec: Codec::Module(path),
                    ..
                } => StoredAs::Module(path.clone()),
                Role::Attribute {
                    codec:
                        Codec::Own
                        | Codec::Set
                        | Codec::OptionalSet
                        | Codec::Serde
                        | Codec::SerdeModule(_)
                        | Codec::SerdeFunctions(..),
                    ..
                }
                | Role::Block { .. } => StoredAs::Own,
            },
            row: Row::New(flags),
            typed: None,
            facts: FactsOf::Row,
            other_values: false,
            has_facts: !facts.is_empty(),
        }
    }

    /// A field that nothing but operators tells of.
    pub(super) fn inferred(name: &str, info: Info, secrecy: Secrecy) -> Self {
        Self {
            // A string may name what Rust cannot.
            rust_name: name.to_owned(),
            name: name.to_owned(),
            info,
            ty: None,
            is_own: false,
            sensitive: secrecy.secret != Secret::No,
            secrecy,
            blocks: Blocks::No,
            items: (0, 0),
            set: false,
            write_only: false,
            stored: StoredAs::Own,
            row: Row::New(Flags::default()),
            typed: None,
            facts: FactsOf::Row,
            other_values: false,
            has_facts: true,
        }
    }

    /// The field with the facts of that row.
    pub(super) fn with_row(self, row: Row) -> Self {
        Self {
            row,
            facts: FactsOf::Row,
            other_values: false,
            ..self
        }
    }

    /// The field, of whose values the later field may say nothing. What is written beside it is
    /// about its own.
    pub(super) fn with_other_values(self, is_revalued: bool) -> Self {
        let other_values = is_revalued && matches!(self.facts, FactsOf::Later(_));
        Self {
            other_values,
            ..self
        }
    }

    /// The field, with the facts of the place to which its values went, if it has none of its own.
    pub(super) fn or_facts(self, facts: Option<&FactsOf>) -> Self {
        match self.facts {
            FactsOf::Row => self.with_facts(facts),
            FactsOf::Written(_) | FactsOf::Later(_) | FactsOf::Field(..) | FactsOf::Member(..) => {
                self
            }
        }
    }

    /// The field, with the facts of the place to which its values went.
    pub(super) fn with_facts(self, facts: Option<&FactsOf>) -> Self {
        match facts {
            Some(facts) => Self {
                facts: facts.clone(),
                has_facts: true,
                ..self
            },
            None => self,
        }
    }

    /// This field, which became something that must not be shown.
    pub(super) fn hidden(self, secrecy: Secrecy) -> Self {
        Self {
            sensitive: self.sensitive || secrecy.secret != Secret::No,
            secrecy,
            ..self
        }
    }

    /// True if a release must not show it, whatever the reason.
    pub(super) const fn is_hidden(&self) -> bool {
        self.sensitive || self.write_only
    }

    /// True if it holds blocks, as far as its type is seen.
    pub(super) const fn is_block(&self) -> bool {
        match self.blocks {
            Blocks::No => false,
            Blocks::Written(_) | Blocks::As(_) | Blocks::AsMember(..) => true,
        }
    }

    /// The field, which is a member of later objects now, if it is.
    pub(super) fn going_into(self, member: Option<&(Info, String)>) -> Self {
        match member {
            Some((info, name)) => Self {
                blocks: Blocks::AsMember(info.clone(), name.clone()),
                ..self
            },
            None => self,
        }
    }

    /// The field, whose type follows from what an operator did at a place.
    pub(super) fn typed_at(self, place: Option<&Ident>) -> Self {
        let place = place.filter(|_| self.info.may_hold_objects());
        let typed = place.map(|place| (place.span(), format!("#[block] {}: …", self.rust_name)));
        Self { typed, ..self }
    }

    /// The marks that a field of another type takes over where its author writes the type alone: a
    /// set, or blocks, as far as the type can be.
    pub(super) fn takes_over(&self, ty: &Type) -> (bool, bool) {
        let set = self.set && inside("Vec", inside("Option", ty).unwrap_or(ty)).is_some();
        (set, self.is_block() && may_hold_objects(ty))
    }
}
