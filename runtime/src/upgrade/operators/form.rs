//! Forms: what is at a path of a schema, as operators see it. Usable in const evaluation, where
//! schemas are constants.

use std::collections::BTreeMap;

use super::table::{Operators, Path};
use crate::schema::{
    Aside, Attribute, Holds, Members, NestedBlock, Nesting, Node, ObjectUpgrader, Origin, Shape,
    Type,
};
use crate::value::Value;

/// The form of a value: nested objects in some arrangement, or a plain type.
#[derive(Clone, Copy)]
pub(super) enum Form<'s> {
    /// Nested objects.
    Objects(Objects<'s>, Nesting),
    /// A plain type.
    Plain(&'s Type),
    /// A scalar that an operator made.
    Made(&'static Type),
    /// Not known: it came out of an author's function, or is null.
    Open,
}

/// Nested objects of one kind.
#[derive(Clone, Copy)]
pub(super) struct Objects<'s> {
    pub(super) members: Members<'s>,
    pub(super) origin: Origin,
    /// The member that `rekey` has made the key, and that may end here: the objects around it have
    /// it no more.
    pub(super) without: Option<&'static str>,
    /// The member that `rekey` has put in, from the key.
    pub(super) with: Option<&'static str>,
    /// True if the objects are blocks. Of those there is always a collection, with or without
    /// elements.
    pub(super) blocks: bool,
}

/// An attribute or block: its form, what it takes, and whether it is secret.
#[derive(Clone, Copy)]
pub(super) struct Member<'s> {
    pub(super) form: Form<'s>,
    pub(super) holds: Holds,
    pub(super) sensitive: bool,
    pub(super) write_only: bool,
    pub(super) is_block: bool,
}

impl<'s> Objects<'s> {
    pub(super) const fn new(members: Members<'s>, origin: Origin) -> Self {
        Self {
            members,
            origin,
            without: None,
            with: None,
            blocks: false,
        }
    }

    /// These objects by a member, which is not lost where the `target` lacks it: it is their key.
    pub(super) fn keyed_by(self, key: &'static str, target: Form<'_>) -> Self {
        let stays = matches!(target, Form::Objects(objects, _) if objects.have(key));
        Self {
            without: (!stays).then_some(key),
            ..self
        }
    }

    /// These objects as `rekey` by a member gives them on: into a map, or with the key of one.
    pub(super) fn rekeyed_by(self, key: &'static str, target: Form<'_>) -> Self {
        if matches!(target, Form::Objects(_, Nesting::Map)) {
            self.keyed_by(key, target)
        } else {
            self.with_key(key)
        }
    }

    /// True if a path is that of the member that is their key, which is not lost with the member.
    pub(super) fn are_keyed_by(self, path: Path) -> bool {
        matches!((self.without, path), (Some(key), [name]) if key == *name)
    }

    /// These objects with their key as a member.
    pub(super) const fn with_key(self, key: &'static str) -> Self {
        Self {
            with: Some(key),
            ..self
        }
    }

    /// True if they have the member.
    pub(super) fn have(self, name: &str) -> bool {
        self.members.get(name).is_some()
    }

    /// True if operators of their own make them of objects of this form.
    pub(super) fn have_upgrader_from(self, form: Form<'_>) -> bool {
        matches!(form, Form::Objects(from, _) if self.origin.upgrader_from(from.origin).is_some())
    }

    /// This form as blocks.
    const fn as_blocks(self) -> Self {
        Self {
            blocks: true,
            ..self
        }
    }
}

impl Form<'_> {
    /// The value of this form where nothing is stored.
    pub(super) const fn nothing(self) -> Value {
        match self {
            Self::Objects(Objects { blocks: true, .. }, Nesting::List | Nesting::Set) => {
                Value::List(Vec::new())
            }
            Self::Objects(Objects { blocks: true, .. }, Nesting::Map) => {
                Value::Map(BTreeMap::new())
            }
            Self::Objects(..) | Self::Plain(_) | Self::Made(_) | Self::Open => Value::Null,
        }
    }

    /// True if a value of this form is no more than [nothing](Self::nothing).
    pub(super) fn is_nothing(self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::Null) => true,
            (
                Self::Objects(Objects { blocks: true, .. }, Nesting::List | Nesting::Set),
                Value::List(list),
            ) => list.is_empty(),
            (Self::Objects(Objects { blocks: true, .. }, Nesting::Map), Value::Map(map)) => {
                map.is_empty()
            }
            _ => false,
        }
    }
}

