//! A lock that definitions are imported into knows what the models that wrote them store.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use upstate::{Document, Registry, ResourceDefinition, StringEnum, Union};
use upstate_compat::import::{Definition, released};
use upstate_compat::lock::Lock;
use upstate_compat::{Level, Options, Report, ResourceSnapshot, Snapshot, compare};
use upstate_kube::{CustomResource, Webhook};

use crate::boat::{Boat, BoatStatus, Forms};
use crate::fields::{Beacon, Line};
use crate::works::{Pump, Tank};

/// Types that a definition writes alike.
#[derive(Debug, Document)]
#[document(type_name = "ferry.wide", version = 0)]
#[kube(group = "ferry.example.com", kind = "Wide", version(0 = "v1", storage))]
struct Wide {
    open: Open,
    opens: Option<Vec<Open>>,
    by_name: BTreeMap<String, Open>,
    any_by_name: BTreeMap<String, Value>,
    lists: Vec<Vec<i16>>,
    maps: BTreeMap<String, BTreeMap<String, Option<Side>>>,
    sides: Vec<Side>,
    side: Option<Side>,
    side_set: BTreeSet<Side>,
    gaps: Vec<Option<Point>>,
    points: BTreeMap<String, Vec<Point>>,
    maybe_points: BTreeMap<String, Option<Point>>,
    point_set: BTreeSet<Point>,
    numbers: BTreeSet<i64>,
    three: [u8; 3],
    pair: Option<(Point, Point)>,
    light: Light,
    lights: Vec<Light>,
    sail: Option<Sail>,
    sails: BTreeMap<String, Sail>,
    ratio: f32,
    letter: char,
    #[attribute(flatten)]
    anchor: Option<Anchor>,
    #[kube(none_of("x"), length = ..=12)]
    code: String,
    #[kube(each(range = 1..=9))]
    keyed: BTreeMap<String, u8>,
    #[attribute(default = Point { x: 1, y: None })]
    origin: Point,
    #[attribute(default = vec![Side::Port])]
    #[kube(length = ..=4)]
    watch: Vec<Side>,
    #[attribute(default = 2.0)]
    speed: f64,
    #[attribute(default)]
    note: String,
    #[kube(nullable)]
    mark: Option<String>,
    #[kube(one_of("1", "2"))]
    bow: Option<String>,
    #[attribute(sensitive)]
    key: Option<String>,
    #[attribute(default = Side::Port)]
    rest_at: Side,
}

#[derive(Debug, Document)]
struct Open {
    #[attribute(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, StringEnum)]
enum Side {
    Port,
    Starboard,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Document)]
struct Point {
    x: i32,
    y: Option<i32>,
}

#[derive(Debug, Union)]
enum Light {
    Red,
    Green,
}

#[derive(Debug, Union)]
#[union(tag = "rig")]
enum Sail {
    None,
    Square { area: u16, light: Option<Light> },
    Lateen { area: u16, points: Vec<Point> },
}

#[derive(Debug, Document)]
struct Anchor {
    weight: u32,
    chain: Option<u16>,
}

/// Imports the definition of a model, and compares with the model that wrote it.
pub(crate) fn own_definition_says_nothing<T: CustomResource>() {
    agrees::<T>(&Registry::new().with::<T>());
}

