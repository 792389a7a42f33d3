use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, convert(zone, trimmed))]
struct Thing {
    zone: Vec<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    zone: Vec<String>,
}

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, convert(host: String, lowercase))]
struct Host {
    host: Vec<String>,
}

fn main() {}
