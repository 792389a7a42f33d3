//! The ten traps: answers after which clients lose data, hang or crash. Those that are not here
//! have tests of their own: a create that is repeated, in [faults](super::faults); the serial of a
//! rollback, in [rollback](super::rollback); soft deletion, in [pytfe](super::pytfe).

use serde_json::{Value, json};

use super::api::state;
use super::folder::{Backend, Folder, HOST};
use super::proxy::Proxy;
use super::service::{Kept, ORGANIZATION, Service, Store, TOKEN};

/// Everything that a client is sent in a long day: what every answer must have, and none may have.
#[test]
fn no_answer_has_what_kills_a_client() {
    let proxy = Proxy::start();
    let service = Service::of(Kept::new(Store::Sqlite), Some(&proxy.url()), &[]);
    proxy.before(&[service.listens()]);
    for (backend, name) in [(Backend::Cloud, "cloud"), (Backend::Remote, "remote")] {
        let folder = Folder::new(service.url());
        folder.uses(backend, name).init().succeeds();
        folder.apply().succeeds();
        folder.apply_value("two").succeeds();
        folder.output("secret");
        folder.destroy().succeeds();
    }
    let exchanges = proxy.exchanges();
    assert!(exchanges.len() > 40);
    let log = service.said();
    assert!(log.lines().count() > 40);
    for exchange in &exchanges {
        // The signature of an address is as good as a token.
        if let Some((_, query)) = exchange
            .path
            .split_once('?')
            .filter(|(path, _)| path.starts_with("/objects/"))
        {
            assert!(
                !query.is_empty() && !log.contains(query),
                "a signature stands in the log"
            );
        }
    }
    for secret in [TOKEN, "s3cret"] {
        assert!(!log.contains(secret), "{secret} stands in the log");
    }
    for exchange in exchanges {
        let about = format!("{exchange:#?}");
        for name in [
            "x-ratelimit-reset",
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
        ] {
            assert!(!exchange.answered.contains_key(name), "{about}");
        }
        if exchange.path.ends_with("/ping") {
            // What is older does not know what `cloud` needs.
            let version: f64 = exchange.answered["tfp-api-version"]
                .to_str()
                .unwrap()
                .parse()
                .unwrap();
            assert!((2.5..3.0).contains(&version), "{about}");
        }
        assert!([200, 201, 204, 404].contains(&exchange.status), "{about}");
        let kind = exchange
            .answered
            .get("content-type")
            .map(|kind| kind.to_str().unwrap().to_owned());
        let of_versions = exchange.path.contains("state-version") && !exchange.path.contains("?");
        if exchange.path.starts_with("/api/v2/")
            && exchange.status != 204
            && exchange.method != "PUT"
            && of_versions
        {
            assert_eq!(kind.as_deref(), Some("application/vnd.api+json"), "{about}");
            assert_eq!(
                exchange.answered["x-terraform-snapshot-interval"], "20",
                "{about}"
            );
        }
    }
}

#[test]
fn addresses_are_absolute_and_times_end_in_z() {
    // Known to its clients by another name than the one it listens at, which a client may well say.
    let service = Service::of(
        Kept::new(Store::Sqlite),
        Some("https://states.example.com"),
        &[],
    );
    let api = service.direct();
    let workspace = api.create_workspace("urls");
    api.lock(&workspace).is(200);
    let bytes = state("l", 1, "one");
    let pending = api.announce(&workspace, &bytes).is(201).json()["data"]["attributes"].clone();
    let upload = pending["hosted-state-upload-url"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        upload.starts_with("https://states.example.com/"),
        "{upload}"
    );
    assert!(
        pending["hosted-json-state-upload-url"]
            .as_str()
            .unwrap()
            .starts_with("https://states.example.com/")
    );
    assert!(pending["hosted-state-download-url"].is_null());
    let local = upload.replace(
        "https://states.example.com",
        &format!("http://{}", service.listens()),
    );
    // The address is enough: Terraform sends no token with it.
    api.with_token("").put(&local, &bytes).is(200);
    let current = api.current(&workspace).is(200).json()["data"].clone();
    assert!(
        current["attributes"]["hosted-state-download-url"]
            .as_str()
            .unwrap()
            .starts_with("https://states.example.com/")
    );
    assert!(current["attributes"]["hosted-state-upload-url"].is_null());
    let at = current["attributes"]["created-at"].as_str().unwrap();
    assert!(
        at.ends_with('Z') && at.as_bytes()[10] == b'T' && !at.contains('+'),
        "{at}"
    );
}

