use upstate::Document;

#[derive(Document)]
#[document(version = 1)]
#[upgrade_from(0 => 1, set(zone = "a"))]
#[downgrade_to(0)]
struct Settings {
    zone: String,
}

fn main() {}
