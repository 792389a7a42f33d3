use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, only_if(has(name), rename(name => id)), drop(name, "null is nothing"))]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    name: Option<String>,
}

fn main() {}
