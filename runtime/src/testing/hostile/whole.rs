//! States that are wrong as a whole.

use std::collections::{BTreeMap, BTreeSet};

use super::super::json::Json;
use super::sample::{At, SECRET};
use super::{Raw, State};
use crate::schema::{Block, Type};

/// The number of places at which a state is cut off, at least; fewer if the state has fewer bytes.
const CUTS: usize = 40;

pub(super) fn states(
    base: &Json,
    block: &Block,
    secret: &BTreeSet<String>,
) -> impl Iterator<Item = State> {
    let text = base.to_text();
    let broken = |what: &str, bytes: Vec<u8>| State::broken(what, bytes);
    let mut states = Vec::new();

    for document in [
        "",
        " ",
        "null",
        "true",
        "7",
        "\"text\"",
        "[]",
        "[{}]",
        "{}",
        "{",
        "{\"",
        "\u{feff}{}",
        "nul",
        "{}{}",
        "\0",
    ] {
        states.push(broken(
            &format!("the whole is {document:?}"),
            document.as_bytes().to_vec(),
        ));
    }
    for cut in (0..text.len()).step_by((text.len() / CUTS).max(1)) {
        states.push(broken(
            &format!("cut off behind byte {cut}"),
            text.as_bytes().get(..cut).unwrap_or_default().to_vec(),
        ));
        let mut bytes = text.clone().into_bytes();
        bytes.insert(cut, 0xFF);
        states.push(broken(
            &format!("with a byte that is not UTF-8 at {cut}"),
            bytes,
        ));
    }
    states.push(broken(
        "with another document behind it",
        format!("{text}{text}").into_bytes(),
    ));

    let unknown = |value: String| match base {
        Json::Map(members) => {
            let mut members = members.clone();
            members.push((format!("unknown_{}", members.len()), Json::leaf(value)));
            Json::Map(members).to_text().into_bytes()
        }
        other @ (Json::Leaf(_) | Json::List(_)) => other.to_text().into_bytes(),
    };
    for depth in [200, 300, 100_000] {
        let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        states.push(broken(
            &format!("with {depth} arrays inside one another"),
            unknown(nested),
        ));
    }
    states.push(broken(
        "with an attribute that no schema has",
        unknown("{\"type\":[1]}".to_owned()),
    ));
    states.push(broken(
        "with one that is not JSON",
        unknown("[1,]".to_owned()),
    ));

    if let Json::Map(members) = base {
        let reversed = Json::map(members.iter().rev().cloned());
        let twice = Json::map(members.iter().chain(members).cloned());
        let first_null = members
            .iter()
            .map(|(name, _)| (name.clone(), Json::leaf("null")));
        let null_twice = Json::map(first_null.clone().chain(members.iter().cloned()));
        let last_null = Json::map(members.iter().cloned().chain(first_null.clone()));
        let all_null = Json::map(first_null);
        for (what, state) in [
            ("with its names in reverse", reversed),
            ("with every name twice", twice),
            ("with every name twice, null first", null_twice),
            ("with every name twice, null last", last_null),
            ("with nothing but null", all_null),
        ] {
            states.push(State::of(what, &state));
        }
    }
    states.extend(flat(block, secret));
    states.into_iter()
}

/// States in the flat form of Terraform 0.11.
fn flat(block: &Block, secret: &BTreeSet<String>) -> Vec<State> {
    let members = At::Block(block).members();
    let mut plain = BTreeMap::new();
    for member in &members {
        let hidden = member.sensitive || secret.contains(member.name);
        let text = if hidden { SECRET } else { "text" };
        match member.at {
            At::Type(Type::Bool) => drop(plain.insert(member.name.to_owned(), "true".to_owned())),
            At::Type(Type::Number) => drop(plain.insert(member.name.to_owned(), "7".to_owned())),
            At::Type(Type::String) => drop(plain.insert(member.name.to_owned(), text.to_owned())),
            At::Block(_) | At::Objects(_) | At::Type(_) => {}
        }
    }
    let state = |what: String, map: BTreeMap<String, String>| State {
        what: format!("flat, {what}"),
        raw: Raw::Flatmap(map),
        secrets: BTreeSet::new(),
    };
    let mut states = vec![
        state("empty".to_owned(), BTreeMap::new()),
        state("strings only".to_owned(), plain.clone()),
    ];
    for member in &members {
        let hidden = member.sensitive || secret.contains(member.name);
        let texts = if hidden {
            vec![SECRET]
        } else {
            vec!["", "seven", "-1", "99999999999999999999", "{}"]
        };
        for suffix in ["", ".#", ".%", ".0", ".key"] {
            for text in &texts {
                let mut map = plain.clone();
                map.insert(format!("{}{suffix}", member.name), (*text).to_owned());
                states.push(state(format!("{}{suffix} is {text:?}", member.name), map));
            }
        }
    }
    states
}
