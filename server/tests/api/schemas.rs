//! What a server does that knows the schemas: inventories, plans, upgrades, comparisons, search.

use serde_json::{Value, json};
use upstate::{Registry, Resource};

use crate::world::{Client, State, World, text};

#[derive(Resource)]
#[resource(type_name = "example_account", version = 2)]
#[upgrade_from(1, model = AccountV1, rename(title => name))]
#[upgrade_from(0, unsupported = "Run release 1.9 first")]
pub(crate) struct Account {
    id: String,
    name: String,
    #[attribute(sensitive)]
    password: Option<String>,
    retries: Option<i64>,
}

#[derive(Resource)]
#[resource(type_name = "example_account", version = 1, prior)]
struct AccountV1 {
    id: String,
    title: String,
    #[attribute(sensitive)]
    password: Option<String>,
    retries: Option<i64>,
}

pub(crate) fn registry() -> Registry {
    Registry::new().with::<Account>()
}

/// An account as the state has it.
pub(crate) fn account(name: &str, version: u64, attributes: &Value) -> Value {
    json!({
        "mode": "managed", "type": "example_account", "name": name, "provider": "provider[\"example.com/test/example\"]",
        "instances": [{ "schema_version": version, "attributes": attributes, "sensitive_attributes": [] }],
    })
}

/// One of version 1, which an upgrade brings to version 2.
pub(crate) fn old(name: &str) -> Value {
    account(
        name,
        1,
        &json!({ "id": name, "title": format!("The {name}"), "password": "hunter22", "retries": 3 }),
    )
}

/// One that is as it should be.
pub(crate) fn new(name: &str) -> Value {
    account(
        name,
        2,
        &json!({ "id": name, "name": format!("The {name}"), "password": "hunter22", "retries": 3 }),
    )
}

/// One that nothing upgrades.
pub(crate) fn stuck(name: &str) -> Value {
    account(name, 0, &json!({ "id": name }))
}

pub(crate) fn state(serial: i64, resources: &[Value]) -> State {
    let text = serde_json::to_string_pretty(&json!({
        "version": 4, "terraform_version": "1.15.5", "serial": serial, "lineage": "l", "outputs": {
            "plain": { "value": serial, "type": "number" },
            "secret": { "value": format!("hunter{serial}"), "type": "string", "sensitive": true },
        },
        "resources": resources,
    }));
    State::of(serial, "l", &text.expect("a state"))
}

/// Makes a workspace with a state, and unlocks it; its id.
pub(crate) async fn filled(client: &Client<'_>, name: &str, resources: &[Value]) -> String {
    let id = client.locked(name).await;
    client.create(&id, &state(1, resources)).await.expect(201);
    client.unlock(&id).await.expect(200);
    id
}

pub(crate) fn path(id: &str, rest: &str) -> String {
    let kind = match id.get(..3) {
        Some("ws-") => "workspaces",
        Some("sv-") => "state-versions",
        _ => "jobs",
    };
    format!("/api/v2/upstate/{kind}/{id}{rest}")
}

/// The workspaces of a job with what came of each, by name.
pub(crate) async fn ends(client: &Client<'_>, id: &str) -> Vec<String> {
    let items = client.json(&path(id, "/workspaces")).await;
    let mut ends = Vec::new();
    for item in items["data"].as_array().expect("a list") {
        let workspace = client
            .attributes(&format!("/api/v2/workspaces/{}", text(&item["id"])))
            .await;
        ends.push(format!(
            "{} {}",
            text(&workspace["name"]),
            text(&item["attributes"]["status"])
        ));
    }
    ends.sort();
    ends
}

async fn upgrade(client: &Client<'_>, id: &str, headers: &[(&str, &str)]) -> crate::world::Answer {
    client
        .send("POST", &path(id, "/actions/upgrade"), headers, "")
        .await
}

