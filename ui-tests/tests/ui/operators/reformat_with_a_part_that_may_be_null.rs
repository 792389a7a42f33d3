use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, reformat(id, "{a}" => "{a}-{zone}"), drop(zone, "part of the id"))]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    id: String,
    zone: Option<String>,
}

fn main() {}
