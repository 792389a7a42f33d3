//! The webhook as a server, asked over TLS.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use upstate::Document;
use upstate_kube::webhook::{ServeError, Server};
use upstate_kube::{Converter, LARGEST_REVIEW};

#[derive(Debug, Document)]
#[document(type_name = "ferry.boat", version = 1)]
#[upgrade_from(0 => 1, rename(colour => paint))]
#[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Boat {
    paint: String,
}

struct Running {
    folder: tempfile::TempDir,
    address: SocketAddr,
    end: oneshot::Sender<()>,
    server: JoinHandle<Result<(), ServeError>>,
}

/// Writes a new certificate, and returns it.
fn certify(folder: &Path) -> CertificateDer<'static> {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(folder.join("tls.key"), signing_key.serialize_pem()).unwrap();
    std::fs::write(folder.join("tls.crt"), cert.pem()).unwrap();
    cert.der().clone()
}

async fn start() -> (Running, CertificateDer<'static>) {
    let folder = tempfile::tempdir().unwrap();
    let certificate = certify(folder.path());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let converter = Converter::new().with::<Boat>().unwrap();
    let server = Server::new(
        converter,
        folder.path().join("tls.crt"),
        folder.path().join("tls.key"),
    );
    let server = server.look_every(Duration::from_millis(20));
    let (end, ending) = oneshot::channel();
    let server = tokio::spawn(server.run(listener, async {
        let _ = ending.await;
    }));
    (
        Running {
            folder,
            address,
            end,
            server,
        },
        certificate,
    )
}

async fn connect(
    address: SocketAddr,
    trusted: &CertificateDer<'static>,
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions();
    let config = config
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(address).await?;
    TlsConnector::from(Arc::new(config))
        .connect(ServerName::try_from("localhost").unwrap(), stream)
        .await
}

/// Sends a request and reads the answer: its status and its body.
async fn ask(
    stream: &mut TlsStream<TcpStream>,
    method: &str,
    path: &str,
    body: &str,
) -> (u16, String) {
    send(stream, method, path, body.len(), body).await
}

/// Sends a request that says it has `length` bytes, and reads the answer.
async fn send(
    stream: &mut TlsStream<TcpStream>,
    method: &str,
    path: &str,
    length: usize,
    body: &str,
) -> (u16, String) {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&answer).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |length| length.parse().unwrap());
            if body.len() >= length {
                return (
                    head.split(' ').nth(1).unwrap().parse().unwrap(),
                    body.to_owned(),
                );
            }
        }
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).await.unwrap();
        assert!(read > 0, "the connection ended: {text}");
        answer.extend_from_slice(&buffer[..read]);
    }
}

fn review(spec: &Value) -> String {
    let boat = json!({"apiVersion": "ferry.example.com/v1", "kind": "Boat", "metadata": {"name": "b0"}, "spec": spec});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
        "request": {"uid": "u1", "desiredAPIVersion": "ferry.example.com/v1alpha1", "objects": [boat]},
    })
    .to_string()
}

#[tokio::test]
async fn reviews_are_answered_and_counted() {
    let (running, certificate) = start().await;
    let mut stream = connect(running.address, &certificate).await.unwrap();
    let (status, body) = ask(
        &mut stream,
        "POST",
        "/convert?timeout=30s",
        &review(&json!({"paint": "red"})),
    )
    .await;
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &body["response"]["uid"]), (200, &json!("u1")));
    assert_eq!(
        body["response"]["convertedObjects"][0]["spec"],
        json!({"colour": "red"})
    );
    // Failed, and still 200: another status would hide the message.
    let (status, body) = ask(
        &mut stream,
        "POST",
        "/convert",
        &review(&json!({"paint": 7})),
    )
    .await;
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (status, &body["response"]["result"]["status"]),
        (200, &json!("Failed"))
    );
    let (status, body) = ask(&mut stream, "POST", "/convert", "{}").await;
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (status, &body["kind"], &body["code"]),
        (400, &json!("Status"), &json!(400))
    );
    assert_eq!(
        body["message"],
        "The request is not a ConversionReview of apiextensions.k8s.io/v1: it has no kind."
    );
    for path in ["/healthz", "/readyz"] {
        assert_eq!(
            ask(&mut stream, "GET", path, "").await,
            (200, "ok".to_owned())
        );
    }
    assert_eq!(ask(&mut stream, "GET", "/convert", "").await.0, 405);
    assert_eq!(ask(&mut stream, "GET", "/", "").await.0, 404);
    let (_, metrics) = ask(&mut stream, "GET", "/metrics", "").await;
    for line in [
        "upstate_kube_reviews_total{outcome=\"converted\"} 1",
        "upstate_kube_reviews_total{outcome=\"failed\"} 1",
        "upstate_kube_reviews_total{outcome=\"refused\"} 1",
        "upstate_kube_objects_total 1",
        "upstate_kube_review_seconds_count 2",
    ] {
        assert!(
            metrics.lines().any(|found| found == line),
            "{line} is not in {metrics}"
        );
    }
    // Too large to be read at all: the answer comes though the body does not.
    let mut other = connect(running.address, &certificate).await.unwrap();
    assert_eq!(
        send(&mut other, "POST", "/convert", LARGEST_REVIEW + 1, "")
            .await
            .0,
        413
    );
    running.end.send(()).unwrap();
    running.server.await.unwrap().unwrap();
}

