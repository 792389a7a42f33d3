//! Encryption at rest: what is in the files, whose keys open it, and what is refused.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use axum::extract::{Path as UrlPath, State};
use axum::http::{HeaderMap, StatusCode};
use axum::{Json, Router, routing};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;
use upstate_server::__internal::model::{
    ContentKind, QuarantineId, Quarantined, VersionId, WorkspaceId,
};
use upstate_server::__internal::store::copy;
use upstate_server::__internal::store::encryption::{
    self, AwsKms, AwsKmsSettings, KeyFile, KeyList, KeyService, Keyring, Sealing as _, StoredKey,
    Transit, TransitSettings,
};
use upstate_server::__internal::store::sqlite::Sqlite;
use upstate_server::__internal::store::{Change, Page, StoreError};

use crate::copying;
use crate::suite::{self, Shared, at};

const ALL: Page = Page {
    number: 1,
    size: 100,
};

/// A key, as a line of a file.
pub(crate) fn key(number: u8) -> String {
    STANDARD.encode([number; 32])
}

pub(crate) fn keyring(lines: &str, only: bool) -> Keyring {
    Keyring::new(
        Arc::new(KeyList::parse("the test's keys", lines).expect("keys")),
        only,
    )
}

async fn open(folder: &Path, keyring: Keyring) -> Arc<Sqlite> {
    Arc::new(
        Sqlite::open(folder)
            .await
            .expect("a store")
            .with_keyring(keyring),
    )
}

fn database(folder: &Path) -> Connection {
    Connection::open(folder.join("upstate.db")).expect("a connection")
}

/// Bytes that no compression changes, since nothing in them repeats.
fn noise(seed: u8) -> Vec<u8> {
    use sha2::{Digest as _, Sha256};
    (0..64u8)
        .flat_map(|block| Sha256::digest([seed, block]))
        .collect()
}

/// The secrets of a filled store.
pub(crate) struct Secrets {
    pub(crate) workspace: WorkspaceId,
    pub(crate) versions: Vec<VersionId>,
    late: QuarantineId,
    url_key: [u8; 32],
}

const OUTPUT: &str = "\"s3cret\"";

pub(crate) async fn fill(store: &Shared) -> Secrets {
    let workspace = suite::workspace(store).await;
    let url_key = store.secret("url-key").await.expect("a secret");
    let mut versions = Vec::new();
    for serial in [1, 2] {
        versions.push(suite::write(store, &workspace, i64::from(serial), &noise(serial)).await);
    }
    let json = Change::JsonState {
        version: versions[1].clone(),
        bytes: noise(3).into(),
    };
    let late = Quarantined {
        id: QuarantineId::new(),
        workspace: workspace.clone(),
        version: versions[0].clone(),
        at: at(5),
        reason: "late".to_owned(),
        size: 2048,
        bytes: Bytes::from(noise(4)),
    };
    let id = late.id.clone();
    suite::change(
        store,
        &workspace,
        vec![json, Change::Quarantine(Box::new(late))],
    )
    .await;
    Secrets {
        workspace,
        versions,
        late: id,
        url_key,
    }
}

pub(crate) async fn is_whole(store: &Shared, secrets: &Secrets) {
    let Secrets {
        versions,
        late,
        url_key,
        ..
    } = secrets;
    for (version, seed) in versions.iter().zip(1..) {
        let bytes = store
            .bytes(version, ContentKind::State)
            .await
            .expect("a store")
            .expect("bytes");
        assert!(bytes == noise(seed), "{version}");
        let outputs = store.outputs(version, ALL).await.expect("a store").items;
        assert_eq!(
            (outputs[0].value.as_str(), outputs[0].sensitive),
            (OUTPUT, true)
        );
        let output = store
            .output(&outputs[0].id)
            .await
            .expect("a store")
            .expect("an output");
        assert_eq!(output.value, OUTPUT);
    }
    let json = store
        .bytes(&versions[1], ContentKind::JsonState)
        .await
        .expect("a store")
        .expect("bytes");
    assert!(json == noise(3));
    let late = store
        .quarantined_bytes(late)
        .await
        .expect("a store")
        .expect("bytes");
    assert!(late.bytes == noise(4));
    assert_eq!(store.secret("url-key").await.expect("a secret"), *url_key);
}

/// The number of secrets that some bytes hold.
pub(crate) fn found(bytes: &[u8], secrets: &Secrets) -> usize {
    let mut markers: Vec<Vec<u8>> = (1..=4).map(|seed| noise(seed)[100..164].to_vec()).collect();
    markers.push(OUTPUT.as_bytes().to_vec());
    markers.push(secrets.url_key.to_vec());
    markers
        .iter()
        .filter(|marker| {
            bytes
                .windows(marker.len())
                .any(|window| window == marker.as_slice())
        })
        .count()
}

