//! Writes a module with the types and a test for each case of `cases.json`. Each type derives
//! `Document` or `Union` beside serde's traits, and says nothing more.

#![expect(clippy::indexing_slicing, reason = "a missing member is null")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

use serde_json::Value;

/// Cases with a test in `tests/cases.rs`: programs that serde refuses, and types that no field of a
/// document has.
const BY_HAND: [&str; 9] = [
    "sd-025", "sd-410", "sd-811", "sd-812", "sd-814", "sd-815", "sd-877", "sd-878", "sd-986",
];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=cases.json");
    println!("cargo::rerun-if-changed=compile_errors.json");
    let not_compiled = not_compiled()?;
    let cases: Value = serde_json::from_str(&fs::read_to_string("cases.json")?)?;
    let (mut modules, mut run) = (String::new(), Vec::new());
    for case in cases["cases"].as_array().into_iter().flatten() {
        if let Some(module) = module(case, &not_compiled) {
            modules.push_str(&module);
            run.push(case["id"].as_str());
        }
    }
    let run: Vec<&str> = run.into_iter().flatten().collect();
    write!(
        modules,
        "const RUN: [&str; {}] = {run:?};\nconst BY_HAND: [&str; {}] = {BY_HAND:?};",
        run.len(),
        BY_HAND.len()
    )
    .map_err(io::Error::other)?;
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("cases.rs"), modules)
}

/// The ids of the cases whose types do not compile as documents, each at the compile error of
/// `ui-tests` for it.
fn not_compiled() -> io::Result<BTreeSet<String>> {
    let errors: BTreeMap<String, Vec<String>> =
        serde_json::from_str(&fs::read_to_string("compile_errors.json")?)?;
    Ok(errors.into_values().flatten().collect())
}

/// The module of a case; none for what does not compile, and for what `tests/cases.rs` has by hand.
fn module(case: &Value, not_compiled: &BTreeSet<String>) -> Option<String> {
    let text = |member: &str| case[member].as_str().unwrap_or_default();
    let (id, root) = (text("id"), text("root"));
    if not_compiled.contains(id) || BY_HAND.contains(&id) {
        return None;
    }
    let run = if case["value"].is_string() {
        let root = if text("value").starts_with("vec!") && !root.starts_with("Vec") {
            format!("Vec<{root}>")
        } else {
            root.to_owned()
        };
        format!(
            "let value: {root} = {}; crate::written({id:?}, &value);",
            text("value")
        )
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
    if made.contains("Tup(u8, u8)") {
        made.replace("List(Vec<u8>)", "#[union(shadowed)] List(Vec<u8>)")
    } else {
        made
    }
}
