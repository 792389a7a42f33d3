//! Who is hit: the places of configurations that use what a release changes.

use std::fs;

use crate::findings::workspace::{Workspace, recorded};

const MAIN: &str = r#"provider "acme" {
  region = "eu"
}

resource "acme_bucket" "logs" {
  name       = "logs"
  legacy_acl = "private"
  tags       = ["a"]

  rule {
    prefix = "tmp/"
    suffix = ".log"
    age    = 7
  }

  lifecycle {
    ignore_changes = [owner]
  }
}

resource "acme_topic" "news" {
  name = acme_bucket.logs.tags[0]
}

resource "other_queue" "q" {
  owner = "nobody"
}

output "all" {
  value = "${acme_queue.jobs.name} ${join(",", acme_bucket.logs.tags)}"
}
"#;

const MODULE: &str = r#"resource "acme_queue" "jobs" {
  name = "jobs"
}

moved {
  from = acme_queue.jobs
  to   = other_queue.q
}
"#;

const GENERATED: &str = r#"{
  "//": "as a program writes it",
  "resource": {
    "acme_bucket": {
      "cache": {
        "name": "cache",
        "legacy_acl": "private",
        "rule": [
          { "prefix": "tmp/", "suffix": ".log", "age": 7 }
        ],
        "lifecycle": { "ignore_changes": ["owner"] }
      }
    }
  },
  "output": {
    "cache": { "value": "${acme_bucket.cache.tags[0]}" }
  }
}
"#;

fn workspace() -> Workspace {
    let workspace = Workspace::without_sources();
    workspace.write("infra/main.tf", MAIN);
    workspace.write("infra/modules/queue/main.tf", &format!("\u{feff}{MODULE}"));
    workspace.write("infra/.terraform/modules/copy/main.tf", MODULE);
    workspace.write(
        "infra/clean.tf",
        "resource \"acme_topic\" \"t\" {\n  name = \"t\"\n  retention = \"1d\"\n}\n",
    );
    workspace.write("infra/generated.tf.json", GENERATED);
    workspace
}

fn run(workspace: &Workspace, format: &str) -> crate::findings::workspace::Printed {
    workspace.run(&[
        "check",
        "--release",
        "3.0.0",
        "--consumers",
        "infra",
        "--format",
        format,
    ])
}

#[test]
fn each_place_is_named_with_what_its_owner_has_to_do() {
    let workspace = workspace();
    let text = run(&workspace, "text");
    assert_eq!((text.code, text.err.as_str()), (1, ""));
    recorded("consumers.txt", &text.out);
    let json = run(&workspace, "json").json();
    recorded("consumers.json", &format!("{json:#}\n"));
    assert_eq!(
        json["counts"]["breaks"],
        text.out
            .lines()
            .filter(|line| line.starts_with("breaks "))
            .count()
    );
    let sarif = run(&workspace, "sarif").json();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), json["places"].as_array().unwrap().len());
    for (result, place) in results.iter().zip(json["places"].as_array().unwrap()) {
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert_eq!(region["startLine"], place["location"]["line"]);
        assert_eq!(region["startColumn"], place["location"]["col"]);
        assert_eq!(result["ruleId"], place["rule"]);
    }
}

/// Folders that share a file link to it.
#[cfg(unix)]
#[test]
fn configurations_behind_links_are_read() {
    let workspace = Workspace::without_sources();
    workspace.write("shared/main.tf", MAIN);
    workspace.write("infra/clean.tf", "");
    std::os::unix::fs::symlink("../shared/main.tf", workspace.file("infra/main.tf")).unwrap();
    std::os::unix::fs::symlink("..", workspace.file("infra/up.tf")).unwrap();
    let printed = run(&workspace, "text");
    assert_eq!((printed.code, printed.err.as_str()), (1, ""));
    assert!(printed.out.contains("infra/main.tf:"), "{}", printed.out);
}

#[test]
fn configurations_that_nothing_hits_pass() {
    let workspace = Workspace::without_sources();
    workspace.write(
        "infra/main.tf",
        "resource \"other_queue\" \"q\" {\n  owner = \"x\"\n}\n",
    );
    let printed = run(&workspace, "text");
    assert_eq!(printed.code, 0);
    assert_eq!(
        printed.out,
        "3.0.0 changes nothing that 1 file in infra use.\n"
    );
    workspace.write("empty/x.txt", "");
    let printed = workspace.run(&["check", "--release", "3.0.0", "--consumers", "empty"]);
    assert_eq!(
        (printed.code, printed.out.as_str()),
        (0, "There is no Terraform configuration in empty.\n")
    );
}

#[test]
fn what_cannot_be_read_is_said_and_the_rest_is_checked() {
    let workspace = workspace();
    workspace.write(
        "infra/broken.tf",
        "resource \"acme_bucket\" \"b\" {\n  password = \"hunter2\n}\n",
    );
    fs::write(workspace.file("infra/latin1.tf"), b"# \xe9\n").unwrap();
    workspace.write(
        "infra/deep.tf",
        &format!(
            "locals {{ x = {}1{} }}\n",
            "[".repeat(100_000),
            "]".repeat(100_000)
        ),
    );
    workspace.write(
        "infra/broken.tf.json",
        "{\n  \"locals\": { \"x\": \"hunter2\" \"y\" }\n}\n",
    );
    let printed = run(&workspace, "text");
    assert_eq!(printed.code, 3);
    assert_eq!(
        printed
            .err
            .lines()
            .filter(|line| line.starts_with("error: "))
            .count(),
        4,
        "{}",
        printed.err
    );
    assert!(
        printed.err.contains(
            "infra/broken.tf.json:2:30: this is not a Terraform configuration: expected `,` or `}`"
        ),
        "{}",
        printed.err
    );
    assert!(
        printed.err.contains("infra/broken.tf:2:") && !printed.err.contains("hunter2"),
        "{}",
        printed.err
    );
    assert!(printed.out.contains("acme_bucket.logs"), "{}", printed.out);
}

#[test]
fn wrong_use_is_refused() {
    let workspace = workspace();
    let missing = workspace.run(&["check", "--release", "3.0.0", "--consumers", "nowhere"]);
    assert_eq!(missing.code, 3);
    assert!(
        missing.err.starts_with("error: cannot read nowhere: "),
        "{}",
        missing.err
    );
    let format = run(&workspace, "junit");
    assert_eq!(
        (format.code, format.err.as_str()),
        (2, "error: --consumers prints text, json or sarif\n")
    );
    assert_eq!(
        workspace.run(&["changelog", "--consumers", "infra"]).code,
        2
    );
}
