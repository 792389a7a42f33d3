use upstate::Document;

#[derive(Document)]
struct Settings {
    #[serde(skip_deserializing)]
    a: u8,
}

fn main() {}
