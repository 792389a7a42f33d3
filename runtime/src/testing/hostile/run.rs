//! Upgrading a hostile state and looking at what came of it.

use super::sample::{SECRET, SECRET_NUMBER};
use super::{Hostile, HostileReport, Raw, State};
use crate::codec::Encoding;
use crate::diagnostics::Severity;
use crate::upgrade::{
    History, ResourceDefinition, Subject, UpgradeRequest, UpgradeResponse, UpgraderKind,
};

/// The result of a state: the upgraded one, and the paths and reasons of what is discarded.
type Outcome = (Vec<u8>, Vec<(String, &'static str)>);

/// The object with a member that no schema defines; states that have one go by values.
pub(super) fn undefined_added(json: &str) -> Option<String> {
    const UNDEFINED: &str = "\"undefined by upstate\":0";
    let (blanks, members) = json
        .split_once('{')
        .filter(|(blanks, _)| blanks.trim().is_empty())?;
    let comma = if members.trim_start().starts_with('}') {
        ""
    } else {
        ","
    };
    Some(format!("{blanks}{{{UNDEFINED}{comma}{members}"))
}

/// Upgrades states of one version.
pub(super) struct Runner<'h> {
    pub(super) hostile: &'h Hostile,
    pub(super) definition: &'h ResourceDefinition,
    pub(super) version: u64,
}

impl Runner<'_> {
    /// Says whether the state was upgraded.
    pub(super) fn check(&self, state: &State, report: &mut HostileReport) -> bool {
        let request = self.request(state);
        let response = self.upgrade(&request);
        match response.state() {
            Some(_) => report.upgraded += 1,
            None => report.refused += 1,
        }
        let mut wrong = Vec::new();
        self.look(state, &request, &response, &mut wrong);
        self.look_at_ways(state, &response, &mut wrong);
        if !wrong.is_empty() {
            let stored = match &state.raw {
                Raw::Json(json) => shown(&String::from_utf8_lossy(json)),
                Raw::Flatmap(map) => shown(&format!("{map:?}")),
            };
            let version = self.version;
            let about = format!(
                "version {version} of {}, {}: {}",
                self.hostile.type_name,
                state.what,
                wrong.join("; ")
            );
            report.problems.push(format!("{about}\nstored: {stored}"));
        }
        response.state().is_some()
    }

    /// Upgrades states that mean one thing, each straight over the bytes and, with a name that no
    /// schema defines, over values. Says what ends otherwise than the first.
    pub(super) fn check_alike(&self, states: &[State], report: &mut HostileReport) {
        let mut first: Option<(&str, Option<Outcome>)> = None;
        for state in states {
            self.check(state, report);
            let Raw::Json(json) = &state.raw else {
                continue;
            };
            let odd = undefined_added(&String::from_utf8_lossy(json)).unwrap_or_default();
            for json in [json.as_slice(), odd.as_bytes()] {
                let response = self.upgrade(&UpgradeRequest::json(
                    &self.hostile.type_name,
                    self.version,
                    json,
                ));
                let discarded = || {
                    response
                        .dropped()
                        .iter()
                        .map(|dropped| (dropped.path.to_string(), dropped.reason))
                        .collect()
                };
                let outcome = response.state().map(|state| (state.to_vec(), discarded()));
                match &first {
                    None => first = Some((&state.what, outcome)),
                    Some((_, expected)) if *expected == outcome => {}
                    Some((what, _)) => {
                        let (version, type_name) = (self.version, &self.hostile.type_name);
                        report.problems.push(format!(
                            "version {version} of {type_name}, {}: it ends otherwise than where {what}, which means the same\nstored: {}",
                            state.what,
                            shown(&String::from_utf8_lossy(json))
                        ));
                        return;
                    }
                }
            }
        }
    }

    pub(super) fn upgrade(&self, request: &UpgradeRequest<'_>) -> UpgradeResponse {
        self.hostile.engine.upgrade(&self.hostile.registry, request)
    }

    pub(super) fn request<'s>(&'s self, state: &'s State) -> UpgradeRequest<'s> {
        match &state.raw {
            Raw::Json(json) => UpgradeRequest::json(&self.hostile.type_name, self.version, json),
            Raw::Flatmap(map) => {
                UpgradeRequest::flatmap(&self.hostile.type_name, self.version, map)
            }
        }
    }

    /// Operators look for all that is wrong with a state, and so does the reader of one that it
    /// cannot read.
    fn may_have_several(&self, errors: &[&str]) -> bool {
        let is_declared = self.definition.history().is_some_and(is_declared);
        self.hostile.several_errors
            || is_declared
            || errors
                .iter()
                .all(|heading| Subject::is_of_unreadable(heading))
    }

    fn look(
        &self,
        state: &State,
        request: &UpgradeRequest<'_>,
        response: &UpgradeResponse,
        wrong: &mut Vec<String>,
    ) {
        let errors: Vec<&str> = response
            .diagnostics()
            .iter()
            .filter(|diagnostic| diagnostic.severity() == Severity::Error)
            .map(crate::diagnostics::Diagnostic::summary)
            .collect();
        match (response.state(), errors.as_slice()) {
            (Some(upgraded), []) => self.look_at_state(request, upgraded, wrong),
            (Some(_), _) => wrong.push("it was upgraded, with errors".to_owned()),
            (None, []) => wrong.push("it was refused without an error".to_owned()),
            (None, ["Upgrade Panicked"]) => wrong.push("the upgrade panicked".to_owned()),
            (None, [_]) => {}
            (None, errors)
                if self.may_have_several(errors) && !errors.contains(&"Upgrade Panicked") => {}
            (None, errors) => wrong.push(format!(
                "it was refused with {} errors: {}",
                errors.len(),
                errors.join(", ")
            )),
        }
        let shown = format!("{}\n{response:?}\n{request:?}", response.diagnostics());
        let dropped: Vec<String> = response
            .undefined()
            .iter()
            .map(ToString::to_string)
            .collect();
        let mut secrets = state
            .secrets
            .iter()
            .map(String::as_str)
            .chain([SECRET, SECRET_NUMBER]);
        if secrets.any(|secret| {
            shown.contains(secret) || dropped.iter().any(|path| path.contains(secret))
        }) {
            wrong.push("a message about it holds a sensitive value".to_owned());
        }
        if let Raw::Json(json) = &state.raw {
            for shortcut in &self.hostile.shortcuts {
                let skipped = shortcut.definition;
                let past = self.version < skipped.version()
                    && !self
                        .definition
                        .route(self.version)
                        .contains(&skipped.version());
                if past && skipped.reaches(self.version) {
                    wrong.extend((shortcut.compare)(self.version, json));
                }
            }
        }
    }

    /// Checks that the upgraded state is what it becomes when it is read again, and has a form in
    /// `MessagePack`.
    fn look_at_state(
        &self,
        request: &UpgradeRequest<'_>,
        upgraded: &[u8],
        wrong: &mut Vec<String>,
    ) {
        let again = self.upgrade(&UpgradeRequest::json(
            &self.hostile.type_name,
            self.definition.version(),
            upgraded,
        ));
        match again.state() {
            Some(again) if again == upgraded => {}
            Some(_) => wrong.push(
                "the upgraded state changes when it is read and written once more".to_owned(),
            ),
            None => wrong.push(format!(
                "the upgraded state can't be read: {}",
                again.diagnostics()
            )),
        }
        if !again.undefined().is_empty() {
            wrong.push(
                "the upgraded state holds something that the schema does not define".to_owned(),
            );
        }
        if self
            .upgrade(&request.with_encoding(Encoding::Msgpack))
            .state()
            .is_none()
        {
            wrong.push("it was upgraded to JSON, but not to MessagePack".to_owned());
        }
    }
}

/// True if any upgrader of a history, or of the prior models in it, is written with operators.
fn is_declared(history: &History) -> bool {
    let mut steps = history.steps().iter();
    steps.any(|step| {
        matches!(step.written_as(), UpgraderKind::Operators(_))
            || step.prior().is_some_and(is_declared)
    })
}

/// The start of a state: a hundred thousand brackets tell no more than a few.
fn shown(stored: &str) -> String {
    const LONGEST: usize = 2_000;
    let start: String = stored.chars().take(LONGEST).collect();
    if start.len() < stored.len() {
        format!("{start}…")
    } else {
        start
    }
}
