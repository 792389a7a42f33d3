use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, filter(zone, ""))]
struct Thing {
    zone: Option<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    zone: Option<String>,
}

fn main() {}
