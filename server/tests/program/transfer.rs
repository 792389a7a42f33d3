//! States in and out: `export` and `import`, by folders and from other servers.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest as _, Md5};
use object_store::ObjectStoreExt as _;
use object_store::aws::AmazonS3Builder;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_rustls::rustls::crypto::ring;
use upstate_server::__internal::model::JobId;

use super::{Server, program};

const TOKEN: &str = "given-token-0123456789";

pub(super) fn state(serial: i64, lineage: &str) -> String {
    format!(
        "{{\n  \"version\": 4,\n  \"terraform_version\": \"1.15.5\",\n  \"serial\": {serial},\n  \"lineage\": \"{lineage}\",\n  \"outputs\": {{\"n\": {{\"value\": {serial}, \"type\": \"number\"}}}},\n  \"resources\": []\n}}\n"
    )
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .concat()
}

/// A command on the store `data` of a folder, or on another one of it.
fn on(folder: &Path, data: &str, arguments: &[&str]) -> Output {
    program()
        .args(arguments)
        .args(["--data", data])
        .current_dir(folder)
        .output()
        .expect("a program")
}

#[track_caller]
pub(super) fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}", said(output));
    said(output)
}

#[track_caller]
pub(super) fn refused(output: &Output) -> String {
    assert!(!output.status.success(), "{}", said(output));
    said(output)
}

/// A request to a server; the status and the body.
pub(super) fn ask(url: &str, method: &str, path: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(url.trim_start_matches("http://")).expect("a connection");
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (
        head.split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .expect("a status"),
        body.to_owned(),
    )
}

/// A server with a history of each of these workspaces.
fn filled(folder: &Path, histories: &[(&str, &[i64])]) -> Server {
    let server = Server::start(folder, &["--init-token", TOKEN]);
    for (name, serials) in histories {
        for serial in *serials {
            let (status, why) = ask(
                &server.url,
                "POST",
                &format!("/http/default/{name}"),
                &state(*serial, name),
            );
            assert_eq!(status, 200, "{why}");
        }
    }
    server
}

/// The serials and the MD5s of the versions of a workspace, the newest first, as a server lists
/// them.
pub(super) fn history(
    server: &Server,
    organization: &str,
    name: &str,
) -> Vec<(i64, String, String)> {
    let path = format!(
        "/api/v2/state-versions?filter%5Borganization%5D%5Bname%5D={organization}&filter%5Bworkspace%5D%5Bname%5D={name}&page%5Bsize%5D=100"
    );
    let (status, body) = ask(&server.url, "GET", &path, "");
    assert_eq!(status, 200, "{body}");
    let body: Value = serde_json::from_str(&unchunked(&body)).expect("JSON");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let of = |one: &Value| {
        let attributes = &one["attributes"];
        assert_eq!(attributes["lineage"], name, "{one}");
        (
            attributes["serial"].as_i64().expect("a serial"),
            text(&attributes["md5"]),
            text(&attributes["created-at"]),
        )
    };
    body["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(of)
        .collect()
}

/// A body without the lengths of its chunks, if it has some.
fn unchunked(body: &str) -> String {
    if body.starts_with('{') {
        return body.to_owned();
    }
    let (mut rest, mut whole) = (body, String::new());
    while let Some((length, more)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).expect("a length");
        whole.push_str(&more[..length]);
        rest = more[length..].trim_start_matches("\r\n");
    }
    whole
}

/// Another folder with a server that has the same token.
pub(super) fn elsewhere(folder: &Path) -> Server {
    std::fs::create_dir_all(folder).expect("a folder");
    Server::start(folder, &["--init-token", TOKEN])
}

#[test]
fn an_export_is_imported_with_its_history_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = filled(folder.path(), &[("net", &[1, 2, 5]), ("app", &[7])]);
    let text = done(&on(folder.path(), "data", &["export", "--to", "out"]));
    assert!(
        text.ends_with("out holds 4 states of 2 workspaces.\n"),
        "{text}"
    );
    let mode = |path: &str| {
        std::fs::metadata(folder.path().join(path))
            .expect("a file")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(
        (
            mode("out"),
            mode("out/default/net"),
            mode("out/upstate-export.json")
        ),
        (0o700, 0o700, 0o600)
    );
    let index =
        std::fs::read_to_string(folder.path().join("out/upstate-export.json")).expect("an index");
    let index: Value = serde_json::from_str(&index).expect("JSON");
    let newest = &index["workspaces"][1]["versions"][2];
    assert_eq!(
        (newest["serial"].as_i64(), newest["lineage"].as_str()),
        (Some(5), Some("net"))
    );
    let file = folder
        .path()
        .join("out")
        .join(newest["file"].as_str().expect("a file"));
    assert_eq!(
        std::fs::read_to_string(&file).expect("a state"),
        state(5, "net")
    );
    assert_eq!(
        std::fs::metadata(&file)
            .expect("a file")
            .permissions()
            .mode()
            & 0o777,
        0o600
    );
    assert!(
        refused(&on(folder.path(), "data", &["export", "--to", "out"]))
            .contains("out is not empty; name a new folder")
    );
    assert!(
        refused(&on(folder.path(), "none", &["export", "--to", "x"]))
            .contains("there is no store in none")
    );
    let lines = done(&on(
        folder.path(),
        "data",
        &["audit", "--action", "state.export"],
    ));
    assert_eq!(lines.lines().count(), 2, "{lines}");

    let other = elsewhere(&folder.path().join("b"));
    let look = done(&on(
        folder.path(),
        "b/data",
        &["import", "--from", "out", "--dry-run"],
    ));
    assert!(
        look.contains("default\tnet\t3 states to import, serial 5\n"),
        "{look}"
    );
    assert!(
        look.ends_with("2 to import, 0 with nothing to import, 0 not imported.\n"),
        "{look}"
    );
    assert_eq!(ask(&other.url, "GET", "/http/default/net", "").0, 204);
    let text = done(&on(folder.path(), "b/data", &["import", "--from", "out"]));
    assert!(
        text.contains(
            "default\tapp\t1 state imported, serial 7\ndefault\tnet\t3 states imported, serial 5\n"
        ),
        "{text}"
    );
    assert_eq!(
        history(&other, "default", "net"),
        history(&server, "default", "net")
    );
    assert_eq!(
        ask(&other.url, "GET", "/http/default/net", "").1,
        state(5, "net")
    );
    let again = done(&on(folder.path(), "b/data", &["import", "--from", "out"]));
    assert!(
        again.contains("default\tnet\tis there already\n"),
        "{again}"
    );
    assert_eq!(history(&other, "default", "net").len(), 3);
    let lines = done(&on(
        folder.path(),
        "b/data",
        &["audit", "--action", "state-version.import"],
    ));
    assert_eq!(lines.lines().count(), 4, "{lines}");
    assert!(lines.contains("of out, made by "), "{lines}");
    // The workspace is unlocked, and its history goes on.
    assert_eq!(
        ask(&other.url, "POST", "/http/default/net", &state(6, "net")).0,
        200
    );
    let ahead = refused(&on(folder.path(), "b/data", &["import", "--from", "out"]));
    assert!(
        ahead.contains("the workspace has another state") && ahead.contains("with serial 6"),
        "{ahead}"
    );
    // States that the source wrote meanwhile follow, because the import goes on, in whatever
    // organization.
    done(&on(
        folder.path(),
        "b/data",
        &["import", "--from", "out", "--org", "moved"],
    ));
    assert_eq!(
        ask(&server.url, "POST", "/http/default/net", &state(9, "net")).0,
        200
    );
    done(&on(folder.path(), "data", &["export", "--to", "later"]));
    let text = done(&on(
        folder.path(),
        "b/data",
        &["import", "--from", "later", "--org", "moved"],
    ));
    assert!(
        text.contains("moved\tapp\tis there already\nmoved\tnet\t1 state imported, serial 9\n"),
        "{text}"
    );
    server.end();
    other.end();
}

