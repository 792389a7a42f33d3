use upstate::{Registry, Resource};

#[derive(Resource)]
#[resource(version = 1, prior)]
struct ThingV1 {
    id: String,
}

fn main() {
    let _ = Registry::new().with::<ThingV1>();
}
