//! Reads stored state as a value, and what an upgrade made as the answer.

use super::upgrader::{Prior, Problem, UpgradedState, structured};
use crate::codec::json::Reader;
use crate::codec::{DecodeError, Encoding, UnknownAttributes, Writer};
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::path::{AttributePath, PathStep};
use crate::schema::{Block, Schema};
use crate::upgrade::context::UpgradeContext;
use crate::upgrade::decode::{
    not_known, note_flat_names, note_skipped, nothing_stored, unreadable_flat_state,
    unreadable_state, warn_of_changes,
};
use crate::upgrade::raw_state::RawState;
use crate::value::{ConformError, Unknown, Value};

/// Reads stored state, by a type if there is one, and warns of sets that had an element more than
/// once.
pub(super) fn read(
    raw: RawState<'_>,
    prior: Option<&Prior>,
    version: u64,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    match (raw, prior) {
        (RawState::Json(json), None) => untyped(json, version, context),
        (RawState::Json(json), Some(prior)) => match read_json(json, prior, context) {
            Ok(Value::Null) => Err(null_stored(version, context)),
            Ok(value) => Ok(value),
            Err(error) => Err(unreadable_state(&error, version, context.subject()).into()),
        },
        (RawState::Flatmap(map), None) => Ok(map
            .iter()
            .map(|(key, text)| (key.clone(), Value::from(text.as_str())))
            .collect()),
        (RawState::Flatmap(map), Some(prior)) => {
            let members = prior.block.members();
            let (value, unread) =
                Value::read_flat_object(map, &prior.ty, members).map_err(|error| {
                    unreadable_flat_state(
                        (map, &prior.ty, members),
                        error,
                        version,
                        context.subject(),
                        None,
                    )
                })?;
            note_flat_names(&unread, members, context);
            Ok(value)
        }
        (RawState::Empty, None) => Ok(Value::Null),
        (RawState::Empty, Some(_)) => Err(nothing_stored(context.subject())),
    }
}

/// The diagnostic for a null where an object should be: it would be answered with null, which ends
/// the object.
#[cold]
fn null_stored(version: u64, context: &UpgradeContext<'_>) -> Diagnostics {
    let subject = context.subject();
    let detail = format!(
        "The stored {} does not fit schema version {version}: it is null, not an object.",
        subject.noun()
    );
    Diagnostic::error(subject.cannot_read(), detail)
        .coded(DiagnosticCode::Null)
        .into()
}

/// Reads JSON as it is.
pub(super) fn untyped(
    json: &[u8],
    version: u64,
    context: &UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    Value::from_untyped_json(json).map_err(|error| {
        // Nobody knows what is sensitive, so that nothing below the top is named.
        unreadable_state(
            &error.redacted(Block::new([]).members()),
            version,
            context.subject(),
        )
        .into()
    })
}

