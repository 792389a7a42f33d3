//! Bodies and names as an attacker sends them: a clear error, nothing stored, memory bounded.

use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use bytes::Bytes;
use futures_util::stream;
use serde_json::{Value, json};
use tower::ServiceExt as _;
use upstate_server::__internal::service::Conduct;

use crate::world::{BASE, State, World, text};

type Chunk = Result<Bytes, std::io::Error>;

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_before_it_is_read() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let path = format!("/api/v2/workspaces/{id}/state-versions");
    // By what it says of itself: not one byte is asked for.
    let endless = || {
        Body::from_stream(stream::poll_fn(|_| -> std::task::Poll<Option<Chunk>> {
            panic!("the body is read")
        }))
    };
    ann.send("POST", &path, &[("content-length", "209715200")], endless())
        .await
        .refused(413, "209715200 bytes");
    let url = text(
        &ann.begin(&id, &State::new(1, "l", "a"))
            .await
            .expect(201)
            .attributes()["hosted-state-upload-url"],
    );
    ann.send("PUT", &url, &[("content-length", "209715200")], endless())
        .await
        .refused(413, "209715200 bytes");
    ann.send(
        "POST",
        "/http/acme/other",
        &[("content-length", "209715200")],
        endless(),
    )
    .await
    .refused(413, "209715200 bytes");
    let lock = format!("/api/v2/workspaces/{id}/actions/lock");
    ann.send("POST", &lock, &[("content-length", "2000000")], endless())
        .await
        .refused(413, "2000000 bytes");
    assert_eq!(ann.versions("net").await.len(), 1);
}

/// A body that does not say how long it is.
#[tokio::test]
async fn a_body_without_an_end_is_cut_off() {
    let conduct = Conduct {
        max_state: 1 << 20,
        ..Conduct::default()
    };
    let world = World::with(conduct).await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let url = text(
        &ann.begin(&id, &State::new(1, "l", "a"))
            .await
            .expect(201)
            .attributes()["hosted-state-upload-url"],
    );
    let chunk = Bytes::from(vec![b' '; 64 << 10]);
    let endless = Body::from_stream(stream::repeat_with(move || Chunk::Ok(chunk.clone())));
    ann.send("PUT", &url, &[], endless)
        .await
        .refused(413, "more than 1048576");
    let large = State::of(
        1,
        "l",
        &format!(
            "{{\"version\":4,\"serial\":1,\"x\":\"{}\"}}",
            "y".repeat(1 << 20)
        ),
    );
    ann.create(&id, &large)
        .await
        .refused(413, "1048576 are the most");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_stops_is_given_up() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let url = text(
        &ann.begin(&id, &State::new(1, "l", "a"))
            .await
            .expect(201)
            .attributes()["hosted-state-upload-url"],
    );
    let stalled = Body::from_stream(stream::unfold(0, |sent| async move {
        if sent > 0 {
            tokio::time::sleep(Duration::from_hours(1)).await;
        }
        Some((Chunk::Ok(Bytes::from_static(b"{")), sent + 1))
    }));
    ann.send("PUT", &url, &[], stalled)
        .await
        .refused(400, "stopped for 30 seconds");
    let broken = Body::from_stream(stream::iter([
        Chunk::Ok(Bytes::from_static(b"{")),
        Chunk::Err(std::io::Error::other("gone")),
    ]));
    ann.send("PUT", &url, &[], broken)
        .await
        .refused(400, "nothing was stored");
    let shown = ann.versions("net").await;
    assert_eq!(shown[0]["attributes"]["status"], "pending");
}

