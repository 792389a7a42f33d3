//! The table of `docs/src/changes/index.md`: each kind of change as an upgrade, a downgrade and the
//! lock show it. `UPDATE=1` writes it.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use upstate::upgrade::DowngradeRequest;
use upstate::{
    CurrentModel, Document, Object, Registry, Resource, Union, UpgradeContext, UpgradeRequest,
};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/changes/index.md");
const MARKS: [&str; 2] = [
    "<!-- From compat/tests/lock/kinds.rs -->\n",
    "<!-- So far -->\n",
];

/// The lines of attributes in the lock's entry of a version.
fn attributes<'l>(lock: &'l str, entry: &str) -> Vec<&'l str> {
    let (_, entry) = lock.split_once(entry).unwrap();
    entry
        .lines()
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| !line.starts_with('@'))
        .collect()
}

/// A row, from states that version 0 stored.
fn row<T: CurrentModel>(title: &str, operators: &[&str], stored: &[&str]) -> String {
    let registry = Registry::new().with::<T>();
    let (mut before, mut after, mut back) = (Vec::new(), Vec::new(), Vec::new());
    for (shape, prior) in stored.iter().enumerate() {
        let upgraded = registry.upgrade(&UpgradeRequest::json("kind", 0, prior.as_bytes()));
        let upgraded = upgraded.state().unwrap();
        let request = DowngradeRequest::json("kind", 1, 0, upgraded);
        let request = if stored.len() > 1 {
            request.shape(shape)
        } else {
            request
        };
        let downgraded = registry.downgrade(&request);
        let downgraded = downgraded.state().unwrap();
        before.push(format!("`{prior}`"));
        after.push(format!("`{}`", std::str::from_utf8(upgraded).unwrap()));
        back.push(format!("`{}`", std::str::from_utf8(downgraded).unwrap()));
    }
    if back == before {
        back = vec!["as before".to_owned()];
    }
    let mut lock = Lock::default();
    lock.freeze(&Snapshot::of(&registry), "1.0.0".parse().unwrap())
        .unwrap();
    let lock = lock.to_string();
    let earlier = attributes(&lock, "[kind 0]");
    let new: Vec<String> = attributes(&lock, "[kind 1]")
        .into_iter()
        .filter(|line| !earlier.contains(line))
        .map(|line| format!("`{line}`"))
        .collect();
    let new = if new.is_empty() {
        "none".to_owned()
    } else {
        new.join("<br>")
    };
    let operators: Vec<String> = operators
        .iter()
        .map(|operator| format!("`{operator}`"))
        .collect();
    let [before, after, back] = [before, after, back].map(|states| states.join("<br>"));
    format!(
        "| {title} | {before} | {} | {after} | {back} | {new} |\n",
        operators.join("<br>")
    )
}

