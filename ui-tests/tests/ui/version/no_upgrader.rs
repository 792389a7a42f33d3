use upstate::{Registry, Resource};

#[derive(Resource)]
#[resource(version = 1)]
struct Thing {
    id: String,
}

fn main() {
    let _ = Registry::new().with::<Thing>();
}
