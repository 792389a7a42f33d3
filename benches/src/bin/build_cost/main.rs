//! `cargo run --release -q -p upstate-benches --bin build_cost`: what does a model cost to compile?
//!
//! Generates the same models with upstate's derive (edges as conversions and as operators), with serde's derives, and with no derive at all, each a crate with every upgrade
//! in use, and measures the processor time of `cargo check` and of a debug build of that crate alone. Ends with status 1 if
//! upstate exceeds its budget against serde. `--models N`, `--versions N`, `--fields N` and `--rounds N` change the size.

mod cargo;
mod generate;

use std::process::ExitCode;

use upstate_benches::measure::quantile;
use upstate_benches::table::Table;

use self::cargo::{Command, Crate};
use self::generate::{Derive, Size};

/// The most that compiling models may cost, against serde's derives on the same structs.
const BUDGET: f64 = 0.5;

/// The most that a lock may add to compiling models, as a ratio to compiling them without.
const LOCK_BUDGET: f64 = 1.05;

fn main() -> ExitCode {
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
    let (mut size, mut rounds) = (Size { models: 200, versions: 3, fields: 12 }, 3);
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

/// Prints the table and says whether the budget holds.
fn measure(size: Size, rounds: usize) -> std::io::Result<bool> {
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