fn agrees<T: CustomResource>(registry: &Registry) {
    let definition = T::crd_with(&Webhook::url("https://localhost/")).unwrap();
    let definition = Definition::parse(definition.value()).unwrap();
    let mut lock = Lock::default();
    lock.import_shapes(
        released(&[definition], registry).unwrap(),
        "1.0.0".parse().unwrap(),
    )
    .unwrap();
    let current = || Snapshot::of(registry);
    let report = compare(
        &lock.baseline(),
        &lock.completed(current()),
        &Options::default(),
    );
    let found: Vec<String> = report
        .findings
        .iter()
        .map(|it| {
            format!(
                "{} {}: {:?} {:?} {:?}",
                it.rule.id(),
                it.path,
                it.old,
                it.new,
                it.note
            )
        })
        .collect();
    assert!(found.is_empty(), "{found:#?}\n{lock}");
    // The compiler goes by these numbers.
    let mut frozen = Lock::default();
    frozen.freeze(&current(), "1.0.0".parse().unwrap()).unwrap();
    for (type_name, version, entry) in lock.entries() {
        let model = frozen.get(type_name, version).unwrap();
        assert_eq!(
            entry.fingerprint(),
            model.fingerprint(),
            "{type_name} {version}\n{lock}\n{frozen}"
        );
        let is_current = Some(version) == registry.get(type_name).map(ResourceDefinition::version);
        if is_current {
            let limits = |resource: &ResourceSnapshot| {
                resource
                    .attributes
                    .iter()
                    .map(|it| (it.0.clone(), it.1.validators.clone()))
                    .collect::<Vec<_>>()
            };
            assert_eq!(
                limits(entry.resource()),
                limits(model.resource()),
                "{type_name}"
            );
        }
    }
    assert_eq!(lock.entries().count(), frozen.entries().count());
    assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);
    lock.freeze(&current(), "1.1.0".parse().unwrap()).unwrap();
}

#[test]
fn definitions_of_models_say_nothing() {
    agrees::<Boat>(&Registry::new().with::<Boat>().with::<BoatStatus>());
    own_definition_says_nothing::<Forms>();
    own_definition_says_nothing::<Line>();
    own_definition_says_nothing::<Beacon>();
    own_definition_says_nothing::<Pump>();
    own_definition_says_nothing::<Tank>();
    own_definition_says_nothing::<Wide>();
}

/// The schema of a version's spec.
fn spec<'v>(definition: &'v mut Value, version: &str) -> &'v mut Value {
    let versions = definition["spec"]["versions"].as_array_mut().unwrap();
    let version = versions
        .iter_mut()
        .find(|it| it["name"] == version)
        .unwrap();
    &mut version["schema"]["openAPIV3Schema"]["properties"]["spec"]
}

/// What `check` finds in a model where an earlier release had a definition that is changed in some
/// way.
fn report<T: CustomResource>(change: impl Fn(&mut Value)) -> Report {
    let registry = Registry::new().with::<T>();
    let mut definition = T::crd_with(&Webhook::url("https://localhost/"))
        .unwrap()
        .value()
        .clone();
    change(&mut definition);
    let definition = Definition::parse(&definition).unwrap();
    let mut lock = Lock::default();
    lock.import_shapes(
        released(&[definition], &registry).unwrap(),
        "1.0.0".parse().unwrap(),
    )
    .unwrap();
    compare(
        &lock.baseline(),
        &lock.completed(Snapshot::of(&registry)),
        &Options::default(),
    )
}

/// All but what is safe, as one line each.
fn findings<T: CustomResource>(change: impl Fn(&mut Value)) -> Vec<String> {
    let found = report::<T>(change).findings;
    found
        .iter()
        .filter(|finding| finding.level != Level::Safe)
        .map(|it| {
            format!(
                "{} {}: {} -> {}",
                it.rule.id(),
                it.path,
                it.old.as_deref().unwrap_or("-"),
                it.new.as_deref().unwrap_or("-")
            )
        })
        .collect()
}

