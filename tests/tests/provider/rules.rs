//! Terraform's rules, as `testing::Core` plays them, and as the real Terraform has them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};
use upstate::{AttributeNames, Diagnostics, Object, Resource};
use upstate_provider::testing::{Acceptance, Core, PlannedAction, Step, Terraform, Values};
use upstate_provider::{Context, ManagedResource, Planned, Provider};

use super::real::terraform::V1_15;

#[derive(Object)]
struct Config {}

/// A farm with everything that Terraform proposes for: nested attributes and blocks of all kinds,
/// computed and defaulted in all of them.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "rules_farm", version = 0, plan)]
struct Farm {
    #[attribute(computed)]
    id: String,
    name: String,
    #[attribute(requires_replace)]
    country: Option<String>,
    /// What the provider does wrong.
    fault: Option<String>,
    #[attribute(default = 4, requires_replace_if = shrinks)]
    doors: i64,
    #[attribute(each(pattern = "^[a-z]+$", pattern_message = "must be in small letters"))]
    tags: Option<Vec<String>>,
    #[attribute(optional, computed)]
    owner: Option<String>,
    #[attribute(plan)]
    best: Option<Field>,
    #[attribute(plan)]
    fields: Option<Vec<Field>>,
    #[attribute(plan)]
    by_name: Option<BTreeMap<String, Field>>,
    #[attribute(set, plan)]
    around: Option<Vec<Field>>,
    #[attribute(optional, computed, plan)]
    spare: Option<Vec<Field>>,
    #[block(plan)]
    barn: Vec<Field>,
    #[block(set, plan)]
    shed: Vec<Field>,
    #[attribute(computed)]
    letters: i64,
    /// Its type has no value for what is not known.
    #[attribute(computed)]
    open: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
#[object(plan)]
struct Field {
    crop: Option<String>,
    #[attribute(default = 1)]
    size: i64,
    #[attribute(computed)]
    serial: String,
    #[attribute(optional, computed)]
    note: Option<String>,
}

fn shrinks(prior: i64, planned: i64) -> bool {
    planned < prior
}

/// Counts plans, and what was made.
#[derive(Clone, Default)]
struct Client(Arc<AtomicI64>);

impl FieldPlan {
    fn made(self) -> Field {
        let serial = format!("{}-{}", self.crop.as_deref().unwrap_or("grass"), self.size);
        let note = self
            .note
            .known()
            .flatten()
            .or_else(|| Some("none".to_owned()));
        Field {
            crop: self.crop,
            size: self.size,
            serial: self.serial.unwrap_or(serial),
            note,
        }
    }
}

impl FarmPlan {
    fn made(self) -> Farm {
        let all =
            |fields: Vec<FieldPlan>| fields.into_iter().map(FieldPlan::made).collect::<Vec<_>>();
        let mut made = Farm {
            id: self.id.unwrap_or_else(|| "f-1".to_owned()),
            letters: self
                .letters
                .known()
                .or(i64::try_from(self.name.len()).ok())
                .unwrap_or_default(),
            open: self.open.unwrap_or(true),
            name: self.name,
            country: self.country,
            fault: self.fault,
            doors: self.doors,
            tags: self.tags,
            owner: self
                .owner
                .known()
                .flatten()
                .or_else(|| Some("nobody".to_owned())),
            best: self.best.map(FieldPlan::made),
            fields: self.fields.map(all),
            by_name: self.by_name.map(|fields| {
                fields
                    .into_iter()
                    .map(|(name, field)| (name, field.made()))
                    .collect()
            }),
            around: self.around.map(all),
            spare: self.spare.known().flatten().map(all),
            barn: all(self.barn),
            shed: all(self.shed),
        };
        match made.fault.as_deref() {
            Some("other name") => made.name.push('!'),
            Some("a barn more") => made.barn.extend(made.barn.clone()),
            _ => {}
        }
        made
    }
}

impl ManagedResource for Farm {
    type Client = Client;

    const STABLE_PATHS: &'static [AttributeNames] = &[
        Farm::PATHS.owner.names(),
        Farm::PATHS.fields.serial.names(),
        Farm::PATHS.barn.note.names(),
        Farm::PATHS.shed.serial.names(),
        Farm::PATHS.by_name.note.names(),
        Farm::PATHS.spare.names(),
    ];

    async fn create(plan: FarmPlan, _: &mut Context<Client>) -> Result<Self, Diagnostics> {
        Ok(plan.made())
    }

