//! A state of the current version with several values that do not fit: all of them are reported,
//! and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use upstate::{Object, Registry, Resource, UpgradeRequest};

#[derive(Debug, Resource)]
#[resource(type_name = "test_dam", version = 4, oldest = 4)]
struct Dam {
    name: String,
    is_open: bool,
    height: u8,
    flow: Option<f64>,
    gates: Vec<Gate>,
    tags: BTreeSet<String>,
    levels: BTreeMap<String, i16>,
    pair: (String, u8),
    #[attribute(sensitive)]
    code: String,
    #[attribute(write_only)]
    token: Option<String>,
    #[attribute(as_string)]
    address: IpAddr,
    #[block]
    walls: Vec<Wall>,
    #[attribute(computed)]
    id: String,
}

#[derive(Debug, Object)]
struct Gate {
    width: u32,
    label: Option<String>,
}

#[derive(Debug, Object)]
struct Wall {
    length: u64,
}

/// The attributes with a value that fits each.
const RIGHT: [(&str, &str); 12] = [
    ("name", r#""x""#),
    ("is_open", "true"),
    ("height", "7"),
    ("flow", "1.5"),
    (
        "gates",
        r#"[{"width":1,"label":null},{"width":"2","label":3}]"#,
    ),
    ("tags", r#"["a","b"]"#),
    ("levels", r#"{"a":1,"b":"-2"}"#),
    ("pair", r#"["a",1]"#),
    ("code", r#""c""#),
    ("address", r#""::1""#),
    ("walls", r#"[{"length":1}]"#),
    ("id", r#""1""#),
];

fn state<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let members: Vec<String> = members
        .into_iter()
        .map(|(name, json)| format!("\"{name}\":{json}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

fn errors(state: &str) -> Vec<String> {
    let registry = Registry::new().with::<Dam>();
    let response = registry.upgrade(&UpgradeRequest::json("test_dam", 4, state.as_bytes()));
    let first = |detail: &str| {
        detail
            .split(". If nobody")
            .next()
            .unwrap_or_default()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let short = |detail: &str| {
        first(detail).replace("The stored state does not fit schema version 4: ", "")
    };
    response
        .diagnostics()
        .iter()
        .map(|one| short(one.detail()))
        .collect()
}

#[test]
fn all_of_them_are_reported() {
    assert_eq!(errors(&state(RIGHT)), [""; 0]);
    let wrong = [
        ("name", "[]"),
        ("is_open", r#""maybe""#),
        ("height", "256"),
        ("flow", r#""fast""#),
        ("gates", r#"[{"width":-1,"label":{}},7,{"label":"x"}]"#),
        ("tags", r#"["a",{}]"#),
        ("levels", r#"{"a":40000}"#),
        ("pair", r#"["a",1]"#),
        ("code", "[\"secret\"]"),
        ("address", r#""::1""#),
        ("walls", r#"[{"length":-1}]"#),
        ("id", "null"),
    ];
    let found = errors(&state(wrong));
    assert_eq!(
        found,
        [
            "expected a string, found an array (at name).",
            "expected a bool, found a string other than \"true\", \"false\", \"1\" and \"0\": \"maybe\" (at is_open).",
            "expected a whole number from 0 to 255, found 256 (at height).",
            "error parsing number: expected a number, found a string that is not a decimal number: \"fast\" (at flow).",
            "expected a whole number from 0 to 4294967295, found -1 (at gates[0].width).",
            "expected a string, found an object (at gates[0].label).",
            "expected an object, found a number (at gates[1]).",
            "the stored state lacks this attribute, which must have a value (at gates[2].width)",
            "expected a string, found an object (at tags[…]).",
            "expected a whole number from -32768 to 32767, found 40000 (at levels[\"a\"]).",
            "expected a string, found an array (at code).",
            "expected a whole number from 0 to 18446744073709551615, found -1 (at walls[0].length).",
            "the stored value is null, but must not be (at id)",
        ]
    );
}

/// Its code was open, and is a secret now; its turns were one.
#[derive(Debug, Resource)]
#[resource(type_name = "test_safe", version = 1)]
#[upgrade_from(0, model = SafeV0, rename(code => pin), carry(turns, declassified = "the API shows it"))]
struct Safe {
    turns: Option<u8>,
    #[attribute(sensitive)]
    pin: i64,
    size: u8,
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_safe", version = 0, prior)]
struct SafeV0 {
    code: i64,
    #[attribute(sensitive)]
    turns: Option<u8>,
    size: u8,
}

#[test]
fn the_value_is_shown_unless_it_is_a_secret_in_any_version() {
    let registry = Registry::new().with::<Safe>();
    let no_number =
        "error parsing number: expected a number, found a string that is not a decimal number";
    let long = format!(r#"{{"pin":1,"size":"{}"}}"#, "x".repeat(70));
    for (version, state, problem) in [
        (
            0,
            r#"{"code":"hunter2","size":1}"#,
            format!("{no_number} (at code)."),
        ),
        (
            0,
            r#"{"code":1,"size":"y"}"#,
            format!("{no_number}: \"y\" (at size)."),
        ),
        (
            1,
            r#"{"pin":"hunter2","size":1}"#,
            format!("{no_number} (at pin)."),
        ),
        (
            1,
            r#"{"turns":"hunter2","pin":1,"size":1}"#,
            format!("{no_number} (at turns)."),
        ),
        (
            1,
            r#"{"pin":1,"size":-7.5e3}"#,
            "expected a whole number from 0 to 255, found -7.5e3 (at size).".to_owned(),
        ),
        (
            1,
            long.as_str(),
            format!("{no_number}: \"{}\"… (at size).", "x".repeat(60)),
        ),
    ] {
        let request = UpgradeRequest::json("test_safe", version, state.as_bytes());
        let response = registry.upgrade(&request);
        let problem = format!("The stored state does not fit schema version {version}: {problem}");
        let found: Vec<&str> = response
            .diagnostics()
            .iter()
            .filter_map(|one| one.detail().lines().next())
            .collect();
        assert_eq!(found, [problem], "{state}");
    }
    for (version, name) in [(0, "code"), (1, "pin")] {
        let entries = [(name, "hunter2"), ("size", "y")];
        let map = entries
            .map(|(key, text)| (key.to_owned(), text.to_owned()))
            .into();
        let request = UpgradeRequest::flatmap("test_safe", version, &map);
        let response = registry.upgrade(&request);
        let text = response.diagnostics().to_string();
        assert!(text.contains(&format!("{no_number}: \"y\".")), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

/// Its pin came from Rust code, which does not tell of what; the host's is in an object now.
#[derive(Debug, Resource)]
#[resource(type_name = "test_locker", version = 2)]
#[upgrade_from(1, model = LockerV1, convert(host, with = host))]
struct Locker {
    #[attribute(sensitive)]
    pin: i64,
    host: Host,
    size: u8,
}

#[derive(Debug, Object)]
struct Host {
    #[attribute(sensitive)]
    key: i64,
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_locker", version = 1, prior)]
#[upgrade_from(0, model = LockerV0)]
struct LockerV1 {
    #[attribute(sensitive)]
    pin: i64,
    host: i64,
    size: u8,
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_locker", version = 0, prior)]
struct LockerV0 {
    code: i64,
    host: i64,
    size: u8,
}

impl From<LockerV0> for LockerV1 {
    fn from(prior: LockerV0) -> Self {
        let LockerV0 { code, host, size } = prior;
        Self {
            pin: code,
            host,
            size,
        }
    }
}

fn host(key: i64) -> Result<Host, String> {
    if key > 0 {
        Ok(Host { key })
    } else {
        Err("it is not a key".to_owned())
    }
}

#[test]
fn no_value_is_shown_of_what_a_function_or_an_object_may_make_a_secret() {
    let registry = Registry::new().with::<Locker>();
    let upgraded = |version, state: &str| {
        let request = UpgradeRequest::json("test_locker", version, state.as_bytes());
        registry.upgrade(&request).diagnostics().to_string()
    };
    for (version, state) in [
        (0, r#"{"code":"hunter2","host":1,"size":1}"#),
        (0, r#"{"code":1,"host":"hunter2","size":1}"#),
        (0, r#"{"code":1,"host":1,"size":"hunter2"}"#),
        (1, r#"{"pin":1,"host":"hunter2","size":1}"#),
        (2, r#"{"pin":1,"host":{"key":"hunter2"},"size":1}"#),
        (2, r#"{"pin":1,"host":"hunter2","size":1}"#),
    ] {
        let text = upgraded(version, state);
        assert!(text.contains("does not fit schema version"), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
    let text = upgraded(1, r#"{"pin":1,"host":1,"size":"large"}"#);
    assert!(text.contains(": \"large\" (at size)"), "{text}");
}

/// Its pin comes from Rust code, before which an operator may refuse.
#[derive(Debug, Resource)]
#[resource(type_name = "test_chest", version = 2)]
#[upgrade_from(1, model = ChestV1)]
struct Chest {
    #[attribute(sensitive)]
    pin: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_chest", version = 1, prior)]
#[upgrade_from(0, model = ChestV0, values(code, "none" => "0000"))]
struct ChestV1 {
    code: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_chest", version = 0, prior)]
struct ChestV0 {
    code: String,
}

impl From<ChestV1> for Chest {
    fn from(prior: ChestV1) -> Self {
        Self { pin: prior.code }
    }
}

#[test]
fn an_operator_before_such_a_function_shows_no_value() {
    let registry = Registry::new().with::<Chest>();
    let state = br#"{"code":"hunter2"}"#;
    let response = registry.upgrade(&UpgradeRequest::json("test_chest", 0, state));
    let text = response.diagnostics().to_string();
    assert!(
        text.contains("the value, which is sensitive, does not fit (at code)"),
        "{text}"
    );
    assert!(!text.contains("hunter2"), "{text}");
}

/// Its pin is that of version 1, which comes from Rust code.
#[derive(Debug, Resource)]
#[resource(type_name = "test_trunk", version = 2)]
#[upgrade_from(1, model = TrunkV1, rename(digits => pin))]
struct Trunk {
    #[attribute(sensitive)]
    pin: i64,
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_trunk", version = 1, prior)]
#[upgrade_from(0, model = TrunkV0)]
struct TrunkV1 {
    digits: i64,
}

#[derive(Debug, Resource)]
#[resource(type_name = "test_trunk", version = 0, prior)]
struct TrunkV0 {
    code: i64,
}

impl From<TrunkV0> for TrunkV1 {
    fn from(prior: TrunkV0) -> Self {
        Self { digits: prior.code }
    }
}

#[test]
fn no_value_is_shown_of_what_becomes_secret_after_a_function() {
    let registry = Registry::new().with::<Trunk>();
    for (version, state) in [(0, r#"{"code":"hunter2"}"#), (1, r#"{"digits":"hunter2"}"#)] {
        let request = UpgradeRequest::json("test_trunk", version, state.as_bytes());
        let text = registry.upgrade(&request).diagnostics().to_string();
        assert!(text.contains("does not fit schema version"), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn one_mistake_is_one_error() {
    let mut refused = 0;
    let values = [
        "null",
        "true",
        "-1",
        "1.5",
        "300",
        r#""x""#,
        r#""""#,
        "1e400",
        "[]",
        "{}",
        "[null]",
        r#"{"a":null}"#,
        "[[]]",
        "[{}]",
    ];
    for (name, _) in RIGHT {
        for value in values {
            let odd = RIGHT.map(|(known, json)| (known, if known == name { value } else { json }));
            let found = errors(&state(odd));
            // An object without members lacks each of its own.
            assert!(found.len() <= 1, "{name}: {value}: {found:?}");
            refused += found.len();
            // The last of two values counts.
            let right: Vec<(&str, &str)> = odd.into_iter().chain(RIGHT).collect();
            assert_eq!(errors(&state(right)), [""; 0], "{name}: {value}");
        }
        let found = errors(&state(
            RIGHT.into_iter().filter(|(known, _)| *known != name),
        ));
        assert!(found.len() <= 1, "{name}: {found:?}");
    }
    assert!(refused > 80, "{refused}");
}
