//! Many workspaces: what overviews, search, plans and a job take, and how much memory the service
//! has meanwhile.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use md5::{Digest as _, Md5};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use upstate::Resource;
use upstate_benches::measure::quantile;
use upstate_benches::table::Live;
use upstate_server::__internal::content::Content;
use upstate_server::__internal::model::{Timestamp, VersionId};
use upstate_server::__internal::store::copy::copy;
use upstate_server::__internal::store::postgres::{Postgres, Settings};
use upstate_server::__internal::store::sqlite::Sqlite;
use upstate_server::__internal::store::{Change, Commit, Committed, Store};

use super::bare::{audit, finalize, version, workspace};
use super::process::{ORGANIZATION, Process, TOKEN};
use super::remote::Client;

/// How often each request is made.
const TIMES: usize = 20;
/// How many versions each workspace has.
const VERSIONS: u64 = 20;
/// How many resources a state has.
const RESOURCES: usize = 8;
/// How many plans of single versions are made.
const PLANS: usize = 200;
/// For how long the job is watched.
const WATCHED: Duration = Duration::from_secs(60);
/// How much the service may grow while everything is asked for again and again, in MiB.
const GROWTH: f64 = 16.0;

/// What the server knows; the states of seven workspaces in ten have it as version 1 stores it.
#[derive(Debug, Resource)]
#[resource(type_name = "example_server", version = 2, oldest = 1)]
#[upgrade_from(1 => 2, rename(address => ip), drop(owner: Option<String>, "the API no longer has it"))]
pub struct Server {
    id: String,
    name: String,
    ip: String,
    tags: BTreeMap<String, String>,
}

/// Measures on SQLite and, if there is a database, on PostgreSQL; whether memory stayed flat.
pub fn measure(workspaces: usize, database: Option<&str>) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    // The service makes the organization.
    drop(Process::on(folder.path()));
    eprintln!("{workspaces} workspaces with {VERSIONS} versions each are made …");
    let runtime = Runtime::new().expect("a runtime");
    let began = Instant::now();
    runtime.block_on(fill(folder.path(), workspaces));
    eprintln!("… in {:.0?}", began.elapsed());
    let data = folder.path().to_str().expect("a path");
    if let Some(url) = database {
        eprintln!("they are copied to PostgreSQL …");
        runtime.block_on(async {
            let from = Sqlite::open(folder.path()).await.expect("the store");
            let to = Postgres::open(&Settings::new(url))
                .await
                .expect("the database");
            copy(&from, &to).await.expect("a copy");
        });
    }
    let mut flat = on("SQLite", workspaces, &["--data", data]);
    if let Some(url) = database {
        println!();
        flat &= on("PostgreSQL", workspaces, &["--database-url", url]);
    }
    println!(
        "\nbudget: at most {GROWTH} MiB more after all lists were asked for {TIMES} times: {}",
        if flat { "kept" } else { "exceeded" }
    );
    flat
}

/// Measures on one store; whether memory stayed flat.
fn on(store: &str, workspaces: usize, place: &[&str]) -> bool {
    let process = Process::of(place);
    let client = Client::new(&process);
    let organization = format!("/api/v2/upstate/organizations/{ORGANIZATION}");
    let last = workspaces * 7 / 10 / 20;
    let lists = [
        ("page of all organizations", "/".to_owned()),
        (
            "page of the organization",
            format!("/ui/organizations/{ORGANIZATION}"),
        ),
        ("inventory", format!("{organization}/inventory")),
        (
            "workspaces behind, first page",
            format!("{organization}/workspaces?filter%5Bstatus%5D=needs_upgrade"),
        ),
        (
            "workspaces behind, last page",
            format!(
                "{organization}/workspaces?filter%5Bstatus%5D=needs_upgrade&page%5Bnumber%5D={last}"
            ),
        ),
        (
            "plan of all workspaces, 20 of them",
            format!("{organization}/plan"),
        ),
        ("what the release changes", format!("{organization}/drift")),
        (
            "search by type",
            format!("{organization}/search?filter%5Btype%5D=example_server"),
        ),
        (
            "search by value, 100 states",
            format!("{organization}/search?filter%5Bvalue%5D=nowhere"),
        ),
    ];
    println!("{store}, {workspaces} workspaces with {VERSIONS} versions");
    let table = Live::new(
        ["", "first ms", "p50 ms", "p99 ms", "peak MiB"],
        "plan of all workspaces, 20 of them".len(),
    );
    let mebibytes = |bytes: u64| format!("{:.0}", bytes as f64 / 1_048_576.0);
    let mut after_first = 0;
    for (name, path) in &lists {
        process.forget_peak();
        let ask = || timed(|| drop(client.get(path)));
        let first = ask();
        after_first = after_first.max(process.peak());
        let times: Vec<f64> = (0..TIMES).map(|_| ask()).collect();
        let milliseconds = |at| format!("{:.1}", quantile(times.clone(), at));
        table.row([
            (*name).to_owned(),
            format!("{first:.1}"),
            milliseconds(0.5),
            milliseconds(0.99),
            mebibytes(process.peak()),
        ]);
    }
    process.forget_peak();
    for (_, path) in &lists {
        (0..TIMES).for_each(|_| drop(client.get(path)));
    }
    let flat = process.peak() as f64 <= after_first as f64 + GROWTH * 1_048_576.0;
    compressed(&client, &table);
    searched(&client, &organization, &table);
    planned(&client, &organization, &table);
    planned_whole(&client, &organization, &process, &table);
    upgraded(&client, &organization, &process, &table);
    flat
}