fn found_in(folder: &Path, secrets: &Secrets) -> usize {
    // A store that was just dropped takes its log of writes away meanwhile.
    let files = std::fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|file| std::fs::read(file.path()).unwrap_or_default());
    files
        .map(|bytes| found(&bytes, secrets))
        .max()
        .unwrap_or_default()
}

async fn no_of(store: &Shared, version: &VersionId) -> String {
    store
        .bytes(version, ContentKind::State)
        .await
        .expect_err("it is refused")
        .to_string()
}

mod sqlite {
    use super::*;

    async fn fresh() -> (Shared, TempDir) {
        let folder = crate::memory::folder();
        let store = open(folder.path(), keyring(&key(1), true)).await;
        (store, folder)
    }

    suite!(fresh);
}

#[tokio::test]
async fn no_secret_is_in_the_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let store: Shared = open(folder.path(), keyring(&key(1), true)).await;
    let secrets = fill(&store).await;
    is_whole(&store, &secrets).await;
    assert_eq!(found_in(folder.path(), &secrets), 0);
    let shares = store.shares().await.expect("a store");
    assert!(
        shares
            .iter()
            .all(|share| share.plain == 0 && share.encrypted > 0),
        "{shares:?}"
    );
    // The search finds all of them in a plain store, because nothing hides them there.
    let plain = tempfile::tempdir().expect("a folder");
    let store: Shared = open(plain.path(), Keyring::default()).await;
    let secrets = fill(&store).await;
    drop(store);
    database(plain.path())
        .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
        .expect("a checkpoint");
    assert_eq!(found_in(plain.path(), &secrets), 6);
}

/// A plain store goes on plain until `encrypt`, which leaves nothing behind and which may break
/// off.
#[tokio::test]
async fn a_plain_store_is_taken_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let store: Shared = open(folder.path(), Keyring::default()).await;
    let secrets = fill(&store).await;
    drop(store);
    let strict: Shared = open(folder.path(), keyring(&key(1), true)).await;
    let error = no_of(&strict, &secrets.versions[0]).await;
    assert!(
        error.contains("is plain, and --encrypted-only refuses that; run `upstate-server encrypt`"),
        "{error}"
    );

    let store = open(folder.path(), keyring(&key(1), false)).await;
    let shared: Shared = store.clone();
    is_whole(&shared, &secrets).await;
    let extra = suite::write(&shared, &secrets.workspace, 3, b"written encrypted").await;
    let found = store.shares().await.expect("a store");
    assert_eq!((found[0].encrypted, found[0].plain), (1, 4), "{found:?}");
    // More bytes than one transaction takes.
    let plain: Shared = open(folder.path(), Keyring::default()).await;
    for serial in 10..30 {
        suite::write(
            &plain,
            &secrets.workspace,
            serial,
            format!("state {serial}").as_bytes(),
        )
        .await;
    }
    drop(plain);
    assert_eq!(store.data_keys().await.expect("a store").len(), 1);
    let done = encryption::encrypt(&*store, false)
        .await
        .expect("it is encrypted");
    assert!(done.rows > 40 && done.rewrapped == 0, "{done:?}");
    assert!(done.shares.iter().all(|share| share.plain == 0), "{done:?}");
    is_whole(&strict, &secrets).await;
    assert_eq!(
        strict
            .bytes(&extra, ContentKind::State)
            .await
            .expect("a store")
            .as_deref(),
        Some(&b"written encrypted"[..])
    );
    drop((store, shared, strict));
    assert_eq!(found_in(folder.path(), &secrets), 0);
    let again = open(folder.path(), keyring(&key(1), true)).await;
    assert_eq!(
        encryption::encrypt(&*again, false)
            .await
            .expect("nothing is left")
            .rows,
        0
    );
}

#[tokio::test]
async fn another_key_and_none_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let store: Shared = open(folder.path(), keyring(&key(1), false)).await;
    let secrets = fill(&store).await;
    drop(store);
    let refused = async |keyring: Keyring| {
        let store: Shared = open(folder.path(), keyring).await;
        let started = encryption::check(&*store)
            .await
            .expect_err("it is refused")
            .to_string();
        assert_eq!(no_of(&store, &secrets.versions[0]).await, started);
        // What it writes cannot be read with the right key either, so it writes nothing.
        let snapshot = suite::snapshot(&store, &secrets.workspace).await;
        let commit = suite::commit(&snapshot, vec![Change::Unlock(None)]);
        (started, store.commit(commit).await.is_ok())
    };
    let name = store_key_name(folder.path());
    let (none, _) = refused(Keyring::default()).await;
    assert_eq!(
        none,
        format!(
            "the store is encrypted with key {name}, which was not given; name the key with --encryption-key-file FILE, \
             UPSTATE_ENCRYPTION_KEY, --encryption-transit URL, or --encryption-aws-kms ARN"
        )
    );
    let (other, writes) = refused(keyring(&key(2), false)).await;
    assert!(
        other.starts_with(&format!(
            "the store is encrypted with key {name}, and the test's keys has another one: "
        )),
        "{other}"
    );
    assert!(
        other.ends_with("; add the line of that key") && !writes,
        "{other}"
    );
    // A key of the same name that is another one, as somebody who can write to the store would make
    // it seem.
    database(folder.path())
        .execute(
            "UPDATE data_key SET wrapped = zeroblob(length(wrapped))",
            (),
        )
        .expect("an update");
    let (changed, _) = refused(keyring(&key(1), false)).await;
    assert!(
        changed.contains("cannot be unwrapped with key")
            && changed.ends_with("take it from a backup"),
        "{changed}"
    );
}

