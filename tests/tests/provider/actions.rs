//! Actions, which Terraform knows from 1.14 on.

use serde_json::{Value, json};

use super::real::ran::Ran;
use super::workspace::Workspace;

/// What an action said meanwhile.
fn reports(ran: &Ran) -> Vec<String> {
    let events = ran
        .out
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let report = |event: Value| {
        (event["type"] == "action_progress")
            .then(|| event["hook"]["message"].as_str().unwrap().to_owned())
    };
    events.filter_map(report).collect()
}

fn crane(arguments: &str) -> Workspace {
    let workspace = Workspace::new("quay");
    workspace.write(
        "main.tf",
        &format!("variable \"code\" {{\n default = \"sesame-1\"\n}}\naction \"quay_crane\" \"it\" {{\n  config {{\n{arguments}\n  }}\n}}\n"),
    );
    workspace
}

fn invoke(workspace: &Workspace) -> Ran {
    workspace.run(&[
        "apply",
        "-json",
        "-input=false",
        "-auto-approve",
        "-invoke=action.quay_crane.it",
    ])
}

#[test]
fn a_resource_triggers_one_and_a_user_does() {
    let workspace = Workspace::new("harbor");
    workspace.write(
        "main.tf",
        "action \"harbor_signal\" \"it\" {\n config {\n path = \"log\"\n message = \"${harbor_file.it.size} bytes\"\n }\n}\n\
         resource \"harbor_file\" \"it\" {\n path = \"a.txt\"\n content = \"one\"\n lifecycle {\n action_trigger {\n \
         events = [after_create, after_update]\n actions = [action.harbor_signal.it]\n }\n }\n}\n",
    );
    workspace.validate().succeeds();
    let applied = workspace.apply();
    assert_eq!(applied.changes(), (1, 0, 0));
    assert_eq!(workspace.read("harbor/log"), "3 bytes\n");
    assert_eq!(reports(&applied), ["1 signals so far"]);
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    let invoked = workspace.run(&[
        "apply",
        "-json",
        "-input=false",
        "-auto-approve",
        "-invoke=action.harbor_signal.it",
    ]);
    invoked.succeeds();
    assert_eq!(workspace.read("harbor/log"), "3 bytes\n3 bytes\n");
}

#[test]
fn one_says_how_far_it_is_without_secrets() {
    let workspace = crane("    code = var.code\n    behaviour = \"warn\"");
    let invoked = invoke(&workspace);
    invoked.succeeds();
    assert_eq!(
        reports(&invoked),
        [1, 2, 3].map(|lift| format!("lift {lift} (sensitive value)"))
    );
    assert!(
        invoked
            .diagnostics()
            .iter()
            .any(|told| told["detail"] == "Creaking: Oil the crane."),
        "{}",
        invoked.out
    );
}

#[test]
fn mistakes_are_told_where_they_stand() {
    let invalid = crane("    behaviour = \"invalid\"").validate().error();
    assert_eq!(
        (&invalid["summary"], &invalid["range"]["start"]["line"]),
        (&json!("Invalid Behaviour"), &json!(6))
    );
    let heavy = invoke(&crane("    behaviour = \"too heavy\"")).error();
    assert_eq!(heavy["summary"], json!("Too Heavy"));
    let refused = invoke(&crane("    code = var.code\n    behaviour = \"refuse\""));
    let detail = refused.error()["detail"].as_str().unwrap().to_owned();
    assert!(
        detail.contains("the code (sensitive value) is wrong"),
        "{detail}"
    );
    let panicked = invoke(&crane("    code = var.code\n    behaviour = \"panic\""));
    assert!(
        panicked.error()["detail"]
            .as_str()
            .unwrap()
            .contains("The provider panicked."),
        "{}",
        panicked.out
    );
    assert!(
        !format!("{}{}", panicked.out, panicked.err).contains("sesame-1"),
        "{}",
        panicked.err
    );
}
