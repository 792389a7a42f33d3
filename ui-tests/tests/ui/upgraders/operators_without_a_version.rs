use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(model = ThingV0, rename(title => name))]
struct Thing {
    name: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    title: String,
}

fn main() {}
