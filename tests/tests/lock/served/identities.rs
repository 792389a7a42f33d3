//! Identities: stored beside the state, with versions of their own.

use upstate::{Registry, Resource};
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;

use crate::served::{findings, locked, report};

/// A resource with an identity, in a module of its own.
macro_rules! boat {
    ($module:ident: $(#[$options:meta])* { $($fields:tt)* }) => {
        mod $module {
            use upstate::Resource;

            #[derive(Resource)]
            #[resource(type_name = "example_boat", version = 0, identity = Identity)]
            pub(super) struct Boat {
                name: String,
            }

            #[derive(Resource)]
            $(#[$options])*
            pub(super) struct Identity { $($fields)* }
        }
    };
}

boat!(before: #[resource(type_name = "example_boat_identity", version = 0)] { name: String, port: Option<String> });
boat!(retyped: #[resource(type_name = "example_boat_identity", version = 0)] { name: i64, port: Option<String> });
boat!(grown: #[resource(type_name = "example_boat_identity", version = 0)] { name: String, port: Option<String>, flag: Option<String> });
boat!(required: #[resource(type_name = "example_boat_identity", version = 0)] { name: String, port: String });
boat!(raised: #[resource(type_name = "example_boat_identity", version = 1)] #[upgrade_from(0 => 1, drop(port: Option<String>, "boats move"))] {
    name: String
});
boat!(renamed: #[resource(type_name = "example_boat_identity", version = 1)] #[upgrade_from(0 => 1, rename(name => hull))] {
    hull: String, port: Option<String>
});
boat!(other_name: #[resource(type_name = "boat_name", version = 0)] { name: String, port: Option<String> });
boat!(same_name: #[resource(type_name = "example_boat", version = 0)] { name: String });

#[derive(Resource)]
#[resource(type_name = "example_boat", version = 0)]
struct Anonymous {
    name: String,
}

fn old() -> Registry {
    Registry::new().with::<before::Boat>()
}

#[test]
fn a_changed_identity_needs_a_version_and_an_upgrader_of_its_own() {
    let expected = [
        "error schema-version-not-bumped patch example_boat.identity",
        "breaking identity-schema-changed major example_boat.identity.name",
    ];
    assert_eq!(
        findings(&old(), &Registry::new().with::<retyped::Boat>()),
        expected
    );
    let raised = report(&old(), &Registry::new().with::<raised::Boat>());
    let found: Vec<&str> = raised
        .findings
        .iter()
        .map(|finding| finding.rule.id())
        .collect();
    assert_eq!(
        found,
        ["release-bump-insufficient", "identity-schema-changed"]
    );
    // The resource's own version may stay.
    assert!(!raised.resources["example_boat"].bump.strict);
}

#[test]
fn an_identity_is_judged_by_its_own_upgraders() {
    let report = report(&old(), &Registry::new().with::<renamed::Boat>());
    let findings: Vec<_> = report
        .findings
        .iter()
        .filter(|finding| finding.rule.id() == "identity-schema-changed")
        .collect();
    let [renamed] = findings[..] else {
        panic!("{findings:#?}")
    };
    assert_eq!(
        (renamed.path.as_str(), renamed.message.as_str()),
        (
            "identity.name",
            "example_boat.identity.name: the identity has other attributes: name -> hull"
        )
    );
    assert_eq!(
        renamed.state_impact(),
        "the identity's upgraders read stored identities"
    );
    assert!(
        !renamed.remediation.contains("Raise"),
        "{}",
        renamed.remediation
    );
}

#[test]
fn an_identity_may_gain_what_imports_can_leave_out() {
    let grown = Registry::new().with::<grown::Boat>();
    assert_eq!(
        findings(&old(), &grown),
        ["safe identity-schema-changed minor example_boat.identity.flag"]
    );
    let expected = [
        "error schema-version-not-bumped patch example_boat.identity",
        "breaking identity-schema-changed major example_boat.identity.port",
        "potential null-refused patch example_boat.identity.port",
    ];
    assert_eq!(
        findings(&old(), &Registry::new().with::<required::Boat>()),
        expected
    );
}

#[test]
fn an_identity_comes_and_goes() {
    let without = Registry::new().with::<Anonymous>();
    assert_eq!(
        findings(&without, &old()),
        ["safe identity-schema-changed minor example_boat.identity"]
    );
    assert_eq!(
        findings(&old(), &without),
        ["breaking identity-schema-changed major example_boat.identity"]
    );
    // What its model is called in Rust, nobody sees.
    assert_eq!(
        findings(&old(), &Registry::new().with::<other_name::Boat>()),
        [""; 0]
    );
}

#[test]
fn the_lock_pins_it_as_it_pins_resources() {
    let text = locked(&old()).to_string();
    let entry = text
        .split("\n\n")
        .find(|entry| entry.starts_with("[example_boat_identity 0] "))
        .unwrap();
    let lines: Vec<&str> = entry.lines().skip(1).collect();
    let expected = [
        "@identity_of = [\"example_boat\"]",
        "@kind = \"identity\"",
        "name = \"string\" {\"required\":true}",
        "port = \"string\" null {\"optional\":true}",
    ];
    assert_eq!(lines, expected);

    let mut lock = Lock::parse(&text).unwrap();
    assert_eq!(lock.to_string(), text);
    let retyped = Snapshot::of(&Registry::new().with::<retyped::Boat>());
    let refused = lock
        .freeze(&retyped, "1.1.0".parse().unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains(
            "example_boat_identity version 0: `name` is \"number\" now, and was \"string\""
        ),
        "{refused}"
    );

    let raised = Registry::new().with::<raised::Boat>();
    lock.freeze(
        &lock.completed(Snapshot::of(&raised)),
        "2.0.0".parse().unwrap(),
    )
    .unwrap();
    assert!(
        lock.get("example_boat_identity", 0).is_some()
            && lock.get("example_boat_identity", 1).is_some()
    );
    assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);
    // Types of resources alone have versions that an operator can go back to.
    assert_eq!(
        lock.versions_at(&"2.0.0".parse().unwrap())
            .into_keys()
            .collect::<Vec<_>>(),
        ["example_boat"]
    );
}

#[test]
fn a_name_that_is_not_its_own_is_refused() {
    let snapshot = Snapshot::of(&Registry::new().with::<same_name::Boat>());
    let refused = Lock::default()
        .freeze(&snapshot, "1.0.0".parse().unwrap())
        .unwrap_err()
        .to_string();
    let expected = "the lock was not changed: the identity of example_boat has the type name example_boat, which is that of a resource: give \
                    the identity's model another `type_name`";
    assert_eq!(refused, expected);
}
