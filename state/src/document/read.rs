//! Reading documents.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::{Deref, Range};
use std::sync::Arc;

use upstate::__internal::{FoundMembers, Losses, Undefined, read_document, step};
use upstate::path::PathStep;
use upstate::schema::{Field, Schema, Type};
use upstate::{
    AttributePath, CurrentModel, Diagnostic, DiagnosticCode, Diagnostics, Registry,
    ResourceDefinition, UpgradeRequest, UpgradeResponse,
};

#[cfg(any(feature = "jsonc", feature = "toml", feature = "yaml"))]
use super::comment;
use super::digits;
use super::edits::{Edits, Goals, Known, Written, holds_same, lost_null, without_indices};
use super::format::Format;
use super::locate::{
    Located, first_of, locate, other_type, repeated, without_attributes, without_object,
    without_type, without_version,
};
use super::pairs::Pairs;
use super::place::{Beside, Content, Names, content, element_type, has_rest, member_type, parts};
use super::syntax::{Source, Syntax};
use super::text;
use super::tree::{Index, Numbers, Tree};
use super::write;
#[cfg(any(feature = "jsonc", feature = "toml", feature = "yaml"))]
use crate::state_file::shown_path;
use crate::state_file::{Change, DowngradeGoals, Goal, changes_of_attributes};
use crate::undefined::{is_loss, listed};

/// A model and what is known of the document that it was read from. Dereferences to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document<T> {
    model: T,
    stored_version: u64,
    outdated: bool,
    warnings: Diagnostics,
    undefined: Undefined,
}

impl<T> Document<T> {
    /// The model.
    pub fn model(&self) -> &T {
        &self.model
    }

    /// The model, without what is known of the document.
    pub fn into_model(self) -> T {
        self.model
    }

    /// The schema version that the document was stored with.
    pub fn stored_version(&self) -> u64 {
        self.stored_version
    }

    /// True if the document is of an earlier version, in an earlier format or under an earlier
    /// name, which is a reason to rewrite it.
    pub fn is_outdated(&self) -> bool {
        self.outdated
    }

    /// The warnings of the upgrade.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// Paths in the document that the schema of its version does not define. They are not part of
    /// the model, and would be lost if the document were rewritten. The first 10,000 are reported,
    /// and of further ones the first of each name, while there are fewer names than that.
    pub fn undefined(&self) -> &[AttributePath] {
        self.undefined.shown()
    }

    /// Those paths for an edit that keeps the values.
    pub(crate) fn undefined_values(&self) -> &Undefined {
        &self.undefined
    }
}

impl Document<()> {
    /// The document, with its model.
    pub(super) fn holding<T>(self, model: T) -> Document<T> {
        let Self {
            model: (),
            stored_version,
            outdated,
            warnings,
            undefined,
        } = self;
        Document {
            model,
            stored_version,
            outdated,
            warnings,
            undefined,
        }
    }
}

/// The attributes of an upgraded document, before they are a model.
pub(super) struct Upgraded {
    pub(super) type_name: String,
    pub(super) state: Vec<u8>,
    pub(super) document: Document<()>,
}

impl<T> Deref for Document<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.model
    }
}

/// A document whose type and version are known and whose attributes have not been looked at.
#[derive(Clone)]
pub struct Parsed<'a> {
    type_name: Option<Cow<'a, str>>,
    version: u64,
    /// As long as the document up to their end, so that offsets in it are those in the document.
    attributes: Cow<'a, [u8]>,
    /// The place of each of them, if that was asked for and is known.
    members: Option<FoundMembers<'a>>,
    outdated: bool,
    unknown: Vec<String>,
    /// The member that the attributes are in.
    below: Option<String>,
    /// Names that must not come up among the attributes.
    beside: [Option<String>; 2],
    /// The document as it is written, unless it is JSON.
    source: Option<Source>,
    /// True if it is in the syntax of the format that read it.
    same_syntax: bool,
    /// The format's own members and their names today, where they differ.
    renamed: Vec<(String, String)>,
}

upstate::__debug_parts! {
    /// Says how much there is, not what: stored values may be secrets.
    Parsed<'_> |self| {
        type_name: self.type_name,
        version: self.version,
        bytes: self.attributes.len(),
    }
}

impl Parsed<'_> {
    /// The type name that the document carries, if it carries one.
    pub fn type_name(&self) -> Option<&str> {
        self.type_name.as_deref()
    }

    /// The schema version that it was stored with.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The attributes, a JSON object between blanks.
    pub fn attributes(&self) -> &[u8] {
        &self.attributes
    }

    /// The request to upgrade it as a `type_name`.
    pub fn request<'s>(&'s self, type_name: &'s str) -> UpgradeRequest<'s> {
        UpgradeRequest::json(type_name, self.version, &self.attributes)
            .with_found(self.members.as_ref())
    }

    /// Refuses a second member with the name of one of the format, which a map of remaining members
    /// would take.
    fn check_once(&self, definition: &ResourceDefinition) -> Result<(), Diagnostics> {
        let [version, type_name] = self.beside.each_ref().map(Option::as_deref);
        if version.is_none() && type_name.is_none() || !definition.stores_any_name(self.version) {
            return Ok(());
        }
        match first_of(&self.attributes, &[version, type_name]) {
            Some(name) => Err(repeated(name).into()),
            None => Ok(()),
        }
    }

    /// The paths in the document of what was dropped. A second member with the name of one of the
    /// format is an error.
    fn undefined(&self, attributes: Undefined) -> Result<Undefined, Diagnostics> {
        let repeats = |path: &AttributePath| match path.steps() {
            [PathStep::Attribute(name)] => self
                .beside
                .iter()
                .flatten()
                .find(|member| *member == name)
                .cloned(),
            _ => None,
        };
        if let (None, Some(name)) = (&self.below, attributes.kept().find_map(repeats)) {
            return Err(repeated(&name).into());
        }
        let unknown = self
            .unknown
            .iter()
            .map(|name| AttributePath::new().attribute(name.clone()));
        Ok(
            attributes.within(unknown.collect(), |path| match &self.below {
                Some(member) => {
                    let outer = PathStep::Attribute(member.clone().into());
                    std::iter::once(outer)
                        .chain(path.steps().iter().cloned())
                        .collect()
                }
                None => path,
            }),
        )
    }
}

impl Parsed<'_> {
    /// True if it is written as the format writes it, though it may lack its type or its version.
    pub(super) fn is_in(&self, format: &Format<'_>) -> bool {
        self.same_syntax && self.renamed.is_empty() && self.below.as_deref() == format.attributes
    }

    /// The stored values of a document in JSON, if they are to be kept.
    fn values(&self, kept: Kept, bytes: &[u8]) -> Option<Source> {
        (kept != Kept::Documented && self.same_syntax).then(|| Source::Values(bytes.to_vec()))
    }

    fn into_owned(self) -> Parsed<'static> {
        let Self {
            type_name,
            version,
            attributes,
            members: _,
            outdated,
            unknown,
            below,
            beside,
            source,
            same_syntax,
            renamed,
        } = self;
        let type_name = type_name.map(|name| Cow::Owned(name.into_owned()));
        let attributes = Cow::Owned(attributes.into_owned());
        Parsed {
            type_name,
            version,
            attributes,
            members: None,
            outdated,
            unknown,
            below,
            beside,
            source,
            same_syntax,
            renamed,
        }
    }
}

/// A document brought to the current version of its type, without its Rust type.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UpgradedDocument {
    /// The document, in the format it was upgraded by.
    pub bytes: Vec<u8>,
    /// The type name that it carries now.
    pub type_name: String,
    /// The schema version that it was stored with.
    pub from: u64,
    /// The current schema version.
    pub to: u64,
    /// True if the document was of an earlier version, in another format or under an earlier name.
    pub outdated: bool,
    /// The warnings of the upgrade.
    pub warnings: Diagnostics,
    /// The paths of values in the document that are not kept; see [`Document::undefined`].
    pub undefined: Vec<AttributePath>,
    undefined_values: Undefined,
    losses: Losses,
}

/// A document that is to take the place of the stored one; see [`Format::rewrite`].
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rewrite {
    /// The document, in the format it was read by; of a downgrade, in that of its version
    /// ([`Format::until`]).
    pub bytes: Vec<u8>,
    /// The type name that it carries now.
    pub type_name: String,
    /// The schema version that it was stored with.
    pub from: u64,
    /// The current schema version, or that of a downgrade.
    pub to: u64,
    /// The warnings of the upgrade.
    pub warnings: Diagnostics,
    /// The places in the stored document that no schema defines. They are kept, but for those that
    /// are `lost`, which are among the first.
    pub undefined: Vec<AttributePath>,
    /// The number of undefined values that are not in the upgraded document, because it does not
    /// have the object that they were in, or because another member has their name. A downgrade
    /// warns of them.
    pub lost: usize,
    /// The number of the first of `undefined` that are lost, as far as their names say so.
    first_lost: usize,
    /// True if the rewritten document lacks digits or a key that the stored one has.
    pub(crate) is_lossy: bool,
    pub(super) changes: Vec<Change>,
}

impl Rewrite {
    /// The first of `undefined`, which are those that are `lost`; nothing if their names do not say
    /// which of them are.
    pub fn lost_paths(&self) -> Option<&[AttributePath]> {
        let first = self.undefined.get(..self.first_lost);
        first.filter(|_| self.first_lost == self.lost)
    }

    /// The diagnostic against a rewrite that loses values; `remedy` allows it.
    pub(crate) fn loss(&self, remedy: &str) -> Diagnostic {
        let detail = format!(
            "The document holds at {} what no schema of its version defines, and {} of these values would be lost{}.",
            listed(&self.undefined, self.undefined.len()),
            self.lost,
            which((self.undefined.as_slice(), self.first_lost), self.lost)
        );
        Diagnostic::error("Undefined Values", detail)
            .coded(DiagnosticCode::Undefined)
            .with_remedy(format!("Remove them, or {remedy}."))
    }
}