/// A source that has the newest state alone goes on until its users move.
#[test]
fn a_source_without_older_states_is_imported_again_until_somebody_works_here() {
    let folder = tempfile::tempdir().expect("a folder");
    let states = folder.path().join("states");
    std::fs::create_dir(&states).expect("a folder");
    let import = |text: &str| {
        std::fs::write(states.join("net.tfstate"), text).expect("a file");
        on(folder.path(), "data", &["import", "--from", "states"])
    };
    for serial in [2, 5] {
        let text = done(&import(&state(serial, "net")));
        let line = format!("default\tnet\t1 state imported, serial {serial}\n");
        assert!(text.contains(&line), "{text}");
    }
    let there = done(&import(&state(5, "net")));
    assert!(
        there.contains("default\tnet\tis there already\n"),
        "{there}"
    );
    // Neither does one of which nobody knows the configuration.
    for wrong in [state(4, "net"), state(9, "other"), state(9, "")] {
        let text = refused(&import(&wrong));
        assert!(text.contains("the workspace has another state"), "{text}");
    }
    let server = elsewhere(folder.path());
    assert_eq!(history(&server, "default", "net").len(), 2);
    let answer = ask(&server.url, "POST", "/http/default/net", &state(6, "net"));
    assert_eq!(answer.0, 200, "{}", answer.1);
    let text = refused(&import(&state(7, "net")));
    assert!(
        text.contains("has another state") && text.contains("with serial 6"),
        "{text}"
    );
    server.end();
}

/// Its resources would be in two workspaces.
#[test]
fn a_renamed_workspace_is_not_imported_once_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let states = folder.path().join("states");
    std::fs::create_dir(&states).expect("a folder");
    std::fs::write(states.join("net.tfstate"), state(2, "net")).expect("a file");
    let import = || on(folder.path(), "data", &["import", "--from", "states"]);
    done(&import());
    let server = elsewhere(folder.path());
    let workspaces = "/api/v2/organizations/default/workspaces";
    let name = |name: &str| {
        json!({ "data": { "type": "workspaces", "attributes": { "name": name } } }).to_string()
    };
    let path = format!("{workspaces}/net");
    let renamed = ask(&server.url, "PATCH", &path, &name("lan"));
    assert_eq!(renamed.0, 200, "{}", renamed.1);
    let text = refused(&import());
    assert!(
        text.contains(
            "workspace net is now lan: make another workspace net first if its states are to come twice"
        ),
        "{text}"
    );
    assert_eq!(ask(&server.url, "GET", &path, "").0, 404);
    // Not if a workspace of the name was made on purpose.
    let made = ask(&server.url, "POST", workspaces, &name("net"));
    assert_eq!(made.0, 201, "{}", made.1);
    let text = done(&import());
    let line = "default\tnet\t1 state imported, serial 2\n";
    assert!(text.contains(line), "{text}");
    server.end();
}

#[test]
fn files_are_imported_and_what_is_wrong_is_refused_and_listed_last() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = filled(
        folder.path(),
        &[
            ("taken", &[3]),
            ("newer", &[8]),
            ("other", &[2]),
            ("busy", &[1]),
        ],
    );
    assert_eq!(
        ask(
            &server.url,
            "LOCK",
            "/http/default/busy",
            r#"{"ID":"l-1","Operation":"plan"}"#
        )
        .0,
        200
    );
    let states = folder.path().join("states");
    std::fs::create_dir_all(states.join("local")).expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(states.join(name), text).expect("a file");
    write("good.tfstate", &state(4, "good"));
    write("local/terraform.tfstate", &state(1, "local"));
    write("taken.tfstate", &state(3, "taken"));
    write("newer.tfstate", &state(5, "newer"));
    write("other.tfstate", &state(3, "s3cret-lineage"));
    write("busy.tfstate", &state(1, "busy"));
    write("cut.tfstate", &state(4, "cut")[..90]);
    write("empty.tfstate", "");
    write(
        "future.tfstate",
        r#"{"version": 5, "serial": 1, "lineage": "future"}"#,
    );
    write(
        "old.tfstate",
        r#"{"version": 3, "serial": 1, "lineage": "old", "modules": []}"#,
    );
    write("a name.tfstate", &state(1, "a"));
    write("good.tfstate.backup", "no state");
    let text = refused(&on(
        folder.path(),
        "data",
        &["import", "--from", "states", "--report", "report.jsonl"],
    ));
    let report = std::fs::read_to_string(folder.path().join("report.jsonl")).expect("a report");
    let report: Vec<Value> = report
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let results = report.iter().map(|line| {
        (
            line["workspace"].as_str(),
            line["result"].as_str(),
            line["detail"].as_str(),
        )
    });
    let good = (
        Some("good"),
        Some("imported"),
        Some("1 state imported, serial 4"),
    );
    let taken = (
        Some("taken"),
        Some("nothing to import"),
        Some("is there already"),
    );
    let empty = (
        Some("empty"),
        Some("not imported"),
        Some("empty.tfstate is refused: it is empty"),
    );
    let results: Vec<_> = results.collect();
    assert!(
        results.len() == 11 && [good, taken, empty].iter().all(|one| results.contains(one)),
        "{results:?}"
    );
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        &lines[..4],
        [
            "default\tgood\t1 state imported, serial 4",
            "default\tlocal\t1 state imported, serial 1",
            "default\told\t1 state imported, serial 1",
            "default\ttaken\tis there already",
        ]
    );
    let refusals = [
        ("a name", "Name must be 1 to 90 letters"),
        (
            "busy",
            "workspace busy is locked by User owner (lock id l-1)",
        ),
        ("cut", "cut.tfstate is refused: it cannot be read"),
        ("empty", "empty.tfstate is refused: it is empty"),
        ("future", "format version 5"),
        (
            "newer",
            "with serial 8, which the source does not have; the newest there has serial 5",
        ),
        (
            "other",
            "their lineages differ, other here and s3cret-lineage there",
        ),
    ];
    assert_eq!(lines.len(), 4 + refusals.len() + 2, "{text}");
    for (line, (name, why)) in lines[4..].iter().zip(refusals) {
        assert!(
            line.starts_with(&format!("default\t{name}\tnot imported: ")) && line.contains(why),
            "{line}"
        );
    }
    assert_eq!(
        lines[11],
        "3 imported, 1 with nothing to import, 7 not imported."
    );
    assert_eq!(lines[12], "upstate-server: 7 workspaces were not imported");
    for (name, serial) in [("newer", 8), ("other", 2)] {
        assert_eq!(
            ask(&server.url, "GET", &format!("/http/default/{name}"), "").1,
            state(serial, name)
        );
    }
    for name in ["cut", "empty", "future"] {
        assert_eq!(
            ask(
                &server.url,
                "GET",
                &format!("/api/v2/organizations/default/workspaces/{name}"),
                ""
            )
            .0,
            404
        );
    }
    write("local.tfstate", &state(1, "local"));
    assert!(
        refused(&on(folder.path(), "data", &["import", "--from", "states"]))
            .contains("there are two files of this name")
    );
    std::fs::create_dir(folder.path().join("nothing")).expect("a folder");
    assert!(
        refused(&on(folder.path(), "data", &["import", "--from", "nothing"]))
            .contains("nor a file NAME.tfstate")
    );
    assert!(
        refused(&on(folder.path(), "data", &["import", "--from", "gone"]))
            .contains("gone cannot be read")
    );
    server.end();
}