#[test]
fn a_workspace_whose_bytes_are_gone_is_an_error_and_not_an_empty_one() {
    let mut service = Service::start();
    let folder = Folder::new(service.url());
    folder.uses(Backend::Cloud, "broken").init().succeeds();
    folder.apply().succeeds();
    let workspace = service.direct().workspace("broken");
    assert_eq!(service.stop(), Some(0));
    service.kept().lose_all_bytes();
    service.run();
    service.ready();
    let api = service.direct();
    let current = api.current(&workspace);
    if current.status == 200 {
        let url = current.attribute("hosted-state-download-url");
        assert_eq!(
            api.get(url.as_str().unwrap()).status,
            500,
            "neither 404 nor an empty answer"
        );
    } else {
        current.is(500);
    }
    api.get(&format!("/http/{ORGANIZATION}/broken")).is(500);
    let http = Folder::new(service.url());
    http.uses(Backend::Http, "broken");
    http.init().fails();
}

/// A configuration with the name that a workspace had would make everything once more.
#[test]
fn a_former_name_is_not_a_workspace_without_a_state() {
    let service = Service::start();
    let api = service.direct();
    let gone = "Unexpected HTTP response code 410";
    for (backend, name, says) in [
        (
            Backend::Cloud,
            "cloud",
            "Workspace cloud is now cloud2: use that name",
        ),
        (
            Backend::Remote,
            "remote",
            "Workspace remote is now remote2: use that name",
        ),
        (Backend::Http, "http", gone),
    ] {
        let folder = Folder::new(service.url());
        folder.uses(backend, name).init().succeeds();
        folder.apply().succeeds();
        let path = format!("/api/v2/workspaces/{}", api.workspace(name));
        let attributes = json!({ "name": format!("{name}2") });
        let moved = json!({ "data": { "type": "workspaces", "attributes": attributes } });
        api.patch(&path, &moved).is(200);
        folder.plan().fails();
        let another = Folder::new(service.url());
        another.uses(backend, name).init().fails_with(says);
        let named = format!("/api/v2/organizations/{ORGANIZATION}/workspaces/{name}");
        api.get(&named).is(404);
    }
    let path = format!("/api/v2/workspaces/{}", api.workspace("http2"));
    api.send("DELETE", &path, &[], &[]).unwrap().is(204);
    let folder = Folder::new(service.url());
    folder.uses(Backend::Http, "http2").init().fails_with(gone);
}

#[test]
fn who_may_not_read_a_state_is_told_so() {
    let service = Service::start();
    let api = service.direct();
    let folder = Folder::new(service.url());
    folder.uses(Backend::Cloud, "hidden").init().succeeds();
    folder.apply().succeeds();
    let workspace = api.workspace("hidden");
    let token = super::locks::token_of(&service, "bob", "read-outputs,lock");
    let other = api.with_token(&token);
    other.current(&workspace).refuses(403, "");
    folder.write_settings(&token);
    let plan = folder.plan();
    assert_ne!(
        plan.code, 0,
        "a plan without the state would make everything again: {}",
        plan.out
    );
    folder.write_settings("no-such-token");
    folder.plan().fails();
    other
        .with_token("no-such-token")
        .current(&workspace)
        .refuses(401, "");
}

