//! The ways that differences take part in: ranges, chains that mix structs and differences, several
//! shapes under one version.

same! {
    ranges, 500,
    structs: {
        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 499, prior)]
        #[upgrade_from(0, model = ThingV0, rename(label => title))]
        pub struct ThingV499 { id: String, title: String }

        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 0)]
        pub struct ThingV0 { id: String, label: String }
    }
    upgraders: {
        #[upgrade_from(490..=499, model = ThingV499, rename(title => name))]
        #[upgrade_from(1..=489, never_released)]
    }
    differences: {
        #[upgrade_from(490..=499 => 500, rename(title => name))]
        #[upgrade_from(1..=489, never_released)]
        #[upgrade_from(0 => 499, rename(label => title))]
    }
    now: {
        id: String,
        name: String,
    }
    states: [
        (0, r#"{"id": "a", "label": "l"}"#),
        (0, r#"{"id": "a", "title": "l"}"#),
        (3, r#"{"id": "a", "title": "l"}"#),
        (490, r#"{"id": "a", "title": "l"}"#),
        (495, r#"{"id": "a", "title": "l"}"#),
        (499, r#"{"id": "a", "name": "l"}"#),
    ]
}

same! {
    a_struct_below_a_difference, 2,
    structs: {
        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 1, prior)]
        #[upgrade_from(0, model = ThingV0, rename(label => title))]
        pub struct ThingV1 { id: String, title: String, size: Option<i64> }
    }
    upgraders: {
        #[upgrade_from(1, model = ThingV1, rename(title => name), default(size = 1))]
    }
    differences: {
        #[upgrade_from(1 => 2, rename(title => name), default(size = 1))]
        #[upgrade_from(0 => 1, model = ThingV0, rename(label => title))]
    }
    now: {
        id: String,
        name: String,
        size: i64,
    }
    states: [
        (0, r#"{"id": "a", "label": "l", "size": 3}"#),
        (0, r#"{"id": "a", "label": null}"#),
        (1, r#"{"id": "a", "title": "l"}"#),
        (1, r#"{"id": "a", "title": "l", "size": "x"}"#),
    ],
    with: {
        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 0)]
        pub struct ThingV0 { id: String, label: String, size: Option<i64> }
    }
}

same! {
    two_shapes, 1,
    structs: {
        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 0)]
        pub struct ZonedV0 { id: String, zone: String }

        #[derive(upstate::Resource)]
        #[resource(type_name = "example_thing", version = 0)]
        pub struct LocalV0 { id: String, host: String }
    }
    upgraders: {
        #[upgrade_from(0, model = ZonedV0, rename(zone => place), when = has("zone"))]
        #[upgrade_from(0, model = LocalV0, rename(host => place), when = lacks("zone"))]
    }
    differences: {
        #[upgrade_from(0 => 1, rename(zone => place), when = has("zone"))]
        #[upgrade_from(0 => 1, rename(host => place), when = lacks("zone"))]
    }
    now: {
        id: String,
        place: String,
    }
    states: [
        (0, r#"{"id": "a", "zone": "z"}"#),
        (0, r#"{"id": "a", "host": "h"}"#),
        (0, r#"{"id": "a"}"#),
        (0, r#"{"id": "a", "zone": 1.5, "host": []}"#),
        (0, r#"{"id": "a", "zone": []}"#),
    ]
}

#[derive(Debug, PartialEq, upstate::Resource)]
#[resource(type_name = "example_flat", version = 2)]
#[upgrade_from(1 => 2, rename(title => name), unwrap(rule))]
#[upgrade_from(0 => 1, drop(legacy: Option<i64>, "gone"))]
struct Flat {
    id: String,
    name: String,
    rule: Option<Rule>,
}

#[derive(Debug, PartialEq, upstate::Object)]
struct Rule {
    port: i64,
}

#[test]
fn flat_state_is_read_by_the_shape() {
    let registry = upstate::Registry::new().with::<Flat>();
    let flat = [
        ("id", "a"),
        ("title", "t"),
        ("legacy", "3"),
        ("rule.#", "1"),
        ("rule.0.port", "80"),
    ];
    let flat = flat
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let answer = registry.upgrade(&upstate::UpgradeRequest::flatmap("example_flat", 0, &flat));
    assert_eq!(
        answer.state(),
        Some(&br#"{"id":"a","name":"t","rule":{"port":80}}"#[..]),
        "{:?}",
        answer.diagnostics()
    );
}

#[test]
fn a_prior_shape_is_no_current_model_and_tells_its_versions() {
    let registry = upstate::Registry::new().with::<Flat>();
    let definition = registry.get("example_flat").unwrap();
    assert_eq!(definition.supported_versions(), [0, 1]);
    assert_eq!(
        (definition.route(0), definition.route(1)),
        (vec![0, 1, 2], vec![1, 2])
    );
    let count = |version| definition.prior_schemas_of(version)[0].attributes().len();
    let priors = [count(0), count(1)];
    assert_eq!(priors, [4, 3]);
}