/// Measured a minute apart, and first when a server starts.
#[test]
fn locks_the_size_and_the_last_backup_are_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = filled(folder.path(), &[("net", &[1])]);
    assert_eq!(
        ask(&server.url, "LOCK", "/http/default/net", r#"{"ID":"l-1"}"#).0,
        200
    );
    done(&on(
        folder.path(),
        "data",
        &["backup", "--to", "states.zst"],
    ));
    server.end();
    let server = Server::start(folder.path(), &["--init-token", TOKEN]);
    let measured = |name: &str| -> f64 {
        let (_, text) = ask(&server.url, "GET", "/metrics", "");
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
            .expect("a number");
        line.trim().parse().expect("a number")
    };
    let until = std::time::Instant::now() + Duration::from_mins(1);
    while measured("upstate_locks") < 1.0 {
        assert!(std::time::Instant::now() < until, "nothing is measured");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(measured("upstate_store_bytes") > 4096.0);
    for name in ["upstate_backup_age_seconds", "upstate_oldest_lock_seconds"] {
        let seconds = measured(name);
        assert!((1.0..600.0).contains(&seconds), "{name}: {seconds}");
    }
    assert!(measured("upstate_pool_connections") >= 1.0);
    server.end();
}

#[test]
fn an_export_that_was_changed_is_refused_as_a_whole_workspace() {
    let folder = tempfile::tempdir().expect("a folder");
    filled(folder.path(), &[("net", &[1, 2, 3]), ("app", &[1, 2])]).end();
    done(&on(folder.path(), "data", &["export", "--to", "out"]));
    let path = folder.path().join("out/upstate-export.json");
    let index: Value =
        serde_json::from_slice(&std::fs::read(&path).expect("an index")).expect("JSON");
    let put = |index: &Value| std::fs::write(&path, index.to_string()).expect("an index");
    let import = |flags: &[&str]| {
        on(
            folder.path(),
            "b",
            &[&["import", "--from", "out"], flags].concat(),
        )
    };
    let file = folder.path().join("out").join(
        index["workspaces"][1]["versions"][2]["file"]
            .as_str()
            .expect("a file"),
    );
    std::fs::write(
        &file,
        state(3, "net").replace("\"value\": 3", "\"value\": 4"),
    )
    .expect("a file");
    let text = refused(&import(&["--workspace", "net"]));
    assert!(text.contains("is damaged: its SHA-256 is "), "{text}");
    std::fs::write(&file, state(3, "net")).expect("a file");
    // A history with a lower serial, unless that was meant when it was written.
    let mut turned = index.clone();
    turned["workspaces"][1]["versions"]
        .as_array_mut()
        .expect("a list")
        .swap(1, 2);
    put(&turned);
    let text = refused(&import(&["--workspace", "net"]));
    assert!(
        text.contains("serial 2 comes after the higher serial 3. --current-only imports"),
        "{text}"
    );
    assert_eq!(done(&on(folder.path(), "b", &["workspace", "deleted"])), "");
    let current = done(&import(&[
        "--workspace",
        "net",
        "--current-only",
        "--org",
        "current",
    ]));
    assert!(
        current.contains("current\tnet\t1 state imported, serial 2\n"),
        "{current}"
    );
    let again = done(&import(&[
        "--workspace",
        "net",
        "--current-only",
        "--org",
        "current",
    ]));
    assert!(
        again.contains("current\tnet\tis there already\n"),
        "{again}"
    );
    turned["workspaces"][1]["versions"][2]["forced"] = json!(true);
    put(&turned);
    done(&import(&["--workspace", "net", "--org", "forced"]));
    // Two lineages in one history.
    let mut two = index.clone();
    let foreign = two["workspaces"][0]["versions"][1].clone();
    two["workspaces"][1]["versions"]
        .as_array_mut()
        .expect("a list")
        .insert(1, foreign);
    put(&two);
    let text = refused(&import(&["--workspace", "net"]));
    assert!(
        text.contains("these are states of two configurations"),
        "{text}"
    );
    // An index that leads elsewhere, or is not whole.
    for leading in ["../data/upstate.db", "/etc/passwd"] {
        let mut led = index.clone();
        led["workspaces"][1]["versions"][0]["file"] = json!(leading);
        put(&led);
        assert!(
            refused(&import(&[])).contains("which is not in its folder"),
            "{leading}"
        );
    }
    std::fs::write(&path, &index.to_string()[..100]).expect("an index");
    assert!(refused(&import(&[])).contains("is not the index of an export"));
    let mut newer = index;
    newer["upstate-export"] = json!(2);
    put(&newer);
    assert!(refused(&import(&[])).contains("it has form 2, expected 1"));
}

#[test]
fn encrypted_stores_export_and_import() {
    let folder = tempfile::tempdir().expect("a folder");
    filled(folder.path(), &[("net", &[1, 2])]).end();
    for (name, number) in [("keys", 1), ("other", 2)] {
        std::fs::write(folder.path().join(name), STANDARD.encode([number; 32])).expect("a file");
    }
    let key = ["--encryption-key-file", "keys"];
    done(&on(
        folder.path(),
        "data",
        &[&["encrypt"], &key[..]].concat(),
    ));
    done(&on(
        folder.path(),
        "data",
        &[&["export", "--to", "out"], &key[..]].concat(),
    ));
    let other = ["--encryption-key-file", "other"];
    let only = ["--encrypted-only"];
    let import = [&["import", "--from", "out"], &other[..], &only].concat();
    assert!(done(&on(folder.path(), "b", &import)).contains("2 states imported, serial 2"));
    assert!(done(&on(folder.path(), "b", &import)).contains("is there already"));
    let status = done(&on(
        folder.path(),
        "b",
        &[&["encrypt", "--status"], &other[..]].concat(),
    ));
    assert!(status.contains("states: 2 encrypted, 0 plain"), "{status}");
    assert!(
        refused(&on(folder.path(), "data", &["export", "--to", "x"]))
            .contains("--encryption-key-file")
    );
}

#[test]
fn another_server_is_imported_with_its_history() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = filled(folder.path(), &[("net", &[1, 2, 5]), ("app", &[7])]);
    let made = ask(
        &server.url,
        "POST",
        "/api/v2/organizations/default/workspaces",
        r#"{"data":{"type":"workspaces","attributes":{"name":"new"}}}"#,
    );
    assert_eq!(made.0, 201, "{}", made.1);
    assert_eq!(
        ask(&server.url, "LOCK", "/http/default/app", r#"{"ID":"l-1"}"#).0,
        200
    );
    std::fs::write(folder.path().join("token"), format!("{TOKEN}\n")).expect("a file");
    let from = [
        "import",
        "--from-server",
        &server.url,
        "--from-org",
        "default",
        "--from-token-file",
        "token",
    ];
    let text = done(&on(folder.path(), "b/data", &from));
    assert!(
        text.contains("default\tnet\t3 states imported, serial 5\ndefault\tnew\thas no state\n"),
        "{text}"
    );
    assert!(
        text.contains("app\t1 state imported, serial 7; it is locked at the source: import again"),
        "{text}"
    );
    assert!(done(&on(folder.path(), "b/data", &from)).contains("default\tnet\tis there already\n"));
    let other = elsewhere(&folder.path().join("b"));
    assert_eq!(
        history(&other, "default", "net"),
        history(&server, "default", "net")
    );
    std::fs::write(folder.path().join("token"), "wrong").expect("a file");
    let text = refused(&on(folder.path(), "b/data", &from));
    assert!(
        text.contains("127.0.0.1 does not know the token") && !text.contains("wrong"),
        "{text}"
    );
    let text = refused(&on(folder.path(), "b/data", &from[..5]));
    assert!(
        text.contains(
            "the token or the password for the source is missing: put it into UPSTATE_FROM_TOKEN"
        ),
        "{text}"
    );
    server.end();
    other.end();
}

/// The name of the project of a workspace.
fn project_of(server: &Server, name: &str) -> String {
    let document = |path: &str| -> Value {
        let (status, body) = ask(&server.url, "GET", path, "");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&unchunked(&body)).expect("JSON")
    };
    let workspace = document(&format!("/api/v2/organizations/default/workspaces/{name}"));
    let id = workspace["data"]["relationships"]["project"]["data"]["id"]
        .as_str()
        .expect("an id");
    document(&format!("/api/v2/projects/{id}"))["data"]["attributes"]["name"]
        .as_str()
        .expect("a name")
        .to_owned()
}

