//! Conditions of `only_if`.

use proc_macro2::{Group, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Token};

use super::fields;
use super::pattern::pattern;
use super::reading::{at_end, rest_of_piece};
use super::{Condition, FieldPath, Match};
use crate::likeness;

const CONDITIONS: &str = "`has(field)`, `lacks(field)`, `is(field, value)`, `fits(field, \"pattern\")`, `not(…)`, `all(…)`, `any(…)`";

const WORDS: [&str; 7] = ["has", "lacks", "is", "fits", "not", "all", "any"];

/// Questions that no condition asks.
const OF_A_VALUE: [&str; 12] = [
    "size", "len", "length", "gt", "lt", "ge", "le", "gte", "lte", "greater", "less", "between",
];

/// A condition of another tool as it is written here, with the arguments that it has there.
fn meant(name: &str, input: ParseStream<'_>) -> Option<String> {
    let rest = input.fork();
    let arguments = rest
        .parse::<Group>()
        .map(|group| group.stream())
        .unwrap_or_default();
    // Otherwise the condition behind it, such as `&& has(id)`, would be lost.
    if !at_end(&rest) {
        return None;
    }
    let split = Punctuated::<Expr, Token![,]>::parse_terminated
        .parse2(arguments)
        .unwrap_or_default();
    // Token by token, because a string keeps its blanks.
    let mut shown = split.iter().map(|argument| {
        let tokens = quote::ToTokens::to_token_stream(argument).into_iter();
        tokens.map(|token| token.to_string()).collect::<String>()
    });
    let field = shown.next().unwrap_or_else(|| "field".to_owned());
    let values: Vec<String> = shown.collect();
    let value = values.first().map_or("value", String::as_str);
    // Letters and digits alone, because some other signs mean something in a pattern.
    let text = match split.iter().nth(1) {
        Some(Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        })) if text
            .value()
            .bytes()
            .all(|letter| letter.is_ascii_alphanumeric()) =>
        {
            text.value()
        }
        _ => "…".to_owned(),
    };
    // Otherwise a further argument would be lost.
    let (is_field, is_pair) = (values.is_empty(), values.len() < 2);
    Some(match name {
        "exists" | "present" | "is_some" | "some" | "not_null" | "is_set" | "defined"
        | "contains_key"
            if is_field =>
        {
            format!("has({field})")
        }
        "is_null" | "null" | "is_none" | "none" | "missing" | "absent" | "unset" if is_field => {
            format!("lacks({field})")
        }
        "is_empty" | "empty" if is_field => format!("is({field}, empty)"),
        "eq" | "equals" | "equal" | "value" if is_pair => format!("is({field}, {value})"),
        "ne" | "not_equals" | "differs" if is_pair => format!("not(is({field}, {value}))"),
        "one_of" | "in" | "any_of" if !values.is_empty() => {
            format!("is({field}, {})", values.join(", "))
        }
        "starts_with" | "startswith" | "prefix" | "has_prefix" if is_pair => {
            format!("fits({field}, \"{text}{{_..}}\")")
        }
        "ends_with" | "endswith" | "suffix" | "has_suffix" if is_pair => {
            format!("fits({field}, \"{{_..}}{text}\")")
        }
        "contains" | "includes" if is_pair => {
            format!("fits({field}, \"{{_..}}{text}{{_..}}\")")
        }
        "regex" | "matches" | "like" | "pattern" | "is_match" => {
            format!("fits({field}, \"…{{_..}}\")")
        }
        "and" => "all(…, …)".to_owned(),
        "or" => "any(…, …)".to_owned(),
        _ => return None,
    })
}

/// A condition in place of `==` or `!=`, and true if there is nothing behind it.
fn compared(name: &str, input: ParseStream<'_>) -> Option<(String, bool)> {
    let rest = input.fork();
    let is_not = rest.parse::<Token![==]>().is_err();
    if is_not {
        rest.parse::<Token![!=]>().ok()?;
    }
    let value = quote::ToTokens::to_token_stream(&rest.parse::<Lit>().ok()?);
    let is = format!("is({name}, {value})");
    let is = if is_not { format!("not({is})") } else { is };
    Some((is, at_end(&rest)))
}

