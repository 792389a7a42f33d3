//! Stored states one a line: what comes in need not be fit for memory.

use std::io::Read as _;

use proptest::prelude::*;
use upstate_state::upgrade_lines;

use super::registry;

#[test]
fn a_line_too_long_for_memory_is_told_and_passed_over() {
    let line = |id: &str| {
        format!(
            "{{\"type_name\":\"example_box\",\"schema_version\":0,\"attributes\":{{\"id\":\"{id}\",\"name\":\"n\"}}}}\n"
        )
    };
    let length = (64 << 20) + 1;
    let long = std::io::repeat(b'x').take(length as u64);
    let (first, last) = (line("1"), format!("\n{}", line("3")));
    let input = first.as_bytes().chain(long).chain(last.as_bytes());
    let mut out = Vec::new();
    let totals = upgrade_lines(&registry(), std::io::BufReader::new(input), &mut out).unwrap();
    assert_eq!((totals.upgraded, totals.failed), (2, 1));
    let upgraded = |id: &str| {
        format!(
            "{{\"type_name\":\"example_box\",\"schema_version\":1,\"attributes\":{{\"id\":\"{id}\",\"label\":\"n\",\"tags\":[]}}}}\n"
        )
    };
    // What it holds comes out again.
    let detail = "The line is longer than 64 MiB, so it is passed on without a look at it.";
    // Not by the function below, which would take ten seconds for it.
    let written = base64(b"xxx").repeat(length / 3) + &base64(&b"xxx"[..length % 3]);
    let told = format!(
        "{{\"line\":2,\"error\":{{\"severity\":\"error\",\"code\":\"too-long\",\"summary\":\"Line Too Long\",\"detail\":\"{detail}\"}},\"input_base64\":\"{written}\"}}\n"
    );
    assert!(out == [upgraded("1"), told, upgraded("3")].concat().into_bytes());
}

#[test]
fn what_is_no_text_comes_out_again() {
    let mut out = Vec::new();
    let line = b"{\"type_name\":\"x\",\"attributes\":{\"id\":\"a\xff\"}}";
    upgrade_lines(
        &registry(),
        &[line.as_slice(), b"\n"].concat()[..],
        &mut out,
    )
    .unwrap();
    let out: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(
        out["error"]["detail"],
        "The line is not UTF-8 from byte 38 on."
    );
    assert_eq!(out["input_base64"], base64(line));
}

/// Standard base64 with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .chain(&[0; 3])
            .take(3)
            .fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        let digit = |place: usize| {
            if place > chunk.len() {
                '='
            } else {
                char::from(DIGITS[bits >> (18 - 6 * place) & 63])
            }
        };
        text.extend((0..4).map(digit));
    }
    text
}

/// The members that a line has, in any order and any number of times.
fn member() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        r#""error":1"#,
        r#""error" : {"summary":"}"} "#,
        r#" "error":[ ]"#,
        r#""type_name":"example_box""#,
        r#""type_name":"x""#,
        r#""attributes":{"id":"1","name":"n"}"#,
        r#""attributes":{}"#,
        r#""attributes_flat":{"id":"1","name":"n"}"#,
        r#""attributes_flat":null"#,
        r#""schema_version":0"#,
        r#""schema_version" : 1"#,
        r#""schema_version":null"#,
        r#""note":"{\"error\":1}""#,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_in_is_json_out(members in prop::collection::vec(member(), 0..7), comma in prop::sample::select(vec![",", " , ", ",\t"])) {
        let line = format!("{{{}}}\n", members.join(comma));
        let mut out = Vec::new();
        upgrade_lines(&registry(), line.as_bytes(), &mut out).unwrap();
        let out: serde_json::Value = serde_json::from_slice(&out).map_err(|error| {
            TestCaseError::fail(format!("{error}: {}", String::from_utf8_lossy(&out)))
        })?;
        // Only this run's own error is there.
        prop_assert!(out.get("error").is_none_or(|error| error.get("detail").is_some()));
    }

    /// A line whose attributes come last is upgraded without a look at where they end, and lines
    /// that are text all together are not looked at one by one. A blank behind it, and a line
    /// behind it that is not text, take both away.
    #[test]
    fn a_line_becomes_the_same_whatever_is_behind_it(members in prop::collection::vec(member(), 0..7), version in prop::sample::select(vec!["", "\"schema_version\":0,", "\"note\":0,"])) {
        let line = format!("{{{version}{}}}", members.join(","));
        let upgraded = |lines: &[u8]| {
            let mut out = Vec::new();
            let totals = upgrade_lines(&registry(), lines, &mut out).unwrap();
            (String::from_utf8(out).unwrap(), totals)
        };
        let (out, totals) = upgraded(format!("{line}\n").as_bytes());
        let (before, with_other) = upgraded(&[line.as_bytes(), b"\n\xff\n"].concat());
        prop_assert!(before.starts_with(&out), "{before}, not {out}");
        prop_assert_eq!(with_other.upgraded, totals.upgraded);
        if totals.failed == 0 {
            let (looked_at, _) = upgraded(format!("{line} \n").as_bytes());
            prop_assert_eq!(looked_at.replace(" \n", "\n"), out);
        }
    }
}
