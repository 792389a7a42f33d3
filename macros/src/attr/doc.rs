//! Doc comments as descriptions.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The text of the doc comments among `attributes`, without the markers and without blank lines
/// around it.
///
/// `#[doc = include_str!(…)]` is passed over: a macro does not see what it means.
pub(crate) fn description(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
    {
        if let Meta::NameValue(pair) = &attribute.meta
            && let Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) = &pair.value
        {
            let text = text.value();
            if text.contains('\n') {
                lines.extend(block_comment(&text));
            } else {
                lines.push(without_one_space(&text).trim_end().to_owned());
            }
        }
    }
    lines.join("\n").trim_matches('\n').to_owned()
}

/// The lines of a `/** … */`, which may each start with a star.
fn block_comment(text: &str) -> Vec<String> {
    let starred = text
        .lines()
        .skip(1)
        .map(str::trim_start)
        .filter(|line| !line.is_empty())
        .all(|line| line.starts_with('*'));
    text.lines()
        .map(|line| {
            let line = line.trim();
            let line = if starred {
                line.strip_prefix('*').unwrap_or(line)
            } else {
                line
            };
            without_one_space(line).to_owned()
        })
        .collect()
}

fn without_one_space(line: &str) -> &str {
    line.strip_prefix(' ').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn lines_are_joined_and_lose_one_space() {
        let input: syn::DeriveInput = parse_quote! {
            /// First.
            ///
            ///  * indented
            #[doc(hidden)]
            struct Thing;
        };
        assert_eq!(description(&input.attrs), "First.\n\n * indented");
    }

    #[test]
    fn block_comments_lose_their_stars() {
        let attribute: Attribute = parse_quote!(#[doc = "\n * First.\n * Second.\n "]);
        assert_eq!(description(&[attribute]), "First.\nSecond.");
        let attribute: Attribute = parse_quote!(#[doc = " First.\n   Second.\n"]);
        assert_eq!(description(&[attribute]), "First.\nSecond.");
    }

    #[test]
    fn no_doc_comment_is_no_description() {
        assert_eq!(
            description(&[parse_quote!(#[doc = include_str!("x.md")])]),
            ""
        );
    }
}
