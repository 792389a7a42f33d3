use upstate::Document;

#[derive(Document)]
#[document(version = 1)]
#[upgrade_from(2, rename(title => name))]
struct Settings {
    name: String,
}

fn main() {}
