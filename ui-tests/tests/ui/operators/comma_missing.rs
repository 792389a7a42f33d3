use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, rename(a => b c => d))]
struct Thing {
    b: i64,
    d: i64,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    a: i64,
    c: i64,
}

fn main() {}
