use upstate::Document;

#[derive(Document)]
struct Port(#[serde(skip)] u8);

fn main() {}
