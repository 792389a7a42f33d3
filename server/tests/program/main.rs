//! The program itself: what it prints, how it ends, TLS, its commands.

#![cfg(unix)]
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may fail by a panic"
)]

mod authorities;
#[path = "../certified/mod.rs"]
mod certified;
mod deploy;
mod sources;
mod transfer;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_upstate-server"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("UPSTATE_")) {
        command.env_remove(name);
    }
    command
}

/// A running server.
struct Server {
    child: Child,
    url: String,
    printed: String,
}

impl Server {
    fn start(folder: &Path, flags: &[&str]) -> Self {
        let mut child = program()
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--log-format",
                "json",
                "--data",
            ])
            .arg(folder.join("data"))
            .args(flags)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a server");
        let mut reader = BufReader::new(child.stdout.take().expect("standard output"));
        let mut first = String::new();
        reader.read_line(&mut first).expect("a line");
        let url = first
            .split_whitespace()
            .find(|word| word.starts_with("http"))
            .unwrap_or_else(|| panic!("no URL: {first:?}"));
        let url = url.to_owned();
        let mut printed = String::new();
        if url.starts_with("http://") {
            // What is printed next is printed before the first request is answered.
            let mut stream =
                TcpStream::connect(url.trim_start_matches("http://")).expect("a connection");
            stream
                .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
                .expect("a request");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("an answer");
            assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        }
        child.stdout = None;
        let (send, receive) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in reader.lines().map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        while let Ok(line) = receive.recv_timeout(Duration::from_millis(300)) {
            printed.push_str(&line);
            printed.push('\n');
        }
        Self {
            child,
            url,
            printed,
        }
    }

    /// Asks with a token; the status and the body.
    fn get(&self, path: &str, token: &str) -> (u16, String) {
        let mut stream =
            TcpStream::connect(self.url.trim_start_matches("http://")).expect("a connection");
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let status = answer
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .expect("a status");
        (status, answer)
    }

    /// Tells it to end, and gives what it logged.
    fn end(mut self) -> String {
        let pid = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &pid])
                .status()
                .expect("kill")
                .success()
        );
        let until = Instant::now() + Duration::from_secs(20);
        let status = loop {
            match self.child.try_wait().expect("a child") {
                Some(status) => break status,
                None if Instant::now() > until => panic!("the server does not end"),
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        assert!(status.success(), "{status}");
        let mut log = String::new();
        self.child
            .stderr
            .take()
            .expect("standard error")
            .read_to_string(&mut log)
            .expect("a log");
        log
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The secret in what was printed.
fn secret(printed: &str) -> String {
    let line = printed
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with("upstate."));
    line.unwrap_or_else(|| panic!("no token: {printed}"))
        .to_owned()
}

#[test]
fn the_first_start_says_what_to_paste_and_the_second_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = Server::start(folder.path(), &[]);
    let token = secret(&first.printed);
    for part in [
        "host \"upstate.local\" {",
        &format!("\"tfe.v2\"   = \"{}/api/v2/\"", first.url),
        // The provider `tfe` looks for this one.
        &format!("\"tfe.v2.2\" = \"{}/api/v2/\"", first.url),
        "credentials \"upstate.local\" {",
        &format!("token = \"{token}\""),
        "organization = \"default\"",
    ] {
        assert!(
            first.printed.contains(part),
            "{part} is not in {}",
            first.printed
        );
    }
    assert_eq!(
        first
            .get("/api/v2/organizations/default/entitlement-set", &token)
            .0,
        200
    );
    assert_eq!(
        first
            .get(
                "/objects/state-versions/sv-x/state?expires=1&signature=51617",
                &token
            )
            .0,
        403
    );
    // The page for people is served and logged as the API is.
    let (status, page) = first.get("/", &token);
    assert!(
        status == 200 && page.contains("Sign in") && page.contains("x-request-id"),
        "{page}"
    );
    assert_eq!(first.get("/ui/workspaces/ws-none", &token).0, 401);
    let log = first.end();
    assert!(log.contains("/ui/workspaces/ws-none"), "{log}");
    assert!(log.lines().all(|line| line.starts_with('{')), "{log}");
    assert!(
        log.contains("\"status\":200") && log.contains("/entitlement-set"),
        "{log}"
    );
    assert!(
        !log.contains(&token) && !log.contains("signature") && !log.contains("51617"),
        "{log}"
    );

    let second = Server::start(folder.path(), &[]);
    assert_eq!(second.printed, "");
    assert_eq!(second.get("/api/v2/account/details", &token).0, 200);
    second.end();
}