#[test]
fn what_a_release_stored_otherwise_is_found() {
    const STORED: &str = "schema-version-not-bumped : 1 -> -";
    type Change = fn(&mut Value);
    let cases: [(Change, &[&str]); 14] = [
        (|_| {}, &[]),
        (
            |it| it["speed"] = json!({"type": "string"}),
            &[
                STORED,
                "api-values-refused speed: - -> range {\"max\":90,\"min\":1}",
                "type-changed speed: string -> number",
            ],
        ),
        // A `u8` does not read it.
        (
            |it| it["speed"]["maximum"] = json!(400),
            &[
                STORED,
                "api-values-refused speed: range {\"max\":400,\"min\":1} -> range {\"max\":90,\"min\":1}",
                "validator-tightened speed: stored integer \"i64\" -> stored integer \"u8\"",
            ],
        ),
        (
            |it| it["speed"]["maximum"] = json!(100),
            &[
                "api-values-refused speed: range {\"max\":100,\"min\":1} -> range {\"max\":90,\"min\":1}",
            ],
        ),
        (|it| it["speed"]["maximum"] = json!(80), &[]),
        (
            |it| it["crew"] = json!({"type": "array", "items": {"type": "string"}}),
            &[
                STORED,
                "attribute-removed crew: list of string, optional -> -",
            ],
        ),
        (|it| drop(it.as_object_mut().unwrap().remove("bells")), &[]),
        (
            |it| drop(it.as_object_mut().unwrap().remove("name")),
            &[STORED, "member-required name: - -> string, required"],
        ),
        (
            |it| it["delay"]["default"] = json!(6),
            &[STORED, "absent-value-changed delay: default 6 -> default 5"],
        ),
        (
            |it| it["side"]["enum"] = json!(["north", "south", "west"]),
            &["api-values-refused side: \"west\" -> -"],
        ),
        (
            |it| it["place"]["properties"]["deck"] = json!({"type": "boolean"}),
            &[STORED, "type-changed place.deck: bool -> number"],
        ),
        (
            |it| it["place"]["required"] = json!([]),
            &[STORED, "member-required place.deck: - -> -"],
        ),
        // The field takes any JSON.
        (
            |it| it["port"] = json!({"type": "object", "properties": {"a": {"type": "string"}}}),
            &[],
        ),
        (
            |it| it["labels"] = json!({"x-kubernetes-preserve-unknown-fields": true}),
            &[
                STORED,
                "collection-kind-changed labels: json -> map of string",
            ],
        ),
    ];
    for (case, (change, expected)) in cases.into_iter().enumerate() {
        assert_eq!(
            findings::<Line>(|it| change(&mut spec(it, "v1")["properties"])),
            expected,
            "case {case}"
        );
    }
}

#[test]
fn an_enum_that_had_other_variants_is_compared_by_its_variants() {
    let hull = |names: Value, members: &[&str]| {
        findings::<Boat>(|it| {
            let properties = spec(it, "v1")["properties"]["hull"]["properties"]
                .as_object_mut()
                .unwrap();
            properties["kind"]["enum"] = names.clone();
            properties.retain(|name, _| members.contains(&name.as_str()));
        })
    };
    assert_eq!(
        hull(json!(["steel", "wood"]), &["kind", "oiled", "species"]),
        [""; 0]
    );
    assert_eq!(
        hull(json!(["steel"]), &["kind"]),
        ["api-value-added hull: - -> wood"]
    );
    assert_eq!(
        hull(json!(["steel", "tar"]), &["kind", "oiled", "species"]),
        [
            "schema-version-not-bumped : 2 -> -",
            "collection-kind-changed hull: object { kind: string, oiled: bool, species: string } -> enum of steel, wood",
        ]
    );
}

#[test]
fn an_earlier_version_that_was_another_is_found_with_its_differences() {
    let report = report::<Boat>(|it| {
        spec(it, "v1alpha1")["properties"]["berth"] = json!({"type": "boolean"});
    });
    let found: Vec<_> = report
        .findings
        .iter()
        .map(|it| (it.rule.id(), it.note.as_deref()))
        .collect();
    let note = "in version 0, `berth` is \"string\" null now, and was \"bool\" null; if a later release stored it so, import that one, too";
    assert_eq!(found, [("prior-schema-edited", Some(note))]);
}