#[test]
fn workspaces_come_with_their_projects() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = filled(folder.path(), &[("app", &[1])]);
    let made = |path: &str, sent: &Value| -> Value {
        let (status, body) = ask(&server.url, "POST", path, &sent.to_string());
        assert_eq!(status, 201, "{body}");
        serde_json::from_str(&unchunked(&body)).expect("JSON")
    };
    let project = json!({"data": {"type": "projects", "attributes": {"name": "Network ops"}}});
    let project = made("/api/v2/organizations/default/projects", &project);
    let within = json!({"project": {"data": {"type": "projects", "id": project["data"]["id"]}}});
    let workspace = json!({"data": {"type": "workspaces", "attributes": {"name": "net"}, "relationships": within}});
    made("/api/v2/organizations/default/workspaces", &workspace);
    assert_eq!(
        ask(&server.url, "POST", "/http/default/net", &state(3, "net")).0,
        200
    );
    std::fs::write(folder.path().join("token"), TOKEN).expect("a file");
    done(&on(folder.path(), "data", &["export", "--to", "out"]));
    let from_server = [
        "--from-server",
        &server.url,
        "--from-org",
        "default",
        "--from-token-file",
        "token",
    ];
    let moved = ["--from", "out", "--project", "Moved here"];
    let imports: [(&str, &[&str], [&str; 2]); 3] = [
        ("b", &from_server, ["Network ops", "Default Project"]),
        ("c", &["--from", "out"], ["Network ops", "Default Project"]),
        ("d", &moved, ["Moved here", "Moved here"]),
    ];
    for (name, from, expected) in imports {
        let data = format!("{name}/data");
        done(&on(
            folder.path(),
            &data,
            &[&["import", "--dry-run"], from].concat(),
        ));
        done(&on(folder.path(), &data, &[&["import"], from].concat()));
        let other = elsewhere(&folder.path().join(name));
        assert_eq!(
            [project_of(&other, "net"), project_of(&other, "app")],
            expected,
            "{name}"
        );
        other.end();
    }
    let text = refused(&on(
        folder.path(),
        "e/data",
        &["import", "--from", "out", "--project", "x", "--dry-run"],
    ));
    assert!(
        text.contains("default\tnet\tnot imported: The name of a project must be 3 to 40 letters"),
        "{text}"
    );
    server.end();
}

#[test]
fn states_at_addresses_of_backend_http_are_imported() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = filled(folder.path(), &[("net", &[1, 2, 5]), ("app", &[7])]);
    std::fs::write(folder.path().join("token"), TOKEN).expect("a file");
    let address = format!("{}/http/default/{{workspace}}", server.url);
    let from = |flags: &[&str]| {
        on(
            folder.path(),
            "b/data",
            &[&["import", "--from-http", &address], flags].concat(),
        )
    };
    let login = ["--from-user", "token", "--from-token-file", "token"];
    let both = [
        &login[..],
        &[
            "--workspace",
            "net",
            "--workspace",
            "app",
            "--workspace",
            "net",
        ],
    ]
    .concat();
    let text = done(&from(&[&both[..], &["--dry-run"]].concat()));
    assert!(
        text.starts_with(
            "default\tapp\t1 state to import, serial 7\ndefault\tnet\t1 state to import, serial 5\n"
        ),
        "{text}"
    );
    let text = done(&from(&both));
    assert!(
        text.starts_with(
            "default\tapp\t1 state imported, serial 7\ndefault\tnet\t1 state imported, serial 5\n"
        ),
        "{text}"
    );
    assert!(
        done(&from(&both))
            .starts_with("default\tapp\tis there already\ndefault\tnet\tis there already\n")
    );
    let text = refused(&from(&[&login[..], &["--workspace", "none"]].concat()));
    assert!(
        text.starts_with("default\tnone\tnot imported: 127.0.0.1 has no state"),
        "{text}"
    );
    let text = refused(&from(&["--workspace", "net"]));
    assert!(
        text.contains(
            "127.0.0.1 asks for a user and a password (state); name the user with --from-user"
        ),
        "{text}"
    );
    std::fs::write(folder.path().join("token"), "wrong").expect("a file");
    let text = refused(&from(&[&login[..], &["--workspace", "net"]].concat()));
    assert!(
        text.contains("127.0.0.1 does not know user token with this password (state)"),
        "{text}"
    );
    assert!(refused(&from(&[])).contains("--workspace"));
    let named = refused(&from(&["--workspace", "../x"]));
    assert!(
        named.contains("--workspace \"../x\": Name must be 1 to 90 letters"),
        "{named}"
    );
    let other = elsewhere(&folder.path().join("b"));
    assert_eq!(
        ask(&other.url, "GET", "/http/default/net", "").1,
        state(5, "net")
    );
    server.end();
    other.end();
}

/// An import from the bucket of these arguments.
fn from_bucket(folder: &Path, flags: &[&str]) -> Output {
    let mut command = program();
    command
        .args(["import", "--data", "b/data", "--from-bucket-url"])
        .args(flags)
        .current_dir(folder);
    command
        .env("AWS_ACCESS_KEY_ID", "k")
        .env("AWS_SECRET_ACCESS_KEY", "s3cret")
        .env("AWS_REGION", "us-east-1");
    command.output().expect("a program")
}

#[test]
fn the_states_in_a_bucket_are_imported() {
    let folder = tempfile::tempdir().expect("a folder");
    let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
    let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
    let objects = [
        ("a-b.tfstate", state(1, "one")),
        ("a/b.tfstate", state(1, "other")),
        ("cut.tfstate", "{".to_owned()),
        ("dns/default.tfstate", state(7, "dns")),
        ("env:/prod/net/terraform.tfstate", state(2, "prod")),
        ("env:/prod/net/terraform.tfstate.tflock", "{}".to_owned()),
        ("net/terraform.tfstate", state(4, "net")),
        ("notes.txt", "none".to_owned()),
    ];
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let Some((head, _)) = request_of(&mut stream) else {
                continue;
            };
            let path = head
                .split(' ')
                .nth(1)
                .expect("a path")
                .replace("%3A", ":")
                .replace("%2F", "/");
            let prefix = path
                .split("prefix=")
                .nth(1)
                .and_then(|rest| rest.split('&').next())
                .unwrap_or_default();
            let key = path
                .strip_prefix("/states/")
                .filter(|key| !key.is_empty() && !key.starts_with('?'));
            let body = if let Some(key) = key {
                objects
                    .iter()
                    .find(|(name, _)| *name == key)
                    .expect("an object")
                    .1
                    .clone()
            } else if path.starts_with("/odd-workspaces") && !prefix.starts_with("env:") {
                "<ListBucketResult></ListBucketResult>".to_owned()
            } else if path.starts_with("/odd") {
                let stamp = "<LastModified>2024-05-01T10:00:00.000Z</LastModified>";
                format!(
                    "<ListBucketResult><Contents><Key>a//b.txt</Key>{stamp}<Size>1</Size></Contents></ListBucketResult>"
                )
            } else {
                let below = objects.iter().filter(|(key, _)| key.starts_with(prefix));
                let listed = below.map(|(key, text)| {
                    let size = text.len();
                    format!(
                        "<Contents><Key>{key}</Key><LastModified>2024-05-01T10:00:00.000Z</LastModified><ETag>\"e\"</ETag><Size>{size}</Size></Contents>"
                    )
                });
                format!(
                    "<ListBucketResult>{}</ListBucketResult>",
                    listed.collect::<Vec<_>>().concat()
                )
            };
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    let import = |flags: &[&str]| from_bucket(folder.path(), flags);
    let text = refused(&import(&[
        "s3://states",
        "--from-bucket-endpoint",
        &endpoint,
    ]));
    let expected = [
        "default\tdns-default\t1 state imported, serial 7",
        "default\tnet\t1 state imported, serial 4",
        "default\tnet-prod\t1 state imported, serial 2; it is locked at the source: import again once it is not",
        "default\ta-b\tnot imported: there are two states of this name, a-b.tfstate and a/b.tfstate",
        "default\tcut\tnot imported: cut.tfstate is refused: it cannot be read",
        "3 imported, 0 with nothing to import, 2 not imported.",
    ];
    assert_eq!(text.lines().count(), expected.len() + 1, "{text}");
    for (line, part) in text.lines().zip(expected) {
        assert!(line.starts_with(part), "{line}");
    }
    let again = refused(&import(&[
        "s3://states",
        "--from-bucket-endpoint",
        &endpoint,
    ]));
    assert!(
        again.contains("default\tnet\tis there already\n"),
        "{again}"
    );
    let one = refused(&import(&[
        "s3://states/nothing",
        "--from-bucket-endpoint",
        &endpoint,
    ]));
    assert!(
        one.contains("s3://states/nothing holds no object NAME.tfstate"),
        "{one}"
    );
    let odd = refused(&import(&["s3://odd", "--from-bucket-endpoint", &endpoint]));
    assert!(
        odd.contains("the objects of s3://odd cannot be listed: ") && odd.contains("\"a//b.txt\""),
        "{odd}"
    );
    assert!(
        odd.contains("; rename that object, or name a prefix that it is not below\n"),
        "{odd}"
    );
    let odd = refused(&import(&[
        "s3://odd-workspaces/net",
        "--from-bucket-endpoint",
        &endpoint,
    ]));
    let place = "the objects of s3://odd-workspaces/net below env:/, where the workspaces of backend \"s3\" are, cannot be listed: ";
    assert!(
        odd.contains(place) && odd.contains("; rename that object\n"),
        "{odd}"
    );
    // The workspaces of `s3` are not below the prefix, because their names stand before it.
    let below = done(&import(&[
        "s3://states/net",
        "--from-bucket-endpoint",
        &endpoint,
        "--dry-run",
    ]));
    let expected = [
        "default\tprod\t1 state to import, serial 2; it is locked at the source: import again once it is not",
        "default\tterraform\t1 state to import, serial 4",
        "2 to import, 0 with nothing to import, 0 not imported.",
    ];
    assert_eq!(below.lines().collect::<Vec<_>>(), expected);
    assert!(refused(&import(&["ftp://states"])).contains("the bucket URL must be s3://bucket"));
    let other = elsewhere(&folder.path().join("b"));
    let there = history(&other, "default", "net");
    assert_eq!(
        there
            .iter()
            .map(|(serial, _, at)| (*serial, at.as_str()))
            .collect::<Vec<_>>(),
        [(4, "2024-05-01T10:00:00.000Z")]
    );
    other.end();
}

