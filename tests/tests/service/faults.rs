//! What goes wrong between a client and the service, and what must not come of it.

use std::time::Duration;

use serde_json::{Value, json};

use super::api::{Api, state};
use super::folder::{Backend, Folder};
use super::proxy::{Fault, Proxy};
use super::python_client::{Client, bytes, options};
use super::real::ran::Ran;
use super::service::{Kept, ORGANIZATION, Service, Store, TOKEN};

/// A service whose clients reach it through a proxy.
struct Between {
    proxy: Proxy,
    service: Service,
    api: Api,
}

impl Between {
    fn start() -> Self {
        let proxy = Proxy::start();
        let service = Service::of(Kept::new(Store::Sqlite), Some(&proxy.url()), &[]);
        proxy.before(&[service.listens()]);
        let api = service.direct();
        Self {
            proxy,
            service,
            api,
        }
    }

    /// A folder with one applied resource, its workspace called `name`, serial 1.
    fn folder(&self, backend: Backend, name: &str) -> Folder {
        let folder = Folder::new(self.service.url());
        if backend == Backend::Http {
            self.api.create_workspace(name);
        }
        folder.uses(backend, name).init().succeeds();
        folder.apply().succeeds();
        self.proxy.exchanges();
        folder
    }

    /// Applies a change while something goes wrong, which it must do as often as it is asked to.
    #[track_caller]
    fn applied(&self, folder: &Folder, value: &str) -> Ran {
        let ran = folder.apply_value(value);
        assert_eq!(
            self.proxy.mend(),
            0,
            "the fault did not happen: {:#?}",
            self.proxy.exchanges()
        );
        ran
    }

    fn is_free(&self, name: &str) -> bool {
        let workspace = self.api.get(&format!(
            "/api/v2/organizations/{ORGANIZATION}/workspaces/{name}"
        ));
        workspace.attribute("locked") == json!(false)
    }
}

const BACKENDS: [(Backend, &str); 3] = [
    (Backend::Cloud, "cloud"),
    (Backend::Remote, "remote"),
    (Backend::Http, "http"),
];

/// The request that stores a state.
fn storing(backend: Backend) -> (&'static str, &'static str) {
    match backend {
        Backend::Cloud | Backend::Remote => ("POST", "/state-versions"),
        Backend::Http => ("POST", "/http/"),
    }
}

/// Faults that a client gets over by itself: the state is stored once, and the lock is given back.
#[track_caller]
fn got_over(backend: Backend, method: &'static str, path: &str, times: usize, fault: Fault) {
    let between = Between::start();
    let folder = between.folder(backend, "it");
    between.proxy.breaks(method, path, times, fault.clone());
    let ran = between.applied(&folder, "two");
    assert_eq!(
        ran.code, 0,
        "{backend:?} after {fault:?}:\n{}\n{}",
        ran.out, ran.err
    );
    assert_eq!(
        between.api.serials("it"),
        [2, 1],
        "{backend:?} after {fault:?}"
    );
    assert_eq!(folder.output("value"), "two");
    assert!(between.is_free("it"), "{backend:?} after {fault:?}");
    assert!(!folder.left_a_state());
}

#[test]
fn the_answer_to_a_create_is_lost() {
    for (backend, _) in BACKENDS {
        let (method, path) = storing(backend);
        got_over(backend, method, path, 1, Fault::LoseAnswer);
    }
}

#[test]
fn a_create_is_lost_on_its_way() {
    for (backend, _) in BACKENDS {
        let (method, path) = storing(backend);
        got_over(backend, method, path, 1, Fault::LoseRequest);
    }
}

#[test]
fn a_create_is_answered_by_an_error_of_something_between() {
    got_over(
        Backend::Cloud,
        "POST",
        "/state-versions",
        2,
        Fault::Answer(500, vec![], "oops"),
    );
    got_over(
        Backend::Remote,
        "POST",
        "/state-versions",
        1,
        Fault::Answer(503, vec![], ""),
    );
    got_over(
        Backend::Http,
        "POST",
        "/http/",
        1,
        Fault::Answer(500, vec![], "oops"),
    );
}

