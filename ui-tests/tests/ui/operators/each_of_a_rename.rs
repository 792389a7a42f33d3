use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, each(rename(a => b)))]
struct Thing {
    b: Vec<i64>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    a: Vec<i64>,
}

fn main() {}
