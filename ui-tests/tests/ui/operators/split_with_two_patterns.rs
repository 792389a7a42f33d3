use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, split(address, "{host}:{port}", "{host}"))]
struct Thing {
    host: String,
    port: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    address: String,
}

fn main() {}
