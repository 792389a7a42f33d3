use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, rename(length => size, existing = keep))]
struct Thing {
    size: i64,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    size: Option<String>,
    length: i64,
}

fn main() {}
