//! Finding what a schema says about a path.

use super::{
    Attribute, Field, Nested, NestedBlock, Nesting, Origin, Shape, Tagging, Type, UnionType,
};
use crate::codec::DecodeError;
use crate::path::{Container, PathStep};

/// The item at a path.
#[derive(Clone, Copy)]
enum At<'s> {
    /// Nested objects, arranged.
    Objects(Members<'s>, Nesting),
    /// One object.
    Object(Members<'s>),
    /// A value of a plain type.
    Type(&'s Type),
}

/// The part of a path that may be shown.
#[derive(Debug, Clone, Copy)]
pub struct Visible {
    /// The number of the path's steps that may be shown.
    pub len: usize,
    /// True if the rest is held back because it belongs to a [secret](Attribute::is_secret)
    /// attribute.
    pub sensitive: bool,
}

/// The attributes and blocks of an object.
#[derive(Debug, Clone, Copy)]
pub struct Members<'s> {
    pub(crate) attributes: &'s [Attribute],
    pub(crate) blocks: &'s [NestedBlock],
    /// True if other members may be secret.
    pub(crate) hides_rest: bool,
}

/// An attribute or block of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Node<'s> {
    Attribute(&'s Attribute),
    Block(&'s NestedBlock),
}

impl<'s> Node<'s> {
    /// True if it is secret or holds something that is.
    pub(crate) fn has_secret(self) -> bool {
        match self {
            Self::Attribute(attribute) => attribute.has_secret(),
            Self::Block(block) => block.block().has_secret(),
        }
    }

    /// The nested objects in it: what they have, how they are arranged, and which struct they are.
    pub(crate) fn objects(self) -> Option<(Members<'s>, Nesting, Origin)> {
        match self {
            Self::Attribute(attribute) => match attribute.shape() {
                Shape::Plain(_) => None,
                Shape::Nested(nested) => {
                    Some((nested.members(), nested.nesting(), nested.origin()))
                }
            },
            Self::Block(block) => Some((block.block().members(), block.nesting(), block.origin())),
        }
    }
}

impl Nested {
    /// The members of one of the objects.
    pub(crate) fn members(&self) -> Members<'_> {
        Members {
            attributes: self.attributes(),
            blocks: &[],
            hides_rest: self.hides_rest(),
        }
    }
}

impl<'s> Members<'s> {
    /// The attribute or block of this name in state.
    pub(crate) fn get(self, name: &str) -> Option<Node<'s>> {
        let attribute = self
            .attributes
            .iter()
            .find(|attribute| attribute.name() == name)
            .map(Node::Attribute);
        attribute.or_else(|| {
            self.blocks
                .iter()
                .find(|block| block.name() == name)
                .map(Node::Block)
        })
    }

    /// The attribute or block at a path through nested objects.
    pub(crate) fn at(self, path: &[&str]) -> Option<Node<'s>> {
        let (name, rest) = path.split_first()?;
        let found = self.get(name)?;
        if rest.is_empty() {
            Some(found)
        } else {
            found.objects()?.0.at(rest)
        }
    }

    /// True if the attribute at a path through nested objects is secret, or is in one that is.
    pub(crate) fn is_secret_at(self, path: &[&str]) -> bool {
        self.any_on(path, Attribute::is_secret) || self.ends_in_secret_rest(path)
    }

    /// True if a path leads to a member that no attribute names, in an object where such a member
    /// may be secret.
    fn ends_in_secret_rest(self, path: &[&str]) -> bool {
        let Some((name, rest)) = path.split_first() else {
            return false;
        };
        match self.get(name) {
            Some(node) => node
                .objects()
                .is_some_and(|(inner, ..)| inner.ends_in_secret_rest(rest)),
            None => self.hides_rest,
        }
    }

    /// True if the attribute at a path through nested objects is never stored, or is in one that is
    /// not.
    pub(crate) fn is_write_only_at(self, path: &[&str]) -> bool {
        self.any_on(path, Attribute::is_write_only)
    }

    /// True if something holds of any attribute on a path.
    fn any_on(self, path: &[&str], holds: impl Fn(&Attribute) -> bool + Copy) -> bool {
        let Some((name, rest)) = path.split_first() else {
            return false;
        };
        let Some(node) = self.get(name) else {
            return false;
        };
        matches!(node, Node::Attribute(attribute) if holds(attribute))
            || node
                .objects()
                .is_some_and(|(inner, ..)| inner.any_on(rest, holds))
    }

    /// The names of all attributes and blocks.
    pub(crate) fn names(self) -> impl Iterator<Item = &'s str> {
        self.attributes
            .iter()
            .map(Attribute::name)
            .chain(self.blocks.iter().map(NestedBlock::name))
    }
}