/// The versions of an object, with their ids, the newest first; `None` where it was deleted.
type Versions = Vec<(&'static str, Option<String>)>;

/// A bucket of S3 with versioning, whose lists of versions come in parts of two.
#[derive(Default)]
struct Versioned {
    objects: Mutex<BTreeMap<&'static str, Versions>>,
    downloads: AtomicUsize,
}

impl Versioned {
    fn start(objects: &[(&'static str, Versions)]) -> (String, Arc<Self>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let bucket = Arc::new(Self {
            objects: Mutex::new(objects.iter().cloned().collect()),
            ..Self::default()
        });
        let served = Arc::clone(&bucket);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let Some((head, _)) = request_of(&mut stream) else {
                    continue;
                };
                let (answered, body) = served.answer(head.split(' ').nth(1).expect("a path"));
                let answer = format!(
                    "HTTP/1.1 {answered}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        (url, bucket)
    }

    fn put(&self, key: &str, id: &'static str, text: String) {
        self.objects
            .lock()
            .expect("no panic")
            .get_mut(key)
            .expect("an object")
            .insert(0, (id, Some(text)));
    }

    /// The time of a version: the day of its number.
    fn time(id: &str) -> String {
        let number = if id == "null" {
            "9"
        } else {
            id.trim_start_matches('v')
        };
        format!("2024-05-0{number}T10:00:00.000Z")
    }

    fn answer(&self, path: &str) -> (String, String) {
        let (route, query) = path.split_once('?').unwrap_or((path, ""));
        let value = |name: &str| {
            let found = query
                .split('&')
                .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
            found.map(|text| text.replace("%2F", "/"))
        };
        let objects = self.objects.lock().expect("no panic");
        let key = route.trim_start_matches("/states").trim_start_matches('/');
        if value("versions").is_some() {
            assert!(value("X-Amz-Signature").is_some(), "{path}");
            let key = value("prefix").expect("a key");
            if key.starts_with("denied") {
                return (
                    "403 Forbidden".to_owned(),
                    "<Error><Code>AccessDenied</Code></Error>".to_owned(),
                );
            }
            let all = &objects[key.as_str()];
            let behind = |marker: String| {
                1 + all
                    .iter()
                    .position(|(id, _)| *id == marker)
                    .expect("a version")
            };
            let from = value("version-id-marker").map_or(0, behind);
            let part = &all[from..all.len().min(from + 2)];
            let elements = part.iter().map(|(id, text)| {
                let kind = if text.is_some() { "Version" } else { "DeleteMarker" };
                let time = Self::time(id);
                format!("<{kind}><Key>{key}</Key><VersionId>{id}</VersionId><LastModified>{time}</LastModified></{kind}>")
            });
            let elements: String = elements.collect();
            let last = part.last().map_or("", |(id, _)| *id);
            let next = format!(
                "<NextKeyMarker>{key}</NextKeyMarker><NextVersionIdMarker>{last}</NextVersionIdMarker>"
            );
            let is_truncated = from + 2 < all.len();
            let page = format!("<IsTruncated>{is_truncated}</IsTruncated>{next}{elements}");
            return (
                "200 OK".to_owned(),
                format!("<ListVersionsResult>{page}</ListVersionsResult>"),
            );
        }
        if key.is_empty() {
            let listed = objects.iter().map(|(key, versions)| {
                let time = Self::time(versions[0].0);
                format!("<Contents><Key>{key}</Key><LastModified>{time}</LastModified><ETag>\"e\"</ETag><Size>9</Size></Contents>")
            });
            return (
                "200 OK".to_owned(),
                format!(
                    "<ListBucketResult>{}</ListBucketResult>",
                    listed.collect::<String>()
                ),
            );
        }
        let versions = &objects[key];
        let text = match value("versionId") {
            Some(wanted) => versions
                .iter()
                .find(|(id, _)| *id == wanted)
                .expect("a version")
                .1
                .clone()
                .expect("bytes"),
            None => versions[0].1.clone().expect("bytes"),
        };
        // The first answer is that it has too much to do.
        if self.downloads.fetch_add(1, Ordering::Relaxed) == 0 {
            return ("503 Slow Down".to_owned(), String::new());
        }
        let digested = if key.starts_with("damaged") {
            "another"
        } else {
            text.as_str()
        };
        let md5 = upstate_server::__internal::content::hex(&Md5::digest(digested));
        (format!("200 OK\r\netag: \"{md5}\""), text)
    }
}

/// Older versions come first, each once, from the last time on that the object was deleted.
#[test]
fn the_versions_in_a_bucket_are_imported() {
    let folder = tempfile::tempdir().expect("a folder");
    let some = |id: &'static str, serial: i64, lineage: &str| (id, Some(state(serial, lineage)));
    let (endpoint, bucket) = Versioned::start(&[
        (
            "app/terraform.tfstate",
            vec![("null", Some(state(1, "app")))],
        ),
        (
            "damaged/terraform.tfstate",
            vec![some("v2", 2, "damaged"), some("v1", 1, "damaged")],
        ),
        ("denied/terraform.tfstate", vec![some("v1", 1, "denied")]),
        (
            "net/terraform.tfstate",
            vec![
                some("v4", 3, "net"),
                some("v3", 2, "net"),
                ("v2", None),
                some("v1", 9, "old"),
            ],
        ),
    ]);
    let from = ["s3://states", "--from-bucket-endpoint", &endpoint];
    let import = |flags: &[&str]| from_bucket(folder.path(), &[&from[..], flags].concat());
    let text = refused(&import(&[]));
    let expected = [
        "default\tapp\t1 state imported, serial 1",
        "default\tnet\t2 states imported, serial 3",
        "default\tdamaged\tnot imported: version v1 of damaged/terraform.tfstate is damaged: its MD5 is ",
        "default\tdenied\tnot imported: the versions of denied/terraform.tfstate cannot be listed (403 Forbidden, AccessDenied): allow \
         s3:ListBucketVersions and s3:GetObjectVersion, or import the newest state alone with --current-only",
        "2 imported, 0 with nothing to import, 2 not imported.",
    ];
    assert_eq!(text.lines().count(), expected.len() + 1, "{text}");
    for (line, part) in text.lines().zip(expected) {
        assert!(line.starts_with(part), "{line}");
    }
    let net = ["--workspace", "net"];
    let before = bucket.downloads.load(Ordering::Relaxed);
    assert!(done(&import(&net)).contains("default\tnet\tis there already\n"));
    assert_eq!(bucket.downloads.load(Ordering::Relaxed) - before, 1);
    // The newest is a copy of the one with serial 3, which is there already, but not as the newest.
    bucket.put("net/terraform.tfstate", "v5", state(4, "net"));
    bucket.put("net/terraform.tfstate", "v6", state(3, "net"));
    let text = done(&import(&net));
    assert!(
        text.contains("default\tnet\t2 states imported, serial 3\n"),
        "{text}"
    );
    let text = done(&import(&["--workspace", "denied", "--current-only"]));
    assert!(
        text.contains("default\tdenied\t1 state imported, serial 1\n"),
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
            (3, "2024-05-06"),
            (4, "2024-05-05"),
            (3, "2024-05-04"),
            (2, "2024-05-03")
        ]
    );
    assert_eq!(
        ask(&other.url, "GET", "/http/default/net", "").1,
        state(3, "net")
    );
    other.end();
}

/// `.ci/full` starts the emulator, and has made the bucket, which keeps versions, and the account of
/// the environment.
#[test]
#[ignore = "it needs an emulator of S3, which `.ci/full` has"]
fn the_versions_in_a_bucket_of_an_emulator_are_imported() {
    let endpoint = std::env::var("UPSTATE_S3").expect("UPSTATE_S3, the URL of the service");
    let prefix = JobId::new().to_string();
    let key = object_store::path::Path::from(format!("{prefix}/net/terraform.tfstate"));
    // The client takes its cryptography from the process, where only the first choice counts.
    let _ = ring::default_provider().install_default();
    let client = AmazonS3Builder::from_env()
        .with_bucket_name("states")
        .with_endpoint(&endpoint)
        .with_allow_http(true)
        .build()
        .expect("a bucket");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for serial in [1, 2, 5] {
        let written = client.put(&key, state(serial, "net").into());
        runtime.block_on(written).expect("an object");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("s3://states/{prefix}");
    let from = [url.as_str(), "--from-bucket-endpoint", &endpoint];
    let text = done(&from_bucket(folder.path(), &from));
    assert!(
        text.contains("default\tnet\t3 states imported, serial 5\n"),
        "{text}"
    );
    let again = done(&from_bucket(folder.path(), &from));
    assert!(
        again.contains("default\tnet\tis there already\n"),
        "{again}"
    );
    let other = elsewhere(&folder.path().join("b"));
    let there = history(&other, "default", "net");
    let serials: Vec<i64> = there.iter().map(|(serial, _, _)| *serial).collect();
    assert_eq!(serials, [5, 2, 1]);
    let (_, newest) = ask(&other.url, "GET", "/http/default/net", "");
    assert_eq!(newest, state(5, "net"));
    other.end();
}

/// A server that answers as HCP Terraform does, without MD5s and lineages, and that fails now and
/// then.
struct Platform {
    url: String,
    state: Arc<PlatformState>,
}

#[derive(Default)]
struct PlatformState {
    url: Mutex<String>,
    /// The states by workspace, the oldest first.
    states: BTreeMap<&'static str, Vec<String>>,
    requests: AtomicUsize,
    downloads: AtomicUsize,
    /// Each request of this number fails.
    failing: usize,
    /// Milliseconds that a download takes.
    slow: u64,
    /// The file of a version that is another one than it should be.
    damaged: Option<&'static str>,
    /// The id of the project of each workspace.
    project: Option<&'static str>,
    /// The list of projects; without it, the token may see none.
    projects: Option<Value>,
    /// True if it gives the bytes itself, at paths for which it asks for the token, as OTF does.
    is_whole: bool,
    /// Requests to the store of bytes that had the token.
    leaked: AtomicUsize,
}

impl Platform {
    fn start(state: PlatformState) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
        let bytes = TcpListener::bind("127.0.0.1:0").expect("an address");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        *state.url.lock().expect("no panic") =
            format!("http://{}", bytes.local_addr().expect("an address"));
        let state = Arc::new(state);
        for (listener, is_bytes) in [(listener, false), (bytes, true)] {
            let state = Arc::clone(&state);
            std::thread::spawn(move || {
                for stream in listener.incoming().map_while(Result::ok) {
                    let state = Arc::clone(&state);
                    std::thread::spawn(move || state.answer(stream, is_bytes));
                }
            });
        }
        Self { url, state }
    }
}

impl PlatformState {
    fn answer(&self, mut stream: TcpStream, is_bytes: bool) {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            if stream.read(&mut byte).unwrap_or_default() == 0 {
                return;
            }
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).expect("a head");
        let path = head.split(' ').nth(1).expect("a path").to_owned();
        let has_token = head
            .to_ascii_lowercase()
            .contains(&format!("authorization: bearer {TOKEN}"));
        if is_bytes && has_token {
            self.leaked.fetch_add(1, Ordering::Relaxed);
        }
        let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let (status, body) = if self.failing > 0 && number.is_multiple_of(self.failing) {
            ("429 Too Many Requests\r\nretry-after: 0", String::new())
        } else if is_bytes {
            self.downloads.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(self.slow));
            ("200 OK", self.bytes(&path))
        } else if !has_token {
            ("401 Unauthorized", String::new())
        } else {
            self.document(&path)
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        let _ = stream.write_all(answer.as_bytes());
    }

    fn bytes(&self, path: &str) -> String {
        let id = path.trim_start_matches('/');
        let (name, number) = id
            .trim_start_matches("sv-")
            .rsplit_once('-')
            .expect("an id");
        let text = self.states[name][number.parse::<usize>().expect("a number")].clone();
        if self.damaged == Some(id) {
            text[..text.len() / 2].to_owned()
        } else {
            text
        }
    }

    fn version(&self, name: &str, number: usize) -> Value {
        let text = &self.states[name][number];
        let serial = text
            .split("\"serial\": ")
            .nth(1)
            .and_then(|rest| rest.split(',').next())
            .expect("a serial");
        let id = format!("sv-{name}-{number}");
        let url = if self.is_whole {
            format!("/api/v2/state-versions/{id}/download")
        } else {
            format!("{}/{id}", self.url.lock().expect("no panic"))
        };
        json!({"id": id, "type": "state-versions", "attributes": {
            "serial": serial.parse::<i64>().expect("a serial"),
            "status": "finalized",
            "created-at": format!("2024-05-{:02}T10:00:00.000Z", number + 1),
            "hosted-state-download-url": url,
        }})
    }

    fn document(&self, path: &str) -> (&'static str, String) {
        let (route, query) = path.split_once('?').unwrap_or((path, ""));
        let last = self
            .states
            .iter()
            .map(|(name, states)| (*name, states.len() - 1));
        let page: usize = query
            .rsplit("page%5Bnumber%5D=")
            .next()
            .and_then(|text| text.parse().ok())
            .unwrap_or(1);
        let body = match route {
            "/api/v2/organizations/acme/workspaces" => {
                let project = self
                    .project
                    .map(|id| json!({"project": {"data": {"id": id, "type": "projects"}}}));
                let all = last.map(|(name, _)| {
                    json!({"id": format!("ws-{name}"), "type": "workspaces", "relationships": project, "attributes": {"name": name, "terraform-version": "1.9.0", "tag-names": ["a"], "locked": false}})
                });
                json!({"data": all.collect::<Vec<_>>(), "meta": {"pagination": {"next-page": null}}})
            }
            "/api/v2/organizations/acme/projects" => match &self.projects {
                Some(projects) => json!({"data": projects}),
                None => return ("404 Not Found", String::new()),
            },
            "/api/v2/state-versions" => {
                let name = query
                    .split("workspace%5D%5Bname%5D=")
                    .nth(1)
                    .and_then(|rest| rest.split('&').next())
                    .expect("a name");
                let numbers: Vec<usize> = (0..self.states[name].len()).rev().collect();
                // Pages of two.
                let pages: Vec<&[usize]> = numbers.chunks(2).collect();
                let next = (page < pages.len()).then_some(page + 1);
                let data: Vec<Value> = pages[page - 1]
                    .iter()
                    .map(|number| self.version(name, *number))
                    .collect();
                json!({"data": data, "meta": {"pagination": {"next-page": next}}})
            }
            _ => {
                let id = route
                    .strip_prefix("/api/v2/state-versions/")
                    .and_then(|rest| rest.strip_suffix("/download"));
                if let Some(id) = id.filter(|_| self.is_whole) {
                    return ("200 OK", self.bytes(id));
                }
                match route
                    .strip_prefix("/api/v2/workspaces/ws-")
                    .and_then(|rest| rest.strip_suffix("/current-state-version"))
                {
                    Some(name) => json!({"data": self.version(name, self.states[name].len() - 1)}),
                    None => return ("404 Not Found", String::new()),
                }
            }
        };
        ("200 OK", body.to_string())
    }
}

