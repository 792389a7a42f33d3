//! `cargo run --release -q -p upstate-benches --bin build_cost`: what does a model cost to compile?
//!
//! Generates the same models with upstate's derive (upgraders as conversions, as operators between
//! structs, and as differences), with serde's derives, and with no derive at all, each a crate with
//! every upgrade in use. Counts the instructions of the compiler (valgrind) for 10 models and for
//! ever longer histories, and measures the processor time of `cargo check`, of a debug build, and
//! of an incremental check after one change for 200 models, each of that crate alone. Ends with
//! status 1 if a budget is exceeded. `--models N`, `--versions N`, `--fields N` and `--rounds N`
//! change the size of what is measured in time. `--count NAME` counts one kind of model alone,
//! `--count lengths` the histories. `--ratios` counts every kind and compares with
//! `benches/build-ratios.json`; `--ratios --record` writes that file.

mod cargo;
mod count;
mod generate;
mod ratios;

use std::process::ExitCode;

use upstate_benches::measure::quantile;
use upstate_benches::table::Table;

use self::cargo::{Command, Crate};
use self::generate::{Derive, Size};

/// What is measured against what, and the most that it may cost: the derive, what its models are,
/// what it is compared with, the budgets of `cargo check` and of a debug build.
const COMPARISONS: [(Derive, &str, Derive, [f64; 2]); 5] = [
    (
        Derive::Upstate,
        "functions, against serde",
        Derive::Serde,
        [0.27, 0.27],
    ),
    (
        Derive::Declared,
        "operators with prior structs, against serde",
        Derive::Serde,
        [0.31, 0.25],
    ),
    (
        Derive::Differences,
        "differences, against serde",
        Derive::Serde,
        [0.18, 0.15],
    ),
    (
        Derive::Locked,
        "functions with a lock, against without",
        Derive::Upstate,
        [1.02, 1.02],
    ),
    (
        Derive::LockedDifferences,
        "differences with a lock, against without",
        Derive::Differences,
        [1.02, 1.02],
    ),
];

/// The most that an incremental check after one change may cost, against serde's derives.
const INCREMENTAL_BUDGET: f64 = 0.4;

fn main() -> ExitCode {
    if let Some(code) = count::in_place_of_compiler() {
        return code;
    }
    if std::env::args().nth(1).as_deref() == Some("--ratios") {
        if !count::is_possible() {
            return failed(std::io::Error::other(MISSING));
        }
        let record = std::env::args().nth(2).as_deref() == Some("--record");
        return match all_counted(COUNTED, Command::Check)
            .and_then(|counts| ratios::compare(&counts, record))
        {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => failed(error),
        };
    }
    if let Some(name) = std::env::args()
        .skip_while(|argument| argument != "--count")
        .nth(1)
    {
        return count_one(&name);
    }
    let (size, rounds) = match arguments() {
        Ok(arguments) => arguments,
        Err(wrong) => {
            eprintln!(
                "{wrong}\nusage: build_cost [--models N] [--versions N] [--fields N] [--rounds N]"
            );
            return ExitCode::from(2);
        }
    };
    match measure(size, rounds) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => failed(error),
    }
}

const MISSING: &str = "valgrind is missing (on Debian, `apt-get install valgrind`)";

fn failed(error: std::io::Error) -> ExitCode {
    eprintln!("build_cost: {error}");
    ExitCode::from(2)
}

/// Counts one derive alone, or `lengths`.
fn count_one(name: &str) -> ExitCode {
    if name == "lengths" {
        return lengths().map_or_else(failed, |()| ExitCode::SUCCESS);
    }
    let Some(derive) = DERIVES.iter().find(|derive| derive.name() == name) else {
        let names: Vec<_> = DERIVES.iter().map(|derive| derive.name()).collect();
        eprintln!(
            "build_cost: {name} is not among lengths, {}",
            names.join(", ")
        );
        return ExitCode::from(2);
    };
    match counted(&[*derive], COUNTED, Command::Check) {
        Ok(counts) => {
            println!(
                "{name}: {:.1} million instructions of `cargo check`",
                counts[0].1
            );
            ExitCode::SUCCESS
        }
        Err(error) => failed(error),
    }
}

fn arguments() -> Result<(Size, usize), String> {
    let (mut size, mut rounds) = (
        Size {
            models: 200,
            versions: 3,
            fields: 12,
        },
        1,
    );
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments
            .next()
            .and_then(|value| value.parse().ok())
            .filter(|value| *value > 0);
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
        println!("No instructions are counted: {MISSING}.\n");
        true
    };
    Ok(seconds(size, rounds)? && counted)
}

/// What is compiled where instructions are counted.
const COUNTED: Size = Size {
    models: 10,
    versions: 3,
    fields: 12,
};

/// Every way of compiling the models, each once.
const DERIVES: [Derive; 7] = [
    Derive::Serde,
    Derive::None,
    Derive::Upstate,
    Derive::Locked,
    Derive::Declared,
    Derive::Differences,
    Derive::LockedDifferences,
];

