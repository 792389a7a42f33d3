//! INV-1 to INV-10: nothing is lost.

use std::time::Duration;

use serde_json::{Value, json};

use crate::world::{State, World, text};

/// INV-1: a finalized version never changes.
#[tokio::test]
async fn a_finalized_version_is_never_overwritten() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let state = State::new(1, "l", "a");
    let pending = ann.begin(&id, &state).await.expect(201);
    let url = text(&pending.attributes()["hosted-state-upload-url"]);
    ann.put(&url, &state.bytes).await.expect(200);
    ann.put(&url, &state.bytes).await.expect(200);
    ann.put(&url, &State::new(1, "l", "other").bytes)
        .await
        .refused(409, "takes no bytes any more");
    ann.put(&url, b"")
        .await
        .refused(409, "takes no bytes any more");
    assert_eq!(ann.bytes(&pending.id()).await, state.bytes);
    // The JSON state goes there once; the same again is the same.
    let url = text(&pending.attributes()["hosted-json-state-upload-url"]);
    ann.put(&url, b"{\"a\":1}").await.expect(200);
    ann.put(&url, b"{\"a\":1}").await.expect(200);
    ann.put(&url, b"{\"a\":2}")
        .await
        .refused(409, "has another JSON state");
    let json = ann
        .get(&format!(
            "/objects/state-versions/{}/json-state",
            pending.id()
        ))
        .await
        .expect(200);
    assert_eq!(&json.bytes[..], b"{\"a\":1}");
}

/// INV-2: of those who write the same serial at the same time, one does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_racing_writers_one_wins_and_the_others_know() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    ann.create(&id, &State::new(1, "l", "start"))
        .await
        .expect(201);
    let states: Vec<State> = (0..8)
        .map(|racer| State::new(2, "l", &format!("racer {racer}")))
        .collect();
    let answers =
        futures_util::future::join_all(states.iter().map(|state| ann.create(&id, state))).await;
    let winners: Vec<usize> = answers
        .iter()
        .enumerate()
        .filter(|(_, answer)| answer.status == 201)
        .map(|(racer, _)| racer)
        .collect();
    assert_eq!(winners.len(), 1, "{answers:?}");
    for answer in answers.into_iter().filter(|answer| answer.status != 201) {
        answer
            .refused(409, "The MD5 hash of the state provided does not match what is currently known for the same serial number");
    }
    assert_eq!(ann.versions("net").await.len(), 2);
    let head = ann.current(&id).await.id();
    assert_eq!(ann.bytes(&head).await, states[winners[0]].bytes);
}

/// INV-2: many writers of rising serials: each that got 201 is in the history.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_is_in_the_history() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let states: Vec<State> = (1..=24)
        .map(|serial| State::new(serial, "l", &serial.to_string()))
        .collect();
    let answers =
        futures_util::future::join_all(states.iter().map(|state| ann.create(&id, state))).await;
    let versions = ann.versions("net").await;
    let mut acknowledged = 0;
    for (state, answer) in states.iter().zip(answers) {
        if answer.status == 201 {
            acknowledged += 1;
            assert!(
                versions
                    .iter()
                    .any(|version| version["id"] == answer.id().as_str())
            );
            assert_eq!(ann.bytes(&answer.id()).await, state.bytes);
        } else {
            answer.expect(409);
        }
    }
    assert_eq!(versions.len(), acknowledged);
    let serials: Vec<i64> = versions
        .iter()
        .map(|version| version["attributes"]["serial"].as_i64().expect("a serial"))
        .collect();
    assert!(
        serials.is_sorted_by(|newer, older| newer > older),
        "{serials:?}"
    );
}

