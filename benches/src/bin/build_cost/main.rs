//! `cargo run --release -q -p upstate-benches --bin build_cost`: what does a model cost to compile?
//!
//! Generates the same models with upstate's derive (upgraders as conversions and as operators), with serde's derives, and with no derive at
//! all, each a crate with every upgrade in use. Counts the instructions of the compiler (valgrind) for 10 models and for ever longer
//! histories, and measures the processor time of `cargo check` and of a debug build for 200 models, each of that crate alone. Ends with
//! status 1 if upstate exceeds its budget against serde. `--models N`, `--versions N`, `--fields N` and `--rounds N` change the size of what
//! is measured in time.

mod cargo;
mod count;
mod generate;

use std::process::ExitCode;

use upstate_benches::measure::quantile;
use upstate_benches::table::Table;

use self::cargo::{Command, Crate};
use self::generate::{Derive, Size};

/// The most that compiling models may cost, against serde's derives on the same structs.
const BUDGET: f64 = 0.35;

/// The most that a lock may add to compiling models, as a ratio to compiling them without.
const LOCK_BUDGET: f64 = 1.02;

fn main() -> ExitCode {
    if let Some(code) = count::in_place_of_compiler() {
        return code;
    }
    let (size, rounds) = match arguments() {
        Ok(arguments) => arguments,
        Err(wrong) => {
            eprintln!("{wrong}\nusage: build_cost [--models N] [--versions N] [--fields N] [--rounds N]");
            return ExitCode::from(2);
        }
    };
    match measure(size, rounds) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("build_cost: {error}");
            ExitCode::from(2)
        }
    }
}

fn arguments() -> Result<(Size, usize), String> {
    let (mut size, mut rounds) = (Size { models: 200, versions: 3, fields: 12 }, 1);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().and_then(|value| value.parse().ok()).filter(|value| *value > 0);
        let value: usize = value.ok_or_else(|| format!("{name} needs a number above 0"))?;
        match name.as_str() {
            "--models" => size.models = value,
            "--versions" => size.versions = value,
            "--fields" => size.fields = value,
            "--rounds" => rounds = value,
            _ => return Err(format!("{name} is not known")),
        }
    }
    Ok((size, rounds))
}

/// Prints the tables and says whether the budgets hold.
fn measure(size: Size, rounds: usize) -> std::io::Result<bool> {
    let counted = if count::is_possible() {
        let within = instructions()?;
        println!();
        lengths()?;
        println!();
        within
    } else {
        println!("No instructions are counted: valgrind is missing (on Debian, `apt-get install valgrind`).\n");
        true
    };
    Ok(seconds(size, rounds)? && counted)
}

/// What is compared with serde: the derive, what its models are, and its budget.
const AGAINST_SERDE: [(Derive, &str); 2] = [(Derive::Upstate, "functions"), (Derive::Declared, "operators, prior structs")];

/// Instructions of one compiler, 10 models.
fn instructions() -> std::io::Result<bool> {
    let size = Size { models: 10, versions: 3, fields: 12 };
    println!(
        "{} models of {} versions with {} fields; millions of instructions of the compiler\n",
        size.models, size.versions, size.fields
    );
    let mut table = Table::new(["", "models", "here", "against", "no derive", "ratio", "budget", ""]);
    let mut within = true;
    for command in [Command::Check, Command::Build] {
        let count =
            |derive| Crate::create(derive, size).and_then(|created| created.prepare().and_then(|()| created.count(command)));
        let (serde, none) = (count(Derive::Serde)?, count(Derive::None)?);
        for (derive, what) in AGAINST_SERDE {
            let here = count(derive)?;
            let mut row = |what: &str, count: f64, against: f64, budget: f64| {
                let ratio = count / against;
                within &= ratio <= budget;
                table.row([
                    command.name().to_owned(),
                    what.to_owned(),
                    format!("{count:.0}"),
                    format!("{against:.0}"),
                    format!("{none:.0}"),
                    format!("{ratio:.3}"),
                    format!("{budget:.2}"),
                    if ratio <= budget { "ok" } else { "OVER" }.to_owned(),
                ]);
            };
            row(what, here, serde, BUDGET);
            if derive == Derive::Upstate {
                row("functions and a lock, against functions", count(Derive::Locked)?, here, LOCK_BUDGET);
            }
        }
    }
    table.print();
    Ok(within)
}

