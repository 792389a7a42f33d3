//! Every resource of this package, attacked with hostile states made from its prior schemas and from the stored instances.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the test's own helpers may panic too"
)]

use std::collections::BTreeSet;
use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use serde_json::Value;
use upstate::batch::Batch;
use upstate::testing::Hostile;
use upstate::upgrade::BoxFuture;
use upstate::{
    Diagnostic, Document, Object, Registry, Resource, Union, UpgradeRequest, UpgradeResponse,
};
use upstate_examples::realworld::{github, google};

/// Operators that none of the real resources has.
#[derive(Debug, Resource)]
#[resource(type_name = "example_rest", version = 1)]
#[upgrade_from(0, model = RestV0, filter(names, ""), join(words, " "), unnest(limits => cpu), zip(ports, hosts => targets))]
struct Rest {
    cpu: Option<i64>,
    names: Vec<String>,
    words: Option<String>,
    targets: Vec<Target>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "example_rest", version = 0)]
struct RestV0 {
    limits: Option<Limits>,
    names: Vec<String>,
    words: Option<Vec<String>>,
    ports: Vec<i64>,
    hosts: Vec<String>,
}

#[derive(Debug, Object)]
struct Target {
    hosts: String,
    ports: i64,
}

#[derive(Debug, Object)]
struct Limits {
    cpu: Option<i64>,
}

/// The operators that only documents have.
#[derive(Debug, Document)]
#[document(type_name = "example.drawing", version = 1)]
#[upgrade_from(0 => 1,
    variants(shape, "round" => "circle", drop("blob", "it had no area", as = "point"), add("pair")),
    rename(shape.Circle.r => shape.Circle.radius),
    variants(more, "dot" => "point"),
)]
struct Drawing {
    title: String,
    shape: Shape,
    more: Vec<Shape>,
}

#[derive(Debug, Union)]
#[union(rename_all = "kebab-case")]
enum Shape {
    Point,
    Circle { radius: f64, colour: Option<String> },
    Pair(i64, String),
}

/// The stored instances of the committed state file: type name, version, attributes.
fn instances() -> Vec<(String, u64, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("state/terraform.tfstate");
    let state: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut instances = Vec::new();
    for resource in state["resources"].as_array().unwrap() {
        for instance in resource["instances"].as_array().unwrap() {
            let version = instance["schema_version"].as_u64().unwrap_or(0);
            instances.push((
                resource["type"].as_str().unwrap().to_owned(),
                version,
                instance["attributes"].to_string(),
            ));
        }
    }
    instances
}

/// What the upgraders ask for that the state does not hold. Half of the repositories are not there.
struct GitHub;

impl github::Api for GitHub {
    fn repository<'a>(
        &'a self,
        _: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<github::RepositoryFacts, Diagnostic>> {
        Box::pin(async move {
            if name.len().is_multiple_of(2) {
                Ok(github::RepositoryFacts {
                    id: 1_234_567,
                    default_branch: "main".to_owned(),
                })
            } else {
                Err(Diagnostic::error(
                    "Not Found",
                    format!("There is no repository {name:?}."),
                ))
            }
        })
    }
}

/// Their upgraders ask an API for what the state does not hold.
const ASKING: [&str; 7] = [
    "github_actions_secret",
    "github_branch_default",
    "github_release",
    "github_repository_collaborators",
    "github_repository_custom_property",
    "github_repository_file",
    "google_compute_instance",
];

/// All resources, with clients for those whose upgraders ask for something.
fn registry() -> Registry {
    let owner = github::Owner {
        name: "test".to_owned(),
        is_organization: true,
    };
    upstate_examples::registry()
        .with::<Rest>()
        .with::<Drawing>()
        .with_client(google::ProviderConfig {
            project: Some("my-project".to_owned()),
        })
        .with_client(github::Client {
            owner,
            api: Box::new(GitHub),
        })
}

