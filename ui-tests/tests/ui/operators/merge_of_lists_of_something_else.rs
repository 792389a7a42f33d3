use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, merge(zones, ports => all))]
struct Thing {
    all: Vec<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    zones: Vec<String>,
    ports: Vec<i64>,
}

fn main() {}
