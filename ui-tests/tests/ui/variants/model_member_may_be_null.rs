use upstate::{Document, Union};

#[derive(Document)]
#[document(type_name = "lamp", version = 1)]
#[upgrade_from(0 => 1, model = LampV0, variants(state, "Dim" => "Dimmed"))]
struct Lamp {
    state: State,
}

#[derive(Union)]
enum State {
    On,
    Dimmed { level: u8 },
}

#[derive(Document)]
#[document(type_name = "lamp", version = 0, prior)]
struct LampV0 {
    state: StateV0,
}

#[derive(Union)]
enum StateV0 {
    On,
    Dim { level: Option<u8> },
}

fn main() {}
