//! `url(scheme, host, port | 443, path => route)`: the parts of a URL, and the fields that take
//! them.

use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Ident, Token};

use super::reading::Reading;
use super::{FieldPath, Literal, LiteralValue, UrlPart};

/// The parts that a URL may have; those of every URL first.
const PARTS: [&str; 8] = [
    "scheme", "host", "username", "password", "port", "path", "query", "fragment",
];

/// Reads `url(…)`, of which there is one.
pub(super) fn once_url(
    reading: Reading<'_>,
    url: &mut Option<(Ident, Vec<UrlPart>)>,
    input: ParseStream<'_>,
) -> syn::Result<()> {
    let word = input.call(Ident::parse_any)?;
    let content;
    syn::parenthesized!(content in input);
    let tokens = content.parse::<proc_macro2::TokenStream>()?;
    if word != "url" {
        let message = format!(
            "`split` does not know `{word}(…)`\nhelp: write `url(…)` if the string is a URL, or a pattern in quotes"
        );
        return Err(syn::Error::new(word.span(), message));
    }
    let parts = (|input: ParseStream<'_>| {
        Punctuated::<UrlPart, Token![,]>::parse_terminated_with(input, part)
    })
    .parse2(tokens)?;
    let parts: Vec<UrlPart> = parts.into_iter().collect();
    check(&word, &parts)?;
    if url.is_some() {
        return Err(reading.misuse(&word, "`split` takes one `url(…)`"));
    }
    *url = Some((word, parts));
    Ok(())
}

/// `part`, `part | default`, `part => field`, `part => _`
fn part(input: ParseStream<'_>) -> syn::Result<UrlPart> {
    let ident = input.call(Ident::parse_any)?;
    let name = ident.unraw().to_string();
    if !PARTS.contains(&name.as_str()) {
        let message = format!(
            "a URL has no part `{name}`\nhelp: its parts are `{}`; write `host => {name}` if the field has another name",
            PARTS.join("`, `")
        );
        return Err(syn::Error::new(ident.span(), message));
    }
    let default = if input.parse::<Option<Token![|]>>()?.is_some() {
        Some(default(&name, input)?)
    } else {
        None
    };
    let mut field = Some(FieldPath(vec![ident.clone()], None));
    if input.parse::<Option<Token![=>]>>()?.is_some() {
        field = if input.parse::<Option<Token![_]>>()?.is_some() {
            None
        } else {
            let fields = Punctuated::<Ident, Token![.]>::parse_separated_nonempty_with(
                input,
                Ident::parse_any,
            )?;
            Some(FieldPath(fields.into_iter().collect(), None))
        };
    }
    if let (Some(default), None) = (&default, &field) {
        let message = format!(
            "`{name}` is not kept, so nothing takes its default\nhelp: write `{name} => _`"
        );
        return Err(syn::Error::new(default.span, message));
    }
    Ok(UrlPart {
        name,
        default,
        field,
        span: ident.span(),
    })
}

/// The value of a URL without the part.
fn default(name: &str, input: ParseStream<'_>) -> syn::Result<Literal> {
    let literal = Literal::read(&syn::Expr::Lit(input.parse()?))?;
    let error = |message: String| Err(syn::Error::new(literal.span, message));
    match (name, &literal.value) {
        ("scheme" | "host" | "path", _) => error(format!(
            "every URL has a {name}, so it takes no default\nhelp: write `{name}`; the path of `https://example.com` is `/`"
        )),
        ("port", LiteralValue::Number(digits)) if digits.parse::<u16>().is_ok() => Ok(literal),
        ("port", _) => error(
            "the default of a port is a number from 0 to 65535\nhelp: write `port | 443`"
                .to_owned(),
        ),
        (_, LiteralValue::String(_)) => Ok(literal),
        (name, _) => error(format!(
            "the default of this part is a string\nhelp: write `{name} | \"\"`"
        )),
    }
}

/// True if each part is there once, and those of every URL are.
fn check(word: &Ident, parts: &[UrlPart]) -> syn::Result<()> {
    for (index, part) in parts.iter().enumerate() {
        if parts
            .iter()
            .take(index)
            .any(|other| other.name == part.name)
        {
            let message = format!(
                "`{}` is in `url(…)` twice\nhelp: keep one of the two",
                part.name
            );
            return Err(syn::Error::new(part.span, message));
        }
    }
    for name in PARTS.iter().take(2) {
        if !parts.iter().any(|part| part.name == *name) {
            let message = format!(
                "`url(…)` does not say which field takes the {name} that every URL has\nhelp: add `{name}`, `{name} => field`, or `{name} => _` if it may be lost"
            );
            return Err(syn::Error::new(word.span(), message));
        }
    }
    if parts.iter().all(|part| part.field.is_none()) {
        let name = parts.first().map_or("host", |part| part.name.as_str());
        let message = format!(
            "`url(…)` keeps nothing\nhelp: name the field that takes a part, such as `{name} => field`"
        );
        return Err(syn::Error::new(word.span(), message));
    }
    Ok(())
}
