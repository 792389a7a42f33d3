use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(zone, seconds))]
struct Thing {
    zone: i64,
}

fn main() {}
