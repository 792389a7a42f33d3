//! Every function of `pytfe` that has to do with state versions, and those of workspaces that come
//! before and after.

use serde_json::{Value, json};

use super::api::{md5_of, state};
use super::python_client::{Client, bytes, options};
use super::service::{ORGANIZATION, Service, TOKEN};

const LINEAGE: &str = "2b0a4f6e-0000-4000-8000-000000000001";

/// A workspace that is locked.
fn locked(client: &mut Client, name: &str) -> String {
    let made = client.call(
        "workspaces.create",
        &json!([ORGANIZATION, {"$model": "WorkspaceCreateOptions", "name": name}]),
    );
    let id = made["id"].as_str().unwrap().to_owned();
    let answer = client.call(
        "workspaces.lock",
        &json!([id, {"$model": "WorkspaceLockOptions", "reason": "a test"}]),
    );
    assert_eq!(answer["locked"], true);
    id
}

fn begin(name: &str) -> (Service, Client, String) {
    let service = Service::start();
    let mut client = Client::new(service.url(), TOKEN);
    let workspace = locked(&mut client, name);
    (service, client, workspace)
}

fn text(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is not a string"))
}

#[test]
fn create_with_the_bytes_in_the_request() {
    let (service, mut client, workspace) = begin("inline");
    let first = state(LINEAGE, 1, "one");
    let made = client.call(
        "state_versions.create",
        &json!([workspace, options(&first, true)]),
    );
    assert_eq!(
        (&made["status"], &made["serial"], &made["size"]),
        (&json!("finalized"), &json!(1), &json!(first.len()))
    );
    assert_eq!(
        (&made["terraform_version"], &made["state_version"]),
        (&json!("1.15.5"), &json!(4))
    );
    assert_eq!(
        made["hosted_state_upload_url"],
        Value::Null,
        "there is nothing left to upload"
    );
    assert_eq!(made["resources_processed"], true);
    assert_eq!(
        made["providers"],
        json!({"provider[\"terraform.io/builtin/terraform\"]": {"terraform-data": 1}})
    );
    assert_eq!(made["modules"], json!({"root": {"terraform-data": 1}}));
    assert_eq!(made["resources"][0]["type"], "terraform_data");
    assert_eq!(
        client.call("state_versions.download", &json!([made["id"]])),
        bytes(&first)
    );
    // By the workspace's name, and with what belongs to the state beside it.
    let second = state(LINEAGE, 2, "two");
    let mut more = options(&second, true);
    more["json_state"] = json!("eyJmb3JtYXRfdmVyc2lvbiI6IjEuMCJ9");
    more["terraform_version"] = json!("1.15.5");
    let made = client.call_with(
        "state_versions.create",
        &json!(["inline", more]),
        &json!({"organization": ORGANIZATION}),
    );
    let json_state = text(&made["hosted_json_state_download_url"]);
    assert_eq!(
        service.direct().get(json_state).is(200).body,
        br#"{"format_version":"1.0"}"#
    );
}

#[test]
fn upload_to_the_addresses_of_a_pending_version() {
    let (service, mut client, workspace) = begin("upload");
    let first = state(LINEAGE, 1, "one");
    let json_state = br#"{"format_version":"1.0","values":{}}"#;
    let named = json!({"raw_state": bytes(&first), "raw_json_state": bytes(json_state), "options": options(&first, false)});
    let made = client.call_with("state_versions.upload", &json!([workspace]), &named);
    assert_eq!(
        (&made["status"], &made["serial"]),
        (&json!("finalized"), &json!(1))
    );
    assert_eq!(
        client.call("state_versions.download_current", &json!([workspace])),
        bytes(&first)
    );
    assert_eq!(
        service
            .direct()
            .get(text(&made["hosted_json_state_download_url"]))
            .is(200)
            .body,
        json_state
    );
    // Without a JSON state, by name.
    let second = state(LINEAGE, 2, "two");
    let named = json!({"raw_state": bytes(&second), "options": options(&second, false), "organization": ORGANIZATION});
    let made = client.call_with("state_versions.upload", &json!(["upload"]), &named);
    assert_eq!(made["hosted_json_state_download_url"], Value::Null);
    assert_eq!(
        client.call("state_versions.download", &json!([made["id"]])),
        bytes(&second)
    );
    client.call("workspaces.unlock", &json!([workspace]));
}

