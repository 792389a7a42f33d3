#![no_main]
//! What is read as a state file is one again after an upgrade, and is left alone by the next;
//! rewritten it says the same.

use libfuzzer_sys::fuzz_target;
use upstate_state::{StateFile, UpgradeOptions};

fuzz_target!(|data: &[u8]| {
    let registry = upstate_fuzz::registry();
    let Ok(state) = StateFile::parse(data) else {
        return;
    };
    let mut normal = Vec::new();
    state
        .normalize(&mut normal)
        .expect("a vector takes everything");
    let again = StateFile::parse(&normal).expect("a rewritten file is a state file");
    assert_eq!(again.instances().len(), state.instances().len());
    let mut upgraded = Vec::new();
    let options = UpgradeOptions::new().partial(true).changes(true);
    // The only error is a serial that cannot grow.
    let Ok(totals) = state.upgrade_to(&registry, &options, &mut upgraded, |_| Ok(())) else {
        return;
    };
    if !totals.may_be_written() {
        return;
    }
    let again = StateFile::parse(&upgraded).expect("an upgraded file is a state file");
    let mut left = Vec::new();
    let totals = again
        .upgrade_to(&registry, &options, &mut left, |_| Ok(()))
        .expect("the serial has room");
    assert_eq!(totals.upgraded(), 0, "nothing is left to upgrade");
});
