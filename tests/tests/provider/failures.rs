//! Upgrades that refuse, warn and panic.

use serde_json::{Value, json};

use super::workspace::Workspace;

fn berth(behaviour: &str) -> Workspace {
    let workspace = Workspace::new("quay");
    workspace
        .write("main.tf", &format!("resource \"quay_berth\" \"it\" {{\n  behaviour = \"{behaviour}\"\n  size      = 10\n}}\n"));
    let attributes = json!({"id": "b-1", "behaviour": behaviour, "size": "10"});
    workspace.store(&[workspace.stored("quay_berth", 0, &attributes)]);
    workspace
}

const ABOUT: &str =
    "Resource type quay_berth, stored at schema version 0, current version 1, id \"b-1\".";

#[test]
fn an_error_points_at_the_attribute_and_names_all_there_is_to_know() {
    let workspace = berth("refuse");
    let before = workspace.read("terraform.tfstate");
    let error = workspace.apply().error();
    assert_eq!(error["summary"], "Unknown Size");
    let said = "It is given in furlongs. Convert it with release 0.9, then upgrade.";
    assert_eq!(
        error["detail"],
        format!("{said}\n\n{ABOUT}\n\nAttribute: size")
    );
    assert_eq!(error["address"], "quay_berth.it");
    assert_eq!(error["range"]["start"]["line"], 3);
    assert_eq!(workspace.read("terraform.tfstate"), before);
}

#[test]
fn a_warning_is_shown_and_the_upgrade_goes_on() {
    let workspace = berth("warn");
    let ran = workspace.apply();
    assert_eq!(ran.changes(), (0, 0, 0));
    let [warning]: [Value; 1] = ran
        .diagnostics()
        .into_iter()
        .take(1)
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    assert_eq!(
        (&warning["severity"], &warning["summary"]),
        (&json!("warning"), &json!("Rounded Size"))
    );
    assert_eq!(
        warning["detail"],
        format!("Sizes are whole metres now.\n\n{ABOUT}\n\nAttribute: size")
    );
    assert_eq!(workspace.instance("quay_berth")["schema_version"], 1);
}

#[test]
fn a_panic_is_a_diagnostic_its_message_stays_secret_and_the_state_stays_too() {
    let workspace = berth("panic");
    let before = workspace.read("terraform.tfstate");
    let ran = workspace.apply();
    let error = ran.error();
    assert_eq!(error["summary"], "Upgrade Panicked");
    let said = "The upgrader panicked. Its message is not shown, because the resource has sensitive attributes. The stored state is \
                unchanged. This is a bug in the upgrader: report it to the authors.";
    assert_eq!(error["detail"], format!("{said}\n\n{ABOUT}"));
    let everything = format!("{}{}", ran.out, ran.err);
    assert!(!everything.contains("the pin is"), "{everything}");
    // Terraform shows the trace if it has read it by the time it ends, which on a busy machine it
    // sometimes has not.
    let told = (0..10)
        .map(|_| workspace.apply().err)
        .find(|err| !err.is_empty())
        .unwrap();
    assert!(
        told.contains("Stack trace from the terraform-provider-quay plugin"),
        "{told}"
    );
    assert!(
        told.contains("panic: inside an upgrade\n\nat tests/src/bin/provider_under_test/quay.rs:"),
        "{told}"
    );
    assert!(!told.contains("the pin is"), "{told}");
    assert_eq!(workspace.read("terraform.tfstate"), before);
}

#[test]
fn an_author_sees_the_message_of_a_panic_in_the_trace_alone() {
    let mut workspace = berth("panic");
    workspace.set("UPSTATE_PANICS", "show");
    // On a busy machine Terraform sometimes ends before it has read the trace.
    let trace = (0..10)
        .map(|_| workspace.apply().err)
        .find(|err| !err.is_empty())
        .unwrap();
    assert!(trace.contains("panic: the pin is"), "{trace}");
    let error = workspace.apply().error();
    assert!(!error.to_string().contains("the pin is"), "{error}");
    workspace.set("UPSTATE_PANICS", "1");
    let trace = (0..10)
        .map(|_| workspace.apply().err)
        .find(|err| !err.is_empty())
        .unwrap();
    assert!(
        trace.contains("panic: inside an upgrade") && !trace.contains("the pin is"),
        "{trace}"
    );
}

#[test]
fn the_upgrade_has_the_client_of_the_configuration() {
    let workspace = berth("");
    workspace.write(
        "provider.tf",
        "provider \"quay\" {\n  label = \"by hand\"\n}\n",
    );
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    assert_eq!(
        workspace.instance("quay_berth")["attributes"]["label"],
        "by hand"
    );
}

#[test]
fn several_instances_that_fail_are_told_apart() {
    let workspace = Workspace::new("quay");
    let instance = |index: u32| {
        let attributes = json!({"id": format!("b-{index}"), "behaviour": "refuse", "size": "10"});
        json!({"index_key": index, "schema_version": 0, "attributes": attributes, "sensitive_attributes": []})
    };
    workspace.write(
        "main.tf",
        "resource \"quay_berth\" \"it\" {\n  count = 3\n  behaviour = \"refuse\"\n  size = 10\n}\n",
    );
    let mut resource = workspace.resource("quay_berth", &(0..3).map(instance).collect());
    resource["each"] = json!("list");
    workspace.store(&[resource]);
    let ran = workspace.plan();
    ran.fails();
    for index in 0..3 {
        assert!(
            ran.out.contains(&format!("id \\\"b-{index}\\\".")),
            "{}",
            ran.out
        );
    }
}
