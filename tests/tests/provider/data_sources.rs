//! Data sources.

use serde_json::{Value, json};

use super::real::terraform::{Release, V1_6, V1_10, V1_15};
use super::workspace::Workspace;

fn probe(arguments: &str) -> Workspace {
    let workspace = Workspace::new("quay");
    workspace.write(
        "main.tf",
        &format!("data \"quay_probe\" \"it\" {{\n  {arguments}\n}}\n"),
    );
    workspace
}

fn reads(release: Release) {
    let workspace = Workspace::with("harbor", release);
    workspace.write("harbor/tide.txt", "high\n");
    workspace.write(
        "main.tf",
        "data \"harbor_file\" \"tide\" {\n path = \"tide.txt\"\n}\n\
         resource \"harbor_file\" \"copy\" {\n path = \"copy.txt\"\n content = data.harbor_file.tide.content\n}\n\
         output \"size\" {\n value = data.harbor_file.tide.size\n}\n",
    );
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    assert_eq!(workspace.read("harbor/copy.txt"), "high\n");
    assert_eq!(workspace.state()["outputs"]["size"]["value"], 5);
    workspace.write("harbor/tide.txt", "low\n");
    assert_eq!(workspace.apply().changes(), (0, 1, 0));
    assert_eq!(workspace.read("harbor/copy.txt"), "low\n");
}

#[test]
fn terraform_1_6_reads_one() {
    reads(V1_6);
}

#[test]
fn terraform_1_10_reads_one() {
    reads(V1_10);
}

#[test]
fn terraform_1_15_reads_one() {
    reads(V1_15);
}

#[test]
fn one_that_depends_on_a_resource_is_read_when_that_is_there() {
    let workspace = Workspace::new("harbor");
    workspace.write(
        "main.tf",
        "resource \"harbor_directory\" \"it\" {\n path = \"d\"\n}\n\
         data \"harbor_file\" \"it\" {\n path = \"${harbor_directory.it.path}/${substr(harbor_directory.it.id, 0, 0)}.harbor\"\n}\n\
         output \"serial\" {\n value = data.harbor_file.it.content == harbor_directory.it.id\n}\n",
    );
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    assert_eq!(workspace.state()["outputs"]["serial"]["value"], true);
}

#[test]
fn what_it_finds_is_whole_and_what_the_user_wrote_stays() {
    let workspace = probe("behaviour = \"look\"\n  ratio = 1/3");
    workspace.apply().succeeds();
    let attributes = workspace.instance("quay_probe")["attributes"].clone();
    // No float has a third: it stays as it was written.
    let stored = workspace.read("terraform.tfstate");
    assert!(
        stored.contains("\"ratio\": 0.33333333333333333333333333"),
        "{stored}"
    );
    let expected = json!({
        "behaviour": "look", "id": "p-1", "names": ["a", "b"], "pin": null, "quiet": null, "counts": {"a": 1},
        "ratio": attributes["ratio"],
        "found": [{"name": "look", "depth": null}, {"name": "by the client", "depth": attributes["found"][1]["depth"]}],
    });
    assert_eq!(attributes, expected);
    let default = probe("");
    default.apply().succeeds();
    assert_eq!(default.instance("quay_probe")["attributes"]["ratio"], 0.5);
}

#[test]
fn mistakes_in_a_configuration_are_told_where_they_stand() {
    let invalid = probe("behaviour = \"invalid\"").validate().error();
    assert_eq!(
        (&invalid["summary"], &invalid["range"]["start"]["line"]),
        (&json!("Invalid Behaviour"), &json!(2))
    );
    let both = probe("behaviour = \"look\"\n  quiet = true")
        .validate()
        .error();
    assert!(both["detail"].as_str().unwrap().contains("quiet"), "{both}");
    let workspace = Workspace::new("harbor");
    workspace.write(
        "main.tf",
        "data \"harbor_file\" \"it\" {\n  path = \"nowhere.txt\"\n}\n",
    );
    let missing = workspace.plan().error();
    assert_eq!(missing["summary"], "File Not Found");
    assert_eq!(
        missing["detail"],
        "There is no file \"nowhere.txt\". Write it first, or look for another path."
    );
    assert_eq!(
        (&missing["address"], &missing["range"]["start"]["line"]),
        (&json!("data.harbor_file.it"), &json!(2))
    );
}

