use upstate::Document;

#[derive(Document)]
struct Inner {
    x: u8,
}

#[derive(Document)]
struct Pair(u8, #[serde(flatten)] Inner);

fn main() {}