/// In Kubernetes a served version gains members from release to release.
#[test]
fn a_version_that_grew_is_known_once_the_later_release_is_imported() {
    let registry = Registry::new().with::<Boat>();
    let own = Boat::crd_with(&Webhook::url("https://localhost/"))
        .unwrap()
        .value()
        .clone();
    let mut earlier = own.clone();
    drop(
        spec(&mut earlier, "v1beta1")["properties"]
            .as_object_mut()
            .unwrap()
            .remove("berth"),
    );
    let mut lock = Lock::default();
    let found =
        ["in version 1, `berth` is new; if a later release stored it so, import that one, too"];
    for (release, definition, expected) in [("1.0.0", &earlier, &found[..]), ("1.1.0", &own, &[])] {
        let shapes = released(&[Definition::parse(definition).unwrap()], &registry).unwrap();
        lock.import_shapes(shapes, release.parse().unwrap())
            .unwrap();
        let report = compare(
            &lock.baseline(),
            &lock.completed(Snapshot::of(&registry)),
            &Options::default(),
        );
        assert_eq!(
            report
                .findings
                .iter()
                .filter_map(|it| it.note.as_deref())
                .collect::<Vec<_>>(),
            expected,
            "{release}"
        );
    }
    assert_eq!(
        lock.get("ferry.boat", 1)
            .unwrap()
            .released()
            .unwrap()
            .to_string(),
        "1.0.0"
    );
}

/// The definition as the release before the storage version had it.
#[test]
fn a_release_without_the_latest_version_is_compared_through_the_upgraders() {
    let earlier = |it: &mut Value| {
        let versions = it["spec"]["versions"].as_array_mut().unwrap();
        versions.retain(|version| version["name"] != "v1");
        versions[0]["storage"] = json!(true);
    };
    let found = report::<Boat>(earlier).findings;
    let found: Vec<_> = found
        .iter()
        .map(|it| (it.rule.id(), it.path.as_str(), it.upgraded))
        .collect();
    assert_eq!(
        found,
        [
            // Nothing could read objects of it if the release had to be taken back.
            ("api-storage-moved-early", "", false),
            ("attribute-removed", "berth", true),
            ("description-changed", "paint", true),
            ("attribute-renamed", "title", true),
        ]
    );
}

#[test]
fn definitions_that_no_lock_can_have_are_refused() {
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut definition = Boat::crd_with(&Webhook::url("https://localhost/"))
            .unwrap()
            .value()
            .clone();
        change(&mut definition);
        let parsed = Definition::parse(&definition).unwrap();
        released(
            &[parsed],
            &Registry::new().with::<Boat>().with::<BoatStatus>(),
        )
        .unwrap_err()
    };
    let versions = |it: &'_ mut Value, change: &dyn Fn(&mut Vec<Value>)| {
        change(it["spec"]["versions"].as_array_mut().unwrap());
    };
    for (why, change) in [
        (
            "v1alpha1 does not say if it is `storage`: is the file complete?",
            &(|it: &mut Value| {
                versions(it, &|all| {
                    drop(all[2].as_object_mut().unwrap().remove("storage"));
                });
            }) as &dyn Fn(&mut Value),
        ),
        (
            "no version is the one that objects are stored in, with `storage: true`: is the file complete?",
            &|it| {
                versions(it, &|all| drop(all.remove(0)));
            },
        ),
        (
            "2 versions have `storage: true`, and objects are stored in one",
            &|it| {
                versions(it, &|all| all[1]["storage"] = json!(true));
            },
        ),
        ("v1beta1 is there twice", &|it| {
            versions(it, &|all| all[2]["name"] = json!("v1beta1"));
        }),
        (
            "the model of ferry.boat has no version v2: declare it, `version(… = \"v2\")`, with its upgrader; or remove it from the file \
             if no object is stored in it any more",
            &|it| versions(it, &|all| all[1]["name"] = json!("v2")),
        ),
        (
            "v1beta1 and v1 are both version 0 of boat_status, and their schemas differ",
            &|it| {
                versions(it, &|all| {
                    all[0]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]["afloat"] =
                        json!({"type": "string"});
                });
            },
        ),
    ] {
        assert_eq!(refused(change), format!("boats.ferry.example.com: {why}"));
    }
    let boat = Definition::parse(
        Boat::crd_with(&Webhook::url("https://localhost/"))
            .unwrap()
            .value(),
    )
    .unwrap();
    assert_eq!(
        released(&[boat.clone(), boat], &Registry::new()).unwrap_err(),
        "boats.ferry.example.com is there twice: a release has one definition of a kind"
    );
}

