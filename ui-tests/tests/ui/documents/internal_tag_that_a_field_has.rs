use upstate::{Document, Union};

#[derive(Document)]
struct Inner {
    r#type: String,
    x: u8,
}

#[derive(Union)]
#[serde(tag = "type")]
enum Event {
    Made(Inner),
}

fn main() {}
