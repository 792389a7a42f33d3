//! The ways one state goes to its current version, held against each other.

use proptest::prelude::TestCaseError;
use proptest::{prop_assert, prop_assert_eq};
use upstate::__internal::{Layout, indented};
use upstate::codec::Encoding;
use upstate::upgrade::DroppedValue;
use upstate::{Registry, UpgradeResponse};

/// The members as an object, in this order.
pub fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("{name:?}:{value}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// This JSON with blanks between all its parts.
pub fn spread(json: &str) -> String {
    let mut inside = false;
    let mut escaped = false;
    let mut out = String::new();
    for character in json.chars() {
        let quote = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        inside ^= quote;
        let apart = !inside && matches!(character, '{' | '}' | '[' | ']' | ':' | ',');
        out.extend(if apart {
            vec![' ', character, '\n']
        } else {
            vec![character]
        });
    }
    out
}

/// What an answer says is discarded, and why.
pub fn told(dropped: &[DroppedValue]) -> Vec<String> {
    dropped
        .iter()
        .map(|dropped| format!("{}: {}", dropped.path, dropped.reason))
        .collect()
}

/// Checks that a prepared upgrade of `json` gives what `expected` is, which came of the same state
/// by values: compact, laid out and in `MessagePack`.
pub fn prepared_gives(
    registry: &Registry,
    type_name: &str,
    version: u64,
    json: &str,
    expected: &[UpgradeResponse; 2],
) -> Result<(), TestCaseError> {
    let upgrade = registry
        .prepare(type_name, version)
        .expect("the type is registered");
    for (encoding, expected) in [Encoding::Json, Encoding::Msgpack]
        .into_iter()
        .zip(expected)
    {
        let mut out = b"before".to_vec();
        match (
            upgrade.upgrade_into(json, encoding, &mut out),
            expected.state(),
        ) {
            (Ok(notes), Some(state)) => {
                prop_assert_eq!(&out[6..], state, "{}", json);
                prop_assert_eq!(told(notes.dropped()), told(expected.dropped()), "{}", json);
                prop_assert_eq!(
                    notes.is_empty(),
                    notes.dropped().is_empty() && notes.warnings().is_empty(),
                    "{}",
                    json
                );
            }
            (Err(diagnostics), None) => {
                prop_assert_eq!(&out, b"before");
                prop_assert!(diagnostics.has_errors());
            }
            (answer, _) => prop_assert!(false, "{json}: {answer:?}, by values {expected:?}"),
        }
    }
    laid_out_gives(registry, type_name, version, json, &expected[0])
}

/// That, for JSON over lines: what comes out is what would have come out compact, laid out as the
/// stored state is.
fn laid_out_gives(
    registry: &Registry,
    type_name: &str,
    version: u64,
    json: &str,
    expected: &UpgradeResponse,
) -> Result<(), TestCaseError> {
    let upgrade = registry
        .prepare(type_name, version)
        .expect("the type is registered");
    let layouts = [
        Layout::TERRAFORM,
        Layout {
            indent: "          ",
            ..Layout::TERRAFORM
        },
        Layout {
            newline: "\r\n",
            indent: "\t",
            unit: "\t",
        },
    ];
    let mut compact = Vec::new();
    upstate::__internal::compact(json, &mut compact);
    let compact = String::from_utf8(compact).expect("JSON is text");
    // Each document in one of them, which its length decides.
    let layout = layouts[json.len() % layouts.len()];
    let lay_out = |json: &str| {
        let mut out = Vec::new();
        indented(json, layout, &mut out);
        String::from_utf8(out).expect("JSON is text")
    };
    // As a program lays it out, and with one more blank at some place.
    let stored = lay_out(&compact);
    let odd = stored.replacen(": ", ":  ", 1);
    for stored in [stored.as_str(), &odd] {
        let mut out = Vec::new();
        match (
            upgrade.upgrade_laid_out(stored, layout, &mut out),
            expected.state(),
        ) {
            (Ok(notes), Some(state)) => {
                let state = std::str::from_utf8(state).expect("JSON is text");
                prop_assert_eq!(String::from_utf8_lossy(&out), lay_out(state), "{}", stored);
                prop_assert_eq!(
                    told(notes.dropped()),
                    told(expected.dropped()),
                    "{}",
                    stored
                );
            }
            (Err(_), None) => prop_assert!(out.is_empty()),
            (answer, _) => prop_assert!(false, "{stored}: {answer:?}, by values {expected:?}"),
        }
    }
    Ok(())
}
