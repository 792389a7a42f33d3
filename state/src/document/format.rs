//! The places of the type, the version and the attributes in a document.

use std::cell::Cell;
use std::ptr;

use upstate::__internal::Row;
use upstate::schema::Block;
use upstate::{CurrentModel, Diagnostic, DiagnosticCode, Diagnostics, ResourceDefinition};

use super::syntax::Syntax;

const VERSION: &str = "schema_version";
const TYPE: &str = "type";

/// The layout of documents. The usual format is flat, with the members `type` and `schema_version`
/// beside the attributes.
///
/// A program's format is best a constant, as what it says outlives releases:
///
/// ```
/// use upstate::Resource;
/// use upstate_state::document::Format;
///
/// #[derive(Debug, PartialEq, Resource)]
/// #[resource(version = 0)]
/// struct Note { title: String }
///
/// /// Since 1.2; before, notes were written as they were.
/// const NOTES: Format = Format::new().without_type().version_member("v").attributes_member("note").unversioned(0);
///
/// let note = Note { title: "x".to_owned() };
/// assert_eq!(NOTES.to_string(&note)?, r#"{"v":0,"note":{"title":"x"}}"#);
/// assert_eq!(NOTES.from_slice::<Note>(br#"{"v":0,"note":{"title":"x"}}"#)?, note);
/// assert_eq!(NOTES.from_slice::<Note>(br#"{"title":"x"}"#)?, note);
/// # Ok::<(), upstate::Diagnostics>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Format<'n> {
    pub(super) version: &'n str,
    pub(super) type_name: Option<&'n str>,
    pub(super) attributes: Option<&'n str>,
    pub(super) unversioned: Option<u64>,
    pub(super) former_types: &'n [(&'n str, &'n str)],
    pub(super) former: Option<&'n Format<'n>>,
    /// The last version of each type that was written in this format, where there is a later one.
    pub(super) until: &'n [(&'n str, u64)],
    pub(super) pretty: bool,
    pub(super) strict: bool,
    pub(super) syntax: Syntax,
}

impl Default for Format<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'n> Format<'n> {
    /// The usual format: members `type` and `schema_version` beside the attributes, compact.
    pub const fn new() -> Self {
        Self {
            version: VERSION,
            type_name: Some(TYPE),
            attributes: None,
            unversioned: None,
            former_types: &[],
            former: None,
            until: &[],
            pretty: false,
            strict: false,
            syntax: Syntax::Json,
        }
    }

    /// Stores the schema version in the member `name`.
    pub const fn version_member(mut self, name: &'n str) -> Self {
        self.version = name;
        self
    }

    /// Stores the type name in the member `name`.
    ///
    /// It is always written. A document without it is read as the type that the caller asks for.
    pub const fn type_member(mut self, name: &'n str) -> Self {
        self.type_name = Some(name);
        self
    }

    /// Refuses documents that hold what is not kept: anything that no schema defines, beside the
    /// attributes too, all but the last of repeated keys, and digits that their types do not hold,
    /// but for those of a decimal in a field of type `f64` or `f32`, which is read as the nearest
    /// float. Otherwise [`Document::undefined`](super::Document::undefined) names what is skipped,
    /// and [`Document::warnings`](super::Document::warnings) the rest.
    ///
    /// ```
    /// # use upstate::Resource;
    /// # use upstate_state::document::Format;
    /// # #[derive(Debug, PartialEq, Resource)]
    /// # #[resource(version = 0)]
    /// # struct Note { title: String }
    /// let refused = Format::new().strict().from_slice::<Note>(br#"{"type":"note","schema_version":0,"title":"x","colour":"red"}"#);
    /// assert!(refused.unwrap_err().to_string().contains("`colour`"));
    /// ```
    pub const fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Stores no type name.
    pub const fn without_type(mut self) -> Self {
        self.type_name = None;
        self
    }

    /// Stores the attributes in the member `name`, not beside type and version.
    pub const fn attributes_member(mut self, name: &'n str) -> Self {
        self.attributes = Some(name);
        self
    }

    /// Reads documents without a version as this one: documents of releases that did not write
    /// versions yet. Without this setting they are refused.
    pub const fn unversioned(mut self, version: u64) -> Self {
        self.unversioned = Some(version);
        self
    }

