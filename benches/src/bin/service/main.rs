//! `cargo run --release -q -p upstate-benches --bin service`: what the State Versions service costs
//! on top of its store.
//!
//! Creates versions, uploads their bytes and reads them back: 1, 8 and 64 clients with states of 20
//! KB, 200 KB and 2 MB, each in a workspace of its own, over HTTP from a process of its own. Beside
//! it, in the same run and on a store of the same kind, as many threads do the same transactions by
//! calling the store: no HTTP, no JSON, no digests. A ratio is the median over the rounds of the
//! ratio within a round. Then the list of a workspace with 10 000 versions, page by page. Ends with
//! status 1 if a budget is exceeded.
//!
//! `--workspaces N` measures nothing of that, but what lists, search, plans and a job take over N
//! workspaces with 20 versions each, on SQLite and, with `--database-url URL` of an empty database,
//! on PostgreSQL as well. It ends with status 1 if memory is not flat.
//!
//! A row is printed as soon as it is measured; standard error says what is measured just now.
//! `--kilobytes N` and `--clients N` measure one row of the table, for a profile of it.
//! `--rounds N` takes another number of rounds (3), `--seconds S` lets each measurement take about
//! that long (1), `--versions N` makes a list of another length. The stores are made under the
//! temporary directory, which `TMPDIR` names: what a commit takes is what its disk takes.

mod bare;
mod list;
mod many;
mod process;
mod remote;
mod states;

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use upstate::Registry;
use upstate_benches::measure::quantile;
use upstate_benches::table::{Live, grouped};

use bare::Bare;
use process::Process;
use states::States;

/// The share of the bare store's versions a second that the service reaches with 1 and with 8
/// clients.
const THROUGHPUT: f64 = 0.7;
/// How much longer the last page of the list may take than the first.
const LAST_PAGE: f64 = 2.0;

const HELP: &str = "\
Measures what the State Versions service costs on top of its store.

  --rounds N          measure N times (3)
  --seconds S         let each measurement take about S seconds (1)
  --kilobytes N       measure states of this size alone (20, 200 or 2000)
  --clients N         measure this number of clients alone (1, 8 or 64)
  --versions N        make a list of N versions (10000)
  --workspaces N      measure lists, search, plans and a job over N workspaces instead
  --database-url URL  and do that on an empty PostgreSQL database, too";

const SIZES: [usize; 3] = [20_000, 200_000, 2_000_000];
const CLIENTS: [usize; 3] = [1, 8, 64];

/// What one measurement gave: how long all of it took, and each cycle.
struct Measured {
    took: Duration,
    cycles: Vec<Duration>,
}

impl Measured {
    fn a_second(&self) -> f64 {
        self.cycles.len() as f64 / self.took.as_secs_f64()
    }

    fn milliseconds(&self, at: f64) -> f64 {
        quantile(
            self.cycles
                .iter()
                .map(|cycle| cycle.as_secs_f64() * 1e3)
                .collect(),
            at,
        )
    }
}

fn option(name: &str, otherwise: f64) -> f64 {
    let mut arguments = env::args().skip_while(|argument| argument != name);
    arguments.nth(1).map_or(otherwise, |value| {
        value
            .parse()
            .unwrap_or_else(|_| panic!("{name} {value} is not a number"))
    })
}

fn main() -> ExitCode {
    // The service that is measured is this program once more.
    if env::args().nth(1).as_deref() == Some("serve") {
        return upstate_server::main(Registry::new().with::<many::Server>());
    }
    // A measurement takes minutes, so what is not known does not begin one.
    let known = [
        "--rounds",
        "--seconds",
        "--kilobytes",
        "--clients",
        "--versions",
        "--workspaces",
        "--database-url",
    ];
    if let Some(other) = env::args()
        .skip(1)
        .step_by(2)
        .find(|argument| !known.contains(&argument.as_str()))
    {
        println!("{HELP}");
        return if matches!(other.as_str(), "--help" | "-h") {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(2)
        };
    }
    if env::args().any(|argument| argument == "--workspaces") {
        let database = env::args()
            .skip_while(|argument| argument != "--database-url")
            .nth(1);
        let flat = many::measure(
            option("--workspaces", 10_000.0) as usize,
            database.as_deref(),
        );
        return if flat {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    let rounds = option("--rounds", 3.0) as usize;
    let seconds = option("--seconds", 1.0);
    let versions = option("--versions", 10_000.0) as usize;
    let kept = throughput(rounds, Duration::from_secs_f64(seconds));
    let constant = list::measure(versions, LAST_PAGE);
    if kept && constant {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The ratios; whether the budget is kept.
fn throughput(rounds: usize, slice: Duration) -> bool {
    let heading = [
        "state, clients",
        "bare/s",
        "service/s",
        "ratio",
        "p50 ms",
        "p99 ms",
        "bare p50",
        "bare p99",
        "peak MiB",
    ];
    let table = Live::new(heading, "2000 KB, 64".len());
    let mut kept = true;
    let chosen = |name: &str, value: usize| option(name, value as f64) as usize == value;
    for size in SIZES {
        if !chosen("--kilobytes", size / 1000) {
            continue;
        }
        let states = States::new(size);
        for clients in CLIENTS {
            if !chosen("--clients", clients) {
                continue;
            }
            eprintln!("{} KB, {clients} clients …", size / 1000);
            let bare = Bare::new(clients);
            let process = Process::start();
            let remote = remote::Clients::new(&process, clients);
            // As many as fill the slice, found on the way to a warm store.
            let each = fitting(|each| bare.run(&states, each), slice);
            fitting(|each| remote.run(&states, each), slice / 4);
            process.forget_peak();
            let mut pairs = Vec::new();
            for round in 0..rounds {
                // Each is first in every second round.
                let ours = (round % 2 == 1).then(|| remote.run(&states, each));
                let theirs = bare.run(&states, each);
                pairs.push((ours.unwrap_or_else(|| remote.run(&states, each)), theirs));
            }
            let median = |of: &dyn Fn(&(Measured, Measured)) -> f64| {
                quantile(pairs.iter().map(of).collect(), 0.5)
            };
            let ratio = median(&|(ours, theirs)| ours.a_second() / theirs.a_second());
            kept &= clients > 8 || ratio >= THROUGHPUT;
            table.row([
                format!("{} KB, {clients}", size / 1000),
                grouped(median(&|(_, theirs)| theirs.a_second())),
                grouped(median(&|(ours, _)| ours.a_second())),
                format!("{ratio:.2}"),
                format!("{:.1}", median(&|(ours, _)| ours.milliseconds(0.5))),
                format!("{:.1}", median(&|(ours, _)| ours.milliseconds(0.99))),
                format!("{:.1}", median(&|(_, theirs)| theirs.milliseconds(0.5))),
                format!("{:.1}", median(&|(_, theirs)| theirs.milliseconds(0.99))),
                grouped(process.peak() as f64 / 1_048_576.0),
            ]);
        }
    }
    println!(
        "\nbudget: 1 and 8 clients: ratio of at least {THROUGHPUT}: {}",
        if kept { "kept" } else { "exceeded" }
    );
    kept
}

/// How many cycles a client needs for about `slice`.
fn fitting(run: impl Fn(usize) -> Measured, slice: Duration) -> usize {
    let mut each = 1;
    loop {
        let took = run(each).took;
        if took * 3 >= slice || each >= 4096 {
            return ((each as f64 * slice.as_secs_f64() / took.as_secs_f64()).round() as usize)
                .max(1);
        }
        each *= 2;
    }
}
