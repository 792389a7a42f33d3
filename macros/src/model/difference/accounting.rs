//! Differences that leave something for the field accounting.

use std::collections::BTreeSet;

use super::super::declared::Declared;
use super::shape::{Row, Shape};

/// True if the field accounting has anything to find. What no operator names is on both sides by
/// the way the prior version is written; what one names may be carried as well, or be used on some
/// states only.
pub(super) fn is_to_be_accounted(declared: &Declared, prior: &Shape, later: &Shape) -> bool {
    let Declared {
        productions,
        drops,
        notices,
        conditions,
        ..
    } = declared;
    if !notices.is_empty()
        || !conditions.is_empty()
        || productions
            .iter()
            .any(|production| production.target.0.len() > 1)
    {
        return true;
    }
    let all: BTreeSet<&str> = productions
        .iter()
        .map(|production| production.name.as_str())
        .collect();
    let anew = productions
        .iter()
        .filter(|production| production.starts_empty());
    let anew: BTreeSet<&str> = anew.map(|production| production.name.as_str()).collect();
    let stays = |name: &str| later.fields.iter().any(|field| field.name == name);
    let read = productions
        .iter()
        .flat_map(|production| &production.stages)
        .flat_map(|stage| stage.operation.reads());
    let mut named = read.chain(drops.iter().map(|dropped| &dropped.path));
    named.any(|path| {
        let field = path.names().first().and_then(|name| prior.field(name));
        path.0.len() > 1
            || field.is_none_or(|field| stays(&field.name) && !anew.contains(field.name.as_str()))
    }) || prior.fields.iter().any(|field| {
        // A field of the later version whose type is written is carried as it is, unless an
        // operator acts on it.
        matches!(field.row, Row::New(_)) && stays(&field.name) && !all.contains(field.name.as_str())
    })
}
