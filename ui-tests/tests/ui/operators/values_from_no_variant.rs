use upstate::{Resource, StringEnum};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, values(size, "smal" => "s"))]
struct Thing {
    size: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    size: Size,
}

#[derive(StringEnum)]
enum Size {
    Small,
    Large,
}

fn main() {}