#[test]
fn too_many_requests() {
    let seconds = vec![("Retry-After", "1")];
    got_over(
        Backend::Cloud,
        "POST",
        "/state-versions",
        1,
        Fault::Answer(429, seconds.clone(), "{}"),
    );
    got_over(
        Backend::Cloud,
        "GET",
        "/current-state-version",
        1,
        Fault::Answer(429, vec![], "{}"),
    );
}

#[test]
fn an_upload_goes_wrong() {
    for backend in [Backend::Cloud, Backend::Remote] {
        // The bytes of the state or of the JSON state, whichever is first.
        got_over(backend, "PUT", "/", 1, Fault::LoseAnswer);
        got_over(backend, "PUT", "/", 1, Fault::LoseRequest);
        got_over(backend, "PUT", "/", 1, Fault::Answer(500, vec![], ""));
    }
    // All that is put, the second time too.
    got_over(Backend::Cloud, "PUT", "/", 4, Fault::LoseAnswer);
}

#[test]
fn what_is_read_back_after_an_upload_is_lost() {
    got_over(
        Backend::Cloud,
        "GET",
        "/api/v2/state-versions/sv-",
        1,
        Fault::LoseAnswer,
    );
    got_over(
        Backend::Remote,
        "GET",
        "/api/v2/state-versions/sv-",
        1,
        Fault::LoseRequest,
    );
}

#[test]
fn the_answer_to_an_unlock_is_lost() {
    got_over(
        Backend::Cloud,
        "POST",
        "/actions/unlock",
        1,
        Fault::LoseAnswer,
    );
    got_over(
        Backend::Remote,
        "POST",
        "/actions/unlock",
        1,
        Fault::LoseAnswer,
    );
    got_over(Backend::Http, "UNLOCK", "/http/", 1, Fault::LoseAnswer);
}

#[test]
fn slow_bodies() {
    let pause = Duration::from_millis(100);
    got_over(Backend::Cloud, "PUT", "/", 2, Fault::SlowRequest(pause));
    got_over(
        Backend::Cloud,
        "POST",
        "/state-versions",
        1,
        Fault::SlowRequest(pause),
    );
    got_over(
        Backend::Remote,
        "GET",
        "/current-state-version",
        1,
        Fault::SlowAnswer(pause),
    );
    got_over(
        Backend::Http,
        "POST",
        "/http/",
        1,
        Fault::SlowRequest(pause),
    );
}

#[test]
fn the_answer_to_a_lock_is_lost() {
    // These two ask again, hear that the workspace is locked, and give up before they changed
    // anything.
    for (backend, name) in [(Backend::Cloud, "cloud"), (Backend::Remote, "remote")] {
        let between = Between::start();
        let folder = between.folder(backend, name);
        between
            .proxy
            .breaks("POST", "/actions/lock", 1, Fault::LoseAnswer);
        between
            .applied(&folder, "two")
            .fails_with("workspace already locked");
        assert_eq!(between.api.serials(name), [1]);
        folder
            .run(&["force-unlock", "-force", &format!("{ORGANIZATION}/{name}")])
            .succeeds();
        folder.apply_value("two").succeeds();
    }
    // This one has an id of its own by which it is known again.
    got_over(Backend::Http, "LOCK", "/http/", 1, Fault::LoseAnswer);
}

