//! Reading what is stored, and saying what does not fit.

use std::collections::{BTreeMap, BTreeSet};

use super::context::{Destination, UpgradeContext};
use super::losses::MOST_NAMED;
use super::model::{ModelPlace, Typed};
use super::operators::{attribute_name, shown, shown_number};
use super::raw_state::RawState;
use super::subject::Subject;
use super::unread::{By, mistakes};
use crate::codec::json::{Kind, Reader, path_at, paths_at};
use crate::codec::{
    DecodeError, DecodeErrorKind, Encoding, Object, ObjectReader, UnknownAttributes, read_found,
    read_members, read_members_of, read_object,
};
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::path::{AttributePath, Names, PathStep};
use crate::schema::table::Table;
use crate::schema::{Members, Schema, Type};
use crate::value::{FlatmapError, Value};

/// Decodes state stored at the model's own version, whose fields `read` reads, and warns of sets
/// that had an element more than once.
#[inline]
pub(super) fn decode_model(
    table: &'static Table,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
    read: &mut dyn FnMut(&mut ObjectReader<'_, '_>) -> bool,
) -> Result<(), Diagnostics> {
    match raw {
        RawState::Json(json) => decode_stored(table, json, context, read),
        // Flat state has no types of its own: the schema's are put on it, then it is JSON like any
        // other.
        RawState::Flatmap(map) => decode_flat(table, map, context, read),
        RawState::Empty => Err(nothing_stored(context.subject())),
    }
}

#[cold]
fn decode_flat(
    table: &'static Table,
    map: &BTreeMap<String, String>,
    context: &mut UpgradeContext<'_>,
    read: &mut dyn FnMut(&mut ObjectReader<'_, '_>) -> bool,
) -> Result<(), Diagnostics> {
    let json = flat_to_json(map, table.schema(), context)?;
    decode_stored(table, &json, context, read)
}

fn decode_stored(
    table: &'static Table,
    json: &[u8],
    context: &mut UpgradeContext<'_>,
    read: &mut dyn FnMut(&mut ObjectReader<'_, '_>) -> bool,
) -> Result<(), Diagnostics> {
    let mut reader = match Reader::from_bytes(json) {
        Ok(reader) => reader,
        Err(error) => return Err(unreadable_state(&error, table.version, context.subject()).into()),
    };
    match read_members_of(&mut reader, table, |object| read(object)) {
        Ok(()) => end_document(&mut reader, context, table),
        Err(error) => Err(unreadable(error, &reader, table, context)),
    }
}

/// Reads a whole document as the model and puts that into `place`.
pub(super) fn decode_document(
    typed: &Typed,
    json: &[u8],
    undefined: UnknownAttributes,
    place: &mut ModelPlace,
) -> Result<(), DecodeError> {
    let table = typed.model.table();
    let mut reader = Reader::from_bytes(json)?.strict(undefined);
    let read = read_members(&mut reader, table, &mut |object| {
        (typed.read)(object, place)
    });
    match read.and_then(|()| reader.end()) {
        Ok(()) => Ok(()),
        Err(error) => Err(located(error, reader.text(), table)),
    }
}

/// Reads JSON that an upgrade made of a document, and notes what the model does not keep of it.
pub(super) fn decode_made(
    typed: &Typed,
    json: &[u8],
    place: &mut ModelPlace,
    context: &mut UpgradeContext<'_>,
) -> Result<(), DecodeError> {
    let table = typed.model.table();
    let mut reader = Reader::from_bytes(json)?;
    let read = read_members(&mut reader, table, &mut |object| {
        (typed.read)(object, place)
    });
    match read.and_then(|()| reader.end()) {
        Ok(()) => {
            if reader.has_notes() {
                report_changes(
                    &reader,
                    context,
                    table.schema().block().members(),
                    Text::Made,
                );
            }
            Ok(())
        }
        Err(error) => Err(located(error, reader.text(), table)),
    }
}

/// Reads the members of a document, found beforehand, as the model. Says whether all of them are
/// part of it as they are; `None` if one does not fit.
pub(super) fn decode_found<'a>(
    typed: &Typed,
    text: &'a str,
    members: impl Iterator<Item = (&'a str, usize)>,
    place: &mut ModelPlace,
) -> Option<bool> {
    let mut reader = Reader::new(text);
    read_found(&mut reader, typed.model.table(), members, &mut |object| {
        (typed.read)(object, place)
    })
    .ok()?;
    Some(!reader.has_notes())
}