#[tokio::test]
async fn an_inventory_says_what_is_behind_and_what_nothing_upgrades() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let foreign = json!({
        "mode": "managed", "type": "other_thing", "name": "o", "provider": "provider.p",
        "instances": [{ "schema_version": 7, "attributes": {} }],
    });
    let net = filled(&ann, "net", &[old("a"), old("b"), new("c"), foreign]).await;
    filled(&ann, "stuck", &[stuck("d"), new("e")]).await;
    filled(&ann, "fine", &[new("f")]).await;
    ann.workspace("empty").await;
    let inventory = ann.attributes(&path(&net, "/inventory")).await;
    assert_eq!(
        (&inventory["needs-upgrade"], &inventory["cannot-upgrade"]),
        (&json!(2), &json!(0))
    );
    let rows: Vec<_> = inventory["types"]
        .as_array()
        .expect("types")
        .iter()
        .map(row)
        .collect();
    assert_eq!(
        rows,
        [
            "example_account 1 2 needs_upgrade",
            "example_account 2 1 current",
            "other_thing 7 1 unknown_type"
        ]
        .map(str::to_owned)
    );
    let all = ann
        .attributes("/api/v2/upstate/organizations/acme/inventory")
        .await;
    let counts = [
        "workspaces",
        "workspaces-without-state",
        "workspaces-behind",
        "workspaces-stuck",
        "workspaces-unreadable",
    ];
    assert_eq!(
        counts.map(|name| all[name].as_u64().expect("a count")),
        [4, 1, 1, 1, 0]
    );
    let rows: Vec<_> = all["types"]
        .as_array()
        .expect("types")
        .iter()
        .map(row)
        .collect();
    assert_eq!(
        rows,
        [
            "example_account 0 1 no_way",
            "example_account 1 2 needs_upgrade",
            "example_account 2 3 current",
            "other_thing 7 1 unknown_type",
        ]
        .map(str::to_owned)
    );
    let of = async |status: &str| -> Vec<String> {
        let query = format!(
            "/api/v2/upstate/organizations/acme/workspaces?filter[status]={status}&page[size]=1"
        );
        let (mut names, mut url) = (Vec::new(), Some(query));
        while let Some(next) = url {
            let page = ann.json(&next).await;
            names.extend(
                page["data"]
                    .as_array()
                    .expect("a list")
                    .iter()
                    .map(|one| text(&one["attributes"]["name"])),
            );
            url = page["links"]["next"].as_str().map(str::to_owned);
        }
        names
    };
    assert_eq!(of("needs_upgrade").await, ["net"]);
    assert_eq!(of("no_way").await, ["stuck"]);
    assert_eq!(of("current").await, ["fine", "net", "stuck"]);
    assert_eq!(of("").await, ["empty", "fine", "net", "stuck"]);
    ann.get("/api/v2/upstate/organizations/acme/workspaces?filter[status]=old")
        .await
        .refused(400, "found \"old\"");
}

fn row(row: &Value) -> String {
    format!(
        "{} {} {} {}",
        text(&row["type"]),
        row["version"],
        row["instances"],
        text(&row["status"])
    )
}

/// States that an older server stored have no types beside them.
#[tokio::test]
async fn what_an_older_server_stored_is_looked_at_once() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let database = world.database();
    database
        .execute("UPDATE state_version SET types = NULL", ())
        .expect("an update");
    let inventory = ann
        .attributes("/api/v2/upstate/organizations/acme/inventory")
        .await;
    assert_eq!(inventory["workspaces-behind"], 1);
    let kept: Option<String> = database
        .query_row("SELECT types FROM state_version", (), |row| row.get(0))
        .expect("a row");
    assert!(kept.expect("types").contains("example_account"));
    assert_eq!(
        ann.get(&path(&net, "/inventory"))
            .await
            .expect(200)
            .attributes()["needs-upgrade"],
        1
    );
}

#[tokio::test]
async fn a_plan_shows_what_would_change_and_no_secret() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a"), stuck("b"), new("c"), old("d")]).await;
    let version = ann.current(&net).await.expect(200).id();
    let before = ann.versions("net").await;
    let plan = ann.get(&path(&version, "/plan")).await.expect(200);
    assert!(
        !String::from_utf8_lossy(&plan.bytes).contains("hunter"),
        "{plan:?}"
    );
    let plan = plan.json();
    assert_eq!(
        plan["meta"]["totals"],
        json!({ "instances": 4, "upgraded": 2, "failed": 1, "current": 1, "unknown_type": 0, "data_sources": 0 })
    );
    assert_eq!(
        plan["meta"]["types"],
        json!([
            { "type": "example_account", "from": 0, "to": 2, "outcome": "failed", "instances": 1 },
            { "type": "example_account", "from": 1, "to": 2, "outcome": "upgraded", "instances": 2 },
        ])
    );
    assert_eq!(
        plan["data"][1],
        json!({ "id": "example_account.a", "type": "upstate-instance-upgrades", "attributes": {
            "address": "example_account.a", "type": "example_account", "from": 1, "to": 2, "outcome": "upgraded",
            "changes": [
                { "path": "name", "action": "add", "after": "The a" },
                { "path": "title", "action": "remove", "before": "The a" },
            ],
            "dropped": [], "diagnostics": [],
        }})
    );
    // The instance that fails is the first, because nobody would find it among many others.
    assert!(
        text(&plan["data"][0]["attributes"]["diagnostics"][0]["detail"])
            .contains("Run release 1.9 first")
    );
    let addresses = async |query: &str| -> Vec<String> {
        let page = ann.json(&path(&version, &format!("/plan?{query}"))).await;
        page["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| text(&one["id"]))
            .collect()
    };
    assert_eq!(
        addresses("filter[outcome]=failed").await,
        ["example_account.b"]
    );
    assert_eq!(
        addresses("filter[outcome]=upgraded&page[size]=1&page[number]=2").await,
        ["example_account.d"]
    );
    for (number, only) in [
        (1, "example_account.b"),
        (2, "example_account.a"),
        (3, "example_account.d"),
    ] {
        assert_eq!(
            addresses(&format!("page[size]=1&page[number]={number}")).await,
            [only]
        );
    }
    assert!(addresses("page[size]=1&page[number]=4").await.is_empty());
    assert!(addresses("filter[type]=other").await.is_empty());
    assert_eq!(
        addresses("filter[type]=&filter[outcome]=&to-release=")
            .await
            .len(),
        3
    );
    ann.get(&path(&version, "/plan?filter[outcome]=x"))
        .await
        .refused(400, "found \"x\"");
    assert_eq!(ann.versions("net").await, before, "a plan writes nothing");
}

