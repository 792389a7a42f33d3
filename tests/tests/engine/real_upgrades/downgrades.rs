//! The laws of downgrades, over all real cases and over states that nobody should have stored.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::Value;
use upstate::batch::Batch;
use upstate::testing::Hostile;
use upstate::upgrade::{DowngradeRequest, Verdict};
use upstate::{Registry, ResourceDefinition, UpgradeRequest};
use upstate_examples::{MODELS, complete, find};

use crate::real_upgrades::cases::{Case, cases};
use crate::real_upgrades::clients::{answer, ready, registry};
use crate::real_upgrades::definition;

/// What a version's way up and back comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    up: Verdict,
    down: Verdict,
}

/// Asked for each state, and worked out once for each version.
fn way(definition: &ResourceDefinition, version: u64) -> Way {
    thread_local! {
        static KNOWN: RefCell<BTreeMap<(String, u64, u64), Way>> = const { RefCell::new(BTreeMap::new()) };
    }
    let key = (
        definition.type_name().to_owned(),
        definition.version(),
        version,
    );
    KNOWN.with_borrow_mut(|known| {
        *known
            .entry(key)
            .or_insert_with(|| judged(definition, version))
    })
}

fn judged(definition: &ResourceDefinition, version: u64) -> Way {
    let mut way = Way {
        up: Verdict::Lossless,
        down: Verdict::Lossless,
    };
    for (history, step) in definition.history().unwrap().upgraders_from(version) {
        let verdicts = history.verdicts(step);
        way = Way {
            up: way.up.max(verdicts.up.verdict()),
            down: way.down.max(verdicts.down.verdict()),
        };
    }
    way
}

/// What became of one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Identity,
    OtherPrior,
    Lossy,
    Refused,
}

/// Checks the laws on one prior state, which upgrades to `current`.
fn check(
    registry: &Registry,
    definition: &ResourceDefinition,
    version: u64,
    before: &[u8],
    current: &[u8],
) -> Result<End, String> {
    let (type_name, newest) = (definition.type_name(), definition.version());
    let way = way(definition, version);
    let request = DowngradeRequest::json(type_name, newest, version, current);
    let strict = ready(registry.downgrade_async(&request));
    let response = ready(registry.downgrade_async(&request.allow_loss(true)));
    let said = || {
        format!(
            "{way:?}\n  current {}\n  {:?}\n  {}",
            text(current),
            response.losses(),
            response.diagnostics()
        )
    };
    if strict.state().is_some() != (response.state().is_some() && response.losses().is_empty()) {
        return Err(format!(
            "a loss is refused unless it is allowed: {}",
            said()
        ));
    }
    let Some(prior) = response.state() else {
        return match way {
            Way {
                up: Verdict::Lossless,
                down: Verdict::Lossless,
            } => Err(format!("a lossless way is refused: {}", said())),
            _ => Ok(End::Refused),
        };
    };
    let request = UpgradeRequest::json(type_name, version, prior);
    let again = ready(registry.upgrade_async(&request));
    let again = again
        .state()
        .ok_or_else(|| format!("cannot be upgraded again: {}\n  {}", said(), text(prior)))?;
    if (again == current) != response.losses().is_empty() {
        return Err(format!(
            "an unnamed loss: {}\n  prior {}\n  again {}",
            said(),
            text(prior),
            text(again)
        ));
    }
    if way.down == Verdict::Lossless && !response.losses().is_empty() {
        return Err(format!(
            "a lossless way down loses: {}\n  prior {}",
            said(),
            text(prior)
        ));
    }
    // No release stored a list of objects with a null among them; an upgrade lets it pass where it
    // does not look.
    let is_storable = !serde_json::from_slice(before).is_ok_and(|before| has_null_element(&before));
    let stored = find(type_name, version)
        .and_then(|prior| complete(prior, before).ok())
        .filter(|_| is_storable);
    let same = stored.as_deref() == Some(prior);
    match way {
        _ if same => Ok(End::Identity),
        Way {
            up: Verdict::Lossless,
            down: Verdict::Lossless,
        } if stored.is_some() => {
            let stored = stored.unwrap_or_default();
            Err(format!(
                "down after up is another state: {}\n  stored {}\n  prior  {}",
                said(),
                text(&stored),
                text(prior)
            ))
        }
        _ if !response.losses().is_empty() => Ok(End::Lossy),
        _ => Ok(End::OtherPrior),
    }
}

