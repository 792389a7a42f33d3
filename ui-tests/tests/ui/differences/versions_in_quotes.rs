use upstate::Document;

#[derive(Document)]
#[document(version = 1)]
#[upgrade_from("v0" => "v1", set(zone = null))]
struct Settings {
    zone: Option<String>,
}

fn main() {}
