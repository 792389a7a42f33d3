use upstate::{Document, Union};

#[derive(Union)]
enum State {
    Lit,
    Dimmed { level: u8 },
}

#[derive(Document)]
#[document(type_name = "locked_lamp", version = 1)]
#[upgrade_from(0 => 1, variants(state, "On" => "Lit"))]
struct Lamp {
    name: String,
    state: State,
}

fn main() {}