/// INV-3: what is there already is acknowledged before anything is refused.
#[tokio::test]
async fn a_replay_goes_before_every_conflict() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let state = State::new(3, "l", "a");
    let first = ann.stored(&id, &state).await;
    // Also before If-Match, which by now demands what was current before.
    let headers = [("if-match", "\"sv-0123456789abcdef\"")];
    let path = format!("/api/v2/workspaces/{id}/state-versions");
    let again = ann
        .send("POST", &path, &headers, state.inline().to_string())
        .await
        .expect(201);
    assert_eq!(again.id(), first);
    ann.unlock(&id).await.expect(200);
    // By backend "http" too.
    ann.send("POST", "/http/acme/net", &[], state.bytes.clone())
        .await
        .expect(200);
    assert_eq!(ann.versions("net").await.len(), 1);
}

/// INV-4: bytes that come after a force-unlock are refused, and kept.
#[tokio::test]
async fn late_bytes_are_refused_and_kept() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let state = State::new(1, "l", "only copy");
    let pending = ann.begin(&id, &state).await.expect(201);
    let url = text(&pending.attributes()["hosted-state-upload-url"]);
    ann.force_unlock(&id).await.expect(200);
    assert_eq!(
        ann.get(&format!("/api/v2/state-versions/{}", pending.id()))
            .await
            .attributes()["status"],
        "discarded"
    );
    ann.put(&url, &state.bytes)
        .await
        .refused(409, "kept in quarantine");
    ann.put(&url, &state.bytes)
        .await
        .refused(409, "kept in quarantine");
    // What was not declared is nobody's only copy.
    ann.put(&url, b"something else")
        .await
        .refused(409, "takes no bytes any more");
    ann.current(&id).await.refused(404, "has no state yet");

    let kept = ann
        .json(&format!("/api/v2/workspaces/{id}/quarantine"))
        .await;
    assert_eq!(kept["data"].as_array().map(Vec::len), Some(1));
    let url = text(&kept["data"][0]["attributes"]["download-url"]);
    assert_eq!(ann.get(&url).await.expect(200).bytes, state.bytes);
    let reader = world.user("rita", "read-state").await;
    reader.get(&url).await.refused(403, "admin");
    let stranger = world.token("zoe", "other", "admin").await;
    world.client(&stranger).get(&url).await.expect(404);
    // They are read only for who may have them.
    let database = world.database();
    database
        .pragma_update(None, "foreign_keys", false)
        .expect("a setting");
    database.execute("DELETE FROM blob", ()).expect("no bytes");
    reader.get(&url).await.refused(403, "admin");
    world.client(&stranger).get(&url).await.expect(404);
    ann.get(&url).await.expect(500);
    // A store that fails does not say that there is no only copy.
    let damage = "UPDATE workspace SET lock = '{'";
    assert_eq!(database.execute(damage, ()).expect("damage"), 1);
    ann.get(&url).await.expect(500);
}

/// INV-4: the lock is looked at again when the bytes come.
#[tokio::test]
async fn a_stolen_lock_is_noticed_when_the_bytes_come() {
    let world = World::new().await;
    let ann = world.owner().await;
    let bob = world.user("bob", "read-state,write-state,lock").await;
    let id = ann.locked("net").await;
    let state = State::new(1, "l", "a");
    let url =
        text(&ann.begin(&id, &state).await.expect(201).attributes()["hosted-state-upload-url"]);
    ann.force_unlock(&id).await.expect(200);
    bob.lock(&id).await.expect(200);
    ann.put(&url, &state.bytes).await.refused(409, "quarantine");
    ann.create(&id, &state)
        .await
        .refused(409, "locked by User bob");
    bob.create(&id, &state).await.expect(201);
}

/// INV-5: two processes may share a token, so a lock is not re-entrant, and says who holds it.
#[tokio::test]
async fn a_lock_is_not_re_entrant() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.workspace("net").await;
    let body = json!({ "data": { "type": "", "attributes": { "reason": "Locked by Terraform" } } });
    let headers = [("user-agent", "go-tfe"), ("terraform-version", "1.15.5")];
    let path = format!("/api/v2/workspaces/{id}/actions/lock");
    ann.send("POST", &path, &headers, body.to_string())
        .await
        .expect(200);
    let reported = ann
        .lock(&id)
        .await
        .refused(409, "is locked by User ann since 2026-11-22T")
        .detail();
    assert!(
        reported.ends_with("with Terraform 1.15.5, reason: Locked by Terraform"),
        "{reported}"
    );
}

