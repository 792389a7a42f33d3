use upstate::{Resource};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, null_if(port, 0), default(port = 80, when = (null, "x")))]
struct Thing {
    port: u16,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    port: Option<u16>,
}

fn main() {}