impl DecodeError {
    /// This error, its path cut to what `members` lets be shown.
    pub(crate) fn redacted(self, members: Members<'_>) -> Self {
        self.cut(|steps| {
            let visible = members.visible(steps);
            // In place of an object there may be what is secret in it.
            let is_plain = matches!(descend(At::Object(members), steps), Some(At::Type(_)));
            (visible.len, visible.sensitive, is_plain)
        })
    }
}

impl Type {
    /// The kind of container that the value at `steps` is.
    pub(crate) fn container_at(&self, steps: &[PathStep]) -> Container {
        container(descend(At::Type(self), steps))
    }

    /// True if the type defines the path `steps`: inside of any JSON it defines every path.
    pub(crate) fn has(&self, steps: &[PathStep]) -> bool {
        let Reached { len, at } = reach(At::Type(self), steps);
        len == steps.len() || matches!(at, At::Type(Self::Json | Self::Dynamic))
    }
}

impl Members<'_> {
    /// The kind of container that the value at `steps` inside the object is.
    pub fn container_at(self, steps: &[PathStep]) -> Container {
        container(descend(At::Object(self), steps))
    }

    /// True if the schema defines the path `steps`: inside a dynamic value it defines every path.
    #[doc(hidden)]
    pub fn has(self, steps: &[PathStep]) -> bool {
        let reached = reach(At::Object(self), steps);
        reached.len == steps.len() || matches!(reached.at, At::Type(Type::Dynamic))
    }

    /// True if the attribute or block `name` is secret or holds something that is.
    pub(crate) fn hides_below(self, name: &str) -> bool {
        self.get(name).map_or(self.hides_rest, Node::has_secret)
    }

    /// The object type of the members' values.
    pub(crate) fn implied_type(self) -> Type {
        let attributes = self.attributes.iter().map(Attribute::implied_field);
        let blocks = self
            .blocks
            .iter()
            .map(|block| Field::new(block.name(), block.implied_type()));
        Type::object(attributes.chain(blocks))
    }

    /// True if there is an attribute or block of this name.
    pub(crate) fn defines(self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The part of `steps` that may be shown: no step below a secret attribute, whose map keys may
    /// be secret too, and none below what the schema does not know.
    #[doc(hidden)]
    pub fn visible(self, steps: &[PathStep]) -> Visible {
        let mut members = Some(self);
        for (index, step) in steps.iter().enumerate() {
            // Plain types, below which nothing is marked as secret, are the end of this.
            let (Some(object), PathStep::Attribute(name)) = (members, step) else {
                continue;
            };
            if object
                .attributes
                .iter()
                .any(|attribute| attribute.name() == name && attribute.is_secret())
            {
                return Visible {
                    len: index + 1,
                    sensitive: true,
                };
            }
            if object.hides_rest && !object.defines(name) {
                return Visible {
                    len: index + 1,
                    sensitive: true,
                };
            }
            members = object
                .get(name)
                .and_then(Node::objects)
                .map(|(inner, ..)| inner);
        }
        let Reached { len, at } = reach(At::Object(self), steps);
        // A name in an object may be shown even if the schema has it not; a key of something
        // unknown may not.
        Visible {
            len: steps.len().min(len + usize::from(at.has_names())),
            sensitive: false,
        }
    }
}

fn container(at: Option<At<'_>>) -> Container {
    match at {
        Some(At::Type(Type::Map(_)) | At::Objects(_, Nesting::Map)) => Container::Map,
        Some(At::Type(Type::Set(_)) | At::Objects(_, Nesting::Set)) => Container::Set,
        _ => Container::Other,
    }
}

fn nested(members: Members<'_>, nesting: Nesting) -> At<'_> {
    if nesting == Nesting::Single {
        At::Object(members)
    } else {
        At::Objects(members, nesting)
    }
}

fn member<'s>(members: Members<'s>, name: &str) -> Option<At<'s>> {
    let found = members.get(name)?;
    Some(match (found, found.objects()) {
        (_, Some((members, nesting, _))) => nested(members, nesting),
        (Node::Attribute(attribute), None) => match attribute.shape() {
            Shape::Plain(ty) => At::Type(ty),
            Shape::Nested(_) => return None,
        },
        (Node::Block(_), None) => return None,
    })
}

