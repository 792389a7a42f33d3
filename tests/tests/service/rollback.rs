//! Going back: with Terraform before and after, and another client between.

use serde_json::{Value, json};

use super::folder::{Backend, Folder};
use super::python_client::{Client, bytes, options};
use super::service::{Service, TOKEN};

fn rewritten(state: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut file: Value = serde_json::from_slice(state).unwrap();
    change(&mut file);
    serde_json::to_vec_pretty(&file).unwrap()
}

#[test]
fn an_upgrade_and_its_rollback_between_two_applies() {
    let service = Service::start();
    let api = service.direct();
    let folder = Folder::new(service.url());
    folder.uses(Backend::Cloud, "upgraded").init().succeeds();
    assert_eq!(folder.apply().changes(), (1, 0, 0));
    let workspace = api.workspace("upgraded");
    let first = api.current(&workspace).id();

    // Another program changes what is stored, as an upgrade does.
    let mut client = Client::new(service.url(), TOKEN);
    client.call(
        "workspaces.lock",
        &json!([workspace, {"$model": "WorkspaceLockOptions", "reason": "an upgrade"}]),
    );
    let old = api.download_current(&workspace);
    assert_eq!(
        client.call("state_versions.download_current", &json!([workspace])),
        bytes(&old)
    );
    let new = rewritten(&old, |file| {
        file["serial"] = json!(2);
        for name in ["input", "output"] {
            file["resources"][0]["instances"][0]["attributes"][name]["value"] = json!("upgraded");
        }
    });
    let named = json!({"raw_state": bytes(&new), "options": options(&new, false)});
    client.call_with("state_versions.upload", &json!([workspace]), &named);
    client.call("workspaces.unlock", &json!([workspace]));
    let plan = folder.run(&["plan", "-no-color", "-input=false", "-out=saved.tfplan"]);
    assert!(
        plan.succeeds().out.contains("\"upgraded\" -> \"one\""),
        "{}",
        plan.out
    );

    client.call(
        "workspaces.lock",
        &json!([workspace, {"$model": "WorkspaceLockOptions", "reason": "back"}]),
    );
    assert_eq!(
        client.call("state_versions.rollback", &json!([workspace, first]))["serial"],
        3
    );
    client.call("workspaces.unlock", &json!([workspace]));
    assert_eq!(
        folder.plan().changes(),
        (0, 0, 0),
        "what is stored is what was there before"
    );
    folder
        .run(&["apply", "-no-color", "-input=false", "saved.tfplan"])
        .fails_with("Saved plan is stale");
    folder.apply_value("two").succeeds();
    assert_eq!(api.serials("upgraded"), [4, 3, 2, 1]);
    assert_eq!(folder.pull()["serial"], 4);
}

#[test]
fn every_byte_of_the_old_version_but_its_serial_comes_back() {
    let service = Service::start();
    let api = service.direct();
    let workspace = api.create_workspace("bytes");
    api.lock(&workspace).is(200);
    let odd = "{\"outputs\":{\"serial\":{\"value\":\"\\\"serial\\\": 1 <>&\\u003c\",\"type\":\"string\"}},\t\"serial\" :\r\n 1 ,\"version\":4,\
               \"terraform_version\":\"1.5.0\",\"lineage\":\"l\",\"resources\":[],\"check_results\":null,\"serials\":1e400}  \n";
    let first = api.create(&workspace, odd.as_bytes()).is(201).id();
    let second = odd.replace("\"serial\" :\r\n 1 ", "\"serial\" :\r\n 99 ");
    api.create(&workspace, second.as_bytes()).is(201);
    let back = api.rollback(&workspace, &first);
    assert_eq!(back.is(201).attribute("serial"), 100);
    let expected = odd.replace("\"serial\" :\r\n 1 ", "\"serial\" :\r\n 100 ");
    assert_eq!(
        String::from_utf8(api.download_current(&workspace)).unwrap(),
        expected
    );
    assert_eq!(back.attribute("size"), expected.len());
}
