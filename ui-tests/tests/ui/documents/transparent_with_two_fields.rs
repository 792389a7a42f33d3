use upstate::Document;

#[derive(Document)]
#[serde(transparent)]
struct Level {
    a: u8,
    b: u8,
}

fn main() {}
