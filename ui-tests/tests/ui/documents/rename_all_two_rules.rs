use upstate::Document;

#[derive(Document)]
#[serde(rename_all(serialize = "camelCase", deserialize = "kebab-case"))]
struct Settings {
    window_width: u16,
}

fn main() {}
