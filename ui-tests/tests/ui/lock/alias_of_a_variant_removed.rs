//! A variant is no longer read by another name, under a version that was released.

use upstate::{Document, Union};

#[derive(Union)]
enum Band {
    Am { khz: u16 },
    Fm,
}

#[derive(Document)]
#[document(type_name = "locked_radio", version = 0)]
struct Radio {
    band: Band,
    #[attribute(alias = "loudness")]
    volume: u8,
}

fn main() {}
