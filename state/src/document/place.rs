//! Places in a document before and after a change, and the types of what is there.

use std::borrow::Cow;

use upstate::__internal::{flattened, step};
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
    /// That type where an enum's value alone tells it. Elements are not found by it, because which
    /// of them was which is found out without it.
    pub(super) in_enum: Option<&'p Type>,
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
            in_enum: None,
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
        let types = [self.ty, self.in_enum].map(|ty| member_type(ty, new));
        self.below(Step::Member { old, new }, types)
    }

    pub(super) fn element(&'p self, index: usize) -> Self {
        let types = [self.ty, self.in_enum].map(|ty| element_type(ty, index));
        self.below(Step::Element(index), types)
    }

    /// A member that was at another path.
    pub(super) fn moved(&'p self, old: &'p [String], new: &'p [String]) -> Self {
        let types = [self.ty, self.in_enum].map(|ty| member_type(ty, split(new).1));
        self.below(Step::Moved { old, new }, types)
    }

    const fn below(&'p self, step: Step<'p>, [ty, in_enum]: [Option<&'p Type>; 2]) -> Self {
        Self {
            within: Some(self),
            step,
            ty,
            in_enum,
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
pub(super) fn absent_is_null_beside(schema: &Schema, path: &[String], name: &str) -> bool {
    // Otherwise a member may be what a variant without a tag is found by.
    if schema.untagged().next().is_some() {
        return false;
    }
    let path = path
        .iter()
        .fold(String::new(), |path, name| step(&path, name));
    let mut is_named = false;
    for (_, values) in schema.flattened().filter(|(object, _)| *object == path) {
        // Because a map of the rest has each member, null or not.
        let Type::Union(union) = values.implied_type() else {
            return false;
        };
        // Because no tag says which variant it is, or the members are those of its content.
        let Tagging::Internal(_) = union.form() else {
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

/// A flattened enum or map of a schema.
#[derive(Debug)]
pub(super) struct Part {
    /// The path of the object that holds it.
    object: String,
    ty: Type,
    /// True if it may be nothing, which is an object without its members.
    is_optional: bool,
}

/// The flattened enums and maps of a schema.
pub(super) fn parts(schema: &Schema) -> Vec<Part> {
    schema
        .flattened()
        .map(|(path, values)| Part {
            object: path.to_owned(),
            ty: values.implied_type(),
            is_optional: values.is_nullable(),
        })
        .collect()
}

/// The objects of a type that have members of flattened enums or maps beside their fields.
#[derive(Debug, Default)]
pub(super) struct Beside<'t> {
    /// Each with these enums and maps.
    objects: Vec<(&'t Type, Vec<&'t Part>)>,
    /// True if a null that may be another value than nothing can stay.
    has_null: bool,
}

impl<'t> Beside<'t> {
    /// Those of a type into which these parts are flattened.
    pub(super) fn of(ty: Option<&'t Type>, parts: &'t [Part], has_null: bool) -> Self {
        let mut objects = Vec::new();
        if let Some(ty) = ty.filter(|_| !parts.is_empty()) {
            add_beside(ty, "", parts, &mut objects);
        }
        Self { objects, has_null }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The enums that are flattened into an object of this type.
    pub(super) fn enums(&self, ty: &Type) -> impl Iterator<Item = &'t Type> {
        let mut objects = self.objects.iter();
        let found = objects.find(|(object, _)| std::ptr::eq(*object, ty));
        let parts = found.into_iter().flat_map(|(_, parts)| parts.iter());
        let types = parts.map(|part| &part.ty);
        types.filter(|ty| matches!(ty, Type::Union(_)))
    }

    /// The enums that are flattened into an object with these members; nothing if no enum and no
    /// map is.
    fn held(
        &self,
        ty: Option<&Type>,
        members: &[(Cow<'_, str>, Tree<'_>)],
    ) -> Option<Vec<Held<'t>>> {
        let ty = ty?;
        let mut objects = self.objects.iter();
        let (_, parts) = objects.find(|(object, _)| std::ptr::eq(*object, ty))?;
        let held = parts.iter().filter_map(|part| {
            let Type::Union(union) = &part.ty else {
                return None;
            };
            Some(Held::of(union, members, part.is_optional))
        });
        Some(held.collect())
    }

    /// True if null is the same as nothing there in a member of an object that holds these.
    fn is_absent(&self, ty: Option<&Type>, name: &str, held: Option<&[Held<'_>]>) -> bool {
        let Some(held) = held.filter(|_| member_type(ty, name).is_none()) else {
            return absent_is_null(ty, name);
        };
        let mut found = held.iter().filter_map(|one| one.is_absent(name)).peekable();
        (found.peek().is_some() || !self.has_null) && found.all(|is_absent| is_absent)
    }
}

fn add_beside<'t>(
    ty: &'t Type,
    path: &str,
    parts: &'t [Part],
    objects: &mut Vec<(&'t Type, Vec<&'t Part>)>,
) {
    match ty {
        Type::Object(fields) => {
            let here: Vec<&'t Part> = parts.iter().filter(|part| part.object == path).collect();
            for part in here.iter().copied() {
                add_beside(&part.ty, &flattened(path), parts, objects);
            }
            if !here.is_empty() {
                objects.push((ty, here));
            }
            for field in fields.iter() {
                add_beside(field.ty(), &step(path, field.name()), parts, objects);
            }
        }
        Type::List(element) | Type::Set(element) | Type::Map(element) => {
            add_beside(element, path, parts, objects);
        }
        Type::Tuple(elements) => {
            for element in elements.iter() {
                add_beside(element, path, parts, objects);
            }
        }
        Type::Union(union) => {
            for variant in union.variants() {
                add_beside(variant.ty(), &step(path, variant.name()), parts, objects);
            }
        }
        Type::Bool | Type::String | Type::Number | Type::Dynamic | Type::Json => {}
    }
}

/// The value of an enum in the object that has its members, which may have others.
struct Held<'t> {
    content: Content<'t>,
    /// If no tag tells its variant, those that it may be.
    possible: Vec<&'t Type>,
}

impl<'t> Held<'t> {
    /// That of an enum, which may be nothing if it `is_optional`.
    fn of(union: &'t UnionType, members: &[(Cow<'_, str>, Tree<'_>)], is_optional: bool) -> Self {
        let has = |field: &Field| members.iter().any(|(name, _)| name == field.name());
        let is_possible = |ty: &&Type| match ty {
            Type::Object(fields) => fields
                .iter()
                .all(|field| !field.is_required() || has(field)),
            Type::Dynamic | Type::Map(_) | Type::Json | Type::Union(_) => true,
            // Because these are never stored as objects.
            Type::Bool
            | Type::String
            | Type::Number
            | Type::List(_)
            | Type::Set(_)
            | Type::Tuple(_) => false,
        };
        let content = content(union, members);
        let possible: Vec<&'t Type> = match content {
            Content::Unknown => {
                let variants = union.variants().iter().map(Field::ty);
                having_all(variants.filter(is_possible).collect(), members)
            }
            Content::External(_) | Content::Members(_) | Content::Adjacent(..) => Vec::new(),
        };
        let is_known = !matches!(content, Content::Unknown);
        let content = match *possible {
            [only] => Content::Members(only),
            [] | [_, ..] => content,
        };
        let held = Self { content, possible };
        if is_known || !is_optional || held.has_others(members) {
            return held;
        }
        // Because without these nulls the enum would be nothing.
        Self {
            content: Content::Unknown,
            possible: Vec::new(),
        }
    }

    /// True if a possible variant has members that are not nulls which are the same as nothing.
    fn has_others(&self, members: &[(Cow<'_, str>, Tree<'_>)]) -> bool {
        members.iter().any(|(name, value)| {
            let mut possible = self.possible.iter();
            possible.any(|ty| member_type(Some(*ty), name).is_some())
                && (*value != Tree::Null || self.is_absent(name) != Some(true))
        })
    }

    /// True if null is the same as nothing there in a member; nothing if it is unknown, or no
    /// member of the enum.
    fn is_absent(&self, name: &str) -> Option<bool> {
        let in_type = |ty: &Type| {
            let is_member = member_type(Some(ty), name).is_some();
            is_member.then(|| absent_is_null(Some(ty), name))
        };
        match &self.content {
            Content::External(union) => variant(union, name).map(|_| false),
            Content::Members(ty) => in_type(ty),
            Content::Adjacent(..) => None,
            // Otherwise without the null another one of them may be found first.
            Content::Unknown => {
                let mut possible = self.possible.iter();
                (!self.possible.is_empty() && possible.all(|ty| in_type(ty) == Some(true)))
                    .then_some(true)
            }
        }
    }
}

/// Those of several variants that have all of the members that any of them has, because one of them
/// is read; all where others would have them, too, without the nulls that may be absent.
fn having_all<'t>(possible: Vec<&'t Type>, members: &[(Cow<'_, str>, Tree<'_>)]) -> Vec<&'t Type> {
    if possible.len() < 2 || !possible.iter().all(|ty| matches!(ty, Type::Object(_))) {
        return possible;
    }
    let has = |ty: &Type, name: &str| member_type(Some(ty), name).is_some();
    let having = |these: &[&str]| -> Vec<&'t Type> {
        let mut found = possible.clone();
        found.retain(|ty| these.iter().all(|name| has(ty, name)));
        found
    };
    let own: Vec<(&str, &Tree<'_>)> = members
        .iter()
        .map(|(name, value)| (&**name, value))
        .filter(|(name, _)| possible.iter().any(|ty| has(ty, name)))
        .collect();
    let all: Vec<&str> = own.iter().map(|(name, _)| *name).collect();
    let whole = having(&all);
    let goes = |name: &str, value: &Tree<'_>| {
        *value == Tree::Null && whole.iter().all(|ty| absent_is_null(Some(*ty), name))
    };
    let left: Vec<&str> = own
        .iter()
        .filter(|(name, value)| !goes(name, value))
        .map(|(name, _)| *name)
        .collect();
    let is_sure = !whole.is_empty() && having(&left).len() == whole.len();
    if is_sure { whole } else { possible }
}

/// Removes the nulls that mean the same as an absent member. True if there are others.
pub(super) fn without_absent(tree: &mut Tree<'_>, ty: Option<&Type>) -> bool {
    without_absent_but(tree, ty, &Beside::default())
}

/// Removes these nulls, but for those of members that are `beside` the fields of an object.
pub(super) fn without_absent_but(
    tree: &mut Tree<'_>,
    ty: Option<&Type>,
    beside: &Beside<'_>,
) -> bool {
    if let (Tree::Object(members), Some(Type::Union(union))) = (&mut *tree, ty) {
        let held = Held::of(union, members, false);
        if !matches!(held.content, Content::Members(_)) {
            members
                .retain(|(name, value)| *value != Tree::Null || held.is_absent(name) != Some(true));
        }
        return match held.content {
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
            let held = beside.held(ty, members);
            members.retain(|(name, value)| {
                *value != Tree::Null || !beside.is_absent(ty, name, held.as_deref())
            });
            let part = |name: &str| {
                let mut held = held.iter().flatten();
                held.find_map(|one| one.content.member(name))
            };
            members.iter_mut().fold(false, |others, (name, value)| {
                let ty = member_type(ty, name).or_else(|| part(name));
                without_absent_but(value, ty, beside) | others
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
