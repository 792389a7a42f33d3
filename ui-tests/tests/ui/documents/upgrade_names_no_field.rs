use upstate::Document;

#[derive(Document)]
#[document(version = 1)]
#[upgrade_from(0 => 1, rename(title => nam))]
struct Settings {
    name: String,
}

fn main() {}
