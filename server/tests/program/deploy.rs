//! The files for running the service elsewhere: they name what the program serves and takes.

#![expect(clippy::expect_used, reason = "a test may fail by a panic")]

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base64::Engine as _;

const ALERTS: &str = include_str!("../../deploy/prometheus-alerts.yaml");
const DASHBOARD: &str = include_str!("../../deploy/grafana-dashboard.json");
const IMAGE: &str = include_str!("../../deploy/Dockerfile");

/// The words of a string that begin so.
fn words<'a>(text: &'a str, prefix: &str) -> BTreeSet<&'a str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|word| word.starts_with(prefix))
        .collect()
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_upstate-server"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("UPSTATE_")) {
        command.env_remove(name);
    }
    command
}

/// The values of `ENV` lines, and the words of a JSON list behind an instruction.
fn instruction(name: &str) -> Vec<String> {
    // The last stage counts, since the image is what that one makes.
    let line = IMAGE
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix(name))
        .expect("an instruction")
        .trim();
    let list = serde_json::from_str(line);
    list.unwrap_or_else(|_| line.split(' ').map(str::to_owned).collect())
}

/// The image runs the program with settings that it takes; its metrics have every name that alerts
/// and dashboard ask for.
#[test]
fn the_image_starts_and_serves_what_alerts_and_dashboard_read() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(instruction("ENTRYPOINT"), ["/usr/local/bin/upstate-server"]);
    let arguments = instruction("CMD")
        .into_iter()
        .map(|word| match word.as_str() {
            "/var/lib/upstate" => folder.path().display().to_string(),
            _ => word,
        });
    let free = || {
        std::net::TcpListener::bind("127.0.0.1:0")
            .expect("a port")
            .local_addr()
            .expect("its number")
    };
    let (listen, watch, token) = (free(), free(), "0123456789abcdef");
    let mut command = program();
    command
        .args(arguments)
        .env("UPSTATE_URL", "https://state.example.com")
        .env("UPSTATE_INIT_TOKEN", token);
    for setting in instruction("ENV") {
        let (name, value) = setting.split_once('=').expect("a value");
        command.env(name, value.replace("0.0.0.0:8080", &listen.to_string()));
    }
    let mut child = command
        .env("UPSTATE_METRICS_LISTEN", watch.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a server");
    let mut first = String::new();
    BufReader::new(child.stdout.take().expect("standard output"))
        .read_line(&mut first)
        .expect("a line");
    let ask = |address, head: String, body: &str| {
        let mut stream = TcpStream::connect(address).expect("a connection");
        let request = format!(
            "{head}\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    };
    let signed = base64::engine::general_purpose::STANDARD.encode(format!("token:{token}"));
    let state = r#"{"version":4,"serial":1,"lineage":"l","terraform_version":"1.15.5","outputs":{},"resources":[]}"#;
    let write = format!(
        "POST /http/default/network HTTP/1.1\r\nauthorization: Basic {signed}\r\ncontent-type: application/json"
    );
    let written = ask(listen, write, state);
    assert!(written.starts_with("HTTP/1.1 200"), "{written}");
    let served = ask(watch, "GET /metrics HTTP/1.1".to_owned(), "");
    child.kill().expect("it runs");
    child.wait().expect("an end");
    assert!(first.contains("https://state.example.com"), "{first}");
    let (served, dashboard) = (words(&served, "upstate_"), words(DASHBOARD, "upstate_"));
    let wanted: BTreeSet<_> = words(ALERTS, "upstate_")
        .union(&dashboard)
        .copied()
        .collect();
    assert!(wanted.len() > 10, "{wanted:?}");
    let missing: Vec<_> = wanted.difference(&served).collect();
    assert!(
        missing.is_empty(),
        "no metric is called {missing:?}; served are {served:?}"
    );
}

#[test]
fn every_setting_of_the_files_is_one_of_the_program() {
    let help = program()
        .args(["serve", "--help"])
        .output()
        .expect("a program")
        .stdout;
    let help = String::from_utf8(help).expect("text");
    let known = words(&help, "UPSTATE_");
    let all = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy"));
    for name in ["compose.yaml", "Dockerfile", "chart/templates/server.yaml"] {
        assert!(
            all.iter()
                .any(|file| file.ends_with(Path::new("deploy").join(name))),
            "{name}: {all:?}"
        );
    }
    for file in all {
        let text = std::fs::read_to_string(&file).expect("a file");
        let unknown: Vec<_> = words(&text, "UPSTATE_")
            .into_iter()
            .filter(|word| !known.contains(word))
            .collect();
        assert!(unknown.is_empty(), "{} has {unknown:?}", file.display());
    }
}

/// The two servers begin once both parts of their store are there.
#[test]
fn the_servers_of_the_compose_file_have_a_database_and_a_bucket() {
    const COMPOSE: &str = include_str!("../../deploy/compose.yaml");
    for part in [
        "UPSTATE_DATABASE_URL: postgresql://upstate:${DATABASE_PASSWORD:?a password}@database/upstate",
        "UPSTATE_BUCKET_URL: s3://upstate\n    UPSTATE_BUCKET_ENDPOINT: http://bucket:9000\n",
        "  depends_on:\n    database:\n      condition: service_healthy\n    made:\n      condition: service_completed_successfully\n",
        "mc mb --ignore-existing here/upstate",
        "\n  bucket:\n    <<: *bucket\n",
    ] {
        assert!(COMPOSE.contains(part), "{part}");
    }
}

/// Every file of a folder and of those in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// The chart is of the version that the program has.
#[test]
fn the_chart_has_the_version_of_the_program() {
    let chart = include_str!("../../deploy/chart/Chart.yaml");
    assert!(
        chart.contains(&format!("appVersion: \"{}\"", env!("CARGO_PKG_VERSION"))),
        "{chart}"
    );
}

#[test]
fn the_dashboard_is_whole() {
    let dashboard: serde_json::Value = serde_json::from_str(DASHBOARD).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let ids: BTreeSet<_> = panels
        .iter()
        .map(|panel| panel["id"].as_u64().expect("an id"))
        .collect();
    assert_eq!(ids.len(), panels.len());
    for panel in panels {
        let targets = panel["targets"].as_array().expect("targets");
        assert!(
            !targets.is_empty() && targets.iter().all(|target| target["expr"].is_string()),
            "{panel}"
        );
        assert_eq!(panel["datasource"]["uid"], "${datasource}");
    }
}

/// The Rust of the image is that of the repository.
#[test]
fn the_image_has_the_compiler_of_the_repository() {
    let toolchain = include_str!("../../../rust-toolchain.toml");
    let channel = toolchain
        .lines()
        .find_map(|line| line.strip_prefix("channel = \""))
        .expect("a channel")
        .trim_end_matches('"');
    assert!(IMAGE.contains(&format!("RUSTUP_TOOLCHAIN={channel}\n")));
    let (minor, _) = channel.rsplit_once('.').expect("three numbers");
    assert!(
        IMAGE.contains(&format!("FROM rust:{minor}-slim-bookworm AS build")),
        "{minor}"
    );
}
