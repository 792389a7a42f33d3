use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, unwrap(settings, many = last))]
struct Thing {
    settings: Option<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    settings: Vec<String>,
}

fn main() {}
