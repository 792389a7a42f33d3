//! `pytfe` as a process that makes the calls a test tells it to make.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::api::md5_of;
use super::real::pytfe;

pub struct Client {
    python: Child,
    calls: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// An exception that a call raised.
#[derive(Debug)]
pub struct Raised {
    pub class: String,
    pub status: Option<u64>,
    pub message: String,
}

impl Client {
    pub fn new(url: &str, token: &str) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/service/pytfe_calls.py");
        let mut python = pytfe::command();
        let mut python = python
            .arg(script)
            .args([url, token])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let calls = python.stdin.take().unwrap();
        let answers = BufReader::new(python.stdout.take().unwrap());
        Self {
            python,
            calls,
            answers,
        }
    }

    /// Makes a call, with named arguments if any.
    pub fn try_call(
        &mut self,
        function: &str,
        arguments: &Value,
        named: &Value,
    ) -> Result<Value, Raised> {
        writeln!(
            self.calls,
            "{}",
            json!({"call": function, "arguments": arguments, "named": named})
        )
        .unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "pytfe ended in {function}, see above");
        let mut answer: Value = serde_json::from_str(&line).unwrap();
        match answer["error"].as_str() {
            None => Ok(answer["value"].take()),
            Some(class) => Err(Raised {
                class: class.to_owned(),
                status: answer["status"].as_u64(),
                message: answer["message"].as_str().unwrap_or_default().to_owned(),
            }),
        }
    }

    /// Makes a call that must go well.
    #[track_caller]
    pub fn call(&mut self, function: &str, arguments: &Value) -> Value {
        self.call_with(function, arguments, &json!({}))
    }

    #[track_caller]
    pub fn call_with(&mut self, function: &str, arguments: &Value, named: &Value) -> Value {
        self.try_call(function, arguments, named)
            .unwrap_or_else(|raised| panic!("{function}: {raised:?}"))
    }

    /// Makes a call that must be refused with this status.
    #[track_caller]
    pub fn refused(&mut self, function: &str, arguments: &Value, status: u64) -> Raised {
        self.refused_with(function, arguments, &json!({}), status)
    }

    #[track_caller]
    pub fn refused_with(
        &mut self,
        function: &str,
        arguments: &Value,
        named: &Value,
        status: u64,
    ) -> Raised {
        match self.try_call(function, arguments, named) {
            Ok(value) => panic!("{function} went well: {value}"),
            Err(raised) => {
                assert_eq!(raised.status, Some(status), "{function}: {raised:?}");
                raised
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.python.kill();
        let _ = self.python.wait();
    }
}

/// Bytes, as the script takes them.
pub fn bytes(bytes: &[u8]) -> Value {
    json!({"$bytes": BASE64_STANDARD.encode(bytes)})
}

/// What describes a state that is created, with its bytes or without.
pub fn options(state: &[u8], inline: bool) -> Value {
    let file: Value = serde_json::from_slice(state).unwrap();
    let mut options = json!({
        "$model": "StateVersionCreateOptions", "serial": file["serial"], "lineage": file["lineage"], "md5": md5_of(state),
    });
    if inline {
        options["state"] = json!(BASE64_STANDARD.encode(state));
    }
    options
}
