//! The key management service of AWS: the operator's key never leaves it.

use std::fmt;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use object_store::aws::{AwsAuthorizer, AwsCredentialProvider};
use object_store::client::{HttpRequest, HttpRequestBody};
use serde_json::{Value as Json, json};
use tokio::time::timeout;
use zeroize::Zeroizing;

use super::{KeyService, PATIENCE, StoreError, Wrapped, client};
use crate::causes::with_causes;
use crate::store::bucket::credentials;

/// The refusals that stay, unlike those of limits and permissions, which others change: what was
/// wrapped is not of this key, or of this id.
const FINAL: [&str; 2] = ["InvalidCiphertextException", "IncorrectKeyException"];

/// The keys, and the settings by which they are reached.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct AwsKmsSettings {
    /// The ARNs of the keys, such as
    /// `arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab`. The first
    /// one wraps, and all unwrap.
    pub keys: Vec<String>,
    /// The URL of the service, if it is not that of the key's region.
    pub endpoint: Option<String>,
    /// Options for the credentials, which go before the environment, by the names that it has for
    /// them.
    pub options: Vec<(String, String)>,
}

/// Without the options, which may hold a secret key.
impl fmt::Debug for AwsKmsSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AwsKmsSettings")
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

/// A key, by its ARN.
#[derive(Debug)]
struct Key {
    arn: String,
    region: String,
    /// The URL at which it is used.
    url: String,
}

/// Keys of AWS.
#[derive(Debug)]
pub struct AwsKms {
    wraps: Key,
    others: Vec<Key>,
    credentials: AwsCredentialProvider,
    client: reqwest::Client,
}

impl Key {
    fn parse(arn: &str, endpoint: Option<&str>) -> Result<Self, StoreError> {
        let wrong = || {
            // An alias may be that of another key tomorrow, which would not unwrap what this one
            // wrapped.
            StoreError::new(format!(
                "a key of AWS KMS must be an ARN like arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab, and \
                 not an alias, found {arn:?}"
            ))
        };
        let parts: Vec<&str> = arn.split(':').collect();
        let ["arn", partition, "kms", region, account, key] = parts.as_slice() else {
            return Err(wrong());
        };
        let is_name = |text: &str| {
            !text.is_empty()
                && text
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        let is_key = key.strip_prefix("key/").is_some_and(is_name);
        if !is_key || !is_name(region) || !is_name(account) {
            return Err(wrong());
        }
        let domain = if *partition == "aws-cn" {
            "amazonaws.com.cn"
        } else {
            "amazonaws.com"
        };
        let url = endpoint.map_or_else(|| format!("https://kms.{region}.{domain}/"), str::to_owned);
        Ok(Self {
            arn: arn.to_owned(),
            region: (*region).to_owned(),
            url,
        })
    }
}

/// Another endpoint of the service.
fn endpoint(url: &str) -> Result<String, StoreError> {
    // What signs the requests panics where this is not an absolute URL.
    let parsed = reqwest::Url::parse(url).ok();
    let usable = parsed.filter(|parsed| {
        matches!(parsed.scheme(), "https" | "http") && !url.contains(['@', '?', '#'])
    });
    // Not repeated, because there may be a password in it.
    usable.map(String::from).ok_or_else(|| {
        StoreError::new(
            "the endpoint of AWS KMS, AWS_ENDPOINT_URL_KMS, must be a URL like https://kms.example.com/, without `@`, `?` and `#`",
        )
    })
}

impl AwsKms {
    /// Makes ready; nothing is asked of the service yet.
    ///
    /// # Errors
    /// If there is no key, one is not an ARN, the endpoint is not a URL, or the credentials are not
    /// whole.
    pub fn new(settings: &AwsKmsSettings) -> Result<Self, StoreError> {
        let endpoint = settings.endpoint.as_deref().map(endpoint).transpose()?;
        let keys = settings
            .keys
            .iter()
            .map(|arn| Key::parse(arn, endpoint.as_deref()));
        let mut keys = keys.collect::<Result<Vec<_>, _>>()?.into_iter();
        let wraps = keys
            .next()
            .ok_or_else(|| StoreError::new("no key of AWS KMS is named"))?;
        let unusable =
            |error: reqwest::Error| StoreError::new("AWS KMS cannot be reached").because(error);
        let client = client()
            .and_then(reqwest::ClientBuilder::build)
            .map_err(unusable)?;
        Ok(Self {
            wraps,
            others: keys.collect(),
            credentials: credentials(&settings.options)?,
            client,
        })
    }

