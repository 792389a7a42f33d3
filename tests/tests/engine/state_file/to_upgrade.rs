//! State files that are read to be upgraded: whatever is stored, the answer is the one that comes
//! of reading all of the file first.

use proptest::prelude::*;
use upstate::{Registry, Resource};
use upstate_state::{StateFile, StateFileError, UpgradeOptions};

#[derive(Debug, Resource)]
#[resource(type_name = "example_box", version = 1)]
#[upgrade_from(0, model = BoxV0, rename(name => label))]
struct Box1 {
    label: Option<String>,
    sizes: Vec<i64>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_box", version = 0)]
struct BoxV0 {
    name: Option<String>,
    sizes: Vec<i64>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_lid", version = 1)]
#[upgrade_from(0, model = LidV0)]
struct Lid {
    name: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_lid", version = 0)]
struct LidV0 {
    name: Option<String>,
}

impl From<LidV0> for Lid {
    fn from(prior: LidV0) -> Self {
        Lid { name: prior.name }
    }
}

/// Reads nothing of what is stored.
#[derive(Debug, Resource)]
#[resource(type_name = "example_blind", version = 1)]
#[upgrade_from(0, raw = blind)]
struct Blind {
    name: Option<String>,
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "what the upgrader's form asks for"
)]
fn blind(
    _: upstate::upgrade::RawState<'_>,
    _: &mut upstate::upgrade::UpgradeContext<'_>,
) -> Result<Blind, upstate::Diagnostics> {
    Ok(Blind { name: None })
}

fn registry() -> Registry {
    Registry::new().with::<Box1>().with::<Lid>().with::<Blind>()
}

/// A state file of one instance of each of these types and versions, with these attributes.
fn file(instances: &[(&str, u64, &str)]) -> String {
    let resource = |(index, (type_name, version, attributes)): (usize, &(&str, u64, &str))| {
        format!(
            "\n    {{\n      \"mode\": \"managed\",\n      \"type\": \"{type_name}\",\n      \"name\": \"n{index}\",\n      \"provider\": \"provider.p\",\n      \"instances\": [\n        {{\n          \"schema_version\": {version},\n          \"attributes\": {attributes}\n        }}\n      ]\n    }}"
        )
    };
    let resources: Vec<String> = instances.iter().enumerate().map(resource).collect();
    format!(
        "{{\n  \"version\": 4,\n  \"serial\": 1,\n  \"resources\": [{}\n  ]\n}}\n",
        resources.join(",")
    )
}

/// What comes of a file: the new one, or what is wrong with it; and what was reported of how many
/// instances.
type Answer = (Result<Vec<u8>, String>, Vec<String>);

fn upgraded(state: Result<StateFile<'_>, StateFileError>, options: &UpgradeOptions<'_>) -> Answer {
    let state = match state {
        Ok(state) => state,
        Err(error) => return (Err(error.to_string()), Vec::new()),
    };
    let (mut new, mut told) = (Vec::new(), Vec::new());
    let totals = state.upgrade_to(&registry(), options, &mut new, |upgrade| {
        told.push(format!(
            "{} {:?} {:?}",
            upgrade.instance().address(),
            upgrade.outcome(),
            upgrade.changes()
        ));
        Ok(())
    });
    match totals {
        Ok(_) => (Ok(new), told),
        Err(error) => {
            let found = error
                .get_ref()
                .and_then(|error| error.downcast_ref::<StateFileError>());
            // Of some instances something may have been reported before.
            (
                Err(found.map_or_else(|| error.to_string(), ToString::to_string)),
                Vec::new(),
            )
        }
    }
}

/// Both ways, with all options that decide how an instance is upgraded.
fn check(bytes: &[u8]) {
    for (partial, changes) in [(false, false), (true, false), (true, true)] {
        let options = UpgradeOptions::new().partial(partial).changes(changes);
        let (expected, found) = (
            upgraded(StateFile::parse(bytes), &options),
            upgraded(StateFile::parse_to_upgrade(bytes), &options),
        );
        assert_eq!(found, expected, "{}", String::from_utf8_lossy(bytes));
    }
}

/// Attributes over lines that are JSON, and some that are not.
const ATTRIBUTES: [&str; 14] = [
    "{\n            \"name\": \"x\",\n            \"sizes\": [\n              1\n            ]\n          }",
    "{\n            \"name\": \"} {\", \"sizes\": [1]\n          }",
    "{\n  \"name\": \"\\\"}\",\n\"odd\": {\"}\": {\n}},\"sizes\": []}",
    "{\n\"name\": null\n          },\n          \"private\": \"e30=\", \"x\": {\n          }",
    "{\n          },\n          \"attributes\": {\n\"name\": \"second\", \"sizes\": []\n          }",
    "{\n            \"name\": 01\n          }",
    "{\n            \"name\": \"x\" \"sizes\": []\n          }",
    "{\n            \"name\": \"x\n\", \"sizes\": []\n          }",
    "{\n            \"name\": tru\n          }",
    "{\n            \"name\": [}\n          }",
    "{\n            \"name\": \"\\ud800\"\n          }",
    "{\n            \"name\": \"x\",\n          }",
    "{\n            \"name\": {\n          }",
    "{\"name\": \"x\", \"sizes\": []}",
];

#[test]
fn what_is_wrong_is_found_whoever_looks() {
    let mut refused = 0;
    for attributes in ATTRIBUTES {
        // Upgraded in place, by functions, without a look, and not at all.
        for (type_name, version) in [
            ("example_box", 0),
            ("example_box", 1),
            ("example_lid", 0),
            ("example_blind", 0),
            ("example_other", 3),
        ] {
            let text = file(&[
                ("example_box", 0, ATTRIBUTES[0]),
                (type_name, version, attributes),
            ]);
            check(text.as_bytes());
            check(text.replace("\"managed\"", "\"data\"").as_bytes());
            refused += usize::from(StateFile::parse(text.as_bytes()).is_err());
        }
    }
    assert_eq!(refused, 8 * 5);
}

#[test]
fn attributes_that_do_not_count_are_looked_at_too() {
    let (good, bad) = (ATTRIBUTES[0], ATTRIBUTES[5]);
    let text = file(&[("example_box", 0, good)]);
    let attributes = format!("\"attributes\": {good}");
    assert!(text.contains(&attributes));
    // A second member of the name; instances before what tells them apart, and twice; resources
    // twice.
    check(
        text.replace(&attributes, &format!("\"attributes\": {bad}, {attributes}"))
            .as_bytes(),
    );
    check(
        text.replace(
            "\"instances\": [",
            &format!("\"instances\": [{{\"attributes\": {bad}}}], \"instances\": ["),
        )
        .as_bytes(),
    );
    check(
        text.replace(
            "\"mode\"",
            &format!("\"instances\": [{{\"attributes\": {bad}}}], \"mode\""),
        )
        .as_bytes(),
    );
    check(
        text.replace(
            "\n      ]\n",
            &format!("\n, {{\"index_key\": 1, \"attributes\": {bad}}}], \"name\": \"other\""),
        )
        .as_bytes(),
    );
    let other = file(&[("example_box", 0, bad)]);
    let resources = &other[other.find("\"resources\"").unwrap()..other.rfind(']').unwrap() + 1];
    check(
        text.replace("\"resources\"", &format!("{resources}, \"resources\""))
            .as_bytes(),
    );
}

/// Files that are read in shares by several threads.
#[test]
fn large_files_are_read_alike() {
    let long = ATTRIBUTES[0].replace("\"x\"", &format!("\"{}\"", "} x {".repeat(1_000)));
    let mut instances = vec![("example_box", 0, long.as_str()); 2_000];
    let good = file(&instances);
    assert!(good.len() > 9 << 20);
    check(good.as_bytes());
    for at in [0, 1_000, 1_999] {
        let there = std::mem::replace(&mut instances[at].2, ATTRIBUTES[11]);
        check(file(&instances).as_bytes());
        instances[at].2 = there;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_changed_anywhere_is_answered_alike(
        which in prop::collection::vec((0..ATTRIBUTES.len(), 0..4_usize), 1..4),
        at in any::<prop::sample::Index>(),
        length in 0..6_usize,
        put in "[\\[\\]{}\",:0-9a-z\\\\ \n]{0,8}",
    ) {
        let types = [("example_box", 0), ("example_lid", 0), ("example_blind", 0), ("example_other", 0)];
        let instances: Vec<_> =
            which.into_iter().map(|(attributes, kind)| (types[kind].0, types[kind].1, ATTRIBUTES[attributes])).collect();
        let mut text = file(&instances).into_bytes();
        check(&text);
        let at = at.index(text.len());
        text.splice(at..(at + length).min(text.len()), put.into_bytes());
        check(&text);
    }
}
