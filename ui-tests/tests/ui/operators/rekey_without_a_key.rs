use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, rekey(rules))]
struct Thing {
    rules: Vec<String>,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    rules: Vec<String>,
}

fn main() {}
