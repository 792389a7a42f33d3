use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, carry, "no shape changed")]
struct Thing {
    name: String,
}

fn main() {}
