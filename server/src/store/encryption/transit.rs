//! The transit engine of Vault and those that speak as it does: the operator's key never leaves it.

use std::fmt;
use std::path::PathBuf;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};
use zeroize::Zeroizing;

use super::{KeyService, StoreError, Wrapped, client};
use crate::causes::with_causes;

/// The key, and the settings by which it is reached.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct TransitSettings {
    /// The URL of the key: `https://vault.example.com:8200/v1/transit/keys/upstate`.
    pub url: String,
    /// The token, unless it is in a file.
    pub token: Option<String>,
    /// The file of the token, which an agent renews.
    pub token_file: Option<PathBuf>,
    /// The namespace of the key.
    pub namespace: Option<String>,
    /// Certificate authorities to trust besides the system's, as PEM.
    pub authorities: Option<Vec<u8>>,
}

/// Without the token.
impl fmt::Debug for TransitSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransitSettings")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// A key of a transit engine.
#[derive(Debug)]
pub struct Transit {
    settings: TransitSettings,
    engine: String,
    name: String,
    client: reqwest::Client,
}

impl Transit {
    /// Makes ready; nothing is asked of the engine yet.
    ///
    /// # Errors
    /// If the URL is not that of a key, or the token is missing.
    pub fn new(settings: TransitSettings) -> Result<Self, StoreError> {
        let wrong = || {
            StoreError::new(format!(
                "the URL of a transit key must be like https://vault.example.com:8200/v1/transit/keys/upstate, found {:?}",
                settings.url
            ))
        };
        let (engine, name) = settings
            .url
            .trim_end_matches('/')
            .rsplit_once("/keys/")
            .ok_or_else(wrong)?;
        let is_url = engine.starts_with("https://") || engine.starts_with("http://");
        if !is_url
            || name.is_empty()
            || name.contains(['/', '?', '#', '@'])
            || engine.contains(['?', '#', '@'])
        {
            return Err(wrong());
        }
        if settings.token.is_none() && settings.token_file.is_none() {
            return Err(StoreError::new(
                "a transit key needs a token: set VAULT_TOKEN, or VAULT_TOKEN_FILE to the file of an agent",
            ));
        }
        let unusable = |error: reqwest::Error| {
            StoreError::new("the transit engine cannot be reached").because(error)
        };
        let mut client = client().map_err(unusable)?;
        if let Some(pem) = &settings.authorities {
            client = client
                .tls_certs_merge(reqwest::Certificate::from_pem_bundle(pem).map_err(unusable)?);
        }
        let (engine, name) = (engine.to_owned(), name.to_owned());
        Ok(Self {
            client: client.build().map_err(unusable)?,
            engine,
            name,
            settings,
        })
    }

    fn token(&self) -> Result<Zeroizing<String>, StoreError> {
        let Some(file) = &self.settings.token_file else {
            return Ok(Zeroizing::new(
                self.settings.token.clone().unwrap_or_default(),
            ));
        };
        let text = std::fs::read_to_string(file).map(Zeroizing::new);
        let text = text.map_err(|error| {
            StoreError::passing(format!("the token in {} cannot be read", file.display()))
                .because(error)
        })?;
        Ok(Zeroizing::new(text.trim().to_owned()))
    }

    /// Asks the engine; the member of its answer.
    async fn ask(
        &self,
        what: &str,
        body: &Json,
        member: &str,
    ) -> Result<Zeroizing<String>, StoreError> {
        let url = format!("{}/{what}/{}", self.engine, self.name);
        let failed =
            |why: String| StoreError::passing(format!("{} did not {what}: {why}", self.describe()));
        let mut request = self
            .client
            .post(&url)
            .header("X-Vault-Token", self.token()?.as_str());
        if let Some(namespace) = &self.settings.namespace {
            request = request.header("X-Vault-Namespace", namespace);
        }
        let sent = request
            .header("content-type", "application/json")
            .body(body.to_string())
            .send()
            .await;
        // Without the URL, which is in what describes it.
        let answer = sent.map_err(|error| failed(with_causes(&error.without_url())))?;
        let status = answer.status();
        let text = answer
            .bytes()
            .await
            .map_err(|error| failed(with_causes(&error.without_url())))?;
        let text: Json = serde_json::from_slice(&text).unwrap_or_default();
        if !status.is_success() {
            let errors = text
                .get("errors")
                .and_then(Json::as_array)
                .into_iter()
                .flatten()
                .filter_map(Json::as_str);
            let why = format!(
                "{status}; {}",
                errors.collect::<Vec<_>>().join("; ").replace('\n', " ")
            );
            // A request that it refuses as wrong stays wrong; tokens are renewed, and sealed
            // engines are opened.
            let is_final = status == reqwest::StatusCode::BAD_REQUEST;
            return Err(if is_final {
                StoreError::new(format!("{} did not {what}: {why}", self.describe()))
            } else {
                failed(why)
            });
        }
        let found = text
            .get("data")
            .and_then(|data| data.get(member))
            .and_then(Json::as_str);
        found
            .map(|found| Zeroizing::new(found.to_owned()))
            .ok_or_else(|| failed(format!("its answer has no {member}")))
    }
}

#[async_trait]
impl KeyService for Transit {
    fn describe(&self) -> String {
        format!("transit key {} at {}", self.name, self.engine)
    }

    async fn wrap(&self, id: &str, key: &[u8; 32]) -> Result<Wrapped, StoreError> {
        let plain = Zeroizing::new(STANDARD.encode(key));
        let body = json!({"plaintext": plain.as_str(), "associated_data": STANDARD.encode(id)});
        let wrapped = self.ask("encrypt", &body, "ciphertext").await?;
        // `vault:v3:…`: the version of the key is its name here.
        let version = wrapped.split(':').nth(1).unwrap_or_default();
        Ok(Wrapped {
            by: format!("transit {} {version}", self.name),
            bytes: wrapped.as_bytes().to_vec(),
        })
    }

    async fn unwrap(&self, id: &str, wrapped: &Wrapped) -> Result<Zeroizing<[u8; 32]>, StoreError> {
        let Ok(sealed) = std::str::from_utf8(&wrapped.bytes) else {
            return Err(StoreError::new(format!(
                "the store is encrypted with key {}, which is not one of a transit engine",
                wrapped.by
            )));
        };
        let body = json!({"ciphertext": sealed, "associated_data": STANDARD.encode(id)});
        let plain = self.ask("decrypt", &body, "plaintext").await?;
        let key = STANDARD.decode(plain.as_bytes()).map(Zeroizing::new).ok();
        let key = key
            .and_then(|key| <[u8; 32]>::try_from(key.as_slice()).ok())
            .map(Zeroizing::new);
        key.ok_or_else(|| {
            StoreError::new(format!(
                "{} gave something else than 32 bytes for data key {id}",
                self.describe()
            ))
        })
    }
}