/// A row for each comparison of what was measured, by derive; whether all budgets hold.
fn compare(table: &mut Table, command: Command, measured: &[(Derive, f64)]) -> bool {
    let of = |wanted: Derive| {
        measured
            .iter()
            .find(|(derive, _)| *derive == wanted)
            .map(|(_, cost)| *cost)
    };
    let none = of(Derive::None).unwrap_or_default();
    let mut within = true;
    for (derive, models, other, [check, build]) in COMPARISONS {
        let budget = match command {
            Command::Check => check,
            Command::Build => build,
        };
        let (Some(here), Some(against)) = (of(derive), of(other)) else {
            continue;
        };
        let ratio = here / against;
        within &= ratio <= budget;
        table.row([
            command.name().to_owned(),
            models.to_owned(),
            format!("{here:.1}"),
            format!("{against:.1}"),
            format!("{none:.1}"),
            format!("{ratio:.3}"),
            format!("{budget:.2}"),
            if ratio <= budget { "ok" } else { "OVER" }.to_owned(),
        ]);
    }
    within
}

fn comparisons() -> Table {
    Table::new([
        "",
        "models",
        "here",
        "against",
        "no derive",
        "ratio",
        "budget",
        "",
    ])
}

/// Counts one derive after the other.
fn counted(
    derives: &[Derive],
    size: Size,
    command: Command,
) -> std::io::Result<Vec<(Derive, f64)>> {
    let count = |derive: &Derive| {
        let created = Crate::create(*derive, size)?;
        created.prepare()?;
        Ok((*derive, created.count(command)?))
    };
    derives.iter().map(count).collect()
}

/// Counts every derive.
fn all_counted(size: Size, command: Command) -> std::io::Result<Vec<(Derive, f64)>> {
    // A count does not depend on what else runs, and serde's takes as long as all others.
    let (serde, others) = std::thread::scope(|scope| {
        let serde = scope.spawn(|| counted(&DERIVES[..1], size, command));
        let others = counted(&DERIVES[1..], size, command);
        (serde.join(), others)
    });
    let mut all = serde.expect("the thread that counts does not panic")?;
    all.extend(others?);
    Ok(all)
}

/// Instructions of one compiler, 10 models.
fn instructions() -> std::io::Result<bool> {
    let size = COUNTED;
    println!(
        "{} models of {} versions with {} fields; millions of instructions of the compiler\n",
        size.models, size.versions, size.fields
    );
    let mut table = comparisons();
    let mut within = true;
    for command in [Command::Check, Command::Build] {
        let all = all_counted(size, command)?;
        within &= compare(&mut table, command, &all);
    }
    table.print();
    Ok(within)
}

/// Whether a version costs the same however many there were before it.
fn lengths() -> std::io::Result<()> {
    println!(
        "2 models of ever more versions; millions of instructions of `cargo check` for one version of one model\n"
    );
    let mut table = Table::new([
        "versions",
        "functions",
        "operators with prior structs",
        "differences",
    ]);
    for versions in [3, 10, 30] {
        let size = Size {
            models: 2,
            versions,
            fields: 12,
        };
        let derives = [
            Derive::None,
            Derive::Upstate,
            Derive::Declared,
            Derive::Differences,
        ];
        let counts = counted(&derives, size, Command::Check)?;
        let none = counts[0].1;
        let each = |count: f64| format!("{:.1}", (count - none) / (size.models * versions) as f64);
        table.row([
            versions.to_string(),
            each(counts[1].1),
            each(counts[2].1),
            each(counts[3].1),
        ]);
    }
    table.print();
    Ok(())
}

/// Processor time of cargo and all it starts.
fn seconds(size: Size, rounds: usize) -> std::io::Result<bool> {
    let mut prepared = Vec::new();
    for derive in DERIVES {
        let created = Crate::create(derive, size)?;
        created.prepare()?;
        prepared.push((derive, created));
    }
    println!(
        "{} models of {} versions with {} fields; seconds of processor time, medians of {rounds}\n",
        size.models, size.versions, size.fields
    );
    let mut table = comparisons();
    let mut within = true;
    for command in [Command::Check, Command::Build] {
        let all = medians(&prepared, rounds, |created, round| {
            created.compile(command, round)
        })?;
        within &= compare(&mut table, command, &all);
    }
    table.print();

    println!("\n`cargo check` again after one field got another type\n");
    let derives = [Derive::Serde, Derive::Upstate, Derive::Differences];
    prepared.retain(|(derive, _)| derives.contains(derive));
    let all = medians(&prepared, rounds, Crate::check_again)?;
    let mut table = Table::new(["models", "here", "serde", "ratio", "budget", ""]);
    let serde = all[0].1;
    for ((_, here), models) in all[1..].iter().zip(["functions", "differences"]) {
        let ratio = here / serde;
        within &= ratio <= INCREMENTAL_BUDGET;
        table.row([
            models.to_owned(),
            format!("{here:.1}"),
            format!("{serde:.1}"),
            format!("{ratio:.3}"),
            format!("{INCREMENTAL_BUDGET:.2}"),
            if ratio <= INCREMENTAL_BUDGET {
                "ok"
            } else {
                "OVER"
            }
            .to_owned(),
        ]);
    }
    table.print();
    Ok(within)
}

/// What each crate costs, the median of some rounds in which all take turns.
fn medians(
    crates: &[(Derive, Crate)],
    rounds: usize,
    cost: impl Fn(&Crate, usize) -> std::io::Result<f64>,
) -> std::io::Result<Vec<(Derive, f64)>> {
    let mut costs = vec![Vec::new(); crates.len()];
    for round in 0..rounds {
        for ((_, created), costs) in crates.iter().zip(&mut costs) {
            costs.push(cost(created, round)?);
        }
    }
    Ok(crates
        .iter()
        .zip(costs)
        .map(|((derive, _), costs)| (*derive, quantile(costs, 0.5)))
        .collect())
}
