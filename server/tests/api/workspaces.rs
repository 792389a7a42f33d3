//! Workspaces: names, tags, deletion.

use serde_json::{Value, json};
use upstate_server::__internal::model::WorkspaceId;
use upstate_server::__internal::service::TokenFor;

const PROVIDER: &str = "provider[\\\"registry.terraform.io/hashicorp/t\\\"]";

use crate::world::{State, World};

#[tokio::test]
async fn a_workspace_is_made_found_and_changed() {
    let world = World::new().await;
    let ann = world.owner().await;
    ann.get("/api/v2/organizations/acme/workspaces/net")
        .await
        .refused(404, "workspace \"net\" not found");
    let body = json!({ "data": {
        "type": "workspaces",
        "attributes": { "name": "net", "execution-mode": "local", "terraform-version": "1.9.0", "description": "d" },
        "relationships": { "tag-bindings": { "data": [
            { "type": "tag-bindings", "attributes": { "key": "env", "value": "prod" } },
            { "type": "tag-bindings", "attributes": { "key": "app" } },
        ]}},
    }});
    let made = ann
        .post("/api/v2/organizations/acme/workspaces", &body)
        .await
        .expect(201);
    let id = made.id();
    let attributes = made.attributes();
    assert_eq!(
        (&attributes["name"], &attributes["terraform-version"]),
        (&json!("net"), &json!("1.9.0"))
    );
    assert_eq!(
        (&attributes["operations"], &attributes["tag-names"]),
        (&json!(false), &json!(["app"]))
    );
    assert_eq!(
        ann.get("/api/v2/organizations/acme/workspaces/net")
            .await
            .expect(200)
            .id(),
        id
    );
    assert_eq!(
        ann.get(&format!("/api/v2/workspaces/{id}"))
            .await
            .expect(200)
            .id(),
        id
    );
    ann.post("/api/v2/organizations/acme/workspaces", &body)
        .await
        .refused(422, "Name has already been taken");

    let path = format!("/api/v2/workspaces/{id}");
    let change =
        |attributes: Value| json!({ "data": { "type": "workspaces", "attributes": attributes } });
    let changed = ann
        .patch(
            &path,
            &change(json!({ "name": "core", "terraform-version": "1.15.5" })),
        )
        .await
        .expect(200)
        .attributes();
    assert_eq!(
        (
            &changed["name"],
            &changed["terraform-version"],
            &changed["description"]
        ),
        (&json!("core"), &json!("1.15.5"), &json!("d"))
    );
    ann.workspace("net").await;
    ann.patch(&path, &change(json!({ "name": "net" })))
        .await
        .refused(422, "Name has already been taken");
    ann.patch(
        "/api/v2/organizations/acme/workspaces/core",
        &change(json!({ "description": "e" })),
    )
    .await
    .expect(200);
    let editor = world.user("eve", "write-state").await;
    editor
        .patch(&path, &change(json!({ "terraform-version": "1.6.6" })))
        .await
        .expect(200);
    editor
        .patch(&path, &change(json!({ "name": "mine" })))
        .await
        .refused(403, "admin");
}

#[tokio::test]
async fn names_are_plain_and_runs_are_elsewhere() {
    let world = World::new().await;
    let ann = world.owner().await;
    let make = async |attributes: Value| {
        ann.post(
            "/api/v2/organizations/acme/workspaces",
            &json!({ "data": { "type": "workspaces", "attributes": attributes } }),
        )
        .await
    };
    for name in ["", "a/b", "..", "a b", "ä", &"x".repeat(91), "a\u{0}"] {
        make(json!({ "name": name }))
            .await
            .refused(422, "Name must be 1 to 90 letters");
    }
    make(json!({})).await.refused(422, "Name must be");
    make(json!({ "name": "x", "execution-mode": "remote" }))
        .await
        .refused(422, "runs nothing");
    make(json!({ "name": "x".repeat(90) })).await.expect(201);
}

