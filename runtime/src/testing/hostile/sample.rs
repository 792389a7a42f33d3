//! A state as a schema has it, and the secrets in it.

use std::collections::BTreeSet;

use super::super::json::Json;
use crate::schema::{Attribute, Block, NestedBlock, Nesting, Shape, Tagging, Type, UnionType};

/// The value of sensitive strings.
pub(super) const SECRET: &str = "secret-7316-of-a-hostile-state";
/// The value of sensitive numbers.
pub(super) const SECRET_NUMBER: &str = "7316731673";
/// Shorter strings may be in a message by chance.
const SHORTEST_SECRET: usize = 6;

/// The value at a place of a state.
#[derive(Clone, Copy)]
pub(super) enum At<'s> {
    Block(&'s Block),
    Objects(&'s [Attribute]),
    Type(&'s Type),
}

/// A member of an object: its name, what is in it, how that is arranged, and whether it is secret.
pub(super) struct Member<'s> {
    pub(super) name: &'s str,
    pub(super) at: At<'s>,
    pub(super) nesting: Option<Nesting>,
    pub(super) sensitive: bool,
}

impl<'s> At<'s> {
    /// The members of an object.
    pub(super) fn members(self) -> Vec<Member<'s>> {
        let attribute = |attribute: &'s Attribute| {
            let (at, nesting) = match attribute.shape() {
                Shape::Plain(ty) => (At::Type(ty), None),
                Shape::Nested(nested) => (At::Objects(nested.attributes()), Some(nested.nesting())),
            };
            Member {
                name: attribute.name(),
                at,
                nesting,
                sensitive: attribute.is_secret(),
            }
        };
        let nested = |block: &'s NestedBlock| Member {
            name: block.name(),
            at: At::Block(block.block()),
            nesting: Some(block.nesting()),
            sensitive: false,
        };
        match self {
            At::Block(block) => block
                .attributes()
                .iter()
                .map(attribute)
                .chain(block.blocks().iter().map(nested))
                .collect(),
            At::Objects(attributes) => attributes.iter().map(attribute).collect(),
            At::Type(Type::Object(fields)) => fields
                .iter()
                .map(|field| Member {
                    name: field.name(),
                    at: At::Type(field.ty()),
                    nesting: None,
                    sensitive: false,
                })
                .collect(),
            At::Type(_) => Vec::new(),
        }
    }
}

/// A state in which every attribute has a value and every collection one element.
pub(super) fn of_block(block: &Block, secret: &BTreeSet<String>) -> Json {
    object(At::Block(block), false, Some(secret))
}

/// `secret`: names that are sensitive here whatever the schema says.
fn object(at: At<'_>, hidden: bool, secret: Option<&BTreeSet<String>>) -> Json {
    Json::map(at.members().into_iter().map(|member| {
        let hidden =
            hidden || member.sensitive || secret.is_some_and(|secret| secret.contains(member.name));
        let one = match member.at {
            At::Type(ty) => of_type(ty, member.name, hidden),
            objects @ (At::Block(_) | At::Objects(_)) => object(objects, hidden, None),
        };
        let value = match member.nesting {
            None | Some(Nesting::Single) => one,
            Some(Nesting::List | Nesting::Set) => Json::List(vec![one]),
            Some(Nesting::Map) => Json::map([("key".to_owned(), one)]),
        };
        (member.name.to_owned(), value)
    }))
}

fn of_type(ty: &Type, name: &str, hidden: bool) -> Json {
    match ty {
        Type::Bool => Json::leaf("true"),
        Type::String | Type::Json => Json::string(if hidden { SECRET } else { name }),
        Type::Number => Json::leaf(if hidden { SECRET_NUMBER } else { "7" }),
        Type::Dynamic => Json::map([
            ("type".to_owned(), Json::string("string")),
            ("value".to_owned(), of_type(&Type::String, name, hidden)),
        ]),
        Type::List(element) | Type::Set(element) => {
            Json::List(vec![of_type(element, name, hidden)])
        }
        Type::Map(element) => Json::map([(
            if hidden { SECRET } else { "key" }.to_owned(),
            of_type(element, name, hidden),
        )]),
        Type::Tuple(elements) => Json::List(
            elements
                .iter()
                .map(|element| of_type(element, name, hidden))
                .collect(),
        ),
        Type::Object(_) => object(At::Type(ty), hidden, None),
        Type::Union(union) => of_union(union, hidden),
    }
}

