use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, join(ports, ","))]
struct Thing {
    ports: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    ports: Vec<u16>,
}

fn main() {}
