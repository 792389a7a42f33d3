use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, convert(mode, empty = null))]
struct Thing {
    mode: Option<i64>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    mode: Mode,
}

#[derive(upstate::StringEnum)]
enum Mode {
    Auto,
    Manual,
}

fn main() {}
