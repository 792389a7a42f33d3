//! Values that a model rewrites, what other libraries kept, and functions that block.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::real::terraform::{V1_6, V1_10, V1_15};
use super::workspace::Workspace;

/// Numbers that no float holds, and strings that their types spell otherwise.
const CONFIG: &str = r#"
resource "quay_gauge" "it" {
  ratio   = 1/3
  ratios  = [100/7, 1.1*3, 0.1, 3.3333333333333333333]
  address = "2001:DB8::1"
  code    = "shout"
  legacy  = 0
  weight  = 1/3
  reading = [{ ratio = 2/3 }, { ratio = 0.5 }]
  hosts   = [{ address = "FE80::1" }, { address = "10.0.0.1" }]
}
"#;

fn gauge(config: &str) -> Workspace {
    let workspace = Workspace::new("quay");
    workspace.write("main.tf", config);
    workspace
}

#[test]
fn what_a_model_rewrites_is_as_the_user_wrote_it() {
    for release in [V1_15, V1_10, V1_6] {
        let workspace = Workspace::with("quay", release);
        workspace.write("main.tf", CONFIG);
        assert_eq!(
            workspace.apply().changes(),
            (1, 0, 0),
            "{}",
            release.terraform
        );
        let stored = workspace.instance("quay_gauge")["attributes"].clone();
        assert_eq!(
            (&stored["address"], &stored["code"]),
            (&json!("2001:DB8::1"), &json!("shout"))
        );
        assert_eq!(stored["legacy"], json!(0));
        assert_eq!(
            workspace.plan().changes(),
            (0, 0, 0),
            "{}",
            release.terraform
        );
        let text = workspace.read("terraform.tfstate");
        assert!(
            text.contains("\"ratio\": 0.333333333333333333333333333"),
            "{text}"
        );
        workspace.write(
            "main.tf",
            &CONFIG
                .replace("1.1*3", "1.1*7")
                .replace("\"10.0.0.1\"", "\"10.0.0.2\""),
        );
        assert_eq!(
            workspace.apply().changes(),
            (0, 1, 0),
            "{}",
            release.terraform
        );
        assert_eq!(
            workspace.plan().changes(),
            (0, 0, 0),
            "{}",
            release.terraform
        );
    }
}

#[test]
fn stored_state_keeps_its_digits_and_letters_when_it_is_upgraded() {
    let config = "resource \"quay_gauge\" \"it\" {\n ratio = 1/3\n address = \"2001:DB8::1\"\n code = \"shout\"\n}\n";
    let workspace = gauge(config);
    workspace.apply().succeeds();
    // That state, as version 0 stored it: of what is not set, old releases stored zero.
    let text = workspace.read("terraform.tfstate");
    let old = text
        .replace("\"schema_version\": 1", "\"schema_version\": 0")
        .replace("\"legacy\": null", "\"legacy\": 0");
    assert_ne!(text, old);
    workspace.write("terraform.tfstate", &old);
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    let stored = workspace.instance("quay_gauge");
    assert_eq!(
        (&stored["schema_version"], &stored["attributes"]["legacy"]),
        (&json!(1), &Value::Null)
    );
    assert!(
        workspace
            .read("terraform.tfstate")
            .contains("\"ratio\": 0.333333333333333333333333333")
    );
}

#[test]
fn a_rounded_state_means_what_is_configured() {
    let workspace = gauge("resource \"quay_gauge\" \"it\" {\n ratio = 1/3\n}\n");
    let attributes = json!({"id": "gauge", "ratio": 1.0 / 3.0});
    workspace.store(&[workspace.stored("quay_gauge", 1, &attributes)]);
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
}

