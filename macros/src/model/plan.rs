//! Plans as types of their own, and paths, where a struct asks for them.

use proc_macro2::Ident;
use syn::{DeriveInput, Path, Type, Visibility};

use super::types::inside;
use super::{Derive, Member};
use crate::attr::{Flag, Given, ResourceOptions};
use crate::errors::Errors;

/// The options of a struct, or of a field for the struct in it.
pub(super) struct PlanOptions {
    pub(super) plan: Option<Given<Flag>>,
    pub(super) paths: Option<Given<Flag>>,
}

impl PlanOptions {
    /// True if there is a plan, and the option that asks for it or for the paths alone. A plan has
    /// the paths, so that one option is enough.
    fn option(self, errors: &mut Errors) -> Option<(bool, Given<Flag>)> {
        match (self.plan, self.paths) {
            (Some(plan), paths) => {
                if let Some(paths) = paths {
                    errors.push(
                        &paths.key,
                        "`plan` makes the paths, too\nhelp: remove `paths`",
                    );
                }
                Some((true, plan))
            }
            (None, paths) => paths.map(|paths| (false, paths)),
        }
    }
}

/// A field's struct that has paths itself.
#[derive(Debug)]
pub(crate) struct Nested {
    /// The option, for errors about it.
    key: Path,
    /// True if it has a plan, too.
    has_plan: bool,
    /// The struct, as it is written.
    pub(crate) path: Path,
    /// True if the field holds a collection of it.
    pub(crate) is_collection: bool,
}

impl Nested {
    /// The path of a struct that is beside this one, by the end of its name.
    pub(crate) fn beside(&self, end: &str) -> Path {
        let mut path = self.path.clone();
        if let Some(last) = path.segments.last_mut() {
            last.ident = Ident::new(&format!("{}{end}", last.ident), last.ident.span());
        }
        path
    }
}

impl Member {
    /// The struct that it holds, if that has a plan.
    pub(crate) fn planned(&self) -> Option<&Nested> {
        self.nested.as_ref().filter(|nested| nested.has_plan)
    }
}

/// The struct inside a field that says `plan` or `paths`.
pub(super) fn nested(options: PlanOptions, ty: &Type, errors: &mut Errors) -> Option<Nested> {
    let (has_plan, Given { key, value }) = options.option(errors)?;
    errors.take(value)?;
    let (mut ty, mut is_collection) = (ty, false);
    loop {
        if let Some(inner) = inside("Option", ty).or_else(|| inside("Box", ty)) {
            ty = inner;
        } else if let Some(inner) = inside("Vec", ty).or_else(|| in_map(ty)) {
            (ty, is_collection) = (inner, true);
        } else {
            break;
        }
    }
    match ty {
        Type::Path(path)
            if path.qself.is_none()
                && path
                    .path
                    .segments
                    .last()
                    .is_some_and(|last| last.arguments.is_none()) =>
        {
            Some(Nested {
                key,
                has_plan,
                path: path.path.clone(),
                is_collection,
            })
        }
        _ => {
            let message = format!(
                "`{}` is for a field that holds a struct, or an `Option`, `Vec` or map of one\nhelp: remove it, or make a set a `Vec` with `set`",
                if has_plan { "plan" } else { "paths" }
            );
            errors.push(&key, message);
            None
        }
    }
}

/// The type of the values of a map.
pub(super) fn in_map(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path
        .path
        .segments
        .last()
        .filter(|last| ["BTreeMap", "HashMap"].iter().any(|map| last.ident == map))?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.iter().nth(1) {
        Some(syn::GenericArgument::Type(ty)) => Some(ty),
        _ => None,
    }
}

/// The visibilities of a resource's plan and of its paths, if it asks for them.
pub(super) fn of_resource(
    input: &DeriveInput,
    options: &mut ResourceOptions,
    members: &[Member],
    errors: &mut Errors,
) -> (Option<Visibility>, Option<Visibility>) {
    let given_plan = PlanOptions {
        plan: options.plan.take(),
        paths: options.paths.take(),
    };
    if options.prior.is_some() {
        for (option, word) in [(&given_plan.plan, "plan"), (&given_plan.paths, "paths")] {
            if let Some(Given { key, .. }) = option {
                errors.push(
                    key,
                    format_args!("a prior model is never planned\nhelp: remove `{word}`"),
                );
            }
        }
    }
    of(Derive::Resource, input, given_plan, members, errors)
}

/// The visibilities of a struct's plan and of its paths, if it asks for them.
pub(super) fn of(
    derive: Derive,
    input: &DeriveInput,
    options: PlanOptions,
    members: &[Member],
    errors: &mut Errors,
) -> (Option<Visibility>, Option<Visibility>) {
    let options = options.option(errors);
    let attribute = if derive == Derive::Resource {
        "resource"
    } else {
        "object"
    };
    for nested in members.iter().filter_map(|member| member.nested.as_ref()) {
        let has_enough = options
            .as_ref()
            .is_some_and(|(has_plan, _)| *has_plan || !nested.has_plan);
        if has_enough {
            continue;
        }
        let word = if nested.has_plan { "plan" } else { "paths" };
        let message = format!(
            "`{}` has no {word}, so its fields have none\nhelp: add `#[{attribute}({word})]` to it",
            input.ident
        );
        errors.push(&nested.key, message);
    }
    let Some((has_plan, Given { value, .. })) = options else {
        return (None, None);
    };
    if errors.take(value).is_none() {
        return (None, None);
    }
    (has_plan.then(|| input.vis.clone()), Some(input.vis.clone()))
}
