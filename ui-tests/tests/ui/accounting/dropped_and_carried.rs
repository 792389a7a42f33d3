use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, drop(id, "it is the name now"), drop(size, "it grows"), convert(size))]
struct Thing {
    id: String,
    size: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
    size: i64,
}

fn main() {}
