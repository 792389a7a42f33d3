//! The provider that the guide writes from an empty folder to `terraform apply`.

use serde_json::json;

use super::real::terraform::V1_15;
use super::workspace::Workspace;

const PAGE: &str = include_str!("../../../docs/src/start-provider.md");

/// The first program, or other listing, of the page in a language.
fn listing(language: &str) -> &'static str {
    let (_, rest) = PAGE.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```\n").unwrap().0
}

#[test]
fn it_does_what_the_guide_says() {
    let compiled = include_str!("../../src/bin/provider_of_the_guide.rs");
    assert!(
        compiled.ends_with(&format!("\n\n{}", listing("rust,no_run"))),
        "tests/src/bin/provider_of_the_guide.rs is not what docs/src/start-provider.md has"
    );

    let workspace = Workspace::built(
        "example.com/me/notes",
        env!("CARGO_BIN_EXE_provider_of_the_guide"),
        V1_15,
    );
    let folder = workspace.path("");
    // The listing says where the provider comes from.
    std::fs::remove_file(workspace.path("providers.tf")).unwrap();
    let config = listing("hcl");
    assert!(
        config.contains("\"/tmp\"") && PAGE.contains("dev_overrides { \"example.com/me/notes\" = "),
        "{config}"
    );
    let config = config.replace("\"/tmp\"", &format!("{folder:?}"));
    workspace.write("main.tf", &config);
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    assert_eq!(workspace.read("shopping.txt"), "bread\n");

    // "A state that the first release wrote, at schema version 0, is upgraded on the next plan,
    // which shows no changes."
    let old = json!({"id": "shopping.txt", "name": "shopping", "text": "bread\n"});
    let mut resource = workspace.stored("notes_note", 0, &old);
    resource["name"] = json!("shopping");
    workspace.store(&[resource]);
    assert_eq!(workspace.plan().changes(), (0, 0, 0));
    assert_eq!(workspace.instance("notes_note")["schema_version"], 0);
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    let stored = workspace.instance("notes_note");
    assert_eq!(
        (&stored["schema_version"], &stored["attributes"]["title"]),
        (&json!(1), &json!("shopping"))
    );

    workspace.write("main.tf", &config.replace("bread", "milk"));
    assert_eq!(workspace.apply().changes(), (0, 1, 0));
    workspace.write(
        "main.tf",
        &config.replace("title = \"shopping\"", "title = \"list\""),
    );
    assert_eq!(workspace.apply().changes(), (1, 0, 1));
    assert!(!workspace.path("shopping.txt").exists());
    assert_eq!(workspace.destroy().changes(), (0, 0, 1));
    assert!(!workspace.path("list.txt").exists());
}
