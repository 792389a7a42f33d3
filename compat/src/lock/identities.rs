//! Identities: versioned entries of their own, under the type name of their model, so that the
//! derive pins them as it pins resources.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::{IdentitySnapshot, ResourceSnapshot, Snapshot};

/// The kind that an entry of an identity has.
const KIND: &str = "identity";
/// The fact that names the resources whose identity it is.
const OF: &str = "identity_of";

pub(super) fn is_identity(resource: &ResourceSnapshot) -> bool {
    resource.kind.as_deref() == Some(KIND)
}

/// The resources whose identity an entry is.
pub(super) fn owners(entry: &ResourceSnapshot) -> impl Iterator<Item = &str> {
    entry
        .other
        .get(OF)
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
}

/// The identities of the resources of a release, by type name, each as an entry has it.
///
/// The errors are sentences about type names that are not theirs alone.
pub(super) fn of(current: &Snapshot) -> (BTreeMap<String, ResourceSnapshot>, Vec<String>) {
    let mut identities: BTreeMap<String, (Vec<&str>, &ResourceSnapshot)> = BTreeMap::new();
    let mut refusals = Vec::new();
    for (resource, IdentitySnapshot { type_name, schema }) in current
        .resources
        .iter()
        .filter_map(|(name, resource)| Some((name, resource.identity.as_deref()?)))
    {
        if type_name.is_empty() {
            continue;
        }
        if current.resources.contains_key(type_name) {
            refusals.push(format!(
                "the identity of {resource} has the type name {type_name}, which is that of a resource: give the identity's model another \
                 `type_name`"
            ));
            continue;
        }
        let (of, first) = identities
            .entry(type_name.clone())
            .or_insert((Vec::new(), schema));
        if *first != schema {
            let other = of.first().copied().unwrap_or_default();
            refusals.push(format!(
                "the identities of {other} and {resource} both have the type name {type_name}: give one of the models another `type_name`"
            ));
            continue;
        }
        of.push(resource);
    }
    let entry = |(type_name, (of, schema)): (String, (Vec<&str>, &ResourceSnapshot))| {
        let mut resource = ResourceSnapshot {
            kind: Some(KIND.to_owned()),
            ..schema.clone()
        };
        resource.other.insert(OF.to_owned(), json!(of));
        (type_name, resource)
    };
    (identities.into_iter().map(entry).collect(), refusals)
}

/// Gives the resources of a snapshot, in which identities are as entries have them, their
/// identities.
pub(super) fn attach(snapshot: &mut Snapshot) {
    let names: Vec<String> = snapshot
        .resources
        .iter()
        .filter(|(_, resource)| is_identity(resource))
        .map(|(name, _)| name.clone())
        .collect();
    for type_name in names {
        let Some(mut schema) = snapshot.resources.remove(&type_name) else {
            continue;
        };
        schema.kind = None;
        let of = schema.other.remove(OF);
        let of = of
            .as_ref()
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .filter_map(Json::as_str);
        for resource in of {
            if let Some(resource) = snapshot.resources.get_mut(resource) {
                resource.identity = Some(Box::new(IdentitySnapshot {
                    type_name: type_name.clone(),
                    schema: schema.clone(),
                }));
            }
        }
    }
}
