//! A name that goes with its field, or with an operator that renames it, leaves nothing behind; and more names may be read than were released.

use upstate::{Document, Union};

#[derive(Union)]
enum Band {
    #[attribute(alias = "AM", alias = "medium_wave")]
    Am { khz: u16 },
    #[attribute(alias = "FM")]
    Fm,
}

#[derive(Document)]
#[document(type_name = "locked_radio", version = 2)]
#[upgrade_from(0 => 1, rename(volume => level))]
#[upgrade_from(1 => 2, drop(level: u8, "the radio remembers it"))]
struct Radio {
    band: Band,
}
