//! Finds the fault if operators made what does not fit: that of the stored state, or of one of the
//! upgraders.
//!
//! Nothing of this runs while all goes well. A prior model that is only described lets pass what
//! its struct could not hold (a null in a required field, say), because an operator may account for
//! it. If none did, the state is looked at again, from where it does not fit back to what it was
//! made from.

use std::collections::BTreeSet;

use crate::codec::{DecodeError, Encoding, Writer};
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::path::{AttributePath, Names, PathStep};
use crate::schema::table::Table;
use crate::schema::{Members, Schema};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::declared::{Behind, Declared, Prior, PriorModel};
use crate::upgrade::decode::{StoredText, begins_with_any, flat_to_json, located};
use crate::upgrade::history::{History, UpgraderKind};
use crate::upgrade::model::{Judge, Model};
use crate::upgrade::operators::{
    Misfit, Refused, attribute_name, faults, misfits, shown, sources_of,
};
use crate::upgrade::prior_shape::PriorShape;
use crate::upgrade::raw_state::RawState;
use crate::upgrade::unread::{By, mistakes};
use crate::value::{ConformError, Value};

/// The most values that are named; of the others, a diagnostic says how many there are.
const MOST: usize = 50;

/// A value that operators made and that does not fit: the problem, and the path.
pub(in crate::upgrade) struct Unfit {
    pub(in crate::upgrade) problem: String,
    pub(in crate::upgrade) path: AttributePath,
    /// True if the problem is reported in the words of the model's author, who may quote the value.
    pub(in crate::upgrade) quotes: bool,
    /// The value, if it is known.
    pub(in crate::upgrade) value: Option<Value>,
}

impl From<DecodeError> for Unfit {
    fn from(error: DecodeError) -> Self {
        let path = error.path().cloned().unwrap_or_default();
        Self {
            problem: error.problem_of_made(),
            path,
            quotes: error.is_authors(),
            value: None,
        }
    }
}

