//! Plans of what is in lists, sets, maps, nested objects and blocks.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::workspace::Workspace;

const THINGS: &str = "\
  bollards = [{ size = 1, kind = \"iron\" }, { size = 2 }]
  named    = { a = { size = 3, kind = \"iron\" }, b = { size = 4 } }
  lamps    = [{ size = 5, kind = \"iron\" }, { size = 6 }]
  first    = { size = 7, kind = \"iron\" }
  crane {
    size = 8
    kind = \"iron\"
  }
";

fn pier(workspace: &Workspace, name: &str, things: &str) {
    workspace.write(
        "main.tf",
        &format!("resource \"quay_pier\" \"it\" {{\n  name = \"{name}\"\n{things}}}\n"),
    );
}

/// A pier that is applied.
fn built() -> Workspace {
    let workspace = Workspace::new("quay");
    pier(&workspace, "north", THINGS);
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    workspace
}

/// The planned change of the only resource.
fn change(workspace: &Workspace) -> Value {
    workspace.planned()["resource_changes"][0]["change"].clone()
}

/// Of everything in a collection of each kind: what the attribute is in `from`.
fn each(from: &Value, attribute: &str) -> Value {
    let of = |one: &Value| one[attribute].clone();
    let list = |name: &str| {
        from[name]
            .as_array()
            .into_iter()
            .flatten()
            .map(of)
            .collect::<Vec<_>>()
    };
    json!([
        list("bollards"),
        of(&from["named"]["a"]),
        of(&from["named"]["b"]),
        list("lamps"),
        of(&from["first"]),
        list("crane")
    ])
}

#[test]
fn what_is_stable_in_a_collection_is_known_before_it_is_applied() {
    let workspace = built();
    let before = workspace.instance("quay_pier")["attributes"].clone();
    pier(&workspace, "south", THINGS);
    let planned = change(&workspace);
    assert_eq!(planned["actions"], json!(["update"]));
    assert_eq!(each(&planned["after"], "id"), each(&before, "id"));
    let unknown = json!([[true, true], true, true, [true, true], true, [true]]);
    assert_eq!(each(&planned["after_unknown"], "load"), unknown);
    assert_eq!(workspace.apply().changes(), (0, 1, 0));
    assert_eq!(
        each(&workspace.instance("quay_pier")["attributes"], "id"),
        each(&before, "id")
    );

    // What is new has no id yet; what it was added to keeps its ids.
    let more = THINGS
        .replace("{ size = 2 }]", "{ size = 2 }, { size = 9 }]")
        .replace("b = { size = 4 }", "b = { size = 4 }, c = { size = 9 }")
        .replace("{ size = 6 }]", "{ size = 6 }, { size = 9 }]");
    pier(&workspace, "south", &more);
    let planned = change(&workspace);
    let unknown = &planned["after_unknown"];
    assert_eq!(
        unknown["bollards"],
        json!([{"load": true}, {"load": true}, {"id": true, "load": true}])
    );
    assert_eq!(unknown["named"]["a"], json!({"load": true}));
    assert_eq!(unknown["named"]["c"], json!({"id": true, "load": true}));
    let lamps = planned["after"]["lamps"].as_array().unwrap();
    assert_eq!(
        lamps
            .iter()
            .filter(|lamp| lamp.get("id").is_some_and(Value::is_string))
            .count(),
        2,
        "{lamps:?}"
    );
    assert_eq!(workspace.apply().changes(), (0, 1, 0));
    assert_eq!(workspace.plan().changes(), (0, 0, 0));
}

#[test]
fn a_change_inside_a_collection_that_makes_the_resource_anew_names_its_path() {
    let workspace = built();
    for (from, to, path) in [
        (
            "size = 1, kind = \"iron\"",
            "size = 1, kind = \"wood\"",
            json!([["bollards", 0, "kind"]]),
        ),
        (
            "size = 3, kind = \"iron\"",
            "size = 3, kind = \"wood\"",
            json!([["named", "a", "kind"]]),
        ),
        (
            "size = 5, kind = \"iron\"",
            "size = 5, kind = \"wood\"",
            json!([["lamps"]]),
        ),
        (
            "size = 7, kind = \"iron\"",
            "size = 7, kind = \"wood\"",
            json!([["first", "kind"]]),
        ),
        (
            "kind = \"iron\"\n  }",
            "kind = \"wood\"\n  }",
            json!([["crane", 0, "kind"]]),
        ),
    ] {
        assert!(THINGS.contains(from));
        pier(&workspace, "north", &THINGS.replace(from, to));
        let planned = change(&workspace);
        assert_eq!(
            (&planned["actions"], &planned["replace_paths"]),
            (&json!(["delete", "create"]), &path),
            "{to}"
        );
    }
    // What does not say so is updated: another size changes the order in the set, and one more
    // without a kind is nothing that others were.
    let lamps = "lamps    = [{ size = 5, kind = \"iron\" }, { size = 6 }]";
    assert!(THINGS.contains(lamps));
    let more = THINGS.replace(
        lamps,
        "lamps    = [{ size = 50, kind = \"iron\" }, { size = 6 }, { size = 9 }]",
    );
    pier(&workspace, "north", &more);
    assert_eq!(change(&workspace)["actions"], json!(["update"]));
    pier(
        &workspace,
        "north",
        &THINGS.replace("size = 2", "size = 20"),
    );
    assert_eq!(change(&workspace)["actions"], json!(["update"]));
}

#[test]
fn a_provider_plans_by_paths() {
    let workspace = built();
    pier(&workspace, "keep loads", THINGS);
    let planned = change(&workspace);
    let unknown = &planned["after_unknown"];
    assert_eq!(unknown["bollards"], json!([{}, {}]));
    assert_eq!(unknown["named"], json!({"a": {}, "b": {"load": true}}));
    assert_eq!(unknown["first"], json!({}));
    assert_eq!(planned["after"]["crane"][0]["load"], 8);
    assert_eq!(workspace.apply().changes(), (0, 1, 0));

    pier(
        &workspace,
        "replace",
        &THINGS.replace("size = 1,", "size = 10,"),
    );
    assert_eq!(
        change(&workspace)["replace_paths"],
        json!([["bollards", 0, "size"]])
    );
    pier(&workspace, "misplace", THINGS);
    let error = workspace.plan().error();
    assert_eq!(error["summary"], "Unknown Planned Attribute");
    assert_eq!(
        error["detail"],
        "The provider planned a value for bollards[9].load, and the plan of quay_pier has no such place. This is a mistake in the provider: report it to the authors."
    );
}

#[test]
fn a_timeout_ends_a_creation_and_keeps_what_is_there() {
    let workspace = Workspace::new("quay");
    let began = Instant::now();
    pier(
        &workspace,
        "slow",
        "  timeouts {\n    create = \"1500ms\"\n  }\n",
    );
    let error = workspace.apply().error();
    assert!(
        began.elapsed() < Duration::from_secs(40),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(error["summary"], "Timeout");
    assert!(
        error["detail"]
            .as_str()
            .unwrap()
            .starts_with("It took longer than 1.5s, so the provider stopped waiting."),
        "{error}"
    );
    let instance = workspace.instance("quay_pier");
    assert_eq!(
        (&instance["status"], &instance["attributes"]["id"]),
        (&json!("tainted"), &json!("pier"))
    );

    // A time that is written otherwise does not change, and a time that is none is a mistake at its
    // line.
    pier(
        &workspace,
        "north",
        "  timeouts {\n    create = \"90m\"\n  }\n",
    );
    assert_eq!(workspace.apply().changes(), (1, 0, 1));
    pier(
        &workspace,
        "north",
        "  timeouts {\n    create = \"1h30m\"\n  }\n",
    );
    assert_eq!(workspace.plan().changes(), (0, 0, 0));
    pier(
        &workspace,
        "north",
        "  timeouts {\n    create = \"soon\"\n  }\n",
    );
    let error = workspace.plan().error();
    assert_eq!(
        (&error["summary"], &error["range"]["start"]["line"]),
        (&json!("Invalid Attribute Value"), &json!(4))
    );
    assert!(
        error["detail"]
            .as_str()
            .unwrap()
            .contains("timeouts.create: the string is not a duration such as \"30m\""),
        "{error}"
    );
}
