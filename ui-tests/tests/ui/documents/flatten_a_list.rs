use upstate::Document;

#[derive(Document)]
struct Settings {
    a: u8,
    #[serde(flatten)]
    rest: Vec<u8>,
}

fn main() {}