/// A body that comes byte by byte, quickly enough not to have stopped.
#[tokio::test(start_paused = true)]
async fn a_body_that_drips_is_given_up() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let url = text(
        &ann.begin(&id, &State::new(1, "l", "a"))
            .await
            .expect(201)
            .attributes()["hosted-state-upload-url"],
    );
    let began = tokio::time::Instant::now();
    let every = |pause: Duration, chunk: Bytes, count: usize| {
        Body::from_stream(stream::unfold(0, move |sent| {
            let chunk = chunk.clone();
            async move {
                tokio::time::sleep(pause).await;
                (sent < count).then(|| (Chunk::Ok(chunk), sent + 1))
            }
        }))
    };
    let drips = every(Duration::from_secs(20), Bytes::from_static(b" "), 1000);
    ann.send("PUT", &url, &[("content-length", "1000")], drips)
        .await
        .refused(400, "slower than 8192 bytes a second");
    assert!(
        began.elapsed() < Duration::from_mins(1),
        "{:?}",
        began.elapsed()
    );
    // A slow line is not given up: 20 KB a second, for four minutes. It is not a state, and that is
    // what is wrong with it.
    let slow = every(Duration::from_secs(2), Bytes::from(vec![b' '; 40_000]), 120);
    ann.send("PUT", &url, &[], slow)
        .await
        .refused(422, "The MD5 of the");
}

/// While reading takes all the memory there is for it, who has a state read is asked to try again.
#[tokio::test]
async fn memory_for_reading_states_is_bounded() {
    let world = World::with(Conduct {
        parsing_memory: 1 << 20,
        ..Conduct::default()
    })
    .await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let first = ann.stored(&id, &State::new(1, "l", "a")).await;
    let taken = world
        .service
        .parsing()
        .room(1 << 20)
        .expect("all of the memory");
    let busy = "The server is reading as many states as its memory allows; try again";
    ann.create(&id, &State::new(2, "l", "b"))
        .await
        .refused(503, busy);
    ann.get(&format!("/api/v2/upstate/state-versions/{first}/plan"))
        .await
        .refused(503, busy);
    assert_eq!(ann.versions("net").await.len(), 1);
    drop(taken);
    ann.create(&id, &State::new(2, "l", "b")).await.expect(201);
    ann.get(&format!("/api/v2/upstate/state-versions/{first}/plan"))
        .await
        .expect(200);
    // All of it is given back.
    drop(
        world
            .service
            .parsing()
            .room(1 << 20)
            .expect("all of the memory"),
    );
}

/// A JSON state may be much longer than the state that it goes with, and stays in memory as long.
#[tokio::test]
async fn memory_for_rollbacks_is_bounded() {
    let world = World::with(Conduct {
        parsing_memory: 1 << 20,
        ..Conduct::default()
    })
    .await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let json_state = json!({ "x": "x".repeat(600 << 10) }).to_string();
    let mut request = State::new(1, "l", "a").inline();
    request["data"]["attributes"]["json-state"] = State::of(1, "l", &json_state).base64().into();
    let path = format!("/api/v2/workspaces/{id}/state-versions");
    let first = ann.post(&path, &request).await.expect(201).id();
    ann.create(&id, &State::new(2, "l", "b")).await.expect(201);
    let taken = world
        .service
        .parsing()
        .room(512 << 10)
        .expect("half of the memory");
    ann.rollback(&id, &first)
        .await
        .refused(503, "reading as many states as its memory allows");
    drop(taken);
    ann.rollback(&id, &first).await.expect(201);
}

/// A state that is current already is not written again, and so no revision is compared.
#[tokio::test]
async fn what_changes_while_a_state_waits_to_be_read_is_looked_at() {
    let world = World::with(Conduct {
        parsing_memory: 1 << 20,
        ..Conduct::default()
    })
    .await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let state = State::new(1, "l", "a");
    ann.create(&id, &state).await.expect(201);
    let taken = world
        .service
        .parsing()
        .room(1 << 20)
        .expect("all of the memory");
    let unlocked = async {
        ann.force_unlock(&id).await.expect(200);
        drop(taken);
    };
    let (created, ()) = tokio::join!(ann.create(&id, &state), unlocked);
    created.refused(409, "This workspace is not locked");
}

