//! Every way of one state to the current version: by values, straight over the bytes, prepared,
//! laid out over lines, with its names in another order.
//!
//! All of them must lead to the same state and tell of the same dropped values, in both encodings.

use std::collections::BTreeSet;

use super::super::json::Json;
use super::run::{Runner, undefined_added};
use super::{Raw, State};
use crate::codec::Encoding;
use crate::codec::json::{Layout, compact, indented};
use crate::diagnostics::Diagnostics;
use crate::upgrade::{DroppedValue, UpgradeNotes, UpgradeRequest, UpgradeResponse};

/// The upgraded state and what is dropped; `None` if the state is refused.
type Outcome = Option<(Vec<u8>, Vec<(String, &'static str)>)>;

fn outcome(state: Option<&[u8]>, dropped: &[DroppedValue]) -> Outcome {
    let dropped = dropped
        .iter()
        .map(|dropped| (dropped.path.to_string(), dropped.reason))
        .collect();
    state.map(|state| (state.to_vec(), dropped))
}

impl Runner<'_> {
    /// Upgrades a state in the other ways that there are for it, and notes those that end otherwise
    /// than the surest one: by values if the route is written with operators, else through the
    /// registry.
    pub(super) fn look_at_ways(
        &self,
        state: &State,
        straight: &UpgradeResponse,
        wrong: &mut Vec<String>,
    ) {
        let Raw::Json(bytes) = &state.raw else { return };
        let prepared = self
            .hostile
            .registry
            .prepare(&self.hostile.type_name, self.version);
        let (Some(prepared), Ok(json)) = (prepared, std::str::from_utf8(bytes)) else {
            return;
        };
        let straight = outcome(straight.state(), straight.dropped());
        // Most states are refused, which takes longest, so only some of them go all ways: those
        // whose length is a multiple of `REFUSED`.
        if straight.is_none() && json.len() % REFUSED != 0 {
            return;
        }
        let mut compare = |way: &str, found: &Outcome, (surest, expected): &(&str, Outcome)| {
            if found != expected {
                let made = |outcome: &Outcome| {
                    outcome.as_ref().map_or_else(|| "refused".to_owned(), shown)
                };
                wrong.push(format!(
                    "{way} it becomes {}; {surest}, {}",
                    made(found),
                    made(expected)
                ));
            }
        };
        let expected = if prepared.is_by_operators() {
            // A state that is refused here was refused by values already, because the registry
            // takes it by values if it cannot straight over the bytes.
            let by_values = undefined_added(json)
                .filter(|_| straight.is_some())
                .and_then(|json| self.brought(&json, Encoding::Json));
            let expected = ("by values", by_values);
            compare("straight over the bytes", &straight, &expected);
            expected
        } else {
            ("through the registry", straight)
        };
        let parsed = Json::parse(bytes).ok();
        if let Some(reversed) = parsed.as_ref().and_then(reversed) {
            compare(
                "with its names in reverse",
                &self.brought(&reversed.to_text(), Encoding::Json),
                &expected,
            );
        }
        // A prepared upgrade does not await.
        if self.definition.awaits() && !prepared.is_by_operators() {
            return;
        }
        compare(
            "prepared",
            &appended(|out| prepared.upgrade_into(json, Encoding::Json, out)),
            &expected,
        );
        if let (Some(_), Some(layout)) = (parsed, LAYOUTS.get(json.len() % LAYOUTS.len())) {
            let layout = *layout;
            let stored = laid_out(json, layout);
            let state = expected.1.as_ref();
            let state = state.map(|(state, dropped)| {
                (
                    laid_out(&String::from_utf8_lossy(state), layout).into_bytes(),
                    dropped.clone(),
                )
            });
            let found = appended(|out| prepared.upgrade_laid_out(&stored, layout, out));
            compare("laid out over lines", &found, &(expected.0, state));
        }
        if let Some((state, dropped)) = &expected.1 {
            // The upgraded state, of which nothing is left but to write it.
            let current =
                UpgradeRequest::json(&self.hostile.type_name, self.definition.version(), state);
            let written = self.upgrade(&current.with_encoding(Encoding::Msgpack));
            let written = written
                .state()
                .map(|state| (state.to_vec(), dropped.clone()));
            let found = appended(|out| prepared.upgrade_into(json, Encoding::Msgpack, out));
            compare("as MessagePack", &found, &(expected.0, written));
        }
    }

    fn brought(&self, json: &str, encoding: Encoding) -> Outcome {
        let request = UpgradeRequest::json(&self.hostile.type_name, self.version, json.as_bytes());
        let answer = self.upgrade(&request.with_encoding(encoding));
        outcome(answer.state(), answer.dropped())
    }
}

/// The value with the names of each object in reverse; `None` if an object has a name twice, for
/// then the order counts.
fn reversed(json: &Json) -> Option<Json> {
    Some(match json {
        Json::Leaf(_) => json.clone(),
        Json::List(elements) => Json::List(elements.iter().map(reversed).collect::<Option<_>>()?),
        Json::Map(members) => {
            let names: BTreeSet<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
            if names.len() < members.len() {
                return None;
            }
            let members = members
                .iter()
                .rev()
                .map(|(name, value)| Some((name.clone(), reversed(value)?)));
            Json::Map(members.collect::<Option<_>>()?)
        }
    })
}

/// The divisor of lengths that selects refused states: one goes all ways if its length is a
/// multiple of it.
const REFUSED: usize = 4;

const LAYOUTS: [Layout<'static>; 2] = [
    Layout {
        newline: "\n",
        indent: "          ",
        unit: "  ",
    },
    Layout {
        newline: "\r\n",
        indent: "\t",
        unit: "\t",
    },
];

/// JSON laid out over lines.
fn laid_out(json: &str, layout: Layout<'_>) -> String {
    let (mut plain, mut out) = (Vec::new(), Vec::new());
    compact(json, &mut plain);
    indented(&String::from_utf8_lossy(&plain), layout, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// The outcome of an upgrade that is appended to what is there.
fn appended(upgrade: impl FnOnce(&mut Vec<u8>) -> Result<UpgradeNotes, Diagnostics>) -> Outcome {
    const THERE: &[u8] = b"there";
    let mut out = THERE.to_vec();
    match upgrade(&mut out) {
        Ok(notes) => outcome(
            Some(
                out.strip_prefix(THERE)
                    .unwrap_or(b"the earlier bytes are gone"),
            ),
            notes.dropped(),
        ),
        Err(_) if out == THERE => None,
        Err(_) => outcome(Some(b"more than was there, and an error"), &[]),
    }
}

fn shown((state, dropped): &(Vec<u8>, Vec<(String, &'static str)>)) -> String {
    let state: String = String::from_utf8_lossy(state).chars().take(1_000).collect();
    format!("{state} with {dropped:?}")
}
