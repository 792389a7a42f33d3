//! `import`: what it writes, and that a refusal writes nothing.

use std::fs;

use super::{Folder, code, realworld, stderr, stdout};

const SCHEMAS: &str = r#"{"provider_schemas": {"example.com/test/acme": {"resource_schemas": {"acme_server": {"version": 0, "block": {
    "attributes": {"name": {"type": "string", "required": true}}}}}}}}"#;

#[test]
fn models_are_written_once_and_never_replaced() {
    let folder = Folder::new();
    let schemas = folder.file("acme.json", SCHEMAS);
    let out = folder.0.path().join("models");
    let given = format!("1.0.0={}", schemas.display());
    let import = || realworld(&["import", &given, "--out", out.to_str().unwrap()]);
    let written = import();
    assert_eq!(code(&written), 0, "{}", stderr(&written));
    assert!(
        stdout(&written).starts_with("wrote 1 model to "),
        "{}",
        stdout(&written)
    );
    let model = fs::read_to_string(out.join("acme_server.rs")).unwrap();
    assert!(
        model.contains("#[resource(type_name = \"acme_server\", version = 0)]\npub struct Server {\n    pub name: String,\n}"),
        "{model}"
    );
    // Once more, it changes nothing; what somebody has edited stays.
    assert_eq!(code(&import()), 0);
    fs::write(out.join("acme_server.rs"), "edited").unwrap();
    let refused = import();
    assert_eq!(code(&refused), 1);
    assert!(
        stderr(&refused)
            .contains("acme_server.rs is there already and differs; nothing was written"),
        "{}",
        stderr(&refused)
    );
    assert_eq!(
        fs::read_to_string(out.join("acme_server.rs")).unwrap(),
        "edited"
    );
    // So does all else that has the name of a file, and nothing is written beside it.
    fs::remove_dir_all(&out).unwrap();
    fs::create_dir_all(out.join("mod.rs")).unwrap();
    let refused = import();
    assert_eq!(code(&refused), 1);
    assert!(
        stderr(&refused).contains("mod.rs is there already and differs; nothing was written"),
        "{}",
        stderr(&refused)
    );
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
}

const DEFINITIONS: &str = r#"{"kind": "List", "items": [
    {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "boats.ferry.example.com"},
     "spec": {"group": "ferry.example.com", "names": {"kind": "Boat", "plural": "boats"}, "scope": "Namespaced", "versions": [
        {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
            "spec": {"type": "object", "properties": {"homePort": {"type": "string"}}}}}}}]}},
    {"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition", "metadata": {"name": "piers.ferry.example.com"},
     "spec": {"group": "ferry.example.com", "names": {"kind": "Pier", "plural": "piers"}}}]}"#;

#[test]
fn custom_resources_become_models_and_what_cannot_is_named() {
    let folder = Folder::new();
    let definitions = folder.file("crds.json", DEFINITIONS).display().to_string();
    let out = folder.0.path().join("models");
    let import = |more: &[&str]| {
        realworld(
            &[
                &["import", &definitions, "--out", out.to_str().unwrap()],
                more,
            ]
            .concat(),
        )
    };
    let left_out = import(&["--type", "Pier"]);
    assert_eq!(code(&left_out), 1);
    assert!(
        stderr(&left_out).contains("piers.ferry.example.com was left out: it is a definition of"),
        "{}",
        stderr(&left_out)
    );
    assert!(!out.exists());
    let written = import(&["--type", "Boat"]);
    assert_eq!(code(&written), 0, "{}", stderr(&written));
    assert!(
        stdout(&written).starts_with("wrote 1 model to "),
        "{}",
        stdout(&written)
    );
    assert!(
        fs::read_to_string(out.join("boat.rs"))
            .unwrap()
            .contains("pub home_port: Option<String>,")
    );
    assert_eq!(code(&import(&[])), 1);
    let unknown = import(&["--type", "Ship"]);
    assert_eq!(code(&unknown), 2);
    assert!(
        stderr(&unknown).contains("no kind is named \"Ship\" in these definitions"),
        "{}",
        stderr(&unknown)
    );
    for (more, says) in [
        (
            vec!["1.0.0=schemas.json"],
            "give schemas of releases, or definitions of custom resources",
        ),
        (
            vec!["--provider", "acme"],
            "--provider is for the schemas of a provider",
        ),
        (
            vec![definitions.as_str()],
            "boats.ferry.example.com is given twice",
        ),
    ] {
        let refused = import(&more);
        assert_eq!(code(&refused), 2);
        assert!(stderr(&refused).contains(says), "{}", stderr(&refused));
    }
    for (text, status, says) in [
        ("{", 3, "is not JSON"),
        (
            "{\"kind\": \"Service\"}",
            2,
            "has no CustomResourceDefinition",
        ),
        ("kind: [", 3, "JSON"),
        ("\u{0}", 3, "JSON"),
    ] {
        let wrong = folder.file("wrong.yaml", text).display().to_string();
        let refused = realworld(&["import", &wrong, "--out", out.to_str().unwrap()]);
        assert_eq!(code(&refused), status, "{text}: {}", stderr(&refused));
        assert!(
            stderr(&refused).contains(says),
            "{text}: {}",
            stderr(&refused)
        );
    }
}

#[test]
fn what_is_wrong_with_the_files_is_said_before_anything_is_written() {
    let folder = Folder::new();
    let schemas = folder.file("acme.json", SCHEMAS).display().to_string();
    let broken = folder.file("broken.json", "[").display().to_string();
    let out = folder.0.path().join("models");
    let import = |arguments: &[&str]| {
        realworld(&[&["import"], arguments, &["--out", out.to_str().unwrap()]].concat())
    };
    for (arguments, status, says) in [
        (
            vec![schemas.clone()],
            2,
            "does not say which release it is: write 1.4.0=",
        ),
        (vec![format!("one={schemas}")], 2, "one"),
        (
            vec![format!("1.0.0={schemas}"), format!("1.0.0={schemas}")],
            2,
            "release 1.0.0 is given twice",
        ),
        (
            vec!["1.0.0=nothing.json".to_owned()],
            3,
            "cannot read nothing.json",
        ),
        (
            vec![format!("1.0.0={broken}")],
            3,
            "not the output of `terraform providers schema -json`",
        ),
        (
            vec![
                format!("1.0.0={schemas}"),
                "--provider".to_owned(),
                "other".to_owned(),
            ],
            3,
            "it has no provider \"other\", only example.com/test/acme",
        ),
        (
            vec![
                format!("1.0.0={schemas}"),
                "--type".to_owned(),
                "acme_disk".to_owned(),
            ],
            2,
            "no resource type is named \"acme_disk\"",
        ),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let refused = import(&arguments);
        assert_eq!(
            code(&refused),
            status,
            "{arguments:?}: {}",
            stderr(&refused)
        );
        assert!(
            stderr(&refused).contains(says),
            "{arguments:?}: {}",
            stderr(&refused)
        );
        assert!(!out.exists(), "{arguments:?}");
    }
}