/// The item that a path leads to, or the last one on it that the schema knows.
struct Reached<'s> {
    /// The number of steps to it.
    len: usize,
    at: At<'s>,
}

impl At<'_> {
    /// True if its members are names that an author chose, not data.
    fn has_names(self) -> bool {
        match self {
            At::Object(_) | At::Type(Type::Object(_)) => true,
            At::Type(Type::Union(union)) => match union.form() {
                Tagging::Internal(_) | Tagging::Adjacent(..) => true,
                Tagging::Untagged => contents(union).any(At::has_names),
                Tagging::External => false,
            },
            At::Objects(..) | At::Type(_) => false,
        }
    }
}

/// Goes down a path as far as the schema knows it. An enum's value does not say here which variant
/// it is, so that the one is taken that leads furthest.
fn reach<'s>(at: At<'s>, steps: &[PathStep]) -> Reached<'s> {
    let Some((step, rest)) = steps.split_first() else {
        return Reached { len: 0, at };
    };
    let mut furthest = Reached { len: 0, at };
    below(at, step, &mut |next| {
        let Reached { len, at } = reach(next, rest);
        if (furthest.len, furthest.at.has_names()) < (len + 1, at.has_names()) {
            furthest = Reached { len: len + 1, at };
        }
    });
    furthest
}

fn descend<'s>(at: At<'s>, steps: &[PathStep]) -> Option<At<'s>> {
    let Reached { len, at } = reach(at, steps);
    (len == steps.len()).then_some(at)
}

/// Calls `found` with what is one step down: one item, or several where the value is an enum's.
fn below<'s>(at: At<'s>, step: &PathStep, found: &mut dyn FnMut(At<'s>)) {
    let next = match at {
        At::Object(members) => name_of(step).and_then(|name| member(members, name)),
        // One object may stand where the schema has a list of them.
        At::Objects(members, _) => {
            name_of(step).map_or(Some(At::Object(members)), |name| member(members, name))
        }
        At::Type(Type::Union(union)) => return below_union(union, step, found),
        At::Type(ty) => part(ty, step).map(At::Type),
    };
    next.into_iter().for_each(found);
}

fn name_of(step: &PathStep) -> Option<&str> {
    match step {
        PathStep::Attribute(name) => Some(name),
        PathStep::Index(_) | PathStep::Key(_) | PathStep::Element(_) => None,
    }
}

/// The type of a part of a value, except an enum's.
fn part<'s>(ty: &'s Type, step: &PathStep) -> Option<&'s Type> {
    match ty {
        Type::List(element) => matches!(step, PathStep::Index(_)).then_some(&**element),
        Type::Set(element) => matches!(step, PathStep::Element(_)).then_some(&**element),
        Type::Map(element) => matches!(step, PathStep::Key(_)).then_some(&**element),
        Type::Tuple(types) => match step {
            PathStep::Index(index) => types.get(usize::try_from(*index).ok()?).map(|ty| &**ty),
            PathStep::Attribute(_) | PathStep::Key(_) | PathStep::Element(_) => None,
        },
        Type::Object(fields) => {
            let name = name_of(step)?;
            fields
                .iter()
                .find(|field| field.name() == name)
                .map(Field::ty)
        }
        Type::Bool | Type::String | Type::Number | Type::Dynamic | Type::Json | Type::Union(_) => {
            None
        }
    }
}

fn below_union<'s>(union: &'s UnionType, step: &PathStep, found: &mut dyn FnMut(At<'s>)) {
    static NAME: Type = Type::String;
    let is = |member: &str| name_of(step) == Some(member);
    match union.form() {
        Tagging::External => {
            let aliased = name_of(step).and_then(|name| union.aliased(name));
            let is_it = |variant: &&Field| is(variant.name()) || aliased == Some(variant.name());
            union
                .variants()
                .iter()
                .filter(is_it)
                .for_each(|variant| found(At::Type(variant.ty())));
        }
        Tagging::Adjacent(tag, _) | Tagging::Internal(tag) if is(&tag) => found(At::Type(&NAME)),
        Tagging::Adjacent(_, content) if is(&content) => contents(union).for_each(found),
        Tagging::Adjacent(..) => {}
        Tagging::Internal(_) | Tagging::Untagged => {
            contents(union).for_each(|content| below(content, step, found));
        }
    }
}

fn contents(union: &UnionType) -> impl Iterator<Item = At<'_>> {
    union
        .variants()
        .iter()
        .map(|variant| At::Type(variant.ty()))
}
