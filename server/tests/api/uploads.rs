//! SV-45 to SV-48: signed URLs.

use std::time::Duration;

use serde_json::json;

use crate::world::{State, World, text};

/// SV-46: the two uploads come in any order.
#[tokio::test]
async fn state_and_json_state_come_in_any_order() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    for (serial, json_first) in [(1, true), (2, false)] {
        let state = State::new(serial, "l", "a");
        let pending = ann.begin(&id, &state).await.expect(201);
        let url = |name: &str| text(&pending.attributes()[name]);
        let (to, json_to) = (
            url("hosted-state-upload-url"),
            url("hosted-json-state-upload-url"),
        );
        if json_first {
            ann.put(&json_to, b"{}").await.expect(200);
            ann.put(&to, &state.bytes).await.expect(200);
        } else {
            ann.put(&to, &state.bytes).await.expect(200);
            ann.put(&json_to, b"{}").await.expect(200);
        }
        let shown = ann.current(&id).await.expect(200);
        assert_eq!(shown.id(), pending.id());
        assert!(shown.attributes()["hosted-json-state-download-url"].is_string());
    }
    // And at the same time.
    let state = State::new(3, "l", "a");
    let pending = ann.begin(&id, &state).await.expect(201);
    let url = |name: &str| text(&pending.attributes()[name]);
    let (to, json_to) = (
        url("hosted-state-upload-url"),
        url("hosted-json-state-upload-url"),
    );
    let (one, other) = tokio::join!(ann.put(&to, &state.bytes), ann.put(&json_to, b"{}"));
    assert_eq!((one.status, other.status), (200, 200));
    assert!(ann.current(&id).await.attributes()["hosted-json-state-download-url"].is_string());
    // Each is a change, which the audit log has.
    let log = ann
        .json("/api/v2/organizations/acme/audit?filter[action]=json-state.upload")
        .await;
    assert_eq!(log["meta"]["pagination"]["total-count"], 3);
    let line = &log["data"][0]["attributes"];
    assert_eq!(
        (&line["subject"], &line["detail"]),
        (&json!(ann.current(&id).await.id()), &json!("2 bytes"))
    );
    assert!(text(&line["who"]).starts_with("user ann (at-"), "{line}");
}

/// Nobody else says of a state what it holds.
#[tokio::test]
async fn a_json_state_comes_from_who_made_the_version() {
    let world = World::new().await;
    let ann = world.owner().await;
    let bob = world.user("bob", "read-state,write-state,lock").await;
    let id = ann.locked("net").await;
    let state = State::new(1, "l", "a");
    let pending = ann.begin(&id, &state).await.expect(201);
    let path = format!("/api/v2/state-versions/{}", pending.id());
    let url = |attributes: &serde_json::Value| text(&attributes["hosted-json-state-upload-url"]);
    let of_bob = url(&bob.attributes(&path).await);
    let says = "takes a JSON state only from User ann, its creator";
    bob.put(&of_bob, b"{}").await.refused(403, says);
    ann.put(
        &text(&pending.attributes()["hosted-state-upload-url"]),
        &state.bytes,
    )
    .await
    .expect(200);
    bob.put(&of_bob, b"{}").await.refused(403, says);
    // Nor where another one begins again with the same state.
    ann.unlock(&id).await.expect(200);
    bob.lock(&id).await.expect(200);
    let again = bob.begin(&id, &state).await.expect(201);
    assert_eq!(again.id(), pending.id());
    bob.put(&url(&again.attributes()), b"{}")
        .await
        .refused(403, says);
    // With another token she is the same user.
    let other = world.user("ann", "read-state,write-state").await;
    other.put(&of_bob, b"{}").await.refused(403, says);
    ann.put(&url(&pending.attributes()), b"{}")
        .await
        .expect(200);
    let shown = ann.current(&id).await.attributes();
    assert!(shown["hosted-json-state-download-url"].is_string());
}

/// They are compressed while they are read, by another thread.
#[tokio::test]
async fn large_states_come_back_as_they_went_in() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let value: String = (0..40_000).map(|number| number.to_string()).collect();
    let state = State::new(1, "l", &value);
    let created = ann.create(&id, &state).await.expect(201).id();
    assert_eq!(ann.bytes(&created).await, state.bytes);
    let next = State::new(2, "l", &value);
    let pending = ann.begin(&id, &next).await.expect(201);
    let url = text(&pending.attributes()["hosted-state-upload-url"]);
    ann.put(&url, &state.bytes)
        .await
        .refused(422, "The MD5 of the state is");
    ann.put(&url, &next.bytes).await.expect(200);
    assert_eq!(ann.bytes(&pending.id()).await, next.bytes);
    assert_eq!(ann.bytes(&created).await, state.bytes);
}