/// More large bodies at the same time than there is memory for: some are asked to try again.
#[tokio::test]
async fn memory_for_bodies_is_bounded() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let url = text(
        &ann.begin(&id, &State::new(1, "l", "a"))
            .await
            .expect(201)
            .attributes()["hosted-state-upload-url"],
    );
    let (release, wait) = tokio::sync::watch::channel(false);
    let sixty = [("content-length", "62914560")];
    let slow = || {
        let mut wait = wait.clone();
        Body::from_stream(stream::once(async move {
            wait.wait_for(|go| *go).await.expect("a sender");
            Chunk::Ok(Bytes::from_static(b"{"))
        }))
    };
    let mut all = Vec::new();
    for _ in 0..12 {
        all.push(Box::pin(ann.send("PUT", &url, &sixty, slow())));
    }
    let joined = futures_util::future::join_all(all);
    let (answers, ()) = tokio::join!(joined, async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        release.send(true).expect("receivers");
    });
    let busy = answers.iter().filter(|answer| answer.status == 503).count();
    // 512 MiB hold eight of them.
    assert_eq!(
        busy,
        4,
        "{:?}",
        answers
            .iter()
            .map(|answer| answer.status)
            .collect::<Vec<_>>()
    );
    ann.put(&url, &State::new(1, "l", "a").bytes)
        .await
        .expect(200);
}

#[tokio::test]
async fn what_is_no_document_changes_nothing() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let paths = [
        ("POST", format!("/api/v2/workspaces/{id}/state-versions")),
        ("PATCH", format!("/api/v2/workspaces/{id}/state-versions")),
        ("PATCH", format!("/api/v2/workspaces/{id}")),
        ("POST", "/api/v2/organizations/acme/workspaces".to_owned()),
        (
            "POST",
            format!("/api/v2/workspaces/{id}/relationships/tags"),
        ),
        ("POST", "/api/v2/organizations/acme/teams".to_owned()),
        ("POST", "/api/v2/organizations/acme/tokens".to_owned()),
    ];
    let deep = "[".repeat(100_000);
    let bodies: [&[u8]; 8] = [
        b"",
        b"null",
        b"[]",
        b"\"x\"",
        b"{\"data\":",
        b"\xff\xfe",
        b"{\"data\":{\"type\":[1]}}",
        deep.as_bytes(),
    ];
    for (method, path) in &paths {
        for body in bodies {
            let answer = ann.send(method, path, &[], body.to_vec()).await;
            let is_list = path.ends_with("/tags") && answer.status == 204;
            assert!(
                is_list || answer.status == 400 || answer.status == 422,
                "{method} {path} {body:?}: {answer:?}"
            );
        }
    }
    assert!(ann.versions("net").await.is_empty());
}

#[tokio::test]
async fn tricks_in_paths_and_queries_lead_nowhere() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    ann.create(&id, &State::new(1, "l", "a")).await.expect(201);
    for path in [
        "/api/v2/workspaces/..%2f..%2fetc/current-state-version",
        "/api/v2/workspaces/%00/current-state-version",
        "/api/v2/workspaces/'%20OR%201=1--/current-state-version",
        "/api/v2/state-versions/%2e%2e",
        "/api/v2/state-versions/sv-' OR '1'='1"
            .replace(' ', "%20")
            .leak(),
        "/api/v2/organizations/acme%2f..%2fother/workspaces",
        "/api/v2/organizations/%ff/workspaces",
        "/objects/state-versions/..%2f..%2fupstate.db/state",
        "/objects/state-versions/x/upstate.db",
        "/http/..%2facme/net",
    ] {
        let answer = ann.get(path).await;
        assert!((400..500).contains(&answer.status), "{path}: {answer:?}");
        assert!(
            !String::from_utf8_lossy(&answer.bytes).contains("upstate.db cannot"),
            "{path}"
        );
    }
    let long = "x".repeat(5000);
    ann.get(&format!("/api/v2/workspaces/{long}/current-state-version"))
        .await
        .expect(404);
    ann.get("/api/v2/organizations/acme/workspaces?search[name]=%27%20OR%201=1--")
        .await
        .expect(200);
    ann.get(
        "/api/v2/state-versions?&&=&%&filter[workspace][name]=net&filter[organization][name]=acme",
    )
    .await
    .expect(200);
}

