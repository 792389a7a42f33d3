//! `random_bytes`, the resource and the ephemeral resource: bytes for a key or another secret.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use upstate::{Diagnostic, Diagnostics, Resource};
use upstate_provider::{Context, EphemeralResource, ManagedResource, Opened};

use crate::keepers::Keepers;

/// Random bytes, for a secret or a key. They come from a cryptographic generator. `random_id` is for what may be shown.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "random_bytes", version = 0)]
pub struct Bytes {
    /// Any values; a change of one makes new bytes.
    #[attribute(requires_replace)]
    pub keepers: Option<Keepers>,
    /// The number of bytes.
    #[attribute(range = 1.., requires_replace)]
    pub length: i64,
    /// The bytes in base64.
    #[attribute(computed, sensitive)]
    pub base64: String,
    /// The bytes in small hexadecimal digits, two for each.
    #[attribute(computed, sensitive)]
    pub hex: String,
}

/// Random bytes that no state holds, for a write-only attribute of another resource.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "random_bytes", stateless)]
pub struct EphemeralBytes {
    /// The number of bytes.
    #[attribute(range = 1..)]
    pub length: i64,
    /// The bytes in base64.
    #[attribute(computed, sensitive)]
    pub base64: String,
    /// The bytes in small hexadecimal digits, two for each.
    #[attribute(computed, sensitive)]
    pub hex: String,
}

/// This number of bytes of a cryptographic generator.
pub(crate) fn random(length: i64) -> Result<Vec<u8>, Diagnostics> {
    let length = usize::try_from(length)
        .map_err(|_| format!("{length} bytes cannot be made; ask for a positive number."))?;
    let mut bytes = vec![0; length];
    rand::fill(bytes.as_mut_slice());
    Ok(bytes)
}

/// Two digits for each byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut digits = String::new();
    for byte in bytes {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

impl ManagedResource for Bytes {
    type Client = ();

    const STABLE: &'static [&'static str] = &["base64", "hex"];

    stays!();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        let bytes = random(plan.length)?;
        Ok(Self {
            base64: STANDARD.encode(&bytes),
            hex: hex(&bytes),
            ..plan
        })
    }

    async fn import(id: &str, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        // The error would show a part of the secret.
        let Ok(bytes) = STANDARD.decode(id) else {
            let detail =
                "The id of an import of random bytes is the bytes in base64, and this one is not.";
            return Err(Diagnostic::error("Invalid Import Id", detail).into());
        };
        Ok(Some(Self {
            keepers: None,
            length: bytes.len().try_into()?,
            base64: id.to_owned(),
            hex: hex(&bytes),
        }))
    }
}

impl EphemeralResource for EphemeralBytes {
    type Client = ();

    async fn open(config: Self, _: &mut Context<()>) -> Result<Opened<Self>, Diagnostics> {
        let bytes = random(config.length)?;
        Ok(Opened::new(Self {
            base64: STANDARD.encode(&bytes),
            hex: hex(&bytes),
            ..config
        }))
    }
}
