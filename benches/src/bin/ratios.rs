//! `cargo run --release -q -p upstate-benches --bin ratios`: does upstate keep its budgets on run time?
//!
//! Every upgrade is compared with the same one written by hand, in the same run, after all answers have been found right.
//! Ends with status 1 if a budget is exceeded. `--format json` prints one object a row instead of the table.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use upstate_benches::allocations::{Allocations, Counting};
use upstate_benches::case::Case;
use upstate_benches::measure::{Timing, interleaved};
use upstate_benches::table::{Table, grouped};
use upstate_benches::workloads::Workload;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const ROUNDS: usize = 41;
const SLICE: Duration = Duration::from_millis(6);

/// The most an upgrade with typed upgraders may cost, against the same written by hand.
const TYPED_UPGRADER: f64 = 0.9;
/// The most the same may cost with declarative upgraders.
const DECLARED_UPGRADER: f64 = 0.3;
/// The most reading a model of the current version may cost, against serde_json.
const DECODE: f64 = 1.0;

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
    let mut cases = vec![
        workload.upstate,
        workload.by_hand,
        workload.upstate_msgpack,
        workload.by_hand_msgpack,
        workload.decode,
        workload.decode_by_hand,
    ];
    let [json, json_by_hand, msgpack, msgpack_by_hand, decode, decode_by_hand] = [0, 1, 2, 3, 4, 5];
    // A row is a case, its baseline and the budget.
    let mut plan = vec![
        (format!("{size}: upgrade, JSON to JSON"), json, json_by_hand, Some(TYPED_UPGRADER)),
        (format!("{size}: upgrade, JSON to MessagePack"), msgpack, msgpack_by_hand, Some(TYPED_UPGRADER)),
        (format!("{size}: read the current version"), decode, decode_by_hand, Some(DECODE)),
    ];
    if let Some(declared) = workload.declared {
        plan.push((format!("{size}: upgrade by operators, JSON to JSON"), cases.len(), json_by_hand, Some(DECLARED_UPGRADER)));
        cases.push(declared);
    }
    for peer in workload.peers {
        plan.push((format!("{size}: {}", peer.name), cases.len(), json_by_hand, None));
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
    let mut table = Table::new(["", "ns", "baseline ns", "ratio", "budget", "", "allocations", "baseline's"]);
    for row in rows {
        table.row([
            row.name.clone(),
            grouped(row.ours.nanoseconds()),
            grouped(row.baseline.nanoseconds()),
            format!("{:.2}", row.ratio()),
            row.budget.map_or_else(String::new, |budget| format!("{budget:.2}")),
            row.verdict().to_owned(),
            grouped(row.allocations.count),
            grouped(row.baseline_allocations.count),
        ]);
    }
    table.print();
    println!("\nUpgrades go from version 0 to 2. The baseline is written by hand: serde_json::from_slice, a conversion, and");
    println!(
        "serde_json::to_vec or rmp_serde::to_vec_named. Ratios are medians of {ROUNDS} interleaved rounds of processor time."
    );
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let as_json = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] | ["--format", "table"] => false,
        ["--format", "json"] => true,
        _ => {
            eprintln!("usage: ratios [--format table|json]");
            return ExitCode::from(2);
        }
    };
    let rows: Vec<Row> = Workload::all().into_iter().flat_map(rows).collect();
    if as_json {
        rows.iter().for_each(|row| println!("{}", row.json()));
    } else {
        print_table(&rows);
    }
    ExitCode::from(u8::from(rows.iter().any(|row| row.verdict() == "OVER")))
}
