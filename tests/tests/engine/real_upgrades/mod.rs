//! Real states of public providers: what their own upgraders made of them is what the example
//! models make of them.

mod asking;
mod cases;
mod clients;
mod downgrades;
mod json_schema;
mod refusals;
mod upgraders;

use std::collections::{BTreeMap, BTreeSet};

use cases::{Case, agree, cases, holds_all_of};
use clients::{Answer, answer, registry};
use serde_json::Value;
use upstate::ResourceDefinition;
use upstate_examples::{MODELS, complete, find};

fn definition(case: &Case) -> ResourceDefinition {
    let (type_name, version) = (case.type_name(), case.to_version);
    find(type_name, version)
        .unwrap_or_else(|| panic!("nothing says what {type_name} is at version {version}"))
}

/// What the models make of a case, brought to the case's version, which need not be the newest.
fn upgrade(case: &Case) -> Answer {
    let mut registry = registry(&case.id);
    registry.insert(definition(case));
    answer(
        &registry,
        case.type_name(),
        case.from_version,
        &case.before.to_string(),
    )
}

#[test]
fn every_real_case_gives_its_real_result() {
    let registered = upstate_examples::registry();
    let mut failures = Vec::new();
    let mut resources = BTreeMap::<String, usize>::new();
    let mut providers = BTreeMap::<String, BTreeSet<String>>::new();
    let mut missing = BTreeSet::new();
    let mut intermediate = 0;
    for case in cases() {
        let Some(definition) = registered.get(case.type_name()) else {
            missing.insert(case.resource);
            continue;
        };
        if let Err(failure) = check(&case) {
            failures.push(format!("{}: {failure}", case.id));
        }
        intermediate += usize::from(case.to_version != definition.version());
        providers
            .entry(case.provider.clone())
            .or_default()
            .insert(case.resource.clone());
        *resources.entry(case.resource).or_default() += 1;
    }
    let count: usize = resources.values().sum();
    println!(
        "{count} cases of {} resources of {} providers:",
        resources.len(),
        providers.len()
    );
    for (provider, types) in &providers {
        println!("  {provider}: {}", types.len());
    }
    println!("without models: {} resources: {missing:?}", missing.len());
    println!("{intermediate} of the cases end before the newest version");
    assert!(
        failures.is_empty(),
        "{} of {count} cases:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert_eq!(
        resources.len(),
        registered.definitions().len(),
        "a registered resource has no case"
    );
    assert!(
        resources.len() >= 60 && count >= 120,
        "{} resources, {count} cases",
        resources.len()
    );
}

fn check(case: &Case) -> Result<(), String> {
    let answer = upgrade(case);
    let ours = answer.state.ok_or(answer.diagnostics)?;
    if !answer.unknown.is_empty() {
        return Err(format!(
            "the prior model lacks {}",
            answer.unknown.join(", ")
        ));
    }
    // Both as the model stores them: with all its attributes, each in its type, and the sets in one
    // order.
    let complete = |state: &[u8]| -> Result<Value, String> {
        let stored = complete(definition(case), state).map_err(|error| error.to_string())?;
        serde_json::from_slice(&stored).map_err(|error| error.to_string())
    };
    let (ours, theirs) = (
        complete(&ours)?,
        complete(case.after.to_string().as_bytes())?,
    );
    if !holds_all_of(&theirs, &case.after) {
        return Err(format!("the model lacks some of {}", case.after));
    }
    if agree(&ours, &theirs) {
        Ok(())
    } else {
        Err(format!("\n  ours   {ours}\n  theirs {theirs}"))
    }
}

#[test]
fn every_model_is_listed_and_every_resource_registered() {
    let registry = upstate_examples::registry();
    for definition in registry.definitions() {
        let mut histories: Vec<_> = definition.history().into_iter().collect();
        while let Some(history) = histories.pop() {
            assert!(
                find(definition.type_name(), history.version()).is_some(),
                "{}",
                history.rust_name()
            );
            histories.extend(
                history
                    .steps()
                    .iter()
                    .filter_map(upstate::upgrade::Step::prior),
            );
        }
    }
    for model in MODELS {
        assert!(
            registry.get(model.type_name).is_some(),
            "{}",
            model.type_name
        );
    }
}
