use upstate::{Resource, StringEnum};

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, carry)]
struct Thing {
    size: Size,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    size: SizeV0,
}

#[derive(StringEnum)]
enum Size {
    Small,
}

#[derive(StringEnum)]
enum SizeV0 {
    Small,
    Large,
}

fn main() {}
