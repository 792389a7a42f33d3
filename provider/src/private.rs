//! Data that a provider keeps beside the state of a resource.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use upstate::{Diagnostic, Diagnostics};

/// Bytes by name, kept by Terraform beside a resource's state and shown to nobody.
///
/// Stored as the plugin framework does, as a JSON object of base64 texts; names that begin with a dot are the framework's own and are
/// kept as they are. Moves and upgrades neither see nor change it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Private {
    entries: BTreeMap<String, Vec<u8>>,
}

impl Private {
    /// What is kept under a name.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.entries.get(name).map(Vec::as_slice)
    }

    /// Keeps something under a name, in place of what was there.
    pub fn set(&mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.entries.insert(name.into(), bytes.into());
    }

    /// Forgets what is kept under a name.
    pub fn remove(&mut self, name: &str) {
        self.entries.remove(name);
    }

    pub(crate) fn from_wire(bytes: &[u8]) -> Result<Self, Diagnostics> {
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        let refuse = |problem: &str| -> Diagnostics {
            let detail = format!(
                "What the provider kept privately beside the state can't be read: {problem}. \
                 The state was written by another provider, or changed by hand."
            );
            Diagnostic::error("Unreadable Private State", detail).into()
        };
        let texts: BTreeMap<String, String> =
            serde_json::from_slice(bytes).map_err(|_| refuse("it is not a JSON object of texts"))?;
        let decode = |(name, text): (String, String)| Some((name, STANDARD.decode(text).ok()?));
        let entries = texts.into_iter().map(decode).collect::<Option<_>>().ok_or_else(|| refuse("a text in it is not base64"))?;
        Ok(Self { entries })
    }

    pub(crate) fn to_wire(&self) -> Bytes {
        if self.entries.is_empty() {
            return Bytes::new();
        }
        let texts: BTreeMap<&str, String> =
            self.entries.iter().map(|(name, bytes)| (name.as_str(), STANDARD.encode(bytes))).collect();
        // Texts have a form in JSON, always.
        serde_json::to_vec(&texts).unwrap_or_default().into()
    }
}

/// Says the names only: what is private may be secret.
impl fmt::Debug for Private {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Private").field(&self.entries.keys()).finish()
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
        assert_eq!(Private::from_wire(&private.to_wire()).unwrap(), private);
        assert_eq!(Private::from_wire(b"").unwrap(), Private::default());
        for bad in [&b"7"[..], b"{\"a\":7}", b"{\"a\":\"?\"}", b"\xff"] {
            assert!(Private::from_wire(bad).unwrap_err().to_string().contains("Unreadable Private State"));
        }
        assert_eq!(format!("{private:?}"), r#"Private(["etag"])"#);
    }
}
