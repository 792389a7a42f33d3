//! Runs an upgrade from stored bytes to stored bytes, and says what went wrong if it can't.

use std::any::Any;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::context::{Notes, UpgradeContext};
use super::definition::ResourceDefinition;
use super::history::routed;
use super::operators::{read_value, reads_leniently, value_of};
use super::raw_state::RawState;
use crate::codec::json::{Kind, Reader, path_at};
use crate::codec::{DecodeError, Encoding, Object, Undefined, read_object};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::path::AttributePath;
use crate::resource::Resource;
use crate::schema::{Members, Schema};
use crate::value::{FlatmapError, Value};

/// A stored state that is to be brought to the current version of its type.
#[derive(Debug, Clone, Copy)]
pub struct UpgradeRequest<'a> {
    type_name: &'a str,
    version: u64,
    raw_state: RawState<'a>,
    encoding: Encoding,
}

impl<'a> UpgradeRequest<'a> {
    /// JSON of the resource `type_name`, stored at schema version `version`.
    #[must_use]
    pub fn json(type_name: &'a str, version: u64, json: &'a [u8]) -> Self {
        Self { type_name, version, raw_state: RawState::Json(json), encoding: Encoding::Json }
    }

    /// Flat state of the resource `type_name`, stored at schema version `version` by Terraform 0.11 or before.
    #[must_use]
    pub fn flatmap(type_name: &'a str, version: u64, map: &'a BTreeMap<String, String>) -> Self {
        Self { type_name, version, raw_state: RawState::Flatmap(map), encoding: Encoding::Json }
    }

    /// The same request, to be answered in this encoding; otherwise it is JSON.
    #[must_use]
    pub fn answer_in(mut self, encoding: Encoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// The resource's type name.
    pub fn type_name(&self) -> &str {
        self.type_name
    }

    /// The schema version it was stored with.
    pub fn version(&self) -> u64 {
        self.version
    }
}

/// The answer to an [`UpgradeRequest`]: a complete state of the current version, or errors; warnings either way.
#[derive(Clone, PartialEq, Eq)]
pub struct UpgradeResponse {
    state: Option<Vec<u8>>,
    diagnostics: Diagnostics,
    dropped: Vec<AttributePath>,
    discarded: Vec<(AttributePath, &'static str)>,
}

/// Says how long the state is, not what it holds: stored values may be secrets.
impl fmt::Debug for UpgradeResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.state.as_ref().map(Vec::len);
        f.debug_struct("UpgradeResponse")
            .field("state_bytes", &bytes)
            .field("diagnostics", &self.diagnostics)
            .field("dropped", &self.dropped)
            .field("discarded", &self.discarded)
            .finish()
    }
}

impl UpgradeResponse {
    pub(crate) fn failed(diagnostics: impl Into<Diagnostics>) -> Self {
        Self { state: None, diagnostics: diagnostics.into(), dropped: Vec::new(), discarded: Vec::new() }
    }

    /// The upgraded state in the encoding asked for, compact JSON if none was: every attribute of the current schema, names sorted. `None` if there are errors.
    pub fn state(&self) -> Option<&[u8]> {
        self.state.as_deref()
    }

    /// Errors if there is no state, and warnings.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// Where in the stored state stood something that the schema of its version does not define, and that the answer therefore does not
    /// have, as in the reference; at most a hundred places.
    pub fn dropped(&self) -> &[AttributePath] {
        &self.dropped
    }

