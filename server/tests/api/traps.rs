//! The ten traps: what loses data in, hangs or crashes real clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use upstate_server::__internal::model::{ContentKind, VersionId};
use upstate_server::__internal::rules::RefusalKind;
use upstate_server::__internal::service::{Bearer, Failure};

use crate::world::{State, World, text};

/// Trap 1, SV-55, INV-7: the client recreates everything when the service says that a workspace has
/// no state.
#[tokio::test]
async fn only_a_workspace_without_state_says_that_there_is_none() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    ann.current(&id).await.refused(404, "has no state yet");
    // A pending version is not a state yet.
    ann.begin(&id, &State::new(1, "l", "a")).await.expect(201);
    ann.current(&id).await.refused(404, "has no state yet");
    ann.create(&id, &State::new(1, "l", "a")).await.expect(201);
    ann.current(&id).await.expect(200);
    // A client that may not read it hears that, and not that there is none.
    let blind = world.user("bob", "lock").await;
    blind.current(&id).await.refused(403, "read-state");
    let version = ann.current(&id).await.id();
    blind
        .get(&format!("/objects/state-versions/{version}/state"))
        .await
        .refused(403, "read-state");
    world.nobody().current(&id).await.refused(401, "no token");
    world
        .client("wrong")
        .current(&id)
        .await
        .refused(401, "unknown");
}

/// Trap 1: `backend "http"` takes 404, too, for "no state".
#[tokio::test]
async fn a_state_that_cannot_be_seen_is_forbidden_and_not_missing() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    ann.create(&id, &State::new(1, "l", "a")).await.expect(201);
    let bob = world.user("bob", "read-state").await;
    bob.get("/http/acme/net").await.expect(200);
    let database = world.database();
    let sql = "DELETE FROM team_member WHERE user = (SELECT id FROM user WHERE name = 'bob')";
    database.execute(sql, ()).expect("a removal");
    for path in ["/http/acme/net", "/http/acme/none", "/http/nobody/net"] {
        bob.get(path).await.refused(403, "may not see it");
    }
    ann.get("/http/acme/none").await.expect(204);
    ann.get("/http/nobody/net")
        .await
        .refused(403, "organization \"nobody\"");
}

/// Trap 1: bytes that are missing are our fault, and never "no state".
#[tokio::test]
async fn missing_bytes_are_an_error_of_the_server() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let version = ann.stored(&id, &State::new(1, "l", "a")).await;
    let damage = |sql: &str| {
        let connection = world.database();
        connection
            .pragma_update(None, "foreign_keys", false)
            .expect("a setting");
        connection
            .pragma_update(None, "ignore_check_constraints", true)
            .expect("a setting");
        assert!(connection.execute(sql, ()).expect("damage") > 0);
    };
    damage("UPDATE blob SET bytes = x'00'");
    ann.get(&format!("/objects/state-versions/{version}/state"))
        .await
        .expect(500);
    ann.get("/http/acme/net").await.expect(500);
    damage("DELETE FROM blob");
    ann.get(&format!("/objects/state-versions/{version}/state"))
        .await
        .expect(500);
    ann.get("/http/acme/net").await.expect(500);
    damage("DELETE FROM state_version");
    ann.current(&id).await.expect(500);
    let reported = ann.current(&id).await.expect(500).detail();
    assert!(
        !reported.contains("row"),
        "what is wrong inside is for the log: {reported}"
    );
}

/// Somebody deletes a version after another person has found it, and before that person reads it.
/// The answer says so: the server has not failed, and the workspace still has a state.
#[tokio::test]
async fn a_version_that_is_deleted_while_it_is_read_is_refused() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let old = ann.stored(&id, &State::new(1, "l", "a")).await;
    ann.stored(&id, &State::new(2, "l", "b")).await;
    let token = world.token("bob", "acme", "read-state").await;
    let bob = world.service.authenticate(&token).await.expect("a token");
    let version = VersionId::from_text(old.as_str());
    let found = world
        .service
        .readable_by(Bearer::Token(&bob), &version, ContentKind::State)
        .await
        .expect("a version");
    for action in ["soft_delete", "permanently_delete"] {
        let path = format!("/api/v2/state-versions/{old}/actions/{action}_backing_data");
        ann.post(&path, &Value::Null).await.expect(204);
    }
    let failure = world.service.read(&found).await.expect_err("it is gone");
    assert!(
        matches!(&failure, Failure::Refused(refusal) if refusal.kind == RefusalKind::Conflict),
        "{failure}"
    );
}

