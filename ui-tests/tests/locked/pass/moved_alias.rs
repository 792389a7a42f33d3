//! A field takes its other name along to a new name, and another field takes its old one.

use upstate::{Document, Union};

#[derive(Union)]
enum Band {
    #[attribute(alias = "AM")]
    Am {
        khz: u16,
    },
    Fm,
}

#[derive(Document)]
#[document(type_name = "locked_radio", version = 1)]
#[upgrade_from(0 => 1, rename(volume => level), set(volume = "8 litres"))]
struct Radio {
    band: Band,
    #[attribute(alias = "loudness")]
    level: u8,
    volume: String,
}
