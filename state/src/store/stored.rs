//! A document in a column.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use upstate::__internal::Undefined;
use upstate::{AttributePath, CurrentModel, Diagnostic, DiagnosticCode, Diagnostics, Registry};

use crate::document::{Format, Rewrite, Taken};
use crate::undefined::{is_loss, is_repeated_key, listed};

/// The format of the documents in a column; implemented by a type that only names it.
///
/// ```
/// use upstate_state::document::Format;
/// use upstate_state::store::{Stored, StoredFormat};
///
/// #[derive(Debug)]
/// struct Events;
///
/// impl StoredFormat for Events {
///     const FORMAT: Format<'static> = Format::new().attributes_member("data").unversioned(0);
/// }
///
/// # use upstate::Resource;
/// # #[derive(Resource)]
/// # #[resource(version = 0)]
/// # struct Note { title: String }
/// let note: Stored<Note, Events> = Stored::parse(r#"{"id":7,"data":{"title":"x"},"schema_version":0}"#)?;
/// assert_eq!(note.title, "x");
/// # Ok::<(), upstate::Diagnostics>(())
/// ```
pub trait StoredFormat {
    /// The format. It must be one of text, as columns are.
    const FORMAT: Format<'static>;
}

/// The usual format: flat JSON with `type` and `schema_version`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usual;

impl StoredFormat for Usual {
    const FORMAT: Format<'static> = Format::new();
}

/// A model as a column of text: whatever release wrote it, it is read at the current version.
/// Dereferences to the model.
///
/// It is written as a document over the stored one, so that members of an envelope stay.
#[cfg_attr(
    feature = "diesel",
    derive(diesel::expression::AsExpression, diesel::deserialize::FromSqlRow)
)]
#[cfg_attr(feature = "diesel", diesel(sql_type = diesel::sql_types::Text))]
pub struct Stored<T, F = Usual> {
    model: T,
    read: Option<String>,
    version: Option<u64>,
    outdated: bool,
    allows_loss: bool,
    warnings: Diagnostics,
    undefined: Undefined,
    /// The document to store, once it was asked for: some databases borrow it.
    text: OnceLock<String>,
    format: PhantomData<fn() -> F>,
}

/// The outcome of writing to a row: [`Stored::rewrite`] by `write_back_…`, the model by `save_…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteBack {
    /// The stored document is of the current version.
    Current,
    /// The row holds the upgraded document now.
    Written,
    /// Another program has written or removed the row since it was read. It stays as it is.
    ChangedMeanwhile,
    /// The new document would be without values that no schema defines, digits that their types do
    /// not hold, or all but the last of repeated keys, at these places. The row stays as it is.
    Loses(Vec<AttributePath>),
}

/// The new string in place of the stored one, or the outcome where there is none.
pub(super) type Replacement = Result<Result<String, WriteBack>, Diagnostics>;

/// Names the version, not the model, because stored values may be secrets.
impl<T, F> fmt::Debug for Stored<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stored")
            .field("stored_version", &self.version)
            .finish_non_exhaustive()
    }
}

impl<T: Clone, F> Clone for Stored<T, F> {
    fn clone(&self) -> Self {
        Self {
            model: self.model.clone(),
            read: self.read.clone(),
            version: self.version,
            outdated: self.outdated,
            allows_loss: self.allows_loss,
            warnings: self.warnings.clone(),
            undefined: self.undefined.clone(),
            text: OnceLock::new(),
            format: PhantomData,
        }
    }
}

impl<T, F> Stored<T, F> {
    /// A model that is in no row yet.
    pub fn new(model: T) -> Self {
        let (warnings, undefined) = (Diagnostics::new(), Undefined::default());
        Self {
            model,
            read: None,
            version: None,
            outdated: false,
            allows_loss: false,
            warnings,
            undefined,
            text: OnceLock::new(),
            format: PhantomData,
        }
    }

