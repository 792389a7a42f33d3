use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, filter(zone, key =))]
struct Thing {
    zone: std::collections::BTreeMap<String, String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    zone: std::collections::BTreeMap<String, String>,
}

fn main() {}