fn has_null_element(value: &Value) -> bool {
    match value {
        Value::Array(array) => array
            .iter()
            .any(|value| value.is_null() || has_null_element(value)),
        Value::Object(object) => object.values().any(has_null_element),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn text(json: &[u8]) -> String {
    String::from_utf8_lossy(json).into_owned()
}

#[test]
fn every_real_case_goes_back() {
    let (mut ends, mut failures) = (BTreeMap::<End, usize>::new(), Vec::new());
    let mut refused = BTreeMap::<String, usize>::new();
    let (mut from_newest, mut not_counted) = (0, Vec::new());
    for case in cases() {
        let Case {
            from_version,
            before,
            ..
        } = &case;
        let mut registry = registry(&case.id);
        let mut definition = definition(&case);
        if definition.history().is_none() {
            // A version that is a difference is a resource of its own made of functions, which
            // nothing undoes: its case goes on to the newest version, and back from there.
            definition = registry.get(case.type_name()).unwrap().clone();
            from_newest += 1;
        }
        registry.insert(definition.clone());
        let before = before.to_string();
        // What the models make of it; every case of which that is compared is another test.
        let upgraded = answer(&registry, case.type_name(), *from_version, &before);
        let Some(current) = upgraded.state else {
            let why = upgraded
                .diagnostics
                .lines()
                .nth(1)
                .unwrap_or_default()
                .to_owned();
            not_counted.push(format!(
                "{}: version {} refuses what it became: {why}",
                case.id,
                definition.version()
            ));
            continue;
        };
        match check(
            &registry,
            &definition,
            *from_version,
            before.as_bytes(),
            &current,
        ) {
            Ok(end) => {
                *ends.entry(end).or_default() += 1;
                if end == End::Refused {
                    let request = DowngradeRequest::json(
                        case.type_name(),
                        definition.version(),
                        *from_version,
                        &current,
                    );
                    let response = ready(registry.downgrade_async(&request));
                    let why = response.diagnostics().iter().next().map(|first| {
                        first
                            .detail()
                            .split("\n\n")
                            .next()
                            .unwrap_or_default()
                            .to_owned()
                    });
                    *refused
                        .entry(format!(
                            "{} {from_version}: {}",
                            case.type_name(),
                            why.unwrap_or_default()
                        ))
                        .or_default() += 1;
                }
            }
            Err(failure) => failures.push(format!("{}: {failure}", case.id)),
        }
    }
    let counted: usize = ends.values().sum();
    println!("{counted} cases, {from_newest} of them by way of the newest version: {ends:?}");
    for why in &not_counted {
        println!("  not counted, {why}");
    }
    for (why, count) in refused {
        println!("  {count} refused, {why}");
    }
    assert!(
        failures.is_empty(),
        "{}:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert_eq!(
        counted + not_counted.len(),
        cases().len(),
        "a case is not counted, and nothing says why"
    );
    assert!(not_counted.len() <= 1, "{not_counted:?}");
}

#[test]
fn verdicts_of_the_real_upgraders() {
    let mut seen = BTreeSet::new();
    let mut count = BTreeMap::<(Verdict, Verdict), usize>::new();
    for model in MODELS {
        let mut histories = vec![model.definition.history().unwrap()];
        while let Some(history) = histories.pop() {
            for step in history.steps().iter().filter(|step| !step.is_refused()) {
                histories.extend(step.prior());
                let key = (
                    model.type_name,
                    history.version(),
                    step.from(),
                    step.condition().map(|when| when.to_string()),
                );
                if seen.insert(key) {
                    let verdicts = history.verdicts(step);
                    *count
                        .entry((verdicts.up.verdict(), verdicts.down.verdict()))
                        .or_default() += 1;
                    if std::env::var_os("VERDICTS").is_some() {
                        println!(
                            "{} {} => {}\n  up   {}\n  down {}",
                            model.type_name,
                            step.from(),
                            history.version(),
                            verdicts.up,
                            verdicts.down
                        );
                    }
                }
            }
        }
    }
    println!("{} upgraders", seen.len());
    for ((up, down), count) in count {
        println!("  up {up}, down {down}: {count}");
    }
}

/// Whether a state is looked at: all whose way keeps everything, and some of the others, of which
/// there are many.
fn turn(definition: &ResourceDefinition, version: u64, count: &Cell<usize>) -> bool {
    const OTHERS: usize = 10;
    count.set(count.get() + 1);
    way(definition, version)
        == Way {
            up: Verdict::Lossless,
            down: Verdict::Lossless,
        }
        || count.get().is_multiple_of(OTHERS)
}

/// A prior state as it is meant, and what it became.
type Judged = (u64, Value, Vec<u8>);

/// True if this is another state than the last one. Each comes several times, one after the other:
/// with its names in reverse, with one that no schema defines, and alone.
fn is_another(last: &RefCell<Option<Judged>>, version: u64, before: &[u8], current: &[u8]) -> bool {
    let Ok(mut before) = serde_json::from_slice::<Value>(before) else {
        return true;
    };
    if let Some(members) = before.as_object_mut() {
        members.remove("undefined by upstate");
    }
    let judged = Some((version, before, current.to_vec()));
    let is_another = *last.borrow() != judged;
    *last.borrow_mut() = judged;
    is_another
}

#[test]
fn hostile_states_keep_the_laws() {
    let mut samples = BTreeMap::<String, Vec<(u64, Value)>>::new();
    for case in cases() {
        let newest = find(case.type_name(), case.to_version).map(|definition| definition.version());
        let of_type = samples.entry(case.type_name().to_owned()).or_default();
        // One of each version is enough to begin with.
        if newest == Some(case.to_version)
            && of_type
                .iter()
                .all(|(version, _)| *version != case.from_version)
        {
            of_type.push((case.from_version, case.before));
        }
    }
    let all = registry("");
    let definitions: Vec<_> = all.definitions().collect();
    let outcomes = Batch::new().map(&definitions, |definition| {
        let type_name = definition.type_name();
        let mut hostile = Hostile::in_registry(&all, type_name);
        for (version, sample) in samples.get(type_name).into_iter().flatten() {
            hostile = hostile.sample(*version, sample.to_string());
        }
        let failures = Rc::new(RefCell::new(Vec::new()));
        let ends = Rc::new(RefCell::new(BTreeMap::<End, usize>::new()));
        let (count, last) = (Cell::new(0), RefCell::new(None));
        let (seen, ended, of) = (failures.clone(), ends.clone(), (*definition).clone());
        let hostile = hostile.upgraded_by(move |registry, request| {
            let response = registry.upgrade(request);
            let stored = request.raw_state().and_then(|raw| raw.json());
            // Hostile states also ask for answers in another encoding.
            let json = response.state().filter(|state| state.starts_with(b"{"));
            let is_old = request.version() < of.version();
            if let (Some(current), Some(before), true) =
                (json, stored, is_old && turn(&of, request.version(), &count))
                && is_another(&last, request.version(), before, current)
            {
                match check(registry, &of, request.version(), before, current) {
                    Ok(end) => *ended.borrow_mut().entry(end).or_default() += 1,
                    Err(failure) => seen.borrow_mut().push(format!(
                        "{} {}: {failure}",
                        of.type_name(),
                        request.version()
                    )),
                }
            }
            response
        });
        // What is wrong with upgrades is for other tests.
        let _ = hostile.run();
        (failures.take(), ends.take())
    });
    let mut failures = Vec::new();
    let mut ends = BTreeMap::<End, usize>::new();
    for (failed, ended) in outcomes.into_iter().map(Result::unwrap) {
        failures.extend(failed);
        for (end, count) in ended {
            *ends.entry(end).or_default() += count;
        }
    }
    println!("{ends:?}");
    assert!(
        failures.is_empty(),
        "{}:\n{}",
        failures.len(),
        failures
            .iter()
            .take(20)
            .cloned()
            .collect::<Vec<_>>()
            .join("\n")
    );
    assert!(ends.len() == 4, "{ends:?}");
}
