use upstate::Document;

#[derive(Document)]
struct Settings {
    #[serde(rename(serialize = "out", deserialize = "in"))]
    title: String,
}

fn main() {}
