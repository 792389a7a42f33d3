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
    assert!(stdout(&written).starts_with("wrote 1 model to "), "{}", stdout(&written));
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
        stderr(&refused).contains("acme_server.rs is there already and differs; nothing was written"),
        "{}",
        stderr(&refused)
    );
    assert_eq!(fs::read_to_string(out.join("acme_server.rs")).unwrap(), "edited");
}

#[test]
fn what_is_wrong_with_the_files_is_said_before_anything_is_written() {
    let folder = Folder::new();
    let schemas = folder.file("acme.json", SCHEMAS).display().to_string();
    let broken = folder.file("broken.json", "[").display().to_string();
    let out = folder.0.path().join("models");
    let import = |arguments: &[&str]| realworld(&[&["import"], arguments, &["--out", out.to_str().unwrap()]].concat());
    for (arguments, status, says) in [
        (vec![schemas.clone()], 2, "does not say which release it is: write 1.4.0="),
        (vec![format!("one={schemas}")], 2, "one"),
        (vec![format!("1.0.0={schemas}"), format!("1.0.0={schemas}")], 2, "release 1.0.0 is given twice"),
        (vec!["1.0.0=nothing.json".to_owned()], 3, "cannot read nothing.json"),
        (vec![format!("1.0.0={broken}")], 3, "not the output of `terraform providers schema -json`"),
        (
            vec![format!("1.0.0={schemas}"), "--provider".to_owned(), "other".to_owned()],
            3,
            "it has no provider \"other\", only example.com/test/acme",
        ),
        (
            vec![format!("1.0.0={schemas}"), "--type".to_owned(), "acme_disk".to_owned()],
            2,
            "no resource type is named \"acme_disk\"",
        ),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let refused = import(&arguments);
        assert_eq!(code(&refused), status, "{arguments:?}: {}", stderr(&refused));
        assert!(stderr(&refused).contains(says), "{arguments:?}: {}", stderr(&refused));
        assert!(!out.exists(), "{arguments:?}");
    }
}
