use upstate::Document;

#[derive(Document)]
struct Settings {
    a: u8,
    #[serde(rename = "a")]
    b: u8,
}

fn main() {}
