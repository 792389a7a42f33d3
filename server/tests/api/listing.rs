//! SV-50 to SV-57: lists, pages, `include`.

use serde_json::{Value, json};

use crate::world::{State, World};

const LIST: &str =
    "/api/v2/state-versions?filter[workspace][name]=net&filter[organization][name]=acme";

#[tokio::test]
async fn both_filters_are_required_and_must_name_something() {
    let world = World::new().await;
    let ann = world.owner().await;
    ann.workspace("net").await;
    ann.get("/api/v2/state-versions")
        .await
        .refused(400, "filter[workspace][name] is required");
    ann.get("/api/v2/state-versions?filter[workspace][name]=net")
        .await
        .refused(400, "filter[organization][name] is required");
    ann.get(&LIST.replace("=net", "=gone"))
        .await
        .refused(404, "workspace \"gone\" not found");
    ann.get(&LIST.replace("=acme", "=gone"))
        .await
        .refused(404, "organization \"gone\" not found");
    ann.get(&format!("{LIST}&filter[status]=finalized,done"))
        .await
        .refused(400, "found \"done\"");
    ann.get(&LIST.replace('[', "%5B").replace(']', "%5D"))
        .await
        .expect(200);
}

/// SV-51, SV-52, SV-53.
#[tokio::test]
async fn pages_say_what_is_before_and_after() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    for serial in 1..=45 {
        ann.create(&id, &State::new(serial, "l", "a"))
            .await
            .expect(201);
    }
    let page = async |query: &str| ann.get(&format!("{LIST}{query}")).await.expect(200).json();
    let first = page("").await;
    let expected = json!({
        "current-page": 1, "page-size": 20, "prev-page": null, "next-page": 2, "total-pages": 3, "total-count": 45,
    });
    assert_eq!(first["meta"]["pagination"], expected);
    assert_eq!(
        (
            first["data"].as_array().map(Vec::len),
            &first["data"][0]["attributes"]["serial"]
        ),
        (Some(20), &json!(45))
    );
    let last = page("&page%5Bnumber%5D=3").await;
    assert_eq!(
        (
            last["data"].as_array().map(Vec::len),
            &last["data"][4]["attributes"]["serial"]
        ),
        (Some(5), &json!(1))
    );
    assert_eq!(last["meta"]["pagination"]["next-page"], Value::Null);
    let beyond = page("&page[number]=999").await;
    assert_eq!(
        (
            beyond["data"].as_array().map(Vec::len),
            &beyond["meta"]["pagination"]["current-page"]
        ),
        (Some(0), &json!(999))
    );
    assert_eq!(
        (
            &beyond["meta"]["pagination"]["total-count"],
            &beyond["meta"]["pagination"]["prev-page"]
        ),
        (&json!(45), &json!(3))
    );
    // The links lead there.
    let mut link = first["links"]["first"].clone();
    let mut seen = 0;
    while let Some(url) = link.as_str() {
        let page = ann.json(url).await;
        assert_eq!(page["links"]["self"], link);
        seen += page["data"].as_array().map_or(0, Vec::len);
        link = page["links"]["next"].clone();
    }
    assert_eq!(seen, 45);
    assert_eq!(
        page("&page[size]=1000").await["meta"]["pagination"]["page-size"],
        100
    );
    for wrong in [
        "page[number]=0",
        "page[number]=-1",
        "page[size]=x",
        "page[size]=0",
        "page[number]=1.5",
    ] {
        ann.get(&format!("{LIST}&{wrong}"))
            .await
            .refused(400, "must be a whole number from 1 on");
    }
}

#[tokio::test]
async fn order_is_that_of_creation_and_status_filters() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    ann.create(&id, &State::new(9, "l", "a")).await.expect(201);
    let forced = State::new(2, "m", "b").forced();
    ann.post(&format!("/api/v2/workspaces/{id}/state-versions"), &forced)
        .await
        .expect(201);
    ann.begin(&id, &State::new(3, "m", "c")).await.expect(201);
    let serials = async |query: &str| {
        let page = ann.json(&format!("{LIST}{query}")).await;
        let all = page["data"].as_array().expect("a list").iter();
        all.map(|version| version["attributes"]["serial"].as_i64().expect("a serial"))
            .collect::<Vec<_>>()
    };
    assert_eq!(serials("").await, [3, 2, 9]);
    assert_eq!(serials("&filter[status]=finalized").await, [2, 9]);
    assert_eq!(serials("&filter[status]=pending,discarded").await, [3]);
}

/// SV-57.
#[tokio::test]
async fn what_is_asked_for_is_included_once() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    for serial in 1..=2 {
        let mut request = State::new(serial, "l", "a").inline();
        request["data"]["relationships"] =
            json!({ "run": { "data": { "type": "runs", "id": "run-1" } } });
        ann.post(&format!("/api/v2/workspaces/{id}/state-versions"), &request)
            .await
            .expect(201);
    }
    let head = ann.current(&id).await.id();
    let types = async |path: &str| {
        let answer = ann.json(path).await;
        let included = answer["included"].as_array().expect("included").clone();
        included
            .iter()
            .map(|one| one["type"].as_str().expect("a type").to_owned())
            .collect::<Vec<_>>()
    };
    let all = "include=created_by,run,run.created_by,run.configuration_version,outputs";
    assert_eq!(
        types(&format!("/api/v2/state-versions/{head}?{all}")).await,
        ["users", "runs", "state-version-outputs"]
    );
    assert_eq!(types(&format!("{LIST}&{all}")).await.len(), 4);
    assert_eq!(
        types(&format!(
            "/api/v2/workspaces/{id}/current-state-version?include=outputs"
        ))
        .await,
        ["state-version-outputs"]
    );
    for path in [
        format!("/api/v2/state-versions/{head}?include=nonsense"),
        format!("/api/v2/workspaces/{id}/current-state-version?include=outputs,nonsense"),
        format!("{LIST}&include=nonsense"),
    ] {
        ann.get(&path).await.refused(400, "include parameter");
    }
    let run = ann.json("/api/v2/runs/run-1").await;
    assert_eq!(
        (&run["data"]["type"], &run["data"]["attributes"]["status"]),
        (&json!("runs"), &json!("applied"))
    );
    assert_eq!(
        ann.get("/api/v2/runs/run-1/created-by")
            .await
            .expect(200)
            .attributes()["username"],
        "ann"
    );
    ann.get("/api/v2/runs/run-2")
        .await
        .refused(404, "run \"run-2\" not found");
    let stranger = world.token("zoe", "other", "read-state").await;
    world
        .client(&stranger)
        .get("/api/v2/runs/run-1")
        .await
        .refused(404, "run \"run-1\" not found");
}
