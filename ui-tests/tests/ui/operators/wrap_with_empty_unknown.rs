use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, wrap(name, empty = list))]
struct Thing {
    name: Vec<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    name: Option<String>,
}

fn main() {}
