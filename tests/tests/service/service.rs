//! The service as a process of its own, on a store of its own.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::api::Api;
use super::bucket::Bucket;
use super::real::memory;
use super::real::postgres::Postgres;

/// The organization that every service here begins with, and the token of its owner.
pub const ORGANIZATION: &str = "acme";
pub const TOKEN: &str = "upstate-tests-owner-0123456789abcdef";

/// Where a service keeps what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Store {
    /// A folder.
    Sqlite,
    /// PostgreSQL, with the bytes in it.
    Postgres,
    /// PostgreSQL, with the bytes in a bucket.
    Bucket,
}

/// What a store consists of. It outlives the processes that use it.
pub struct Kept {
    folder: TempDir,
    environment: Vec<(&'static str, String)>,
    store: Store,
    shared: Option<Arc<Postgres>>,
    alone: Option<Mutex<Postgres>>,
    bucket: Option<Bucket>,
}

impl Kept {
    /// A new and empty store.
    pub fn new(store: Store) -> Arc<Self> {
        let shared = match store {
            Store::Sqlite => None,
            Store::Postgres | Store::Bucket => Some(Postgres::shared()),
        };
        let url = shared.as_ref().map(|postgres| postgres.database());
        Arc::new(Self {
            shared,
            ..Self::with(store, url)
        })
    }

    /// One whose database no other test uses, and which may thus be killed.
    pub fn alone(store: Store) -> Arc<Self> {
        let postgres = Postgres::start();
        let kept = Self::with(store, Some(postgres.database()));
        Arc::new(Self {
            alone: Some(Mutex::new(postgres)),
            ..kept
        })
    }

    fn with(store: Store, url: Option<String>) -> Self {
        let folder = memory::folder();
        let bucket = (store == Store::Bucket).then(Bucket::start);
        let mut environment = vec![match url {
            None => ("UPSTATE_DATA", folder.path().display().to_string()),
            Some(url) => ("UPSTATE_DATABASE_URL", url),
        }];
        if let Some(bucket) = &bucket {
            environment.push(("UPSTATE_BUCKET_URL", bucket.address()));
            environment.extend(bucket.environment());
        }
        Self {
            folder,
            environment,
            store,
            shared: None,
            alone: None,
            bucket,
        }
    }

    /// What tells a process which store it is.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        self.environment.clone()
    }

    /// A folder for whatever there is to be kept beside it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Leaves bytes to which nothing refers: a row, and an object that is two days old.
    pub fn leave_garbage(&self) {
        let row = "INSERT INTO blob (sha256, size, codec, bytes) VALUES";
        let zeros = "0".repeat(64);
        match (self.store, &self.shared) {
            (Store::Sqlite, _) => {
                let database =
                    rusqlite::Connection::open(self.folder.path().join("upstate.db")).unwrap();
                database.busy_timeout(Duration::from_secs(10)).unwrap();
                assert_eq!(
                    database
                        .execute(&format!("{row} (x'{zeros}', 4, 'zstd', x'00')"), [])
                        .unwrap(),
                    1
                );
            }
            (Store::Postgres | Store::Bucket, Some(shared)) => {
                let (_, url) = &self.environment[0];
                let name = url.rsplit('/').next().unwrap();
                shared
                    .query(name, &format!("{row} ('\\x{zeros}', 4, 'zstd', '\\x00')"))
                    .unwrap();
            }
            (Store::Postgres | Store::Bucket, None) => panic!("a store that is shared"),
        }
        if let Some(bucket) = &self.bucket {
            bucket.put("blob/00/left", b"left");
            bucket.age("blob/00/left", Duration::from_secs(2 * 24 * 3600));
        }
    }

    /// Kills the database, which must be of this store [alone](Self::alone).
    pub fn kill_database(&self) {
        self.alone
            .as_ref()
            .unwrap()
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .kill();
    }

    /// Starts the database again.
    pub fn run_database(&self) {
        self.alone
            .as_ref()
            .unwrap()
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .run();
    }

    /// Destroys the bytes of all versions, as a broken disk may. Nothing may use the store
    /// meanwhile.
    pub fn lose_all_bytes(&self) {
        let files = fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let databases = files.filter(|path| {
            fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"SQLite format 3\0"))
        });
        let [database]: [PathBuf; 1] = databases.collect::<Vec<_>>().try_into().unwrap();
        let database = rusqlite::Connection::open(database).unwrap();
        database.pragma_update(None, "foreign_keys", false).unwrap();
        assert!(database.execute("DELETE FROM blob", []).unwrap() > 0);
    }
}

