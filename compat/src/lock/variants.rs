//! Enums with data under a released version: they keep their variants, and may gain others.

use std::collections::BTreeMap;

use crate::StoredType;

/// An enum as data: the way by which a value tells its variant, and the variants.
pub(super) type Enum<'t> = (&'t str, &'t [(String, StoredType)]);

/// The enums that values were and are, themselves or as elements of collections of the same kinds.
pub(super) fn both<'t>(was: &'t StoredType, is: &'t StoredType) -> Option<(Enum<'t>, Enum<'t>)> {
    match (was, is) {
        (StoredType::List(was), StoredType::List(is))
        | (StoredType::Set(was), StoredType::Set(is))
        | (StoredType::Map(was), StoredType::Map(is)) => both(was, is),
        (StoredType::Union(was, old), StoredType::Union(is, new)) => Some(((was, old), (is, new))),
        _ => None,
    }
}

/// The stored values that the later enum does not read, as the end of a sentence. An enum of a
/// prior version gains no variants.
pub(super) fn difference(
    (was, old): Enum<'_>,
    (is, new): Enum<'_>,
    is_prior: bool,
) -> Option<String> {
    if was != is {
        return Some(format!("is tagged {is:?} now, and was {was:?}"));
    }
    let lost = old.iter().enumerate().find_map(|(index, (name, held))| {
        match new.iter().position(|(other, _)| other == name) {
            None => Some(format!("no longer has the variant {name:?}")),
            // Because the first of variants that fit equally well is read.
            Some(place) if was == "untagged" && place != index => {
                Some(format!("has the variant {name:?} elsewhere"))
            }
            Some(place) => {
                let holds = new.get(place).map(|(_, holds)| holds);
                (holds != Some(held))
                    .then(|| format!("holds something else in the variant {name:?}"))
            }
        }
    });
    let is_known = |name: &str| old.iter().any(|(other, _)| other == name);
    lost.or_else(|| {
        let (name, _) = new.iter().find(|(name, _)| is_prior && !is_known(name))?;
        Some(format!("has the variant {name:?}, which is new"))
    })
}

/// An enum with the variants of two that differ, itself or as elements of collections; nothing if
/// they are not one, or if the order of the variants counts.
pub(super) fn joined(one: &StoredType, other: &StoredType) -> Option<StoredType> {
    match (one, other) {
        (StoredType::List(one), StoredType::List(other)) => {
            Some(StoredType::List(Box::new(joined(one, other)?)))
        }
        (StoredType::Set(one), StoredType::Set(other)) => {
            Some(StoredType::Set(Box::new(joined(one, other)?)))
        }
        (StoredType::Map(one), StoredType::Map(other)) => {
            Some(StoredType::Map(Box::new(joined(one, other)?)))
        }
        (StoredType::Union(one, variants), StoredType::Union(other, more))
            if one == other && one != "untagged" =>
        {
            Some(StoredType::Union(one.clone(), all_of(variants, more)?))
        }
        _ => None,
    }
}

/// The variants of both, by name; nothing if two of one name hold different values.
fn all_of(
    one: &[(String, StoredType)],
    other: &[(String, StoredType)],
) -> Option<Vec<(String, StoredType)>> {
    let mut all: BTreeMap<&String, &StoredType> = BTreeMap::new();
    for (name, held) in one.iter().chain(other) {
        if *all.entry(name).or_insert(held) != held {
            return None;
        }
    }
    Some(
        all.into_iter()
            .map(|(name, held)| (name.clone(), held.clone()))
            .collect(),
    )
}
