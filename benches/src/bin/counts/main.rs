//! `cargo run --release -q -p upstate-benches --no-default-features --bin counts`: has anything
//! become slower?
//!
//! Counts the instructions of some upgrades with Valgrind and compares them with
//! `benches/counts.json`. Instructions are the same in every run, however busy the machine is; but
//! another compiler, C library or Valgrind counts otherwise, so the record says which they were.
//! With the same ones, a count more than 5 % above the record ends the program with status 1. With
//! others, each count is divided by that of the same upgrade written by hand, and the quotient may
//! be 10 % above the recorded one.
//!
//! What is slower for a good reason is recorded in the same commit: `-- --record`.

mod record;
mod valgrind;

use std::path::Path;
use std::process::ExitCode;

use upstate_benches::case::Case;
use upstate_benches::table::{Table, grouped};
use upstate_benches::workloads::settings::CONTENDERS;
use upstate_benches::workloads::{Declared, Workload, documents, state_file};

use self::record::{Machine, Record};

/// How much more than recorded is too much, in instructions of the same machine and in quotients on
/// another.
const MORE: f64 = 1.05;
const MORE_ELSEWHERE: f64 = 1.10;

/// What is counted, and beside what.
struct Counted {
    name: String,
    case: Case,
    /// How many operations one run of the case is.
    operations: usize,
    /// The name of what it is compared with on another machine.
    baseline: Option<String>,
}

/// Everything that is counted.
fn all() -> Vec<Counted> {
    let mut counted = Vec::new();
    for workload in Workload::all() {
        let size = workload.name;
        let by_hand = format!("{size}: by hand");
        let mut add = |what: &str, case: Case, baseline: Option<&str>| {
            let operations = case.inputs();
            counted.push(Counted {
                name: format!("{size}: {what}"),
                case,
                operations,
                baseline: baseline.map(str::to_owned),
            });
        };
        let Declared {
            json,
            msgpack,
            prepared,
        } = workload.declared;
        add("by hand", workload.by_hand, None);
        add("by operators", json, Some(&by_hand));
        match size {
            "small" => {
                add("by functions", workload.upstate, Some(&by_hand));
                add("by operators, prepared", prepared, Some(&by_hand));
                add("by operators, to MessagePack", msgpack, Some(&by_hand));
                add("the current version read", workload.decode, Some(&by_hand));
            }
            "medium" => {
                add("by functions", workload.upstate, Some(&by_hand));
                add("the current version read", workload.decode, Some(&by_hand));
            }
            "large" => add("by functions", workload.upstate, Some(&by_hand)),
            _ => {}
        }
    }
    let operations = state_file::instances();
    for case in state_file::cases() {
        let (name, baseline) = (
            format!("state file: an instance by {}", case.name),
            Some("medium: by hand".to_owned()),
        );
        counted.push(Counted {
            name,
            case,
            operations,
            baseline,
        });
    }
    // A document is beside the case before it.
    let mut cases = documents::cases().into_iter();
    while let (Some(without), Some(case)) = (cases.next(), cases.next()) {
        let [before, name] = [&without, &case].map(|case| format!("document: {}", case.name));
        counted.push(Counted {
            name: before.clone(),
            operations: without.inputs(),
            case: without,
            baseline: None,
        });
        counted.push(Counted {
            name,
            operations: case.inputs(),
            case,
            baseline: Some(before),
        });
    }
    let [by_hand, upstate] = [0, 1].map(|place: usize| CONTENDERS[place].case());
    let before = "document with an enum: by hand";
    counted.push(Counted {
        name: before.to_owned(),
        operations: by_hand.inputs(),
        case: by_hand,
        baseline: None,
    });
    let name = "document with an enum: upgraded".to_owned();
    counted.push(Counted {
        name,
        operations: upstate.inputs(),
        case: upstate,
        baseline: Some(before.to_owned()),
    });
    counted
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let record = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--record"] => true,
        // This program, run by itself under Valgrind.
        ["--run"] => {
            for Counted { case, .. } in all() {
                // What is worked out once is.
                case.run(case.inputs().min(8));
                case.counted();
            }
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("usage: counts [--record]");
            return ExitCode::from(2);
        }
    };
    match compare(record) {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("instructions could not be counted: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn compare(record: bool) -> Result<ExitCode, String> {
    if cfg!(not(all(target_os = "linux", target_arch = "x86_64"))) {
        println!("Instructions are counted on Linux on x86-64 only; nothing was compared.");
        return Ok(ExitCode::SUCCESS);
    }
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("counts.json");
    let valgrind = valgrind::find()?;
    let machine = Machine::here(&valgrind)?;
    let counted = all();
    let totals = valgrind.count(counted.len())?;
    let counts: Vec<f64> = counted
        .iter()
        .zip(totals)
        .map(|(counted, total)| total / counted.operations as f64)
        .collect();
    let names = counted.iter().map(|counted| counted.name.clone());
    let now = Record {
        machine,
        counts: names
            .zip(counts.iter().map(|count| count.round()))
            .collect(),
    };
    if record {
        now.write(&place)?;
        println!(
            "{} counts are recorded in {}",
            counts.len(),
            place.display()
        );
        return Ok(ExitCode::SUCCESS);
    }
    let before = Record::read(&place)?;
    let same = before.machine == now.machine;
    let most = if same { MORE } else { MORE_ELSEWHERE };
    let mut table = Table::new(["", "instructions", "recorded", "change", ""]);
    let mut over = false;
    for (Counted { name, baseline, .. }, count) in counted.iter().zip(&counts) {
        let beside = |record: &Record| match baseline {
            Some(baseline) if !same => record.counts.get(baseline).copied(),
            _ => Some(1.0),
        };
        let recorded = before.counts.get(name).copied();
        let change = recorded
            .and_then(|recorded| Some(count / beside(&now)? / (recorded / beside(&before)?)));
        // What is written by hand is not upstate's work.
        let judged = change.filter(|_| baseline.is_some());
        over |= judged.is_none_or(|change| change > most) && baseline.is_some();
        let verdict = match judged {
            Some(change) if change > most => "MORE",
            Some(change) if change < 1.0 / most => "less: record it",
            None if baseline.is_some() => "NOT RECORDED",
            _ => "",
        };
        let percent = change.map_or_else(String::new, |change| {
            format!("{:+.1} %", (change - 1.0) * 100.0)
        });
        table.row([
            name.clone(),
            grouped(*count),
            recorded.map_or_else(String::new, grouped),
            percent,
            verdict.to_owned(),
        ]);
    }
    table.print();
    if !same {
        println!(
            "\nThe record was made with {}.\nThis is {}.",
            before.machine, now.machine
        );
        println!(
            "So the changes are those of the quotients with the same upgrade written by hand, and up to 10 % is let pass."
        );
    }
    if over {
        println!(
            "\nMore instructions than recorded. If that is meant, record it in the same commit:"
        );
        println!(
            "cargo run --release -q -p upstate-benches --no-default-features --bin counts -- --record"
        );
    }
    Ok(ExitCode::from(u8::from(over)))
}