/// Another organization's ids: as if they were not there.
#[tokio::test]
async fn other_organizations_ids_are_not_there() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let version = ann.stored(&id, &State::new(1, "l", "a")).await;
    let all = "read-state,write-state,read-outputs,lock,force-unlock,admin";
    let token = world.token("zoe", "other", all).await;
    let zoe = world.client(&token);
    let body = json!({ "data": { "type": "workspaces", "attributes": { "name": "net" } } });
    let own = zoe
        .made("/api/v2/organizations/other/workspaces", &body)
        .await;
    zoe.lock(&own).await.expect(200);
    zoe.rollback(&own, &version)
        .await
        .refused(404, "in this workspace not found");
    zoe.create(&id, &State::new(2, "l", "b"))
        .await
        .refused(404, "not found");
    zoe.rollback(&id, &version).await.refused(404, "not found");
    zoe.force_unlock(&id).await.refused(404, "not found");
    zoe.delete(&format!("/api/v2/workspaces/{id}"))
        .await
        .refused(404, "not found");
    let audit = zoe
        .json(&format!(
            "/api/v2/organizations/other/audit?filter[workspace][id]={id}"
        ))
        .await;
    assert_eq!(audit["meta"]["pagination"]["total-count"], 0);
    assert_eq!(ann.versions("net").await.len(), 1);
    assert_eq!(ann.current(&id).await.id(), version);
}

/// A request may have any word as its method; each one that was counted by name would be kept for
/// ever.
#[tokio::test]
async fn invented_methods_are_one_number() {
    let world = World::new().await;
    let ann = world.owner().await;
    ann.get("/metrics").await.expect(200);
    for number in 0..50 {
        world
            .nobody()
            .send(&format!("INVENTED{number}"), "/healthz", &[], "")
            .await
            .refused(405, "does not take INVENTED");
    }
    world
        .nobody()
        .send("LOCK", "/healthz", &[], "")
        .await
        .expect(405);
    let numbers =
        String::from_utf8(ann.get("/metrics").await.expect(200).bytes.to_vec()).expect("text");
    assert!(!numbers.contains("INVENTED"), "{numbers}");
    assert!(
        numbers.contains("method=\"other\"") && numbers.contains("method=\"LOCK\""),
        "{numbers}"
    );
}

/// The form to sign in is there for everybody, so for those who do not finish it, too.
#[tokio::test(start_paused = true)]
async fn a_form_that_stops_is_given_up() {
    let world = World::new().await;
    let stalled = Body::from_stream(stream::unfold(0, |sent| async move {
        if sent > 0 {
            tokio::time::sleep(Duration::from_hours(1)).await;
        }
        Some((Chunk::Ok(Bytes::from_static(b"t")), sent + 1))
    }));
    let request = Request::builder()
        .method("POST")
        .uri("/ui/sign-in")
        .header("content-length", "1000")
        .body(stalled);
    let began = tokio::time::Instant::now();
    let router = upstate_server::__internal::web::router(world.service.clone(), BASE);
    let answer = router
        .oneshot(request.expect("a request"))
        .await
        .expect("an answer");
    assert_eq!(answer.status(), 400);
    assert!(
        began.elapsed() < Duration::from_mins(1),
        "{:?}",
        began.elapsed()
    );
}

fn with_outputs(serial: i64, count: usize) -> State {
    let outputs: Vec<String> = (0..count)
        .map(|number| format!("\"o{number:06}\":{{\"value\":{number},\"type\":\"number\"}}"))
        .collect();
    let outputs = outputs.join(",");
    State::of(
        serial,
        "l",
        &format!(
            "{{\"version\":4,\"serial\":{serial},\"lineage\":\"l\",\"outputs\":{{{outputs}}},\"resources\":[]}}"
        ),
    )
}

