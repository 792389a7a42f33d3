use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, set(port = 65536))]
struct Thing {
    id: String,
    port: u16,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
}

fn main() {}
