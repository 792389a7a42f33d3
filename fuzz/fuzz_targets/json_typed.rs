#![no_main]
//! What a typed decoder accepts, it writes and reads again unchanged.

use libfuzzer_sys::fuzz_target;
use upstate_fuzz::Shape;

fuzz_target!(|data: &[u8]| {
    if let Ok(shape) = upstate::from_json::<Shape>(data) {
        let json = upstate::to_json(&shape).expect("only finite numbers are read");
        assert_eq!(
            upstate::from_json::<Shape>(&json).expect("what was written is read"),
            shape
        );
        upstate::to_msgpack(&shape).expect("only finite numbers are read");
    }
    for version in 0..3 {
        let _ = upstate::upgrade_json::<Shape>(version, data);
    }
});
