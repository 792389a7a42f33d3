//! The options that only rules of compatibility and validation read.

use darling::FromMeta;
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Path, Token, parse_quote};

use super::list;
use super::operators::{FieldPath, field_path};
use super::options::{AllowOptions, BehaviourOptions, DeprecatedOptions};
use super::spec::{ALLOW, BEHAVIOUR, DEPRECATED, Spec};
use super::value::{
    Given, Right, Value, described, expression, is_constant, spelt, ungrouped, value_of,
};
use crate::errors::Errors;

/// `deprecated = "…"`, or `deprecated("…", replaced_by = "…", …)`.
#[derive(Debug)]
pub(crate) struct Deprecated {
    pub(crate) message: LitStr,
    pub(crate) replaced_by: Vec<LitStr>,
    pub(crate) no_replacement: Option<LitStr>,
    pub(crate) since: Option<LitStr>,
    pub(crate) remove_in: Option<LitStr>,
}

impl Value for Deprecated {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let Some(group) = group(&right) else {
            let message = LitStr::read(key, right)?;
            return Ok(Self {
                message,
                replaced_by: Vec::new(),
                no_replacement: None,
                since: None,
                remove_in: None,
            });
        };
        let mut errors = Errors::default();
        let (given, first) = nested::<DeprecatedOptions>(&DEPRECATED, key, &group, 1, &mut errors);
        let first = first.into_iter().next();
        let mut text = |given: Option<Given<LitStr>>| value_of(given, &mut errors);
        let (message, no_replacement) = (text(given.message), text(given.no_replacement));
        let (since, remove_in) = (text(given.since), text(given.remove_in));
        let replaced_by = value_of(given.replaced_by, &mut errors);
        let message = match (message, first) {
            (Some(message), Some(first)) => {
                errors.push(
                    first,
                    "the message is given twice\nhelp: keep one of the two",
                );
                Some(message)
            }
            (message, first) => message.or(first),
        };
        if message.is_none() && errors.is_empty() {
            errors.push(key, "`deprecated` does not say what to do\nhelp: write `deprecated(\"use … instead\", …)`");
        }
        match (errors.into_error(), message) {
            (None, Some(message)) => Ok(Self {
                message,
                replaced_by: replaced_by.map_or_else(Vec::new, |texts: Texts| texts.0),
                no_replacement,
                since,
                remove_in,
            }),
            (Some(error), _) => Err(error),
            (None, None) => Err(syn::Error::new_spanned(key, "`deprecated` has no message")),
        }
    }
}

/// `allow("rule", reason = "…", until = "…")`, with one rule or more.
#[derive(Debug)]
pub(crate) struct Allow {
    pub(crate) rules: Vec<LitStr>,
    pub(crate) path: Option<LitStr>,
    pub(crate) reason: LitStr,
    pub(crate) until: LitStr,
}

impl Value for Allow {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        const HELP: &str = "help: write `allow(\"rule-id\", reason = \"…\", until = \"3.0.0\")`";
        let Some(group) = group(&right) else {
            return Err(syn::Error::new_spanned(
                key,
                format!("`allow` takes a rule, a reason and an end in parentheses\n{HELP}"),
            ));
        };
        let mut errors = Errors::default();
        let (given, rules) = nested::<AllowOptions>(&ALLOW, key, &group, usize::MAX, &mut errors);
        let mut text = |given: Option<Given<LitStr>>| value_of(given, &mut errors);
        let given = (text(given.path), text(given.reason), text(given.until));
        if !errors.is_empty() {
            return Err(errors
                .into_error()
                .unwrap_or_else(|| syn::Error::new_spanned(key, HELP)));
        }
        match given {
            (path, Some(reason), Some(until)) if !rules.is_empty() => Ok(Self {
                rules,
                path,
                reason,
                until,
            }),
            (path, reason, until) => {
                let missing = [
                    (rules.is_empty(), "which rule"),
                    (reason.is_none(), "why (`reason`)"),
                    (until.is_none(), "until which release (`until`)"),
                ];
                let missing: Vec<&str> = missing
                    .into_iter()
                    .filter(|(is_missing, _)| *is_missing)
                    .map(|(_, what)| what)
                    .collect();
                let rules: Vec<String> = rules.iter().map(written).collect();
                let rules = if rules.is_empty() {
                    "\"rule-id\"".to_owned()
                } else {
                    rules.join(", ")
                };
                // Without the path, it would let the rule through for all that the model stores.
                let path = path.map(|text| format!("path = {}, ", written(&text)));
                let path = path.unwrap_or_default();
                let reason = reason.map_or_else(|| "\"…\"".to_owned(), |text| written(&text));
                let until = until.map_or_else(|| "\"3.0.0\"".to_owned(), |text| written(&text));
                let help =
                    format!("write `allow({rules}, {path}reason = {reason}, until = {until})`");
                let missing = missing.join(", nor ");
                let message = format!("`allow` does not say {missing}\nhelp: {help}");
                Err(syn::Error::new_spanned(key, message))
            }
        }
    }
}

