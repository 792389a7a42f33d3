//! Several at once: who gets the lock, and what becomes of those who write without it.

use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::json;

use super::api::{Api, creation, state};
use super::folder::{Backend, Folder};
use super::real::ran::Ran;
use super::service::{ORGANIZATION, Service};

/// A resource whose creation waits for a file called `go`.
const WAITING: &str = "
variable \"value\" {
  default = \"waited\"
}
resource \"terraform_data\" \"waits\" {
  input = var.value
  triggers_replace = var.value
  provisioner \"local-exec\" {
    command = \"touch began; while [ ! -e go ]; do sleep 0.02; done\"
  }
}
";

const APPLY: [&str; 4] = ["apply", "-no-color", "-input=false", "-auto-approve"];

#[track_caller]
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "waited in vain until {what}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Terraform stores what it has every 20 seconds, if the service allows it, so that little is lost
/// with its machine.
#[test]
#[ignore = "takes half a minute; `--include-ignored` runs it"]
fn what_an_apply_has_done_is_stored_while_it_runs() {
    let service = Service::start();
    let api = service.direct();
    let folder = Folder::new(service.url());
    folder.write(
        "first.tf",
        "resource \"terraform_data\" \"first\" {\n  input = \"first\"\n}\n",
    );
    folder.write("main.tf", WAITING);
    // A resource that ends after a snapshot is due is what Terraform takes one for.
    folder.write(
        "slow.tf",
        "resource \"terraform_data\" \"slow\" {\n  provisioner \"local-exec\" {\n    command = \"sleep 22\"\n  }\n}\n",
    );
    folder.uses(Backend::Cloud, "long").init().succeeds();
    let mut terraform = folder.begin(&APPLY);
    wait_until("a snapshot was stored", || api.serials("long") == [1]);
    terraform.kill().unwrap();
    terraform.wait().unwrap();
    folder.write("go", "");
    let stored: serde_json::Value =
        serde_json::from_slice(&api.download_current(&api.workspace("long"))).unwrap();
    let names: Vec<&str> = stored["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"first") && names.contains(&"slow"),
        "{names:?}"
    );
}

/// A folder of that workspace in which an apply is on its way.
fn applying(service: &Service, backend: Backend, name: &str, more: &[&str]) -> (Folder, Child) {
    let folder = Folder::new(service.url());
    folder.write("main.tf", WAITING);
    folder.uses(backend, name).init().succeeds();
    let terraform = folder.begin(&[&APPLY, more].concat());
    wait_until("the creation began", || folder.path("began").exists());
    (folder, terraform)
}

fn ends(folder: &Folder, terraform: Child) -> Ran {
    folder.write("go", "");
    Ran::ended(&terraform.wait_with_output().unwrap(), &APPLY)
}

/// Its resources are stored, and nothing stays locked.
#[test]
fn a_workspace_that_is_renamed_during_an_apply_gets_its_state() {
    for backend in [Backend::Cloud, Backend::Remote, Backend::Http] {
        let service = Service::start();
        let api = service.direct();
        api.create_workspace("before");
        for (from, to) in [("before", "after"), ("after", "later")] {
            let (folder, running) = applying(&service, backend, from, &[]);
            let path = format!("/api/v2/workspaces/{}", api.workspace(from));
            let attributes = json!({ "name": to });
            let moved = json!({ "data": { "type": "workspaces", "attributes": attributes } });
            api.patch(&path, &moved).is(200);
            ends(&folder, running).succeeds();
            assert!(!folder.left_a_state());
            let stored: serde_json::Value =
                serde_json::from_slice(&api.download_current(&api.workspace(to))).unwrap();
            assert_eq!(stored["resources"][0]["name"], "waits");
            let other = beside(&service, backend, to);
            other.write("main.tf", "");
            other.run(&APPLY).succeeds();
        }
    }
}

