use upstate::{Document, Union};

#[derive(Union)]
#[union(tag = "kind")]
enum State {
    On,
    Dim { level: u8 },
}

#[derive(Document)]
#[document(type_name = "locked_lamp", version = 0)]
struct Lamp {
    name: String,
    state: State,
}

fn main() {}
