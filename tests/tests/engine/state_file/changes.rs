//! What a plan may show of an upgrade, and what it must not.

use upstate::{Dynamic, Object, Registry, Resource};
use upstate_state::{Change, Shown, StateFile, UpgradeOptions};

#[derive(Debug, Resource)]
#[resource(type_name = "example_login", version = 1)]
#[upgrade_from(0, model = LoginV0)]
struct Login {
    id: String,
    user: String,
    #[attribute(sensitive)]
    secret: String,
    /// The author of the upgrade did not think of it.
    hint: Option<String>,
    port: i64,
    rules: Vec<Rule>,
    tags: std::collections::BTreeSet<String>,
    labels: std::collections::BTreeMap<String, String>,
    note: Option<String>,
}

#[derive(Debug, Object)]
struct Rule {
    name: String,
    #[attribute(sensitive)]
    key: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_login", version = 0)]
struct LoginV0 {
    id: String,
    name: String,
    #[attribute(sensitive)]
    password: String,
    port: String,
    rules: Vec<Rule>,
    tags: Vec<String>,
    labels: std::collections::BTreeMap<String, String>,
    note: Option<String>,
}

impl From<LoginV0> for Login {
    fn from(prior: LoginV0) -> Self {
        Login {
            id: prior.id,
            user: prior.name,
            hint: Some(format!("it ends with {}", prior.password)),
            secret: prior.password,
            port: prior.port.parse().unwrap_or(0),
            rules: prior.rules.into_iter().rev().collect(),
            tags: prior.tags.into_iter().chain(["new".to_owned()]).collect(),
            labels: prior
                .labels
                .into_iter()
                .map(|(key, value)| (key, value.to_uppercase()))
                .collect(),
            note: prior.note,
        }
    }
}

const ATTRIBUTES: &str = r#"{
  "id": "7", "name": "ada", "password": "hunter22", "port": "22",
  "rules": [{"name": "a", "key": "sesame-1"}, {"name": "b", "key": null}],
  "tags": ["old", "kept"], "labels": {"env": "dev", "same": "X"}, "note": "as it was",
  "undefined": {"token": "hunter33"}
}"#;

fn changes(more: &str) -> Vec<Change> {
    changes_of("example_login", ATTRIBUTES, more)
}

fn changes_of(type_name: &str, attributes: &str, more: &str) -> Vec<Change> {
    let state = format!(
        r#"{{"version":4,"resources":[{{"mode":"managed","type":"{type_name}","name":"l","provider":"provider.example",
            "instances":[{{"schema_version":0,"attributes":{attributes}{more}}}]}}]}}"#
    );
    let registry = Registry::new()
        .with::<Login>()
        .with::<Open>()
        .with::<Split>();
    let mut all = Vec::new();
    let totals = StateFile::parse(state.as_bytes())
        .unwrap()
        .upgrade_to(
            &registry,
            &UpgradeOptions::new().changes(true),
            &mut std::io::sink(),
            |upgrade| {
                all.extend(upgrade.changes().iter().cloned());
                Ok(())
            },
        )
        .unwrap();
    assert_eq!(totals.upgraded(), 1);
    all
}

fn lines(changes: &[Change]) -> Vec<String> {
    let text = |shown: Option<&Shown>| match shown {
        None => "nothing".to_owned(),
        Some(Shown::Json(json)) => json.clone(),
        Some(Shown::Hidden) => "hidden".to_owned(),
        Some(Shown::Undefined) => "undefined".to_owned(),
    };
    let line = |change: &Change| {
        format!(
            "{}: {} → {}",
            change.path(),
            text(change.old()),
            text(change.new_value())
        )
    };
    changes.iter().map(line).collect()
}

#[test]
fn changes_are_told_by_path_and_secrets_are_not() {
    assert_eq!(
        lines(&changes("")),
        [
            "hint: nothing → hidden",
            "labels[\"env\"]: \"dev\" → \"DEV\"",
            "name: \"ada\" → nothing",
            "password: hidden → nothing",
            "port: \"22\" → 22",
            "rules[0].key: hidden → nothing",
            "rules[0].name: \"a\" → \"b\"",
            "rules[1].key: nothing → hidden",
            "rules[1].name: \"b\" → \"a\"",
            "secret: nothing → hidden",
            "tags[…]: nothing → \"new\"",
            "undefined: undefined → nothing",
            "user: nothing → \"ada\"",
        ]
    );
}

#[test]
fn what_the_configuration_marks_as_sensitive_is_hidden_wherever_it_goes() {
    let marked = r#","sensitive_attributes":[[{"type":"get_attr","value":"name"}],
        [{"type":"get_attr","value":"labels"},{"type":"index","value":{"value":"env","type":"string"}}]]"#;
    let lines = lines(&changes(marked));
    assert!(
        lines.contains(&"name: hidden → nothing".to_owned()),
        "{lines:#?}"
    );
    assert!(
        lines.contains(&"user: nothing → hidden".to_owned()),
        "{lines:#?}"
    );
    assert!(
        lines.contains(&"labels[\"env\"]: hidden → hidden".to_owned()),
        "{lines:#?}"
    );
    assert!(
        lines.contains(&"port: \"22\" → 22".to_owned()),
        "{lines:#?}"
    );
}

