//! The list inside an attribute's parentheses: option by option, so that one mistake hides no
//! other.

use std::collections::BTreeMap;

use darling::FromMeta;
use darling::ast::NestedMeta;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::{
    Attribute, Expr, ExprLit, ExprPath, Ident, Lit, LitBool, Meta, MetaNameValue, Path,
    PathArguments, RangeLimits, Token,
};

use super::operators::{self, Call};
use super::spec::{Spec, version_with_a_key};
use super::value::spelt;
use crate::errors::{Errors, line};

/// The parts of all attributes of one name.
#[derive(Debug)]
pub(super) struct Listed<T> {
    pub(super) options: T,
    /// Values without a key.
    pub(super) bare: Vec<Expr>,
    /// Operators, if the attribute takes any.
    pub(super) calls: Vec<Call>,
    /// The value after the arrow behind the first value without a key.
    pub(super) target: Option<Expr>,
    /// True if every part was understood; if not, what seems to be missing may only be misspelt.
    pub(super) complete: bool,
}

/// Reads `attributes`, all of them of the name `spec.name`, as one list.
///
/// `is_bare` says which words without a value are values without a key.
pub(super) fn read<'a, T: FromMeta + Default>(
    spec: &Spec,
    attributes: impl IntoIterator<Item = &'a Attribute>,
    is_bare: fn(&Spec, &Path) -> bool,
    errors: &mut Errors,
) -> Listed<T> {
    let mut bare = Vec::new();
    let mut calls = Vec::new();
    let mut target = None;
    let mut options = Vec::new();
    let mut first_lines = BTreeMap::new();
    let mut complete = true;
    for attribute in attributes {
        let (items, all_read) = items(spec, attribute, errors);
        complete &= all_read;
        for item in items {
            let mut foreign = None;
            let item = match item {
                Item::Option(Meta::Path(path)) if is_bare(spec, &path) => {
                    // A keyword is a path here, and no expression elsewhere.
                    bare.push(Expr::Path(ExprPath {
                        attrs: Vec::new(),
                        qself: None,
                        path,
                    }));
                    continue;
                }
                Item::Bare(expr) => {
                    bare.push(expr);
                    continue;
                }
                Item::Arrow(expr, arrow, to) => {
                    if !spec.arrow {
                        let message = format!(
                            "`#[{}(…)]` takes no arrow here\nhelp: remove what follows `=>`",
                            spec.name
                        );
                        errors.push(arrow, message);
                    }
                    // An arrow behind a later value needs no error of its own, because that value
                    // has one wherever it is read.
                    complete &= spec.arrow && bare.is_empty();
                    bare.push(expr);
                    target = Some(to);
                    continue;
                }
                Item::Call(call)
                    if spec.operators && operators::takes_parentheses(&call.word.to_string()) =>
                {
                    calls.push(call);
                    continue;
                }
                Item::Call(Call { word, group }) => {
                    foreign = operators::meant_with(&word.to_string(), &group.stream())
                        .filter(|_| spec.operators);
                    Meta::NameValue(MetaNameValue {
                        value: Expr::Verbatim(quote!(#word #group)),
                        eq_token: Token![=](group.span_open()),
                        path: word.into(),
                    })
                }
                Item::Option(item) => item,
            };
            let key = item.path();
            let word = spelt(key);
            if !spec.has(&word) {
                let is_version = spec.is_version(&word);
                let message = if is_version && !bare.is_empty() {
                    // Not the number, because the prior version is there already.
                    version_with_a_key(
                        &word,
                        "remove it; the version that it leads to is behind an arrow: `0 => 1`",
                    )
                } else {
                    spec.of_another_attribute(&word, &item)
                        .unwrap_or_else(|| spec.unknown_option(&word, foreign.as_deref()))
                };
                if is_version {
                    errors.push(&item, message);
                } else {
                    errors.push(key, message);
                }
                complete = false;
            } else if let Some(first) = first_lines.get(&word).filter(|_| !spec.repeats(&word)) {
                let help = if matches!(item, Meta::Path(_)) {
                    "remove it here"
                } else {
                    "keep one of the two"
                };
                errors.push(
                    key,
                    format_args!(
                        "`{word}` is given twice\nhelp: {help}\nnote: first given on line {first}"
                    ),
                );
            } else {
                first_lines.insert(word, line(key));
                options.push(NestedMeta::Meta(item));
            }
        }
    }
    // Only known options are left, each once, and reading their values never fails; what darling
    // could still find is its own.
    let options = T::from_list(&options).unwrap_or_else(|error| {
        errors.absorb(error.into());
        complete = false;
        T::default()
    });
    Listed {
        options,
        bare,
        calls,
        target,
        complete,
    }
}

/// One piece between commas. A value that is not an expression, or is not written after a `=`, is
/// verbatim.
enum Item {
    Option(Meta),
    /// `word(…)`
    Call(Call),
    Bare(Expr),
    /// `value => value`
    Arrow(Expr, Token![=>], Expr),
}

/// The pieces of `attribute`'s list, and whether these are all.
fn items(spec: &Spec, attribute: &Attribute, errors: &mut Errors) -> (Vec<Item>, bool) {
    let list = match &attribute.meta {
        Meta::Path(_) => return (Vec::new(), true),
        Meta::List(list) => list,
        Meta::NameValue(pair) => {
            let name = spec.name;
            let value = match &pair.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }) if spec.has(&text.value()) => text.value(),
                text @ Expr::Lit(ExprLit {
                    lit: Lit::Str(_), ..
                }) if spec.has("type_name") => {
                    format!("type_name = {}", text.to_token_stream())
                }
                number @ Expr::Lit(ExprLit {
                    lit: Lit::Int(_), ..
                }) if spec.arrow => format!("{}, …", number.to_token_stream()),
                _ => "…".to_owned(),
            };
            errors.push(
                pair,
                format_args!(
                    "`{name}` takes its options in parentheses\nhelp: write `#[{name}({value})]`"
                ),
            );
            return (Vec::new(), false);
        }
    };
    let mut items = Vec::new();
    let mut complete = true;
    let read_all = |input: ParseStream<'_>| {
        while !input.is_empty() {
            if let Ok(comma) = input.parse::<Token![,]>() {
                errors.push(
                    comma,
                    "there is no option before this comma\nhelp: remove it",
                );
                continue;
            }
            let item = errors.take(item(input));
            let rest = rest_of_piece(input)?.into_iter().next();
            complete &= item.is_some() && rest.is_none();
            if let (Some(_), Some(next)) = (&item, rest) {
                let message = no_comma(&next);
                errors.push(next, message);
            }
            items.extend(item);
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(())
    };
    let result = read_all.parse2(list.tokens.clone());
    complete &= errors.take(result).is_some();
    (items, complete)
}

