//! Functions, which Terraform knows from 1.8 on.

use serde_json::json;

use super::real::terraform::{Release, V1_10, V1_15};
use super::workspace::Workspace;

fn output(provider: &'static str, expression: &str) -> Workspace {
    let workspace = Workspace::new(provider);
    workspace.write(
        "main.tf",
        &format!("output \"it\" {{\n  value = {expression}\n}}\n"),
    );
    workspace
}

fn calls(release: Release) {
    let workspace = Workspace::with("harbor", release);
    workspace.write("main.tf", "output \"it\" {\n  value = provider::harbor::join(\"docs\", \"/a/\", \"\", \"b.txt\")\n}\n");
    workspace.apply().succeeds();
    assert_eq!(workspace.state()["outputs"]["it"]["value"], "docs/a/b.txt");
}

#[test]
fn terraform_1_10_calls_one() {
    calls(V1_10);
}

#[test]
fn terraform_1_15_calls_one() {
    calls(V1_15);
}

#[test]
fn arguments_of_every_type_arrive() {
    let tell = "provider::quay::tell(\"a\", 1.5, null, [1, 2], [\"b\", \"a\", \"b\"], { x = 0.5, y = null }, { name = \"n\", depth = null })";
    let workspace = output("quay", tell);
    workspace.apply().succeeds();
    let expected = json!({
        "text": "a", "number": "1.5", "flag": "None", "list": "[1, 2]", "set": "{\"a\", \"b\"}",
        "map": "{\"x\": Some(0.5), \"y\": None}", "object": "n None",
    });
    assert_eq!(workspace.state()["outputs"]["it"]["value"], expected);
    let echo = output(
        "quay",
        "[provider::quay::echo(\"a\"), provider::quay::echo([1, true])]",
    );
    echo.apply().succeeds();
    assert_eq!(
        echo.state()["outputs"]["it"]["value"],
        json!(["a", [1, true]])
    );
}

#[test]
fn what_is_not_known_makes_no_call() {
    let workspace = Workspace::new("harbor");
    workspace.write(
        "main.tf",
        "resource \"harbor_directory\" \"it\" {\n path = \"d\"\n}\n\
         output \"it\" {\n value = provider::harbor::join(harbor_directory.it.id, \"x\")\n}\n",
    );
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    let path = workspace.state()["outputs"]["it"]["value"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(path.starts_with("dir-") && path.ends_with("/x"), "{path}");
}

#[test]
fn what_is_not_known_reaches_a_function_that_takes_it() {
    let workspace = Workspace::new("quay");
    workspace.write(
        "main.tf",
        "resource \"quay_berth\" \"it\" {\n behaviour = \"\"\n size = 10\n}\n\
         output \"early\" {\n value = provider::quay::first(\"a\", quay_berth.it.id)\n}\n\
         output \"late\" {\n value = provider::quay::first(quay_berth.it.id, \"b\")\n}\n",
    );
    let planned = workspace.planned()["output_changes"].clone();
    assert_eq!(
        (
            &planned["early"]["after"],
            &planned["early"]["after_unknown"]
        ),
        (&json!("a"), &json!(false))
    );
    assert_eq!(planned["late"]["after_unknown"], json!(true));
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    let outputs = workspace.state()["outputs"].clone();
    assert_eq!(
        (&outputs["early"]["value"], &outputs["late"]["value"]),
        (&json!("a"), &json!("berth-10"))
    );
}

#[test]
fn an_error_points_at_the_argument() {
    let error = output("harbor", "provider::harbor::join(\"docs\",\n    \"../x\")")
        .plan()
        .error();
    assert_eq!(error["summary"], "Invalid function argument");
    let detail = error["detail"].as_str().unwrap();
    assert!(
        detail.contains("The part \"../x\" leads out of the provider's root. Leave out `..`."),
        "{detail}"
    );
    assert_eq!(error["range"]["start"]["line"], 3);
    let wrong = output(
        "quay",
        "provider::quay::tell(null, 1, true, [], [], {}, { name = \"n\", depth = 1 })",
    )
    .plan()
    .error();
    assert!(
        wrong["detail"]
            .as_str()
            .unwrap()
            .contains("argument must not be null"),
        "{wrong}"
    );
    let small = output(
        "quay",
        "provider::quay::tell(\"a\", 1, true, [1.5], [], {}, { name = \"n\", depth = 1 })",
    )
    .plan()
    .error();
    assert!(
        small["detail"].as_str().unwrap().contains("list[0]: "),
        "{small}"
    );
}

#[test]
fn a_panic_is_an_error() {
    let ran = output(
        "quay",
        "provider::quay::tell(\"panic\", 1, true, [], [], {}, { name = \"n\", depth = 1 })",
    )
    .plan();
    assert!(
        ran.error()["detail"]
            .as_str()
            .unwrap()
            .contains("The function panicked."),
        "{}",
        ran.out
    );
    assert!(!format!("{}{}", ran.out, ran.err).contains("it is told to"));
}

#[test]
fn its_signature_is_announced() {
    let schemas = Workspace::new("harbor")
        .run(&["providers", "schema", "-json"])
        .json();
    let join = &schemas["provider_schemas"]["example.com/upstate/harbor"]["functions"]["join"];
    let expected = json!({
        "summary": "Joins the parts of a path below the provider's root.",
        "description": "Joins the parts of a path below the provider's root.\n\nRefuses parts that lead out of the root. Empty parts and slashes at an end are left out.",
        "return_type": "string",
        "variadic_parameter": {"name": "parts", "description": "The parts, from the outermost folder to the file.", "type": "string"},
    });
    assert_eq!(join, &expected);
}
