//! Versions of the objects in a bucket, which the client of objects does not list.

use std::collections::HashSet;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use md5::Md5;
use object_store::azure::AzureAuthorizer;
use object_store::client::{HttpRequest, HttpRequestBody};
use object_store::path::Path;
use object_store::signer::{HeaderName, HeaderValue, Method, SignedUrlOptions, Signer as _};
use reqwest::header::{AUTHORIZATION, HeaderMap};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, StatusCode, Url};
use sha2::{Digest as _, Sha256};

use super::found::too_large;
use super::link::{ATTEMPTS, LONGEST_PAUSE, PAGE, PATIENCE, PAUSE, distrust};
use super::version_lists::{
    ObjectVersion, UNVERSIONED, leased, member, of_azure, of_google, of_s3,
};
use crate::authorities;
use crate::causes::with_causes;
use crate::content::hex;
use crate::store::{BucketSettings, Signer, signer};

/// The time for which a signed URL works; a quarter of an hour, because clocks differ.
const SIGNED: Duration = Duration::from_mins(15);

/// The versions of the objects of a bucket.
#[derive(Debug)]
pub(super) struct ObjectVersions {
    signer: Signer,
    client: Client,
}

/// The reason for which an answer is missing.
#[derive(Debug)]
enum Unanswered {
    /// The service refuses it, with this status, and its word for it.
    Refused(StatusCode, String),
    Other(String),
}

impl ObjectVersions {
    /// Those of a bucket; none if its service has none. Nothing is asked of the bucket yet.
    pub(super) fn new(settings: &BucketSettings) -> Result<Option<Self>, String> {
        let Some(signer) = signer(settings).map_err(|error| error.to_string())? else {
            return Ok(None);
        };
        let client = Client::builder()
            .connect_timeout(PATIENCE)
            .read_timeout(PATIENCE)
            .redirect(Policy::none());
        let client = authorities::added(client).and_then(ClientBuilder::build);
        let client = client.map_err(|error| format!("no client can be made: {error}"))?;
        Ok(Some(Self { signer, client }))
    }

    /// True if the service sends the digest of a version with its bytes, so that they are read
    /// here.
    pub(super) fn has_digests(&self) -> bool {
        match &self.signer {
            Signer::S3(_) => true,
            Signer::Google { .. } | Signer::Azure { .. } => false,
        }
    }

