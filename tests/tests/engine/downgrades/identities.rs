//! Identities go back by the laws that state goes back by.

use proptest::prelude::*;
use upstate::upgrade::{DowngradeRequest, DowngradeResponse, Verdict};
use upstate::{Registry, Resource, ResourceDefinition, UpgradeRequest};
use upstate_state::{DowngradeGoals, StateFile, UpgradeOptions, UpgradeTotals};

/// Every way back that an identity may have: by operators, by a function, through several versions,
/// lossless and not.
#[derive(Resource)]
#[resource(type_name = "example_boat", version = 0, identity = BoatIdentity)]
struct Boat {
    id: String,
}

#[derive(Resource)]
#[resource(type_name = "example_boat_identity", version = 3)]
#[upgrade_from(2 => 3, set(port = "home"))]
#[upgrade_from(1 => 2, rename(title => name), convert(length: String, empty = refuse))]
#[upgrade_from(0 => 1, split(path: String, "{region}/{title}"))]
struct BoatIdentity {
    name: String,
    region: String,
    length: i64,
    port: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "example_buoy", version = 0, identity = BuoyIdentity)]
struct Buoy {
    id: String,
}

#[derive(Resource)]
#[resource(type_name = "example_buoy_identity", version = 1)]
#[upgrade_from(0 => 1, rename(number => no, place => berth))]
struct BuoyIdentity {
    no: i64,
    berth: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "example_pier", version = 0, identity = PierIdentity)]
struct Pier {
    id: String,
}

#[derive(Resource)]
#[resource(type_name = "example_pier_identity", version = 2)]
#[upgrade_from(1, model = PierIdentityV1, downgrade = joined)]
struct PierIdentity {
    berths: Vec<String>,
}

#[derive(Resource)]
#[resource(type_name = "example_pier_identity", version = 1)]
#[upgrade_from(0, model = PierIdentityV0)]
struct PierIdentityV1 {
    berths: String,
}

#[derive(Resource)]
#[resource(type_name = "example_pier_identity", version = 0)]
struct PierIdentityV0 {
    berth: String,
}

impl From<PierIdentityV1> for PierIdentity {
    fn from(prior: PierIdentityV1) -> Self {
        Self {
            berths: prior.berths.split(',').map(str::to_owned).collect(),
        }
    }
}

impl From<PierIdentityV0> for PierIdentityV1 {
    fn from(prior: PierIdentityV0) -> Self {
        Self {
            berths: prior.berth,
        }
    }
}

fn joined(identity: PierIdentity) -> Result<PierIdentityV1, String> {
    match identity.berths.join(",") {
        panics if panics == "panic" => panic!("{panics}"),
        empty if empty.is_empty() => Err("a pier has a berth".to_owned()),
        berths => Ok(PierIdentityV1 { berths }),
    }
}

fn registry() -> Registry {
    Registry::new().with::<Boat>().with::<Buoy>().with::<Pier>()
}

/// The identities as resources of their own.
fn as_resources() -> Registry {
    Registry::new()
        .with::<BoatIdentity>()
        .with::<BuoyIdentity>()
        .with::<PierIdentity>()
}

fn back(definition: &ResourceDefinition, to: u64) -> Verdict {
    let history = definition.history().unwrap();
    let all = history
        .upgraders_from(to)
        .into_iter()
        .map(|(later, step)| later.verdicts(step).down.verdict());
    all.max().unwrap_or(Verdict::Lossless)
}

/// Checks the laws on one identity, and says whether it went back whole.
fn check(type_name: &str, to: u64, current: &str) -> bool {
    let (registry, alone) = (registry(), as_resources());
    let definition = registry.get(type_name).unwrap().identity().unwrap();
    let version = definition.version();
    let request = DowngradeRequest::json(type_name, version, to, current.as_bytes());
    let (response, strict) = (
        registry.downgrade_identity(&request.allow_loss(true)),
        registry.downgrade_identity(&request),
    );
    let said = || {
        format!(
            "{type_name} {current} to {to}: {:?} {}",
            response.losses(),
            response.diagnostics()
        )
    };
    assert_eq!(
        strict.state(),
        response.state().filter(|_| response.losses().is_empty()),
        "{}",
        said()
    );
    // What differs from a resource with this shape is only what diagnostics call it.
    let other = DowngradeRequest::json(definition.type_name(), version, to, current.as_bytes())
        .allow_loss(true);
    let other = alone.downgrade(&other);
    assert_eq!(
        (other.state(), other.losses()),
        (response.state(), response.losses()),
        "{}",
        said()
    );
    let verdict = back(definition, to);
    let Some(prior) = response.state() else {
        assert_ne!(verdict, Verdict::Lossless, "{}", said());
        assert!(
            response
                .diagnostics()
                .to_string()
                .contains(&format!("Resource type {type_name}, identity, stored at")),
            "{}",
            said()
        );
        return false;
    };
    assert!(
        verdict != Verdict::Lossless || response.losses().is_empty(),
        "{}",
        said()
    );
    if to < version {
        let again = registry.upgrade_identity(&UpgradeRequest::json(type_name, to, prior));
        let again = again.state().unwrap_or_else(|| panic!("{}", said()));
        assert_eq!(
            again == complete(&alone, definition, current),
            response.losses().is_empty(),
            "{}",
            said()
        );
    }
    response.losses().is_empty()
}

