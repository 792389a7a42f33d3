//! State of every version that the example provider ever wrote.

use serde_json::{Value, json};

use super::workspace::Workspace;

const SHA256_OF_HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

/// Old state, the configuration that belongs to it, and what the current version makes of it.
struct Old {
    ty: &'static str,
    version: u64,
    attributes: Value,
    config: &'static str,
    current: u64,
    upgraded: Value,
}

fn file(permissions: &str) -> Value {
    json!({"id": "a.txt", "path": "a.txt", "content": "hello", "permissions": permissions, "secret": null, "secret_version": null,
        "sha256": SHA256_OF_HELLO, "size": 5})
}

fn config_file(comment: &str) -> Value {
    json!({"id": "a.conf", "path": "a.conf", "comment": comment, "upkeep": null,
        "section": [{"name": "north", "settings": {"depth": "12"}}]})
}

fn every_old_state() -> Vec<Old> {
    let file_config = "path = \"a.txt\"\n content = \"hello\"\n permissions = \"0640\"";
    let directory_config = "path = \"docs\"";
    let section = "section {\n name = \"north\"\n settings = { depth = \"12\" }\n }";
    let directory =
        |permissions: &str| json!({"id": "dir-7", "path": "docs", "permissions": permissions});
    let old = |ty, version, attributes, config, current, upgraded| Old {
        ty,
        version,
        attributes,
        config,
        current,
        upgraded,
    };
    let config_text: &'static str = format!("path = \"a.conf\"\n {section}").leak();
    vec![
        old(
            "harbor_file",
            0,
            json!({"id": "f", "filename": "a.txt", "content": "hello", "mode": 640}),
            file_config,
            3,
            file("0640"),
        ),
        old(
            "harbor_file",
            1,
            json!({"id": "f", "filename": "a.txt", "content": "hello", "mode": "640"}),
            file_config,
            3,
            file("0640"),
        ),
        old(
            "harbor_file",
            2,
            json!({"id": "a.txt", "path": "a.txt", "content": "hello", "permissions": "0640"}),
            file_config,
            3,
            file("0640"),
        ),
        old(
            "harbor_directory",
            0,
            json!({"id": "docs"}),
            directory_config,
            2,
            directory("0755"),
        ),
        old(
            "harbor_directory",
            1,
            json!({"id": "docs", "permissions": "0755"}),
            directory_config,
            2,
            directory("0755"),
        ),
        old(
            "harbor_config_file",
            0,
            json!({"id": "a.conf", "path": "a.conf", "settings": {"north.depth": "12"}}),
            config_text,
            2,
            config_file("managed by Terraform"),
        ),
        old(
            "harbor_config_file",
            1,
            json!({"id": "a.conf", "path": "a.conf", "comment": null, "settings": [{"section": "north", "name": "depth", "value": "12"}]}),
            config_text,
            2,
            config_file("managed by Terraform"),
        ),
    ]
}

