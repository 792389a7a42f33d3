//! Whose fault it is that operators made what does not fit: that of the stored state, or of which upgrader.
//!
//! Nothing of this runs while all goes well. A prior model that is only described lets pass what its struct could not hold (a null in
//! a required field, say), because an operator may account for it. If none did, the state is looked at again, from where it does not
//! fit back to what it was made from.

use std::fmt::Write as _;

use super::faults::faults;
use super::provenance::{attribute_name, sources_of};
use super::upgrader::Declared;
use crate::codec::{DecodeError, Encoding, Writer};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::path::{AttributePath, PathStep};
use crate::schema::{Members, Schema};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::decode::{flat_to_json, unreadable_state};
use crate::upgrade::history::{History, UpgraderKind};
use crate::upgrade::raw_state::RawState;
use crate::value::Value;

/// The model's own reading of a document, where its schema does not tell which values its fields take.
pub(in crate::upgrade) type Judge = fn(&[u8]) -> Option<DecodeError>;

/// What is wrong with a value that operators made, and where.
pub(super) struct Unfit {
    pub(super) problem: String,
    pub(super) path: AttributePath,
    /// Whether the problem is reported in the words of the model's author, who may quote the value.
    pub(super) quotes: bool,
}

impl From<DecodeError> for Unfit {
    fn from(error: DecodeError) -> Self {
        let path = error.path().cloned().unwrap_or_default();
        Self { problem: error.problem_of_made(), path, quotes: error.is_authors() }
    }
}