    /// Accepts former names of types: pairs of a name in earlier releases and today's name. A
    /// document that goes back carries the former name if the goals name that, and not today's.
    ///
    /// ```
    /// # use upstate::Resource;
    /// # use upstate_state::document::Format;
    /// # #[derive(Debug, PartialEq, Resource)]
    /// # #[resource(version = 0)]
    /// # struct Note { title: String }
    /// const NOTES: Format = Format::new().former_types(&[("memo", "note")]);
    ///
    /// let note: Note = NOTES.from_slice(br#"{"type":"memo","schema_version":0,"title":"x"}"#)?;
    /// assert_eq!(NOTES.to_string(&note)?, r#"{"type":"note","schema_version":0,"title":"x"}"#);
    /// # Ok::<(), upstate::Diagnostics>(())
    /// ```
    pub const fn former_types(mut self, names: &'n [(&'n str, &'n str)]) -> Self {
        self.former_types = names;
        self
    }

    /// True if `found` is the name that the type `today` had in earlier releases.
    pub(super) fn was_called(&self, today: &str, found: &str) -> bool {
        self.former_types.contains(&(found, today))
    }

    /// Today's name of the type that had the name `former` in earlier releases.
    pub(super) fn called_today(&self, former: &str) -> Option<&'n str> {
        self.former_types
            .iter()
            .find(|(name, _)| *name == former)
            .map(|(_, today)| *today)
    }

    /// Reads documents without this format's version member in `format`, the format of earlier
    /// releases.
    ///
    /// ```
    /// # use upstate::Resource;
    /// # use upstate_state::document::Format;
    /// # #[derive(Debug, PartialEq, Resource)]
    /// # #[resource(version = 0)]
    /// # struct Note { title: String }
    /// const UP_TO_1_4: Format = Format::new().without_type().version_member("v");
    /// const NOTES: Format = Format::new().formerly(&UP_TO_1_4);
    ///
    /// let note: Note = NOTES.from_slice(br#"{"title":"x","v":0}"#)?;
    /// assert_eq!(NOTES.to_string(&note)?, r#"{"type":"note","schema_version":0,"title":"x"}"#);
    /// # Ok::<(), upstate::Diagnostics>(())
    /// ```
    pub const fn formerly(mut self, format: &'n Format<'n>) -> Self {
        self.former = Some(format);
        self
    }

    /// Says of an earlier format up to which version of each type, by its name of today, documents
    /// were written in it. One that goes back to such a version is written in it, too, because the
    /// release that had that version reads no other; without this it stays in the format of today,
    /// and so does one that has that version already. Another format is a reason for another
    /// version, therefore.
    ///
    /// ```
    /// use upstate::{Document, Registry};
    /// use upstate_state::DowngradeGoals;
    /// use upstate_state::document::Format;
    ///
    /// #[derive(Document)]
    /// #[document(type_name = "note", version = 1)]
    /// #[upgrade_from(0 => 1, rename(name => title))]
    /// struct Note { title: String }
    ///
    /// const UP_TO_1_4: Format = Format::new().without_type().version_member("v").until(&[("note", 0)]);
    /// const NOTES: Format = Format::new().formerly(&UP_TO_1_4);
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("note.json");
    /// # std::fs::write(&path, r#"{"type":"note","schema_version":1,"title":"x"}"#)?;
    /// let goals = DowngradeGoals::new([("note".to_owned(), 0)]);
    /// NOTES.downgrade_file(&Registry::new().with::<Note>(), None, &goals, &path)?;
    /// assert_eq!(std::fs::read_to_string(&path)?, r#"{"v":0,"name":"x"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn until(mut self, versions: &'n [(&'n str, u64)]) -> Self {
        self.until = versions;
        self
    }

    /// The format that a version of a type was written in, if that is an earlier one.
    pub(super) fn former_of(&self, type_name: &str, version: u64) -> Option<&'n Format<'n>> {
        // The last one, because that is the earliest.
        let formers = std::iter::successors(self.former, |format| format.former);
        formers
            .filter(|format| {
                let mut until = format.until.iter();
                until.any(|(name, last)| *name == type_name && version <= *last)
            })
            .last()
    }

    /// Writes one member per line, indented by two blanks, or as the lines of the stored document
    /// are.
    pub const fn pretty(mut self) -> Self {
        self.pretty = true;
        self
    }

    /// The usual format, in TOML: members `type` and `schema_version` at the top, before the
    /// attributes.
    ///
    /// A stored document is edited in place: comments, order, spacing and quoting stay where the
    /// value does, and a renamed member takes its comments along. TOML has no null: a member that
    /// is null is left out. Its dates are read as strings in the form of RFC 3339, and stay dates
    /// where they were.
    ///
    /// ```
    /// use upstate::Resource;
    /// use upstate_state::document::Format;
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "app_settings", version = 1)]
    /// #[upgrade_from(0 => 1, rename(colour => theme))]
    /// struct Settings { theme: String, retries: Option<i64> }
    ///
    /// const SETTINGS: Format = Format::toml().unversioned(0);
    ///
    /// let stored = b"# Not too bright.\ncolour = 'dark' # or light\n";
    /// let settings = SETTINGS.from_slice::<Settings>(stored)?;
    /// assert_eq!(
    ///     String::from_utf8_lossy(&SETTINGS.edit(stored, &settings)?),
    ///     "type = \"app_settings\"\nschema_version = 1\n# Not too bright.\ntheme = 'dark' # or light\n",
    /// );
    /// # Ok::<(), upstate::Diagnostics>(())
    /// ```
    #[cfg(feature = "toml")]
    pub const fn toml() -> Self {
        let mut format = Self::new();
        format.syntax = Syntax::Toml;
        format
    }

    /// The usual format, in JSON with comments and trailing commas, as editors keep their settings.
    ///
    /// A stored document is edited in place: comments and order stay. A new one has one member per
    /// line.
    ///
    /// ```
    /// # use upstate::Resource;
    /// # use upstate_state::document::Format;
    /// # #[derive(Resource)]
    /// # #[resource(type_name = "app_settings", version = 1)]
    /// # #[upgrade_from(0 => 1, rename(colour => theme))]
    /// # struct Settings { theme: String }
    /// const SETTINGS: Format = Format::jsonc().unversioned(0);
    ///
    /// let stored = b"{\n  // Not too bright.\n  \"colour\": \"dark\",\n}\n";
    /// let settings = SETTINGS.from_slice::<Settings>(stored)?;
    /// assert_eq!(
    ///     String::from_utf8_lossy(&SETTINGS.edit(stored, &settings)?),
    ///     "{\n  \"type\": \"app_settings\",\n  \"schema_version\": 1,\n  // Not too bright.\n  \"theme\": \"dark\",\n}\n",
    /// );
    /// # Ok::<(), upstate::Diagnostics>(())
    /// ```
    #[cfg(feature = "jsonc")]
    pub const fn jsonc() -> Self {
        let mut format = Self::new();
        format.syntax = Syntax::Jsonc;
        format.pretty = true;
        format
    }

    /// The usual format, in YAML 1.2.
    ///
    /// A stored document is rewritten when it changes, in the order that it has. Comments, anchors,
    /// aliases and tags would be lost, so a document with any of them is not written, unless the
    /// format says [`discard_comments`](Self::discard_comments). What is not quoted is read by the
    /// core schema of YAML 1.2, where `no` is a string; a number with a leading zero is a string,
    /// too. Merge keys (`<<`) are refused.
    #[cfg(feature = "yaml")]
    pub const fn yaml() -> Self {
        let mut format = Self::new();
        format.syntax = Syntax::Yaml { discards: false };
        format
    }

    /// Lets a document in YAML lose its comments, anchors, aliases and tags when it is written. A
    /// file keeps them in its backup.
    #[cfg(feature = "yaml")]
    pub const fn discard_comments(mut self) -> Self {
        if let Syntax::Yaml { discards } = &mut self.syntax {
            *discards = true;
        }
        self
    }

    /// The usual format, in `MessagePack` as serde writes it, with the names of members.
    #[cfg(feature = "msgpack")]
    pub const fn message_pack() -> Self {
        let mut format = Self::new();
        format.syntax = Syntax::MessagePack;
        format
    }

    /// The usual format, in CBOR as serde writes it, with the names of members.
    #[cfg(feature = "cbor")]
    pub const fn cbor() -> Self {
        let mut format = Self::new();
        format.syntax = Syntax::Cbor;
        format
    }

    /// Refuses this format, or one that it was formerly, for a model of which a document of that
    /// version is read, or one written if there is none.
    pub(super) fn check_model<T: CurrentModel>(
        &self,
        stored: Option<u64>,
    ) -> Result<(), Diagnostics> {
        thread_local! {
            /// The place of the definition, and the version, that the usual format was checked for
            /// last: most threads have many documents of one type.
            static CHECKED: Cell<(usize, u64)> = const { Cell::new((0, 0)) };
        }
        let definition = ptr::from_ref(T::DEFINITION).addr();
        let is_usual = self.is_usual();
        let (last, version) = CHECKED.get();
        if is_usual && last == definition && stored.is_none_or(|stored| stored == version) {
            return Ok(());
        }
        match stored {
            Some(stored) => self.check_all(T::DEFINITION, stored)?,
            None => self.check(T::DEFINITION, None)?,
        }
        if is_usual {
            CHECKED.set((definition, stored.unwrap_or(T::VERSION)));
        }
        Ok(())
    }

    /// True if this is known to have the names and the layout of the usual format: compared by the
    /// places of the names, which is soon done.
    fn is_usual(&self) -> bool {
        ptr::eq(self.version, VERSION)
            && self.type_name.is_some_and(|name| ptr::eq(name, TYPE))
            && self.attributes.is_none()
            && self.unversioned.is_none()
            && self.former.is_none()
    }

    /// Refuses this format, or one that it was formerly, for a type that it can't tell from its own
    /// members.
    pub(super) fn check_all(
        &self,
        definition: &ResourceDefinition,
        stored: u64,
    ) -> Result<(), Diagnostics> {
        let mut formats = Some(self);
        while let Some(format) = formats {
            format.check(definition, Some(stored))?;
            formats = format.former;
        }
        Ok(())
    }

    /// Refuses this format for a type whose attributes it would take for its own members, or the
    /// other way round.
    pub(super) fn check(
        &self,
        definition: &ResourceDefinition,
        stored: Option<u64>,
    ) -> Result<(), Diagnostics> {
        let clash = |block: &Block, names: &[Option<&'n str>]| -> Option<&'n str> {
            names
                .iter()
                .flatten()
                .copied()
                .find(|name| defines(block, name))
        };
        let beside = [Some(self.version), self.type_name];
        if self.attributes.is_none() {
            let prior = stored
                .map(|version| definition.prior_schemas_of(version))
                .unwrap_or_default();
            let blocks = std::iter::once(definition.schema().block()).chain(prior);
            for block in blocks {
                if let Some(name) = clash(block, &beside) {
                    return Err(ambiguous(definition, name));
                }
            }
        }
        if let Some(version) = self.unversioned {
            let current = (version == definition.version()).then(|| definition.schema().block());
            // Otherwise an attribute with one of the first two names might be taken for the version
            // or the type of the document, and one with the last name for the member that holds the
            // attributes.
            let [version_member, type_member] = beside;
            for block in current
                .into_iter()
                .chain(definition.prior_schemas_of(version))
            {
                if let Some(name) = clash(block, &[version_member, type_member, self.attributes]) {
                    return Err(ambiguous(definition, name));
                }
            }
        }
        Ok(())
    }
}