/// Checks that nothing follows a document, and notes what of it is not taken as it is.
fn end_document(
    reader: &mut Reader<'_>,
    context: &mut UpgradeContext<'_>,
    table: &'static Table,
) -> Result<(), Diagnostics> {
    if let Err(error) = reader.end() {
        return Err(unreadable(error, reader, table, context));
    }
    if reader.has_notes() {
        report_changes(
            reader,
            context,
            table.schema().block().members(),
            Text::Stored,
        );
    }
    Ok(())
}

#[cold]
fn unreadable(
    error: DecodeError,
    reader: &Reader<'_>,
    table: &'static Table,
    context: &UpgradeContext<'_>,
) -> Diagnostics {
    all_unreadable(
        &located(error, reader.text(), table),
        reader.text(),
        table,
        By::Types,
        context,
    )
}

/// The error with its path, as far as that may be shown.
#[cold]
pub(super) fn located(error: DecodeError, text: &str, table: &'static Table) -> DecodeError {
    let members = table.schema().block().members();
    error
        .located_in(text, &|steps| members.container_at(steps))
        .redacted(members)
}

/// Flat state as JSON of the schema it was stored with.
#[cold]
pub(super) fn flat_to_json(
    map: &BTreeMap<String, String>,
    schema: &Schema,
    context: &mut UpgradeContext<'_>,
) -> Result<Vec<u8>, Diagnostics> {
    let subject = context.subject();
    let (ty, members) = (schema.implied_type(), schema.block().members());
    let (value, unread) = Value::read_flat_object(map, &ty, members).map_err(|error| {
        unreadable_flat_state(
            (map, &ty, members),
            error,
            schema.version(),
            subject,
            context.knows_secrets(),
        )
    })?;
    note_flat_names(&unread, members, context);
    value.encode(&ty, Encoding::Json).map_err(|error| {
        let visible = members.visible(error.path().steps()).len;
        not_known(
            error.path().clone().truncated(visible),
            schema.version(),
            subject,
        )
        .into()
    })
}

/// The diagnostic for flat state with a value that was not known when it was stored.
#[cold]
pub(super) fn not_known(path: AttributePath, version: u64, subject: Subject) -> Diagnostic {
    let detail = format!(
        "The stored flat {} does not fit schema version {version}: a value is not known (at {path}).",
        subject.noun()
    );
    Diagnostic::error(subject.cannot_read(), detail)
        .coded(DiagnosticCode::Null)
        .at(path)
}

