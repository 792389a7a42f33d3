use upstate::Document;

#[derive(Document)]
#[serde(tag = "type")]
struct Level(u8);

fn main() {}
