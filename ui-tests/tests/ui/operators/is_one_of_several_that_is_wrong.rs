use upstate::{Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, only_if(all(is(port, "80", 443), has(open)), set(open = true)), drop(open, "it is known"))]
struct Thing {
    port: String,
    open: Option<bool>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    port: String,
    open: Option<bool>,
}

fn main() {}
