//! A bucket of Amazon's S3 or what speaks as it does, of Google's Cloud Storage, or a container of
//! Azure's Blob Storage: where bytes are kept beside the rows of a database.

use std::pin::pin;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::future::select_ok;
use futures_util::stream::BoxStream;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey, AwsCredentialProvider};
use object_store::azure::{AzureConfigKey, AzureCredentialProvider, MicrosoftAzureBuilder};
use object_store::client::{HttpClient, HttpConnector, ReqwestConnector};
use object_store::gcp::{GcpCredentialProvider, GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::path::Path;
use object_store::{
    BackoffConfig, Certificate, ClientConfigKey, ClientOptions, Error, ObjectStore,
    ObjectStoreExt as _, PutMode, PutOptions, RetryConfig,
};

use super::StoreError;
use crate::authorities;
use crate::model::Timestamp;

/// A bucket and the way to it. Region and credentials come as every program takes them: from the
/// environment (`AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`;
/// `GOOGLE_APPLICATION_CREDENTIALS`; `AZURE_STORAGE_ACCOUNT_NAME`, `AZURE_STORAGE_ACCOUNT_KEY`), or
/// from what the machine is allowed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct BucketSettings {
    /// `s3://bucket`, `gs://bucket` or `az://container`, or one of these with a `/prefix`.
    pub url: String,
    /// The URL of the service, if it is not Amazon's, Google's or Azure's own.
    pub endpoint: Option<String>,
    /// Further options, which go before the environment, by the names that it has for them.
    pub options: Vec<(String, String)>,
}

/// Without the options, which may hold a secret key.
impl std::fmt::Debug for BucketSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BucketSettings")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl BucketSettings {
    /// The options by the service's own keys; a service that is reached without TLS is meant so
    /// where the URL says `http`.
    fn options<Key: FromStr<Err = Error>>(
        &self,
        endpoint: &str,
        allow_http: &str,
    ) -> Result<Vec<(Key, String)>, StoreError> {
        let plain = |url: &String| {
            (
                allow_http.to_owned(),
                url.starts_with("http://").to_string(),
            )
        };
        let own = self
            .endpoint
            .iter()
            .flat_map(|url| [plain(url), (endpoint.to_owned(), url.clone())]);
        let all = own.chain(self.options.iter().cloned());
        let keyed = all.map(|(name, value)| match name.to_ascii_lowercase().parse() {
            Ok(key) => Ok((key, value)),
            Err(error) => Err(failed(
                format!("{name} is not an option of {}", self.url),
                error,
            )),
        });
        keyed.collect()
    }
}

/// The folder of bytes, below the prefix.
const FOLDER: &str = "blob";

/// The address of Google's service, if no other is named.
const GOOGLE: &str = "https://storage.googleapis.com";

/// The object that says to which database a bucket belongs, below the prefix.
const OWNER: &str = "upstate-store";

/// The longest time of a request until its answer begins, and then until more of it comes, unless
/// the environment says how long all of that (`AWS_TIMEOUT`), or each of both (`AWS_READ_TIMEOUT`),
/// may take.
const REQUEST: Duration = if cfg!(test) {
    Duration::from_secs(2)
} else {
    REQUEST_IN_USE
};

/// For how long a request that fails is sent again.
const RETRIES: Duration = if cfg!(test) {
    Duration::from_secs(4)
} else {
    RETRIES_IN_USE
};

/// The time of a request outside of tests, which do not wait as long.
const REQUEST_IN_USE: Duration = Duration::from_secs(20);

/// The time of further ones there.
const RETRIES_IN_USE: Duration = Duration::from_secs(25);

/// The longest pause between two of them.
const PAUSE: Duration = Duration::from_secs(5);

/// The longest time of a write, with all its requests: Terraform gives up after a minute.
const LONGEST: Duration = Duration::from_secs(55);

// One that hangs leaves time to send it again, and the last one ends in time.
const _: () = assert!(
    REQUEST_IN_USE.as_secs() < RETRIES_IN_USE.as_secs()
        && RETRIES_IN_USE.as_secs() + PAUSE.as_secs() + REQUEST_IN_USE.as_secs()
            < LONGEST.as_secs()
);

/// The size of an object that a bucket takes within [`REQUEST`], in bytes.
const LARGE: usize = 4 << 20;

/// The least number of bytes of a larger one that a bucket takes in a second.
const SLOWEST: usize = 200 << 10;

/// The longest time of a write of any size: a commit is given up after ten minutes.
const LONGEST_OF_ALL: Duration = Duration::from_mins(9);

