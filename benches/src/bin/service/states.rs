//! States as Terraform writes them, of about the size that is asked for.

use std::fmt::Write as _;

use md5::{Digest, Md5};

/// The digits of the serial: all states of a size have the same length.
const SERIAL: usize = 9;

/// One state, of which every serial makes another.
pub struct States {
    before: String,
    after: String,
}

impl States {
    pub fn new(size: usize) -> Self {
        let before =
            "{\n  \"version\": 4,\n  \"terraform_version\": \"1.15.5\",\n  \"serial\": ".to_owned();
        let mut after = ",\n  \"lineage\": \"8f14e45f-ceea-467f-a0e6-3b1d1a2f0c11\",\n  \"outputs\": {\n    \"address\": {\n      \"value\": \
                         \"10.0.0.1\",\n      \"type\": \"string\"\n    }\n  },\n  \"resources\": ["
            .to_owned();
        let mut number = 0_u64;
        while before.len() + after.len() + 40 < size {
            let comma = if number == 0 { "" } else { "," };
            // Every value is another one, as ids and addresses are; what surrounds them is not.
            let id = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let _ = write!(
                after,
                "{comma}\n    {{\n      \"mode\": \"managed\",\n      \"type\": \"example_server\",\n      \"name\": \"server_{number}\",\n      \
                 \"provider\": \"provider[\\\"example.com/test/example\\\"]\",\n      \"instances\": [\n        {{\n          \
                 \"schema_version\": 1,\n          \"attributes\": {{\n            \"id\": \"srv-{id:016x}\",\n            \"name\": \
                 \"server-{number}\",\n            \"address\": \"10.{}.{}.{}\",\n            \"tags\": {{\n              \"team\": \
                 \"platform\"\n            }}\n          }},\n          \"sensitive_attributes\": [],\n          \"private\": \
                 \"{id:016x}{:016x}\"\n        }}\n      ]\n    }}",
                id as u8,
                (id >> 8) as u8,
                (id >> 16) as u8,
                id.rotate_left(17),
            );
            number += 1;
        }
        after.push_str("\n  ],\n  \"check_results\": null\n}\n");
        Self { before, after }
    }

    /// The state with this serial, and its MD5 in hexadecimal digits.
    pub fn state(&self, serial: u64) -> (Vec<u8>, String) {
        // Whole numbers have no leading zeros.
        let serial = 10_u64.pow(SERIAL as u32 - 1) + serial;
        let state = format!("{}{serial}{}", self.before, self.after).into_bytes();
        let md5 = Md5::digest(&state)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        (state, md5)
    }

    /// The state for a serial.
    pub fn serial(serial: u64) -> u64 {
        10_u64.pow(SERIAL as u32 - 1) + serial
    }
}
