//! `cargo bench -p upstate-benches`: upgrades from version 0 to 2, JSON to JSON, beside the same
//! written by hand.
//!
//! For comparing two revisions of upstate. Whether the budgets hold says the binary `ratios`, which
//! is not misled by a busy machine.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use upstate_benches::workloads::{Workload, large, small};

fn upgrade(criterion: &mut Criterion) {
    for Workload {
        name,
        upstate,
        by_hand,
        ..
    } in [small::workload(), large::workload()]
    {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(upstate.mean_bytes() as u64));
        for case in [upstate, by_hand] {
            // One iteration goes over all documents, so that they weigh the same.
            let documents = case.inputs() as u32;
            group.bench_function(case.name, |bencher| {
                bencher.iter_custom(|iterations| {
                    let start = std::time::Instant::now();
                    for _ in 0..iterations {
                        case.run(documents as usize);
                    }
                    start.elapsed() / documents
                });
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(4));
    targets = upgrade
}
criterion_main!(benches);
