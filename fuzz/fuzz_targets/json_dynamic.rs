#![no_main]
//! What the decoder by type accepts, it writes and reads again unchanged, in both encodings.

use libfuzzer_sys::fuzz_target;
use upstate::Value;
use upstate::codec::{Encoding, UnknownAttributes};

fuzz_target!(|data: &[u8]| {
    let Some((ty, data)) = upstate_fuzz::take_type(data) else {
        return;
    };
    let _ = Value::from_untyped_json(data);
    let _ = Value::from_json(data, &ty, UnknownAttributes::Ignore);
    if let Ok(value) = Value::from_json(data, &ty, UnknownAttributes::Deny) {
        let json = value
            .encode(&ty, Encoding::Json)
            .expect("what was read is of its type");
        assert_eq!(
            Value::from_json(&json, &ty, UnknownAttributes::Deny)
                .expect("what was written is read"),
            value
        );
        let bytes = value
            .encode(&ty, Encoding::Msgpack)
            .expect("what was read is of its type");
        assert_eq!(
            Value::from_msgpack(&bytes, &ty).expect("what was written is read"),
            value
        );
    }
});
