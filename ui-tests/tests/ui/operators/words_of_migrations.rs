use upstate::Document;

#[derive(Document)]
#[document(version = 1)]
#[upgrade_from(0 => 1, added(zone), removed(region: String, "it moved"), alter(size), not_null(name))]
struct Thing {
    zone: Option<String>,
    size: i64,
    name: String,
}

fn main() {}
