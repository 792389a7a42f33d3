use upstate::Document;

#[derive(Document)]
struct Settings {
    #[serde(alias = "old")]
    a: u8,
    #[serde(alias = "old")]
    b: u8,
}

fn main() {}