/// True if the block has an attribute or block of this name.
fn defines(block: &Block, name: &str) -> bool {
    // One after the other, because most names differ in length, which is sooner known than their
    // order.
    block
        .attributes()
        .iter()
        .any(|attribute| attribute.name() == name)
        || block.blocks().iter().any(|block| block.name() == name)
}

#[cold]
fn ambiguous(definition: &ResourceDefinition, name: &str) -> Diagnostics {
    let detail = format!(
        "The document format has a member {name:?}, and so has a model of {}.",
        definition.type_name()
    );
    let remedy =
        "This is a mistake in the program: it must give the format another name for that member.";
    Diagnostic::error("Ambiguous Document Format", detail)
        .coded(DiagnosticCode::Ambiguous)
        .with_remedy(remedy)
        .into()
}

/// Refuses, at compile time, a model that can't be in the usual format.
pub(super) const fn check_names(rows: &[Row]) {
    let mut rest = rows;
    while let [Row { name, .. }, more @ ..] = rest {
        assert!(
            !same(name, TYPE) && !same(name, VERSION),
            "the model has an attribute `type` or `schema_version`, as documents of the usual format have next to the attributes\n\
             help: give the document format other names, or put its attributes into one member: `document::Format`"
        );
        rest = more;
    }
}

const fn same(left: &str, right: &str) -> bool {
    let (mut left, mut right) = (left.as_bytes(), right.as_bytes());
    while let ([first, more @ ..], [other, others @ ..]) = (left, right) {
        if *first != *other {
            return false;
        }
        (left, right) = (more, others);
    }
    left.is_empty() && right.is_empty()
}
