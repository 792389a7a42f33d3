//! The output of the derives, for one example of each.
//!
//! `<name>.rs` is the input, `<name>.expanded.rs` the output, laid out by rustfmt, below a line that says how long it is.
//! `UPSTATE_BLESS=1 cargo test -p upstate-macros` writes the outputs again.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::model::Derive;

fn check(derive: Derive, name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/golden");
    let input = fs::read_to_string(folder.join(format!("{name}.rs"))).unwrap();
    let members = members(&input);
    let expanded = crate::derive(derive, without_derive(input.parse().unwrap()));
    let path = folder.join(format!("{name}.expanded.rs"));
    if std::env::var_os("UPSTATE_BLESS").is_some() {
        let code = formatted(&expanded);
        fs::write(&path, format!("{}\n{code}", length(&code, members))).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap();
    let (first, code) = golden.split_once('\n').unwrap();
    assert_eq!(
        canonical(expanded),
        canonical(code.parse().unwrap()),
        "`{name}` expands to something else; see the head of this file"
    );
    assert_eq!(first, length(code, members), "`{name}` has another length");
}

/// The first line of an output.
fn length(code: &str, members: usize) -> String {
    let lines = code.lines().count();
    let tenths = lines * 10 / members;
    format!(
        "// {lines} lines for {members} members: {}.{} each",
        tenths / 10,
        tenths % 10
    )
}

/// The number of fields or variants of an input.
fn members(input: &str) -> usize {
    match syn::parse_str::<syn::DeriveInput>(input).unwrap().data {
        syn::Data::Struct(data) => data.fields.len(),
        syn::Data::Enum(data) => data.variants.len(),
        syn::Data::Union(data) => data.fields.named.len(),
    }
}

/// A derive does not see the `#[derive(…)]` that calls it.
fn without_derive(input: TokenStream) -> TokenStream {
    let mut item: syn::DeriveInput = syn::parse2(input).unwrap();
    item.attrs
        .retain(|attribute| !attribute.path().is_ident("derive"));
    quote::quote!(#item)
}

fn formatted(tokens: &TokenStream) -> String {
    let mut rustfmt = Command::new("rustfmt")
        .args([
            "--edition",
            "2024",
            "--config",
            "max_width=130,use_small_heuristics=Max",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    rustfmt
        .stdin
        .take()
        .unwrap()
        .write_all(tokens.to_string().as_bytes())
        .unwrap();
    let output = rustfmt.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The tokens as text, without the commas that rustfmt adds or takes away at the end of a list.
fn canonical(tokens: TokenStream) -> String {
    let mut tokens = tokens.into_iter().peekable();
    let mut text = String::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                text += open;
                text += &canonical(group.stream());
                text += close;
            }
            TokenTree::Punct(punct) if punct.as_char() == ',' && tokens.peek().is_none() => {
                continue;
            }
            token => text += &token.to_string(),
        }
        text.push(' ');
    }
    text
}

#[test]
fn a_resource() {
    check(Derive::Resource, "thing");
}

#[test]
fn a_declarative_upgrader() {
    check(Derive::Resource, "operators");
}

#[test]
fn a_history_of_differences() {
    check(Derive::Resource, "difference");
}

#[test]
fn every_kind_of_upgrader() {
    check(Derive::Resource, "upgraders");
}

#[test]
fn declared_facts() {
    check(Derive::Resource, "facts");
}

#[test]
fn moves_and_identity() {
    check(Derive::Resource, "moves");
}

#[test]
fn a_nested_object_with_an_upgrader() {
    check(Derive::Object, "object_upgrader");
}

#[test]
fn a_plan_of_its_own() {
    check(Derive::Resource, "planned");
}

#[test]
fn a_nested_object() {
    check(Derive::Object, "rule");
}

#[test]
fn a_string_enum() {
    check(Derive::StringEnum, "size");
}

/// Each byte of output is paid for in every build of every user: no example may expand to more than this.
#[test]
fn generated_code_stays_small() {
    for (name, most) in [
        ("thing", 3_900),
        ("operators", 11_300),
        ("upgraders", 5_500),
        ("moves", 4_300),
    ] {
        let input = fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/golden/{name}.rs")),
        )
        .unwrap();
        let size = crate::derive(Derive::Resource, without_derive(input.parse().unwrap()))
            .to_string()
            .len();
        assert!(size <= most, "`{name}` expands to {size} bytes");
    }
}
