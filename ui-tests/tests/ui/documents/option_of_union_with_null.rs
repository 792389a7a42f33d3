use upstate::{Document, Union};

#[derive(Union)]
#[serde(untagged)]
enum Level {
    None(()),
    Number(u8),
}

#[derive(Document)]
struct Settings {
    level: Option<Level>,
}

fn main() {}
