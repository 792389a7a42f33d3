//! The list inside an attribute's parentheses: option by option, so that one mistake hides no other.

use std::collections::BTreeMap;

use darling::FromMeta;
use darling::ast::NestedMeta;
use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, Ident, LitBool, Meta, Path, Token, parse_quote};

use super::spec::Spec;
use super::value::spelt;
use crate::errors::{Errors, line};

/// What the attributes of one name say.
#[derive(Debug)]
pub(super) struct Listed<T> {
    pub(super) options: T,
    /// Values without a key.
    pub(super) bare: Vec<Expr>,
    /// Whether every part was understood; if not, what seems to be missing may only be misspelt.
    pub(super) complete: bool,
}

/// Reads `attributes`, all of them of the name `spec.name`, as one list.
///
/// `is_bare` says which words without a value are values without a key.
pub(super) fn read<'a, T: FromMeta + Default>(
    spec: &Spec,
    attributes: impl IntoIterator<Item = &'a Attribute>,
    is_bare: impl Fn(&Path) -> bool,
    errors: &mut Errors,
) -> Listed<T> {
    let mut bare = Vec::new();
    let mut options = Vec::new();
    let mut first_lines = BTreeMap::new();
    let mut complete = true;
    for attribute in attributes {
        let Some(pieces) = pieces(spec, attribute, errors) else {
            complete = false;
            continue;
        };
        for piece in pieces {
            let Some(item) = errors.take(item.parse2(piece)) else {
                complete = false;
                continue;
            };
            let item = match item {
                Item::Option(NestedMeta::Meta(Meta::Path(path))) if is_bare(&path) => {
                    bare.push(parse_quote!(#path));
                    continue;
                }
                Item::Bare(expr) => {
                    bare.push(expr);
                    continue;
                }
                Item::Option(item) => item,
            };
            let key = match &item {
                NestedMeta::Meta(meta) => meta.path(),
                NestedMeta::NameValueInvalidExpr(invalid) => &invalid.path,
                NestedMeta::Lit(_) => continue,
            };
            let word = spelt(key);
            if !spec.has(&word) {
                errors.push(key, spec.unknown_option(&word));
                complete = false;
            } else if let Some(first) = first_lines.get(&word) {
                errors.push(key, format_args!("`{word}` is given twice\nnote: first given on line {first}"));
            } else {
                first_lines.insert(word, line(key));
                options.push(item);
            }
        }
    }
    // Only known options are left, each once, and reading their values never fails; what darling could still find is its own.
    let options = T::from_list(&options).unwrap_or_else(|error| {
        errors.absorb(error.into());
        complete = false;
        T::default()
    });
    Listed { options, bare, complete }
}

/// The tokens of `attribute`'s list, cut at its commas. `None` if it has no list but something else.
fn pieces(spec: &Spec, attribute: &Attribute, errors: &mut Errors) -> Option<Vec<TokenStream>> {
    let list = match &attribute.meta {
        Meta::Path(_) => return Some(Vec::new()),
        Meta::List(list) => list,
        Meta::NameValue(pair) => {
            let name = spec.name;
            errors.push(
                pair,
                format_args!("`{name}` takes its options in parentheses\nhelp: write `#[{name}(…)]`"),
            );
            return None;
        }
    };
    let mut pieces = vec![TokenStream::new()];
    for token in list.tokens.clone() {
        if matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ',') {
            if pieces.last().is_some_and(TokenStream::is_empty) {
                errors.push(token, "this comma has no option before it\nhelp: remove it");
            } else {
                pieces.push(TokenStream::new());
            }
        } else if let Some(piece) = pieces.last_mut() {
            piece.extend([token]);
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    Some(pieces)
}

/// One piece between commas.
enum Item {
    Option(NestedMeta),
    Bare(Expr),
}

fn item(input: ParseStream<'_>) -> syn::Result<Item> {
    let is_option = input.peek(Ident::peek_any) || input.peek(Token![::]);
    let item = if is_option && !input.peek(LitBool) {
        match input.parse()? {
            NestedMeta::NameValueInvalidExpr(invalid) if invalid.value.is_empty() => {
                let word = spelt(&invalid.path);
                return Err(syn::Error::new_spanned(invalid, format_args!("`{word}` has no value after the `=`")));
            }
            item => Item::Option(item),
        }
    } else {
        let rest = input.fork().parse::<TokenStream>()?;
        let help = "this is not an option\nhelp: an option is a word, or `key = value`";
        Item::Bare(input.parse().map_err(|_| syn::Error::new_spanned(rest, help))?)
    };
    match input.parse::<TokenStream>()?.into_iter().next() {
        None => Ok(item),
        Some(next) => {
            let message = format!("there is no comma before `{next}`\nhelp: write one between two options");
            Err(syn::Error::new_spanned(next, message))
        }
    }
}
