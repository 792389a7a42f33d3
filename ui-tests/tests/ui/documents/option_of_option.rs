use upstate::Document;

#[derive(Document)]
struct Settings {
    a: Option<Option<u8>>,
}

fn main() {}
