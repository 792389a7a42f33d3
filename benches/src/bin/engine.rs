//! `cargo run --release -q -p upstate-benches --bin engine`: what comes on top of decoding,
//! upgrading and encoding.
//!
//! Ends with status 1 if a budget is exceeded.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use upstate::batch::Batch;
use upstate::schema::{Attribute, Block, Presence, Schema, Type};
use upstate::upgrade::ClosureUpgrader;
use upstate::{Diagnostics, Registry, ResourceDefinition, UpgradeRequest, UpgradeResponse, Value};
use upstate_benches::case::Case;
use upstate_benches::measure::{interleaved, now, now_of_all_threads, quantile};
use upstate_benches::table::{Table, grouped};
use upstate_benches::workloads::{Document, Workload, large, medium, small, stored};

const ROUNDS: usize = 101;
const SLICE: Duration = Duration::from_millis(6);

/// The most an upgrade through the registry may cost, against decoding, upgrading and encoding
/// called one after the other.
const ENGINE: f64 = 1.10;
/// The most that registering 1 000 types of three versions may take, in nanoseconds.
const REGISTER: f64 = 1e6;
/// The most that finding one of them may take, in nanoseconds.
const LOOK_UP: f64 = 50.0;
/// The most a batch may take of a loop's time by the clock on two cores, and of its processor time
/// on any number.
const BATCH_CLOCK: f64 = 0.55;
const BATCH_PROCESSOR: f64 = 1.05;
/// How many types those are.
const TYPES: usize = 1_000;

type Upgrade = fn(&[u8]) -> Vec<u8>;

/// The three steps of an upgrade, called one after the other.
macro_rules! steps {
    ($prior:ty => $($later:ty)=>+) => {
        |json| {
            let model = upstate::from_json::<$prior>(json).expect("the document fits");
            $(let model: $later = model.try_into().expect("the document upgrades");)+
            upstate::to_json(&model).expect("a model is JSON")
        }
    };
}

/// One measured number and the most it may be.
struct Line {
    name: String,
    measured: String,
    beside: String,
    ratio: Option<f64>,
    over: Option<bool>,
}

fn engine(workload: Workload, steps: Upgrade, what: &str, budget: Option<f64>) -> Line {
    let Workload {
        name,
        documents,
        upstate,
        ..
    } = workload;
    let expected: Vec<serde_json::Value> = documents
        .iter()
        .map(|Document([_, _, current])| current.clone())
        .collect();
    let cases = [
        upstate,
        Case::json("the three steps", stored(&documents, 0), steps),
    ];
    cases.iter().for_each(|case| case.check(name, &expected));
    let [ours, steps] = &interleaved(&cases, ROUNDS, SLICE)[..] else {
        unreachable!("two cases, two timings")
    };
    let ratio = ours.ratio_to(steps);
    Line {
        name: format!("{name}: {what}, beside its three steps"),
        measured: format!("{} ns", grouped(ours.nanoseconds())),
        beside: format!("{} ns", grouped(steps.nanoseconds())),
        ratio: Some(ratio),
        over: budget.map(|budget| ratio > budget),
    }
}

/// A type of three versions, as a provider has them that knows its schemas at run time. A model's
/// definition is a constant, of which a copy costs less.
fn definition(index: usize) -> ResourceDefinition {
    let schema = |version: u64| {
        let names = (0..10).map(|name| format!("attribute_{name}"));
        Schema::new(
            version,
            Block::new(names.map(|name| Attribute::new(name, Type::String, Presence::Optional))),
        )
    };
    let upgrader = |from: u64| {
        ClosureUpgrader::new(from, |value: Value, _| Ok::<_, Diagnostics>(value))
            .prior_schema(&schema(from))
    };
    ResourceDefinition::builder(
        format!("example_service_{:03}_resource", index * 7919 % TYPES),
        schema(2),
    )
    .unsupported(0..=u64::MAX)
    .upgrader(upgrader(0))
    .upgrader(upgrader(1))
    .build()
    .expect("the definition is sound")
}

fn median(rounds: usize, mut nanoseconds: impl FnMut() -> f64) -> f64 {
    quantile((0..rounds).map(|_| nanoseconds()).collect(), 0.5)
}

