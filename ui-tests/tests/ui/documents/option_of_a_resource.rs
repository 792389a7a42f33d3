use upstate::Document;

#[derive(Document)]
#[document(schema_version = 2)]
struct Settings {
    a: u8,
}

fn main() {}
