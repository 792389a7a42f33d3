//! Attributes, blocks and whole schemas.

use std::fmt;
use std::panic::Location;

use super::facts::replace_deprecation;
use super::table::{Beside, Row};
use super::{Aside, Deprecated, Fact, Field, FieldHolds, Holds, Nesting, Origin, Shared, Type};
use crate::codec::{Encoding, Writer};

/// Bits of an attribute, as the derive writes them.
pub mod flags {
    /// The user must set it.
    pub const REQUIRED: u32 = 1;
    /// The user may set it.
    pub const OPTIONAL: u32 = 1 << 1;
    /// The provider sets it.
    pub const COMPUTED: u32 = 1 << 2;
    /// Its value is never shown.
    pub const SENSITIVE: u32 = 1 << 3;
    /// Its value is never stored.
    pub const WRITE_ONLY: u32 = 1 << 4;
    /// A changed value makes a new resource.
    pub const REQUIRES_REPLACE: u32 = 1 << 5;
    /// It is made of blocks. The second bit is that of null in a number of what was released: how
    /// many blocks there may be is not part of the shape, and so whether there may be none.
    pub const BLOCK: u32 = FIRST_OF_BLOCK | 1 << 7;
    const FIRST_OF_BLOCK: u32 = 1 << 6;
    /// Only those parts of what is beside the row count that say how values are stored.
    pub(crate) const SHAPE_ONLY: u32 = 1 << 8;
    /// It had another name in state than the field has that is beside the row.
    pub(crate) const RENAMED: u32 = 1 << 9;
    /// A part of it is sensitive, which a later version has in an attribute of its own; the other
    /// parts may be shown there.
    pub const IN_PART: u32 = 1 << 10;
    /// A document need not have it, because a default fills it in.
    pub const FILLED_IN: u32 = 1 << 11;
    /// Facts of the later version are about other values than it had.
    pub const OTHER_VALUES: u32 = 1 << 12;

    /// A document that lacks it is not one that has null there: it must have it, or its type reads
    /// another value.
    pub const NULL_DIFFERS: u32 = 1 << 13;

    /// That bit, unless a value of the type is null where it is not stored.
    #[must_use]
    pub const fn null_differs(absent_is_null: bool) -> u32 {
        if absent_is_null { 0 } else { NULL_DIFFERS }
    }

    /// The bits that an [`Attribute`](super::Attribute) keeps.
    pub(super) const OF_ATTRIBUTE: u32 = (FIRST_OF_BLOCK - 1) | FILLED_IN | NULL_DIFFERS;

    /// The three bits that say who sets an attribute.
    pub(super) const PRESENCE: u32 = REQUIRED | OPTIONAL | COMPUTED;
}

/// The source of an attribute's value: the user, the provider, or either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The user must.
    Required,
    /// The user may; otherwise it is null.
    Optional,
    /// The provider does.
    Computed,
    /// The user may; otherwise the provider does.
    OptionalComputed,
}

/// The bits that say who sets an attribute, where its author gave none: who has an `Option` or a
/// default for it need not.
pub(super) const fn with_presence(flags: u32, optional: bool) -> u32 {
    match (flags & flags::PRESENCE, optional) {
        (0, true) => flags | flags::OPTIONAL,
        (0, false) => flags | flags::REQUIRED,
        _ => flags,
    }
}

/// The presence that the flags have bits for.
pub(super) const fn presence(flags: u32) -> Presence {
    match flags & flags::PRESENCE {
        flags::OPTIONAL => Presence::Optional,
        flags::COMPUTED => Presence::Computed,
        bits if bits & flags::COMPUTED != 0 => Presence::OptionalComputed,
        _ => Presence::Required,
    }
}

/// The objects inside an attribute or block: their arrangement and attributes.
#[derive(Debug, Clone, PartialEq)]
pub struct Nested {
    nesting: Nesting,
    attributes: Shared<[Attribute]>,
    origin: Origin,
    /// True if members that no attribute names may be secret.
    hides_rest: bool,
}

impl Nested {
    /// Objects with these attributes, arranged as `nesting` says.
    #[must_use]
    pub fn new(nesting: Nesting, attributes: impl Into<Shared<[Attribute]>>) -> Self {
        Self {
            nesting,
            attributes: attributes.into(),
            origin: Origin::NONE,
            hides_rest: false,
        }
    }

