//! The types that attribute values have, and their JSON notation.

use std::fmt;

use super::{Nesting, Shared, Tagging, TypeNotationError};
use crate::codec::{Encoding, Writer};

/// The type of an attribute's value, as Terraform's type system has it.
///
/// Displayed in the JSON type notation, which is also what [`Type::parse`] reads:
///
/// ```
/// use upstate::schema::Type;
///
/// let ports = Type::list(Type::Number);
/// assert_eq!(ports.to_string(), r#"["list","number"]"#);
/// assert_eq!(Type::parse(r#"["list","number"]"#)?, ports);
/// # Ok::<(), upstate::schema::TypeNotationError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// `true` or `false`.
    Bool,
    /// Unicode text.
    String,
    /// A decimal number of any size, kept digit for digit.
    Number,
    /// A value that carries its own type.
    Dynamic,
    /// Elements of one type, in order.
    List(Shared<Type>),
    /// Elements of one type, each once, without order.
    Set(Shared<Type>),
    /// Elements of one type, by text key.
    Map(Shared<Type>),
    /// A fixed number of elements, each of its own type.
    Tuple(Shared<[Shared<Type>]>),
    /// Named attributes, each of its own type, in byte order of the names.
    Object(Shared<[Field]>),
    /// Any JSON value, kept as it is. Only documents have it; Terraform has no such type.
    Json,
    /// One of several variants. Only documents have it.
    Union(Shared<UnionType>),
}

/// An enum with data, as its values are stored.
#[derive(Debug, Clone)]
pub struct UnionType {
    tagging: Shared<str>,
    variants: Shared<[Field]>,
    /// Other names that variants are read by, each with the stored name.
    aliases: Vec<(&'static str, &'static str)>,
    /// The variant for names that are not known, which is none of the variants.
    other: Option<&'static str>,
    /// The variants that are stored without their names, though others have a tag.
    untagged: Vec<&'static str>,
}

impl PartialEq for UnionType {
    fn eq(&self, other: &Self) -> bool {
        // Other names that are read do not count, because they are not part of the stored type.
        (&self.tagging, &self.variants) == (&other.tagging, &other.variants)
    }
}

impl Eq for UnionType {}

impl UnionType {
    pub(crate) fn new(
        tagging: impl Into<Shared<str>>,
        variants: impl Into<Shared<[Field]>>,
    ) -> Self {
        let (tagging, variants) = (tagging.into(), variants.into());
        Self {
            tagging,
            variants,
            aliases: Vec::new(),
            other: None,
            untagged: Vec::new(),
        }
    }

    pub(crate) fn read_by(self, aliases: Vec<(&'static str, &'static str)>) -> Self {
        Self { aliases, ..self }
    }

    pub(crate) fn besides(self, other: Option<&'static str>, untagged: Vec<&'static str>) -> Self {
        Self {
            other,
            untagged,
            ..self
        }
    }

    /// The stored name of the variant for names that are not known, which is none of the variants.
    #[doc(hidden)]
    pub fn other(&self) -> Option<&'static str> {
        self.other
    }

    /// The variants that are stored without their names, though others have a tag.
    #[doc(hidden)]
    pub fn untagged(&self) -> &[&'static str] {
        &self.untagged
    }

    /// Other names that variants are read by, each with the stored name.
    #[doc(hidden)]
    pub fn aliases(&self) -> &[(&'static str, &'static str)] {
        &self.aliases
    }

    /// The stored name of the variant that is read by another name.
    pub(crate) fn aliased(&self, found: &str) -> Option<&'static str> {
        self.aliases
            .iter()
            .find(|(alias, _)| *alias == found)
            .map(|(_, name)| *name)
    }

    /// The way by which a stored value tells its variant, as [`Tagging`] writes it.
    pub fn tagging(&self) -> &str {
        &self.tagging
    }

    /// The way by which a stored value tells its variant.
    pub fn form(&self) -> Tagging<'_> {
        // This is never another text, because the derive writes it and notations are checked.
        Tagging::parse(&self.tagging).unwrap_or(Tagging::Untagged)
    }

    /// The variants by their stored names, in the order of the enum, with the type of what they
    /// hold; a variant without data holds an empty tuple.
    pub fn variants(&self) -> &[Field] {
        &self.variants
    }
}

/// One attribute of an object type.
#[derive(Debug, Clone)]
pub struct Field {
    name: Shared<str>,
    ty: Shared<Type>,
    holds: FieldHolds,
}

