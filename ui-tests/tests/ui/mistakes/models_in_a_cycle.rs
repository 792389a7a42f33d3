use upstate::Resource;

#[derive(Resource)]
#[resource(type_name = "thing", version = 1)]
#[upgrade_from(0, model = ThingV0, carry)]
struct Thing {
    id: String,
}

#[derive(Resource)]
#[resource(type_name = "thing", version = 0)]
#[upgrade_from(1, model = Thing, carry)]
struct ThingV0 {
    id: String,
}

fn main() {}