    /// The model, without what is known of the row.
    pub fn into_model(self) -> T {
        self.model
    }

    /// The document as it was read, if it was.
    pub fn stored(&self) -> Option<&str> {
        self.read.as_deref()
    }

    /// The schema version that the document was stored with, if it was read.
    pub fn stored_version(&self) -> Option<u64> {
        self.version
    }

    /// True if the document was read at an earlier version or in an earlier format.
    pub fn is_outdated(&self) -> bool {
        self.outdated
    }

    /// The warnings of the upgrade.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// The places in the stored document that no schema defines. They stay when the row is written;
    /// a row whose upgrade would lose some of them is not written, unless [`Stored::allow_loss`] is
    /// called.
    pub fn undefined(&self) -> &[AttributePath] {
        self.undefined.shown()
    }

    /// Lets the row be written though it loses values that no schema defines, digits that their
    /// types do not hold, or all but the last of repeated keys.
    pub fn allow_loss(&mut self) {
        self.allows_loss = true;
    }
}

impl<T: CurrentModel, F: StoredFormat> Stored<T, F> {
    /// Takes note of what the row holds now.
    pub(super) fn is_stored_as(&mut self, stored: String) {
        // The next save looks for them at their paths in this document, which are others if an
        // object around them has another name now.
        if !self.undefined.is_empty()
            && let Ok(again) = F::FORMAT.read::<T>(stored.as_bytes())
        {
            self.undefined = again.undefined_values().clone();
        }
        self.read = Some(stored);
        self.version = Some(T::VERSION);
        self.outdated = false;
        self.text = OnceLock::new();
    }

    /// Reads a document.
    ///
    /// # Errors
    /// See [`Format::from_slice`].
    pub fn parse(stored: impl Into<String>) -> Result<Self, Diagnostics> {
        let stored = stored.into();
        let document = F::FORMAT.read::<T>(stored.as_bytes())?;
        Ok(Self {
            version: Some(document.stored_version()),
            outdated: document.is_outdated(),
            allows_loss: false,
            warnings: document.warnings().clone(),
            undefined: document.undefined_values().clone(),
            model: document.into_model(),
            read: Some(stored),
            text: OnceLock::new(),
            format: PhantomData,
        })
    }

    /// The document to store: the one that was read, with the values of the model. It is what the
    /// traits of databases encode, too, for a program's own statements.
    ///
    /// # Errors
    /// See [`Format::edit`]; also if the format is binary, or if the row would lose what
    /// [`WriteBack::Loses`] names, unless [`Stored::allow_loss`] was called.
    pub fn to_text(&self) -> Result<String, Diagnostics> {
        match self.lost()? {
            Some(lost) => Err(would_lose(&lost).into()),
            None => self.edited(),
        }
    }

    /// The document that was read, with the values of the model.
    fn edited(&self) -> Result<String, Diagnostics> {
        let Some(stored) = &self.read else {
            return F::FORMAT.to_string(&self.model);
        };
        let fate = if self.allows_loss {
            Taken::LeftOut
        } else {
            Taken::Refused(Some(
                "call `Stored::allow_loss` in the program, which leaves them out",
            ))
        };
        let bytes = F::FORMAT.edited(stored.as_bytes(), &self.undefined, &self.model, fate)?;
        String::from_utf8(bytes).map_err(|_| binary().into())
    }

    /// The document to store, as a string that lives as long as this.
    #[cfg(feature = "diesel")]
    pub(super) fn as_text(&self) -> Result<&str, Diagnostics> {
        if let Some(text) = self.text.get() {
            return Ok(text);
        }
        let text = self.to_text()?;
        Ok(self.text.get_or_init(|| text))
    }

