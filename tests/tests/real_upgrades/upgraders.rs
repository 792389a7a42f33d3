//! How the upgraders of the example models are written, beside what a study of 952 real upgraders says can be written without code.

use std::collections::{BTreeMap, BTreeSet};

use upstate::Registry;
use upstate::upgrade::{History, Step, UpgraderKind};

use crate::cases::cases;
use crate::clients::answer;

/// An upgrader's listing names the operators of the resource, not those of the objects in it. These have a function there.
const FUNCTIONS_INSIDE: [&str; 1] = ["rancher2_cluster_v2"];

#[derive(Default)]
struct Count {
    resources: usize,
    upgraders: usize,
    carry: usize,
    declarative: usize,
    functions: Vec<String>,
    clients: Vec<String>,
    words: BTreeMap<String, usize>,
}

/// Operators in their own words, as the upgrader is listed.
fn words(listed: &str) -> impl Iterator<Item = &str> {
    let word = |line| str::split(line, '(').next().unwrap_or_default();
    listed.lines().flat_map(move |line| {
        let guarded = line.strip_prefix("only_if(").and_then(|rest| rest.split("), ").last());
        [Some(word(line)), guarded.map(word)].into_iter().flatten()
    })
}

impl Count {
    fn step(&mut self, resource: &str, to: &History, step: &Step, asks: &BTreeSet<String>) {
        self.upgraders += 1;
        let name = format!("{resource} {}>{}", step.from(), to.version());
        let in_words = match step.written_as() {
            UpgraderKind::Operators(operators) => Some(operators.to_string()),
            UpgraderKind::Unchanged => Some("carry".to_owned()),
            _ => None,
        };
        for word in in_words.as_deref().map(words).into_iter().flatten() {
            *self.words.entry(word.to_owned()).or_default() += 1;
        }
        let has_function =
            in_words.as_deref().is_none_or(|text| text.contains("with = a function")) || FUNCTIONS_INSIDE.contains(&resource);
        if !has_function {
            self.declarative += 1;
            self.carry += usize::from(in_words.as_deref() == Some("carry"));
        } else if step.is_asynchronous() || asks.contains(resource) {
            self.clients.push(name);
        } else {
            self.functions.push(name);
        }
    }

    fn history(&mut self, resource: &str, history: &'static History, asks: &BTreeSet<String>, seen: &mut Vec<&'static str>) {
        if seen.contains(&history.rust_name()) {
            return;
        }
        seen.push(history.rust_name());
        for step in history.steps().iter().filter(|step| !step.is_refused()) {
            self.step(resource, history, step, asks);
            if let Some(via) = step.via() {
                self.history(resource, via, asks, seen);
            }
        }
    }

    fn share(&self, upgraders: usize) -> f64 {
        let (upgraders, all) = (u32::try_from(upgraders).unwrap(), u32::try_from(self.upgraders).unwrap());
        100.0 * f64::from(upgraders) / f64::from(all)
    }
}

/// The resources with a case that is refused where no provider is configured.
fn asking_resources(registry: &Registry) -> BTreeSet<String> {
    let known = cases().into_iter().filter(|case| registry.get(case.type_name()).is_some());
    let refused = known
        .filter(|case| answer(registry, case.type_name(), case.from_version, &case.before.to_string()).state.is_none())
        .map(|case| case.resource);
    refused.collect()
}

#[test]
fn most_upgraders_need_no_function() {
    let registry = upstate_examples::registry();
    let asks = asking_resources(&registry);
    let mut count = Count::default();
    for definition in registry.definitions() {
        count.resources += 1;
        let history = definition.history().unwrap();
        count.history(definition.type_name(), history, &asks, &mut Vec::new());
    }
    println!("{} upgraders of {} resources", count.upgraders, count.resources);
    println!(
        "declarative     {:>4} {:5.1} % (of them {} with nothing but `carry`)",
        count.declarative,
        count.share(count.declarative),
        count.carry
    );
    println!(
        "with a function {:>4} {:5.1} %: {}",
        count.functions.len(),
        count.share(count.functions.len()),
        count.functions.join(", ")
    );
    println!(
        "with the client {:>4} {:5.1} %: {}",
        count.clients.len(),
        count.share(count.clients.len()),
        count.clients.join(", ")
    );
    println!("operators, by upgraders that use them: {:?}", count.words);
    println!(
        "The study, of 691 upgraders that do something: 86.0 % declarative, 3.9 % more with a function, 10.1 % with the client."
    );
    println!(
        "The same, of all 952:                          89.8 % declarative, 2.8 % more with a function, 7.4 % with the client."
    );
    assert!(count.share(count.declarative) >= 80.0, "{:.1} % of the upgraders are declarative", count.share(count.declarative));
    for family in [
        "rename", "drop", "default", "set", "copy", "convert", "values", "reformat", "split", "merge", "unwrap", "wrap", "rekey",
        "null_if", "only_if", "warn", "refuse",
    ] {
        assert!(count.words.contains_key(family), "no upgrader uses `{family}`");
    }
}