#[test]
fn another_way_to_write_the_same_is_no_change() {
    for release in [V1_15, V1_6] {
        let workspace = Workspace::with("quay", release);
        let config = |policy: &str, range: &str, protocol: &str, until: &str| {
            format!(
                "resource \"quay_gauge\" \"it\" {{\n policy = {policy:?}\n range = \"{range}\"\n protocol = \"{protocol}\"\n \
                 logs = [{{ name = \"a\", until = \"{until}\" }}]\n}}\n"
            )
        };
        let first = config(
            "{ \"b\": 1.0, \"a\": 2 }",
            "2001:DB8::/32",
            "TCP",
            "2026-01-02T04:04:05+01:00",
        );
        workspace.write("main.tf", &first);
        assert_eq!(workspace.apply().changes(), (1, 0, 0));
        let stored = workspace.read("terraform.tfstate");
        assert!(
            stored.contains("2001:DB8::/32") && stored.contains("TCP") && stored.contains("+01:00"),
            "{stored}"
        );
        workspace.write(
            "main.tf",
            &config(
                "{\"a\":2,\"b\":1}",
                "2001:db8:0::/32",
                "tcp",
                "2026-01-02T03:04:05Z",
            ),
        );
        assert_eq!(
            workspace.apply().changes(),
            (0, 0, 0),
            "{}",
            release.terraform
        );
        assert_eq!(workspace.read("terraform.tfstate"), stored);
        // What changes is written as it is configured now, and what does not is left as it was.
        workspace.write(
            "main.tf",
            &config(
                "{\"a\":3,\"b\":1}",
                "2001:db8:0::/32",
                "tcp",
                "2026-01-02T03:04:06Z",
            ),
        );
        assert_eq!(
            workspace.apply().changes(),
            (0, 1, 0),
            "{}",
            release.terraform
        );
        let attributes = workspace.instance("quay_gauge")["attributes"].clone();
        assert_eq!(
            (&attributes["policy"], &attributes["range"]),
            (&json!("{\"a\":3,\"b\":1}"), &json!("2001:DB8::/32"))
        );
        assert_eq!(
            attributes["logs"],
            json!([{"name": "a", "until": "2026-01-02T03:04:06Z"}])
        );
        assert_eq!(
            workspace.plan().changes(),
            (0, 0, 0),
            "{}",
            release.terraform
        );
    }
}

#[test]
fn a_value_that_the_model_does_not_take_is_told_where_it_stands() {
    let logs = "logs = [{ name = \"abc\", until = \"2026-01-02T03:04:05Z\" },\n  { name = \"abcd\", until = \"2026-01-02T03:04:05Z\" }]";
    let workspace = gauge(&format!("resource \"quay_gauge\" \"it\" {{\n {logs}\n}}\n"));
    let error = workspace.validate().error();
    assert_eq!(
        (&error["summary"], &error["detail"]),
        (
            &json!("Invalid Attribute Value"),
            &json!("logs[1].name must have 1 to 3 characters, and has 4.")
        )
    );
    assert_eq!(error["range"]["start"]["line"], 3);
}

/// The last of them no float holds.
const LARGE: [&str; 4] = [
    "9223372036854775808",
    "18446744073709551616",
    "100000000000000000000000",
    "-9223372036854775809",
];

#[test]
fn large_numbers_are_what_they_were() {
    for release in [V1_15, V1_10] {
        let workspace = Workspace::with("quay", release);
        for weight in LARGE {
            workspace.write(
                "main.tf",
                &format!("resource \"quay_gauge\" \"it\" {{\n weight = {weight}\n}}\n"),
            );
            workspace.apply().succeeds();
            let text = workspace.read("terraform.tfstate");
            assert!(
                text.contains(&format!("\"weight\": {weight}")),
                "{}: {text}",
                release.terraform
            );
            assert_eq!(
                workspace.plan().changes(),
                (0, 0, 0),
                "{}: {weight}",
                release.terraform
            );
        }
    }
}