#[test]
fn list_read_and_read_current_tell_the_same() {
    let (_service, mut client, workspace) = begin("lists");
    for serial in 1..=7 {
        client.call(
            "state_versions.create",
            &json!([workspace, options(&state(LINEAGE, serial, "x"), true)]),
        );
    }
    let filters = json!({"$model": "StateVersionListOptions", "organization": ORGANIZATION, "workspace": "lists", "page_size": 3});
    let listed = client.call("state_versions.list", &json!([filters]));
    let serials: Vec<u64> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|version| version["serial"].as_u64().unwrap())
        .collect();
    assert_eq!(serials, [7, 6, 5, 4, 3, 2, 1]);
    // Addresses are signed again each time.
    let unsigned = |mut version: Value| {
        let fields = version.as_object_mut().unwrap();
        fields.retain(|name, _| {
            !name.ends_with("_url")
                && !name.ends_with("-url")
                && name != "_included"
                && name != "links"
        });
        version
    };
    let read = client.call("state_versions.read", &json!([listed[0]["id"]]));
    for name in [
        "id",
        "serial",
        "size",
        "status",
        "created_at",
        "resources",
        "providers",
        "modules",
        "_relationships",
    ] {
        assert_eq!(read[name], listed[0][name], "{name}");
    }
    let current = client.call("state_versions.read_current", &json!([workspace]));
    assert_eq!(unsigned(current), unsigned(read));
    client.refused("state_versions.list", &json!([]), 400);
    let nowhere = json!({"$model": "StateVersionListOptions", "organization": ORGANIZATION, "workspace": "nowhere"});
    assert_eq!(
        client
            .refused("state_versions.list", &json!([nowhere]), 404)
            .class,
        "NotFound"
    );
    client.refused("state_versions.read", &json!(["sv-nowhere"]), 404);
    client.refused("state_versions.read_current", &json!(["ws-nowhere"]), 404);
}

#[test]
fn what_belongs_to_a_version_is_included() {
    let (_service, mut client, workspace) = begin("included");
    client.call(
        "state_versions.create",
        &json!([workspace, options(&state(LINEAGE, 1, "one"), true)]),
    );
    let all = [
        "created_by",
        "run",
        "run.created_by",
        "run.configuration_version",
        "outputs",
    ];
    let current = client.call(
        "state_versions.read_current_with_options",
        &json!([workspace, {"$model": "StateVersionCurrentOptions", "include": all}]),
    );
    let included = |version: &Value, what: &str| {
        version["_included"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|resource| resource["type"] == what)
            .cloned()
            .collect::<Vec<_>>()
    };
    let [user]: [Value; 1] = included(&current, "users").try_into().unwrap();
    assert_eq!(
        user["id"],
        current["_relationships"]["created-by"]["data"]["id"]
    );
    let outputs = included(&current, "state-version-outputs");
    assert_eq!(outputs.len(), 2);
    assert!(
        outputs
            .iter()
            .all(|output| output["attributes"]["sensitive"] == false
                || output["attributes"]["value"].is_null())
    );
    let read = client.call(
        "state_versions.read_with_options",
        &json!([current["id"], {"$model": "StateVersionReadOptions", "include": ["outputs"]}]),
    );
    assert_eq!(included(&read, "users"), [Value::Null; 0]);
    assert_eq!(included(&read, "state-version-outputs"), outputs);
}

#[test]
fn outputs_are_told_and_secret_ones_only_by_themselves() {
    let (_service, mut client, workspace) = begin("outputs");
    let made = client.call(
        "state_versions.create",
        &json!([workspace, options(&state(LINEAGE, 1, "one"), true)]),
    );
    let of_version = client.call("state_versions.list_outputs", &json!([made["id"]]));
    let fields = |output: &Value| {
        ["name", "sensitive", "type", "value", "detailed_type"].map(|name| output[name].clone())
    };
    let told: Vec<_> = of_version.as_array().unwrap().iter().map(fields).collect();
    let expected = [
        [
            json!("content"),
            json!(false),
            json!("string"),
            json!("one"),
            json!("string"),
        ],
        [
            json!("secret"),
            json!(true),
            json!("string"),
            Value::Null,
            json!("string"),
        ],
    ];
    assert_eq!(told, expected);
    let small = json!({"$model": "StateVersionOutputsListOptions", "page_size": 1});
    assert_eq!(
        client.call("state_versions.list_outputs", &json!([made["id"], small])),
        of_version
    );
    let of_workspace = client.call("state_version_outputs.read_current", &json!([workspace]));
    assert_eq!(
        of_workspace
            .as_array()
            .unwrap()
            .iter()
            .map(fields)
            .collect::<Vec<_>>(),
        expected
    );
    let secret = client.call("state_version_outputs.read", &json!([of_version[1]["id"]]));
    assert_eq!(secret["value"], "s3cret");
    client.refused("state_version_outputs.read", &json!(["wsout-nowhere"]), 404);
    client.refused("state_versions.list_outputs", &json!(["sv-nowhere"]), 404);
}

