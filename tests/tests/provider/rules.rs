//! Terraform's rules, as `testing::Core` plays them, and as the real Terraform has them.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use upstate::{AttributePath, Diagnostics, Object, Resource};
use upstate_provider::testing::{Acceptance, Core, PlannedAction, Step, Terraform};
use upstate_provider::{Context, ManagedResource, Planned, Provider};

use super::real::terraform::V1_15;

#[derive(Object)]
struct Config {}

/// A farm with everything that Terraform proposes for: nested attributes and blocks of all kinds, computed and defaulted in all of them.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "rules_farm", version = 0)]
struct Farm {
    #[attribute(computed)]
    id: String,
    name: String,
    #[attribute(requires_replace)]
    country: Option<String>,
    /// What the provider does wrong.
    fault: Option<String>,
    #[attribute(default = 4)]
    doors: i64,
    #[attribute(optional, computed)]
    owner: Option<String>,
    best: Option<Field>,
    fields: Option<Vec<Field>>,
    by_name: Option<std::collections::BTreeMap<String, Field>>,
    #[attribute(set)]
    around: Option<Vec<Field>>,
    #[attribute(optional, computed)]
    spare: Option<Vec<Field>>,
    #[block]
    barn: Vec<Field>,
    #[block(set)]
    shed: Vec<Field>,
    #[attribute(computed)]
    letters: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Field {
    crop: Option<String>,
    #[attribute(default = 1)]
    size: i64,
    #[attribute(computed)]
    serial: String,
    #[attribute(optional, computed)]
    note: Option<String>,
}

/// Counts plans, and what was made.
#[derive(Clone, Default)]
struct Client(Arc<AtomicI64>);

impl Farm {
    fn made(mut self) -> Self {
        let named = self.by_name.iter_mut().flat_map(std::collections::BTreeMap::values_mut);
        let all = self.best.iter_mut().chain(self.fields.iter_mut().flatten()).chain(named);
        let all = all.chain(self.around.iter_mut().flatten()).chain(self.spare.iter_mut().flatten());
        for field in all.chain(&mut self.barn).chain(&mut self.shed) {
            field.serial = format!("{}-{}", field.crop.as_deref().unwrap_or("grass"), field.size);
            field.note.get_or_insert_with(|| "none".to_owned());
        }
        self.owner.get_or_insert_with(|| "nobody".to_owned());
        self.letters = i64::try_from(self.name.len()).ok();
        match self.fault.as_deref() {
            Some("other name") => self.name.push('!'),
            Some("a barn more") => self.barn.extend(self.barn.clone()),
            _ => {}
        }
        Self { id: "f-1".to_owned(), ..self }
    }
}

impl ManagedResource for Farm {
    type Client = Client;

    const STABLE: &'static [&'static str] =
        &["id", "owner", "fields.serial", "barn.note", "shed.serial", "by_name.note", "spare"];

    async fn create(plan: Self, _: &mut Context<Client>) -> Result<Self, Diagnostics> {
        Ok(plan.made())
    }

    async fn read(state: Self, _: &mut Context<Client>) -> Result<Option<Self>, Diagnostics> {
        let name = if state.fault.as_deref() == Some("drifts") { format!("{}~", state.name) } else { state.name };
        Ok(Some(Self { name, ..state }))
    }

    async fn update(plan: Self, prior: Self, _: &mut Context<Client>) -> Result<Self, Diagnostics> {
        let kept = |index: usize| prior.fields.as_ref().and_then(|fields| fields.get(index)).map(|field| field.serial.clone());
        let mut made = plan.made();
        // What is stable stays.
        for (index, field) in made.fields.iter_mut().flatten().enumerate() {
            if let Some(serial) = kept(index) {
                field.serial = serial;
            }
        }
        for shed in &mut made.shed {
            if let Some(before) = prior.shed.iter().find(|before| before.crop == shed.crop && before.size == shed.size) {
                shed.serial.clone_from(&before.serial);
            }
        }
        Ok(made)
    }

    async fn delete(_: Self, _: &mut Context<Client>) -> Result<(), Diagnostics> {
        Ok(())
    }