#[tokio::test]
async fn an_upgrade_is_a_version_like_any_other() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a"), new("b")]).await;
    let first = ann.current(&net).await.expect(200).id();
    let matching = format!("\"{first}\"");
    upgrade(&ann, &net, &[("if-match", "\"sv-other\"")])
        .await
        .refused(412, "is current");
    let upgraded = upgrade(&ann, &net, &[("if-match", &matching)])
        .await
        .expect(201);
    let document = upgraded.json();
    assert_eq!(
        document["data"]["relationships"]["upgraded-from-state-version"]["data"]["id"],
        json!(first)
    );
    assert_eq!(
        (
            &upgraded.attributes()["serial"],
            &upgraded.attributes()["lineage"]
        ),
        (&json!(2), &json!("l"))
    );
    // Nothing but the serial and the upgraded instance has changed.
    let before = String::from_utf8(ann.bytes(&first).await.to_vec()).expect("text");
    let expected = before
        .replace("\"serial\": 1,", "\"serial\": 2,")
        .replacen("\"schema_version\": 1", "\"schema_version\": 2", 1)
        .replace("\"title\": \"The a\"", "\"name\": \"The a\"");
    let after: Value = serde_json::from_slice(&ann.bytes(&upgraded.id()).await).expect("a state");
    assert_eq!(
        after,
        serde_json::from_str::<Value>(&expected).expect("a state")
    );
    // The answer was lost and the client asks again.
    assert_eq!(
        upgrade(&ann, &net, &[("if-match", &matching)])
            .await
            .expect(201)
            .id(),
        upgraded.id()
    );
    // There is nothing left to do.
    assert_eq!(
        upgrade(&ann, &net, &[]).await.expect(200).id(),
        upgraded.id()
    );
    assert_eq!(ann.versions("net").await.len(), 2);
    let report = ann.attributes(&path(&upgraded.id(), "/report")).await;
    assert_eq!(
        (&report["upgraded"], &report["current"]),
        (&json!(1), &json!(1))
    );
    ann.get(&path(&first, "/report"))
        .await
        .refused(404, "an upgrade or a downgrade that made state version");
    // The workspace is not locked afterwards, and can be rolled back.
    ann.lock(&net).await.expect(200);
    let back = ann.rollback(&net, &first).await.expect(201);
    assert_eq!(back.attributes()["serial"], 3);
    let back: Value = serde_json::from_slice(&ann.bytes(&back.id()).await).expect("a state");
    assert_eq!(back["resources"][0]["instances"][0]["schema_version"], 1);
    let audit = ann
        .json("/api/v2/organizations/acme/audit?page[size]=100")
        .await;
    let actions: Vec<String> = audit["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| text(&one["attributes"]["action"]))
        .collect();
    assert!(
        actions
            .iter()
            .any(|action| action == "state-version.upgrade"),
        "{actions:?}"
    );
}