    /// The arrangement of the objects.
    pub const fn nesting(&self) -> Nesting {
        self.nesting
    }

    pub(super) fn made(
        nesting: Nesting,
        attributes: Shared<[Attribute]>,
        origin: Origin,
        hides_rest: bool,
    ) -> Self {
        Self {
            nesting,
            attributes,
            origin,
            hides_rest,
        }
    }

    /// True if members that no attribute names may be secret.
    pub(super) const fn hides_rest(&self) -> bool {
        self.hides_rest
    }

    pub(crate) const fn origin(&self) -> Origin {
        self.origin
    }

    /// The name of the struct that is one of the objects with its module, and where it derives
    /// `Object`; nothing if none does.
    pub fn model(&self) -> Option<(&'static str, &'static Location<'static>)> {
        self.origin
            .defined_at
            .map(|place| (self.origin.rust_name, place))
    }

    /// The attributes of each object.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    fn implied_type(&self) -> Type {
        Type::object(self.attributes.iter().map(Attribute::implied_field)).arranged(self.nesting)
    }
}

/// The values of an attribute: a plain type, or nested objects whose attributes have flags of their
/// own.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Values of a type.
    Plain(Shared<Type>),
    /// Nested objects.
    Nested(Nested),
}

/// The value of an attribute if the user sets none: a constant of the program, or JSON.
#[doc(hidden)]
#[derive(Clone)]
pub enum DefaultValue {
    /// Written by a function of the program.
    Constant(fn(&mut Writer<'_>)),
    /// As JSON.
    Json(Shared<str>),
}

impl DefaultValue {
    pub(super) fn json(&self) -> String {
        match self {
            Self::Constant(write) => {
                let mut out = Vec::new();
                write(&mut Writer::new(&mut out, Encoding::Json));
                String::from_utf8_lossy(&out).into_owned()
            }
            Self::Json(json) => json.to_string(),
        }
    }
}

impl PartialEq for DefaultValue {
    fn eq(&self, other: &Self) -> bool {
        self.json() == other.json()
    }
}

impl fmt::Debug for DefaultValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.json())
    }
}

/// One attribute of a resource or of a nested object.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    name: Shared<str>,
    shape: Shape,
    flags: u32,
    description: Shared<str>,
    deprecated: Option<Shared<str>>,
    default: Option<DefaultValue>,
    aside: Aside,
    pub(super) facts: Shared<[Fact]>,
}

impl Attribute {
    /// An attribute of a plain type.
    #[must_use]
    pub fn new(name: impl Into<Shared<str>>, ty: Type, presence: Presence) -> Self {
        Self::of_shape(name.into(), Shape::Plain(ty.into()), presence)
    }

    /// An attribute made of nested objects.
    #[must_use]
    pub fn nested(name: impl Into<Shared<str>>, nested: Nested, presence: Presence) -> Self {
        Self::of_shape(name.into(), Shape::Nested(nested), presence)
    }

    fn of_shape(name: Shared<str>, shape: Shape, presence: Presence) -> Self {
        let flags = match presence {
            Presence::Required => flags::REQUIRED,
            Presence::Optional => flags::OPTIONAL,
            Presence::Computed => flags::COMPUTED,
            Presence::OptionalComputed => flags::OPTIONAL | flags::COMPUTED,
        };
        Self {
            name,
            shape,
            flags,
            description: Shared::Static(""),
            deprecated: None,
            default: None,
            aside: Aside::NONE,
            facts: Shared::Static(&[]),
        }
    }

    /// The attribute that a row of a table tells of.
    pub(super) fn made(row: &Row, shape: Shape, flags: u32, holds: Holds, beside: &Beside) -> Self {
        Self {
            name: Shared::Static(row.name),
            shape,
            flags: flags & flags::OF_ATTRIBUTE,
            description: Shared::Static(row.description),
            deprecated: beside.deprecated.map(Shared::Static),
            default: beside.default.map(DefaultValue::Constant),
            aside: Aside {
                field: beside.field.map(|(field, _)| field),
                holds,
                info: Some(row.info),
            },
            facts: Shared::Static(beside.facts),
        }
    }

    pub(crate) const fn aside(&self) -> &Aside {
        &self.aside
    }

    /// Marks the attribute as sensitive: its value is never shown.
    #[must_use]
    pub fn sensitive(mut self) -> Self {
        self.flags |= flags::SENSITIVE;
        self
    }

