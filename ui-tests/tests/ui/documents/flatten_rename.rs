use upstate::Document;

#[derive(Document)]
struct Inner {
    x: u8,
}

#[derive(Document)]
struct Settings {
    #[serde(flatten, rename = "y")]
    inner: Inner,
}

fn main() {}
