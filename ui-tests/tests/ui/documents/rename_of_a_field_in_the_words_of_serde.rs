use upstate::Document;

#[derive(Document)]
struct Thing {
    #[attribute(rename = "kind")]
    ty: String,
}

fn main() {}
