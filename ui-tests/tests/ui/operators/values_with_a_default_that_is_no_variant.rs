use upstate::{Resource, StringEnum};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, values(size, "s" => "small", _ => "enormous"))]
struct Thing {
    size: Size,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    size: String,
}

#[derive(StringEnum)]
enum Size {
    Small,
    Large,
}

fn main() {}