    async fn read(state: Self, _: &mut Context<Client>) -> Result<Option<Self>, Diagnostics> {
        let name = if state.fault.as_deref() == Some("drifts") {
            format!("{}~", state.name)
        } else {
            state.name
        };
        Ok(Some(Self { name, ..state }))
    }

    async fn update(
        plan: FarmPlan,
        prior: Self,
        _: &mut Context<Client>,
    ) -> Result<Self, Diagnostics> {
        if plan.owner.is_known()
            && plan
                .fields
                .iter()
                .flatten()
                .zip(prior.fields.iter().flatten())
                .all(|(field, _)| field.serial.is_known())
        {
            return Ok(plan.made());
        }
        Err("what is stable is not known".into())
    }

    async fn delete(_: Self, _: &mut Context<Client>) -> Result<(), Diagnostics> {
        Ok(())
    }

    async fn modify_plan(
        plan: &mut Planned<Self>,
        context: &mut Context<Client>,
    ) -> Result<(), Diagnostics> {
        let count = context.client().0.fetch_add(1, SeqCst);
        match plan.get("fault").as_str() {
            Some("plans another name") => plan.set("name", "mine"),
            Some("replaces nothing") => plan.require_replace(Farm::PATHS.fields.crop.index(7)),
            Some("counts") => plan.set(Farm::PATHS.letters, count),
            _ => {}
        }
        Ok(())
    }
}

fn provider() -> Provider<Client> {
    Provider::new("example.com/upstate/rules", async |_: Config| {
        Ok(Client::default())
    })
    .with::<Farm>()
}

fn terraform() -> Acceptance {
    let terraform =
        Terraform::program(env!("CARGO_BIN_EXE_terraform_client")).argument(V1_15.library());
    Acceptance::of(&terraform, provider).always()
}

/// A configuration as Terraform reads it.
fn hcl(config: &Value) -> String {
    let mut text = "resource \"rules_farm\" \"it\" {\n".to_owned();
    for (name, value) in config.as_object().unwrap() {
        if matches!(name.as_str(), "barn" | "shed") {
            for block in value.as_array().unwrap() {
                let members = block
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(name, value)| format!("    {name} = {value}\n"));
                text += &format!("  {name} {{\n{}  }}\n", members.collect::<String>());
            }
        } else {
            text += &format!("  {name} = {value}\n");
        }
    }
    text + "}\n"
}

/// The configurations that one farm has, one after the other.
fn configurations() -> Vec<Value> {
    vec![
        json!({"name": "a", "best": {"crop": "rye"}, "fields": [{"crop": "rye"}, {"crop": "oats", "size": 2}],
            "by_name": {"n": {"crop": "rye"}, "s": {"note": "wet"}}, "around": [{"crop": "rye"}, {"crop": "oats"}],
            "barn": [{"crop": "hay"}], "shed": [{"crop": "hay"}, {"crop": "tools", "size": 3}]}),
        // Something else changes, and nested objects keep what is computed of them.
        json!({"name": "b", "best": {"crop": "rye"}, "fields": [{"crop": "rye"}, {"crop": "oats", "size": 2}],
            "by_name": {"n": {"crop": "rye"}, "s": {"note": "wet"}}, "around": [{"crop": "oats"}, {"crop": "rye"}],
            "barn": [{"crop": "hay"}], "shed": [{"crop": "tools", "size": 3}, {"crop": "hay"}]}),
        // Elements come, go and change.
        json!({"name": "b", "fields": [{"crop": "wheat"}], "by_name": {"s": {"note": "dry"}, "w": {}}, "around": [{"crop": "oats", "note": "x"}],
            "spare": [{"crop": "rye"}], "barn": [{"crop": "hay", "size": 9}, {}], "shed": [{"crop": "hay"}], "owner": "me"}),
        json!({"name": "b", "fields": [], "spare": [{"crop": "rye"}], "owner": "me"}),
        // What only a configuration can have said of `spare` is not kept; the owner is.
        json!({"name": "b"}),
        json!({"name": "b", "country": "no"}),
        json!({"name": "b", "country": "no"}),
        // Doors can be added, and not taken away.
        json!({"name": "b", "country": "no", "doors": 6}),
        json!({"name": "b", "country": "no", "doors": 5}),
        // Elements of sets that differ in nothing but what the provider may say.
        json!({"name": "b", "country": "no", "doors": 5, "around": [{}, {"note": "wet"}], "shed": [{}, {"note": "wet"}]}),
    ]
}

/// The attributes with the elements of sets in an order of their own.
fn sorted(attributes: &Value) -> Value {
    let mut attributes = attributes.clone();
    for name in ["around", "shed"] {
        if let Some(elements) = attributes[name].as_array_mut() {
            elements.sort_by_cached_key(Value::to_string);
        }
    }
    attributes
}