    async fn modify_plan(plan: &mut Planned<Self>, context: &mut Context<Client>) -> Result<(), Diagnostics> {
        let count = context.client().0.fetch_add(1, SeqCst);
        match plan.get("fault").as_str() {
            Some("plans another name") => plan.set("name", "mine"),
            Some("replaces nothing") => plan.require_replace(AttributePath::from("fields").index(7).attribute("crop")),
            Some("counts") => plan.set("letters", count),
            _ => {}
        }
        Ok(())
    }
}

fn provider() -> Provider<Client> {
    Provider::new("example.com/upstate/rules", async |_: Config| Ok(Client::default())).with::<Farm>()
}

fn terraform() -> Acceptance {
    let terraform = Terraform::program(env!("CARGO_BIN_EXE_terraform_client")).argument(V1_15.library());
    Acceptance::of(&terraform, provider).always()
}

/// A configuration as Terraform reads it.
fn hcl(config: &Value) -> String {
    let mut text = "resource \"rules_farm\" \"it\" {\n".to_owned();
    for (name, value) in config.as_object().unwrap() {
        if matches!(name.as_str(), "barn" | "shed") {
            for block in value.as_array().unwrap() {
                let members = block.as_object().unwrap().iter().map(|(name, value)| format!("    {name} = {value}\n"));
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
        test = test.step(Step::apply(hcl(&config)).plans("rules_farm.it", action).holds(move |state| {
            let found = sorted(&state["values"]["root_module"]["resources"][0]["values"]);
            played.lock().unwrap_or_else(PoisonError::into_inner).push(());
            if found == expected { Ok(()) } else { Err(format!("Terraform has {found}\nand without it, it is {expected}")) }
        }));
    }
    use PlannedAction::{Create, Nothing, Replace, Update};
    assert_eq!(actions, [Create, Update, Update, Update, Update, Replace, Nothing]);
    test.run();
    assert_eq!(played.lock().unwrap_or_else(PoisonError::into_inner).len(), actions.len());
}

#[test]
fn what_terraform_refuses_is_refused_without_it() {
    let played = |fault: &str| {
        let core = Core::of(provider(), json!({})).unwrap();
        let config = json!({"name": "a", "fault": fault, "barn": [{}]});
        let refusal = core.resource::<Farm>().apply(config).unwrap_err();
        assert!(refusal.is_by_terraform(), "{refusal}");
        refusal.diagnostics().iter().next().unwrap().summary().to_owned()
    };
    let real = |fault: &str| {
        let config = hcl(&json!({"name": "a", "fault": fault, "barn": [{}]}));
        terraform().step(Step::apply(config)).try_run().unwrap_err().to_string()
    };
    for fault in ["other name", "a barn more", "plans another name"] {
        let (summary, told) = (played(fault), real(fault));
        assert!(told.contains(&summary), "{fault}: {summary} is not in {told}");
    }
    assert!(played("drifts").contains("not empty") && real("drifts").contains("not empty"));
    // A plan that is another each time.
    assert_eq!(played("counts"), "Provider produced inconsistent final plan");
}

#[test]
fn a_replacement_because_of_what_does_not_exist_is_refused_with_and_without_terraform() {
    let core = Core::of(provider(), json!({})).unwrap();
    let mut farm = core.resource::<Farm>();
    farm.apply(json!({"name": "a"})).unwrap();
    let refusal = farm.plan(json!({"name": "a", "fault": "replaces nothing"})).unwrap_err();
    let summary = refusal.diagnostics().iter().next().unwrap().summary().to_owned();
    terraform()
        .step(Step::apply(hcl(&json!({"name": "a"}))))
        .step(Step::refused(hcl(&json!({"name": "a", "fault": "replaces nothing"})), summary))
        .run();
}

#[test]
fn what_only_the_provider_says_cannot_be_configured() {
    let core = Core::of(provider(), json!({})).unwrap();
    let refusal = core.resource::<Farm>().plan(json!({"name": "a", "id": "mine"})).unwrap_err();
    let summary = refusal.diagnostics().iter().next().unwrap().summary().to_owned();
    assert_eq!(summary, "Invalid Configuration for Read-Only Attribute");
    terraform().step(Step::refused(hcl(&json!({"name": "a", "id": "mine"})), summary)).run();
}
