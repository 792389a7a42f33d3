//! `cargo run --release -q -p upstate-benches --bin one -- small upstate 10000`: one case alone, for a profiler.
//!
//! On a machine that does other things too, instructions tell more than time does:
//! `valgrind --tool=callgrind --toggle-collect='*Case*run*' target/release/one small operators 1000`.

use std::process::ExitCode;

use upstate_benches::case::Case;
use upstate_benches::workloads::{Declared, Workload};

/// Every case of a workload.
fn cases(workload: Workload) -> Vec<Case> {
    let mut cases = vec![
        workload.upstate,
        workload.upstate_msgpack,
        workload.by_hand,
        workload.by_hand_msgpack,
        workload.decode,
        workload.decode_by_hand,
    ];
    let Declared { json, msgpack, prepared } = workload.declared;
    cases.extend([json, msgpack, prepared]);
    cases.extend(workload.peers);
    cases
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [workload, case, times] = &arguments[..] else {
        eprintln!("usage: one WORKLOAD CASE TIMES");
        return ExitCode::from(2);
    };
    let cases = Workload::all().into_iter().find(|known| known.name == workload).map(cases).unwrap_or_default();
    let (Some(case), Ok(times)) = (cases.iter().find(|known| known.name == case), times.parse()) else {
        let names: Vec<&str> = cases.iter().map(|case| case.name).collect();
        eprintln!("there is no such case; of {workload} there are {names:?}");
        return ExitCode::from(2);
    };
    case.run(times);
    ExitCode::SUCCESS
}