/// The facts about the field of a struct behind an attribute of a type. Of one without a struct
/// nothing is known.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FieldHolds {
    /// True if a stored object has it always.
    pub(crate) is_required: bool,
    /// True if null is none of its values.
    pub(crate) is_never_null: bool,
    /// True if an object that lacks it is not one that has null there.
    pub(crate) null_differs: bool,
    /// Writes what a document fills in where it is not there.
    pub(crate) default: Option<fn(&mut Writer<'_>)>,
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        // Not the facts about its field, because they are not part of the stored type.
        (&self.name, &self.ty) == (&other.name, &other.ty)
    }
}

impl Eq for Field {}

impl Field {
    /// An attribute called `name` of type `ty`.
    #[must_use]
    pub fn new(name: impl Into<Shared<str>>, ty: Type) -> Self {
        Self {
            name: name.into(),
            ty: ty.into(),
            holds: FieldHolds::default(),
        }
    }

    pub(crate) fn holding(self, holds: FieldHolds) -> Self {
        Self { holds, ..self }
    }

    /// True if a stored object is not read without it.
    #[doc(hidden)]
    pub fn is_required(&self) -> bool {
        self.holds.is_required
    }

    /// True if null is not read as its value.
    #[doc(hidden)]
    pub fn is_never_null(&self) -> bool {
        self.holds.is_never_null
    }

    /// True if an object without it is one that has null there.
    #[doc(hidden)]
    pub fn absent_is_null(&self) -> bool {
        let is_null = |write: fn(&mut Writer<'_>)| {
            let mut json = Vec::new();
            write(&mut Writer::new(&mut json, Encoding::Json));
            json == b"null"
        };
        !self.holds.null_differs && self.holds.default.is_none_or(is_null)
    }

    /// The attribute's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of its value.
    pub fn ty(&self) -> &Type {
        &self.ty
    }
}

impl Type {
    /// A list of `element`s.
    #[must_use]
    pub fn list(element: Type) -> Self {
        Self::List(element.into())
    }

    /// A set of `element`s.
    #[must_use]
    pub fn set(element: Type) -> Self {
        Self::Set(element.into())
    }

    /// A map of `element`s.
    #[must_use]
    pub fn map(element: Type) -> Self {
        Self::Map(element.into())
    }

    /// A tuple of these elements.
    #[must_use]
    pub fn tuple(elements: impl IntoIterator<Item = Type>) -> Self {
        Self::Tuple(elements.into_iter().map(Shared::from).collect())
    }

    /// An object with these fields. They are put in byte order; of two with one name the later one
    /// counts.
    #[must_use]
    pub fn object(fields: impl IntoIterator<Item = Field>) -> Self {
        let by_name: std::collections::BTreeMap<String, Field> = fields
            .into_iter()
            .map(|field| (field.name().to_owned(), field))
            .collect();
        Self::Object(by_name.into_values().collect())
    }

    /// The type of the elements of a list, set or map.
    pub(crate) fn element(&self) -> Option<&Self> {
        match self {
            Self::List(element) | Self::Set(element) | Self::Map(element) => Some(element),
            Self::Bool
            | Self::String
            | Self::Number
            | Self::Dynamic
            | Self::Tuple(_)
            | Self::Object(_)
            | Self::Json
            | Self::Union(_) => None,
        }
    }

    /// The type inside of all collections.
    pub(crate) fn innermost(&self) -> &Self {
        self.element().map_or(self, Self::innermost)
    }

    /// The type of objects of this type in an arrangement.
    pub(crate) fn arranged(self, nesting: Nesting) -> Self {
        match nesting {
            Nesting::Single => self,
            Nesting::List => Self::list(self),
            Nesting::Set => Self::set(self),
            Nesting::Map => Self::map(self),
        }
    }

    /// Reads the JSON type notation, such as `["map",["object",{"port":"number"}]]`.
    ///
    /// # Errors
    /// Says what in the notation is not part of it.
    pub fn parse(notation: &str) -> Result<Self, TypeNotationError> {
        super::notation::parse(notation)
    }

    /// The noun that a person uses for a value of this type.
    pub(crate) fn noun(&self) -> &'static str {
        match self {
            Self::Bool => "a bool",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Dynamic => "a dynamic value",
            Self::List(_) => "a list",
            Self::Set(_) => "a set",
            Self::Map(_) => "a map",
            Self::Tuple(_) => "a tuple",
            Self::Object(_) => "an object",
            Self::Json => "a JSON value",
            Self::Union(_) => "a variant of the enum",
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.notation(), f)
    }
}