#[test]
fn rollback_makes_a_new_version_of_an_old_one() {
    let (_service, mut client, workspace) = begin("rollback");
    let first = state(LINEAGE, 1, "<one> & \\u003cone\\u003e");
    let old = client.call(
        "state_versions.create",
        &json!([workspace, options(&first, true)]),
    );
    client.call(
        "state_versions.create",
        &json!([workspace, options(&state(LINEAGE, 5, "two"), true)]),
    );
    let made = client.call("state_versions.rollback", &json!([workspace, old["id"]]));
    assert_eq!(made["serial"], 6, "one more than there ever was");
    assert_eq!(
        made["_relationships"]["rollback-state-version"]["data"]["id"],
        old["id"]
    );
    let text = String::from_utf8(first)
        .unwrap()
        .replacen("\"serial\": 1", "\"serial\": 6", 1);
    assert_eq!(
        client.call("state_versions.download_current", &json!([workspace])),
        bytes(text.as_bytes())
    );
    // It is a version like any other, which the next one follows and which can be rolled back to.
    client.call(
        "state_versions.create",
        &json!([workspace, options(&state(LINEAGE, 7, "three"), true)]),
    );
    assert_eq!(
        client.call("state_versions.rollback", &json!([workspace, made["id"]]))["serial"],
        8
    );
    client.refused(
        "state_versions.rollback",
        &json!([workspace, "sv-nowhere"]),
        404,
    );
    client.call("workspaces.unlock", &json!([workspace]));
    client.refused(
        "state_versions.rollback",
        &json!([workspace, old["id"]]),
        409,
    );
}

#[test]
fn backing_data_is_hidden_shown_again_and_destroyed() {
    let (_service, mut client, workspace) = begin("backing");
    let first = state(LINEAGE, 1, "one");
    let old = client.call(
        "state_versions.create",
        &json!([workspace, options(&first, true)]),
    )["id"]
        .clone();
    let current = client.call(
        "state_versions.create",
        &json!([workspace, options(&state(LINEAGE, 2, "two"), true)]),
    )["id"]
        .clone();
    client.refused(
        "state_versions.soft_delete_backing_data",
        &json!([current]),
        400,
    );
    client.refused(
        "state_versions.permanently_delete_backing_data",
        &json!([old]),
        400,
    );
    client.call("state_versions.soft_delete_backing_data", &json!([old]));
    // The status that the documentation gives it makes pytfe fail, on one version and on the whole
    // list.
    let read = client.call("state_versions.read", &json!([old]));
    assert_eq!(
        (&read["status"], &read["hosted_state_download_url"]),
        (&json!("finalized"), &Value::Null)
    );
    let filters = json!({"$model": "StateVersionListOptions", "organization": ORGANIZATION, "workspace": "backing"});
    assert_eq!(
        client
            .call("state_versions.list", &json!([filters]))
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        client
            .try_call("state_versions.download", &json!([old]), &json!({}))
            .unwrap_err()
            .class,
        "NotFound"
    );
    client.refused("state_versions.rollback", &json!([workspace, old]), 409);
    client.call("state_versions.restore_backing_data", &json!([old]));
    assert_eq!(
        client.call("state_versions.download", &json!([old])),
        bytes(&first)
    );
    client.call("state_versions.soft_delete_backing_data", &json!([old]));
    client.call(
        "state_versions.permanently_delete_backing_data",
        &json!([old]),
    );
    client.refused("state_versions.restore_backing_data", &json!([old]), 400);
    client.refused(
        "state_versions.permanently_delete_backing_data",
        &json!([current]),
        400,
    );
    assert_eq!(
        client.call("state_versions.read", &json!([old]))["hosted_state_download_url"],
        Value::Null
    );
}

