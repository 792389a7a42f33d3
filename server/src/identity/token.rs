//! JSON Web Tokens and Keys (RFC 7515, 7517, 7519), as far as ID tokens need them: RS256 and ES256,
//! and nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model::Timestamp;

/// The longest token, in bytes: those of CI systems have about 2000.
const LONGEST: usize = 16 << 10;

/// The seconds by which two clocks may differ.
const LEEWAY: i64 = 30;

/// The most keys of a provider that are looked at.
const MOST_KEYS: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
enum Algorithm {
    #[serde(rename = "RS256")]
    Rs256,
    #[serde(rename = "ES256")]
    Es256,
}

#[derive(Debug, Deserialize)]
struct Header {
    alg: Algorithm,
    kid: Option<String>,
    typ: Option<String>,
    /// Extensions that a reader must understand; none is.
    crit: Option<Value>,
}

/// A public key of a provider.
#[derive(Debug, Clone)]
pub(super) struct Key {
    kid: Option<String>,
    material: Material,
}

#[derive(Debug, Clone)]
enum Material {
    Rsa {
        n: Vec<u8>,
        e: Vec<u8>,
    },
    /// An uncompressed point.
    P256(Vec<u8>),
}

impl Key {
    const fn algorithm(&self) -> Algorithm {
        match &self.material {
            Material::Rsa { .. } => Algorithm::Rs256,
            Material::P256(_) => Algorithm::Es256,
        }
    }

    fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        match &self.material {
            Material::Rsa { n, e } => RsaPublicKeyComponents { n, e }
                .verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
                .is_ok(),
            Material::P256(point) => UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point)
                .verify(message, signature)
                .is_ok(),
        }
    }
}

/// The keys of a set that can verify; others are left out, because providers have keys for other
/// purposes, too.
pub(super) fn keys(set: &Value) -> Vec<Key> {
    let all = set
        .get("keys")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    all.take(MOST_KEYS).filter_map(key).collect()
}

fn key(jwk: &Value) -> Option<Key> {
    let text = |name: &str| jwk.get(name).and_then(Value::as_str);
    let number = |name: &str| URL_SAFE_NO_PAD.decode(text(name)?).ok();
    if text("use").is_some_and(|purpose| purpose != "sig") {
        return None;
    }
    let (material, algorithm) = match text("kty")? {
        "RSA" => (
            Material::Rsa {
                n: number("n")?,
                e: number("e")?,
            },
            "RS256",
        ),
        "EC" if text("crv") == Some("P-256") => {
            let (x, y) = (number("x")?, number("y")?);
            if x.len() != 32 || y.len() != 32 {
                return None;
            }
            (Material::P256([vec![4], x, y].concat()), "ES256")
        }
        _ => return None,
    };
    if text("alg").is_some_and(|named| named != algorithm) {
        return None;
    }
    Some(Key {
        kid: text("kid").map(str::to_owned),
        material,
    })
}

/// The reason why no key was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unverified {
    /// The provider may have a newer key.
    NoKey(String),
    /// Its key did not sign it.
    Wrong(String),
}

/// A token that is taken apart; nobody knows yet who made it.
#[derive(Debug)]
pub(super) struct Parts<'t> {
    header: Header,
    claims: Claims,
    message: &'t str,
    signature: Vec<u8>,
}

impl<'t> Parts<'t> {
    /// Takes a token apart.
    pub(super) fn of(token: &'t str) -> Result<Self, String> {
        if token.len() > LONGEST {
            return Err(format!("the ID token has more than {LONGEST} bytes"));
        }
        let malformed = || "the ID token is not a signed JSON Web Token".to_owned();
        let (message, signature) = token.rsplit_once('.').ok_or_else(malformed)?;
        let (header, claims) = message.split_once('.').ok_or_else(malformed)?;
        let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| malformed());
        let (header, claims, signature) = (decoded(header)?, decoded(claims)?, decoded(signature)?);
        let header: Map<String, Value> =
            serde_json::from_slice(&header).map_err(|_| malformed())?;
        let header: Header = serde_json::from_value(Value::Object(header))
            .map_err(|_| "the ID token is not signed with RS256 or ES256".to_owned())?;
        if header.crit.is_some() {
            return Err("the ID token has critical extensions, and none is known".to_owned());
        }
        // An access token of the same provider is for another purpose, and may hold what its client
        // chose.
        if header
            .typ
            .as_deref()
            .is_some_and(|typ| !typ.eq_ignore_ascii_case("jwt"))
        {
            return Err("the token is not an ID token, by its typ".to_owned());
        }
        let claims = Claims(serde_json::from_slice(&claims).map_err(|_| malformed())?);
        Ok(Self {
            header,
            claims,
            message,
            signature,
        })
    }

    /// The issuer that it names; anybody can write one.
    pub(super) fn named_issuer(&self) -> Option<&str> {
        self.claims.0.get("iss").and_then(Value::as_str)
    }

    /// The claims, if one of these keys signed them.
    pub(super) fn verified(&self, keys: &[Key]) -> Result<Claims, Unverified> {
        let mut fitting = keys.iter().filter(|key| key.algorithm() == self.header.alg);
        let key = match &self.header.kid {
            Some(kid) => fitting.find(|key| key.kid.as_ref() == Some(kid)),
            // A key without a name is known only where there is one key, because another one may
            // have signed.
            None => fitting.next().filter(|_| fitting.next().is_none()),
        };
        let name = || {
            self.header
                .kid
                .as_deref()
                .map_or_else(|| "one".to_owned(), |kid| format!("{:?}", shortened(kid)))
        };
        let key = key.ok_or_else(|| {
            Unverified::NoKey(format!(
                "the issuer has no key {} for {:?}",
                name(),
                self.header.alg
            ))
        })?;
        if key.verifies(self.message.as_bytes(), &self.signature) {
            return Ok(self.claims.clone());
        }
        Err(Unverified::Wrong(
            "the signature of the ID token is not that of the issuer's key".to_owned(),
        ))
    }
}

