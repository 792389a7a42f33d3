//! The commands that work on a store, as processes, on every kind of store.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::api::{Api, md5_of, state};
use super::service::{Kept, Service, Store, TOKEN};

const STORES: [Store; 3] = [Store::Sqlite, Store::Postgres, Store::Bucket];

fn run(kept: &Kept, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_state_versions_service"));
    command
        .args(arguments)
        .env_clear()
        .envs(kept.environment())
        .current_dir(kept.folder())
        .output()
        .unwrap()
}

/// What it wrote to standard output.
#[track_caller]
fn succeeds(kept: &Kept, arguments: &[&str]) -> String {
    let output = run(kept, arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// What it wrote to standard error.
#[track_caller]
fn fails(kept: &Kept, arguments: &[&str]) -> String {
    let output = run(kept, arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("upstate-server: "), "{said}");
    said
}

/// Writes versions of two workspaces; one has a rollback, one a late upload.
fn fill(api: &Api) {
    let first = api.create_workspace("first");
    api.lock(&first).is(200);
    let source = api
        .create(&first, &state("lineage-1", 1, "one"))
        .is(201)
        .id();
    for serial in 2..=6 {
        api.create(&first, &state("lineage-1", serial, &"x".repeat(3000)))
            .is(201);
    }
    api.rollback(&first, &source).is(201);
    let second = api.create_workspace("second");
    api.lock(&second).is(200);
    let late = state("lineage-2", 1, "late");
    let waits = api.announce(&second, &late);
    api.force_unlock(&second).is(200);
    api.put(
        waits
            .is(201)
            .attribute("hosted-state-upload-url")
            .as_str()
            .unwrap(),
        &late,
    )
    .is(409);
}

/// All that the API shows of it: versions with their bytes, and late uploads.
fn everything(api: &Api) -> Value {
    let workspaces = ["first", "second"].map(|name| {
        let versions = api.versions(name).into_iter().map(|version| {
            let attributes = &version["attributes"];
            let bytes = attributes["hosted-state-download-url"]
                .is_string()
                .then(|| md5_of(&api.download(&version)));
            json!([
                version["id"],
                attributes["serial"],
                attributes["status"],
                attributes["created-at"],
                bytes
            ])
        });
        let versions: Vec<Value> = versions.collect();
        let late = api
            .get(&format!(
                "/api/v2/workspaces/{}/quarantine",
                api.workspace(name)
            ))
            .is(200)
            .json();
        let late: Vec<Value> = late["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["attributes"]["size"].clone())
            .collect();
        json!([versions, late])
    });
    json!(workspaces)
}

/// Rows and bytes: what a copy says it copied.
fn counted(said: &str) -> &str {
    let from = said.find(": ").unwrap_or_else(|| panic!("{said}"));
    said[from..].split('.').next().unwrap()
}

#[test]
fn every_store_is_backed_up_beside_its_server_and_restored_into_every_other() {
    for from in STORES {
        let service = Service::on(from);
        fill(&service.direct());
        let there = everything(&service.direct());
        let kept = service.kept();
        let said = succeeds(&kept, &["backup", "--to", "states.zst"]);
        assert!(
            said.starts_with("states.zst holds ") && said.contains(" rows, "),
            "{said}"
        );
        // A file is never overwritten.
        let again = fails(&kept, &["backup", "--to", "states.zst"]);
        assert!(again.contains("states.zst"), "{again}");
        let archive = kept.folder().join("states.zst");
        private(&archive);
        for to in STORES {
            let other = Kept::new(to);
            let archive = archive.display().to_string();
            let restored = succeeds(&other, &["restore", "--from", &archive]);
            assert_eq!(counted(&restored), counted(&said));
            // Whatever the archive is of, so that one for each store is enough.
            if from == to {
                let twice = fails(&other, &["restore", "--from", &archive]);
                assert!(twice.contains("is not empty"), "{twice}");
            }
            let restored = Service::of(other, None, &[]);
            assert_eq!(everything(&restored.direct()), there, "{from:?} to {to:?}");
        }
        // One that was cut off is refused, and nothing of it is kept.
        let bytes = std::fs::read(&archive).unwrap();
        std::fs::write(&archive, &bytes[..bytes.len() - 20]).unwrap();
        let other = Kept::new(from);
        fails(
            &other,
            &["restore", "--from", &archive.display().to_string()],
        );
        std::fs::write(&archive, &bytes).unwrap();
        succeeds(
            &other,
            &["restore", "--from", &archive.display().to_string()],
        );
    }
}

/// Only its owner reads it.
fn private(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(
        std::fs::metadata(file).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

/// The flags that name a store.
fn named(kept: &Kept, which: &str) -> Vec<String> {
    let mut flags = Vec::new();
    for (name, value) in kept.environment() {
        match name {
            "UPSTATE_DATA" | "UPSTATE_DATABASE_URL" => flags.extend([format!("--{which}"), value]),
            "UPSTATE_BUCKET_URL" => flags.extend([format!("--{which}-bucket-url"), value]),
            _ => {}
        }
    }
    flags
}

#[test]
fn a_folder_moves_into_a_database_with_a_bucket_and_back() {
    let mut service = Service::start();
    fill(&service.direct());
    let there = everything(&service.direct());
    let (folder, bucket) = (service.kept(), Kept::new(Store::Bucket));
    assert_eq!(service.stop(), Some(0));
    let migrate = |from: &Kept, to: &Kept| {
        // The bucket's credentials come from the environment.
        let mut arguments = vec!["migrate".to_owned()];
        arguments.extend(named(from, "from"));
        arguments.extend(named(to, "to"));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        succeeds(&bucket, &arguments)
    };
    let said = migrate(&folder, &bucket);
    assert!(
        said.contains("is copied into PostgreSQL database")
            && said.contains("read back and is identical"),
        "{said}"
    );
    let mut there_now = Service::of(std::sync::Arc::clone(&bucket), None, &[]);
    assert_eq!(everything(&there_now.direct()), there);
    // It goes on there: the next serial, and the same owner.
    let api = there_now.direct();
    let first = api.workspace("first");
    api.create(&first, &state("lineage-1", 8, "eight")).is(201);
    let there = everything(&api);
    assert_eq!(there_now.stop(), Some(0));
    let back = Kept::new(Store::Sqlite);
    migrate(&bucket, &back);
    assert_eq!(everything(&Service::of(back, None, &[]).direct()), there);
    // Into a store that has something, nothing is copied.
    let other = Service::on(Store::Sqlite);
    let mut arguments = named(&folder, "from");
    arguments.extend(named(&other.kept(), "to"));
    let mut all = vec!["migrate"];
    all.extend(arguments.iter().map(String::as_str));
    let refused = fails(&folder, &all);
    assert!(refused.contains("is not empty"), "{refused}");
    let nowhere = fails(&folder, &["migrate", "--from", "nowhere", "--to", "other"]);
    assert!(
        nowhere.contains("there is no store in nowhere"),
        "{nowhere}"
    );
}

#[test]
fn retention_says_what_would_go_and_then_deletes_it() {
    for store in STORES {
        let service = Service::on(store);
        let api = service.direct();
        fill(&api);
        let kept = service.kept();
        let policy = ["--keep-days", "0", "--keep-last", "2"];
        let before = everything(&api);
        let dry = [&["retention", "--dry-run"][..], &policy].concat();
        let would = run(&kept, &dry);
        let lines = String::from_utf8(would.stdout).unwrap();
        assert_eq!(
            String::from_utf8_lossy(&would.stderr),
            "4 state versions would be deleted.\n",
            "{store:?}"
        );
        assert_eq!(everything(&api), before);
        let going: Vec<&str> = lines
            .lines()
            .filter_map(|line| line.split('\t').nth(1))
            .collect();
        let gone = succeeds(&kept, &[&["retention"][..], &policy].concat());
        assert_eq!(gone.lines().collect::<Vec<_>>(), going);
        // Of seven: the newest two, and what the last one went back to.
        assert_eq!(api.serials("first"), [7, 6, 1], "{store:?}");
        for id in going {
            api.get(&format!("/api/v2/state-versions/{id}")).is(404);
        }
        assert_eq!(succeeds(&kept, &[&["retention"][..], &policy].concat()), "");
    }
}

#[test]
fn garbage_is_counted_and_then_removed() {
    for store in STORES {
        let service = Service::on(store);
        fill(&service.direct());
        let there = everything(&service.direct());
        let kept = service.kept();
        kept.leave_garbage();
        let counted = succeeds(&kept, &["gc", "--dry-run"]);
        let removed = succeeds(&kept, &["gc"]);
        assert_eq!(counted.replace("would be removed", "removed"), removed);
        let none = "0 unused rows of bytes and 0 objects without a row, 0 bytes in all, removed.\n";
        let objects = if store == Store::Bucket { 1 } else { 0 };
        assert!(
            removed.starts_with(&format!(
                "1 unused rows of bytes and {objects} objects without a row, "
            )),
            "{removed}"
        );
        assert_eq!(succeeds(&kept, &["gc"]), none);
        assert_eq!(everything(&service.direct()), there, "{store:?}");
    }
}

#[test]
fn a_token_made_beside_a_server_works_there_at_once() {
    for store in STORES {
        let service = Service::on(store);
        let kept = service.kept();
        let made = succeeds(
            &kept,
            &[
                "token",
                "create",
                "--user",
                "ci",
                "--team",
                "ci",
                "--org",
                "acme",
                "--can",
                "read-state",
            ],
        );
        let api = service.direct().with_token(made.trim());
        api.get("/api/v2/account/details").is(200);
        let listed = succeeds(&kept, &["token", "list"]);
        assert!(
            !listed.contains(made.trim()) && !listed.contains(TOKEN),
            "{listed}"
        );
        let id = listed
            .lines()
            .next()
            .unwrap()
            .split('\t')
            .next()
            .unwrap()
            .to_owned();
        succeeds(&kept, &["token", "revoke", &id]);
        api.get("/api/v2/account/details").is(401);
        let unknown = fails(&kept, &["token", "revoke", &id]);
        assert!(unknown.contains("there is no token"), "{unknown}");
    }
}

#[test]
fn a_deleted_workspace_comes_back_with_all_it_had() {
    for store in STORES {
        let service = Service::on(store);
        let api = service.direct();
        fill(&api);
        let kept = service.kept();
        let there = everything(&api);
        assert_eq!(succeeds(&kept, &["workspace", "deleted"]), "");
        let id = api.workspace("first");
        api.send("DELETE", &format!("/api/v2/workspaces/{id}"), &[], &[])
            .unwrap()
            .is(204);
        api.get(&format!("/api/v2/workspaces/{id}")).is(404);
        let deleted = succeeds(&kept, &["workspace", "deleted"]);
        let fields: Vec<&str> = deleted.trim_end().split('\t').collect();
        assert_eq!(fields[..2], [id.as_str(), "first"]);
        // Somebody took its name meanwhile.
        let other = api.create_workspace("first");
        let taken = fails(&kept, &["workspace", "restore", &id]);
        assert!(
            taken.contains("another workspace first by now; name another one with --name"),
            "{taken}"
        );
        let bad = fails(&kept, &["workspace", "restore", &id, "--name", "a/b"]);
        assert!(bad.contains("letters, digits"), "{bad}");
        assert_eq!(
            succeeds(&kept, &["workspace", "restore", &id, "--name", "again"]),
            "Workspace again is back.\n"
        );
        assert_eq!(api.serials("again"), [7, 6, 5, 4, 3, 2, 1]);
        let unknown = fails(&kept, &["workspace", "restore", &id]);
        assert!(
            unknown.contains("There is no deleted workspace"),
            "{unknown}"
        );
        // And under its own name, where that is free.
        for workspace in [&other, &id] {
            api.send(
                "DELETE",
                &format!("/api/v2/workspaces/{workspace}"),
                &[],
                &[],
            )
            .unwrap()
            .is(204);
        }
        assert_eq!(
            succeeds(&kept, &["workspace", "restore", &id, "--name", "first"]),
            "Workspace first is back.\n"
        );
        assert_eq!(everything(&api), there, "{store:?}");
    }
}

#[test]
fn a_late_upload_is_listed_and_read() {
    for store in STORES {
        let service = Service::on(store);
        fill(&service.direct());
        let kept = service.kept();
        let listed = succeeds(
            &kept,
            &[
                "quarantine",
                "list",
                "--org",
                "acme",
                "--workspace",
                "second",
            ],
        );
        let [line] = listed.lines().collect::<Vec<_>>().try_into().unwrap();
        let id = line.split('\t').next().unwrap();
        let file = format!("late-{id}.tfstate");
        let said = succeeds(&kept, &["quarantine", "read", id, "--to", &file]);
        assert!(said.contains(&file), "{said}");
        let file = kept.folder().join(file);
        assert_eq!(std::fs::read(&file).unwrap(), state("lineage-2", 1, "late"));
        private(&file);
        let again = fails(
            &kept,
            &[
                "quarantine",
                "read",
                id,
                "--to",
                &file.display().to_string(),
            ],
        );
        assert!(again.contains("cannot be written"), "{again}");
        assert_eq!(
            succeeds(
                &kept,
                &[
                    "quarantine",
                    "list",
                    "--org",
                    "acme",
                    "--workspace",
                    "first"
                ]
            ),
            ""
        );
        let nobody = fails(&kept, &["quarantine", "list", "--workspace", "second"]);
        assert!(
            nobody.contains("there is no organization \"default\""),
            "{nobody}"
        );
        let nothing = fails(&kept, &["quarantine", "read", "quar-x", "--to", "x"]);
        assert!(
            nothing.contains("there is no late upload quar-x"),
            "{nothing}"
        );
    }
}
