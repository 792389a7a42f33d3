//! Connections to servers whose certificate is of an authority of one's own.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::{Server, certified, program};

/// The answer to every request: an empty list of a bucket, and no state.
const ANSWER: &str = "<ListBucketResult></ListBucketResult>";

/// A server with TLS on `localhost`: its URL, and the requests that it gets. The certificate of its
/// authority is `ca.pem` in the folder.
fn server(folder: &Path) -> (String, Receiver<String>) {
    let config = Arc::new(certified::config(&folder.join("ca.pem")));
    let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
    let url = format!(
        "https://localhost:{}",
        listener.local_addr().expect("an address").port()
    );
    let (send, received) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (config, send) = (Arc::clone(&config), send.clone());
            std::thread::spawn(move || answer(config, stream, &send));
        }
    });
    (url, received)
}

/// Answers one request; nothing if the client does not trust the certificate.
fn answer(config: Arc<ServerConfig>, stream: TcpStream, received: &Sender<String>) {
    let mut stream = StreamOwned::new(ServerConnection::new(config).expect("a server"), stream);
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).unwrap_or_default() == 0 {
            return;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).expect("a head");
    let length = head
        .to_ascii_lowercase()
        .split("content-length: ")
        .nth(1)
        .and_then(|rest| rest.lines().next()?.parse().ok());
    let mut body = vec![0; length.unwrap_or_default()];
    stream.read_exact(&mut body).expect("a body");
    let _ = received.send(head + &String::from_utf8(body).expect("text"));
    let length = ANSWER.len();
    let text =
        format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{ANSWER}");
    let _ = stream.write_all(text.as_bytes());
    stream.conn.send_close_notify();
    let _ = stream.flush();
}

/// The output of an import that finds nothing to import.
fn import(folder: &Path, flags: &[&str]) -> String {
    let mut command = program();
    command
        .args(["import", "--data", "b"])
        .args(flags)
        .current_dir(folder);
    command
        .env("AWS_ACCESS_KEY_ID", "k")
        .env("AWS_SECRET_ACCESS_KEY", "s3cret")
        .env("AWS_REGION", "us-east-1");
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("a program");
    let text = [stdout, stderr]
        .map(|text| String::from_utf8_lossy(&text).into_owned())
        .concat();
    assert!(!status.success(), "{text}");
    text
}

/// Makes a trust in the jobs of an issuer, and exchanges an ID token that names it, so that its
/// keys are asked for.
fn exchange(folder: &Path, server: &Server, issuer: &str) {
    let mut command = program();
    command
        .args([
            "trust",
            "add",
            "main",
            "--issuer",
            issuer,
            "--audience",
            "x",
            "--claim",
            "sub=a",
        ])
        .current_dir(folder);
    let made = command
        .args([
            "--project",
            "Default Project",
            "--internal-issuers",
            issuer,
            "--data",
            "data",
        ])
        .output();
    let made = made.expect("a program");
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let trust = String::from_utf8_lossy(&made.stdout).trim().to_owned();
    let claims = format!(r#"{{"iss":"{issuer}"}}"#);
    let token = [r#"{"alg":"RS256"}"#, claims.as_str(), "x"]
        .map(|part| URL_SAFE_NO_PAD.encode(part))
        .join(".");
    let (grant, kind) = (
        "urn:ietf:params:oauth:grant-type:token-exchange",
        "urn:ietf:params:oauth:token-type:id_token",
    );
    let form =
        format!("grant_type={grant}&subject_token_type={kind}&subject_token={token}&trust={trust}");
    let mut stream =
        TcpStream::connect(server.url.trim_start_matches("http://")).expect("a connection");
    let head = "POST /oauth/token HTTP/1.1\r\nhost: x\r\nconnection: close";
    let about = format!(
        "content-type: application/x-www-form-urlencoded\r\ncontent-length: {}",
        form.len()
    );
    stream
        .write_all(format!("{head}\r\n{about}\r\n\r\n{form}").as_bytes())
        .expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
}

#[test]
fn one_setting_is_for_every_connection() {
    let folder = tempfile::tempdir().expect("a folder");
    let (url, received) = server(folder.path());
    let address = format!("{url}/net");
    let from_http = ["--from-http", &address, "--workspace", "net"];
    // At once: the certificate is as little trusted the next time.
    let text = import(folder.path(), &from_http);
    assert!(
        text.contains("invalid peer certificate") && text.contains("its own authority with --ca"),
        "{text}"
    );
    assert!(received.try_recv().is_err());
    let text = import(
        folder.path(),
        &[&from_http[..], &["--ca", "ca.pem"]].concat(),
    );
    assert!(
        text.contains("default\tnet\tnot imported: its state is refused"),
        "{text}"
    );
    let text = import(
        folder.path(),
        &[
            "--from-bucket-url",
            "s3://states",
            "--from-bucket-endpoint",
            &url,
            "--ca",
            "ca.pem",
        ],
    );
    assert!(
        text.contains("s3://states holds no object NAME.tfstate"),
        "{text}"
    );
    let requests: Vec<String> = received.try_iter().collect();
    assert_eq!(requests.len(), 2, "{requests:?}");
    assert!(
        requests[0].starts_with("GET /net ") && requests[1].starts_with("GET /states"),
        "{requests:?}"
    );
    let text = import(
        folder.path(),
        &[&from_http[..], &["--ca", "none.pem"]].concat(),
    );
    assert!(
        text.contains("the certificate authorities in none.pem cannot be read"),
        "{text}"
    );

    std::fs::write(
        folder.path().join("upstate-server.toml"),
        "ca = \"ca.pem\"\n",
    )
    .expect("a file");
    std::fs::write(
        folder.path().join("key"),
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n",
    )
    .expect("a file");
    let flags = [
        "--audit-webhook",
        &url,
        "--audit-webhook-key-file",
        "key",
        "--audit-webhook-internal",
    ];
    let server = Server::start(
        folder.path(),
        &[&flags[..], &["--internal-issuers", &url]].concat(),
    );
    let line = received
        .recv_timeout(Duration::from_mins(1))
        .expect("lines of the audit log");
    assert!(
        line.starts_with("POST / ") && line.contains("organization.create"),
        "{line}"
    );
    exchange(folder.path(), &server, &url);
    // The lines of the exchange are delivered, too.
    let keys = "GET /.well-known/openid-configuration ";
    while !received
        .recv_timeout(Duration::from_mins(1))
        .expect("a request")
        .starts_with(keys)
    {}
    server.end();
}