/// The longest time of a write of so many bytes. Without more time for more bytes, a bucket that is
/// slow would never take a large state, however often the client sends it.
fn longest(bytes: usize) -> Duration {
    let further = u64::try_from(bytes.saturating_sub(LARGE) / SLOWEST).unwrap_or(u64::MAX);
    LONGEST
        .saturating_add(Duration::from_secs(further))
        .min(LONGEST_OF_ALL)
}

/// The time in which a bucket that is slow takes so many bytes. It leaves as much of the longest
/// time as a small object has after its first request.
fn slow(bytes: usize) -> Duration {
    longest(bytes).saturating_sub(LONGEST.saturating_sub(REQUEST))
}

/// The number of objects that are deleted at a time: as many as one request of the protocol takes.
const MANY: usize = 1000;

/// A bucket.
#[derive(Debug)]
pub(super) struct Bucket {
    objects: Arc<dyn ObjectStore>,
    /// The objects, for writes of [`LARGE`] ones.
    large: Arc<dyn ObjectStore>,
    prefix: Path,
    url: String,
}

fn failed(what: String, error: Error) -> StoreError {
    match error {
        error @ (Error::NotFound { .. }
        | Error::InvalidPath { .. }
        | Error::NotSupported { .. }
        | Error::NotImplemented { .. }) => StoreError::new(what).because(error),
        error => StoreError::passing(what).because(error),
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Makes the clients for buckets, which trust the authorities of this process, too. Their options
/// stay those of the environment.
#[derive(Debug)]
struct Connector {
    /// The longest time in which nothing comes from the service.
    silence: Duration,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let mut options = options.clone();
        let time = |options: &ClientOptions| options.get_config_value(&ClientConfigKey::Timeout);
        if time(&options) == time(&ClientOptions::default()) {
            // Not by the time of a whole request, because a large state takes long on a slow line.
            options = options.with_timeout_disabled();
            let silence = options.get_config_value(&ClientConfigKey::ReadTimeout);
            if silence.is_none() {
                options = options.with_read_timeout(self.silence);
            }
        }
        for authority in authorities::trusted() {
            options = options.with_root_certificate(Certificate::from_der(authority)?);
        }
        ReqwestConnector::default().connect(&options)
    }
}

/// By time alone: as many as have room for their shortest pauses.
fn retries() -> RetryConfig {
    let backoff = BackoffConfig {
        max_backoff: PAUSE,
        ..BackoffConfig::default()
    };
    let max_retries =
        usize::try_from(RETRIES.as_millis() / backoff.init_backoff.as_millis().max(1))
            .unwrap_or(usize::MAX);
    RetryConfig {
        backoff,
        max_retries,
        retry_timeout: RETRIES,
    }
}

fn unusable(settings: &BucketSettings, error: Error) -> StoreError {
    failed(format!("the bucket {} cannot be used", settings.url), error)
}

/// The client of a bucket of S3, before it is made.
fn amazon(
    settings: &BucketSettings,
    name: &str,
    silence: Duration,
) -> Result<AmazonS3Builder, StoreError> {
    let options = settings
        .options("aws_endpoint", "aws_allow_http")?
        .into_iter();
    let builder = AmazonS3Builder::from_env()
        .with_bucket_name(name)
        .with_http_connector(Connector { silence })
        .with_retry(retries());
    let builder = options.fold(builder, |builder, (key, value)| {
        builder.with_config(key, value)
    });
    for key in [
        AmazonS3ConfigKey::AccessKeyId,
        AmazonS3ConfigKey::Token,
        AmazonS3ConfigKey::Region,
    ] {
        let value = builder.get_config_value(&key).unwrap_or_default();
        // What signs the requests panics at what a header cannot hold.
        if !value.bytes().all(|byte| byte.is_ascii_graphic()) {
            let name: &str = key.as_ref();
            return Err(StoreError::new(format!(
                "{name} holds a letter that it cannot have, such as the end of the line of a file; set it again without that"
            )));
        }
    }
    Ok(builder)
}

/// The credentials of this process for AWS, as a bucket is used with; these options go before the
/// environment.
pub(super) fn credentials(
    options: &[(String, String)],
) -> Result<AwsCredentialProvider, StoreError> {
    // A bucket that is not asked for anything, because only the client of one finds them.
    let settings = BucketSettings {
        url: "s3://none".to_owned(),
        endpoint: None,
        options: options.to_vec(),
    };
    let built = amazon(&settings, "none", REQUEST)?.build();
    // Without its name, which nobody gave.
    let built = built
        .map_err(|error| failed("the credentials for AWS cannot be used".to_owned(), error))?;
    Ok(Arc::clone(built.credentials()))
}

/// The client of a bucket of Google's, before it is made.
fn google(
    settings: &BucketSettings,
    name: &str,
    silence: Duration,
) -> Result<GoogleCloudStorageBuilder, StoreError> {
    let options = settings
        .options("google_base_url", "google_allow_http")?
        .into_iter();
    let builder = GoogleCloudStorageBuilder::from_env()
        .with_bucket_name(name)
        .with_http_connector(Connector { silence })
        .with_retry(retries());
    Ok(options.fold(builder, |builder, (key, value)| {
        builder.with_config(key, value)
    }))
}

/// The client of a container of Azure's, before it is made.
fn azure(
    settings: &BucketSettings,
    name: &str,
    silence: Duration,
) -> Result<MicrosoftAzureBuilder, StoreError> {
    let options = settings
        .options("azure_storage_endpoint", "azure_allow_http")?
        .into_iter();
    let builder = MicrosoftAzureBuilder::from_env()
        .with_container_name(name)
        .with_http_connector(Connector { silence })
        .with_retry(retries());
    Ok(options.fold(builder, |builder, (key, value)| {
        builder.with_config(key, value)
    }))
}

/// The credentials of a bucket and its place, for requests that its client does not make.
pub(crate) enum Signer {
    S3(AmazonS3),
    Google {
        credentials: GcpCredentialProvider,
        address: String,
        bucket: String,
    },
    Azure {
        credentials: AzureCredentialProvider,
        account: String,
        address: String,
        container: String,
    },
}

/// Without the credentials.
impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::S3(_) => "S3",
            Self::Google { .. } => "Google",
            Self::Azure { .. } => "Azure",
        })
    }
}

