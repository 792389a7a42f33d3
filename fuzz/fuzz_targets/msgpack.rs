#![no_main]
//! What the decoder accepts, it writes and reads again unchanged.

use libfuzzer_sys::fuzz_target;
use upstate::Value;
use upstate::codec::Encoding;

fuzz_target!(|data: &[u8]| {
    let Some((ty, data)) = upstate_fuzz::take_type(data) else {
        return;
    };
    if let Ok(value) = Value::from_msgpack(data, &ty) {
        let bytes = value
            .encode(&ty, Encoding::Msgpack)
            .expect("what was read is of its type");
        assert_eq!(
            Value::from_msgpack(&bytes, &ty).expect("what was written is read"),
            value
        );
    }
});