#[test]
fn a_life_is_the_same_with_and_without_terraform() {
    let core = Core::of(provider(), json!({})).unwrap();
    let mut farm = core.resource::<Farm>();
    let mut actions = Vec::new();
    let played = Arc::new(Mutex::new(Vec::new()));
    let mut test = terraform();
    for config in configurations() {
        let action = farm.apply(config.clone()).unwrap().action;
        let expected = sorted(&Value::try_from(farm.state()).unwrap());
        actions.push(action);
        let played = Arc::clone(&played);
        test = test.step(
            Step::apply(hcl(&config))
                .plans("rules_farm.it", action)
                .holds(move |state| {
                    let found = sorted(&state["values"]["root_module"]["resources"][0]["values"]);
                    played
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(());
                    if found == expected {
                        Ok(())
                    } else {
                        Err(format!(
                            "Terraform has {found}\nand without it, it is {expected}"
                        ))
                    }
                }),
        );
    }
    use PlannedAction::{Create, Nothing, Replace, Update};
    assert_eq!(
        actions,
        [
            Create, Update, Update, Update, Update, Replace, Nothing, Update, Replace, Update
        ]
    );
    test.run();
    assert_eq!(
        played.lock().unwrap_or_else(PoisonError::into_inner).len(),
        actions.len()
    );
}

#[test]
fn what_terraform_refuses_is_refused_without_it() {
    let played = |fault: &str| {
        let core = Core::of(provider(), json!({})).unwrap();
        let config = json!({"name": "a", "fault": fault, "barn": [{}]});
        let refusal = core.resource::<Farm>().apply(config).unwrap_err();
        assert!(refusal.is_by_terraform(), "{refusal}");
        refusal
            .diagnostics()
            .iter()
            .next()
            .unwrap()
            .summary()
            .to_owned()
    };
    let real = |fault: &str| {
        let config = hcl(&json!({"name": "a", "fault": fault, "barn": [{}]}));
        terraform()
            .step(Step::apply(config))
            .try_run()
            .unwrap_err()
            .to_string()
    };
    for fault in ["other name", "a barn more", "plans another name"] {
        let (summary, told) = (played(fault), real(fault));
        assert!(
            told.contains(&summary),
            "{fault}: {summary} is not in {told}"
        );
    }
    assert!(played("drifts").contains("not empty") && real("drifts").contains("not empty"));
    // A plan that is another each time.
    assert_eq!(
        played("counts"),
        "Provider produced inconsistent final plan"
    );
}

#[test]
fn a_replacement_because_of_what_does_not_exist_is_refused_with_and_without_terraform() {
    let core = Core::of(provider(), json!({})).unwrap();
    let mut farm = core.resource::<Farm>();
    farm.apply(json!({"name": "a"})).unwrap();
    let refusal = farm
        .plan(json!({"name": "a", "fault": "replaces nothing"}))
        .unwrap_err();
    let summary = refusal
        .diagnostics()
        .iter()
        .next()
        .unwrap()
        .summary()
        .to_owned();
    terraform()
        .step(Step::apply(hcl(&json!({"name": "a"}))))
        .step(Step::refused(
            hcl(&json!({"name": "a", "fault": "replaces nothing"})),
            summary,
        ))
        .run();
}

#[test]
fn an_element_that_is_not_accepted_is_named_with_and_without_terraform() {
    let core = Core::of(provider(), json!({})).unwrap();
    let config = json!({"name": "a", "tags": ["good", "Bad"]});
    let refusal = core.resource::<Farm>().plan(config.clone()).unwrap_err();
    let detail = refusal
        .diagnostics()
        .iter()
        .next()
        .unwrap()
        .detail()
        .to_owned();
    assert_eq!(detail, "tags[1] must be in small letters.");
    terraform().step(Step::refused(hcl(&config), detail)).run();
}

#[test]
fn what_only_the_provider_says_cannot_be_configured() {
    let core = Core::of(provider(), json!({})).unwrap();
    let refusal = core
        .resource::<Farm>()
        .plan(json!({"name": "a", "id": "mine"}))
        .unwrap_err();
    let summary = refusal
        .diagnostics()
        .iter()
        .next()
        .unwrap()
        .summary()
        .to_owned();
    assert_eq!(summary, "Invalid Configuration for Read-Only Attribute");
    terraform()
        .step(Step::refused(
            hcl(&json!({"name": "a", "id": "mine"})),
            summary,
        ))
        .run();
}

