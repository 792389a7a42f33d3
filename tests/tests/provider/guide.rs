//! The guide's examples, applied. The first one, which has a page of its own, is in `tutorial`.

use serde_json::json;

use super::real::terraform::V1_15;
use super::workspace::Workspace;

const PAGE: &str = include_str!("../../../docs/src/provider.md");

/// The examples of the page that are programs of their own, and the files that have them. What is
/// not here declares no resource.
const COMPILED: [(&str, &str); 5] = [
    (
        "harbor_depth",
        include_str!("../../src/bin/provider_under_test/guide/depth.rs"),
    ),
    (
        "struct Fits",
        include_str!("../../src/bin/provider_under_test/guide/fits.rs"),
    ),
    (
        "harbor_dock",
        include_str!("../../src/bin/provider_under_test/guide/dock.rs"),
    ),
    (
        "harbor_mooring",
        include_str!("../../src/bin/provider_under_test/guide/mooring.rs"),
    ),
    (
        "harbor_berth",
        include_str!("../../src/bin/provider_under_test/guide/berth.rs"),
    ),
];

#[test]
fn every_example_with_a_resource_is_applied_here() {
    let examples = PAGE
        .split("```rust\n")
        .skip(1)
        .filter_map(|rest| rest.split("```\n").next());
    let with_resource: Vec<&str> = examples
        .filter(|example| example.contains("derive(") && example.contains("Resource"))
        .collect();
    assert_eq!(with_resource.len(), COMPILED.len(), "{with_resource:?}");
    for example in with_resource {
        let (_, compiled) = COMPILED
            .iter()
            .find(|(name, _)| example.contains(name))
            .unwrap_or_else(|| panic!("{example}"));
        assert!(
            compiled.ends_with(example),
            "this example of docs/src/provider.md is not what its file has:\n{example}"
        );
    }
}

#[test]
fn checks_a_data_source_a_function_and_timeouts_do_what_the_guide_says() {
    let workspace = Workspace::new("guide");
    let write = |name: &str, depth: &str, bollards: u8, dock: &str| {
        workspace.write(
            "main.tf",
            &format!(
                "resource \"harbor_berth\" \"it\" {{\n  provider = guide\n  name     = \"{name}\"\n  depth    = {depth}\n  side     = \"north\"\n  \
                 bollards = {bollards}\n}}\n\
                 data \"harbor_depth\" \"it\" {{\n  provider = guide\n  quay     = \"a\"\n}}\n\
                 resource \"harbor_dock\" \"it\" {{\n  provider = guide\n  name     = \"{dock}\"\n  timeouts {{\n    create = \"2s\"\n  }}\n}}\n\
                 output \"depth\" {{\n  value = data.harbor_depth.it.metres\n}}\n\
                 output \"fits\" {{\n  value = provider::guide::fits(12, 30.5)\n}}\n"
            ),
        );
    };
    write("b-1", "12.5", 2, "shallow");
    assert_eq!(workspace.apply().changes(), (2, 0, 0));
    assert_eq!(workspace.plan().changes(), (0, 0, 0));
    let outputs = workspace.state()["outputs"].clone();
    assert_eq!(
        (&outputs["depth"]["value"], &outputs["fits"]["value"]),
        (&json!(12.5), &json!(true))
    );
    for (name, depth, bollards, line) in [
        ("B 1", "12.5", 2, 3),
        ("b-1", "31", 2, 4),
        ("b-1", "12.5", 3, 6),
    ] {
        write(name, depth, bollards, "shallow");
        let error = workspace.plan().error();
        assert_eq!(
            (&error["summary"], &error["range"]["start"]["line"]),
            (&json!("Invalid Attribute Value"), &json!(line)),
            "{error}"
        );
    }
    write("b-2", "30", 4, "shallow");
    assert_eq!(workspace.apply().changes(), (0, 1, 0));
    assert_eq!(workspace.destroy().changes(), (0, 0, 2));
    write("b-2", "30", 4, "deep");
    assert_eq!(workspace.apply().error()["summary"], "Timeout");
    let dock = workspace.instance("harbor_dock");
    assert_eq!(
        (&dock["status"], &dock["attributes"]["name"]),
        (&json!("tainted"), &json!("deep")),
        "what was begun is not forgotten"
    );
}

#[test]
fn a_plan_of_its_own_is_answered() {
    let workspace = Workspace::new("guide");
    let write = |ship: &str, ropes: &[u8]| {
        let ropes: Vec<_> = ropes
            .iter()
            .map(|length| json!({"length": length}))
            .collect();
        let ropes = json!(ropes);
        workspace.write(
            "main.tf",
            &format!(
                "resource \"harbor_mooring\" \"it\" {{\n  provider = guide\n  ship     = {ship:?}\n  ropes    = {ropes}\n}}\n"
            ),
        );
    };
    let stored = || workspace.instance("harbor_mooring")["attributes"].clone();
    write("Ada", &[10, 20]);
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    assert_eq!(workspace.plan().changes(), (0, 0, 0));
    let ropes = json!([{"length": 10, "number": 1}, {"length": 20, "number": 2}]);
    assert_eq!(
        stored(),
        json!({"id": "mooring of Ada", "safe": true, "ship": "Ada", "ropes": ropes})
    );
    write("Bea", &[30]);
    assert_eq!(workspace.apply().changes(), (0, 1, 0));
    let ropes = json!([{"length": 30, "number": 1}]);
    assert_eq!(
        stored(),
        json!({"id": "mooring of Ada", "safe": false, "ship": "Bea", "ropes": ropes})
    );
    assert_eq!(workspace.destroy().changes(), (0, 0, 1));
}

#[test]
fn an_upgrade_asks_the_api() {
    let workspace = Workspace::with("guide-api", V1_15);
    workspace.store(&[workspace.stored("harbor_directory", 0, &json!({"path": "/a"}))]);
    workspace.write(
        "main.tf",
        "resource \"harbor_directory\" \"it\" {\n  provider = guide-api\n  path     = \"/a\"\n}\n",
    );
    assert_eq!(workspace.plan().changes(), (0, 0, 0));
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    let stored = workspace.instance("harbor_directory");
    assert_eq!(
        (&stored["schema_version"], &stored["attributes"]["id"]),
        (&json!(1), &json!("serial of /a"))
    );
    workspace.write(
        "main.tf",
        "resource \"harbor_directory\" \"it\" {\n  provider = guide-api\n  path     = \"/b\"\n}\n",
    );
    assert_eq!(workspace.apply().changes(), (0, 1, 0));
    assert_eq!(workspace.destroy().changes(), (0, 0, 1));
}