/// go-tfe sends all of it when it makes a workspace or a project: what is not kept is refused, so
/// that nobody takes it for done.
#[tokio::test]
async fn what_is_sent_with_a_new_workspace_is_kept_or_refused() {
    let world = World::new().await;
    let ann = world.owner().await;
    let path = "/api/v2/organizations/acme/workspaces";
    let named =
        |attributes: Value| json!({ "data": { "type": "workspaces", "attributes": attributes } });
    let shared = named(json!({ "name": "net", "global-remote-state": true }));
    let eve = world.user("eve", "write-state").await;
    eve.post(path, &shared).await.refused(403, "admin");
    let made = ann.post(path, &shared).await.expect(201);
    assert_eq!(made.attributes()["global-remote-state"], true);
    let id = made.id();
    let shown = ann.get(&format!("/api/v2/workspaces/{id}")).await;
    assert_eq!(shown.attributes()["global-remote-state"], true);
    let alone = named(json!({ "name": "app", "project-remote-state": false }));
    let made = eve.post(path, &alone).await.expect(201);
    assert_eq!(made.attributes()["global-remote-state"], false);
    let of_project = json!({ "name": "dns", "project-remote-state": true });
    ann.post(path, &named(of_project.clone()))
        .await
        .refused(422, "project-remote-state must be false");
    ann.patch(&format!("/api/v2/workspaces/{id}"), &named(of_project))
        .await
        .refused(422, "project-remote-state must be false");
    let tags = json!([{ "type": "tag-bindings", "attributes": { "key": "env", "value": "prod" } }]);
    let project = json!({ "data": {
        "type": "projects",
        "attributes": { "name": "prod" },
        "relationships": { "tag-bindings": { "data": tags } },
    }});
    ann.post("/api/v2/organizations/acme/projects", &project)
        .await
        .refused(422, "A project has no tags here");
    // More people read the state, so that the audit log says it.
    let alone = named(json!({ "global-remote-state": false }));
    ann.patch(&format!("/api/v2/workspaces/{id}"), &alone)
        .await
        .expect(200);
    let shared = "shared with every workspace of the organization";
    for (action, detail) in [
        ("create", shared.to_owned()),
        ("update", format!("no longer {shared}")),
    ] {
        let query = format!("filter[action]=workspace.{action}&filter[workspace][id]={id}");
        let log = ann
            .json(&format!("/api/v2/organizations/acme/audit?{query}"))
            .await;
        assert_eq!(log["data"][0]["attributes"]["detail"], detail);
    }
}