/// What is on disk when the old state is right.
fn furnish(workspace: &Workspace) {
    use std::os::unix::fs::PermissionsExt;
    workspace.write("harbor/a.txt", "hello");
    std::fs::set_permissions(
        workspace.path("harbor/a.txt"),
        std::fs::Permissions::from_mode(0o640),
    )
    .unwrap();
    workspace.write("harbor/docs/.harbor", "dir-7");
    std::fs::set_permissions(
        workspace.path("harbor/docs"),
        std::fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    workspace.write(
        "harbor/a.conf",
        "# managed by Terraform\n[north]\ndepth = 12\n",
    );
}

#[test]
fn every_old_state_is_planned_without_changes_and_stored_as_current() {
    for old in every_old_state() {
        let what = format!("{} version {}", old.ty, old.version);
        let workspace = Workspace::new("harbor");
        furnish(&workspace);
        workspace.write(
            "main.tf",
            &format!("resource \"{}\" \"it\" {{\n {}\n}}\n", old.ty, old.config),
        );
        workspace.store(&[workspace.stored(old.ty, old.version, &old.attributes)]);
        let before = workspace.read("terraform.tfstate");
        let plan = workspace.planned();
        let actions = &plan["resource_changes"][0]["change"]["actions"];
        assert_eq!(
            *actions,
            json!(["no-op"]),
            "{what}: {:#}",
            plan["resource_changes"]
        );
        let prior = &plan["prior_state"]["values"]["root_module"]["resources"][0];
        assert_eq!(prior["schema_version"], old.current, "{what}");
        assert_eq!(prior["values"], old.upgraded, "{what}");
        assert_eq!(
            workspace.read("terraform.tfstate"),
            before,
            "{what}: a plan writes nothing"
        );
        assert_eq!(workspace.apply().changes(), (0, 0, 0), "{what}");
        let stored = workspace.instance(old.ty);
        assert_eq!(stored["schema_version"], old.current, "{what}");
        assert_eq!(stored["attributes"], old.upgraded, "{what}");
        assert_eq!(workspace.state()["serial"], 8, "{what}");
        let after = workspace.read("terraform.tfstate");
        assert_eq!(workspace.apply().changes(), (0, 0, 0), "{what}");
        assert_eq!(
            workspace.read("terraform.tfstate"),
            after,
            "{what}: the current version is left as it is"
        );
    }
}

#[test]
fn flat_state_of_terraform_0_11_is_upgraded_too() {
    let workspace = Workspace::new("harbor");
    furnish(&workspace);
    workspace.write(
        "main.tf",
        "resource \"harbor_file\" \"it\" {\n path = \"a.txt\"\n content = \"hello\"\n permissions = \"0640\"\n}\n",
    );
    let flat = json!({"id": "f", "filename": "a.txt", "content": "hello", "mode": "640"});
    let instances =
        json!([{"schema_version": 0, "attributes_flat": flat, "sensitive_attributes": []}]);
    workspace.store(&[workspace.resource("harbor_file", &instances)]);
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    let stored = workspace.instance("harbor_file");
    assert_eq!(
        (&stored["schema_version"], &stored["attributes"]),
        (&json!(3), &file("0640"))
    );
    assert!(stored.get("attributes_flat").is_none());
}

#[test]
fn flat_state_older_than_the_first_upgrader_is_migrated() {
    let workspace = Workspace::new("skiff");
    workspace.write(
        "main.tf",
        "resource \"skiff_anchor\" \"it\" {\n weight = 21\n}\n",
    );
    let instances = json!([{"schema_version": 0, "attributes_flat": {"id": "a-7", "stones": "3"}, "sensitive_attributes": []}]);
    workspace.store(&[workspace.resource("skiff_anchor", &instances)]);
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    let stored = workspace.instance("skiff_anchor");
    assert_eq!(
        (&stored["schema_version"], &stored["attributes"]),
        (&json!(2), &json!({"id": "a-7", "weight": 21}))
    );
    // JSON state of that version is refused, and left as it is.
    let instances = json!([{"schema_version": 0, "attributes": {"id": "a-7", "stones": "3"}, "sensitive_attributes": []}]);
    workspace.store(&[workspace.resource("skiff_anchor", &instances)]);
    let before = workspace.read("terraform.tfstate");
    assert_eq!(
        workspace.apply().error()["summary"],
        "Resource State Is Too Old"
    );
    assert_eq!(workspace.read("terraform.tfstate"), before);
}

#[test]
fn state_of_a_newer_provider_is_refused_and_left_as_it_is() {
    let workspace = Workspace::new("harbor");
    workspace.write(
        "main.tf",
        "resource \"harbor_directory\" \"it\" {\n path = \"docs\"\n}\n",
    );
    workspace.store(&[workspace.stored(
        "harbor_directory",
        3,
        &json!({"id": "dir-7", "path": "docs", "berths": 3}),
    )]);
    let before = workspace.read("terraform.tfstate");
    assert_eq!(
        workspace.apply().error()["summary"],
        "Resource instance managed by newer provider version"
    );
    assert_eq!(workspace.read("terraform.tfstate"), before);
}

#[test]
fn every_instance_of_for_each_is_upgraded_by_itself() {
    let workspace = Workspace::new("harbor");
    let (names, mut instances) = (["a", "b", "c"], Vec::new());
    for name in names {
        workspace.write(&format!("harbor/{name}/.harbor"), &format!("dir-{name}"));
        instances.push(json!({"index_key": name, "schema_version": 0, "attributes": {"id": name}, "sensitive_attributes": []}));
    }
    workspace.write(
        "main.tf",
        "resource \"harbor_directory\" \"it\" {\n for_each = toset([\"a\", \"b\", \"c\"])\n path = each.key\n}\n",
    );
    let mut resource = workspace.resource("harbor_directory", &Value::Array(instances));
    resource["each"] = json!("map");
    workspace.store(&[resource]);
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    let ids: Vec<Value> = workspace
        .instances("harbor_directory")
        .iter()
        .map(|instance| instance["attributes"]["id"].clone())
        .collect();
    assert_eq!(ids, ["dir-a", "dir-b", "dir-c"]);
}

#[test]
fn an_upgrade_that_looks_something_up_says_what_it_did_not_find() {
    let workspace = Workspace::new("harbor");
    workspace.write(
        "main.tf",
        "resource \"harbor_directory\" \"it\" {\n path = \"gone\"\n}\n",
    );
    workspace.store(&[workspace.stored(
        "harbor_directory",
        1,
        &json!({"id": "gone", "permissions": "0755"}),
    )]);
    let before = workspace.read("terraform.tfstate");
    let error = workspace.apply().error();
    assert_eq!(error["summary"], "Serial Number Not Found");
    let detail = error["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("The directory \"gone\" has no serial number."),
        "{detail}"
    );
    let about = "Resource type harbor_directory, stored at schema version 1, current version 2, id \"gone\".";
    assert!(detail.ends_with(about), "{detail}");
    assert_eq!(workspace.read("terraform.tfstate"), before);
}