#[test]
fn what_would_lose_something_is_refused_in_words_that_people_search_for() {
    let (service, mut client, workspace) = begin("refusals");
    let first = state(LINEAGE, 3, "one");
    let made = client.call(
        "state_versions.create",
        &json!([workspace, options(&first, true)]),
    );
    let mut create = |options: Value, status: u64| {
        client
            .refused(
                "state_versions.create",
                &json!([workspace, options]),
                status,
            )
            .message
    };
    let says = |message: String, text: &str| {
        assert!(message.contains(text), "{message:?} does not say {text:?}")
    };
    says(
        create(options(&state("another", 4, "x"), true), 409),
        "The lineage provided in the state file does not match",
    );
    says(
        create(options(&state(LINEAGE, 3, "x"), true), 409),
        "The MD5 hash of the state provided does not match",
    );
    says(
        create(options(&state(LINEAGE, 2, "x"), true), 409),
        "The serial provided in the state file is not greater than the serial",
    );
    let with = |name: &str, value: Value| {
        let mut options = options(&state(LINEAGE, 4, "x"), true);
        options[name] = value;
        options
    };
    says(
        create(with("md5", json!(md5_of(b"something else"))), 422),
        "MD5",
    );
    says(create(with("serial", json!(5)), 422), "serial");
    says(create(with("lineage", json!("another")), 422), "lineage");
    says(create(with("state", json!("not base64!")), 422), "base64");
    // One more like it is the same version, not a conflict.
    assert_eq!(
        client.call(
            "state_versions.create",
            &json!([workspace, options(&first, true)])
        )["id"],
        made["id"]
    );
    client.call("workspaces.unlock", &json!([workspace]));
    let next = json!([workspace, options(&state(LINEAGE, 4, "x"), true)]);
    let message = client.refused("state_versions.create", &next, 409).message;
    says(
        message,
        "This workspace is not locked and will only accept state uploads when locked",
    );
    assert_eq!(service.direct().serials("refusals"), [3]);
}

#[test]
fn locks_are_had_by_one_and_a_pending_version_holds_them() {
    let (_service, mut client, workspace) = begin("locks");
    let lock = json!([workspace, {"$model": "WorkspaceLockOptions", "reason": "another"}]);
    let again = client.refused("workspaces.lock", &lock, 409).message;
    assert!(again.contains("locked"), "{again}");
    client.call(
        "state_versions.create",
        &json!([workspace, options(&state(LINEAGE, 1, "one"), false)]),
    );
    let class = client
        .try_call("workspaces.unlock", &json!([workspace]), &json!({}))
        .unwrap_err()
        .class;
    assert_eq!(class, "WorkspaceLockedStateVersionStillPending");
    client.call("workspaces.force_unlock", &json!([workspace]));
    let filters = json!({"$model": "StateVersionListOptions", "organization": ORGANIZATION, "workspace": "locks"});
    let listed = client.call("state_versions.list", &json!([filters]));
    assert_eq!(listed[0]["status"], "discarded");
    client.refused("state_versions.read_current", &json!([workspace]), 404);
    client.refused("workspaces.force_unlock", &json!([workspace]), 409);
}

#[test]
fn teams_are_made_listed_filled_and_deleted() {
    let (_service, mut client, _) = begin("teams");
    // There is a team already, because the token's user has what it may do from one.
    let before = client.call("teams.list", &json!([ORGANIZATION]));
    let made = client.call(
        "teams.create",
        &json!([ORGANIZATION, {"$model": "TeamCreateOptions", "name": "ops"}]),
    );
    let listed = client.call("teams.list", &json!([ORGANIZATION]));
    let listed: Vec<&Value> = listed
        .as_array()
        .unwrap()
        .iter()
        .filter(|team| team["name"] == "ops")
        .collect();
    assert_eq!((&listed[0]["id"], listed.len()), (&made["id"], 1));
    assert_eq!(listed[0]["permissions"]["can_destroy"], true);
    client.call("teams.add_users", &json!([made["id"], ["owner"]]));
    assert_eq!(
        client.call("teams.read", &json!([made["id"]]))["name"],
        "ops"
    );
    client.call("teams.remove_users", &json!([made["id"], ["owner"]]));
    client.call("teams.delete", &json!([made["id"]]));
    assert_eq!(client.call("teams.list", &json!([ORGANIZATION])), before);
}

