//! The list of a workspace with many versions: the last page takes what the first takes.

use std::time::Instant;

use bytes::Bytes;
use tokio::runtime::Runtime;
use upstate_benches::measure::quantile;
use upstate_benches::table::Live;
use upstate_server::__internal::content::Content;
use upstate_server::__internal::model::{Timestamp, VersionId};
use upstate_server::__internal::store::sqlite::Sqlite;
use upstate_server::__internal::store::{Change, Commit, Committed, Store};

use super::bare::{audit, finalize, version, workspace};
use super::process::{ORGANIZATION, Process};
use super::remote::Client;
use super::states::States;

/// How many versions a commit writes here: a disk takes the same for one as for many.
const AT_ONCE: usize = 100;
/// How often each page is asked for.
const TIMES: usize = 30;

/// Measures; whether the last page of each size takes at most `bound` times what the first takes.
pub fn measure(versions: usize, bound: f64) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    // The service makes the organization.
    drop(Process::on(folder.path()));
    eprintln!("a list of {versions} versions is made …");
    fill(folder.path(), versions);
    let process = Process::on(folder.path());
    let client = Client::new(&process);
    println!();
    let table = Live::new(
        ["page", "first ms", "middle ms", "last ms", "last / first"],
        "100 of 10000".len(),
    );
    let mut kept = true;
    for size in [20, 100] {
        let pages = versions.div_ceil(size);
        let times = [1, pages.div_ceil(2), pages].map(|page| page_time(&client, page, size));
        let ratio = times[2] / times[0];
        kept &= ratio <= bound;
        let milliseconds = times.map(|time| format!("{:.2}", time * 1e3));
        let [first, middle, last] = milliseconds;
        table.row([
            format!("{size} of {versions}"),
            first,
            middle,
            last,
            format!("{ratio:.2}"),
        ]);
    }
    println!(
        "\nbudget: the last page takes at most {bound} × the first: {}",
        if kept { "kept" } else { "exceeded" }
    );
    kept
}

fn page_time(client: &Client, page: usize, size: usize) -> f64 {
    let path = format!(
        "/api/v2/state-versions?filter%5Borganization%5D%5Bname%5D={ORGANIZATION}&filter%5Bworkspace%5D%5Bname%5D=long&page%5Bnumber%5D=\
         {page}&page%5Bsize%5D={size}"
    );
    let times = (0..TIMES).map(|_| {
        let began = Instant::now();
        let body = client.send("GET", &path, &[], 200);
        assert!(body.len() > 1000);
        began.elapsed().as_secs_f64()
    });
    quantile(times.collect(), 0.5)
}

/// Makes a workspace called `long` with so many versions.
fn fill(folder: &std::path::Path, versions: usize) {
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let store: Box<dyn Store> = Box::new(Sqlite::open(folder).await.expect("the store"));
        let organization = store
            .organization(ORGANIZATION)
            .await
            .expect("a store that is read")
            .expect("the organization")
            .id;
        let workspace = workspace(&organization, "long");
        assert!(
            store
                .add_workspace(&workspace, audit(&organization, None, "workspace.create"))
                .await
                .expect("a workspace")
        );
        let states = States::new(2000);
        let mut head: Option<VersionId> = None;
        let mut next = 0;
        for revision in 0_i64.. {
            let mut changes = Vec::new();
            for _ in 0..AT_ONCE.min(versions - next) {
                let (state, md5) = states.state(next as u64);
                let content = Content::read(&state);
                next += 1;
                let version = version(
                    &workspace.id,
                    next as i64,
                    States::serial(next as u64 - 1),
                    md5,
                );
                let finalized = finalize(
                    &version,
                    head.replace(version.id.clone()),
                    Bytes::from(state),
                    &content,
                );
                changes.extend([Change::Insert(Box::new(version)), finalized]);
            }
            if changes.is_empty() {
                break;
            }
            let entry = audit(&organization, Some(&workspace.id), "state-version.create");
            let commit = Commit {
                workspace: workspace.id.clone(),
                expected: revision,
                at: Timestamp::now(),
                changes,
                audit: vec![entry],
            };
            assert_eq!(
                store.commit(commit).await.expect("a store that is written"),
                Committed::Done
            );
        }
    });
}