fn item(input: ParseStream<'_>) -> syn::Result<Item> {
    if !input.peek(Ident::peek_any) || input.peek(LitBool) {
        let start = input.fork();
        let value: Expr = input.parse().map_err(|_| {
            let piece = rest_of_piece(&start).unwrap_or_default();
            syn::Error::new_spanned(
                piece,
                "this is not an option\nhelp: an option is a word, or `key = value`",
            )
        })?;
        let is_to = input.fork().parse::<Ident>().is_ok_and(|word| word == "to");
        if input.peek(Token![->]) || is_to {
            let rest = rest_of_piece(input)?;
            let to = rest
                .clone()
                .into_iter()
                .last()
                .map(|to| to.to_string())
                .unwrap_or_default();
            let message = format!(
                "the arrow between two versions is `=>`\nhelp: write `{} => {to}`",
                value.to_token_stream()
            );
            return Err(syn::Error::new_spanned(
                quote::quote!(#value #rest),
                message,
            ));
        }
        if !input.peek(Token![=>]) {
            return Ok(Item::Bare(value));
        }
        let arrow = input.parse()?;
        let start = input.fork();
        let example = match next_version(&value) {
            Some(next) => {
                let from = value.to_token_stream().to_string().replace(' ', "");
                format!("{from} => {next}")
            }
            None => "0 => 1".to_owned(),
        };
        return input
            .parse()
            .map(|to| Item::Arrow(value, arrow, to))
            .map_err(|_| {
                let piece = rest_of_piece(&start).unwrap_or_default();
                let place = if piece.is_empty() {
                    arrow.to_token_stream()
                } else {
                    piece
                };
                let message =
                    format!("there is no version after this arrow\nhelp: write `{example}`");
                syn::Error::new_spanned(place, message)
            });
    }
    let path = match Path::parse_mod_style(&input.fork()) {
        Ok(_) => Path::parse_mod_style(input)?,
        // Any other keyword, which cannot be a value.
        Err(_) => Path::from(Ident::parse_any(input)?),
    };
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(Item::Option(Meta::Path(path)));
    }
    let (eq_token, value) = if input.peek(Token![=]) {
        let eq_token = input.parse()?;
        let value = if input.is_empty() || input.peek(Token![,]) {
            // Nothing has no place of its own.
            Expr::Verbatim(quote!(#path #eq_token))
        } else {
            value(input)?
        };
        (eq_token, value)
    } else if let Ok(group) = input.fork().parse::<Group>() {
        input.parse::<TokenTree>()?;
        if let Some(word) = path.get_ident() {
            return Ok(Item::Call(Call {
                word: word.clone(),
                group,
            }));
        }
        (
            Token![=](group.span_open()),
            Expr::Verbatim(quote!(#path #group)),
        )
    } else {
        return Ok(Item::Option(Meta::Path(path)));
    };
    Ok(Item::Option(Meta::NameValue(MetaNameValue {
        path,
        eq_token,
        value,
    })))
}

/// The version that follows a prior one, or the last of several.
fn next_version(prior: &Expr) -> Option<u64> {
    match prior {
        Expr::Lit(ExprLit {
            lit: Lit::Int(number),
            ..
        }) => number.base10_parse::<u64>().ok()?.checked_add(1),
        Expr::Range(range) if matches!(range.limits, RangeLimits::Closed(_)) => {
            next_version(range.end.as_deref()?)
        }
        _ => None,
    }
}

/// A path as one writes it for a type, an expression, or else whatever there is.
fn value(input: ParseStream<'_>) -> syn::Result<Expr> {
    let ahead = input.fork();
    if let Ok(path) = ahead.parse::<Path>()
        && (ahead.is_empty() || ahead.peek(Token![,]))
        && !path
            .segments
            .iter()
            .any(|segment| matches!(segment.arguments, PathArguments::Parenthesized(_)))
    {
        input.advance_to(&ahead);
        return Ok(Expr::Path(ExprPath {
            attrs: Vec::new(),
            qself: None,
            path,
        }));
    }
    let ahead = input.fork();
    match ahead.parse() {
        Ok(expr) => {
            input.advance_to(&ahead);
            Ok(expr)
        }
        Err(_) => Ok(Expr::Verbatim(rest_of_piece(input)?)),
    }
}

/// The message where two pieces have no comma between them; `next` begins the second.
pub(super) fn no_comma(next: &TokenTree) -> String {
    let help = match next {
        TokenTree::Ident(_) | TokenTree::Literal(_) | TokenTree::Group(_) => {
            format!("write `, {next}`")
        }
        // A sign may belong to what is before it, so that a comma alone would not mend it.
        TokenTree::Punct(_) => "write one between two of them".to_owned(),
    };
    format!("there is no comma before `{next}`\nhelp: {help}")
}

/// The rest before the next comma.
pub(super) fn rest_of_piece(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut rest = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        rest.extend([input.parse::<TokenTree>()?]);
    }
    Ok(rest)
}
