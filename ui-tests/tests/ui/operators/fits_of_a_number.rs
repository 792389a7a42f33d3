use upstate::{Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, only_if(any(has(open), fits(port, "8{rest}")), set(open = true)), drop(open, "it is known"))]
struct Thing {
    port: u16,
    open: Option<bool>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    port: u16,
    open: Option<bool>,
}

fn main() {}
