#![no_main]
//! Flat state of any keys and values: one pair a line, `key=value`.

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use upstate::{UpgradeRequest, Value};

fuzz_target!(|data: &[u8]| {
    let Some((ty, data)) = upstate_fuzz::take_type(data) else {
        return;
    };
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let map: BTreeMap<String, String> = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.into(), value.into()))
        .collect();
    if let Ok(value) = Value::from_flatmap(&map, &ty) {
        let _ = value.to_flatmap(&ty);
    }
    for version in 0..2 {
        let response =
            upstate_fuzz::registry().upgrade(&UpgradeRequest::flatmap("shape", version, &map));
        assert_ne!(
            response.state().is_some(),
            response.diagnostics().has_errors()
        );
    }
});