impl Declared {
    /// The diagnostics for a value of the schema `to` that the current model, which says `error`,
    /// does not take.
    #[cold]
    pub(in crate::upgrade) fn not_taken(
        &self,
        error: DecodeError,
        made: &Value,
        stored: (u64, RawState<'_>),
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Diagnostics {
        let mut unfit = unfit_of(made, to);
        let error = Unfit::from(error);
        if !unfit.iter().any(|known| known.path == error.path) {
            unfit.push(Unfit {
                value: value_at(made, &error.path).cloned(),
                ..error
            });
        }
        self.blame(unfit, stored, to, context)
    }

    /// The diagnostics for a value of the schema `to` that is not of its type, as `error` says, and
    /// for what else does not fit.
    #[cold]
    pub(in crate::upgrade) fn not_conform(
        &self,
        error: &ConformError,
        made: &Value,
        stored: (u64, RawState<'_>),
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Diagnostics {
        let members = to.block().members();
        let mut unfit = unfit_of(made, to);
        let path = error.path().clone();
        if !unfit.iter().any(|known| known.path == path) {
            let visible = members.visible(path.steps()).len;
            let value = value_at(made, &path).cloned();
            unfit.push(Unfit {
                problem: error.problem().to_owned(),
                path: path.truncated(visible),
                quotes: false,
                value,
            });
        }
        self.blame(unfit, stored, to, context)
    }

    /// The diagnostics for what does not fit the schema `to`: what of the stored state is the
    /// cause, or else this upgrader.
    #[cold]
    fn blame(
        &self,
        mut unfit: Vec<Unfit>,
        (version, raw): (u64, RawState<'_>),
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Diagnostics {
        if raw.json().is_some_and(|json| json.trim_ascii() == b"null") {
            // No attribute is named, because all of them are missing and none is the cause.
            let noun = context.subject().noun();
            let detail = format!(
                "The stored {noun} does not fit schema version {version}: it is null, not an object."
            );
            return Diagnostic::error(context.subject().cannot_read(), detail)
                .coded(DiagnosticCode::Null)
                .into();
        }
        let left_out = unfit.len().saturating_sub(MOST);
        unfit.truncate(MOST);
        let paths: Vec<AttributePath> = unfit.iter().map(|unfit| unfit.path.clone()).collect();
        let sources = self.sources(&paths, to.block().members());
        let found = self
            .ask_prior(&sources, (version, raw), context)
            .unwrap_or_default();
        let mut reported = found.clone();
        for unfit in &unfit {
            let sources = self.sources(std::slice::from_ref(&unfit.path), to.block().members());
            let origin = self
                .prior
                .history()
                .and_then(|history| trace(history, version, sources.clone()));
            // If functions lead to the prior version, it is not known which of the values are the
            // same.
            let is_known = |found: &Diagnostic| match (found.path(), &origin) {
                (Some(path), Some(origin)) => origin
                    .iter()
                    .any(|origin| overlap(origin.steps(), path.steps())),
                (None, _) | (_, None) => true,
            };
            if !found.iter().any(is_known) {
                reported.push(self.misfit(unfit, sources, version, to, context));
            }
        }
        if left_out > 0 {
            reported.push(more(left_out, context));
        }
        reported
    }

    /// The diagnostic for a value that the stored state does not account for: that it does not fit,
    /// or that the upgrader is wrong.
    fn misfit(
        &self,
        unfit: &Unfit,
        sources: Vec<AttributePath>,
        version: u64,
        to: &Schema,
        context: &UpgradeContext<'_>,
    ) -> Diagnostic {
        let Unfit {
            problem,
            path,
            quotes,
            value,
        } = unfit;
        let secret = to.block().members().visible(path.steps()).sensitive
            || self.is_secret(&sources, context);
        let problem = if *quotes && secret {
            "the value is not one that the attribute's reader takes"
        } else {
            problem
        };
        let at = if path.is_empty() {
            String::new()
        } else {
            format!(" (at {path})")
        };
        if sources.is_empty() {
            // The upgrader is at fault, because nothing of the stored state is in the value.
            let (from, made) = (self.prior.version(), to.version());
            let detail = format!(
                "The upgrader from schema version {from} to {made} makes a value that version {made} cannot hold: {problem}{at}."
            );
            return Diagnostic::bug(context.subject().cannot_upgrade(), detail).at(path.clone());
        }
        let shown = value
            .as_ref()
            .map_or_else(|| "a value".to_owned(), |value| shown(value, secret));
        let detail = format!(
            "{shown} does not fit schema version {}: {problem}{at}.",
            to.version()
        );
        let refusal = Diagnostic::error(context.subject().cannot_upgrade(), detail)
            .coded(DiagnosticCode::Refused)
            .at(path.clone());
        self.traced(refusal, path, sources, false, version, to)
    }

    /// The diagnostics of operators that refused, or what of the stored state is the cause; and for
    /// what else of the value that was `made` does not fit.
    #[cold]
    pub(in crate::upgrade) fn blame_refusals(
        &self,
        Refused { errors, made }: Refused,
        (version, raw): (u64, RawState<'_>),
        to: &Schema,
        context: &mut UpgradeContext<'_>,
    ) -> Diagnostics {
        let later = self.later_secrets(context);
        let left_out = errors.len().saturating_sub(MOST);
        let mut reported = Diagnostics::new();
        for mut refusal in errors.into_iter().take(MOST) {
            let made = refusal.is_made();
            refusal.set_made(false);
            let Some(path) = refusal.path().filter(|path| !path.is_empty()).cloned() else {
                reported.push(refusal);
                continue;
            };
            let paths = std::slice::from_ref(&path);
            let sources = if made {
                self.sources(paths, to.block().members())
            } else {
                paths.to_vec()
            };
            if may_become_secret(&sources, later.as_ref()) && !self.is_hidden(&sources) {
                // The text is replaced, because an operator knows only its own two versions and
                // quotes a value that is secret in neither.
                let hidden = format!("the value, which is sensitive, does not fit (at {path}).");
                refusal = refusal.with_texts(refusal.summary(), hidden, str::to_owned);
            }
            match self.ask_prior(&sources, (version, raw), context) {
                Some(found) => reported.append(found),
                None => reported.push(self.traced(refusal, &path, sources, made, version, to)),
            }
        }
        if left_out > 0 {
            reported.push(more(left_out, context));
        }
        let unfit = unfit_of(&made, to);
        if !unfit.is_empty() {
            reported.append(self.blame(unfit, (version, raw), to, context));
        }
        reported
    }

    /// True if one of these attributes of the prior version is secret there.
    fn is_hidden(&self, sources: &[AttributePath]) -> bool {
        sources
            .iter()
            .any(|source| self.prior.members().visible(source.steps()).sensitive)
    }

    /// True if one of these attributes of the prior version is secret there, or becomes so.
    fn is_secret(&self, sources: &[AttributePath], context: &UpgradeContext<'_>) -> bool {
        let later = self.later_secrets(context);
        self.is_hidden(sources) || may_become_secret(sources, later.as_ref())
    }

    /// The attributes of the prior version whose values become secret; nothing if any may.
    fn later_secrets(&self, context: &UpgradeContext<'_>) -> Option<BTreeSet<Names>> {
        let version = self.prior.version();
        let mut found = context.secret_sources(version);
        // Not for state of another type, because no more is known of it here.
        if context.moved().is_none() {
            found.extend(context.later_secrets(version)?);
        }
        Some(found)
    }

    /// The refusal of an operator with the upgrader, if it is not the first of a chain, and where
    /// in the stored state it comes from.
    fn traced(
        &self,
        mut refusal: Diagnostic,
        path: &AttributePath,
        sources: Vec<AttributePath>,
        made: bool,
        version: u64,
        to: &Schema,
    ) -> Diagnostic {
        let origin = self
            .prior
            .history()
            .and_then(|history| trace(history, version, sources))
            .unwrap_or_default();
        let is_inside = |origin: &AttributePath| path.steps().starts_with(origin.steps());
        let from = if origin.is_empty() || origin.iter().any(is_inside) {
            String::new()
        } else {
            format!("{path} is made from {}", listed(&origin, version))
        };
        let upgrader = format!(
            "That is in the upgrade from schema version {} to {}",
            self.prior.version(),
            to.version()
        );
        match (version == self.prior.version(), from.is_empty()) {
            (true, true) => {}
            (true, false) => refusal.add_sentence(&format!("{from}.")),
            (false, true) => refusal.add_sentence(&format!("{upgrader}.")),
            (false, false) => refusal.add_sentence(&format!("{upgrader}; {from}.")),
        }
        match origin.as_slice() {
            [stored] if !made && !is_inside(stored) => refusal.at(stored.clone()),
            _ => refusal,
        }
    }

    /// True if the way from this stored version to the prior model can be gone again, to see what
    /// is wrong.
    fn can_ask(&self, version: u64) -> bool {
        version == self.prior.version() || !self.prior.awaits()
    }

    /// The diagnostics for what is wrong, at the prior version or before, with the values at these
    /// paths of the prior model.
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
        context.start_over();
        let made = self.upgrade(version, raw, to, context);
        context.forget(noted);
        let made = made.ok()?;
        let mut unfit = unfit_of(&made, to);
        if let Some(error) = judge.and_then(|judge| judged(&made, to, judge))
            && !unfit.iter().any(|known| known.path == error.path)
        {
            unfit.push(Unfit {
                value: value_at(&made, &error.path).cloned(),
                ..error
            });
        }
        unfit.retain(|unfit| {
            suspects
                .iter()
                .any(|suspect| overlap(suspect.steps(), unfit.path.steps()))
        });
        if unfit.is_empty() {
            None
        } else {
            Some(self.blame(unfit, (version, raw), to, context))
        }
    }

    /// The paths of the prior model from which these paths of the model with the members `to` are
    /// made.
    fn sources(&self, paths: &[AttributePath], to: Members<'_>) -> Vec<AttributePath> {
        sources_of(self.operators, self.prior.members(), to, paths)
    }
}

/// The diagnostics for what the stored state holds, at one of these paths, that the fields of its
/// model do not take.
#[cold]
pub(in crate::upgrade) fn blame_stored(
    raw: RawState<'_>,
    table: &'static Table,
    judge: Option<Judge>,
    suspects: &[AttributePath],
    context: &mut UpgradeContext<'_>,
) -> Option<Diagnostics> {
    let schema = table.schema();
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
    let text = std::str::from_utf8(json).ok()?;
    let stored = StoredText::new(text, schema.version(), context);
    let found = faults(text, schema, table.is_read_exactly());
    let found = found.chain(judge.and_then(|judge| judge(json)));
    let about = |error: &DecodeError| {
        let steps = error.path().map_or(&[][..], AttributePath::steps);
        suspects
            .iter()
            .any(|suspect| overlap(suspect.steps(), steps))
    };
    let reported: Diagnostics = found
        .filter(about)
        .take(MOST)
        .map(|error| stored.unreadable(&error))
        .collect();
    (!reported.is_empty()).then_some(reported)
}

/// The parts of a value that the fields of the model do not take, as far as its schema tells.
fn unfit_of(made: &Value, schema: &Schema) -> Vec<Unfit> {
    let members = schema.block().members();
    let unfit = |Misfit {
                     path,
                     value,
                     problem,
                 }: Misfit<'_>| {
        let visible = members.visible(&path).len;
        let path = path
            .into_iter()
            .collect::<AttributePath>()
            .truncated(visible);
        Unfit {
            problem,
            path,
            quotes: false,
            value: Some(value.clone()),
        }
    };
    misfits(made, schema).into_iter().map(unfit).collect()
}

/// The problem of a value that the model itself does not take.
fn judged(made: &Value, schema: &Schema, judge: Judge) -> Option<Unfit> {
    let mut json = Vec::new();
    made.write(
        &schema.implied_type(),
        &mut Writer::new(&mut json, Encoding::Json),
    );
    judge(&json).map(Unfit::from)
}

/// The value at a path, as far as it may be shown.
fn value_at<'v>(mut value: &'v Value, path: &AttributePath) -> Option<&'v Value> {
    for step in path.steps() {
        value = match (value, step) {
            (Value::Map(map), PathStep::Attribute(name)) => map.get(&**name)?,
            (Value::Map(map), PathStep::Key(key)) => map.get(key)?,
            (Value::List(list), PathStep::Index(index)) => {
                list.get(usize::try_from(*index).ok()?)?
            }
            _ => return None,
        };
    }
    Some(value)
}

/// The diagnostic for so many values more.
fn more(count: usize, context: &UpgradeContext<'_>) -> Diagnostic {
    Diagnostic::error(context.subject().cannot_upgrade(), counted(count))
        .coded(DiagnosticCode::Refused)
}

/// The sentence about so many values more.
pub(in crate::upgrade) fn counted(count: usize) -> String {
    if count == 1 {
        "1 more value does not fit.".to_owned()
    } else {
        format!("{count} more values do not fit.")
    }
}

/// The parts of a value of this schema that a release of that version does not take: the problem
/// and the path of each. Of many, the number of those that are left out is beside them.
pub(in crate::upgrade) fn unfit(
    made: &Value,
    schema: &Schema,
    judge: Option<Judge>,
) -> (Vec<(String, AttributePath)>, usize) {
    let mut json = Vec::new();
    made.write(
        &schema.implied_type(),
        &mut Writer::new(&mut json, Encoding::Json),
    );
    let text = std::str::from_utf8(&json).unwrap_or_default();
    let found = faults(text, schema, schema.is_document());
    let left_out = found.len().saturating_sub(MOST);
    let judged = judge.and_then(|judge| judge(&json));
    let listed = found.take(MOST).chain(judged).map(Unfit::from);
    (listed.map(unquoted).collect(), left_out)
}

/// The parts of a document of this table that a release of that version does not read, as far as
/// the table tells, and what its model says: the problem and the path of each. Of many, the number
/// of those that are left out is beside them, because finding a path reads the text from its
/// beginning.
pub(in crate::upgrade) fn unread(
    json: &[u8],
    table: &'static Table,
    judge: Option<Judge>,
) -> (Vec<(String, AttributePath)>, usize) {
    let Ok(text) = std::str::from_utf8(json) else {
        return (Vec::new(), 0);
    };
    let judged = judge.map(|judge| judge(json).map(Unfit::from));
    // The model decides, if it is asked: the table knows its types too little to add to it.
    if let Some(None) = judged {
        return (Vec::new(), 0);
    }
    let found = mistakes(text, table, By::Contents);
    let left_out = found.len().saturating_sub(MOST);
    let mut listed: Vec<Unfit> = found
        .into_iter()
        .take(MOST)
        .map(|mistake| located(mistake, text, table).into())
        .collect();
    let judged = judged.flatten();
    listed.extend(judged.filter(|judged| listed.iter().all(|known| known.path != judged.path)));
    (listed.into_iter().map(unquoted).collect(), left_out)
}

/// A problem with its path. The words of a model's author may quote the value.
fn unquoted(unfit: Unfit) -> (String, AttributePath) {
    let problem = if unfit.quotes {
        "the model refuses it".to_owned()
    } else {
        unfit.problem
    };
    (problem, unfit.path)
}

/// Paths as a sentence names them.
fn listed(paths: &[AttributePath], version: u64) -> String {
    const MOST: usize = 3;
    let shown: Vec<String> = paths
        .iter()
        .take(MOST)
        .map(|path| format!("`{path}`"))
        .collect();
    let more = if paths.len() > MOST {
        " and others"
    } else {
        ""
    };
    format!("{}{more} of version {version}", shown.join(", "))
}

/// The paths that these paths were at the stored version, if operators alone lead from there.
fn trace(
    history: &'static History,
    version: u64,
    paths: Vec<AttributePath>,
) -> Option<Vec<AttributePath>> {
    if version == history.version() {
        return Some(paths);
    }
    let step = history.steps().get(history.route(version)?)?;
    let (UpgraderKind::Operators(operators), Some(prior), None) =
        (step.written_as(), step.prior(), step.condition())
    else {
        return None;
    };
    let (from, to) = (
        prior.schema().block().members(),
        history.schema().block().members(),
    );
    trace(
        prior,
        step.model_version(version),
        sources_of(operators, from, to, &paths),
    )
}

/// True if a value of these attributes may become secret: one of the `later` ones, or any.
fn may_become_secret(sources: &[AttributePath], later: Option<&BTreeSet<Names>>) -> bool {
    sources
        .iter()
        .any(|source| later.is_none_or(|later| begins_with_any(source, later)))
}

/// True if one path is the other, or lies inside it. A path of names alone holds for every element.
fn overlap(mut one: &[PathStep], mut other: &[PathStep]) -> bool {
    while let (Some((first, one_rest)), Some((second, other_rest))) =
        (one.split_first(), other.split_first())
    {
        match (attribute_name(first), attribute_name(second)) {
            (Some(_), None) => other = other_rest,
            (None, Some(_)) => one = one_rest,
            (Some(_), Some(_)) if first != second => return false,
            // An element of a set has no name of its own.
            (None, None) if first != second && !is_unnamed(first) && !is_unnamed(second) => {
                return false;
            }
            _ => (one, other) = (one_rest, other_rest),
        }
    }
    true
}

fn is_unnamed(step: &PathStep) -> bool {
    matches!(step, PathStep::Element(_))
}

impl Prior {
    /// The diagnostics for what is wrong at these paths with the prior model, to which state stored
    /// at `version` was brought.
    #[cold]
    pub(in crate::upgrade) fn blame(
        &self,
        version: u64,
        raw: RawState<'_>,
        suspects: &[AttributePath],
        context: &mut UpgradeContext<'_>,
    ) -> Option<Diagnostics> {
        match self.behind {
            Behind::Model(PriorModel { known, .. }) => {
                let model = known();
                if version != model.version() {
                    return blame_upgraded(model, version, raw, suspects, context);
                }
                blame_stored(raw, self.table, model.judge, suspects, context)
            }
            Behind::Shape(_) if version == self.table.version => {
                blame_stored(raw, self.table, None, suspects, context)
            }
            Behind::Shape(shape) => shape.blame(version, raw, suspects, context),
            Behind::Object => None,
        }
    }
}

impl PriorShape {
    /// The diagnostics for what is wrong at these paths with the shape, to which state stored at an
    /// earlier version was brought.
    #[cold]
    pub(in crate::upgrade) fn blame(
        &'static self,
        version: u64,
        raw: RawState<'_>,
        suspects: &[AttributePath],
        context: &mut UpgradeContext<'_>,
    ) -> Option<Diagnostics> {
        let upgrader = self.chosen(version, raw, context).ok()?;
        let stored = (upgrader.step().model_version(version), raw);
        upgrader
            .any()
            .operators()?
            .blame_answer(stored, self.schema(), None, suspects, context)
    }
}

/// The diagnostics for what is wrong at these paths with the model, to which state stored at an
/// earlier version was brought.
#[cold]
pub(in crate::upgrade) fn blame_upgraded(
    model: &'static Model,
    version: u64,
    raw: RawState<'_>,
    suspects: &[AttributePath],
    context: &mut UpgradeContext<'_>,
) -> Option<Diagnostics> {
    let upgrader = model.choose(version, raw, context).ok()?;
    let stored = (upgrader.step().model_version(version), raw);
    upgrader
        .operators()?
        .blame_answer(stored, model.schema(), model.judge, suspects, context)
}
