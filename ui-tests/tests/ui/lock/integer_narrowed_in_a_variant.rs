use upstate::{Document, Union};

#[derive(Union)]
enum State {
    On,
    Dim { level: i8 },
}

#[derive(Document)]
#[document(type_name = "locked_lamp", version = 0)]
struct Lamp {
    name: String,
    state: State,
}

fn main() {}
