//! Field names in operators.

use proc_macro2::{Literal, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, Lit, LitStr, Token};
use upstate_words::KEYWORDS;

pub(super) use super::written::written;
use super::{FieldPath, written};

/// The beginning of an identifier that means a name in quotes; the letters of the name follow as
/// numbers.
const QUOTED: &str = "__upstate_quoted";

/// The name that an identifier of an operator means: without `r#`, or what was in quotes.
pub(crate) fn name_of(ident: &Ident) -> String {
    let name = ident.unraw().to_string();
    let quoted = |letters: &str| {
        letters
            .split('_')
            .skip(1)
            .map(|letter| char::from_u32(letter.parse().ok()?))
            .collect()
    };
    name.strip_prefix(QUOTED).and_then(quoted).unwrap_or(name)
}

/// A stored name as it is written in an operator.
pub(crate) fn as_written(stored: &str) -> String {
    if syn::parse_str::<Ident>(stored).is_ok() {
        stored.to_owned()
    } else {
        format!("{stored:?}")
    }
}

/// A name in the quotes of another tool, as an operator has it; `None` if there is none in them.
pub(crate) fn unquoted(quoted: &LitStr) -> Option<String> {
    let name = quoted.value();
    match name.as_str() {
        "" | "_" => None,
        // They have no raw form.
        "crate" | "self" | "super" | "Self" => Some(name),
        keyword if KEYWORDS.contains(&keyword) => Some(format!("r#{keyword}")),
        _ => Some(as_written(&name)),
    }
}

/// The identifier that means a name which is not one.
fn quoted(text: &LitStr) -> Ident {
    let letters: Vec<String> = text
        .value()
        .chars()
        .map(|letter| u32::from(letter).to_string())
        .collect();
    Ident::new(&format!("{QUOTED}_{}", letters.join("_")), text.span())
}

/// The identifier, or one like it where a name was in quotes.
pub(crate) fn identifier(ident: &Ident) -> Ident {
    let name = name_of(ident);
    if *ident.unraw().to_string() == *name {
        return ident.clone();
    }
    let letters = name.chars().map(|letter| {
        if letter.is_ascii_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '_'
        }
    });
    Ident::new(
        &format!("quoted_{}", letters.collect::<String>()),
        ident.span(),
    )
}

