//! The tables that every store has, as data.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value as Json;

use crate::store::error::StoreError;
use crate::store::pack::Kept;
use crate::store::value::Value;

/// The kind of the values that a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Int,
    /// Yes or no.
    Bool,
    /// A string.
    Text,
    /// Bytes.
    Bytes,
}

impl Kind {
    /// A value that was found in a column of this kind.
    pub(in crate::store) fn of(self, found: Value) -> Option<Value> {
        match (found, self) {
            (Value::Null, _) => Some(Value::Null),
            // SQLite has no other.
            (Value::Int(number), Self::Bool) => Some(Value::Bool(number != 0)),
            (found @ Value::Int(_), Self::Int)
            | (found @ Value::Bool(_), Self::Bool)
            | (found @ Value::Text(_), Self::Text)
            | (found @ Value::Bytes(_), Self::Bytes) => Some(found),
            (_, Self::Int | Self::Bool | Self::Text | Self::Bytes) => None,
        }
    }
}

/// A table: what is copied of it, and in which order.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns; first those by which its rows are ordered.
    pub columns: &'static [(&'static str, Kind)],
    /// The number of columns that order the rows: those of the primary key.
    pub key: usize,
    /// The condition of the rows that are copied; all are if it is empty.
    pub which: &'static str,
    /// The number of its last columns that archives of older releases lack; they are null then.
    pub added: usize,
}

use Kind::{Bool, Bytes, Int, Text};

