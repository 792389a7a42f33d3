//! Checks of a configured value: `length`, `range`, `pattern`, `one_of`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Expr, ExprLit, ExprRange, ExprUnary, Lit, LitStr, MetaList, MetaNameValue, Path, RangeLimits,
    Token, UnOp,
};

use super::facts::{group, nested};
use super::options::CheckOptions;
use super::spec::{EACH, KEYS};
use super::value::{Right, Value, described, spelt, ungrouped};
use crate::errors::Errors;

/// `1..=64`, `1..` or `..=64`: whole numbers that are not negative.
#[derive(Debug)]
pub(crate) struct Length {
    pub(crate) min: u64,
    pub(crate) max: u64,
    pub(crate) span: Span,
}

/// A range of any numbers, as decimal strings.
#[derive(Debug)]
pub(crate) struct Range {
    pub(crate) min: Option<String>,
    pub(crate) max: Option<String>,
    pub(crate) span: Span,
}

/// `one_of("a", "b")` or `one_of(1, 2)`.
#[derive(Debug)]
pub(crate) enum Values {
    Strings(Vec<LitStr>),
    Numbers(Vec<(String, Span)>),
}

/// A number as it is written, with its sign.
fn number(expr: &Expr) -> Option<String> {
    match ungrouped(expr) {
        Expr::Lit(ExprLit {
            lit: Lit::Int(literal),
            ..
        }) if literal.suffix().is_empty() => Some(literal.base10_digits().to_owned()),
        Expr::Lit(ExprLit {
            lit: Lit::Float(literal),
            ..
        }) if literal.suffix().is_empty() => {
            // `1.` is a number here and none in JSON.
            Some(literal.base10_digits().trim_end_matches('.').to_owned())
        }
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => number(expr)
            .filter(|text| !text.starts_with('-'))
            .map(|text| format!("-{text}")),
        _ => None,
    }
}

/// The range of `range(min = 1, max = 10)`, which other tools have.
fn of_limits(tokens: &TokenStream) -> Option<String> {
    let list: MetaList = syn::parse2(tokens.clone()).ok()?;
    let pairs = list
        .parse_args_with(Punctuated::<MetaNameValue, Token![,]>::parse_terminated)
        .ok()?;
    let limit = |names: [&str; 3]| {
        let pair = pairs
            .iter()
            .find(|pair| names.iter().any(|name| pair.path.is_ident(name)))?;
        Some(number(&pair.value))
    };
    let (min, max) = (
        limit(["min", "from", "equal"]),
        limit(["max", "to", "equal"]),
    );
    // A limit that is not a number, or a third word, may mean anything.
    let known = pairs.iter().filter(|pair| {
        ["min", "from", "equal", "max", "to"]
            .iter()
            .any(|name| pair.path.is_ident(name))
    });
    if known.count() != pairs.len() || (min.is_none() && max.is_none()) {
        return None;
    }
    let shown = |limit: Option<Option<String>>| limit.map_or(Some(String::new()), |number| number);
    let (min, max) = (shown(min)?, shown(max)?);
    Some(if max.is_empty() {
        format!("{min}..")
    } else {
        format!("{min}..={max}")
    })
}

fn bounds(
    key: &Path,
    right: &Right<'_>,
    help: &str,
) -> syn::Result<(Option<Expr>, Option<Expr>, Span)> {
    let word = spelt(key);
    let expr = match right {
        Right::Expr(expr) => ungrouped(expr),
        Right::Nothing => {
            return Err(syn::Error::new_spanned(
                key,
                format!("`{word}` has no value\n{help}"),
            ));
        }
        Right::Tokens(tokens) => {
            let meant = of_limits(tokens).map(|limits| format!("help: write `{word} = {limits}`"));
            return Err(syn::Error::new_spanned(
                tokens,
                format!(
                    "`{word}` takes a range\n{}",
                    meant.as_deref().unwrap_or(help)
                ),
            ));
        }
    };
    let Expr::Range(ExprRange {
        start, limits, end, ..
    }) = expr
    else {
        // Both are said, because only the author knows which of them a number alone means.
        let alone = number(expr).filter(|text| word == "range" || text.parse::<u64>().is_ok());
        let help = alone.map_or_else(
            || help.to_owned(),
            |number| format!("help: write `{word} = ..={number}` for at most {number}, or `{word} = {number}..={number}`"),
        );
        return Err(syn::Error::new_spanned(
            expr,
            format!("`{word}` takes a range, not {}\n{help}", described(expr)),
        ));
    };
    if let (RangeLimits::HalfOpen(dots), Some(end)) = (limits, end) {
        let first = match start {
            Some(start) => number(start),
            None => Some(String::new()),
        };
        // Not of a range, because that may be of floats, which have no last one before the end.
        let last = number(end)
            .filter(|_| word != "range")
            .and_then(|end| end.parse::<u64>().ok()?.checked_sub(1));
        let help = match (first, last) {
            (Some(first), Some(last)) => format!("write `{word} = {first}..={last}`"),
            (None, _) | (_, None) => "write `..=` and the last value that is".to_owned(),
        };
        let message = format!(
            "a reader may think that `{}` is allowed\nhelp: {help}",
            end.to_token_stream()
        );
        return Err(syn::Error::new_spanned(dots, message));
    }
    if start.is_none() && end.is_none() {
        return Err(syn::Error::new_spanned(
            expr,
            format!("`{word}` has no limit\n{help}"),
        ));
    }
    Ok((
        start.as_deref().cloned(),
        end.as_deref().cloned(),
        expr.span(),
    ))
}

