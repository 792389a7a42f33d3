//! The comparison of a model with what the lock says was released.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use super::aimed;
use crate::lock;
use crate::model::Resource;

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
    let Some(entry) = lock.get(type_name, *version) else { return watch };
    let rust_name = resource.object.ident.unraw().to_string();
    let ident = aimed(&resource.object.ident, place);
    let [fingerprint, values] = [entry.fingerprint, entry.values].map(Literal::u64_unsuffixed);
    let is_prior = lock.has_later(type_name, *version);
    let alternatives = entry.alternatives.iter().copied().map(Literal::u64_unsuffixed);
    let (lines, sensitive) = (&entry.lines, &entry.sensitive);
    let check = quote_spanned! {place=>
        const _: () = __upstate::check_locked(
            #rust_name,
            <#ident as __upstate::Object>::TABLE,
            &__upstate::Locked {
                type_name: #type_name,
                fingerprint: #fingerprint,
                values: #values,
                alternatives: &[#(#alternatives),*],
                is_prior: #is_prior,
                lines: #lines,
                sensitive: &[#(#sensitive),*],
            },
        );
    };
    quote!(#watch #check)
}