fn beside(service: &Service, backend: Backend, name: &str) -> Folder {
    let folder = Folder::new(service.url());
    folder.uses(backend, name).init().succeeds();
    folder
}

/// Two processes with one token, and a third that is ready to wait.
fn one_at_a_time(backend: Backend, refused: &str) {
    let service = Service::start();
    let api = service.direct();
    api.create_workspace("busy");
    let (first, running) = applying(&service, backend, "busy", &[]);
    let second = beside(&service, backend, "busy");
    second.run(&APPLY).fails_with(refused);
    assert_eq!(api.serials("busy"), [0; 0]);
    let patient = second.begin(&[&APPLY[..], &["-lock-timeout=60s", "-var=value=third"]].concat());
    std::thread::sleep(Duration::from_millis(1500));
    ends(&first, running).succeeds();
    Ran::ended(&patient.wait_with_output().unwrap(), &APPLY).succeeds();
    assert_eq!(api.serials("busy"), [2, 1]);
    assert_eq!(second.output("value"), "third");
    assert!(!first.left_a_state() && !second.left_a_state());
}

#[test]
fn one_at_a_time_through_cloud() {
    one_at_a_time(Backend::Cloud, "workspace already locked");
}

#[test]
fn one_at_a_time_through_remote() {
    one_at_a_time(Backend::Remote, "workspace already locked");
}

#[test]
fn one_at_a_time_through_http() {
    one_at_a_time(Backend::Http, "Error acquiring the state lock");
}

#[test]
fn without_a_lock_cloud_and_remote_store_nothing() {
    for backend in [Backend::Cloud, Backend::Remote] {
        let service = Service::start();
        let api = service.direct();
        let folder = beside(&service, backend, "unlocked");
        let unlocked = [&APPLY[..], &["-lock=false"]].concat();
        folder.run(&unlocked).fails_with(
            "This workspace is not locked and will only accept state uploads when locked",
        );
        assert!(folder.left_a_state());
        assert_eq!(api.serials("unlocked"), [0; 0]);
        // What was kept aside is put where it belongs.
        folder.run(&["state", "push", "errored.tfstate"]).succeeds();
        assert_eq!(folder.output("value"), "one");
    }
}

#[test]
fn without_a_lock_http_writes_only_what_nobody_else_has_locked() {
    let service = Service::start();
    let api = service.direct();
    let workspace = api.create_workspace("unlocked");
    let folder = beside(&service, Backend::Http, "unlocked");
    let unlocked = [&APPLY[..], &["-lock=false"]].concat();
    folder.run(&unlocked).succeeds();
    assert_eq!(api.serials("unlocked"), [1]);
    api.lock(&workspace).is(200);
    folder
        .run(&[&unlocked[..], &["-var=value=two"]].concat())
        .fails();
    assert_eq!(api.serials("unlocked"), [1]);
    assert!(folder.left_a_state());
}

#[test]
fn a_lock_that_was_taken_away_during_an_apply_costs_nobody_anything() {
    let service = Service::start();
    let api = service.direct();
    let (folder, running) = applying(&service, Backend::Cloud, "robbed", &[]);
    let workspace = api.workspace("robbed");
    api.force_unlock(&workspace).is(200);
    ends(&folder, running).fails_with("This workspace is not locked");
    assert!(folder.left_a_state());
    assert_eq!(api.serials("robbed"), [0; 0]);
    folder.run(&["state", "push", "errored.tfstate"]).succeeds();
    assert_eq!(
        folder.run(&["state", "list"]).succeeds().out,
        "terraform_data.waits\n"
    );
}

/// A token of another user, with these permissions.
pub fn token_of(service: &Service, user: &str, can: &str) -> String {
    let team = format!("{user}.{}", can.replace(',', "."));
    let arguments = [
        "token",
        "create",
        "--user",
        user,
        "--team",
        &team,
        "--org",
        ORGANIZATION,
        "--can",
        can,
    ];
    let mut command = service.command(&arguments);
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let printed = String::from_utf8(output.stdout).unwrap();
    printed.split_whitespace().last().unwrap().to_owned()
}