/// Trap 2, SV-41: every client sends again what it got no answer to.
#[tokio::test]
async fn a_version_sent_again_is_the_same_version() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let state = State::new(1, "l", "a");
    let first = ann.stored(&id, &state).await;
    assert_eq!(ann.create(&id, &state).await.expect(201).id(), first);
    // Also where the second attempt uploads afterwards.
    let again = ann.begin(&id, &state).await.expect(201);
    assert_eq!(again.id(), first);
    let url = text(&again.attributes()["hosted-state-upload-url"]);
    ann.put(&url, &state.bytes).await.expect(200);
    assert_eq!(ann.versions("net").await.len(), 1);
}

/// Trap 3: go-tfe ends the process over a rate limit header that it cannot read.
#[tokio::test]
async fn no_answer_has_a_rate_limit_header() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    ann.begin(&id, &State::new(1, "l", "a")).await.expect(201);
    let busy = ann.unlock(&id).await.expect(503);
    assert_eq!(busy.header("retry-after"), Some("1"));
    for answer in [
        ann.get("/api/v2/ping").await,
        busy,
        ann.current(&id).await,
        world.nobody().current(&id).await,
    ] {
        assert!(
            !answer
                .headers
                .keys()
                .any(|name| name.as_str().starts_with("x-ratelimit")),
            "{answer:?}"
        );
    }
}

/// Trap 4, SV-63: with the old serial, Terraform would apply a plan made against another state.
#[tokio::test]
async fn a_rollback_has_a_new_serial_in_its_bytes() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let first = ann.stored(&id, &State::new(1, "l", "a")).await;
    ann.create(&id, &State::new(2, "l", "b")).await.expect(201);
    let back = ann.rollback(&id, &first).await.expect(201);
    assert_eq!(back.attributes()["serial"], 3);
    let bytes = ann.bytes(&back.id()).await;
    let state: Value = serde_json::from_slice(&bytes).expect("JSON");
    assert_eq!(
        (&state["serial"], &state["outputs"]["value"]["value"]),
        (&json!(3), &json!("a"))
    );
}

/// Trap 5, SV-06: go-tfe reads no offset.
#[tokio::test]
async fn times_end_with_z() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let version = ann.create(&id, &State::new(1, "l", "a")).await.expect(201);
    assert_eq!(
        text(&version.attributes()["created-at"])[..17],
        *"2026-11-22T02:01:"
    );
    for (path, attribute) in [
        (
            format!("/api/v2/state-versions/{}", version.id()),
            "created-at",
        ),
        (format!("/api/v2/workspaces/{id}"), "updated-at"),
        (format!("/api/v2/workspaces/{id}"), "locked-at"),
    ] {
        let at = text(&ann.get(&path).await.expect(200).attributes()[attribute]);
        assert!(at.ends_with('Z') && !at.contains('+'), "{attribute}: {at}");
    }
}

/// Trap 6, SV-07: Terraform uploads to an empty or relative URL for minutes.
#[tokio::test]
async fn upload_urls_are_there_and_absolute() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let state = State::new(1, "l", "a");
    let pending = ann.begin(&id, &state).await.expect(201).attributes();
    for name in ["hosted-state-upload-url", "hosted-json-state-upload-url"] {
        assert!(
            text(&pending[name]).starts_with("http://up.test/objects/"),
            "{name}"
        );
    }
    assert_eq!(pending["hosted-state-download-url"], Value::Null);
    ann.put(&text(&pending["hosted-state-upload-url"]), &state.bytes)
        .await
        .expect(200);
    // A client that begins again with the same state must not be left without a URL.
    let again = ann.begin(&id, &state).await.expect(201).attributes();
    for name in [
        "hosted-state-upload-url",
        "hosted-json-state-upload-url",
        "hosted-state-download-url",
    ] {
        assert!(
            text(&again[name]).starts_with("http://up.test/objects/"),
            "{name}"
        );
    }
    let shown = ann.current(&id).await.expect(200).attributes();
    assert_eq!(shown["hosted-state-upload-url"], Value::Null);
}

