//! SQLite, by rusqlite, sqlx and diesel: the same rows, the same outcomes.

use std::collections::{BTreeMap, BTreeSet};

use diesel::prelude::*;
use upstate_state::store::{Migration, Progress, Stored, WriteBack};

use crate::{Events, FORMAT, NOTES, Note, current, first, registry};

const TABLE: &str = "CREATE TABLE notes (id INTEGER PRIMARY KEY, document TEXT) STRICT";

/// A type that SQLite does not know, so that it casts to it as to a number.
const TABLE_OF_JSON: &str = "CREATE TABLE notes (id INTEGER PRIMARY KEY, document JSON)";

/// The rows of every test: what is stored, and what it becomes by a migration.
fn rows() -> Vec<(Option<String>, Option<String>)> {
    let row = |stored: String, migrated: String| (Some(stored), Some(migrated));
    let same = |stored: &str| row(stored.to_owned(), stored.to_owned());
    vec![
        row(first("a"), current("a")),
        row(
            r#"{ "id": 1.10, "schema_version": 1, "title": "b", "hits": 1, "type": "note" }"#
                .to_owned(),
            r#"{"id":1.10,"schema_version":2,"title":"b","hits":1,"type":"note","tags":null}"#
                .to_owned(),
        ),
        // Current ones stay to the byte, and so do bad ones.
        same(&current("c").replace(':', " : ")),
        same(r#"{"type":"note","schema_version":3,"title":"newer"}"#),
        same(r#"{"type":"note","schema_version":0,"name":["x"]}"#),
        same("not JSON"),
        same(r#"{"type":"other","schema_version":0}"#),
        (None, None),
        row(first("z"), current("z")),
    ]
}

fn is_done(progress: &Progress) {
    assert_eq!(
        (
            progress.read,
            progress.rewritten,
            progress.refused,
            progress.changed_meanwhile
        ),
        (8, 3, 4, 0)
    );
    let refused: Vec<&str> = progress
        .refusals
        .iter()
        .map(|(key, _)| key.as_str())
        .collect();
    assert_eq!(
        (refused, progress.last_key.as_deref()),
        (vec!["4", "5", "6", "7"], Some("9"))
    );
}

mod by_rusqlite {
    use super::*;
    use rusqlite::{Connection, params};

    fn database() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(TABLE).unwrap();
        connection
    }

    fn stored(connection: &Connection) -> Vec<Option<String>> {
        let mut statement = connection
            .prepare("SELECT document FROM notes ORDER BY id")
            .unwrap();
        statement
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap()
    }

    #[test]
    fn a_row_is_upgraded_and_written_back_once() {
        let connection = database();
        let insert = |id: i64, note: &dyn rusqlite::ToSql| {
            connection
                .execute(
                    "INSERT OR REPLACE INTO notes VALUES (?1, ?2)",
                    params![id, note],
                )
                .unwrap();
        };
        let read = |id: i64| -> rusqlite::Result<Stored<Note>> {
            connection.query_row("SELECT document FROM notes WHERE id = ?1", [id], |row| {
                row.get(0)
            })
        };
        insert(1, &first("a"));
        let mut note = read(1).unwrap();
        let mut other = read(1).unwrap();
        assert_eq!(
            (
                note.title.as_str(),
                note.hits,
                note.stored_version(),
                note.is_outdated()
            ),
            ("a", 7, Some(0), true)
        );
        assert_eq!(
            note.write_back_rusqlite(&connection, &NOTES, 1).unwrap(),
            WriteBack::Written
        );
        assert_eq!(stored(&connection), [Some(current("a"))]);
        assert_eq!(
            note.write_back_rusqlite(&connection, &NOTES, 1).unwrap(),
            WriteBack::Current
        );
        assert_eq!(
            other.write_back_rusqlite(&connection, &NOTES, 1).unwrap(),
            WriteBack::ChangedMeanwhile
        );
        note.hits = 8;
        assert_eq!(
            note.save_rusqlite(&connection, &NOTES, 1).unwrap(),
            WriteBack::Written
        );
        other.hits = 9;
        assert_eq!(
            other.save_rusqlite(&connection, &NOTES, 1).unwrap(),
            WriteBack::ChangedMeanwhile
        );
        assert_eq!(read(1).unwrap().hits, 8);

        insert(
            2,
            &Stored::<Note>::new(Note {
                title: "new".to_owned(),
                hits: 1,
                tags: None,
            }),
        );
        assert_eq!(read(2).unwrap().title, "new");
        // An envelope stays, as a parameter too.
        let event =
            r#"{"id":7,"type":"note","schema_version":0,"data":{"name":"x","hits":""},"at":"now"}"#;
        let mut event: Stored<Note, Events> = Stored::parse(event).unwrap();
        event.title = "y".to_owned();
        insert(3, &event);
        let kept = r#"{"id":7,"type":"note","schema_version":2,"data":{"title":"y","hits":0,"tags":null},"at":"now"}"#;
        assert_eq!(stored(&connection)[2].as_deref(), Some(kept));

        for (bad, message) in [
            ("x", "not valid JSON"),
            (
                r#"{"type":"note","schema_version":9}"#,
                "Resource State Is Newer",
            ),
        ] {
            insert(4, &bad);
            let error = read(4).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_table_is_migrated() {
        for batch in [1, 2, 500] {
            let connection = database();
            for (row, _) in rows() {
                connection
                    .execute("INSERT INTO notes (document) VALUES (?1)", [row])
                    .unwrap();
            }
            let mut reports = 0;
            let registry = registry();
            let migration = || Migration::new(&registry, NOTES, FORMAT).batch(batch);
            let progress = migration()
                .on_progress(|_| reports += 1)
                .run_rusqlite(&connection)
                .unwrap();
            is_done(&progress);
            assert_eq!(reports, 8_usize.div_ceil(batch));
            let expected: Vec<_> = rows().into_iter().map(|(_, migrated)| migrated).collect();
            assert_eq!(stored(&connection), expected);
            let again = migration().run_rusqlite(&connection).unwrap();
            assert_eq!((again.read, again.rewritten, again.refused), (8, 0, 4));
            let end = migration().after("6").run_rusqlite(&connection).unwrap();
            assert_eq!((end.read, end.refused), (2, 1));
        }
    }

    #[test]
    fn what_a_rewritten_row_would_lose_is_not_lost_in_silence() {
        #[derive(Clone, upstate::Resource)]
        #[resource(type_name = "box", version = 1)]
        #[upgrade_from(0 => 1, drop(lid: Option<Lid>, "boxes have none"))]
        struct Open {
            size: i64,
        }
        #[derive(upstate::Object)]
        struct Lid {
            colour: Option<String>,
        }
        let connection = database();
        let closed =
            r#"{"type":"box","schema_version":0,"size":1,"lid":{"colour":"red","weight":2}}"#;
        connection
            .execute("INSERT INTO notes VALUES (1, ?1)", [closed])
            .unwrap();
        let registry = upstate::Registry::new().with::<Open>();
        let progress = Migration::new(&registry, NOTES, FORMAT)
            .run_rusqlite(&connection)
            .unwrap();
        assert_eq!(
            (progress.refused, stored(&connection)),
            (1, vec![Some(closed.to_owned())])
        );
        let reason = progress.refusals[0].1.to_string();
        assert!(
            reason.contains("The document holds at `lid.weight` what no schema of its version defines, and 1 of these"),
            "{reason}"
        );
        let mut open: Stored<Open> = connection
            .query_row("SELECT document FROM notes", [], |row| row.get(0))
            .unwrap();
        let outcome = open.write_back_rusqlite(&connection, &NOTES, 1).unwrap();
        assert!(
            matches!(&outcome, WriteBack::Loses(paths) if paths[0].to_string() == "lid.weight"),
            "{outcome:?}"
        );
        // Nor by the first save, which upgrades the row, too.
        open.size = 2;
        assert_eq!(open.save_rusqlite(&connection, &NOTES, 1).unwrap(), outcome);
        // Nor by a statement of the program's own.
        let refused = connection
            .execute("UPDATE notes SET document = ?1", [&open])
            .unwrap_err()
            .to_string();
        assert!(refused.contains("`lid.weight`"), "{refused}");
        assert_eq!(stored(&connection), [Some(closed.to_owned())]);
        let mut allowed = open.clone();
        let progress = Migration::new(&registry, NOTES, FORMAT)
            .allow_loss()
            .run_rusqlite(&connection)
            .unwrap();
        assert_eq!(progress.rewritten, 1);
        assert_eq!(
            stored(&connection),
            [Some(
                r#"{"type":"box","schema_version":1,"size":1}"#.to_owned()
            )]
        );
        connection
            .execute("UPDATE notes SET document = ?1", [closed])
            .unwrap();
        allowed.allow_loss();
        assert_eq!(
            allowed.save_rusqlite(&connection, &NOTES, 1).unwrap(),
            WriteBack::Written
        );
        assert_eq!(
            stored(&connection),
            [Some(
                r#"{"type":"box","schema_version":1,"size":2}"#.to_owned()
            )]
        );
    }

    #[test]
    fn nor_are_digits_and_keys() {
        #[derive(upstate::Document)]
        #[document(type_name = "gauge", version = 1)]
        #[upgrade_from(0 => 1, rename(label => name), rename(depth => level))]
        struct Gauge {
            name: String,
            level: f64,
            marks: BTreeMap<String, u8>,
            tags: BTreeSet<u8>,
        }
        #[derive(upstate::Document)]
        #[document(type_name = "dial", version = 1)]
        #[upgrade_from(0, model = DialV0)]
        struct Dial {
            level: f64,
        }
        #[derive(upstate::Document)]
        #[document(type_name = "dial", version = 0, prior)]
        struct DialV0 {
            level: f64,
        }
        impl From<DialV0> for Dial {
            fn from(prior: DialV0) -> Self {
                Self {
                    level: prior.level * 2.0,
                }
            }
        }
        let row = |level: &str, marks: &str, tags: &str| {
            format!(
                r#"{{"type":"gauge","schema_version":0,"label":"x","depth":{level},"marks":{{{marks}}},"tags":[{tags}]}}"#
            )
        };
        let connection = database();
        let rows = [
            r#"{"type":"dial","schema_version":0,"level":9007199254740993}"#.to_owned(),
            row("1.5", r#""a":1,"a":2"#, "1"),
            row("1.5", r#""a":1"#, "1,1"),
            row("1.5", r#""a":1"#, "1"),
            row("9007199254740993", r#""a":1"#, "1"),
        ];
        for row in &rows {
            connection
                .execute("INSERT INTO notes (document) VALUES (?1)", [row])
                .unwrap();
        }
        let registry = upstate::Registry::new().with::<Gauge>().with::<Dial>();
        let progress = Migration::new(&registry, NOTES, FORMAT)
            .run_rusqlite(&connection)
            .unwrap();
        let refused: Vec<&str> = progress
            .refusals
            .iter()
            .map(|(key, _)| key.as_str())
            .collect();
        assert_eq!(
            (progress.rewritten, refused),
            (3, vec!["1", "2"]),
            "{:?}",
            progress.refusals
        );
        let reasons: Vec<String> = progress
            .refusals
            .iter()
            .map(|(_, reason)| reason.to_string())
            .collect();
        assert!(
            reasons[0].contains("The stored value level")
                && reasons[1].contains("The stored value marks"),
            "{reasons:?}"
        );
        assert_eq!(
            stored(&connection)[..2],
            rows[..2].iter().cloned().map(Some).collect::<Vec<_>>()
        );
        // Nor are they by a program that has read the row.
        let read = "SELECT document FROM notes WHERE id = ?1";
        let mut dial: Stored<Dial> = connection.query_row(read, [1], |row| row.get(0)).unwrap();
        let mut gauge: Stored<Gauge> = connection.query_row(read, [2], |row| row.get(0)).unwrap();
        let current = row("1.5", r#""a":1,"a":2"#, "1")
            .replace("\"schema_version\":0", "\"schema_version\":1")
            .replace("label", "name")
            .replace("depth", "level");
        let mut again = Stored::<Gauge>::parse(current).unwrap();
        again.level = 2.5;
        for (outcome, lost) in [
            (dial.write_back_rusqlite(&connection, &NOTES, 1), "level"),
            (dial.save_rusqlite(&connection, &NOTES, 1), "level"),
            (gauge.write_back_rusqlite(&connection, &NOTES, 2), "marks"),
            (gauge.save_rusqlite(&connection, &NOTES, 2), "marks"),
            (again.save_rusqlite(&connection, &NOTES, 2), "marks"),
        ] {
            let outcome = outcome.unwrap();
            assert!(
                matches!(&outcome, WriteBack::Loses(paths) if paths[0].to_string() == lost),
                "{outcome:?}"
            );
        }
        for row in [&dial as &dyn rusqlite::ToSql, &gauge, &again] {
            let own = connection.execute("UPDATE notes SET document = ?1 WHERE id = 9", [row]);
            own.unwrap_err();
        }
        // Of a number that nothing changes, a rewritten row has each digit.
        let kept = r#"{"type":"gauge","schema_version":1,"name":"x","level":9007199254740993,"marks":{"a":1},"tags":[1]}"#;
        assert_eq!(stored(&connection)[4].as_deref(), Some(kept));
        let progress = Migration::new(&registry, NOTES, FORMAT)
            .allow_loss()
            .run_rusqlite(&connection)
            .unwrap();
        assert_eq!((progress.rewritten, progress.refused), (2, 0));
        let gauge: Stored<Gauge> = connection
            .query_row("SELECT document FROM notes WHERE id = 2", [], |row| {
                row.get(0)
            })
            .unwrap();
        assert_eq!(
            (
                gauge.name.as_str(),
                gauge.level,
                gauge.marks["a"],
                gauge.tags.len()
            ),
            ("x", 1.5, 2, 1)
        );
    }

    #[test]
    fn more_numbers_than_warnings_name_keep_their_digits() {
        #[derive(upstate::Document)]
        #[document(type_name = "gauge", version = 1)]
        #[upgrade_from(0 => 1, rename(label => name))]
        struct Gauge {
            name: String,
            levels: BTreeMap<String, f64>,
        }
        let row = |version: u8, name: &str, count: u64| {
            let levels: Vec<String> = (0..count)
                .map(|at| format!("\"l{at:04}\":{}", 9_007_199_254_740_993 + 2 * at))
                .collect();
            format!(
                r#"{{"type":"gauge","schema_version":{version},"{name}":"x","levels":{{{}}}}}"#,
                levels.join(",")
            )
        };
        let connection = database();
        for count in [12, 1001] {
            connection
                .execute(
                    "INSERT INTO notes (document) VALUES (?1)",
                    [row(0, "label", count)],
                )
                .unwrap();
        }
        let registry = upstate::Registry::new().with::<Gauge>();
        let progress = Migration::new(&registry, NOTES, FORMAT)
            .run_rusqlite(&connection)
            .unwrap();
        assert_eq!(
            (progress.rewritten, progress.refused),
            (1, 1),
            "{:?}",
            progress.refusals
        );
        assert_eq!(
            stored(&connection),
            [Some(row(1, "name", 12)), Some(row(0, "label", 1001))]
        );
    }

    #[test]
    fn a_number_that_keeps_its_digits_excuses_none_beside_it() {
        #[derive(upstate::Document)]
        #[document(type_name = "meter", version = 2)]
        #[upgrade_from(1, model = MeterV1)]
        struct Meter {
            #[attribute(json)]
            any: BTreeMap<String, f64>,
            level: f64,
        }
        #[derive(upstate::Document)]
        #[document(type_name = "meter", version = 1, prior)]
        #[upgrade_from(0 => 1, rename(all => any))]
        struct MeterV1 {
            #[attribute(json)]
            any: BTreeMap<String, f64>,
            level: f64,
        }
        impl From<MeterV1> for Meter {
            fn from(prior: MeterV1) -> Self {
                let twice = |(key, value): (String, f64)| {
                    if key == "b" {
                        (key, value * 2.0)
                    } else {
                        (key, value)
                    }
                };
                Self {
                    any: prior.any.into_iter().map(twice).collect(),
                    level: prior.level,
                }
            }
        }
        let row = |a: &str, b: &str, level: &str| {
            let all = format!(r#"{{"a":{a},"b":{b}}}"#);
            format!(r#"{{"type":"meter","schema_version":0,"all":{all},"level":{level}}}"#)
        };
        let connection = database();
        let rows = [
            row("9007199254740993.0", "9007199254740995.0", "1.5"),
            row("9007199254740993.0", "1.5", "1.5"),
            row("1.5", "1.5", "9007199254740993"),
        ];
        for row in &rows {
            connection
                .execute("INSERT INTO notes (document) VALUES (?1)", [row])
                .unwrap();
        }
        let registry = upstate::Registry::new().with::<Meter>();
        let progress = Migration::new(&registry, NOTES, FORMAT)
            .run_rusqlite(&connection)
            .unwrap();
        let refused: Vec<&str> = progress
            .refusals
            .iter()
            .map(|(key, _)| key.as_str())
            .collect();
        assert_eq!(
            (progress.rewritten, refused),
            (2, vec!["1"]),
            "{:?}",
            progress.refusals
        );
        let stored = stored(&connection);
        assert_eq!(stored[0].as_ref(), Some(&rows[0]));
        assert!(
            stored[1]
                .as_ref()
                .is_some_and(|row| row.contains(r#""any":{"a":9007199254740993.0,"#)),
            "{stored:?}"
        );
        assert!(
            stored[2]
                .as_ref()
                .is_some_and(|row| row.contains(r#""level":9007199254740993}"#)),
            "{stored:?}"
        );
    }

    #[test]
    fn decimals_are_read_as_the_nearest_float() {
        #[derive(upstate::Document)]
        #[document(type_name = "share", version = 1)]
        #[upgrade_from(0, model = ShareV0)]
        struct Share {
            part: f64,
        }
        #[derive(upstate::Document)]
        #[document(type_name = "share", version = 0, prior)]
        struct ShareV0 {
            part: f64,
        }
        impl From<ShareV0> for Share {
            fn from(prior: ShareV0) -> Self {
                Self {
                    part: prior.part * 2.0,
                }
            }
        }
        let connection = database();
        let row = r#"{"type":"share","schema_version":0,"part":0.1000000000000000055}"#;
        connection
            .execute("INSERT INTO notes (document) VALUES (?1)", [row])
            .unwrap();
        let registry = upstate::Registry::new().with::<Share>();
        let progress = Migration::new(&registry, NOTES, FORMAT)
            .run_rusqlite(&connection)
            .unwrap();
        assert_eq!(
            (progress.rewritten, progress.refused),
            (1, 0),
            "{:?}",
            progress.refusals
        );
        assert_eq!(
            stored(&connection),
            [Some(
                r#"{"type":"share","schema_version":1,"part":0.2}"#.to_owned()
            )]
        );
    }

    #[test]
    fn what_no_schema_defines_stays_when_a_row_is_saved_again() {
        #[derive(upstate::Document)]
        #[document(type_name = "wall", version = 1)]
        #[upgrade_from(0 => 1, rename(nail => hook))]
        struct Wall {
            #[attribute(alias = "paint")]
            colour: Colour,
            hook: Colour,
        }
        #[derive(upstate::Document)]
        struct Colour {
            red: u8,
        }
        let connection = database();
        let stored = r#"{"type":"wall","schema_version":0,"paint":{"red":1,"u1":1},"nail":{"red":1,"u2":2}}"#;
        connection
            .execute("INSERT INTO notes VALUES (1, ?1)", [stored])
            .unwrap();
        let mut wall: Stored<Wall> = connection
            .query_row("SELECT document FROM notes", [], |row| row.get(0))
            .unwrap();
        for red in 2..5 {
            (wall.colour.red, wall.hook.red) = (red, red);
            assert_eq!(
                wall.save_rusqlite(&connection, &NOTES, 1).unwrap(),
                WriteBack::Written
            );
            let saved = format!(
                r#"{{"type":"wall","schema_version":1,"colour":{{"red":{red},"u1":1}},"hook":{{"red":{red},"u2":2}}}}"#
            );
            assert_eq!(wall.stored(), Some(saved.as_str()));
            assert_eq!(self::stored(&connection), [Some(saved)]);
            assert_eq!(
                wall.undefined()
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>(),
                ["colour.u1", "hook.u2"]
            );
        }
    }

    #[test]
    fn documents_in_a_column_of_json_are_kept() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(TABLE_OF_JSON).unwrap();
        connection
            .execute("INSERT INTO notes VALUES (1, ?1), (2, ?1)", [first("a")])
            .unwrap();
        let registry = registry();
        let progress = Migration::new(&registry, NOTES.document_type("json"), FORMAT)
            .run_rusqlite(&connection)
            .unwrap();
        let stored = || -> Vec<String> {
            let mut statement = connection
                .prepare("SELECT CAST(document AS TEXT) FROM notes ORDER BY id")
                .unwrap();
            statement
                .query_map([], |row| row.get(0))
                .unwrap()
                .collect::<Result<_, _>>()
                .unwrap()
        };
        assert_eq!(
            (progress.rewritten, stored()),
            (2, vec![current("a"), current("a")])
        );
        let mut note: Stored<Note> = Stored::parse(current("a")).unwrap();
        note.title = "b".to_owned();
        let outcome = note
            .save_rusqlite(&connection, &NOTES.document_type("jsonb"), 1)
            .unwrap();
        assert_eq!(
            (outcome, stored()),
            (WriteBack::Written, vec![current("b"), current("a")])
        );
    }

    #[test]
    fn a_collation_takes_no_two_documents_for_one() {
        for (collation, other) in [
            ("NOCASE", first("A")),
            ("RTRIM", format!("{} ", first("a"))),
        ] {
            let connection = Connection::open_in_memory().unwrap();
            connection
                .execute_batch(&format!(
                    "CREATE TABLE notes (id INTEGER PRIMARY KEY, document TEXT COLLATE {collation})"
                ))
                .unwrap();
            let mut note: Stored<Note> = Stored::parse(first("a")).unwrap();
            connection
                .execute("INSERT INTO notes VALUES (1, ?1)", [&other])
                .unwrap();
            for outcome in [
                note.write_back_rusqlite(&connection, &NOTES, 1),
                note.save_rusqlite(&connection, &NOTES, 1),
            ] {
                assert_eq!(outcome.unwrap(), WriteBack::ChangedMeanwhile, "{collation}");
            }
            assert_eq!(stored(&connection), [Some(other)]);
            let registry = registry();
            let progress = Migration::new(&registry, NOTES, FORMAT)
                .run_rusqlite(&connection)
                .unwrap();
            assert_eq!(progress.rewritten, 1, "{collation}");
        }
    }

    #[test]
    fn keys_may_be_text_and_names_anything() {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE TABLE \"odd \"\"table\" (\"the key\" TEXT PRIMARY KEY, \"order\" TEXT)",
            )
            .unwrap();
        for key in ["a'b", "", "ü", "10", "9"] {
            connection
                .execute(
                    "INSERT INTO \"odd \"\"table\" VALUES (?1, ?2)",
                    [key, &first(key)],
                )
                .unwrap();
        }
        let table =
            upstate_state::store::Table::new("odd \"table", "the key", "order").key_type("TEXT");
        let registry = registry();
        let progress = Migration::new(&registry, table, FORMAT)
            .batch(2)
            .run_rusqlite(&connection)
            .unwrap();
        assert_eq!((progress.read, progress.rewritten), (5, 5));
    }

    #[test]
    fn keys_of_another_type_than_the_table_says_end_the_migration() {
        // SQLite finds any text greater than a number, and numbers in text in another order.
        for (keys, batches) in [
            (&["a"][..], &[1, 500][..]),
            (&["a", "b"], &[1, 500]),
            (&["1", "a"], &[1, 500]),
            (&["1.5"], &[1, 500]),
            (&["10", "9"], &[1, 2]),
            (&["1", "10", "2"], &[1, 2, 500]),
            (&["007", "008"], &[1, 2, 500]),
            (&[" 7", " 8"], &[1, 2, 500]),
            (&["+7", "+8"], &[1, 2, 500]),
        ] {
            for batch in batches {
                let connection = Connection::open_in_memory().unwrap();
                connection
                    .execute_batch("CREATE TABLE notes (id TEXT PRIMARY KEY, document TEXT)")
                    .unwrap();
                for key in keys {
                    connection
                        .execute("INSERT INTO notes VALUES (?1, ?2)", [*key, &first(key)])
                        .unwrap();
                }
                let registry = registry();
                let error = Migration::new(&registry, NOTES, FORMAT)
                    .batch(*batch)
                    .run_rusqlite(&connection)
                    .unwrap_err();
                assert!(error.to_string().contains("`Table::key_type`"), "{error}");
            }
        }
    }

    /// UUIDs in text, of which SQLite makes numbers where they are cast to their own type.
    const UUIDS: [&str; 3] = [
        "6f1b0a3e-0000-4000-8000-000000000001",
        "7f1b0a3e-0000-4000-8000-000000000002",
        "af1b0a3e-0000-4000-8000-000000000003",
    ];

    fn database_of_uuids() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE TABLE notes (id uuid PRIMARY KEY, document TEXT)")
            .unwrap();
        for key in UUIDS {
            connection
                .execute("INSERT INTO notes VALUES (?1, ?2)", [key, &first(key)])
                .unwrap();
        }
        connection
    }

    #[test]
    fn keys_may_be_uuids() {
        let table = NOTES.key_type("uuid");
        for batch in [1, 2, 500] {
            let connection = database_of_uuids();
            let mut note: Stored<Note> = Stored::parse(first(UUIDS[0])).unwrap();
            assert_eq!(
                note.write_back_rusqlite(&connection, &table, UUIDS[0])
                    .unwrap(),
                WriteBack::Written
            );
            let registry = registry();
            let progress = Migration::new(&registry, table, FORMAT)
                .batch(batch)
                .run_rusqlite(&connection)
                .unwrap();
            assert_eq!((progress.read, progress.rewritten), (3, 2), "{batch}");
        }
    }

    #[test]
    fn a_type_of_keys_that_sqlite_does_not_know_does_not_read_them_for_ever() {
        for batch in [1, 2, 3, 500] {
            let connection = database_of_uuids();
            let registry = registry();
            let error = Migration::new(&registry, NOTES.key_type("macaddr"), FORMAT)
                .batch(batch)
                .run_rusqlite(&connection)
                .unwrap_err();
            assert!(error.to_string().contains("`Table::key_type`"), "{error}");
        }
    }
}

mod by_sqlx {
    use super::*;
    use sqlx::SqlitePool;

    async fn database() -> SqlitePool {
        let options = sqlx::sqlite::SqlitePoolOptions::new().max_connections(1);
        let pool = options.connect("sqlite::memory:").await.unwrap();
        sqlx::query(TABLE).execute(&pool).await.unwrap();
        pool
    }

    async fn read(pool: &SqlitePool, id: i64) -> Result<Stored<Note>, sqlx::Error> {
        sqlx::query_scalar("SELECT document FROM notes WHERE id = $1")
            .bind(id)
            .fetch_one(pool)
            .await
    }

    #[tokio::test]
    async fn a_row_is_upgraded_and_written_back_once() {
        let pool = database().await;
        sqlx::query("INSERT INTO notes VALUES (1, $1)")
            .bind(first("a"))
            .execute(&pool)
            .await
            .unwrap();
        let (mut note, mut other) = (read(&pool, 1).await.unwrap(), read(&pool, 1).await.unwrap());
        assert_eq!((note.title.as_str(), note.is_outdated()), ("a", true));
        assert_eq!(
            note.write_back_sqlx(&pool, &NOTES, 1).await.unwrap(),
            WriteBack::Written
        );
        assert_eq!(note.stored(), Some(current("a").as_str()));
        assert_eq!(
            other.write_back_sqlx(&pool, &NOTES, 1).await.unwrap(),
            WriteBack::ChangedMeanwhile
        );
        note.hits = 8;
        assert_eq!(
            note.save_sqlx(&pool, &NOTES, 1).await.unwrap(),
            WriteBack::Written
        );
        assert_eq!(read(&pool, 1).await.unwrap().hits, 8);
        let new = Stored::<Note>::new(Note {
            title: "new".to_owned(),
            hits: 1,
            tags: None,
        });
        sqlx::query("INSERT INTO notes VALUES (2, $1)")
            .bind(new)
            .execute(&pool)
            .await
            .unwrap();
        assert_eq!(read(&pool, 2).await.unwrap().title, "new");
        sqlx::query("INSERT INTO notes VALUES (3, 'x')")
            .execute(&pool)
            .await
            .unwrap();
        assert!(
            read(&pool, 3)
                .await
                .unwrap_err()
                .to_string()
                .contains("not valid JSON")
        );
    }

    #[tokio::test]
    async fn a_table_is_migrated() {
        let pool = database().await;
        for (row, _) in rows() {
            sqlx::query("INSERT INTO notes (document) VALUES ($1)")
                .bind(row)
                .execute(&pool)
                .await
                .unwrap();
        }
        let registry = registry();
        is_done(
            &Migration::new(&registry, NOTES, FORMAT)
                .batch(3)
                .run_sqlx(&pool)
                .await
                .unwrap(),
        );
        let stored: Vec<Option<String>> =
            sqlx::query_scalar("SELECT document FROM notes ORDER BY id")
                .fetch_all(&pool)
                .await
                .unwrap();
        let expected: Vec<_> = rows().into_iter().map(|(_, migrated)| migrated).collect();
        assert_eq!(stored, expected);
    }

    #[tokio::test]
    async fn documents_in_a_column_of_json_are_kept() {
        let options = sqlx::sqlite::SqlitePoolOptions::new().max_connections(1);
        let pool = options.connect("sqlite::memory:").await.unwrap();
        sqlx::query(TABLE_OF_JSON).execute(&pool).await.unwrap();
        sqlx::query("INSERT INTO notes VALUES (1, $1), (2, $1)")
            .bind(first("a"))
            .execute(&pool)
            .await
            .unwrap();
        let registry = registry();
        let progress = Migration::new(&registry, NOTES.document_type("json"), FORMAT)
            .run_sqlx(&pool)
            .await
            .unwrap();
        let stored = async || -> Vec<String> {
            sqlx::query_scalar("SELECT CAST(document AS TEXT) FROM notes ORDER BY id")
                .fetch_all(&pool)
                .await
                .unwrap()
        };
        assert_eq!(
            (progress.rewritten, stored().await),
            (2, vec![current("a"), current("a")])
        );
        let mut note: Stored<Note> = Stored::parse(current("a")).unwrap();
        note.title = "b".to_owned();
        let outcome = note
            .save_sqlx(&pool, &NOTES.document_type("jsonb"), 1)
            .await
            .unwrap();
        assert_eq!(
            (outcome, stored().await),
            (WriteBack::Written, vec![current("b"), current("a")])
        );
    }
}

mod by_diesel {
    use super::*;
    use diesel::connection::SimpleConnection as _;
    use diesel::dsl::sql_query;
    use diesel::sql_types::{Nullable, Text};
    use diesel::sqlite::SqliteConnection;

    diesel::table! {
        notes (id) {
            id -> Integer,
            document -> Nullable<Text>,
        }
    }

    #[derive(Queryable, Insertable, AsChangeset)]
    #[diesel(table_name = notes)]
    struct NoteRow {
        id: i32,
        document: Option<Stored<Note>>,
    }

    fn database() -> SqliteConnection {
        let mut connection = SqliteConnection::establish(":memory:").unwrap();
        connection.batch_execute(TABLE).unwrap();
        connection
    }

    fn read(connection: &mut SqliteConnection, id: i32) -> QueryResult<Stored<Note>> {
        let row: NoteRow = notes::table.find(id).first(connection)?;
        Ok(row.document.unwrap())
    }

    #[test]
    fn a_row_is_upgraded_and_written_back_once() {
        let mut connection = database();
        sql_query("INSERT INTO notes VALUES (1, ?)")
            .bind::<Text, _>(first("a"))
            .execute(&mut connection)
            .unwrap();
        let (mut note, mut other) = (
            read(&mut connection, 1).unwrap(),
            read(&mut connection, 1).unwrap(),
        );
        assert_eq!((note.title.as_str(), note.is_outdated()), ("a", true));
        assert_eq!(
            note.write_back_diesel(&mut connection, &NOTES, 1).unwrap(),
            WriteBack::Written
        );
        assert_eq!(
            other.write_back_diesel(&mut connection, &NOTES, 1).unwrap(),
            WriteBack::ChangedMeanwhile
        );
        note.hits = 8;
        assert_eq!(
            note.save_diesel(&mut connection, &NOTES, 1).unwrap(),
            WriteBack::Written
        );
        assert_eq!(read(&mut connection, 1).unwrap().hits, 8);
        let new = NoteRow {
            id: 2,
            document: Some(Stored::new(Note {
                title: "new".to_owned(),
                hits: 1,
                tags: None,
            })),
        };
        diesel::insert_into(notes::table)
            .values(&new)
            .execute(&mut connection)
            .unwrap();
        let mut changed = read(&mut connection, 2).unwrap();
        assert_eq!(changed.title, "new");
        changed.title = "newer".to_owned();
        diesel::update(notes::table.find(2))
            .set(&NoteRow {
                id: 2,
                document: Some(changed),
            })
            .execute(&mut connection)
            .unwrap();
        assert_eq!(read(&mut connection, 2).unwrap().title, "newer");
        sql_query("INSERT INTO notes VALUES (3, 'x')")
            .execute(&mut connection)
            .unwrap();
        let error = read(&mut connection, 3).unwrap_err();
        // diesel's display names the column alone.
        assert!(format!("{error:?}").contains("not valid JSON"), "{error:?}");
    }

    #[test]
    fn a_table_is_migrated() {
        let mut connection = database();
        for (row, _) in rows() {
            let insert =
                sql_query("INSERT INTO notes (document) VALUES (?)").bind::<Nullable<Text>, _>(row);
            insert.execute(&mut connection).unwrap();
        }
        let registry = registry();
        is_done(
            &Migration::new(&registry, NOTES, FORMAT)
                .batch(3)
                .run_diesel(&mut connection)
                .unwrap(),
        );
        let stored: Vec<Option<String>> = notes::table
            .select(notes::document)
            .order(notes::id)
            .load(&mut connection)
            .unwrap();
        let expected: Vec<_> = rows().into_iter().map(|(_, migrated)| migrated).collect();
        assert_eq!(stored, expected);
    }
    #[test]
    fn documents_in_a_column_of_json_are_kept() {
        let mut connection = SqliteConnection::establish(":memory:").unwrap();
        connection.batch_execute(TABLE_OF_JSON).unwrap();
        sql_query("INSERT INTO notes VALUES (1, ?)")
            .bind::<Text, _>(first("a"))
            .execute(&mut connection)
            .unwrap();
        let registry = registry();
        // diesel does not name the database, so the statement itself must not write what the cast
        // would lose.
        let progress = Migration::new(&registry, NOTES.document_type("json"), FORMAT)
            .run_diesel(&mut connection)
            .unwrap();
        assert_eq!((progress.rewritten, progress.changed_meanwhile), (0, 1));
        let mut note: Stored<Note> = Stored::parse(first("a")).unwrap();
        let outcome = note
            .save_diesel(&mut connection, &NOTES.document_type("jsonb"), 1)
            .unwrap();
        assert_eq!(outcome, WriteBack::ChangedMeanwhile);
        let text = diesel::dsl::sql::<Text>("CAST(document AS TEXT)");
        assert_eq!(
            notes::table
                .select(text)
                .first::<String>(&mut connection)
                .unwrap(),
            first("a")
        );
        let progress = Migration::new(&registry, NOTES, FORMAT)
            .run_diesel(&mut connection)
            .unwrap();
        assert_eq!((progress.rewritten, progress.changed_meanwhile), (1, 0));
    }
}
