//! `since("1.4.0" => 2, …)`: which release first wrote which version.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprLit, Lit, LitInt, LitStr, Path, Token};

use super::value::{Right, Value, Version, spelt};

/// The releases, in the order written.
#[derive(Debug)]
pub(crate) struct Since(pub(crate) Vec<(LitStr, Version)>);

impl Value for Since {
    fn read(key: &Path, right: Right<'_>) -> syn::Result<Self> {
        let word = spelt(key);
        let help = format!("help: write `{word}(\"1.0.0\" => 0, \"1.4.0\" => 1)`");
        let error = |message: &str| {
            Err(syn::Error::new_spanned(
                key,
                format_args!("{message}\n{help}"),
            ))
        };
        let tokens = match right {
            Right::Tokens(tokens) => tokens,
            Right::Nothing => {
                return error("`since` does not say which release wrote which version");
            }
            Right::Expr(Expr::Lit(ExprLit {
                lit: Lit::Str(release),
                ..
            })) => {
                let message = format!(
                    "`since` takes its releases in parentheses\nhelp: write `{word}({} => …)`",
                    release.token()
                );
                return Err(syn::Error::new_spanned(key, message));
            }
            Right::Expr(_) => return error("`since` takes its releases in parentheses"),
        };
        // The key, because it is before the first release.
        let Some(proc_macro2::TokenTree::Group(group)) = tokens.into_iter().nth(1) else {
            return error("`since` takes its releases in parentheses");
        };
        if group.stream().is_empty() {
            return error("`since` does not say which release wrote which version");
        }
        let is_alone = group.stream().into_iter().count() == 3;
        let pair = |input: ParseStream<'_>| {
            let release: Expr = input.parse()?;
            if let Some((mistake, message)) = in_another_order(&word, &release, is_alone, input) {
                return Err(syn::Error::new_spanned(mistake, message));
            }
            let Expr::Lit(ExprLit {
                lit: Lit::Str(release),
                ..
            }) = &release
            else {
                let message = format!("a release is a string in quotes\n{help}");
                return Err(syn::Error::new_spanned(release, message));
            };
            if !input.peek(Token![=>]) {
                let message =
                    format!("there is no `=>` between the release and its version\n{help}");
                return Err(syn::Error::new_spanned(release, message));
            }
            let arrow = input.parse::<Token![=>]>()?;
            if input.is_empty() || input.peek(Token![,]) {
                let message = format!("there is no version after this arrow\n{help}");
                return Err(syn::Error::new_spanned(arrow, message));
            }
            let version: Expr = input.parse()?;
            let version = Version::of(&version, &"a version", |number| {
                format!("\"{}\" => {number}", release.value())
            })?;
            Ok((release.clone(), version))
        };
        let pairs = |input: ParseStream<'_>| {
            let mut pairs = Vec::new();
            while !input.is_empty() {
                pairs.push(pair(input)?);
                input.parse::<Option<Token![,]>>()?;
            }
            Ok(pairs)
        };
        pairs.parse2(group.stream()).map(Self)
    }
}

/// A version before its release, or behind a comma in place of the arrow: the tokens, and what to
/// write. The whole option is written where the pair is alone in it.
fn in_another_order(
    word: &str,
    first: &Expr,
    is_alone: bool,
    input: ParseStream<'_>,
) -> Option<(TokenStream, String)> {
    let ahead = input.fork();
    match first {
        Expr::Lit(ExprLit {
            lit: Lit::Int(version),
            ..
        }) => {
            let arrow = ahead.parse::<Token![=>]>().ok()?;
            let release = ahead.parse::<LitStr>().ok()?;
            let message = format!(
                "a release comes before its version\nhelp: write `{} => {version}`",
                release.token()
            );
            Some((quote!(#version #arrow #release), message))
        }
        Expr::Lit(ExprLit {
            lit: Lit::Str(release),
            ..
        }) => {
            let comma = ahead.parse::<Token![,]>().ok()?;
            let version = ahead.parse::<LitInt>().ok().filter(|_| is_alone)?;
            let message = format!(
                "there is no `=>` between the release and its version\nhelp: write `{word}({} => {version})`",
                release.token()
            );
            Some((quote!(#release #comma #version), message))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn a_help_for_one_pair_removes_no_other() {
        let example = r#"`since("1.0.0" => 0, "1.4.0" => 1)`"#;
        for (written, help) in [
            (quote!(since("1.4.0", 2)), r#"`since("1.4.0" => 2)`"#),
            (quote!(since("1.0.0" => 0, "1.4.0", 2)), example),
            (
                quote!(since("1.0.0" => 0, 2 => "1.4.0")),
                r#"`"1.4.0" => 2`"#,
            ),
        ] {
            let read = Since::read(&parse_quote!(since), Right::Tokens(written));
            let message = read.err().map(|error| error.to_string());
            let found = message
                .as_deref()
                .and_then(|text| text.split_once("help: write "));
            assert_eq!(found.map(|(_, found)| found), Some(help));
        }
    }
}