/// The rows of resources or of documents: a title with its page, what version 0 stored, the
/// operators of each upgrader, and the fields of today.
macro_rules! kinds {
    ($derive:ident, $attribute:ident; $($title:literal: $($stored:literal)+, $([$($operator:tt)*])+ { $($fields:tt)* })+) => {
        vec![$({
            #[derive($derive)]
            #[$attribute(type_name = "kind", version = 1)]
            $(#[upgrade_from(0 => 1, $($operator)*)])+
            #[allow(dead_code, reason = "only stored")]
            struct Kind { $($fields)* }
            row::<Kind>($title, &[$(stringify!($($operator)*)),+], &[$($stored),+])
        }),+]
    };
}

#[derive(Object)]
#[allow(dead_code, reason = "only stored")]
struct Cpu {
    cores: i64,
}

#[derive(Object)]
#[allow(dead_code, reason = "only stored")]
struct Source {
    index: String,
}

#[derive(Object)]
#[allow(dead_code, reason = "only stored")]
struct Place {
    name: String,
}

#[derive(Object)]
#[allow(dead_code, reason = "only stored")]
struct PlaceV0 {
    key: String,
    name: String,
}

#[derive(Union)]
#[allow(dead_code, reason = "only stored")]
enum Paint {
    Custom(String),
    Plain,
}

#[derive(Union)]
enum Contact {
    Mail(String),
    Phone(String),
}

#[derive(Union)]
enum ContactV0 {
    Address(String),
}

#[allow(clippy::unnecessary_wraps, reason = "as an operator calls it")]
fn by_sign(stored: ContactV0) -> Result<Contact, String> {
    let ContactV0::Address(address) = stored;
    Ok(if address.contains('@') {
        Contact::Mail(address)
    } else {
        Contact::Phone(address)
    })
}

#[allow(clippy::unnecessary_wraps, reason = "as an operator calls it")]
fn address(contact: Contact) -> Result<ContactV0, String> {
    match contact {
        Contact::Mail(address) | Contact::Phone(address) => Ok(ContactV0::Address(address)),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as an operator calls it")]
fn id_of(name: String, _: &UpgradeContext<'_>) -> Result<i64, String> {
    i64::try_from(name.len()).map_err(|error| error.to_string())
}

#[test]
fn the_page_shows_each_kind_of_change() {
    let mut rows = kinds! { Resource, resource;
        "[a field is new](add.md)": r#"{"name":"a"}"#, [set(retries = 3)] { name: String, retries: i64 }
        "[a field's name](rename.md)": r#"{"title":"a"}"#, [rename(title => name)] { name: String }
        "[a field is gone](remove.md)": r#"{"name":"a","old":"b"}"#, [drop(old: Option<String>, "unused")] { name: String }
        "[its type, or its values](retype.md)": r#"{"size":"7"}"#, [convert(size: String, empty = refuse)] { size: i64 }
        "[one field became several](split.md)": r#"{"kind":"Standard_LRS"}"#, [split(kind: String, "{tier}_{copies}")] { tier: String, copies: String }
        "[several became one](merge.md)": r#"{"block":["a"],"deny":["b"]}"#, [merge(block, deny => refused)] { refused: Vec<String> }
        "[fields moved into an object](nest.md)": r#"{"cores":2}"#, [nest(cores => cpu)] { cpu: Cpu }
        "[a list became an object](list.md)": r#"{"source":[{"index":"a"}]}"#, [unwrap(source: Vec<Source>)] { source: Option<Source> }
        "[a list became a map](list.md)": r#"{"places":[{"key":"eu","name":"Bonn"}]}"#,
            [rekey(places: Vec<PlaceV0>, by = key)] { places: BTreeMap<String, Place> }
        "[two shapes under one version](two-shapes.md)": r#"{"zone":"eu"}"# r#"{"place":"us"}"#,
            [when = has("zone"), rename(zone => region)] [when = has("place"), rename(place => region)] { region: String }
        "[only the API knows](client.md)": r#"{"name":"a"}"#, [fill(name => id, with = id_of, context)] { name: String, id: i64 }
    };
    rows.extend(kinds! { Document, document;
        "[a variant's name](../documents.md#enums-with-data)": r#"{"paint":{"Tinted":"red"}}"#,
            [variants(paint, "Tinted" => "Custom")] { paint: Paint }
        "a variant is gone": r#"{"paint":{"Sepia":"warm"}}"#,
            [variants(paint, drop("Sepia": String, "unused", as = "Plain"))] { paint: Paint }
        "a variant is new": r#"{"paint":"Plain"}"#, [variants(paint, add("Custom"))] { paint: Paint }
        "a variant became two": r#"{"contact":{"Address":"a@b.c"}}"#,
            [convert(contact: ContactV0, with = by_sign, back = address)] { contact: Contact }
    });
    let mut table = String::from(
        "| the change | stored before | upgrader | stored now | taken back | new in the lock |\n",
    );
    writeln!(table, "|{}", "---|".repeat(6)).unwrap();
    table.extend(rows);
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(MARKS[0]).unwrap();
    let (now, after) = rest.split_once(MARKS[1]).unwrap();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(PAGE, [before, MARKS[0], &table, MARKS[1], after].concat()).unwrap();
    } else {
        assert_eq!(
            now, table,
            "`UPDATE=1 cargo test -p upstate-compat --test lock kinds` writes it"
        );
    }
}