    /// Where in the stored state stood a value that ends with this upgrade because a `drop` says so, and the reason it gives.
    pub fn discarded(&self) -> &[(AttributePath, &'static str)] {
        &self.discarded
    }

    /// The state or the errors. Warnings of a success are dropped.
    ///
    /// # Errors
    /// The diagnostics, if the upgrade failed.
    pub fn into_result(self) -> Result<Vec<u8>, Diagnostics> {
        self.state.ok_or(self.diagnostics)
    }
}

thread_local! {
    static UPGRADING: Cell<u32> = const { Cell::new(0) };
}

/// Whether this thread is inside an upgrade right now.
///
/// The engine turns a panic there into a diagnostic, without the panic's message if the resource has sensitive attributes. The
/// program's panic hook runs before, and the standard one prints the message; a hook that asks this can stay silent:
///
/// ```
/// let usual = std::panic::take_hook();
/// std::panic::set_hook(Box::new(move |info| {
///     if !upstate::upgrade_in_progress() {
///         usual(info);
///     }
/// }));
/// ```
pub fn upgrade_in_progress() -> bool {
    UPGRADING.get() > 0
}

/// The time during which [`upgrade_in_progress`].
struct Upgrading;

impl Upgrading {
    fn begin() -> Self {
        UPGRADING.set(UPGRADING.get() + 1);
        Self
    }
}

impl Drop for Upgrading {
    fn drop(&mut self) {
        UPGRADING.set(UPGRADING.get().saturating_sub(1));
    }
}

/// Answers `request` for a resource with this definition.
pub(crate) fn run(
    definition: &ResourceDefinition,
    request: &UpgradeRequest<'_>,
    client: Option<&(dyn Any + Send + Sync)>,
) -> UpgradeResponse {
    let current = definition.version();
    if let Some(refusal) = refuse_version(definition, request.version) {
        return UpgradeResponse::failed(in_context(refusal.into(), definition, request));
    }
    let mut context = UpgradeContext::new(definition.type_name(), request.version, current).with_client(client);
    let mut out = Vec::with_capacity(request.raw_state.json().map_or(0, |json| json.len() + json.len() / 4 + 64));
    let upgrading = Upgrading::begin();
    // User code that panics has broken no invariant of ours: its context and output are thrown away.
    let result = catch_unwind(AssertUnwindSafe(|| {
        definition.upgrade(request.version, request.raw_state, &mut context, request.encoding, &mut out)
    }));
    drop(upgrading);
    let errors = match result {
        Ok(Ok(())) => {
            let Notes { warnings, dropped, discarded } = context.into_notes();
            let diagnostics = if warnings.is_empty() { warnings } else { in_context(warnings, definition, request) };
            return UpgradeResponse { state: Some(out), diagnostics, dropped, discarded };
        }
        Ok(Err(errors)) => errors,
        Err(payload) => {
            let diagnostic = panicked(payload.as_ref(), definition.has_sensitive());
            // What was thrown may itself panic when it is dropped; then it is left where it is.
            if let Err(again) = catch_unwind(AssertUnwindSafe(move || drop(payload))) {
                std::mem::forget(again);
            }
            diagnostic.into()
        }
    };
    let mut diagnostics = context.into_notes().warnings;
    diagnostics.append(errors);
    if !diagnostics.has_errors() {
        diagnostics.push(Diagnostic::error(
            "Missing Upgraded Resource State",
            "The upgrade returned neither a state nor an error. This is a mistake in the upgrade; the stored state is left as it was.",
        ));
    }
    UpgradeResponse::failed(in_context(diagnostics, definition, request))
}

/// Stored versions that nothing can be done about.
#[inline]
fn refuse_version(definition: &ResourceDefinition, stored: u64) -> Option<Diagnostic> {
    if definition.reaches(stored) { None } else { Some(refusal(definition, stored)) }
}

#[cold]
fn refusal(definition: &ResourceDefinition, stored: u64) -> Diagnostic {
    let (type_name, current, oldest) = (definition.type_name(), definition.version(), definition.oldest());
    if stored > current {
        return Diagnostic::error(
            "Resource State Is Newer",
            format!(
                "The state of {type_name} was stored at schema version {stored}; this release knows versions up to {current}. \
                 Use the release that stored it, or a later one."
            ),
        );
    }
    if stored < oldest {
        return Diagnostic::error(
            "Resource State Is Too Old",
            format!(
                "The state of {type_name} was stored at schema version {stored}; this release upgrades from version {oldest} on. \
                 Upgrade it first with an earlier release that still supports version {stored}."
            ),
        );
    }
    let supported: Vec<String> = definition.supported_versions().iter().map(u64::to_string).collect();
    let known = if supported.is_empty() {
        "there is no upgrade for this type".to_owned()
    } else {
        format!("there are upgrades from version {}", supported.join(", "))
    };
    Diagnostic::error(
        "Unable to Upgrade Resource State",
        format!(
            "The state of {type_name} was stored at schema version {stored}, which has no upgrade to version {current}; {known}. \
             Upgrade it first with an earlier release, or report this to the authors."
        ),
    )
}

/// Brings state stored at `version` to the model `T`, through prior models if need be.
pub(crate) fn upgrade_model<T: Resource>(
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
) -> Result<T, Diagnostics> {
    if version == T::VERSION {
        return decode_model(raw, context);
    }
    match routed(T::ROUTES, T::HISTORY.oldest(), version).and_then(|edge| T::EDGES.get(edge)) {
        Some(edge) => edge.upgrade(version, raw, context),
        None => Err(no_edge::<T>(version)),
    }
}

/// Brings state stored at `version` to the model `T`, as a value of its schema.
pub(super) fn upgrade_to_value<T: Resource>(
    version: u64,
    raw: RawState<'_>,
    context: &mut UpgradeContext<'_>,
) -> Result<Value, Diagnostics> {
    if version == T::VERSION {
        if const { reads_leniently(Members::of::<T>()) } {
            return value_of(&decode_model::<T>(raw, context)?);
        }
        return read_value(raw, T::SCHEMA, context);
    }
    match routed(T::ROUTES, T::HISTORY.oldest(), version).and_then(|edge| T::EDGES.get(edge)) {
        Some(edge) => edge.upgrade_to_value(version, raw, context),
        None => Err(no_edge::<T>(version)),
    }
}

#[cold]
fn no_edge<T: Resource>(version: u64) -> Diagnostics {
    let detail = format!("There is no upgrade from schema version {version} to {}.", T::VERSION);
    Diagnostic::error("Unable to Upgrade Resource State", detail).into()
}

/// Decodes state stored at the version of `T`, and warns of sets that had an element more than once.
fn decode_model<T: Resource>(raw: RawState<'_>, context: &mut UpgradeContext<'_>) -> Result<T, Diagnostics> {
    match raw {
        RawState::Json(json) => decode_stored(json, context),
        // Flat state has no types of its own: the schema's are put on it, then it is JSON like any other.
        RawState::Flatmap(map) => decode_stored(&flat_to_json(map, T::SCHEMA)?, context),
    }
}

fn decode_stored<T: Resource>(json: &[u8], context: &mut UpgradeContext<'_>) -> Result<T, Diagnostics> {
    let mut reader = match Reader::from_bytes(json) {
        Ok(reader) => reader,
        Err(error) => return Err(unreadable_state(&error, T::VERSION).into()),
    };
    let result = read_object(&mut reader);
    // What is not the decoding itself is not generic over the model, so that it is compiled once.
    match (result, Members::of::<T>()) {
        (Ok(model), members) => end_document(&mut reader, context, members, T::VERSION).map(|()| model),
        (Err(error), members) => Err(unreadable(error, &reader, members, T::VERSION)),
    }
}

/// Checks that nothing follows a document, and tells what of it is not taken as it stands.
fn end_document(
    reader: &mut Reader<'_>,
    context: &mut UpgradeContext<'_>,
    members: Members<'_>,
    version: u64,
) -> Result<(), Diagnostics> {
    if let Err(error) = reader.end() {
        return Err(unreadable(error, reader, members, version));
    }
    warn_of_changes(reader, context, members);
    Ok(())
}

#[cold]
fn unreadable(error: DecodeError, reader: &Reader<'_>, members: Members<'_>, version: u64) -> Diagnostics {
    unreadable_state(&located(error, reader, members), version).into()
}

/// The error with its path, as far as that may be shown.
#[cold]
fn located(error: DecodeError, reader: &Reader<'_>, members: Members<'_>) -> DecodeError {
    error.located_in(reader.text(), &|steps| members.container_at(steps)).redacted(members)
}

/// Flat state as JSON of the schema it was stored with.
#[cold]
pub(super) fn flat_to_json(map: &BTreeMap<String, String>, schema: &Schema) -> Result<Vec<u8>, Diagnostics> {
    let (ty, members) = (schema.implied_type(), schema.block().members());
    let value =
        Value::from_flatmap(map, &ty).map_err(|error| unreadable_flat_state(&error.redacted(members), schema.version()))?;
    value.encode(&ty, Encoding::Json).map_err(|error| {
        let visible = members.visible(error.path().steps()).len;
        let path = error.path().clone().truncated(visible);
        let detail = format!(
            "The stored flat state does not fit schema version {}: a value that is not known stands there (at {path}).",
            schema.version()
        );
        Diagnostic::error("Unable to Read Previously Saved State", detail).at(path).into()
    })
}

/// The diagnostic for flat state that is not what the schema of its version says.
pub(super) fn unreadable_flat_state(error: &FlatmapError, version: u64) -> Diagnostic {
    let detail = format!("The stored flat state does not fit schema version {version}: {error}.");
    Diagnostic::error("Unable to Read Previously Saved State", detail)
}

/// Reads a whole document as `T`.
pub(crate) fn decode_json<T: Object>(json: &[u8], undefined: Undefined) -> Result<T, DecodeError> {
    let mut reader = Reader::from_bytes(json)?.strict(undefined);
    let error = match read_object(&mut reader) {
        Ok(value) => match reader.end() {
            Ok(()) => return Ok(value),
            Err(error) => error,
        },
        Err(error) => error,
    };
    Err(located(error, &reader, Members::of::<T>()))
}

/// Leaves a warning for each set that had an element more than once, and notes what was skipped.
#[inline]
pub(super) fn warn_of_changes(reader: &Reader<'_>, context: &mut UpgradeContext<'_>, members: Members<'_>) {
    if reader.has_notes() {
        tell_changes(reader, context, members);
    }
}

#[cold]
fn tell_changes(reader: &Reader<'_>, context: &mut UpgradeContext<'_>, members: Members<'_>) {
    const SHOWN: usize = 10;
    // Each may have been read twice, by an object whose names come out of order.
    let once = |offsets: &[usize]| offsets.iter().copied().collect::<BTreeSet<usize>>();
    let path_of = |offset: usize| {
        let steps = path_at(reader.text(), offset, &|steps| members.container_at(steps));
        let visible = members.visible(&steps).len;
        steps.into_iter().collect::<AttributePath>().truncated(visible)
    };
    let repeated = once(reader.repeated());
    for offset in repeated.iter().take(SHOWN) {
        let path = path_of(*offset);
        let detail = format!("The stored set {path} holds an element more than once (byte {offset}); it is kept once.");
        context.warn(Diagnostic::warning("Repeated Set Element", detail).at(path));
    }
    if repeated.len() > SHOWN {
        let detail = format!("{} more stored sets hold an element more than once; each is kept once.", repeated.len() - SHOWN);
        context.warn(Diagnostic::warning("Repeated Set Element", detail));
    }
    for offset in once(reader.skipped()).into_iter().take(MAX_DROPPED) {
        context.note_dropped(path_of(offset));
    }
}

/// How many dropped attributes of one state are named.
const MAX_DROPPED: usize = 100;

/// The diagnostic for stored state that is not what the schema of its version says.
pub(super) fn unreadable_state(error: &DecodeError, version: u64) -> Diagnostic {
    let at = match error.path().filter(|path| !path.is_empty()) {
        // What is not there stands at no byte.
        Some(path) if error.is_missing() => path.to_string(),
        Some(path) => format!("{path}, byte {}", error.offset()),
        None => format!("byte {}", error.offset()),
    };
    let mut detail = format!("The stored state does not fit schema version {version}: {} (at {at}).", error.problem());
    if let Some(remedy) = error.remedy() {
        detail.push(' ');
        detail.push_str(remedy);
    }
    let diagnostic = Diagnostic::error("Unable to Read Previously Saved State", detail);
    match error.path().filter(|path| !path.is_empty()) {
        Some(path) => diagnostic.at(path.clone()),
        None => diagnostic,
    }
}

/// Adds to each diagnostic which state it is about.
#[cold]
fn in_context(mut diagnostics: Diagnostics, definition: &ResourceDefinition, request: &UpgradeRequest<'_>) -> Diagnostics {
    let mut state = format!(
        "Resource type {}, stored at schema version {}, current version {}",
        definition.type_name(),
        request.version,
        definition.version()
    );
    if let Some(id) = instance_id(definition, request.raw_state) {
        state.push_str(", id ");
        state.push_str(&id);
    }
    state.push('.');
    diagnostics.add_paragraph(&state);
    diagnostics
}

/// The `id` attribute of the stored state, quoted, if it is a text that may be shown.
fn instance_id(definition: &ResourceDefinition, raw: RawState<'_>) -> Option<String> {
    let sensitive = definition.hides("id");
    if let Some(map) = raw.flatmap().filter(|_| !sensitive) {
        return map.get("id").map(|id| quoted(id));
    }
    let mut reader = Reader::from_bytes(raw.json()?).ok()?;
    if sensitive || reader.peek().ok()? != Kind::Object {
        return None;
    }
    reader.open_object().ok()?;
    let mut first = true;
    while let Some(name) = reader.next_member(first).ok()? {
        first = false;
        if name == "id" {
            let is_text = reader.peek().ok()? == Kind::String;
            let id = if is_text { reader.string().ok()? } else { return None };
            return Some(quoted(&id));
        }
        reader.skip().ok()?;
    }
    None
}

/// The start of a text, between quotes.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 200;
    let shown: String = text.chars().take(LONGEST).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("{shown:?}{more}")
}

/// The diagnostic for user code that panicked. Its message is left out if it might hold a sensitive value.
#[cold]
fn panicked(payload: &(dyn Any + Send), has_sensitive: bool) -> Diagnostic {
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let said = match text {
        _ if has_sensitive => "Its message is not shown, because the resource has sensitive attributes".to_owned(),
        Some(text) => format!("It said: {text}"),
        None => "It left no message".to_owned(),
    };
    Diagnostic::error(
        "Upgrade Panicked",
        format!("The upgrade panicked. {said}. This is a mistake in the upgrade; the stored state is left as it was."),
    )
}