/// The diagnostics for flat state that is not what the schema of its version says. They show no
/// value if no model tells which attributes are secret.
#[cold]
pub(super) fn unreadable_flat_state(
    (map, ty, members): (&BTreeMap<String, String>, &Type, Members<'_>),
    error: FlatmapError,
    version: u64,
    subject: Subject,
    model: Option<&'static dyn Destination>,
) -> Diagnostics {
    let found = Value::flat_mistakes(map, ty, error);
    let more = found.len().saturating_sub(MOST);
    let listed = found.into_iter().take(MOST).map(|error| {
        let text = model.and_then(|model| flat_text(&error, map, version, model));
        let text = text.map_or_else(String::new, |text| format!(": {text}"));
        let detail = format!(
            "The stored flat {} does not fit schema version {version}: {}{text}.",
            subject.noun(),
            error.redacted(members)
        );
        Diagnostic::error(subject.cannot_read(), detail).coded(DiagnosticCode::WrongKind)
    });
    listed
        .chain((more > 0).then(|| too_many(more, version, subject)))
        .collect()
}

/// The text that is wrong in flat state, if it may be shown.
fn flat_text(
    error: &FlatmapError,
    map: &BTreeMap<String, String>,
    version: u64,
    model: &'static dyn Destination,
) -> Option<String> {
    let text = error.text_in(map)?;
    let attribute = error.key().split('.').next().unwrap_or_default();
    let is_in = |path: &Names| path.first().is_some_and(|name| *name == attribute);
    if model.hides(attribute)
        || model.secret_sources(version).iter().any(is_in)
        || model.later_secrets(version)?.iter().any(is_in)
    {
        return None;
    }
    Some(shown(&Value::from(text), false))
}

/// The diagnostic for nothing where a state should be.
#[cold]
pub(super) fn nothing_stored(subject: Subject) -> Diagnostics {
    let noun = subject.noun();
    let (detail, authors) = match subject {
        Subject::Identity => (
            format!(
                "There is no stored {noun}: the request holds neither JSON nor a flat map. That is so for objects stored before the \
                 type had an identity."
            ),
            Some("For authors: an upgrader of stored bytes (`raw`) can make one from nothing."),
        ),
        Subject::Document => ("There is no document to read.".to_owned(), None),
        Subject::State | Subject::Moved => (
            format!("There is no stored {noun}: the request holds neither JSON nor a flat map."),
            None,
        ),
    };
    let diagnostic =
        Diagnostic::error(subject.cannot_read(), detail).coded(DiagnosticCode::NothingStored);
    match authors {
        Some(sentence) => diagnostic.for_authors(sentence).into(),
        None => diagnostic.into(),
    }
}

/// Reads a whole document as `T`.
pub(crate) fn decode_json<T: Object>(
    json: &[u8],
    undefined: UnknownAttributes,
) -> Result<T, DecodeError> {
    let mut reader = Reader::from_bytes(json)?.strict(undefined);
    let error = match read_object(&mut reader) {
        Ok(value) => match reader.end() {
            Ok(()) => return Ok(value),
            Err(error) => error,
        },
        Err(error) => error,
    };
    Err(located(error, reader.text(), T::TABLE))
}

/// Leaves a warning for each set that had an element more than once, and notes what was skipped.
#[inline]
pub(super) fn warn_of_changes(
    reader: &Reader<'_>,
    context: &mut UpgradeContext<'_>,
    members: Members<'_>,
) {
    if reader.has_notes() {
        report_changes(reader, context, members, Text::Stored);
    }
}

/// The text that a reader read.
#[derive(Clone, Copy)]
enum Text {
    Stored,
    /// One that an upgrade made.
    Made,
}

/// The summary of the warning that a set held an element more than once, which loses nothing.
pub const REPEATED_ELEMENT: &str = "Repeated Set Element";

#[cold]
fn report_changes(
    reader: &Reader<'_>,
    context: &mut UpgradeContext<'_>,
    members: Members<'_>,
    text: Text,
) {
    const SHOWN: usize = 10;
    let byte = |offset: usize| match text {
        Text::Stored => format!(" (byte {offset})"),
        // Nobody has that text, so that its bytes would be looked for in another one.
        Text::Made => String::new(),
    };
    let repeated = once(reader.repeated());
    for offset in repeated.iter().take(SHOWN) {
        let path = path_of(reader, *offset, members);
        let detail = format!(
            "The stored set {path} holds an element more than once{}; it is kept once.",
            byte(*offset)
        );
        context.warn(
            Diagnostic::warning(REPEATED_ELEMENT, detail)
                .coded(DiagnosticCode::Repeated)
                .at(path),
        );
    }
    if repeated.len() > SHOWN {
        let detail = format!(
            "{} more stored sets hold an element more than once; each is kept once.",
            repeated.len() - SHOWN
        );
        context.warn(Diagnostic::warning(REPEATED_ELEMENT, detail).coded(DiagnosticCode::Repeated));
    }
    for (offsets, what, code, why, others) in [
        (
            reader.merged(),
            "Repeated Map Key",
            DiagnosticCode::Repeated,
            "has a key more than once; the last value is kept",
            "have a key more than once; the last value of it is kept",
        ),
        (
            reader.rounded(),
            "Rounded Value",
            DiagnosticCode::Rounded,
            "is kept with fewer digits or without a part of it, since its type has no more",
            "are kept with fewer digits or without a part of them, since their types have no more",
        ),
    ] {
        let offsets = once(offsets);
        for offset in offsets.iter().take(SHOWN) {
            let path = path_of(reader, *offset, members);
            let detail = format!("The stored value {path} {why}{}.", byte(*offset));
            context.warn(Diagnostic::warning(what, detail).coded(code).at(path));
        }
        if offsets.len() > SHOWN {
            let detail = format!("{} more stored values {others}.", offsets.len() - SHOWN);
            context.warn(Diagnostic::warning(what, detail).coded(code));
        }
        if !offsets.is_empty() {
            let mut places = Vec::new();
            let mut found = |_: usize, steps: &[PathStep]| {
                // No more are named, and the paths of millions would fill the memory.
                if places.len() < MOST_NAMED {
                    places.push(steps.iter().cloned().collect::<AttributePath>());
                }
            };
            paths_at(
                reader.text(),
                &offsets,
                &|steps| members.container_at(steps),
                &mut found,
            );
            context.note_losses(code, places, offsets.len());
        }
    }
    note_skipped(reader, context, members);
}

/// Notes what a reader skipped because its type does not define it.
#[cold]
pub(super) fn note_skipped(
    reader: &Reader<'_>,
    context: &mut UpgradeContext<'_>,
    members: Members<'_>,
) {
    let (skipped, unkept) = (once(reader.skipped()), once(reader.unkept()));
    let mut note = |offset: usize, steps: &[PathStep]| {
        let visible = members.visible(steps).len;
        if unkept.contains(&offset) {
            context.note_unkept(steps, visible);
        } else {
            context.note_undefined(steps, visible);
        }
    };
    paths_at(
        reader.text(),
        &skipped,
        &|steps| members.container_at(steps),
        &mut note,
    );
}

/// Each offset once: an object whose names come out of order is read twice.
fn once(offsets: &[usize]) -> BTreeSet<usize> {
    offsets.iter().copied().collect()
}

/// The path of the value at a byte, as far as it may be shown.
fn path_of(reader: &Reader<'_>, offset: usize, members: Members<'_>) -> AttributePath {
    let steps = path_at(reader.text(), offset, &|steps| members.container_at(steps));
    let visible = members.visible(&steps).len;
    steps
        .into_iter()
        .collect::<AttributePath>()
        .truncated(visible)
}

/// Notes the keys of flat state that its schema does not read: names that it does not define, and
/// what a count leaves out.
pub(super) fn note_flat_names(
    unread: &[&str],
    members: Members<'_>,
    context: &mut UpgradeContext<'_>,
) {
    let name = |key: &str| {
        let name = key.split('.').next().unwrap_or_default();
        let whole = members.defines(name) && !members.hides_below(name);
        if whole {
            key.to_owned()
        } else {
            name.to_owned()
        }
    };
    let names: BTreeSet<String> = unread.iter().map(|key| name(key)).collect();
    for name in names {
        context.note_undefined(&[PathStep::Attribute(name.into())], 1);
    }
}

/// The remedy for a member that a document lacks.
const ABSENT: &str = "If nobody edited it, a release wrote it so: report this to the authors.";

/// The diagnostic for stored state that is not what the schema of its version says, without the
/// value.
#[cold]
pub(super) fn unreadable_state(error: &DecodeError, version: u64, subject: Subject) -> Diagnostic {
    unreadable_value(error, None, version, subject)
}

/// The text that was read, whose values messages show, except those of attributes that are secret
/// in any version, or may become so up to the model that is asked for.
pub(super) struct StoredText<'a> {
    text: &'a str,
    version: u64,
    subject: Subject,
    model: Option<&'static dyn Destination>,
}

