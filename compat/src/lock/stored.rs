//! The changes of a stored shape that its released version does not allow.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use upstate_words::lock::step;

use super::{values, variants};
use crate::kind::Kind;
use crate::{
    AttributeSnapshot, BlockSnapshot, NestedSnapshot, ResourceSnapshot, StoredType, untagged,
};

/// An attribute of an object type, or of a collection of objects, as nested attributes: they are
/// stored in the same form, and models have no other. Whether null was read in its members is in no
/// schema document.
fn unfolded(attribute: &AttributeSnapshot) -> Cow<'_, AttributeSnapshot> {
    let Some((members, mode)) = attribute.ty.as_ref().and_then(StoredType::objects) else {
        return Cow::Borrowed(attribute);
    };
    let member = |(name, ty): (&String, &StoredType)| {
        (
            name.clone(),
            AttributeSnapshot {
                ty: Some(ty.clone()),
                nullable: None,
                ..AttributeSnapshot::default()
            },
        )
    };
    let nested = NestedSnapshot {
        mode,
        attributes: members.iter().map(member).collect(),
    };
    Cow::Owned(AttributeSnapshot {
        ty: None,
        nested: Some(nested),
        ..attribute.clone()
    })
}

/// The resource with nested attributes as attributes of object types: an older schema document may
/// have had those, in the same stored form.
pub(super) fn folded(resource: &ResourceSnapshot) -> ResourceSnapshot {
    ResourceSnapshot {
        attributes: all(&resource.attributes, folded_attribute),
        blocks: all(&resource.blocks, folded_block),
        ..resource.clone()
    }
}

fn folded_block(block: &BlockSnapshot) -> BlockSnapshot {
    BlockSnapshot {
        attributes: all(&block.attributes, folded_attribute),
        blocks: all(&block.blocks, folded_block),
        ..block.clone()
    }
}

fn all<T>(named: &BTreeMap<String, T>, folded: fn(&T) -> T) -> BTreeMap<String, T> {
    named
        .iter()
        .map(|(name, one)| (name.clone(), folded(one)))
        .collect()
}

fn folded_attribute(attribute: &AttributeSnapshot) -> AttributeSnapshot {
    let Some(nested) = &attribute.nested else {
        return attribute.clone();
    };
    let member = |(name, member): (&String, &AttributeSnapshot)| {
        (
            name.clone(),
            folded_attribute(member).ty.unwrap_or(StoredType::Dynamic),
        )
    };
    let object = StoredType::Object(
        nested.attributes.iter().map(member).collect(),
        BTreeSet::new(),
    );
    AttributeSnapshot {
        ty: Some(object.arranged(nested.mode)),
        nested: None,
        ..attribute.clone()
    }
}

/// Changes under a released version that must not be.
pub(super) fn differences(
    locked: &ResourceSnapshot,
    now: &ResourceSnapshot,
    is_prior: bool,
) -> Vec<String> {
    let mut differences = Vec::new();
    let grows = if is_prior {
        Grows::Never
    } else if Kind::of(now) == Kind::Document {
        Grows::ByWhatMayBeAbsent
    } else {
        Grows::ByNull
    };
    let known = Known {
        grows,
        forms: locked.knows_forms,
        inside: !now.imported,
    };
    members(
        &mut differences,
        "",
        known,
        (&locked.attributes, &locked.blocks),
        (&now.attributes, &now.blocks),
    );
    super::flattened::differences(&mut differences, locked, now);
    super::aliases::differences(&mut differences, locked, now, is_prior);
    differences.extend(
        untagged::changes(locked, now)
            .iter()
            .map(ToString::to_string),
    );
    differences
}

