use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, convert(zone, length))]
struct Thing {
    zone: i64,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    zone: i64,
}

fn main() {}