/// A field as somebody may configure it.
fn any_field() -> impl Strategy<Value = Value> {
    let crop = select(vec![None, Some("rye"), Some("oats"), Some("")]);
    (
        crop,
        option::of(1..4_i64),
        option::of(select(vec!["wet", "dry"])),
    )
        .prop_map(|(crop, size, note)| {
            let members = [
                ("crop", crop.map(Value::from)),
                ("size", size.map(Value::from)),
                ("note", note.map(Value::from)),
            ];
            Value::Object(
                members
                    .into_iter()
                    .filter_map(|(name, value)| Some((name.to_owned(), value?)))
                    .collect(),
            )
        })
}

/// Fields of which none is another one again, also with defaults, so that they may be a set.
fn any_fields() -> impl Strategy<Value = Value> {
    vec(any_field(), 0..4).prop_map(|fields| {
        let mut unique = Vec::new();
        for field in fields {
            let mut whole = field.clone();
            whole["size"] = field.get("size").cloned().unwrap_or_else(|| json!(1));
            // Terraform finds an element again by what is configured, so that it takes one for
            // another if only the provider's word tells them apart.
            whole["note"] = Value::Null;
            if !unique.iter().any(|(_, other)| *other == whole) {
                unique.push((field, whole));
            }
        }
        unique.into_iter().map(|(field, _)| field).collect()
    })
}

/// A farm as somebody may configure it, and which of its attributes are not known when it is
/// planned.
fn any_farm() -> impl Strategy<Value = (Value, Vec<&'static str>)> {
    let or_none = |of: BoxedStrategy<Value>| option::of(of).prop_map(Option::unwrap_or_default);
    let scalars = (
        select(vec!["a", "b"]),
        option::of(select(vec!["no", "se"])),
        option::of(1..6_i64),
        option::of(select(vec!["me", "you"])),
    );
    let by_name = btree_map(
        select(vec!["n".to_owned(), "s".to_owned()]),
        any_field(),
        0..3,
    );
    let nested = (
        or_none(any_field().boxed()),
        or_none(any_fields().boxed()),
        or_none(by_name.prop_map(|fields| json!(fields)).boxed()),
        or_none(any_fields().boxed()),
        or_none(any_fields().boxed()),
        any_fields(),
        any_fields(),
    );
    let unknown = subsequence(
        vec![
            "name", "country", "doors", "owner", "best", "fields", "by_name", "around", "spare",
        ],
        0..3,
    );
    (scalars, nested, unknown).prop_map(|((name, country, doors, owner), nested, unknown)| {
        let (best, fields, by_name, around, spare, barn, shed) = nested;
        let config = json!({"name": name, "country": country, "doors": doors, "owner": owner, "best": best, "fields": fields,
            "by_name": by_name, "around": around, "spare": spare, "barn": barn, "shed": shed});
        (config, unknown)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever is configured, one after the other, and whatever of it is known late: a provider
    /// that does what was planned is never refused, what is configured is in the state, and a
    /// second plan is empty.
    #[test]
    fn an_honest_provider_is_never_refused(lives in vec(any_farm(), 1..5)) {
        let core = Core::of(provider(), json!({})).unwrap();
        let mut farm = core.resource::<Farm>();
        for (config, unknown) in &lives {
            let planned = unknown.iter().fold(Values::from(config.clone()), |values, name| values.unknown(*name));
            farm.apply_when_known(planned, config.clone()).map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
            let state = Value::try_from(farm.state()).unwrap();
            for name in ["name", "country", "owner"] {
                prop_assert!(config[name].is_null() || state[name] == config[name], "{name}: {state}");
            }
            for name in ["fields", "spare", "barn"] {
                let (configured, stored) = (config[name].as_array(), state[name].as_array());
                prop_assert!(configured.is_none_or(|configured| stored.is_some_and(|stored| stored.len() == configured.len())), "{name}: {state}");
            }
        }
    }

    /// Whatever else is configured, Terraform accepts no answer that is another one than was
    /// planned.
    #[test]
    fn a_fault_is_refused_wherever_it_is((before, _) in any_farm(), (mut config, _) in any_farm(), fault in select(vec!["other name", "plans another name"])) {
        let core = Core::of(provider(), json!({})).unwrap();
        let mut farm = core.resource::<Farm>();
        farm.apply(before.clone()).map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
        // Something has to change, otherwise the provider is not asked.
        config["name"] = json!("c");
        config["fault"] = json!(fault);
        let refusal = farm.apply(config).unwrap_err();
        prop_assert!(refusal.is_by_terraform(), "{refusal}");
    }
}
