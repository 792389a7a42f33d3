use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(7, model = ThingV7)]
struct Thing {
    id: String,
}

fn main() {}
