use upstate::Document;

#[derive(Document)]
struct Settings {
    #[serde(renam = "x")]
    a: u8,
}

fn main() {}
