use upstate::Document;

#[derive(Document)]
#[document(version = 1)]
#[upgrade_from(0 => 1, only_if(gt(size, 3), set(zone = "large")))]
struct Thing {
    size: i64,
    zone: Option<String>,
}

fn main() {}