upstate::__debug_parts! {
    /// Shows the length of the document, not the document, because stored values may be secrets.
    Rewrite |self| {
        bytes: self.bytes.len(),
        type_name: self.type_name,
        from: self.from,
        to: self.to,
        warnings: self.warnings,
        undefined: self.undefined,
        lost: self.lost,
    }
}

/// A stored document, and the attributes that take the place of its own.
#[derive(Clone, Copy)]
struct Replaced<'r, 's> {
    registry: &'r Registry,
    definition: &'r ResourceDefinition,
    /// The name that the document gives its type.
    type_name: &'r str,
    stored: &'r Parsed<'s>,
    json: &'r [u8],
    kept: Kept,
    /// The stored values that no schema defines.
    undefined: &'r Undefined,
    outdated: bool,
    /// The version that the document gets.
    to: u64,
    known: &'r dyn Fn() -> Arc<Known>,
    attributes: &'r [u8],
    /// The state of the current version that is to be read in the new document.
    state: &'r [u8],
}

/// The parts of a stored document that stay in an upgraded one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Those that a syntax edits in place.
    Documented,
    /// Also those of a document in JSON.
    All,
    /// All but what no schema defines where the new document may have a member of its own.
    Free,
}

upstate::__debug_parts! {
    /// Says how long the document is, not what it holds: stored values may be secrets.
    UpgradedDocument |self| {
        bytes: self.bytes.len(),
        type_name: self.type_name,
        from: self.from,
        to: self.to,
        warnings: self.warnings,
        undefined: self.undefined,
    }
}