    /// The versions of an object, the oldest first, with S3 since it was deleted last; `None` if
    /// the bucket keeps none.
    pub(super) async fn of(&self, key: &Path) -> Result<Option<Vec<ObjectVersion>>, String> {
        let name: &str = key.as_ref();
        let (parameters, permissions): (&[(&str, &str)], &str) = match &self.signer {
            Signer::S3(_) => (
                &[("versions", "")],
                "s3:ListBucketVersions and s3:GetObjectVersion",
            ),
            Signer::Google { .. } => (
                &[
                    ("versions", "true"),
                    (
                        "fields",
                        "nextPageToken,items(name,generation,timeCreated,md5Hash)",
                    ),
                ],
                "storage.objects.list and storage.objects.get",
            ),
            Signer::Azure { .. } => (
                &[
                    ("restype", "container"),
                    ("comp", "list"),
                    ("include", "versions"),
                ],
                "what the role Storage Blob Data Reader may do",
            ),
        };
        let mut versions: Vec<ObjectVersion> = Vec::new();
        let mut after: Vec<(&str, String)> = Vec::new();
        let mut seen = HashSet::new();
        loop {
            let options = SignedUrlOptions::new()
                .with_query(parameters.iter().copied())
                .with_query([("prefix", name)])
                .with_query(after.clone());
            let page = match self.get(&Path::default(), &options, PAGE).await {
                Ok((_, page)) => page,
                // A service that keeps no versions does not know the request, or takes it for that
                // of the usual list.
                Err(Unanswered::Refused(
                    StatusCode::NOT_IMPLEMENTED | StatusCode::METHOD_NOT_ALLOWED,
                    _,
                )) => return Ok(None),
                Err(Unanswered::Refused(StatusCode::FORBIDDEN, why)) => {
                    return Err(format!(
                        "the versions of {key} cannot be listed ({why}): allow {permissions}, or import the newest state alone with \
                         --current-only"
                    ));
                }
                Err(Unanswered::Refused(_, why) | Unanswered::Other(why)) => {
                    return Err(format!(
                        "the versions of {key} cannot be listed: {why}; --current-only imports the newest state alone"
                    ));
                }
            };
            let page = String::from_utf8_lossy(&page);
            let part = match &self.signer {
                Signer::S3(_) if page.contains("<ListBucketResult") => return Ok(None),
                Signer::S3(_) => of_s3(&page, name),
                Signer::Google { .. } => of_google(&page, name),
                Signer::Azure { .. } => of_azure(&page, name),
            };
            let cut_off = || format!("the list of the versions of {key} is not whole; try again");
            let part = part.ok_or_else(cut_off)?;
            versions.extend(part.versions);
            if part.next.is_empty() {
                break;
            }
            // Otherwise the same parts would come for ever.
            if !seen.insert(part.next.clone()) {
                return Err(cut_off());
            }
            after = part.next;
        }
        match &self.signer {
            Signer::S3(_) => versions.reverse(),
            // By number, or by time; one without either is newer, because it is current.
            Signer::Google { .. } | Signer::Azure { .. } => {
                versions.sort_by_cached_key(|version| {
                    let is_unversioned = version.id == UNVERSIONED;
                    (is_unversioned, version.id.len(), version.id.clone())
                });
            }
        }
        // The backend `azurerm` keeps its lock beside the bytes, and makes a version each time.
        versions.dedup_by(|version, before| version.md5.is_some() && version.md5 == before.md5);
        match versions.as_slice() {
            [] => Err(format!(
                "{key} is not in the list of its versions; try again"
            )),
            // The one of a bucket that was never versioned.
            [only] if only.id == UNVERSIONED => Ok(None),
            [..] => Ok(Some(versions)),
        }
    }

    /// The keys below a path whose objects have a lease, which is the lock of the backend `azurerm`;
    /// none where the service has no leases.
    pub(super) async fn leased(&self, below: &Path) -> Result<HashSet<String>, String> {
        let mut keys = HashSet::new();
        match &self.signer {
            Signer::S3(_) | Signer::Google { .. } => return Ok(keys),
            Signer::Azure { .. } => {}
        }
        // As the client lists objects: without the end, keys beside the path would come along.
        let prefix = if below.is_root() {
            String::new()
        } else {
            format!("{below}/")
        };
        let mut after: Vec<(&str, String)> = Vec::new();
        let mut seen = HashSet::new();
        loop {
            let options = SignedUrlOptions::new()
                .with_query([("restype", "container"), ("comp", "list")])
                .with_query([("prefix", prefix.as_str())])
                .with_query(after.clone());
            let page = match self.get(&Path::default(), &options, PAGE).await {
                Ok((_, page)) => page,
                Err(Unanswered::Refused(_, why) | Unanswered::Other(why)) => {
                    return Err(format!("the leases of the objects cannot be listed: {why}"));
                }
            };
            let cut_off = || "the list of the leases is not whole; try again".to_owned();
            let (some, next) = leased(&String::from_utf8_lossy(&page)).ok_or_else(cut_off)?;
            keys.extend(some);
            if next.is_empty() {
                return Ok(keys);
            }
            // Otherwise the same parts would come for ever.
            if !seen.insert(next.clone()) {
                return Err(cut_off());
            }
            after = next;
        }
    }