/// All tables, so ordered that rows refer to rows of tables before them; only a workspace refers to
/// its versions, which come later.
pub static TABLES: [Table; 23] = [
    // Before all rows that they encrypt. They may be copied, since they are of no use without the
    // operator's key.
    Table {
        name: "data_key",
        columns: &[
            ("id", Text),
            ("wrapped_by", Text),
            ("wrapped", Bytes),
            ("created_at", Int),
        ],
        key: 1,
        which: "",
        added: 0,
    },
    // The secrets, so that URLs that were signed stay good; what was revoked or used up, so that it
    // stays so; and whom an organization knows. `secret/bucket` is left out because each database
    // has its own bucket.
    Table {
        name: "setting",
        columns: &[("name", Text), ("value", Bytes), ("data_key", Text)],
        key: 1,
        which: "(name LIKE 'secret/%' AND name <> 'secret/bucket') OR name LIKE 'revoked/%' OR name LIKE 'used/%' OR name LIKE 'user-of/%'",
        added: 1,
    },
    Table {
        name: "organization",
        columns: &[("id", Text), ("name", Text), ("created_at", Int)],
        key: 1,
        which: "",
        added: 0,
    },
    Table {
        name: "project",
        columns: &[
            ("id", Text),
            ("organization", Text),
            ("name", Text),
            ("description", Text),
            ("created_at", Int),
        ],
        key: 1,
        which: "",
        added: 0,
    },
    Table {
        name: "user",
        columns: &[("id", Text), ("name", Text), ("created_at", Int)],
        key: 1,
        which: "",
        added: 0,
    },
    Table {
        name: "subject",
        columns: &[("user", Text), ("issuer", Text), ("subject", Text)],
        key: 1,
        which: "",
        added: 0,
    },
    Table {
        name: "team",
        columns: &[
            ("id", Text),
            ("organization", Text),
            ("name", Text),
            ("permissions", Text),
        ],
        key: 1,
        which: "",
        added: 0,
    },
    Table {
        name: "team_member",
        columns: &[("team", Text), ("user", Text)],
        key: 2,
        which: "",
        added: 0,
    },
    Table {
        name: "workspace",
        columns: &[
            ("id", Text),
            ("organization", Text),
            ("name", Text),
            ("revision", Int),
            ("last_seq", Int),
            ("head", Text),
            ("pending", Text),
            ("max_serial", Int),
            ("lock", Text),
            ("unlocked", Text),
            ("description", Text),
            ("terraform_version", Text),
            ("retention_days", Int),
            ("created_at", Int),
            ("updated_at", Int),
            ("deleted_at", Int),
            ("project", Text),
            ("sharing", Text),
        ],
        key: 1,
        which: "",
        added: 2,
    },
    Table {
        name: "former_name",
        columns: &[("organization", Text), ("name", Text), ("workspace", Text)],
        key: 2,
        which: "",
        added: 0,
    },
    Table {
        name: "trust",
        columns: &[
            ("id", Text),
            ("organization", Text),
            ("name", Text),
            ("issuer", Text),
            ("audience", Text),
            ("claims", Text),
            ("project", Text),
            ("workspace", Text),
            ("permissions", Text),
            ("created_at", Int),
        ],
        key: 1,
        which: "",
        added: 0,
    },
    Table {
        name: "token",
        columns: &[
            ("id", Text),
            ("hash", Bytes),
            ("user", Text),
            ("team", Text),
            ("organization", Text),
            ("permissions", Text),
            ("description", Text),
            ("created_at", Int),
            ("expires_at", Int),
            ("workspace", Text),
            ("trust", Text),
            ("session", Text),
        ],
        key: 1,
        which: "",
        added: 3,
    },
    Table {
        name: "consumer",
        columns: &[("workspace", Text), ("consumer", Text)],
        key: 2,
        which: "",
        added: 0,
    },
    Table {
        name: "team_access",
        columns: &[
            ("id", Text),
            ("team", Text),
            ("project", Text),
            ("workspace", Text),
            ("permissions", Text),
        ],
        key: 1,
        which: "",
        added: 0,
    },
    Table {
        name: "tag",
        columns: &[("workspace", Text), ("key", Text), ("value", Text)],
        key: 2,
        which: "",
        added: 0,
    },
    Table {
        name: BLOB,
        columns: &[
            ("sha256", Bytes),
            ("size", Int),
            ("codec", Text),
            ("bytes", Bytes),
            ("data_key", Text),
        ],
        key: 1,
        which: "",
        added: 1,
    },
    Table {
        name: "state_version",
        columns: &[
            ("id", Text),
            ("workspace", Text),
            ("seq", Int),
            ("serial", Int),
            ("lineage", Text),
            ("md5", Text),
            ("status", Text),
            ("backing", Text),
            ("state", Bytes),
            ("json_state", Bytes),
            ("size", Int),
            ("sha256", Bytes),
            ("format_version", Int),
            ("terraform_version", Text),
            ("modules", Text),
            ("providers", Text),
            ("resources", Text),
            ("unreadable", Text),
            ("finalized_at", Int),
            ("forced", Bool),
            ("creator", Text),
            ("created_at", Int),
            ("run", Text),
            ("rollback_of", Text),
            ("upgraded_from", Text),
            ("types", Text),
            ("report", Text),
            ("downgraded_to", Text),
            ("job", Text),
            ("state_seal", Text),
            ("json_state_seal", Text),
        ],
        key: 1,
        which: "",
        added: 6,
    },
    Table {
        name: "output",
        columns: &[
            ("id", Text),
            ("version", Text),
            ("name", Text),
            ("sensitive", Bool),
            ("kind", Text),
            ("detailed_type", Text),
            ("value", Text),
            ("data_key", Text),
        ],
        key: 1,
        which: "",
        added: 1,
    },
    Table {
        name: "quarantine",
        columns: &[
            ("id", Text),
            ("workspace", Text),
            ("version", Text),
            ("at", Int),
            ("reason", Text),
            ("size", Int),
            ("state", Bytes),
            ("seal", Text),
        ],
        key: 1,
        which: "",
        added: 1,
    },
    Table {
        name: "job",
        columns: &[
            ("id", Text),
            ("organization", Text),
            ("requested_by", Text),
            ("who", Text),
            ("concurrency", Int),
            ("stop_at_failure", Bool),
            ("status", Text),
            ("created_at", Int),
            ("finished_at", Int),
            ("back", Text),
            ("worked_on_at", Int),
            ("undoes", Text),
            ("max_failures", Int),
            ("kind", Text),
            ("applies", Text),
            ("sums", Text),
            ("selection", Text),
            ("token", Text),
        ],
        key: 1,
        which: "",
        added: 9,
    },
    Table {
        name: "job_item",
        columns: &[
            ("job", Text),
            ("workspace", Text),
            ("status", Text),
            ("version", Text),
            ("detail", Text),
            ("claimed_by", Text),
            ("claimed_until", Int),
            ("planned", Text),
            ("expected", Text),
            ("tried", Text),
            ("finished_at", Int),
            ("held_until", Int),
            ("taken_over_at", Int),
        ],
        key: 2,
        which: "",
        added: 6,
    },
    Table {
        name: "audit",
        columns: &[
            ("seq", Int),
            ("at", Int),
            ("who", Text),
            ("action", Text),
            ("organization", Text),
            ("workspace", Text),
            ("subject", Text),
            ("detail", Text),
        ],
        key: 1,
        which: "",
        added: 0,
    },
    Table {
        name: "delivery",
        columns: &[
            ("target", Text),
            ("seq", Int),
            ("holder", Text),
            ("until", Int),
        ],
        key: 1,
        which: "",
        added: 0,
    },
];

/// The table of the bytes, which some stores keep elsewhere.
pub(in crate::store) const BLOB: &str = "blob";

impl Table {
    /// Its columns, as both dialects of SQL take them.
    pub(in crate::store) fn column_list(&self) -> String {
        let quoted: Vec<String> = self
            .columns
            .iter()
            .map(|(name, _)| format!("\"{name}\""))
            .collect();
        quoted.join(", ")
    }

