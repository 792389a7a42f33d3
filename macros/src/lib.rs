//! Derive macros of upstate, which re-exports them. Depend on that crate, not on this one.
//!
//! Data flows one way: `attr` reads what the user wrote, `model` checks it and settles every name
//! and version, `expand` writes code.

#[cfg(test)]
mod advice;
mod any_of;
mod attr;
mod conflict;
mod errors;
mod expand;
#[cfg(test)]
mod golden;
mod likeness;
mod lock;
mod model;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use self::errors::Errors;
use self::model::Derive;

// Left out of doctests, because the examples would need the runtime built for the host:
// `upstate-tests` runs them.
#[cfg_attr(not(doctest), doc = include_str!("../docs/resource.md"))]
#[cfg_attr(not(doctest), doc = include_str!("../docs/upgraders.md"))]
#[cfg_attr(not(doctest), doc = include_str!("../docs/operators.md"))]
#[cfg_attr(not(doctest), doc = include_str!("../docs/facts.md"))]
#[cfg_attr(not(doctest), doc = include_str!("../docs/resource-attributes.md"))]
#[proc_macro_derive(
    Resource,
    attributes(
        resource,
        upgrade_from,
        move_from,
        attribute,
        block,
        object,
        string_enum,
        serde,
        document,
        upgrade,
        downgrade_to
    )
)]
pub fn resource(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive(Derive::Resource, input.into()).into()
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/object.md"))]
#[proc_macro_derive(
    Object,
    attributes(
        object,
        upgrade_from,
        attribute,
        block,
        resource,
        move_from,
        string_enum,
        serde,
        document
    )
)]
pub fn object(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive(Derive::Object, input.into()).into()
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/string_enum.md"))]
#[proc_macro_derive(
    StringEnum,
    attributes(
        string_enum,
        value,
        object,
        resource,
        upgrade_from,
        move_from,
        attribute,
        block,
        serde
    )
)]
pub fn string_enum(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive(Derive::StringEnum, input.into()).into()
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/document.md"))]
#[proc_macro_derive(
    Document,
    attributes(
        document,
        upgrade_from,
        attribute,
        serde,
        kube,
        resource,
        block,
        upgrade,
        downgrade_to
    )
)]
pub fn document(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive(Derive::Document, input.into()).into()
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/union.md"))]
#[proc_macro_derive(Union, attributes(union, attribute, serde))]
pub fn union(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive(Derive::Union, input.into()).into()
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/any_of.md"))]
#[proc_macro_derive(AnyOf)]
pub fn any_of(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match syn::parse::<DeriveInput>(input) {
        Ok(input) => any_of::any_of(&input).into(),
        Err(error) => error.into_compile_error().into(),
    }
}

/// The impls, or every mistake and impls that hold nothing.
fn derive(derive: Derive, input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    // The impls of the other derive are enough for what uses the type.
    if let Some(error) = conflict::conflict(derive, &input.ident) {
        return error.into_compile_error();
    }
    let mut errors = Errors::default();
    #[cfg(feature = "kube")]
    if derive == Derive::Document
        && let Some(tokens) = custom_resource(&input)
    {
        return tokens;
    }
    let expanded = match derive {
        Derive::Resource => model::resource(&input, &mut errors)
            .as_ref()
            .map(expand::resource),
        Derive::Object => model::object(&input, &mut errors)
            .as_ref()
            .map(expand::nested_object),
        Derive::StringEnum => model::string_enum(&input, &mut errors)
            .as_ref()
            .map(expand::string_enum),
        Derive::Document => model::document(&input, &mut errors).map(|document| match document {
            model::Document::Root(resource) => expand::document_root(&resource),
            model::Document::Part(structure) => expand::document_part(&structure),
        }),
        Derive::Union => model::union::union(&input, &mut errors)
            .as_ref()
            .map(expand::union),
    };
    // Reading the options once more is worth it only where there is something to say.
    let expanded = expanded.map(|mut tokens| {
        // For a document none are foreign, since it reads serde's attributes itself.
        let foreign = if matches!(derive, Derive::Document | Derive::Union) {
            Vec::new()
        } else {
            attr::foreign(&input)
        };
        if !foreign.is_empty() {
            let crate_path = model::crate_path(derive, &input);
            tokens.extend(expand::foreign(&input.ident, crate_path.as_ref(), &foreign));
        }
        tokens
    });
    expanded.unwrap_or_else(|| {
        let crate_path = model::crate_path(derive, &input);
        let mut tokens = errors.into_compile_errors();
        tokens.extend(expand::stub(derive, &input, crate_path.as_ref()));
        tokens
    })
}

/// The impls of a document that is a custom resource; `None` if it is none.
#[cfg(feature = "kube")]
fn custom_resource(input: &DeriveInput) -> Option<TokenStream> {
    let mut errors = Errors::default();
    let kube = attr::kube::kube(&input.attrs, &mut errors)?;
    let mut document = model::document(input, &mut Errors::default());
    if errors.is_empty() {
        let current = match &document {
            Some(model::Document::Root(resource)) => Some(resource.version),
            Some(model::Document::Part(_)) | None => None,
        };
        kube.check(&input.ident, current, &mut errors);
    }
    match &mut document {
        Some(model::Document::Root(resource)) => {
            if errors.is_empty() {
                kube.check_numbers(resource.oldest, resource.version, &mut errors);
            }
            if errors.is_empty() {
                resource.facts.custom_resource = Some(expand::kube::crate_path(&kube));
                let mut tokens = expand::document_root(resource);
                tokens.extend(expand::kube::custom_resource(&kube, resource));
                return Some(tokens);
            }
        }
        Some(model::Document::Part(_)) => {
            if let Some(place) = &kube.place {
                errors.push(place, "a custom resource is a struct with named fields and without parameters [U0016]\nhelp: write its spec as such a struct");
            }
        }
        // The document is read again, so that its mistakes are reported with those here.
        None => drop(model::document(input, &mut errors)),
    }
    let mut tokens = errors.into_compile_errors();
    let crate_path = model::crate_path(Derive::Document, input);
    match &document {
        Some(model::Document::Root(resource)) => tokens.extend(expand::document_root(resource)),
        Some(model::Document::Part(structure)) => tokens.extend(expand::document_part(structure)),
        None => tokens.extend(expand::stub(Derive::Document, input, crate_path.as_ref())),
    }
    if !matches!(document, Some(model::Document::Part(_))) && input.generics.params.is_empty() {
        tokens.extend(expand::kube::facts(&kube, &input.ident, ""));
    }
    Some(tokens)
}
