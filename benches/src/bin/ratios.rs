//! `cargo run --release -q -p upstate-benches --bin ratios`: does upstate keep its budgets on run
//! time?
//!
//! Every upgrade is compared with the same one written by hand, in the same run, after all answers
//! have been found right. Ends with status 1 if a budget is exceeded. `--format json` prints one
//! object a row instead of the table. `--chart FILE` also draws the upgrades of JSON as SVG, as the
//! guide shows them.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use upstate_benches::allocations::{Allocations, Counting};
use upstate_benches::case::Case;
use upstate_benches::chart::{Bar, Group, bars};
use upstate_benches::measure::{Timing, interleaved};
use upstate_benches::table::{Table, grouped};
use upstate_benches::workloads::{Declared, Workload};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const ROUNDS: usize = 41;
const SLICE: Duration = Duration::from_millis(6);

/// The most that upgrades of one workload may cost, against the same written by hand.
struct Budgets {
    /// Upgraders that are functions.
    typed: f64,
    /// Upgraders written with operators, by name of the type through the registry.
    operators: f64,
    /// That, prepared, into a buffer of the caller's.
    prepared: f64,
    /// Reading a model of the current version, against serde_json.
    decode: f64,
}

/// The budgets of the three sizes; other workloads have none.
///
/// Not all are kept: `docs/src/benchmarks.md` says by how much, and why.
fn budgets(workload: &str) -> Option<Budgets> {
    let [typed, operators, prepared] = match workload {
        "small" => [0.75, 0.45, 0.32],
        "medium" => [0.55, 0.20, 0.17],
        "large" => [0.60, 0.25, 0.20],
        _ => return None,
    };
    Some(Budgets {
        typed,
        operators,
        prepared,
        decode: 0.55,
    })
}

/// One case beside its baseline.
struct Row {
    name: String,
    ours: Timing,
    baseline: Timing,
    budget: Option<f64>,
    allocations: Allocations,
    baseline_allocations: Allocations,
}

impl Row {
    fn ratio(&self) -> f64 {
        self.ours.ratio_to(&self.baseline)
    }

    fn verdict(&self) -> &'static str {
        match self.budget {
            None => "",
            Some(budget) if self.ratio() <= budget => "ok",
            Some(_) => "OVER",
        }
    }

    fn json(&self) -> String {
        json!({
            "name": self.name,
            "ns": self.ours.nanoseconds(),
            "baseline_ns": self.baseline.nanoseconds(),
            "ratio": self.ratio(),
            "budget": self.budget,
            "allocations": self.allocations.count,
            "baseline_allocations": self.baseline_allocations.count,
            "bytes": self.allocations.bytes,
            "baseline_bytes": self.baseline_allocations.bytes,
        })
        .to_string()
    }
}

/// All rows of one workload.
fn rows(workload: Workload) -> Vec<Row> {
    workload.check();
    let size = workload.name;
    let budgets = budgets(size);
    let budget = |of: fn(&Budgets) -> f64| budgets.as_ref().map(of);
    let Declared {
        json: by_operators,
        msgpack: by_operators_msgpack,
        prepared,
    } = workload.declared;
    let mut cases = vec![
        workload.by_hand,
        workload.by_hand_msgpack,
        workload.decode_by_hand,
        workload.upstate,
        workload.upstate_msgpack,
        workload.decode,
        by_operators,
        prepared,
        by_operators_msgpack,
    ];
    let [by_hand, by_hand_msgpack, by_hand_decode] = [0, 1, 2];
    // A row is a case, its baseline and the budget.
    let mut plan = vec![
        (
            format!("{size}: upgrade by functions, JSON to JSON"),
            3,
            by_hand,
            budget(|budgets| budgets.typed),
        ),
        (
            format!("{size}: upgrade by functions, JSON to MessagePack"),
            4,
            by_hand_msgpack,
            budget(|budgets| budgets.typed),
        ),
        (
            format!("{size}: read the current version"),
            5,
            by_hand_decode,
            budget(|budgets| budgets.decode),
        ),
        (
            format!("{size}: upgrade by operators, JSON to JSON"),
            6,
            by_hand,
            budget(|budgets| budgets.operators),
        ),
        (
            format!("{size}: the same prepared, into a buffer"),
            7,
            by_hand,
            budget(|budgets| budgets.prepared),
        ),
        (
            format!("{size}: upgrade by operators, JSON to MessagePack"),
            8,
            by_hand_msgpack,
            None,
        ),
    ];
    for peer in workload.peers {
        plan.push((format!("{size}: {}", peer.name), cases.len(), by_hand, None));
        cases.push(peer);
    }
    let timings = interleaved(&cases, ROUNDS, SLICE);
    let allocations: Vec<Allocations> = cases.iter().map(allocations).collect();
    plan.into_iter()
        .map(|(name, case, baseline, budget)| Row {
            name,
            ours: timings[case].clone(),
            baseline: timings[baseline].clone(),
            budget,
            allocations: allocations[case],
            baseline_allocations: allocations[baseline],
        })
        .collect()
}

