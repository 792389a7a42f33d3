use upstate::Document;

#[derive(Document)]
struct Inner {
    x: u8,
}

#[derive(Document)]
struct Settings {
    x: u8,
    #[serde(flatten)]
    inner: Inner,
}

fn main() {}
