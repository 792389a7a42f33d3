//! What a service that keeps states asks of a state file.

use upstate_state::{Mode, StateFile};

const STATE: &str = r#"{
  "SERIAL": 3, "version": 4, "lineage": "l", "serial" : 0041 , "outputs": {
    "b": {"value": 1.50, "type": "number"},
    "a": {"type": ["object", {"x": "string"}], "value": {"x": "<>&\u003c"}, "sensitive": true},
    "none": {"type": "string"}
  },
  "resources": [
    {"mode": "managed", "type": "t", "name": "n", "provider": "provider[\"registry.terraform.io/hashicorp/t\"]",
     "instances": [{"schema_version": 0, "attributes": {"serial": 41}}, {"deposed": "00000001", "schema_version": 0, "attributes": {}}]},
    {"module": "module.m[0]", "mode": "data", "type": "d", "name": "n", "provider": "provider[\"registry.terraform.io/hashicorp/t\"]",
     "instances": []}
  ]
}
"#;

fn state() -> String {
    STATE.replace("0041", "41")
}

#[test]
fn outputs_are_given_as_they_are_stored() {
    let text = state();
    let state = StateFile::parse(text.as_bytes()).unwrap();
    let outputs = state.outputs();
    let all: Vec<_> = outputs
        .iter()
        .map(|o| (o.name(), o.value_json(), o.type_json(), o.is_sensitive()))
        .collect();
    assert_eq!(
        all,
        [
            (
                "a",
                r#"{"x": "<>&\u003c"}"#,
                r#"["object", {"x": "string"}]"#,
                true
            ),
            ("b", "1.50", r#""number""#, false),
            ("none", "null", r#""string""#, false),
        ]
    );
    assert!(!format!("{outputs:?}").contains("<>&"));
    assert!(
        StateFile::parse(b"{\"version\":4}")
            .unwrap()
            .outputs()
            .is_empty()
    );
}

#[test]
fn resources_are_counted_also_without_instances() {
    let text = state();
    let state = StateFile::parse(text.as_bytes()).unwrap();
    let all: Vec<_> = state.resources();
    assert_eq!(all.len(), 2);
    let first = &all[0];
    assert_eq!(
        (
            first.module(),
            first.mode(),
            first.type_name(),
            first.name()
        ),
        ("", Mode::Managed, "t", "n")
    );
    assert_eq!((first.instances(), first.deposed()), (1, 1));
    assert_eq!(
        first.provider(),
        "provider[\"registry.terraform.io/hashicorp/t\"]"
    );
    assert_eq!(
        (all[1].module(), all[1].mode(), all[1].instances()),
        ("module.m[0]", Mode::Data, 0)
    );
}

/// Of a repeated name the last one counts, in any letter case, as Go reads it: that is the one
/// whose digits change.
#[test]
fn only_the_digits_of_the_serial_change() {
    let text = state();
    let changed = StateFile::parse(text.as_bytes())
        .unwrap()
        .with_serial(u64::MAX);
    assert_eq!(
        changed,
        text.replace("\"serial\" : 41", &format!("\"serial\" : {}", u64::MAX))
    );
    assert_eq!(
        StateFile::parse(changed.as_bytes()).unwrap().serial(),
        u64::MAX
    );
    let without = StateFile::parse(b"{\"version\": 4 }")
        .unwrap()
        .with_serial(7);
    assert_eq!(without, "{\"version\": 4, \"serial\": 7 }");
}
