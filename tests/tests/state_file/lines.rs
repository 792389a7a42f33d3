//! Stored states one a line: what comes in need not be fit for memory.

use std::io::Read as _;

use upstate_state::upgrade_lines;

use super::registry;

#[test]
fn a_line_too_long_for_memory_is_told_and_passed_over() {
    let line = |id: &str| {
        format!("{{\"type_name\":\"example_box\",\"schema_version\":0,\"attributes\":{{\"id\":\"{id}\",\"name\":\"n\"}}}}\n")
    };
    let long = std::io::repeat(b'x').take((64 << 20) + 1);
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
    let told = "{\"line\":2,\"error\":{\"summary\":\"Line Too Long\",\"detail\":\"The line is longer than 64 MiB and was not read.\"}}\n";
    assert_eq!(String::from_utf8(out).unwrap(), upgraded("1") + told + &upgraded("3"));
}
