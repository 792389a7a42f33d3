use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, convert(size, with = double))]
struct Thing {
    size: i64,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    size: i64,
}

fn double(size: i64) -> i64 {
    size * 2
}

fn main() {}
