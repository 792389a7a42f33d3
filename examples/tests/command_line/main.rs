//! The command line, as a person or a script meets it, and the other programs of this package.

#![allow(clippy::unwrap_used, reason = "the test's own helpers may panic too")]

mod binaries;
mod downgrade;
mod errors;
mod hostile;
mod import;
mod inspect;
mod lines;
mod lock;
mod memory;
mod plan;
mod recordings;
mod upgrade;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn realworld(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_realworld"))
        .args(arguments)
        .output()
        .unwrap()
}

/// That, with something on standard input.
fn realworld_reading(input: &[u8], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_realworld"));
    let mut child = command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // A program that does not read to the end closes the pipe.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    })
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn committed_state() -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("state/terraform.tfstate")).unwrap()
}

/// A state with one instance that cannot be upgraded: its block is there twice where the model takes one.
const REFUSED: &str = r#"{
  "version": 4,
  "serial": 7,
  "resources": [
    {
      "mode": "managed",
      "type": "elasticstack_elasticsearch_transform",
      "name": "t",
      "provider": "provider[\"registry.terraform.io/elastic/elasticstack\"]",
      "instances": [
        {
          "index_key": "eu",
          "schema_version": 0,
          "attributes": {
            "id": "cluster/t",
            "name": "t",
            "source": [{"indices": ["a"]}, {"indices": ["b"]}],
            "destination": [{"index": "d"}]
          }
        }
      ]
    }
  ]
}
"#;
