#![no_main]
//! What is read as a state file is one again after an upgrade, and is left alone by the next.

use libfuzzer_sys::fuzz_target;
use upstate::state_file::StateFile;

fuzz_target!(|data: &[u8]| {
    let registry = upstate_fuzz::registry();
    let Ok(state) = StateFile::parse(data) else { return };
    let Some(upgraded) = state.upgrade(&registry).to_bytes() else { return };
    let again = StateFile::parse(&upgraded).expect("an upgraded file is a state file").upgrade(&registry);
    assert!(!again.has_changes(), "nothing is left to upgrade");
    assert_eq!(again.to_bytes().expect("nothing fails"), upgraded);
});