/// Runs an upgrade that may await. The clients here never make it wait.
fn upgrade(registry: &Registry, request: &UpgradeRequest<'_>) -> UpgradeResponse {
    let mut upgrade = pin!(registry.upgrade_async(request));
    match upgrade
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(response) => response,
        Poll::Pending => panic!(
            "{} waits for something that nobody does",
            request.type_name()
        ),
    }
}

#[test]
fn every_hostile_state_ends_in_a_state_or_in_errors() {
    let registry = registry();
    let instances = instances();
    let asked = registry.definitions().collect::<Vec<_>>();
    let reports = Batch::new().map(&asked, |definition| {
        // Operators tell of all that is wrong at once.
        let mut hostile = Hostile::in_registry(&registry, definition.type_name()).several_errors();
        if ASKING.contains(&definition.type_name()) {
            hostile = hostile.upgraded_by(upgrade);
        }
        for (_, version, attributes) in instances.iter().filter(|(type_name, ..)| type_name == definition.type_name()) {
            hostile = hostile.sample(*version, attributes);
        }
        // The state file has no instance of that version, and not every text is one of its ids.
        hostile = match definition.type_name() {
            "snowflake_schema" => {
                hostile.sample(1, r#"{"id":"db|schema","data_retention_time_in_days":1,"with_managed_access":null}"#)
            }
            "azurerm_storage_table" => {
                hostile.sample(1, r#"{"id":"https://a.table.core.windows.net/t","name":"t","storage_account_name":"a"}"#)
            }
            // Not every string is the name of a disk.
            "google_compute_instance" => {
                let account = r#"{"service_account":[{"email":"a","scopes":["b"]}]}"#;
                let hostile = hostile.sample(0, r#"{"metadata":[{"foo":"bar"}]}"#);
                [1, 2, 3].into_iter().fold(hostile, |hostile, version| hostile.sample(version, account))
            }
            "typeupgrader" => hostile.sample(0, r#"{"bool":"true","int":"1","map":[{"bool":"true","int":"1"}]}"#),
            _ => hostile,
        };
        hostile.run()
    });
    let mut problems = Vec::new();
    for (definition, report) in asked.iter().zip(reports) {
        let report = report.unwrap_or_else(|why| panic!("{}: {why}", definition.type_name()));
        println!(
            "{}: {} upgraded, {} refused",
            definition.type_name(),
            report.upgraded(),
            report.refused()
        );
        if !report.problems().is_empty() {
            problems.push(report.to_string());
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// What the states above hold against each other (straight over the bytes, by values, prepared, laid out, in both encodings) is done with every operator
/// there is.
#[test]
fn every_operator_is_attacked() {
    let words = Path::new(env!("CARGO_MANIFEST_DIR")).join("../words/src/operators");
    let files = std::fs::read_dir(words).unwrap();
    let effects: String = files
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    let keywords: BTreeSet<&str> = effects
        .split("Effect::of(\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert!(
        keywords.len() > 10,
        "the effects are no longer where this test looks: {keywords:?}"
    );
    let registry = registry();
    let mut operators = String::new();
    for definition in registry.definitions() {
        let Some(history) = definition.history() else {
            continue;
        };
        for step in history.steps() {
            let is_plan = registry
                .prepare(definition.type_name(), step.from())
                .is_some_and(|upgrade| upgrade.is_by_operators());
            // Documents have no plan: the interpreter decides alone.
            let is_document = definition.type_name() == <Drawing as Resource>::TYPE_NAME;
            if let Some(upgrader) = history
                .whole_upgrader(step)
                .filter(|_| is_plan || is_document)
            {
                operators.push_str(&upgrader.to_string());
                operators.push('\n');
            }
        }
    }
    let missing: Vec<&&str> = keywords
        .iter()
        .filter(|keyword| !operators.contains(&format!("{keyword}(")))
        .collect();
    assert!(
        missing.is_empty(),
        "no upgrade by operators alone has {missing:?}"
    );
}