    /// Marks the attribute as write-only: its value is never stored.
    #[must_use]
    pub fn write_only(mut self) -> Self {
        self.flags |= flags::WRITE_ONLY;
        self
    }

    /// Sets the description.
    #[must_use]
    pub fn described(mut self, description: impl Into<Shared<str>>) -> Self {
        self.description = description.into();
        self
    }

    /// Marks the attribute as deprecated, with a message or more.
    #[must_use]
    pub fn deprecate(mut self, deprecated: impl Into<Deprecated>) -> Self {
        let Deprecated { message, facts } = deprecated.into();
        self.deprecated = Some(message);
        replace_deprecation(&mut self.facts, facts);
        self
    }

    /// Sets the default, as JSON. What has a default is not required any more.
    #[must_use]
    pub fn with_default(mut self, json: impl Into<Shared<str>>) -> Self {
        self.default = Some(DefaultValue::Json(json.into()));
        if self.presence() == Presence::Required {
            self.flags = self.flags & !flags::PRESENCE | flags::OPTIONAL;
        }
        self
    }

    /// Its value if the user sets none, as JSON. A default is applied to configuration, never to
    /// stored state.
    pub fn default_json(&self) -> Option<String> {
        self.default.as_ref().map(DefaultValue::json)
    }

    /// True if the attribute has a default.
    pub const fn has_default(&self) -> bool {
        self.default.is_some()
    }

    /// Its name in state.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the field that it is read into, where that is another than its name in state.
    pub const fn field(&self) -> Option<&'static str> {
        self.aside.field
    }

    /// The shape of its values.
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The source of the attribute's value. An attribute with a default is never required: the
    /// default counts where the user wrote nothing.
    pub const fn presence(&self) -> Presence {
        presence(self.flags)
    }

    /// True if it is declared sensitive. [`is_secret`](Self::is_secret) says whether its value may
    /// be shown.
    pub const fn is_sensitive(&self) -> bool {
        self.flags & flags::SENSITIVE != 0
    }

    /// True if its value must never be shown: it is sensitive, or write-only, which older releases
    /// may have stored.
    pub const fn is_secret(&self) -> bool {
        self.flags & (flags::SENSITIVE | flags::WRITE_ONLY) != 0
    }

    /// True if it, or an attribute nested in it, is secret.
    #[doc(hidden)]
    pub fn has_secret(&self) -> bool {
        self.is_secret()
            || match &self.shape {
                Shape::Plain(_) => false,
                Shape::Nested(nested) => {
                    nested.hides_rest || nested.attributes().iter().any(Self::has_secret)
                }
            }
    }

    /// True if the attribute's value is never stored.
    pub const fn is_write_only(&self) -> bool {
        self.flags & flags::WRITE_ONLY != 0
    }

    /// True if a changed value makes a new resource.
    pub fn requires_replace(&self) -> bool {
        self.flags & flags::REQUIRES_REPLACE != 0
    }

    /// True if the field that the attribute is read into takes null.
    #[doc(hidden)]
    pub fn is_nullable(&self) -> bool {
        self.aside.holds.nullable
    }

    /// True if a document is read without it, because a default fills it in.
    #[doc(hidden)]
    pub fn is_filled_in(&self) -> bool {
        self.flags & flags::FILLED_IN != 0
    }

    /// The description, from the doc comment; empty if there is none.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The reason why the attribute should no longer be used, if there is one.
    pub fn deprecated(&self) -> Option<&str> {
        self.deprecated.as_deref()
    }

    /// The type of its value, nested objects included.
    pub fn implied_type(&self) -> Type {
        match &self.shape {
            Shape::Plain(ty) => (**ty).clone(),
            Shape::Nested(nested) => nested.implied_type(),
        }
    }

    pub(super) fn implied_field(&self) -> Field {
        let default = match &self.default {
            Some(DefaultValue::Constant(write)) if self.flags & flags::FILLED_IN != 0 => {
                Some(*write)
            }
            Some(DefaultValue::Constant(_) | DefaultValue::Json(_)) | None => None,
        };
        let null_differs = self.flags & flags::NULL_DIFFERS != 0;
        Field::new(&*self.name, self.implied_type()).holding(FieldHolds {
            null_differs,
            default,
            ..FieldHolds::default()
        })
    }
}
