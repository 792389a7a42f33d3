use upstate::Document;

#[derive(Document)]
#[document(version = 1)]
#[upgrade_from(0 => 1, set(zone = null), only_if(is_null(name), set(zone = "a")))]
struct Thing {
    name: Option<String>,
    zone: Option<String>,
}

fn main() {}