#[tokio::test]
async fn an_upgrade_that_cannot_be_whole_writes_nothing() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a"), stuck("b")]).await;
    let refused = upgrade(&ann, &net, &[])
        .await
        .refused(409, "1 of 2 instances that need an upgrade fail");
    assert!(
        refused.detail().contains("Run release 1.9 first"),
        "{}",
        refused.detail()
    );
    // Somebody else's lock is respected, one's own as well.
    let bob = world.user("bob", "read-state,write-state,lock").await;
    let other = filled(&ann, "other", &[old("a")]).await;
    bob.lock(&other).await.expect(200);
    upgrade(&ann, &other, &[])
        .await
        .refused(409, "locked by User bob");
    upgrade(&bob, &other, &[]).await.expect(201);
    assert_eq!(ann.versions("net").await.len(), 1);
    // Pending bytes, no state, a state that cannot be read.
    let pending = ann.locked("pending").await;
    ann.create(&pending, &state(1, &[old("a")]))
        .await
        .expect(201);
    ann.begin(&pending, &state(2, &[])).await.expect(201);
    upgrade(&ann, &pending, &[])
        .await
        .refused(409, "still pending");
    let empty = ann.workspace("empty").await;
    upgrade(&ann, &empty, &[])
        .await
        .refused(404, "has no state yet");
    let encrypted = ann.locked("encrypted").await;
    let sent = State::of(3, "l", r#"{"serial":3,"lineage":"l","encrypted_data":"x"}"#);
    let sent = ann.stored(&encrypted, &sent).await;
    upgrade(&ann, &encrypted, &[])
        .await
        .refused(409, "cannot be read");
    ann.get(&path(&sent, "/plan"))
        .await
        .refused(409, "cannot be read");
    ann.get(&path(&sent, "/comparison"))
        .await
        .refused(409, "cannot be read");
}

/// Writers and upgrades at the same time: every version follows the one it was made from.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn racing_upgrades_make_one_version() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let racing = futures_util::future::join_all((0..8).map(|_| upgrade(&ann, &net, &[]))).await;
    let made: Vec<&crate::world::Answer> = racing
        .iter()
        .filter(|answer| answer.status == 201)
        .collect();
    assert_eq!(made.len(), 1, "{racing:?}");
    // The others find it done, or its lock.
    assert!(
        racing
            .iter()
            .all(|answer| matches!(answer.status, 200 | 201 | 503)),
        "{racing:?}"
    );
    upgrade(&ann, &net, &[]).await.expect(200);
    assert_eq!(ann.versions("net").await.len(), 2);
}

#[tokio::test]
async fn versions_are_compared_without_secrets() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = ann.locked("net").await;
    let first = ann.stored(&net, &state(1, &[new("a"), new("b")])).await;
    let other = account(
        "a",
        2,
        &json!({ "id": "a", "name": "Another", "password": "hunter33", "retries": 3 }),
    );
    let second = ann.stored(&net, &state(2, &[other, new("c")])).await;
    let compared = ann.get(&path(&second, "/comparison")).await.expect(200);
    assert!(
        !String::from_utf8_lossy(&compared.bytes).contains("hunter"),
        "{compared:?}"
    );
    let compared = compared.json();
    assert_eq!(
        (
            &compared["meta"]["from"]["id"],
            &compared["meta"]["to"]["serial"]
        ),
        (&json!(first), &json!(2))
    );
    let reported: Vec<Value> = compared["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["attributes"].clone())
        .collect();
    assert_eq!(
        reported,
        [
            json!({ "address": "output.plain", "action": "changed", "before": 1, "after": 2 }),
            json!({ "address": "output.secret", "action": "changed", "sensitive": true }),
            json!({ "address": "example_account.a", "type": "example_account", "action": "changed", "from": 2, "to": 2, "changes": [
                { "path": "name", "action": "change", "before": "The a", "after": "Another" },
                { "path": "password", "action": "change", "before_sensitive": true, "after_sensitive": true },
            ]}),
            json!({ "address": "example_account.c", "type": "example_account", "action": "added", "to": 2, "changes": [
                { "path": "id", "action": "add", "after": "c" },
                { "path": "name", "action": "add", "after": "The c" },
                { "path": "password", "action": "add", "after_sensitive": true },
                { "path": "retries", "action": "add", "after": 3 },
            ]}),
            json!({ "address": "example_account.b", "type": "example_account", "action": "removed", "from": 2, "changes": [
                { "path": "id", "action": "remove", "before": "b" },
                { "path": "name", "action": "remove", "before": "The b" },
                { "path": "password", "action": "remove", "before_sensitive": true },
                { "path": "retries", "action": "remove", "before": 3 },
            ]}),
        ]
    );
    // Page by page the same.
    let mut paged = Vec::new();
    for number in 1..=3 {
        let page = ann
            .json(&path(
                &second,
                &format!("/comparison?page[size]=2&page[number]={number}"),
            ))
            .await;
        paged.extend(
            page["data"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|one| one["attributes"].clone()),
        );
    }
    assert_eq!(paged, reported);
    // The first one is compared with nothing; any two with each other.
    assert_eq!(
        ann.get(&path(&first, "/comparison"))
            .await
            .expect(200)
            .json()["meta"]["from"],
        Value::Null
    );
    let back = ann
        .json(&path(&first, &format!("/comparison?from={second}")))
        .await;
    assert_eq!(back["meta"]["pagination"]["total-count"], 5);
    ann.get(&path(&first, "/comparison?from=sv-other"))
        .await
        .refused(404, "not found");
}

