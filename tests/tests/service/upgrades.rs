//! Upgrades by the service, with the real Terraform before and after, and jobs whose servers are
//! killed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::api::{Answer, Api};
use super::folder::{Backend, Folder};
use super::service::{Kept, ORGANIZATION, Service, Store};

fn configuration(attribute: &str) -> String {
    format!(
        "terraform {{\n  required_providers {{\n    ferry = {{ source = \"example.com/upstate/ferry\" }}\n  }}\n}}\nresource \"ferry_boat\" \
         \"it\" {{\n  {attribute} = \"Anna\"\n  key = \"hunter22\"\n}}\n"
    )
}

fn upgrade(api: &Api, workspace: &str, headers: &[(&str, &str)]) -> Answer {
    api.send(
        "POST",
        &format!("/api/v2/upstate/workspaces/{workspace}/actions/upgrade"),
        headers,
        b"",
    )
    .unwrap()
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
    assert_eq!(
        (
            &stored["serial"],
            &stored["resources"][0]["instances"][0]["schema_version"]
        ),
        (&json!(2), &json!(1))
    );
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

fn old_state(number: usize, serial: u64) -> Vec<u8> {
    let state = json!({
        "version": 4, "terraform_version": "1.15.5", "serial": serial, "lineage": format!("lineage-{number}"), "outputs": {},
        "resources": [{
            "mode": "managed", "type": "ferry_boat", "name": "it", "provider": "provider[\"example.com/upstate/ferry\"]",
            "instances": [{ "schema_version": 0, "attributes": { "id": "b", "title": format!("Boat {number}"), "key": null } }],
        }],
    });
    serde_json::to_vec_pretty(&state).unwrap()
}

/// How far a job is.
fn progress(api: &Api, job: &str) -> Value {
    api.get(&format!("/api/v2/upstate/jobs/{job}"))
        .is(200)
        .json()["data"]["attributes"]
        .clone()
}

/// How many workspaces a job is about.
const WORKSPACES: usize = 60;

/// For how long a server that was killed is waited for, in seconds.
const LEASE: &str = "2";

/// Gives every workspace the old state again, with this serial.
fn made_old(api: &Api, workspaces: &[String], serial: u64) {
    for (number, workspace) in workspaces.iter().enumerate() {
        api.lock(workspace).is(200);
        api.create(workspace, &old_state(number, serial)).is(201);
        api.unlock(workspace).is(200);
    }
}

/// Two servers of one store work on a job, and are killed in turn. Each workspace is upgraded once,
/// none stays locked, and the job comes to its end.
fn a_job_survives(store: Store) {
    let kills: u32 = std::env::var("UPSTATE_KILLS").map_or(4, |kills| kills.parse().unwrap());
    let kept = Kept::new(store);
    let mut services =
        [0, 1].map(|_| Service::of(Arc::clone(&kept), None, &["--lease-seconds", LEASE]));
    let api = services[0].direct();
    let workspaces: Vec<String> = (0..WORKSPACES)
        .map(|number| api.create_workspace(&format!("boat-{number}")))
        .collect();
    let (mut killed, mut rounds, mut locked) = (0, 0, 0);
    let began = Instant::now();
    while killed < kills {
        rounds += 1;
        // The connections of the last round may lead to a server that was killed.
        let api = api.again();
        made_old(&api, &workspaces, 2 * rounds - 1);
        let job = json!({"data": {"type": "upstate-jobs", "attributes": {"concurrency": 4, "on-failure": "continue"}}});
        let job = api
            .post(
                &format!("/api/v2/upstate/organizations/{ORGANIZATION}/jobs"),
                &job,
            )
            .is(201)
            .id();
        let before = killed;
        loop {
            // The one that is asked is not the one that is killed.
            let [first, second] = &mut services;
            let (victim, other) = if killed % 2 == 0 {
                (first, second)
            } else {
                (second, first)
            };
            let api = other.direct();
            let began = Instant::now();
            while progress(&api, &job)["workspaces"]["upgraded"] == 0 {
                assert!(
                    began.elapsed() < Duration::from_secs(60),
                    "nothing is upgraded"
                );
            }
            if progress(&api, &job)["status"] != "running" || killed == kills {
                break;
            }
            std::thread::sleep(Duration::from_millis(fastrand::u64(..60)));
            victim.kill();
            killed += 1;
            let held = |id: &String| {
                api.get(&format!("/api/v2/workspaces/{id}"))
                    .is(200)
                    .attribute("locked")
                    == true
            };
            locked += workspaces.iter().filter(|id| held(id)).count();
            victim.run();
            victim.ready();
        }
        assert!(
            killed > before,
            "the job was done before anything was killed"
        );
        let ended = Instant::now();
        let done = loop {
            let progress = progress(&api, &job);
            if progress["status"] == "done" {
                break progress;
            }
            assert!(ended.elapsed() < Duration::from_secs(60), "{progress}");
            std::thread::sleep(Duration::from_millis(100));
        };
        assert_eq!(done["workspaces"]["upgraded"], WORKSPACES, "{done}");
        let expected: Vec<u64> = (1..=2 * rounds).rev().collect();
        for (number, workspace) in workspaces.iter().enumerate() {
            assert_eq!(
                api.serials(&format!("boat-{number}")),
                expected,
                "workspace {number} after {killed} kills"
            );
            assert_eq!(
                api.get(&format!("/api/v2/workspaces/{workspace}"))
                    .is(200)
                    .attribute("locked"),
                false
            );
        }
    }
    println!(
        "{store:?}: {rounds} jobs over {WORKSPACES} workspaces survived {killed} kills of one of two servers in {:.1?}; {locked} workspaces were \
         locked at these moments",
        began.elapsed()
    );
}

#[test]
fn on_sqlite_a_job_survives_the_kills_of_its_servers() {
    a_job_survives(Store::Sqlite);
}

#[test]
fn on_postgres_a_job_survives_the_kills_of_its_servers() {
    a_job_survives(Store::Postgres);
}

#[test]
fn with_a_bucket_a_job_survives_the_kills_of_its_servers() {
    a_job_survives(Store::Bucket);
}