impl<'a> StoredText<'a> {
    #[cold]
    pub(super) fn new(text: &'a str, version: u64, context: &UpgradeContext<'_>) -> Self {
        Self {
            text,
            version,
            subject: context.subject(),
            model: context.knows_secrets(),
        }
    }

    /// The diagnostic for a value of it that is not what the schema of its version says.
    #[cold]
    pub(super) fn unreadable(&self, error: &DecodeError) -> Diagnostic {
        unreadable_value(error, self.found(error), self.version, self.subject)
    }

    /// The problem of a value of it, and the value if that may be shown.
    #[cold]
    pub(super) fn problem(&self, error: &DecodeError) -> String {
        self.found(error)
            .map_or_else(|| error.problem(), |value| error.problem_of(&value))
    }

    /// The string, number or bool that is wrong, if it may be shown.
    fn found(&self, error: &DecodeError) -> Option<String> {
        let (path, model) = (error.path()?, self.model?);
        let name = path.steps().first().and_then(attribute_name)?;
        if model.hides(name)
            || begins_with_any(path, &model.secret_sources(self.version))
            || begins_with_any(path, &model.later_secrets(self.version)?)
        {
            return None;
        }
        value_in(error, self.text)
    }
}

/// The problem of a value in JSON that was read, and the value if a message may show it.
#[cold]
pub fn problem_in(error: &DecodeError, json: &[u8]) -> String {
    let text = std::str::from_utf8(json).ok();
    let found = text.and_then(|text| value_in(error, text));
    found.map_or_else(|| error.problem(), |value| error.problem_of(&value))
}

