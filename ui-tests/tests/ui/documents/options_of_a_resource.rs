use upstate::Document;

#[derive(Document)]
#[resource(version = 1)]
struct Settings {
    zone: String,
}

fn main() {}