fn allocations(case: &Case) -> Allocations {
    Counting::during(case.inputs(), || case.run(case.inputs()))
}

fn print_table(rows: &[Row]) {
    let mut table = Table::new([
        "",
        "ns",
        "baseline ns",
        "ratio",
        "budget",
        "",
        "allocations",
        "baseline's",
    ]);
    for row in rows {
        table.row([
            row.name.clone(),
            grouped(row.ours.nanoseconds()),
            grouped(row.baseline.nanoseconds()),
            format!("{:.2}", row.ratio()),
            row.budget
                .map_or_else(String::new, |budget| format!("{budget:.2}")),
            row.verdict().to_owned(),
            grouped(row.allocations.count),
            grouped(row.baseline_allocations.count),
        ]);
    }
    table.print();
    println!(
        "\nUpgrades go from version 0 to 2. The baseline is written by hand: serde_json::from_slice, a conversion, and"
    );
    println!(
        "serde_json::to_vec or rmp_serde::to_vec_named. Ratios are medians of {ROUNDS} interleaved rounds of processor time."
    );
}

/// The upgrades of JSON to JSON, each beside its peers.
fn drawn(rows: &[Row]) -> String {
    const OURS: [(&str, &str); 3] = [
        (
            "the same prepared, into a buffer",
            "upstate, operators, prepared",
        ),
        ("upgrade by operators, JSON to JSON", "upstate, operators"),
        ("upgrade by functions, JSON to JSON", "upstate, functions"),
    ];
    const OTHERS: [(&str, &str); 4] = [
        ("obake", "obake, version matched by hand"),
        ("version-migrate", "version-migrate"),
        ("magic_migrate", "magic_migrate, newest struct first"),
        ("serde_json::Value", "serde_json::Value, edited"),
    ];
    let group = |size: &str, bytes: &str| {
        let bar = |(row, name): &(&str, &str), ours| {
            let found = rows
                .iter()
                .find(|known| known.name == format!("{size}: {row}"))?;
            Some(Bar {
                name: (*name).to_owned(),
                value: found.ratio(),
                ours,
            })
        };
        let by_hand = Bar {
            name: "by hand, serde_json".to_owned(),
            value: 1.0,
            ours: false,
        };
        let ours = OURS.iter().filter_map(|row| bar(row, true));
        Group {
            name: format!("{size}: {bytes}"),
            bars: ours
                .chain([by_hand])
                .chain(OTHERS.iter().filter_map(|row| bar(row, false)))
                .collect(),
        }
    };
    let size = |name: &str| {
        let bytes = Workload::all()
            .into_iter()
            .find(|workload| workload.name == name)
            .map_or(0, |workload| workload.by_hand.mean_bytes());
        group(name, &format!("{} bytes of JSON", grouped(bytes as f64)))
    };
    let notes = [
        "Processor time of one upgrade from version 0 to 2, beside the same written by hand with serde_json. Shorter is faster."
            .to_owned(),
        format!(
            "Medians of {ROUNDS} interleaved rounds in one run: cargo run --release -p upstate-benches --bin ratios -- --chart FILE"
        ),
    ];
    bars(
        "One upgrade, beside its peers",
        &["small", "medium", "large"].map(size),
        &notes,
    )
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (as_json, chart) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] | ["--format", "table"] => (false, None),
        ["--format", "json"] => (true, None),
        ["--chart", file] => (false, Some(file)),
        _ => {
            eprintln!("usage: ratios [--format table|json | --chart FILE]");
            return ExitCode::from(2);
        }
    };
    let rows: Vec<Row> = Workload::all().into_iter().flat_map(rows).collect();
    if as_json {
        rows.iter().for_each(|row| println!("{}", row.json()));
    } else {
        print_table(&rows);
    }
    if let Some(file) = chart
        && let Err(error) = std::fs::write(file, drawn(&rows))
    {
        eprintln!("{file}: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::from(u8::from(rows.iter().any(|row| row.verdict() == "OVER")))
}
