use upstate::Document;

#[derive(Document)]
struct Settings {
    #[serde(skip_serializing)]
    a: u8,
}

fn main() {}
