use upstate::Document;

#[derive(Document)]
#[document(bound = "T: Clone")]
struct Settings {
    #[attribute(added(since = "v1"))]
    zone: Option<String>,
    #[attribute(deprecated)]
    size: i64,
}

fn main() {}
