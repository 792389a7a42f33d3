//! One history in both forms, compared.

use upstate::schema::Schema;
use upstate::{Registry, UpgradeRequest};
use upstate_compat::lock::Lock;
use upstate_compat::{Release, Snapshot};

/// The lock of what a registry serves. Which type reads a string is a fact about configuration, and
/// differences have none of those.
pub fn locked(registry: &Registry) -> String {
    let mut lock = Lock::default();
    let release: Release = "1.0.0".parse().unwrap();
    lock.freeze(&Snapshot::of(registry).at(release.clone()), release)
        .unwrap();
    lock.to_string()
        .replace("\"diff_suppress\":\"IpAddr\",", "")
}

/// What becomes of a state, with all messages about it.
pub fn outcome(registry: &Registry, version: u64, json: &str) -> String {
    let response = registry.upgrade(&UpgradeRequest::json(
        "example_thing",
        version,
        json.as_bytes(),
    ));
    let state = response
        .state()
        .map(|state| String::from_utf8(state.to_vec()).unwrap());
    let told: Vec<String> = response
        .diagnostics()
        .iter()
        .map(|told| {
            format!(
                "{:?} {}: {} {:?}",
                told.severity(),
                told.summary(),
                told.detail(),
                told.path().map(ToString::to_string)
            )
        })
        .collect();
    format!(
        "{state:?} {told:#?} {:?} {:?}",
        response.undefined(),
        response.dropped()
    )
}

/// One history in both forms: what is stored under each version, and what becomes of it, must be
/// the same.
macro_rules! same {
    (
        $name:ident, $version:literal,
        structs: { $($prior:item)* }
        upgraders: { $(#[$upgrader:meta])* }
        differences: { $(#[$difference:meta])* }
        now: { $($(#[$attribute:meta])* $field:ident: $ty:ty,)* }
        states: $states:expr $(, with: { $($item:item)* })? $(, plain: { $($plain:item)* })?
    ) => {
        #[allow(dead_code)]
        mod $name {
            mod structs {
                $($($item)*)?
                $($prior)*
                #[derive(Debug, upstate::Resource)]
                #[resource(type_name = "example_thing", version = $version)]
                $(#[$upgrader])*
                pub struct Thing { $($(#[$attribute])* $field: $ty,)* }
            }

            mod differences {
                $($($item)*)?
                $($($plain)*)?
                #[derive(Debug, upstate::Resource)]
                #[resource(type_name = "example_thing", version = $version)]
                $(#[$difference])*
                pub struct Thing { $($(#[$attribute])* $field: $ty,)* }
            }

            #[test]
            fn is_the_same_in_both_forms() {
                let with_structs = upstate::Registry::new().with::<structs::Thing>();
                let with_differences = upstate::Registry::new().with::<differences::Thing>();
                assert_eq!(crate::differences::same::locked(&with_structs), crate::differences::same::locked(&with_differences));
                let states: &[(u64, &str)] = &$states;
                let mut good = 0;
                for (version, json) in states {
                    let (one, other) =
                        (crate::differences::same::outcome(&with_structs, *version, json), crate::differences::same::outcome(&with_differences, *version, json));
                    good += usize::from(one.starts_with("Some"));
                    assert_eq!(one, other, "version {version}: {json}");
                }
                assert!(good > 0 && states.len() > good, "some states must be good, and some not: {good} of {}", states.len());
                crate::differences::same::tables(<structs::Thing as upstate::Resource>::HISTORY, <differences::Thing as upstate::Resource>::HISTORY);
            }
        }
    };
}

/// Compares what const evaluation and the engine see of each version.
pub fn tables(
    structs: &'static upstate::upgrade::History,
    differences: &'static upstate::upgrade::History,
) {
    assert_eq!(structs.steps().len(), differences.steps().len());
    for (one, other) in structs.steps().iter().zip(differences.steps()) {
        assert_eq!((one.from(), one.last()), (other.from(), other.last()));
        let shown = [
            structs.whole_upgrader(one),
            differences.whole_upgrader(other),
        ]
        .map(|upgrader| upgrader.map(|it| it.to_string()));
        assert_eq!(shown[0], shown[1]);
        let (Some(one), Some(other)) = (one.prior(), other.prior()) else {
            continue;
        };
        let (one_schema, other_schema) = (one.schema(), other.schema());
        assert_eq!(one_schema.implied_type(), other_schema.implied_type());
        assert_eq!(one_schema.version(), other_schema.version());
        for (one, other) in one_schema
            .block()
            .attributes()
            .iter()
            .zip(other_schema.block().attributes())
        {
            assert_eq!(one.name(), other.name());
            assert_eq!(one.is_nullable(), other.is_nullable(), "{}", one.name());
            assert_eq!(one.is_sensitive(), other.is_sensitive(), "{}", one.name());
            assert_eq!(one.implied_type(), other.implied_type(), "{}", one.name());
        }
        let blocks = |schema: &'static Schema| {
            schema
                .block()
                .blocks()
                .iter()
                .map(|block| (block.name(), block.nesting()))
                .collect::<Vec<_>>()
        };
        assert_eq!(blocks(one_schema), blocks(other_schema));
        tables(one, other);
    }
}