/// The difference between an attribute and what was released of it, as a sentence; not those of
/// attributes in its objects.
pub(super) fn lost(
    path: &str,
    was: &AttributeSnapshot,
    is: &AttributeSnapshot,
    known: Known,
) -> Option<String> {
    let null_fits = match (was.nullable, is.nullable) {
        (None, _) | (_, None) => true,
        (Some(was), Some(is)) => was == is || is && known.grows != Grows::Never,
    };
    let enums = was
        .ty
        .as_ref()
        .zip(is.ty.as_ref())
        .and_then(|(was, is)| variants::both(was, is));
    let is_same = was.stored().form == is.stored().form;
    if !is_same && enums.is_none() || was.write_only != is.write_only || !null_fits {
        return Some(format!(
            "`{path}` is {} now, and was {}",
            is.stored(),
            was.stored()
        ));
    }
    let of_variants =
        enums.and_then(|(was, is)| variants::difference(was, is, known.grows == Grows::Never));
    let own = of_variants.or_else(|| values::narrowed_snapshot(was, is, known.forms));
    let inside = || {
        values::narrowed_inside(path, was, is, known.forms)
            .or_else(|| values::read_as_earlier(path, was, is, known.forms))
    };
    own.map(|own| format!("`{path}` {own}"))
        .or_else(|| inside().filter(|_| known.inside))
}

/// The facts on which a comparison depends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) grows: Grows,
    /// True if what was released says which of its fields take only strings or numbers of one form.
    pub(super) forms: bool,
    /// True if the later one says which values it takes inside of others. What was imported does
    /// not.
    pub(super) inside: bool,
}

/// The members that a shape may gain under its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grows {
    /// It is history.
    Never,
    /// Those that are null in what is stored without them.
    ByNull,
    /// Those that a document is read without.
    ByWhatMayBeAbsent,
}

type Members<'a> = (
    &'a BTreeMap<String, AttributeSnapshot>,
    &'a BTreeMap<String, BlockSnapshot>,
);

fn members(
    out: &mut Vec<String>,
    prefix: &str,
    known: Known,
    locked: Members<'_>,
    now: Members<'_>,
) {
    static NO_BLOCKS: BTreeMap<String, BlockSnapshot> = BTreeMap::new();
    for (name, was) in locked.0 {
        let path = step(prefix, name);
        let Some(is) = now.0.get(name) else {
            out.push(format!("`{path}` is gone, which was {}", was.stored()));
            continue;
        };
        let (was, is) = (&*unfolded(was), &*unfolded(is));
        if let Some(lost) = lost(&path, was, is, known) {
            out.push(lost);
        } else if let (Some(was), Some(is)) = (&was.nested, &is.nested) {
            members(
                out,
                &path,
                known,
                (&was.attributes, &NO_BLOCKS),
                (&is.attributes, &NO_BLOCKS),
            );
        }
    }
    for (name, is) in now
        .0
        .iter()
        .filter(|(name, _)| !locked.0.contains_key(*name))
    {
        let path = step(prefix, name);
        let is_read_without = match known.grows {
            Grows::Never => {
                out.push(format!("`{path}` is new"));
                continue;
            }
            Grows::ByNull => is.nullable != Some(false),
            Grows::ByWhatMayBeAbsent => !is.required,
        };
        if !is_read_without {
            let why = match known.grows {
                Grows::Never | Grows::ByNull => {
                    "state without it cannot be read: its field is not an `Option`"
                }
                Grows::ByWhatMayBeAbsent => {
                    "documents without it cannot be read: its field has no default"
                }
            };
            out.push(format!("`{path}` is new, and {why}"));
        }
    }
    for (name, was) in locked.1 {
        let path = step(prefix, name);
        match now.1.get(name) {
            None => out.push(format!("`{path}` is gone, which was {}", was.stored())),
            Some(is) if was.mode != is.mode => out.push(format!(
                "`{path}` is {} now, and was {}",
                is.stored(),
                was.stored()
            )),
            Some(is) => members(
                out,
                &path,
                known,
                (&was.attributes, &was.blocks),
                (&is.attributes, &is.blocks),
            ),
        }
    }
    if known.grows == Grows::Never {
        out.extend(
            now.1
                .keys()
                .filter(|name| !locked.1.contains_key(*name))
                .map(|name| format!("`{}` is new", step(prefix, name))),
        );
    }
}