#[test]
fn a_given_token_and_organization_are_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("upstate-server.toml"),
        "snapshot-interval = 60\n",
    )
    .expect("a file");
    let flags = [
        "--init-org",
        "acme",
        "--init-token",
        "given-token-0123456789",
    ];
    for _ in 0..2 {
        let server = Server::start(folder.path(), &flags);
        assert!(
            !server.printed.contains("given-token"),
            "{}",
            server.printed
        );
        let (status, answer) = server.get("/api/v2/organizations/acme", "given-token-0123456789");
        assert_eq!(status, 200, "{answer}");
        assert!(
            answer.contains("x-terraform-snapshot-interval: 60"),
            "{answer}"
        );
        let log = server.end();
        assert!(!log.contains("given-token"), "{log}");
    }
}

/// The owner of the first organization is none of a further one.
#[test]
fn a_further_organization_has_no_owner_which_the_log_says_once() {
    let folder = tempfile::tempdir().expect("a folder");
    Server::start(folder.path(), &[]).end();
    for is_new in [true, false] {
        let server = Server::start(folder.path(), &["--init-org", "further"]);
        assert_eq!(server.printed, "");
        let log = server.end();
        assert_eq!(log.contains("has no owner"), is_new, "{log}");
    }
}

/// A start with the same flags does not bring back what was revoked.
#[test]
fn a_revoked_token_stays_revoked() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--init-token", "given-token-0123456789"];
    let server = Server::start(folder.path(), &flags);
    let data = folder.path().join("data").display().to_string();
    let listed = command(&["token", "list", "--data", &data]);
    let id = String::from_utf8_lossy(&listed.stdout)
        .split('\t')
        .next()
        .expect("an id")
        .to_owned();
    assert!(
        command(&["token", "revoke", "--data", &data, &id])
            .status
            .success()
    );
    assert_eq!(
        server
            .get("/api/v2/account/details", "given-token-0123456789")
            .0,
        401
    );
    server.end();
    let server = Server::start(folder.path(), &flags);
    assert_eq!(
        server
            .get("/api/v2/account/details", "given-token-0123456789")
            .0,
        401
    );
    let log = server.end();
    assert!(log.contains("was revoked and stays so"), "{log}");
}

