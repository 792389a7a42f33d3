//! Upgrades by the service, with the real Terraform before and after, and jobs whose servers are killed.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::api::{Answer, Api};
use super::folder::{Backend, Folder};
use super::service::{ORGANIZATION, Service};

fn configuration(attribute: &str) -> String {
    format!(
        "terraform {{\n  required_providers {{\n    ferry = {{ source = \"example.com/upstate/ferry\" }}\n  }}\n}}\nresource \"ferry_boat\" \
         \"it\" {{\n  {attribute} = \"Anna\"\n  key = \"hunter22\"\n}}\n"
    )
}

fn upgrade(api: &Api, workspace: &str, headers: &[(&str, &str)]) -> Answer {
    api.send("POST", &format!("/api/v2/upstate/workspaces/{workspace}/actions/upgrade"), headers, b"").unwrap()
}

#[test]
fn terraform_plans_nothing_after_the_service_upgraded_and_after_it_went_back() {
    let service = Service::start();
    let api = service.direct();
    let folder = Folder::new(service.url());
    // The old provider makes the state.
    folder.uses_ferry("old");
    folder.write("main.tf", &configuration("title"));
    folder.uses(Backend::Cloud, "ferry");
    folder.init();
    assert_eq!(folder.apply().changes(), (1, 0, 0));
    assert_eq!(folder.plan().changes(), (0, 0, 0));
    let workspace = api.workspace("ferry");
    let first = api.current(&workspace).id();
    let inventory = api.get(&format!("/api/v2/upstate/workspaces/{workspace}/inventory"));
    assert_eq!(inventory.is(200).attribute("needs-upgrade"), 1);
    let plan = api.get(&format!("/api/v2/upstate/state-versions/{first}/plan"));
    assert_eq!(
        plan.is(200).json()["data"][0]["attributes"]["changes"],
        json!([
            { "path": "name", "action": "add", "after": "Anna" },
            { "path": "title", "action": "remove", "before": "Anna" },
        ])
    );
    let matching = format!("\"{first}\"");
    upgrade(&api, &workspace, &[("If-Match", &matching)]).is(201);
    // The new provider finds its own state.
    folder.uses_ferry("new");
    folder.write("main.tf", &configuration("name"));
    let stored = folder.pull();
    assert_eq!((&stored["serial"], &stored["resources"][0]["instances"][0]["schema_version"]), (&json!(2), &json!(1)));
    assert_eq!(folder.plan().changes(), (0, 0, 0));
    assert_eq!(api.serials("ferry"), [2, 1], "the plan wrote nothing");
    // And back: the old provider finds its own.
    api.lock(&workspace).is(200);
    api.rollback(&workspace, &first).is(201);
    api.unlock(&workspace).is(200);
    folder.uses_ferry("old");
    folder.write("main.tf", &configuration("title"));
    assert_eq!(folder.plan().changes(), (0, 0, 0));
    assert_eq!(api.serials("ferry"), [3, 2, 1]);
}

fn old_state(number: usize) -> Vec<u8> {
    let state = json!({
        "version": 4, "terraform_version": "1.15.5", "serial": 1, "lineage": format!("lineage-{number}"), "outputs": {},
        "resources": [{
            "mode": "managed", "type": "ferry_boat", "name": "it", "provider": "provider[\"example.com/upstate/ferry\"]",
            "instances": [{ "schema_version": 0, "attributes": { "id": "b", "title": format!("Boat {number}"), "key": null } }],
        }],
    });
    serde_json::to_vec_pretty(&state).unwrap()
}

/// How far a job is.
fn progress(api: &Api, job: &str) -> Value {
    api.get(&format!("/api/v2/upstate/jobs/{job}")).is(200).json()["data"]["attributes"].clone()
}

/// The server is killed while it works on a job, several times; the next one goes on. Each workspace is upgraded once, none stays locked.
#[test]
#[ignore = "it waits minutes for what killed servers had begun"]
fn a_job_is_finished_although_its_servers_are_killed() {
    const WORKSPACES: usize = 150;
    let mut service = Service::start();
    let api = service.direct();
    let workspaces: Vec<String> = (0..WORKSPACES)
        .map(|number| {
            let workspace = api.create_workspace(&format!("boat-{number}"));
            api.lock(&workspace).is(200);
            api.create(&workspace, &old_state(number)).is(201);
            api.unlock(&workspace).is(200);
            workspace
        })
        .collect();
    let job = json!({"data": {"type": "upstate-jobs", "attributes": {"concurrency": 4, "on-failure": "continue"}}});
    let job = api.post(&format!("/api/v2/upstate/organizations/{ORGANIZATION}/jobs"), &job).is(201).id();
    let mut kills = 0;
    while kills < 5 && progress(&api, &job)["status"] == "running" {
        std::thread::sleep(Duration::from_millis(80));
        service.kill();
        kills += 1;
        service.run();
        service.ready();
    }
    assert!(kills > 0, "the job was done before anything was killed");
    let began = Instant::now();
    let done = loop {
        let progress = progress(&api, &job);
        if progress["status"] == "done" {
            break progress;
        }
        assert!(began.elapsed() < Duration::from_secs(300), "{progress}");
        std::thread::sleep(Duration::from_secs(1));
    };
    assert_eq!(done["workspaces"]["upgraded"], WORKSPACES, "{done}");
    for (number, workspace) in workspaces.iter().enumerate() {
        assert_eq!(api.serials(&format!("boat-{number}")), [2, 1], "workspace {number} after {kills} kills");
        assert_eq!(api.get(&format!("/api/v2/workspaces/{workspace}")).is(200).attribute("locked"), false);
    }
}
