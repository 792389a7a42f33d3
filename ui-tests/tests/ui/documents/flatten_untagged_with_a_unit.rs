use upstate::{Document, Union};

#[derive(Union)]
#[serde(untagged)]
enum Kind {
    Wide { x: u8 },
    Plain,
}

#[derive(Document)]
struct Settings {
    id: u8,
    #[serde(flatten)]
    kind: Kind,
}

fn main() {}
