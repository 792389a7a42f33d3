use upstate::Document;

#[derive(Document)]
#[document(version = 1)]
#[upgrade(0 => 1, set(zone = "a"))]
struct Settings {
    zone: String,
}

fn main() {}
