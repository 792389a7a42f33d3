use upstate::Document;

#[derive(Document)]
struct First {
    x: u8,
}

#[derive(Document)]
struct Second {
    x: u8,
}

#[derive(Document)]
struct Settings {
    #[serde(flatten)]
    first: First,
    #[serde(flatten)]
    second: Second,
}

fn main() {}
