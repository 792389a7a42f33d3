//! The lines that the program prints, for Terraform's log.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};

use crate::log;
use crate::secrets::Secrets;

/// Terraform takes lines of up to 64 KiB.
const LONGEST: usize = 60 << 10;

/// The length up to which a line is read as one.
const LONGEST_READ: u64 = 1 << 20;

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
        let line = self.redacted(line);
        if let Some(last) = &mut *locked(&self.last) {
            if last.len() == SHOWN {
                last.pop_front();
            }
            last.push_back(line.chars().take(200).collect());
        }
        // Cut only now, because a piece of a secret is not found to be one.
        pieces(&line).for_each(log::print_line);
    }

    /// The line without what it must not hold.
    fn redacted(&self, line: &str) -> String {
        let redacted = locked(&self.secrets).blotted(line);
        let line = redacted.as_deref().unwrap_or(line);
        log::redacted(line).unwrap_or_else(|| line.to_owned())
    }

    /// Takes the lines of a pipe until its end.
    pub(super) async fn drain(&self, pipe: impl AsyncRead + Unpin) {
        let mut reader = BufReader::new(pipe);
        while let Some(line) = next_line(&mut reader).await {
            self.line(&line);
        }
    }
}

/// A line in pieces that Terraform takes.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let end = (0..=LONGEST.min(rest.len()))
            .rev()
            .find(|end| rest.is_char_boundary(*end))?;
        let (piece, after) = rest.split_at_checked(end)?;
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The next line, or as much of it as is read at once; nothing at the end.
pub(super) async fn next_line(
    reader: &mut (impl tokio::io::AsyncBufRead + Unpin),
) -> Option<String> {
    let mut line = Vec::new();
    let read = reader.take(LONGEST_READ).read_until(b'\n', &mut line).await;
    (read.is_ok() && !line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned())
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use upstate::Value;
    use upstate::schema::{Attribute, Block, Presence, Type};

    use super::*;

    #[tokio::test]
    async fn a_secret_in_a_long_line_is_hidden_wherever_it_is() {
        let block =
            Block::new([Attribute::new("pin", Type::String, Presence::Optional).sensitive()]);
        let mut secrets = Secrets::default();
        let state = Value::from_untyped_json(br#"{"pin": "sesame-1"}"#).unwrap();
        secrets.add(&block, &state);
        let output = Output::new();
        output.hide(&secrets);
        let (before, after) = ("x".repeat(LONGEST - 4), "é".repeat(LONGEST));
        let printed = format!("{before} sesame-1 {after}\nnext\n");
        let mut reader = BufReader::new(printed.as_bytes());
        let line = next_line(&mut reader).await.unwrap();
        let line = output.redacted(line.trim_end());
        assert_eq!(line, format!("{before} (sensitive value) {after}"));
        let cut: Vec<&str> = pieces(&line).collect();
        assert_eq!(cut.concat(), line);
        assert!(cut.iter().all(|piece| piece.len() <= LONGEST));
        let next = next_line(&mut reader).await;
        assert_eq!(next.as_deref(), Some("next\n"));
    }
}
