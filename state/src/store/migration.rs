//! A whole table, brought to the current versions.

use std::collections::BTreeSet;
use std::mem;

use upstate::{Diagnostics, Registry};

use super::stored::binary;
use super::table::Table;
use crate::document::Format;

/// The migration of a table: rows of earlier versions are rewritten, in the order of their keys, a
/// batch at a time.
///
/// It runs beside programs that read and write the table. A row is rewritten only where it still
/// holds the document that was read; one that was written meanwhile is read again. Each batch is
/// one statement, so that a crash loses none and a second run goes on: rows that are current are
/// only read. A row that cannot be upgraded, or would lose values that no schema defines, digits or
/// repeated keys, stays as it is and is reported. So does one of more than 1 000 rounded numbers,
/// even if the rewritten one had their digits. A decimal in a field of type `f64` or `f32` refuses
/// no row, although it is read as the nearest float.
///
/// Upgraders that await are refused.
#[must_use]
pub struct Migration<'m> {
    registry: &'m Registry,
    pub(super) table: Table<'m>,
    format: Format<'m>,
    type_name: Option<&'m str>,
    batch: usize,
    after: Option<String>,
    allow_loss: bool,
    on_progress: Option<Box<Call<'m>>>,
    pub(super) progress: Progress,
    /// The key of the first row of the last batch.
    first_key: Option<String>,
    /// The keys of the rows that are to be written, or read again.
    open: Vec<String>,
    /// The number of statements that wrote rows of this batch.
    attempts: usize,
    is_done: bool,
}

/// A function that is called after each batch.
type Call<'m> = dyn FnMut(&Progress) + Send + 'm;

/// The number of refused rows that a report names.
const NAMED: usize = 100;

/// The number of times that a row is read again because another program writes it.
const ATTEMPTS: usize = 5;

/// The state of a migration, and its report at the end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The number of rows that were read.
    pub read: u64,
    /// The number of rows that were rewritten.
    pub rewritten: u64,
    /// The number of rows that stay as they are because they cannot be upgraded without a loss.
    pub refused: u64,
    /// The first hundred of these: the key of each, and the reason.
    pub refusals: Vec<(String, Diagnostics)>,
    /// The number of rows that other programs kept writing. Another run migrates those that are of
    /// an earlier version still.
    pub changed_meanwhile: u64,
    /// The key of the last row, for [`Migration::after`].
    pub last_key: Option<String>,
}

/// A row as it is stored.
pub(super) struct Row {
    pub(super) key: String,
    pub(super) document: String,
}

/// The SQL of a statement, and its parameters.
type Statement = (String, Vec<String>);

upstate::__debug_parts! {
    Migration<'_> |self| {
        table: self.table,
        batch: self.batch,
    }
}

impl<'m> Migration<'m> {
    /// The migration of a table whose documents are of types that the registry knows.
    pub fn new(registry: &'m Registry, table: Table<'m>, format: Format<'m>) -> Self {
        Self {
            registry,
            table,
            format,
            type_name: None,
            batch: 500,
            after: None,
            allow_loss: false,
            on_progress: None,
            progress: Progress::default(),
            first_key: None,
            open: Vec::new(),
            attempts: 0,
            is_done: false,
        }
    }

    /// The type of documents that carry none.
    pub fn type_name(mut self, name: &'m str) -> Self {
        self.type_name = Some(name);
        self
    }

    /// The number of rows in a batch, from 1 to 10,000; 500 unless set.
    pub fn batch(mut self, rows: usize) -> Self {
        self.batch = rows.clamp(1, 10_000);
        self
    }

    /// Begins behind the row with this key, which an earlier run reported.
    pub fn after(mut self, key: impl Into<String>) -> Self {
        self.after = Some(key.into());
        self
    }

    /// Rewrites rows that lose values that no schema defines, digits that their types do not hold,
    /// or all but the last of repeated keys.
    pub fn allow_loss(mut self) -> Self {
        self.allow_loss = true;
        self
    }

