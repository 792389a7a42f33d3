use upstate::Document;

#[derive(Document)]
#[serde(transparent)]
struct Level {}

fn main() {}