    /// Reads its rows in order; `columns` in place of its own where a store has other ones.
    pub(in crate::store) fn select(&self, columns: &str) -> String {
        let which = if self.which.is_empty() {
            String::new()
        } else {
            format!(" WHERE {}", self.which)
        };
        let order: Vec<String> = self
            .columns
            .iter()
            .take(self.key)
            .map(|(name, _)| format!("\"{name}\""))
            .collect();
        format!(
            "SELECT {columns} FROM \"{}\"{which} ORDER BY {}",
            self.name,
            order.join(", ")
        )
    }

    /// Writes a row, with placeholders that begin with `mark`.
    pub(in crate::store) fn insert(&self, mark: char) -> String {
        let marks: Vec<String> = (1..=self.columns.len())
            .map(|number| format!("{mark}{number}"))
            .collect();
        format!(
            "INSERT INTO \"{}\" ({}) VALUES ({})",
            self.name,
            self.column_list(),
            marks.join(", ")
        )
    }
}

/// A row of a table.
#[derive(Clone)]
pub struct Row {
    /// The table.
    pub table: &'static Table,
    /// Its values, in the order of the columns.
    pub values: Vec<Value>,
}

/// Without the values, which may be secret.
impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Row")
            .field("table", &self.table.name)
            .finish_non_exhaustive()
    }
}

impl Row {
    /// A row of bytes.
    pub(in crate::store) fn blob(&self) -> Option<Kept> {
        match (self.table.name, self.values.as_slice()) {
            (
                BLOB,
                [
                    Value::Bytes(sha256),
                    Value::Int(size),
                    _,
                    Value::Bytes(bytes),
                    key,
                ],
            ) => {
                let key = match key {
                    Value::Text(key) => Some(key.clone()),
                    Value::Null | Value::Int(_) | Value::Bool(_) | Value::Bytes(_) => None,
                };
                Some(Kept {
                    sha256: sha256.as_slice().try_into().ok()?,
                    size: *size,
                    bytes: bytes.clone(),
                    key,
                })
            }
            _ => None,
        }
    }

    /// As a line of JSON: `{"table": "user", "row": ["user-1", "ann", 0]}`, bytes in base64.
    pub(super) fn to_line(&self) -> Result<Vec<u8>, StoreError> {
        let values = self.values.iter().map(|value| match value {
            Value::Null => Json::Null,
            Value::Int(number) => Json::from(*number),
            Value::Bool(is) => Json::from(*is),
            Value::Text(text) => Json::from(text.as_str()),
            Value::Bytes(bytes) => Json::from(STANDARD.encode(bytes)),
        });
        let line = serde_json::json!({"table": self.table.name, "row": values.collect::<Vec<_>>()});
        let mut line = serde_json::to_vec(&line)
            .map_err(|error| StoreError::new("a row cannot be written").because(error))?;
        line.push(b'\n');
        Ok(line)
    }

    /// Out of the members of such a line.
    pub(super) fn from_json(table: &str, values: Vec<Json>) -> Result<Self, StoreError> {
        let wrong = |what: String| StoreError::new(format!("the archive cannot be read: {what}"));
        let known = TABLES.iter().find(|known| known.name == table);
        let known = known.ok_or_else(|| {
            wrong(format!(
                "table {table:?} is unknown; a newer upstate-server wrote it"
            ))
        })?;
        let (found, expected) = (values.len(), known.columns.len());
        if found > expected || found + known.added < expected {
            return Err(wrong(format!(
                "a row of table {table} has {found} values, expected {expected}"
            )));
        }
        let missing = std::iter::repeat_n(Json::Null, expected - found);
        let values = values.into_iter().chain(missing);
        let values = values.zip(known.columns).map(|(value, (column, kind))| {
            let read = match (value, kind) {
                (Json::Null, _) => Some(Value::Null),
                (Json::Number(number), Int) => number.as_i64().map(Value::Int),
                (Json::Bool(is), Bool) => Some(Value::Bool(is)),
                (Json::String(text), Text) => Some(Value::Text(text)),
                (Json::String(text), Bytes) => STANDARD.decode(text).ok().map(Value::Bytes),
                (_, Int | Bool | Text | Bytes) => None,
            };
            read.ok_or_else(|| {
                wrong(format!(
                    "column {column} of table {table} holds something else than {kind:?}"
                ))
            })
        });
        Ok(Self {
            table: known,
            values: values.collect::<Result<_, _>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_older_archives_are_taken() {
        let table = TABLES
            .iter()
            .find(|table| table.name == "state_version")
            .expect("a table");
        let row = |values: usize| Row::from_json("state_version", vec![Json::Null; values]);
        let whole = table.columns.len();
        assert_eq!(row(whole - table.added).expect("a row").values.len(), whole);
        assert!(row(whole).is_ok());
        assert!(row(whole - table.added - 1).is_err());
        assert!(row(whole + 1).is_err());
    }
}
