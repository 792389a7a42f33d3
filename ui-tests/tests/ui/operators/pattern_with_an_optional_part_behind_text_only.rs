use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, split(address: String, "tcp:{host|localhost}"))]
struct Thing {
    host: String,
}

fn main() {}