/// An identity with all that its schema says of it.
fn complete(alone: &Registry, definition: &ResourceDefinition, current: &str) -> Vec<u8> {
    let request = UpgradeRequest::json(
        definition.type_name(),
        definition.version(),
        current.as_bytes(),
    );
    alone.upgrade(&request).into_result().unwrap()
}

proptest! {
    #[test]
    fn boats_go_back_whole_or_say_what_is_lost(name in "[a-z/]{0,3}", region in "[a-z/]{0,3}", length: i64, port in proptest::option::of("home|[a-z]{0,2}"), to in 0..=3_u64) {
        let port = port.as_ref().map_or_else(|| "null".to_owned(), |port| format!("{port:?}"));
        let whole = check("example_boat", to, &format!(r#"{{"name":{name:?},"region":{region:?},"length":{length},"port":{port}}}"#));
        // Version 0 has both in one string, each of at least one letter and without what separates
        // them.
        let fits = |part: &str| !part.is_empty() && !part.contains('/');
        let path = to > 0 || fits(&region) && fits(&name);
        prop_assert!(!whole || to == 3 || port == "\"home\"");
        prop_assert!(!(path && (to == 3 || port == "\"home\"")) || whole, "{name} {region} {length} {port}");
    }

    #[test]
    fn a_lossless_way_back_is_the_identity(no: i64, berth in proptest::option::of(".*")) {
        let (registry, prior) = (registry(), serde_json::json!({"number": no, "place": berth}).to_string());
        let up = registry.upgrade_identity(&UpgradeRequest::json("example_buoy", 0, prior.as_bytes())).into_result().unwrap();
        prop_assert!(check("example_buoy", 0, std::str::from_utf8(&up).unwrap()));
        let down = registry.downgrade_identity(&DowngradeRequest::json("example_buoy", 1, 0, &up)).into_result().unwrap();
        let json = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text).unwrap();
        prop_assert_eq!(json(&down), json(prior.as_bytes()));
    }

    #[test]
    fn an_authors_function_is_checked(berths in proptest::collection::vec("[a-z,]{0,2}", 0..3)) {
        let current = serde_json::json!({"berths": berths}).to_string();
        let whole = check("example_pier", 1, &current);
        prop_assert_eq!(whole, !berths.join(",").is_empty() && berths.iter().all(|berth| !berth.contains(',')), "{}", current);
        // A conversion in Rust that names no function cannot be undone.
        prop_assert!(!check("example_pier", 0, &current));
    }
}

fn said(response: &DowngradeResponse) -> String {
    assert!(response.state().is_none());
    response.diagnostics().to_string()
}

#[test]
fn a_request_that_cannot_be_met_says_why() {
    let registry = registry();
    let ask = |type_name: &str, version, to, json: &str| {
        said(&registry.downgrade_identity(&DowngradeRequest::json(
            type_name,
            version,
            to,
            json.as_bytes(),
        )))
    };
    let all =
        [
            ask("example_boat", 2, 1, "{}"),
            ask("example_boat", 4, 1, "{}"),
            ask("example_boat", 3, 4, "{}"),
            ask("example_boat", 3, 2, "[]"),
            ask(
                "example_boat",
                3,
                2,
                r#"{"name":"a","region":"b","length":1,"port":"away"}"#,
            ),
            ask("example_pier", 2, 1, r#"{"berths":["panic"]}"#),
            ask("example_pier", 2, 0, r#"{"berths":["a"]}"#),
            ask("example_none", 1, 0, "{}"),
            said(&Registry::new().with::<BoatIdentity>().downgrade_identity(
                &DowngradeRequest::json("example_boat_identity", 1, 0, b"{}"),
            )),
        ];
    let expected = [
        "The identity was stored at schema version 2; a downgrade begins with identity of the current version, which is 3.",
        "A later release stored the identity, at schema version 4; this release knows versions up to 3.",
        "Version 4 is later than the current version 3.",
        "The stored identity does not fit schema version 3",
        "Version 2 cannot hold the value \"away\" (at port).",
        "panicked",
        "Nothing can be taken back to version 0: the upgrade is a function without an inverse. Restore",
        "No resource type is named \"example_none\"",
        "example_boat_identity has no identity in this release, so a stored one can't be downgraded.",
    ];
    for (said, expected) in all.iter().zip(expected) {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
    for refused in [&all[0], &all[8]] {
        assert!(
            refused.starts_with("error: Unable to Downgrade Resource Identity"),
            "{refused}"
        );
    }
    assert!(
        all[5].contains(
            "example_pier, identity, stored at schema version 2, to be downgraded to version 1"
        ),
        "{}",
        all[5]
    );
}

/// A state file with one boat, whose instance has these members beside its attributes.
fn file(members: &str) -> String {
    format!(
        r#"{{"version":4,"serial":7,"lineage":"l","resources":[{{"mode":"managed","type":"example_boat","name":"n",
    "provider":"provider[\"p\"]","instances":[
        {{"schema_version":0,"attributes":{{"id":"x"}}{members}}}]}}]}}"#
    )
}

