//! The lines that the program prints, for Terraform's log.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};

use crate::log;
use crate::secrets::Secrets;

/// Terraform takes lines of up to 64 KiB.
const LONGEST: u64 = 60 << 10;

/// The number of lines that an error shows of a program that did not start.
const SHOWN: usize = 6;

/// Lines on their way into the log, and what they must not hold.
#[derive(Debug, Default)]
pub(super) struct Output {
    secrets: Mutex<Secrets>,
    /// The last lines, until the program gets values that it might print.
    last: Mutex<Option<VecDeque<String>>>,
}

impl Output {
    pub(super) fn new() -> Self {
        Self {
            last: Mutex::new(Some(VecDeque::new())),
            ..Self::default()
        }
    }

    /// Keeps strings out of all lines to come.
    pub(super) fn hide(&self, secrets: &Secrets) {
        // Nothing is shown in an error any more: what the program prints from now on may be about
        // values.
        *locked(&self.last) = None;
        locked(&self.secrets).extend(secrets);
    }

    /// The last lines of a program that knows no values yet, each cut to a length that a person
    /// reads.
    pub(super) fn last(&self) -> Vec<String> {
        locked(&self.last).iter().flatten().cloned().collect()
    }

    pub(super) fn line(&self, line: &str) {
        let line = line.trim_end();
        if line.is_empty() {
            return;
        }
        let redacted = locked(&self.secrets).blotted(line);
        let line = redacted.as_deref().unwrap_or(line);
        let redacted = log::redacted(line);
        let line = redacted.as_deref().unwrap_or(line);
        if let Some(last) = &mut *locked(&self.last) {
            if last.len() == SHOWN {
                last.pop_front();
            }
            last.push_back(line.chars().take(200).collect());
        }
        log::print_line(line);
    }

    /// Takes the lines of a pipe until its end.
    pub(super) async fn drain(&self, pipe: impl AsyncRead + Unpin) {
        let mut reader = BufReader::new(pipe);
        while let Some(line) = next_line(&mut reader).await {
            self.line(&line);
        }
    }
}

/// The next line, or as much of it as Terraform takes; nothing at the end.
pub(super) async fn next_line(
    reader: &mut (impl tokio::io::AsyncBufRead + Unpin),
) -> Option<String> {
    let mut line = Vec::new();
    let read = reader.take(LONGEST).read_until(b'\n', &mut line).await;
    (read.is_ok() && !line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned())
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
