use upstate::Document;

#[derive(Document)]
struct Settings {
    #[serde(default = "level")]
    a: u8,
}

fn main() {}
