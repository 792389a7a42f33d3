use upstate::Document;

#[derive(Document)]
struct Settings {
    #[serde(rename = 7)]
    a: u8,
}

fn main() {}
