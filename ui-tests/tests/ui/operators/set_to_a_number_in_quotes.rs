use upstate::{Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, set(port = "80"), set(open = 1), set(size = 5), drop(port, "it is known"), drop(size, "it is known"))]
struct Thing {
    port: u16,
    open: Option<bool>,
    size: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    port: u16,
    size: String,
}

fn main() {}