#[tokio::test]
async fn a_key_that_only_earlier_data_keys_need_is_missed_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let store: Shared = open(folder.path(), keyring(&key(1), false)).await;
    fill(&store).await;
    let name = store_key_name(folder.path());
    let newest = store.data_keys().await.expect("keys").remove(0);
    let wrapped = KeyList::parse("the test's keys", &key(2))
        .expect("a key")
        .wrap("dk-later", &[7; 32])
        .await
        .expect("wrapped");
    let created_at = at(newest.created_at.as_millis() + 1);
    store
        .add_data_key(&StoredKey {
            id: "dk-later".to_owned(),
            wrapped,
            created_at,
        })
        .await
        .expect("a key is added");
    drop(store);
    let store: Shared = open(folder.path(), keyring(&key(2), false)).await;
    let missed = encryption::check(&*store)
        .await
        .expect_err("it is refused")
        .to_string();
    assert!(
        missed.starts_with(&format!(
            "the store is encrypted with key {name}, and the test's keys has another one: "
        )),
        "{missed}"
    );
    let store: Shared = open(
        folder.path(),
        keyring(&format!("{}\n{}", key(2), key(1)), false),
    )
    .await;
    encryption::check(&*store)
        .await
        .expect("both keys are there");
}

fn store_key_name(folder: &Path) -> String {
    database(folder)
        .query_row("SELECT wrapped_by FROM data_key", (), |row| row.get(0))
        .expect("a key")
}

#[test]
fn what_is_no_key_is_refused_without_it() {
    for (text, expected) in [
        (
            "",
            "keys.txt holds no key: expected a line, as `openssl rand -base64 32` writes it",
        ),
        (
            "# nothing\n\n",
            "keys.txt holds no key: expected a line, as `openssl rand -base64 32` writes it",
        ),
        (
            "# one\nc2hvcnQ=\n",
            "line 2 of keys.txt is not a key: expected 32 bytes in base64, as `openssl rand -base64 32` writes them",
        ),
        (
            "hunter2!",
            "line 1 of keys.txt is not a key: expected 32 bytes in base64, as `openssl rand -base64 32` writes them",
        ),
    ] {
        assert_eq!(
            KeyList::parse("keys.txt", text)
                .expect_err("it is refused")
                .to_string(),
            expected
        );
    }
    let list = KeyList::parse("keys.txt", &key(1)).expect("keys");
    assert!(!format!("{list:?}").contains(&key(1)) && !format!("{list:?}").contains('\u{1}'));
    let error = KeyFile::open(PathBuf::from("nowhere.txt"))
        .expect_err("it is not there")
        .to_string();
    assert!(
        error.starts_with("the keys in nowhere.txt cannot be read"),
        "{error}"
    );
}

