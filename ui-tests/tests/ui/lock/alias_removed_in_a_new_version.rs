//! Documents of an earlier version may have a name by which the later struct no longer reads a member.

use upstate::{Document, Union};

#[derive(Union)]
enum Band {
    #[attribute(alias = "AM")]
    Am { khz: u16 },
    Fm,
}

#[derive(Document)]
#[document(type_name = "locked_radio", version = 1)]
#[upgrade_from(0 => 1, set(stereo = true))]
struct Radio {
    band: Band,
    stereo: bool,
    volume: u8,
}

fn main() {}
