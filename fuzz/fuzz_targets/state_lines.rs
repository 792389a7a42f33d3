#![no_main]
//! Whatever a line holds, a line comes out; one that is an object stays one, and comes out the same
//! when it goes in again.

use libfuzzer_sys::fuzz_target;
use upstate_state::upgrade_lines;

fuzz_target!(|data: &[u8]| {
    let registry = upstate_fuzz::registry();
    let lines = |text: &[u8]| text.split_inclusive(|byte| *byte == b'\n').count();
    let mut out = Vec::new();
    upgrade_lines(&registry, data, &mut out).expect("a vector takes everything");
    assert_eq!(lines(&out), lines(data));
    let mut again = Vec::new();
    let totals =
        upgrade_lines(&registry, out.as_slice(), &mut again).expect("a vector takes everything");
    assert_eq!(totals.upgraded, 0, "nothing is left to upgrade");
});