/// Trap 7, SV-86: with 409 Terraform says that the workspace is unlocked already, and leaves the
/// lock.
#[tokio::test]
async fn unlocking_while_a_version_is_pending_is_to_be_tried_again() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let state = State::new(1, "l", "a");
    let pending = ann.begin(&id, &state).await.expect(201).attributes();
    ann.unlock(&id)
        .await
        .refused(503, "latest state version is still pending");
    ann.put(&text(&pending["hosted-state-upload-url"]), &state.bytes)
        .await
        .expect(200);
    ann.unlock(&id).await.expect(200);
}

/// Trap 7: who waits for a version whose bytes never come must not wait for ever.
#[tokio::test]
async fn a_pending_version_expires() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let version = ann
        .begin(&id, &State::new(1, "l", "a"))
        .await
        .expect(201)
        .id();
    world.service.upkeep().await.expect("upkeep");
    ann.unlock(&id).await.expect(503);
    world.wait(Duration::from_hours(1));
    let done = world.service.upkeep().await.expect("upkeep");
    assert_eq!(
        done.discarded
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        std::slice::from_ref(&version)
    );
    let shown = ann
        .attributes(&format!("/api/v2/state-versions/{version}"))
        .await;
    assert_eq!(
        (&shown["status"], &shown["hosted-state-upload-url"]),
        (&json!("discarded"), &Value::Null)
    );
    ann.unlock(&id).await.expect(200);
}

/// Trap 8, SV-16: pytfe cannot read a list with another status.
#[tokio::test]
async fn deleted_bytes_are_not_shown_by_the_status() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let old = ann.stored(&id, &State::new(1, "l", "a")).await;
    ann.create(&id, &State::new(2, "l", "b")).await.expect(201);
    let action = |name: &str| format!("/api/v2/state-versions/{old}/actions/{name}_backing_data");
    ann.post(&action("soft_delete"), &Value::Null)
        .await
        .expect(204);
    let shown = ann.versions("net").await[1]["attributes"].clone();
    assert_eq!(shown["status"], "finalized");
    assert_eq!(shown["backing-data-status"], "soft-deleted");
    assert_eq!(shown["hosted-state-download-url"], Value::Null);
    ann.get(&format!("/objects/state-versions/{old}/state"))
        .await
        .refused(404, "is deleted; it can be restored");
    ann.get(&format!("/api/v2/state-versions/{old}/outputs"))
        .await
        .refused(404, "is deleted");
    ann.post(&action("restore"), &Value::Null).await.expect(204);
    ann.bytes(&old).await;
    ann.post(&action("permanently_delete"), &Value::Null)
        .await
        .refused(400, "soft-deleted first");
    ann.post(&action("soft_delete"), &Value::Null)
        .await
        .expect(204);
    ann.post(&action("permanently_delete"), &Value::Null)
        .await
        .expect(204);
    ann.post(&action("permanently_delete"), &Value::Null)
        .await
        .expect(204);
    ann.post(&action("restore"), &Value::Null)
        .await
        .refused(400, "permanently deleted");
    assert_eq!(
        ann.versions("net").await[1]["attributes"]["status"],
        "finalized"
    );
    ann.rollback(&id, &old)
        .await
        .refused(409, "permanently deleted");
}

/// SV-82: of what two administrators do to the bytes of a version at the same time, the second is
/// decided on what the first left.
#[tokio::test]
async fn bytes_that_are_restored_meanwhile_are_not_deleted() {
    const RESTORE: &str =
        "UPDATE state_version SET backing = 'available' WHERE id = ?1 AND backing = 'soft-deleted'";
    const DESTROY: &str = "UPDATE state_version SET backing = 'permanently-deleted', state = NULL
        WHERE id = ?1 AND backing = 'soft-deleted'";
    for (first, action, why, left) in [
        (
            RESTORE,
            "permanently_delete",
            "soft-deleted first",
            "available",
        ),
        (
            DESTROY,
            "restore",
            "permanently deleted",
            "permanently-deleted",
        ),
    ] {
        // At each moment at which the server looks at the clock, up to when it is too late.
        for looks in 0.. {
            let world = World::new().await;
            let ann = world.owner().await;
            let id = ann.locked("net").await;
            let old = ann.stored(&id, &State::new(1, "l", "a")).await;
            ann.create(&id, &State::new(2, "l", "b")).await.expect(201);
            let path =
                |name: &str| format!("/api/v2/state-versions/{old}/actions/{name}_backing_data");
            ann.post(&path("soft_delete"), &Value::Null)
                .await
                .expect(204);
            let database = world.database();
            let changed = Arc::new(AtomicUsize::new(0));
            let (version, count) = (old.clone(), Arc::clone(&changed));
            world.meanwhile(looks, move || {
                count.store(
                    database.execute(first, [&version]).expect("an update"),
                    Ordering::Relaxed,
                );
                database
                    .execute("UPDATE workspace SET revision = revision + 1", ())
                    .expect("an update");
            });
            let answer = ann.post(&path(action), &Value::Null).await;
            if changed.load(Ordering::Relaxed) == 0 {
                answer.expect(204);
                assert!(looks > 0, "{action} never looks at the clock");
                break;
            }
            answer.refused(400, why);
            assert_eq!(
                ann.versions("net").await[1]["attributes"]["backing-data-status"],
                left,
                "{action} after {looks} looks"
            );
        }
    }
}

