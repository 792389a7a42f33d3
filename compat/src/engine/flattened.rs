//! Flattened enums and maps, as members that rules compare like all others.

use std::borrow::Cow;
use std::collections::BTreeMap;

use upstate_words::lock::{FLATTENED, fingerprint, steps};

use crate::snapshot::{AttributeSnapshot, ResourceSnapshot};
use crate::stored_type::StoredType;

type Members = BTreeMap<String, AttributeSnapshot>;

/// Both with a member for each flattened enum and map, of the same name for what is one on both
/// sides; as they are if that is not known of one of them, as of locks that are older than these
/// lines.
pub(super) fn as_members<'r>(
    old: &'r ResourceSnapshot,
    new: &'r ResourceSnapshot,
) -> (Cow<'r, ResourceSnapshot>, Cow<'r, ResourceSnapshot>) {
    let (mut before, mut after) = (Cow::Borrowed(old), Cow::Borrowed(new));
    let (Some(was), Some(is)) = (&old.flattened, &new.flattened) else {
        return (before, after);
    };
    let nothing = Vec::new();
    for path in was
        .keys()
        .chain(is.keys().filter(|path| !was.contains_key(*path)))
    {
        let parts = [
            was.get(path).unwrap_or(&nothing),
            is.get(path).unwrap_or(&nothing),
        ];
        for (index, (one, other)) in pairs(parts).into_iter().enumerate() {
            let name = if index == 0 {
                FLATTENED.to_owned()
            } else {
                format!("{FLATTENED}{}", index + 1)
            };
            for (resource, part) in [(&mut before, one), (&mut after, other)] {
                if let Some(part) = part {
                    insert(&mut resource.to_mut().attributes, path, &name, part.clone());
                }
            }
        }
    }
    (before, after)
}

type Pair<'p> = (Option<&'p AttributeSnapshot>, Option<&'p AttributeSnapshot>);

/// Those that are the same first, then enums with a variant in common, then those of one kind, then
/// those of one side.
fn pairs([was, is]: [&Vec<AttributeSnapshot>; 2]) -> Vec<Pair<'_>> {
    let mut left: Vec<&AttributeSnapshot> = is.iter().collect();
    let mut pairs: Vec<Pair<'_>> = was.iter().map(|part| (Some(part), None)).collect();
    let alike: [fn(&AttributeSnapshot, &AttributeSnapshot) -> bool; 4] = [
        |was, is| was == is,
        have_variants_in_common,
        |was, is| was.tagging() == is.tagging(),
        |was, is| was.tagging().is_some() == is.tagging().is_some(),
    ];
    for alike in alike {
        for (one, other) in &mut pairs {
            if let (Some(was), None) = (*one, *other)
                && let Some(index) = left.iter().position(|is| alike(was, is))
            {
                *other = Some(left.remove(index));
            }
        }
    }
    pairs.extend(left.into_iter().map(|part| (None, Some(part))));
    pairs
}

/// True of enums whose values name their variant in one form, if they have some of one name: an
/// object may have several such enums.
fn have_variants_in_common(was: &AttributeSnapshot, is: &AttributeSnapshot) -> bool {
    let (Some(StoredType::Union(was, old)), Some(StoredType::Union(is, new))) = (&was.ty, &is.ty)
    else {
        return false;
    };
    was == is
        && old
            .iter()
            .any(|(name, _)| new.iter().any(|(other, _)| other == name))
}

/// Adds a member to the object at a path; at the top, under the whole path, if that is inside of a
/// type.
fn insert(members: &mut Members, path: &str, name: &str, part: AttributeSnapshot) {
    let steps = if path.is_empty() {
        Vec::new()
    } else {
        steps(path).unwrap_or_default()
    };
    let mut reached = Some(&*members);
    for step in &steps {
        reached =
            reached.and_then(|members| Some(&members.get(&**step)?.nested.as_ref()?.attributes));
    }
    if reached.is_some() {
        insert_at(members, &steps, name, part);
    } else {
        members.insert(fingerprint::flattened(path).replace(FLATTENED, name), part);
    }
}

fn insert_at(members: &mut Members, steps: &[Cow<'_, str>], name: &str, part: AttributeSnapshot) {
    let Some((step, rest)) = steps.split_first() else {
        members.insert(name.to_owned(), part);
        return;
    };
    if let Some(nested) = members
        .get_mut(&**step)
        .and_then(|member| member.nested.as_mut())
    {
        insert_at(&mut nested.attributes, rest, name, part);
    }
}
