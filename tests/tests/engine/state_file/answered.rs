//! Who answers: the registry where operators alone upgrade, the caller where a function may be
//! called. And what instances have in common.

use std::num::NonZeroUsize;
use std::sync::Mutex;

use upstate::{Registry, Resource, UpgradeRequest};
use upstate_state::{LineOptions, StateFile, UpgradeOptions, upgrade_lines_with};

use super::Box1;

#[derive(Debug, Resource)]
#[resource(type_name = "example_crate", version = 1)]
#[upgrade_from(0 => 1, rename(name => label), drop(legacy: Option<String>, "nobody reads it"))]
struct Crate {
    id: String,
    label: Option<String>,
}

fn registry() -> Registry {
    Registry::new().with::<Box1>().with::<Crate>()
}

const INSTANCES: [(&str, &str); 3] = [
    ("example_crate", r#"{"id":"1","legacy":null,"name":"a"}"#),
    ("example_box", r#"{"id":"2","name":"b"}"#),
    // Not as a program writes it: the plan is not sure, and values decide.
    ("example_crate", r#"{"name":7,"id":"3"}"#),
];

#[test]
fn only_requests_that_may_call_a_function_are_passed_on() {
    let registry = registry();
    let asked = Mutex::new(Vec::new());
    let answer = |request: &UpgradeRequest<'_>| {
        asked.lock().unwrap().push(request.type_name().to_owned());
        registry.upgrade(request)
    };
    let resources: Vec<String> = INSTANCES
        .iter()
        .enumerate()
        .map(|(index, (type_name, attributes))| {
            format!(
                r#"{{"mode":"managed","type":"{type_name}","name":"n{index}","provider":"provider[\"a/b/c\"]","instances":[{{"schema_version":0,"attributes":{attributes}}}]}}"#
            )
        })
        .collect();
    let file = format!(
        r#"{{"version":4,"serial":1,"lineage":"l","resources":[{}]}}"#,
        resources.join(",")
    );
    let state = StateFile::parse(file.as_bytes()).unwrap();
    let upgrade = |options: &UpgradeOptions<'_>| {
        let mut out = Vec::new();
        let totals = state
            .upgrade_to(&registry, options, &mut out, |_| Ok(()))
            .unwrap();
        assert_eq!(totals.upgraded(), 3);
        String::from_utf8(out).unwrap()
    };
    let one = NonZeroUsize::MIN;
    assert_eq!(
        upgrade(&UpgradeOptions::new().threads(one).upgraded_by(&answer)),
        upgrade(&UpgradeOptions::new())
    );
    assert_eq!(*asked.lock().unwrap(), ["example_box"]);

    asked.lock().unwrap().clear();
    let lines: Vec<String> = INSTANCES
        .iter()
        .map(|(type_name, attributes)| {
            format!("{{\"type_name\":\"{type_name}\",\"schema_version\":0,\"attributes\":{attributes}}}\n")
        })
        .collect();
    let filter = |options: &LineOptions<'_>| {
        let mut out = Vec::new();
        let totals =
            upgrade_lines_with(&registry, options, lines.concat().as_bytes(), &mut out).unwrap();
        assert_eq!((totals.upgraded, totals.failed), (3, 0));
        String::from_utf8(out).unwrap()
    };
    assert_eq!(
        filter(&LineOptions::new().threads(one).upgraded_by(&answer)),
        filter(&LineOptions::new())
    );
    assert_eq!(*asked.lock().unwrap(), ["example_box"]);
}

/// What one instance has in common with the one before it is not read again; what only begins as
/// the same is.
#[test]
fn members_that_begin_as_those_before_them_are_still_read() {
    let instance = |index: usize, members: &str| {
        format!(r#"{{"index_key":{index},"schema_version":0,"attributes":{{}}{members}}}"#)
    };
    let same = r#","private":"YQ==","dependencies":["a.b","a.c"],"sensitive_attributes":[[{"type":"get_attr","value":"id"}]]"#;
    let file = |instances: &[String]| {
        format!(
            r#"{{"version":4,"serial":1,"lineage":"l","resources":[{{"mode":"managed","type":"t","name":"n","provider":"provider[\"a/b/c\"]","instances":[{}]}}]}}"#,
            instances.join(",")
        )
    };
    let text = file(&[
        instance(0, same),
        instance(1, same),
        instance(2, ""),
        instance(3, same),
    ]);
    let state = StateFile::parse(text.as_bytes()).unwrap();
    for (index, instance) in state.instances().iter().enumerate() {
        let there = usize::from(index != 2);
        assert_eq!(instance.dependencies().len(), 2 * there, "{index}");
        assert_eq!(instance.sensitive_attributes().len(), there, "{index}");
        assert_eq!(
            instance.private(),
            (there == 1).then(|| b"a".to_vec()),
            "{index}"
        );
    }
    for (wrong, problem) in [
        (
            r#","dependencies":["a.b","a.c","a"]"#,
            "`dependencies` must hold addresses",
        ),
        (
            r#","dependencies":["a.b","a.c"]x"#,
            "the file cannot be read",
        ),
        (r#","private":"YQ==\u0021""#, "`private` must be base64"),
        (r#","private":"YQ=="x"#, "the file cannot be read"),
        (
            r#","sensitive_attributes":[[{"type":"get_attr","value":"id"}],[{"type":"no"}]]"#,
            "a step of `sensitive_attributes`",
        ),
    ] {
        let error = StateFile::parse(file(&[instance(0, same), instance(1, wrong)]).as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.contains(problem), "{wrong}: {error}");
    }
}
