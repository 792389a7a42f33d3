//! Versions of the objects in a bucket of S3, which the client of objects does not list.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use md5::Md5;
use object_store::aws::AmazonS3;
use object_store::path::Path;
use object_store::signer::{HeaderName, HeaderValue, Method, SignedUrlOptions, Signer as _};
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, StatusCode, Url};
use sha2::{Digest as _, Sha256};

use super::found::too_large;
use super::link::{ATTEMPTS, LONGEST_PAUSE, PAGE, PATIENCE, PAUSE, distrust};
use crate::authorities;
use crate::causes::with_causes;
use crate::content::hex;
use crate::model::Timestamp;
use crate::store::{BucketSettings, signer};

/// The time for which a signed URL works; a quarter of an hour, because clocks differ.
const SIGNED: Duration = Duration::from_mins(15);

/// The end of the mark that an object was deleted.
const DELETED: &str = "</DeleteMarker>";

/// The versions of the objects of a bucket.
#[derive(Debug)]
pub(super) struct ObjectVersions {
    s3: AmazonS3,
    client: Client,
}

/// A version of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObjectVersion {
    pub(super) id: String,
    pub(super) created_at: Option<Timestamp>,
}

/// The reason for which an answer is missing.
#[derive(Debug)]
enum Unanswered {
    /// The service refuses it, with this status, and its word for it.
    Refused(StatusCode, String),
    Other(String),
}

/// A part of the list of an object's versions, the newest first.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    versions: Vec<ObjectVersion>,
    /// The key and the id after which the next part begins.
    next: Option<(String, String)>,
}

impl ObjectVersions {
    /// Those of a bucket of S3; none of another service's. Nothing is asked of the bucket yet.
    pub(super) fn new(settings: &BucketSettings) -> Result<Option<Self>, String> {
        let Some(s3) = signer(settings).map_err(|error| error.to_string())? else {
            return Ok(None);
        };
        let client = Client::builder()
            .connect_timeout(PATIENCE)
            .read_timeout(PATIENCE)
            .redirect(Policy::none());
        let client = authorities::added(client).and_then(ClientBuilder::build);
        let client = client.map_err(|error| format!("no client can be made: {error}"))?;
        Ok(Some(Self { s3, client }))
    }

    /// The versions of an object since it was deleted last, the oldest first; `None` if the bucket
    /// keeps none.
    pub(super) async fn of(&self, key: &Path) -> Result<Option<Vec<ObjectVersion>>, String> {
        let name: &str = key.as_ref();
        let mut versions: Vec<ObjectVersion> = Vec::new();
        let mut after: Option<(String, String)> = None;
        loop {
            let mut query = vec![("versions", ""), ("prefix", name)];
            if let Some((key, id)) = &after {
                query.extend([
                    ("key-marker", key.as_str()),
                    ("version-id-marker", id.as_str()),
                ]);
            }
            let options = SignedUrlOptions::new().with_query(query);
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
                        "the versions of {key} cannot be listed ({why}): allow s3:ListBucketVersions and s3:GetObjectVersion, or import \
                         the newest state alone with --current-only"
                    ));
                }
                Err(Unanswered::Refused(_, why) | Unanswered::Other(why)) => {
                    return Err(format!("the versions of {key} cannot be listed: {why}"));
                }
            };
            let page = String::from_utf8_lossy(&page);
            if page.contains("<ListBucketResult") {
                return Ok(None);
            }
            let cut_off = || format!("the list of the versions of {key} is not whole; try again");
            let part = part(&page, name).ok_or_else(cut_off)?;
            versions.extend(part.versions);
            match part.next {
                // Otherwise the same part would come for ever.
                Some(next) if after.as_ref() == Some(&next) => return Err(cut_off()),
                Some(next) => after = Some(next),
                None => break,
            }
        }
        versions.reverse();
        match versions.as_slice() {
            [] => Err(format!(
                "{key} is not in the list of its versions; try again"
            )),
            // The one of a bucket that was never versioned.
            [only] if only.id == "null" => Ok(None),
            [..] => Ok(Some(versions)),
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
            let url = self
                .s3
                .signed_url_opts(Method::GET, path, SIGNED, options)
                .await;
            let url = url.map_err(|error| Unanswered::Other(with_causes(&error)))?;
            match self.once(url, &options.signed_headers, most).await {
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
        headers: &HeaderMap,
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
            .headers(headers.clone())
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

/// The content of the first element of this name that holds no others.
fn member(xml: &str, name: &str) -> Option<String> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    let (content, _) = rest.split_once(&format!("</{name}>"))?;
    let marks = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
    ];
    let plain = marks.iter().fold(content.to_owned(), |plain, (from, to)| {
        plain.replace(from, to)
    });
    // Last, because what it makes may look as one of the others.
    Some(plain.replace("&amp;", "&"))
}