/// `behaviour("…", since = "3.0.0", flag = field)`.
#[derive(Debug)]
pub(crate) struct Behaviour {
    pub(crate) text: LitStr,
    pub(crate) since: LitStr,
    pub(crate) flag: Option<Ident>,
}

impl Value for Behaviour {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        const HELP: &str = "help: write `behaviour(\"restarts on resize\", since = \"3.0.0\")`";
        let Some(group) = group(&right) else {
            let message = format!(
                "`behaviour` takes what changed, and the release that changed it, in parentheses\n{HELP}"
            );
            return Err(syn::Error::new_spanned(key, message));
        };
        let mut errors = Errors::default();
        let (given, texts) = nested::<BehaviourOptions>(&BEHAVIOUR, key, &group, 1, &mut errors);
        let since = value_of(given.since, &mut errors);
        let flag = value_of(given.flag, &mut errors).map(|Word(flag)| flag);
        if !errors.is_empty() {
            return Err(errors
                .into_error()
                .unwrap_or_else(|| syn::Error::new_spanned(key, HELP)));
        }
        match (texts.into_iter().next(), since) {
            (Some(text), Some(since)) => Ok(Self { text, since, flag }),
            (text, since) => {
                let missing = if text.is_none() {
                    "what changed"
                } else {
                    "which release changed it (`since`)"
                };
                let or = |given: Option<LitStr>, example: &str| {
                    given.map_or_else(|| example.to_owned(), |text| written(&text))
                };
                let text = or(text, "\"restarts on resize\"");
                let since = or(since, "\"3.0.0\"");
                let flag = flag.map_or_else(String::new, |flag| format!(", flag = {flag}"));
                let message = format!(
                    "`behaviour` does not say {missing}\nhelp: write `behaviour({text}, since = {since}{flag})`"
                );
                Err(syn::Error::new_spanned(key, message))
            }
        }
    }
}

/// A string as it is written.
fn written(text: &LitStr) -> String {
    text.token().to_string()
}

/// `key = "…"` or `key("…", "…")`.
#[derive(Debug)]
pub(crate) struct Texts(pub(crate) Vec<LitStr>);

impl Value for Texts {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let Some(group) = group(&right) else {
            return LitStr::read(key, right).map(|text| Self(vec![text]));
        };
        let word = spelt(key);
        let help = format!("help: write `{word} = \"…\"`, or `{word}(\"…\", \"…\")` for several");
        let texts = pieces(&group, |input| {
            let expr: Expr = input.parse()?;
            match ungrouped(&expr) {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }) => Ok(text.clone()),
                other => {
                    let help = match other {
                        // A constant holds another string than its own name.
                        Expr::Path(path) if !is_constant(&path.path) => {
                            format!("help: write `{:?}`", spelt(&path.path))
                        }
                        _ => help.clone(),
                    };
                    let message = format!(
                        "`{word}` takes string literals, not {}\n{help}",
                        described(other)
                    );
                    Err(syn::Error::new_spanned(other, message))
                }
            }
        })?;
        if texts.is_empty() {
            return Err(syn::Error::new_spanned(
                key,
                format!("`{word}` is empty\n{help}"),
            ));
        }
        Ok(Self(texts))
    }
}

/// `key(field, settings.field)`, or several such lists, each in parentheses.
#[derive(Debug)]
pub(crate) struct Fields(pub(crate) Vec<Vec<FieldPath>>);

impl Value for Fields {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let word = spelt(key);
        let help = format!("help: write `{word}(field, other_field)`");
        let Some(group) = group(&right) else {
            return Err(syn::Error::new_spanned(
                key,
                format!("`{word}` takes fields in parentheses\n{help}"),
            ));
        };
        let field = |input: ParseStream<'_>| {
            let at = input.cursor().token_stream();
            field_path(input).map_err(|wrong| {
                let message = wrong.message(help.trim_start_matches("help: "));
                let tokens = if wrong.tokens.is_empty() {
                    at
                } else {
                    wrong.tokens
                };
                syn::Error::new_spanned(tokens, message)
            })
        };
        match group.stream().into_iter().next() {
            Some(TokenTree::Group(_)) => {
                without_parentheses(&word, &group)?;
                let lists = pieces(&group, |input| {
                    let list = input.parse::<Group>()?;
                    pieces(&list, field)
                });
                lists.map(Self)
            }
            _ => Ok(Self(vec![pieces(&group, field)?])),
        }
    }
}