fn timed(what: impl FnOnce()) -> f64 {
    let began = Instant::now();
    what();
    began.elapsed().as_secs_f64() * 1e3
}

/// Gets the page of the organization as it is and compressed: the time that this costs, and how
/// much smaller it is.
fn compressed(client: &Client, table: &Live<5>) {
    let path = format!("/ui/organizations/{ORGANIZATION}");
    let (plain, packed) = (
        client.get(&path).len() as f64,
        client.get_compressed(&path).len() as f64,
    );
    let mut pairs = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let as_it_is = timed(|| drop(client.get(&path)));
        pairs.push((as_it_is, timed(|| drop(client.get_compressed(&path)))));
    }
    let ratio = quantile(
        pairs
            .iter()
            .map(|(as_it_is, packed)| packed / as_it_is)
            .collect(),
        0.5,
    );
    let milliseconds = |at| {
        format!(
            "{:.1}",
            quantile(pairs.iter().map(|(_, packed)| *packed).collect(), at)
        )
    };
    let name = format!("that page by zstd: {ratio:.2}, 1/{:.0}", plain / packed);
    table.row([
        name,
        String::new(),
        milliseconds(0.5),
        milliseconds(0.99),
        String::new(),
    ]);
}

fn document(client: &Client, path: &str) -> Value {
    serde_json::from_slice(&client.get(path)).expect("a document")
}

/// Looks for a value through all states.
fn searched(client: &Client, organization: &str, table: &Live<5>) {
    let began = Instant::now();
    let (mut after, mut hits) = (String::new(), 0);
    loop {
        let path = format!("{organization}/search?filter%5Bvalue%5D=server-3-of-77{after}");
        let found = document(client, &path);
        hits += found["data"].as_array().expect("a list").len();
        match found["meta"]["next"].as_str() {
            Some(next) => after = format!("&page%5Bafter%5D={}", next.replace('/', "%2F")),
            None => break,
        }
    }
    assert!(hits > 0, "nothing is found");
    let took = format!("{:.0}", began.elapsed().as_secs_f64() * 1e3);
    table.row([
        "search by value, all states".to_owned(),
        took,
        String::new(),
        String::new(),
        String::new(),
    ]);
}

/// Plans the upgrades of single versions, as people do who look at some before they begin a job.
fn planned(client: &Client, organization: &str, table: &Live<5>) {
    let mut versions: Vec<String> = Vec::new();
    for page in 1.. {
        let path = format!(
            "{organization}/workspaces?filter%5Bstatus%5D=needs_upgrade&page%5Bsize%5D=100&page%5Bnumber%5D={page}"
        );
        let found = document(client, &path);
        let list = found["data"].as_array().expect("a list");
        versions.extend(list.iter().filter_map(|one| {
            one["relationships"]["state-version"]["data"]["id"]
                .as_str()
                .map(str::to_owned)
        }));
        if list.is_empty() || versions.len() >= PLANS {
            break;
        }
    }
    let plan = |version: &String| {
        timed(|| drop(client.get(&format!("/api/v2/upstate/state-versions/{version}/plan"))))
    };
    let times: Vec<f64> = versions.iter().take(PLANS).map(plan).collect();
    let milliseconds = |at| format!("{:.1}", quantile(times.clone(), at));
    table.row([
        "plan of one version".to_owned(),
        String::new(),
        milliseconds(0.5),
        milliseconds(0.99),
        String::new(),
    ]);
}

/// Plans the upgrade of all workspaces, a hundred at a time, as somebody does before a job.
fn planned_whole(client: &Client, organization: &str, process: &Process, table: &Live<5>) {
    process.forget_peak();
    let began = Instant::now();
    let mut workspaces = 0;
    for page in 1.. {
        let plan = document(
            client,
            &format!("{organization}/plan?page%5Bsize%5D=100&page%5Bnumber%5D={page}"),
        );
        for one in plan["data"].as_array().expect("a list") {
            assert_eq!(one["attributes"]["outcome"], "upgraded", "{one}");
            workspaces += 1;
        }
        if plan["meta"]["pagination"]["next-page"].is_null() {
            assert_eq!(plan["meta"]["pagination"]["total-count"], workspaces);
            break;
        }
    }
    let took = format!("{:.0}", began.elapsed().as_secs_f64() * 1e3);
    let peak = format!("{:.0}", process.peak() as f64 / 1_048_576.0);
    table.row([
        format!("plan of all {workspaces}, page by page"),
        took,
        String::new(),
        String::new(),
        peak,
    ]);
}

