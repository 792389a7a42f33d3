use upstate::Document;

#[derive(Document)]
struct Settings {
    #[serde(rename(serialize = "out"))]
    title: String,
}

fn main() {}