#[tokio::test]
async fn instances_are_found_by_type_address_and_value() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "one", &[old("a"), new("b")]).await;
    filled(&ann, "three", &[new("e"), new("ea"), new("eb")]).await;
    filled(&ann, "two", &[new("c"), old("aa")]).await;
    let found = async |query: &str, size: usize| -> Vec<String> {
        let mut found = Vec::new();
        let mut after = String::new();
        loop {
            let url = format!(
                "/api/v2/upstate/organizations/acme/search?{query}&page[size]={size}{after}"
            );
            let page = ann.json(&url).await;
            let data = page["data"].as_array().expect("a list");
            assert!(data.len() <= size);
            found.extend(data.iter().map(|one| {
                let paths: Vec<String> = one["attributes"]["paths"]
                    .as_array()
                    .expect("paths")
                    .iter()
                    .map(text)
                    .collect();
                format!(
                    "{} {} {}",
                    text(&one["attributes"]["workspace"]),
                    text(&one["attributes"]["address"]),
                    paths.join(",")
                )
            }));
            match page["meta"]["next"].as_str() {
                Some(next) => after = format!("&page[after]={next}"),
                None => return found,
            }
        }
    };
    for size in [1, 2, 3, 100] {
        assert_eq!(
            found("filter[address]=account.a", size).await,
            ["one example_account.a ", "two example_account.aa "],
            "{size}"
        );
        assert_eq!(
            found("filter[type]=example_account", size).await.len(),
            7,
            "{size}"
        );
        assert_eq!(
            found("filter[version]=1", size).await,
            ["one example_account.a ", "two example_account.aa "],
            "{size}"
        );
        assert_eq!(
            found("filter[value]=The%20e", size).await.len(),
            3,
            "{size}"
        );
    }
    assert_eq!(
        found("filter[value]=The%20a", 100).await,
        [
            "one example_account.a title",
            "two example_account.aa title"
        ]
    );
    assert!(
        found("filter[value]=The%20a&filter[attribute]=name", 100)
            .await
            .is_empty()
    );
    assert!(found("filter[type]=other_thing", 100).await.is_empty());
    // What is sensitive is not looked at.
    assert!(found("filter[value]=hunter", 100).await.is_empty());
    let path = "/api/v2/upstate/organizations/acme/search";
    ann.get(path).await.refused(400, "Say what to look for");
    ann.get(&format!("{path}?filter[version]=new"))
        .await
        .refused(400, "filter[version] must be a schema version");
    assert_eq!(
        found("filter[attribute]=password", 100).await,
        Vec::<String>::new()
    );
    assert_eq!(
        found("filter[attribute]=title", 100).await.len(),
        found("filter[value]=the&filter[attribute]=TITLE", 100)
            .await
            .len()
    );
    ann.get(&format!("{path}?filter[type]=x&page[after]=x"))
        .await
        .refused(400, "meta.next");
    // Numbers of types at versions lead here, so that as many are found: no data sources, and no
    // types whose names have more.
    let resource = |mode: &str, type_name: &str, version: u64| {
        json!({
            "mode": mode, "type": type_name, "name": "n", "provider": "provider.p",
            "instances": [{ "schema_version": version, "attributes": {} }],
        })
    };
    let more = [
        resource("managed", "other_thing", 7),
        resource("managed", "other_thing_rule", 7),
        resource("data", "example_account", 1),
    ];
    filled(&ann, "zzz", &more).await;
    let stored = ["zzz other_thing.n "];
    assert_eq!(
        found("filter[type]=other_thing&filter[version]=7", 100).await,
        stored
    );
    assert_eq!(found("filter[type]=Other_Thing", 100).await, stored);
    assert_eq!(
        found("filter[type]=other_thin&filter[version]=7", 100)
            .await
            .len(),
        2
    );
    assert_eq!(
        found("filter[type]=example_account&filter[version]=1", 100)
            .await
            .len(),
        2
    );
    // Forms send what nobody filled in.
    let filled = ann
        .json(&format!(
            "{path}?filter[type]=example_account&filter[address]=&page[after]="
        ))
        .await;
    assert_eq!(filled["data"].as_array().expect("a list").len(), 8);
}
