//! Types that operators write: of prior fields, and only where no struct has them.

use std::collections::BTreeSet;

use syn::spanned::Spanned;

use super::{Declared, Notice, Prior};
use crate::attr::operators::{Condition, FieldPath, Stage, Written};
use crate::attr::spelt;
use crate::errors::{Errors, position};

/// Refuses types that say nothing.
pub(super) fn check(declared: &Declared, errors: &mut Errors) {
    for stage in declared.stages() {
        if let (Some(written), true) = (&stage.target.1, stage.operation.has_arrow()) {
            let (name, word) = (stage.target.spelt(), &stage.word);
            let help = match stage.operation.names().as_slice() {
                [from] if from.1.is_none() && (word == "rename" || word == "copy") => format!(
                    "write `{}: {} => {name}`, since `{word}` takes the type of the prior field",
                    from.spelt(),
                    written.spelt()
                ),
                [] | [_, ..] => format!("`{word}` takes the type of a prior field, left of `=>`"),
            };
            errors.push(
                &written.ty,
                format_args!("the type of `{name}` is that of the later version\nhelp: {help}"),
            );
        }
    }
    for stage in declared.stages() {
        if let Some((name, ty)) = stage.operation.typed_member()
            && let Some(of) = owner_of_members(&declared.prior, stage)
        {
            errors.push(
                ty,
                format_args!("`{of}` says what `{name}` is\nhelp: remove the type"),
            );
        }
    }
    let Prior::Model(model) = &declared.prior else {
        return;
    };
    let mut reported = BTreeSet::new();
    for path in paths(declared) {
        let Some(Written { ty, .. }) = path.1.as_deref() else {
            continue;
        };
        if reported.insert(position(ty.span())) {
            let (model, path) = (spelt(model), path.spelt());
            errors.push(
                ty,
                format_args!("`{model}` says what `{path}` is\nhelp: remove the type"),
            );
        }
    }
}

/// The struct or type that has the members of a field, if the operator does not.
fn owner_of_members(prior: &Prior, stage: &Stage) -> Option<String> {
    match (prior, &stage.target.1) {
        (Prior::Model(model), _) => Some(spelt(model)),
        (Prior::Shape(_) | Prior::Object(_), Some(written)) => Some(written.spelt()),
        (Prior::Shape(_) | Prior::Object(_), None) => None,
    }
}

/// All fields that are named.
fn paths(declared: &Declared) -> Vec<&FieldPath> {
    let Declared {
        productions,
        drops,
        notices,
        carried,
        conditions,
        ..
    } = declared;
    let mut paths: Vec<&FieldPath> = drops
        .iter()
        .map(|dropped| &dropped.path)
        .chain(carried)
        .collect();
    for stage in productions.iter().flat_map(|production| &production.stages) {
        paths.extend((!stage.operation.has_arrow()).then_some(&stage.target));
        paths.extend(stage.operation.names());
    }
    paths.extend(notices.iter().filter_map(|Notice { at, .. }| at.as_ref()));
    paths.extend(conditions.iter().flat_map(Condition::reads));
    paths
}