/// The commands work beside a running server, which knows at once what they did.
#[test]
fn trusts_are_made_listed_and_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path(), &["--init-token", "given-token-0123456789"]);
    let data = folder.path().join("data").display().to_string();
    let trust = |arguments: &[&str]| {
        let output = command(&[&["trust"][..], arguments, &["--data", &data]].concat());
        let text = [&output.stdout, &output.stderr]
            .map(|text| String::from_utf8_lossy(text).into_owned())
            .concat();
        (output.status.success(), text)
    };
    let issuer = "https://token.actions.githubusercontent.com";
    let named = [
        "add",
        "main",
        "--issuer",
        issuer,
        "--audience",
        "https://state.example.com",
    ];
    let sub = ["--claim", "sub=repo:acme/infra:ref:refs/heads/main"];
    let place = ["--project", "Default Project"];
    let (is_made, text) = trust(&[&named[..], &sub, &place].concat());
    assert!(is_made, "{text}");
    let id = text.trim();
    let path = format!("/api/v2/upstate/trusts/{id}");
    assert_eq!(server.get(&path, "given-token-0123456789").0, 200);
    let claims = r#"{"sub":"repo:acme/infra:ref:refs/heads/main"}"#;
    let allowed = "read-state,write-state,read-outputs,lock in project Default Project";
    let line = format!("{id}\tmain\t{issuer}\thttps://state.example.com\t{claims}\t{allowed}\n");
    assert_eq!(trust(&["list"]), (true, line));

    let refused = |arguments: &[&[&str]], part: &str| {
        let (is_made, text) = trust(&arguments.concat());
        assert!(!is_made && text.contains(part), "{text}");
    };
    refused(&[&named, &sub, &place], "Name has already been taken");
    refused(&[&named, &place], "--claim");
    refused(&[&named, &sub], "--workspace");
    refused(
        &[&named, &["--claim", "sub"], &place],
        "--claim \"sub\" is not like sub=repo:acme/infra",
    );
    refused(
        &[&named, &["--claim", "sub=*"], &place],
        "claims must say whose jobs are meant",
    );
    refused(&[&named, &sub, &sub, &place], "--claim sub is given twice");
    refused(
        &[&named, &sub, &["--workspace", "none"]],
        "organization default has no workspace \"none\"",
    );
    refused(
        &[&["list", "--org", "none"]],
        "there is no organization \"none\"",
    );
    let inside = [
        "add",
        "own",
        "--issuer",
        "https://10.0.0.1",
        "--audience",
        "x",
    ];
    refused(&[&inside, &sub, &place], "--internal-issuers");
    assert!(
        trust(
            &[
                &inside[..],
                &sub,
                &place,
                &["--internal-issuers", "https://10.0.0.1"]
            ]
            .concat()
        )
        .0
    );

    assert_eq!(trust(&["remove", id]), (true, String::new()));
    assert_eq!(server.get(&path, "given-token-0123456789").0, 404);
    refused(&[&["remove", id]], "`trust list` shows their ids");
    let log = command(&["audit", "--action", "trust", "--data", &data]);
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    assert!(
        log.lines().count() == 3 && log.contains("\tcommand line\ttrust.remove\t\tmain\t"),
        "{log}"
    );
    server.end();
}

fn command(arguments: &[&str]) -> Output {
    program().args(arguments).output().expect("a command")
}

/// What would be open to others, or easy to guess, is not started.
#[test]
fn unsafe_starts_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().display().to_string();
    let refused = |flags: &[&str], says: &str| {
        let output = command(&[&["serve", "--data", &data], flags].concat());
        let described = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && described.contains(says),
            "{flags:?}: {described}"
        );
    };
    refused(&["--listen", "0.0.0.0:0"], "--url");
    refused(
        &["--listen", "0.0.0.0:0", "--url", "http://state.example.com"],
        "--plain-http",
    );
    refused(&["--init-token", "x"], "at least 16 characters");
}

