//! `PostgreSQL`, with the bytes in it and in a bucket.

use std::sync::Arc;

use bytes::Bytes;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};
use upstate_server::__internal::model::{AuditFilter, ContentKind, Project, ProjectId, Timestamp};
use upstate_server::__internal::rules::Policy;
use upstate_server::__internal::service::{Conduct, Service};
use upstate_server::__internal::store::postgres::{Postgres, Settings};
use upstate_server::__internal::store::{BucketSettings, Change, Page};

use crate::bucket_server::Bucket;
use crate::copying::{self, sqlite};
pub(crate) use crate::postgres_server::Postgres as Server;
use crate::sealed;
use crate::suite::{self, Shared};

/// Starting and stopping servers waits, which the threads of the tests must not.
async fn apart<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    tokio::task::spawn_blocking(work)
        .await
        .expect("it does not panic")
}

/// What is dropped on a thread that may wait.
pub(crate) struct Apart<T: Send + 'static>(Option<T>);

impl<T: Send + 'static> Apart<T> {
    pub(crate) async fn made(make: impl FnOnce() -> T + Send + 'static) -> Self {
        Self(Some(apart(make).await))
    }

    pub(crate) fn get(&self) -> &T {
        self.0.as_ref().expect("it is there until it is dropped")
    }
}

impl<T: Send + 'static> Drop for Apart<T> {
    fn drop(&mut self) {
        let it = self.0.take();
        std::thread::spawn(move || drop(it))
            .join()
            .expect("it does not panic");
    }
}

pub(crate) async fn database() -> (Apart<Arc<Server>>, Settings) {
    let (server, url) = apart(|| {
        let server = Server::shared();
        let url = server.database();
        (server, url)
    })
    .await;
    (
        Apart(Some(server)),
        Settings {
            connections: 8,
            ..Settings::new(url)
        },
    )
}

pub(crate) fn bucket_settings(bucket: &Bucket) -> BucketSettings {
    let options = bucket
        .environment()
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    BucketSettings {
        url: bucket.address(),
        endpoint: None,
        options,
    }
}

const ORPHAN: &str = "blob/ab/abcd-1234";

/// It takes bytes and gives them back while others are deleted, lists what no row names, and stays
/// that of one database.
async fn serves_as_a_bucket(bucket: BucketSettings, orphan: impl AsyncFnOnce()) {
    let (_server, settings) = database().await;
    let with = Settings {
        bucket: Some(bucket),
        ..settings
    };
    bytes_survive_sweeps(open(&with).await).await;
    let (_other_server, other) = database().await;
    assert!(
        refused(&Settings {
            bucket: with.bucket.clone(),
            ..other
        })
        .await
        .contains("holds the bytes of another database")
    );

    let store = open(&with).await;
    let hour = std::time::Duration::from_hours(1);
    let later = Timestamp::now().after(hour);
    // Two writers may have uploaded the same bytes at once, and then no row names one of the
    // objects.
    store.collect_garbage(later, false).await.expect("a count");
    assert_eq!(
        store
            .collect_garbage(later, true)
            .await
            .expect("a count")
            .objects,
        0
    );
    orphan().await;
    assert_eq!(
        store
            .collect_garbage(Timestamp::now().before(hour), false)
            .await
            .expect("a count")
            .objects,
        0
    );
    let collected = store.collect_garbage(later, false).await.expect("a count");
    assert_eq!((collected.objects, collected.bytes), (1, 6));
    assert_eq!(
        store
            .collect_garbage(later, true)
            .await
            .expect("a count")
            .objects,
        0
    );
}

/// Its service is played, because the emulators there are, fake-gcs-server and
/// gcp-storage-emulator, know no conditional writes by the protocol of the client.
#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_of_google_has_the_bytes() {
    let bucket = Apart::made(Bucket::of_google).await;
    let account =
        r#"{"disable_oauth": true, "client_email": "", "private_key": "", "private_key_id": ""}"#;
    let options = vec![("google_service_account_key".to_owned(), account.to_owned())];
    let url = bucket.get().address().replace("s3://", "gs://");
    let settings = BucketSettings {
        url,
        endpoint: Some(bucket.get().endpoint()),
        options,
    };
    serves_as_a_bucket(settings, async || bucket.get().put(ORPHAN, b"orphan")).await;
}

