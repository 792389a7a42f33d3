use upstate::Resource;

#[derive(Resource)]
#[resource(version = 2)]
#[upgrade_from(1, model = ThingV1, carry)]
struct Thing {
    id: String,
}

// Without `prior` it says that it can be read from version 0 on, so it is the one that lacks the upgrader.
#[derive(Resource)]
#[resource(version = 1)]
struct ThingV1 {
    id: String,
}

fn main() {}
