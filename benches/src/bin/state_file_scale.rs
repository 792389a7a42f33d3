//! `cargo run --release -q -p upstate-benches --bin state_file_scale`: a state file of 100 000
//! instances.
//!
//! Writes the file under the temporary directory (which `TMPDIR` names), upgrades it, and compares
//! with reading it and parsing it once with serde_json into typed structs, each in a process of its
//! own so that its peak memory can be measured. Ends with status 1 if a budget is exceeded.
//! `--instances N` takes another size; `--runs N` another number of rounds. A ratio is the median
//! over the rounds of the ratio within a round, so that what disturbs one disturbs the other as
//! well.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use serde::Deserialize;
use upstate::Registry;
use upstate_benches::measure::quantile;
use upstate_benches::table::{Table, grouped};
use upstate_benches::workloads::medium::{Declarative, Instance, InstanceV0};
use upstate_benches::workloads::state_file;
use upstate_state::{StateFile, UpgradeOptions};

/// The most an upgrade of the file through operators may take on all cores, against parsing it.
const OPERATORS: f64 = 0.25;
/// That, through functions.
const FUNCTIONS: f64 = 0.42;
/// The most memory an upgrade may need, against the size of the file.
const MEMORY: f64 = 1.1;

/// What serde_json reads: every field that the upgrade looks at too.
#[derive(Deserialize)]
struct TypedState {
    version: u64,
    serial: u64,
    resources: Vec<TypedResource>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "parsed, as the budget says, and not looked at")]
struct TypedResource {
    mode: String,
    #[serde(rename = "type")]
    type_name: String,
    name: String,
    provider: String,
    instances: Vec<TypedInstance>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "parsed, as the budget says, and not looked at")]
struct TypedInstance {
    index_key: u64,
    schema_version: u64,
    attributes: InstanceV0,
    sensitive_attributes: Vec<serde_json::Value>,
    private: String,
    dependencies: Vec<String>,
}

fn generate(path: &Path, instances: usize) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    state_file::generate(&mut out, instances)?;
    out.flush()?;
    // On disk, so that writing it is over when something is measured.
    out.get_ref().sync_all()
}

/// What one process did.
#[derive(Clone, Copy)]
struct Measured {
    seconds: f64,
    cpu: f64,
    peak: f64,
}

