//! Functions: calls give arguments by position, and read the result.

use super::{Context, shape, validators};
use crate::release::Semver;
use crate::rule::Level;
use crate::rules as R;
use crate::snapshot::{AttributeSnapshot, ResourceSnapshot, Signature};
use crate::stored_type::StoredType;

/// The path of the result: no parameter can be called so.
const RESULT: &str = "return";

pub(super) fn compare(cx: &mut Context<'_>, old: &ResourceSnapshot, new: &ResourceSnapshot) {
    let (Some(before), Some(after)) = (&old.signature, &new.signature) else {
        return;
    };
    let (fixed, fixed_now) = (before.fixed(), after.fixed());
    if fixed == fixed_now && before.variadic == after.variadic {
        for (name, name_now) in before.parameters.iter().zip(&after.parameters) {
            if let (Some(was), Some(is)) = (old.attributes.get(name), new.attributes.get(name_now))
            {
                parameter(cx, (name, was), (name_now, is));
            }
        }
    } else {
        let may_go_on = fixed == fixed_now && after.variadic;
        let rule = if may_go_on {
            &R::FUNCTION_PARAMETER_ADDED
        } else {
            &R::FUNCTION_PARAMETERS_CHANGED
        };
        cx.report(rule, "")
            .was(before.to_string())
            .now(after.to_string());
    }
    let from = cx.findings.len();
    shape::types(cx, RESULT, &before.result, &after.result);
    for finding in cx
        .findings
        .iter_mut()
        .skip(from)
        .filter(|finding| *finding.rule == R::OBJECT_MEMBER_ADDED)
    {
        // Not in configurations: a result is only read.
        finding.graded(Level::Safe, Semver::Minor);
    }
}

fn parameter(
    cx: &mut Context<'_>,
    (name, was): (&str, &AttributeSnapshot),
    (name_now, is): (&str, &AttributeSnapshot),
) {
    if name != name_now {
        cx.report(&R::FUNCTION_PARAMETER_RENAMED, name)
            .was(name)
            .now(name_now);
    }
    let from = cx.findings.len();
    if let (Some(before), Some(after)) = (&was.ty, &is.ty) {
        shape::types(cx, name_now, before, after);
        if before.is_scalar() && *after == StoredType::String {
            for finding in cx.findings.iter_mut().skip(from) {
                finding
                    .graded(Level::Potential, Semver::Minor)
                    .note("Terraform converts what calls give now to a string");
            }
        }
    } else {
        shape::compare(
            cx,
            name_now,
            (
                super::tree::Node::Attribute(was),
                super::tree::Node::Attribute(is),
            ),
            None,
        );
    }
    match (was.nullable, is.nullable) {
        (Some(true), Some(false)) => {
            cx.report(&R::FUNCTION_NULL_REFUSED, name_now);
        }
        (Some(false), Some(true)) => {
            cx.report(&R::FUNCTION_NULL_TAKEN, name_now);
        }
        _ => {}
    }
    if !cx.imported {
        validators::compare(cx, name_now, was, is);
    }
    cx.described(name_now, &was.description, &is.description);
}

impl Signature {
    /// The number of parameters that take one argument each.
    fn fixed(&self) -> usize {
        self.parameters
            .len()
            .saturating_sub(usize::from(self.variadic))
    }
}