fn registry() -> [Line; 2] {
    let definitions: Vec<ResourceDefinition> = (0..TYPES).map(definition).collect();
    let register = || {
        let mut registry = Registry::new();
        for definition in &definitions {
            registry.insert(definition.clone());
        }
        registry
    };
    let registering = median(ROUNDS, || {
        let start = now();
        let registry = black_box(register());
        let spent = now() - start;
        drop(registry);
        spent.as_secs_f64() * 1e9
    });
    let registry = register();
    let names: Vec<String> = definitions
        .iter()
        .map(|definition| definition.type_name().to_owned())
        .collect();
    let looking_up = median(ROUNDS, || {
        let start = now();
        for name in names.iter().cycle().take(TYPES * 20) {
            black_box(registry.get(black_box(name)).expect("it is registered"));
        }
        (now() - start).as_secs_f64() * 1e9 / (TYPES * 20) as f64
    });
    let line = |name: &str, measured: String, limit: String, over| Line {
        name: name.to_owned(),
        measured,
        beside: limit,
        ratio: None,
        over: Some(over),
    };
    [
        line(
            "1,000 types of 3 versions: register all, beside the budget",
            format!("{} ns", grouped(registering)),
            format!("{} ns", grouped(REGISTER)),
            registering >= REGISTER,
        ),
        line(
            "1,000 types of 3 versions: find one, beside the budget",
            format!("{looking_up:.0} ns"),
            format!("{LOOK_UP:.0} ns"),
            looking_up >= LOOK_UP,
        ),
    ]
}

/// What a batch adds to upgrading one after the other, in processor time, and what it gains by the
/// clock.
fn batch() -> [Line; 2] {
    const INSTANCES: usize = 50_000;
    let documents = stored(&medium::workload().documents, 0);
    let requests: Vec<UpgradeRequest<'_>> = documents
        .iter()
        .cycle()
        .take(INSTANCES)
        .map(|json| UpgradeRequest::json("example_instance", 0, json))
        .collect();
    let registry = Registry::new().with::<medium::Instance>();
    let measure = |upgrade: &dyn Fn() -> Vec<UpgradeResponse>| {
        let (processor, clock) = (now_of_all_threads(), Instant::now());
        let responses = black_box(upgrade());
        let spent = [now_of_all_threads() - processor, clock.elapsed()];
        assert!(responses.iter().all(|response| response.state().is_some()));
        spent.map(|spent| spent.as_secs_f64() * 1e9 / INSTANCES as f64)
    };
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let rounds: Vec<[[f64; 2]; 2]> = (0..9)
        .map(|_| {
            let one_by_one = measure(&|| {
                requests
                    .iter()
                    .map(|request| registry.upgrade(request))
                    .collect()
            });
            [
                one_by_one,
                measure(&|| Batch::new().upgrade(&registry, &requests)),
            ]
        })
        .collect();
    let line = |name: &str, clock: usize, budget: Option<f64>| {
        let of = |which: usize| {
            quantile(
                rounds.iter().map(|round| round[which][clock]).collect(),
                0.5,
            )
        };
        let ratio = quantile(
            rounds
                .iter()
                .map(|[alone, batch]| batch[clock] / alone[clock])
                .collect(),
            0.5,
        );
        Line {
            name: format!(
                "medium: batch of {} on {cores} cores, beside a loop: {name}",
                grouped(INSTANCES as f64)
            ),
            measured: format!("{} ns", grouped(of(1))),
            beside: format!("{} ns", grouped(of(0))),
            ratio: Some(ratio),
            over: budget.map(|budget| ratio > budget),
        }
    };
    [
        line("processor time", 0, Some(BATCH_PROCESSOR)),
        line("by the clock", 1, (cores >= 2).then_some(BATCH_CLOCK)),
    ]
}

fn main() -> ExitCode {
    let small_steps: Upgrade = steps!(small::ThingV0 => small::Thing);
    let typed = Case::json("typed", stored(&small::workload().documents, 0), |json| {
        let thing: small::Thing = upstate::upgrade_json(0, json).expect("the document upgrades");
        upstate::to_json(&thing).expect("a model is JSON")
    });
    let mut lines = vec![
        engine(
            small::workload(),
            small_steps,
            "through the registry",
            Some(ENGINE),
        ),
        engine(
            Workload {
                upstate: typed,
                ..small::workload()
            },
            small_steps,
            "`upgrade_json` and `to_json`",
            None,
        ),
        engine(
            medium::workload(),
            steps!(medium::InstanceV0 => medium::InstanceV1 => medium::Instance),
            "through the registry",
            None,
        ),
        engine(
            large::workload(),
            steps!(large::PolicyV0 => large::PolicyV1 => large::Policy),
            "through the registry",
            None,
        ),
    ];
    lines.extend(registry());
    lines.extend(batch());
    let mut table = Table::new(["", "measured", "beside", "ratio", ""]);
    for line in &lines {
        let verdict = line
            .over
            .map_or("", |over| if over { "OVER" } else { "ok" });
        let ratio = line
            .ratio
            .map_or_else(String::new, |ratio| format!("{ratio:.3}"));
        table.row([
            line.name.clone(),
            line.measured.clone(),
            line.beside.clone(),
            ratio,
            verdict.to_owned(),
        ]);
    }
    table.print();
    println!(
        "\nThe budget of the engine is a ratio of {ENGINE} for the small resource. Medians of {ROUNDS} rounds."
    );
    ExitCode::from(u8::from(lines.iter().any(|line| line.over == Some(true))))
}
