//! Documents inside types of serde.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};

use upstate::CurrentModel;

use super::format::{self, Format};
use super::transcode::{self, Json, Wide};

/// Reads a document from a deserializer, in the usual format: what
/// `#[serde(with = "upstate_state::document")]` calls.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use upstate::Resource;
///
/// #[derive(Debug, PartialEq, Resource)]
/// #[resource(type_name = "app_theme", version = 1)]
/// #[upgrade_from(0, model = ThemeV0)]
/// struct Theme { dark: bool }
///
/// #[derive(Resource)]
/// #[resource(type_name = "app_theme", version = 0)]
/// struct ThemeV0 { name: String }
///
/// impl From<ThemeV0> for Theme {
///     fn from(prior: ThemeV0) -> Self {
///         Theme { dark: prior.name == "dark" }
///     }
/// }
///
/// #[derive(Serialize, Deserialize)]
/// struct Profile {
///     user: String,
///     #[serde(with = "upstate_state::document")]
///     theme: Theme,
/// }
///
/// let stored = r#"{"user": "ada", "theme": {"type": "app_theme", "schema_version": 0, "name": "dark"}}"#;
/// let profile: Profile = serde_json::from_str(stored)?;
/// assert_eq!(profile.theme, Theme { dark: true });
/// assert_eq!(
///     serde_json::to_string(&profile)?,
///     r#"{"user":"ada","theme":{"type":"app_theme","schema_version":1,"dark":true}}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// For another [`Format`], name a module of your own whose two functions call
/// [`Format::deserialize`] and [`Format::serialize`].
///
/// Any deserializer that knows what it reads will do. Through `serde_json` every digit of numbers
/// is kept; others hand over floats, and whole numbers that a float may have rounded are refused.
///
/// # Errors
/// The text of the diagnostics that [`Format::from_slice`] gives.
pub fn deserialize<'de, T: CurrentModel, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    const { format::check_names(T::TABLE.rows) };
    Format::new().deserialize(deserializer)
}

/// Writes a document to a serializer, in the usual format: what
/// `#[serde(with = "upstate_state::document")]` calls.
///
/// # Errors
/// The text of the diagnostics that [`Format::to_vec`] gives, or what the serializer refuses.
pub fn serialize<T: CurrentModel, S: Serializer>(
    model: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    const { format::check_names(T::TABLE.rows) };
    Format::new().serialize(model, serializer)
}

impl Format<'_> {
    /// Reads a document from a deserializer; see [`deserialize`].
    ///
    /// # Errors
    /// See [`deserialize`].
    pub fn deserialize<'de, T: CurrentModel, D: Deserializer<'de>>(
        &self,
        deserializer: D,
    ) -> Result<T, D::Error> {
        let json = transcode::json(deserializer)?;
        self.from_slice(&json).map_err(D::Error::custom)
    }

    /// Writes a document to a serializer; see [`serialize`].
    ///
    /// # Errors
    /// See [`serialize`].
    pub fn serialize<T: CurrentModel, S: Serializer>(
        &self,
        model: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let json = Format {
            pretty: false,
            ..*self
        }
        .to_string(model)
        .map_err(S::Error::custom)?;
        Json(&json, Wide::of(T::DEFINITION, Wide::Refused)).serialize(serializer)
    }
}

/// A model where serde's traits are asked for: read and written as a document in the usual format.
///
/// ```
/// use upstate::Resource;
/// use upstate_state::document::Versioned;
///
/// #[derive(Resource)]
/// #[resource(version = 0)]
/// struct Note { title: String }
///
/// // A library that knows nothing of upstate and takes whatever can be deserialized.
/// fn load<T: serde::de::DeserializeOwned>(json: &str) -> serde_json::Result<T> {
///     serde_json::from_str(json)
/// }
///
/// let Versioned(note) = load::<Versioned<Note>>(r#"{"type":"note","schema_version":0,"title":"x"}"#)?;
/// assert_eq!(note.title, "x");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Versioned<T>(pub T);

impl<'de, T: CurrentModel> Deserialize<'de> for Versioned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer).map(Self)
    }
}

impl<T: CurrentModel> Serialize for Versioned<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(&self.0, serializer)
    }
}
