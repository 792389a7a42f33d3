//! Documents of one of several types: events.

use serde::de::{Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};
use upstate::__internal::Undefined;
use upstate::{AnyOf, Diagnostic, DiagnosticCode, Diagnostics, Registry};

use super::edits::lost_null;
use super::format::Format;
use super::locate::without_type;
use super::read::{Document, Upgraded};
use super::text;
use super::transcode::{self, Json, Wide};
use super::write;

impl Format<'_> {
    /// Reads a document as the variant of `E` whose model has the type that it carries, whatever
    /// release wrote it.
    ///
    /// ```
    /// use upstate::{AnyOf, Resource};
    /// use upstate_state::document::Format;
    ///
    /// #[derive(Debug, PartialEq, Resource)]
    /// #[resource(type_name = "account_opened", version = 1)]
    /// #[upgrade_from(0 => 1, rename(name => owner))]
    /// struct Opened { owner: String }
    ///
    /// #[derive(Debug, PartialEq, Resource)]
    /// #[resource(type_name = "money_deposited")]
    /// struct Deposited { cents: i64 }
    ///
    /// #[derive(Debug, PartialEq, AnyOf)]
    /// enum Event { Opened(Opened), Deposited(Deposited) }
    ///
    /// const EVENTS: Format = Format::new().attributes_member("data");
    /// let event = EVENTS.read_any::<Event>(br#"{"type":"account_opened","schema_version":0,"data":{"name":"ada"}}"#)?;
    /// assert_eq!(*event.model(), Event::Opened(Opened { owner: "ada".to_owned() }));
    /// let json = EVENTS.any_to_vec(event.model())?;
    /// assert_eq!(json, br#"{"type":"account_opened","schema_version":1,"data":{"owner":"ada"}}"#);
    /// # Ok::<(), upstate::Diagnostics>(())
    /// ```
    ///
    /// # Errors
    /// See [`Format::from_slice`]; also if the document carries no type, or that of no variant.
    pub fn read_any<E: AnyOf>(&self, stored: &[u8]) -> Result<Document<E>, Diagnostics> {
        self.read_any_with(&E::register(Registry::new()), stored)
    }

    /// Reads a document as [`Format::read_any`] does, with a registry that is made once, and its
    /// clients.
    ///
    /// # Errors
    /// See [`Format::read_any`].
    pub fn read_any_with<E: AnyOf>(
        &self,
        registry: &Registry,
        stored: &[u8],
    ) -> Result<Document<E>, Diagnostics> {
        let Upgraded {
            type_name,
            state,
            document,
        } = self.upgraded_attributes(registry, stored)?;
        let unknown = || {
            let detail = format!(
                "The document is of the type {type_name:?}, which no variant of the enum that it is read as holds."
            );
            Diagnostic::error("Document of Another Type", detail).coded(DiagnosticCode::UnknownType)
        };
        let model = E::from_current(&type_name, &state).ok_or_else(unknown)?.map_err(|error| {
            let detail = format!(
                "The upgraded document does not fit the model of {type_name}: {}. This is a mistake in how the model is written; the stored \
                 document is unchanged.",
                error.problem()
            );
            text::of_decoder(&error, "Unable to Convert State", detail)
        })?;
        Ok(document.holding(model))
    }

    /// Writes the document of the model that a variant holds; it always carries its type.
    ///
    /// # Errors
    /// See [`Format::to_vec`]; also if the format stores no type.
    pub fn any_to_vec<E: AnyOf>(&self, any: &E) -> Result<Vec<u8>, Diagnostics> {
        let definition = any.definition();
        if self.type_name.is_none() {
            return Err(without_type(None));
        }
        self.check(definition, None)?;
        let attributes = any.to_json().map_err(|error| write::unwritable(&error))?;
        let typed = (definition, definition.type_name());
        let document =
            |attributes: &[u8]| write::document(self, typed, definition.version(), attributes);
        let json = document(&attributes)?;
        let edits = || self.edits(definition, None, &Undefined::default());
        let written = self.syntax.write(definition, json, None, edits)?;
        if let Some(syntax) = self.syntax.facts().without_null
            && definition.schema().flattened().next().is_some()
        {
            // Because no type tells of the nulls in a flattened map.
            let again = self.read_any::<E>(&written.bytes)?;
            let again = again.model().to_json();
            let again = document(&again.map_err(|error| write::unwritable(&error))?)?;
            if let Some(refusal) = lost_null(&document(&attributes)?, &again, syntax) {
                return Err(refusal.into());
            }
        }
        Ok(written.bytes)
    }

    /// Reads a variant from a deserializer: for `Deserialize` of an enum of events.
    ///
    /// # Errors
    /// The text of the diagnostics that [`Format::read_any`] gives.
    pub fn deserialize_any<'de, E: AnyOf, D: Deserializer<'de>>(
        &self,
        deserializer: D,
    ) -> Result<E, D::Error> {
        let json = transcode::json(deserializer)?;
        self.read_any(&json)
            .map(Document::into_model)
            .map_err(D::Error::custom)
    }

    /// Writes a variant to a serializer: for `Serialize` of an enum of events.
    ///
    /// # Errors
    /// The text of the diagnostics that [`Format::any_to_vec`] gives, or what the serializer
    /// refuses.
    pub fn serialize_any<E: AnyOf, S: Serializer>(
        &self,
        any: &E,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let json = Format {
            pretty: false,
            ..*self
        }
        .any_to_vec(any)
        .map_err(S::Error::custom)?;
        Json(
            &String::from_utf8_lossy(&json),
            Wide::of(any.definition(), Wide::Refused),
        )
        .serialize(serializer)
    }
}
