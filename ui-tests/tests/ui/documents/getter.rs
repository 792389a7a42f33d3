use upstate::Document;

#[derive(Document)]
struct Settings {
    #[serde(getter = "Settings::a")]
    a: u8,
}

fn main() {}
