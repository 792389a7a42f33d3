//! Types and nesting.

use std::collections::{BTreeMap, BTreeSet};

use upstate::schema::{Attribute, Block, Field, Nested, Nesting, Presence, Schema, Type};
use upstate::{Dynamic, Number, Object, Registry, ResourceDefinition};
use upstate_compat::Report;

use crate::rules::{Case, between, step};

#[derive(Object)]
pub struct Rule {
    zone: Option<String>,
}

pub(crate) const CASES: &[Case] = &[
    (
        "type-widened",
        || step! { { size: i64 } => { size: Number } },
    ),
    (
        "type-narrowed",
        || step! { { size: Number } => { size: i64 } },
    ),
    (
        "type-changed",
        || step! { { size: String } => { size: i64 } },
    ),
    (
        "type-to-dynamic",
        || step! { { size: String } => { size: Dynamic } },
    ),
    (
        "type-from-dynamic",
        || step! { { size: Dynamic } => { size: String } },
    ),
    (
        "list-to-set",
        || step! { { tags: Vec<String> } => { tags: BTreeSet<String> } },
    ),
    (
        "set-to-list",
        || step! { { tags: BTreeSet<String> } => { tags: Vec<String> } },
    ),
    (
        "collection-kind-changed",
        || step! { { tags: Vec<String> } => { tags: BTreeMap<String, String> } },
    ),
    (
        "scalar-collection-changed",
        || step! { { tags: String } => { tags: Vec<String> } },
    ),
    (
        "element-type-changed",
        || step! { { tags: Vec<String> } => { tags: Vec<bool> } },
    ),
    ("object-member-added", || {
        plain(&object(&["host"]), &object(&["host", "port"]))
    }),
    ("object-member-removed", || {
        plain(&object(&["host", "port"]), &object(&["host"]))
    }),
    (
        "tuple-arity-changed",
        || step! { { pair: (String, i64) } => { pair: (String, i64, bool) } },
    ),
    ("variant-removed", || {
        plain(
            &union("external", &["plain", "own"]),
            &union("external", &["plain"]),
        )
    }),
    ("variant-added", || {
        plain(
            &union("internal kind", &["plain"]),
            &union("internal kind", &["plain", "own"]),
        )
    }),
    ("union-tagging-changed", || {
        plain(
            &union("untagged", &["plain", "own"]),
            &union("untagged", &["own", "plain"]),
        )
    }),
    (
        "nesting-mode-changed",
        || step! { { rule: Option<Rule> } => { rule: Option<Vec<Rule>> } },
    ),
    (
        "block-to-attribute",
        || step! { { #[block] rule: Vec<Rule> } => { rule: Option<Vec<Rule>> } },
    ),
    (
        "attribute-to-block",
        || step! { { rule: Option<Vec<Rule>> } => { #[block] rule: Vec<Rule> } },
    ),
    ("object-to-nested", || {
        plain(&object(&["host"]), &nested("host"))
    }),
    ("nested-to-object", || {
        plain(&nested("host"), &object(&["host"]))
    }),
];

/// An attribute of a plain object type, which only definitions that are built while the program
/// runs can have.
fn object(names: &[&'static str]) -> Attribute {
    let fields: Vec<Field> = names
        .iter()
        .map(|name| Field::new(*name, Type::String))
        .collect();
    Attribute::new("end", Type::object(fields), Presence::Optional)
}

/// An attribute of an enum with data, as documents have it.
fn union(tagging: &str, names: &[&str]) -> Attribute {
    let variants: Vec<String> = names
        .iter()
        .map(|name| format!("[\"{name}\",\"string\"]"))
        .collect();
    let ty = Type::parse(&format!(
        "[\"union\",\"{tagging}\",[{}]]",
        variants.join(",")
    ))
    .unwrap();
    Attribute::new("theme", ty, Presence::Optional)
}

fn nested(name: &'static str) -> Attribute {
    let member = Attribute::new(name, Type::String, Presence::Optional);
    Attribute::nested(
        "end",
        Nested::new(Nesting::Single, vec![member]),
        Presence::Optional,
    )
}

fn plain(old: &Attribute, new: &Attribute) -> Report {
    let registry = |attribute: &Attribute| {
        let schema = Schema::new(0, Block::new([attribute.clone()]));
        let mut registry = Registry::new();
        registry.insert(
            ResourceDefinition::builder("example_thing", schema)
                .unsupported(0..=u64::MAX)
                .build()
                .unwrap(),
        );
        registry
    };
    between(registry(old), &registry(new))
}
