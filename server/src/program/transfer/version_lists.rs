//! Lists of the versions of an object, as the services of buckets write them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use crate::content::hex;
use crate::model::Timestamp;

/// The end of the mark that an object was deleted.
const DELETED: &str = "</DeleteMarker>";

/// The end of a version in a list of Azure's.
const BLOB: &str = "</Blob>";

/// The id of a version that was written while the bucket kept none.
pub(super) const UNVERSIONED: &str = "null";

/// A version of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObjectVersion {
    pub(super) id: String,
    pub(super) created_at: Option<Timestamp>,
    pub(super) md5: Option<String>,
}

/// A part of the list of an object's versions, in the order of the service.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) versions: Vec<ObjectVersion>,
    /// The parameters of a request for the next part; empty if there is none.
    pub(super) next: Query,
}

/// The parameters of a request.
pub(super) type Query = Vec<(&'static str, String)>;

/// A list of Google's.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Objects {
    #[serde(default)]
    items: Vec<Object>,
    next_page_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Object {
    name: String,
    generation: String,
    time_created: Option<String>,
    md5_hash: Option<String>,
}

/// The content of the first element of this name that holds no others.
pub(super) fn member(xml: &str, name: &str) -> Option<String> {
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

/// Reads a part of the list of S3, the newest version first, up to the mark that the object was
/// deleted; `None` if the part is not whole.
///
/// The elements are read in their order, because the times of the service are in whole seconds.
pub(super) fn of_s3(xml: &str, key: &str) -> Option<Part> {
    let xml = xml.trim_end().strip_suffix("</ListVersionsResult>")?;
    let mut part = Part::default();
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
            md5: None,
        });
    }
    if member(xml, "IsTruncated").as_deref() == Some("true") {
        // Without both, the older versions would be left out as if there were none.
        part.next = vec![
            ("key-marker", member(xml, "NextKeyMarker")?),
            ("version-id-marker", member(xml, "NextVersionIdMarker")?),
        ];
    }
    Some(part)
}

/// Reads a part of the list of Google's; `None` if the part is not whole.
pub(super) fn of_google(json: &str, key: &str) -> Option<Part> {
    let list: Objects = serde_json::from_str(json).ok()?;
    let mut part = Part::default();
    for object in list.items {
        // Other keys come later, because the list is by key.
        if object.name != key {
            return Some(part);
        }
        let created_at = object.time_created.as_deref().and_then(Timestamp::parse);
        part.versions.push(ObjectVersion {
            id: object.generation,
            created_at,
            md5: object.md5_hash.as_deref().and_then(md5),
        });
    }
    let next = list.next_page_token.filter(|token| !token.is_empty());
    part.next = next.map(|token| ("pageToken", token)).into_iter().collect();
    Some(part)
}

/// Reads a part of the list of Azure's, where the id of a version is its time; `None` if the part
/// is not whole.
pub(super) fn of_azure(xml: &str, key: &str) -> Option<Part> {
    let xml = whole(xml)?;
    let mut part = Part::default();
    for element in blobs(xml)? {
        if member(element, "Name")? != key {
            return Some(part);
        }
        let id = member(element, "VersionId").unwrap_or_else(|| UNVERSIONED.to_owned());
        part.versions.push(ObjectVersion {
            created_at: Timestamp::parse(&id),
            id,
            md5: member(element, "Content-MD5").as_deref().and_then(md5),
        });
    }
    part.next = next_marker(xml);
    Some(part)
}

/// Reads a part of the list of Azure's objects: the keys of those that have a lease, and the
/// parameters of a request for the next part; `None` if the part is not whole.
pub(super) fn leased(xml: &str) -> Option<(Vec<String>, Query)> {
    let xml = whole(xml)?;
    let mut keys = Vec::new();
    for element in blobs(xml)? {
        if member(element, "LeaseStatus").as_deref() == Some("locked") {
            keys.push(member(element, "Name")?);
        }
    }
    Some((keys, next_marker(xml)))
}

/// A list of Azure's without its end; `None` if it has none.
fn whole(xml: &str) -> Option<&str> {
    xml.trim_end().strip_suffix("</EnumerationResults>")
}

/// The objects in a list of Azure's.
fn blobs(xml: &str) -> Option<Vec<&str>> {
    // Without an end, it is what is behind the last one.
    let pieces = xml
        .split_inclusive(BLOB)
        .filter_map(|piece| piece.strip_suffix(BLOB));
    pieces
        .map(|piece| piece.rsplit_once("<Blob>").map(|(_, element)| element))
        .collect()
}

/// The parameters of a request for the next part of a list of Azure's.
fn next_marker(xml: &str) -> Query {
    let next = member(xml, "NextMarker").filter(|marker| !marker.is_empty());
    next.map(|marker| ("marker", marker)).into_iter().collect()
}