#[test]
fn an_unlock_with_a_pending_version_is_answered_so_that_all_clients_wait() {
    let service = Service::start();
    let api = service.direct();
    let workspace = api.create_workspace("pending");
    api.lock(&workspace).is(200);
    let bytes = state("l", 1, "one");
    let pending = api.announce(&workspace, &bytes).is(201).clone();
    api.unlock(&workspace)
        .refuses(503, "latest state version is still pending");
    // One more like it is the same version, another one takes its place.
    assert_eq!(api.announce(&workspace, &bytes).is(201).id(), pending.id());
    let other = state("l", 1, "two");
    let newer = api.announce(&workspace, &other).is(201).clone();
    assert_ne!(newer.id(), pending.id());
    let statuses: Vec<Value> = api
        .versions("pending")
        .iter()
        .map(|version| version["attributes"]["status"].clone())
        .collect();
    assert_eq!(statuses, ["pending", "discarded"]);
    api.put(
        pending
            .attribute("hosted-state-upload-url")
            .as_str()
            .unwrap(),
        &bytes,
    )
    .refuses(409, "discarded");
    api.put(
        newer.attribute("hosted-state-upload-url").as_str().unwrap(),
        &bytes,
    )
    .refuses(422, "MD5");
    let url = newer.attribute("hosted-state-upload-url");
    api.put(url.as_str().unwrap(), &other).is(200);
    api.put(url.as_str().unwrap(), &other).is(200);
    assert!([409, 422].contains(&api.put(url.as_str().unwrap(), &bytes).status));
    api.unlock(&workspace).is(200);
    assert_eq!(api.download_current(&workspace), other);
}

#[test]
fn a_workspace_is_deleted_without_a_panic() {
    let service = Service::start();
    let api = service.direct();
    let id = api.create_workspace("gone");
    let permissions = api
        .get(&format!("/api/v2/workspaces/{id}"))
        .is(200)
        .attribute("permissions");
    assert_eq!(permissions["can-force-delete"], true, "{permissions}");
    let folder = Folder::new(service.url());
    folder.settings(&format!(
        "  backend \"remote\" {{\n    hostname = \"{HOST}\"\n    organization = \"{ORGANIZATION}\"\n    workspaces {{\n      prefix = \"g\"\n    \
         }}\n  }}\n"
    ));
    folder.init();
    folder
        .run(&["workspace", "new", "-no-color", "other"])
        .succeeds();
    folder
        .run(&["workspace", "delete", "-no-color", "one"])
        .succeeds();
    api.get(&format!("/api/v2/workspaces/{id}")).is(404);
}

#[test]
fn a_forced_push_keeps_what_it_replaces() {
    let service = Service::start();
    let api = service.direct();
    for (backend, name) in [(Backend::Cloud, "cloud"), (Backend::Remote, "remote")] {
        let folder = Folder::new(service.url());
        folder.uses(backend, name).init().succeeds();
        folder.apply().succeeds();
        let workspace = api.workspace(name);
        let (before, first) = (
            api.download_current(&workspace),
            api.current(&workspace).id(),
        );
        folder.write(
            "other.tfstate",
            std::str::from_utf8(&state("another-lineage", 9, "other")).unwrap(),
        );
        folder.run(&["state", "push", "other.tfstate"]).fails();
        let forced = folder.run(&["state", "push", "-force", "other.tfstate"]);
        if backend == Backend::Cloud {
            // Terraform forgets to say that it was forced, so this is refused like any other
            // lineage.
            forced.fails_with("The lineage provided in the state file does not match");
            assert_eq!(api.download_current(&workspace), before);
        } else {
            forced.succeeds();
            assert_eq!(folder.output("content"), "other");
            assert_eq!(
                api.download(
                    &api.get(&format!("/api/v2/state-versions/{first}"))
                        .is(200)
                        .json()["data"]
                ),
                before
            );
            api.lock(&workspace).is(200);
            api.rollback(&workspace, &first).is(201);
            api.unlock(&workspace).is(200);
            assert_eq!(folder.output("value"), "one");
            assert_eq!(api.serials(name).len(), 3);
            assert_eq!(api.current(&workspace).attribute("serial"), json!(11));
        }
    }
}