/// The mistake of fields beside lists in parentheses. They are taken for one list more.
fn without_parentheses(word: &str, group: &Group) -> syn::Result<()> {
    let is_comma =
        |token: &TokenTree| matches!(token, TokenTree::Punct(sign) if sign.as_char() == ',');
    let is_list = |token: &TokenTree| matches!(token, TokenTree::Group(_));
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    let first = tokens
        .iter()
        .position(|token| !is_list(token) && !is_comma(token));
    let Some(first) = first else { return Ok(()) };
    let (lists, fields) = tokens.split_at(first);
    let joined = |tokens: &[TokenTree]| tokens.iter().cloned().collect::<TokenStream>();
    let (lists, fields) = (joined(lists), joined(fields));
    let is_one_list = !fields.clone().into_iter().any(|token| is_list(&token))
        && fields.clone().into_iter().any(|token| is_comma(&token));
    let help = if is_one_list {
        let [lists, fields] = [&lists, &fields].map(|tokens| tokens.to_string().replace(" ,", ","));
        format!("write `{word}({lists} ({fields}))`")
    } else {
        format!("write `{word}((a, b), (a, c))`")
    };
    let message = format!("several lists need parentheses, one pair for each\nhelp: {help}");
    Err(syn::Error::new_spanned(fields, message))
}

/// One of a few words.
#[derive(Debug)]
pub(crate) struct Word(pub(crate) Ident);

impl Value for Word {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let word = spelt(key);
        let example = match word.as_str() {
            "read" => "none",
            "flag" => "field",
            _ => "preview",
        };
        let help = format!("help: write `{word} = {example}`");
        let expr = ungrouped(expression(key, &right, "a word", &help)?);
        if let Expr::Path(path) = expr
            && let Some(ident) = path.path.get_ident()
        {
            return Ok(Self(ident.clone()));
        }
        let message = format!("`{word}` takes a word, not {}\n{help}", described(expr));
        Err(syn::Error::new_spanned(expr, message))
    }
}

/// The parentheses of `key(…)`.
pub(super) fn group(right: &Right<'_>) -> Option<Group> {
    let Right::Tokens(tokens) = right else {
        return None;
    };
    match tokens.clone().into_iter().nth(1) {
        Some(TokenTree::Group(group)) => Some(group),
        _ => None,
    }
}

/// The pieces between commas; a mistake in one hides none in another.
fn pieces<T>(
    group: &Group,
    mut read: impl FnMut(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<Vec<T>> {
    let mut errors = Errors::default();
    let mut all = Vec::new();
    let parse = |input: ParseStream<'_>| {
        while !input.is_empty() {
            all.extend(errors.take(read(input)));
            let rest = list::rest_of_piece(input)?;
            if let (Some(next), true) = (rest.into_iter().next(), errors.is_empty()) {
                errors.push(&next, list::no_comma(&next));
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(())
    };
    parse.parse2(group.stream())?;
    errors.into_error().map_or(Ok(all), Err)
}

/// The options inside of `key(…)`, and the strings that may stand first, `most` of them.
pub(super) fn nested<T: FromMeta + Default>(
    spec: &Spec,
    key: &Path,
    group: &Group,
    most: usize,
    errors: &mut Errors,
) -> (T, Vec<LitStr>) {
    let attribute: Attribute = parse_quote!(#[#key #group]);
    let listed = list::read::<T>(spec, [&attribute], |_, _| false, errors);
    let mut first = Vec::new();
    for value in listed.bare {
        match &value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) if first.len() < most => first.push(text.clone()),
            _ => {
                let (shown, texts) = (
                    spec.shown(),
                    if most == 1 { "one string" } else { "strings" },
                );
                let message = format!(
                    "{shown} takes {texts}, and then its options by name\nhelp: they are {}",
                    spec.listed()
                );
                errors.push(value.to_token_stream(), message);
            }
        }
    }
    (listed.options, first)
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    /// The code that the help of a mistake has.
    fn help<V: Value>(key: &Path, written: TokenStream) -> Option<String> {
        let message = V::read(key, Right::Tokens(written)).err()?.to_string();
        Some(message.split_once("help: write ")?.1.replace('`', ""))
    }

    #[test]
    fn the_name_of_a_constant_is_not_its_string() {
        let renamed = |written| help::<Texts>(&parse_quote!(renamed_from), written);
        let named = renamed(quote!(renamed_from(key)));
        assert_eq!(named.as_deref(), Some("\"key\""));
        let constant = renamed(quote!(renamed_from(KEY)));
        assert!(constant.is_some_and(|help| help.contains('…')));
    }

    #[test]
    fn helps_keep_the_options_that_are_there() {
        let written = quote!(allow("a-rule", path = "gone", reason = "unused"));
        assert_eq!(
            help::<Allow>(&parse_quote!(allow), written).as_deref(),
            Some(r#"allow("a-rule", path = "gone", reason = "unused", until = "3.0.0")"#)
        );
        let written = quote!(behaviour("stops", flag = halt));
        assert_eq!(
            help::<Behaviour>(&parse_quote!(behaviour), written).as_deref(),
            Some(r#"behaviour("stops", since = "3.0.0", flag = halt)"#)
        );
        let written = quote!(behaviour(since = "2.0.0", flag = halt));
        assert_eq!(
            help::<Behaviour>(&parse_quote!(behaviour), written).as_deref(),
            Some(r#"behaviour("restarts on resize", since = "2.0.0", flag = halt)"#)
        );
    }
}
