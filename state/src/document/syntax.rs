//! The syntaxes that documents are stored in.

use std::mem::discriminant;

use upstate::{Diagnostic, Diagnostics, ResourceDefinition};

#[cfg(any(feature = "cbor", feature = "msgpack"))]
use super::binary;
#[cfg(any(feature = "jsonc", feature = "toml", feature = "yaml"))]
use super::comment::Comment;
use super::edits::{Edits, Written, merged, without_nulls, without_wide};
#[cfg(feature = "jsonc")]
use super::jsonc;
use super::text;
#[cfg(feature = "toml")]
use super::toml;
use super::tree::Tree;
#[cfg(feature = "yaml")]
use super::yaml;

/// The syntax of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    Json,
    #[cfg(feature = "jsonc")]
    Jsonc,
    #[cfg(feature = "toml")]
    Toml,
    #[cfg(feature = "yaml")]
    Yaml {
        /// True if comments may be lost.
        discards: bool,
    },
    #[cfg(feature = "msgpack")]
    MessagePack,
    #[cfg(feature = "cbor")]
    Cbor,
}

/// A document as it was stored, for the edit in place.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// Its JSON, of a syntax with nothing but values.
    Values(Vec<u8>),
    #[cfg(feature = "jsonc")]
    Jsonc(jsonc::Source),
    #[cfg(feature = "toml")]
    Toml(Box<toml::Source>),
    #[cfg(feature = "yaml")]
    Yaml(yaml::Source),
}

impl Syntax {
    /// True if a document of one is edited as one of the other, whichever may lose comments.
    pub(super) fn is_edited_as(self, other: Self) -> bool {
        discriminant(&self) == discriminant(&other)
    }

    /// Reads a stored document; gives its JSON, or nothing if it is JSON.
    pub(super) fn read(self, bytes: &[u8]) -> Result<Option<(Vec<u8>, Source)>, Diagnostics> {
        match self {
            Self::Json => Ok(None),
            #[cfg(feature = "jsonc")]
            Self::Jsonc => {
                jsonc::read(bytes).map(|(json, source)| Some((json, Source::Jsonc(source))))
            }
            #[cfg(feature = "toml")]
            Self::Toml => {
                toml::read(bytes).map(|(json, source)| Some((json, Source::Toml(Box::new(source)))))
            }
            #[cfg(feature = "yaml")]
            Self::Yaml { .. } => {
                yaml::read(bytes).map(|(json, source)| Some((json, Source::Yaml(source))))
            }
            #[cfg(feature = "msgpack")]
            Self::MessagePack => {
                binary::read_msgpack(bytes).map(|json| Some((json.clone(), Source::Values(json))))
            }
            #[cfg(feature = "cbor")]
            Self::Cbor => {
                binary::read_cbor(bytes).map(|json| Some((json.clone(), Source::Values(json))))
            }
        }
    }

    /// A document from its JSON: the stored one with new values, where there is one.
    pub(super) fn write(
        self,
        definition: &ResourceDefinition,
        json: Vec<u8>,
        source: Option<Source>,
        edits: impl FnOnce() -> Edits,
    ) -> Result<Written, Diagnostics> {
        let bytes = match (self, source) {
            (Self::Json, Some(source @ Source::Values(_))) => {
                let mut out = Vec::with_capacity(json.len());
                with_values(&json, Some(&source), edits)?.write(&mut out);
                out
            }
            (Self::Json, _) => json,
            #[cfg(feature = "jsonc")]
            (Self::Jsonc, Some(Source::Jsonc(source))) => {
                jsonc::edited(source, &parsed(&json)?, definition.schema(), &edits())?
            }
            #[cfg(feature = "jsonc")]
            (Self::Jsonc, _) => json,
            #[cfg(feature = "toml")]
            (Self::Toml, source) => {
                let edits = edits();
                let mut new = parsed(&json)?;
                without_nulls(&mut new, (definition, &edits), "TOML")?;
                if definition.schema().is_document() {
                    without_wide(&new, "TOML")?;
                }
                match source {
                    Some(Source::Toml(source)) => return Ok(toml::edited(*source, &new, &edits)?),
                    _ => toml::written(&new)?,
                }
            }
            #[cfg(feature = "yaml")]
            (Self::Yaml { discards }, Some(Source::Yaml(source))) => {
                yaml::edited(&source, &parsed(&json)?, definition, &edits(), discards)?
            }
            #[cfg(feature = "yaml")]
            (Self::Yaml { .. }, _) => yaml::written(&parsed(&json)?, definition, &edits())?,
            #[cfg(feature = "msgpack")]
            (Self::MessagePack, source) => {
                binary::write_msgpack(&with_values(&json, source.as_ref(), edits)?, definition)?
            }
            #[cfg(feature = "cbor")]
            (Self::Cbor, source) => {
                binary::write_cbor(&with_values(&json, source.as_ref(), edits)?, definition)?
            }
        };
        Ok(Written::unsettled(bytes))
    }

