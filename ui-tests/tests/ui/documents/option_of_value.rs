use upstate::Document;

#[derive(Document)]
struct Settings {
    a: Option<serde_json::Value>,
}

fn main() {}
