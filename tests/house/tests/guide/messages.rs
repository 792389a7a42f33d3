//! The strings in programs, many of which are messages or help: their words are plain, too.

use std::fmt::Write as _;

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

use super::words::{breaches, programs};

/// The strings of a program with the lines that they begin on. Documentation and what only tests
/// have are left out.
fn strings(tokens: TokenStream, found: &mut Vec<(usize, String)>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut only_for_tests = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                tokens.next_if(
                    |next| matches!(next, TokenTree::Punct(bang) if bang.as_char() == '!'),
                );
                let Some(TokenTree::Group(group)) =
                    tokens.next_if(|next| matches!(next, TokenTree::Group(_)))
                else {
                    continue;
                };
                let attribute = group.stream().to_string().replace(' ', "");
                only_for_tests |= attribute == "cfg(test)";
                // Other attributes have messages, too: the derives' help and that of the command
                // line.
                if !is(&group.stream(), "doc")
                    && !is(&group.stream(), "expect")
                    && !is(&group.stream(), "allow")
                {
                    strings(group.stream(), found);
                }
            }
            // An item ends with its braces, or with a semicolon.
            TokenTree::Punct(punct) if punct.as_char() == ';' => only_for_tests = false,
            TokenTree::Group(group) if only_for_tests => {
                only_for_tests = group.delimiter() != Delimiter::Brace
            }
            TokenTree::Group(group) => strings(group.stream(), found),
            TokenTree::Literal(literal) if !only_for_tests => {
                let line = literal.span().start().line;
                if let syn::Lit::Str(string) = syn::Lit::new(literal) {
                    found.push((line, string.value()));
                }
            }
            TokenTree::Punct(_) | TokenTree::Ident(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Whether an attribute is called so.
fn is(attribute: &TokenStream, name: &str) -> bool {
    matches!(attribute.clone().into_iter().next(), Some(TokenTree::Ident(ident)) if ident == Ident::new(name, ident.span()))
}

/// A format string with `x` for each value that it takes.
fn filled(string: &str) -> String {
    let mut filled = String::new();
    let mut rest = string;
    while let Some((before, after)) = rest.split_once('{') {
        filled += before;
        match after.split_once('}') {
            Some((_, after)) => {
                filled.push('x');
                rest = after;
            }
            None => return filled,
        }
    }
    filled + rest
}

/// The sentences that take values, `.format("…", &[…])` and `Message::refuse("…", &[…])`: their
/// line, and how many places and values they have.
fn sentences(tokens: TokenStream, found: &mut Vec<(usize, usize, usize)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        sentences(group.stream(), found);
        let is_format = matches!(
            tokens.get(index.wrapping_sub(2)..index),
            Some([TokenTree::Punct(before), TokenTree::Ident(name)])
                if before.as_char() == '.' && name == "format"
                    || before.as_char() == ':' && name == "refuse"
        );
        let arguments: Vec<TokenTree> = group.stream().into_iter().collect();
        if is_format
            && let Some(TokenTree::Literal(sentence)) = arguments.first()
            && let Some(TokenTree::Group(values)) = arguments.get(3)
        {
            let line = sentence.span().start().line;
            let places = sentence.to_string().matches("{}").count();
            let values: Vec<TokenTree> = values.stream().into_iter().collect();
            let values = values
                .split(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','))
                .filter(|value| !value.is_empty())
                .count();
            found.push((line, places, values));
        }
    }
}

#[test]
fn sentences_have_a_place_for_each_value() {
    let (mut problems, mut seen) = (String::new(), 0);
    for (name, text) in programs()
        .into_iter()
        .filter(|(name, _)| name.starts_with("runtime/src/"))
    {
        let mut found = Vec::new();
        sentences(text.parse().expect("the program is Rust"), &mut found);
        seen += found.len();
        for (line, places, values) in found {
            if places != values {
                writeln!(
                    problems,
                    "{name}:{line}: {places} places, and {values} values"
                )
                .unwrap();
            }
        }
    }
    assert!(problems.is_empty(), "{problems}");
    assert!(
        seen > 20,
        "only {seen} sentences were found: the test no longer sees them"
    );
}

#[test]
fn a_sentence_of_too_few_places_is_found() {
    let program = r#"fn f() { m.format("`{}` is {}", &[a.b(c, d), e,]); { n().format("{}", &[f, g]) } }
        fn g() { M::refuse("{} {}", &[h]); }"#;
    let mut found = Vec::new();
    sentences(program.parse().unwrap(), &mut found);
    assert_eq!(found, [(1, 2, 2), (1, 1, 2), (2, 2, 1)]);
}

#[test]
fn messages_have_plain_words() {
    let mut problems = String::new();
    let mut seen = 0;
    for (name, text) in programs()
        .into_iter()
        .filter(|(name, _)| name.contains("/src/") && !name.contains("test"))
    {
        let mut found = Vec::new();
        strings(text.parse().expect("the program is Rust"), &mut found);
        seen += found.len();
        for (line, string) in found {
            for breach in filled(&string).lines().flat_map(breaches) {
                writeln!(problems, "{name}:{line}: {breach}").unwrap();
            }
        }
    }
    assert!(
        problems.is_empty(),
        "CONTRIBUTING.md has the rules for words.\n{problems}"
    );
    assert!(
        seen > 3000,
        "only {seen} strings were found: the test no longer sees them"
    );
}

#[test]
fn strings_are_found_where_people_read_them() {
    let program = r##"
        /// Documentation.
        #[command(about = "attribute")]
        #[expect(dead_code, reason = "reason")]
        fn main() { println!("in {a} a macro: {}", b"bytes"); f(r#"raw"#) }
        #[cfg(test)]
        mod tests { fn f() { "test" } }
        const LAST: &str = "last \
            line";
    "##;
    let mut found = Vec::new();
    strings(program.parse().unwrap(), &mut found);
    let expected = [
        (3, "attribute"),
        (5, "in {a} a macro: {}"),
        (5, "raw"),
        (8, "last line"),
    ];
    assert_eq!(
        found,
        expected.map(|(line, string)| (line, string.to_owned()))
    );
    assert_eq!(filled("in {a} a macro: {}"), "in x a macro: x");
}