/// `.ci/full` starts the emulator, and has made the container and the account of the environment.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs Azure's emulator, which `.ci/full` has"]
async fn a_container_of_azure_has_the_bytes() {
    let endpoint = std::env::var("UPSTATE_AZURE").expect("UPSTATE_AZURE, the URL of the account");
    let (settings, path) = fresh_prefix("az", &endpoint);
    serves_as_a_bucket(settings, async || {
        let client = MicrosoftAzureBuilder::from_env()
            .with_container_name("states")
            .with_allow_http(true);
        let client = client.with_endpoint(endpoint).build().expect("a container");
        put_orphan(&client, &path).await;
    })
    .await;
}

/// `.ci/full` starts the emulator, and has made the bucket and the account of the environment.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs an emulator of S3, which `.ci/full` has"]
async fn a_bucket_of_an_emulator_has_the_bytes() {
    let endpoint = std::env::var("UPSTATE_S3").expect("UPSTATE_S3, the URL of the service");
    let (settings, path) = fresh_prefix("s3", &endpoint);
    serves_as_a_bucket(settings, async || {
        let client = AmazonS3Builder::from_env()
            .with_bucket_name("states")
            .with_allow_http(true);
        let client = client.with_endpoint(endpoint).build().expect("a bucket");
        put_orphan(&client, &path).await;
    })
    .await;
}

/// A prefix that no other run has, in the bucket of an emulator, and the path of an object there
/// that no row names.
fn fresh_prefix(scheme: &str, endpoint: &str) -> (BucketSettings, Path) {
    let prefix = upstate_server::__internal::model::JobId::new().to_string();
    let settings = BucketSettings {
        url: format!("{scheme}://states/{prefix}"),
        endpoint: Some(endpoint.to_owned()),
        options: Vec::new(),
    };
    (settings, Path::from(format!("{prefix}/{ORPHAN}")))
}

