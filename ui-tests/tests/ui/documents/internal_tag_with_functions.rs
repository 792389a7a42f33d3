use upstate::{Document, Union};

#[derive(Document)]
struct Point {
    x: u8,
}

#[derive(Union)]
#[serde(tag = "type")]
enum Event {
    At(#[serde(with = "points")] Point),
}

mod points {}

fn main() {}