/// Runs this program again to do `work`, and reads what it measured.
fn run(work: &str, path: &Path) -> Measured {
    let output = Command::new(std::env::current_exe().expect("this program has a path"))
        .args(["--work", work])
        .arg(path)
        .output()
        .expect("this program can be run again");
    assert!(
        output.status.success(),
        "{work}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("numbers are text");
    let numbers: Vec<f64> = text
        .split_whitespace()
        .map(|number| number.parse().expect("a number"))
        .collect();
    Measured {
        seconds: numbers[0],
        cpu: numbers[1],
        peak: numbers[2],
    }
}

/// Does the work in this process and prints what it took.
fn work(work: &str, path: &Path) {
    let registry = if work.contains("operators") {
        Registry::new().with::<Declarative>()
    } else {
        Registry::new().with::<Instance>()
    };
    let start = Instant::now();
    match work {
        "copy" => {
            let bytes = upstate_state::read(path).expect("the file can be read");
            let target = path.with_extension(work);
            fs::write(&target, &bytes).expect("a file can be written");
        }
        "parse" => {
            let bytes = fs::read(path).expect("the file can be read");
            let state: TypedState = serde_json::from_slice(&bytes).expect("the file can be parsed");
            assert_eq!((state.version, state.serial), (4, 7));
            assert!(
                state
                    .resources
                    .iter()
                    .all(|resource| resource.instances.len() == 100)
            );
            std::hint::black_box(&state);
            // Freeing it is not part of parsing it.
            std::mem::forget(state);
        }
        "scan" => {
            let bytes = upstate_state::read(path).expect("the file can be read");
            let state = StateFile::parse_to_upgrade(&bytes).expect("it is a state file");
            std::hint::black_box(&state);
        }
        work if work.starts_with("upgrade") || work.starts_with("compare") => {
            let bytes = upstate_state::read(path).expect("the file can be read");
            let state = StateFile::parse_to_upgrade(&bytes).expect("it is a state file");
            let mut options = UpgradeOptions::new();
            if work.ends_with("-1") {
                options = options.threads(std::num::NonZeroUsize::MIN);
            }
            let target = path.with_extension(work);
            let mut out = BufWriter::with_capacity(
                1 << 18,
                File::create(&target).expect("a file can be written"),
            );
            let totals = state
                .upgrade_to(&registry, &options, &mut out, |_| Ok(()))
                .expect("the upgrade is written");
            out.flush().expect("the upgrade is written");
            assert!(totals.may_be_written() && totals.upgraded() == state.instances().len());
        }
        other => panic!("there is no work called {other}"),
    }
    let seconds = start.elapsed().as_secs_f64();
    // What is not on disk yet need not get there: it would only slow down the next.
    if work.starts_with("upgrade") || work == "copy" {
        fs::remove_file(path.with_extension(work)).expect("the file can be removed");
    }
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("there is a usage");
    let time =
        |value: nix::sys::time::TimeVal| value.tv_sec() as f64 + value.tv_usec() as f64 / 1e6;
    let cpu = time(usage.user_time()) + time(usage.system_time());
    println!("{seconds} {cpu} {}", usage.max_rss() * 1024);
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name, path] = arguments.as_slice()
        && flag == "--work"
    {
        match name.as_str() {
            "generate" => generate(Path::new(path), 100_000).expect("the file can be written"),
            name => work(name, Path::new(path)),
        }
        return ExitCode::SUCCESS;
    }
    let options: BTreeMap<&str, usize> = arguments
        .chunks(2)
        .filter_map(|pair| Some((pair[0].as_str(), pair.get(1)?.parse().ok()?)))
        .collect();
    let instances = options.get("--instances").copied().unwrap_or(100_000);
    let runs = options.get("--runs").copied().unwrap_or(3);

    let folder = std::env::temp_dir().join(format!("upstate-scale-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the temporary directory can be written");
    let path = folder.join("terraform.tfstate");
    generate(&path, instances).expect("the file can be written");
    let size = fs::metadata(&path).expect("the file is there").len() as f64;

    let rows: [(&str, &str, Option<f64>); 7] = [
        (
            "parse",
            "read and parse once, serde_json into structs",
            None,
        ),
        ("copy", "read and write", None),
        ("scan", "read and find the instances", None),
        (
            "upgrade-operators-1",
            "upgrade by operators into another file, 1 thread",
            None,
        ),
        (
            "upgrade-operators",
            "upgrade by operators into another file, all cores",
            Some(OPERATORS),
        ),
        (
            "upgrade-functions-1",
            "upgrade by functions into another file, 1 thread",
            None,
        ),
        (
            "upgrade-functions",
            "upgrade by functions into another file, all cores",
            Some(FUNCTIONS),
        ),
    ];
    let rounds: Vec<[Measured; 7]> = (0..runs.max(1))
        .map(|_| rows.map(|(work, ..)| run(work, &path)))
        .collect();
    let compared = [
        "compare-functions",
        "compare-functions-1",
        "compare-operators",
        "compare-operators-1",
    ]
    .map(|work| {
        run(work, &path);
        fs::read(path.with_extension(work)).expect("the upgrade is there")
    });
    let same = compared.iter().all(|file| *file == compared[0]);
    drop(compared);
    let _ = fs::remove_dir_all(&folder);

    println!(
        "{} instances, {} MB\n",
        grouped(instances as f64),
        grouped(size / 1e6)
    );
    let mut table = Table::new([
        "",
        "seconds",
        "processor s",
        "ratio",
        "budget",
        "",
        "peak / file",
        "budget",
        "",
    ]);
    let verdict = |value: f64, budget: f64| if value <= budget { "ok" } else { "OVER" }.to_owned();
    let mut over = !same;
    for (index, (_, name, budget)) in rows.iter().enumerate() {
        let median = |value: &dyn Fn(&[Measured; 7]) -> f64| {
            quantile(rounds.iter().map(value).collect(), 0.5)
        };
        let time = median(&|round| round[index].seconds / round[0].seconds);
        let memory = median(&|round| round[index].peak / size);
        over |= budget.is_some_and(|budget| time > budget || memory > MEMORY);
        let limit = |limit: Option<f64>| limit.map_or_else(String::new, |limit| limit.to_string());
        let judged = |value, limit: Option<f64>| {
            limit.map_or_else(String::new, |limit| verdict(value, limit))
        };
        table.row([
            (*name).to_owned(),
            format!("{:.3}", median(&|round| round[index].seconds)),
            format!("{:.3}", median(&|round| round[index].cpu)),
            format!("{time:.2}"),
            limit(*budget),
            judged(time, *budget),
            format!("{memory:.2}"),
            limit(budget.map(|_| MEMORY)),
            judged(memory, budget.map(|_| MEMORY)),
        ]);
    }
    table.print();
    if !same {
        println!(
            "\nwhat comes of the upgrade depends on the number of threads, or on how its upgraders are written"
        );
    }
    ExitCode::from(u8::from(over))
}
