use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, convert(zone, with = first))]
struct Thing {
    zone: String,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    zone: String,
}

fn first(zones: Vec<String>) -> Result<String, &'static str> {
    zones.into_iter().next().ok_or("no zone")
}

fn main() {}