/// Lists have these of many things, and each could fill a request.
#[tokio::test]
async fn what_a_list_has_of_each_thing_is_short() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    // A lineage in the request or in the file.
    let too_long = "The lineage has 1001 bytes";
    let long = State::new(1, &"l".repeat(1001), "a");
    ann.create(&id, &long).await.refused(422, too_long);
    ann.begin(&id, &long).await.refused(422, too_long);
    let unsaid = State {
        lineage: String::new(),
        ..long.clone()
    };
    ann.create(&id, &unsaid).await.refused(422, too_long);
    let begun = ann.begin(&id, &unsaid).await.expect(201).attributes();
    ann.put(&text(&begun["hosted-state-upload-url"]), &long.bytes)
        .await
        .refused(422, too_long);
    let info = |length: usize| json!({ "ID": "lock-1", "Info": "x".repeat(length) }).to_string();
    ann.send("LOCK", "/http/acme/other", &[], info(20_000))
        .await
        .refused(413, "16384 are the most");
    ann.send("LOCK", "/http/acme/other", &[], info(300))
        .await
        .expect(200);
    ann.send(
        "POST",
        "/http/acme/other?ID=lock-1",
        &[],
        long.bytes.clone(),
    )
    .await
    .refused(422, too_long);
    // It is only shown.
    let version = "1".repeat(200);
    let state = json!({ "version": 4, "terraform_version": version, "serial": 1, "lineage": "l", "outputs": {}, "resources": [] });
    let state = State::of(1, "l", &state.to_string());
    let made = ann.create(&id, &state).await.expect(201).attributes();
    assert_eq!(made["terraform-version"], version[..100]);

    let path = format!("/api/v2/workspaces/{id}");
    let with = |type_name: &str, name: &str, value: String| json!({ "data": { "type": type_name, "attributes": { "name": "prod", (name): value } } });
    let describe = |type_name: &str| with(type_name, "description", "d".repeat(10_001));
    let described = "description has 10001 bytes";
    ann.patch(&path, &describe("workspaces"))
        .await
        .refused(422, described);
    let organization = "/api/v2/organizations/acme";
    for (kind, type_name) in [
        ("workspaces", "workspaces"),
        ("projects", "projects"),
        ("tokens", "authentication-tokens"),
    ] {
        ann.post(&format!("{organization}/{kind}"), &describe(type_name))
            .await
            .refused(422, described);
    }
    let other = with("workspaces", "terraform-version", "1".repeat(101));
    ann.patch(&path, &other)
        .await
        .refused(422, "at most 100 characters");
    let tags = |number: usize| {
        let tag = |number: usize| json!({ "type": "tags", "attributes": { "name": format!("t{number}") } });
        json!({ "data": (0..number).map(tag).collect::<Vec<_>>() })
    };
    let tagged = format!("{path}/relationships/tags");
    ann.post(&tagged, &tags(1001))
        .await
        .refused(422, "at most 1000 tags, found 1001");
    ann.post(&tagged, &tags(1000)).await.expect(204);
}

/// Earlier releases took longer ones, with which the work goes on.
#[tokio::test]
async fn what_is_longer_already_stays_usable() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let first = ann.stored(&id, &State::new(1, "l", "a")).await;
    let (lineage, description) = ("l".repeat(1001), "d".repeat(10_001));
    let version = "1".repeat(101);
    let database = world.database();
    let sql = "UPDATE state_version SET lineage = ?1";
    assert_eq!(database.execute(sql, [&lineage]).expect("a lineage"), 1);
    let sql = "UPDATE workspace SET description = ?1, terraform_version = ?2";
    let texts = [&description, &version];
    assert_eq!(database.execute(sql, texts).expect("texts"), 1);
    ann.stored(&id, &State::new(2, &lineage, "b")).await;
    for (serial, said) in [(3, &*lineage), (4, "")] {
        let state = State::new(serial, &lineage, "c");
        let begun = State {
            lineage: said.to_owned(),
            ..state.clone()
        };
        let begun = ann.begin(&id, &begun).await.expect(201).attributes();
        ann.put(&text(&begun["hosted-state-upload-url"]), &state.bytes)
            .await
            .expect(200);
    }
    ann.rollback(&id, &first).await.expect(201);
    let again = json!({ "description": description, "terraform-version": version });
    let again = json!({ "data": { "type": "workspaces", "attributes": again } });
    ann.patch(&format!("/api/v2/workspaces/{id}"), &again)
        .await
        .expect(200);
}