#[test]
fn large_numbers_in_old_state_stay_what_they_are_with_a_terraform_that_sends_floats() {
    // This release rounds what it plans to a float, so it can't create such a thing with any
    // provider; it must not spoil one that is there.
    for weight in LARGE {
        let workspace = Workspace::with("quay", V1_6);
        workspace.write(
            "main.tf",
            &format!("resource \"quay_gauge\" \"it\" {{\n weight = {weight}\n}}\n"),
        );
        let attributes = json!({"id": "gauge", "weight": "%"});
        workspace.store(&[workspace.stored("quay_gauge", 0, &attributes)]);
        let state = workspace.read("terraform.tfstate").replace("\"%\"", weight);
        workspace.write("terraform.tfstate", &state);
        assert_eq!(workspace.apply().changes(), (0, 0, 0), "{weight}");
        assert_eq!(workspace.apply().changes(), (0, 0, 0), "{weight}");
        assert_eq!(workspace.instance("quay_gauge")["schema_version"], 1);
        let text = workspace.read("terraform.tfstate");
        assert!(text.contains(&format!("\"weight\": {weight}")), "{text}");
    }
}

#[test]
fn what_terraforms_sdk_kept_privately_does_not_stand_in_the_way() {
    let null = "bnVsbA==";
    let version = "eyJzY2hlbWFfdmVyc2lvbiI6IjEifQ==";
    let timeouts = "eyJlMmJmYjczMC1lY2FhLTExZTYtOGY4OC0zNDM2M2JjN2M0YzAiOnsiY3JlYXRlIjozMDAwMDAwMDAwMDB9LCJzY2hlbWFfdmVyc2lvbiI6IjEifQ==";
    for release in [V1_15, V1_10, V1_6] {
        for private in [null, version, timeouts] {
            let workspace = Workspace::with("quay", release);
            workspace.write(
                "main.tf",
                "resource \"quay_gauge\" \"it\" {\n ratio = 2\n}\n",
            );
            let attributes = json!({"id": "gauge", "ratio": 1});
            let instance = json!({"schema_version": 0, "private": private, "attributes": attributes, "sensitive_attributes": []});
            workspace.store(&[workspace.resource("quay_gauge", &json!([instance]))]);
            assert_eq!(
                workspace.apply().changes(),
                (0, 1, 0),
                "{} {private}",
                release.terraform
            );
            if private != null {
                // A user can go back to the release that wrote it.
                assert_eq!(
                    workspace.instance("quay_gauge")["private"],
                    private,
                    "{}",
                    release.terraform
                );
            }
            assert_eq!(
                workspace.destroy().changes(),
                (0, 0, 1),
                "{} {private}",
                release.terraform
            );
        }
    }
}

/// Many gauges of version 0, whose upgrade and reading block.
fn blocking(instances: u32, milliseconds: u32) -> Workspace {
    let workspace = gauge(&format!(
        "resource \"quay_gauge\" \"it\" {{\n count = {instances}\n blocks = {milliseconds}\n}}\n"
    ));
    let instance = |index: u32| {
        let attributes = json!({"id": format!("g-{index}"), "blocks": milliseconds});
        json!({"index_key": index, "schema_version": 0, "attributes": attributes, "sensitive_attributes": []})
    };
    let mut resource = workspace.resource("quay_gauge", &(0..instances).map(instance).collect());
    resource["each"] = json!("list");
    workspace.store(&[resource]);
    workspace
}

#[test]
fn as_many_functions_block_at_once_as_terraform_asks_for() {
    let workspace = blocking(20, 1000);
    let began = Instant::now();
    let ran = workspace.run(&["plan", "-json", "-input=false", "-parallelism=20"]);
    assert_eq!(ran.changes(), (0, 0, 0));
    // Forty calls of a second each; on two threads they take twenty seconds.
    assert!(
        began.elapsed() < Duration::from_secs(12),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn an_interrupt_does_not_wait_for_an_upgrade_that_blocks() {
    let workspace = blocking(2, 60_000);
    let mut command = workspace.command(&["plan", "-json", "-input=false"]);
    let terraform = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // By then the upgrade runs: it is the first thing that a plan does.
    std::thread::sleep(Duration::from_secs(5));
    let interrupted = Instant::now();
    Command::new("kill")
        .args(["-INT", &terraform.id().to_string()])
        .status()
        .unwrap();
    let output = terraform.wait_with_output().unwrap();
    assert!(
        interrupted.elapsed() < Duration::from_secs(20),
        "{:?}",
        interrupted.elapsed()
    );
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.contains("Upgrade Cancelled"), "{out}");
}