impl Declared {
    /// The diagnostics for a value of the schema `to` that the current model, which says `error`, does not take.
    #[cold]
    pub(in crate::upgrade) fn not_taken(
        &self,
        error: DecodeError,
        made: &Value,
        (version, raw): (u64, RawState<'_>),
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Diagnostics {
        let mut unfit = made_faults(made, to, None);
        let error = Unfit::from(error);
        if !unfit.iter().any(|known| known.path == error.path) {
            unfit.push(error);
        }
        self.blame(&unfit, (version, raw), to, context)
    }

    /// The diagnostics for what does not fit the schema `to`: what of the stored state is the cause, or else this upgrader.
    #[cold]
    pub(super) fn blame(
        &self,
        unfit: &[Unfit],
        (version, raw): (u64, RawState<'_>),
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Diagnostics {
        if raw.json().is_some_and(|json| json.trim_ascii() == b"null") {
            // Every attribute is missing then, and none of them is the cause.
            let noun = context.subject().noun();
            let detail = format!("The stored {noun} does not fit schema version {version}: it is null, not an object.");
            return Diagnostic::error(context.subject().cannot_read(), detail).into();
        }
        let paths: Vec<AttributePath> = unfit.iter().map(|unfit| unfit.path.clone()).collect();
        let sources = self.sources(&paths, to.block().members());
        if let Some(found) = self.ask_prior(&sources, (version, raw), context) {
            return found;
        }
        let Some(Unfit { problem, path, quotes }) = unfit.first() else { return Diagnostics::new() };
        let sources = self.sources(std::slice::from_ref(path), to.block().members());
        let secret = *quotes && sources.iter().any(|source| self.prior.members().visible(source.steps()).sensitive);
        let problem = if secret { "the value is not one that the attribute's reader takes" } else { problem };
        let (from, made) = (self.prior.version(), to.version());
        let mut detail =
            format!("The upgrader from schema version {from} to {made} makes a value that version {made} cannot hold: {problem}");
        let origin = self.prior.history().and_then(|history| trace(history, version, sources)).unwrap_or_default();
        let at = if origin.is_empty() || origin.contains(path) {
            format!("at {path}")
        } else if path.is_empty() {
            format!("from {}", listed(&origin, version))
        } else {
            format!("at {path}, made from {}", listed(&origin, version))
        };
        let _ = write!(detail, " ({at}). ");
        let noun = context.subject().noun();
        let _ = if self.can_ask(version) {
            write!(
                detail,
                "The stored {noun} fits schema version {version} there, so this is a bug in the upgrader: report it to the authors."
            )
        } else {
            write!(
                detail,
                "Either the stored {noun} is wrong there, or the upgrader has a bug: if nobody edited the {noun}, report it to the authors."
            )
        };
        let path = if let [stored] = &*origin { stored } else { path };
        Diagnostic::error(context.subject().cannot_upgrade(), detail).at(path.clone()).into()
    }

    /// The diagnostics of operators that refused, or what of the stored state is the cause.
    #[cold]
    pub(super) fn blame_refusals(
        &self,
        refusals: Diagnostics,
        (version, raw): (u64, RawState<'_>),
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Diagnostics {
        let mut told = Diagnostics::new();
        for mut refusal in refusals {
            let made = refusal.is_made();
            refusal.set_made(false);
            let Some(path) = refusal.path().filter(|path| !path.is_empty()).cloned() else {
                told.push(refusal);
                continue;
            };
            let paths = std::slice::from_ref(&path);
            let sources = if made { self.sources(paths, to.block().members()) } else { paths.to_vec() };
            match self.ask_prior(&sources, (version, raw), context) {
                Some(found) => told.append(found),
                None => told.push(self.traced(refusal, &path, sources, made, version, to)),
            }
        }
        told
    }

    /// The refusal of an operator with the upgrader, if it is not the first of a chain, and where in the stored state it comes from.
    fn traced(
        &self,
        mut refusal: Diagnostic,
        path: &AttributePath,
        sources: Vec<AttributePath>,
        made: bool,
        version: u64,
        to: &Schema,
    ) -> Diagnostic {
        let origin = self.prior.history().and_then(|history| trace(history, version, sources)).unwrap_or_default();
        let from = if origin.is_empty() || origin.contains(path) {
            String::new()
        } else {
            format!("{path} is made from {}", listed(&origin, version))
        };
        let upgrader = format!("That is in the upgrade from schema version {} to {}", self.prior.version(), to.version());
        match (version == self.prior.version(), from.is_empty()) {
            (true, true) => {}
            (true, false) => refusal.add_sentence(&format!("{from}.")),
            (false, true) => refusal.add_sentence(&format!("{upgrader}.")),
            (false, false) => refusal.add_sentence(&format!("{upgrader}; {from}.")),
        }
        match origin.as_slice() {
            [stored] if !made => refusal.at(stored.clone()),
            _ => refusal,
        }
    }

    /// Whether the way from this stored version to the prior model can be gone again, to see what is wrong.
    fn can_ask(&self, version: u64) -> bool {
        version == self.prior.version() || !self.prior.awaits()
    }

    /// What is wrong, at the prior version or before, with what is at these paths of the prior model.
    fn ask_prior(
        &self,
        suspects: &[AttributePath],
        (version, raw): (u64, RawState<'_>),
        context: &mut UpgradeContext<'_>,
    ) -> Option<Diagnostics> {
        if suspects.is_empty() || !self.can_ask(version) {
            return None;
        }
        self.prior.blame(version, raw, suspects, context)
    }

    /// Asks that of the value that this upgrader makes, of the model with the schema `to`.
    #[cold]
    pub(in crate::upgrade) fn blame_answer(
        &self,
        (version, raw): (u64, RawState<'_>),
        to: &Schema,
        judge: Option<Judge>,
        suspects: &[AttributePath],
        context: &mut UpgradeContext<'_>,
    ) -> Option<Diagnostics> {
        let noted = context.noted();
        let made = self.upgrade(version, raw, to, context);
        context.forget(noted);
        let mut unfit = made_faults(&made.ok()?, to, judge);
        unfit.retain(|unfit| suspects.iter().any(|suspect| overlap(suspect.steps(), unfit.path.steps())));
        if unfit.is_empty() { None } else { Some(self.blame(&unfit, (version, raw), to, context)) }
    }

    /// What these paths of the model with the members `to` are made from.
    fn sources(&self, paths: &[AttributePath], to: Members<'_>) -> Vec<AttributePath> {
        sources_of(self.operators, self.prior.members(), to, paths)
    }
}

/// What the stored state holds that the fields of its model do not take, at one of these paths.
#[cold]
pub(in crate::upgrade) fn blame_stored(
    raw: RawState<'_>,
    schema: &Schema,
    members: Members<'_>,
    judge: Option<Judge>,
    suspects: &[AttributePath],
    context: &mut UpgradeContext<'_>,
) -> Option<Diagnostics> {
    let flat;
    let json = match raw {
        RawState::Json(json) => json,
        RawState::Flatmap(map) => {
            let noted = context.noted();
            let json = flat_to_json(map, schema, context);
            context.forget(noted);
            flat = json.ok()?;
            &flat
        }
        RawState::Empty => return None,
    };
    let mut found = faults(std::str::from_utf8(json).ok()?, members);
    found.extend(judge.and_then(|judge| judge(json)));
    let about = |error: &DecodeError| {
        let steps = error.path().map_or(&[][..], AttributePath::steps);
        suspects.iter().any(|suspect| overlap(suspect.steps(), steps))
    };
    found.iter().find(|error| about(error)).map(|error| unreadable_state(error, schema.version(), context.subject()).into())
}

/// What of a value of this schema the model does not take.
fn made_faults(made: &Value, schema: &Schema, judge: Option<Judge>) -> Vec<Unfit> {
    let mut json = Vec::new();
    made.write(&schema.implied_type(), &mut Writer::new(&mut json, Encoding::Json));
    let mut found = std::str::from_utf8(&json).map(|text| faults(text, schema.block().members())).unwrap_or_default();
    found.extend(judge.and_then(|judge| judge(&json)));
    found.into_iter().map(Unfit::from).collect()
}

/// What of a value of this schema a release of that version does not take: what, and where.
pub(in crate::upgrade) fn unfit(made: &Value, schema: &Schema, judge: Option<Judge>) -> Vec<(String, AttributePath)> {
    let faults = made_faults(made, schema, judge).into_iter();
    // The words of a model's author may quote the value.
    let problem = |unfit: Unfit| (if unfit.quotes { "the model refuses it".to_owned() } else { unfit.problem }, unfit.path);
    faults.map(problem).collect()
}

/// Paths as a sentence names them.
fn listed(paths: &[AttributePath], version: u64) -> String {
    const MOST: usize = 3;
    let shown: Vec<String> = paths.iter().take(MOST).map(|path| format!("`{path}`")).collect();
    let more = if paths.len() > MOST { " and others" } else { "" };
    format!("{}{more} of version {version}", shown.join(", "))
}

/// What these paths were at the stored version, if operators alone lead from there.
fn trace(history: &'static History, version: u64, paths: Vec<AttributePath>) -> Option<Vec<AttributePath>> {
    if version == history.version() {
        return Some(paths);
    }
    let step = history.steps().get(history.route(version)?)?;
    let (UpgraderKind::Operators(operators), Some(via), None) = (step.written_as(), step.via(), step.condition()) else {
        return None;
    };
    let (from, to) = (via.schema().block().members(), history.schema().block().members());
    trace(via, step.model_version(version), sources_of(operators, from, to, &paths))
}

/// Whether one path is the other, or lies inside it. What is said only by names holds for every element.
fn overlap(mut one: &[PathStep], mut other: &[PathStep]) -> bool {
    while let (Some((first, one_rest)), Some((second, other_rest))) = (one.split_first(), other.split_first()) {
        match (attribute_name(first), attribute_name(second)) {
            (Some(_), None) => other = other_rest,
            (None, Some(_)) => one = one_rest,
            (Some(_), Some(_)) if first != second => return false,
            // An element of a set has no name of its own.
            (None, None) if first != second && !is_unnamed(first) && !is_unnamed(second) => return false,
            _ => (one, other) = (one_rest, other_rest),
        }
    }
    true
}

fn is_unnamed(step: &PathStep) -> bool {
    matches!(step, PathStep::Element(_))
}
