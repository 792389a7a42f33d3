use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, set(zones = {}), drop(zones, "it is set"))]
struct Thing {
    zones: Vec<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    zones: Vec<String>,
}

fn main() {}