/// The field that a question is about, and the one that the operator behind the question makes.
fn measured(input: ParseStream<'_>) -> (String, Option<String>) {
    let rest = input.fork();
    let first = |group: Group| {
        group
            .stream()
            .into_iter()
            .next()
            .map(|first| first.to_string())
    };
    let field = rest.parse::<Group>().ok().and_then(first);
    // The rest of a comparison, such as `> 3`.
    while !rest.is_empty() && !rest.peek(Token![,]) && rest.parse::<TokenTree>().is_ok() {}
    let made = rest
        .parse::<Token![,]>()
        .and_then(|_| rest.parse::<Ident>())
        .and_then(|_| rest.parse::<Group>());
    (
        field.unwrap_or_else(|| "field".to_owned()),
        made.ok().and_then(first),
    )
}

/// Reads one condition.
pub(super) fn condition(input: ParseStream<'_>) -> syn::Result<Condition> {
    let Ok(word) = input.parse::<Ident>() else {
        let token = input.fork().parse::<TokenTree>()?;
        let negated = input
            .parse::<Token![!]>()
            .ok()
            .and_then(|_| input.fork().parse::<syn::ExprCall>().ok());
        let help = match negated {
            Some(call) => format!("write `not({})`", quote::ToTokens::to_token_stream(&call)),
            None => format!("the conditions are {CONDITIONS}"),
        };
        return Err(syn::Error::new_spanned(
            token,
            format_args!("this is not a condition\nhelp: {help}"),
        ));
    };
    let name = word.to_string();
    if super::is_operator(&name)
        && let Ok(group) = input.fork().parse::<Group>()
    {
        let message = format!(
            "`{name}` is an operator, and not a condition\nhelp: write the condition before it, such as `only_if(has(field), {name}{group})`"
        );
        return Err(syn::Error::new_spanned(word, message));
    }
    if !WORDS.contains(&name.as_str()) {
        let nearest = likeness::nearest(&name, WORDS);
        let compared = compared(&name, input);
        let meant = if compared.is_none() {
            meant(&name, input)
        } else {
            None
        };
        let help = match (compared, meant, nearest) {
            (Some((is, true)), _, _) => format!("write `{is}`"),
            // Not alone, because the condition behind it would be lost.
            (Some((is, false)), _, _) => {
                format!("write `all({is}, …)` in place of `&&`, `any({is}, …)` in place of `||`")
            }
            (None, Some(meant), _) => format!("write `{meant}`"),
            (None, None, _) if OF_A_VALUE.contains(&name.as_str()) => {
                let (field, made) = measured(input);
                let operators = match made {
                    Some(made) if made != field => {
                        format!("copy({field} => {made}), convert({made}, with = path)")
                    }
                    Some(_) | None => format!("convert({field}, with = path)"),
                };
                format!(
                    "no condition compares or measures a value; write `{operators}` in place of `only_if`, with a function that does"
                )
            }
            (None, None, Some(nearest)) => format!("did you mean `{nearest}`?"),
            (None, None, None) => format!("the conditions are {CONDITIONS}"),
        };
        return Err(syn::Error::new_spanned(
            word,
            format_args!("there is no condition `{name}`\nhelp: {help}"),
        ));
    }
    if !input.peek(syn::token::Paren) {
        let form = if ["not", "all", "any"].contains(&name.as_str()) {
            "…"
        } else {
            "field"
        };
        return Err(syn::Error::new_spanned(
            word,
            format_args!(
                "`{name}` takes its arguments in parentheses\nhelp: write `{name}({form})`"
            ),
        ));
    }
    // As a group, so that what is left after a mistake is not reported as another one.
    let group = input.parse::<Group>()?;
    let mut found = None;
    let read = |inside: ParseStream<'_>| {
        found = Some(inside_of(&word, inside).inspect_err(|_| drop(inside.parse::<TokenStream>())));
        Ok(())
    };
    read.parse2(group.stream())?;
    found.unwrap_or_else(|| {
        Err(syn::Error::new_spanned(
            word,
            "this condition is not understood",
        ))
    })
}