#[tokio::test]
async fn tags_are_listed_added_and_removed() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.workspace("net").await;
    ann.workspace("other").await;
    let tags = format!("/api/v2/workspaces/{id}/relationships/tags");
    let plain = |names: &[&str]| {
        let data: Vec<Value> = names
            .iter()
            .map(|name| json!({ "type": "tags", "attributes": { "name": name } }))
            .collect();
        json!({ "data": data })
    };
    ann.post(&tags, &plain(&["a", "b"])).await.expect(204);
    let bindings = format!("/api/v2/workspaces/{id}/tag-bindings");
    let body = json!({ "data": [{ "type": "tag-bindings", "attributes": { "key": "env", "value": "prod" } }] });
    let listed = ann.patch(&bindings, &body).await.expect(200).json();
    let keys: Vec<&Value> = listed["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| &one["attributes"]["key"])
        .collect();
    assert_eq!(keys, ["a", "b", "env"]);
    // go-tfe reads no other type there.
    let effective = format!("/api/v2/workspaces/{id}/effective-tag-bindings");
    let listed = ann.json(&effective).await;
    for one in listed["data"].as_array().expect("a list") {
        assert_eq!(one["type"], "effective-tag-bindings");
    }
    assert_eq!(listed["data"][2]["attributes"]["value"], "prod");
    for (query, name, total) in [
        ("q=b", "b", 1),
        ("name=b", "b", 1),
        ("page[number]=2&page[size]=1", "b", 2),
    ] {
        let listed = ann.json(&format!("{tags}?{query}")).await;
        assert_eq!(listed["data"].as_array().map(Vec::len), Some(1), "{query}");
        assert_eq!(listed["data"][0]["attributes"]["name"], name, "{query}");
        assert_eq!(
            listed["meta"]["pagination"]["total-count"], total,
            "{query}"
        );
    }
    ann.send("DELETE", &tags, &[], plain(&["b"]).to_string())
        .await
        .expect(204);
    assert_eq!(
        ann.get(&tags).await.expect(200).json()["data"][0]["attributes"]["name"],
        "a"
    );
    assert_eq!(
        ann.get(&bindings).await.expect(200).json()["data"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    let count = async |query: &str| {
        ann.get(&format!("/api/v2/organizations/acme/workspaces?{query}"))
            .await
            .expect(200)
            .json()["meta"]["pagination"]["total-count"]
            .clone()
    };
    assert_eq!(count("").await, 2);
    assert_eq!(count("search%5Btags%5D=a").await, 1);
    assert_eq!(count("search[tags]=a,gone").await, 0);
    assert_eq!(count("search[exclude-tags]=a").await, 1);
    assert_eq!(count("search[name]=the").await, 1);
    for (pattern, found) in [
        ("*the*", 1),
        ("*the", 0),
        ("the*", 0),
        ("OTH*", 1),
        ("*er", 1),
        ("other", 1),
        ("ne", 0),
        ("*", 2),
    ] {
        let query = format!("search[wildcard-name]={pattern}");
        assert_eq!(count(&query).await, found, "{pattern}");
    }
    assert_eq!(
        count("filter[tagged][0][key]=env&filter[tagged][0][value]=prod").await,
        1
    );
    assert_eq!(
        count("filter[tagged][0][key]=env&filter[tagged][0][value]=dev").await,
        0
    );
    assert_eq!(count("sort=name").await, 2);
    for (query, part) in [
        ("sort=-name", "sort must be name"),
        ("filter[current-run][status]=applied", "runs nothing"),
    ] {
        ann.get(&format!("/api/v2/organizations/acme/workspaces?{query}"))
            .await
            .refused(400, part);
    }
    ann.post(&tags, &json!({ "data": [{ "type": "tags" }] }))
        .await
        .refused(422, "must have a name or a key");
    ann.post(&tags, &json!({ "data": {} }))
        .await
        .refused(422, "a list of resource objects");
}

#[tokio::test]
async fn a_workspace_that_manages_something_is_not_deleted_safely() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let safe = format!("/api/v2/workspaces/{id}/actions/safe-delete");
    ann.post(&safe, &Value::Null).await.refused(409, "locked");
    let resource = |serial: i64, instances: &str| {
        let text = format!(
            "{{\"version\":4,\"serial\":{serial},\"lineage\":\"l\",\"resources\":[{{\"mode\":\"managed\",\"type\":\"t\",\"name\":\"n\",\
             \"provider\":\"{PROVIDER}\",\"instances\":[{instances}]}},{{\"mode\":\"data\",\"type\":\"t\",\"name\":\"n\",\"provider\":\"{PROVIDER}\",\
             \"instances\":[{{}}]}}]}}"
        );
        State::of(serial, "l", &text)
    };
    let version = ann.stored(&id, &resource(1, "{}")).await;
    ann.unlock(&id).await.expect(200);
    ann.post(&safe, &Value::Null)
        .await
        .refused(409, "still managing resources");
    ann.lock(&id).await.expect(200);
    ann.create(&id, &resource(2, "")).await.expect(201);
    ann.unlock(&id).await.expect(200);
    let editor = world.user("eve", "write-state,read-state,lock").await;
    editor.post(&safe, &Value::Null).await.refused(403, "admin");
    editor
        .delete(&format!("/api/v2/workspaces/{id}"))
        .await
        .refused(403, "admin");
    ann.post(&safe, &Value::Null).await.expect(204);
    ann.current(&id).await.refused(404, "workspace");
    ann.get(&format!("/api/v2/state-versions/{version}"))
        .await
        .refused(404, "not found");
    // The name is free.
    ann.workspace("net").await;
    ann.delete("/api/v2/organizations/acme/workspaces/net")
        .await
        .expect(204);
    ann.delete("/api/v2/organizations/acme/workspaces/net")
        .await
        .refused(404, "not found");
}

/// go-tfe reads organization, project and user of the lock out of the same answer.
#[tokio::test]
async fn documents_beside_a_workspace_are_included() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.workspace("net").await;
    let kept = "data-retention-policy-dont-deletes";
    let policy = json!({ "data": { "type": kept, "attributes": {} } });
    let path = format!("/api/v2/workspaces/{id}/relationships/data-retention-policy");
    ann.post(&path, &policy).await.expect(200);
    ann.lock(&id).await.expect(200);
    let include = "include=organization,project,locked_by,current_run";
    for path in [
        format!("/api/v2/workspaces/{id}?{include}"),
        format!("/api/v2/organizations/acme/workspaces/net?{include}"),
        format!("/api/v2/organizations/acme/workspaces?{include}"),
    ] {
        let shown = ann.json(&path).await;
        let workspace = shown["data"].get(0).unwrap_or(&shown["data"]);
        let beside = &workspace["relationships"];
        let included = shown["included"].as_array().expect("a list");
        assert_eq!(included.len(), 3, "{path}: {shown}");
        for name in ["organization", "project", "locked-by"] {
            let named = &beside[name]["data"];
            assert!(
                included
                    .iter()
                    .any(|one| one["id"] == named["id"] && one["type"] == named["type"]),
                "{name} of {path}: {shown}"
            );
        }
        assert_eq!(beside["data-retention-policy"]["data"]["type"], kept);
    }
    let plain = ann.get(&format!("/api/v2/workspaces/{id}")).await;
    assert_eq!(plain.expect(200).json().get("included"), None);
    let shown = ann
        .json("/api/v2/organizations/acme?include=default-project")
        .await;
    assert_eq!(
        shown["data"]["relationships"]["default-project"]["data"]["id"],
        shown["included"][0]["id"]
    );
    assert_eq!(
        shown["included"][0]["attributes"]["name"],
        "Default Project"
    );
    assert_eq!(
        shown["data"]["attributes"]["permissions"]["can-create-project"],
        true
    );
    // Left out, because this token may not see the project.
    let token = world
        .service
        .create_token(
            "test",
            TokenFor::Workspace(WorkspaceId::from_text(id.clone())),
            "",
            None,
            None,
        )
        .await
        .expect("a token")
        .secret;
    let alone = world.client(&token);
    let shown = alone
        .get(&format!("/api/v2/workspaces/{id}?include=project"))
        .await
        .expect(200);
    assert_eq!(shown.json()["included"], json!([]));
}