/// Whether a version costs the same however many there were before it.
fn lengths() -> std::io::Result<()> {
    println!("2 models of ever more versions; millions of instructions of `cargo check` for one version of one model\n");
    let mut table = Table::new(["versions", "functions", "operators, prior structs", "serde"]);
    for versions in [3, 10, 30] {
        let size = Size { models: 2, versions, fields: 12 };
        let count = |derive| {
            Crate::create(derive, size).and_then(|created| created.prepare().and_then(|()| created.count(Command::Check)))
        };
        let none = count(Derive::None)?;
        let each = |derive| count(derive).map(|all| format!("{:.1}", (all - none) / (size.models * versions) as f64));
        table.row([versions.to_string(), each(Derive::Upstate)?, each(Derive::Declared)?, each(Derive::Serde)?]);
    }
    table.print();
    Ok(())
}

/// Processor time of cargo and all it starts.
fn seconds(size: Size, rounds: usize) -> std::io::Result<bool> {
    let derives = [Derive::Upstate, Derive::Serde, Derive::None, Derive::Locked, Derive::Declared];
    let crates = derives.map(|derive| Crate::create(derive, size));
    let mut prepared = Vec::new();
    for created in crates {
        let created = created?;
        created.prepare()?;
        prepared.push(created);
    }
    println!(
        "{} models of {} versions with {} fields; seconds of processor time, medians of {rounds}\n",
        size.models, size.versions, size.fields
    );
    let mut table = Table::new(["", "upstate", "serde", "no derive", "ratio", "budget", "", "ratio beyond no derive"]);
    let mut locked = Table::new(["", "with a lock", "without", "ratio", "budget", ""]);
    let mut declared = Table::new(["", "operators", "serde", "ratio", "budget", ""]);
    let mut within = true;
    for command in [Command::Check, Command::Build] {
        let mut seconds = vec![Vec::new(); prepared.len()];
        for round in 0..rounds {
            for (index, prepared) in prepared.iter().enumerate() {
                seconds[index].push(prepared.compile(command, round)?);
            }
        }
        let median = |index: usize| quantile(seconds[index].clone(), 0.5);
        let per_round = seconds[0].iter().zip(&seconds[1]).map(|(upstate, serde)| upstate / serde).collect();
        let ratio = quantile(per_round, 0.5);
        within &= ratio <= BUDGET;
        table.row([
            command.name().to_owned(),
            format!("{:.2}", median(0)),
            format!("{:.2}", median(1)),
            format!("{:.2}", median(2)),
            format!("{ratio:.2}"),
            format!("{BUDGET:.2}"),
            if ratio <= BUDGET { "ok" } else { "OVER" }.to_owned(),
            format!("{:.2}", (median(0) - median(2)) / (median(1) - median(2))),
        ]);
        let per_round = seconds[3].iter().zip(&seconds[0]).map(|(with, without)| with / without).collect();
        let ratio = quantile(per_round, 0.5);
        within &= ratio <= LOCK_BUDGET;
        locked.row([
            command.name().to_owned(),
            format!("{:.2}", median(3)),
            format!("{:.2}", median(0)),
            format!("{ratio:.3}"),
            format!("{LOCK_BUDGET:.2}"),
            if ratio <= LOCK_BUDGET { "ok" } else { "OVER" }.to_owned(),
        ]);
        let per_round = seconds[4].iter().zip(&seconds[1]).map(|(declared, serde)| declared / serde).collect();
        let ratio = quantile(per_round, 0.5);
        within &= ratio <= BUDGET;
        declared.row([
            command.name().to_owned(),
            format!("{:.2}", median(4)),
            format!("{:.2}", median(1)),
            format!("{ratio:.2}"),
            format!("{BUDGET:.2}"),
            if ratio <= BUDGET { "ok" } else { "OVER" }.to_owned(),
        ]);
    }
    table.print();
    println!();
    declared.print();
    println!();
    locked.print();
    Ok(within)
}
