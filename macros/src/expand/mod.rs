//! Generated code: constant tables and one call for each field. Nothing is decided here, and
//! nothing can fail.
//!
//! This is the only place that knows the runtime's paths. All of them start at `__upstate`, which
//! each constant block brings into its own scope, so that no name of the user's can come between.

mod checks;
mod difference;
mod document;
mod facts;
mod field;
mod foreign;
#[cfg(feature = "kube")]
pub(crate) mod kube;
mod locked;
mod members;
mod object;
mod operators;
mod plan;
mod proofs;
mod resource;
mod string_enum;
mod stub;
mod union;
mod upgrader;
mod variants;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Path;
use syn::spanned::Spanned;

use crate::attr::operators::{Literal as Written, LiteralValue};

pub(crate) use self::document::{root as document_root, structure as document_part};
pub(crate) use self::foreign::foreign;
pub(crate) use self::plan::nested_object;
pub(crate) use self::resource::resource;
pub(crate) use self::string_enum::string_enum;
pub(crate) use self::stub::stub;
pub(crate) use self::union::union;

/// The path of the runtime.
fn runtime(crate_path: Option<&Path>) -> TokenStream {
    crate_path.map_or_else(|| quote!(::upstate), ToTokens::to_token_stream)
}

/// Puts `items` out of the way of the user's own.
fn block(crate_path: Option<&Path>, items: TokenStream) -> TokenStream {
    let (runtime, items) = (runtime(crate_path), checks::numbered(items));
    // `dead_code`: no code asks for a check, which the compiler evaluates all the same.
    // `deprecated`: a model may have deprecated fields, and a prior model may be deprecated itself.
    // `question_mark`: `let … else` is cheaper to compile.
    // `unused_qualifications`: code that is aimed at the user's own looks like the user's own.
    // `unexpected_cfgs`: there is code for editors only.
    quote! {
        #[automatically_derived]
        #[doc(hidden)]
        #[allow(clippy::question_mark, dead_code, deprecated, long_running_const_eval, unexpected_cfgs, unused_qualifications)]
        const _: () = {
            use #runtime::__private as __upstate;
            #items
        };
    }
}

/// `Some(…)` or `None`.
fn option(value: Option<impl ToTokens>) -> TokenStream {
    value.map_or_else(
        || quote!(__upstate::None),
        |value| quote!(__upstate::Some(#value)),
    )
}

/// The number of a name, which const evaluation compares in place of its letters.
fn key(name: &str) -> Literal {
    Literal::u64_unsuffixed(upstate_words::key(name))
}

/// The place of the last name of a path.
fn last_segment(path: &Path) -> Span {
    path.segments
        .last()
        .map_or_else(|| path.span(), |segment| segment.ident.span())
}

/// A call of an author's function by the method of a trait, which says of a function that does not
/// fit what to write.
fn call_by(its_trait: &str, of: &TokenStream, function: &Path, arguments: &[&str]) -> TokenStream {
    let place = last_segment(function);
    let its_trait = Ident::new(its_trait, place);
    let arguments = arguments.iter().map(|name| Ident::new(name, place));
    quote_spanned!(place=> __upstate::#its_trait::<#of>::call(#function, #(#arguments),*))
}

/// An expression of a prior model, behind a path to a trait. The compiler reports a type that lacks
/// the derive by the first of them, and the bound of a function would be shown with our source.
fn of_model(model: &Path, of: &TokenStream) -> TokenStream {
    let number = quote_spanned!(last_segment(model)=> <#model as __upstate::IsModel>::NUMBER);
    quote!({ let _ = #number; #of })
}

/// `ident` where `place` is, so that an error about it points there; it still means the same.
fn aimed(ident: &Ident, place: Span) -> Ident {
    let mut ident = ident.clone();
    ident.set_span(ident.span().located_at(place));
    ident
}

/// A value that an operator writes.
fn literal(literal: &Written) -> TokenStream {
    let literal = match &literal.value {
        LiteralValue::Null => quote!(Null),
        LiteralValue::Bool(bool) => quote!(Bool(#bool)),
        LiteralValue::Number(digits) => quote!(Number(#digits)),
        LiteralValue::String(text) => quote!(String(#text)),
        LiteralValue::EmptyList => quote!(EmptyList),
        LiteralValue::EmptyMap => quote!(EmptyMap),
    };
    quote!(__upstate::Literal::#literal)
}
