use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, merge(a, b))]
struct Thing {
    c: Vec<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    a: Vec<String>,
    b: Vec<String>,
}

fn main() {}
