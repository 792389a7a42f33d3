//! Data that a provider keeps beside the state of a resource.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::value::{RawValue, to_raw_value};
use upstate::Diagnostics;

use crate::diagnostics;

/// Bytes by name, kept by Terraform beside a resource's state and shown to nobody.
///
/// Stored as the plugin framework does, as a JSON object of base64 strings; names that begin with a
/// dot are the framework's own and are kept as they are. Upgrades neither see nor change it. A move
/// reads the source's data with [`Private::read`], and gives the target its own with
/// [`Private::to_bytes`]:
///
/// ```
/// use upstate::{Diagnostics, UpgradeContext};
/// use upstate_provider::Private;
///
/// /// Keeps the serial number, and nothing else.
/// fn move_private(context: &mut UpgradeContext<'_>) -> Result<(), Diagnostics> {
///     let source = Private::read(context.moved().map_or(&[][..], |moved| moved.private()))?;
///     let mut target = Private::default();
///     if let Some(serial) = source.get("serial") {
///         target.set("serial", serial);
///     }
///     context.set_private(target.to_bytes());
///     Ok(())
/// }
/// ```
///
/// Providers that were built on Terraform's SDK kept other JSON there (a schema version, timeouts).
/// It is not an entry, and it is kept as it is, so that a user can go back to such a release.
#[derive(Clone, Default)]
pub struct Private {
    entries: BTreeMap<String, Vec<u8>>,
    /// Values other than bytes in base64, as JSON.
    foreign: BTreeMap<String, Box<RawValue>>,
}

impl Private {
    /// The bytes under a name.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.entries.get(name).map(Vec::as_slice)
    }

    /// Keeps something under a name, in place of what was there.
    pub fn set(&mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        let name = name.into();
        self.foreign.remove(&name);
        self.entries.insert(name, bytes.into());
    }

    /// Forgets what is kept under a name.
    pub fn remove(&mut self, name: &str) {
        self.foreign.remove(name);
        self.entries.remove(name);
    }

    /// Reads what Terraform keeps. No bytes are no entries.
    ///
    /// # Errors
    /// It is not a JSON object.
    pub fn read(bytes: &[u8]) -> Result<Self, Diagnostics> {
        Self::from_wire(bytes)
    }

    /// The bytes that Terraform keeps.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_wire().into()
    }

    pub(crate) fn from_wire(bytes: &[u8]) -> Result<Self, Diagnostics> {
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        let refuse =
            |problem: &str| -> Diagnostics { diagnostics::unreadable_private(problem).into() };
        // The SDK writes `null` where it has nothing to keep.
        let members: Option<BTreeMap<String, Box<RawValue>>> =
            serde_json::from_slice(bytes).map_err(|_| refuse("it is not a JSON object"))?;
        let mut private = Self::default();
        for (name, value) in members.into_iter().flatten() {
            let text: Option<String> = serde_json::from_str(value.get()).ok();
            match text.and_then(|text| STANDARD.decode(text).ok()) {
                Some(bytes) => private.entries.insert(name, bytes).map(drop),
                None => private.foreign.insert(name, value).map(drop),
            };
        }
        Ok(private)
    }

    pub(crate) fn to_wire(&self) -> Bytes {
        if self.entries.is_empty() && self.foreign.is_empty() {
            return Bytes::new();
        }
        let texts = self.entries.iter().filter_map(|(name, bytes)| {
            // `ok` drops no entry, because a string always has a form in JSON.
            Some((name.as_str(), to_raw_value(&STANDARD.encode(bytes)).ok()?))
        });
        let foreign = self
            .foreign
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone()));
        let members: BTreeMap<&str, Box<RawValue>> = texts.chain(foreign).collect();
        serde_json::to_vec(&members).unwrap_or_default().into()
    }
}

/// Says the names only: what is private may be secret.
impl fmt::Debug for Private {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Private")
            .field(&self.entries.keys())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_an_object_of_base64_texts_and_nothing_if_empty() {
        let mut private = Private::default();
        assert_eq!(private.to_wire(), "");
        private.set("etag", *b"\x00v1");
        assert_eq!(private.to_wire(), r#"{"etag":"AHYx"}"#);
        assert_eq!(
            Private::from_wire(&private.to_wire()).unwrap().get("etag"),
            Some(&b"\x00v1"[..])
        );
        assert_eq!(Private::from_wire(b"").unwrap().to_wire(), "");
        for bad in [&b"7"[..], b"[]", b"{\"a\":", b"\xff"] {
            assert!(
                Private::from_wire(bad)
                    .unwrap_err()
                    .to_string()
                    .contains("Unreadable Private State")
            );
        }
        assert_eq!(format!("{private:?}"), r#"Private(["etag"])"#);
    }

    #[test]
    fn what_the_sdk_kept_is_no_entry_and_is_kept_as_it_is() {
        assert_eq!(Private::from_wire(b"null").unwrap().to_wire(), "");
        let timeouts = r#"{"e2bfb730-ecaa-11e6-8f88-34363bc7c4c0":{"create":300000000000,"x":1e400},"schema_version":"1"}"#;
        let mut private = Private::from_wire(timeouts.as_bytes()).unwrap();
        assert_eq!(
            (private.get("schema_version"), private.to_wire()),
            (None, Bytes::from(timeouts))
        );
        assert_eq!(format!("{private:?}"), "Private([])");
        private.set("schema_version", *b"2");
        private.set("etag", *b"\x00v1");
        private.remove("e2bfb730-ecaa-11e6-8f88-34363bc7c4c0");
        assert_eq!(
            private.to_wire(),
            r#"{"etag":"AHYx","schema_version":"Mg=="}"#
        );
        // Four letters may be base64 as well; they are written back as they were read.
        let version = Private::from_wire(br#"{"schema_version":"1000"}"#).unwrap();
        assert_eq!(version.to_wire(), r#"{"schema_version":"1000"}"#);
    }
}
