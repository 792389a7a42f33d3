//! `inspect`, `explain` and `schema`: what there is.

use std::process::Command;

use serde_json::Value;

use super::{code, committed_state, realworld, realworld_reading, stderr, stdout};

#[test]
fn schema_shows_types_routes_and_attributes() {
    let printed = stdout(&realworld(&["schema", "aws_elasticache_replication_group"]));
    assert!(printed.contains("schema version 3"), "{printed}");
    assert!(printed.contains("upgrades 1 → 2 → 3"), "{printed}");
    let json: Value =
        serde_json::from_str(&stdout(&realworld(&["schema", "--format", "json"]))).unwrap();
    assert_eq!(
        json.as_object().unwrap().len(),
        upstate_examples::registry().definitions().len()
    );
    assert_eq!(json["aws_instance"]["version"], 2);
}

#[test]
fn explain_draws_the_way_up_from_each_version() {
    let printed = stdout(&realworld(&[
        "explain",
        "aws_elasticache_replication_group",
    ]));
    assert_eq!(
        printed,
        "aws_elasticache_replication_group, schema version 3
  A group of cache nodes. Nothing before version 1 is known.

  3 current
  └─ 2
     └─ 1

  stored at 1: 1 → 2 → 3
  stored at 2: 2 → 3
  stored before 1: refused, no longer supported
  stored after 3: refused, a later release wrote it

  1               2                             3 current
                + auth_token_update_strategy  ○ auth_token_update_strategy
                                              + cluster_mode
  cluster_mode  ✕
  ○ converted, + new, ✕ dropped
  unchanged: auth_token, engine, id

1 → 2  operators
    set(auth_token_update_strategy = \"ROTATE\")
    drop(cluster_mode, \"num_node_groups and replicas_per_node_group are attributes of their own\")
  + auth_token_update_strategy  string
  - cluster_mode  list of objects
  - cluster_mode.num_node_groups  number
  - cluster_mode.replicas_per_node_group  number
  up:   lossy: cluster_mode (the value is dropped)
  back: lossy: auth_token_update_strategy (any value but the constant)

2 → 3  operators
    set(cluster_mode = null)
    only_if(lacks(auth_token), set(auth_token_update_strategy = null))
    drop(auth_token_update_strategy, \"without a token there is nothing to update\")
  + cluster_mode  string
  up:   lossy: auth_token_update_strategy (on which states the condition held), auth_token_update_strategy (the value is dropped)
  back: lossy: cluster_mode (any value but the constant), auth_token_update_strategy (what the condition decides differently when the state is upgraded again), auth_token_update_strategy (any value but the constant)
"
    );
    let printed = stdout(&realworld(&["explain", "google_compute_instance"]));
    assert!(
        printed.contains("\n1 → 2  operators\n    carry\n    service_account: convert(scopes)\n"),
        "{printed}"
    );
    assert!(
        printed.contains(
            "\n3 to 4 → 5  an asynchronous function\n  + attached_disk  list of objects\n"
        ),
        "{printed}"
    );
    let unknown = realworld(&["explain", "aws_instanec"]);
    assert_eq!(code(&unknown), 2);
    assert_eq!(
        stderr(&unknown),
        "error: no type is named \"aws_instanec\"; did you mean \"aws_instance\"?\n"
    );
}

#[test]
fn explain_draws_each_attribute_as_a_lane_that_fits_the_terminal() {
    let drawn = |columns: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_realworld"))
            .args(["explain", "google_compute_instance"])
            .env("COLUMNS", columns)
            .output()
            .unwrap();
        let text = stdout(&output);
        let (_, from) = text.split_once("a later release wrote it\n\n").unwrap();
        from.split_once("\n\n0 → 1").unwrap().0.to_owned()
    };
    assert_eq!(
        drawn("80"),
        "  0               1           2               3 to 4          5
                                                            + attach…_disk
                                                            + boot_disk
                                                            + boot_d…arams
                                            + create…meout  ────────────────
  metadata      ○ metadata  ────────────────────────────────────────────────
                                                            + scratch_disk
  servic…copes  ────────────○ servic…copes  ────────────────────────────────
  disk          ────────────────────────────────────────────✕

  5               6 current
  boot_d…arams  ○ boot_d…arams
  ○ converted, + new, ✕ dropped
  unchanged: id, name, service_account, zone"
    );
    let wide = drawn("140");
    assert!(
        wide.contains("\n  service_account.scopes  ────────────○ service_account.scopes  ───"),
        "{wide}"
    );
    for columns in ["40", "80", "140"] {
        let drawn = drawn(columns);
        let longest = drawn
            .lines()
            .map(|line| line.chars().count())
            .max()
            .unwrap();
        assert!(longest <= columns.parse().unwrap(), "{columns}: {drawn}");
    }
}

#[test]
fn the_lanes_of_every_type_hang_together() {
    let schemas: Value =
        serde_json::from_str(&stdout(&realworld(&["schema", "--format", "json"]))).unwrap();
    for type_name in schemas.as_object().unwrap().keys() {
        let json: Value = serde_json::from_str(&stdout(&realworld(&[
            "explain", type_name, "--format", "json",
        ])))
        .unwrap();
        assert_eq!(
            (&json["type"], &json["version"]),
            (
                &Value::from(type_name.as_str()),
                &schemas[type_name]["version"]
            )
        );
        for route in json["routes"].as_array().unwrap() {
            let versions = route["versions"].as_array().unwrap().len();
            assert!(
                versions > 1 && route["upgraders"].as_array().unwrap().len() == versions - 1,
                "{type_name}"
            );
            for lane in route["lanes"].as_array().unwrap() {
                let (places, fates) = (
                    lane["places"].as_array().unwrap(),
                    lane["fates"].as_array().unwrap(),
                );
                assert_eq!(
                    (places.len(), fates.len()),
                    (versions, versions - 1),
                    "{type_name}"
                );
                for (pair, fate) in places.windows(2).zip(fates) {
                    let fits = match fate["fate"].as_str().unwrap() {
                        "absent" => pair[0].is_null() && pair[1].is_null(),
                        "kept" => pair[0].is_string() && pair[0] == pair[1],
                        "moved" => pair[0].is_string() && pair[1].is_string() && pair[0] != pair[1],
                        "converted" => pair[0].is_string() && pair[1].is_string(),
                        "added" | "split" | "unknown" => pair[0].is_null() && pair[1].is_string(),
                        "merged" | "dropped" => pair[0].is_string() && pair[1].is_null(),
                        other => panic!("{type_name}: no fate is called {other}"),
                    };
                    assert!(fits, "{type_name}: {lane:#}");
                }
            }
        }
        let svg = stdout(&realworld(&["explain", type_name, "--format", "svg"]));
        let titles = svg.matches("<title>").count();
        assert!(
            svg.ends_with("</svg>\n") && titles == svg.matches("</title>").count() && titles > 1,
            "{type_name}: {svg}"
        );
    }
}

#[test]
fn inspect_counts_types_and_versions() {
    let printed = stdout(&realworld_reading(&committed_state(), &["inspect", "-"]));
    assert!(
        printed.starts_with(
            "standard input: 184 instances, serial 1187\n  written by Terraform 1.13.4\n  lineage "
        ),
        "{printed}"
    );
    let row = |type_name: &str, version: &str| {
        let rows = printed
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>());
        rows.filter(|row| row.len() > 3 && row[0] == type_name && row[1] == version)
            .map(|row| row[3..].join(" "))
            .next()
    };
    assert_eq!(
        row("aws_instance", "1").as_deref(),
        Some("needs an upgrade to 2")
    );
    assert_eq!(row("random_password", "3").as_deref(), Some("unknown type"));
    assert!(
        printed.ends_with("\n175 instances need an upgrade\n"),
        "{printed}"
    );
    let upgraded = realworld_reading(&committed_state(), &["upgrade", "-"]).stdout;
    assert!(
        stdout(&realworld_reading(&upgraded, &["inspect", "-"]))
            .ends_with("\nnothing needs an upgrade\n")
    );
    let json: Value = serde_json::from_str(&stdout(&realworld_reading(
        &committed_state(),
        &["inspect", "-", "--format", "json"],
    )))
    .unwrap();
    assert_eq!(
        (&json["needs_upgrade"], &json["cannot_upgrade"]),
        (&Value::from(175), &Value::from(0))
    );
    let newer = String::from_utf8(committed_state())
        .unwrap()
        .replace("\"schema_version\": 0", "\"schema_version\": 99");
    let printed = stdout(&realworld_reading(newer.as_bytes(), &["inspect", "-"]));
    assert!(
        printed.contains("newer than 1, the latest known here"),
        "{printed}"
    );
    // What is newer than this release needs no upgrade, and gets none.
    let json: Value = serde_json::from_str(&stdout(&realworld_reading(
        newer.as_bytes(),
        &["inspect", "-", "--format", "json"],
    )))
    .unwrap();
    let (needs, cannot) = (
        json["needs_upgrade"].as_u64().unwrap(),
        json["cannot_upgrade"].as_u64().unwrap(),
    );
    assert!(needs > 0 && cannot > 0 && needs + cannot == 175, "{json}");
    let last = format!(
        "\n{needs} instances need an upgrade\n{cannot} instances cannot be upgraded by this release\n"
    );
    assert!(printed.ends_with(&last), "{printed}");
}
