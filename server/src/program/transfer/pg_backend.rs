//! States that Terraform's `backend "pg"` keeps in a database.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::found::{At, Found, Offered, name_here, too_large};
use crate::store::StoreError;
use crate::store::postgres::Settings;
use crate::store::postgres::states_table::{StateRow, StatesTable};

/// The schema of that backend, unless its configuration names another.
pub(super) const SCHEMA: &str = "terraform_remote_state";

/// The most connections, as many as workspaces are read at the same time.
const CONNECTIONS: usize = 4;

/// A schema of a database.
#[derive(Debug)]
pub(super) struct PgBackend {
    table: StatesTable,
    schema: String,
}

impl PgBackend {
    pub(super) fn new(url: &str, schema: &str) -> Result<Self, String> {
        let settings = Settings {
            connections: CONNECTIONS,
            ..Settings::new(url)
        };
        let table = StatesTable::new(&settings, schema).map_err(|error| error.to_string())?;
        Ok(Self {
            table,
            schema: schema.to_owned(),
        })
    }

    pub(super) fn describe(&self) -> String {
        self.table.describe().to_owned()
    }

    fn failed(&self, error: &StoreError) -> String {
        format!("{} cannot be read: {error}", self.table.describe())
    }

    pub(super) async fn workspaces(&self) -> Result<Vec<Found>, String> {
        let rows = self
            .table
            .rows()
            .await
            .map_err(|error| self.failed(&error))?;
        Ok(workspaces_of(&self.schema, rows))
    }

    /// The bytes of a state.
    pub(super) async fn state(&self, id: i64, most: usize) -> Result<Bytes, String> {
        let state = self
            .table
            .state(id, most)
            .await
            .map_err(|error| self.failed(&error))?;
        state.map(Bytes::from).ok_or_else(|| too_large(most))
    }
}

/// The workspaces of the rows, by name.
fn workspaces_of(schema: &str, rows: Vec<StateRow>) -> Vec<Found> {
    let mut all: BTreeMap<String, Found> = BTreeMap::new();
    for row in rows {
        let workspace = row.name.clone();
        let found = found(schema, row);
        if let Some(there) = all.get_mut(&found.name) {
            there.wrong = Some(format!(
                "two workspaces of the schema have this name here; one of them is {workspace:?}"
            ));
        } else {
            all.insert(found.name.clone(), found);
        }
    }
    all.into_values().collect()
}

/// The workspace of a row. A schema of its own keeps the states of one configuration, so that its
/// name comes first.
fn found(schema: &str, row: StateRow) -> Found {
    let StateRow {
        id,
        name,
        is_empty,
        is_locked,
    } = row;
    // Escaped, because a database may hold any letters, which a terminal would obey.
    let label = format!("the state of {}", name.escape_debug());
    let state = Offered::new(label, At::Row(id));
    let name = if schema == SCHEMA {
        name
    } else if name == "default" {
        schema.to_owned()
    } else {
        format!("{schema}-{name}")
    };
    let states = if is_empty { Vec::new() } else { vec![state] };
    Found {
        name: name_here(&name),
        locked: is_locked,
        states,
        ..Found::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_is_named_by_its_schema_unless_that_is_the_usual_one() {
        let row = |name: &str| StateRow {
            id: 1,
            name: name.to_owned(),
            is_empty: name == "new",
            is_locked: false,
        };
        for (schema, workspace, expected, count) in [
            (SCHEMA, "default", "default", 1),
            (SCHEMA, "prod", "prod", 1),
            ("net", "default", "net", 1),
            ("net", "prod", "net-prod", 1),
            ("net", "new", "net-new", 0),
            ("acme.net", "v1.2", "acme-net-v1-2", 1),
        ] {
            let found = found(schema, row(workspace));
            assert_eq!((found.name.as_str(), found.states.len()), (expected, count));
        }
    }

    #[test]
    fn two_workspaces_of_one_name_are_not_imported() {
        let row = |id: i64, name: &str| StateRow {
            id,
            name: name.to_owned(),
            is_empty: false,
            is_locked: false,
        };
        let all = workspaces_of(SCHEMA, vec![row(1, "a-b"), row(2, "a.b"), row(3, "c")]);
        let wrong: Vec<(&str, Option<&str>)> = all
            .iter()
            .map(|found| (found.name.as_str(), found.wrong.as_deref()))
            .collect();
        let why = "two workspaces of the schema have this name here; one of them is \"a.b\"";
        assert_eq!(wrong, [("a-b", Some(why)), ("c", None)]);
    }

    #[tokio::test]
    async fn a_password_is_not_in_what_describes_a_database() {
        let made = PgBackend::new("postgresql://ann:hunter22@db.example.com/states", "n\"et")
            .expect("a database");
        assert_eq!(
            made.describe(),
            "schema n\"et of PostgreSQL database states at db.example.com"
        );
        assert!(!format!("{made:?}").contains("hunter22"));
        let refused = PgBackend::new("postgresql://ann:hunter22@db.example.com", SCHEMA)
            .expect_err("refused");
        assert_eq!(
            refused,
            "the database URL names no database; expected postgresql://user:password@host/database"
        );
    }
}