/// The string, number or bool that is wrong, if the decoder lets a message show it.
fn value_in(error: &DecodeError, text: &str) -> Option<String> {
    let mut reader = Reader::new(text.get(error.value_offset()?..)?);
    match reader.peek().ok()? {
        Kind::String => Some(shown(&Value::from(&*reader.string().ok()?), false)),
        Kind::Number => Some(shown_number(reader.number().ok()?)),
        Kind::Bool => Some(reader.bool().ok()?.to_string()),
        Kind::Null | Kind::Array | Kind::Object => None,
    }
}

/// True if a path leads to one of these attributes, or into it.
pub(super) fn begins_with_any(path: &AttributePath, attributes: &BTreeSet<Names>) -> bool {
    let names: Vec<&str> = path.steps().iter().filter_map(attribute_name).collect();
    attributes
        .iter()
        .any(|attribute| names.starts_with(attribute))
}

/// The diagnostic for stored state that is not what the schema of its version says: there is this
/// value.
#[cold]
fn unreadable_value(
    error: &DecodeError,
    found: Option<String>,
    version: u64,
    subject: Subject,
) -> Diagnostic {
    let at = match error.path().filter(|path| !path.is_empty()) {
        // The path is enough to find it in a state file; a byte of the attributes is not.
        Some(path) if error.kind() != DecodeErrorKind::Syntax => path.to_string(),
        Some(path) => format!("{path}, byte {}", error.offset()),
        None => format!("byte {}", error.offset()),
    };
    let noun = subject.noun();
    let is_absent = error.is_missing() && subject == Subject::Document;
    let problem = if is_absent {
        "it lacks this member, which must be there".to_owned()
    } else {
        found.map_or_else(|| error.problem(), |value| error.problem_of(&value))
    };
    let detail =
        format!("The stored {noun} does not fit schema version {version}: {problem} (at {at}).");
    let mut diagnostic = Diagnostic::error(subject.cannot_read(), detail)
        .coded(error.kind().code())
        .with_kinds(error.kinds());
    if let Some(remedy) = error.remedy() {
        let (remedy, authors) = if is_absent {
            (ABSENT, "give the field a `default`, or make it an `Option`")
        } else {
            (remedy, "make the model's field an `Option`")
        };
        diagnostic = diagnostic
            .with_remedy(remedy)
            .for_authors(format!("For the authors: {authors}."));
    }
    match error.path().filter(|path| !path.is_empty()) {
        Some(path) => diagnostic.at(path.clone()),
        None => diagnostic,
    }
}

/// The mistakes that are listed; more are counted.
const MOST: usize = 50;

/// The diagnostics for what could not be read: the error of its decoder, and all mistakes that are
/// like it.
#[cold]
pub(super) fn all_unreadable(
    error: &DecodeError,
    text: &str,
    table: &'static Table,
    by: By,
    context: &UpgradeContext<'_>,
) -> Diagnostics {
    let stored = StoredText::new(text, table.version, context);
    let found = if error.kind() == DecodeErrorKind::Syntax {
        Vec::new()
    } else {
        mistakes(text, table, by)
    };
    let is_seen = found.iter().any(|mistake| {
        let is_alike = (mistake.offset(), mistake.kind()) == (error.offset(), error.kind());
        is_alike && located(mistake.clone(), text, table).path() == error.path()
    });
    // The decoder decides: where this search does not see what it saw, the search knows the type
    // too little to add to it.
    if !is_seen {
        return stored.unreadable(error).into();
    }
    let more = found.len().saturating_sub(MOST);
    let listed = found
        .into_iter()
        .take(MOST)
        .map(|mistake| stored.unreadable(&located(mistake, text, table)));
    listed
        .chain((more > 0).then(|| too_many(more, stored.version, stored.subject)))
        .collect()
}

