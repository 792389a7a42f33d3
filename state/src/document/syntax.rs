//! The syntaxes that documents are stored in.

use upstate::{Diagnostic, Diagnostics};

use super::edits::{Edits, without_nulls};
#[cfg(feature = "toml")]
use super::toml;
use super::tree::Tree;

/// The syntax of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    Json,
    #[cfg(feature = "toml")]
    Toml,
}

/// A document as it was stored, for the edit in place.
#[derive(Debug, Clone)]
pub(super) enum Source {
    #[cfg(feature = "toml")]
    Toml(Box<toml::Source>),
}

impl Syntax {
    /// Reads a stored document; gives its JSON, or nothing if it is JSON.
    pub(super) fn read(self, bytes: &[u8]) -> Result<Option<(Vec<u8>, Source)>, Diagnostics> {
        match self {
            Self::Json => {
                let _ = bytes;
                Ok(None)
            }
            #[cfg(feature = "toml")]
            Self::Toml => toml::read(bytes).map(|(json, source)| Some((json, Source::Toml(Box::new(source))))),
        }
    }

    /// A document from its JSON: the stored one with new values, where there is one and the syntax can.
    pub(super) fn write(
        self,
        json: Vec<u8>,
        source: Option<Source>,
        edits: impl FnOnce() -> Edits,
    ) -> Result<Vec<u8>, Diagnostics> {
        match self {
            Self::Json => {
                let _ = (source, edits);
                Ok(json)
            }
            #[cfg(feature = "toml")]
            Self::Toml => {
                let edits = edits();
                let mut new = parsed(&json)?;
                without_nulls(&mut new, Some(&edits.ty), "TOML")?;
                Ok(match source {
                    Some(Source::Toml(source)) => toml::edited(*source, &new, &edits)?,
                    None => toml::written(&new)?,
                })
            }
        }
    }

    /// True if comments and the like stay when a stored document is saved.
    pub(super) const fn is_edited_in_place(self) -> bool {
        match self {
            Self::Json => false,
            #[cfg(feature = "toml")]
            Self::Toml => true,
        }
    }
}

/// The tree of a document that was just written as JSON.
fn parsed(json: &[u8]) -> Result<Tree<'_>, Diagnostic> {
    let text = std::str::from_utf8(json).unwrap_or_default();
    Tree::parse(text).map_err(|error| Diagnostic::error("Unable to Write Document", format!("{}.", error.problem())))
}
