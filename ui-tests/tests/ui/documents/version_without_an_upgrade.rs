use upstate::Document;

#[derive(Document)]
#[document(version = 1)]
struct Settings {
    name: String,
}

fn main() {}