impl Value for Length {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let word = spelt(key);
        let help = format!("help: write `{word} = 1..=64`, `{word} = 1..` or `{word} = ..=64`");
        let (min, max, span) = bounds(key, &right, &help)?;
        let whole = |expr: Option<Expr>, unlimited: u64| match expr {
            None => Ok(unlimited),
            Some(expr) => number(&expr)
                .and_then(|text| text.parse().ok())
                .ok_or_else(|| {
                    syn::Error::new_spanned(
                        &expr,
                        format!("a length is a whole number that is not negative\n{help}"),
                    )
                }),
        };
        let (min, max) = (whole(min, 0)?, whole(max, u64::MAX)?);
        if min > max {
            return Err(syn::Error::new(
                span,
                format!(
                    "no length is at least {min} and at most {max}\nhelp: write `{word} = {max}..={min}`"
                ),
            ));
        }
        Ok(Self { min, max, span })
    }
}

impl Value for Range {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let help = "help: write `range = 1..=100`, `range = 0.5..` or `range = ..=100`";
        let (min, max, span) = bounds(key, &right, help)?;
        let literal = |expr: Option<Expr>| match expr {
            None => Ok(None),
            Some(expr) => match number(&expr) {
                Some(text) => Ok(Some(text)),
                None => Err(syn::Error::new_spanned(
                    &expr,
                    format!("the limits of a range are literal numbers without a suffix\n{help}"),
                )),
            },
        };
        let (min, max) = (literal(min)?, literal(max)?);
        let float = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<f64>().ok());
        if let (Some(least), Some(most)) = (float(&min), float(&max))
            && least > most
        {
            return Err(syn::Error::new(
                span,
                format!(
                    "no number is at least {least} and at most {most}\nhelp: write `range = {most}..={least}`"
                ),
            ));
        }
        Ok(Self { min, max, span })
    }
}

impl Value for Values {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let word = spelt(key);
        let help = format!("help: write `{word}(\"a\", \"b\")` or `{word}(1, 2)`");
        let group = match &right {
            Right::Tokens(tokens) => match tokens.clone().into_iter().nth(1) {
                Some(TokenTree::Group(group)) => group,
                _ => {
                    return Err(syn::Error::new_spanned(
                        key,
                        format!("`{word}` takes values in parentheses\n{help}"),
                    ));
                }
            },
            Right::Nothing | Right::Expr(_) => {
                return Err(syn::Error::new_spanned(
                    key,
                    format!("`{word}` takes values in parentheses\n{help}"),
                ));
            }
        };
        let parse = |input: ParseStream<'_>| Punctuated::<Expr, Token![,]>::parse_terminated(input);
        let values = parse.parse2(group.stream())?;
        let (mut strings, mut numbers) = (Vec::new(), Vec::new());
        for value in &values {
            match (ungrouped(value), number(value)) {
                (
                    Expr::Lit(ExprLit {
                        lit: Lit::Str(text),
                        ..
                    }),
                    _,
                ) => strings.push(text.clone()),
                (_, Some(number)) => numbers.push((number, value.span())),
                (other, None) => {
                    let message = format!(
                        "`{word}` takes strings or numbers, not {}\n{help}",
                        described(other)
                    );
                    return Err(syn::Error::new_spanned(other, message));
                }
            }
        }
        if let (Some(text), false) = (strings.first(), numbers.is_empty()) {
            return Err(syn::Error::new_spanned(
                text,
                format!("`{word}` takes values of one kind\n{help}"),
            ));
        }
        twice(
            strings
                .iter()
                .map(|text| (format!("{:?}", text.value()), text.to_token_stream())),
        )?;
        twice(
            numbers
                .iter()
                .zip(&values)
                .map(|((number, _), value)| (number.clone(), value.to_token_stream())),
        )?;
        match (strings.is_empty(), numbers.is_empty()) {
            (true, true) => Err(syn::Error::new_spanned(
                key,
                format!("`{word}` is empty\n{help}"),
            )),
            (false, _) => Ok(Self::Strings(strings)),
            (true, false) => Ok(Self::Numbers(numbers)),
        }
    }
}

/// `each(…)` or `keys(…)`: checks of the elements of a collection, or of the keys of a map.
#[derive(Debug)]
pub(crate) struct Checks(pub(crate) CheckOptions);

impl Value for Checks {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let word = spelt(key);
        let help = format!(
            "help: write `{word}(pattern = \"…\")`, `{word}(length = 1..=64)` or another check"
        );
        let Some(group) = group(&right) else {
            return Err(syn::Error::new_spanned(
                key,
                format!("`{word}` takes checks in parentheses\n{help}"),
            ));
        };
        let mut errors = Errors::default();
        let spec = if word == EACH.name { &EACH } else { &KEYS };
        let (options, _) = nested::<CheckOptions>(spec, key, &group, 0, &mut errors);
        match errors.into_error() {
            Some(error) => Err(error),
            None if group.stream().is_empty() => Err(syn::Error::new_spanned(
                key,
                format!("`{word}` has no check\n{help}"),
            )),
            None => Ok(Self(options)),
        }
    }
}

/// Refuses a value that is there twice.
fn twice(values: impl Iterator<Item = (String, TokenStream)>) -> syn::Result<()> {
    let mut seen = Vec::new();
    for (value, tokens) in values {
        if seen.contains(&value) {
            return Err(syn::Error::new_spanned(
                tokens,
                format!("{value} is given twice\nhelp: remove it here"),
            ));
        }
        seen.push(value);
    }
    Ok(())
}