fn many(lineage: &'static str, count: i64) -> Vec<String> {
    (1..=count).map(|serial| state(serial, lineage)).collect()
}

/// The arguments of an import from a platform, with the token in a file.
fn from<'a>(folder: &Path, url: &'a str) -> [&'a str; 7] {
    std::fs::write(folder.join("token"), TOKEN).expect("a file");
    [
        "import",
        "--from-server",
        url,
        "--from-org",
        "acme",
        "--from-token-file",
        "token",
    ]
}

#[test]
fn a_platform_without_digests_is_imported_through_its_failures() {
    let folder = tempfile::tempdir().expect("a folder");
    let states = BTreeMap::from([
        ("net", many("net", 5)),
        ("app", many("app", 1)),
        ("cut", many("cut", 3)),
    ]);
    let platform = Platform::start(PlatformState {
        states,
        failing: 3,
        damaged: Some("sv-cut-2"),
        ..PlatformState::default()
    });
    let from = from(folder.path(), &platform.url);
    let text = refused(&on(folder.path(), "b/data", &from));
    assert!(
        text.starts_with(
            "default\tapp\t1 state imported, serial 1\ndefault\tnet\t5 states imported, serial 5\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("default\tcut\tnot imported: sv-cut-2 is refused: it cannot be read"),
        "{text}"
    );
    assert_eq!(platform.state.leaked.load(Ordering::Relaxed), 0);
    let before = platform.state.downloads.load(Ordering::Relaxed);
    let text = refused(&on(folder.path(), "b/data", &from));
    assert!(text.contains("default\tnet\tis there already\n"), "{text}");
    // The one state of the highest serial of each is compared; and those of the damaged one.
    assert!(platform.state.downloads.load(Ordering::Relaxed) - before <= 2 + 3);
    let other = elsewhere(&folder.path().join("b"));
    let there = history(&other, "default", "net");
    let expected: Vec<(i64, String, String)> = (1..=5i64)
        .rev()
        .map(|serial| {
            let md5 = upstate_server::__internal::content::hex(&Md5::digest(state(serial, "net")));
            (serial, md5, format!("2024-05-{serial:02}T10:00:00.000Z"))
        })
        .collect();
    assert_eq!(there, expected);
    assert_eq!(
        ask(
            &other.url,
            "GET",
            "/api/v2/organizations/default/workspaces/cut",
            ""
        )
        .0,
        404
    );
    let (_, workspace) = ask(
        &other.url,
        "GET",
        "/api/v2/organizations/default/workspaces/net",
        "",
    );
    assert!(
        workspace.contains("\"1.9.0\"") && workspace.contains("\"tag-names\":[\"a\"]"),
        "{workspace}"
    );
    other.end();
}

/// Its download URLs are paths without a host, and it has neither projects nor MD5s.
#[test]
fn a_server_of_otf_is_imported_with_its_history() {
    let folder = tempfile::tempdir().expect("a folder");
    let states = BTreeMap::from([("net", many("net", 5)), ("app", many("app", 1))]);
    let platform = Platform::start(PlatformState {
        states,
        failing: 4,
        is_whole: true,
        ..PlatformState::default()
    });
    let from = from(folder.path(), &platform.url);
    let text = done(&on(folder.path(), "b/data", &from));
    assert!(
        text.starts_with(
            "default\tapp\t1 state imported, serial 1\ndefault\tnet\t5 states imported, serial 5\n"
        ),
        "{text}"
    );
    // The other server, to which nothing leads here, got no request.
    assert_eq!(platform.state.downloads.load(Ordering::Relaxed), 0);
    let other = elsewhere(&folder.path().join("b"));
    assert_eq!(history(&other, "default", "net").len(), 5);
    assert_eq!(
        ask(&other.url, "GET", "/http/default/net", "").1,
        state(5, "net")
    );
    other.end();
}

/// In the first project, more people could read its states.
#[test]
fn a_workspace_whose_project_is_hidden_is_not_in_the_first_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let projects = json!([
        {"id": "prj-1", "type": "projects", "attributes": {"name": "Default Project"}},
        {"id": "prj-2", "type": "projects", "attributes": {"name": "Network ops"}},
    ]);
    for (data, project, projects, expected) in [
        (
            "b",
            "prj-1",
            Some(projects.clone()),
            Some("Default Project"),
        ),
        ("c", "prj-2", Some(projects.clone()), Some("Network ops")),
        ("d", "prj-3", Some(projects), None),
        ("e", "prj-3", None, None),
    ] {
        let states = BTreeMap::from([("net", many("net", 1))]);
        let platform = Platform::start(PlatformState {
            states,
            project: Some(project),
            projects,
            ..PlatformState::default()
        });
        let (from, store) = (from(folder.path(), &platform.url), format!("{data}/data"));
        let output = on(folder.path(), &store, &from);
        if expected.is_none() {
            let text = refused(&output);
            let why =
                "its project is not among those that the token may see; name one with --project";
            assert!(
                text.starts_with(&format!("default\tnet\tnot imported: {why}\n")),
                "{text}"
            );
            done(&on(
                folder.path(),
                &store,
                &[&from[..], &["--project", "Moved here"]].concat(),
            ));
        } else {
            done(&output);
        }
        let other = elsewhere(&folder.path().join(data));
        assert_eq!(
            project_of(&other, "net"),
            expected.unwrap_or("Moved here"),
            "{data}"
        );
        other.end();
    }
}

