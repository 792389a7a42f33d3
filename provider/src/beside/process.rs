//! The program: its start, the line that says where it listens, its end.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::BufReader;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::output::{Output, next_line};
use super::{Beside, guard};
use crate::proto::plugin::COOKIE;

/// The time for the program to end after it was asked to; Terraform gives this process two seconds.
const GOODBYE: Duration = Duration::from_secs(1);

/// The time after the end of its connection in which a program that ends is seen to have ended.
const DYING: Duration = Duration::from_secs(1);

/// A program that runs. It ends with this.
#[derive(Debug)]
pub(super) struct Process {
    program: PathBuf,
    guarded: bool,
    child: Mutex<Child>,
    /// The end of the guard's standard input: it ends the program when this is closed.
    alive: Mutex<Option<ChildStdin>>,
    output: Arc<Output>,
    /// The lines of its standard error, until it is closed.
    errors: Mutex<Option<JoinHandle<()>>>,
}

/// The time in which the last lines of a program that has ended are read.
const LAST_LINES: Duration = Duration::from_secs(5);

/// The line of a handshake: where the program listens, and its certificate.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) protocol: u8,
    pub(super) network: Network,
    pub(super) address: String,
    pub(super) certificate: String,
}

/// The kind of address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Network {
    Unix,
    Tcp,
}

impl Process {
    /// Starts the program, which may speak one of the `protocols`.
    pub(super) fn start(
        beside: &Beside,
        program: &Path,
        protocols: &str,
        certificate: &str,
        output: &Arc<Output>,
    ) -> Result<(Self, ChildStdout), String> {
        if !program.is_file() {
            return Err("There is no such file. A release has it in its archive, beside the program of this provider.".to_owned());
        }
        let mut command = match std::env::current_exe() {
            Ok(own) if beside.guarded => {
                let mut command = Command::new(own);
                // A guard that is killed could end nothing.
                command
                    .arg(guard::ARGUMENT)
                    .arg(program)
                    .stdin(Stdio::piped());
                command
            }
            _ => {
                let mut command = Command::new(program);
                command.stdin(Stdio::null()).kill_on_drop(true);
                command
            }
        };
        command
            .args(&beside.arguments)
            .env("TF_PLUGIN_MAGIC_COOKIE", COOKIE)
            .env("PLUGIN_PROTOCOL_VERSIONS", protocols)
            .env("PLUGIN_CLIENT_CERT", certificate)
            // It is asked for services of go-plugin that this host does not have.
            .env_remove("PLUGIN_MULTIPLEX_GRPC")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| format!("It can't be started: {error}."))?;
        let errors = child.stderr.take().map(|stderr| {
            let output = Arc::clone(output);
            tokio::spawn(async move { output.drain(stderr).await })
        });
        let stdout = child.stdout.take().ok_or("It has no standard output.")?;
        // Waiting for the child would close it.
        let stdin = child.stdin.take();
        let (guarded, alive) = (stdin.is_some(), Mutex::new(stdin));
        let (child, errors) = (Mutex::new(child), Mutex::new(errors));
        Ok((
            Self {
                program: program.to_owned(),
                guarded,
                child,
                alive,
                output: Arc::clone(output),
                errors,
            },
            stdout,
        ))
    }

    /// The handshake of the program. What it prints afterwards goes into the log.
    pub(super) async fn handshake(&self, stdout: ChildStdout) -> Result<Line, String> {
        let mut reader = BufReader::new(stdout);
        let Some(line) = next_line(&mut reader).await else {
            let ended = self.ended().await.map_or_else(
                || "closed its output".to_owned(),
                |status| format!("ended ({status})"),
            );
            // Its reason may still be in the pipe, which a child of it may keep open.
            if let Some(errors) = self.errors.lock().await.take() {
                let _ = tokio::time::timeout(LAST_LINES, errors).await;
            }
            return Err(format!(
                "It {ended} before it said where it listens.{}",
                self.last_lines()
            ));
        };
        let output = Arc::clone(&self.output);
        tokio::spawn(async move { output.drain(reader).await });
        Line::read(line.trim())
    }

    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// The last lines of a program that did not start, as the end of a message.
    pub(super) fn last_lines(&self) -> String {
        let last = self.output.last();
        if last.is_empty() {
            String::new()
        } else {
            format!(" It printed:\n\n{}", last.join("\n"))
        }
    }

    /// The status with which the program has ended, or ends in a moment.
    pub(super) async fn ended(&self) -> Option<ExitStatus> {
        let mut child = self.child.lock().await;
        let status = tokio::time::timeout(DYING, child.wait()).await.ok()?.ok()?;
        Some(if self.guarded {
            guard::status_of(status)
        } else {
            status
        })
    }

    /// Waits for the program to end, and ends it otherwise.
    pub(super) async fn end(&self) {
        let mut child = self.child.lock().await;
        if tokio::time::timeout(GOODBYE, child.wait()).await.is_ok() {
            return;
        }
        let guarded = self.alive.lock().await.take().is_some();
        if !guarded || tokio::time::timeout(GOODBYE, child.wait()).await.is_err() {
            // It may have ended just now.
            let _ = child.kill().await;
        }
    }
}

