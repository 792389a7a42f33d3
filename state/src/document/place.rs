//! Places in a document before and after a change, and the types of what is there.

use std::borrow::Cow;
use std::collections::BTreeSet;

#[cfg(feature = "yaml")]
use upstate::__internal::step;
use upstate::AttributePath;
use upstate::schema::{Field, Schema, Tagging, Type, UnionType};

use super::tree::Tree;

/// A path through objects, without the indices of elements: what is so of one element is so of all.
/// A name may have dots in it.
pub(super) type Names = Vec<String>;

/// A place in both documents: a chain up to the root, since names are put together only where
/// something is said about them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'p> {
    within: Option<&'p Place<'p>>,
    step: Step<'p>,
    /// The type of what the new document has there, as far as it is known.
    pub(super) ty: Option<&'p Type>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'p> {
    Root,
    Member {
        old: &'p str,
        new: &'p str,
    },
    Element(usize),
    /// A member of another object, by its paths.
    Moved {
        old: &'p [String],
        new: &'p [String],
    },
}

impl<'p> Place<'p> {
    pub(super) const fn root() -> Self {
        Self {
            within: None,
            step: Step::Root,
            ty: None,
        }
    }

    /// The root of a document of a type.
    pub(super) const fn of(ty: &'p Type) -> Self {
        Self {
            ty: Some(ty),
            ..Self::root()
        }
    }

    pub(super) fn member(&'p self, old: &'p str, new: &'p str) -> Self {
        self.below(Step::Member { old, new }, member_type(self.ty, new))
    }

    pub(super) fn element(&'p self, index: usize) -> Self {
        self.below(Step::Element(index), element_type(self.ty, index))
    }

    /// A member that was at another path.
    pub(super) fn moved(&'p self, old: &'p [String], new: &'p [String]) -> Self {
        let ty = member_type(self.ty, split(new).1);
        self.below(Step::Moved { old, new }, ty)
    }

    const fn below(&'p self, step: Step<'p>, ty: Option<&'p Type>) -> Self {
        Self {
            within: Some(self),
            step,
            ty,
        }
    }

    pub(super) const fn is_root(&self) -> bool {
        self.within.is_none()
    }

    /// The path in the stored document.
    pub(super) fn old_path(&self) -> Names {
        let before = self.within.map_or_else(Names::new, Place::old_path);
        match self.step {
            Step::Root | Step::Element(_) => before,
            Step::Member { old, .. } => inside(&before, old),
            Step::Moved { old, .. } => old.to_owned(),
        }
    }

    /// The path in the new document.
    pub(super) fn new_path(&self) -> Names {
        let before = self.within.map_or_else(Names::new, Place::new_path);
        match self.step {
            Step::Root | Step::Element(_) => before,
            Step::Member { new, .. } => inside(&before, new),
            Step::Moved { new, .. } => new.to_owned(),
        }
    }

    /// The path in the new document, for a message.
    pub(super) fn path(&self) -> AttributePath {
        let before = self.within.map_or_else(AttributePath::new, Place::path);
        match self.step {
            Step::Root => before,
            Step::Member { new, .. } => before.attribute(new.to_owned()),
            Step::Moved { new, .. } => before.attribute(split(new).1.to_owned()),
            Step::Element(index) => before.index(index as u64),
        }
    }
}

/// The path of a member of the object at a path.
pub(super) fn inside(path: &[String], name: &str) -> Names {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

/// A path, as the path of the object and the name in it.
pub(super) fn split(path: &[String]) -> (&[String], &str) {
    path.split_last()
        .map_or((&[], ""), |(name, object)| (object, name))
}

/// The type of a member, as far as it is known.
pub(super) fn member_type<'t>(ty: Option<&'t Type>, name: &str) -> Option<&'t Type> {
    match ty? {
        Type::Object(fields) => fields
            .iter()
            .find(|field| field.name() == name)
            .map(Field::ty),
        Type::Map(element) => Some(element),
        Type::Bool
        | Type::String
        | Type::Number
        | Type::Dynamic
        | Type::List(_)
        | Type::Set(_)
        | Type::Tuple(_)
        | Type::Json
        | Type::Union(_) => None,
    }
}

/// The type of an element, as far as it is known.
pub(super) fn element_type(ty: Option<&Type>, index: usize) -> Option<&Type> {
    match ty? {
        Type::List(element) | Type::Set(element) => Some(element),
        Type::Tuple(elements) => elements.get(index).map(|element| &**element),
        Type::Bool
        | Type::String
        | Type::Number
        | Type::Dynamic
        | Type::Map(_)
        | Type::Object(_)
        | Type::Json
        | Type::Union(_) => None,
    }
}

/// True if the order of elements means nothing.
pub(super) fn is_set(ty: Option<&Type>) -> bool {
    matches!(ty, Some(Type::Set(_)))
}

