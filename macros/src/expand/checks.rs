//! Checks that the compiler evaluates: a constant each, named after what it proves, because the
//! compiler shows the name where the check fails.
//!
//! The names are sentences, so that no constant of the user's has one, which is in scope beside
//! them.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};

use crate::attr::Case;
use crate::attr::operators::{as_written, name_of};

/// The names that several checks share.
pub(super) const NO_NAME_IS_READ_TWICE: &str = "NO_NAME_IS_READ_TWICE";
pub(super) const THE_FIELD_CAN_BE_AN_ATTRIBUTE: &str = "THE_FIELD_CAN_BE_AN_ATTRIBUTE";
pub(super) const OF_ITS_VERSION: &str = "THE_MODEL_IS_OF_ITS_VERSION";
pub(super) const THE_FIELD_EXISTS: &str = "THE_FIELD_EXISTS";
pub(super) const THE_OPTION_HAS_ONE_NULL: &str = "THE_OPTION_HAS_ONE_NULL";
pub(super) const THE_REASON_IS_WRITTEN: &str = "THE_REASON_IS_WRITTEN";
pub(super) const WHEN_CAN_HOLD: &str = "WHEN_CAN_HOLD";

/// Has the compiler evaluate `call`, which proves that `holds`.
pub(super) fn proven(holds: &str, call: &TokenStream, span: Span) -> TokenStream {
    let name = Ident::new(holds, span);
    quote_spanned!(span=> const #name: () = #call;)
}

/// The proof that a member which is gone from the objects of a table is called as it was stored.
/// One in quotes or with `r#` is meant as it is written.
pub(super) fn called_as_stored(table: &TokenStream, place: &Ident) -> Option<TokenStream> {
    let name = name_of(place);
    if *place != name {
        return None;
    }
    let others = Case::other_names(&name).into_iter().map(|(word, stored)| {
        let written = as_written(&stored);
        quote!((#word, #stored, #written))
    });
    let call = quote_spanned!(place.span()=> __upstate::derived::check_gone(#table, #name, &[#(#others),*]));
    Some(proven(
        "THE_MEMBER_IS_CALLED_AS_STORED",
        &call,
        place.span(),
    ))
}

/// Numbers constants of one name, from the second on: a struct has one check of a kind for each of
/// its fields.
pub(super) fn numbered(items: TokenStream) -> TokenStream {
    let mut times: HashMap<String, u32> = HashMap::new();
    let (mut in_list, mut is_name) = (false, false);
    let numbered = items.into_iter().map(|token| match token {
        TokenTree::Ident(name) if is_name => {
            is_name = false;
            let time = times.entry(name.to_string()).or_default();
            *time += 1;
            let is_first = *time == 1 || name == "_" || name == "fn";
            TokenTree::Ident(if is_first {
                name
            } else {
                format_ident!("{}_{}", name, time)
            })
        }
        token => {
            // `<const N: usize>` is a parameter, and `*const T` a type.
            is_name = !in_list && matches!(&token, TokenTree::Ident(word) if word == "const");
            in_list = matches!(&token, TokenTree::Punct(punct) if "<,*".contains(punct.as_char()));
            token
        }
    });
    numbered.collect()
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn checks_of_one_name_get_numbers_and_parameters_stay_as_they_are() {
        let items = quote! {
            const THE_FIELD_EXISTS: () = a();
            const _: () = {};
            impl<const N: usize> A for B<N> {}
            const THE_FIELD_EXISTS: () = b();
            const _: () = {};
            impl<T, const N: usize> A for C<T, N> {}
            const THE_FIELD_EXISTS: () = c();
        };
        let expected = quote! {
            const THE_FIELD_EXISTS: () = a();
            const _: () = {};
            impl<const N: usize> A for B<N> {}
            const THE_FIELD_EXISTS_2: () = b();
            const _: () = {};
            impl<T, const N: usize> A for C<T, N> {}
            const THE_FIELD_EXISTS_3: () = c();
        };
        assert_eq!(numbered(items).to_string(), expected.to_string());
    }
}
