//! Whole resources.

use upstate::{Registry, Resource};
use upstate_compat::Report;

use crate::rules::{Case, between, step};

pub(crate) const CASES: &[Case] = &[
    ("resource-added", || {
        between(
            Registry::new().with::<Old>(),
            &Registry::new().with::<Old>().with::<Other>(),
        )
    }),
    ("resource-removed", || {
        between(
            Registry::new().with::<Old>().with::<Other>(),
            &Registry::new().with::<Old>(),
        )
    }),
    ("resource-renamed", renamed),
    ("resource-deprecated", || {
        step! { { id: String } => #[resource(deprecated("Remove it.", no_replacement = "the API ends"))] { id: String } }
    }),
    ("resource-undeprecated", || {
        step! { #[resource(deprecated("Remove it.", no_replacement = "the API ends"))] { id: String } => { id: String } }
    }),
    (
        "resource-tier-lowered",
        || step! { { id: String } => #[resource(tier = preview)] { id: String } },
    ),
    (
        "resource-tier-raised",
        || step! { #[resource(tier = preview)] { id: String } => { id: String } },
    ),
    ("resource-id-format-changed", || {
        step! { #[resource(id_format = "{name}")] { id: String, name: String } =>
        #[resource(id_format = "things/{name}")] { id: String, name: String } }
    }),
    ("import-format-removed", || {
        step! { #[resource(import_format = "{name}")] { id: String, name: String } => { id: String, name: String } }
    }),
    ("import-format-added", || {
        step! { { id: String, name: String } => #[resource(import_format = "{name}")] { id: String, name: String } }
    }),
    ("destroy-behaviour-changed", || {
        step! { #[resource(destroy = "deletes")] { id: String } => #[resource(destroy = "abandons")] { id: String } }
    }),
    ("behaviour-changed", || {
        step! { { id: String } => #[resource(behaviour("restarts on resize", since = "2.0.0"))] { id: String } }
    }),
    ("behaviour-behind-flag", || {
        step! { { id: String } => #[resource(behaviour("restarts on resize", since = "2.0.0", flag = restart))] { id: String, restart: Option<bool> } }
    }),
];

fn renamed() -> Report {
    between(
        Registry::new().with::<Old>(),
        &Registry::new().with::<New>(),
    )
}

#[derive(Resource)]
#[resource(type_name = "example_old", version = 0)]
struct Old {
    id: String,
}

#[derive(Resource)]
#[resource(type_name = "example_other", version = 0)]
struct Other {
    id: String,
}

#[derive(Resource)]
#[resource(type_name = "example_new", version = 0)]
#[move_from(type_name = "example_old", model = Old, carry)]
struct New {
    id: String,
}