impl Format<'_> {
    /// Reads a document as the model `T`, whatever release wrote it.
    ///
    /// # Errors
    /// The document is not JSON or not in this format, is of another type, was stored by a later
    /// release or one too old, does not fit the schema of its version, or an upgrade refused it.
    pub fn from_slice<T: CurrentModel>(&self, json: &[u8]) -> Result<T, Diagnostics> {
        self.read(json).map(Document::into_model)
    }

    /// Reads a document as the model `T` and says what is known of it.
    ///
    /// ```
    /// use upstate::Resource;
    /// use upstate_state::document::Format;
    ///
    /// #[derive(Resource)]
    /// #[resource(version = 1)]
    /// #[upgrade_from(0, model = NoteV0)]
    /// struct Note { title: String }
    ///
    /// #[derive(Resource)]
    /// #[resource(version = 0)]
    /// struct NoteV0 { name: String }
    ///
    /// impl From<NoteV0> for Note {
    ///     fn from(prior: NoteV0) -> Self {
    ///         Note { title: prior.name }
    ///     }
    /// }
    ///
    /// let note = Format::new().read::<Note>(br#"{"schema_version":0,"name":"x","colour":"red"}"#)?;
    /// assert_eq!((note.title.as_str(), note.stored_version(), note.is_outdated()), ("x", 0, true));
    /// assert_eq!(note.undefined()[0].to_string(), "colour");
    /// # Ok::<(), upstate::Diagnostics>(())
    /// ```
    ///
    /// # Errors
    /// See [`Format::from_slice`].
    pub fn read<T: CurrentModel>(&self, json: &[u8]) -> Result<Document<T>, Diagnostics> {
        let check = |version| self.check_model::<T>(Some(version));
        let stored = self.parse_as(json, T::DEFINITION, check)?;
        let outdated = stored.outdated || stored.version != T::VERSION;
        let mut place = None;
        let read = read_document::<T>(&stored.request(T::TYPE_NAME), &mut place);
        if let Some((warnings, undefined)) = read.transpose()?
            && let Some(model) = place
        {
            let undefined = if undefined.is_empty() && stored.unknown.is_empty() {
                undefined
            } else {
                stored.undefined(undefined)?
            };
            self.check_kept(undefined.shown(), &warnings)?;
            return Ok(Document {
                model,
                stored_version: stored.version,
                outdated,
                warnings,
                undefined,
            });
        }
        self.allowed(upgrade_stored(&Registry::new().with::<T>(), &stored)?)
    }

    /// Reads a document as [`Format::read`] does, with the clients of a registry for its upgrades.
    ///
    /// # Errors
    /// See [`Format::from_slice`]; also if the registry does not know the type.
    pub fn read_with<T: CurrentModel>(
        &self,
        registry: &Registry,
        json: &[u8],
    ) -> Result<Document<T>, Diagnostics> {
        let definition = registry.get(T::TYPE_NAME).unwrap_or(T::DEFINITION);
        let check = |version| self.check_all(definition, version);
        let stored = self.parse_as(json, definition, check)?;
        self.allowed(upgrade_stored(registry, &stored)?)
    }

    /// Reads a document, also through asynchronous upgraders, which [`Format::read_with`] refuses;
    /// see [`Registry::upgrade_async`].
    ///
    /// # Errors
    /// See [`Format::read_with`].
    pub async fn read_with_async<T: CurrentModel>(
        &self,
        registry: &Registry,
        json: &[u8],
    ) -> Result<Document<T>, Diagnostics> {
        let definition = registry.get(T::TYPE_NAME).unwrap_or(T::DEFINITION);
        let check = |version| self.check_all(definition, version);
        let stored = self.parse_as(json, definition, check)?;
        self.allowed(upgraded(
            &stored,
            registry.upgrade_async(&stored.request(T::TYPE_NAME)).await,
        )?)
    }

    /// Brings a document to the current version of the type that it carries, or that was
    /// [called so](Format::former_types) once.
    ///
    /// # Errors
    /// See [`Format::from_slice`]; also if the document carries no type or one that the registry
    /// does not know.
    pub fn upgrade(
        &self,
        registry: &Registry,
        json: &[u8],
    ) -> Result<UpgradedDocument, Diagnostics> {
        let upgraded = self.upgrade_as(registry, None, json, Kept::Documented)?;
        let keeps_none = self.syntax == Syntax::Json || upgraded.undefined.is_empty();
        if keeps_none || self.is_held(registry, json, &upgraded) {
            return Ok(upgraded);
        }
        // Otherwise a member of the new version would have a value that no schema defines, or the
        // document could not be read.
        self.upgrade_as(registry, None, json, Kept::Free)
    }

    /// Rewrites a document at the current version of its type, with the members beside it, in the
    /// order of the stored one; nothing if it is current. `type_name` is that of documents that
    /// carry none.
    ///
    /// ```
    /// use upstate::{Registry, Resource};
    /// use upstate_state::document::Format;
    ///
    /// #[derive(Resource)]
    /// #[resource(version = 1)]
    /// #[upgrade_from(0 => 1, rename(name => title))]
    /// struct Note { title: String }
    ///
    /// const NOTES: Format = Format::new().attributes_member("data");
    /// let stored = br#"{"id":7,"data":{"name":"x"},"type":"note","schema_version":0}"#;
    /// let rewrite = NOTES.rewrite(&Registry::new().with::<Note>(), None, stored)?.unwrap();
    /// assert_eq!(
    ///     String::from_utf8_lossy(&rewrite.bytes),
    ///     r#"{"id":7,"data":{"title":"x"},"type":"note","schema_version":1}"#,
    /// );
    /// assert_eq!(rewrite.lost, 0);
    /// # Ok::<(), upstate::Diagnostics>(())
    /// ```
    ///
    /// # Errors
    /// See [`Format::upgrade`].
    pub fn rewrite(
        &self,
        registry: &Registry,
        type_name: Option<&str>,
        stored: &[u8],
    ) -> Result<Option<Rewrite>, Diagnostics> {
        self.rewrite_with(registry, type_name, stored, false)
    }

    /// [`Format::rewrite`], with what changes.
    pub(super) fn rewrite_with_changes(
        &self,
        registry: &Registry,
        type_name: Option<&str>,
        stored: &[u8],
    ) -> Result<Option<Rewrite>, Diagnostics> {
        self.rewrite_with(registry, type_name, stored, true)
    }

    fn rewrite_with(
        &self,
        registry: &Registry,
        type_name: Option<&str>,
        stored: &[u8],
        with_changes: bool,
    ) -> Result<Option<Rewrite>, Diagnostics> {
        let mut document = self.upgrade_as(registry, type_name, stored, Kept::All)?;
        if !document.outdated {
            return Ok(None);
        }
        let (mut lost, mut first_lost, mut is_lossy) = (0, 0, false);
        let has_losses = !document.losses.is_empty();
        if has_losses || !document.undefined.is_empty() {
            // Counted, because what no schema defines is lost with an element or an object that the
            // upgrade does not keep.
            let counted = |document: &UpgradedDocument| {
                let again = self.upgrade_as(registry, type_name, &document.bytes, Kept::All)?;
                let lost = self.lost(registry, stored, (document, &again))?;
                Ok::<_, Diagnostics>((again, lost))
            };
            let mut found = counted(&document);
            // Not by their number alone, because a member may have one in which another one is left.
            let is_taken =
                || !document.undefined.is_empty() && !self.is_held(registry, stored, &document);
            if !matches!(found, Ok((_, 0))) || is_taken() {
                // Otherwise a member of the new version would have such a value, where that is
                // allowed, or the document could not be read.
                document = self.upgrade_as(registry, type_name, stored, Kept::Free)?;
                found = counted(&document);
            }
            let (again, count) = found?;
            lost = count;
            is_lossy = has_losses;
            if let Some(definition) = registry.get(&document.type_name) {
                let known = Known::of(definition, document.from);
                if has_losses {
                    let losses = (&document.losses, &again.losses);
                    let old = self.attributes_of(stored)?;
                    let new = self.attributes_of(&document.bytes)?;
                    is_lossy = !keeps_losses(&known, losses, (&old, &new));
                }
                if lost > 0 {
                    let (parsed, none) = (self.parse(stored)?, Undefined::default());
                    let places = self.edits_by(&known, Some(&parsed), &none).known;
                    let around = (parsed.below.as_deref(), self.attributes);
                    let stays = stays(&places, around, &again.undefined_values);
                    (document.undefined, first_lost) = lost_first(&document.undefined, stays);
                    let all = (&document.undefined_values, &again.undefined_values);
                    if self.missing(definition, stored, all)? != lost {
                        // Because some of the first ones stay as members of the rest.
                        first_lost = 0;
                    }
                }
            }
        }
        let changes = match registry.get(&document.type_name) {
            Some(definition) if with_changes => changes_of_attributes(
                definition,
                document.from,
                (
                    &self.attributes_of(stored)?,
                    &self.attributes_of(&document.bytes)?,
                ),
                None,
            ),
            Some(_) | None => Vec::new(),
        };
        let UpgradedDocument {
            bytes,
            type_name,
            from,
            to,
            warnings,
            undefined,
            ..
        } = document;
        let rewrite = Rewrite {
            bytes,
            type_name,
            from,
            to,
            warnings,
            undefined,
            lost,
            first_lost,
            is_lossy,
            changes,
        };
        #[cfg(any(feature = "jsonc", feature = "toml", feature = "yaml"))]
        let rewrite = {
            let definition = registry.get(&rewrite.type_name);
            self.with_lost_comments(self.syntax, definition, stored, rewrite)
        };
        Ok(Some(rewrite))
    }

    /// A rewritten document, which is in this syntax, with a warning of the comments that it lacks.
    #[cfg(any(feature = "jsonc", feature = "toml", feature = "yaml"))]
    fn with_lost_comments(
        &self,
        syntax: Syntax,
        definition: Option<&ResourceDefinition>,
        stored: &[u8],
        mut rewrite: Rewrite,
    ) -> Rewrite {
        let formers = std::iter::successors(self.former, |format| format.former);
        let syntaxes = std::iter::once(self.syntax).chain(formers.map(|format| format.syntax));
        let mut found = syntaxes.map(|syntax| (syntax, syntax.comments(stored)));
        let Some((then, before)) = found.find(|(_, comments)| !comments.is_empty()) else {
            return rewrite;
        };
        let is_edited = then.is_edited_as(syntax);
        if is_edited && !syntax.facts().is_edited {
            // Because the program said that they may be lost.
            return rewrite;
        }
        let reason = if is_edited {
            "nothing in it is surely what they are about"
        } else {
            "it is in another syntax"
        };
        let lost = comment::lost(before, &syntax.comments(&rewrite.bytes));
        let Some(definition) = definition.filter(|_| !lost.is_empty()) else {
            return rewrite;
        };
        let from = rewrite.from;
        let below = self.parse(stored).ok().and_then(|parsed| parsed.below);
        let shown = |path: &AttributePath| match (&below, path.steps()) {
            (Some(below), [outer @ PathStep::Attribute(name), inner @ ..]) if **name == **below => {
                let inner = shown_path(definition, from, &inner.iter().cloned().collect());
                let outer = std::iter::once(outer);
                outer.chain(inner.steps()).cloned().collect()
            }
            (Some(_), steps) => steps.iter().take(1).cloned().collect(),
            (None, _) => shown_path(definition, from, path),
        };
        let warning = comment::warning(&lost, reason, shown);
        rewrite.warnings.push(warning);
        rewrite
    }

    /// True if an upgraded document holds what the upgrade of the stored one made.
    fn is_held(&self, registry: &Registry, stored: &[u8], document: &UpgradedDocument) -> bool {
        let (Some(definition), Ok(parsed)) =
            (registry.get(&document.type_name), self.parse(stored))
        else {
            return true;
        };
        let response = registry.upgrade(&parsed.request(&document.type_name));
        response.state().is_none_or(|state| {
            let expected = (state, &document.undefined_values);
            self.has_state(registry, definition, &document.bytes, expected)
        })
    }

    /// The attributes of a document as they are stored.
    fn attributes_of(&self, document: &[u8]) -> Result<Vec<u8>, Diagnostics> {
        self.parse(document)
            .map(|parsed| parsed.attributes.into_owned())
    }

    /// The number of undefined values of a stored document that another one lacks, which was made of
    /// it; also of those that are members of its rest.
    pub(super) fn missing(
        &self,
        definition: &ResourceDefinition,
        stored: &[u8],
        (before, after): (&Undefined, &Undefined),
    ) -> Result<usize, Diagnostics> {
        let parsed = self.parse(stored)?;
        let known = Known::of(definition, parsed.version);
        let none = Undefined::default();
        let places = self.edits_by(&known, Some(&parsed), &none).known;
        let around = (parsed.below.as_deref(), self.attributes);
        let left = once(&places, around, (before, after));
        Ok(before.count().saturating_sub(left))
    }

    /// The number of undefined values of a stored document that the upgraded one lacks, which was
    /// read again.
    fn lost(
        &self,
        registry: &Registry,
        stored: &[u8],
        (document, again): (&UpgradedDocument, &UpgradedDocument),
    ) -> Result<usize, Diagnostics> {
        let all = (&document.undefined_values, &again.undefined_values);
        let Some(definition) = registry.get(&document.type_name) else {
            return Ok(all.0.count().saturating_sub(all.1.count()));
        };
        let lost = self.missing(definition, stored, all)?;
        if lost == 0 {
            return Ok(lost);
        }
        // Because what is a member of the rest now is still there.
        let old = self.attributes_of(stored)?;
        let new = self.attributes_of(&document.bytes)?;
        let trees = digits::tree(&old).zip(digits::tree(&new));
        let taken = trees.map_or(0, |(old, new)| {
            let (taken, index) = (self.taken(definition, all), Index::default());
            let stays = |path: &&AttributePath| {
                let value = index.at_path(&old, path);
                value.is_some() && value == index.at_path(&new, path)
            };
            taken.iter().filter(stays).count()
        });
        Ok(lost.saturating_sub(taken))
    }

    /// The attributes of a document at the current version of the type that it carries, and what is
    /// known of it.
    pub(super) fn upgraded_attributes(
        &self,
        registry: &Registry,
        stored: &[u8],
    ) -> Result<Upgraded, Diagnostics> {
        let stored = self.parse(stored)?;
        let Some(found) = stored.type_name() else {
            return Err(without_type(self.type_name));
        };
        let type_name = self.name_today(registry, found);
        if let Some(definition) = registry.get(type_name) {
            self.check_all(definition, stored.version)?;
            stored.check_once(definition)?;
        }
        let response = registry.upgrade(&stored.request(type_name));
        let (warnings, undefined) = (
            response.diagnostics().clone(),
            stored.undefined(response.undefined_values())?,
        );
        let state = response.into_result()?;
        self.check_kept(undefined.shown(), &warnings)?;
        let current = registry.get(type_name).map(ResourceDefinition::version);
        let outdated = stored.outdated || current != Some(stored.version) || type_name != found;
        let document = Document {
            model: (),
            stored_version: stored.version,
            outdated,
            warnings,
            undefined,
        };
        Ok(Upgraded {
            type_name: type_name.to_owned(),
            state,
            document,
        })
    }

    /// The name of a type today. A name that another type has taken over belongs to that type.
    fn name_today<'f>(&self, registry: &Registry, found: &'f str) -> &'f str
    where
        Self: 'f,
    {
        if registry.get(found).is_some() {
            found
        } else {
            self.called_today(found).unwrap_or(found)
        }
    }

    fn upgrade_as(
        &self,
        registry: &Registry,
        type_name: Option<&str>,
        json: &[u8],
        kept: Kept,
    ) -> Result<UpgradedDocument, Diagnostics> {
        let mut stored = self.parse(json)?;
        let source = stored.source.take().or_else(|| stored.values(kept, json));
        let found = stored
            .type_name()
            .or(type_name)
            .ok_or_else(|| without_type(self.type_name))?;
        let type_name = self.name_today(registry, found);
        if let Some(definition) = registry.get(type_name) {
            self.check_all(definition, stored.version)?;
            stored.check_once(definition)?;
        }
        let response = registry.upgrade(&stored.request(type_name));
        let (Some(state), Some(definition)) = (response.state(), registry.get(type_name)) else {
            return Err(response.into_result().err().unwrap_or_default());
        };
        let (from, to) = (stored.version, definition.version());
        let undefined = stored.undefined(response.undefined_values())?;
        self.check_kept(undefined.shown(), response.diagnostics())?;
        let outdated = stored.outdated || from != to || type_name != found;
        let free = match kept {
            Kept::Documented | Kept::All => None,
            Kept::Free => {
                let known = Known::of(definition, from);
                let schema = Some(definition.schema());
                Some(self.free((&known, schema), (&stored, state), &undefined))
            }
        };
        let replaced = Replaced {
            registry,
            definition,
            type_name,
            stored: &stored,
            json,
            kept,
            undefined: free.as_ref().unwrap_or(&undefined),
            outdated,
            to,
            known: &|| Known::of(definition, from),
            attributes: state,
            state,
        };
        let bytes = self.with_attributes(replaced, source)?;
        Ok(UpgradedDocument {
            bytes,
            type_name: type_name.to_owned(),
            from,
            to,
            outdated,
            warnings: response.diagnostics().clone(),
            undefined: undefined.shown().to_vec(),
            undefined_values: undefined,
            losses: response.losses(),
        })
    }

    /// The undefined values of a document, of which an edit keeps none in the place of a member
    /// that the type of the new one defines, which has these attributes; nor in that of a flattened
    /// enum's, which the schema tells of, if that is known.
    fn free(
        &self,
        (known, schema): (&Arc<Known>, Option<&Schema>),
        (stored, attributes): (&Parsed<'_>, &[u8]),
        undefined: &Undefined,
    ) -> Undefined {
        let edits = self.edits_by(known, Some(stored), undefined);
        let parts = schema.map(parts).unwrap_or_default();
        let (known, beside) = (&edits.known, edits.beside(&parts, false));
        let new = digits::tree(attributes).map(|new| match self.attributes {
            Some(member) => Tree::Object(vec![(member.into(), new)]),
            None => new,
        });
        let index = Index::default();
        let around = (&beside, &index);
        // First by the type alone, because a list may have many elements.
        let has_member = |place: &Names| {
            has_member(&known.ty, None, place, around)
                && has_member(&known.ty, new.as_ref(), place, around)
        };
        let whole: HashSet<&AttributePath> = undefined.kept().collect();
        // Each name once, because each of many elements may have it.
        let names: HashSet<Names> = undefined.kept().map(without_indices).collect();
        let is_taken = |path: &Names| known.places(path).iter().any(has_member);
        let taken: HashSet<Names> = names.into_iter().filter(is_taken).collect();
        // The place of one that is shown in part is not known, so that it stays.
        let is_free =
            |path: &AttributePath| !whole.contains(path) || !taken.contains(&without_indices(path));
        undefined.clone().keeping(is_free)
    }

    /// A stored document with other attributes; `source` is that of the stored one, if it is edited.
    fn with_attributes(
        &self,
        replaced: Replaced<'_, '_>,
        source: Option<Source>,
    ) -> Result<Vec<u8>, Diagnostics> {
        let Replaced {
            registry,
            definition,
            type_name,
            stored,
            json,
            kept,
            undefined,
            outdated,
            to,
            known,
            attributes,
            state,
        } = replaced;
        let in_order = matches!(source, Some(Source::Values(_)));
        let is_edited = source.is_some();
        let source = Cell::new(source);
        let is_other = stored.version != to;
        let written = |attributes: &[u8], numbers| {
            let again = || {
                is_edited
                    .then(|| self.source_again(stored, kept, json))
                    .flatten()
            };
            let edits = || Edits {
                numbers,
                pairs_values: is_other,
                ..self.edits_by(&known(), Some(stored), undefined)
            };
            let Written { bytes, is_settled } = self.syntax.write(
                definition,
                write::document(self, (definition, type_name), to, attributes)?,
                source.take().or_else(again),
                edits,
            )?;
            Ok::<_, Diagnostics>((self.laid_out(bytes, json, in_order), is_settled))
        };
        if !(outdated && is_edited && self.may_differ(definition)) {
            let (new, _) = written(attributes, Numbers::Equal)?;
            if outdated {
                let none = Undefined::default();
                self.check_nulls_of_state(registry, definition, &new, (state, &none))?;
            }
            return Ok(new);
        }
        let tried = |attributes: &[u8], is_last: bool| {
            let mut new = Vec::new();
            for numbers in self.comparisons() {
                let (document, is_settled) = written(attributes, *numbers)?;
                new = document;
                // The last attempt is taken unread if it is settled, because there is nothing else
                // to take.
                if is_last && is_settled
                    || self.has_state(registry, definition, &new, (state, undefined))
                {
                    return Ok((new, true));
                }
                if is_settled {
                    break;
                }
            }
            Ok::<_, Diagnostics>((new, false))
        };
        let attempt = |kept: &[u8]| tried(kept, false).ok().filter(|(_, has_state)| *has_state);
        let with_digits = digits::of(&stored.attributes, attributes, true).and_then(|values| {
            let new = (attributes, attributes);
            digits::held(&known(), &values, new, is_other, attempt)
        });
        if let Some((new, _)) = with_digits {
            return Ok(new);
        }
        let (new, _) = tried(attributes, true)?;
        self.check_nulls_of_state(registry, definition, &new, (state, undefined))?;
        Ok(new)
    }

    /// Rewrites a document of the current version at the earlier one that is the goal of its type,
    /// as [`Format::rewrite`] does at the current one, with what changes; nothing if it stays.
    ///
    /// # Errors
    /// See [`Format::rewrite`]; also if the document is not of the current version, or if the
    /// earlier version cannot hold it and the goals do not allow that.
    pub(super) fn rewrite_back(
        &self,
        registry: &Registry,
        type_name: Option<&str>,
        goals: &DowngradeGoals,
        json: &[u8],
    ) -> Result<Option<Rewrite>, Diagnostics> {
        let failed = |response: UpgradeResponse| response.into_result().err().unwrap_or_default();
        let found = self.parse(json)?;
        let type_name = found
            .type_name()
            .or(type_name)
            .ok_or_else(|| without_type(self.type_name))?;
        let type_name = self.name_today(registry, type_name);
        let Some(definition) = registry.get(type_name) else {
            return Err(failed(registry.upgrade(&found.request(type_name))));
        };
        let then = self.name_then(registry, goals, type_name);
        let carried = then.unwrap_or(type_name);
        let goals = then.map_or(Cow::Borrowed(goals), |then| {
            Cow::Owned(goals.called_today(then, type_name))
        });
        // Otherwise the release would not read it, though it is of that version.
        let is_renamed =
            then.is_some_and(|then| found.type_name().is_some_and(|found| found != then));
        let Some(to) = self.goal(registry, &goals, definition, (&found, is_renamed))? else {
            return Ok(None);
        };
        // Perhaps another, because the release that had this version reads no other.
        let format = self.former_of(type_name, to).unwrap_or(self);
        format.check(definition, Some(to))?;
        let mut stored = format.parse_from(self, json, None)?;
        let source = stored
            .source
            .take()
            .or_else(|| stored.values(Kept::All, json));
        let from = stored.version;
        let read = registry.upgrade(&stored.request(type_name));
        let Some(state) = read.state() else {
            return Err(failed(read));
        };
        let undefined = stored.undefined(read.undefined_values())?;
        self.check_kept(undefined.shown(), read.diagnostics())?;
        // The state alone, because what no schema defines stays.
        let back = goals.respond(registry, &UpgradeRequest::json(type_name, from, state));
        let Some(attributes) = back.state() else {
            return Err(failed(back));
        };
        let mut warnings = read.diagnostics().clone();
        warnings.append(back.diagnostics().clone());
        let again = registry.upgrade(&UpgradeRequest::json(type_name, to, attributes));
        let Some(state) = again.state() else {
            return Err(failed(again));
        };
        let known = if to == definition.version() {
            Known::of(definition, to)
        } else {
            Arc::new(Known::back(definition, to, goals.shape(type_name)))
        };
        let written = |undefined: &Undefined, source| {
            let replaced = Replaced {
                registry,
                definition,
                type_name: carried,
                stored: &stored,
                json,
                kept: Kept::All,
                undefined,
                outdated: true,
                to,
                known: &|| Arc::clone(&known),
                attributes,
                state,
            };
            let bytes = format.with_attributes(replaced, source)?;
            let (left, changes) = {
                let new = format.parse(&bytes)?;
                let response = registry.upgrade(&new.request(type_name));
                let left = new.undefined(response.undefined_values())?;
                let attributes = (&*stored.attributes, &*new.attributes);
                let changes = changes_of_attributes(definition, from, attributes, Some(to));
                (left, changes)
            };
            Ok::<_, Diagnostics>((bytes, left, changes))
        };
        let mut kept = if to == definition.version() {
            undefined.clone()
        } else {
            // Otherwise that release would read what no schema defines as one of its members.
            format.free((&known, None), (&stored, attributes), &undefined)
        };
        let (mut bytes, mut left, mut changes) = written(&kept, source)?;
        let places = format.edits_by(&known, Some(&stored), &undefined).known;
        let around = (stored.below.as_deref(), format.attributes);
        let lost = |left: &Undefined| {
            let left = once(&places, around, (&undefined, left));
            undefined.count().saturating_sub(left)
        };
        if lost(&left) > 0 {
            let there = stays(&places, around, &left);
            let (named, first) = lost_first(undefined.shown(), &there);
            let all = ((named.as_slice(), first), undefined.count());
            if !goals.allows_loss() {
                return Err(undefined_loss(all, lost(&left), to, false).into());
            }
            kept = undefined.clone().keeping(&there);
            let source = stored
                .same_syntax
                .then(|| format.source_again(&stored, Kept::All, json))
                .flatten();
            (bytes, left, changes) = written(&kept, source)?;
            warnings.push(undefined_loss(all, lost(&left), to, true));
        }
        if !format.has_state(registry, definition, &bytes, (state, &kept)) {
            let detail = "The earlier document does not hold the values that it was given.";
            return Err(text::unwritable(detail).with_remedy(text::BUG).into());
        }
        let there = (lost(&left) > 0).then(|| stays(&places, around, &left));
        let is_there = |path: &&AttributePath| there.as_ref().is_none_or(|there| there(path));
        let rewrite = Rewrite {
            bytes,
            type_name: carried.to_owned(),
            from,
            to,
            warnings,
            undefined: undefined.shown().iter().filter(is_there).cloned().collect(),
            lost: 0,
            first_lost: 0,
            is_lossy: !read.losses().is_empty(),
            changes,
        };
        #[cfg(any(feature = "jsonc", feature = "toml", feature = "yaml"))]
        let rewrite = self.with_lost_comments(format.syntax, Some(definition), json, rewrite);
        Ok(Some(rewrite))
    }

    /// The name of a type in the release that a document goes back to, if it was another one. A
    /// name that another type has taken over belongs to that type.
    fn name_then(&self, registry: &Registry, goals: &DowngradeGoals, today: &str) -> Option<&str> {
        let has = |name: &str| matches!(goals.of(name), Goal::Version(_));
        let mut names = self.former_types.iter();
        let (then, _) = names.find(|(then, name)| {
            *name == today && has(then) && !has(today) && registry.get(then).is_none()
        })?;
        Some(*then)
    }

    /// The earlier version that a document goes back to, or its own if only the name of its type
    /// was another one; nothing if it stays.
    fn goal(
        &self,
        registry: &Registry,
        goals: &DowngradeGoals,
        definition: &ResourceDefinition,
        (stored, is_renamed): (&Parsed<'_>, bool),
    ) -> Result<Option<u64>, Diagnostics> {
        let type_name = definition.type_name();
        let to = match goals.of(type_name) {
            Goal::Version(to) if to < stored.version => to,
            Goal::Version(to) if is_renamed && to == stored.version => to,
            Goal::Version(_) | Goal::Stay => return Ok(None),
            Goal::Nowhere => return Err(not_in_release(goals, type_name).into()),
        };
        if stored.version != definition.version() {
            // Because only one of the current version goes back, as the answer says.
            let refused = goals.respond(registry, &stored.request(type_name));
            return Err(refused.into_result().err().unwrap_or_default());
        }
        self.check_all(definition, stored.version)?;
        self.check(definition, Some(to))?;
        stored.check_once(definition)?;
        Ok(Some(to))
    }

    /// True if an edited document may hold another value than the new one, though what stayed is
    /// equal to it.
    fn may_differ(&self, definition: &ResourceDefinition) -> bool {
        definition.schema().is_document() || self.syntax.facts().has_dates
    }

    /// The ways to compare that are tried one after the other until a document holds what it was
    /// given. It may be another one, or none, if the digits of a float stay where an integer is
    /// now, or the other way around. That of dates comes last, because equal ones are to stay dates
    /// for every other reader, whichever number is rewritten.
    const fn comparisons(&self) -> &'static [Numbers] {
        if self.syntax.facts().has_dates {
            Numbers::ALL
        } else {
            &[Numbers::Equal, Numbers::OfOneKind]
        }
    }

    /// The source of a further edit. Parsed again and not copied before, because few documents are
    /// written more than once.
    fn source_again(&self, stored: &Parsed<'_>, kept: Kept, bytes: &[u8]) -> Option<Source> {
        let read = self.syntax.read(bytes).ok()?;
        read.map(|(_, source)| source)
            .or_else(|| stored.values(kept, bytes))
    }

    /// True if a registry reads this state of the current version in a document, perhaps with some
    /// of the values that were undefined in the rest.
    fn has_state(
        &self,
        registry: &Registry,
        definition: &ResourceDefinition,
        bytes: &[u8],
        (state, undefined): (&[u8], &Undefined),
    ) -> bool {
        let Ok(stored) = self.parse(bytes) else {
            return false;
        };
        let known = Known::of(definition, definition.version());
        let response = registry.upgrade(&stored.request(definition.type_name()));
        let Some(again) = response.state() else {
            return false;
        };
        if holds_same(again, state, &known.ty) {
            return true;
        }
        let Ok(left) = stored.undefined(response.undefined_values()) else {
            return false;
        };
        let taken = self.taken(definition, (undefined, &left));
        let Some(mut without) = digits::tree(again).filter(|_| !taken.is_empty()) else {
            return false;
        };
        for path in &taken {
            without.remove(path.steps());
        }
        let mut json = Vec::new();
        without.write(&mut json);
        holds_same(&json, state, &known.ty)
    }

    /// Refuses a document that lacks a null of the state that it was given, in a flattened map or
    /// enum, because its syntax has none. One that is not read is left to another attempt if it has
    /// undefined values.
    fn check_nulls_of_state(
        &self,
        registry: &Registry,
        definition: &ResourceDefinition,
        bytes: &[u8],
        (state, undefined): (&[u8], &Undefined),
    ) -> Result<(), Diagnostics> {
        let syntax = self.syntax.facts().without_null;
        let Some(syntax) = syntax.filter(|_| definition.schema().flattened().next().is_some())
        else {
            return Ok(());
        };
        let stored = self.parse(bytes)?;
        let response = registry.upgrade(&stored.request(definition.type_name()));
        let again = match response.into_result() {
            Ok(again) => again,
            // Because they may be the reason.
            Err(_) if !undefined.is_empty() => return Ok(()),
            Err(refusal) => return Err(refusal),
        };
        match lost_null(state, &again, syntax) {
            Some(refusal) => Err(refusal.into()),
            None => Ok(()),
        }
    }

    /// The places among the attributes of values that were undefined in a document and are not in
    /// the rewritten one, because they are members of the rest there. One that has the name of a
    /// field or of an alias is not, because it is the value of that field now.
    fn taken(
        &self,
        definition: &ResourceDefinition,
        (before, after): (&Undefined, &Undefined),
    ) -> Vec<AttributePath> {
        if definition.schema().flattened().next().is_none() {
            return Vec::new();
        }
        let known = Known::of(definition, definition.version());
        let left: HashSet<&AttributePath> = after.kept().collect();
        let gone = before.kept().filter(|path| !left.contains(path));
        let places = gone.filter_map(|path| match (self.attributes, path.steps()) {
            (None, _) => Some(path.clone()),
            (Some(member), [PathStep::Attribute(name), inner @ ..]) if **name == *member => {
                Some(inner.iter().cloned().collect())
            }
            (Some(_), _) => None,
        });
        places
            .filter(|path| is_in_rest(definition, &known.ty, path))
            .collect()
    }

    /// The places of undefined values in a document that are not members of the rest.
    fn beside_rest(
        &self,
        definition: &ResourceDefinition,
        undefined: &Undefined,
    ) -> Vec<AttributePath> {
        let none = Undefined::default();
        let rest: HashSet<AttributePath> = self
            .taken(definition, (undefined, &none))
            .into_iter()
            .collect();
        let around = usize::from(self.attributes.is_some());
        let is_beside = |path: &&AttributePath| {
            let steps = path.steps().get(around..).unwrap_or_default();
            !rest.contains(&steps.iter().cloned().collect::<AttributePath>())
        };
        let all = undefined.shown().iter();
        all.filter(is_beside).cloned().collect()
    }

    /// Writes a model over a stored document of it. The order stays, and what no schema defines;
    /// comments, too, where the syntax is edited in place. What is beside an element of a list goes
    /// with it. An element with another `uuid`, `guid`, `id`, `key` or `name` than the one that
    /// stood there has nothing beside it, since it may be a new one: the first of these that both
    /// have decides. It is still the same one if only its `key` or `name` is another one, and it
    /// has a string or more that no other element of the list has. An edited element of a set is
    /// found by such a member alone.
    ///
    /// The values that the upgrade of the stored document cannot keep are gone: [`Rewrite::lost`]
    /// counts them, and [`DocumentFile::save`](super::DocumentFile::save) refuses to write a file
    /// without them.
    ///
    /// # Errors
    /// The stored document cannot be read, see [`Format::from_slice`], or the model cannot be
    /// written, see [`Format::to_vec`], or it would read undefined members as its own, or these
    /// have more than 10,000 names; or a model is read in the new document that is another one,
    /// such as one whose functions write what they do not read.
    pub fn edit<T: CurrentModel>(&self, stored: &[u8], model: &T) -> Result<Vec<u8>, Diagnostics> {
        let undefined = self.read::<T>(stored)?.undefined;
        self.edited(stored, &undefined, model, Taken::Refused(None))
    }

    /// A stored document with the values of a model, as `undefined` names what stays.
    pub(crate) fn edited<T: CurrentModel>(
        &self,
        stored: &[u8],
        undefined: &Undefined,
        model: &T,
        fate: Taken<'_>,
    ) -> Result<Vec<u8>, Diagnostics> {
        if let Taken::Refused(allows) = fate
            && undefined.forgotten().is_some()
        {
            return Err(forgotten(undefined, allows).into());
        }
        let (new, again) = self.edited_again(stored, undefined, model)?;
        let is_checked =
            self.syntax.facts().without_null.is_some() || T::DEFINITION.schema().is_document();
        if again.is_some() || !is_checked {
            return Ok(new);
        }
        let (left, refusal) = match self.read::<T>(&new) {
            Ok(again) => {
                self.check_nulls(model, again.model())?;
                if self.holds(&self.json(model)?, again.model())? {
                    return Ok(new);
                }
                (again.undefined().to_vec(), self.not_held(model)?)
            }
            // Because the rest may not take such a value, so that no program reads the document.
            Err(refusal) => (self.beside_rest(T::DEFINITION, undefined), refusal),
        };
        let (taken, kept) = taken_of(undefined, &left);
        if taken.is_empty() {
            return Err(refusal);
        }
        // They are the reason only if a document without them has the values of the model.
        let (without, Some(_)) = self.edited_again(stored, &kept, model)? else {
            return Err(refusal);
        };
        match fate {
            Taken::LeftOut => Ok(without),
            Taken::Refused(allows) => {
                let versions = (Some(self.parse(stored)?.version), T::VERSION);
                Err(taken_over(&taken, versions, allows).into())
            }
        }
    }

    /// An edited document, and the document read again, where it was found to hold the model.
    pub(super) fn edited_again<T: CurrentModel>(
        &self,
        bytes: &[u8],
        undefined: &Undefined,
        model: &T,
    ) -> Result<(Vec<u8>, Option<Document<T>>), Diagnostics> {
        let json = self.json(model)?;
        let mut stored = self.parse(bytes)?;
        let source = stored.source.take();
        let source = source.or_else(|| stored.values(Kept::All, bytes));
        let in_order = matches!(source, Some(Source::Values(_)));
        let is_edited = source.is_some();
        let source = Cell::new(source);
        let keeps = !undefined.is_empty() || self.syntax.facts().is_edited;
        let pairs = keeps
            .then(|| self.pairs::<T>((&stored, bytes), &json))
            .flatten()
            .map(Arc::new);
        let edited = |json: &[u8], numbers| {
            let again = || {
                is_edited
                    .then(|| self.source_again(&stored, Kept::All, bytes))
                    .flatten()
            };
            let edits = || Edits {
                numbers,
                pairs: pairs.clone(),
                ..self.edits(T::DEFINITION, Some(&stored), undefined)
            };
            let Written {
                bytes: new,
                is_settled,
            } = self.syntax.write(
                T::DEFINITION,
                json.to_vec(),
                source.take().or_else(again),
                edits,
            )?;
            Ok::<_, Diagnostics>((self.laid_out(new, bytes, in_order), is_settled))
        };
        if !self.may_differ(T::DEFINITION) {
            return Ok((edited(&json, Numbers::Equal)?.0, None));
        }
        // A value of a document may be another one if a float is written as an integer: one of any
        // type, or of a variant that fits sooner. So may a string that is written as a date.
        let tried = |written: &[u8]| {
            let mut new = Vec::new();
            for numbers in self.comparisons() {
                let (document, is_settled) = edited(written, *numbers)?;
                new = document;
                if let Ok(again) = self.read::<T>(&new)
                    && self.holds(&json, &*again)?
                {
                    return Ok((new, Some(again)));
                }
                if is_settled {
                    break;
                }
            }
            Ok::<_, Diagnostics>((new, None))
        };
        let attempt = |kept: &[u8]| tried(kept).ok().filter(|(_, again)| again.is_some());
        self.in_stored_digits((&stored, bytes), (model, &json), attempt)
            .map_or_else(|| tried(&json), Ok)
    }

    /// The places of elements and entries of a model that is written as `json` since it was read.
    fn pairs<T: CurrentModel>(
        &self,
        (stored, bytes): (&Parsed<'_>, &[u8]),
        json: &[u8],
    ) -> Option<Pairs> {
        let mut model = None;
        if stored.version == T::VERSION {
            // From its JSON, because other syntaxes take longer to parse.
            let read = read_document::<T>(&stored.request(T::TYPE_NAME), &mut model);
            model = model.filter(|_| read.is_some_and(|read| read.is_ok()));
        }
        let model = match model {
            Some(model) => model,
            None => self.from_slice::<T>(bytes).ok()?,
        };
        let read = self.json(&model).ok()?;
        if read == json {
            return Some(Pairs::default());
        }
        let root = self.edits(T::DEFINITION, Some(stored), &Undefined::default());
        let (read, new) = (digits::tree(&read)?, digits::tree(json)?);
        Some(Pairs::of(&read, &new, &root.known.ty))
    }

    /// The outcome of an attempt to write a model with the stored digits of numbers that are still
    /// those that were read, though their types keep fewer, and with the stored form of such strings;
    /// nothing if there are none.
    fn in_stored_digits<T: CurrentModel, R>(
        &self,
        (stored, bytes): (&Parsed<'_>, &[u8]),
        (model, json): (&T, &[u8]),
        attempt: impl Fn(&[u8]) -> Option<R>,
    ) -> Option<R> {
        let upgraded = stored.version != T::VERSION;
        let values = digits::of(&stored.attributes, json, upgraded)?;
        let read = upstate::to_json(self.read::<T>(bytes).ok()?.model()).ok()?;
        let new = upstate::to_json(model).ok()?;
        let known = Known::of(T::DEFINITION, stored.version);
        digits::held(&known, &values, (&read, &new), upgraded, |kept| {
            let typed = (T::DEFINITION, T::TYPE_NAME);
            write::document(self, typed, T::VERSION, kept)
                .ok()
                .and_then(|kept| attempt(&kept))
        })
    }

    /// True if the JSON of a document has the values of a model.
    pub(super) fn holds<T: CurrentModel>(
        &self,
        json: &[u8],
        model: &T,
    ) -> Result<bool, Diagnostics> {
        Ok(holds_same(
            &self.json(model)?,
            json,
            &Known::of(T::DEFINITION, T::VERSION).ty,
        ))
    }

    /// The refusal of a new document in which another model is read.
    pub(super) fn not_held<T: CurrentModel>(&self, model: &T) -> Result<Diagnostics, Diagnostics> {
        let own = Format {
            syntax: Syntax::Json,
            former: None,
            ..*self
        };
        let json = own.json(model)?;
        let is_ours = match own.read::<T>(&json) {
            Ok(again) => own.holds(&json, again.model())?,
            Err(_) => false,
        };
        Ok(text::not_held(is_ours).into())
    }

    /// The changes that make a stored document one of today.
    pub(super) fn edits(
        &self,
        definition: &ResourceDefinition,
        stored: Option<&Parsed<'_>>,
        undefined: &Undefined,
    ) -> Edits {
        let version = stored.map_or(definition.version(), |stored| stored.version);
        Edits {
            pairs_values: version != definition.version(),
            ..self.edits_by(&Known::of(definition, version), stored, undefined)
        }
    }

    /// The changes that make a stored document another one, by what is known of the two versions.
    fn edits_by(
        &self,
        known: &Arc<Known>,
        stored: Option<&Parsed<'_>>,
        undefined: &Undefined,
    ) -> Edits {
        let mut edits = Edits {
            known: Arc::clone(known),
            kept: undefined.kept().map(without_indices).collect(),
            pairs_values: false,
            pairs: None,
            first: self
                .type_name
                .into_iter()
                .chain([self.version])
                .map(str::to_owned)
                .collect(),
            attributes: self.attributes.map(str::to_owned),
            numbers: Numbers::Equal,
        };
        let below = stored.and_then(|stored| stored.below.as_deref());
        let members: &[(String, String)] = stored.map_or(&[], |stored| &stored.renamed);
        let contents = match stored {
            Some(stored) if !known.contents.is_empty() => contents_of(known, &stored.attributes),
            Some(_) | None => Goals::new(),
        };
        if self.attributes.is_none() && below.is_none() && members.is_empty() && contents.is_empty()
        {
            return edits;
        }
        let within = |member: Option<&str>, path: &Names| {
            member
                .map(str::to_owned)
                .into_iter()
                .chain(path.clone())
                .collect()
        };
        let mut renames = Goals::new();
        for (then, now) in members {
            renames
                .entry(vec![then.clone()])
                .or_default()
                .insert(vec![now.clone()]);
        }
        for (old, goals) in known.renames.iter().chain(&contents) {
            let goals = goals.iter().map(|goal| within(self.attributes, goal));
            renames.entry(within(below, old)).or_default().extend(goals);
        }
        let ty = match self.attributes {
            Some(member) => Type::object([Field::new(member.to_owned(), known.ty.clone())]),
            None => known.ty.clone(),
        };
        edits.known = Arc::new(Known::new(renames, ty));
        edits
    }

    /// The document, unless it holds what a strict format refuses.
    fn allowed<T>(&self, document: Document<T>) -> Result<Document<T>, Diagnostics> {
        self.check_kept(document.undefined(), document.warnings())
            .map(|()| document)
    }

    /// Checks that a strict format keeps all that the document holds.
    fn check_kept(
        &self,
        undefined: &[AttributePath],
        warnings: &Diagnostics,
    ) -> Result<(), Diagnostics> {
        self.check_undefined(undefined)?;
        let lost: Diagnostics = warnings
            .iter()
            .filter(|warning| self.strict && is_loss(warning))
            .map(lossy)
            .collect();
        if lost.is_empty() { Ok(()) } else { Err(lost) }
    }

    fn check_undefined(&self, undefined: &[AttributePath]) -> Result<(), Diagnostics> {
        if !self.strict || undefined.is_empty() {
            return Ok(());
        }
        let detail = format!(
            "The document holds at {} what no schema of its version defines, and the format is strict.",
            listed(undefined, undefined.len())
        );
        let remedy = "Remove it, or read the document with a format that is not: it leaves that out, and `undefined()` names it.";
        Err(Diagnostic::error("Undefined Values", detail)
            .coded(DiagnosticCode::Undefined)
            .with_remedy(remedy)
            .into())
    }

    /// Finds type, version and attributes in a document, without reading the attributes.
    ///
    /// For upgrades of many documents at once:
    ///
    /// ```
    /// use upstate::{Registry, Resource, batch::Batch};
    /// use upstate_state::document::Format;
    ///
    /// #[derive(Resource)]
    /// #[resource(version = 0)]
    /// struct Note { title: String }
    ///
    /// let rows = [r#"{"type":"note","schema_version":0,"title":"a"}"#, r#"{"type":"note","schema_version":1}"#];
    /// let stored = rows.iter().map(|row| Format::new().parse(row.as_bytes())).collect::<Result<Vec<_>, _>>()?;
    /// let requests: Vec<_> = stored.iter().map(|stored| stored.request("note")).collect();
    /// let responses = Batch::new().upgrade(&Registry::new().with::<Note>(), &requests);
    /// assert_eq!(responses[0].state(), Some(br#"{"title":"a"}"#.as_slice()));
    /// assert!(responses[1].diagnostics().has_errors());
    /// # Ok::<(), upstate::Diagnostics>(())
    /// ```
    ///
    /// # Errors
    /// The document is not JSON or not in this format.
    pub fn parse<'a>(&self, bytes: &'a [u8]) -> Result<Parsed<'a>, Diagnostics> {
        self.parse_with(bytes, None)
    }

    /// Finds them, and where each attribute is if the document is not of the version `current`.
    fn parse_with<'a>(
        &self,
        bytes: &'a [u8],
        current: Option<u64>,
    ) -> Result<Parsed<'a>, Diagnostics> {
        self.parse_from(self, bytes, current)
    }

    /// Finds them in a document of a format, or of one that it was formerly, to write it in this
    /// one.
    fn parse_from<'a>(
        &self,
        first: &Format<'_>,
        bytes: &'a [u8],
        current: Option<u64>,
    ) -> Result<Parsed<'a>, Diagnostics> {
        if first.syntax == Syntax::Json && first.former.is_none() {
            return self.parsed(first, bytes, locate(first, bytes, current)?);
        }
        let (mut format, mut problem, mut other) = (first, None, None);
        // Each earlier format is one that a constant could name, so they end.
        loop {
            match format.syntax.read(bytes) {
                Ok(read) => match self.parse_in(
                    format,
                    (bytes, current),
                    read,
                    format.former.is_none() && problem.is_none(),
                ) {
                    Ok(Some(parsed)) => return parsed,
                    Ok(None) => {}
                    Err(error) => problem = problem.or(Some(error)),
                },
                // In another syntax, it may be a document of an earlier release.
                Err(error) => other = other.or(Some(error)),
            }
            match format.former {
                Some(former) => format = former,
                None => return Err(other.or(problem).unwrap_or_default()),
            }
        }
    }

    /// The document in one of the formats of this one, or why it cannot be read though it says that
    /// it is in this format: nothing if it has no version there, unless that is the `last` of them.
    fn parse_in<'a>(
        &self,
        format: &Format<'_>,
        (bytes, current): (&'a [u8], Option<u64>),
        read: Option<(Vec<u8>, Source)>,
        last: bool,
    ) -> Result<Option<Result<Parsed<'a>, Diagnostics>>, Diagnostics> {
        let Some((json, source)) = read else {
            let located = locate(format, bytes, current)?;
            return Ok(
                (located.version.is_some() || last).then(|| self.parsed(format, bytes, located))
            );
        };
        let located = locate(format, &json, None)?;
        if located.version.is_none() && !last {
            return Ok(None);
        }
        if let (Some(member), Some(range)) = (format.attributes, &located.attributes)
            && json.get(range.start) != Some(&b'{')
        {
            return Ok(Some(Err(without_object(member))));
        }
        let source = Some(source).filter(|_| format.syntax.is_edited_as(self.syntax));
        Ok(Some(self.parsed(format, &json, located).map(|parsed| {
            Parsed {
                source,
                ..parsed.into_owned()
            }
        })))
    }

    fn parsed<'a>(
        &self,
        format: &Format<'_>,
        json: &'a [u8],
        mut located: Located<'a>,
    ) -> Result<Parsed<'a>, Diagnostics> {
        let untyped = self.type_name.is_some() && located.type_name.is_none();
        // Compared by its place first, because it is nearly always this one.
        let is_other = !std::ptr::eq(format, self) && format != self;
        let outdated = is_other || located.version.is_none() || untyped;
        let unversioned = format.unversioned.or(self.unversioned);
        let Some(version) = located.version.or(unversioned) else {
            return Err(without_version(self.version));
        };
        let whole = located.version.is_none() && located.attributes.is_none();
        let below = format.attributes.filter(|_| !whole);
        let (attributes, unknown) = match (below, &located.attributes) {
            (None, _) => (flat(json, &located.beside), Vec::new()),
            (Some(_), Some(range)) => (alone(json, range), std::mem::take(&mut located.unknown)),
            (Some(member), None) => return Err(without_attributes(member)),
        };
        let may_repeat = located.ended_early;
        let Located {
            type_name, members, ..
        } = located;
        let beside = if may_repeat {
            [Some(format.version), format.type_name]
        } else {
            [None; 2]
        };
        let names = [
            (Some(format.version), Some(self.version)),
            (format.type_name, self.type_name),
            (below, self.attributes),
        ];
        let renamed = names
            .into_iter()
            .filter(|_| is_other)
            .filter_map(|(then, now)| then.zip(now).filter(|(then, now)| then != now));
        Ok(Parsed {
            type_name,
            version,
            attributes,
            members,
            outdated,
            unknown,
            below: below.map(str::to_owned),
            beside: beside.map(|name| name.map(str::to_owned)),
            source: None,
            same_syntax: format.syntax.is_edited_as(self.syntax),
            renamed: renamed
                .map(|(then, now)| (then.to_owned(), now.to_owned()))
                .collect(),
        })
    }

    fn parse_as<'a>(
        &self,
        json: &'a [u8],
        definition: &ResourceDefinition,
        check: impl FnOnce(u64) -> Result<(), Diagnostics>,
    ) -> Result<Parsed<'a>, Diagnostics> {
        // Only the upgrade of a document looks at some members and leaves the others as they are.
        let is_document = definition.schema().is_document();
        let stored = self.parse_with(json, is_document.then(|| definition.version()))?;
        check(stored.version)?;
        stored.check_once(definition)?;
        let Some(found) = stored.type_name.as_deref() else {
            return Ok(stored);
        };
        if found == definition.type_name() {
            return Ok(stored);
        }
        if self.was_called(definition.type_name(), found) {
            return Ok(Parsed {
                outdated: true,
                ..stored
            });
        }
        Err(other_type(found, definition.type_name()))
    }
}