/// Tokens for people are those of their teams, and the log and the audit log say who came from
/// where.
#[test]
fn who_asks_from_where_is_logged() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data").display().to_string();
    let watched = std::net::TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("an address")
        .to_string();
    let flags = [
        "--init-token",
        "given-token-0123456789",
        "--metrics-listen",
        &watched,
        "--trusted-proxies",
        "127.0.0.0/8",
    ];
    let server = Server::start(folder.path(), &flags);
    let made = command(&["token", "create", "--data", &data, "--user", "bob"]);
    assert!(
        String::from_utf8_lossy(&made.stderr).contains("bob is in no team of default"),
        "{made:?}"
    );
    let bob = String::from_utf8_lossy(&made.stdout).trim().to_owned();
    assert_eq!(server.get("/api/v2/account/details", &bob).0, 200);
    assert_eq!(server.get("/api/v2/organizations/default", &bob).0, 404);
    let listed =
        String::from_utf8_lossy(&command(&["token", "list", "--data", &data]).stdout).into_owned();
    assert!(
        listed.contains("user bob in default, as the user's teams allow\t"),
        "{listed}"
    );
    // Through a proxy, which says where it came from.
    let forwarded = "given-token-wrong-0123\r\nx-forwarded-for: 203.0.113.9";
    assert_eq!(server.get("/api/v2/account/details", forwarded).0, 401);
    let audit = String::from_utf8_lossy(
        &command(&["audit", "--data", &data, "--action", "sign-in"]).stdout,
    )
    .into_owned();
    assert!(
        audit.contains("nobody from 203.0.113.9\tsign-in.fail"),
        "{audit}"
    );
    let lines = String::from_utf8_lossy(&command(&["audit", "--data", &data, "--json"]).stdout)
        .into_owned();
    assert!(
        lines.starts_with("{\"") && lines.contains("\"from\":\"203.0.113.9\""),
        "{lines}"
    );
    assert_eq!(server.get("/metrics", "none").0, 401);
    assert_eq!(server.get("/metrics", &bob).0, 200);
    let mut watching = TcpStream::connect(&watched).expect("a connection");
    watching
        .write_all(b"GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .expect("a request");
    let mut numbers = String::new();
    watching.read_to_string(&mut numbers).expect("an answer");
    assert!(
        numbers.starts_with("HTTP/1.1 200") && numbers.contains("upstate_http_requests_total"),
        "{numbers}"
    );
    let log = server.end();
    assert!(
        log.contains("\"client\":\"127.0.0.1\"") && log.contains("\"principal\":\"user bob (at-"),
        "{log}"
    );
    assert!(
        log.contains("\"client\":\"203.0.113.9\"") && !log.contains(&bob),
        "{log}"
    );
}

/// What runs when the server is asked to end is answered.
#[test]
fn what_runs_is_finished() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path(), &["--init-token", "given-token-0123456789"]);
    let mut stream =
        TcpStream::connect(server.url.trim_start_matches("http://")).expect("a connection");
    let body = r#"{"data":{"type":"workspaces","attributes":{"name":"slow"}}}"#;
    let head = format!(
        "POST /api/v2/organizations/default/workspaces HTTP/1.1\r\nhost: x\r\nauthorization: Bearer given-token-0123456789\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("a head");
    std::thread::sleep(Duration::from_millis(300));
    let ending = std::thread::spawn(move || server.end());
    std::thread::sleep(Duration::from_millis(300));
    stream.write_all(body.as_bytes()).expect("a body");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    ending.join().expect("an end");
}

/// Asks for `/api/v2/ping` as a client that trusts this certificate alone.
fn ping_trusting(
    certificate: &CertificateDer<'static>,
    server: &Server,
) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).expect("a root");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let connection = ClientConnection::new(Arc::new(config), name).expect("a client");
    let mut stream = StreamOwned::new(
        connection,
        TcpStream::connect(server.url.trim_start_matches("https://"))?,
    );
    stream.write_all(b"GET /api/v2/ping HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

#[test]
fn tls_is_spoken_where_a_certificate_is_given_and_goes_on_with_the_next_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let (certificate, key) = (
        folder.path().join("cert.pem"),
        folder.path().join("key.pem"),
    );
    let renew = || {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()])
            .expect("a certificate");
        std::fs::write(&certificate, made.cert.pem()).expect("a file");
        std::fs::write(&key, made.signing_key.serialize_pem()).expect("a file");
        CertificateDer::from_pem_file(&certificate).expect("a certificate")
    };
    let first = renew();
    let (cert_flag, key_flag) = (certificate.display().to_string(), key.display().to_string());
    let server = Server::start(
        folder.path(),
        &["--tls-cert", &cert_flag, "--tls-key", &key_flag],
    );
    assert!(
        server.url.starts_with("https://127.0.0.1:"),
        "{}",
        server.url
    );
    let answer = ping_trusting(&first, &server).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
    // Who speaks no TLS is not answered, and disturbs nobody.
    let mut plain =
        TcpStream::connect(server.url.trim_start_matches("https://")).expect("a connection");
    plain
        .write_all(b"GET /healthz HTTP/1.1\r\n\r\n")
        .expect("a request");
    let mut nothing = Vec::new();
    let _ = plain.read_to_end(&mut nothing);
    assert!(!nothing.starts_with(b"HTTP"), "{nothing:?}");

    let second = renew();
    let begun = Instant::now();
    while ping_trusting(&second, &server).is_err() {
        assert!(
            begun.elapsed() < Duration::from_mins(1),
            "the server goes on with the old certificate"
        );
        std::thread::sleep(Duration::from_millis(200));
    }
    assert!(ping_trusting(&first, &server).is_err());
    server.end();
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    program()
        .args(arguments)
        .arg("--data")
        .arg(folder.join("data"))
        .current_dir(folder)
        .output()
        .expect("a program")
}

