//! Plans as types of their own, where a struct asks for one.

use proc_macro2::Ident;
use syn::{DeriveInput, Path, Type, Visibility};

use super::types::inside;
use super::{Derive, Member};
use crate::attr::{Flag, Given, ResourceOptions};
use crate::errors::Errors;

/// A field's struct that has a plan itself.
#[derive(Debug)]
pub(crate) struct Nested {
    /// The option, for errors about it.
    key: Path,
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

/// The struct inside a field that says `plan`.
pub(super) fn nested(plan: Option<Given<Flag>>, ty: &Type, errors: &mut Errors) -> Option<Nested> {
    let Given { key, value } = plan?;
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
        Type::Path(path) if path.qself.is_none() && path.path.segments.last().is_some_and(|last| last.arguments.is_none()) => {
            Some(Nested { key, path: path.path.clone(), is_collection })
        }
        _ => {
            let message = "`plan` is for a field that holds a struct, or an `Option`, `Vec` or map of one\nhelp: remove it, or make a set a `Vec` with `set`";
            errors.push(&key, message);
            None
        }
    }
}

/// The type of the values of a map.
pub(super) fn in_map(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| ["BTreeMap", "HashMap"].iter().any(|map| last.ident == map))?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.iter().nth(1) {
        Some(syn::GenericArgument::Type(ty)) => Some(ty),
        _ => None,
    }
}

/// The visibility of a resource's plan, if it asks for one.
pub(super) fn of_resource(
    input: &DeriveInput,
    options: &mut ResourceOptions,
    members: &[Member],
    errors: &mut Errors,
) -> Option<Visibility> {
    let plan = options.plan.take();
    if let (Some(Given { key, .. }), Some(_)) = (&plan, &options.prior) {
        errors.push(key, "a prior model is never planned\nhelp: remove `plan`");
    }
    of(Derive::Resource, input, plan, members, errors)
}

/// The visibility of a struct's plan, if it asks for one.
pub(super) fn of(
    derive: Derive,
    input: &DeriveInput,
    plan: Option<Given<Flag>>,
    members: &[Member],
    errors: &mut Errors,
) -> Option<Visibility> {
    let Some(Given { value, .. }) = plan else {
        let attribute = if derive == Derive::Resource { "resource" } else { "object" };
        for nested in members.iter().filter_map(|member| member.planned.as_ref()) {
            let message =
                format!("`{}` has no plan, so its fields have none\nhelp: add `#[{attribute}(plan)]` to it", input.ident);
            errors.push(&nested.key, message);
        }
        return None;
    };
    errors.take(value)?;
    Some(input.vis.clone())
}
