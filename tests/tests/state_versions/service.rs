//! The service as a process of its own, on a store of its own.

use std::fs::{self, File};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::api::Api;
use super::bucket::Bucket;
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
    _postgres: Option<Arc<Postgres>>,
    _bucket: Option<Bucket>,
}

impl Kept {
    /// A new and empty store.
    pub fn new(store: Store) -> Arc<Self> {
        let folder = tempfile::tempdir().unwrap();
        let (postgres, bucket) = match store {
            Store::Sqlite => (None, None),
            Store::Postgres => (Some(Postgres::shared()), None),
            Store::Bucket => (Some(Postgres::shared()), Some(Bucket::start())),
        };
        let mut environment = vec![match &postgres {
            None => ("UPSTATE_DATA", folder.path().display().to_string()),
            Some(postgres) => ("UPSTATE_DATABASE_URL", postgres.database()),
        }];
        if let Some(bucket) = &bucket {
            environment.push(("UPSTATE_BUCKET_URL", bucket.address()));
            environment.extend(bucket.environment());
        }
        Arc::new(Self { folder, environment, _postgres: postgres, _bucket: bucket })
    }

    /// Destroys the bytes of all versions, as a broken disk may. Nothing may use the store meanwhile.
    pub fn lose_all_bytes(&self) {
        let files = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let databases = files.filter(|path| fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"SQLite format 3\0")));
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

    /// One on a store that is there, known to its clients by the address `public` if they don't reach it by its own.
    pub fn of(kept: Arc<Kept>, public: Option<&str>, more: &[&str]) -> Self {
        let listen = free_address();
        let public = public.map_or_else(|| format!("http://{listen}"), str::to_owned);
        let more = more.iter().map(|&argument| argument.to_owned()).collect();
        let mut service = Self { kept, listen, public, more, child: None };
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
            if api.try_get("/readyz").is_ok_and(|answer| answer.status == 200) {
                return;
            }
            let ended = self.child.as_mut().and_then(|child| child.try_wait().unwrap());
            assert!(ended.is_none(), "the service ended, {ended:?}:\n{}", self.said());
            assert!(began.elapsed() < Duration::from_secs(60), "the service is not ready:\n{}", self.said());
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
        Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
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

    /// The owner as a client, past whatever stands before the service.
    pub fn direct(&self) -> Api {
        Api::new(&format!("http://{}", self.listen), TOKEN)
    }

    /// Runs another command of the program on the same store.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_state_versions_service"));
        command.args(arguments).env_clear().envs(self.kept.environment.iter().cloned());
        command
    }

    /// Its log.
    pub fn said(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    fn log(&self) -> File {
        File::options().create(true).append(true).open(self.log_path()).unwrap()
    }

    fn log_path(&self) -> PathBuf {
        self.kept.folder.path().join(format!("service-{}.log", self.listen.port()))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            let said = self.said();
            // Each line of the log begins with the year.
            let lines: Vec<&str> = said.lines().filter(|line| line.starts_with('2')).collect();
            eprintln!("the last lines of the service's log:\n{}", lines[lines.len().saturating_sub(25)..].join("\n"));
        }
    }
}

/// An address of this machine that nothing listens at.
pub fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}
