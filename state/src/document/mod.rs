//! Documents that carry their type and schema version: settings files, database rows, messages in a
//! queue.
//!
//! A document is a model's attributes and, beside them, its type and version:
//!
//! ```
//! use upstate::Resource;
//! use upstate_state::document;
//!
//! #[derive(Debug, PartialEq, Resource)]
//! #[resource(type_name = "app_settings", version = 1)]
//! #[upgrade_from(0, model = SettingsV0)]
//! struct Settings { theme: String }
//!
//! #[derive(Resource)]
//! #[resource(type_name = "app_settings", version = 0)]
//! struct SettingsV0 { dark: bool }
//!
//! impl From<SettingsV0> for Settings {
//!     fn from(prior: SettingsV0) -> Self {
//!         Settings { theme: if prior.dark { "dark" } else { "light" }.to_owned() }
//!     }
//! }
//!
//! // What the first release wrote, and what this one writes.
//! let settings: Settings = document::from_str(r#"{"type": "app_settings", "schema_version": 0, "dark": true}"#)?;
//! assert_eq!(document::to_string(&settings)?, r#"{"type":"app_settings","schema_version":1,"theme":"dark"}"#);
//! # Ok::<(), upstate::Diagnostics>(())
//! ```
//!
//! - Other member names, the attributes in a member of their own, documents from before there were
//!   versions: [`Format`].
//! - The stored version, the names that are not kept, and whether to rewrite it: [`Format::read`]
//!   gives a [`Document`].
//! - A file that is read, changed and saved, and never overwritten if it could not be read:
//!   [`DocumentFile`].
//! - Inside types of serde: `#[serde(with = "upstate_state::document")]` on a field, or
//!   [`Versioned`] around a model.
//! - Documents of many types, by the type they carry: [`Format::upgrade`], or [`Format::parse`] and
//!   a [`Batch`](upstate::batch::Batch).
//!
//! If the version is stored somewhere else, such as in a column,
//! [`upgrade_json`](upstate::upgrade_json) reads the attributes.

// With all features, nothing is unused; with fewer, what only the others need, because a `cfg` on
// each would be longer than the code.
#![cfg_attr(
    not(all(
        feature = "cbor",
        feature = "jsonc",
        feature = "msgpack",
        feature = "toml",
        feature = "yaml"
    )),
    allow(dead_code, unused_imports, unused_variables, clippy::unnecessary_wraps)
)]

mod any;
#[cfg(any(feature = "cbor", feature = "msgpack"))]
mod binary;
#[cfg(any(feature = "jsonc", feature = "toml", feature = "yaml"))]
mod comment;
mod digits;
mod edits;
mod file;
mod format;
#[cfg(feature = "jsonc")]
mod jsonc;
mod locate;
mod pairs;
mod place;
mod read;
mod sets;
mod syntax;
mod text;
#[cfg(feature = "toml")]
mod toml;
mod transcode;
mod tree;
mod with_serde;
mod write;
#[cfg(feature = "yaml")]
mod yaml;

pub use file::{DocumentFile, DocumentFileError, FileUpgrade};
pub use format::Format;
pub(crate) use read::Taken;
pub use read::{Document, Parsed, Rewrite, UpgradedDocument};
use upstate::{CurrentModel, Diagnostics};
pub use with_serde::{Versioned, deserialize, serialize};

/// Reads a document, whatever release wrote it: [`Format::from_slice`] in the usual format.
///
/// A model with an attribute `type` or `schema_version` needs a [`Format`] with other names, and
/// does not compile here:
///
/// ```compile_fail,E0080
/// #[derive(upstate::Resource)]
/// #[resource(type_name = "font")]
/// struct Font { r#type: String }
///
/// let font = upstate_state::document::from_slice::<Font>(b"{}");
/// ```
///
/// # Errors
/// See [`Format::from_slice`].
pub fn from_slice<T: CurrentModel>(json: &[u8]) -> Result<T, Diagnostics> {
    const { format::check_names(T::TABLE.rows) };
    Format::new().from_slice(json)
}

/// Reads a document from text: [`Format::from_slice`] in the usual format.
///
/// # Errors
/// See [`Format::from_slice`].
pub fn from_str<T: CurrentModel>(json: &str) -> Result<T, Diagnostics> {
    from_slice(json.as_bytes())
}

/// Writes a document: [`Format::to_vec`] in the usual format.
///
/// # Errors
/// See [`Format::to_vec`].
pub fn to_vec<T: CurrentModel>(model: &T) -> Result<Vec<u8>, Diagnostics> {
    const { format::check_names(T::TABLE.rows) };
    Format::new().to_vec(model)
}

/// Writes a document as text: [`Format::to_string`] in the usual format.
///
/// # Errors
/// See [`Format::to_vec`].
pub fn to_string<T: CurrentModel>(model: &T) -> Result<String, Diagnostics> {
    const { format::check_names(T::TABLE.rows) };
    Format::new().to_string(model)
}
