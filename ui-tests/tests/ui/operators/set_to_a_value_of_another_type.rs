use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, set(size = f64::MAX))]
struct Thing {
    size: i64,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {}

fn main() {}
