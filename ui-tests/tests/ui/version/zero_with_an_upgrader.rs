use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "example_thing")]
#[upgrade_from(0, model = ThingV0, carry)]
struct Thing {
    id: String,
}

#[derive(Resource)]
struct ThingV0 {
    id: String,
}

fn main() {}