/// A change that can't be stored is not lost: Terraform keeps it, and it is stored later.
#[test]
fn a_state_that_is_refused_is_kept_and_stored_later() {
    for status in [401, 403, 404, 409, 412, 422] {
        let between = Between::start();
        let folder = between.folder(Backend::Cloud, "kept");
        let body =
            "{\"errors\":[{\"status\":\"0\",\"title\":\"Refused\",\"detail\":\"by the test\"}]}";
        between.proxy.breaks(
            "POST",
            "/state-versions",
            1,
            Fault::Answer(status, vec![], body),
        );
        between
            .applied(&folder, "two")
            .fails_with("Failed to save state");
        assert!(folder.left_a_state(), "{status}");
        assert!(
            !between.is_free("kept"),
            "Terraform keeps the lock, so that nobody goes on from the old state"
        );
        folder
            .run(&["state", "push", "errored.tfstate"])
            .fails_with("already locked");
        folder
            .run(&["force-unlock", "-force", &format!("{ORGANIZATION}/kept")])
            .succeeds();
        folder.run(&["state", "push", "errored.tfstate"]).succeeds();
        assert_eq!(folder.output("value"), "two");
        assert!(between.is_free("kept"));
    }
}

#[test]
fn an_upload_that_is_refused_leaves_a_version_pending_until_force_unlock() {
    for status in [404, 409, 422] {
        let between = Between::start();
        let folder = between.folder(Backend::Cloud, "pending");
        between
            .proxy
            .breaks("PUT", "/", 2, Fault::Answer(status, vec![], "{}"));
        between
            .applied(&folder, "two")
            .fails_with("Failed to save state");
        assert!(folder.left_a_state());
        let workspace = between.api.workspace("pending");
        let statuses = |api: &Api| -> Vec<Value> {
            api.versions("pending")
                .iter()
                .map(|version| version["attributes"]["status"].clone())
                .collect()
        };
        assert_eq!(statuses(&between.api), ["pending", "finalized"]);
        assert_eq!(
            between.api.current(&workspace).attribute("serial"),
            1,
            "what has no bytes is never current"
        );
        between
            .api
            .unlock(&workspace)
            .refuses(503, "latest state version is still pending");
        folder
            .run(&["force-unlock", "-force", &format!("{ORGANIZATION}/pending")])
            .succeeds();
        assert_eq!(statuses(&between.api), ["discarded", "finalized"]);
        folder.run(&["state", "push", "errored.tfstate"]).succeeds();
        assert_eq!(folder.output("value"), "two");
    }
}

#[test]
fn a_read_back_that_is_refused_after_the_state_was_stored_does_no_harm() {
    let between = Between::start();
    let folder = between.folder(Backend::Cloud, "back");
    between.proxy.breaks(
        "GET",
        "/api/v2/state-versions/sv-",
        1,
        Fault::Answer(404, vec![], "{}"),
    );
    between
        .applied(&folder, "two")
        .fails_with("Failed to save state");
    assert_eq!(between.api.serials("back"), [2, 1]);
    folder
        .run(&["force-unlock", "-force", &format!("{ORGANIZATION}/back")])
        .succeeds();
    folder.run(&["state", "push", "errored.tfstate"]).succeeds();
    assert_eq!(folder.output("value"), "two");
}

#[test]
fn http_gives_its_lock_back_and_keeps_the_state() {
    let between = Between::start();
    let folder = between.folder(Backend::Http, "http");
    between
        .proxy
        .breaks("POST", "/http/", 3, Fault::Answer(500, vec![], "oops"));
    between
        .applied(&folder, "two")
        .fails_with("Failed to save state");
    assert!(folder.left_a_state() && between.is_free("http"));
    folder.run(&["state", "push", "errored.tfstate"]).succeeds();
    assert_eq!(folder.output("value"), "two");
}

#[test]
fn a_state_that_cannot_be_read_is_never_taken_for_none() {
    for (backend, name) in BACKENDS {
        let between = Between::start();
        let folder = between.folder(backend, name);
        let path = if backend == Backend::Http {
            "/http/"
        } else {
            "/current-state-version"
        };
        for status in [401, 403] {
            between
                .proxy
                .breaks("GET", path, 1, Fault::Answer(status, vec![], "{}"));
            between.applied(&folder, "two").fails();
        }
        between
            .proxy
            .breaks("GET", path, 1, Fault::Answer(500, vec![], "{}"));
        // Asked again, it is there.
        assert_eq!(folder.plan().changes(), (0, 0, 0), "{backend:?}");
        between.proxy.mend();
        between.proxy.breaks("GET", path, 1, Fault::CutAnswer);
        let plan = folder.plan();
        assert!(
            plan.code != 0 || plan.changes() == (0, 0, 0),
            "{backend:?}: {}",
            plan.out
        );
        between.proxy.mend();
        assert_eq!(between.api.serials(name), [1]);
    }
}

