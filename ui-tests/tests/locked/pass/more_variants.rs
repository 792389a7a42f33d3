//! A field may hold more variants than were released: what is stored reads as before.

use upstate::{Document, Union};

#[derive(Union)]
enum State {
    On,
    Off,
    Dim { level: u8 },
}

#[derive(Document)]
#[document(type_name = "locked_lamp", version = 0)]
struct Lamp {
    name: String,
    state: State,
}