/// Short enough for a line of the audit log.
pub(super) fn shortened(text: &str) -> String {
    let letters = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter });
    letters.take(200).collect()
}

/// The claims of an ID token.
#[derive(Debug, Clone, PartialEq)]
pub struct Claims(Map<String, Value>);

impl Claims {
    /// A string.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// The values of a claim as strings: one, or those of a list. Objects have none.
    pub fn values(&self, name: &str) -> Vec<String> {
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(is) => Some(is.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        match self.0.get(name) {
            Some(Value::Array(values)) => values.iter().filter_map(text).collect(),
            Some(value) => text(value).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// True if there is such a claim; null is not one.
    pub fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_null())
    }

    /// True if the provider says only where else such a claim is to be had, as for somebody in many
    /// groups.
    pub fn is_elsewhere(&self, name: &str) -> bool {
        let names = self.0.get("_claim_names");
        !self.has(name) && names.is_some_and(|names| names.get(name).is_some())
    }

    /// These claims, and those of an answer about the same person that are missing here.
    pub(super) fn completed(mut self, answer: Value) -> Result<Self, String> {
        let Value::Object(more) = answer else {
            return Err("the provider's answer about the person is not an object".to_owned());
        };
        // OpenID Connect Core, section 5.3.2: otherwise it could be somebody else's name.
        if more.get("sub") != self.0.get("sub") {
            return Err("the provider answered about another person".to_owned());
        }
        // That of the ID token is not about this address, because it has none.
        if !self.has("email")
            && let Some(verified) = more.get("email_verified")
        {
            self.0.insert("email_verified".to_owned(), verified.clone());
        }
        for (name, value) in more {
            if !self.has(&name) {
                self.0.insert(name, value);
            }
        }
        Ok(self)
    }

    /// A claim as the audit log shows it.
    pub fn shown(&self, name: &str) -> String {
        match self.0.get(name) {
            None => "missing".to_owned(),
            Some(value) => shortened(&value.to_string()),
        }
    }

    /// Refuses claims of another issuer, for somebody else, or of another time.
    pub(super) fn check(&self, issuer: &str, audience: &str, now: Timestamp) -> Result<(), String> {
        if self.text("iss") != Some(issuer) {
            return Err(format!("iss is {}, expected {issuer:?}", self.shown("iss")));
        }
        let is_for_us = match self.0.get("aud") {
            Some(Value::String(one)) => one == audience,
            Some(Value::Array(all)) => all.iter().any(|one| one.as_str() == Some(audience)),
            _ => false,
        };
        if !is_for_us {
            return Err(format!(
                "aud is {}, expected {audience:?}",
                self.shown("aud")
            ));
        }
        let seconds = |name: &str| match self.0.get(name) {
            None => Ok(None),
            // Otherwise a claim of another type would pass for a missing one.
            Some(value) => value
                .as_f64()
                .map(Some)
                .ok_or_else(|| format!("{name} is not a number")),
        };
        #[expect(
            clippy::cast_precision_loss,
            reason = "seconds since 1970 fit into 53 bits for long"
        )]
        let (earliest, latest) = (
            (now.as_seconds() - LEEWAY) as f64,
            (now.as_seconds() + LEEWAY) as f64,
        );
        match seconds("exp")? {
            None => return Err("exp is missing".to_owned()),
            Some(at) if at <= earliest => return Err("the ID token has expired".to_owned()),
            Some(_) => {}
        }
        for name in ["nbf", "iat"] {
            if seconds(name)?.is_some_and(|at| at > latest) {
                return Err(format!("{name} is in the future"));
            }
        }
        Ok(())
    }
}
