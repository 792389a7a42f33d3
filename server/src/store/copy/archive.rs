//! Archives: one file with everything that a store holds.
//!
//! It is JSON, a line a row, compressed with zstd, so that it can be read without this program too.
//! The first line says what it is, the last one how many rows there are and their SHA-256: a file
//! that was cut off or changed is refused, and nothing of it is kept.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use tempfile::NamedTempFile;
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::{
    Copied, Part, Row, Seen, Tables, WAITING, broke_off, check, each, joined, read, received,
};
use crate::model::Timestamp;
use crate::store::encryption::Keyring;
use crate::store::{Store, StoreError};

/// The form that this program writes and reads.
const FORM: u32 = 1;

/// States compress to a tenth within little time; they are compressed already.
const LEVEL: i32 = 3;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    #[serde(rename = "upstate-backup")]
    form: u32,
    made: String,
    of: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Row { table: String, row: Vec<Json> },
    End { end: End },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    rows: u64,
    sha256: String,
}

fn hex(sha256: &[u8; 32]) -> String {
    sha256.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Writes everything that a store holds, as it is at this moment, into a new file.
///
/// # Errors
/// If the store fails, or the file cannot be written or is there already; then there is no file.
pub async fn back_up(from: &dyn Store, file: &Path) -> Result<Copied, StoreError> {
    let (sender, parts) = mpsc::channel(WAITING);
    let head = Head {
        form: FORM,
        made: Timestamp::now().to_string(),
        of: from.describe(),
    };
    let path = file.to_owned();
    let writing = tokio::task::spawn_blocking(move || write(&path, &head, parts));
    let reading = async {
        let copied = read(from, Some(&sender)).await?;
        sender.send(Part::End).await.map_err(|_| broke_off())?;
        drop(sender);
        Ok::<_, StoreError>(copied)
    };
    joined(reading, async {
        writing
            .await
            .map_err(|error| StoreError::new("the archive was not written").because(error))?
    })
    .await
}

fn write(path: &Path, head: &Head, mut parts: Receiver<Part>) -> Result<(), StoreError> {
    let failed = |error: std::io::Error| {
        StoreError::new(format!("{} cannot be written", path.display())).because(error)
    };
    if path.exists() {
        return Err(StoreError::new(format!(
            "{} is there already; name a new file",
            path.display()
        )));
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    // Only its owner reads it: states hold secrets.
    let file = NamedTempFile::new_in(folder).map_err(failed)?;
    let mut lines = zstd::Encoder::new(file, LEVEL).map_err(failed)?;
    let json = |error: serde_json::Error| failed(error.into());
    serde_json::to_writer(&mut lines, head).map_err(json)?;
    lines.write_all(b"\n").map_err(failed)?;
    let mut seen = Seen::default();
    while let Part::Row(row) = received(parts.blocking_recv())? {
        let line = seen.look(&row)?;
        lines.write_all(&line).map_err(failed)?;
    }
    let copied = seen.end();
    let end = serde_json::json!({"end": End { rows: copied.rows, sha256: hex(&copied.sha256) }});
    serde_json::to_writer(&mut lines, &end).map_err(json)?;
    lines.write_all(b"\n").map_err(failed)?;
    let file = lines.finish().map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist_noclobber(path)
        .map_err(|error| failed(error.error))?;
    // The name of the file is on disk when its folder is.
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(failed)
}

/// Fills an empty store with what an archive holds.
///
/// # Errors
/// If the archive cannot be read, was cut off or changed, or the store fails or is not empty; then
/// nothing is kept.
pub async fn restore(file: &Path, to: &dyn Store) -> Result<Copied, StoreError> {
    let (sender, parts) = mpsc::channel(WAITING);
    let path = file.to_owned();
    let reading = tokio::task::spawn_blocking(move || unpack(&path, &sender));
    let reading = async {
        reading
            .await
            .map_err(|error| StoreError::new("the archive was not read").because(error))?
    };
    let (copied, archived) = joined(reading, to.import(parts)).await?;
    let (mut found, is_older) = (Tables::default(), archived.is_older());
    each(to, None, |row| found.look(row)).await?;
    if found.digests(is_older) == archived.digests(is_older) {
        return Ok(copied);
    }
    Err(StoreError::new(
        "the restored store differs from the archive. Use the archive with another store, and report this",
    ))
}

fn unpack(path: &Path, to: &Sender<Part>) -> Result<(Copied, Tables), StoreError> {
    let failed = |error: std::io::Error| {
        StoreError::new(format!("{} cannot be read", path.display())).because(error)
    };
    let wrong = |what: &str| {
        StoreError::new(format!(
            "{} is not a backup, or is damaged: {what}",
            path.display()
        ))
    };
    let lines = zstd::Decoder::new(File::open(path).map_err(failed)?).map_err(failed)?;
    let mut lines = BufReader::new(lines);
    let mut line = Vec::new();
    let mut next = move || -> Result<Vec<u8>, StoreError> {
        line.clear();
        lines
            .read_until(b'\n', &mut line)
            .map_err(|error| wrong("it cannot be unpacked").because(error))?;
        Ok(std::mem::take(&mut line))
    };
    let head: Head = serde_json::from_slice(&next()?)
        .map_err(|error| wrong("its first line is another").because(error))?;
    if head.form != FORM {
        return Err(wrong(&format!(
            "it has form {}, expected {FORM}; a newer upstate-server wrote it",
            head.form
        )));
    }
    // Two, because the sum in an archive is of its lines, and the store holds the rows as this
    // release has them.
    let (mut written, mut tables) = (Seen::default(), Tables::default());
    loop {
        let line = next()?;
        if line.is_empty() {
            return Err(wrong("it is cut off"));
        }
        match serde_json::from_slice(&line).map_err(|_| wrong("a line is not a row"))? {
            Line::Row { table, row } => {
                written.look_at_line(&line);
                let row = Row::from_json(&table, row)?;
                tables.look(&row)?;
                // Encrypted ones are checked when they were written.
                check(&row, &Keyring::default())?;
                to.blocking_send(Part::Row(row)).map_err(|_| broke_off())?;
            }
            Line::End { end } => {
                let written = written.end();
                if (end.rows, end.sha256) != (written.rows, hex(&written.sha256)) {
                    return Err(wrong("its rows are not those that were written"));
                }
                if !next()?.is_empty() {
                    return Err(wrong("something follows its end"));
                }
                to.blocking_send(Part::End).map_err(|_| broke_off())?;
                return Ok((
                    Copied {
                        bytes: tables.bytes(),
                        ..written
                    },
                    tables,
                ));
            }
        }
    }
}
