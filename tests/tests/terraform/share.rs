//! The provider's share of a plan, in processor time: a measurement, run by hand.
//!
//! `cargo test --release -p upstate-tests --test terraform share -- --ignored --nocapture`; `UPSTATE_INSTANCES` is how many, 1000 unless set.

use std::fmt::Write as _;
use std::time::Instant;

use super::workspace::Workspace;

/// Seconds of processor time: of this process, in which the provider is, and of its children, which are Terraform.
fn used() -> (f64, f64) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    // A hundred ticks a second on Linux, whatever its kernel is set to.
    let ticks = |first: usize| fields[first..=first + 1].iter().map(|field| field.parse::<f64>().unwrap()).sum::<f64>() / 100.0;
    (ticks(11), ticks(13))
}

#[test]
#[ignore = "a measurement"]
#[allow(clippy::print_stdout, reason = "a measurement")]
fn of_a_plan_without_changes() {
    let instances: usize = std::env::var("UPSTATE_INSTANCES").map_or(1_000, |count| count.parse().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = {
        let _inside = runtime.enter();
        harbor::provider().reattached(6).unwrap()
    };
    let workspace = Workspace::reattached("harbor", server.reattach());
    let mut configuration = format!("provider \"harbor\" {{\n  root = {:?}\n}}\n", workspace.path("harbor"));
    write!(
        configuration,
        "resource \"harbor_file\" \"it\" {{\n  count   = {instances}\n  path    = \"file-${{count.index}}\"\n  content = \"text\\n\"\n}}\n"
    )
    .unwrap();
    workspace.write("main.tf", &configuration);
    assert_eq!(workspace.apply().changes(), (instances as u64, 0, 0));
    for round in 1..=3 {
        let (provider, terraform) = used();
        let began = Instant::now();
        assert_eq!(workspace.plan().changes(), (0, 0, 0));
        let wall = began.elapsed().as_secs_f64();
        let (after, terraform_after) = used();
        let (provider, terraform) = (after - provider, terraform_after - terraform);
        println!(
            "plan of {instances} instances, round {round}: {wall:.2} s; processor: Terraform {terraform:.2} s, provider {provider:.2} s, \
             ratio {:.3}",
            provider / (provider + terraform)
        );
    }
}
