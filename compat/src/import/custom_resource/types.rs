//! The types of stored values, in the words of a model where it would have the same definition.
//!
//! A definition has one form for several types: a set that the server cannot compare is a list, a
//! tuple is a list of so many elements, an enum with data an object with the members of all
//! variants.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use upstate_words::Tagging;

use super::shape::{Kind, Member, Node};
use crate::StoredType;

/// The type of the values at a place.
pub(super) fn of(node: &Node, model: Option<&StoredType>) -> StoredType {
    let boxed = |inner: &Node, model: Option<&StoredType>| Box::new(of(inner, model));
    match (&node.kind, model) {
        (Kind::Any, Some(map @ StoredType::Map(element)))
            if node.is_open_object && **element == StoredType::Json =>
        {
            map.clone()
        }
        // Whatever is stored is JSON, also where the type of the field has a schema of its own.
        (_, Some(StoredType::Json)) | (Kind::Any | Kind::IntOrString, _) => StoredType::Json,
        (Kind::Bool, _) => StoredType::Bool,
        (Kind::String, Some(StoredType::Union(tagging, variants))) => {
            of_names(node, tagging, variants).unwrap_or(StoredType::String)
        }
        (Kind::String, _) => StoredType::String,
        (Kind::Integer { .. } | Kind::Float, _) => StoredType::Number,
        (Kind::List(items), Some(StoredType::Set(element))) if is_set(node) => {
            StoredType::Set(boxed(items, Some(element)))
        }
        (Kind::List(items), Some(StoredType::Tuple(elements)))
            if has_length(node, elements.len()) =>
        {
            StoredType::Tuple(
                elements
                    .iter()
                    .map(|element| of(items, Some(element)))
                    .collect(),
            )
        }
        (Kind::List(items), Some(StoredType::List(element) | StoredType::Set(element))) => {
            StoredType::List(boxed(items, Some(element)))
        }
        (Kind::List(items), _) => StoredType::List(boxed(items, None)),
        (Kind::Map(values), Some(StoredType::Map(element))) => {
            StoredType::Map(boxed(values, Some(element)))
        }
        (Kind::Map(values), _) => StoredType::Map(boxed(values, None)),
        (Kind::Object { members, .. }, Some(StoredType::Union(tagging, variants))) => {
            let union = Tagging::parse(tagging).filter(|_| node.has_variants);
            let variants = union.and_then(|union| of_variants(members, &union, variants));
            variants.map_or_else(
                || object(members, None),
                |variants| StoredType::Union(tagging.clone(), variants),
            )
        }
        (Kind::Object { members, .. }, Some(StoredType::Object(fields, _))) => {
            object(members, Some(fields))
        }
        (Kind::Object { members, .. }, _) => object(members, None),
    }
}

/// True if values are of an enum with data, or their elements are.
pub(super) fn is_enum(ty: &StoredType) -> bool {
    matches!(ty, StoredType::Union(..))
        || ty.elements().is_some_and(|(element, _)| is_enum(element))
}

/// True if elements of the list are there once: because it says so, or because the server cannot
/// compare such elements.
pub(super) fn is_set(node: &Node) -> bool {
    let Kind::List(items) = &node.kind else {
        return false;
    };
    let is_compared = match &items.kind {
        Kind::Bool
        | Kind::String
        | Kind::Integer { .. }
        | Kind::Float
        | Kind::Object { .. }
        | Kind::Map(_) => !items.nullable,
        Kind::List(_) | Kind::Any | Kind::IntOrString => false,
    };
    !is_compared || node.limits.get("list type") == Some(&Value::from("set"))
}

/// True if the enum with data that is beside others has the member, with the type.
pub(super) fn has_member(
    tagging: &str,
    variants: &[(String, StoredType)],
    member: &Member,
) -> bool {
    let fits = |ty: &StoredType| of(&member.node, Some(ty)) == *ty;
    let is_tag = |tag: &str| tag == member.name && member.node.kind == Kind::String;
    let is_in_variant = |content: &StoredType| {
        fields(content)
            .and_then(|fields| fields.get(&member.name))
            .is_some_and(fits)
    };
    match Tagging::parse(tagging) {
        Some(Tagging::Internal(tag)) => {
            is_tag(&tag) || variants.iter().any(|(_, content)| is_in_variant(content))
        }
        Some(Tagging::Adjacent(tag, content)) => is_tag(&tag) || content == member.name,
        Some(Tagging::External) => variants
            .iter()
            .any(|(name, content)| *name == member.name && fits(content)),
        Some(Tagging::Untagged) | None => false,
    }
}