/// SV-83.
#[tokio::test]
async fn a_workspace_may_have_a_policy_of_its_own() {
    let world = World::new().await;
    let ann = world.owner().await;
    let id = ann.workspace("net").await;
    let path = format!("/api/v2/workspaces/{id}/relationships/data-retention-policy");
    ann.get(&path).await.refused(404, "data retention policy");
    let days = |days: Value| json!({ "data": { "type": "data-retention-policy-delete-olders", "attributes": { "delete-older-than-n-days": days } } });
    let set = ann.post(&path, &days(json!(30))).await.expect(200);
    assert_eq!(set.attributes()["delete-older-than-n-days"], 30);
    ann.post(&path, &days(json!(0)))
        .await
        .refused(422, "1 or greater");
    ann.post(&path, &days(json!("x")))
        .await
        .refused(422, "a number of days");
    let never =
        json!({ "data": { "type": "data-retention-policy-dont-deletes", "attributes": {} } });
    let set = ann.patch(&path, &never).await.expect(200).json();
    assert_eq!(set["data"]["type"], "data-retention-policy-dont-deletes");
    // What is misspelt, or contradicts itself, changes nothing.
    let policy = |type_name: &str, attributes: Value| json!({ "data": { "type": type_name, "attributes": attributes } });
    let days = json!({ "delete-older-than-n-days": 30 });
    let olders = "data-retention-policy-delete-olders";
    ann.post(&path, &policy(olders, json!({})))
        .await
        .refused(422, "is missing");
    ann.post(
        &path,
        &policy(olders, json!({ "delete-older-then-n-days": 30 })),
    )
    .await
    .refused(422, "is missing");
    ann.post(
        &path,
        &policy("data-retention-policy-dont-deletes", days.clone()),
    )
    .await
    .refused(422, "deletes nothing");
    ann.post(
        &path,
        &policy("data-retention-policy-delete-older", days.clone()),
    )
    .await
    .refused(422, "data.type must be");
    ann.post(&path, &policy("", days.clone()))
        .await
        .refused(422, "data.type must be");
    ann.post(&path, &json!({})).await.refused(422, "no data");
    assert_eq!(
        ann.get(&path).await.expect(200).json()["data"]["type"],
        "data-retention-policy-dont-deletes"
    );
    // The older name of go-tfe.
    ann.post(&path, &policy("data-retention-policies", days))
        .await
        .expect(200);
    assert_eq!(
        ann.get(&path).await.expect(200).json()["data"]["type"],
        olders
    );
    ann.delete(&path).await.expect(204);
    ann.get(&path).await.expect(404);
}