#[test]
fn bytes_that_are_cut_off_or_gone_are_never_taken_for_the_state() {
    for fault in [
        Fault::CutAnswer,
        Fault::Answer(404, vec![], "{}"),
        Fault::Answer(403, vec![], "{}"),
    ] {
        let between = Between::start();
        let folder = between.folder(Backend::Cloud, "bytes");
        // The last request of a plan that reads: the bytes themselves.
        folder.plan().succeeds();
        let exchanges = between.proxy.exchanges();
        let at = exchanges
            .iter()
            .rposition(|exchange| exchange.path.contains("/current-state-version"))
            .unwrap();
        let bytes = exchanges[at + 1].path.split('?').next().unwrap();
        between.proxy.breaks("GET", bytes, 1, fault.clone());
        let plan = folder.plan();
        assert_eq!(between.proxy.mend(), 0, "{bytes}");
        assert!(
            plan.code != 0 || plan.changes() == (0, 0, 0),
            "{fault:?}: {}",
            plan.out
        );
        assert_eq!(between.api.serials("bytes"), [1]);
    }
}

#[test]
fn pytfe_asks_again_and_nothing_is_stored_twice() {
    let between = Between::start();
    let mut client = Client::new(between.service.url(), TOKEN);
    let workspace = between.api.create_workspace("python");
    client.call(
        "workspaces.lock",
        &json!([workspace, {"$model": "WorkspaceLockOptions"}]),
    );
    let faults = [
        ("POST", "/state-versions", Fault::LoseAnswer),
        ("POST", "/state-versions", Fault::Answer(503, vec![], "{}")),
        (
            "POST",
            "/state-versions",
            Fault::Answer(429, vec![("Retry-After", "1")], "{}"),
        ),
        ("PUT", "/", Fault::LoseAnswer),
        ("PUT", "/", Fault::LoseRequest),
        ("GET", "/api/v2/state-versions/sv-", Fault::CutAnswer),
        (
            "GET",
            "/api/v2/state-versions/sv-",
            Fault::SlowAnswer(Duration::from_millis(50)),
        ),
    ];
    let mut serial = 0;
    for (method, path, fault) in faults {
        serial += 1;
        let state = state("l", serial, "x");
        between.proxy.breaks(method, path, 1, fault.clone());
        let named = json!({"raw_state": bytes(&state), "options": options(&state, false)});
        let made = client.call_with("state_versions.upload", &json!([workspace]), &named);
        assert_eq!(between.proxy.mend(), 0, "{method} {path} {fault:?}");
        assert_eq!(
            (&made["serial"], &made["status"]),
            (&json!(serial), &json!("finalized")),
            "{fault:?}"
        );
        assert_eq!(
            client.call("state_versions.download_current", &json!([workspace])),
            bytes(&state)
        );
    }
    between
        .proxy
        .breaks("PATCH", "/state-versions", 1, Fault::LoseAnswer);
    let first = between.api.versions("python").last().unwrap()["id"].clone();
    client.call("state_versions.rollback", &json!([workspace, first]));
    // A rollback that is done twice makes the same state twice, which does no harm.
    assert_eq!(between.proxy.mend(), 0);
    let last: Value = serde_json::from_slice(&between.api.download_current(&workspace)).unwrap();
    assert_eq!(last["outputs"]["content"]["value"], "x");
    between
        .proxy
        .breaks("POST", "/actions/unlock", 1, Fault::LoseAnswer);
    client.call("workspaces.unlock", &json!([workspace]));
    let serials = between.api.serials("python");
    let mut unique = serials.clone();
    unique.dedup();
    assert_eq!(serials, unique);
}
