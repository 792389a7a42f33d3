use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, carry)]
struct Thing {
    size: Vec<i64>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    size: Vec<String>,
}

fn main() {}
