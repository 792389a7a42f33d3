//! Field names in operators.

use proc_macro2::{Literal, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, Lit, LitStr, Token};

use super::FieldPath;

impl FieldPath {
    /// The names as Rust has them, without `r#`.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(|segment| segment.unraw().to_string()).collect()
    }

    /// As its author would write it.
    pub(crate) fn spelt(&self) -> String {
        self.names().join(".")
    }

    /// Several as their author would write them where one may stand.
    pub(crate) fn all_spelt(paths: &[Self]) -> String {
        match paths {
            [only] => only.spelt(),
            several => format!("[{}]", several.iter().map(Self::spelt).collect::<Vec<_>>().join(", ")),
        }
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.names() == other.names()
    }

    /// This path with one more name.
    pub(super) fn below(&self, name: &Ident) -> Self {
        let mut segments = self.0.clone();
        segments.push(name.clone());
        Self(segments)
    }

    /// The last name.
    pub(super) fn last(&self) -> Option<&Ident> {
        self.0.last()
    }

    /// The path that stands in a text, which is where messages about it point.
    pub(super) fn in_text(names: &str, text: &LitStr) -> Self {
        Self(names.split('.').map(|name| ident(name, text)).collect())
    }
}

impl ToTokens for FieldPath {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for (index, segment) in self.0.iter().enumerate() {
            if index > 0 {
                Token![.](segment.span()).to_tokens(tokens);
            }
            segment.to_tokens(tokens);
        }
    }
}

/// The identifier `name`, raw if it has to be. `name` consists of letters, digits and underscores and does not start with a digit.
fn ident(name: &str, text: &LitStr) -> Ident {
    if syn::parse_str::<Ident>(name).is_ok() || ["self", "Self", "super", "crate", "_"].contains(&name) {
        Ident::new(name, text.span())
    } else {
        Ident::new_raw(name, text.span())
    }
}

/// Reads `field` or `object.field`. The error has no `help:` line yet.
pub(in crate::attr) fn path(input: ParseStream<'_>) -> Result<FieldPath, (TokenStream, String)> {
    let mut segments = vec![name(input)?];
    while input.peek(Token![.]) {
        let dot = input.parse::<Token![.]>().map_err(|error| (TokenStream::new(), error.to_string()))?;
        if !input.peek(Ident::peek_any) && !input.peek(Lit) {
            return Err((dot.to_token_stream(), "there is no field after this dot".to_owned()));
        }
        segments.push(name(input)?);
    }
    Ok(FieldPath(segments))
}

fn name(input: ParseStream<'_>) -> Result<Ident, (TokenStream, String)> {
    if let Ok(ident) = input.parse::<Ident>() {
        return Ok(ident);
    }
    let keyword = input.peek(Ident::peek_any);
    let token = input.fork().parse::<TokenTree>();
    Err(match token {
        Ok(TokenTree::Ident(ident)) if keyword => {
            let raw = format!("`{ident}` is a keyword; the field is written `r#{ident}`");
            (ident.to_token_stream(), raw)
        }
        Ok(TokenTree::Literal(literal)) => (literal.to_token_stream(), literal_in_place_of_a_field(&literal)),
        Ok(other) => (other.to_token_stream(), "this is not the name of a field".to_owned()),
        Err(_) => (TokenStream::new(), "a field is missing".to_owned()),
    })
}

fn literal_in_place_of_a_field(literal: &Literal) -> String {
    match syn::parse_str::<LitStr>(&literal.to_string()) {
        Ok(text) if syn::parse_str::<Ident>(&text.value()).is_ok() => {
            format!("a field is named as in Rust, without quotes: `{}`", text.value())
        }
        _ => "this is not the name of a field".to_owned(),
    }
}