/// The rows of an encrypted store, put where they do not belong.
#[tokio::test]
async fn what_was_changed_or_moved_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let store: Shared = open(folder.path(), keyring(&key(1), true)).await;
    let secrets = fill(&store).await;
    let [first, second] = secrets.versions.as_slice() else {
        panic!("two versions")
    };
    let other = suite::new_workspace(
        &suite::snapshot(&store, &secrets.workspace)
            .await
            .workspace
            .organization,
        "other",
    );
    assert!(suite::added(&store, &other).await);
    let damage = async |sql: &str, expected: &str| {
        let connection = database(folder.path());
        connection
            .execute_batch(&format!("PRAGMA foreign_keys = OFF; BEGIN; {sql}"))
            .expect("an update");
        connection.execute_batch("COMMIT").expect("a commit");
        let text = async |done: Result<(), StoreError>| {
            done.err()
                .map(|error| error.to_string())
                .unwrap_or_default()
        };
        let mut all = String::new();
        for version in [first, second] {
            all += &text(store.bytes(version, ContentKind::State).await.map(drop)).await;
            all += &text(store.outputs(version, ALL).await.map(drop)).await;
        }
        all += &text(store.quarantined_bytes(&secrets.late).await.map(drop)).await;
        all += &text(store.secret("url-key").await.map(drop)).await;
        assert!(all.contains(expected), "{sql}: {all:?}");
        assert!(!all.contains("s3cret"), "{all}");
    };
    let back = async |table: &str, columns: &str, id: &str| {
        let sql = format!(
            "UPDATE {table} SET ({columns}) = (SELECT {columns} FROM kept_{table} k WHERE k.{id} = {table}.{id})"
        );
        database(folder.path())
            .execute(&sql, ())
            .expect("an update");
        is_whole(&store, &secrets).await;
    };
    for table in ["blob", "state_version", "output", "quarantine", "setting"] {
        database(folder.path())
            .execute_batch(&format!(
                "CREATE TABLE kept_{table} AS SELECT * FROM {table}"
            ))
            .expect("a copy");
    }
    let changed = "was changed, cut off, or put in place of another; take it from a backup";
    let (one, two) = (format!("id = '{first}'"), format!("id = '{second}'"));
    // Ciphertexts of two states change places, are cut off, have one other bit, or are gone.
    let swap = format!(
        "UPDATE blob SET bytes = (SELECT bytes FROM kept_blob WHERE sha256 = (SELECT state FROM state_version WHERE {two}))
            WHERE sha256 = (SELECT state FROM state_version WHERE {one})"
    );
    for sql in [
        swap.as_str(),
        "UPDATE blob SET bytes = substr(bytes, 1, length(bytes) - 1)",
        "UPDATE blob SET bytes = substr(bytes, 1, 20)",
        "UPDATE blob SET bytes = x''",
        "UPDATE blob SET bytes = CAST(substr(bytes, 1, 40) || x'00' || substr(bytes, 42) AS BLOB)",
        "UPDATE blob SET size = size + 1",
    ] {
        damage(sql, changed).await;
        back("blob", "bytes, size, data_key", "sha256").await;
    }
    // A version refers to the bytes of another one, with or without its seal, or is moved to
    // another workspace.
    let not_it = "was changed since it was written; take it from a backup";
    let refer = format!(
        "UPDATE state_version SET state = (SELECT state FROM state_version WHERE {two}) WHERE {one}"
    );
    damage(&refer, not_it).await;
    back("state_version", "state, state_seal", "id").await;
    let seal = format!(
        "UPDATE state_version SET (state, state_seal) = (SELECT state, state_seal FROM state_version WHERE {two}) WHERE {one}"
    );
    damage(&seal, not_it).await;
    back("state_version", "state, state_seal", "id").await;
    damage(
        &format!(
            "UPDATE state_version SET workspace = '{}', seq = 9 WHERE {one}",
            other.id
        ),
        not_it,
    )
    .await;
    damage(
        &format!(
            "UPDATE state_version SET workspace = '{}', seq = 9 WHERE {one}",
            other.id
        ),
        changed,
    )
    .await;
    back("state_version", "workspace, seq", "id").await;
    damage(
        &format!("UPDATE state_version SET state_seal = NULL WHERE {one}"),
        "is plain, and --encrypted-only refuses that",
    )
    .await;
    back("state_version", "state, state_seal", "id").await;
    damage(
        "UPDATE quarantine SET state = (SELECT max(sha256) FROM blob WHERE sha256 <> state)",
        not_it,
    )
    .await;
    back("quarantine", "state, seal", "id").await;
    // Outputs: of another version, no longer sensitive, plain.
    let value =
        "UPDATE output SET value = (SELECT max(value) FROM kept_output k WHERE k.id <> output.id)";
    for sql in [
        value,
        "UPDATE output SET sensitive = 0",
        "UPDATE output SET name = 'name'",
    ] {
        damage(sql, changed).await;
        back("output", "value, sensitive, name, data_key", "id").await;
    }
    damage(
        "UPDATE output SET value = '\"evil\"', data_key = NULL",
        "is plain, and --encrypted-only refuses that",
    )
    .await;
    back("output", "value, sensitive, name, data_key", "id").await;
    damage(
        "UPDATE setting SET value = zeroblob(32) WHERE name = 'secret/url-key'",
        changed,
    )
    .await;
    back("setting", "value, data_key", "name").await;
}

