//! The current version and the ways up to it.

use std::collections::BTreeMap;

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{Attribute, Path};

use super::{Edge, Via, names};
use crate::attr::{self, RawEdge, Version};
use crate::errors::{Errors, line};

/// How many stored versions a table of routes may have an entry for.
const MOST_VERSIONS: u64 = 65_536;

/// There is no version; `attribute` is the name in `#[resource(…)]`, if that is there.
pub(super) fn missing(ident: &Ident, attribute: Option<&Path>, errors: &mut Errors) {
    match attribute {
        Some(path) => {
            errors.push(path, format_args!("`{ident}` has no schema version\nhelp: write it first: `#[resource(version = 0)]`"));
        }
        None => errors
            .push(ident, format_args!("`{ident}` has no schema version\nhelp: add `#[resource(version = 0)]` above the struct")),
    }
}

/// The edges, by the version they start at. What depends on a version that could not be read is not checked.
pub(super) fn edges(
    ident: &Ident,
    attributes: &[Attribute],
    version: Option<&Version>,
    oldest: Option<&Version>,
    errors: &mut Errors,
) -> Vec<Edge> {
    let name = ident.unraw().to_string();
    let prior_model = |version: u64| format!("{}V{version}", names::base_name(&name));
    let oldest = oldest.filter(|oldest| match version {
        Some(version) if oldest.number > version.number => {
            errors.push(
                &oldest.literal,
                format_args!(
                    "`oldest = {}` is above `version = {}`\nhelp: name the oldest stored version that can still be read, at most {1}",
                    oldest.number, version.number
                ),
            );
            false
        }
        _ => true,
    });
    let mut first_lines: BTreeMap<u64, usize> = BTreeMap::new();
    let mut edges = Vec::new();
    for RawEdge { from, model, with } in attr::edges(attributes, prior_model, errors).into_iter().flatten() {
        let number = from.number;
        if let Some(first) = first_lines.get(&number) {
            errors.push(
                &from.literal,
                format_args!(
                    "prior version {number} is declared twice\nhelp: keep one of the two\nnote: first declared on line {first}"
                ),
            );
        } else {
            first_lines.insert(number, line(&from.literal));
            start_of_edge(&from, version, oldest, errors);
        }
        if is_itself(ident, &model) {
            errors.push(
                &model,
                format_args!(
                    "`{ident}` cannot be its own prior model\nhelp: copy the fields it had at version {number} into a struct of their own, such as `{}`",
                    prior_model(number)
                ),
            );
        }
        let via = with.map_or(Via::Conversion, Via::Function);
        edges.push(Edge { from: number, model, via });
    }
    edges.sort_by_key(|edge| edge.from);
    edges
}

/// Refuses an edge that no stored state would take.
fn start_of_edge(from: &Version, version: Option<&Version>, oldest: Option<&Version>, errors: &mut Errors) {
    let number = from.number;
    if let Some(Version { number: current, .. }) = version
        && number >= *current
    {
        let below = if *current == 0 { String::new() } else { format!("name a version below {current}, or ") };
        errors.push(
            &from.literal,
            format_args!(
                "prior version {number} is not older than the current version {current}\nhelp: {below}raise `version` to {}",
                number.saturating_add(1)
            ),
        );
    }
    if let Some(Version { number: oldest, .. }) = oldest
        && number < *oldest
    {
        errors.push(
            &from.literal,
            format_args!(
                "prior version {number} is below `oldest = {oldest}`, so no state would be upgraded from it\nhelp: remove this, or write `oldest = {number}`"
            ),
        );
    }
}

/// Refuses more supported versions than a table can hold.
pub(super) fn span_of_versions(version: &Version, oldest: Option<&Version>, edges: &[Edge], errors: &mut Errors) {
    let oldest = oldest.map_or(0, |oldest| oldest.number);
    if !edges.is_empty() && version.number.saturating_sub(oldest) > MOST_VERSIONS {
        errors.push(
            &version.literal,
            format_args!(
                "there are more than {MOST_VERSIONS} versions from {oldest} to {}\nhelp: say with `oldest = …` which of them can still be read",
                version.number
            ),
        );
    }
}

fn is_itself(ident: &Ident, model: &Path) -> bool {
    let mut segments = model.segments.iter().map(|segment| &segment.ident);
    match (model.leading_colon, segments.next(), segments.next(), segments.next()) {
        (None, Some(only), None, None) => only == ident || only == "Self",
        (None, Some(first), Some(last), None) => first == "self" && last == ident,
        _ => false,
    }
}
