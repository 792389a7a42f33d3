//! State files as no Terraform writes them: an error or a right answer, never a panic.

use proptest::prelude::*;
use upstate::{Registry, Resource};
use upstate_state::{StateFile, UpgradeOptions, upgrade_lines};

#[derive(Debug, Resource)]
#[resource(type_name = "example_box", version = 1)]
#[upgrade_from(0, model = BoxV0)]
struct Box1 {
    label: Option<String>,
    tags: Vec<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_box", version = 0)]
struct BoxV0 {
    name: Option<String>,
}

impl From<BoxV0> for Box1 {
    fn from(prior: BoxV0) -> Self {
        Box1 {
            label: prior.name,
            tags: Vec::new(),
        }
    }
}

const STATE: &str = r#"{
  "version": 4, "terraform_version": "1.9.0", "serial": 3, "lineage": "a",
  "outputs": {"x": {"value": ["a", 1.50], "type": ["tuple", ["string", "number"]], "sensitive": true}},
  "resources": [
    {"module": "module.a[\"k\"]", "mode": "managed", "type": "example_box", "name": "b",
      "provider": "module.a.provider[\"registry.terraform.io/acme/relay\"].west",
      "instances": [
        {"index_key": 0, "status": "tainted", "schema_version": 0, "attributes": {"name": "x\u00e9\"", "odd": [1, {"y": null}]},
         "sensitive_attributes": [[{"type": "get_attr", "value": "name"}, {"type": "index", "value": {"value": 1, "type": "number"}}]],
         "identity_schema_version": 1, "identity": {"id": 1}, "private": "eyJ0IjoxfQ==", "dependencies": ["module.a.t.n", "data.t.m"],
         "create_before_destroy": true},
        {"index_key": "k", "deposed": "0000abcd", "schema_version": 0, "attributes_flat": {"name": "flat", "tags.#": "0"}},
        {"index_key": 1.0},
        {}
      ]},
    {"mode": "data", "type": "other", "name": "d", "provider": "provider.other", "each": "list", "instances": []},
    {"mode": "managed", "type": "other", "name": "o", "instances": [{"provider": "provider[\"acme/relay\"].by[\"k\"]", "skip_destroy": true}]}
  ],
  "check_results": [{"object_kind": "resource", "config_addr": "module.a.example_box.b", "status": "pass",
    "objects": [{"object_addr": "module.a[\"k\"].example_box.b[0]", "status": "fail", "failure_messages": ["no"]}]}]
}
"#;

/// Whatever the bytes are: what is read upgrades to something that is read again, and then nothing
/// is left to do; the same on any number of threads; and what is rewritten says the same.
fn check(bytes: &[u8]) {
    let registry = Registry::new().with::<Box1>();
    let Ok(state) = StateFile::parse(bytes) else {
        return;
    };
    let mut normal = Vec::new();
    state.normalize(&mut normal).unwrap();
    let again = StateFile::parse(&normal)
        .unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&normal)));
    assert_eq!(again.instances().len(), state.instances().len());
    let mut texts = Vec::new();
    for threads in [1, 3] {
        let mut new = Vec::new();
        let options = UpgradeOptions::new()
            .partial(true)
            .changes(true)
            .threads(threads.try_into().unwrap());
        // A serial that cannot grow is an error, and the only one.
        let Ok(totals) = state.upgrade_to(&registry, &options, &mut new, |_| Ok(())) else {
            assert_eq!(state.serial(), u64::MAX);
            return;
        };
        if !totals.may_be_written() {
            continue;
        }
        let upgraded = StateFile::parse(&new)
            .unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&new)));
        assert_eq!(Some(upgraded.serial()), totals.new_serial());
        let addresses = |state: &StateFile<'_>| {
            state
                .instances()
                .iter()
                .map(|one| one.address().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(addresses(&upgraded), addresses(&state));
        let mut rest = Vec::new();
        let left = upgraded
            .upgrade_to(
                &registry,
                &UpgradeOptions::new().partial(true),
                &mut rest,
                |_| Ok(()),
            )
            .unwrap();
        assert_eq!(left.upgraded(), 0, "an upgrade was left over");
        texts.push(new);
    }
    assert!(
        texts.windows(2).all(|pair| pair[0] == pair[1]),
        "the number of threads shows"
    );
}