/// SV-80, SV-82: never the current one, and only what has bytes.
#[tokio::test]
async fn the_bytes_of_the_current_version_are_never_deleted() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let head = ann.stored(&id, &State::new(1, "l", "a")).await;
    let pending = ann
        .begin(&id, &State::new(2, "l", "b"))
        .await
        .expect(201)
        .id();
    for action in ["soft_delete", "permanently_delete"] {
        let of = |id: &str| format!("/api/v2/state-versions/{id}/actions/{action}_backing_data");
        ann.post(&of(&head), &Value::Null)
            .await
            .refused(400, "is the current state version");
        ann.post(&of(&pending), &Value::Null)
            .await
            .refused(400, "is pending");
    }
    let editor = world.user("eve", "read-state,write-state,lock").await;
    let path = format!("/api/v2/state-versions/{head}/actions/soft_delete_backing_data");
    editor.post(&path, &Value::Null).await.refused(403, "admin");
}

/// Trap 9: Terraform panics on a workspace without permissions.
#[tokio::test]
async fn every_workspace_document_has_permissions() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    for answer in [
        ann.get(&format!("/api/v2/workspaces/{id}")).await,
        ann.get("/api/v2/organizations/acme/workspaces/net").await,
        ann.unlock(&id).await,
        ann.lock(&id).await,
        ann.force_unlock(&id).await,
    ] {
        assert_eq!(
            answer.expect(200).attributes()["permissions"]["can-force-delete"],
            true
        );
    }
    let listed = ann.json("/api/v2/organizations/acme/workspaces").await;
    assert_eq!(
        listed["data"][0]["attributes"]["permissions"]["can-unlock"],
        true
    );
    let reader = world.user("rita", "read-state").await;
    let shown = reader.attributes(&format!("/api/v2/workspaces/{id}")).await;
    assert_eq!(
        (&shown["permissions"]["can-lock"], &shown["execution-mode"]),
        (&json!(false), &json!("local"))
    );
}

/// Trap 10, SV-39: `force:false` is not force; force skips lineage and serial, not lock and not
/// MD5.
#[tokio::test]
async fn force_skips_serial_and_lineage_alone() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let old = ann.stored(&id, &State::new(5, "l", "a")).await;
    let other = State::new(2, "other", "b");
    let mut unforced = other.forced();
    unforced["data"]["attributes"]["force"] = json!(false);
    let path = format!("/api/v2/workspaces/{id}/state-versions");
    ann.post(&path, &unforced)
        .await
        .refused(409, "The lineage provided in the state file does not match");
    let mut wrong = other.forced();
    wrong["data"]["attributes"]["md5"] = json!("0".repeat(32));
    ann.post(&path, &wrong)
        .await
        .refused(422, "The MD5 of the state");
    let forced = ann.post(&path, &other.forced()).await.expect(201);
    assert_eq!(
        (
            &forced.attributes()["serial"],
            &forced.attributes()["forced"]
        ),
        (&json!(2), &json!(true))
    );
    assert_eq!(ann.current(&id).await.id(), forced.id());
    // INV-8: what was replaced is still there, and the way back is a rollback.
    let back = ann.rollback(&id, &old).await.expect(201).attributes();
    assert_eq!(
        (&back["serial"], &back["lineage"]),
        (&json!(6), &json!("l"))
    );
    ann.unlock(&id).await.expect(200);
    ann.post(&path, &other.forced())
        .await
        .refused(409, "is not locked");
}