/// A flat document with blanks where its type and version are, so that offsets stay right.
fn flat<'a>(json: &'a [u8], beside: &[Range<usize>; 2]) -> Cow<'a, [u8]> {
    if beside.iter().all(Range::is_empty) {
        return Cow::Borrowed(json);
    }
    let mut attributes = json.to_vec();
    for range in beside {
        if let Some(bytes) = attributes.get_mut(range.clone()) {
            bytes.fill(b' ');
        }
    }
    Cow::Owned(attributes)
}

/// The attributes of a document behind as many blanks as there were bytes.
fn alone<'a>(json: &'a [u8], range: &Range<usize>) -> Cow<'a, [u8]> {
    let mut attributes = vec![b' '; range.start];
    attributes.extend_from_slice(json.get(range.clone()).unwrap_or_default());
    Cow::Owned(attributes)
}

/// Upgrades through the engine, which survives what the upgrade does and says which document it
/// was.
fn upgrade_stored<T: CurrentModel>(
    registry: &Registry,
    stored: &Parsed<'_>,
) -> Result<Document<T>, Diagnostics> {
    upgraded(stored, registry.upgrade(&stored.request(T::TYPE_NAME)))
}

/// The model in what the engine made of a document.
fn upgraded<T: CurrentModel>(
    stored: &Parsed<'_>,
    response: UpgradeResponse,
) -> Result<Document<T>, Diagnostics> {
    let (warnings, undefined) = (
        response.diagnostics().clone(),
        stored.undefined(response.undefined_values())?,
    );
    let state = response.into_result()?;
    let model = upstate::from_json(&state).map_err(|error| {
        let detail = format!(
            "The upgraded document does not fit the model of {}: {}. This is a mistake in how the model is written; the stored document \
             is unchanged.",
            T::TYPE_NAME,
            error.problem()
        );
        text::of_decoder(&error, "Unable to Convert State", detail)
    })?;
    let outdated = stored.outdated || stored.version != T::VERSION;
    Ok(Document {
        model,
        stored_version: stored.version,
        outdated,
        warnings,
        undefined,
    })
}

