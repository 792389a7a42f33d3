use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, only_if(has(zone), copy(name => id)))]
struct Thing {
    id: Option<String>,
    zone: Option<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    name: Option<String>,
    zone: Option<String>,
}

fn main() {}