/// The diagnostic for so many mistakes more.
fn too_many(count: usize, version: u64, subject: Subject) -> Diagnostic {
    let values = if count == 1 {
        "1 more value does"
    } else {
        &format!("{count} more values do")
    };
    let detail = format!(
        "In the stored {}, {values} not fit schema version {version}.",
        subject.noun()
    );
    Diagnostic::error(subject.cannot_read(), detail).coded(DiagnosticCode::Refused)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::schema::{Attribute, Block, Presence, Schema, Type};
    use crate::upgrade::{ClosureMover, DowngradeRequest, MoveRequest, UpgradeRequest};
    use crate::{
        Diagnostic, DiagnosticCode, Diagnostics, Registry, Resource, ResourceDefinition, Value,
    };

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_note", version = 1)]
    #[upgrade_from(0 => 1, rename(name => title))]
    struct Note {
        title: String,
    }

    #[test]
    fn undefined_attributes_are_named_and_beyond_a_bound_counted() {
        let registry = Registry::new().with::<Note>();
        for (count, named) in [(150, 150), (10_007, 10_000)] {
            let odd: Vec<String> = (0..count)
                .map(|index| format!("\"odd{index}\":{index}"))
                .collect();
            for (version, name) in [(0, "name"), (1, "title")] {
                let state = format!("{{\"{name}\":\"x\",{}}}", odd.join(","));
                let response = registry.upgrade(&UpgradeRequest::json(
                    "example_note",
                    version,
                    state.as_bytes(),
                ));
                assert_eq!(
                    (response.undefined().len(), response.undefined_count()),
                    (named, count)
                );
                let (note, notes) =
                    crate::upgrade_json_with_notes::<Note>(version, &state).unwrap();
                assert_eq!(
                    (
                        note.title.as_str(),
                        notes.undefined(),
                        notes.undefined_count()
                    ),
                    ("x", response.undefined(), count)
                );
            }
            let state = format!("{{\"title\":\"x\",{}}}", odd.join(","));
            let request =
                DowngradeRequest::json("example_note", 1, 0, state.as_bytes()).allow_loss(true);
            let losses = registry.downgrade(&request).losses().to_vec();
            assert_eq!(losses.len(), named + usize::from(named < count));
            assert!(
                named == count || losses[named].to_string().contains("7 more values"),
                "{}",
                losses[named]
            );
        }
    }

    #[test]
    fn upgrade_json_refuses_as_a_registry_does() {
        let registry = Registry::new().with::<Note>().with::<Late>();
        for (version, json) in [(9, r#"{"title":"x"}"#), (0, ""), (1, ""), (1, "{}")] {
            let response = registry.upgrade(&UpgradeRequest::json(
                "example_note",
                version,
                json.as_bytes(),
            ));
            let expected = response.into_result().unwrap_err();
            let found = crate::upgrade_json::<Note>(version, json).unwrap_err();
            assert_eq!(
                found.iter().next().unwrap().summary(),
                expected.iter().next().unwrap().summary()
            );
            let detail = expected.iter().next().unwrap().detail();
            assert_eq!(
                found.iter().next().unwrap().detail(),
                detail.split("\n\n").next().unwrap()
            );
        }
        let old = crate::upgrade_json::<Late>(0, "{}").unwrap_err();
        assert!(
            old.to_string().contains("Too Old") && old.to_string().contains("example_late"),
            "{old}"
        );
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_rack", version = 1)]
    #[upgrade_from(0, model = RackV0, rename(steps => levels))]
    struct Rack {
        levels: Vec<u32>,
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_rack", version = 0, prior)]
    struct RackV0 {
        steps: Vec<u8>,
    }

    #[test]
    fn of_many_values_that_an_earlier_model_does_not_take_the_first_are_named() {
        let registry = Registry::new().with::<Rack>();
        let state = format!("{{\"levels\":[{}]}}", ["300"; 60].join(","));
        let request = DowngradeRequest::json("example_rack", 1, 0, state.as_bytes());
        let response = registry.downgrade(&request);
        assert_eq!(response.diagnostics().iter().count(), 51);
        let refused = response.diagnostics().to_string();
        assert!(refused.contains("(at steps[49] of version 0)"), "{refused}");
        assert!(refused.contains("10 more values do not fit."), "{refused}");
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_sizes")]
    struct Sizes {
        height: Option<i64>,
        is_open: Option<bool>,
        width: Option<i64>,
    }

    #[derive(Debug, crate::Document)]
    #[document(type_name = "example_log")]
    struct Log {
        marks: Vec<f64>,
        sizes: BTreeMap<String, u8>,
    }

    #[test]
    fn values_that_are_kept_in_part_are_counted_and_the_first_ones_named() {
        let registry = Registry::new().with::<Log>();
        let json = |mark: &str| {
            format!(
                r#"{{"marks":[{}],"sizes":{{"a":1,"a":2}}}}"#,
                [mark; 12].join(",")
            )
        };
        let upgraded = |mark: &str| {
            registry.upgrade(&UpgradeRequest::json(
                "example_log",
                0,
                json(mark).as_bytes(),
            ))
        };
        let response = upgraded("9007199254740993");
        assert_eq!(
            (response.loss_count(), response.losses().places().len()),
            (13, 13)
        );
        let rounded: Vec<&str> = response
            .diagnostics()
            .iter()
            .filter(|warning| warning.code() == Some(DiagnosticCode::Rounded))
            .map(Diagnostic::detail)
            .collect();
        assert_eq!(rounded.len(), 11);
        assert!(
            rounded[10].starts_with("2 more stored values are kept with fewer digits"),
            "{}",
            rounded[10]
        );
        assert_eq!(upgraded("1.5").loss_count(), 1);
        let (log, notes) =
            crate::upgrade_json_with_notes::<Log>(0, json("9007199254740993")).unwrap();
        assert_eq!(
            (log.marks.len(), log.sizes.len(), notes.loss_count()),
            (12, 1, 13)
        );
    }

    #[test]
    fn a_move_counts_what_the_upgrade_of_its_source_keeps_in_part() {
        let title = Attribute::new("title", Type::String, Presence::Optional);
        let mover = ClosureMover::new(|_, _| {
            let made = [("title".to_owned(), Value::from("a"))];
            Ok::<_, Diagnostics>(Some(Value::from_iter(made)))
        });
        let mover = mover.source_definition(ResourceDefinition::of::<Log>());
        let definition = ResourceDefinition::builder("new", Schema::new(0, Block::new([title])));
        let mut registry = Registry::new();
        registry.insert(definition.mover(mover).build().unwrap());
        let stored = br#"{"marks":[1.5],"sizes":{"a":1,"a":2}}"#;
        let source = UpgradeRequest::json("example_log", 0, stored);
        let response = registry.move_state(&MoveRequest::new("new", source));
        assert_eq!(
            (response.loss_count(), response.diagnostics().len()),
            (1, 1)
        );
    }

    #[test]
    fn all_mistakes_of_flat_state_are_reported_at_once() {
        let registry = Registry::new().with::<Sizes>();
        let entries = [("height", "tall"), ("is_open", "maybe"), ("width", "7")];
        let map = entries
            .map(|(key, text)| (key.to_owned(), text.to_owned()))
            .into();
        let refused = registry
            .upgrade(&UpgradeRequest::flatmap("example_sizes", 0, &map))
            .into_result()
            .unwrap_err();
        let details: Vec<&str> = refused.iter().map(Diagnostic::detail).collect();
        assert!(
            details.len() == 2
                && details[0].contains("\"height\"")
                && details[1].contains("\"is_open\""),
            "{details:?}"
        );
        let map = [("height".to_owned(), "7".to_owned())].into();
        assert!(
            registry
                .upgrade(&UpgradeRequest::flatmap("example_sizes", 0, &map))
                .state()
                .is_some()
        );
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_late", version = 2, oldest = 1)]
    #[upgrade_from(1 => 2, carry)]
    struct Late {
        title: String,
    }

    #[test]
    #[should_panic(expected = "two models have the type name \"example_note\"")]
    fn two_models_of_one_name_are_refused() {
        #[derive(Resource)]
        #[resource(type_name = "example_note", version = 0)]
        struct Memo {
            text: String,
        }
        let _ = Registry::new().with::<Note>().with::<Note>().with::<Memo>();
    }
}