/// True if an object without a member is one that has null there. Of a map of remaining members and
/// of a flattened enum no type tells.
pub(super) fn absent_is_null(ty: Option<&Type>, name: &str) -> bool {
    match ty {
        Some(Type::Object(fields)) => fields
            .iter()
            .find(|field| field.name() == name)
            .is_none_or(Field::absent_is_null),
        Some(
            Type::Bool
            | Type::String
            | Type::Number
            | Type::Dynamic
            | Type::List(_)
            | Type::Set(_)
            | Type::Map(_)
            | Type::Tuple(_)
            | Type::Json
            | Type::Union(_),
        )
        | None => false,
    }
}

/// True if a member of the object at a path that only flattened enums name may be absent where it
/// is null: each variant that has it may lack it.
#[cfg(feature = "jsonc")]
pub(super) fn absent_is_null_beside(schema: &Schema, path: &str, name: &str) -> bool {
    let mut is_named = false;
    for (_, values) in schema.flattened().filter(|(object, _)| *object == path) {
        // Because a map of the rest has each member, null or not.
        let Type::Union(union) = values.implied_type() else {
            return false;
        };
        let variants = union.variants().iter().map(Field::ty);
        let mut having = variants
            .filter(|ty| member_type(Some(*ty), name).is_some())
            .peekable();
        is_named |= having.peek().is_some();
        if !having.all(|ty| absent_is_null(Some(ty), name)) {
            return false;
        }
    }
    is_named
}

/// True if the members of the object at a path that no field names are those of a map.
pub(super) fn has_rest(schema: &Schema, path: &str) -> bool {
    let mut beside = schema
        .flattened()
        .filter(|(object, _)| *object == path)
        .map(|(_, values)| values.implied_type())
        .peekable();
    beside.peek().is_some() && beside.all(|values| matches!(values, Type::Map(_)))
}

/// An object that has members of flattened enums or maps beside its fields, and the names of those
/// of them of which null is the same as nothing there.
pub(super) type Beside<'t> = (&'t Type, BTreeSet<String>);

/// The objects of a type of a schema that have such members.
#[cfg(feature = "yaml")]
pub(super) fn with_flattened<'t>(ty: &'t Type, schema: &Schema) -> Vec<Beside<'t>> {
    let mut found = Vec::new();
    if schema.flattened().next().is_some() {
        add_with_flattened(ty, "", schema, &mut found);
    }
    found
}

#[cfg(feature = "yaml")]
fn add_with_flattened<'t>(ty: &'t Type, path: &str, schema: &Schema, found: &mut Vec<Beside<'t>>) {
    match ty {
        Type::Object(fields) => {
            found.extend(absent_beside(path, schema).map(|absent| (ty, absent)));
            for field in fields.iter() {
                add_with_flattened(field.ty(), &step(path, field.name()), schema, found);
            }
        }
        Type::List(element) | Type::Set(element) | Type::Map(element) => {
            add_with_flattened(element, path, schema, found);
        }
        Type::Tuple(elements) => {
            for element in elements.iter() {
                add_with_flattened(element, path, schema, found);
            }
        }
        Type::Union(union) => {
            for variant in union.variants() {
                add_with_flattened(variant.ty(), &step(path, variant.name()), schema, found);
            }
        }
        Type::Bool | Type::String | Type::Number | Type::Dynamic | Type::Json => {}
    }
}

/// The members of variants that are flattened into the object at a path of which null is the same
/// as nothing there; nothing if no enum and no map is flattened into it.
#[cfg(feature = "yaml")]
fn absent_beside(path: &str, schema: &Schema) -> Option<BTreeSet<String>> {
    let mut parts = schema
        .flattened()
        .filter(|(object, _)| *object == path)
        .map(|(_, values)| values.implied_type())
        .peekable();
    parts.peek()?;
    // Otherwise a member may be what a variant without a tag is found by.
    let has_tags = schema.untagged().next().is_none();
    let mut absent = BTreeSet::new();
    for part in parts.filter(|_| has_tags) {
        let Type::Union(union) = &part else { continue };
        let Tagging::Internal(_) = union.form() else {
            continue;
        };
        let held = union.variants().iter().filter_map(|variant| {
            let Type::Object(fields) = variant.ty() else {
                return None;
            };
            Some(fields)
        });
        let (null, other): (Vec<&Field>, Vec<&Field>) = held
            .flat_map(|fields| fields.iter())
            .partition(|field| field.absent_is_null());
        let has_name = |name: &str| other.iter().any(|field| field.name() == name);
        let names = null.iter().map(|field| field.name());
        absent.extend(names.filter(|name| !has_name(name)).map(str::to_owned));
    }
    Some(absent)
}

