//! Pseudo-random documents, which do not differ between runs.

use serde_json::{Map, Value, json};

/// A small generator of numbers and strings (xorshift).
#[derive(Debug)]
pub struct Generator(u64);

impl Generator {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 16) % end
    }

    pub fn flag(&mut self) -> bool {
        self.below(2) == 0
    }

    pub fn hex(&mut self, length: usize) -> String {
        (0..length)
            .map(|_| char::from(b"0123456789abcdef"[self.below(16) as usize]))
            .collect()
    }

    pub fn word(&mut self) -> &'static str {
        [
            "frontend", "batch", "ledger", "search", "edge", "billing", "ingest", "cache",
        ][self.below(8) as usize]
    }

    /// A sentence; one in six has something to escape or is not ASCII.
    pub fn sentence(&mut self) -> String {
        match self.below(12) {
            0 => format!(
                "serves \"{}\" traffic\nsince {}",
                self.word(),
                self.below(9)
            ),
            1 => format!("für {} gedacht – größer", self.word()),
            _ => format!("serves the {} traffic of team {}", self.word(), self.word()),
        }
    }

    /// A map of `length` labels.
    pub fn labels(&mut self, length: usize) -> Value {
        let labels: Map<String, Value> = (0..length)
            .map(|index| {
                (
                    format!("{}-{index}", self.word()),
                    json!(format!("{}-{}", self.word(), self.hex(4))),
                )
            })
            .collect();
        Value::Object(labels)
    }
}

/// The members of `base` and `more` in one object.
pub fn joined(base: &Value, more: Value) -> Value {
    let (Value::Object(mut object), Value::Object(more)) = (base.clone(), more) else {
        panic!("two objects are joined")
    };
    object.extend(more);
    Value::Object(object)
}
