use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, convert(ports, empty = refuse))]
struct Thing {
    ports: Vec<u16>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    ports: String,
}

fn main() {}
