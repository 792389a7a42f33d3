//! A resource whose plan is a type of its own, in `create` and `update`, and the paths that come
//! with it.

use std::collections::BTreeMap;

use serde_json::json;
use upstate::{
    AttributeNames, AttributePath, Computed, Diagnostics, Object, Resource, StringEnum, Value,
};

use super::*;
use crate::{Context, ManagedResource, Planned, Provider};

#[derive(Object)]
struct Config {}

/// A wall.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "test_wall", version = 0, plan)]
pub(crate) struct Wall {
    #[attribute(computed)]
    id: String,
    /// None of its values could stand for one that is not known.
    #[attribute(computed)]
    open: bool,
    #[attribute(computed)]
    kind: Kind,
    name: String,
    #[attribute(default = 2)]
    height: i64,
    #[attribute(optional, computed)]
    owner: Option<String>,
    #[attribute(plan)]
    best: Option<Rule>,
    #[attribute(plan)]
    rules: Vec<Rule>,
    #[attribute(optional, computed, plan)]
    spare: Option<Vec<Rule>>,
    #[attribute(plan, name = "named")]
    by_name: Option<BTreeMap<String, Rule>>,
    #[block(plan)]
    gate: Vec<Gate>,
    tags: Option<Vec<String>>,
    #[attribute(write_only)]
    pin: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, StringEnum)]
enum Kind {
    Low,
    High,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[object(plan)]
pub(crate) struct Rule {
    port: u16,
    #[attribute(computed)]
    serial: i64,
    #[attribute(computed)]
    active: bool,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[object(plan)]
pub(crate) struct Gate {
    width: i64,
    #[attribute(plan)]
    lock: Option<Rule>,
    #[attribute(plan)]
    bars: Option<Vec<Rule>>,
}

impl RulePlan {
    fn made(self) -> Rule {
        Rule {
            port: self.port,
            serial: self.serial.unwrap_or_else(|| i64::from(self.port) * 10),
            active: self.active.unwrap_or(true),
        }
    }
}

impl GatePlan {
    fn made(self) -> Gate {
        let bars = self
            .bars
            .map(|bars| bars.into_iter().map(RulePlan::made).collect());
        Gate {
            width: self.width,
            lock: self.lock.map(RulePlan::made),
            bars,
        }
    }
}

impl WallPlan {
    fn made(self) -> Wall {
        let all = |rules: Vec<RulePlan>| rules.into_iter().map(RulePlan::made).collect();
        Wall {
            id: self.id.unwrap_or_else(|| "w-1".to_owned()),
            open: self.open.unwrap_or(true),
            kind: self.kind.unwrap_or(if self.height > 5 {
                Kind::High
            } else {
                Kind::Low
            }),
            owner: self.owner.unwrap_or_else(|| Some("nobody".to_owned())),
            best: self.best.map(RulePlan::made),
            rules: all(self.rules),
            spare: self.spare.known().flatten().map(all),
            by_name: self.by_name.map(|rules| {
                rules
                    .into_iter()
                    .map(|(name, rule)| (name, rule.made()))
                    .collect()
            }),
            gate: self.gate.into_iter().map(GatePlan::made).collect(),
            name: self.name,
            height: self.height,
            tags: self.tags,
            pin: None,
        }
    }
}

impl ManagedResource for Wall {
    type Client = ();

    const STABLE_PATHS: &'static [AttributeNames] =
        &[Wall::PATHS.rules.serial.names(), Wall::PATHS.kind.names()];

    async fn create(plan: WallPlan, context: &mut Context<()>) -> Result<Self, Diagnostics> {
        assert_eq!(
            (plan.id.as_ref(), plan.open, plan.kind),
            (Computed::Unknown, Computed::Unknown, Computed::Unknown)
        );
        let Some(config) = context.config::<Self>() else {
            return Err("there is no configuration".into());
        };
        if config.get(Wall::PATHS.height).is_null() {
            context.warn(Diagnostic::warning("Default Height", "It is 2."));
        }
        if plan.pin.as_deref() != config.get("pin").as_str() {
            return Err("the pin is lost".into());
        }
        Ok(plan.made())
    }

    async fn update(plan: WallPlan, prior: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        assert_eq!(plan.id, Computed::Known(prior.id));
        assert_eq!(plan.kind, Computed::Known(prior.kind));
        // Known are those where there was an element before, because only those were kept.
        let known: Vec<bool> = plan
            .rules
            .iter()
            .map(|rule| rule.serial.is_known())
            .collect();
        let expected: Vec<bool> = (0..plan.rules.len())
            .map(|index| index < prior.rules.len())
            .collect();
        assert_eq!(known, expected);
        assert!(plan.rules.iter().all(|rule| !rule.active.is_known()));
        Ok(plan.made())
    }

