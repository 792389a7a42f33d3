//! The programs that these tests fetch and start themselves.

use super::bucket::Bucket;
use super::real::postgres::Postgres;
use super::real::{packages, pytfe};

#[test]
fn postgres_is_there_and_keeps_what_it_acknowledged_when_it_is_killed() {
    let mut postgres = Postgres::start();
    assert!(
        postgres
            .query("postgres", "SHOW server_version")
            .unwrap()
            .starts_with("18.")
    );
    postgres
        .query(
            "postgres",
            "CREATE TABLE kept (value int); INSERT INTO kept VALUES (7)",
        )
        .unwrap();
    postgres.kill();
    assert!(postgres.query("postgres", "SELECT 1").is_err());
    postgres.run();
    assert_eq!(
        postgres
            .query("postgres", "SELECT value FROM kept")
            .unwrap(),
        "7\n"
    );
    assert_ne!(postgres.database(), postgres.database());
}

#[test]
fn the_bucket_is_there() {
    let bucket = Bucket::start();
    assert_eq!(bucket.objects(), 0);
}

#[test]
fn pytfe_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("version.py");
    std::fs::write(
        &script,
        "import importlib.metadata as m; import pytfe; print(m.version('pytfe'))",
    )
    .unwrap();
    assert_eq!(
        packages::run(pytfe::command().arg(&script)).unwrap().trim(),
        "1.5.0"
    );
}