/// The content of a condition's parentheses.
fn inside_of(word: &Ident, inside: ParseStream<'_>) -> syn::Result<Condition> {
    let name = word.to_string();
    let missing = |what: &str| {
        let rest = rest_of_piece(inside).unwrap_or_default();
        let message = format!("`{name}` is missing {what}");
        if rest.is_empty() {
            syn::Error::new_spanned(word, message)
        } else {
            syn::Error::new_spanned(rest, message)
        }
    };
    let condition = match name.as_str() {
        "has" => Condition::Has(field(inside, word)?),
        "lacks" => Condition::Lacks(field(inside, word)?),
        "is" => {
            let field = field(inside, word)?;
            if inside.peek(Token![=]) {
                let equals = inside.parse::<TokenTree>()?;
                let value = match inside.parse::<Lit>() {
                    Ok(value) if inside.is_empty() => {
                        quote::ToTokens::to_token_stream(&value).to_string()
                    }
                    Ok(_) | Err(_) => "…".to_owned(),
                };
                let message = format!(
                    "`is` takes a comma between the field and its value\nhelp: write `is({}, {value})`",
                    field.typed()
                );
                return Err(syn::Error::new_spanned(equals, message));
            }
            let mut matches = Vec::new();
            while comma(inside)? {
                matches.push(Match::read(&inside.parse::<Expr>()?)?);
            }
            if matches.is_empty() {
                return Err(missing(&format!(
                    "the value\nhelp: write `is({}, \"value\")`",
                    field.typed()
                )));
            }
            Condition::Is(field, matches)
        }
        "fits" => {
            let field = field(inside, word)?;
            let help = format!(
                "help: write `fits({}, \"{{project}}/{{name}}\")`",
                field.typed()
            );
            if !comma(inside)? {
                return Err(missing(&format!("the pattern\n{help}")));
            }
            let Ok(literal) = inside.parse::<LitStr>() else {
                let token = inside.parse::<TokenTree>()?;
                return Err(syn::Error::new_spanned(
                    token,
                    format_args!("a pattern is a string in quotes\n{help}"),
                ));
            };
            let mut pattern = pattern(&literal)?;
            if comma(inside)? {
                let option = inside.parse::<Ident>()?;
                if option != "ignore_case" {
                    return Err(syn::Error::new_spanned(
                        &option,
                        format_args!(
                            "`fits` has no option `{option}` [U0010]\nhelp: its only option is `ignore_case`"
                        ),
                    ));
                }
                pattern.ignore_case = true;
            }
            Condition::Fits(field, pattern)
        }
        "not" => {
            if inside.is_empty() {
                return Err(missing("the condition\nhelp: write `not(has(field))`"));
            }
            Condition::Not(Box::new(condition(inside)?))
        }
        several => {
            let mut conditions = Vec::new();
            while !inside.is_empty() {
                conditions.push(condition(inside)?);
                inside.parse::<Option<Token![,]>>()?;
            }
            if conditions.is_empty() {
                return Err(missing(&format!(
                    "its conditions\nhelp: write `{several}(has(a), has(b))`"
                )));
            }
            if several == "all" {
                Condition::All(conditions)
            } else {
                Condition::Any(conditions)
            }
        }
    };
    inside.parse::<Option<Token![,]>>()?;
    if let Ok(token) = inside.parse::<TokenTree>() {
        let rest: TokenStream = inside.parse()?;
        return Err(syn::Error::new_spanned(
            quote::quote!(#token #rest),
            format_args!("`{name}` does not take this\nhelp: the conditions are {CONDITIONS}"),
        ));
    }
    Ok(condition)
}

/// True if something follows a comma.
fn comma(input: ParseStream<'_>) -> syn::Result<bool> {
    Ok(input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty())
}

fn field(input: ParseStream<'_>, word: &Ident) -> syn::Result<FieldPath> {
    fields::path(input).map_err(|wrong| {
        let message = wrong.message(&format!(
            "write `{word}(field)` with a field of the prior model"
        ));
        let tokens = wrong.tokens;
        if tokens.is_empty() {
            syn::Error::new_spanned(word, message)
        } else {
            syn::Error::new_spanned(tokens, message)
        }
    })
}
