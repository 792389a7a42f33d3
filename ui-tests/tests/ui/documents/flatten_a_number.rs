use upstate::Document;

#[derive(Document)]
struct Settings {
    #[serde(flatten)]
    rest: u8,
}

fn main() {}