fn object(members: &[Member], model: Option<&BTreeMap<String, StoredType>>) -> StoredType {
    let field = |member: &Member| {
        let model = model.and_then(|model| model.get(&member.name));
        (member.name.clone(), of(&member.node, model))
    };
    StoredType::Object(members.iter().map(field).collect(), BTreeSet::new())
}

fn has_length(node: &Node, len: usize) -> bool {
    let len = Some(Value::from(len));
    let end = |end: &str| {
        node.limits
            .get("length")
            .and_then(|length| length.get(end))
            .cloned()
    };
    end("min") == len && end("max") == len
}

/// The strings that there are.
fn names(node: &Node) -> Option<BTreeSet<&str>> {
    node.limits
        .get("one_of")?
        .as_array()?
        .iter()
        .map(Value::as_str)
        .collect()
}

fn fields(content: &StoredType) -> Option<&BTreeMap<String, StoredType>> {
    if let StoredType::Object(fields, _) = content {
        Some(fields)
    } else {
        None
    }
}

fn is_unit(content: &StoredType) -> bool {
    matches!(content, StoredType::Tuple(elements) if elements.is_empty())
}

/// An enum whose variants hold nothing.
fn of_names(node: &Node, tagging: &str, variants: &[(String, StoredType)]) -> Option<StoredType> {
    let variants = named(&names(node)?, variants)?;
    let all_units = variants.iter().all(|(_, content)| is_unit(content));
    (Tagging::parse(tagging) == Some(Tagging::External) && all_units)
        .then(|| StoredType::Union(tagging.to_owned(), variants.into_iter().cloned().collect()))
}

/// The variants of these names, if there is one for each.
fn named<'v>(
    names: &BTreeSet<&str>,
    variants: &'v [(String, StoredType)],
) -> Option<Vec<&'v (String, StoredType)>> {
    let found: Vec<_> = variants
        .iter()
        .filter(|(name, _)| names.contains(name.as_str()))
        .collect();
    (found.len() == names.len()).then_some(found)
}

/// The variants of the model that an object with the members of all of them has, each with the
/// members that are there; nothing if a member is in no variant.
fn of_variants(
    members: &[Member],
    tagging: &Tagging<'_>,
    variants: &[(String, StoredType)],
) -> Option<Vec<(String, StoredType)>> {
    let find = |name: &str| members.iter().find(|member| member.name == name);
    let tagged = |tag: &str| Some(named(&names(&find(tag)?.node)?, variants)?.into_iter());
    match tagging {
        Tagging::External => {
            let all: BTreeSet<&str> = members.iter().map(|member| member.name.as_str()).collect();
            let content = |(name, content): &(String, StoredType)| {
                Some((name.clone(), of(&find(name)?.node, Some(content))))
            };
            named(&all, variants)?.into_iter().map(content).collect()
        }
        Tagging::Internal(tag) => {
            let others: Vec<&Member> = members
                .iter()
                .filter(|member| member.name != **tag)
                .collect();
            parted(&others, tagged(tag)?)
        }
        Tagging::Adjacent(tag, name) => {
            if !members
                .iter()
                .all(|member| member.name == **tag || member.name == **name)
            {
                return None;
            }
            let variants: Vec<_> = tagged(tag)?.collect();
            let Some(Member { node, .. }) = find(name) else {
                return variants
                    .iter()
                    .all(|(_, content)| is_unit(content))
                    .then(|| variants.into_iter().cloned().collect());
            };
            if let Kind::Object { members, .. } = &node.kind
                && variants
                    .iter()
                    .all(|(_, content)| is_unit(content) || fields(content).is_some())
            {
                return parted(&members.iter().collect::<Vec<_>>(), variants.into_iter());
            }
            let content = |(name, content): &(String, StoredType)| {
                let content = if is_unit(content) {
                    content.clone()
                } else {
                    of(node, Some(content))
                };
                (name.clone(), content)
            };
            Some(variants.into_iter().map(content).collect())
        }
        Tagging::Untagged => None,
    }
}

/// The members of objects that variants share, each in those that have it.
fn parted<'v>(
    members: &[&Member],
    variants: impl Iterator<Item = &'v (String, StoredType)>,
) -> Option<Vec<(String, StoredType)>> {
    let mut left: BTreeSet<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let mut found = Vec::new();
    for (name, content) in variants {
        let content = match fields(content) {
            Some(fields) => {
                let own = members
                    .iter()
                    .filter(|member| fields.contains_key(&member.name));
                let own: Vec<Member> = own.map(|member| (*member).clone()).collect();
                left.retain(|name| !fields.contains_key(*name));
                Cow::Owned(object(&own, Some(fields)))
            }
            None if is_unit(content) => Cow::Borrowed(content),
            None => return None,
        };
        found.push((name.clone(), content.into_owned()));
    }
    left.is_empty().then_some(found)
}