/// INV-6: an unlock whose answer was lost is sent again.
#[tokio::test]
async fn the_last_holder_may_unlock_twice_for_a_minute() {
    let world = World::new().await;
    let (ann, bob) = (world.owner().await, world.user("bob", "lock").await);
    let id = ann.locked("net").await;
    bob.unlock(&id).await.refused(409, "is locked by User ann");
    ann.unlock(&id).await.expect(200);
    world.wait(Duration::from_secs(50));
    ann.unlock(&id).await.expect(200);
    bob.unlock(&id).await.refused(409, "already unlocked");
    world.wait(Duration::from_secs(10));
    ann.unlock(&id).await.refused(409, "already unlocked");
    ann.force_unlock(&id).await.refused(409, "already unlocked");
}

/// INV-9: bytes out are bytes in.
#[tokio::test]
async fn bytes_are_kept_verbatim() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let odd = "\r\n{\"serial\":7 ,\t\"lineage\":\"l\",\"version\":4,\"x\":\"\\u003c\\u003e\\u0026 <>&\",\"n\":1E+400,\"resources\":null,\
               \"outputs\":{\"o\":{\"type\":\"number\",\"value\":12345678901234567890123456789.50}}}\n\n";
    let state = State::of(7, "l", odd);
    let first = ann.create(&id, &state).await.expect(201);
    assert_eq!(ann.bytes(&first.id()).await, odd);
    let url = text(&first.attributes()["hosted-state-download-url"]);
    assert_eq!(world.nobody().get(&url).await.expect(200).bytes, odd);
    // A rollback changes the digits of the serial, and nothing else.
    let back = ann.rollback(&id, &first.id()).await.expect(201);
    let expected = odd.replace("\"serial\":7", "\"serial\":8");
    assert_eq!(ann.bytes(&back.id()).await, expected);
    assert_eq!(back.attributes()["md5"], State::of(8, "l", &expected).md5());
    assert_eq!(back.attributes()["size"], expected.len());
}

/// INV-10, SV-40: an upgrade writes only over the version that it read.
#[tokio::test]
async fn if_match_names_the_version_that_must_be_current() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let first = ann.stored(&id, &State::new(1, "l", "a")).await;
    let path = format!("/api/v2/workspaces/{id}/state-versions");
    let send = |serial: i64, value: &'static str, expected: String| {
        let body = State::new(serial, "l", value).inline().to_string();
        let (ann, path) = (ann.clone(), path.clone());
        async move {
            ann.send("POST", &path, &[("if-match", &expected)], body)
                .await
        }
    };
    let second = send(2, "b", format!("\"{first}\"")).await.expect(201).id();
    send(3, "c", format!("\"{first}\""))
        .await
        .refused(412, &format!("{second} is current"));
    send(3, "c", first.clone()).await.refused(400, "in quotes");
    send(3, "c", "\"*\"".to_owned())
        .await
        .refused(400, "in quotes");
    assert_eq!(ann.versions("net").await.len(), 2);
}

/// SV-20: a rollback says what it goes back to, and versions know their neighbours.
#[tokio::test]
async fn versions_know_their_neighbours() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let first = ann.stored(&id, &State::new(1, "l", "a")).await;
    let second = ann.stored(&id, &State::new(2, "l", "b")).await;
    let third = ann.rollback(&id, &first).await.expect(201).id();
    let related = async |id: &str, name: &str| {
        ann.get(&format!("/api/v2/state-versions/{id}"))
            .await
            .expect(200)
            .json()["data"]["relationships"][name]["data"]["id"]
            .clone()
    };
    assert_eq!(related(&second, "previous-state-version").await, first);
    assert_eq!(related(&second, "next-state-version").await, third);
    assert_eq!(related(&third, "rollback-state-version").await, first);
    assert_eq!(related(&third, "next-state-version").await, Value::Null);
    assert_eq!(related(&third, "workspace").await, id);
}