    /// The bytes of a version, if their digest is the one that the service has.
    pub(super) async fn bytes(&self, key: &Path, id: &str, most: usize) -> Result<Bytes, String> {
        let mode = (
            HeaderName::from_static("x-amz-checksum-mode"),
            HeaderValue::from_static("ENABLED"),
        );
        let options = SignedUrlOptions::new()
            .with_query([("versionId", id)])
            .with_signed_header(mode.0, mode.1);
        match self.get(key, &options, most).await {
            Ok((headers, bytes)) => match difference(&headers, &bytes) {
                Some(why) => Err(format!("version {id} of {key} is damaged: {why}")),
                None => Ok(bytes),
            },
            Err(Unanswered::Refused(_, why) | Unanswered::Other(why)) => {
                Err(format!("version {id} of {key} cannot be read: {why}"))
            }
        }
    }

    /// The URL and the headers of a request, which is for the list if its service is not S3.
    async fn signed(
        &self,
        path: &Path,
        options: &SignedUrlOptions,
    ) -> Result<(Url, HeaderMap), String> {
        let why = |error: object_store::Error| with_causes(&error);
        match &self.signer {
            Signer::S3(s3) => {
                let url = s3.signed_url_opts(Method::GET, path, SIGNED, options).await;
                Ok((url.map_err(why)?, options.signed_headers.clone()))
            }
            Signer::Google {
                credentials,
                address,
                bucket,
            } => {
                let below = ["storage", "v1", "b", bucket.as_str(), "o"];
                let url = url_below(address, &below, options)?;
                let token = credentials.get_credential().await.map_err(why)?;
                let token = HeaderValue::from_str(&format!("Bearer {}", token.bearer))
                    .map_err(|_| "the token holds a letter that it cannot have".to_owned())?;
                let mut headers = HeaderMap::new();
                headers.insert(AUTHORIZATION, token);
                Ok((url, headers))
            }
            Signer::Azure {
                credentials,
                account,
                address,
                container,
            } => {
                let url = url_below(address, &[container.as_str()], options)?;
                let credential = credentials.get_credential().await.map_err(why)?;
                let request: http::Result<HttpRequest> =
                    http::Request::get(url.as_str()).body(HttpRequestBody::empty());
                let mut request = request.map_err(|error| error.to_string())?;
                AzureAuthorizer::new(&credential, account)
                    .try_authorize(&mut request)
                    .map_err(why)?;
                // Its own, because a signature of the account comes into the query.
                let url = Url::parse(&request.uri().to_string());
                let url = url.map_err(|error| error.to_string())?;
                Ok((url, request.headers().clone()))
            }
        }
    }

    /// Sends a request until it is answered.
    async fn get(
        &self,
        path: &Path,
        options: &SignedUrlOptions,
        most: usize,
    ) -> Result<(HeaderMap, Bytes), Unanswered> {
        let mut pause = PAUSE;
        for attempt in 1..=ATTEMPTS {
            // Signed each time, because the credentials of a machine end.
            let signed = self.signed(path, options).await;
            let (url, headers) = signed.map_err(Unanswered::Other)?;
            match self.once(url, headers, most).await {
                Ok(answer) => return Ok(answer),
                Err((_, may_pass)) if may_pass && attempt < ATTEMPTS => {
                    tokio::time::sleep(pause).await;
                    pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
                }
                Err((why, _)) => return Err(why),
            }
        }
        Err(Unanswered::Other("it did not answer".to_owned()))
    }

    /// The answer to one request, of at most so many bytes; an error comes with true if another
    /// attempt may be answered.
    async fn once(
        &self,
        url: Url,
        headers: HeaderMap,
        most: usize,
    ) -> Result<(HeaderMap, Bytes), (Unanswered, bool)> {
        let failed = |error: reqwest::Error| match distrust(&error) {
            Some(why) => (Unanswered::Other(why), false),
            // Without the URL, which is signed.
            None => (Unanswered::Other(with_causes(&error.without_url())), true),
        };
        let mut response = self
            .client
            .get(url)
            .headers(headers)
            .send()
            .await
            .map_err(failed)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if bytes.len() + chunk.len() > most {
                return Err((Unanswered::Other(too_large(most)), false));
            }
            bytes.extend_from_slice(&chunk);
        }
        if status == StatusCode::OK {
            return Ok((headers, bytes.into()));
        }
        let may_pass = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
        let code = member(&String::from_utf8_lossy(&bytes), "Code");
        let why = code.map_or_else(|| status.to_string(), |code| format!("{status}, {code}"));
        Err((
            Unanswered::Refused(status, why),
            may_pass && status != StatusCode::NOT_IMPLEMENTED,
        ))
    }
}