/// The operator's key is replaced while a server reads and writes: the new one is put before the
/// old one in the file, `encrypt` runs, and the old one is taken out.
#[tokio::test(flavor = "multi_thread")]
async fn keys_are_replaced_while_a_server_works() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("keys");
    let keys = async |lines: &[String]| std::fs::write(&file, lines.join("\n")).expect("a file");
    let from_file = || Keyring::new(Arc::new(KeyFile::open(file.clone()).expect("keys")), true);
    keys(&[key(1)]).await;
    let data = folder.path().join("data");
    let server: Shared = open(&data, from_file()).await;
    let secrets = fill(&server).await;
    let worker = {
        let (server, workspace, version) = (
            Arc::clone(&server),
            secrets.workspace.clone(),
            secrets.versions[0].clone(),
        );
        tokio::spawn(async move {
            for serial in 10..60 {
                suite::write(
                    &server,
                    &workspace,
                    serial,
                    format!("state {serial}").as_bytes(),
                )
                .await;
                assert!(
                    server
                        .bytes(&version, ContentKind::State)
                        .await
                        .expect("a store")
                        .is_some()
                );
            }
        })
    };
    keys(&[key(2), key(1)]).await;
    let command = open(&data, from_file()).await;
    let done = encryption::encrypt(&*command, false)
        .await
        .expect("rewrapped");
    assert_eq!((done.rewrapped, done.rows), (1, 0), "{done:?}");
    let done = encryption::encrypt(&*command, true).await.expect("renewed");
    assert!(done.rows > 10, "{done:?}");
    keys(&[key(2)]).await;
    worker.await.expect("the server went on");
    is_whole(&server, &secrets).await;
    let later: Shared = open(&data, from_file()).await;
    is_whole(&later, &secrets).await;
    let old: Shared = open(&data, keyring(&key(1), true)).await;
    assert!(
        no_of(&old, &secrets.versions[0])
            .await
            .contains("has another one")
    );
}

/// Copies need no key, and are as encrypted as what they are of; with the key they are checked.
#[tokio::test]
async fn copies_and_backups_stay_encrypted() {
    let folder = tempfile::tempdir().expect("a folder");
    let store: Shared = open(&folder.path().join("from"), keyring(&key(1), true)).await;
    let secrets = fill(&store).await;
    drop(store);
    let keyless: Shared = open(&folder.path().join("from"), Keyring::default()).await;
    let to: Shared = open(&folder.path().join("to"), Keyring::default()).await;
    copy::copy(&*keyless, &*to).await.expect("a copy");
    let archive = folder.path().join("archive.zst");
    copy::back_up(&*keyless, &archive).await.expect("a backup");
    let text = zstd::decode_all(&*std::fs::read(&archive).expect("a file")).expect("an archive");
    assert_eq!(found(&text, &secrets), 0);
    let restored: Shared = open(&folder.path().join("restored"), Keyring::default()).await;
    copy::restore(&archive, &*restored)
        .await
        .expect("it is restored");
    drop((to, restored));
    for name in ["to", "restored"] {
        let store: Shared = open(&folder.path().join(name), keyring(&key(1), true)).await;
        is_whole(&store, &secrets).await;
        suite::write(&store, &secrets.workspace, 9, b"next").await;
        drop(store);
        assert_eq!(found_in(&folder.path().join(name), &secrets), 0);
    }
    database(&folder.path().join("from"))
        .execute("UPDATE blob SET bytes = zeroblob(length(bytes))", ())
        .expect("an update");
    let with_key = open(&folder.path().join("from"), keyring(&key(1), true)).await;
    let error = copy::back_up(&*with_key, &folder.path().join("damaged.zst"))
        .await
        .expect_err("it is damaged")
        .to_string();
    assert!(error.contains("was changed, cut off"), "{error}");
}

/// Archives of releases that knew no encryption, and everything that a store may hold.
#[tokio::test]
async fn an_encrypted_store_is_copied_with_everything() {
    let sealed = async || {
        let folder = tempfile::tempdir().expect("a folder");
        let store: Shared = open(folder.path(), keyring(&key(1), true)).await;
        (store, folder)
    };
    let ((from, _from), (to, _to)) = (sealed().await, sealed().await);
    copying::copies(from, to).await;
    let ((from, _from), (to, _to)) = (sealed().await, sealed().await);
    copying::backs_up_and_restores(from, to).await;
}

/// A transit engine, as its documentation has it: versions of a key, tokens, associated data, and a
/// seal of its own.
#[derive(Default)]
struct Engine {
    version: u32,
    sealed: bool,
    asked: u32,
}

type Shares = Arc<Mutex<Engine>>;

