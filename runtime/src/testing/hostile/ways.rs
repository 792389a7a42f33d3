//! Every way of one state to the current version: by values, straight over the bytes, prepared, laid out over lines.
//!
//! All of them must lead to the same state and tell of the same dropped values, in both encodings.

use super::super::json::Json;
use super::run::{Runner, undefined_added};
use super::{Raw, State};
use crate::codec::Encoding;
use crate::codec::json::{Layout, compact, indented};
use crate::diagnostics::Diagnostics;
use crate::upgrade::{DroppedValue, PreparedUpgrade, UpgradeNotes, UpgradeRequest, UpgradeResponse};

/// The upgraded state and what is dropped; `None` if the state is refused.
type Outcome = Option<(Vec<u8>, Vec<(String, &'static str)>)>;

fn outcome(state: Option<&[u8]>, dropped: &[DroppedValue]) -> Outcome {
    let dropped = dropped.iter().map(|dropped| (dropped.path.to_string(), dropped.reason)).collect();
    state.map(|state| (state.to_vec(), dropped))
}

impl Runner<'_> {
    /// Upgrades a state in the other ways that there are for it, and notes those that end otherwise than the one by values.
    pub(super) fn look_at_ways(&self, state: &State, straight: &UpgradeResponse, wrong: &mut Vec<String>) {
        let Raw::Json(bytes) = &state.raw else { return };
        let prepared = self.hostile.registry.prepare(&self.hostile.type_name, self.version);
        // Functions of an author's get what they get whichever way it is; only plans of operators go several.
        let (Some(prepared), Ok(json)) = (prepared.filter(PreparedUpgrade::is_by_operators), std::str::from_utf8(bytes)) else {
            return;
        };
        let straight = outcome(straight.state(), straight.dropped());
        // Most states are refused, which takes longest; some of them do.
        if straight.is_none() && json.len() % REFUSED != 0 {
            return;
        }
        // What is refused straight over the bytes was refused by values.
        let interpreted = undefined_added(json).filter(|_| straight.is_some());
        let by_values = |encoding| {
            interpreted.as_ref().map(|json| {
                let request = UpgradeRequest::json(&self.hostile.type_name, self.version, json.as_bytes());
                self.upgrade(&request.with_encoding(encoding))
            })
        };
        let expected = by_values(Encoding::Json).and_then(|answer| outcome(answer.state(), answer.dropped()));
        let mut compare = |way: &str, found: &Outcome, expected: &Outcome| {
            if found != expected {
                let made = |outcome: &Outcome| outcome.as_ref().map_or_else(|| "refused".to_owned(), shown);
                wrong.push(format!("{way} it becomes {}; by values, {}", made(found), made(expected)));
            }
        };
        compare("straight over the bytes", &straight, &expected);
        compare("prepared", &appended(|out| prepared.upgrade_into(json, Encoding::Json, out)), &expected);
        if let (Ok(_), Some(layout)) = (Json::parse(bytes), LAYOUTS.get(json.len() % LAYOUTS.len())) {
            let layout = *layout;
            let stored = laid_out(json, layout);
            let expected = expected
                .as_ref()
                .map(|(state, dropped)| (laid_out(&String::from_utf8_lossy(state), layout).into_bytes(), dropped.clone()));
            compare("laid out over lines", &appended(|out| prepared.upgrade_laid_out(&stored, layout, out)), &expected);
        }
        if let Some(answer) = by_values(Encoding::Msgpack) {
            let expected = outcome(answer.state(), answer.dropped());
            compare("as MessagePack", &appended(|out| prepared.upgrade_into(json, Encoding::Msgpack, out)), &expected);
        }
    }
}

/// Of so many lengths of refused states, one goes all ways.
const REFUSED: usize = 4;

const LAYOUTS: [Layout<'static>; 2] =
    [Layout { newline: "\n", indent: "          ", unit: "  " }, Layout { newline: "\r\n", indent: "\t", unit: "\t" }];

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
        Ok(notes) => outcome(Some(out.strip_prefix(THERE).unwrap_or(b"what was there is not")), notes.dropped()),
        Err(_) if out == THERE => None,
        Err(_) => outcome(Some(b"more than was there, and an error"), &[]),
    }
}

fn shown((state, dropped): &(Vec<u8>, Vec<(String, &'static str)>)) -> String {
    let state: String = String::from_utf8_lossy(state).chars().take(1_000).collect();
    format!("{state} with {dropped:?}")
}
