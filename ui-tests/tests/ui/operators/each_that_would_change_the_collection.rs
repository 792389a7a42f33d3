use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, each(wrap(zones)))]
struct Thing {
    zones: std::collections::BTreeMap<String, Vec<String>>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    zones: Vec<String>,
}

fn main() {}