impl Line {
    /// Reads `1|5|unix|/tmp/plugin1|grpc|MII…`.
    fn read(line: &str) -> Result<Self, String> {
        let parts: Vec<&str> = line.split('|').collect();
        let &[core, protocol, network, address, ref rest @ ..] = &parts[..] else {
            let shown: String = line.chars().take(100).collect();
            return Err(format!(
                "Its first line is {shown:?}, and a provider begins with where it listens. Let it print nothing on its standard output."
            ));
        };
        if core != "1" {
            return Err(format!(
                "It speaks version {core:?} of go-plugin's handshake; this provider speaks 1."
            ));
        }
        let protocol = match protocol {
            "5" => 5,
            "6" => 6,
            other => {
                return Err(format!(
                    "It speaks plugin protocol {other}; this provider speaks 5 and 6. Build it with a newer SDK."
                ));
            }
        };
        let network = match network {
            "unix" => Network::Unix,
            "tcp" => Network::Tcp,
            other => {
                return Err(format!(
                    "It listens on a {other:?}; this provider connects to \"unix\" and \"tcp\"."
                ));
            }
        };
        match rest {
            &["grpc", certificate, ..] if !certificate.is_empty() => {
                Ok(Self { protocol, network, address: address.to_owned(), certificate: certificate.to_owned() })
            }
            [] | ["grpc", ..] => {
                Err("It has no certificate, so the connection would not be encrypted. Build it with a newer SDK.".to_owned())
            }
            [kind, ..] => Err(format!("It serves {kind:?}; this provider speaks gRPC. Build it with a newer SDK.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_plugin_is_read_and_any_other_is_refused() {
        let line = Line::read("1|5|unix|/tmp/plugin1|grpc|MII").unwrap();
        assert_eq!(
            line,
            Line {
                protocol: 5,
                network: Network::Unix,
                address: "/tmp/plugin1".into(),
                certificate: "MII".into()
            }
        );
        // A seventh part, because later releases of go-plugin have one.
        assert_eq!(
            Line::read("1|6|tcp|127.0.0.1:1234|grpc|MII|true")
                .unwrap()
                .protocol,
            6
        );
        for (line, problem) in [
            (
                "Hello!",
                "Its first line is \"Hello!\", and a provider begins with where it listens. Let it print nothing on its standard output.",
            ),
            (
                "2|6|unix|a|grpc|MII",
                "It speaks version \"2\" of go-plugin's handshake; this provider speaks 1.",
            ),
            (
                "1|4|tcp|a|netrpc",
                "It speaks plugin protocol 4; this provider speaks 5 and 6. Build it with a newer SDK.",
            ),
            (
                "1|5|pipe|a|grpc|MII",
                "It listens on a \"pipe\"; this provider connects to \"unix\" and \"tcp\".",
            ),
            (
                "1|5|unix|a|netrpc",
                "It serves \"netrpc\"; this provider speaks gRPC. Build it with a newer SDK.",
            ),
            (
                "1|5|unix|a|grpc|",
                "It has no certificate, so the connection would not be encrypted. Build it with a newer SDK.",
            ),
            (
                "1|5|unix|a",
                "It has no certificate, so the connection would not be encrypted. Build it with a newer SDK.",
            ),
        ] {
            assert_eq!(Line::read(line).unwrap_err(), problem);
        }
    }
}