#[test]
fn pieces_of_what_is_marked_are_hidden_and_short_texts_inside_others_too() {
    let of = |attribute: &str| {
        format!(r#","sensitive_attributes":[[{{"type":"get_attr","value":"{attribute}"}}]]"#)
    };
    let changes =
        |attributes: &str, more: &str| lines(&changes_of("example_split", attributes, more));
    let attributes = r#"{"kind":"hunter22_LRS","note":"abc"}"#;
    let shown = |lines: &[String], text: &str| lines.iter().any(|line| line.contains(text));
    let plain = changes(attributes, "");
    assert!(
        shown(&plain, "tier: nothing → \"hunter22\"") && shown(&plain, "\"note abc\""),
        "{plain:#?}"
    );
    let marked = changes(attributes, &of("kind"));
    assert!(
        !shown(&marked, "hunter22") && !shown(&marked, "LRS") && shown(&marked, "\"note abc\""),
        "{marked:#?}"
    );
    let marked = changes(attributes, &of("note"));
    assert!(
        !shown(&marked, "abc") && shown(&marked, "hunter22"),
        "{marked:#?}"
    );
}

#[test]
fn diagnostics_do_not_hold_what_is_marked() {
    let said = |attributes: &str, marked: &str| {
        let state = format!(
            r#"{{"version":4,"resources":[{{"mode":"managed","type":"example_split","name":"l","provider":"provider.example",
                "instances":[{{"schema_version":0,"attributes":{attributes},"sensitive_attributes":[{marked}]}}]}}]}}"#
        );
        let registry = Registry::new().with::<Split>();
        let upgrade = StateFile::parse(state.as_bytes())
            .unwrap()
            .upgrade(&registry)
            .unwrap();
        let (_, outcome) = upgrade.instances().next().unwrap();
        let upstate_state::InstanceOutcome::Failed { diagnostics, .. } = outcome else {
            panic!("{outcome:?}")
        };
        format!("{diagnostics}\n{diagnostics:?}")
    };
    let kind = r#"[{"type":"get_attr","value":"kind"}]"#;
    let id = r#"[{"type":"get_attr","value":"id"}]"#;
    let attributes = r#"{"kind":"hunter22-LRS","note":"n","id":"box-7316"}"#;
    assert!(
        said(attributes, "").contains("\"hunter22-LRS\" does not have the form"),
        "{}",
        said(attributes, "")
    );
    let hidden = said(attributes, kind);
    assert!(
        hidden.contains("(sensitive value) does not have the form") && hidden.contains("box-7316"),
        "{hidden}"
    );
    assert!(
        !hidden.contains("hunter22") && !hidden.contains("LRS"),
        "{hidden}"
    );
    let hidden = said(attributes, id);
    assert!(
        hidden.contains("hunter22-LRS") && !hidden.contains("7316"),
        "{hidden}"
    );
}

/// A type whose upgrade takes a string apart and puts another into a longer one.
#[derive(Debug, Resource)]
#[resource(type_name = "example_split", version = 1)]
#[upgrade_from(0, model = SplitV0, split(kind, "{tier}_{replication}"), reformat(note, "{note}" => "note {note}"))]
struct Split {
    id: Option<String>,
    note: Option<String>,
    replication: Option<String>,
    tier: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_split", version = 0)]
struct SplitV0 {
    id: Option<String>,
    kind: Option<String>,
    note: Option<String>,
}

/// A type without secrets.
#[derive(Debug, Resource)]
#[resource(type_name = "example_open", version = 1)]
#[upgrade_from(0, model = OpenV0, unwrap(part), rename(any => free))]
struct Open {
    free: Option<Dynamic>,
    lock: Option<Rule>,
    part: Option<Part>,
}

#[derive(Debug, Object)]
struct Part {
    name: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_open", version = 0)]
struct OpenV0 {
    any: Option<Dynamic>,
    lock: Option<Rule>,
    part: Vec<Part>,
}

#[test]
fn only_what_is_sensitive_is_called_so() {
    let free = r#"{"type":["object",{"a":"number"}],"value":{"a":1}}"#;
    let part = |part: &str| format!(r#"{{"any":{free},"lock":null,"part":[{part}]}}"#);
    assert_eq!(
        lines(&changes_of("example_open", &part(r#"{"name":"a"}"#), "")),
        [
            format!("any: {free} → nothing"),
            format!("free: nothing → {free}"),
            r#"part: [{"name":"a"}] → {"name":"a"}"#.to_owned()
        ]
    );
    // What of a value no schema knows might be a secret, but nobody says that it is one.
    let lines = lines(&changes_of(
        "example_open",
        &part(r#"{"name":"a","size":1}"#),
        "",
    ));
    assert_eq!(lines.last().unwrap(), r#"part: undefined → {"name":"a"}"#);
}

#[test]
fn no_secret_is_in_what_a_program_may_print() {
    let shown = format!("{:?}", changes(""));
    for secret in ["hunter22", "hunter33", "sesame-1"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}
