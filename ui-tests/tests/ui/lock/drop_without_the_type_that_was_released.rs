// The lock knows what it was.
use upstate::{Resource, StringEnum};

#[derive(StringEnum)]
enum Mode {
    Open,
    #[value(name = "half \"open\"")]
    HalfOpen,
    Shut,
}

#[derive(Resource)]
#[resource(type_name = "locked_gate", version = 1)]
#[upgrade_from(0 => 1, drop(port, "nothing reads it"))]
struct Gate {
    mode: Mode,
    name: String,
    weights: Option<Vec<u32>>,
}

fn main() {}
