use upstate::{Resource, StringEnum};

#[derive(StringEnum)]
enum Mode {
    Open,
    #[value(name = "half \"open\"")]
    HalfOpen,
    Locked,
}

#[derive(Resource)]
#[resource(type_name = "locked_gate", version = 0)]
struct Gate {
    mode: Mode,
    name: String,
    port: u16,
    weights: Option<Vec<u32>>,
}

fn main() {}