/// A list is one review after the other over one connection, and large ones go to another thread.
#[tokio::test]
async fn one_connection_has_many_reviews() {
    let (running, certificate) = start().await;
    let mut stream = connect(running.address, &certificate).await.unwrap();
    for size in [1, 100, 70_000, 500_000, 2] {
        let paint = "x".repeat(size);
        let (status, body) = ask(
            &mut stream,
            "POST",
            "/convert",
            &review(&json!({"paint": paint})),
        )
        .await;
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(
            (
                status,
                &body["response"]["convertedObjects"][0]["spec"]["colour"]
            ),
            (200, &json!(paint))
        );
    }
}

/// Reads until the server closes the connection.
async fn closed(mut stream: TlsStream<TcpStream>) {
    let mut buffer = [0; 64];
    let read = tokio::time::timeout(Duration::from_secs(10), stream.read(&mut buffer)).await;
    assert!(matches!(read.unwrap(), Ok(0) | Err(_)));
}

#[tokio::test]
async fn a_new_certificate_is_used_and_no_request_is_lost() {
    let (running, old) = start().await;
    let mut idle = connect(running.address, &old).await.unwrap();
    assert_eq!(ask(&mut idle, "GET", "/healthz", "").await.0, 200);
    let new = certify(running.folder.path());
    let begun = Instant::now();
    while connect(running.address, &old).await.is_ok() {
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "the old certificate is still used"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // A request that was on its way is answered, and the connection ends with it.
    assert_eq!(
        ask(
            &mut idle,
            "POST",
            "/convert",
            &review(&json!({"paint": "red"}))
        )
        .await
        .0,
        200
    );
    closed(idle).await;
    let mut stream = connect(running.address, &new).await.unwrap();
    assert_eq!(
        ask(
            &mut stream,
            "POST",
            "/convert",
            &review(&json!({"paint": "red"}))
        )
        .await
        .0,
        200
    );
}

#[tokio::test]
async fn a_certificate_that_cannot_be_used_leaves_the_old_one() {
    let (running, old) = start().await;
    let mut idle = connect(running.address, &old).await.unwrap();
    std::fs::write(running.folder.path().join("tls.crt"), "broken").unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(ask(&mut idle, "GET", "/healthz", "").await.0, 200);
    connect(running.address, &old).await.unwrap();
    std::fs::remove_file(running.folder.path().join("tls.crt")).unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    connect(running.address, &old).await.unwrap();
    let new = certify(running.folder.path());
    let begun = Instant::now();
    while connect(running.address, &new).await.is_err() {
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "the new certificate is not used"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(ask(&mut idle, "GET", "/healthz", "").await.0, 200);
    closed(idle).await;
}

#[tokio::test]
async fn a_server_that_ends_finishes_and_closes() {
    let (running, certificate) = start().await;
    let mut idle = connect(running.address, &certificate).await.unwrap();
    assert_eq!(ask(&mut idle, "GET", "/healthz", "").await.0, 200);
    let mut busy = connect(running.address, &certificate).await.unwrap();
    assert_eq!(ask(&mut busy, "GET", "/healthz", "").await.0, 200);
    running.end.send(()).unwrap();
    while TcpStream::connect(running.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    // A request that was on its way is answered, too.
    assert_eq!(ask(&mut busy, "GET", "/healthz", "").await.0, 200);
    closed(busy).await;
    closed(idle).await;
    running.server.await.unwrap().unwrap();
    TcpStream::connect(running.address).await.unwrap_err();
}

#[tokio::test]
async fn a_certificate_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (certificates, key) = (folder.path().join("tls.crt"), folder.path().join("tls.key"));
    let begin = || async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Server::new(Converter::new(), &certificates, &key);
        server
            .run(listener, async {})
            .await
            .unwrap_err()
            .to_string()
    };
    let message = begin().await;
    assert!(
        message.starts_with(&format!(
            "The webhook cannot begin: {}: ",
            certificates.display()
        )),
        "{message}"
    );
    certify(folder.path());
    std::fs::write(&certificates, "").unwrap();
    assert_eq!(
        begin().await,
        format!(
            "The webhook cannot begin: {}: there is no certificate in it",
            certificates.display()
        )
    );
    certify(folder.path());
    let CertifiedKey { signing_key, .. } =
        generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(&key, signing_key.serialize_pem()).unwrap();
    let message = begin().await;
    assert!(
        message.starts_with(&format!(
            "The webhook cannot begin: {} and {} do not belong together: ",
            certificates.display(),
            key.display()
        )),
        "{message}"
    );
    // Otherwise the log would have the key, which the error of such a line quotes.
    std::fs::write(&key, signing_key.serialize_pem().replace('\n', "")).unwrap();
    assert_eq!(
        begin().await,
        format!(
            "The webhook cannot begin: {}: it is not a key in PEM",
            key.display()
        )
    );
}