#[test]
fn the_whole_file_is_read() {
    assert!(
        StateFile::parse(STATE.as_bytes()).is_ok(),
        "{:?}",
        StateFile::parse(STATE.as_bytes()).unwrap_err()
    );
    check(STATE.as_bytes());
}

#[test]
fn cut_at_every_byte_it_is_an_error() {
    let end = STATE.trim_end().len();
    for cut in 0..end {
        let error = StateFile::parse(&STATE.as_bytes()[..cut]).unwrap_err();
        assert!(
            error.is_no_state() == (cut == 0) && !error.to_string().is_empty(),
            "cut at {cut}"
        );
    }
}

#[test]
fn every_flipped_bit_is_an_error_or_a_right_answer() {
    for position in 0..STATE.len() {
        for bit in [0x01, 0x20, 0x80] {
            let mut bytes = STATE.as_bytes().to_vec();
            bytes[position] ^= bit;
            check(&bytes);
        }
    }
}

#[test]
fn endless_brackets_are_refused_at_once() {
    for (front, bracket) in [
        ("", "["),
        ("{\"version\":4,\"resources\":", "["),
        ("{\"x\":", "[{\"y\":"),
        ("{\"version\":4,\"outputs\":{\"a\":{\"type\":", "[\"list\","),
    ] {
        let text = format!("{front}{}", bracket.repeat((16 << 20) / bracket.len()));
        let error = StateFile::parse(text.as_bytes()).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("more than 256 values inside one another"),
            "{front}: {error}"
        );
    }
}

#[test]
fn what_has_the_current_version_is_not_read() {
    let registry = Registry::new().with::<Box1>();
    let text = r#"{"version":4,"serial":1,"resources":[{"mode":"managed","type":"example_box","name":"a","provider":"provider.x","instances":[{"schema_version":1,"attributes":{"label":[7]}}]}]}"#;
    let upgrade = StateFile::parse(text.as_bytes())
        .unwrap()
        .upgrade(&registry)
        .unwrap();
    assert!(!upgrade.has_failures() && !upgrade.has_changes());
    assert_eq!(upgrade.to_bytes().unwrap(), text.as_bytes());
}

