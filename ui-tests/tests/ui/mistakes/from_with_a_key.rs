use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(from = 0, model = ThingV0, carry)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(type_name = "thing")]
struct ThingV0 {
    id: String,
}

fn main() {}