/// The refusal by a strict format of what a warning tells of.
#[cold]
fn lossy(warning: &Diagnostic) -> Diagnostic {
    let detail = format!("{} The format is strict.", warning.detail());
    let remedy =
        "Correct the document, or read it with a format that is not strict: it only warns.";
    let refused = Diagnostic::error(warning.summary(), detail).with_remedy(remedy);
    let refused = if let Some(code) = warning.code() {
        refused.coded(code)
    } else {
        refused
    };
    if let Some(path) = warning.path() {
        refused.at(path.clone())
    } else {
        refused
    }
}

/// The refusal of a document of a type that a release did not have.
#[cold]
fn not_in_release(goals: &DowngradeGoals, type_name: &str) -> Diagnostic {
    let release = goals.release().unwrap_or_default();
    let detail = format!("Release {release} did not have {type_name}.");
    Diagnostic::error("Unable to Downgrade Document", detail)
        .coded(DiagnosticCode::UnknownType)
        .with_remedy("Leave the document out: that release does not read it.")
}

/// True for each undefined value of a stored document, by its path, that is in the rewritten one,
/// of which these are `left`: under its name, or under that of its place there. All names are
/// taken at once, because there may be as many that stay as there are.
fn stays<'k>(
    places: &'k Known,
    (then, now): (Option<&str>, Option<&str>),
    left: &Undefined,
) -> impl Fn(&AttributePath) -> bool + use<'k> {
    let names: HashSet<Names> = left.shown().iter().map(without_indices).collect();
    let (then, now) = (then.map(str::to_owned), now.map(str::to_owned));
    move |path: &AttributePath| {
        let around = (then.as_deref(), now.as_deref());
        let mut there = names_there(places, around, without_indices(path)).into_iter();
        there.any(|name| names.contains(&name))
    }
}