#[test]
fn workspaces_are_made_found_changed_and_deleted() {
    let (_service, mut client, workspace) = begin("shop-live");
    let by_name = client.call_with(
        "workspaces.read",
        &json!(["shop-live"]),
        &json!({"organization": ORGANIZATION}),
    );
    let by_id = client.call("workspaces.read_by_id", &json!([workspace]));
    assert_eq!(by_name, by_id);
    assert_eq!(
        (&by_id["name"], &by_id["execution_mode"], &by_id["locked"]),
        (&json!("shop-live"), &json!("local"), &json!(true))
    );
    client.call(
        "workspaces.create",
        &json!([ORGANIZATION, {"$model": "WorkspaceCreateOptions", "name": "shop-test"}]),
    );
    client.call(
        "workspaces.create",
        &json!([ORGANIZATION, {"$model": "WorkspaceCreateOptions", "name": "bank"}]),
    );
    let names = |listed: &Value| -> Vec<String> {
        listed
            .as_array()
            .unwrap()
            .iter()
            .map(|workspace| text(&workspace["name"]).to_owned())
            .collect()
    };
    let mut list =
        |options: Value| names(&client.call("workspaces.list", &json!([ORGANIZATION, options])));
    assert_eq!(
        list(json!({"$model": "WorkspaceListOptions", "page_size": 2})),
        ["bank", "shop-live", "shop-test"]
    );
    assert_eq!(
        list(json!({"$model": "WorkspaceListOptions", "search": "shop-"})),
        ["shop-live", "shop-test"]
    );
    let tag = json!({"$model": "TagBinding", "key": "env", "value": "live"});
    client.call(
        "workspaces.add_tag_bindings",
        &json!([workspace, {"$model": "WorkspaceAddTagBindingsOptions", "tag_bindings": [tag]}]),
    );
    let bindings = client.call("workspaces.list_tag_bindings", &json!([workspace]));
    assert_eq!(
        (&bindings[0]["key"], &bindings[0]["value"]),
        (&json!("env"), &json!("live"))
    );
    let tagged = json!({"$model": "WorkspaceListOptions", "tag_bindings": [tag]});
    assert_eq!(
        names(&client.call("workspaces.list", &json!([ORGANIZATION, tagged]))),
        ["shop-live"]
    );
    let renamed =
        json!({"$model": "WorkspaceUpdateOptions", "name": "shop", "description": "sells"});
    let updated = client.call_with(
        "workspaces.update",
        &json!(["shop-live", renamed]),
        &json!({"organization": ORGANIZATION}),
    );
    assert_eq!(
        (&updated["id"], &updated["name"], &updated["description"]),
        (&json!(workspace), &json!("shop"), &json!("sells"))
    );
    let taken = json!({"$model": "WorkspaceCreateOptions", "name": "shop"});
    client.refused("workspaces.create", &json!([ORGANIZATION, taken]), 422);
    // One that holds resources is not deleted by accident.
    client.call(
        "state_versions.create",
        &json!([workspace, options(&state(LINEAGE, 1, "one"), true)]),
    );
    client.call("workspaces.unlock", &json!([workspace]));
    client.refused("workspaces.safe_delete_by_id", &json!([workspace]), 409);
    client.call("workspaces.delete_by_id", &json!([workspace]));
    client.refused("workspaces.read_by_id", &json!([workspace]), 404);
    client.refused("state_versions.read_current", &json!([workspace]), 404);
    client.call_with(
        "workspaces.safe_delete",
        &json!(["bank"]),
        &json!({"organization": ORGANIZATION}),
    );
    client.call_with(
        "workspaces.delete",
        &json!(["shop-test"]),
        &json!({"organization": ORGANIZATION}),
    );
    assert_eq!(
        client.call("workspaces.list", &json!([ORGANIZATION])),
        json!([])
    );
}

#[test]
fn retention_is_set_for_a_workspace() {
    let (_service, mut client, workspace) = begin("retention");
    let days = json!({"$model": "DataRetentionPolicyDeleteOlderSetOptions", "delete_older_than_n_days": 30});
    let set = client.call(
        "workspaces.set_data_retention_policy_delete_older",
        &json!([workspace, days]),
    );
    assert_eq!(set["delete_older_than_n_days"], 30);
    let read = client.call("workspaces.read_data_retention_policy", &json!([workspace]));
    assert_eq!(read["delete_older_than_n_days"], 30);
    client.call(
        "workspaces.set_data_retention_policy_dont_delete",
        &json!([workspace]),
    );
    client.call(
        "workspaces.delete_data_retention_policy",
        &json!([workspace]),
    );
}
