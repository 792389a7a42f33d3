//! Proofs that attributes of serde are for a derive of serde.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::Path;
use syn::ext::IdentExt;

use super::block;
use super::checks::proven;
use crate::attr::Foreign;

/// An error for each of them, unless the type has serde's traits.
pub(crate) fn foreign(
    ident: &Ident,
    crate_path: Option<&Path>,
    foreign: &[Foreign],
) -> TokenStream {
    let proofs = foreign.iter().map(|Foreign { span, written, help }| {
        let message = format!(
            "`#[{written}]` is for serde, and `{}` derives neither `serde::Serialize` nor `serde::Deserialize` [U0012]\nhelp: {help}",
            ident.unraw()
        );
        let call = quote_spanned! {*span=>
            if !SERDE {
                ::core::panic!(#message)
            }
        };
        proven("SERDE_READS_ITS_ATTRIBUTES", &call, *span)
    });
    let items = quote! {
        use __upstate::WithoutSerde as _;
        const SERDE: bool = __upstate::Serializes::<#ident>::DERIVED || __upstate::Deserializes::<#ident>::DERIVED;
        #(#proofs)*
    };
    block(crate_path, items)
}
