//! Types that operators write: of prior fields, and only where no struct has them.

use std::collections::BTreeSet;

use syn::spanned::Spanned;

use super::{Declared, Notice, Prior};
use crate::attr::operators::{Condition, FieldPath, Operation, Written};
use crate::attr::spelt;
use crate::errors::{Errors, position};

/// Refuses types that say nothing.
pub(super) fn check(declared: &Declared, errors: &mut Errors) {
    for stage in declared.productions.iter().flat_map(|production| &production.stages) {
        if let (Some(written), true) = (&stage.target.1, has_arrow(&stage.operation)) {
            let (from, to) = (stage.target.spelt(), stage.word.to_string());
            errors.push(
                &written.ty,
                format_args!("the type of `{from}` is that of the later version\nhelp: `{to}` takes the type of a prior field, left of `=>`"),
            );
        }
    }
    let Prior::Model(model) = &declared.prior else { return };
    let mut told = BTreeSet::new();
    for path in paths(declared) {
        let Some(Written { ty, .. }) = path.1.as_deref() else { continue };
        if told.insert(position(ty.span())) {
            let (model, path) = (spelt(model), path.spelt());
            errors.push(ty, format_args!("`{model}` says what `{path}` is\nhelp: remove the type"));
        }
    }
}

/// Whether what it makes stands right of an arrow, or in a text.
fn has_arrow(operation: &Operation) -> bool {
    match operation {
        Operation::Take { .. } | Operation::Copy { .. } | Operation::Extract { .. } => true,
        Operation::Merge(from) => from.len() > 1,
        _ => false,
    }
}

/// All fields that are named.
fn paths(declared: &Declared) -> Vec<&FieldPath> {
    let Declared { productions, drops, notices, conditions, .. } = declared;
    let mut paths: Vec<&FieldPath> = drops.iter().map(|(path, _)| path).collect();
    for stage in productions.iter().flat_map(|production| &production.stages) {
        paths.extend((!has_arrow(&stage.operation)).then_some(&stage.target));
        paths.extend(stage.operation.names());
    }
    paths.extend(notices.iter().filter_map(|Notice { at, .. }| at.as_ref()));
    conditions.iter().for_each(|condition| asked(condition, &mut paths));
    paths
}

fn asked<'a>(condition: &'a Condition, paths: &mut Vec<&'a FieldPath>) {
    match condition {
        Condition::Has(path) | Condition::Lacks(path) | Condition::Is(path, _) | Condition::Fits(path, _) => paths.push(path),
        Condition::Not(other) => asked(other, paths),
        Condition::All(several) | Condition::Any(several) => several.iter().for_each(|one| asked(one, paths)),
    }
}
