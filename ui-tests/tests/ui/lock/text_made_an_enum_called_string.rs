use upstate::{Resource, StringEnum};

#[derive(StringEnum)]
enum String {
    Open,
    #[value(name = "half \"open\"")]
    HalfOpen,
    Shut,
}

#[derive(Resource)]
#[resource(type_name = "locked_gate", version = 0)]
struct Gate {
    mode: String,
    name: String,
    port: u16,
    weights: Option<Vec<u32>>,
}

fn main() {}
