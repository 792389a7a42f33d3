//! The provider's share of a plan, in processor time: a measurement, run by hand.
//!
//! `cargo test --release -p upstate-tests --test provider share -- --ignored --nocapture`;
//! `UPSTATE_INSTANCES` is how many, 1000 unless set.

use std::fmt::Write as _;
use std::time::Instant;

use super::workspace::Workspace;

/// How many plans are measured as one, because the system counts in hundredths of a second.
const PLANS: usize = 10;

/// Seconds of processor time: of this process, in which the provider is, in its own code and in the
/// system's, without this thread, which reads what Terraform prints; and of its children, which are
/// Terraform.
fn used() -> (f64, f64, f64) {
    let times = |of: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{of}/stat")).unwrap();
        let fields: Vec<&str> = stat
            .rsplit_once(')')
            .unwrap()
            .1
            .split_whitespace()
            .collect();
        // A hundred ticks a second on Linux, whatever its kernel is set to.
        [11, 12, 13, 14].map(|field| fields[field].parse::<f64>().unwrap() / 100.0)
    };
    let [own, system, children, of_children] = times("self");
    let [reading, reading_system, ..] = times("thread-self");
    (
        own - reading,
        system - reading_system,
        children + of_children,
    )
}

#[test]
#[ignore = "a measurement"]
#[allow(clippy::print_stdout, reason = "a measurement")]
fn of_a_plan_without_changes() {
    let instances: usize =
        std::env::var("UPSTATE_INSTANCES").map_or(1_000, |count| count.parse().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = {
        let _inside = runtime.enter();
        harbor::provider().reattached(6).unwrap()
    };
    let mut workspace = Workspace::reattached("harbor", server.reattach());
    // As Terraform is by itself, because what is measured is a share of what it takes.
    workspace.set("GOGC", "100");
    let mut configuration = format!(
        "provider \"harbor\" {{\n  root = {:?}\n}}\n",
        workspace.path("harbor")
    );
    write!(
        configuration,
        "resource \"harbor_file\" \"it\" {{\n  count   = {instances}\n  path    = \"file-${{count.index}}\"\n  content = \"text\\n\"\n}}\n"
    )
    .unwrap();
    workspace.write("main.tf", &configuration);
    assert_eq!(workspace.apply().changes(), (instances as u64, 0, 0));
    let (own, system, terraform) = used();
    let began = Instant::now();
    for _ in 0..PLANS {
        assert_eq!(workspace.plan().changes(), (0, 0, 0));
    }
    let wall = began.elapsed().as_secs_f64();
    let after = used();
    let (own, system, terraform) = (after.0 - own, after.1 - system, after.2 - terraform);
    let all = own + system + terraform;
    println!(
        "{PLANS} plans of {instances} instances: {wall:.2} s; processor: Terraform {terraform:.2} s, provider {own:.2} s and in the system \
         {system:.2} s; ratio {:.4}, own code {:.4}",
        (own + system) / all,
        own / all
    );
    // What its author reads for each instance: the file and who may read it.
    let (own, system, _) = used();
    let harbor = workspace.path("harbor");
    let reading = std::thread::spawn(move || {
        for instance in 0..instances {
            let path = harbor.join(format!("file-{instance}"));
            std::fs::read_to_string(&path).unwrap();
            std::fs::metadata(&path).unwrap();
        }
    });
    reading.join().unwrap();
    let after = used();
    println!(
        "reading the files of {instances} instances alone: {:.2} s and in the system {:.2} s",
        after.0 - own,
        after.1 - system
    );
}