async fn put_orphan(client: &impl ObjectStore, path: &Path) {
    client
        .put(path, Bytes::from_static(b"orphan").into())
        .await
        .expect("an object");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_that_cannot_be_is_refused_without_a_secret() {
    for (url, name, expected) in [
        (
            "states",
            "aws_region",
            "the bucket URL must be s3://bucket, gs://bucket or az://container",
        ),
        ("ftp://states", "aws_region", "the bucket URL must be"),
        ("gs://", "google_base_url", "the bucket URL must be"),
        (
            "az://a:b@states",
            "azure_storage_endpoint",
            "the bucket URL must be",
        ),
        (
            "gs://states",
            "aws_region",
            "aws_region is not an option of gs://states",
        ),
        (
            "az://states",
            "aws_region",
            "aws_region is not an option of az://states",
        ),
    ] {
        let options = vec![(name.to_owned(), "hunter2".to_owned())];
        let (_server, settings) = database().await;
        let bucket = Some(BucketSettings {
            url: url.to_owned(),
            endpoint: None,
            options,
        });
        let error = refused(&Settings { bucket, ..settings }).await;
        assert!(
            error.contains(expected) && !error.contains("hunter2"),
            "{url}: {error}"
        );
    }
}

async fn open(settings: &Settings) -> Shared {
    Arc::new(Postgres::open(settings).await.expect("a store"))
}

async fn refused(settings: &Settings) -> String {
    Postgres::open(settings)
        .await
        .expect_err("it is refused")
        .to_string()
}

mod rows_and_bytes {
    use super::*;

    async fn fresh() -> (Shared, Apart<Arc<Server>>) {
        let (server, settings) = database().await;
        (open(&settings).await, server)
    }

    suite!(fresh);
}

mod with_a_bucket {
    use super::*;

    async fn fresh() -> (Shared, (Apart<Arc<Server>>, Apart<Bucket>)) {
        let (server, settings) = database().await;
        let bucket = Apart::made(Bucket::start).await;
        let settings = Settings {
            bucket: Some(bucket_settings(bucket.get())),
            ..settings
        };
        (open(&settings).await, (server, bucket))
    }

    suite!(fresh);
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_start_together_make_the_tables_once() {
    let (_server, settings) = database().await;
    let mut starting = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let settings = settings.clone();
        starting.spawn(async move { open(&settings).await.secret("x").await.expect("a secret") });
    }
    let secrets = starting.join_all().await;
    assert!(secrets.windows(2).all(|pair| pair[0] == pair[1]));
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_of_a_newer_program_are_refused() {
    let (server, settings) = database().await;
    drop(open(&settings).await);
    let name = settings.url.rsplit('/').next().expect("a name").to_owned();
    let server = Arc::clone(server.get());
    apart(move || server.query(&name, "INSERT INTO schema_version (version) VALUES (99)"))
        .await
        .expect("a row");
    assert_eq!(
        refused(&settings).await,
        "the store has tables of version 99, newer than 22: a newer upstate-server wrote it"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_work_is_refused_without_the_password() {
    for (url, expected) in [
        ("nonsense", "the database URL cannot be read"),
        ("postgresql://u:hunter2@127.0.0.1:1", "names no database"),
        (
            "postgresql://u:hunter2@127.0.0.1:1/states",
            "PostgreSQL cannot be reached",
        ),
    ] {
        let error = refused(&Settings::new(url)).await;
        assert!(
            error.contains(expected) && !error.contains("hunter2"),
            "{error}"
        );
    }
    let settings = Settings::new("postgresql://u:hunter2@127.0.0.1:1/states");
    assert!(!format!("{settings:?}").contains("hunter2"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_down_is_a_passing_mistake() {
    let server = Apart::made(|| std::sync::Mutex::new(Server::start())).await;
    let settings = Settings::new(server.get().lock().expect("a server").database());
    let store = open(&settings).await;
    let id = suite::workspace(&store).await;
    let version = suite::write(&store, &id, 1, b"kept").await;
    tokio::task::block_in_place(|| server.get().lock().expect("a server").kill());
    let error = store.snapshot(&id).await.expect_err("it is down");
    assert!(error.is_passing(), "{error}");
    tokio::task::block_in_place(|| server.get().lock().expect("a server").run());
    // The pool has connections left that are dead: each is found out once.
    let back = loop {
        match store.bytes(&version, ContentKind::State).await {
            Err(error) if error.is_passing() => {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
            other => break other.expect("a store"),
        }
    };
    assert_eq!(back.as_deref(), Some(&b"kept"[..]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_is_that_of_one_database() {
    let (_server, settings) = database().await;
    let bucket = Apart::made(Bucket::start).await;
    let with = Settings {
        bucket: Some(bucket_settings(bucket.get())),
        ..settings.clone()
    };
    let store = open(&with).await;
    let id = suite::workspace(&store).await;
    suite::write(&store, &id, 1, b"in the bucket").await;
    drop(store);
    assert!(
        refused(&settings)
            .await
            .contains("name it with --bucket-url")
    );
    let empty = Apart::made(Bucket::start).await;
    let elsewhere = Settings {
        bucket: Some(bucket_settings(empty.get())),
        ..settings
    };
    assert!(
        refused(&elsewhere)
            .await
            .contains("does not hold the bytes of this database")
    );
    let (_other_server, other) = database().await;
    let taken = Settings {
        bucket: with.bucket.clone(),
        ..other
    };
    assert!(
        refused(&taken)
            .await
            .contains("holds the bytes of another database")
    );
    drop(open(&with).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_were_there_before_the_bucket_are_read() {
    let (_server, settings) = database().await;
    let store = open(&settings).await;
    let id = suite::workspace(&store).await;
    let first = suite::write(&store, &id, 1, b"before").await;
    drop(store);
    let bucket = Apart::made(Bucket::start).await;
    let store = open(&Settings {
        bucket: Some(bucket_settings(bucket.get())),
        ..settings
    })
    .await;
    let second = suite::write(&store, &id, 2, b"after").await;
    for (version, bytes) in [(first, &b"before"[..]), (second, &b"after"[..])] {
        assert_eq!(
            store
                .bytes(&version, ContentKind::State)
                .await
                .expect("a store")
                .as_deref(),
            Some(bytes)
        );
    }
}

/// Objects are what the bucket holds besides the one that says whose it is.
pub(crate) fn objects(bucket: &Apart<Bucket>) -> usize {
    bucket.get().objects() - 1
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_go_with_their_rows_and_orphans_are_collected() {
    let (_server, settings) = database().await;
    let bucket = Apart::made(Bucket::start).await;
    let store = open(&Settings {
        bucket: Some(bucket_settings(bucket.get())),
        ..settings
    })
    .await;
    let id = suite::workspace(&store).await;
    let old = suite::write(&store, &id, 1, b"same").await;
    let new = suite::write(&store, &id, 2, b"same").await;
    // Equal bytes are kept once, and the object of the second is gone.
    assert_eq!(objects(&bucket), 1);
    suite::change(&store, &id, vec![Change::Delete(old)]).await;
    assert_eq!(
        store
            .bytes(&new, ContentKind::State)
            .await
            .expect("a store")
            .as_deref(),
        Some(&b"same"[..])
    );
    suite::write(&store, &id, 3, b"other").await;
    suite::change(&store, &id, vec![Change::Delete(new)]).await;
    assert_eq!(objects(&bucket), 1);

    // A commit that comes too late leaves no object behind.
    let before = suite::snapshot(&store, &id).await;
    suite::change(&store, &id, vec![Change::Unlock(None)]).await;
    let late = suite::version(&before, 4);
    let json = Change::JsonState {
        version: late.id.clone(),
        bytes: Bytes::from_static(b"{}"),
    };
    let commit = suite::commit(&before, vec![Change::Insert(Box::new(late)), json]);
    assert_eq!(
        store.commit(commit).await.expect("a store"),
        upstate_server::__internal::store::Committed::Stale
    );
    assert_eq!(objects(&bucket), 1);

    // A process that was killed does.
    bucket.get().put("blob/ab/abcd-1234", b"orphan");
    let hour = std::time::Duration::from_hours(1);
    let now = Timestamp::now();
    let young = store
        .collect_garbage(now.before(hour), false)
        .await
        .expect("a store");
    assert_eq!((young.objects, objects(&bucket)), (0, 2));
    let counted = store
        .collect_garbage(now.after(hour), true)
        .await
        .expect("a store");
    assert_eq!(
        (counted.objects, counted.bytes, objects(&bucket)),
        (1, 6, 2)
    );
    let collected = store
        .collect_garbage(now.after(hour), false)
        .await
        .expect("a store");
    assert_eq!((collected, objects(&bucket)), (counted, 1));
    let head = suite::snapshot(&store, &id)
        .await
        .workspace
        .head
        .expect("a head");
    assert_eq!(
        store
            .bytes(&head, ContentKind::State)
            .await
            .expect("a store")
            .as_deref(),
        Some(&b"other"[..])
    );
}

/// Writers write equal bytes, of which old versions are deleted at the same time: what is current
/// always has its bytes.
async fn bytes_survive_sweeps(store: Shared) {
    let organization = suite::organization(&store, "acme").await;
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..4 {
        let workspace = suite::new_workspace(&organization, &format!("w{writer}"));
        assert!(suite::added(&store, &workspace).await);
        let store = Arc::clone(&store);
        writers.spawn(async move {
            let mut last = None;
            for serial in 1..=25 {
                // Two contents take turns, the same in all workspaces.
                let bytes = format!("content {}", serial % 2);
                let version = suite::write(&store, &workspace.id, serial, bytes.as_bytes()).await;
                if let Some(old) = last.replace(version.clone()) {
                    suite::change(&store, &workspace.id, vec![Change::Delete(old)]).await;
                }
                let found = store
                    .bytes(&version, ContentKind::State)
                    .await
                    .expect("a store");
                assert_eq!(found.as_deref(), Some(bytes.as_bytes()), "{serial}");
            }
        });
    }
    writers.join_all().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_survive_sweeps_in_the_database() {
    let (_server, settings) = database().await;
    bytes_survive_sweeps(open(&settings).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_survive_sweeps_in_a_bucket() {
    let (_server, settings) = database().await;
    let bucket = Apart::made(Bucket::start).await;
    bytes_survive_sweeps(
        open(&Settings {
            bucket: Some(bucket_settings(bucket.get())),
            ..settings
        })
        .await,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_size_of_what_a_bucket_holds_is_that_before_compression() {
    let (_server, settings) = database().await;
    let bucket = Apart::made(Bucket::start).await;
    let store = open(&Settings {
        bucket: Some(bucket_settings(bucket.get())),
        ..settings
    })
    .await;
    let id = suite::workspace(&store).await;
    let before = store.size().await.expect("a store");
    suite::write(&store, &id, 1, "a".repeat(4 << 20).as_bytes()).await;
    let after = store.size().await.expect("a store");
    // Not all of it, because the database itself may have become smaller.
    assert!(after > before + (3 << 20), "{before}, {after}");
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_bytes_are_a_failure_and_never_no_state() {
    let (_server, settings) = database().await;
    let bucket = Apart::made(Bucket::start).await;
    let store = open(&Settings {
        bucket: Some(bucket_settings(bucket.get())),
        ..settings
    })
    .await;
    let id = suite::workspace(&store).await;
    let version = suite::write(&store, &id, 1, b"precious").await;
    bucket.get().lose_all();
    let error = store
        .bytes(&version, ContentKind::State)
        .await
        .expect_err("they are lost");
    assert!(
        !error.is_passing() && error.to_string().contains("was not had"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_moves_from_any_store_to_any_other() {
    let (_first_server, first) = database().await;
    let (_second_server, second) = database().await;
    let bucket = Apart::made(Bucket::start).await;
    let (folder, _folder) = sqlite().await;
    let database_of_folder = open(&first).await;
    let into = copying::copies(folder, database_of_folder).await;
    let with_bucket = Settings {
        bucket: Some(bucket_settings(bucket.get())),
        ..second
    };
    let (_third_server, third) = database().await;
    let to_bucket = copying::copies(open(&third).await, open(&with_bucket).await).await;
    assert_eq!(into.bytes, to_bucket.bytes);
    let (_fourth_server, fourth) = database().await;
    let another = Apart::made(Bucket::start).await;
    let fourth = Settings {
        bucket: Some(bucket_settings(another.get())),
        ..fourth
    };
    let (back, _back) = sqlite().await;
    copying::copies(open(&fourth).await, back).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_is_backed_up_and_restored() {
    let (_server, settings) = database().await;
    let (to, _folder) = sqlite().await;
    copying::backs_up_and_restores(open(&settings).await, to).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_from_before_projects_is_restored() {
    let (_server, settings) = database().await;
    let (_other_server, other) = database().await;
    let bucket = Apart::made(Bucket::start).await;
    copying::restores_what_was_before_projects(open(&settings).await).await;
    let with = Settings {
        bucket: Some(bucket_settings(bucket.get())),
        ..other
    };
    copying::restores_what_was_before_projects(open(&with).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_with_a_bucket_is_backed_up_and_restored_under_load() {
    let (_server, settings) = database().await;
    let (_other_server, other) = database().await;
    let bucket = Apart::made(Bucket::start).await;
    let with = Settings {
        bucket: Some(bucket_settings(bucket.get())),
        ..settings
    };
    let (from, _folder) = sqlite().await;
    copying::backs_up_and_restores(from, open(&other).await).await;
    copying::backs_up_under_load(open(&with).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_says_what_was_written_meanwhile() {
    let (server, settings) = database().await;
    let to = open(&settings).await;
    let (from, _folder) = sqlite().await;
    copying::fill(&from).await;
    // Somebody keeps the copy from beginning to write.
    let name = settings.url.rsplit('/').next().expect("a name").to_owned();
    let server = Arc::clone(server.get());
    let waiting = Arc::clone(&server);
    let database = name.clone();
    let slow = std::thread::spawn(move || {
        waiting.query(
            &database,
            "BEGIN; LOCK TABLE organization IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(4); COMMIT",
        )
    });
    let locked = "SELECT count(*) FROM pg_locks WHERE relation = 'organization'::regclass AND mode = 'AccessExclusiveLock'";
    while tokio::task::block_in_place(|| server.query(&name, locked))
        .expect("a count")
        .trim()
        == "0"
    {}
    let source = Arc::clone(&from);
    let copying =
        tokio::spawn(
            async move { upstate_server::__internal::store::copy::copy(&*source, &*to).await },
        );
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    from.record(suite::entry("meanwhile"))
        .await
        .expect("a store");
    let error = copying
        .await
        .expect("it ends")
        .expect_err("it lacks something")
        .to_string();
    assert!(
        error.contains("was written to while it was copied, 1 times"),
        "{error}"
    );
    slow.join().expect("it ends").expect("it worked");
}

/// No statement sees what another transaction is about to write, and only a reference keeps the
/// project.
#[tokio::test(flavor = "multi_thread")]
async fn a_project_into_which_a_workspace_comes_stays() {
    let (server, settings) = database().await;
    let store = open(&settings).await;
    let acme = suite::organization(&store, "acme").await;
    let prod = Project {
        id: ProjectId::new(),
        organization: acme.clone(),
        name: "prod".to_owned(),
        description: String::new(),
        created_at: Timestamp::from_millis(1),
    };
    assert!(
        store
            .add_project(&prod, suite::entry("x"))
            .await
            .expect("a store")
    );
    let name = settings.url.rsplit('/').next().expect("a name").to_owned();
    let server = Arc::clone(server.get());
    let (waiting, database) = (Arc::clone(&server), name.clone());
    let slow = std::thread::spawn(move || {
        waiting.query(
            &database,
            "BEGIN; INSERT INTO workspace (id, organization, name, description, terraform_version, created_at, updated_at, project)
                SELECT 'ws-late', organization, 'late', '', '', 1, 1, id FROM project WHERE name = 'prod'; SELECT pg_sleep(2); COMMIT",
        )
    });
    let referred = "SELECT count(*) FROM pg_locks WHERE relation = 'project'::regclass AND mode = 'RowShareLock'";
    while tokio::task::block_in_place(|| server.query(&name, referred))
        .expect("a count")
        .trim()
        == "0"
    {}
    let removed = store
        .remove_project(&prod.id, &Project::default_of(&acme), suite::entry("x"))
        .await;
    assert!(!removed.expect("a store"));
    slow.join().expect("it ends").expect("it worked");
    assert_eq!(store.project(&prod.id).await.expect("a store"), Some(prod));
}

/// A database may have another level of isolation than the statements are written for, at which a
/// transaction does not see what ended while it waited.
#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_is_left_meanwhile_leads_to_one_workspace_at_any_isolation() {
    let (server, settings) = database().await;
    let name = settings.url.rsplit('/').next().expect("a name").to_owned();
    let server = Arc::clone(server.get());
    let query = |sql: &str| {
        tokio::task::block_in_place(|| server.query(&name, sql))
            .expect("it worked")
            .trim()
            .to_owned()
    };
    query(&format!(
        "ALTER DATABASE {name} SET default_transaction_isolation = 'repeatable read'"
    ));
    assert_eq!(query("SHOW transaction_isolation"), "repeatable read");
    let store = open(&settings).await;
    let acme = suite::organization(&store, "acme").await;
    assert!(suite::added(&store, &suite::new_workspace(&acme, "net")).await);
    let (waiting, database) = (Arc::clone(&server), name.clone());
    let slow = std::thread::spawn(move || {
        waiting.query(
            &database,
            "BEGIN; UPDATE workspace SET name = 'old-net' WHERE name = 'net'; INSERT INTO former_name (organization, name, workspace)
                SELECT organization, 'net', id FROM workspace WHERE name = 'old-net'; SELECT pg_sleep(2); COMMIT",
        )
    });
    let left = "SELECT count(*) FROM pg_locks WHERE relation = 'former_name'::regclass AND mode = 'RowExclusiveLock'";
    while query(left) == "0" {}
    assert!(suite::added(&store, &suite::new_workspace(&acme, "net")).await);
    slow.join().expect("it ends").expect("it worked");
    assert_eq!(query("SELECT count(*) FROM former_name"), "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_column_of_a_database_is_copied() {
    let (server, settings) = database().await;
    drop(open(&settings).await);
    let name = settings.url.rsplit('/').next().expect("a name").to_owned();
    let sql = "SELECT table_name || ' ' || column_name FROM information_schema.columns WHERE table_schema = 'public'
        AND table_name <> 'schema_version' AND (table_name, column_name) <> ('blob', 'object') ORDER BY 1";
    let server = Arc::clone(server.get());
    let found = apart(move || server.query(&name, sql))
        .await
        .expect("columns");
    let found = found
        .lines()
        .map(|line| line.split_once(' ').expect("two words"));
    let mut tables =
        copying::by_table(found.map(|(table, column)| (table.to_owned(), column.to_owned())));
    for columns in tables.values_mut() {
        columns.sort();
    }
    assert_eq!(tables, copying::columns_that_are_copied());
}

/// Three processes keep house at the same moment: each thing is done, and audited, once.
#[tokio::test(flavor = "multi_thread")]
async fn upkeep_of_several_processes_does_each_thing_once() {
    let (_server, settings) = database().await;
    let store = open(&settings).await;
    let id = suite::workspace(&store).await;
    for serial in 1..=9 {
        suite::write(&store, &id, serial, format!("{serial}").as_bytes()).await;
    }
    let now = suite::snapshot(&store, &id).await;
    suite::change(
        &store,
        &id,
        vec![Change::Insert(Box::new(suite::version(&now, 10)))],
    )
    .await;
    let gone = suite::new_workspace(&now.workspace.organization, "gone");
    assert!(suite::added(&store, &gone).await);
    suite::change(&store, &gone.id, vec![Change::Remove]).await;

    let conduct = Conduct {
        retention: Policy {
            keep_last: 1,
            keep_days: Some(1),
        },
        ..Conduct::default()
    };
    let mut keeping = tokio::task::JoinSet::new();
    for _ in 0..3 {
        let store = open(&settings).await;
        let service = Service::new(store, conduct.clone())
            .await
            .expect("a service");
        keeping.spawn(async move { service.upkeep().await.expect("upkeep") });
    }
    let done = keeping.join_all().await;
    assert_eq!(
        done.iter().map(|one| one.deleted.len()).sum::<usize>(),
        8,
        "{done:?}"
    );
    assert_eq!(
        done.iter().map(|one| one.discarded.len()).sum::<usize>(),
        1,
        "{done:?}"
    );
    assert_eq!(
        done.iter().map(|one| one.purged).sum::<u64>(),
        1,
        "{done:?}"
    );
    let audited = store
        .audit(
            &AuditFilter::default(),
            Page {
                number: 1,
                size: 100,
            },
        )
        .await
        .expect("a store")
        .items;
    let lines = |action: &str| audited.iter().filter(|line| line.action == action).count();
    assert_eq!(
        (
            lines("state-version.retention"),
            lines("state-version.expire"),
            lines("workspace.purge")
        ),
        (8, 1, 1)
    );
}

/// An encrypted database with a bucket: nothing secret is in the one or the other, also where it
/// was plain before, and a server reads on meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_in_a_database_or_its_bucket() {
    use upstate_server::__internal::store::encryption;
    let (server, in_rows) = database().await;
    let bucket = Apart::made(Bucket::start).await;
    let (_server, in_bucket) = database().await;
    let in_bucket = Settings {
        bucket: Some(bucket_settings(bucket.get())),
        ..in_bucket
    };
    for (settings, expected) in [(in_rows, 6), (in_bucket, 2)] {
        let name = settings.url.rsplit('/').next().expect("a name").to_owned();
        let dumped = async || {
            let (server, name) = (Arc::clone(server.get()), name.clone());
            // In hexadecimal, since `query` gives strings.
            let sql =
                "SELECT encode(bytes, 'hex') FROM blob WHERE bytes IS NOT NULL UNION ALL SELECT encode(value, 'hex') FROM setting
                UNION ALL SELECT encode(convert_to(value, 'UTF8'), 'hex') FROM output";
            let text = apart(move || server.query(&name, sql)).await.expect("rows");
            let digits = |line: &str| {
                (0..line.len() / 2)
                    .map(|at| u8::from_str_radix(&line[at * 2..at * 2 + 2], 16).expect("hex"))
                    .collect()
            };
            text.lines().map(digits).collect::<Vec<Vec<u8>>>().concat()
        };
        let plain: Shared = Arc::new(Postgres::open(&settings).await.expect("a store"));
        let secrets = sealed::fill(&plain).await;
        assert_eq!(sealed::found(&dumped().await, &secrets), expected);
        if settings.bucket.is_some() {
            assert_eq!(sealed::found(&bucket.get().contents(), &secrets), 4);
        }
        let with_key = async |only| {
            let keyring = sealed::keyring(&sealed::key(1), only);
            Arc::new(
                Postgres::open(&settings)
                    .await
                    .expect("a store")
                    .with_keyring(keyring),
            )
        };
        let reader: Shared = with_key(false).await;
        let (reads, secrets) = (Arc::clone(&reader), Arc::new(secrets));
        let watched = Arc::clone(&secrets);
        let reading = tokio::spawn(async move {
            loop {
                sealed::is_whole(&reads, &watched).await;
            }
        });
        let command = with_key(false).await;
        let done = encryption::encrypt(&*command, false)
            .await
            .expect("it is encrypted");
        assert!(
            done.rows > 8 && done.shares.iter().all(|share| share.plain == 0),
            "{done:?}"
        );
        for _ in 0..3 {
            assert!(
                encryption::encrypt(&*command, true)
                    .await
                    .expect("it is renewed")
                    .rows
                    > 8
            );
        }
        assert!(!reading.is_finished());
        reading.abort();
        let strict: Shared = with_key(true).await;
        sealed::is_whole(&strict, &secrets).await;
        suite::write(&strict, &secrets.workspace, 9, b"next").await;
        assert_eq!(sealed::found(&dumped().await, &secrets), 0);
        if settings.bucket.is_some() {
            assert_eq!(sealed::found(&bucket.get().contents(), &secrets), 0);
        }
        // A keyless copy into a folder is as encrypted, and whole with the key.
        let keyless: Shared = Arc::new(Postgres::open(&settings).await.expect("a store"));
        let folder = tempfile::tempdir().expect("a folder");
        let to: Shared = Arc::new(
            upstate_server::__internal::store::sqlite::Sqlite::open(folder.path())
                .await
                .expect("a store"),
        );
        upstate_server::__internal::store::copy::copy(&*keyless, &*to)
            .await
            .expect("a copy");
        let error = encryption::check(&*to)
            .await
            .expect_err("no key")
            .to_string();
        assert!(error.contains("which was not given"), "{error}");
        drop(to);
        let to = upstate_server::__internal::store::sqlite::Sqlite::open(folder.path())
            .await
            .expect("a store");
        let to: Shared = Arc::new(to.with_keyring(sealed::keyring(&sealed::key(1), true)));
        sealed::is_whole(&to, &secrets).await;
    }
}

/// The commands take states in and write them out on `PostgreSQL`, too.
#[tokio::test(flavor = "multi_thread")]
async fn states_are_imported_and_exported() {
    let (_server, settings) = database().await;
    let folder = tempfile::tempdir().expect("a folder");
    let states = folder.path().join("states");
    std::fs::create_dir(&states).expect("a folder");
    let state = |serial: u8| {
        format!(
            r#"{{"version":4,"terraform_version":"1.15.5","serial":{serial},"lineage":"l","outputs":{{}},"resources":[]}}"#
        )
    };
    let program = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_upstate-server"));
        command
            .args(arguments)
            .args(["--database-url", &settings.url])
            .current_dir(folder.path());
        let output = command.output().expect("a program");
        (
            output.status.success(),
            String::from_utf8(output.stdout).expect("text"),
        )
    };
    std::fs::write(states.join("net.tfstate"), state(4)).expect("a file");
    let imported =
        (true, "default\tnet\t1 state imported, serial 4\n1 imported, 0 with nothing to import, 0 not imported.\n".to_owned());
    assert_eq!(program(&["import", "--from", "states"]), imported);
    assert!(program(&["export", "--to", "out"]).0);
    let index =
        std::fs::read_to_string(folder.path().join("out/upstate-export.json")).expect("an index");
    assert!(
        index.contains("\"serial\": 4") && index.contains("\"of\": \"PostgreSQL"),
        "{index}"
    );
    let (ok, text) = program(&["import", "--from", "out"]);
    assert!(
        ok && text.starts_with("default\tnet\tis there already\n"),
        "{text}"
    );
    let (ok, text) = program(&["import", "--from", "out", "--org", "other"]);
    assert!(
        ok && text.starts_with("other\tnet\t1 state imported, serial 4\n"),
        "{text}"
    );
    std::fs::write(states.join("net.tfstate"), state(3)).expect("a file");
    let (ok, text) = program(&["import", "--from", "states"]);
    assert!(
        !ok && text.contains("not imported: the workspace has another state"),
        "{text}"
    );
}
