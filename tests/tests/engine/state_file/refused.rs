//! What is not a state file, or not one that Terraform would read: which problem is reported, and
//! where.

use upstate_state::StateFile;

use super::{STATE, problem, registry};

#[test]
fn what_is_no_state_file_is_refused_with_its_position() {
    let instance = |text: &str| {
        format!(
            "{{\"version\": 4, \"resources\": [\n{{\"mode\": \"managed\", \"type\": \"t\", \"name\": \"n\", \"provider\": \"provider.example\", \"instances\": [\n{text}]}}]}}"
        )
    };
    for (state, message) in [
        (String::new(), "the file is empty; there is no state to upgrade"),
        (" \n\t".to_owned(), "the file is empty; there is no state to upgrade"),
        ("tfstate\u{1}".to_owned(), "this is a state file in the binary format of Terraform before 0.3"),
        ("hello".to_owned(), "line 1, column 1: the file cannot be read: not valid JSON: expected a value"),
        (
            "\u{feff}{\"version\": 4}".to_owned(),
            "line 1, column 1: the file cannot be read: not valid JSON: it begins with a byte order mark (BOM), which JSON must not \
             have; save it as UTF-8 without one",
        ),
        ("[]".to_owned(), "line 1, column 1: a state file must be an object, found an array"),
        ("{}".to_owned(), "line 1, column 1: there is no format `version`, so this is probably not a state file"),
        ("{\"version\": 4".to_owned(), "line 1, column 14: the file cannot be read: not valid JSON: expected `,` or `}`"),
        (
            "{\"version\": 4} x".to_owned(),
            "line 1, column 16: the file cannot be read: not valid JSON: expected the end of the document",
        ),
        ("{\"version\": \"4\"}".to_owned(), "line 1, column 13: the format `version` must be a number, found a string"),
        (
            "{\"version\": 3, \"terraform_version\": \"0.11.14\", \"modules\": []}".to_owned(),
            "line 1, column 13: this state file has format version 3, written by Terraform 0.11.14; only version 4 is upgraded. \
             Run `terraform state pull` or any apply with Terraform 0.12 or later first, which rewrites it",
        ),
        (
            "{\"version\": 5}".to_owned(),
            "line 1, column 13: this state file has format version 5, which is newer than version 4, the latest known here; \
             use a later release of this program",
        ),
        ("{\"version\": 0}".to_owned(), "line 1, column 13: format version 0 is not a state file"),
        (
            "{\"version\": 3, \"modules\": [], \"version\": 4}".to_owned(),
            "line 1, column 42: the file has several format `version`s, so it may be two state files in one; \
             restore it from a backup, or remove what does not belong to it",
        ),
        (
            "{\"version\": 4, \"Version\": 5}".to_owned(),
            "line 1, column 27: the file has several format `version`s, so it may be two state files in one",
        ),
        (
            "{\"version\": 4, \"serial\": -1}".to_owned(),
            "line 1, column 26: `serial` must be a whole number of at most 64 bits, found -1",
        ),
        ("{\"version\": 4, \"serial\": \"7\"}".to_owned(), "line 1, column 26: `serial` must be a number, found a string"),
        ("{\"version\": 4, \"resources\": {}}".to_owned(), "line 1, column 29: `resources` must be an array, found an object"),
        ("{\"version\": 4, \"resources\": [7]}".to_owned(), "line 1, column 30: a resource must be an object, found a number"),
        (
            "{\"version\": 4, \"resources\": [{\"mode\": \"managed\", \"name\": \"n\", \"provider\": \"provider.example\", \"instances\": []}]}".to_owned(),
            "line 1, column 30: this resource has no `type`, so its instances cannot be told apart",
        ),
        (
            "{\"version\": 4, \"resources\": [{\"mode\": \"weird\", \"type\": \"t\", \"name\": \"n\", \"provider\": \"provider.x\"}]}".to_owned(),
            "line 1, column 39: `mode` is `managed` or `data`, not \"weird\"",
        ),
        (instance("{\"attributes\": [1]}"), "line 3, column 16: `attributes` must be an object, found an array"),
        (
            instance("{\"schema_version\": 1.5}"),
            "line 3, column 20: `schema_version` must be a whole number of at most 64 bits, found 1.5",
        ),
        (instance("{\"index_key\": true}"), "line 3, column 15: `index_key` must be a number or a string, found a bool"),
        (instance("{\"status\": \"odd\"}"), "line 3, column 12: `status` is `tainted` or not there, not \"odd\""),
        (instance("{\"index_key\": 0},\n{\"index_key\": 0}"), "line 4, column 1: there is a second object for t.n[0]"),
    ] {
        let problem = problem(&state);
        assert!(problem.starts_with(message), "{state}\n  gives {problem}\n  not   {message}");
    }
    assert_eq!(
        problem(b"{\"version\": 4,\n \"lineage\": \"\xff\"}"),
        "line 2, column 14: the file is not UTF-8, so it is not a state file"
    );
    assert_eq!(
        problem(b"\xff\xfe{\0}\0"),
        "line 1, column 1: the file is UTF-16, by its byte order mark; save it as UTF-8 without that mark"
    );
    // Problems that don't keep the rest from being read come together.
    let two = instance("{\"index_key\": true, \"attributes\": []}, {\"status\": \"x\"}");
    assert_eq!(problem(two).lines().count(), 4);
}