/// What the unit runs is what the program takes, with the settings of the guide, and SIGTERM ends
/// it in order.
#[cfg(unix)]
#[test]
fn the_unit_starts_the_program() {
    let unit = include_str!("../../deploy/upstate-server.service");
    let command = unit
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart="))
        .expect("a command");
    let folder = tempfile::tempdir().expect("a folder");
    let settings = folder.path().join("settings");
    std::fs::write(&settings, "listen = \"127.0.0.1:0\"\nkeep-days = 90\n").expect("a file");
    let command = command.replace(
        "${CREDENTIALS_DIRECTORY}",
        &folder.path().display().to_string(),
    );
    let data = folder.path().join("data");
    let arguments = command.replace("/var/lib/upstate", &data.display().to_string());
    let mut words = arguments.split(' ');
    assert_eq!(words.next(), Some("/usr/local/bin/upstate-server"));
    let mut child = program()
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a server");
    let mut reader = BufReader::new(child.stdout.take().expect("standard output"));
    let mut first = String::new();
    reader.read_line(&mut first).expect("a line");
    assert!(first.contains("http://127.0.0.1:"), "{first}");
    assert!(data.join("upstate.db").exists());
    let address = first
        .split("http://")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next())
        .expect("an address");
    let mut stream =
        TcpStream::connect(address.trim_end_matches(['/', '.', ','])).expect("a connection");
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    let killed = Command::new("kill")
        .arg(child.id().to_string())
        .status()
        .expect("kill");
    assert!(killed.success());
    assert!(child.wait().expect("an end").success());
}

/// Commands work while a server runs.
#[test]
fn tokens_are_made_and_revoked_beside_a_running_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path(), &[]);
    let made = run(
        folder.path(),
        &[
            "token",
            "create",
            "--user",
            "ci",
            "--team",
            "pipelines",
            "--can",
            "read-state",
            "--days",
            "3",
        ],
    );
    assert!(made.status.success(), "{made:?}");
    let token = String::from_utf8(made.stdout)
        .expect("text")
        .trim()
        .to_owned();
    assert_eq!(server.get("/api/v2/account/details", &token).0, 200);
    // The store is named before what is done with it, or after.
    let listed = program()
        .args(["token", "--data"])
        .arg(folder.path().join("data"))
        .arg("list")
        .output()
        .expect("a program");
    assert_eq!(run(folder.path(), &["token", "list"]).stdout, listed.stdout);
    let listed = String::from_utf8(listed.stdout).expect("text");
    assert!(
        listed
            .contains("\tuser ci in default, as the user's teams allow, of that only read-state\t")
            && !listed.contains(&token),
        "{listed}"
    );
    let users = String::from_utf8(run(folder.path(), &["user", "list"]).stdout).expect("text");
    assert!(
        users.contains("\tci\tpipelines\n") && users.contains("\towner\towners\n"),
        "{users}"
    );
    assert_eq!(server.get("/api/v2/organizations/default", &token).0, 200);
    let id = listed
        .lines()
        .next()
        .and_then(|line| line.split('\t').next())
        .expect("an id")
        .to_owned();
    let revoked = run(folder.path(), &["token", "revoke", &id]);
    assert!(revoked.status.success(), "{revoked:?}");
    assert_eq!(server.get("/api/v2/account/details", &token).0, 401);
    let dry = run(
        folder.path(),
        &["retention", "--dry-run", "--keep-days", "1"],
    );
    assert_eq!(
        String::from_utf8_lossy(&dry.stderr),
        "0 state versions would be deleted.\n"
    );
    server.end();
}

