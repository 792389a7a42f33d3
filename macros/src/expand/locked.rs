//! The comparison of a model with what the lock says was released.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use super::aimed;
use super::difference::table_ident;
use crate::attr::Versions;
use crate::lock::{self, Entry, Lock};
use crate::model::{PriorVersion, Resource, Row};

/// The check of `resource`, aimed at its version; nothing where there is no lock.
pub(super) fn check(resource: &Resource) -> TokenStream {
    let Some(found) = lock::find() else { return TokenStream::new() };
    let place = resource.version_literal.span();
    // A constant that is made of the file makes the compiler watch it.
    let path = found.path.to_string_lossy();
    let watch = if found.is_to_be_watched() {
        quote!(
            const _: &[u8] = ::core::include_bytes!(#path);
        )
    } else {
        TokenStream::new()
    };
    let lock = match &found.lock {
        Ok(lock) => lock,
        Err(problem) => {
            let message = format!("{path} cannot be read: {problem}");
            return quote_spanned!(place=> ::core::compile_error!(#message););
        }
    };
    let Resource { type_name, version, .. } = resource;
    let differences =
        resource.upgraders.shapes.iter().enumerate().flat_map(|(index, prior)| difference(lock, resource, index, prior));
    let differences: TokenStream = differences.collect();
    let Some(entry) = lock.get(type_name, *version) else { return quote!(#watch #differences) };
    let rust_name = resource.object.ident.unraw().to_string();
    let ident = aimed(&resource.object.ident, place);
    let locked = locked(type_name, entry, lock.has_later(type_name, *version));
    let check = quote_spanned! {place=>
        const _: () = __upstate::check_locked(#rust_name, <#ident as __upstate::Object>::TABLE, &#locked);
    };
    quote!(#watch #check #differences)
}

/// The check of a difference, aimed at the version that it describes, against each shape that was released under one of its versions.
fn difference<'l>(
    lock: &'l Lock,
    resource: &'l Resource,
    index: usize,
    prior: &'l PriorVersion,
) -> impl Iterator<Item = TokenStream> + 'l {
    let Versions { first, last } = &prior.versions;
    let table = table_ident(index);
    let named: Vec<&str> =
        prior.shape.fields.iter().filter(|field| !matches!(field.row, Row::Same(_))).map(|field| field.name.as_str()).collect();
    lock.overlapping(&resource.type_name, first.number..=last.number).map(move |(versions, entry)| {
        let place = if versions.contains(&last.number) { last.literal.span() } else { first.literal.span() };
        let version = Literal::u64_unsuffixed(last.number.min(*versions.end()));
        let locked = locked(&resource.type_name, entry, true);
        quote_spanned! {place=>
            const _: () = __upstate::check_difference(#version, &#table, &[#(#named),*], &#locked);
        }
    })
}

/// Whether all that a difference describes was released, so that the lock says what it is.
pub(super) fn is_pinned(resource: &Resource, prior: &PriorVersion) -> bool {
    let Versions { first, last } = &prior.versions;
    lock::find().is_some_and(|found| {
        found
            .lock
            .as_ref()
            .is_ok_and(|lock| [first, last].iter().all(|version| lock.get(&resource.type_name, version.number).is_some()))
    })
}

/// What the lock says about a version.
fn locked(type_name: &str, entry: &Entry, is_prior: bool) -> TokenStream {
    let Entry { lines, sensitive, alternatives, .. } = entry;
    let [fingerprint, values] = [entry.fingerprint, entry.values].map(Literal::u64_unsuffixed);
    let alternatives = alternatives.iter().copied().map(Literal::u64_unsuffixed);
    quote! {
        __upstate::Locked {
            type_name: #type_name,
            fingerprint: #fingerprint,
            values: #values,
            alternatives: &[#(#alternatives),*],
            is_prior: #is_prior,
            lines: #lines,
            sensitive: &[#(#sensitive),*],
        }
    }
}