/// The names that an undefined value may have in the rewritten document: those that it has in the
/// stored one, and those of its places there.
fn names_there(
    places: &Known,
    (then, now): (Option<&str>, Option<&str>),
    path: Names,
) -> BTreeSet<Names> {
    // Because what is left has the names of today, but the member around it is that of its file.
    let inner = match (then, path.as_slice()) {
        (Some(then), [outer, inner @ ..]) if outer == then => Some(inner),
        (Some(_), _) => None,
        (None, whole) => Some(whole),
    };
    let around = now.map(str::to_owned).into_iter();
    let today = inner.map(|inner| around.chain(inner.iter().cloned()).collect::<Names>());
    let there: Vec<Names> = places.places(&path).into_iter().chain(today).collect();
    there.into_iter().chain([path]).collect()
}

/// The number of undefined values in a rewritten document, each of the stored one once: an upgrader
/// may have copied the object that it is in.
fn once(
    places: &Known,
    around: (Option<&str>, Option<&str>),
    (before, after): (&Undefined, &Undefined),
) -> usize {
    let counts = |undefined: &Undefined| {
        let mut counts = HashMap::<Names, usize>::new();
        for path in undefined.shown() {
            *counts.entry(without_indices(path)).or_default() += 1;
        }
        counts
    };
    let (stored, now) = (counts(before), counts(after));
    let there: Vec<(usize, BTreeSet<Names>)> = stored
        .into_iter()
        .map(|(path, count)| {
            let mut names = names_there(places, around, path);
            names.retain(|name| now.contains_key(name));
            (count, names)
        })
        .collect();
    if there.iter().all(|(_, names)| names.len() < 2) {
        return after.count();
    }
    let mut sources: HashMap<&Names, Vec<usize>> = HashMap::new();
    for (index, (_, names)) in there.iter().enumerate() {
        for name in names {
            sources.entry(name).or_default().push(index);
        }
    }
    // Those that share a name together, because each copy is to be counted once.
    let (mut copies, mut counted) = (0, HashSet::new());
    for first in 0..there.len() {
        let (mut open, mut is_copied) = (vec![first], false);
        let (mut stored, mut found) = (0_usize, 0_usize);
        while let Some(index) = open.pop() {
            let Some((count, names)) = there.get(index).filter(|_| counted.insert(index)) else {
                continue;
            };
            stored += count;
            is_copied |= names.len() > 1;
            for name in names {
                if let Some(others) = sources.remove(name) {
                    found += now.get(name).copied().unwrap_or_default();
                    open.extend(others);
                }
            }
        }
        if is_copied {
            copies += found.saturating_sub(stored);
        }
    }
    // Only the named ones, because each of the others may be a copy.
    after.shown().len().saturating_sub(copies)
}

