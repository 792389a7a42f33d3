use upstate::Document;

#[derive(Document)]
struct Size(#[attribute(with = sizes)] u64);

#[derive(Document)]
struct Body(String, #[serde(deserialize_with = "read")] u64);

mod sizes {}

fn main() {}
