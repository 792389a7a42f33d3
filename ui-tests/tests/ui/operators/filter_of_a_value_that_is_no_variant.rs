use upstate::{Resource, StringEnum};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, filter(sizes, "smal"))]
struct Thing {
    sizes: Vec<Size>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    sizes: Vec<Size>,
}

#[derive(StringEnum)]
enum Size {
    Small,
    Large,
}

fn main() {}
