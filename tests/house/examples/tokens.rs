//! The number of tokens in each crate's own source, without tests and comments: a size that no
//! format of lines changes.
//!
//! `cargo run -q -p upstate-house --example tokens [FOLDER]` counts the crates of this repository,
//! or of another checkout of it.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use proc_macro2::{TokenStream, TokenTree};

/// The crates that users build.
const CRATES: [&str; 12] = [
    "words",
    "macros",
    "model",
    "operators",
    "runtime",
    "testing",
    "upstate",
    "state",
    "compat",
    "cli",
    "provider",
    "server",
];

fn main() -> io::Result<()> {
    let root = env::args_os().nth(1).map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        PathBuf::from,
    );
    let mut total = 0;
    for package in CRATES {
        let source = root.join(package).join("src");
        // A crate that this checkout does not have yet, or no longer.
        if source.is_dir() {
            let count = folder(&source)?;
            total += count;
            println!("{package:10} {count:>9}");
        }
    }
    println!("{:10} {total:>9}", "all");
    Ok(())
}

/// The tokens of a folder, without modules that only tests have and without recorded expansions.
fn folder(path: &Path) -> io::Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if matches!(name, "tests" | "testdata" | "tests.rs" | "golden")
            || name.ends_with(".expanded.rs")
        {
            continue;
        }
        if path.is_dir() {
            count += folder(&path)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text: TokenStream = fs::read_to_string(&path)?
                .parse()
                .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
            count += tokens(text);
        }
    }
    Ok(count)
}

fn tokens(stream: TokenStream) -> usize {
    let all: Vec<TokenTree> = stream.into_iter().collect();
    let (mut count, mut index) = (0, 0);
    while let Some(token) = all.get(index) {
        match token {
            // An attribute: documentation does not count, and an item behind `#[cfg(test)]` is a
            // test.
            TokenTree::Punct(hash) if hash.as_char() == '#' && attribute(&all, index).is_some() => {
                let (text, length) = attribute(&all, index).unwrap_or_default();
                index += length;
                if text == "cfg(test)" {
                    index += item(all.get(index..).unwrap_or_default());
                } else if !text.starts_with("doc=") {
                    count += length;
                }
                continue;
            }
            TokenTree::Group(group) => count += 2 + tokens(group.stream()),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => count += 1,
        }
        index += 1;
    }
    count
}

/// The words of the attribute at `index`, and the number of its tokens.
fn attribute(all: &[TokenTree], index: usize) -> Option<(String, usize)> {
    let text = |token: &TokenTree| match token {
        TokenTree::Group(group) => Some(group.stream().to_string().replace(' ', "")),
        _ => None,
    };
    match all.get(index + 1)? {
        TokenTree::Punct(inner) if inner.as_char() == '!' => Some((text(all.get(index + 2)?)?, 3)),
        token => Some((text(token)?, 2)),
    }
}

/// The number of tokens of one item: to its body or its semicolon.
fn item(tokens: &[TokenTree]) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == proc_macro2::Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    };
    tokens
        .iter()
        .position(ends)
        .map_or(tokens.len(), |at| at + 1)
}