#[test]
fn a_lock_that_another_user_took_over_during_an_apply_is_theirs() {
    let service = Service::start();
    let api = service.direct();
    let other = api.with_token(&token_of(
        &service,
        "ada",
        "read-state,write-state,read-outputs,lock",
    ));
    let (folder, running) = applying(&service, Backend::Cloud, "taken", &[]);
    let workspace = api.workspace("taken");
    api.force_unlock(&workspace).is(200);
    other.lock(&workspace).is(200);
    ends(&folder, running).fails_with("locked by");
    assert!(folder.left_a_state());
    assert_eq!(api.serials("taken"), [0; 0]);
    // Only the holder unlocks.
    api.unlock(&workspace).refuses(409, "is locked by User ada");
    other.unlock(&workspace).is(200);
}

#[test]
fn what_another_process_of_the_same_user_wrote_meanwhile_is_kept() {
    let service = Service::start();
    let api = service.direct();
    let before = beside(&service, Backend::Cloud, "raced");
    before.apply().succeeds();
    let (folder, running) = applying(&service, Backend::Cloud, "raced", &[]);
    let workspace = api.workspace("raced");
    let lineage = before.pull()["lineage"].as_str().unwrap().to_owned();
    let other = state(&lineage, 2, "from elsewhere");
    api.create(&workspace, &other).is(201);
    ends(&folder, running)
        .fails_with("The MD5 hash of the state provided does not match what is currently known for the same serial");
    assert!(folder.left_a_state());
    assert_eq!(api.download_current(&workspace), other);
    // Terraform keeps the lock after such a failure; this is what takes it away.
    folder
        .run(&["force-unlock", "-force", &format!("{ORGANIZATION}/raced")])
        .succeeds();
    folder
        .run(&["state", "push", "errored.tfstate"])
        .fails_with("cannot overwrite existing state with serial 2");
    assert_eq!(api.download_current(&workspace), other);
    folder
        .run(&["state", "push", "-force", "errored.tfstate"])
        .succeeds();
    assert_eq!(api.serials("raced"), [3, 2, 1]);
}

#[test]
fn force_unlock_of_each_backend() {
    let service = Service::start();
    let api = service.direct();
    for (backend, name) in [(Backend::Cloud, "cloud"), (Backend::Remote, "remote")] {
        let workspace = api.create_workspace(name);
        let folder = beside(&service, backend, name);
        api.lock(&workspace).is(200);
        folder
            .run(&["force-unlock", "-force", "another/name"])
            .fails();
        api.lock(&workspace).is(409);
        folder
            .run(&["force-unlock", "-force", &format!("{ORGANIZATION}/{name}")])
            .succeeds();
        api.lock(&workspace).is(200);
    }
    let workspace = api.create_workspace("http");
    let folder = beside(&service, Backend::Http, "http");
    api.lock(&workspace).is(200);
    // This backend sends no id, so that a wrong one succeeds.
    folder
        .run(&["force-unlock", "-force", "whatever"])
        .succeeds();
    api.lock(&workspace).is(200);
}

/// What the two users of one workspace may not do to each other, by the API.
#[test]
fn a_lock_is_not_taken_twice_by_the_same_token() {
    let service = Service::start();
    let api: Api = service.direct();
    let workspace = api.create_workspace("once");
    api.lock(&workspace).is(200);
    api.lock(&workspace).refuses(409, "locked by User");
    api.unlock(&workspace).is(200);
    // The answer to the first may have been lost.
    api.unlock(&workspace).is(200);
    api.lock(&workspace).is(200);
    let state = state("l", 1, "x");
    api.post(
        &format!("/api/v2/workspaces/{workspace}/state-versions"),
        &creation(&state, true),
    )
    .is(201);
    assert_eq!(
        api.current(&workspace).is(200).attribute("serial"),
        json!(1)
    );
}
