//! `cargo run --release -q -p upstate-benches --bin one -- small upstate 10000`: one case alone,
//! for a profiler.
//!
//! On a machine that does other things too, instructions tell more than time does:
//! `valgrind --tool=callgrind --toggle-collect='*Case*run*' target/release/one small operators 1000`.
//!
//! `one documents FOLDER` writes what is measured instead, so that a program in another language
//! can do the same work: of each workload the file `NAME.ndjson` with a line a document,
//! `{"stored": a state of version 0, "answer": that of the current version}`.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use upstate_benches::case::Case;
use upstate_benches::workloads::settings::{CONTENDERS, Contender};
use upstate_benches::workloads::{Declared, Document, Workload, documents};

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
    let Declared {
        json,
        msgpack,
        prepared,
    } = workload.declared;
    cases.extend([json, msgpack, prepared]);
    cases.extend(workload.peers);
    cases
}

/// Writes the documents of every workload, after upstate has given the same answers.
fn write_documents(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for workload in Workload::all() {
        workload.check();
        let mut lines = String::new();
        for Document([stored, _, answer]) in &workload.documents {
            writeln!(lines, r#"{{"stored":{stored},"answer":{answer}}}"#)
                .expect("a string can be written");
        }
        fs::write(folder.join(workload.name).with_extension("ndjson"), lines)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [workload, case, times] = match &arguments[..] {
        [what, folder] if what == "documents" => {
            return match write_documents(Path::new(folder)) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    eprintln!("{folder}: {error}");
                    ExitCode::FAILURE
                }
            };
        }
        [workload, case, times] => [workload, case, times],
        _ => {
            eprintln!("usage: one WORKLOAD CASE TIMES | one documents FOLDER");
            return ExitCode::from(2);
        }
    };
    let cases = match &**workload {
        "settings" => CONTENDERS.iter().map(Contender::case).collect(),
        "document" => documents::cases(),
        _ => Workload::all()
            .into_iter()
            .find(|known| known.name == workload)
            .map(cases)
            .unwrap_or_default(),
    };
    let (Some(case), Ok(times)) = (cases.iter().find(|known| known.name == case), times.parse())
    else {
        let names: Vec<&str> = cases.iter().map(|case| case.name).collect();
        eprintln!("there is no such case; of {workload} there are {names:?}");
        return ExitCode::from(2);
    };
    case.run(times);
    ExitCode::SUCCESS
}
