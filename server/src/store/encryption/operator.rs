//! Keys that the operator keeps: in a file, or in the environment.

use std::fmt;
use std::path::PathBuf;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::{KeyService, StoreError, Wrapped, open_with, seal_with};

/// Keys that never change while the process runs.
pub struct KeyList {
    /// The source, for messages.
    from: String,
    /// With their names; the first one wraps.
    keys: Vec<(String, Zeroizing<[u8; 32]>)>,
}

/// Without the keys.
impl fmt::Debug for KeyList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyList")
            .field("from", &self.from)
            .finish_non_exhaustive()
    }
}

impl KeyList {
    /// Reads keys, one a line, each 32 bytes in base64. The first one wraps, and all unwrap.
    ///
    /// # Errors
    /// If a line is something else, or there is none.
    pub fn parse(from: &str, text: &str) -> Result<Self, StoreError> {
        let mut keys = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let bytes = STANDARD.decode(line).map(Zeroizing::new).ok();
            let key = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes.as_slice()).ok()).ok_or_else(|| {
                // Without the line, which is a key or nearly one.
                StoreError::new(format!(
                    "line {number} of {from} is not a key: expected 32 bytes in base64, as `openssl rand -base64 32` writes them"
                ))
            })?;
            keys.push((name(&key), Zeroizing::new(key)));
        }
        if keys.is_empty() {
            return Err(StoreError::new(format!(
                "{from} holds no key: expected a line, as `openssl rand -base64 32` writes it"
            )));
        }
        Ok(Self {
            from: from.to_owned(),
            keys,
        })
    }

    /// The names of the keys, the one that wraps first.
    fn names(&self) -> String {
        self.keys
            .iter()
            .map(|(name, _)| name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// A name that says nothing about the key.
fn name(key: &[u8; 32]) -> String {
    let hash = Sha256::new()
        .chain_update(b"upstate name of a key")
        .chain_update(key)
        .finalize();
    hash.iter()
        .take(4)
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// The associated data of a wrapped key.
fn associated(id: &str) -> Vec<u8> {
    [b"upstate 1 data key ", id.as_bytes()].concat()
}

#[async_trait]
impl KeyService for KeyList {
    fn describe(&self) -> String {
        self.from.clone()
    }

    async fn wrap(&self, id: &str, key: &[u8; 32]) -> Result<Wrapped, StoreError> {
        let Some((by, with)) = self.keys.first() else {
            return Err(StoreError::new(format!("{} holds no key", self.from)));
        };
        let cipher = XChaCha20Poly1305::new((&**with).into());
        Ok(Wrapped {
            by: by.clone(),
            bytes: seal_with(&cipher, key, &associated(id))?,
        })
    }

    async fn unwrap(&self, id: &str, wrapped: &Wrapped) -> Result<Zeroizing<[u8; 32]>, StoreError> {
        let Some((by, with)) = self.keys.iter().find(|(name, _)| *name == wrapped.by) else {
            return Err(StoreError::new(format!(
                "the store is encrypted with key {}, and {} has another one: {}; add the line of that key",
                wrapped.by,
                self.from,
                self.names()
            )));
        };
        let cipher = XChaCha20Poly1305::new((&**with).into());
        let key = open_with(&cipher, &wrapped.bytes, &associated(id)).map(Zeroizing::new);
        let key = key.and_then(|key| <[u8; 32]>::try_from(key.as_slice()).ok());
        key.map(Zeroizing::new).ok_or_else(|| {
            StoreError::new(format!(
                "data key {id} cannot be unwrapped with key {by}: the store was changed; take it from a backup"
            ))
        })
    }
}

/// A file of keys, read again for each of the few times that a key is wrapped or unwrapped: a key
/// that is added to it works at once.
#[derive(Debug)]
pub struct KeyFile {
    path: PathBuf,
}

impl KeyFile {
    /// A file that is there and has keys.
    ///
    /// # Errors
    /// If it cannot be read, or a line has something else than a key.
    pub fn open(path: PathBuf) -> Result<Self, StoreError> {
        let file = Self { path };
        file.read().map(|_| file)
    }

    fn read(&self) -> Result<KeyList, StoreError> {
        let text = std::fs::read_to_string(&self.path).map_err(|error| {
            StoreError::new(format!(
                "the keys in {} cannot be read",
                self.path.display()
            ))
            .because(error)
        })?;
        KeyList::parse(&self.path.display().to_string(), &Zeroizing::new(text))
    }
}

#[async_trait]
impl KeyService for KeyFile {
    fn describe(&self) -> String {
        self.path.display().to_string()
    }

    async fn wrap(&self, id: &str, key: &[u8; 32]) -> Result<Wrapped, StoreError> {
        self.read()?.wrap(id, key).await
    }

    async fn unwrap(&self, id: &str, wrapped: &Wrapped) -> Result<Zeroizing<[u8; 32]>, StoreError> {
        self.read()?.unwrap(id, wrapped).await
    }
}
