//! The audit log, on the page and for clients.

use serde_json::json;

use crate::page::{send, sign_in};
use crate::schemas::{filled, old, registry};
use crate::world::World;

/// A job writes a line for each workspace, which would hide the rest.
#[tokio::test]
async fn the_audit_log_is_filtered() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("x")]).await;
    let gone = filled(&ann, "gone", &[old("x")]).await;
    let job = json!({ "data": { "type": "upstate-jobs", "attributes": {} } });
    let job = ann.post("/api/v2/upstate/organizations/acme/jobs", &job).await.expect(201).id();
    while world.service.work_on_jobs("test").await.expect("work") {}
    ann.delete(&format!("/api/v2/workspaces/{gone}")).await.expect(204);
    let bob = world.user("bob", "read-state,lock").await;
    bob.lock(&net).await.expect(200);
    let found = async |query: &str| -> Vec<String> {
        let log = ann.get(&format!("/api/v2/organizations/acme/audit?page[size]=100&{query}")).await.expect(200).json();
        log["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| one["attributes"]["action"].to_string().replace('"', ""))
            .collect()
    };
    let all = found("").await;
    assert_eq!(all.iter().filter(|action| *action == "state-version.upgrade").count(), 2, "{all:?}");
    assert_eq!(found("filter[action]=&filter[actor]=&filter[workspace][id]=&filter[jobs]=").await, all, "empty ones are none");
    assert_eq!(found(&format!("filter[actor]={job}")).await, ["state-version.upgrade", "state-version.upgrade"]);
    let without: Vec<String> = all.iter().filter(|action| *action != "state-version.upgrade").cloned().collect();
    assert_eq!(found("filter[jobs]=false").await, without);
    assert_eq!(found("filter[actor]=BOB").await, ["workspace.lock"]);
    assert_eq!(found("filter[action]=job").await, ["job.create"]);
    let of_gone = [
        "workspace.delete",
        "state-version.upgrade",
        "workspace.unlock",
        "state-version.create",
        "workspace.lock",
        "workspace.create",
    ];
    assert_eq!(found(&format!("filter[workspace][id]={gone}")).await, of_gone);
    ann.get("/api/v2/organizations/acme/audit?filter[jobs]=no")
        .await
        .refused(400, "filter[jobs] must be true or false, found \"no\"");
    // The page takes names as well, and the id of a deleted workspace.
    let cookie = sign_in(&world, &world.token("eve", "acme", "admin").await).await;
    let shown = async |query: &str| send(&world, "GET", &format!("/ui/organizations/acme/audit?{query}"), &cookie, "").await;
    let page = shown("workspace=net&jobs=hidden").await;
    assert!(page.text.contains("workspace.lock") && !page.text.contains("state-version.upgrade"), "{}", page.text);
    assert!(!page.text.contains("workspace.delete") && page.text.contains("value=\"net\""), "{}", page.text);
    assert!(shown(&format!("workspace={gone}&action=workspace.delete")).await.text.contains("<code>workspace.delete</code>"));
    let page = shown("actor=%3Cscript%3E").await;
    assert!(page.text.contains("No line fits") && !page.text.contains("<script>"), "{}", page.text);
}
