//! What a prior field is, where an operator writes it as in a struct: `#[attribute(sensitive)] password: String`.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::{Attribute, Token, Type};

use super::fields::NoField;

/// The type of a prior field, and what else is said of it.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    /// How many names of the path lead to the field that it is of.
    pub(crate) depth: usize,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) ty: Type,
}

impl ToTokens for Written {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.ty.to_tokens(tokens);
    }
}

/// The attributes before a field's name.
pub(super) fn attributes(input: ParseStream<'_>) -> Result<Vec<Attribute>, NoField> {
    let start = input.fork();
    Attribute::parse_outer(input).map_err(|error| {
        let place = start.parse().unwrap_or_default();
        NoField::new(place, format!("this attribute cannot be read: {error}"))
    })
}

/// `: Type` after a field's name of `depth` parts, if it is there.
pub(super) fn written(input: ParseStream<'_>, attributes: Vec<Attribute>, depth: usize) -> Result<Option<Box<Written>>, NoField> {
    if input.peek(Token![:]) && !input.peek(Token![::]) {
        let start = input.fork();
        let colon = input.parse::<Token![:]>().map_err(|error| NoField::new(TokenStream::new(), error.to_string()))?;
        let ty = input.parse::<Type>().map_err(|_| {
            let rest = super::reading::rest_of_piece(&start).unwrap_or_default();
            let place = if rest.is_empty() { colon.to_token_stream() } else { rest };
            NoField::new(place, "this is not the type of a field")
        })?;
        return Ok(Some(Box::new(Written { depth, attributes, ty })));
    }
    match attributes.first() {
        Some(attribute) => {
            let message = "an attribute stands before a field with its type: `#[attribute(sensitive)] password: String`";
            Err(NoField::new(attribute.to_token_stream(), message))
        }
        None => Ok(None),
    }
}
