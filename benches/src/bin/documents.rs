//! `cargo run --release -q -p upstate-benches --no-default-features --features peers --bin documents`:
//! the cost of documents, beside the libraries that read them.
//!
//! Ends with status 1 if a budget is exceeded.

use std::process::ExitCode;
use std::time::Duration;

use upstate_benches::case::Case;
use upstate_benches::measure::interleaved;
use upstate_benches::table::{Table, grouped};
use upstate_benches::workloads::documents;
use upstate_benches::workloads::settings::{CONTENDERS, Contender};

const ROUNDS: usize = 41;
const SLICE: Duration = Duration::from_millis(6);

fn main() -> ExitCode {
    let (cases, expected) = (documents::cases(), documents::expected());
    for case in &cases {
        case.check("documents", std::slice::from_ref(&expected));
    }
    let timings = interleaved(&cases, ROUNDS, SLICE);
    let mut table = Table::new(["", "ns", "baseline ns", "ratio", "budget", ""]);
    let mut over = false;
    for (name, ours, baseline, budget) in [
        (
            "a document in TOML: upgrade from two versions back, beside toml_edit alone",
            1,
            0,
            1.5,
        ),
        (
            "a document in JSON: read, beside serde_json into the struct",
            3,
            2,
            1.0,
        ),
        (
            "a document in JSON as upstate writes it: read, beside the same",
            5,
            4,
            1.0,
        ),
        (
            "a document in JSON: upgrade from two versions back, beside the same by hand",
            7,
            6,
            0.6,
        ),
    ] {
        let ratio = timings[ours].ratio_to(&timings[baseline]);
        over |= ratio > budget;
        table.row([
            name.to_owned(),
            grouped(timings[ours].nanoseconds()),
            grouped(timings[baseline].nanoseconds()),
            format!("{ratio:.2}"),
            format!("{budget:.2}"),
            if ratio <= budget { "ok" } else { "OVER" }.to_owned(),
        ]);
    }
    table.print();
    println!();
    let cases: Vec<Case> = CONTENDERS.iter().map(Contender::case).collect();
    let timings = interleaved(&cases, ROUNDS, SLICE);
    let mut table = Table::new([
        "a settings file of three versions, with an enum",
        "ns",
        "beside by hand",
        "lines",
    ]);
    for ((contender, timing), by_hand) in CONTENDERS
        .iter()
        .zip(&timings)
        .zip(std::iter::repeat(&timings[0]))
    {
        let ratio = format!("{:.2}", timing.ratio_to(by_hand));
        table.row([
            contender.name.to_owned(),
            grouped(timing.nanoseconds()),
            ratio,
            contender.lines().to_string(),
        ]);
    }
    table.print();
    ExitCode::from(u8::from(over))
}
