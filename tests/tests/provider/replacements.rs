//! Changes of a whole in which the provider decides a part, as `testing::Core` plays them, and as
//! the real Terraform has them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use upstate::{Diagnostics, Object, Resource};
use upstate_provider::testing::{Acceptance, Core, PlannedAction, Step, Terraform};
use upstate_provider::{Context, ManagedResource, Provider};

use super::real::terraform::V1_15;

#[derive(Object)]
struct Config {}

/// A rack that is replaced for slots in every kind of collection, each with an id that no plan of a
/// change knows.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "racks_rack", version = 0)]
struct Rack {
    #[attribute(computed)]
    id: String,
    name: String,
    #[attribute(requires_replace_if = shrinks)]
    height: i64,
    #[attribute(requires_replace)]
    slots: Option<Vec<Slot>>,
    #[attribute(requires_replace)]
    named: Option<BTreeMap<String, Slot>>,
    #[attribute(requires_replace)]
    first: Option<Slot>,
    #[attribute(set, requires_replace)]
    bays: Option<Vec<Slot>>,
    #[attribute(requires_replace_if = fewer)]
    shelves: Option<Vec<Slot>>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Slot {
    #[attribute(computed)]
    id: Option<String>,
    size: i64,
}

fn shrinks(prior: i64, planned: i64) -> bool {
    planned < prior
}

fn fewer(prior: Option<&Vec<Slot>>, planned: Option<&Vec<Slot>>) -> bool {
    planned.map(Vec::len) < prior.map(Vec::len)
}

impl Rack {
    fn made(mut self) -> Self {
        let Self {
            id,
            name,
            slots,
            named,
            first,
            bays,
            shelves,
            ..
        } = &mut self;
        "rack".clone_into(id);
        let lists = [slots, bays, shelves].into_iter().flatten().flatten();
        for slot in lists
            .chain(named.iter_mut().flat_map(BTreeMap::values_mut))
            .chain(first)
        {
            let made = format!("{name}-{}", slot.size);
            slot.id.get_or_insert(made);
        }
        self
    }
}

impl ManagedResource for Rack {
    type Client = ();

    const STABLE: &'static [&'static str] = &["id"];

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan.made())
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(state))
    }

    async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan.made())
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

fn provider() -> Provider<()> {
    Provider::new("example.com/upstate/racks", async |_: Config| Ok(())).with::<Rack>()
}

fn terraform() -> Acceptance {
    let terraform =
        Terraform::program(env!("CARGO_BIN_EXE_terraform_client")).argument(V1_15.library());
    Acceptance::of(&terraform, provider).always()
}

const IT: &str = "racks_rack.it";

/// A configuration as Terraform reads it.
fn hcl(config: &Value) -> String {
    let attributes = config
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| format!("  {name} = {value}\n"));
    format!(
        "resource \"racks_rack\" \"it\" {{\n{}}}\n",
        attributes.collect::<String>()
    )
}

/// The configurations that one rack has, one after the other, and what is done for each.
fn configurations() -> Vec<(Value, PlannedAction)> {
    use PlannedAction::{Create, Replace, Update};
    let mut config = json!({"name": "a", "height": 2, "slots": [{"size": 1}, {"size": 2}], "named": {"n": {"size": 1}},
        "first": {"size": 1}, "bays": [{"size": 1}, {"size": 2}], "shelves": [{"size": 1}, {"size": 2}]});
    let changes = [
        (json!({}), Create),
        // Something else changes, so that no id is known in the plan.
        (json!({"name": "b"}), Update),
        (
            json!({"name": "c", "bays": [{"size": 2}, {"size": 1}]}),
            Update,
        ),
        // The function accepts what is another, and not that there is less of it.
        (
            json!({"shelves": [{"size": 5}, {"size": 6}, {"size": 7}]}),
            Update,
        ),
        (json!({"shelves": [{"size": 5}]}), Replace),
        // Something inside changes.
        (json!({"slots": [{"size": 1}, {"size": 3}]}), Replace),
        (json!({"named": {"n": {"size": 3}}}), Replace),
        (json!({"first": {"size": 3}}), Replace),
        (json!({"bays": [{"size": 1}, {"size": 3}]}), Replace),
    ];
    let changed = changes.into_iter().map(|(changes, action)| {
        for (name, value) in changes.as_object().unwrap() {
            config[name] = value.clone();
        }
        (config.clone(), action)
    });
    changed.collect()
}

#[test]
fn a_whole_replaces_for_what_is_written_in_it_with_and_without_terraform() {
    let core = Core::of(provider(), json!({})).unwrap();
    let mut rack = core.resource::<Rack>();
    let mut test = terraform();
    for (config, action) in configurations() {
        assert_eq!(
            rack.apply(config.clone()).unwrap().action,
            action,
            "{config}"
        );
        let step = Step::apply(hcl(&config)).plans(IT, action);
        // Without ids that are not known there would be nothing to mistake for a change.
        test = test.step(match action {
            PlannedAction::Update => step
                .plans_unknown(IT, "slots.0.id")
                .plans_unknown(IT, "bays.0.id"),
            PlannedAction::Nothing
            | PlannedAction::Create
            | PlannedAction::Replace
            | PlannedAction::Delete => step,
        });
    }
    test.run();
}

#[test]
fn a_null_that_go_stored_is_zero_for_the_function_that_decides() {
    let attributes = json!({"id": "rack", "name": "a", "height": null});
    let state = json!({"version": 4, "terraform_version": "1.5.0", "serial": 7, "lineage": "8a1f", "outputs": {}, "check_results": null,
        "resources": [{"mode": "managed", "type": "racks_rack", "name": "it",
            "provider": "provider[\"example.com/upstate/racks\"]", "instances": [{"schema_version": 0, "attributes": attributes}]}]});
    let rack = |height: i64| Step::apply(hcl(&json!({"name": "a", "height": height})));
    for (height, action) in [(2, PlannedAction::Update), (-1, PlannedAction::Replace)] {
        terraform()
            .from_state(state.to_string())
            .step(rack(height).plans(IT, action))
            .run();
    }
}
