use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(1 => 2, as = crate::ThingV1, carry)]
#[upgrade_from(0 => 1, to = "ThingV1", carry)]
struct Thing {
    name: String,
}

fn main() {}
