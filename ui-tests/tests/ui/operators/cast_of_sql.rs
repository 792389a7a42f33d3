use upstate::Document;

#[derive(Document)]
#[document(version = 1)]
#[upgrade_from(0 => 1, cast(size as u32))]
struct Thing {
    size: String,
}

fn main() {}
