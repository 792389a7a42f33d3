//! `cargo run --release -q -p upstate-benches --no-default-features --bin lines`: stored states one
//! a line, through pipes.
//!
//! A filter has its lines from a pipe and writes them to one, as `upgrade --ndjson` does in a shell
//! or under a distributed engine. It is compared with a filter that reads lines and writes them as
//! they are, each in a process of its own. Ends with status 1 if a budget is exceeded.
//! `--megabytes N` takes another amount, `--runs N` another number of rounds.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use upstate::Registry;
use upstate_benches::measure::quantile;
use upstate_benches::table::{Table, grouped};
use upstate_benches::workloads::{medium, small, stored};
use upstate_state::upgrade_lines;

/// The most an upgrade of medium lines through operators may take on all cores, against copying
/// them.
const OPERATORS: f64 = 1.7;

/// The filters: what the first argument of this program's child names.
const FILTERS: [(&str, &str, Option<f64>); 5] = [
    ("copy", "medium: copied", None),
    (
        "operators",
        "medium: upgraded by operators",
        Some(OPERATORS),
    ),
    ("functions", "medium: upgraded by functions", None),
    ("small-copy", "small: copied", None),
    ("small-operators", "small: upgraded by operators", None),
];

/// What a child does.
fn filter(which: &str) -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 20, io::stdin().lock());
    let mut output = BufWriter::with_capacity(1 << 18, io::stdout().lock());
    let registry = match which {
        "operators" => Registry::new().with::<medium::Declarative>(),
        "functions" => Registry::new().with::<medium::Instance>(),
        "small-operators" => Registry::new().with::<small::Declarative>(),
        _ => {
            let mut line = Vec::new();
            while input.read_until(b'\n', &mut line)? > 0 {
                output.write_all(&line)?;
                line.clear();
            }
            return output.flush();
        }
    };
    let totals = upgrade_lines(&registry, input, output)?;
    assert!(
        totals.upgraded > 0 && totals.failed == 0 && totals.unknown == 0,
        "{totals:?}"
    );
    Ok(())
}

/// So many bytes of lines, or a few more.
fn lines(type_name: &str, documents: &[Vec<u8>], bytes: usize) -> Vec<u8> {
    let mut lines = Vec::with_capacity(bytes + bytes / 8);
    for (index, document) in documents.iter().cycle().enumerate() {
        if lines.len() >= bytes {
            break;
        }
        write!(
            lines,
            "{{\"id\":{index},\"type_name\":\"{type_name}\",\"schema_version\":0,\"attributes\":"
        )
        .expect("a buffer can be written");
        lines.extend_from_slice(document);
        lines.extend_from_slice(b"}\n");
    }
    lines
}

/// Seconds by the clock, and of processor time.
fn run(which: &str, lines: &[u8]) -> [f64; 2] {
    let program = std::env::current_exe().expect("this program has a path");
    let before = children();
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(["--filter", which])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program can be run again");
    let (mut stdin, mut stdout) = (
        child.stdin.take().expect("it is piped"),
        child.stdout.take().expect("it is piped"),
    );
    let came = thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(lines).expect("the filter reads"));
        let mut buffer = vec![0; 1 << 18];
        let mut came = 0;
        loop {
            match stdout.read(&mut buffer).expect("the filter writes") {
                0 => return came,
                read => came += read,
            }
        }
    });
    assert!(
        child.wait().expect("it ends").success() && came > lines.len() / 2,
        "{which}"
    );
    [start.elapsed().as_secs_f64(), children() - before]
}

/// Processor seconds of all children that have ended.
fn children() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("there is a usage");
    let time =
        |value: nix::sys::time::TimeVal| value.tv_sec() as f64 + value.tv_usec() as f64 / 1e6;
    time(usage.user_time()) + time(usage.system_time())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, which] = arguments.as_slice()
        && flag == "--filter"
    {
        filter(which).expect("pipes can be read and written");
        return ExitCode::SUCCESS;
    }
    let options: BTreeMap<&str, usize> = arguments
        .chunks(2)
        .filter_map(|pair| Some((pair[0].as_str(), pair.get(1)?.parse().ok()?)))
        .collect();
    let megabytes = options.get("--megabytes").copied().unwrap_or(300);
    let runs = options.get("--runs").copied().unwrap_or(5);
    let of_medium = lines(
        "example_instance",
        &stored(&medium::workload().documents, 0),
        megabytes << 20,
    );
    let of_small = lines(
        "example_thing",
        &stored(&small::workload().documents, 0),
        megabytes << 18,
    );
    let input = |which: &str| {
        if which.starts_with("small") {
            &of_small
        } else {
            &of_medium
        }
    };
    let rounds: Vec<[[f64; 2]; FILTERS.len()]> = (0..runs.max(1))
        .map(|_| FILTERS.map(|(which, ..)| run(which, input(which))))
        .collect();

    let mut table = Table::new([
        "",
        "MB/s",
        "lines/s",
        "time",
        "budget",
        "",
        "processor time",
    ]);
    let mut over = false;
    for (index, (which, name, budget)) in FILTERS.iter().enumerate() {
        let input = input(which);
        let count = input.iter().filter(|byte| **byte == b'\n').count();
        let copy = if which.starts_with("small") { 3 } else { 0 };
        let median = |value: &dyn Fn(&[[f64; 2]; FILTERS.len()]) -> f64| {
            quantile(rounds.iter().map(value).collect(), 0.5)
        };
        let seconds = median(&|round| round[index][0]);
        let [clock, processor] =
            [0, 1].map(|which| median(&|round| round[index][which] / round[copy][which]));
        over |= budget.is_some_and(|budget| clock > budget);
        table.row([
            (*name).to_owned(),
            grouped(input.len() as f64 / seconds / 1e6),
            grouped(count as f64 / seconds),
            format!("{clock:.2}"),
            budget.map_or_else(String::new, |budget| budget.to_string()),
            budget
                .map_or("", |budget| if clock > budget { "OVER" } else { "ok" })
                .to_owned(),
            format!("{processor:.2}"),
        ]);
    }
    table.print();
    println!(
        "\nTimes are ratios to copying the same lines through the same pipes, medians over {runs} rounds of {megabytes} MB."
    );
    ExitCode::from(u8::from(over))
}