fn killed(mut child: Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn start(folder: &TempDir, arguments: &[&str]) -> Child {
    let mut command = program();
    command
        .args(arguments)
        .args(["--data", "b/data"])
        .current_dir(folder.path());
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a program")
}

#[test]
fn an_import_that_is_killed_goes_on_and_nothing_comes_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = ["a", "b", "c", "d", "e", "f"];
    let states: BTreeMap<_, _> = names.iter().map(|name| (*name, many(name, 30))).collect();
    let platform = Platform::start(PlatformState {
        states,
        slow: 4,
        ..PlatformState::default()
    });
    let from = from(folder.path(), &platform.url);
    for millis in [250, 350, 450, 550] {
        let child = start(&folder, &from);
        std::thread::sleep(Duration::from_millis(millis));
        killed(child);
    }
    let text = done(&on(folder.path(), "b/data", &from));
    assert!(text.ends_with(" 0 not imported.\n"), "{text}");
    let other = elsewhere(&folder.path().join("b"));
    for name in names {
        let serials: Vec<i64> = history(&other, "default", name)
            .into_iter()
            .map(|(serial, ..)| serial)
            .collect();
        assert_eq!(serials, (1..=30).rev().collect::<Vec<i64>>(), "{name}");
        assert_eq!(
            ask(
                &other.url,
                "POST",
                &format!("/http/default/{name}"),
                &state(31, name)
            )
            .0,
            200
        );
    }
    let lines = done(&on(
        folder.path(),
        "b/data",
        &[
            "audit",
            "--action",
            "state-version.import",
            "--last",
            "1000",
        ],
    ));
    assert_eq!(lines.lines().count(), 180);
    other.end();
}