/// The undefined values of a stored document, first those that the rewritten one lacks, because a
/// message names only some; and the number of these.
fn lost_first(
    undefined: &[AttributePath],
    stays: impl Fn(&AttributePath) -> bool,
) -> (Vec<AttributePath>, usize) {
    let mut paths = undefined.to_vec();
    paths.sort_by_cached_key(&stays);
    let first = paths.partition_point(|path| !stays(path));
    (paths, first)
}

/// The end of a sentence about so many lost values: which of several they are, if the first ones
/// are all of them.
fn which((undefined, first): (&[AttributePath], usize), lost: usize) -> String {
    match undefined.get(..first) {
        Some(named) if first == lost && first < undefined.len() => {
            format!(": {}", listed(named, first))
        }
        Some(_) | None => String::new(),
    }
}

/// The refusal, or the warning, of values that no schema defines and that a document of an earlier
/// version does not have as such: the paths of those that have one, the number of the first of them
/// that are lost, and that of all.
#[cold]
fn undefined_loss(
    ((undefined, first), count): ((&[AttributePath], usize), usize),
    lost: usize,
    to: u64,
    allowed: bool,
) -> Diagnostic {
    let detail = format!(
        "The document holds at {} what no schema defines, and version {to} cannot hold {lost} of these values{}.",
        listed(undefined, count),
        which((undefined, first), lost)
    );
    let found = if allowed {
        Diagnostic::warning("Value Lost", detail)
    } else {
        Diagnostic::error("Downgrade Would Lose a Value", detail)
    };
    found.coded(DiagnosticCode::WouldLose)
}

