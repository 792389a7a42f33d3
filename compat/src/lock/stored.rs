//! The stored form of attributes and blocks as the lock writes it, and what of it may change under a released version.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::{AttributeSnapshot, BlockSnapshot, Mode, NestedSnapshot, ResourceSnapshot, StoredType};

/// A step of a path: plain if it is a plain name, else between quotation marks and without blanks.
pub(super) fn step(prefix: &str, name: &str) -> String {
    let name = if upstate::__internal::is_plain(name.as_bytes()) {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"").replace(' ', "\\s"))
    };
    if prefix.is_empty() { name } else { format!("{prefix}.{name}") }
}

pub(super) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Single => "single",
        Mode::List => "list",
        Mode::Set => "set",
        Mode::Map => "map",
    }
}

/// The stored form of an attribute.
pub(super) fn attribute(attribute: &AttributeSnapshot) -> String {
    let null = match attribute.nullable {
        Some(true) => " null",
        Some(false) => "",
        None => " null?",
    };
    format!("{}{null}{}", base(attribute), if attribute.write_only { " write_only" } else { "" })
}

fn base(attribute: &AttributeSnapshot) -> String {
    match (&attribute.nested, &attribute.ty) {
        (Some(nested), _) => format!("nested {}", mode_name(nested.mode)),
        (None, Some(ty)) => ty.notation().to_string(),
        (None, None) => "\"dynamic\"".to_owned(),
    }
}

/// The stored form of blocks.
pub(super) fn block(block: &BlockSnapshot) -> String {
    format!("block {}", mode_name(block.mode))
}

/// An attribute of an object type, or of a collection of objects, as nested attributes: they are stored in the same form, and models have no
/// other. Whether null was read in its members is in no schema document.
fn unfolded(attribute: &AttributeSnapshot) -> Cow<'_, AttributeSnapshot> {
    let (mode, object) = match &attribute.ty {
        Some(object @ StoredType::Object(..)) => (Mode::Single, object),
        Some(StoredType::List(element)) => (Mode::List, &**element),
        Some(StoredType::Set(element)) => (Mode::Set, &**element),
        Some(StoredType::Map(element)) => (Mode::Map, &**element),
        Some(
            StoredType::Bool
            | StoredType::String
            | StoredType::Number
            | StoredType::Int64
            | StoredType::Float64
            | StoredType::Dynamic
            | StoredType::Tuple(_),
        )
        | None => return Cow::Borrowed(attribute),
    };
    let StoredType::Object(members, _) = object else { return Cow::Borrowed(attribute) };
    let member = |(name, ty): (&String, &StoredType)| {
        (name.clone(), AttributeSnapshot { ty: Some(ty.clone()), nullable: None, ..AttributeSnapshot::default() })
    };
    let nested = NestedSnapshot { mode, attributes: members.iter().map(member).collect() };
    Cow::Owned(AttributeSnapshot { ty: None, nested: Some(nested), ..attribute.clone() })
}

/// Changes under a released version that must not be.
pub(super) fn differences(locked: &ResourceSnapshot, now: &ResourceSnapshot, is_prior: bool) -> Vec<String> {
    let mut differences = Vec::new();
    members(&mut differences, "", is_prior, (&locked.attributes, &locked.blocks), (&now.attributes, &now.blocks));
    differences
}

type Members<'a> = (&'a BTreeMap<String, AttributeSnapshot>, &'a BTreeMap<String, BlockSnapshot>);

fn members(out: &mut Vec<String>, prefix: &str, is_prior: bool, locked: Members<'_>, now: Members<'_>) {
    static NO_BLOCKS: BTreeMap<String, BlockSnapshot> = BTreeMap::new();
    for (name, was) in locked.0 {
        let path = step(prefix, name);
        let Some(is) = now.0.get(name) else {
            out.push(format!("`{path}` is gone, which was {}", attribute(was)));
            continue;
        };
        let (was, is) = (&*unfolded(was), &*unfolded(is));
        let null_fits = match (was.nullable, is.nullable) {
            (None, _) | (_, None) => true,
            (Some(was), Some(is)) => was == is || is && !is_prior,
        };
        if base(was) != base(is) || was.write_only != is.write_only || !null_fits {
            out.push(format!("`{path}` is {} now, and was {}", attribute(is), attribute(was)));
        } else if let Some(narrowed) = super::values::narrowed_snapshot(was, is) {
            out.push(format!("`{path}` {narrowed}"));
        } else if let (Some(was), Some(is)) = (&was.nested, &is.nested) {
            members(out, &path, is_prior, (&was.attributes, &NO_BLOCKS), (&is.attributes, &NO_BLOCKS));
        }
    }
    for (name, is) in now.0.iter().filter(|(name, _)| !locked.0.contains_key(*name)) {
        let path = step(prefix, name);
        if is_prior {
            out.push(format!("`{path}` is new"));
        } else if is.nullable == Some(false) {
            out.push(format!("`{path}` is new, and state without it cannot be read: its field is not an `Option`"));
        }
    }
    for (name, was) in locked.1 {
        let path = step(prefix, name);
        match now.1.get(name) {
            None => out.push(format!("`{path}` is gone, which was {}", block(was))),
            Some(is) if was.mode != is.mode => out.push(format!("`{path}` is {} now, and was {}", block(is), block(was))),
            Some(is) => members(out, &path, is_prior, (&was.attributes, &was.blocks), (&is.attributes, &is.blocks)),
        }
    }
    if is_prior {
        out.extend(
            now.1.keys().filter(|name| !locked.1.contains_key(*name)).map(|name| format!("`{}` is new", step(prefix, name))),
        );
    }
}
