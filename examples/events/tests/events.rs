//! The program reads the events of every release, and stores new ones as documents.

#![allow(clippy::unwrap_used, reason = "the test's own helpers may panic too")]

use std::process::Command;

#[test]
fn events_of_three_releases_are_read() {
    let output = Command::new(env!("CARGO_BIN_EXE_events")).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let printed = String::from_utf8(output.stdout).unwrap();
    for line in [
        r#"1 by 1.0: {"Deposited":{"dollars":5}}"#,
        "1, now: Deposited(Deposited { cents: 500 })",
        r#"2, now: Opened(Opened { owner: "ada" })"#,
        "3, now: Deposited(Deposited { cents: 25 })",
        r#"4, now: Opened(Opened { owner: "ada lovelace" })"#,
        r#"Account { owner: "ada lovelace", cents: 525 }"#,
        r#"5, stored: {"type":"money_deposited","schema_version":1,"data":{"cents":10}}"#,
    ] {
        assert!(printed.contains(line), "{line} in {printed}");
    }
}
