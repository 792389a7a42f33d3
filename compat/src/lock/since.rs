//! The releases that deprecated each part.

use std::collections::BTreeMap;

use crate::{AttributeSnapshot, BlockSnapshot, Deprecation, Release, ResourceSnapshot};

/// Takes over what `before` says about the release of each deprecation, where `now` says nothing.
pub(super) fn inherit(before: &ResourceSnapshot, now: &mut ResourceSnapshot) {
    of_resource(Some(before), now, None);
}

/// Notes `release` as the one that deprecated what `before` did not deprecate; an author's own word
/// stays.
pub(super) fn mark(
    before: Option<&ResourceSnapshot>,
    now: &mut ResourceSnapshot,
    release: &Release,
) {
    of_resource(before, now, Some(release));
}

fn of_resource(
    before: Option<&ResourceSnapshot>,
    now: &mut ResourceSnapshot,
    release: Option<&Release>,
) {
    one(
        before.and_then(|before| before.deprecated.as_ref()),
        now.deprecated.as_mut(),
        release,
    );
    let versions = before
        .and_then(|before| before.custom_resource.as_ref())
        .map(|before| &before.versions);
    for (name, version) in now
        .custom_resource
        .iter_mut()
        .flat_map(|now| &mut now.versions)
    {
        let before = versions
            .and_then(|versions| versions.get(name))
            .filter(|before| before.deprecated.is_some());
        if version.deprecated.is_some() {
            version.since = before.map_or_else(
                || release.map(ToString::to_string),
                |before| before.since.clone(),
            );
        }
    }
    attributes(
        before.map(|before| &before.attributes),
        &mut now.attributes,
        release,
    );
    blocks(
        before.map(|before| &before.blocks),
        &mut now.blocks,
        release,
    );
}

fn one(before: Option<&Deprecation>, now: Option<&mut Deprecation>, release: Option<&Release>) {
    let Some(now) = now.filter(|now| now.since.is_none()) else {
        return;
    };
    now.since = match before {
        Some(before) => before.since.clone(),
        None => release.map(ToString::to_string),
    };
}

type Named<T> = BTreeMap<String, T>;

fn attributes(
    before: Option<&Named<AttributeSnapshot>>,
    now: &mut Named<AttributeSnapshot>,
    release: Option<&Release>,
) {
    for (name, attribute) in now {
        let before = before.and_then(|before| before.get(name));
        one(
            before.and_then(|before| before.deprecated.as_ref()),
            attribute.deprecated.as_mut(),
            release,
        );
        if let Some(nested) = &mut attribute.nested {
            let before = before
                .and_then(|before| before.nested.as_ref())
                .map(|nested| &nested.attributes);
            attributes(before, &mut nested.attributes, release);
        }
    }
}

fn blocks(
    before: Option<&Named<BlockSnapshot>>,
    now: &mut Named<BlockSnapshot>,
    release: Option<&Release>,
) {
    for (name, block) in now {
        let before = before.and_then(|before| before.get(name));
        one(
            before.and_then(|before| before.deprecated.as_ref()),
            block.deprecated.as_mut(),
            release,
        );
        attributes(
            before.map(|before| &before.attributes),
            &mut block.attributes,
            release,
        );
        blocks(
            before.map(|before| &before.blocks),
            &mut block.blocks,
            release,
        );
    }
}
