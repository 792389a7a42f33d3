use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, filter(tags))]
struct Thing {
    tags: Vec<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    tags: Vec<String>,
}

fn main() {}