/// What a downgrade makes of the members, or the diagnostics.
fn taken_back(goals: &DowngradeGoals, members: &str) -> Result<(String, UpgradeTotals), String> {
    let (registry, text) = (registry(), file(members));
    let goal = |name: &str| goals.of(name);
    let respond = |request: &UpgradeRequest<'_>| goals.respond(&registry, request);
    let identity = |request: &DowngradeRequest<'_>| registry.downgrade_identity(request);
    let options = UpgradeOptions::new()
        .changes(true)
        .back_to(&goal)
        .upgraded_by(&respond)
        .identities_back_to(goals, &identity);
    let state = StateFile::parse(text.as_bytes()).unwrap();
    let (mut new, mut refused) = (Vec::new(), String::new());
    let totals = state
        .upgrade_to(&registry, &options, &mut new, |upgrade| {
            if let upstate_state::InstanceOutcome::Failed { diagnostics, .. } = upgrade.outcome() {
                refused = diagnostics.to_string();
            }
            Ok(())
        })
        .unwrap();
    if !refused.is_empty() {
        return Err(refused);
    }
    let new = String::from_utf8(new).unwrap();
    let (before, after) = file("\u{0}")
        .split_once('\u{0}')
        .map(|(before, after)| (before.to_owned(), after.to_owned()))
        .unwrap();
    let before = if totals.upgraded() > 0 {
        before.replace("\"serial\":7", "\"serial\":8")
    } else {
        before
    };
    let inside = new
        .strip_prefix(&before)
        .and_then(|rest| rest.strip_suffix(&after));
    Ok((
        inside
            .unwrap_or_else(|| panic!("another byte changed: {new}"))
            .to_owned(),
        totals,
    ))
}

const STORED: &str = r#""identity":{"length":12,"name":"a","port":"home","region":"eu"}"#;