    /// The stored document at the current version, whatever became of the model; nothing if it is
    /// current or was not read.
    ///
    /// # Errors
    /// See [`Format::rewrite`].
    pub fn rewrite(&self) -> Result<Option<Rewrite>, Diagnostics> {
        match &self.read {
            Some(stored) if self.outdated => F::FORMAT.rewrite(
                &Registry::new().with::<T>(),
                Some(T::TYPE_NAME),
                stored.as_bytes(),
            ),
            Some(_) | None => Ok(None),
        }
    }

    /// The text that is to take the place of the stored one, or the outcome where there is none.
    pub(super) fn to_write_back(&self) -> Replacement {
        Ok(match self.rewrite()? {
            None => Err(WriteBack::Current),
            Some(rewrite) if loses(&rewrite) && !self.allows_loss => {
                Err(WriteBack::Loses(lost_by(rewrite)))
            }
            Some(rewrite) => Ok(String::from_utf8(rewrite.bytes).map_err(|_| binary())?),
        })
    }

    /// The text of the model for the stored one's place, or the outcome where there is none.
    pub(super) fn to_save(&self) -> Replacement {
        match self.lost()? {
            Some(lost) => Ok(Err(WriteBack::Loses(lost))),
            None => self.edited().map(Ok),
        }
    }

    /// The places of what the row would lose by the text of the model, if that is not allowed;
    /// nothing if it loses nothing.
    fn lost(&self) -> Result<Option<Vec<AttributePath>>, Diagnostics> {
        // Because a row, other than a file, has no backup.
        if self.allows_loss {
            return Ok(None);
        }
        let may_lose = !self.undefined.is_empty() || self.warnings.iter().any(is_loss);
        if self.outdated
            && may_lose
            && let Some(rewrite) = self.rewrite()?
            && loses(&rewrite)
        {
            return Ok(Some(lost_by(rewrite)));
        }
        let repeated = places(&self.warnings, is_repeated_key);
        Ok((!self.outdated && !repeated.is_empty()).then_some(repeated))
    }
}

/// True if a row would be without something that is stored.
fn loses(rewrite: &Rewrite) -> bool {
    rewrite.lost > 0 || rewrite.is_lossy
}

/// The places of that.
fn lost_by(rewrite: Rewrite) -> Vec<AttributePath> {
    let mut lost = Vec::new();
    if rewrite.is_lossy {
        lost = places(&rewrite.warnings, is_loss);
    }
    if rewrite.lost > 0 {
        lost.splice(..0, rewrite.undefined);
    }
    lost
}

/// The places of the warnings of a kind.
fn places(warnings: &Diagnostics, is_it: impl Fn(&Diagnostic) -> bool) -> Vec<AttributePath> {
    let found = warnings.iter().filter(|warning| is_it(warning));
    found.filter_map(Diagnostic::path).cloned().collect()
}

impl<T, F> Deref for Stored<T, F> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.model
    }
}

impl<T, F> DerefMut for Stored<T, F> {
    fn deref_mut(&mut self) -> &mut T {
        self.text = OnceLock::new();
        &mut self.model
    }
}

impl<T, F> From<T> for Stored<T, F> {
    fn from(model: T) -> Self {
        Self::new(model)
    }
}

/// The diagnostic against a row that would lose what is stored at these places.
#[cold]
fn would_lose(lost: &[AttributePath]) -> Diagnostic {
    let detail = format!(
        "The row holds at {} what the new document would lack: a value that no schema defines, digits that its type does not hold, or all but the last of repeated keys.",
        listed(lost, lost.len())
    );
    Diagnostic::error("Unable to Write Document", detail)
        .coded(DiagnosticCode::Unwritable)
        .with_remedy(
            "Correct the row, or call `Stored::allow_loss` in the program, which leaves them out.",
        )
}

/// The diagnostic for a document of bytes in a column of text.
#[cold]
pub(super) fn binary() -> Diagnostic {
    Diagnostic::error(
        "Unable to Write Document",
        "The document format is binary, and the column is text.",
    )
    .coded(DiagnosticCode::Unwritable)
    .with_remedy("This is a mistake in the program.")
}
