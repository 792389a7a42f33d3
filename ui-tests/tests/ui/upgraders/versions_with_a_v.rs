use upstate::Document;

#[derive(Document)]
#[document(version = 1)]
#[upgrade_from("v0", never_released)]
struct Settings {
    id: String,
}

fn main() {}