/// An earlier release may have had versions that the model never had: they have the numbers before
/// it.
#[test]
fn versions_that_a_model_left_out_have_numbers_where_there_is_room() {
    let registry = Registry::new().with::<Forms>();
    let mut definition = Forms::crd_with(&Webhook::url("https://localhost/"))
        .unwrap()
        .value()
        .clone();
    definition["spec"]["versions"][0]["name"] = json!("v1alpha1");
    let parsed = Definition::parse(&definition).unwrap();
    assert_eq!(
        released(&[parsed], &registry)
            .unwrap_err()
            .split(':')
            .nth(1),
        Some(" the model of ferry.forms has no version v1alpha1"),
        "its number is taken"
    );
    let without = Definition::parse(&definition).unwrap();
    let shapes = released(&[without], &Registry::new()).unwrap();
    assert_eq!(
        shapes
            .iter()
            .map(|(name, shape)| (name.as_str(), shape.version))
            .collect::<Vec<_>>(),
        [("ferry.forms", 0)]
    );
}

#[test]
fn releases_are_imported_in_any_order() {
    let registry = Registry::new().with::<Boat>();
    let of = |change: &dyn Fn(&mut Value)| {
        let mut definition = Boat::crd_with(&Webhook::url("https://localhost/"))
            .unwrap()
            .value()
            .clone();
        change(&mut definition);
        released(&[Definition::parse(&definition).unwrap()], &registry).unwrap()
    };
    let first = || {
        of(&|it| {
            let versions = it["spec"]["versions"].as_array_mut().unwrap();
            versions.retain(|version| version["name"] == "v1alpha1");
            versions[0]["storage"] = json!(true);
        })
    };
    let second = || of(&|_| {});
    let (mut one, mut other) = (Lock::default(), Lock::default());
    one.import_shapes(first(), "1.0.0".parse().unwrap())
        .unwrap();
    one.import_shapes(second(), "1.1.0".parse().unwrap())
        .unwrap();
    other
        .import_shapes(second(), "1.1.0".parse().unwrap())
        .unwrap();
    other
        .import_shapes(first(), "1.0.0".parse().unwrap())
        .unwrap();
    let facts = |lock: &Lock| {
        let since = |version: u64| {
            lock.get("ferry.boat", version)
                .unwrap()
                .released()
                .unwrap()
                .to_string()
        };
        let deprecated = lock
            .get("ferry.boat", 2)
            .unwrap()
            .resource()
            .custom_resource
            .clone()
            .unwrap()
            .versions;
        (
            [since(0), since(2)],
            deprecated["v1alpha1"].since.clone(),
            deprecated["v1beta1"].since.clone(),
        )
    };
    let expected = (
        ["1.0.0".to_owned(), "1.1.0".to_owned()],
        Some("1.0.0".to_owned()),
        Some("1.1.0".to_owned()),
    );
    assert_eq!((facts(&one), facts(&other)), (expected.clone(), expected));
    // Again, and nothing changes.
    let before = one.to_string();
    assert_eq!(
        one.import_shapes(second(), "1.1.0".parse().unwrap())
            .unwrap(),
        []
    );
    assert_eq!(one.to_string(), before);
    let another = of(&|it| spec(it, "v1")["properties"]["length"] = json!({"type": "string"}));
    assert_eq!(
        one.import_shapes(another, "1.1.0".parse().unwrap())
            .unwrap_err()
            .to_string(),
        "release 1.1.0 is in the lock with another shape of ferry.boat version 2: `length` is \"string\" now, and was \"number\"; \
         put the lock back to import the release again"
    );
    assert_eq!(one.to_string(), before);
}
