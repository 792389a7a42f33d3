//! URLs that clients use without a token: bound to the token for which they were made, a version, a
//! use and a time.

use std::net::IpAddr;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::{Access, Failure, Service};
use crate::content::hex;
use crate::model::{
    ContentKind, Permission, Principal, Timestamp, TokenId, Version, VersionId, Workspace,
};
use crate::rules::{Refusal, RefusalKind};

/// The purpose of a URL.
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

    /// The permission without which nobody gets such a URL, and with which it ends.
    pub(super) const fn needs(self) -> Permission {
        match self {
            Self::Get => Permission::ReadState,
            Self::Put => Permission::WriteState,
        }
    }
}

/// The signature of a URL, as its query has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// The token for which the URL was made.
    pub token: TokenId,
    /// Until when it holds, in seconds since 1970.
    pub expires: i64,
    /// The signature, in hexadecimal digits.
    pub signature: String,
}

impl Service {
    fn mac(
        &self,
        token: &TokenId,
        version: &VersionId,
        kind: ContentKind,
        on: Use,
        expires: i64,
    ) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).ok()?;
        mac.update(
            format!(
                "v2\n{}\n{token}\n{version}\n{}\n{expires}",
                on.name(),
                kind.name()
            )
            .as_bytes(),
        );
        Some(mac)
    }

    /// Signs a URL from now on, for somebody who may do what it is for; nobody else gets one.
    pub fn sign(
        &self,
        by: &Access,
        version: &VersionId,
        kind: ContentKind,
        on: Use,
    ) -> Option<Signed> {
        if !by.permissions.allow(on.needs()) {
            return None;
        }
        let lasts = match on {
            Use::Get => self.conduct.download_expiry,
            Use::Put => self.conduct.upload_expiry,
        };
        let expires = self.now().after(lasts).as_seconds();
        let signature = hex(&self
            .mac(&by.token, version, kind, on, expires)?
            .finalize()
            .into_bytes());
        Some(Signed {
            token: by.token.clone(),
            expires,
            signature,
        })
    }

    /// The version of a signed URL that came from an address, its workspace, and for whom it was
    /// signed. Refused is a signature that is not ours, is for something else, or has expired; and
    /// one whose token was revoked, has expired, or has lost the permission meanwhile.
    pub async fn verify(
        &self,
        id: &VersionId,
        kind: ContentKind,
        on: Use,
        signed: &Signed,
        from: Option<IpAddr>,
    ) -> Result<(Principal, Workspace, Version), Failure> {
        let refused = |detail: String| Failure::from(Refusal::new(RefusalKind::Forbidden, detail));
        let given = unhex(&signed.signature);
        let is_ours = self
            .mac(&signed.token, id, kind, on, signed.expires)
            .is_some_and(|mac| given.is_some_and(|given| mac.verify_slice(&given).is_ok()));
        if !is_ours {
            let detail = "The signature of the URL is wrong: it is for another state version or use, or was changed";
            return Err(refused(detail.to_owned()));
        }
        let now = self.now();
        if Timestamp::from_millis(signed.expires.saturating_mul(1000)) < now {
            return Err(refused(
                "The URL has expired; read the state version again for a new one".to_owned(),
            ));
        }
        let (principal, found) = self.store.principal_and_version(&signed.token, id).await?;
        let revoked = || {
            refused(
                "The URL's token was revoked; read the state version with another one".to_owned(),
            )
        };
        let principal = principal.ok_or_else(revoked)?;
        if principal.expires_at.is_some_and(|at| at <= now) {
            return Err(refused("The URL's token has expired".to_owned()));
        }
        let unknown = || Refusal::not_found(format!("state version {id}"));
        let (version, workspace) = found.ok_or_else(unknown)?;
        if !principal.permissions_on(&workspace).allow(on.needs()) {
            let detail = format!(
                "The URL's token no longer has the permission {}",
                on.needs().name()
            );
            return Err(refused(detail));
        }
        Ok((Principal { from, ..principal }, workspace, version))
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    text.as_bytes()
        .chunks_exact(2)
        .map(|pair| {
            std::str::from_utf8(pair)
                .ok()
                .and_then(|pair| u8::from_str_radix(pair, 16).ok())
        })
        .collect()
}
