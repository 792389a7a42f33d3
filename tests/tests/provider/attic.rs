//! What a user need not write, in every nesting; what authors forget; and state that holds nulls.

use serde_json::{Value, json};

use super::real::terraform::{Release, V1_6, V1_10, V1_15};
use super::workspace::Workspace;

const NESTINGS: &str = "\
  single = { name = \"a\", tags = [{ key = \"k\" }] }
  list   = [{ name = \"b\" }, { name = \"c\", port = 1, weight = 2, place = \"there\" }]
  set    = [{ name = \"d\" }, { name = \"d\", port = 1 }]
  map    = { e = { name = \"e\" } }
  one {
    name = \"f\"
  }
  many {
    name = \"g\"
  }
  many {
    name = \"h\"
    port = 1
  }
";

fn attic(release: Release) -> Workspace {
    Workspace::with("attic", release)
}

fn rule(name: &str, port: i64, weight: i64, place: &str) -> Value {
    json!({"name": name, "port": port, "weight": weight, "id": format!("r-{name}"), "number": 7, "load": 9, "place": place,
        "note": null, "tags": null})
}

/// What all rules of [`NESTINGS`] are when they are applied.
fn all_made() -> Value {
    let mut single = rule("a", 80, 8, "here");
    single["tags"] = json!([{"key": "k", "value": "v-k", "shown": true}]);
    json!({
        "single": single,
        "list": [rule("b", 80, 8, "here"), rule("c", 1, 2, "there")],
        "set": [rule("d", 1, 8, "here"), rule("d", 80, 8, "here")],
        "map": {"e": rule("e", 80, 8, "here")},
        "one": rule("f", 80, 8, "here"),
        "many": [rule("g", 80, 8, "here"), rule("h", 1, 8, "here")],
    })
}

#[track_caller]
fn are_made(found: &Value) {
    for (name, made) in all_made().as_object().unwrap() {
        assert_eq!(found[name], *made, "{name}");
    }
    assert_eq!(
        (&found["id"], &found["style"]),
        (&json!("w"), &json!("plain"))
    );
}

fn a_wall_is_built(release: Release) {
    let workspace = attic(release);
    let wall = |title: &str, more: &str| {
        let text = format!(
            "resource \"attic_wall\" \"it\" {{\n  title = \"{title}\"\n{NESTINGS}{more}}}\n"
        );
        workspace.write("main.tf", &text);
    };
    wall("one", "");
    workspace.validate().succeeds();
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    are_made(&workspace.instance("attic_wall")["attributes"]);
    assert_eq!(workspace.plan().changes(), (0, 0, 0));
    wall("two", "");
    assert_eq!(workspace.apply().changes(), (0, 1, 0));
    are_made(&workspace.instance("attic_wall")["attributes"]);
    // Nothing of it, and all of it at once.
    workspace.write("main.tf", "resource \"attic_wall\" \"it\" {\n}\n");
    assert_eq!(workspace.apply().changes(), (0, 1, 0));
    wall("three", "");
    assert_eq!(workspace.apply().changes(), (0, 1, 0));
    are_made(&workspace.instance("attic_wall")["attributes"]);
    assert_eq!(workspace.plan().changes(), (0, 0, 0));
    assert_eq!(workspace.destroy().changes(), (0, 0, 1));
}

#[test]
fn what_need_not_be_written_is_not_missing() {
    a_wall_is_built(V1_15);
}

#[test]
fn what_need_not_be_written_is_not_missing_in_terraform_1_10() {
    a_wall_is_built(V1_10);
}

#[test]
fn what_need_not_be_written_is_not_missing_in_terraform_1_6() {
    a_wall_is_built(V1_6);
}

#[test]
fn nor_is_it_in_a_data_source_an_ephemeral_resource_or_a_provider() {
    let workspace = attic(V1_15);
    let text = format!(
        "provider \"attic\" {{\n  proxy = {{ name = \"p\" }}\n  mirror {{\n    name = \"m\"\n  }}\n}}\n\
         data \"attic_view\" \"it\" {{\n{NESTINGS}}}\n\
         ephemeral \"attic_pass\" \"it\" {{\n{NESTINGS}}}\n\
         output \"single\" {{\n  value = data.attic_view.it.single\n}}\n"
    );
    workspace.write("main.tf", &text);
    workspace.validate().succeeds();
    workspace.apply().succeeds();
    are_made(&workspace.instance("attic_view")["attributes"]);
    assert_eq!(workspace.state()["outputs"]["single"]["value"]["id"], "r-a");
}

#[test]
fn nor_is_it_in_a_list_or_an_action() {
    let workspace = attic(V1_15);
    let settings = "    settings = [{ name = \"a\" }, { name = \"b\", port = 1 }]\n    one {\n      name = \"c\"\n    }\n";
    let list = format!(
        "list \"attic_trunk\" \"all\" {{\n  provider = attic\n  include_resource = true\n  config {{\n{settings}  }}\n}}\n"
    );
    workspace.write("all.tfquery.hcl", &list);
    let found = workspace.run(&["query", "-json"]);
    found.succeeds();
    assert!(
        found.out.contains("\"lining\":[{\"name\":\"a\",\"port\":80,\"weight\":8},{\"name\":\"b\",\"port\":1,\"weight\":8}]"),
        "{}",
        found.out
    );
    std::fs::remove_file(workspace.path("all.tfquery.hcl")).unwrap();
    workspace.write(
        "main.tf",
        &format!("action \"attic_sweep\" \"it\" {{\n  config {{\n{settings}  }}\n}}\n"),
    );
    let invoked = workspace.run(&[
        "apply",
        "-json",
        "-input=false",
        "-auto-approve",
        "-invoke=action.attic_sweep.it",
    ]);
    invoked.succeeds();
    assert!(
        invoked.out.contains("1 times, [80, 1, 80]"),
        "{}",
        invoked.out
    );
}

/// The warnings of a command: summary, detail, and the line that they are shown at.
fn warnings(ran: &super::real::ran::Ran) -> Vec<(String, String, u64)> {
    let mut warnings: Vec<_> = ran
        .diagnostics()
        .into_iter()
        .filter(|it| it["severity"] == "warning")
        .map(|it| {
            let text = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
            (
                text("summary"),
                text("detail"),
                it["range"]["start"]["line"].as_u64().unwrap_or_default(),
            )
        })
        .collect();
    warnings.sort();
    warnings.dedup();
    warnings
}

const USED: &str = "\
provider \"attic\" {
  region = \"north\"
}

resource \"attic_trunk\" \"it\" {
  lock   = \"brass\"
  single = { name = \"a\", note = \"n\" }
  list   = [{ name = \"b\" }, { name = \"c\", note = \"n\" }]
  set    = [{ name = \"d\", note = \"n\" }]
  lining {
    name = \"wool\"
  }
}

data \"attic_dust\" \"it\" {
  amount = 2
}
";

fn users_are_warned(release: Release) {
    let workspace = attic(release);
    workspace.write("main.tf", USED);
    let warned = |summary: &str, detail: &str, line| (summary.to_owned(), detail.to_owned(), line);
    // Earlier releases show the first line of the resource for what is in a list or an object, and
    // all do for a block that there may be several of.
    let nested = |line: u64| {
        if release.terraform == V1_15.terraform {
            line
        } else {
            5
        }
    };
    let expected = [
        warned(
            "Attribute Deprecated",
            "Nobody reads it.\n\nAttribute: list[1].note",
            nested(8),
        ),
        warned(
            "Attribute Deprecated",
            "Nobody reads it.\n\nAttribute: set[…].note",
            9,
        ),
        warned(
            "Attribute Deprecated",
            "Nobody reads it.\n\nAttribute: single.note",
            nested(7),
        ),
        warned(
            "Attribute Deprecated",
            "The API has one region. It will be removed in 2.0.0.",
            2,
        ),
        warned(
            "Attribute Deprecated",
            "The lock is broken. Use latch instead. It will be removed in 2.0.0.",
            6,
        ),
        warned("Attribute Deprecated", "Too many.\n\nAttribute: amount", 16),
        warned(
            "Block Deprecated",
            "It never kept anything warm. Nothing takes its place: use a wall.\n\nAttribute: lining",
            5,
        ),
        warned("Deprecated", "It is dusty.", 15),
        warned(
            "Deprecated",
            "Trunks are heavy. Use attic_wall instead. It will be removed in 2.0.0.",
            5,
        ),
    ];
    let ran = workspace.plan();
    ran.succeeds();
    assert_eq!(warnings(&ran), expected);
    let applied = workspace.apply();
    assert_eq!(applied.changes(), (1, 0, 0));
    assert_eq!(warnings(&applied), expected);
    // A warning ends where the use does.
    workspace.write(
        "main.tf",
        "resource \"attic_wall\" \"it\" {\n  single = { name = \"a\" }\n}\n",
    );
    assert_eq!(warnings(&workspace.plan()), []);
}

#[test]
fn users_are_warned_of_what_is_deprecated() {
    users_are_warned(V1_15);
}

#[test]
fn users_of_terraform_1_10_are_warned_of_what_is_deprecated() {
    users_are_warned(V1_10);
}

#[test]
fn users_of_terraform_1_6_are_warned_of_what_is_deprecated() {
    users_are_warned(V1_6);
}

#[test]
fn ephemeral_resources_lists_and_actions_warn_too() {
    let workspace = attic(V1_15);
    workspace.write("main.tf", "ephemeral \"attic_moths\" \"it\" {\n  amount = 2\n}\naction \"attic_sweep\" \"it\" {\n  config {\n    amount = 3\n  }\n}\n");
    let summaries = |ran: &super::real::ran::Ran| {
        warnings(ran)
            .into_iter()
            .map(|(summary, detail, _)| format!("{summary}: {detail}"))
            .collect::<Vec<_>>()
    };
    let told = summaries(&workspace.validate());
    assert_eq!(
        told,
        [
            "Attribute Deprecated: Too many.\n\nAttribute: amount",
            "Attribute Deprecated: Too many.\n\nAttribute: amount",
            "Deprecated: It is dusty.",
            "Deprecated: It is dusty."
        ]
    );
    workspace.write("main.tf", "");
    workspace.write(
        "all.tfquery.hcl",
        "list \"attic_trunk\" \"all\" {\n  provider = attic\n  config {\n    amount = 2\n  }\n}\n",
    );
    let told = summaries(&workspace.run(&["query", "-json"]));
    assert_eq!(
        told,
        [
            "Attribute Deprecated: Too many.\n\nAttribute: amount",
            "Deprecated: It is dusty."
        ]
    );
}

fn clock(workspace: &Workspace, name: &str, forgets: &str) {
    let text = format!(
        "resource \"attic_clock\" \"it\" {{\n  name    = \"{name}\"\n  forgets = \"{forgets}\"\n  hands   = [{{ name = \"h\" }}]\n}}\n"
    );
    workspace.write("main.tf", &text);
}

#[test]
fn whatever_a_creation_or_an_update_forgets_is_refused() {
    let workspace = attic(V1_15);
    for (forgets, path) in [
        ("port", "port"),
        ("speed", "speed"),
        ("bells", "bells"),
        ("owners", "owners"),
        ("labels", "labels"),
        ("found", "found"),
        ("at", "at"),
        ("hands", "hands[0].angle"),
    ] {
        clock(&workspace, "one", forgets);
        let error = workspace.apply().error();
        assert_eq!(error["summary"], "Computed Attribute Not Set", "{forgets}");
        let detail = error["detail"].as_str().unwrap();
        assert!(
            detail.starts_with(&format!("{path} was not known when the change was planned")),
            "{detail}"
        );
        let instance = workspace.instance("attic_clock");
        assert_eq!(
            instance["status"], "tainted",
            "{forgets}: it is there, and incomplete"
        );
        // What was made can be taken away again.
        assert_eq!(workspace.destroy().changes(), (0, 0, 1), "{forgets}");
    }
    clock(&workspace, "one", "nothing");
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    let before = workspace.instance("attic_clock")["attributes"].clone();
    assert_eq!(
        (&before["port"], &before["labels"], &before["at"]),
        (
            &json!(443),
            &json!({"l": false}),
            &json!("2026-01-02T03:04:05Z")
        )
    );
    for forgets in ["port", "bells", "labels", "hands"] {
        clock(&workspace, "two", forgets);
        assert_eq!(
            workspace.apply().error()["summary"],
            "Computed Attribute Not Set",
            "{forgets}"
        );
        assert_ne!(
            workspace.instance("attic_clock")["attributes"]["port"],
            json!(0)
        );
        clock(&workspace, "one", "nothing");
        workspace.apply().succeeds();
        assert_eq!(workspace.instance("attic_clock")["attributes"], before);
    }
}

fn import(workspace: &Workspace, id: &str) -> super::real::ran::Ran {
    workspace.write("main.tf", "resource \"attic_lamp\" \"it\" {\n  light = \"dim\"\n  since = \"2026-01-02T03:04:05Z\"\n  on = false\n  sockets = 0\n}\n");
    workspace.run(&["import", "-no-color", "-input=false", "attic_lamp.it", id])
}

fn lamps_are_imported(release: Release) {
    let workspace = attic(release);
    import(&workspace, "l-1").succeeds();
    let attributes = workspace.instance("attic_lamp")["attributes"].clone();
    assert_eq!(
        attributes,
        json!({"id": "l-1", "light": "dim", "since": "2026-01-02T03:04:05Z", "on": false, "sockets": 0})
    );
    assert_eq!(workspace.plan().changes(), (0, 0, 0));
    for (id, path) in [
        ("forgetful", "on"),
        ("vague", "light"),
        ("timeless", "since"),
    ] {
        let workspace = attic(release);
        import(&workspace, id).fails_with(&format!(
            "{path} was not set by `read` of the imported resource."
        ));
    }
}

#[test]
fn a_resource_with_enums_and_times_is_imported_by_its_id_alone() {
    lamps_are_imported(V1_15);
}

#[test]
fn a_resource_with_enums_and_times_is_imported_by_its_id_alone_in_terraform_1_6() {
    lamps_are_imported(V1_6);
}

fn a_null_is_replaced(release: Release) {
    let workspace = attic(release);
    let nulls = json!({"id": "none", "length": null, "lower": null, "min_lower": null, "keepers": null, "result": "abc"});
    let state = || workspace.store(&[workspace.stored("attic_relic", 0, &nulls)]);
    // As the provider in Go: what is configured, or the default, is not null, so it is planned to
    // be replaced.
    state();
    workspace.write(
        "main.tf",
        "resource \"attic_relic\" \"it\" {\n  length = 3\n}\n",
    );
    let change = workspace.planned()["resource_changes"][0]["change"].clone();
    assert_eq!(change["actions"], json!(["delete", "create"]));
    assert_eq!(
        (&change["before"]["length"], &change["before"]["lower"]),
        (&Value::Null, &Value::Null),
        "a null stays one"
    );
    assert_eq!(workspace.apply().changes(), (1, 0, 1));
    assert_eq!(
        workspace.instance("attic_relic")["attributes"]["result"],
        "xxx"
    );
    assert_eq!(workspace.plan().changes(), (0, 0, 0));
    // It can be refreshed and destroyed, and a value that is not one is still refused.
    state();
    workspace.run(&["refresh", "-input=false"]).succeeds();
    assert_eq!(workspace.instance("attic_relic")["attributes"], nulls);
    assert_eq!(workspace.destroy().changes(), (0, 0, 1));
    let wrong = json!({"id": "none", "length": "long", "result": "abc"});
    workspace.store(&[workspace.stored("attic_relic", 0, &wrong)]);
    workspace.plan().fails_with("at length");
}

#[test]
fn a_null_in_state_is_replaced_as_the_provider_in_go_does() {
    a_null_is_replaced(V1_15);
}

#[test]
fn a_null_in_state_is_replaced_as_the_provider_in_go_does_in_terraform_1_6() {
    a_null_is_replaced(V1_6);
}

#[test]
fn an_identity_that_changes_is_an_error() {
    let workspace = attic(V1_15);
    let key = |name: &str| {
        workspace.write(
            "main.tf",
            &format!("resource \"attic_key\" \"it\" {{\n  name = \"{name}\"\n}}\n"),
        )
    };
    key("a");
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    key("b");
    let error = workspace.apply().error();
    assert_eq!(error["summary"], "Unexpected Identity Change");
    let detail = error["detail"].as_str().unwrap();
    assert!(
        detail.contains("its identity was {\"name\":\"a\"}, and is {\"name\":\"b\"} now"),
        "{detail}"
    );
    // What is there is what the update made of it.
    assert_eq!(workspace.instance("attic_key")["attributes"]["name"], "b");
    key("drifts");
    let workspace = attic(V1_15);
    workspace.write(
        "main.tf",
        "resource \"attic_key\" \"it\" {\n  name = \"drifts\"\n}\n",
    );
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    assert_eq!(
        workspace.plan().error()["summary"],
        "Unexpected Identity Change"
    );
}
