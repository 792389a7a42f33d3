//! URLs that carry their own authority: bound to a version, a use and a time.

use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use super::{Failure, Service};
use crate::content::hex;
use crate::model::{ContentKind, Timestamp, VersionId};
use crate::rules::{Refusal, RefusalKind};

/// What a URL is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Use {
    /// Downloading.
    Get,
    /// Uploading.
    Put,
}

impl Use {
    const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Put => "PUT",
        }
    }
}

/// The signature of a URL, as its query has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// Until when it holds, in seconds since 1970.
    pub expires: i64,
    /// The signature, in hexadecimal digits.
    pub signature: String,
}

impl Service {
    fn mac(&self, version: &VersionId, kind: ContentKind, on: Use, expires: i64) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).ok()?;
        mac.update(format!("v1\n{}\n{version}\n{}\n{expires}", on.name(), kind.name()).as_bytes());
        Some(mac)
    }

    /// Signs a URL from now on.
    pub fn sign(&self, version: &VersionId, kind: ContentKind, on: Use) -> Signed {
        let lasts = match on {
            Use::Get => self.conduct.download_expiry,
            Use::Put => self.conduct.upload_expiry,
        };
        let expires = self.now().after(lasts).as_seconds();
        let signature = self.mac(version, kind, on, expires).map(|mac| hex(&mac.finalize().into_bytes())).unwrap_or_default();
        Signed { expires, signature }
    }

    /// Refuses a signature that is not ours, is for something else, or has expired.
    pub fn verify(&self, version: &VersionId, kind: ContentKind, on: Use, signed: &Signed) -> Result<(), Failure> {
        let refused = |detail: &str| Err(Refusal::new(RefusalKind::Forbidden, detail).into());
        let given = unhex(&signed.signature);
        let is_ours = self
            .mac(version, kind, on, signed.expires)
            .is_some_and(|mac| given.is_some_and(|given| mac.verify_slice(&given).is_ok()));
        if !is_ours {
            return refused("The signature of the URL is wrong: it is for another state version or use, or was changed");
        }
        if Timestamp::from_millis(signed.expires.saturating_mul(1000)) < self.now() {
            return refused("The URL has expired; read the state version again for a new one");
        }
        Ok(())
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    text.as_bytes()
        .chunks_exact(2)
        .map(|pair| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok()))
        .collect()
}
