use upstate::Document;

#[derive(Document)]
struct Settings {
    #[serde(alias = "b")]
    a: u8,
    b: u8,
}

fn main() {}
