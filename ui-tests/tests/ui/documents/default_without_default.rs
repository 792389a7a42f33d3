use upstate::Document;

#[derive(Document)]
#[serde(default)]
struct Settings {
    a: u8,
}

fn main() {}
