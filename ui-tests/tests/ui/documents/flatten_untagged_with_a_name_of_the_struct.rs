use upstate::{Document, Union};

#[derive(Document)]
struct Tall {
    y: u8,
}

#[derive(Union)]
enum Kind {
    Made {
        at: u8,
    },
    #[union(untagged)]
    Other(Tall),
}

#[derive(Document)]
struct Part {
    y: u8,
    #[serde(flatten)]
    kind: Kind,
}

fn main() {}