#[test]
fn a_closed_standard_output_does_not_end_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("its number");
    let mut child = program()
        .args(["serve", "--data", "d", "--listen", &free.to_string()])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a server");
    child.stdout = None;
    let started = Instant::now();
    let ready = loop {
        let mut answer = String::new();
        let requested = TcpStream::connect(free).and_then(|mut stream| {
            stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")?;
            stream.read_to_string(&mut answer)
        });
        if requested.is_ok() && answer.starts_with("HTTP/1.1 200") {
            break true;
        }
        if started.elapsed() > Duration::from_secs(30)
            || child.try_wait().expect("a status").is_some()
        {
            break false;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let _ = child.kill();
    let log = child.wait_with_output().expect("an end").stderr;
    let log = String::from_utf8_lossy(&log);
    assert!(ready, "{log}");
    assert!(log.contains("make a token with `token create`"), "{log}");
}

/// A folder that was plain is encrypted beside a server, gets another key, and is refused without
/// it.
#[test]
fn a_store_is_encrypted_with_a_key_of_the_operator() {
    use base64::Engine as _;
    let folder = tempfile::tempdir().expect("a folder");
    let key = |number: u8| base64::engine::general_purpose::STANDARD.encode([number; 32]);
    let said = |output: Output| {
        let text = [output.stdout, output.stderr]
            .map(|text| String::from_utf8(text).expect("text"))
            .concat();
        assert_eq!(
            output.status.success(),
            !text.starts_with("upstate-server: "),
            "{text}"
        );
        text
    };
    Server::start(folder.path(), &[]).end();
    let keys = |lines: &str| std::fs::write(folder.path().join("keys"), lines).expect("a file");
    keys(&key(1));
    let settings = ["--encryption-key-file", "keys"];
    let server = Server::start(folder.path(), &settings);
    let encrypt = |flags: &[&str]| {
        said(run(
            folder.path(),
            &[&["encrypt", "--encryption-key-file", "keys"], flags].concat(),
        ))
    };
    let plain = encrypt(&["--status"]);
    assert!(
        plain.contains("secrets of the server: 0 encrypted, 1 plain"),
        "{plain}"
    );
    let done = encrypt(&[]);
    assert!(
        done.starts_with("0 data keys rewrapped, 1 rows encrypted.\n"),
        "{done}"
    );
    assert!(
        done.contains("secrets of the server: 1 encrypted, 0 plain"),
        "{done}"
    );
    keys(&format!("{}\n{}\n", key(2), key(1)));
    let done = encrypt(&[]);
    assert!(
        done.starts_with("1 data keys rewrapped, 0 rows encrypted.\n"),
        "{done}"
    );
    keys(&key(2));
    let status = encrypt(&["--status"]);
    assert!(
        status.starts_with("1 data keys are wrapped with key "),
        "{status}"
    );
    server.end();
    Server::start(
        folder.path(),
        &[settings.as_slice(), &["--encrypted-only"]].concat(),
    )
    .end();
    let refused = said(run(folder.path(), &["token", "list"]));
    assert!(
        refused.contains("which was not given; name the key with --encryption-key-file FILE"),
        "{refused}"
    );
    keys(&key(3));
    let refused = said(run(
        folder.path(),
        &["serve", "--encryption-key-file", "keys"],
    ));
    assert!(
        refused.contains("and keys has another one: ") && !refused.contains(&key(3)),
        "{refused}"
    );
    keys("hunter2");
    let refused = said(run(
        folder.path(),
        &["serve", "--encryption-key-file", "keys"],
    ));
    assert!(
        refused.contains("line 1 of keys is not a key") && !refused.contains("hunter2"),
        "{refused}"
    );
    // The environment has the key itself, and a backup needs none.
    let listed = program()
        .args(["token", "list", "--data", "data"])
        .env("UPSTATE_ENCRYPTION_KEY", key(2))
        .current_dir(folder.path())
        .output()
        .expect("a program");
    assert!(said(listed).contains("owner"));
    let saved = said(run(folder.path(), &["backup", "--to", "backup.zst"]));
    assert!(saved.starts_with("backup.zst holds SQLite in "), "{saved}");
    let refused = said(run(folder.path(), &["serve", "--encrypted-only"]));
    assert!(
        refused.contains("--encrypted-only needs a key"),
        "{refused}"
    );
    let refused = said(run(
        folder.path(),
        &[
            "serve",
            "--encryption-key-file",
            "keys",
            "--encryption-transit",
            "https://v/v1/transit/keys/a",
        ],
    ));
    assert!(refused.contains("name one key"), "{refused}");
}

#[test]
fn what_cannot_be_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let described = |arguments: &[&str]| {
        let output = program()
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("a program");
        assert!(!output.status.success());
        String::from_utf8(output.stderr).expect("text")
    };
    assert!(described(&["serve"]).contains("name the folder of the store with --data DIR"));
    assert!(
        described(&["serve", "--data", "d", "--lock", "x.lock"])
            .contains("--lock x.lock cannot be read")
    );
    assert!(
        described(&["serve", "--data", "d", "--tls-cert", "x"])
            .contains("--tls-cert needs --tls-key")
    );
    assert!(
        described(&["serve", "--data", "d", "--tls-cert", "x", "--tls-key", "y"])
            .contains("upstate-server: x: ")
    );
    assert!(described(&["serve", "--data", "d", "--url", "http://x/y"]).contains("without a path"));
    assert!(
        described(&["serve", "--data", "d", "--config", "gone.toml"])
            .contains("gone.toml cannot be read")
    );
    assert!(
        described(&[
            "token", "--data", "d", "create", "--can", "fly", "--user", "x"
        ])
        .contains("\"fly\" is not a permission")
    );
    std::fs::write(folder.path().join("file"), "").expect("a file");
    assert!(described(&["serve", "--data", "file/below"]).contains("file/below cannot be made"));
}

/// Bytes would go to another bucket than the one that servers write to.
#[test]
fn an_endpoint_of_neither_bucket_is_refused() {
    let database = "postgres://nobody@127.0.0.1:1/none";
    let refused = |flags: &[&str]| {
        let arguments = [
            &[
                "migrate",
                "--from",
                "here",
                "--to",
                database,
                "--to-bucket-url",
                "s3://states",
            ],
            flags,
        ]
        .concat();
        let output = program()
            .args(arguments)
            .env("UPSTATE_BUCKET_ENDPOINT", "http://minio:9000")
            .output()
            .expect("a program");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).expect("text")
    };
    assert_eq!(
        refused(&[]),
        "upstate-server: UPSTATE_BUCKET_ENDPOINT is set, and `migrate` cannot tell which of two buckets it is for; write \
         `--to-bucket-endpoint http://minio:9000` if it is for s3://states, else unset it\n"
    );
    assert!(
        refused(&["--to-bucket-endpoint", "http://minio:9001"])
            .contains("there is no store in here")
    );
}