    /// True if a stored document has comments or the like that a rewritten one lacks.
    pub(super) fn loses(self, bytes: &[u8]) -> bool {
        match self {
            #[cfg(feature = "yaml")]
            Self::Yaml { discards: true } => {
                yaml::read(bytes).is_ok_and(|(_, source)| source.loses())
            }
            _ => false,
        }
    }

    /// The comments of a document; none if it cannot be read.
    #[cfg(any(feature = "jsonc", feature = "toml", feature = "yaml"))]
    pub(super) fn comments(self, bytes: &[u8]) -> Vec<Comment> {
        #[cfg(feature = "jsonc")]
        if self == Self::Jsonc {
            return jsonc::comments_of(bytes);
        }
        #[cfg(feature = "toml")]
        if self == Self::Toml {
            return toml::comments(bytes);
        }
        #[cfg(feature = "yaml")]
        if matches!(self, Self::Yaml { .. }) {
            return yaml::comments(bytes);
        }
        Vec::new()
    }

    /// The facts about it.
    pub(super) const fn facts(self) -> Facts {
        match self {
            Self::Json => Facts {
                is_json: true,
                ..Facts::NONE
            },
            #[cfg(feature = "jsonc")]
            Self::Jsonc => Facts {
                is_edited: true,
                is_json: true,
                ..Facts::NONE
            },
            #[cfg(feature = "toml")]
            Self::Toml => Facts {
                has_dates: true,
                is_edited: true,
                without_null: Some("TOML"),
                ..Facts::NONE
            },
            #[cfg(feature = "yaml")]
            Self::Yaml { .. } => Facts::NONE,
            #[cfg(feature = "msgpack")]
            Self::MessagePack => Facts::NONE,
            #[cfg(feature = "cbor")]
            Self::Cbor => Facts::NONE,
        }
    }
}

/// The facts about a syntax.
pub(super) struct Facts {
    /// True if it has dates, of which another string may be read than the one that was written.
    pub(super) has_dates: bool,
    /// True if a stored document is edited in place, with its comments.
    pub(super) is_edited: bool,
    /// The name of a syntax that has no null.
    pub(super) without_null: Option<&'static str>,
    /// True if a new document is one of JSON.
    pub(super) is_json: bool,
}

impl Facts {
    const NONE: Self = Self {
        has_dates: false,
        is_edited: false,
        without_null: None,
        is_json: false,
    };
}

/// A new document in the order of the stored one.
fn with_values<'j>(
    json: &'j [u8],
    source: Option<&'j Source>,
    edits: impl FnOnce() -> Edits,
) -> Result<Tree<'j>, Diagnostic> {
    let new = parsed(json)?;
    let Some(Source::Values(stored)) = source else {
        return Ok(new);
    };
    let edits = edits();
    Ok(merged(&parsed(stored)?, new, &edits))
}

/// The tree of a document that was just written as JSON.
fn parsed(json: &[u8]) -> Result<Tree<'_>, Diagnostic> {
    let text = std::str::from_utf8(json).unwrap_or_default();
    Tree::parse(text).map_err(|error| text::unwritable(format!("{}.", error.problem())))
}