async fn transit(
    State(engine): State<Shares>,
    UrlPath((what, name)): UrlPath<(String, String)>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> (StatusCode, Json<Value>) {
    let refused = |status, why: &str| (status, Json(json!({"errors": [why]})));
    let mut engine = engine.lock().expect("an engine");
    engine.asked += 1;
    if engine.sealed {
        return refused(StatusCode::SERVICE_UNAVAILABLE, "Vault is sealed");
    }
    if headers
        .get("x-vault-token")
        .map(http::HeaderValue::as_bytes)
        != Some(b"s.token")
    {
        return refused(StatusCode::FORBIDDEN, "permission denied");
    }
    assert_eq!(name, "upstate");
    let text = |member: &str| body[member].as_str().expect("a text").to_owned();
    if what == "encrypt" {
        // What is wrapped is readable here, so that the test sees that associated data are given.
        let sealed = format!("{}.{}", text("associated_data"), text("plaintext"));
        return (
            StatusCode::OK,
            Json(
                json!({"data": {"ciphertext": format!("vault:v{}:{}", engine.version, STANDARD.encode(sealed))}}),
            ),
        );
    }
    let sealed = text("ciphertext");
    let inner = STANDARD
        .decode(sealed.rsplit(':').next().expect("a part"))
        .expect("base64");
    let inner = String::from_utf8(inner).expect("a text");
    match inner.split_once('.') {
        Some((associated, plain)) if associated == text("associated_data") => {
            (StatusCode::OK, Json(json!({"data": {"plaintext": plain}})))
        }
        _ => refused(
            StatusCode::BAD_REQUEST,
            "cipher: message authentication failed",
        ),
    }
}

async fn engine() -> (Shares, String) {
    let engine = Shares::new(Mutex::new(Engine {
        version: 1,
        ..Engine::default()
    }));
    let router = Router::new()
        .route("/v1/transit/{what}/{name}", routing::post(transit))
        .with_state(Arc::clone(&engine));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let url = format!(
        "http://{}/v1/transit/keys/upstate",
        listener.local_addr().expect("an address")
    );
    tokio::spawn(async move { axum::serve(listener, router).await });
    (engine, url)
}

#[tokio::test]
async fn a_transit_engine_holds_the_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let (engine, url) = engine().await;
    let settings = TransitSettings {
        url,
        token: Some("s.token".to_owned()),
        ..TransitSettings::default()
    };
    let with = |settings: TransitSettings| {
        Keyring::new(Arc::new(Transit::new(settings).expect("a key")), true)
    };
    let server = open(folder.path(), with(settings.clone())).await;
    let shared: Shared = server.clone();
    let secrets = fill(&shared).await;
    is_whole(&shared, &secrets).await;
    assert_eq!(store_key_name(folder.path()), "transit upstate v1");
    // It is asked once per data key, not once per state.
    assert_eq!(engine.lock().expect("an engine").asked, 1);
    engine.lock().expect("an engine").version = 2;
    let done = encryption::encrypt(&*server, false)
        .await
        .expect("rewrapped");
    assert_eq!(
        (done.rewrapped, store_key_name(folder.path()).as_str()),
        (1, "transit upstate v2")
    );
    is_whole(&shared, &secrets).await;

    let started = async |settings: TransitSettings| {
        let store = open(folder.path(), with(settings)).await;
        encryption::check(&*store).await
    };
    started(settings.clone()).await.expect("it starts");
    let error = started(TransitSettings {
        token: Some("s.old".to_owned()),
        ..settings.clone()
    })
    .await
    .expect_err("it is refused");
    assert!(error.is_passing());
    let text = error.to_string();
    assert!(
        text.contains("did not decrypt: 403 Forbidden; permission denied")
            && !text.contains("s.old"),
        "{text}"
    );
    engine.lock().expect("an engine").sealed = true;
    let error = started(settings.clone()).await.expect_err("it is refused");
    assert!(
        error.is_passing()
            && error
                .to_string()
                .contains("503 Service Unavailable; Vault is sealed"),
        "{error}"
    );
    // A server that has its data keys goes on without the engine.
    is_whole(&shared, &secrets).await;
    suite::write(&shared, &secrets.workspace, 9, b"next").await;
    engine.lock().expect("an engine").sealed = false;
    let token = folder.path().join("token");
    std::fs::write(&token, "s.token\n").expect("a file");
    started(TransitSettings {
        token: None,
        token_file: Some(token),
        ..settings.clone()
    })
    .await
    .expect("it starts");
    // A wrapped key that is put in place of another one is bound to the id of its own.
    database(folder.path())
        .execute_batch("PRAGMA foreign_keys = OFF; UPDATE data_key SET id = 'dk-other'")
        .expect("an update");
    let error = started(settings).await.expect_err("it is refused");
    assert!(
        !error.is_passing() && error.to_string().contains("message authentication failed"),
        "{error}"
    );
}

#[test]
fn urls_that_are_none_of_a_transit_key_are_refused() {
    for url in [
        "",
        "vault.example.com",
        "https://vault.example.com/v1/transit/upstate",
        "https://v/v1/transit/keys/",
        "ftp://v/keys/a",
    ] {
        let settings = TransitSettings {
            url: url.to_owned(),
            token: Some("t".to_owned()),
            ..TransitSettings::default()
        };
        let error = Transit::new(settings)
            .expect_err("it is refused")
            .to_string();
        assert!(
            error.starts_with("the URL of a transit key must be like https://vault.example.com:8200/v1/transit/keys/upstate"),
            "{error}"
        );
    }
    let settings = TransitSettings {
        url: "https://v/v1/transit/keys/a".to_owned(),
        ..TransitSettings::default()
    };
    let error = Transit::new(settings)
        .expect_err("it is refused")
        .to_string();
    assert!(error.contains("VAULT_TOKEN_FILE"), "{error}");
}