    /// Calls a function after each batch.
    pub fn on_progress(mut self, call: impl FnMut(&Progress) + Send + 'm) -> Self {
        self.on_progress = Some(Box::new(call));
        self
    }

    /// The statement that reads the rows of the next batch, or again those of this one that other
    /// programs wrote; nothing at the end of the table.
    pub(super) fn reads(&mut self) -> Option<Statement> {
        if self.is_done {
            return None;
        }
        if self.attempts > 0 {
            let open = mem::take(&mut self.open);
            return Some((self.table.select_again(open.len()), open));
        }
        let after = self.progress.last_key.as_ref().or(self.after.as_ref());
        let sql = self.table.select(after.is_some(), self.batch);
        Some((sql, after.cloned().into_iter().collect()))
    }

    /// Takes note of rows that were read: the statement that writes those that are to be rewritten.
    ///
    /// # Errors
    /// Their keys do not come in the order of the type that the table says.
    pub(super) fn has_read(&mut self, rows: Vec<Row>) -> Result<Option<Statement>, Diagnostics> {
        if self.attempts == 0 {
            let Some(last) = rows.last().map(|row| row.key.clone()) else {
                self.is_done = true;
                return Ok(None);
            };
            let before = self.progress.last_key.as_deref().or(self.after.as_deref());
            self.table.check_order(
                self.first_key.as_deref(),
                before,
                rows.iter().map(|row| row.key.as_str()),
            )?;
            self.first_key = rows.first().map(|row| row.key.clone());
            self.progress.read += rows.len() as u64;
            self.progress.last_key = Some(last);
        }
        let updates = self.updates(rows);
        if updates.is_empty() {
            self.end_batch();
            return Ok(None);
        }
        self.attempts += 1;
        self.open = updates.iter().map(|[key, ..]| key.clone()).collect();
        let sql = self.table.update_all(updates.len());
        Ok(Some((sql, updates.into_iter().flatten().collect())))
    }

    /// Takes note of the rows that were written, by their keys. The others are read again.
    pub(super) fn has_written(&mut self, written: Vec<String>) {
        self.progress.rewritten += written.len() as u64;
        let written: BTreeSet<String> = written.into_iter().collect();
        self.open.retain(|key| !written.contains(key));
        if self.open.is_empty() || self.attempts == ATTEMPTS {
            self.progress.changed_meanwhile += self.open.len() as u64;
            self.end_batch();
        }
    }

    /// The rewritten documents of rows, each with its key and the stored one before it; what cannot
    /// be is noted.
    fn updates(&mut self, rows: Vec<Row>) -> Vec<[String; 3]> {
        let mut updates = Vec::with_capacity(rows.len());
        for Row { key, document } in rows {
            let rewrite =
                match self
                    .format
                    .rewrite(self.registry, self.type_name, document.as_bytes())
                {
                    Ok(None) => continue,
                    Ok(Some(rewrite)) => rewrite,
                    Err(diagnostics) => {
                        self.progress.refuse(key, diagnostics);
                        continue;
                    }
                };
            if rewrite.lost > 0 && !self.allow_loss {
                let loss = rewrite.loss("migrate with `Migration::allow_loss`");
                self.progress.refuse(key, loss.into());
                continue;
            }
            if rewrite.is_lossy && !self.allow_loss {
                self.progress.refuse(key, rewrite.warnings);
                continue;
            }
            match String::from_utf8(rewrite.bytes) {
                Ok(new) => updates.push([key, document, new]),
                Err(_) => self.progress.refuse(key, binary().into()),
            }
        }
        updates
    }

    fn end_batch(&mut self) {
        self.attempts = 0;
        if let Some(call) = &mut self.on_progress {
            call(&self.progress);
        }
    }
}

impl Progress {
    fn refuse(&mut self, key: String, diagnostics: Diagnostics) {
        self.refused += 1;
        if self.refusals.len() < NAMED {
            self.refusals.push((key, diagnostics));
        }
    }
}
