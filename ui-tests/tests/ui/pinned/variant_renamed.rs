use upstate::{Document, Union};

#[derive(Union)]
enum State {
    On,
    Dimmed { level: u8 },
}

#[derive(Document)]
#[document(type_name = "locked_lamp", version = 1)]
#[upgrade_from(0 => 1, carry)]
struct Lamp {
    name: String,
    state: State,
}

fn main() {}