/// Begins a job over everything that is behind, and watches how many workspaces it upgrades a
/// second.
fn upgraded(client: &Client, organization: &str, process: &Process, table: &Live<5>) {
    process.forget_peak();
    let job =
        json!({"data": {"type": "upstate-jobs", "attributes": {"concurrency": 8}}}).to_string();
    let mut made = Vec::new();
    let took =
        timed(|| made = client.send("POST", &format!("{organization}/jobs"), job.as_bytes(), 201));
    table.row([
        "begin of a job over all".to_owned(),
        format!("{took:.0}"),
        String::new(),
        String::new(),
        String::new(),
    ]);
    let made: Value = serde_json::from_slice(&made).expect("a document");
    let id = made["data"]["id"].as_str().expect("an id");
    let began = Instant::now();
    let done = loop {
        std::thread::sleep(Duration::from_millis(200));
        let now = document(client, &format!("/api/v2/upstate/jobs/{id}"));
        let attributes = &now["data"]["attributes"];
        assert_eq!(attributes["workspaces"]["failed"], 0, "{attributes}");
        if attributes["status"] != "running" || began.elapsed() > WATCHED {
            break attributes["workspaces"]["upgraded"]
                .as_u64()
                .expect("a count");
        }
    };
    let a_second = done as f64 / began.elapsed().as_secs_f64();
    let peak = format!("{:.0}", process.peak() as f64 / 1_048_576.0);
    table.row([
        format!("the job: {a_second:.0} workspaces/s"),
        String::new(),
        String::new(),
        String::new(),
        peak,
    ]);
}

/// The state of a workspace, with this serial.
fn state(number: usize, serial: u64) -> Vec<u8> {
    let old = number % 10 < 7;
    let mut text = format!(
        "{{\n  \"version\": 4,\n  \"terraform_version\": \"1.15.5\",\n  \"serial\": {serial},\n  \"lineage\": \"lineage-{number}\",\n  \"outputs\": \
         {{}},\n  \"resources\": ["
    );
    for resource in 0..RESOURCES {
        let comma = if resource == 0 { "" } else { "," };
        let (version, address) = if old { (1, "address") } else { (2, "ip") };
        let owner = match (old, number % 5) {
            (true, 0) => ",\n            \"owner\": \"team\"",
            (true, _) => ",\n            \"owner\": null",
            (false, _) => "",
        };
        let _ = write!(
            text,
            "{comma}\n    {{\n      \"mode\": \"managed\",\n      \"type\": \"example_server\",\n      \"name\": \"server_{resource}\",\n      \
             \"provider\": \"provider[\\\"example.com/test/example\\\"]\",\n      \"instances\": [\n        {{\n          \"schema_version\": \
             {version},\n          \"attributes\": {{\n            \"id\": \"srv-{number}-{resource}-{serial}\",\n            \"name\": \
             \"server-{resource}-of-{number}\",\n            \"{address}\": \"10.0.{resource}.{serial}\",\n            \"tags\": {{\n              \
             \"team\": \"platform\"\n            }}{owner}\n          }},\n          \"sensitive_attributes\": []\n        }}\n      ]\n    }}"
        );
    }
    text.push_str("\n  ],\n  \"check_results\": null\n}\n");
    text.into_bytes()
}

/// Makes the workspaces. A disk takes the same for one version as for many, so those of a workspace
/// are one commit.
async fn fill(folder: &Path, workspaces: usize) {
    let store: Box<dyn Store> = Box::new(Sqlite::open(folder).await.expect("the store"));
    let organization = store
        .organization(ORGANIZATION)
        .await
        .expect("a store that is read")
        .expect("the organization")
        .id;
    for number in 0..workspaces {
        let workspace = workspace(&organization, &format!("workspace-{number:05}"));
        assert!(
            store
                .add_workspace(&workspace, audit(&organization, None, "workspace.create"))
                .await
                .expect("a workspace")
        );
        let mut head: Option<VersionId> = None;
        let mut changes = Vec::new();
        for serial in 1..=VERSIONS {
            let state = state(number, serial);
            let content = Content::read(&state);
            let md5 = Md5::digest(&state)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            let version = version(&workspace.id, serial as i64, serial, md5);
            let finalized = finalize(
                &version,
                head.replace(version.id.clone()),
                Bytes::from(state),
                &content,
            );
            changes.extend([Change::Insert(Box::new(version)), finalized]);
        }
        let audit = vec![audit(
            &organization,
            Some(&workspace.id),
            "state-version.create",
        )];
        let commit = Commit {
            workspace: workspace.id,
            expected: 0,
            at: Timestamp::now(),
            changes,
            audit,
        };
        assert_eq!(
            store.commit(commit).await.expect("a store that is written"),
            Committed::Done
        );
    }
}

/// What a browser sends with every request.
pub fn cookie() -> String {
    format!("upstate_token={TOKEN}")
}
