//! Differences in a plan: values that move, nested values, long values.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use upstate::{Object, Registry, Resource};

#[derive(Resource)]
#[resource(type_name = "example_rule")]
struct RuleV0 {
    title: String,
    key: String,
    hot: Vec<Phase>,
}

#[derive(Object)]
struct Phase {
    min_age: String,
    replicas: Option<i64>,
    shrink: Option<i64>,
    priority: i64,
}

#[derive(Resource)]
#[resource(type_name = "example_rule", version = 1)]
#[upgrade_from(0, model = RuleV0)]
struct Rule {
    name: String,
    key: String,
    hot: Option<Phase>,
}

impl From<RuleV0> for Rule {
    fn from(rule: RuleV0) -> Self {
        let first = rule.hot.into_iter().next();
        Self {
            name: rule.title,
            key: rule.key.trim_end().to_owned(),
            hot: first,
        }
    }
}

#[derive(Resource)]
#[resource(type_name = "example_crane", version = 1)]
#[upgrade_from(0 => 1, split(place: String, "{region}-{zone}"))]
struct Crane {
    region: String,
    zone: String,
}

/// The arguments of the run, one a line: this test runs itself as the program.
const ARGUMENTS: &str = "UPSTATE_TEST_ARGUMENTS";

#[test]
fn the_program() {
    let Ok(arguments) = std::env::var(ARGUMENTS) else {
        return;
    };
    println!("<<");
    let code = upstate_cli::run(
        Registry::new().with::<Rule>().with::<Crane>(),
        arguments.split('\n'),
    );
    println!(">> {code:?}");
}

#[test]
fn a_plan_shows_what_moves_and_what_differs_inside() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("differences");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let attributes = json!({
        "title": "a rule of thumb", "key": format!("{}==\n", "AAAAB3NzaC1yc2E".repeat(20)),
        "hot": [{ "min_age": "10 days", "replicas": 3, "shrink": null, "priority": 100 }],
    });
    let state = json!({
        "version": 4, "terraform_version": "1.15.5", "serial": 1, "lineage": "l", "outputs": {},
        "resources": [{
            "mode": "managed", "type": "example_rule", "name": "a", "provider": "provider[\"example.com/test/example\"]",
            "instances": [{ "schema_version": 0, "attributes": attributes }],
        }, {
            "mode": "managed", "type": "example_crane", "name": "b", "provider": "provider[\"example.com/test/example\"]",
            "instances": [{ "schema_version": 0, "attributes": { "place": "eu-a" } }],
        }],
    });
    fs::write(folder.join("terraform.tfstate"), state.to_string()).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "differences::the_program",
            "--nocapture",
            "--quiet",
        ])
        .current_dir(&folder)
        .env(
            ARGUMENTS,
            ["program", "plan", "terraform.tfstate", "--diff"].join("\n"),
        )
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, changes) = text
        .split_once("example_rule.a  0 → 1\n")
        .unwrap_or_else(|| panic!("{text}"));
    let (changes, _) = changes.split_once("\n\n").unwrap();
    assert_eq!(
        changes,
        r#"  ~ hot
      - [
          {
            min_age: "10 days"
        … 2 equal lines
            shrink: null
          }
      - ]
  ~ key           …EAAAAB3NzaC1yc2E==\n" → …EAAAAB3NzaC1yc2E=="
  ~ title → name  moved "a rule of thumb""#
    );
    // One that moves and is converted is one row, too.
    let crane = "example_crane.b  0 → 1\n  ~ place → region  \"eu-a\" → \"eu\"\n  + zone            \"a\"\n";
    assert!(
        text.contains(crane) && text.contains("1 moved, 1 new"),
        "{text}"
    );
}