#[test]
fn a_resource_of_an_older_type_is_moved_whatever_its_version() {
    let old = [
        (
            0,
            json!({"id": "a.conf", "file_name": "a.conf", "section": "north", "settings": {"depth": "12"}}),
        ),
        (
            1,
            json!({"id": "a.conf", "path": "a.conf", "section": "north", "settings": {"depth": "12"}}),
        ),
    ];
    for (version, attributes) in old {
        let workspace = Workspace::new("harbor");
        furnish(&workspace);
        let section = "section {\n name = \"north\"\n settings = { depth = \"12\" }\n }";
        let resource = format!(
            "resource \"harbor_config_file\" \"it\" {{\n path = \"a.conf\"\n {section}\n}}\n"
        );
        workspace.write(
            "main.tf",
            &(resource + "moved {\n from = harbor_ini_file.it\n to = harbor_config_file.it\n}\n"),
        );
        workspace.store(&[workspace.stored("harbor_ini_file", version, &attributes)]);
        assert_eq!(workspace.apply().changes(), (0, 0, 0), "version {version}");
        let stored = workspace.instance("harbor_config_file");
        assert_eq!(
            stored["attributes"],
            config_file("managed by Terraform"),
            "version {version}"
        );
        assert_eq!(stored["schema_version"], 2);
    }
}

#[test]
fn what_cannot_be_moved_stays_where_it_is() {
    let workspace = Workspace::new("harbor");
    workspace.write(
        "main.tf",
        "resource \"harbor_directory\" \"it\" {\n path = \"a\"\n}\nmoved {\n from = harbor_ini_file.it\n to = harbor_directory.it\n}\n",
    );
    workspace.store(&[workspace.stored("harbor_ini_file", 1, &json!({"id": "a"}))]);
    let before = workspace.read("terraform.tfstate");
    let error = workspace.apply().error();
    assert_eq!(error["summary"], "Unable to Move Resource State");
    assert_eq!(
        error["detail"],
        "harbor_directory does not take state of harbor_ini_file, schema version 1, from provider example.com/upstate/harbor: it takes \
         no state of other types. Remove the `moved` block, or use a release that has this move.\n\nMove from harbor_ini_file to \
         harbor_directory, stored at schema version 1, current version 2, id \"a\"."
    );
    assert_eq!(workspace.read("terraform.tfstate"), before);
}

#[test]
fn a_thousand_old_instances_are_planned_without_changes() {
    let workspace = Workspace::new("quay");
    let instance = |index: u32| {
        let attributes =
            json!({"id": format!("berth-{index}"), "behaviour": "", "size": index.to_string()});
        json!({"index_key": index, "schema_version": 0, "attributes": attributes, "sensitive_attributes": []})
    };
    workspace.write("main.tf", "resource \"quay_berth\" \"it\" {\n count = 1000\n behaviour = \"\"\n size = count.index\n}\n");
    let mut resource = workspace.resource("quay_berth", &(0..1000).map(instance).collect());
    resource["each"] = json!("list");
    workspace.store(&[resource]);
    assert_eq!(workspace.plan().changes(), (0, 0, 0));
}

#[test]
fn identities_are_upgraded_and_found_where_there_was_none() {
    let attributes =
        json!({"id": "b-1", "behaviour": "", "size": 10, "label": "by the client", "pin": null});
    for (identity, version) in [
        (json!({"name": "b-1"}), 0),
        (json!(null), 0),
        (json!({"id": "b-1"}), 1),
    ] {
        let workspace = Workspace::new("quay");
        workspace.write(
            "main.tf",
            "resource \"quay_berth\" \"it\" {\n behaviour = \"\"\n size = 10\n}\n",
        );
        let mut instance =
            json!({"schema_version": 1, "attributes": attributes, "sensitive_attributes": []});
        if !identity.is_null() {
            instance["identity"] = identity.clone();
            instance["identity_schema_version"] = json!(version);
        }
        workspace.store(&[workspace.resource("quay_berth", &json!([instance]))]);
        assert_eq!(workspace.apply().changes(), (0, 0, 0), "{identity}");
        let stored = workspace.instance("quay_berth");
        assert_eq!(stored["identity"], json!({"id": "b-1"}), "from {identity}");
        assert_eq!(stored["identity_schema_version"], 1);
    }
}

#[test]
fn a_state_of_megabytes_passes() {
    let mut workspace = Workspace::new("harbor");
    // The cipher of a debug build takes most of half a minute for 40 MB. A thousand instances have
    // as many encrypted records.
    workspace.set("TF_DISABLE_PLUGIN_TLS", "1");
    // More than the 4 MiB that a server takes unless configured otherwise, and twice that in a
    // plan.
    let content = "0123456789abcdef".repeat(265_000);
    workspace.write("harbor/large.txt", &content);
    workspace.write("large.txt", &content);
    workspace.write("main.tf", "resource \"harbor_file\" \"it\" {\n path = \"large.txt\"\n content = file(\"large.txt\")\n}\n");
    let old = json!({"id": "f", "filename": "large.txt", "content": content, "mode": "644"});
    workspace.store(&[workspace.stored("harbor_file", 1, &old)]);
    let plan = workspace.planned();
    let change = &plan["resource_changes"][0]["change"];
    assert_eq!(change["actions"], json!(["no-op"]));
    assert_eq!(change["after"]["size"], 4_240_000);
}
