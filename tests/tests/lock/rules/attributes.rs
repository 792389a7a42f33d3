//! Attributes and blocks that come, go and change their names.

use std::collections::BTreeSet;

use upstate::{Object, Registry, Resource};
use upstate_compat::{LevelSetting, Options, RuleSetting};

use crate::rules::{Case, after, lock, step};

#[derive(Object)]
pub struct Rule {
    zone: Option<String>,
}

#[derive(Object)]
pub struct Place {
    region: Option<String>,
}

pub(crate) const CASES: &[Case] = &[
    (
        "attribute-added-optional",
        || step! { { id: String } => { id: String, zone: Option<String> } },
    ),
    (
        "attribute-added-computed",
        || step! { { id: String } => { id: String, #[attribute(computed)] zone: Option<String> } },
    ),
    ("computed-backfill-required", || {
        step! { #[resource(read = none)] { id: String } =>
        #[resource(read = none)] { id: String, #[attribute(computed)] hash: Option<String> } }
    }),
    (
        "attribute-added-required",
        || step! { { id: String } => { id: String, zone: String } },
    ),
    ("attribute-added-default", || {
        step! { { id: String } => { id: String, #[attribute(default = 3)] retries: Option<i64> } }
    }),
    ("attribute-added-force-new-default", || {
        step! { { id: String } => { id: String, #[attribute(default = 3, requires_replace)] retries: Option<i64> } }
    }),
    ("attribute-added-id-component", || {
        step! { #[resource(id_format = "{name}")] { id: String, name: String } =>
        #[resource(id_format = "{name}/{zone}")] { id: String, name: String, zone: Option<String> } }
    }),
    (
        "attribute-removed",
        || step! { { id: String, zone: Option<String> } => { id: String } },
    ),
    (
        "attribute-renamed",
        || step! { 0 { title: String } => 1 #[upgrade_from(0 => 1, rename(title => name))] { name: String } },
    ),
    ("attribute-moved", || {
        step! { 0 { region: Option<String>, place: Option<Rule> } =>
        1 #[upgrade_from(0 => 1, nest(region => place), drop(place: Option<Rule>, "nobody set it"))] { place: Option<Place> } }
    }),
    ("attribute-split", || {
        step! { 0 { place: String } => 1 #[upgrade_from(0 => 1, split(place: String, "{region}-{zone}"))] { region: String, zone: String } }
    }),
    ("attribute-merged", || {
        step! { 0 { region: String, zone: String } =>
        1 #[upgrade_from(0 => 1, reformat(place = "{region}-{zone}"), drop(region: String, zone: String, "both are in `place`"))]
        { #[attribute(renamed_from("region", "zone"))] place: String } }
    }),
    ("attribute-name-reused", || {
        let lock = lock([
            Registry::new().with::<PortsV0>(),
            Registry::new().with::<PortsV1>(),
        ]);
        after(&lock, &Registry::new().with::<Ports>(), &Options::default())
    }),
    ("rename-guess", || {
        let options = Options {
            rules: [(
                "rename-guess".to_owned(),
                RuleSetting::Level(LevelSetting::On),
            )]
            .into(),
            ..Options::default()
        };
        after(
            &lock([Registry::new().with::<Guessed>()]),
            &Registry::new().with::<Guess>(),
            &options,
        )
    }),
    (
        "block-added-optional",
        || step! { { id: String } => { id: String, #[block] rule: Vec<Rule> } },
    ),
    (
        "block-added-required",
        || step! { { id: String } => { id: String, #[block(min = 1)] rule: Vec<Rule> } },
    ),
];

#[derive(Resource)]
#[resource(type_name = "example_ports", version = 0)]
struct PortsV0 {
    id: String,
    ports: Option<Vec<String>>,
}

#[derive(Resource)]
#[resource(type_name = "example_ports", version = 1)]
#[upgrade_from(0 => 1, drop(ports: Option<Vec<String>>, "the API has none"))]
struct PortsV1 {
    id: String,
}

#[derive(Resource)]
#[resource(type_name = "example_ports", version = 2)]
#[upgrade_from(1 => 2, set(ports = null))]
#[upgrade_from(0 => 1, drop(ports: Option<Vec<String>>, "the API has none"))]
struct Ports {
    id: String,
    ports: Option<BTreeSet<i64>>,
}

#[derive(Resource)]
#[resource(type_name = "example_guess", version = 0)]
struct Guessed {
    availability_zone: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "example_guess", version = 0)]
struct Guess {
    availability_zones: Option<String>,
}
