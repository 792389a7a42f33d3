//! `realworld-server --demo`: prints its URL and a token, and upgrades what it holds.

#![allow(clippy::unwrap_used, reason = "the test's own helpers may panic too")]

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;
use server::Server;

mod server;

#[test]
fn a_stray_separator_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_realworld-server"))
        .args(["--", "--demo"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        said,
        "realworld-server: `--` before --demo says that no flags follow. Remove it; with cargo, one is enough:\n  cargo run -q -p \
         realworld-server -- --demo\n"
    );
}

#[test]
fn the_demo_shows_what_is_behind_and_upgrades_it() {
    let server = Server::start();
    let inventory = || {
        server.send("GET", "/api/v2/upstate/organizations/demo/inventory", "")["data"]["attributes"]
            .clone()
    };
    let before = inventory();
    assert!(before["workspaces"].as_u64().unwrap() > 5, "{before}");
    let behind = before["workspaces-behind"].as_u64().unwrap();
    assert!(behind > 5, "{before}");
    let job = json!({"data": {"type": "upstate-jobs", "attributes": {"on-failure": "continue"}}})
        .to_string();
    let job = server.send("POST", "/api/v2/upstate/organizations/demo/jobs", &job);
    let path = format!(
        "/api/v2/upstate/jobs/{}",
        job["data"]["id"].as_str().unwrap()
    );
    let began = Instant::now();
    let done = loop {
        let job = server.send("GET", &path, "")["data"]["attributes"].clone();
        if job["status"] == "done" {
            break job;
        }
        assert!(began.elapsed() < Duration::from_mins(2), "{job}");
        std::thread::sleep(Duration::from_millis(100));
    };
    let upgraded = done["workspaces"]["upgraded"].as_u64().unwrap();
    let failed = server.send(
        "GET",
        &format!("{path}/workspaces?filter[status]=failed"),
        "",
    );
    assert_eq!(
        upgraded + done["workspaces"]["failed"].as_u64().unwrap(),
        behind,
        "{done}"
    );
    assert_eq!(
        inventory()["workspaces-behind"].as_u64().unwrap(),
        behind - upgraded,
        "{failed}"
    );
    assert!(upgraded > 5, "{failed}");
}

/// The pages after a bad night: failures with one cause, a state of a later release, a forgotten lock, a job, and a release to go back to.
#[test]
fn the_demo_has_a_bad_night_behind_it() {
    let server = Server::start();
    let get =
        |path: &str| server.send("GET", &format!("/api/v2/upstate/{path}"), "")["data"].clone();
    let releases = get("releases");
    let names: Vec<&str> = releases
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["0.1.0", "0.0.9"]);
    let job = get("organizations/demo/jobs")[0]["attributes"].clone();
    assert!(
        job["workspaces"]["upgraded"].as_u64().unwrap() > 5
            && job["workspaces"]["failed"].as_u64().unwrap() >= 2,
        "{job}"
    );
    let day = get("organizations/demo/day")["attributes"]["events"].clone();
    for event in ["applied", "upgraded", "failed", "undone", "locked"] {
        assert!(
            day[event]
                .as_array()
                .unwrap()
                .iter()
                .any(|number| number.as_u64().unwrap() > 0),
            "{event}: {day}"
        );
    }
    let inventory = get("organizations/demo/inventory")["attributes"].clone();
    assert!(
        inventory["workspaces-stuck"].as_u64().unwrap() >= 1,
        "{inventory}"
    );
    assert_eq!(inventory["workspaces-unreadable"], 1, "{inventory}");
    // The plan said before what the job then did: values that are dropped, and what fails.
    let found = server.send(
        "GET",
        "/api/v2/organizations/demo/workspaces/shop-dev-01",
        "",
    )["data"]["id"]
        .clone();
    let found = get(&format!("workspaces/{}/inventory", found.as_str().unwrap()))["attributes"]["last-outcome"].clone();
    let plan = get(&format!("plans/{}", found["job"].as_str().unwrap()))["attributes"].clone();
    let lost: u64 = plan["losses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|loss| loss["instances"].as_u64().unwrap())
        .sum();
    assert!(
        lost > 5 && plan["workspaces"]["with-losses"].as_u64().unwrap() > 2,
        "{}",
        plan["losses"]
    );
    assert!(
        plan["workspaces"]["failed"].as_u64() >= job["workspaces"]["failed"].as_u64(),
        "{plan}"
    );
    // The way back is planned for some and refused for others.
    let back = get("organizations/demo/plan?to-release=0.0.9&page[size]=100");
    let outcomes: Vec<&str> = back
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["attributes"]["outcome"].as_str().unwrap())
        .collect();
    assert!(
        outcomes.contains(&"downgraded") && outcomes.contains(&"failed"),
        "{outcomes:?}"
    );
}