#[test]
fn a_file_cut_anywhere_is_an_error_and_never_a_panic() {
    let end = STATE.trim_end().len();
    for cut in 0..end {
        assert!(
            StateFile::parse(&STATE.as_bytes()[..cut]).is_err(),
            "cut at {cut}"
        );
    }
    assert!(StateFile::parse(&STATE.as_bytes()[..end]).is_ok());
}

#[test]
fn a_flipped_byte_never_panics() {
    for position in 0..STATE.len() {
        for bit in [0x01, 0x20, 0x80] {
            let mut bytes = STATE.as_bytes().to_vec();
            bytes[position] ^= bit;
            if let Ok(state) = StateFile::parse(&bytes) {
                // Whatever comes out is a state file again.
                if let Some(upgraded) = state
                    .upgrade(&registry())
                    .ok()
                    .and_then(|upgrade| upgrade.to_bytes())
                {
                    StateFile::parse(&upgraded)
                        .unwrap_or_else(|error| panic!("byte {position} ^ {bit:#x}: {error}"));
                }
            }
        }
    }
}

#[test]
fn every_member_of_an_instance_is_checked() {
    let instance = |text: &str| {
        format!(
            "{{\"version\": 4, \"resources\": [\n{{\"mode\": \"managed\", \"type\": \"t\", \"name\": \"n\", \"provider\": \"provider.x\", \"instances\": [\n{{{text}}}]}}]}}"
        )
    };
    for (member, message) in [
        (
            r#""deposed": "short""#,
            "`deposed` must be a key of eight characters, found \"short\"",
        ),
        (
            r#""private": "a""#,
            "`private` must be base64 with its padding, and is not",
        ),
        (
            r#""private": 7"#,
            "`private` must be a string, found a number",
        ),
        (
            r#""dependencies": ["t.n[0]"]"#,
            "`dependencies` must hold addresses of resources without instance keys, found \"t.n[0]\"",
        ),
        (
            r#""dependencies": {}"#,
            "`dependencies` must be an array, found an object",
        ),
        (
            r#""create_before_destroy": "yes""#,
            "`create_before_destroy` must be a bool, found a string",
        ),
        (
            r#""identity_schema_version": -1"#,
            "`identity_schema_version` must be a whole number of at most 64 bits, found -1",
        ),
        (
            r#""sensitive_attributes": [{}]"#,
            "a path of `sensitive_attributes` must be an array, found an object",
        ),
        (
            r#""sensitive_attributes": [[{"type": "splat"}]]"#,
            "a step of `sensitive_attributes` is `get_attr` or `index`, not \"splat\"",
        ),
        (
            r#""sensitive_attributes": [[{"type": "get_attr", "value": 7}]]"#,
            "this step of `sensitive_attributes` does not say which attribute, element or key is meant",
        ),
        (
            r#""attributes_flat": {"a": 1}"#,
            "a value of `attributes_flat` must be a string, found a number",
        ),
    ] {
        let got = problem(instance(member));
        assert!(
            got.starts_with("line 3, column ") && got.ends_with(message),
            "{member}: {got}"
        );
    }
    // All of an instance's problems come together, and those of the others.
    let all = instance(r#""deposed": "x", "status": "y", "private": "z"}, {"index_key": []"#);
    assert_eq!(problem(all).lines().count(), 4);
}

#[test]
fn every_member_of_the_file_is_checked() {
    for (member, message) in [
        (
            r#""terraform_version": "one""#,
            "`terraform_version` must be a version such as 1.9.0, found \"one\"",
        ),
        (
            r#""lineage": 7"#,
            "`lineage` must be a string, found a number",
        ),
        (
            r#""outputs": {"a": {"value": "x", "type": "number"}}"#,
            "the value of output \"a\" is not of its type \"number\": error parsing number: expected a number, found a string that is not a decimal number",
        ),
        (
            r#""outputs": {"a": {"value": "x", "type": "txt"}}"#,
            "the `type` of output \"a\" is not a type that Terraform knows",
        ),
        (
            r#""check_results": [{"object_kind": "resource", "config_addr": "t.n[0]", "status": "pass", "objects": null}]"#,
            "`config_addr` must be the address of a resource without keys, found \"t.n[0]\"",
        ),
        (
            r#""resources": [{"mode": "managed", "type": "t", "name": "n"}]"#,
            "this resource has no `provider`, so the provider of its state is unknown",
        ),
        (
            r#""resources": [{"module": "mod", "mode": "managed", "type": "t", "name": "n", "provider": "provider.x"}]"#,
            "`module` must be the path of a module such as module.a[0], found \"mod\"",
        ),
    ] {
        let got = problem(format!("{{\"version\": 4, {member}}}"));
        assert!(got.contains(message), "{member}: {got}");
    }
    // Kinds of checks from the future are passed over.
    assert!(
        StateFile::parse(
            br#"{"version": 4, "check_results": [{"object_kind": "later", "config_addr": "?"}]}"#
        )
        .is_ok()
    );
}