/// SV-47: the bytes are checked when they come, and what is wrong leaves the version waiting.
#[tokio::test]
async fn wrong_bytes_leave_the_version_waiting() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let state = State::new(1, "l", "a");
    let pending = ann.begin(&id, &state).await.expect(201).attributes();
    let url = text(&pending["hosted-state-upload-url"]);
    ann.put(&url, b"").await.refused(422, "empty");
    ann.put(&url, &State::new(1, "l", "b").bytes)
        .await
        .refused(422, "The MD5 of the state is");
    ann.put(&text(&pending["hosted-json-state-upload-url"]), b"no")
        .await
        .refused(422, "is not JSON");
    ann.put(&url, &state.bytes).await.expect(200);
    // What was declared of the file must be so.
    let mut lying = State::new(9, "m", "c");
    (lying.serial, lying.lineage) = (2, "l".to_owned());
    let url =
        text(&ann.begin(&id, &lying).await.expect(201).attributes()["hosted-state-upload-url"]);
    ann.put(&url, &lying.bytes).await.refused(
        422,
        "The serial 2 is not that of the state, which has serial 9",
    );
    let mut lying = State::new(2, "m", "c");
    lying.lineage.clear();
    let url =
        text(&ann.begin(&id, &lying).await.expect(201).attributes()["hosted-state-upload-url"]);
    ann.put(&url, &lying.bytes)
        .await
        .refused(409, "The lineage provided in the state file does not match");
    assert_eq!(ann.current(&id).await.attributes()["serial"], 1);
}

/// SV-39: what is created again, now with force, does not wait on without it.
#[tokio::test]
async fn force_holds_where_the_same_version_waits_without_it() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    ann.create(&id, &State::new(4, "l", "a")).await.expect(201);
    // Only the bytes tell that they have another lineage.
    let other = State {
        lineage: String::new(),
        ..State::new(5, "m", "b")
    };
    let waits = ann.begin(&id, &other).await.expect(201);
    let url = text(&waits.attributes()["hosted-state-upload-url"]);
    ann.put(&url, &other.bytes)
        .await
        .refused(409, "The lineage provided in the state file does not match");
    let path = format!("/api/v2/workspaces/{id}/state-versions");
    let mut request = other.request();
    request["data"]["attributes"]["force"] = json!(true);
    let forced = ann.post(&path, &request).await.expect(201);
    assert_ne!(forced.id(), waits.id());
    assert_eq!(
        ann.post(&path, &request).await.expect(201).id(),
        forced.id()
    );
    ann.put(
        &text(&forced.attributes()["hosted-state-upload-url"]),
        &other.bytes,
    )
    .await
    .expect(200);
    assert_eq!(ann.current(&id).await.id(), forced.id());
}

/// Section 8, 6: a URL is for one version, one use, one kind of bytes, and some time.
#[tokio::test]
async fn a_signature_holds_for_what_it_was_made_for() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let (one, two) = (State::new(1, "l", "a"), State::new(2, "l", "b"));
    let first = ann.create(&id, &one).await.expect(201);
    let download = text(&first.attributes()["hosted-state-download-url"]);
    let nobody = world.nobody();
    assert_eq!(nobody.get(&download).await.expect(200).bytes, one.bytes);
    let second = ann.begin(&id, &two).await.expect(201);
    let upload = text(&second.attributes()["hosted-state-upload-url"]);

    let wrong = "The signature of the URL is wrong";
    nobody
        .get(&download.replace(&first.id(), &second.id()))
        .await
        .refused(403, wrong);
    nobody
        .get(&download.replace("/state?", "/json-state?"))
        .await
        .refused(403, wrong);
    nobody.get(&upload).await.refused(403, wrong);
    ann.put(&download, &two.bytes).await.refused(403, wrong);
    ann.put(&upload.replace(&second.id(), &first.id()), &two.bytes)
        .await
        .refused(403, wrong);
    let longer = upload.replace("expires=1", "expires=2");
    ann.put(&longer, &two.bytes).await.refused(403, wrong);
    for (changed, says) in [
        (download.replace("signature=", "signature=0"), wrong),
        (download.replace("signature=", "signature=%C3%A4"), wrong),
        (
            download
                .split("&signature")
                .next()
                .expect("a part")
                .to_owned(),
            "not signed and there is no token",
        ),
        (
            download.split('?').next().expect("a part").to_owned(),
            "not signed and there is no token",
        ),
    ] {
        let answer = nobody.get(&changed).await;
        let status = if says == wrong { 403 } else { 401 };
        answer.refused(status, says);
    }
    ann.put(upload.split('?').next().expect("a part"), &two.bytes)
        .await
        .refused(403, "not signed");
    nobody
        .get(&download.replace("/state?", "/..%2fstate?"))
        .await
        .expect(404);

    world.wait(Duration::from_mins(16));
    nobody
        .get(&download)
        .await
        .refused(403, "The URL has expired");
    ann.put(&upload, &two.bytes).await.expect(200);
    // A token that reads states needs no signature.
    assert_eq!(ann.bytes(&first.id()).await, one.bytes);
}

/// SV-48: pytfe sends its token along, and another process's token does not make a good URL bad.
#[tokio::test]
async fn a_token_beside_a_signature_does_not_matter() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let created = ann.create(&id, &State::new(1, "l", "a")).await.expect(201);
    let download = text(&created.attributes()["hosted-state-download-url"]);
    world
        .client("expired or unknown")
        .get(&download)
        .await
        .expect(200);
    let stranger = world.token("zoe", "other", "read-state").await;
    world.client(&stranger).get(&download).await.expect(200);
    world
        .client(&stranger)
        .get(&format!("/objects/state-versions/{}/state", created.id()))
        .await
        .expect(404);
    assert_eq!(
        created.attributes()["hosted-json-state-download-url"],
        json!(null)
    );
    ann.get(&format!(
        "/objects/state-versions/{}/json-state",
        created.id()
    ))
    .await
    .refused(404, "json-state of state version");
}
