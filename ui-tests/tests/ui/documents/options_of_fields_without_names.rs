use upstate::Document;

#[derive(Document)]
struct Port(#[attribute(as_string)] u16);

#[derive(Document)]
struct Body(String, #[attribute(json)] serde_json::Value);

#[derive(Document)]
struct Size(#[attribute(with = sizes)] u64);

mod sizes {}

fn main() {}
