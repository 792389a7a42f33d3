use upstate::Document;

#[derive(Document)]
struct Settings {
    a: Option<()>,
}

fn main() {}