/// The ARNs of the keys of AWS, without their ids.
const ARN: &str = "arn:aws:kms:eu-central-1:111122223333:key/";

/// The key management service of AWS, as its documentation has it: keys by ARN, a context, and
/// refusals with their kind.
async fn kms(headers: HeaderMap, body: Bytes) -> (StatusCode, String) {
    let refused = |kind: &str| {
        (
            StatusCode::BAD_REQUEST,
            json!({"__type": format!("com.amazonaws.kms#{kind}"), "message": "not so"}).to_string(),
        )
    };
    let header = |name: &str| headers[name].to_str().expect("a header").to_owned();
    let signed = header("authorization");
    if !signed.starts_with("AWS4-HMAC-SHA256 Credential=upstate/") {
        return refused("UnrecognizedClientException");
    }
    let scope = "/eu-central-1/kms/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-target, ";
    assert!(signed.contains(scope), "{signed}");
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    let context = body["EncryptionContext"].to_string();
    let done = |answer: Value| (StatusCode::OK, answer.to_string());
    match header("x-amz-target").as_str() {
        "TrentService.Encrypt" => {
            // What is wrapped is readable here, so that the test sees that the context is given.
            let sealed = json!([body["KeyId"], context, body["Plaintext"]]).to_string();
            done(json!({"KeyId": body["KeyId"], "CiphertextBlob": STANDARD.encode(sealed)}))
        }
        "TrentService.Decrypt" => {
            let sealed = STANDARD
                .decode(body["CiphertextBlob"].as_str().expect("a string"))
                .expect("base64");
            let sealed: Value = serde_json::from_slice(&sealed).expect("JSON");
            if sealed[0] != body["KeyId"] {
                refused("IncorrectKeyException")
            } else if sealed[1] != context.as_str() {
                refused("InvalidCiphertextException")
            } else {
                done(json!({"KeyId": body["KeyId"], "Plaintext": sealed[2]}))
            }
        }
        _ => refused("UnknownOperationException"),
    }
}

#[tokio::test]
async fn a_key_of_aws_wraps_the_data_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        axum::serve(listener, Router::new().route("/", routing::post(kms))).await
    });
    let settings = |ids: &[&str], access_key: &str| AwsKmsSettings {
        keys: ids.iter().map(|id| format!("{ARN}{id}")).collect(),
        endpoint: Some(url.clone()),
        options: vec![
            ("aws_access_key_id".to_owned(), access_key.to_owned()),
            ("aws_secret_access_key".to_owned(), "hunter22".to_owned()),
        ],
    };
    let with = |settings: &AwsKmsSettings| {
        Keyring::new(Arc::new(AwsKms::new(settings).expect("keys")), true)
    };
    let server = open(folder.path(), with(&settings(&["one"], "upstate"))).await;
    let shared: Shared = server.clone();
    let secrets = fill(&shared).await;
    is_whole(&shared, &secrets).await;
    assert_eq!(store_key_name(folder.path()), format!("{ARN}one"));
    let started = async |settings: AwsKmsSettings| {
        let store = open(folder.path(), with(&settings)).await;
        encryption::check(&*store).await
    };
    started(settings(&["one"], "upstate"))
        .await
        .expect("it starts");
    let both = open(folder.path(), with(&settings(&["two", "one"], "upstate"))).await;
    let done = encryption::encrypt(&*both, false).await.expect("rewrapped");
    assert_eq!(
        (done.rewrapped, store_key_name(folder.path())),
        (1, format!("{ARN}two"))
    );
    started(settings(&["two"], "upstate"))
        .await
        .expect("it starts");
    let error = started(settings(&["one"], "upstate"))
        .await
        .expect_err("it is refused")
        .to_string();
    assert!(
        error.ends_with(&format!(
            "--encryption-aws-kms names another one: {ARN}one; add that key behind it"
        )),
        "{error}"
    );
    let error = started(settings(&["two"], "other"))
        .await
        .expect_err("it is refused");
    assert!(error.is_passing());
    let text = error.to_string();
    let why = format!(
        "AWS KMS key {ARN}two did not Decrypt: 400 Bad Request; UnrecognizedClientException; not so"
    );
    assert!(
        text.contains(&why) && !format!("{:?}", settings(&["two"], "other")).contains("hunter22"),
        "{text}"
    );
    // A wrapped key that is put in place of another one is bound to the id of its own.
    database(folder.path())
        .execute_batch("PRAGMA foreign_keys = OFF; UPDATE data_key SET id = 'dk-other'")
        .expect("an update");
    let error = started(settings(&["two"], "upstate"))
        .await
        .expect_err("it is refused");
    assert!(
        !error.is_passing() && error.to_string().contains("InvalidCiphertextException"),
        "{error}"
    );
}