/// Reads a part of the list of an object's versions, up to the mark that it was deleted; `None` if
/// the part is not whole.
///
/// The elements are read in their order, because the times of the service are in whole seconds.
fn part(xml: &str, key: &str) -> Option<Part> {
    let xml = xml.trim_end().strip_suffix("</ListVersionsResult>")?;
    let mut part = Part {
        versions: Vec::new(),
        next: None,
    };
    for piece in xml
        .split_inclusive("</Version>")
        .flat_map(|piece| piece.split_inclusive(DELETED))
    {
        let is_deleted = piece.ends_with(DELETED);
        let start = if is_deleted {
            "<DeleteMarker>"
        } else {
            "<Version>"
        };
        // Without a start, it is what is behind the last element.
        let Some((_, element)) = piece.rsplit_once(start) else {
            continue;
        };
        // Other keys come later, because the list is by key.
        if is_deleted || member(element, "Key")? != key {
            return Some(part);
        }
        let created_at = member(element, "LastModified").and_then(|time| Timestamp::parse(&time));
        part.versions.push(ObjectVersion {
            id: member(element, "VersionId")?,
            created_at,
        });
    }
    if member(xml, "IsTruncated").as_deref() == Some("true") {
        // Without both, the older versions would be left out as if there were none.
        part.next = Some((
            member(xml, "NextKeyMarker")?,
            member(xml, "NextVersionIdMarker")?,
        ));
    }
    Some(part)
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

    fn version(id: &str, time: &str) -> ObjectVersion {
        ObjectVersion {
            id: id.to_owned(),
            created_at: Timestamp::parse(time),
        }
    }

    /// A list, with these elements: their kind, their key, and their id.
    fn list(head: &str, elements: &[(&str, &str, &str)]) -> String {
        let elements = elements.iter().map(|(kind, key, id)| {
            format!(
                "\n  <{kind}>\n    <Key>{key}</Key>\n    <VersionId>{id}</VersionId>\n    <IsLatest>false</IsLatest>\n    \
                 <LastModified>2024-05-01T10:00:00.000Z</LastModified>\n    <Owner><ID>o</ID></Owner>\n  </{kind}>"
            )
        });
        let elements: String = elements.collect();
        format!(
            "<?xml version=\"1.0\"?>\n<ListVersionsResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">{head}{elements}\n</ListVersionsResult>\n"
        )
    }

    #[test]
    fn the_versions_of_a_key_end_where_it_was_deleted_or_another_key_begins() {
        let time = "2024-05-01T10:00:00.000Z";
        let more = "<IsTruncated>true</IsTruncated><NextKeyMarker>a&amp;lt;b</NextKeyMarker><NextVersionIdMarker>2</NextVersionIdMarker>";
        let key = "a&amp;lt;b";
        let next = Some(("a&lt;b".to_owned(), "2".to_owned()));
        let both = vec![version("3", time), version("2", time)];
        for (head, elements, expected) in [
            (
                more,
                vec![("Version", key, "3"), ("Version", key, "2")],
                Part {
                    versions: both.clone(),
                    next,
                },
            ),
            (
                "",
                vec![("Version", key, "3"), ("Version", key, "2")],
                Part {
                    versions: both,
                    next: None,
                },
            ),
            (
                more,
                vec![
                    ("Version", key, "3"),
                    ("DeleteMarker", key, "x"),
                    ("Version", key, "1"),
                ],
                Part {
                    versions: vec![version("3", time)],
                    next: None,
                },
            ),
            (
                more,
                vec![("DeleteMarker", key, "x"), ("Version", key, "1")],
                Part {
                    versions: Vec::new(),
                    next: None,
                },
            ),
            (
                more,
                vec![("Version", key, "3"), ("Version", "a&amp;lt;b.tflock", "l")],
                Part {
                    versions: vec![version("3", time)],
                    next: None,
                },
            ),
            (
                "",
                Vec::new(),
                Part {
                    versions: Vec::new(),
                    next: None,
                },
            ),
        ] {
            assert_eq!(
                part(&list(head, &elements), "a&lt;b"),
                Some(expected),
                "{elements:?}"
            );
        }
        let cut = list("", &[("Version", "a", "3"), ("Version", "a", "2")]);
        for end in [cut.len() - 3, cut.len() / 2, 0] {
            assert_eq!(part(&cut[..end], "a"), None, "{end}");
        }
        let unmarked = "<IsTruncated>true</IsTruncated><NextKeyMarker>a</NextKeyMarker>";
        assert_eq!(part(&list(unmarked, &[("Version", "a", "3")]), "a"), None);
    }

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
