//! State that moves into the service, out of it, and is read from elsewhere.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::folder::{Backend, Folder, HOST};
use super::real::postgres::Postgres;
use super::real::terraform::{Release, V1_6, V1_10, V1_15};
use super::service::{ORGANIZATION, Service};

fn moves_in(release: Release, backend: Backend) {
    let service = Service::start();
    let api = service.direct();
    let folder = Folder::with(release, service.url());
    folder.init().succeeds();
    folder.apply_value("one").succeeds();
    folder.apply_value("two").succeeds();
    assert!(folder.path("terraform.tfstate").exists());
    if backend == Backend::Http {
        api.create_workspace("moved");
    }
    folder.uses(backend, "moved");
    match backend {
        Backend::Cloud => folder.asked(&["init", "-no-color"], "yes\n"),
        Backend::Remote | Backend::Http => folder.run(&[
            "init",
            "-no-color",
            "-input=false",
            "-migrate-state",
            "-force-copy",
        ]),
    }
    .succeeds();
    assert_eq!(folder.output("value"), "two");
    assert_eq!(api.serials("moved").len(), 1);
    folder
        .run(&[
            "plan",
            "-no-color",
            "-input=false",
            "-detailed-exitcode",
            "-var=value=two",
        ])
        .succeeds();
    folder.apply_value("three").succeeds();
    assert_eq!(api.serials("moved").len(), 2);
    api.lock(&api.workspace("moved")).is(200);
}

#[test]
fn from_a_file_to_cloud() {
    moves_in(V1_15, Backend::Cloud);
}

#[test]
fn from_a_file_to_remote() {
    moves_in(V1_15, Backend::Remote);
}

#[test]
fn from_a_file_to_http() {
    moves_in(V1_15, Backend::Http);
}

#[test]
fn from_a_file_with_older_releases() {
    moves_in(V1_10, Backend::Cloud);
    moves_in(V1_6, Backend::Cloud);
}

#[test]
fn from_the_database_of_backend_pg() {
    let postgres = Postgres::shared();
    let database = postgres.database();
    let name = database.rsplit('/').next().unwrap().to_owned();
    let service = Service::start();
    let folder = Folder::new(service.url());
    let socket = postgres.socket();
    let host = socket.parent().unwrap().display();
    folder.settings(&format!(
        "  backend \"pg\" {{\n    conn_str = \"host={host} user=postgres dbname={name} sslmode=disable\"\n    schema_name = \"net\"\n  }}\n"
    ));
    folder.init().succeeds();
    folder.apply_value("one").succeeds();
    let usual = folder.pull();
    folder
        .run(&["workspace", "new", "-no-color", "prod"])
        .succeeds();
    folder.apply_value("two").succeeds();
    let import = |schema: &str, more: &[&str]| {
        let from = [
            "import",
            "--from-database-url",
            &database,
            "--from-schema",
            schema,
            "--org",
            ORGANIZATION,
        ];
        service
            .command(&[&from[..], more].concat())
            .output()
            .unwrap()
    };
    let lines = |schema: &str, more: &[&str]| {
        let output = import(schema, more);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    // As Terraform holds a lock: a session has it until it ends.
    let (holder, held) = (Arc::clone(&postgres), name.clone());
    let holder = std::thread::spawn(move || {
        holder.query(
            &held,
            "SELECT pg_advisory_lock(id) FROM net.states WHERE name = 'prod'; SELECT pg_sleep(120)",
        )
    });
    let began = Instant::now();
    loop {
        let found = lines("net", &["--dry-run"]);
        let locked: Vec<bool> = found
            .lines()
            .take(2)
            .map(|line| line.contains("; it is locked at the source"))
            .collect();
        if locked == [false, true] {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{found}");
        std::thread::sleep(Duration::from_millis(50));
    }
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(120)%' AND pid <> pg_backend_pid()";
    postgres.query(&name, end).unwrap();
    assert!(holder.join().unwrap().is_err());
    let found = lines("net", &[]);
    assert!(
        found.starts_with("acme\tnet\t1 state imported, serial "),
        "{found}"
    );
    assert!(
        found.contains("\nacme\tnet-prod\t1 state imported, serial "),
        "{found}"
    );
    assert!(lines("net", &[]).contains("acme\tnet-prod\tis there already\n"));
    let api = service.direct();
    for (workspace, expected) in [("net", usual), ("net-prod", folder.pull())] {
        let bytes = api.download_current(&api.workspace(workspace));
        assert_eq!(
            serde_json::from_slice::<Value>(&bytes).unwrap(),
            expected,
            "{workspace}"
        );
    }
    let missing = import("none", &[]);
    let why = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(
        !missing.status.success() && why.contains("schema none of PostgreSQL database "),
        "{why}"
    );
    assert!(
        why.contains(
            "cannot be read: PostgreSQL refused: 42P01 relation \"none.states\" does not exist"
        ),
        "{why}"
    );
}

#[test]
fn from_one_backend_to_another_and_to_a_file_again() {
    let service = Service::start();
    let api = service.direct();
    let folder = Folder::new(service.url());
    folder.uses(Backend::Remote, "first").init().succeeds();
    folder.apply().succeeds();
    api.create_workspace("second");
    let migrate = [
        "init",
        "-no-color",
        "-input=false",
        "-migrate-state",
        "-force-copy",
    ];
    folder
        .uses(Backend::Http, "second")
        .run(&migrate)
        .succeeds();
    assert_eq!(folder.output("value"), "one");
    folder.uses_a_file().run(&migrate).succeeds();
    assert_eq!(folder.output("value"), "one");
    let file: Value = serde_json::from_str(&folder.read("terraform.tfstate")).unwrap();
    assert_eq!(file["resources"][0]["name"], "it");
    // What was moved is still where it was.
    assert_eq!(
        (api.serials("first"), api.serials("second").len()),
        (vec![1], 1)
    );
}

#[test]
fn terraform_remote_state_reads_it() {
    let service = Service::start();
    let owner = Folder::new(service.url());
    owner.uses(Backend::Cloud, "network").init().succeeds();
    owner.apply().succeeds();
    for release in [V1_15, V1_10, V1_6] {
        let reader = Folder::with(release, service.url());
        reader.write(
            "main.tf",
            &format!(
                "data \"terraform_remote_state\" \"network\" {{\n  backend = \"remote\"\n  config = {{\n    hostname = \"{HOST}\"\n    \
                 organization = \"{ORGANIZATION}\"\n    workspaces = {{ name = \"network\" }}\n  }}\n}}\noutput \"read\" {{\n  value = \
                 data.terraform_remote_state.network.outputs.value\n}}\n"
            ),
        );
        reader.init().succeeds();
        reader.apply().succeeds();
        assert_eq!(reader.output("read"), "one", "{}", release.terraform);
    }
}
