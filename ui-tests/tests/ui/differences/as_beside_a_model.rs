use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, model = ThingV0, as = ThingV0, rename(title => name))]
struct Thing {
    name: String,
}

fn main() {}
