use upstate::Document;

#[derive(Document)]
struct Point(u8, #[serde(skip_serializing_if = "Option::is_none")] Option<u8>, u8);

fn main() {}
