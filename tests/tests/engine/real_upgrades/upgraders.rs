//! How the upgraders of the example models are written, beside what a study of 952 real upgraders
//! says can be written without code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use upstate::upgrade::{History, Step, UpgraderKind};
use upstate::{Registry, ResourceDefinition};

use crate::real_upgrades::cases::cases;
use crate::real_upgrades::clients::answer;

/// Lines of the models at b62423e, the last commit at which every prior version was a struct.
const LINES_WITH_STRUCTS: usize = 7187;

#[derive(Default)]
struct Count {
    resources: usize,
    upgraders: usize,
    carry: usize,
    declarative: usize,
    /// Upgraders whose prior version is not a struct, with or without a function.
    differences: usize,
    /// Those of them that are declarative.
    without_struct: usize,
    functions: Vec<String>,
    clients: Vec<String>,
    words: BTreeMap<String, usize>,
}

/// Operators in their own words, as the upgrader is listed; those of objects have a path before
/// them.
fn words(listed: &str) -> impl Iterator<Item = &str> {
    let word = |line| str::split(line, '(').next().unwrap_or_default();
    listed.lines().flat_map(move |line| {
        let line = match line.split_once(": ") {
            Some((path, operator)) if !path.contains('(') => operator,
            _ => line,
        };
        let guarded = line
            .strip_prefix("only_if(")
            .and_then(|rest| rest.split("), ").last());
        [Some(word(line)), guarded.map(word)].into_iter().flatten()
    })
}

impl Count {
    fn step(
        &mut self,
        definition: &ResourceDefinition,
        to: &History,
        step: &Step,
        asks: &BTreeSet<String>,
    ) {
        self.upgraders += 1;
        let resource = definition.type_name();
        let name = format!("{resource} {}>{}", step.from(), to.version());
        let in_words = match step.written_as() {
            UpgraderKind::Operators(_) => {
                to.whole_upgrader(step).map(|upgrader| upgrader.to_string())
            }
            UpgraderKind::Unchanged => Some("carry".to_owned()),
            _ => None,
        };
        for word in in_words
            .as_deref()
            .map(words)
            .into_iter()
            .flatten()
            .collect::<BTreeSet<_>>()
        {
            *self.words.entry(word.to_owned()).or_default() += 1;
        }
        let is_difference = step
            .prior()
            .is_none_or(|prior| definition.prior(prior.version()).is_some())
            && in_words.is_some();
        self.differences += usize::from(is_difference);
        if in_words
            .as_deref()
            .is_some_and(|text| !text.contains("with = a"))
        {
            self.declarative += 1;
            self.carry += usize::from(in_words.as_deref() == Some("carry"));
            self.without_struct += usize::from(is_difference);
        } else if step.is_asynchronous() || asks.contains(resource) {
            self.clients.push(name);
        } else {
            self.functions.push(name);
        }
    }

    fn history(
        &mut self,
        definition: &ResourceDefinition,
        history: &'static History,
        asks: &BTreeSet<String>,
        seen: &mut Vec<&'static str>,
    ) {
        if seen.contains(&history.rust_name()) {
            return;
        }
        seen.push(history.rust_name());
        for step in history.steps().iter().filter(|step| !step.is_refused()) {
            self.step(definition, history, step, asks);
            if let Some(prior) = step.prior() {
                self.history(definition, prior, asks, seen);
            }
        }
    }

    fn share(&self, upgraders: usize) -> f64 {
        let (upgraders, all) = (
            u32::try_from(upgraders).unwrap(),
            u32::try_from(self.upgraders).unwrap(),
        );
        100.0 * f64::from(upgraders) / f64::from(all)
    }
}

/// The resources with a case that is refused where no provider is configured.
fn asking_resources(registry: &Registry) -> BTreeSet<String> {
    let known = cases()
        .into_iter()
        .filter(|case| registry.get(case.type_name()).is_some());
    let refused = known
        .filter(|case| {
            answer(
                registry,
                case.type_name(),
                case.from_version,
                &case.before.to_string(),
            )
            .state
            .is_none()
        })
        .map(|case| case.resource);
    refused.collect()
}

/// Lines of the models in a folder, without those of their tests.
fn lines(folder: &Path) -> usize {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let models = entries.filter(|path| !path.ends_with("tests.rs"));
    models
        .map(|path| {
            if path.is_dir() {
                lines(&path)
            } else {
                fs::read_to_string(&path).unwrap().lines().count()
            }
        })
        .sum()
}

#[test]
fn most_upgraders_need_no_function() {
    let registry = upstate_examples::registry();
    let asks = asking_resources(&registry);
    let mut count = Count::default();
    for definition in registry.definitions() {
        count.resources += 1;
        let history = definition.history().unwrap();
        count.history(definition, history, &asks, &mut Vec::new());
    }
    println!(
        "{} upgraders of {} resources",
        count.upgraders, count.resources
    );
    println!(
        "declarative     {:>4} {:5.1} % (of them {} with nothing but `carry`)",
        count.declarative,
        count.share(count.declarative),
        count.carry
    );
    let in_models = count.declarative - count.without_struct;
    println!(
        "  of them differences {:>4}, {in_models} operators beside a struct",
        count.without_struct
    );
    println!(
        "  prior versions without a struct, functions in operators included: {}",
        count.differences
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
    let lines = lines(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/src/realworld"));
    println!(
        "lines: {lines}, {} a resource; {LINES_WITH_STRUCTS}, {} a resource, while every prior version was a struct",
        lines / count.resources,
        LINES_WITH_STRUCTS / count.resources
    );
    assert!(lines < LINES_WITH_STRUCTS, "{lines} lines");
    assert!(
        10 * count.without_struct >= 6 * count.declarative,
        "{} of {} declarative upgraders need no prior struct",
        count.without_struct,
        count.declarative
    );
    assert!(
        count.share(count.declarative) >= 80.0,
        "{:.1} % of the upgraders are declarative",
        count.share(count.declarative)
    );
    for family in [
        "rename", "drop", "default", "set", "copy", "convert", "values", "reformat", "split",
        "merge", "unwrap", "wrap", "rekey", "null_if", "only_if", "warn", "refuse",
    ] {
        assert!(
            count.words.contains_key(family),
            "no upgrader uses `{family}`"
        );
    }
}