    async fn read(state: Self, context: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        assert!(context.config::<Self>().is_none());
        Ok(Some(state))
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }

    async fn modify_plan(plan: &mut Planned<Self>, _: &mut Context<()>) -> Result<(), Diagnostics> {
        if plan.get(Wall::PATHS.name).as_str() == Some("foreseen")
            && let Some(model) = plan.plan()?
        {
            plan.set_model(&model.made())?;
        }
        Ok(())
    }
}

fn core() -> Core {
    let provider = Provider::new("example.com/test/test", async |_: Config| Ok(())).with::<Wall>();
    Core::of(provider, json!({})).unwrap()
}

#[test]
fn unknown_values_are_unknown_until_they_are_answered() {
    let core = core();
    let mut wall = core.resource::<Wall>();
    let config = json!({"name": "a", "best": {"port": 1}, "rules": [{"port": 2}, {"port": 3}], "named": {"x": {"port": 4}},
        "gate": [{"width": 1, "lock": {"port": 5}, "bars": [{"port": 6}]}], "tags": ["t"], "pin": "1234"});
    let applied = wall.apply(config).unwrap();
    assert_eq!(
        shown(&applied.warnings),
        "warning: Default Height: It is 2."
    );
    let made = wall.model().unwrap().unwrap();
    assert_eq!(
        (
            made.id.as_str(),
            made.open,
            made.kind,
            made.owner.as_deref()
        ),
        ("w-1", true, Kind::Low, Some("nobody"))
    );
    let serials: Vec<i64> = made.rules.iter().map(|rule| rule.serial).collect();
    assert_eq!(serials, [20, 30]);
    let inner = |wall: &Wall| wall.gate[0].bars.as_ref().map(|bars| bars[0].serial);
    assert_eq!(
        (
            inner(&made),
            made.by_name.unwrap()["x"].serial,
            made.best.unwrap().active
        ),
        (Some(60), 40, true)
    );
    // The first two rules keep their numbers whatever their ports are, because those are stable.
    wall.apply(json!({"name": "a", "height": 9, "rules": [{"port": 8}, {"port": 3}, {"port": 7}], "spare": [{"port": 1}]}))
        .unwrap();
    let made = wall.model().unwrap().unwrap();
    let serials: Vec<i64> = made.rules.iter().map(|rule| rule.serial).collect();
    assert_eq!(
        (serials, made.spare.unwrap()[0].serial, made.kind),
        (vec![20, 30, 70], 10, Kind::Low)
    );
}

#[test]
fn a_model_can_be_planned() {
    let core = core();
    let mut wall = core.resource::<Wall>();
    let config = json!({"name": "foreseen", "height": 7, "rules": [{"port": 2}]});
    let plan = wall.plan(config.clone()).unwrap();
    assert_eq!(
        (
            plan.get(Wall::PATHS.kind).as_str(),
            plan.get(Wall::PATHS.rules.serial.index(0))
        ),
        (Some("high"), &Value::from(20))
    );
    // It panics, because all is known when it is created, which this resource does not expect.
    let refusal = wall.apply(config).unwrap_err();
    assert!(refusal.to_string().contains("panicked"), "{refusal}");
}

#[test]
fn plans_are_made_for_tests() {
    let plan =
        creation::<Wall>(json!({"name": "a", "rules": [{"port": 2}], "spare": [{"port": 1}]}))
            .plan()
            .unwrap()
            .unwrap();
    assert_eq!(
        (plan.name.as_str(), plan.height, plan.rules[0].port),
        ("a", 2, 2)
    );
    assert!(!plan.rules[0].serial.is_known() && !plan.owner.is_known() && !plan.open.is_known());
    assert!(
        plan.spare
            .known()
            .flatten()
            .is_some_and(|spare| spare[0].port == 1 && !spare[0].active.is_known())
    );
    let mut call = configured::<Wall, _>(context(()), json!({"name": "a", "rules": []}));
    let plan = creation::<Wall>(json!({"name": "a", "rules": []}))
        .plan()
        .unwrap()
        .unwrap();
    assert_eq!(
        run(Wall::create(plan, &mut call)).unwrap().owner.as_deref(),
        Some("nobody")
    );
    let prior = json!({"id": "w-1", "open": true, "kind": "low", "name": "a", "height": 2, "owner": "me", "rules": [], "gate": []});
    let plan = change::<Wall>(prior, json!({"name": "b", "rules": [{"port": 1}]}));
    assert!(
        plan.changes(Wall::PATHS.name)
            && plan.changes(Wall::PATHS.rules)
            && !plan.changes(Wall::PATHS.kind)
    );
    let plan = plan.plan().unwrap().unwrap();
    assert_eq!(
        (plan.id, plan.kind, plan.open),
        (
            Computed::Known("w-1".to_owned()),
            Computed::Known(Kind::Low),
            Computed::Unknown
        )
    );
}

#[test]
fn paths_lead_to_fields_by_their_names_in_state() {
    let shown = |path: AttributePath| path.to_string();
    assert_eq!(shown(Wall::PATHS.name.into()), "name");
    assert_eq!(shown(Wall::PATHS.best.port.into()), "best.port");
    assert_eq!(shown(Wall::PATHS.rules.into()), "rules");
    assert_eq!(
        shown(Wall::PATHS.rules.port.index(1).into()),
        "rules[1].port"
    );
    assert_eq!(
        shown(Wall::PATHS.by_name.active.key("x").into()),
        "named[\"x\"].active"
    );
    assert_eq!(
        shown(Wall::PATHS.gate.lock.serial.index(0).into()),
        "gate[0].lock.serial"
    );
    assert_eq!(
        shown(Wall::PATHS.gate.bars.serial.index(0).index(3).into()),
        "gate[0].bars[3].serial"
    );
    assert_eq!(
        Wall::PATHS.gate.bars.serial.names().to_string(),
        "gate.bars.serial"
    );
}

/// A yard, which has paths and no plan but itself.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "test_yard", version = 0, paths)]
struct Yard {
    name: String,
    #[attribute(paths)]
    hedges: Option<Vec<Hedge>>,
    #[block(paths)]
    gate: Vec<Gate>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[object(paths)]
struct Hedge {
    height: i64,
}

#[test]
fn paths_need_no_plan() {
    let shown = |path: AttributePath| path.to_string();
    assert_eq!(shown(Yard::PATHS.name.into()), "name");
    assert_eq!(
        shown(Yard::PATHS.hedges.height.index(1).into()),
        "hedges[1].height"
    );
    // A struct with a plan has its paths, too.
    assert_eq!(
        shown(Yard::PATHS.gate.bars.serial.index(0).index(3).into()),
        "gate[0].bars[3].serial"
    );
    let config = config::<Yard>(json!({"name": "a", "hedges": [{"height": 3}]}));
    assert_eq!(
        config.get(Yard::PATHS.hedges.height.index(0)),
        &Value::from(3)
    );
}

/// A pond whose plants are a set.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "test_pond", version = 0, plan)]
struct Pond {
    #[block(set, plan)]
    plant: Vec<Plant>,
    #[attribute(set, plan)]
    fish: Option<Vec<Plant>>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
#[object(plan)]
struct Plant {
    kind: Option<String>,
    #[attribute(computed)]
    serial: String,
    #[attribute(optional, computed)]
    note: Option<String>,
}

impl PlantPlan {
    fn made(self) -> Plant {
        let note = self
            .note
            .known()
            .flatten()
            .or_else(|| Some("none".to_owned()));
        Plant {
            serial: self
                .serial
                .unwrap_or_else(|| self.kind.clone().unwrap_or_default()),
            kind: self.kind,
            note,
        }
    }
}

impl PondPlan {
    fn made(self) -> Pond {
        let all = |plants: Vec<PlantPlan>| plants.into_iter().map(PlantPlan::made).collect();
        Pond {
            plant: all(self.plant),
            fish: self.fish.map(all),
        }
    }
}

impl ManagedResource for Pond {
    type Client = ();

    async fn create(plan: PondPlan, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan.made())
    }

    async fn update(plan: PondPlan, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan.made())
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(state))
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

#[test]
fn each_element_of_a_set_has_its_own_unknowns() {
    let provider =
        Provider::new("example.com/upstate/pond", async |_: Config| Ok(())).with::<Pond>();
    let core = Core::of(provider, json!({})).unwrap();
    for plants in [
        json!([{}, {"note": "wet"}]),
        json!([{"note": "wet"}, {}]),
        json!([{"kind": "a", "note": "b"}, {"kind": "a"}]),
    ] {
        for before in [json!([]), json!([{"kind": "x"}])] {
            let mut pond = core.resource::<Pond>();
            pond.apply(json!({"plant": before, "fish": before}))
                .unwrap();
            let applied = pond.apply(json!({"plant": plants, "fish": plants}));
            applied.unwrap_or_else(|refusal| panic!("{plants} after {before}: {refusal}"));
        }
    }
}