/// A running process of the service. It is killed when this is dropped.
pub struct Service {
    kept: Arc<Kept>,
    listen: SocketAddr,
    public: String,
    more: Vec<String>,
    child: Option<Child>,
}

impl Service {
    /// One on SQLite.
    pub fn start() -> Self {
        Self::on(Store::Sqlite)
    }

    /// One on a new and empty store.
    pub fn on(store: Store) -> Self {
        Self::of(Kept::new(store), None, &[])
    }

    /// One on a store that is there, known to its clients by the address `public` if they don't
    /// reach it by its own.
    pub fn of(kept: Arc<Kept>, public: Option<&str>, more: &[&str]) -> Self {
        let listen = free_address();
        let public = public.map_or_else(|| format!("http://{listen}"), str::to_owned);
        let more = more.iter().map(|&argument| argument.to_owned()).collect();
        let mut service = Self {
            kept,
            listen,
            public,
            more,
            child: None,
        };
        service.run();
        service.ready();
        service
    }

    /// Starts the process, which nobody waits for.
    pub fn run(&mut self) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_state_versions_service"));
        command
            .arg("serve")
            .args(["--listen", &self.listen.to_string(), "--url", &self.public])
            .args(["--init-org", ORGANIZATION, "--init-token", TOKEN])
            .args(&self.more)
            .current_dir(self.kept.folder.path())
            .env_clear()
            .envs(self.kept.environment.iter().cloned())
            .stdin(Stdio::null())
            .stdout(self.log())
            .stderr(self.log());
        self.child = Some(command.spawn().unwrap());
    }

    /// Waits until the process takes requests.
    #[track_caller]
    pub fn ready(&mut self) {
        let api = self.direct();
        let began = Instant::now();
        loop {
            let is_ready = api
                .try_get("/readyz")
                .is_ok_and(|answer| answer.status == 200);
            let ended = self
                .child
                .as_mut()
                .and_then(|child| child.try_wait().unwrap());
            assert!(
                ended.is_none(),
                "the service ended, {ended:?}:\n{}",
                self.said()
            );
            if is_ready {
                return;
            }
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "the service is not ready:\n{}",
                self.said()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills the process as a crash would.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Asks the process to end, and gives its exit code.
    pub fn stop(&mut self) -> Option<i32> {
        let mut child = self.child.take()?;
        Command::new("kill")
            .args(["-TERM", &child.id().to_string()])
            .status()
            .unwrap();
        child.wait().unwrap().code()
    }

    /// Where its clients find it.
    pub fn url(&self) -> &str {
        &self.public
    }

    /// Where it listens.
    pub fn listens(&self) -> SocketAddr {
        self.listen
    }

    /// What it keeps everything in.
    pub fn kept(&self) -> Arc<Kept> {
        Arc::clone(&self.kept)
    }

    /// The owner as a client, past whatever is before the service.
    pub fn direct(&self) -> Api {
        Api::new(&format!("http://{}", self.listen), TOKEN)
    }

    /// Runs another command of the program on the same store.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_state_versions_service"));
        command
            .args(arguments)
            .env_clear()
            .envs(self.kept.environment.iter().cloned());
        command
    }

    /// Its log.
    pub fn said(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    fn log(&self) -> File {
        File::options()
            .create(true)
            .append(true)
            .open(self.log_path())
            .unwrap()
    }

    fn log_path(&self) -> PathBuf {
        self.kept
            .folder
            .path()
            .join(format!("service-{}.log", self.listen.port()))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            let said = self.said();
            // Each line of the log begins with the year.
            let lines: Vec<&str> = said.lines().filter(|line| line.starts_with('2')).collect();
            eprintln!(
                "the last lines of the service's log:\n{}",
                lines[lines.len().saturating_sub(25)..].join("\n")
            );
        }
    }
}

/// An address of this machine that nothing listens at, and that no other test was given: it may not
/// listen there yet.
pub fn free_address() -> SocketAddr {
    static GIVEN: Mutex<BTreeSet<SocketAddr>> = Mutex::new(BTreeSet::new());
    loop {
        let address = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        if GIVEN
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(address)
        {
            return address;
        }
    }
}