/// Removes the nulls that mean the same as an absent member. True if there are others.
pub(super) fn without_absent(tree: &mut Tree<'_>, ty: Option<&Type>) -> bool {
    without_absent_but(tree, ty, &[])
}

/// Removes these nulls, but for those of members that are `beside` the fields of an object.
pub(super) fn without_absent_but(
    tree: &mut Tree<'_>,
    ty: Option<&Type>,
    beside: &[Beside<'_>],
) -> bool {
    if let (Tree::Object(members), Some(Type::Union(union))) = (&mut *tree, ty) {
        return match content(union, members) {
            Content::Members(ty) => without_absent_but(tree, Some(ty), beside),
            content @ (Content::External(_) | Content::Adjacent(..) | Content::Unknown) => {
                members.iter_mut().fold(false, |others, (name, value)| {
                    without_absent_but(value, content.member(name), beside) | others
                })
            }
        };
    }
    match tree {
        Tree::Object(members) => {
            let of_others = ty.and_then(|ty| {
                let mut all = beside.iter();
                all.find(|(object, _)| std::ptr::eq(*object, ty))
            });
            members.retain(|(name, value)| {
                *value != Tree::Null
                    || !absent_is_null(ty, name)
                    || member_type(ty, name).is_none()
                        && of_others.is_some_and(|(_, absent)| !absent.contains(&**name))
            });
            members.iter_mut().fold(false, |others, (name, value)| {
                without_absent_but(value, member_type(ty, name), beside) | others
            })
        }
        Tree::Array(elements) => {
            let elements = elements.iter_mut().enumerate();
            elements.fold(false, |others, (index, element)| {
                without_absent_but(element, element_type(ty, index), beside) | others
            })
        }
        Tree::Null => true,
        Tree::Bool(_) | Tree::Number(_) | Tree::String(_) => false,
    }
}

/// `is_free` if elements have no order because serde alone knows their type.
pub(super) fn in_one_order<'t>(tree: Tree<'t>, ty: Option<&Type>, is_free: bool) -> Tree<'t> {
    let is_free = is_free || matches!(ty, Some(Type::Json | Type::Dynamic));
    match tree {
        Tree::Object(members) => {
            let held = if let Some(Type::Union(union)) = ty {
                Some(content(union, &members))
            } else {
                None
            };
            let below = |(name, value): (Cow<'t, str>, Tree<'t>)| {
                let (ty, is_free) = match &held {
                    None => (member_type(ty, &name), is_free),
                    Some(Content::Unknown) => (None, true),
                    Some(content) => (content.member(&name), is_free),
                };
                (name, in_one_order(value, ty, is_free))
            };
            let mut members: Vec<_> = members.into_iter().map(below).collect();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            Tree::Object(members)
        }
        Tree::Array(elements) => {
            let below = |(index, element)| in_one_order(element, element_type(ty, index), is_free);
            let mut elements: Vec<_> = elements.into_iter().enumerate().map(below).collect();
            if is_free || is_set(ty) {
                elements.sort_by_cached_key(|element| {
                    let mut json = Vec::new();
                    element.write(&mut json);
                    json
                });
            }
            Tree::Array(elements)
        }
        scalar @ (Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::String(_)) => scalar,
    }
}

/// The parts of an enum's value, by the way that it is stored.
pub(super) enum Content<'t> {
    /// Each member is the content of a variant.
    External(&'t UnionType),
    /// The members are those of this type, and perhaps a tag.
    Members(&'t Type),
    /// One member is the content, of this type.
    Adjacent(Cow<'t, str>, Option<&'t Type>),
    Unknown,
}

impl<'t> Content<'t> {
    /// The type of a member, as far as it is known.
    pub(super) fn member(&self, name: &str) -> Option<&'t Type> {
        match self {
            Self::External(union) => variant(union, name),
            Self::Members(ty) => member_type(Some(*ty), name),
            Self::Adjacent(content, ty) => ty.filter(|_| **content == *name),
            Self::Unknown => None,
        }
    }
}

/// The content of a variant.
fn variant<'t>(union: &'t UnionType, name: &str) -> Option<&'t Type> {
    union
        .variants()
        .iter()
        .find(|variant| variant.name() == name)
        .map(Field::ty)
}

pub(super) fn content<'t>(
    union: &'t UnionType,
    members: &[(Cow<'_, str>, Tree<'_>)],
) -> Content<'t> {
    let tagged = |tag: &str| {
        let (_, named) = members.iter().find(|(name, _)| name == tag)?;
        let Tree::String(named) = named else {
            return None;
        };
        variant(union, named)
    };
    match union.form() {
        Tagging::External => Content::External(union),
        Tagging::Internal(tag) => tagged(&tag).map_or(Content::Unknown, Content::Members),
        Tagging::Adjacent(tag, content) => Content::Adjacent(content, tagged(&tag)),
        Tagging::Untagged => Content::Unknown,
    }
}