#[test]
fn repeated_names_count_as_they_do_for_terraform() {
    let registry = Registry::new().with::<Box1>();
    let file = |members: &str| {
        format!(
            r#"{{"version":4,"serial":1,"resources":[{{"mode":"managed","type":"example_box","name":"a","provider":"provider.x",{members}}}]}}"#
        )
    };
    let upgraded = |text: &str| {
        let upgrade = StateFile::parse(text.as_bytes())
            .unwrap()
            .upgrade(&registry)
            .unwrap();
        String::from_utf8(upgrade.to_bytes().unwrap()).unwrap()
    };
    // The last one counts, whatever its letters.
    let twice = file(
        r#""instances":[{"schema_version":0,"attributes":{"name":"1"},"ATTRIBUTES":{"name":"2"}}]"#,
    );
    assert!(
        upgraded(&twice)
            .contains(r#""attributes":{"name":"1"},"ATTRIBUTES":{"label":"2","tags":[]}"#),
        "{}",
        upgraded(&twice)
    );
    let twice = file(
        r#""instances":[{"attributes":{"name":"1"}}],"instances":[{"schema_version":0,"attributes":{"name":"2"}}]"#,
    );
    let new = upgraded(&twice);
    assert!(
        new.contains(r#""instances":[{"attributes":{"name":"1"}}]"#)
            && new.contains(r#"{"label":"2","tags":[]}"#),
        "{new}"
    );
    // Accepted, because the file has one version, however often it is written.
    let twice = file(r#""instances":[]"#).replace(r#""serial":1"#, r#""serial":1,"version":4"#);
    assert!(StateFile::parse(twice.as_bytes()).is_ok());
    // What a resource is may stand behind its instances.
    let behind = file(r#""instances":[{"schema_version":0,"attributes":{}}],"module":"module.m""#);
    let state = StateFile::parse(behind.as_bytes()).unwrap();
    assert_eq!(
        state.instances()[0].address().to_string(),
        "module.m.example_box.a"
    );
    let other = file(r#""instances":[{"attributes":{}}],"type":"other""#);
    let state = StateFile::parse(other.as_bytes()).unwrap();
    assert_eq!(
        state
            .instances()
            .iter()
            .map(|one| one.type_name())
            .collect::<Vec<_>>(),
        ["other"]
    );
    // Null leaves a number, a string or a bool as it was before.
    let stored = r#""instances":[{"schema_version":0,"schema_version":null,"status":"tainted","status":null,"attributes":{"name":"1"}}]"#;
    let null = file(stored).replace(r#""serial":1"#, r#""serial":7,"serial":null"#);
    let new = upgraded(&null);
    assert!(
        new.contains(r#""serial":8,"serial":null"#)
            && new.contains(r#""schema_version":1,"schema_version":null"#),
        "{new}"
    );
    let state = StateFile::parse(new.as_bytes()).unwrap();
    let instance = &state.instances()[0];
    assert_eq!(
        (
            state.serial(),
            instance.schema_version(),
            instance.is_tainted()
        ),
        (8, 1, true)
    );
    // Problems in what does not count are none.
    let state = file(r#""instances":[{"status":"odd"}],"instances":[]"#);
    assert_eq!(
        StateFile::parse(state.as_bytes())
            .unwrap()
            .instances()
            .len(),
        0
    );
}

/// Pieces of state files and of other things.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let words: Vec<&str> = STATE
        .split_inclusive([' ', '\n', ',', ':', '{', '}', '[', ']', '"'])
        .collect();
    let word = proptest::sample::select(words).prop_map(|word| word.as_bytes().to_vec());
    let piece = prop_oneof![4 => word, 1 => proptest::collection::vec(any::<u8>(), 0..4)];
    proptest::collection::vec(piece, 0..200).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn pieces_in_any_order_never_panic(bytes in pieces()) {
        check(&bytes);
    }

    #[test]
    fn something_put_into_a_state_file_never_panics(at in 0..STATE.len(), length in 0..30_usize, bytes in pieces()) {
        let mut text = STATE.as_bytes().to_vec();
        let end = (at + length).min(text.len());
        text.splice(at..end, bytes.into_iter().take(40));
        check(&text);
    }

    #[test]
    fn a_line_never_panics_and_stays_a_line(bytes in pieces(), at in 0..80_usize) {
        let line = br#"{"type_name":"example_box","schema_version":0,"attributes":{"name":"x"},"error":1, "z":[]}"#;
        let mut text = line.to_vec();
        text.splice(at..at, bytes.into_iter().filter(|byte| *byte != b'\n').take(20));
        let registry = Registry::new().with::<Box1>();
        let mut out = Vec::new();
        upgrade_lines(&registry, text.as_slice(), &mut out).unwrap();
        prop_assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 1);
        if serde_json::from_slice::<serde_json::Value>(&text).is_ok() {
            let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
            prop_assert!(json.is_object() || json["error"].is_object());
            let mut again = Vec::new();
            upgrade_lines(&registry, out.as_slice(), &mut again).unwrap();
            // What a first pass left out is gone, so that the second has nothing to name.
            let mut kept = json.clone();
            kept.as_object_mut().unwrap().remove("not_kept");
            let twice: serde_json::Value = serde_json::from_slice(&again).unwrap();
            let same = if json.get("not_kept").is_some() { twice == kept } else { again == out };
            prop_assert!(json.get("line").is_some() || same, "{}\n{}", String::from_utf8_lossy(&out), String::from_utf8_lossy(&again));
        }
    }
}