#[test]
fn only_the_identity_and_its_version_change_in_a_file() {
    let to = |version| DowngradeGoals::new([]).identities([("example_boat".to_owned(), version)]);
    let (text, totals) = taken_back(
        &to(1),
        &format!(r#", "private":"", "identity_schema_version": 3, {STORED}, "dependencies":[]"#),
    )
    .unwrap();
    assert_eq!(
        text,
        r#", "private":"", "identity_schema_version": 1, "identity":{"length":"12","region":"eu","title":"a"}, "dependencies":[]"#
    );
    assert_eq!((totals.upgraded(), totals.new_serial()), (1, Some(8)));
    // Over lines, as Terraform writes it.
    let laid_out = ",\n  \"identity_schema_version\": 3,\n  \"identity\": {\n    \"length\": 12,\n    \"name\": \"a\",\n    \"port\": \"home\",\n    \"region\": \"eu\"\n  }";
    let (text, _) = taken_back(&to(2), laid_out).unwrap();
    assert_eq!(
        text,
        ",\n  \"identity_schema_version\": 2,\n  \"identity\": {\n    \"length\": 12,\n    \"name\": \"a\",\n    \"region\": \"eu\"\n  }"
    );
    // What is there already, and earlier versions, stay; so does an instance whose identity is not
    // stored, except for its version.
    for stays in [
        format!(r#","identity_schema_version":1,{STORED}"#),
        String::new(),
        r#","identity":{"x":1}"#.to_owned(),
    ] {
        let (text, totals) = taken_back(&to(1), &stays).unwrap();
        assert_eq!((text, totals.upgraded(), totals.excluded()), (stays, 0, 1));
    }
    for (before, after) in [
        (
            r#","identity_schema_version":3"#,
            r#","identity_schema_version":1"#,
        ),
        (
            r#","identity_schema_version":3,"identity":null"#,
            r#","identity_schema_version":1,"identity":null"#,
        ),
    ] {
        assert_eq!(taken_back(&to(1), before).unwrap().0, after);
    }
    // Of two members the last one counts, in Terraform and here.
    let twice = format!(r#","identity_schema_version":3,"identity":{{}},{STORED}"#);
    assert!(
        taken_back(&to(2), &twice)
            .unwrap()
            .0
            .ends_with(r#""identity":{},"identity":{"length":12,"name":"a","region":"eu"}"#)
    );
    let refused = taken_back(&to(1), r#","identity_schema_version":2,"identity":{}"#).unwrap_err();
    assert!(
        refused.contains("Apply with this release first, which upgrades it."),
        "{refused}"
    );
}

#[test]
fn a_release_without_the_identity_has_it_removed() {
    let release = || DowngradeGoals::new([("example_boat".to_owned(), 0)]).of_release("1.0.0");
    let refused = taken_back(
        &release(),
        &format!(r#","identity_schema_version":3,{STORED}"#),
    )
    .unwrap_err();
    assert!(
        refused.contains(
            "Release 1.0.0 has no identity of example_boat, so the stored one is removed."
        ),
        "{refused}"
    );
    let allowed = release().allow_loss(true);
    for (before, after) in [
        (
            format!(r#","identity_schema_version":3,{STORED}"#),
            r#","identity_schema_version":0"#,
        ),
        (
            format!(r#","identity_schema_version":3 , {STORED} , "private":"""#),
            r#","identity_schema_version":0 , "private":"""#,
        ),
        (
            format!(r#",{STORED},"identity_schema_version":3"#),
            r#","identity_schema_version":0"#,
        ),
    ] {
        assert_eq!(taken_back(&allowed, &before).unwrap().0, after, "{before}");
    }
    // Terraform ignores an identity of version 0 where the release has none.
    let stays = r#","identity_schema_version":0,"identity":{"path":"eu/a","length":"12"}"#;
    assert_eq!(taken_back(&release(), stays).unwrap().0, stays);
    let twice = format!(r#","identity_schema_version":3,"identity":{{}},{STORED}"#);
    assert!(
        taken_back(&allowed, &twice)
            .unwrap_err()
            .contains("two members named `identity`")
    );
}

#[test]
fn strict_goes_by_the_verdicts_of_the_identity() {
    let goals = |version| {
        DowngradeGoals::new([])
            .identities([("example_boat".to_owned(), version)])
            .strict(true)
    };
    let stored = format!(r#","identity_schema_version":3,{STORED}"#);
    let refused = taken_back(&goals(2), &stored).unwrap_err();
    assert!(
        refused.contains("It is lossy: port (any value but the constant)."),
        "{refused}"
    );
    assert_eq!(taken_back(&goals(3), &stored).unwrap().0, stored);
}

const MOORED: &str = r#"{"version":4,"serial":1,"lineage":"a","outputs":{},"resources":[{"mode":"managed","type":"skiff_mooring","name":"it",
"provider":"provider[\"x/y/skiff\"]","instances":[{"schema_version":1,"attributes":{"id":"m","berth":"north"},
"identity_schema_version":1,"identity":{"berth":"north","port":"home"}}]}]}"#;

/// An operator who names the type alone reads where its identity stays, and how to take it back.
#[test]
fn the_report_says_that_an_identity_stays_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("terraform.tfstate");
    std::fs::write(&state, MOORED).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_provider_under_test"));
        let output = command
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let (alone, identity) = (
        ["--to", "skiff_mooring=0"],
        ["--to", "skiff_mooring_identity=0"],
    );
    let plan = |goals: &[&str]| run(&[&["plan", "terraform.tfstate", "--diff"], goals].concat());
    assert_eq!(
        plan(&alone),
        "terraform.tfstate: 1 instance, serial 1

would be downgraded    instances  versions
  skiff_mooring                1  1 → 0     1 moved

skiff_mooring.it  1 → 0
  ~ berth → place  moved \"north\"

  (the identity of skiff_mooring stays at version 1; --to skiff_mooring_identity=VERSION takes it back)

1 to downgrade, 0 already that old
"
    );
    assert!(!plan(&[alone, identity].concat()).contains("stays"));
    assert!(!plan(&identity).contains("stays"));
    let note = "(the identity of skiff_mooring stays at version 1; --to skiff_mooring_identity=VERSION takes it back)";
    assert!(run(&[&["downgrade", "terraform.tfstate"], &alone[..]].concat()).contains(note));
}
