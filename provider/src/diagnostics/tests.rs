//! Every diagnostic, as a page to read: `UPDATE=1` writes it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use upstate::codec::Encoding;
use upstate::schema::{Field, Type};
use upstate::{DecodeError, Object, Value};

use super::*;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/diagnostics/all.txt");

#[derive(Debug, Object)]
struct Berth {
    length: u8,
}

fn unread(json: &str) -> DecodeError {
    upstate::from_json::<Berth>(json.as_bytes()).unwrap_err()
}

fn unwritten() -> EncodeError {
    upstate::codec::attribute_to_msgpack(&f64::NAN).unwrap_err()
}

fn unfit_for_number() -> ConformError {
    let ty = Type::object([Field::new("height", Type::Number)]);
    let value = Value::Map([("height".to_owned(), Value::from("high"))].into());
    value.encode(&ty, Encoding::Msgpack).unwrap_err()
}

fn at(name: &str) -> AttributePath {
    AttributePath::new()
        .attribute("docks")
        .index(1)
        .attribute(name.to_owned())
}

fn every() -> Vec<(&'static str, Diagnostic)> {
    let program = Path::new("/opt/terraform-provider-quay-go");
    let null = unread("{}");
    let too_long = r#"{"length": 300}"#;
    let large = unread(too_long);
    vec![
        ("mistake", mistake("Reserved Name", "The provider's configuration has count.")),
        ("unknown_type", unknown_type("Resource Type Not Found", "resource type", "quay_none")),
        ("not_configured", not_configured()),
        ("invalid_version", invalid_version("quay_dock", -1)),
        ("unexpected_value", unexpected_value("prior state", "expected a string, found a number")),
        ("cancelled", cancelled("an import")),
        ("timeout", timeout("1m30s")),
        ("unreadable_private", unreadable_private("it is not a JSON object")),
        ("unaccepted", unaccepted(at("height"), "must be between 1 and 9")),
        ("unaccepted_secret", unaccepted_secret(at("codes"))),
        ("unfit", unfit(&null, b"{}", false)),
        ("unfit", unfit(&large, too_long.as_bytes(), false)),
        ("unfit", unfit(&large, too_long.as_bytes(), true)),
        (
            "combination",
            combination(
                "Invalid Attribute Combination",
                "At most one of port, ports can be set; port and ports are.".to_owned(),
                "Remove all but one.",
                at("ports"),
            ),
        ),
        ("read_only", read_only(at("id"))),
        ("write_only_refused", write_only_refused(at("pin"))),
        ("write_only_offered", write_only_offered(at("password"), "password_wo")),
        ("deprecated", deprecated("Attribute Deprecated", "Use colors instead.".to_owned(), Some(at("color")))),
        ("configuration_not_known", configuration_not_known("host")),
        ("no_import", no_import("quay_dock")),
        ("no_import_by_identity", no_import_by_identity("quay_dock")),
        ("no_identity", no_identity("quay_dock")),
        ("invalid_identity", invalid_identity(&large, too_long.as_bytes())),
        ("invalid_id", invalid_id("north", "number")),
        ("nothing_to_import", nothing_to_import("quay_dock", "named \"north\"")),
        ("panicked", panicked("Unable to Create Resource", "provider")),
        ("no_filler", no_filler(at("kind"))),
        ("no_filler_for_import", no_filler_for_import(at("kind"))),
        ("not_set", not_set(at("id"))),
        ("not_set_by_read", not_set_by_read(at("id"))),
        ("misplaced", misplaced("Unknown Planned Attribute", "planned", &at("load"), "plan", "quay_dock")),
        ("misnamed", misnamed(&at("load"))),
        ("misnamed_in_change", misnamed_in_change(&at("load"))),
        ("invalid_default", invalid_default("height", "expected a number, found a string")),
        ("unencodable", unencodable(&unwritten())),
        ("unencodable_result", unencodable_result("Function Failed", &unwritten())),
        ("unfit_value", unfit_value("planned state", &unfit_for_number())),
        ("not_an_object", not_an_object("identity")),
        ("no_renewal", no_renewal("quay_token")),
        ("identity_changed", identity_changed("update", r#"{"name":"a"}"#, r#"{"name":"b"}"#)),
        ("unfit_upgrade", unfit_upgrade("quay_dock", 1, "length: it is null, but must not be")),
        (
            "needs_protocol_6",
            needs_protocol_6("docks, which /opt/old serves, has nested attributes, and plugin protocol 5 has none.".to_owned()),
        ),
        ("beside_not_started", beside_not_started(program, "It ended with exit status: 3.")),
        ("beside_unfit", beside_unfit("Both say what \"token\" is, and not the same. Give it one type.")),
        ("beside_without_moves", beside_without_moves(program, "quay_dock")),
        ("beside_silent", beside_silent("the connection was closed")),
    ]
}

#[test]
fn each_has_a_code_and_a_remedy() {
    let mut page = String::new();
    for (name, diagnostic) in every() {
        let code = diagnostic
            .code()
            .unwrap_or_else(|| panic!("{name} has no code"));
        let remedy = diagnostic
            .remedy()
            .unwrap_or_else(|| panic!("{name} does not say what to do"));
        assert!(
            diagnostic.detail().ends_with(remedy),
            "{name}: {diagnostic}"
        );
        writeln!(page, "== {name} [{code}]\n{diagnostic}\n").unwrap();
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(PAGE, &page).unwrap();
    }
    assert_eq!(
        fs::read_to_string(PAGE).unwrap(),
        page,
        "UPDATE=1 writes the page; read it as prose"
    );
}

#[test]
fn none_is_left_out() {
    let shown: Vec<&str> = every().iter().map(|(name, _)| *name).collect();
    for function in include_str!("../diagnostics.rs")
        .split("pub(crate) fn ")
        .skip(1)
    {
        let name = function.split('(').next().unwrap_or_default();
        assert!(shown.contains(&name), "{name}");
    }
}

#[test]
fn none_is_made_elsewhere() {
    fn look(folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                // Left out because it speaks to authors.
                if name != "testing" {
                    look(&path);
                }
                continue;
            }
            // Left out because one is this page, and the other hands on the words of the provider
            // beside.
            let others = ["src/diagnostics.rs", "src/beside/companion.rs"]
                .iter()
                .any(|other| path.ends_with(other));
            if path.extension().is_none_or(|it| it != "rs") || name.ends_with("tests") || others {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let made = code.lines().find(|line| {
                let documentation = line.trim_start().starts_with("//");
                !documentation
                    && (line.contains("Diagnostic::error(")
                        || line.contains("Diagnostic::warning("))
            });
            assert_eq!(made, None, "{}: put it into diagnostics.rs", path.display());
        }
    }
    look(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
}

#[test]
fn users_read_the_words_of_a_type_that_the_author_made() {
    let tide = "the stored string is not a valid `Tide`";
    assert_eq!(
        for_users(tide, Some("expected high or low.")),
        "expected high or low"
    );
    assert_eq!(
        for_users(tide, None),
        "the string is not one that the provider can read"
    );
}
