//! Imports from buckets of Google's and containers of Azure's, whose services are played here.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest as _, Md5};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::program;
use super::transfer::{ask, done, elsewhere, history, refused, request_of, state};

/// Serves these answers to the heads of requests; its URL.
fn serve(answer: impl Fn(&str) -> (String, String) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let Some((head, _)) = request_of(&mut stream) else {
                continue;
            };
            let (answered, body) = answer(&head);
            let answer = format!(
                "HTTP/1.1 {answered}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    url
}

/// The services whose lists have the digest of each version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Service {
    Google,
    Azure,
}

/// The states of an object by the day on which they were written, the oldest first.
type Written = Vec<(u32, String)>;

/// A bucket that keeps versions; its lists come in parts of two.
struct Bucket {
    service: Service,
    objects: Mutex<BTreeMap<&'static str, Written>>,
    downloads: AtomicUsize,
}

impl Bucket {
    fn id(&self, day: u32) -> String {
        match self.service {
            Service::Google => format!("17145600000000{day:02}"),
            Service::Azure => format!("2024-05-{day:02}T10:00:00.0000000Z"),
        }
    }

    fn answer(&self, head: &str) -> (String, String) {
        let path = head.split(' ').nth(1).expect("a path");
        let path = percent_decode_str(path).decode_utf8_lossy().into_owned();
        let (route, query) = path.split_once('?').unwrap_or((path.as_str(), ""));
        let values: BTreeMap<&str, &str> = query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .collect();
        let objects = self.objects.lock().expect("no panic");
        let is_of_versions = match self.service {
            Service::Google => route == "/storage/v1/b/states/o",
            Service::Azure => values.get("include") == Some(&"versions"),
        };
        if is_of_versions {
            let signed = match self.service {
                Service::Google => "authorization: bearer t0ken\r\n",
                Service::Azure => "authorization: sharedkey upstate:",
            };
            assert!(head.to_ascii_lowercase().contains(signed), "{head}");
            let prefix = values["prefix"];
            if prefix.starts_with("denied") {
                let why = "<Error><Code>AuthorizationFailure</Code></Error>";
                return ("403 Forbidden".to_owned(), why.to_owned());
            }
            let all: Vec<(&str, u32, &str)> = objects
                .iter()
                .filter(|(key, _)| key.starts_with(prefix))
                .flat_map(|(key, written)| {
                    written
                        .iter()
                        .map(move |(day, text)| (*key, *day, text.as_str()))
                })
                .collect();
            let after = values.get("pageToken").or(values.get("marker"));
            let from: usize = after.map_or(0, |after| after.parse().expect("a number"));
            let to = all.len().min(from + 2);
            let next = if to < all.len() {
                to.to_string()
            } else {
                String::new()
            };
            return ("200 OK".to_owned(), self.versions(&all[from..to], &next));
        }
        let Some(key) = route.strip_prefix("/states/") else {
            return ("200 OK".to_owned(), self.current(&objects));
        };
        self.downloads.fetch_add(1, Ordering::Relaxed);
        let id = values.get("generation").or(values.get("versionid"));
        let written = &objects[key];
        let (_, text) = match id {
            Some(id) => written
                .iter()
                .find(|(day, _)| self.id(*day) == **id)
                .expect("a version"),
            None => written.last().expect("a state"),
        };
        let head = "200 OK\r\netag: \"e\"\r\nlast-modified: Wed, 01 May 2024 10:00:00 GMT";
        (head.to_owned(), text.clone())
    }

    /// A part of the list of versions.
    fn versions(&self, part: &[(&str, u32, &str)], next: &str) -> String {
        let digest = |key: &str, text: &str| {
            let is_damaged = key.starts_with("damaged");
            STANDARD.encode(Md5::digest(if is_damaged { "another" } else { text }))
        };
        match self.service {
            Service::Google => {
                let items: Vec<Value> = part
                    .iter()
                    .map(|(key, day, text)| {
                        let time = format!("2024-05-{day:02}T10:00:00.000Z");
                        json!({"name": key, "generation": self.id(*day), "timeCreated": time, "md5Hash": digest(key, text)})
                    })
                    .collect();
                json!({"items": items, "nextPageToken": next}).to_string()
            }
            Service::Azure => {
                let blobs: Vec<_> = part
                    .iter()
                    .map(|(key, day, text)| {
                        // Written before the account kept versions.
                        let id = if key.starts_with("app") {
                            String::new()
                        } else {
                            format!("<VersionId>{}</VersionId>", self.id(*day))
                        };
                        let digest = digest(key, text);
                        format!("<Blob><Name>{key}</Name>{id}<Properties><Content-MD5>{digest}</Content-MD5></Properties></Blob>")
                    })
                    .collect();
                let blobs = blobs.concat();
                format!(
                    "<EnumerationResults><Blobs>{blobs}</Blobs><NextMarker>{next}</NextMarker></EnumerationResults>"
                )
            }
        }
    }