/// `.ci/full` starts the emulator, and has made two keys and the account of the environment.
#[tokio::test]
#[ignore = "it needs an emulator of AWS KMS, which `.ci/full` has"]
async fn keys_of_an_emulator_wrap_the_data_keys() {
    let endpoint = std::env::var("UPSTATE_S3").expect("UPSTATE_S3, the URL of the service");
    let keys = std::env::var("UPSTATE_KMS_KEYS").expect("UPSTATE_KMS_KEYS, two ARNs");
    let (one, two) = keys.split_once(' ').expect("two keys");
    let with = |keys: &[&str]| {
        let settings = AwsKmsSettings {
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            endpoint: Some(endpoint.clone()),
            options: Vec::new(),
        };
        Keyring::new(Arc::new(AwsKms::new(&settings).expect("keys")), true)
    };
    let folder = tempfile::tempdir().expect("a folder");
    let store: Shared = open(folder.path(), with(&[one])).await;
    let secrets = fill(&store).await;
    assert_eq!(store_key_name(folder.path()), one);
    let both = open(folder.path(), with(&[two, one])).await;
    let done = encryption::encrypt(&*both, false).await.expect("rewrapped");
    assert_eq!(
        (done.rewrapped, store_key_name(folder.path()).as_str()),
        (1, two)
    );
    let store: Shared = open(folder.path(), with(&[two])).await;
    is_whole(&store, &secrets).await;
    // A wrapped key that is put in place of another one is bound to the id of its own.
    database(folder.path())
        .execute_batch("PRAGMA foreign_keys = OFF; UPDATE data_key SET id = 'dk-other'")
        .expect("an update");
    let other = open(folder.path(), with(&[two])).await;
    let error = encryption::check(&*other).await.expect_err("it is refused");
    assert!(
        !error.is_passing() && error.to_string().contains("InvalidCiphertextException"),
        "{error}"
    );
}

#[test]
fn what_names_no_key_of_aws_is_refused() {
    for arn in [
        "",
        "alias/upstate",
        "arn:aws:kms:eu-central-1:111122223333:alias/upstate",
        "arn:aws:kms::111122223333:key/1234",
        "arn:aws:s3:eu-central-1:111122223333:key/1234",
        "arn:aws:kms:evil.example.com/:111122223333:key/1234",
        "arn:aws:kms:eu-central-1:111122223333:key/",
    ] {
        let error = AwsKms::new(&AwsKmsSettings {
            keys: vec![arn.to_owned()],
            ..AwsKmsSettings::default()
        })
        .expect_err(arn);
        assert!(
            error
                .to_string()
                .starts_with("a key of AWS KMS must be an ARN like arn:aws:kms:eu-central-1:"),
            "{error}"
        );
    }
}

#[test]
fn credentials_of_aws_that_are_not_whole_are_refused() {
    let options = vec![("aws_access_key_id".to_owned(), "upstate".to_owned())];
    let settings = AwsKmsSettings {
        keys: vec![format!("{ARN}one")],
        options,
        ..AwsKmsSettings::default()
    };
    let error = AwsKms::new(&settings)
        .expect_err("it is refused")
        .to_string();
    assert!(
        error.starts_with("the credentials for AWS cannot be used: ") && !error.contains("bucket"),
        "{error}"
    );
}

#[test]
fn an_endpoint_of_aws_must_be_a_url() {
    for endpoint in [
        "",
        "kms.example.com",
        "kms.example.com:8443",
        "/kms",
        "ftp://kms.example.com/",
        "https://ann:hunter22@kms.example.com/",
    ] {
        let (keys, options) = (vec![format!("{ARN}one")], Vec::new());
        let settings = AwsKmsSettings {
            keys,
            endpoint: Some(endpoint.to_owned()),
            options,
        };
        let error = AwsKms::new(&settings).expect_err(endpoint).to_string();
        assert!(
            error.contains("AWS_ENDPOINT_URL_KMS, must be a URL like")
                && !error.contains("hunter22"),
            "{endpoint}: {error}"
        );
    }
}

/// Wrapping is random: the same key wrapped twice is not the same text.
#[tokio::test]
async fn nothing_is_sealed_twice_alike() {
    let list = KeyList::parse("keys", &key(1)).expect("keys");
    let (one, two) = (
        list.wrap("dk-1", &[7; 32]).await.expect("wrapped"),
        list.wrap("dk-1", &[7; 32]).await.expect("wrapped"),
    );
    assert!(one.by == two.by && one.bytes != two.bytes);
    assert_eq!(*list.unwrap("dk-1", &one).await.expect("a key"), [7; 32]);
    assert!(list.unwrap("dk-2", &one).await.is_err());
}