#[test]
fn a_failure_is_a_diagnostic_without_secrets() {
    let pinned = |behaviour: &str| {
        probe(&format!(
            "behaviour = \"{behaviour}\"\n  pin = \"9042-7788\""
        ))
    };
    let refused = pinned("refuse").plan().error();
    assert_eq!(refused["summary"], "Probe Refused");
    assert_eq!(
        refused["detail"],
        "It does not go with the pin (sensitive value).\n\nAttribute: behaviour"
    );
    let said = pinned("say").plan().error();
    assert_eq!(
        (&said["summary"], &said["detail"]),
        (&json!("Unable to Read Data Source"), &json!("it broke"))
    );
    let panicked = pinned("panic").plan();
    let error = panicked.error();
    assert_eq!(error["summary"], "Unable to Read Data Source");
    assert!(
        error["detail"]
            .as_str()
            .unwrap()
            .starts_with("The provider panicked."),
        "{error}"
    );
    assert!(!format!("{}{}", panicked.out, panicked.err).contains("9042-7788"));
    let forgot = pinned("forget").plan().error();
    assert_eq!(forgot["summary"], "Computed Attribute Not Set");
    assert!(
        forgot["detail"]
            .as_str()
            .unwrap()
            .starts_with("found was not known"),
        "{forgot}"
    );
}

#[test]
fn a_secret_of_the_configuration_is_in_no_diagnostic() {
    let workspace = probe("behaviour = \"betray\"");
    workspace.write(
        "provider.tf",
        "provider \"quay\" {\n  token = \"t-5520118\"\n}\n",
    );
    assert_eq!(
        workspace.plan().error()["detail"],
        "the token is (sensitive value)"
    );
}

#[test]
fn a_warning_is_shown_and_the_data_is_there() {
    let workspace = probe("behaviour = \"warn\"");
    let ran = workspace.apply();
    ran.succeeds();
    let warnings: Vec<Value> = ran.diagnostics();
    assert!(
        warnings
            .iter()
            .all(|warning| warning["summary"] == "Shallow Water"),
        "{warnings:?}"
    );
    assert!(!warnings.is_empty());
}

#[test]
fn a_provider_knows_which_terraform_asks_and_what_it_does_not_know_yet() {
    let workspace = probe("behaviour = \"version\"");
    workspace.apply().succeeds();
    assert_eq!(
        workspace.instance("quay_probe")["attributes"]["id"],
        V1_15.terraform
    );

    let workspace = probe("");
    let label = "provider \"quay\" {\n  label = terraform_data.it.output\n}\n";
    workspace.write(
        "provider.tf",
        &format!("resource \"terraform_data\" \"it\" {{\n  input = \"late\"\n}}\n{label}"),
    );
    let label = |values: &Value| {
        let resources = values["root_module"]["resources"]
            .as_array()
            .unwrap()
            .clone();
        resources
            .iter()
            .find(|it| it["type"] == "quay_probe")
            .unwrap()["values"]["found"][1]["name"]
            .clone()
    };
    assert_eq!(
        label(&workspace.planned()["prior_state"]["values"]),
        "not known yet"
    );
    workspace.apply().succeeds();
    assert_eq!(label(&workspace.planned()["prior_state"]["values"]), "late");
}

#[test]
fn a_configuration_that_is_not_known_is_refused_where_the_author_says_nothing_of_it() {
    let workspace = Workspace::new("harbor");
    workspace.write(
        "main.tf",
        "resource \"terraform_data\" \"it\" {\n  input = \"port\"\n}\n\
         provider \"harbor\" {\n  root = terraform_data.it.output\n}\n\
         data \"harbor_file\" \"it\" {\n  path = \"a.txt\"\n}\n",
    );
    let error = workspace.plan().error();
    assert_eq!(
        (&error["summary"], &error["range"]["start"]["line"]),
        (&json!("Provider Configuration Not Known"), &json!(5))
    );
}

#[test]
fn its_schema_is_announced() {
    let workspace = Workspace::new("quay");
    let schemas = workspace.run(&["providers", "schema", "-json"]).json();
    let provider = &schemas["provider_schemas"]["example.com/upstate/quay"];
    let attributes = &provider["data_source_schemas"]["quay_probe"]["block"]["attributes"];
    assert_eq!(
        attributes["id"],
        json!({"type": "string", "description_kind": "markdown", "computed": true})
    );
    assert_eq!(attributes["pin"]["sensitive"], true);
    assert_eq!(provider["data_source_schemas"]["quay_probe"]["version"], 0);
}

#[test]
fn a_module_tells_the_provider_its_name() {
    let workspace = Workspace::new("quay");
    let probe = "data \"quay_probe\" \"it\" {\n behaviour = \"meta\"\n}\noutput \"it\" {\n value = data.quay_probe.it.id\n}\n";
    workspace.write("main.tf", probe);
    workspace.apply().succeeds();
    assert_eq!(workspace.state()["outputs"]["it"]["value"], "none");
    workspace.write(
        "meta.tf",
        "terraform {\n provider_meta \"quay\" {\n module = \"docks\"\n }\n}\n",
    );
    workspace.apply().succeeds();
    assert_eq!(workspace.state()["outputs"]["it"]["value"], "docks");
}
