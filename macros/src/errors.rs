//! The mistakes of one derive, collected until all of them are known.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::spanned::Spanned;

/// The mistakes found in one struct.
///
/// Reading and checking never stop at the first one; they record it here and go on with what is
/// left.
#[derive(Debug, Default)]
pub(crate) struct Errors(Vec<syn::Error>);

impl Errors {
    /// Records a mistake; the caret covers all of `tokens`.
    ///
    /// The first line of `message` says what is wrong. A line `help: …` may follow, with the text
    /// to type, and a line `note: …`, with the reason.
    pub(crate) fn push(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.0.push(syn::Error::new_spanned(tokens, message));
    }

    /// Records each mistake that `error` is made of.
    pub(crate) fn absorb(&mut self, error: syn::Error) {
        self.0.extend(error);
    }

    /// The value, or `None` once its error is recorded.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.absorb(error);
                None
            }
        }
    }

    /// All of them as one, if there are any.
    pub(crate) fn into_error(self) -> Option<syn::Error> {
        self.0.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of mistakes.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// One `compile_error!` for each mistake, in the order of the source.
    pub(crate) fn into_compile_errors(mut self) -> TokenStream {
        self.0.sort_by_key(|error| position(error.span()));
        self.0.iter().map(syn::Error::to_compile_error).collect()
    }

    /// The messages, and where each begins and ends.
    #[cfg(test)]
    pub(crate) fn places(self) -> Vec<(String, Span, Span)> {
        let ends = |error: &syn::Error| {
            // The first and the last token, because the compiler underlines from one to the other.
            let tokens: Vec<_> = error.to_compile_error().into_iter().collect();
            let end = |token: Option<&proc_macro2::TokenTree>| {
                token.map_or_else(Span::call_site, proc_macro2::TokenTree::span)
            };
            (error.to_string(), end(tokens.first()), end(tokens.last()))
        };
        self.0.iter().map(ends).collect()
    }

    /// The messages, in the order of the source.
    #[cfg(test)]
    pub(crate) fn messages(mut self) -> Vec<String> {
        self.0.sort_by_key(|error| position(error.span()));
        self.0.iter().map(ToString::to_string).collect()
    }
}

/// The line that `node` starts on, for messages that point at a second place.
pub(crate) fn line(node: &impl Spanned) -> usize {
    node.span().start().line
}

/// The position at which `span` starts, to compare places of one file.
pub(crate) fn position(span: Span) -> (usize, usize) {
    let start = span.start();
    (start.line, start.column)
}