/// True if a setting of a bucket is on, by the words that its service's library takes.
fn is_on(value: Option<String>) -> bool {
    value.is_some_and(|value| {
        let value = value.to_ascii_lowercase();
        matches!(value.as_str(), "1" | "true" | "on" | "yes" | "y")
    })
}

/// The signer of requests to a bucket; none where its service keeps no versions, and none where
/// requests are not signed, because the one to the list of versions would be the only one that shows
/// who sends it.
pub(crate) fn signer(settings: &BucketSettings) -> Result<Option<Signer>, StoreError> {
    let unusable = |error| unusable(settings, error);
    let (scheme, rest) = settings.url.split_once("://").unwrap_or_default();
    let name = rest.split('/').next().unwrap_or_default();
    let signer = match scheme {
        "s3" => Signer::S3(amazon(settings, name, REQUEST)?.build().map_err(unusable)?),
        "gs" => {
            let builder = google(settings, name, REQUEST)?;
            if is_on(builder.get_config_value(&GoogleConfigKey::SkipSignature)) {
                return Ok(None);
            }
            let address = builder.get_config_value(&GoogleConfigKey::BaseUrl);
            let built = builder.build().map_err(unusable)?;
            Signer::Google {
                credentials: Arc::clone(built.credentials()),
                address: address.unwrap_or_else(|| GOOGLE.to_owned()),
                bucket: name.to_owned(),
            }
        }
        "az" => {
            let builder = azure(settings, name, REQUEST)?;
            let is_set = |key: AzureConfigKey| is_on(builder.get_config_value(&key));
            if is_set(AzureConfigKey::SkipSignature)
                || is_set(AzureConfigKey::UseEmulator)
                || is_set(AzureConfigKey::UseFabricEndpoint)
            {
                return Ok(None);
            }
            let account = builder
                .get_config_value(&AzureConfigKey::AccountName)
                .unwrap_or_default();
            let address = builder
                .get_config_value(&AzureConfigKey::Endpoint)
                .unwrap_or_else(|| format!("https://{account}.blob.core.windows.net"));
            let built = builder.build().map_err(unusable)?;
            Signer::Azure {
                credentials: Arc::clone(built.credentials()),
                account,
                address,
                container: name.to_owned(),
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(signer))
}

/// The objects of a bucket, and the prefix of those that are meant; nothing is asked of the bucket
/// yet.
pub(crate) fn objects(
    settings: &BucketSettings,
) -> Result<(Arc<dyn ObjectStore>, Path), StoreError> {
    objects_within(settings, REQUEST)
}

/// The objects of a bucket whose service may be silent for so long.
fn objects_within(
    settings: &BucketSettings,
    silence: Duration,
) -> Result<(Arc<dyn ObjectStore>, Path), StoreError> {
    // The client takes its cryptography from the process, so that only the first choice counts.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let wrong = || {
        // Not repeated, because there may be a credential in it, such as a signature of Azure.
        let found = if settings.url.contains(['?', '#', '@']) {
            "without `?`, `#` and `@`: credentials come from the environment".to_owned()
        } else {
            format!("found {:?}", settings.url)
        };
        StoreError::new(format!(
            "the bucket URL must be s3://bucket, gs://bucket or az://container, with a /prefix or without, {found}"
        ))
    };
    let (scheme, rest) = settings.url.split_once("://").ok_or_else(wrong)?;
    let (name, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    if name.is_empty() || name.contains(['@', ':']) || rest.contains(['?', '#']) {
        return Err(wrong());
    }
    let unusable = |error| unusable(settings, error);
    let objects: Arc<dyn ObjectStore> = match scheme {
        "s3" => Arc::new(amazon(settings, name, silence)?.build().map_err(unusable)?),
        "gs" => Arc::new(google(settings, name, silence)?.build().map_err(unusable)?),
        "az" => Arc::new(azure(settings, name, silence)?.build().map_err(unusable)?),
        _ => return Err(wrong()),
    };
    let prefix = Path::parse(prefix).map_err(|error| wrong().because(error))?;
    Ok((objects, prefix))
}

impl Bucket {
    /// Makes ready; nothing is asked of the bucket yet.
    pub(super) fn new(settings: &BucketSettings) -> Result<Self, StoreError> {
        let (objects, prefix) = objects(settings)?;
        let (large, _) = objects_within(settings, LONGEST_OF_ALL)?;
        Ok(Self {
            objects,
            large,
            prefix,
            url: settings.url.clone(),
        })
    }

    /// The URL of the bucket, for messages.
    pub(super) fn describe(&self) -> &str {
        &self.url
    }

    fn below(&self, name: &str) -> Path {
        name.split('/').fold(self.prefix.clone(), Path::join)
    }

    /// Writes bytes under a key that nothing had before; that key.
    pub(super) async fn put(&self, sha256: &[u8; 32], bytes: Bytes) -> Result<String, StoreError> {
        let mut random = [0; 8];
        crate::random::fill(&mut random);
        let name = hex(sha256);
        let key = format!(
            "{FOLDER}/{}/{name}-{}",
            name.get(..2).unwrap_or_default(),
            hex(&random)
        );
        let longest = longest(bytes.len());
        let late = |_| {
            StoreError::passing(format!(
                "{} did not take an object within {longest:?}",
                self.url
            ))
        };
        tokio::time::timeout(longest, self.write(&key, bytes))
            .await
            .map_err(late)??;
        Ok(key)
    }

    /// Writes bytes under a key of their own; once more where a request hung, which the client does
    /// not send again: it does not know that nobody else writes there.
    async fn write(&self, key: &str, bytes: Bytes) -> Result<(), StoreError> {
        if bytes.len() > LARGE {
            return self.write_large(key, bytes).await;
        }
        let begun = Instant::now();
        loop {
            let sent = Instant::now();
            match self.write_once(&self.objects, key, bytes.clone()).await {
                Err(_) if sent.elapsed() >= REQUEST && begun.elapsed() < RETRIES => {}
                done => return done,
            }
        }
    }

    /// Writes many bytes under a key of their own; once more if that takes longer than it does with
    /// a slow bucket. The first request goes on beside the second, because only its answer shows
    /// that its connection is not dead.
    async fn write_large(&self, key: &str, bytes: Bytes) -> Result<(), StoreError> {
        let begun = Instant::now();
        let mut first = pin!(self.write_once(&self.large, key, bytes.clone()));
        let sent = tokio::time::timeout(slow(bytes.len()), first.as_mut()).await;
        match sent {
            Ok(Err(_)) if begun.elapsed() >= REQUEST => {
                self.write_once(&self.large, key, bytes).await
            }
            Ok(done) => done,
            Err(_) => {
                let second = pin!(self.write_once(&self.large, key, bytes));
                let either = select_ok([first, second]).await;
                either.map(drop)
            }
        }
    }

    async fn write_once(
        &self,
        objects: &Arc<dyn ObjectStore>,
        key: &str,
        bytes: Bytes,
    ) -> Result<(), StoreError> {
        let options = PutOptions {
            mode: PutMode::Create,
            ..PutOptions::default()
        };
        let (path, length) = (
            self.below(key),
            u64::try_from(bytes.len()).unwrap_or(u64::MAX),
        );
        let what = || format!("{} did not take an object", self.url);
        match objects.put_opts(&path, bytes.into(), options).await {
            Ok(_) => Ok(()),
            // The key is of this attempt alone: an answer was lost, and the request was sent again.
            // S3 also refuses so while such a request still runs, which may fail: a row must not
            // name what is not there.
            Err(Error::AlreadyExists { source, .. }) => match self.objects.head(&path).await {
                Ok(found) if found.size == length => Ok(()),
                Ok(_) | Err(Error::NotFound { .. }) => {
                    Err(StoreError::passing(what()).because(source))
                }
                Err(error) => Err(failed(what(), error)),
            },
            Err(error) => Err(failed(what(), error)),
        }
    }

    /// The bytes under a key.
    pub(super) async fn get(&self, key: &str) -> Result<Bytes, StoreError> {
        let what = || format!("object {key} of {} was not had", self.url);
        let found = self
            .objects
            .get(&self.below(key))
            .await
            .map_err(|error| failed(what(), error))?;
        found.bytes().await.map_err(|error| failed(what(), error))
    }

    /// Deletes objects; those that are gone already are no mistake.
    pub(super) async fn delete(&self, keys: &[String]) -> Result<(), StoreError> {
        let paths: Vec<_> = keys.iter().map(|key| Ok(self.below(key))).collect();
        let mut answers = self
            .objects
            .delete_stream(futures_util::stream::iter(paths).boxed());
        while let Some(answer) = answers.next().await {
            match answer {
                Ok(_) | Err(Error::NotFound { .. }) => {}
                Err(error) => {
                    return Err(failed(
                        format!("objects of {} were not deleted", self.url),
                        error,
                    ));
                }
            }
        }
        Ok(())
    }

    /// The keys and sizes of all objects that were written before `than`, some at a time.
    pub(super) fn written_before(
        &self,
        than: Timestamp,
    ) -> BoxStream<'_, Result<Vec<(String, u64)>, StoreError>> {
        let folder = self.below(FOLDER);
        let listed = self.objects.list(Some(&folder)).filter_map(move |object| {
            let object = match object {
                Ok(object) if object.last_modified.timestamp_millis() < than.as_millis() => {
                    let key = object.location.prefix_match(&self.prefix).map(|parts| {
                        let parts: Vec<_> = parts.map(|part| part.as_ref().to_owned()).collect();
                        parts.join("/")
                    });
                    key.map(|key| Ok((key, object.size)))
                }
                Ok(_) => None,
                Err(error) => Some(Err(failed(
                    format!("the objects of {} were not listed", self.url),
                    error,
                ))),
            };
            std::future::ready(object)
        });
        listed
            .chunks(MANY)
            .map(|some| some.into_iter().collect())
            .boxed()
    }

    /// Makes the bucket that of the database with this id, unless it is another's: two databases in
    /// one bucket would collect each other's objects.
    pub(super) async fn claim(&self, id: &[u8; 32]) -> Result<(), StoreError> {
        let path = self.below(OWNER);
        let id = hex(id);
        let options = PutOptions {
            mode: PutMode::Create,
            ..PutOptions::default()
        };
        match self
            .objects
            .put_opts(&path, Bytes::from(id.clone()).into(), options)
            .await
        {
            Ok(_) => return Ok(()),
            Err(Error::AlreadyExists { .. }) => {}
            Err(error) => {
                return Err(failed(
                    format!("the bucket {} cannot be written", self.url),
                    error,
                ));
            }
        }
        if self.owner().await? == id.as_bytes() {
            return Ok(());
        }
        Err(StoreError::new(format!(
            "the bucket {} holds the bytes of another database; give each database its own bucket or prefix",
            self.url
        )))
    }

    /// True if it is the bucket of the database with this id.
    pub(super) async fn is_of(&self, id: &[u8; 32]) -> Result<bool, StoreError> {
        match self.owner().await {
            Ok(owner) => Ok(owner == hex(id).as_bytes()),
            Err(error) if error.is_passing() => Err(error),
            Err(_) => Ok(false),
        }
    }

    async fn owner(&self) -> Result<Bytes, StoreError> {
        let what = || format!("the object {OWNER} of {} cannot be read", self.url);
        let found = self
            .objects
            .get(&self.below(OWNER))
            .await
            .map_err(|error| failed(what(), error))?;
        found.bytes().await.map_err(|error| failed(what(), error))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::sync::{Mutex, PoisonError};

    use super::*;
    use crate::content::Content;
    use crate::model::{VersionId, WorkspaceId};
    use crate::store::blobs;
    use crate::store::{Change, Commit, NewContent};

    /// A status, and the length of the object that it is about.
    type Answered = (&'static str, usize);

    const AWAY: Answered = ("503 Service Unavailable", 0);

    /// No answer, on a connection that stays open.
    const HANGS: Answered = ("", 0);

    /// Reads a request; its method and path.
    fn request(stream: &mut TcpStream) -> String {
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or_default() > 0 {
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let lower = head.to_ascii_lowercase();
        let length = lower
            .split("content-length: ")
            .nth(1)
            .and_then(|rest| rest.lines().next()?.parse().ok());
        let mut body = vec![0; length.unwrap_or_default()];
        stream.read_exact(&mut body).expect("a body");
        head.split(" HTTP").next().unwrap_or_default().to_owned()
    }

    #[test]
    fn credentials_that_no_header_can_hold_are_refused() {
        for name in ["aws_access_key_id", "aws_session_token", "aws_region"] {
            for end in ["\n", " ", "ö"] {
                let options = vec![(name.to_owned(), format!("hunter22{end}"))];
                let settings = BucketSettings {
                    url: "s3://states".to_owned(),
                    endpoint: None,
                    options,
                };
                let error = objects(&settings).expect_err("it is refused").to_string();
                assert!(
                    error.starts_with(&format!("{name} holds a letter"))
                        && !error.contains("hunter22"),
                    "{error}"
                );
            }
        }
    }

    /// A service that gives these answers in turn, and then the last one for ever; its URL, and the
    /// requests that it got.
    fn service(answers: Vec<Answered>) -> (String, Arc<Mutex<Vec<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let received = Arc::clone(&requests);
        std::thread::spawn(move || {
            let (mut left, mut held) = (answers.into_iter().peekable(), Vec::new());
            for mut stream in listener.incoming().map_while(Result::ok) {
                let request = request(&mut stream);
                received
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(request);
                let (status, length) = *left.peek().expect("an answer");
                if left.len() > 1 {
                    left.next();
                }
                if (status, length) == HANGS {
                    held.push(stream);
                    continue;
                }
                let answer = format!(
                    "HTTP/1.1 {status}\r\netag: \"e\"\r\nlast-modified: Wed, 01 May 2024 10:00:00 GMT\r\ncontent-length: {length}\r\nconnection: \
                     close\r\n\r\n"
                );
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        (url, requests)
    }

    /// A bucket of each service, with these answers.
    fn buckets(answers: &[Answered]) -> Vec<(Bucket, Arc<Mutex<Vec<String>>>)> {
        let account = r#"{"disable_oauth": true, "client_email": "", "private_key": "", "private_key_id": ""}"#;
        let options: [(&str, &[(&str, &str)]); 3] = [
            (
                "s3",
                &[
                    ("aws_region", "local"),
                    ("aws_access_key_id", "k"),
                    ("aws_secret_access_key", "s3cret"),
                ],
            ),
            ("gs", &[("google_service_account_key", account)]),
            (
                "az",
                &[
                    ("azure_storage_account_name", "upstate"),
                    ("azure_storage_account_key", "czNjcmV0"),
                ],
            ),
        ];
        let made = options.map(|(scheme, options)| {
            let (url, requests) = service(answers.to_vec());
            let options = options
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            let settings = BucketSettings {
                url: format!("{scheme}://states"),
                endpoint: Some(url),
                options,
            };
            (Bucket::new(&settings).expect("a bucket"), requests)
        });
        made.into()
    }

    async fn put(bucket: &Bucket) -> Result<String, StoreError> {
        bucket.put(&[7; 32], Bytes::from_static(b"state")).await
    }

    #[tokio::test]
    async fn an_object_is_written_once_its_service_answers_again() {
        for (bucket, requests) in buckets(&[AWAY, AWAY, ("201 Created", 0)]) {
            put(&bucket).await.expect("a key");
            let requests = requests
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            assert!(
                requests.len() == 3 && requests.iter().all(|request| *request == requests[0]),
                "{requests:?}"
            );
        }
    }

    #[tokio::test]
    async fn an_object_is_written_although_a_request_hangs() {
        for (bucket, requests) in buckets(&[HANGS, ("201 Created", 0)]) {
            put(&bucket).await.expect("a key");
            let requests = requests
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            assert!(
                requests.len() == 2 && requests[0] == requests[1],
                "{requests:?}"
            );
        }
    }

    /// A large object may take longer than [`REQUEST`], so that no silence ends its request.
    #[tokio::test]
    async fn a_large_object_is_written_although_a_request_hangs() {
        for (bucket, requests) in buckets(&[HANGS, ("201 Created", 0)]) {
            let begun = Instant::now();
            let state = Bytes::from(vec![7; LARGE + 1]);
            bucket.put(&[7; 32], state).await.expect("a key");
            let requests = requests
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            assert!(
                requests.len() == 2 && requests[0] == requests[1],
                "{requests:?}"
            );
            assert!(begun.elapsed() < LONGEST / 2, "{:?}", begun.elapsed());
        }
    }

    /// A connection that is lost after that time, but before a slow bucket would be done.
    #[tokio::test]
    async fn a_large_object_is_written_although_its_connection_is_lost_late() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            request(&mut stream);
            std::thread::sleep(REQUEST + Duration::from_secs(1));
            drop(stream);
            let (mut stream, _) = listener.accept().expect("a connection");
            request(&mut stream);
            taken(&mut stream);
        });
        let bucket = bucket_at(url, &[]);
        let state = Bytes::from(vec![7; LARGE + 60 * SLOWEST]);
        let begun = Instant::now();
        bucket.put(&[7; 32], state).await.expect("a key");
        assert!(begun.elapsed() < LONGEST / 2, "{:?}", begun.elapsed());
    }

    #[tokio::test]
    async fn a_service_that_stays_away_is_a_passing_mistake_within_the_time_of_a_client() {
        for (bucket, _) in buckets(&[AWAY]) {
            let begun = Instant::now();
            let error = put(&bucket).await.expect_err("it is away");
            assert!(
                error.is_passing() && error.to_string().contains("did not take an object"),
                "{error}"
            );
            assert!(
                !error.to_string().contains("s3cret") && begun.elapsed() < Duration::from_secs(30),
                "{error}"
            );
        }
    }

    /// A bucket of a service at a URL, with these options beside those that it needs.
    fn bucket_at(url: String, further: &[(&str, &str)]) -> Bucket {
        let options = [
            ("aws_region", "local"),
            ("aws_access_key_id", "k"),
            ("aws_secret_access_key", "s3cret"),
        ];
        let settings = BucketSettings {
            url: "s3://states".to_owned(),
            endpoint: Some(url),
            options: options
                .iter()
                .chain(further)
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        };
        Bucket::new(&settings).expect("a bucket")
    }

    /// Says that an object is taken.
    fn taken(stream: &mut TcpStream) {
        let taken =
            b"HTTP/1.1 200 OK\r\netag: \"e\"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        stream.write_all(taken).expect("it is sent");
    }

    /// Takes an object later than the time of a request.
    fn take_late(listener: &TcpListener) {
        let (mut stream, _) = listener.accept().expect("a connection");
        request(&mut stream);
        std::thread::sleep(REQUEST + Duration::from_secs(1));
        taken(&mut stream);
    }

    /// A service that is slower than the time of a request, but goes on; the second request, which
    /// it never looks at, does not end the first.
    #[tokio::test]
    async fn a_slow_service_takes_what_is_large() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        std::thread::spawn(move || {
            take_late(&listener);
        });
        let bucket = bucket_at(url, &[]);
        let state = Bytes::from(vec![7; LARGE + 1]);
        bucket.put(&[7; 32], state).await.expect("a key");
    }

    #[tokio::test]
    async fn a_slow_service_gives_what_is_large() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            request(&mut stream);
            let head = b"HTTP/1.1 200 OK\r\netag: \"e\"\r\nlast-modified: Wed, 01 May 2024 10:00:00 GMT\r\ncontent-length: 3\r\n\
                connection: close\r\n\r\n";
            stream.write_all(head).expect("it is sent");
            for part in b"abc" {
                std::thread::sleep(REQUEST * 2 / 3);
                stream.write_all(&[*part]).expect("it is sent");
                stream.flush().expect("it is sent");
            }
        });
        let bucket = bucket_at(url, &[]);
        assert_eq!(&*bucket.get("blob/07").await.expect("an object"), b"abc");
    }

    /// Also for a small object, which has the shortest time.
    #[tokio::test]
    async fn the_environment_sets_how_long_a_service_may_be_silent() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        std::thread::spawn(move || {
            take_late(&listener);
        });
        let bucket = bucket_at(url, &[("aws_read_timeout", "30 seconds")]);
        put(&bucket).await.expect("a key");
    }

    #[test]
    fn more_bytes_have_more_time() {
        assert_eq!(longest(LARGE), LONGEST);
        assert_eq!(
            longest(LARGE + 10 * SLOWEST),
            LONGEST + Duration::from_secs(10)
        );
        assert_eq!(longest(usize::MAX), LONGEST_OF_ALL);
        assert_eq!(slow(LARGE), REQUEST);
        assert_eq!(
            slow(LARGE + 10 * SLOWEST),
            REQUEST + Duration::from_secs(10)
        );
        assert_eq!(slow(usize::MAX) + LONGEST, LONGEST_OF_ALL + REQUEST);
    }

    /// Answered is none before both are there.
    #[tokio::test]
    async fn a_state_and_its_json_state_do_not_wait_for_each_other() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        std::thread::spawn(move || {
            let both = listener.incoming().map_while(Result::ok).take(2);
            let mut both: Vec<TcpStream> = both.collect();
            for stream in &mut both {
                request(stream);
            }
            for stream in &mut both {
                let answer =
                    b"HTTP/1.1 200 OK\r\netag: \"e\"\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                stream.write_all(answer).expect("it is sent");
            }
        });
        let bucket = Arc::new(bucket_at(url, &[]));
        let (at, state) = (Timestamp::from_millis(1), Bytes::from_static(b"{}"));
        let content = Content::read(&state);
        let change = Change::Finalize {
            version: VersionId::new(),
            from: None,
            lineage: String::new(),
            content: Box::new(NewContent {
                state,
                compressed: None,
                json_state: Some(Bytes::from_static(b"[]")),
                finalized: content.finalized(at),
                summary: content.summary,
                types: content.types,
                report: None,
                outputs: Vec::new(),
            }),
        };
        let commit = Commit {
            workspace: WorkspaceId::new(),
            expected: 0,
            at,
            changes: vec![change],
            audit: Vec::new(),
        };
        let prepared = blobs::place(commit, None, Some(&bucket)).await;
        let placed = prepared.expect("both are written").placed;
        assert!(
            placed
                .iter()
                .all(|(state, json_state)| state.is_some() && json_state.is_some())
        );
    }

    #[test]
    fn a_url_with_a_credential_is_refused_and_not_repeated() {
        for url in [
            "az://states/infra?sv=2024-11-04&sig=s3cret",
            "az://states?sig=s3cret",
            "gs://states/infra#s3cret",
            "s3://key:s3cret@states/infra",
            "ftp://key:s3cret@states",
            "states?sig=s3cret",
        ] {
            let error = objects(&BucketSettings {
                url: url.to_owned(),
                ..BucketSettings::default()
            })
            .expect_err(url)
            .to_string();
            assert!(
                error.contains("without `?`, `#` and `@`: credentials come from the environment"),
                "{url}: {error}"
            );
            assert!(!error.contains("s3cret"), "{url}: {error}");
        }
    }

    /// The number of attempts does not end them earlier.
    #[test]
    fn requests_are_sent_again_by_time() {
        let RetryConfig {
            backoff,
            max_retries,
            retry_timeout,
        } = retries();
        let least = backoff.init_backoff * u32::try_from(max_retries).expect("a number");
        assert!(
            least >= retry_timeout,
            "{max_retries} retries may end after {least:?}"
        );
    }

    /// A service that says "it is there" is believed only if the object is there, and whole.
    #[tokio::test]
    async fn what_may_be_missing_is_not_acknowledged() {
        let (there, running) = (("412 Precondition Failed", 0), ("409 Conflict", 0));
        for (answers, is_written) in [
            (vec![AWAY, there, ("200 OK", 5)], true),
            (vec![running, ("200 OK", 5)], true),
            (vec![running, ("404 Not Found", 0)], false),
            (vec![there, ("200 OK", 3)], false),
            (vec![there, AWAY], false),
        ] {
            for (bucket, requests) in buckets(&answers) {
                let done = put(&bucket).await;
                assert_eq!(done.is_ok(), is_written, "{answers:?}: {done:?}");
                assert!(
                    done.err().is_none_or(|error| error.is_passing()),
                    "{answers:?}"
                );
                let last = requests
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .last()
                    .cloned()
                    .unwrap_or_default();
                assert!(last.starts_with("HEAD "), "{answers:?}: {last}");
            }
        }
    }
}
