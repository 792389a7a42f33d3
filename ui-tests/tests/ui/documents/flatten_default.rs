use upstate::Document;

#[derive(Document, Default)]
struct Inner {
    x: u8,
}

#[derive(Document)]
struct Settings {
    #[serde(flatten, default)]
    inner: Inner,
}

fn main() {}