/// A part of a history is not worked on: the workspace is locked until an import of it ends.
#[test]
fn a_part_of_a_history_is_locked() {
    let folder = tempfile::tempdir().expect("a folder");
    let part = Platform::start(PlatformState {
        states: BTreeMap::from([("net", many("net", 400))]),
        ..PlatformState::default()
    });
    let from = from(folder.path(), &part.url);
    let mut child = start(&folder, &from);
    let until = std::time::Instant::now() + Duration::from_mins(2);
    let log = [
        "audit",
        "--action",
        "state-version.import",
        "--last",
        "1000",
    ];
    // Killed when it writes; where the machine is too fast for that, there is nothing to see.
    let mut written = 0;
    while written < 5
        && std::time::Instant::now() < until
        && child.try_wait().expect("a child").is_none()
    {
        written = String::from_utf8_lossy(&on(folder.path(), "b/data", &log).stdout)
            .lines()
            .count();
    }
    killed(child);
    let written = done(&on(folder.path(), "b/data", &log)).lines().count();
    assert!(written >= 5, "{written}");
    let other = elsewhere(&folder.path().join("b"));
    let (status, body) = ask(&other.url, "POST", "/http/default/net", &state(401, "net"));
    if written < 400 {
        assert_eq!(status, 423, "{body}");
        assert!(body.contains("locked by User import"), "{body}");
        assert!(
            done(&on(folder.path(), "b/data", &from))
                .contains(&format!("{} states imported", 400 - written))
        );
        assert_eq!(
            ask(&other.url, "POST", "/http/default/net", &state(401, "net")).0,
            200
        );
    }
    other.end();
}

/// A GitLab below a path, with the states of one project, two on a page of the list.
struct Gitlab {
    address: String,
    states: Vec<(&'static str, Option<String>)>,
    elsewhere: String,
}

impl Gitlab {
    fn answer(&self, head: &str, body: &str) -> (String, String) {
        let path = head.split(' ').nth(1).expect("a path");
        if !head
            .to_ascii_lowercase()
            .contains(&format!("private-token: {TOKEN}"))
        {
            return ("401 Unauthorized".to_owned(), String::new());
        }
        if let Some((name, number)) = path
            .strip_prefix("/gitlab/api/v4/projects/7/terraform/state/")
            .and_then(|rest| rest.split_once("/versions/"))
        {
            match (name, number) {
                (_, "3") | ("odd", "latest") => {}
                ("net", "1") => return ("200 OK".to_owned(), state(7, "net")),
                _ => return ("404 Not Found".to_owned(), String::new()),
            }
            if name == "moved" {
                return (
                    format!("302 Found\r\nlocation: {}", self.elsewhere),
                    String::new(),
                );
            }
            let (_, text) = self
                .states
                .iter()
                .find(|(one, _)| *one == name)
                .expect("a state");
            return ("200 OK".to_owned(), text.clone().expect("bytes"));
        }
        assert_eq!(path, "/gitlab/api/graphql");
        let sent: Value = serde_json::from_str(body).expect("JSON");
        let variables = &sent["variables"];
        if variables["project"] != "acme/infra" {
            return (
                "200 OK".to_owned(),
                json!({"data": {"project": null}}).to_string(),
            );
        }
        let from = variables["after"]
            .as_str()
            .map_or(0, |after| after.parse().expect("a number"));
        let page = &self.states[from..self.states.len().min(from + 2)];
        let nodes: Vec<Value> = page
            .iter()
            .map(|(name, text)| {
                let version = text.as_ref().map(|_| {
                    let number = if *name == "odd" { "latest" } else { "3" };
                    json!({"serial": 3, "createdAt": "2024-05-01T10:00:00Z",
                        "downloadPath": format!("/gitlab/api/v4/projects/7/terraform/state/{name}/versions/{number}")})
                });
                let at = |is: bool| is.then_some("2024-05-01T10:00:00Z");
                json!({"name": name, "lockedAt": at(*name == "busy"), "deletedAt": at(*name == "going"), "latestVersion": version})
            })
            .collect();
        let end = from + page.len();
        let info = json!({"hasNextPage": end < self.states.len(), "endCursor": end.to_string()});
        (
            "200 OK".to_owned(),
            json!({"data": {"project": {"terraformStates": {"nodes": nodes, "pageInfo": info}}}})
                .to_string(),
        )
    }
}

/// Reads a request; its head and its body.
pub(super) fn request_of(stream: &mut TcpStream) -> Option<(String, String)> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).unwrap_or_default() == 0 {
            return None;
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
    Some((head, String::from_utf8(body).expect("text")))
}

#[test]
fn the_states_of_a_gitlab_project_are_imported() {
    let folder = tempfile::tempdir().expect("a folder");
    let (listener, other) = (
        TcpListener::bind("127.0.0.1:0").expect("an address"),
        TcpListener::bind("127.0.0.1:0").expect("an address"),
    );
    let url =
        |listener: &TcpListener| format!("http://{}", listener.local_addr().expect("an address"));
    let some = |name: &'static str| (name, Some(state(3, name)));
    let states = vec![
        some("net"),
        some("busy"),
        some("going"),
        ("new", None),
        some("moved"),
        ("cut", Some("{".to_owned())),
        some("odd"),
    ];
    let gitlab = Gitlab {
        address: format!("{}/gitlab", url(&listener)),
        states,
        elsewhere: format!("{}/x", url(&other)),
    };
    let address = gitlab.address.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let Some((head, body)) = request_of(&mut stream) else {
                continue;
            };
            let (answered, body) = gitlab.answer(&head, &body);
            let answer = format!(
                "HTTP/1.1 {answered}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    std::fs::write(folder.path().join("token"), TOKEN).expect("a file");
    let from = |project: &'static str| {
        on(
            folder.path(),
            "b/data",
            &[
                "import",
                "--from-gitlab",
                &address,
                "--from-project",
                project,
                "--from-token-file",
                "token",
            ],
        )
    };
    let text = refused(&from("acme/infra"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 9, "{text}");
    for (line, part) in lines.iter().zip([
        "default\tbusy\t1 state imported, serial 3; it is locked at the source",
        // The older one has a higher serial, because GitLab compares nothing.
        "default\tnet\t2 states imported, serial 3",
        "default\tnew\thas no state",
        "default\tcut\tnot imported: serial 3 is refused: it cannot be read",
        "default\tgoing\tnot imported: GitLab is about to delete it",
        "default\tmoved\tnot imported: 127.0.0.1 answers 302",
        // Otherwise its history would be lost.
        "default\todd\tnot imported: the address of its newest state does not end with a number, so that the older ones cannot be found; \
         --current-only imports the newest state alone",
        "2 imported, 1 with nothing to import, 4 not imported.",
    ]) {
        assert!(line.starts_with(part), "{line}");
    }
    // The token went nowhere else: nobody has connected.
    other.set_nonblocking(true).expect("a listener");
    assert!(other.accept().is_err());
    assert!(refused(&from("acme/infra")).contains("default\tnet\tis there already\n"));
    let current = on(
        folder.path(),
        "c/data",
        &[
            "import",
            "--from-gitlab",
            &address,
            "--from-project",
            "acme/infra",
            "--from-token-file",
            "token",
            "--workspace",
            "net",
            "--workspace",
            "odd",
            "--current-only",
        ],
    );
    let text = done(&current);
    for name in ["net", "odd"] {
        assert!(
            text.contains(&format!("default\t{name}\t1 state imported, serial 3\n")),
            "{text}"
        );
    }
    assert!(
        refused(&from("acme/other"))
            .contains("127.0.0.1 has no project acme/other, or the token may not see it")
    );
    std::fs::write(folder.path().join("token"), "wrong").expect("a file");
    assert!(refused(&from("acme/infra")).contains("does not know the token"));
    let both = [
        "import",
        "--from",
        "x",
        "--from-gitlab",
        "y",
        "--from-project",
        "z",
    ];
    assert!(refused(&on(folder.path(), "b/data", &both)).contains("cannot be used with"));
}
