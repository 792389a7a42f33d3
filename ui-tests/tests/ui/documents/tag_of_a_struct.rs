use upstate::Document;

#[derive(Document)]
#[document(tag = "kind")]
struct Settings {
    zone: Option<String>,
}

fn main() {}