/// A URL below the address of a service, with a query.
fn url_below(address: &str, below: &[&str], options: &SignedUrlOptions) -> Result<Url, String> {
    let wrong = || format!("{address:?} is not the address of a service");
    let mut url = Url::parse(address).map_err(|_| wrong())?;
    url.path_segments_mut()
        .map_err(|()| wrong())?
        .pop_if_empty()
        .extend(below);
    url.query_pairs_mut().extend_pairs(&options.extra_query);
    Ok(url)
}

/// The difference between bytes and the digest that the service has of them, if it gives one.
fn difference(headers: &HeaderMap, bytes: &[u8]) -> Option<String> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    // Not one with a number of parts, because that is the digest of their digests.
    let sha256 = header("x-amz-checksum-sha256").filter(|digest| !digest.contains('-'));
    let (what, expected, found) = if let Some(expected) = sha256 {
        ("SHA-256", expected, STANDARD.encode(Sha256::digest(bytes)))
    } else {
        // The tag is the MD5 only if the object was put in one piece, and no key of a client or of
        // KMS encrypts it.
        let is_by_key = header("x-amz-server-side-encryption").is_some_and(|by| by != "AES256")
            || header("x-amz-server-side-encryption-customer-algorithm").is_some();
        let tag = header("etag")
            .map(|tag| tag.trim_matches('"'))
            .filter(|_| !is_by_key)?;
        let is_md5 = tag.len() == 32 && tag.bytes().all(|byte| byte.is_ascii_hexdigit());
        (
            "MD5",
            Some(tag).filter(|_| is_md5)?,
            hex(&Md5::digest(bytes)),
        )
    };
    (expected != found).then(|| format!("its {what} is {found}, expected {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_compared_with_each_digest_that_is_one_of_them() {
        let is_other = |headers: &[(&'static str, &str)]| {
            let mut all = HeaderMap::new();
            for (name, value) in headers {
                all.insert(*name, HeaderValue::from_str(value).expect("a header"));
            }
            difference(&all, b"state").is_some()
        };
        let (md5, other) = (
            format!("\"{}\"", hex(&Md5::digest(b"state"))),
            format!("\"{}\"", hex(&Md5::digest(b"other"))),
        );
        let sha256 = STANDARD.encode(Sha256::digest(b"state"));
        let parts = format!("{sha256}-1");
        for (headers, expected) in [
            (vec![], false),
            (vec![("etag", md5.as_str())], false),
            (vec![("etag", other.as_str())], true),
            (
                vec![
                    ("etag", other.as_str()),
                    ("x-amz-server-side-encryption", "AES256"),
                ],
                true,
            ),
            (
                vec![
                    ("etag", other.as_str()),
                    ("x-amz-server-side-encryption", "aws:kms"),
                ],
                false,
            ),
            (
                vec![
                    ("etag", other.as_str()),
                    ("x-amz-server-side-encryption-customer-algorithm", "AES256"),
                ],
                false,
            ),
            (
                vec![("etag", "\"d41d8cd98f00b204e9800998ecf8427e-2\"")],
                false,
            ),
            (
                vec![
                    ("etag", other.as_str()),
                    ("x-amz-checksum-sha256", sha256.as_str()),
                ],
                false,
            ),
            (
                vec![
                    ("etag", md5.as_str()),
                    ("x-amz-checksum-sha256", "b3RoZXI="),
                ],
                true,
            ),
            (
                vec![
                    ("etag", md5.as_str()),
                    ("x-amz-checksum-sha256", parts.as_str()),
                ],
                false,
            ),
        ] {
            assert_eq!(is_other(&headers), expected, "{headers:?}");
        }
    }
}
