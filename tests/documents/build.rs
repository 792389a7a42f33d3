//! Writes a module with the types and a test for each case of `cases.json`. Each type derives `Document` or `Union` beside serde's traits, and
//! says nothing more.

#![expect(clippy::indexing_slicing, reason = "a missing member is null")]

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

use serde_json::Value;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=cases.json");
    let cases: Value = serde_json::from_str(&fs::read_to_string("cases.json")?)?;
    let mut modules = String::new();
    for case in cases["cases"].as_array().into_iter().flatten() {
        if let Some(module) = module(case) {
            modules.push_str(&module);
        }
    }
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("cases.rs"), modules)
}

/// Cases whose types do not compile as documents, and why; `docs/src/from-serde.md` says what to write in their place.
const NOT_COMPILED: [(&str, &[&str]); 5] = [
    ("a conversion in one direction alone", &["sd-082", "sd-083", "sd-496"]),
    ("a name for reading and another one for writing", &["sd-392", "sd-395"]),
    ("`remote`", &["sd-503"]),
    ("`None` would be a key without a string", &["sd-679", "sd-680", "sd-682", "sd-683"]),
    ("a document owns its values", &["sd-874", "sd-875", "sd-877", "sd-878"]),
];

/// The module of a case; none for what does not compile, which `ui-tests` has.
fn module(case: &Value) -> Option<String> {
    let text = |member: &str| case[member].as_str().unwrap_or_default();
    let (id, root) = (text("id"), text("root"));
    let is_compiled = NOT_COMPILED.iter().all(|(_, ids)| !ids.contains(&id));
    if !is_compiled || text("document") == "compile" || root == "COMPILE" || root.is_empty() {
        return None;
    }
    let run = if case["value"].is_string() {
        let root =
            if text("value").starts_with("vec!") && !root.starts_with("Vec") { format!("Vec<{root}>") } else { root.to_owned() };
        format!("let value: {root} = {}; crate::written({id:?}, &value);", text("value"))
    } else {
        format!("crate::read::<{root}>({id:?});")
    };
    let mut module = String::new();
    let name = id.replace('-', "_");
    write!(
        module,
        "#[allow(dead_code, unused_imports, non_snake_case, non_camel_case_types, clippy::all, clippy::pedantic)]\nmod {name} {{ use crate::prelude::*;\n{}\n#[test] fn case() {{ {run} }}\n}}\n",
        types(text("types"))
    )
    .ok()?;
    // The cases were recorded with jiff 0.2, where the type had a shorter name.
    Some(module.replace("jiff::Zoned>", "jiff::ZonedDateTime>"))
}

/// The types, each with the derive of documents.
fn types(text: &str) -> String {
    const DERIVE: &str = "Serialize, Deserialize";
    let mut made = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(DERIVE) {
        let (before, after) = rest.split_at(at);
        made.push_str(before);
        let (_, behind) = after.split_at(DERIVE.len());
        let derive = match (behind.find("struct "), behind.find("enum ")) {
            (Some(of_struct), Some(of_enum)) if of_enum < of_struct => "Union",
            (None, Some(_)) => "Union",
            _ => "Document",
        };
        made.push_str(DERIVE);
        made.push_str(", ");
        made.push_str(derive);
        rest = behind;
    }
    made.push_str(rest);
    // A list of two is read as the tuple, which is refused where nobody says that it may be.
    if made.contains("Tup(u8, u8)") { made.replace("List(Vec<u8>)", "#[union(shadowed)] List(Vec<u8>)") } else { made }
}