    /// The list of objects as they are now.
    fn current(&self, objects: &BTreeMap<&'static str, Written>) -> String {
        match self.service {
            Service::Google => {
                let listed = objects.keys().map(|key| {
                    format!(
                        "<Contents><Key>{key}</Key><LastModified>2024-05-01T10:00:00.000Z</LastModified><ETag>\"e\"</ETag><Size>9</Size></Contents>"
                    )
                });
                let listed: String = listed.collect();
                format!("<ListBucketResult>{listed}</ListBucketResult>")
            }
            Service::Azure => {
                let listed = objects.keys().map(|key| {
                    // As the backend locks it.
                    let lease = if key.starts_with("app") {
                        "locked"
                    } else {
                        "unlocked"
                    };
                    format!(
                        "<Blob><Name>{key}</Name><Properties><Last-Modified>Wed, 01 May 2024 10:00:00 GMT</Last-Modified><Etag>e</Etag>\
                         <Content-Length>9</Content-Length><Content-Type>text</Content-Type><LeaseStatus>{lease}</LeaseStatus></Properties></Blob>"
                    )
                });
                let listed: String = listed.collect();
                format!(
                    "<EnumerationResults><Blobs>{listed}</Blobs><NextMarker /></EnumerationResults>"
                )
            }
        }
    }

    fn import(&self, folder: &Path, endpoint: &str, flags: &[&str]) -> Output {
        let url = match self.service {
            Service::Google => "gs://states",
            Service::Azure => "az://states",
        };
        let mut command = program();
        command
            .args(["import", "--data", "b/data", "--from-bucket-url", url])
            .args(["--from-bucket-endpoint", endpoint])
            .args(flags)
            .current_dir(folder)
            .env("GOOGLE_BEARER_TOKEN", "t0ken")
            .env("AZURE_STORAGE_ACCOUNT_NAME", "upstate")
            .env("AZURE_STORAGE_ACCOUNT_KEY", STANDARD.encode("s3cret"));
        command.output().expect("a program")
    }
}

/// Older versions come first, each once, although a lock makes one of the same bytes.
#[test]
fn the_versions_in_buckets_of_google_and_azure_are_imported() {
    let written = |days: &[(u32, i64)], lineage: &str| -> Written {
        days.iter()
            .map(|(day, serial)| (*day, state(*serial, lineage)))
            .collect()
    };
    for service in [Service::Google, Service::Azure] {
        let folder = tempfile::tempdir().expect("a folder");
        let bucket = Arc::new(Bucket {
            service,
            objects: Mutex::new(BTreeMap::from([
                ("app/terraform.tfstate", written(&[(1, 1)], "app")),
                ("damaged/terraform.tfstate", written(&[(1, 1), (2, 2)], "x")),
                ("denied/terraform.tfstate", written(&[(1, 1)], "denied")),
                (
                    "net/terraform.tfstate",
                    written(&[(1, 1), (2, 1), (3, 2), (4, 5)], "net"),
                ),
                ("net/terraform.tfstate.backup", written(&[(1, 9)], "old")),
            ])),
            downloads: AtomicUsize::new(0),
        });
        let served = Arc::clone(&bucket);
        let endpoint = serve(move |head| served.answer(head));
        let import = |flags: &[&str]| bucket.import(folder.path(), &endpoint, flags);
        let locked = match service {
            Service::Google => "",
            Service::Azure => "; it is locked at the source: import again once it is not",
        };
        let newest = ["--dry-run", "--current-only", "--workspace", "app"];
        let app = format!("default\tapp\t1 state to import, serial 1{locked}\n");
        let text = done(&import(&newest));
        assert!(text.contains(&app), "{text}");
        let text = refused(&import(&[]));
        let app = format!("default\tapp\t1 state imported, serial 1{locked}\n");
        assert!(text.contains(&app), "{text}");
        let first = bucket.id(1);
        let damaged = format!(
            "default\tdamaged\tnot imported: version {first} of damaged/terraform.tfstate is damaged: its MD5 is "
        );
        let allowed = match service {
            Service::Google => "storage.objects.list and storage.objects.get",
            Service::Azure => "what the role Storage Blob Data Reader may do",
        };
        let denied = format!(
            "default\tdenied\tnot imported: the versions of denied/terraform.tfstate cannot be listed (403 Forbidden, AuthorizationFailure): \
             allow {allowed}, or import the newest state alone with --current-only"
        );
        let expected = [
            "default\tapp\t1 state imported, serial 1",
            "default\tnet\t3 states imported, serial 5",
            damaged.as_str(),
            denied.as_str(),
            "2 imported, 0 with nothing to import, 2 not imported.",
        ];
        assert_eq!(text.lines().count(), expected.len() + 1, "{text}");
        for (line, part) in text.lines().zip(expected) {
            assert!(line.starts_with(part), "{line}");
        }
        let net = ["--workspace", "net"];
        let before = bucket.downloads.load(Ordering::Relaxed);
        assert!(done(&import(&net)).contains("default\tnet\tis there already\n"));
        assert_eq!(bucket.downloads.load(Ordering::Relaxed), before);
        bucket
            .objects
            .lock()
            .expect("no panic")
            .get_mut("net/terraform.tfstate")
            .expect("an object")
            .push((6, state(6, "net")));
        let text = done(&import(&net));
        assert!(
            text.contains("default\tnet\t1 state imported, serial 6\n"),
            "{text}"
        );
        let other = elsewhere(&folder.path().join("b"));
        let there = history(&other, "default", "net");
        let there: Vec<(i64, &str)> = there
            .iter()
            .map(|(serial, _, at)| (*serial, &at[..10]))
            .collect();
        assert_eq!(
            there,
            [
                (6, "2024-05-06"),
                (5, "2024-05-04"),
                (2, "2024-05-03"),
                (1, "2024-05-01")
            ],
            "{service:?}"
        );
        let (_, newest) = ask(&other.url, "GET", "/http/default/net", "");
        assert_eq!(newest, state(6, "net"));
        other.end();
    }
}