pub(in crate::upgrade) fn read_json(
    json: &[u8],
    prior: &Prior,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, DecodeError> {
    let members = prior.block.members();
    let mut reader = Reader::from_bytes(json)?;
    let value = Value::read(&mut reader, &prior.ty, UnknownAttributes::Ignore)
        .map_err(|error| error.redacted(members))?;
    warn_of_changes(&reader, context, members);
    Ok(value)
}

/// Checks that flat state had no value that was not known.
pub(super) fn all_known(
    value: &mut Value,
    prior: &Prior,
    version: u64,
    context: &UpgradeContext<'_>,
) -> Result<(), Diagnostics> {
    value.conform(&prior.ty, Unknown::Refuse).map_err(|error| {
        not_known(
            visible(error.path().clone(), prior),
            version,
            context.subject(),
        )
        .into()
    })
}

/// A value as the SDK has it between its upgraders, JSON without types, by the type it is for:
/// scalars are converted, names that the type does not define are dropped.
pub(super) fn coerced(
    value: &Value,
    prior: &Prior,
    version: u64,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    let mut json = Vec::new();
    value
        .write_untyped(&mut Writer::new(&mut json, Encoding::Json))
        .map_err(|error| unfit(&error, version, prior, context))?;
    let members = prior.block.members();
    let read = |reader: &mut Reader<'_>| Value::read(reader, &prior.ty, UnknownAttributes::Ignore);
    let result = Reader::from_bytes(&json).and_then(|mut reader| {
        let value = read(&mut reader)?;
        note_skipped(&reader, context, members);
        Ok(value)
    });
    result.map_err(|error| {
        let error = error.redacted(members);
        does_not_fit(error.path().cloned(), &error.problem(), version, context)
    })
}

/// The structured form of an answer that is for this schema.
pub(super) fn answered(
    state: UpgradedState,
    prior: Option<&Prior>,
    version: u64,
    context: &UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    structured(state, prior.map(|prior| &prior.ty)).map_err(|Problem { path, text }| {
        let path = path.map(|path| match prior {
            Some(prior) => visible(path, prior),
            None => AttributePath::new(),
        });
        does_not_fit(path, &text, version, context)
    })
}

/// A value that somebody made, as the answer for this schema.
pub(in crate::upgrade) fn finish_value(
    value: Value,
    schema: &Schema,
    context: &UpgradeContext<'_>,
    encoding: Encoding,
    out: &mut Vec<u8>,
) -> Result<(), Diagnostics> {
    finish(value, schema, &Prior::new(schema), context, encoding, out)
}

/// The answer of a function for a model, as a value of the model's schema.
pub(in crate::upgrade) fn value_answered(
    state: UpgradedState,
    schema: &Schema,
    context: &UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    let current = Prior::new(schema);
    let mut value = answered(state, Some(&current), schema.version(), context)?;
    complete(&mut value, schema, &current, context)?;
    Ok(value)
}

/// The diagnostic for a value that the model does not take, though the schema does.
#[cold]
pub(in crate::upgrade) fn not_taken(
    error: DecodeError,
    schema: &Schema,
    context: &UpgradeContext<'_>,
) -> Diagnostics {
    let error = error.redacted(schema.block().members());
    does_not_fit(
        error.path().cloned(),
        &error.problem(),
        schema.version(),
        context,
    )
}

/// The answer: complete, of the schema's type, everything known, nothing write-only.
pub(super) fn finish(
    mut value: Value,
    schema: &Schema,
    current: &Prior,
    context: &UpgradeContext<'_>,
    encoding: Encoding,
    out: &mut Vec<u8>,
) -> Result<(), Diagnostics> {
    complete(&mut value, schema, current, context)?;
    value.write(&current.ty, &mut Writer::new(out, encoding));
    Ok(())
}

fn complete(
    value: &mut Value,
    schema: &Schema,
    current: &Prior,
    context: &UpgradeContext<'_>,
) -> Result<(), Diagnostics> {
    if !matches!(value, Value::Map(_)) {
        let subject = context.subject();
        let detail = format!(
            "The upgrader returned {} in place of an object. The stored {} is unchanged.",
            value.noun(),
            subject.noun()
        );
        return Err(Diagnostic::bug(subject.missing(), detail).into());
    }
    schema.block().settle(value);
    value
        .conform(&current.ty, Unknown::Refuse)
        .map_err(|error| unfit(&error, schema.version(), current, context))
}

/// The part of a path that may be shown. A name with dots is a key of flat state that was passed
/// on: after the first dot follow the keys of maps, which may be sensitive.
fn visible(path: AttributePath, prior: &Prior) -> AttributePath {
    let visible = prior.block.members().visible(path.steps()).len;
    let path = path.truncated(visible);
    match path.steps().split_last() {
        Some((PathStep::Attribute(name), before)) if name.contains('.') => {
            let attribute = name.split('.').next().unwrap_or_default().to_owned();
            before
                .iter()
                .cloned()
                .collect::<AttributePath>()
                .attribute(attribute)
        }
        _ => path,
    }
}

pub(super) fn unfit(
    error: &ConformError,
    version: u64,
    prior: &Prior,
    context: &UpgradeContext<'_>,
) -> Diagnostics {
    does_not_fit(
        Some(visible(error.path().clone(), prior)),
        error.problem(),
        version,
        context,
    )
}

#[cold]
fn does_not_fit(
    path: Option<AttributePath>,
    problem: &str,
    version: u64,
    context: &UpgradeContext<'_>,
) -> Diagnostics {
    let noun = context.subject().noun();
    let heading = context.subject().cannot_upgrade();
    match path.filter(|path| !path.is_empty()) {
        Some(path) => {
            let detail = format!(
                "The upgraded {noun} does not fit schema version {version}: {problem} (at {path})."
            );
            Diagnostic::bug(heading, detail).at(path).into()
        }
        None => Diagnostic::bug(
            heading,
            format!("The upgraded {noun} does not fit schema version {version}: {problem}."),
        )
        .into(),
    }
}