impl FieldPath {
    /// The names as Rust has them, without `r#`, or in state where they were in quotes.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(name_of).collect()
    }

    /// As its author would write it.
    pub(crate) fn spelt(&self) -> String {
        let spelt = |name: &String| {
            if syn::parse_str::<Ident>(name).is_ok() || is_plain(name) {
                name.clone()
            } else {
                format!("{name:?}")
            }
        };
        self.names().iter().map(spelt).collect::<Vec<_>>().join(".")
    }

    /// With its type, if one is written. One that a line cannot hold is left open, because a help
    /// without it would take it away.
    pub(super) fn typed(&self) -> String {
        match &self.1 {
            Some(written) if written.attributes.is_empty() && !written.has_objects() => {
                format!("{}: {}", self.spelt(), written.spelt())
            }
            Some(_) => format!("{}: …", self.spelt()),
            None => self.spelt(),
        }
    }

    /// Several as their author would write them where one may stand.
    pub(crate) fn all_spelt(paths: &[Self]) -> String {
        one_or_several(paths, Self::spelt)
    }

    /// Several with their types, where one may stand.
    pub(super) fn all_typed(paths: &[Self]) -> String {
        one_or_several(paths, Self::typed)
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
        Self(
            names.split('.').map(|name| ident(name, text)).collect(),
            None,
        )
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

fn one_or_several(paths: &[FieldPath], written: fn(&FieldPath) -> String) -> String {
    let all: Vec<String> = paths.iter().map(written).collect();
    let all = all.join(", ");
    if paths.len() == 1 {
        all
    } else {
        format!("({all})")
    }
}

/// True if a name has the letters of an identifier: then it is one, or a keyword.
fn is_plain(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// The identifier `name`, raw if it has to be. `name` consists of letters, digits and underscores
/// and does not start with a digit.
fn ident(name: &str, text: &LitStr) -> Ident {
    if syn::parse_str::<Ident>(name).is_ok()
        || ["self", "Self", "super", "crate", "_"].contains(&name)
    {
        Ident::new(name, text.span())
    } else {
        Ident::new_raw(name, text.span())
    }
}

/// The tokens that are not a field, the reason, and the right form if that is known.
pub(in crate::attr) struct NoField {
    pub(in crate::attr) tokens: TokenStream,
    message: String,
    written: Option<String>,
}

impl NoField {
    pub(super) fn new(tokens: TokenStream, message: impl Into<String>) -> Self {
        Self {
            tokens,
            message: message.into(),
            written: None,
        }
    }

    /// With what is to be written there.
    pub(super) fn meaning(tokens: TokenStream, message: &str, written: String) -> Self {
        Self {
            tokens,
            message: message.to_owned(),
            written: Some(written),
        }
    }

    /// The message, with the help for what its author cannot be known to mean.
    pub(in crate::attr) fn message(&self, otherwise: &str) -> String {
        match &self.written {
            Some(name) => format!("{}\nhelp: write `{name}`", self.message),
            None if self.message.contains("\nhelp: ") => self.message.clone(),
            None => format!("{}\nhelp: {otherwise}", self.message),
        }
    }
}

/// Reads `field` or `object.field`, with its type if that is written.
pub(in crate::attr) fn path(input: ParseStream<'_>) -> Result<FieldPath, NoField> {
    let attributes = written::attributes(input)?;
    let mut segments = vec![name(input)?];
    while input.peek(Token![.]) {
        let dot = input
            .parse::<Token![.]>()
            .map_err(|error| NoField::new(TokenStream::new(), error.to_string()))?;
        if let Ok(star) = input.fork().parse::<Token![*]>() {
            let message =
                "a path goes through all elements by itself, without `*`\nhelp: remove it";
            return Err(NoField::new(quote::quote!(#dot #star), message));
        }
        if !input.peek(Ident::peek_any) && !input.peek(Lit) {
            return Err(NoField::new(
                dot.to_token_stream(),
                "there is no field after this dot",
            ));
        }
        segments.push(name(input)?);
    }
    let written = written(input, attributes, segments.len())?;
    Ok(FieldPath(segments, written))
}

/// A name in quotes, if it comes and is not an identifier.
pub(super) fn quoted_name(input: ParseStream<'_>) -> Option<Ident> {
    let text = input.fork().parse::<LitStr>().ok()?;
    if text.value().is_empty() || is_plain(&text.value()) {
        return None;
    }
    input.parse::<LitStr>().ok().map(|text| quoted(&text))
}

fn name(input: ParseStream<'_>) -> Result<Ident, NoField> {
    if let Ok(ident) = input.parse::<Ident>() {
        return Ok(ident);
    }
    if let Some(name) = quoted_name(input) {
        return Ok(name);
    }
    // No field has these names, not even with `r#`; what an earlier version stored may.
    if input.peek(Token![crate])
        || input.peek(Token![self])
        || input.peek(Token![super])
        || input.peek(Token![Self])
    {
        return input
            .call(Ident::parse_any)
            .map_err(|error| NoField::new(TokenStream::new(), error.to_string()));
    }
    let keyword = input.peek(Ident::peek_any);
    let token = input.fork().parse::<TokenTree>();
    Err(match token {
        Ok(TokenTree::Ident(ident)) if keyword => {
            let written = format!("r#{ident}");
            let message = format!("`{ident}` is a keyword; the field is written `{written}`");
            NoField {
                tokens: ident.to_token_stream(),
                message,
                written: Some(written),
            }
        }
        Ok(TokenTree::Literal(literal)) => literal_in_place_of_a_field(&literal),
        Ok(other) => NoField::new(other.to_token_stream(), "this is not the name of a field"),
        Err(_) => NoField::new(TokenStream::new(), "a field is missing"),
    })
}

fn literal_in_place_of_a_field(literal: &Literal) -> NoField {
    let tokens = literal.to_token_stream();
    match syn::parse_str::<LitStr>(&literal.to_string()) {
        Ok(text) if is_plain(&text.value()) => {
            let name = text.value();
            let name = if syn::parse_str::<Ident>(&name).is_ok() {
                name
            } else {
                format!("r#{name}")
            };
            let message = format!("a field is named as in Rust, without quotes: `{name}`");
            NoField {
                tokens,
                message,
                written: Some(name),
            }
        }
        _ => NoField::new(tokens, "this is not the name of a field"),
    }
}