/// The first variant of an enum with data.
fn of_union(union: &UnionType, hidden: bool) -> Json {
    let Some(variant) = union.variants().first() else {
        return Json::leaf("null");
    };
    let is_unit = matches!(variant.ty(), Type::Tuple(elements) if elements.is_empty());
    let (name, content) = (
        Json::string(variant.name()),
        of_type(variant.ty(), variant.name(), hidden),
    );
    match (union.form(), content) {
        (Tagging::External, _) if is_unit => name,
        (Tagging::External, content) => Json::map([(variant.name().to_owned(), content)]),
        (Tagging::Internal(tag), Json::Map(mut members)) => {
            members.insert(0, (tag.into_owned(), name));
            Json::Map(members)
        }
        (Tagging::Adjacent(tag, member), content) if !is_unit => {
            Json::map([(tag.into_owned(), name), (member.into_owned(), content)])
        }
        (Tagging::Internal(tag) | Tagging::Adjacent(tag, _), _) => {
            Json::map([(tag.into_owned(), name)])
        }
        (Tagging::Untagged, _) if is_unit => Json::leaf("null"),
        (Tagging::Untagged, content) => content,
    }
}

/// A state with a known string in place of each sensitive one.
pub(super) fn with_secrets(state: &Json, block: &Block, secret: &BTreeSet<String>) -> Json {
    let mut state = state.clone();
    each_sensitive(&mut state, At::Block(block), Some(secret), &mut |value| {
        hide(value);
    });
    state
}

fn hide(value: &mut Json) {
    match value {
        Json::Leaf(text) if text.starts_with('"') => *value = Json::string(SECRET),
        Json::Leaf(text)
            if text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) =>
        {
            *value = Json::leaf(SECRET_NUMBER);
        }
        Json::Leaf(_) => {}
        Json::List(elements) => elements.iter_mut().for_each(hide),
        Json::Map(members) => members.iter_mut().for_each(|(_, member)| hide(member)),
    }
}

/// The sensitive strings in a state.
pub(super) fn secrets(state: &Json, block: &Block, secret: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut state = state.clone();
    each_sensitive(&mut state, At::Block(block), Some(secret), &mut |value| {
        collect(value, &mut found);
    });
    found
}

fn collect(value: &Json, into: &mut BTreeSet<String>) {
    let mut keep = |text: String| {
        if text.len() >= SHORTEST_SECRET {
            into.insert(text);
        }
    };
    match value {
        Json::Leaf(text) => keep(value.as_text().unwrap_or_else(|| text.clone())),
        Json::List(elements) => elements.iter().for_each(|element| collect(element, into)),
        // Names are left out, because those of nested objects are part of the schema.
        Json::Map(members) => members.iter().for_each(|(_, member)| collect(member, into)),
    }
}

/// Does something with every sensitive value, as far as the state is of the schema's shape.
fn each_sensitive(
    value: &mut Json,
    at: At<'_>,
    secret: Option<&BTreeSet<String>>,
    act: &mut impl FnMut(&mut Json),
) {
    let known = at.members();
    let Json::Map(members) = value else { return };
    for (name, value) in members {
        let member = known.iter().find(|member| member.name == name.as_str());
        if secret.is_some_and(|secret| secret.contains(name.as_str()))
            || member.is_some_and(|member| member.sensitive)
        {
            act(value);
            continue;
        }
        let Some(member) = member else { continue };
        match (member.nesting, value) {
            (Some(_), Json::List(elements)) => {
                for element in elements {
                    each_sensitive(element, member.at, None, act);
                }
            }
            (Some(Nesting::Map), Json::Map(entries)) => {
                for (_, entry) in entries {
                    each_sensitive(entry, member.at, None, act);
                }
            }
            (_, value) => each_sensitive(value, member.at, None, act),
        }
    }
}