/// Each tag is a condition of the statement, of which a database takes a thousand.
#[tokio::test]
async fn a_list_is_filtered_by_so_many_tags_and_no_more() {
    let world = World::new().await;
    let ann = world.owner().await;
    ann.workspace("net").await;
    let list = async |number: usize| {
        let tags: Vec<String> = (0..number).map(|tag| format!("t{tag}")).collect();
        let path = "/api/v2/organizations/acme/workspaces?search[exclude-tags]=";
        ann.get(&format!("{path}{}", tags.join(","))).await
    };
    let found = list(100).await.expect(200).json();
    assert_eq!(found["data"].as_array().expect("a list").len(), 1);
    list(101).await.refused(400, "filtered by 101 tags");
}

/// A state with very many outputs is kept as it is. Lists stay short, and none says that there are
/// no outputs.
#[tokio::test]
async fn very_many_outputs_stay_in_their_state() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let many = ann
        .create(&id, &with_outputs(1, 1001))
        .await
        .expect(201)
        .json();
    let outputs = &many["data"]["relationships"]["outputs"];
    assert!(outputs.get("data").is_none(), "{outputs}");
    let listed = ann.json(&text(&outputs["links"]["related"])).await;
    assert_eq!(listed["meta"]["pagination"]["total-count"], 1001);
    assert_eq!(
        ann.get(&format!(
            "/api/v2/workspaces/{id}/current-state-version-outputs"
        ))
        .await
        .expect(200)
        .json()["data"]
            .as_array()
            .map(Vec::len),
        Some(1001)
    );
    let state = with_outputs(2, 10_001);
    let more = ann.create(&id, &state).await.expect(201).json();
    let version = text(&more["data"]["id"]);
    assert_eq!(ann.bytes(&version).await, state.bytes);
    assert!(
        text(&more["data"]["attributes"]["unreadable"]).contains("10001 outputs"),
        "{more}"
    );
    ann.get(&format!("/api/v2/state-versions/{version}/outputs"))
        .await
        .refused(409, "are not listed");
    ann.get(&format!(
        "/api/v2/workspaces/{id}/current-state-version-outputs"
    ))
    .await
    .refused(409, "Download the state");
    // Terraform sends the outputs beside the state, too, with the bytes or before them.
    let path = format!("/api/v2/workspaces/{id}/state-versions");
    for (serial, is_inline) in [(3, true), (4, false)] {
        let state = with_outputs(serial, 10_001);
        let mut request = if is_inline {
            state.inline()
        } else {
            state.request()
        };
        let outputs =
            serde_json::from_slice::<Value>(&state.bytes).expect("JSON")["outputs"].to_string();
        request["data"]["attributes"]["json-state-outputs"] =
            json!(State::of(0, "", &outputs).base64());
        let created = ann.post(&path, &request).await.expect(201);
        if !is_inline {
            ann.put(
                &text(&created.attributes()["hosted-state-upload-url"]),
                &state.bytes,
            )
            .await
            .expect(200);
        }
        assert_eq!(ann.current(&id).await.id(), created.id());
        assert_eq!(ann.bytes(&created.id()).await, state.bytes);
        ann.get(&format!("/api/v2/state-versions/{}/outputs", created.id()))
            .await
            .refused(409, "are not listed");
    }
    // They are there again after a version with fewer, and a rollback to many is as good as the
    // first.
    ann.create(&id, &with_outputs(5, 1000)).await.expect(201);
    assert_eq!(
        ann.current(&id).await.json()["data"]["relationships"]["outputs"]["data"]
            .as_array()
            .map(Vec::len),
        Some(1000)
    );
    let back = ann.rollback(&id, &version).await.expect(201).id();
    ann.get(&format!("/api/v2/state-versions/{back}/outputs"))
        .await
        .refused(409, "are not listed");
    let page =
        ann.get("/api/v2/state-versions?filter[workspace][name]=net&filter[organization][name]=acme&include=outputs").await;
    assert_eq!(
        page.expect(200).json()["included"].as_array().map(Vec::len),
        Some(2001)
    );
}
