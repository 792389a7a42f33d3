use upstate::{Document, Union};

#[derive(Union)]
enum State {
    On,
    Dim { brightness: u8, warm: Option<bool> },
}

#[derive(Document)]
#[document(type_name = "locked_lamp", version = 0)]
struct Lamp {
    name: String,
    state: State,
}

fn main() {}
