//! A prior field that an operator writes as in a struct:
//! `#[attribute(sensitive)] password: String`. Objects that have no struct stand in the type
//! itself: `Option<Vec<{ groups: Option<i64> }>>`.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Ident, Token, Type};

use super::FieldPath;
use super::fields::NoField;

/// The type of a prior field, and what else is said of it.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    /// The number of names in the path to the field that it is of.
    pub(crate) depth: usize,
    pub(crate) attributes: Vec<Attribute>,
    /// With a name in place of each object that is written in it: see [`Written::object`].
    pub(crate) ty: Type,
    objects: Vec<Vec<(Ident, Written)>>,
}

impl Written {
    /// True if objects are written in the type.
    pub(crate) fn has_objects(&self) -> bool {
        !self.objects.is_empty()
    }

    /// The type as its author wrote it, without the fields of objects that are written in it.
    pub(crate) fn spelt(&self) -> String {
        let spelt = self
            .ty
            .to_token_stream()
            .to_string()
            .replace(' ', "")
            .replace(',', ", ");
        (0..self.objects.len()).rev().fold(spelt, |spelt, place| {
            spelt.replace(&stand_in(place).to_string(), "{ … }")
        })
    }

    /// The fields of the object that a name in the type means.
    pub(crate) fn object(&self, name: &Ident) -> Option<&[(Ident, Self)]> {
        let place = (0..self.objects.len()).find(|place| *name == stand_in(*place))?;
        self.objects.get(place).map(Vec::as_slice)
    }
}

fn stand_in(place: usize) -> Ident {
    format_ident!("__UpstateInPlace{place}")
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
pub(super) fn written(
    input: ParseStream<'_>,
    attributes: Vec<Attribute>,
    depth: usize,
) -> Result<Option<Box<Written>>, NoField> {
    if input.peek(Token![:]) && !input.peek(Token![::]) {
        let colon = input
            .parse::<Token![:]>()
            .map_err(|error| NoField::new(TokenStream::new(), error.to_string()))?;
        return typed(input, attributes, depth, &colon)
            .map(Box::new)
            .map(Some);
    }
    match attributes.first() {
        Some(attribute) => {
            let message = "an attribute goes before a field with its type: `#[attribute(sensitive)] password: String`";
            Err(NoField::new(attribute.to_token_stream(), message))
        }
        None => Ok(None),
    }
}

/// The type after a colon.
fn typed(
    input: ParseStream<'_>,
    attributes: Vec<Attribute>,
    depth: usize,
    colon: &Token![:],
) -> Result<Written, NoField> {
    let (mut tokens, mut objects, mut open) = (TokenStream::new(), Vec::new(), 0_usize);
    let mut place = TokenStream::new();
    while !input.is_empty() && !(open == 0 && (input.peek(Token![,]) || input.peek(Token![=]))) {
        let token = input
            .parse::<TokenTree>()
            .map_err(|error| NoField::new(TokenStream::new(), error.to_string()))?;
        place.extend([token.clone()]);
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let mut name = stand_in(objects.len());
                name.set_span(group.span());
                objects.push(fields(&group)?);
                name.to_tokens(&mut tokens);
            }
            token => {
                match &token {
                    TokenTree::Punct(punct) if punct.as_char() == '<' => open += 1,
                    TokenTree::Punct(punct) if punct.as_char() == '>' => {
                        open = open.saturating_sub(1);
                    }
                    _ => {}
                }
                tokens.extend([token]);
            }
        }
    }
    let ty = syn::parse2::<Type>(tokens).map_err(|_| {
        let place = if place.is_empty() {
            colon.to_token_stream()
        } else {
            place
        };
        if let Some(ty) = quoted_type(&place) {
            return NoField::meaning(place, "a type is written without quotes", ty);
        }
        NoField::new(place, "this is not the type of a field")
    })?;
    Ok(Written {
        depth,
        attributes,
        ty,
        objects,
    })
}

/// A type between quotes.
fn quoted_type(place: &TokenStream) -> Option<String> {
    let text = syn::parse2::<syn::LitStr>(place.clone()).ok()?.value();
    let is_type = text.starts_with(|letter: char| letter.is_ascii_uppercase())
        || ["bool", "i64", "u64", "f64"].contains(&text.as_str());
    (is_type && syn::parse_str::<Type>(&text).is_ok()).then_some(text)
}

/// The fields of an object that is written in place.
fn fields(group: &Group) -> Result<Vec<(Ident, Written)>, NoField> {
    let mut found = Ok(Vec::new());
    let read = |input: ParseStream<'_>| {
        while let (false, Ok(fields)) = (input.is_empty(), &mut found) {
            match field(input) {
                Ok(field) => fields.push(field),
                Err(wrong) => found = Err(wrong),
            }
            input.parse::<Option<Token![,]>>()?;
        }
        input.parse::<TokenStream>().map(drop)
    };
    if let Err(error) = read.parse2(group.stream()) {
        return Err(NoField::new(group.to_token_stream(), error.to_string()));
    }
    found
}

fn field(input: ParseStream<'_>) -> Result<(Ident, Written), NoField> {
    let attributes = attributes(input)?;
    let start = input.fork();
    let missing = || {
        let place = super::reading::rest_of_piece(&start).unwrap_or_default();
        NoField::new(
            place,
            "a field of an object has a name and a type: `{ port: i64 }`",
        )
    };
    let name = match super::fields::quoted_name(input) {
        Some(name) => name,
        None => input.call(Ident::parse_any).map_err(|_| missing())?,
    };
    let colon = input.parse::<Token![:]>().map_err(|_| {
        let name = FieldPath(vec![name.clone()], None).spelt();
        let message = format!("a field of an object has a name and a type\nhelp: write its type, such as `{name}: i64`");
        NoField::new(missing().tokens, message)
    })?;
    Ok((name, typed(input, attributes, 1, &colon)?))
}