    /// Asks the service to do something with a key; the member of its answer.
    async fn ask(
        &self,
        key: &Key,
        what: &str,
        body: &Json,
        member: &str,
    ) -> Result<Zeroizing<String>, StoreError> {
        let text = |why: &str| format!("AWS KMS key {} did not {what}: {why}", key.arn);
        let failed = |why: &str| StoreError::passing(text(why));
        // Otherwise requests wait one after the other, because their client gets them for one at a
        // time, and tries for longer.
        let credential = timeout(PATIENCE, self.credentials.get_credential()).await;
        let credential = credential.map_err(|_| {
            let seconds = PATIENCE.as_secs();
            failed(&format!(
                "no credentials for it came within {seconds} seconds"
            ))
        })?;
        let credential = credential.map_err(|error| failed(&with_causes(&error)))?;
        let body = Zeroizing::new(body.to_string());
        let request: http::Result<HttpRequest> = http::Request::post(&key.url)
            .header("content-type", "application/x-amz-json-1.1")
            .header("x-amz-target", format!("TrentService.{what}"))
            .body(HttpRequestBody::from(body.as_bytes().to_vec()));
        let mut request = request.map_err(|error| StoreError::new(text(&error.to_string())))?;
        let signed =
            AwsAuthorizer::new(&credential, "kms", &key.region).try_authorize(&mut request, None);
        signed.map_err(|error| failed(&with_causes(&error)))?;
        let headers = request.headers().clone();
        let sent = self
            .client
            .post(&key.url)
            .headers(headers)
            .body(body.as_bytes().to_vec())
            .send()
            .await;
        let answer = sent.map_err(|error| failed(&with_causes(&error.without_url())))?;
        let status = answer.status();
        let bytes = answer
            .bytes()
            .await
            .map_err(|error| failed(&with_causes(&error.without_url())))?;
        let answer: Json = serde_json::from_slice(&bytes).unwrap_or_default();
        let string = |name: &str| answer.get(name).and_then(Json::as_str);
        if !status.is_success() {
            // `com.amazonaws.kms#AccessDeniedException`, or without what is before `#`.
            let kind = string("__type")
                .unwrap_or_default()
                .rsplit('#')
                .next()
                .unwrap_or_default();
            let message = string("message")
                .or_else(|| string("Message"))
                .unwrap_or_default()
                .replace('\n', " ");
            let why = format!("{status}; {kind}; {message}");
            return Err(if FINAL.contains(&kind) {
                StoreError::new(text(&why))
            } else {
                failed(&why)
            });
        }
        string(member)
            .map(|found| Zeroizing::new(found.to_owned()))
            .ok_or_else(|| failed(&format!("its answer has no {member}")))
    }
}

/// The context without which the service does not unwrap a data key: its id.
fn context(id: &str) -> Json {
    json!({"upstate-data-key": id})
}

#[async_trait]
impl KeyService for AwsKms {
    fn describe(&self) -> String {
        format!("AWS KMS key {}", self.wraps.arn)
    }

    async fn wrap(&self, id: &str, key: &[u8; 32]) -> Result<Wrapped, StoreError> {
        let plain = Zeroizing::new(STANDARD.encode(key));
        let body = json!({"KeyId": self.wraps.arn, "Plaintext": plain.as_str(), "EncryptionContext": context(id)});
        let wrapped = self
            .ask(&self.wraps, "Encrypt", &body, "CiphertextBlob")
            .await?;
        let bytes = STANDARD.decode(wrapped.as_bytes()).map_err(|error| {
            StoreError::new(format!(
                "{} gave something else than base64 for data key {id}",
                self.describe()
            ))
            .because(error)
        })?;
        Ok(Wrapped {
            by: self.wraps.arn.clone(),
            bytes,
        })
    }

    async fn unwrap(&self, id: &str, wrapped: &Wrapped) -> Result<Zeroizing<[u8; 32]>, StoreError> {
        // Only a key that the operator names: that of somebody who can write to the store would
        // unwrap as well.
        let Some(key) = std::iter::once(&self.wraps)
            .chain(&self.others)
            .find(|key| key.arn == wrapped.by)
        else {
            return Err(StoreError::new(format!(
                "the store is encrypted with key {}, and --encryption-aws-kms names another one: {}; add that key behind it",
                wrapped.by, self.wraps.arn
            )));
        };
        let sealed = STANDARD.encode(&wrapped.bytes);
        let body =
            json!({"KeyId": key.arn, "CiphertextBlob": sealed, "EncryptionContext": context(id)});
        let plain = self.ask(key, "Decrypt", &body, "Plaintext").await?;
        let plain = STANDARD.decode(plain.as_bytes()).map(Zeroizing::new).ok();
        let plain = plain
            .and_then(|plain| <[u8; 32]>::try_from(plain.as_slice()).ok())
            .map(Zeroizing::new);
        plain.ok_or_else(|| {
            StoreError::new(format!(
                "AWS KMS key {} gave something else than 32 bytes for data key {id}",
                key.arn
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use object_store::CredentialProvider;
    use object_store::aws::AwsCredential;

    use super::*;

    /// A service that gives credentials, and is away.
    #[derive(Debug)]
    struct Away;

    #[async_trait]
    impl CredentialProvider for Away {
        type Credential = AwsCredential;

        async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
            std::future::pending().await
        }
    }

    #[tokio::test(start_paused = true)]
    async fn credentials_are_waited_for_as_long_as_an_answer() {
        let settings = AwsKmsSettings {
            keys: vec!["arn:aws:kms:eu-central-1:111122223333:key/1234abcd".to_owned()],
            ..AwsKmsSettings::default()
        };
        let mut service = AwsKms::new(&settings).expect("a key");
        service.credentials = Arc::new(Away);
        let error = service.wrap("dk-1", &[1; 32]).await.expect_err("away");
        assert!(error.is_passing(), "{error}");
        assert_eq!(
            error.to_string(),
            "AWS KMS key arn:aws:kms:eu-central-1:111122223333:key/1234abcd did not Encrypt: no credentials for it came within 10 seconds"
        );
    }
}