/// True if what an upgrade kept in part is whole in the rewritten document, since its own upgrade
/// keeps it in part again, and none of the stored numbers is missing.
fn keeps_losses(
    known: &Known,
    (before, after): (&Losses, &Losses),
    (stored, rewritten): (&[u8], &[u8]),
) -> bool {
    /// The most losses that are looked for, because each is compared with those of the rewritten
    /// document.
    const MOST: usize = 1_000;
    let (Some(stored), Some(rewritten)) = (digits::tree(stored), digits::tree(rewritten)) else {
        return false;
    };
    // Of numbers alone, because nothing else compares what a date or a map had with what it has.
    let index = Index::default();
    let is_number =
        |path: &AttributePath| matches!(index.at_path(&rewritten, path), Some(Tree::Number(_)));
    let mut left: Vec<(DiagnosticCode, Names)> = after
        .places()
        .iter()
        .filter(|(_, path)| is_number(path))
        .map(|(code, path)| (*code, without_indices(path)))
        .collect();
    before.count() <= MOST
        && before.places().len() == before.count()
        && digits::has_numbers_of(&rewritten, &stored)
        && before.places().iter().all(|(code, path)| {
            let path = without_indices(path);
            let found = left
                .iter()
                .position(|(other, now)| other == code && known.leads(&path, now));
            found.map(|found| left.swap_remove(found)).is_some()
        })
}

/// The fate of members that no schema of the stored version defines, and that a model would read as
/// its own.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Taken<'r> {
    LeftOut,
    /// The document is not written, and this is another remedy.
    Refused(Option<&'r str>),
}

/// The undefined members of a document that a model may have read as its own, because the edited
/// one has only those that are `left`; and all, of which an edit keeps only these.
pub(super) fn taken_of<'u>(
    undefined: &'u Undefined,
    left: &[AttributePath],
) -> (Vec<&'u AttributePath>, Undefined) {
    // Without indices, because an element may be at another place by now.
    let left: HashSet<Names> = left.iter().map(without_indices).collect();
    let stays = |path: &AttributePath| left.contains(&without_indices(path));
    let all = undefined.shown().iter();
    let taken = all.filter(|path| !stays(path)).collect();
    let kept = undefined.clone().keeping(stays);
    (taken, kept)
}

/// The refusal of such members of a document, by the version that it was stored with and the
/// current one.
pub(super) fn taken_over(
    taken: &[&AttributePath],
    (stored, current): (Option<u64>, u64),
    allows: Option<&str>,
) -> Diagnostic {
    let detail = format!(
        "The document holds at {} what no schema of its version defines, and the current model would read these values as its own.",
        listed(taken, taken.len())
    );
    let first = match stored {
        Some(version) if version < current => format!(
            "Add a field with `#[attribute(rest)]` to the model of version {version} and take it over in the upgrade"
        ),
        Some(_) | None => "Remove them".to_owned(),
    };
    let remedy = match allows {
        Some(allows) => format!("{first}, or {allows}."),
        None => format!("{first}."),
    };
    Diagnostic::error("Undefined Values", detail)
        .coded(DiagnosticCode::Undefined)
        .with_remedy(remedy)
}

/// The refusal of an edit that would lose undefined members, of which too many names are stored.
#[cold]
pub(super) fn forgotten(undefined: &Undefined, allows: Option<&str>) -> Diagnostic {
    let lost = undefined.forgotten().map_or_else(String::new, |path| {
        format!(" The value at `{path}` would be lost.")
    });
    let detail = format!(
        "The document holds {} values that no schema defines, and their names are more than an edit keeps.{lost} Nothing was written.",
        undefined.count()
    );
    let remedy = match allows {
        Some(allows) => format!("Remove some, or {allows}."),
        None => "Remove some.".to_owned(),
    };
    Diagnostic::error("Undefined Values", detail)
        .coded(DiagnosticCode::Undefined)
        .with_remedy(remedy)
}

/// True if a member that no field names is one of a map of remaining members there.
fn is_in_rest(definition: &ResourceDefinition, ty: &Type, path: &AttributePath) -> bool {
    let Some((PathStep::Attribute(name), around)) = path.steps().split_last() else {
        return false;
    };
    let Some(Type::Object(fields)) = type_at(ty, around) else {
        return false;
    };
    let schema = definition.schema();
    // Without the others, because elements and entries are at the path of what holds them.
    let around = around.iter().fold(String::new(), |path, at| match at {
        PathStep::Attribute(name) => step(&path, name),
        PathStep::Key(_) | PathStep::Index(_) | PathStep::Element(_) => path,
    });
    has_rest(schema, &around)
        && fields.iter().all(|field| field.name() != &**name)
        && schema.aliases().all(|(_, alias)| alias != &**name)
}

/// The type of what is at a place, as far as it is known.
fn type_at<'t>(ty: &'t Type, steps: &[PathStep]) -> Option<&'t Type> {
    steps.iter().try_fold(ty, |ty, step| match step {
        PathStep::Attribute(name) => member_type(Some(ty), name),
        PathStep::Key(key) => member_type(Some(ty), key),
        PathStep::Index(index) => element_type(Some(ty), usize::try_from(*index).ok()?),
        PathStep::Element(_) => None,
    })
}

/// True if the type of a value has a member at this path, in whichever element, or an enum that is
/// `beside` its fields. Of an enum the variant counts that the value is, or each if that is not
/// known.
fn has_member<'m, 't>(
    ty: &Type,
    value: Option<&'m Tree<'t>>,
    path: &[String],
    (beside, index): (&Beside<'_>, &Index<'m, 't>),
) -> bool {
    let Some((name, rest)) = path.split_first() else {
        return true;
    };
    let member = |ty: Option<&Type>| {
        let value = value.and_then(|value| index.member(value, name));
        ty.is_some_and(|ty| has_member(ty, value, rest, (beside, index)))
    };
    match ty {
        // Because all that is in such a value is a part of it.
        Type::Json => true,
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => {
            let has_member = |at: usize, element: Option<&'m Tree<'t>>| {
                element_type(Some(ty), at)
                    .is_some_and(|ty| has_member(ty, element, path, (beside, index)))
            };
            if let Some(Tree::Array(elements)) = value {
                let mut elements = elements.iter().enumerate();
                elements.any(|(at, element)| has_member(at, Some(element)))
            } else {
                // Because each element of a tuple has a type of its own.
                let count = if let Type::Tuple(elements) = ty {
                    elements.len()
                } else {
                    1
                };
                (0..count).any(|at| has_member(at, None))
            }
        }
        Type::Union(union) => {
            let members = if let Some(Tree::Object(members)) = value {
                members.as_slice()
            } else {
                &[]
            };
            let mut variants = union.variants().iter().map(Field::ty);
            match content(union, members) {
                // Because the path may have the name of a variant.
                held @ Content::External(_) => member(held.member(name)),
                Content::Members(ty) => has_member(ty, value, path, (beside, index)),
                Content::Adjacent(content, Some(ty)) => content == *name && member(Some(ty)),
                Content::Adjacent(content, None) => {
                    content == *name && variants.any(|ty| member(Some(ty)))
                }
                Content::Unknown => variants.any(|ty| has_member(ty, value, path, (beside, index))),
            }
        }
        Type::Object(_) => {
            let mut enums = beside.enums(ty);
            member(member_type(Some(ty), name))
                || enums.any(|ty| has_member(ty, value, path, (beside, index)))
        }
        Type::Map(_) => member(member_type(Some(ty), name)),
        Type::Bool | Type::String | Type::Number | Type::Dynamic => false,
    }
}

/// The places of contents of enums, and of aliases. Attributes that are no JSON have been refused
/// before.
fn contents_of(known: &Known, attributes: &[u8]) -> Goals {
    let tree = std::str::from_utf8(attributes)
        .ok()
        .and_then(|json| Tree::parse(json).ok());
    tree.map_or_else(Goals::new, |tree| known.contents_of(&tree))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undefined(paths: impl IntoIterator<Item = [String; 2]>) -> Undefined {
        let path =
            |[object, name]: [String; 2]| AttributePath::new().attribute(object).attribute(name);
        Undefined::default().within(paths.into_iter().map(path).collect(), |path| path)
    }

    #[test]
    fn each_copy_is_counted_once_where_two_objects_were_copied_to_one_place() {
        let name = |name: &str| vec![name.to_owned()];
        let known = Known::new(
            Goals::from([
                (name("a"), BTreeSet::from([name("b"), name("c")])),
                (name("b"), BTreeSet::from([name("c")])),
            ]),
            Type::Dynamic,
        );
        // Because to compare each with each takes minutes.
        let members = |object: &'static str| {
            (0..4_000).map(move |index| [object.to_owned(), format!("odd{index}")])
        };
        let before = undefined(members("a").chain(members("b")));
        let after = undefined(members("a").chain(members("b")).chain(members("c")));
        assert_eq!(once(&known, (None, None), (&before, &after)), 8_000);
        let lost = members("a")
            .chain(members("b").skip(3))
            .chain(members("c").skip(3));
        assert_eq!(
            once(&known, (None, None), (&before, &undefined(lost))),
            7_997
        );
    }
}
