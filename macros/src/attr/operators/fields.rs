//! Field names in operators.

use proc_macro2::{Literal, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, Lit, LitStr, Token};

use super::{FieldPath, written};

impl FieldPath {
    /// The names as Rust has them, without `r#`.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(|segment| segment.unraw().to_string()).collect()
    }

    /// As its author would write it.
    pub(crate) fn spelt(&self) -> String {
        self.names().join(".")
    }

    /// With its type, if one is written that a line can hold.
    pub(super) fn typed(&self) -> String {
        match &self.1 {
            Some(written) if written.attributes.is_empty() && !written.has_objects() => {
                let ty = written.ty.to_token_stream().to_string().replace(' ', "").replace(',', ", ");
                format!("{}: {ty}", self.spelt())
            }
            Some(_) | None => self.spelt(),
        }
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
        Self(segments, self.1.clone())
    }

    /// The last name.
    pub(super) fn last(&self) -> Option<&Ident> {
        self.0.last()
    }

    /// The path that is in a string, which is where messages about it point.
    pub(super) fn in_text(names: &str, text: &LitStr) -> Self {
        Self(names.split('.').map(|name| ident(name, text)).collect(), None)
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

/// What is not a field: where, why, and how it would be written if that is known.
pub(in crate::attr) struct NoField {
    pub(in crate::attr) tokens: TokenStream,
    message: String,
    written: Option<String>,
}

impl NoField {
    pub(super) fn new(tokens: TokenStream, message: impl Into<String>) -> Self {
        Self { tokens, message: message.into(), written: None }
    }

    /// The message, with the help for what its author cannot be known to mean.
    pub(in crate::attr) fn message(&self, otherwise: &str) -> String {
        match &self.written {
            Some(name) => format!("{}\nhelp: write `{name}`", self.message),
            None => format!("{}\nhelp: {otherwise}", self.message),
        }
    }
}

/// Reads `field` or `object.field`, with its type if that is written.
pub(in crate::attr) fn path(input: ParseStream<'_>) -> Result<FieldPath, NoField> {
    let attributes = written::attributes(input)?;
    let mut segments = vec![name(input)?];
    while input.peek(Token![.]) {
        let dot = input.parse::<Token![.]>().map_err(|error| NoField::new(TokenStream::new(), error.to_string()))?;
        if !input.peek(Ident::peek_any) && !input.peek(Lit) {
            return Err(NoField::new(dot.to_token_stream(), "there is no field after this dot"));
        }
        segments.push(name(input)?);
    }
    let written = written::written(input, attributes, segments.len())?;
    Ok(FieldPath(segments, written))
}

fn name(input: ParseStream<'_>) -> Result<Ident, NoField> {
    if let Ok(ident) = input.parse::<Ident>() {
        return Ok(ident);
    }
    let keyword = input.peek(Ident::peek_any);
    let token = input.fork().parse::<TokenTree>();
    Err(match token {
        Ok(TokenTree::Ident(ident)) if keyword => {
            let written = format!("r#{ident}");
            let message = format!("`{ident}` is a keyword; the field is written `{written}`");
            NoField { tokens: ident.to_token_stream(), message, written: Some(written) }
        }
        Ok(TokenTree::Literal(literal)) => literal_in_place_of_a_field(&literal),
        Ok(other) => NoField::new(other.to_token_stream(), "this is not the name of a field"),
        Err(_) => NoField::new(TokenStream::new(), "a field is missing"),
    })
}

fn literal_in_place_of_a_field(literal: &Literal) -> NoField {
    let tokens = literal.to_token_stream();
    match syn::parse_str::<LitStr>(&literal.to_string()) {
        Ok(text) if syn::parse_str::<Ident>(&text.value()).is_ok() => {
            let message = format!("a field is named as in Rust, without quotes: `{}`", text.value());
            NoField { tokens, message, written: Some(text.value()) }
        }
        _ => NoField::new(tokens, "this is not the name of a field"),
    }
}
