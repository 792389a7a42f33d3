use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, as = ThingV0)]
struct Thing {
    name: String,
}

fn main() {}