impl<'s> Member<'s> {
    /// The member that an attribute is, made from a schema at run time.
    pub(super) fn attribute(attribute: &'s Attribute) -> Self {
        let form = match (attribute.shape(), Node::Attribute(attribute).objects()) {
            (Shape::Plain(ty), _) => Form::Plain(ty),
            (Shape::Nested(_), Some((members, nesting, origin))) => {
                Form::Objects(Objects::new(members, origin), nesting)
            }
            (Shape::Nested(_), None) => Form::Open,
        };
        let Aside { holds, .. } = *attribute.aside();
        Self {
            form,
            holds,
            sensitive: attribute.is_secret(),
            write_only: attribute.is_write_only(),
            is_block: false,
        }
    }

    /// The member that a block is, made from a schema at run time.
    pub(super) fn block(block: &'s NestedBlock) -> Self {
        let nullable = matches!(block.nesting(), Nesting::Single);
        let holds = Holds {
            nullable,
            ..Holds::ANYTHING
        };
        let objects = Objects::new(block.block().members(), block.origin()).as_blocks();
        Self {
            form: Form::Objects(objects, block.nesting()),
            holds,
            sensitive: false,
            write_only: false,
            is_block: true,
        }
    }
}

/// The form of an attribute or block.
pub(super) fn form_of(node: Node<'_>) -> Form<'_> {
    match node {
        Node::Attribute(attribute) => Member::attribute(attribute).form,
        Node::Block(block) => Member::block(block).form,
    }
}

/// The attribute or block of this name in state.
pub(super) fn member<'s>(members: Members<'s>, name: &str) -> Option<Member<'s>> {
    Some(match members.get(name)? {
        Node::Attribute(attribute) => Member::attribute(attribute),
        Node::Block(block) => Member::block(block),
    })
}

impl ObjectUpgrader {
    /// Its table of operators.
    #[expect(
        clippy::expect_used,
        reason = "the derive, which alone makes one, names such a table"
    )]
    pub(in crate::upgrade) fn operators(&self) -> &'static Operators {
        (self.operators)()
            .downcast_ref()
            .expect("a table of operators")
    }
}

impl Origin {
    /// True if both are the same struct, and there is one.
    pub(in crate::upgrade) fn is(self, other: Self) -> bool {
        !self.rust_name.is_empty()
            && self.instance == other.instance
            && self.rust_name == other.rust_name
    }

    /// The operators that bring objects of another struct to this one; without an upgrader of their
    /// own, all is carried.
    pub(in crate::upgrade) fn operators_from(self, prior: Self) -> &'static Operators {
        let upgrader = self.upgrader_from(prior);
        upgrader.map_or(&Operators::CARRY, ObjectUpgrader::operators)
    }
}

/// The form of the elements of a collection.
pub(super) fn element(form: Form<'_>) -> Form<'_> {
    match form {
        Form::Objects(objects, Nesting::List | Nesting::Set | Nesting::Map) => {
            Form::Objects(objects, Nesting::Single)
        }
        Form::Plain(Type::List(element) | Type::Set(element) | Type::Map(element)) => {
            Form::Plain(element)
        }
        Form::Objects(..) | Form::Plain(_) | Form::Made(_) | Form::Open => Form::Open,
    }
}

/// The form of a member of objects, however they are arranged, and whether it is sensitive.
pub(super) fn member_form<'f>(objects: Form<'f>, name: &str) -> (Form<'f>, bool) {
    match objects {
        Form::Objects(objects, _) => member(objects.members, name)
            .map_or((Form::Open, false), |member| {
                (member.form, member.sensitive)
            }),
        Form::Plain(_) | Form::Made(_) | Form::Open => (Form::Open, false),
    }
}