/// An MD5 that is in base64, as it is written here.
fn md5(base64: &str) -> Option<String> {
    let digest = STANDARD.decode(base64).ok()?;
    (digest.len() == 16).then(|| hex(&digest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(id: &str, time: &str) -> ObjectVersion {
        ObjectVersion {
            id: id.to_owned(),
            created_at: Timestamp::parse(time),
            md5: None,
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
    fn a_list_of_s3_ends_where_the_object_was_deleted_or_another_key_begins() {
        let time = "2024-05-01T10:00:00.000Z";
        let more = "<IsTruncated>true</IsTruncated><NextKeyMarker>a&amp;lt;b</NextKeyMarker><NextVersionIdMarker>2</NextVersionIdMarker>";
        let key = "a&amp;lt;b";
        let next = vec![
            ("key-marker", "a&lt;b".to_owned()),
            ("version-id-marker", "2".to_owned()),
        ];
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
                    next: Vec::new(),
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
                    next: Vec::new(),
                },
            ),
            (
                more,
                vec![("DeleteMarker", key, "x"), ("Version", key, "1")],
                Part::default(),
            ),
            (
                more,
                vec![("Version", key, "3"), ("Version", "a&amp;lt;b.tflock", "l")],
                Part {
                    versions: vec![version("3", time)],
                    next: Vec::new(),
                },
            ),
            ("", Vec::new(), Part::default()),
        ] {
            assert_eq!(
                of_s3(&list(head, &elements), "a&lt;b"),
                Some(expected),
                "{elements:?}"
            );
        }
        let cut = list("", &[("Version", "a", "3"), ("Version", "a", "2")]);
        for end in [cut.len() - 3, cut.len() / 2, 0] {
            assert_eq!(of_s3(&cut[..end], "a"), None, "{end}");
        }
        let unmarked = "<IsTruncated>true</IsTruncated><NextKeyMarker>a</NextKeyMarker>";
        assert_eq!(of_s3(&list(unmarked, &[("Version", "a", "3")]), "a"), None);
    }

    /// A digest and the form in which the services write it.
    const MD5: (&str, &str) = (
        "5d41402abc4b2a76b9719d911017c592",
        "XUFAKrxLKna5cZ2REBfFkg==",
    );

    #[test]
    fn a_list_of_google_ends_where_another_key_begins() {
        let object = |name: &str, generation: &str| {
            format!(
                r#"{{"name": "{name}", "generation": "{generation}", "timeCreated": "2024-05-01T10:00:00.123Z", "md5Hash": "{}"}}"#,
                MD5.1
            )
        };
        let one = ObjectVersion {
            md5: Some(MD5.0.to_owned()),
            ..version("1714", "2024-05-01T10:00:00.123Z")
        };
        for (items, token, next) in [
            (
                object("a", "1714"),
                "t1",
                vec![("pageToken", "t1".to_owned())],
            ),
            (object("a", "1714"), "", Vec::new()),
            (
                [object("a", "1714"), object("a.tflock", "3")].join(", "),
                "t1",
                Vec::new(),
            ),
        ] {
            let list = format!(r#"{{"items": [{items}], "nextPageToken": "{token}"}}"#);
            let versions = vec![one.clone()];
            assert_eq!(
                of_google(&list, "a"),
                Some(Part { versions, next }),
                "{list}"
            );
            assert_eq!(of_google(&list[..list.len() - 2], "a"), None);
        }
        assert_eq!(of_google("{}", "a"), Some(Part::default()));
        assert_eq!(of_google(r#"{"items": [{"name": "a"}]}"#, "a"), None);
    }

    #[test]
    fn a_list_of_azure_ends_where_another_key_begins() {
        let time = "2024-05-01T10:00:00.1234567Z";
        let blob = |name: &str, id: &str| {
            format!(
                "<Blob><Name>{name}</Name>{id}<Properties><Content-MD5>{}</Content-MD5></Properties><OrMetadata /></Blob>",
                MD5.1
            )
        };
        let id = format!("<VersionId>{time}</VersionId><IsCurrentVersion>true</IsCurrentVersion>");
        let list = |blobs: &str, marker: &str| {
            format!(
                "<?xml version=\"1.0\"?><EnumerationResults ContainerName=\"c\"><Blobs>{blobs}</Blobs>{marker}</EnumerationResults>"
            )
        };
        let one = ObjectVersion {
            md5: Some(MD5.0.to_owned()),
            ..version(time, time)
        };
        let unversioned = ObjectVersion {
            id: UNVERSIONED.to_owned(),
            created_at: None,
            ..one.clone()
        };
        let more = "<NextMarker>2!a</NextMarker>";
        let next = vec![("marker", "2!a".to_owned())];
        for (blobs, marker, versions, next) in [
            (blob("a&amp;b", &id), more, vec![one.clone()], next),
            (
                blob("a&amp;b", &id) + &blob("a&amp;b", ""),
                "<NextMarker />",
                vec![one.clone(), unversioned],
                Vec::new(),
            ),
            (
                blob("a&amp;b", &id) + &blob("a&amp;b.tflock", &id),
                more,
                vec![one],
                Vec::new(),
            ),
            (String::new(), "<NextMarker />", Vec::new(), Vec::new()),
        ] {
            let list = list(&blobs, marker);
            assert_eq!(
                of_azure(&list, "a&b"),
                Some(Part { versions, next }),
                "{list}"
            );
            assert_eq!(of_azure(&list[..list.len() - 3], "a&b"), None);
        }
    }

    #[test]
    fn the_objects_of_azure_with_a_lease_are_found() {
        let blob = |name: &str, status: &str| {
            format!(
                "<Blob><Name>{name}</Name><Properties><LeaseStatus>{status}</LeaseStatus></Properties></Blob>"
            )
        };
        let blobs = blob("a&amp;b", "locked") + &blob("c", "unlocked") + &blob("d", "locked");
        for (marker, next) in [
            ("<NextMarker />", Vec::new()),
            (
                "<NextMarker>2!a</NextMarker>",
                vec![("marker", "2!a".to_owned())],
            ),
        ] {
            let list =
                format!("<EnumerationResults><Blobs>{blobs}</Blobs>{marker}</EnumerationResults>");
            let keys = vec!["a&b".to_owned(), "d".to_owned()];
            assert_eq!(leased(&list), Some((keys, next)));
            assert_eq!(leased(&list[..list.len() - 3]), None);
        }
    }
}
