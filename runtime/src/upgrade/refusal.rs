//! Refusals: what can't be done, and what to do about it.

use std::ops::RangeInclusive;

use super::context::Scope;
use super::definition::ResourceDefinition;
use super::raw_state::RawState;
use super::subject::Subject;
use crate::diagnostics::{Diagnostic, DiagnosticCode};

/// The diagnostic for a stored version that has no way up.
#[cold]
pub(super) fn refusal(definition: &ResourceDefinition, scope: &Scope<'_>) -> Diagnostic {
    let (stored, current, oldest) = (scope.stored(), definition.version(), definition.oldest());
    let (type_name, subject, noun) = (scope.type_name, scope.subject, scope.subject.noun());
    if stored > current {
        let since = match definition.release_of(current) {
            Some(release) => format!(", which releases from {release} on write"),
            None => String::new(),
        };
        return Diagnostic::error(
            subject.is_newer(),
            format!(
                "A later release stored this {noun} of {type_name}, at schema version {stored}; this release reads versions up to \
                 {current}{since}."
            ),
        )
        .coded(DiagnosticCode::NewerVersion)
        .with_remedy("Use the release that stored it, or a later one.");
    }
    if stored < oldest {
        let by = match definition.release_of(stored) {
            Some(release) => format!(", by release {release} or later"),
            None => String::new(),
        };
        return Diagnostic::error(
            subject.is_too_old(),
            format!(
                "The {noun} of {type_name} was stored at schema version {stored}{by}; this release upgrades from version {oldest} on."
            ),
        )
        .coded(DiagnosticCode::TooOld)
        .with_remedy(format!("Upgrade it first with an earlier release that still reads version {stored}, then with this one."));
    }
    let known = known_upgrades(definition);
    Diagnostic::error(
        subject.cannot_upgrade(),
        format!(
            "The {noun} of {type_name} was stored at schema version {stored}, which has no upgrade to version {current}; {known}."
        ),
    )
    .coded(DiagnosticCode::NoUpgrade)
    .with_remedy(format!(
        "This is a gap in this release: report it to the authors. Until then, use the release that stored the {noun}."
    ))
}

/// The versions that upgrades lead from, as a part of a sentence.
#[cold]
pub(super) fn known_upgrades(definition: &ResourceDefinition) -> String {
    let supported: Vec<String> = definition.supported_ranges().iter().map(named).collect();
    if supported.is_empty() {
        "this type has no upgraders".to_owned()
    } else {
        format!("there are upgraders from version {}", supported.join(", "))
    }
}

/// A range of versions in a sentence.
fn named(range: &RangeInclusive<u64>) -> String {
    if range.start() == range.end() {
        range.start().to_string()
    } else {
        format!("{} to {}", range.start(), range.end())
    }
}

/// The diagnostic for a request without any state.
#[cold]
pub(super) fn no_state(scope: &Scope<'_>) -> Diagnostic {
    let (heading, verb) = match scope.subject {
        Subject::Moved => ("Missing Source Resource State", "move"),
        subject @ (Subject::State | Subject::Identity | Subject::Document) => {
            (subject.cannot_read(), "upgrade")
        }
    };
    Diagnostic::error(
        heading,
        format!(
            "The request holds no {} at all, so there is nothing to {verb}.",
            scope.subject.noun()
        ),
    )
    .coded(DiagnosticCode::NothingStored)
    .with_remedy(format!(
        "This is a bug in the calling program, not in the {}.",
        scope.subject.noun()
    ))
}

/// The `id` attribute of the stored state, quoted, if it is a string that may be shown.
pub(super) fn instance_id(raw: RawState<'_>) -> Option<String> {
    use crate::codec::json::{Kind, Reader};
    if let Some(map) = raw.flatmap() {
        return map.get("id").map(|id| quoted(id));
    }
    let mut reader = Reader::from_bytes(raw.json()?).ok()?;
    if reader.peek().ok()? != Kind::Object {
        return None;
    }
    reader.open_object().ok()?;
    let mut first = true;
    while let Some(name) = reader.next_member(first).ok()? {
        first = false;
        if name == "id" {
            let is_text = reader.peek().ok()? == Kind::String;
            let id = if is_text {
                reader.string().ok()?
            } else {
                return None;
            };
            return Some(quoted(&id));
        }
        reader.skip().ok()?;
    }
    None
}

/// The start of a string, between quotes.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 200;
    let shown: String = text.chars().take(LONGEST).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("{shown:?}{more}")
}
