//! The service as a process, on SQLite in a folder of its own.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use tempfile::TempDir;

pub const ORGANIZATION: &str = "bench";
pub const TOKEN: &str = "upstate-benches-owner-0123456789";

pub struct Process {
    child: Child,
    url: String,
    _folder: Option<TempDir>,
}

impl Process {
    /// One on a new store.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut process = Self::on(folder.path());
        process._folder = Some(folder);
        process
    }

    /// One on the store in a folder.
    pub fn on(folder: &Path) -> Self {
        Self::of(&["--data", folder.to_str().expect("a path")])
    }

    /// One on the store that these flags name.
    pub fn of(store: &[&str]) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command
            .arg("serve")
            .args(store)
            .args(["--listen", "127.0.0.1:0", "--log", "warn"]);
        command.args(["--init-org", ORGANIZATION, "--init-token", TOKEN]);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the service starts");
        // It says where it listens once it does.
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        output.read_line(&mut line).expect("its first line");
        // What to paste follows, which nobody reads here.
        thread::spawn(move || io::copy(&mut output, &mut io::sink()));
        let url = line
            .split_whitespace()
            .find(|word| word.starts_with("http://"))
            .expect("its URL")
            .to_owned();
        Self {
            child,
            url,
            _folder: None,
        }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Lets the peak begin again.
    pub fn forget_peak(&self) {
        fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5")
            .expect("Linux forgets the peak");
    }

    /// The most memory it had since, in bytes.
    pub fn peak(&self) -> u64 {
        let status =
            fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("its status");
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .expect("its peak");
        line.trim()
            .trim_end_matches(" kB")
            .trim()
            .parse::<u64>()
            .expect("a number")
            * 1024
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
